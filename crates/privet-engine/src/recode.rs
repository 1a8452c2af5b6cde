//! The recoding as an operator: every value goes where a look-up table sends it, and records of suppressed classes are marked.
//!
//! The look-up tables travel with the plan, so executors hold no state. **Guarantee.** Record for record, the columns that come out
//! are those that the memory engine writes; a value that was not there when the table was grouped ends the run.

use std::fmt;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, RecordBatch, UInt32Array, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrow_select::take::take;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::TaskContext;
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties,
    SendableRecordBatchStream,
};
use foldhash::HashSet;
use futures::StreamExt;
use privet_job::engine::EngineError;

use crate::fault::external;
use crate::lookup::Lookup;
use crate::values::{ColumnReading, no_bits};

/// The name of the column that tells which records are published.
pub const KEPT: &str = "__privet_kept";

/// Where the values of a table go.
#[derive(Debug)]
pub struct LookupTables {
    /// The columns that come out.
    pub columns: Vec<ColumnTable>,
    /// Per quasi column its position among them, and per distinct value the number of its label.
    pub quasi: Vec<(usize, Vec<u32>)>,
    /// The labels of the classes that are left out, one number for each quasi column.
    pub suppressed: Vec<Vec<u32>>,
    /// Whether the numbers of labels come out, packed into words, in place of the values: for counting, not for publishing.
    pub as_numbers: bool,
}

/// Where the numbers of labels lie in words of 64 bits, so that a `GROUP BY` compares few words and no values.
#[derive(Debug)]
struct Packing {
    /// Per column its word, and the lowest of its bits.
    places: Vec<(usize, u32)>,
    words: usize,
}

impl Packing {
    fn of(tables: &LookupTables) -> Self {
        let (mut word, mut used) = (0, 0);
        let mut places = Vec::with_capacity(tables.columns.len());
        for column in tables.columns.iter().filter(|_| tables.as_numbers) {
            let numbers = column.values.iter().flat_map(|own| own.1.iter());
            let bits = u32::BITS - numbers.max().map_or(0, |&most| most).leading_zeros();
            if used + bits.max(1) > u64::BITS {
                (word, used) = (word + 1, 0);
            }
            places.push((word, used));
            used += bits;
        }
        Self { places, words: word + 1 }
    }

    fn name(word: usize) -> String {
        format!("__privet_word_{word}")
    }
}

/// Where the values of a column go.
#[derive(Debug, Clone)]
pub struct ColumnTable {
    /// Its name, there and here.
    pub name: String,
    /// Its type in the table.
    pub kind: DataType,
    /// Its distinct values, per one where it goes, and the values that come out; nothing where values stay as they are.
    pub values: Option<(ArrayRef, Vec<u32>, ArrayRef)>,
    /// How its values are read, where bits that tell them apart come out in place of them.
    pub told_apart: Option<ColumnReading>,
}

impl LookupTables {
    /// The columns that come out: whether a record is published, and what of it.
    pub fn schema(&self) -> SchemaRef {
        let kept = Field::new(KEPT, DataType::Boolean, false);
        let column = |own: &ColumnTable| match &own.values {
            Some((_, _, values)) => Field::new(&own.name, values.data_type().clone(), true),
            None => Field::new(&own.name, own.kind.clone(), true),
        };
        let word = |word: usize| Field::new(Packing::name(word), DataType::UInt64, false);
        let fields: Vec<Field> = match self.as_numbers {
            true => std::iter::once(kept).chain((0..self.words().len()).map(word)).collect(),
            false => std::iter::once(kept).chain(self.columns.iter().map(column)).collect(),
        };
        Arc::new(Schema::new(fields))
    }

    /// The names of the words that numbers are packed into, and of the two words that tell all other values apart.
    pub fn words(&self) -> Vec<String> {
        let told_apart = if self.tells_apart() { 2 } else { 0 };
        (0..Packing::of(self).words + told_apart).map(Packing::name).collect()
    }

    fn tells_apart(&self) -> bool {
        self.as_numbers && self.columns.iter().any(|own| own.told_apart.is_some())
    }
}

/// Look-up tables, ready to be used.
#[derive(Debug)]
struct Ready {
    tables: Arc<LookupTables>,
    schema: SchemaRef,
    lookups: Vec<Option<Lookup>>,
    packing: Packing,
    suppressed: HashSet<Box<[u32]>>,
}

impl Ready {
    fn new(tables: Arc<LookupTables>) -> Self {
        let lookups = tables.columns.iter().map(|own| own.values.as_ref().map(|own| Lookup::new(&own.0)));
        let suppressed = tables.suppressed.iter().map(|own| own.as_slice().into()).collect();
        Self {
            schema: tables.schema(),
            lookups: lookups.collect(),
            packing: Packing::of(&tables),
            suppressed,
            tables,
        }
    }

