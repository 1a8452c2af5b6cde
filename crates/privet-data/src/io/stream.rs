//! Tables that memory does not hold: records go by chunk after chunk, on the way in and on the way out.
//!
//! Coming in, every distinct cell of a column gets a number in the order in which it first appears: its *entry*. Only
//! when the whole file went by are the domains known, and with them what each entry stands for. Going out, a record is
//! told by its entries. What is held grows with the number of distinct cells, not with that of records.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;

use super::arrow_read::{read_columnar, read_frame};
use super::arrow_write::ArrowChunks;
use super::csv_read::{Tuning, stream_csv};
use super::csv_write::CsvChunks;
use super::options::{Dialect, Format, ReadOptions};
use super::parts::{Chain, Source};
use super::view::ViewColumn;
use super::{
    Input, ReadError, ReadErrorKind, WriteError, formulas, not_from_a_pipe, open_csv, parts, size_of,
    spelling,
};
use crate::{Notice, Progress};

/// Takes some records: how many, and per column the entry of each. It can ask for no more.
pub type Each<'a> = dyn FnMut(usize, &[&[u32]]) -> ControlFlow<()> + 'a;

/// Reads a file and hands its records on, in their order, instead of keeping them.
///
/// The table that is returned has the number of records, and in each column one code for each *entry* in place of one
/// for each record: `codes[entry]` is the code that the entry has in the domain, and [`Cells`](crate::Cells) are told
/// per entry too. Domains, kinds and cells are those that [`read`](super::read) finds.
///
/// # Errors
/// As [`read`](super::read); also [`Cancelled`](ReadErrorKind::Cancelled) when `each` asked for no more.
///
/// # Examples
/// ```
/// use std::ops::ControlFlow;
/// use privet_data::Silent;
/// use privet_data::io::{ReadOptions, stream};
///
/// # let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("people.csv");
/// std::fs::write(&path, "age\n30\n29\n30\n")?;
/// let mut entries = Vec::new();
/// let input = stream(&path, &ReadOptions::default(), &Silent, &mut |_, columns| {
///     entries.extend_from_slice(columns[0]);
///     ControlFlow::Continue(())
/// })?;
/// assert_eq!((input.table.rows, entries), (3, vec![0, 1, 0]));
/// assert_eq!(input.table.columns[0].codes, [1, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn stream(
    path: &Path,
    options: &ReadOptions,
    progress: &dyn Progress,
    each: &mut Each<'_>,
) -> Result<Input, ReadError> {
    let read = stream_path(path, options, progress, each);
    let mut input = read.map_err(|kind| ReadError { path: Some(path.to_owned()), kind })?;
    let spelled = spelling::apply(&mut input.table, options);
    spelled.map_err(|kind| ReadError { path: Some(path.to_owned()), kind })?;
    // Entries are told from each other as before, and stand for the changed texts.
    formulas::prefix(&mut input.table, options);
    Ok(input)
}

fn stream_path(
    path: &Path,
    options: &ReadOptions,
    progress: &dyn Progress,
    each: &mut Each<'_>,
) -> Result<Input, ReadErrorKind> {
    if let Some(frame) = options.frame_at(path) {
        return read_frame(frame, options, progress, Some(each));
    }
    let tuning = Tuning::default();
    match Source::of(path, options)? {
        (Source::Standard, Format::Csv) => {
            let bytes = parts::standard_input()?;
            stream_csv(bytes, Some(bytes.len() as u64), options, progress, &tuning, each)
        }
        (Source::File, Format::Csv) => {
            let (file, size) = open_csv(path, options)?;
            stream_csv(file, size, options, progress, &tuning, each)
        }
        (Source::Parts(files), Format::Csv) => {
            let size = size_of(&files)?;
            let (chain, lines) = Chain::new(files, options);
            stream_csv(chain, Some(size), options, progress, &tuning, each).map_err(|kind| lines.place(kind))
        }
        (Source::Standard, format) => Err(not_from_a_pipe(format)),
        (Source::File, Format::Xlsx | Format::Ods) => {
            let sheet = super::sheet::read_sheet(path, options, progress)?;
            let size = Some(sheet.csv.len() as u64);
            let input = stream_csv(&sheet.csv[..], size, &sheet.options, progress, &tuning, each)?;
            Ok(super::of_sheet(input))
        }
        (Source::Parts(_), Format::Xlsx | Format::Ods) => Err(super::sheet::only_one()),
        (Source::File, format) => read_columnar(vec![path.to_owned()], format, options, progress, Some(each)),
        (Source::Parts(files), format) => read_columnar(files, format, options, progress, Some(each)),
    }
}

