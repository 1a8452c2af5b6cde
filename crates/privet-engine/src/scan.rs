//! Reads a table in files as an operator of DataFusion, with the number of each record.
//!
//! An operator of its own, because the engines' own readers tell no record from another: without its number the order of the input
//! could not be kept. **Guarantee.** A partition holds consecutive records in their order; the column [`ROW`] has their numbers.

use std::fmt;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, StringArray, UInt64Array, make_array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::TaskContext;
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, Partitioning, PlanProperties,
    SendableRecordBatchStream,
};
use futures::stream::{self, StreamExt, TryStreamExt};
use parquet::arrow::ProjectionMask;
use parquet::arrow::async_reader::ParquetRecordBatchStreamBuilder;
use privet_job::engine::EngineError;
use url::Url;

use crate::fault::external;
use crate::store::{ObjectReader, address_of, store_of};
use crate::table::{FileTable, Stretch, path_of};

/// The name of the column with the numbers of the records.
pub const ROW: &str = "__privet_row";

/// Records of a batch.
const BATCH: usize = 8_192;

/// A table as DataFusion's planner sees it: its columns, and the numbers of its records.
#[derive(Debug)]
pub struct NumberedTable {
    table: Arc<FileTable>,
    schema: SchemaRef,
    partitions: usize,
}

impl NumberedTable {
    /// A table that is read in about so many parts.
    pub fn new(table: Arc<FileTable>, partitions: usize) -> Self {
        let schema = numbered(&table.schema, true);
        Self { table, schema, partitions }
    }
}

/// The type in which a column is grouped: numbers with a fraction by their bits, because engines take 0 and -0 for one value.
fn grouped_as(kind: &DataType) -> Option<DataType> {
    match kind {
        DataType::Float16 => Some(DataType::Int16),
        DataType::Float32 => Some(DataType::Int32),
        DataType::Float64 => Some(DataType::Int64),
        _ => None,
    }
}

/// The same bits as values of another type of the same width.
fn same_bits(values: &ArrayRef, kind: &DataType) -> Result<ArrayRef> {
    let data = values.to_data().into_builder().data_type(kind.clone()).build()?;
    Ok(make_array(data))
}

/// Values of a column as they were read, from those that were grouped.
///
/// # Errors
/// When they are others.
pub fn as_read(values: &ArrayRef, kind: &DataType) -> Result<ArrayRef> {
    match grouped_as(kind) {
        Some(_) => same_bits(values, kind),
        None => Ok(Arc::clone(values)),
    }
}

fn numbered(schema: &Schema, by_bits: bool) -> SchemaRef {
    let field = |own: &Arc<Field>| match grouped_as(own.data_type()).filter(|_| by_bits) {
        Some(kind) => Arc::new(own.as_ref().clone().with_data_type(kind)),
        None => Arc::clone(own),
    };
    let mut fields: Vec<Arc<Field>> = schema.fields().iter().map(field).collect();
    fields.push(Arc::new(Field::new(ROW, DataType::UInt64, false)));
    Arc::new(Schema::new(fields))
}

#[async_trait]
impl TableProvider for NumberedTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _state: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        _limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let all: Vec<usize> = (0..self.schema.fields().len()).collect();
        let projection = projection.cloned().unwrap_or(all);
        let parts = self.table.parts(self.partitions);
        Ok(Arc::new(ScanExec::new(Arc::clone(&self.table), projection, parts, true)?))
    }
}

/// Reads parts of a table.
///
/// Its input tells each partition which part it is, because schedulers of clusters cut plans at the leaves that they know: a task gets
/// some partitions of the leaf, counted anew from 0.
#[derive(Debug)]
pub struct ScanExec {
    pub(crate) numbers: Arc<dyn ExecutionPlan>,
    pub(crate) table: Arc<FileTable>,
    /// The columns that are read, in this order; the one after the last is that of the numbers.
    pub(crate) projection: Vec<usize>,
    /// Per part its records.
    pub(crate) parts: Arc<Vec<Vec<Stretch>>>,
    /// Whether numbers with a fraction come as their bits, to be grouped.
    pub(crate) by_bits: bool,
    schema: SchemaRef,
    properties: Arc<PlanProperties>,
}

