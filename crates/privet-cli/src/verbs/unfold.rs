//! `privet unfold`: a release as a table that any learner takes.

use std::path::{Path, PathBuf};

use clap::Args;
use privet_job::{UnfoldOptions, UnfoldSummary, unfold};
use privet_measure::answer::Unfolding;

use super::text_output::tell;
use super::{Shared, copy_to_standard_output, grouped, print, print_json};
use crate::exit::{DONE, Failure};
use crate::progress::Bar;

/// Write a release out for programs that learn from values and not from labels
///
/// Learners take 23 and not 20-29. Either every label becomes one of the values behind it, drawn evenly; or columns of
/// numbers, days and codes become two, with the lower and the upper end of their labels. Sensitive values of buckets are
/// dealt out at random within their bucket. What is written says no more than the release, and its values are nobody's.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  privet unfold release --leaf-sample -o sampled.csv
  privet unfold release --leaf-sample --seed 2 -o second.csv
  privet unfold release --ranges --job job.toml -o ranges.csv")]
#[command(group(clap::ArgGroup::new("how").required(true).args(["leaf_sample", "ranges"])))]
pub struct Unfold {
    /// The release folder
    release: PathBuf,
    /// Replace every label by one of the values behind it, drawn at random
    #[arg(long)]
    leaf_sample: bool,
    /// Replace columns of numbers, days and codes by two columns with the ends of their labels
    #[arg(long)]
    ranges: bool,
    /// Where to write the table: .csv, .parquet, .arrow or .xlsx; - is standard output, as CSV
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// The seed of everything that is drawn at random
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Use the hierarchies that this job file writes down or names. The input is not read
    #[arg(long, value_name = "FILE")]
    job: Option<PathBuf>,
    /// Replace the file when it is already there
    #[arg(long)]
    force: bool,
}

impl Unfold {
    /// Runs it.
    pub fn run(self, shared: &Shared) -> Result<u8, Failure> {
        let bar = Bar::new(shared.quiet || shared.json);
        let to_standard_output = self.output == Path::new("-");
        // Written whole first: what fails in the middle must not look like a table.
        let folder = to_standard_output.then(Scratch::new).transpose()?;
        let output = folder.as_ref().map_or(self.output, |folder| folder.0.join("table.csv"));
        let options = UnfoldOptions {
            release: self.release,
            how: if self.leaf_sample { Unfolding::Leaves } else { Unfolding::Ranges },
            seed: self.seed,
            job: self.job,
            output,
            force: self.force,
        };
        let summary = unfold(&options, &bar)?;
        bar.clear();
        if to_standard_output {
            copy_to_standard_output(&options.output)?;
            if !shared.quiet && !shared.json {
                tell(&describe(&summary, options.job.is_some()));
            }
        } else if shared.json {
            print_json(&summary)?;
        } else if !shared.quiet {
            print(&describe(&summary, options.job.is_some()))?;
        }
        Ok(DONE)
    }
}

/// A folder that goes when it is no longer needed.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self, Failure> {
        let path = std::env::temp_dir().join(format!("privet-unfold-{}", std::process::id()));
        std::fs::create_dir(&path).map_err(|error| Failure::io(&path, "cannot be made", &error))?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // why: what cannot be removed from the folder for temporary files is removed by the system
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn describe(summary: &UnfoldSummary, has_job: bool) -> String {
    let mut text =
        format!("Wrote {} records of {} columns.\n", grouped(summary.records), summary.columns.len());
    if !summary.unread.is_empty() {
        let hint =
            if has_job { "" } else { "; with --job, hierarchies that the job file writes down say more" };
        text.push_str(&format!(
            "Labels that cannot be read stay as they are in {}{hint}.\n",
            summary.unread.join(", ")
        ));
    }
    if !summary.open_ended.is_empty() {
        text.push_str(&format!(
            "Labels without an end on one side, such as >=90, became the end that they have in {}: nothing tells how far they reach.\n",
            summary.open_ended.join(", ")
        ));
    }
    text
}
