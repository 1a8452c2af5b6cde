//! The referees of the kinds on the seam: one file per kind, one line in [`REFEREES`].
//!
//! A referee computes the definitions behind the promises of a release again, from the published files alone. This crate depends on
//! no crate that makes releases, so nothing can be shared with the makers by accident.
#![forbid(unsafe_code)]

mod graph;
mod model;
mod ratings;
mod sample;
mod sets;
mod traces;

use privet_release::Referee;

/// Every referee.
pub const REFEREES: &[&dyn Referee] =
    &[&graph::Graph, &model::Model, &ratings::Ratings, &sample::Sample, &sets::Sets, &traces::Traces];
