//! Spreadsheets: `.xlsx` and `.ods` in, `.xlsx` out.
//!
//! A sheet becomes the text of a CSV and takes the same way as every other table from there on, so each verb reads it and each rule about
//! cells, missing values and spellings holds for it. What spreadsheets add (merged headers, several sheets, dates as numbers, numbers as
//! texts, empty rows and columns, errors of formulas) is recognised here, and reported or refused; nothing is silently another value.

mod layout;
#[cfg(test)]
mod tests;
mod value;
mod workbook;
mod write;

use std::path::Path;

use super::error::ReadErrorKind;
use super::extent::input_limit;
use super::options::{Format, ReadOptions};
use crate::{Notice, Progress};

pub(super) use write::write_xlsx;

/// A sheet as the bytes of a CSV, and how these are read.
pub(super) struct Sheet {
    /// The CSV.
    pub csv: Vec<u8>,
    /// How it is read: as the options say, with what the sheet has made plain.
    pub options: ReadOptions,
    /// Per record its row in the sheet, counted from 1.
    rows: Vec<u32>,
}

impl Sheet {
    /// Where a record stands.
    pub fn place_of(&self, record: usize) -> Option<String> {
        self.rows.get(record).map(|row| format!("row {row}"))
    }
}

/// Reads a sheet and tells what is odd about it.
pub(super) fn read_sheet(
    path: &Path,
    options: &ReadOptions,
    progress: &dyn Progress,
) -> Result<Sheet, ReadErrorKind> {
    progress.stage("reading the spreadsheet", None);
    let limit = options.max_input.unwrap_or_else(input_limit);
    let cells = workbook::open(path, options.sheet.as_deref(), limit)?;
    progress.check()?;
    let layout = layout::lay_out(&cells, options, limit)?;
    for finding in layout.findings {
        progress.notice(Notice::Sheet { sheet: cells.sheet.clone(), finding });
    }
    let options = ReadOptions {
        format: Some(Format::Csv),
        delimiter: Some(b','),
        quote: Some(b'"'),
        header: Some(layout.has_header),
        skip: 0,
        encoding: None,
        ..options.clone()
    };
    Ok(Sheet { csv: layout.csv, options, rows: layout.rows })
}

/// How many rows above the header are no part of the table.
pub(super) fn rows_above(path: &Path, options: &ReadOptions) -> Result<u64, ReadErrorKind> {
    let limit = options.max_input.unwrap_or_else(input_limit);
    let cells = workbook::open(path, options.sheet.as_deref(), limit)?;
    Ok(u64::from(layout::rows_above(&cells)))
}

/// Refuses a file whose parts are more than memory is meant to hold, before it is parsed.
pub(super) fn check(path: &Path) -> Result<(), ReadErrorKind> {
    workbook::measure(path, input_limit()).map(|_| ())
}

/// Several spreadsheets are not one table: their sheets may differ in everything.
pub(super) fn only_one() -> ReadErrorKind {
    let problem = "a folder or pattern of spreadsheets is not read; name one file".to_owned();
    ReadErrorKind::Parts { problem }
}
