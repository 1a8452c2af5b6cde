//! A k-anonymous table over horizontal parts: the levels of full-domain generalization that all records need together, and then the records at
//! these levels, without anybody's raw values.
//!
//! The lattice of levels is walked from the least loss upwards, the same for all parties. At each candidate every party counts its records per
//! cell of generalized values, and one bit is opened: whether some cell holds someone, but fewer than k people. The first candidate without
//! such a cell is chosen, so the result is the one that an owner of all records would choose.
//!
//! # What is revealed
//! Of candidates before the chosen one: that they are not k-anonymous. At the chosen one: the counts of cells, each at least k or 0, by
//! sensitive value. That is the published table.

use privet_data::Hierarchy;

use super::joint::{Joint, codes_of, cross_count};
use crate::error::PartyError;
use crate::protocol::compare::{Width, any_small};
use crate::session::Session;

/// The most cells of a candidate; candidates with more are passed over.
const MOST_CELLS: usize = 1 << 18;

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
    /// Candidates that were looked at.
    pub candidates: usize,
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
    let all = candidates(columns);
    session.stage("agreeing on levels", Some(all.len() as u64));
    for (place, levels) in all.into_iter().enumerate() {
        session.at(place as u64);
        let sizes = cells(columns, &levels);
        let count = sizes.iter().try_fold(1usize, |all, &own| all.checked_mul(own));
        if count.is_none_or(|count| count > MOST_CELLS) {
            continue;
        }
        let own = generalized(columns, codes, &levels);
        let views: Vec<&[u32]> = own.iter().map(Vec::as_slice).collect();
        let counts = cross_count(&views, &sizes);
        let transfers = joint.transfers(session)?;
        if k > 1 && any_small(session, transfers, &counts, k, Width::Bits32)? {
            continue;
        }
        let (values, labels): (&[u32], &[String]) = sensitive.unwrap_or((&[], &[]));
        let mut views = views;
        let mut sizes = sizes;
        if sensitive.is_some() {
            views.push(values);
            sizes.push(labels.len());
        }
        let opened = joint.sums.sum(session, &cross_count(&views, &sizes))?;
        let label = |cell: usize| {
            let codes = codes_of(cell, &sizes);
            let mut record: Vec<String> = columns
                .iter()
                .zip(&levels)
                .zip(&codes)
                .map(|((own, &level), &code)| own.levels[level].1[code].clone())
                .collect();
            record.extend(codes.get(columns.len()).map(|&code| labels[code].clone()));
            record
        };
        let records: Vec<(Vec<String>, u64)> = opened
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0)
            .map(|(cell, count)| (label(cell), *count))
            .collect();
        return Ok(AnonymousTable { levels, records, candidates: place + 1 });
    }
    Err(PartyError::Refused("the records of all parties are not k-anonymous at any level".to_owned()))
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
                prop_assert_eq!(found.records.iter().map(|own| own.1).sum::<u64>() as usize, table.len());
            }
        }
    }
}
