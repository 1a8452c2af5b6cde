//! Mondrian from file to release with a bounded part of the table in memory (survey ME-09; LeFevre and DeWitt).
//!
//! 1. The input goes by once. Every distinct cell of a column that is published gets a number, and the numbers go to a
//!    temporary file, four bytes for each cell.
//! 2. Domains and hierarchies are made from the distinct cells and how often each occurs.
//! 3. The search reads the file in passes and leaves the group of each record in a second file.
//! 4. One pass gathers what is known of each group. From that come the labels and the classes; groups that show the same
//!    are one class. Each class is judged once more by the histograms of exactly what will be published.
//! 5. The published table is written in the order of the input, chunk by chunk.
//!
//! # Guarantee
//! The release keeps its promises and is minimal, as one that was searched for in memory; metrics, classes and manifest
//! are those that the same groups would have there. The bytes do not depend on the number of threads. What is in memory
//! grows with the limit, the distinct values and the groups, but not with the number of records. The temporary files lie
//! beside the release, hold no value of the table, and are gone however the run ends.
//!
//! How it departs from the in-memory run: the first cuts are those of a sample, so the groups are not the same.

mod budget;
mod source;
#[cfg(test)]
mod tests;
mod write;

use std::time::Instant;

use privet_criteria::Requirement;
use privet_data::Progress;
use privet_recode::groups::{RegroupedColumn, represent_extents};
use privet_recode::lattice::{Problem, Quasi, SearchError};
use privet_recode::partition::{Names, Summaries, tuple_entropy_in_passes};
use privet_release::{Draft, Scratch};

use crate::chosen::{Chosen, Place};
use crate::error::{JobError, NothingLeft, RunError};
use crate::job::{Job, Publish};
use crate::load::{Loaded, Source, fit_from, one_population, options_of, require_columns};
use crate::mondrian::MondrianSection;
use crate::publish::{DataFile, conclude, manifest};
use crate::run::{Candidate, Prepared, RunOptions};
use crate::summary::{Seconds, Summary};
use budget::{Budget, Reading};
use privet_microdata::memory_limit::{MemoryLimit, limit_of};
use source::{Coded, Spilled};
use write::write_data;

/// Records that are read and written at once.
const CHUNK: usize = 1 << 14;

/// What came of it.
pub(crate) enum Attempt {
    /// A release.
    Done(Box<Summary>),
    /// The job gives no limit, or the input is not larger.
    NotNeeded(Box<Draft>),
}

/// Runs a job with a bounded part of its input in memory, where the job asks for it and the input is larger than that.
pub(crate) fn attempt(
    job: &Job,
    options: &RunOptions,
    draft: Draft,
    start: Instant,
    progress: &dyn Progress,
) -> Result<Attempt, RunError> {
    let Some(limit) = limit_of(job) else { return Ok(Attempt::NotNeeded(Box::new(draft))) };
    if let (Some(_), Some(requirement)) =
        (one_population(&job.privacy)?, job.privacy.iter().find(|r| r.population().is_some()))
    {
        let problem =
            "compares with a population table; `mondrian` takes criteria that look at the table alone";
        return Err(JobError::key(format!("privacy.{}", requirement.key()), problem).into());
    }
    let path = options.base.join(&job.input.path);
    // What cannot be read a second time is searched in passes, whatever its size.
    let can_be_read_again =
        job.input.frame.is_some() || std::fs::metadata(&path).is_ok_and(|metadata| metadata.is_file());
    let chunk = match limit {
        MemoryLimit::Records(records) => CHUNK.min(usize::try_from(records).unwrap_or(CHUNK)),
        MemoryLimit::Bytes(_) => CHUNK,
    };
    let scratch = draft.scratch()?;
    let read_options = options_of(job, &options.base)?;
    let mut spilled =
        Spilled::read(job, &path, &read_options, (scratch.path(), chunk, Reading::new(limit)), progress)?;
    require_columns(job, &spilled.input.names)?;
    if can_be_read_again
        && matches!(limit, MemoryLimit::Records(records) if spilled.file.rows() as u64 <= records)
    {
        return Ok(Attempt::NotNeeded(Box::new(draft)));
    }
    let counts = spilled.counts();
    let count = |column: &privet_data::Column| counts.get(&column.name).cloned().unwrap_or_default();
    let show_values = options.show_values;
    let source = Source { path: &path, options: &read_options, show_values, has_records: false };
    let loaded = fit_from(job, &options.base, spilled.input, None, count, Some(&source))?;
    drop(counts);
    let mut source = Coded::new(&mut spilled.file, &loaded, job);
    let joint = match loaded.requirements.iter().any(Requirement::needs_joint) {
        true => Some(source.combine(progress)?),
        false => None,
    };
    let prepared = Prepared::of_joint(joint);
    let criteria = prepared.criteria(&loaded, &loaded.requirements)?;
    let problem = prepared.problem(&loaded, job, &criteria);
    let least = problem.criteria.iter().map(|criterion| criterion.least_rows()).max().unwrap_or(1);
    let budget = Budget::new(limit, &loaded, least);
    if can_be_read_again && budget.holds_all(&problem, &loaded) {
        return Ok(Attempt::NotNeeded(Box::new(draft)));
    }
    let most = budget.records(&problem)?;
    let run = Run { job, options, loaded: &loaded, problem: &problem, most, budget, progress };
    Ok(Attempt::Done(Box::new(run.publish(draft, scratch, source, start)?)))
}

