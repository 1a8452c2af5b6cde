//! Releases of swapped or synthetic records, which have no law to compute by.

use std::path::Path;

use privet_data::Progress;
use privet_measure::answer::Question;
use privet_release::perturbed::PERTURBED;
use privet_release::{Check, ManifestFile, PerturbedManifest, PublishedError};
use privet_report::Assessment;

use super::{Layout, noise, refuse_settings};
use crate::answer::{AskError, Asked, Spread};
use crate::assess::{AttackOptions, MeasureOptions, attack_changed, check_places, measure_changed};
use crate::error::RunError;

struct Changed;

/// The layout of a manifest, when it is of this one.
pub fn read(file: &ManifestFile) -> Result<Option<Box<dyn Layout>>, PublishedError> {
    if file.kind() != Some(PERTURBED) {
        return Ok(None);
    }
    let manifest = PerturbedManifest::parse(file.bytes())
        .map_err(|source| PublishedError::Manifest { folder: file.folder().to_owned(), source })?;
    let is_changed = manifest.swap.is_some() || manifest.synthetic.is_some();
    Ok(is_changed.then(|| Box::new(Changed) as Box<dyn Layout>))
}

impl Layout for Changed {
    fn attack(&self, options: &AttackOptions, progress: &dyn Progress) -> Result<Assessment, RunError> {
        refuse_settings(&options.settings)?;
        check_places(options)?;
        attack_changed(options, progress)
    }

    fn measure(&self, options: &MeasureOptions, progress: &dyn Progress) -> Result<Assessment, RunError> {
        refuse_settings(&options.settings)?;
        measure_changed(options, progress)
    }

    /// Says that there is no law to answer by.
    fn answer(
        &self,
        folder: &Path,
        question: &Question,
        _: Option<&Path>,
        _: Spread,
        progress: &dyn Progress,
    ) -> Result<Asked, AskError> {
        noise::answer(folder, question, progress)
    }

    fn verify(&self, _: &Path, _: &dyn Progress) -> Vec<Check> {
        Vec::new()
    }
}
