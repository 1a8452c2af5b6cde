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
//! nothing but their covariance enters. No promise of privacy: where X determines Y, Y* is Y (survey, caveat L1390). A record
//! that nobody is like in X would determine its own fit, so it is refused, and categories of fewer than five records are one
//! feature together. Numbers are not rounded. Collinear features are left out. The statistics of the records that are replaced are kept,
//! and with them those of the whole table. Needs, beyond the rank of X
//! and the number of targets, nine records more: with fewer, the original is nearly all that could be drawn.

use super::algebra::{
    FEWEST, FREE, MOST_LEVERAGE, bounded, check_width, combine, extend, gram, orthonormal, project_out, root,
};
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
    let features = Features::of_at_least(FEWEST, frame.columns(), &kept, rows)?;
    let basis = basis(frame.columns(), &features, rows);
    let first = task.targets.first().copied().unwrap_or(0);
    let needed = basis.len() + targets.len() + FREE;
    if rows.len() < needed {
        return Err(SyntheticError::TooFew { column: first, found: rows.len(), needed });
    }
    // The length of a record's part of the basis is the share that it has in what is fitted to it.
    let leverage = |place: usize| basis.iter().map(|own| own[place] * own[place]).sum::<f64>();
    let records = (0..rows.len()).filter(|&place| leverage(place) > MOST_LEVERAGE).count();
    if records > 0 {
        return Err(SyntheticError::Determined { column: first, records });
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
    let model = Model::Sufficiency {
        features: features.size + features.merged,
        left_out: features.size + features.merged - basis.len(),
    };
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
        fn sufficient_statistics_are_kept(n in 15usize..60, seed in 0u64..1000) {
            let original = frame(n, seed);
            let mut plan = Plan::partial(vec![3, 2], Method::Sufficiency).copies(2);
            if n >= 25 {
                // Enough records to keep the statistics of a part of them, and so those of all.
                plan = plan.only((0..n as u32).filter(|row| row % 7 < 5).collect());
            }
            let made = synthesize(&original, &plan, &mut SeededCoins::new(seed));
            prop_assume!(!matches!(made, Err(SyntheticError::Determined { .. })));
            let made = made.unwrap();
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
        // A rank of four (categories of four records are one feature) and one target: with fewer than fourteen records hardly
        // anything is left to draw.
        let found = synthesize(&frame(12, 1), &plan(vec![2]), coins);
        let too_few = Err(SyntheticError::TooFew { column: 2, found: 12, needed: 14 });
        assert_eq!(found, too_few);
        assert!(synthesize(&frame(15, 1), &plan(vec![2]), coins).is_ok());
        assert!(matches!(
            synthesize(&frame(20, 1), &plan(vec![1]), coins),
            Err(SyntheticError::Categories { .. })
        ));
        // Who is alone in a category is fitted with the others; who is far off in a number is refused.
        let alone = |x: f64| {
            let mut columns = frame(40, 3).columns().to_vec();
            let Column::Categorical { codes, categories } = &mut columns[1] else { unreachable!() };
            (codes[7], *categories) = (3, 4);
            let Column::Numeric(values) = &mut columns[0] else { unreachable!() };
            values[8] = x;
            Frame::new(columns).unwrap()
        };
        let made = synthesize(&alone(0.5), &plan(vec![2]), coins).unwrap();
        let [Column::Numeric(was), Column::Numeric(is)] =
            [&alone(0.5).columns()[2], &made.copies[0].columns()[2]].map(Clone::clone)
        else {
            unreachable!()
        };
        assert!((was[7] - is[7]).abs() > 1e-3, "{} {}", was[7], is[7]);
        assert_eq!(made.models[0].model, Model::Sufficiency { features: 6, left_out: 1 });
        let found = synthesize(&alone(1e6), &plan(vec![2]), coins);
        assert_eq!(found, Err(SyntheticError::Determined { column: 2, records: 1 }));
        let gap = Frame::new(vec![Column::Numeric(vec![1.0, f64::NAN, 2.0])]).unwrap();
        assert!(matches!(synthesize(&gap, &plan(vec![0]), coins), Err(SyntheticError::Missing { .. })));
        // A constant target, and one that is twice a feature, are what they were; a copy of a feature is left out.
        let x: Vec<f64> = (0..15).map(|row| f64::from(row * 7 % 15)).collect();
        let twice: Vec<f64> = x.iter().map(|x| 2.0 * x).collect();
        let columns = [x.clone(), x, twice.clone(), vec![7.0; 15]].map(Column::Numeric);
        let made = synthesize(&Frame::new(columns.to_vec()).unwrap(), &plan(vec![2, 3]), coins).unwrap();
        for (column, expected) in [(2, &twice), (3, &vec![7.0; 15])] {
            let Column::Numeric(values) = &made.copies[0].columns()[column] else { unreachable!() };
            values.iter().zip(expected).for_each(|(a, b)| assert_near(*a, *b, 1e-12));
        }
        assert_eq!(made.models[0].model, Model::Sufficiency { features: 3, left_out: 1 });
    }
}
