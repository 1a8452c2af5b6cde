//! Ratings up to the size of the Netflix data: read, decided for (k, epsilon), attacked for 1,000 targets, and growth by doubling. An
//! example of the crate, one process per size, so that its memory is that size's alone.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::grid::Grid;
use super::{Bench, Outcome};
use crate::workspace;

/// The parts of Netflix that are measured, by their denominators.
const PARTS: [&str; 4] = ["8", "4", "2", "1"];
/// Megabytes that the whole may take at most, and minutes.
const MOST_MEGABYTES: f64 = 8.0 * 1_073.741_824;
const MOST_MINUTES: f64 = 10.0;
/// The exponent up to which time may grow with the ratings.
const MOST_GROWTH: f64 = 1.3;

pub fn run(_: &Bench<'_>) -> Result<Outcome> {
    let example = workspace::example("privet-ratings", "bench_ratings")?;
    let mut grid = Grid::new(&[
        "users",
        "ratings",
        "file MB",
        "copy s",
        "read s",
        "(10,1), 10 items s",
        "(2,1), all items s",
        "1,000 targets s",
        "found %",
        "peak MB",
        "growth",
        "",
    ]);
    let mut rows: Vec<Value> = Vec::new();
    for part in PARTS {
        let ran = Command::new(&example).arg(part).stderr(std::process::Stdio::inherit()).output()?;
        ensure!(ran.status.success(), "bench_ratings {part}: {}", ran.status);
        let row: Value = serde_json::from_slice(&ran.stdout).context("bench_ratings prints no figures")?;
        let number = |row: &Value, key: &str| row[key].as_f64().unwrap_or(f64::NAN);
        let seconds = |row: &Value| -> f64 {
            ["read", "decide", "decide-literally", "attack"].iter().map(|key| number(row, key)).sum()
        };
        let growth = rows.last().map(|before| {
            let size = number(&row, "ratings") / number(before, "ratings");
            (seconds(&row) / seconds(before)).ln() / size.ln()
        });
        let fits = number(&row, "peak") <= MOST_MEGABYTES && seconds(&row) <= 60.0 * MOST_MINUTES;
        let grows = growth.is_none_or(|own| own <= MOST_GROWTH);
        let figure = |key: &str, digits: usize| format!("{:.digits$}", number(&row, key));
        grid.row(vec![
            figure("users", 0),
            figure("ratings", 0),
            figure("megabytes", 0),
            figure("copy", 1),
            figure("read", 1),
            figure("decide", 1),
            figure("decide-literally", 1),
            figure("attack", 1),
            format!("{:.1}", 100.0 * number(&row, "found")),
            figure("peak", 0),
            growth.map_or("-".to_owned(), |own| format!("n^{own:.2}")),
            if fits && grows { "PASS" } else { "SHORT" }.to_owned(),
        ]);
        rows.push(row);
    }
    // Naive pseudonyms show nearly everybody, at every size: otherwise the attack or the data are not what they should be.
    let right = rows.iter().all(|row| row["found"].as_f64().is_some_and(|own| own > 0.5));
    Ok(Outcome { grid, rows, right })
}
