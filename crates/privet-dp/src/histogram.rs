//! Histograms and contingency tables over declared keys (survey ME-28, TH-16).
//!
//! Guarantee: epsilon-private for all cells together, because a person changes few of them: with c records per person
//! the counts change by c in sum when a person is added or removed, and by 2c when one is replaced (the survey's 2).
//! For Gaussian noise the squared changes are c² and 2c²; with at most m records of a person in a cell they are only m·c or so
//! ([`People::squared_in_groups`]). Cells are declared, not found: a key that appears because
//! somebody has it would give that person away; records with other keys count nowhere. Empty cells get noise like any
//! other, so a sparse domain is mostly noise (the survey says so too), and counts may be negative; sums of cells stay
//! unbiased. `fourier.rs` makes consistent tables without negative counts.

use crate::budget::Privacy;
use crate::people::{Neighbours, People};
use crate::{DpError, Noise};

const MOST_CELLS: u64 = 1 << 28;

/// Counts of records by a declared key.
#[derive(Debug, Clone, Copy)]
pub struct Histogram {
    /// Whom the guarantee is for.
    pub people: People,
    /// The number of declared keys; a record's key is a code below it.
    pub cells: usize,
}

impl Histogram {
    /// The most that one person can change the counts, in sum of absolute values.
    pub fn sensitivity(&self) -> u128 {
        let most = u128::from(self.people.in_all_groups());
        match self.people.neighbours() {
            Neighbours::AddRemove => most,
            Neighbours::ReplaceOne => 2 * most,
        }
    }

    /// The noise that the answer needs.
    pub fn noise(&self, privacy: &Privacy) -> Result<Noise, DpError> {
        Noise::of(privacy, self.sensitivity(), self.squared())
    }

    pub(crate) fn squared(&self) -> u128 {
        match self.people.neighbours() {
            Neighbours::AddRemove => self.people.squared_in_groups(),
            Neighbours::ReplaceOne => 2 * self.people.squared_in_groups(),
        }
    }

    /// The exact counts, which must not be published. Codes that were not declared are left out.
    pub fn count(&self, codes: &[u32]) -> Vec<u64> {
        let mut counts = vec![0; self.cells];
        for &code in codes {
            if let Some(count) = counts.get_mut(code as usize) {
                *count += 1;
            }
        }
        counts
    }

    /// The noisy counts.
    pub fn release(&self, codes: &[u32], noise: &Noise) -> Result<Vec<i64>, DpError> {
        noise.must_hide(self.sensitivity(), self.squared())?;
        noise.add_to_all(&self.count(codes))
    }
}

/// Counts of records by several declared attributes.
#[derive(Debug, Clone)]
pub struct ContingencyTable {
    histogram: Histogram,
    sizes: Vec<u32>,
}

impl ContingencyTable {
    /// A table whose attributes have these numbers of declared values; at most 2^28 cells.
    pub fn new(people: People, sizes: &[u32]) -> Result<Self, DpError> {
        let cells = sizes
            .iter()
            .try_fold(1u64, |cells, &size| cells.checked_mul(size.into()).filter(|&c| c <= MOST_CELLS));
        match cells {
            None => Err(DpError::TooLarge { what: "the number of cells", most: MOST_CELLS }),
            Some(0) => Err(DpError::parameter("the number of values of an attribute", "1 or more")),
            Some(cells) => {
                Ok(Self { histogram: Histogram { people, cells: cells as usize }, sizes: sizes.to_vec() })
            }
        }
    }

    /// The number of cells.
    pub fn cells(&self) -> usize {
        self.histogram.cells
    }

    /// The noise that the answer needs.
    pub fn noise(&self, privacy: &Privacy) -> Result<Noise, DpError> {
        self.histogram.noise(privacy)
    }

    /// Where the cell of these values is, the last attribute varying fastest; `None` when one was not declared.
    pub fn cell(&self, values: &[u32]) -> Option<usize> {
        if values.len() != self.sizes.len() {
            return None;
        }
        values.iter().zip(&self.sizes).try_fold(0usize, |cell, (&value, &size)| {
            (value < size).then(|| cell * size as usize + value as usize)
        })
    }

