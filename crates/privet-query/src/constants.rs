//! Constants that would be read as something else than they are meant: found before anything is charged, from what is declared
//! and from how they are written, never from the data.
//!
//! A cell is compared with a date as a date, with a number as a number, and with another text as a text (`condition.rs`). So
//! `birth_date < '1950'` would compare dates with a number, of which no date is one, and `'1950-1-1'` would be a text: both
//! are answered with confidence, and wrongly.

use privet_data::Kind;
use privet_data::hierarchy::HierarchySpec;
use privet_measure::answer::{Comparison, Literal, PrivateQuestion, Test};

use super::declared::{Declared, problem};
use super::error::QueryError;

/// Refuses constants that cannot be what their column holds.
///
/// # Errors
/// When there is one.
pub(super) fn check(question: &PrivateQuestion, declared: &Declared<'_>) -> Result<(), QueryError> {
    let mut wrong = None;
    question.filter.for_each_test(&mut |test| {
        if wrong.is_none() {
            wrong = mistaken(test, declared);
        }
    });
    wrong.map_or(Ok(()), |what| Err(problem(what)))
}

/// How texts are read that columns of which nothing is declared are ordered by.
pub(super) fn remarks(question: &PrivateQuestion, declared: &Declared<'_>) -> Vec<String> {
    let mut remarks = Vec::new();
    question.filter.for_each_test(&mut |test| match &test.comparison {
        Comparison::Order(_, Literal::Text(text))
            if declared.kind(&test.column).is_none() && Kind::Date.number(text).is_none() =>
        {
            let is_number = text.trim().parse::<f64>().is_ok();
            let kind = if is_number { "a number" } else { "a text, letter by letter" };
            remarks.push(format!("`{}` is compared with a constant that is read as {kind}.", test.column));
        }
        Comparison::In(list) => {
            // Without declared keys nothing is known of them; a declaration that is wrong is told where it is used.
            let Some(keys) = declared.listed_keys(&test.column) else { return };
            let is_key = |own: &Literal| match own {
                Literal::Number(number, text) => {
                    keys.iter().any(|key| key == text || key.parse::<f64>() == Ok(*number))
                }
                Literal::Text(text) => keys.iter().any(|key| key.eq_ignore_ascii_case(text)),
            };
            if !list.iter().all(is_key) {
                remarks.push(format!(
                    "`{}` is compared with a constant that is none of its declared keys.",
                    test.column
                ));
            }
        }
        _ => {}
    });
    remarks.dedup();
    remarks
}

/// What is wrong with the constants of a test.
fn mistaken(test: &Test, declared: &Declared<'_>) -> Option<String> {
    let column = &test.column;
    let literals: Vec<&Literal> = match &test.comparison {
        Comparison::Order(_, literal) => vec![literal],
        Comparison::In(list) => list.iter().collect(),
        Comparison::Like(_) | Comparison::IsNull => return None,
    };
    let is_day =
        |literal: &Literal| matches!(literal, Literal::Text(text) if Kind::Date.number(text).is_some());
    let is_number = |literal: &Literal| match literal {
        Literal::Number(..) => true,
        Literal::Text(text) => text.trim().parse::<f64>().is_ok_and(f64::is_finite),
    };
    let written = "dates are written as '1990-12-31'";
    // A column of numbers may hold a text such as `n/a`, which can be asked for; it cannot be larger or smaller.
    let is_order = matches!(test.comparison, Comparison::Order(..));
    match declared.kind(column) {
        Some(Kind::Date) if !literals.iter().all(|own| is_day(own)) => {
            Some(format!("`{column}` holds dates, and is compared with something else; {written}"))
        }
        Some(Kind::Decimal) if is_order && !literals.iter().all(|own| is_number(own)) => Some(format!(
            "`{column}` is declared to hold numbers, and is compared with something that is none"
        )),
        None if is_order => {
            let looks_like_one = |own: &&&Literal| {
                matches!(own, Literal::Text(text) if looks_like_a_day(text)) && !is_day(own)
            };
            let found = literals.iter().find(looks_like_one);
            found
                .map(|_| format!("`{column}` is compared with what looks like a date and is none; {written}"))
        }
        _ => None,
    }
}

/// Three numbers between dots, dashes or slashes, as people write days.
fn looks_like_a_day(text: &str) -> bool {
    ['-', '.', '/'].into_iter().any(|between| {
        let parts: Vec<&str> = text.trim().split(between).collect();
        let is_part =
            |part: &&str| (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        parts.len() == 3 && parts.iter().all(is_part) && parts.iter().any(|part| part.len() != 3)
    })
}

impl Declared<'_> {
    /// What is declared of the values of a column: numbers where there are bounds or intervals, dates where a hierarchy is of
    /// dates.
    fn kind(&self, column: &str) -> Option<Kind> {
        let own = self.job.and_then(|(job, _)| job.columns.get(column));
        match own.and_then(|own| own.hierarchy.as_ref()) {
            Some(HierarchySpec::Dates(_)) => return Some(Kind::Date),
            Some(HierarchySpec::Intervals(_)) => return Some(Kind::Decimal),
            _ => {}
        }
        let by_flag =
            self.flags.bounds.iter().any(|own| own.split_once('=').is_some_and(|own| own.0.trim() == column));
        (by_flag || own.is_some_and(|own| own.bounds.is_some())).then_some(Kind::Decimal)
    }
}

#[cfg(test)]
mod tests {
    use super::looks_like_a_day;

    #[test]
    fn days_as_people_write_them() {
        for text in ["1950-1-1", "01.01.1950", "1/2/50", "1950-13-01"] {
            assert!(looks_like_a_day(text), "{text}");
        }
        for text in ["1950", "abc", "", "1.5", "192.168.1.1", "555-123-456", "a-b-c", "12345-1-1"] {
            assert!(!looks_like_a_day(text), "{text}");
        }
    }
}
