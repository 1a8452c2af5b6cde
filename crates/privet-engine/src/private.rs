//! Private counts by groups (survey ME-28): counted on the engine, with noise and ledger at home.
//!
//! **Guarantee.** Epsilon-differentially private for people, by whose column records are told apart: of each person at most so many
//! records count, the first ones in the order of the table, chosen by a window function on the engine. Groups are
//! declared, so that none shows by being there; all of them get noise, and the charge is durable before noise is drawn.
//! What leaves the engine are exact counts, which go no farther than this process.

use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_schema::DataType;
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::functions_window::expr_fn::row_number;
use datafusion::logical_expr::{Expr, ExprFunctionExt, lit};
use datafusion::physical_plan::ExecutionPlan;
use privet_data::Progress;
use privet_data::io::ValueReader;
use privet_dp::ledger::Ledger as _;
use privet_dp::ledger::{Access, Request, SqliteLedger, Terms, answer};
use privet_dp::{ContingencyTable, DpError, Neighbours, People, Privacy};
use privet_job::engine::EngineError;
use privet_job::{Job, RunError, RunOptions};
use serde::Serialize;

use crate::engine::{FileEngine, named};
use crate::fault::told;
use crate::run::{Opened, open};
use crate::scan::{ROW, as_read};

/// A question for counts.
#[derive(Debug, Clone)]
pub struct CountQuestion {
    /// The columns to group by; their values are those of `columns.NAME.keys`.
    pub by: Vec<String>,
    /// The column that tells whose record it is.
    pub person: String,
    /// The most records of a person that count.
    pub most: u32,
    /// The epsilon of the answer.
    pub epsilon: String,
    /// The account in the ledger.
    pub account: String,
    /// Who asks.
    pub analyst: String,
}

/// A private answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PrivateCounts {
    /// The columns that were grouped by.
    pub by: Vec<String>,
    /// Per group its values and the noisy count.
    pub groups: Vec<(Vec<String>, i64)>,
    /// Of 20 counts 19 are at most so far from the truth.
    pub half_width_95: f64,
    /// What is left in the ledger.
    pub remaining: String,
}

/// Asks a table for counts by groups.
///
/// # Errors
/// When the question makes no sense, the budget does not suffice, or the table cannot be read. Nothing is charged unless the
/// table was read.
pub fn private_counts(
    job: &Job,
    options: &RunOptions,
    ledger: &Path,
    question: &CountQuestion,
    progress: &dyn Progress,
) -> Result<PrivateCounts, PrivateError> {
    let keys = question.by.iter().map(|name| keys_of(job, name)).collect::<Result<Vec<_>, _>>()?;
    let sizes: Vec<u32> = keys.iter().map(|own| own.len() as u32).collect();
    let people = People::new(Neighbours::AddRemove, question.most)?;
    let table = ContingencyTable::new(people, &sizes)?;
    let epsilon = question
        .epsilon
        .parse()
        .map_err(|_| EngineError::input("--epsilon takes a number above 0, such as 0.1"));
    let privacy = Privacy::Pure(epsilon.map_err(RunError::from)?);
    let noise = table.noise(&privacy)?;
    let terms = Terms {
        neighbours: Neighbours::AddRemove,
        person: Some(question.person.clone()),
        records: question.most,
    };
    let text = format!(
        "count by {} with at most {} records by {}",
        question.by.join(", "),
        question.most,
        question.person
    );
    let request = Request::new(&question.account, &question.analyst, &text, noise.loss())?.on(terms);
    // The key lies beside the ledger, as `privet ledger open` puts it there.
    let mut key = ledger.as_os_str().to_owned();
    key.push(".key");
    let key = Path::new(&key);
    let access = Access::with(key.is_file().then_some(key));
    let mut ledger = SqliteLedger::find(ledger, &access).map_err(DpError::from)?;
    // What cannot be paid is not computed.
    ledger.check(&request).map_err(DpError::from)?;
    let Opened { engine, .. } = &open(job, &options.base, progress)?;
    let counts = exact_counts(job, options, engine, &table, &keys, question, progress)?;
    let (receipt, noisy) = answer(&mut ledger, &request, || table.release_counts(&counts, &noise))?;
    let mut groups: Vec<(Vec<String>, i64)> = Vec::with_capacity(noisy.len());
    for (cell, count) in noisy.into_iter().enumerate() {
        let mut rest = cell;
        let mut values: Vec<String> = keys
            .iter()
            .rev()
            .map(|own| {
                let value = own[rest % own.len()].clone();
                rest /= own.len();
                value
            })
            .collect();
        values.reverse();
        groups.push((values, count));
    }
    Ok(PrivateCounts {
        by: question.by.clone(),
        groups,
        half_width_95: noise.accuracy().half_width_95,
        remaining: receipt.remaining.to_string(),
    })
}

