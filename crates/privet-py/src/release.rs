//! A release that Python holds: in memory, or a folder that was published.

use std::path::{Component, Path, PathBuf};

use privet::assessments::{AttackOptions, MeasureOptions};
use privet::{AnonymizedRelease, KeptSource, PublishedFolder};
use privet_data::io::{ReadOptions, read};
use privet_data::{Progress, Silent};
use privet_kind::KindError;
use privet_model::PublishedModel;
use privet_release::{ReleaseFolder, VerifyOptions};
use pyo3::prelude::*;
use pyo3_arrow::PyTable;
use serde_json::{Value, json};
use tempfile::TempDir;

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
    held: Held,
}

/// Where a release lives.
enum Held {
    /// Anonymized records in a private folder of their own.
    Records(Box<AnonymizedRelease>),
    /// A release of another kind in a private folder, with the job and the input beside it.
    Scratch(#[expect(dead_code, reason = "removes the folder when it is dropped")] TempDir),
    /// A folder of the user's.
    Published,
}

impl Release {
    /// A release that no folder of the user's holds yet.
    pub fn in_memory(release: AnonymizedRelease) -> Result<Self, Failure> {
        let summary = serde_json::to_string(release.summary())?;
        Ok(Self {
            folder: release.folder(),
            // Named when it is needed: that writes the frame beside it.
            job: None,
            summary,
            held: Held::Records(Box::new(release)),
        })
    }

    /// A release in a private folder, which goes with it.
    pub fn in_scratch(scratch: TempDir, folder: PathBuf, job: PathBuf, summary: String) -> Self {
        Self { folder, job: Some(job), summary, held: Held::Scratch(scratch) }
    }

    /// A published folder.
    pub fn at(folder: PathBuf, job: Option<PathBuf>, summary: String) -> Self {
        Self { folder, job, summary, held: Held::Published }
    }

    /// The job that names the original, for scores and measures.
    fn job(&self) -> Option<PathBuf> {
        match &self.held {
            Held::Records(release) => Some(release.job()),
            _ => self.job.clone(),
        }
    }

    fn read(&self, name: &str) -> Result<String, Failure> {
        let path = self.folder.join(name);
        std::fs::read_to_string(&path).map_err(|error| KindError::io(&path, &error).into())
    }

    fn model(&self, progress: &dyn Progress) -> Result<PublishedModel, Failure> {
        let folder = ReleaseFolder::open(&self.folder, progress).map_err(KindError::from)?;
        let none = || Failure::invalid("the release is not a model; only models predict");
        let kind = privet::kind(&folder.envelope().kind).ok_or_else(none)?;
        let release = kind.open(&folder, progress)?;
        release.views().get::<PublishedModel>().cloned().ok_or_else(none)
    }

