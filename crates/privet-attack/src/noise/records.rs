//! What the attacks on noise work on: records of numbers, and the shape of the noise as it was published.

use nalgebra::DMatrix;
use privet_perturb::{Noise, PerturbError};

/// Why an attack on noise cannot be made. No message holds a value of the data.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NoiseAttackError {
    /// A parameter is out of its range.
    #[error("{name} must be {accepted}")]
    Parameter {
        /// Its name.
        name: &'static str,
        /// What would be accepted.
        accepted: &'static str,
    },
    /// Two lists that belong together have different lengths, or one is too short.
    #[error("there are {found} {what} where {expected} are needed")]
    Length {
        /// Of what.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there must be.
        expected: usize,
    },
    /// A value that cannot be computed with.
    #[error("record {record} has a value that is not a finite number between -1e100 and 1e100")]
    Number {
        /// The record, counted from 0.
        record: usize,
    },
    /// More than time and memory allow.
    #[error("{what} would be {found}; at most {most} are possible")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// Its size.
        found: usize,
        /// The most that is possible.
        most: usize,
    },
    /// No table gives such answers.
    #[error("no table can have given these answers within the stated error; raise the error that is assumed")]
    Contradiction,
    /// The linear program could not be solved.
    #[error("the linear program could not be solved; ask other or fewer questions")]
    Solver,
    /// The noise model does not fit.
    #[error(transparent)]
    Perturb(#[from] PerturbError),
}

/// The largest number that is computed with: its square, and sums of squares, are still numbers.
const MOST: f64 = 1e100;

/// Refuses values that cannot be computed with; `width` values make a record.
pub(super) fn check_numbers(values: &[f64], width: usize) -> Result<(), NoiseAttackError> {
    match values.iter().position(|value| !matches!(value.abs(), 0.0..=MOST)) {
        Some(place) => Err(NoiseAttackError::Number { record: place / width.max(1) }),
        None => Ok(()),
    }
}

/// Refuses answers and weights that are too large for a linear program.
pub(super) fn check_moderate(values: &[f64]) -> Result<(), NoiseAttackError> {
    if values.iter().all(|value| value.abs() <= 1e9) {
        Ok(())
    } else {
        Err(NoiseAttackError::Parameter {
            name: "an answer or a weight",
            accepted: "a number from -1e9 to 1e9",
        })
    }
}

/// Refuses lists of unequal length.
pub(super) fn check_length(
    what: &'static str,
    found: usize,
    expected: usize,
) -> Result<(), NoiseAttackError> {
    if found == expected { Ok(()) } else { Err(NoiseAttackError::Length { what, found, expected }) }
}

/// Refuses what is no standard deviation or variance.
pub(super) fn check_spread(name: &'static str, value: f64) -> Result<(), NoiseAttackError> {
    if (0.0..=MOST).contains(&value) {
        Ok(())
    } else {
        Err(NoiseAttackError::Parameter { name, accepted: "a number from 0 to 1e100" })
    }
}

/// Records of `width` finite numbers each, one after the other.
#[derive(Debug, Clone, Copy)]
pub struct Records<'a> {
    values: &'a [f64],
    width: usize,
}

impl<'a> Records<'a> {
    /// Records from their values, row by row.
    ///
    /// # Errors
    /// When values do not fill records, or one is no number to compute with.
    pub fn new(values: &'a [f64], width: usize) -> Result<Self, NoiseAttackError> {
        if !(1..=1000).contains(&width) {
            return Err(NoiseAttackError::Parameter {
                name: "the number of columns",
                accepted: "from 1 to 1000",
            });
        }
        if !values.len().is_multiple_of(width) {
            let expected = values.len().next_multiple_of(width);
            return Err(NoiseAttackError::Length { what: "values", found: values.len(), expected });
        }
        check_numbers(values, width)?;
        Ok(Self { values, width })
    }

    /// The values, row by row.
    pub fn values(self) -> &'a [f64] {
        self.values
    }

    /// How many numbers a record has.
    pub fn width(self) -> usize {
        self.width
    }

    /// How many records there are.
    pub fn len(self) -> usize {
        self.values.len() / self.width
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.values.is_empty()
    }

    /// One record after the other.
    pub fn rows(self) -> std::slice::ChunksExact<'a, f64> {
        self.values.chunks_exact(self.width)
    }

    /// The mean of each column; 0 without records. Exact for a constant column.
    pub fn means(self) -> Vec<f64> {
        let mut means = vec![0.0; self.width];
        let Some(origin) = self.rows().next() else { return means };
        let count = self.len() as f64;
        for row in self.rows() {
            for ((mean, value), origin) in means.iter_mut().zip(row).zip(origin) {
                *mean += (value - origin) / count;
            }
        }
        means.iter_mut().zip(origin).for_each(|(mean, origin)| *mean += origin);
        means
    }
}

