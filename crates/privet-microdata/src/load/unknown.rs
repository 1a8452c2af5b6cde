//! What to say of columns that the input does not have.

use privet_data::io::{ReadError, ReadErrorKind};

use crate::error::{JobError, RunError};
use crate::job::Job;

/// A job that names columns the file does not have is the job's mistake.
pub fn explain(error: ReadError, job: &Job) -> RunError {
    match &error.kind {
        ReadErrorKind::UnknownColumn { names, .. } => {
            let wanted = job.search.buckets_from().map(str::to_owned);
            match wanted.filter(|wanted| !names.contains(wanted) && !job.columns.contains_key(wanted)) {
                Some(wanted) => unknown_among(std::iter::once(&wanted), names)
                    .in_terms_of("columns", "search.anatomy.buckets-from")
                    .into(),
                None => unknown_columns(job, names).into(),
            }
        }
        _ => error.into(),
    }
}

/// Says which columns are missing, and which were perhaps meant. Not every name of the file is listed: where
/// a first record was taken for a header, they are data.
pub(super) fn unknown_columns(job: &Job, names: &[String]) -> JobError {
    unknown_among(job.columns.keys(), names)
}

/// As `unknown_columns`, for the columns that are wanted.
pub fn unknown_among<'a>(wanted: impl Iterator<Item = &'a String>, names: &[String]) -> JobError {
    let mut listed = Vec::new();
    for wanted in wanted.filter(|wanted| !names.contains(wanted)) {
        let alike = |name: &&String| distance(wanted, name) * 3 <= wanted.chars().count();
        match names.iter().filter(alike).min_by_key(|name| distance(wanted, name)) {
            Some(meant) => listed.push(format!("{wanted} (did you mean {meant}?)")),
            None => listed.push(wanted.clone()),
        }
    }
    let what = if listed.len() == 1 { "a column" } else { "columns" };
    let hint = "`privet init` lists the columns of a table; if its first line is a record, set header = false in [input]";
    JobError::key(
        "columns",
        format!("names {what} that the input does not have: {}; {hint}", listed.join(", ")),
    )
}

/// How many letters must change to make one name of the other, case and separators aside.
pub(super) fn distance(a: &str, b: &str) -> usize {
    let letters =
        |name: &str| -> Vec<char> { name.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect() };
    let (a, b) = (letters(a), letters(b));
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
