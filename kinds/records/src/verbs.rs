//! Releases of records: generalized, or in buckets.

use std::path::Path;

use privet_data::Progress;
use privet_measure::answer::Question;
use privet_release::{Check, Manifest, ManifestFile};
use privet_report::Assessment;

use crate::answer::{AskError, Asked, Opened, Spread};
use crate::assess::{AttackOptions, MeasureOptions, attack_records, measure_records};
use crate::error::RunError;
use crate::layouts::Layout;
use crate::search::guarantees;

struct Records(Option<Box<Manifest>>);

/// What was not read: its reader says why.
pub fn unread() -> Box<dyn Layout> {
    Box::new(Records(None))
}

/// The layout of a manifest.
pub fn of(bytes: &[u8]) -> Box<dyn Layout> {
    Box::new(Records(Manifest::parse(bytes).ok().map(Box::new)))
}

impl Layout for Records {
    fn attack(&self, options: &AttackOptions, progress: &dyn Progress) -> Result<Assessment, RunError> {
        attack_records(options, progress)
    }

    fn measure(&self, options: &MeasureOptions, progress: &dyn Progress) -> Result<Assessment, RunError> {
        measure_records(options, progress)
    }

    fn answer(
        &self,
        folder: &Path,
        question: &Question,
        job: Option<&Path>,
        spread: Spread,
        progress: &dyn Progress,
    ) -> Result<Asked, AskError> {
        Opened::open(folder, job, progress)?.answer(question, spread)
    }

    /// Whether a search says of itself what it says of itself everywhere.
    fn verify(&self, _: &ManifestFile, _: &dyn Progress) -> Vec<Check> {
        let Some(manifest) = &self.0 else { return Vec::new() };
        let name = "search";
        vec![match guarantees(&manifest.search).contains(&manifest.search.guarantee) {
            true => Check::passed(name, "the manifest states what this search guarantees"),
            false => Check::failed(name, "what is said to be guaranteed is not what this search guarantees"),
        }]
    }
}
