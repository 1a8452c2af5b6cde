//! Several owners, one result: protocols that compute over records no owner shows to another (papers T-AL12, FX-T10).
//!
//! [`session`] connects parties that hold the same job; [`protocol`] has the cryptographic building blocks, one file each with its statement
//! of security; [`mining`] computes counts, rules, models and tables over parts of a table; [`run`] is a party's side of a job from its file to a result. All protocols are for semi-honest parties: parties
//! that follow the protocol and try to learn from what they see. What each reveals besides its result stands in its file.
//!
//! ```
//! use privet_parties::protocol::sum::Sums;
//! use privet_parties::session::run_local;
//!
//! let salaries = [4000, 3100, 5200];
//! let results = run_local(3, |session| {
//!     let mut sums = Sums::new(session)?;
//!     sums.sum(session, &[salaries[session.me()]])
//! });
//! assert!(results.into_iter().all(|own| own.unwrap() == [12300]));
//! ```
#![forbid(unsafe_code)]

pub mod compute;
pub mod demo;
pub mod error;
mod input;
pub mod job;
pub mod mining;
pub mod protocol;
pub mod random;
pub mod run;
pub mod session;

pub use error::{Abort, PartyError, Reason};
