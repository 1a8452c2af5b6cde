//! Whole jobs: the loss that was reached, and how long the search and everything took.
//!
//! With the shared data, every job of the table of peers, against the peer's figures; without it, the program's own
//! demo in three sizes. A loss above the optimum is wrong; being short of a target is not, and is shown.

use std::io::BufRead as _;

use anyhow::{Context, Result};
use serde_json::json;

use super::grid::Grid;
use super::measure::{self, Measured};
use super::peers::Peer;
use super::{Bench, Outcome};
use crate::workspace::{self, Scratch};

/// How many times faster than the peer everything together should be.
const TOTAL_TARGET: f64 = 10.0;
/// How many times the size of the coded input the program may hold at most.
const MEMORY_TARGET: f64 = 3.0;
/// Beside smaller inputs the pages of the program itself are what is measured.
const SMALL_INPUT: f64 = 10e6;

pub fn run(bench: &Bench<'_>) -> Result<Outcome> {
    match workspace::shared() {
        Some(shared) if shared.join("oracles/peer-optima.tsv").is_file() => against_peer(bench, &shared),
        _ => {
            println!("there is no ../shared with figures of a peer: generated admissions instead");
            generated(bench)
        }
    }
}

fn against_peer(bench: &Bench<'_>, shared: &std::path::Path) -> Result<Outcome> {
    let table = std::fs::read_to_string(shared.join("oracles/peer-optima.tsv"))?;
    let scratch = Scratch::new()?;
    let mut grid = Grid::new(&[
        "job",
        "loss",
        "optimum",
        "search s",
        "peer",
        "ratio",
        "target",
        "total s",
        "peer",
        "ratio",
        "floor s",
        "search/floor",
        "MiB",
        "coded",
        "",
    ]);
    let (mut rows, mut right) = (Vec::new(), true);
    for (number, peer) in Peer::table(&table)?.iter().enumerate() {
        let file = scratch.path().join(format!("job-{number}.toml"));
        std::fs::write(
            &file,
            peer.job(&shared.join("data"), &scratch.path().join(format!("release-{number}")))?,
        )?;
        let measured = measure::job(bench, &file)?;
        let (search, total) = (peer.search / measured.search, peer.total / measured.total);
        let (target, optimal) = (peer.search_target(), measured.loss <= peer.optimal_loss + 1e-9);
        let coded = coded_bytes(&shared.join(format!("data/{0}/{0}.csv", peer.data)), &measured)?;
        let memory = measured.peak_rss_bytes as f64 / coded;
        let targets = [
            ("search", search < target),
            ("total", total < TOTAL_TARGET),
            ("memory", memory >= MEMORY_TARGET && coded >= SMALL_INPUT),
        ];
        let short: Vec<&str> = targets.iter().filter(|s| s.1).map(|s| s.0).collect();
        let verdict = match (optimal, short.is_empty()) {
            (false, _) => "WRONG".to_owned(),
            (true, false) => format!("short of target ({})", short.join(", ")),
            (true, true) => "PASS".to_owned(),
        };
        right &= optimal;
        grid.row(vec![
            peer.name(),
            format!("{:.6}", measured.loss),
            format!("{:.6}", peer.optimal_loss),
            seconds(measured.search),
            seconds(peer.search),
            format!("{search:.1}x"),
            format!("{target:.0}x"),
            seconds(measured.total),
            seconds(peer.total),
            format!("{total:.1}x"),
            measured.floor.map_or_else(|| "-".to_owned(), seconds),
            measured.floor.map_or_else(|| "-".to_owned(), |floor| format!("{:.1}", measured.search / floor)),
            mebibytes(measured.peak_rss_bytes),
            format!("{memory:.1}x"),
            verdict.clone(),
        ]);
        let mut row = figures(&peer.name(), &measured);
        row["peer"] = json!({ "loss": peer.optimal_loss, "search": peer.search, "total": peer.total });
        row["ratio"] = json!({ "search": search, "search_target": target, "total": total, "total_target": TOTAL_TARGET,
            "memory": memory, "memory_target": MEMORY_TARGET });
        row["verdict"] = json!(verdict);
        rows.push(row);
    }
    Ok(Outcome { grid, rows, right })
}

fn generated(bench: &Bench<'_>) -> Result<Outcome> {
    let mut grid = Grid::new(&[
        "job",
        "loss",
        "read s",
        "search s",
        "write s",
        "total s",
        "process s",
        "floor s",
        "MiB",
        "coded",
    ]);
    let mut rows = Vec::new();
    for records in [20_000, 200_000, 1_000_000] {
        let scratch = Scratch::new()?;
        let measured = measure::job(bench, &demo(bench, scratch.path(), records)?)?;
        let name = format!("demo {records}");
        let coded = coded_bytes(&scratch.path().join("admissions.csv"), &measured)?;
        grid.row(vec![
            name.clone(),
            format!("{:.6}", measured.loss),
            seconds(measured.read),
            seconds(measured.search),
            seconds(measured.write),
            seconds(measured.total),
            seconds(measured.process),
            measured.floor.map_or_else(|| "-".to_owned(), seconds),
            mebibytes(measured.peak_rss_bytes),
            format!("{:.1}x", measured.peak_rss_bytes as f64 / coded),
        ]);
        rows.push(figures(&name, &measured));
    }
    Ok(Outcome { grid, rows, right: true })
}

/// Has the program make its demo of so many records; returns the job file.
pub fn demo(bench: &Bench<'_>, folder: &std::path::Path, records: usize) -> Result<std::path::PathBuf> {
    let status = std::process::Command::new(bench.program)
        .args(["demo", "--quiet", "--rows", &records.to_string(), "--folder"])
        .arg(folder)
        .status()?;
    status.success().then_some(()).with_context(|| format!("privet demo: {status}"))?;
    Ok(folder.join("job.toml"))
}

/// The bytes of an input whose every value is a code of four bytes. What the values are called is not counted.
fn coded_bytes(table: &std::path::Path, measured: &Measured) -> Result<f64> {
    let mut head = String::new();
    std::io::BufReader::new(std::fs::File::open(table)?).read_line(&mut head)?;
    let columns = head.split([';', ',']).count();
    let rows = measured.summary["rows"].as_u64().context("no rows in the summary")?;
    Ok(4.0 * columns as f64 * rows as f64)
}

fn figures(name: &str, measured: &Measured) -> serde_json::Value {
    json!({
        "job": name,
        "seconds": {
            "read": measured.read, "search": measured.search, "write": measured.write, "total": measured.total,
            "process": measured.process, "floor": measured.floor,
        },
        "loss": measured.loss,
        "peak_rss_bytes": measured.peak_rss_bytes,
        "summary": measured.summary,
    })
}

fn seconds(number: f64) -> String {
    format!("{number:.3}")
}

fn mebibytes(bytes: u64) -> String {
    format!("{:.0}", bytes as f64 / f64::from(1 << 20))
}
