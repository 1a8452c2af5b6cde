//! The referees of the kinds on the seam: one file per kind, one line in [`REFEREES`].
//!
//! A referee computes the definitions behind the promises of a release again, from the published files alone. This crate depends on
//! no crate that makes releases, so nothing can be shared with the makers by accident.
//!
//! ```
//! use privet_release::Promised;
//!
//! let referee = privet_referee::REFEREES.iter().find(|referee| referee.kind() == "sample").unwrap();
//! assert!(referee.statement(&Promised::new("least-count").with("least", 3)).is_some());
//! assert!(referee.statement(&Promised::new("no such promise")).is_none());
//! ```
#![forbid(unsafe_code)]

mod charged;
mod condensed;
mod graph;
mod model;
mod ratings;
mod sample;
mod series;
mod sets;
mod tables;
mod traces;

use privet_release::Referee;

/// Every referee.
pub const REFEREES: &[&dyn Referee] = &[
    &condensed::Condensed,
    &graph::Graph,
    &model::Model,
    &ratings::Ratings,
    &sample::Sample,
    &series::Series,
    &sets::Sets,
    &tables::Tables,
    &traces::Traces,
];
