//! `privet verify`: check every promise of a release again from its published files.

use std::path::PathBuf;

use clap::Args;
use privet_release::{VerifyError, VerifyOptions};

use super::{Shared, print, print_json};
use crate::exit::{DONE, Failure, REFUSED, STOPPED};
use crate::progress::Bar;

/// Check every promise of a release again, from its published files alone
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  privet verify release
  privet verify release --population voters.csv
  privet verify release --quiet && publish release")]
pub struct Verify {
    /// The release folder
    folder: PathBuf,
    /// The population table that promises about presence and k-map rest on
    #[arg(long, value_name = "FILE")]
    population: Option<PathBuf>,
}

impl Verify {
    /// Runs it.
    pub fn run(self, shared: &Shared) -> Result<u8, Failure> {
        let bar = Bar::new(shared.quiet || shared.json);
        let options = VerifyOptions { population: self.population.as_deref(), progress: &bar };
        let verdict = privet_release::verify(&self.folder, options).map_err(|error| match error {
            VerifyError::Cancelled => Failure { code: STOPPED, message: error.to_string() },
            other => Failure::bad_input(other),
        })?;
        bar.clear();
        let holds = verdict.holds();
        if shared.json {
            print_json(&serde_json::json!({ "holds": holds, "checks": verdict.checks }))?;
        } else {
            let mut text = String::new();
            for check in &verdict.checks {
                if shared.quiet && check.ok {
                    continue;
                }
                let mark = if check.ok { "ok  " } else { "FAIL" };
                text.push_str(&format!("{mark}  {}: {}\n", check.name, check.detail));
            }
            if !shared.quiet {
                text.push_str(match (holds, verdict.checks.iter().any(|check| check.bounded)) {
                    (false, _) => "\nThis release must not be trusted.\n",
                    (true, _) if !verdict.promises() => {
                        "\nEverything that can be checked is well. This release promises no formal privacy.\n"
                    }
                    (true, false) => "\nEvery promise holds.\n",
                    (true, true) => "\nEvery promise holds, as far as the published files can show.\n",
                });
            }
            if !text.is_empty() {
                print(&text)?;
            }
        }
        Ok(if holds { DONE } else { REFUSED })
    }
}
