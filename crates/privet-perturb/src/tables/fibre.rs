//! All tables of counts with given margins: the fibre of a table (survey ME-36, TH-21).
//!
//! Cell by cell in row-major order, each count from what its margins still need; where a cell is the last of a margin,
//! there is one choice. The work grows like the number of tables and more, so it is bounded by the caller.

use super::{Counts, TableError};

/// Calls `visit` with every table that has the same counts as `table` in each of the margins, itself included, in
/// lexicographic order, and gives their number; `None` when more than `most_steps` counts would have to be tried (some
/// tables were visited then).
///
/// Without margins only the total stays.
///
/// # Errors
/// When a margin is malformed.
pub fn for_each_table(
    table: &Counts,
    margins: &[Vec<usize>],
    most_steps: u64,
    mut visit: impl FnMut(&[u64]),
) -> Result<Option<u64>, TableError> {
    let mut margins = table.checked(margins)?;
    if margins.is_empty() {
        margins.push(Vec::new());
    }
    let cells = table.counts.len();
    // What each entry of each margin still needs, and per cell its entries, and whether it is the last of them.
    let mut needs: Vec<u64> = Vec::new();
    let mut of_cell: Vec<Vec<(usize, bool)>> = vec![Vec::with_capacity(margins.len()); cells];
    for columns in &margins {
        let (entry, entries) = table.entries(columns);
        let start = needs.len();
        needs.extend(table.margin(columns).unwrap_or_default());
        let mut seen = vec![false; entries];
        for (own, &entry) in of_cell.iter_mut().zip(&entry).rev() {
            let seen = &mut seen[entry as usize]; // why: entries are numbered below their number
            own.push((start + entry as usize, !*seen));
            *seen = true;
        }
    }
    let mut counts = vec![0u64; cells];
    let mut most = vec![0u64; cells];
    let (mut at, mut steps, mut tables) = (0, 0u64, 0u64);
    loop {
        if at == cells {
            tables += 1;
            visit(&counts);
        } else {
            steps += 1;
            if steps > most_steps {
                return Ok(None);
            }
            let (mut low, mut high) = (0, u64::MAX);
            for &(entry, last) in &of_cell[at] {
                let need = needs[entry]; // why: made above
                high = high.min(need);
                if last {
                    low = low.max(need);
                }
            }
            if low <= high {
                counts[at] = low; // why: at is below the number of cells
                most[at] = high;
                of_cell[at].iter().for_each(|&(entry, _)| needs[entry] -= low); // why: low is at most every need
                at += 1;
                continue;
            }
        }
        // Back to the last cell that can still count one more.
        loop {
            if at == 0 {
                return Ok(Some(tables));
            }
            at -= 1;
            let taken = counts[at]; // why: below the number of cells
            let forced = of_cell[at].iter().any(|&(_, last)| last);
            if !forced && taken < most[at] {
                counts[at] += 1;
                of_cell[at].iter().for_each(|&(entry, _)| needs[entry] -= 1); // why: below the most
                at += 1;
                break;
            }
            of_cell[at].iter().for_each(|&(entry, _)| needs[entry] += taken);
            counts[at] = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn fibre(table: &Counts, margins: &[Vec<usize>]) -> BTreeSet<Vec<u64>> {
        let mut tables = BTreeSet::new();
        let count = for_each_table(table, margins, 1 << 20, |counts| {
            assert!(tables.insert(counts.to_vec()), "each table once");
        });
        assert_eq!(count, Ok(Some(tables.len() as u64)));
        tables
    }

    /// Two rows (1, 1) and columns (1, 1): two tables; rows and columns (2, 2, 2): 21, the magic squares of sum 2.
    #[test]
    fn known_numbers_of_tables() {
        let two = Counts::new(vec![2, 2], vec![1, 0, 0, 1]).unwrap();
        assert_eq!(fibre(&two, &[vec![0], vec![1]]).len(), 2);
        let three = Counts::new(vec![3, 3], vec![2, 0, 0, 0, 2, 0, 0, 0, 2]).unwrap();
        assert_eq!(fibre(&three, &[vec![0], vec![1]]).len(), 21);
        assert_eq!(fibre(&three, &[vec![0, 1], vec![1]]).len(), 1);
        assert_eq!(fibre(&two, &[]).len(), 10, "4 cells with the sum 2");
        let empty = Counts::new(vec![0, 2], vec![]).unwrap();
        assert_eq!(fibre(&empty, &[vec![0]]).len(), 1);
        assert_eq!(for_each_table(&three, &[vec![0], vec![1]], 5, |_| ()), Ok(None));
        assert!(for_each_table(&three, &[vec![2]], 5, |_| ()).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// Against all tables with counts up to the total.
        #[test]
        fn finds_all(records in prop::collection::vec(0usize..8, 0..=3), choice in 0usize..4) {
            let mut counts = vec![0; 8];
            records.iter().for_each(|&cell| counts[cell] += 1);
            let table = Counts::new(vec![2, 2, 2], counts).unwrap();
            let margins = [
                vec![vec![0, 1], vec![1, 2], vec![0, 2]],
                vec![vec![0, 1], vec![2]],
                vec![vec![0], vec![1], vec![2]],
                vec![vec![1]],
            ][choice].clone();
            let mut expected = BTreeSet::new();
            let total = table.records();
            for code in 0..(total + 1).pow(8) {
                let other: Vec<u64> = (0..8).map(|i| code / (total + 1).pow(i) % (total + 1)).collect();
                if other.iter().sum::<u64>() == total {
                    let other = Counts::new(vec![2, 2, 2], other).unwrap();
                    if margins.iter().all(|margin| other.margin(margin) == table.margin(margin)) {
                        expected.insert(other.counts);
                    }
                }
            }
            prop_assert_eq!(fibre(&table, &margins), expected);
        }
    }
}
