//! The gate before records that were changed by chance are handed over: perturbed by laws, swapped or synthetic.
//!
//! What it guarantees: the tables that are written are attacked as `privet attack` does it, scored by the input; nothing goes
//! through above `max-risk`, and a limit that nothing shows to be kept is an error. What was not tried is told, with the
//! reason. What readers are told of attacks on noise was found without the original; of others they are told rates alone.

use std::path::Path;

use privet_attack::ids;
use privet_attack::{Finding, Knowledge};
use privet_data::{Progress, Table};
use privet_release::perturbed::{Change, PerturbedManifest};
use privet_release::{PublishedPerturbed, PublishedRecords};
use privet_report::{Assessment, NotMade};

use super::Gated;
use super::made::{MadeRecords, without_being_asked};
use super::perturbed::Source;
use super::{AttackOptions, hold_limit, perturbed, records};
use crate::adversary::AdversarySection;
use crate::error::{JobError, RunError};

/// What may be done where an attack succeeds too often.
const INSTEAD: &str = "Use stronger laws or wider noise, change more columns or records, or drop columns";

/// What is about to be handed over.
pub(crate) struct Chance<'a> {
    /// Where its tables lie.
    pub folder: &'a Path,
    pub manifest: &'a PerturbedManifest,
    /// What it was made from.
    pub original: &'a Table,
    /// Where that lies.
    pub path: &'a Path,
    /// What paths of the section are relative to.
    pub base: &'a Path,
    pub section: &'a AdversarySection,
}

/// The words of attacks on such records, and what another word is.
pub(crate) fn words(by_laws: bool) -> (&'static [&'static str], &'static str) {
    match by_laws {
        true => (&perturbed::ATTACKS, "an unknown attack for perturbed data"),
        false => (&records::ATTACKS, "an unknown attack for swapped and synthetic records"),
    }
}

/// Attacks what is about to be published, and refuses it when that succeeds too often.
pub(crate) fn gate(made: &Chance<'_>, progress: &dyn Progress) -> Result<Gated, RunError> {
    let section = made.section;
    let is_asked = section.attacks.is_some() || section.knowledge.is_some() || section.is_limited();
    let gated = match attacked(made, progress) {
        // An attack that nobody asked for, and that cannot be made, is no reason to keep a release back.
        Err(RunError::Job(error)) if !is_asked => nothing(error.problem(), section),
        other => other?,
    };
    hold_limit(section, &gated.assessment, INSTEAD)?;
    Ok(gated)
}

/// No attack was made, for this reason.
pub(super) fn nothing(why: String, section: &AdversarySection) -> Gated {
    let not_made = vec![NotMade::new("all attacks", why)];
    // Whoever asked for some is told.
    let is_asked = section.attacks.is_some() || section.knowledge.is_some();
    let blocked = if is_asked { not_made.clone() } else { Vec::new() };
    Gated { assessment: Assessment { not_made, blocked, ..Assessment::default() }, public: Vec::new() }
}

fn attacked(made: &Chance<'_>, progress: &dyn Progress) -> Result<Gated, RunError> {
    let Chance { folder, manifest, section, .. } = *made;
    if made.original.rows == 0 {
        return Ok(nothing("there are no records".to_owned(), section));
    }
    let is_of_laws = matches!(manifest.change, Change::Laws);
    if !is_of_laws && manifest.model.columns.iter().all(|own| own.role != "quasi") {
        return Ok(nothing("no column is quasi, so there is nothing to find people by".to_owned(), section));
    }
    let options = AttackOptions {
        release: folder.to_owned(),
        knowledge: section.knowledge.as_ref().map(|path| made.base.join(path)),
        original: Some(made.path.to_owned()),
        attacks: section.attacks.clone(),
        confidence: section.confidence,
        max_risk: section.max_risk,
        max_absolute_risk: section.max_absolute_risk,
        seed: section.seed,
        ..AttackOptions::default()
    };
    let original = Source::Table(made.original, made.path);
    match is_of_laws {
        true => {
            let published = PublishedPerturbed::read(folder, manifest.clone(), progress)?;
            of_laws(&options, &published, original, progress)
        }
        false => {
            let published = PublishedRecords::read(folder, manifest.clone(), progress)?;
            of_records(options, &published, original, progress)
        }
    }
}

/// Of columns with laws. What readers are told is found anew from the release alone, where it can be.
fn of_laws(
    options: &AttackOptions,
    published: &PublishedPerturbed,
    original: Source<'_>,
    progress: &dyn Progress,
) -> Result<Gated, RunError> {
    let mut knowledge = match &options.knowledge {
        Some(path) => {
            Knowledge::read(path).map_err(|error| JobError::new(error.problem.clone()).at(&error.path))?
        }
        None => Knowledge::default(),
    };
    let quick = !options.attacks.iter().flatten().any(|own| own == ids::NOISE_LINKAGE);
    let assessment = perturbed::assess(options, &knowledge, published, Some(original), quick, progress)?;
    if let Some(time) = &mut knowledge.time {
        // Values that are known are taken from the original.
        time.known = None;
    }
    let alone = AttackOptions { original: None, ..options.clone() };
    let alone = perturbed::assess(&alone, &knowledge, published, None, quick, progress)?;
    let told = |own: &Finding| -> Option<Finding> {
        let same = |other: &&Finding| (other.attack, &other.column) == (own.attack, &own.column);
        // Whom noise linkage is sure of is seen without the truth; what else is made with the original alone is counted by it.
        let of_list = || (own.attack == ids::NOISE_LINKAGE).then(|| own.public());
        // What counts and only the original shows is not known to readers, and must not look like nothing.
        let unknown = |found: Finding| match found.not_counted.is_some() && own.not_counted.is_none() {
            true => Finding { not_counted: None, risk: f64::NAN, ..found },
            false => found,
        };
        alone.attacks.iter().find(same).cloned().map(unknown).or_else(of_list)
    };
    let public = assessment.attacks.iter().filter_map(told).collect();
    Ok(Gated { assessment, public })
}

/// Of swapped and synthetic records.
fn of_records(
    mut options: AttackOptions,
    published: &PublishedRecords,
    original: Source<'_>,
    progress: &dyn Progress,
) -> Result<Gated, RunError> {
    let made = MadeRecords::of(published);
    let left_out = without_being_asked(&mut options, &made);
    let knowledge = records::checked(&options)?;
    let mut assessment = records::assess(&options, &knowledge, &made, original, progress)?;
    assessment.not_made.extend(left_out);
    let public = assessment.attacks.iter().map(Finding::public).collect();
    Ok(Gated { assessment, public })
}
