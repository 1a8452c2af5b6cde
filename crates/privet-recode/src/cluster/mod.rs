//! Methods that put records which are close to each other into groups.
//!
//! [`Microaggregation`] measures closeness by numbers and publishes means (survey ME-11; thesis chapter 5);
//! [`Clustering`] measures it by the loss of information in hierarchies (the thesis' baseline in E2). Both give
//! [`Groups`](crate::groups::Groups) of all records, of which every one satisfies every criterion.

mod ama;
pub mod dependency;
mod greedy;
mod kd_tree;
pub mod mdav;
mod mend;
mod microaggregation;
mod mixed;
mod neighbours;
mod outermost;
mod points;
mod space;
mod taxonomy;
mod univariate;
mod v_mdav;

pub use dependency::DependencyTree;
pub use greedy::{Clustered, Clustering};
pub(crate) use microaggregation::GAMMA;
pub use microaggregation::{Method, Microaggregated, Microaggregation};
pub use points::Points;
pub use space::{Categories, Scale};
