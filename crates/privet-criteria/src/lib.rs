//! What must hold: privacy models as predicates on classes.
//!
//! One file per family. A criterion looks at a [`Class`], never at records: a count and, per sensitive
//! column, a histogram. These merge associatively and commutatively, so the same criterion runs on a
//! class that came from a scan, from a finer node of a lattice, or from another thread.
#![forbid(unsafe_code)]

mod class;
mod criterion;
mod registry;
mod requirement;

pub use class::{Class, Histogram};
pub use criterion::{Better, Criterion, Merging};
pub use registry::{CriterionError, Joint, SensitiveColumn, build};
pub use requirement::{DistanceKind, DiversityKind, LikenessKind, ProximityKind, Requirement};
