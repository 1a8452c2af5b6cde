//! A column of sets of items in the manifest: select-a-size randomization (survey ME-22, PM-15).
//!
//! Sets are filled up to one size with items that stand for nothing before they are randomized, and lose these again
//! before they are published. So one law holds for all of them, and how many items a set had is hidden as well as which.

use serde::{Deserialize, Serialize};

use super::{Amplification, Open};

/// A column of sets of items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Items {
    /// `select-a-size`.
    pub mechanism: String,
    /// All items that there can be.
    pub values: Vec<String>,
    /// Where they are from: `declared` or `hierarchy`.
    pub domain: String,
    /// What stands between two items of a cell.
    pub separator: String,
    /// Every set is filled up to so many items before it is randomized.
    pub size: u32,
    /// For j from 0 to the size: the probability that j items of a set are kept.
    pub keep: Vec<f64>,
    /// The probability that an item which is not in a set is added to it, for each of them.
    pub add: f64,
    /// What it protects.
    pub protects: Amplification,
}

/// The word for select-a-size randomization.
pub const SELECT_A_SIZE: &str = "select-a-size";

impl Items {
    /// Why it promises nothing; `None` when it promises its γ.
    pub fn open(&self) -> Option<Open> {
        self.protects.gamma.is_none().then_some(Open::Excludes)
    }

    /// How many items of a full set are kept, on average.
    pub fn expected_kept(&self) -> f64 {
        self.keep.iter().enumerate().map(|(j, p)| j as f64 * p).sum()
    }
}
