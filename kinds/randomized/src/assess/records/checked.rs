//! What an attack on swapped or synthetic records is told, checked before anything is read.

use std::path::Path;

use privet_attack::Knowledge;
use privet_attack::ids;
use privet_attack::knowledge::Strength;
use privet_data::{Column, Table};

use super::super::AttackOptions;
use super::super::made::MadeRecords;
use super::super::people::equal_values;
use super::super::perturbed::{other_rows, refuse};
use crate::adversary::AdversarySection;
use crate::assess::records::ATTACKS;
use crate::error::{JobError, RunError};

/// What the adversary knows, when everything that was asked for has a meaning here.
pub(crate) fn checked(options: &AttackOptions) -> Result<Knowledge, RunError> {
    let flags = AdversarySection {
        attacks: None,
        confidence: options.confidence,
        max_risk: options.max_risk,
        max_absolute_risk: options.max_absolute_risk,
        ..AdversarySection::default()
    };
    flags.check_flags(false)?;
    refuse(
        &[("--job", options.job.is_some()), ("--set", !options.settings.is_empty())],
        "a release of swapped or synthetic ones says by itself which columns are quasi and which sensitive; give the job of `privet randomize` as --original",
    )?;
    check_words(options)?;
    knowledge(options, false)
}

/// Refuses attacks that are not made on such records.
pub(crate) fn check_words(options: &AttackOptions) -> Result<(), RunError> {
    if let Some(word) = options.attacks.iter().flatten().find(|word| !ATTACKS.contains(&word.as_str())) {
        let problem = match privet_attack::ATTACKS.iter().any(|own| own.word == word) {
            true => format!("--attacks asks for `{word}`, which reasons about groups of true records"),
            false => "--attacks names an unknown attack".to_owned(),
        };
        let accepted = ATTACKS.map(|word| format!("`{word}`")).join(", ");
        let problem = format!("{problem}; on swapped and synthetic records there are {accepted}");
        return Err(JobError::new(problem).into());
    }
    Ok(())
}

/// What the adversary knows, when all of it has a meaning here. With `has_job` it may name the job, which says what columns are.
pub(crate) fn knowledge(options: &AttackOptions, has_job: bool) -> Result<Knowledge, RunError> {
    let Some(path) = &options.knowledge else { return Ok(Knowledge::default()) };
    let own = Knowledge::read(path).map_err(|error| JobError::new(error.problem.clone()).at(&error.path))?;
    if own.time.is_some() {
        let problem = "`[time]` is for releases whose columns have noise, and these records were swapped or made; leave it out";
        return Err(JobError::new(problem).at(path).into());
    }
    let parts = [
        ("job", own.job.is_some() && !has_job),
        ("records", !own.records.is_empty()),
        ("negations", !own.negations.is_empty()),
        ("priors", !own.priors.is_empty()),
        ("statements", !own.statements.is_empty()),
        ("releases", !own.releases.is_empty()),
        ("rules", own.rules.is_some()),
        ("server", own.server.is_some()),
        ("strength", own.strength != Strength::default()),
        (ids::KNOWN_ATTRIBUTES, own.known_attributes.is_some()),
    ];
    match parts.iter().find(|part| part.1) {
        None => Ok(own),
        Some((part, _)) => Err(JobError::new(format!(
            "`{part}` goes with releases of true records; against swapped and synthetic ones [people], [control] and [risks] are used"
        ))
        .at(path)
        .into()),
    }
}

/// Refuses a table that cannot be the original: one without records and, where records stand in its order, one that has not a
/// record for each, with the same values wherever nothing was changed.
pub(crate) fn check_original(
    published: &MadeRecords<'_>,
    original: &Table,
    path: &Path,
) -> Result<(), RunError> {
    if original.rows == 0 {
        let problem = "has no record to compare with; give the table that the release was made from";
        return Err(JobError::new(problem).at(path).into());
    }
    if !published.in_order {
        return Ok(());
    }
    let changed = &published.changed;
    for table in published.tables {
        if table.rows != original.rows {
            return Err(other_rows(original.rows, table.rows, path));
        }
        for own in table.columns.iter().filter(|own| !changed.contains(&own.name.as_str())) {
            let Some(theirs) = original.column(&own.name) else { continue };
            must_be_same(own, theirs, path)?;
        }
    }
    Ok(())
}

/// Refuses an original that differs from a column that was published as it was.
pub(crate) fn must_be_same(own: &Column, theirs: &Column, path: &Path) -> Result<(), RunError> {
    if is_same(own, theirs) {
        return Ok(());
    }
    let problem = format!(
        "is not the original of this release, or its records stand in another order: column {} was not changed, and a \
         published record differs in it; give the table that the release was made from, as it was",
        own.name
    );
    Err(JobError::new(problem).at(path).into())
}

/// Whether two columns have the same value in every record.
pub(crate) fn is_same(own: &Column, theirs: &Column) -> bool {
    let same = equal_values(&own.domain, &theirs.domain);
    own.codes.iter().zip(&theirs.codes).all(|(&label, &value)| {
        same.contains(label, value) || (own.domain.is_missing(label) && theirs.domain.is_missing(value))
    })
}
