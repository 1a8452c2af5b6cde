//! The main job: read, search, publish.

use std::path::{Path, PathBuf};
use std::time::Instant;

use privet_criteria::{Criterion, Joint, Requirement, SensitiveColumn, build};
use privet_data::Progress;
use privet_recode::cluster::Microaggregation;
use privet_recode::lattice::{self, Codes, Partition, Problem, SearchError};
use privet_release::Manifest;
use privet_release::manifest::Purpose;

use crate::by_purpose::ByPurpose;
use crate::chosen::{Chosen, Formed};
use crate::countermeasure::{self, Countermeasure, distort, p_safe};
use crate::counts::{self, Begun};
use crate::engine::Weighted;
use crate::error::{JobError, RunError};
use crate::history;
use crate::job::{Job, Publish};
use crate::load::{Loaded, Quasi, load_showing};
use crate::mondrian::MondrianSection;
use crate::out_of_core::{self, Attempt};
use crate::overwrite::spare_inputs_within;
use crate::publish::publish;
use crate::purpose::Purposes;
use crate::recoding::Recoding;
use crate::summary::{Seconds, Summary};

/// What a run is told besides the job.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// The folder that paths of the job are relative to: that of the job file.
    pub base: PathBuf,
    /// The command that makes this release again, for the report.
    pub reproduce: Vec<String>,
    /// Whether errors may tell values of the data, to the owner who asked for them.
    pub show_values: bool,
}

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
    out_of_core::check(job)?;
    countermeasure::check(job)?;
    if counts::asked(job) {
        counts::check(job)?;
    }
    // Before any work: a release that is in the way is better known now than at the end.
    let key = job.output.key(&options.base)?;
    let draft = privet_release::Draft::begin(&folder, job.output.replace)?.signed_with(key);

    let draft = match out_of_core::attempt(job, options, draft, start, progress)? {
        Attempt::Done(summary) => return Ok(*summary),
        Attempt::NotNeeded(draft) => *draft,
    };
    let mut loaded = load_showing(job, &options.base, options.show_values, progress)?;
    let read = start.elapsed();

    if counts::asked(job) {
        let begun = Begun { job, loaded: &loaded, reproduce: &options.reproduce, folder, start, read };
        let summary = counts::run(begun, draft, progress)?;
        return Ok(Summary { written: loaded.written, ..summary });
    }

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

/// A candidate that was chosen, with all it rests on.
pub(crate) struct Candidate<'a> {
    pub job: &'a Job,
    pub loaded: &'a Loaded,
    /// The problem that the search was given.
    pub own: &'a Problem<'a>,
    /// The problem in which the published table is a choice of levels: that one, but where the search went beyond
    /// levels.
    pub problem: &'a Problem<'a>,
    pub chosen: &'a Chosen,
    pub levels: &'a [usize],
    pub partition: &'a Partition,
    /// What for and for whom, when that decided.
    pub purpose: Option<&'a Purpose>,
    /// Per group its first record, when codes and classes are those of groups and not of records, because the records
    /// are not in memory.
    pub first_of_group: Option<&'a [u32]>,
    /// What stands where records stood, when that is distinct tuples.
    pub weighted: Option<Weighted<'a>>,
}

impl Candidate<'_> {
    /// Whether a column is published in a table of its own.
    pub fn stands_apart(&self, position: usize) -> bool {
        self.chosen.buckets.is_some() && self.loaded.sensitive.iter().any(|s| s.position == position)
    }
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

/// The combinations of sensitive values, when a criterion looks at them.
pub(crate) struct Prepared {
    joint: Option<(Joint, Vec<u32>)>,
}

impl Prepared {
    pub fn new(loaded: &Loaded) -> Result<Self, RunError> {
        let wanted = loaded.requirements.iter().any(|requirement| requirement.needs_joint());
        Ok(Self { joint: wanted.then(|| combine(loaded)) })
    }

    /// The same, when the records are not in memory.
    pub fn of_joint(joint: Option<Joint>) -> Self {
        Self { joint: joint.map(|joint| (joint, Vec::new())) }
    }

    pub fn criteria(
        &self,
        loaded: &Loaded,
        requirements: &[Requirement],
    ) -> Result<Vec<Box<dyn Criterion>>, RunError> {
        let columns: Vec<SensitiveColumn<'_>> = loaded
            .sensitive
            .iter()
            .map(|sensitive| {
                let column = &loaded.input.table.columns[sensitive.position];
                SensitiveColumn {
                    name: &column.name,
                    domain: &column.domain,
                    counts: &sensitive.counts,
                    hierarchy: sensitive.hierarchy.as_ref(),
                }
            })
            .collect();
        let joint = self.joint.as_ref().map(|(joint, _)| joint);
        Ok(build(requirements, &columns, joint, loaded.input.table.rows as u64)?)
    }

    pub fn problem<'a>(
        &'a self,
        loaded: &'a Loaded,
        job: &Job,
        criteria: &'a [Box<dyn Criterion>],
    ) -> Problem<'a> {
        let table = &loaded.input.table;
        let codes = |position: usize| Codes {
            codes: &table.columns[position].codes,
            values: table.columns[position].domain.len(),
        };
        let mut sensitive: Vec<Codes<'_>> = loaded.sensitive.iter().map(|s| codes(s.position)).collect();
        if let Some((joint, joint_codes)) = &self.joint {
            sensitive.push(Codes { codes: joint_codes, values: joint.combinations.len() });
        }
        // Postal codes have no mean and no median, although they are made of digits. Microaggregation measures distances
        // as well, which they have not, whatever is published.
        let by_numbers = job.search.is::<Microaggregation>()
            || matches!(job.search.published(), Some(Publish::Means | Publish::Medians));
        let is_code = |quasi: &Quasi| job.is_code(&table.columns[quasi.position].name, &quasi.generalization);
        let quasi = loaded
            .quasi
            .iter()
            .map(|quasi| lattice::Quasi {
                codes: quasi.codes(&table.columns[quasi.position]),
                counts: &quasi.counts,
                generalization: &quasi.generalization,
                numbers: quasi.numbers.as_deref().filter(|_| !(by_numbers && is_code(quasi))),
                weight: quasi.weight,
                population: quasi.population(),
            })
            .collect();
        // A share of the records, rounded down; the small addend keeps 0.29 of 100 from becoming 28.
        let limit = (job.search.suppress_at_most * table.rows as f64 + 1e-9).floor() as u64;
        Problem {
            rows: table.rows,
            quasi,
            sensitive,
            label: job.search.class.as_deref().and_then(|name| table.position(name)).map(codes),
            criteria,
            metric: job.search.minimize,
            suppress_at_most: limit,
        }
    }
}

/// Numbers the combinations of all sensitive columns that occur, in the order of the records.
fn combine(loaded: &Loaded) -> (Joint, Vec<u32>) {
    let columns: Vec<&[u32]> =
        loaded.sensitive.iter().map(|s| &*loaded.input.table.columns[s.position].codes).collect();
    let mut number = std::collections::HashMap::new();
    let mut combinations = Vec::new();
    // Records, or the tuples that stand where records stood.
    let codes = (0..columns.first().map_or(0, |codes| codes.len()))
        .map(|row| {
            let combination: Vec<u32> = columns.iter().map(|codes| codes[row]).collect();
            *number.entry(combination).or_insert_with_key(|combination| {
                combinations.push(combination.clone());
                combinations.len() as u32 - 1
            })
        })
        .collect();
    (Joint { combinations }, codes)
}

/// The folder of a job file, to which its paths are relative.
pub fn base_of(job_file: &Path) -> PathBuf {
    match job_file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}
