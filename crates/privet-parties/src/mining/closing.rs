//! Supports of large itemsets that are opened only where no small group follows from them (Atzori, Bonchi, Giannotti and Pedreschi; papers
//! II.7), decided on shares.
//!
//! From the supports of all X between I and J, inclusion and exclusion tells how many records hold I and nothing of J∖I. Where that is above 0
//! and below the minimum, J with all that contain it is left out, the shortest first, as [`privet_mine::rules::channels`] does with supports
//! that are known.
//!
//! # What is revealed
//! Per large itemset one bit: whether a group below the minimum follows from it and its parts. Of the supports those that are left.

use std::collections::BTreeMap;

use super::joint::Joint;
use super::rules::{Large, Supports};
use crate::error::PartyError;
use crate::protocol::compare::{Width, any_small_of};
use crate::session::Session;

/// The most sums that are compared with the minimum for one length of itemsets.
const MOST_SUMS: usize = 1 << 22;
/// The longest itemset whose parts are gone through.
const LONGEST: usize = 20;

/// Opens the supports of large itemsets, of which these are shares; all parts of an itemset must be there. `records` is known to all.
///
/// # Errors
/// When there are too many itemsets, or the session fails.
pub fn open_closed(
    session: &mut Session<'_>,
    joint: &mut Joint,
    mut shares: BTreeMap<Vec<String>, u64>,
    records: u64,
) -> Result<Large, PartyError> {
    let before = shares.len();
    if joint.minimum() > 1 {
        for end in ends_of_channels(session, joint, &shares, records)? {
            if shares.contains_key(&end) {
                shares.retain(|items, _| !end.iter().all(|own| items.contains(own)));
            }
        }
    }
    let chosen: Vec<u64> = shares.values().copied().collect();
    let opened = joint.sums.sum(session, &chosen)?;
    let left_out = before - shares.len();
    let supports: Supports = shares.into_keys().zip(opened).collect();
    Ok(Large { supports, records, left_out })
}

/// The itemsets from which, with their parts, a group below the minimum follows; the shortest first.
fn ends_of_channels(
    session: &mut Session<'_>,
    joint: &mut Joint,
    shares: &BTreeMap<Vec<String>, u64>,
    records: u64,
) -> Result<Vec<Vec<String>>, PartyError> {
    let all = if session.is_first() { records } else { 0 };
    let minimum = joint.minimum();
    let longest = shares.keys().map(Vec::len).max().unwrap_or(0);
    let mut ends = Vec::new();
    for length in 1..=longest {
        let itemsets: Vec<&Vec<String>> = shares.keys().filter(|own| own.len() == length).collect();
        let rows = 1usize << length.min(LONGEST);
        if length > LONGEST || itemsets.len().saturating_mul(rows) > MOST_SUMS {
            return Err(PartyError::Resources(
                "too many large itemsets to look for small groups in: use a higher support or shorter itemsets".to_owned(),
            ));
        }
        session.stage(&format!("small groups within sets of {length} items"), None);
        let counts: Option<Vec<Vec<u64>>> = itemsets.iter().map(|own| patterns(shares, own, all)).collect();
        let counts =
            counts.ok_or_else(|| PartyError::Resources("a part of an itemset is missing".to_owned()))?;
        // The last pattern has all items: the support itself, which is large.
        let sums: Vec<Vec<u64>> =
            (0..rows - 1).map(|pattern| counts.iter().map(|own| own[pattern]).collect()).collect();
        let transfers = joint.transfers(session)?;
        let is_end = any_small_of(session, transfers, &sums, minimum, Width::Bits32)?;
        ends.extend(itemsets.into_iter().zip(is_end).filter(|(_, end)| *end).map(|(own, _)| own.clone()));
    }
    Ok(ends)
}

/// Shares of how many records hold exactly each part of an itemset and nothing else of it, parts being bits; `all` is a share of all records.
fn patterns(shares: &BTreeMap<Vec<String>, u64>, itemset: &[String], all: u64) -> Option<Vec<u64>> {
    let of = |set: usize| {
        let chosen = itemset.iter().enumerate().filter(|(place, _)| set >> place & 1 == 1);
        let items: Vec<String> = chosen.map(|(_, item)| item.clone()).collect();
        if items.is_empty() { Some(all) } else { shares.get(&items).copied() }
    };
    let mut counts: Vec<u64> = (0..1usize << itemset.len()).map(of).collect::<Option<_>>()?;
    for place in 0..itemset.len() {
        for set in (0..counts.len()).filter(|set| set >> place & 1 == 0) {
            counts[set] = counts[set].wrapping_sub(counts[set | 1 << place]);
        }
    }
    Some(counts)
}

#[cfg(test)]
mod tests {
    use privet_data::Silent;
    use privet_mine::rules::channels;
    use proptest::prelude::*;

    use super::*;
    use crate::random::Generator;
    use crate::session::run_local;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]
        /// What is opened is what leaving out on known supports gives.
        #[test]
        fn shares_are_closed_as_supports_are(
            transactions in proptest::collection::vec(1u32..16, 8..60),
            support in 1u64..8,
            minimum in 2u64..6,
        ) {
            // Transactions are bits of four items.
            let names = |set: u32| -> Vec<String> {
                (0..4).filter(|item| set >> item & 1 == 1).map(|item| format!("item {item}")).collect()
            };
            let count = |set: u32| transactions.iter().filter(|own| *own & set == set).count() as u64;
            let large: BTreeMap<Vec<String>, u64> = (1u32..16)
                .filter(|&set| count(set) >= support.max(minimum))
                .map(|set| (names(set), count(set)))
                .collect();
            let records = transactions.len() as u64;
            let code = |name: &String| name.trim_start_matches("item ").parse::<u32>().unwrap();
            let mut known: channels::Supports =
                large.iter().map(|(items, count)| (items.iter().map(code).collect(), *count)).collect();
            known.insert(Vec::new(), records);
            let closed = channels::close_by_leaving_out(&known, minimum, &Silent).unwrap();
            let expected: Supports = large
                .iter()
                .filter(|(items, _)| closed.supports.contains_key(&items.iter().map(code).collect::<Vec<u32>>()))
                .map(|(items, count)| (items.clone(), *count))
                .collect();
            let mut generator = Generator::new([5; 16]);
            let masks: Vec<u64> = large.iter().map(|_| generator.u64()).collect();
            let results = run_local(2, |session| {
                let own = |((items, count), mask): ((&Vec<String>, &u64), &u64)| {
                    let share = if session.me() == 0 { count.wrapping_sub(*mask) } else { *mask };
                    (items.clone(), share)
                };
                let shares = large.iter().zip(&masks).map(own).collect();
                let mut joint = Joint::new(session, minimum)?;
                open_closed(session, &mut joint, shares, records)
            });
            for result in results {
                let found = result.unwrap();
                prop_assert_eq!(found.left_out, large.len() - expected.len());
                prop_assert_eq!(found.supports, expected.clone());
            }
        }
    }
}
