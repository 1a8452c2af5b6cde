//! What statistical tests share.
//!
//! Seeds are fixed, so a test gives the same answer on every run. The rate that is written down is how often it would
//! fail with a fresh seed although the code is right.

use crate::normal::two_sided_quantile;

/// A mean is as far from what is expected as chance explains. Of `comparisons` that are made together, one fails without
/// cause with a probability of 1e-6.
#[track_caller]
pub(crate) fn assert_mean(found: f64, expected: f64, deviation: f64, comparisons: usize) {
    let most = two_sided_quantile(1.0 - 1e-6 / comparisons as f64);
    let away = (found - expected).abs() / deviation;
    assert!(away <= most, "{found} is {away:.2} deviations from {expected}, where {most:.2} are allowed");
}

/// Equal but for rounding.
#[track_caller]
pub(crate) fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} is not {expected}");
}

/// Mean and variance (divisor n−1).
pub(crate) fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0))
}

/// The variance of a sample is as far from what is expected as chance explains, for values that are about normal.
#[track_caller]
pub(crate) fn assert_variance(values: &[f64], expected: f64, comparisons: usize) {
    let (_, found) = moments(values);
    assert_mean(found, expected, expected * (2.0 / (values.len() as f64 - 1.0)).sqrt(), comparisons);
}
