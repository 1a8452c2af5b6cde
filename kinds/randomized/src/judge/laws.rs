//! γ-amplification and (α,β)-privacy of laws of columns and of matrices (survey PM-15, PM-16, TH-02 to TH-04).
//!
//! # Guarantee
//! γ of a matrix is exact, and a breach is found whenever there is one, with the value that becomes suspected. Columns
//! are drawn independently, so γ of all of them is the product, which is reached; that of sets of items is a bound.
//! A column that is published as it was, has noise, or whose law was made from the data has none.

use privet_dp::{Epsilon, ratio_for_individual_privacy};
use privet_perturb::{PerturbationMatrix, amplification};
use privet_release::perturbed::{CategoryLaw, Model, ModelColumn, Perturbation};
use serde::Serialize;

use super::deltas::{self, DeltasJudged};
use super::{JudgeOptions, Judgement, ROUNDING, Required, failed, figures};
use crate::error::{JobError, RunError};
use crate::randomize::items::ReadyItems;
use crate::randomize::model::{Draw, ReadyCategories};

/// What laws protect.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LawsJudged {
    /// Of each column.
    pub columns: Vec<LawJudged>,
    /// The most by which all of them together change odds; absent when there is no bound.
    pub gamma: Option<f64>,
    /// What beliefs can become.
    pub rises: Vec<Rise>,
    /// With --epsilon: the least deltas of a matrix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deltas: Option<DeltasJudged>,
    /// With --alpha and --beta: up to which epsilon private answers keep a belief of alpha at beta or below (survey PM-18),
    /// rounded down, where neighbouring tables replace a person; half of it where they add or remove one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epsilon_of_answers: Option<f64>,
    /// The worst breach of what was asked for, where there is one and it is of a single column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breach: Option<BreachJudged>,
}

/// What a law protects.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LawJudged {
    /// The column; absent for a matrix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// The law in a few words.
    pub law: String,
    /// The most by which it changes odds; absent when there is no bound.
    pub gamma: Option<f64>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open: Option<String>,
    /// Whether it shows where a value is missing. A set that is missing is the empty set, and where the empty cell is a
    /// value of the law it is drawn like the others.
    pub tells_missing: bool,
    /// Whether it is a law of sets of items.
    pub is_of_sets: bool,
}

/// What a belief can become.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Rise {
    /// Before.
    pub prior: f64,
    /// Afterwards at most.
    pub highest: f64,
    /// Afterwards at least.
    pub lowest: f64,
}

/// A breach: who thought `suspected` as likely as α and `alternative` otherwise believes it with `posterior` after
/// seeing `published`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BreachJudged {
    /// The column; absent for a matrix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// What is published.
    pub published: String,
    /// The original that becomes likely.
    pub suspected: String,
    /// The other original.
    pub alternative: String,
    /// How probable it becomes.
    pub posterior: f64,
}

/// Judges a matrix.
pub(super) fn of_matrix(
    inputs: &[String],
    outputs: &[String],
    width: usize,
    entries: Vec<f64>,
    options: &JudgeOptions,
    found: &mut Judgement,
) -> Result<(), RunError> {
    let matrix = PerturbationMatrix::new(width, entries).map_err(failed)?;
    let gamma = amplification::gamma(&matrix);
    let law = format!("a matrix from {} to {} values", matrix.inputs(), matrix.outputs());
    let open = gamma.is_infinite().then(|| "an output excludes an original, so there is no bound".to_owned());
    let tells_missing = !inputs.iter().any(String::is_empty);
    let column = LawJudged {
        column: None,
        law,
        gamma: gamma.is_finite().then_some(gamma),
        open,
        tells_missing,
        is_of_sets: false,
    };
    let breach = breach(None, &matrix, inputs, outputs, options)?;
    let asked = options.deltas.as_ref();
    let deltas = asked.map(|asked| deltas::of_matrix(&matrix, inputs, asked, found)).transpose()?;
    conclude(vec![column], gamma, breach, options, found)?;
    if let Some(laws) = &mut found.laws {
        laws.deltas = deltas;
    }
    Ok(())
}

