//! What was published before about the same people, and what several releases tell together.
//!
//! [`History`] is a file in the owner's folder: of every release its classes, what they hold, and where values went. [`compose`] intersects
//! what each class leaves possible (survey AT-25), [`correspondence`] finds records that cannot be the target's because every record of the
//! first release must be one of the second (the forward, cross and backward attacks of Fung and others, 2008), [`m_invariant`] groups
//! people so that what is possible for somebody never changes (Xiao and Tao, 2007; survey ME-18).
//!
//! ```
//! use privet_history::{Survivors, Tuple, m_invariant};
//! let tuple = |person: &str, value: &str, place| Tuple { person: person.into(), value: value.into(), place };
//! let january = [tuple("Ann", "flu", 0), tuple("Bob", "gout", 1)];
//! let first = m_invariant(&january, &Survivors::new(), 2).unwrap();
//! // Bob is gone; a counterfeit keeps what is possible for Ann.
//! let second = m_invariant(&january[..1], &first.signatures, 2).unwrap();
//! assert_eq!(second.groups[0].counterfeits, ["gout"]);
//! ```
#![forbid(unsafe_code)]

mod compose;
mod correspond;
mod file;
mod m_invariance;

pub use compose::{Composed, Limits, Unjudged, compose, unjudged};
pub use correspond::{Correspondence, TooMany, correspondence};
pub use file::{Class, ColumnLabels, Entry, History, HistoryError, Recorded, Signature, Survivors};
pub use m_invariance::{Group, Grouped, Impossible, Tuple, m_invariant};
