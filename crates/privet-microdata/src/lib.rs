//! Tables of one row per person: the job about them, the table itself with its hierarchies, and what every kind of release that is made
//! of one has in common.
//!
//! | | |
//! | --- | --- |
//! | the job file | [`job`], with a module for each section; [`error`] |
//! | the table | [`load`], and a candidate for publication [`candidate`] |
//! | a release beside its original | [`assess`]; questions to one [`answer`] |
//! | what a kind does for each verb | [`layouts`] |
//!
//! ```
//! use privet_microdata::job::Job;
//!
//! let job = Job::parse("[input]\npath = \"people.csv\"\n[columns.age]\nrole = \"quasi\"\n[privacy]\nk-anonymity = 3\n", &[])?;
//! assert_eq!(job.privacy.len(), 1);
//! # Ok::<(), privet_microdata::error::JobError>(())
//! ```
#![forbid(unsafe_code)]

pub mod adversary;
pub mod alike;
pub mod anatomy;
pub mod answer;
pub mod assess;
pub mod buckets;
pub mod by_purpose;
pub mod candidate;
pub mod chosen;
pub mod codes;
pub mod coins;
pub mod countermeasure;
pub mod counts;
pub mod declarations;
pub mod engine;
pub mod error;
pub mod history;
pub mod job;
pub mod layouts;
pub mod load;
pub mod meant;
pub mod memory_limit;
pub mod mondrian;
pub mod overwrite;
pub mod publish;
pub mod recoding;
pub mod sampling;
pub mod search;
pub mod size;
pub mod summary;
pub mod values;
