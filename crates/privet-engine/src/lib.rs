//! Jobs whose data outgrows memory or one machine: DataFusion in this process, Ballista on a cluster, PostgreSQL.
//!
//! The same job file gives the same bytes as in memory. [`FileEngine`] groups, recodes and writes a table of Parquet files;
//! [`privet_job::engine::run_on`] does the rest on the distinct tuples. The program is `privet-cluster`.
//!
//! ```
//! use privet_data::Silent;
//! use privet_job::{Job, RunOptions};
//!
//! let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("people.csv"), "age,ill\n31,flu\n34,cough\n38,flu\n52,cough\n55,flu\n59,cough\n")?;
//! let job = "[input]\npath = \"people.csv\"\n[columns.age]\nrole = \"quasi\"\nhierarchy = { intervals = [10, 20] }\n\
//!            [columns.ill]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 3\n[output]\nformat = \"parquet\"\n\
//!            [engine]\nkind = \"datafusion\"\n";
//! let job = Job::parse(job, &[])?;
//! let options = RunOptions { base: folder.path().to_owned(), ..RunOptions::default() };
//! assert_eq!(privet_engine::anonymize(&job, &options, &Silent)?.classes, 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

#[cfg(feature = "cluster")]
pub mod cluster;
#[cfg(feature = "cluster")]
mod codec;
mod database;
mod engine;
mod fault;
mod group;
mod look;
mod lookup;
mod parts;
mod plan;
mod plan_table;
mod private;
pub mod program;
mod recode;
mod run;
mod runner;
mod scan;
mod stage;
mod store;
mod table;
mod values;

pub use engine::FileEngine;
pub use plan::{Passes, Plan, plan};
pub use private::{CountQuestion, PrivateCounts, PrivateError, counting, private_counts};
pub use run::{Opened, anonymize, open};
pub use runner::{Runner, Settings};
pub use store::{address_of, memory, url_of};
pub use table::{FileTable, Stretch, TableFile};
