//! A k-anonymous table over horizontal parts: the levels of full-domain generalization that all records need together, and then the records at
//! these levels, without anybody's raw values.
//!
//! The lattice of levels is walked from the least loss upwards, the same for all parties. To test a candidate every party counts its records
//! per cell of generalized values, and one bit is opened: whether some cell holds someone, but fewer than k people. k-anonymity is monotone
//! (T-TH1): what generalizes a k-anonymous candidate is k-anonymous too. So a candidate is decided by a binary search along a chain from it to
//! the top, and what one test tells of others is not tested again; a chain of h candidates costs log h tests. The first candidate that holds
//! is chosen: the one that an owner of all records would choose.
//!
//! A test takes one comparison per cell, so candidates with more than [`MOST_CELLS`] cells are not tested. Such a candidate fails where a
//! generalization of it with fewer cells fails. Where none does it is passed over, and the result says how many were: an owner of all records
//! might have chosen one of them.
//!
//! # What is revealed
//! Of every candidate that is tested, one bit: whether it is k-anonymous. At the chosen one: the counts of cells, each at least k or 0, by
//! sensitive value. That is the published table.

use privet_data::Hierarchy;

use super::joint::{Joint, codes_of, cross_count};
use crate::error::PartyError;
use crate::protocol::compare::{Width, any_small};
use crate::session::Session;

/// The most cells of a candidate that is tested.
pub const MOST_CELLS: usize = 1 << 18;

/// A column with its levels, the same for all parties.
#[derive(Debug, Clone)]
pub struct Levels {
    /// Per level: per value its node, and the label of each node. Level 0 are the values themselves.
    levels: Vec<(Vec<usize>, Vec<String>)>,
}

impl Levels {
    /// The levels of declared values under a hierarchy.
    ///
    /// # Errors
    /// When the hierarchy does not have a value.
    pub fn new(values: &[String], hierarchy: &Hierarchy) -> Result<Self, PartyError> {
        let mut levels = vec![((0..values.len()).collect(), values.to_vec())];
        let leaves = hierarchy.leaves();
        let place = |value: &String| leaves.iter().position(|leaf| **leaf == **value);
        let places: Option<Vec<usize>> = values.iter().map(place).collect();
        let places =
            places.ok_or_else(|| PartyError::Job("a hierarchy lacks a declared value".to_owned()))?;
        for level in hierarchy.levels() {
            let node: Vec<usize> = places.iter().map(|&leaf| level.node_of_leaf[leaf] as usize).collect();
            let labels = level.labels.iter().map(ToString::to_string).collect();
            levels.push((node, labels));
        }
        Ok(Self { levels })
    }

    /// The highest level.
    pub fn height(&self) -> usize {
        self.levels.len() - 1
    }

    fn nodes(&self, level: usize) -> usize {
        self.levels[level].1.len()
    }

    /// The share of the domain that a value shares its node with, over all values: 0 for the values themselves, 1 for the top.
    fn loss(&self, level: usize) -> f64 {
        let (node_of, labels) = &self.levels[level];
        let mut sizes = vec![0usize; labels.len()];
        node_of.iter().for_each(|&node| sizes[node] += 1);
        let values = node_of.len().max(2) as f64;
        node_of.iter().map(|&node| (sizes[node] - 1) as f64 / (values - 1.0)).sum::<f64>() / values
    }
}

/// What was agreed on and opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnonymousTable {
    /// Per quasi-identifier its level.
    pub levels: Vec<usize>,
    /// Generalized records: the labels of the quasi-identifiers, then the sensitive value, with their count.
    pub records: Vec<(Vec<String>, u64)>,
    /// Candidates up to the chosen one, in the order of loss.
    pub candidates: usize,
    /// Candidates that were tested: of each, everybody knows whether it is k-anonymous.
    pub tested: usize,
    /// Candidates before the chosen one that have too many cells to be tested, and that no test of another one decides.
    pub passed_over: usize,
}

