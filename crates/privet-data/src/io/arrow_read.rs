//! Reads Parquet and Arrow IPC files into dictionary codes, batch by batch.
//!
//! Every distinct value gets a code by its bytes and is kept in its Arrow type, so that an unrecoded column
//! goes back as it came. Its text is the natural one: `42`, `2.5`, `2024-02-29`, `true`; a timestamp with a
//! time zone is told in UTC and ends in `Z`. A null is missing and has the empty text, which
//! is missing in these files whatever `missing` says.

mod frame;

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::builder::PrimitiveBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_array::{Array, ArrayRef, DictionaryArray, RecordBatch, UInt32Array, make_array, new_empty_array};
use arrow_buffer::ArrowNativeType;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, Schema};
use arrow_select::concat::concat;
use arrow_select::take::take;
use parquet::arrow::ProjectionMask;
use rayon::prelude::*;

use super::csv_read::check_names;
use super::dictionary::Dictionary;
use super::error::{ReadError, ReadErrorKind};
use super::extent::Extent;
use super::ipc_check::{self, MAGIC};
use super::options::{Format, ReadOptions};
use super::stream::Each;
use super::{Input, guard, kept_columns, open_plain, parquet_check};
use crate::{Cancelled, Cells, Column, Domain, Progress, Table};

pub use frame::Frame;
pub(super) use frame::read_frame;

/// Rows that are decoded at once.
const BATCH: usize = 16_384;

/// Reads files of one table, one after another. With `each` the codes are handed on, and the table has one entry for each
/// distinct value.
pub(super) fn read_columnar(
    files: Vec<PathBuf>,
    format: Format,
    options: &ReadOptions,
    progress: &dyn Progress,
    each: Option<&mut Each<'_>>,
) -> Result<Input, ReadErrorKind> {
    let name = if format == Format::Parquet { "Parquet" } else { "Arrow" };
    let many = files.len() > 1;
    let bytes = super::size_of(&files)?;
    progress.stage("reading", Some(bytes));
    let of_part = |path: &Path, kind: ReadErrorKind| match many {
        true => ReadErrorKind::Part { path: path.to_owned(), kind: Box::new(kind) },
        false => kind,
    };
    // All of them are looked at before the first is read, and opened again when their turn comes.
    let mut known: Option<(Arc<Schema>, Start, Extent)> = None;
    let (mut first, mut total) = (None, Some(0));
    for path in &files {
        progress.check()?;
        let part = open_part(path, format, options, each.is_some(), known.as_ref().map(|own| &own.1));
        let part = part.map_err(|kind| of_part(path, kind))?;
        let (_, _, extent) = match &known {
            None => {
                known = Some((Arc::clone(&part.schema), part.start, part.extent));
                first = Some(part.batches);
                known.as_ref()
            }
            Some((schema, ..)) if is_alike(schema, &part.schema) => known.as_ref(),
            Some(_) => {
                let problem = "has other columns than the first file, or others in their place".to_owned();
                return Err(of_part(path, ReadErrorKind::Parts { problem }));
            }
        }
        .ok_or(ReadErrorKind::Empty)?;
        total = total.zip(part.extent_in_batches).map(|(total, own)| total + own);
        if let (Some(rows), Format::Parquet) = (total, format) {
            extent.expect(rows)?;
        }
    }
    let (schema, start, extent) = known.ok_or(ReadErrorKind::Empty)?;
    let kept = start.kept.clone();
    let others = files.into_iter().skip(1).flat_map(|path| -> Batches {
        let known = Start { names: Vec::new(), kept: kept.clone() };
        match open_part(&path, format, options, true, Some(&known)) {
            Ok(part) => part.batches,
            Err(_) => Box::new(std::iter::once(Err("one of the files was changed while it was read"))),
        }
    });
    let batches = first.into_iter().flatten().chain(others);
    let file = Opened { format, name, bytes, extent };
    let at = |rows: usize, batches: usize| {
        let done = if format == Format::Parquet { rows } else { batches };
        total.map(|total| (done as u64, total))
    };
    read_batches(batches, &schema, start, &file, at, options, progress, each)
}

