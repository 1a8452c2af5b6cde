//! Data swapping that keeps the joint counts of a chosen set of columns (survey ME-33, TH-21; Dalenius and Reiss as the
//! survey tells it).
//!
//! For each column of the set in turn: records that agree on all other columns of the set form a class, and within a
//! class pairs of records exchange their values of that column (primitive swaps).
//!
//! # Guarantee
//! The counts of every combination of values of the kept columns are the same before and after, and so are those of
//! the columns outside of the set; this is checked before anything is returned. What changes is which values of the set
//! stand with which outside of it: when the set is all columns, records change places and nothing else, which
//! [`MarginSwapped::new_records`] tells. No formal privacy.

use std::collections::HashMap;

use super::{SwapError, check_columns, check_share, shuffle};
use crate::{Coins, Drawn, PerturbError};

/// A table after swapping within a set of columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarginSwapped {
    /// The columns.
    pub columns: Vec<Vec<u32>>,
    /// Records that have another value somewhere.
    pub changed: usize,
    /// Records that no record of the original is equal to, each of those counted once: 0 when records only changed
    /// places.
    pub new_records: usize,
}

/// Swaps values of the columns `kept` so that their joint counts stay. In each class records are paired at random, and
/// each pair exchanges its values with the probability `share`.
///
/// # Errors
/// When columns have different lengths, no column or one that does not exist is kept, the share is not above 0 and at
/// most 1, no two records could exchange anything, or the source of randomness fails.
pub fn swap_margin<C: Coins + ?Sized>(
    columns: &[&[u32]],
    kept: &[usize],
    share: f64,
    coins: &mut C,
) -> Result<Drawn<MarginSwapped>, SwapError> {
    check_columns(columns)?;
    check_share(share)?;
    let mut kept = kept.to_vec();
    kept.sort_unstable();
    kept.dedup();
    if kept.last().is_none_or(|&last| last >= columns.len()) {
        let accepted = "numbers of columns of the table, at least one";
        return Err(PerturbError::Parameter { name: "the columns to keep", accepted }.into());
    }
    let mut out: Vec<Vec<u32>> = columns.iter().map(|column| column.to_vec()).collect();
    let mut possible = false;
    for &own in &kept {
        let others: Vec<&[u32]> =
            kept.iter().filter(|&&other| other != own).filter_map(|&i| out.get(i)).map(|c| &c[..]).collect();
        let mut groups = Groups::new(&classes(&others, columns.first().map_or(0, |c| c.len())));
        let Some(column) = out.get_mut(own) else { continue };
        for class in groups.each_mut() {
            shuffle(class, coins)?;
            for pair in class.chunks_exact(2) {
                let (i, j) = (pair[0] as usize, pair[1] as usize); // why: chunks of exactly two
                if column.get(i) != column.get(j) {
                    possible = true;
                    if coins.chance(share)? {
                        column.swap(i, j);
                    }
                }
            }
        }
    }
    if !possible && !differs_somewhere(columns, &kept) {
        return Err(SwapError::NothingDiffers);
    }
    let after: Vec<&[u32]> = out.iter().map(|column| &column[..]).collect();
    if !same_counts(&chosen(columns, &kept), &chosen(&after, &kept)) {
        return Err(SwapError::NotKept);
    }
    let (changed, new_records) = difference(columns, &after);
    Ok(Drawn { value: MarginSwapped { columns: out, changed, new_records }, source: coins.source() })
}

/// Whether some class holds two values: pairs are drawn at random, and may all be equal although others are not.
fn differs_somewhere(columns: &[&[u32]], kept: &[usize]) -> bool {
    kept.iter().any(|&own| {
        let others: Vec<&[u32]> =
            kept.iter().filter(|&&other| other != own).filter_map(|&i| columns.get(i).copied()).collect();
        let column = columns.get(own).copied().unwrap_or_default();
        let groups = Groups::new(&classes(&others, column.len()));
        groups.each().any(|class| {
            let mut values = class.iter().map(|&record| column.get(record as usize));
            let first = values.next().flatten();
            values.any(|value| value != first)
        })
    })
}

