//! What is published of a table: some columns, as they were or with a label for each code, and some rows.

use std::io::Write;

use super::options::{Dialect, Format};
use super::{WriteError, arrow_write, csv_write};
use crate::{Column, Progress};

/// A column to publish.
#[derive(Debug, Clone)]
pub struct ViewColumn<'a> {
    /// The column of the table.
    pub column: &'a Column,
    /// Per code the text to publish; `None` publishes the column as it was.
    pub labels: Option<Vec<Box<str>>>,
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
        for ViewColumn { column, labels } in &self.columns {
            if column.codes.len() != self.rows {
                return Err(shape(column, "it has another number of records"));
            }
            if labels.as_ref().is_some_and(|labels| labels.len() != column.domain.len()) {
                return Err(shape(column, "it needs one label for each code"));
            }
            if column.codes.iter().max().is_some_and(|&code| code as usize >= column.domain.len()) {
                return Err(shape(column, "a code stands for no value"));
            }
        }
        Ok(())
    }

    /// Whether the record is published.
    #[inline]
    pub(super) fn keeps(&self, row: usize) -> bool {
        self.kept.is_none_or(|kept| kept[row])
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
        Format::Csv => csv_write::write_csv(sink, view, dialect, progress),
        Format::Parquet => arrow_write::write_parquet(sink, view, progress),
        Format::Arrow => arrow_write::write_ipc(sink, view, progress),
    }
}