type Batches = Box<dyn Iterator<Item = Result<RecordBatch, &'static str>>>;

/// A file that was opened and checked.
struct Part {
    schema: Arc<Schema>,
    start: Start,
    extent: Extent,
    /// So many records (Parquet) or batches (Arrow), where that is known.
    extent_in_batches: Option<u64>,
    batches: Batches,
}

/// Whether two files have the same columns.
fn is_alike(one: &Schema, other: &Schema) -> bool {
    let columns = |schema: &Schema| -> Vec<(String, DataType)> {
        schema.fields().iter().map(|field| (field.name().clone(), field.data_type().clone())).collect()
    };
    columns(one) == columns(other)
}

/// Opens a file and holds it against what is read. `known` tells the columns that are kept, where another file told them.
fn open_part(
    path: &Path,
    format: Format,
    options: &ReadOptions,
    goes_by: bool,
    known: Option<&Start>,
) -> Result<Part, ReadErrorKind> {
    let file = open_plain(path)?;
    let start_of = |schema: &Schema| match known {
        Some(known) => Ok(Start { names: known.names.clone(), kept: known.kept.clone() }),
        None => Start::new(schema, options),
    };
    match format {
        Format::Parquet => open_parquet(file, options, goes_by, start_of),
        _ => open_ipc(file, options, goes_by, start_of),
    }
}

fn open_parquet(
    file: File,
    options: &ReadOptions,
    goes_by: bool,
    start_of: impl Fn(&Schema) -> Result<Start, ReadErrorKind>,
) -> Result<Part, ReadErrorKind> {
    let bytes = file.metadata()?.len();
    let opened = guard::reading("Parquet", || parquet_check::open(file, bytes))?;
    let schema = Arc::clone(opened.schema());
    let start = guard::reading("Parquet", || start_of(&schema))?;
    if start.kept.iter().any(|&column| column >= schema.fields().len()) {
        return Err(parquet_check::damaged("it has other columns than the first file"));
    }
    let extent = Extent::new(start.kept.len(), options, goes_by);
    let rows = parquet_check::extent(opened.metadata(), &start.kept, &extent)?;
    let reader = guard::reading("Parquet", || {
        let mask = ProjectionMask::roots(opened.parquet_schema(), start.kept.iter().copied());
        let reader = opened.with_projection(mask).with_batch_size(BATCH).build();
        reader.map_err(|error| parquet_check::damaged(error.to_string()))
    })?;
    let problem = "a page is damaged, or compressed with something else than snappy, gzip or zstd";
    let batches = Box::new(reader.map(move |batch| batch.map_err(|_| problem)));
    Ok(Part { schema, start, extent, extent_in_batches: Some(rows), batches })
}

fn open_ipc(
    file: File,
    options: &ReadOptions,
    goes_by: bool,
    start_of: impl Fn(&Schema) -> Result<Start, ReadErrorKind>,
) -> Result<Part, ReadErrorKind> {
    let bytes = file.metadata()?.len();
    let damaged = |error: ArrowError| ReadErrorKind::Damaged { format: "Arrow", problem: error.to_string() };
    let mut file = BufReader::new(file);
    let mut magic = [0; MAGIC.len()];
    let is_file = file.read_exact(&mut magic).is_ok() && &magic == MAGIC;
    let schema = guard::reading("Arrow", || {
        file.rewind()?;
        Ok(match is_file {
            true => {
                // Dictionaries are read with the schema, so the whole file is looked through before.
                ipc_check::check_file(&mut file, bytes, &Extent::new(1, options, true))?;
                file.rewind()?;
                FileReader::try_new(&mut file, None).map_err(damaged)?.schema()
            }
            false => {
                ipc_check::check_stream(&mut file, bytes, &Extent::new(1, options, true))?;
                file.rewind()?;
                StreamReader::try_new(&mut file, None).map_err(damaged)?.schema()
            }
        })
    })?;
    let start = guard::reading("Arrow", || start_of(&schema))?;
    let extent = Extent::new(start.kept.len(), options, goes_by);
    file.rewind()?;
    let problem = |_| "a batch is damaged or cut off";
    if is_file {
        ipc_check::check_file(&mut file, bytes, &extent)?;
        file.rewind()?;
        let kept = start.kept.clone();
        let reader = guard::reading("Arrow", || FileReader::try_new(file, Some(kept)).map_err(damaged))?;
        let count = reader.num_batches() as u64;
        let batches = Box::new(reader.map(move |batch| batch.map_err(problem)));
        Ok(Part { schema, start, extent, extent_in_batches: Some(count), batches })
    } else {
        ipc_check::check_stream(&mut file, bytes, &extent)?;
        file.rewind()?;
        let kept = start.kept.clone();
        let reader = guard::reading("Arrow", || StreamReader::try_new(file, Some(kept)).map_err(damaged))?;
        let batches = Box::new(reader.map(move |batch| batch.map_err(problem)));
        Ok(Part { schema, start, extent, extent_in_batches: None, batches })
    }
}

