//! Cells that a spreadsheet would take for formulas: `=cmd|'/c calc'!A0` is a command for whoever opens a CSV.
//!
//! Published as they are they reach everybody who opens a release. They are counted and told of, and with
//! [`Formulas::Prefix`] a table is read with an apostrophe before each, which spreadsheets take for the mark of a text. That
//! happens when a table is read and not when it is written, so that a release and its original say the same.

use std::io::{self, BufRead};

use serde::{Deserialize, Serialize};

use super::options::ReadOptions;
use super::view::ViewColumn;
use crate::{Cells, Domain, Table};

/// What becomes of cells that a spreadsheet would take for formulas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Formulas {
    /// They stay as they are.
    #[default]
    Keep,
    /// They begin with an apostrophe.
    Prefix,
}

/// Whether a spreadsheet would take a text for a formula. Numbers with a sign are none, and a sign or an `@` before words
/// is an error to a spreadsheet and no command.
pub fn is_formula(text: &str) -> bool {
    let text = text.trim_start_matches(['\t', '\r', '\n', ' ']);
    let mut letters = text.chars();
    match letters.next() {
        Some('=' | '\u{ff1d}') => letters.next().is_some(),
        Some('+' | '-' | '@' | '\u{ff0b}' | '\u{ff0d}' | '\u{ff20}') => text.contains(['(', '|', '!']),
        _ => false,
    }
}

/// How many cells of a CSV are formulas. Cells are between commas, and a quotation mark is `"`, as in everything that is published; the
/// names of columns count.
///
/// # Errors
/// When the source has an error.
///
/// # Examples
/// ```
/// use privet_data::io::formulas_of_csv;
///
/// let text = b"name,age\n\"=cmd|'x'!A0\",30\n-5,\"a \"\"=b\"\"\"\n";
/// assert_eq!(formulas_of_csv(&text[..])?, 1);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn formulas_of_csv(mut source: impl BufRead) -> io::Result<u64> {
    let (mut cell, mut is_quoted, mut found) = (Vec::new(), false, 0);
    let end = |cell: &mut Vec<u8>| {
        let is_one = is_formula(&String::from_utf8_lossy(cell));
        cell.clear();
        u64::from(is_one)
    };
    loop {
        let bytes = source.fill_buf()?;
        if bytes.is_empty() {
            return Ok(found + end(&mut cell));
        }
        for &byte in bytes {
            match byte {
                b'"' => is_quoted = !is_quoted,
                b',' | b'\n' | b'\r' if !is_quoted => found += end(&mut cell),
                _ if cell.len() < MOST_OF_A_CELL => cell.push(byte),
                _ => {}
            }
        }
        let read = bytes.len();
        source.consume(read);
    }
}

/// So many bytes of a cell are looked at.
const MOST_OF_A_CELL: usize = 1 << 16;

/// Puts an apostrophe before every formula of a table, when that is asked for.
pub(super) fn prefix(table: &mut Table, options: &ReadOptions) {
    if options.formulas == Formulas::Keep {
        return;
    }
    for column in &mut table.columns {
        if !column.domain.texts().iter().any(|text| is_formula(text)) {
            continue;
        }
        // A text that is there with its apostrophe already is the same from now on.
        let mut places = std::collections::HashMap::new();
        let mut texts: Vec<Box<str>> = Vec::new();
        let mut text_of = Vec::with_capacity(column.domain.len());
        for text in column.domain.texts() {
            let text: Box<str> = match is_formula(text) {
                true => format!("'{text}").into(),
                false => text.clone(),
            };
            text_of.push(*places.entry(text).or_insert_with_key(|text| {
                texts.push(text.clone());
                texts.len() - 1
            }));
        }
        let missing: Vec<Box<str>> = (0..column.domain.len() as u32)
            .filter(|&code| column.domain.is_missing(code))
            .map(|code| column.domain.text(code).into())
            .collect();
        let (domain, code_of) = Domain::canonical(texts, |text| missing.iter().any(|own| &**own == text));
        column.codes.iter_mut().for_each(|code| *code = code_of[text_of[*code as usize]]);
        column.domain = domain;
        column.cells = Cells::Plain;
    }
}

