//! The engine that a job runs on: groups a table of Parquet files, recodes and writes it, in this process or on a cluster.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt32Type};
use arrow_array::{ArrayRef, RecordBatch, UInt32Array};
use arrow_select::filter::filter;
use datafusion::common::Column as ColumnName;
use datafusion::dataframe::DataFrame;
use datafusion::functions_aggregate::expr_fn::{count, min};
use datafusion::logical_expr::{Expr, lit};
use datafusion::physical_plan::ExecutionPlan;
use futures::StreamExt;
use privet_data::io::{BatchWriter, Format, Input, ReadOptions, ValueReader};
use privet_data::{Cells, Column, Domain, Kind, KindTest, Progress, Table};
use privet_job::RunError;
use privet_job::engine::{Engine, EngineError, Published, Recoding, Tuples, Wanted, Written};
use privet_release::Draft;
use tokio::sync::mpsc;

use crate::fault::told;
use crate::look::LookExec;
use crate::parts::{Destination, Watch, WriteExec, published, split};
use crate::plan_table::PlanTable;
use crate::recode::{ColumnTable, KEPT, LookupTables, RecodeExec};
use crate::runner::Runner;
use crate::scan::{NumberedTable, ROW, ScanExec};
use crate::table::FileTable;
use crate::values::ColumnReading;

/// Batches of a part that wait for those before it.
const WAITING: usize = 4;
/// Parts in each of which a table is written in order, for every thread.
const PARTS_PER_THREAD: usize = 8;

/// A table in files, with what runs on it.
pub struct FileEngine {
    pub(crate) runner: Runner,
    pub(crate) table: Arc<FileTable>,
    /// What the entries of the table stand for, where it holds entries in place of values.
    coded: Option<Input>,
    /// Of each column that was read its distinct values in the order of their numbers.
    distinct: Vec<(String, ArrayRef)>,
    /// How the columns are read by which records are not grouped.
    readings: Vec<ColumnReading>,
}

/// The name of a column as it stands, whatever its letters.
pub(crate) fn named(name: &str) -> Expr {
    Expr::Column(ColumnName::new_unqualified(name))
}

impl FileEngine {
    /// An engine for a table.
    pub fn new(runner: Runner, table: FileTable) -> Self {
        Self { runner, table: Arc::new(table), coded: None, distinct: Vec::new(), readings: Vec::new() }
    }

    /// An engine for a table of entries; `input` tells what they stand for.
    pub fn coded(runner: Runner, table: FileTable, input: Input) -> Self {
        let (distinct, readings) = (Vec::new(), Vec::new());
        Self { runner, table: Arc::new(table), coded: Some(input), distinct, readings }
    }

    /// What runs the plans.
    pub fn runner(&self) -> &Runner {
        &self.runner
    }

    /// The table.
    pub fn table(&self) -> &Arc<FileTable> {
        &self.table
    }

    /// Whether the table holds entries in place of values.
    pub fn is_coded(&self) -> bool {
        self.coded.is_some()
    }

    pub(crate) fn query(&self) -> Result<DataFrame, EngineError> {
        let table = NumberedTable::new(Arc::clone(&self.table), self.runner.parts);
        self.runner.context.read_table(Arc::new(table)).map_err(|error| told(&error))
    }

    /// The one `GROUP BY`: distinct tuples of some columns, with their numbers of records and the first of these.
    ///
    /// # Errors
    /// When it cannot be planned.
    pub fn grouping(&self, columns: &[String]) -> Result<Arc<dyn ExecutionPlan>, EngineError> {
        let by: Vec<Expr> = columns.iter().map(|name| named(name)).collect();
        let told_of = vec![count(lit(1i64)).alias("__records"), min(named(ROW)).alias("__first")];
        let query = self.query()?.aggregate(by, told_of).map_err(|error| told(&error))?;
        self.runner.runtime.block_on(self.runner.plan(query))
    }

