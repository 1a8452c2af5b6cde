//! The referee's own reader of Parquet and Arrow IPC files: every value as its text.

use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, UInt32Type};
use arrow_array::{Array, ArrayRef, RecordBatch, make_array};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_ipc::reader::FileReader;
use arrow_schema::DataType;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use privet_data::io::open_plain;

/// The names of the columns and the batches of a file.
pub(super) struct Batches {
    pub names: Vec<String>,
    pub batches: Box<dyn Iterator<Item = Result<RecordBatch, ()>>>,
}

/// Opens a file of this format. The libraries' own messages may quote data and are not passed on.
pub(super) fn open(path: &Path, format: &str) -> Result<Batches, &'static str> {
    let file = open_plain(path).map_err(|_| "it cannot be opened")?;
    let names = |schema: &arrow_schema::Schema| schema.fields().iter().map(|f| f.name().clone()).collect();
    match format {
        "parquet" => {
            let damaged = "it is not a Parquet file, or it is damaged";
            let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|_| damaged)?;
            let names = names(builder.schema());
            let reader = builder.build().map_err(|_| damaged)?;
            Ok(Batches { names, batches: Box::new(reader.map(|batch| batch.map_err(drop))) })
        }
        "arrow" => {
            let damaged = "it is not an Arrow file, or it is damaged";
            let reader = FileReader::try_new(file, None).map_err(|_| damaged)?;
            let names = names(&reader.schema());
            Ok(Batches { names, batches: Box::new(reader.map(|batch| batch.map_err(drop))) })
        }
        _ => Err("its format is none of csv, parquet, arrow and xlsx"),
    }
}

/// Gives the text of every value of a column to `each`, in order; the empty text for a missing one.
pub(super) fn texts(column: &ArrayRef, each: &mut dyn FnMut(&str)) -> Result<(), ()> {
    match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().iter().for_each(|value| each(value.unwrap_or_default())),
        DataType::LargeUtf8 => {
            column.as_string::<i64>().iter().for_each(|value| each(value.unwrap_or_default()));
        }
        DataType::Utf8View => {
            column.as_string_view().iter().for_each(|value| each(value.unwrap_or_default()));
        }
        DataType::Dictionary(key, _) => {
            let keys: Vec<Option<usize>> = match **key {
                DataType::UInt32 => column
                    .as_dictionary::<UInt32Type>()
                    .keys()
                    .iter()
                    .map(|k| k.map(|k| k as usize))
                    .collect(),
                DataType::Int32 => {
                    column.as_dictionary::<Int32Type>().keys().iter().map(|k| k.map(|k| k as usize)).collect()
                }
                _ => return formatted(column, each),
            };
            let mut values = Vec::new();
            texts(column.as_any_dictionary().values(), &mut |text| values.push(text.to_owned()))?;
            for key in keys {
                each(key.and_then(|key| values.get(key)).map_or("", String::as_str));
            }
        }
        _ => return formatted(column, each),
    }
    Ok(())
}

fn formatted(column: &ArrayRef, each: &mut dyn FnMut(&str)) -> Result<(), ()> {
    use std::fmt::Write as _;
    // A time with a zone is told in UTC, with a Z: the zone only says how to show it.
    let (column, zone) = match column.data_type() {
        DataType::Timestamp(unit, Some(_)) => {
            let utc = column.to_data().into_builder().data_type(DataType::Timestamp(*unit, None));
            (make_array(utc.build().map_err(drop)?), "Z")
        }
        _ => (Arc::clone(column), ""),
    };
    let options = FormatOptions::default().with_display_error(false);
    let formatter = ArrayFormatter::try_new(column.as_ref(), &options).map_err(drop)?;
    let mut text = String::new();
    for row in 0..column.len() {
        text.clear();
        if !column.is_null(row) {
            write!(text, "{}{zone}", formatter.value(row)).map_err(drop)?;
        }
        each(&text);
    }
    Ok(())
}
