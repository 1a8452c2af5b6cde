//! Numbers with the same means and covariances (survey ME-44; Mateo-Sanz, Martínez-Ballesté and Domingo-Ferrer, 2004).
//!
//! A random matrix is centred and orthonormalized, multiplied by a root of the covariance matrix, and the means are
//! added.
//!
//! # Guarantee
//! Means and sample covariances (divisors n−1 of each table) of the columns that are made are those of the original, to
//! 1e-9 of their scale. Nothing else of the original enters: everything beyond these two moments is normal. Columns that
//! are made in a partial synthesis do not depend on those that are kept. No promise of privacy: means and covariances
//! are told exactly. Numbers are not rounded. A copy needs more
//! records than columns, and the original nine more still: the moments of few records nearly are those records.

use super::algebra::{FREE, bounded, check_width, combine, gram, orthonormal, root};
use super::plan::Task;
use super::regression::mean_and_deviation;
use super::{Column, ColumnModel, Frame, Model, SyntheticError};
use crate::Coins;

const METHOD: &str = "synthesis with the same moments";

/// Makes the copies of a task.
pub(super) fn synthesize<C: Coins + ?Sized>(
    task: &Task<'_>,
    coins: &mut C,
) -> Result<(Vec<Frame>, Vec<ColumnModel>), SyntheticError> {
    check_width(task.targets.len())?;
    let (learned, made) = (task.learned.len(), task.made.len());
    let mut centred = Vec::with_capacity(task.targets.len());
    let mut means = Vec::with_capacity(task.targets.len());
    for &column in &task.targets {
        let mut values = task.frame.complete_numbers(column, &task.learned, METHOD)?;
        let (mean, deviation) = mean_and_deviation(values.iter().copied());
        values.iter_mut().for_each(|value| *value = if deviation > 0.0 { *value - mean } else { 0.0 });
        means.push(mean);
        centred.push(values);
    }
    let column = task.targets.first().copied().unwrap_or(0);
    let room = task.targets.len() + 1;
    for (found, needed) in [(learned, room + FREE), (made, room)] {
        if found < needed {
            return Err(SyntheticError::TooFew { column, found, needed });
        }
    }
    // Σ x*x*ᵗ / (N−1) = Σ xxᵗ / (n−1).
    let factor = root(&(gram(&centred) * ((made - 1) as f64 / (learned - 1) as f64)))?;
    let even = vec![vec![1.0 / (made as f64).sqrt(); made]];
    let mut copies = Vec::with_capacity(task.copies);
    for _ in 0..task.copies {
        let axes = orthonormal(&even, made, task.targets.len(), coins)?;
        let mut copy = task.start(task.frame);
        for (place, &target) in task.targets.iter().enumerate() {
            let mut values = vec![0.0; made];
            combine(&axes, &factor, place, &mut values);
            if let Column::Numeric(own) = &mut copy.columns[target] {
                let mean = means[place];
                task.made
                    .iter()
                    .zip(values)
                    .for_each(|(&row, value)| own[row as usize] = bounded(mean + value));
            }
        }
        copies.push(copy);
    }
    let model = Model::Moments;
    let models = task.targets.iter().map(|&column| ColumnModel { column, model, decimals: None }).collect();
    Ok((copies, models))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::{Method, Plan, synthesize};
    use crate::{SeededCoins, covariance};
    use proptest::prelude::*;

    fn rows(frame: &Frame) -> Vec<f64> {
        let width = frame.columns().len();
        let value = |place: usize| match &frame.columns()[place % width] {
            Column::Numeric(values) => values[place / width],
            Column::Categorical { .. } => unreachable!(),
        };
        (0..width * frame.records()).map(value).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        /// survey ME-44: both moments to 1e-9, with columns in very different units, one that is the sum of others and
        /// one that is constant, and another number of records.
        #[test]
        fn moments_are_kept(
            values in prop::collection::vec((-5.0f64..5.0, -5.0f64..5.0, -5.0f64..5.0), 15..40),
            made in 6usize..60,
            seed in 0u64..1000,
        ) {
            let column = |f: fn(&(f64, f64, f64)) -> f64| Column::Numeric(values.iter().map(f).collect());
            let original = Frame::new(vec![
                column(|v| 1e6 * v.0),
                column(|v| 1e-3 * (v.0 + v.1)),
                column(|v| v.2 + 40.0),
                column(|v| v.0 + v.2),
                column(|_| 3.0),
            ]).unwrap();
            let plan = Plan::full(made, Method::Moments).copies(1);
            let drawn = synthesize(&original, &plan, &mut SeededCoins::new(seed)).unwrap();
            let (before, after) = (rows(&original), rows(&drawn.copies[0]));
            let (was, is) = (covariance(&before, 5).unwrap(), covariance(&after, 5).unwrap());
            for a in 0..5 {
                let mean = |rows: &[f64]| rows.iter().skip(a).step_by(5).sum::<f64>() / (rows.len() / 5) as f64;
                let scale = was[(a, a)].sqrt().max(mean(&before).abs());
                prop_assert!((mean(&before) - mean(&after)).abs() <= 1e-9 * scale);
                for b in 0..5 {
                    let scale = (was[(a, a)] * was[(b, b)]).sqrt();
                    prop_assert!((was[(a, b)] - is[(a, b)]).abs() <= 1e-9 * scale + 1e-24, "{} {}", was, is);
                }
            }
        }
    }

    #[test]
    fn edges() {
        let coins = &mut SeededCoins::new(1);
        let full = |records| Plan::full(records, Method::Moments).copies(1);
        let two = |records: i32| {
            let column =
                |f: fn(i32) -> i32| Column::Numeric((0..records).map(|row| f64::from(f(row))).collect());
            Frame::new(vec![column(|row| row * row), column(|row| row % 3)]).unwrap()
        };
        // The mean and the variance of a few records tell them.
        let found = synthesize(&two(11), &full(20), coins);
        assert_eq!(found, Err(SyntheticError::TooFew { column: 0, found: 11, needed: 12 }));
        let found = synthesize(&two(12), &full(2), coins);
        assert_eq!(found, Err(SyntheticError::TooFew { column: 0, found: 2, needed: 3 }));
        let made = synthesize(&two(12), &full(3), coins).unwrap();
        assert!(rows(&made.copies[0]).iter().all(|value| value.is_finite()));
        let large = (0..12).map(|row| f64::from(row % 3 - 1) * 1e100).collect();
        let large = Frame::new(vec![Column::Numeric(large)]).unwrap();
        let made = synthesize(&large, &full(4), coins).unwrap();
        assert!(rows(&made.copies[0]).iter().all(|value| value.is_finite()));
    }
}
