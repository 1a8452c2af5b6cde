//! `countermeasure = "p-safe"` (survey ME-17, PM-34, AT-10): the candidates of the lattice from the best to the coarsest, of which one is
//! published only where the promises hold of what is left to believe of everybody over all originals for which just this would have
//! been published.
//!
//! The list and its order look at no sensitive value: classes that are too small, or that a population table speaks against, are suppressed
//! whatever they hold, and no others are. What is published besides the records (metrics, how many candidates were
//! examined, what quick attacks find) is the same for all these originals, so that it tells nothing more.

use privet_attack::minimality::{
    Grouping, PSafeSearch, PSafeSearchError, PSafelyChosen, holds_of_belief, holds_of_counts,
};
use privet_criteria::{Criterion, Requirement};
use privet_data::Progress;
use privet_recode::lattice::{self, Found};
use privet_release::manifest::PSafe;

use crate::chosen::Chosen;
use crate::error::RunError;
use crate::job::Job;
use crate::load::Loaded;
use crate::run::Prepared;
pub(crate) use privet_microdata::countermeasure::p_safe::GUARANTEE;
use privet_microdata::countermeasure::p_safe::{check, is_counted, is_of_beliefs, refused};

/// The most originals that are gone through.
const MOST_ORIGINALS: usize = 50_000;
/// The most candidates that are listed.
const MOST_CANDIDATES: u64 = 100_000;
/// More originals than this are told as so many: it is the largest number that every reader of JSON can tell.
const MOST_TOLD: u64 = 1 << 53;

/// What decides, whatever the sensitive values are, who is suppressed.
fn counted(requirements: &[Requirement]) -> Vec<Requirement> {
    let counted = requirements.iter().filter_map(|own| match own {
        Requirement::AlphaK { k, .. } | Requirement::PSensitivity { k, .. } => {
            Some(Requirement::KAnonymity { k: *k })
        }
        own => is_counted(own).then(|| own.clone()),
    });
    counted.collect()
}

/// What the search came to.
pub(crate) struct Decided {
    /// The candidate.
    pub found: Found,
    /// The originals for which it would have been published.
    pub chosen: PSafelyChosen,
}

impl Decided {
    /// In the form from which everything is published.
    pub fn chosen(self, loaded: &Loaded) -> Chosen {
        let column =
            loaded.sensitive.first().map(|own| loaded.input.table.columns[own.position].name.clone());
        let originals = u64::try_from(self.chosen.originals).unwrap_or(u64::MAX).min(MOST_TOLD);
        let mut chosen = Chosen::node(self.found);
        chosen.p_safe = column.map(|column| PSafe { column, originals });
        chosen
    }
}

/// Searches.
pub(crate) fn search(
    job: &Job,
    loaded: &Loaded,
    prepared: &Prepared,
    progress: &dyn Progress,
) -> Result<Decided, RunError> {
    check(job)?;
    let [sensitive] = &loaded.sensitive[..] else {
        return Err(refused("protects one sensitive column").into());
    };
    let about: Vec<Requirement> =
        loaded.requirements.iter().filter(|own| is_of_beliefs(own)).cloned().collect();
    let about = prepared.criteria(loaded, &about)?;
    let counting = prepared.criteria(loaded, &counted(&loaded.requirements))?;
    let problem = prepared.problem(loaded, job, &counting);
    let heights = problem.quasi.iter().map(|quasi| quasi.generalization.height() as u64 + 1);
    let nodes = heights.fold(1u64, u64::saturating_mul);
    if nodes > MOST_CANDIDATES {
        return Err(refused(format!(
            "lists all choices of levels, of which there may be {MOST_CANDIDATES} at most, and there are more; use fewer quasi columns or \
             hierarchies with fewer levels"
        ))
        .into());
    }
    let ranked = lattice::ranked(&problem, progress)?;

    let column = &loaded.input.table.columns[sensitive.position];
    let keeps = |judge: &dyn Fn(&dyn Criterion) -> bool| about.iter().all(|criterion| judge(&**criterion));
    let search = PSafeSearch {
        codes: &column.codes,
        values: column.domain.len(),
        holds: &|counts| keeps(&|criterion| holds_of_counts(criterion, counts)),
        safe: &|belief| keeps(&|criterion| holds_of_belief(criterion, belief)),
        most: MOST_ORIGINALS,
    };
    progress.stage("originals by candidate", Some(ranked.levels.len() as u64));
    let grouping = |at: usize| {
        let parts = lattice::partition(&problem, &problem.at(ranked.levels.get(at)?));
        Some(Grouping { class_of: parts.class_of, kept: parts.kept })
    };
    let chosen = search.decide(grouping, progress).map_err(|error| match error {
        PSafeSearchError::Cancelled(cancelled) => RunError::Cancelled(cancelled),
        _ => refused(format!(
            "goes through all originals for which the same might be published, of which there may be {MOST_ORIGINALS} at most (people whom no \
             choice of levels tells apart counted together), and there are more; use a smaller table, fewer or coarser quasi columns, a \
             larger k or fewer sensitive values, or countermeasure = \"distort\", which takes tables of any size"
        ))
        .into(),
    })?;
    let candidates = ranked.levels.len() as u64;
    let chosen = chosen.ok_or(RunError::NothingSafe { candidates })?;
    let found = Found {
        levels: ranked.levels[chosen.candidate].clone(),
        // How many of the list were looked at is the same for all originals that lead here, and all that is told of the others.
        nodes_checked: chosen.candidate as u64 + 1,
        bound: None,
        minimal: None,
        seen: Vec::new(),
        ..ranked.best
    };
    Ok(Decided { found, chosen })
}
