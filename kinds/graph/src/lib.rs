//! Networks of people: who can be told from whom, what can be published, and who is found all the same.
//!
//! ```
//! use privet_graph::{Direction, anonymous_degrees, is_graphical};
//!
//! // Degrees that three people share each: nobody is told by the number of neighbours (survey 8.1).
//! let degrees = anonymous_degrees(&[5, 4, 4, 1, 1, 1], 3, Direction::Adding)?;
//! assert_eq!(degrees, [5, 5, 5, 1, 1, 1]);
//! assert!(is_graphical(&[3, 3, 2, 2, 2]));
//! # Ok::<(), privet_graph::GraphError>(())
//! ```
#![forbid(unsafe_code)]

mod anonymize;
pub mod attack;
mod classes;
mod criteria;
mod editor;
mod error;
pub mod generate;
mod graph;
pub mod kind;
pub mod measure;
mod nodes;
mod read;
mod write;

pub use anonymize::{
    AnnealingOptions, Around, Changes, ClusterSummary, Clustering, Direction, Edited, LabelTree, Labelled,
    PrivateDegrees, anonymous_degrees, cluster, degree_noise, delete_edges, delete_edges_at_random, fitted,
    is_graphical, k_degree, k_neighbourhood, perturbed, private_degrees, sampled_from_degrees,
};
pub use classes::{Classes, Spread};
pub use criteria::{
    Criterion, Diversity, Knowledge, NeighbourhoodClasses, USUAL_STEPS, Verdict, automorphism_classes,
    candidate_sets, diversity_of_classes, judge, neighbourhood_classes, stable_classes,
};
pub use editor::Editor;
pub use error::GraphError;
pub use graph::{Cleaning, Graph, MOST_NODES, NOBODY};
pub use kind::GraphKind;
pub use nodes::{Attribute, Network, Nodes};
pub use read::{NetworkOptions, read};
pub use write::{write_edges, write_graphml};
