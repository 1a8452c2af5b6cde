//! How trees are grown (papers F-AL2, F-AL3): what every span must satisfy, what splits are tried, and by what they are chosen.

use privet_criteria::Requirement;
use serde::{Deserialize, Serialize};

use super::{Gain, Pruning};

/// How trees are grown.
#[derive(Debug, Clone, PartialEq)]
pub struct GrowOptions {
    /// What every span must satisfy.
    pub requirements: Vec<Requirement>,
    /// What a split is chosen by.
    pub gain: Gain,
    /// Whether a gain counts by the records of its node, and not per record of it as the source prints.
    pub weighted: bool,
    /// Which levels of a hierarchy are tried.
    pub levels: Levels,
    /// The deepest that a tree may be.
    pub max_depth: usize,
    /// What is cut off afterwards.
    pub pruning: Pruning,
    /// Per tree the attributes that it may ask; one tree that may ask all when empty.
    pub trees: Vec<Vec<usize>>,
}

impl Default for GrowOptions {
    fn default() -> Self {
        Self {
            requirements: Vec::new(),
            gain: Gain::Information,
            weighted: false,
            levels: Levels::All,
            max_depth: 64,
            pruning: Pruning::None,
            trees: Vec::new(),
        }
    }
}

impl GrowOptions {
    /// One k-anonymous tree.
    pub fn k_anonymous(k: u64) -> Self {
        Self { requirements: vec![Requirement::KAnonymity { k }], ..Self::default() }
    }
}

/// Which levels of a hierarchy are candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Levels {
    /// Every level from the start.
    #[default]
    All,
    /// The lowest; the next one when it was refused.
    LowestFirst,
    /// Two groups of values at a time instead of whole levels; numbers are cut in two anyway.
    Pairs,
}
