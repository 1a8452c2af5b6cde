//! The main job: read, search, publish.

use std::path::Path;
use std::time::Instant;

use privet_data::Progress;
use privet_recode::lattice::{self, Problem, SearchError};
use privet_release::Manifest;
use privet_release::manifest::Purpose;

use crate::by_purpose::ByPurpose;
use crate::chosen::{Chosen, Formed};
use crate::countermeasure::{self, Countermeasure, distort, p_safe};
use crate::error::{JobError, RunError};
use crate::history;
use crate::job::Job;
use crate::load::{Loaded, load_showing};
use crate::mondrian::MondrianSection;
use crate::out_of_core::{self, Attempt};
use crate::overwrite::spare_inputs_within;
use crate::publish::publish;
use crate::purpose::Purposes;
use crate::recoding::Recoding;
use crate::summary::{Seconds, Summary};
pub(crate) use privet_microdata::candidate::{Candidate, Prepared, RunOptions};
use privet_microdata::memory_limit;

/// Runs a job from its input to a finished release folder.
///
/// # Errors
/// When the input, a hierarchy or a promise is at fault, no safe release exists, or the release cannot be
/// written. Nothing is left behind then, and an existing release stays as it was.
pub fn run(job: &Job, options: &RunOptions, progress: &dyn Progress) -> Result<Summary, RunError> {
    let start = Instant::now();
    crate::engine::check_memory(job)?;
    let folder = options.base.join(&job.output.folder);
    // Known now rather than when the release stands; gone again if nothing comes of it.
    let input = options.base.join(&job.input.path);
    spare_inputs_within(&folder, [input.as_path()])?;
    let home = job.output.home.as_ref();
    let home = home.map(|home| crate::assess::home::begin(&options.base.join(home), &folder, &input));
    let _home = home.transpose()?;
    // Flags may have changed the job since it was read.
    memory_limit::check(job)?;
    countermeasure::check(job)?;
    // Before any work: a release that is in the way is better known now than at the end.
    let key = job.output.key(&options.base)?;
    let draft = privet_release::Draft::begin(&folder, job.output.replace)?.signed_with(key);

    let draft = match out_of_core::attempt(job, options, draft, start, progress)? {
        Attempt::Done(summary) => return Ok(*summary),
        Attempt::NotNeeded(draft) => *draft,
    };
    let mut loaded = load_showing(job, &options.base, options.show_values, progress)?;
    let read = start.elapsed();

    let before = Instant::now();
    let given = match job.adversary.countermeasure {
        Some(Countermeasure::Distort) => Some(distort::apply(job, &mut loaded, progress)?),
        Some(Countermeasure::PSafe) | None => None,
    };
    let prepared = Prepared::new(&loaded)?;
    let criteria = prepared.criteria(&loaded, &loaded.requirements)?;
    let problem = prepared.problem(&loaded, job, &criteria);
    let mut searching = Instant::now();
    if given.is_some() {
        searching = before;
    }
    let is_p_safe = job.adversary.countermeasure == Some(Countermeasure::PSafe);
    let (chosen, purpose) = match given {
        Some(chosen) => (chosen, None),
        None if is_p_safe => (p_safe::search(job, &loaded, &prepared, progress)?.chosen(&loaded), None),
        None if job.search.is::<ByPurpose>() => decompose(job, &options.base, &loaded, &problem, progress)?,
        None => (choose(job, &loaded, &problem, progress)?, None),
    };
    let written = chosen.notes.clone();
    let search = searching.elapsed();

    let writing = Instant::now();
    let published = chosen.published(&problem);
    let own = problem;
    let problem = published.problem(&own);
    let partition = match &chosen.buckets {
        Some(buckets) => lattice::partition_of_groups(&problem, buckets),
        None => lattice::partition(&problem, &problem.at(&published.levels)),
    };
    // The last gate: whatever chose it and however it is recoded, this is what would be published.
    let suppressed: u64 =
        partition.rows.iter().zip(&partition.kept).filter(|(_, kept)| !**kept).map(|(rows, _)| rows).sum();
    let absence = problem.criteria.iter().any(|criterion| criterion.judges_absence());
    if suppressed > if absence { 0 } else { problem.suppress_at_most } {
        if job.recoding.is_some() {
            return Err(Recoding::refusal(&problem, &problem.at(&published.levels), suppressed));
        }
        return Err(SearchError::Unsafe { algorithm: job.search.word() }.into());
    }
    let candidate = Candidate {
        job,
        loaded: &loaded,
        own: &own,
        problem: &problem,
        chosen: &chosen,
        levels: &published.levels,
        partition: &partition,
        purpose: purpose.as_ref(),
        first_of_group: None,
        weighted: None,
    };
    let of_history = history::gate(&candidate, &options.base)?;
    let (manifest, attacks) = publish(draft, &candidate, options, progress)?;
    let write = writing.elapsed();

    let seconds = Seconds {
        read: read.as_secs_f64(),
        search: search.as_secs_f64(),
        group_by: chosen.reduction.as_secs_f64(),
        write: write.as_secs_f64(),
        total: start.elapsed().as_secs_f64(),
    };
    let mut summary = Summary::new(folder, &manifest, seconds);
    summary.not_tried = not_tried(&attacks, &manifest);
    summary.attacks = attacks;
    summary.home = job.output.home.as_ref().map(|home| options.base.join(home));
    summary.written = loaded.written.into_iter().chain(written).chain(of_history).collect();
    Ok(summary)
}

