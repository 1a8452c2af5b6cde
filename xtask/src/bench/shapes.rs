//! Baskets, logs, traces, and the second release: the examples of the shapes, which measure inside a process beside a floor of the same run,
//! and a recoding that is applied to ten million rows by the program, beside reading the rows and copying their file. Each figure stands
//! beside what it may take.
//!
//! The peers are PyFIM (Borgelt's Eclat in C) for counting pairs of items, and Polars for reading the log and counting the people of each
//! query, with the interpreter that `PRIVET_PYTHON` names (or `python3`). For k^m-anonymity itself, Korolova's release, Never Walk Alone
//! and cloaking no public program that runs alone is known.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::grid::Grid;
use super::{Bench, Outcome, publish};
use crate::workspace::{self, Scratch};

/// The rows that the recoding is made of, and those that it is applied to.
const FIRST: usize = 100_000;
const ROWS: [usize; 2] = [1_250_000, 10_000_000];
/// How many times reading and copying an application may take.
const TIMES: f64 = 2.0;

const MINER: &str = "
import json, sys, time
import fim
rows = [[int(item) for item in line.split()] for line in open(sys.argv[1])]
start = time.perf_counter()
found = fim.eclat(rows, target='s', supp=-int(sys.argv[2]), zmin=1, zmax=2, report='a')
print(json.dumps({'seconds': time.perf_counter() - start, 'itemsets': len(found)}))
";

const COUNTER: &str = "
import json, sys, time
import polars
start = time.perf_counter()
log = polars.read_csv(sys.argv[1], columns=['user', 'query'])
people = log.unique().group_by('query').len().filter(polars.col('len') >= 5)
print(json.dumps({'seconds': time.perf_counter() - start, 'queries': people.height}))
";

pub fn run(bench: &Bench<'_>) -> Result<Outcome> {
    let scratch = Scratch::new()?;
    let mut table = Figures {
        grid: Grid::new(&["what", "size", "seconds", "may take", "floor", "growth", "", "note"]),
        rows: Vec::new(),
        right: true,
        before: BTreeMap::new(),
        last: f64::NAN,
    };
    for (package, name) in [("privet-sets", "bench_sets"), ("privet-traces", "bench_traces")] {
        let ran = Command::new(workspace::example(package, name)?)
            .arg(scratch.path())
            .stderr(std::process::Stdio::inherit())
            .output()?;
        table.right &= ran.status.success();
        let text = String::from_utf8_lossy(&ran.stdout);
        for own in text.lines().map(serde_json::from_str::<Value>) {
            table.add(own?)?;
        }
        if name == "bench_sets" {
            table.counted(&scratch.path().join("log.csv"));
        }
    }
    applications(bench, scratch.path(), &mut table)?;
    Ok(Outcome { grid: table.grid, rows: table.rows, right: table.right })
}

/// What was measured so far.
struct Figures {
    grid: Grid,
    rows: Vec<Value>,
    right: bool,
    /// Per name the size and the seconds of the measurement before.
    before: BTreeMap<String, (f64, f64)>,
    /// The seconds of the last one.
    last: f64,
}

impl Figures {
    fn add(&mut self, mut own: Value) -> Result<()> {
        let what = own["what"].as_str().context("no name")?.to_owned();
        let seconds = own["seconds"].as_f64().context("no seconds")?;
        let size = own["size"].as_f64().context("no size")?;
        let is_right = own["right"] == true;
        self.right &= is_right;
        let limit = own["limit"].as_f64();
        let verdict = match (is_right, limit) {
            (false, _) => "WRONG",
            (true, Some(limit)) if seconds > limit => "SHORT",
            (true, Some(_)) => "PASS",
            (true, None) => "",
        };
        let before = self.before.insert(what.clone(), (size, seconds));
        let growth = before.map(|(first, took)| (seconds / took).ln() / (size / first).ln());
        self.last = seconds;
        self.grid.row(vec![
            what,
            format!("{size}"),
            format!("{seconds:.3}"),
            limit.map_or(String::new(), |own| format!("{own:.2}")),
            own["floor"].as_f64().map_or(String::new(), |own| format!("{own:.3}")),
            growth.map_or(String::new(), |own| format!("n^{own:.2}")),
            verdict.to_owned(),
            own["note"].as_str().unwrap_or_default().to_owned(),
        ]);
        let peer = own.get("peer").cloned();
        own["verdict"] = json!(verdict);
        own["growth"] = json!(growth);
        self.rows.push(own);
        if let Some(peer) = peer {
            self.mined(&peer, seconds);
        }
        Ok(())
    }

