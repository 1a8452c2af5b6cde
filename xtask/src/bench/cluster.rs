//! The same job embedded and on executors of a cluster on this machine; and what a simulation tells of more machines.
//!
//! `cargo xtask bench cluster` builds Ballista in release, which takes half an hour; `PRIVET_CLUSTER_MILLIONS=2` measures another size
//! than 4 million records. `cargo xtask bench simulation` computes the table of the guide from the rates that stand there.

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::engine::measured_within;
use super::grid::Grid;
use super::{Bench, Outcome};
use crate::simulate;
use crate::workspace::{self, Scratch};

const NAME: &str = "PRIVET_CLUSTER_MILLIONS";
const POOL: &str = "1GiB";

/// The job on no executor, two and four.
pub fn run(_bench: &Bench<'_>) -> Result<Outcome> {
    let millions: u64 = match std::env::var(NAME) {
        Ok(own) => own.trim().parse().with_context(|| format!("{NAME} takes a number"))?,
        Err(_) => 4,
    };
    let example = workspace::example("privet-engine", "bench_engine")?;
    let scratch = Scratch::new()?;
    let run = |words: &[&str]| measured_within(None, &example, scratch.path(), words);
    run(&["generate", "table", &(millions * 1_000_000).to_string()])?;
    let figure = |from: &Value, key: &str| from[key].as_f64().with_context(|| format!("no {key}"));
    let embedded = run(&["job", "table", "embedded", POOL])?;
    let base = figure(&embedded, "seconds")?;
    let mut grid = Grid::new(&["executors", "read s", "search s", "write s", "job s", "of embedded", ""]);
    let (mut rows, mut right) = (Vec::new(), true);
    let manifest = |folder: &str| std::fs::read(scratch.path().join(folder).join("manifest.json"));
    let mut add = |name: &str, own: &Value, seconds: f64, is_same: bool| -> Result<()> {
        right &= is_same;
        grid.row(vec![
            name.to_owned(),
            format!("{:.1}", figure(own, "read")?),
            format!("{:.1}", figure(own, "search")?),
            format!("{:.1}", figure(own, "write")?),
            format!("{seconds:.1}"),
            format!("{:.2}", seconds / base),
            if is_same { "same bytes" } else { "WRONG" }.to_owned(),
        ]);
        rows.push(json!({"executors": name, "millions": millions, "run": own, "times": seconds / base}));
        Ok(())
    };
    add("embedded", &embedded, base, true)?;
    let expected = manifest("embedded")?;
    for executors in ["1", "2", "4"] {
        let out = format!("cluster-{executors}");
        let own = run(&["cluster", "table", &out, POOL, executors])?;
        // The manifest has the hashes of all files.
        let is_same = manifest(&out)? == expected;
        add(executors, &own, figure(&own, "job")?, is_same)?;
    }
    Ok(Outcome { grid, rows, right })
}

/// The table of the guide: machines of one core, with rates that are assumed.
pub fn simulation(_bench: &Bench<'_>) -> Result<Outcome> {
    let head =
        ["machines", "shuffled MB", "group s", "shuffle s", "search s", "write s", "total s", "times faster"];
    let mut grid = Grid::new(&head);
    let mut rows = Vec::new();
    for (machines, figures, own) in simulate::rows() {
        grid.row(std::iter::once(machines.to_string()).chain(figures).collect());
        rows.push(json!({
            "machines": machines, "shuffled": own.shuffled, "group": own.group, "shuffle": own.shuffle,
            "search": own.search, "write": own.write, "seconds": own.seconds(),
        }));
    }
    Ok(Outcome { grid, rows, right: true })
}