    /// The noisy cells of a table given by columns of codes.
    pub fn release(&self, columns: &[&[u32]], noise: &Noise) -> Result<Vec<i64>, DpError> {
        if columns.len() != self.sizes.len() || columns.windows(2).any(|pair| pair[0].len() != pair[1].len())
        {
            return Err(DpError::Declaration("one column per attribute, all of the same length"));
        }
        noise.must_hide(self.histogram.sensitivity(), self.histogram.squared())?;
        let rows = columns.first().map_or(0, |column| column.len());
        let mut counts = vec![0u64; self.cells()];
        'records: for row in 0..rows {
            let mut cell = 0usize;
            for (column, &size) in columns.iter().zip(&self.sizes) {
                let value = column[row]; // why: all columns have as many rows
                if value >= size {
                    continue 'records;
                }
                cell = cell * size as usize + value as usize;
            }
            counts[cell] += 1; // why: every value is below its size, so the cell is below their product
        }
        noise.add_to_all(&counts)
    }

    /// The noisy cells of a table that was counted elsewhere: the records of each [cell](Self::cell). Whoever counts keeps to the
    /// most records per person.
    pub fn release_counts(&self, counts: &[u64], noise: &Noise) -> Result<Vec<i64>, DpError> {
        if counts.len() != self.cells() {
            return Err(DpError::Declaration("one count for each cell"));
        }
        noise.must_hide(self.histogram.sensitivity(), self.histogram.squared())?;
        noise.add_to_all(counts)
    }

    /// The marginal of published cells on some attributes, given by their positions in rising order. Costs nothing.
    pub fn marginal(&self, cells: &[i64], attributes: &[usize]) -> Result<Vec<i64>, DpError> {
        let rising = attributes.windows(2).all(|pair| pair[0] < pair[1]);
        let known = attributes.last().is_none_or(|&last| last < self.sizes.len());
        if cells.len() != self.cells() || !rising || !known {
            return Err(DpError::Declaration(
                "all cells of this table, and attributes of it in rising order",
            ));
        }
        let size = attributes.iter().map(|&a| self.sizes[a] as usize).product(); // why: the last one is known
        let mut marginal = vec![0i64; size];
        for (cell, &count) in cells.iter().enumerate() {
            let (mut rest, mut place, mut step) = (cell, 0, 1);
            for (attribute, &size) in self.sizes.iter().enumerate().rev() {
                let value = rest % size as usize;
                rest /= size as usize;
                if attributes.binary_search(&attribute).is_ok() {
                    place += value * step;
                    step *= size as usize;
                }
            }
            marginal[place] = marginal[place].saturating_add(count); // why: below the product of the sizes
        }
        Ok(marginal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dashu::rational::RBig;

    fn pure(text: &str) -> Privacy {
        Privacy::Pure(text.parse().unwrap())
    }

    /// survey ME-28: a histogram has sensitivity 2 under replacement, so Lap(2/epsilon) per cell; all tables of three
    /// records over three keys agree (TH-16).
    #[test]
    fn sensitivity_two_under_replacement() {
        let of = |neighbours, c| Histogram { people: People::new(neighbours, c).unwrap(), cells: 3 };
        assert_eq!(of(Neighbours::ReplaceOne, 1).noise(&pure("0.5")).unwrap().scale(), &RBig::from(4));
        assert_eq!(of(Neighbours::AddRemove, 3).sensitivity(), 3);
        let histogram = of(Neighbours::ReplaceOne, 1);
        let tables: Vec<[u32; 3]> = (0..27).map(|i| [i % 3, i / 3 % 3, i / 9]).collect();
        let distance = |a: &[u64], b: &[u64]| a.iter().zip(b).map(|(x, y)| x.abs_diff(*y)).sum::<u64>();
        let mut worst = 0;
        for table in &tables {
            for (place, value) in (0..3).flat_map(|p| (0..3).map(move |v| (p, v))) {
                let mut other = *table;
                other[place] = value;
                worst = worst.max(distance(&histogram.count(table), &histogram.count(&other)));
            }
        }
        assert_eq!(u128::from(worst), histogram.sensitivity());
    }

    #[test]
    fn undeclared_keys_count_nowhere() {
        let histogram = Histogram { people: People::one_record_each(Neighbours::AddRemove), cells: 2 };
        assert_eq!(histogram.count(&[0, 1, 1, 7, u32::MAX]), [1, 2]);
        let none = Histogram { cells: 0, ..histogram };
        assert!(none.release(&[1], &none.noise(&pure("1")).unwrap()).unwrap().is_empty());
    }

    #[test]
    fn tables_and_their_marginals() {
        let people = People::one_record_each(Neighbours::AddRemove);
        let table = ContingencyTable::new(people, &[2, 3]).unwrap();
        // epsilon 1000: noise other than 0 has probability below e^−999.
        let noise = table.noise(&pure("1000")).unwrap();
        let cells = table.release(&[&[0, 1, 1, 0, 5], &[2, 0, 0, 2, 1]], &noise).unwrap();
        assert_eq!(cells, [0, 0, 2, 2, 0, 0]);
        assert_eq!(table.cell(&[1, 0]), Some(3));
        assert_eq!(table.marginal(&cells, &[0]).unwrap(), [2, 2]);
        assert_eq!(table.marginal(&cells, &[1]).unwrap(), [2, 0, 2]);
        assert_eq!(table.marginal(&cells, &[]).unwrap(), [4]);
        assert_eq!(table.marginal(&cells, &[0, 1]).unwrap(), cells);
        assert!(table.marginal(&cells, &[1, 0]).is_err() && table.marginal(&cells, &[2]).is_err());
        assert!(table.release(&[&[0]], &noise).is_err());
        assert!(table.release(&[&[0], &[0, 1]], &noise).is_err());
        assert!(ContingencyTable::new(people, &[u32::MAX, 2]).is_err());
        assert!(ContingencyTable::new(people, &[3, 0]).is_err());
    }
}
