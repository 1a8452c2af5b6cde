//! Answers from released data (survey US-01 to US-04): counts, sums and averages, each with an expectation and bounds.
//!
//! A [`Question`] is asked of [`Records`], a release in codes. Two kinds of uncertainty are in a release: a label stands
//! for several values, and in a bucketized release it is not known who in a bucket has which sensitive value.
//!
//! **Bounds are certain.** `at_least` and `at_most` hold for every table that could have become this release, as far as
//! the labels are read rightly: a record is counted for certain when all values behind its labels meet the condition,
//! and possibly when some do; in buckets, the numbers of matching records and of matching values are combined. For counts,
//! `at_most` includes the suppressed records, each of which may have met the condition. Sums and averages are of the
//! published records alone, because nothing bounds what a suppressed record held.
//!
//! **Expectations are estimates.** All values behind a label are taken as equally likely (US-03), columns as independent
//! inside a region, and in a bucket each record has each sensitive value with the share it has there (US-01: records
//! are then blocks of disjoint alternatives, and expectations add up exactly). The expectation of an average is the
//! ratio of the expected sum and the expected count, not the expected ratio.
//!
//! Sums of many numbers are added in a fixed order in double precision, whatever the number of threads.
//!
//! Instead of equally likely, values can be weighed as the other records suggest (US-02, [`Records::allocate`]). [`Counts`]
//! answers from published counts (US-14). [`Records::unfold`] writes a release out for learners (US-11).
//!
//! A release of another form (perturbed values, noisy counts) answers by implementing [`AnswerSource`].

mod allocation;
mod arithmetic;
mod bounds;
mod bucket;
mod cell;
mod column;
mod condition;
mod counts;
mod extremes;
mod flow;
mod formula;
mod grouping;
mod join;
mod mask;
mod model;
mod origin;
mod predicate;
mod private;
mod question;
mod records;
mod region;
mod sql;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_counts;
#[cfg(test)]
mod tests_of_magnitudes;
mod unfold;

pub use arithmetic::{Formula, Within};
pub use cell::cell_number;
pub use column::{AnswerCells, AnswerColumn};
pub use condition::taken;
pub use counts::{CountedTable, Counts, MOST_UNKNOWN};
pub use join::{column_of, joined};
pub use mask::like;
pub use model::{ExplainedBy, ModelQuestion};
pub use origin::{JoinedTable, Origin, PerPerson, PersonFigure};
pub use private::{Figure, PrivateOutput, PrivateQuestion, RankBy, Ranking};
pub use question::{
    Aggregate, Comparison, Condition, Literal, Location, Order, Output, Question, QuestionError, Test,
};
pub use region::{Region, Values};
pub use unfold::{Unfolded, UnfoldedColumn, Unfolding};

/// Something that questions can be asked of.
pub trait AnswerSource {
    /// Answers a question.
    ///
    /// # Errors
    /// When the question speaks of columns that are not there, or cannot be answered from this source.
    fn answer(&self, question: &Question) -> Result<Answer, AnswerError>;
}

/// A release to be asked.
#[derive(Debug, Clone)]
pub struct Records {
    /// Its columns.
    pub columns: Vec<AnswerColumn>,
    /// The number of published records.
    pub rows: usize,
    /// Per record its group; needed when values are counted per group, and may be empty otherwise.
    pub group_of: Vec<u32>,
    /// Records of the input that are not published.
    pub suppressed: u64,
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Answer {
    /// The columns of `group by`.
    pub group_by: Vec<String>,
    /// The names of the figures.
    pub figures: Vec<String>,
    /// One line without `group by`, otherwise one for each label or value that is published.
    pub lines: Vec<Line>,
    /// The number of published records.
    pub records: u64,
    /// Records of the input that are not published. Each widens `at_most` of every count by one.
    pub suppressed: u64,
    /// Whether labels of `group by` may stand for the same value: then a line is about the records with its label, and others with
    /// the same values may stand in another line.
    pub labels_overlap: bool,
}

/// One line of an answer.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Line {
    /// The labels or values of the columns of `group by`.
    pub group: Vec<String>,
    /// One estimate for each figure.
    pub estimates: Vec<Estimate>,
}

/// What a figure is.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize)]
pub struct Estimate {
    /// What to expect; absent where the labels do not say how their values are spread, or for an average of nothing.
    pub expected: Option<f64>,
    /// It is not less; absent where there is no bound.
    pub at_least: Option<f64>,
    /// It is not more; absent where there is no bound.
    pub at_most: Option<f64>,
    /// Counts: the expected share of the published records.
    pub share: Option<f64>,
    /// Perturbed releases: how far off the expectation typically is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standard_error: Option<f64>,
    /// Perturbed releases: an interval that covers the truth with about 95 %.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval_95: Option<[f64; 2]>,
}

/// Why a question cannot be answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// A column that the release does not have.
    #[error("the question names a column that the release does not have; it has {}", .columns.join(", "))]
    UnknownColumn {
        /// The columns there are.
        columns: Vec<String>,
    },
    /// A constant that the column cannot hold.
    #[error(
        "`{column}` is compared with a constant that is none of its labels and cannot be one of its values; accepted are {accepted}"
    )]
    Constant {
        /// The column.
        column: String,
        /// What can be compared.
        accepted: &'static str,
    },
    /// `like` on numbers or dates of which only ranges are published.
    #[error(
        "`like` needs texts, and `{column}` is published as ranges of numbers or dates; use <, <=, >, >= or between"
    )]
    LikeOnRanges {
        /// The column.
        column: String,
    },
    /// A sum or average of something that is no number.
    #[error("`{column}` holds no numbers that could be summed or averaged; count its records instead")]
    NotNumeric {
        /// The column.
        column: String,
    },
    /// More tests on a column than can be told apart.
    #[error("the question tests `{column}` too often; use one `in (…)` or `between` for it")]
    TooManyTests {
        /// The column.
        column: String,
    },
    /// A condition with too many combinations.
    #[error("the condition combines so many columns that it cannot be evaluated; ask for fewer at a time")]
    TooEntangled,
    /// More lines than anyone reads.
    #[error("`group by` would give more than {MOST_LINES} lines; group by fewer columns")]
    TooManyLines,
    /// Counts of which no table has all the columns asked about.
    #[error(
        "no published table of counts holds all columns that the question speaks of; ask about columns of one table, or \
         of views that are connected"
    )]
    NoTable,
    /// A joint table that would be too large.
    #[error("the views together have too many combinations of values; ask about fewer columns at a time")]
    JointTooLarge,
    /// Published counts that no table can have.
    #[error("the published counts contradict each other; `privet verify` tells more")]
    Inconsistent,
    /// What a perturbed release cannot tell.
    #[error("this cannot be estimated from perturbed values: {0}")]
    NotEstimable(String),
    /// Columns of different lengths, or codes beyond them.
    #[error("column `{column}` does not fit the other columns of the release; `privet verify` tells more")]
    Unfit {
        /// The column.
        column: String,
    },
}

const MOST_LINES: usize = 100_000;
