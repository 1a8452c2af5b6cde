//! Mechanisms that recode or regroup records.
//!
//! Global recoding keeps records truthful and equal values equal: [`lattice`] holds the full-domain searches, in which
//! every column goes to one level of its hierarchy; [`cut`] those in which the values of a column may go to different
//! levels; [`purpose`] what the thesis makes of who wants the data and what for.
//!
//! Regrouping says who is with whom ([`groups`]), and each group shows one thing for all: [`partition`] cuts the table
//! into boxes, [`local`] recodes each record by its group, [`cluster`] gathers records that are close, [`cell`]
//! suppresses single cells.
//!
//! [`bucket`] changes no value: it publishes counts, samples, or values and sensitive values apart from each other.
//!
//! [`algorithm`] lists what searches there are, and runs them without naming one.
//!
//! ```
//! use privet_recode::purpose::Weights;
//!
//! // Day, month, year, decade, age group, *: from days to years (thesis 4).
//! assert_eq!(Weights::Uniform.degree(5, 0, 2), 0.4);
//! ```
#![forbid(unsafe_code)]

pub mod algorithm;
pub mod bucket;
pub mod cell;
pub mod cluster;
pub mod cut;
pub mod groups;
mod jury;
pub mod lattice;
pub mod local;
pub mod partition;
pub mod purpose;
