//! Counts of original categories from those of the perturbed ones (survey ME-21, US-07, US-08).
//!
//! # Guarantee
//! `estimate` is unbiased, sums to the records, and may be negative; the interval is that of the normal distribution,
//! good for many records. `nonnegative` is the nearest that is not negative, `likely` the most likely; neither is
//! unbiased.

use privet_data::Column;
use privet_perturb::{Population, Stop, likely_counts, project};
use serde::Serialize;

use super::Class;
use crate::error::{JobError, RunError};
use crate::randomize::model::{Draw, ReadyCategories};

/// More values than this are not fitted by rounds: the matrix would not be small any more.
const MOST_FITTED: usize = 512;

/// Estimated counts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CountsEstimate {
    /// One for each value of the domain, in its order.
    pub values: Vec<ValueEstimate>,
    /// Rounds of expectation and maximization behind `likely`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u64>,
}

/// An estimated count.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ValueEstimate {
    /// The value.
    pub value: String,
    /// How many records show it.
    pub published: u64,
    /// How many had it; unbiased, perhaps negative.
    pub estimate: f64,
    /// How far off the estimate typically is.
    pub standard_error: f64,
    /// An interval that covers the truth with about 95 %: from.
    pub low: f64,
    /// To.
    pub high: f64,
    /// The nearest counts that are not negative and have the same sum.
    pub nonnegative: f64,
    /// The most likely count, where it was fitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub likely: Option<f64>,
}

/// How often each value of the domain is published in a class, and how many values are missing.
pub(super) fn observed(
    column: &Column,
    law: &ReadyCategories,
    class: &Class,
) -> Result<(Vec<u64>, u64), RunError> {
    let domain = &column.domain;
    let of_code: Vec<Option<u32>> = domain.texts().iter().map(|text| law.code(text)).collect();
    let (mut observed, mut missing) = (vec![0; law.values.len()], 0);
    for code in class.of(&column.codes) {
        match of_code.get(code as usize).copied().flatten() {
            Some(value) => {
                if let Some(slot) = observed.get_mut(value as usize) {
                    *slot += 1;
                }
            }
            None if domain.is_missing(code) => missing += 1,
            None => {
                return Err(JobError::new(format!(
                    "`{}` holds a value that its published law cannot give; `privet verify` tells more",
                    column.name
                ))
                .into());
            }
        }
    }
    Ok((observed, missing))
}

/// Estimates the counts behind those that are published.
pub(super) fn estimate(
    name: &str,
    law: &ReadyCategories,
    observed: &[u64],
    population: Population,
) -> Result<CountsEstimate, RunError> {
    let failed = |source| RunError::Perturb { column: name.to_owned(), source };
    let estimates = law.estimate(observed, population).map_err(failed)?;
    let records: u64 = observed.iter().sum();
    let counts: Vec<f64> = estimates.iter().map(|own| own.value).collect();
    let nonnegative = project(&counts, records as f64);
    let likely = match &law.draw {
        _ if records == 0 || observed.len() > MOST_FITTED => None,
        Draw::Matrix(matrix) => Some(likely_counts(matrix, observed, &Stop::default()).map_err(failed)?),
        Draw::Retention(retention) => {
            let matrix = retention.matrix().map_err(failed)?;
            Some(likely_counts(&matrix, observed, &Stop::default()).map_err(failed)?)
        }
    };
    let mut values = Vec::with_capacity(observed.len());
    for (place, ((value, own), &published)) in law.values.iter().zip(&estimates).zip(observed).enumerate() {
        let (low, high) = own.interval(0.95).map_err(failed)?;
        values.push(ValueEstimate {
            value: value.clone(),
            published,
            estimate: own.value,
            standard_error: own.variance.max(0.0).sqrt(),
            low,
            high,
            nonnegative: nonnegative.get(place).copied().unwrap_or(0.0),
            likely: likely.as_ref().and_then(|likely| likely.counts.get(place).copied()),
        });
    }
    let rounds = likely.map(|likely| likely.log_likelihood.len().saturating_sub(1) as u64);
    Ok(CountsEstimate { values, rounds })
}
