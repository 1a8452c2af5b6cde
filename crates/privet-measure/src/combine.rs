//! What several imputed or synthetic data sets say together (survey US-16, US-17).
//!
//! Data set i of m gives an estimate Q_i with variance U_i; Q̄ and Ū are their means, B = Σ (Q_i − Q̄)²/(m−1). The
//! variance T of Q̄, and the degrees of freedom ν of Student's distribution that its interval rests on:
//!
//! - multiple imputation (Rubin; equation 5.2 of the survey): T = Ū + (1+1/m)B, ν = (m−1)(1 + Ū/((1+1/m)B))²;
//! - fully synthetic (Raghunathan, Reiter and Rubin, 2003): T = (1+1/m)B − Ū, ν = (m−1)(1 − Ū/((1+1/m)B))²;
//! - partially synthetic (Reiter, 2003): T = Ū + B/m, ν = (m−1)(1 + Ū/(B/m))².
//!
//! The fully synthetic T can come out at or below 0, for it is a difference of estimates. Then Reiter's (2002)
//! correction stands in: T = (n_syn/n) Ū, the size of a synthetic data set over that of the original, with m−1
//! degrees.
//!
//! # Guarantee
//! T is never negative. The survey gives the first rule only; the others are outside knowledge, and a simulation in
//! the tests checks that T is the variance of Q̄ on average. All three are for large samples.

use crate::special::student_quantile;

/// Below 1 degree of freedom there is no interval. It happens to fully synthetic tables alone, whose variance is then the
/// difference of two numbers that are nearly the same: the distribution that an interval would rest on has no mean, and its
/// ends lie where the last digits of these numbers put them, as far away as 1e100.
pub const LEAST_DEGREES: f64 = 1.0;

/// How the data sets were made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rule {
    /// Missing values were imputed.
    Imputed,
    /// All values are synthetic.
    FullySynthetic {
        /// The records of a synthetic data set over those of the original.
        size: f64,
    },
    /// Some values are synthetic.
    PartiallySynthetic,
}

/// Why estimates cannot be combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CombineError {
    /// One data set says nothing of the variation between data sets.
    #[error("there are {found} estimates; at least 2 are needed")]
    TooFew {
        /// The estimates.
        found: usize,
    },
    /// Each estimate has one variance.
    #[error("there are {estimates} estimates, but {variances} variances")]
    Length {
        /// The estimates.
        estimates: usize,
        /// The variances.
        variances: usize,
    },
    /// An estimate that is no number, or a variance that is none.
    #[error(
        "data set {} has an estimate that is not finite, or a variance that is not finite or below 0",
        .data_set + 1
    )]
    Value {
        /// The data set, counted from 0; people are told of it counted from 1.
        data_set: usize,
    },
    /// The size of a synthetic data set is none.
    #[error("the size of a synthetic data set over that of the original must be finite and above 0")]
    Size,
    /// The squares of the estimates, or their sums, are beyond what a number can be.
    #[error(
        "the estimates or variances are so large that what they say together is no finite number; give them in a larger unit"
    )]
    TooLarge,
}

/// What the data sets say together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Combined {
    /// The mean of the estimates, Q̄.
    pub estimate: f64,
    /// The mean of their variances, Ū.
    pub within: f64,
    /// The variance between estimates, B.
    pub between: f64,
    /// The variance of the mean, T.
    pub variance: f64,
    /// The degrees of freedom, ν; infinite when nothing varies between data sets.
    pub degrees: f64,
    /// Whether T had to be corrected because the difference was not above 0.
    pub corrected: bool,
}

