//! The job file, and the run from a file of people to a finished release.
//!
//! [`Job::read`] understands a job file, [`run`] does the work, [`init`] writes a first job file for a
//! table, [`demo`] makes a table to try it on. The doors (command line, server, Python) call these and
//! add nothing of their own.
#![forbid(unsafe_code)]

mod adversary;
mod algorithm;
mod alike;
mod anatomy;
mod answer;
pub mod assess;
pub mod audit;
mod boxes;
mod buckets;
mod chosen;
mod codes;
mod countermeasure;
mod counts;
pub mod demo;
mod error;
pub mod init;
mod job;
pub mod judge;
mod levels;
mod load;
mod meant;
mod mondrian;
mod out_of_core;
mod overwrite;
mod publish;
mod purpose;
pub mod query;
pub mod randomize;
pub mod reconstruct;
mod run;
mod sampling;
mod size;
mod summary;
mod values;
mod verify;

pub use adversary::AdversarySection;
pub use algorithm::Algorithm;
pub use answer::{AskError, Asked, Spread, UnfoldOptions, UnfoldSummary, ask, unfold};
pub use countermeasure::Countermeasure;
pub use counts::{CountTableSection, Norm, TableMethod, ViewSection};
pub use error::{HierarchyFault, JobError, NothingLeft, Outcome, RunError, ran_out};
pub use job::{Column, Input, Job, Output, PurposeSection, Search, Trust};
pub use out_of_core::MemoryLimit;
pub use overwrite::{spare_inputs, spare_job};
pub use purpose::{Purposes, Request};
pub use run::{RunOptions, base_of, run};
pub use size::{ACCEPTED_SIZES, parse_size};
pub use summary::{CountsSummary, Seconds, Summary, TableSummary};
pub use verify::verify;
