//! k-anonymity in expectation and with high probability, for points with Gaussian noise (survey PM-21, PM-22, TH-28;
//! Aggarwal).
//!
//! Record i is published as X_i = μ_i + N(0, Σ_i). Another record j fits X_i better than i itself does with probability
//! Φ(−δ/2), δ² = (μ_i−μ_j)ᵀ Σ_i⁻¹ (μ_i−μ_j). In expectation: the sum of these over j is at least k for every i. With
//! high probability: at least k records fit better with probability c.
//!
//! # Guarantee
//! Sums are exact up to rounding; [`least_deviation`] gives a σ for which the sum is at least k, and no smaller one by
//! more than 1 in 10⁹ has this; [`fits`] counts over draws, and [`Fits::judge`] says "holds" or "fails" only at the
//! confidence that is asked for. It is a criterion on the noise, not on what was drawn: a published point may well lie
//! where its record was, and k records are expected to fit, not certain to. A record equal to i fits as well as i does;
//! it counts one half, the limit of records that come nearer and nearer, where the strict inequality of the definition
//! would count 0 for it and call n equal records exposed.

use std::collections::HashMap;

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use crate::error::check_numbers;
use crate::normal::upper_tail;
use crate::{Coins, Drawn, PerturbError};

/// Records of the same number of values, row by row.
#[derive(Debug, Clone, Copy)]
pub struct Points<'a> {
    values: &'a [f64],
    width: usize,
}

/// The law of the noise of a record.
#[derive(Debug, Clone, PartialEq)]
pub enum Spread {
    /// The same deviation along every axis.
    Sphere(f64),
    /// A deviation for each axis.
    Axes(Vec<f64>),
    /// A covariance matrix.
    Covariance(DMatrix<f64>),
}

impl<'a> Points<'a> {
    /// Records of `width` values each.
    ///
    /// # Errors
    /// When there is no column, values do not fill records, or one is no number to compute with.
    pub fn new(values: &'a [f64], width: usize) -> Result<Self, PerturbError> {
        if width == 0 {
            return Err(PerturbError::Empty { what: "column" });
        }
        let records = values.len() / width;
        if records * width != values.len() {
            return Err(PerturbError::Length {
                what: "values",
                found: values.len(),
                expected: (records + 1) * width,
            });
        }
        check_numbers(values, width)?;
        Ok(Self { values, width })
    }

    /// The smallest difference above 0 in a column, and how far apart records are at most; 0 where all are the same.
    pub fn gaps(&self) -> (f64, f64) {
        let (mut least, mut squares) = (f64::INFINITY, 0.0);
        for column in 0..self.width {
            let mut own: Vec<f64> = self.values.iter().skip(column).step_by(self.width).copied().collect();
            own.sort_unstable_by(f64::total_cmp);
            let gaps = own.windows(2).map(|pair| pair[1] - pair[0]); // why: windows of two
            least = gaps.filter(|gap| *gap > 0.0).fold(least, f64::min);
            let range = own.last().zip(own.first()).map_or(0.0, |(last, first)| last - first);
            squares += range * range;
        }
        if least.is_finite() { (least, squares.sqrt()) } else { (0.0, 0.0) }
    }

    /// Per record how many others have the same values. Each of them counts one half in [`expected`]; with the strict
    /// inequality of the definition it would count 0.
    pub fn equals(&self) -> Vec<usize> {
        // 0 and −0 are the same number, and have other bits.
        let key = |record: &[f64]| record.iter().map(|own| (own + 0.0).to_bits()).collect::<Vec<u64>>();
        let mut alike: HashMap<Vec<u64>, usize> = HashMap::new();
        let records = || self.values.chunks_exact(self.width);
        records().for_each(|record| *alike.entry(key(record)).or_default() += 1);
        records().map(|record| alike.get(&key(record)).map_or(0, |own| own - 1)).collect()
    }

    /// The number of records.
    pub fn len(&self) -> usize {
        self.values.len() / self.width
    }

