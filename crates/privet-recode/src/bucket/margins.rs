//! What published counts tell together (survey AT-06), from the counts alone: the outsider's way into `combined.rs`,
//! which otherwise starts from the owner's table.
//!
//! **Guarantee.** As there; and counts that no table can have had (two margins that disagree on what they share) are
//! refused, in the decomposable case always, otherwise whenever two margins or the linear program show it.

use std::collections::BTreeMap;

use privet_data::Progress;

use super::combined::{self, Combined, JointColumn, combine};
use super::views::ViewTable;
use crate::lattice::SearchError;

/// Counts over a set of columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Margin {
    /// The columns, in any order, each once.
    pub columns: Vec<JointColumn>,
    /// Per combination of values, in the order of the columns, its count. What is not listed has none.
    pub cells: Vec<(Vec<u32>, u64)>,
}

/// Bounds of every joint cell, and what they tell about groups smaller than k and about sensitive columns.
///
/// # Errors
/// When there is no margin or one is malformed, k is 0, counts contradict each other, there are too many joint cells, a
/// linear program fails, or the person stopped it.
pub fn combined_margins(
    margins: &[Margin],
    k: u64,
    progress: &dyn Progress,
) -> Result<Combined, SearchError> {
    let (columns, tables) = checked(margins)?;
    combine(&columns, |margin| tables[margin].clone(), k, progress)
}

/// The columns of all margins, ascending, and the joint cells that no margin excludes: their values in that order.
///
/// # Errors
/// When there is no margin or one is malformed, counts contradict each other, there are too many joint cells, or the
/// person stopped it.
pub fn joint_cells(
    margins: &[Margin],
    progress: &dyn Progress,
) -> Result<(Vec<JointColumn>, Vec<Vec<u32>>), SearchError> {
    let (columns, tables) = checked(margins)?;
    combined::joint_cells(&columns, |margin| tables[margin].clone(), progress)
}

/// Columns and cells in ascending order, if some table may have them all.
fn checked(margins: &[Margin]) -> Result<(Vec<Vec<JointColumn>>, Vec<ViewTable>), SearchError> {
    let wrong = |problem| SearchError::Parameter { key: "margins", problem };
    if margins.is_empty() {
        return Err(wrong("must be at least one"));
    }
    let sorted: Vec<Sorted> = margins.iter().map(sort).collect::<Result<_, _>>().map_err(wrong)?;
    for (i, one) in sorted.iter().enumerate() {
        for other in &sorted[..i] {
            let shared: Vec<JointColumn> =
                one.columns.iter().filter(|column| other.columns.contains(column)).copied().collect();
            if one.sums(&shared) != other.sums(&shared) {
                let problem = "two margins disagree about what they share, so no table has both";
                return Err(SearchError::NoBounds { problem });
            }
        }
    }
    let split = |margin: Sorted| (margin.columns, ViewTable { cells: margin.cells });
    Ok(sorted.into_iter().map(split).unzip())
}

/// A margin with its columns and its cells in ascending order.
struct Sorted {
    columns: Vec<JointColumn>,
    cells: Vec<(Vec<u32>, u64)>,
}

impl Sorted {
    /// The counts over some of its columns.
    fn sums(&self, of: &[JointColumn]) -> BTreeMap<Vec<u32>, u128> {
        let at: Vec<usize> = of.iter().filter_map(|column| self.columns.binary_search(column).ok()).collect();
        let mut sums = BTreeMap::new();
        for (values, count) in &self.cells {
            *sums.entry(at.iter().map(|&i| values[i]).collect()).or_default() += u128::from(*count);
        }
        sums
    }
}

fn sort(margin: &Margin) -> Result<Sorted, &'static str> {
    let mut order: Vec<usize> = (0..margin.columns.len()).collect();
    order.sort_unstable_by_key(|&i| margin.columns[i]);
    let columns: Vec<JointColumn> = order.iter().map(|&i| margin.columns[i]).collect();
    if columns.is_empty() || columns.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err("must each have at least one column, and none twice");
    }
    let mut cells = Vec::with_capacity(margin.cells.len());
    let mut total = 0u64;
    for (values, count) in &margin.cells {
        if values.len() != columns.len() {
            return Err("must give every cell one value per column");
        }
        total = total.saturating_add(*count);
        if *count > 0 {
            cells.push((order.iter().map(|&i| values[i]).collect::<Vec<u32>>(), *count));
        }
    }
    if total > 1 << 53 {
        return Err("must count at most 2^53 records, which is more than bounds can be computed for");
    }
    cells.sort_unstable();
    if cells.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return Err("must list a combination of values at most once");
    }
    Ok(Sorted { columns, cells })
}
