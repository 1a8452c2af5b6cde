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

use crate::engine::EngineError;
use crate::memory_limit::TooLittle;

/// A job file that cannot be used. No message holds a value of the data.
#[derive(Debug, Clone, PartialEq)]
pub struct JobError {
    file: Option<PathBuf>,
    message: String,
    /// Whether something ran out, rather than that the job is at fault.
    is_resources: bool,
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

/// Whether a job says how values are changed by chance, which is for another verb.
fn perturbs(job: &toml::Table) -> bool {
    let columns = job.get("columns").and_then(toml::Value::as_table);
    let mut columns = columns.into_iter().flat_map(toml::Table::values).filter_map(toml::Value::as_table);
    job.contains_key("randomize")
        || columns.any(|own| own.contains_key("perturb") || own.contains_key("values"))
}

impl JobError {
    /// An error with a message that says what is wrong and what would be accepted.
    pub fn new(message: impl Into<String>) -> Self {
        Self { file: None, message: message.into(), is_resources: false }
    }

    /// A file that the system did not let us write: its disk may be full.
    pub fn unwritten(problem: &str, path: &Path, error: &std::io::Error) -> Self {
        Self { is_resources: ran_out(error), ..Self::new(format!("{problem}: {error}")) }.at(path)
    }

    /// Whether something ran out, rather than that the job is at fault.
    pub fn is_resources(&self) -> bool {
        self.is_resources
    }

    /// A key of the job is at fault; `problem` continues the sentence that begins with the key.
    pub fn key(key: impl AsRef<str>, problem: impl AsRef<str>) -> Self {
        Self::new(format!("`{}` {}", key.as_ref(), problem.as_ref()))
    }

    /// What is wrong with a file. What is not TOML at all may be a table that was given for a job: of that no line is quoted.
    pub fn toml(text: &str, error: &toml::de::Error) -> Self {
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
        Self::new(error.to_string().trim_end())
    }

    /// The same of a job for `privet anonymize`, or for a verb that `changes` values by chance, with a hint at what is missing.
    pub fn of_job(text: &str, error: &toml::de::Error, changes: bool) -> Self {
        let own = Self::toml(text, error);
        let Ok(job) = text.parse::<toml::Table>() else { return own };
        let hint = match () {
            () if !changes && perturbs(&job) => "\nJobs that perturb are run by `privet randomize`",
            () if !job.contains_key("input") => {
                "\nSay where the table is, in a section [input] with path = \"data.csv\"; `privet init data.csv` writes a \
                 whole job"
            }
            () => "",
        };
        Self { message: format!("{}{hint}", own.message), ..own }
    }

    /// The same error as a criterion's.
    pub fn criterion(error: &CriterionError) -> Self {
        Self::new(error.to_string())
    }

    /// The same message about a key by another name: a flag of the command line stands for it.
    #[must_use]
    pub fn in_terms_of(self, section: &str, flag: &str) -> Self {
        Self { message: self.message.replace(&format!("`{section}"), &format!("`{flag}")), ..self }
    }

    /// What is wrong, without the file that it is wrong with.
    pub fn problem(&self) -> &str {
        &self.message
    }

    /// The same error about a file.
    #[must_use]
    pub fn at(self, file: &Path) -> Self {
        Self { file: Some(file.to_owned()), ..self }
    }
}

/// Whether an error says that the disk, a quota, memory or the number of open files does not suffice.
pub fn ran_out(error: &std::io::Error) -> bool {
    use std::io::ErrorKind;
    // Too many open files, in the system or in the process, have no kind of their own.
    const OPEN_FILES: [i32; 2] = [23, 24];
    matches!(
        error.kind(),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge | ErrorKind::OutOfMemory
    ) || cfg!(unix) && error.raw_os_error().is_some_and(|code| OPEN_FILES.contains(&code))
}

/// Why a release would have no records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NothingLeft {
    /// The input has none.
    #[error("The table has none")]
    NoInput,
    /// All are suppressed, as the job allows.
    #[error(
        "All {records} records of the table would be suppressed, which `search.suppress-at-most` allows. Lower it, promise less \
         under [privacy], or give the columns hierarchies that end in one label for all values"
    )]
    Suppressed {
        /// The records of the table.
        records: u64,
    },
    /// A method that makes records made none.
    #[error("Of {records} records of the table none was made; ask for more")]
    NoneMade {
        /// The records of the table.
        records: u64,
    },
}

