//! Measurements of attacks that are taken inside a process: `cargo xtask bench attacks` runs them.
//!
//! `attacks link ROWS`, `attacks definetti RECORDS`, `attacks worst ROWS` and `attacks randomness RECORDS` print a JSON list
//! of what was measured.

mod learned;
mod linked;
mod randomness;
mod worst;

use std::process::ExitCode;

use serde::Serialize;

/// What was measured, how long it took, and a number of what was found.
#[derive(Debug, Clone, Serialize)]
pub struct Measured {
    /// What was measured.
    pub what: &'static str,
    /// How long it took.
    pub seconds: f64,
    /// What was found: candidates, guesses that are right, groups.
    pub found: u64,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let rows = words.get(1).and_then(|rows| rows.parse().ok());
    let measured = match (words.first().map(String::as_str), rows) {
        (Some("link"), Some(rows)) => linked::measure(rows),
        (Some("definetti"), Some(rows)) => learned::measure(rows),
        (Some("worst"), Some(rows)) => worst::measure(rows),
        (Some("randomness"), Some(rows)) => randomness::measure(rows),
        _ => {
            eprintln!("usage: attacks link|definetti|worst|randomness ROWS");
            return ExitCode::from(2);
        }
    };
    match serde_json::to_string(&measured) {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
