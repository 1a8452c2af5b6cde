//! Whether the first line of a CSV names its columns or is a record.
//!
//! A name hardly ever stands below itself, and a record's values do: a first cell that occurs again in its column speaks for a
//! record. A text over a column of numbers, dates or yes and no speaks for a header. Where every column is text, how surprising
//! it would be that a record has a new value in all of them is bounded by the share of values that occur once (Good and
//! Turing's estimate of the values not seen yet). What is left undecided, or speaks for both, is refused: a first record that
//! is taken for a header would be published as names, past every promise.

use std::collections::{HashMap, HashSet};

use super::options::ReadOptions;
use super::spelling::Spelling;
use crate::Kind;

/// What the cells say.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Evidence {
    Header,
    Record,
    Doubt(&'static str),
}

/// A record with nothing but new values is rarer than this: then the first line is none.
const RARE: f64 = 0.02;
/// So many of the values below must be numbers for the column to be one of numbers.
const MOSTLY: f64 = 0.8;
/// With fewer records nothing can be said of which values are usual, and nothing of them be published.
const FEW: usize = 3;

/// Texts that stand in records for what nobody knows, and are no names of columns.
const MARKERS: [&str; 13] =
    ["?", "-", "--", ".", "na", "n/a", "#n/a", "nan", "null", "none", "unknown", "missing", "\\n"];

/// Judges a first line by the cells below it, column by column.
pub(super) fn judge(first: &[String], below: &[Vec<String>], options: &ReadOptions) -> Evidence {
    let records = below.iter().map(Vec::len).max().unwrap_or(0);
    // Nothing below: nothing is published of it, whatever it is.
    if records == 0 || is_asked_for(first, options) {
        return Evidence::Header;
    }
    if first.iter().any(|cell| !cell.is_empty()) && (0..records).any(|row| is_again(first, below, row)) {
        return Evidence::Doubt("the first line occurs again below");
    }
    let (mut named, mut measured, mut usual, mut recurring) = (0_u32, 0_u32, 0_u32, 0_u32);
    let mut all_new = 1.0_f64;
    let mut are_names = true;
    for (cell, below) in first.iter().zip(below) {
        if cell.trim().is_empty() || options.is_missing(cell) || is_marker(cell) {
            are_names = false;
            continue;
        }
        let values: Vec<&str> = below
            .iter()
            .map(|value| value.trim())
            .filter(|value| !value.is_empty() && !options.is_missing(value) && !is_marker(value))
            .collect();
        match (measure(cell), measure_of(&values)) {
            (None, Some(_)) => named += 1,
            (Some(own), Some(column)) if own == column => {
                measured += 1;
                usual += u32::from(is_within(cell, &values));
            }
            (Some(_), Some(_)) => named += 1,
            // A year over names is no name of a column, and neither is it one of them.
            (Some(_), None) => are_names = false,
            (None, None) => {
                let mut counts: HashMap<&str, usize> = HashMap::new();
                values.iter().for_each(|value| *counts.entry(value).or_default() += 1);
                let once = counts.values().filter(|&&count| count == 1).count();
                if counts.contains_key(cell.trim()) {
                    recurring += 1;
                } else if values.len() >= FEW {
                    all_new *= (once as f64 + 0.5) / (values.len() as f64 + 1.0);
                }
            }
        }
        are_names &= is_name(cell);
    }
    let distinct: HashSet<&str> = first.iter().map(String::as_str).collect();
    match (named, measured, recurring) {
        (0, 0, 0) if all_new < RARE => Evidence::Header,
        (0, 0, 0) if are_names && distinct.len() == first.len() && looks_apart(first, below) => {
            Evidence::Header
        }
        // Nothing that hides anybody can be published of so few.
        (0, 0, 0) if records < FEW => Evidence::Header,
        (0, 0, 0) => Evidence::Doubt("every column is text, and its cells do not tell names from values"),
        (0, _, _) => Evidence::Record,
        (1.., _, 1..) => Evidence::Doubt(
            "some of its cells occur again in their columns, and others are words over numbers",
        ),
        // Years are names of columns beside others that are words, over numbers of another size.
        (1.., _, 0) if usual == 0 => Evidence::Header,
        (1.., _, 0) => Evidence::Doubt(
            "some of its cells are words over numbers, and others are numbers like those below",
        ),
    }
}

