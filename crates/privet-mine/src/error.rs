//! What can be wrong with what a caller asks. No message holds a value of the data.

use privet_criteria::CriterionError;

/// A question or a parameter that cannot be met.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MineError {
    /// The table has no record.
    #[error("the table has no record")]
    Empty,
    /// A column has another number of entries than the table has records.
    #[error("column {column} has {found} entries, the table {expected} records")]
    Ragged {
        /// The column.
        column: String,
        /// Its entries.
        found: usize,
        /// The records.
        expected: usize,
    },
    /// A column holds a code that its domain does not have.
    #[error("column {column} holds a code outside its domain of {domain} values")]
    Code {
        /// The column.
        column: String,
        /// The size of the domain.
        domain: usize,
    },
    /// A hierarchy level does not name a node for every value, or does not nest.
    #[error("level {level} of column {column} does not map every value to one node of a coarser level")]
    Level {
        /// The column.
        column: String,
        /// The level, counted from 1.
        level: usize,
    },
    /// A numeric column whose numbers are not finite and ascending.
    #[error("the numbers of column {column} must be finite and ascending, one per value")]
    Numbers {
        /// The column.
        column: String,
    },
    /// No column with this name.
    #[error("there is no column {column}")]
    Column {
        /// The name.
        column: String,
    },
    /// A column that is declared public and private, or twice.
    #[error("column {column} is declared more than once")]
    DeclaredTwice {
        /// The column.
        column: String,
    },
    /// The class has one value only, so there is nothing to learn.
    #[error("the class {column} has one value; a model needs at least two")]
    OneClass {
        /// The column.
        column: String,
    },
    /// k is larger than the table.
    #[error("k = {k} but the table has {records} records; k may be from 1 to {records}")]
    KTooLarge {
        /// What was asked.
        k: u64,
        /// The records.
        records: u64,
    },
    /// A criterion that cannot be enforced on the spans of a model.
    #[error("{criterion} cannot be enforced on the spans of a model: {reason}")]
    Criterion {
        /// Its key.
        criterion: &'static str,
        /// The property that it lacks.
        reason: CriterionProblem,
    },
    /// A criterion whose parameters are wrong for the table.
    #[error(transparent)]
    Requirement(#[from] CriterionError),
    /// Not even the whole table satisfies what was asked.
    #[error("the whole table does not satisfy {criterion}; no model can")]
    Impossible {
        /// The criterion.
        criterion: &'static str,
    },
    /// The person asked to stop.
    #[error(transparent)]
    Cancelled(#[from] privet_data::Cancelled),
    /// A parameter out of its range.
    #[error("{name} = {value} must be {accepted}")]
    Parameter {
        /// The parameter.
        name: &'static str,
        /// What was asked.
        value: f64,
        /// What would be accepted.
        accepted: &'static str,
    },
    /// A line of a file of transactions that is none.
    #[error("line {line} of the transactions holds something that is no whole number")]
    Transaction {
        /// The line, counted from 1.
        line: usize,
    },
    /// Supports of itemsets without those of a subset.
    #[error("the published itemsets do not hold all subsets of an itemset")]
    MissingSubset,
    /// A question about people that cannot be asked.
    #[error("the question cannot be asked: {reason}")]
    People {
        /// What is wrong with it.
        reason: PeopleProblem,
    },
    /// An item that no transaction holds.
    #[error("item {item} occurs in no transaction")]
    Item {
        /// The number of the item.
        item: u32,
    },
    /// A rule or itemset that the data does not have.
    #[error("rule {position} of those given cannot be used: {problem}")]
    Rule {
        /// Its position, counted from 1.
        position: usize,
        /// What is wrong with it.
        problem: RuleProblem,
    },
    /// More results than the caller allows.
    #[error("there are more than {limit} {what}; raise the limit or the threshold")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// A clustering that the input does not allow.
    #[error("the clustering is not possible: {reason}")]
    NotExact {
        /// Why.
        reason: ExactProblem,
    },
    /// The solver of integer programs found no solution.
    #[error("the integer program was not solved: {reason}")]
    Program {
        /// What the solver said.
        reason: String,
    },
}

/// Which property a criterion lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CriterionProblem {
    /// It may hold for two groups and not for their union.
    #[error("it is not monotone, so a refused split could become legal later")]
    NotMonotone,
    /// It judges groups together.
    #[error("it is not bucket-independent")]
    NotIndependent,
    /// It looks at a population table.
    #[error("it needs a population table")]
    Population,
    /// It looks at the class, which everybody knows.
    #[error("it looks at the class, and the class is public")]
    PublicClass,
}

/// Why a rule cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RuleProblem {
    /// One of its sides is empty.
    #[error("it has no antecedent or no consequent")]
    EmptySide,
    /// Its sides share an item.
    #[error("its sides share an item")]
    Overlap,
    /// It holds in no transaction.
    #[error("no transaction holds it")]
    Absent,
    /// Its supports are not those of the data, or contradict each other.
    #[error("its supports are not those of the data")]
    Supports,
    /// Its antecedent neither contains the one before nor holds public items only.
    #[error(
        "public antecedents that are nested, with private consequents, are needed to compute spans from supports alone"
    )]
    NotNested,
    /// It is not strong enough to be hidden.
    #[error("it does not reach the thresholds, so there is nothing to hide")]
    Weak,
    /// The method cannot hide it.
    #[error("the method cannot bring it below the thresholds")]
    Unhideable,
}

/// Why a clustering is not possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExactProblem {
    /// Categories have no Euclidean distance.
    #[error("categories need Gower's distance")]
    EuclideanCategories,
    /// A numeric attribute has no range, or a private one none that was declared.
    #[error("every private number needs a declared, finite range, and a grid of 1 to 1,048,576 steps")]
    Range,
    /// A number outside its declared range.
    #[error("a number lies outside its declared range")]
    Outside,
    /// The model contains the records.
    #[error(
        "clusters of nearest training points are a function of all records; membership = nearest-centroid can be published"
    )]
    TrainingPoints,
}

/// Why a question about people cannot be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PeopleProblem {
    /// Not ascending, or nobody.
    #[error("it must name at least one person, in ascending order and each once")]
    Order,
    /// People that there are not.
    #[error("it names a person who is not in the table")]
    Unknown,
    /// Not one value per person.
    #[error("there must be one finite value per person")]
    Values,
    /// No answers that fit.
    #[error("the answers that were given do not fit values between the declared bounds")]
    Bounds,
}
