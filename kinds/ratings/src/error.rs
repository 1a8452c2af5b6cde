//! What can go wrong with ratings. No message holds a value of the data.

use std::path::PathBuf;

use privet_data::io::ReadError;

/// Why ratings could not be read, judged or published.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RatingsError {
    /// A table could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A table of triples has too few columns.
    #[error("{}: triples need a column of users, one of items and one of ratings; the table has {columns} columns", .path.display())]
    TooFewColumns {
        /// The file.
        path: PathBuf,
        /// How many columns there are.
        columns: usize,
    },
    /// Rows of a table name no user or no item.
    #[error("{}: {rows} rows have no user or no item; every rating needs both", .path.display())]
    MissingIds {
        /// The file.
        path: PathBuf,
        /// How many rows.
        rows: u64,
    },
    /// Rows of a wide matrix have the same user.
    #[error("{}: {rows} rows repeat the user of another row; every user stands in a matrix once", .path.display())]
    RepeatedUsers {
        /// The file.
        path: PathBuf,
        /// How many rows.
        rows: u64,
    },
    /// Ratings are not on the scale.
    #[error(
        "{}: {rows} ratings are not on the scale from {low} to {high} in steps of {step}; correct them, or declare another scale",
        .path.display()
    )]
    OffScale {
        /// The file.
        path: PathBuf,
        /// How many ratings.
        rows: u64,
        /// The lowest rating.
        low: f64,
        /// The highest rating.
        high: f64,
        /// The distance between two ratings.
        step: f64,
    },
    /// Times cannot be read.
    #[error(
        "{}: {rows} times are neither dates (YYYY-MM-DD) nor whole numbers; correct them, or read the ratings without times",
        .path.display()
    )]
    Times {
        /// The file.
        path: PathBuf,
        /// How many ratings.
        rows: u64,
    },
    /// Nothing is left to work with.
    #[error("there are no ratings{of}; at least one user with one rating is needed")]
    Empty {
        /// Of what.
        of: &'static str,
    },
    /// An item is named that nobody rated.
    #[error("{items} of the sensitive items are not in the data; name items as they stand in the data")]
    UnknownItems {
        /// How many.
        items: usize,
    },
    /// Lists that belong together have different lengths.
    #[error("{what} must have one entry for each rating")]
    Length {
        /// The list.
        what: &'static str,
    },
    /// A number lies beyond what it counts.
    #[error("a rating names a user, an item or a tick beyond the declared ones")]
    OutOfRange,
    /// A parameter is out of range.
    #[error("`{key}` must be {accepted}")]
    Parameter {
        /// The parameter.
        key: &'static str,
        /// What would be accepted.
        accepted: &'static str,
    },
    /// There are fewer users than a group needs.
    #[error("k = {k} cannot be reached with {users} users; use at most {users}")]
    Unreachable {
        /// What was asked.
        k: u64,
        /// How many users there are.
        users: u64,
    },
    /// An exact computation would take too long.
    #[error("{what} is exact for at most {most} users; use the heuristic for more")]
    TooLarge {
        /// The computation.
        what: &'static str,
        /// The limit.
        most: usize,
    },
    /// A matrix of all pairs would not fit into memory.
    #[error(
        "the matrix of all pairs takes {needed} bytes, and {limit} are accepted; use slicing, which needs none"
    )]
    Memory {
        /// What it takes.
        needed: u64,
        /// What is accepted.
        limit: u64,
    },
    /// Two data sets do not belong together.
    #[error("{what}")]
    Mismatch {
        /// What does not fit and what would be accepted.
        what: &'static str,
    },
    /// The person asked to stop.
    #[error(transparent)]
    Cancelled(#[from] privet_data::Cancelled),
}
