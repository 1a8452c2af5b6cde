//! Sufficiency-based synthesis (survey ME-42; Burridge, 2003; Muralidhar and Sarathy): numbers are replaced such that the
//! sufficient statistics of their normal linear model are kept exactly.
//!
//! With the columns that are kept as features X, targets Y and fitted values XB̂, random residuals are made orthogonal
//! to X and brought to the covariance of the original ones: Y* = XB̂ + E*, XᵗE* = 0, E*ᵗE* = RᵗR. Without a kept
//! column, X is the intercept alone, and means and covariances are what is kept.
//!
//! # Guarantee
//! Fitting Y* on X gives the same coefficients and the same residual covariance as fitting Y, to 1e-9 of the scale of the
//! columns; so does every regression that these statistics determine, in either direction. Of the original residuals
//! nothing but their covariance enters. No promise of privacy: where X determines Y, Y* is Y (survey, caveat L1390).
//! Numbers are not rounded. Collinear features are left out. The statistics of the records that are replaced are kept,
//! and with them those of the whole table. Needs, beyond the rank of X, as many records as targets.

use super::algebra::{bounded, check_width, combine, extend, gram, orthonormal, project_out, root};
use super::plan::Task;
use super::regression::Features;
use super::{Column, ColumnModel, Frame, Model, SyntheticError};
use crate::Coins;

const METHOD: &str = "sufficiency-based synthesis";

/// Makes the copies of a task.
pub(super) fn synthesize<C: Coins + ?Sized>(
    task: &Task<'_>,
    coins: &mut C,
) -> Result<(Vec<Frame>, Vec<ColumnModel>), SyntheticError> {
    let frame = task.frame;
    if task.full && task.made.len() != frame.records() {
        return Err(SyntheticError::Scope {
            method: METHOD,
            accepted: "makes as many records as there are; ask for the moments for another number",
        });
    }
    check_width(task.targets.len())?;
    let rows = &task.learned;
    let kept = task.kept();
    for &column in &kept {
        if frame.columns()[column].any_missing() {
            return Err(SyntheticError::Missing { column, method: METHOD });
        }
    }
    let targets: Result<Vec<Vec<f64>>, SyntheticError> =
        task.targets.iter().map(|&column| frame.complete_numbers(column, rows, METHOD)).collect();
    let targets = targets?;
    let features = Features::new(frame.columns(), &kept, rows)?;
    let basis = basis(frame.columns(), &features, rows);
    let first = task.targets.first().copied().unwrap_or(0);
    let needed = basis.len() + targets.len();
    if rows.len() < needed {
        return Err(SyntheticError::TooFew { column: first, found: rows.len(), needed });
    }
    let mut residuals = targets.clone();
    residuals.iter_mut().for_each(|column| project_out(&basis, column));
    for (residual, target) in residuals.iter_mut().zip(&targets) {
        // What only rounding keeps from 0 is 0: constant columns, and those that X determines.
        let most = target.iter().fold(0f64, |most, value| most.max(value.abs()));
        if residual.iter().all(|value| value.abs() <= 1e-12 * most) {
            residual.fill(0.0);
        }
    }
    let factor = root(&gram(&residuals))?;
    let fitted: Vec<Vec<f64>> = targets
        .iter()
        .zip(&residuals)
        .map(|(target, residual)| target.iter().zip(residual).map(|(y, r)| y - r).collect())
        .collect();
    let mut copies = Vec::with_capacity(task.copies);
    for _ in 0..task.copies {
        let axes = orthonormal(&basis, rows.len(), targets.len(), coins)?;
        let mut copy = task.start(frame);
        for (place, &target) in task.targets.iter().enumerate() {
            let mut values = fitted[place].clone();
            combine(&axes, &factor, place, &mut values);
            if let Column::Numeric(own) = &mut copy.columns[target] {
                task.made.iter().zip(values).for_each(|(&row, value)| own[row as usize] = bounded(value));
            }
        }
        copies.push(copy);
    }
    let model = Model::Sufficiency { features: features.size, left_out: features.size - basis.len() };
    let models = task.targets.iter().map(|&column| ColumnModel { column, model, decimals: None }).collect();
    Ok((copies, models))
}

