//! The original of a perturbed release: a file, or a table that was read already.

use std::path::{Path, PathBuf};

use privet_data::io::{ReadErrorKind, ReadOptions, read};
use privet_data::{Column, Progress, Table};

use crate::error::{JobError, RunError};
use crate::load::unknown_among;
use crate::randomize::RandomizeJob;
use crate::run::base_of;

/// The original: a file, or a table that was read already.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    /// A table, or the job of `privet randomize` that names it.
    File(&'a Path),
    /// The table, and where it lies.
    Table(&'a Table, &'a Path),
}

impl Source<'_> {
    /// These columns, and where the table lies.
    pub fn table(
        self,
        missing: &[String],
        names: &[String],
        progress: &dyn Progress,
    ) -> Result<(Table, PathBuf), RunError> {
        let (table, path) = match self {
            Self::File(path) => return original_table(path, missing, names, progress),
            Self::Table(table, path) => (table, path),
        };
        let own = |name: &String| table.column(name).cloned();
        let Some(columns) = names.iter().map(own).collect::<Option<Vec<Column>>>() else {
            let found: Vec<String> = table.columns.iter().map(|own| own.name.clone()).collect();
            return Err(unknown_among(names.iter(), &found).at(path).into());
        };
        Ok((Table { columns, rows: table.rows }, path.to_owned()))
    }
}

/// These columns of the original: a table, or the job of `privet randomize` that names it; and where it lies.
pub(crate) fn original_table(
    path: &Path,
    missing: &[String],
    names: &[String],
    progress: &dyn Progress,
) -> Result<(Table, PathBuf), RunError> {
    let is_job = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
    let (path, options) = match is_job {
        true => {
            let job = RandomizeJob::read(path, &[])?;
            (base_of(path).join(&job.input.path), job.input.options()?)
        }
        false => (path.to_owned(), ReadOptions { missing: missing.to_vec(), ..ReadOptions::default() }),
    };
    // What a law was made for stands in its domain, letter by letter.
    let options = ReadOptions { columns: Some(names.to_vec()), ..options.exactly() };
    let input = read(&path, &options, progress).map_err(|error| match &error.kind {
        ReadErrorKind::UnknownColumn { names: found, .. } => {
            RunError::from(unknown_among(names.iter(), found).at(&path))
        }
        _ => RunError::from(error),
    })?;
    Ok((input.table, path))
}

/// What is wrong with an original that has not a record for each published one.
pub(crate) fn other_rows(own: usize, rows: usize, path: &Path) -> RunError {
    let problem = format!("has {own} records, and the release {rows}: it is another table");
    JobError::new(problem).at(path).into()
}
