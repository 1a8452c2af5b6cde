//! Noise that is added to numbers, or that they are multiplied with (survey ME-23; papers T-PM7, T-AL1).
//!
//! The law of the noise is published with the values: who reads them reconstructs with it (see [`crate::reconstruct`]).
//!
//! # Guarantee
//! None of privacy. Additive noise can be filtered out where columns depend on each other or records are many (survey
//! AT-16 to AT-18), and the low bits of a sum of floating-point numbers tell more than the sum. What holds is what the
//! law says: mean 0, the stated variance, and the width of the interval that a value lies in
//! ([`Noise::interval_width`]). Multiplication is by 1 + noise, so 0 stays 0.

use crate::error::{check_numbers, is_number};
use crate::{Coins, Drawn, PerturbError, normal};

/// The law of noise with mean 0. At a width of 0 there is no noise.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "law", rename_all = "kebab-case", rename_all_fields = "kebab-case", deny_unknown_fields)]
pub enum Noise {
    /// Even on [−half-width, half-width].
    Uniform {
        /// The most that is added.
        half_width: f64,
    },
    /// Normal.
    Gaussian {
        /// The standard deviation.
        deviation: f64,
    },
}

impl Noise {
    /// No noise.
    pub const NONE: Noise = Noise::Uniform { half_width: 0.0 };

    /// Refuses widths that are none.
    ///
    /// # Errors
    /// When the width is negative, or no finite number.
    pub fn check(self) -> Result<(), PerturbError> {
        let width = self.width();
        if width >= 0.0 && is_number(width) {
            return Ok(());
        }
        let name = match self {
            Noise::Uniform { .. } => "the half-width of the noise",
            Noise::Gaussian { .. } => "the deviation of the noise",
        };
        Err(PerturbError::Parameter { name, accepted: "a number from 0 to 1e100" })
    }

    pub(crate) fn width(self) -> f64 {
        match self {
            Noise::Uniform { half_width } => half_width,
            Noise::Gaussian { deviation } => deviation,
        }
    }

    /// Whether nothing is added.
    pub fn is_none(self) -> bool {
        self.width() == 0.0
    }

    /// One number of the law.
    ///
    /// # Errors
    /// When the source of randomness fails.
    pub fn draw<C: Coins + ?Sized>(self, coins: &mut C) -> Result<f64, PerturbError> {
        Ok(match self {
            Noise::Uniform { half_width } => half_width * (2.0 * coins.unit()? - 1.0),
            Noise::Gaussian { deviation } => deviation * coins.normal()?,
        })
    }

    /// The density at y; without noise infinite at 0.
    pub fn density(self, y: f64) -> f64 {
        if self.is_none() {
            return if y == 0.0 { f64::INFINITY } else { 0.0 };
        }
        match self {
            Noise::Uniform { half_width } => {
                if y.abs() <= half_width {
                    0.5 / half_width
                } else {
                    0.0
                }
            }
            Noise::Gaussian { deviation } => normal::density(y / deviation) / deviation,
        }
    }

    /// The probability of a number from a to b.
    pub fn between(self, a: f64, b: f64) -> f64 {
        if self.is_none() {
            return f64::from(a <= 0.0 && 0.0 <= b);
        }
        match self {
            Noise::Uniform { half_width } => {
                let (low, high) = (a.max(-half_width), b.min(half_width));
                if high > low { 0.5 * (high - low) / half_width } else { 0.0 }
            }
            Noise::Gaussian { deviation } => normal::between(a / deviation, b / deviation),
        }
    }

