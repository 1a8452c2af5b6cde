//! Tables that are no Parquet files, made ready for the engine: CSV and Arrow files as entries, tables of a database as they are.
//!
//! A CSV cell means what privet's reader says it means, and no other: the reader numbers the distinct cells, and the engine groups
//! numbers. The temporary files lie where the release will, hold no value of a CSV, and are gone however the run ends.

use std::fs::File;
use std::io::BufWriter;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, UInt32Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use privet_data::Progress;
use privet_data::io::{Input, ReadOptions, stream};
use privet_job::RunError;
use privet_job::engine::EngineError;

use crate::runner::Runner;
use crate::store::url_of;
use crate::table::FileTable;

/// Rows of a row group of a temporary file: what one thread takes at once.
const GROUP: usize = 131_072;

/// A temporary Parquet file in the making.
pub(crate) struct Temporary {
    writer: ArrowWriter<BufWriter<File>>,
}

impl Temporary {
    pub fn create(path: &Path, schema: &SchemaRef) -> Result<Self, EngineError> {
        let file = File::create(path).map_err(|error| cannot(&error))?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_max_row_group_row_count(Some(GROUP))
            .build();
        let sink = BufWriter::with_capacity(1 << 20, file);
        let writer = ArrowWriter::try_new(sink, Arc::clone(schema), Some(properties));
        Ok(Self { writer: writer.map_err(|_| failed())? })
    }

    pub fn write(&mut self, batch: &RecordBatch) -> Result<(), EngineError> {
        self.writer.write(batch).map_err(|_| failed())
    }

    pub fn finish(self) -> Result<(), EngineError> {
        self.writer.close().map(drop).map_err(|_| failed())
    }
}

fn cannot(error: &std::io::Error) -> EngineError {
    EngineError::resources(format!("a temporary file could not be written: {error}"))
}

fn failed() -> EngineError {
    EngineError::resources("a temporary file could not be written; the disk may be full")
}

/// Reads the CSV or Arrow files of a job into a table of entries in a folder.
///
/// # Errors
/// When they cannot be read, or the temporary file not be written.
pub fn entries(
    runner: &Runner,
    path: &Path,
    options: &ReadOptions,
    folder: &Path,
    progress: &dyn Progress,
) -> Result<(FileTable, Input), RunError> {
    let coded = folder.join("entries.parquet");
    // The names of the columns are known when the whole file went by.
    let mut temporary: Option<(Temporary, SchemaRef)> = None;
    let mut fault = None;
    let read = stream(path, options, progress, &mut |_, columns| {
        let mut keep = || -> Result<(), EngineError> {
            if temporary.is_none() {
                let field = |number: usize| Field::new(number.to_string(), DataType::UInt32, false);
                let schema: SchemaRef =
                    Arc::new(Schema::new((0..columns.len()).map(field).collect::<Vec<_>>()));
                temporary = Some((Temporary::create(&coded, &schema)?, schema));
            }
            let Some((temporary, schema)) = &mut temporary else { return Ok(()) };
            let array = |own: &&[u32]| -> ArrayRef { Arc::new(UInt32Array::from(own.to_vec())) };
            let batch = RecordBatch::try_new(Arc::clone(schema), columns.iter().map(array).collect());
            temporary.write(&batch.map_err(|_| failed())?)
        };
        match keep() {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                fault = Some(error);
                ControlFlow::Break(())
            }
        }
    });
    if let Some(error) = fault {
        return Err(error.into());
    }
    let input = read?;
    match temporary {
        Some((temporary, _)) => temporary.finish()?,
        None => {
            let schema = Arc::new(Schema::new(vec![Field::new("0", DataType::UInt32, false)]));
            Temporary::create(&coded, &schema)?.finish()?;
        }
    }
    let mut table = runner.runtime.block_on(FileTable::open(&url_of(folder, &coded)?))?;
    if table.rows() > 0 {
        let fields = input.table.columns.iter().map(|own| Field::new(&own.name, DataType::UInt32, false));
        table.schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    }
    Ok((table, input))
}
