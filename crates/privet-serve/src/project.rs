//! A project: a table, its job file, and what came of it, in one private folder.
//!
//! The job file is the truth: every step reads it and changes it, and a run is what `privet anonymize job.toml` would do in the same folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use privet_data::Progress;
use privet_data::io::{Input, ReadOptions, read};
use privet_init::init::{self, look, propose};
use privet_job::{Job, RunOptions, Summary};
use privet_release::PartialFile;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::confine::{self, HOME, RELEASE};
use crate::edit::Edit;
use crate::shelf::Shelf;
use crate::tasks::Failure;

/// The job file.
pub(crate) const JOB: &str = "job.toml";
const META: &str = "project.json";
/// What the last run said.
pub(crate) const SUMMARY: &str = "summary.json";
/// What verifying the release found.
pub(crate) const VERDICT: &str = "verdict.json";
/// What attacks found.
pub(crate) const ATTACKS: &str = "attacks.json";
/// What attacks conclude about each person.
pub(crate) const PEOPLE: &str = "people.csv";
/// What the file of a population is called, without its ending.
pub(crate) const POPULATION: &str = "population";
/// What the release follows from.
const BASIS: &str = "basis.json";
/// A mark that a run is under way; what it finds at the start was interrupted.
const RUNNING: &str = "running";
/// More bytes of a job file than anybody writes.
pub(crate) const LONGEST_JOB: usize = 1 << 20;

/// What is known besides the job file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Meta {
    /// The file as its owner calls it.
    pub name: String,
    /// The file as it lies in the folder.
    pub data: String,
    /// The kind of release, where the data has another shape than a table.
    pub kind: Option<String>,
    /// What each column was taken for, and why.
    pub guesses: Vec<Guess>,
}

/// What a column was taken for.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Guess {
    pub name: String,
    pub role: String,
    pub reason: String,
}

/// A table that was read.
pub(crate) struct Read {
    input: Input,
    /// What was odd about the file.
    pub notices: Vec<String>,
}

impl std::ops::Deref for Read {
    type Target = Input;

    fn deref(&self) -> &Input {
        &self.input
    }
}

/// Keeps what a person should know.
#[derive(Default)]
struct Told(Mutex<Vec<String>>);

impl Progress for Told {
    fn stage(&self, _: &str, _: Option<u64>) {}
    fn at(&self, _: u64) {}
    fn notice(&self, notice: privet_data::Notice) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(notice.to_string());
    }
}

/// A project.
pub(crate) struct Project {
    folder: PathBuf,
    meta: Meta,
    /// Whether the program ended in the middle of a run.
    pub was_interrupted: bool,
    /// Where its table is kept, beside those of other projects.
    shelf: Arc<Shelf>,
    /// Changes of the job file, one at a time.
    editing: Mutex<()>,
}

/// How a file is to be read, as far as its owner says.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reading {
    pub sheet: Option<String>,
    pub delimiter: Option<u8>,
    pub skip: Option<u64>,
    pub header: Option<bool>,
    pub missing: Option<Vec<String>>,
}

impl Project {
    /// Looks at a file that arrived in a folder, and proposes a job.
    pub fn import(
        folder: PathBuf,
        name: &str,
        data: &str,
        reading: &Reading,
        shelf: &Arc<Shelf>,
        progress: &dyn Progress,
    ) -> Result<Self, Failure> {
        let path = folder.join(data);
        let of_run =
            |error: privet_job::RunError| Failure::of(error.outcome(), plain(&error.to_string(), &folder));
        let mut meta = Meta { name: name.to_owned(), data: data.to_owned(), kind: None, guesses: Vec::new() };
        if let Some((kind, proposal)) = privet::propose(&path, progress) {
            meta.kind = Some(kind.to_owned());
            let reasons = proposal.reasons.iter();
            meta.guesses = reasons
                .map(|reason| Guess { name: String::new(), role: kind.to_owned(), reason: reason.clone() })
                .collect();
            return Self::write(folder, meta, &proposal.job, &[], shelf);
        }
        let usual = ReadOptions::default();
        let options = ReadOptions {
            sheet: reading.sheet.clone(),
            delimiter: reading.delimiter,
            header: reading.header,
            missing: reading.missing.clone().unwrap_or_else(|| usual.missing.clone()),
            ..usual
        };
        let (input, options) = look(&path, options, reading.skip, progress).map_err(of_run)?;
        progress.stage("proposing a job", None);
        let source = init::Source::of(data, &path, &input, &options);
        let proposal = propose(&input.table, name, &source);
        meta.guesses = proposal
            .columns
            .into_iter()
            .map(|own| Guess { name: own.name, role: own.role.word().to_owned(), reason: own.reason })
            .collect();
        Self::write(folder, meta, &proposal.job, &proposal.files, shelf)
    }

