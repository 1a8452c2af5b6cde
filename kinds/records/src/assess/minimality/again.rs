//! The search of a job again, on other values in its sensitive columns: what it would have published.
//!
//! # Guarantee
//! Two tables lead to the same release where, but for sensitive values, the same comes out here: records stand together in the
//! same classes, the same classes are published, and they show the same. Searches that are led by chance, or by a clock, are refused.

use privet_attack::adversary::suspects;
use privet_attack::minimality::Released;
use privet_data::{GeneralizedLevel, Progress, Role};
use privet_recode::lattice::{self, Problem, SearchError};
use privet_release::Published;

use crate::anatomy::AnatomySection;
use crate::assess::original::{JobAt, Original};
use crate::assess::people::{PeopleTable, shows_points};
use crate::by_purpose::ByPurpose;
use crate::chosen::{Chosen, Place};
use crate::countermeasure::Countermeasure;
use crate::error::RunError;
use crate::load::Loaded;
use crate::mondrian::MondrianSection;
use crate::run::{choose, decompose};

/// What classes show of a column.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shown {
    /// All values at one level of the hierarchy.
    Level(usize),
    /// Equal values as equal labels.
    Nodes(GeneralizedLevel),
    /// Per class its label.
    Labels(Vec<Box<str>>),
}

/// What a release is called that comes out otherwise; says what to do.
pub(super) const NOT_OF_THIS_JOB: &str = "the job does not lead to this release, so what the search did not publish is not known; give the job \
     that `anonymize` was given, with the keys that were set there by --set";
/// Why it is not known who stands in which class.
pub(super) const POINTS: &str =
    "groups show means, medians or modes, which do not tell for certain who is in which";
pub(super) const OVERLAPPING: &str = "groups overlap, so that it is not certain who is in which, and more originals are possible than are gone through";

