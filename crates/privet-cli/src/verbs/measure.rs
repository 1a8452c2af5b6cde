//! `privet measure`: what a release is still good for, and what its records risk.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};
use privet_job::assess::{self, MeasureOptions};
use privet_release::ManifestFile;

use super::{Shared, assessment, print, print_json, seam};
use crate::exit::{DONE, Failure};
use crate::progress::Bar;

/// So many random queries say enough.
const RANDOM: usize = 200;

/// Compare a release with its original: what it is still good for, and what its records risk
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  privet measure release --original job.toml
  privet measure release --original patients.csv --job job.toml --report measured.html
  privet measure release --original job.toml --class diagnosis --risk-file risks.csv
  privet measure release --original job.toml --population-size 80000000
  privet measure release --original job.toml --queries questions.sql
  privet measure release --original train.toml --class diagnosis --target cost --test apart.csv
  privet measure counts --original counts.toml

`privet measure job.toml release`, the original first and without a flag, means the same.")]
pub struct Measure {
    /// The release folder
    #[arg(value_name = "RELEASE", num_args = 1..=2, required = true)]
    places: Vec<PathBuf>,
    /// The table that the release was made from, or its job file
    #[arg(long, value_name = "FILE")]
    original: Option<PathBuf>,
    /// The job file of the release, for its hierarchies
    #[arg(long, value_name = "FILE")]
    job: Option<PathBuf>,
    /// Set a key of the job, as it was set for `anonymize`; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// A column to be predicted from the others: classifiers learn it from the release and are tested on raw records. May be given
    /// several times, for each column by itself
    #[arg(long, value_name = "COLUMN")]
    class: Vec<String>,
    /// A column of numbers to be predicted from the others by linear regression. May be given several times
    #[arg(long, value_name = "COLUMN")]
    target: Vec<String>,
    /// Records that the release was made without, to test on (the strict protocol)
    #[arg(long, value_name = "FILE")]
    test: Option<PathBuf>,
    /// How many random count queries to ask (default: 200); or a file with questions of your own, one a line, as `privet answer`
    /// takes them, of which the true answers are told too. May be given once each
    #[arg(long, value_name = "N|FILE", value_parser = OsStringValueParser::new().map(Queries::of))]
    queries: Vec<Queries>,
    /// A table of the population, for the risk from an adversary who does not know who is in the data (journalist)
    #[arg(long, value_name = "FILE")]
    population: Option<PathBuf>,
    /// How many people the table is a random sample of: estimates how many of them are unique
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

/// What `--queries` asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Queries {
    /// So many random ones.
    Random(usize),
    /// Those of a file.
    Of(PathBuf),
}

impl Queries {
    /// Digits are a number; `./200` is a file of that name.
    fn of(text: OsString) -> Self {
        match text.to_str() {
            Some(digits) if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                // What is beyond any number is refused with its like.
                Queries::Random(digits.parse().unwrap_or(usize::MAX))
            }
            _ => Queries::Of(text.into()),
        }
    }

    /// The number and the file.
    fn both(all: Vec<Self>) -> Result<(usize, Option<PathBuf>), Failure> {
        let (mut number, mut file) = (None, None);
        for own in all {
            let is_second = match own {
                Queries::Random(own) => number.replace(own).is_some(),
                Queries::Of(own) => file.replace(own).is_some(),
            };
            if is_second {
                let message = "--queries takes one number and one file; put all questions into one file";
                return Err(Failure::bad_input(message));
            }
        }
        Ok((number.unwrap_or(RANDOM), file))
    }
}

/// The original and the release: by flag, or one after the other.
fn sides(places: Vec<PathBuf>, original: Option<PathBuf>) -> Result<(PathBuf, PathBuf), Failure> {
    match (<[PathBuf; 2]>::try_from(places), original) {
        (Ok([original, release]), None) => Ok((original, release)),
        (Ok(_), Some(_)) => {
            Err(Failure::bad_input("name the original once: before the release, or with --original"))
        }
        (Err(places), Some(original)) => match <[PathBuf; 1]>::try_from(places) {
            Ok([release]) => Ok((original, release)),
            Err(_) => Err(Failure::bad_input("name the release folder")),
        },
        (Err(_), None) => Err(Failure::bad_input(
            "name what the release was made from too: --original FILE, the table or the job file",
        )),
    }
}

impl Measure {
    /// Runs it.
    pub fn run(self, shared: &Shared) -> Result<u8, Failure> {
        let (original, release) = sides(self.places, self.original)?;
        if ManifestFile::read(&release).is_ok_and(|manifest| privet::is_on_seam(&manifest)) {
            if !self.set.is_empty() {
                return Err(Failure::bad_input("--set is for releases of records; change the job file here"));
            }
            return seam::measure(&original, &release, self.report.as_deref(), shared);
        }
        let (queries, workload) = Queries::both(self.queries)?;
        let bar = Bar::new(shared.quiet || shared.json);
        let options = MeasureOptions {
            original,
            release,
            job: self.job,
            settings: self.set,
            class: self.class,
            target: self.target,
            test: self.test,
            queries,
            workload,
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
