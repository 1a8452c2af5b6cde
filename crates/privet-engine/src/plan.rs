//! What will run where, how much is read, shuffled and held: told before a job runs.
//!
//! Parquet tables are told by the footers of their files, databases by what their planner expects, other files by their lengths.
//! Nothing is read beyond that, and nothing is copied.

use std::fmt;
use std::path::Path;

use privet_data::Progress;
use privet_data::io::{Format, files_of};
use privet_job::engine::{EngineKind, Wanted, wanted};
use privet_job::{Job, RunError, RunOptions};
use serde::Serialize;

use crate::database;
use crate::run::{Opened, Place, check, open, settings_of};
use crate::runner::Runner;

/// What will run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Plan {
    /// The engine.
    pub engine: &'static str,
    /// The scheduler of the cluster.
    pub scheduler: Option<String>,
    /// What is read.
    pub source: String,
    /// Files.
    pub files: usize,
    /// Records; nothing where they are not known before the table is read.
    pub records: Option<u64>,
    /// Whether the number of records is what a database expects, and not what was counted.
    pub is_estimate: bool,
    /// Bytes of all files, or of the rows that a database sends.
    pub bytes: u64,
    /// Whether the table is first copied into a temporary file beside the release.
    pub is_copied: bool,
    /// How often the grouped columns are read, and how often the others.
    pub passes: Passes,
    /// The columns that records are grouped by.
    pub grouped: Vec<String>,
    /// At most so many bytes are shuffled: those of all records, each a tuple of its own. Equal tuples are one.
    pub most_bytes_shuffled: Option<u64>,
    /// At most so many bytes are held by the process that searches, for tuples: as they came, in their order, and in the search. In
    /// memory, the codes of all records.
    pub most_bytes_held: Option<u64>,
    /// What the engine may hold in memory.
    pub memory_limit: Option<u64>,
    /// Parts that are read at the same time.
    pub parts: usize,
    /// The plan of the `GROUP BY`, as DataFusion tells it; empty where the table is copied first, or held in memory.
    pub explained: String,
}

/// How often columns are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Passes {
    /// The grouped ones: once to be grouped, once to be written, and once more where insensitive columns are published.
    pub grouped: usize,
    /// The others: once to find their kinds, once to count who stands alone by them, and once to be written.
    pub others: usize,
}

/// What is known of a table that is not read.
struct Table {
    source: String,
    files: usize,
    records: Option<u64>,
    is_estimate: bool,
    bytes: u64,
    is_copied: bool,
    /// Its columns, where they are known.
    columns: Option<Vec<String>>,
    explained: String,
}

/// Plans a job without running it. Nothing is written, and no record is read.
///
/// # Errors
/// When the job asks for what its engine does not do, or its table cannot be opened.
pub fn plan(job: &Job, options: &RunOptions, progress: &dyn Progress) -> Result<Plan, RunError> {
    let base = options.base.as_path();
    let in_memory = job.engine.kind == EngineKind::Memory;
    let place = if in_memory { Place::of(job, base)? } else { check(job, base)? };
    let asked = wanted(job, &privet_job::engine::options_of(job, base)?);
    let table = match &place {
        Place::Database(url) => of_database(job, url.as_str())?,
        Place::Parquet(_) => of_parquet(job, base, &asked, progress)?,
        Place::Coded(path, format) => of_files(path, *format, in_memory)?,
    };
    let grouped: Vec<String> = match &table.columns {
        Some(columns) => columns.iter().filter(|name| asked.grouped.contains(name)).cloned().collect(),
        None => asked.grouped.clone(),
    };
    let others = asked.columns.len() > asked.grouped.len();
    let passes = match in_memory {
        true => Passes { grouped: 1, others: usize::from(others) },
        // Entries of other files than Parquet have their kinds already.
        false => {
            let is_coded = matches!(place, Place::Coded(..));
            let of_others = if is_coded { 2 } else { 3 };
            Passes { grouped: if others { 3 } else { 2 }, others: if others { of_others } else { 0 } }
        }
    };
    let tuple = 4 * grouped.len() as u64 + 12;
    let held = |records: u64| match in_memory {
        true => records.saturating_mul(4 * asked.columns.len() as u64),
        false => records.saturating_mul(3 * tuple),
    };
    let settings = settings_of(job, base);
    Ok(Plan {
        engine: job.engine.kind.word(),
        scheduler: job.engine.scheduler.clone(),
        source: table.source,
        files: table.files,
        records: table.records,
        is_estimate: table.is_estimate,
        bytes: table.bytes,
        is_copied: table.is_copied,
        passes,
        most_bytes_shuffled: table.records.filter(|_| !in_memory).map(|own| own.saturating_mul(tuple)),
        most_bytes_held: table.records.map(held),
        grouped,
        memory_limit: settings.memory_limit,
        parts: Runner::parts_of(&settings),
        explained: table.explained,
    })
}

