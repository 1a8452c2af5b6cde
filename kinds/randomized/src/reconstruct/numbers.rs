//! The distribution of original numbers from those with noise (papers T-AL1, T-AL2; survey US-12), and their mean and
//! deviation.
//!
//! # Guarantee
//! Masses are not negative and sum to 1; the log-likelihood never falls from round to round, and all of it is part of the
//! answer. Where originals are multiples of a unit, and these are at most 128, each has a mass. Otherwise originals need not
//! be spread evenly within an interval: up to 8 parts of each, up to 64 in all, are
//! reconstructed, and the mass of an interval is the sum of its parts. Each mass has a 95 % interval from the profile likelihood (`privet_perturb::share_intervals` says when it holds), widened
//! to the mass itself where the rounds ended before the most likely one, as they do when more rounds would explain records worse that
//! were held out (so that an even column on average comes back no worse than it is published); the deviation of correlated noise counts as known
//! there. The mean is unbiased; the variance is that of the published numbers less that of the noise and of rounding, and
//! is left out where that is negative. Of multiplied numbers only mean and deviation are estimated: the law of their logarithm is
//! none of those that can be taken off. The deviation of correlated noise is not published; it is estimated as
//! d/(1+d) of the published variance.

use privet_perturb::{
    Grid, Kernel, MOST_INTERVALS, Moments, NARROW, Noise, Options, PerturbError, Reconstruction, Stopped,
    has_multiples, reconstruct_held_out, share_intervals,
};
use privet_release::perturbed::NoiseWay;
use serde::{Deserialize, Serialize};

use super::ReconstructOptions;
use crate::error::RunError;
use crate::randomize::model::ReadyNoise;

/// How numbers are reconstructed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NumbersMethod {
    /// Expectation and maximization with the mean of the noise over each interval (Agrawal and Aggarwal).
    #[default]
    Em,
    /// Iterative Bayes with the noise from the middle of each interval (Agrawal and Srikant).
    Bayes,
}

/// Estimates of numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NumbersEstimate {
    /// The numbers are days since 1970-01-01.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dates: bool,
    /// The standard deviation of the noise; estimated when it is correlated; of the factor when multiplicative.
    pub noise_deviation: f64,
    /// The mean of the originals; absent without a record.
    pub mean: Option<f64>,
    /// How far off the mean typically is.
    pub mean_standard_error: Option<f64>,
    /// The deviation of the originals; absent with fewer than two records or when the noise drowns it.
    pub deviation: Option<f64>,
    /// How the distribution was reconstructed; absent where it cannot be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<NumbersMethod>,
    /// How the 95 % intervals of the shares were made; absent where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval_method: Option<&'static str>,
    /// With intervals of the shares: originals are multiples of a unit, each of which may have any share.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub each_multiple: bool,
    /// The intervals.
    pub bins: Vec<Bin>,
    /// Rounds that were run.
    pub rounds: u64,
    /// Why they ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stopped>,
    /// No distribution over the parts of these intervals has a log-likelihood per record that is higher by more than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap: Option<f64>,
    /// The log-likelihood at the start and after each round.
    pub log_likelihood: Vec<f64>,
    /// Records that no interval explains.
    pub unreachable: u64,
}

/// An interval; its upper end belongs to the next one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bin {
    /// From.
    pub from: f64,
    /// To.
    pub to: f64,
    /// The share of published numbers in it.
    pub published: f64,
    /// The estimated share of originals in it.
    pub share: f64,
    /// An interval that covers the true share with at least 95 %: from; absent where it was not computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// To.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
}

/// The deviation of correlated noise from the published numbers; `rounding` is the variance of rounding them.
pub(super) fn correlated_deviation(values: &[Option<f64>], factor: f64, rounding: f64) -> f64 {
    let known: Vec<f64> = values.iter().copied().flatten().collect();
    let variance = Moments::behind_additive(&known, Noise::NONE).map_or(0.0, |own| own.variance);
    (factor / (1.0 + factor) * (variance - rounding).max(0.0)).sqrt()
}

