//! Writes the published table of records that are not in memory, chunk by chunk, in the order of the input.

use privet_data::io::{ChunkWriter, ViewColumn, WriteError};
use privet_data::{Cancelled, Progress};
use privet_recode::lattice::SearchError;
use privet_recode::partition::{CodeFile, Names};
use privet_release::Draft;

use crate::error::RunError;
use crate::publish::{DataFile, view_of};
use crate::run::Candidate;

/// Writes the file of the published table: cells that groups decide by the group of each record, others as they stood.
pub(super) fn write_data(
    draft: &Draft,
    candidate: &Candidate<'_>,
    data: &DataFile,
    (records, names): (&mut CodeFile, &mut Names),
    progress: &dyn Progress,
) -> Result<(), RunError> {
    let table = &candidate.loaded.input.table;
    let view = |(position, column)| {
        let quasi = candidate.loaded.quasi.iter().position(|quasi| quasi.position == position);
        quasi.map_or(ViewColumn::unchanged(column), |quasi| view_of(candidate, quasi, column))
    };
    let columns: Vec<ViewColumn<'_>> = table.columns.iter().enumerate().map(view).collect();
    let mut file = draft.create(&data.name)?;
    let mut writer = ChunkWriter::begin(&mut file, &columns, data.format, &data.dialect)?;
    progress.stage("writing", Some(table.rows as u64));
    let mut failed: Option<WriteError> = None;
    let written = records.pass(&mut |first, rows, entries| {
        progress.check()?;
        names.look(first, rows, |groups| {
            // What groups decide has one code for each group, and everything else one for each entry.
            let cells = columns.iter().zip(entries).map(|(column, entries)| match column.codes {
                Some(_) => &*groups,
                None => entries,
            });
            writer.write(&cells.collect::<Vec<&[u32]>>()).map_err(|error| {
                failed = Some(error);
                SearchError::Cancelled(Cancelled)
            })?;
            Ok::<bool, SearchError>(false)
        })?;
        progress.at((first + rows) as u64);
        Ok(())
    });
    if let Some(error) = failed {
        return Err(error.into());
    }
    written?;
    if let Some(notice) = writer.notice() {
        progress.notice(notice);
    }
    writer.finish()?;
    file.finish()?;
    Ok(())
}
