//! Noise that is correlated as the data are: Σ_noise = d·Σ_data (survey ME-24; Kim, Tendick, Fuller).
//!
//! Adding the same noise to every column hides least along the directions in which the data vary least, and a filter
//! along those takes it off again. Noise with the covariance of the data leaves no such direction. The published
//! covariance is (1+d)·Σ_data, so every correlation is right, and every regression coefficient.
//!
//! # Guarantee
//! None of privacy. The noise is normal, independent between records, with exactly d times the sample covariance of the
//! records (divisor n−1), also where columns determine each other. The factor d is all that is published: with it
//! [`original_covariance`] is unbiased for the covariance of a population that the records are drawn from.

use nalgebra::{DMatrix, SymmetricEigen};

use crate::error::check_numbers;
use crate::{Coins, Drawn, PerturbError};

/// The most columns.
const MOST_COLUMNS: usize = 1000;

/// The sample covariance (divisor n−1) of records of `width` numbers each, row by row.
///
/// # Errors
/// When values do not fill records, one is no number to compute with, or there are fewer than two records.
pub fn covariance(values: &[f64], width: usize) -> Result<DMatrix<f64>, PerturbError> {
    if width == 0 || width > MOST_COLUMNS {
        return Err(PerturbError::Parameter { name: "the number of columns", accepted: "from 1 to 1000" });
    }
    check_numbers(values, width)?;
    let records = values.len() / width;
    if records * width != values.len() {
        return Err(PerturbError::Length {
            what: "values",
            found: values.len(),
            expected: (records + 1) * width,
        });
    }
    if records < 2 {
        return Err(PerturbError::Length { what: "records", found: records, expected: 2 });
    }
    // Measured from the first record, so that a constant column has a covariance of exactly 0.
    let origin: Vec<f64> = values.iter().take(width).copied().collect();
    let mut mean = vec![0.0; width];
    for record in values.chunks_exact(width) {
        for ((mean, value), origin) in mean.iter_mut().zip(record).zip(&origin) {
            *mean += (value - origin) / records as f64;
        }
    }
    mean.iter_mut().zip(&origin).for_each(|(mean, origin)| *mean += origin);
    let mut sums = vec![0.0; width * width];
    let mut centred = vec![0.0; width];
    for record in values.chunks_exact(width) {
        centred.iter_mut().zip(record).zip(&mean).for_each(|((own, value), mean)| *own = value - mean);
        for (row, a) in sums.chunks_exact_mut(width).zip(&centred) {
            row.iter_mut().zip(&centred).for_each(|(sum, b)| *sum += a * b);
        }
    }
    Ok(DMatrix::from_row_slice(width, width, &sums) / (records - 1) as f64)
}

/// Adds noise with `factor` times the covariance of the records themselves.
///
/// # Errors
/// As [`covariance`]; when the factor is not a finite number from 0 on; or when the source of randomness fails.
pub fn correlated_noise<C: Coins + ?Sized>(
    values: &[f64],
    width: usize,
    factor: f64,
    coins: &mut C,
) -> Result<Drawn<Vec<f64>>, PerturbError> {
    check_factor(factor)?;
    let covariance = covariance(values, width)?;
    // Columns are brought to deviation 1 first, so that one in large units does not drown the others in rounding.
    let scales: Vec<f64> = covariance.diagonal().iter().map(|variance| variance.sqrt()).collect();
    let inverse = |scale: f64| if scale > 0.0 { 1.0 / scale } else { 0.0 };
    let scale = |a: usize| scales.get(a).copied().unwrap_or(0.0);
    let correlation = DMatrix::from_fn(width, width, |a, b| {
        covariance.get((a, b)).copied().unwrap_or(0.0) * inverse(scale(a)) * inverse(scale(b))
    });
    let axes = SymmetricEigen::try_new(correlation, f64::EPSILON, 10_000).ok_or(PerturbError::Singular)?;
    // Row by row: how much each axis moves a column.
    let reach: Vec<f64> = axes.eigenvalues.iter().map(|own| (own.max(0.0) * factor).sqrt()).collect();
    let loads: Vec<f64> = (0..width * width)
        .map(|place| {
            let (column, axis) = (place / width, place % width);
            let own = axes.eigenvectors.get((column, axis)).copied().unwrap_or(0.0);
            own * reach.get(axis).copied().unwrap_or(0.0) * scale(column)
        })
        .collect();
    let mut value = values.to_vec();
    let mut normals = vec![0.0; width];
    for record in value.chunks_exact_mut(width) {
        for normal in &mut normals {
            *normal = coins.normal()?;
        }
        for (value, loads) in record.iter_mut().zip(loads.chunks_exact(width)) {
            *value += loads.iter().zip(&normals).map(|(load, normal)| load * normal).sum::<f64>();
        }
    }
    Ok(Drawn { value, source: coins.source() })
}

