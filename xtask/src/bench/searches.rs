//! Every search on the same tables: candidates looked at, seconds, loss, and whether it kept what it guarantees.
//!
//! With the shared data on `adult` and `census9`, without it on generated admissions; then the dimension wall. Every
//! release is verified. What `optimal` finds is the yardstick: no search by levels may be below it, those that list
//! all minimal nodes must list the same, and Samarati's must be those of the least height.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::grid::Grid;
use super::measure::{self, Measured};
use super::peers::Peer;
use super::plot::{self, Panel, Point};
use super::{Bench, Outcome, publish, wall};
use crate::workspace::{self, Scratch};

/// What a search guarantees, as far as it can be checked from outside.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Guarantee {
    /// The least value of the metric over all levels.
    Optimum,
    /// All minimal nodes.
    AllMinimal,
    /// All nodes of the least height.
    LeastHeight,
    /// A safe choice of levels.
    Levels,
    /// A safe choice of levels within a budget, and a bound.
    Budget,
    /// A safe recoding that need not be a choice of levels.
    Other,
}

/// An algorithm with the settings that go with it.
struct Entry {
    name: &'static str,
    algorithm: &'static str,
    settings: &'static [&'static str],
    guarantee: Guarantee,
}

const fn entry(
    name: &'static str,
    algorithm: &'static str,
    settings: &'static [&'static str],
    guarantee: Guarantee,
) -> Entry {
    Entry { name, algorithm, settings, guarantee }
}

const ENTRIES: &[Entry] = &[
    entry("optimal", "optimal", &[], Guarantee::Optimum),
    entry("samarati", "samarati", &[], Guarantee::LeastHeight),
    entry(
        "incognito",
        "incognito",
        &["search.incognito.super-roots=false", "search.incognito.cube=false"],
        Guarantee::AllMinimal,
    ),
    entry(
        "incognito, super-roots",
        "incognito",
        &["search.incognito.super-roots=true", "search.incognito.cube=false"],
        Guarantee::AllMinimal,
    ),
    entry(
        "incognito, cube",
        "incognito",
        &["search.incognito.super-roots=false", "search.incognito.cube=true"],
        Guarantee::AllMinimal,
    ),
    entry("hash-table", "hash-table", &[], Guarantee::AllMinimal),
    entry("datafly", "datafly", &[], Guarantee::Levels),
    entry("top-down", "top-down", &[], Guarantee::Budget),
    entry("bottom-up", "bottom-up", &[], Guarantee::Budget),
    entry("genetic", "genetic", &[], Guarantee::Levels),
    entry("simulated-annealing", "simulated-annealing", &[], Guarantee::Levels),
    entry("top-down-specialization", "top-down-specialization", &[], Guarantee::Other),
    entry("bottom-up-generalization", "bottom-up-generalization", &[], Guarantee::Other),
    entry(
        "k-optimize, 5 s",
        "k-optimize",
        &["search.minimize=\"discernibility\"", "search.k-optimize.time-limit=5"],
        Guarantee::Other,
    ),
    entry("attribute-suppression", "attribute-suppression", &[], Guarantee::Other),
];

/// The share of the time of `optimal` that a best effort gets on the wall; the rest of its tenth is for reducing the
/// table, which its limit does not count.
const BUDGET: f64 = 0.09;

/// Searches for lattices that are too large to list.
const ON_THE_WALL: [&str; 5] = ["optimal", "top-down", "bottom-up", "genetic", "simulated-annealing"];

