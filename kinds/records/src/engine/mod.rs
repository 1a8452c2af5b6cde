//! The main job over a table that an engine holds: a query engine, a cluster, a database.
//!
//! 1. The engine tells the distinct tuples of the quasi and sensitive columns, each with its number of records and the
//!    record that it first appears in: one `GROUP BY`.
//! 2. Domains, hierarchies, the search, the criteria and the metrics work on these tuples; no record is looked at.
//! 3. The engine writes the published table: every value goes where a look-up table sends it, and records of suppressed
//!    classes are left out.
//! 4. The attacks at hand are counted from the tuples; what depends on other columns is one more `GROUP BY`.
//!
//! # Guarantee
//! The release is that of [`run`](crate::run()) on the same records, byte for byte, whatever the engine, its threads and its
//! executors: tuples are put into the order in which they first appear, and all that is computed follows that order.
//! Whatever goes wrong, no release is left behind.

mod check;
mod csv;
mod recoding;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use privet_attack::Finding;
use privet_data::io::{Format, Input, ReadOptions};
use privet_data::{Column, Progress, Role};
use privet_recode::lattice::{self, SearchError};
use privet_release::{Draft, Manifest};

use crate::error::{JobError, NothingLeft, RunError};
use crate::job::Job;
use crate::load::{Loaded, Source, fit_from, require_columns};
use crate::publish::{DataFile, conclude_beside, manifest};
use crate::run::{Candidate, Prepared, RunOptions, not_tried};
use crate::summary::{Seconds, Summary};
pub use check::{check, check_output};
pub(crate) use privet_microdata::candidate::Weighted;
pub use privet_microdata::engine::{EngineError, EngineKind, EngineSection, check_memory};
pub use recoding::{Published, PublishedColumn, Recoding};

/// What is read of a table.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// The columns that are published, all but identifiers.
    pub columns: Vec<String>,
    /// Those by which records are grouped: quasi and sensitive columns, and that of the class labels.
    pub grouped: Vec<String>,
    /// What texts mean: which are missing, and which are one value.
    pub options: ReadOptions,
}

/// The distinct tuples of a table.
#[derive(Debug, Clone)]
pub struct Tuples {
    /// The columns that are published, in the order of the table, with one code for each distinct value (*entry*), and the
    /// number of all records. A column by which records are not grouped may come without values and codes: of it the kind is
    /// known, and it stays as it is.
    pub input: Input,
    /// Per column the entry of each tuple; nothing for a column by which records are not grouped.
    pub entries: Vec<Option<Vec<u32>>>,
    /// Per tuple how many records have it.
    pub weights: Vec<u32>,
    /// Whether the engine's table has entries in place of values, in all columns.
    pub is_coded: bool,
    /// Per tuple the number of the first record that has it, counted from 0, in ascending order.
    pub first: Vec<u64>,
}

/// What was written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    /// Records that were published.
    pub rows: u64,
    /// Per watched record how many records before it were suppressed.
    pub suppressed_before: Vec<u64>,
}

/// A table that an engine reads, groups and writes.
pub trait Engine {
    /// Groups the records.
    ///
    /// # Errors
    /// When the table cannot be read, or something runs out.
    fn read(&mut self, wanted: &Wanted, progress: &dyn Progress) -> Result<Tuples, RunError>;

    /// Writes the published table into a draft, in the order of the input.
    ///
    /// # Errors
    /// When the table cannot be read again or not be written, or something runs out.
    fn write(
        &mut self,
        recoding: &Recoding,
        draft: &Draft,
        progress: &dyn Progress,
    ) -> Result<Written, RunError>;

    /// Hands on the entries of the published records, in the order of the input: per call some records, and per column the entry of
    /// each. Tables of entries ([`Tuples::is_coded`]) are written as CSV from these.
    ///
    /// # Errors
    /// As [`write`](Self::write); also when the table has values in place of entries, or `each` has an error.
    fn entries(
        &mut self,
        _recoding: &Recoding,
        _each: &mut dyn FnMut(&[&[u32]]) -> Result<(), RunError>,
        _progress: &dyn Progress,
    ) -> Result<Written, RunError> {
        let problem = "must be \"parquet\" or \"arrow\" where an engine writes the table";
        Err(JobError::key("output.format", problem).into())
    }

