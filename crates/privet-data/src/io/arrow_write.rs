//! Writes a view as Parquet or Arrow IPC, batch by batch.
//!
//! An unrecoded column goes back in the Arrow type it came from. A recoded one is a string. An unrecoded
//! column of a CSV is `Int64` if every text of it is what an integer is written as and they are no codes, `Date32` if every text is
//! a day, else a string; an empty missing value is null. The same view gives the same bytes.

use std::io::{BufWriter, Write};
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, Int64Array, RecordBatch, StringArray, UInt32Array,
};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use arrow_select::concat::concat_batches;
use arrow_select::filter::filter_record_batch;
use arrow_select::take::take;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::WriteError;
use super::options::Format;
use super::residue;
use super::view::{ArrowValues, View, ViewColumn};
use crate::{Cells, Kind, Progress, date_of};

/// Rows of a batch.
const BATCH: usize = 65_536;
/// Rows of a group of a Parquet file whose records arrive in chunks.
const GROUP: usize = 131_072;

pub(super) fn write_parquet<W: Write + Send>(
    sink: W,
    view: &View<'_>,
    rows: Range<usize>,
    progress: &dyn Progress,
) -> Result<u64, WriteError> {
    let columns = prepare(view)?;
    let schema = schema(&columns);
    let mut writer = parquet_writer(sink, &schema)?;
    let written = batches(view, rows, &columns, &schema, "Parquet", progress, |batch| {
        writer.write(batch).map_err(parquet_failed)
    })?;
    let mut sink = writer.into_inner().map_err(parquet_failed)?;
    sink.flush()?;
    Ok(written)
}

fn parquet_writer<W: Write + Send>(sink: W, schema: &SchemaRef) -> Result<ArrowWriter<W>, WriteError> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_created_by("privet".to_owned())
        .build();
    ArrowWriter::try_new(sink, Arc::clone(schema), Some(properties)).map_err(parquet_failed)
}

fn parquet_failed(error: ParquetError) -> WriteError {
    match error {
        ParquetError::External(source) => match source.downcast::<std::io::Error>() {
            Ok(error) => WriteError::Io(*error),
            Err(_) => format_error("Parquet"),
        },
        _ => format_error("Parquet"),
    }
}

fn arrow_failed(error: ArrowError) -> WriteError {
    match error {
        ArrowError::IoError(_, source) => WriteError::Io(source),
        _ => format_error("Arrow"),
    }
}

pub(super) fn write_ipc<W: Write + Send>(
    sink: W,
    view: &View<'_>,
    rows: Range<usize>,
    progress: &dyn Progress,
) -> Result<u64, WriteError> {
    let columns = prepare(view)?;
    let schema = schema(&columns);
    let mut writer = FileWriter::try_new_buffered(sink, &schema).map_err(arrow_failed)?;
    let written = batches(view, rows, &columns, &schema, "Arrow", progress, |batch| {
        writer.write(batch).map_err(arrow_failed)
    })?;
    writer.finish().map_err(arrow_failed)?;
    writer.flush().map_err(arrow_failed)?;
    Ok(written)
}

/// A Parquet or Arrow file whose records arrive in chunks.
pub(super) struct ArrowChunks<'a, W: Write + Send> {
    columns: Vec<PreparedColumn<'a>>,
    schema: SchemaRef,
    sink: Sink<W>,
}

enum Sink<W: Write + Send> {
    Parquet(Box<ArrowWriter<W>>),
    Ipc(Box<FileWriter<BufWriter<W>>>),
}

