//! Tables of counts whose margins stay: sampled by a Markov chain, or adjusted cell by cell (survey ME-36, ME-37).
//!
//! | made by | what stays exactly | what changes |
//! | --- | --- | --- |
//! | [`TableWalk`], [`sample_table`] | the margins of a decomposable model | all the rest, at random among the tables with these margins |
//! | [`adjust_table`] | any margins | each sensitive cell by at least its protection, the others as little as possible |
//!
//! [`for_each_table`] lists all tables with given margins, where they are few; [`cell_bounds`] tells what a single count
//! can be in them.

mod adjust;
mod bounds;
mod fibre;
mod junction;
mod markov;

pub use adjust::{Adjusted, Adjustment, Method, Protected, adjust_evenly, adjust_table};
pub use bounds::cell_bounds;
pub use fibre::for_each_table;
pub use markov::{TableWalk, Target, Walked, sample_table};

use crate::PerturbError;

/// The most cells of a table.
const MOST_CELLS: usize = 1 << 24;
/// The most records of a table: counts above are no exact floating-point numbers.
const MOST_RECORDS: u64 = 1 << 53;

/// Why a table cannot be made. No message holds a value of the data or a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// A parameter, a length or the source of randomness.
    #[error(transparent)]
    Perturb(#[from] PerturbError),
    /// A margin over columns that do not exist, over none, or over one twice.
    #[error("margin {margin} must have at least one column of the table, and each at most once")]
    Margin {
        /// The margin, counted from 0.
        margin: usize,
    },
    /// A column that no margin holds.
    #[error("no margin holds column {column}: every column must be in one, if only by itself")]
    Uncovered {
        /// The column, counted from 0.
        column: usize,
    },
    /// The moves that connect all tables with these margins are not known.
    #[error(
        "the margins are not decomposable: no order of them lets each share with those before it only what it shares with one of them, as with the three pairs of three columns; swaps of two records then do not reach every table. Leave margins out, or join those that form a cycle into one"
    )]
    NotDecomposable,
    /// One cell cannot be protected by itself.
    #[error(
        "cell {cell} cannot move by its protection, neither up nor down, while the margins stay: ask for less, keep fewer margins or allow larger changes"
    )]
    NoRoom {
        /// The cell, in row-major order.
        cell: usize,
    },
    /// Every cell can be protected by itself, all together cannot.
    #[error(
        "each sensitive cell can move by its protection alone, but no table moves all {sensitive} of them and keeps the margins: ask for less, keep fewer margins or allow larger changes"
    )]
    Together {
        /// How many cells are sensitive.
        sensitive: usize,
    },
    /// The heuristic ended without a table, which does not prove that there is none.
    #[error(
        "no choice of directions that was tried protects all {sensitive} sensitive cells and keeps the margins; there may be one, but the table is too large to search them all"
    )]
    NotFound {
        /// How many cells are sensitive.
        sensitive: usize,
    },
    /// The linear program went astray.
    #[error("the integer program has no numerically stable solution: try smaller counts or fewer cells")]
    Unstable,
}

/// Counts over the values of columns, without totals, in row-major order: the last column changes fastest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts {
    sizes: Vec<usize>,
    counts: Vec<u64>,
}

impl Counts {
    /// A table from the numbers of values of its columns, and its counts.
    ///
    /// # Errors
    /// When there is no column, there are too many cells or records, or not one count per cell.
    pub fn new(sizes: Vec<usize>, counts: Vec<u64>) -> Result<Self, TableError> {
        let cells = cells_of(&sizes)?;
        if counts.len() != cells {
            return Err(PerturbError::Length { what: "counts", found: counts.len(), expected: cells }.into());
        }
        let total = counts.iter().try_fold(0u64, |sum, &count| sum.checked_add(count));
        if total.is_none_or(|total| total > MOST_RECORDS) {
            return Err(too_many_records(total.unwrap_or(u64::MAX), MOST_RECORDS));
        }
        Ok(Self { sizes, counts })
    }

    /// Counts records by columns of codes with `sizes` values each.
    ///
    /// # Errors
    /// When there is no column or too many cells, columns have different lengths, or a code is outside of its domain.
    pub fn of(columns: &[&[u32]], sizes: &[usize]) -> Result<Self, TableError> {
        let mut counts = vec![0; cells_of(sizes)?];
        if columns.len() != sizes.len() {
            let (found, expected) = (columns.len(), sizes.len());
            return Err(PerturbError::Length { what: "columns", found, expected }.into());
        }
        let records = columns.first().map_or(0, |column| column.len());
        let mut cell = vec![0usize; records];
        for (column, &domain) in columns.iter().zip(sizes) {
            if column.len() != records {
                let found = column.len();
                return Err(
                    PerturbError::Length { what: "values of a column", found, expected: records }.into()
                );
            }
            for (record, (cell, &code)) in cell.iter_mut().zip(*column).enumerate() {
                if code as usize >= domain {
                    return Err(PerturbError::Code { record, domain }.into());
                }
                *cell = *cell * domain + code as usize;
            }
        }
        for cell in cell {
            counts[cell] += 1; // why: every code is below its size
        }
        Ok(Self { sizes: sizes.to_vec(), counts })
    }

