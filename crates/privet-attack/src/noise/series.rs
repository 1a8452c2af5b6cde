//! Filtering noise out of series in time (survey AT-18; Papadimitriou et al. 2007).
//!
//! Two attacks. [`haar_filter`]: what is smooth or changes seldom is a few large wavelet coefficients, and noise is the
//! same small amount in all; those at or below the universal threshold σ√(2 ln n) of Donoho and Johnstone (1994) are
//! set to 0. [`known_points`]: the adversary knows the true values at some times, regresses them on the published
//! values there and around, and applies the regression everywhere.
//!
//! # Guarantee
//! Both work on the published series and the published noise, and the second on the points that are known. Where nothing
//! but noise is there, the filter leaves nothing but the mean, except with probability 1/√(π ln n) or less.
//!
//! Departures: the survey names linear filters and gives none. The wavelets are Haar's, unbalanced where a stretch has
//! an odd length, so that any number of points has an orthonormal basis and none has to be invented.

use nalgebra::{DMatrix, DVector};
use serde::Serialize;

use super::records::{NoiseAttackError, check_length, check_numbers, check_spread};

/// What the filter made of a series.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FilteredSeries {
    /// The estimates, in order.
    #[serde(skip)]
    pub estimates: Vec<f64>,
    /// Coefficients that are kept, of n − 1.
    pub kept: usize,
    /// The threshold.
    pub threshold: f64,
    /// The root mean square error that is expected, in deviations of the noise: noise stays in the mean and in the
    /// coefficients that are kept, 1 + kept in all; of those that are dropped, what they hold beyond noise is lost.
    /// The square, estimated without bias but for the choice of what is kept (Stein 1981), and not below the first part, is
    /// (1 + kept + Σ (c²/σ² − 1))/n, the sum over what is dropped.
    pub expected_error: f64,
}

/// Sets the small wavelet coefficients of a series to 0.
///
/// # Errors
/// Without points, with one that is no number, or when the deviation is no number from 0 on.
pub fn haar_filter(published: &[f64], noise_deviation: f64) -> Result<FilteredSeries, NoiseAttackError> {
    check_spread("the deviation of the noise", noise_deviation)?;
    check_numbers(published, 1)?;
    let Some(first) = published.first() else {
        return Err(NoiseAttackError::Length { what: "points", found: 0, expected: 1 });
    };
    let count = published.len() as f64;
    let mean = published.iter().map(|value| (value - first) / count).sum::<f64>();
    // Sums from the start, of differences from the mean: the sum of any stretch is one subtraction.
    let mut sums = Vec::with_capacity(published.len() + 1);
    let mut sum = 0.0;
    sums.push(sum);
    for value in published {
        sum += value - first - mean;
        sums.push(sum);
    }
    let threshold = noise_deviation * (2.0 * count.ln()).sqrt();
    let mut estimates = vec![0.0; published.len()];
    let Halved { kept, dropped } = halve(&sums, first + mean, threshold, &mut estimates);
    let beyond_noise = match noise_deviation > 0.0 {
        true => dropped / noise_deviation.powi(2) - (published.len() - 1 - kept) as f64,
        false => 0.0,
    };
    let expected_error = (((1 + kept) as f64 + beyond_noise.max(0.0)) / count).sqrt();
    Ok(FilteredSeries { estimates, kept, threshold, expected_error })
}

/// How many coefficients of a stretch are kept, and the sum of the squares of the others.
struct Halved {
    kept: usize,
    dropped: f64,
}

/// Fills a stretch whose estimated mean is given, from the sums up to each of its points.
fn halve(sums: &[f64], mean: f64, threshold: f64, out: &mut [f64]) -> Halved {
    if out.len() < 2 {
        out.fill(mean);
        return Halved { kept: 0, dropped: 0.0 };
    }
    let middle = out.len() / 2;
    let (left, right) = out.split_at_mut(middle);
    let (a, b) = (left.len() as f64, right.len() as f64);
    let at = |place: usize| sums.get(place).copied().unwrap_or(0.0);
    let step = (at(middle) - at(0)) / a - (at(middle + right.len()) - at(middle)) / b;
    let coefficient = step * (a * b / (a + b)).sqrt();
    let keep = coefficient.abs() > threshold;
    let step = if keep { step } else { 0.0 };
    let (before, after) = (sums.get(..=middle).unwrap_or(&[]), sums.get(middle..).unwrap_or(&[]));
    let left = halve(before, mean + step * b / (a + b), threshold, left);
    let right = halve(after, mean - step * a / (a + b), threshold, right);
    Halved {
        kept: usize::from(keep) + left.kept + right.kept,
        dropped: left.dropped + right.dropped + if keep { 0.0 } else { coefficient * coefficient },
    }
}

