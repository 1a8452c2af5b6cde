//! The joint cells of margins, by a join of its own: nothing here comes from the makers of releases.

use std::collections::BTreeMap;

use foldhash::{HashMap, HashMapExt};
use privet_data::{Cancelled, Progress};

/// Joint cells beyond this are not listed.
pub const MOST_CELLS: usize = 1 << 20;
/// Counts above this are refused: sums of them stay exact as floating-point numbers.
const MOST_RECORDS: u64 = 1 << 53;
/// A column of a joint cell that has no value yet.
const OPEN: u32 = u32::MAX;

/// A column of the joint table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum JointColumn {
    /// An identifying column, by its number.
    Quasi(usize),
    /// A sensitive column, by its number.
    Sensitive(usize),
}

/// Published counts over a set of columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Margin {
    /// The columns, in any order, each once.
    pub columns: Vec<JointColumn>,
    /// Per combination of values, in the order of the columns, its count. What is not listed has none.
    pub cells: Vec<(Vec<u32>, u64)>,
}

/// Why margins give no bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MarginsError {
    /// There is no margin.
    #[error("there are no counts")]
    NoMargin,
    /// The least size of a group is 0.
    #[error("k must be at least 1")]
    NoSize,
    /// A margin has no column, or one twice.
    #[error("each view must have at least one column, and none twice")]
    Columns,
    /// A cell has another number of values than its margin has columns, or stands twice.
    #[error("each view must give every combination of values once, with one value per column")]
    Cells,
    /// More records than whole numbers in floating point.
    #[error("the views must count at most 2^53 records")]
    TooLarge,
    /// No table has all margins.
    #[error("the counts of the views contradict each other")]
    Contradiction,
    /// There are too many joint cells.
    #[error("the joint table of the views has more than {most} cells")]
    TooManyCells {
        /// How many are gone through at most.
        most: usize,
    },
    /// A linear program has no stable solution.
    #[error("the linear program has no numerically stable solution")]
    Unstable,
    /// The person stopped it.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// A margin by the positions of its columns among all columns, ascending.
#[derive(Debug, Clone)]
pub(super) struct Placed {
    pub columns: Vec<usize>,
    pub cells: BTreeMap<Vec<u32>, u64>,
}

impl Placed {
    /// Its counts over some of its columns.
    pub fn over(&self, columns: &[usize]) -> BTreeMap<Vec<u32>, u64> {
        let at: Vec<usize> = columns.iter().filter_map(|c| self.columns.binary_search(c).ok()).collect();
        let mut sums = BTreeMap::new();
        for (values, count) in &self.cells {
            *sums.entry(at.iter().map(|&i| values[i]).collect()).or_default() += count;
        }
        sums
    }

    /// Its columns that are among others.
    pub fn shared(&self, others: impl Fn(usize) -> bool) -> Vec<usize> {
        self.columns.iter().copied().filter(|&column| others(column)).collect()
    }

    /// The values of a joint cell in its columns.
    pub fn key(&self, cell: &[u32]) -> Vec<u32> {
        self.columns.iter().map(|&column| cell[column]).collect()
    }
}

/// Margins over the same columns, and the joint cells that none of them excludes.
#[derive(Debug)]
pub(super) struct Joint {
    /// All columns, ascending: those that identify first.
    pub columns: Vec<JointColumn>,
    /// In an order in which each shares as much as possible with one before it.
    pub margins: Vec<Placed>,
    /// Per cell the values of all columns; in ascending order.
    pub cells: Vec<Vec<u32>>,
}

