//! What will run where, how much is read, shuffled and held: told before a job runs, from the footers of the files alone.

use std::fmt;

use privet_data::Progress;
use privet_job::engine::{EngineKind, wanted};
use privet_job::{Job, RunError, RunOptions};
use serde::Serialize;

use crate::run::{Opened, open};
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
    /// Records.
    pub records: u64,
    /// Bytes of all files.
    pub bytes: u64,
    /// How often the grouped columns are read, and how often the others.
    pub passes: Passes,
    /// The columns that records are grouped by.
    pub grouped: Vec<String>,
    /// At most so many bytes are shuffled and held: those of all records, each a tuple of its own. Equal tuples are one.
    pub most_bytes_held: u64,
    /// What may be held in memory.
    pub memory_limit: Option<u64>,
    /// Parts that are read at the same time.
    pub parts: usize,
    /// The plan of the `GROUP BY`, as DataFusion tells it.
    pub explained: String,
}

/// How often columns are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Passes {
    /// The grouped ones: once to be grouped, once to be written, and once more where insensitive columns are published.
    pub grouped: usize,
    /// The others.
    pub others: usize,
}

/// Plans a job without running it. Nothing is written.
///
/// # Errors
/// When the job asks for what no engine does, or its table cannot be opened.
pub fn plan(job: &Job, options: &RunOptions, progress: &dyn Progress) -> Result<Plan, RunError> {
    privet_job::engine::check(job)?;
    let opened = open(job, &options.base, progress)?;
    let Opened { engine, source, .. } = &opened;
    let asked = wanted(job, &privet_job::engine::options_of(job, &options.base)?);
    let table = engine.table();
    let names: Vec<String> = table.schema.fields().iter().map(|own| own.name().clone()).collect();
    let grouped: Vec<String> = names.into_iter().filter(|name| asked.grouped.contains(name)).collect();
    let explained = Runner::explain(engine.grouping(&grouped)?.as_ref());
    let others = asked.columns.len() > asked.grouped.len();
    Ok(Plan {
        engine: match job.engine.kind {
            EngineKind::Memory => "memory",
            EngineKind::Datafusion => "datafusion",
            EngineKind::Ballista => "ballista",
        },
        scheduler: job.engine.scheduler.clone(),
        source: source.clone(),
        files: table.files.len(),
        records: table.rows(),
        bytes: table.bytes(),
        passes: Passes { grouped: if others { 3 } else { 2 }, others: if others { 3 } else { 0 } },
        most_bytes_held: table.rows() * (4 * grouped.len() as u64 + 12),
        grouped,
        memory_limit: engine.runner().memory_limit(),
        parts: engine.runner().parts,
        explained,
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
        writeln!(f, "records     {} in {} files, {}", self.records, self.files, mega(self.bytes))?;
        writeln!(f, "grouped by  {}", self.grouped.join(", "))?;
        writeln!(
            f,
            "read        the grouped columns {} times, the others {} times, in {} parts at once",
            self.passes.grouped, self.passes.others, self.parts
        )?;
        writeln!(f, "shuffled    at most {}; equal tuples of a part are one", mega(self.most_bytes_held))?;
        match self.memory_limit {
            Some(limit) => {
                writeln!(f, "held        at most {} by the engine; beyond that, on the disk", mega(limit))
            }
            None => writeln!(f, "held        what the tuples take; engine.memory-limit sets a limit"),
        }
    }
}
