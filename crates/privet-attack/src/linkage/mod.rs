//! Probabilistic record linkage (survey AT-24; Fellegi and Sunter, 1969): linking when values contain errors, so that
//! the true record of somebody need not agree in every column.
//!
//! Every pair of a record and a person (within the same block) shows a *pattern*: per column a level of agreement
//! (`patterns.rs`). Among true matches level l of column c has probability m, among others u; columns are taken for
//! independent given which of both it is. The three unknowns (m, u, and the share of matches) are estimated from the
//! counts of patterns alone, without a single known match, by expectation and maximization (`estimate.rs`). The weight
//! of a pair is the sum of log2(m/u); pairs are assigned one to one by weight (`assign.rs`; `ties.rs` where the order of
//! records must not count), and accepted, set aside or rejected by thresholds that keep wanted error rates (`decide.rs`).
//! How probable a link is counts that nobody has two (`one_to_one.rs`). More pairs than can be listed are counted, and only
//! those that matter are listed (`tally.rs`).
//!
//! **Guarantee.** The likelihood never falls from one round to the next. Results depend on the input alone.
//!
//! **What it is not.** Estimates hold as far as the model does; dependent columns make them too sure. When few
//! people of the list are in the table, the best partner of most is somebody else, and most links are false: what Blien
//! and others found, and what [`Linkage::estimated_false`] and [`Linkage::against`] report.

mod assign;
mod decide;
mod estimate;
mod one_to_one;
mod patterns;
mod tally;
mod ties;

pub use assign::{Assignment, Link, MOST_OPTIMAL, assign};
pub use decide::{Decision, Linkage, LinkageTruth, Rates, Thresholds, decide};
pub use estimate::{Estimation, Options, estimate};
pub use patterns::{Compared, MISSING, MOST_PAIRS, Pairs, compare};
pub use tally::{MOST_TALLIED, Tally, listed, tally};
pub use ties::{Untied, untied};

/// Why tables cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LinkageError {
    /// Columns of different lengths.
    #[error(
        "compared column {column} has {found} rows on one side; {expected} are expected, as in the first column"
    )]
    Rows {
        /// The position of the column.
        column: usize,
        /// Its rows.
        found: usize,
        /// Those of the first column.
        expected: usize,
    },
    /// There is nothing to compare.
    #[error("no column is compared; name at least one")]
    NoColumn,
    /// Blocks are formed by a column that has no codes in common.
    #[error(
        "blocks cannot be formed by compared column {column}; name columns that are compared by their codes"
    )]
    Block {
        /// The position that was asked for.
        column: usize,
    },
    /// Too many pairs.
    #[error(
        "{pairs} pairs of a record and a person would be compared, more than {most}; give fewer people, or more of their columns"
    )]
    TooManyPairs {
        /// How many.
        pairs: u128,
        /// How many are possible.
        most: usize,
    },
    /// Too many patterns.
    #[error("the levels of the columns make more than {most} patterns; compare fewer columns or levels")]
    TooManyPatterns {
        /// How many are possible.
        most: u32,
    },
    /// A rate is out of range.
    #[error("an error rate must be between 0 and 1")]
    Rate,
}
