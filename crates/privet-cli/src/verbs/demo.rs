//! `privet demo`: the main job, on a data set that the program makes itself.

use std::path::PathBuf;

use clap::Args;
use privet_init::demo::{self, DemoError};
use privet_job::Job;
use privet_release::VerifyOptions;

use super::{Shared, anonymize, grouped, print, print_json, seam};
use crate::exit::{DONE, Failure, REFUSED};

/// Make a hospital's admissions, anonymize them, verify the release and show where the report is
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  privet demo
  privet demo --shape graph --folder graph-demo
  privet demo --folder /tmp/demo --rows 100000 --seed 7")]
pub struct Demo {
    /// Where to put everything; files of an earlier demo are replaced, others never
    #[arg(long, value_name = "FOLDER", default_value = "privet-demo")]
    folder: PathBuf,
    /// How many admissions to make
    #[arg(long, default_value_t = 20_000)]
    rows: usize,
    /// Tell the story of another shape of data: naive pseudonyms are broken, the release is not
    #[arg(long, value_name = "SHAPE")]
    shape: Option<String>,
    /// The same seed gives the same people
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Demo {
    /// Runs it.
    pub fn run(self, shared: &Shared) -> Result<u8, Failure> {
        if let Some(shape) = &self.shape {
            return seam::demo(shape, &self.folder, shared);
        }
        if self.rows == 0 || self.rows > 100_000_000 {
            return Err(Failure::bad_input("--rows takes a number from 1 to 100000000"));
        }
        let files = demo::write_demo(&self.folder, self.rows, self.seed).map_err(|error| match error {
            DemoError::NotOurs(_) => Failure::bad_input(error),
            error => Failure::resources(format!("{}: {error}", self.folder.display())),
        })?;
        if !shared.quiet && !shared.json {
            print(&format!(
                "Made {} admissions of a hospital that does not exist: {}\nThe job, with comments: {}\n",
                grouped(self.rows as u64),
                files.data.display(),
                files.job.display(),
            ))?;
        }
        let mut job = Job::read(&files.job, &[]).map_err(Failure::bad_input)?;
        job.output.replace = true;
        // What the owner learns: in a folder of its own, beside the release.
        job.output.home = Some("owner".into());
        let summary = anonymize::run(&job, &files.job, "", shared)?;
        let verdict =
            privet_job::verify(&summary.release, VerifyOptions::default()).map_err(Failure::resources)?;
        if shared.json {
            print_json(&serde_json::json!({ "summary": summary, "verified": verdict.holds() }))?;
        } else if !shared.quiet {
            print(&anonymize::describe(&summary))?;
            for failure in verdict.failures() {
                print(&format!("FAIL  {}: {}", failure.name, failure.detail))?;
            }
            if verdict.holds() {
                print(&format!(
                    "\nVerified: all {} checks hold. Open the reports in a browser; what an adversary learns with more knowledge:\n\
                     privet attack {release} --original {job}",
                    verdict.checks.len(),
                    release = summary.release.display(),
                    job = files.job.display(),
                ))?;
            }
        }
        Ok(if verdict.holds() { DONE } else { REFUSED })
    }
}
