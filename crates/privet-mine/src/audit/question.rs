//! Audited questions in SQL: one sum, average, maximum, minimum or count over the people that a condition on public columns takes.
//!
//! # Guarantee
//! Whom a question is about follows from public columns alone. A condition on an audited column would choose people by the values that are
//! protected, and every denial would tell of them; such a condition is refused before anything is decided.

use privet_data::{Column, Domain, Kind, Table};
use privet_measure::answer::{
    Aggregate, Comparison, Condition, Figure, Literal, Order, PrivateQuestion, QuestionError, Test, like,
};

use super::Function;

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditQuestion {
    /// The name of the table, as it stands after `from`.
    pub table: String,
    /// The figure.
    pub function: Function,
    /// The column; nothing for `count(*)`.
    pub column: Option<String>,
    /// Whom it is about.
    pub filter: Condition,
}

/// Why a text is no audited question.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AuditQuestionError {
    /// It is no SQL, or more than can be read.
    #[error(transparent)]
    Question(#[from] QuestionError),
    /// It is SQL, and more than one figure about one group of people.
    #[error(
        "an audited question asks for one figure about one group of people: accepted is \
         `select sum(COLUMN) from data where …`, with sum, avg, max, min, or count(*)"
    )]
    Form,
}

impl AuditQuestion {
    /// Reads a question.
    ///
    /// ```
    /// use privet_mine::audit::{AuditQuestion, Function};
    /// let question = AuditQuestion::parse("select max(cost) from data where ward = 'B'")?;
    /// assert_eq!((question.function, question.column.as_deref()), (Function::Max, Some("cost")));
    /// # Ok::<(), privet_mine::audit::AuditQuestionError>(())
    /// ```
    ///
    /// # Errors
    /// When the text is no SQL, or asks for more than one figure about one group of people.
    pub fn parse(text: &str) -> Result<Self, AuditQuestionError> {
        // The reader of questions knows no maximum; the word is as long as the one it is read as, so places in messages stay right.
        let (text, extreme) = extreme(text);
        let asked = PrivateQuestion::parse(&text)?;
        let plain =
            asked.is_plain() && asked.group_by.is_empty() && asked.order.is_none() && asked.limit.is_none();
        let [output] = &asked.select[..] else { return Err(AuditQuestionError::Form) };
        let (function, column) = match (&output.figure, extreme) {
            (Figure::Aggregate(Aggregate::Sum(column)), Some(function)) => (function, Some(column.clone())),
            (Figure::Aggregate(Aggregate::Sum(column)), None) => (Function::Sum, Some(column.clone())),
            (Figure::Aggregate(Aggregate::Average(column)), None) => {
                (Function::Average, Some(column.clone()))
            }
            (Figure::Aggregate(Aggregate::Count), None) => (Function::Count, None),
            _ => return Err(AuditQuestionError::Form),
        };
        match plain {
            true => Ok(Self { table: asked.table, function, column, filter: asked.filter }),
            false => Err(AuditQuestionError::Form),
        }
    }

    /// The columns that its condition looks at.
    pub fn tested(&self) -> Vec<&str> {
        let mut columns = Vec::new();
        self.filter.for_each_test(&mut |test| columns.push(test.column.as_str()));
        columns
    }
}

/// The text with a leading `select max(` or `select min(` as a sum, and which of them it was.
fn extreme(text: &str) -> (String, Option<Function>) {
    let lower = text.to_ascii_lowercase();
    let rest = lower.trim_start();
    let Some(after) = rest.strip_prefix("select").filter(|own| own.starts_with(char::is_whitespace)) else {
        return (text.to_owned(), None);
    };
    let word = after.trim_start();
    let function = match (word.get(..3), word.get(3..).map(str::trim_start)) {
        (Some("max"), Some(rest)) if rest.starts_with('(') => Function::Max,
        (Some("min"), Some(rest)) if rest.starts_with('(') => Function::Min,
        _ => return (text.to_owned(), None),
    };
    let at = text.len() - word.len();
    (format!("{}sum{}", &text[..at], &text[at + 3..]), Some(function))
}

