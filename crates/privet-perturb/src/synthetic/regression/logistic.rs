//! The model of a categorical column: logistic regressions in a row (survey ME-40).
//!
//! The categories that occur are ordered by frequency. The first regression tells whether it is the first category, the
//! second, among the other records, whether it is the second, and so on (continuation ratios). With two categories
//! this is the ordinary logistic regression. The survey asks for "a model"; a multinomial logit, which SRMI uses, needs
//! a matrix of all categories times all features at once and says the same of the data's margins.
//!
//! # Guarantee
//! Coefficients, except the intercept, have a normal prior with mean 0 and deviation 2.5 on features of deviation about 1,
//! so that separated categories have finite coefficients. The draw is from the normal approximation of the posterior
//! at its mode. A category that does not occur is never drawn.

use super::super::draws::inside;
use super::super::{Column, SyntheticError};
use super::features::Features;
use super::linear::dot;
use super::solve::Factor;
use crate::{Coins, PerturbError};

/// The most categories of a column that is made by regressions.
pub const MOST_OUTCOMES: usize = 200;

/// 1/2.5² for coefficients; next to nothing for the intercept.
const PRECISION: f64 = 0.16;
const INTERCEPT_PRECISION: f64 = 1e-4;
/// The most steps of Newton's method.
const STEPS: usize = 50;

/// Fitted regressions.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct Logistic {
    /// The categories that occur, the most frequent first.
    pub(in super::super) outcomes: Vec<u32>,
    /// One less than outcomes.
    steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq)]
struct Step {
    coefficients: Vec<f64>,
    factor: Factor,
}

impl Logistic {
    /// Fits the known codes of these rows.
    pub(in super::super) fn fit(
        column: usize,
        columns: &[Column],
        codes: &[u32],
        categories: usize,
        rows: &[u32],
        features: &Features,
    ) -> Result<Self, SyntheticError> {
        let mut counts = vec![0usize; categories];
        rows.iter().for_each(|&row| counts[codes[row as usize] as usize] += 1);
        let mut outcomes: Vec<u32> =
            (0..categories as u32).filter(|&code| counts[code as usize] > 0).collect();
        outcomes.sort_by_key(|&code| (std::cmp::Reverse(counts[code as usize]), code));
        if outcomes.is_empty() {
            return Err(SyntheticError::TooFew { column, found: 0, needed: 1 });
        }
        if outcomes.len() > MOST_OUTCOMES {
            return Err(SyntheticError::TooLarge {
                what: "the categories that a regression tells apart",
                found: outcomes.len(),
                most: MOST_OUTCOMES,
            });
        }
        let mut left = rows.to_vec();
        let mut steps = Vec::with_capacity(outcomes.len().saturating_sub(1));
        for &outcome in outcomes.iter().take(outcomes.len() - 1) {
            let hits = |row: u32| codes[row as usize] == outcome;
            steps.push(newton(columns, &left, hits, features));
            left.retain(|&row| !hits(row));
        }
        Ok(Self { outcomes, steps })
    }

    /// A draw of all coefficients from the posterior.
    pub(in super::super) fn draw<C: Coins + ?Sized>(
        &self,
        coins: &mut C,
    ) -> Result<Vec<Vec<f64>>, PerturbError> {
        let mut drawn = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let mut normals = Vec::with_capacity(step.factor.rank());
            for _ in 0..step.factor.rank() {
                normals.push(coins.normal()?);
            }
            let mut own = step.factor.backward(normals);
            own.iter_mut().zip(&step.coefficients).for_each(|(own, fitted)| *own += fitted);
            drawn.push(own);
        }
        Ok(drawn)
    }

    /// A category for a record with these features.
    pub(in super::super) fn outcome<C: Coins + ?Sized>(
        &self,
        drawn: &[Vec<f64>],
        row: &[(u32, f64)],
        coins: &mut C,
    ) -> Result<u32, PerturbError> {
        let mut last = None;
        for (place, &outcome) in self.outcomes.iter().enumerate() {
            last = Some(outcome);
            if let Some(own) = drawn.get(place)
                && inside(coins)? < logistic(dot(row, own))
            {
                break;
            }
        }
        // A fit without an outcome is refused, so there is always a last one.
        Ok(last.unwrap_or_default())
    }
}

