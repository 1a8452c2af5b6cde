//! Which records a condition takes.
//!
//! Guarantee: whether a record is taken depends on that record and the question alone. A release's questions may read a
//! column by its kind (numbers, dates, texts); the kind is found from all values, so one person's odd value could change
//! what is counted of everybody, and no noise is made for that. Here every cell is read by itself: compared with a
//! number it is a number or nothing, with a date a date or nothing, with another text a text.

use super::cell::cell_number as number;
use super::mask::like;
use super::question::{Comparison, Condition, Literal, Order, Test};
use privet_data::{Column, Kind, Table};

/// Per record whether it is taken. Columns that the table does not have pass no test; the caller has read them all.
pub fn taken(condition: &Condition, table: &Table) -> Vec<bool> {
    match condition {
        Condition::All(parts) => join(parts, table, true),
        Condition::Any(parts) => join(parts, table, false),
        Condition::Test(test) => match table.column(&test.column) {
            Some(column) => {
                let passes = passing(test, column);
                column.codes.iter().map(|&code| passes.get(code as usize).copied().unwrap_or(false)).collect()
            }
            None => vec![false; table.rows],
        },
    }
}

fn join(parts: &[Condition], table: &Table, all: bool) -> Vec<bool> {
    let mut rows = vec![all; table.rows];
    for part in parts {
        for (row, own) in rows.iter_mut().zip(taken(part, table)) {
            *row = if all { *row && own } else { *row || own };
        }
    }
    rows
}

/// Per code of the column whether it passes.
fn passing(test: &Test, column: &Column) -> Vec<bool> {
    let domain = &column.domain;
    let one = |code: u32| match (&test.comparison, domain.is_missing(code)) {
        (Comparison::IsNull, missing) => missing != test.negated,
        (_, true) => false,
        (comparison, false) => passes(comparison, domain.text(code)).is_some_and(|own| own != test.negated),
    };
    (0..domain.len() as u32).map(one).collect()
}

/// Whether a text passes; none when it cannot be compared, which is neither true nor false.
fn passes(comparison: &Comparison, text: &str) -> Option<bool> {
    match comparison {
        Comparison::IsNull => None,
        Comparison::Like(form) => Some(like(text, form)),
        Comparison::In(list) => Some(list.iter().any(|literal| equal(literal, text))),
        Comparison::Order(order, literal) => compare(*order, literal, text),
    }
}

fn day(text: &str) -> Option<f64> {
    Kind::Date.number(text)
}

fn equal(literal: &Literal, text: &str) -> bool {
    match literal {
        Literal::Number(constant, written) => number(text) == Some(*constant) || text == written,
        Literal::Text(constant) => {
            let is_flag = ["true", "false"].iter().any(|word| constant.eq_ignore_ascii_case(word));
            text == constant
                || is_flag && text.eq_ignore_ascii_case(constant)
                || day(constant).is_some_and(|constant| day(text) == Some(constant))
        }
    }
}

fn compare(order: Order, literal: &Literal, text: &str) -> Option<bool> {
    let ordering = match literal {
        Literal::Number(constant, _) => number(text)?.partial_cmp(constant)?,
        Literal::Text(constant) => match (day(constant), number(constant)) {
            (Some(constant), _) => day(text)?.partial_cmp(&constant)?,
            (None, Some(constant)) => number(text)?.partial_cmp(&constant)?,
            (None, None) => text.cmp(constant),
        },
    };
    Some(order.holds(ordering))
}

#[cfg(test)]
mod tests {
    use super::super::PrivateQuestion;
    use super::*;
    use privet_data::io::{ReadOptions, read_csv_bytes};

    const PEOPLE: &str = "id,age,day,zip,smokes\n1,30,1990-05-01,01234,yes\n2,,1991-01-01,12345,TRUE\n\
                          3,forty,x,012,true\n4,41.5,1989-12-31,abc,\n";

    fn ids(csv: &str, condition: &str) -> Vec<String> {
        let options = ReadOptions { header: Some(true), ..ReadOptions::default().exactly() };
        let table = read_csv_bytes(csv.as_bytes(), &options).unwrap().table;
        let question = PrivateQuestion::parse(&format!("select count(*) from d where {condition}")).unwrap();
        let rows = taken(&question.filter, &table);
        let id = table.column("id").unwrap();
        let rows = id.codes.iter().zip(rows).filter(|(_, own)| *own);
        rows.map(|(&code, _)| id.domain.text(code).to_owned()).collect()
    }

    #[test]
    fn cells_are_read_one_by_one() {
        for (condition, expected) in [
            ("age < 40", "1"),
            ("not age < 40", "4"),
            ("age <> 30", "3 4"),
            ("age is null", "2"),
            ("age is not null and age >= 30", "1 4"),
            ("day < '1990-01-01'", "4"),
            ("day between '1990-01-01' and '1991-12-31'", "1 2"),
            ("zip like '012%'", "1 3"),
            ("zip = 1234", "1"),
            ("zip < '2000'", "1 3"),
            ("smokes = true", "2 3"),
            ("smokes in ('yes', 'no')", "1"),
            ("smokes not in ('yes')", "2 3"),
            ("age = 30 or zip = 'abc'", "1 4"),
            ("not (age = 30 or zip = 'abc')", "3"),
        ] {
            assert_eq!(ids(PEOPLE, condition).join(" "), expected, "{condition}");
        }
    }

    /// One person's odd value changes nothing for the others, whatever it does to the kind of the column.
    #[test]
    fn a_record_is_judged_by_itself() {
        let others = "id,age,day,zip,smokes\n1,30,1990-05-01,01234,yes\n5,7,1970-01-01,9,no\n";
        for odd in ["x,x,x,x,x", "9,,,,", "9,1e999,2000-02-30,-,TRUE", "9,30,1990-05-01,01234,yes"] {
            for condition in ["age < 40", "age <> 7", "day >= '1980-01-01'", "zip > 100", "smokes <> 'no'"] {
                let with = format!("{others}{odd}\n");
                let mut taken = ids(&with, condition);
                let odd = odd.split(',').next().unwrap();
                taken.retain(|id| id != odd);
                assert_eq!(taken, ids(others, condition), "{condition} beside {odd}");
            }
        }
    }
}
