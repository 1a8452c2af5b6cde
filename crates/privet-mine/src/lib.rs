//! Models that are safe to publish, rules that hide, questions that are audited.
//!
//! ```
//! use privet_mine::audit::{AuditQuestion, Function};
//!
//! let question = AuditQuestion::parse("select max(cost) from data where ward = 'B'")?;
//! assert_eq!((question.function, question.column.as_deref()), (Function::Max, Some("cost")));
//! # Ok::<(), privet_mine::audit::AuditQuestionError>(())
//! ```
#![forbid(unsafe_code)]

pub mod audit;
pub mod bayes;
pub mod cluster;
pub mod error;
#[cfg(test)]
mod fixtures;
pub mod hide;
pub mod rules;
mod schema;
mod span;
pub mod tree;

pub use error::{CriterionProblem, ExactProblem, MineError, PeopleProblem, RuleProblem};
pub use schema::{
    Attribute, AttributeDomain, Cell, ClassAttribute, Examples, Level, Schema, Values, Visibility,
};
pub use span::{Link, Release, SpanOracle, SpanPopulation, Verdict, Violation};

/// The example of the README is run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
