//! The mergeable summary of an equivalence class: all that a criterion may look at.

/// A class of records that look alike on the quasi-identifier.
#[derive(Debug, Clone, Copy)]
pub struct Class<'a> {
    /// Its records in the table.
    pub rows: u64,
    /// People of the population table that generalize into it; 0 when there is no population table.
    /// A class may have people and no records.
    pub population: u64,
    /// One histogram per sensitive column, in the order of the columns; when a criterion asked for it,
    /// a last one over the combinations of all sensitive columns.
    pub histograms: &'a [Histogram<'a>],
}

/// How often each value of a sensitive column occurs in a class.
#[derive(Debug, Clone, Copy)]
pub struct Histogram<'a> {
    /// Per code how many records; as long as the column's domain.
    pub counts: &'a [u32],
    /// The codes with a count above 0, each once, in no particular order.
    pub present: &'a [u32],
    /// The sum of the counts.
    pub total: u64,
}

impl Histogram<'_> {
    /// The counts above 0, in the order of `present`.
    pub fn occurring(&self) -> impl Iterator<Item = u32> + '_ {
        self.present.iter().map(|&code| self.counts[code as usize])
    }
}
