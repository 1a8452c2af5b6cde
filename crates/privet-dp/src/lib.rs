//! Differentially private answers, their accounting, and the durable ledger of budgets (survey section 3.4).
//!
//! Epsilon is always the exponent: the probability of any answer changes by a factor of at most e^epsilon when one
//! person changes. The survey's chapter 2 prints the factor itself; its sums of budgets (7.4.2) hold for the exponent
//! only (ERR-10), and [`Epsilon::from_ratio`] converts. Everything that decides about privacy, from the budget to the
//! noise, is done on whole numbers and fractions; floating point only estimates errors and solves the linear program
//! that is applied to what is already private.
//!
//! ```
//! use privet_dp::ledger::{Ledger, Request, SqliteLedger, answer};
//! use privet_dp::{Count, Neighbours, People, Privacy};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("ledger.db");
//! let mut ledger = SqliteLedger::open(&path)?;
//! ledger.open_account("patients", &Privacy::Pure("1".parse()?).loss())?;
//!
//! let count = Count { people: People::one_record_each(Neighbours::AddRemove) };
//! let noise = count.noise(&Privacy::Pure("0.1".parse()?))?;
//! assert_eq!(noise.accuracy().half_width_95, 30.0); // known before anything is spent
//!
//! let request = Request::new("patients", "ann", "count where smoker", noise.loss())?;
//! let (receipt, noisy) = answer(&mut ledger, &request, || count.release(412, &noise))?;
//! assert_eq!(receipt.remaining.to_string(), "epsilon 0.9");
//! # let _ = noisy;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod alpha_beta;
mod analytic;
pub mod audit;
mod bits;
mod budget;
mod choice;
mod dirichlet;
mod error;
mod exact;
mod fourier;
mod gaussian;
mod grid;
mod histogram;
mod laplace_sum;
pub mod ledger;
mod median;
mod noise;
mod normal;
mod people;
mod probabilistic;
mod quantile;
mod regression;
pub mod samplers;
mod semantics;
mod shared_table;
mod spread;
mod stability;
mod sulq;
mod sums;
mod top_k;
mod tree;

pub use alpha_beta::AlphaBeta;
pub use budget::{Delta, Epsilon, Loss, Privacy, Rho};
pub use dirichlet::Dirichlet;
pub use error::DpError;
pub use fourier::{ConsistentTable, FourierMarginals, NoisyCoefficients};
pub use grid::{Bounds, Grid};
pub use histogram::{ContingencyTable, Histogram};
pub use median::SmoothMedian;
pub use noise::{Accuracy, Noise};
pub use people::{Neighbours, People};
pub use probabilistic::{Probabilistic, approximate_delta, probabilistic_deltas};
pub use quantile::Quantile;
pub use regression::{Coefficients, Explained, Observation, Regression};
pub use semantics::{largest_posterior, ratio_for_individual_privacy};
pub use shared_table::SharedTable;
pub use spread::{NoisySpread, Spread};
pub use stability::Threshold;
pub use sulq::Sulq;
pub use sums::{Count, Mean, Selection, Sum};
pub use top_k::TopK;
pub use tree::{MarginalTree, TreeRecords};

/// An exact fraction.
pub use dashu::rational::RBig as Rational;