/// What is known of candidates.
struct Search<'a> {
    columns: &'a [Levels],
    codes: &'a [&'a [u32]],
    k: u64,
    most_cells: usize,
    holding: Vec<Vec<usize>>,
    failing: Vec<Vec<usize>>,
    tested: usize,
}

/// Whether a candidate is at least as general as another one in every column.
fn generalizes(general: &[usize], special: &[usize]) -> bool {
    general.iter().zip(special).all(|(general, special)| general >= special)
}

impl Search<'_> {
    fn is_testable(&self, levels: &[usize]) -> bool {
        let sizes = cells(self.columns, levels);
        let count = sizes.iter().try_fold(1usize, |all, &own| all.checked_mul(own));
        count.is_some_and(|count| count <= self.most_cells)
    }

    /// What tests of other candidates tell.
    fn known(&self, levels: &[usize]) -> Option<bool> {
        if self.holding.iter().any(|own| generalizes(levels, own)) {
            return Some(true);
        }
        self.failing.iter().any(|own| generalizes(own, levels)).then_some(false)
    }

    /// Whether a candidate that can be tested holds.
    fn test(
        &mut self,
        session: &mut Session<'_>,
        joint: &mut Joint,
        levels: &[usize],
    ) -> Result<bool, PartyError> {
        if let Some(known) = self.known(levels) {
            return Ok(known);
        }
        let own = generalized(self.columns, self.codes, levels);
        let views: Vec<&[u32]> = own.iter().map(Vec::as_slice).collect();
        let counts = cross_count(&views, &cells(self.columns, levels));
        let transfers = joint.transfers(session)?;
        let holds = self.k <= 1 || !any_small(session, transfers, &counts, self.k, Width::Bits32)?;
        self.tested += 1;
        if holds {
            self.holding.push(levels.to_vec());
        } else {
            self.failing.push(levels.to_vec());
        }
        Ok(holds)
    }

    /// From a candidate to the top: first this column up, then always the one with the most nodes.
    fn chain(&self, levels: &[usize], first: usize) -> Vec<Vec<usize>> {
        let mut chain = vec![levels.to_vec()];
        let mut at = levels.to_vec();
        let mut raised = Some(first);
        loop {
            let can = |column: &usize| at[*column] < self.columns[*column].height();
            let widest = |column: &usize| self.columns[*column].nodes(at[*column]);
            let column = raised.take().filter(can).or_else(|| (0..at.len()).filter(can).max_by_key(widest));
            let Some(column) = column else { return chain };
            at[column] += 1;
            chain.push(at.clone());
        }
    }

    /// Whether a candidate holds; nothing where it cannot be tested and no other one decides.
    fn decide(
        &mut self,
        session: &mut Session<'_>,
        joint: &mut Joint,
        levels: &[usize],
    ) -> Result<Option<bool>, PartyError> {
        let is_testable = self.is_testable(levels);
        for first in 0..levels.len().max(1) {
            if let Some(known) = self.known(levels) {
                return Ok(Some(known));
            }
            let chain = self.chain(levels, first);
            // The least general one that can be tested, and where the chain begins to hold.
            let Some(finest) = chain.iter().position(|own| self.is_testable(own)) else { return Ok(None) };
            let (mut low, mut high) = (finest, chain.len());
            while low < high {
                let middle = low + (high - low) / 2;
                if self.test(session, joint, &chain[middle])? { high = middle } else { low = middle + 1 }
            }
            if is_testable {
                return Ok(Some(low == 0));
            }
        }
        Ok(self.known(levels).filter(|holds| !holds || is_testable))
    }
}

/// All candidates, by loss and then by levels.
fn candidates(columns: &[Levels]) -> Vec<Vec<usize>> {
    let sizes: Vec<usize> = columns.iter().map(|own| own.height() + 1).collect();
    let loss = |levels: &Vec<usize>| -> f64 {
        columns.iter().zip(levels).map(|(own, &level)| own.loss(level)).sum()
    };
    let mut all: Vec<(f64, Vec<usize>)> =
        (0..sizes.iter().product()).map(|at| codes_of(at, &sizes)).map(|own| (loss(&own), own)).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
    all.into_iter().map(|(_, levels)| levels).collect()
}

