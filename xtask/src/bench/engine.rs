//! Jobs on DataFusion beside DataFusion itself: the whole job against one `GROUP BY` over the same columns plus reading and writing the
//! files once, within 2 GiB, while the records double; and a count with bounded contributions against the plain one. All of them read and
//! write the same 22 columns.
//!
//! The engine is measured without Ballista, whose release build takes long. `PRIVET_ENGINE_MILLIONS=1,2,4` measures other sizes than 12,
//! 25, 50 and 100 million records, which need about 15 GB of disk and an hour.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::grid::Grid;
use super::{Bench, Outcome};
use crate::workspace::{self, Scratch};

const NAME: &str = "PRIVET_ENGINE_MILLIONS";
/// The limit on memory, enforced by the system.
const LIMIT: u64 = 2 << 30;
/// What the engine may hold of it; the rest is for the program, its buffers and what is written.
const POOL: &str = "1GiB";
/// How many times the floor a job may take, and a count with bounded contributions the plain one.
const MOST_TIMES: f64 = 3.0;
const MOST_TIMES_BOUNDED: f64 = 2.0;

pub fn run(_bench: &Bench<'_>) -> Result<Outcome> {
    let sizes = std::env::var(NAME).unwrap_or_else(|_| "12,25,50,100".to_owned());
    let sizes = sizes.split(',').map(|own| own.trim().parse::<u64>());
    let sizes = sizes.collect::<Result<Vec<_>, _>>().with_context(|| format!("{NAME} takes 12,25"))?;
    let example = workspace::example_without("privet-engine", "bench_engine")?;
    let mut grid =
        Grid::new(&["million records", "GROUP BY s", "copy s", "job s", "ratio", "MiB", "bounded count", ""]);
    let (mut rows, mut right) = (Vec::new(), true);
    for millions in sizes {
        let scratch = Scratch::new()?;
        let run = |words: &[&str]| measured(&example, scratch.path(), words);
        run(&["generate", "table", &(millions * 1_000_000).to_string()])?;
        let group = run(&["group", "table", POOL])?;
        let copy = run(&["copy", "table", "copied/", POOL])?;
        std::fs::remove_dir_all(scratch.path().join("copied"))?;
        let job = run(&["job", "table", "release", POOL])?;
        let bounded = run(&["bounded", "table", POOL])?;
        let figure = |from: &Value, key: &str| from[key].as_f64().with_context(|| format!("no {key}"));
        let floor = figure(&group, "seconds")? + figure(&copy, "seconds")?;
        let times = figure(&job, "seconds")? / floor;
        let times_bounded = figure(&bounded, "bounded")? / figure(&bounded, "plain")?;
        let is_right = bounded["same"] == true && figure(&job, "peak")? <= LIMIT as f64;
        right &= is_right;
        grid.row(vec![
            millions.to_string(),
            format!("{:.1}", figure(&group, "seconds")?),
            format!("{:.1}", figure(&copy, "seconds")?),
            format!("{:.1}", figure(&job, "seconds")?),
            format!("{times:.2}"),
            format!("{:.0}", figure(&job, "peak")? / f64::from(1 << 20)),
            format!("{times_bounded:.2}"),
            match (is_right, times <= MOST_TIMES && times_bounded <= MOST_TIMES_BOUNDED) {
                (false, _) => "WRONG".to_owned(),
                (true, true) => "PASS".to_owned(),
                (true, false) => "short of target".to_owned(),
            },
        ]);
        rows.push(json!({
            "millions": millions, "group": group, "copy": copy, "job": job, "bounded": bounded,
            "times": times, "times-bounded": times_bounded,
        }));
    }
    Ok(Outcome { grid, rows, right })
}

/// Runs the example in a folder, within the limit; tells what it prints.
pub(super) fn measured(example: &Path, folder: &Path, words: &[&str]) -> Result<Value> {
    measured_within(Some(LIMIT), example, folder, words)
}

/// The same within a limit on memory, or without one.
pub(super) fn measured_within(
    limit: Option<u64>,
    example: &Path,
    folder: &Path,
    words: &[&str],
) -> Result<Value> {
    let limit = limit.map_or("unlimited".to_owned(), |own| (own / 1024).to_string());
    let limited = format!("ulimit -d {limit}; exec \"$0\" \"$@\"");
    let ran = Command::new("bash")
        .args(["-c", &limited])
        .arg(example)
        .args(words)
        .current_dir(folder)
        .stderr(Stdio::inherit())
        .output()
        .context("bash")?;
    if !ran.status.success() {
        bail!("bench_engine {}: {}", words.join(" "), ran.status);
    }
    serde_json::from_slice(&ran.stdout).context("bench_engine prints no JSON")
}
