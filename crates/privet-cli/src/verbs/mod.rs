//! The verbs, and the flags they share.

mod anonymize;
mod answer;
mod apply;
mod assessment;
mod attack;
mod audit;
mod clean;
mod combine;
mod completions;
mod condense;
mod counts;
mod demo;
mod engine;
mod history;
mod init;
mod judge;
mod keys;
mod kinds;
mod ledger;
mod measure;
mod mine;
mod mine_patterns;
mod party;
mod query;
mod query_audited;
mod query_text;
mod randomize;
mod reconstruct;
mod seam;
mod serve;
mod text_output;
mod unfold;
mod verify;

use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Args, Parser, Subcommand, ValueEnum};
use privet_data::io::limit_input;
use privet_job::{ACCEPTED_SIZES, Input, parse_size};

use crate::exit::Failure;
use crate::progress;
use crate::terminal::printable;

/// Publish data about people safely: anonymize a table, prove it from the published files, explain it.
#[derive(Debug, Parser)]
#[command(
    name = "privet",
    version,
    arg_required_else_help = true,
    before_help = "\
Examples:
  privet demo                         everything at once, on generated data
  privet init patients.csv            write a first job file by looking at the data
  privet anonymize job.toml           make the release that the job file asks for
  privet apply home/recoding.json …   the same recoding on new rows, with every promise checked again
  privet verify release               check every promise again from the published files
  privet kinds                        other kinds of release: graphs, ratings, sets, traces, models
  privet keys publisher               keys to sign releases with, and to check that they are yours
  privet measure job.toml release     how useful the release is, and what risk its records have
  privet attack release               what an adversary learns from it
  privet answer release \"select …\"    counts, sums and averages with their bounds
  privet query data.csv \"select …\"     noisy counts, sums, averages, quantiles; charged to a ledger
  privet mine predict release …       predict with a published model; check it, link it, hide rules
  privet ledger show data.csv         who spent which part of the privacy budget
  privet history home                 what was published about the same people, and what was answered
  privet audit --epsilon 1            test whether private answers keep their promise; needs no data
  privet unfold release …             a release as values, for machine learning
  privet combine estimates.csv        estimates from several synthetic tables as one
  privet condense numbers.csv -k 20   synthetic records with the statistics of groups
  privet randomize survey.toml        randomized records with their noise model
  privet reconstruct release          estimates of perturbed columns, with errors
  privet judge model.json             what a mechanism protects, before you use it
  privet party demo                   several owners, one result, without showing records
  privet serve                        the page in the browser, on this machine
  privet plan job.toml                what will run where on an engine, for tables beyond memory
  privet clean releases               remove drafts of killed runs

Exit codes: 0 done, 1 a promise does not hold or an attack succeeds, 2 bad input or usage,
3 the privacy budget does not suffice, 4 resources."
)]
pub struct Cli {
    #[command(subcommand)]
    verb: Verb,
    #[command(flatten)]
    shared: Shared,
}

/// Flags of every verb.
#[derive(Debug, Clone, Args)]
pub struct Shared {
    /// Print errors only
    #[arg(long, short, global = true)]
    quiet: bool,
    /// Print one JSON object on standard output instead of text
    #[arg(long, global = true)]
    json: bool,
    /// Write a log to standard error as JSON, one object per line, for unattended jobs: stages, warnings, the end
    #[arg(long, global = true, value_name = "FORMAT")]
    log: Option<Log>,
    /// The number of threads (default: all cores). The result does not depend on it
    #[arg(long, global = true, value_name = "N")]
    threads: Option<usize>,
    /// Read tables of at most this decoded size, such as 8GB: four bytes per cell, and the distinct values (default: a quarter of
    /// the available memory)
    #[arg(long, global = true, value_name = "SIZE", value_parser = size)]
    max_input: Option<u64>,
}

/// How a log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Log {
    /// For people; the default.
    Text,
    /// One JSON object on a line.
    Json,
}

impl Cli {
    /// Whether one JSON object is asked for.
    pub fn is_json(&self) -> bool {
        self.shared.json
    }
}

impl Shared {
    /// Accepts as much of every table as a job does of its input, unless a flag says otherwise: a release is read back.
    fn accept(&self, job: &Input) {
        if let (Some(bytes), None) = (job.max_input(), self.max_input) {
            limit_input(bytes);
        }
    }
}

fn size(text: &str) -> Result<u64, String> {
    parse_size(text).ok_or_else(|| format!("must be {ACCEPTED_SIZES}"))
}

#[derive(Debug, Subcommand)]
enum Verb {
    Init(init::Init),
    Anonymize(anonymize::Anonymize),
    Apply(apply::Apply),
    Verify(verify::Verify),
    Keys(keys::Keys),
    Kinds(kinds::Kinds),
    Measure(measure::Measure),
    Mine(mine::Mine),
    Attack(attack::Attack),
    Audit(audit::Audit),
    Answer(answer::Answer),
    Query(Box<query::Query>),
    Ledger(ledger::Ledger),
    History(history::History),
    Unfold(unfold::Unfold),
    Combine(combine::Combine),
    Condense(condense::Condense),
    Randomize(randomize::Randomize),
    Reconstruct(reconstruct::Reconstruct),
    Judge(judge::Judge),
    Party(party::Party),
    Demo(demo::Demo),
    Clean(clean::Clean),
    Serve(serve::Serve),
    Plan(engine::Plan),
    Cluster(engine::Cluster),
    Completions(completions::Completions),
}

/// More threads than any machine has use for, each with a stack of its own.
const MOST_THREADS: usize = 512;

