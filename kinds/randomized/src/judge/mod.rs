//! `privet judge`: what a mechanism protects, computed before it is used (survey PM-15, PM-16, PM-18 to PM-22, PM-28, PM-29, PM-36).
//!
//! What is judged is a noise model or the job or release that it belongs to (`laws.rs`), a matrix in a CSV file, or a
//! small TOML file (`file.rs`) with a matrix (`laws.rs`, `deltas.rs`), points with noise (`points.rs`), a view and a secret (`secrecy.rs`), or worlds,
//! statements and adversaries (`worlds.rs`).
//!
//! # Guarantee
//! Every figure is computed from the mechanism as it is written; nothing is drawn but for k-anonymity with high
//! probability, which says "holds" only where all records are shown to, with an error of at most one in a thousand. What
//! is required and cannot be shown does not hold.

mod deltas;
mod file;
mod laws;
mod points;
mod secrecy;
#[cfg(test)]
mod tests;
mod worlds;

use std::path::{Path, PathBuf};

use privet_data::Progress;
use privet_perturb::PerturbError;
use privet_release::perturbed::{ModelFile, PRIORS};
use serde::Serialize;

pub use deltas::{DeltaAsked, DeltasJudged};
pub use laws::{BreachJudged, LawJudged, LawsJudged, Rise};
pub use points::PointsJudged;
pub use secrecy::SecrecyJudged;
pub use worlds::{BeliefJudged, WorldsJudged};

use crate::error::{JobError, RunError};
use crate::randomize::{RandomizeJob, matrix_file, model_only};
use crate::run::base_of;

/// What is required, and with what it is judged.
#[derive(Debug, Clone, Default)]
pub struct JudgeOptions {
    /// The most by which odds may change.
    pub gamma: Option<f64>,
    /// Nobody who believed something with at most the first probability may come to believe it with the second.
    pub breach: Option<(f64, f64)>,
    /// Of a matrix: the epsilon for which the least delta is told, and the delta that must suffice.
    pub deltas: Option<DeltaAsked>,
    /// How many other records must be expected to fit a published one better than its own.
    pub k: Option<f64>,
    /// With which probability at least `k` must; not only in expectation.
    pub probability: Option<f64>,
    /// The view must tell nothing of the secret.
    pub perfect: bool,
    /// Beliefs for which it is told what they can become; those of a manifest when there is none.
    pub priors: Vec<f64>,
    /// For a model: judge this column only.
    pub column: Option<String>,
    /// Of a model with noise: true records.
    pub data: Option<PathBuf>,
    /// Draws for `probability`.
    pub draws: u64,
    /// The seed of these draws.
    pub seed: u64,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judgement {
    /// Laws of columns, or a matrix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub laws: Option<LawsJudged>,
    /// Points with noise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<PointsJudged>,
    /// A view and a secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secrecy: Option<SecrecyJudged>,
    /// Worlds and adversaries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worlds: Option<WorldsJudged>,
    /// What was required.
    pub required: Vec<Required>,
    /// Whether all of it holds.
    pub holds: bool,
}

/// Something that was required.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Required {
    /// What, in a few words.
    pub what: String,
    /// Whether it holds.
    pub holds: bool,
    /// What was found.
    pub found: String,
}

impl Required {
    fn new(what: impl Into<String>, holds: bool, found: impl Into<String>) -> Self {
        Self { what: what.into(), holds, found: found.into() }
    }
}

/// Judges the mechanism of a file.
///
/// # Errors
/// When the file is none that can be judged, is not well formed, or something is required that is not about it.
pub fn judge(path: &Path, options: &JudgeOptions, progress: &dyn Progress) -> Result<Judgement, RunError> {
    check(options)?;
    progress.stage("judging", None);
    let mut found = Judgement {
        laws: None,
        points: None,
        secrecy: None,
        worlds: None,
        required: Vec::new(),
        holds: true,
    };
    let unreadable = |error: std::io::Error| JobError::new(error.to_string()).at(path);
    if path.is_dir() {
        let bytes = privet_release::manifest_at(path).map_err(unreadable)?;
        of_model(&model(&bytes, path)?, options, &mut found, progress)?;
    } else {
        match path.extension().and_then(|own| own.to_str()) {
            Some("csv") => {
                only_of_models(options)?;
                let file = matrix_file::read(path)?;
                let size = file.values.len();
                laws::of_matrix(&file.values, &file.values, size, file.entries, options, &mut found)?;
            }
            Some("toml") => {
                let text = crate::job::read_text(path)?;
                if file::is_job(&text) {
                    let job = RandomizeJob::parse(&text, &[]).map_err(|error| error.at(path))?;
                    of_model(&model_only(&job, &base_of(path))?, options, &mut found, progress)?;
                } else {
                    only_of_models(options)?;
                    file::judge(&text, path, options, &mut found, progress)?;
                }
            }
            _ => {
                let bytes =
                    privet_data::io::read_plain(path, privet_data::io::input_limit()).map_err(unreadable)?;
                of_model(&model(&bytes, path)?, options, &mut found, progress)?;
            }
        }
    }
    require_all(options, &found)?;
    found.holds = found.required.iter().all(|own| own.holds);
    Ok(found)
}

