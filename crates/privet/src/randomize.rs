//! Randomized records from a program: values changed by chance, with the law of that chance beside them.

use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use privet_data::{Progress, Silent};
use privet_job::assess;
use privet_job::randomize::{RandomizeJob, RandomizeOptions, RandomizeSummary};
use privet_kind::{KindError, Knowledge};
use privet_release::{Draft, PerturbedManifest, Verdict, VerifyOptions};
use tempfile::TempDir;
use toml::{Table, Value};

use crate::compare::{Comparison, compare};
use crate::job_keys::{JobKeys, scratch};
use crate::records::{Source, copy_files, error, read_frame};

/// How the values of a column are changed: its parameters, by their names in the job file.
#[derive(Debug, Clone)]
pub struct Law {
    table: Table,
}

impl Law {
    /// A law with one parameter, such as `Law::of("pram", 0.2)`.
    pub fn of(parameter: &str, value: impl Into<Value>) -> Self {
        Self { table: Table::new() }.with(parameter, value)
    }

    /// The same law with another parameter.
    #[must_use]
    pub fn with(mut self, parameter: &str, value: impl Into<Value>) -> Self {
        self.table.insert(parameter.to_owned(), value.into());
        self
    }
}

/// A value is kept with this probability; otherwise any value is as likely.
pub fn retention(probability: f64) -> Law {
    Law::of("retention", probability)
}

/// Warner's randomized response: the truth is told with this probability.
pub fn warner(p: f64) -> Law {
    Law::of("response", "warner").with("p", p)
}

/// The gamma-diagonal matrix: odds change by at most this factor.
pub fn gamma_diagonal(gamma: f64) -> Law {
    Law::of("gamma", gamma)
}

/// Gaussian noise of this standard deviation is added to numbers.
pub fn gaussian_noise(sd: f64) -> Law {
    Law::of("noise", "gaussian").with("sd", sd)
}

/// Begins to randomize records. Columns that are not named are not published.
///
/// ```
/// use std::sync::Arc;
///
/// use arrow_array::{ArrayRef, RecordBatch, StringArray};
///
/// let ills: ArrayRef = Arc::new(StringArray::from_iter_values((0..300).map(|i| ["flu", "cancer", "asthma"][i % 3])));
/// let batch = RecordBatch::try_from_iter([("ill", ills)])?;
/// let release = privet::randomize(&batch)
///     .sensitive("ill")
///     .values("ill", ["flu", "cancer", "asthma"])
///     .law("ill", privet::retention(0.6))
///     .run()?;
/// assert_eq!(release.batch()?.num_rows(), 300);
/// assert!(release.verify()?.holds());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn randomize(source: impl Into<Source>) -> Randomize {
    Randomize { source: source.into(), job: JobKeys::default(), seed: None }
}

/// A job that is being described.
#[derive(Debug, Clone)]
#[must_use = "nothing happens until `run`"]
pub struct Randomize {
    source: Source,
    job: JobKeys,
    seed: Option<u64>,
}

impl Randomize {
    /// A column that names people; it is not published.
    pub fn identifier(self, column: &str) -> Self {
        self.role(column, "identifier")
    }

    /// A column by which people can be found again.
    pub fn quasi(self, column: &str) -> Self {
        self.role(column, "quasi")
    }

    /// A column that nobody shall learn about a person.
    pub fn sensitive(self, column: &str) -> Self {
        self.role(column, "sensitive")
    }

    /// A column that is neither.
    pub fn insensitive(self, column: &str) -> Self {
        self.role(column, "insensitive")
    }