    fn write(
        folder: PathBuf,
        meta: Meta,
        job: &str,
        files: &[(String, String)],
        shelf: &Arc<Shelf>,
    ) -> Result<Self, Failure> {
        let failed = |error: String| Failure::failed(error);
        let mut edit = Edit::new(job).map_err(failed)?;
        // Jobs of some kinds name their data by another key, and name it so already.
        if meta.kind.is_none() {
            edit.set(&["input"], "path", meta.data.as_str());
        }
        edit.set(&["output"], "folder", RELEASE);
        edit.set(&["output"], "home", HOME);
        edit.set(&["output"], "replace", true);
        let shelf = Arc::clone(shelf);
        let project = Self { folder, meta, was_interrupted: false, shelf, editing: Mutex::new(()) };
        for (name, text) in files {
            project.save(name, text.as_bytes()).map_err(failed)?;
        }
        project.save(JOB, edit.text().as_bytes()).map_err(failed)?;
        project.save_json(META, &project.meta).map_err(failed)?;
        Ok(project)
    }

    /// Whether a folder holds a project.
    pub fn is_in(folder: &Path) -> bool {
        // What cannot be told is no reason to remove anything.
        folder.join(META).try_exists().unwrap_or(true)
    }

    /// A project of an earlier time.
    pub fn open(folder: PathBuf, shelf: &Arc<Shelf>) -> Option<Self> {
        let meta: Meta = serde_json::from_slice(&fs::read(folder.join(META)).ok()?).ok()?;
        let running = folder.join(RUNNING);
        let was_interrupted = running.exists();
        if was_interrupted {
            // Drafts of the killed run; a release is there as a whole or not at all.
            // why: what cannot be removed is no release, and the next start tries again
            let _ = privet_release::clean(&folder, false);
            let _ = fs::remove_file(running);
        }
        let (shelf, editing) = (Arc::clone(shelf), Mutex::new(()));
        Some(Self { folder, meta, was_interrupted, shelf, editing })
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn name(&self) -> &str {
        &self.meta.name
    }

    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    pub fn data(&self) -> PathBuf {
        self.folder.join(&self.meta.data)
    }

    /// Whether the data is a table of one record per person.
    pub fn is_table(&self) -> bool {
        self.meta.kind.is_none()
    }

    pub fn job_path(&self) -> PathBuf {
        self.folder.join(JOB)
    }

    pub fn release(&self) -> PathBuf {
        self.folder.join(RELEASE)
    }

    pub fn home(&self) -> PathBuf {
        self.folder.join(HOME)
    }

    /// Whether the job was changed after the release was made.
    pub fn is_changed(&self) -> bool {
        self.json::<String>(BASIS).is_some_and(|basis| basis != self.basis(true))
    }

    pub fn has_release(&self) -> bool {
        self.release().join(privet_release::MANIFEST).is_file()
    }

    /// The file of a population that was given to the project.
    pub fn population(&self) -> Option<String> {
        let name = |entry: fs::DirEntry| entry.file_name().into_string().ok();
        let mut names = fs::read_dir(&self.folder).ok()?.flatten().filter_map(name);
        names.find(|own| own.rsplit_once('.').is_some_and(|(stem, _)| stem == POPULATION))
    }

    /// The text of the job file.
    pub fn job_text(&self) -> String {
        // why: a job file that is gone is shown as an empty one, which the page says is wrong
        fs::read_to_string(self.job_path()).unwrap_or_default()
    }

    /// The text of the job file for use outside the page: it names the data as its owner does.
    pub fn job_outside(&self) -> String {
        // why: a job file that is no TOML names nothing, and is shown as it is
        crate::bundle::job(self).unwrap_or_else(|_| self.job_text())
    }

    /// Replaces the job file by one that may name the data as its owner does.
    pub fn set_job_from_outside(&self, text: &str) -> Result<(), String> {
        // What is no TOML is refused below, with the reason.
        let inside = crate::bundle::job_inside(self, text).unwrap_or_else(|_| text.to_owned());
        self.set_job(&inside)
    }

    /// The job file, confined to the folder.
    pub fn job_table(&self) -> Result<toml::Table, String> {
        confine::read(&self.job_text(), &self.meta.data)
    }

    /// The job, ready to run.
    pub fn job(&self) -> Result<Job, String> {
        self.job_table()?;
        Job::parse(&self.job_text(), &[]).map_err(|error| error.to_string())
    }

    /// What is wrong with the job file; nothing when it can be run.
    pub fn job_problem(&self) -> Option<String> {
        match self.is_table() {
            true => self.job().err(),
            false => self.job_table().err(),
        }
    }

    /// Replaces the job file by one that names files of this project only.
    pub fn set_job(&self, text: &str) -> Result<(), String> {
        if text.len() > LONGEST_JOB {
            return Err("the job file is longer than a megabyte".to_owned());
        }
        confine::read(text, &self.meta.data)?;
        self.save(JOB, text.as_bytes())
    }

    /// Changes the job file.
    pub fn edit(&self, change: impl FnOnce(&mut Edit) -> Result<(), String>) -> Result<(), String> {
        let _one_at_a_time = self.editing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut edit = Edit::new(&self.job_text())?;
        change(&mut edit)?;
        self.set_job(&edit.text())
    }

    /// What results follow from: the job without the places that they go to, and for candidates without the `k` that they differ by. What
    /// was found from another basis is shown as such.
    pub fn basis(&self, with_k: bool) -> String {
        let mut table = self.job_table().unwrap_or_default();
        table.remove("output");
        if let Some(toml::Value::Table(privacy)) = table.get_mut("privacy")
            && !with_k
        {
            privacy.remove("k-anonymity");
        }
        toml::to_string(&table).unwrap_or_default()
    }

    /// How the job reads its table.
    pub fn options(&self) -> Result<ReadOptions, String> {
        #[derive(Deserialize)]
        struct Head {
            input: privet_job::Input,
        }
        let table = self.job_table()?;
        let head: Head = table.try_into().map_err(|error: toml::de::Error| error.message().to_owned())?;
        head.input.options().map_err(|error| error.to_string())
    }

    /// The table, as the job reads it; kept until the job reads it in another way or others take its place.
    pub fn table(&self) -> Result<Arc<Read>, String> {
        let table = self.job_table()?;
        let section = toml::to_string(table.get("input").unwrap_or(&toml::Value::Boolean(false)))
            .map_err(|error| error.to_string())?;
        let options = self.options()?;
        self.shelf.table(&self.folder, &section, || {
            let told = Told::default();
            let input = read(&self.data(), &options, &told)
                .map_err(|error| plain(&error.to_string(), &self.folder))?;
            let notices = told.0.into_inner().unwrap_or_else(PoisonError::into_inner);
            let bytes = input.table.coded_bytes() as u64;
            Ok((Read { input, notices }, bytes))
        })
    }

    /// Runs the job: from here on it is what the command line does.
    pub fn run(&self, progress: &dyn Progress) -> Result<String, Failure> {
        // What was saved by an older version, or by hand, is confined before it is used.
        let table = self.job_table().map_err(Failure::failed)?;
        self.save(RUNNING, b"").map_err(Failure::failed)?;
        let basis = self.basis(true);
        let outcome = match of_kind(&table) {
            true => self.run_on_seam(progress),
            false => self.run_records(progress),
        };
        if outcome.is_ok() {
            // What was found about an earlier release says nothing about this one.
            for old in [VERDICT, ATTACKS, PEOPLE] {
                match fs::remove_file(self.folder.join(old)) {
                    Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                        return Err(Failure::failed(format!("{old} cannot be removed: {error}")));
                    }
                    _ => {}
                }
            }
            self.save_json(BASIS, &basis).map_err(Failure::failed)?;
        }
        // why: at the next start it would only say that a run was interrupted
        let _ = fs::remove_file(self.folder.join(RUNNING));
        outcome
    }

