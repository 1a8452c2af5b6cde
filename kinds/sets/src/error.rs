//! What can go wrong with sets and logs. No message holds a value of the data.

use std::path::{Path, PathBuf};

use privet_data::HierarchyError;
use privet_data::io::ReadError;
use privet_dp::DpError;

/// Why sets could not be read, judged or protected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetsError {
    /// A table could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file could not be opened, read or written.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// A line of a basket file is not text.
    #[error("{}, line {line}: not valid UTF-8; save the file as UTF-8", .path.display())]
    Utf8 {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
    },
    /// A basket has more items than are accepted.
    #[error(
        "{at}: a basket of more than {most} items; nobody buys so much at once, so is the separator right? \
         A higher limit can be set with `most-items`"
    )]
    BasketTooLarge {
        /// Where the basket stands.
        at: String,
        /// The most items of a basket.
        most: usize,
    },
    /// There are more distinct items than numbers for them.
    #[error("at most {most} distinct items are possible")]
    TooManyItems {
        /// The most there may be.
        most: u64,
    },
    /// Cells that must not be missing are.
    #[error("{}: {rows} rows have no {what}; every row needs one", .path.display())]
    Missing {
        /// The file.
        path: PathBuf,
        /// What is missing.
        what: &'static str,
        /// How many rows.
        rows: u64,
    },
    /// Times that cannot be read.
    #[error(
        "{}: {values} distinct times cannot be read; accepted: seconds since 1970, or YYYY-MM-DD with HH:MM or HH:MM:SS after a \
         space or a T, and an optional offset such as Z or +02:00",
        .path.display()
    )]
    Times {
        /// The file.
        path: PathBuf,
        /// How many texts.
        values: u64,
    },
    /// Numbers of people that cannot be read.
    #[error("{}: {rows} rows have no whole number of people; accepted: 0 to 9007199254740992", .path.display())]
    Counts {
        /// The file.
        path: PathBuf,
        /// How many rows.
        rows: u64,
    },
    /// A table has too few columns.
    #[error("{}: {needed}", .path.display())]
    Columns {
        /// The file.
        path: PathBuf,
        /// Which columns are needed.
        needed: &'static str,
    },
    /// A column was named that the table does not have.
    #[error("{}: there is no column `{name}`", .path.display())]
    UnknownColumn {
        /// The file.
        path: PathBuf,
        /// The name.
        name: String,
    },
    /// A hierarchy of items does not fit.
    #[error(transparent)]
    Hierarchy(#[from] HierarchyError),
    /// Items were named that the data does not have.
    #[error("{what} names {items} items that are not in the data")]
    UnknownItems {
        /// The list that names them.
        what: &'static str,
        /// How many.
        items: u64,
    },
    /// An item of a basket lies beyond the catalogue.
    #[error("a basket holds an item beyond the {items} items of the catalogue")]
    NoSuchItem {
        /// The number of items.
        items: usize,
    },
    /// A parameter is out of range.
    #[error("`{key}` must be {accepted}")]
    Parameter {
        /// The parameter.
        key: &'static str,
        /// What would be accepted.
        accepted: &'static str,
    },
    /// There are fewer baskets than a criterion needs.
    #[error("k = {k} cannot be reached with {baskets} baskets; use at most {baskets}")]
    Unreachable {
        /// What was asked.
        k: u64,
        /// How many baskets hold anything.
        baskets: u64,
    },
    /// More was suppressed than was allowed.
    #[error(
        "the policies hold only when {needed} items are suppressed, and at most {allowed} may be; allow more, ask for a smaller \
         k, or let more items be generalized together"
    )]
    Suppression {
        /// Items that would have to go.
        needed: u64,
        /// The most that may.
        allowed: u64,
    },
    /// An exact computation would take too much.
    #[error("{what} takes more than {most} steps on this data; {advice}")]
    TooLarge {
        /// The computation.
        what: &'static str,
        /// The limit.
        most: u64,
        /// What to do instead.
        advice: &'static str,
    },
    /// A method produced sets that fail their own criterion. Nothing is published.
    #[error(
        "{method} produced sets that fail {criterion}; this is a defect of the program, and nothing was published"
    )]
    Unproven {
        /// The method.
        method: &'static str,
        /// The criterion.
        criterion: &'static str,
    },
    /// Differential privacy refused.
    #[error(transparent)]
    Dp(#[from] DpError),
    /// The person asked to stop.
    #[error(transparent)]
    Cancelled(#[from] privet_data::Cancelled),
}

impl SetsError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }
}

/// Refuses a parameter outside its range.
pub(crate) fn require(holds: bool, key: &'static str, accepted: &'static str) -> Result<(), SetsError> {
    if holds { Ok(()) } else { Err(SetsError::Parameter { key, accepted }) }
}