/// Estimates what numbers with noise were made of.
pub(super) fn estimate(
    name: &str,
    law: &ReadyNoise,
    correlated: Option<f64>,
    values: &[f64],
    options: &ReconstructOptions,
) -> Result<NumbersEstimate, RunError> {
    let failed = |source| RunError::Perturb { column: name.to_owned(), source };
    let noise = correlated.map_or(law.noise, |deviation| Noise::Gaussian { deviation });
    let moments = match (values.len(), law.way) {
        (0 | 1, _) => None,
        (_, NoiseWay::Multiplicative) => Some(Moments::behind_multiplicative(values, noise).map_err(failed)?),
        _ => Some(Moments::behind_additive(values, noise).map_err(failed)?),
    };
    // Numbers were rounded after the noise.
    let moments = moments.map(|own| Moments { variance: own.variance - law.rounding_variance(), ..own });
    let n = values.len() as f64;
    let mean = (!values.is_empty()).then(|| values.iter().sum::<f64>() / n);
    let of_noise = match law.way {
        // The variance of z = x(1+e) for a fixed x is v·x², and E z² = (1+v)·x².
        NoiseWay::Multiplicative => {
            let v = noise.variance();
            v / (1.0 + v) * values.iter().map(|z| z * z).sum::<f64>() / n
        }
        _ => noise.variance() + law.rounding_variance(),
    };
    let spread =
        if options.sampled { moments.map(|own| own.variance.max(0.0) + of_noise) } else { Some(of_noise) };
    let mut estimate = NumbersEstimate {
        dates: law.dates,
        noise_deviation: noise.variance().sqrt(),
        mean,
        mean_standard_error: spread.filter(|_| !values.is_empty()).map(|spread| (spread / n).sqrt()),
        deviation: moments.filter(|own| own.variance > 0.0).map(|own| own.variance.sqrt()),
        method: None,
        interval_method: None,
        each_multiple: false,
        bins: Vec::new(),
        rounds: 0,
        stopped: None,
        gap: None,
        log_likelihood: Vec::new(),
        unreachable: 0,
    };
    if law.way == NoiseWay::Multiplicative || values.is_empty() {
        return Ok(estimate);
    }
    let spread = Spread { range: law.range, step: law.step(), dates: law.dates };
    let grid = grid(spread, noise, values, options.bins).map_err(failed)?;
    let kernel = match options.method {
        NumbersMethod::Em => Kernel::Interval,
        NumbersMethod::Bayes => Kernel::Midpoint,
    };
    let how = Options { kernel, unit: law.unit, step: law.step(), ..Options::default() };
    // Originals need not be spread evenly within an interval, so its parts have masses of their own.
    let (fine, parts) = grid.refined(MOST_INTERVALS, NARROW * noise.variance().sqrt());
    let found = reconstruct_held_out(values, noise, &fine, &how).map_err(failed)?;
    let ends = match options.intervals {
        true => share_intervals(values, noise, &grid, &how, 0.95).map_err(failed)?,
        false => None,
    };
    let Reconstruction { masses, log_likelihood, gap, stopped, unreachable, .. } = found;
    let mut published = vec![0u64; grid.len()];
    for &value in values {
        if let Some(slot) = grid.interval_of(value).and_then(|at| published.get_mut(at)) {
            *slot += 1;
        }
    }
    let shares = published.iter().map(|&count| count as f64 / n);
    estimate.bins = grid
        .intervals()
        .zip(masses.chunks(parts).map(|parts| parts.iter().sum()))
        .zip(shares)
        .enumerate()
        .map(|(at, (((from, to), share), published))| {
            let ends = ends.as_ref().and_then(|ends| ends.get(at)).copied();
            let (low, high) = ends.map(|(low, high)| (low.min(share), high.max(share))).unzip();
            Bin { from, to, published, share, low, high }
        })
        .collect();
    estimate.interval_method = ends.is_some().then_some("profile-likelihood");
    estimate.each_multiple = ends.is_some() && has_multiples(&grid, &how, noise);
    estimate.method = Some(options.method);
    estimate.rounds = log_likelihood.len().saturating_sub(1) as u64;
    estimate.stopped = Some(stopped);
    estimate.gap = Some(gap);
    estimate.log_likelihood = log_likelihood;
    estimate.unreachable = unreachable;
    Ok(estimate)
}

/// Where numbers can be, as far as it is told.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spread {
    pub range: Option<[f64; 2]>,
    pub step: Option<f64>,
    pub dates: bool,
}

/// The intervals: between declared ends, or over all that the published numbers make possible. Of dates they begin and end at
/// whole days, so they may be fewer.
pub(super) fn grid(own: Spread, noise: Noise, values: &[f64], bins: usize) -> Result<Grid, PerturbError> {
    let [low, high] = match own.range {
        Some(range) => range,
        None => {
            let low = values.iter().copied().fold(f64::INFINITY, f64::min);
            let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            // Noise without bound reaches beyond the originals on both sides, so the published numbers cover them well.
            let reach = match noise.reach() {
                // Rounding leads farther than the noise by half a step.
                Some(reach) => reach + 0.5 * own.step.unwrap_or(0.0),
                None if low < high => 0.0,
                None => noise.variance().sqrt(),
            };
            let reach = if reach == 0.0 && low == high { low.abs().max(1.0) * 0.5 } else { reach };
            [low - reach, high + reach]
        }
    };
    if !own.dates || bins == 0 {
        return Grid::even(low, high, bins);
    }
    let (low, high) = (low.ceil(), high.floor().max(low.ceil() + 1.0));
    let days = ((high - low) / bins as f64).ceil().max(1.0);
    let many = ((high - low) / days).ceil();
    Grid::new((0..many as usize).map(|at| low + days * at as f64).chain([high]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_release::perturbed::{NoiseColumn, NoiseLaw};

    /// A mean of n numbers with noise of variance 1 that were rounded to 1 is off by √((1 + 1/12)/n).
    #[test]
    fn rounding_counts_as_noise() {
        let column = NoiseColumn {
            way: NoiseWay::Additive,
            law: NoiseLaw::Gaussian,
            deviation: Some(1.0),
            factor: None,
            dates: false,
            step: Some(1.0),
            figures: None,
            range: None,
            unit: None,
            interval_95: None,
        };
        let law = ReadyNoise::new(&column).unwrap();
        let values = [0.0, 4.0, 0.0, 4.0];
        let found = estimate("x", &law, None, &values, &ReconstructOptions::default()).unwrap();
        let error = found.mean_standard_error.unwrap();
        assert!((error * error * 4.0 - 13.0 / 12.0).abs() < 1e-12, "{error}");
        // The sample variance is 16/3.
        let deviation = found.deviation.unwrap();
        assert!((deviation * deviation - (16.0 / 3.0 - 13.0 / 12.0)).abs() < 1e-12, "{deviation}");
        // Of correlated noise d/(1+d) of what rounding leaves.
        let known: Vec<Option<f64>> = values.into_iter().map(Some).collect();
        let own = correlated_deviation(&known, 1.0, law.rounding_variance());
        assert!((own * own - 0.5 * (16.0 / 3.0 - 1.0 / 12.0)).abs() < 1e-12, "{own}");
    }
}