    /// The mean of [`between`](Self::between) over intervals of this width that end anywhere from a to b: the probability that
    /// noise upon a number that lies evenly within an interval leads into another, per unit of both. `far` is how far the
    /// middle of the one is from that of the other.
    pub(crate) fn mean_between(self, far: f64, (from, to): (f64, f64)) -> f64 {
        let (from, to) = (from.min(to), from.max(to));
        // Over an interval that is this narrow the density does not change, and its integral would be all rounding.
        if from < 1e-6 * self.width() {
            return if to < 1e-6 * self.width() {
                self.density(far)
            } else {
                self.between(far - 0.5 * to, far + 0.5 * to) / to
            };
        }
        // The second difference of the integral of the distribution function is the mean; for normal noise it is all
        // rounding where one interval is narrow, and there the mean over that is smooth enough for five points (Gauss).
        if let (Noise::Gaussian { deviation }, true) = (self, from < self.width()) {
            const POINTS: [(f64, f64); 5] = [
                (-0.906_179_845_938_664, 0.236_926_885_056_189),
                (-0.538_469_310_105_683, 0.478_628_670_499_366),
                (0.0, 0.568_888_888_888_889),
                (0.538_469_310_105_683, 0.478_628_670_499_366),
                (0.906_179_845_938_664, 0.236_926_885_056_189),
            ];
            let at = |(place, weight): (f64, f64)| {
                let middle = far + 0.5 * from * place;
                let [a, b] = [middle - 0.5 * to, middle + 0.5 * to].map(|own| own / deviation);
                0.5 * weight * normal::between(a, b)
            };
            return POINTS.into_iter().map(at).sum::<f64>() / to;
        }
        let [wide, narrow] = [0.5 * (from + to), 0.5 * (to - from)];
        let ends = [far + wide, far + narrow, far - narrow, far - wide];
        // Of t above 0 the integral is t and what it is of −t: beyond the noise on one side nothing is left of t.
        let beyond = match ends.iter().all(|own| *own >= 0.0) || ends.iter().all(|own| *own <= 0.0) {
            true => 0.0,
            false => second_difference(ends.map(|own| own.max(0.0))),
        };
        let tails = second_difference(ends.map(|own| self.integral_of_tail(own.abs())));
        ((beyond + tails) / (from * to)).max(0.0)
    }

    /// The integral from t on of the probability of a number above; t from 0 on.
    fn integral_of_tail(self, t: f64) -> f64 {
        match self {
            Noise::Uniform { half_width } if t < half_width => (half_width - t).powi(2) / (4.0 * half_width),
            Noise::Uniform { .. } => 0.0,
            Noise::Gaussian { deviation } => {
                let z = t / deviation;
                deviation * (normal::density(z) - z * normal::upper_tail(z)).max(0.0)
            }
        }
    }

    /// The variance.
    pub fn variance(self) -> f64 {
        match self {
            Noise::Uniform { half_width } => half_width * half_width / 3.0,
            Noise::Gaussian { deviation } => deviation * deviation,
        }
    }

    /// The most that can be added; `None` when there is no bound.
    pub fn reach(self) -> Option<f64> {
        match self {
            Noise::Uniform { half_width } => Some(half_width),
            Noise::Gaussian { deviation } => (deviation == 0.0).then_some(0.0),
        }
    }

    /// The width of the interval around a published value in which the original lies with this confidence, for who
    /// knows nothing else (Agrawal and Srikant): 1.9α, 3.92σ for 95 %.
    ///
    /// # Errors
    /// When the confidence is not above 0 and below 1.
    pub fn interval_width(self, confidence: f64) -> Result<f64, PerturbError> {
        let z = normal::two_sided_quantile(confidence);
        if z.is_nan() {
            return Err(PerturbError::Parameter { name: "the confidence", accepted: "above 0 and below 1" });
        }
        Ok(match self {
            Noise::Uniform { half_width } => 2.0 * half_width * confidence,
            Noise::Gaussian { deviation } => 2.0 * deviation * z,
        })
    }

    /// 2^h for the entropy h in bits: the width of the uniform law that is as uncertain (Agrawal and Aggarwal).
    pub fn entropy_width(self) -> f64 {
        match self {
            Noise::Uniform { half_width } => 2.0 * half_width,
            Noise::Gaussian { deviation } => deviation * normal::entropy_power(),
        }
    }
}