    /// The look-up tables of a recoding.
    fn tables(&self, recoding: &Recoding) -> Result<LookupTables, EngineError> {
        let columns = recoding.columns.iter().map(|own| {
            let field = self.table.schema.field_with_name(&own.name);
            let kind = field.map_err(|_| EngineError::input("a column is missing"))?.data_type().clone();
            let values = match &own.published {
                Published::AsTheyAre => None,
                Published::Values(values) => {
                    let distinct = self.distinct_of(&own.name, values.places.len())?;
                    Some((distinct, values.places.clone(), Arc::clone(&values.values)))
                }
            };
            Ok(ColumnTable { name: own.name.clone(), kind, values, told_apart: None })
        });
        let quasi = recoding.quasi.iter().copied().zip(recoding.node_of_entry.iter().cloned());
        Ok(LookupTables {
            columns: columns.collect::<Result<_, EngineError>>()?,
            quasi: quasi.collect(),
            suppressed: recoding.suppressed.clone(),
            as_numbers: false,
        })
    }

    /// The distinct values of a column in the order of their numbers.
    fn distinct_of(&self, name: &str, entries: usize) -> Result<ArrayRef, EngineError> {
        if self.coded.is_some() {
            return Ok(Arc::new(UInt32Array::from_iter_values(0..entries as u32)));
        }
        let known = self.distinct.iter().find(|own| own.0 == name);
        known.map(|own| Arc::clone(&own.1)).ok_or_else(|| EngineError::input("a column was not read"))
    }

    /// Reads the columns of look-up tables, in these parts, and recodes them.
    fn recoded(
        &self,
        tables: LookupTables,
        parts: Vec<Vec<crate::table::Stretch>>,
    ) -> Result<Arc<dyn ExecutionPlan>, EngineError> {
        let scan = self.scan(tables.columns.iter().map(|own| own.name.as_str()), parts)?;
        Ok(Arc::new(RecodeExec::new(scan, Arc::new(tables))))
    }