    fn run_records(&self, progress: &dyn Progress) -> Result<String, Failure> {
        let job = self.job().map_err(Failure::failed)?;
        let summary = self.run_job(&job, progress)?;
        let told = match &summary.counts {
            Some(counts) => serde_json::to_value(counts),
            None => serde_json::to_value(&summary),
        };
        self.save_json(SUMMARY, &told.unwrap_or_default()).map_err(Failure::failed)?;
        Ok("The release was made, proved from its files and attacked.".to_owned())
    }

    fn run_on_seam(&self, progress: &dyn Progress) -> Result<String, Failure> {
        let of_kind = |error: privet::KindError| {
            let state = match error.fault() {
                privet::Fault::Refused | privet::Fault::Budget => crate::tasks::State::Refused,
                privet::Fault::Stopped => crate::tasks::State::Stopped,
                _ => crate::tasks::State::Failed,
            };
            Failure { state, message: plain(&error.to_string(), &self.folder) }
        };
        let job = privet::JobFile::read(&self.job_path(), &[]).map_err(of_kind)?;
        let report = privet::run(&job, &[format!("privet anonymize {JOB}")], progress).map_err(of_kind)?;
        let told = serde_json::to_value(&report).unwrap_or_default();
        self.save_json(SUMMARY, &told).map_err(Failure::failed)?;
        Ok("The release was made, proved from its files and attacked.".to_owned())
    }

