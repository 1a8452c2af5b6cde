//! `manifest.json` of a release of counts: several tables of counts instead of records (survey ME-14, ME-02).
//!
//! It says of every table what was promised and reached, and of views what they tell together. Of a table with hidden
//! cells it says how many are hidden and not why: how many of them are small would tell an outsider which ones.

use std::collections::BTreeMap;

use privet_data::Equality;
use serde::{Deserialize, Serialize};

use crate::manifest::{Alike, File, LabelReading, Promise};
use crate::seal::{self, Sealable};
use crate::{ManifestError, Shown};

/// The word for this kind of release.
pub const COUNTS: &str = "counts";

/// The label that stands for all values of a column together.
pub const TOTAL: &str = "Total";

/// The column of counts.
pub const COUNT: &str = "count";

/// What a release of counts says of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CountsManifest {
    /// The layout of this file.
    pub format: u32,
    /// The program and its version.
    pub software: String,
    /// `counts`.
    pub kind: String,
    /// What all tables share.
    pub data: CountsData,
    /// The tables.
    pub tables: Vec<CountsTable>,
    /// Views: what they tell together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub together: Option<Together>,
    /// Where randomness came from: `none`, or `operating-system` or `fixed-seed` where counts were drawn.
    pub randomness: String,
    /// What the pages show beside all this.
    #[serde(default)]
    pub shown: Shown,
    /// The fingerprint of the key that signed it; absent when it is not signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signer: Option<String>,
    /// Every other file of the folder.
    pub files: Vec<File>,
    /// SHA-256 of this file with this field empty.
    pub seal: String,
}

/// What all tables share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CountsData {
    /// `csv`, `parquet` or `arrow`.
    pub format: String,
    /// CSV: the delimiter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
    /// CSV: `latin-1`, or UTF-8 when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// Cells that stand for a missing value; the empty one alone when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Vec<String>>,
    /// Records of the input; every table counts all of them.
    pub records: u64,
    /// Names of input columns that are in no table.
    pub removed_columns: Vec<String>,
    /// Columns of whose texts it is not told by their kind alone which are one value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub equality: BTreeMap<String, Equality>,
}

/// A table of counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CountsTable {
    /// The file.
    pub file: String,
    /// How it is written.
    pub form: Form,
    /// Its columns in their order, without the column of counts.
    pub columns: Vec<CountsColumn>,
    /// Its cells: combinations that occur in a view, all combinations and totals of a table with totals.
    pub cells: u64,
    /// Views: how many records look alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<ViewClasses>,
    /// Views: what holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub promises: Vec<Promise>,
    /// Views: which of the promises, counted from 0, are this view's own. The others are promised of every view that
    /// holds their columns, but where a view has one of its own of the same model about the same column.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_promises: Vec<usize>,
    /// Tables with totals: what is hidden, and how well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suppression: Option<HiddenCells>,
    /// Tables with totals whose counts were changed instead of hidden: how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed: Option<ChangedCells>,
}

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// A view: each combination that occurs once, with its count.
    Counts,
    /// A view: each combination as often as it occurs, equal ones together.
    Microdata,
    /// All combinations and totals with their counts; a count that is hidden is empty.
    Totals,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CountsColumn {
    /// Its name.
    pub name: String,
    /// `quasi` or `sensitive`.
    pub role: String,
    /// Quasi columns: the level of its hierarchy, 0 for the value itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<usize>,
    /// Quasi columns: the top level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<usize>,
    /// How many different labels it has in the table.
    pub labels: u64,
    /// Quasi columns: distinct labels at each level of its hierarchy, from level 0 on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels_per_level: Option<Vec<u64>>,
    /// Quasi columns: whether its labels hold what anyone reads in them; absent in manifests of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<LabelReading>,
    /// What the values of the input have in common; absent in manifests of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alike: Option<Alike>,
}

/// The classes of a view: records alike in its quasi columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ViewClasses {
    /// How many.
    pub count: u64,
    /// The records of the smallest.
    pub smallest: u64,
}

