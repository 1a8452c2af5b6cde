//! From the cells of a sheet to a table: where the header is, which cells are records, and what is odd about them.
//!
//! Nothing is left out or changed silently. What can be read in one way only is read and reported ([`Notice::Sheet`]); what could be
//! read in two ways is refused with the key that decides. No message holds a value.
//!
//! [`Notice::Sheet`]: crate::Notice::Sheet

use std::collections::BTreeSet;

use super::super::cell::{needs_quotes, push_quoted};
use super::super::dialect::detect;
use super::super::error::ReadErrorKind;
use super::super::options::ReadOptions;
use super::super::spelling::Spelling;
use super::value::Value;
use super::workbook::Cells;
use crate::Kind;

/// A sheet as the text of a CSV.
pub(super) struct Layout {
    /// The CSV, with commas and usual quotation marks.
    pub csv: Vec<u8>,
    /// Whether the first line names the columns.
    pub has_header: bool,
    /// Per record its row in the sheet, counted from 1.
    pub rows: Vec<u32>,
    /// What a person should know, in sentences.
    pub findings: Vec<String>,
}

/// Names of columns in which numbers are likely dates that lost their format.
const DATES: [&str; 12] = [
    "date",
    "datum",
    "birth",
    "born",
    "dob",
    "geburt",
    "fecha",
    "naissance",
    "admitted",
    "admission",
    "discharge",
    "day",
];

/// Rows by which a header is told from a record.
const SAMPLE: usize = 500;

/// A row of the sheet: its number from 0 and its cells by column.
struct Row<'a> {
    number: u32,
    cells: Vec<Option<&'a Value>>,
}

/// The letters of a column, as spreadsheets have them.
pub(super) fn letters(mut column: u32) -> String {
    let mut letters = Vec::new();
    loop {
        letters.push(char::from(b'A' + (column % 26) as u8));
        match column / 26 {
            0 => break,
            more => column = more - 1,
        }
    }
    letters.iter().rev().collect()
}

/// How many rows above the header are no part of the table: those with one cell where the table has more columns.
pub(super) fn rows_above(sheet: &Cells) -> u32 {
    let mut above = 0;
    let mut cells = sheet.cells.iter().peekable();
    while let Some((row, first, _)) = cells.next() {
        let mut last = *first;
        while let Some((_, column, _)) = cells.next_if(|(own, _, _)| own == row) {
            last = *column;
        }
        let is_one = last == *first;
        if !is_one {
            return above;
        }
        above = row + 1;
    }
    // Rows of one cell throughout are a table of one column.
    0
}

fn refuse(problem: String) -> ReadErrorKind {
    ReadErrorKind::Sheet { problem }
}