/// Whether a number or date lies between others.
fn is_within(cell: &str, values: &[&str]) -> bool {
    let kind = Kind::of(values.iter().copied().chain([cell]));
    let Some(own) = kind.number(cell.trim()) else { return values.contains(&cell.trim()) };
    let numbers = || values.iter().filter_map(|value| kind.number(value));
    numbers().any(|number| number <= own) && numbers().any(|number| number >= own)
}

/// Whether every column that is asked for is named in the line.
fn is_asked_for(first: &[String], options: &ReadOptions) -> bool {
    let asked = options.columns.iter().flatten().chain(options.spelling_of.keys());
    let mut asked = asked.peekable();
    asked.peek().is_some() && asked.all(|name| first.contains(name))
}

fn is_again(first: &[String], below: &[Vec<String>], row: usize) -> bool {
    first.len() > 1 && first.iter().zip(below).all(|(cell, below)| below.get(row) == Some(cell))
}

fn is_marker(text: &str) -> bool {
    MARKERS.contains(&text.trim().to_ascii_lowercase().as_str())
}

/// What values are measured in, where they are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    Number,
    Date,
    Truth,
}

fn measure(text: &str) -> Option<Measure> {
    match Kind::of(std::iter::once(text.trim())) {
        Kind::Integer | Kind::Decimal => Some(Measure::Number),
        Kind::Date => Some(Measure::Date),
        Kind::Boolean => Some(Measure::Truth),
        Kind::Text => match Spelling::of(std::iter::once(text)) {
            Some(Spelling::DecimalComma | Spelling::DecimalPoint) => Some(Measure::Number),
            Some(_) => Some(Measure::Date),
            // 03/04/2003 is a date although nobody knows which.
            None if Spelling::DayMonthYear.plain(text).is_some() => Some(Measure::Date),
            None if Spelling::DecimalComma.plain(text).is_some() => Some(Measure::Number),
            None => None,
        },
    }
}

/// What most values of a column are measured in.
fn measure_of(values: &[&str]) -> Option<Measure> {
    let kinds: Vec<Option<Measure>> = values.iter().map(|value| measure(value)).collect();
    [Measure::Number, Measure::Date, Measure::Truth].into_iter().find(|&kind| {
        let share =
            kinds.iter().filter(|&&own| own == Some(kind)).count() as f64 / values.len().max(1) as f64;
        match kind {
            // An f alone is no no.
            Measure::Truth => share >= 1.0 && values.iter().collect::<HashSet<_>>().len() > 1,
            _ => share >= MOSTLY,
        }
    })
}

/// Whether a cell could be the name of a column: a short text without the marks of addresses and sentences.
fn is_name(cell: &str) -> bool {
    let cell = cell.trim();
    cell.chars().count() <= 60
        && !cell.contains(['@', '!', '?', '"'])
        && cell.chars().any(char::is_alphabetic)
        && measure(cell).is_none()
}