/// Orthonormal columns that span the features of these rows; the intercept is the first.
pub(super) fn basis(columns: &[Column], features: &Features, rows: &[u32]) -> Vec<Vec<f64>> {
    let mut dense = vec![vec![0.0; rows.len()]; features.size];
    let mut read = Vec::new();
    for (place, &row) in rows.iter().enumerate() {
        features.read(columns, row as usize, &mut read);
        read.iter().for_each(|&(feature, value)| dense[feature as usize][place] = value);
    }
    let mut basis = Vec::with_capacity(features.size);
    for column in dense {
        extend(&mut basis, column);
    }
    basis
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SeededCoins;
    use crate::synthetic::{Method, Plan, synthesize};
    use crate::testing::assert_near;
    use nalgebra::DMatrix;
    use proptest::prelude::*;

    /// Coefficients and residual covariance of two targets on an intercept, a number and two dummies, from the normal
    /// equations.
    fn fit(frame: &Frame) -> (DMatrix<f64>, DMatrix<f64>) {
        let [Column::Numeric(x), Column::Categorical { codes, .. }, Column::Numeric(a), Column::Numeric(b)] =
            frame.columns()
        else {
            unreachable!()
        };
        let n = frame.records();
        let design = DMatrix::from_fn(n, 4, |row, feature| match feature {
            0 => 1.0,
            1 => x[row],
            dummy => f64::from(codes[row] == dummy as u32 - 1),
        });
        let targets = DMatrix::from_fn(n, 2, |row, target| if target == 0 { a[row] } else { b[row] });
        let products = design.transpose() * &design;
        let coefficients = products.lu().solve(&(design.transpose() * &targets)).unwrap();
        let residuals = &targets - &design * &coefficients;
        (coefficients, residuals.transpose() * &residuals)
    }

    fn frame(n: usize, seed: u64) -> Frame {
        let mut coins = SeededCoins::new(seed);
        let mut normal = || coins.normal().unwrap();
        let x: Vec<f64> = (0..n).map(|_| normal()).collect();
        let codes: Vec<u32> = (0..n as u32).map(|row| row % 3).collect();
        let a: Vec<f64> =
            x.iter().zip(&codes).map(|(x, &c)| 100.0 + 3.0 * x - f64::from(c) + normal()).collect();
        let b: Vec<f64> = x.iter().zip(&a).map(|(x, a)| 0.01 * (x + a) + 0.02 * normal()).collect();
        let numbers = Column::Numeric;
        Frame::new(vec![numbers(x), Column::Categorical { codes, categories: 3 }, numbers(a), numbers(b)])
            .unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        /// survey ME-42: refitting gives the same statistics to 1e-9.
        #[test]
        fn sufficient_statistics_are_kept(n in 8usize..60, seed in 0u64..1000) {
            let original = frame(n, seed);
            let mut plan = Plan::partial(vec![3, 2], Method::Sufficiency).copies(2);
            if n >= 20 {
                // Enough records to keep the statistics of a part of them, and so those of all.
                plan = plan.only((0..n as u32).filter(|row| row % 7 < 5).collect());
            }
            let made = synthesize(&original, &plan, &mut SeededCoins::new(seed)).unwrap();
            let (coefficients, residuals) = fit(&original);
            for copy in &made.copies {
                let (own, spread) = fit(copy);
                prop_assert!((&own - &coefficients).amax() < 1e-9 * coefficients.amax());
                prop_assert!((&spread - &residuals).amax() < 1e-9 * residuals.amax());
                prop_assert_eq!(&copy.columns()[0], &original.columns()[0]);
                prop_assert_ne!(&copy.columns()[2], &original.columns()[2]);
            }
            prop_assert_ne!(&made.copies[0].columns()[2], &made.copies[1].columns()[2]);
        }
    }

    #[test]
    fn edges() {
        let coins = &mut SeededCoins::new(1);
        let plan = |columns| Plan::partial(columns, Method::Sufficiency).copies(1);
        // Four records, a rank of four, one target: nothing is left to draw.
        let found = synthesize(&frame(4, 1), &plan(vec![2]), coins);
        assert!(matches!(found, Err(SyntheticError::TooFew { column: 2, found: 4, .. })), "{found:?}");
        assert!(matches!(
            synthesize(&frame(20, 1), &plan(vec![1]), coins),
            Err(SyntheticError::Categories { .. })
        ));
        let gap = Frame::new(vec![Column::Numeric(vec![1.0, f64::NAN, 2.0])]).unwrap();
        assert!(matches!(synthesize(&gap, &plan(vec![0]), coins), Err(SyntheticError::Missing { .. })));
        // A constant target, and one that is twice a feature, are what they were; a copy of a feature is left out.
        let x = vec![1.0, 4.0, 2.0, 8.0, 5.0];
        let twice: Vec<f64> = x.iter().map(|x| 2.0 * x).collect();
        let columns = [x.clone(), x, twice.clone(), vec![7.0; 5]].map(Column::Numeric);
        let made = synthesize(&Frame::new(columns.to_vec()).unwrap(), &plan(vec![2, 3]), coins).unwrap();
        for (column, expected) in [(2, &twice), (3, &vec![7.0; 5])] {
            let Column::Numeric(values) = &made.copies[0].columns()[column] else { unreachable!() };
            values.iter().zip(expected).for_each(|(a, b)| assert_near(*a, *b, 1e-12));
        }
        assert_eq!(made.models[0].model, Model::Sufficiency { features: 3, left_out: 1 });
    }
}
