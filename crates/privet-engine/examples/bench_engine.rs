//! What the engine takes beside plain DataFusion, for `cargo xtask bench engine`. Prints one JSON object.
//!
//! ```text
//! bench_engine generate FOLDER RECORDS          a table of 22 columns in files of a million records
//! bench_engine group FOLDER MEMORY              one GROUP BY of plain DataFusion over the columns that the job groups by
//! bench_engine copy FOLDER OUT MEMORY           the files read and written once by plain DataFusion
//! bench_engine job FOLDER OUT MEMORY            the whole job: k = 5, 2 % suppression
//! bench_engine bounded FOLDER MEMORY            a count by groups with at most three records of a person, and the same without
//! ```

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use datafusion::dataframe::DataFrameWriteOptions;
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::logical_expr::{col, lit};
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
use futures::StreamExt;
use parquet::arrow::ArrowWriter;
use privet_data::Silent;
use privet_engine::{CountQuestion, anonymize, counting, open};
use privet_job::{Job, RunOptions, parse_size};

type Failed = Box<dyn std::error::Error>;

/// Quasi columns and how many values each has; texts where the number is negative.
const QUASI: [(&str, i64); 9] = [
    ("age", 90),
    ("sex", -2),
    ("region", -16),
    ("education", -8),
    ("marital", -5),
    ("children", 6),
    ("household", 5),
    ("birth_month", 12),
    ("nationality", -4),
];
/// The others: one is sensitive, one tells whose record it is, and the rest stay home.
const OTHERS: usize = 11;
const FILE: usize = 1_000_000;
const BATCH: usize = 65_536;

fn main() -> Result<(), Failed> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let start = Instant::now();
    let more = match words.as_slice() {
        ["generate", folder, records] => generate(Path::new(folder), records.parse()?)?,
        ["group", folder, memory] => plain(folder, None, memory)?,
        ["copy", folder, out, memory] => plain(folder, Some(out), memory)?,
        ["job", folder, out, memory] => job(folder, out, memory)?,
        ["bounded", folder, memory] => bounded(folder, memory)?,
        _ => return Err("generate, group, copy, job or bounded".into()),
    };
    let seconds = start.elapsed().as_secs_f64();
    println!("{{\"seconds\": {seconds:.3}, \"peak\": {}, {more}}}", peak());
    Ok(())
}

/// The most memory that this process held, in bytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|own| own.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kibibytes.unwrap_or(0) * 1024
}

/// A generator that gives the same table everywhere.
struct Numbers(u64);

impl Numbers {
    /// A number below a bound; the small ones are frequent, as in tables of people.
    fn below(&mut self, bound: u64) -> u64 {
        let mut next = || {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % bound
        };
        next().min(next())
    }
}

fn generate(folder: &Path, records: usize) -> Result<String, Failed> {
    std::fs::create_dir_all(folder)?;
    let mut fields = vec![Field::new("person", DataType::Int64, false)];
    for (name, values) in QUASI {
        let kind = if values < 0 { DataType::Utf8 } else { DataType::Int32 };
        fields.push(Field::new(name, kind, false));
    }
    fields.push(Field::new("diagnosis", DataType::Utf8, false));
    fields.extend((0..OTHERS).map(|own| Field::new(format!("measure_{own}"), DataType::Int32, false)));
    let schema = Arc::new(Schema::new(fields));
    let mut numbers = Numbers(27);
    for (file, from) in (0..records).step_by(FILE).enumerate() {
        let path = folder.join(format!("part-{file:04}.parquet"));
        let mut writer = ArrowWriter::try_new(std::fs::File::create(path)?, Arc::clone(&schema), None)?;
        let end = records.min(from + FILE);
        for from in (from..end).step_by(BATCH) {
            let rows = end.min(from + BATCH) - from;
            let mut columns: Vec<ArrayRef> =
                vec![Arc::new(Int64Array::from_iter_values((0..rows).map(|row| ((from + row) / 2) as i64)))];
            let texts = |name: &str, numbers: &mut Numbers, bound: u64| -> ArrayRef {
                let texts = (0..rows).map(|_| format!("{name} {}", numbers.below(bound)));
                Arc::new(StringArray::from_iter_values(texts))
            };
            for (name, values) in QUASI {
                let bound = values.unsigned_abs();
                columns.push(match values < 0 {
                    true => texts(name, &mut numbers, bound),
                    false => {
                        Arc::new(Int32Array::from_iter_values((0..rows).map(|_| numbers.below(bound) as i32)))
                    }
                });
            }
            columns.push(texts("diagnosis", &mut numbers, 20));
            for _ in 0..OTHERS {
                let values = (0..rows).map(|_| numbers.below(10_000) as i32);
                columns.push(Arc::new(Int32Array::from_iter_values(values)));
            }
            writer.write(&RecordBatch::try_new(Arc::clone(&schema), columns)?)?;
        }
        writer.close()?;
    }
    Ok(format!("\"records\": {records}"))
}

