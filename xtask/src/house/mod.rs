//! `cargo xtask house`: how well the house is kept, in numbers that may only get better.
//!
//! Every row counts something that should be rare: places that ask which kind a release is, code that decides by a sentence, long
//! functions. A number above its ceiling in `xtask/house.json` fails; `--record` lowers the ceilings to what was reached and never
//! raises one.

mod count;
mod source;

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::workspace;

/// What is counted.
struct Row {
    /// Its key in `house.json`.
    id: &'static str,
    /// What it is.
    title: &'static str,
    /// What it should come to.
    target: usize,
    /// What it is now.
    now: usize,
    /// Where: shown with `--list`.
    places: Vec<String>,
}

/// What is asked for.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Asked {
    lists: bool,
    records: bool,
}

impl Asked {
    /// From `--list` and `--record`.
    pub fn parse(words: &[&str]) -> Result<Self, String> {
        let mut asked = Self::default();
        for word in words {
            match *word {
                "--list" => asked.lists = true,
                "--record" => asked.records = true,
                other => {
                    return Err(format!("`house` does not know `{other}`; it takes --list and --record"));
                }
            }
        }
        Ok(asked)
    }
}

/// Counts, and compares with the ceilings; true when nothing is above its ceiling.
pub fn run(asked: &Asked) -> Result<bool> {
    let rows = count::rows(&workspace::root())?;
    let path = ceilings_path();
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let mut ceilings: BTreeMap<String, usize> = serde_json::from_str(&text).context("xtask/house.json")?;
    println!("{:<68} {:>7} {:>8} {:>7}", "", "now", "ceiling", "target");
    let mut above = Vec::new();
    for row in &rows {
        // What has no ceiling yet must be at its target.
        let ceiling = ceilings.get(row.id).copied().unwrap_or(row.target);
        let mark = if row.now > ceiling { "  WORSE" } else { "" };
        println!("{:<68} {:>7} {ceiling:>8} {:>7}{mark}", row.title, row.now, row.target);
        if row.now > ceiling {
            above.push(row);
        }
        if asked.lists {
            row.places.iter().for_each(|place| println!("    {place}"));
        }
        if asked.records {
            ceilings.insert(row.id.to_owned(), ceiling.min(row.now.max(row.target)));
        }
    }
    if !asked.lists {
        for row in &above {
            println!(
                "\n{}: {} where {} was the most",
                row.title,
                row.now,
                ceilings.get(row.id).unwrap_or(&row.target)
            );
            row.places.iter().for_each(|place| println!("    {place}"));
        }
    }
    if asked.records {
        ceilings.retain(|id, _| rows.iter().any(|row| row.id == id));
        std::fs::write(&path, format!("{}\n", serde_json::to_string_pretty(&ceilings)?))?;
    }
    Ok(above.is_empty())
}

fn ceilings_path() -> PathBuf {
    workspace::root().join("xtask/house.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags() {
        assert_eq!(Asked::parse(&["--list"]), Ok(Asked { lists: true, records: false }));
        assert!(Asked::parse(&["--all"]).is_err());
    }

    #[test]
    fn every_ceiling_is_of_a_row() {
        let rows = count::rows(&workspace::root()).unwrap();
        let text = std::fs::read_to_string(ceilings_path()).unwrap();
        let ceilings: BTreeMap<String, usize> = serde_json::from_str(&text).unwrap();
        for id in ceilings.keys() {
            assert!(rows.iter().any(|row| row.id == id), "`{id}` is not counted");
        }
        // What is counted is there: a rule that finds no source would find no fault either.
        let lines = rows.iter().find(|row| row.id == "largest-crate").unwrap();
        assert!(lines.now > 1000);
    }
}
