//! From made tables to a release folder: the tables, the manifest, attacks on what is written, the report.

use std::collections::BTreeMap;

use privet_data::io::{Dialect, Encoding, Format, Input, View, ViewColumn, write};
use privet_data::{Progress, Table};
use privet_release::Draft;
use privet_release::PublishedPerturbed;
use privet_release::manifest::FORMAT;
use privet_release::perturbed::{Change, Model, PERTURBED, PerturbedData, PerturbedManifest};
use privet_release::shown::Shown;
use privet_report::Assessment;

use super::columns::{Perturbed, blanked};
use super::{Method, RandomizeJob, RandomizeOptions, facts};
use crate::assess::{Chance, gate_of_chance};
use crate::error::{NothingLeft, RunError};
use crate::publish::write_pages;

/// What a method made.
pub(super) struct Made {
    /// The published tables: one, or the copies of synthetic records.
    pub tables: Vec<Table>,
    /// Per changed column with missing values, which stay missing, how many.
    pub missing: BTreeMap<String, u64>,
    /// How the values were changed.
    pub change: Change,
}

impl Made {
    /// Perturbed columns, in the place of the table's own.
    pub fn of_columns(table: &Table, mut perturbed: Perturbed) -> Self {
        let columns = table.columns.iter().enumerate();
        let columns = columns.map(|(position, own)| match perturbed.columns.remove(&position) {
            Some(column) => column,
            None => own.clone(),
        });
        let table = Table { columns: columns.collect(), rows: table.rows };
        Self { tables: vec![table], missing: perturbed.missing, change: Change::Laws }
    }
}

/// The format of the tables.
pub(super) fn format(job: &RandomizeJob, input: &Input) -> Result<Format, RunError> {
    Ok(job.output.format()?.unwrap_or(input.format))
}

/// The file of a synthetic copy, counted from 1.
pub(super) fn copy_name(number: usize, format: Format) -> String {
    format!("data-{number}.{}", format.word())
}

/// Missing values are published as empty cells, so that no marker is taken for a number, or a number for a marker.
fn without_markers(mut table: Table) -> Table {
    for column in &mut table.columns {
        if let Some(blank) = blanked(column) {
            *column = blank;
        }
    }
    table
}

/// What is to be published.
pub(super) struct Contents<'a> {
    pub job: &'a RandomizeJob,
    pub options: &'a RandomizeOptions,
    pub input: &'a Input,
    pub model: Model,
    pub made: Made,
}

/// Writes the release and puts it in place.
pub(super) fn publish(
    contents: Contents<'_>,
    draft: Draft,
    progress: &dyn Progress,
) -> Result<(PerturbedManifest, Assessment), RunError> {
    let Contents { job, options, input, model, made } = contents;
    let format = format(job, input)?;
    // Published tables name their columns and quote in the one way that every reader knows.
    let dialect = Dialect { header: true, quote: b'"', ..input.dialect.clone().unwrap_or_default() };
    // From here on there are only published tables: the report shows nothing else.
    let Made { tables, missing, change } = made;
    if tables.iter().all(|table| table.rows == 0) {
        return Err(RunError::Empty(match input.table.rows as u64 {
            0 => NothingLeft::NoInput,
            records => NothingLeft::NoneMade { records },
        }));
    }
    let tables: Vec<Table> = tables.into_iter().map(without_markers).collect();
    let mut names = Vec::with_capacity(tables.len());
    for (place, table) in tables.iter().enumerate() {
        progress.check()?;
        let name = match change {
            Change::Synthetic(_) => copy_name(place + 1, format),
            Change::Laws | Change::Swapped(_) => format!("data.{}", format.word()),
        };
        let columns = table.columns.iter().map(ViewColumn::unchanged).collect();
        let view = View { columns, rows: table.rows, kept: None };
        let mut file = draft.create(&name)?;
        write(&mut file, &view, format, &dialect, progress)?;
        file.finish()?;
        names.push(name);
    }
    let nothing = Table::default();
    let table = tables.first().unwrap_or(&nothing);
    let is_csv = format == Format::Csv;
    let manifest = PerturbedManifest {
        format: FORMAT,
        software: format!("privet {}", env!("CARGO_PKG_VERSION")),
        kind: PERTURBED.to_owned(),
        data: PerturbedData {
            file: names.into_iter().next().unwrap_or_default(),
            format: format.word().to_owned(),
            delimiter: is_csv.then_some(dialect.delimiter as char),
            encoding: (is_csv && dialect.encoding == Encoding::Latin1)
                .then(|| dialect.encoding.word().to_owned()),
            rows: table.rows as u64,
            missing,
            removed_columns: input
                .names
                .iter()
                .filter(|name| table.position(name).is_none())
                .cloned()
                .collect(),
        },
        model,
        change,
        randomness: if options.seed.is_some() { "fixed-seed" } else { "operating-system" }.to_owned(),
        // The reports tell the fingerprints of what is published; their own come after them.
        files: draft.finished(),
        shown: Shown::default(),
        signer: None,
        seal: String::new(),
    };
    let pictures = match job.randomize.method {
        Method::Columns => {
            progress.stage("estimating what can be learned", None);
            // As readers have it: `verify` makes the same from the folder.
            let published = PublishedPerturbed::read(draft.path(), manifest.clone(), progress)?;
            facts::pictures(&published, progress)?
        }
        Method::Swap | Method::Synthetic => Vec::new(),
    };
    let path = options.base.join(&job.input.path);
    let made = Chance {
        folder: draft.path(),
        manifest: &manifest,
        original: &input.table,
        path: &path,
        base: &options.base,
        section: &job.adversary,
    };
    let gated = gate_of_chance(&made, progress)?;
    let not_made = gated.assessment.not_made.clone();
    let (attacks, not_made) = privet_report::told(&gated.public, &not_made);
    let pictures = privet_report::told_of_pictures(&pictures);
    let shown =
        Shown { reproduce: options.reproduce.clone(), pictures, attacks, not_made, ..Shown::default() };
    let manifest = PerturbedManifest { shown, ..manifest };
    write_pages(&draft, privet_report::perturbed_pages(&manifest))?;
    progress.check()?;
    Ok((draft.commit(manifest)?, gated.assessment))
}
