//! The verbs, and the flags they share.

mod anonymize;
mod answer;
mod assessment;
mod attack;
mod audit;
mod combine;
mod completions;
mod condense;
mod counts;
mod demo;
mod init;
mod judge;
mod ledger;
mod measure;
mod query;
mod query_text;
mod randomize;
mod reconstruct;
mod unfold;
mod verify;

use clap::{Args, Parser, Subcommand};

use crate::exit::Failure;
use crate::progress;

/// Publish data about people safely: anonymize a table, prove it from the published files, explain it.
#[derive(Debug, Parser)]
#[command(
    name = "privet",
    version,
    arg_required_else_help = true,
    before_help = "\
Examples:
  privet demo                         all of it, on a data set inside the program
  privet init patients.csv            write a first job file by looking at the data
  privet anonymize job.toml           make the release that the job file asks for
  privet verify release               check every promise again from the published files
  privet measure job.toml release     what it is still good for, and what its records risk
  privet attack release               what an adversary learns from it
  privet answer release \"select …\"    counts, sums and averages with their bounds
  privet query data.csv \"select …\"     noisy counts, sums, averages, quantiles; charged to a ledger
  privet ledger show data.csv         who spent which part of the privacy budget
  privet audit --epsilon 1            whether private answers keep what they claim; needs no data
  privet unfold release …             a release as values, for learners
  privet combine estimates.csv        estimates from several synthetic tables as one
  privet condense numbers.csv -k 20   synthetic records with the statistics of groups
  privet randomize survey.toml        records changed by chance, with the law of that chance
  privet reconstruct release          what perturbed columns were made of
  privet judge model.json             what a mechanism protects, before it is used

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
    /// Say nothing but errors
    #[arg(long, short, global = true)]
    quiet: bool,
    /// Print one JSON object on standard output instead of text
    #[arg(long, global = true)]
    json: bool,
    /// Use so many threads (default: all cores). The result does not depend on it
    #[arg(long, global = true, value_name = "N")]
    threads: Option<usize>,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Init(init::Init),
    Anonymize(anonymize::Anonymize),
    Verify(verify::Verify),
    Measure(measure::Measure),
    Attack(attack::Attack),
    Audit(audit::Audit),
    Answer(answer::Answer),
    Query(Box<query::Query>),
    Ledger(ledger::Ledger),
    Unfold(unfold::Unfold),
    Combine(combine::Combine),
    Condense(condense::Condense),
    Randomize(randomize::Randomize),
    Reconstruct(reconstruct::Reconstruct),
    Judge(judge::Judge),
    Demo(demo::Demo),
    Completions(completions::Completions),
}

/// More threads than any machine has use for, each with a stack of its own.
const MOST_THREADS: usize = 512;

/// Runs a verb and returns the exit code.
pub fn run(cli: Cli) -> Result<u8, Failure> {
    if let Some(threads) = cli.shared.threads {
        if !(1..=MOST_THREADS).contains(&threads) {
            return Err(Failure::bad_input(format!("--threads takes a number from 1 to {MOST_THREADS}")));
        }
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().map_err(Failure::resources)?;
    }
    progress::catch_interrupts();
    match cli.verb {
        Verb::Init(verb) => verb.run(&cli.shared),
        Verb::Anonymize(verb) => verb.run(&cli.shared),
        Verb::Verify(verb) => verb.run(&cli.shared),
        Verb::Measure(verb) => verb.run(&cli.shared),
        Verb::Attack(verb) => verb.run(&cli.shared),
        Verb::Audit(verb) => verb.run(&cli.shared),
        Verb::Answer(verb) => verb.run(&cli.shared),
        Verb::Query(verb) => verb.run(&cli.shared),
        Verb::Ledger(verb) => verb.run(&cli.shared),
        Verb::Unfold(verb) => verb.run(&cli.shared),
        Verb::Combine(verb) => verb.run(&cli.shared),
        Verb::Condense(verb) => verb.run(&cli.shared),
        Verb::Randomize(verb) => verb.run(&cli.shared),
        Verb::Reconstruct(verb) => verb.run(&cli.shared),
        Verb::Judge(verb) => verb.run(&cli.shared),
        Verb::Demo(verb) => verb.run(&cli.shared),
        Verb::Completions(verb) => verb.run(),
    }
}

/// Prints text that was asked for. A reader that went away has seen enough; a disk that is full has not taken it.
fn print(text: &str) -> Result<(), Failure> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{}", text.trim_end_matches('\n')).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(Failure::resources(format!(
            "what was asked for could not be written to standard output: {error}"
        ))),
        _ => Ok(()),
    }
}

/// Prints a value as JSON on one line.
fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
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

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!(super::grouped(0), "0");
        assert_eq!(super::grouped(1234567), "1,234,567");
    }
}
