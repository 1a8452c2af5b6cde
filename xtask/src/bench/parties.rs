//! Several owners: what the protocols cost over TLS on the loopback of this machine, and whether their results are those of one owner.

use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::grid::Grid;
use super::{Bench, Outcome};
use crate::workspace;

pub fn run(_: &Bench<'_>) -> Result<Outcome> {
    let mut grid = Grid::new(&["what", "seconds", "limit", "MB sent", "one owner", ""]);
    let example = workspace::example("privet-parties", "bench_parties")?;
    let shared = workspace::root().join("../shared/data");
    let ran = Command::new(example).env("PRIVET_SHARED", shared).output().context("the example")?;
    if !ran.status.success() {
        bail!("the example failed: {}", String::from_utf8_lossy(&ran.stderr));
    }
    let rows: Vec<Value> = serde_json::from_slice(&ran.stdout).context("the example prints no list")?;
    let mut right = true;
    for row in &rows {
        let what = row["what"].as_str().unwrap_or_default().to_owned();
        let Some(seconds) = row["seconds"].as_f64() else {
            grid.row(vec![what]);
            continue;
        };
        let is_right = row["right"] == true;
        let limit = row["limit"].as_f64().unwrap_or(f64::INFINITY);
        // A time limit that is missed fails the suite as a wrong result does.
        right &= is_right && seconds <= limit;
        let shown_limit = if limit.is_finite() { format!("{limit:.0}") } else { String::new() };
        let verdict = match (is_right, seconds <= limit) {
            (false, _) => "WRONG",
            (true, true) => "PASS",
            (true, false) => "SHORT",
        };
        grid.row(vec![
            what,
            format!("{seconds:.2}"),
            shown_limit,
            row["bytes"].as_f64().map_or(String::new(), |own| format!("{:.1}", own / 1e6)),
            row["alone"].as_f64().map_or(String::new(), |own| format!("{own:.2}")),
            verdict.to_owned(),
        ]);
    }
    Ok(Outcome { grid, rows, right })
}