fn cells(columns: &[Levels], levels: &[usize]) -> Vec<usize> {
    columns.iter().zip(levels).map(|(own, &level)| own.nodes(level)).collect()
}

fn generalized(columns: &[Levels], codes: &[&[u32]], levels: &[usize]) -> Vec<Vec<u32>> {
    let column = |((own, codes), &level): ((&Levels, &&[u32]), &usize)| {
        codes.iter().map(|&code| own.levels[level].0[code as usize] as u32).collect()
    };
    columns.iter().zip(codes).zip(levels).map(column).collect()
}

/// Agrees on levels and opens the table. `sensitive` are this party's codes and the labels of all.
///
/// # Errors
/// When no candidate is k-anonymous, or the session fails.
pub fn anonymous_table(
    session: &mut Session<'_>,
    joint: &mut Joint,
    columns: &[Levels],
    codes: &[&[u32]],
    sensitive: Option<(&[u32], &[String])>,
    k: u64,
) -> Result<AnonymousTable, PartyError> {
    anonymous_table_within(session, joint, columns, codes, sensitive, (k, MOST_CELLS))
}

fn anonymous_table_within(
    session: &mut Session<'_>,
    joint: &mut Joint,
    columns: &[Levels],
    codes: &[&[u32]],
    sensitive: Option<(&[u32], &[String])>,
    (k, most_cells): (u64, usize),
) -> Result<AnonymousTable, PartyError> {
    let all = candidates(columns);
    let mut search =
        Search { columns, codes, k, most_cells, holding: Vec::new(), failing: Vec::new(), tested: 0 };
    let mut passed_over = 0;
    session.stage("agreeing on levels", None);
    for (place, levels) in all.into_iter().enumerate() {
        session.at(place as u64);
        match search.decide(session, joint, &levels)? {
            Some(true) if search.is_testable(&levels) => {}
            Some(false) => continue,
            _ => {
                passed_over += 1;
                continue;
            }
        }
        let (tested, candidates) = (search.tested, place + 1);
        let records = open_records(session, joint, columns, codes, sensitive, &levels)?;
        return Ok(AnonymousTable { levels, records, candidates, tested, passed_over });
    }
    Err(PartyError::Refused("the records of all parties are not k-anonymous at any level".to_owned()))
}

/// The generalized records of all parties.
fn open_records(
    session: &mut Session<'_>,
    joint: &mut Joint,
    columns: &[Levels],
    codes: &[&[u32]],
    sensitive: Option<(&[u32], &[String])>,
    levels: &[usize],
) -> Result<Vec<(Vec<String>, u64)>, PartyError> {
    let own = generalized(columns, codes, levels);
    let mut views: Vec<&[u32]> = own.iter().map(Vec::as_slice).collect();
    let mut sizes = cells(columns, levels);
    let (values, labels): (&[u32], &[String]) = sensitive.unwrap_or((&[], &[]));
    if sensitive.is_some() {
        views.push(values);
        sizes.push(labels.len());
    }
    let opened = joint.sums.sum(session, &cross_count(&views, &sizes))?;
    let label = |cell: usize| {
        let codes = codes_of(cell, &sizes);
        let mut record: Vec<String> = columns
            .iter()
            .zip(levels)
            .zip(&codes)
            .map(|((own, &level), &code)| own.levels[level].1[code].clone())
            .collect();
        record.extend(codes.get(columns.len()).map(|&code| labels[code].clone()));
        record
    };
    let found = opened.iter().enumerate().filter(|(_, count)| **count > 0);
    Ok(found.map(|(cell, count)| (label(cell), *count)).collect())
}

#[cfg(test)]
mod tests {
    use privet_data::hierarchy::parse_hierarchy;
    use proptest::prelude::*;

    use super::*;
    use crate::session::run_local;

