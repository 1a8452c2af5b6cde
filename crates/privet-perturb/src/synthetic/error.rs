//! Why nothing can be synthesized. No message holds a value of the data.

use privet_measure::ipf::FitError;

use crate::PerturbError;

/// What is wrong, and what would be accepted. Columns and records are counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SyntheticError {
    /// Columns have different lengths.
    #[error("column {column} has {found} records where the first has {expected}")]
    Length {
        /// The column.
        column: usize,
        /// Its records.
        found: usize,
        /// Those of the first column.
        expected: usize,
    },
    /// A code that stands for nothing.
    #[error("record {record} of column {column} has a code outside of its {categories} categories")]
    Code {
        /// The column.
        column: usize,
        /// The record.
        record: usize,
        /// The categories of the column.
        categories: usize,
    },
    /// A value that cannot be computed with.
    #[error(
        "record {record} of column {column} has a value that is neither missing nor between -1e100 and 1e100"
    )]
    Number {
        /// The column.
        column: usize,
        /// The record.
        record: usize,
    },
    /// A column that there is not.
    #[error("there is no column {column}; there are {columns}, counted from 0")]
    Column {
        /// The column.
        column: usize,
        /// The columns.
        columns: usize,
    },
    /// A column is named twice.
    #[error("column {column} is named twice; name it once")]
    Repeated {
        /// The column.
        column: usize,
    },
    /// A full synthesis must make every column.
    #[error("the order names {found} columns where all {expected} are needed")]
    Order {
        /// The columns that are named.
        found: usize,
        /// The columns.
        expected: usize,
    },
    /// A record that there is not, or one that is not behind the one before it.
    #[error("records must be counted from 0, below {records}, each named once and in rising order")]
    Record {
        /// The records.
        records: usize,
    },
    /// There is nothing to work on.
    #[error("there is no {what}; at least one is needed")]
    Empty {
        /// Of what there is none.
        what: &'static str,
    },
    /// A parameter is out of its range.
    #[error("{name} must be {accepted}")]
    Parameter {
        /// Its name.
        name: &'static str,
        /// What would be accepted.
        accepted: &'static str,
    },
    /// A method that works on numbers only.
    #[error("column {column} has categories; {method} makes numbers: leave it out, or use trees")]
    Categories {
        /// The column.
        column: usize,
        /// The method.
        method: &'static str,
    },
    /// A method that needs every value.
    #[error("column {column} has missing values, which {method} cannot use: impute them first, or use trees")]
    Missing {
        /// The column.
        column: usize,
        /// The method.
        method: &'static str,
    },
    /// Fewer records than parameters.
    #[error(
        "column {column} has {found} records to learn from where its model needs {needed}: give more records, make fewer columns, or use trees"
    )]
    TooFew {
        /// The column.
        column: usize,
        /// The records with a known value.
        found: usize,
        /// How many are needed.
        needed: usize,
    },
    /// Records that determine what is fitted to them.
    #[error(
        "column {column} would be published nearly as it is for {records} records: nobody is like them in the columns that are kept, \
         and what is fitted to them is their own value. Leave out the column in which they stand apart, or use trees"
    )]
    Determined {
        /// The column that is made.
        column: usize,
        /// How many records.
        records: usize,
    },
    /// More than memory and patience allow.
    #[error("{what} would be {found}; at most {most} are possible")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// Its size.
        found: usize,
        /// The most that is possible.
        most: usize,
    },
    /// A method that does not do what the plan asks for.
    #[error("{method} {accepted}")]
    Scope {
        /// The method.
        method: &'static str,
        /// What it does.
        accepted: &'static str,
    },
    /// Margins to which no joint table can be fitted.
    #[error("the margins cannot be fitted: {0}")]
    Margins(#[from] FitError),
    /// A matrix could not be decomposed.
    #[error(
        "the columns could not be decomposed; leave out those whose numbers differ by many orders of magnitude"
    )]
    Decomposition,
    /// The source of randomness failed.
    #[error(transparent)]
    Perturb(#[from] PerturbError),
}
