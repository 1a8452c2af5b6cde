//! The models of ratings: epsilon-proximity, spread of sensitive ratings, proximity graphs, k-decomposability.

mod decomposition;
mod graph;
mod proximity;
mod sd;

pub use decomposition::ExactDecomposition;
pub use graph::ProximityGraph;
pub use proximity::{dissimilarity, is_clique, sensitive_dissimilarity};
pub(crate) use sd::Summary;
pub use sd::{SdNulls, spread};
use serde::{Deserialize, Serialize};

/// What a group is (register, defect 6: chapter 6 of the thesis defines neighbourhoods, chapter 7 works with disjoint
/// groups). A partition is the stronger promise: every partition into k-groups makes every neighbourhood a k-group
/// (Cor 6.1), and the converse is false. Releases promise partitions unless told otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Semantics {
    /// The group of a user is the user and everybody within epsilon of the user (Def 6.2). Groups overlap, and two members
    /// of a group may be up to two epsilons apart.
    Neighbourhood,
    /// Disjoint groups, each of which is pairwise within epsilon: a partition into cliques.
    #[default]
    Partition,
}
