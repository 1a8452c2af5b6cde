//! How well columns tell people apart, each by itself, in pairs, and all together.
//!
//! A record is alone when no other has the same values in the columns at hand. Shares are exact up to a number of records and those of the
//! first so many beyond it, which the page says.

use std::collections::HashMap;

use privet_data::Table;

/// Records that are looked at.
pub(crate) const MOST_RECORDS: usize = 200_000;
/// Columns whose pairs are looked at.
pub(crate) const MOST_COLUMNS: usize = 14;

/// How records group by some columns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Power {
    /// Combinations of values.
    pub groups: u64,
    /// The smallest group.
    pub smallest: u64,
    /// The share of records that are alone.
    pub alone: f64,
    /// The share of records in groups of fewer than five.
    pub few: f64,
}

fn of_codes(codes: impl Iterator<Item = u64>) -> (Power, Vec<u64>) {
    let (mut number, mut sizes, mut of_record) = (HashMap::new(), Vec::<u64>::new(), Vec::new());
    for code in codes {
        let group = *number.entry(code).or_insert_with(|| {
            sizes.push(0);
            sizes.len() - 1
        });
        sizes[group] += 1;
        of_record.push(group as u64);
    }
    let records = of_record.len().max(1) as f64;
    let below = |limit: u64| sizes.iter().filter(|own| **own < limit).sum::<u64>() as f64 / records;
    let power = Power {
        groups: sizes.len() as u64,
        smallest: sizes.iter().copied().min().unwrap_or(0),
        alone: below(2),
        few: below(5),
    };
    (power, of_record)
}

/// How records group by these columns together; nothing without a column.
pub(crate) fn together(table: &Table, columns: &[usize]) -> Option<Power> {
    let rows = table.rows.min(MOST_RECORDS);
    let mut last: Option<(Power, Vec<u64>)> = None;
    for &column in columns {
        let codes = &table.columns[column].codes[..rows];
        let next = match &last {
            None => of_codes(codes.iter().map(|&code| u64::from(code))),
            // Groups and codes have fewer than 2^32 numbers each.
            Some((_, groups)) => {
                of_codes(groups.iter().zip(codes).map(|(&group, &code)| group << 32 | u64::from(code)))
            }
        };
        last = Some(next);
    }
    last.map(|(power, _)| power)
}

/// The share of records that are alone by each pair of columns.
pub(crate) fn pairs(table: &Table, columns: &[usize]) -> Vec<Vec<f64>> {
    let mut shares = vec![vec![0.0; columns.len()]; columns.len()];
    for (a, &one) in columns.iter().enumerate() {
        for (b, &other) in columns.iter().enumerate().take(a + 1) {
            let both = if a == b { vec![one] } else { vec![one, other] };
            let alone = together(table, &both).map_or(0.0, |power| power.alone);
            (shares[a][b], shares[b][a]) = (alone, alone);
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::io::{ReadOptions, read_csv_bytes};

    #[test]
    fn records_that_are_alone_are_counted() {
        let csv = b"age,sex\n30,f\n30,f\n30,m\n31,m\n";
        let table = read_csv_bytes(csv, &ReadOptions::default()).unwrap().table;
        let both = together(&table, &[0, 1]).unwrap();
        assert_eq!((both.groups, both.smallest, both.alone, both.few), (3, 1, 0.5, 1.0));
        assert_eq!(pairs(&table, &[0, 1]), [[0.25, 0.5], [0.5, 0.0]]);
        assert_eq!(together(&table, &[]), None);
    }
}
