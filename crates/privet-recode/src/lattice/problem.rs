//! What a search is given and what it gives back.

use privet_criteria::Criterion;
use privet_data::{Cancelled, Generalization, GeneralizedLevel};
use privet_measure::{Metric, WeightError};

use super::seen::Seen;

/// A table to be generalized, and what must hold.
pub struct Problem<'a> {
    /// The number of records.
    pub rows: usize,
    /// The quasi-identifier.
    pub quasi: Vec<Quasi<'a>>,
    /// The histograms that criteria look at, in the order in which the criteria number them.
    pub sensitive: Vec<Codes<'a>>,
    /// The class labels, for the classification metric.
    pub label: Option<Codes<'a>>,
    /// What must hold.
    pub criteria: &'a [Box<dyn Criterion>],
    /// What is minimized.
    pub metric: Metric,
    /// The most records that may be suppressed.
    pub suppress_at_most: u64,
}

impl<'a> Problem<'a> {
    /// Where the values of each quasi column go at these levels.
    pub fn at(&self, levels: &[usize]) -> Vec<&'a GeneralizedLevel> {
        self.quasi.iter().zip(levels).map(|(quasi, &level)| &quasi.generalization.levels[level]).collect()
    }

    /// Whether a quasi column holds `*` as a value, so that nobody could tell it from one that is suppressed.
    pub(crate) fn holds_star(&self) -> bool {
        self.quasi.iter().any(|quasi| {
            let Some(values) = quasi.generalization.levels.first() else { return false };
            let occurs = |code: usize| quasi.counts.get(code).is_none_or(|&count| count > 0);
            let is_star = |node: u32| values.labels.get(node as usize).is_some_and(|label| &**label == "*");
            values.node_of_code.iter().enumerate().any(|(code, &node)| is_star(node) && occurs(code))
        })
    }
}

/// A quasi column.
#[derive(Debug, Clone, Copy)]
pub struct Quasi<'a> {
    /// One code per record.
    pub codes: &'a [u32],
    /// Per code how many records have it.
    pub counts: &'a [u64],
    /// Its hierarchy, fitted to its codes.
    pub generalization: &'a Generalization,
    /// Per code its number, for a column of numbers or dates, in ascending order; NaN for a missing value. Codes of
    /// such a column are in the order of its values.
    pub numbers: Option<&'a [f64]>,
    /// Its weight in the metric.
    pub weight: f64,
    /// The same column of the population table, when a criterion looks at one.
    pub population: Option<&'a [u32]>,
}

/// A column of codes.
#[derive(Debug, Clone, Copy)]
pub struct Codes<'a> {
    /// One code per record.
    pub codes: &'a [u32],
    /// How many different codes there can be.
    pub values: usize,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The level of each quasi column, in the order of the problem.
    pub levels: Vec<usize>,
    /// The metric.
    pub value: f64,
    /// No safe candidate has a smaller value of the metric than this; `None` when the search cannot tell.
    pub bound: Option<f64>,
    /// Records in failing classes.
    pub suppressed: u64,
    /// The number of published classes.
    pub classes: u64,
    /// Candidates in the lattice.
    pub lattice_nodes: u64,
    /// How often the classes of a candidate were formed: more often than there are candidates where a search asks twice, or
    /// goes through subsets of the columns.
    pub nodes_checked: u64,
    /// How long it took to reduce the table to its distinct tuples: one grouping of all records by all
    /// quasi columns, below which no search can go.
    pub reduction: std::time::Duration,
    /// Sum over the distinct tuples of the quasi-identifier of p ln p; metrics that compare distributions
    /// need it.
    pub tuple_entropy: f64,
    /// The safe nodes that the search lists: all below which no node is safe (`optimal` when asked, `incognito`),
    /// or all of the least height (`samarati`).
    pub minimal: Option<Vec<Vec<usize>>>,
    /// The candidates that were looked at until all their suppressed records were counted; a part of them when there were
    /// tens of thousands, the chosen one always.
    pub seen: Vec<Seen>,
}

