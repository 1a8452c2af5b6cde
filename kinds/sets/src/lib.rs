//! Sets of items per person: baskets and search logs, published so that few known items find nobody.
//!
//! ```
//! use privet_sets::Baskets;
//!
//! let baskets = Baskets::of([vec![2, 0, 2], vec![], vec![1]]);
//! assert_eq!(baskets.basket(0), [0, 2]);
//! assert_eq!((baskets.len(), baskets.total()), (3, 3));
//! ```
#![forbid(unsafe_code)]

pub mod anonymize;
pub mod attack;
mod baskets;
pub mod criteria;
mod error;
#[cfg(test)]
mod fixtures;
pub mod generate;
mod kind;
pub mod log;
pub mod measure;
mod read;
mod tree;

pub use baskets::{Baskets, Catalogue, SetData};
pub use error::SetsError;
pub use kind::{Body, Input, Method, Opened, OriginalLog, OriginalSets, PublishedLog, PublishedNodes, Sets};
pub use read::{
    LineOptions, LogOptions, PairOptions, QueryList, Span, USUAL_MOST_ITEMS, read_counts, read_lines,
    read_log, read_pairs, seconds_of,
};
pub use tree::{Cut, ItemTree};
