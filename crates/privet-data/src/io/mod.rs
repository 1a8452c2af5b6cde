//! Tables from files and back: CSV, Parquet, Arrow IPC, spreadsheets.
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
mod extent;
mod formulas;
mod guard;
mod header;
mod index;
mod ipc_check;
mod lz4_extent;
mod options;
mod parquet_check;
mod parts;
mod plain;
mod records;
mod residue;
mod same_file;
mod sheet;
mod spelling;
mod split;
mod stream;
#[cfg(test)]
mod tests;
mod view;

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

pub(crate) use arrow_read::texts_of;
pub use arrow_read::{Frame, ValueReader, check_columnar, check_columnar_parts, each_text};
pub use arrow_write::BatchWriter;
pub use error::{ReadError, ReadErrorKind, WriteError};
pub use extent::{input_limit, limit_input};
pub use formulas::{Formulas, formulas_of_csv, is_formula};
pub use guard::guarded;
pub use options::{Dialect, Encoding, Format, Newline, ReadOptions};
pub use parts::{files_of, is_standard_input};
pub use plain::{open_plain, read_plain, read_plain_text};
pub use records::RecordReader;
pub use same_file::{is_same_file, real};
pub use spelling::{Spelling, Unit};
pub use stream::{ChunkWriter, Each, stream};
pub use view::{ArrowValues, View, ViewColumn, write, write_rows};

use crate::{Progress, Silent, Table};
use arrow_read::read_columnar;
use csv_read::{Tuning, read_csv};
use parts::{Chain, Source};

/// A table and the file it came from.
#[derive(Debug, Clone)]
pub struct Input {
    /// The columns that were to be kept.
    pub table: Table,
    /// The names of all columns of the file, in order.
    pub names: Vec<String>,
    /// The format of the file; of a spreadsheet the one in which it is written again.
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
    let mut input = read_as_it_is(path, options, progress)?;
    spelling::apply(&mut input.table, options)?;
    formulas::prefix(&mut input.table, options);
    Ok(input)
}

fn read_as_it_is(
    path: &Path,
    options: &ReadOptions,
    progress: &dyn Progress,
) -> Result<Input, ReadErrorKind> {
    if let Some(frame) = options.frame_at(path) {
        return arrow_read::read_frame(frame, options, progress, None);
    }
    let tuning = Tuning::default();
    match Source::of(path, options)? {
        (Source::Standard, Format::Csv) => {
            let bytes = parts::standard_input()?;
            read_csv(bytes, Some(bytes.len() as u64), options, progress, &tuning)
        }
        (Source::File, Format::Csv) => {
            let (file, size) = open_csv(path, options)?;
            read_csv(file, size, options, progress, &tuning)
        }
        (Source::Parts(files), Format::Csv) => {
            let size = size_of(&files)?;
            let (chain, lines) = Chain::new(files, options);
            read_csv(chain, Some(size), options, progress, &tuning).map_err(|kind| lines.place(kind))
        }
        (Source::Standard, format) => Err(not_from_a_pipe(format)),
        (Source::File, Format::Xlsx | Format::Ods) => {
            let sheet = sheet::read_sheet(path, options, progress)?;
            let size = Some(sheet.csv.len() as u64);
            let input = read_csv(&sheet.csv[..], size, &sheet.options, progress, &tuning)?;
            Ok(of_sheet(input))
        }
        (Source::Parts(_), Format::Xlsx | Format::Ods) => Err(sheet::only_one()),
        (Source::File, format) => read_columnar(vec![path.to_owned()], format, options, progress, None),
        (Source::Parts(files), format) => read_columnar(files, format, options, progress, None),
    }
}

