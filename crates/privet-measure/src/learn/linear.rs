//! Linear regression by least squares, with standard errors (survey US-11).
//!
//! The features and the target are reduced block by block to a triangle with the same inner products (QR), so the
//! records are gone through once and the condition is not squared; the triangle is solved by its singular values.
//! Those below 1e-10 of the largest count as 0: then there are several best solutions, and the one with the least sum
//! of squares (of coefficients of moved and divided numbers) is taken.
//!
//! # Guarantee
//! Predictions at released records are those of least squares, whether the features determine the coefficients or
//! not. A coefficient that they do not determine has no standard error, and none has one without degrees of freedom.
//! The standard errors are those of ordinary least squares on the features as read: they do not know that a
//! generalized cell hides its leaf. The same on any number of threads.

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use super::LearnError;
use super::coefficient::{Coefficient, coefficients};
use super::design::{Design, Encoded};
use super::singular::{Singular, decompose};

/// What least squares found.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearRegression {
    columns: Vec<Encoded>,
    /// The intercept first; in moved and divided numbers.
    solved: Vec<f64>,
    coefficients: Vec<Coefficient>,
    rank: usize,
    residual_variance: Option<f64>,
    determination: Option<f64>,
}

impl LinearRegression {
    /// Learns the numbers of records.
    ///
    /// # Errors
    /// When there is no record, not one number for each, or a number is not finite.
    pub fn fit(design: &Design, target: &[f64]) -> Result<Self, LearnError> {
        if design.rows() != target.len() {
            return Err(LearnError::Targets { records: design.rows(), targets: target.len() });
        }
        if target.is_empty() {
            return Err(LearnError::NoRecords);
        }
        if let Some(record) = target.iter().position(|value| value.is_nan() || value.abs() > 1e100) {
            return Err(LearnError::Target { record });
        }
        // Per tuple the mean; what varies within a tuple no feature explains.
        let mut means = vec![0.0; design.weights.len()];
        let weighed = || target.iter().enumerate().map(|(row, &value)| (row, value, design.weight(row)));
        for (row, value, weight) in weighed() {
            let tuple = design.tuple_of[row] as usize;
            means[tuple] += value * weight / design.weights[tuple];
        }
        let square = |value: f64| value * value;
        let within: f64 = weighed()
            .map(|(row, value, weight)| weight * square(value - means[design.tuple_of[row] as usize]))
            .sum();
        let n: f64 = design.weights.iter().sum();
        let mean: f64 = weighed().map(|(_, value, weight)| value * weight / n).sum();
        let total: f64 = weighed().map(|(_, value, weight)| weight * square(value - mean)).sum();

        let size = design.features + 1;
        // Moved by the mean, which the intercept gives back: a large offset costs no digits.
        let triangle = reduce(design, |tuple| means[tuple] - mean);
        let (left, right) = (triangle.view((0, 0), (size, size)).into_owned(), triangle.column(size));
        let right = DVector::from_iterator(size, right.iter().take(size).copied());
        let Singular { left: u, values, right: v_t } = decompose(&left).ok_or(LearnError::Decomposition)?;
        let largest = values.iter().copied().fold(0.0, f64::max);
        let kept: Vec<(usize, f64)> =
            values.iter().copied().enumerate().filter(|(_, s)| *s > 1e-10 * largest).collect();
        let mut solved = DVector::zeros(size);
        for &(k, s) in &kept {
            solved += v_t.row(k).transpose() * (u.column(k).dot(&right) / s);
        }
        let left_over = square(triangle[(size, size)]) + (&right - &left * &solved).norm_squared() + within;
        let degrees = n - kept.len() as f64;
        let residual_variance = (degrees > 0.0).then(|| left_over / degrees);
        let variance = |sum: &[(usize, f64)]| {
            // Along the kept directions; determined when nothing of the sum is outside of them.
            let (mut inside, mut variance) = (0.0, 0.0);
            for &(k, s) in &kept {
                let along: f64 = sum.iter().map(|&(place, factor)| v_t[(k, place)] * factor).sum();
                inside += square(along);
                variance += square(along / s);
            }
            let all: f64 = sum.iter().map(|&(_, factor)| square(factor)).sum();
            residual_variance.filter(|_| inside >= all * (1.0 - 1e-7)).map(|residual| residual * variance)
        };
        solved[0] += mean;
        let solved: Vec<f64> = solved.iter().copied().collect();
        Ok(Self {
            coefficients: coefficients(&design.columns, &solved, variance),
            columns: design.columns.clone(),
            solved,
            rank: kept.len(),
            residual_variance,
            determination: (total > 0.0).then(|| 1.0 - left_over / total),
        })
    }

    /// The coefficients, in the units of the data; the intercept first.
    pub fn coefficients(&self) -> &[Coefficient] {
        &self.coefficients
    }

    /// How many independent features there are, the intercept included.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The variance of what is left over; `None` without degrees of freedom.
    pub fn residual_variance(&self) -> Option<f64> {
        self.residual_variance
    }

    /// The share of the variance that is explained, R²; `None` when the target does not vary.
    pub fn determination(&self) -> Option<f64> {
        self.determination
    }

