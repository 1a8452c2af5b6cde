//! `cargo xtask peers`: the same jobs on privet and on other programs, into `docs/evidence/peers.md`: what each has, what is lost, how long it
//! takes and how much memory.
//!
//! Packages of Python come from their registry into environments of their own under the target folder. What is not installed and cannot be
//! installed is named and left out. Losses are counted here, by one formula, from what each program published.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::cells;
use crate::papers::{markdown_table, program};
use crate::wheel::Home;
use crate::workspace::{self, Scratch};

/// The columns of Adult that can be identifying, as the figures of ARX have them.
const QUASI: [&str; 9] = [
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
];
const SENSITIVE: &str = "occupation";
const EPSILON: &str = "1";
/// Repeated answers of which the error is the mean.
const ANSWERS: usize = 30;

/// A job that several programs do.
struct Job {
    name: &'static str,
    model: &'static str,
    /// The promise, as in a job file of privet.
    promise: &'static str,
    suppress: f64,
    /// How the figures that were recorded of ARX name it.
    arx: &'static str,
}

const JOBS: [Job; 4] = [
    Job { name: "k = 5, nobody left out", model: "k", promise: "", suppress: 0.0, arx: "k=5" },
    Job { name: "k = 5, up to 2 % left out", model: "k", promise: "", suppress: 0.02, arx: "k=5" },
    Job {
        name: "k = 5, distinct 3-diversity, up to 2 %",
        model: "l",
        promise: "l-diversity = { l = 3, column = \"occupation\" }\n",
        suppress: 0.02,
        arx: "k=5 distinct-l=3",
    },
    Job {
        name: "k = 5, 0.2-closeness (equal), up to 2 %",
        model: "t",
        promise: "t-closeness = { kind = \"equal\", t = 0.2, column = \"occupation\" }\n",
        suppress: 0.02,
        arx: "k=5 t-equal=0.2",
    },
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
    std::fs::write(place.scratch.path().join("jobs.py"), include_str!("peers/jobs.py"))?;
    std::fs::write(
        place.scratch.path().join("microaggregation.R"),
        include_str!("peers/microaggregation.R"),
    )?;
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
        "ARX: it is on no package registry (its authors publish an archive to download), so it is not run; the figures above were recorded \
         before."
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
        Ok(format!("\n## What each has\n\n{table}"))
    }

    /// Tables made anonymous: privet twice, anjana, and what was recorded of ARX.
    fn tables(&self, arx: &str, skipped: &mut Vec<String>) -> Result<(String, bool)> {
        let mut rows = Vec::new();
        let mut is_right = true;
        for job in &JOBS {
            let quasi: Vec<&str> =
                QUASI.iter().copied().filter(|name| job.model == "k" || *name != SENSITIVE).collect();
            for (name, algorithm) in
                [("privet, best levels", "optimal"), ("privet, local recoding", "local-recoding")]
            {
                if algorithm == "local-recoding" && job.suppress > 0.0 && job.model == "k" {
                    continue;
                }
                let made = self.publish(job, &quasi, algorithm)?;
                let folder = self.scratch.path().join("release");
                is_right &=
                    Command::new(&self.program).args(["verify", "--quiet"]).arg(&folder).status()?.success();
                let seconds = made["seconds"]["total"].as_f64().unwrap_or(0.0);
                let memory = made["peak_rss_bytes"].as_f64().unwrap_or(0.0) / f64::from(1 << 20);
                let (loss, rows_left) = self.loss(&folder.join("data.csv"), &quasi)?;
                rows.push(row(job, name, loss, rows_left, Some(seconds), Some(memory)));
            }
            match &self.anjana {
                Ok(python) => rows.push(self.anjana(job, &quasi, python)),
                Err(reason) => skipped.push(format!("anjana, {}: {reason}", job.name)),
            }
            if let Some((loss, left_out, seconds)) = recorded(arx, job) {
                rows.push(cells![
                    job.name,
                    "ARX 3.9.2, recorded",
                    loss,
                    left_out,
                    format!("{seconds} (warm)"),
                    "–"
                ]);
            }
        }
        let table =
            markdown_table(&["job", "program", "loss", "records left out", "seconds", "peak MiB"], &rows);
        let text = format!(
            "\n## Tables\n\nUCI Adult as the ARX project distributes it: 30,162 records, nine identifying columns (eight where the occupation is \
             sensitive), its hierarchies. Loss: mean over cells of (leaves covered − 1)/(leaves − 1), a record left out counts 1; counted from the \
             published table, the same for all. Seconds: of privet the whole run with reading, attacks, writing and report; of anjana its \
             call alone; of ARX, recorded in a warm JVM on another machine of this size, reading, search and output in memory. Every release of \
             privet was verified from its files.\n\n{table}"
        );
        Ok((text, is_right))
    }

    fn hierarchy(&self, column: &str) -> PathBuf {
        self.data.join(format!("adult_hierarchy_{column}.csv"))
    }

    fn publish(&self, job: &Job, quasi: &[&str], algorithm: &str) -> Result<Value> {
        let mut text = format!("[input]\npath = {:?}\n", self.data.join("adult.csv"));
        for name in quasi {
            text.push_str(&format!(
                "[columns.{name}]\nrole = \"quasi\"\nhierarchy = {:?}\n",
                self.hierarchy(name)
            ));
        }
        if job.model != "k" {
            text.push_str(&format!("[columns.{SENSITIVE}]\nrole = \"sensitive\"\n"));
        }
        let suppress = if algorithm == "optimal" { job.suppress } else { 0.0 };
        text.push_str(&format!(
            "[privacy]\nk-anonymity = 5\n{}[search]\nalgorithm = \"{algorithm}\"\nsuppress-at-most = {suppress}\n",
            job.promise
        ));
        std::fs::write(self.scratch.path().join("job.toml"), text)?;
        self.privet(&["anonymize", "job.toml", "--json", "--force", "--output", "release"])
    }

    fn anjana(&self, job: &Job, quasi: &[&str], python: &Path) -> Vec<String> {
        let output = self.scratch.path().join("anjana.csv");
        let hierarchies: HashMap<&str, PathBuf> =
            quasi.iter().map(|name| (*name, self.hierarchy(name))).collect();
        let asked = json!({
            "table": self.data.join("adult.csv"), "quasi": quasi, "hierarchies": hierarchies, "model": job.model, "sensitive": SENSITIVE,
            "k": 5, "l": 3, "t": 0.2, "suppress": job.suppress, "output": output,
        });
        let tried = || -> Result<Vec<String>> {
            std::fs::write(self.scratch.path().join("anjana.json"), asked.to_string())?;
            let told = self.python(python, &["anjana", "anjana.json"])?;
            if told["rows"].as_u64() == Some(0) {
                return Ok(cells![
                    job.name,
                    "anjana",
                    "no table found",
                    "–",
                    seconds(told["seconds"].as_f64()),
                    memory(&told)
                ]);
            }
            let (loss, left_out) = self.loss(&output, quasi)?;
            Ok(row(job, "anjana", loss, left_out, told["seconds"].as_f64(), told["peak_mib"].as_f64()))
        };
        tried()
            .unwrap_or_else(|problem| cells![job.name, "anjana", format!("failed: {problem}"), "–", "–", "–"])
    }

    /// The loss of a published table, and how many records it left out.
    fn loss(&self, table: &Path, quasi: &[&str]) -> Result<(f64, usize)> {
        let records = |file: &Path| -> Result<(Vec<String>, Vec<Vec<String>>)> {
            let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
            let split = |line: &str| {
                line.split(';').map(|cell| cell.trim_matches('"').to_owned()).collect::<Vec<String>>()
            };
            let mut lines = text.lines().map(split);
            Ok((lines.next().context("an empty table")?, lines.collect()))
        };
        let all = records(&self.data.join("adult.csv"))?.1.len();
        let (names, rows) = records(table)?;
        let mut lost = 0.0;
        for name in quasi {
            let at = names.iter().position(|own| own == name).with_context(|| format!("no column {name}"))?;
            let text = std::fs::read_to_string(self.hierarchy(name))?;
            let paths: Vec<Vec<&str>> = text.lines().map(|line| line.split(';').collect()).collect();
            let mut covered: HashMap<&str, HashSet<&str>> = HashMap::new();
            for path in &paths {
                path.iter().for_each(|label| {
                    covered.entry(label).or_default().insert(path[0]);
                });
            }
            let leaves = covered.get("*").map_or(1, HashSet::len).max(2) as f64;
            for row in &rows {
                let cell = row.get(at).context("a short record")?.as_str();
                let own = covered
                    .get(cell)
                    .with_context(|| format!("a label of {name} that its hierarchy lacks"))?;
                lost += (own.len() as f64 - 1.0) / (leaves - 1.0);
            }
        }
        let left_out = all - rows.len();
        Ok(((lost / quasi.len() as f64 + left_out as f64) / all as f64, left_out))
    }

    /// A release checked by pycanon and by privet itself.
    fn checks(&self, skipped: &mut Vec<String>) -> Result<String> {
        let job = &JOBS[2];
        let quasi: Vec<&str> = QUASI.iter().copied().filter(|name| *name != SENSITIVE).collect();
        self.publish(job, &quasi, "optimal")?;
        let begun = std::time::Instant::now();
        printed(Command::new(&self.program).args(["verify", "release"]).current_dir(self.scratch.path()))?;
        let took = begun.elapsed().as_secs_f64();
        let manifest: Value =
            serde_json::from_slice(&std::fs::read(self.scratch.path().join("release/manifest.json"))?)?;
        let least = manifest["classes"]["min_size"].as_u64();
        let least = least.map_or_else(|| "at least 5".to_owned(), |least| least.to_string());
        let mut rows = vec![cells![
            "privet verify, every promise and the manifest",
            least,
            "at least 3",
            seconds(Some(took)),
            "–"
        ]];
        match &self.anjana {
            Ok(python) => {
                let asked = json!({
                    "table": self.scratch.path().join("release/data.csv"), "quasi": quasi, "sensitive": SENSITIVE, "runs": 3,
                });
                std::fs::write(self.scratch.path().join("pycanon.json"), asked.to_string())?;
                let told = self.python(python, &["pycanon", "pycanon.json"])?;
                rows.push(cells![
                    "pycanon: k, l and t",
                    told["k"],
                    told["l"],
                    seconds(told["seconds"].as_f64()),
                    memory(&told)
                ]);
            }
            Err(reason) => skipped.push(format!("pycanon: {reason}")),
        }
        let table = markdown_table(&["check", "k", "distinct l", "seconds", "peak MiB"], &rows);
        Ok(format!(
            "\n## Checks\n\nThe release of the third job. privet's time is of the whole process; of pycanon the calls alone, the best of three for k \
             and l.\n\n{table}"
        ))
    }

    /// A histogram over 16 keys and an average with bounds, epsilon 1 each.
    fn answers(&self, skipped: &mut Vec<String>) -> Result<String> {
        let text = std::fs::read_to_string(self.data.join("adult.csv"))?;
        let mut lines = text.lines().map(|line| line.split(';').collect::<Vec<&str>>());
        let names = lines.next().context("an empty table")?;
        let place =
            |name: &str| names.iter().position(|own| *own == name).with_context(|| format!("no {name}"));
        let (age, education) = (place("age")?, place("education")?);
        let people: Vec<(&str, &str)> = lines.map(|row| (row[age], row[education])).collect();
        let mut csv = "age,education\n".to_owned();
        people.iter().for_each(|(age, education)| csv.push_str(&format!("{age},{education}\n")));
        std::fs::write(self.scratch.path().join("people.csv"), csv)?;
        let mut rows = vec![self.own_answers(&people)?];
        for (python, package) in [(&self.anjana, "opendp"), (&self.diffprivlib, "diffprivlib")] {
            match python {
                Ok(python) => {
                    let times = ANSWERS.to_string();
                    let told = self.python(python, &["answers", package, "people.csv", EPSILON, &times])?;
                    rows.push(cells![
                        format!("{package} {}", told["version"].as_str().unwrap_or("?")),
                        fixed(&told["error"], 2),
                        fixed(&told["error_of_mean"], 4),
                        seconds(told["seconds"].as_f64()),
                        memory(&told)
                    ]);
                }
                Err(reason) => skipped.push(format!("{package}: {reason}")),
            }
        }
        let table = markdown_table(
            &["program", "error of a count", "error of the mean age", "seconds of a histogram", "peak MiB"],
            &rows,
        );
        Ok(format!(
            "\n## Private answers\n\nThe histogram of education (16 declared keys) and the mean age (bounds 17 to 90) of 30,162 people, epsilon {EPSILON} \
             each; mean absolute errors over {ANSWERS} answers. privet's time is of the whole process, which reads the table and charges a ledger; \
             of the others the call on data that is loaded. diffprivlib hides what a record says and takes the number of records for known; the other \
             two hide whether it is there. All three add Laplace noise or its discrete form; errors differ by chance and by that.\n\n{table}"
        ))
    }

    fn own_answers(&self, people: &[(&str, &str)]) -> Result<Vec<String>> {
        let mut truth: HashMap<&str, f64> = HashMap::new();
        people.iter().for_each(|(_, education)| *truth.entry(education).or_default() += 1.0);
        let mean =
            people.iter().filter_map(|(age, _)| age.parse::<f64>().ok()).sum::<f64>() / people.len() as f64;
        let mut keys: Vec<&str> = truth.keys().copied().collect();
        keys.sort_unstable();
        let keys = format!("education={}", keys.join(","));
        let open = [
            "ledger",
            "open",
            "people.csv",
            "--epsilon",
            "1000",
            "--unsigned",
            "--new-population",
            "--quiet",
        ];
        printed(Command::new(&self.program).args(open).current_dir(self.scratch.path()))?;
        let ask = |question: &str, more: [&str; 2]| {
            let words = ["query", "people.csv", question, "--epsilon", EPSILON, "--unsigned", "--json"];
            self.privet(&[&words[..], &more].concat())
        };
        let (mut error, mut error_of_mean, mut best) = (0.0, 0.0, f64::INFINITY);
        for _ in 0..ANSWERS {
            let begun = std::time::Instant::now();
            let told = ask("select education, count(*) from data group by education", ["--keys", &keys])?;
            best = best.min(begun.elapsed().as_secs_f64());
            for line in told["lines"].as_array().context("no lines")? {
                let key = line["group"][0].as_str().unwrap_or_default();
                let value = line["numbers"][0]["value"].as_f64().context("no number")?;
                error +=
                    (value - truth.get(key).copied().unwrap_or(0.0)).abs() / (truth.len() * ANSWERS) as f64;
            }
            let told = ask("select avg(age) from data", ["--bound", "age=17..90"])?;
            let value = told["lines"][0]["numbers"][0]["value"].as_f64().context("no number")?;
            error_of_mean += (value - mean).abs() / ANSWERS as f64;
        }
        Ok(cells!["privet", format!("{error:.2}"), format!("{error_of_mean:.4}"), seconds(Some(best)), "–"])
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

fn row(
    job: &Job,
    program: &str,
    loss: f64,
    left_out: usize,
    took: Option<f64>,
    peak: Option<f64>,
) -> Vec<String> {
    let peak = peak.map_or_else(|| "–".to_owned(), |peak| format!("{peak:.0}"));
    cells![job.name, program, format!("{loss:.4}"), left_out, seconds(took), peak]
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

/// What was recorded of ARX about a job: its loss, records left out, and seconds.
fn recorded(table: &str, job: &Job) -> Option<(String, String, String)> {
    let mut lines = table.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let head: Vec<&str> = lines.next()?.split('\t').collect();
    let place = |name: &str| head.iter().position(|own| *own == name);
    let (criteria, data, suppress) = (place("criteria")?, place("data")?, place("suppress_at_most")?);
    let fits = |cells: &Vec<&str>| {
        cells.get(data) == Some(&"adult")
            && cells.get(criteria) == Some(&job.arx)
            && cells.get(suppress).and_then(|own| own.parse::<f64>().ok()) == Some(job.suppress)
    };
    let cells = lines.map(|line| line.split('\t').collect::<Vec<&str>>()).find(fits)?;
    let loss: f64 = cells.get(place("optimal_loss")?)?.parse().ok()?;
    let left_out = (*cells.get(place("suppressed")?)?).to_owned();
    Some((format!("{loss:.4}"), left_out, (*cells.get(place("total_s")?)?).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_figures_are_found_by_their_job() {
        let table = "# x\ndata\tcriteria\tsuppress_at_most\toptimal_loss\tsuppressed\ttotal_s\nadult\tk=5\t0.02\t0.25\t7\t1.5\n";
        assert_eq!(recorded(table, &JOBS[1]), Some(("0.2500".into(), "7".into(), "1.5".into())));
        assert_eq!(recorded(table, &JOBS[0]), None);
        assert_eq!(recorded("", &JOBS[0]), None);
    }
}