/// How the noise spreads, as it was published with the records.
#[derive(Debug, Clone, PartialEq)]
pub enum NoiseShape {
    /// Each column has its own noise, independent of the others: the variances. 0 for a column without noise.
    Independent(Vec<f64>),
    /// The noise has this factor times the covariance of the data (survey ME-24).
    Proportional(f64),
    /// Some columns have noise of their own, others share noise that is correlated as they are.
    Mixed {
        /// The factor of the shared noise.
        factor: f64,
        /// Per column the variance of its own noise, or none where it shares.
        own: Vec<Option<f64>>,
    },
    /// This covariance, whatever the records at hand show of it: 0 for a column without noise.
    Known(DMatrix<f64>),
}

impl NoiseShape {
    /// Independent noise of these laws.
    pub fn of(noises: &[Noise]) -> Self {
        Self::Independent(noises.iter().map(|noise| noise.variance()).collect())
    }

    /// The covariance of the noise, given that of the published records.
    pub(super) fn covariance(&self, published: &DMatrix<f64>) -> Result<DMatrix<f64>, NoiseAttackError> {
        match self {
            Self::Independent(variances) => {
                check_length("variances of noise", variances.len(), published.nrows())?;
                for &variance in variances {
                    check_spread("the variance of the noise", variance)?;
                }
                Ok(DMatrix::from_diagonal(&nalgebra::DVector::from_column_slice(variances)))
            }
            Self::Proportional(factor) => {
                check_spread("the factor of the noise", *factor)?;
                // The published covariance is (1+d) times that of the data.
                Ok(published * (factor / (1.0 + factor)))
            }
            Self::Mixed { factor, own } => {
                check_length("columns with noise", own.len(), published.nrows())?;
                check_spread("the factor of the noise", *factor)?;
                for &variance in own.iter().flatten() {
                    check_spread("the variance of the noise", variance)?;
                }
                let width = published.nrows();
                let noise = |column: usize| own.get(column).copied().flatten();
                Ok(DMatrix::from_fn(width, width, |a, b| match (noise(a), noise(b)) {
                    (None, None) => published[(a, b)] * (factor / (1.0 + factor)), // why: width × width
                    (Some(variance), _) if a == b => variance,
                    _ => 0.0,
                }))
            }
            Self::Known(covariance) => {
                check_length("columns with noise", covariance.nrows(), published.nrows())?;
                check_length("columns with noise", covariance.ncols(), published.nrows())?;
                for &variance in covariance.diagonal().iter() {
                    check_spread("the variance of the noise", variance)?;
                }
                Ok(covariance.clone())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_are_no_records() {
        assert!(Records::new(&[1.0, 2.0, 3.0], 2).is_err());
        assert!(Records::new(&[1.0], 0).is_err());
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e101] {
            let values = [1.0, 2.0, 3.0, bad];
            assert_eq!(Records::new(&values, 2).err(), Some(NoiseAttackError::Number { record: 1 }));
        }
        let none = Records::new(&[], 2).unwrap();
        assert!(none.is_empty() && none.means() == [0.0, 0.0]);
        let records = Records::new(&[0.1, 1.0, 0.1, 3.0, 0.1, 5.0], 2).unwrap();
        assert_eq!((records.len(), records.means()), (3, vec![0.1, 3.0]));
    }

    #[test]
    fn the_shapes_of_noise() {
        let published = DMatrix::from_row_slice(2, 2, &[3.0, 1.5, 1.5, 6.0]);
        let half = NoiseShape::Proportional(0.5).covariance(&published).unwrap();
        assert_eq!((half[(0, 0)], half[(0, 1)], half[(1, 1)]), (1.0, 0.5, 2.0));
        let own = NoiseShape::of(&[Noise::Gaussian { deviation: 2.0 }, Noise::Uniform { half_width: 3.0 }]);
        assert_eq!(own, NoiseShape::Independent(vec![4.0, 3.0]));
        assert!(NoiseShape::Independent(vec![1.0]).covariance(&published).is_err());
        assert!(NoiseShape::Independent(vec![1.0, f64::NAN]).covariance(&published).is_err());
        assert!(NoiseShape::Proportional(-1.0).covariance(&published).is_err());
        let mixed = |factor, own| NoiseShape::Mixed { factor, own }.covariance(&published);
        assert_eq!(mixed(0.5, vec![None, None]).unwrap(), half);
        let one = mixed(0.5, vec![None, Some(7.0)]).unwrap();
        assert_eq!((one[(0, 0)], one[(0, 1)], one[(1, 0)], one[(1, 1)]), (1.0, 0.0, 0.0, 7.0));
        assert!(mixed(0.5, vec![None]).is_err() && mixed(f64::NAN, vec![None, None]).is_err());
        assert!(mixed(0.5, vec![None, Some(-1.0)]).is_err());
    }
}
