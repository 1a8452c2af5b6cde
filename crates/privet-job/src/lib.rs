//! The job file, and the run from a file of people to a finished release.
//!
//! [`Job::read`] understands a job file, [`run`] does the work, [`init`] writes a first job file for a
//! table, [`demo`] makes a table to try it on. The doors (command line, server, Python) call these and
//! add nothing of their own.
#![forbid(unsafe_code)]

mod algorithm;
mod boxes;
mod buckets;
mod chosen;
mod counts;
pub mod demo;
mod error;
pub mod init;
mod job;
mod load;
mod mondrian;
mod publish;
mod purpose;
mod run;
mod sampling;
mod summary;

pub use algorithm::Algorithm;
pub use counts::{CountTableSection, ViewSection};
pub use error::{JobError, Outcome, RunError};
pub use job::{Column, Input, Job, Output, PurposeSection, Search, Trust};
pub use purpose::{Purposes, Request};
pub use run::{RunOptions, base_of, run};
pub use summary::{CountsSummary, Seconds, Summary, TableSummary};
