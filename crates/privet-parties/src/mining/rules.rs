//! Association rules over horizontal parts (papers T-AL12; Kantarcıoğlu and Clifton): a secure union of the itemsets that are large somewhere,
//! then secure sums of their supports.
//!
//! An itemset that is large over all records is as large, in proportion, at some party at least; so the union misses none.
//!
//! # What is revealed
//! How many transactions there are; per size the itemsets that are large at some party, not at which; which of them are large over all; and
//! what [`super::closing`] opens of the supports of these. The supports of others stay hidden.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::closing::open_closed;
use super::joint::Joint;
use crate::error::PartyError;
use crate::protocol::union::{LONGEST, union};
use crate::session::Session;

/// What counts as large and as a rule.
#[derive(Debug, Clone, Copy)]
pub struct RuleOptions {
    /// Transactions that make an itemset large.
    pub support: u64,
    /// The least confidence of a rule.
    pub confidence: f64,
    /// Items of an itemset at most.
    pub longest: usize,
    /// Distinct items of a party at most; what a party holds beyond is an error, because its number would show.
    pub items: usize,
}

/// An itemset, its items sorted, with its support.
pub type Supports = BTreeMap<Vec<String>, u64>;

/// Large itemsets of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Large {
    /// Those whose supports were opened.
    pub supports: Supports,
    /// How many transactions there are.
    pub records: u64,
    /// How many were left out because a group below the minimum followed from them.
    pub left_out: usize,
}

/// A rule between items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AssociationRule {
    /// Who has all of these …
    pub antecedent: Vec<String>,
    /// … has this.
    pub consequent: String,
    /// Transactions with all of them.
    pub support: u64,
    /// Their share of the transactions with the antecedent.
    pub confidence: f64,
}

/// Large itemsets over all parties' transactions. Transactions are sets of items.
///
/// # Errors
/// When an item is too long or there are too many, or the session fails.
pub fn large_itemsets(
    session: &mut Session<'_>,
    joint: &mut Joint,
    transactions: &[BTreeSet<String>],
    options: RuleOptions,
) -> Result<Large, PartyError> {
    let own = transactions.len() as u64;
    let all = joint.sums.sum(session, &[own])?[0];
    let is_large_here = |support: u64| {
        support > 0 && u128::from(support) * u128::from(all) >= u128::from(options.support) * u128::from(own)
    };
    let mut here: BTreeMap<&str, u64> = BTreeMap::new();
    transactions.iter().flatten().for_each(|item| *here.entry(item).or_default() += 1);
    if here.keys().any(|item| item.len() > LONGEST) {
        return Err(PartyError::Input(format!(
            "an item has more than {LONGEST} bytes: use codes instead of names"
        )));
    }
    session.stage("uniting the large items", None);
    let large: Vec<Vec<u8>> = here
        .iter()
        .filter(|(_, support)| is_large_here(**support))
        .map(|(item, _)| item.as_bytes().to_vec())
        .collect();
    let items = union(session, &large, options.items)?;
    let items: Result<Vec<String>, _> = items.into_iter().map(String::from_utf8).collect();
    let items = items.map_err(|_| PartyError::Input("an item is no text".to_owned()))?;
    let counts: Vec<u64> = items.iter().map(|item| here.get(item.as_str()).copied().unwrap_or(0)).collect();
    let reached = joint.reached(session, &counts, options.support)?;
    // Shares of supports: this party's counts.
    let mut found: BTreeMap<Vec<String>, u64> = BTreeMap::new();
    let mut labels: Vec<String> = Vec::new();
    for ((item, count), _) in items.into_iter().zip(counts).zip(reached).filter(|(_, reached)| *reached) {
        found.insert(vec![item.clone()], count);
        labels.push(item);
    }
    // From here on items are numbers.
    let place = |item: &String| labels.binary_search(item).ok().map(|place| place as u16);
    let coded: Vec<Vec<u16>> =
        transactions.iter().map(|own| own.iter().filter_map(place).collect()).collect();
    let mut level: BTreeSet<Vec<u16>> = (0..labels.len() as u16).map(|item| vec![item]).collect();
    for size in 2..=options.longest.min(LONGEST / 2) {
        let candidates = candidates(&level);
        if candidates.is_empty() {
            break;
        }
        session.stage(&format!("uniting the large sets of {size} items"), None);
        let here = supports(&coded, &candidates);
        let bytes =
            |items: &Vec<u16>| -> Vec<u8> { items.iter().flat_map(|item| item.to_be_bytes()).collect() };
        let large = candidates.iter().zip(&here).filter(|(_, support)| is_large_here(**support));
        let large: Vec<Vec<u8>> = large.map(|(items, _)| bytes(items)).collect();
        let united = union(session, &large, candidates.len())?;
        let mut known: Vec<(usize, &Vec<u16>)> = Vec::with_capacity(united.len());
        for own in &united {
            let items: Vec<u16> = own.as_chunks().0.iter().map(|bytes| u16::from_be_bytes(*bytes)).collect();
            let place = candidates.binary_search(&items);
            let place = place.map_err(|_| session.blame(session.parties() - 1, crate::Reason::Invalid))?;
            known.push((place, &candidates[place]));
        }
        let counts: Vec<u64> = known.iter().map(|(place, _)| here[*place]).collect();
        let reached = joint.reached(session, &counts, options.support)?;
        level = BTreeSet::new();
        for (((_, items), count), _) in known.into_iter().zip(counts).zip(reached).filter(|own| own.1) {
            found.insert(items.iter().map(|item| labels[usize::from(*item)].clone()).collect(), count);
            level.insert(items.clone());
        }
    }
    open_closed(session, joint, found, all)
}

