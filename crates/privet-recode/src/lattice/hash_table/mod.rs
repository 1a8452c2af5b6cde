//! The privacy hash table (thesis chapter 2; spec 2.1-2.5): all minimal generalizations for k-anonymity and
//! l-diversity, by hashing tuples along generalization strategies.
//!
//! A *generalization strategy* is a maximal chain of the lattice, from the table as it is to its most general
//! version ([`Strategies`]). The [`PrivacyHashTable`] of a node maps each generalized tuple to its COUNT and its
//! sensitive values. [`walk`] is Algorithms 2.1-2.4 for one strategy, with everything that they compute on the
//! way; [`hash_table()`] is the search over all strategies, in which each node of the lattice is judged at most
//! once.
//!
//! # Guarantee
//! Every node that the search lists is safe, and they are all nodes that are minimal in the sense of Def 2.5:
//! no safe node lies strictly below. This rests on monotony, so criteria without it are refused. The node that
//! is chosen is the one of them that the metric prefers. When nothing may be suppressed and the metric is a sum
//! over cells, no safe node at all is better, because such a metric only grows towards the top; the search then
//! says so by its bound.
//!
//! # Departures from the print
//! - Def 2.5 is printed with ≤, under which a table would not be minimal against itself; strict here (defect 1).
//! - Printed, leaves have no Children, so that a table that is already safe is never recognized; here Children
//!   are counted in tuples at every height, and height 0 is tested like the others (defect 7).
//! - Heights count from 0 (defect 8).
//! - A bucket is keyed by the whole tuple: tuples whose hashes collide stay apart (spec 2.2).
//! - The thesis generalizes only. Here records of failing classes may be suppressed up to the limit: a height
//!   stays when no more tuples than that lie under nodes that fail. With a limit of 0 this is n(i) = L\[i\].

mod buckets;
mod climb;
mod strategies;
mod table;
mod trace;

use privet_data::Progress;
use privet_measure::Objective;
use serde::Deserialize;

use super::engine::Engine;
use super::problem::{Found, Problem, SearchError};
use super::search::{self, Outcome, Strategy};
use crate::algorithm::{Algorithm, AlgorithmInfo, read};
use climb::Climb;

pub use strategies::{Strategies, strategies};
pub use table::{HashClass, PrivacyHashTable};
pub use trace::{Diversity, HeightTrace, Trace, ValueNode, walk};

/// The search over all generalization strategies. It has no parameters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct HashTable {}

/// The word for it in job files.
const NAME: &str = "hash-table";

/// Finds all minimal safe nodes, and among them the one that the metric prefers.
///
/// # Errors
/// When a criterion is neither k-anonymity nor l-diversity or not monotone under the limit of suppression, no
/// node is safe, the lattice is too large, or the person stopped it.
pub fn hash_table(
    problem: &Problem<'_>,
    options: &HashTable,
    progress: &dyn Progress,
) -> Result<Found, SearchError> {
    search::run(problem, options, progress)
}

impl Strategy for HashTable {
    fn name(&self) -> &'static str {
        NAME
    }

    fn needs_monotone(&self) -> bool {
        true
    }

    fn search<const W: usize>(
        &self,
        engine: &Engine<'_, W>,
        progress: &dyn Progress,
    ) -> Result<Outcome, SearchError> {
        accepts(engine.judge.counting.iter().chain(&engine.judge.looking).map(|criterion| criterion.key()))?;
        let climbed = Climb::new(engine, progress).run()?;
        let lattice = &engine.prepared.lattice;
        // Nodes come by ascending number, and of equal ones the first is taken.
        let best = climbed.minimal.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        let grows = matches!(engine.objective, Objective::Additive(_)) && engine.prepared.limit == 0;
        Ok(Outcome {
            best: best.map(|&(node, _)| lattice.levels(node)),
            checked: climbed.checked,
            bound: best.filter(|_| grows).map(|&(_, value)| value),
            minimal: Some(climbed.minimal.iter().map(|&(node, _)| lattice.levels(node)).collect()),
        })
    }
}

/// Refuses criteria that the thesis does not test on its hash table.
fn accepts(keys: impl Iterator<Item = &'static str>) -> Result<(), SearchError> {
    for criterion in keys {
        if !matches!(criterion, "k-anonymity" | "l-diversity") {
            let accepts = "k-anonymity and l-diversity";
            return Err(SearchError::NotForCriterion { algorithm: NAME, criterion, accepts });
        }
    }
    Ok(())
}

impl HashTable {
    /// What it is.
    pub const INFO: AlgorithmInfo = AlgorithmInfo {
        id: "hash-table",
        summary: "All minimal nodes, by the thesis' privacy hash table.",
        guarantees: &[
            "All minimal choices of levels were found: no column of them can go one level down. None of them has a smaller value of the metric.",
        ],
        judges_together: false,
        needs_monotone: true,
        publishes: None,
        read: read::<HashTable>,
    };
}

impl Algorithm for HashTable {
    fn info(&self) -> &'static AlgorithmInfo {
        &Self::INFO
    }

    crate::algorithm::searches_levels!();
}
