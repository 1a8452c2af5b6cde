//! A release folder, whatever is published in it: its manifest is read once, and every verb goes on from there.
//!
//! Which generation of releases a folder is of is asked here and nowhere else; programs see one function per verb.

use std::path::{Path, PathBuf};

use privet_data::Progress;
use privet_job::assess::{AttackOptions as Attacks, MeasureOptions as Measures};
use privet_job::{AnswerBasis, AskError, Asked, RunError, Spread};
use privet_kind::{Assessment, Kind, KindError, NoAnswer, Question};
use privet_release::{ManifestFile, ReleaseFolder};
use serde::Serialize;

use crate::{Plan, look, registry};

/// A release folder.
///
/// ```no_run
/// use privet::{PublishedFolder, assessments::AttackOptions};
///
/// let folder = PublishedFolder::at("release");
/// let options = AttackOptions { release: "release".into(), confidence: 0.9, ..AttackOptions::default() };
/// let assessed = folder.attack(&options, &privet_data::Silent)?;
/// println!("{}", serde_json::to_string_pretty(&assessed)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct PublishedFolder {
    path: PathBuf,
    /// None where there is no manifest that could be read: whoever needs it says why.
    manifest: Option<ManifestFile>,
}

/// What attacks and measures found.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Assessed {
    /// In a release of a kind that offers views.
    Views(Box<Assessment>),
    /// In a release of one table of people.
    Table(Box<privet_report::Assessment>),
}

impl Assessed {
    /// Which limit an attack exceeds, as a sentence; none when all are kept.
    pub fn beyond_limit(&self) -> Option<String> {
        match self {
            Self::Views(own) => crate::limit_sentence(own),
            Self::Table(own) => own.beyond_limit(),
        }
    }

    /// Which attack was asked for, by its name or by what the knowledge file has, and could not be made, as a sentence.
    pub fn untried(&self, options: &Attacks) -> Option<String> {
        match self {
            // An attack that was asked for and cannot be made is an error there.
            Self::Views(_) => None,
            Self::Table(own) => privet_job::assess::untried(options, own),
        }
    }
}

/// Why a folder was not assessed.
#[derive(Debug)]
pub enum AssessError {
    /// A release of a kind that offers views.
    Views(KindError),
    /// A release of one table of people.
    Table(RunError),
}

