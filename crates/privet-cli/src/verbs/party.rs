//! `privet party`: compute with other owners of data, without showing them any.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::{Args, Subcommand};
use privet_data::Progress;
use privet_job::{Job, RunOptions};
use privet_parties::compute::{JointTable, Product};
use privet_parties::job::{AdversarySection, ReadJob};
use privet_parties::run::{Gate, Summary};
use privet_parties::session::tls::make_keys;
use privet_parties::{PartyError, Reason, demo};
use privet_release::VerifyOptions;

use super::{Shared, print, print_json};
use crate::exit::{BAD_INPUT, DONE, Failure, NO_BUDGET, REFUSED, RESOURCES, STOPPED};
use crate::progress::Bar;

/// Compute with other owners of data, without showing them any: counts, tables, rules and models over all records
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    before_help = "\
Examples:
  privet party keys north             makes north.key and north.crt, and prints the fingerprint for the job
  privet party job.toml --as north    this party's side of a job that all parties hold
  privet party demo                   three hospitals on this machine, from keys to a joint release
  privet party demo --task association    two hospitals and a registry: diagnoses by exposures"
)]
pub struct Party {
    #[command(subcommand)]
    act: Option<Act>,
    /// The job file, the same for all parties
    #[arg(required = true)]
    job: Option<PathBuf>,
    /// Which of the job's parties this is
    #[arg(long = "as", value_name = "NAME", required = true)]
    name: Option<String>,
    /// This party's key; its certificate lies beside it (default: NAME.key beside the job)
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Replace a result that is already there
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Subcommand)]
enum Act {
    /// Make a party's key and certificate
    Keys {
        /// Where to put them: NAME.key and NAME.crt. Keys are never overwritten
        name: PathBuf,
    },
    /// Three owners that do not exist compute a release together, each in a process of its own
    Demo {
        /// What they compute: a k-anonymous table of three hospitals, or a registry's exposures by the diagnoses of two hospitals
        #[arg(long, value_enum, default_value_t)]
        task: DemoTask,
        /// Where to put everything; an earlier demo there is replaced
        #[arg(long, value_name = "FOLDER", default_value = "privet-party-demo")]
        folder: PathBuf,
        /// Patients of each hospital
        #[arg(long, default_value_t = 2000)]
        patients: usize,
        /// The same seed gives the same patients
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
}

#[derive(Debug, Clone, Copy, Default, clap::ValueEnum)]
enum DemoTask {
    /// Three hospitals, one k-anonymous table
    #[default]
    Table,
    /// Two hospitals and a registry, counts of diagnoses by exposures
    Association,
}

impl Party {
    /// Runs it.
    pub fn run(self, shared: &Shared) -> Result<u8, Failure> {
        match (self.act, self.job, self.name) {
            (Some(Act::Keys { name }), ..) => keys(&name, shared),
            (Some(Act::Demo { task, folder, patients, seed }), ..) => {
                let story = match task {
                    DemoTask::Table => demo::Story::Table,
                    DemoTask::Association => demo::Story::Association,
                };
                show(&folder, patients, seed, story, shared)
            }
            (None, Some(job), Some(name)) => {
                let job = ReadJob::read(&job).map_err(failure)?;
                let options = privet_parties::run::RunOptions { name, key: self.key, replace: self.force };
                let progress = Bar::new(shared.quiet || shared.json);
                let summary = privet_parties::run::run(&job, &options, &KindGate, &progress);
                progress.clear();
                tell(&summary.map_err(failure)?, shared)?;
                Ok(DONE)
            }
            _ => Err(Failure::bad_input("a job and --as NAME are needed")),
        }
    }
}

/// The exit code of what went wrong.
fn failure(error: PartyError) -> Failure {
    let by_reason = |reason: Reason| match reason {
        Reason::Refused => REFUSED,
        Reason::Budget => NO_BUDGET,
        Reason::DifferentJob | Reason::WrongCertificate | Reason::CertificateRefused | Reason::Input => {
            BAD_INPUT
        }
        Reason::Stopped => STOPPED,
        _ => RESOURCES,
    };
    let code = match &error {
        PartyError::Abort(abort) => match abort.reason {
            // Another party's operator stopped it: here a resource is gone.
            Reason::Stopped => RESOURCES,
            reason => by_reason(reason),
        },
        other => by_reason(other.reason()),
    };
    Failure { code, message: error.to_string() }
}

fn keys(name: &Path, shared: &Shared) -> Result<u8, Failure> {
    let made = make_keys(name).map_err(failure)?;
    if shared.json {
        print_json(&serde_json::json!({
            "key": made.key, "certificate": made.certificate, "fingerprint": made.fingerprint,
        }))?;
    } else if !shared.quiet {
        print(&format!(
            "Key:         {}  (keep it, and let nobody else read it)\nCertificate: {}\nFingerprint: {}  (for the job: certificate = \"…\")",
            made.key.display(),
            made.certificate.display(),
            made.fingerprint
        ))?;
    }
    Ok(DONE)
}

fn tell(summary: &Summary, shared: &Shared) -> Result<(), Failure> {
    if shared.json {
        return print_json(summary);
    }
    if shared.quiet {
        return Ok(());
    }
    print(&format!(
        "Joint result of {}: {}\nWhat every party learned besides: {}\nSent {} bytes, received {}, in {} messages.",
        summary.parties.join(", "),
        summary.folder.display(),
        summary.revealed,
        super::grouped(summary.traffic.sent),
        super::grouped(summary.traffic.received),
        summary.traffic.messages,
    ))
}

fn show(
    folder: &Path,
    patients: usize,
    seed: u64,
    story: demo::Story,
    shared: &Shared,
) -> Result<u8, Failure> {
    if !(1..=1_000_000).contains(&patients) {
        return Err(Failure::bad_input("--patients takes a number from 1 to 1000000"));
    }
    let job = demo::write_demo(folder, patients, seed, story).map_err(failure)?;
    let program = std::env::current_exe().map_err(Failure::resources)?;
    let start = |name: &&str| {
        Command::new(&program)
            .arg("party")
            .arg(&job)
            .args(["--as", name, "--json"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
    };
    let processes: Result<Vec<_>, _> = story.names().iter().map(start).collect();
    let mut summaries = Vec::new();
    let mut worst = DONE;
    for process in processes.map_err(Failure::resources)? {
        let output = process.wait_with_output().map_err(Failure::resources)?;
        worst = worst.max(output.status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(RESOURCES));
        summaries.extend(serde_json::from_slice::<serde_json::Value>(&output.stdout));
    }
    if worst != DONE {
        return Err(Failure {
            code: worst,
            message: "a party of the demo ended without a result".to_owned(),
        });
    }
    let release = folder.join(format!("{}-result", story.names()[0])).join("release");
    let verdict = privet_job::verify(&release, VerifyOptions::default()).map_err(Failure::resources)?;
    if shared.json {
        print_json(&serde_json::json!({ "parties": summaries, "verified": verdict.holds() }))?;
    } else if !shared.quiet {
        let sent: u64 = summaries.iter().filter_map(|own| own["traffic"]["sent"].as_u64()).sum();
        let result = summaries.first().map(|own| &own["result"]);
        let figures = |key: &str| result.map(|own| own[key].to_string()).unwrap_or_default();
        let (who, what) = match story {
            demo::Story::Table => ("Three hospitals", format!("Agreed levels: {}", figures("levels"))),
            demo::Story::Association => {
                ("Two hospitals and a registry", format!("Diagnoses by exposures: {}", figures("counts")))
            }
        };
        print(&format!(
            "{who}, {} patients in each hospital, and none saw a record of another. The job: {}\n\
             {what}\nSent in all: {} bytes. Each party holds the same release, for example {}\n\
             Verified: all {} checks hold. The report is report.html in the release.",
            super::grouped(patients as u64),
            job.display(),
            super::grouped(sent),
            release.display(),
            verdict.checks.len(),
        ))?;
    }
    Ok(if verdict.holds() { DONE } else { REFUSED })
}

/// Joint tables go through the run of a job for records and joint models through that of kind `model`: promises proven from the files,
/// attacks, and only then a release.
struct KindGate;

impl Gate for KindGate {
    fn release(
        &self,
        product: &Product,
        also: Option<&toml::Table>,
        adversary: &AdversarySection,
        folder: &Path,
        progress: &dyn Progress,
    ) -> Result<Vec<u8>, PartyError> {
        let base = folder.parent().unwrap_or(Path::new("."));
        let (input, text) = match product {
            Product::Table(table) => (base.join("records.csv"), csv(table)),
            Product::Model(model) => (base.join("learned.json"), model.model.to_string()),
        };
        let io = |problem, error| PartyError::Io { path: input.clone(), problem, error };
        std::fs::write(&input, text).map_err(|error| io("cannot be written", error))?;
        let made = match product {
            Product::Table(table) => release_table(table, also, adversary, folder, progress),
            Product::Model(model) => release_model(model.k, adversary, folder, progress),
        };
        std::fs::remove_file(&input).map_err(|error| io("cannot be removed", error))?;
        made?;
        let manifest = folder.join("manifest.json");
        std::fs::read(&manifest).map_err(|error| PartyError::Io {
            path: manifest.clone(),
            problem: "cannot be read",
            error,
        })
    }
}

fn release_table(
    table: &JointTable,
    also: Option<&toml::Table>,
    adversary: &AdversarySection,
    folder: &Path,
    progress: &dyn Progress,
) -> Result<(), PartyError> {
    let base = folder.parent().unwrap_or(Path::new("."));
    let job = Job::parse(&table_job(table, also, adversary, folder), &[]);
    let job = job.map_err(|error| PartyError::Job(error.to_string()))?;
    let options = RunOptions { base: base.to_owned(), ..RunOptions::default() };
    privet_job::run(&job, &options, progress).map_err(|error| match error.outcome() {
        privet_job::Outcome::Stopped => PartyError::Stopped,
        privet_job::Outcome::Resources => PartyError::Resources(error.to_string()),
        _ => PartyError::Refused(error.to_string()),
    })?;
    Ok(())
}

fn release_model(
    k: u64,
    adversary: &AdversarySection,
    folder: &Path,
    progress: &dyn Progress,
) -> Result<(), PartyError> {
    let base = folder.parent().unwrap_or(Path::new("."));
    let k = i64::try_from(k).map_err(|_| PartyError::Job("`min-count` is too large".to_owned()))?;
    let mut job = toml::Table::new();
    job.insert("kind".to_owned(), "model".into());
    job.insert("input".to_owned(), section([("path", "learned.json".into())]));
    job.insert("model".to_owned(), section([("type", "given".into()), ("k", k.into())]));
    finish(&mut job, adversary, folder);
    privet::run(&privet::JobFile::in_folder(base, job), &[], progress).map_err(|error| {
        match error.fault() {
            privet::Fault::Stopped => PartyError::Stopped,
            privet::Fault::Resources => PartyError::Resources(error.to_string()),
            _ => PartyError::Refused(error.to_string()),
        }
    })?;
    Ok(())
}

fn section<const N: usize>(keys: [(&str, toml::Value); N]) -> toml::Value {
    toml::Table::from_iter(keys.map(|(key, value)| (key.to_owned(), value))).into()
}

/// What the jobs of all releases have: limits of the gate, and where the release goes.
fn finish(job: &mut toml::Table, adversary: &AdversarySection, folder: &Path) {
    let limits = [("max-risk", adversary.max_risk), ("confidence", adversary.confidence)];
    let limits = limits.into_iter().filter_map(|(key, own)| Some((key.to_owned(), toml::Value::Float(own?))));
    let limits = toml::Table::from_iter(limits);
    if !limits.is_empty() {
        job.insert("adversary".to_owned(), limits.into());
    }
    let name = folder.file_name().map(|own| own.to_string_lossy().into_owned()).unwrap_or_default();
    job.insert("output".to_owned(), section([("folder", name.into())]));
}

/// The records one by one, in the order of their values.
fn csv(table: &JointTable) -> String {
    let line = |cells: &[String]| {
        let cells: Vec<String> =
            cells.iter().map(|own| format!("\"{}\"", own.replace('"', "\"\""))).collect();
        cells.join(",") + "\n"
    };
    let mut text = line(&table.columns);
    for (values, count) in &table.records {
        (0..*count).for_each(|_| text += &line(values));
    }
    text
}

/// The job of the release: values are published as they came out of the session.
fn table_job(
    table: &JointTable,
    also: Option<&toml::Table>,
    adversary: &AdversarySection,
    folder: &Path,
) -> String {
    let mut columns = toml::Table::new();
    for column in &table.columns {
        let role = if table.sensitive.as_ref() == Some(column) { "sensitive" } else { "quasi" };
        columns.insert(column.clone(), section([("role", role.into())]));
    }
    let mut privacy = also.cloned().unwrap_or_default();
    privacy.insert("k-anonymity".to_owned(), toml::Value::Integer(table.k as i64));
    let mut job = toml::Table::new();
    let input = [("path", "records.csv".into()), ("header", true.into()), ("delimiter", ",".into())];
    job.insert("input".to_owned(), section(input));
    job.insert("columns".to_owned(), columns.into());
    job.insert("privacy".to_owned(), privacy.into());
    finish(&mut job, adversary, folder);
    job.to_string()
}
