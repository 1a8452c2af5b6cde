//! `privet attack`: what an adversary learns from a release.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use privet::assessments::AttackOptions;

use super::attack_ledger::AttackLedger;
use super::{Shared, assessment, print, print_json};
use crate::exit::{BAD_INPUT, DONE, Failure, REFUSED};
use crate::progress::Bar;

/// Attack a release with everything that an adversary is assumed to know, and tell who is exposed
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(before_help = "\
Examples:
  privet attack release
  privet attack release --original patients.csv --job job.toml
  privet attack release --knowledge knowledge.toml --original patients.csv --max-risk 0.05
  privet attack release --original job.toml --attacks homogeneity,definetti --report attacked.html
  privet attack synthetic.csv --original job.toml           a table of synthetic records
  privet attack perturbed --original patients.csv           what `privet randomize` wrote
  privet attack release --original graph.toml               a graph, with the job that made it
  privet attack ledger patients.csv --secret \"hiv = 'yes'\"   what answers about a table tell

The original only scores the conclusions of the adversary. Exit code 1 when an attack succeeds
against more people than --max-risk or --max-absolute-risk allows; exit code 2 when an attack that is asked for by name
cannot be made, or, with a limit, one that the knowledge file has what it needs for.")]
pub struct Attack {
    #[command(subcommand)]
    other: Option<OtherAttack>,
    /// The release folder, or a table of synthetic records. A folder called `ledger` is `./ledger`
    #[arg(required = true)]
    release: Option<PathBuf>,
    /// What the adversary knows (a TOML file). Without it: who is in the data, with their quasi columns
    #[arg(long, value_name = "FILE")]
    knowledge: Option<PathBuf>,
    /// The table that the release was made from, or its job file: to tell how often the adversary is right
    #[arg(long, value_name = "FILE")]
    original: Option<PathBuf>,
    /// The job file of the release, for its hierarchies, which are no secret
    #[arg(long, value_name = "FILE")]
    job: Option<PathBuf>,
    /// Set a key of the job, as it was set for `anonymize`; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// The attacks to make, separated by commas (default: all for which the adversary knows enough)
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    attacks: Option<Vec<String>>,
    /// How sure the adversary must be of a value for it to count as learned
    #[arg(long, value_name = "SHARE", default_value_t = 0.9)]
    confidence: f64,
    /// The limit for the share of people exposed because of the release: people about whom the adversary is sure and right, less
    /// those of the control; without a control, all of them
    #[arg(long, value_name = "SHARE")]
    max_risk: Option<f64>,
    /// The limit for the share of people about whom the adversary is sure and right, whatever the control
    #[arg(long, value_name = "SHARE")]
    max_absolute_risk: Option<f64>,
    /// The seed of attacks that draw at random
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write what each attack concludes about each person to this CSV, for the owner alone; an earlier one is replaced, no other file is
    #[arg(long, value_name = "FILE")]
    people: Option<PathBuf>,
    /// Write the owner's report to this HTML file; an earlier page is replaced, no other file is
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

/// What else can be attacked.
#[derive(Debug, Subcommand)]
enum OtherAttack {
    Ledger(Box<AttackLedger>),
}

impl Attack {
    /// Runs it.
    pub fn run(mut self, shared: &Shared) -> Result<u8, Failure> {
        if let Some(OtherAttack::Ledger(other)) = self.other.take() {
            return other.run(shared);
        }
        let release = self.release.take().unwrap_or_default();
        let folder = privet::PublishedFolder::at(release.clone());
        let bar = Bar::new(shared.quiet || shared.json);
        let options = AttackOptions {
            release,
            knowledge: self.knowledge,
            original: self.original,
            job: self.job,
            settings: self.set,
            attacks: self.attacks.map(|words| words.iter().map(|word| word.trim().to_owned()).collect()),
            confidence: self.confidence,
            max_risk: self.max_risk,
            max_absolute_risk: self.max_absolute_risk,
            seed: self.seed,
            people: self.people,
            report: self.report,
            manifest: None,
        };
        let assessed = folder.attack(&options, &bar)?;
        bar.clear();
        if shared.json {
            print_json(&assessed)?;
        } else if !shared.quiet {
            print(&assessment::attacks_of(&assessed))?;
        }
        // What was found stands either way; what is beyond the limit comes before what was not tried.
        let (message, code) = match (assessed.beyond_limit(), assessed.untried(&options)) {
            (Some(message), _) => (message, REFUSED),
            (None, Some(message)) => (message, BAD_INPUT),
            (None, None) => return Ok(DONE),
        };
        if !shared.json || code == BAD_INPUT {
            crate::progress::say_error(&Failure { code, message });
        }
        Ok(code)
    }
}