    /// How many values each column has.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// The counts.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// How many records there are.
    pub fn records(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The counts over some of the columns, in row-major order of the columns as they are given; `None` when one does
    /// not exist.
    pub fn margin(&self, columns: &[usize]) -> Option<Vec<u64>> {
        if columns.iter().any(|&column| column >= self.sizes.len()) {
            return None;
        }
        let (entry, entries) = self.entries(columns);
        let mut sums = vec![0; entries];
        for (&entry, count) in entry.iter().zip(&self.counts) {
            sums[entry as usize] += count; // why: entries are numbered below their number
        }
        Some(sums)
    }

    /// How many records would have to change to make the other table of the same shape.
    pub(crate) fn distance(&self, other: &[u64]) -> u64 {
        self.counts.iter().zip(other).map(|(own, other)| own.saturating_sub(*other)).sum()
    }

    /// Per column, by how many cells a step of its value goes.
    fn strides(&self) -> Vec<usize> {
        let mut strides = vec![1; self.sizes.len()];
        let mut stride = 1;
        for (own, size) in strides.iter_mut().zip(&self.sizes).rev() {
            *own = stride;
            stride *= size;
        }
        strides
    }

    /// Per cell the entry of a margin that counts it, and how many entries there are.
    fn entries(&self, columns: &[usize]) -> (Vec<u32>, usize) {
        let strides = self.strides();
        let chosen: Vec<(usize, usize)> = columns
            .iter()
            .filter_map(|&column| Some((*strides.get(column)?, *self.sizes.get(column)?)))
            .collect();
        let entry = |cell: usize| {
            chosen.iter().fold(0, |entry, (stride, size)| entry * size + cell / stride % size) as u32
        };
        ((0..self.counts.len()).map(entry).collect(), chosen.iter().map(|(_, size)| size).product())
    }

    /// The margins with their columns in ascending order, without those that another one contains.
    fn checked(&self, margins: &[Vec<usize>]) -> Result<Vec<Vec<usize>>, TableError> {
        let mut sorted = Vec::with_capacity(margins.len());
        for (margin, columns) in margins.iter().enumerate() {
            let mut columns = columns.clone();
            columns.sort_unstable();
            let given = columns.len();
            columns.dedup();
            if columns.last().is_none_or(|&last| last >= self.sizes.len()) || columns.len() < given {
                return Err(TableError::Margin { margin });
            }
            sorted.push(columns);
        }
        sorted.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        let mut largest: Vec<Vec<usize>> = Vec::new();
        for columns in sorted {
            let within =
                |other: &Vec<usize>| columns.iter().all(|column| other.binary_search(column).is_ok());
            if !largest.iter().any(within) {
                largest.push(columns);
            }
        }
        Ok(largest)
    }
}

fn cells_of(sizes: &[usize]) -> Result<usize, TableError> {
    if sizes.is_empty() {
        return Err(PerturbError::Empty { what: "column" }.into());
    }
    // A column without values makes a table without cells, but margins of the other columns must be small as well.
    let cells = sizes.iter().try_fold(1usize, |cells, &size| cells.checked_mul(size.max(1)));
    match cells {
        Some(cells) if cells <= MOST_CELLS => Ok(if sizes.contains(&0) { 0 } else { cells }),
        _ => {
            let found = cells.unwrap_or(usize::MAX);
            Err(PerturbError::TooLarge { what: "the number of cells", found, most: MOST_CELLS }.into())
        }
    }
}

fn too_many_records(found: u64, most: u64) -> TableError {
    let (found, most) =
        (usize::try_from(found).unwrap_or(usize::MAX), usize::try_from(most).unwrap_or(usize::MAX));
    PerturbError::TooLarge { what: "the number of records", found, most }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Margins are sums over the columns that are left out.
    #[test]
    fn margins_are_sums() {
        let table = Counts::new(vec![2, 3], vec![1, 2, 3, 4, 5, 6]).unwrap();
        assert_eq!(table.margin(&[0]), Some(vec![6, 15]));
        assert_eq!(table.margin(&[1]), Some(vec![5, 7, 9]));
        assert_eq!(table.margin(&[1, 0]), Some(vec![1, 4, 2, 5, 3, 6]));
        assert_eq!(table.margin(&[]), Some(vec![21]));
        assert_eq!(table.margin(&[2]), None);
        let of = Counts::of(&[&[0, 1, 1], &[2, 0, 0]], &[2, 3]).unwrap();
        assert_eq!((of.counts(), of.records()), (&[0, 0, 1, 2, 0, 0][..], 3));
    }

    #[test]
    fn bad_tables_are_refused() {
        assert!(Counts::new(vec![], vec![]).is_err());
        assert!(Counts::new(vec![2], vec![1]).is_err());
        assert!(Counts::new(vec![2], vec![u64::MAX, 1]).is_err());
        assert!(Counts::new(vec![1 << 20, 1 << 20], vec![]).is_err());
        assert!(Counts::new(vec![0, 3], vec![]).is_ok());
        assert!(Counts::new(vec![0, 1 << 40], vec![]).is_err());
        assert!(Counts::of(&[&[2]], &[2]).is_err());
        assert!(Counts::of(&[&[1], &[]], &[2, 2]).is_err());
        assert!(Counts::of(&[&[1]], &[2, 2]).is_err());
        let table = Counts::new(vec![2, 2, 2], vec![1; 8]).unwrap();
        assert_eq!(table.checked(&[vec![0], vec![3]]), Err(TableError::Margin { margin: 1 }));
        assert_eq!(table.checked(&[vec![0, 0]]), Err(TableError::Margin { margin: 0 }));
        assert_eq!(table.checked(&[vec![]]), Err(TableError::Margin { margin: 0 }));
        let largest = table.checked(&[vec![1], vec![2, 1], vec![0], vec![1, 2]]).unwrap();
        assert_eq!(largest, [vec![1, 2], vec![0]]);
    }
}
