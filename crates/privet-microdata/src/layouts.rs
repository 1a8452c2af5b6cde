//! Releases of one table whose manifest has a layout of its own: what each verb does with a folder of each. One crate per layout under
//! `kinds/`; they are listed in `privet-job`.

use std::path::Path;

use privet_data::Progress;
use privet_measure::answer::Question;
use privet_release::{Check, ManifestFile, PublishedError};
use privet_report::Assessment;

use crate::answer::{AskError, Asked, Spread};
use crate::assess::{AttackOptions, MeasureOptions};
use crate::error::{JobError, RunError};

/// What verbs do with a folder of one layout.
pub trait Layout {
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
    fn verify(&self, manifest: &ManifestFile, progress: &dyn Progress) -> Vec<Check>;
}

/// Reads a manifest of one layout; `None` when it is of another.
pub type Reader = fn(&ManifestFile) -> Result<Option<Box<dyn Layout>>, PublishedError>;
