//! Releases of records that were changed by the laws that they publish.

use std::path::Path;

use privet_attack::Knowledge;
use privet_data::Progress;
use privet_measure::answer::{AnswerSource, Question};
use privet_release::perturbed::PERTURBED;
use privet_release::{Check, ManifestFile, PublishedError, PublishedPerturbed};
use privet_report::Assessment;

use super::{Layout, refuse_settings};
use crate::adversary::AdversarySection;
use crate::answer::{AskError, Asked, PerturbedAnswers, Spread};
use crate::assess::{AttackOptions, MeasureOptions, attack_noise, check_places, measure_noise};
use crate::error::{JobError, RunError};
use crate::randomize::facts;

struct Noise;

/// The layout of a manifest, when it is of this one.
pub fn read(file: &ManifestFile) -> Result<Option<Box<dyn Layout>>, PublishedError> {
    Ok((file.kind() == Some(PERTURBED)).then(|| Box::new(Noise) as Box<dyn Layout>))
}

/// Answers from the published values by their laws.
pub(super) fn answer(folder: &Path, question: &Question, progress: &dyn Progress) -> Result<Asked, AskError> {
    let published = PublishedPerturbed::open(folder, progress)?;
    let answer = PerturbedAnswers::new(&published)?.answer(question)?;
    Ok(Asked { answer, sampled_from: None, from_counts: false, perturbed: true, notes: Vec::new() })
}

impl Layout for Noise {
    fn attack(&self, options: &AttackOptions, progress: &dyn Progress) -> Result<Assessment, RunError> {
        // Attacks on noise have words of their own.
        let flags = AdversarySection { attacks: None, ..AdversarySection::of_flags(options) };
        flags.check_flags(false)?;
        refuse_settings(&options.settings)?;
        check_places(options)?;
        let knowledge = match &options.knowledge {
            Some(path) => {
                Knowledge::read(path).map_err(|error| JobError::new(error.problem.clone()).at(&error.path))?
            }
            None => Knowledge::default(),
        };
        attack_noise(options, &knowledge, progress)
    }

    fn measure(&self, options: &MeasureOptions, progress: &dyn Progress) -> Result<Assessment, RunError> {
        refuse_settings(&options.settings)?;
        measure_noise(options, progress)
    }

    fn answer(
        &self,
        folder: &Path,
        question: &Question,
        _: Option<&Path>,
        _: Spread,
        progress: &dyn Progress,
    ) -> Result<Asked, AskError> {
        answer(folder, question, progress)
    }

    /// Whether the report estimates from randomized values what they allow to estimate.
    fn verify(&self, folder: &Path, progress: &dyn Progress) -> Vec<Check> {
        let name = "estimates";
        let Ok(published) = PublishedPerturbed::open(folder, progress) else { return Vec::new() };
        let said = &published.manifest.shown.pictures;
        vec![match facts::pictures(&published, progress) {
            Ok(pictures) if privet_report::told_of_pictures(&pictures) == *said => {
                Check::passed(name, "the report shows what can be estimated from the published values")
            }
            Ok(_) => Check::failed(name, "the report shows other estimates than the published values allow"),
            Err(_) => {
                Check::failed(name, "nothing can be estimated from the published values, and the report does")
            }
        }]
    }
}