impl<'a, W: Write + Send> ArrowChunks<'a, W> {
    pub(super) fn parquet(sink: W, columns: &'a [ViewColumn<'_>]) -> Result<Self, WriteError> {
        let columns = columns.iter().map(prepare_column).collect::<Result<Vec<_>, _>>()?;
        let schema = schema(&columns);
        let sink = Sink::Parquet(Box::new(parquet_writer(sink, &schema)?));
        Ok(Self { columns, schema, sink })
    }

    pub(super) fn ipc(sink: W, columns: &'a [ViewColumn<'_>]) -> Result<Self, WriteError> {
        let columns = columns.iter().map(prepare_column).collect::<Result<Vec<_>, _>>()?;
        let schema = schema(&columns);
        let writer = FileWriter::try_new_buffered(sink, &schema).map_err(arrow_failed)?;
        Ok(Self { columns, schema, sink: Sink::Ipc(Box::new(writer)) })
    }

    /// How many entries each column has.
    pub(super) fn entries(&self) -> impl Iterator<Item = usize> {
        self.columns.iter().map(|column| column.codes.len())
    }

    /// Writes records; per column which entry each is, all of which there are.
    pub(super) fn write(&mut self, entries: &[&[u32]]) -> Result<(), WriteError> {
        let format = if matches!(self.sink, Sink::Ipc(_)) { "Arrow" } else { "Parquet" };
        let arrays = self.columns.iter().zip(entries).map(|(column, entries)| {
            let codes = entries.iter().map(|&entry| column.codes[entry as usize]);
            take(&column.values, &UInt32Array::from_iter_values(codes), None)
        });
        let arrays = arrays.collect::<Result<Vec<_>, _>>().map_err(|_| format_error(format))?;
        let batch =
            RecordBatch::try_new(Arc::clone(&self.schema), arrays).map_err(|_| format_error(format))?;
        match &mut self.sink {
            Sink::Parquet(writer) => {
                writer.write(&batch).map_err(parquet_failed)?;
                // A group of rows is held in memory until it is complete.
                if writer.in_progress_rows() >= GROUP {
                    writer.flush().map_err(parquet_failed)?;
                }
            }
            Sink::Ipc(writer) => writer.write(&batch).map_err(arrow_failed)?,
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<(), WriteError> {
        match self.sink {
            Sink::Parquet(writer) => writer.into_inner().map_err(parquet_failed)?.flush()?,
            Sink::Ipc(mut writer) => {
                writer.finish().map_err(arrow_failed)?;
                writer.flush().map_err(arrow_failed)?;
            }
        }
        Ok(())
    }
}

/// A Parquet or Arrow file whose records arrive as batches of any size. Its bytes are those that [`write()`](super::write())
/// writes of the same records, whatever the batches.
pub struct BatchWriter<W: Write + Send> {
    schema: SchemaRef,
    sink: Sink<W>,
    /// Records that are kept and were not written yet.
    waiting: Vec<RecordBatch>,
    /// How many records came since the last batch was written, kept or not.
    seen: usize,
    written: u64,
}

impl<W: Write + Send> BatchWriter<W> {
    /// Begins a file in this format, which is Parquet or Arrow, with these columns.
    ///
    /// # Errors
    /// When the format is another one, there is no column, or the sink fails.
    pub fn begin(
        sink: W,
        format: Format,
        columns: impl IntoIterator<Item = (String, DataType)>,
    ) -> Result<Self, WriteError> {
        let fields: Vec<Field> =
            columns.into_iter().map(|(name, kind)| Field::new(name, kind, true)).collect();
        if fields.is_empty() {
            return Err(WriteError::NoColumns);
        }
        let schema = Arc::new(Schema::new(fields));
        let sink = match format {
            Format::Parquet => Sink::Parquet(Box::new(parquet_writer(sink, &schema)?)),
            Format::Arrow => {
                Sink::Ipc(Box::new(FileWriter::try_new_buffered(sink, &schema).map_err(arrow_failed)?))
            }
            Format::Csv | Format::Xlsx | Format::Ods => {
                let problem = "batches are written as Parquet or Arrow".to_owned();
                return Err(WriteError::Format { format: format.word(), problem });
            }
        };
        Ok(Self { schema, sink, waiting: Vec::new(), seen: 0, written: 0 })
    }

    /// Writes the records of a batch that are kept. `None` keeps all.
    ///
    /// # Errors
    /// When the columns are others, or the sink fails. What was written so far is then of no use.
    pub fn write(&mut self, columns: &[ArrayRef], kept: Option<&BooleanArray>) -> Result<(), WriteError> {
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns.to_vec());
        let batch = batch.map_err(|_| format_error(self.name()))?;
        let mut from = 0;
        while from < batch.num_rows() {
            let rows = (batch.num_rows() - from).min(BATCH - self.seen);
            let mut part = batch.slice(from, rows);
            if let Some(kept) = kept {
                let kept = kept.slice(from, rows);
                part = filter_record_batch(&part, &kept).map_err(|_| format_error(self.name()))?;
            }
            if part.num_rows() > 0 {
                self.waiting.push(part);
            }
            self.seen += rows;
            from += rows;
            if self.seen == BATCH {
                self.write_waiting()?;
            }
        }
        Ok(())
    }

    fn name(&self) -> &'static str {
        if matches!(self.sink, Sink::Ipc(_)) { "Arrow" } else { "Parquet" }
    }

    fn write_waiting(&mut self) -> Result<(), WriteError> {
        self.seen = 0;
        let waiting = std::mem::take(&mut self.waiting);
        if waiting.is_empty() {
            return Ok(());
        }
        let batch = concat_batches(&self.schema, &waiting).map_err(|_| format_error(self.name()))?;
        self.written += batch.num_rows() as u64;
        match &mut self.sink {
            Sink::Parquet(writer) => writer.write(&batch).map_err(parquet_failed),
            Sink::Ipc(writer) => writer.write(&batch).map_err(arrow_failed),
        }
    }

    /// Ends the file. Gives the sink back, and how many records were written.
    ///
    /// # Errors
    /// When the sink fails.
    pub fn finish(mut self) -> Result<(W, u64), WriteError> {
        self.write_waiting()?;
        let sink = match self.sink {
            Sink::Parquet(writer) => {
                let mut sink = writer.into_inner().map_err(parquet_failed)?;
                sink.flush()?;
                sink
            }
            Sink::Ipc(writer) => {
                let buffered = writer.into_inner().map_err(arrow_failed)?;
                buffered.into_inner().map_err(|error| WriteError::Io(error.into_error()))?
            }
        };
        Ok((sink, self.written))
    }
}

