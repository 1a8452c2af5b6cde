//! A first job file for a table, and a table to try it on.
//!
//! [`init`] looks at a table and proposes a job, with a reason for each line; [`demo`] makes hospital admissions of nobody.
//!
//! ```
//! let table = privet_init::demo::admissions(100, 1);
//! let again = privet_init::demo::admissions(100, 1);
//! assert_eq!(table.csv(), again.csv(), "the same seed makes the same people");
//! ```
#![forbid(unsafe_code)]

pub mod demo;
pub mod init;