/// Checks that a Parquet or Arrow file states no length that does not fit it, and no more than is read. It may still be
/// damaged.
///
/// # Errors
/// When it does, or cannot be read.
pub fn check_columnar(path: &Path, format: Format) -> Result<(), ReadErrorKind> {
    stated(path, format).map(drop)
}

/// The same of the files of one table, which together state no more than is read.
///
/// # Errors
/// When a file does, or all together do; with the file.
pub fn check_columnar_parts(paths: &[PathBuf], format: Format) -> Result<(), (PathBuf, ReadErrorKind)> {
    let mut all = 0u64;
    for path in paths {
        let at = |kind| (path.clone(), kind);
        let Some((rows, columns)) = stated(path, format).map_err(at)? else { continue };
        all = all.saturating_add(rows);
        Extent::new(columns, &ReadOptions::default(), false).expect(all).map_err(at)?;
    }
    Ok(())
}

/// Checks a file. Tells how many records and columns it states, where that is in one place.
fn stated(path: &Path, format: Format) -> Result<Option<(u64, usize)>, ReadErrorKind> {
    let file = open_plain(path)?;
    let bytes = file.metadata()?.len();
    let options = ReadOptions::default();
    match format {
        Format::Csv => Ok(None),
        Format::Xlsx | Format::Ods => super::sheet::check(path).map(|()| None),
        Format::Parquet => guard::reading("Parquet", || {
            let opened = parquet_check::open(file, bytes)?;
            let columns: Vec<usize> = (0..opened.schema().fields().len()).collect();
            let extent = Extent::new(columns.len(), &options, false);
            let rows = parquet_check::extent(opened.metadata(), &columns, &extent)?;
            Ok(Some((rows, columns.len())))
        }),
        Format::Arrow => guard::reading("Arrow", || {
            ipc_check::check_file(BufReader::new(file), bytes, &Extent::new(1, &options, false))?;
            Ok(None)
        }),
    }
}

/// A file that is being read.
struct Opened {
    format: Format,
    /// What messages call the format.
    name: &'static str,
    bytes: u64,
    extent: Extent,
}

/// Reads all batches. `at` tells how far reading is from the records and batches that were read: so many of so many.
#[expect(clippy::too_many_arguments, reason = "the ways in which files are read differ in all of them")]
fn read_batches(
    mut reader: impl Iterator<Item = Result<RecordBatch, &'static str>>,
    schema: &Schema,
    start: Start,
    file: &Opened,
    at: impl Fn(usize, usize) -> Option<(u64, u64)>,
    options: &ReadOptions,
    progress: &dyn Progress,
    mut each: Option<&mut Each<'_>>,
) -> Result<Input, ReadErrorKind> {
    let mut encoders = start.encoders(schema);
    let (mut rows, mut batches, mut texts) = (0, 0, 0);
    loop {
        progress.check()?;
        // The libraries' own messages may quote data and are not passed on.
        let damaged =
            |problem: &str| ReadErrorKind::Damaged { format: file.name, problem: problem.to_owned() };
        let batch = guard::reading(file.name, || reader.next().transpose().map_err(damaged))?;
        let Some(batch) = batch else { break };
        encode(&mut encoders, &batch, file.name)?;
        rows += batch.num_rows();
        batches += 1;
        let so_far = encoders.iter().map(|encoder| encoder.dictionary.bytes()).sum::<usize>();
        file.extent.add(batch.num_rows(), so_far - texts)?;
        texts = so_far;
        if let Some(each) = each.as_deref_mut() {
            hand_on(&mut encoders, batch.num_rows(), each)?;
        }
        if let Some((done, all)) = at(rows, batches) {
            progress.at((u128::from(file.bytes) * u128::from(done) / u128::from(all.max(1))) as u64);
        }
    }
    if each.is_some() {
        encoders.iter_mut().for_each(Encoder::list_entries);
    }
    start.finish(encoders, rows, file, options)
}

