//! Opens a Parquet file and holds what its metadata states against the file, before any page is read.

use std::fs::File;

use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};

use super::error::ReadErrorKind;
use super::extent::Extent;

/// A file that is not a sound Parquet file. What is said about the metadata holds no value.
pub(super) fn damaged(problem: impl Into<String>) -> ReadErrorKind {
    ReadErrorKind::Damaged { format: "Parquet", problem: problem.into() }
}

/// Opens a file of so many bytes.
pub(super) fn open(file: File, bytes: u64) -> Result<ParquetRecordBatchReaderBuilder<File>, ReadErrorKind> {
    let builder =
        ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| damaged(error.to_string()))?;
    for group in builder.metadata().row_groups() {
        if group.num_rows() < 0 {
            return Err(damaged("a row group has a length below 0"));
        }
        group.columns().iter().try_for_each(|chunk| place(chunk, bytes))?;
    }
    Ok(builder)
}

/// Whether a column chunk lies in the file.
fn place(chunk: &ColumnChunkMetaData, bytes: u64) -> Result<(), ReadErrorKind> {
    let start = chunk.dictionary_page_offset().unwrap_or_else(|| chunk.data_page_offset());
    let lengths = [start, chunk.data_page_offset(), chunk.compressed_size(), chunk.uncompressed_size()];
    let [Ok(start), Ok(_), Ok(length), Ok(_)] = lengths.map(u64::try_from) else {
        return Err(damaged("a column has a length below 0"));
    };
    match chunk.num_values() >= 0 && start.checked_add(length).is_some_and(|end| end <= bytes) {
        true => Ok(()),
        false => Err(damaged("a column does not fit the file")),
    }
}

/// The records of the file, once it is known that they, and each part that is decompressed, are not too many.
pub(super) fn extent(
    metadata: &ParquetMetaData,
    kept: &[usize],
    extent: &Extent,
) -> Result<u64, ReadErrorKind> {
    let mut rows: u64 = 0;
    for group in metadata.row_groups() {
        rows = rows.saturating_add(group.num_rows().unsigned_abs());
        // Columns that can be read have one leaf each.
        for chunk in kept.iter().filter_map(|&column| group.columns().get(column)) {
            extent.part(chunk.uncompressed_size().unsigned_abs())?;
        }
    }
    extent.expect(rows)?;
    Ok(rows)
}