    fn recode(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let changed = || external(EngineError::input("the input has changed while it was anonymized"));
        let shape = |error: arrow_schema::ArrowError| DataFusionError::ArrowError(Box::new(error), None);
        let mut columns: Vec<ArrayRef> = Vec::with_capacity(self.tables.columns.len() + 1);
        let mut entries: Vec<Option<Vec<u32>>> = Vec::with_capacity(self.tables.columns.len());
        let mut words = vec![vec![0u64; batch.num_rows()]; self.packing.words];
        columns.push(Arc::new(BooleanArray::from(vec![true; batch.num_rows()])));
        for ((column, lookup), values) in self.tables.columns.iter().zip(&self.lookups).zip(batch.columns()) {
            let (Some((_, places, published)), Some(lookup)) = (&column.values, lookup) else {
                if !self.tables.as_numbers {
                    columns.push(Arc::clone(values));
                }
                entries.push(None);
                continue;
            };
            let own = lookup.numbers(values).ok_or_else(changed)?;
            match self.packing.places.get(entries.len()) {
                Some(&(word, bit)) => {
                    let numbers = own.iter().map(|&entry| u64::from(places[entry as usize]) << bit);
                    words[word].iter_mut().zip(numbers).for_each(|(word, number)| *word |= number);
                }
                None => {
                    let places =
                        UInt32Array::from_iter_values(own.iter().map(|&entry| places[entry as usize]));
                    columns.push(take(published, &places, None).map_err(shape)?);
                }
            }
            entries.push(Some(own));
        }
        if self.tables.as_numbers {
            columns.extend(words.into_iter().map(|word| -> ArrayRef { Arc::new(UInt64Array::from(word)) }));
        }
        if self.tables.tells_apart() {
            columns.extend(self.told_apart(batch)?);
        }
        if !self.suppressed.is_empty() {
            let mut key = vec![0; self.tables.quasi.len()];
            let mut kept = Vec::with_capacity(batch.num_rows());
            for row in 0..batch.num_rows() {
                for (slot, (column, nodes)) in key.iter_mut().zip(&self.tables.quasi) {
                    let entry = entries[*column].as_ref().map_or(0, |own| own[row]);
                    *slot = nodes[entry as usize];
                }
                kept.push(!self.suppressed.contains(&key[..]));
            }
            columns[0] = Arc::new(BooleanArray::from(kept));
        }
        RecordBatch::try_new(Arc::clone(&self.schema), columns).map_err(shape)
    }

    /// The two words that tell the values of each record apart.
    fn told_apart(&self, batch: &RecordBatch) -> Result<[ArrayRef; 2]> {
        let mut bits = vec![no_bits(); batch.num_rows()];
        for (column, values) in self.tables.columns.iter().zip(batch.columns()) {
            let Some(reading) = &column.told_apart else { continue };
            reading.mix(values, &mut bits).map_err(external)?;
        }
        Ok([0, 1].map(|half| -> ArrayRef {
            Arc::new(UInt64Array::from_iter_values(bits.iter().map(|own| own[half])))
        }))
    }
}

/// Recodes what its input reads. The columns of the input are those of the look-up tables, in their order.
#[derive(Debug)]
pub struct RecodeExec {
    pub(crate) input: Arc<dyn ExecutionPlan>,
    pub(crate) tables: Arc<LookupTables>,
    ready: Arc<Ready>,
    properties: Arc<PlanProperties>,
}

impl RecodeExec {
    /// Recodes an input.
    pub fn new(input: Arc<dyn ExecutionPlan>, tables: Arc<LookupTables>) -> Self {
        let ready = Arc::new(Ready::new(Arc::clone(&tables)));
        let properties = Arc::new(PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&ready.schema)),
            datafusion::physical_plan::Partitioning::UnknownPartitioning(
                input.output_partitioning().partition_count(),
            ),
            EmissionType::Incremental,
            Boundedness::Bounded,
        ));
        Self { input, tables, ready, properties }
    }
}

impl DisplayAs for RecodeExec {
    fn fmt_as(&self, _kind: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let looked_up = self.tables.columns.iter().filter(|own| own.values.is_some()).count();
        write!(f, "PrivetRecode: columns={}, looked_up={looked_up}", self.tables.columns.len())
    }
}

impl ExecutionPlan for RecodeExec {
    fn name(&self) -> &'static str {
        "PrivetRecode"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
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
        Ok(Arc::new(Self::new(input, Arc::clone(&self.tables))))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let ready = Arc::clone(&self.ready);
        let input = self.input.execute(partition, context)?;
        let recoded = input.map(move |batch| ready.recode(&batch?));
        Ok(Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.ready.schema), recoded)))
    }
}
