//! Measurements that need to be taken inside a process: `cargo xtask bench regroup` runs them.
//!
//! `regroup PLAN.json` does what the plan says and prints a JSON object. A plan is one of
//! `{"task": "accuracy", …}`, `{"task": "sort", …}` and `{"task": "mdav", …}`; see the structs of the same names.

mod accuracy;
mod floors;
mod table;

use std::error::Error;
use std::process::ExitCode;

use serde::Deserialize;
use serde_json::Value;

/// What is to be measured.
#[derive(Deserialize)]
#[serde(tag = "task", rename_all = "kebab-case")]
enum Plan {
    Accuracy(accuracy::Accuracy),
    Sort(floors::Sort),
    Mdav(floors::Mdav),
}

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn measured() -> Result<Value> {
    let path = std::env::args_os().nth(1).ok_or("usage: regroup PLAN.json")?;
    match serde_json::from_slice(&std::fs::read(path)?)? {
        Plan::Accuracy(plan) => plan.measure(),
        Plan::Sort(plan) => plan.measure(),
        Plan::Mdav(plan) => plan.measure(),
    }
}

fn main() -> ExitCode {
    match measured() {
        Ok(value) => {
            println!("{value}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("regroup: {error}");
            ExitCode::FAILURE
        }
    }
}