/// A table of Parquet files, by their footers.
fn of_parquet(job: &Job, base: &Path, asked: &Wanted, progress: &dyn Progress) -> Result<Table, RunError> {
    let Opened { engine, source, .. } = &open(job, base, progress)?;
    let table = engine.table();
    let names: Vec<String> = table.schema.fields().iter().map(|own| own.name().clone()).collect();
    let explained = match job.engine.kind {
        EngineKind::Memory => String::new(),
        _ => {
            let grouped: Vec<String> =
                names.iter().filter(|name| asked.grouped.contains(name)).cloned().collect();
            Runner::explain(engine.grouping(&grouped)?.as_ref())
        }
    };
    Ok(Table {
        source: source.clone(),
        files: table.files.len(),
        records: Some(table.rows()),
        is_estimate: false,
        bytes: table.bytes(),
        is_copied: false,
        columns: Some(names),
        explained,
    })
}

/// A table of a database, by what its planner expects.
fn of_database(job: &Job, url: &str) -> Result<Table, RunError> {
    let query = database::query_of(job.input.query.as_deref(), job.input.table.as_deref())?;
    let expected = database::expected(url, &query)?;
    Ok(Table {
        source: "PostgreSQL, one snapshot, copied in binary into a temporary file".to_owned(),
        files: 0,
        records: Some(expected.rows),
        is_estimate: true,
        bytes: expected.bytes,
        is_copied: true,
        columns: Some(expected.columns),
        explained: String::new(),
    })
}

/// Files whose records are not known before they are read.
fn of_files(path: &Path, format: Format, in_memory: bool) -> Result<Table, RunError> {
    let files = files_of(path);
    let length = |path: &std::path::PathBuf| {
        let known = std::fs::metadata(path).map(|own| own.len());
        known.map_err(|error| {
            let problem = format!("{}: the file cannot be read: {error}", path.display());
            RunError::from(privet_job::engine::EngineError::input(problem))
        })
    };
    let bytes = files.iter().map(length).sum::<Result<u64, RunError>>()?;
    let what = if in_memory { "held in memory" } else { "read once and kept as numbers in a temporary file" };
    Ok(Table {
        source: format!("{} files, {what}", format.word()),
        files: files.len(),
        records: None,
        is_estimate: false,
        bytes,
        is_copied: !in_memory,
        columns: None,
        explained: String::new(),
    })
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mega = |bytes: u64| format!("{:.1} MB", bytes as f64 / 1e6);
        match &self.scheduler {
            Some(scheduler) => writeln!(f, "engine      {} (scheduler {scheduler})", self.engine)?,
            None => writeln!(f, "engine      {}, in this process", self.engine)?,
        }
        writeln!(f, "source      {}", self.source)?;
        let about = if self.is_estimate { "about " } else { "" };
        match (self.records, self.files) {
            (Some(records), 0) => writeln!(f, "records     {about}{records}, {}", mega(self.bytes))?,
            (Some(records), files) => {
                writeln!(f, "records     {records} in {files} files, {}", mega(self.bytes))?;
            }
            (None, files) => {
                writeln!(
                    f,
                    "records     not known before they are read; {files} files, {}",
                    mega(self.bytes)
                )?;
            }
        }
        if self.engine == EngineKind::Memory.word() {
            let held = self.most_bytes_held.map_or("four bytes for each cell".to_owned(), mega);
            return writeln!(
                f,
                "held        {held}, and the distinct values of each column; nothing is shuffled"
            );
        }
        writeln!(f, "grouped by  {}", self.grouped.join(", "))?;
        writeln!(
            f,
            "read        the grouped columns {} times, the others {} times, in {} parts at once",
            self.passes.grouped, self.passes.others, self.parts
        )?;
        let tuple = 4 * self.grouped.len() + 12;
        match self.most_bytes_shuffled {
            Some(bytes) => {
                writeln!(f, "shuffled    at most {about}{}; equal tuples of a part are one", mega(bytes))?;
            }
            None => writeln!(
                f,
                "shuffled    at most {tuple} bytes for each record; equal tuples of a part are one"
            )?,
        }
        match self.memory_limit {
            Some(limit) => {
                writeln!(f, "held        at most {} by the engine; beyond that, on the disk", mega(limit))?;
            }
            None => {
                writeln!(
                    f,
                    "held        by the engine what the tuples take; engine.memory-limit sets a limit"
                )?;
            }
        }
        let tuples =
            self.most_bytes_held.map_or(String::new(), |bytes| format!(", at most {about}{}", mega(bytes)));
        writeln!(
            f,
            "searched    by this process, on the distinct tuples: {} bytes for each{tuples}",
            3 * tuple
        )
    }
}
