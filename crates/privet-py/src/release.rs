//! A release that Python holds: in memory, or a folder that was published.

use std::path::PathBuf;

use privet::{AnonymizedRelease, Knowledge, Plan};
use privet_data::Progress;
use privet_job::assess;
use privet_kind::KindError;
use privet_release::VerifyOptions;
use pyo3::prelude::*;
use pyo3_arrow::PyTable;
use serde_json::{Value, json};

use crate::errors::Failure;
use crate::frame;
use crate::watch::watch;

/// A release. Results are JSON; the Python half shows them.
#[pyclass(frozen, module = "privet")]
pub struct Release {
    folder: PathBuf,
    /// The job that names the original, for scores and measures.
    job: Option<PathBuf>,
    /// What the run said.
    summary: String,
    /// What keeps a release alive that was not written anywhere.
    held: Option<AnonymizedRelease>,
}

impl Release {
    /// A release that no folder of the user's holds yet.
    pub fn in_memory(release: AnonymizedRelease) -> Result<Self, Failure> {
        let summary = serde_json::to_string(release.summary())?;
        Ok(Self { folder: release.folder(), job: Some(release.job()), summary, held: Some(release) })
    }

    /// A published folder.
    pub fn at(folder: PathBuf, job: Option<PathBuf>, summary: String) -> Self {
        Self { folder, job, summary, held: None }
    }

    fn read(&self, name: &str) -> Result<String, Failure> {
        let path = self.folder.join(name);
        std::fs::read_to_string(&path).map_err(|error| KindError::io(&path, &error).into())
    }

    fn attacked(&self, asked: &Asked, progress: &dyn Progress) -> Result<String, Failure> {
        if privet::is_on_seam(&self.folder) {
            let options = privet::AttackOptions {
                release: self.folder.clone(),
                knowledge: asked.knowledge.clone(),
                job: self.job.clone(),
                plan: Plan {
                    attacks: asked.attacks.clone(),
                    max_risk: asked.max_risk,
                    max_absolute_risk: asked.max_absolute_risk,
                },
                confidence: asked.confidence,
                seed: asked.seed,
                report: None,
            };
            let assessment = privet::attack(&options, progress)?;
            let exceeded = assessment.exceeded().map(|limit| privet::exceeded_sentence(&limit));
            return Ok(told(serde_json::to_value(&assessment)?, exceeded));
        }
        let options = assess::AttackOptions {
            release: self.folder.clone(),
            knowledge: asked.knowledge.clone(),
            original: self.job.clone(),
            attacks: asked.attacks.clone(),
            confidence: asked.confidence,
            max_risk: asked.max_risk,
            max_absolute_risk: asked.max_absolute_risk,
            seed: asked.seed,
            ..assess::AttackOptions::default()
        };
        let assessment = assess::attack(&options, progress)?;
        Ok(told(serde_json::to_value(&assessment)?, assessment.beyond_limit()))
    }

    fn measured(
        &self,
        original: Option<PathBuf>,
        classes: Vec<String>,
        progress: &dyn Progress,
    ) -> Result<String, Failure> {
        let needed = || {
            Failure::invalid(
                "the original is not known; give it as the first argument, or open the release with its job",
            )
        };
        if privet::is_on_seam(&self.folder) {
            let job = self.job.clone().ok_or_else(needed)?;
            let assessment = privet::measure(&job, &self.folder, None, progress)?;
            return Ok(serde_json::to_string(&assessment)?);
        }
        let options = assess::MeasureOptions {
            original: original.or_else(|| self.job.clone()).ok_or_else(needed)?,
            job: self.job.clone(),
            release: self.folder.clone(),
            class: classes,
            queries: 200,
            seed: 1,
            ..assess::MeasureOptions::default()
        };
        Ok(serde_json::to_string(&assess::measure(&options, progress)?)?)
    }
}

/// What an attack is asked for.
struct Asked {
    knowledge: Option<PathBuf>,
    attacks: Option<Vec<String>>,
    confidence: f64,
    max_risk: Option<f64>,
    max_absolute_risk: Option<f64>,
    seed: u64,
}