    /// Whether there is no record.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    fn record(&self, record: usize) -> Result<&'a [f64], PerturbError> {
        let start = record.saturating_mul(self.width);
        let own = self.values.get(start..start.saturating_add(self.width));
        own.ok_or(PerturbError::Code { record, domain: self.len() })
    }

    /// The differences of a record to each other one.
    fn differences(&self, record: usize) -> Result<impl Iterator<Item = Vec<f64>>, PerturbError> {
        let own = self.record(record)?;
        let others =
            self.values.chunks_exact(self.width).enumerate().filter(move |(other, _)| *other != record);
        Ok(others.map(move |(_, other)| own.iter().zip(other).map(|(a, b)| a - b).collect()))
    }
}

/// A spread made ready to measure differences in its own units.
enum Ready<'a> {
    Sphere(f64),
    Axes(&'a [f64]),
    /// The lower triangle L with LLᵀ = Σ.
    Triangle(DMatrix<f64>),
}

impl<'a> Ready<'a> {
    fn new(spread: &'a Spread, width: usize) -> Result<Self, PerturbError> {
        let is_deviation = |deviation: &f64| *deviation >= 0.0 && deviation.is_finite();
        let bad = PerturbError::Parameter {
            name: "the deviation of the noise",
            accepted: "a finite number from 0 on",
        };
        match spread {
            Spread::Sphere(deviation) if is_deviation(deviation) => Ok(Self::Sphere(*deviation)),
            Spread::Axes(axes) if axes.len() != width => {
                Err(PerturbError::Length { what: "deviations", found: axes.len(), expected: width })
            }
            Spread::Axes(axes) if axes.iter().all(is_deviation) => Ok(Self::Axes(axes)),
            Spread::Sphere(_) | Spread::Axes(_) => Err(bad),
            Spread::Covariance(covariance) => {
                if covariance.shape() != (width, width) {
                    return Err(PerturbError::Length {
                        what: "rows",
                        found: covariance.nrows(),
                        expected: width,
                    });
                }
                let is_symmetric = (covariance - covariance.transpose()).amax() <= 1e-9 * covariance.amax();
                let triangle = if is_symmetric { covariance.clone().cholesky() } else { None };
                let triangle = triangle.ok_or(PerturbError::Parameter {
                    name: "the covariance of the noise",
                    accepted: "symmetric and positive definite",
                })?;
                Ok(Self::Triangle(triangle.unpack()))
            }
        }
    }

    /// L⁻¹ of a difference. Where nothing is added, a difference is infinite.
    fn whiten(&self, difference: Vec<f64>) -> Vec<f64> {
        let over =
            |difference: f64, deviation: f64| if difference == 0.0 { 0.0 } else { difference / deviation };
        match self {
            Self::Sphere(deviation) => difference.into_iter().map(|own| over(own, *deviation)).collect(),
            Self::Axes(axes) => {
                difference.into_iter().zip(*axes).map(|(own, axis)| over(own, *axis)).collect()
            }
            Self::Triangle(triangle) => {
                let mut vector = DVector::from_vec(difference);
                triangle.solve_lower_triangular_mut(&mut vector);
                vector.data.into()
            }
        }
    }
}

fn length(vector: &[f64]) -> f64 {
    vector.iter().map(|own| own * own).sum::<f64>().sqrt()
}

/// How many other records are expected to fit the published record better than its own does.
///
/// # Errors
/// When there is no such record, or the spread does not fit the points or is none.
pub fn expected(points: Points<'_>, record: usize, spread: &Spread) -> Result<f64, PerturbError> {
    let ready = Ready::new(spread, points.width)?;
    Ok(points
        .differences(record)?
        .map(|difference| upper_tail(length(&ready.whiten(difference)) / 2.0))
        .sum())
}

/// [`expected`] for every record; the release is k-anonymous in expectation when none is below k.
///
/// # Errors
/// When there is not one spread per record, or one does not fit.
pub fn expected_all(points: Points<'_>, spreads: &[Spread]) -> Result<Vec<f64>, PerturbError> {
    crate::matrix::check_length("spreads", spreads.len(), points.len())?;
    spreads.par_iter().enumerate().map(|(record, spread)| expected(points, record, spread)).collect()
}

