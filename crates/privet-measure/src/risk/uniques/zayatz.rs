//! Zayatz's estimator of population uniques (1991): the sizes of classes in the sample stand for those in the
//! population.
//!
//! By Bayes' rule, with P(F = j) taken to be n_j/u, the share of classes of the sample that have size j:
//!
//! P(F = 1 | f = 1) = P(f = 1 | F = 1) P(F = 1) / Σ_j P(f = 1 | F = j) P(F = j).
//!
//! A simple random sample of n of N people has exactly one of j given people with probability
//! h(j) = j · C(N−j, n−1) / C(N, n), so h(1) = n/N = π. The n_1 sample uniques hold n_1 · P(F = 1 | f = 1) population
//! uniques, and the population 1/π times as many.
//!
//! # Guarantee
//! Always tells a number. It is right when class sizes are alike in sample and population; the smaller the fraction
//! the less they are, since classes of the population are larger, and then too many uniques are told.

use super::{Frequencies, UniquesError, limited, without_model};

/// Beyond this size people of a class are as good as drawn one by one, h(j)/h(1) = j(1−π)^(j−1), and no loop is
/// needed.
const LARGE: u64 = 1_000_000;

/// Zayatz's estimate of the number of people who are alone in their class.
///
/// # Errors
/// When the sampling fraction is not above 0 and at most 1.
pub fn zayatz(sample: &Frequencies, fraction: f64) -> Result<f64, UniquesError> {
    if let Some(known) = without_model(sample, fraction)? {
        return Ok(known);
    }
    let n = sample.records() as f64;
    let population = (n / fraction).round().max(n);
    // h(j) / h(1), by h(j+1)/h(j) = (j+1)/j · (N−j−n+1)/(N−j).
    let (mut size, mut relative) = (1u64, 1.0);
    let mut sum = 0.0;
    for (own, classes) in sample.iter() {
        if own > LARGE {
            sum += own as f64 * ((own - 1) as f64 * (-fraction).ln_1p()).exp() * classes as f64;
            continue;
        }
        while size < own && relative > 0.0 {
            let j = size as f64;
            let (left, all) = (population - j - n + 1.0, population - j);
            relative *= if left > 0.0 && all > 0.0 { (j + 1.0) / j * (left / all) } else { 0.0 };
            size += 1;
        }
        sum += relative * classes as f64;
    }
    let uniques = sample.of_size(1) as f64;
    Ok(limited(uniques * (uniques / sum) / fraction, sample, fraction))
}