/// Why a search found nothing.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// Not a single candidate is safe.
    #[error(
        "no safe release exists: even with every column at its top level, {failing} records are in classes that \
         fail, and {limit} may be suppressed. What fails there: {}. Relax it, raise suppress-at-most, or give the \
         columns hierarchies that end in one label for all values",
        criteria.join("; ")
    )]
    NoSafeNode {
        /// Records in failing classes at the top of the lattice.
        failing: u64,
        /// How many may be suppressed.
        limit: u64,
        /// The criteria that fail there, as `key: promise`.
        criteria: Vec<String>,
    },
    /// No safe candidate was met, and of some it is not known whether suppressing other classes would make them safe.
    #[error(
        "no safe release was found. In {candidates} candidates some classes expose the people of others, and of the choices          of classes to suppress not all could be tried: there may be one of at most {limit} records. What fails: {}.          Relax it, raise suppress-at-most, or give the columns fewer or coarser levels",
        criteria.join("; ")
    )]
    Unsettled {
        /// How many candidates.
        candidates: u64,
        /// How many records may be suppressed.
        limit: u64,
        /// The criteria that fail at the top of the lattice, as `key: promise`.
        criteria: Vec<String>,
    },
    /// The table as a whole fails, and no record may be left out.
    #[error(
        "no safe release exists: even all records together, in one group, fail {}. Relax it; algorithms that form \
         groups leave no record out, whatever suppress-at-most says",
        criteria.join("; ")
    )]
    NoSafeTable {
        /// The criteria that fail, as `key: promise`.
        criteria: Vec<String>,
    },
    /// The lattice has more nodes than can be kept track of.
    #[error(
        "the lattice has {nodes} nodes, more than an exact search can keep track of ({most}); \
         use fewer quasi columns, hierarchies with fewer levels, or a search that needs no list of them: algorithm = \"bottom-up\" in [search]"
    )]
    TooManyNodes {
        /// How many, as a text because it may not fit a number.
        nodes: String,
        /// How many are possible.
        most: u64,
    },
    /// A method that compares records with each other would not end.
    #[error(
        "`{algorithm}` compares records with each other: {rows} records in groups of {least} would take {comparisons:.0e} comparisons, \
         which is days, and {most} records are possible; use algorithm = \"mondrian\" or \"top-down-local\", whose time grows with the records"
    )]
    Endless {
        /// Its word.
        algorithm: &'static str,
        /// The records.
        rows: usize,
        /// The least records of a group.
        least: usize,
        /// About how many comparisons.
        comparisons: f64,
        /// The most records that it takes.
        most: usize,
    },
    /// The table has more records than codes can count.
    #[error("the table has more than 4294967295 records")]
    TooManyRows,
    /// The quasi-identifier is wider than any key.
    #[error(
        "the quasi-identifier needs keys of {words} words of 64 bits; at most 32 are possible; use fewer quasi columns"
    )]
    TooWide {
        /// Words needed.
        words: usize,
    },
    /// The metric needs class labels.
    #[error("the metric `classification` needs a class column; name it with `class` in [search]")]
    NoLabel,
    /// The search prunes by a property that a criterion does not have.
    #[error(
        "`{algorithm}` relies on monotony (what is more general than a safe candidate is safe), and `{criterion}` {}; \
         use `optimal`, which does not rely on it",
        if *with_suppression { "has it only when nothing may be suppressed (suppress-at-most = 0)" } else { "does not have it" }
    )]
    NotMonotone {
        /// The search.
        algorithm: &'static str,
        /// The key of the criterion.
        criterion: &'static str,
        /// Whether it would do without suppression.
        with_suppression: bool,
    },
    /// The search is for other criteria.
    #[error("`{algorithm}` is made for {accepts}, and cannot enforce `{criterion}`; use `optimal`")]
    NotForCriterion {
        /// The search.
        algorithm: &'static str,
        /// The key of the criterion.
        criterion: &'static str,
        /// What it takes.
        accepts: &'static str,
    },
    /// The search is for other metrics.
    #[error("`{algorithm}` minimizes {accepts}; set `minimize` in [search] accordingly")]
    NotForMetric {
        /// The search.
        algorithm: &'static str,
        /// What it takes.
        accepts: &'static str,
    },
    /// A parameter of the search is out of range.
    #[error("{key} {problem}")]
    Parameter {
        /// Its key in a job file.
        key: &'static str,
        /// What is wrong with it, and what would be accepted.
        problem: &'static str,
    },
    /// The search ended before it met a safe candidate.
    #[error(
        "`{algorithm}` ended without having met a safe candidate; there may be one: `optimal` looks for it everywhere, and a larger budget or another seed may help"
    )]
    NothingFound {
        /// The search.
        algorithm: &'static str,
    },
    /// A search chose a candidate that is not safe: a fault of the program, caught before anything was published.
    #[error(
        "`{algorithm}` chose a candidate that does not keep the promises; nothing was published. This is a fault in privet"
    )]
    Unsafe {
        /// The search.
        algorithm: &'static str,
    },
    /// The levels of a decomposition do not keep the promises, and it was not to raise them.
    #[error(
        "the decomposition alone does not keep the promises: at its levels {failing} records are in classes that fail, \
         and {limit} may be suppressed. Set purpose.until-safe = true to raise levels further, or trust the \
         requester less"
    )]
    DecompositionUnsafe {
        /// Records in failing classes.
        failing: u64,
        /// How many may be suppressed.
        limit: u64,
    },
    /// Some value is too frequent for buckets in which nobody's value is likelier than 1/l.
    #[error("{}", not_eligible(*rows, *most, *l))]
    NotEligible {
        /// The records of the table.
        rows: u64,
        /// Records with the most frequent value of the first sensitive column.
        most: u64,
        /// The l that was asked for.
        l: u64,
    },
    /// Buckets that were given do not keep the promises.
    #[error(
        "{buckets} of the {of} buckets of search.anatomy.buckets-from, with {records} records, fail{}: {}. {}",
        if *is_mergeable { "" } else { ", and so would one bucket of all records" },
        criteria.join("; "),
        if *is_mergeable {
            "Join them with others in that column, set merge = true in [search.anatomy] to have that done, or promise less"
        } else {
            "No other column helps; promise less"
        }
    )]
    GivenBucketsFail {
        /// Failing buckets.
        buckets: u64,
        /// All buckets.
        of: u64,
        /// Records of failing buckets.
        records: u64,
        /// What fails, as `key: promise`.
        criteria: Vec<String>,
        /// Whether all records in one bucket would do.
        is_mergeable: bool,
    },
    /// Buckets do not keep the promises.
    #[error(
        "{buckets} buckets with {records} records fail: {}. Relax it, or divide the records in another way",
        criteria.join("; ")
    )]
    BucketsFail {
        /// Failing buckets.
        buckets: u64,
        /// Their records.
        records: u64,
        /// What fails, as `key: promise`.
        criteria: Vec<String>,
    },
    /// A table of counts has more cells than can be protected.
    #[error("{what} has {cells} cells, more than are possible ({most}); use fewer columns or coarser levels")]
    TooManyCells {
        /// Which table.
        what: &'static str,
        /// How many, as a text because it may not fit a number.
        cells: String,
        /// How many are possible.
        most: u64,
    },
    /// A small count cannot be hidden, whatever else is suppressed.
    #[error(
        "a count below count-tables.threshold cannot be hidden even when every cell but the grand total is suppressed: \
         {reason}. Lower count-tables.protection, merge values of the columns, or publish no such table"
    )]
    NotProtectable {
        /// Why.
        reason: &'static str,
    },
    /// Several views together tell more than each of them.
    #[error(
        "the views together prove {small} groups of fewer than {k} records to exist and tell the sensitive value of \
         {determined} combinations of quasi values for certain; publish fewer or coarser views"
    )]
    ViewsTell {
        /// The k that was asked for.
        k: u64,
        /// Groups of fewer than k records that must exist.
        small: u64,
        /// Combinations of quasi values for which only one sensitive value is possible.
        determined: u64,
    },
    /// A linear program could not be solved, so that nothing is known about the bounds.
    #[error(
        "the bounds that an outsider can compute could not be computed: {problem}; nothing was published"
    )]
    NoBounds {
        /// What went wrong.
        problem: &'static str,
    },
    /// The operating system gave no random numbers.
    #[error(
        "the operating system gave no random numbers, so nothing was drawn; give a seed, and keep it secret"
    )]
    NoRandomness,
    /// A temporary file of records failed.
    #[error("the temporary file of records could not be {done}: {kind}")]
    Temporary {
        /// What was to be done with it.
        done: &'static str,
        /// What went wrong.
        kind: std::io::ErrorKind,
    },
    /// The weights do not fit the metric.
    #[error(transparent)]
    Weight(#[from] WeightError),
    /// The person asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Why there are no buckets of l different values, and what would help.
fn not_eligible(rows: u64, most: u64, l: u64) -> String {
    if rows < 2 {
        return "anatomy cannot publish a table of one record: alone in its bucket, its sensitive value would be told, \
                whatever l is. Put the record into a larger table, or leave it out"
            .to_owned();
    }
    let help = match rows / most.max(1) {
        0 | 1 => "so no l is possible. What helps is to promise t-closeness or beta-likeness in place of diversity, which \
                  compare a bucket with the table, or another algorithm"
            .to_owned(),
        possible => format!(
            "so l may be at most {possible} (search.anatomy.l, or that of the promise it is derived from)"
        ),
    };
    format!(
        "anatomy with l = {l} needs every value of the first sensitive column in at most {} of the {rows} records (1/l of \
         all), and the most frequent one is in {most}, {help}",
        rows / l.max(1)
    )
}