/// What the schema says.
struct Start {
    names: Vec<String>,
    kept: Vec<usize>,
}

impl Start {
    fn new(schema: &Schema, options: &ReadOptions) -> Result<Self, ReadErrorKind> {
        let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        if names.is_empty() {
            return Err(ReadErrorKind::Empty);
        }
        check_names(&names)?;
        for field in schema.fields() {
            if !is_readable(field.data_type()) {
                let kind = field.data_type().to_string();
                return Err(ReadErrorKind::Type { column: field.name().clone(), kind });
            }
        }
        let kept = kept_columns(&names, options)?;
        Ok(Self { names, kept })
    }

    fn encoders(&self, schema: &Schema) -> Vec<Encoder> {
        self.kept.iter().map(|&column| Encoder::new(schema.field(column).data_type())).collect()
    }

    fn finish(
        self,
        encoders: Vec<Encoder>,
        rows: usize,
        file: &Opened,
        options: &ReadOptions,
    ) -> Result<Input, ReadErrorKind> {
        let columns = self.kept.par_iter().zip(encoders);
        let columns = columns.map(|(&column, encoder)| {
            guard::reading(file.name, || encoder.finish(&self.names[column], options))
        });
        let columns: Result<Vec<Column>, ReadErrorKind> = columns.collect();
        let table = Table { columns: columns?, rows };
        Ok(Input { table, names: self.names, format: file.format, dialect: None, bytes: file.bytes })
    }
}

fn is_string(kind: &DataType) -> bool {
    matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

fn is_readable(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => is_string(values),
        DataType::Boolean | DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => true,
        kind => kind.is_numeric() || is_string(kind),
    }
}

fn encode(encoders: &mut [Encoder], batch: &RecordBatch, format: &'static str) -> Result<(), ReadErrorKind> {
    encoders.par_iter_mut().zip(batch.columns()).try_for_each(|(encoder, array)| {
        let problem = || "a batch does not fit the schema".to_owned();
        let damaged = |_| ReadErrorKind::Damaged { format, problem: problem() };
        guard::reading(format, || encoder.add(array).map_err(damaged))
    })
}

/// Hands on the codes of a batch, and forgets them.
fn hand_on(encoders: &mut [Encoder], rows: usize, each: &mut Each<'_>) -> Result<(), ReadErrorKind> {
    let codes: Vec<&[u32]> = encoders.iter().map(|encoder| &encoder.codes[..]).collect();
    if each(rows, &codes) == ControlFlow::Break(()) {
        return Err(Cancelled.into());
    }
    encoders.iter_mut().for_each(|encoder| encoder.codes.clear());
    Ok(())
}

/// Gives codes to the values of one column.
struct Encoder {
    kind: DataType,
    dictionary: Dictionary,
    /// The code of a null, once one was seen.
    null: Option<u32>,
    /// The number of codes, the one of nulls included.
    distinct: u32,
    /// Per text of the dictionary its code; they differ once a null was seen.
    code_of: Vec<u32>,
    codes: Vec<u32>,
    /// The distinct values in the order of their codes, in parts.
    values: Vec<ArrayRef>,
}

impl Encoder {
    fn new(kind: &DataType) -> Self {
        Self {
            kind: kind.clone(),
            dictionary: Dictionary::new(),
            null: None,
            distinct: 0,
            code_of: Vec::new(),
            codes: Vec::new(),
            values: Vec::new(),
        }
    }