/// An assessment with the limit that it exceeds.
fn told(assessment: Value, exceeded: Option<String>) -> String {
    json!({ "assessment": assessment, "exceeded": exceeded }).to_string()
}

#[pymethods]
impl Release {
    /// The folder.
    #[getter]
    fn folder(&self) -> PathBuf {
        self.folder.clone()
    }

    /// What the run said, as JSON.
    #[getter]
    fn summary(&self) -> &str {
        &self.summary
    }

    /// The manifest, as JSON.
    fn manifest(&self) -> PyResult<String> {
        Ok(self.read(privet_release::MANIFEST)?)
    }

    /// The job file, where there is one.
    fn job_text(&self) -> PyResult<Option<String>> {
        let read =
            |path: &PathBuf| std::fs::read_to_string(path).map_err(|error| KindError::io(path, &error));
        Ok(self.job.as_ref().map(read).transpose().map_err(Failure::from)?)
    }

    /// The page for readers, as HTML.
    fn report(&self) -> PyResult<String> {
        Ok(self.read("report.html")?)
    }

    /// The published records.
    fn frame(&self, py: Python<'_>) -> PyResult<PyTable> {
        let batch = py.detach(|| match &self.held {
            Some(held) => held.batch(),
            None => privet::read_records(&self.folder),
        });
        frame::exported(batch.map_err(Failure::from)?)
    }

    /// Checks every promise again: a list of checks, as JSON.
    #[pyo3(signature = (key=None, population=None, progress=None))]
    fn verify(
        &self,
        py: Python<'_>,
        key: Option<PathBuf>,
        population: Option<PathBuf>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        watch(py, progress, move |progress| {
            let key = key.as_deref().map(privet_release::PublicKey::read).transpose();
            let key = key.map_err(|error| Failure::invalid(error.to_string()))?;
            let options = VerifyOptions {
                key: key.as_ref(),
                population: population.as_deref(),
                progress,
                ..VerifyOptions::default()
            };
            let verdict = privet::verify(&self.folder, options)?;
            let signed = key.as_ref().map(|_| verdict.is_signed());
            let told = json!({
                "holds": verdict.holds(),
                "signed": signed,
                "checks": verdict.checks,
                "on_trust": verdict.on_trust,
            });
            Ok(told.to_string())
        })
    }

    /// Attacks it, as JSON.
    #[pyo3(signature = (knowledge=None, attacks=None, confidence=0.9, max_risk=None, max_absolute_risk=None, seed=1, progress=None))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python, with their defaults")]
    fn attack(
        &self,
        py: Python<'_>,
        knowledge: Option<PathBuf>,
        attacks: Option<Vec<String>>,
        confidence: f64,
        max_risk: Option<f64>,
        max_absolute_risk: Option<f64>,
        seed: u64,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let asked = Asked { knowledge, attacks, confidence, max_risk, max_absolute_risk, seed };
        watch(py, progress, |progress| self.attacked(&asked, progress))
    }

    /// Compares it with the original, as JSON.
    #[pyo3(signature = (original=None, classes=None, progress=None))]
    fn measure(
        &self,
        py: Python<'_>,
        original: Option<&Bound<'_, PyAny>>,
        classes: Option<Vec<String>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let original = original.map(frame::source).transpose()?;
        let classes = classes.unwrap_or_default();
        watch(py, progress, move |progress| {
            let kept = original.as_ref().map(privet::KeptSource::new).transpose()?;
            let path = kept.as_ref().map(|kept| kept.path().to_owned());
            self.measured(path, classes, progress)
        })
    }

    /// Publishes it as a folder, whole or not at all.
    fn write(&self, py: Python<'_>, folder: PathBuf) -> PyResult<()> {
        let Some(held) = &self.held else {
            return Err(Failure::invalid("the release stands in a folder already; copy the folder").into());
        };
        Ok(py.detach(|| held.write(&folder)).map_err(Failure::from)?)
    }

    /// What an attack concludes is scored by this knowledge; used by tests of the Python half.
    #[staticmethod]
    fn default_confidence() -> f64 {
        Knowledge::default().confidence
    }
}