/// The covariance before noise with this factor was added: that of the published records over 1 + d.
///
/// # Errors
/// As [`correlated_noise`].
pub fn original_covariance(
    published: &[f64],
    width: usize,
    factor: f64,
) -> Result<DMatrix<f64>, PerturbError> {
    check_factor(factor)?;
    Ok(covariance(published, width)? / (1.0 + factor))
}

fn check_factor(factor: f64) -> Result<(), PerturbError> {
    if (0.0..=1e50).contains(&factor) {
        Ok(())
    } else {
        Err(PerturbError::Parameter { name: "the factor of the noise", accepted: "from 0 to 1e50" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SeededCoins;
    use crate::testing::{assert_mean, assert_near, moments};

    /// Three columns in very different units; the third is determined by the others, a fourth is constant.
    fn records(n: usize) -> Vec<f64> {
        let mut coins = SeededCoins::new(77);
        (0..n)
            .flat_map(|_| {
                let (a, b) = (coins.normal().unwrap(), coins.normal().unwrap());
                [1e6 * a, 1e-3 * (a + b), b - 2.0 * a, 5.0]
            })
            .collect()
    }

    /// Each covariance of the noise is d times that of the data. False alarm: 1e-6 for all.
    #[test]
    fn the_noise_is_shaped_like_the_data() {
        let (width, n, factor) = (4, 30_000, 0.4);
        let data = records(n);
        let drawn = correlated_noise(&data, width, factor, &mut SeededCoins::new(5)).unwrap().value;
        let noise: Vec<f64> = drawn.iter().zip(&data).map(|(a, b)| a - b).collect();
        let target = covariance(&data, width).unwrap() * factor;
        for a in 0..3 {
            for b in a..3 {
                let products: Vec<f64> = noise.chunks(width).map(|row| row[a] * row[b]).collect();
                let (mean, variance) = moments(&products);
                assert_mean(mean, target[(a, b)], (variance / n as f64).sqrt(), 6);
            }
        }
        for row in noise.chunks(width) {
            assert_eq!(row[3], 0.0);
            // b − 2a, also in the noise: nothing is added where the data do not vary.
            assert_near(row[2], 1e3 * row[1] - 3e-6 * row[0], 1e-6);
        }
        let found = original_covariance(&drawn, width, factor).unwrap();
        let original = covariance(&data, width).unwrap();
        for (a, b) in [(0, 0), (0, 1), (1, 2), (2, 2)] {
            let scale = (original[(a, a)] * original[(b, b)]).sqrt();
            // About 1/√n per entry; 0.05 is 8 deviations.
            assert_near(found[(a, b)] / scale, original[(a, b)] / scale, 0.05);
        }
    }

    #[test]
    fn covariance_by_hand() {
        let found = covariance(&[0.0, 0.0, 2.0, 0.0, 0.0, 3.0, 2.0, 3.0], 2).unwrap();
        assert_eq!((found[(0, 0)], found[(0, 1)], found[(1, 1)]), (4.0 / 3.0, 0.0, 3.0));
    }

    #[test]
    fn edges() {
        let mut coins = SeededCoins::new(1);
        assert!(correlated_noise(&[1.0, 2.0], 2, 0.5, &mut coins).is_err());
        assert!(correlated_noise(&[], 1, 0.5, &mut coins).is_err());
        assert!(correlated_noise(&[1.0, 2.0, 3.0], 2, 0.5, &mut coins).is_err());
        assert!(correlated_noise(&[1.0, 2.0], 0, 0.5, &mut coins).is_err());
        for bad in [-0.5, f64::NAN, f64::INFINITY] {
            assert!(correlated_noise(&[1.0, 2.0], 1, bad, &mut coins).is_err());
            assert!(original_covariance(&[1.0, 2.0], 1, bad).is_err());
            assert!(correlated_noise(&[1.0, 2.0, bad * 1e200, 3.0], 2, 0.5, &mut coins).is_err());
        }
        assert_eq!(correlated_noise(&[1.0, 2.0], 1, 0.0, &mut coins).unwrap().value, [1.0, 2.0]);
        assert_eq!(correlated_noise(&[3.0, 3.0], 1, 2.0, &mut coins).unwrap().value, [3.0, 3.0]);
        let large = correlated_noise(&[1e100, -1e100], 1, 1.0, &mut coins).unwrap().value;
        assert!(large.iter().all(|value| value.is_finite()));
    }
}