/// Puts the table together.
pub(super) fn lay_out(sheet: &Cells, options: &ReadOptions, limit: u64) -> Result<Layout, ReadErrorKind> {
    let mut findings = Vec::new();
    if sheet.hidden > 0 {
        findings.push(format!("{} hidden sheets were not read", sheet.hidden));
    }
    if sheet.uncomputed > 0 {
        return Err(refuse(format!(
            "{} cells hold formulas whose results are not in the file; open it in a spreadsheet program, save it, and try again",
            sheet.uncomputed
        )));
    }
    let skip = u32::try_from(options.skip).unwrap_or(u32::MAX);
    let cells: Vec<&(u32, u32, Value)> = sheet.cells.iter().filter(|(row, _, _)| *row >= skip).collect();
    let used: BTreeSet<u32> = cells.iter().map(|(_, column, _)| *column).collect();
    let (Some(&first), Some(&last)) = (used.first(), used.last()) else {
        return Err(match options.skip {
            0 => ReadErrorKind::Empty,
            lines => ReadErrorKind::Skipped { lines },
        });
    };
    let empty: Vec<String> = (first..=last).filter(|column| !used.contains(column)).map(letters).collect();
    if !empty.is_empty() {
        findings.push(format!("empty columns are left out: {}", empty.join(", ")));
    }
    let columns: Vec<u32> = used.into_iter().collect();
    let rows = rows(&cells, &columns, limit)?;
    blank_rows(&rows, &mut findings);

    let header = match options.header {
        Some(false) => None,
        said => {
            let found = header(sheet, &rows, &columns, &mut findings)?;
            if let Some(own) = &found {
                check_names(&own.names, &columns)?;
            }
            let is_certain = said.is_some() || found.as_ref().is_some_and(|own| own.rows > 1);
            match is_certain || is_header(&rows, options)? {
                true => found,
                false => None,
            }
        }
    };
    let body = &rows[header.as_ref().map_or(0, |own| own.rows)..];
    let body_from = body.first().map_or(u32::MAX, |row| row.number);
    if let Some(merged) = sheet
        .merged
        .iter()
        .find(|own| own[2] >= body_from && columns.iter().any(|column| (own[1]..=own[3]).contains(column)))
    {
        return Err(refuse(format!(
            "cells of records are merged (from {}{}); unmerge them and fill each with its value, or leave out rows above the header \
             with skip",
            letters(merged[1]),
            merged[0] + 1
        )));
    }
    let names = header.as_ref().map(|own| own.names.clone());
    let spelled = |place: usize| {
        // As the reader calls columns without names.
        let name =
            names.as_ref().map_or_else(|| format!("column{}", place + 1), |names| names[place].clone());
        options.spelling_of.get(&name).copied()
    };
    for (place, &column) in columns.iter().enumerate() {
        let values: Vec<(u32, &Value)> =
            body.iter().filter_map(|row| Some((row.number, row.cells[place]?))).collect();
        let name = names.as_ref().map_or_else(|| letters(column), |names| format!("`{}`", names[place]));
        look(&name, column, &values, spelled(place), &mut findings)?;
    }

    let texts = body.iter().map(|row| {
        let text = |(place, cell): (usize, &Option<&Value>)| match (cell, spelled(place)) {
            (None, _) => String::new(),
            (Some(value), Some(spelling)) => value.spelled(spelling),
            (Some(value), None) => value.text(),
        };
        row.cells.iter().enumerate().map(text).collect()
    });
    let csv = csv(names.iter().cloned().chain(texts));
    Ok(Layout {
        csv,
        has_header: header.is_some(),
        rows: body.iter().map(|row| row.number + 1).collect(),
        findings,
    })
}

/// Lines of texts as a CSV.
fn csv(lines: impl Iterator<Item = Vec<String>>) -> Vec<u8> {
    let mut csv = Vec::new();
    for line in lines {
        for (place, text) in line.iter().enumerate() {
            if place > 0 {
                csv.push(b',');
            }
            match needs_quotes(text.as_bytes(), b',', b'"') {
                true => push_quoted(text.as_bytes(), b'"', &mut csv),
                // A blank line would not be a record.
                false if line.len() == 1 && text.is_empty() => csv.extend_from_slice(b"\"\""),
                false => csv.extend_from_slice(text.as_bytes()),
            }
        }
        csv.push(b'\n');
    }
    csv
}

/// The rows that hold something, with a place for every column.
fn rows<'a>(
    cells: &[&'a (u32, u32, Value)],
    columns: &[u32],
    limit: u64,
) -> Result<Vec<Row<'a>>, ReadErrorKind> {
    let mut rows: Vec<Row<'a>> = Vec::new();
    let per_row = 8 * columns.len() as u64 + 32;
    for (row, column, value) in cells.iter().copied() {
        if rows.last().is_none_or(|last| last.number != *row) {
            let needed = (rows.len() as u64 + 1) * per_row;
            if needed > limit {
                return Err(ReadErrorKind::TooLarge { needed, limit });
            }
            rows.push(Row { number: *row, cells: vec![None; columns.len()] });
        }
        if let (Some(own), Ok(place)) = (rows.last_mut(), columns.binary_search(column)) {
            own.cells[place] = Some(value);
        }
    }
    Ok(rows)
}

