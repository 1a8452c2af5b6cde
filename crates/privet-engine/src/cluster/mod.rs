//! Ballista's own scheduler and executors, with privet's operators. Executors need no state: plans carry what they look up.

pub mod flags;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use ballista_core::config::TaskSchedulingPolicy;
use ballista_core::execution_plans::execute_physical_plan;
use ballista_core::extension::SessionConfigExt;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::start_server;
use datafusion::error::Result as DataFusionResult;
use datafusion::physical_plan::{ExecutionPlan, SendableRecordBatchStream};
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion_proto::protobuf::PhysicalPlanNode;
use privet_job::engine::EngineError;

use crate::codec::Codec;

/// The longest message of a cluster: plans carry look-up tables.
const MOST_MESSAGE: usize = 512 << 20;
/// Seconds without a sign of life after which an executor is taken to be lost, and its tasks are given to others.
const LOST_AFTER: u64 = 6;
/// How often a task, and a stage, is tried again.
const TRIES: usize = 8;

/// Where a scheduler listens.
#[derive(Debug, Clone)]
pub struct SchedulerOptions {
    /// The address that it binds to.
    pub host: String,
    /// The port.
    pub port: u16,
}

/// Where an executor listens, and what it has.
#[derive(Debug, Clone)]
pub struct ExecutorOptions {
    /// The address that it binds to, and by which others reach it.
    pub host: String,
    /// The port for what was computed; the next one is for tasks.
    pub port: u16,
    /// The scheduler.
    pub scheduler: (String, u16),
    /// Tasks at once.
    pub threads: usize,
    /// Bytes that tasks may hold in memory together.
    pub memory_limit: Option<u64>,
    /// The folder for what is shuffled.
    pub folder: Option<PathBuf>,
}

fn runtime() -> Result<tokio::runtime::Runtime, EngineError> {
    let built = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    built.map_err(|error| EngineError::resources(format!("the system gives no threads: {error}")))
}

/// The settings of a session on a cluster.
pub(crate) fn session() -> SessionConfig {
    SessionConfig::new_with_ballista().with_ballista_grpc_client_max_message_size(MOST_MESSAGE)
}

/// Begins to run a plan on a cluster.
pub(crate) async fn submit(
    scheduler: &str,
    plan: Arc<dyn ExecutionPlan>,
    context: &SessionContext,
) -> DataFusionResult<SendableRecordBatchStream> {
    let config = context.copied_config();
    execute_physical_plan::<PhysicalPlanNode>(
        format!("http://{scheduler}"),
        &config.ballista_config(),
        plan,
        &Codec::default(),
        context.session_id(),
        config,
    )
    .await
}

/// Runs a scheduler until it is ended.
///
/// # Errors
/// When the address is taken, or is none.
pub fn scheduler(options: &SchedulerOptions) -> Result<(), EngineError> {
    let address = format!("{}:{}", options.host, options.port);
    let address: SocketAddr = address.parse().map_err(|_| {
        EngineError::input(format!(
            "{address} is no address that a scheduler can listen at, such as 127.0.0.1:50050"
        ))
    })?;
    let mut config = SchedulerConfig::default()
        .with_hostname(options.host.clone())
        .with_port(options.port)
        .with_scheduler_policy(TaskSchedulingPolicy::PullStaged)
        .with_grpc_server_max_decoding_message_size(MOST_MESSAGE as u32)
        .with_grpc_server_max_encoding_message_size(MOST_MESSAGE as u32)
        .with_grpc_client_max_message_size(MOST_MESSAGE as u32)
        .with_override_config_producer(Arc::new(session));
    config.override_physical_codec = Some(Arc::new(Codec::default()));
    config.executor_timeout_seconds = LOST_AFTER;
    config.expire_dead_executor_interval_seconds = 1;
    config.no_executors_grace_period_seconds = LOST_AFTER;
    config.task_max_failures = TRIES;
    config.stage_max_failures = TRIES;
    config.bind_host.clone_from(&options.host);
    let runtime = runtime()?;
    let ended = runtime.block_on(async {
        let cluster = BallistaCluster::new_from_config(&config).await?;
        start_server(cluster, address, Arc::new(config)).await
    });
    ended.map_err(|_| {
        EngineError::resources(format!("the scheduler cannot listen at {address}, or was ended"))
    })
}

/// Runs an executor until it is ended.
///
/// # Errors
/// When the ports are taken, or the scheduler is not there.
pub fn executor(options: &ExecutorOptions) -> Result<(), EngineError> {
    let work = options.folder.as_ref().map(|folder| folder.display().to_string());
    let config = ExecutorProcessConfig {
        bind_host: options.host.clone(),
        external_host: Some(options.host.clone()),
        port: options.port,
        grpc_port: options.port.saturating_add(1),
        scheduler_host: options.scheduler.0.clone(),
        scheduler_port: options.scheduler.1,
        scheduler_connect_timeout_seconds: 20,
        vcores: options.threads,
        task_scheduling_policy: TaskSchedulingPolicy::PullStaged,
        work_dir: work,
        memory_pool_size: Some(options.memory_limit.unwrap_or(0)),
        executor_heartbeat_interval_seconds: 1,
        grpc_max_decoding_message_size: MOST_MESSAGE as u32,
        grpc_max_encoding_message_size: MOST_MESSAGE as u32,
        job_data_ttl_seconds: 3_600,
        job_data_clean_up_interval_seconds: 60,
        override_config_producer: Some(Arc::new(session)),
        override_physical_codec: Some(Arc::new(Codec::default())),
        ..ExecutorProcessConfig::default()
    };
    let ended = runtime()?.block_on(start_executor_process(Arc::new(config)));
    ended.map_err(|_| {
        EngineError::resources(format!(
            "the executor cannot listen at {}:{}, does not reach the scheduler at {}:{}, or was ended",
            options.host, options.port, options.scheduler.0, options.scheduler.1
        ))
    })
}