/// Judges the laws of a model: of all columns, or of the one that is asked for.
pub(super) fn of_model(model: &Model, options: &JudgeOptions, found: &mut Judgement) -> Result<(), RunError> {
    let columns: Vec<&ModelColumn> = match &options.column {
        None => model.columns.iter().collect(),
        Some(name) => {
            let own: Vec<&ModelColumn> = model.columns.iter().filter(|own| own.name == *name).collect();
            if own.is_empty() {
                let names: Vec<&str> = model.columns.iter().map(|own| own.name.as_str()).collect();
                return Err(JobError::new(format!(
                    "the model has no column `{name}`; it has {}",
                    names.join(", ")
                ))
                .into());
            }
            own
        }
    };
    if columns.is_empty() {
        return Err(JobError::new("the model has no column").into());
    }
    let (mut judged, mut worst) = (Vec::new(), None);
    let mut together = 1.0;
    for column in &columns {
        let failed = |source| RunError::Perturb { column: column.name.clone(), source };
        let (law, gamma, open) = match &column.perturbation {
            None => {
                let open = Some("nothing hides it, so there is no bound".to_owned());
                ("published as it is".to_owned(), f64::INFINITY, open)
            }
            Some(own @ Perturbation::Noise(_)) => (
                crate::randomize::words(own),
                f64::INFINITY,
                Some("noise on numbers promises no bound; judge it with --data and --k".to_owned()),
            ),
            Some(own @ Perturbation::Items(items)) => {
                (crate::randomize::words(own), ReadyItems::new(items).map_err(failed)?.law.gamma(), None)
            }
            Some(own @ Perturbation::Categories(categories)) => {
                let ready = ReadyCategories::new(categories).map_err(failed)?;
                let gamma = match &ready.draw {
                    Draw::Retention(retention) => retention.gamma(),
                    Draw::Matrix(matrix) => amplification::gamma(matrix),
                };
                // A law that was made from the data bounds nothing, whatever its probabilities are.
                let origin = categories.open().filter(|_| gamma.is_finite());
                let gamma = if origin.is_some() { f64::INFINITY } else { gamma };
                let is_written = matches!(categories.law, CategoryLaw::Matrix(_));
                let is_small = is_written || ready.values.len() <= 1000;
                if options.breach.is_some() && is_small {
                    let matrix = match &ready.draw {
                        Draw::Retention(retention) => retention.matrix().map_err(failed)?,
                        Draw::Matrix(matrix) => matrix.clone(),
                    };
                    let name = Some(column.name.as_str());
                    let own = breach(name, &matrix, &ready.values, &ready.values, options)?;
                    let is_worse = |own: &BreachJudged, worst: &Option<BreachJudged>| {
                        worst.as_ref().is_none_or(|worst| own.posterior > worst.posterior)
                    };
                    worst = match own {
                        Some(own) if is_worse(&own, &worst) => Some(own),
                        _ => worst,
                    };
                }
                (crate::randomize::words(own), gamma, origin.map(|open| open.words().to_owned()))
            }
        };
        together *= gamma;
        let open = open.or_else(|| {
            gamma
                .is_infinite()
                .then(|| "what is published excludes originals, so there is no bound".to_owned())
        });
        let gamma = gamma.is_finite().then_some(gamma);
        let is_of_sets = matches!(column.perturbation, Some(Perturbation::Items(_)));
        let tells_missing = match &column.perturbation {
            Some(Perturbation::Items(_)) => false,
            Some(Perturbation::Categories(own)) => !own.values.iter().any(String::is_empty),
            Some(Perturbation::Noise(_)) | None => true,
        };
        let name = Some(column.name.clone());
        judged.push(LawJudged { column: name, law, gamma, open, tells_missing, is_of_sets });
    }
    conclude(judged, together, worst, options, found)
}

fn breach(
    column: Option<&str>,
    matrix: &PerturbationMatrix,
    inputs: &[String],
    outputs: &[String],
    options: &JudgeOptions,
) -> Result<Option<BreachJudged>, RunError> {
    let Some((alpha, beta)) = options.breach else { return Ok(None) };
    let named = |names: &[String], at: usize| names.get(at).cloned().unwrap_or_else(|| (at + 1).to_string());
    Ok(amplification::breach(matrix, alpha, beta).map_err(failed)?.map(|own| BreachJudged {
        column: column.map(str::to_owned),
        published: named(outputs, own.output),
        suspected: named(inputs, own.suspected),
        alternative: named(inputs, own.alternative),
        posterior: own.posterior,
    }))
}

fn conclude(
    columns: Vec<LawJudged>,
    gamma: f64,
    breach: Option<BreachJudged>,
    options: &JudgeOptions,
    found: &mut Judgement,
) -> Result<(), RunError> {
    let mut rises = Vec::new();
    for &prior in options.priors() {
        rises.push(Rise {
            prior,
            highest: amplification::highest_posterior(gamma, prior).map_err(failed)?,
            lowest: amplification::lowest_posterior(gamma, prior).map_err(failed)?,
        });
    }
    if let Some(most) = options.gamma {
        let holds = gamma <= most * (1.0 + ROUNDING);
        // What is the same but for rounding is told as what was asked for.
        let is_same = (gamma / most - 1.0).abs() <= ROUNDING;
        found.required.push(Required::new(
            format!("odds change by a factor of at most {most}"),
            holds,
            match gamma.is_finite() {
                true if is_same => format!("a factor of {most}"),
                true => format!("a factor of {}", figures(gamma)),
                false => "no bound".to_owned(),
            },
        ));
    }
    if let Some((alpha, beta)) = options.breach {
        let bound = amplification::odds_bound(alpha, beta).map_err(failed)?;
        // At the bound β is reached, which is a breach (ERR-9); rounding is taken on the safe side.
        let holds = gamma < bound * (1.0 - 1e-12);
        let highest = amplification::highest_posterior(gamma, alpha).map_err(failed)?;
        found.required.push(Required::new(
            format!("no belief of at most {alpha} becomes one of {beta} or more"),
            holds,
            format!("at most {}", figures(highest)),
        ));
    }
    let gamma = gamma.is_finite().then_some(gamma);
    let epsilon_of_answers = options.breach.and_then(|(alpha, beta)| epsilon_of_answers(alpha, beta));
    found.laws = Some(LawsJudged { columns, gamma, rises, deltas: None, epsilon_of_answers, breach });
    Ok(())
}

/// The epsilon with which answers keep a belief of alpha at beta or below, rounded down to four decimals.
fn epsilon_of_answers(alpha: f64, beta: f64) -> Option<f64> {
    let (alpha, beta) = deltas::decimal(alpha).zip(deltas::decimal(beta))?;
    let ratio = ratio_for_individual_privacy(&alpha, &beta).ok()?;
    let epsilon = Epsilon::from_ratio(&ratio).ok()?.value().to_f64().value();
    Some((epsilon * 1e4 * (1.0 - ROUNDING)).floor() / 1e4)
}
