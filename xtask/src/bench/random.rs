//! Randomness: reconstructing the distribution of a million perturbed values, synthetic tables, a private histogram of a million cells
//! beside the Python package of `opendp`, and charges to the ledger with everything synced.
//!
//! The peer is measured in the same run when the interpreter that `PRIVET_PYTHON` names (or `python3`) has it.

use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::grid::Grid;
use super::{Bench, Outcome};
use crate::workspace::{self, Scratch};

const VALUES: usize = 1_000_000;
/// Records of the synthetic table.
const RECORDS: usize = 100_000;
const CELLS: usize = 1_000_000;
/// The scale of discrete Laplace noise at epsilon 0.1, where a person changes one count by one.
const SCALE: u32 = 10;
const CHARGES: usize = 400;
/// How many times faster than the peer the histogram should be.
const TIMES: f64 = 5.0;
/// Discrete Laplace noise of scale 10 is 9.99 on average.
const USUAL_NOISE: std::ops::Range<f64> = 9.9..10.1;

pub fn run(_: &Bench<'_>) -> Result<Outcome> {
    let mut grid = Grid::new(&["what", "seconds", "per second", ""]);
    let mut right = true;
    let reconstruct = workspace::example("privet-perturb", "reconstruct")?;
    let private = workspace::example("privet-dp", "private")?;

    println!("… reconstruction");
    grid.row(vec![format!("-- reconstruction of {VALUES} perturbed values, 50 intervals")]);
    let reconstructed = output(Command::new(reconstruct).args([VALUES.to_string(), RECORDS.to_string()]))?;
    for own in reconstructed["reconstruction"].as_array().context("no list")? {
        let seconds = number(own, "seconds")?;
        let words = format!("{} rounds, total variation {:.4}", own["rounds"], number(own, "variation")?);
        grid.row(vec![text(own, "what"), format!("{seconds:.3}"), per_second(VALUES, seconds), words]);
    }

    grid.row(vec![format!("-- one synthetic copy of {RECORDS} records of 10 columns")]);
    for own in reconstructed["synthesis"].as_array().context("no list")? {
        let seconds = number(own, "seconds")?;
        grid.row(vec![text(own, "what"), format!("{seconds:.3}"), per_second(RECORDS, seconds)]);
    }

    println!("… histogram and ledger");
    let scratch = Scratch::new()?;
    let own = output(
        Command::new(private).args([CELLS.to_string(), CHARGES.to_string()]).current_dir(scratch.path()),
    )?;
    grid.row(vec![format!(
        "-- a private histogram of {CELLS} cells, discrete Laplace noise of scale {SCALE}"
    )]);
    right &= USUAL_NOISE.contains(&number(&own, "mean_absolute_noise")?);
    let drawn = number(&own, "noise_seconds")?;
    grid.row(vec!["noise of all cells".to_owned(), format!("{drawn:.3}"), per_second(CELLS, drawn)]);
    let released = number(&own, "release_seconds")?;
    grid.row(vec!["counted and noisy".to_owned(), format!("{released:.3}"), per_second(CELLS, released)]);
    let peer = peer(scratch.path())?;
    match &peer {
        Some(peer) => {
            right &= USUAL_NOISE.contains(&number(peer, "mean_absolute_noise")?);
            let seconds = number(peer, "seconds")?;
            let verdict = if seconds / drawn >= TIMES { "PASS" } else { "SHORT" };
            grid.row(vec![
                "opendp (Python)".to_owned(),
                format!("{seconds:.3}"),
                per_second(CELLS, seconds),
                format!("x {:.0} {verdict}", seconds / drawn),
            ]);
        }
        None => grid.row(vec![
            "opendp (Python)".to_owned(),
            String::new(),
            String::new(),
            "not here: `python3 -m pip install opendp`, or name an interpreter in PRIVET_PYTHON".to_owned(),
        ]),
    }

    grid.row(vec!["-- charges to the ledger, each synced before the next".to_owned()]);
    for rate in own["ledger"].as_array().context("no list")? {
        let (seconds, charges) = (number(rate, "seconds")?, number(rate, "charges")? as usize);
        let what = format!("{} at a time", rate["askers"]);
        grid.row(vec![what, format!("{seconds:.3}"), per_second(charges, seconds)]);
    }
    let rows = vec![json!({ "perturbed": reconstructed, "private": own, "peer": peer })];
    Ok(Outcome { grid, rows, right })
}

/// What the peer needs, when it is here.
fn peer(folder: &std::path::Path) -> Result<Option<Value>> {
    let python = std::env::var("PRIVET_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let has = Command::new(&python).args(["-c", "import opendp"]).output();
    if !has.is_ok_and(|ran| ran.status.success()) {
        return Ok(None);
    }
    println!("… the peer");
    let script = folder.join("peer.py");
    std::fs::write(&script, include_str!("random/peer.py"))?;
    output(Command::new(python).arg(script).args([CELLS.to_string(), SCALE.to_string()])).map(Some)
}

fn output(command: &mut Command) -> Result<Value> {
    let ran = command.output()?;
    if !ran.status.success() {
        bail!("{}", String::from_utf8_lossy(&ran.stderr).trim());
    }
    serde_json::from_slice(&ran.stdout).context("no JSON was printed")
}

fn number(value: &Value, key: &str) -> Result<f64> {
    value[key].as_f64().with_context(|| format!("no {key}"))
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

fn per_second(count: usize, seconds: f64) -> String {
    format!("{:.0}", count as f64 / seconds)
}
