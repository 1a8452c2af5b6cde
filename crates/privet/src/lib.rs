//! Privet: take data about people and give out something that is safe to publish.
//!
//! This crate is what programs depend on. Everything that the command line does with records is a builder here, with frames in memory or
//! files, and every key of the job file can be set:
//!
//! | to | begin with | and get |
//! | --- | --- | --- |
//! | publish anonymized records | [`anonymize`] | an [`AnonymizedRelease`]: its records, proven, attacked, written |
//! | publish randomized records with their law | [`randomize()`] | a [`RandomizedRelease`] |
//! | answer questions with differential privacy | [`Account::open`], then [`query()`] | noisy numbers, charged to a ledger |
//! | compare a release with its original | [`compare()`] | utility and risk |
//! | publish graphs, ratings, sets, traces or models | [`run()`] with a [`JobFile`] | a [`Report`] |
//! | check or attack a published folder | [`verify()`], [`attack`], [`measure`] | a verdict, an assessment |
//!
//! ```
//! use std::sync::Arc;
//!
//! use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
//!
//! let ages: ArrayRef = Arc::new(Int64Array::from(vec![31, 34, 38, 52, 55, 59]));
//! let ills: ArrayRef = Arc::new(StringArray::from(vec!["flu", "gastritis", "cancer", "flu", "cancer", "gastritis"]));
//! let batch = RecordBatch::try_from_iter([("age", ages), ("diagnosis", ills)])?;
//!
//! let release = privet::anonymize(&batch)
//!     .quasi("age", privet::intervals([10, 20]))
//!     .sensitive("diagnosis")
//!     .k(3)
//!     .run()?;
//! assert!(release.verify()?.holds());
//! assert_eq!(release.batch()?.num_rows(), 6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Kinds of release are listed in [`KINDS`]; the verbs know none of them by name.
#![forbid(unsafe_code)]

mod assess;
mod begin;
mod compare;
mod home;
mod job_keys;
mod look;
pub mod models;
mod pages;
mod private;
mod randomize;
mod records;
mod registry;
mod reproduce;
mod run;
mod verify;

pub use assess::Plan;
pub use begin::{Chapter, demo, propose, propose_as, shapes};
pub use compare::{Comparison, compare};
pub use look::{AttackOptions, attack, attack_manifest, measure};
pub use private::{Account, Budget, People, Query, query};
pub use privet_kind::{Assessment, Exceeded, Fault, JobFile, Kind, KindError, Knowledge, Proposal};
pub use privet_query::{Answered, Method, Planned};
pub use randomize::{
    Law, Randomize, RandomizedRelease, gamma_diagonal, gaussian_noise, randomize, retention, warner,
};
pub use records::{
    Anonymize, AnonymizedRelease, Hierarchy, KeptSource, Promise, Recoding, Source, anonymize, dates,
    distinct, entropy, groups, hierarchy_file, intervals, mask_left, mask_right, read_records, read_table,
    recursive, table_names, values,
};
pub use registry::{KINDS, kind, read_job};
pub use reproduce::{quoted, reproducing_flags};
pub use run::{Report, run};
pub use verify::{is_on_seam, verify};

/// Condensed records: what their job says, and the filter for streams, which makes no release.
pub mod condensed {
    pub use privet_condensed::{Condensation, Grouping, Input, StreamReport, condense_stream, failure};
}

/// Which limit an attack exceeds, as a sentence.
pub fn exceeded_sentence(exceeded: &Exceeded<'_>) -> String {
    assess::sentence(exceeded)
}
