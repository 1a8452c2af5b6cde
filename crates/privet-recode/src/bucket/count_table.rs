//! A table of counts over chosen columns together with all its totals (survey ME-02): every column gets one more value,
//! the total, and every cell of that cube is a count that may be published.
//!
//! Each cell with a total among its coordinates is the sum of the cells along one of these totals. Written once per
//! such cell, along its first total, these sums say all there is to say about how cells depend on each other.

use crate::lattice::{Codes, SearchError};

/// More cells than this are not protected: one linear program needs all of them.
const MOST_CELLS: u64 = 1 << 20;
/// Counts above this cannot be told apart by floating-point numbers.
const MOST_RECORDS: u64 = 1 << 53;

/// Which cells there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shape {
    /// Per column the number of its values.
    pub sizes: Vec<usize>,
    strides: Vec<usize>,
    pub cells: usize,
}

impl Shape {
    pub fn new(sizes: Vec<usize>) -> Result<Self, SearchError> {
        if sizes.is_empty() {
            return Err(SearchError::Parameter {
                key: "count-tables.columns",
                problem: "must name at least one column",
            });
        }
        let cells = sizes.iter().try_fold(1u128, |cells, &size| cells.checked_mul(size as u128 + 1));
        if cells.is_none_or(|cells| cells > u128::from(MOST_CELLS)) {
            return Err(SearchError::TooManyCells {
                what: "the table of counts",
                cells: cells.map_or_else(|| "more than 2^128".to_owned(), |cells| cells.to_string()),
                most: MOST_CELLS,
            });
        }
        let mut strides = vec![1; sizes.len()];
        for i in (1..sizes.len()).rev() {
            strides[i - 1] = strides[i] * (sizes[i] + 1);
        }
        let cells = strides[0] * (sizes[0] + 1);
        Ok(Self { sizes, strides, cells })
    }

    pub fn cell(&self, coordinates: &[usize]) -> usize {
        coordinates.iter().zip(&self.strides).map(|(&at, stride)| at * stride).sum()
    }

    pub fn coordinate(&self, cell: usize, column: usize) -> usize {
        cell / self.strides[column] % (self.sizes[column] + 1)
    }

    pub fn is_total(&self, cell: usize, column: usize) -> bool {
        self.coordinate(cell, column) == self.sizes[column]
    }

    /// Whether no coordinate is a total.
    pub fn is_inner(&self, cell: usize) -> bool {
        (0..self.sizes.len()).all(|column| !self.is_total(cell, column))
    }

    pub fn grand_total(&self) -> usize {
        self.cells - 1
    }

    /// The cell whose coordinate in a column is another one.
    pub fn moved(&self, cell: usize, column: usize, to: usize) -> usize {
        cell - self.coordinate(cell, column) * self.strides[column] + to * self.strides[column]
    }

    /// Whether an inner cell is counted in a cell.
    pub fn covers(&self, cell: usize, inner: usize) -> bool {
        (0..self.sizes.len()).all(|column| {
            self.is_total(cell, column) || self.coordinate(cell, column) == self.coordinate(inner, column)
        })
    }

    /// The sums in which a cell takes part, each named by its total, with -1 for the total and 1 for a part.
    pub fn sums(&self, cell: usize) -> impl Iterator<Item = (usize, i64)> + '_ {
        let columns = self.sizes.len();
        let first_total = (0..columns).find(|&column| self.is_total(cell, column));
        let own = first_total.map(|_| (cell, -1));
        let before = first_total.unwrap_or(columns);
        own.into_iter()
            .chain((0..before).map(move |column| (self.moved(cell, column, self.sizes[column]), 1)))
    }
}

/// Counts over the values of columns, and all their totals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountTable {
    pub(super) shape: Shape,
    pub(super) counts: Vec<u64>,
}

