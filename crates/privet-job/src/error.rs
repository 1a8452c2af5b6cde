//! What can go wrong with a job, told to the person who can act.

use std::path::{Path, PathBuf};

use privet_criteria::CriterionError;
use privet_data::io::{ReadError, WriteError};
use privet_data::{Cancelled, HierarchyError};
use privet_perturb::PerturbError;
use privet_perturb::swap::SwapError;
use privet_perturb::synthetic::SyntheticError;
use privet_recode::lattice::SearchError;
use privet_release::{FolderError, PublishedError};

/// A job file that cannot be used. No message holds a value of the data.
#[derive(Debug, Clone, PartialEq)]
pub struct JobError {
    file: Option<PathBuf>,
    message: String,
}

impl std::error::Error for JobError {}

impl std::fmt::Display for JobError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.file {
            Some(file) => write!(f, "{}: {}", file.display(), self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl JobError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { file: None, message: message.into() }
    }

    pub(crate) fn key(key: impl AsRef<str>, problem: impl AsRef<str>) -> Self {
        Self::new(format!("`{}` {}", key.as_ref(), problem.as_ref()))
    }

    /// What is wrong with a file. What is not TOML at all may be a table that was given for a job: of that no line is quoted.
    pub(crate) fn toml(text: &str, error: &toml::de::Error) -> Self {
        if text.parse::<toml::Table>().is_err() {
            let before = error.span().and_then(|span| text.get(..span.start));
            let at = before.map_or(String::new(), |before| {
                let column = before.chars().rev().take_while(|&own| own != '\n').count() + 1;
                format!("line {}, column {column}: ", before.matches('\n').count() + 1)
            });
            let said = error.message().trim_end();
            return Self::new(format!(
                "{at}{said}; a job file is TOML, and `privet init data.csv` writes one for a table"
            ));
        }
        let said = error.to_string();
        let is_other = ["`perturb`", "`randomize`", "`values`"]
            .iter()
            .any(|key| said.contains(&format!("unknown field {key}")));
        let hint = match () {
            () if is_other => "\nJobs that perturb are run by `privet randomize`",
            () if said.contains("missing field `input`") => {
                "\nSay where the table is, in a section [input] with path = \"data.csv\"; `privet init data.csv` writes a \
                 whole job"
            }
            () => "",
        };
        Self::new(format!("{}{hint}", said.trim_end()))
    }

    pub(crate) fn criterion(error: &CriterionError) -> Self {
        Self::new(error.to_string())
    }

    /// The same message about a key by another name: a flag of the command line stands for it.
    pub(crate) fn in_terms_of(self, section: &str, flag: &str) -> Self {
        Self { message: self.message.replace(&format!("`{section}"), &format!("`{flag}")), ..self }
    }

    /// What is wrong, without the file that it is wrong with.
    pub(crate) fn problem(&self) -> &str {
        &self.message
    }

    pub(crate) fn at(self, file: &Path) -> Self {
        Self { file: Some(file.to_owned()), ..self }
    }
}