/// Why what a job would have published for other values cannot be worked out, where it cannot.
pub(super) fn refused(job: JobAt<'_>) -> Option<&'static str> {
    let search = &job.job.search;
    if job.job.adversary.countermeasure == Some(Countermeasure::Distort) {
        return Some("groups do not depend on sensitive values, so there is nothing to work out");
    }
    if job.job.sampling.is_some() {
        return Some(
            "a sample was drawn first, which the adversary does not know: what was published cannot be worked out again",
        );
    }
    if job.job.privacy.iter().any(|requirement| requirement.needs_joint()) {
        return Some("a criterion looks at several sensitive columns together");
    }
    if let Some(anatomy) = search.parameters::<AnatomySection>() {
        return Some(match anatomy.buckets_from {
            Some(_) => "the buckets were given, so that nothing was chosen that could tell something",
            None => {
                "who is in which bucket was drawn by chance, which the adversary does not know: what was published cannot be worked \
                 out again"
            }
        });
    }
    if search.algorithm.seed().is_some() {
        return Some("the search was led by random numbers, so that what it did not publish tells little");
    }
    if search.algorithm.is_timed() {
        return Some(
            "how far the search came in its time depends on the machine, which the adversary does not know",
        );
    }
    let target = search.parameters::<MondrianSection>().and_then(|own| own.target.as_deref());
    let is_sensitive = |name: &str| job.job.columns.get(name).is_some_and(|own| own.role == Role::Sensitive);
    target
        .is_some_and(is_sensitive)
        .then_some("groups were cut by the numbers of a sensitive column, which differ from world to world")
}

/// What the job publishes for a table; nothing where it finds nothing safe.
pub(super) fn again(
    job: JobAt<'_>,
    loaded: &Loaded,
    problem: &Problem<'_>,
    progress: &dyn Progress,
) -> Result<Option<Released<Vec<Shown>>>, SearchError> {
    let chosen = match job.job.search.is::<ByPurpose>() {
        true => decompose(job.job, job.base, loaded, problem, progress).map(|found| found.0),
        false => choose(job.job, loaded, problem, progress),
    };
    let chosen = match chosen {
        Ok(chosen) => chosen,
        Err(RunError::Search(
            SearchError::NoSafeNode { .. }
            | SearchError::Unsettled { .. }
            | SearchError::NoSafeTable { .. }
            | SearchError::NothingFound { .. }
            | SearchError::DecompositionUnsafe { .. }
            | SearchError::BucketsFail { .. }
            | SearchError::Unsafe { .. },
        )) => return Ok(None),
        Err(RunError::Search(error)) => return Err(error),
        Err(RunError::Cancelled(error)) => return Err(error.into()),
        // Anything else is a mistake of the job, whatever the values are.
        Err(_) => return Err(SearchError::NothingFound { algorithm: job.job.search.word() }),
    };
    Ok(released(problem, &chosen))
}

/// What is published of a candidate; nothing where too much would have to be suppressed.
pub(super) fn released(own: &Problem<'_>, chosen: &Chosen) -> Option<Released<Vec<Shown>>> {
    let published = chosen.published(own);
    let problem = published.problem(own);
    let parts = match &chosen.buckets {
        Some(buckets) => lattice::partition_of_groups(&problem, buckets),
        None => lattice::partition(&problem, &problem.at(&published.levels)),
    };
    let suppressed: u64 =
        parts.rows.iter().zip(&parts.kept).filter(|(_, kept)| !**kept).map(|(rows, _)| rows).sum();
    let absence = problem.criteria.iter().any(|criterion| criterion.judges_absence());
    if suppressed > if absence { 0 } else { problem.suppress_at_most } {
        return None;
    }
    let shown = |place: &Place| match place {
        Place::Level(level) => Shown::Level(*level),
        Place::Nodes { level, .. } => Shown::Nodes(level.clone()),
        Place::Cells { codes, level, .. } => {
            let label = |&record: &u32| {
                let node = level.node_of_code[codes[record as usize] as usize];
                level.labels[node as usize].clone()
            };
            Shown::Labels(parts.first.iter().map(label).collect())
        }
    };
    let shows = chosen.places.iter().map(shown).collect();
    Some(Released { class_of: parts.class_of, kept: parts.kept, shows })
}

/// Whether this is the release: the same records stand together, all of them and no others, at the same levels.
pub(super) fn is_released(found: &Released<Vec<Shown>>, release: &Published, original: &Original) -> bool {
    let Some(manifest) = &release.manifest else { return false };
    let told = manifest.data.columns.iter().filter_map(|own| own.recoding.as_ref()).map(|own| own.level);
    let level = |shown: &Shown| if let Shown::Level(level) = shown { Some(*level) } else { None };
    if !told.eq(found.shows.iter().map(level)) || found.class_of.len() != original.table.rows {
        return false;
    }
    let is_kept = |class: u32| found.kept.get(class as usize) == Some(&true);
    if found.class_of.iter().filter(|&&class| is_kept(class)).count() != release.table.rows {
        return false;
    }
    let mut class_of_group: Vec<Option<u32>> = vec![None; release.groups.len()];
    let mut group_of_class: Vec<Option<u32>> = vec![None; found.kept.len()];
    release.group_of.iter().zip(&original.record_of).all(|(&group, &record)| {
        let class = found.class_of[record as usize];
        is_kept(class)
            && *class_of_group[group as usize].get_or_insert(class) == class
            && *group_of_class[class as usize].get_or_insert(group) == group
    })
}

/// Why it is not known who stands in which class, where it is not: worlds are those of classes of which it is known. Where equal
/// values have equal labels, it is.
pub(super) fn is_open(
    found: &Released<Vec<Shown>>,
    release: &Published,
    original: &Original,
) -> Option<&'static str> {
    if !release.separates_values() && !found.shows.iter().any(|shown| matches!(shown, Shown::Labels(_))) {
        return None;
    }
    if release.quasi.iter().any(|&own| shows_points(release, own)) {
        return Some(POINTS);
    }
    let people = PeopleTable::of_original(original, release);
    let Ok(suspects) = suspects(release, &people.crowd()) else { return Some(OVERLAPPING) };
    let mut standing = vec![0u64; release.groups.len()];
    for person in 0..suspects.people() as u32 {
        match suspects.places_of(person) {
            [] => {}
            [place] => standing[place.group as usize] += 1,
            _ => return Some(OVERLAPPING),
        }
    }
    if standing == release.groups { None } else { Some(OVERLAPPING) }
}
