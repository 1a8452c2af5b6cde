//! Questions to a release, in SQL about the people behind it.

pub use privet_measure::answer::{Answer, AnswerError, Question};

/// An answer, and what to know about it.
#[derive(Debug, Clone, PartialEq)]
pub struct ReleaseAnswer {
    /// The answer.
    pub answer: Answer,
    /// What to know about it: full sentences.
    pub notes: Vec<String>,
}

/// Why a release does not answer a question.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoAnswer {
    /// Its kind answers none.
    #[error(
        "releases of this kind answer no questions: they publish no records that could be counted; read their files with your own tools"
    )]
    Unsupported,
    /// The question does not fit the release.
    #[error(transparent)]
    Question(#[from] AnswerError),
}
