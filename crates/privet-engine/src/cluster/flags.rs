//! The verbs of a cluster and their flags.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use privet_job::engine::EngineError;
use privet_job::{RunError, parse_size};

use super::{ExecutorOptions, SchedulerOptions, executor, scheduler};

/// The parts of a cluster.
#[derive(Debug, Subcommand)]
pub enum ClusterVerb {
    /// Start the scheduler of a cluster
    #[command(before_help = "\
Examples:
  scheduler --host 10.0.0.5 --port 50050")]
    Scheduler(SchedulerFlags),
    /// Start an executor of a cluster
    #[command(before_help = "\
Examples:
  executor --scheduler 10.0.0.5:50050 --host 10.0.0.6 --memory-limit 16GiB")]
    Executor(ExecutorFlags),
}

impl ClusterVerb {
    /// Runs until the process is ended.
    ///
    /// # Errors
    /// When an address is none or taken, or the scheduler is not there.
    pub fn run(self, threads: Option<usize>) -> Result<(), RunError> {
        match self {
            Self::Scheduler(own) => scheduler(&SchedulerOptions { host: own.host, port: own.port })?,
            Self::Executor(own) => executor(&own.options(threads)?)?,
        }
        Ok(())
    }
}

/// Where a scheduler listens.
#[derive(Debug, Args)]
pub struct SchedulerFlags {
    /// The address to listen at
    #[arg(long, default_value = "127.0.0.1")]
    host: String,
    /// The port to listen at
    #[arg(long, default_value_t = 50_050)]
    port: u16,
}

/// Where an executor listens, and what it has.
#[derive(Debug, Args)]
pub struct ExecutorFlags {
    /// The scheduler, HOST:PORT
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:50050")]
    scheduler: String,
    /// The address to listen at, by which others reach this executor
    #[arg(long, default_value = "127.0.0.1")]
    host: String,
    /// The port to listen at; the next one is used as well
    #[arg(long, default_value_t = 50_051)]
    port: u16,
    /// What tasks may hold in memory together, such as 16GiB; what goes beyond is put on the disk
    #[arg(long, value_name = "SIZE")]
    memory_limit: Option<String>,
    /// The folder for what is shuffled; a temporary one when left out
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

impl ExecutorFlags {
    fn options(self, threads: Option<usize>) -> Result<ExecutorOptions, EngineError> {
        let wrong = || EngineError::input("--scheduler takes HOST:PORT");
        let (host, port) = self.scheduler.rsplit_once(':').ok_or_else(wrong)?;
        let size = |text: &String| {
            parse_size(text).ok_or_else(|| EngineError::input("--memory-limit takes a size such as 16GiB"))
        };
        let available = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Ok(ExecutorOptions {
            scheduler: (host.to_owned(), port.parse().map_err(|_| wrong())?),
            host: self.host,
            port: self.port,
            threads: threads.unwrap_or_else(available).max(1),
            memory_limit: self.memory_limit.as_ref().map(size).transpose()?,
            folder: self.folder,
        })
    }
}
