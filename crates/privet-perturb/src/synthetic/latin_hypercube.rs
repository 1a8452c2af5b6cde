//! Latin-hypercube synthesis (survey ME-45; Dandekar, Cohen and Kirkendall, 2002): the same distribution of each number,
//! and about the same rank correlations, by the method of Iman and Conover (1982).
//!
//! Each column gets one value from each of N equally likely parts of its distribution. Which record gets which is decided
//! by random scores: normal columns that are made exactly uncorrelated, then brought to the correlations 2·sin(πρ/6), with
//! which normal numbers have the rank correlations ρ of the original. The record with the k-th lowest score gets the
//! k-th lowest value. Iman and Conover start from fixed scores in random order; random ones do the same.
//!
//! # Guarantee
//! Without `smooth`, and with as many records as there are, each column has exactly the values of the original, in
//! another order: every univariate statistic is kept, and every value is somebody's. With `smooth`, a value is drawn
//! between the neighbouring original values of its part, and one that only one record has is not repeated, until it is
//! rounded. How far any rank correlation is from the original's is measured, in the first copy, and told with the
//! model ([`Model::LatinHypercube`]); for smoothly related columns it is of the order of 1/√N. Dependence that ranks do
//! not tell is lost. No promise of privacy.

use nalgebra::DMatrix;

use super::algebra::{check_width, combine, orthonormal, root};
use super::draws::inside;
use super::frame::to_decimals;
use super::plan::Task;
use super::{Column, ColumnModel, Frame, Model, SyntheticError};
use crate::{Coins, PerturbError};

const METHOD: &str = "Latin-hypercube synthesis";

/// Which values are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct LatinHypercube {
    /// Whether values are drawn between those of the original, or are those of the original.
    pub smooth: bool,
}

impl Default for LatinHypercube {
    fn default() -> Self {
        Self { smooth: true }
    }
}

/// Makes the copies of a task.
pub(super) fn synthesize<C: Coins + ?Sized>(
    task: &Task<'_>,
    options: LatinHypercube,
    coins: &mut C,
) -> Result<(Vec<Frame>, Vec<ColumnModel>), SyntheticError> {
    check_width(task.targets.len())?;
    let made = task.made.len();
    let mut columns = Vec::with_capacity(task.targets.len());
    for &column in &task.targets {
        columns.push(task.frame.complete_numbers(column, &task.learned, METHOD)?);
    }
    let needed = task.targets.len() + 1;
    if made < needed {
        return Err(SyntheticError::Scope {
            method: METHOD,
            accepted: "makes more records than there are columns; ask for more",
        });
    }
    let target = rank_correlation(&columns);
    let factor = root(&target.map(normal_correlation))?;
    let rounds = task.round && options.smooth;
    let place = |&column: &usize| if rounds { task.frame.columns()[column].decimals() } else { None };
    let places: Vec<Option<u8>> = task.targets.iter().map(place).collect();
    columns.iter_mut().for_each(|values| values.sort_unstable_by(f64::total_cmp));
    let even = vec![vec![1.0 / (made as f64).sqrt(); made]];
    let mut copies: Vec<Frame> = Vec::with_capacity(task.copies);
    let mut away = 0.0;
    for number in 0..task.copies {
        let axes = orthonormal(&even, made, columns.len(), coins)?;
        let mut copy = task.start(task.frame);
        let mut drawn = Vec::with_capacity(columns.len());
        for (place, (sorted, places)) in columns.iter().zip(&places).enumerate() {
            let mut scores = vec![0.0; made];
            combine(&axes, &factor, place, &mut scores);
            let mut order: Vec<u32> = (0..made as u32).collect();
            order
                .sort_unstable_by(|&a, &b| scores[a as usize].total_cmp(&scores[b as usize]).then(a.cmp(&b)));
            let mut values = vec![0.0; made];
            for (part, &row) in order.iter().enumerate() {
                let value = stratum(sorted, part, made, options.smooth, coins)?;
                values[row as usize] = places.map_or(value, |places| to_decimals(value, places));
            }
            drawn.push(values);
        }
        if number == 0 {
            away = (rank_correlation(&drawn) - &target).amax();
        }
        for (values, &target) in drawn.iter().zip(&task.targets) {
            if let Column::Numeric(own) = &mut copy.columns[target] {
                task.made.iter().zip(values).for_each(|(&row, &value)| own[row as usize] = value);
            }
        }
        copies.push(copy);
    }
    let model = Model::LatinHypercube { rank_correlation_off: away, smooth: options.smooth };
    let own = task.targets.iter().zip(&places);
    let models = own.map(|(&column, &decimals)| ColumnModel { column, model, decimals }).collect();
    Ok((copies, models))
}

