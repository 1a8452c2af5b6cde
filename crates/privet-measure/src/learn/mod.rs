//! Regression on released records (survey US-10, US-11).
//!
//! A [`Design`] turns released records into features in terms of leaves, as `classify` does: a category is one
//! feature for each leaf, a number is itself. What a released cell that covers several leaves becomes
//! is a [`Reading`]: by default the mean over its leaves, which is leaf sampling (US-11 i) carried to its end.
//!
//! [`LinearRegression`] tells a number, with standard errors; [`LogisticRegression`] tells a class and is a
//! [`Classifier`](crate::classify::Classifier), so that it can stand beside naive Bayes and decision trees in the
//! same protocol of training and testing.

mod coefficient;
mod design;
mod linear;
mod logistic;
mod singular;

pub use coefficient::{Coefficient, Term};
pub use design::{Design, MOST_FEATURES, Reading, Scale};
pub use linear::LinearRegression;
pub use logistic::{LogisticOptions, LogisticRegression};

/// Why nothing can be learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LearnError {
    /// Columns have different lengths.
    #[error("column {column} has {found} records where the first has {expected}")]
    Length {
        /// The column, counted from 0.
        column: usize,
        /// Its records.
        found: usize,
        /// Those of the first column.
        expected: usize,
    },
    /// A code has no leaves, or leaves that the column does not have.
    #[error("column {column} has a code without a span of its leaves")]
    Span {
        /// The column, counted from 0.
        column: usize,
    },
    /// Each column needs one scale.
    #[error("there are {columns} columns, but {scales} scales")]
    Scales {
        /// The columns.
        columns: usize,
        /// The scales.
        scales: usize,
    },
    /// The numbers of a column are not those of its leaves.
    #[error("column {column} needs one finite number of at most 1e100 for each leaf")]
    Numbers {
        /// The column, counted from 0.
        column: usize,
    },
    /// Too many features to solve for.
    #[error(
        "there would be {features} features; at most {MOST_FEATURES} are possible: use coarser categories"
    )]
    Features {
        /// The features.
        features: usize,
    },
    /// What is to be learned has another length than the records.
    #[error("there are {records} records, but {targets} values to learn")]
    Targets {
        /// The records.
        records: usize,
        /// The values.
        targets: usize,
    },
    /// What is to be learned is no number.
    #[error("the value to learn of record {record} is not finite, or beyond 1e100")]
    Target {
        /// The record, counted from 0.
        record: usize,
    },
    /// Nothing to learn from.
    #[error("there is no record to learn from")]
    NoRecords,
    /// A matrix could not be decomposed.
    #[error(
        "the features could not be decomposed; leave out columns whose numbers differ by many orders of magnitude"
    )]
    Decomposition,
}
