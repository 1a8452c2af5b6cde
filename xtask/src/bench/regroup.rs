//! Groups instead of levels: what algorithms that regroup records cost, what they lose, and what can be learned from
//! their releases, beside the best full-domain generalization of the same run.
//!
//! Times and losses are those of the whole table. What can be learned is measured as the survey asks (US-10): a third
//! of the records is set apart before anything is released, the rest is released, classifiers are trained on
//! the release and tested on the third, untouched. Every release is verified. Below the tables stand the targets.

mod study;
mod targets;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::grid::Grid;
use super::measure::{self, Measured};
use super::{Bench, Outcome};
use crate::workspace::{self, Scratch};
use study::Study;

/// An algorithm with the settings that go with it.
struct Method {
    name: &'static str,
    algorithm: &'static str,
    settings: &'static [&'static str],
    /// Whether it needs a class column.
    by_class: bool,
    /// The most records that it is run on.
    most_rows: usize,
}

/// Methods whose time is quadratic are run on so many records of a larger table.
const QUADRATIC: usize = 50_000;
const ANY: usize = usize::MAX;

const fn method(name: &'static str, algorithm: &'static str, settings: &'static [&'static str]) -> Method {
    Method { name, algorithm, settings, by_class: false, most_rows: ANY }
}

/// The yardstick of everything else.
const OPTIMUM: &str = "optimal, 2 %";
const MONDRIAN: &str = "mondrian, strict";
const LOCAL: &str = "local-recoding";

const METHODS: &[Method] = &[
    method(OPTIMUM, "optimal", &["search.suppress-at-most=0.02"]),
    method("optimal, 0 %", "optimal", &[]),
    method(MONDRIAN, "mondrian", &[]),
    method("mondrian, strict, nodes", "mondrian", &["search.publish=\"nodes\""]),
    method("mondrian, relaxed", "mondrian", &["search.mondrian.mode=\"relaxed\""]),
    Method {
        by_class: true,
        ..method("mondrian, class-entropy", "mondrian", &["search.mondrian.choose=\"class-entropy\""])
    },
    method("top-down-local", "top-down-local", &[]),
    method(LOCAL, "local-recoding", &[]),
    Method { most_rows: QUADRATIC, ..method("clustering", "clustering", &[]) },
    Method {
        most_rows: QUADRATIC,
        ..method(
            "microaggregation, order",
            "microaggregation",
            &["search.microaggregation.categories=\"order\""],
        )
    },
    method(ANATOMY, "anatomy", &[]),
];

const ANATOMY: &str = "anatomy";

pub fn run(bench: &Bench<'_>) -> Result<Outcome> {
    let inside = workspace::example("privet-recode", "regroup")?;
    let scratch = Scratch::new()?;
    let suite = Suite { bench, inside, folder: scratch.path() };
    let mut table = Table::new();
    let studies = study::all(bench, scratch.path())?;
    for study in &studies {
        let (fit, slow): (Vec<&Method>, Vec<&Method>) =
            METHODS.iter().partition(|method| study.rows <= method.most_rows);
        suite.measure(study, &fit, &mut table)?;
        if !slow.is_empty() {
            // Beside the optimum of the same records.
            let slow: Vec<&Method> = METHODS[..1].iter().chain(slow).collect();
            suite.measure(&study.part(scratch.path(), QUADRATIC)?, &slow, &mut table)?;
        }
    }
    let people = studies.last().context("no table")?;
    targets::measure(&suite, people, &mut table)?;
    Ok(Outcome { grid: table.grid, rows: table.rows, right: table.right })
}

/// What is measured with.
struct Suite<'a> {
    bench: &'a Bench<'a>,
    /// The example that measures inside a process.
    inside: PathBuf,
    /// Where files may lie.
    folder: &'a Path,
}

/// What was measured.
struct Table {
    grid: Grid,
    rows: Vec<Value>,
    right: bool,
}

const HEAD: [&str; 12] = [
    "method",
    "search s",
    "x optimal",
    "total s",
    "MiB",
    "loss",
    "x optimal",
    "discernibility",
    "C_AVG",
    "naive Bayes",
    "tree",
    "",
];

impl Table {
    fn new() -> Self {
        Self { grid: Grid::new(&HEAD), rows: Vec::new(), right: true }
    }

    /// A row that has no figures but words.
    fn words(&mut self, name: &str, words: String) {
        let mut cells = vec![String::new(); HEAD.len()];
        cells[0] = name.to_owned();
        cells[HEAD.len() - 1] = words;
        self.grid.row(cells);
    }

