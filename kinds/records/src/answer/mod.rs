//! Releases of records written out for learners (survey US-11).

mod unfold;

pub(crate) use privet_microdata::answer::*;
pub use unfold::{UnfoldOptions, UnfoldSummary, unfold};
