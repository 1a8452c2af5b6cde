//! Reading: a CSV of a million generated records to codes with fitted hierarchies.

use anyhow::Result;
use serde_json::json;

use super::grid::Grid;
use super::{Bench, Outcome, measure, publish};
use crate::workspace::Scratch;

const RECORDS: usize = 1_000_000;

pub fn run(bench: &Bench<'_>) -> Result<Outcome> {
    let scratch = Scratch::new()?;
    let job = publish::demo(bench, scratch.path(), RECORDS)?;
    let bytes = std::fs::metadata(scratch.path().join("admissions.csv"))?.len();
    let measured = measure::job(bench, &job)?;
    let megabytes = bytes as f64 / 1e6;
    let speed = megabytes / measured.read;
    let mut grid = Grid::new(&["file", "MB", "read s", "MB/s"]);
    grid.row(vec![
        format!("{RECORDS} admissions, CSV"),
        format!("{megabytes:.1}"),
        format!("{:.3}", measured.read),
        format!("{speed:.0}"),
    ]);
    let row = json!({ "file": "csv", "records": RECORDS, "bytes": bytes, "read_seconds": measured.read, "mb_per_second": speed });
    Ok(Outcome { grid, rows: vec![row], right: true })
}