/// Numbers for the combinations of values, per record, in the order in which they first appear; and how many there are.
pub(super) fn classes(columns: &[&[u32]], records: usize) -> (Vec<u32>, usize) {
    let mut class = vec![0u32; records];
    let mut count = usize::from(records > 0);
    for column in columns {
        count = refine(&mut class, column);
    }
    (class, count)
}

/// Splits classes by one more column.
fn refine(class: &mut [u32], column: &[u32]) -> usize {
    let mut numbers: HashMap<(u32, u32), u32> = HashMap::new();
    for (own, &code) in class.iter_mut().zip(column) {
        let next = numbers.len() as u32;
        *own = *numbers.entry((*own, code)).or_insert(next);
    }
    numbers.len()
}

/// The records of each class.
pub(super) struct Groups {
    records: Vec<u32>,
    ends: Vec<usize>,
}

impl Groups {
    pub fn new((class, count): &(Vec<u32>, usize)) -> Self {
        let mut ends = vec![0usize; *count];
        for &own in class {
            ends[own as usize] += 1; // why: classes are numbered below their count
        }
        let mut sum = 0;
        for end in &mut ends {
            let size = *end;
            *end = sum;
            sum += size;
        }
        let mut records = vec![0u32; class.len()];
        for (record, &own) in class.iter().enumerate() {
            let place = &mut ends[own as usize]; // why: as above
            records[*place] = record as u32; // why: below the sum of the sizes
            *place += 1;
        }
        Self { records, ends }
    }

    pub fn each(&self) -> impl Iterator<Item = &[u32]> {
        let mut start = 0;
        self.ends.iter().filter_map(move |&end| self.records.get(std::mem::replace(&mut start, end)..end))
    }

    pub fn each_mut(&mut self) -> impl Iterator<Item = &mut [u32]> {
        let mut rest = &mut self.records[..];
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let (own, others) = std::mem::take(&mut rest).split_at_mut(end - start); // why: ends ascend to the length
            rest = others;
            start = end;
            own
        })
    }
}

/// Whether two tables have the same joint counts of every choice of `order` columns, and so of fewer.
///
/// Tables with different numbers of columns or records have not; nor have columns of different lengths.
pub fn same_margins(before: &[&[u32]], after: &[&[u32]], order: usize) -> bool {
    let records = before.first().map_or(0, |column| column.len());
    if before.len() != after.len() || before.iter().chain(after).any(|column| column.len() != records) {
        return false;
    }
    let joined: Vec<Vec<u32>> = before.iter().zip(after).map(|(b, a)| [*b, *a].concat()).collect();
    same_from(&joined, vec![0; 2 * records], usize::from(records > 0), order.min(before.len()))
}

/// Every choice of `left` more columns among these, added to classes of what was chosen before.
fn same_from(columns: &[Vec<u32>], class: Vec<u32>, count: usize, left: usize) -> bool {
    if left == 0 {
        let mut balance = vec![0i64; count];
        let half = class.len() / 2;
        for (record, &own) in class.iter().enumerate() {
            balance[own as usize] += if record < half { 1 } else { -1 }; // why: classes are numbered below their count
        }
        return balance.iter().all(|&rest| rest == 0);
    }
    (0..columns.len()).filter(|first| columns.len() - first >= left).all(|first| {
        let mut finer = class.clone();
        let (own, rest) = (columns.get(first), columns.get(first + 1..));
        let count = own.map_or(count, |own| refine(&mut finer, own));
        same_from(rest.unwrap_or_default(), finer, count, left - 1)
    })
}

fn chosen<'a>(columns: &[&'a [u32]], which: &[usize]) -> Vec<&'a [u32]> {
    which.iter().filter_map(|&i| columns.get(i).copied()).collect()
}

fn same_counts(before: &[&[u32]], after: &[&[u32]]) -> bool {
    same_margins(before, after, before.len())
}

