//! What the page may say beyond the manifest. Everything here is safe to publish: it can be counted
//! from the published table, or it is the text of the job.

use privet_attack::Finding;
use serde::Serialize;

/// Facts for the page that the manifest does not hold. All of them may be left out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    /// The heading of the page; a plain one when empty.
    pub title: String,
    /// Commands that make this release again, one per entry.
    pub reproduce: Vec<String>,
    /// What is known of the quasi columns, matched to the manifest by name.
    pub columns: Vec<ColumnFacts>,
    /// The boxes of two columns that show ranges.
    pub boxes: Option<Boxes>,
    /// The attacks that were made before it was published.
    pub attacks: Vec<Finding>,
}

/// Boxes of two columns, read off published labels.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
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
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct GroupBox {
    /// Its range to the right.
    pub x: (f64, f64),
    /// Its range upwards.
    pub y: (f64, f64),
    /// Its records.
    pub rows: u64,
}

/// What is known of one quasi column.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ColumnFacts {
    /// The name of the column, as in the manifest.
    pub name: String,
    /// How many published records have each published label, in the natural order of the labels.
    pub labels: Vec<LabelCount>,
    /// Where labels do not all lie on one level: per level of the hierarchy, from the values themselves on, how many of its
    /// labels are published. Empty where that is not known, or labels are no labels of the hierarchy.
    pub levels: Vec<u64>,
}

/// A published label and how many published records have it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LabelCount {
    /// The label as published. Never shown for a column at level 0; may be left empty there.
    pub label: String,
    /// Published records that have it.
    pub rows: u64,
}

/// Facts for the page of a release of counts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CountsFacts {
    /// Commands that make this release again, one per entry.
    pub reproduce: Vec<String>,
    /// Drawings of tables of two columns.
    pub grids: Vec<Grid>,
    /// The hierarchies of identifying columns, for their trees.
    pub hierarchies: Vec<HierarchyFacts>,
    /// What attacks on the published tables found: they start from nothing else, so anybody may know.
    pub assessment: crate::Assessment,
}

/// How many labels the levels of a column's hierarchy have.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct HierarchyFacts {
    /// The name of the column, as in the manifest.
    pub name: String,
    /// From the values themselves to the top.
    pub labels_per_level: Vec<u64>,
}

/// A table of two columns with totals, as it is published.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
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