fn session(memory: &str) -> Result<SessionContext, Failed> {
    let bytes = parse_size(memory).ok_or("no size")? as usize;
    let environment = RuntimeEnvBuilder::new().with_memory_pool(Arc::new(FairSpillPool::new(bytes)));
    Ok(SessionContext::new_with_config_rt(SessionConfig::new(), environment.build_arc()?))
}

/// Plain DataFusion: one GROUP BY, or the files read and written once.
fn plain(folder: &str, out: Option<&str>, memory: &str) -> Result<String, Failed> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let context = session(memory)?;
        let table = context.read_parquet(folder, ParquetReadOptions::default()).await?;
        if let Some(out) = out {
            table.write_parquet(out, DataFrameWriteOptions::new(), None).await?;
            return Ok("\"what\": \"copy\"".to_owned());
        }
        let columns = QUASI.map(|own| own.0).into_iter().chain(["diagnosis"]);
        let grouped = table.aggregate(columns.map(col).collect(), vec![count(lit(1i64))])?;
        let mut batches = grouped.execute_stream().await?;
        let mut groups = 0;
        while let Some(batch) = batches.next().await {
            groups += batch?.num_rows();
        }
        Ok(format!("\"groups\": {groups}"))
    })
}

fn job_of(folder: &str, out: &str, memory: &str) -> Result<(Job, RunOptions), Failed> {
    let mut text = format!("[input]\npath = {folder:?}\n");
    for (name, values) in QUASI {
        text.push_str(&format!("[columns.{name}]\nrole = \"quasi\"\n"));
        if name == "age" {
            text.push_str("hierarchy = { intervals = [5, 10, 30] }\n");
        } else if values > 0 {
            text.push_str("hierarchy = { intervals = [3] }\n");
        }
    }
    text.push_str("[columns.diagnosis]\nrole = \"sensitive\"\n");
    text.push_str(
        "[privacy]\nk-anonymity = 5\n[search]\nsuppress-at-most = 0.02\n[engine]\nkind = \"datafusion\"\n",
    );
    text.push_str(&format!(
        "memory-limit = {memory:?}\n[output]\nfolder = {out:?}\nrows-per-file = {FILE}\n"
    ));
    Ok((Job::parse(&text, &[])?, RunOptions { base: std::env::current_dir()?, ..RunOptions::default() }))
}

fn job(folder: &str, out: &str, memory: &str) -> Result<String, Failed> {
    let (job, options) = job_of(folder, out, memory)?;
    let summary = anonymize(&job, &options, &Silent)?;
    let seconds = &summary.seconds;
    Ok(format!(
        "\"records\": {}, \"suppressed\": {}, \"classes\": {}, \"read\": {:.3}, \"search\": {:.3}, \"write\": {:.3}",
        summary.rows, summary.suppressed, summary.classes, seconds.read, seconds.search, seconds.write
    ))
}

/// The counts of a private answer before noise, with at most three records of a person, and beside it the plain GROUP BY.
fn bounded(folder: &str, memory: &str) -> Result<String, Failed> {
    let (job, options) = job_of(folder, "none", memory)?;
    let opened = open(&job, &options.base, &Silent)?;
    let by = || vec!["region".to_owned(), "diagnosis".to_owned()];
    let question = CountQuestion {
        by: by(),
        person: "person".to_owned(),
        most: 3,
        epsilon: "1".to_owned(),
        account: String::new(),
        analyst: String::new(),
    };
    let timed = |plan| -> Result<(f64, usize), Failed> {
        let (start, mut groups) = (Instant::now(), 0);
        opened.engine.runner().run(plan, &Silent, &mut |batch| {
            groups += batch.num_rows();
            Ok(())
        })?;
        Ok((start.elapsed().as_secs_f64(), groups))
    };
    let (plain, groups) = timed(opened.engine.grouping(&by())?)?;
    let (bounded, same) = timed(counting(&opened.engine, &question)?)?;
    Ok(format!(
        "\"plain\": {plain:.3}, \"bounded\": {bounded:.3}, \"groups\": {groups}, \"same\": {}",
        groups == same
    ))
}