/// Whether the line is written in another way than those below: words joined by underscores or by capitals, or in small or
/// capital letters throughout where the values are not.
fn looks_apart(first: &[String], below: &[Vec<String>]) -> bool {
    let is_joined = |text: &str| {
        let letters: Vec<char> = text.chars().collect();
        let is_camel = letters.windows(2).any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase());
        !text.contains(' ') && (text.contains('_') || is_camel)
    };
    let is_small = |text: &str| !text.chars().any(char::is_uppercase);
    let is_capital = |text: &str| !text.chars().any(char::is_lowercase);
    let all = |is: &dyn Fn(&str) -> bool| first.iter().all(|cell| is(cell));
    let share = |is: &dyn Fn(&str) -> bool| {
        let cells = below.iter().flatten().filter(|cell| !cell.is_empty());
        let (all, fitting) =
            cells.fold((0_u32, 0_u32), |(all, fitting), cell| (all + 1, fitting + u32::from(is(cell))));
        f64::from(fitting) / f64::from(all.max(1))
    };
    first.iter().any(|cell| is_joined(cell)) && share(&is_joined) < 0.05
        || all(&is_small) && share(&is_small) < 0.2
        || all(&is_capital) && share(&is_capital) < 0.2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{ReadErrorKind, read_csv_bytes};

    fn judged(text: &str) -> Option<bool> {
        match read_csv_bytes(text.as_bytes(), &ReadOptions::default()) {
            Ok(input) => Some(input.dialect.unwrap().header),
            Err(error) => {
                assert!(matches!(error.kind, ReadErrorKind::HeaderInDoubt { .. }), "{error}");
                None
            }
        }
    }

    #[test]
    fn a_text_over_numbers_is_a_name() {
        for text in [
            "age,sex\n30,m\n",
            "id,2019,2020\n1,5,6\n",
            "age,note\n30,a\n?,b\n31,c\n32,d\n33,e\n",
            "paid\nyes\nno\n",
        ] {
            assert_eq!(judged(text), Some(true), "{text}");
        }
        assert_eq!(judged("cost;day\n1,5;31.12.1999\n2,5;01.01.2000\n"), Some(true));
    }

    #[test]
    fn a_number_over_numbers_is_a_record() {
        for text in
            ["30,m\n40,f\n", "x,2020-01-01\ny,2021-01-01\n", "30,\n40,5\n", "x;31.12.1999\ny;01.01.2000\n"]
        {
            assert_eq!(judged(text), Some(false), "{text}");
        }
        assert_eq!(judged("?,34,Bonn\n12,35,Bonn\n13,36,Köln\n"), Some(false), "a marker is no name");
    }

    /// The first person of a table without a header was published as the names of its columns.
    #[test]
    fn a_value_that_occurs_again_in_its_column_is_no_name() {
        let people = "Ann,Bonn,flu\nBob,Köln,flu\nCid,Bonn,cold\nDoe,Köln,flu\nEve,Bonn,flu\n";
        assert_eq!(judged(people), Some(false));
        assert_eq!(judged(&format!("name,city,illness\n{}", people.repeat(20))), Some(true));
    }

    #[test]
    fn what_does_not_tell_is_in_doubt() {
        for text in [
            "Ann,Bonn\nBob,Köln\nCid,Ulm\nDoe,Trier\nEve,Jena\n",
            "Smith,Berlin,fasting\nDoe,Bonn,satt\nRoe,Ulm,mixed\nPoe,Jena,none given\n",
            // Values of the first column occur again, and the second is a column of numbers.
            "flu,none known,x\nflu,34,y\ncold,35,z\nflu,36,w\n",
            "name,city\nAnn,Bonn\nname,city\nBob,Ulm\n",
            // A person who refused to say the income, and was born between the others.
            "Smith,refused,1975\nDoe,2000,1980\nRoe,2500,1960\n",
        ] {
            assert_eq!(judged(text), None, "{text}");
        }
    }

    #[test]
    fn names_that_are_written_apart_are_a_header() {
        assert_eq!(judged("last_name,home_town\nSmith,Berlin\nDoe,Bonn\n"), Some(true));
        assert_eq!(judged("name,city\nSmith,Berlin\nDoe,Bonn\n"), Some(true));
        assert_eq!(judged("NAME,CITY\nSmith,Berlin\nDoe,Bonn\n"), Some(true));
    }

    #[test]
    fn columns_that_are_asked_for_settle_it() {
        let options = ReadOptions { columns: Some(vec!["x".into()]), ..ReadOptions::default() };
        let text = "x,y\np,q\nr,s\nt,u\nv,w\n";
        assert_eq!(judged(text), None);
        assert_eq!(read_csv_bytes(text.as_bytes(), &options).unwrap().names, ["x", "y"]);
        assert_eq!(judged("a,b\n"), Some(true), "nothing below");
        assert_eq!(judged("x,y\np,q\n"), Some(true), "too few to be published");
    }
}