    /// Runs any job in the folder of the project.
    pub fn run_job(&self, job: &Job, progress: &dyn Progress) -> Result<Summary, Failure> {
        let reproduce = vec![format!("privet anonymize {JOB}")];
        let options = RunOptions { base: self.folder.clone(), reproduce, show_values: false };
        privet_job::run(job, &options, progress)
            .map_err(|error| Failure::of(error.outcome(), plain(&error.to_string(), &self.folder)))
    }

    /// Writes a file whole or not at all. Its name is one of ours.
    pub fn save(&self, name: &str, bytes: &[u8]) -> Result<(), String> {
        let path = self.folder.join(name);
        let failed = |error: std::io::Error| format!("{name} cannot be written: {error}");
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(failed)?;
        }
        let draft = PartialFile::beside(&path);
        fs::write(draft.path(), bytes).and_then(|()| draft.put()).map_err(failed)
    }

    pub fn save_json(&self, name: &str, value: &impl Serialize) -> Result<(), String> {
        let text = serde_json::to_vec(value).map_err(|error| error.to_string())?;
        self.save(name, &text)
    }

    pub fn json<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_json::from_slice(&fs::read(self.folder.join(name)).ok()?).ok()
    }
}

/// Whether a job names the kind of its release; others are about records.
pub(crate) fn of_kind(job: &toml::Table) -> bool {
    job.get("kind").is_some()
}

/// A message without the private folder in it, which says nothing to anybody.
pub(crate) fn plain(message: &str, folder: &Path) -> String {
    message
        .replace(&format!("{}/", folder.display()), "")
        .replace(&folder.display().to_string(), "the project")
}