/// The least deviation, the same along every axis, with which k other records are expected to fit better.
///
/// # Errors
/// When there is no such record, or k is not above 0 and below half of the other records, which no noise can reach.
pub fn least_deviation(points: Points<'_>, record: usize, k: f64) -> Result<f64, PerturbError> {
    let distances: Vec<f64> = points.differences(record)?.map(|difference| length(&difference)).collect();
    let fitting = |deviation: f64| -> f64 {
        let tail =
            |&distance: &f64| if distance == 0.0 { 0.5 } else { upper_tail(distance / deviation / 2.0) };
        distances.iter().map(tail).sum()
    };
    let impossible = PerturbError::Parameter {
        name: "k",
        accepted: "above 0 and below half of the number of the other records",
    };
    if k > 0.0 && fitting(0.0) >= k {
        return Ok(0.0);
    }
    // The limit of infinite noise; rounding would seem to reach it.
    if !(k > 0.0 && k < distances.len() as f64 / 2.0) {
        return Err(impossible);
    }
    let mut high = distances.iter().fold(0.0, |most: f64, &distance| most.max(distance));
    while fitting(high) < k {
        high *= 2.0;
        if high > 1e200 {
            return Err(impossible);
        }
    }
    let mut low = 0.0;
    // The sum rises with the deviation. The upper end always suffices.
    while high - low > 1e-9 * high {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if fitting(middle) >= k {
            high = middle;
        } else {
            low = middle;
        }
    }
    Ok(high)
}

/// [`least_deviation`] of every record.
///
/// # Errors
/// As [`least_deviation`].
pub fn least_deviations(points: Points<'_>, k: f64) -> Result<Vec<f64>, PerturbError> {
    (0..points.len()).into_par_iter().map(|record| least_deviation(points, record, k)).collect()
}

/// How often at least k other records fitted better, in so many draws of the noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fits {
    /// The draws in which they did.
    pub held: u64,
    /// All draws.
    pub draws: u64,
}

/// What draws say of a probability.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is at least what is asked for.
    Holds,
    /// It is not.
    Fails,
    /// More draws are needed to tell.
    Undecided,
}

/// Draws the noise of a record, and counts how often at least k other records fit better (survey PM-22).
///
/// # Errors
/// When there is no such record, the spread does not fit the points, or the source of randomness fails.
pub fn fits<C: Coins + ?Sized>(
    points: Points<'_>,
    record: usize,
    spread: &Spread,
    k: usize,
    draws: u64,
    coins: &mut C,
) -> Result<Drawn<Fits>, PerturbError> {
    let ready = Ready::new(spread, points.width)?;
    // In units of the noise, j fits better when |w + g|² < |g|², that is |w|² + 2w·g < 0.
    let (mut equal, mut others) = (0, Vec::new());
    for difference in points.differences(record)? {
        let vector = ready.whiten(difference);
        let square: f64 = vector.iter().map(|own| own * own).sum();
        if square == 0.0 {
            equal += 1;
        } else if square.is_finite() {
            others.push((square, vector));
        }
    }
    let mut noise = vec![0.0; points.width];
    let mut held = 0;
    for _ in 0..draws {
        for own in &mut noise {
            *own = coins.normal()?;
        }
        let is_better = |(square, vector): &&(f64, Vec<f64>)| {
            square + 2.0 * vector.iter().zip(&noise).map(|(a, b)| a * b).sum::<f64>() < 0.0
        };
        let mut better = others.iter().filter(is_better).count();
        for _ in 0..equal {
            better += usize::from(coins.chance(0.5)?);
        }
        held += u64::from(better >= k);
    }
    Ok(Drawn { value: Fits { held, draws }, source: coins.source() })
}

impl Fits {
    /// Whether the probability is at least this, wrong with a probability of at most `error` (Hoeffding's inequality).
    pub fn judge(self, probability: f64, error: f64) -> Verdict {
        let draws = self.draws as f64;
        let reach = (-error.ln() / (2.0 * draws)).sqrt();
        let share = self.held as f64 / draws;
        // Without draws, or with an error that is none, nothing can be said.
        if share - reach >= probability {
            Verdict::Holds
        } else if share + reach < probability {
            Verdict::Fails
        } else {
            Verdict::Undecided
        }
    }
}

#[cfg(test)]
mod tests;
