//! `privet keys`: a pair of keys that signs releases and checks signatures.

use std::path::PathBuf;

use clap::Args;
use privet_release::{KeyError, make_keys};

use super::{Shared, print, print_json};
use crate::exit::{DONE, Failure};

/// Make a pair of keys: one to sign releases with, and one for readers to check that they are yours
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  privet keys publisher               makes publisher.key (keep it secret) and publisher.pub (give it away)
  privet anonymize job.toml --set output.sign=publisher.key
  privet verify release --key publisher.pub")]
pub struct Keys {
    /// Where to put them: NAME.key and NAME.pub. Keys are never overwritten
    #[arg(value_name = "NAME", default_value = "publisher")]
    name: PathBuf,
}

impl Keys {
    /// Runs it.
    pub fn run(self, shared: &Shared) -> Result<u8, Failure> {
        let made = make_keys(&self.name).map_err(|error| match error {
            KeyError::Exists(_) => Failure::bad_input(error),
            other => Failure::resources(other),
        })?;
        if shared.json {
            print_json(&serde_json::json!({
                "private": made.private,
                "public": made.public,
                "fingerprint": made.fingerprint,
            }))?;
        } else if !shared.quiet {
            print(&format!(
                "Private key: {}  (signs releases: keep it, and let nobody else read it)\n\
                 Public key:  {}  (give it to readers, by another way than your releases)\n\
                 Fingerprint: {}\n\n\
                 Sign:   privet anonymize job.toml --set output.sign={}\n\
                 Check:  privet verify release --key {}",
                made.private.display(),
                made.public.display(),
                made.fingerprint,
                made.private.display(),
                made.public.display(),
            ))?;
        }
        Ok(DONE)
    }
}