    /// A row of a method; what it was compared with comes first in its table.
    fn add(&mut self, study: &Study, name: &str, row: &Row, optimum: &Measured) {
        let Row { measured, accuracy, verdict } = row;
        let number = |value: &Value, digits: usize| match value.as_f64() {
            Some(number) => format!("{number:.digits$}"),
            None => "-".to_owned(),
        };
        // Anatomy promises l and not k, and hides nothing of what loss is about: it is another kind of release.
        let by_l = study.sensitive.as_ref().filter(|_| name == ANATOMY).map(|(_, l)| *l);
        let least = by_l.unwrap_or(study.k) as f64;
        let average = measured.summary["average-class-size"].as_f64().map(|size| size / least);
        let time = measured.search / optimum.search;
        let loss = by_l.is_none().then(|| measured.loss / optimum.loss);
        self.grid.row(vec![
            name.to_owned(),
            format!("{:.3}", measured.search),
            format!("{time:.2}"),
            format!("{:.3}", measured.total),
            format!("{:.0}", measured.peak_rss_bytes as f64 / f64::from(1 << 20)),
            format!("{:.4}", measured.loss),
            number(&json!(loss), 2),
            number(&measured.summary["discernibility"], 0),
            number(&json!(average), 2),
            number(&accuracy["naive_bayes"], 4),
            number(&accuracy["decision_tree"], 4),
            verdict.clone(),
        ]);
        self.rows.push(json!({
            "table": study.title, "method": name,
            "seconds": { "search": measured.search, "total": measured.total, "process": measured.process },
            "peak_rss_bytes": measured.peak_rss_bytes, "loss": measured.loss,
            "discernibility": measured.summary["discernibility"], "c_avg": average, "accuracy": accuracy,
            "times_optimal": { "search": time, "loss": loss }, "verdict": verdict, "summary": measured.summary,
        }));
    }
}

/// What was measured of one method.
struct Row {
    measured: Measured,
    /// As the example tells it; null where there is no class.
    accuracy: Value,
    verdict: String,
}

