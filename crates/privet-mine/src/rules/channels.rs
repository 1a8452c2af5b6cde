//! Inference channels between published itemsets, and how to close them (Atzori, Bonchi, Giannotti, Pedreschi; papers II.7).
//!
//! From the supports of all X between I and J, inclusion and exclusion tells how many transactions hold I and nothing of J∖I:
//! f(I, J) = Σ (−1)^|X∖I| supp(X). A channel is a pair with 0 < f < k: a pattern that fewer than k people have.
//!
//! # Guarantee
//! After [`close_by_adding`] and after [`close_by_leaving_out`] no channel is left between published itemsets. Adding keeps the
//! supports those of some table: k transactions with exactly I join it for every channel.
//!
//! Published rules do not hold all subsets of their itemsets. [`find_between`] looks at every pair I ⊆ J between which everything is published,
//! I = J included: a published support below k needs no subtraction. [`rules_without_channels`] chooses rules that leave none.
//!
//! Growth: 2^|J| per published itemset J, and 3^d where d items of J can be missing; itemsets longer than the limit are an error.

use foldhash::{HashMap, HashMapExt};
use privet_data::Progress;
use rayon::prelude::*;

use super::transactions::contains;
use super::{Itemsets, Rule};
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

/// The supports that rules publish, with the number of transactions.
pub fn supports_of_rules(rules: &[Rule], records: u64) -> Supports {
    let mut supports = Supports::from_iter([(Vec::new(), records)]);
    supports.extend(rules.iter().flat_map(of_rule));
    supports
}

fn of_rule(rule: &Rule) -> impl Iterator<Item = (Vec<u32>, u64)> {
    let consequent = rule.consequent_support.map(|support| (rule.consequent.clone(), support));
    let others = [(rule.items(), rule.support), (rule.antecedent.clone(), rule.antecedent_support)];
    others.into_iter().chain(consequent)
}

/// Every channel between two published itemsets, in order. Subsets may be missing: a pattern follows when everything between what is held and
/// all its items is published.
///
/// # Errors
/// When an itemset is longer than [`LONGEST`], or the operation was stopped.
pub fn find_between(supports: &Supports, k: u64, progress: &dyn Progress) -> Result<Vec<Channel>, MineError> {
    let mut itemsets: Vec<&Vec<u32>> = supports.keys().collect();
    itemsets.sort_unstable();
    progress.stage("inference channels", Some(itemsets.len() as u64));
    let found: Result<Vec<Vec<Channel>>, MineError> = itemsets
        .par_iter()
        .map(|itemset| {
            progress.check()?;
            below(supports, itemset, k)
        })
        .collect();
    let mut found: Vec<Channel> = found?.into_iter().flatten().collect();
    found.sort_unstable();
    Ok(found)
}

/// The channels whose items are this itemset, for the missing items below which everything is published. These sets of missing items are closed
/// under taking subsets, so they are grown item by item.
fn below(supports: &Supports, itemset: &[u32], k: u64) -> Result<Vec<Channel>, MineError> {
    if itemset.len() > LONGEST {
        return Err(MineError::TooMany { what: "items in an itemset", limit: LONGEST });
    }
    let without = |missing: u32| -> Vec<u32> {
        let kept = itemset.iter().enumerate().filter(|(place, _)| missing >> place & 1 == 0);
        kept.map(|(_, item)| *item).collect()
    };
    let Some(&all) = supports.get(itemset) else { return Ok(Vec::new()) };
    // Per set of missing items the support of what is left.
    let mut known: HashMap<u32, u64> = HashMap::from_iter([(0, all)]);
    let mut level = vec![0u32];
    let mut found = Vec::new();
    while !level.is_empty() {
        for &missing in &level {
            let records = exactly(&known, missing);
            if 0 < records && records < k as i64 && !itemset.is_empty() {
                let items = itemset.iter().enumerate().filter(|(place, _)| missing >> place & 1 == 1);
                let missing_items = items.map(|(_, item)| *item).collect();
                found.push(Channel {
                    held: without(missing),
                    missing: missing_items,
                    records: records as u64,
                });
            }
        }
        let mut longer = Vec::new();
        for &missing in &level {
            // Items above the highest one alone, so that every set is grown once.
            for place in u32::BITS - missing.leading_zeros()..itemset.len() as u32 {
                let next = missing | 1 << place;
                let is_closed = (0..place)
                    .filter(|own| next >> own & 1 == 1)
                    .all(|own| known.contains_key(&(next & !(1 << own))));
                if let Some(&support) = supports.get(&without(next)).filter(|_| is_closed) {
                    known.insert(next, support);
                    longer.push(next);
                }
            }
        }
        level = longer;
    }
    Ok(found)
}

/// The transactions with all items but the missing ones, and with none of these, by inclusion and exclusion over the subsets of the missing ones.
fn exactly(known: &HashMap<u32, u64>, missing: u32) -> i64 {
    let (mut count, mut left_out) = (0i64, missing);
    loop {
        let support = known.get(&left_out).map_or(0, |&own| own as i64);
        let sign = if (missing.count_ones() - left_out.count_ones()).is_multiple_of(2) { 1 } else { -1 };
        count += sign * support;
        if left_out == 0 {
            return count;
        }
        left_out = (left_out - 1) & missing;
    }
}

