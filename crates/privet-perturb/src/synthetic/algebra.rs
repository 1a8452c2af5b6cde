//! Random columns with exactly given inner products, the engine of the methods that keep statistics exactly (survey
//! ME-42, ME-44).
//!
//! # Guarantee
//! [`orthonormal`] makes columns of length 1 that are orthogonal to each other and to a basis, evenly distributed among
//! all such (Gram–Schmidt of normal columns, twice, so that rounding is of the order of 1e-15). [`root`] gives F with
//! F·Fᵗ a matrix without negative eigenvalues, also where columns determine each other.

use nalgebra::{DMatrix, SymmetricEigen};

use super::SyntheticError;
use crate::{Coins, PerturbError};

/// How many directions, beyond those of the columns that are made, must be left to draw from. Without one, a single column
/// is the original or its mirror image; with few, all tables that could be drawn lie near these two.
pub(super) const FREE: usize = 9;

/// A category of fewer records is no feature of a fit that is published: a fit meets the mean of the category exactly, and
/// so the value of one who is alone in it.
pub(super) const FEWEST: u32 = 5;

/// How much of its own fitted value a record may make up. One that makes up all of it, because nobody is like it in the
/// columns that are kept, is fitted exactly, and its value would be published.
pub(super) const MOST_LEVERAGE: f64 = 0.9;

/// The most columns that are made together.
pub(super) const MOST_COLUMNS: usize = 500;

fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Takes off what lies along a basis of orthonormal columns.
pub(super) fn project_out(basis: &[Vec<f64>], column: &mut [f64]) {
    for _ in 0..2 {
        for own in basis {
            let along = inner(own, column);
            column.iter_mut().zip(own).for_each(|(value, axis)| *value -= along * axis);
        }
    }
}

/// Adds a column to a basis, unless the basis determines it already (to 1e-9 of its length). Tells whether it was added.
pub(super) fn extend(basis: &mut Vec<Vec<f64>>, mut column: Vec<f64>) -> bool {
    let before = inner(&column, &column).sqrt();
    project_out(basis, &mut column);
    let after = inner(&column, &column).sqrt();
    // Also refuses what is no number.
    let new = after > 1e-9 * before;
    if new {
        column.iter_mut().for_each(|value| *value /= after);
        basis.push(column);
    }
    new
}

/// So many random orthonormal columns, orthogonal to a basis of columns of this length. The basis must leave room.
pub(super) fn orthonormal<C: Coins + ?Sized>(
    basis: &[Vec<f64>],
    length: usize,
    count: usize,
    coins: &mut C,
) -> Result<Vec<Vec<f64>>, PerturbError> {
    let mut all = basis.to_vec();
    while all.len() < basis.len() + count && all.len() < length {
        let mut column = Vec::with_capacity(length);
        for _ in 0..length {
            column.push(coins.normal()?);
        }
        // A normal column lies within the basis with probability 0; another is drawn then.
        extend(&mut all, column);
    }
    Ok(all.split_off(basis.len()))
}

/// F with F·Fᵗ this symmetric matrix, row by row; negative eigenvalues, which are rounding, count as 0.
pub(super) fn root(matrix: &DMatrix<f64>) -> Result<DMatrix<f64>, SyntheticError> {
    let size = matrix.nrows();
    // Columns are brought to length 1 first, so that one in large units does not drown the others in rounding.
    let scales: Vec<f64> = matrix.diagonal().iter().map(|own| own.max(0.0).sqrt()).collect();
    let inverse = |place: usize| if scales[place] > 0.0 { 1.0 / scales[place] } else { 0.0 };
    let scaled = DMatrix::from_fn(size, size, |a, b| matrix[(a, b)] * inverse(a) * inverse(b));
    let axes = SymmetricEigen::try_new(scaled, f64::EPSILON, 10_000).ok_or(SyntheticError::Decomposition)?;
    let reach: Vec<f64> = axes.eigenvalues.iter().map(|own| own.max(0.0).sqrt()).collect();
    Ok(DMatrix::from_fn(size, size, |a, b| axes.eigenvectors[(a, b)] * reach[b] * scales[a]))
}

/// Per column c the sum over axes a of F[c, a] times axis a.
pub(super) fn combine(axes: &[Vec<f64>], factor: &DMatrix<f64>, column: usize, into: &mut [f64]) {
    for (place, axis) in axes.iter().enumerate() {
        let load = factor[(column, place)];
        into.iter_mut().zip(axis).for_each(|(value, own)| *value += load * own);
    }
}

/// The inner products of columns.
pub(super) fn gram(columns: &[Vec<f64>]) -> DMatrix<f64> {
    DMatrix::from_fn(columns.len(), columns.len(), |a, b| inner(&columns[a], &columns[b]))
}

/// Refuses more columns than are made together.
pub(super) fn check_width(found: usize) -> Result<(), SyntheticError> {
    if found > MOST_COLUMNS {
        return Err(SyntheticError::TooLarge {
            what: "the columns that are made together",
            found,
            most: MOST_COLUMNS,
        });
    }
    Ok(())
}

/// What is beyond the numbers of a frame stays within them.
pub(super) fn bounded(value: f64) -> f64 {
    value.clamp(-crate::error::MOST, crate::error::MOST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SeededCoins;
    use crate::testing::{assert_mean, assert_near, moments};

    /// Evenly among all unit columns of five dimensions, those of six that sum to 0: along any of them the mean is 0, the mean
    /// square 1/5 and the mean fourth power 3/35; the second column is like the first, and in the four that are left no more
    /// along one than along another. False alarm: 1e-6 for all 10.
    #[test]
    fn columns_are_drawn_evenly() {
        let basis = vec![vec![1.0 / 6f64.sqrt(); 6]];
        let along = [
            [1.0, -1.0, 0.0, 0.0, 0.0, 0.0].map(|own| own / 2f64.sqrt()),
            [1.0, 1.0, 1.0, -1.0, -1.0, -1.0].map(|own| own / 6f64.sqrt()),
        ];
        let mut coins = SeededCoins::new(6);
        let runs = 20_000;
        let mut found = [const { Vec::new() }; 10];
        for _ in 0..runs {
            let columns = orthonormal(&basis, 6, 2, &mut coins).unwrap();
            let [first, second] = &columns[..] else { panic!("{columns:?}") };
            assert_near(inner(first, &basis[0]), 0.0, 1e-12);
            assert_near(inner(second, first), 0.0, 1e-12);
            assert_near(inner(second, second), 1.0, 1e-12);
            let [a, b] = along.map(|own| inner(first, &own));
            let [c, d] = along.map(|own| inner(second, &own));
            let powers = [a, b, c, d, a * a, b * b, c * c, a.powi(4), d.powi(4), a * b];
            found.iter_mut().zip(powers).for_each(|(all, own)| all.push(own));
        }
        let expected = [0.0, 0.0, 0.0, 0.0, 0.2, 0.2, 0.2, 3.0 / 35.0, 3.0 / 35.0, 0.0];
        for (all, expected) in found.iter().zip(expected) {
            let (mean, variance) = moments(all);
            assert_mean(mean, expected, (variance / f64::from(runs)).sqrt(), 10);
        }
    }
}
