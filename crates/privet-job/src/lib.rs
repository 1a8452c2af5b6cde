//! The verbs for releases of one table of people: run a job, verify, attack, measure, ask, write out; each written once, for every kind
//! of `kinds/` that is made of such a table.
//!
//! [`Job::read`] understands a job file, [`run`] does the work. Private answers are in `privet-query`; `privet-init` writes a first job
//! file for a table, and makes a table to try it on. The doors (command line, server, Python) call these and add nothing of their own.
//!
//! ```
//! use privet_data::Silent;
//! use privet_job::{Job, RunOptions, run};
//!
//! let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("people.csv"), "age,ill\n31,flu\n34,cough\n38,flu\n52,cough\n55,flu\n59,cough\n")?;
//! let job = "[input]\npath = \"people.csv\"\n[columns.age]\nrole = \"quasi\"\nhierarchy = { intervals = [10, 20] }\n\
//!            [columns.ill]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 3\n";
//! let job = Job::parse(job, &[])?;
//! let options = RunOptions { base: folder.path().to_owned(), ..RunOptions::default() };
//! let summary = run(&job, &options, &Silent)?;
//! assert_eq!(summary.classes, 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod anonymize;
mod answer;
pub mod assess;
mod layouts;
mod reproduce;
mod verify;

pub use privet_microdata::declarations;
use privet_microdata::error;
pub use privet_randomized::{judge, randomize, reconstruct};
pub use privet_records::engine;

pub use anonymize::run;
pub use answer::{
    AnswerBasis, AskError, Asked, Spread, UnfoldOptions, UnfoldSummary, ask, must_be_meant, unfold,
};
pub use privet_microdata::adversary::AdversarySection;
pub use privet_microdata::candidate::{RunOptions, base_of};
pub use privet_microdata::countermeasure::Countermeasure;
pub use privet_microdata::counts::{CountTableSection, Norm, TableMethod, ViewSection};
pub use privet_microdata::error::{
    HierarchyFault, JobError, NothingLeft, Outcome, RunError, outcome_of_reading, ran_out,
};
pub use privet_microdata::history::HistorySection;
pub use privet_microdata::job::{Column, Input, Job, Output, PurposeSection, Search, Trust};
pub use privet_microdata::meant::{is_meant, other_table};
pub use privet_microdata::memory_limit::MemoryLimit;
pub use privet_microdata::overwrite::{spare_inputs, spare_job};
pub use privet_microdata::recoding::{ApplyOptions, Recoding};
pub use privet_microdata::size::{ACCEPTED_SIZES, parse_size};
pub use privet_microdata::summary::{CountsSummary, Seconds, Summary, TableSummary};
pub use privet_records::{Purposes, Request};
pub use reproduce::{quoted, reproducing_flags};
pub use verify::{verify, verify_manifest};
