//! Releases whose manifest has a layout of its own, until they move to the seam of kinds: what each verb does with a folder of each.
//!
//! Which layout a folder has is looked up here, once per verb, and nowhere else. A manifest that names a layout and does not have it was
//! damaged, and is reported as that.

mod changed;
mod counts;
mod noise;
mod records;

use std::path::Path;

use privet_data::Progress;
use privet_measure::answer::Question;
use privet_release::{Check, PublishedError, manifest_at};
use privet_report::Assessment;

use crate::answer::{AskError, Asked, Spread};
use crate::assess::{AttackOptions, MeasureOptions};
use crate::error::{JobError, RunError};

/// What verbs do with a folder of one layout.
pub(crate) trait Layout {
    /// Attacks it.
    fn attack(&self, options: &AttackOptions, progress: &dyn Progress) -> Result<Assessment, RunError>;

    /// Measures it; the options were checked.
    fn measure(&self, options: &MeasureOptions, progress: &dyn Progress) -> Result<Assessment, RunError>;

    /// Answers a question.
    fn answer(
        &self,
        folder: &Path,
        question: &Question,
        job: Option<&Path>,
        spread: Spread,
        progress: &dyn Progress,
    ) -> Result<Asked, AskError>;

    /// Refuses to be written out as records where it has none.
    fn check_unfolds(&self, _release: &Path) -> Result<(), JobError> {
        Ok(())
    }

    /// What this program knows of releases of its own making beyond what the referee checks.
    fn verify(&self, folder: &Path, progress: &dyn Progress) -> Vec<Check>;
}

/// Reads a manifest of one layout; `None` when it is of another.
type Reader = fn(&Path, &str, &[u8]) -> Result<Option<Box<dyn Layout>>, PublishedError>;

/// The layouts with a kind of their own.
const LAYOUTS: [Reader; 3] = [counts::read, changed::read, noise::read];

/// The layout of a folder. What names no kind is taken for records, whose reader says what is wrong with it.
pub(crate) fn of(folder: &Path) -> Result<Box<dyn Layout>, PublishedError> {
    let Ok(bytes) = manifest_at(folder) else { return Ok(records::unread()) };
    let Some(kind) = privet_release::kind_of(&bytes) else { return Ok(records::unread()) };
    for read in LAYOUTS {
        if let Some(layout) = read(folder, &kind, &bytes)? {
            return Ok(layout);
        }
    }
    Ok(records::of(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_manifest_is_reported_as_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let found = |manifest: &str| {
            std::fs::write(folder.path().join("manifest.json"), manifest).unwrap();
            of(folder.path()).err()
        };
        for kind in ["counts", "perturbed"] {
            let damaged = found(&format!("{{\"format\": 1, \"kind\": \"{kind}\"}}"));
            assert!(matches!(damaged, Some(PublishedError::Manifest { .. })), "{kind}: {damaged:?}");
        }
        // The reader of records says what is wrong with what names no kind.
        assert!(found("{\"format\": 1}").is_none() && found("no json").is_none());
    }
}
