//! The referees of the kinds on the seam: one file `src/<kind>.rs` per kind with a constant `REFEREE`. `build.rs` lists them in
//! [`REFEREES`], so that a new kind edits no line of this crate.
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

include!(concat!(env!("OUT_DIR"), "/referees.rs"));
