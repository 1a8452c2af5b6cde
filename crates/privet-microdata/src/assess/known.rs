//! Whether the job that a knowledge file names is one, and the values that it takes for facts are values of the data. What
//! somebody believes or denies may be of any value, since an adversary may believe anything. Statements, people and columns
//! are checked where they are understood, by the adversary.

use std::path::Path;

use privet_attack::Knowledge;
use privet_release::Published;

use super::original::Original;
use crate::error::JobError;
use crate::job::Job;

/// The job that the knowledge names must be one also where another is `used`: a mistake in the file must not go unseen.
pub fn check_job(knowledge: &Knowledge, used: Option<&Path>) -> Result<(), JobError> {
    match knowledge.job.as_ref().map(|path| knowledge.resolve(path)) {
        Some(path) if Some(&*path) != used => Job::read(&path, &[]).map(|_| ()),
        _ => Ok(()),
    }
}

/// Values that people are known to have must be values of their column, in the release or, where it is at hand, in the
/// original, whose rarer values may all be suppressed. A value that is written otherwise would make the adversary know less
/// than is meant.
pub fn check_values(
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
    match knowledge.records.iter().position(|own| !is_value(own.column.as_deref(), &own.value)) {
        None => Ok(()),
        Some(number) => Err(format!(
            "`records`, the {}. of them, names a value that its sensitive column does not have; write it as it stands in the data",
            number + 1
        )),
    }
}
