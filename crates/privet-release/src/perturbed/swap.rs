//! What a release of swapped records says of itself: which columns were swapped, how, how much was moved, and what stays
//! exactly (survey ME-33 to ME-35).
//!
//! There is no law from which anything could be computed back, and no formal privacy. No value of the data is in it.

use serde::{Deserialize, Serialize};

/// How records were swapped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Swap {
    /// How, with its parameters.
    pub way: SwapWay,
    /// The columns whose values changed places.
    pub columns: Vec<SwappedColumn>,
    /// The joint counts of up to so many of these columns are exactly those of the input; 1 is each column by itself.
    pub keeps: u64,
    /// Records with another value in one of these columns than before.
    pub changed: u64,
    /// Ways that move records within one table of counts: records without an equal among the originals, in the columns
    /// that were looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_records: Option<u64>,
}

/// A way of swapping.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case", deny_unknown_fields)]
pub enum SwapWay {
    /// Each column by itself, with a record that is near in rank.
    Rank {
        /// The window, as a percentage of the values that are there.
        percent: f64,
    },
    /// Sets of records with equal counts, so that every joint count of `order` columns stays.
    Order {
        /// How many columns.
        order: u64,
        /// The share of records that was asked to change.
        share: f64,
    },
    /// Records that agree on all swapped columns but one, so that the joint counts of all of them stay.
    Margin {
        /// The probability with which a pair exchanges.
        share: f64,
    },
    /// Each record with the nearest, all swapped columns together.
    Nearest {
        /// The probability with which a pair exchanges.
        probability: f64,
        /// The columns by which nearness is told.
        compared: Vec<String>,
    },
}

impl SwapWay {
    /// The word for it.
    pub fn word(&self) -> &'static str {
        match self {
            SwapWay::Rank { .. } => "rank",
            SwapWay::Order { .. } => "order",
            SwapWay::Margin { .. } => "margin",
            SwapWay::Nearest { .. } => "nearest",
        }
    }

    /// The joint counts of up to how many of the swapped columns stay exactly.
    pub fn keeps(&self, columns: usize) -> u64 {
        match self {
            SwapWay::Rank { .. } => 1,
            SwapWay::Order { order, .. } => *order,
            SwapWay::Margin { .. } | SwapWay::Nearest { .. } => columns as u64,
        }
    }

    /// Its number with a fraction.
    pub fn parameter(&self) -> f64 {
        match self {
            SwapWay::Rank { percent: own }
            | SwapWay::Order { share: own, .. }
            | SwapWay::Margin { share: own }
            | SwapWay::Nearest { probability: own, .. } => *own,
        }
    }
}

/// A column whose values changed places.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SwappedColumn {
    /// Its name.
    pub name: String,
    /// Its distinct values, missing ones included: as many as before.
    pub distinct: u64,
    /// Records with another value than before.
    pub changed: u64,
    /// By rank: how many ranks a value could move at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u64>,
    /// By rank: how many ranks a value moved on average.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_rank_distance: Option<f64>,
}

impl Swap {
    /// Its numbers with a fraction, each with what it is about.
    pub(super) fn figures(&self) -> Vec<(&str, f64)> {
        let of_columns =
            self.columns.iter().filter_map(|own| Some((own.name.as_str(), own.mean_rank_distance?)));
        of_columns.chain([("swap", self.way.parameter())]).collect()
    }
}
