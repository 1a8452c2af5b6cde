//! `privet verify`: check every promise of a release again from its published files.

use std::path::PathBuf;

use clap::Args;
use privet_job::ran_out;
use privet_release::{PublicKey, VerifyError, VerifyOptions};

use super::{Shared, print, print_json};
use crate::exit::{DONE, Failure, REFUSED, STOPPED};
use crate::progress::Bar;

/// Check every promise of a release again, from its published files alone
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  privet verify release
  privet verify release --key publisher.pub
  privet verify release --population voters.csv
  privet verify release --quiet && publish release")]
pub struct Verify {
    /// The release folder
    folder: PathBuf,
    /// The population table that promises about presence and k-map rest on
    #[arg(long, value_name = "FILE")]
    population: Option<PathBuf>,
    /// The public key of the publisher: a release that it did not sign fails
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
}

impl Verify {
    /// Runs it.
    pub fn run(self, shared: &Shared) -> Result<u8, Failure> {
        let bar = Bar::new(shared.quiet || shared.json);
        let key = self.key.as_deref().map(PublicKey::read).transpose().map_err(Failure::bad_input)?;
        let options = VerifyOptions {
            population: self.population.as_deref(),
            key: key.as_ref(),
            progress: &bar,
            ..VerifyOptions::default()
        };
        let verdict = privet::verify(&self.folder, options).map_err(|error| match error {
            VerifyError::Cancelled => Failure { code: STOPPED, message: error.to_string() },
            VerifyError::TooLarge { .. } => Failure::resources(error),
            VerifyError::Io { ref source, .. } if ran_out(source) => Failure::resources(error),
            other => Failure::bad_input(other),
        })?;
        bar.clear();
        let holds = verdict.holds();
        if shared.json {
            print_json(&serde_json::json!({
                "holds": holds,
                "signed": key.as_ref().map(|_| verdict.is_signed()),
                "checks": verdict.checks,
                "on_trust": verdict.on_trust,
            }))?;
        } else {
            let mut text = String::new();
            for check in &verdict.checks {
                if shared.quiet && check.ok {
                    continue;
                }
                let mark = if check.ok { "ok  " } else { "FAIL" };
                text.push_str(&format!("{mark}  {}: {}\n", check.name, check.detail));
            }
            if !shared.quiet && holds && !verdict.on_trust.is_empty() {
                text.push_str("\nStated by the publisher; the release cannot prove it:\n");
                for own in &verdict.on_trust {
                    text.push_str(&format!("  {}: {}\n", own.what, own.why));
                }
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
