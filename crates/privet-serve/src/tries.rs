//! What each promise costs on this data, and what other strengths would: real runs whose results are kept apart.
//!
//! A promise is tried by itself and with the others, within the limits of the job. Candidates are complete releases of the same job with
//! another `k`, so any two of them can be laid side by side and each can be chosen.

use std::fs;

use privet_data::Progress;
use privet_job::{Job, Summary};
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use crate::project::Project;
use crate::tasks::{Failure, State};

/// What trying each promise found.
pub(crate) const TRIES: &str = "tries.json";
/// The candidates.
pub(crate) const CANDIDATES: &str = "candidates.json";
/// Where their releases are.
pub(crate) const CANDIDATES_FOLDER: &str = "tried";
/// Class sizes that are tried.
pub(crate) const SIZES: [i64; 7] = [2, 3, 5, 10, 20, 50, 100];

/// What a run came to.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Try {
    /// The promise, as it stands in the job; `all` for all of them.
    pub what: String,
    /// Records of the input.
    pub rows: u64,
    /// Records that would be left out, within the limit of the job or without one.
    pub suppressed: Option<u64>,
    /// Whether the limit of the job allows that.
    pub fits: bool,
    /// The loss.
    pub loss: Option<f64>,
    /// What stood in the way.
    pub problem: Option<String>,
}

/// A release with another k.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Candidate {
    pub k: i64,
    pub rows: u64,
    pub suppressed: u64,
    pub loss: f64,
    pub classes: u64,
    pub smallest: u64,
    pub levels: serde_json::Map<String, serde_json::Value>,
}

impl Candidate {
    /// The folder of its release, below the project.
    pub fn folder(&self) -> String {
        format!("{CANDIDATES_FOLDER}/k-{}", self.k)
    }

    /// The largest chance to find somebody again.
    pub fn risk(&self) -> f64 {
        1.0 / self.smallest.max(1) as f64
    }
}

/// The job as a table that results go elsewhere of, and that no gate stops.
fn variant(project: &Project, folder: &str) -> Result<Table, Failure> {
    let mut table = project.job_table().map_err(Failure::failed)?;
    let mut output = Table::new();
    output.insert("folder".to_owned(), Value::String(folder.to_owned()));
    output.insert("replace".to_owned(), Value::Boolean(true));
    table.insert("output".to_owned(), Value::Table(output));
    table.remove("adversary");
    Ok(table)
}

fn job_of(table: &Table) -> Result<Job, Failure> {
    let text = toml::to_string(table).map_err(|error| Failure::failed(error.to_string()))?;
    Job::parse(&text, &[]).map_err(|error| Failure::failed(error.to_string()))
}

fn set(table: &mut Table, section: &str, key: &str, value: Value) {
    if let Value::Table(inner) = table.entry(section).or_insert_with(|| Value::Table(Table::new())) {
        inner.insert(key.to_owned(), value);
    }
}

/// Tries every promise by itself, and all of them.
pub(crate) fn try_promises(project: &Project, progress: &dyn Progress) -> Result<String, Failure> {
    const FOLDER: &str = "try";
    let base = variant(project, FOLDER)?;
    let basis = project.basis(true);
    let privacy = base.get("privacy").and_then(Value::as_table).cloned().unwrap_or_default();
    if privacy.is_empty() {
        return Err(Failure::failed("the job promises nothing yet; switch a promise on first"));
    }
    let alone = privacy.iter().map(|(key, value)| {
        let mut one = Table::new();
        one.insert(key.clone(), value.clone());
        (key.clone(), one)
    });
    let several = (privacy.len() > 1).then(|| ("all".to_owned(), privacy.clone()));
    let mut tries = Vec::new();
    for (what, section) in alone.chain(several) {
        progress
            .check()
            .map_err(|stopped| Failure { state: State::Stopped, message: stopped.to_string() })?;
        let mut table = base.clone();
        table.insert("privacy".to_owned(), Value::Table(section));
        let told = |summary: Summary, fits: bool| Try {
            what: what.clone(),
            rows: summary.rows,
            suppressed: Some(summary.suppressed),
            fits,
            loss: summary.metrics.get("loss").copied(),
            problem: None,
        };
        let outcome = project.run_job(&job_of(&table)?, progress).map(|summary| told(summary, true));
        let outcome = match outcome {
            Err(Failure { state: State::Refused, .. }) => {
                set(&mut table, "search", "suppress-at-most", Value::Float(1.0));
                project.run_job(&job_of(&table)?, progress).map(|summary| told(summary, false))
            }
            other => other,
        };
        tries.push(match outcome {
            Ok(own) => own,
            Err(Failure { state: State::Stopped, message }) => {
                return Err(Failure { state: State::Stopped, message });
            }
            Err(Failure { message, .. }) => {
                Try { what, rows: 0, suppressed: None, fits: false, loss: None, problem: Some(message) }
            }
        });
    }
    // why: it is overwritten next time, and goes with the project
    let _ = fs::remove_dir_all(project.folder().join(FOLDER));
    project.save_json(TRIES, &(basis, tries)).map_err(Failure::failed)?;
    Ok("Each promise was tried on this data.".to_owned())
}

/// Makes a release for every class size.
pub(crate) fn explore(project: &Project, progress: &dyn Progress) -> Result<String, Failure> {
    let mut candidates: Vec<Candidate> = Vec::new();
    let basis = project.basis(false);
    let mut refused = 0;
    for k in SIZES {
        progress
            .check()
            .map_err(|stopped| Failure { state: State::Stopped, message: stopped.to_string() })?;
        let mut table = variant(project, &format!("{CANDIDATES_FOLDER}/k-{k}"))?;
        set(&mut table, "privacy", "k-anonymity", Value::Integer(k));
        match project.run_job(&job_of(&table)?, progress) {
            Ok(summary) => candidates.push(Candidate {
                k,
                rows: summary.rows,
                suppressed: summary.suppressed,
                loss: summary.metrics.get("loss").copied().unwrap_or(f64::NAN),
                classes: summary.classes,
                smallest: summary.min_class_size,
                levels: summary.levels,
            }),
            Err(Failure { state: State::Refused, .. }) => refused += 1,
            Err(other) => return Err(other),
        }
    }
    project.save_json(CANDIDATES, &(basis, &candidates)).map_err(Failure::failed)?;
    Ok(match refused {
        0 => format!("{} candidates were made.", candidates.len()),
        _ => format!(
            "{} candidates were made; for {refused} class sizes there is no safe release within the limits of the job.",
            candidates.len()
        ),
    })
}
