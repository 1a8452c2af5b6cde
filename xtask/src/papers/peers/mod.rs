//! `cargo xtask peers`: the same jobs on privet and on other programs, into `docs/evidence/peers.md`: what each has, what is lost, how long it
//! takes and how much memory.
//!
//! Packages of Python come from their registry into environments of their own under the target folder. What is not installed and cannot be
//! installed is named and left out.

mod answers;
mod tables;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::cells;
use crate::papers::page::table as markdown_table;
use crate::papers::program;
use crate::wheel::Home;
use crate::workspace::{self, Scratch};

/// What each program is for: privet, ARX, sdcMicro, anjana, pycanon, OpenDP, diffprivlib.
const PURPOSES: [[&str; 8]; 8] = [
    ["makes anonymous tables", "yes", "yes", "yes", "yes", "–", "–", "–"],
    ["tells the k, l or t of a table", "yes", "yes", "yes", "yes", "yes", "–", "–"],
    ["the best choice of levels, proven", "yes", "yes", "–", "–", "–", "–", "–"],
    ["microaggregation", "yes", "yes", "yes", "–", "–", "–", "–"],
    ["values changed by chance (PRAM, noise, swapping)", "yes", "–", "yes", "–", "–", "–", "–"],
    ["differential privacy", "yes", "yes", "–", "–", "–", "yes", "yes"],
    ["a budget kept in a file or database between runs", "yes", "–", "–", "–", "–", "–", "–"],
    ["graphs, ratings, baskets, traces", "yes", "–", "–", "–", "–", "–", "–"],
];

/// Where everything is.
struct Place {
    program: PathBuf,
    data: PathBuf,
    scratch: Scratch,
    /// Pythons with packages, or why there are none.
    anjana: Result<PathBuf, String>,
    diffprivlib: Result<PathBuf, String>,
}

/// Runs all jobs and writes the page; false when a release does not verify.
pub fn run() -> Result<bool> {
    let Some(shared) = workspace::shared() else {
        println!("skipped: it needs the public data sets in ../shared");
        return Ok(true);
    };
    let python = |name: &str, packages: &[&str]| -> Result<Result<PathBuf, String>> {
        match Home::new()? {
            Ok(home) => home.kept_environment(name, packages),
            Err(reason) => Ok(Err(reason)),
        }
    };
    let place = Place {
        program: program::find()?,
        data: shared.join("data/adult"),
        scratch: Scratch::new()?,
        anjana: python("peers-tables", &["anjana", "pycanon", "opendp"])?,
        // Its trees need an older scikit-learn than the newest.
        diffprivlib: python("peers-answers", &["diffprivlib", "scikit-learn<1.6"])?,
    };
    std::fs::write(place.scratch.path().join("jobs.py"), include_str!("jobs.py"))?;
    std::fs::write(place.scratch.path().join("microaggregation.R"), include_str!("microaggregation.R"))?;
    let mut page = "# privet beside the peers\n".to_owned();
    page.push_str(&format!(
        "\nThe same jobs on the same data, by `cargo xtask peers`, {}. {} Times are of one run each, on a machine that others used too: only \
         ratios within a table tell something.\n",
        date()?,
        machine()
    ));
    let mut skipped = Vec::new();
    page.push_str(&place.features(&mut skipped)?);
    let arx = std::fs::read_to_string(shared.join("oracles/peer-optima.tsv")).unwrap_or_default();
    let (tables, is_right) = place.tables(&arx, &mut skipped)?;
    page.push_str(&tables);
    page.push_str(&place.checks(&mut skipped)?);
    page.push_str(&place.answers(&mut skipped)?);
    page.push_str(&place.microaggregation(&shared.join("data/casc-census/census.csv"), &mut skipped)?);
    page.push_str("\n## Left out\n\n");
    skipped.push(
        "ARX: its project publishes a jar to download and no package on a registry, so it is not run; the figures above were recorded before."
            .to_owned(),
    );
    skipped.iter().for_each(|line| page.push_str(&format!("- {line}\n")));
    println!("{page}");
    let file = workspace::root().join("docs/evidence/peers.md");
    std::fs::write(&file, page).with_context(|| file.display().to_string())?;
    println!("written to {}", file.display());
    Ok(is_right)
}

/// What a command prints, without its line end.
fn printed(command: &mut Command) -> Result<String> {
    let ran = command.output()?;
    if !ran.status.success() {
        let problem = String::from_utf8_lossy(&ran.stderr);
        bail!("{}", problem.lines().last().unwrap_or("it does not say why"));
    }
    Ok(String::from_utf8_lossy(&ran.stdout).trim().to_owned())
}

fn date() -> Result<String> {
    printed(Command::new("date").args(["-u", "+%Y-%m-%d"]))
}

/// The machine: its cores and memory.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let read = |file: &str, key: &str| {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with(key)).map(str::to_owned);
        line.and_then(|line| line.split_once(':').map(|(_, value)| value.trim().to_owned()))
    };
    let model =
        read("/proc/cpuinfo", "model name").unwrap_or_else(|| "a processor without a name".to_owned());
    let memory =
        read("/proc/meminfo", "MemTotal").and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    let memory = memory.map_or_else(String::new, |kib| format!(", {} GiB", kib >> 20));
    format!("Machine: {cores} cores of {model}{memory}.")
}

