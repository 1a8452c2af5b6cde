//! A release written out as a table that any learner takes (survey US-11).

use std::path::{Path, PathBuf};

use privet_data::io::{Dialect, Format, View, ViewColumn, write};
use privet_data::{Cells, Column, Comparison, Domain, Equality, Progress};
use privet_measure::answer::{Question, UnfoldedColumn, Unfolding};
use privet_release::Published;

use super::{AskError, Knowledge, records};
use crate::assess::{places::Inputs, write::whole_for_others};
use crate::error::{JobError, RunError};
use crate::overwrite::real;

/// What `privet unfold` is told.
#[derive(Debug, Clone)]
pub struct UnfoldOptions {
    /// The release folder.
    pub release: PathBuf,
    /// How it is written out.
    pub how: Unfolding,
    /// The seed of everything that is drawn.
    pub seed: u64,
    /// A job file with hierarchies that are written down.
    pub job: Option<PathBuf>,
    /// Where to write it.
    pub output: PathBuf,
    /// Whether a file that is there may be replaced.
    pub force: bool,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct UnfoldSummary {
    /// The records.
    pub records: u64,
    /// The columns.
    pub columns: Vec<String>,
    /// Columns whose labels could not be read and stayed as they are.
    pub unread: Vec<String>,
    /// Columns with labels that have no end on one side, which became the end that they have.
    pub open_ended: Vec<String>,
}

/// Writes a release out.
///
/// # Errors
/// When the release or the job cannot be read, or the file cannot be written.
pub fn unfold(options: &UnfoldOptions, progress: &dyn Progress) -> Result<UnfoldSummary, AskError> {
    let UnfoldOptions { release, how, seed, job, output, force } = options;
    let bad = |path: &Path, problem: &str| AskError::Job(JobError::new(problem).at(path));
    let Some(format) = Format::of(output) else {
        return Err(bad(output, "tells no format; end its name in .csv, .parquet, .arrow or .xlsx"));
    };
    if real(output).starts_with(real(release)) {
        return Err(bad(
            output,
            "lies in the release folder, which holds what its manifest lists; write elsewhere",
        ));
    }
    let mut inputs = Inputs::of_release(release);
    inputs.names(job.as_deref());
    inputs.spare_read(output).map_err(AskError::Job)?;
    if output.exists() && !force {
        return Err(bad(output, "is already there; --force replaces it"));
    }
    let published = Published::open(release, progress)?;
    let knowledge = match job {
        Some(path) => Knowledge::of(path, &published)?,
        None => Knowledge::default(),
    };
    let question = Question::parse("select count(*) from data")?;
    let (mut records, _) = records(&published, &question, &knowledge);
    // The number of a bucket is no value of anybody.
    let bucket = published.manifest.as_deref().and_then(|manifest| {
        manifest.data.columns.iter().find(|own| own.role == "bucket").map(|own| own.name.clone())
    });
    records.columns.retain(|column| Some(&column.name) != bucket.as_ref());
    let unfolded = records.unfold(*how, *seed)?;
    let equality = published.manifest.as_deref().map(|manifest| manifest.equality()).unwrap_or_default();
    let is_of_codes = |name: &str| {
        let own = [".lower", ".upper"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
        equality.get(own).or_else(|| equality.get(name)).is_some_and(|own| own.compare == Comparison::Text)
    };
    let columns: Vec<Column> = unfolded.columns.into_iter().map(|own| column(own, is_of_codes)).collect();
    let view = View {
        columns: columns.iter().map(ViewColumn::unchanged).collect(),
        rows: published.table.rows,
        kept: None,
    };
    let dialect = Dialect { header: true, quote: b'"', ..Dialect::default() };
    let mut bytes = Vec::new();
    write(&mut bytes, &view, format, &dialect, progress).map_err(RunError::from)?;
    whole_for_others(output, &bytes)?;
    Ok(UnfoldSummary {
        records: published.table.rows as u64,
        columns: columns.into_iter().map(|column| column.name).collect(),
        unread: unfolded.unread,
        open_ended: unfolded.open_ended,
    })
}

/// A column of the table that is written.
fn column(own: UnfoldedColumn, is_of_codes: impl Fn(&str) -> bool) -> Column {
    // Digits that are codes stay text in formats that tell numbers from texts.
    let (domain, code_of) = match is_of_codes(&own.name) {
        true => Domain::by_value(own.texts, str::is_empty, Equality::CODES),
        false => Domain::canonical(own.texts, str::is_empty),
    };
    let codes = own.codes.iter().filter_map(|&code| code_of.get(code as usize).copied()).collect();
    Column { name: own.name, codes, domain, cells: Cells::Plain }
}