    /// Of the published records, how many groups by their class and these columns have how many records: pairs of a size
    /// and the number of groups. Nothing when the engine cannot tell.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    fn alike(
        &mut self,
        recoding: &Recoding,
        columns: &[String],
        progress: &dyn Progress,
    ) -> Result<Option<Vec<(u64, u64)>>, RunError>;

    /// Publishes what the engine wrote to another place than the draft, such as a table of a database. The release folder is
    /// complete and durable by then, and appears right afterwards; it never appears when this fails.
    ///
    /// # Errors
    /// When it cannot be published; nothing of it is there then.
    fn publish_beside(&mut self) -> Result<(), RunError> {
        Ok(())
    }

    /// Takes back what [`publish_beside`](Self::publish_beside) published, as the folder could not be put in place.
    ///
    /// # Errors
    /// When that fails; the message says what is left.
    fn take_back(&mut self) -> Result<(), RunError> {
        Ok(())
    }
}

/// What is known of the tuples besides their codes.
struct Listed {
    /// The columns of the table with one code for each entry.
    by_entry: Vec<Column>,
    is_coded: bool,
    weights: Vec<u32>,
    first: Vec<u64>,
}

/// Runs a job on an engine, from the table to a finished release folder.
///
/// # Errors
/// As [`run`](crate::run()); also when the job asks for what needs all records at once, or the engine fails.
pub fn run_on(
    job: &Job,
    options: &RunOptions,
    engine: &mut dyn Engine,
    progress: &dyn Progress,
) -> Result<Summary, RunError> {
    let start = Instant::now();
    check(job)?;
    let folder = options.base.join(&job.output.folder);
    crate::overwrite::spare_inputs_within(&folder, [options.base.join(&job.input.path).as_path()])?;
    let key = job.output.key(&options.base)?;
    let draft = Draft::begin(&folder, job.output.replace)?.signed_with(key);
    let (loaded, listed) = read(job, options, engine, progress)?;
    let read = start.elapsed();

    let searching = Instant::now();
    let prepared = Prepared::new(&loaded)?;
    let criteria = prepared.criteria(&loaded, &loaded.requirements)?;
    let problem = prepared.problem(&loaded, job, &criteria);
    let chosen = job.search.choose_weighted(&problem, &listed.weights, progress)?;
    let search = searching.elapsed();

    let writing = Instant::now();
    let published = chosen.published(&problem);
    let at = problem.at(&published.levels);
    let partition = lattice::partition_weighted(&problem, &listed.weights, &at);
    let candidate = Candidate {
        job,
        loaded: &loaded,
        own: &problem,
        problem: &problem,
        chosen: &chosen,
        levels: &published.levels,
        partition: &partition,
        purpose: None,
        first_of_group: None,
        weighted: Some(Weighted { weights: &listed.weights, places: BTreeMap::new(), alike: None }),
    };
    let (made, attacks) = publish(draft, candidate, &listed, engine, options, progress)?;
    let seconds = Seconds {
        read: read.as_secs_f64(),
        search: search.as_secs_f64(),
        group_by: chosen.reduction.as_secs_f64(),
        write: writing.elapsed().as_secs_f64(),
        total: start.elapsed().as_secs_f64(),
    };
    let mut summary = Summary::new(folder, &made, seconds);
    summary.not_tried = not_tried(&attacks, &made);
    summary.attacks = attacks;
    summary.written.clone_from(&loaded.written);
    Ok(summary)
}

/// Has the engine group the table, and fits hierarchies to what it found. In what is loaded, tuples stand where records stood.
fn read(
    job: &Job,
    options: &RunOptions,
    engine: &mut dyn Engine,
    progress: &dyn Progress,
) -> Result<(Loaded, Listed), RunError> {
    let read_options = options_of(job, &options.base)?;
    let Tuples { input, entries, weights, is_coded, first } =
        engine.read(&wanted(job, &read_options), progress)?;
    require_columns(job, &input.names)?;
    if input.table.rows == 0 {
        return Err(RunError::Empty(NothingLeft::NoInput));
    }
    if weights.iter().map(|&weight| u64::from(weight)).sum::<u64>() != input.table.rows as u64 {
        return Err(miscounted());
    }
    let count = |(column, entries): (&Column, &Option<Vec<u32>>)| {
        let mut counts = vec![0; column.domain.len()];
        for (&entry, &weight) in entries.iter().flatten().zip(&weights) {
            counts[column.codes[entry as usize] as usize] += u64::from(weight);
        }
        (column.name.clone(), counts)
    };
    let counts: BTreeMap<String, Vec<u64>> = input.table.columns.iter().zip(&entries).map(count).collect();
    let count = |column: &Column| counts.get(&column.name).cloned().unwrap_or_default();
    let source = Source {
        path: &job.input.path,
        options: &read_options,
        show_values: options.show_values,
        has_records: false,
    };
    let mut loaded = fit_from(job, &options.base, input, None, count, Some(&source))?;
    let by_entry = loaded.input.table.columns.clone();
    for (column, entries) in loaded.input.table.columns.iter_mut().zip(entries) {
        let codes = std::mem::take(&mut column.codes);
        column.codes = entries.unwrap_or_default();
        column.codes.iter_mut().for_each(|entry| *entry = codes[*entry as usize]);
    }
    Ok((loaded, Listed { by_entry, is_coded, weights, first }))
}

