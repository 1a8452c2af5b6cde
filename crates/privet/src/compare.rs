//! A release beside its original, from a program: what it is still good for, and what its records risk.

use std::path::{Path, PathBuf};

use privet_data::{Progress, Silent};
use privet_job::assess::{self, MeasureOptions};
use privet_kind::KindError;

use crate::records::error;

/// Questions that are asked of a release and its original unless a comparison says otherwise.
const QUERIES: usize = 200;

/// Begins to compare a release of records with its original: the table, or the job file that names it.
///
/// ```
/// # let batch = arrow_array::RecordBatch::try_from_iter([
/// #     ("age", std::sync::Arc::new(arrow_array::Int64Array::from_iter_values((0..60).map(|i| 20 + i % 40))) as arrow_array::ArrayRef),
/// # ])?;
/// let release = privet::anonymize(&batch).quasi("age", privet::intervals([10, 20])).k(5).run()?;
/// let found = release.compare().queries(50).run()?;
/// assert!(found.utility.is_some() && found.risk.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compare(original: impl Into<PathBuf>, release: impl Into<PathBuf>) -> Comparison {
    let options = MeasureOptions {
        original: original.into(),
        release: release.into(),
        queries: QUERIES,
        seed: 1,
        ..MeasureOptions::default()
    };
    Comparison { options }
}

/// A comparison that is being described.
#[derive(Debug, Clone)]
#[must_use = "nothing happens until `run`"]
pub struct Comparison {
    options: MeasureOptions,
}

impl Comparison {
    /// The job file, where the original is a table.
    pub fn job(mut self, path: impl Into<PathBuf>) -> Self {
        self.options.job = Some(path.into());
        self
    }

    /// A column that classifiers learn to predict, from the original and from the release.
    pub fn class(mut self, column: &str) -> Self {
        self.options.class.push(column.to_owned());
        self
    }

    /// A column of numbers that a regression learns to predict.
    pub fn target(mut self, column: &str) -> Self {
        self.options.target.push(column.to_owned());
        self
    }

    /// Records that never were part of the release, to test on.
    pub fn test(mut self, path: impl AsRef<Path>) -> Self {
        self.options.test = Some(path.as_ref().to_owned());
        self
    }

    /// How many random questions are asked.
    pub fn queries(mut self, many: usize) -> Self {
        self.options.queries = many;
        self
    }

    /// A file with questions of the owner's own.
    pub fn workload(mut self, path: impl Into<PathBuf>) -> Self {
        self.options.workload = Some(path.into());
        self
    }

    /// A table of the population, for the journalist's risk.
    pub fn population(mut self, path: impl Into<PathBuf>) -> Self {
        self.options.population = Some(path.into());
        self
    }

    /// How many people the table is a random sample of.
    pub fn population_size(mut self, people: u64) -> Self {
        self.options.population_size = Some(people);
        self
    }

    /// From which chance of being found again on records are counted.
    pub fn risk_threshold(mut self, share: f64) -> Self {
        self.options.risk_threshold = Some(share);
        self
    }

    /// The seed of what is drawn.
    pub fn seed(mut self, seed: u64) -> Self {
        self.options.seed = seed;
        self
    }

    /// Writes the owner's page to this file.
    pub fn report(mut self, path: impl Into<PathBuf>) -> Self {
        self.options.report = Some(path.into());
        self
    }

    /// Compares.
    ///
    /// # Errors
    /// When the release, the original or an option cannot be used.
    pub fn run(self) -> Result<privet_report::Assessment, KindError> {
        self.run_with(&Silent)
    }

    /// The same, with its progress.
    ///
    /// # Errors
    /// As [`Comparison::run`].
    pub fn run_with(self, progress: &dyn Progress) -> Result<privet_report::Assessment, KindError> {
        assess::measure(&self.options, progress).map_err(error)
    }
}