fn blank_rows(rows: &[Row<'_>], findings: &mut Vec<String>) {
    let blank: u64 = rows.windows(2).map(|two| u64::from(two[1].number - two[0].number - 1)).sum();
    if blank > 0 {
        findings.push(format!("{blank} empty rows between records are left out"));
    }
}

/// Whether the first row names the columns, as it would be found of a CSV.
fn is_header(rows: &[Row<'_>], options: &ReadOptions) -> Result<bool, ReadErrorKind> {
    let text = |cell: &Option<&Value>| cell.map_or_else(String::new, Value::text);
    let sample = rows.iter().take(SAMPLE).map(|row| row.cells.iter().map(text).collect());
    let plain = ReadOptions { delimiter: Some(b','), quote: Some(b'"'), ..options.clone() };
    Ok(detect(&csv(sample), rows.len() <= SAMPLE, &plain)?.header)
}

/// The names of the columns, and how many rows they take.
struct Header {
    names: Vec<String>,
    rows: usize,
}

fn header(
    sheet: &Cells,
    rows: &[Row<'_>],
    columns: &[u32],
    findings: &mut Vec<String>,
) -> Result<Option<Header>, ReadErrorKind> {
    let Some(first) = rows.first() else { return Ok(None) };
    let text = |row: &Row<'_>, place: usize| row.cells[place].map(Value::text);
    let across: Vec<&[u32; 4]> =
        sheet.merged.iter().filter(|own| own[0] == first.number && own[3] > own[1]).collect();
    if let (Some(from), Some(to)) = (columns.first(), columns.last())
        && columns.len() > 1
        && across.iter().any(|own| own[1] <= *from && own[3] >= *to)
    {
        return Err(refuse(format!(
            "row {} is one merged cell, a title; leave it out with skip = {}",
            first.number + 1,
            first.number + 1
        )));
    }
    if across.is_empty() {
        let names = (0..columns.len()).map(|place| text(first, place).unwrap_or_default()).collect();
        return Ok(Some(Header { names, rows: 1 }));
    }
    let Some(second) = rows.get(1) else {
        return Err(refuse("the header has merged cells and no row below it".to_owned()));
    };
    if second.number != first.number + 1 || across.iter().any(|own| own[2] != own[0]) {
        return Err(refuse(
            "the header has merged cells over more than one row; give it one row, or two of which the upper one groups columns"
                .to_owned(),
        ));
    }
    let names = columns.iter().enumerate().map(|(place, column)| {
        let group = across.iter().find(|own| (own[1]..=own[3]).contains(column));
        let upper = match group {
            Some(own) => columns.binary_search(&own[1]).ok().and_then(|start| text(first, start)),
            None => text(first, place),
        };
        match (upper, text(second, place)) {
            (Some(upper), Some(lower)) if !upper.is_empty() && !lower.is_empty() => {
                format!("{upper} {lower}")
            }
            (upper, lower) => lower.filter(|own| !own.is_empty()).or(upper).unwrap_or_default(),
        }
    });
    let names = names.collect();
    findings.push(format!(
        "rows {} and {} are a header with merged cells; their names are joined",
        first.number + 1,
        second.number + 1
    ));
    Ok(Some(Header { names, rows: 2 }))
}

/// Every column has a name of its own; told by the letters that the spreadsheet shows.
fn check_names(names: &[String], columns: &[u32]) -> Result<(), ReadErrorKind> {
    let mut seen = std::collections::BTreeMap::<&str, Vec<String>>::new();
    for (name, &column) in names.iter().zip(columns) {
        seen.entry(name).or_default().push(letters(column));
    }
    if let Some(unnamed) = seen.get("") {
        return Err(refuse(format!(
            "the header gives no name to column {}; name it, leave out rows above the header with skip, or set header = false",
            unnamed.join(", ")
        )));
    }
    match seen.values().find(|own| own.len() > 1) {
        Some(shared) => Err(refuse(format!(
            "columns {} have the same name; rename one, or set header = false if the first row is a record",
            shared.join(" and ")
        ))),
        None => Ok(()),
    }
}

/// Looks at the values of a column for what a person would not see in the table.
fn look(
    name: &str,
    column: u32,
    values: &[(u32, &Value)],
    spelling: Option<Spelling>,
    findings: &mut Vec<String>,
) -> Result<(), ReadErrorKind> {
    let count = |is: fn(&Value) -> bool| values.iter().filter(|(_, value)| is(value)).count();
    let numbers = count(|value| matches!(value, Value::Number(_)));
    let dates = count(|value| matches!(value, Value::Date(_)));
    let errors = count(|value| matches!(value, Value::Error(_)));
    let texts: Vec<(u32, &str)> = values
        .iter()
        .filter_map(|(row, value)| match value {
            Value::Text(text) => Some((*row, text.as_str())),
            _ => None,
        })
        .collect();
    if errors > 0 {
        findings.push(format!(
            "column {name} holds {errors} errors of formulas, such as #N/A; they are read as texts (list them under missing)"
        ));
    }
    if spelling.is_none() {
        // The same digits would mean one thing in a text and another in a number.
        let odd = |kind: &[Spelling], plain: fn(Kind) -> bool| {
            texts.iter().find(|(_, text)| {
                !plain(Kind::of([text.trim()].into_iter()))
                    && kind.iter().any(|own| own.plain(text).is_some())
            })
        };
        let of_numbers = [Spelling::DecimalComma, Spelling::DecimalPoint];
        let of_dates = [Spelling::DayMonthYear, Spelling::MonthDayYear, Spelling::YearMonthDay];
        let is_number = |kind: Kind| matches!(kind, Kind::Integer | Kind::Decimal);
        let is_date = |kind: Kind| matches!(kind, Kind::Date | Kind::Integer | Kind::Decimal);
        let found = match (numbers > 0, dates > 0) {
            (true, _) => odd(&of_numbers, is_number).map(|own| (own.0, "numbers", "decimal-comma")),
            (_, true) => odd(&of_dates, is_date).map(|own| (own.0, "dates", "day-month-year")),
            _ => None,
        };
        if let Some((row, what, word)) = found {
            return Err(refuse(format!(
                "column {name} holds {what}, and texts that are {what} in a spelling of their own (first in row {}); say which with \
                 spelling in [input], such as \"{word}\", or make them {what} in the spreadsheet",
                row + 1
            )));
        }
    }
    let as_text = texts
        .iter()
        .filter(|(_, text)| matches!(Kind::of([text.trim()].into_iter()), Kind::Integer | Kind::Decimal))
        .count();
    if numbers > 0 && as_text > 0 {
        findings.push(format!("column {name} holds {as_text} numbers that are stored as texts"));
    }
    if dates > 0 && numbers > 0 {
        findings.push(format!(
            "column {name} holds {dates} dates and {numbers} numbers; dates without a date format are read as numbers"
        ));
    }
    let is_day = |value: &Value| matches!(value, Value::Number(day) if (7_000.0..80_000.0).contains(day));
    let says_date = DATES.iter().any(|word| name.to_lowercase().contains(word));
    if says_date && dates == 0 && numbers > 0 && values.iter().all(|(_, value)| is_day(value)) {
        findings.push(format!(
            "column {name} ({}) may hold dates without a date format; they are read as numbers of days",
            letters(column)
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_the_letters_of_spreadsheets() {
        assert_eq!([0, 25, 26, 701, 702].map(letters), ["A", "Z", "AA", "ZZ", "AAA"]);
    }
}
