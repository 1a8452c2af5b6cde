//! Questions: the part of SQL in which counts, sums and averages over one table are asked.
//!
//! `select count(*), sum(cost) from data where age < 40 and diagnosis in ('Flu', 'Asthma') group by sex`. The text is
//! read by the `sqlparser` crate; what is more than a [`Question`] can hold (joins, subqueries, functions, `having`,
//! `distinct` …) is refused by name. Nothing of the text is repeated in a message but where it stands, because the
//! values in a question may be values of a person.
//!
//! A condition is kept in negation normal form: `not` is pushed down to the tests, so that there are only *all*, *any*
//! and tests. In SQL a comparison with a missing value is neither true nor false, and `not` leaves it so; once no `not`
//! is left above a test, "neither" can be read as false, and a record is taken exactly when the condition is true.

use super::sql;

/// Longer questions are refused: long chains of `and` are deep trees, and deep ones could exhaust the stack.
pub(super) const LONGEST: usize = 10_000;

const ACCEPTED: &str = "accepted is `select count(*), count(COLUMN), sum(COLUMN), avg(COLUMN) from data where … \
    group by COLUMN`, with =, <>, <, <=, >, >=, between, in (…), like, is null, and, or, not";

/// What is asked of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The name of the table, as it stands after `from`.
    pub table: String,
    /// The figures, in the order of the question; at least one.
    pub select: Vec<Output>,
    /// Which records they are about; all when it is empty.
    pub filter: Condition,
    /// The columns whose values each get an answer of their own.
    pub group_by: Vec<String>,
}

impl Question {
    /// The columns that it looks at, as it names them; some perhaps several times.
    pub fn columns(&self) -> Vec<&str> {
        fn tested<'q>(condition: &'q Condition, all: &mut Vec<&'q str>) {
            match condition {
                Condition::All(parts) | Condition::Any(parts) => {
                    parts.iter().for_each(|part| tested(part, all));
                }
                Condition::Test(test) => all.push(&test.column),
            }
        }
        let mut all: Vec<&str> = self.group_by.iter().map(String::as_str).collect();
        all.extend(self.select.iter().filter_map(|own| match &own.aggregate {
            Aggregate::Count => None,
            Aggregate::CountOf(column) | Aggregate::Sum(column) | Aggregate::Average(column) => {
                Some(column.as_str())
            }
        }));
        tested(&self.filter, &mut all);
        all
    }
}

/// One figure that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// What to compute.
    pub aggregate: Aggregate,
    /// Its name: the alias, or the figure as it is written, such as `sum(cost)`.
    pub name: String,
}

/// A figure over records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Aggregate {
    /// `count(*)`: the records.
    Count,
    /// `count(column)`: the records in which the column is known.
    CountOf(String),
    /// `sum(column)`; 0 over no record.
    Sum(String),
    /// `avg(column)`; none over no record.
    Average(String),
}

/// A condition in negation normal form.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// True when all are; the empty one is always true.
    All(Vec<Condition>),
    /// True when any is; the empty one is never true.
    Any(Vec<Condition>),
    /// True when the column passes the test. A missing value passes only `is null`.
    Test(Test),
}

/// A test of one column.
#[derive(Debug, Clone, PartialEq)]
pub struct Test {
    /// The column, as the question names it.
    pub column: String,
    /// What is compared.
    pub comparison: Comparison,
    /// Whether the values that do not compare so pass. Missing values pass neither way, but for `is not null`.
    pub negated: bool,
}

/// What a value is compared with.
#[derive(Debug, Clone, PartialEq)]
pub enum Comparison {
    /// It is one of these (`=` has one).
    In(Vec<Literal>),
    /// It stands in this order to the constant.
    Order(Order, Literal),
    /// Its text has this form: `%` for any characters, `_` for one.
    Like(String),
    /// It is missing.
    IsNull,
}

/// An order that is not equality.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

/// A constant of a question.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// A number, with its text as it was written.
    Number(f64, String),
    /// A text; a date is one.
    Text(String),
}