    /// The values that a column can have. Without them they are read off the data, and no bound on odds is promised.
    pub fn values<'a>(mut self, column: &str, values: impl IntoIterator<Item = &'a str>) -> Self {
        let values = values.into_iter().map(|value| Value::String(value.to_owned())).collect();
        self.job.put(&["columns", column, "values"], Value::Array(values));
        self
    }

    /// How the values of a column are changed; a column without a law is published as it is.
    pub fn law(mut self, column: &str, law: Law) -> Self {
        self.job.put(&["columns", column, "perturb"], Value::Table(law.table));
        self
    }

    /// The largest share of people that an attack may expose beyond its control.
    pub fn max_risk(mut self, share: f64) -> Self {
        self.job.set("adversary.max-risk", share);
        self
    }

    /// Any key of the job file, such as `set("randomize.method", "swap")`.
    pub fn set(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.job.set(key, value);
        self
    }

    /// Every key of these sections of a job file. What was set before stays where the sections do not say otherwise.
    pub fn settings(mut self, sections: Table) -> Self {
        self.job.merge(sections);
        self
    }

    /// Draws with a generator from this seed, which undoes the changes for whoever knows it. For tests and papers.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Runs the job.
    ///
    /// # Errors
    /// When the input or the job is wrong, or an attack exceeds the limit.
    pub fn run(self) -> Result<RandomizedRelease, KindError> {
        self.run_with(&Silent)
    }

    /// Runs the job, tells its progress, and stops when it is asked to.
    ///
    /// # Errors
    /// As [`Randomize::run`].
    pub fn run_with(mut self, progress: &dyn Progress) -> Result<RandomizedRelease, KindError> {
        let scratch = scratch()?;
        self.job.set("output.folder", "release");
        let (_, text) = self.job.write(&self.source, &scratch)?;
        let job = RandomizeJob::parse(&text, &[]).map_err(|error| KindError::bad_input(error.to_string()))?;
        let options = RandomizeOptions {
            base: scratch.path().to_owned(),
            seed: self.seed,
            ..RandomizeOptions::default()
        };
        let summary = privet_job::randomize::randomize(&job, &options, progress).map_err(error)?;
        Ok(RandomizedRelease { scratch, summary })
    }

    fn role(mut self, column: &str, role: &str) -> Self {
        self.job.role(column, role);
        self
    }
}

/// Randomized records. What was not written with [`RandomizedRelease::write`] is gone when this is dropped.
#[derive(Debug)]
pub struct RandomizedRelease {
    scratch: TempDir,
    summary: RandomizeSummary,
}

impl RandomizedRelease {
    /// The private folder that holds the release until this is dropped.
    pub fn folder(&self) -> PathBuf {
        self.scratch.path().join("release")
    }

    /// The job file that made it, which names the original.
    pub fn job(&self) -> PathBuf {
        self.scratch.path().join("job.toml")
    }

    /// What was done to each column, and what attacks found: for the owner alone.
    pub fn summary(&self) -> &RandomizeSummary {
        &self.summary
    }

    /// What the release states about itself, with the law of each column.
    ///
    /// # Errors
    /// When the manifest cannot be read.
    pub fn manifest(&self) -> Result<PerturbedManifest, KindError> {
        let path = self.folder().join(privet_release::MANIFEST);
        let bytes =
            privet_release::manifest_at(&self.folder()).map_err(|error| KindError::io(&path, &error))?;
        Ok(PerturbedManifest::parse(&bytes)?)
    }

    /// The published records as a frame; of several tables the first.
    ///
    /// # Errors
    /// When the release cannot be read.
    pub fn batch(&self) -> Result<RecordBatch, KindError> {
        read_frame(&self.folder().join(self.manifest()?.data.file))
    }

    /// Checks everything that the release states from the published files alone.
    ///
    /// # Errors
    /// When there is nothing to judge.
    pub fn verify(&self) -> Result<Verdict, KindError> {
        crate::verify(&self.folder(), VerifyOptions::default())
            .map_err(|error| KindError::bad_input(error.to_string()))
    }

    /// Attacks the release with what an adversary is assumed to know, scored by the original.
    ///
    /// # Errors
    /// When the knowledge cannot be used.
    pub fn attack(&self, known: &Knowledge) -> Result<privet_report::Assessment, KindError> {
        let options = assess::AttackOptions {
            release: self.folder(),
            knowledge: known.file().map(Path::to_owned),
            original: Some(self.job()),
            confidence: known.confidence,
            seed: known.seed,
            ..assess::AttackOptions::default()
        };
        assess::attack(&options, &Silent).map_err(error)
    }

    /// Begins to compare the release with its original.
    pub fn compare(&self) -> Comparison {
        compare(self.job(), self.folder())
    }

    /// Puts the release into a folder of its own, whole or not at all; a release that stands there is replaced.
    ///
    /// # Errors
    /// When something else stands there, or the system refuses.
    pub fn write(&self, folder: impl AsRef<Path>) -> Result<(), KindError> {
        let draft = Draft::begin(folder.as_ref(), true)?;
        let manifest = self.manifest()?;
        copy_files(&self.folder(), &manifest.files, &draft)?;
        draft.commit(manifest)?;
        Ok(())
    }
}
