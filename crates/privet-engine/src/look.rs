//! Looks at columns by which records are not grouped, as an operator: one line for each part tells of what kind their values are.

use std::fmt;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt8Type;
use arrow_array::{ArrayRef, RecordBatch, UInt8Array};
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
use privet_data::KindTest;

use crate::fault::external;
use crate::values::ColumnReading;

/// Tests the kinds of the columns of its input, which are those of the readings in their order.
#[derive(Debug)]
pub struct LookExec {
    pub(crate) input: Arc<dyn ExecutionPlan>,
    pub(crate) readings: Arc<Vec<ColumnReading>>,
    schema: SchemaRef,
    properties: Arc<PlanProperties>,
}

impl LookExec {
    /// Looks at an input.
    pub fn new(input: Arc<dyn ExecutionPlan>, readings: Arc<Vec<ColumnReading>>) -> Self {
        let fields = readings.iter().map(|own| Field::new(&own.name, DataType::UInt8, false));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let properties = Arc::new(PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&schema)),
            Partitioning::UnknownPartitioning(input.output_partitioning().partition_count()),
            EmissionType::Final,
            Boundedness::Bounded,
        ));
        Self { input, readings, schema, properties }
    }

    /// Adds what a batch of lines tells to the tests of the columns.
    ///
    /// # Errors
    /// When it tells something else.
    pub fn join(batch: &RecordBatch, tests: &mut [KindTest]) -> Result<()> {
        let shape = || DataFusionError::Execution("kinds of columns are expected".to_owned());
        if batch.num_columns() != tests.len() {
            return Err(shape());
        }
        for (column, test) in batch.columns().iter().zip(tests) {
            let bits = column.as_primitive_opt::<UInt8Type>().ok_or_else(shape)?;
            bits.values().iter().for_each(|&bits| test.join(KindTest::of_bits(bits)));
        }
        Ok(())
    }
}

impl DisplayAs for LookExec {
    fn fmt_as(&self, _kind: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PrivetLook: columns={}", self.readings.len())
    }
}

impl ExecutionPlan for LookExec {
    fn name(&self) -> &'static str {
        "PrivetLook"
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
        Ok(Arc::new(Self::new(input, Arc::clone(&self.readings))))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let mut input = self.input.execute(partition, context)?;
        let (readings, schema) = (Arc::clone(&self.readings), Arc::clone(&self.schema));
        let made = futures::stream::once(async move {
            let mut tests = vec![KindTest::default(); readings.len()];
            while let Some(batch) = input.next().await {
                let batch = batch?;
                for ((reading, values), test) in readings.iter().zip(batch.columns()).zip(&mut tests) {
                    reading.look(values, test).map_err(external)?;
                }
            }
            let bits = |test: &KindTest| -> ArrayRef { Arc::new(UInt8Array::from_value(test.bits(), 1)) };
            Ok::<_, DataFusionError>(RecordBatch::try_new(schema, tests.iter().map(bits).collect())?)
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.schema), made)))
    }
}