/// Positions of rules whose published supports leave no channel: none can be added. Rules are tried by confidence, then support, the
/// highest first. Private items say which supports of consequents are published.
///
/// A rule is refused for channels through its own itemsets only: others were looked at before. Growth: rules times published itemsets.
///
/// # Errors
/// As [`find_between`].
pub fn rules_without_channels(
    rules: &[Rule],
    private: &[u32],
    records: u64,
    k: u64,
    progress: &dyn Progress,
) -> Result<Vec<usize>, MineError> {
    let rules = super::RuleModel::new(rules, private).withheld(rules);
    let mut order: Vec<usize> = (0..rules.len()).collect();
    order.sort_by(|&a, &b| {
        let by = |rule: &Rule| (rule.confidence(), rule.support);
        let ((a_confidence, a_support), (b_confidence, b_support)) = (by(&rules[a]), by(&rules[b]));
        b_confidence.total_cmp(&a_confidence).then(b_support.cmp(&a_support)).then(a.cmp(&b))
    });
    let mut supports = supports_of_rules(&[], records);
    let mut kept = Vec::new();
    progress.stage("closing inference channels", Some(rules.len() as u64));
    for (tried, rule) in order.into_iter().enumerate() {
        progress.check()?;
        progress.at(tried as u64);
        let new: Vec<(Vec<u32>, u64)> =
            of_rule(&rules[rule]).filter(|(itemset, _)| !supports.contains_key(itemset)).collect();
        supports.extend(new.iter().cloned());
        let touched = supports.keys().filter(|own| new.iter().any(|(itemset, _)| contains(own, itemset)));
        let mut is_closed = true;
        for itemset in touched {
            is_closed = is_closed && below(&supports, itemset, k)?.is_empty();
        }
        match is_closed {
            true => kept.push(rule),
            false => new.iter().for_each(|(itemset, _)| {
                supports.remove(itemset);
            }),
        }
    }
    kept.sort_unstable();
    Ok(kept)
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

    /// The rule {a, b} ⇒ c alone: its supports tell at once how many hold a and b and not c, though those of a and b are not published.
    #[test]
    fn one_rule_alone_has_a_channel() {
        let mut rows = vec![vec![0, 1, 2]; 9];
        rows.extend([vec![0, 1], vec![2], vec![0], vec![1]]);
        let data = Transactions::new(rows);
        let rule = [Rule::of(&data, &[0, 1], &[2]).unwrap()];
        let found = find_between(&supports_of_rules(&rule, 13), 5, &Silent).unwrap();
        let channel = |held: &[u32], missing: &[u32], records| Channel {
            held: held.to_vec(),
            missing: missing.to_vec(),
            records,
        };
        assert_eq!(found, [channel(&[], &[2], 3), channel(&[0, 1], &[2], 1)]);
        assert!(rules_without_channels(&rule, &[], 13, 5, &Silent).unwrap().is_empty());
        assert_eq!(rules_without_channels(&rule, &[2], 13, 1, &Silent).unwrap(), [0]);
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

        /// Against counting: every pair of published itemsets between which everything is published. The rules that are kept leave no
        /// channel, and every other rule would open one.
        #[test]
        fn channels_of_rules_are_those_by_hand(
            rows in prop::collection::vec(prop::collection::vec(0u32..5, 0..5), 4..30),
            sides in prop::collection::vec((1u32..32, 1u32..32), 1..6), hidden in 0u32..32, k in 2u64..6
        ) {
            let items = |bits: u32| (0..5).filter(|item| bits >> item & 1 == 1).collect::<Vec<u32>>();
            let transactions = Transactions::new(rows);
            let records = transactions.len() as u64;
            let of = |&(a, b): &(u32, u32)| Rule::of(&transactions, &items(a), &items(b & !a)).ok();
            let mut rules: Vec<Rule> = sides.iter().filter_map(of).collect();
            rules.sort_unstable();
            rules.dedup();
            let private = items(hidden);
            let channels = |kept: &[usize]| {
                let kept: Vec<Rule> = kept.iter().map(|&place| rules[place].clone()).collect();
                let kept = super::super::RuleModel::new(&kept, &private).withheld(&kept);
                let published = supports_of_rules(&kept, records);
                let mut expected = Vec::new();
                for (all, held) in (0..32u32).flat_map(|all| (0..32u32).map(move |held| (all, held))) {
                    let between = (0..32u32).filter(|own| own & held == held && own & !all == 0);
                    if held & !all != 0 || all == 0 || !between.clone().all(|own| published.contains_key(&items(own))) {
                        continue;
                    }
                    let (held, missing) = (items(held), items(all & !held));
                    let has = |row: &&[u32]| contains(row, &held) && missing.iter().all(|item| !row.contains(item));
                    let records = transactions.rows().filter(has).count() as u64;
                    if 0 < records && records < k {
                        expected.push(Channel { held, missing, records });
                    }
                }
                expected.sort_unstable();
                (find_between(&published, k, &Silent).unwrap(), expected)
            };
            let (found, expected) = channels(&(0..rules.len()).collect::<Vec<usize>>());
            prop_assert_eq!(found, expected);
            let kept = rules_without_channels(&rules, &private, records, k, &Silent).unwrap();
            prop_assert!(channels(&kept).1.is_empty());
            for rule in (0..rules.len()).filter(|rule| !kept.contains(rule)) {
                let more: Vec<usize> = kept.iter().copied().chain([rule]).collect();
                prop_assert!(!channels(&more).1.is_empty());
            }
        }
    }
}
