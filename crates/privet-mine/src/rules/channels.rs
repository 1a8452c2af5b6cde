//! Inference channels between published itemsets, and how to close them (Atzori, Bonchi, Giannotti, Pedreschi; papers II.7).
//!
//! From the supports of all X between I and J, inclusion and exclusion tells how many transactions hold I and nothing of J∖I:
//! f(I, J) = Σ (−1)^|X∖I| supp(X). A channel is a pair with 0 < f < k: a pattern that fewer than k people have.
//!
//! # Guarantee
//! After [`close_by_adding`] and after [`close_by_leaving_out`] no channel is left between published itemsets. Adding keeps the
//! supports those of some table: k transactions with exactly I join it for every channel.
//!
//! Growth: 2^|J| per published itemset J; itemsets longer than the limit are an error.

use foldhash::{HashMap, HashMapExt};
use privet_data::Progress;
use rayon::prelude::*;

use super::Itemsets;
use super::transactions::contains;
use crate::MineError;

/// The longest itemset whose subsets are gone through.
pub const LONGEST: usize = 20;

/// Supports of itemsets, with the number of transactions as the support of the empty one.
pub type Supports = HashMap<Vec<u32>, u64>;

/// A pattern that fewer than k transactions have: all of some items and none of others.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Channel {
    /// The items that are held, ascending.
    pub held: Vec<u32>,
    /// The items that are not held, ascending.
    pub missing: Vec<u32>,
    /// How many transactions these are.
    pub records: u64,
}

/// What closing did to the published supports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closed {
    /// The supports that can be published.
    pub supports: Supports,
    /// Added supports, summed over itemsets.
    pub added: u64,
    /// Itemsets that were left out.
    pub left_out: usize,
}

/// The supports of frequent itemsets, with the empty one.
pub fn supports_of(itemsets: &Itemsets, records: u64) -> Supports {
    let mut supports = Supports::with_capacity(itemsets.len() + 1);
    supports.insert(Vec::new(), records);
    supports.extend(itemsets.iter().map(|(set, support)| (set.to_vec(), u64::from(support))));
    supports
}

/// Every channel, in order. Supports must hold all subsets of what they hold.
///
/// # Errors
/// When an itemset is longer than [`LONGEST`], a subset is missing, or the operation was stopped.
pub fn find(supports: &Supports, k: u64, progress: &dyn Progress) -> Result<Vec<Channel>, MineError> {
    let mut itemsets: Vec<&Vec<u32>> = supports.keys().collect();
    itemsets.sort_unstable();
    progress.stage("inference channels", Some(itemsets.len() as u64));
    let found: Result<Vec<Vec<Channel>>, MineError> = itemsets
        .par_iter()
        .map(|itemset| {
            progress.check()?;
            within(supports, itemset, k)
        })
        .collect();
    let mut found: Vec<Channel> = found?.into_iter().flatten().collect();
    found.sort_unstable();
    Ok(found)
}

/// The channels whose held and missing items are together this itemset.
fn within(supports: &Supports, itemset: &[u32], k: u64) -> Result<Vec<Channel>, MineError> {
    if itemset.len() > LONGEST {
        return Err(MineError::TooMany { what: "items in an itemset", limit: LONGEST });
    }
    let items = |set: usize| -> Vec<u32> {
        let chosen = itemset.iter().enumerate().filter(|(place, _)| set >> place & 1 == 1);
        chosen.map(|(_, item)| *item).collect()
    };
    let mut counts = Vec::with_capacity(1 << itemset.len());
    for set in 0..1usize << itemset.len() {
        let support = supports.get(&items(set)).ok_or(MineError::MissingSubset)?;
        counts.push(*support as i64);
    }
    // Inclusion and exclusion for all I at once: subtract who holds one item more.
    for place in 0..itemset.len() {
        for set in (0..counts.len()).filter(|set| set >> place & 1 == 0) {
            counts[set] -= counts[set | 1 << place];
        }
    }
    let channel = |(set, &count): (usize, &i64)| {
        let is_channel = 0 < count && (count as u64) < k && set + 1 < counts.len();
        is_channel.then(|| Channel {
            held: items(set),
            missing: items(!set & (counts.len() - 1)),
            records: count as u64,
        })
    };
    Ok(counts.iter().enumerate().filter_map(channel).collect())
}

