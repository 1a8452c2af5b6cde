//! The `[engine]` section: what reads, groups and writes the table.

use serde::Deserialize;

use crate::error::JobError;
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

    pub(crate) fn check(&self) -> Result<(), JobError> {
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