/// How many records have another value, and how many of the new ones have no equal among the old ones.
pub(super) fn difference(before: &[&[u32]], after: &[&[u32]]) -> (usize, usize) {
    let records = before.first().map_or(0, |column| column.len());
    let mut differs = vec![false; records];
    for (b, a) in before.iter().zip(after) {
        differs.iter_mut().zip(b.iter().zip(*a)).for_each(|(differs, (b, a))| *differs |= b != a);
    }
    let joined: Vec<Vec<u32>> = before.iter().zip(after).map(|(b, a)| [*b, *a].concat()).collect();
    let joined: Vec<&[u32]> = joined.iter().map(|column| &column[..]).collect();
    let (class, count) = classes(&joined, 2 * records);
    let mut balance = vec![0i64; count];
    for (record, &own) in class.iter().enumerate() {
        balance[own as usize] += if record < records { -1 } else { 1 }; // why: classes are numbered below their count
    }
    let new = balance.iter().filter(|&&more| more > 0).sum::<i64>();
    (differs.iter().filter(|&&differs| differs).count(), new as usize)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::SeededCoins;
    use crate::testing::assert_mean;

    fn counts(columns: &[&[u32]]) -> BTreeMap<Vec<u32>, usize> {
        let mut counts = BTreeMap::new();
        for record in 0..columns[0].len() {
            *counts.entry(columns.iter().map(|column| column[record]).collect()).or_default() += 1;
        }
        counts
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]

        /// survey TH-21: the margin of the kept columns stays, counted independently.
        #[test]
        fn keeps_the_margin(
            rows in prop::collection::vec((0u32..3, 0u32..2, 0u32..3, 0u32..4), 1..30),
            kept in prop::sample::subsequence(vec![0usize, 1, 2, 3], 1..=4),
            seed in 0u64..1000,
        ) {
            let columns = [
                rows.iter().map(|r| r.0).collect::<Vec<_>>(),
                rows.iter().map(|r| r.1).collect(),
                rows.iter().map(|r| r.2).collect(),
                rows.iter().map(|r| r.3).collect(),
            ];
            let before: Vec<&[u32]> = columns.iter().map(|c| &c[..]).collect();
            let Ok(out) = swap_margin(&before, &kept, 1.0, &mut SeededCoins::new(seed)) else {
                prop_assert!(!differs_somewhere(&before, &kept));
                return Ok(());
            };
            let after: Vec<&[u32]> = out.value.columns.iter().map(|c| &c[..]).collect();
            let of = |t: &[&[u32]]| counts(&kept.iter().map(|&i| t[i]).collect::<Vec<_>>());
            prop_assert_eq!(of(&before), of(&after));
            for i in (0..4).filter(|i| !kept.contains(i)) {
                prop_assert_eq!(before[i], after[i]);
            }
            let changed = (0..rows.len()).filter(|&r| (0..4).any(|c| before[c][r] != after[c][r])).count();
            prop_assert_eq!(out.value.changed, changed);
            let (old, new) = (counts(&before), counts(&after));
            let fresh: usize = new.iter().map(|(k, n)| n.saturating_sub(old.get(k).copied().unwrap_or(0))).sum();
            prop_assert_eq!(out.value.new_records, fresh);
            prop_assert!(kept.len() < 4 || fresh == 0, "all columns kept: records only change places");
        }

        /// The check of margins against counting them.
        #[test]
        fn tells_margins(
            a in prop::collection::vec((0u32..2, 0u32..2, 0u32..2), 4),
            b in prop::collection::vec((0u32..2, 0u32..2, 0u32..2), 4),
            order in 0usize..4,
        ) {
            let table = |rows: &[(u32, u32, u32)]| vec![
                rows.iter().map(|r| r.0).collect::<Vec<_>>(),
                rows.iter().map(|r| r.1).collect(),
                rows.iter().map(|r| r.2).collect(),
            ];
            let (a, b) = (table(&a), table(&b));
            let x: Vec<&[u32]> = a.iter().map(|column| &column[..]).collect();
            let y: Vec<&[u32]> = b.iter().map(|column| &column[..]).collect();
            let of = |t: &[&[u32]], mask: usize| {
                counts(&(0..3).filter(|i| mask >> i & 1 == 1).map(|i| t[i]).collect::<Vec<_>>())
            };
            let expected = (1..8usize)
                .filter(|mask| mask.count_ones() as usize == order)
                .all(|mask| of(&x, mask) == of(&y, mask));
            prop_assert_eq!(same_margins(&x, &y, order), expected);
        }
    }

    /// The share is the rate at which pairs exchange their values. False alarm: 1e-6 for all 3.
    #[test]
    fn pairs_exchange_at_the_share() {
        let all: Vec<u32> = (0..20_000).collect();
        for (seed, share) in [(1, 0.05), (2, 0.3), (3, 0.9)] {
            let out = swap_margin(&[&all], &[0], share, &mut SeededCoins::new(seed)).unwrap().value;
            let pairs = all.len() as f64 / 2.0;
            let deviation = (share * (1.0 - share) / pairs).sqrt();
            assert_mean(out.changed as f64 / all.len() as f64, share, deviation, 3);
        }
    }

    /// Every other record of a class is as likely a partner, and none of another class is one. False alarm: 1e-6 for all 4.
    #[test]
    fn partners_are_drawn_evenly() {
        let (class, own): (&[u32], &[u32]) = (&[0, 0, 0, 0, 0, 1, 1], &[0, 1, 2, 3, 4, 5, 6]);
        let mut coins = SeededCoins::new(4);
        let runs = 20_000;
        let mut partner = [0u32; 7];
        for _ in 0..runs {
            let out = swap_margin(&[class, own], &[0, 1], 1.0, &mut coins).unwrap().value;
            partner[out.columns[1][0] as usize] += 1;
        }
        assert_eq!(partner[5..], [0, 0]);
        // One of five stays without a partner, so each of the others is one with probability 1/5.
        for found in &partner[1..5] {
            let deviation = (0.2 * 0.8 / f64::from(runs)).sqrt();
            assert_mean(f64::from(*found) / f64::from(runs), 0.2, deviation, 4);
        }
    }

    #[test]
    fn scales_and_moves() {
        let column =
            |m: u32, k: u32| (0..100_000u32).map(|i| i.wrapping_mul(2_654_435_761) / k % m).collect();
        let columns: [Vec<u32>; 3] = [column(5, 11), column(7, 1013), column(50, 77)];
        let before: Vec<&[u32]> = columns.iter().map(|c| &c[..]).collect();
        let out = swap_margin(&before, &[0, 1], 1.0, &mut SeededCoins::new(3)).unwrap().value;
        assert!(out.changed > 70_000 && out.new_records > 0);
    }

    #[test]
    fn edges() {
        let mut coins = SeededCoins::new(1);
        let (a, b): (&[u32], &[u32]) = (&[0, 0, 1], &[0, 1, 2]);
        // The values of the second determine those of the first, so only the second can move, within 0.
        let out = swap_margin(&[a, b], &[0, 1], 1.0, &mut coins).unwrap().value;
        assert_eq!(out.columns[0], a);
        assert_eq!(swap_margin(&[a, a], &[0, 1], 1.0, &mut coins), Err(SwapError::NothingDiffers));
        assert_eq!(swap_margin(&[&[]], &[0], 1.0, &mut coins), Err(SwapError::NothingDiffers));
        assert!(swap_margin(&[], &[], 1.0, &mut coins).is_err());
        assert!(swap_margin(&[a], &[1], 1.0, &mut coins).is_err());
        assert!(swap_margin(&[a, &[1]], &[1], 1.0, &mut coins).is_err());
        for share in [0.0, 1.1, f64::NAN] {
            assert!(swap_margin(&[a], &[0], share, &mut coins).is_err());
        }
        assert!(!same_margins(&[a], &[], 1) && !same_margins(&[a], &[&[1]], 1) && same_margins(&[], &[], 1));
    }
}