    /// Reads columns in these parts.
    fn scan<'a>(
        &self,
        columns: impl Iterator<Item = &'a str>,
        parts: Vec<Vec<crate::table::Stretch>>,
    ) -> Result<Arc<dyn ExecutionPlan>, EngineError> {
        let position = |name: &str| {
            self.table.schema.index_of(name).map_err(|_| EngineError::input("a column is missing"))
        };
        let projection = columns.map(position).collect::<Result<Vec<usize>, _>>()?;
        let scan = ScanExec::new(Arc::clone(&self.table), projection, parts, false);
        Ok(Arc::new(scan.map_err(|error| told(&error))?))
    }

    /// Finds the kinds of columns by which records are not grouped, in one pass; no list of their values is kept.
    fn look_at(
        &self,
        columns: &[String],
        options: &ReadOptions,
        progress: &dyn Progress,
    ) -> Result<Vec<ColumnReading>, RunError> {
        let mut readings: Vec<ColumnReading> =
            columns.iter().map(|name| ColumnReading::new(name, options)).collect();
        for name in columns {
            let kind = self.table.schema.field_with_name(name).map(|own| own.data_type());
            // Values of other types have no texts.
            ValueReader::new(name, kind.map_err(|_| EngineError::input("a column is missing"))?)?;
        }
        if readings.is_empty() {
            return Ok(readings);
        }
        progress.stage("looking at the other columns", None);
        let scan = self.scan(columns.iter().map(String::as_str), self.table.parts(self.runner.parts))?;
        let plan = Arc::new(LookExec::new(scan, Arc::new(readings.clone())));
        let mut tests = vec![KindTest::default(); readings.len()];
        self.runner.run(plan, progress, &mut |batch| {
            LookExec::join(&batch, &mut tests).map_err(|error| told(&error).into())
        })?;
        readings.iter_mut().zip(&tests).for_each(|(reading, test)| reading.kind = Some(test.kind()));
        Ok(readings)
    }

    /// Writes one file, in this process: parts are recoded at the same time and written in their order.
    fn write_one(
        &self,
        recoding: &Recoding,
        draft: &Draft,
        progress: &dyn Progress,
    ) -> Result<Written, RunError> {
        let parts = self.table.parts(self.runner.parts * PARTS_PER_THREAD);
        let plan = self.recoded(self.tables(recoding)?, parts)?;
        let mut file = draft.create(&recoding.file)?;
        let mut writer = BatchWriter::begin(&mut file, recoding.format, published(&plan.schema()))?;
        let mut watch = Watch::new(recoding.watched.clone());
        progress.stage("writing", Some(self.table.rows()));
        self.in_order(plan, progress, &mut |batch| {
            let (kept, columns) = split(&batch).map_err(|error| told(&error))?;
            watch.look(&kept);
            writer.write(columns, Some(&kept))?;
            progress.at(watch.read);
            Ok(())
        })?;
        let (_, rows) = writer.finish()?;
        file.finish()?;
        Ok(Written { rows, suppressed_before: watch.before })
    }

    /// Runs all partitions of a plan in this process, several at once, and hands on their batches in order.
    pub(crate) fn in_order(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        progress: &dyn Progress,
        each: &mut dyn FnMut(RecordBatch) -> Result<(), RunError>,
    ) -> Result<(), RunError> {
        let partitions = plan.properties().output_partitioning().partition_count();
        let context = self.runner.context.task_ctx();
        let begin = |partition: usize| {
            let (sender, receiver) = mpsc::channel(WAITING);
            let (plan, context) = (Arc::clone(&plan), Arc::clone(&context));
            let task = self.runner.runtime.spawn(async move {
                let mut batches = match plan.execute(partition, context) {
                    Ok(batches) => batches,
                    Err(error) => {
                        // why: nobody listens when another part failed
                        let _ = sender.send(Err(error)).await;
                        return;
                    }
                };
                while let Some(batch) = batches.next().await {
                    if sender.send(batch).await.is_err() {
                        return;
                    }
                }
            });
            (task, receiver)
        };
        let ahead = self.runner.parts + 1;
        let mut begun: std::collections::VecDeque<_> = (0..partitions.min(ahead)).map(begin).collect();
        let mut next = begun.len();
        while let Some((task, mut receiver)) = begun.pop_front() {
            while let Some(batch) = receiver.blocking_recv() {
                progress.check()?;
                each(batch.map_err(|error| told(&error))?)?;
            }
            let ended = self.runner.runtime.block_on(task);
            ended
                .map_err(|_| EngineError::resources("the engine failed in a way that it does not explain"))?;
            if next < partitions {
                begun.push_back(begin(next));
                next += 1;
            }
        }
        Ok(())
    }

    /// Writes files, each by whoever has its records.
    fn write_parts(
        &self,
        recoding: &Recoding,
        draft: &Draft,
        progress: &dyn Progress,
    ) -> Result<Written, RunError> {
        let rows = self.table.rows();
        let each = recoding.rows_per_file.unwrap_or(rows).max(1);
        let starts: Vec<u64> = (0..rows.div_ceil(each)).map(|part| part * each).collect();
        let ends: Vec<u64> = starts.iter().copied().chain([rows]).collect();
        let recoded = self.recoded(self.tables(recoding)?, self.table.cut(&ends))?;
        let scratch = draft.scratch()?;
        let folder = std::path::absolute(scratch.path()).unwrap_or_else(|_| PathBuf::from(scratch.path()));
        let names: Vec<String> =
            (0..starts.len()).map(|part| privet_release::part_name(&recoding.file, part)).collect();
        let watched = starts.iter().map(|&from| {
            let at = |row: u64| recoding.watched.partition_point(|&own| own < row);
            recoding.watched[at(from)..at(from + each)].iter().map(|row| row - from).collect()
        });
        let destination = Destination {
            folder: folder.clone(),
            names: names.clone(),
            is_arrow: recoding.format == Format::Arrow,
            watched: watched.collect(),
        };
        let plan: Arc<dyn ExecutionPlan> = Arc::new(WriteExec::new(recoded, Arc::new(destination)));
        progress.stage("writing", None);
        let mut told_of = Vec::new();
        self.runner.run(plan, progress, &mut |batch| {
            told_of.push(batch);
            Ok(())
        })?;
        let told_of = WriteExec::told(&told_of).map_err(|error| told(&error))?;
        let complete = told_of.len() == names.len()
            && told_of.iter().enumerate().all(|(number, own)| own.number == number)
            && told_of.iter().map(|own| own.read).sum::<u64>() == rows;
        if !complete {
            return Err(EngineError::resources("the engine did not write all files").into());
        }
        let mut written = Written::default();
        let mut suppressed = 0;
        for (part, name) in told_of.iter().zip(&names) {
            progress.check()?;
            written.suppressed_before.extend(part.suppressed_before.iter().map(|own| own + suppressed));
            suppressed += part.read - part.written;
            written.rows += part.written;
            draft.adopt(name, &folder.join(name))?;
        }
        Ok(written)
    }
}