    /// The number of a raw record, given the leaf of each column where it is known. What is not known is taken to be
    /// the mean of the training records.
    pub fn predict(&self, record: &[Option<u32>]) -> f64 {
        let leaf = |place: usize| record.get(place).copied().flatten();
        let (intercept, others) =
            self.solved.split_first().map_or((0.0, &[][..]), |(first, rest)| (*first, rest));
        let terms = self.columns.iter().enumerate().map(|(place, own)| own.dot(leaf(place), others));
        intercept + terms.sum::<f64>()
    }
}

/// The triangle of intercept, features and target of all tuples, each weighed by the root of its records.
///
/// Tuples are reduced in parts that do not depend on the number of threads, and the triangles of the parts in order.
fn reduce(design: &Design, target: impl Fn(usize) -> f64 + Sync) -> DMatrix<f64> {
    let width = design.features + 2;
    let tuples = design.weights.len();
    let size = tuples.div_ceil(8).max(512);
    let part = |part: usize| {
        let mut triangle = vec![0.0; width * width];
        let (mut block, mut row) = (Vec::new(), Vec::new());
        let end = ((part + 1) * size).min(tuples);
        for first in (part * size..end).step_by(BLOCK) {
            let count = BLOCK.min(end - first);
            block.clear();
            block.resize(count * width, 0.0);
            for at in 0..count {
                let root = design.weights[first + at].sqrt();
                design.read_tuple(first + at, &mut row);
                block[at] = root;
                for &(feature, value) in &row {
                    block[(feature as usize + 1) * count + at] = root * value;
                }
                block[(width - 1) * count + at] = root * target(first + at);
            }
            absorb(&mut triangle, &mut block, count, width);
        }
        triangle
    };
    let parts: Vec<Vec<f64>> = (0..tuples.div_ceil(size)).into_par_iter().map(part).collect();
    let mut triangle = vec![0.0; width * width];
    for own in parts {
        // Rows of a triangle are columns of what stands beside it.
        let mut block = DMatrix::from_row_slice(width, width, &own).as_slice().to_vec();
        absorb(&mut triangle, &mut block, width, width);
    }
    DMatrix::from_row_slice(width, width, &triangle)
}

/// Tuples that are reduced together: few enough for their features to stay in the cache.
const BLOCK: usize = 256;

/// Sums of squares below this are not computed as they stand.
const TINY: f64 = 1e-200;

/// Householder's reflections of a triangle (row by row) on top of a block of `count` rows (column by column):
/// afterwards the triangle alone has the inner products of both. Of the triangle only the row at hand takes part in
/// each.
fn absorb(triangle: &mut [f64], block: &mut [f64], count: usize, width: usize) {
    for k in 0..width {
        let (done, others) = block.split_at_mut((k + 1) * count);
        let own = &mut done[k * count..];
        let mut square = dot(own, own);
        let line = &mut triangle[k * width + k..(k + 1) * width];
        let mut head = line[0];
        let mut unit = 1.0;
        if head * head + square < TINY {
            // A column that depends on others leaves rounding errors, and these their own, until squares are lost and their
            // inverse is infinite: such a column is measured by its largest number.
            unit = own.iter().fold(head.abs(), |largest, own| largest.max(own.abs()));
            if unit < f64::MIN_POSITIVE {
                continue;
            }
            own.iter_mut().for_each(|own| *own /= unit);
            head /= unit;
            square = dot(own, own);
        }
        if square == 0.0 {
            continue;
        }
        let own = &*own;
        let norm = (head * head + square).sqrt();
        // Away from the diagonal, so that nothing cancels.
        let reflected = if head > 0.0 { -norm } else { norm };
        let first = head - reflected;
        let factor = 2.0 / (first * first + square);
        line[0] = reflected * unit;
        for (top, other) in line[1..].iter_mut().zip(others.chunks_exact_mut(count)) {
            let along = factor * (first * *top + dot(own, other));
            *top -= along * first;
            other.iter_mut().zip(own).for_each(|(other, own)| *other -= along * own);
        }
    }
}

/// The inner product in four sums, which a processor adds at once.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a_fours, b_fours) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a_fours.remainder().iter().zip(b_fours.remainder()).map(|(a, b)| a * b).sum();
    let mut sums = [0.0; 4];
    for (a, b) in a_fours.zip(b_fours) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    sums[0] + sums[1] + (sums[2] + sums[3]) + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Regression test: `privet measure --target` on the demo. Columns that depend on each other leave less and less, until
    /// 2 divided by a sum of squares is infinite.
    #[test]
    fn what_dependent_columns_leave_is_no_infinity() {
        for size in [1.0, 1e-150, 1e-160, 1e-200, 1e-307, 5e-324, 0.0] {
            let (width, count) = (3, 2);
            let mut triangle = vec![0.0; width * width];
            let mut block = [3.0 * size, 4.0 * size, size, 2.0 * size, 1.0, 1.0];
            absorb(&mut triangle, &mut block, count, width);
            assert!(triangle.iter().all(|own| own.is_finite()), "{size}: {triangle:?}");
            if size > 1e-300 {
                // The inner products stay: the first column is 5 long, and 11 along the second.
                let first = triangle[0].abs() / size;
                assert!((first - 5.0).abs() < 1e-12, "{size}: {first}");
                assert!((triangle[1] / size * (triangle[0] / size) - 11.0).abs() < 1e-12, "{size}");
            }
            assert!(
                (triangle[2] * triangle[2] + triangle[5] * triangle[5] + triangle[8] * triangle[8] - 2.0)
                    .abs()
                    < 1e-12
                    || size < 1e-300
            );
        }
    }
}
