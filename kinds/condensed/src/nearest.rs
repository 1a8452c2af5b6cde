//! The nearest published record, which attacks take for that of a person.

use crate::NumberTable;

/// At most so many people are attacked.
const MOST: usize = 500;
/// At most so many distances are computed, so that attacks on large tables take seconds.
const MOST_DISTANCES: usize = 100_000_000;
/// At least so many people are attacked, however large the table.
const FEWEST: usize = 100;

/// The people that are attacked: every so many of them.
pub(crate) fn sampled(people: usize, published: &NumberTable) -> Vec<usize> {
    let most = (MOST_DISTANCES / published.len().max(1)).clamp(FEWEST, MOST);
    (0..people).step_by(people.div_ceil(most).max(1)).collect()
}

/// Per column the unit in which it is measured: its standard deviation.
pub(crate) fn units(table: &NumberTable) -> Vec<f64> {
    let unit = |column| Some(table.moments(column).1).filter(|deviation| *deviation > 0.0).unwrap_or(1.0);
    (0..table.names.len()).map(unit).collect()
}

/// The published record that is nearest in all columns but a hidden one, and the square of its distance.
pub(crate) fn nearest(
    published: &NumberTable,
    person: &[f64],
    hidden: Option<usize>,
    units: &[f64],
) -> (usize, f64) {
    let distance = |row: usize| {
        let parts = published.record(row).iter().zip(person).zip(units).enumerate();
        parts
            .filter(|(column, _)| Some(*column) != hidden)
            .map(|(_, ((a, b), unit))| ((a - b) / unit).powi(2))
            .sum::<f64>()
    };
    let all = (0..published.len()).map(|row| (row, distance(row)));
    all.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, f64::INFINITY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hidden_column_is_not_looked_at() {
        let table = NumberTable::of_numbers(&["a", "b"], vec![1.0, 100.0, 5.0, 0.0]);
        assert_eq!(nearest(&table, &[4.0, 100.0], Some(1), &[1.0, 1.0]).0, 1);
        assert_eq!(nearest(&table, &[4.0, 100.0], Some(0), &[1.0, 1.0]).0, 0);
        assert_eq!(nearest(&table, &[5.0, 3.0], None, &[1.0, 1.0]), (1, 9.0));
    }

    #[test]
    fn few_people_are_all_attacked_and_many_sampled() {
        let table = NumberTable::of_numbers(&["a"], vec![1.0; 2_000_000]);
        assert_eq!(sampled(40, &table).len(), 40);
        assert_eq!(sampled(10_000, &table).len(), 100);
    }
}