fn model(bytes: &[u8], path: &Path) -> Result<ModelFile, JobError> {
    ModelFile::parse(bytes).map_err(|error| {
        JobError::new(format!(
            "it is no model: {}; `privet judge` takes a model (or the release or job it is of), a matrix as a CSV, or a TOML \
             file",
            error.problem()
        ))
        .at(path)
    })
}

fn of_model(
    file: &ModelFile,
    options: &JudgeOptions,
    found: &mut Judgement,
    progress: &dyn Progress,
) -> Result<(), RunError> {
    laws::of_model(&file.model, options, found)?;
    if let Some(data) = &options.data {
        points::of_model(&file.model, data, options, found, progress)?;
    }
    Ok(())
}

fn only_of_models(options: &JudgeOptions) -> Result<(), JobError> {
    match (&options.column, &options.data) {
        (None, None) => Ok(()),
        (Some(_), _) => Err(JobError::new("--column goes with a model that has columns")),
        _ => Err(JobError::new(
            "--data goes with a model that has columns; a TOML file names its points itself",
        )),
    }
}

/// Whether what is required can be.
fn check(options: &JudgeOptions) -> Result<(), JobError> {
    let wrong = |what: &str| Err(JobError::new(what));
    if options.gamma.is_some_and(|gamma| !(gamma >= 1.0 && gamma.is_finite())) {
        return wrong("--gamma takes a finite number of at least 1");
    }
    if options.breach.is_some_and(|(alpha, beta)| !(alpha > 0.0 && alpha < beta && beta < 1.0)) {
        return wrong("--alpha and --beta take two probabilities with 0 < alpha < beta < 1");
    }
    if options.k.is_some_and(|k| !(k > 0.0 && k <= 1e9)) {
        return wrong("--k takes a number above 0");
    }
    if options.probability.is_some_and(|own| !(own > 0.0 && own < 1.0)) {
        return wrong("--probability takes a number above 0 and below 1");
    }
    if options.probability.is_some() && options.k.is_none() {
        return wrong("--probability goes with --k");
    }
    if options.probability.is_some() && options.k.is_some_and(|k| k.fract() != 0.0) {
        return wrong("with --probability, --k takes a whole number");
    }
    if options.priors.iter().any(|prior| !(*prior > 0.0 && *prior < 1.0)) {
        return wrong("--prior takes a number above 0 and below 1");
    }
    if options.draws == 0 || options.draws > 100_000_000 {
        return wrong("--draws takes a number from 1 to 100000000");
    }
    Ok(())
}

/// Refuses what was required and is not about the file.
fn require_all(options: &JudgeOptions, found: &Judgement) -> Result<(), JobError> {
    let has_odds = found.laws.is_some() || found.worlds.is_some();
    if (options.gamma.is_some() || options.breach.is_some()) && !has_odds {
        return Err(JobError::new(
            "--gamma, --alpha and --beta are about laws, matrices and worlds, and the file has none",
        ));
    }
    if !options.priors.is_empty() && found.laws.is_none() {
        return Err(JobError::new(
            "--prior is about what laws and matrices can make of a belief, and the file has none; leave it out",
        ));
    }
    if options.deltas.is_some() && found.laws.as_ref().is_none_or(|laws| laws.deltas.is_none()) {
        return Err(JobError::new(
            "--epsilon is about a matrix: a CSV file, or a TOML file with [matrix]; of a model, --gamma G is epsilon = ln G \
             without a delta",
        ));
    }
    if options.k.is_some() && found.points.is_none() {
        return Err(JobError::new(
            "--k is about points with noise: give the true records with --data FILE, or a TOML file with [noise]",
        ));
    }
    if options.perfect && found.secrecy.is_none() {
        return Err(JobError::new("--perfect is about a view and a secret: a TOML file with [view]"));
    }
    Ok(())
}

impl JudgeOptions {
    fn priors(&self) -> &[f64] {
        if self.priors.is_empty() { &PRIORS } else { &self.priors }
    }
}

/// By how much a figure may be above the one that was asked for and still be the same.
const ROUNDING: f64 = 1e-9;

/// A figure of a promise: to four figures, rounded up past what is rounding.
fn figures(value: f64) -> String {
    if !value.is_finite() {
        return "no bound".to_owned();
    }
    let scale = 10f64.powi(3 - value.abs().max(1e-300).log10().floor() as i32);
    let up = (value * scale * (1.0 - ROUNDING)).ceil() / scale;
    format!("{}", (up * 1e9).round() / 1e9)
}

fn failed(source: PerturbError) -> RunError {
    JobError::new(source.to_string()).into()
}