    fn add(&mut self, array: &ArrayRef) -> Result<(), ArrowError> {
        if let Some(dictionary) = array.as_any_dictionary_opt() {
            let is_empty = dictionary.values().is_empty();
            let keys = if is_empty { vec![0; array.len()] } else { dictionary.normalized_keys() };
            // Only values that occur get a code.
            let mut code_of_key: Vec<Option<u32>> = vec![None; dictionary.values().len()];
            let mut first = Vec::new();
            let mut places = Vec::with_capacity(keys.len());
            for (row, key) in keys.into_iter().enumerate() {
                let place = if dictionary.is_null(row) { None } else { code_of_key.get_mut(key) };
                places.push(match place {
                    Some(place) => *place.get_or_insert_with(|| {
                        first.push(key as u32);
                        first.len() as u32
                    }),
                    None => 0,
                });
            }
            // Place 0 stands for null, place `i` for the i-th value that occurs.
            let occurring = UInt32Array::from_iter(std::iter::once(None).chain(first.into_iter().map(Some)));
            let values = take(dictionary.values(), &occurring, None)?;
            let has_null = places.contains(&0);
            let from = usize::from(!has_null);
            let mut codes = vec![0; from];
            self.add_plain(&values.slice(from, values.len() - from), &mut codes)?;
            self.codes.extend(places.iter().map(|&place| codes[place as usize]));
            return Ok(());
        }
        let mut codes = std::mem::take(&mut self.codes);
        let added = self.add_plain(array, &mut codes);
        self.codes = codes;
        added
    }

    fn add_plain(&mut self, array: &ArrayRef, codes: &mut Vec<u32>) -> Result<(), ArrowError> {
        let mut new: Vec<u32> = Vec::new();
        let rows = array.len();
        codes.reserve(rows);
        match array.data_type() {
            DataType::Utf8 => self.add_strings(array.as_string::<i32>().iter(), codes, &mut new),
            DataType::LargeUtf8 => self.add_strings(array.as_string::<i64>().iter(), codes, &mut new),
            DataType::Utf8View => self.add_strings(array.as_string_view().iter(), codes, &mut new),
            DataType::Boolean => {
                let values = array.as_boolean();
                for row in 0..rows {
                    let byte = [u8::from(values.value(row))];
                    codes.push(self.code(values.is_null(row), &byte, row, &mut new));
                }
            }
            kind => {
                let width = kind.primitive_width().unwrap_or(1);
                let data = array.to_data();
                let bytes = data.buffers().first().map_or(&[][..], |buffer| buffer.as_slice());
                for row in 0..rows {
                    let start = (data.offset() + row) * width;
                    let value = bytes.get(start..start + width).unwrap_or_default();
                    codes.push(self.code(array.is_null(row), value, row, &mut new));
                }
            }
        }
        if !new.is_empty() {
            let values = take(array, &UInt32Array::from(new), None)?;
            // Views would keep the whole batch alive.
            let values = match values.as_string_view_opt() {
                Some(views) => Arc::new(views.gc()),
                None => values,
            };
            self.values.push(values);
        }
        Ok(())
    }

