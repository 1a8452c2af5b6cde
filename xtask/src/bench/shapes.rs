//! Baskets, logs, traces, and the second release: the examples of the shapes, which measure inside a process beside a floor of the same run,
//! and a recoding that is applied to ten million rows by the program, beside reading the rows and copying their file.

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

pub fn run(bench: &Bench<'_>) -> Result<Outcome> {
    for (package, name) in [("privet-sets", "bench_sets"), ("privet-traces", "bench_traces")] {
        let status = Command::new(workspace::example(package, name)?).status()?;
        ensure!(status.success(), "{name}: {status}");
    }
    let scratch = Scratch::new()?;
    let job = publish::demo(bench, scratch.path(), FIRST)?;
    let home = scratch.path().join("home");
    let made = Command::new(bench.program)
        .args(["anonymize", "--quiet", "--force", "--home"])
        .arg(&home)
        .arg(&job)
        .status()?;
    ensure!(made.success(), "privet anonymize: {made}");
    let mut grid = Grid::new(&[
        "applying a recoding to",
        "read s",
        "copy s",
        "total s",
        "x read and copy",
        "at most",
        "growth",
    ]);
    let mut rows = Vec::new();
    let mut before: Option<f64> = None;
    for count in ROWS {
        let folder = scratch.path().join(count.to_string());
        publish::demo(bench, &folder, count)?;
        let applied = apply(bench, &home, &folder)?;
        let growth = before.map(|own| (applied.total / own).ln() / (count as f64 / ROWS[0] as f64).ln());
        before = before.or(Some(applied.total));
        let ratio = applied.total / (applied.read + applied.copy);
        grid.row(vec![
            format!("{count} rows"),
            format!("{:.2}", applied.read),
            format!("{:.2}", applied.copy),
            format!("{:.2}", applied.total),
            format!("{ratio:.2}"),
            format!("{TIMES}"),
            growth.map_or("-".to_owned(), |own| format!("n^{own:.2}")),
        ]);
        rows.push(json!({
            "rows": count, "read_seconds": applied.read, "copy_seconds": applied.copy, "seconds": applied.total, "ratio": ratio,
        }));
        std::fs::remove_dir_all(&folder)?;
    }
    Ok(Outcome { grid, rows, right: true })
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
