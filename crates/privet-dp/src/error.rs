//! What can go wrong. No message holds a value of the data.

/// Why no private answer was given.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DpError {
    /// A privacy parameter makes no sense.
    #[error("{parameter} is not acceptable: {accepted}")]
    Parameter {
        /// Which one.
        parameter: &'static str,
        /// What would be accepted.
        accepted: &'static str,
    },
    /// The problem is larger than this method can do.
    #[error("{what} is too large: at most {most} is possible")]
    TooLarge {
        /// What.
        what: &'static str,
        /// The limit.
        most: u64,
    },
    /// The data does not fit what was declared. Says nothing about which record.
    #[error("the data does not fit its declaration: {0}")]
    Declaration(&'static str),
    /// The random generator failed; nothing was released.
    #[error("the generator of random numbers failed, so nothing was released; try again on a healthy system")]
    Generator,
    /// The number of questions is used up.
    #[error("all {limit} questions of this session have been asked; open another one with its own budget")]
    NoQuestionsLeft {
        /// How many there were.
        limit: u64,
    },
    /// The linear program has no usable solution.
    #[error(
        "the linear program found no table; publish the noisy coefficients as they are, or ask for fewer marginals"
    )]
    NoTable,
    /// The ledger refused or failed.
    #[error(transparent)]
    Ledger(#[from] crate::ledger::LedgerError),
}

impl DpError {
    pub(crate) fn parameter(parameter: &'static str, accepted: &'static str) -> Self {
        Self::Parameter { parameter, accepted }
    }
}
