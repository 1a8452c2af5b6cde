//! Releases of one table over time: rows come and go, and what is possible for somebody never changes (m-invariance, Xiao and Tao 2007;
//! survey ME-18).
//!
//! Guarantee: in every group of a release all sensitive values are different, and there are at least m; whoever was published before is in a
//! group with the same values. Where a group lacks a value, a counterfeit stands in; counterfeits are counted per group, as in the paper.
//!
//! ```
//! use privet_kind::Kind;
//! assert!(privet_series::Series.sections().iter().any(|section| section.name == "series"));
//! ```
#![forbid(unsafe_code)]

mod attack;
mod demo;
mod job;
mod kind;
mod make;

pub use job::SeriesSection;
pub use kind::Series;
