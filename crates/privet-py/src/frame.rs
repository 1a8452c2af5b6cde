//! Frames of every library as Arrow record batches, through the PyCapsule interface.

use arrow_array::RecordBatch;
use privet::Source;
use privet_data::io::Frame;
use pyo3::prelude::*;
use pyo3_arrow::PyTable;

use crate::errors::Failure;

/// What Python gives as data: a path, or anything that exports an Arrow stream.
pub fn source(data: &Bound<'_, PyAny>) -> PyResult<Source> {
    if let Ok(path) = data.extract::<std::path::PathBuf>() {
        return Ok(Source::File(path));
    }
    let table: PyTable = data.extract().map_err(|_| {
        Failure::invalid(
            "the data must be a path or a frame that exports Arrow (pandas 2.2, polars, pyarrow, DuckDB)",
        )
    })?;
    // The buffers stay where they are, in the memory of the library that made the frame.
    let (batches, schema) = table.into_inner();
    Ok(Source::Frame(Frame::new(schema, batches)))
}

/// A record batch as a table that exports an Arrow stream.
pub fn exported(batch: RecordBatch) -> PyResult<PyTable> {
    let schema = batch.schema();
    PyTable::try_new(vec![batch], schema)
}
