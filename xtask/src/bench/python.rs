//! The Python package: a million records beside the command line, the same table beside anjana and pycanon by one formula of loss, and a
//! private count beside that of the package of OpenDP.
//!
//! What is measured stands in `crates/privet-py/bench`, because it is measured from inside Python. A loss above a peer's is wrong; being
//! short of a target is not, and is shown.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::grid::Grid;
use super::publish::demo;
use super::{Bench, Outcome};
use crate::wheel::Home;
use crate::workspace::{self, Scratch};

const RECORDS: usize = 1_000_000;
/// What the package is measured with.
const WITH: &[&str] = &["pandas", "polars", "pyarrow"];
const PEERS: &[&str] = &["anjana", "pycanon", "opendp"];

pub fn run(bench: &Bench<'_>) -> Result<Outcome> {
    let mut grid = Grid::new(&["what", "ours s", "peer", "peer s", "ratio", "target", "loss", "peer's", ""]);
    let asked = |reason: String| anyhow::anyhow!("the Python package cannot be measured: {reason}");
    let home = Home::new()?.map_err(asked)?;
    let wheel = home.wheel()?.map_err(asked)?;
    let python = home.environment("bench", WITH, Some(&wheel))?.map_err(asked)?;
    let peers = home.environment("peers", PEERS, None)?.map_err(asked)?;
    let scratch = Scratch::new()?;
    demo(bench, scratch.path(), RECORDS)?;
    let script = workspace::root().join("crates/privet-py/bench/ours.py");
    let mut command = Command::new(&python);
    command.arg(script).arg(bench.program).arg(scratch.path()).arg(&peers).arg(bench.runs.to_string());
    let ran = command.stderr(Stdio::inherit()).output()?;
    if !ran.status.success() {
        bail!("crates/privet-py/bench/ours.py: {}", ran.status);
    }
    let said = String::from_utf8_lossy(&ran.stdout);
    let rows: Vec<Value> = serde_json::from_str(said.lines().last().context("it says nothing")?)?;
    let mut right = true;
    for row in &rows {
        let number = |key: &str| row[key].as_f64();
        let figure = |key: &str, digits: usize| {
            number(key).map_or_else(|| "-".to_owned(), |own| format!("{own:.digits$}"))
        };
        let is_right = row["right"].as_bool().unwrap_or(true);
        let is_short = number("ratio").zip(number("target")).is_some_and(|(ratio, target)| ratio > target);
        right &= is_right;
        grid.row(vec![
            row["what"].as_str().unwrap_or_default().to_owned(),
            figure("ours", 4),
            row["peer"].as_str().unwrap_or_default().to_owned(),
            figure("theirs", 4),
            figure("ratio", 2),
            figure("target", 1),
            figure("loss", 4),
            figure("peer_loss", 4),
            match (is_right, is_short) {
                (false, _) => "WRONG".to_owned(),
                (true, true) => "short of target".to_owned(),
                (true, false) => "PASS".to_owned(),
            },
        ]);
    }
    Ok(Outcome { grid, rows, right })
}
