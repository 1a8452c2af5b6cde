//! All safe candidates in the order of the metric, for whoever must be able to pass over the best one (survey ME-17).
//!
//! # Guarantee
//! Every safe node of the lattice is listed once. One that comes later has no smaller value of the metric, up to rounding; of
//! equally good ones the finer comes first (by the sum of levels, then level by level in the order of the columns). So the order
//! depends on nothing but what the criteria and the metric look at: given criteria that count records alone and no class labels, it is
//! the same whatever the sensitive values are.

use std::sync::{Mutex, PoisonError};

use privet_data::Progress;

use super::engine::{Buffers, Engine};
use super::problem::{Found, Problem, SearchError};
use super::search::{self, Outcome, Strategy};

/// The safe candidates of a problem.
#[derive(Debug, Clone)]
pub struct Ranked {
    /// The levels of each, in the order of the problem, the best first.
    pub levels: Vec<Vec<usize>>,
    /// The first of them, as any search tells it.
    pub best: Found,
}

/// Lists the safe candidates, the best by the metric first.
///
/// # Errors
/// When no candidate is safe, the lattice is too large to list, or the person stopped it.
pub fn ranked(problem: &Problem<'_>, progress: &dyn Progress) -> Result<Ranked, SearchError> {
    let listing = Listing::default();
    let best = search::run(problem, &listing, progress)?;
    Ok(Ranked { levels: listing.listed.into_inner().unwrap_or_else(PoisonError::into_inner), best })
}

/// The list, filled while the search runs.
#[derive(Default)]
struct Listing {
    listed: Mutex<Vec<Vec<usize>>>,
}

/// A value without the digits that depend on the order in which it was summed.
fn rounded(value: f64) -> f64 {
    format!("{value:.9e}").parse().unwrap_or(value)
}

impl Strategy for Listing {
    fn name(&self) -> &'static str {
        "optimal"
    }

    fn judges_together(&self) -> bool {
        true
    }

    fn search<const W: usize>(
        &self,
        engine: &Engine<'_, W>,
        progress: &dyn Progress,
    ) -> Result<Outcome, SearchError> {
        let lattice = &engine.prepared.lattice;
        progress.stage("listing candidates", Some(lattice.len()));
        let mut buffers = Buffers::default();
        let mut safe: Vec<(f64, usize, Vec<usize>)> = Vec::new();
        let mut checked = 0;
        // From general to specific: whatever lies below a hopeless candidate need not be looked at.
        let mut hopeless = vec![false; lattice.len() as usize];
        for node in (0..lattice.len()).rev() {
            if node % 64 == 0 {
                progress.check()?;
                progress.at(lattice.len() - node);
            }
            let levels = lattice.levels(node);
            let is_hopeless = (0..levels.len()).any(|column| {
                levels[column] < lattice.height(column) && hopeless[(node + lattice.stride(column)) as usize]
            });
            if is_hopeless {
                hopeless[node as usize] = true;
                continue;
            }
            // Always from the records themselves, so that values compare.
            let judgement = engine.check(&mut buffers, &engine.base, &levels);
            checked += 1;
            hopeless[node as usize] = judgement.hopeless_below;
            if judgement.safe {
                let own = engine.prepared.in_problem_order(&levels);
                safe.push((rounded(judgement.value), own.iter().sum(), own));
            }
        }
        safe.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| (a.1, &a.2).cmp(&(b.1, &b.2))));
        let best = safe.first().map(|(_, _, own)| engine.prepared.order.iter().map(|&i| own[i]).collect());
        let listed = safe.into_iter().map(|(_, _, own)| own).collect();
        *self.listed.lock().unwrap_or_else(PoisonError::into_inner) = listed;
        Ok(Outcome { best, checked, ..Outcome::default() })
    }
}