/// Per code, or entry, of a column that is published whether its cell is a formula; `None` when none is.
pub(super) fn flags(column: &ViewColumn<'_>) -> Option<Vec<bool>> {
    let flags: Vec<bool> = match &column.labels {
        Some(labels) => labels.iter().map(|text| is_formula(text)).collect(),
        None => column.column.domain.texts().iter().map(|text| is_formula(text)).collect(),
    };
    flags.contains(&true).then_some(flags)
}

/// The same per entry of a column that is written in chunks.
pub(super) fn flags_of_entries(column: &ViewColumn<'_>) -> Option<Vec<bool>> {
    let flags = flags(column)?;
    let codes = column.codes.unwrap_or(&column.column.codes);
    Some(codes.iter().map(|&code| flags[code as usize]).collect())
}

/// How many formulas the kept records of a view have.
pub(super) fn count(columns: &[ViewColumn<'_>], keeps: impl Fn(usize) -> bool) -> u64 {
    let of_column = |column: &ViewColumn<'_>| {
        let Some(flags) = flags(column) else { return 0 };
        let codes = column.codes.unwrap_or(&column.column.codes).iter().enumerate();
        codes.filter(|&(row, &code)| flags[code as usize] && keeps(row)).count() as u64
    };
    columns.iter().map(of_column).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Progress;
    use crate::io::{Dialect, Format, View, read_csv_bytes, write};
    use crate::progress::Notice;

    #[test]
    fn formulas_are_told_from_numbers_and_words() {
        for text in
            ["=1+1", "=cmd|'/c calc'!A0", "+A1(", "-2+3+cmd|' /C calc'!A0", "@SUM(A1)", "\t=x", "\u{ff1d}x"]
        {
            assert!(is_formula(text), "{text}");
        }
        for text in ["", "=", "-", "-5", "+49 170 1234567", "-1e5", "@somebody", "a=b", "- none", "'=x"] {
            assert!(!is_formula(text), "{text}");
        }
    }

    const TABLE: &[u8] = b"name,age\n=HYPERLINK(1),30\n\"=HYPERLINK(1)\",?\n'=HYPERLINK(1),41\nann,-5\n";

    #[test]
    fn formulas_are_read_as_texts_when_that_is_asked_for() {
        let options =
            ReadOptions { formulas: Formulas::Prefix, missing: vec!["?".into()], ..ReadOptions::default() };
        let input = read_csv_bytes(TABLE, &options).unwrap();
        let names = &input.table.columns[0];
        assert_eq!(
            names.domain.texts().iter().map(|text| &**text).collect::<Vec<_>>(),
            ["'=HYPERLINK(1)", "ann"]
        );
        assert_eq!(names.codes, [0, 0, 0, 1]);
        assert_eq!(input.table.columns[1].domain.len(), 4, "numbers stay");
    }

    #[derive(Default)]
    struct Heard(std::sync::Mutex<Vec<Notice>>);

    impl Progress for Heard {
        fn stage(&self, _name: &str, _total: Option<u64>) {}
        fn at(&self, _done: u64) {}
        fn notice(&self, notice: Notice) {
            self.0.lock().unwrap().push(notice);
        }
    }

    #[test]
    fn formulas_that_are_written_to_a_csv_are_told() {
        let input = read_csv_bytes(TABLE, &ReadOptions::default()).unwrap();
        let columns: Vec<ViewColumn<'_>> = input.table.columns.iter().map(ViewColumn::unchanged).collect();
        let told = |format, kept: &[bool]| {
            let view = View { columns: columns.clone(), rows: 4, kept: Some(kept) };
            let heard = Heard::default();
            write(Vec::new(), &view, format, &Dialect::default(), &heard).unwrap();
            heard.0.into_inner().unwrap()
        };
        assert_eq!(told(Format::Csv, &[true; 4]), [Notice::Formulas { cells: 2 }]);
        assert_eq!(told(Format::Csv, &[false, true, true, true]), [Notice::Formulas { cells: 1 }]);
        assert_eq!(told(Format::Csv, &[false, false, true, true]), []);
        assert_eq!(told(Format::Parquet, &[true; 4]), []);
    }
}
