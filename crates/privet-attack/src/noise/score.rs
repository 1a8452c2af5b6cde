//! How close an adversary came, against the truth that only the owner has.
//!
//! # Guarantee
//! Errors are measured in standard deviations of the noise of their column, so the published values themselves have
//! an error near 1. Columns without noise are published as they are and do not count. The control knows no record:
//! it says the mean of the column for everybody. What the control reaches is no harm of the noise being weak.

use serde::Serialize;

use super::records::{NoiseAttackError, Records, check_length, check_spread};
use crate::rate::Rate;

/// How close estimates of noisy records came.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Score {
    /// The root mean square error of the published values, in deviations of the noise.
    pub published_error: f64,
    /// That of the adversary's estimates.
    pub estimate_error: f64,
    /// That of the mean of the column.
    pub control_error: f64,
    /// A record is recovered when the root mean square error over its noisy columns is at most this.
    pub tolerance: f64,
    /// Records that the published values give away already.
    pub published: Rate,
    /// Records that the adversary recovered.
    pub recovered: Rate,
    /// Records that the mean of the columns happens to tell.
    pub control: Rate,
}

impl Score {
    /// Compares estimates with the truth. `deviations` are those of the noise, per column.
    ///
    /// # Errors
    /// When the records differ in number or width, or a deviation or the tolerance is no number from 0 on.
    pub fn of(
        truth: Records<'_>,
        published: Records<'_>,
        estimates: Records<'_>,
        deviations: &[f64],
        tolerance: f64,
    ) -> Result<Self, NoiseAttackError> {
        for other in [published, estimates] {
            check_length("columns", other.width(), truth.width())?;
            check_length("records", other.len(), truth.len())?;
        }
        check_length("deviations of noise", deviations.len(), truth.width())?;
        for &deviation in deviations {
            check_spread("the deviation of the noise", deviation)?;
        }
        check_spread("the tolerance", tolerance)?;
        let means = published.means();
        let noisy = deviations.iter().filter(|deviation| **deviation > 0.0).count().max(1) as f64;
        let (mut sums, mut hits) = ([0.0; 3], [0u64; 3]);
        for ((truth, published), estimate) in truth.rows().zip(published.rows()).zip(estimates.rows()) {
            for ((sum, hit), guess) in sums.iter_mut().zip(&mut hits).zip([published, estimate, &means]) {
                let error = squared(truth, guess, deviations) / noisy;
                *sum += error;
                *hit += u64::from(error <= tolerance * tolerance);
            }
        }
        let records = truth.len() as u64;
        let [published_error, estimate_error, control_error] =
            sums.map(|sum| (sum / records.max(1) as f64).sqrt());
        let [published, recovered, control] = hits.map(|hit| Rate::new(hit, records));
        Ok(Self { published_error, estimate_error, control_error, tolerance, published, recovered, control })
    }
}

/// The squared distance in deviations of the noise, over the columns that have some.
fn squared(truth: &[f64], guess: &[f64], deviations: &[f64]) -> f64 {
    let each = truth.iter().zip(guess).zip(deviations).filter(|(_, deviation)| **deviation > 0.0);
    each.map(|((truth, guess), deviation)| ((truth - guess) / deviation).powi(2)).sum()
}

/// How many bits of a table an adversary got right.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct BitScore {
    /// Bits that are wrong: the distance between the tables.
    pub wrong: u64,
    /// Bits that are right.
    pub right: Rate,
    /// The same for one who knows only which value is more frequent, and says it of everybody.
    pub control: Rate,
}

impl BitScore {
    /// Compares tables of bits.
    ///
    /// # Errors
    /// When they differ in length.
    pub fn of(truth: &[bool], guess: &[bool]) -> Result<Self, NoiseAttackError> {
        check_length("bits", guess.len(), truth.len())?;
        let people = truth.len() as u64;
        let right = truth.iter().zip(guess).filter(|(truth, guess)| truth == guess).count() as u64;
        let ones = truth.iter().filter(|bit| **bit).count() as u64;
        Ok(Self {
            wrong: people - right,
            right: Rate::new(right, people),
            control: Rate::new(ones.max(people - ones), people),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_by_hand() {
        // Noise of deviation 2 in the first column, none in the second.
        let truth = [0.0, 7.0, 4.0, 9.0];
        let published = [2.0, 7.0, 2.0, 9.0];
        let estimates = [1.0, 7.0, 4.0, 9.0];
        let [truth, published, estimates] =
            [&truth, &published, &estimates].map(|values| Records::new(values, 2).unwrap());
        let score = Score::of(truth, published, estimates, &[2.0, 0.0], 0.5).unwrap();
        assert_eq!((score.published_error, score.published.hits), (1.0, 0));
        assert_eq!((score.estimate_error, score.recovered.hits), (0.125f64.sqrt(), 2));
        // The mean is 2: off by one deviation for both.
        assert_eq!((score.control_error, score.control.hits), (1.0, 0));
        assert!(Score::of(truth, published, estimates, &[2.0], 0.5).is_err());
        assert!(Score::of(truth, published, estimates, &[2.0, f64::NAN], 0.5).is_err());
        assert!(Score::of(truth, published, estimates, &[2.0, 0.0], -1.0).is_err());
        let none = Records::new(&[], 2).unwrap();
        assert!(Score::of(truth, none, estimates, &[2.0, 0.0], 0.5).is_err());
        assert_eq!(Score::of(none, none, none, &[2.0, 0.0], 0.5).unwrap().estimate_error, 0.0);
        // Without any noise everything is told and the errors are 0.
        let score = Score::of(truth, published, estimates, &[0.0, 0.0], 0.5).unwrap();
        assert_eq!((score.published_error, score.recovered.hits), (0.0, 2));
    }

    #[test]
    fn bits() {
        let score = BitScore::of(&[true, true, false], &[true, false, false]).unwrap();
        assert_eq!((score.wrong, score.right.hits, score.control.hits), (1, 2, 2));
        assert!(BitScore::of(&[true], &[]).is_err());
        assert_eq!(BitScore::of(&[], &[]).unwrap().wrong, 0);
    }
}
