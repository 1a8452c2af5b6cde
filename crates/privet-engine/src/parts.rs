//! Writes the published table as files of a folder, one for each partition, where executors and the driver both reach it.
//!
//! **Guarantee.** A file has its name only when it is complete: it is written under another name and renamed, so a task that is
//! made again after its executor was lost writes the same file again and nothing else is seen.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{ArrayRef, BooleanArray, RecordBatch, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::TaskContext;
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, Partitioning, PlanProperties,
    SendableRecordBatchStream,
};
use futures::StreamExt;
use privet_data::io::{BatchWriter, Format, WriteError};
use privet_job::engine::EngineError;
use serde::{Deserialize, Serialize};

use crate::fault::external;
use crate::scan::part_of;

/// Where files go, and what is counted on the way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Destination {
    /// The folder.
    pub folder: PathBuf,
    /// Per partition the name of its file.
    pub names: Vec<String>,
    /// Whether they are Arrow files, and not Parquet.
    pub is_arrow: bool,
    /// Per partition the records of which is told how many before them, of the partition, are left out: their places in it.
    pub watched: Vec<Vec<u64>>,
}

impl Destination {
    /// The format of the files.
    pub fn format(&self) -> Format {
        if self.is_arrow { Format::Arrow } else { Format::Parquet }
    }
}

/// What came of a partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its number.
    pub number: usize,
    /// Records that came in.
    pub read: u64,
    /// Records that were written.
    pub written: u64,
    /// Per watched record how many before it were left out.
    pub suppressed_before: Vec<u64>,
}

/// Counts records that are left out, up to watched ones.
#[derive(Debug, Default)]
pub struct Watch {
    watched: Vec<u64>,
    /// Per watched record that went by, how many were left out before it.
    pub before: Vec<u64>,
    /// Records that went by.
    pub read: u64,
    suppressed: u64,
}

impl Watch {
    /// Watches records by their places, in ascending order.
    pub fn new(watched: Vec<u64>) -> Self {
        Self { watched, ..Self::default() }
    }

    /// Looks at the next records.
    pub fn look(&mut self, kept: &BooleanArray) {
        let mut from = 0;
        let mut suppressed = |to: usize| {
            let part = kept.slice(from, to - from);
            from = to;
            (part.len() - part.true_count()) as u64
        };
        while let Some(&next) = self.watched.get(self.before.len()) {
            let Some(place) = next.checked_sub(self.read).filter(|&place| place < kept.len() as u64) else {
                break;
            };
            self.suppressed += suppressed(place as usize);
            self.before.push(self.suppressed);
        }
        self.suppressed += suppressed(kept.len());
        self.read += kept.len() as u64;
    }
}

/// Splits a recoded batch into what is kept and the published columns.
pub(crate) fn split(batch: &RecordBatch) -> Result<(BooleanArray, &[ArrayRef])> {
    let kept = batch.columns().first().and_then(|own| own.as_boolean_opt());
    let kept = kept.ok_or_else(|| DataFusionError::Execution("a recoded batch is expected".to_owned()))?;
    Ok((kept.clone(), &batch.columns()[1..]))
}

/// The published columns of a recoded table.
pub(crate) fn published(schema: &Schema) -> Vec<(String, DataType)> {
    schema.fields().iter().skip(1).map(|own| (own.name().clone(), own.data_type().clone())).collect()
}

/// What is wrong with writing, in the engine's words.
pub(crate) fn unwritten(error: &WriteError) -> EngineError {
    match error {
        WriteError::Io(error) => EngineError::resources(format!("the release could not be written: {error}")),
        error => EngineError::input(error.to_string()),
    }
}

/// Writes each partition of a recoded table to a file; tells of each what came of it.
#[derive(Debug)]
pub struct WriteExec {
    pub(crate) input: Arc<dyn ExecutionPlan>,
    pub(crate) destination: Arc<Destination>,
    schema: SchemaRef,
    properties: Arc<PlanProperties>,
}

