//! `privet-cluster`: jobs on tables that are larger than memory or than one machine, and the cluster that runs them.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use privet_data::Silent;
use privet_dp::DpError;
use privet_dp::ledger::LedgerError;
use privet_engine::cluster::{ExecutorOptions, SchedulerOptions, executor, scheduler};
use privet_engine::{CountQuestion, PrivateError, anonymize, plan, private_counts};
use privet_job::engine::EngineError;
use privet_job::{Job, JobError, Outcome, RunError, RunOptions, base_of, parse_size};

/// Jobs on tables that are larger than memory or than one machine
#[derive(Debug, Parser)]
#[command(name = "privet-cluster", version, arg_required_else_help = true)]
struct Program {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Make the release that a job file asks for
    #[command(before_help = "\
Examples:
  privet-cluster anonymize job.toml
  privet-cluster anonymize job.toml --engine datafusion --memory-limit 2GiB
  privet-cluster anonymize job.toml --engine ballista --scheduler 10.0.0.5:50050")]
    Anonymize(Anonymize),
    /// Say what will run where, how much is read, shuffled and held; nothing is run
    #[command(before_help = "\
Examples:
  privet-cluster plan job.toml --engine datafusion
  privet-cluster plan job.toml --explain")]
    Plan(PlanJob),
    /// Ask for private counts by groups; the charge goes to a ledger
    #[command(before_help = "\
Examples:
  privet-cluster count job.toml --by sex,region --person patient_id --most 3 --epsilon 0.1 --ledger patients.ledger")]
    Count(Count),
    /// Start the scheduler of a cluster
    #[command(before_help = "\
Examples:
  privet-cluster scheduler --host 10.0.0.5 --port 50050")]
    Scheduler(Scheduler),
    /// Start an executor of a cluster
    #[command(before_help = "\
Examples:
  privet-cluster executor --scheduler 10.0.0.5:50050 --host 10.0.0.6 --memory-limit 16GiB")]
    Executor(Executor),
}

/// What a job runs on.
#[derive(Debug, Args)]
struct On {
    /// The job file
    job: PathBuf,
    /// memory, datafusion or ballista (key engine.kind)
    #[arg(long, value_name = "ENGINE")]
    engine: Option<String>,
    /// The scheduler of the cluster, HOST:PORT (key engine.scheduler)
    #[arg(long, value_name = "HOST:PORT")]
    scheduler: Option<String>,
    /// What the engine may hold in memory, such as 2GiB (key engine.memory-limit)
    #[arg(long, value_name = "SIZE")]
    memory_limit: Option<String>,
    /// Threads of this process (key engine.threads)
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Set any key of the job, such as privacy.k-anonymity=10; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

#[derive(Debug, Args)]
struct Anonymize {
    #[command(flatten)]
    on: On,
    /// Write to this folder instead of the one the job names (key output.folder)
    #[arg(long, short, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Replace a release that is already there (key output.replace)
    #[arg(long)]
    force: bool,
    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct PlanJob {
    #[command(flatten)]
    on: On,
    /// Show DataFusion's plan of the GROUP BY
    #[arg(long)]
    explain: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct Count {
    #[command(flatten)]
    on: On,
    /// The columns to group by; their values are those of columns.NAME.keys
    #[arg(long, value_delimiter = ',', required = true)]
    by: Vec<String>,
    /// The column that tells whose record it is
    #[arg(long)]
    person: String,
    /// The most records of a person that count
    #[arg(long, default_value_t = 1)]
    most: u32,
    /// The epsilon of the answer
    #[arg(long)]
    epsilon: String,
    /// The ledger, which `privet ledger open` made
    #[arg(long, value_name = "FILE")]
    ledger: PathBuf,
    /// The account in the ledger
    #[arg(long)]
    account: String,
    /// Who asks
    #[arg(long, default_value = "privet-cluster")]
    analyst: String,
}

#[derive(Debug, Args)]
struct Scheduler {
    /// The address to listen at
    #[arg(long, default_value = "127.0.0.1")]
    host: String,
    /// The port to listen at
    #[arg(long, default_value_t = 50_050)]
    port: u16,
}

#[derive(Debug, Args)]
struct Executor {
    /// The scheduler, HOST:PORT
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:50050")]
    scheduler: String,
    /// The address to listen at, by which others reach this executor
    #[arg(long, default_value = "127.0.0.1")]
    host: String,
    /// The port to listen at; the next one is used as well
    #[arg(long, default_value_t = 50_051)]
    port: u16,
    /// Tasks at once; the threads of the machine when left out
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// What tasks may hold in memory together, such as 16GiB; what goes beyond is put on the disk
    #[arg(long, value_name = "SIZE")]
    memory_limit: Option<String>,
    /// The folder for what is shuffled; a temporary one when left out
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

/// Exit codes of privet: 0 done, 1 the gate said no, 2 bad input, 3 budget, 4 resources.
fn code_of(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Refused => 1,
        Outcome::BadInput => 2,
        Outcome::Budget => 3,
        Outcome::Resources => 4,
        Outcome::Stopped => 130,
    }
}

fn main() -> ExitCode {
    let ran = match Program::parse().verb {
        Verb::Anonymize(own) => own.run(),
        Verb::Plan(own) => own.run(),
        Verb::Count(own) => return own.run(),
        Verb::Scheduler(own) => {
            scheduler(&SchedulerOptions { host: own.host, port: own.port }).map_err(RunError::from)
        }
        Verb::Executor(own) => own.run(),
    };
    match ran {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&error, code_of(error.outcome())),
    }
}

fn failed(error: &dyn std::error::Error, code: u8) -> ExitCode {
    eprintln!("privet-cluster: {error}");
    ExitCode::from(code)
}

impl Count {
    fn run(self) -> ExitCode {
        let question = CountQuestion {
            by: self.by,
            person: self.person,
            most: self.most,
            epsilon: self.epsilon,
            account: self.account,
            analyst: self.analyst,
        };
        let job = match self.on.read() {
            Ok(job) => job,
            Err(error) => return failed(&error, 2),
        };
        let asked = private_counts(&job, &self.on.options(), &self.ledger, &question, &Silent);
        let told = match asked {
            Ok(answer) => print(&serde_json::to_string_pretty(&answer).unwrap_or_default()),
            Err(PrivateError::Run(error)) => Err(error),
            Err(PrivateError::Dp(error)) => {
                let code = match &error {
                    DpError::Ledger(LedgerError::Insufficient { .. }) => 3,
                    _ => 2,
                };
                return failed(&error, code);
            }
        };
        match told {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => failed(&error, code_of(error.outcome())),
        }
    }
}

impl On {
    fn read(&self) -> Result<Job, JobError> {
        let mut settings = self.set.clone();
        let mut set = |key: &str, value: String| settings.push(format!("{key}={value}"));
        if let Some(engine) = &self.engine {
            set("engine.kind", format!("{engine:?}"));
        }
        if let Some(scheduler) = &self.scheduler {
            set("engine.scheduler", format!("{scheduler:?}"));
        }
        if let Some(limit) = &self.memory_limit {
            set("engine.memory-limit", format!("{limit:?}"));
        }
        if let Some(threads) = self.threads {
            set("engine.threads", threads.to_string());
        }
        Job::read(&self.job, &settings)
    }