impl Suite<'_> {
    fn measure(&self, study: &Study, methods: &[&Method], table: &mut Table) -> Result<()> {
        println!("… {}", study.title);
        table.grid.row(vec![format!("-- {}", study.title)]);
        let jobs = Jobs::new(study, self.folder)?;
        if let (Some(parts), Some(class)) = (&jobs.parts, &study.class) {
            let accuracy = self.accuracy(study, class, parts, &parts.train, &[])?;
            let mut cells = vec![String::new(); HEAD.len()];
            cells[0] = "raw records".to_owned();
            for (place, key) in [(9, "naive_bayes"), (10, "decision_tree")] {
                cells[place] = format!("{:.4}", accuracy[key].as_f64().context("no accuracy")?);
            }
            let usual = accuracy["most_frequent_class"].as_f64().unwrap_or(0.0);
            let error = (usual * (1.0 - usual) / accuracy["test_rows"].as_f64().unwrap_or(1.0)).sqrt();
            cells[HEAD.len() - 1] = format!("most frequent class {usual:.4}, standard error {error:.4}");
            table.grid.row(cells);
            table.rows.push(json!({ "table": study.title, "method": "raw records", "accuracy": accuracy }));
        }
        let mut optimum: Option<Measured> = None;
        for &method in methods {
            if (method.by_class && study.class.is_none())
                || (method.name == ANATOMY && study.sensitive.is_none())
            {
                continue;
            }
            match self.row(study, &jobs, method) {
                Ok(row) => {
                    let optimum = optimum.get_or_insert_with(|| row.measured.clone());
                    table.add(study, method.name, &row, optimum);
                }
                Err(problem) => {
                    table.right = false;
                    table.words(method.name, format!("FAILED: {problem:#}"));
                }
            }
        }
        Ok(())
    }

    /// Measures a method on the whole table, then what can be learned from its release of the training records.
    fn row(&self, study: &Study, jobs: &Jobs, method: &Method) -> Result<Row> {
        let mut settings = vec![format!("search.algorithm=\"{}\"", method.algorithm)];
        // How far categories are apart may be said only where there are some.
        let is_of_use = |setting: &&&str| {
            study.has_categories() || !setting.starts_with("search.microaggregation.categories")
        };
        settings.extend(method.settings.iter().filter(is_of_use).map(|&setting| setting.to_owned()));
        let mut left_out = Vec::new();
        if method.name == ANATOMY
            && let Some((column, l)) = &study.sensitive
        {
            settings.push(format!("columns.{}.role=\"sensitive\"", study::quoted(column)));
            settings.push(format!(
                "privacy={{ l-diversity = {{ kind = \"distinct\", l = {l}, column = {} }} }}",
                study::quoted(column)
            ));
            left_out.push(column.as_str());
        }
        let measured = measure::job_with(self.bench, &jobs.whole, &settings)?;
        measure::verified(self.bench, &measured.summary)?;
        let mut verdict = "verified".to_owned();
        if let Some((column, l)) = study.sensitive.as_ref().filter(|_| method.name == ANATOMY) {
            verdict.push_str(&format!(", l = {l} of {column}, no k"));
        }
        if let Some(suppressed) = measured.summary["suppressed"].as_u64().filter(|&rows| rows > 0) {
            verdict.push_str(&format!(", {suppressed} suppressed"));
        }
        if measured.process > measure::LONG {
            verdict.push_str(", one run");
        }
        let learned = study.class.as_ref().filter(|class| !left_out.contains(&class.as_str()));
        let accuracy = match (&jobs.parts, learned) {
            (Some(parts), Some(class)) => {
                let (_, summary) = measure::once(self.bench.program, &parts.job, &settings)?;
                let manifest = measure::verified(self.bench, &summary)?;
                let file = manifest["data"]["file"].as_str().context("no data.file in the manifest")?;
                let release = Path::new(summary["release"].as_str().context("no release")?).join(file);
                self.accuracy(study, class, parts, &release, &left_out)?
            }
            _ => Value::Null,
        };
        Ok(Row { measured, accuracy, verdict })
    }

    /// What can be learned from a release; columns that it does not show are left out.
    fn accuracy(
        &self,
        study: &Study,
        class: &str,
        parts: &Parts,
        release: &Path,
        left_out: &[&str],
    ) -> Result<Value> {
        self.inside(&json!({
            "task": "accuracy", "train": parts.train, "test": parts.test, "release": release,
            "class": class, "columns": study.columns(left_out),
        }))
    }

    /// Measures inside a process.
    fn inside(&self, plan: &Value) -> Result<Value> {
        let file = self.folder.join("plan.json");
        std::fs::write(&file, plan.to_string())?;
        let ran = Command::new(&self.inside).arg(&file).output()?;
        if !ran.status.success() {
            bail!("{}", String::from_utf8_lossy(&ran.stderr).trim());
        }
        serde_json::from_slice(&ran.stdout).context("the example printed no JSON")
    }
}

/// The job files of a study.
struct Jobs {
    whole: PathBuf,
    /// Where there is a class: the records to learn from and those set apart.
    parts: Option<Parts>,
}

struct Parts {
    train: PathBuf,
    test: PathBuf,
    /// The job that releases those to learn from.
    job: PathBuf,
}

impl Jobs {
    fn new(study: &Study, folder: &Path) -> Result<Self> {
        let whole = folder.join("whole.toml");
        std::fs::write(&whole, study.job(&study.data, &folder.join("release")))?;
        let parts = match &study.class {
            None => None,
            Some(_) => {
                let parts = Parts {
                    train: folder.join("train.csv"),
                    test: folder.join("test.csv"),
                    job: folder.join("train.toml"),
                };
                let text = std::fs::read_to_string(&study.data)?;
                let (train, test) = study::split(&text);
                std::fs::write(&parts.train, train)?;
                std::fs::write(&parts.test, test)?;
                std::fs::write(&parts.job, study.job(&parts.train, &folder.join("release-train")))?;
                Some(parts)
            }
        };
        Ok(Self { whole, parts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_optimum_comes_first() {
        // Everything after it is compared with it.
        assert_eq!(METHODS[0].name, OPTIMUM);
        for name in [MONDRIAN, LOCAL, ANATOMY] {
            assert_eq!(METHODS.iter().filter(|method| method.name == name).count(), 1);
        }
    }

    #[test]
    fn words_stand_in_the_last_column() {
        let mut table = Table::new();
        table.words("clustering", "skipped".to_owned());
        let printed = table.grid.to_string();
        let lines: Vec<&str> = printed.lines().collect();
        assert!(lines[1].starts_with("clustering ") && lines[1].ends_with("  skipped"), "{printed}");
        assert!(lines[1].find("skipped") > lines[0].find("tree"), "{printed}");
    }
}
