//! Why something cannot be randomized or estimated. No message holds a value of the data.

/// What is wrong, and what would be accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PerturbError {
    /// A parameter is out of its range.
    #[error("{name} must be {accepted}")]
    Parameter {
        /// Its name.
        name: &'static str,
        /// What would be accepted.
        accepted: &'static str,
    },
    /// Two lists that belong together have different lengths.
    #[error("there are {found} {what} where {expected} are needed")]
    Length {
        /// Of what.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there must be.
        expected: usize,
    },
    /// A code that stands for nothing.
    #[error("record {} has a code outside of the domain, which has {domain} values", .record + 1)]
    Code {
        /// The record, counted from 0; told to people counted from 1.
        record: usize,
        /// The values of the domain.
        domain: usize,
    },
    /// A value that cannot be computed with.
    #[error("record {} has a value that is not a finite number between -1e100 and 1e100", .record + 1)]
    Number {
        /// The record, counted from 0; told to people counted from 1.
        record: usize,
    },
    /// A row that is no distribution.
    #[error("row {} of the matrix must hold probabilities, from 0 to 1, with the sum 1", .row + 1)]
    NotStochastic {
        /// The row, counted from 0; told to people counted from 1.
        row: usize,
    },
    /// Outputs do not determine what they were made of.
    #[error(
        "the matrix cannot be inverted: different originals look alike after it; use one that keeps more"
    )]
    Singular,
    /// There is nothing to work on.
    #[error("there is no {what}; at least one is needed")]
    Empty {
        /// Of what there is none.
        what: &'static str,
    },
    /// No value could have come from the intervals and the noise that are given.
    #[error(
        "no value can come from the given intervals with the given noise: widen the intervals or check the noise"
    )]
    Unreachable,
    /// More than memory and patience allow.
    #[error("{what} would be {found}; at most {most} are possible")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// Its size.
        found: usize,
        /// The most that is possible.
        most: usize,
    },
    /// The generator of the operating system failed.
    #[error("the operating system gave no randomness; nothing was drawn")]
    NoRandomness,
}

/// The largest number that is computed with: its square, and sums of squares, are still numbers.
pub(crate) const MOST: f64 = 1e100;

/// Whether a value can be computed with.
pub(crate) fn is_number(value: f64) -> bool {
    value.abs() <= MOST
}

/// Refuses values that cannot be computed with; `width` values make a record.
pub(crate) fn check_numbers(values: &[f64], width: usize) -> Result<(), PerturbError> {
    match values.iter().position(|&value| !is_number(value)) {
        Some(place) => Err(PerturbError::Number { record: place / width.max(1) }),
        None => Ok(()),
    }
}

/// Refuses what is no probability.
pub(crate) fn check_probability(name: &'static str, value: f64) -> Result<(), PerturbError> {
    if (0.0..=1.0).contains(&value) {
        Ok(())
    } else {
        Err(PerturbError::Parameter { name, accepted: "from 0 to 1" })
    }
}
