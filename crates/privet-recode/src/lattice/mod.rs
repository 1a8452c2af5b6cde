//! Full-domain generalization: every quasi column goes to one level of its hierarchy, and records in
//! classes that fail a criterion are suppressed, up to a limit.
//!
//! [`optimal`] finds the candidate that minimizes a metric. See `optimal.rs` for how it prunes and why
//! that is sound for every criterion, monotone or not. Every other search is one file (or folder) that
//! implements [`Strategy`] and is started by [`run`]; the first lines of each say what it guarantees.

mod annealing;
mod best_effort;
mod columns;
mod datafly;
mod engine;
mod explorer;
mod fitness;
mod genetic;
pub mod hash_table;
mod incognito;
mod intern;
mod judge;
mod key;
mod minimal;
mod narrow;
mod optimal;
mod partition;
mod problem;
mod ranked;
mod rollup;
mod samarati;
mod search;
mod seen;
mod snapshot;
mod space;

pub(crate) use engine::Engine;
pub(crate) use explorer::Explorer;
pub(crate) use key::Layout;
pub(crate) use search::{BUCKET_INDEPENDENT, Outcome, require_bucket_independent};

pub use annealing::Annealing;
pub use best_effort::{BottomUp, TopDown};
pub use datafly::Datafly;
pub use genetic::Genetic;
pub use hash_table::{HashTable, hash_table};
pub use incognito::{Counters, Incognito, SubsetCounters, SuperRoot};
pub use optimal::{Options, optimal};
pub(crate) use partition::judge_class;
pub use partition::{Partition, partition, partition_of_groups, partition_weighted, tuple_entropy};
pub use privet_data::Random;
pub use problem::{Codes, Found, Problem, Quasi, SearchError};
pub use ranked::{Ranked, ranked};
pub use samarati::{Probe, Samarati};
pub use search::{Strategy, run, run_weighted};
pub use seen::Seen;
