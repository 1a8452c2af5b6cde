//! Privet: take data about people and give out something that is safe to publish.
//!
//! This crate is what programs depend on. It holds the verbs, written once for every kind of release: [`run`] makes a release from a job,
//! proves its promises from the draft's files and attacks it before anything is published; [`verify()`] checks a published folder;
//! [`attack`] and [`measure`] look at one. The kinds are listed in [`KINDS`]. [`anonymize`] is the main job from a program: records in,
//! anonymized records out.
//!
//! ```
//! let ids: Vec<&str> = privet::KINDS.iter().map(|kind| kind.id()).collect();
//! assert!(ids.contains(&"sample"));
//! ```
#![forbid(unsafe_code)]

mod assess;
mod begin;
mod look;
pub mod models;
mod pages;
mod records;
mod registry;
mod run;
mod verify;

pub use assess::Plan;
pub use begin::{Chapter, demo, propose, shapes};
pub use look::{AttackOptions, attack, measure};
pub use privet_kind::{Assessment, Exceeded, Fault, JobFile, Kind, KindError, Knowledge, Proposal};
pub use records::{
    Anonymize, AnonymizedRelease, Hierarchy, KeptSource, Promise, Source, anonymize, dates, distinct,
    entropy, groups, hierarchy_file, intervals, mask_left, mask_right, read_records, recursive, values,
};
pub use registry::{KINDS, kind};
pub use run::{Report, run};
pub use verify::{is_on_seam, verify};

/// Which limit an attack exceeds, as a sentence.
pub fn exceeded_sentence(exceeded: &Exceeded<'_>) -> String {
    assess::sentence(exceeded)
}
