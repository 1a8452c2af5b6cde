//! What posteriors are drawn from: exponential, gamma and chi-square numbers, weights of a Bayesian bootstrap.
//!
//! # Guarantee
//! The laws are those named, in floating-point arithmetic (Marsaglia and Tsang, 2000, for gamma numbers; a test checks
//! moments). Nothing here claims differential privacy.

use crate::{Coins, PerturbError};

/// A number strictly between 0 and 1.
pub(super) fn inside<C: Coins + ?Sized>(coins: &mut C) -> Result<f64, PerturbError> {
    Ok(((coins.word()? >> 12) as f64 + 0.5) / (1u64 << 52) as f64)
}

/// A number of the exponential distribution with mean 1.
pub(super) fn exponential<C: Coins + ?Sized>(coins: &mut C) -> Result<f64, PerturbError> {
    Ok(-inside(coins)?.ln())
}

/// A number of the gamma distribution with this shape, above 0, and scale 1.
pub(super) fn gamma<C: Coins + ?Sized>(shape: f64, coins: &mut C) -> Result<f64, PerturbError> {
    if shape < 1.0 {
        // Γ(a) is distributed as Γ(a+1) · U^(1/a).
        let root = inside(coins)?.ln() / shape;
        return Ok(gamma(shape + 1.0, coins)? * root.exp());
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = coins.normal()?;
        let v = (1.0 + c * x).powi(3);
        if v > 0.0 && inside(coins)?.ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return Ok(d * v);
        }
    }
}

/// A number of the chi-square distribution with these degrees of freedom, above 0.
pub(super) fn chi_square<C: Coins + ?Sized>(degrees: f64, coins: &mut C) -> Result<f64, PerturbError> {
    Ok(2.0 * gamma(0.5 * degrees, coins)?)
}

/// The weights of a Bayesian bootstrap (Rubin, 1981) over `size` items, up to a factor and summed up: those of a
/// Dirichlet distribution with all parameters 1.
pub(super) fn bootstrap<C: Coins + ?Sized>(
    size: usize,
    sums: &mut Vec<f64>,
    coins: &mut C,
) -> Result<(), PerturbError> {
    sums.clear();
    let mut sum = 0.0;
    for _ in 0..size {
        sum += exponential(coins)?;
        sums.push(sum);
    }
    Ok(())
}

/// An item, drawn with the weights whose sums these are; 0 when there is none.
pub(super) fn pick<C: Coins + ?Sized>(sums: &[f64], coins: &mut C) -> Result<usize, PerturbError> {
    let all = sums.last().copied().unwrap_or(0.0);
    let at = coins.unit()? * all;
    // Rounding may bring the product to the end; then it is the last item with a weight.
    Ok(if at < all {
        sums.partition_point(|&sum| sum <= at)
    } else {
        sums.partition_point(|&sum| sum < all).min(sums.len().saturating_sub(1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SeededCoins;
    use crate::testing::{assert_mean, moments};

    /// Mean and variance of a gamma number are both its shape, its fourth central moment 3a² + 6a. False alarm: 1e-6
    /// for all 10.
    #[test]
    fn gamma_numbers_have_their_moments() {
        let n = 40_000;
        let mut coins = SeededCoins::new(3);
        for shape in [0.3, 1.0, 2.5, 40.0] {
            let drawn: Vec<f64> = (0..n).map(|_| gamma(shape, &mut coins).unwrap()).collect();
            let (mean, variance) = moments(&drawn);
            assert_mean(mean, shape, (shape / n as f64).sqrt(), 10);
            let spread = (2.0 * shape * shape + 6.0 * shape) / n as f64;
            assert_mean(variance, shape, spread.sqrt(), 10);
        }
        let drawn: Vec<f64> = (0..n).map(|_| chi_square(7.0, &mut coins).unwrap()).collect();
        let (mean, variance) = moments(&drawn);
        assert_mean(mean, 7.0, (14.0 / n as f64).sqrt(), 10);
        // 4 times the spread of the variance of gamma numbers of shape 3.5.
        assert_mean(variance, 14.0, 4.0 * ((2.0 * 3.5 * 3.5 + 6.0 * 3.5) / n as f64).sqrt(), 10);
    }

    /// A weight of a Dirichlet distribution with k parameters 1 has mean 1/k and variance (k−1)/(k²(k+1)). False alarm:
    /// 1e-6 for both.
    #[test]
    fn bootstrap_weights_are_dirichlet() {
        let (n, k) = (40_000, 5);
        let mut coins = SeededCoins::new(4);
        let mut sums = Vec::new();
        let weights: Vec<f64> = (0..n)
            .map(|_| {
                bootstrap(k, &mut sums, &mut coins).unwrap();
                (sums[2] - sums[1]) / sums[4]
            })
            .collect();
        let (mean, variance) = moments(&weights);
        let truth = 4.0 / (25.0 * 6.0);
        assert_mean(mean, 0.2, (truth / n as f64).sqrt(), 2);
        let fourth: f64 = weights.iter().map(|w| (w - mean).powi(4)).sum::<f64>() / n as f64;
        assert_mean(variance, truth, ((fourth - truth * truth) / n as f64).sqrt(), 2);
        assert_eq!(pick(&[], &mut coins), Ok(0));
        assert!((0..100).all(|_| pick(&[0.0, 1.0, 1.0], &mut coins) == Ok(1)));
        // No weight at all.
        assert_eq!(pick(&[0.0, 0.0], &mut coins), Ok(0));
    }
}
