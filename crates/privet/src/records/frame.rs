//! Frames in memory: how they reach a job, and how a published table comes back as one.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_ipc::reader::FileReader;
use arrow_ipc::writer::FileWriter;
use arrow_schema::ArrowError;
use privet_data::io::{Format, ReadError, ReadOptions, check_columnar, guarded, open_plain};
use privet_data::{Silent, Table};
use privet_kind::KindError;

/// Writes a frame where only this program may read.
pub(crate) fn write(batch: &RecordBatch, path: &Path) -> Result<(), KindError> {
    let wrong = |error: ArrowError| match error {
        ArrowError::IoError(_, source) => KindError::io(path, &source),
        other => KindError::bad_input(format!("the frame cannot be written as Arrow: {other}")),
    };
    let file = File::create(path).map_err(|error| KindError::io(path, &error))?;
    let mut writer = FileWriter::try_new(file, &batch.schema()).map_err(wrong)?;
    writer.write(batch).and_then(|()| writer.finish()).map_err(wrong)
}

/// A published table as one frame: in the types of an Arrow file, as text from a CSV.
pub(crate) fn read(path: &Path) -> Result<RecordBatch, KindError> {
    match Format::of(path) {
        Some(Format::Arrow) => read_arrow(path),
        _ => read_text(path),
    }
}

fn read_arrow(path: &Path) -> Result<RecordBatch, KindError> {
    check_columnar(path, Format::Arrow).map_err(|kind| ReadError { path: Some(path.to_owned()), kind })?;
    guarded(|| read_batches(path)).unwrap_or_else(|| Err(KindError::bad_input("is damaged").at(path)))
}

fn read_batches(path: &Path) -> Result<RecordBatch, KindError> {
    let wrong = |_: ArrowError| KindError::bad_input("is not an Arrow file").at(path);
    let file = open_plain(path).map_err(|error| KindError::io(path, &error))?;
    let reader = FileReader::try_new(file, None).map_err(wrong)?;
    let schema = reader.schema();
    let batches = reader.collect::<Result<Vec<_>, _>>().map_err(wrong)?;
    let column = |at: usize| {
        let parts: Vec<_> = batches.iter().map(|batch| batch.column(at).as_ref()).collect();
        match parts.is_empty() {
            true => Ok(arrow_array::new_empty_array(schema.field(at).data_type())),
            false => arrow_select::concat::concat(&parts),
        }
    };
    let columns = (0..schema.fields().len()).map(column).collect::<Result<_, _>>().map_err(wrong)?;
    RecordBatch::try_new(Arc::clone(&schema), columns).map_err(wrong)
}

fn read_text(path: &Path) -> Result<RecordBatch, KindError> {
    let table = privet_data::io::read(path, &ReadOptions::default(), &Silent)?.table;
    of_table(&table).map_err(|error| error.at(path))
}

/// A table as text.
pub(super) fn of_table(table: &Table) -> Result<RecordBatch, KindError> {
    let columns = table.columns.iter().map(|column| {
        let text = |&code: &u32| (!column.domain.is_missing(code)).then(|| column.domain.text(code));
        let array: ArrayRef = Arc::new(column.codes.iter().map(text).collect::<StringArray>());
        (column.name.as_str(), array, true)
    });
    RecordBatch::try_from_iter_with_nullable(columns).map_err(|_| KindError::bad_input("is not a table"))
}
