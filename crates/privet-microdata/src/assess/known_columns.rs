//! Columns beside the quasi ones that somebody knows all the same: insensitive ones that the adversary's table of people has, and
//! sensitive ones that it has and the knowledge file calls known.
//!
//! Such a column is published as it is, so that it tells people apart as a quasi column does that nothing was done to. A release is then
//! attacked as if it were one, and a sensitive one that is known is not learned any more.

use std::collections::BTreeMap;

use privet_attack::Note;
use privet_attack::adversary::insensitive;
use privet_attack::knowledge::PeopleFile;
use privet_data::{Progress, Table};
use privet_release::Published;

use crate::error::{JobError, RunError};

/// Whether a column of a release is published as it is, because nobody outside is said to know it.
pub fn is_as_it_was(release: &Published, position: usize) -> bool {
    let columns = release.manifest.as_ref().map(|manifest| &manifest.data.columns);
    columns.and_then(|columns| columns.get(position)).is_some_and(|own| own.role != "quasi")
}

/// Refuses columns under `known` that are not sensitive ones of the release, or that the table of people has not.
pub fn check(file: &PeopleFile, people: &Table, release: &Published) -> Result<(), JobError> {
    for own in &file.known {
        let wrong = |problem: &str| Err(JobError::new(format!("`known` of [people] names {own}, {problem}")));
        match release.sensitive(own) {
            None => {
                return wrong(
                    "which is no sensitive column of the release; accepted are those, as they are called there",
                );
            }
            Some(column) if column.codes.is_none() => {
                return wrong("which buckets publish apart, so that no record is found by it; leave it out");
            }
            Some(_) if people.position(file.columns.get(own).unwrap_or(own)).is_none() => {
                return wrong(
                    "which the table has not; name a column that it has, or what it is called there under `columns`",
                );
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// A release to somebody who knows what `known` of a table of people names, besides what else the table has.
pub fn wide_to(
    release: &Published,
    people: &Table,
    file: &PeopleFile,
    progress: &dyn Progress,
) -> Result<Option<Published>, RunError> {
    check(file, people, release)?;
    let wide = wide(release, people, &file.columns, progress)?;
    let known: Vec<usize> = file.known.iter().filter_map(|own| release.table.position(own)).collect();
    if known.is_empty() {
        return Ok(wide);
    }
    let mut wide = wide.as_ref().unwrap_or(release).knowing(&known, progress)?;
    wide.sensitive.retain(|own| !file.known.contains(&own.name));
    Ok(Some(wide))
}

/// The release to somebody whose table of people has more of its columns than the quasi ones; `None` where it has not. `renamed` are
/// columns of the release that are called otherwise there.
pub fn wide(
    release: &Published,
    people: &Table,
    renamed: &BTreeMap<String, String>,
    progress: &dyn Progress,
) -> Result<Option<Published>, RunError> {
    let is_there = |&position: &usize| {
        let ours = release.table.columns.get(position).map_or("", |own| own.name.as_str());
        people.position(renamed.get(ours).map_or(ours, String::as_str)).is_some()
    };
    let more: Vec<usize> = insensitive(release).into_iter().filter(is_there).collect();
    match more.is_empty() {
        true => Ok(None),
        false => Ok(Some(release.knowing(&more, progress)?)),
    }
}

/// What is to be told of columns that are used, and of those that are not.
pub fn notes(narrow: &Published, wide: Option<&Published>, people: &Table, file: &PeopleFile) -> Vec<Note> {
    let quoted = |names: Vec<&str>| -> Option<String> {
        let all: Vec<String> = names.iter().map(|own| format!("`{own}`")).collect();
        (!all.is_empty()).then(|| all.join(", "))
    };
    let is_known = |name: &str| file.known.iter().any(|own| own == name);
    let more = wide.iter().flat_map(|wide| wide.quasi.iter().filter(|at| !narrow.quasi.contains(at)));
    let more = more.filter_map(|&at| Some(narrow.table.columns.get(at)?.name.as_str()));
    let insensitive = quoted(more.filter(|own| !is_known(own)).collect());
    let sensitive = quoted(file.known.iter().map(String::as_str).collect());
    let is_there =
        |name: &str| people.position(file.columns.get(name).map_or(name, String::as_str)).is_some();
    let unused = narrow.sensitive.iter().map(|own| own.name.as_str());
    let unused = unused.filter(|own| narrow.sensitive.len() > 1 && is_there(own) && !is_known(own));
    let unused = quoted(unused.collect());
    [
        insensitive.map(|names| {
            Note::of_knowledge(format!(
                "The table of people has insensitive columns too, by which people are told apart as by the identifying columns: {names}."
            ))
        }),
        sensitive.map(|names| {
            Note::of_knowledge(format!(
                "The table of people has sensitive columns that are known, by which people are told apart: {names}."
            ))
        }),
        unused.map(|names| {
            Note::of_original(format!(
                "The table of people has sensitive columns that tell who is right and are not known: {names}. Where the adversary knows \
                 one, name it under `known` of [people]."
            ))
        }),
    ]
    .into_iter()
    .flatten()
    .collect()
}
