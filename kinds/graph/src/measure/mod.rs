//! What a published graph is still good for, beside the original: one file per family of numbers.

mod communities;
mod compare;
mod degrees;
mod distances;
mod pagerank;
mod spectrum;
mod triangles;

pub use communities::{communities, modularity, mutual_information};
pub use compare::edges_kept;
pub use degrees::{degree_counts, distribution_distance};
pub use distances::{Distances, distances};
pub use pagerank::{overlap, pagerank};
pub use spectrum::spectrum;
pub use triangles::{Clustering, clustering, triangles};
