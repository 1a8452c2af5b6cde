//! Jobs: the main job described by keyword arguments, and job files of every kind.

use std::path::PathBuf;

use privet::JobFile;
use privet_job::{Job, RunOptions, base_of};
use pyo3::prelude::*;

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
        let reproduce = vec![format!("privet anonymize {name}")];
        if JobFile::read(&path, &[]).is_ok_and(|job| job.kind().is_some()) {
            let job = JobFile::read(&path, &settings)?;
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