/// Hidden cells of a table with totals. What is promised: no count above 0 and below the threshold is published, and
/// for every such count a, what is published also fits tables in which it is at most max(0, a - lower), and tables in
/// which it is at least a + upper.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HiddenCells {
    /// Counts above 0 and below this are hidden.
    pub threshold: u64,
    /// How far below a small count an outsider must think possible.
    pub lower: u64,
    /// How far above.
    pub upper: u64,
    /// Hidden cells, small ones and those that hide them together.
    pub hidden: u64,
}

/// Changed counts of a table with totals. What is promised: the totals over each set of columns under `margins` are the
/// true ones, and none of them is above 0 and below the threshold; all other totals are the sums of what is published.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangedCells {
    /// Counts above 0 and below this are small.
    pub threshold: u64,
    /// Sets of columns whose totals were kept; of a table of one column that column, whose grand total was.
    pub margins: Vec<Vec<String>>,
    /// How the other counts were changed.
    pub way: ChangeWay,
}

/// How counts were changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeWay {
    /// Controlled tabular adjustment: every small count was moved, others as little as possible.
    Adjust {
        /// By how much a small count fell at least, unless to 0, if it fell.
        lower: u64,
        /// By how much it rose at least, if it rose.
        upper: u64,
        /// No table that keeps to all this changes less.
        least: bool,
        /// What is least is the largest move of a count, and then the sum of all moves; otherwise that sum alone.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        largest: bool,
    },
    /// A table of a random walk over all tables with these totals.
    Resample {
        /// The law that the walk tends to: `uniform` or `hypergeometric`.
        target: String,
        /// Its steps.
        steps: u64,
    },
}

/// What views tell together (survey AT-06): the bounds of every combination of values that no view excludes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Together {
    /// No group of fewer records than this is proven to exist: the least k that a view promises, or 1.
    pub k: u64,
    /// Combinations of values of all columns that no view excludes.
    pub joint_cells: u64,
    /// Of the combinations of quasi values that are proven to exist, the fewest records that one has at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smallest_proven: Option<u64>,
    /// Combinations of quasi values for which one sensitive value alone is possible: none.
    pub determined: u64,
    /// How the bounds of combinations were found: `closed` or `linear-program`.
    pub cells_by: String,
    /// How those of combinations of quasi values were found.
    pub groups_by: String,
}

impl ChangedCells {
    /// The word for how counts were changed.
    pub fn word(&self) -> &'static str {
        match self.way {
            ChangeWay::Adjust { .. } => "adjust",
            ChangeWay::Resample { .. } => "resample",
        }
    }
}

impl Sealable for CountsManifest {
    fn files(&mut self) -> &mut Vec<File> {
        &mut self.files
    }

    fn seal(&mut self) -> &mut String {
        &mut self.seal
    }

    fn signer(&mut self) -> &mut Option<String> {
        &mut self.signer
    }

    fn figures(&self) -> Vec<(&str, f64)> {
        let promises = self.tables.iter().flat_map(|table| &table.promises);
        promises.map(|promise| (promise.statement.as_str(), promise.reached)).collect()
    }
}

impl CountsManifest {
    /// The manifest as it stands in its file, with the seal that it has.
    ///
    /// # Errors
    /// When a number is not finite.
    pub fn to_json(&self) -> Result<String, ManifestError> {
        seal::to_json(self)
    }

    /// Computes the seal and returns the manifest as it stands in its file.
    ///
    /// # Errors
    /// As [`to_json`](Self::to_json).
    pub fn to_json_sealed(&mut self) -> Result<String, ManifestError> {
        seal::to_json_sealed(self)
    }

    /// Reads a manifest. Unknown fields are errors, and so is another format or kind.
    ///
    /// # Errors
    /// When it is not a manifest of this format.
    pub fn parse(bytes: &[u8]) -> Result<Self, ManifestError> {
        seal::parse(bytes)
    }
}
