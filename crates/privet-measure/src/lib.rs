//! How good a release is: utility metrics (survey, section 4).
//!
//! A [`Metric`] is a name; an [`Objective`] is a metric made ready for one table, so that a search can
//! ask two questions of it: what does this candidate cost, and what is the least that any candidate
//! from here on could cost.
#![forbid(unsafe_code)]

mod additive;
pub mod classify;
mod grouped;
mod metric;
mod objective;

pub use additive::Additive;
pub use grouped::{Grouped, GroupedKind, Tally};
pub use metric::Metric;
pub use objective::{Objective, QuasiColumn, ReleasedClass, WeightError};