    fn options(&self) -> RunOptions {
        let reproduce = ["privet-cluster", "anonymize"].map(str::to_owned).to_vec();
        let name = self.job.file_name().unwrap_or_default().to_string_lossy().into_owned();
        RunOptions {
            base: base_of(&self.job),
            reproduce: [reproduce, vec![name]].concat(),
            show_values: false,
        }
    }
}

impl Anonymize {
    fn run(self) -> Result<(), RunError> {
        let mut job = self.on.read()?;
        if let Some(output) = &self.output {
            job.output.folder = std::path::absolute(output).unwrap_or_else(|_| output.clone());
        }
        job.output.replace |= self.force;
        let summary = anonymize(&job, &self.on.options(), &Silent)?;
        if self.json {
            return print(&serde_json::to_string_pretty(&summary).unwrap_or_default());
        }
        print(&format!(
            "{}: {} of {} records in {} classes, the smallest of {}; {:.1} s",
            shown(&summary.release),
            summary.rows - summary.suppressed,
            summary.rows,
            summary.classes,
            summary.min_class_size,
            summary.seconds.total
        ))
    }
}

impl PlanJob {
    fn run(self) -> Result<(), RunError> {
        let job = self.on.read()?;
        let planned = plan(&job, &self.on.options(), &Silent)?;
        if self.json {
            return print(&serde_json::to_string_pretty(&planned).unwrap_or_default());
        }
        print(planned.to_string().trim_end())?;
        match self.explain {
            true => print(planned.explained.trim_end()),
            false => Ok(()),
        }
    }
}

impl Executor {
    fn run(self) -> Result<(), RunError> {
        let wrong = |problem: &str| EngineError::input(problem);
        let (host, port) =
            self.scheduler.rsplit_once(':').ok_or_else(|| wrong("--scheduler takes HOST:PORT"))?;
        let port = port.parse().map_err(|_| wrong("--scheduler takes HOST:PORT"))?;
        let memory_limit = match &self.memory_limit {
            Some(text) => {
                Some(parse_size(text).ok_or_else(|| wrong("--memory-limit takes a size such as 16GiB"))?)
            }
            None => None,
        };
        let available = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        executor(&ExecutorOptions {
            host: self.host,
            port: self.port,
            scheduler: (host.to_owned(), port),
            threads: self.threads.unwrap_or_else(available).max(1),
            memory_limit,
            folder: self.folder,
        })?;
        Ok(())
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// Prints a line. Whoever stops to listen has heard enough.
fn print(text: &str) -> Result<(), RunError> {
    use std::io::Write;
    match writeln!(std::io::stdout(), "{text}") {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(EngineError::resources("standard output cannot be written").into())
        }
        _ => Ok(()),
    }
}