    fn attacked(&self, asked: &Asked, progress: &dyn Progress) -> Result<String, Failure> {
        let options = AttackOptions {
            release: self.folder.clone(),
            knowledge: asked.knowledge.clone(),
            original: self.job(),
            attacks: asked.attacks.clone(),
            confidence: asked.confidence,
            max_risk: asked.max_risk,
            max_absolute_risk: asked.max_absolute_risk,
            seed: asked.seed,
            ..AttackOptions::default()
        };
        let assessment = PublishedFolder::at(self.folder.clone()).attack(&options, progress)?;
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
        let folder = PublishedFolder::at(self.folder.clone());
        let original = original.filter(|_| !folder.has_original_by_job());
        // A job as the original names its table itself; beside a table, it says what the columns of true records are.
        let (original, job) = match original {
            Some(table) => (table, self.job().filter(|_| matches!(self.held, Held::Records(_)))),
            None => (self.job().ok_or_else(needed)?, None),
        };
        let options = MeasureOptions {
            original,
            job,
            release: self.folder.clone(),
            class: classes,
            queries: 200,
            seed: 1,
            ..MeasureOptions::default()
        };
        Ok(serde_json::to_string(&folder.measure(&options, progress)?)?)
    }
}

/// Copies a release, whole or not at all: into a folder beside the destination, which then takes its name.
fn copy_release(from: &Path, to: &Path) -> Result<(), Failure> {
    let to = std::path::absolute(to).map_err(|error| KindError::io(to, &error))?;
    let parent = to.parent().unwrap_or(Path::new("."));
    let draft = tempfile::Builder::new().prefix(".privet-").tempdir_in(parent);
    let draft = draft.map_err(|error| KindError::io(parent, &error))?;
    let [new, old] = ["new", "old"].map(|name| draft.path().join(name));
    std::fs::create_dir(&new).map_err(|error| KindError::io(&new, &error))?;
    copy_folder(from, &new)?;
    if to.exists() {
        std::fs::rename(&to, &old).map_err(|error| KindError::io(&to, &error))?;
    }
    std::fs::rename(&new, &to).map_err(|error| KindError::io(&to, &error))?;
    Ok(())
}

/// Refuses a destination that is there, unless it is a release that may be replaced.
fn spare(to: &Path, replace: bool) -> Result<(), Failure> {
    match (to.exists(), replace && to.join(privet_release::MANIFEST).is_file()) {
        (false, _) | (true, true) => Ok(()),
        (true, false) if replace => {
            Err(Failure::invalid("the destination is no release; name another folder"))
        }
        (true, false) => {
            Err(Failure::invalid("the destination exists; name another folder, or say `replace=True`"))
        }
    }
}

fn copy_folder(from: &Path, to: &Path) -> Result<(), Failure> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error: std::io::Error| KindError::io(&path, &error)
    };
    for entry in std::fs::read_dir(from).map_err(failed(from))? {
        let entry = entry.map_err(failed(from))?;
        let (source, copy) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() {
            std::fs::create_dir(&copy).map_err(failed(&copy))?;
            copy_folder(&source, &copy)?;
        } else {
            std::fs::copy(&source, &copy).map_err(failed(&source))?;
        }
    }
    Ok(())
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
        Ok(self.job().as_ref().map(read).transpose().map_err(Failure::from)?)
    }

    /// The page for readers, as HTML.
    fn report(&self) -> PyResult<String> {
        Ok(self.read("report.html")?)
    }

    /// A published table, by its name; the only one where none is given.
    #[pyo3(signature = (name=None))]
    fn frame(&self, py: Python<'_>, name: Option<&str>) -> PyResult<PyTable> {
        frame::exported(py.detach(|| privet::read_table(&self.folder, name)).map_err(Failure::from)?)
    }

    /// The names of the published tables.
    fn tables(&self) -> PyResult<Vec<String>> {
        Ok(privet::table_names(&self.folder).map_err(Failure::from)?)
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
            let kept = original.as_ref().map(KeptSource::new).transpose()?;
            let path = kept.as_ref().map(|kept| kept.path().to_owned());
            self.measured(path, classes, progress)
        })
    }

    /// Publishes it as a folder, whole or not at all.
    #[pyo3(signature = (folder, replace=false))]
    fn write(&self, py: Python<'_>, folder: PathBuf, replace: bool) -> PyResult<()> {
        py.detach(|| {
            spare(&folder, replace)?;
            match &self.held {
                Held::Records(held) => Ok(held.write(&folder)?),
                Held::Scratch(_) | Held::Published => copy_release(&self.folder, &folder),
            }
        })
        .map_err(Failure::into)
    }

    /// How its columns were generalized, ready for other records.
    #[pyo3(signature = (progress=None))]
    fn recoding(&self, py: Python<'_>, progress: Option<&Bound<'_, PyAny>>) -> PyResult<Recoding> {
        watch(py, progress, move |progress| {
            let job = self.job().ok_or_else(|| Failure::invalid("open the release with its job"))?;
            Ok(Recoding { recoding: privet::Recoding::of(&self.folder, &job, progress)? })
        })
    }

    /// A published file that is text, such as `model.json`.
    fn text(&self, name: &str) -> PyResult<String> {
        match Path::new(name).components().all(|part| matches!(part, Component::Normal(_))) {
            true => Ok(self.read(name)?),
            false => Err(Failure::invalid("the name must be that of a file in the release folder").into()),
        }
    }

    /// What a published model says of each record.
    #[pyo3(signature = (data, progress=None))]
    fn predict(
        &self,
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<String>> {
        let source = frame::source(data)?;
        watch(py, progress, move |progress| {
            let model = self.model(progress)?;
            let kept = KeptSource::new(&source)?;
            let input = read(kept.path(), &ReadOptions::default(), progress).map_err(KindError::from)?;
            privet_model::predict(&model, &input.table).map_err(|error| Failure::invalid(error.to_string()))
        })
    }

    /// What follows from published rules for each transaction, that of the surest rule first.
    fn follow(&self, py: Python<'_>, transactions: Vec<Vec<String>>) -> PyResult<Vec<Vec<String>>> {
        Ok(py.detach(|| {
            let PublishedModel::Rules(rules) = self.model(&Silent)? else {
                return Err(Failure::invalid("the model has no rules"));
            };
            let mut order: Vec<_> = rules.rules.iter().collect();
            // The order of rules that are equally sure is kept.
            order.sort_by(|a, b| b.confidence().total_cmp(&a.confidence()));
            let follow = |held: &Vec<String>| {
                let mut said: Vec<String> = Vec::new();
                let label = |item: &u32| &rules.items[*item as usize];
                for rule in
                    order.iter().filter(|rule| rule.antecedent.iter().all(|item| held.contains(label(item))))
                {
                    for label in rule.consequent.iter().map(label) {
                        if !held.contains(label) && !said.contains(label) {
                            said.push(label.clone());
                        }
                    }
                }
                said
            };
            Ok(transactions.iter().map(follow).collect())
        })?)
    }
}

/// The recoding of a release.
#[pyclass(frozen, module = "privet._native")]
pub struct Recoding {
    recoding: privet::Recoding,
}

#[pymethods]
impl Recoding {
    /// The published columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.recoding.columns().to_vec()
    }

    /// Other records, recoded.
    #[pyo3(signature = (data, progress=None))]
    fn apply(
        &self,
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyTable> {
        let source = frame::source(data)?;
        frame::exported(watch(py, progress, |progress| Ok(self.recoding.apply(&source, progress)?))?)
    }
}
