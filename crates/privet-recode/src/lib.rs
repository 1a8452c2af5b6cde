//! Mechanisms that keep records truthful: they generalize, never invent.
//!
//! [`lattice`] holds the full-domain searches: every column goes to one level of its hierarchy. [`cut`] holds the
//! other global recodings: equal values stay equal, but the values of a column may go to different levels.
//! [`purpose`] holds what the thesis makes of who wants the data and what for.
//! [`cell`] suppresses single cells.
#![forbid(unsafe_code)]

pub mod cell;
pub mod cut;
pub mod lattice;
pub mod purpose;
