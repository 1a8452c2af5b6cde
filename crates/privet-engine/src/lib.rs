//! Jobs whose data outgrows memory or one machine: DataFusion in this process, Ballista on a cluster, PostgreSQL.
//!
//! The same job file gives the same bytes as in memory. [`FileEngine`] groups, recodes and writes a table of Parquet files;
//! [`privet_job::engine::run_on`] does the rest on the distinct tuples. The program is `privet-cluster`.
#![forbid(unsafe_code)]

#[cfg(feature = "cluster")]
pub mod cluster;
#[cfg(feature = "cluster")]
mod codec;
mod database;
mod engine;
mod fault;
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

pub use engine::FileEngine;
pub use plan::{Passes, Plan, plan};
pub use private::{CountQuestion, PrivateCounts, PrivateError, counting, private_counts};
pub use run::{Opened, anonymize, open};
pub use runner::{Runner, Settings};
pub use store::{address_of, memory, url_of};
pub use table::{FileTable, Stretch, TableFile};