/// What is wrong with the hierarchy of a column.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error(
    "`columns.{column}.hierarchy`: {source}{}{}",
    first.as_ref().map_or(String::new(), |first| format!("; the first such value is in {first}")),
    values.as_ref().map_or(String::new(), |values| format!("\n  {}", values.join("\n  ")))
)]
pub struct HierarchyFault {
    /// The column.
    pub column: String,
    /// What is wrong.
    pub source: HierarchyError,
    /// Where the first value stands that is not covered.
    pub first: Option<String>,
    /// The values that are not covered: for the owner's terminal, and only where the owner asked for them.
    pub values: Option<Vec<String>>,
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
    /// The hierarchies of several columns, or one of which it is known where the values stand that are wrong.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Hierarchies(Vec<HierarchyFault>),
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
    /// The report could not be made of what its manifest holds: a mistake of this program.
    #[error("the report cannot be made: {0}; this is a mistake of privet, please tell its makers")]
    Pages(privet_report::PageError),
    /// A key that should sign.
    #[error("`output.sign`: {0}")]
    Key(#[from] privet_release::KeyError),
    /// A release that was to be measured or attacked.
    #[error(transparent)]
    Published(#[from] PublishedError),
    /// An attack succeeds against too many people.
    #[error(
        "no release was written: the attack `{attack}`{} {reaches}{knowing}, and `adversary.{limit}` \
         accepts {} %. {instead}, or accept more",
        column.as_ref().map_or(String::new(), |column| format!(" on {column}")), privet_attack::percent(*accepted)
    )]
    Attacked {
        /// The attack.
        attack: &'static str,
        /// The sensitive column that it is on.
        column: Option<String>,
        /// Against how many people it succeeds, as the end of a sentence.
        reaches: String,
        /// Which limit that exceeds.
        limit: &'static str,
        /// What one knows for that beyond what the attack assumes, as the end of a sentence.
        knowing: &'static str,
        /// The share that is accepted.
        accepted: f64,
        /// What may be done instead of accepting more.
        instead: &'static str,
    },
    /// Whatever is published tells too much to those who know the search.
    #[error(
        "no release was written: of {candidates} choices of levels that may be published, none keeps the promises also against those who \
         know the search and work out for which originals it would have published the same (`adversary.countermeasure` = \"p-safe\"). \
         Promise less under [privacy], give the columns hierarchies that end in one label for all values, or use \
         countermeasure = \"distort\""
    )]
    NothingSafe {
        /// How many there are.
        candidates: u64,
    },
    /// A recoding that does not keep its promises on new rows.
    #[error(
        "no release was written: with this recoding the new rows do not keep every promise, and {suppressed} records would have to be \
         suppressed where `search.suppress-at-most` allows {limit}: {}. Make a new release of these rows with `privet anonymize`, or \
         allow more",
        promises.join("; ")
    )]
    NoLonger {
        /// What fails, with numbers.
        promises: Vec<String>,
        /// Records that would be suppressed.
        suppressed: u64,
        /// Records that may be.
        limit: u64,
    },
    /// Several releases together leave too little possible.
    #[error(
        "no release was written: together with earlier releases, {exposed} of {people} people who may be in them have fewer than {least} \
         possible sensitive values ({certain} have one), and `history.max-risk` accepts {} %. Promise more under [privacy], keep the \
         recoding of the earlier release (`privet apply`), publish m-invariantly (kind = \"series\"), or accept more",
        privet_attack::percent(*accepted)
    )]
    Composed {
        /// People who may be in an earlier release as well.
        people: u64,
        /// Those with fewer possible values.
        exposed: u64,
        /// Those with one.
        certain: u64,
        /// How many values must be possible.
        least: u64,
        /// The share that is accepted.
        accepted: f64,
    },
    /// Two releases of a table that grew leave too few records of a class.
    #[error(
        "no release was written: when records that cannot be the target's are taken out, {left} are left of a class, and \
         `history.least-left` asks for {least}. Every record of the earlier release is one of this one, which tells them. Promise more \
         under [privacy], or keep the recoding of the earlier release (`privet apply`)"
    )]
    Corresponds {
        /// Records that are left.
        left: u64,
        /// Records that must be.
        least: u64,
    },
    /// There is nothing to publish.
    #[error("no release was written: it would have no records. {0}")]
    Empty(NothingLeft),
    /// A column that cannot be perturbed or estimated.
    #[error("`columns.{column}.perturb`: {source}")]
    Perturb {
        /// The column.
        column: String,
        /// What is wrong.
        source: PerturbError,
    },
    /// A table of counts that cannot be changed as it would have to be.
    #[error("no release was written: in count table {table}, {problem}")]
    Counts {
        /// The table, counted from 1.
        table: usize,
        /// What is in the way, and what would help.
        problem: String,
    },
    /// A view that no levels make safe.
    #[error(
        "no release was written: view {view} cannot keep its promises. Even with every column at its top level, {failing} \
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
    /// An engine that reads or writes the table.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// What must be kept does not fit the limit on memory.
    #[error(transparent)]
    TooLittle(#[from] TooLittle),
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

/// What a pipeline should make of a table that was not read.
pub fn outcome_of_reading(error: &ReadError) -> Outcome {
    match error {
        error if error.is_cancelled() => Outcome::Stopped,
        error if error.is_resources() => Outcome::Resources,
        _ => Outcome::BadInput,
    }
}

impl RunError {
    /// What a pipeline should make of it.
    pub fn outcome(&self) -> Outcome {
        match self {
            RunError::Attacked { .. }
            | RunError::NothingSafe { .. }
            | RunError::NoLonger { .. }
            | RunError::Composed { .. }
            | RunError::Corresponds { .. }
            | RunError::Empty(_)
            | RunError::Counts { .. }
            | RunError::View { .. } => Outcome::Refused,
            RunError::Perturb { source: PerturbError::NoRandomness, .. }
            | RunError::Swap(SwapError::Perturb(PerturbError::NoRandomness))
            | RunError::Synthetic { source: SyntheticError::Perturb(PerturbError::NoRandomness), .. } => {
                Outcome::Resources
            }
            RunError::Published(PublishedError::Cancelled) => Outcome::Stopped,
            // What is no plain file is not what a release has there.
            RunError::Published(PublishedError::Io { source, .. })
                if source.kind() == std::io::ErrorKind::InvalidInput =>
            {
                Outcome::BadInput
            }
            RunError::Published(PublishedError::Io { .. }) => Outcome::Resources,
            RunError::Search(
                SearchError::NoSafeNode { .. }
                | SearchError::Unsettled { .. }
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
                | SearchError::Endless { .. }
                | SearchError::TooManyRows,
            ) => Outcome::Resources,
            RunError::TooLittle(_) => Outcome::Resources,
            RunError::Engine(error) if error.is_resources() => Outcome::Resources,
            RunError::Cancelled(_) | RunError::Write(WriteError::Cancelled(_)) => Outcome::Stopped,
            RunError::Read(error) => outcome_of_reading(error),
            RunError::Published(PublishedError::Read(error)) => outcome_of_reading(error),
            RunError::Job(error) if error.is_resources() => Outcome::Resources,
            RunError::Write(WriteError::Io(_) | WriteError::Format { .. }) => Outcome::Resources,
            // What stands in the way is the person's to name or to move.
            RunError::Folder(
                FolderError::Exists(_)
                | FolderError::NotARelease(_)
                | FolderError::NotAResult(_)
                | FolderError::OtherFiles { .. }
                | FolderError::NoName(_),
            ) => Outcome::BadInput,
            RunError::Folder(_) => Outcome::Resources,
            _ => Outcome::BadInput,
        }
    }
}
