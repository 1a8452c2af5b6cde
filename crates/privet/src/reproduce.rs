//! The command that makes a release again, as its pages print it: the same words for every door.

pub use privet_job::{quoted, reproducing_flags};
