//! A column in which everybody has the same value (survey AT-15).
//!
//! The mean of n noisy copies of z is z with noise σ/√n. For uniform noise on [−α, α] there is more: z lies between the
//! largest value less α and the least plus α, with certainty, and the middle of the two is off by about α/n only.
//!
//! # Guarantee
//! For a constant column z is within `half_width_95` of the estimate in 95 of 100 attacks, for uniform noise always
//! within `half_width` of it. Departure from the survey, in which the adversary knows that the column is constant: the
//! published law of the noise tells it. A column whose variance is that of the noise *looks* constant; one that is
//! constant looks so except with probability 1e-3 (in the limit of many records). A column can look constant and have
//! a deviation that is small beside that of the noise; then its mean is found instead, which is as good.

use privet_perturb::Noise;
use serde::Serialize;

use super::averaging::Z95;
use super::records::{NoiseAttackError, check_numbers};

/// What is found in a column.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ConstantColumn {
    /// How many records there are.
    pub records: u64,
    /// Whether the published values spread no more than the noise alone does.
    pub looks_constant: bool,
    /// The value of everybody, if the column is constant.
    #[serde(skip)]
    pub estimate: f64,
    /// The value is within this of the estimate with a confidence of 95 %, or for certain where noise has bounds.
    pub half_width_95: f64,
    /// The most that the estimate can be off, where noise has bounds; below 0 no single value is possible.
    pub half_width: Option<f64>,
}

impl ConstantColumn {
    /// How far the estimate is from the truth.
    pub fn error(&self, truth: f64) -> f64 {
        (self.estimate - truth).abs()
    }
}

/// Estimates the one value behind a noisy column.
///
/// # Errors
/// Without records, with a value that is no number, or with noise that is none.
pub fn constant_column(published: &[f64], noise: Noise) -> Result<ConstantColumn, NoiseAttackError> {
    noise.check()?;
    check_numbers(published, 1)?;
    let Some(&first) = published.first() else {
        return Err(NoiseAttackError::Length { what: "records", found: 0, expected: 1 });
    };
    let count = published.len() as f64;
    let mean = first + published.iter().map(|value| (value - first) / count).sum::<f64>();
    let squares: f64 = published.iter().map(|value| (value - mean).powi(2)).sum();
    let deviation = noise.variance().sqrt();
    let (estimate, half_width) = match noise.reach() {
        Some(reach) => {
            let least = published.iter().copied().fold(f64::INFINITY, f64::min);
            let largest = published.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            // Halved first: their sum may be no number.
            (least / 2.0 + largest / 2.0, Some(reach - (largest / 2.0 - least / 2.0)))
        }
        None => (mean, None),
    };
    let half_width_95 = half_width.map_or(Z95 * deviation / count.sqrt(), |own| own.max(0.0));
    Ok(ConstantColumn {
        records: published.len() as u64,
        looks_constant: looks_constant(squares, count, noise, half_width, first),
        estimate,
        half_width_95,
        half_width,
    })
}

/// The 1e-3 quantile of the standard normal distribution, one-sided.
const Z999: f64 = 3.090_232_306_167_813;

fn looks_constant(squares: f64, count: f64, noise: Noise, half_width: Option<f64>, size: f64) -> bool {
    // What sums of floating-point numbers are off by is no contradiction.
    let rounding = 1e-12 * size.abs();
    if half_width.is_some_and(|own| own < -rounding) {
        return false;
    }
    if count < 2.0 {
        return true;
    }
    // The sample variance has the variance σ⁴((κ−3)/n + 2/(n−1)), κ being the kurtosis: 3, and 9/5 for uniform noise.
    let excess = match noise {
        Noise::Gaussian { .. } => 0.0,
        Noise::Uniform { .. } => -1.2,
    };
    let relative = (excess / count + 2.0 / (count - 1.0)).max(0.0).sqrt();
    let allowed = noise.variance() * (1.0 + Z999 * relative);
    squares / (count - 1.0) <= allowed + rounding * rounding
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_perturb::{SeededCoins, additive_noise};

    const NORMAL: Noise = Noise::Gaussian { deviation: 5.0 };
    const EVEN: Noise = Noise::Uniform { half_width: 5.0 };

    /// survey AT-15: the mean of the perturbed data estimates z. False alarm below 1e-6 (5 deviations; the looks of 60
    /// columns, each wrong once in a thousand: 5 or more of 60 happen with probability 1e-8).
    #[test]
    fn the_value_of_everybody() {
        let mut coins = SeededCoins::new(15);
        let mut constant = 0;
        for _ in 0..60 {
            let published = additive_noise(&[37.0; 10_000], NORMAL, &mut coins).unwrap().value;
            let found = constant_column(&published, NORMAL).unwrap();
            assert!(found.error(37.0) < 5.0 * 0.05, "{found:?}");
            assert!((found.half_width_95 - 0.098).abs() < 1e-3);
            constant += u32::from(found.looks_constant);
        }
        assert!(constant > 55, "{constant}");
    }

    /// With bounded noise the value is boxed in, and the box shrinks with 1/n.
    #[test]
    fn uniform_noise_tells_more() {
        let mut coins = SeededCoins::new(16);
        let published = additive_noise(&[37.0; 10_000], EVEN, &mut coins).unwrap().value;
        let found = constant_column(&published, EVEN).unwrap();
        assert!(found.looks_constant);
        assert!(found.error(37.0) <= found.half_width.unwrap());
        // P(the box is wider than 0.02) = P(a gap of 0.04 of 10 is empty) < (1 + 40)·e^−40.
        assert!(found.half_width_95 < 0.02 && found.half_width_95 > 0.0, "{found:?}");
    }

    #[test]
    fn a_column_that_varies_does_not_look_constant() {
        let mut coins = SeededCoins::new(17);
        let ages: Vec<f64> = (0..2000).map(|i| f64::from(20 + i % 50)).collect();
        for noise in [NORMAL, EVEN] {
            let published = additive_noise(&ages, noise, &mut coins).unwrap().value;
            let found = constant_column(&published, noise).unwrap();
            assert!(!found.looks_constant, "{found:?}");
        }
        // A box without room proves it.
        assert!(constant_column(&[0.0, 11.0], EVEN).unwrap().half_width.unwrap() < 0.0);
    }

    #[test]
    fn edges() {
        assert!(constant_column(&[], NORMAL).is_err());
        assert!(constant_column(&[f64::NAN], NORMAL).is_err());
        assert!(constant_column(&[1.0], Noise::Gaussian { deviation: -1.0 }).is_err());
        let one = constant_column(&[3.0], NORMAL).unwrap();
        assert!(one.looks_constant && one.estimate == 3.0);
        // No noise: the values themselves.
        let same = constant_column(&[0.1; 7], Noise::NONE).unwrap();
        assert!(same.looks_constant && same.half_width_95 == 0.0 && same.estimate == 0.1);
        assert!(!constant_column(&[1.0, 2.0], Noise::NONE).unwrap().looks_constant);
        assert!(constant_column(&[1e100, -1e100], NORMAL).unwrap().estimate.is_finite());
        assert!(!constant_column(&[1e100, -1e100], EVEN).unwrap().looks_constant);
    }
}
