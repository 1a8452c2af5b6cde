//! Why a private question was not answered. No message holds a value of the data, or of the question.

use privet_data::io::ReadError;
use privet_data::{Cancelled, HierarchyError};
use privet_dp::DpError;
use privet_dp::ledger::LedgerError;
use privet_measure::answer::QuestionError;
use privet_mine::MineError;
use privet_mine::audit::{AuditError, LogError};

use privet_job::{JobError, Outcome, outcome_of_reading};

const ACCEPTED: &str = "accepted is `select count(*), count(COLUMN), sum(COLUMN), avg(COLUMN), median(COLUMN), \
    quantile(COLUMN, 0.9), smooth_median(COLUMN), variance(COLUMN), stddev(COLUMN), count(distinct COLUMN) from data where … group by COLUMN order by FIGURE desc limit 5`, and counts \
    by `grouping sets`, `cube` or `rollup`, with =, <>, <, <=, >, >=, \
    between, in (…), like, is null, and, or, not";

/// Why a private question was not answered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// The question is none that can be answered.
    #[error("{}", in_words(.0))]
    Question(#[from] QuestionError),
    /// Something that must be declared is not, or makes no sense.
    #[error("{0}")]
    Declaration(String),
    /// The job file.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The data.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A hierarchy of the job file, whose leaves are the keys of a column.
    #[error("`columns.{column}.hierarchy`: {source}")]
    Hierarchy {
        /// The column.
        column: String,
        /// What is wrong with it.
        source: HierarchyError,
    },
    /// There is no account to charge.
    #[error(
        "there is no account `{account}` in {ledger} to charge; its owner decides on a total budget once, as in \
         `privet ledger open {command} --epsilon 3`"
    )]
    NoAccount {
        /// The account.
        account: String,
        /// Where it was looked for.
        ledger: String,
        /// What follows `privet ledger open`.
        command: String,
    },
    /// The person asked to stop before anything was charged.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The person asked to stop after the charge.
    #[error(
        "stopped on request; the question was charged already, as entry {entry} of the ledger, and what it paid for is lost"
    )]
    Stopped {
        /// The number of the ledger's entry.
        entry: u64,
    },
    /// An auditor could not decide.
    #[error(transparent)]
    Audit(#[from] AuditError),
    /// A mechanism or the ledger refused.
    #[error(transparent)]
    Private(#[from] DpError),
}

impl From<LedgerError> for QueryError {
    fn from(error: LedgerError) -> Self {
        Self::Private(error.into())
    }
}

fn in_words(error: &QuestionError) -> String {
    match error {
        QuestionError::Syntax { place } => format!("the question cannot be read as SQL{place}; {ACCEPTED}"),
        QuestionError::Unsupported { construct, place } => {
            format!("the question uses {construct}{place}, which cannot be answered privately; {ACCEPTED}")
        }
        other => other.to_string(),
    }
}

impl QueryError {
    /// What a pipeline should make of it.
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Private(DpError::Ledger(LedgerError::Insufficient { .. })) => Outcome::Budget,
            Self::Private(DpError::Ledger(LedgerError::Broken { .. } | LedgerError::Foreign)) => {
                Outcome::Refused
            }
            Self::Private(
                DpError::Ledger(LedgerError::Storage(_) | LedgerError::Locked { .. } | LedgerError::Moved)
                | DpError::Generator,
            ) => Outcome::Resources,
            Self::Private(DpError::Ledger(LedgerError::Stopped)) => Outcome::Stopped,
            Self::Audit(AuditError::Log(LogError::Io(_) | LogError::Locked)) => Outcome::Resources,
            Self::Audit(AuditError::Log(LogError::Terms { .. })) => Outcome::BadInput,
            Self::Audit(AuditError::Log(_)) => Outcome::Refused,
            Self::Audit(AuditError::Query(MineError::Cancelled(_))) => Outcome::Stopped,
            Self::Read(error) => outcome_of_reading(error),
            Self::Job(error) if error.is_resources() => Outcome::Resources,
            Self::Cancelled(_) | Self::Stopped { .. } => Outcome::Stopped,
            _ => Outcome::BadInput,
        }
    }
}