impl CountTable {
    /// Counts records by columns.
    ///
    /// # Errors
    /// When there is no column, or there are too many cells.
    pub fn new(rows: usize, columns: &[Codes<'_>]) -> Result<Self, SearchError> {
        let shape = Shape::new(columns.iter().map(|column| column.values).collect())?;
        let mut counts = vec![0; shape.cells];
        for record in 0..rows {
            let cell: usize = columns
                .iter()
                .zip(&shape.strides)
                .map(|(column, stride)| column.codes[record] as usize * stride)
                .sum();
            counts[cell] += 1;
        }
        Ok(Self::with_totals(shape, counts))
    }

    /// A table from counts of combinations of values in row-major order (the last column changes fastest).
    ///
    /// # Errors
    /// When there is no column, there are too many cells, not one count per combination, or more than 2^53 records.
    pub fn from_counts(sizes: &[usize], inner: &[u64]) -> Result<Self, SearchError> {
        let shape = Shape::new(sizes.to_vec())?;
        let mut counts = vec![0; shape.cells];
        let places = (0..shape.cells).filter(|&cell| shape.is_inner(cell));
        let mut total = 0u64;
        let mut given = inner.iter();
        for cell in places {
            counts[cell] = *given.next().ok_or(WRONG_COUNTS)?;
            total = total.saturating_add(counts[cell]);
        }
        if given.next().is_some() {
            return Err(WRONG_COUNTS);
        }
        if total > MOST_RECORDS {
            return Err(SearchError::Parameter {
                key: "count-tables",
                problem: "counts more than 2^53 records, which is more than bounds can be computed for",
            });
        }
        Ok(Self::with_totals(shape, counts))
    }

    fn with_totals(shape: Shape, mut counts: Vec<u64>) -> Self {
        for column in 0..shape.sizes.len() {
            for cell in 0..shape.cells {
                if !shape.is_total(cell, column) {
                    counts[shape.moved(cell, column, shape.sizes[column])] += counts[cell];
                }
            }
        }
        Self { shape, counts }
    }

    /// How many cells there are, totals included.
    pub fn cells(&self) -> usize {
        self.shape.cells
    }

    /// The cell at these codes, one per column; `None` is the total of a column. `None` when there is no such cell.
    pub fn cell(&self, codes: &[Option<u32>]) -> Option<usize> {
        let sizes = &self.shape.sizes;
        let fits = |(code, &size): (&Option<u32>, &usize)| code.is_none_or(|code| (code as usize) < size);
        if codes.len() != sizes.len() || !codes.iter().zip(sizes).all(fits) {
            return None;
        }
        let at = codes.iter().zip(sizes).map(|(code, &size)| code.map_or(size, |code| code as usize));
        Some(self.shape.cell(&at.collect::<Vec<_>>()))
    }

    /// The codes of a cell, one per column; `None` is the total of a column.
    pub fn codes(&self, cell: usize) -> Vec<Option<u32>> {
        (0..self.shape.sizes.len())
            .map(|column| {
                (!self.shape.is_total(cell, column)).then(|| self.shape.coordinate(cell, column) as u32)
            })
            .collect()
    }

    /// The count of a cell.
    pub fn count(&self, cell: usize) -> u64 {
        self.counts[cell]
    }
}

const WRONG_COUNTS: SearchError = SearchError::Parameter {
    key: "count-tables",
    problem: "needs exactly one count per combination of the values of its columns",
};

#[cfg(test)]
mod tests {
    use super::*;

    /// The sums of a cube hold for its counts, and there is one per cell with a total.
    #[test]
    fn sums_hold_and_are_complete() {
        let inner: Vec<u64> = (0..24).map(|i| i * i % 7).collect();
        let table = CountTable::from_counts(&[2, 3, 4], &inner).unwrap();
        let mut of = vec![0i64; table.cells()];
        for cell in 0..table.cells() {
            for (sum, sign) in table.shape.sums(cell) {
                of[sum] += sign * table.counts[cell] as i64;
                assert!(!table.shape.is_inner(sum));
            }
        }
        assert!(of.iter().all(|&rest| rest == 0));
        let total = table.shape.grand_total();
        assert_eq!(table.count(total), inner.iter().sum::<u64>());
        assert_eq!(table.codes(total), [None, None, None]);
        for cell in 0..table.cells() {
            assert_eq!(table.cell(&table.codes(cell)), Some(cell));
        }
        assert_eq!(table.cell(&[Some(2), None, None]), None);
        assert_eq!(table.cell(&[None]), None);
    }
}