/// How many lines above the header of a CSV are no part of the table, such as a title. Reading never leaves out a line by
/// itself: this is for whoever proposes [`ReadOptions::skip`].
///
/// # Errors
/// When the file cannot be read.
pub fn lines_above(path: &Path, options: &ReadOptions) -> Result<u64, ReadError> {
    let read = || -> Result<u64, ReadErrorKind> {
        let mut sample = Vec::new();
        let most = csv_read::SAMPLE as u64;
        match Source::of(path, options)? {
            (_, Format::Parquet | Format::Arrow) => return Ok(0),
            (Source::File, Format::Xlsx | Format::Ods) => return sheet::rows_above(path, options),
            (_, Format::Xlsx | Format::Ods) => return Ok(0),
            (Source::Standard, _) => _ = parts::standard_input()?.take(most).read_to_end(&mut sample)?,
            (Source::File, _) => _ = open_csv(path, options)?.0.take(most).read_to_end(&mut sample)?,
            (Source::Parts(files), _) => {
                let Some(first) = files.first() else { return Ok(0) };
                File::open(first)?.take(most).read_to_end(&mut sample)?;
            }
        }
        Ok(dialect::lines_above(&sample, (sample.len() as u64) < most, options))
    };
    read().map_err(|kind| ReadError { path: Some(path.to_owned()), kind })
}

/// Where a record of a file stands, for messages: its line in a CSV, its row in a sheet, and its number elsewhere. Records are counted from 0.
pub fn place_of(path: &Path, options: &ReadOptions, record: usize) -> String {
    let line = || -> Result<Option<String>, ReadErrorKind> {
        let (source, format) = Source::of(path, options)?;
        if matches!(format, Format::Xlsx | Format::Ods) {
            return Ok(sheet::read_sheet(path, options, &Silent)?.place_of(record));
        }
        if format != Format::Csv {
            return Ok(None);
        }
        let line = match source {
            Source::Standard => csv_read::line_of(parts::standard_input()?, options, record)?,
            // What cannot be read again is not waited for.
            Source::File => csv_read::line_of(open_plain(path)?, options, record)?,
            Source::Parts(files) => {
                let (chain, lines) = Chain::new(files, options);
                let line = csv_read::line_of(chain, options, record)?;
                return Ok(line.and_then(|line| lines.file(line)).map(|(path, line)| {
                    format!("line {line} of {}", path.file_name().unwrap_or_default().to_string_lossy())
                }));
            }
        };
        Ok(line.map(|line| format!("line {line}")))
    };
    // why: what cannot be read any more has its number still
    line().ok().flatten().unwrap_or_else(|| format!("record {}", record + 1))
}

/// Makes the cells of columns plain that have a spelling in the options, in a table that was read without.
///
/// # Errors
/// When a cell is spelled otherwise.
pub fn respell(table: &mut Table, options: &ReadOptions) -> Result<(), ReadError> {
    spelling::apply(table, options).map_err(|kind| ReadError { path: None, kind })
}

/// Makes the cells of those columns plain whose every value reads in its spelling; a column that is written otherwise stays as
/// it is. For tables that somebody else wrote about the same columns.
pub fn respell_where_it_reads(table: &mut Table, options: &ReadOptions) {
    spelling::apply_where_it_reads(table, options);
}

/// What was read from a sheet has no lines and is written again as a sheet.
fn of_sheet(input: Input) -> Input {
    Input { format: Format::Xlsx, dialect: None, ..input }
}

/// Opens a CSV and says how long it is, when it is a file.
fn open_csv(path: &Path, options: &ReadOptions) -> Result<(File, Option<u64>), ReadErrorKind> {
    let file = if options.plain { open_plain(path)? } else { File::open(path)? };
    let metadata = file.metadata()?;
    Ok((file, metadata.is_file().then_some(metadata.len())))
}

fn size_of(files: &[PathBuf]) -> Result<u64, ReadErrorKind> {
    files.iter().try_fold(0, |size, file| Ok(size + std::fs::metadata(file)?.len()))
}

fn not_from_a_pipe(format: Format) -> ReadErrorKind {
    let problem =
        format!("a {} file is read from its end and not from standard input; name the file", format.word());
    ReadErrorKind::Parts { problem }
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
    let read = read_csv(bytes, Some(bytes.len() as u64), options, &Silent, &Tuning::default());
    let mut input = read.map_err(|kind| ReadError { path: None, kind })?;
    spelling::apply(&mut input.table, options).map_err(|kind| ReadError { path: None, kind })?;
    formulas::prefix(&mut input.table, options);
    Ok(input)
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
