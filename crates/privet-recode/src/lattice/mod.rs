//! Full-domain generalization: every quasi column goes to one level of its hierarchy, and records in
//! classes that fail a criterion are suppressed, up to a limit.
//!
//! [`optimal`] finds the candidate that minimizes a metric. See `optimal.rs` for how it prunes and why
//! that is sound for every criterion, monotone or not.

mod columns;
mod engine;
mod intern;
mod judge;
mod key;
mod minimal;
mod optimal;
mod partition;
mod problem;
mod rollup;
mod snapshot;
mod space;

pub use optimal::{Options, optimal};
pub use partition::{Partition, partition};
pub use problem::{Codes, Found, Problem, Quasi, SearchError};
