//! What can go wrong with traces. No message holds a value of the data.

use std::path::PathBuf;

use privet_criteria::CriterionError;
use privet_data::io::ReadError;
use privet_dp::DpError;

/// Why traces could not be read, judged or anonymized.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// A table of points could not be read.
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
    /// A GeoJSON file is not JSON.
    #[error("{}, line {line}: not JSON; a FeatureCollection of LineString or Point features is accepted", .path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
    },
    /// A GeoJSON file is JSON and no collection of traces.
    #[error("{}, feature {feature}: {problem}", .path.display())]
    GeoJson {
        /// The file.
        path: PathBuf,
        /// The position of the feature, from 1.
        feature: usize,
        /// What is wrong and what would be accepted.
        problem: &'static str,
    },
    /// No column could be taken for a part of a point.
    #[error("{}: no column holds the {part}; name it with `{key}`; the columns are {}", .path.display(), .names.join(", "))]
    NoColumn {
        /// The file.
        path: PathBuf,
        /// Object, time, or a coordinate.
        part: &'static str,
        /// The option that names the column.
        key: &'static str,
        /// All columns.
        names: Vec<String>,
    },
    /// Cells of a column are not what they should be.
    #[error("{}, column {column}: {rows} rows hold {problem}, the first is row {first}; {accepted}", .path.display())]
    Cells {
        /// The file.
        path: PathBuf,
        /// The name of the column.
        column: String,
        /// How many rows.
        rows: u64,
        /// The first of them, from 1.
        first: u64,
        /// What they hold.
        problem: &'static str,
        /// What would be accepted.
        accepted: &'static str,
    },
    /// The time of an object goes back from one row to the next.
    #[error(
        "{rows} points of {objects} objects lie earlier than the point before them; sort the rows of each object by time, \
         or set sort = true"
    )]
    TimeRunsBackwards {
        /// How many points.
        rows: u64,
        /// Of how many objects.
        objects: u64,
    },
    /// Two points of an object have one time.
    #[error(
        "{rows} points have the time of the point before them of the same object; accepted: same-time = \"keep-first\" or \
         \"spread\""
    )]
    SameTime {
        /// How many points.
        rows: u64,
    },
    /// Positions lie outside of what coordinates can say.
    #[error("{points} positions lie {problem}; {accepted}")]
    OutOfRange {
        /// How many positions.
        points: u64,
        /// Where they lie.
        problem: &'static str,
        /// What would be accepted.
        accepted: &'static str,
    },
    /// A parameter is out of range.
    #[error("`{key}` must be {accepted}")]
    Parameter {
        /// The parameter.
        key: &'static str,
        /// What would be accepted.
        accepted: &'static str,
    },
    /// There are fewer traces than a group needs.
    #[error("k = {k} cannot be reached with {objects} {what}; use at most {objects}")]
    Unreachable {
        /// What was asked.
        k: u64,
        /// How many there are.
        objects: u64,
        /// What is counted.
        what: &'static str,
    },
    /// More was to be suppressed than allowed.
    #[error(
        "{suppressed} of {all} {what} would have to be suppressed, and at most {allowed} may be; allow more suppression, a \
         larger radius or a smaller k"
    )]
    TooMuchSuppression {
        /// How many.
        suppressed: u64,
        /// Of how many.
        all: u64,
        /// How many may be.
        allowed: u64,
        /// What is suppressed.
        what: &'static str,
    },
    /// A list has another length than it must have.
    #[error("{what} must have one value for each of the {count} {of}")]
    Length {
        /// The list.
        what: &'static str,
        /// How many values are needed.
        count: usize,
        /// For what.
        of: &'static str,
    },
    /// Two sets of traces do not belong together.
    #[error("{what}")]
    Mismatch {
        /// What does not agree and what would be accepted.
        what: &'static str,
    },
    /// The computation would take too long or too much memory.
    #[error("{what} has more than {most} parts; {accepted}")]
    TooLarge {
        /// The computation.
        what: &'static str,
        /// The limit.
        most: u64,
        /// What would be accepted.
        accepted: &'static str,
    },
    /// There is nothing to work on.
    #[error("there are no {what}")]
    Empty {
        /// What is missing.
        what: &'static str,
    },
    /// A criterion could not be bound.
    #[error(transparent)]
    Criterion(#[from] CriterionError),
    /// Differential privacy refused.
    #[error(transparent)]
    Dp(#[from] DpError),
    /// The person asked to stop.
    #[error(transparent)]
    Cancelled(#[from] privet_data::Cancelled),
}

impl TraceError {
    pub(crate) fn io(path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }

    pub(crate) fn parameter(key: &'static str, accepted: &'static str) -> Self {
        Self::Parameter { key, accepted }
    }
}
