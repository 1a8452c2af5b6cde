//! Graphs that may be published: one file per anonymizer.

mod clusters;
mod degrees;
mod deletion;
mod dp_degrees;
mod k_degree;
mod k_neighbourhood;
mod labels;
mod perturb;

pub use clusters::{AnnealingOptions, ClusterSummary, Clustering, cluster};
pub use degrees::{Direction, anonymous_degrees, is_graphical};
pub use deletion::{Around, delete_edges, delete_edges_at_random};
pub use dp_degrees::{PrivateDegrees, degree_noise, fitted, private_degrees, sampled_from_degrees};
pub use k_degree::k_degree;
pub use k_neighbourhood::{Labelled, k_neighbourhood};
pub use labels::LabelTree;
pub use perturb::perturbed;

use serde::Serialize;

use crate::Graph;

/// By how much a graph was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Changes {
    /// Edges that are in both.
    pub kept: u64,
    /// Edges that are new.
    pub added: u64,
    /// Edges that are gone.
    pub deleted: u64,
}

impl Changes {
    /// What was changed between two graphs with the same nodes.
    #[must_use]
    pub fn between(before: &Graph, after: &Graph) -> Self {
        let kept = after.edges().filter(|&(a, b)| before.has_edge(a, b)).count() as u64;
        Self { kept, added: after.edge_count() - kept, deleted: before.edge_count() - kept }
    }
}

/// A graph with the same nodes and other edges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// The graph.
    pub graph: Graph,
    /// What was changed.
    pub changes: Changes,
}