/// The correlation of normal numbers with this rank correlation (Pearson, 1907).
fn normal_correlation(rank: f64) -> f64 {
    2.0 * (std::f64::consts::PI * rank / 6.0).sin()
}

/// A value of one of `parts` equally likely parts of a distribution.
fn stratum<C: Coins + ?Sized>(
    sorted: &[f64],
    part: usize,
    parts: usize,
    smooth: bool,
    coins: &mut C,
) -> Result<f64, PerturbError> {
    let last = sorted.len().saturating_sub(1);
    let at = |place: usize| sorted.get(place.min(last)).copied().unwrap_or(f64::NAN);
    if !smooth {
        return Ok(at(((part as f64 + 0.5) / parts as f64 * sorted.len() as f64) as usize));
    }
    // The distribution that is even between neighbouring values.
    let share = (part as f64 + inside(coins)?) / parts as f64 * last as f64;
    let (below, within) = (share.floor(), share - share.floor());
    let (low, high) = (at(below as usize), at(below as usize + 1));
    Ok((low * (1.0 - within) + high * within).clamp(low, high))
}

/// Spearman's correlations; equal values share their mean rank. A constant column has none, which counts as 0.
fn rank_correlation(columns: &[Vec<f64>]) -> DMatrix<f64> {
    let ranked: Vec<Vec<f64>> = columns.iter().map(|values| ranks(values)).collect();
    DMatrix::from_fn(columns.len(), columns.len(), |a, b| {
        if a == b { 1.0 } else { ranked[a].iter().zip(&ranked[b]).map(|(a, b)| a * b).sum() }
    })
}

