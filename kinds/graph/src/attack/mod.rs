//! Attacks on published graphs, one file per attack (survey AP-01, AP-02, AP-03, AP-08). Each attack says what it claims; claims
//! are scored against the truth where the truth is known, beside a control that knows nothing of the structure.

mod active;
mod attributes;
mod candidates;
mod embedding;
mod links;
mod passive;
mod pattern;
mod plausibility;
mod propagate;
mod rank;
mod seeds;

pub use active::{Plant, Recovery, plant};
pub use attributes::{AttributeInference, infer_attribute};
pub use candidates::{CandidateShares, candidate_shares, candidates_knowing, nearest_by_degrees};
pub use embedding::Embedding;
pub use links::{LinkInference, infer_links};
pub use passive::{Coalitions, coalitions};
pub use pattern::{Matches, Pattern, SearchLimits, Slack};
pub use plausibility::{Plausibility, PlausibilityScore, plausibility, plausibility_scores};
pub use propagate::{Propagation, PropagationOptions, propagate};
pub use rank::area_under_curve;
pub use seeds::{SeedOptions, find_seeds};

use serde::Serialize;

use crate::{Graph, GraphError, NOBODY};

/// Claims of an attack beside the truth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Score {
    /// The people that the attack was after.
    pub targets: u64,
    /// The people for whom it named a node.
    pub claimed: u64,
    /// How many of these claims are right; an expected number where the attack draws lots.
    pub right: f64,
}

impl Score {
    /// Claims, per person the node named for them, beside the truth; [`NOBODY`] where none is named, or none is published.
    ///
    /// ```
    /// use privet_graph::{NOBODY, attack::Score};
    /// let score = Score::of(&[4, NOBODY, 2], &[4, 1, 7]);
    /// assert_eq!((score.targets, score.claimed, score.right), (3, 2, 1.0));
    /// ```
    #[must_use]
    pub fn of(claims: &[u32], truth: &[u32]) -> Self {
        let is_made = |claim: &&u32| **claim != NOBODY;
        let right = claims.iter().zip(truth).filter(|(claim, real)| claim == real && **claim != NOBODY);
        Self {
            targets: claims.len() as u64,
            claimed: claims.iter().filter(is_made).count() as u64,
            right: right.count() as f64,
        }
    }

    /// The share of people for whom the right node is named; 0 where nobody is a target.
    #[must_use]
    pub fn exposed(&self) -> f64 {
        if self.targets == 0 { 0.0 } else { self.right / self.targets as f64 }
    }

    /// The share of claims that are right; 0 where nothing is claimed.
    #[must_use]
    pub fn precision(&self) -> f64 {
        if self.claimed == 0 { 0.0 } else { self.right / self.claimed as f64 }
    }
}

/// An error where the truth does not name a published node, or nobody, for each person.
pub(crate) fn check_truth(people: usize, published: &Graph, truth: &[u32]) -> Result<(), GraphError> {
    if truth.len() != people {
        return Err(GraphError::Length { what: "the truth", nodes: people });
    }
    if truth.iter().any(|&node| node != NOBODY && node as usize >= published.nodes()) {
        return Err(GraphError::NoSuchNode { nodes: published.nodes() });
    }
    Ok(())
}
