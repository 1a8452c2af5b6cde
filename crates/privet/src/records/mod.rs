//! Anonymized records from a program: the main job without a job file.
//!
//! A builder says what each column is, what must hold and what to minimize; every key of the job file can be set. A run ends in a
//! release that is complete before anybody sees it: proven from its own files, attacked, and only then given to the caller.

mod frame;
mod hierarchy;
mod kept;
mod promise;
mod recoding;
mod release;

use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use privet_data::io::Frame;
use privet_data::{Progress, Silent};
use privet_job::{Job, RunOptions};
use privet_kind::{Fault, KindError};
use toml::{Table, Value};

use crate::job_keys::{JobKeys, scratch, whole};

pub(crate) use frame::{read as read_frame, write as write_frame};
pub use hierarchy::{Hierarchy, dates, groups, hierarchy_file, intervals, mask_left, mask_right, values};
pub use kept::KeptSource;
pub use promise::{Promise, distinct, entropy, recursive};
pub use recoding::Recoding;
pub(crate) use release::copy_files;
pub use release::{AnonymizedRelease, read_records, read_table, table_names};

/// Where records come from.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Source {
    /// A file: CSV, Parquet or Arrow.
    File(PathBuf),
    /// A frame in memory, as record batches of one schema.
    Frame(Frame),
}

impl From<&RecordBatch> for Source {
    fn from(batch: &RecordBatch) -> Self {
        Self::Frame(batch.clone().into())
    }
}

impl From<RecordBatch> for Source {
    fn from(batch: RecordBatch) -> Self {
        Self::Frame(batch.into())
    }
}

impl From<Frame> for Source {
    fn from(frame: Frame) -> Self {
        Self::Frame(frame)
    }
}

impl From<&Path> for Source {
    fn from(path: &Path) -> Self {
        Self::File(path.to_owned())
    }
}

impl From<PathBuf> for Source {
    fn from(path: PathBuf) -> Self {
        Self::File(path)
    }
}

impl From<&str> for Source {
    fn from(path: &str) -> Self {
        Self::File(path.into())
    }
}

/// Begins to anonymize records. Columns that are not named are not published.
///
/// ```
/// use std::sync::Arc;
///
/// use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
///
/// let ages: ArrayRef = Arc::new(Int64Array::from(vec![31, 34, 38, 52, 55, 59]));
/// let zips: ArrayRef = Arc::new(StringArray::from(vec!["1304", "1305", "1306", "1487", "1488", "1489"]));
/// let ills: ArrayRef = Arc::new(StringArray::from(vec!["flu", "gastritis", "cancer", "flu", "cancer", "gastritis"]));
/// let batch = RecordBatch::try_from_iter([("age", ages), ("zip", zips), ("diagnosis", ills)])?;
///
/// let release = privet::anonymize(&batch)
///     .quasi("age", privet::intervals([10, 20]))
///     .quasi("zip", privet::mask_right())
///     .sensitive("diagnosis")
///     .k(3)
///     .l_diversity(privet::distinct(3))
///     .run()?;
/// assert_eq!(release.batch()?.num_rows(), 6);
/// assert!(release.verify()?.holds());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn anonymize(source: impl Into<Source>) -> Anonymize {
    Anonymize { source: source.into(), job: JobKeys::default() }
}

/// A job that is being described.
#[derive(Debug, Clone)]
#[must_use = "nothing happens until `run`"]
pub struct Anonymize {
    source: Source,
    job: JobKeys,
}

impl Anonymize {
    /// A column that names people; it is not published.
    pub fn identifier(self, column: &str) -> Self {
        self.role(column, "identifier")
    }

    /// A column by which people can be found again, and how it is generalized.
    pub fn quasi(self, column: &str, hierarchy: Hierarchy) -> Self {
        let mut own = self.role(column, "quasi");
        if let Some(value) = hierarchy.into_value() {
            own.job.put(&["columns", column, "hierarchy"], value);
        }
        own
    }

    /// A column that nobody shall learn about a person.
    pub fn sensitive(self, column: &str) -> Self {
        self.role(column, "sensitive")
    }

    /// A column that is published as it is.
    pub fn insensitive(self, column: &str) -> Self {
        self.role(column, "insensitive")
    }