/// A regression that was learned at known points.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Regressed {
    /// The estimates, in order; at known points what is known.
    #[serde(skip)]
    pub estimates: Vec<f64>,
    /// The constant and the weights of the published values from `reach` before to `reach` after.
    #[serde(skip)]
    pub weights: Vec<f64>,
    /// How many points were known.
    pub known: usize,
    /// The root mean square error at the known points themselves, corrected for the number of weights; an estimate of
    /// the error elsewhere. `None` when there are as many weights as points.
    pub error_at_known: Option<f64>,
}

/// Learns at known points (time and true value) how the published values around a time tell the true one. With a
/// `reach` of 0 this is the regression on a line; with more it is a linear filter. Beyond its ends the series is taken
/// to be mirrored.
///
/// # Errors
/// When fewer points are known than there are weights (2·reach + 2), one is outside the series or known twice, or
/// there are values that are no numbers.
pub fn known_points(
    published: &[f64],
    known: &[(usize, f64)],
    reach: usize,
) -> Result<Regressed, NoiseAttackError> {
    check_numbers(published, 1)?;
    if reach > 100 {
        return Err(NoiseAttackError::Parameter {
            name: "the reach of the filter",
            accepted: "from 0 to 100",
        });
    }
    let columns = 2 * reach + 2;
    if known.len() < columns {
        return Err(NoiseAttackError::Length { what: "known points", found: known.len(), expected: columns });
    }
    let values: Vec<f64> = known.iter().map(|own| own.1).collect();
    check_numbers(&values, 1)?;
    let mut times: Vec<usize> = known.iter().map(|own| own.0).collect();
    times.sort_unstable();
    times.dedup();
    check_length("different times of known points", times.len(), known.len())?;
    if times.last().is_some_and(|last| *last >= published.len()) {
        return Err(NoiseAttackError::Parameter {
            name: "the time of a known point",
            accepted: "a place in the series, counted from 0",
        });
    }
    // Measured from one point and in one scale, so that squares stay numbers and neither drowns the constant.
    let origin = published.first().copied().unwrap_or(0.0);
    let scale = published.iter().map(|value| (value - origin).abs()).fold(0.0, f64::max);
    let scale = if scale > 0.0 { scale } else { 1.0 };
    let around = |time: usize, column: usize| match column {
        0 => 1.0,
        _ => {
            let place = mirrored(time as isize + column as isize - 1 - reach as isize, published.len());
            published.get(place).map_or(0.0, |value| (value - origin) / scale)
        }
    };
    let design = DMatrix::from_fn(known.len(), columns, |row, column| around(known[row].0, column)); // why: one row per known point
    let target = DVector::from_iterator(known.len(), values.iter().map(|value| (value - origin) / scale));
    let solved = design.svd(true, true).solve(&target, 1e-10).map_err(|_| NoiseAttackError::Parameter {
        name: "the known points",
        accepted: "points at which the published values differ",
    })?;
    let weights: Vec<f64> = solved.iter().copied().collect();
    let mut estimates: Vec<f64> = (0..published.len())
        .map(|time| {
            let sum: f64 = weights.iter().enumerate().map(|(column, own)| own * around(time, column)).sum();
            origin + scale * sum
        })
        .collect();
    if estimates.iter().any(|value| !value.is_finite()) {
        return Err(NoiseAttackError::Parameter {
            name: "the known points",
            accepted: "values of about the size of the published ones",
        });
    }
    let mut squares = 0.0;
    for &(time, value) in known {
        if let Some(own) = estimates.get_mut(time) {
            squares += ((*own - value) / scale).powi(2);
            *own = value;
        }
    }
    let spare = known.len() - columns;
    let error_at_known = (spare > 0).then(|| scale * (squares / spare as f64).sqrt());
    Ok(Regressed { estimates, weights, known: known.len(), error_at_known })
}

