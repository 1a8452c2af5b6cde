//! `privet measure`: what a release is still good for, and what its records risk.

use std::path::PathBuf;

use clap::Args;
use privet_job::assess::{self, MeasureOptions};

use super::{Shared, assessment, print, print_json};
use crate::exit::{DONE, Failure};
use crate::progress::Bar;

/// Compare a release with its original: what it is still good for, and what its records risk
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  privet measure job.toml release
  privet measure patients.csv release --job job.toml --report measured.html
  privet measure job.toml release --class diagnosis --risk-file risks.csv
  privet measure job.toml release --population-size 80000000
  privet measure train.toml release --class diagnosis --target cost --test apart.csv
  privet measure counts.toml counts")]
pub struct Measure {
    /// The table that the release was made from, or its job file
    original: PathBuf,
    /// The release folder
    release: PathBuf,
    /// The job file of the release, for its hierarchies
    #[arg(long, value_name = "FILE")]
    job: Option<PathBuf>,
    /// A column to be predicted from the others: classifiers learn it from the release and are tested on raw records
    #[arg(long, value_name = "COLUMN")]
    class: Option<String>,
    /// A column of numbers to be predicted from the others by linear regression
    #[arg(long, value_name = "COLUMN")]
    target: Option<String>,
    /// Records that the release was made without, to test on (the strict protocol)
    #[arg(long, value_name = "FILE")]
    test: Option<PathBuf>,
    /// How many random count queries to ask
    #[arg(long, value_name = "N", default_value_t = 200)]
    queries: usize,
    /// A table of the population that the data is about, for the risk that a journalist is
    #[arg(long, value_name = "FILE")]
    population: Option<PathBuf>,
    /// How many people the table is a random sample of: estimates how many of them are alone with their values
    #[arg(long, value_name = "N", conflicts_with = "population")]
    population_size: Option<u64>,
    /// Count the records that are found again with a larger chance than this (default: 0.2)
    #[arg(long, value_name = "SHARE")]
    risk_threshold: Option<f64>,
    /// The seed of everything that is drawn at random
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write what each record risks to this CSV, for the owner alone; an earlier one is replaced, no other file is
    #[arg(long, value_name = "FILE")]
    risk_file: Option<PathBuf>,
    /// Write the owner's report to this HTML file; an earlier page is replaced, no other file is
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

impl Measure {
    /// Runs it.
    pub fn run(self, shared: &Shared) -> Result<u8, Failure> {
        let bar = Bar::new(shared.quiet || shared.json);
        let options = MeasureOptions {
            original: self.original,
            release: self.release,
            job: self.job,
            class: self.class,
            target: self.target,
            test: self.test,
            queries: self.queries,
            seed: self.seed,
            population: self.population,
            population_size: self.population_size,
            risk_threshold: self.risk_threshold,
            risk_file: self.risk_file,
            report: self.report,
        };
        let assessed = assess::measure(&options, &bar)?;
        bar.clear();
        if shared.json {
            print_json(&assessed)?;
        } else if !shared.quiet {
            print(&assessment::measured(&assessed))?;
        }
        Ok(DONE)
    }
}
