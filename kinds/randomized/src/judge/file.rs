//! The small TOML file of what is to be judged: any of `matrix`, `noise`, `view` and `worlds`.

use std::path::{Path, PathBuf};

use privet_data::Progress;
use serde::Deserialize;

use super::secrecy::ViewSection;
use super::worlds::WorldsSection;
use super::{JudgeOptions, Judgement, laws, points, secrecy, worlds};
use crate::error::{JobError, RunError};
use crate::run::base_of;

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct JudgeFile {
    matrix: Option<MatrixSection>,
    noise: Option<NoiseSection>,
    view: Option<ViewSection>,
    worlds: Option<WorldsSection>,
}

/// Probabilities of what each value becomes.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct MatrixSection {
    /// The values that go in.
    values: Vec<String>,
    /// What can come out; the same when left out.
    outputs: Option<Vec<String>>,
    /// A row for each value.
    rows: Vec<Vec<f64>>,
}

/// Points with Gaussian noise.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct NoiseSection {
    /// The table with the true records.
    data: PathBuf,
    /// The deviation of the noise, by column.
    sd: std::collections::BTreeMap<String, f64>,
}

/// Whether a text is a job for `privet randomize`.
pub(super) fn is_job(text: &str) -> bool {
    text.parse::<toml::Table>()
        .is_ok_and(|table| table.contains_key("input") || table.contains_key("columns"))
}

/// Refuses names of which one stands for two things: whichever is told, it could be the other.
pub(super) fn each_once(key: &str, names: &[String]) -> Result<(), JobError> {
    let mut seen = std::collections::BTreeSet::new();
    match names.iter().all(|name| seen.insert(name)) {
        true => Ok(()),
        false => Err(JobError::key(key, "has the same name twice; name each once")),
    }
}

/// Judges what stands in a file.
pub(super) fn judge(
    text: &str,
    path: &Path,
    options: &JudgeOptions,
    found: &mut Judgement,
    progress: &dyn Progress,
) -> Result<(), RunError> {
    let file: JudgeFile = toml::from_str(text).map_err(|error| JobError::toml(text, &error).at(path))?;
    if file.matrix.is_none() && file.noise.is_none() && file.view.is_none() && file.worlds.is_none() {
        return Err(JobError::new(
            "it has nothing to judge; give one of the sections [matrix], [noise], [view], [worlds]",
        )
        .at(path)
        .into());
    }
    if let Some(own) = file.matrix {
        let outputs = own.outputs.as_ref().unwrap_or(&own.values);
        let width = outputs.len();
        for (key, names) in [("matrix.values", &own.values), ("matrix.outputs", outputs)] {
            each_once(key, names).map_err(|error| error.at(path))?;
        }
        if own.rows.len() != own.values.len() || own.rows.iter().any(|row| row.len() != width) {
            let problem =
                "must have a row for each of `values` and in it a probability for each of `outputs`";
            return Err(JobError::key("matrix.rows", problem).at(path).into());
        }
        laws::of_matrix(&own.values, outputs, width, own.rows.concat(), options, found)?;
    }
    if let Some(own) = file.noise {
        if own.sd.is_empty() {
            return Err(JobError::key("noise.sd", "must name at least one column").at(path).into());
        }
        let data = base_of(path).join(&own.data);
        let counted = points::Counted { columns: own.sd.into_iter().collect(), not_counted: Vec::new() };
        points::judge(&data, counted, &[], options, found, progress)?;
    }
    if let Some(own) = &file.view {
        secrecy::judge(own, options, found)?;
    }
    if let Some(own) = &file.worlds {
        worlds::judge(own, options, found)?;
    }
    Ok(())
}