/// Itemsets of one item more all of whose parts are large, sorted.
pub(crate) fn candidates(level: &BTreeSet<Vec<u16>>) -> Vec<Vec<u16>> {
    let sets: Vec<&Vec<u16>> = level.iter().collect();
    let mut found = Vec::new();
    for (place, first) in sets.iter().enumerate() {
        let (head, last) = first.split_at(first.len() - 1);
        for second in sets[place + 1..].iter().take_while(|own| own.starts_with(head)) {
            let joined = [head, last, &second[head.len()..]].concat();
            let without = |at: usize| {
                let rest: Vec<u16> =
                    joined.iter().enumerate().filter(|(own, _)| *own != at).map(|(_, item)| *item).collect();
                level.contains(&rest)
            };
            if (0..joined.len()).all(without) {
                found.push(joined);
            }
        }
    }
    found.sort_unstable();
    found
}

/// How many transactions hold each candidate.
fn supports(transactions: &[Vec<u16>], candidates: &[Vec<u16>]) -> Vec<u64> {
    use rayon::prelude::*;
    let items = candidates.iter().flatten().max().map_or(0, |&most| usize::from(most) + 1);
    // Per item the transactions that hold it, as bits.
    let words = transactions.len().div_ceil(64);
    let mut holding = vec![vec![0u64; words]; items];
    for (place, own) in transactions.iter().enumerate() {
        for &item in own.iter().filter(|item| usize::from(**item) < items) {
            holding[usize::from(item)][place / 64] |= 1 << (place % 64);
        }
    }
    let support = |candidate: &Vec<u16>| {
        let common = |word: usize| {
            candidate.iter().fold(u64::MAX, |all, &item| all & holding[usize::from(item)][word])
        };
        (0..words).map(|word| u64::from(common(word).count_ones())).sum()
    };
    candidates.par_iter().map(support).collect()
}

/// Rules with one item on the right from the supports of large itemsets.
pub fn rules_of(supports: &Supports, confidence: f64) -> Vec<AssociationRule> {
    let mut rules = Vec::new();
    for (items, &support) in supports.iter().filter(|(items, _)| items.len() > 1) {
        for (place, consequent) in items.iter().enumerate() {
            let antecedent: Vec<String> = items
                .iter()
                .enumerate()
                .filter(|(own, _)| *own != place)
                .map(|(_, item)| item.clone())
                .collect();
            let Some(&before) = supports.get(&antecedent) else { continue };
            let own = support as f64 / before as f64;
            if own >= confidence {
                rules.push(AssociationRule {
                    antecedent,
                    consequent: consequent.clone(),
                    support,
                    confidence: own,
                });
            }
        }
    }
    rules
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::session::run_local;

    /// All itemsets of at most three items, counted one by one.
    fn central(transactions: &[BTreeSet<String>], support: u64) -> Supports {
        let items: BTreeSet<&String> = transactions.iter().flatten().collect();
        let items: Vec<&String> = items.into_iter().collect();
        let mut found = Supports::new();
        let mut add = |set: Vec<&String>| {
            let count =
                transactions.iter().filter(|own| set.iter().all(|item| own.contains(*item))).count() as u64;
            if count >= support {
                found.insert(set.into_iter().cloned().collect(), count);
            }
        };
        for (i, a) in items.iter().enumerate() {
            add(vec![a]);
            for (j, b) in items.iter().enumerate().skip(i + 1) {
                add(vec![a, b]);
                items.iter().skip(j + 1).for_each(|c| add(vec![a, b, c]));
            }
        }
        found
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5))]
        #[test]
        fn joint_itemsets_are_the_central_ones(
            transactions in proptest::collection::vec(
                proptest::collection::btree_set((0u8..6).prop_map(|own| format!("item {own}")), 0..5), 20..40,
            ),
            parties in 2usize..4,
        ) {
            let options = RuleOptions { support: 5, confidence: 0.5, longest: 3, items: 10 };
            let results = run_local(parties, |session| {
                let mut joint = Joint::new(session, 0)?;
                let own: Vec<BTreeSet<String>> = transactions.iter().skip(session.me()).step_by(parties).cloned().collect();
                large_itemsets(session, &mut joint, &own, options)
            });
            for result in results {
                let found = result.unwrap();
                prop_assert_eq!(found.records as usize, transactions.len());
                prop_assert_eq!(found.supports, central(&transactions, 5));
            }
        }
    }

    #[test]
    fn rules_have_their_confidence() {
        let set = |items: &[&str]| items.iter().map(|own| (*own).to_owned()).collect::<Vec<_>>();
        let supports = Supports::from([(set(&["a"]), 10), (set(&["b"]), 4), (set(&["a", "b"]), 3)]);
        let rules = rules_of(&supports, 0.5);
        assert_eq!(rules.len(), 1);
        assert_eq!((rules[0].consequent.as_str(), rules[0].confidence), ("a", 0.75));
    }
}
