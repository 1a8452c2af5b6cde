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

use crate::lattice::SearchError;

pub use dependency::DependencyTree;
pub use greedy::{Clustered, Clustering};
pub use microaggregation::GAMMA;
pub use microaggregation::{Method, Microaggregated, Microaggregation};
pub use points::Points;
pub use space::{Categories, Scale};

/// More comparisons of two records than this take days: some ten million are made in a second.
const MOST_COMPARISONS: f64 = 3e12;

/// Refuses as many records as a method that compares each group with all of them does not come to an end with.
fn require_end(algorithm: &'static str, rows: usize, least: usize) -> Result<(), SearchError> {
    let least = least.max(1);
    let comparisons = rows as f64 * rows as f64 / least as f64;
    if comparisons <= MOST_COMPARISONS {
        return Ok(());
    }
    let most = (MOST_COMPARISONS * least as f64).sqrt() as usize;
    Err(SearchError::Endless { algorithm, rows, least, comparisons, most })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_not_end_is_refused_with_what_would() {
        assert_eq!(require_end("clustering", 1_000_000, 5), Ok(()));
        let refused = require_end("clustering", 20_000_000, 5).unwrap_err();
        let SearchError::Endless { most, .. } = &refused else { panic!("{refused}") };
        assert_eq!(require_end("clustering", *most, 5), Ok(()));
        assert!(require_end("clustering", *most + 2, 5).is_err());
        assert!(refused.to_string().contains("8e13 comparisons"), "{refused}");
    }
}
