//! `privet-cluster`: jobs on tables that are larger than memory or than one machine, and the cluster that runs them.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use privet_data::Progress;
use privet_dp::DpError;
use privet_dp::ledger::LedgerError;
#[cfg(feature = "cluster")]
use privet_engine::program::ClusterVerb;
use privet_engine::program::{EngineFlags, PlanFlags, read_job};
use privet_engine::{CountQuestion, PrivateError, anonymize, private_counts};
use privet_job::engine::EngineError;
use privet_job::{Job, Outcome, RunError, RunOptions, base_of, reproducing_flags};

/// Jobs on tables that are larger than memory or than one machine
#[derive(Debug, Parser)]
#[command(name = "privet-cluster", version, arg_required_else_help = true)]
struct Program {
    #[command(subcommand)]
    verb: Verb,
    /// Use so many threads (default: all cores). The result does not depend on it
    #[arg(long, global = true, value_name = "N")]
    threads: Option<usize>,
    /// Print one JSON object on standard output instead of text
    #[arg(long, global = true)]
    json: bool,
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
    Plan(PlanFlags),
    /// Ask for private counts by groups; the charge goes to a ledger
    #[command(before_help = "\
Examples:
  privet-cluster count job.toml --by sex,region --person patient_id --most 3 --epsilon 0.1 --ledger patients.ledger")]
    Count(Count),
    #[cfg(feature = "cluster")]
    #[command(flatten)]
    Cluster(ClusterVerb),
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
}

/// The job, and what it runs on.
#[derive(Debug, Args)]
struct On {
    /// The job file
    job: PathBuf,
    #[command(flatten)]
    engine: EngineFlags,
    /// Set any key of the job, such as privacy.k-anonymity=10; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
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

/// What ended a run: a message and an exit code.
struct Failure(String, u8);

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        Self(error.to_string(), code_of(error.outcome()))
    }
}

impl From<PrivateError> for Failure {
    fn from(error: PrivateError) -> Self {
        match error {
            PrivateError::Run(error) => error.into(),
            PrivateError::Dp(error @ DpError::Ledger(LedgerError::Insufficient { .. })) => {
                Self(error.to_string(), 3)
            }
            PrivateError::Dp(error) => Self(error.to_string(), 2),
        }
    }
}

/// Whether the person asked to stop.
static IS_STOPPING: AtomicBool = AtomicBool::new(false);

/// Ends a job where it leaves nothing behind.
struct Interrupts;

/// What a job has to stop by itself.
const GRACE: Duration = Duration::from_millis(600);

/// Whether the process is ending, whatever its job does.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

impl Interrupts {
    /// From now on Ctrl-C, SIGTERM and SIGHUP ask the job to stop. One that does not answer is ended, and what it was writing is
    /// removed; a second signal does that at once.
    fn caught() -> Self {
        // why: without a handler the process ends at once, and `privet clean` removes what is left
        let _ = ctrlc::set_handler(|| {
            if IS_STOPPING.swap(true, Ordering::SeqCst) {
                end();
            }
            // why: without such a thread the job is asked, and a second signal ends it
            let _ = std::thread::Builder::new().name("stop".into()).spawn(|| {
                std::thread::sleep(GRACE);
                end();
            });
        });
        Self
    }
}

/// Ends the process, and removes what it was writing.
fn end() {
    if !IS_ENDING.swap(true, Ordering::SeqCst) {
        privet_release::stop::end();
        eprintln!("privet-cluster: stopped on request");
        std::process::exit(i32::from(code_of(Outcome::Stopped)));
    }
}

impl Progress for Interrupts {
    fn stage(&self, _name: &str, _total: Option<u64>) {}

    fn at(&self, _done: u64) {}

    fn cancelled(&self) -> bool {
        IS_STOPPING.load(Ordering::Relaxed)
    }
}

fn main() -> ExitCode {
    let Program { verb, threads, json } = Program::parse();
    let ran = match verb {
        Verb::Anonymize(own) => own.run(threads, json),
        Verb::Plan(own) => match own.text(threads, json, &Interrupts::caught()) {
            Ok(text) => print(&text),
            Err(error) => Err(error.into()),
        },
        Verb::Count(own) => own.run(threads, json),
        #[cfg(feature = "cluster")]
        Verb::Cluster(own) => own.run(threads).map_err(Failure::from),
    };
    // What a job comes to while the process ends is not its own doing.
    while IS_ENDING.load(Ordering::SeqCst) {
        std::thread::sleep(GRACE);
    }
    match ran {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(message, code)) => {
            eprintln!("privet-cluster: {message}");
            ExitCode::from(code)
        }
    }
}

impl On {
    fn read(&self, threads: Option<usize>) -> Result<Job, RunError> {
        read_job(&self.job, &self.set, &self.engine, threads)
    }

    /// The command that makes the release again is that of `privet`: which engine did it shows nowhere.
    fn options(&self) -> RunOptions {
        let name = self.job.file_name().unwrap_or_default().to_string_lossy();
        let reproduce = format!("privet anonymize {name}{}", reproducing_flags(&self.set));
        RunOptions { base: base_of(&self.job), reproduce: vec![reproduce], show_values: false }
    }
}

impl Anonymize {
    fn run(self, threads: Option<usize>, json: bool) -> Result<(), Failure> {
        let mut job = self.on.read(threads)?;
        if let Some(output) = &self.output {
            job.output.folder = std::path::absolute(output).unwrap_or_else(|_| output.clone());
        }
        job.output.replace |= self.force;
        let summary = anonymize(&job, &self.on.options(), &Interrupts::caught())?;
        if json {
            return print(&serde_json::to_string(&summary).unwrap_or_default());
        }
        print(&format!(
            "{}: {} of {} records in {} classes, the smallest of {}; {:.1} s",
            summary.release.display(),
            summary.rows - summary.suppressed,
            summary.rows,
            summary.classes,
            summary.min_class_size,
            summary.seconds.total
        ))
    }
}

impl Count {
    fn run(self, threads: Option<usize>, json: bool) -> Result<(), Failure> {
        let job = self.on.read(threads)?;
        let question = CountQuestion {
            by: self.by,
            person: self.person,
            most: self.most,
            epsilon: self.epsilon,
            account: self.account,
            analyst: self.analyst,
        };
        let answer =
            private_counts(&job, &self.on.options(), &self.ledger, &question, &Interrupts::caught())?;
        if json {
            return print(&serde_json::to_string(&answer).unwrap_or_default());
        }
        for (values, count) in &answer.groups {
            print(&format!("{}\t{count}", values.join("\t")))?;
        }
        print(&format!(
            "19 of 20 counts are at most {:.0} from the truth; {} of the budget is left",
            answer.half_width_95, answer.remaining
        ))
    }
}

/// Prints a line. A reader that went away has seen enough.
fn print(text: &str) -> Result<(), Failure> {
    use std::io::Write;
    match writeln!(std::io::stdout(), "{}", text.trim_end()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(RunError::from(EngineError::resources("standard output cannot be written")).into())
        }
        _ => Ok(()),
    }
}
