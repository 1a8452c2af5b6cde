//! `privet anonymize`: make the release that a job file asks for.

use std::path::PathBuf;

use clap::Args;
use privet_job::{Job, RunOptions, Summary, base_of};

use super::{Shared, grouped, print, print_json};
use crate::exit::{DONE, Failure};
use crate::progress::Bar;

/// Make the release that a job file asks for
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  privet anonymize job.toml
  privet anonymize job.toml --force --json
  privet anonymize job.toml --set search.suppress-at-most=0.05 --output release-5-percent")]
pub struct Anonymize {
    /// The job file; `privet init` writes a first one
    job: PathBuf,
    /// Read this file instead of the one the job names (key input.path)
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// Write to this folder instead of the one the job names (key output.folder)
    #[arg(long, short, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Replace a release that is already there (key output.replace)
    #[arg(long)]
    force: bool,
    /// Set any key of the job, such as privacy.k-anonymity=10; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl Anonymize {
    /// Runs it.
    pub fn run(self, shared: &Shared) -> Result<u8, Failure> {
        let mut job = Job::read(&self.job, &self.set).map_err(Failure::bad_input)?;
        // Paths on the command line are relative to where it was typed, those in the file to the file.
        let here = std::env::current_dir().map_err(Failure::resources)?;
        if let Some(input) = &self.input {
            job.input.path = here.join(input);
        }
        if let Some(output) = &self.output {
            job.output.folder = here.join(output);
        }
        job.output.replace |= self.force;
        let summary = run(&job, &self.job, shared)?;
        if shared.json {
            print_json(&summary)?;
        } else if !shared.quiet {
            print(&describe(&summary));
        }
        Ok(DONE)
    }
}

/// Runs a job with progress on the terminal.
pub fn run(job: &Job, job_file: &std::path::Path, shared: &Shared) -> Result<Summary, Failure> {
    let name = job_file.file_name().unwrap_or_default().to_string_lossy();
    let options = RunOptions { base: base_of(job_file), reproduce: vec![format!("privet anonymize {name}")] };
    let bar = Bar::new(shared.quiet || shared.json);
    let result = privet_job::run(job, &options, &bar);
    bar.clear();
    let mut summary = result?;
    summary.release = tidy(&summary.release);
    Ok(summary)
}

/// `./release` as `release`.
pub fn tidy(path: &std::path::Path) -> PathBuf {
    path.strip_prefix(".").map_or_else(|_| path.to_owned(), PathBuf::from)
}

/// What was done, for a person.
pub fn describe(summary: &Summary) -> String {
    let levels: Vec<String> = summary.levels.iter().map(|(name, level)| format!("{name} {level}")).collect();
    format!(
        "Published {} of {} records in {} classes of at least {} ({} suppressed).\n\
         {} {:.4}, the least of {} candidates ({} looked at). Levels: {}.\n\
         {:.2} s: read {:.2}, search {:.2}, write {:.2}.\n\n\
         Release  {release}\n\
         Report   {}\n\
         Check it with: privet verify {release}",
        grouped(summary.rows - summary.suppressed),
        grouped(summary.rows),
        grouped(summary.classes),
        grouped(summary.min_class_size),
        grouped(summary.suppressed),
        capitalized(&summary.metric),
        summary.metrics.get(&summary.metric).copied().unwrap_or_default(),
        grouped(summary.lattice_nodes),
        grouped(summary.nodes_checked),
        levels.join(", "),
        summary.seconds.total,
        summary.seconds.read,
        summary.seconds.search,
        summary.seconds.write,
        summary.release.join("report.html").display(),
        release = summary.release.display(),
    )
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
