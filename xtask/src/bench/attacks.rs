//! Attacks: linking a million people to a million records, deFinetti's attack, the checks of (c,k)-safety and 3D privacy
//! beside one grouping of the records; attacks on weak noise; and, on `adult`, that a k-anonymous release with a skewed
//! sensitive column falls to homogeneity and an l-diverse one does not.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::grid::Grid;
use super::{Bench, Outcome};
use crate::workspace::{self, Scratch};

const LINKED: usize = 1_000_000;
const LEARNED: usize = 30_162;
const NOISY: usize = 100_000;
/// A million people to a million records, in seconds.
const LINKED_SECONDS: f64 = 5.0;
/// deFinetti's attack on a table of the size of `adult`, in seconds.
const LEARNED_SECONDS: f64 = 60.0;
/// The checks of the worst knowledge, as multiples of one grouping of the records: a search groups them for every candidate anyway.
const WORST_TIMES: f64 = 3.0;

pub fn run(bench: &Bench<'_>) -> Result<Outcome> {
    let example = workspace::example("privet-attack", "attacks")?;
    let mut grid = Grid::new(&["what", "seconds", "found", "x floor", ""]);
    let mut rows = Vec::new();
    for (task, size) in [("link", LINKED), ("definetti", LEARNED), ("worst", LINKED), ("randomness", NOISY)] {
        println!("… {task}");
        let measured = inside(&example, task, size)?;
        let floor = measured
            .iter()
            .find(|own| own["what"].as_str().is_some_and(|what| what.starts_with("floor")))
            .and_then(|own| own["seconds"].as_f64());
        grid.row(vec![format!("-- {task}, {size} records")]);
        for own in &measured {
            let seconds = own["seconds"].as_f64().context("no seconds")?;
            let times = floor
                .filter(|_| seconds > 0.0)
                .map_or(String::new(), |floor| format!("{:.1}", seconds / floor));
            let most = match task {
                "link" => Some(LINKED_SECONDS),
                "definetti" => Some(LEARNED_SECONDS),
                "worst" => floor.map(|floor| floor * WORST_TIMES),
                _ => None,
            };
            let verdict = match most.filter(|_| seconds > 0.0) {
                Some(most) if seconds < most => "PASS",
                Some(_) => "SHORT",
                None => "",
            };
            let shown = if seconds > 0.0 { format!("{seconds:.3}") } else { String::new() };
            grid.row(vec![word(own), shown, own["found"].to_string(), times, verdict.to_owned()]);
            rows.push(json!({ "task": task, "size": size, "measured": own }));
        }
    }
    let mut right = true;
    match workspace::shared() {
        Some(shared) => right &= adult(bench, &shared.join("data").join("adult"), &mut grid, &mut rows)?,
        None => grid.row(vec!["-- adult: the shared data is not here".to_owned()]),
    }
    Ok(Outcome { grid, rows, right })
}

fn word(own: &Value) -> String {
    own["what"].as_str().unwrap_or_default().to_owned()
}

fn inside(example: &Path, task: &str, size: usize) -> Result<Vec<Value>> {
    let ran = Command::new(example).args([task, &size.to_string()]).output()?;
    let text = String::from_utf8_lossy(&ran.stdout);
    serde_json::from_str(&text)
        .with_context(|| format!("attacks {task}: {}", String::from_utf8_lossy(&ran.stderr)))
}

/// `salary-class` is skewed: three of four earn the same. Under 5-anonymity by the other columns whole classes earn the
/// same; under distinct 2-diversity none does.
fn adult(bench: &Bench<'_>, data: &Path, grid: &mut Grid, rows: &mut Vec<Value>) -> Result<bool> {
    println!("… adult");
    grid.row(vec!["-- adult: homogeneity of salary-class, at certainty".to_owned()]);
    let scratch = Scratch::new()?;
    let mut exposed = Vec::new();
    for (name, privacy) in [
        ("k-anonymity = 5", "k-anonymity = 5"),
        (
            "and 2-diversity",
            "k-anonymity = 5\nl-diversity = { kind = \"distinct\", l = 2, column = \"salary-class\" }",
        ),
    ] {
        let job = scratch.path().join("job.toml");
        std::fs::write(&job, adult_job(data, privacy))?;
        let release = scratch.path().join("release");
        let run = |arguments: &[&str]| -> Result<Value> {
            let ran = Command::new(bench.program).args(arguments).current_dir(scratch.path()).output()?;
            serde_json::from_slice(&ran.stdout)
                .with_context(|| String::from_utf8_lossy(&ran.stderr).into_owned())
        };
        run(&["anonymize", "job.toml", "--force", "--json"])?;
        let folder = release.to_string_lossy().into_owned();
        let attacked = run(&[
            "attack",
            &folder,
            "--original",
            "job.toml",
            "--attacks",
            "homogeneity",
            "--confidence",
            "1",
            "--json",
        ])?;
        let found = &attacked["attacks"][0];
        let hits = found["exposed"]["hits"].as_u64().context("no rate")?;
        grid.row(vec![
            name.to_owned(),
            String::new(),
            hits.to_string(),
            String::new(),
            format!("of {}", found["exposed"]["of"]),
        ]);
        rows.push(json!({ "task": "adult", "privacy": privacy, "finding": found }));
        exposed.push(hits);
    }
    let holds = exposed[0] > 0 && exposed[1] == 0;
    grid.row(vec![if holds {
        "as the literature says".to_owned()
    } else {
        "NOT as the literature says".to_owned()
    }]);
    Ok(holds)
}

fn adult_job(data: &Path, privacy: &str) -> String {
    let mut job = format!("[input]\npath = \"{}\"\n", data.join("adult.csv").display());
    for column in
        ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
    {
        let file = data.join(format!("adult_hierarchy_{column}.csv"));
        job.push_str(&format!("[columns.{column}]\nrole = \"quasi\"\nhierarchy = \"{}\"\n", file.display()));
    }
    job.push_str("[columns.salary-class]\nrole = \"sensitive\"\n");
    job.push_str(&format!(
        "[privacy]\n{privacy}\n[search]\nsuppress-at-most = 0.02\n[output]\nfolder = \"release\"\n"
    ));
    job
}