/// Why a job did not end in a release.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The job file.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The input.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A hierarchy.
    #[error("`columns.{column}.hierarchy`: {source}")]
    Hierarchy {
        /// The column.
        column: String,
        /// What is wrong with it.
        source: HierarchyError,
    },
    /// A promise that cannot be kept or understood.
    #[error(transparent)]
    Criterion(#[from] CriterionError),
    /// The search.
    #[error(transparent)]
    Search(SearchError),
    /// The release could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The release folder.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A release that was to be measured or attacked.
    #[error(transparent)]
    Published(#[from] PublishedError),
    /// An attack succeeds against too many people.
    #[error(
        "no release is handed over: the attack `{attack}`{} succeeds against {} % of the people{knowing}, and `adversary.max-risk` \
         accepts {} %. {instead}, or accept more",
        column.as_ref().map_or(String::new(), |column| format!(" on {column}")), privet_report::above(*risk, *accepted), privet_attack::percent(*accepted)
    )]
    Attacked {
        /// The attack.
        attack: &'static str,
        /// The sensitive column that it is on.
        column: Option<String>,
        /// The share of people against whom it succeeds.
        risk: f64,
        /// What one knows for that beyond what the attack assumes, as the end of a sentence.
        knowing: &'static str,
        /// The share that is accepted.
        accepted: f64,
        /// What may be done instead of accepting more.
        instead: &'static str,
    },
    /// Whatever is published tells too much to those who know the search.
    #[error(
        "no release is handed over: of {candidates} choices of levels that may be published, none keeps the promises also against those who \
         know the search and work out for which originals it would have published the same (`adversary.countermeasure` = \"p-safe\"). \
         Promise less under [privacy], give the columns hierarchies that end in one label for all values, or use \
         countermeasure = \"distort\""
    )]
    NothingSafe {
        /// How many there are.
        candidates: u64,
    },
    /// A column that cannot be perturbed or estimated.
    #[error("`columns.{column}.perturb`: {source}")]
    Perturb {
        /// The column.
        column: String,
        /// What is wrong.
        source: PerturbError,
    },
    /// A table of counts that cannot be changed as it would have to be.
    #[error("no release is handed over: in count table {table}, {problem}")]
    Counts {
        /// The table, counted from 1.
        table: usize,
        /// What is in the way, and what would help.
        problem: String,
    },
    /// A view that no levels make safe.
    #[error(
        "no release is handed over: view {view} cannot keep its promises. Even with every column at its top level, {failing} \
         records are in groups that fail: {}. Relax it in {section}, name other columns in the view, or give them \
         hierarchies that end in one label for all values",
        criteria.join("; ")
    )]
    View {
        /// The view, counted from 1.
        view: usize,
        /// Records in failing groups.
        failing: u64,
        /// What fails, as `key: promise`.
        criteria: Vec<String>,
        /// Where it was promised.
        section: &'static str,
    },
    /// Records that cannot be swapped.
    #[error("`randomize`: {0}")]
    Swap(#[from] SwapError),
    /// Records that cannot be made.
    #[error("`randomize`: {message}")]
    Synthetic {
        /// What is wrong, with columns by their names.
        message: String,
        /// The same with columns by their numbers.
        source: SyntheticError,
    },
    /// The person asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl From<SearchError> for RunError {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Cancelled(cancelled) => Self::Cancelled(cancelled),
            other => Self::Search(other),
        }
    }
}

/// What a pipeline should make of it (DESIGN section 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The gate said no.
    Refused,
    /// Bad input or usage.
    BadInput,
    /// The privacy budget does not suffice.
    Budget,
    /// Resources.
    Resources,
    /// Stopped by the person.
    Stopped,
}

impl RunError {
    /// What a pipeline should make of it.
    pub fn outcome(&self) -> Outcome {
        match self {
            RunError::Attacked { .. }
            | RunError::NothingSafe { .. }
            | RunError::Counts { .. }
            | RunError::View { .. } => Outcome::Refused,
            RunError::Perturb { source: PerturbError::NoRandomness, .. }
            | RunError::Swap(SwapError::Perturb(PerturbError::NoRandomness))
            | RunError::Synthetic { source: SyntheticError::Perturb(PerturbError::NoRandomness), .. } => {
                Outcome::Resources
            }
            RunError::Published(PublishedError::Cancelled) => Outcome::Stopped,
            RunError::Published(PublishedError::Io { .. }) => Outcome::Resources,
            RunError::Search(
                SearchError::NoSafeNode { .. }
                | SearchError::NoSafeTable { .. }
                | SearchError::NothingFound { .. }
                | SearchError::DecompositionUnsafe { .. }
                | SearchError::NotEligible { .. }
                | SearchError::BucketsFail { .. }
                | SearchError::GivenBucketsFail { .. }
                | SearchError::NotProtectable { .. }
                | SearchError::ViewsTell { .. }
                | SearchError::Unsafe { .. },
            ) => Outcome::Refused,
            RunError::Search(
                SearchError::TooManyNodes { .. }
                | SearchError::TooManyCells { .. }
                | SearchError::TooWide { .. }
                | SearchError::NoBounds { .. }
                | SearchError::NoRandomness
                | SearchError::Temporary { .. }
                | SearchError::TooManyRows,
            ) => Outcome::Resources,
            RunError::Cancelled(_) | RunError::Write(WriteError::Cancelled(_)) => Outcome::Stopped,
            RunError::Read(error) if error.is_cancelled() => Outcome::Stopped,
            RunError::Write(WriteError::Io(_) | WriteError::Format { .. }) => Outcome::Resources,
            // What stands in the way is the person's to name or to move.
            RunError::Folder(
                FolderError::Exists(_)
                | FolderError::NotARelease(_)
                | FolderError::OtherFiles { .. }
                | FolderError::NoName(_),
            ) => Outcome::BadInput,
            RunError::Folder(_) => Outcome::Resources,
            _ => Outcome::BadInput,
        }
    }
}
