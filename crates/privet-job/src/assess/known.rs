//! Whether the job that a knowledge file names is one, and the values that it speaks of are values of the data. Statements, people and columns are checked
//! where they are understood, by the adversary.

use std::path::Path;

use privet_attack::Knowledge;
use privet_release::Published;

use super::original::Original;
use crate::error::JobError;
use crate::job::Job;

/// The job that the knowledge names must be one also where another is `used`: a mistake in the file must not go unseen.
pub(super) fn check_job(knowledge: &Knowledge, used: Option<&Path>) -> Result<(), JobError> {
    match knowledge.job.as_ref().map(|path| knowledge.resolve(path)) {
        Some(path) if Some(&*path) != used => Job::read(&path, &[]).map(|_| ()),
        _ => Ok(()),
    }
}

/// A value, with the sensitive column that it is of where one is named.
type Named<'a> = (Option<&'a str>, &'a str);

/// Values that the knowledge speaks of must be values of their column, in the release or, where it is at hand, in the
/// original, whose rarer values may all be suppressed. A value that is written otherwise would make the adversary know less
/// than is meant.
pub(super) fn check_values(
    knowledge: &Knowledge,
    release: &Published,
    original: Option<&Original>,
) -> Result<(), String> {
    let is_value = |column: Option<&str>, value: &str| {
        let named = |name: &str| release.sensitive.iter().position(|own| own.name == name);
        // A column that is not there is told by who looks for it.
        let Some(at) = column.map_or(Some(0), named).filter(|&at| at < release.sensitive.len()) else {
            return true;
        };
        let in_release = release.sensitive[at].domain.code_of(value).is_some();
        // What is not published and not to be looked up may be suppressed, or replaced.
        let holds_all = release.manifest.as_ref().is_some_and(|own| {
            own.data.suppressed == 0
                && own.data.sample.is_none()
                && original.is_none()
                && own.data.distorted.is_none()
        });
        in_release
            || !holds_all
                && original.is_none_or(|own| {
                    own.sensitive
                        .get(at)
                        .is_none_or(|&position| own.table.columns[position].domain.code_of(value).is_some())
                })
    };
    let known = knowledge.records.iter().map(|own| vec![(own.column.as_deref(), own.value.as_str())]);
    let denied = knowledge
        .negations
        .iter()
        .map(|own| own.not.iter().map(|value| (own.column.as_deref(), value.as_str())).collect());
    let believed = knowledge.priors.iter().map(|own| {
        let values = own.shares.keys().chain(own.at_least.keys()).chain(own.at_most.keys());
        values.map(|value| (own.column.as_deref(), value.as_str())).collect()
    });
    let parts: [(&str, Vec<Vec<Named<'_>>>); 3] =
        [("records", known.collect()), ("negations", denied.collect()), ("priors", believed.collect())];
    for (part, entries) in parts {
        let wrong = |entry: &Vec<Named<'_>>| entry.iter().any(|own| !is_value(own.0, own.1));
        if let Some(number) = entries.iter().position(wrong) {
            return Err(format!(
                "`{part}`, the {}. of them, names a value that its sensitive column does not have; write it as it stands in \
                 the data",
                number + 1
            ));
        }
    }
    Ok(())
}