    /// k-anonymity (PM-05).
    pub fn k(mut self, k: u64) -> Self {
        self.job.put(&["privacy", "k-anonymity"], whole(k));
        self
    }

    /// l-diversity (PM-07 to PM-09), such as [`distinct`]`(3)`.
    pub fn l_diversity(self, promise: Promise) -> Self {
        self.promise("l-diversity", promise)
    }

    /// t-closeness (PM-26) with the variational distance.
    pub fn t_closeness(self, t: f64) -> Self {
        self.promise("t-closeness", Promise::of("t", t).with("kind", "variational"))
    }

    /// Any promise of the `[privacy]` section by its key.
    pub fn promise(mut self, key: &str, promise: Promise) -> Self {
        self.job.put(&["privacy", key], promise.into_value());
        self
    }

    /// The largest share of records that may be left out.
    pub fn suppress_at_most(mut self, share: f64) -> Self {
        self.job.put(&["search", "suppress-at-most"], Value::Float(share));
        self
    }

    /// The algorithm, by its word in the job file.
    pub fn algorithm(mut self, word: &str) -> Self {
        self.job.put(&["search", "algorithm"], Value::String(word.to_owned()));
        self
    }

    /// The metric to minimize, by its word in the job file.
    pub fn minimize(mut self, word: &str) -> Self {
        self.job.put(&["search", "minimize"], Value::String(word.to_owned()));
        self
    }

    /// The largest share of people that an attack may expose beyond its control.
    pub fn max_risk(mut self, share: f64) -> Self {
        self.job.put(&["adversary", "max-risk"], Value::Float(share));
        self
    }

    /// Any key of the job file, such as `set("search.mondrian.mode", "relaxed")`.
    pub fn set(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.job.set(key, value);
        self
    }

    /// Every key of these sections of a job file, such as a job that was read from elsewhere. What was set before stays where
    /// the sections do not say otherwise.
    pub fn settings(mut self, sections: Table) -> Self {
        self.job.merge(sections);
        self
    }

    /// Runs the job.
    ///
    /// # Errors
    /// When the input or the job is wrong ([`Fault::BadInput`]), no safe release exists or an attack exceeds the limit
    /// ([`Fault::Refused`]), or something ran out ([`Fault::Resources`]).
    pub fn run(self) -> Result<AnonymizedRelease, KindError> {
        self.run_with(&Silent)
    }

    /// Runs the job, tells its progress, and stops when it is asked to.
    ///
    /// # Errors
    /// As [`Anonymize::run`].
    pub fn run_with(mut self, progress: &dyn Progress) -> Result<AnonymizedRelease, KindError> {
        let scratch = scratch()?;
        self.job.set("output.folder", "release");
        let (_, text, frame) = self.job.write_lazily(&self.source, &scratch)?;
        let mut job = Job::parse(&text, &[]).map_err(|error| KindError::bad_input(error.to_string()))?;
        job.input.frame.clone_from(&frame);
        let options = RunOptions { base: scratch.path().to_owned(), ..RunOptions::default() };
        let summary = privet_job::run(&job, &options, progress).map_err(error)?;
        Ok(AnonymizedRelease::new(scratch, summary, frame))
    }

    fn role(mut self, column: &str, role: &str) -> Self {
        self.job.role(column, role);
        self
    }
}

/// A folder that goes when it is dropped, and that nobody but this user can look into.
pub(crate) fn private_folder() -> std::io::Result<tempfile::TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("privet-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder.tempdir()
}

/// An error of a job as an error of this library.
pub(crate) fn error(error: privet_job::RunError) -> KindError {
    KindError::new(fault(error.outcome()), error.to_string())
}

/// Whose turn it is.
pub(crate) fn fault(outcome: privet_job::Outcome) -> Fault {
    match outcome {
        privet_job::Outcome::Refused => Fault::Refused,
        privet_job::Outcome::BadInput => Fault::BadInput,
        privet_job::Outcome::Budget => Fault::Budget,
        privet_job::Outcome::Resources => Fault::Resources,
        privet_job::Outcome::Stopped => Fault::Stopped,
    }
}
