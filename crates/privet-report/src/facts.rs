//! What the page may say beyond the manifest. Everything here is safe to publish: it can be counted
//! from the published table, or it is the text of the job.

/// Facts for the page that the manifest does not hold. All of them may be left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// The heading of the page; a plain one when empty.
    pub title: String,
    /// Commands that make this release again, one per entry.
    pub reproduce: Vec<String>,
    /// What is known of the quasi columns, matched to the manifest by name.
    pub columns: Vec<ColumnFacts>,
}

/// What is known of one quasi column.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ColumnFacts {
    /// The name of the column, as in the manifest.
    pub name: String,
    /// How many published records have each published label, in the natural order of the labels.
    pub labels: Vec<LabelCount>,
}

/// A published label and how many published records have it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LabelCount {
    /// The label as published. Never shown for a column at level 0; may be left empty there.
    pub label: String,
    /// Published records that have it.
    pub rows: u64,
}