impl Engine for FileEngine {
    fn read(&mut self, wanted: &Wanted, progress: &dyn Progress) -> Result<Tuples, RunError> {
        progress.stage("grouping", None);
        let rows = usize::try_from(self.table.rows()).unwrap_or(usize::MAX);
        let names: Vec<String> = match &self.coded {
            Some(input) => input.names.clone(),
            None => self.table.schema.fields().iter().map(|own| own.name().clone()).collect(),
        };
        // Columns that are not there are told by whoever asked for them.
        let in_order = |wanted: &[String]| -> Vec<String> {
            let own = self.table.schema.fields().iter().map(|own| own.name().clone());
            own.filter(|name| wanted.contains(name)).collect()
        };
        let (columns, grouped) = (in_order(&wanted.columns), in_order(&wanted.grouped));
        if columns.len() < wanted.columns.len() || rows == 0 {
            let table = Table { columns: Vec::new(), rows };
            let input = Input { table, names, format: Format::Parquet, dialect: None, bytes: 0 };
            return Ok(Tuples {
                input,
                entries: Vec::new(),
                weights: Vec::new(),
                is_coded: false,
                first: Vec::new(),
            });
        }
        let tuples = self.group(&grouped, &wanted.options, progress)?;
        if let Some(input) = &self.coded {
            let mut entries: Vec<Option<Vec<u32>>> = vec![None; input.table.columns.len()];
            for (name, (_, values, own)) in grouped.iter().zip(tuples.columns) {
                let numbers = values.as_primitive_opt::<UInt32Type>();
                let numbers = numbers.ok_or_else(|| EngineError::input("a table of entries is expected"))?;
                if let Some(position) = input.table.position(name) {
                    entries[position] =
                        Some(own.iter().map(|&entry| numbers.value(entry as usize)).collect());
                }
            }
            let input = input.clone();
            return Ok(Tuples {
                input,
                entries,
                weights: tuples.weights,
                is_coded: true,
                first: tuples.first,
            });
        }
        let others: Vec<String> = columns.iter().filter(|name| !grouped.contains(name)).cloned().collect();
        let readings = self.look_at(&others, &wanted.options, progress)?;
        let mut made: Vec<(Column, Option<Vec<u32>>)> = Vec::with_capacity(columns.len());
        let mut of_tuples = grouped.iter().zip(tuples.columns).peekable();
        for name in &columns {
            if let Some((_, (column, values, entries))) = of_tuples.next_if(|own| own.0 == name) {
                self.distinct.push((name.clone(), values));
                made.push((column, Some(entries)));
                continue;
            }
            let reading = readings.iter().find(|own| own.name == *name);
            let kind = reading.and_then(|own| own.kind).unwrap_or(Kind::Text);
            let domain = Domain::without_values(kind, wanted.options.equality_in(name).of_kind(kind));
            let column = Column { name: name.clone(), codes: Vec::new(), domain, cells: Cells::Plain };
            made.push((column, None));
        }
        self.readings = readings;
        let (columns, entries): (Vec<_>, Vec<_>) = made.into_iter().unzip();
        let table = Table { columns, rows };
        let input = Input { table, names, format: Format::Parquet, dialect: None, bytes: self.table.bytes() };
        Ok(Tuples { input, entries, weights: tuples.weights, is_coded: false, first: tuples.first })
    }

    fn write(
        &mut self,
        recoding: &Recoding,
        draft: &Draft,
        progress: &dyn Progress,
    ) -> Result<Written, RunError> {
        match recoding.rows_per_file {
            None if !self.runner.is_cluster() => self.write_one(recoding, draft, progress),
            _ => self.write_parts(recoding, draft, progress),
        }
    }