/// What the library says may hold a value, so it is not repeated.
fn format_error(format: &'static str) -> WriteError {
    WriteError::Format { format, problem: "the writer refused a batch".to_owned() }
}

/// The distinct values of a column, and per record which of them.
struct PreparedColumn<'a> {
    name: &'a str,
    codes: &'a [u32],
    values: ArrayRef,
}

fn prepare<'a>(view: &'a View<'_>) -> Result<Vec<PreparedColumn<'a>>, WriteError> {
    let columns = view.columns.iter().map(|column| {
        let prepared = prepare_column(column)?;
        if prepared.codes.len() != view.rows {
            return Err(not_told(column));
        }
        Ok(prepared)
    });
    columns.collect()
}

fn not_told(column: &ViewColumn<'_>) -> WriteError {
    let problem = "its values are not told for each record";
    WriteError::Shape { column: column.column.name.clone(), problem }
}

/// What a column publishes: per code where its value stands, and the values.
pub(super) fn values_of(view: &ViewColumn<'_>) -> Result<ArrowValues, WriteError> {
    let PreparedColumn { codes, values, .. } = prepare_column(view)?;
    Ok(ArrowValues { places: codes.to_vec(), values })
}

fn prepare_column<'a>(view: &'a ViewColumn<'_>) -> Result<PreparedColumn<'a>, WriteError> {
    let ViewColumn { column, labels, codes: own } = view;
    let mut codes = own.unwrap_or(&column.codes);
    let values: ArrayRef = match (labels, &column.cells) {
        (None, Cells::Arrow(values)) => Arc::clone(values),
        (None, Cells::ArrowVerbatim { codes: verbatim, values }) => {
            codes = verbatim;
            Arc::clone(values)
        }
        (labels, _) => {
            let texts = labels.as_deref().unwrap_or(column.domain.texts());
            // Where the codes are not the column's, an empty label is a missing value wherever it stands.
            let missing = if own.is_some() { texts.len() } else { column.domain.missing() as usize };
            let kind = column.domain.kind();
            let is_of_codes = column.domain.sameness().is_of_codes() && kind != Kind::Text;
            let (integers, dates) = match labels.is_none() && !is_of_codes {
                true => (integers(texts, missing), dates(texts, missing, kind)),
                false => (None, None),
            };
            match (integers, dates) {
                (Some(integers), _) => Arc::new(integers),
                (None, Some(dates)) => Arc::new(dates),
                (None, None) => {
                    Arc::new(StringArray::from_iter(texts.iter().enumerate().map(|(code, text)| {
                        if code < missing && text.is_empty() { None } else { Some(&**text) }
                    })))
                }
            }
        }
    };
    if codes.iter().max().is_some_and(|&code| code as usize >= values.len()) {
        return Err(not_told(view));
    }
    Ok(PreparedColumn { name: &column.name, codes, values: residue::removed(values) })
}

