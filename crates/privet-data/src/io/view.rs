//! What is published of a table: some columns, as they were or with a label for each code, and some rows.

use std::io::Write;
use std::ops::Range;

use arrow_array::ArrayRef;
use rayon::prelude::*;

use super::options::{Dialect, Format};
use super::{WriteError, arrow_write, csv_write, formulas, sheet};
use crate::{Column, Notice, Progress};

/// A column to publish.
#[derive(Debug, Clone)]
pub struct ViewColumn<'a> {
    /// The column of the table.
    pub column: &'a Column,
    /// Per code the text to publish; `None` publishes the column as it was.
    pub labels: Option<Vec<Box<str>>>,
    /// One code per record, into the labels, where they are not those of the column: equal values may then be
    /// published differently.
    pub codes: Option<&'a [u32]>,
}

/// What a column publishes in Parquet and Arrow files.
#[derive(Debug, Clone)]
pub struct ArrowValues {
    /// Per code of the column where its value stands.
    pub places: Vec<u32>,
    /// The values.
    pub values: ArrayRef,
}

impl<'a> ViewColumn<'a> {
    /// A column that is published as it was.
    pub fn unchanged(column: &'a Column) -> Self {
        Self { column, labels: None, codes: None }
    }

    /// A column of which each value has a label.
    pub fn labelled(column: &'a Column, labels: Vec<Box<str>>) -> Self {
        Self { column, labels: Some(labels), codes: None }
    }

    /// What is published in Parquet and Arrow files: per code of the column (per record, or per entry of a table that was
    /// [streamed](super::stream)) where its value stands, and the values.
    ///
    /// # Errors
    /// When a code stands for no value.
    pub fn arrow_values(&self) -> Result<ArrowValues, WriteError> {
        self.check()?;
        arrow_write::values_of(self)
    }

    /// Every code stands for something.
    pub(super) fn check(&self) -> Result<(), WriteError> {
        let Self { column, labels, codes } = self;
        let shape = |problem| Err(WriteError::Shape { column: column.name.clone(), problem });
        let values = match (labels, codes) {
            (Some(labels), Some(_)) => labels.len(),
            (None, Some(_)) => return shape("codes of its own need labels of their own"),
            (Some(labels), None) if labels.len() != column.domain.len() => {
                return shape("it needs one label for each code");
            }
            _ => column.domain.len(),
        };
        let own = codes.unwrap_or(&column.codes);
        // Without the first or the last of equals to tell, the largest is found many at a time.
        let largest = own.iter().fold(0, |largest, &code| code.max(largest));
        if !own.is_empty() && largest as usize >= values {
            return shape("a code stands for no value");
        }
        Ok(())
    }
}

/// What is published of a table.
#[derive(Debug, Clone)]
pub struct View<'a> {
    /// The columns, in the order in which they are written.
    pub columns: Vec<ViewColumn<'a>>,
    /// The records of the table.
    pub rows: usize,
    /// Per record whether it is published; `None` publishes all.
    pub kept: Option<&'a [bool]>,
}

impl View<'_> {
    /// Everything fits together, so that writing can index without looking.
    fn check(&self) -> Result<(), WriteError> {
        let shape = |column: &Column, problem| WriteError::Shape { column: column.name.clone(), problem };
        let first = self.columns.first().ok_or(WriteError::NoColumns)?;
        if self.kept.is_some_and(|kept| kept.len() != self.rows) {
            return Err(shape(first.column, "the rows to keep are not told for each record"));
        }
        self.columns.par_iter().try_for_each(|column| {
            if column.codes.unwrap_or(&column.column.codes).len() != self.rows {
                return Err(shape(column.column, "it has another number of records"));
            }
            column.check()
        })
    }

    /// Whether the record is published.
    #[inline]
    pub(super) fn keeps(&self, row: usize) -> bool {
        self.kept.is_none_or(|kept| kept[row])
    }
}

/// Writes some of the records of a view as Parquet or Arrow, as if the table had no others, and returns how many were written.
///
/// # Errors
/// As [`write()`]; also when the format is another one.
pub fn write_rows<W: Write + Send>(
    sink: W,
    view: &View<'_>,
    rows: Range<usize>,
    format: Format,
    progress: &dyn Progress,
) -> Result<u64, WriteError> {
    view.check()?;
    let rows = rows.start.min(view.rows)..rows.end.min(view.rows);
    match format {
        Format::Csv | Format::Xlsx | Format::Ods => {
            let problem = "tables in several files are Parquet or Arrow".to_owned();
            Err(WriteError::Format { format: format.word(), problem })
        }
        Format::Parquet => arrow_write::write_parquet(sink, view, rows, progress),
        Format::Arrow => arrow_write::write_ipc(sink, view, rows, progress),
    }
}

/// Writes a view in a format and returns how many records were written. The dialect matters to CSV only.
///
/// The bytes are the same for the same view, whatever the number of threads.
///
/// # Errors
/// When the sink fails, the person asks to stop, or a text cannot be represented in the encoding. What was
/// written so far is then of no use.
pub fn write<W: Write + Send>(
    sink: W,
    view: &View<'_>,
    format: Format,
    dialect: &Dialect,
    progress: &dyn Progress,
) -> Result<u64, WriteError> {
    view.check()?;
    match format {
        Format::Csv => {
            let cells = formulas::count(&view.columns, |row| view.keeps(row));
            if cells > 0 {
                progress.notice(Notice::Formulas { cells });
            }
            csv_write::write_csv(sink, view, dialect, progress)
        }
        Format::Parquet => arrow_write::write_parquet(sink, view, 0..view.rows, progress),
        Format::Arrow => arrow_write::write_ipc(sink, view, 0..view.rows, progress),
        Format::Xlsx => sheet::write_xlsx(sink, view, progress),
        Format::Ods => {
            let problem = "OpenDocument files are read only; write xlsx".to_owned();
            Err(WriteError::Format { format: "OpenDocument", problem })
        }
    }
}