fn second_difference([a, b, c, d]: [f64; 4]) -> f64 {
    (a - b) - (c - d)
}

/// Adds noise to numbers.
///
/// # Errors
/// When a value or the width is no number to compute with, or the source of randomness fails.
pub fn additive_noise<C: Coins + ?Sized>(
    values: &[f64],
    noise: Noise,
    coins: &mut C,
) -> Result<Drawn<Vec<f64>>, PerturbError> {
    each(values, noise, coins, |value, noise| value + noise)
}

/// Multiplies numbers by 1 + noise.
///
/// # Errors
/// When a value or the width is no number to compute with, or the source of randomness fails.
pub fn multiplicative_noise<C: Coins + ?Sized>(
    values: &[f64],
    noise: Noise,
    coins: &mut C,
) -> Result<Drawn<Vec<f64>>, PerturbError> {
    each(values, noise, coins, |value, noise| value * (1.0 + noise))
}

fn each<C: Coins + ?Sized>(
    values: &[f64],
    noise: Noise,
    coins: &mut C,
    apply: impl Fn(f64, f64) -> f64,
) -> Result<Drawn<Vec<f64>>, PerturbError> {
    noise.check()?;
    check_numbers(values, 1)?;
    let mut value = Vec::with_capacity(values.len());
    for &own in values {
        value.push(apply(own, noise.draw(coins)?));
    }
    Ok(Drawn { value, source: coins.source() })
}

/// Mean and variance of numbers before noise came upon them, from the perturbed ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    /// The mean; unbiased.
    pub mean: f64,
    /// The variance (divisor n−1); unbiased for additive noise, and perhaps negative when the noise is large.
    pub variance: f64,
}

impl Moments {
    /// Of numbers with additive noise: the variance less that of the noise.
    ///
    /// # Errors
    /// When there are fewer than two values, or one or the noise is no number to compute with.
    pub fn behind_additive(values: &[f64], noise: Noise) -> Result<Self, PerturbError> {
        let seen = Self::of(values, noise)?;
        Ok(Self { mean: seen.mean, variance: seen.variance - noise.variance() })
    }

    /// Of numbers that were multiplied by 1 + noise: E X² = E Z²/(1 + the variance of the noise).
    ///
    /// # Errors
    /// When there are fewer than two values, or one or the noise is no number to compute with.
    pub fn behind_multiplicative(values: &[f64], noise: Noise) -> Result<Self, PerturbError> {
        let seen = Self::of(values, noise)?;
        let (n, factor) = (values.len() as f64, noise.variance());
        // E s² = (the variance before) + v·Σx²/n, and E Σz² = (1+v)·Σx² for the variance v of the noise.
        let squares = values.iter().map(|value| value * value).sum::<f64>() / n;
        Ok(Self { mean: seen.mean, variance: seen.variance - factor / (1.0 + factor) * squares })
    }

    fn of(values: &[f64], noise: Noise) -> Result<Self, PerturbError> {
        noise.check()?;
        check_numbers(values, 1)?;
        if values.len() < 2 {
            return Err(PerturbError::Length { what: "values", found: values.len(), expected: 2 });
        }
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
        Ok(Self { mean, variance })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_mean, assert_near, moments};
    use crate::{SeededCoins, Source};

    const UNIFORM: Noise = Noise::Uniform { half_width: 2.0 };
    const GAUSSIAN: Noise = Noise::Gaussian { deviation: 1.5 };

