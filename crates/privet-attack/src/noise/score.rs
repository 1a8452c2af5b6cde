//! How close an adversary came, against the truth that only the owner has.
//!
//! # Guarantee
//! Errors are measured in standard deviations of the noise of their column, so the published values themselves have
//! an error near 1. Columns without noise are published as they are and do not count. The control knows no record:
//! it says the mean of the column for everybody. What the control reaches is no harm of the noise being weak.
//!
//! Each column is also scored by itself, and one that the adversary gets rid of the noise of is told, however many others
//! stand beside it: over all columns together the error of those that hold would hide it.

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
    /// A record is recovered when the root mean square error over its noisy columns, or in `worst` alone where that is
    /// told, is at most this.
    pub tolerance: f64,
    /// The column that is recovered most, by its place, among those of which more is recovered than the published values give
    /// away and than means tell. The rates are of it alone; without such a column they are of all together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worst: Option<usize>,
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
        let mut hits_of = vec![[0u64; 3]; deviations.len()];
        for ((truth, published), estimate) in truth.rows().zip(published.rows()).zip(estimates.rows()) {
            for (guess, values) in [published, estimate, &means].into_iter().enumerate() {
                let mut error = 0.0;
                for (((truth, value), deviation), hits) in
                    truth.iter().zip(values).zip(deviations).zip(&mut hits_of)
                {
                    if *deviation > 0.0 {
                        let squared = ((truth - value) / deviation).powi(2);
                        error += squared / noisy;
                        hits[guess] += u64::from(squared <= tolerance * tolerance); // why: three guesses, three places
                    }
                }
                sums[guess] += error; // why: as above
                hits[guess] += u64::from(error <= tolerance * tolerance); // why: as above
            }
        }
        let records = truth.len() as u64;
        let rates = |hits: [u64; 3]| hits.map(|hit| Rate::new(hit, records));
        let beyond = |[published, recovered, control]: &[Rate; 3]| {
            recovered.low > published.high && recovered.low > control.high
        };
        let columns = hits_of.into_iter().map(rates).enumerate().filter(|(_, own)| beyond(own));
        let worst = columns.max_by_key(|(place, own)| (own[1].hits, std::cmp::Reverse(*place))); // why: three rates
        let [published_error, estimate_error, control_error] =
            sums.map(|sum| (sum / records.max(1) as f64).sqrt());
        let [published, recovered, control] = worst.map_or_else(|| rates(hits), |(_, own)| own);
        let worst = worst.map(|(place, _)| place);
        Ok(Self {
            published_error,
            estimate_error,
            control_error,
            tolerance,
            worst,
            published,
            recovered,
            control,
        })
    }

    /// Whether more records are recovered than the published values give away and than means tell.
    pub fn succeeded(&self) -> bool {
        self.recovered.low > self.published.high && self.recovered.low > self.control.high
    }
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

    /// survey AT-16: an independent noisy column beside it does not hide a column that is recovered.
    #[test]
    fn a_recovered_column_is_told_whatever_stands_beside_it() {
        let records = 400;
        // Far from the mean, off by one deviation as published, and recovered.
        let truth_of = |record: usize| 10.0 * (record % 7) as f64;
        for others in 0..6 {
            let width = 1 + others;
            let [mut truth, mut published, mut estimates] = [const { Vec::new() }; 3];
            for record in 0..records {
                for column in 0..width {
                    let own = truth_of(record + column);
                    truth.push(own);
                    published.push(own + 1.0);
                    estimates.push(if column == others { own + 0.1 } else { own + 1.0 });
                }
            }
            let [truth, published, estimates] =
                [&truth, &published, &estimates].map(|values| Records::new(values, width).unwrap());
            let score = Score::of(truth, published, estimates, &vec![1.0; width], 0.5).unwrap();
            assert_eq!((score.recovered.hits, score.worst), (400, Some(others)), "{others} others");
            assert!(score.succeeded());
        }
    }

    #[test]
    fn bits() {
        let score = BitScore::of(&[true, true, false], &[true, false, false]).unwrap();
        assert_eq!((score.wrong, score.right.hits, score.control.hits), (1, 2, 2));
        assert!(BitScore::of(&[true], &[]).is_err());
        assert_eq!(BitScore::of(&[], &[]).unwrap().wrong, 0);
    }
}
