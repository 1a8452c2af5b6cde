//! What is fuzzed, for libFuzzer and for the driver alike: entries that take bytes, seeds to begin with, and mutations.

mod entries;
mod mutate;
mod seeds;

pub use entries::{ENTRIES, Entry, entry};
pub use mutate::{Random, mutate};
