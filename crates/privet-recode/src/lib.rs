//! Mechanisms that keep records truthful: they generalize, never invent.
//!
//! [`lattice`] holds the full-domain searches: every column goes to one level of its hierarchy.
#![forbid(unsafe_code)]

pub mod lattice;
