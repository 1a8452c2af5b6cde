//! Runs plans: in this process with DataFusion, or on a cluster of Ballista.

use std::sync::Arc;

use datafusion::dataframe::DataFrame;
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::physical_plan::{ExecutionPlan, SendableRecordBatchStream, displayable, execute_stream};
use datafusion::prelude::{SessionConfig, SessionContext};
use futures::StreamExt;
use privet_data::Progress;
use privet_job::RunError;
use privet_job::engine::EngineError;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use arrow_array::RecordBatch;

#[cfg(feature = "cluster")]
use crate::cluster;
use crate::fault::told;

/// How many parts the work of a cluster is cut into, where nothing else is said.
const CLUSTER_PARTS: usize = 16;

/// Where and with how much plans are run.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Threads of this process; those of the machine when left out.
    pub threads: Option<usize>,
    /// Bytes that the engine may hold in memory; what goes beyond is put on the disk.
    pub memory_limit: Option<u64>,
    /// The scheduler of a cluster, `host:port`; without one this process does the work.
    pub scheduler: Option<String>,
    /// Where temporary files go; the folder of the system when left out.
    pub temporary: Option<std::path::PathBuf>,
}

impl Settings {
    fn threads(&self) -> usize {
        let available = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        self.threads.unwrap_or_else(available).max(1)
    }
}

/// Runs plans.
pub struct Runner {
    /// What runs what waits.
    pub runtime: Runtime,
    /// What plans.
    pub context: SessionContext,
    /// How many parts work is cut into.
    pub parts: usize,
    settings: Settings,
    // Dropped last: the temporary files lie in it.
    temporary: TempDir,
}

impl Runner {
    /// Makes ready.
    ///
    /// # Errors
    /// When the system gives no threads or no room for temporary files.
    pub fn new(settings: Settings) -> Result<Self, EngineError> {
        let failed = |what: &str, error: std::io::Error| EngineError::resources(format!("{what}: {error}"));
        let threads = settings.threads();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(threads)
            .enable_all()
            .build()
            .map_err(|error| failed("the system gives no threads", error))?;
        let mut folder = tempfile::Builder::new();
        folder.prefix(".privet-engine-");
        let temporary = match &settings.temporary {
            Some(path) => folder.tempdir_in(path),
            None => folder.tempdir(),
        };
        let temporary = temporary.map_err(|error| failed("no folder for temporary files", error))?;
        let parts = Self::parts_of(&settings);
        let config = match settings.scheduler {
            #[cfg(feature = "cluster")]
            Some(_) => cluster::session(),
            #[cfg(not(feature = "cluster"))]
            Some(_) => {
                return Err(EngineError::input("this program was built without the feature `cluster`"));
            }
            None => SessionConfig::new().with_round_robin_repartition(false),
        };
        let mut environment = RuntimeEnvBuilder::new().with_temp_file_path(temporary.path());
        if let Some(bytes) = settings.memory_limit {
            let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
            environment = environment.with_memory_pool(Arc::new(FairSpillPool::new(bytes)));
        }
        let environment = environment.build_arc().map_err(|error| told(&error))?;
        let context = SessionContext::new_with_config_rt(config.with_target_partitions(parts), environment);
        Ok(Self { runtime, context, parts, settings, temporary })
    }

    /// How many parts work is cut into with these settings.
    pub fn parts_of(settings: &Settings) -> usize {
        if settings.scheduler.is_some() { CLUSTER_PARTS } else { settings.threads() }
    }

    /// Whether a cluster does the work.
    pub fn is_cluster(&self) -> bool {
        self.settings.scheduler.is_some()
    }

    /// The folder for temporary files.
    pub fn temporary(&self) -> &std::path::Path {
        self.temporary.path()
    }

    /// What may be held in memory.
    pub fn memory_limit(&self) -> Option<u64> {
        self.settings.memory_limit
    }

    /// The plan of a query.
    ///
    /// # Errors
    /// When it cannot be planned.
    pub async fn plan(&self, query: DataFrame) -> Result<Arc<dyn ExecutionPlan>, EngineError> {
        query.create_physical_plan().await.map_err(|error| told(&error))
    }

    /// A plan as DataFusion tells it.
    pub fn explain(plan: &dyn ExecutionPlan) -> String {
        displayable(plan).indent(false).to_string()
    }

    /// Begins to run a plan; its partitions come in any order.
    ///
    /// # Errors
    /// When it cannot be begun.
    pub async fn stream(
        &self,
        plan: Arc<dyn ExecutionPlan>,
    ) -> Result<SendableRecordBatchStream, EngineError> {
        let begun = match &self.settings.scheduler {
            #[cfg(feature = "cluster")]
            Some(scheduler) => cluster::submit(scheduler, plan, &self.context).await,
            _ => execute_stream(plan, self.context.task_ctx()),
        };
        begun.map_err(|error| told(&error))
    }

    /// Runs a plan and hands on its batches.
    ///
    /// # Errors
    /// When it fails, whoever takes a batch has an error, or the person asks to stop.
    pub fn run(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        progress: &dyn Progress,
        each: &mut dyn FnMut(RecordBatch) -> Result<(), RunError>,
    ) -> Result<(), RunError> {
        self.runtime.block_on(async {
            let mut batches = self.stream(plan).await?;
            let mut look = tokio::time::interval(std::time::Duration::from_millis(200));
            loop {
                tokio::select! {
                    batch = batches.next() => match batch {
                        Some(batch) => each(batch.map_err(|error| told(&error))?)?,
                        None => return Ok(()),
                    },
                    _ = look.tick() => {}
                }
                progress.check()?;
            }
        })
    }
}
