//! Counts over columns of two sides that know the same people: a hospital's diagnoses by a registry's exposures. Each side may be several
//! parties, whose people are different ones: two hospitals and a registry.
//!
//! Every pair of a party of one side and one of the other aligns its people and counts them on shares, by oblivious transfers: for each value
//! of the first side, the sum of the second side's indicators over those who have it. Shares of all pairs add up before anything is opened.
//!
//! # What is revealed
//! To the two parties of a pair, which of their own people the other one knows. To all, which cells reach the minimum, and these counts. A
//! person whom two parties of one side know is two records.

use super::{Context, Outcome};
use crate::error::PartyError;
use crate::input::LocalTable;
use crate::job::Sides;
use crate::mining::joint::Joint;
use crate::protocol::extension::Transfers;
use crate::protocol::intersection::intersect;
use crate::protocol::product::{pack, receive_sums, send_sums};
use crate::session::Session;

/// Cells at most: every person costs a transfer per value of the first side, with a number per value of the second.
const MOST_CELLS: usize = 1 << 14;

/// This party's part of the counts: the combination of its side's columns that each of its people has.
struct Part<'a> {
    identifiers: &'a [Vec<u8>],
    codes: &'a [u32],
    /// How many combinations each side has.
    sizes: [usize; 2],
}

impl Context<'_> {
    pub(super) fn association(
        &self,
        session: &mut Session<'_>,
        table: &LocalTable,
        identifiers: &[Vec<u8>],
        sides: &Sides,
    ) -> Result<Outcome, PartyError> {
        let minimum = self.job.job.privacy.minimum();
        let mut labels = [Vec::new(), Vec::new()];
        for (labels, columns) in labels.iter_mut().zip(&sides.columns) {
            for name in columns {
                labels.push(crate::input::labels(self.declared(name)?));
            }
        }
        let cells = |labels: &[Vec<String>]| {
            labels.iter().try_fold(1usize, |all, own| all.checked_mul(own.len())).unwrap_or(usize::MAX)
        };
        let sizes = [cells(&labels[0]), cells(&labels[1])];
        if sizes[0].checked_mul(sizes[1]).is_none_or(|own| own > MOST_CELLS) {
            return Err(PartyError::Job(format!("the table of counts has more than {MOST_CELLS} cells")));
        }
        let side = usize::from(sides.holders[1].contains(&self.me));
        let (own, widths) = self.coded(table, &sides.columns[side])?;
        let mut codes = vec![0u32; table.records()];
        for (column, labels) in own.iter().zip(&widths) {
            codes.iter_mut().zip(column).for_each(|(all, code)| *all = *all * labels.len() as u32 + code);
        }
        let mut joint = Joint::new(session, minimum)?;
        let part = Part { identifiers, codes: &codes, sizes };
        let transfers = joint.transfers(session)?;
        let shares = shares(session, transfers, &sides.holders, &part)?;
        let opened = joint.open(session, &shares)?;
        let columns = sides.columns.concat();
        let labels = labels.concat();
        Ok(self.counts_outcome(
            &columns,
            &labels,
            &opened,
            minimum,
            "which cells reach the minimum, and these counts; the two parties of a pair from both sides: which of their own people the other knows",
        ))
    }
}

/// This party's shares of the counts of all cells, the second side's combinations varying fastest.
fn shares(
    session: &mut Session<'_>,
    transfers: &mut Transfers,
    holders: &[Vec<usize>; 2],
    part: &Part<'_>,
) -> Result<Vec<u64>, PartyError> {
    let mut shares = vec![0u64; part.sizes[0] * part.sizes[1]];
    for &first in &holders[0] {
        for &second in &holders[1] {
            if session.me() != first && session.me() != second {
                continue;
            }
            let own =
                session.among(&[first, second], |session| pair(session, transfers, (first, second), part))?;
            shares.iter_mut().zip(own).for_each(|(share, own)| *share = share.wrapping_add(own));
        }
    }
    Ok(shares)
}

/// The shares of one pair.
fn pair(
    session: &mut Session<'_>,
    transfers: &mut Transfers,
    (first, second): (usize, usize),
    part: &Part<'_>,
) -> Result<Vec<u64>, PartyError> {
    let common = intersect(session, part.identifiers)?;
    let codes: Vec<usize> = common.iter().map(|&place| part.codes[place] as usize).collect();
    let size = (codes.len(), part.sizes[1]);
    session.stage("counting on shares", Some((part.sizes[0] * codes.len()) as u64));
    let mut shares = Vec::with_capacity(part.sizes[0] * part.sizes[1]);
    for value in 0..part.sizes[0] {
        let sums = if session.me() == first {
            let bits = pack(codes.iter().map(|code| *code == value));
            receive_sums(session, transfers.receiver(second)?, second, size, &bits)?
        } else {
            let indicators = |row: usize, own: &mut [u64]| {
                own.fill(0);
                own[codes[row]] = 1;
            };
            send_sums(session, transfers.sender(first)?, first, size, &indicators)?
        };
        shares.extend(sums);
    }
    Ok(shares)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::session::run_local;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5))]
        /// Two hospitals with different people, some known to both, and a registry or two.
        #[test]
        fn counts_are_those_of_the_joined_tables(
            hospitals in proptest::collection::vec(proptest::collection::btree_map(0u8..60, 0u32..3, 0..30), 2),
            registries in proptest::collection::vec(proptest::collection::btree_map(0u8..60, 0u32..2, 0..50), 1..3),
        ) {
            let parties: Vec<_> = hospitals.iter().chain(&registries).collect();
            let holders = [vec![0, 1], (2..parties.len()).collect::<Vec<usize>>()];
            let mut expected = vec![0u64; 6];
            for hospital in &hospitals {
                for registry in &registries {
                    for (person, diagnosis) in hospital {
                        if let Some(exposure) = registry.get(person) {
                            expected[(diagnosis * 2 + exposure) as usize] += 1;
                        }
                    }
                }
            }
            let results = run_local(parties.len(), |session| {
                let own = parties[session.me()];
                let identifiers: Vec<Vec<u8>> = own.keys().map(|own| vec![*own]).collect();
                let codes: Vec<u32> = own.values().copied().collect();
                let part = Part { identifiers: &identifiers, codes: &codes, sizes: [3, 2] };
                let mut joint = Joint::new(session, 0)?;
                let transfers = joint.transfers(session)?;
                let shares = shares(session, transfers, &holders, &part)?;
                joint.open(session, &shares)
            });
            for result in results {
                let counts: Vec<u64> = result.unwrap().into_iter().map(Option::unwrap).collect();
                prop_assert_eq!(counts, expected.clone());
            }
        }
    }
}
