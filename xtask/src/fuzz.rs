//! Builds the crate `fuzz`, which is no member of the workspace, and runs its entries one after another.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::workspace;

const ENTRIES: [&str; 17] = [
    "arrow",
    "baskets",
    "csv",
    "envelope",
    "geojson",
    "graphml",
    "hierarchy",
    "job",
    "kind-job",
    "knowledge",
    "ledger",
    "manifest",
    "model",
    "parquet",
    "party",
    "sheet",
    "sql",
];

/// Inputs of each entry when none is named.
const INPUTS: &str = "100_000";

/// Runs what is asked for; true when nothing was found.
pub fn run(asked: &[&str]) -> Result<bool> {
    let runs: Vec<Vec<&str>> = match asked {
        [] => ENTRIES.iter().map(|&entry| vec![entry, INPUTS]).collect(),
        [entry, ..] if ENTRIES.contains(entry) && asked.len() <= 3 => vec![asked.to_vec()],
        _ => bail!("name one of {}, then how many inputs and the number of the first", ENTRIES.join(", ")),
    };
    let mut is_well = true;
    for run in runs {
        let status = Command::new("cargo")
            .args(["run", "--release", "--quiet", "--manifest-path", "fuzz/Cargo.toml", "--"])
            .args(run)
            .current_dir(workspace::root())
            .status()
            .context("cargo")?;
        is_well &= status.success();
    }
    Ok(is_well)
}