impl Place {
    /// Runs a job of the script with one of the Pythons.
    fn python(&self, python: &Path, words: &[&str]) -> Result<Value> {
        let told = printed(Command::new(python).arg("jobs.py").args(words).current_dir(self.scratch.path()))?;
        serde_json::from_str(told.lines().last().unwrap_or_default()).context("the script printed no JSON")
    }

    /// Runs privet; the object that it prints.
    fn privet(&self, words: &[&str]) -> Result<Value> {
        let told = printed(Command::new(&self.program).args(words).current_dir(self.scratch.path()))?;
        serde_json::from_str(&told).context("privet printed no JSON")
    }

    /// What each program has, by its own names.
    fn features(&self, skipped: &mut Vec<String>) -> Result<String> {
        let mut rows = Vec::new();
        let version = printed(Command::new(&self.program).arg("--version"))?;
        let kinds = self.privet(&["kinds", "--json"])?;
        let kinds: Vec<&str> = kinds
            .as_array()
            .map(|all| all.iter().filter_map(|own| own["id"].as_str()).collect())
            .unwrap_or_default();
        rows.push(cells![
            version,
            "kinds of release",
            kinds.join(", "),
            "[promises](../guide/criteria.md), [searches](../guide/algorithms.md), [attacks](../guide/measure-and-attack.md), [private \
             answers](../guide/private-answers.md)"
        ]);
        let asked = [
            (&self.anjana, ["anjana", "pycanon", "opendp"].as_slice()),
            (&self.diffprivlib, ["diffprivlib"].as_slice()),
        ];
        let what = |package: &str| match package {
            "anjana" => "promises that it makes",
            "pycanon" => "promises that it checks",
            "opendp" => "measurements",
            _ => "mechanisms, models, tools",
        };
        for (python, packages) in asked {
            let python = match python {
                Ok(python) => python,
                Err(reason) => {
                    skipped.push(format!("{}: {reason}", packages.join(", ")));
                    continue;
                }
            };
            let mut words = vec!["features"];
            words.extend(packages);
            let found = self.python(python, &words)?;
            for &package in packages {
                let own = &found["packages"][package];
                let names: Vec<&str> = own["names"]
                    .as_array()
                    .map(|all| all.iter().filter_map(Value::as_str).collect())
                    .unwrap_or_default();
                rows.push(cells![
                    format!("{package} {}", own["version"].as_str().unwrap_or("?")),
                    what(package),
                    names.join(", "),
                    match package {
                        "anjana" => "levels by adding one at a time; Python",
                        "pycanon" => "nothing is changed; Python",
                        "opendp" => "differential privacy only; Rust with Python and R",
                        _ => "differential privacy only; Python",
                    }
                ]);
            }
        }
        let table = markdown_table(&["program", "what", "by its own names", "besides"], &rows);
        let head = ["", "privet", "ARX", "sdcMicro", "anjana", "pycanon", "OpenDP", "diffprivlib"];
        let matrix: Vec<Vec<String>> =
            PURPOSES.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect();
        let matrix = markdown_table(&head, &matrix);
        Ok(format!(
            "\n## What each has\n\nBy their documentation:\n\n{matrix}\nWhat the installed packages say themselves:\n\n{table}"
        ))
    }

    /// MDAV, where R has sdcMicro.
    fn microaggregation(&self, table: &Path, skipped: &mut Vec<String>) -> Result<String> {
        let script = ["microaggregation.R", &table.to_string_lossy(), "5", "mdav.csv"].map(str::to_owned);
        let told = printed(Command::new("Rscript").args(&script).current_dir(self.scratch.path()));
        let told: Value =
            match told.and_then(|told| Ok(serde_json::from_str(told.lines().last().unwrap_or_default())?)) {
                Ok(told) => told,
                Err(problem) => {
                    skipped.push(format!("sdcMicro: R or its package is not installed ({problem})"));
                    return Ok(String::new());
                }
            };
        let names = std::fs::read_to_string(table)?;
        let names: Vec<&str> = names.lines().next().unwrap_or_default().split(',').collect();
        let mut job = format!("[input]\npath = {table:?}\n");
        names.iter().for_each(|name| job.push_str(&format!("[columns.{name}]\nrole = \"quasi\"\n")));
        job.push_str(
            "[privacy]\nk-anonymity = 5\n[search]\nalgorithm = \"microaggregation\"\npublish = \"means\"\n",
        );
        std::fs::write(self.scratch.path().join("mdav.toml"), job)?;
        let made = self.privet(&["anonymize", "mdav.toml", "--json", "--force", "--output", "mdav"])?;
        let rows = [
            cells!["privet", seconds(made["seconds"]["search"].as_f64())],
            cells![
                format!("sdcMicro {}", told["version"].as_str().unwrap_or("?")),
                seconds(told["seconds"].as_f64())
            ],
        ];
        let table = markdown_table(&["MDAV, 1,080 records, 13 columns, k = 5", "seconds"], &rows);
        Ok(format!("\n## Microaggregation\n\n{table}"))
    }
}

fn seconds(seconds: Option<f64>) -> String {
    let digits = if seconds.is_some_and(|seconds| seconds < 0.01) { 5 } else { 3 };
    seconds.map_or_else(|| "–".to_owned(), |seconds| format!("{seconds:.digits$}"))
}

fn memory(told: &Value) -> String {
    told["peak_mib"].as_f64().map_or_else(|| "–".to_owned(), |peak| format!("{peak:.0}"))
}

fn fixed(value: &Value, digits: usize) -> String {
    value.as_f64().map_or_else(|| "–".to_owned(), |own| format!("{own:.digits$}"))
}
