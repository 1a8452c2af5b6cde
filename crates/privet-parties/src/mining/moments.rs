//! Correlation and linear regression over vertical parts: sums, and sums of products, of all pairs of columns.
//!
//! Sums of products of two columns of one party are its own; of two parties they are scalar products from oblivious transfer.
//!
//! # What is revealed
//! The sums and the sums of products, over all common records: what correlations and regressions are computed from, and a little more (means
//! and variances). Nothing of single records.

use serde::{Deserialize, Serialize};

use super::joint::Joint;
use crate::error::PartyError;
use crate::protocol::product::{Side, scalar_products};
use crate::session::Session;

/// Sums over all records. Values are whole numbers, in units of a grid above the lowest value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moments {
    /// How many records.
    pub records: u64,
    /// Per column its sum.
    pub sums: Vec<u64>,
    /// Per pair of columns the sum of products.
    pub products: Vec<Vec<u64>>,
}

/// Moments of columns below 2^bits each; `holders` tells per column whose it is, `columns` are this party's in that order.
///
/// # Errors
/// When sums could pass 2^63, or the session fails.
pub fn moments(
    session: &mut Session<'_>,
    joint: &mut Joint,
    holders: &[usize],
    bits: &[u32],
    columns: &[Vec<u64>],
    records: usize,
) -> Result<Moments, PartyError> {
    let widest = bits.iter().copied().max().unwrap_or(0);
    if 2 * widest + records.max(1).ilog2() + 1 > 63 {
        return Err(PartyError::Job("sums of products would be too large: use fewer decimals".to_owned()));
    }
    let (me, count) = (session.me(), holders.len());
    let held =
        |party: usize| -> Vec<usize> { (0..count).filter(|&column| holders[column] == party).collect() };
    let mine = held(me);
    let mut sums = vec![0u64; count];
    let mut products = vec![vec![0u64; count]; count];
    for (place, &a) in mine.iter().enumerate() {
        sums[a] = columns[place].iter().sum();
        for (other, &b) in mine.iter().enumerate() {
            products[a][b] = columns[place].iter().zip(&columns[other]).map(|(x, y)| x * y).sum();
        }
    }
    for first in 0..session.parties() {
        for second in first + 1..session.parties() {
            if (me != first && me != second) || held(first).is_empty() || held(second).is_empty() {
                continue;
            }
            let (theirs, others) = (held(first), held(second));
            let rows: u64 = theirs.iter().map(|&own| u64::from(bits[own]) * records as u64).sum();
            session.stage("scalar products of columns", Some(rows));
            let transfers = joint.transfers(session)?;
            for (place, &a) in theirs.iter().enumerate() {
                let side = match me == first {
                    true => Side::Bits { column: &columns[place], bits: bits[a], width: others.len() },
                    false => Side::Numbers { columns, bits: bits[a] },
                };
                let other = if me == first { second } else { first };
                let shares = scalar_products(session, transfers, other, side)?;
                for (&b, share) in others.iter().zip(shares) {
                    products[a][b] = share;
                }
            }
        }
    }
    let opened = joint.sums.sum(session, &[sums, products.concat()].concat())?;
    let (sums, rest) = opened.split_at(count);
    let mut products: Vec<Vec<u64>> = rest.chunks(count.max(1)).map(<[u64]>::to_vec).collect();
    for a in 0..count {
        for b in 0..a {
            // A pair of two parties stands on one side only; a pair of one party is the same on both.
            let own = if holders[a] == holders[b] {
                products[b][a]
            } else {
                products[a][b].wrapping_add(products[b][a])
            };
            (products[a][b], products[b][a]) = (own, own);
        }
    }
    Ok(Moments { records: records as u64, sums: sums.to_vec(), products })
}

impl Moments {
    /// n times the sum of products of deviations, exactly.
    fn spread(&self, a: usize, b: usize) -> f64 {
        let (n, x, y) = (i128::from(self.records), i128::from(self.sums[a]), i128::from(self.sums[b]));
        (n * i128::from(self.products[a][b]) - x * y) as f64
    }