    fn columns() -> Vec<Levels> {
        let age = parse_hierarchy(b"20;20-29;*\n25;20-29;*\n31;30-39;*\n38;30-39;*\n").unwrap();
        let sex = parse_hierarchy(b"f;*\nm;*\n").unwrap();
        let texts = |own: &[&str]| own.iter().map(|own| (*own).to_owned()).collect::<Vec<_>>();
        vec![
            Levels::new(&texts(&["20", "25", "31", "38"]), &age).unwrap(),
            Levels::new(&texts(&["f", "m"]), &sex).unwrap(),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5))]
        #[test]
        fn the_levels_are_those_of_one_owner(
            table in proptest::collection::vec((0u32..4, 0u32..2, 0u32..3), 12..40),
            k in 2u64..6,
            parties in 2usize..4,
        ) {
            let columns = columns();
            let diseases: Vec<String> = ["flu", "cold", "cancer"].map(str::to_owned).to_vec();
            let is_anonymous = |levels: &Vec<usize>| {
                let node = |own: &(u32, u32, u32)| (columns[0].levels[levels[0]].0[own.0 as usize], columns[1].levels[levels[1]].0[own.1 as usize]);
                table.iter().all(|own| table.iter().filter(|other| node(other) == node(own)).count() as u64 >= k)
            };
            let expected = candidates(&columns).into_iter().find(is_anonymous).unwrap();
            let results = run_local(parties, |session| {
                let mut joint = Joint::new(session, k)?;
                let own: Vec<&(u32, u32, u32)> = table.iter().skip(session.me()).step_by(parties).collect();
                let ages: Vec<u32> = own.iter().map(|own| own.0).collect();
                let sexes: Vec<u32> = own.iter().map(|own| own.1).collect();
                let ill: Vec<u32> = own.iter().map(|own| own.2).collect();
                anonymous_table(session, &mut joint, &columns, &[&ages, &sexes], Some((&ill, &diseases)), k)
            });
            for result in results {
                let found = result.unwrap();
                prop_assert_eq!(&found.levels, &expected);
                let mut records: Vec<(Vec<String>, u64)> = Vec::new();
                for own in &table {
                    let label = |column: usize, code: u32| {
                        let (node_of, labels) = &columns[column].levels[expected[column]];
                        labels[node_of[code as usize]].clone()
                    };
                    let record = vec![label(0, own.0), label(1, own.1), diseases[own.2 as usize].clone()];
                    match records.iter_mut().find(|other| other.0 == record) {
                        Some(other) => other.1 += 1,
                        None => records.push((record, 1)),
                    }
                }
                records.sort();
                let mut got = found.records.clone();
                got.sort();
                prop_assert_eq!(got, records);
                prop_assert_eq!(found.passed_over, 0);
            }
        }

        /// With few cells per test, a candidate is passed over only where no test decides, and the result says so.
        #[test]
        fn candidates_with_many_cells_are_decided_by_others_or_told(
            table in proptest::collection::vec((0u32..4, 0u32..2), 12..40),
            most_cells in 1usize..9,
        ) {
            let columns = columns();
            let results = run_local(2, |session| {
                let mut joint = Joint::new(session, 3)?;
                let own: Vec<&(u32, u32)> = table.iter().skip(session.me()).step_by(2).collect();
                let ages: Vec<u32> = own.iter().map(|own| own.0).collect();
                let sexes: Vec<u32> = own.iter().map(|own| own.1).collect();
                anonymous_table_within(session, &mut joint, &columns, &[&ages, &sexes], None, (3, most_cells))
            });
            let found = results[0].as_ref().unwrap();
            let holds = |levels: &Vec<usize>| {
                let node = |own: &(u32, u32)| (columns[0].levels[levels[0]].0[own.0 as usize], columns[1].levels[levels[1]].0[own.1 as usize]);
                table.iter().all(|own| table.iter().filter(|other| node(other) == node(own)).count() >= 3)
            };
            let all = candidates(&columns);
            let best = all.iter().position(holds).unwrap();
            prop_assert!(holds(&found.levels));
            prop_assert!(found.passed_over > 0 || all[best] == found.levels);
            let passed = all[..found.candidates].iter().filter(|own| holds(own)).count();
            // All that hold before the chosen one were passed over.
            prop_assert!(passed <= found.passed_over + 1);
        }
    }
}