impl ScanExec {
    /// Reads these columns of these parts.
    ///
    /// # Errors
    /// When there is no such column.
    pub fn new(
        table: Arc<FileTable>,
        projection: Vec<usize>,
        parts: Vec<Vec<Stretch>>,
        by_bits: bool,
    ) -> Result<Self> {
        let parts = if parts.is_empty() { vec![Vec::new()] } else { parts };
        let numbers = numbers_of(parts.len())?;
        Self::with_numbers(numbers, table, projection, Arc::new(parts), by_bits)
    }

    /// As [`new`](Self::new), for the partitions whose parts an input tells.
    pub(crate) fn with_numbers(
        numbers: Arc<dyn ExecutionPlan>,
        table: Arc<FileTable>,
        projection: Vec<usize>,
        parts: Arc<Vec<Vec<Stretch>>>,
        by_bits: bool,
    ) -> Result<Self> {
        let schema = Arc::new(numbered(&table.schema, by_bits).project(&projection)?);
        let properties = Arc::new(PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&schema)),
            Partitioning::UnknownPartitioning(numbers.output_partitioning().partition_count()),
            EmissionType::Incremental,
            Boundedness::Bounded,
        ));
        Ok(Self { numbers, table, projection, parts, by_bits, schema, properties })
    }
}

/// A leaf whose partitions tell their numbers.
fn numbers_of(parts: usize) -> Result<Arc<dyn ExecutionPlan>> {
    let schema = Arc::new(Schema::new(vec![Field::new("part", DataType::UInt64, false)]));
    let number = |part: usize| {
        let column: ArrayRef = Arc::new(UInt64Array::from_value(part as u64, 1));
        Ok(vec![RecordBatch::try_new(Arc::clone(&schema), vec![column])?])
    };
    let partitions = (0..parts).map(number).collect::<Result<Vec<_>>>()?;
    Ok(MemorySourceConfig::try_new_exec(&partitions, Arc::clone(&schema), None)?)
}

/// The number of the part that a partition of a plan reads: its leaf tells it.
pub(crate) async fn part_of(
    plan: Arc<dyn ExecutionPlan>,
    partition: usize,
    context: Arc<TaskContext>,
) -> Result<usize> {
    let mut leaf = plan;
    while let Some(input) = leaf.children().first().map(|own| Arc::clone(own)) {
        leaf = input;
    }
    let told = leaf.execute(partition, context)?.next().await.transpose()?;
    let number = told.as_ref().and_then(|own| own.columns().first()?.as_primitive_opt::<UInt64Type>());
    let number = number.filter(|own| own.len() == 1).map(|own| own.value(0) as usize);
    number.ok_or_else(|| DataFusionError::Execution("a partition does not tell its part".to_owned()))
}

impl DisplayAs for ScanExec {
    fn fmt_as(&self, _kind: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "PrivetScan: files={}, partitions={}, columns={}",
            self.table.files.len(),
            self.properties.output_partitioning().partition_count(),
            self.schema.fields().len()
        )
    }
}

impl ExecutionPlan for ScanExec {
    fn name(&self) -> &'static str {
        "PrivetScan"
    }

    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.numbers]
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
        let numbers = children.pop().unwrap_or_else(|| Arc::clone(&self.numbers));
        let (table, projection) = (Arc::clone(&self.table), self.projection.clone());
        Ok(Arc::new(Self::with_numbers(numbers, table, projection, Arc::clone(&self.parts), self.by_bits)?))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let (numbers, parts) = (Arc::clone(&self.numbers), Arc::clone(&self.parts));
        let stretches = async move {
            let part = part_of(numbers, partition, context).await?;
            parts
                .get(part)
                .cloned()
                .ok_or_else(|| DataFusionError::Execution("there is no such part".to_owned()))
        };
        let stretches = stream::once(stretches)
            .map_ok(|own| stream::iter(own.into_iter().map(Ok::<_, DataFusionError>)))
            .try_flatten();
        let reader = Reader {
            table: Arc::clone(&self.table),
            projection: self.projection.clone(),
            schema: Arc::clone(&self.schema),
        };
        let batches = stretches.and_then(move |stretch| {
            let reader = reader.clone();
            async move { reader.read(stretch).await }
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.schema), batches.try_flatten())))
    }
}

#[derive(Clone)]
struct Reader {
    table: Arc<FileTable>,
    projection: Vec<usize>,
    schema: SchemaRef,
}

