//! Releases of records: generalized in levels, in cells or in groups, or kept apart from their sensitive values in buckets.
//!
//! ```
//! use privet_data::Silent;
//! use privet_microdata::candidate::RunOptions;
//! use privet_microdata::job::Job;
//!
//! let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("people.csv"), "age,ill\n31,flu\n34,cough\n38,flu\n52,cough\n55,flu\n59,cough\n")?;
//! let job = "[input]\npath = \"people.csv\"\n[columns.age]\nrole = \"quasi\"\nhierarchy = { intervals = [10, 20] }\n\
//!            [columns.ill]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 3\n";
//! let options = RunOptions { base: folder.path().to_owned(), ..RunOptions::default() };
//! assert_eq!(privet_records::run(&Job::parse(job, &[])?, &options, &Silent)?.classes, 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod answer;
mod assess;
mod boxes;
mod countermeasure;
pub mod engine;
mod history;
mod levels;
mod out_of_core;
mod publish;
mod purpose;
mod run;
mod verbs;

use privet_microdata::{
    adversary, alike, anatomy, buckets, by_purpose, chosen, counts, error, job, layouts, load, mondrian,
    overwrite, recoding, search, summary,
};

pub use answer::{UnfoldOptions, UnfoldSummary, unfold};
pub use purpose::{Purposes, Request};
pub use run::run;
pub use verbs::{of, unread};
