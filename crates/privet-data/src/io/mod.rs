//! Tables from files and back: CSV, Parquet, Arrow IPC.
//!
//! [`read`] turns a file into a [`Table`] of dictionary codes, the same one whatever the number of threads.
//! [`write()`] publishes a [`View`] of a table: columns as they were, byte for byte, or with a label for each
//! code. Errors name the place and what would be accepted, never a value.

mod arrow_read;
mod arrow_write;
mod cell;
mod csv_column;
mod csv_read;
mod csv_write;
mod dialect;
mod dictionary;
mod error;
mod index;
mod options;
mod records;
mod split;
mod stream;
#[cfg(test)]
mod tests;
mod view;

use std::fs::File;
use std::path::Path;

pub use error::{ReadError, ReadErrorKind, WriteError};
pub use options::{Dialect, Encoding, Format, Newline, ReadOptions};
pub use records::RecordReader;
pub use stream::{ChunkWriter, Each, stream};
pub use view::{View, ViewColumn, write};

use crate::{Progress, Silent, Table};
use csv_read::{Tuning, read_csv};

/// A table and the file it came from.
#[derive(Debug, Clone)]
pub struct Input {
    /// The columns that were to be kept.
    pub table: Table,
    /// The names of all columns of the file, in order.
    pub names: Vec<String>,
    /// The format of the file.
    pub format: Format,
    /// CSV: how its cells stand.
    pub dialect: Option<Dialect>,
    /// The length of the file.
    pub bytes: u64,
}

/// Reads a table from a file.
///
/// # Errors
/// When the file cannot be read or is not a table in its format. The error carries the path and, for a CSV,
/// the line.
pub fn read(path: &Path, options: &ReadOptions, progress: &dyn Progress) -> Result<Input, ReadError> {
    read_path(path, options, progress).map_err(|kind| ReadError { path: Some(path.to_owned()), kind })
}

fn read_path(path: &Path, options: &ReadOptions, progress: &dyn Progress) -> Result<Input, ReadErrorKind> {
    let format = options.format.or_else(|| Format::of(path)).ok_or(ReadErrorKind::UnknownFormat)?;
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    let size = metadata.is_file().then_some(metadata.len());
    match format {
        Format::Csv => read_csv(file, size, options, progress, &Tuning::default()),
        Format::Parquet => arrow_read::read_parquet(file, metadata.len(), options, progress, None),
        Format::Arrow => arrow_read::read_ipc(file, metadata.len(), options, progress, None),
    }
}

/// Reads a table from the bytes of a CSV.
///
/// # Errors
/// When the bytes are not a table. The error tells the line.
///
/// # Examples
/// ```
/// use privet_data::io::{ReadOptions, read_csv_bytes};
///
/// let input = read_csv_bytes(b"age;city\n30;Bonn\n29;Bonn\n", &ReadOptions::default())?;
/// assert_eq!(input.names, ["age", "city"]);
/// assert_eq!(input.table.columns[0].codes, [1, 0]);
/// assert_eq!(input.dialect.map(|d| d.delimiter), Some(b';'));
/// # Ok::<(), privet_data::io::ReadError>(())
/// ```
pub fn read_csv_bytes(bytes: &[u8], options: &ReadOptions) -> Result<Input, ReadError> {
    read_csv(bytes, Some(bytes.len() as u64), options, &Silent, &Tuning::default())
        .map_err(|kind| ReadError { path: None, kind })
}

/// The positions of the columns to keep, in the order of the file.
fn kept_columns(names: &[String], options: &ReadOptions) -> Result<Vec<usize>, ReadErrorKind> {
    let Some(wanted) = &options.columns else {
        return Ok((0..names.len()).collect());
    };
    if let Some(unknown) = wanted.iter().find(|name| !names.contains(name)) {
        return Err(ReadErrorKind::UnknownColumn { name: unknown.clone(), names: names.to_vec() });
    }
    Ok((0..names.len()).filter(|&column| wanted.contains(&names[column])).collect())
}
