//! Supports of itemsets over vertical parts: an itemset holds where the product of its items' bits is 1, so its support is a scalar product
//! (papers T-AL12).
//!
//! Each party first multiplies its own items. Between two parties the scalar product comes from oblivious transfer; with more, shares of the
//! product so far are multiplied by the bits of the next party, record by record.
//!
//! # What is revealed
//! Which itemsets reach the support, and what [`super::closing`] opens of the supports of these. Nothing of single records.

use std::collections::{BTreeMap, BTreeSet};

use super::closing::open_closed;
use super::joint::Joint;
use super::rules::{Large, candidates};
use crate::error::PartyError;
use crate::protocol::product::{pack, receive_each, receive_sums, send_each, send_sums};
use crate::session::Session;

/// Shares of how many records have all of some items. Per party, `involved` tells whether it holds one; `bits` are this party's records
/// that have all of its own, as words.
///
/// # Errors
/// When the session fails.
pub fn support(
    session: &mut Session<'_>,
    joint: &mut Joint,
    involved: &[bool],
    bits: &[u64],
    records: usize,
) -> Result<u64, PartyError> {
    let me = session.me();
    let parties: Vec<usize> = (0..involved.len()).filter(|&party| involved[party]).collect();
    let Some((&first, rest)) = parties.split_first() else { return Ok(0) };
    if !involved[me] {
        return Ok(0);
    }
    if rest.is_empty() {
        return Ok(bits.iter().map(|word| u64::from(word.count_ones())).sum());
    }
    let transfers = joint.transfers(session)?;
    // This party's shares of the product so far, once it has any.
    let mut shares: Vec<u64> = match me == first {
        true => (0..records).map(|record| bits[record / 64] >> (record % 64) & 1).collect(),
        false => Vec::new(),
    };
    for (place, &next) in rest.iter().enumerate() {
        let is_last = place + 1 == rest.len();
        let before = &parties[..=place];
        if me == next {
            let mut total = vec![0u64; if is_last { 1 } else { records }];
            for &other in before {
                let receiver = transfers.receiver(other)?;
                let own = match is_last {
                    true => receive_sums(session, receiver, other, (records, 1), bits)?,
                    false => receive_each(session, receiver, other, records, bits)?,
                };
                total.iter_mut().zip(own).for_each(|(total, own)| *total = total.wrapping_add(own));
            }
            shares = total;
        } else if before.contains(&me) {
            let sender = transfers.sender(next)?;
            shares = match is_last {
                true => send_sums(session, sender, next, (records, 1), &|row, own| own[0] = shares[row])?,
                false => send_each(session, sender, next, &shares)?,
            };
        }
    }
    Ok(shares[0])
}

/// Records that a party goes through for the support of an itemset: every party that comes later multiplies with each that came before.
fn rows_of(me: usize, items: &[u16], holders: &[(String, usize)], records: usize) -> usize {
    let parties: BTreeSet<usize> = items.iter().map(|&item| holders[usize::from(item)].1).collect();
    let before = parties.iter().filter(|&&party| party < me).count();
    let after = parties.iter().filter(|&&party| party > me).count();
    if parties.contains(&me) { (before + after) * records } else { 0 }
}

/// Large itemsets over columns of bits. `holders` tells per item its name and whose it is; `column` gives this party's.
///
/// # Errors
/// When the session fails.
pub fn large_itemsets(
    session: &mut Session<'_>,
    joint: &mut Joint,
    holders: &[(String, usize)],
    columns: &[Vec<bool>],
    records: usize,
    (support_at_least, longest): (u64, usize),
) -> Result<Large, PartyError> {
    let packed: Vec<Vec<u64>> = columns.iter().map(|own| pack(own.iter().copied())).collect();
    // This party's shares of the supports.
    let mut found: BTreeMap<Vec<String>, u64> = BTreeMap::new();
    let mut candidate_sets: Vec<Vec<u16>> = (0..holders.len() as u16).map(|item| vec![item]).collect();
    for size in 1..=longest {
        let rows: usize =
            candidate_sets.iter().map(|items| rows_of(session.me(), items, holders, records)).sum();
        session.stage(&format!("supports of sets of {size} items"), Some(rows as u64));
        let mut shares = Vec::with_capacity(candidate_sets.len());
        for items in &candidate_sets {
            let mut involved = vec![false; session.parties()];
            items.iter().for_each(|&item| involved[holders[usize::from(item)].1] = true);
            let mine = items.iter().filter(|item| holders[usize::from(**item)].1 == session.me());
            let all = vec![u64::MAX; records.div_ceil(64)];
            let bits = mine.fold(all, |all, &item| {
                all.iter().zip(&packed[usize::from(item)]).map(|(all, own)| all & own).collect()
            });
            shares.push(support(session, joint, &involved, &bits, records)?);
        }
        let reached = joint.reached(session, &shares, support_at_least)?;
        let mut level = BTreeSet::new();
        for ((items, share), _) in candidate_sets.iter().zip(shares).zip(reached).filter(|own| own.1) {
            let mut names: Vec<String> =
                items.iter().map(|item| holders[usize::from(*item)].0.clone()).collect();
            names.sort_unstable();
            found.insert(names, share);
            level.insert(items.clone());
        }
        candidate_sets = candidates(&level);
        if candidate_sets.is_empty() {
            break;
        }
    }
    open_closed(session, joint, found, records as u64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::rules::Supports;
    use super::*;
    use crate::session::run_local;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4))]
        #[test]
        fn joint_supports_are_the_central_ones(
            table in proptest::collection::vec(proptest::collection::vec(any::<bool>(), 5), 66..140),
        ) {
            let holders: Vec<(String, usize)> = [0, 1, 2, 1, 0].iter().enumerate().map(|(i, &own)| (format!("i{i}"), own)).collect();
            let mut expected = Supports::new();
            for set in 1u32..32 {
                let items: Vec<usize> = (0..5).filter(|item| set >> item & 1 == 1).collect();
                let count = table.iter().filter(|own| items.iter().all(|&item| own[item])).count() as u64;
                if count >= 12 && items.len() <= 3 {
                    expected.insert(items.iter().map(|item| format!("i{item}")).collect(), count);
                }
            }
            let results = run_local(3, |session| {
                let mut joint = Joint::new(session, 0)?;
                let column = |item: usize| match holders[item].1 == session.me() {
                    true => table.iter().map(|own| own[item]).collect(),
                    false => Vec::new(),
                };
                let columns: Vec<Vec<bool>> = (0..5).map(column).collect();
                large_itemsets(session, &mut joint, &holders, &columns, table.len(), (12, 3))
            });
            for result in results {
                prop_assert_eq!(result.unwrap().supports, expected.clone());
            }
        }
    }
}