    /// The same pairs by a public miner.
    fn mined(&mut self, own: &Value, seconds: f64) {
        let (file, support) = (own["file"].as_str().unwrap_or_default(), own["support"].to_string());
        let Some(found) = python(MINER, &[file, &support]) else {
            self.grid.row(vec!["-- the peer is not here: pip install pyfim, and PRIVET_PYTHON".to_owned()]);
            return;
        };
        let is_same = found["itemsets"] == own["itemsets"];
        self.right &= is_same;
        self.peer(
            "  the same by Eclat of PyFIM",
            &found,
            if is_same { "the same itemsets" } else { "WRONG: other itemsets" },
            seconds,
        );
    }

    /// The log through a public data frame, which counts the people of each query and adds no noise.
    fn counted(&mut self, log: &Path) {
        let seconds = self.last;
        match python(COUNTER, &[&log.display().to_string()]) {
            Some(found) => {
                self.peer("  the log read and counted by Polars, without noise", &found, "", seconds);
            }
            None => {
                self.grid
                    .row(vec!["-- the peer is not here: pip install polars, and PRIVET_PYTHON".to_owned()]);
            }
        }
    }

    fn peer(&mut self, name: &str, found: &Value, note: &str, seconds: f64) {
        let took = found["seconds"].as_f64().unwrap_or(f64::NAN);
        let note = format!("{note} {:.2} times the peer", seconds / took);
        let blank = String::new;
        let cells = [
            name.to_owned(),
            blank(),
            format!("{took:.3}"),
            blank(),
            blank(),
            blank(),
            blank(),
            note.trim().to_owned(),
        ];
        self.grid.row(cells.to_vec());
        self.rows.push(json!({ "what": name.trim(), "peer": found, "times": seconds / took }));
    }
}

/// What a program in Python prints; nothing where it cannot run.
fn python(program: &str, arguments: &[&str]) -> Option<Value> {
    let python = std::env::var_os("PRIVET_PYTHON").unwrap_or_else(|| "python3".into());
    let ran = Command::new(python).args(["-c", program]).args(arguments).output().ok()?;
    ran.status.success().then(|| serde_json::from_slice(&ran.stdout).ok()).flatten()
}

/// A recoding that is applied to more and more rows.
fn applications(bench: &Bench<'_>, scratch: &Path, table: &mut Figures) -> Result<()> {
    let job = publish::demo(bench, scratch, FIRST)?;
    let home = scratch.join("home");
    let made = Command::new(bench.program)
        .args(["anonymize", "--quiet", "--force", "--home"])
        .arg(&home)
        .arg(&job)
        .status()?;
    ensure!(made.success(), "privet anonymize: {made}");
    for count in ROWS {
        let folder = scratch.join(count.to_string());
        publish::demo(bench, &folder, count)?;
        let applied = apply(bench, &home, &folder)?;
        let floor = applied.read + applied.copy;
        let note = format!(
            "{:.2} times reading ({:.2} s) and copying ({:.2} s)",
            applied.total / floor,
            applied.read,
            applied.copy
        );
        table.add(json!({
            "what": "applying a recoding to rows", "size": count, "seconds": applied.total, "limit": TIMES * floor,
            "floor": floor, "right": true, "note": note, "read_seconds": applied.read, "copy_seconds": applied.copy,
            "ratio": applied.total / floor,
        }))?;
        std::fs::remove_dir_all(&folder)?;
    }
    Ok(())
}

/// Seconds of one application.
struct Applied {
    read: f64,
    copy: f64,
    total: f64,
}

fn apply(bench: &Bench<'_>, home: &Path, folder: &Path) -> Result<Applied> {
    let input = folder.join("admissions.csv");
    let done = Command::new(bench.program)
        .args(["apply", "--json", "--force", "--output"])
        .arg(folder.join("release"))
        .args(["--set", "search.suppress-at-most=0.05"])
        .arg(home.join("recoding.json"))
        .arg(&input)
        .output()?;
    ensure!(done.status.success(), "privet apply: {}", String::from_utf8_lossy(&done.stderr));
    let summary: Value = serde_json::from_slice(&done.stdout)?;
    let seconds =
        |part: &str| summary["seconds"][part].as_f64().with_context(|| format!("no seconds.{part}"));
    let start = Instant::now();
    std::fs::copy(&input, folder.join("copy.csv"))?;
    Ok(Applied { read: seconds("read")?, copy: start.elapsed().as_secs_f64(), total: seconds("total")? })
}