/// Why a question was not answered.
#[derive(Debug, thiserror::Error)]
pub enum PrivateError {
    /// The table or the job.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The question, the noise or the ledger.
    #[error(transparent)]
    Dp(#[from] DpError),
}

fn keys_of(job: &Job, name: &str) -> Result<Vec<String>, RunError> {
    let keys = job.columns.get(name).and_then(|own| own.keys.as_ref()).filter(|own| !own.is_empty());
    let keys = keys.ok_or_else(|| {
        EngineError::input(format!(
            "`columns.{name}.keys` lists the values to group by, and is missing: a group that shows because somebody is in it \
             would give that person away"
        ))
    })?;
    Ok(keys.iter().map(|own| own.0.clone()).collect())
}

/// The plan of the exact counts: at most so many records of each person.
///
/// # Errors
/// When there is no such column.
pub fn counting(
    engine: &FileEngine,
    question: &CountQuestion,
) -> Result<Arc<dyn ExecutionPlan>, EngineError> {
    let failed = |error: datafusion::error::DataFusionError| told(&error);
    let by: Vec<Expr> = question.by.iter().map(|name| named(name)).collect();
    let place = row_number()
        .partition_by(vec![named(&question.person)])
        .order_by(vec![named(ROW).sort(true, false)])
        .build()
        .map_err(failed)?
        .alias("__place");
    let most = lit(u64::from(question.most));
    let query = engine.query()?.window(vec![place]).map_err(failed)?;
    let query = query.filter(named("__place").lt_eq(most)).map_err(failed)?;
    let query = query.aggregate(by, vec![count(lit(1i64)).alias("__records")]).map_err(failed)?;
    engine.runner().runtime.block_on(engine.runner().plan(query))
}

fn exact_counts(
    job: &Job,
    options: &RunOptions,
    engine: &FileEngine,
    table: &ContingencyTable,
    keys: &[Vec<String>],
    question: &CountQuestion,
    progress: &dyn Progress,
) -> Result<Vec<u64>, RunError> {
    let read = job.options(&options.base)?;
    let schema = &engine.table().schema;
    for name in question.by.iter().chain([&question.person]) {
        if schema.field_with_name(name).is_err() {
            return Err(EngineError::input(format!("the table has no column {name}")).into());
        }
    }
    if engine.is_coded() {
        let problem = "private counts are asked of Parquet files and databases; `privet query` asks CSV and Arrow files";
        return Err(EngineError::input(problem).into());
    }
    let kinds: Vec<DataType> = (question.by.iter())
        .filter_map(|name| schema.field_with_name(name).ok())
        .map(|own| own.data_type().clone())
        .collect();
    let mut counts = vec![0u64; table.cells()];
    engine.runner().run(counting(engine, question)?, progress, &mut |batch| {
        let (values, records) = batch.columns().split_at(keys.len());
        let records = records.first().and_then(|own| own.as_primitive_opt::<Int64Type>());
        let records =
            records.ok_or_else(|| EngineError::resources("the engine told no numbers of records"))?;
        // Per column the place of each value among the declared ones, as the reader of tables compares texts.
        let mut places: Vec<Vec<Option<u32>>> = Vec::with_capacity(keys.len());
        for (((name, kind), keys), values) in question.by.iter().zip(&kinds).zip(keys).zip(values) {
            let mut reader = ValueReader::new(name, kind)?;
            let values = as_read(values, kind).map_err(|error| told(&error))?;
            let entries = reader.add(&values)?;
            let (column, _) = reader.finish(&read)?;
            let mut place_of = vec![None; column.domain.len()];
            for (place, key) in (0..).zip(keys) {
                if let Some(code) = column.domain.code_of(key) {
                    place_of[code as usize] = Some(place);
                }
            }
            places
                .push(entries.iter().map(|&entry| place_of[column.codes[entry as usize] as usize]).collect());
        }
        for (row, &records) in records.values().iter().enumerate() {
            let cell: Option<Vec<u32>> = places.iter().map(|own| own[row]).collect();
            // Records with values that are not declared count nowhere.
            if let Some(cell) = cell.and_then(|cell| table.cell(&cell)) {
                counts[cell] += records.max(0) as u64;
            }
        }
        Ok(())
    })?;
    Ok(counts)
}
