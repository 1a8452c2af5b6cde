//! Exit codes that a pipeline can gate on, and failures that carry one.

use std::path::Path;

use privet_job::{Outcome, RunError, ran_out};

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

/// What an exit code means, in a word.
pub fn word(code: u8) -> &'static str {
    match code {
        DONE => "done",
        REFUSED => "refused",
        BAD_INPUT => "bad-input",
        NO_BUDGET => "no-budget",
        RESOURCES => "resources",
        _ => "stopped",
    }
}

/// Every exit code with what it means, for manual pages.
pub const ALL: [(u8, &str); 6] = [
    (DONE, "done"),
    (REFUSED, "the gate said no: a promise does not hold, or an attack succeeds"),
    (BAD_INPUT, "bad input or usage"),
    (NO_BUDGET, "the privacy budget does not suffice"),
    (RESOURCES, "resources: disk, memory, a search space too large"),
    (STOPPED, "stopped by a signal"),
];

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

    /// A file that the system did not let us read or write: bad input, unless something ran out.
    pub fn io(path: &Path, problem: &str, error: &std::io::Error) -> Self {
        let code = if ran_out(error) { RESOURCES } else { BAD_INPUT };
        Self { code, message: format!("{}: {problem}: {error}", path.display()) }
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
