//! The `[engine]` section: what reads, groups and writes the table.

use serde::Deserialize;

use crate::error::JobError;
use crate::job::Job;
use crate::size::Size;

/// What reads, groups and writes the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EngineKind {
    /// The table is held in memory.
    #[default]
    Memory,
    /// DataFusion, in this process.
    Datafusion,
    /// Ballista, on a cluster.
    Ballista,
}

impl EngineKind {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Datafusion => "datafusion",
            Self::Ballista => "ballista",
        }
    }
}

/// The `[engine]` section.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct EngineSection {
    /// Which one.
    #[serde(default)]
    pub kind: EngineKind,
    /// Bytes that the engine may hold in memory; what goes beyond is put on the disk.
    #[serde(default)]
    memory_limit: Option<Size>,
    /// Threads; those of the machine when left out.
    #[serde(default)]
    pub threads: Option<usize>,
    /// The scheduler of the cluster, `host:port`.
    #[serde(default)]
    pub scheduler: Option<String>,
}

impl EngineSection {
    /// Bytes that the engine may hold in memory.
    pub fn memory_limit(&self) -> Option<u64> {
        self.memory_limit.map(|Size(bytes)| bytes)
    }

    /// The form of the section.
    pub fn check(&self) -> Result<(), JobError> {
        if self.threads == Some(0) {
            return Err(JobError::key("engine.threads", "must be at least 1"));
        }
        if self.kind != EngineKind::Ballista && self.scheduler.is_some() {
            return Err(JobError::key("engine.scheduler", "goes with kind = \"ballista\" in [engine]"));
        }
        if self.kind == EngineKind::Memory && self.memory_limit.is_some() {
            return Err(JobError::key(
                "engine.memory-limit",
                "goes with kind = \"datafusion\" in [engine]; in memory, search.mondrian.memory-limit limits Mondrian",
            ));
        }
        Ok(())
    }
}

/// Why an engine did not do what it was asked for. No message holds a value of the data.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct EngineError {
    message: String,
    is_resources: bool,
}

impl EngineError {
    /// The input or the job is at fault.
    pub fn input(message: impl Into<String>) -> Self {
        Self { message: message.into(), is_resources: false }
    }

    /// Something ran out or was lost: memory, the disk, a connection, executors.
    pub fn resources(message: impl Into<String>) -> Self {
        Self { message: message.into(), is_resources: true }
    }

    /// Whether something ran out, rather than that the job is at fault.
    pub fn is_resources(&self) -> bool {
        self.is_resources
    }
}

/// Refuses what only an engine does, where the table is held in memory.
pub fn check_memory(job: &Job) -> Result<(), JobError> {
    let by_engine = "`privet-cluster` does it, and `privet` where it is built with the feature `engine`";
    if job.engine.kind != EngineKind::Memory {
        return Err(JobError::key("engine.kind", format!("= \"{}\": {by_engine}", job.engine.kind.word())));
    }
    if job.input.path.to_str().is_some_and(|path| path.contains("://")) {
        return Err(JobError::key("input.path", format!("is an address and no path: {by_engine}")));
    }
    for (key, is_given) in [
        ("input.query", job.input.query.is_some()),
        ("input.table", job.input.table.is_some()),
        ("output.database", job.output.database.is_some()),
    ] {
        if is_given {
            return Err(JobError::key(key, format!("speaks of PostgreSQL: {by_engine}")));
        }
    }
    Ok(())
}