    fn entries(
        &mut self,
        recoding: &Recoding,
        each: &mut dyn FnMut(&[&[u32]]) -> Result<(), RunError>,
        progress: &dyn Progress,
    ) -> Result<Written, RunError> {
        if self.coded.is_none() {
            let problem = "a CSV is written of CSV and Arrow files; set format = \"parquet\" in [output]";
            return Err(EngineError::input(problem).into());
        }
        let mut tables = self.tables(recoding)?;
        for (column, codes) in tables.columns.iter_mut().zip(&recoding.code_of_entry) {
            let all = self.distinct_of(&column.name, codes.len())?;
            column.values = Some((Arc::clone(&all), (0..codes.len() as u32).collect(), all));
        }
        let plan = self.recoded(tables, self.table.parts(self.runner.parts * PARTS_PER_THREAD))?;
        let mut watch = Watch::new(recoding.watched.clone());
        let mut rows = 0;
        let failed = || EngineError::resources("the engine told no entries");
        self.in_order(plan, progress, &mut |batch| {
            let (kept, columns) = split(&batch).map_err(|error| told(&error))?;
            watch.look(&kept);
            let published = columns.iter().map(|own| filter(own, &kept)).collect::<Result<Vec<_>, _>>();
            let published = published.map_err(|_| failed())?;
            let entries =
                published.iter().map(|own| Some(&own.as_primitive_opt::<UInt32Type>()?.values()[..]));
            let entries: Option<Vec<&[u32]>> = entries.collect();
            rows += kept.true_count() as u64;
            progress.at(watch.read);
            each(&entries.ok_or_else(failed)?)
        })?;
        Ok(Written { rows, suppressed_before: watch.before })
    }

    fn alike(
        &mut self,
        recoding: &Recoding,
        columns: &[String],
        progress: &dyn Progress,
    ) -> Result<Option<Vec<(u64, u64)>>, RunError> {
        progress.stage("counting who stands alone", None);
        let mut tables = self.tables(recoding)?;
        tables.as_numbers = true;
        for (position, own) in tables.columns.iter_mut().enumerate() {
            let quasi = tables.quasi.iter().find(|quasi| quasi.0 == position);
            let is_asked = columns.contains(&own.name);
            let is_listed = !recoding.code_of_entry[position].is_empty();
            if quasi.is_none() && is_asked && !is_listed {
                let reading = self.readings.iter().find(|reading| reading.name == own.name).cloned();
                own.told_apart = Some(reading.ok_or_else(|| EngineError::input("a column was not read"))?);
                own.values = None;
                continue;
            }
            own.values =
                match quasi.map(|own| &own.1).or(is_asked.then_some(&recoding.code_of_entry[position])) {
                    Some(places) => {
                        let distinct = self.distinct_of(&own.name, places.len())?;
                        Some((Arc::clone(&distinct), places.clone(), distinct))
                    }
                    None => None,
                };
        }
        // Other columns are not read.
        let is_read = |own: &ColumnTable| own.values.is_some() || own.told_apart.is_some();
        let read: Vec<bool> = tables.columns.iter().map(is_read).collect();
        let place_of = |position: usize| read[..position].iter().filter(|read| **read).count();
        tables.quasi.iter_mut().for_each(|own| own.0 = place_of(own.0));
        tables.columns.retain(is_read);
        let by: Vec<Expr> = tables.words().iter().map(|word| named(word)).collect();
        let plan = self.recoded(tables, self.table.parts(self.runner.parts))?;
        let failed = |error: datafusion::error::DataFusionError| told(&error);
        let query = self.runner.context.read_table(Arc::new(PlanTable::new(plan))).map_err(failed)?;
        let query = query.filter(named(KEPT)).map_err(failed)?;
        let query = query.aggregate(by, vec![count(lit(1i64)).alias("__size")]).map_err(failed)?;
        let query = query
            .aggregate(vec![named("__size")], vec![count(lit(1i64)).alias("__groups")])
            .map_err(failed)?;
        let plan = self.runner.runtime.block_on(self.runner.plan(query))?;
        let mut sizes = Vec::new();
        self.runner.run(plan, progress, &mut |batch| {
            let numbers: Vec<_> =
                batch.columns().iter().filter_map(|own| own.as_primitive_opt::<Int64Type>()).collect();
            let [size, groups] = numbers[..] else {
                return Err(EngineError::resources("the engine told no numbers of records").into());
            };
            let pairs = size.values().iter().zip(groups.values());
            sizes.extend(pairs.map(|(&size, &groups)| (size.max(0) as u64, groups.max(0) as u64)));
            Ok(())
        })?;
        sizes.sort_unstable();
        Ok(Some(sizes))
    }
}