fn logistic(eta: f64) -> f64 {
    1.0 / (1.0 + (-eta).exp())
}

/// Records as features, and whether they have the outcome. They are read once; most of the time would go into reading them
/// again and again.
struct Rows {
    entries: Vec<(u32, f64)>,
    /// Where the entries of a record end.
    ends: Vec<(usize, bool)>,
}

impl Rows {
    fn new(columns: &[Column], rows: &[u32], hits: impl Fn(u32) -> bool, features: &Features) -> Self {
        let (mut entries, mut ends, mut own) = (Vec::new(), Vec::with_capacity(rows.len()), Vec::new());
        for &row in rows {
            features.read(columns, row as usize, &mut own);
            entries.extend_from_slice(&own);
            ends.push((entries.len(), hits(row)));
        }
        Self { entries, ends }
    }

    fn each(&self, mut call: impl FnMut(&[(u32, f64)], bool)) {
        let mut start = 0;
        for &(end, hit) in &self.ends {
            call(&self.entries[start..end], hit);
            start = end;
        }
    }
}

/// The mode of the posterior by Newton's method; steps that do not gain are halved.
fn newton(columns: &[Column], rows: &[u32], hits: impl Fn(u32) -> bool, features: &Features) -> Step {
    let size = features.size;
    let precision = |feature: usize| if feature == 0 { INTERCEPT_PRECISION } else { PRECISION };
    let data = Rows::new(columns, rows, hits, features);
    let objective = |solved: &[f64]| {
        let mut sum = 0.0;
        data.each(|row, hit| {
            let eta = dot(row, solved);
            // ln(1 + e^η) without overflow.
            sum += f64::from(hit) * eta - eta.max(0.0) - (-eta.abs()).exp().ln_1p();
        });
        let prior = |(feature, own): (usize, &f64)| 0.5 * precision(feature) * own * own;
        sum - solved.iter().enumerate().map(prior).sum::<f64>()
    };
    let count = data.ends.iter().filter(|(_, hit)| *hit).count() as f64;
    let mut solved = vec![0.0; size];
    solved[0] = ((count + 0.5) / (rows.len() as f64 - count + 0.5)).ln();
    let mut value = objective(&solved);
    let (mut last, mut steps) = (false, 0);
    loop {
        let (mut gradient, mut matrix) = (vec![0.0; size], vec![0.0; size * size]);
        data.each(|row, hit| {
            let probability = logistic(dot(row, &solved));
            let slope = f64::from(hit) - probability;
            let weight = probability * (1.0 - probability);
            for (place, &(a, x)) in row.iter().enumerate() {
                gradient[a as usize] += slope * x;
                let line = &mut matrix[a as usize * size..(a as usize + 1) * size];
                let times = weight * x;
                row[..=place].iter().for_each(|&(b, other)| line[b as usize] += times * other);
            }
        });
        for feature in 0..size {
            gradient[feature] -= precision(feature) * solved[feature];
            matrix[feature * size + feature] += precision(feature);
        }
        let factor = Factor::new(&matrix, size);
        if last || steps == STEPS {
            return Step { coefficients: solved, factor };
        }
        steps += 1;
        let step = factor.solve(&gradient);
        let promised: f64 = gradient.iter().zip(&step).map(|(a, b)| a * b).sum();
        // One more round for the matrix at the mode.
        last = promised <= 1e-10 * (1.0 + value.abs());
        let mut share = 1.0;
        loop {
            let next: Vec<f64> = solved.iter().zip(&step).map(|(own, step)| own + share * step).collect();
            let reached = objective(&next);
            if reached >= value {
                (value, solved) = (reached, next);
                break;
            }
            share *= 0.5;
            if share < 1e-9 {
                last = true;
                break;
            }
        }
    }
}
