//! Kinds of release: what a kind offers, so that every verb can serve it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use privet_data::{Progress, Table};
use privet_release::{Draft, Promised, Randomness, ReleaseFolder};
use serde_json::Value;

use crate::answer::{NoAnswer, Question, ReleaseAnswer};
use crate::assessment::Assessment;
use crate::attack::Attack;
use crate::error::KindError;
use crate::job::{JobFile, Section};
use crate::measure::Measure;
use crate::page::PageSection;
use crate::views::Views;

/// A form of publication.
///
/// A new kind is one crate with this trait, one referee, one dependency of `privet` and one line in its registry.
pub trait Kind: Sync {
    /// The word after `kind =` in a job.
    fn id(&self) -> &'static str;

    /// Its title, such as `Graph`.
    fn title(&self) -> &'static str;

    /// Its sections of the job file.
    fn sections(&self) -> &'static [Section];

    /// Its attacks.
    fn attacks(&self) -> &'static [&'static dyn Attack];

    /// Its measures.
    fn measures(&self) -> &'static [&'static dyn Measure];

    /// The files that a job of this kind reads; no command writes over them.
    ///
    /// # Errors
    /// When the job names none.
    fn inputs(&self, job: &JobFile) -> Result<Vec<PathBuf>, KindError>;

    /// Makes a release: writes its data files into the draft and says what it promises.
    ///
    /// # Errors
    /// When the input or the job is wrong, or a promise cannot be kept.
    fn make(&self, job: &JobFile, draft: &Draft, progress: &dyn Progress) -> Result<Outcome, KindError>;

    /// Opens what was published.
    ///
    /// # Errors
    /// When a file does not have the form of this kind.
    fn open(&self, folder: &ReleaseFolder, progress: &dyn Progress) -> Result<Box<dyn Release>, KindError>;

    /// Reads the original that a job names, with what only the owner knows about who is who.
    ///
    /// # Errors
    /// When the input cannot be read, or what the owner keeps does not fit it.
    fn original(
        &self,
        job: &JobFile,
        owner: &OwnerFiles,
        progress: &dyn Progress,
    ) -> Result<Box<dyn Original>, KindError>;

    /// A job that names no kind and is for this one all the same, in the words of this kind; `None` when it is not. The default takes none.
    ///
    /// # Errors
    /// When the job is for this kind and says what this kind cannot do.
    fn adopt(&self, _job: &JobFile) -> Result<Option<JobFile>, KindError> {
        Ok(None)
    }

    /// Recognises this shape in a file, for `privet init`. The default recognises nothing.
    fn recognise(&self, _sample: &Sample<'_>) -> Option<Proposal> {
        None
    }

    /// A story on generated data, for `privet demo --shape`. The default has none.
    fn demo(&self) -> Option<Demo> {
        None
    }
}

/// A release that was opened.
pub trait Release {
    /// What verbs may look at.
    fn views(&self) -> Views<'_>;

    /// The title of its page and one line below it.
    fn heading(&self) -> (String, String);

    /// The sections of its page that only this kind can write: what was published, with pictures. The verbs add the promises, the
    /// attacks and the files. It must follow from the published files and the assessment alone.
    fn sections(&self, assessment: &Assessment) -> Vec<PageSection>;

    /// Answers a question from what is published. The default says that this kind answers none.
    ///
    /// # Errors
    /// When the kind answers none, or the question does not fit the release.
    fn answer(&self, _question: &Question) -> Result<ReleaseAnswer, NoAnswer> {
        Err(NoAnswer::Unsupported)
    }
}

/// The original of a release.
pub trait Original {
    /// What attacks and measures compare with.
    fn views(&self) -> Views<'_>;
}

/// What making a release came to.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What only this kind states in the manifest.
    pub body: Value,
    /// What holds.
    pub promises: Vec<Promised>,
    /// Where randomness came from.
    pub randomness: Randomness,
    /// Files for the owner alone, such as who is who; written to `output.home`.
    pub owner: OwnerFiles,
    /// What was done, for the terminal: name and value.
    pub summary: Vec<(String, String)>,
}

/// What the summary of a release with a privacy loss says where no ledger was charged.
pub const NO_LEDGER: &str = "none was charged: nothing adds up what is published about these people";

/// Files that only the owner keeps, by name.
#[derive(Debug, Clone, Default)]
pub struct OwnerFiles {
    files: BTreeMap<String, Vec<u8>>,
}

impl OwnerFiles {
    /// Adds a file.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, bytes: Vec<u8>) -> Self {
        self.files.insert(name.into(), bytes);
        self
    }

    /// Reads the files that stand in the owner's folder; none when there is no such folder.
    ///
    /// # Errors
    /// When the system does not let us read them.
    pub fn read(folder: &Path) -> Result<Self, KindError> {
        let mut own = Self::default();
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(own),
            Err(error) => return Err(KindError::io(folder, &error)),
        };
        for entry in entries {
            let path = entry.map_err(|error| KindError::io(folder, &error))?.path();
            let name = path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
            if let (Some(name), true) = (name, path.is_file()) {
                let bytes = privet_data::io::read_plain(&path, privet_data::io::input_limit());
                own.files.insert(name, bytes.map_err(|error| KindError::io(&path, &error))?);
            }
        }
        Ok(own)
    }

    /// A file.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.files.get(name).map(Vec::as_slice)
    }

    /// All files.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

/// What `privet init` shows to each kind.
#[derive(Clone, Copy)]
pub struct Sample<'a> {
    /// The file, as the job has to name it.
    pub path: &'a Path,
    /// Its first bytes as text; empty when it is not text.
    pub head: &'a str,
    /// The whole file as a table, when it is one.
    pub table: Option<&'a Table>,
}

/// What `privet init` proposes.
#[derive(Debug, Clone)]
pub struct Proposal {
    /// How sure the kind is, from 0 to 1; a table of one row per person is proposed below 0.5.
    pub confidence: f64,
    /// Why: one sentence each, without a value of the data.
    pub reasons: Vec<String>,
    /// The text of the job file.
    pub job: String,
}

/// A story: files, and jobs that are run one after the other on them.
#[derive(Debug, Clone)]
pub struct Demo {
    /// One or two sentences.
    pub introduction: &'static str,
    /// The files to write first.
    pub files: Vec<(&'static str, Vec<u8>)>,
    /// The job files among them, each with what it shows.
    pub jobs: Vec<(&'static str, &'static str)>,
}
