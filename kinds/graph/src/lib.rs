//! Networks of people: who can be told from whom, what can be published, and who is found all the same.
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
