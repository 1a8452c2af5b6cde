//! How good a release is: utility metrics (survey, section 4).
//!
//! A [`Metric`] is a name; an [`Objective`] is a metric made ready for one table, so that a search can
//! ask two questions of it: what does this candidate cost, and what is the least that any candidate
//! from here on could cost.
//!
//! [`utility`] compares a finished release with its original; [`counting`] tells what people may have who share out the values of a group. [`risk`] measures the other side: how likely people are to be found again. [`classify`], [`learn`], [`ipf`], [`masked`]
//! and [`combine`] use what was released, as its readers would (survey, section 5).
//!
//! ```
//! use privet_measure::answer::{Aggregate, Question};
//!
//! let question = Question::parse("select avg(cost) from data where age between 20 and 30")?;
//! assert_eq!(question.select[0].aggregate, Aggregate::Average("cost".into()));
//! # Ok::<(), privet_measure::answer::QuestionError>(())
//! ```
#![forbid(unsafe_code)]

mod additive;
pub mod answer;
pub mod classify;
pub mod combine;
pub mod counting;
pub mod exact;
mod grouped;
pub mod ipf;
pub mod learn;
pub mod masked;
mod metric;
mod objective;
#[cfg(test)]
mod random;
pub mod risk;
mod special;
pub mod utility;

pub use additive::Additive;
pub use grouped::{Grouped, GroupedKind, Tally};
pub use metric::Metric;
pub use objective::{Objective, QuasiColumn, ReleasedClass, WeightError};
