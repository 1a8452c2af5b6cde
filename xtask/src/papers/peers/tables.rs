//! Tables made anonymous and checked: privet, anjana, pycanon, and what was recorded of ARX. Losses are counted here, by one formula, from
//! what each program published.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::{Place, memory, printed, seconds};
use crate::cells;
use crate::papers::page::table as markdown_table;

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

impl Place {
    /// Tables made anonymous: privet twice, anjana, and what was recorded of ARX.
    pub(super) fn tables(&self, arx: &str, skipped: &mut Vec<String>) -> Result<(String, bool)> {
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
    pub(super) fn checks(&self, skipped: &mut Vec<String>) -> Result<String> {
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
