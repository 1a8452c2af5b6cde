//! `privet apply`: the recoding of an earlier release on new rows.

use std::path::{Path, PathBuf};

use clap::Args;
use privet_job::{ApplyOptions, Recoding, spare_job};

use super::anonymize::{describe, run_job};
use super::{Shared, print, print_json};
use crate::exit::{DONE, Failure};
use crate::progress::warn;

/// Publish new rows with the recoding of an earlier release
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  privet apply home/recoding.json new.csv
  privet apply home/recoding.json 2026.csv --output release-2026 --home home-2026
  privet apply home/recoding.json new.csv --set search.suppress-at-most=0.05

The recoding is the file that `privet anonymize` writes to the owner's folder (--home). Every promise of its job is
judged again on the new rows, and the gate attacks what comes out; where a promise no longer holds, nothing is written.")]
pub struct Apply {
    /// The recoding: recoding.json of the owner's folder
    recoding: PathBuf,
    /// The new rows
    input: PathBuf,
    /// Write to this folder
    #[arg(long, short, value_name = "FOLDER", default_value = "release-of-new-rows")]
    output: PathBuf,
    /// Write what measuring and attacking found to this folder, for the owner alone
    #[arg(long, value_name = "FOLDER")]
    home: Option<PathBuf>,
    /// Replace a release that is already there
    #[arg(long)]
    force: bool,
    /// Set any key of the job, such as search.suppress-at-most=0.05; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl Apply {
    /// Runs it.
    pub fn run(self, shared: &Shared) -> Result<u8, Failure> {
        // Paths on the command line are relative to where it was typed.
        let here = std::env::current_dir().map_err(Failure::resources)?;
        let recoding = Recoding::read(&self.recoding).map_err(Failure::bad_input)?;
        spare_job(&self.recoding, &here.join(&self.output)).map_err(Failure::bad_input)?;
        let options = ApplyOptions {
            input: here.join(&self.input),
            output: here.join(&self.output),
            home: self.home.as_ref().map(|home| here.join(home)),
            replace: self.force,
            settings: self.set,
        };
        let home = here.join(&self.recoding).parent().map_or(here.clone(), Path::to_owned);
        let (job, base) = recoding.job(&home, options).map_err(Failure::bad_input)?;
        let name = self.input.file_name().unwrap_or_default().to_string_lossy();
        let reproduce = format!("privet apply recoding.json {name}");
        let mut summary = run_job(&job, base, reproduce, false, shared)?;
        summary.release = self.output;
        if !shared.quiet {
            summary.written.iter().for_each(|note| warn(note));
        }
        if shared.json {
            print_json(&summary)?;
        } else if !shared.quiet {
            print(&describe(&summary))?;
        }
        Ok(DONE)
    }
}
