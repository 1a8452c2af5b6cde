//! What must hold: privacy models as predicates on classes.
//!
//! One file per family. A criterion looks at a [`Class`], never at records: a count and, per sensitive
//! column, a histogram. These merge associatively and commutatively, so the same criterion runs on a
//! class that came from a scan, from a finer node of a lattice, or from another thread.
//!
//! A job's [`Requirement`]s are read with [`Requirement::parse`] and bound to a table with [`build`].
//!
//! ```
//! use privet_criteria::{Grouping, Requirement, statement_of};
//!
//! let asked = Requirement::parse("k-anonymity", &serde_json::json!(5)).unwrap();
//! assert_eq!(asked, [Requirement::KAnonymity { k: 5 }]);
//! let said = statement_of(&asked[0], &[], Grouping::Classes);
//! assert_eq!(said, "Every published record shares its quasi-identifiers with at least 4 others (k = 5).");
//! ```
#![forbid(unsafe_code)]

mod alpha_k;
mod bound;
mod ck_safety;
mod class;
mod concept;
mod criterion;
mod delta_disclosure;
mod fewest;
mod k_anonymity;
mod keep;
mod l_diversity;
mod likeness;
mod multi_attribute;
mod p_sensitivity;
mod parse;
mod presence;
mod proximity;
mod registry;
mod requirement;
mod statement;
mod t_closeness;
mod three_d;
mod together;

#[cfg(test)]
mod laws;
#[cfg(test)]
mod testing;

pub use bound::Grouping;
pub use ck_safety::ck_chances;
pub use class::{Class, Histogram};
pub use criterion::{Better, Criterion, Merging};
pub use fewest::{Choice, fewest_suppressed};
pub use parse::KEYS;
pub use registry::{CriterionError, Joint, SensitiveColumn, build, resolve};
pub use requirement::{DistanceKind, DiversityKind, LikenessKind, ProximityKind, Requirement};
pub use statement::{statement, statement_of};
pub use three_d::{GlobalMaxima, Skyline, ThreeD};
pub use together::{Summaries, judge_together};
