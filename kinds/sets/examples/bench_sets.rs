//! How long sets and logs take, and how that grows: `cargo run --release -p privet-sets --example bench_sets [FOLDER]`.
//!
//! k^2-anonymity (k = 5) of generated skewed baskets over 2,000 items, doubled up to 500,000; a generated query log, doubled up to ten
//! million rows, read from a file and released by Korolova's method. The floor beside each is a plain count of the same data. One JSON
//! object per line; `limit` is what the seconds may be. The files are left in FOLDER for programs that are compared.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use privet_data::Silent;
use privet_sets::anonymize::{Order, apriori};
use privet_sets::criteria::{Atoms, k_m};
use privet_sets::log::{Korolova, Log, first_distinct, people_per_query};
use privet_sets::{Baskets, LogOptions, generate, measure, read_log};

type Failure = Box<dyn std::error::Error>;

const ITEMS: usize = 2000;
const K: u64 = 5;
/// Doubled up to these.
const BASKETS: usize = 500_000;
const PEOPLE: usize = 1_010_000;
/// What the largest may take.
const BASKETS_LIMIT: f64 = 60.0;
const LOG_LIMIT: f64 = 30.0;

fn row(
    what: &str,
    size: usize,
    seconds: f64,
    limit: Option<f64>,
    floor: f64,
    right: bool,
    note: &str,
) -> Result<(), Failure> {
    let row = serde_json::json!({
        "what": what, "size": size, "seconds": seconds, "limit": limit, "floor": floor, "right": right, "note": note,
    });
    writeln!(std::io::stdout(), "{row}")?;
    Ok(())
}

fn baskets(folder: &Path) -> Result<(), Failure> {
    let (_, tree) = generate::catalogue(ITEMS, 10);
    for count in [BASKETS / 8, BASKETS / 4, BASKETS / 2, BASKETS] {
        let limit = (count == BASKETS).then_some(BASKETS_LIMIT);
        let baskets = generate::baskets(count, ITEMS, 10.0, 1);
        let start = Instant::now();
        let supports = baskets.supports(ITEMS);
        let floor = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let made = apriori(&baskets, &tree, K, 2, Order::Rarest, &Silent)?;
        let search = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let verdict = k_m(&Atoms::new(&made.sets, &tree)?.baskets, K, 2, &Silent)?;
        let verify = start.elapsed().as_secs_f64();
        let right = verdict.holds && supports.len() == ITEMS;
        let loss = 100.0 * measure::ncp(&made.sets, &baskets, &tree);
        row("k^2-anonymity of baskets", count, search, limit, floor, right, &format!("loss {loss:.1} %"))?;
        row("its proof", count, verify, None, floor, right, "")?;
        if count == BASKETS {
            peer(folder, &baskets)?;
        }
    }
    Ok(())
}

/// All items and pairs that at least k baskets hold: what a public miner counts as well.
fn peer(folder: &Path, baskets: &Baskets) -> Result<(), Failure> {
    let file = folder.join("baskets.dat");
    let mut out = BufWriter::new(std::fs::File::create(&file)?);
    for basket in baskets.iter() {
        let items: Vec<String> = basket.iter().map(u32::to_string).collect();
        writeln!(out, "{}", items.join(" "))?;
    }
    out.flush()?;
    let start = Instant::now();
    let counted = k_m(baskets, K, 2, &Silent)?;
    let seconds = start.elapsed().as_secs_f64();
    let row = serde_json::json!({
        "what": "items and pairs of 5 baskets or more", "size": baskets.len(), "seconds": seconds, "right": true,
        "peer": { "file": file, "support": K, "itemsets": counted.examined - counted.failing },
    });
    writeln!(std::io::stdout(), "{row}")?;
    Ok(())
}

/// Writes a log as a table, one row per line.
fn write(log: &Log, file: &Path) -> Result<(), Failure> {
    let mut out = BufWriter::new(std::fs::File::create(file)?);
    writeln!(out, "user,query,url")?;
    let clicks = log.clicks().unwrap_or_default();
    for person in 0..log.people() {
        for at in log.rows_of(person) {
            let address =
                clicks.get(at).and_then(|&own| log.addresses().get(own as usize)).map_or("", |own| own);
            writeln!(out, "{person},{},{address}", log.query_text(log.queries()[at]))?;
        }
    }
    out.flush()?;
    Ok(())
}

fn logs(folder: &Path) -> Result<(), Failure> {
    let file = folder.join("log.csv");
    let options = LogOptions {
        person: Some("user".into()),
        query: Some("query".into()),
        click: Some("url".into()),
        ..LogOptions::default()
    };
    let asked = Korolova {
        queries_per_person: 20,
        clicks_per_person: 10,
        people: 5,
        epsilon: "1".parse()?,
        delta: "1e-9".parse()?,
    };
    for people in [PEOPLE / 8, PEOPLE / 4, PEOPLE / 2, PEOPLE] {
        let written = generate::log(people, 10.0, 2_000_000, 1);
        let rows = written.rows();
        write(&written, &file)?;
        drop(written);
        let start = Instant::now();
        let log = read_log(&file, &options, &Silent)?;
        let read = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let counts = first_distinct(&log, u32::MAX, |row| Some(u64::from(log.queries()[row])));
        let floor = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let released = asked.plan()?.release(&log, &Silent)?;
        let release = start.elapsed().as_secs_f64();
        let limit = (people == PEOPLE).then_some(LOG_LIMIT);
        let askers = people_per_query(&log).queries;
        let enough = released.queries.iter().all(|own| askers[own.0 as usize] >= 5);
        let right = enough
            && log.rows() == rows
            && (limit.is_none() || rows >= 10_000_000)
            && !counts.keys.is_empty();
        let note = format!("read {read:.1} s, release {release:.1} s, {} queries", released.queries.len());
        row("a query log from a file through Korolova", rows, read + release, limit, floor, right, &note)?;
    }
    Ok(())
}

fn main() -> Result<(), Failure> {
    let folder = std::env::args_os().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    baskets(&folder)?;
    logs(&folder)
}
