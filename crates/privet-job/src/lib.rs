//! The job file, and the run from a file of people to a finished release.
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

mod adversary;
mod alike;
mod anatomy;
mod answer;
pub mod assess;
mod boxes;
mod buckets;
mod by_purpose;
mod chosen;
mod codes;
mod countermeasure;
mod counts;
pub mod declarations;
pub mod engine;
mod error;
mod history;
mod job;
pub mod judge;
mod layouts;
mod levels;
mod load;
mod meant;
mod mondrian;
mod out_of_core;
mod overwrite;
mod publish;
mod purpose;
pub mod randomize;
mod recoding;
pub mod reconstruct;
mod reproduce;
mod run;
mod sampling;
mod search;
mod size;
mod summary;
mod values;
mod verify;

pub use adversary::AdversarySection;
pub use answer::{AskError, Asked, Spread, UnfoldOptions, UnfoldSummary, ask, unfold};
pub use countermeasure::Countermeasure;
pub use counts::{CountTableSection, Norm, TableMethod, ViewSection};
pub use error::{HierarchyFault, JobError, NothingLeft, Outcome, RunError, outcome_of_reading, ran_out};
pub use history::HistorySection;
pub use job::{Column, Input, Job, Output, PurposeSection, Search, Trust};
pub use meant::{is_meant, other_table};
pub use out_of_core::MemoryLimit;
pub use overwrite::{spare_inputs, spare_job};
pub use purpose::{Purposes, Request};
pub use recoding::{ApplyOptions, Recoding};
pub use reproduce::{quoted, reproducing_flags};
pub use run::{RunOptions, base_of, run};
pub use size::{ACCEPTED_SIZES, parse_size};
pub use summary::{CountsSummary, Seconds, Summary, TableSummary};
pub use verify::verify;