/// Mean ranks, moved to mean 0 and divided to length 1.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&a, &b| values[a].total_cmp(&values[b]));
    let centre = (values.len() as f64 - 1.0) / 2.0;
    let mut ranks = vec![0.0; values.len()];
    let mut first = 0;
    for same in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let mean = first as f64 + (same.len() as f64 - 1.0) / 2.0 - centre;
        same.iter().for_each(|&row| ranks[row] = mean);
        first += same.len();
    }
    let length = ranks.iter().map(|rank| rank * rank).sum::<f64>().sqrt();
    if length > 0.0 {
        ranks.iter_mut().for_each(|rank| *rank /= length);
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SeededCoins;
    use crate::synthetic::{Method, Plan, synthesize};
    use crate::testing::assert_near;

    fn original(n: usize) -> Frame {
        let mut coins = SeededCoins::new(45);
        let mut columns = vec![Vec::new(), Vec::new(), Vec::new()];
        for _ in 0..n {
            let (a, b, c) = (coins.normal().unwrap(), coins.normal().unwrap(), coins.normal().unwrap());
            columns[0].push((2.0 * a).exp());
            columns[1].push(0.8 * a + 0.6 * b);
            columns[2].push((-3.0 * b + 0.5 * c).round());
        }
        Frame::new(columns.into_iter().map(Column::Numeric).collect()).unwrap()
    }

    fn numbers(frame: &Frame) -> Vec<Vec<f64>> {
        let own = frame.columns().iter().map(|column| match column {
            Column::Numeric(values) => values.clone(),
            Column::Categorical { .. } => unreachable!(),
        });
        own.collect()
    }

    #[test]
    fn ranks_by_hand() {
        // Ranks 1, 2.5, 2.5, 4 around 2.5, with squares 4.5.
        let found = ranks(&[-1.0, 5.0, 5.0, 9.0]);
        let expected = [-1.5, 0.0, 0.0, 1.5].map(|rank| rank / 4.5f64.sqrt());
        found.iter().zip(expected).for_each(|(a, b)| assert_near(*a, b, 1e-12));
        assert_eq!(ranks(&[2.0, 2.0]), [0.0, 0.0]);
        // The rank correlation of normal numbers with correlation 1/2 is (6/π)·asin(1/4).
        assert_near(normal_correlation(6.0 / std::f64::consts::PI * 0.25f64.asin()), 0.5, 1e-12);
    }

    /// survey ME-45: univariate values are kept exactly; each rank correlation is near that of the original. With the
    /// scores exactly uncorrelated, the deviation of one is below 1/√n = 0.02236; 0.115 is 5.14 of these, so a false alarm
    /// has a probability of 2.7e-7 for one and 8.1e-7 for all three. Without its correlation a column would be off by 0.7.
    #[test]
    fn values_and_rank_correlations_are_kept() {
        let n = 2000;
        let frame = original(n);
        let plan = Plan::full(n, Method::LatinHypercube(LatinHypercube { smooth: false })).copies(1);
        let made = synthesize(&frame, &plan, &mut SeededCoins::new(9)).unwrap();
        let (before, after) = (numbers(&frame), numbers(&made.copies[0]));
        for (a, b) in before.iter().zip(&after) {
            let (mut a, mut b) = (a.clone(), b.clone());
            a.sort_unstable_by(f64::total_cmp);
            b.sort_unstable_by(f64::total_cmp);
            assert_eq!(a, b);
        }
        let off = (rank_correlation(&before) - rank_correlation(&after)).amax();
        assert!(off < 0.115 && rank_correlation(&before)[(0, 1)] > 0.7, "{off}");
        assert!(matches!(made.models[0].model,
            Model::LatinHypercube { rank_correlation_off, .. } if rank_correlation_off == off));
    }

    #[test]
    fn smooth_values_are_nobodys_alone() {
        let frame = original(500);
        let plan = Plan::full(700, Method::LatinHypercube(LatinHypercube::default())).copies(2);
        let made = synthesize(&frame, &plan, &mut SeededCoins::new(9)).unwrap();
        let (before, after) = (numbers(&frame), numbers(&made.copies[1]));
        for column in 0..2 {
            assert!(after[column].iter().all(|value| !before[column].contains(value)));
        }
        // Whole numbers stay whole.
        assert_eq!(made.models[2].decimals, Some(0));
        assert!(after[2].iter().all(|value| value.fract() == 0.0));
        let largest = before[0].iter().copied().fold(0.0, f64::max);
        assert!(after[0].iter().all(|&value| value > 0.0 && value < largest));
    }

    #[test]
    fn edges() {
        let coins = &mut SeededCoins::new(1);
        let plan = |records| Plan::full(records, Method::LatinHypercube(LatinHypercube::default())).copies(1);
        // One record, constant columns, equal columns.
        let one = Frame::new(vec![Column::Numeric(vec![4.0])]).unwrap();
        assert_eq!(numbers(&synthesize(&one, &plan(3), coins).unwrap().copies[0])[0], [4.0; 3]);
        assert!(matches!(synthesize(&one, &plan(1), coins), Err(SyntheticError::Scope { .. })));
        let same = vec![3.0, 1.0, 2.0, 8.0];
        let frame = Frame::new(vec![
            Column::Numeric(same.clone()),
            Column::Numeric(same),
            Column::Numeric(vec![0.0; 4]),
        ]);
        let made = synthesize(&frame.unwrap(), &plan(8).round(false), coins).unwrap();
        let found = numbers(&made.copies[0]);
        assert_eq!(ranks(&found[0]), ranks(&found[1]));
        assert_eq!(found[2], [0.0; 8]);
    }
}