/// Writes a table whose records arrive in chunks. The bytes are the same for the same chunks, whatever the number of
/// threads.
pub struct ChunkWriter<'a, W: Write + Send> {
    kind: Kind<'a, W>,
    /// Per column its name and how many entries it has.
    columns: Vec<(&'a str, usize)>,
    /// Per column which of its entries are formulas; none where no entry is, or where formulas do no harm.
    formulas: Vec<Option<Vec<bool>>>,
    found: u64,
    written: u64,
}

enum Kind<'a, W: Write + Send> {
    Csv(CsvChunks<'a, W>),
    Arrow(ArrowChunks<'a, W>),
}

impl<'a, W: Write + Send> ChunkWriter<'a, W> {
    /// Begins a file. The codes of a column, or its own codes where it has some, are one per entry. The dialect matters
    /// to CSV only.
    ///
    /// # Errors
    /// When there is no column, a column does not fit together, a text cannot be represented in the encoding, or the
    /// sink fails.
    pub fn begin(
        sink: W,
        columns: &'a [ViewColumn<'_>],
        format: Format,
        dialect: &Dialect,
    ) -> Result<Self, WriteError> {
        if columns.is_empty() {
            return Err(WriteError::NoColumns);
        }
        columns.iter().try_for_each(ViewColumn::check)?;
        let kind = match format {
            Format::Csv => Kind::Csv(CsvChunks::begin(sink, columns, dialect)?),
            Format::Parquet => Kind::Arrow(ArrowChunks::parquet(sink, columns)?),
            Format::Arrow => Kind::Arrow(ArrowChunks::ipc(sink, columns)?),
            Format::Xlsx | Format::Ods => {
                let problem = "a spreadsheet is not written in passes; write csv or parquet".to_owned();
                return Err(WriteError::Format { format: "Excel", problem });
            }
        };
        let entries: Vec<usize> = match &kind {
            Kind::Csv(writer) => writer.entries().collect(),
            Kind::Arrow(writer) => writer.entries().collect(),
        };
        let names = columns.iter().map(|column| column.column.name.as_str());
        let formulas = match format {
            Format::Csv => columns.iter().map(formulas::flags_of_entries).collect(),
            _ => vec![None; columns.len()],
        };
        Ok(Self { kind, columns: names.zip(entries).collect(), formulas, found: 0, written: 0 })
    }

    /// Writes records: per column the entry of each.
    ///
    /// # Errors
    /// When the columns have different numbers of records or name an entry that there is not, or the sink fails. What
    /// was written so far is then of no use.
    pub fn write(&mut self, entries: &[&[u32]]) -> Result<(), WriteError> {
        let rows = entries.first().map_or(0, |entries| entries.len());
        for (number, (name, count)) in self.columns.iter().enumerate() {
            let shape = |problem| Err(WriteError::Shape { column: (*name).to_owned(), problem });
            match entries.get(number) {
                Some(own) if own.len() == rows => {
                    if own.iter().max().is_some_and(|&entry| entry as usize >= *count) {
                        return shape("a record names an entry that there is not");
                    }
                }
                _ => return shape("it has another number of records"),
            }
        }
        match &mut self.kind {
            _ if rows == 0 => {}
            Kind::Csv(writer) => writer.write(rows, entries)?,
            Kind::Arrow(writer) => writer.write(entries)?,
        }
        for (flags, entries) in self.formulas.iter().zip(entries) {
            let Some(flags) = flags else { continue };
            self.found += entries.iter().filter(|&&entry| flags[entry as usize]).count() as u64;
        }
        self.written += rows as u64;
        Ok(())
    }

    /// What a person should know of what was written so far.
    pub fn notice(&self) -> Option<Notice> {
        (self.found > 0).then_some(Notice::Formulas { cells: self.found })
    }

    /// Ends the file and returns how many records were written.
    ///
    /// # Errors
    /// When the sink fails.
    pub fn finish(self) -> Result<u64, WriteError> {
        match self.kind {
            Kind::Csv(writer) => writer.finish()?,
            Kind::Arrow(writer) => writer.finish()?,
        }
        Ok(self.written)
    }
}