pub fn run(bench: &Bench<'_>) -> Result<Outcome> {
    let scratch = Scratch::new()?;
    let mut jobs = jobs(bench, scratch.path())?;
    let wall = wall::write(scratch.path(), &scratch.path().join("release"))?;
    jobs.push(("14 columns, k=5 2 %".to_owned(), wall, true));
    let ten = wall::write_ten(scratch.path(), &scratch.path().join("release"))?;
    jobs.push(("10 columns, 116,640 nodes, k=5 2 %".to_owned(), ten, true));
    let mut grid = Grid::new(&[
        "search",
        "candidates",
        "looked at",
        "search s",
        "x optimal",
        "loss",
        "above",
        "bound",
        "MiB",
        "",
    ]);
    let (mut rows, mut right, mut panels) = (Vec::new(), true, Vec::new());
    for (title, job, is_wall) in &jobs {
        grid.row(vec![format!("-- {title}")]);
        let yardstick = if *is_wall { None } else { Some(minimal_nodes(bench, job)?) };
        let mut best: Option<Measured> = None;
        let mut points = Vec::new();
        for entry in ENTRIES.iter().filter(|entry| !is_wall || ON_THE_WALL.contains(&entry.name)) {
            let mut settings = vec![format!("search.algorithm=\"{}\"", entry.algorithm)];
            settings.extend(entry.settings.iter().map(|&setting| setting.to_owned()));
            let mut name = entry.name.to_owned();
            if let (true, Guarantee::Budget, Some(optimal)) = (is_wall, entry.guarantee, &best) {
                // What is asked of a best effort: close to the best in a tenth of the time.
                settings.push(format!(
                    "search.{}.time-limit={:.3}",
                    entry.algorithm,
                    optimal.search * BUDGET
                ));
                name.push_str(", a tenth of the time");
            }
            let (measured, manifest) = match measured(bench, job, &settings) {
                Ok(both) => both,
                Err(problem) => {
                    right = false;
                    grid.row(vec![name, "-".into(), format!("FAILED: {problem:#}")]);
                    continue;
                }
            };
            let optimal = best.get_or_insert_with(|| measured.clone());
            let mut verdict = verdict(entry, &measured, optimal, &manifest, yardstick.as_ref());
            if *is_wall && entry.guarantee == Guarantee::Budget {
                let close = measured.loss <= optimal.loss * 1.01 && measured.search <= optimal.search / 10.0;
                verdict.push_str(if close { ", within 1 % in a tenth" } else { ", short of target" });
            }
            right &= !verdict.starts_with("WRONG");
            let (ratio, above) = (measured.search / optimal.search, measured.loss / optimal.loss - 1.0);
            let number = |value: &Value| value.as_f64().map_or_else(|| "-".to_owned(), |v| format!("{v:.4}"));
            let count = |value: &Value| value.as_u64().map_or_else(|| "-".to_owned(), |v| v.to_string());
            grid.row(vec![
                name.clone(),
                count(&measured.summary["lattice_nodes"]),
                count(&measured.summary["nodes_checked"]),
                format!("{:.3}", measured.search),
                format!("{ratio:.2}"),
                format!("{:.4}", measured.loss),
                format!("{:+.1} %", above * 100.0),
                number(&measured.summary["bound"]),
                format!("{:.0}", measured.peak_rss_bytes as f64 / f64::from(1 << 20)),
                verdict.clone(),
            ]);
            points.push(Point {
                name: name.clone(),
                seconds: measured.search,
                loss: measured.loss,
                exact: entry.guarantee == Guarantee::Optimum,
            });
            rows.push(json!({
                "job": title, "search": name, "seconds": measured.search, "loss": measured.loss,
                "times_optimal": ratio, "above_optimal": above, "verdict": verdict, "summary": measured.summary,
            }));
        }
        panels.push(Panel { title: title.clone(), points });
    }
    let file = workspace::target()?.join("bench/searches.svg");
    std::fs::write(&file, plot::draw(&panels)).with_context(|| file.display().to_string())?;
    println!("drawn in {}", file.display());
    Ok(Outcome { grid, rows, right })
}

