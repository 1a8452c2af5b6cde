//! What the page may say beyond the manifest. Everything here is safe to publish: it can be counted
//! from the published table, or it is the text of the job.

use privet_attack::Finding;
pub use privet_release::shown::{
    Axis, Boxes, ColumnFacts, Grid, GroupBox, LabelCount, LeftOut, MOST_BOXES, MOST_LABELS,
};

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

/// Facts for the page of a release of counts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CountsFacts {
    /// Commands that make this release again, one per entry.
    pub reproduce: Vec<String>,
    /// Drawings of tables of two columns.
    pub grids: Vec<Grid>,
    /// What attacks on the published tables found: they start from nothing else, so anybody may know.
    pub assessment: crate::Assessment,
}