/// Where in the text of a question something is: ` (line 1, column 8)`, or nothing when it is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Location {
    line: Option<u64>,
    column: Option<u64>,
}

impl Location {
    /// A line and a column, counted from 1.
    pub fn new(line: u64, column: u64) -> Self {
        Self { line: Some(line), column: Some(column) }
    }

    /// The same in a text of one line, which is not told.
    #[must_use]
    pub fn in_one_line(self) -> Self {
        Self { line: None, ..self }
    }
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.line, self.column) {
            (Some(line), Some(column)) => write!(f, " (line {line}, column {column})"),
            (None, Some(column)) => write!(f, " (column {column})"),
            _ => Ok(()),
        }
    }
}

/// Why a text is no question.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum QuestionError {
    /// It is no SQL.
    #[error("the question cannot be read as SQL{place}; {ACCEPTED}")]
    Syntax {
        /// Where, when it is known.
        place: Location,
    },
    /// It is SQL, and more than can be answered.
    #[error("the question uses {construct}{place}, which is not accepted; {ACCEPTED}")]
    Unsupported {
        /// What is too much.
        construct: &'static str,
        /// Where, when it is known.
        place: Location,
    },
    /// It is too long to be one.
    #[error("the question has more than {LONGEST} characters; shorten it")]
    TooLong,
}

impl Order {
    /// Whether a value that compares so with the constant is in this order to it.
    pub fn holds(self, ordering: std::cmp::Ordering) -> bool {
        match self {
            Order::Less => ordering.is_lt(),
            Order::AtMost => ordering.is_le(),
            Order::Greater => ordering.is_gt(),
            Order::AtLeast => ordering.is_ge(),
        }
    }

    pub(super) fn negated(self) -> Self {
        match self {
            Order::Less => Order::AtLeast,
            Order::AtMost => Order::Greater,
            Order::Greater => Order::AtMost,
            Order::AtLeast => Order::Less,
        }
    }

    pub(super) fn mirrored(self) -> Self {
        match self {
            Order::Less => Order::Greater,
            Order::AtMost => Order::AtLeast,
            Order::Greater => Order::Less,
            Order::AtLeast => Order::AtMost,
        }
    }
}

impl Condition {
    /// The condition that every record meets.
    pub fn always() -> Self {
        Condition::All(Vec::new())
    }

    /// Calls `see` with every test in it.
    pub fn for_each_test<'a>(&'a self, see: &mut impl FnMut(&'a Test)) {
        match self {
            Condition::All(parts) | Condition::Any(parts) => parts.iter().for_each(|p| p.for_each_test(see)),
            Condition::Test(test) => see(test),
        }
    }
}

impl Aggregate {
    /// The column that is counted, summed or averaged.
    pub fn column(&self) -> Option<&str> {
        match self {
            Aggregate::Count => None,
            Aggregate::CountOf(column) | Aggregate::Sum(column) | Aggregate::Average(column) => Some(column),
        }
    }
}

impl Question {
    /// Reads a question.
    ///
    /// ```
    /// use privet_measure::answer::{Aggregate, Question};
    /// let question = Question::parse("select avg(cost) from data where age between 20 and 30")?;
    /// assert_eq!(question.select[0].aggregate, Aggregate::Average("cost".into()));
    /// assert!(Question::parse("select max(cost) from data").is_err());
    /// # Ok::<(), privet_measure::answer::QuestionError>(())
    /// ```
    ///
    /// # Errors
    /// When the text is no SQL, or uses what cannot be answered.
    pub fn parse(text: &str) -> Result<Self, QuestionError> {
        sql::read(text)
    }

    /// Every constant that the question compares a column with.
    pub fn literals(&self, is_column: impl Fn(&str) -> bool) -> Vec<&Literal> {
        let mut found = Vec::new();
        self.filter.for_each_test(&mut |test| {
            if is_column(&test.column) {
                match &test.comparison {
                    Comparison::In(list) => found.extend(list),
                    Comparison::Order(_, literal) => found.push(literal),
                    Comparison::Like(_) | Comparison::IsNull => {}
                }
            }
        });
        found
    }
}