/// Per record whether a condition takes it. Each cell is read by itself: with a number it is compared as a number, with a date as a date.
/// A column that the table does not have takes nobody; the caller has looked.
pub(super) fn taken(condition: &Condition, table: &Table) -> Vec<bool> {
    let joined = |parts: &[Condition], all: bool| {
        let mut rows = vec![all; table.rows];
        for part in parts {
            for (row, other) in rows.iter_mut().zip(taken(part, table)) {
                *row = if all { *row && other } else { *row || other };
            }
        }
        rows
    };
    match condition {
        Condition::All(parts) => joined(parts, true),
        Condition::Any(parts) => joined(parts, false),
        Condition::Test(test) => match table.column(&test.column) {
            Some(column) => passing(test, column),
            None => vec![false; table.rows],
        },
    }
}

fn passing(test: &Test, column: &Column) -> Vec<bool> {
    let domain = &column.domain;
    let passes: Vec<bool> = (0..domain.len() as u32).map(|code| code_passes(test, domain, code)).collect();
    column.codes.iter().map(|&code| passes[code as usize]).collect()
}

fn code_passes(test: &Test, domain: &Domain, code: u32) -> bool {
    let text = domain.text(code);
    let found = match (&test.comparison, domain.is_missing(code)) {
        (Comparison::IsNull, missing) => Some(missing),
        // Neither true nor false.
        (_, true) => None,
        (Comparison::Like(form), false) => Some(like(text, form)),
        (Comparison::In(list), false) => Some(list.iter().any(|literal| equal(literal, text))),
        (Comparison::Order(order, literal), false) => compare(*order, literal, text),
    };
    found.is_some_and(|found| found != test.negated)
}

fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

fn day(text: &str) -> Option<f64> {
    Kind::Date.number(text)
}

fn equal(literal: &Literal, text: &str) -> bool {
    match literal {
        Literal::Number(constant, written) => number(text) == Some(*constant) || text == written,
        Literal::Text(constant) => {
            text == constant || day(constant).is_some_and(|constant| day(text) == Some(constant))
        }
    }
}

fn compare(order: Order, literal: &Literal, text: &str) -> Option<bool> {
    let ordering = match literal {
        Literal::Number(constant, _) => number(text)?.partial_cmp(constant)?,
        Literal::Text(constant) => match day(constant) {
            Some(constant) => day(text)?.partial_cmp(&constant)?,
            None => text.cmp(constant),
        },
    };
    Some(order.holds(ordering))
}

#[cfg(test)]
mod tests {
    use privet_data::io::{ReadOptions, read_csv_bytes};

    use super::*;

    #[test]
    fn figures_are_read_and_others_refused() {
        let asked = |text: &str| AuditQuestion::parse(text).map(|own| (own.function, own.column));
        let cost = || Some("cost".to_owned());
        assert_eq!(asked("select sum(cost) from data"), Ok((Function::Sum, cost())));
        assert_eq!(asked(" SELECT  Max (cost) from data where a = 1"), Ok((Function::Max, cost())));
        assert_eq!(asked("select min(cost) from data"), Ok((Function::Min, cost())));
        assert_eq!(asked("select avg(cost) from data"), Ok((Function::Average, cost())));
        assert_eq!(asked("select count(*) from data"), Ok((Function::Count, None)));
        for refused in [
            "select sum(a), sum(b) from data",
            "select a, sum(b) from data group by a",
            "select median(cost) from data",
            "select count(cost) from data",
            "select max(a), max(b) from data",
            "select maximum from data",
            "drop table data",
            "",
        ] {
            assert!(AuditQuestion::parse(refused).is_err(), "{refused}");
        }
    }

    #[test]
    fn conditions_take_records_one_by_one() {
        let csv = b"id,age,day,ward\n1,30,1990-05-01,A\n2,,1991-01-01,B\n3,x,1980-01-01,A\n4,41.5,,C\n";
        let options = ReadOptions { header: Some(true), ..ReadOptions::default().exactly() };
        let table = read_csv_bytes(csv, &options).unwrap().table;
        for (condition, expected) in [
            ("age < 40", "1"),
            ("not age < 40", "4"),
            ("age is null", "2"),
            ("age is not null and ward <> 'C'", "1 3"),
            ("day < '1990-12-31'", "1 3"),
            ("ward in ('A', 'C') and not ward like 'C%'", "1 3"),
            ("ward = 'B' or age > 41", "2 4"),
        ] {
            let asked = AuditQuestion::parse(&format!("select count(*) from d where {condition}")).unwrap();
            let rows = taken(&asked.filter, &table);
            let ids: Vec<String> = rows
                .iter()
                .enumerate()
                .filter(|(_, own)| **own)
                .map(|(row, _)| (row + 1).to_string())
                .collect();
            assert_eq!(ids.join(" "), expected, "{condition}");
        }
    }
}
