//! The distinct tuples of a table, from the one `GROUP BY`, in the order in which they first appear.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt64Type};
use arrow_array::{ArrayRef, UInt32Array};
use arrow_schema::DataType;
use arrow_select::take::take;
use privet_data::io::{ReadOptions, ValueReader};
use privet_data::{Column, Progress};
use privet_job::RunError;
use privet_job::engine::EngineError;

use crate::engine::FileEngine;
use crate::fault::told;
use crate::scan::as_read;

/// Distinct tuples in the order of their first appearance.
pub(crate) struct Grouped {
    /// Per column itself, its distinct values, and the entry of each tuple.
    pub columns: Vec<(Column, ArrayRef, Vec<u32>)>,
    /// Per tuple its records.
    pub weights: Vec<u32>,
    /// Per tuple its first record.
    pub first: Vec<u64>,
}

impl FileEngine {
    /// Groups by some columns, and puts tuples and entries into the order of their first appearance.
    pub(crate) fn group(
        &mut self,
        columns: &[String],
        options: &ReadOptions,
        progress: &dyn Progress,
    ) -> Result<Grouped, RunError> {
        let plan = self.grouping(columns)?;
        let readers = columns.iter().map(|name| self.reader(name));
        let mut readers = readers.collect::<Result<Vec<ValueReader>, RunError>>()?;
        let mut entries: Vec<Vec<u32>> = vec![Vec::new(); columns.len()];
        let (mut weights, mut first) = (Vec::new(), Vec::new());
        let limit = self.runner.memory_limit();
        self.runner.run(plan, progress, &mut |batch| {
            let (values, told_of) = batch.columns().split_at(columns.len());
            for ((reader, entries), values) in readers.iter_mut().zip(&mut entries).zip(values) {
                entries.extend(reader.add(&as_read(values, reader.kind()).map_err(|error| told(&error))?)?);
            }
            let shape = || EngineError::resources("the engine told no numbers of records");
            let records = told_of.first().and_then(|own| own.as_primitive_opt::<Int64Type>());
            let rows = told_of.get(1).and_then(|own| own.as_primitive_opt::<UInt64Type>());
            for &records in records.ok_or_else(shape)?.values() {
                weights.push(u32::try_from(records).map_err(|_| {
                    EngineError::resources("more than 4294967295 records have the same values in all grouped columns")
                })?);
            }
            first.extend_from_slice(rows.ok_or_else(shape)?.values());
            // Twice: as they came, and in their order; the search holds as much again.
            let texts: usize = readers.iter().map(ValueReader::bytes).sum();
            let held = (weights.len() * (4 * columns.len() + 12) * 3 + texts * 2) as u64;
            match limit {
                Some(limit) if held > limit => Err(EngineError::resources(format!(
                    "the distinct tuples of the quasi and sensitive columns take more than engine.memory-limit: {} of them, of \
                     {} columns, are about {} MB so far; raise the limit, or generalize columns with very many values before",
                    weights.len(),
                    columns.len(),
                    held.div_ceil(1_000_000)
                ))
                .into()),
                _ => Ok(()),
            }
        })?;
        let mut order: Vec<u32> = (0..u32::try_from(weights.len()).map_err(|_| {
            EngineError::resources("there are more than 4294967295 distinct tuples; group by fewer columns")
        })?)
            .collect();
        order.sort_unstable_by_key(|&tuple| first[tuple as usize]);
        let in_order =
            |values: &[u32]| -> Vec<u32> { order.iter().map(|&tuple| values[tuple as usize]).collect() };
        let mut made = Vec::with_capacity(columns.len());
        for ((reader, entries), name) in readers.into_iter().zip(entries).zip(columns) {
            let mut entries = in_order(&entries);
            let (column, values) = self.by_appearance(name, reader, &mut entries, options)?;
            made.push((column, values, entries));
        }
        let weights = in_order(&weights);
        first.sort_unstable();
        Ok(Grouped { columns: made, weights, first })
    }

    /// What reads the values of a column.
    fn reader(&self, name: &str) -> Result<ValueReader, RunError> {
        let field = self.table.schema.field_with_name(name);
        let kind = field.map_err(|_| EngineError::input("a column is missing"))?.data_type();
        if matches!(kind, DataType::Decimal256(..)) {
            let problem = "is a decimal of more than 38 digits, by which the engine does not group";
            return Err(EngineError::input(format!("the column {name} {problem}")).into());
        }
        Ok(ValueReader::new(name, kind)?)
    }

    /// A column with its entries in the order of their first appearance, as in a file that is read from its beginning, and its values.
    fn by_appearance(
        &self,
        name: &str,
        read: ValueReader,
        entries: &mut [u32],
        options: &ReadOptions,
    ) -> Result<(Column, ArrayRef), RunError> {
        let (_, values) = read.finish(options)?;
        let mut number_of = vec![u32::MAX; values.len()];
        let mut appearance = Vec::with_capacity(values.len());
        for entry in entries {
            let number = &mut number_of[*entry as usize];
            if *number == u32::MAX {
                *number = appearance.len() as u32;
                appearance.push(*entry);
            }
            *entry = *number;
        }
        let values = take(&values, &UInt32Array::from(appearance), None)
            .map_err(|_| EngineError::input(format!("the values of column {name} cannot be read")))?;
        let mut reader = self.reader(name)?;
        let typed = match reader.kind() {
            // Distinct values of a dictionary are plain.
            kind @ DataType::Dictionary(..) => arrow_cast::cast(&values, kind)
                .map_err(|_| EngineError::input(format!("column {name} has too many values for its type")))?,
            _ => values,
        };
        reader.add(&typed)?;
        Ok(reader.finish(options)?)
    }
}
