//! The job file, and the run from a file of people to a finished release.
//!
//! [`Job::read`] understands a job file, [`run`] does the work, [`init`] writes a first job file for a
//! table, [`demo`] makes a table to try it on. The doors (command line, server, Python) call these and
//! add nothing of their own.
#![forbid(unsafe_code)]

pub mod demo;
mod error;
pub mod init;
mod job;
mod load;
mod publish;
mod run;
mod summary;

pub use error::{JobError, Outcome, RunError};
pub use job::{Algorithm, Column, Input, Job, Output, Search};
pub use run::{RunOptions, base_of, run};
pub use summary::{Seconds, Summary};
