//! A table that is in memory already, as Arrow record batches: read as an Arrow file is, without the file.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::Schema;

use super::{BATCH, Each, Opened, Start, read_batches};
use crate::Progress;
use crate::io::extent::Extent;
use crate::io::{Format, Input, ReadErrorKind, ReadOptions};

/// A table in memory. It stands for one path, which names no file: [`read`](crate::io::read) of that path, with options that hold it, gives
/// the table. The buffers are shared and not copied.
#[derive(Clone)]
pub struct Frame {
    path: PathBuf,
    schema: Arc<Schema>,
    batches: Arc<[RecordBatch]>,
}

impl Frame {
    /// A frame from batches of one schema. It has no path yet, so nothing reads it before [`at`](Self::at).
    ///
    /// ```
    /// use std::sync::Arc;
    /// use arrow_array::{ArrayRef, Int64Array, RecordBatch};
    /// use privet_data::Silent;
    /// use privet_data::io::{Frame, ReadOptions, read};
    ///
    /// let ages: ArrayRef = Arc::new(Int64Array::from(vec![30, 29, 30]));
    /// let batch = RecordBatch::try_from_iter([("age", ages)])?;
    /// let frame = Frame::from(batch).at("ages");
    /// let options = ReadOptions { frame: Some(frame.clone()), ..ReadOptions::default() };
    /// let input = read(frame.path(), &options, &Silent)?;
    /// assert_eq!((input.table.rows, &input.table.columns[0].codes[..]), (3, &[1, 0, 1][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(schema: Arc<Schema>, batches: Vec<RecordBatch>) -> Self {
        Self { path: PathBuf::new(), schema, batches: batches.into() }
    }

    /// The same, standing for this path.
    #[must_use]
    pub fn at(self, path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), ..self }
    }

    /// The path that it stands for.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its columns.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// Its records.
    pub fn batches(&self) -> &[RecordBatch] {
        &self.batches
    }
}

impl From<RecordBatch> for Frame {
    fn from(batch: RecordBatch) -> Self {
        Self::new(batch.schema(), vec![batch])
    }
}

/// No value of the data.
impl fmt::Debug for Frame {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows: usize = self.batches.iter().map(RecordBatch::num_rows).sum();
        formatter.debug_struct("Frame").field("path", &self.path).field("rows", &rows).finish_non_exhaustive()
    }
}

/// Whether it is the same frame, and not only an equal one.
impl PartialEq for Frame {
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path && Arc::ptr_eq(&self.batches, &other.batches)
    }
}

impl Eq for Frame {}

/// Reads a frame. With `each` the codes are handed on, as from a file.
pub(in crate::io) fn read_frame(
    frame: &Frame,
    options: &ReadOptions,
    progress: &dyn Progress,
    each: Option<&mut Each<'_>>,
) -> Result<Input, ReadErrorKind> {
    let start = Start::new(&frame.schema, options)?;
    let extent = Extent::new(start.kept.len(), options, each.is_some());
    let bytes = frame.batches.iter().map(RecordBatch::get_array_memory_size).sum::<usize>() as u64;
    progress.stage("reading", Some(bytes));
    let rows: usize = frame.batches.iter().map(RecordBatch::num_rows).sum();
    let kept = start.kept.clone();
    let parts = frame.batches.iter().flat_map(|batch| {
        let from = (0..batch.num_rows()).step_by(BATCH);
        from.map(|from| batch.slice(from, BATCH.min(batch.num_rows() - from)))
    });
    let parts = parts.map(|part| part.project(&kept).map_err(|_| "a batch lacks a column"));
    let opened = Opened { format: Format::Arrow, name: "Arrow", bytes, extent };
    let at = |done: usize, _: usize| Some((done as u64, rows as u64));
    read_batches(parts, &frame.schema, start, &opened, at, options, progress, each)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::io::{read, stream};
    use arrow_array::{ArrayRef, Int64Array, StringArray};
    use proptest::prelude::*;
    use std::ops::ControlFlow;

    fn batch(cells: &[(Option<i64>, Option<String>)]) -> RecordBatch {
        let numbers: ArrayRef = Arc::new(cells.iter().map(|own| own.0).collect::<Int64Array>());
        let texts: ArrayRef = Arc::new(cells.iter().map(|own| own.1.as_deref()).collect::<StringArray>());
        RecordBatch::try_from_iter_with_nullable([("number", numbers, true), ("text", texts, true)]).unwrap()
    }

    proptest! {
        /// Whatever the batches, a frame is read as the Arrow file that holds them.
        #[test]
        fn a_frame_is_read_as_its_file_is(
            cells in prop::collection::vec((prop::option::of(-3_i64..4), prop::option::of("[ab ]{0,2}")), 0..40),
            cut in 0_usize..40,
        ) {
            let cut = cut.min(cells.len());
            let batches = vec![batch(&cells[..cut]), batch(&cells[cut..])];
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("table.arrow");
            let schema = batches[0].schema();
            let file = std::fs::File::create(&path).unwrap();
            let mut writer = arrow_ipc::writer::FileWriter::try_new(file, &schema).unwrap();
            batches.iter().for_each(|own| writer.write(own).unwrap());
            writer.finish().unwrap();
            drop(writer);

            let frame = Frame::new(schema, batches).at("nowhere.arrow");
            let plain = ReadOptions::default();
            let held = ReadOptions { frame: Some(frame.clone()), ..plain.clone() };
            let (ours, theirs) = (read(frame.path(), &held, &Silent), read(&path, &plain, &Silent));
            let (ours, theirs) = (ours.unwrap(), theirs.unwrap());
            prop_assert_eq!(ours.table.rows, theirs.table.rows);
            prop_assert_eq!(&ours.names, &theirs.names);
            for (own, other) in ours.table.columns.iter().zip(&theirs.table.columns) {
                prop_assert_eq!(&own.codes, &other.codes);
                prop_assert_eq!(own.domain.texts(), other.domain.texts());
                prop_assert_eq!(own.domain.kind(), other.domain.kind());
                prop_assert_eq!(own.domain.missing(), other.domain.missing());
            }
            // Another path is another table, whatever the options hold.
            prop_assert!(read(Path::new("elsewhere.arrow"), &held, &Silent).is_err());
            let mut rows = 0;
            let streamed = stream(frame.path(), &held, &Silent, &mut |count, _| {
                rows += count;
                ControlFlow::Continue(())
            });
            prop_assert_eq!((streamed.unwrap().table.rows, rows), (cells.len(), cells.len()));
        }
    }
}