/// Combines the estimates of several data sets and their variances.
///
/// # Errors
/// When there are fewer than two estimates or not one variance for each, a number is not finite, a variance is below 0, or
/// what comes out is not finite.
pub fn combine(estimates: &[f64], variances: &[f64], rule: Rule) -> Result<Combined, CombineError> {
    if estimates.len() != variances.len() {
        return Err(CombineError::Length { estimates: estimates.len(), variances: variances.len() });
    }
    if estimates.len() < 2 {
        return Err(CombineError::TooFew { found: estimates.len() });
    }
    let bad = |(estimate, variance): (&f64, &f64)| {
        !estimate.is_finite() || !variance.is_finite() || *variance < 0.0
    };
    if let Some(data_set) = estimates.iter().zip(variances).position(bad) {
        return Err(CombineError::Value { data_set });
    }
    if let Rule::FullySynthetic { size } = rule
        && !(size.is_finite() && size > 0.0)
    {
        return Err(CombineError::Size);
    }
    let m = estimates.len() as f64;
    let estimate = estimates.iter().map(|own| own / m).sum::<f64>();
    let within = variances.iter().map(|own| own / m).sum::<f64>();
    let between = estimates.iter().map(|own| (own - estimate) * (own - estimate)).sum::<f64>() / (m - 1.0);
    let (added, sign) = match rule {
        Rule::Imputed => ((1.0 + 1.0 / m) * between, 1.0),
        Rule::FullySynthetic { .. } => ((1.0 + 1.0 / m) * between, -1.0),
        Rule::PartiallySynthetic => (between / m, 1.0),
    };
    let variance = added + sign * within;
    if ![estimate, within, between, added, variance].iter().all(|own| own.is_finite()) {
        return Err(CombineError::TooLarge);
    }
    let combined = Combined { estimate, within, between, variance, degrees: m - 1.0, corrected: false };
    let found = match rule {
        Rule::FullySynthetic { size } if variance <= 0.0 => {
            Combined { variance: size * within, corrected: true, ..combined }
        }
        // 1/0 is infinite, which is right unless nothing varies at all, within neither.
        _ if added == 0.0 => Combined { degrees: f64::INFINITY, ..combined },
        _ => Combined { degrees: (m - 1.0) * (1.0 + sign * within / added).powi(2), ..combined },
    };
    if found.variance.is_finite() { Ok(found) } else { Err(CombineError::TooLarge) }
}

