//! What the engine takes beside plain DataFusion, for `cargo xtask bench engine`. Prints one JSON object.
//!
//! ```text
//! bench_engine generate FOLDER RECORDS          a table of 22 columns and whose record it is, in files of a million records
//! bench_engine group FOLDER MEMORY              one GROUP BY of plain DataFusion over the columns that the job groups by
//! bench_engine copy FOLDER OUT MEMORY           the 22 columns read and written once by plain DataFusion
//! bench_engine job FOLDER OUT MEMORY            the whole job, which reads and publishes the 22 columns: k = 5, 2 % suppression
//! bench_engine bounded FOLDER MEMORY            a count by groups with at most three records of a person, and the same without
//! bench_engine cluster FOLDER OUT MEMORY N      the whole job on N executors of one thread, started here on loopback
//! bench_engine scheduler PORT                   a scheduler, for `cluster`
//! bench_engine executor PORT SCHEDULER FOLDER   an executor, for `cluster`
//! bench_engine pg-make URL RECORDS              a table in PostgreSQL
//! bench_engine pg-read URL MEMORY               that table read, while somebody writes to it without a pause
//! bench_engine pg-job URL OUT MEMORY            a whole job from that table to a table
//! ```

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
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
/// The others are published as they are, besides one sensitive column.
const OTHERS: usize = 12;
/// The most records of a person that count, and about how many each has.
const MOST: u32 = 3;
const RECORDS_PER_PERSON: u64 = 4;
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
        #[cfg(feature = "cluster")]
        ["cluster", folder, out, memory, executors] => cluster::job(folder, out, memory, executors.parse()?)?,
        #[cfg(feature = "cluster")]
        ["scheduler", port] => cluster::scheduler(port.parse()?)?,
        #[cfg(feature = "cluster")]
        ["executor", port, scheduler, folder] => {
            cluster::executor(port.parse()?, scheduler.parse()?, folder)?
        }
        ["pg-make", url, records] => postgres::make(url, records.parse()?)?,
        ["pg-read", url, memory] => postgres::read(url, memory)?,
        ["pg-job", url, out, memory] => postgres::job(url, out, memory)?,
        _ => return Err("unknown words; the beginning of this file lists what is known".into()),
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
            // Records of a person lie anywhere, and most people have another number of them.
            let people = (records as u64 / RECORDS_PER_PERSON).max(1);
            let person =
                |row: usize| (((from + row) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20) % people;
            let people = Int64Array::from_iter_values((0..rows).map(|row| person(row) as i64));
            let mut columns: Vec<ArrayRef> = vec![Arc::new(people)];
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
            // What the job publishes, and no more.
            let published: Vec<String> = published().collect();
            let table = table.select_columns(&published.iter().map(String::as_str).collect::<Vec<_>>())?;
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

/// The columns that a job publishes.
fn published() -> impl Iterator<Item = String> {
    let quasi = QUASI.iter().map(|own| own.0.to_owned());
    quasi.chain(["diagnosis".to_owned()]).chain((0..OTHERS).map(|own| format!("measure_{own}")))
}

fn job_of(folder: &str, out: &str, memory: &str) -> Result<(Job, RunOptions), Failed> {
    let text = job_text(folder, out, memory, OTHERS);
    Ok((Job::parse(&text, &[])?, RunOptions { base: std::env::current_dir()?, ..RunOptions::default() }))
}

/// The job, which publishes so many columns as they are.
fn job_text(folder: &str, out: &str, memory: &str, others: usize) -> String {
    let mut text = format!("[input]\npath = {folder:?}\n");
    for (name, values) in QUASI {
        text.push_str(&format!("[columns.{name}]\nrole = \"quasi\"\n"));
        if name == "age" {
            text.push_str("hierarchy = { intervals = [5, 10, 30] }\n");
        } else if values > 0 {
            text.push_str("hierarchy = { intervals = [3] }\n");
        }
    }
    text.push_str("[columns.person]\nrole = \"identifier\"\n[columns.diagnosis]\nrole = \"sensitive\"\n");
    for own in 0..others {
        text.push_str(&format!("[columns.measure_{own}]\nrole = \"insensitive\"\n"));
    }
    text.push_str(
        "[privacy]\nk-anonymity = 5\n[search]\nsuppress-at-most = 0.02\n[engine]\nkind = \"datafusion\"\n",
    );
    text.push_str(&format!(
        "memory-limit = {memory:?}\n[output]\nfolder = {out:?}\nrows-per-file = {FILE}\n"
    ));
    text
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
        most: MOST,
        epsilon: "1".to_owned(),
        account: String::new(),
        analyst: String::new(),
    };
    let timed = |plan| -> Result<(f64, i64), Failed> {
        let (start, mut records) = (Instant::now(), 0);
        opened.engine.runner().run(plan, &Silent, &mut |batch| {
            // After the columns that are grouped by comes the number of records.
            let counts = batch.columns().get(2).and_then(|own| own.as_primitive_opt::<Int64Type>());
            records += counts.map_or(0, |own| own.values().iter().sum::<i64>());
            Ok(())
        })?;
        Ok((start.elapsed().as_secs_f64(), records))
    };
    let (plain, records) = timed(opened.engine.grouping(&by())?)?;
    let (bounded, counted) = timed(counting(&opened.engine, &question)?)?;
    let right = bounded_in_sql(folder, memory)?;
    Ok(format!(
        "\"plain\": {plain:.3}, \"bounded\": {bounded:.3}, \"records\": {records}, \"counted\": {counted}, \"same\": {}",
        counted == right && counted < records
    ))
}

