//! From tables of counts to a release folder: the files, the manifest, the report.

use std::collections::BTreeMap;

use privet_data::io::{Dialect, Encoding, Format, View, ViewColumn, write};
use privet_data::{Cells, Column, Domain, Kind, Progress};
use privet_release::Draft;
use privet_release::counts::{COUNT, COUNTS, CountsData, CountsManifest, Form};
use privet_release::manifest::FORMAT;
use privet_release::shown::{Grid, Shown};
use privet_report::Assessment;

use super::{Content, Contents, TableMethod};
use crate::error::{NothingLeft, RunError};
use crate::job::Job;
use crate::load::Loaded;
use privet_microdata::publish::write_pages;

/// A drawing of more labels than this could not be read.
const MOST_DRAWN: usize = 40;

/// Writes the release and puts it in place.
pub(super) fn publish(
    draft: Draft,
    job: &Job,
    loaded: &Loaded,
    contents: Contents,
    reproduce: &[String],
    progress: &dyn Progress,
) -> Result<(CountsManifest, Assessment), RunError> {
    let records = loaded.input.table.rows as u64;
    if records == 0 {
        return Err(RunError::Empty(NothingLeft::NoInput));
    }
    if contents
        .tables
        .iter()
        .all(|content| columns(content).first().is_none_or(|column| column.codes.is_empty()))
    {
        return Err(RunError::Empty(NothingLeft::Suppressed { records }));
    }
    let format = job.output.format()?.unwrap_or(loaded.input.format);
    // Published tables name their columns and quote in the one way that every reader knows.
    let dialect = Dialect { header: true, quote: b'"', ..loaded.input.dialect.clone().unwrap_or_default() };
    let several = contents.tables.len() > 1;
    let mut tables = Vec::new();
    let mut grids = Vec::new();
    for (number, content) in contents.tables.into_iter().enumerate() {
        progress.check()?;
        let name = match content.claim.form {
            Form::Totals if several => format!("counts-{}.{}", number + 1, format.word()),
            Form::Totals => format!("counts.{}", format.word()),
            _ => format!("view-{}.{}", number + 1, format.word()),
        };
        let columns = columns(&content);
        let rows = columns.first().map_or(0, |column| column.codes.len());
        let view = View { columns: columns.iter().map(ViewColumn::unchanged).collect(), rows, kept: None };
        let mut file = draft.create(&name)?;
        write(&mut file, &view, format, &dialect, progress)?;
        file.finish()?;
        grids.extend(grid(number, &content));
        tables.push(privet_release::counts::CountsTable { file: name, ..content.claim });
    }
    let is_counted =
        |name: &&String| tables.iter().flat_map(|table| &table.columns).any(|c| c.name == **name);
    let manifest = CountsManifest {
        format: FORMAT,
        software: format!("privet {}", env!("CARGO_PKG_VERSION")),
        kind: COUNTS.to_owned(),
        data: CountsData {
            format: format.word().to_owned(),
            delimiter: (format == Format::Csv).then_some(dialect.delimiter as char),
            encoding: (format == Format::Csv && dialect.encoding == Encoding::Latin1)
                .then(|| dialect.encoding.word().to_owned()),
            missing: crate::alike::told_markers(job),
            records: loaded.input.table.rows as u64,
            removed_columns: loaded.input.names.iter().filter(|name| !is_counted(name)).cloned().collect(),
            equality: loaded.equality.clone(),
        },
        tables,
        together: contents.together,
        randomness: randomness(job).to_owned(),
        // The reports tell the fingerprints of what is published; their own come after them.
        files: draft.finished(),
        shown: Shown::default(),
        signer: None,
        seal: String::new(),
    };
    let assessment = crate::attack::gate(draft.path(), &manifest, &job.adversary, loaded, progress)?;
    let public = crate::attack::public(&assessment);
    let (attacks, not_made) = privet_report::told(&public.attacks, &public.not_made);
    let shown = Shown { reproduce: reproduce.to_vec(), grids, attacks, not_made, ..Shown::default() };
    let manifest = CountsManifest { shown, ..manifest };
    write_pages(&draft, privet_report::counts_pages(&manifest))?;
    progress.check()?;
    Ok((draft.commit(manifest)?, assessment))
}

/// Where randomness came from.
fn randomness(job: &Job) -> &'static str {
    let drawn = || job.count_tables.iter().filter(|own| own.method == TableMethod::Resample);
    if drawn().next().is_none() {
        "none"
    } else if drawn().any(|own| own.seed.is_some()) {
        "fixed-seed"
    } else {
        "operating-system"
    }
}

/// The columns of a table as they are written.
fn columns(content: &Content) -> Vec<Column> {
    let labelled = content.columns.iter().zip(&content.claim.columns);
    let mut columns: Vec<Column> =
        labelled.map(|((labels, codes), claim)| texts(&claim.name, labels.clone(), codes.clone())).collect();
    if let Some(counts) = &content.counts {
        // The empty text, which is first, is a hidden count.
        let mut code_of: BTreeMap<Option<u64>, u32> = counts.iter().map(|&count| (count, 0)).collect();
        let mut labels: Vec<Box<str>> = Vec::with_capacity(code_of.len());
        for (count, code) in &mut code_of {
            *code = labels.len() as u32;
            labels.push(count.map_or_else(String::new, |count| count.to_string()).into());
        }
        columns.push(texts(COUNT, labels, counts.iter().map(|count| code_of[count]).collect()));
    }
    columns
}

/// A column of texts. The empty one, a missing value or a hidden count, comes first, as domains have it.
fn texts(name: &str, mut labels: Vec<Box<str>>, mut codes: Vec<u32>) -> Column {
    let empty = labels.iter().position(|label| label.is_empty());
    if let Some(empty) = empty {
        let label = labels.remove(empty);
        labels.insert(0, label);
        for code in &mut codes {
            *code = match (*code as usize).cmp(&empty) {
                std::cmp::Ordering::Less => *code + 1,
                std::cmp::Ordering::Equal => 0,
                std::cmp::Ordering::Greater => *code,
            };
        }
    }
    let domain = Domain::from_sorted(labels, u32::from(empty.is_some()), Kind::Text);
    Column { name: name.to_owned(), codes, domain, cells: Cells::Plain }
}

/// The drawing of a table of two columns.
fn grid(number: usize, content: &Content) -> Option<Grid> {
    let [(rows, _), (columns, _)] = &content.columns[..] else { return None };
    let counts = content.counts.as_ref().filter(|_| content.claim.form == Form::Totals)?;
    if rows.len().max(columns.len()) > MOST_DRAWN + 1 {
        return None;
    }
    let texts = |labels: &[Box<str>]| labels.iter().map(|label| label.to_string()).collect();
    Some(Grid { table: number, rows: texts(rows), columns: texts(columns), counts: counts.clone() })
}