    fn add_strings<'a>(
        &mut self,
        values: impl Iterator<Item = Option<&'a str>>,
        codes: &mut Vec<u32>,
        new: &mut Vec<u32>,
    ) {
        for (row, value) in values.enumerate() {
            codes.push(self.code(value.is_none(), value.unwrap_or_default().as_bytes(), row, new));
        }
    }

    #[inline]
    fn code(&mut self, is_null: bool, bytes: &[u8], row: usize, new: &mut Vec<u32>) -> u32 {
        if is_null {
            if self.null.is_none() {
                self.null = Some(self.distinct);
                self.distinct += 1;
                new.push(row as u32);
            }
            return self.null.unwrap_or_default();
        }
        let entry = self.dictionary.code(bytes) as usize;
        if entry == self.code_of.len() {
            self.code_of.push(self.distinct);
            self.distinct += 1;
            new.push(row as u32);
        }
        self.code_of[entry]
    }

    /// As if there were one record for each distinct value.
    fn list_entries(&mut self) {
        self.codes = (0..self.distinct).collect();
    }

    fn finish(self, name: &str, options: &ReadOptions) -> Result<Column, ReadErrorKind> {
        Ok(self.finish_with_values(name, options)?.0)
    }

    /// The column, and its distinct values in the order of their codes here.
    fn finish_with_values(
        self,
        name: &str,
        options: &ReadOptions,
    ) -> Result<(Column, ArrayRef), ReadErrorKind> {
        let no_text = |_: ArrowError| ReadErrorKind::NoText { column: name.to_owned() };
        let plain = match &self.kind {
            DataType::Dictionary(_, values) => values.as_ref(),
            kind => kind,
        };
        let parts: Vec<&dyn Array> = self.values.iter().map(|part| part.as_ref()).collect();
        let values =
            if parts.is_empty() { new_empty_array(plain) } else { concat(&parts).map_err(no_text)? };
        drop(self.values);
        let mut places: HashMap<Box<str>, u32> = HashMap::new();
        let mut texts: Vec<Box<str>> = Vec::new();
        let mut text_of = Vec::with_capacity(values.len());
        for_each_text(&values, |text| {
            text_of.push(*places.entry(text.into()).or_insert_with_key(|text| {
                texts.push(text.clone());
                texts.len() as u32 - 1
            }));
        })
        .map_err(no_text)?;
        drop(places);
        // A null has the empty text. Were that missing only where there are nulls, one person's null would change what
        // everybody else's empty text is, and a private count by as much.
        let is_missing = |text: &str| text.is_empty() || options.is_missing(text);
        let (domain, code_of) = Domain::by_value(texts, is_missing, options.equality_in(name));
        let code_of: Vec<u32> = text_of.iter().map(|&text| code_of[text as usize]).collect();
        let distinct = Arc::clone(&values);
        let mut codes = self.codes;
        let cells = if code_of.len() == domain.len() {
            let mut order = vec![0; code_of.len()];
            for (old, &new) in code_of.iter().enumerate() {
                order[new as usize] = old as u32;
            }
            let values = take(&values, &UInt32Array::from(order), None).map_err(no_text)?;
            Cells::Arrow(as_it_was(values, &self.kind))
        } else {
            Cells::ArrowVerbatim { codes: codes.clone(), values: as_it_was(values, &self.kind) }
        };
        codes.iter_mut().for_each(|code| *code = code_of[*code as usize]);
        Ok((Column { name: name.to_owned(), codes, domain, cells }, distinct))
    }
}

/// Gives numbers to the distinct values of a column that comes from elsewhere than a file, such as a query.
///
/// A value has the number of its first appearance. The column that comes of it has one code for each of them, as that of
/// [`stream`](super::stream) has one for each entry, and is what [`read`](super::read) makes of a file with these values.
pub struct ValueReader {
    name: String,
    encoder: Encoder,
}

impl ValueReader {
    /// A column of this type.
    ///
    /// # Errors
    /// When values of the type have no text.
    pub fn new(name: &str, kind: &DataType) -> Result<Self, ReadError> {
        if !is_readable(kind) {
            let kind = ReadErrorKind::Type { column: name.to_owned(), kind: kind.to_string() };
            return Err(ReadError { path: None, kind });
        }
        Ok(Self { name: name.to_owned(), encoder: Encoder::new(kind) })
    }

    /// Takes values, and tells the number of each.
    ///
    /// # Errors
    /// When they are of another type.
    pub fn add(&mut self, values: &ArrayRef) -> Result<Vec<u32>, ReadError> {
        let problem = || ReadErrorKind::Damaged {
            format: "Arrow",
            problem: "a batch does not fit the schema".to_owned(),
        };
        if values.data_type() != &self.encoder.kind {
            return Err(ReadError { path: None, kind: problem() });
        }
        let added = guard::reading("Arrow", || self.encoder.add(values).map_err(|_| problem()));
        added.map_err(|kind| ReadError { path: None, kind })?;
        Ok(std::mem::take(&mut self.encoder.codes))
    }

