//! What the pages of a release show that nothing else in its manifest says: labels with their records, drawings, what
//! attacks found, the commands that make it again.
//!
//! It stands in the manifest, so that a page is a function of the manifest: `verify` makes every page again and compares. What
//! can be counted in the published table is counted again as well; findings of attacks need the original and are the
//! publisher's word.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What the pages show beside the rest of the manifest.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shown {
    /// Commands that make a release like this one, one per entry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reproduce: Vec<String>,
    /// The published labels of the quasi columns, in the order of these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<ColumnFacts>,
    /// The boxes of two columns that show ranges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boxes: Option<Boxes>,
    /// Drawings of tables of two columns with totals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grids: Vec<Grid>,
    /// Randomized columns: what can be estimated of each, as `report.json` has it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pictures: Vec<Value>,
    /// What attacks found before it was published, as `report.json` has it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attacks: Vec<Value>,
    /// Attacks that were not made, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_made: Vec<Value>,
}

/// What is known of one quasi column.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnFacts {
    /// The name of the column, as in the manifest.
    pub name: String,
    /// How many published records have each published label, in the natural order of the labels; where there are more than
    /// [`MOST_LABELS`], the most frequent ones.
    pub labels: Vec<LabelCount>,
    /// What is published besides these.
    #[serde(default, skip_serializing_if = "LeftOut::is_nothing")]
    pub left_out: LeftOut,
    /// Where labels do not all lie on one level: per level of the hierarchy, from the values themselves on, how many of its
    /// labels are published. Empty where that is not known, or labels are no labels of the hierarchy.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<u64>,
}

/// No more labels of a column than this are told one by one: a report is read, and one of all groups of a large table would be
/// larger than the table.
pub const MOST_LABELS: usize = 1000;

/// Published labels that are not told one by one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    /// How many labels.
    pub labels: u64,
    /// How many published records have them.
    pub records: u64,
}

impl LeftOut {
    fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

impl ColumnFacts {
    /// How many labels are published.
    pub fn published(&self) -> u64 {
        self.labels.len() as u64 + self.left_out.labels
    }
}

/// What stands in place of a label for all values that are published as they were, in a column of several levels.
pub const VALUES_AS_THEY_WERE: &str = "values as they were";

/// The same for values that stand for their group: medians and most frequent values.
pub const VALUES_OF_GROUPS: &str = "values that stand for their group";

/// A published label and how many published records have it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelCount {
    /// The label as published. Never shown for a column at level 0; may be left empty there.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// Published records that have it.
    pub rows: u64,
}

/// Boxes of two columns, read off published labels.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Boxes {
    /// The column that is drawn to the right.
    pub x: Axis,
    /// The column that is drawn upwards.
    pub y: Axis,
    /// The boxes, or those with most records.
    pub boxes: Vec<GroupBox>,
    /// How many more there are.
    pub left_out: u64,
}

/// More boxes than this cannot be told apart in a picture.
pub const MOST_BOXES: usize = 700;

/// A column of numbers or dates.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    /// Its name.
    pub name: String,
    /// Where the published labels begin.
    pub low: f64,
    /// Where they end.
    pub high: f64,
    /// How wide a single value is: 1 for whole numbers and days.
    pub unit: f64,
    /// Marks on the axis, and what stands at them.
    pub marks: Vec<(f64, String)>,
}

/// A box and how many published records are in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupBox {
    /// Its range to the right.
    pub x: (f64, f64),
    /// Its range upwards.
    pub y: (f64, f64),
    /// Its records.
    pub rows: u64,
}

/// A table of two columns with totals, as it is published.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    /// Which table of the manifest, from 0.
    pub table: usize,
    /// The labels of the first column, the total last.
    pub rows: Vec<String>,
    /// The labels of the second column, the total last.
    pub columns: Vec<String>,
    /// Row by row the counts; `None` for a hidden one.
    pub counts: Vec<Option<u64>>,
}
