//! Exit codes that a pipeline can gate on, and failures that carry one.

use privet_job::{Outcome, RunError};

/// Done.
pub const DONE: u8 = 0;
/// The gate said no: a promise does not hold.
pub const REFUSED: u8 = 1;
/// Bad input or usage.
pub const BAD_INPUT: u8 = 2;
/// The privacy budget does not suffice.
pub const NO_BUDGET: u8 = 3;
/// Resources: disk, memory, a search space too large.
pub const RESOURCES: u8 = 4;
/// Stopped by Ctrl-C, as shells count it.
pub const STOPPED: u8 = 130;

/// Why a verb failed.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub code: u8,
    /// The message.
    pub message: String,
}

impl Failure {
    /// Bad input or usage.
    pub fn bad_input(message: impl ToString) -> Self {
        Self { code: BAD_INPUT, message: message.to_string() }
    }

    /// Something ran out, or the system refused.
    pub fn resources(message: impl ToString) -> Self {
        Self { code: RESOURCES, message: message.to_string() }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        Self { code: code_of(error.outcome()), message: error.to_string() }
    }
}

/// The exit code of an outcome.
pub fn code_of(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Refused => REFUSED,
        Outcome::BadInput => BAD_INPUT,
        Outcome::Budget => NO_BUDGET,
        Outcome::Resources => RESOURCES,
        Outcome::Stopped => STOPPED,
    }
}
