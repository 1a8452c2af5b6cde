//! Jobs: the main job described by keyword arguments, and job files of every kind.

use std::path::{Path, PathBuf};

use privet::{JobFile, KeptSource};
use privet_job::randomize::{RandomizeJob, RandomizeOptions};
use privet_job::reconstruct::{ReconstructOptions, reconstruct_release};
use privet_job::{Job, RunOptions, base_of};
use privet_kind::KindError;
use pyo3::prelude::*;
use tempfile::TempDir;

use crate::errors::Failure;
use crate::frame;
use crate::release::Release;
use crate::watch::watch;

/// Anonymizes a frame or a file. `settings` are the keys of the job file as JSON.
#[pyfunction]
#[pyo3(signature = (data, settings, progress=None))]
pub fn anonymize(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    settings: &str,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Release> {
    let source = frame::source(data)?;
    let settings = table_of(settings)?;
    watch(py, progress, move |progress| {
        let release = privet::anonymize(source).settings(settings).run_with(progress)?;
        Release::in_memory(release)
    })
}

/// Runs a job file of any kind. `settings` are keys that differ from the file, as `key=value`.
#[pyfunction]
#[pyo3(signature = (path, settings, progress=None))]
pub fn run(
    py: Python<'_>,
    path: PathBuf,
    settings: Vec<String>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Release> {
    watch(py, progress, move |progress| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let flags = privet::reproducing_flags(&settings);
        let reproduce = vec![format!("privet anonymize {name}{flags}")];
        if JobFile::read(&path, &[]).is_ok()
            && let Some(job) = Some(privet::read_job(&path, &settings)?).filter(|job| job.kind().is_some())
        {
            let report = privet::run(&job, &reproduce, progress)?;
            let summary = serde_json::to_string(&report)?;
            return Ok(Release::at(report.release, Some(path), summary));
        }
        let job = Job::read(&path, &settings)?;
        privet_job::spare_job(&path, &base_of(&path).join(&job.output.folder)).map_err(Failure::from)?;
        let options = RunOptions { base: base_of(&path), reproduce, show_values: false };
        let summary = privet_job::run(&job, &options, progress)?;
        let told = match &summary.counts {
            Some(counts) => serde_json::to_string(counts)?,
            None => serde_json::to_string(&summary)?,
        };
        Ok(Release::at(summary.release, Some(path), told))
    })
}

/// Makes a release of any kind: `settings` are the keys of its job file as JSON, and `inputs` the data by the keys of `[input]`.
#[pyfunction]
#[pyo3(signature = (inputs, settings, progress=None))]
pub fn run_kind(
    py: Python<'_>,
    inputs: Vec<(String, Bound<'_, PyAny>)>,
    settings: &str,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Release> {
    let given = |(key, data): (String, Bound<'_, PyAny>)| Ok((key, Given::of(&data)?));
    let inputs = inputs.into_iter().map(given).collect::<PyResult<Vec<_>>>()?;
    let settings = table_of(settings)?;
    watch(py, progress, move |progress| {
        let mut settings = settings;
        // Who is who stays beside the release, so that attacks are scored.
        section(&mut settings, "output")?.insert("home".to_owned(), toml::Value::String("home".to_owned()));
        let scratch = Scratch::new(&inputs, settings)?;
        let job = JobFile::read(&scratch.job, &[])?;
        let report = privet::run(&job, &[], progress)?;
        let summary = serde_json::to_string(&report)?;
        Ok(scratch.release(report.release, summary))
    })
}

/// Randomizes a frame or a file. `settings` are the keys of the job file of `privet randomize` as JSON.
#[pyfunction]
#[pyo3(signature = (data, settings, seed=None, progress=None))]
pub fn randomize(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    settings: &str,
    seed: Option<u64>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Release> {
    let inputs = [("path".to_owned(), Given::of(data)?)];
    let settings = table_of(settings)?;
    watch(py, progress, move |progress| {
        let scratch = Scratch::new(&inputs, settings)?;
        let job = RandomizeJob::read(&scratch.job, &[])?;
        let options = RandomizeOptions { base: base_of(&scratch.job), seed, reproduce: Vec::new() };
        let summary = privet_job::randomize::randomize(&job, &options, progress)?;
        let told = serde_json::to_string(&summary)?;
        Ok(scratch.release(summary.release, told))
    })
}

/// What perturbed columns of a release were made of, with errors, as JSON.
#[pyfunction]
#[pyo3(signature = (folder, columns, by=None, bins=20, sampled=false, progress=None))]
pub fn reconstruct(
    py: Python<'_>,
    folder: PathBuf,
    columns: Vec<String>,
    by: Option<String>,
    bins: usize,
    sampled: bool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let options = ReconstructOptions { columns, by, bins, sampled, ..ReconstructOptions::default() };
    watch(py, progress, move |progress| {
        Ok(serde_json::to_string(&reconstruct_release(&folder, &options, progress)?)?)
    })
}

/// Text that is read as a file, such as transactions with one per line.
#[pyclass(frozen, module = "privet._native")]
pub struct Lines(String);

#[pymethods]
impl Lines {
    #[new]
    fn new(text: String) -> Self {
        Self(text)
    }
}

/// What a job reads.
enum Given {
    Source(privet::Source),
    Text(String),
}

impl Given {
    fn of(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        match data.cast::<Lines>() {
            Ok(lines) => Ok(Self::Text(lines.get().0.clone())),
            Err(_) => frame::source(data).map(Self::Source),
        }
    }

    /// Where the job finds it: the file itself, or a private copy in `folder`.
    fn place(&self, folder: &Path, key: &str) -> Result<PathBuf, Failure> {
        let source = match self {
            Self::Text(text) => {
                let copy = folder.join(format!("{key}.txt"));
                std::fs::write(&copy, text).map_err(|error| KindError::io(&copy, &error))?;
                return Ok(copy);
            }
            Self::Source(source) => KeptSource::new(source)?,
        };
        let given = source.path();
        if source.is_copy() {
            let copy = folder.join(format!("{key}.arrow"));
            std::fs::rename(given, &copy).map_err(|error| KindError::io(&copy, &error))?;
            return Ok(copy);
        }
        Ok(std::path::absolute(given).map_err(|error| KindError::io(given, &error))?)
    }
}

/// A private folder with a job and what it reads, for releases that no folder of the user's holds yet.
struct Scratch {
    folder: TempDir,
    job: PathBuf,
}

impl Scratch {
    fn new(inputs: &[(String, Given)], mut settings: toml::Table) -> Result<Self, Failure> {
        let folder = tempfile::Builder::new().prefix("privet-").tempdir();
        let folder = folder.map_err(|error| KindError::io(&std::env::temp_dir(), &error))?;
        let section_of_input = section(&mut settings, "input")?;
        for (key, given) in inputs {
            let path = given.place(folder.path(), key)?;
            let path = path.to_str().ok_or_else(|| {
                Failure::invalid("the path of the data is not UTF-8; rename the file or the folder")
            })?;
            section_of_input.insert(key.clone(), toml::Value::String(path.to_owned()));
        }
        let output = section(&mut settings, "output")?;
        output.insert("folder".to_owned(), toml::Value::String("release".to_owned()));
        let job = folder.path().join("job.toml");
        let text = toml::to_string(&settings)
            .map_err(|_| Failure::invalid("a setting holds a value that a job file does not have"))?;
        std::fs::write(&job, text).map_err(|error| KindError::io(&job, &error))?;
        Ok(Self { folder, job })
    }

    fn release(self, folder: PathBuf, summary: String) -> Release {
        Release::in_scratch(self.folder, folder, self.job, summary)
    }
}

/// A section of the settings.
fn section<'a>(settings: &'a mut toml::Table, name: &str) -> Result<&'a mut toml::Table, Failure> {
    let section = settings.entry(name.to_owned()).or_insert_with(|| toml::Value::Table(toml::Table::new()));
    section.as_table_mut().ok_or_else(|| Failure::invalid(format!("`{name}` must be a dictionary")))
}

/// Opens a published folder; `job` names the original for measuring and scoring.
#[pyfunction]
#[pyo3(signature = (folder, job=None))]
pub fn open(folder: PathBuf, job: Option<PathBuf>) -> PyResult<Release> {
    match folder.join(privet_release::MANIFEST).is_file() {
        true => Ok(Release::at(folder, job, "null".to_owned())),
        false => Err(Failure::invalid("the folder holds no release: it has no manifest.json").into()),
    }
}

/// JSON of Python as a TOML table. `None` stands for a key that is left out.
fn table_of(settings: &str) -> Result<toml::Table, Failure> {
    match toml_of(serde_json::from_str(settings)?)? {
        Some(toml::Value::Table(table)) => Ok(table),
        _ => Err(Failure::invalid("the settings must be a dictionary")),
    }
}

fn toml_of(value: serde_json::Value) -> Result<Option<toml::Value>, Failure> {
    use serde_json::Value;
    Ok(Some(match value {
        Value::Null => return Ok(None),
        Value::Bool(flag) => toml::Value::Boolean(flag),
        Value::String(text) => toml::Value::String(text),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => toml::Value::Integer(whole),
            (None, Some(float)) => toml::Value::Float(float),
            (None, None) => return Err(Failure::invalid("a setting holds a number that is too large")),
        },
        Value::Array(values) => {
            let values: Result<Vec<_>, _> = values.into_iter().map(toml_of).collect();
            toml::Value::Array(values?.into_iter().flatten().collect())
        }
        Value::Object(entries) => {
            let mut table = toml::Table::new();
            for (key, value) in entries {
                if let Some(value) = toml_of(value)? {
                    table.insert(key, value);
                }
            }
            toml::Value::Table(table)
        }
    }))
}