/// The texts as integers, if that loses nothing.
fn integers(texts: &[Box<str>], missing: usize) -> Option<Int64Array> {
    let has_integer = texts.iter().any(|text| !text.is_empty());
    let parsed: Option<Vec<Option<i64>>> = texts
        .iter()
        .enumerate()
        .map(|(code, text)| {
            if code < missing && text.is_empty() {
                return Some(None);
            }
            let number: i64 = text.parse().ok()?;
            (number.to_string() == **text).then_some(Some(number))
        })
        .collect();
    parsed.filter(|_| has_integer).map(Int64Array::from)
}

/// The texts as days, if all are days without a time.
fn dates(texts: &[Box<str>], missing: usize, kind: Kind) -> Option<Date32Array> {
    let has_date = kind == Kind::Date && texts.len() > missing;
    let parsed: Option<Vec<Option<i32>>> = texts
        .iter()
        .enumerate()
        .map(|(code, text)| {
            if code < missing && text.is_empty() {
                return Some(None);
            }
            let days = kind.number(text).filter(|days| days.fract() == 0.0)? as i64;
            let is_plain = date_of(days) == **text;
            is_plain.then(|| i32::try_from(days).ok()).flatten().map(Some)
        })
        .collect();
    parsed.filter(|_| has_date).map(Date32Array::from)
}

fn schema(columns: &[PreparedColumn<'_>]) -> SchemaRef {
    let fields = columns.iter().map(|c| Field::new(c.name, c.values.data_type().clone(), true));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// Hands the rows that are kept to the writer, and returns how many there are.
fn batches(
    view: &View<'_>,
    all: Range<usize>,
    columns: &[PreparedColumn<'_>],
    schema: &SchemaRef,
    format: &'static str,
    progress: &dyn Progress,
    mut write: impl FnMut(&RecordBatch) -> Result<(), WriteError>,
) -> Result<u64, WriteError> {
    progress.stage("writing", Some(view.rows as u64));
    let mut written = 0;
    let mut from = all.start;
    while from < all.end {
        progress.check()?;
        let rows = from..(from + BATCH).min(all.end);
        let arrays = columns.iter().map(|column| {
            let codes = rows.clone().filter(|&row| view.keeps(row)).map(|row| column.codes[row]);
            take(&column.values, &UInt32Array::from_iter_values(codes), None)
        });
        let arrays = arrays.collect::<Result<Vec<_>, _>>().map_err(|_| format_error(format))?;
        let batch = RecordBatch::try_new(Arc::clone(schema), arrays).map_err(|_| format_error(format))?;
        if batch.num_rows() > 0 {
            write(&batch)?;
        }
        written += batch.num_rows() as u64;
        from = rows.end;
        progress.at(from as u64);
    }
    Ok(written)
}