impl std::fmt::Display for AssessError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Views(error) => error.fmt(f),
            Self::Table(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for AssessError {}

impl From<KindError> for AssessError {
    fn from(error: KindError) -> Self {
        Self::Views(error)
    }
}

impl From<RunError> for AssessError {
    fn from(error: RunError) -> Self {
        Self::Table(error)
    }
}

/// Why a question has no answer.
#[derive(Debug)]
pub enum AnswerError {
    /// A release of a kind that offers views.
    Views(KindError),
    /// A release of one table of people.
    Table(AskError),
}

impl std::fmt::Display for AnswerError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Views(error) => error.fmt(f),
            Self::Table(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for AnswerError {}

impl From<KindError> for AnswerError {
    fn from(error: KindError) -> Self {
        Self::Views(error)
    }
}

impl From<AskError> for AnswerError {
    fn from(error: AskError) -> Self {
        Self::Table(error)
    }
}

/// A kind on the seam, and the manifest of a release of it.
type OnSeam<'a> = (&'static dyn Kind, &'a ManifestFile);

impl PublishedFolder {
    /// The release in a folder. What is wrong with it is said by the verb that needs it.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let manifest = ManifestFile::read(&path).ok();
        Self { path, manifest }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The kind on the seam that the manifest names, if it names one.
    fn on_seam(&self) -> Option<OnSeam<'_>> {
        let manifest = self.manifest.as_ref()?;
        on_seam(manifest).map(|kind| (kind, manifest))
    }

    /// Whether the original of its release is named by a job and never by a table.
    pub fn has_original_by_job(&self) -> bool {
        self.on_seam().is_some()
    }

    /// Attacks it.
    ///
    /// # Errors
    /// When the release, the original, the knowledge or an option cannot be used. A limit that is exceeded is told by
    /// [`Assessed::beyond_limit`].
    pub fn attack(&self, options: &Attacks, progress: &dyn Progress) -> Result<Assessed, AssessError> {
        let Some((_, manifest)) = self.on_seam() else {
            let options = Attacks { manifest: self.manifest.clone(), ..options.clone() };
            let assessed = privet_job::assess::attack(&options, progress)?;
            return Ok(Assessed::Table(Box::new(assessed)));
        };
        if options.people.is_some() {
            return Err(KindError::bad_input("--people is for releases of records; use --report here").into());
        }
        if !options.settings.is_empty() {
            let problem = "--set is for releases of records; change the job file here";
            return Err(KindError::bad_input(problem).into());
        }
        let plan = Plan {
            attacks: options.attacks.clone(),
            max_risk: options.max_risk,
            max_absolute_risk: options.max_absolute_risk,
        };
        let options = look::AttackOptions {
            release: self.path.clone(),
            knowledge: options.knowledge.clone(),
            job: options.original.clone().or_else(|| options.job.clone()),
            plan,
            confidence: options.confidence,
            seed: options.seed,
            report: options.report.clone(),
        };
        Ok(Assessed::Views(Box::new(look::attack_manifest(manifest, &options, progress)?)))
    }

    /// Measures it.
    ///
    /// # Errors
    /// When the release, the original or an option cannot be used.
    pub fn measure(&self, options: &Measures, progress: &dyn Progress) -> Result<Assessed, AssessError> {
        let Some((_, manifest)) = self.on_seam() else {
            let assessed = match &self.manifest {
                Some(manifest) => privet_job::assess::measure_manifest(manifest, options, progress)?,
                None => privet_job::assess::measure(options, progress)?,
            };
            return Ok(Assessed::Table(Box::new(assessed)));
        };
        let of_records = [
            ("--set", !options.settings.is_empty()),
            ("--class", !options.class.is_empty()),
            ("--target", !options.target.is_empty()),
            ("--test", options.test.is_some()),
            ("--queries with a file", options.workload.is_some()),
            ("--population", options.population.is_some()),
            ("--population-size", options.population_size.is_some()),
            ("--risk-threshold", options.risk_threshold.is_some()),
            ("--risk-file", options.risk_file.is_some()),
        ];
        if let Some((flag, _)) = of_records.into_iter().find(|(_, is_set)| *is_set) {
            let problem = format!("{flag} is for releases of records; leave it out here");
            return Err(KindError::bad_input(problem).into());
        }
        let job = options.job.as_ref().unwrap_or(&options.original);
        let report = options.report.as_deref();
        Ok(Assessed::Views(Box::new(look::measure_manifest(job, manifest, report, progress)?)))
    }

    /// Answers a question in SQL from it, with what a job file says of its columns.
    ///
    /// # Errors
    /// When the question is none, is about another table or cannot be answered from this release, or the release or the job cannot be
    /// read.
    pub fn answer(
        &self,
        question: &str,
        job: Option<&Path>,
        spread: Spread,
        progress: &dyn Progress,
    ) -> Result<Asked, AnswerError> {
        let Some((kind, manifest)) = self.on_seam() else {
            return Ok(privet_job::ask(&self.path, question, job, spread, progress)?);
        };
        let question = Question::parse(question).map_err(AskError::from)?;
        privet_job::must_be_meant(&question, &self.path).map_err(AskError::from)?;
        let folder = ReleaseFolder::of(manifest, progress).map_err(KindError::from)?;
        let release = kind.open(&folder, progress)?;
        let found = release.answer(&question).map_err(|error| match error {
            NoAnswer::Question(error) => AnswerError::Table(error.into()),
            other => KindError::bad_input(other.to_string()).at(&self.path).into(),
        })?;
        Ok(Asked {
            answer: found.answer,
            sampled_from: None,
            basis: AnswerBasis::Synthetic,
            notes: found.notes,
        })
    }
}

/// The kind on the seam that a manifest names, if it names one.
pub(crate) fn on_seam(manifest: &ManifestFile) -> Option<&'static dyn Kind> {
    manifest.kind().and_then(registry::kind)
}