/// Closes every channel by adding k to the supports of all subsets of its held items.
///
/// # Errors
/// As [`find`].
pub fn close_by_adding(supports: &Supports, k: u64, progress: &dyn Progress) -> Result<Closed, MineError> {
    let mut held: Vec<Vec<u32>> = find(supports, k, progress)?.into_iter().map(|own| own.held).collect();
    held.dedup();
    let mut closed = supports.clone();
    let mut added = 0;
    for (itemset, support) in &mut closed {
        let more = k * held.iter().filter(|own| contains(own, itemset)).count() as u64;
        *support += more;
        added += more;
    }
    Ok(Closed { supports: closed, added, left_out: 0 })
}

/// Closes every channel by leaving out its itemset with all that contain it, the shortest first.
///
/// # Errors
/// As [`find`].
pub fn close_by_leaving_out(
    supports: &Supports,
    k: u64,
    progress: &dyn Progress,
) -> Result<Closed, MineError> {
    let channels = find(supports, k, progress)?;
    let mut ends: Vec<Vec<u32>> =
        channels.iter().map(|own| super::transactions::union(&own.held, &own.missing)).collect();
    ends.sort_unstable_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    ends.dedup();
    let mut kept = supports.clone();
    for end in ends {
        if kept.contains_key(&end) {
            kept.retain(|itemset, _| !contains(itemset, &end));
        }
    }
    let left_out = supports.len() - kept.len();
    Ok(Closed { supports: kept, added: 0, left_out })
}

#[cfg(test)]
mod tests {
    use privet_data::Silent;
    use proptest::prelude::*;

    use super::super::{Transactions, frequent_itemsets};
    use super::*;

    fn supports(transactions: &Transactions, least: u64) -> Supports {
        let found = frequent_itemsets(transactions, least, 10_000, &Silent).unwrap();
        supports_of(&found, transactions.len() as u64)
    }

    /// FX-T8: ac 5 and abc 3 tell that two transactions hold a and c and not b.
    #[test]
    fn fx_t8_has_the_printed_channel() {
        let published = supports(&crate::fixtures::fx_t8(), 3);
        let found = find(&published, 3, &Silent).unwrap();
        assert!(found.contains(&Channel { held: vec![0, 2], missing: vec![1], records: 2 }));
        assert!(find(&published, 1, &Silent).unwrap().is_empty());
    }

    #[test]
    fn supports_without_subsets_are_refused() {
        let mut published = supports(&crate::fixtures::fx_t8(), 3);
        published.remove(&vec![0]);
        assert_eq!(find(&published, 3, &Silent), Err(MineError::MissingSubset));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        #[test]
        fn channels_are_patterns_of_few_and_can_be_closed(
            rows in prop::collection::vec(prop::collection::vec(0u32..6, 0..6), 4..30), least in 1u64..6, k in 2u64..5
        ) {
            let transactions = Transactions::new(rows);
            let published = supports(&transactions, least);
            let mut expected = Vec::new();
            for itemset in published.keys() {
                for set in 0..(1usize << itemset.len()) - 1 {
                    let side = |bit: usize| -> Vec<u32> {
                        let own = itemset.iter().enumerate().filter(|(place, _)| set >> place & 1 == bit);
                        own.map(|(_, item)| *item).collect()
                    };
                    let (held, missing) = (side(1), side(0));
                    let has = |row: &&[u32]| contains(row, &held) && missing.iter().all(|item| !row.contains(item));
                    let records = transactions.rows().filter(has).count() as u64;
                    if 0 < records && records < k {
                        expected.push(Channel { held, missing, records });
                    }
                }
            }
            expected.sort_unstable();
            prop_assert_eq!(find(&published, k, &Silent).unwrap(), expected);
            let added = close_by_adding(&published, k, &Silent).unwrap();
            prop_assert!(find(&added.supports, k, &Silent).unwrap().is_empty());
            let fewer = close_by_leaving_out(&published, k, &Silent).unwrap();
            prop_assert!(find(&fewer.supports, k, &Silent).unwrap().is_empty());
        }
    }
}
