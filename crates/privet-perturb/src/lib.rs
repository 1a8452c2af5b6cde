//! Protection by randomness at the source and in the data, and the reconstruction of distributions from it (survey
//! sections 3.2, 3.3, 3.5 and 3.6).
//!
//! Whoever collects or publishes draws from [`Coins`]; whatever is drawn says where its randomness came from
//! ([`Drawn`]). Whoever reads the result estimates what it was made of:
//!
//! | randomized with | estimated with |
//! | --- | --- |
//! | [`Response`]: yes or no | [`Response::estimate`] |
//! | [`PerturbationMatrix`]: codes; [`Retention`], [`invariant_pram`] make them | [`estimate_counts`], [`likely_counts`], [`range_count`] |
//! | [`SelectASize`]: sets of items | [`SelectASize::support`] |
//! | [`Noise`], [`correlated_noise`], [`multiplicative_noise`], [`perturb`]: numbers and whole records | [`reconstruct`] with [`share_intervals`], [`learn`] |
//! | [`swap`]: values change places between records, by rank, within margins, or in nearest pairs | nothing to estimate: what stays is exact |
//! | [`tables`]: counts change within fixed margins, by a Markov chain or by controlled adjustment | nothing to estimate: the margins are exact |
//!
//! [`synthetic`] makes tables from models of a table, in its place.
//!
//! What the randomness protects is computed, not believed: [`amplification`] for what any reader with any prior can
//! learn of a record, [`anonymity`] for Gaussian noise on points, [`perfect`] and [`semantic`] for tiny domains.
//!
//! Nothing here claims differential privacy. Noise is made of floating-point numbers, whose low bits can tell more than
//! the real numbers of the theory would.
//!
//! ```
//! use privet_perturb::Response;
//!
//! // Warner: tell the truth with probability 0.8. Of 1000 answers 380 are yes.
//! let question = Response::warner(0.8)?;
//! assert!((question.gamma() - 4.0).abs() < 1e-9);
//! assert!((question.estimate(380, 1000)?.share() - 0.3).abs() < 1e-9);
//! # Ok::<(), privet_perturb::PerturbError>(())
//! ```
#![forbid(unsafe_code)]

pub mod amplification;
pub mod anonymity;
mod coins;
mod correlated;
mod em;
mod error;
mod estimate;
mod grid;
mod itemsets;
pub mod learn;
mod matrix;
mod mixture;
mod noise;
mod normal;
pub mod perfect;
mod pram;
mod reconstruct;
mod response;
mod retention;
pub mod semantic;
pub mod swap;
pub mod synthetic;
pub mod tables;
#[cfg(test)]
mod testing;

pub use coins::{Coins, Drawn, OsCoins, SeededCoins, Source};
pub use correlated::{correlated_noise, covariance, original_covariance};
pub use em::{Stop, Stopped};
pub use error::PerturbError;
pub use estimate::{
    CountEstimate, Estimated, LikelyCounts, Population, estimate_counts, few, likely_counts, of_fewest,
    project,
};
pub use grid::Grid;
pub use itemsets::{SelectASize, Support};
pub use matrix::PerturbationMatrix;
pub use mixture::{Attribute, Law, NoiseModel, perturb};
pub use noise::{Moments, Noise, additive_noise, multiplicative_noise};
pub use pram::{departure, invariant_pram};
pub use reconstruct::{
    Kernel, MOST_INTERVALS, NARROW, Options, Reconstruction, has_multiples, reconstruct,
    reconstruct_held_out, share_intervals,
};
pub use response::{Response, ResponseEstimate};
pub use retention::{RetainedRange, Retention, range_count};