impl Reader {
    async fn read(self, stretch: Stretch) -> Result<stream::BoxStream<'static, Result<RecordBatch>>> {
        let file = &self.table.files[stretch.file];
        let url = Url::parse(&file.url).map_err(|error| DataFusionError::Execution(error.to_string()))?;
        let name = address_of(&url);
        // The libraries' own messages may quote data and are not passed on.
        let damaged = move || {
            external(EngineError::input(format!(
                "{name}: a page is damaged, compressed with something else than snappy, gzip or zstd, or the file was changed \
                 while it was read"
            )))
        };
        let store = store_of(&url).map_err(external)?;
        let reader = ObjectReader { store, path: path_of(&url).map_err(external)?, size: file.size };
        let builder = ParquetRecordBatchStreamBuilder::new(reader).await;
        let builder = builder.map_err(|_| damaged())?;
        let in_file = self.table.schema.fields().len() - self.table.folder_columns;
        let read: Vec<usize> = {
            let mut read: Vec<usize> = self.projection.iter().copied().filter(|&own| own < in_file).collect();
            read.sort_unstable();
            read.dedup();
            read
        };
        if builder.schema().fields().len() < in_file
            || stretch.groups.iter().any(|&group| group >= builder.metadata().num_row_groups())
        {
            return Err(damaged());
        }
        let mask = ProjectionMask::roots(builder.parquet_schema(), read.iter().copied());
        let batches = builder
            .with_projection(mask)
            .with_row_groups(stretch.groups.clone())
            .with_batch_size(BATCH)
            .with_offset(usize::try_from(stretch.skip).unwrap_or(usize::MAX))
            .with_limit(usize::try_from(stretch.rows).unwrap_or(usize::MAX))
            .build()
            .map_err(|_| damaged())?;
        let mut first = stretch.first;
        let end = stretch.first + stretch.rows;
        let incomplete = damaged();
        let batches = batches
            .map(move |batch| match batch {
                Ok(batch) => {
                    let rows = batch.num_rows();
                    let made = self.batch(&batch, &read, in_file, stretch.file, first);
                    first += rows as u64;
                    made.map(|made| (made, first))
                }
                Err(_) => Err(damaged()),
            })
            .boxed();
        // A file that ends too early is no shorter table.
        let counted = stream::unfold((batches, 0u64, false, Some(incomplete)), move |state| async move {
            let (mut batches, at, done, mut incomplete) = state;
            if done {
                return None;
            }
            match batches.next().await {
                Some(Ok((batch, at))) => Some((Ok(batch), (batches, at, false, incomplete))),
                Some(Err(error)) => Some((Err(error), (batches, at, true, incomplete))),
                None if at != end && stretch.rows > 0 => {
                    incomplete.take().map(|error| (Err(error), (batches, at, true, None)))
                }
                None => None,
            }
        });
        Ok(counted.boxed())
    }

    /// The columns that are asked for, from those that were read.
    fn batch(
        &self,
        batch: &RecordBatch,
        read: &[usize],
        in_file: usize,
        file: usize,
        first: u64,
    ) -> Result<RecordBatch> {
        let rows = batch.num_rows();
        let all = self.table.schema.fields().len();
        let columns = self.projection.iter().enumerate().map(|(own, &column)| -> Result<ArrayRef> {
            if column == all {
                return Ok(Arc::new(UInt64Array::from_iter_values(first..first + rows as u64)));
            }
            if column >= in_file {
                let value = self.table.files[file].folders[column - in_file].as_deref();
                return Ok(Arc::new(StringArray::from_iter(std::iter::repeat_n(value, rows))));
            }
            let place = read.binary_search(&column).ok().filter(|&place| place < batch.num_columns());
            let place = place.ok_or_else(|| DataFusionError::Execution("a column is missing".to_owned()))?;
            let values = batch.column(place);
            match self.schema.field(own).data_type() {
                kind if kind == values.data_type() => Ok(Arc::clone(values)),
                kind if grouped_as(values.data_type()).as_ref() == Some(kind) => same_bits(values, kind),
                _ => Err(DataFusionError::Execution("a column has another type".to_owned())),
            }
        });
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let columns = columns.collect::<Result<Vec<_>>>()?;
        Ok(RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)?)
    }
}
