//! Releases of counts.

use std::path::Path;

use privet_attack::Knowledge;
use privet_data::Progress;
use privet_measure::answer::Question;
use privet_release::counts::COUNTS;
use privet_release::{Check, CountsManifest, ManifestFile, PublishedError};
use privet_report::Assessment;

use privet_microdata::adversary::AdversarySection;
use privet_microdata::answer::{AnswerBasis, AskError, Asked, Spread};
use privet_microdata::assess::{AttackOptions, MeasureOptions, check_places};
use privet_microdata::layouts::Layout;

use crate::answer::answer as answer_of_counts;
use crate::attack::attack_folder as attack_counts;
use crate::error::{JobError, RunError};

struct Counts(CountsManifest);

/// The layout of a manifest, when it is of counts.
pub fn read(file: &ManifestFile) -> Result<Option<Box<dyn Layout>>, PublishedError> {
    if file.kind() != Some(COUNTS) {
        return Ok(None);
    }
    let manifest = CountsManifest::parse(file.bytes())
        .map_err(|source| PublishedError::Manifest { folder: file.folder().to_owned(), source })?;
    Ok(Some(Box::new(Counts(manifest))))
}

impl Layout for Counts {
    fn attack(&self, options: &AttackOptions, progress: &dyn Progress) -> Result<Assessment, RunError> {
        AdversarySection::of_flags(options).check_flags(true)?;
        check_places(options)?;
        if let Some(path) = &options.knowledge {
            Knowledge::read(path).map_err(|error| JobError::new(error.problem.clone()).at(&error.path))?;
        }
        refuse_others(options)?;
        attack_counts(options, &self.0, progress)
    }

    fn measure(&self, options: &MeasureOptions, progress: &dyn Progress) -> Result<Assessment, RunError> {
        crate::measure::measure(options, &self.0, progress)
    }

    fn answer(
        &self,
        folder: &Path,
        question: &Question,
        job: Option<&Path>,
        spread: Spread,
        progress: &dyn Progress,
    ) -> Result<Asked, AskError> {
        if spread == Spread::Proportional {
            let problem =
                "--spread proportional goes with releases of records; counts are fitted to each other anyway";
            return Err(JobError::new(problem).into());
        }
        let (answer, notes) = answer_of_counts(folder, &self.0, question, job, progress)?;
        Ok(Asked { answer, sampled_from: None, basis: AnswerBasis::Counts, notes })
    }

    fn check_unfolds(&self, release: &Path) -> Result<(), JobError> {
        let problem = "is a release of counts, which has no records; ask it with `privet answer`";
        Err(JobError::new(problem).at(release))
    }

    fn verify(&self, _: &ManifestFile, _: &dyn Progress) -> Vec<Check> {
        Vec::new()
    }
}

/// What goes with releases of records only.
fn refuse_others(options: &AttackOptions) -> Result<(), JobError> {
    let given = [
        ("--knowledge", options.knowledge.is_some()),
        ("--people", options.people.is_some()),
        ("--set", !options.settings.is_empty() && options.original.is_none()),
    ];
    match given.iter().find(|own| own.1) {
        None => Ok(()),
        Some((flag, _)) => Err(JobError::new(format!(
            "`{flag}` goes with releases of records; a release of counts is attacked by what its tables tell"
        ))),
    }
}
