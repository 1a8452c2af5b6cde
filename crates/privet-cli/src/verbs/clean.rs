//! `privet clean`: remove what killed runs left behind.

use std::path::PathBuf;

use clap::Args;
use privet_release::{Fate, clean};

use super::{Shared, print, print_json};
use crate::exit::{DONE, Failure, RESOURCES};

/// Remove drafts of releases that killed runs left behind
///
/// A run that is killed leaves its draft beside the release, as .NAME.partial-…, which only its owner can read. The next run
/// for the same release removes it; this removes all drafts in a folder. Only what is certainly a draft of privet, and whose
/// process is certainly gone, is removed. A release that a killed run had moved aside gets its name again.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  privet clean
  privet clean releases --dry-run")]
pub struct Clean {
    /// The folder that releases are written to
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// Tell what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
}

impl Clean {
    /// Runs it.
    pub fn run(self, shared: &Shared) -> Result<u8, Failure> {
        let found = clean(&self.folder, self.dry_run)
            .map_err(|error| Failure::io(&self.folder, "cannot be read", &error))?;
        let failed = found.iter().any(|(_, fate)| *fate == Fate::Failed);
        if shared.json {
            let list: Vec<_> = found
                .iter()
                .map(
                    |(path, fate)| serde_json::json!({ "path": path.to_string_lossy(), "fate": word(*fate) }),
                )
                .collect();
            print_json(&serde_json::json!({ "dry_run": self.dry_run, "found": list }))?;
        } else if !shared.quiet {
            let line = |(path, fate): &(PathBuf, Fate)| format!("{:9} {}\n", word(*fate), path.display());
            let text: String = found.iter().map(line).collect();
            print(if text.is_empty() { "Nothing was left behind here." } else { &text })?;
        }
        Ok(if failed { RESOURCES } else { DONE })
    }
}

fn word(fate: Fate) -> &'static str {
    match fate {
        Fate::Removed => "removed",
        Fate::Restored => "restored",
        Fate::InUse => "in use",
        Fate::Foreign => "foreign",
        Fate::Failed => "failed",
    }
}
