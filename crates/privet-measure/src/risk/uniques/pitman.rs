//! Population uniques in Pitman's model (Hoshino, 2001).
//!
//! People join classes one after the other: when i people are in u classes, the next founds a class of their own with
//! probability (θ+uα)/(θ+i) and joins one of j people with probability (j−α)/(θ+i); 0 ≤ α < 1, θ > −α. The order does
//! not matter, so a sample follows the same law with n in place of N. Multiplying these probabilities, the likelihood
//! of the sample's class sizes is, up to a constant,
//!
//! L(θ, α) = Σ_{i=1}^{u−1} ln(θ+iα) − Σ_{i=1}^{n−1} ln(θ+i) + Σ_j n_j Σ_{i=1}^{j−1} ln(i−α).
//!
//! A given person stays alone while the others come with probability Π_{i=1}^{N−1} (θ+i−1+α)/(θ+i), so the expected
//! number of population uniques is exactly
//!
//! E = N · Γ(θ+1)/Γ(θ+α) · Γ(θ+α+N−1)/Γ(θ+N), which for large N is Hoshino's Γ(θ+1)/Γ(θ+α) · N^α.
//!
//! For fixed α the slope in θ is Σ 1/(θ+iα) − Σ 1/(θ+i). It has exactly one zero when 2 ≤ u < n: it is +∞ at −α and
//! negative far out, and wherever it is zero it falls, because the u−1 terms of the first sum are each at least their
//! counterparts in the second, so they majorize the n−1 of the second and have the larger sum of squares. So
//! bisection finds θ(α), and the profile in α is searched by a grid and golden sections between the neighbours of its
//! best point. Hoshino uses Newton's method, which may run away; this cannot.
//!
//! # Guarantee
//! The likelihood at what is found is at least that of every point of the grid. α is held between 1e-4 and 1 − 1e-6;
//! at the lower end the model is Ewens'.

use super::{Frequencies, UniquesError, limited, without_model};
use crate::special::{digamma, ln_gamma, ln_gamma_step};

/// The estimate of Pitman's model of the number of people who are alone in their class.
///
/// # Errors
/// When the sampling fraction is not above 0 and at most 1, when no two records are alike, or when the likelihood has
/// no maximum.
pub fn pitman(sample: &Frequencies, fraction: f64) -> Result<f64, UniquesError> {
    if let Some(known) = without_model(sample, fraction)? {
        return Ok(known);
    }
    if sample.classes() == sample.records() {
        return Err(UniquesError::AllUnique);
    }
    let (theta, alpha) = maximum(sample).ok_or(UniquesError::NoMaximum)?;
    let people = (sample.records() as f64 / fraction).round();
    let expected = expected_uniques(theta, alpha, people);
    match expected.is_finite() {
        true => Ok(limited(expected, sample, fraction)),
        false => Err(UniquesError::NoMaximum),
    }
}

/// The expected number of people alone in their class among so many people.
pub(super) fn expected_uniques(theta: f64, alpha: f64, people: f64) -> f64 {
    let shrink = ln_gamma_step(theta + people, alpha - 1.0);
    people * (ln_gamma(theta + 1.0) - ln_gamma(theta + alpha) + shrink).exp()
}

const LEAST: f64 = 1e-4;
const MOST: f64 = 1.0 - 1e-6;

/// θ and α where the likelihood is largest.
pub(super) fn maximum(sample: &Frequencies) -> Option<(f64, f64)> {
    let (n, u) = (sample.records() as f64, sample.classes() as f64);
    if u < 2.0 || u >= n {
        return None;
    }
    let profile = |alpha: f64| {
        let value = best_theta(n, u, alpha).map(|theta| likelihood(sample, theta, alpha));
        value.filter(|value| value.is_finite()).unwrap_or(f64::NEG_INFINITY)
    };
    let at = |step: u32| LEAST + (MOST - LEAST) * f64::from(step) / 60.0;
    let values: Vec<f64> = (0..=60).map(|step| profile(at(step))).collect();
    let best = (0..=60u32).max_by(|&a, &b| values[a as usize].total_cmp(&values[b as usize]))?;
    if values[best as usize] == f64::NEG_INFINITY {
        return None;
    }
    let (mut low, mut high) = (at(best.saturating_sub(1)), at((best + 1).min(60)));
    let golden = (5f64.sqrt() - 1.0) / 2.0;
    let (mut left, mut right) = (high - golden * (high - low), low + golden * (high - low));
    let (mut of_left, mut of_right) = (profile(left), profile(right));
    for _ in 0..60 {
        if of_left >= of_right {
            (high, right, of_right) = (right, left, of_left);
            left = high - golden * (high - low);
            of_left = profile(left);
        } else {
            (low, left, of_left) = (left, right, of_right);
            right = low + golden * (high - low);
            of_right = profile(right);
        }
    }
    // Golden sections may end beside a second maximum; the grid's best is never given up for less.
    let candidates = [0.5 * (low + high), at(best)];
    let alpha = candidates.into_iter().max_by(|&a, &b| profile(a).total_cmp(&profile(b)))?;
    best_theta(n, u, alpha).map(|theta| (theta, alpha))
}

pub(super) fn likelihood(sample: &Frequencies, theta: f64, alpha: f64) -> f64 {
    let (n, u) = (sample.records() as f64, sample.classes() as f64);
    let ratio = theta / alpha;
    let founded = (u - 1.0) * alpha.ln() + ln_gamma(ratio + u) - ln_gamma(ratio + 1.0);
    let all = ln_gamma(theta + n) - ln_gamma(theta + 1.0);
    let alone = ln_gamma(1.0 - alpha);
    let grown = |(size, classes): (u64, u64)| classes as f64 * (ln_gamma(size as f64 - alpha) - alone);
    founded - all + sample.iter().map(grown).sum::<f64>()
}

/// θ where the likelihood is largest for an α.
fn best_theta(n: f64, u: f64, alpha: f64) -> Option<f64> {
    let slope = |theta: f64| {
        let ratio = theta / alpha;
        (digamma(ratio + u) - digamma(ratio + 1.0)) / alpha - (digamma(theta + n) - digamma(theta + 1.0))
    };
    // In terms of θ + α, which is positive.
    let mut high = 1.0;
    while slope(high - alpha) > 0.0 {
        high *= 4.0;
        if high > 1e15 {
            return None;
        }
    }
    let mut low = high;
    while slope(low - alpha) <= 0.0 {
        low /= 4.0;
        if low < 1e-15 {
            return None;
        }
    }
    for _ in 0..100 {
        let middle = (low * high).sqrt();
        if slope(middle - alpha) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
        if high - low <= 1e-13 * high {
            break;
        }
    }
    Some((low * high).sqrt() - alpha)
}