    /// The type of its values.
    pub fn kind(&self) -> &DataType {
        &self.encoder.kind
    }

    /// The bytes of the distinct values so far.
    pub fn bytes(&self) -> usize {
        self.encoder.dictionary.bytes()
    }

    /// The column with one code for each distinct value, and these values in the order of their numbers.
    ///
    /// # Errors
    /// When a value has no text.
    pub fn finish(mut self, options: &ReadOptions) -> Result<(Column, ArrayRef), ReadError> {
        self.encoder.list_entries();
        let finished = guard::reading("Arrow", || self.encoder.finish_with_values(&self.name, options));
        finished.map_err(|kind| ReadError { path: None, kind })
    }
}

/// Distinct strings go back into a dictionary of the type they came from, unless its keys are too narrow for all
/// of them.
fn as_it_was(values: ArrayRef, kind: &DataType) -> ArrayRef {
    let DataType::Dictionary(key, _) = kind else { return values };
    let dictionary = match key.as_ref() {
        DataType::Int8 => keyed::<Int8Type>(&values),
        DataType::Int16 => keyed::<Int16Type>(&values),
        DataType::Int32 => keyed::<Int32Type>(&values),
        DataType::Int64 => keyed::<Int64Type>(&values),
        DataType::UInt8 => keyed::<UInt8Type>(&values),
        DataType::UInt16 => keyed::<UInt16Type>(&values),
        DataType::UInt32 => keyed::<UInt32Type>(&values),
        DataType::UInt64 => keyed::<UInt64Type>(&values),
        _ => None,
    };
    dictionary.unwrap_or(values)
}

/// A dictionary in which each value has a key of its own, and a null has none.
fn keyed<K: ArrowDictionaryKeyType>(values: &ArrayRef) -> Option<ArrayRef> {
    let present: Vec<u32> = (0..values.len() as u32).filter(|&row| values.is_valid(row as usize)).collect();
    let mut keys = PrimitiveBuilder::<K>::with_capacity(values.len());
    let mut next = 0;
    for row in 0..values.len() {
        if values.is_null(row) {
            keys.append_null();
        } else {
            keys.append_value(K::Native::from_usize(next)?);
            next += 1;
        }
    }
    let distinct = take(values, &UInt32Array::from(present), None).ok()?;
    Some(Arc::new(DictionaryArray::try_new(keys.finish(), distinct).ok()?))
}

/// The text of each value; nothing when it has none.
pub(crate) fn texts_of(values: &ArrayRef) -> Option<Vec<String>> {
    let plain = match values.as_any_dictionary_opt() {
        Some(dictionary) => &take(dictionary.values(), dictionary.keys(), None).ok()?,
        None => values,
    };
    let mut texts = Vec::with_capacity(plain.len());
    for_each_text(plain, |text| texts.push(text.to_owned())).ok()?;
    Some(texts)
}

/// Visits the text of each value of a column that is no dictionary, in order; the empty text of what is missing.
///
/// # Errors
/// When a value has no text.
pub fn each_text(column: &str, values: &ArrayRef, visit: impl FnMut(&str)) -> Result<(), ReadError> {
    let kind = ReadErrorKind::NoText { column: column.to_owned() };
    for_each_text(values, visit).map_err(|_| ReadError { path: None, kind })
}

/// The text of each value, in order.
fn for_each_text(values: &ArrayRef, mut visit: impl FnMut(&str)) -> Result<(), ArrowError> {
    let (naive, zone) = match values.data_type() {
        DataType::Timestamp(unit, Some(_)) => {
            let kind = DataType::Timestamp(*unit, None);
            (make_array(values.to_data().into_builder().data_type(kind).build()?), "Z")
        }
        _ => (Arc::clone(values), ""),
    };
    let options = FormatOptions::default().with_display_error(false);
    let formatter = ArrayFormatter::try_new(&naive, &options)?;
    let mut text = String::new();
    for row in 0..naive.len() {
        text.clear();
        if !naive.is_null(row) {
            formatter.value(row).write(&mut text)?;
            text.push_str(zone);
        }
        visit(&text);
    }
    Ok(())
}
