//! The least delta of a matrix for an epsilon, in both relaxed forms (survey PM-28, PM-29).
//!
//! Two originals are (epsilon, delta)-indistinguishable when no set of outputs is more probable from one than e^epsilon times
//! as probable as from the other plus delta (PM-29). In the probabilistic form the outputs for which e^epsilon does not hold
//! against some other original, in either direction, have a probability of delta together (PM-28); its delta is never the
//! smaller one. That is required. Where one set of outputs must do for all originals, as the survey's sentence can also be
//! read, the delta is larger again, and is told beside it.
//!
//! # Guarantee
//! Probabilities are taken as decimals, as they are written, and all sums are exact; rows that do not sum to 1 exactly,
//! because their decimals end somewhere, are divided by their sum. Of all pairs of originals the worst counts. What is told
//! is an upper bound, within 10⁻³⁰ or so of the least delta.

use privet_dp::{Delta, Epsilon, Probabilistic, Rational, approximate_delta, probabilistic_deltas};
use privet_perturb::PerturbationMatrix;
use serde::Serialize;

use super::{Judgement, Required};
use crate::error::{JobError, RunError};

/// The most pairs of originals times outputs: what exact fractions still do in seconds.
const MOST_WORK: usize = 500_000;

/// What is asked for.
#[derive(Debug, Clone)]
pub struct DeltaAsked {
    /// The epsilon.
    pub epsilon: Epsilon,
    /// The delta that must suffice.
    pub delta: Option<Delta>,
    /// Whether it must in the probabilistic form.
    pub probabilistic: bool,
}

impl DeltaAsked {
    /// From what stands on a command line.
    ///
    /// # Errors
    /// When a number is none, or one that cannot be.
    pub fn parse(epsilon: &str, delta: Option<&str>, probabilistic: bool) -> Result<Self, JobError> {
        let wrong = |flag: &str, error: &privet_dp::DpError| JobError::new(format!("{flag}: {error}"));
        Ok(Self {
            epsilon: epsilon.parse().map_err(|error| wrong("--epsilon", &error))?,
            delta: delta.map(str::parse).transpose().map_err(|error| wrong("--delta", &error))?,
            probabilistic,
        })
    }
}

/// The least deltas of a matrix.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DeltasJudged {
    /// For this epsilon.
    pub epsilon: f64,
    /// So that every two originals are (epsilon, delta)-indistinguishable.
    pub approximate: f64,
    /// In the probabilistic form: per original the outputs that fail against any other, in either direction.
    pub probabilistic: f64,
    /// In the probabilistic form with one set of outputs for all originals.
    pub probabilistic_for_all: f64,
    /// The originals that are told apart best, in the first form; absent where its delta is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub told_apart: Option<[String; 2]>,
}

/// Judges a matrix.
pub(super) fn of_matrix(
    matrix: &PerturbationMatrix,
    inputs: &[String],
    asked: &DeltaAsked,
    found: &mut Judgement,
) -> Result<DeltasJudged, RunError> {
    let (rows, width) = (matrix.inputs(), matrix.outputs());
    if rows.saturating_sub(1).saturating_mul(rows) / 2 > MOST_WORK / width.max(1) {
        return Err(JobError::new(format!(
            "--epsilon compares all pairs of originals output by output, exactly, {MOST_WORK} comparisons at most (100 values to \
             100), and this matrix has more; judge a part of it, or leave --epsilon out"
        ))
        .into());
    }
    let failed = |error: privet_dp::DpError| RunError::from(JobError::new(error.to_string()));
    let exact = (0..rows).map(|row| exact(matrix, row)).collect::<Result<Vec<_>, _>>()?;
    let Probabilistic { of_each: probabilistic, of_all } =
        probabilistic_deltas(&exact, &asked.epsilon).map_err(failed)?;
    let mut approximate = Rational::ZERO;
    let mut told_apart = None;
    for (second, q) in exact.iter().enumerate() {
        for (first, p) in exact.iter().enumerate().take(second) {
            let own = approximate_delta(p, q, &asked.epsilon).map_err(failed)?;
            if own > approximate {
                approximate = own;
                let named = |at: usize| inputs.get(at).cloned().unwrap_or_else(|| (at + 1).to_string());
                told_apart = Some([named(first), named(second)]);
            }
        }
    }
    if let Some(delta) = &asked.delta {
        let (least, form) = match asked.probabilistic {
            true => (&probabilistic, "probabilistically"),
            false => (&approximate, "approximately"),
        };
        let epsilon = asked.epsilon.value().to_f64().value();
        found.required.push(Required::new(
            format!("{form} private with epsilon {epsilon} and delta {}", delta.value().to_f64().value()),
            least <= delta.value(),
            format!("the least delta is {}", told(least)),
        ));
    }
    Ok(DeltasJudged {
        epsilon: asked.epsilon.value().to_f64().value(),
        approximate: approximate.to_f64().value(),
        probabilistic: probabilistic.to_f64().value(),
        probabilistic_for_all: of_all.to_f64().value(),
        told_apart,
    })
}

/// A number as the decimal that it was written as.
pub(super) fn decimal(value: f64) -> Option<Rational> {
    Rational::from_str_decimal(&value.to_string()).ok()
}

/// A delta for people: to four figures, rounded up, and never as 0 where it is none.
fn told(delta: &Rational) -> String {
    match delta.to_f64().value() {
        small if small > 0.0 && small < 1e-5 => format!("{:.3e}", small * 1.0005),
        other => super::figures(other),
    }
}

/// A row as decimals that sum to 1.
fn exact(matrix: &PerturbationMatrix, row: usize) -> Result<Vec<Rational>, JobError> {
    // The shortest decimal that reads back as the same number is the one that was written.
    let entries: Option<Vec<Rational>> =
        (0..matrix.outputs()).map(|output| decimal(matrix.probability(row, output)?)).collect();
    let entries = entries.ok_or_else(|| JobError::new("a probability of the matrix is no decimal number"))?;
    let sum = entries.iter().fold(Rational::ZERO, |sum, own| sum + own);
    Ok(entries.into_iter().map(|own| own / &sum).collect())
}
