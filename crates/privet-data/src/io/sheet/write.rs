//! Writes a view as `.xlsx`: one sheet, a header, and every cell so that reading it back gives the same text.
//!
//! A text becomes a number only where the number is read back as that text, so that codes such as `00123` stay codes. No text is ever a
//! formula. The file holds no time and no name: the same view gives the same bytes.

use std::io::Write;

use rust_xlsxwriter::{DocProperties, ExcelDateTime, Format, Workbook, XlsxError};

use super::super::WriteError;
use super::super::view::View;
use super::value::Value;
use crate::{Cells, Progress};

/// A sheet has so many rows, one of which is the header.
const MOST_ROWS: u64 = 1_048_575;
/// More characters no cell holds.
const LONGEST: usize = 32_767;

fn failed(problem: &str) -> WriteError {
    WriteError::Format { format: "Excel", problem: problem.to_owned() }
}

fn of_library(error: XlsxError) -> WriteError {
    match error {
        XlsxError::IoError(error) => WriteError::Io(error),
        XlsxError::MaxStringLengthExceeded => {
            failed("a cell holds more than 32,767 characters; write csv or parquet")
        }
        XlsxError::RowColumnLimitError => failed("a sheet has 16,384 columns; write csv or parquet"),
        _ => failed("the writer refused a cell"),
    }
}

/// The number that a text may be written as.
fn number(text: &str) -> Option<f64> {
    let number: f64 = text.parse().ok().filter(|number: &f64| number.is_finite())?;
    (Value::Number(number).text() == text).then_some(number)
}

/// Writes the rows that are kept and returns how many there are.
pub(in super::super) fn write_xlsx<W: Write + Send>(
    mut sink: W,
    view: &View<'_>,
    progress: &dyn Progress,
) -> Result<u64, WriteError> {
    progress.stage("writing", Some(view.rows as u64));
    let kept = (0..view.rows).filter(|&row| view.keeps(row)).count() as u64;
    if kept > MOST_ROWS {
        return Err(failed("a sheet has 1,048,576 rows; write csv or parquet"));
    }
    let mut book = Workbook::new();
    let created = ExcelDateTime::from_ymd(2000, 1, 1).map_err(of_library)?;
    book.set_properties(&DocProperties::new().set_creation_datetime(&created));
    let sheet = book.add_worksheet();
    let bold = Format::new().set_bold();
    for (number, column) in (0..).zip(&view.columns) {
        sheet.write_string_with_format(0, number, &column.column.name, &bold).map_err(of_library)?;
    }
    sheet.set_freeze_panes(1, 0).map_err(of_library)?;
    // A row without any cell would not be read back.
    let mut filled = vec![false; usize::try_from(kept).unwrap_or(usize::MAX)];
    for (place, own) in (0_u16..).zip(&view.columns) {
        progress.check()?;
        let column = own.column;
        let (codes, texts) = match (&own.labels, own.codes, &column.cells) {
            // Cells that are equal and were written differently go out as they were.
            (None, None, Cells::Verbatim { codes, texts: Some(texts), .. }) => {
                (codes.as_slice(), texts.as_slice())
            }
            (labels, codes, _) => {
                let texts = labels.as_deref().unwrap_or(column.domain.texts());
                (codes.unwrap_or(&column.codes), texts)
            }
        };
        if texts.iter().any(|text| text.chars().count() > LONGEST) {
            return Err(of_library(XlsxError::MaxStringLengthExceeded));
        }
        if texts.iter().any(|text| text.contains(|c: char| c.is_control() && c != '\n' && c != '\t')) {
            return Err(failed(
                "a cell holds a control character, which sheets do not keep; write csv or parquet",
            ));
        }
        // Numbers beside texts would leave it to the reader which texts are numbers as well.
        let numbers: Option<Vec<Option<f64>>> = texts
            .iter()
            .map(|text| if text.is_empty() { Some(None) } else { number(text).map(Some) })
            .collect();
        for (line, row) in (1..).zip((0..view.rows).filter(|&row| view.keeps(row))) {
            let code = codes[row] as usize;
            let text = &*texts[code];
            if text.is_empty() {
                continue;
            }
            filled[line as usize - 1] = true;
            match numbers.as_ref().and_then(|numbers| numbers[code]) {
                Some(number) => sheet.write_number(line, place, number).map_err(of_library)?,
                None => sheet.write_string(line, place, text).map_err(of_library)?,
            };
        }
    }
    if filled.contains(&false) {
        return Err(failed(
            "a record has no value in any column, which a sheet cannot show; write csv or parquet",
        ));
    }
    let bytes = book.save_to_buffer().map_err(of_library)?;
    sink.write_all(&bytes)?;
    sink.flush()?;
    progress.at(view.rows as u64);
    Ok(kept)
}
