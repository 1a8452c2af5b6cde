//! Writes the published table as CSV from the entries that an engine hands on. Its bytes are those of the memory engine.

use privet_data::io::{ChunkWriter, ViewColumn};
use privet_data::{Column, Progress};
use privet_release::Draft;

use super::{Engine, Recoding, Written};
use crate::error::RunError;
use crate::publish::{DataFile, view_of};
use crate::run::Candidate;

/// `by_entry` has the columns of the table with one code for each entry.
pub(super) fn write(
    engine: &mut dyn Engine,
    recoding: &Recoding,
    candidate: &Candidate<'_>,
    by_entry: &[Column],
    data: &DataFile,
    draft: &Draft,
    progress: &dyn Progress,
) -> Result<Written, RunError> {
    let view = |(position, column)| {
        let quasi = candidate.loaded.quasi.iter().position(|quasi| quasi.position == position);
        quasi.map_or(ViewColumn::unchanged(column), |quasi| view_of(candidate, quasi, column))
    };
    let columns: Vec<ViewColumn<'_>> = by_entry.iter().enumerate().map(view).collect();
    let mut file = draft.create(&data.name)?;
    let mut writer = ChunkWriter::begin(&mut file, &columns, data.format, &data.dialect)?;
    progress.stage("writing", None);
    let written = engine.entries(recoding, &mut |entries| Ok(writer.write(entries)?), progress)?;
    if let Some(notice) = writer.notice() {
        progress.notice(notice);
    }
    writer.finish()?;
    file.finish()?;
    Ok(written)
}