/// A place in a series that goes back and forth beyond its ends.
fn mirrored(place: isize, length: usize) -> usize {
    let period = 2 * length.max(1) as isize;
    let place = place.rem_euclid(period);
    if place < length as isize { place as usize } else { (period - 1 - place) as usize }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::{Records, Score};
    use privet_perturb::{Coins, SeededCoins};
    use proptest::prelude::*;

    fn noisy(series: &[f64], deviation: f64, coins: &mut SeededCoins) -> Vec<f64> {
        series.iter().map(|value| value + deviation * coins.normal().unwrap()).collect()
    }

    fn error(truth: &[f64], published: &[f64], estimates: &[f64], deviation: f64) -> Score {
        let [a, b, c] = [truth, published, estimates].map(|values| Records::new(values, 1).unwrap());
        Score::of(a, b, c, &[deviation], 0.5).unwrap()
    }

    /// survey AT-18: a series that changes seldom is recovered, one that is noise itself is not.
    #[test]
    fn filters_what_changes_seldom() {
        let mut coins = SeededCoins::new(18);
        let steps: Vec<f64> = (0..1000).map(|t| [10.0, 30.0, 18.0, 25.0][t / 250]).collect();
        let published = noisy(&steps, 2.0, &mut coins);
        let found = haar_filter(&published, 2.0).unwrap();
        let score = error(&steps, &published, &found.estimates, 2.0);
        assert!(score.estimate_error < 0.15 && (score.published_error - 1.0).abs() < 0.1, "{score:?}");
        assert!(score.recovered.low > 0.95 && score.control_error > 2.0, "{score:?}");
        // The sum of 995 squares of noise is off by 45, a thousandth of each.
        assert!(found.expected_error <= 0.35, "{}", found.expected_error);
        // White noise of deviation 8 under noise of deviation 2: keeping is all that can be done.
        let wild: Vec<f64> = (0..1000).map(|_| 8.0 * coins.normal().unwrap()).collect();
        let published = noisy(&wild, 2.0, &mut coins);
        let found = haar_filter(&published, 2.0).unwrap();
        let score = error(&wild, &published, &found.estimates, 2.0);
        assert!(score.estimate_error > 0.95, "{score:?}");
        // Of deviation 3 nothing stands out, and all that is dropped is lost: the adversary expects as much.
        let wild: Vec<f64> = (0..1000).map(|_| 3.0 * coins.normal().unwrap()).collect();
        let published = noisy(&wild, 2.0, &mut coins);
        let found = haar_filter(&published, 2.0).unwrap();
        let score = error(&wild, &published, &found.estimates, 2.0);
        assert!(
            score.estimate_error > 1.2 && (found.expected_error - score.estimate_error).abs() < 0.2,
            "{score:?}"
        );
    }

    /// Noise alone leaves the mean: P(one of n−1 coefficients passes) ≤ n·P(|N| > √(2 ln n)) < 1/√(π ln n) = 0.22 for
    /// n = 777. Of 200 series 72 or more happen with probability 1e-6 at most.
    #[test]
    fn noise_alone_is_removed() {
        let mut coins = SeededCoins::new(19);
        let mut passed = 0;
        for _ in 0..200 {
            let found = haar_filter(&noisy(&[5.0; 777], 3.0, &mut coins), 3.0).unwrap();
            passed += usize::from(found.kept > 0);
        }
        assert!(passed < 72, "{passed}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        /// Without noise everything is kept and the series comes back: the wavelets are a basis at any length.
        #[test]
        fn the_basis_is_whole(series in prop::collection::vec(-1e6f64..1e6, 1..200)) {
            let found = haar_filter(&series, 0.0).unwrap();
            for (a, b) in found.estimates.iter().zip(&series) {
                prop_assert!((a - b).abs() < 1e-6, "{} {}", a, b);
            }
        }

        /// The basis is orthonormal: what is dropped and what is kept are at right angles, so the energy adds up.
        #[test]
        fn the_basis_is_orthonormal(series in prop::collection::vec(-10f64..10.0, 2..100), sigma in 0.1f64..5.0) {
            let found = haar_filter(&series, sigma).unwrap();
            let mean = series.iter().sum::<f64>() / series.len() as f64;
            let energy = |values: &[f64]| values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
            let lost: f64 = series.iter().zip(&found.estimates).map(|(a, b)| (a - b).powi(2)).sum();
            prop_assert!((energy(&series) - energy(&found.estimates) - lost).abs() < 1e-6);
        }
    }

    /// The regression on a line shrinks towards the mean with s/(s+v) = 16/(16+4): the error falls to √(16·4/20).
    #[test]
    fn regression_on_known_points() {
        let mut coins = SeededCoins::new(20);
        let truth: Vec<f64> = (0..6000).map(|_| 50.0 + 4.0 * coins.normal().unwrap()).collect();
        let published = noisy(&truth, 2.0, &mut coins);
        let known: Vec<(usize, f64)> = (0..2000).map(|i| (3 * i, truth[3 * i])).collect();
        let found = known_points(&published, &known, 0).unwrap();
        assert!((found.weights[1] - 0.8).abs() < 0.06, "{:?}", found.weights);
        let unknown: Vec<usize> = (0..6000).filter(|time| time % 3 != 0).collect();
        let at = |series: &[f64]| unknown.iter().map(|&time| series[time]).collect::<Vec<f64>>();
        let score = error(&at(&truth), &at(&published), &at(&found.estimates), 2.0);
        assert!((score.estimate_error - 0.8f64.sqrt()).abs() < 0.03, "{score:?}");
        assert!((found.error_at_known.unwrap() / 2.0 - 0.8f64.sqrt()).abs() < 0.05, "{found:?}");
    }

    /// A slow wave: neighbours in time tell of each other, and a filter that is learned from one point in five beats the
    /// line by far.
    #[test]
    fn a_filter_is_learned() {
        let mut coins = SeededCoins::new(21);
        let wave: Vec<f64> = (0..2000).map(|t| 10.0 * (f64::from(t) / 40.0).sin()).collect();
        let published = noisy(&wave, 4.0, &mut coins);
        let known: Vec<(usize, f64)> = (0..400).map(|i| (5 * i, wave[5 * i])).collect();
        let line = known_points(&published, &known, 0).unwrap();
        let filter = known_points(&published, &known, 10).unwrap();
        let [line, filter] = [&line, &filter].map(|own| error(&wave, &published, &own.estimates, 4.0));
        assert!(filter.estimate_error < 0.4 && line.estimate_error > 0.7, "{line:?} {filter:?}");
        assert!(filter.recovered.low > line.recovered.high);
    }

    #[test]
    fn edges() {
        assert!(haar_filter(&[], 1.0).is_err() && haar_filter(&[f64::INFINITY], 1.0).is_err());
        assert!(haar_filter(&[1.0], f64::NAN).is_err());
        assert_eq!(haar_filter(&[7.0], 1.0).unwrap().estimates, [7.0]);
        assert_eq!(haar_filter(&[7.0; 5], 0.0).unwrap().estimates, [7.0; 5]);
        let large = haar_filter(&[1e100, -1e100, 1e100], 1.0).unwrap();
        assert!(large.estimates.iter().all(|value| value.is_finite()));
        let series = [1.0, 2.0, 3.0, 4.0];
        assert!(known_points(&series, &[(0, 1.0)], 0).is_err());
        assert!(known_points(&series, &[(0, 1.0), (4, 1.0)], 0).is_err());
        assert!(known_points(&series, &[(1, 1.0), (1, 1.0)], 0).is_err());
        assert!(known_points(&series, &[(0, 1.0), (1, f64::NAN)], 0).is_err());
        assert!(known_points(&series, &[(0, 1.0), (1, 2.0)], 101).is_err());
        assert!(known_points(&[0.0, 1e-300, 0.0], &[(0, 1e100), (1, -1e100)], 0).is_err());
        assert!(known_points(&[], &[(0, 1.0), (1, 2.0)], 0).is_err());
        let line = known_points(&series, &[(0, 10.0), (3, 40.0)], 0).unwrap();
        assert!(line.estimates.iter().zip([10.0, 20.0, 30.0, 40.0]).all(|(a, b)| (a - b).abs() < 1e-9));
        assert_eq!(line.error_at_known, None);
        // A constant series tells nothing but the mean of what is known.
        let flat = known_points(&[5.0; 4], &[(0, 1.0), (1, 2.0), (2, 3.0)], 0).unwrap();
        assert!((flat.estimates[3] - 2.0).abs() < 1e-9, "{flat:?}");
        assert_eq!([-3, -1, 0, 2, 3, 5, 6].map(|place| mirrored(place, 3)), [2, 0, 0, 2, 2, 0, 0]);
    }
}
