//! What kept margins tell of single cells: the least and the most that a count can be in any table with these margins
//! (Fréchet; Dobra and Fienberg 2000 [X]), for margins of a decomposable model (survey ME-36).
//!
//! **Guarantee.** A cell is at most the least of its entries in the margins, and at least the sum of these entries less
//! the sum of its entries in what neighbours of the junction tree share, or 0. Both ends are reached by some table, which
//! tests check against all tables. So a cell that only one count is possible for has that count as an entry of a kept
//! margin: **where no kept margin has a small count, no small cell follows from the margins**, and each of them could as
//! well be as large as the least kept entry that it is in.

use super::junction::junction_tree;
use super::{Counts, TableError};

/// Per cell the least and the most that it can be in a table with the same counts in each of the margins.
///
/// # Errors
/// When a margin is malformed, a column is in none, or the margins are not decomposable.
pub fn cell_bounds(table: &Counts, margins: &[Vec<usize>]) -> Result<Vec<(u64, u64)>, TableError> {
    let edges = junction_tree(table, margins)?;
    let mut high = vec![u64::MAX; table.counts.len()];
    // Sums of at most 2^24 counts of at most 2^53 each.
    let mut low = vec![0i128; table.counts.len()];
    let cliques = table.checked(margins)?;
    let signed = cliques.iter().map(|columns| (columns, 1));
    for (columns, sign) in signed.chain(edges.iter().map(|edge| (&edge.separator, -1))) {
        let sums = table.margin(columns).unwrap_or_default();
        let (entry, _) = table.entries(columns);
        for ((&entry, low), high) in entry.iter().zip(&mut low).zip(&mut high) {
            let sum = sums.get(entry as usize).copied().unwrap_or(0);
            *low += sign * i128::from(sum);
            if sign > 0 {
                *high = (*high).min(sum);
            }
        }
    }
    Ok(low.into_iter().zip(high).map(|(low, high)| (u64::try_from(low).unwrap_or(0), high)).collect())
}

#[cfg(test)]
mod tests {
    use super::super::for_each_table;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// Against all tables with the same margins: no cell leaves its bounds, and each end is reached.
        #[test]
        fn sharp(
            sizes in prop::collection::vec(2usize..4, 2..4),
            draws in prop::collection::vec(0u64..4, 27),
            kind in 0usize..4,
        ) {
            let cells: usize = sizes.iter().product();
            let table = Counts::new(sizes.clone(), draws.into_iter().take(cells).collect()).unwrap();
            let margins: Vec<Vec<usize>> = match (kind, sizes.len()) {
                (_, 2) | (0, _) => (0..sizes.len()).map(|column| vec![column]).collect(),
                (1, _) => vec![vec![0, 1], vec![1, 2]],
                (2, _) => vec![vec![0, 2], vec![1], vec![2]],
                _ => vec![vec![2, 1], vec![0]],
            };
            let bounds = cell_bounds(&table, &margins).unwrap();
            let mut found = vec![(u64::MAX, 0u64); cells];
            let all = for_each_table(&table, &margins, 300_000, |counts| {
                for (own, &count) in found.iter_mut().zip(counts) {
                    *own = (own.0.min(count), own.1.max(count));
                }
            });
            match all.unwrap() {
                Some(_) => prop_assert_eq!(bounds, found),
                // Too many tables to see all of them: those that were seen keep the bounds.
                None => prop_assert!(found.iter().zip(&bounds).all(|(f, b)| f.0 > f.1 || b.0 <= f.0 && f.1 <= b.1)),
            }
        }
    }

    /// survey FX-1.6: of the American women 4 and with cancer 4 of 8, so 0 to 4 are both; one Korean man, one of 4 with
    /// the flu: 0 or 1.
    #[test]
    fn two_published_margins() {
        let gender = [0, 1, 0, 1, 1, 1, 1, 0, 1, 0, 1, 1];
        let nationality = [0, 4, 1, 3, 5, 1, 4, 2, 3, 3, 3, 3];
        let condition = [0, 0, 1, 1, 3, 2, 0, 2, 3, 3, 3, 3];
        let table = Counts::of(&[&gender, &nationality, &condition], &[2, 6, 4]).unwrap();
        let bounds = cell_bounds(&table, &[vec![0, 1], vec![0, 2]]).unwrap();
        assert_eq!((bounds[(6 + 3) * 4 + 3], bounds[2 * 4 + 2]), ((0, 4), (0, 1)));
        let pairs = [vec![0, 1], vec![1, 2], vec![0, 2]];
        assert_eq!(cell_bounds(&table, &pairs), Err(TableError::NotDecomposable));
        let all = cell_bounds(&table, &[vec![0, 1, 2]]).unwrap();
        assert!(all.iter().zip(table.counts()).all(|(own, &count)| *own == (count, count)));
    }
}
