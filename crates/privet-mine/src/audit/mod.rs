//! Auditing of exact answers: which questions may be answered before somebody's value is determined (papers T-AL11, FX-T9).
//!
//! Every auditor here is *simulatable*: it decides from the questions and the answers that were given, never from the values, so
//! a denial tells nothing. [`SumAuditor`] guards sums, averages and linear counts, [`ExtremeAuditor`] maxima or minima, [`Control`] limits
//! sizes and overlaps, [`ProbableAuditor`] bounds how much sums shift beliefs under named assumptions. [`Session`] puts them in
//! front of a column, [`AuditedTable`] in front of a table that is asked in SQL, per group of analysts who may talk to each other, and
//! [`AuditLog`] keeps what a session decided.
//!
//! # Guarantee
//! Under full disclosure (a value is determined or it is not; values are real numbers without known bounds): no set of
//! answers of one session determines the value of one person. Nothing is promised about values that become likely, nor against
//! analysts of different groups who pool their answers.

mod control;
mod declared;
mod exact;
mod extreme;
mod log;
mod modular;
mod probable;
mod question;
mod session;
mod state;
mod sum;
mod table;

pub use control::Control;
pub use declared::{AuditDeclarations, DeclarationProblem};
pub use extreme::ExtremeAuditor;
pub use log::{AuditLog, LogEntry, LogError, TermProblem};
pub use probable::{Assumptions, ProbableAuditor};
pub use question::{AuditQuestion, AuditQuestionError};
pub use session::{Groups, Reply, Session, SessionError};
pub use state::AuditState;
pub use sum::SumAuditor;
pub use table::{AuditError, AuditTerms, Audited, AuditedLog, AuditedTable, Pending};

use serde::{Deserialize, Serialize};

use crate::MineError;

/// What is asked about a group of people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Function {
    /// The sum of their values.
    Sum,
    /// Their mean; the number of people is public, so it tells what their sum tells.
    Average,
    /// How many of them have a property: the sum of zeros and ones.
    Count,
    /// Their largest value.
    Max,
    /// Their smallest value.
    Min,
}

/// A question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// What is asked.
    pub function: Function,
    /// The people, as ascending positions.
    pub people: Vec<u32>,
}

/// What an auditor decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// The question may be answered.
    Answer,
    /// It may not.
    Deny(Denial),
}

/// Why a question is not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Denial {
    /// With the answers that were given, the answer would determine a value.
    #[error("answering would determine a single person's value")]
    Determines,
    /// Some answer that the data may have would determine a value.
    #[error("an answer that is possible would determine a single person's value")]
    CouldDetermine,
    /// It follows from earlier answers for all that could be found, and the proof that it does was too large.
    #[error(
        "the question follows from earlier ones, but this could not be proven exactly; nothing new would be learned"
    )]
    Unproven,
    /// The probability of somebody's value would shift too much.
    #[error("answering could shift the probability of a single person's value by more than was agreed")]
    Shifts,
    /// Too few people.
    #[error("the question is about fewer people than is allowed")]
    TooFew,
    /// Nearly all people.
    #[error("the question leaves out fewer people than is allowed")]
    TooMany,
    /// Too many people in common with an earlier question.
    #[error("the question shares more people with an earlier one than is allowed")]
    Overlap,
    /// No further question is safe.
    #[error("the number of questions that are safe together is used up")]
    Exhausted,
    /// Sums and extremes of one column are not audited together.
    #[error(
        "earlier questions about this column asked another kind of function; these are not audited together"
    )]
    OtherFunction,
}

impl Query {
    /// A question about people in any order.
    pub fn new(function: Function, mut people: Vec<u32>) -> Self {
        people.sort_unstable();
        people.dedup();
        Self { function, people }
    }

    fn check(&self, people: usize) -> Result<(), MineError> {
        let ascends = self.people.windows(2).all(|pair| pair[0] < pair[1]);
        if self.people.is_empty() || !ascends {
            return Err(MineError::People { reason: crate::error::PeopleProblem::Order });
        }
        match self.people.last().is_some_and(|&last| last as usize >= people) {
            true => Err(MineError::People { reason: crate::error::PeopleProblem::Unknown }),
            false => Ok(()),
        }
    }
}