/// Judges what was chosen once more, has the engine write it, and puts the release in place.
fn publish<'a>(
    draft: Draft,
    mut candidate: Candidate<'a>,
    listed: &'a Listed,
    engine: &mut dyn Engine,
    options: &RunOptions,
    progress: &dyn Progress,
) -> Result<(Manifest, Vec<Finding>), RunError> {
    let Candidate { job, loaded, problem, partition, .. } = candidate;
    let left_out = partition.rows.iter().zip(&partition.kept).filter(|(_, kept)| !**kept);
    let suppressed: u64 = left_out.map(|(rows, _)| rows).sum();
    let absence = problem.criteria.iter().any(|criterion| criterion.judges_absence());
    if suppressed > if absence { 0 } else { problem.suppress_at_most } {
        return Err(SearchError::Unsafe { algorithm: job.search.word() }.into());
    }
    let records = loaded.input.table.rows as u64;
    if suppressed == records {
        return Err(RunError::Empty(NothingLeft::Suppressed { records }));
    }
    let data = DataFile::of(&candidate)?;
    // The records whose places the promises tell.
    let worst: BTreeSet<u32> =
        partition.reached.iter().flatten().map(|&(_, class)| partition.first[class as usize]).collect();
    let watched: Vec<u64> = worst.iter().map(|&tuple| listed.first[tuple as usize]).collect();
    let recoding = Recoding::new(&candidate, &data, &listed.by_entry, listed.is_coded, watched)?;
    let is_insensitive =
        |name: &&String| job.columns.get(*name).is_some_and(|own| own.role == Role::Insensitive);
    let names = loaded.input.table.columns.iter().map(|own| &own.name);
    let insensitive: Vec<String> = names.filter(is_insensitive).cloned().collect();
    let alike = match insensitive.is_empty() {
        true => None,
        false => engine.alike(&recoding, &insensitive, progress)?,
    };
    if job.adversary.is_limited() && alike.is_none() && !insensitive.is_empty() {
        let problem =
            "sets a limit, and the engine does not count who stands alone by the insensitive columns";
        return Err(JobError::key("adversary", problem).into());
    }
    // Each published record is in one group, or the engine cannot be trusted with what it writes either.
    let counted = alike.iter().flatten().map(|(size, groups)| size * groups).sum::<u64>();
    if alike.is_some() && counted != records - suppressed {
        return Err(miscounted());
    }
    let written = match data.format {
        Format::Csv => csv::write(engine, &recoding, &candidate, &listed.by_entry, &data, &draft, progress)?,
        _ => engine.write(&recoding, &draft, progress)?,
    };
    // What was written is what was judged, or nothing is handed over.
    if written.rows != records - suppressed {
        return Err(EngineError::input("the input has changed while it was anonymized").into());
    }
    let places = worst.iter().zip(&recoding.watched).zip(&written.suppressed_before);
    let places = places.map(|((&tuple, &record), &before)| (tuple, record - before + 1)).collect();
    candidate.weighted = Some(Weighted { weights: &listed.weights, places, alike });
    let made = manifest(&candidate, &data.name, data.format, &data.dialect, suppressed);
    let mut is_beside = false;
    let ended = conclude_beside(draft, made, &candidate, options, progress, &mut || {
        engine.publish_beside()?;
        is_beside = true;
        Ok(())
    });
    if ended.is_err() && is_beside {
        engine.take_back()?;
    }
    ended
}

/// What is told where an engine counts other records than there are.
fn miscounted() -> RunError {
    EngineError::resources("the engine did not count every record once; nothing was published").into()
}

/// How the input of a job is read: all columns but identifiers.
///
/// # Errors
/// When the job says something of it that is not accepted.
pub fn options_of(job: &Job, base: &std::path::Path) -> Result<ReadOptions, JobError> {
    crate::load::options_of(job, base)
}

/// What is read for a job.
pub fn wanted(job: &Job, options: &ReadOptions) -> Wanted {
    let published = job.columns.iter().filter(|(_, column)| column.role != Role::Identifier);
    let columns: Vec<String> = published.map(|(name, _)| name.clone()).collect();
    let is_grouped = |name: &String| {
        job.search.class.as_ref() == Some(name)
            || matches!(job.columns.get(name).map(|own| own.role), Some(Role::Quasi | Role::Sensitive))
    };
    let grouped = columns.iter().filter(|name| is_grouped(name)).cloned().collect();
    Wanted { columns, grouped, options: options.clone() }
}