/// The jobs: a name, a file, and whether it is the wall.
fn jobs(bench: &Bench<'_>, folder: &Path) -> Result<Vec<(String, PathBuf, bool)>> {
    let Some(shared) = workspace::shared().filter(|shared| shared.join("oracles/peer-optima.tsv").is_file())
    else {
        println!("there is no ../shared with data: generated admissions instead");
        let demo = folder.join("demo");
        return Ok(vec![(
            "demo, k=5, 20,000 records".to_owned(),
            publish::demo(bench, &demo, 20_000)?,
            false,
        )]);
    };
    let table = std::fs::read_to_string(shared.join("oracles/peer-optima.tsv"))?;
    let mut jobs = Vec::new();
    for (number, peer) in Peer::table(&table)?.iter().filter(|peer| peer.criteria == "k=5").enumerate() {
        let file = folder.join(format!("job-{number}.toml"));
        std::fs::write(&file, peer.job(&shared.join("data"), &folder.join("release"))?)?;
        jobs.push((peer.name(), file, false));
    }
    Ok(jobs)
}

/// Measures one search and verifies what it published.
fn measured(bench: &Bench<'_>, job: &Path, settings: &[String]) -> Result<(Measured, Value)> {
    let measured = measure::job_with(bench, job, settings)?;
    let manifest = measure::verified(bench, &measured.summary)?;
    Ok((measured, manifest))
}

/// All minimal nodes as `optimal` finds them.
fn minimal_nodes(bench: &Bench<'_>, job: &Path) -> Result<BTreeSet<Vec<u64>>> {
    let settings = ["search.algorithm=\"optimal\"".to_owned(), "search.minimal-nodes=true".to_owned()];
    let once = Bench { program: bench.program, runs: 1 };
    let (_, manifest) = measured(&once, job, &settings)?;
    nodes(&manifest).context("no minimal nodes in the manifest")
}

fn nodes(manifest: &Value) -> Option<BTreeSet<Vec<u64>>> {
    let nodes = manifest["search"]["minimal_nodes"].as_array()?;
    nodes.iter().map(|node| node.as_array()?.iter().map(Value::as_u64).collect()).collect()
}

/// Whether a search kept what it guarantees.
fn verdict(
    entry: &Entry,
    measured: &Measured,
    optimal: &Measured,
    manifest: &Value,
    yardstick: Option<&BTreeSet<Vec<u64>>>,
) -> String {
    let other_metric = measured.summary["metric"].as_str().filter(|&metric| metric != "loss");
    if let Some(metric) = other_metric
        && let (Some(value), Some(bound)) =
            (measured.summary[metric].as_f64(), measured.summary["bound"].as_f64())
        && bound <= value
    {
        return format!("verified, {metric} {value}, gap {:.0} %", (1.0 - bound / value) * 100.0);
    }
    let is_below = measured.loss < optimal.loss - 1e-9;
    if is_below && entry.guarantee != Guarantee::Other {
        return "WRONG: below the optimum".to_owned();
    }
    if let (Some(bound), Some(value)) = (
        measured.summary["bound"].as_f64(),
        measured.summary["metric"].as_str().and_then(|metric| measured.summary[metric].as_f64()),
    ) && bound > value + 1e-9 * value.abs().max(1.0)
    {
        return "WRONG: its bound is above what it found".to_owned();
    }
    let Some(yardstick) = yardstick else { return "verified".to_owned() };
    let height = |node: &Vec<u64>| node.iter().sum::<u64>();
    let least = yardstick.iter().map(height).min().unwrap_or(0);
    let (what, expected) = match entry.guarantee {
        Guarantee::AllMinimal => ("all minimal nodes", yardstick.clone()),
        Guarantee::LeastHeight => {
            ("all of least height", yardstick.iter().filter(|node| height(node) == least).cloned().collect())
        }
        _ => return "verified".to_owned(),
    };
    if nodes(manifest).as_ref() == Some(&expected) {
        format!("verified, {what} ({})", expected.len())
    } else {
        format!("WRONG: not {what}")
    }
}
