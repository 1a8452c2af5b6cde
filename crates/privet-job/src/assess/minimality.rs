//! The minimality attack (survey AT-09) against the search that made a release.
//!
//! It runs the search again on every world, or on a sample of worlds, that the release leaves possible. That takes the
//! table, the job and time, so it is made here and not where attacks read files.

use privet_attack::minimality::{
    MinimalityAttack, MinimalityError, Tried, attribute_suppression, optimal_levels,
};
use privet_attack::{AttackError, Finding, Rate};
use privet_criteria::{Criterion, SensitiveColumn, build};
use privet_data::Progress;
use privet_recode::lattice::{self, Options};
use privet_release::Published;

use super::original::{JobAt, count};
use crate::algorithm::Algorithm;
use crate::load::{Loaded, load};
use crate::run::Prepared;

/// All worlds are gone through up to so many.
const MOST_WORLDS: u64 = 5_000;
/// Otherwise so many are drawn.
const SAMPLES: u64 = 300;
/// Tables with more records are attacked only when it is asked for by name.
pub(super) const QUICK: usize = 500;

/// Makes the attack on a sensitive column, by its position among the sensitive columns.
pub(super) fn attack(
    job: JobAt<'_>,
    release: &Published,
    column: usize,
    confidence: f64,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Option<Finding>, AttackError> {
    let needs = |why: &str| AttackError::Needs(why.to_owned());
    let algorithm = job.job.search.algorithm;
    if !matches!(algorithm, Algorithm::Optimal | Algorithm::AttributeSuppression) {
        return Err(needs("it is made against algorithm = \"optimal\" and \"attribute-suppression\""));
    }
    if job.job.adversary.countermeasure.is_some() {
        return Err(needs(
            "groups were formed without a look at sensitive values, so that there is nothing to work out",
        ));
    }
    if job.job.sampling.is_some() {
        return Err(needs(
            "a sample was drawn first, which the adversary does not know: what was published cannot be worked out again",
        ));
    }
    let loaded = load(job.job, job.base, progress).map_err(|error| needs(&error.to_string()))?;
    if loaded.requirements.iter().any(|requirement| requirement.needs_joint()) {
        return Err(needs("a criterion looks at several sensitive columns together"));
    }
    let prepared = Prepared::new(&loaded).map_err(|error| needs(&error.to_string()))?;
    let criteria =
        prepared.criteria(&loaded, &loaded.requirements).map_err(|error| needs(&error.to_string()))?;
    let problem = prepared.problem(&loaded, job.job, &criteria);
    let Some(manifest) = &release.manifest else { return Err(needs("the release has no manifest")) };
    let levels: Option<Vec<usize>> =
        manifest.data.columns.iter().filter_map(|own| own.recoding.as_ref()).map(|own| own.level).collect();
    if manifest.search.algorithm != algorithm.word()
        || (algorithm == Algorithm::Optimal
            && lattice::optimal(&problem, Options::default(), progress).ok().map(|f| f.levels) != levels)
    {
        return Err(needs(
            "the job does not lead to this release, so what the search did not publish is not known",
        ));
    }
    let bind = |codes: &[Vec<u32>]| bind(&loaded, codes);
    let attack = MinimalityAttack {
        problem: &problem,
        position: column,
        bind: &bind,
        worlds_at_most: MOST_WORLDS,
        samples: SAMPLES,
        seed,
    };
    let found = match algorithm {
        Algorithm::Optimal => attack.run(&optimal_levels, progress),
        _ => attack.run(&attribute_suppression, progress),
    };
    let found = found.map_err(|error| match error {
        MinimalityError::Cancelled(_) => AttackError::Cancelled,
        MinimalityError::TooLarge { .. } | MinimalityError::NoneFits { .. } => {
            AttackError::TooLarge(error.to_string())
        }
        other => needs(&other.to_string()),
    })?;
    let own = &loaded.input.table.columns[loaded.sensitive[column].position];
    let exposed = found.exposed(confidence);
    let right =
        exposed.iter().filter(|belief| own.codes[belief.person as usize] == belief.value).count() as u64;
    let rows = problem.rows as u64;
    let before = found.before.exposed(confidence);
    let before_right =
        before.iter().filter(|belief| own.codes[belief.person as usize] == belief.value).count() as u64;
    let worlds = match found.tried {
        Tried::All(worlds) => format!(
            "All {worlds} worlds were gone through; {} of them lead to this release.",
            found.consistent.hits
        ),
        Tried::Sampled(worlds) => {
            format!("Of {worlds} worlds drawn at random, {} lead to this release.", found.consistent.hits)
        }
    };
    Ok(Some(Finding {
        attack: "minimality",
        column: Some(own.name.clone()),
        assumed: "the identifying columns of everybody, the promises, the algorithm, and that it publishes no more coarsely than it must".to_owned(),
        success: format!(
            "what the search did not publish makes the adversary at least {} % sure of a value that the release alone does not tell",
            (confidence * 1e6).round() / 1e4
        ),
        exposed: Rate::new(exposed.len() as u64, rows),
        right: (!exposed.is_empty()).then(|| Rate::new(right, exposed.len() as u64)),
        control: Some(Rate::new(before_right, rows)),
        control_group: Some("the same people, by the release alone".to_owned()),
        risk: right as f64 / rows.max(1) as f64,
        histogram: Vec::new(),
        histogram_of: "",
        notes: vec![worlds],
    }))
}

/// The criteria of the job for other values in the sensitive columns.
fn bind(loaded: &Loaded, codes: &[Vec<u32>]) -> Option<Vec<Box<dyn Criterion>>> {
    let counts: Vec<Vec<u64>> = loaded
        .sensitive
        .iter()
        .zip(codes)
        .map(|(own, codes)| count(codes, loaded.input.table.columns[own.position].domain.len()))
        .collect();
    let columns: Vec<SensitiveColumn<'_>> = loaded
        .sensitive
        .iter()
        .zip(&counts)
        .map(|(own, counts)| {
            let column = &loaded.input.table.columns[own.position];
            SensitiveColumn {
                name: &column.name,
                domain: &column.domain,
                counts,
                hierarchy: own.hierarchy.as_ref(),
            }
        })
        .collect();
    build(&loaded.requirements, &columns, None, loaded.input.table.rows as u64).ok()
}