impl Combined {
    /// The interval that holds what is estimated with this probability, between 0 and 1. `None` for another level, and
    /// below [`LEAST_DEGREES`], where it cannot be estimated.
    pub fn interval(&self, level: f64) -> Option<(f64, f64)> {
        if self.degrees < LEAST_DEGREES {
            return None;
        }
        let half = student_quantile(level, self.degrees) * self.variance.sqrt();
        let (low, high) = (self.estimate - half, self.estimate + half);
        (low.is_finite() && high.is_finite()).then_some((low, high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::normal;
    use privet_data::Random;

    #[test]
    fn the_golden_of_the_survey() {
        // Survey US-16.
        let found = combine(&[10.0, 12.0, 11.0], &[1.0, 1.2, 0.8], Rule::Imputed).unwrap();
        let near =
            |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        near(found.estimate, 11.0);
        near(found.within, 1.0);
        near(found.between, 1.0);
        near(found.variance, 7.0 / 3.0);
        // ν = 2 · (1 + 3/4)² = 6.125.
        near(found.degrees, 6.125);
        // Student's quantile lies between those printed for six and seven degrees, 2.4469 and 2.3646.
        let (low, high) = found.interval(0.95).unwrap();
        let quantile = (high - low) / 2.0 / (7f64 / 3.0).sqrt();
        assert!(quantile < 2.4469 && quantile > 2.3646 && (high + low - 22.0).abs() < 1e-12, "{quantile}");
        // The same numbers under the other rules (survey US-17): 4/3 − 1 and 1/3 + 1.
        let fully =
            combine(&[10.0, 12.0, 11.0], &[1.0, 1.2, 0.8], Rule::FullySynthetic { size: 1.0 }).unwrap();
        near(fully.variance, 1.0 / 3.0);
        near(fully.degrees, 2.0 / 16.0);
        let partially = combine(&[10.0, 12.0, 11.0], &[1.0, 1.2, 0.8], Rule::PartiallySynthetic).unwrap();
        near(partially.variance, 4.0 / 3.0);
        near(partially.degrees, 2.0 * 16.0);
    }

    #[test]
    fn a_variance_is_never_negative() {
        let rule = Rule::FullySynthetic { size: 0.5 };
        let found = combine(&[10.0, 10.1, 9.9], &[1.0, 1.2, 0.8], rule).unwrap();
        assert!(found.corrected && (found.variance - 0.5).abs() < 1e-12 && found.degrees == 2.0);
        // Nothing varies: the normal distribution.
        let same = combine(&[4.0, 4.0], &[1.0, 1.0], Rule::Imputed).unwrap();
        assert_eq!((same.variance, same.degrees), (1.0, f64::INFINITY));
        assert!((same.interval(0.95).unwrap().1 - 4.0 - 1.959_963_984_540_054).abs() < 1e-9);
        let nothing = combine(&[4.0, 4.0], &[0.0, 0.0], Rule::FullySynthetic { size: 1.0 }).unwrap();
        assert_eq!((nothing.variance, nothing.interval(0.9)), (0.0, Some((4.0, 4.0))));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert_eq!(combine(&[1.0], &[1.0], Rule::Imputed), Err(CombineError::TooFew { found: 1 }));
        assert_eq!(combine(&[], &[], Rule::Imputed), Err(CombineError::TooFew { found: 0 }));
        assert_eq!(
            combine(&[1.0, 2.0], &[1.0], Rule::Imputed),
            Err(CombineError::Length { estimates: 2, variances: 1 })
        );
        for (estimate, variance) in [(f64::NAN, 1.0), (1.0, -1.0), (1.0, f64::NAN), (f64::INFINITY, 1.0)] {
            let found = combine(&[0.0, estimate], &[1.0, variance], Rule::Imputed);
            assert_eq!(found, Err(CombineError::Value { data_set: 1 }));
        }
        for size in [0.0, -1.0, f64::NAN] {
            let found = combine(&[0.0, 1.0], &[1.0, 1.0], Rule::FullySynthetic { size });
            assert_eq!(found, Err(CombineError::Size));
        }
        let fine = combine(&[0.0, 1.0], &[1.0, 1.0], Rule::Imputed).unwrap();
        assert_eq!((fine.interval(0.0), fine.interval(1.0), fine.interval(f64::NAN)), (None, None, None));
    }

    /// Variances between and within tables that nearly cancel gave an interval of width 1e100.
    #[test]
    fn an_interval_that_cannot_be_estimated_is_none() {
        for within in [1.333, 1.3333, 1.33333, 4.0 / 3.0 - 1e-9] {
            let rule = Rule::FullySynthetic { size: 1.0 };
            let found = combine(&[10.0, 12.0, 11.0], &[within; 3], rule).unwrap();
            assert!(!found.corrected && found.degrees < 1.0, "{found:?}");
            assert_eq!(found.interval(0.95), None);
        }
        // With two tables there is one degree at least under the other rules, and an interval.
        for rule in [Rule::Imputed, Rule::PartiallySynthetic] {
            let (low, high) = combine(&[1.0, 2.0], &[0.0, 0.0], rule).unwrap().interval(0.95).unwrap();
            assert!(high - low < 30.0, "{low} {high}");
        }
    }

    /// The mean of n normal numbers, released as m synthetic data sets that are drawn around a mean drawn from the
    /// posterior N(ȳ, 1/n). Over 20,000 repetitions T must be the variance of Q̄ on average; the standard error of
    /// either side is about 1% of it, the tolerance 5%.
    #[test]
    fn variances_are_those_of_a_simulation() {
        let (n, m, times) = (50.0f64, 5usize, 20_000);
        let mut random = Random::stream(17, 0);
        let rules = [Rule::FullySynthetic { size: 1.0 }, Rule::PartiallySynthetic];
        let (mut squares, mut told, mut covered) = (0.0, [0.0; 2], 0u32);
        for _ in 0..times {
            let seen = normal(&mut random) / n.sqrt();
            let estimates: Vec<f64> = (0..m)
                .map(|_| seen + normal(&mut random) / n.sqrt() + normal(&mut random) / n.sqrt())
                .collect();
            let variances = vec![1.0 / n; m];
            for (told, rule) in told.iter_mut().zip(rules) {
                let found = combine(&estimates, &variances, rule).unwrap();
                // Without the correction, which is there for single data sets and not for the average.
                *told += if found.corrected { 1.2 * found.between - found.within } else { found.variance };
            }
            let found = combine(&estimates, &variances, Rule::PartiallySynthetic).unwrap();
            squares += found.estimate * found.estimate;
            let (low, high) = found.interval(0.9).unwrap();
            covered += u32::from(low <= 0.0 && 0.0 <= high);
        }
        let truth = squares / f64::from(times);
        for told in told {
            assert!((told / f64::from(times) / truth - 1.0).abs() < 0.05, "{told} {truth}");
        }
        assert!((f64::from(covered) / f64::from(times) - 0.9).abs() < 0.015, "{covered}");
    }
}