/// The attacks that were not made before a release was handed over, by their words.
pub(crate) fn not_tried(made: &[privet_attack::Finding], manifest: &Manifest) -> Vec<&'static str> {
    privet_report::not_tried(manifest, made).map(|own| own.word).collect()
}

/// The candidate that a search chooses.
pub(crate) fn choose(
    job: &Job,
    loaded: &Loaded,
    problem: &Problem<'_>,
    progress: &dyn Progress,
) -> Result<Chosen, RunError> {
    if let Some(recoding) = &job.recoding {
        return recoding.choose(loaded, problem);
    }
    match job.search.published() {
        Some(publish) => {
            let formed = groups(job, loaded, problem, progress)?;
            Ok(Chosen::groups(problem, formed, publish))
        }
        None => Ok(job.search.choose(problem, progress)?),
    }
}

/// The groups of an algorithm that forms groups.
fn groups(
    job: &Job,
    loaded: &Loaded,
    problem: &Problem<'_>,
    progress: &dyn Progress,
) -> Result<Formed, RunError> {
    if let Some(mondrian) = job.search.parameters::<MondrianSection>() {
        let groups = mondrian.search_groups(loaded, problem, progress)?;
        return Ok(Formed { groups, aggregation: None, anatomy: None });
    }
    let nothing = SearchError::NothingFound { algorithm: job.search.word() };
    Ok(job.search.groups(problem, loaded.given_buckets.as_ref(), progress)?.ok_or(nothing)?)
}

/// Looks up what the release is for and for whom, and coarsens as far as that asks for.
pub(crate) fn decompose(
    job: &Job,
    base: &Path,
    loaded: &Loaded,
    problem: &Problem<'_>,
    progress: &dyn Progress,
) -> Result<(Chosen, Option<Purpose>), RunError> {
    let section = &job.purpose;
    let (Some(file), Some(name), Some(trust)) = (&section.file, &section.name, &section.trust) else {
        return Err(JobError::key("purpose", "needs a file, a name and a trust").into());
    };
    let names: Vec<&str> =
        loaded.quasi.iter().map(|quasi| loaded.input.table.columns[quasi.position].name.as_str()).collect();
    let request = Purposes::read(&base.join(file))?.resolve(name, &trust.text(), &names)?;
    let mut decomposition = request.decomposition();
    decomposition.until_safe = section.until_safe.unwrap_or(true);
    let plan = decomposition.plan(problem, progress)?;
    let found = match decomposition.until_safe {
        true => plan.best_above(problem, progress)?,
        false => plan.search(problem, progress)?,
    };
    let purpose = Purpose {
        purpose: request.purpose.clone(),
        requester: request.requester.clone(),
        trust: request.trust,
        degree: request.degree,
        priorities: plan.priorities().to_vec(),
        levels: plan.levels().to_vec(),
    };
    Ok((Chosen::node(found), Some(purpose)))
}