/// Runs a verb and returns the exit code.
pub fn run(cli: Cli) -> Result<u8, Failure> {
    if cli.shared.log == Some(Log::Json) {
        progress::begin_log();
    }
    if cli.shared.threads.is_some_and(|threads| !(1..=MOST_THREADS).contains(&threads)) {
        return Err(Failure::bad_input(format!("--threads takes a number from 1 to {MOST_THREADS}")));
    }
    // Now rather than when they are needed first: then a system that gives no thread would be a panic.
    rayon::ThreadPoolBuilder::new()
        .num_threads(cli.shared.threads.unwrap_or(0))
        .build_global()
        .map_err(|error| Failure::resources(format!("threads cannot be made: {error}; try --threads 1")))?;
    if let Some(bytes) = cli.shared.max_input {
        limit_input(bytes);
    }
    progress::catch_interrupts();
    match cli.verb {
        Verb::Init(verb) => verb.run(&cli.shared),
        Verb::Anonymize(verb) => verb.run(&cli.shared),
        Verb::Apply(verb) => verb.run(&cli.shared),
        Verb::Verify(verb) => verb.run(&cli.shared),
        Verb::Keys(verb) => verb.run(&cli.shared),
        Verb::Kinds(verb) => verb.run(&cli.shared),
        Verb::Measure(verb) => verb.run(&cli.shared),
        Verb::Mine(verb) => verb.run(&cli.shared),
        Verb::Attack(verb) => verb.run(&cli.shared),
        Verb::Audit(verb) => verb.run(&cli.shared),
        Verb::Answer(verb) => verb.run(&cli.shared),
        Verb::Query(verb) => verb.run(&cli.shared),
        Verb::Ledger(verb) => verb.run(&cli.shared),
        Verb::History(verb) => verb.run(&cli.shared),
        Verb::Unfold(verb) => verb.run(&cli.shared),
        Verb::Combine(verb) => verb.run(&cli.shared),
        Verb::Condense(verb) => verb.run(&cli.shared),
        Verb::Randomize(verb) => verb.run(&cli.shared),
        Verb::Reconstruct(verb) => verb.run(&cli.shared),
        Verb::Judge(verb) => verb.run(&cli.shared),
        Verb::Party(verb) => verb.run(&cli.shared),
        Verb::Demo(verb) => verb.run(&cli.shared),
        Verb::Clean(verb) => verb.run(&cli.shared),
        Verb::Serve(verb) => verb.run(&cli.shared),
        Verb::Plan(verb) => verb.run(&cli.shared),
        Verb::Cluster(verb) => verb.run(&cli.shared),
        Verb::Completions(verb) => verb.run(&cli.shared),
    }
}

/// Prints text that was asked for. A reader that went away has seen enough; a disk that is full has not taken it.
fn print(text: &str) -> Result<(), Failure> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{}", printable(text.trim_end_matches('\n'))).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(Failure::resources(format!(
            "what was asked for could not be written to standard output: {error}"
        ))),
        _ => Ok(()),
    }
}

/// Writes a finished file to standard output.
fn copy_to_standard_output(path: &std::path::Path) -> Result<(), Failure> {
    let mut file = std::fs::File::open(path).map_err(|error| Failure::io(path, "cannot be read", &error))?;
    let mut out = std::io::stdout().lock();
    match std::io::copy(&mut file, &mut out).and_then(|_| std::io::Write::flush(&mut out)) {
        // A reader that went away has seen enough.
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::io(path, "cannot be written to standard output", &error))
        }
        _ => Ok(()),
    }
}

/// Whether the one JSON object that is asked for was printed.
static HAS_PRINTED: AtomicBool = AtomicBool::new(false);

/// Prints a failure as the JSON object that is asked for, unless one was printed: a gate that says no tells why in its own.
pub fn print_failure(failure: &Failure) {
    if HAS_PRINTED.load(Ordering::Relaxed) {
        return;
    }
    let error = serde_json::json!({
        "code": failure.code,
        "kind": crate::exit::word(failure.code),
        "message": failure.message,
    });
    // why: the exit code and standard error still say it
    let _ = print_json(&serde_json::json!({ "error": error }));
}

/// Prints a value as JSON on one line.
fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    HAS_PRINTED.store(true, Ordering::Relaxed);
    print(&serde_json::to_string(value).map_err(Failure::resources)?)
}

/// A number with its thousands set apart.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        super::Cli::command().debug_assert();
    }

    /// One set of flags: what a flag is called and how it is written for short is the same in every verb.
    #[test]
    fn flags_are_alike_in_all_verbs() {
        fn check(command: &clap::Command, path: &str) {
            let shorts = [("output", Some('o'))];
            for argument in command.get_arguments() {
                for (long, short) in shorts.iter().filter(|(long, _)| argument.get_long() == Some(*long)) {
                    assert_eq!(argument.get_short(), *short, "{path} --{long}");
                }
            }
            for verb in command.get_subcommands() {
                check(verb, &format!("{path} {}", verb.get_name()));
            }
        }
        let command = super::Cli::command();
        check(&command, "privet");
        for verb in ["attack", "measure"] {
            let own = command.find_subcommand(verb).unwrap();
            for long in ["original", "job", "set", "report"] {
                assert!(
                    own.get_arguments().any(|argument| argument.get_long() == Some(long)),
                    "{verb} --{long}"
                );
            }
            assert_eq!(own.get_positionals().count(), 1, "{verb} takes the release");
        }
    }

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!(super::grouped(0), "0");
        assert_eq!(super::grouped(1234567), "1,234,567");
    }
}