    #[test]
    fn laws_as_they_are_published() {
        let written = serde_json::to_string(&UNIFORM).unwrap();
        assert_eq!(written, r#"{"law":"uniform","half-width":2.0}"#);
        assert_eq!(serde_json::from_str::<Noise>(&written).unwrap(), UNIFORM);
        let written = serde_json::to_string(&GAUSSIAN).unwrap();
        assert_eq!(written, r#"{"law":"gaussian","deviation":1.5}"#);
        assert_eq!(serde_json::from_str::<Noise>(&written).unwrap(), GAUSSIAN);
        assert!(serde_json::from_str::<Noise>(r#"{"law":"gaussian","variance":1.5}"#).is_err());
    }

    /// papers T-AL2: widths of intervals. For 99.9 % the text has 6.8; twice the quantile 3.29 is 6.58.
    #[test]
    fn widths() {
        let unit = Noise::Gaussian { deviation: 1.0 };
        for (confidence, width) in [(0.5, 1.34), (0.95, 3.92), (0.999, 6.58)] {
            assert_near(unit.interval_width(confidence).unwrap(), width, 0.01);
        }
        assert_near(UNIFORM.interval_width(0.95).unwrap(), 0.95 * 4.0, 1e-12);
        assert!(unit.interval_width(1.0).is_err());
        assert_eq!(UNIFORM.entropy_width(), 4.0);
        assert_near(unit.entropy_width(), (2.0 * std::f64::consts::PI * std::f64::consts::E).sqrt(), 1e-12);
    }

    /// Moments of the draws, and shares within an interval. False alarm: 1e-6 for all 6.
    #[test]
    fn draws_follow_the_law() {
        let n = 100_000;
        for (seed, noise, fourth) in [(1, UNIFORM, 16.0 / 5.0), (2, GAUSSIAN, 3.0 * 1.5f64.powi(4))] {
            let drawn = additive_noise(&vec![10.0; n], noise, &mut SeededCoins::new(seed)).unwrap();
            assert_eq!(drawn.source, Source::Seeded);
            let (mean, variance) = moments(&drawn.value);
            let root = (n as f64).sqrt();
            assert_mean(mean, 10.0, noise.variance().sqrt() / root, 6);
            assert_mean(variance, noise.variance(), (fourth - noise.variance().powi(2)).sqrt() / root, 6);
            let within = drawn.value.iter().filter(|z| (9.5..=11.2).contains(*z)).count() as f64 / n as f64;
            let p = noise.between(-0.5, 1.2);
            assert_mean(within, p, (p * (1.0 - p)).sqrt() / root, 6);
        }
    }

    /// papers exercise 1 (T-TH11): the sum of two uniform numbers on (0, 1) is triangular on (0, 2). False alarm: 1e-6.
    #[test]
    fn a_sum_of_two_uniform_numbers_is_triangular() {
        let mut coins = SeededCoins::new(3);
        let n = 40_000;
        let half = Noise::Uniform { half_width: 0.5 };
        let first: Vec<f64> = (0..n).map(|_| coins.unit().unwrap()).collect();
        let sums = additive_noise(&first, half, &mut coins).unwrap().value;
        for (until, share) in [(0.25, 0.031_25), (0.5, 0.125), (1.0, 0.5), (1.5, 0.875), (1.75, 0.968_75)] {
            let found = sums.iter().filter(|&&sum| sum + 0.5 <= until).count() as f64 / f64::from(n);
            assert_mean(found, share, (share * (1.0 - share) / f64::from(n)).sqrt(), 5);
        }
    }

    /// Bias of the moments behind noise. False alarm: 1e-6 for all 6.
    #[test]
    fn moments_behind_noise_are_unbiased() {
        let values: Vec<f64> = (0..50).map(|i| f64::from(i % 10) + 1.0).collect();
        let (mean, variance) = moments(&values);
        let mut coins = SeededCoins::new(9);
        let runs = 3000;
        let (mut means, mut added, mut multiplied) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..runs {
            let z = additive_noise(&values, UNIFORM, &mut coins).unwrap().value;
            let behind = Moments::behind_additive(&z, UNIFORM).unwrap();
            means.push(behind.mean);
            added.push(behind.variance);
            let noise = Noise::Gaussian { deviation: 0.3 };
            let z = multiplicative_noise(&values, noise, &mut coins).unwrap().value;
            multiplied.push(Moments::behind_multiplicative(&z, noise).unwrap().variance);
        }
        for (found, expected) in [(&means, mean), (&added, variance), (&multiplied, variance)] {
            let (average, spread) = moments(found);
            assert_mean(average, expected, (spread / f64::from(runs)).sqrt(), 3);
        }
    }

    #[test]
    fn densities_integrate() {
        for noise in [UNIFORM, GAUSSIAN] {
            let steps = 4000;
            let (a, b) = (-1.3, 1.9);
            let step = (b - a) / f64::from(steps);
            let sum: f64 = (0..steps).map(|i| noise.density(a + (f64::from(i) + 0.5) * step)).sum();
            assert_near(sum * step, noise.between(a, b), 1e-6);
            assert_near(noise.between(-1e9, 1e9), 1.0, 1e-12);
            assert_eq!(noise.between(1.0, 0.0), 0.0);
        }
        assert_eq!((UNIFORM.density(2.0), UNIFORM.density(2.1), UNIFORM.reach()), (0.25, 0.0, Some(2.0)));
        assert_eq!(GAUSSIAN.reach(), None);
    }

    /// The mean over two intervals is that of many points of the one.
    #[test]
    fn means_over_intervals() {
        for noise in
            [UNIFORM, GAUSSIAN, Noise::Uniform { half_width: 0.33 }, Noise::Gaussian { deviation: 0.2 }]
        {
            for (from, to) in
                [(1.0, 1.0), (0.1, 3.0), (2.5, 0.7), (1e-9, 0.5), (0.5, 1e-9), (1e-9, 1e-9), (4.0, 5.0)]
            {
                for far in [0.0, 0.3, -0.9, 1.7, -2.2, 3.1, 6.0] {
                    let points = 4000;
                    let at = |point: i32| far + ((f64::from(point) + 0.5) / f64::from(points) - 0.5) * from;
                    let means = (0..points).map(|point| match to < 1e-6 {
                        true => noise.density(at(point)),
                        false => noise.between(at(point) - 0.5 * to, at(point) + 0.5 * to) / to,
                    });
                    let expected = means.sum::<f64>() / f64::from(points);
                    assert_near(noise.mean_between(far, (from, to)), expected, 2e-4);
                    assert_eq!(noise.mean_between(far, (from, to)), noise.mean_between(far, (to, from)));
                }
            }
            assert_eq!(noise.mean_between(1e6, (1.0, 2.0)), 0.0);
        }
    }

    #[test]
    fn edges() {
        let mut coins = SeededCoins::new(1);
        for noise in [Noise::NONE, Noise::Gaussian { deviation: 0.0 }] {
            assert!(noise.is_none() && noise.reach() == Some(0.0) && noise.between(-1.0, 1.0) == 1.0);
            assert_eq!((noise.density(0.0), noise.density(1.0)), (f64::INFINITY, 0.0));
            assert_eq!(additive_noise(&[1.0, 2.0], noise, &mut coins).unwrap().value, [1.0, 2.0]);
            assert_eq!(multiplicative_noise(&[1.0, 2.0], noise, &mut coins).unwrap().value, [1.0, 2.0]);
        }
        for width in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(additive_noise(&[], Noise::Uniform { half_width: width }, &mut coins).is_err());
            assert!(additive_noise(&[], Noise::Gaussian { deviation: width }, &mut coins).is_err());
        }
        let error = additive_noise(&[1.0, f64::NAN], UNIFORM, &mut coins);
        assert_eq!(error, Err(PerturbError::Number { record: 1 }));
        assert!(Moments::behind_additive(&[1.0], UNIFORM).is_err());
        assert!(additive_noise(&[], UNIFORM, &mut coins).unwrap().value.is_empty());
    }
}
