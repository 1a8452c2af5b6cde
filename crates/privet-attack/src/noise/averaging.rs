//! Asking the same question again and again (survey AT-14, TH-18).
//!
//! The mean of m answers with independent noise N(0, σ²) has noise N(0, σ²/m).
//!
//! # Guarantee
//! With independent noise of the stated deviation the true answer lies within `half_width_95` of the estimate in 95 of
//! 100 attacks (exactly for normal noise, in the limit of many answers for any other). The defences are two: a ledger
//! that charges every answer, and giving the same answer to the same question. The second shows as answers that are
//! all equal; then the mean is taken to be no sharper than one answer. That goes beyond the survey, which supposes
//! independent noise.

use serde::Serialize;

use super::records::{NoiseAttackError, check_numbers, check_spread};

/// Half the width of the 95 % interval of the normal distribution, in deviations.
pub(super) const Z95: f64 = 1.959_963_984_540_054;

/// What many answers to one question tell.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Averaged {
    /// How many answers were got.
    pub answers: u64,
    /// Whether questions were refused before the adversary had asked all.
    pub refused: bool,
    /// Whether every answer was the same, so that more of them tell nothing.
    pub repeated: bool,
    /// The estimate: the mean of the answers.
    #[serde(skip)]
    pub estimate: f64,
    /// Its standard deviation.
    pub deviation: f64,
    /// The true answer is within this of the estimate with a confidence of 95 %.
    pub half_width_95: f64,
}

impl Averaged {
    /// How far the estimate is from the truth.
    pub fn error(&self, truth: f64) -> f64 {
        (self.estimate - truth).abs()
    }

    /// Whether the adversary knows a whole number: the interval has room for one only.
    pub fn tells_a_count(&self) -> bool {
        self.half_width_95 < 0.5
    }
}

/// Averages answers to the same question with noise of this deviation.
///
/// # Errors
/// Without answers, with one that is no number, or when the deviation is no number from 0 on.
pub fn average(answers: &[f64], noise_deviation: f64) -> Result<Averaged, NoiseAttackError> {
    check_spread("the deviation of the noise", noise_deviation)?;
    check_numbers(answers, 1)?;
    let Some(first) = answers.first() else {
        return Err(NoiseAttackError::Length { what: "answers", found: 0, expected: 1 });
    };
    let count = answers.len() as f64;
    let estimate = first + answers.iter().map(|answer| (answer - first) / count).sum::<f64>();
    let repeated = answers.len() > 1 && answers.iter().all(|answer| answer == first);
    let deviation = if repeated { noise_deviation } else { noise_deviation / count.sqrt() };
    Ok(Averaged {
        answers: answers.len() as u64,
        refused: false,
        repeated,
        estimate,
        deviation,
        half_width_95: Z95 * deviation,
    })
}

/// Asks a desk the same question up to `most` times, until it refuses (`None`), and averages.
///
/// # Errors
/// As [`average`]; a desk that refuses the first question gives nothing to average.
pub fn ask_again(
    most: u32,
    noise_deviation: f64,
    mut ask: impl FnMut() -> Option<f64>,
) -> Result<Averaged, NoiseAttackError> {
    let answers: Vec<f64> = (0..most).map_while(|_| ask()).collect();
    let refused = answers.len() < most as usize;
    Ok(Averaged { refused, ..average(&answers, noise_deviation)? })
}

/// How many independent answers bring the 95 % interval down to this half-width; 0.5 tells a count.
///
/// # Errors
/// When the deviation is no number from 0 on, or the half-width is not above 0.
pub fn answers_needed(noise_deviation: f64, half_width: f64) -> Result<u64, NoiseAttackError> {
    check_spread("the deviation of the noise", noise_deviation)?;
    check_spread("the half-width", half_width)?;
    if half_width == 0.0 {
        return Err(NoiseAttackError::Parameter { name: "the half-width", accepted: "above 0" });
    }
    // A conversion of a large number ends at the largest one.
    Ok(((Z95 * noise_deviation / half_width).powi(2).ceil() as u64).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_perturb::{Coins, SeededCoins};

    /// survey AT-14, TH-18: the mean has variance σ²/m. False alarm: the sum of 400 squares is within 5 deviations of
    /// its mean except with probability 1e-6.
    #[test]
    fn the_variance_of_the_mean() {
        let mut coins = SeededCoins::new(14);
        let (trials, answers, sigma) = (400, 64, 8.0);
        let mut squares = 0.0;
        let mut covered = 0;
        for _ in 0..trials {
            let found = ask_again(answers, sigma, || Some(412.0 + sigma * coins.normal().unwrap())).unwrap();
            assert_eq!((found.answers, found.refused, found.deviation), (64, false, 1.0));
            squares += found.error(412.0).powi(2);
            covered += u32::from(found.error(412.0) <= found.half_width_95);
        }
        let variance = squares / f64::from(trials);
        assert!((variance - 1.0).abs() < 5.0 * (2.0 / f64::from(trials)).sqrt(), "{variance}");
        // 380 expected, deviation 4.4.
        assert!((358..=400).contains(&covered), "{covered}");
    }

    #[test]
    fn equal_answers_tell_no_more_than_one() {
        let found = ask_again(1000, 3.0, || Some(17.0)).unwrap();
        assert!(found.repeated && found.deviation == 3.0 && !found.tells_a_count());
        // Without noise one answer is the truth.
        let found = average(&[17.0], 0.0).unwrap();
        assert!(!found.repeated && found.tells_a_count() && found.error(17.0) == 0.0);
    }

    #[test]
    fn how_many_answers() {
        // (1.96·10/0.5)² = 1536.6
        assert_eq!(answers_needed(10.0, 0.5), Ok(1537));
        assert_eq!(answers_needed(0.0, 0.5), Ok(1));
        assert_eq!(answers_needed(1e100, 1e-100), Ok(u64::MAX));
        assert!(answers_needed(1.0, 0.0).is_err() && answers_needed(f64::NAN, 1.0).is_err());
        let enough = [1.0, 2.0].repeat(769);
        assert!(average(&enough, 10.0).unwrap().tells_a_count());
        assert!(!average(&enough[2..], 10.0).unwrap().tells_a_count());
    }

    #[test]
    fn edges() {
        assert!(average(&[], 1.0).is_err());
        assert!(average(&[1.0, f64::NAN], 1.0).is_err());
        assert!(average(&[1.0], -1.0).is_err());
        assert!(ask_again(0, 1.0, || Some(1.0)).is_err());
        assert!(ask_again(5, 1.0, || None).is_err());
        let mut left = 2;
        let found = ask_again(5, 1.0, || {
            left -= 1;
            (left >= 0).then_some(f64::from(left))
        });
        let found = found.unwrap();
        assert!(found.refused && found.answers == 2 && found.estimate == 0.5);
        // Sums of huge answers do not overflow.
        assert_eq!(average(&[1e100; 3], 1.0).unwrap().estimate, 1e100);
    }
}