    /// Pearson's correlation of two columns; nothing where one does not vary.
    pub fn correlation(&self, a: usize, b: usize) -> Option<f64> {
        let scale = (self.spread(a, a) * self.spread(b, b)).sqrt();
        (scale > 0.0).then(|| self.spread(a, b) / scale)
    }

    /// Least squares: the intercept and the slopes of the predictors, in units of the grid; nothing where predictors depend on each other.
    pub fn regression(&self, target: usize, predictors: &[usize]) -> Option<(f64, Vec<f64>)> {
        let mut matrix: Vec<Vec<f64>> = predictors
            .iter()
            .map(|&a| {
                let mut row: Vec<f64> = predictors.iter().map(|&b| self.spread(a, b)).collect();
                row.push(self.spread(a, target));
                row
            })
            .collect();
        let slopes = solve(&mut matrix)?;
        let n = self.records as f64;
        let explained: f64 =
            slopes.iter().zip(predictors).map(|(slope, &own)| slope * self.sums[own] as f64).sum();
        Some(((self.sums[target] as f64 - explained) / n, slopes))
    }
}

/// Solves equations by elimination with the largest pivot.
fn solve(matrix: &mut [Vec<f64>]) -> Option<Vec<f64>> {
    let count = matrix.len();
    let largest = matrix.iter().flatten().fold(0.0f64, |most, own| most.max(own.abs()));
    for column in 0..count {
        let pivot =
            (column..count).max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))?;
        if matrix[pivot][column].abs() <= largest * 1e-12 {
            return None;
        }
        matrix.swap(column, pivot);
        for row in (0..count).filter(|&row| row != column) {
            let factor = matrix[row][column] / matrix[column][column];
            let pivot: Vec<f64> = matrix[column][column..].to_vec();
            matrix[row][column..].iter_mut().zip(pivot).for_each(|(own, pivot)| *own -= factor * pivot);
        }
    }
    Some((0..count).map(|row| matrix[row][count] / matrix[row][row]).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::session::run_local;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5))]
        #[test]
        fn joint_moments_are_the_central_ones(
            table in proptest::collection::vec(proptest::collection::vec(0u64..1000, 4), 20..60),
            parties in 2usize..4,
        ) {
            let holders = [0, 1, parties - 1, 0];
            let column = |place: usize| table.iter().map(|own| own[place]).collect::<Vec<u64>>();
            let results = run_local(parties, |session| {
                let mut joint = Joint::new(session, 0)?;
                let mine: Vec<Vec<u64>> = (0..4).filter(|&own| holders[own] == session.me()).map(column).collect();
                moments(session, &mut joint, &holders, &[10; 4], &mine, table.len())
            });
            for result in results {
                let found = result.unwrap();
                for a in 0..4 {
                    prop_assert_eq!(found.sums[a], column(a).iter().sum::<u64>());
                    for b in 0..4 {
                        let expected: u64 = column(a).iter().zip(column(b)).map(|(x, y)| x * y).sum();
                        prop_assert_eq!(found.products[a][b], expected);
                    }
                }
            }
        }
    }

    /// y = 3 + 2·a − b exactly, and correlations of what rises and falls together.
    #[test]
    fn regression_and_correlation_are_exact_on_a_plane() {
        let rows: Vec<[u64; 3]> =
            (0..30u64).map(|i| [i % 7, i * i % 5, 3 + 2 * (i % 7) + 5 - i * i % 5]).collect();
        let sum = |a: usize| rows.iter().map(|own| own[a]).sum();
        let product = |a: usize, b: usize| rows.iter().map(|own| own[a] * own[b]).sum();
        let found = Moments {
            records: 30,
            sums: (0..3).map(sum).collect(),
            products: (0..3).map(|a| (0..3).map(|b| product(a, b)).collect()).collect(),
        };
        let (intercept, slopes) = found.regression(2, &[0, 1]).unwrap();
        assert!(
            (intercept - 8.0).abs() < 1e-9
                && (slopes[0] - 2.0).abs() < 1e-9
                && (slopes[1] + 1.0).abs() < 1e-9
        );
        assert!((found.correlation(0, 0).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(found.regression(2, &[0, 0]), None);
    }
}