/// How many records count where each person has at most so many, by plain DataFusion and without any order.
fn bounded_in_sql(folder: &str, memory: &str) -> Result<i64, Failed> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let context = session(memory)?;
        context.register_parquet("people", folder, ParquetReadOptions::default()).await?;
        let query = format!(
            "SELECT sum(CASE WHEN own > {MOST} THEN {MOST} ELSE own END) FROM (SELECT count(*) AS own FROM people GROUP BY person)"
        );
        let batches = context.sql(&query).await?.collect().await?;
        let sum = batches.first().and_then(|own| own.column(0).as_primitive_opt::<Int64Type>());
        Ok(sum.map(|own| own.value(0)).ok_or("no sum")?)
    })
}

/// The same job on executors of a cluster on this machine.
#[cfg(feature = "cluster")]
mod cluster {
    use std::net::TcpStream;
    use std::process::{Child, Command, Stdio};
    use std::time::Duration;

    use privet_engine::cluster::{self, ExecutorOptions, SchedulerOptions};

    use super::*;

    /// The port of the scheduler; executors take the next ones, two each.
    const PORT: u16 = 51_350;
    const HOST: &str = "127.0.0.1";

    struct Process(Child);

    impl Drop for Process {
        fn drop(&mut self) {
            // why: a process that is gone needs no end
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    fn start(words: &[&str], port: u16) -> Result<Process, Failed> {
        let mut command = Command::new(std::env::current_exe()?);
        let process = Process(command.args(words).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?);
        for _ in 0..600 {
            if TcpStream::connect((HOST, port)).is_ok() {
                return Ok(process);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Err(format!("nothing listens at {port}").into())
    }

    pub fn scheduler(port: u16) -> Result<String, Failed> {
        cluster::scheduler(&SchedulerOptions { host: HOST.to_owned(), port })?;
        Ok("\"what\": \"scheduler\"".to_owned())
    }

    pub fn executor(port: u16, scheduler: u16, folder: &str) -> Result<String, Failed> {
        cluster::executor(&ExecutorOptions {
            host: HOST.to_owned(),
            port,
            scheduler: (HOST.to_owned(), scheduler),
            threads: 1,
            memory_limit: None,
            folder: Some(folder.into()),
        })?;
        Ok("\"what\": \"executor\"".to_owned())
    }

    pub fn job(folder: &str, out: &str, memory: &str, executors: u16) -> Result<String, Failed> {
        let scratch = tempfile::tempdir_in(".")?;
        let _scheduler = start(&["scheduler", &PORT.to_string()], PORT)?;
        let mut running = Vec::new();
        for number in 0..executors {
            let port = PORT + 1 + 2 * number;
            let work = scratch.path().join(number.to_string());
            std::fs::create_dir(&work)?;
            let work = work.to_str().ok_or("the folder has no name in UTF-8")?;
            running.push(start(&["executor", &port.to_string(), &PORT.to_string(), work], port)?);
        }
        let (_, options) = job_of(folder, out, memory)?;
        let text = job_text(&std::path::absolute(folder)?.display().to_string(), out, memory, OTHERS);
        let settings = ["engine.kind=\"ballista\"".to_owned(), format!("engine.scheduler=\"{HOST}:{PORT}\"")];
        let start = Instant::now();
        let summary = anonymize(&Job::parse(&text, &settings)?, &options, &Silent)?;
        let (job, seconds) = (start.elapsed().as_secs_f64(), &summary.seconds);
        Ok(format!(
            "\"records\": {}, \"job\": {job:.3}, \"read\": {:.3}, \"search\": {:.3}, \"write\": {:.3}",
            summary.rows, seconds.read, seconds.search, seconds.write
        ))
    }
}

/// Tables of PostgreSQL.
mod postgres {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicBool, Ordering};

    use ::postgres::{Client, NoTls};
    use privet_data::Progress;

    use super::*;

    /// Columns of the table that are published as they are.
    const MEASURES: usize = 2;
    /// The stage in which an engine writes to a database.
    const WRITING: &str = "writing to the database";

    /// When the stages of a run began.
    #[derive(Default)]
    struct Stages(Mutex<Vec<(String, Instant)>>);

    impl Progress for Stages {
        fn stage(&self, name: &str, _total: Option<u64>) {
            if let Ok(mut all) = self.0.lock() {
                all.push((name.to_owned(), Instant::now()));
            }
        }

        fn at(&self, _done: u64) {}
    }

    pub fn make(url: &str, records: u64) -> Result<String, Failed> {
        let mut client = Client::connect(url, NoTls)?;
        let mut columns = vec!["row_number".to_owned(), "(row_number / 4)::bigint AS person".to_owned()];
        columns.extend(QUASI.iter().map(|(name, values)| match *values < 0 {
            true => format!("'{name} ' || floor(random() * {})::int AS {name}", values.unsigned_abs()),
            false => format!("floor(random() * {values})::int AS {name}"),
        }));
        columns.push("'diagnosis ' || floor(random() * 20)::int AS diagnosis".to_owned());
        columns.extend((0..MEASURES).map(|own| format!("floor(random() * 10000)::int AS measure_{own}")));
        client.batch_execute(&format!(
            "DROP TABLE IF EXISTS bench, bench_release; CREATE TABLE bench AS SELECT {} FROM generate_series(1, {records}) AS row_number; \
             ALTER TABLE bench ADD PRIMARY KEY (row_number); VACUUM ANALYZE bench",
            columns.join(", ")
        ))?;
        Ok(format!("\"records\": {records}"))
    }

    fn job_of(url: &str, out: &str, memory: &str, more: &[String]) -> Result<(Job, RunOptions), Failed> {
        let text = job_text(url, out, memory, MEASURES).replace(&format!("rows-per-file = {FILE}\n"), "");
        let mut settings = vec!["input.table=\"bench\"".to_owned()];
        settings.extend_from_slice(more);
        Ok((
            Job::parse(&text, &settings)?,
            RunOptions { base: std::env::current_dir()?, ..RunOptions::default() },
        ))
    }

    pub fn read(url: &str, memory: &str) -> Result<String, Failed> {
        let (job, options) = job_of(url, "none", memory, &[])?;
        let mut client = Client::connect(url, NoTls)?;
        let is_read = Arc::new(AtomicBool::new(false));
        let until = Arc::clone(&is_read);
        let writer = std::thread::spawn(move || -> Result<(u64, f64), ::postgres::Error> {
            let (mut commits, mut longest) = (0, 0.0f64);
            while !until.load(Ordering::Relaxed) {
                let start = Instant::now();
                let row = 1 + (commits * 7_919) % 1_000;
                client.execute("UPDATE bench SET age = age + 0 WHERE row_number = $1", &[&(row as i32)])?;
                longest = longest.max(start.elapsed().as_secs_f64());
                commits += 1;
            }
            Ok((commits, longest))
        });
        let start = Instant::now();
        let opened = open(&job, &options.base, &Silent);
        let seconds = start.elapsed().as_secs_f64();
        is_read.store(true, Ordering::Relaxed);
        let (commits, longest) = writer.join().map_err(|_| "the writer failed")??;
        let records = opened?.engine.table().rows();
        Ok(format!(
            "\"records\": {records}, \"read\": {seconds:.3}, \"commits\": {commits}, \"longest-commit\": {longest:.4}"
        ))
    }

    pub fn job(url: &str, out: &str, memory: &str) -> Result<String, Failed> {
        Client::connect(url, NoTls)?.batch_execute("DROP TABLE IF EXISTS bench_release")?;
        let sink = [format!("output.database={url:?}"), "output.table=\"bench_release\"".to_owned()];
        let (job, options) = job_of(url, out, memory, &sink)?;
        let stages = Stages::default();
        let summary = anonymize(&job, &options, &stages)?;
        let end = Instant::now();
        let stages = stages.0.into_inner()?;
        let at = stages.iter().position(|own| own.0 == WRITING).ok_or("nothing was written")?;
        let until = stages.get(at + 1).map_or(end, |own| own.1);
        let seconds = until.duration_since(stages[at].1).as_secs_f64();
        let written = summary.rows - summary.suppressed;
        Ok(format!("\"records\": {}, \"written\": {written}, \"write\": {seconds:.3}", summary.rows))
    }
}