/// A run whose input is in a temporary file.
struct Run<'a> {
    job: &'a Job,
    options: &'a RunOptions,
    loaded: &'a Loaded,
    /// The problem without its records.
    problem: &'a Problem<'a>,
    /// The most records in memory at once.
    most: u64,
    budget: Budget,
    progress: &'a dyn Progress,
}

impl Run<'_> {
    /// Searches, judges what would be published, and publishes it.
    fn publish(
        &self,
        draft: Draft,
        scratch: Scratch,
        mut source: Coded<'_>,
        start: Instant,
    ) -> Result<Summary, RunError> {
        let Run { job, problem, progress, .. } = *self;
        if problem.rows == 0 {
            return Err(RunError::Empty(NothingLeft::NoInput));
        }
        let read = start.elapsed();
        let searching = Instant::now();
        let mut names = Names::in_file(scratch.path(), problem.rows)?;
        let mondrian = job.search.parameters::<MondrianSection>().cloned().unwrap_or_default();
        let search = mondrian.limited(self.most);
        let found = search.search_in_passes(problem, &mut source, &mut names, progress)?;
        let searched = searching.elapsed();

        let writing = Instant::now();
        // What is known of the groups comes from now on out of what was for records.
        let budget = self.budget.with_groups(found.groups, problem);
        budget.records(problem)?;
        let groups = Summaries::gather(problem, found.groups, &mut source, &mut names, progress)?;
        let first_codes = groups.first_codes();
        // From here on groups stand where records stood.
        let quasi = problem.quasi.iter().zip(&first_codes).map(|(quasi, codes)| Quasi { codes, ..*quasi });
        let own = Problem { quasi: quasi.collect(), sensitive: problem.sensitive.clone(), ..*problem };
        let chosen = self.chosen(&own, &groups)?;
        let most =
            usize::try_from(budget.with_labels(labels_of(&chosen)).records(problem)?).unwrap_or(usize::MAX);
        let tuple_entropy = tuple_entropy_in_passes(problem, most, &mut source, progress)?;
        let chosen = chosen.with_tuple_entropy(tuple_entropy);
        let published = chosen.published_by_groups(&own, &groups.rows);
        let shown = published.problem(&own);
        let recoding = shown.at(&published.levels);
        let partition = groups.partition(&shown, &recoding, most, (&mut source, &mut names), progress)?;
        // The last gate: whatever chose it and however it is recoded, this is what would be published.
        if partition.kept.contains(&false) {
            return Err(SearchError::Unsafe { algorithm: job.search.word() }.into());
        }
        let candidate = Candidate {
            job,
            loaded: self.loaded,
            own: &own,
            problem: &shown,
            chosen: &chosen,
            levels: &published.levels,
            partition: &partition,
            purpose: None,
            first_of_group: Some(&groups.first),
            weighted: None,
        };
        let data = DataFile::of(&candidate)?;
        write_data(&draft, &candidate, &data, (source.into_file(), &mut names), progress)?;
        let manifest = manifest(&candidate, &data.name, data.format, &data.dialect, 0);
        // Gone before the release is there.
        drop((names, scratch));
        let (manifest, attacks) = conclude(draft, manifest, &candidate, self.options, progress)?;
        let seconds = Seconds {
            read: read.as_secs_f64(),
            search: searched.as_secs_f64(),
            group_by: chosen.reduction.as_secs_f64(),
            write: writing.elapsed().as_secs_f64(),
            total: start.elapsed().as_secs_f64(),
        };
        let folder = self.options.base.join(&job.output.folder);
        let mut summary = Summary::new(folder, &manifest, seconds);
        summary.not_tried = crate::run::not_tried(&attacks, &manifest);
        summary.attacks = attacks;
        summary.written.clone_from(&self.loaded.written);
        Ok(summary)
    }

    /// What the groups publish.
    fn chosen(&self, own: &Problem<'_>, groups: &Summaries) -> Result<Chosen, RunError> {
        let how = self.job.search.published().and_then(Publish::represent).unwrap_or_default();
        let columns = own.quasi.iter().zip(&groups.extents);
        let columns: Option<Vec<RegroupedColumn>> =
            columns.map(|(quasi, extents)| represent_extents(quasi, how, extents)).collect();
        let problem = "must be \"nodes\" or \"ranges\" where search.mondrian.memory-limit is given";
        let columns = columns.ok_or(SearchError::Parameter { key: "search.publish", problem })?;
        Ok(Chosen::regrouped(own, columns, how))
    }
}

/// Per quasi column how many labels it publishes, and their characters.
fn labels_of(chosen: &Chosen) -> impl Iterator<Item = (usize, u64)> + '_ {
    chosen.places.iter().filter_map(|place| match place {
        Place::Level(_) => None,
        Place::Nodes { level, .. } | Place::Cells { level, .. } => {
            Some((level.labels.len(), level.labels.iter().map(|label| label.len() as u64).sum()))
        }
    })
}