impl Joint {
    /// Joins margins that may be those of one table.
    pub fn new(margins: &[Margin], progress: &dyn Progress) -> Result<Self, MarginsError> {
        let mut columns: Vec<JointColumn> = margins.iter().flat_map(|m| &m.columns).copied().collect();
        columns.sort_unstable();
        columns.dedup();
        if margins.is_empty() {
            return Err(MarginsError::NoMargin);
        }
        let mut placed = Vec::with_capacity(margins.len());
        for margin in margins {
            placed.push(place(margin, &columns)?);
        }
        for (i, one) in placed.iter().enumerate() {
            for other in &placed[..i] {
                let shared = one.shared(|column| other.columns.binary_search(&column).is_ok());
                if one.over(&shared) != other.over(&shared) {
                    return Err(MarginsError::Contradiction);
                }
            }
        }
        let margins = ordered(placed);
        let mut cells = vec![vec![OPEN; columns.len()]];
        let mut bound = vec![false; columns.len()];
        progress.stage("joining the views", Some(margins.len() as u64));
        for (done, margin) in margins.iter().enumerate() {
            progress.at(done as u64);
            cells = extended(&cells, margin, &bound, progress)?;
            margin.columns.iter().for_each(|&column| bound[column] = true);
        }
        cells.sort_unstable();
        Ok(Self { columns, margins, cells })
    }

    /// How many columns identify.
    pub fn quasi(&self) -> usize {
        self.columns.iter().filter(|column| matches!(column, JointColumn::Quasi(_))).count()
    }
}

/// A margin with its columns in ascending order, without cells of nobody.
fn place(margin: &Margin, columns: &[JointColumn]) -> Result<Placed, MarginsError> {
    let mut order: Vec<usize> = (0..margin.columns.len()).collect();
    order.sort_unstable_by_key(|&i| margin.columns[i]);
    let at = |i: &usize| columns.binary_search(&margin.columns[*i]).ok();
    let placed: Vec<usize> = order.iter().filter_map(at).collect();
    if placed.is_empty() || placed.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(MarginsError::Columns);
    }
    let mut cells = BTreeMap::new();
    let mut total = 0u64;
    for (values, count) in &margin.cells {
        if values.len() != placed.len() {
            return Err(MarginsError::Cells);
        }
        let values: Vec<u32> = order.iter().map(|&i| values[i]).collect();
        total = total.saturating_add(*count);
        if cells.insert(values, *count).is_some() {
            return Err(MarginsError::Cells);
        }
    }
    if total > MOST_RECORDS {
        return Err(MarginsError::TooLarge);
    }
    cells.retain(|_, count| *count > 0);
    Ok(Placed { columns: placed, cells })
}

/// The margins so that each shares the most columns with one before it: a spanning tree of most weight, after Prim.
fn ordered(mut left: Vec<Placed>) -> Vec<Placed> {
    let mut order: Vec<Placed> = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let weight = |margin: &Placed| {
            let shares =
                |earlier: &Placed| margin.shared(|c| earlier.columns.binary_search(&c).is_ok()).len();
            order.iter().map(shares).max().unwrap_or(0)
        };
        let weights: Vec<usize> = left.iter().map(weight).collect();
        let best = (0..left.len()).rev().max_by_key(|&i| weights[i]).unwrap_or(0);
        order.push(left.remove(best));
    }
    order
}

/// Cells with the values that one more margin allows them.
fn extended(
    cells: &[Vec<u32>],
    margin: &Placed,
    bound: &[bool],
    progress: &dyn Progress,
) -> Result<Vec<Vec<u32>>, MarginsError> {
    let known = margin.shared(|column| bound[column]);
    let at: Vec<usize> = known.iter().filter_map(|c| margin.columns.binary_search(c).ok()).collect();
    let mut matching: HashMap<Vec<u32>, Vec<&[u32]>> = HashMap::new();
    for values in margin.cells.keys() {
        matching.entry(at.iter().map(|&i| values[i]).collect()).or_default().push(values);
    }
    let mut next = Vec::new();
    for (done, cell) in cells.iter().enumerate() {
        if done.is_multiple_of(1 << 12) {
            progress.check()?;
        }
        let key: Vec<u32> = known.iter().map(|&column| cell[column]).collect();
        for values in matching.get(&key).map_or(&[][..], |found| found) {
            if next.len() == MOST_CELLS {
                return Err(MarginsError::TooManyCells { most: MOST_CELLS });
            }
            let mut cell = cell.clone();
            margin.columns.iter().zip(*values).for_each(|(&column, &value)| cell[column] = value);
            next.push(cell);
        }
    }
    Ok(next)
}