impl WriteExec {
    /// Writes an input.
    pub fn new(input: Arc<dyn ExecutionPlan>, destination: Arc<Destination>) -> Self {
        let field = |name: &str| Field::new(name, DataType::UInt64, false);
        // One line for a file, and one for each watched record: part, read, written, watched, before.
        let schema =
            Arc::new(Schema::new(["part", "read", "written", "watched", "before"].map(field).to_vec()));
        let properties = Arc::new(PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&schema)),
            Partitioning::UnknownPartitioning(input.output_partitioning().partition_count()),
            EmissionType::Final,
            Boundedness::Bounded,
        ));
        Self { input, destination, schema, properties }
    }

    /// Reads what was told, part by part.
    ///
    /// # Errors
    /// When it is something else.
    pub fn told(batches: &[RecordBatch]) -> Result<Vec<Part>> {
        let mut parts: BTreeMap<usize, Part> = BTreeMap::new();
        for batch in batches {
            let columns: Option<Vec<&UInt64Array>> =
                batch.columns().iter().map(|own| own.as_primitive_opt::<UInt64Type>()).collect();
            let columns = columns.filter(|own| own.len() == 5);
            let columns =
                columns.ok_or_else(|| DataFusionError::Execution("parts are expected".to_owned()))?;
            for row in 0..batch.num_rows() {
                let [part, read, written, watched, before] = [0, 1, 2, 3, 4].map(|i| columns[i].value(row));
                let number = part as usize;
                let new = || Part { number, read, written, suppressed_before: Vec::new() };
                let own = parts.entry(number).or_insert_with(new);
                if watched != u64::MAX {
                    own.suppressed_before.push(before);
                }
            }
        }
        Ok(parts.into_values().collect())
    }
}

impl DisplayAs for WriteExec {
    fn fmt_as(&self, _kind: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PrivetWrite: files={}", self.destination.names.len())
    }
}

impl ExecutionPlan for WriteExec {
    fn name(&self) -> &'static str {
        "PrivetWrite"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn apply_expressions(
        &self,
        _visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let input = children.pop().unwrap_or_else(|| Arc::clone(&self.input));
        Ok(Arc::new(Self::new(input, Arc::clone(&self.destination))))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let input = self.input.execute(partition, Arc::clone(&context))?;
        let number = part_of(Arc::clone(&self.input), partition, context);
        let destination = Arc::clone(&self.destination);
        let schema = Arc::clone(&self.schema);
        let made = futures::stream::once(async move {
            let part = write_part(input, &destination, number.await?).await?;
            // A line for the file, and then one for each watched record.
            let watched = std::iter::once((u64::MAX, 0));
            let watched = watched.chain((0u64..).zip(part.suppressed_before.iter().copied()));
            let watched: Vec<(u64, u64)> = watched.collect();
            let same = |value: u64| -> ArrayRef {
                Arc::new(UInt64Array::from_iter_values(watched.iter().map(|_| value)))
            };
            let columns: Vec<ArrayRef> = vec![
                same(part.number as u64),
                same(part.read),
                same(part.written),
                Arc::new(UInt64Array::from_iter_values(watched.iter().map(|own| own.0))),
                Arc::new(UInt64Array::from_iter_values(watched.iter().map(|own| own.1))),
            ];
            Ok::<_, DataFusionError>(RecordBatch::try_new(schema, columns)?)
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.schema), made)))
    }
}

async fn write_part(
    mut input: SendableRecordBatchStream,
    destination: &Destination,
    number: usize,
) -> Result<Part> {
    let no_such = || DataFusionError::Execution("there is no such part".to_owned());
    let name = destination.names.get(number).ok_or_else(no_such)?;
    let watched = destination.watched.get(number).cloned().unwrap_or_default();
    let failed = |error: std::io::Error| external(unwritten(&WriteError::Io(error)));
    // Gone when it is dropped, whatever happens before it has its name.
    let file = tempfile::Builder::new().prefix(".part-").tempfile_in(&destination.folder).map_err(failed)?;
    let (file, path) = file.into_parts();
    let sink = BufWriter::with_capacity(1 << 20, file);
    let columns = published(&input.schema());
    let mut writer = BatchWriter::begin(sink, destination.format(), columns)
        .map_err(|error| external(unwritten(&error)))?;
    let mut watch = Watch::new(watched);
    while let Some(batch) = input.next().await {
        let batch = batch?;
        let (kept, columns) = split(&batch)?;
        watch.look(&kept);
        writer.write(columns, Some(&kept)).map_err(|error| external(unwritten(&error)))?;
    }
    let (sink, written) = writer.finish().map_err(|error| external(unwritten(&error)))?;
    let file: File = sink.into_inner().map_err(|error| failed(error.into_error()))?;
    file.sync_all().map_err(failed)?;
    path.persist(destination.folder.join(name)).map_err(|error| failed(error.error))?;
    Ok(Part { number, read: watch.read, written, suppressed_before: watch.before })
}
