//! The flags and verbs of engines, for both programs that have them: `privet-cluster`, and `privet` with the feature `engine`.

use std::path::{Path, PathBuf};

use clap::Args;
use privet_data::Progress;
use privet_job::{Job, RunError, RunOptions, base_of};

#[cfg(feature = "cluster")]
pub use crate::cluster::flags::ClusterVerb;
use crate::plan::plan;

/// What a job runs on.
#[derive(Debug, Clone, Default, Args)]
pub struct EngineFlags {
    /// What reads, groups and writes the table: memory, datafusion or ballista (key engine.kind)
    #[arg(long, value_name = "ENGINE")]
    engine: Option<String>,
    /// The scheduler of the cluster, HOST:PORT (key engine.scheduler)
    #[arg(long, value_name = "HOST:PORT")]
    scheduler: Option<String>,
    /// What the engine may hold in memory, such as 2GiB (key engine.memory-limit)
    #[arg(long, value_name = "SIZE")]
    memory_limit: Option<String>,
}

impl EngineFlags {
    /// The settings of the job that the flags stand for.
    pub fn settings(&self) -> Vec<String> {
        let flags = [
            ("engine.kind", &self.engine),
            ("engine.scheduler", &self.scheduler),
            ("engine.memory-limit", &self.memory_limit),
        ];
        let given = flags.into_iter().filter_map(|(key, value)| Some((key, value.as_ref()?)));
        given.map(|(key, value)| format!("{key}={}", serde_json::Value::from(value.as_str()))).collect()
    }
}

/// Says what will run where, how much is read, shuffled and held; nothing is run
#[derive(Debug, Args)]
pub struct PlanFlags {
    /// The job file
    job: PathBuf,
    #[command(flatten)]
    engine: EngineFlags,
    /// Show DataFusion's plan of the GROUP BY
    #[arg(long)]
    explain: bool,
    /// Set any key of the job, such as privacy.k-anonymity=10; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl PlanFlags {
    /// Makes the plan, as text or as JSON.
    ///
    /// # Errors
    /// As [`plan`].
    pub fn text(
        &self,
        threads: Option<usize>,
        json: bool,
        progress: &dyn Progress,
    ) -> Result<String, RunError> {
        let job = read_job(&self.job, &self.set, &self.engine, threads)?;
        let options = RunOptions { base: base_of(&self.job), ..RunOptions::default() };
        let planned = plan(&job, &options, progress)?;
        Ok(match (json, self.explain) {
            (true, _) => serde_json::to_string(&planned).unwrap_or_default(),
            (false, false) => planned.to_string(),
            (false, true) => format!("{planned}\n{}", planned.explained),
        })
    }
}

/// Reads a job file with what flags set.
///
/// # Errors
/// As [`Job::read`].
pub fn read_job(
    path: &Path,
    set: &[String],
    engine: &EngineFlags,
    threads: Option<usize>,
) -> Result<Job, RunError> {
    let mut settings = [set, &engine.settings()].concat();
    settings.extend(threads.map(|threads| format!("engine.threads={threads}")));
    Ok(Job::read(path, &settings)?)
}
