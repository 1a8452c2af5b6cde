//! How well linking did: sizes of candidate sets, unique re-identifications, and, for the owner who knows whose record is
//! whose, how many of these are right.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Links, People, Released, matches};
use crate::Rate;

/// How well linking did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkScore {
    /// People with at least one candidate record, of all.
    pub linked: Rate,
    /// People with exactly one candidate record, of all: the adversary believes to know their record.
    pub unique: Rate,
    /// People all of whose candidate records are in one group, of all: their class or bucket is known.
    pub one_group: Rate,
    /// How many people have so many candidate records, ascending.
    pub sizes: Vec<(u64, u64)>,
    /// What the owner knows beyond that.
    pub truth: Option<LinkTruth>,
}

/// What only the owner can say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkTruth {
    /// Unique links that are right, of all unique links. The others are people who are not in the table, or whose
    /// published record is not true of them.
    pub right: Rate,
    /// People whose own record is among their candidates, of those in the table.
    pub covered: Rate,
    /// How many people in the table the adversary is expected to get right by choosing one of the candidates of each at
    /// random.
    pub expected_right: f64,
}

/// Scores links; `truth` has the record of each person, `None` for those who are not in the table. People beyond its end
/// are taken not to be in the table.
pub fn score(
    links: &Links,
    released: &Released<'_>,
    people: &People<'_>,
    truth: Option<&[Option<u32>]>,
) -> LinkScore {
    let all = links.people() as u64;
    let records: Vec<u64> = (0..links.tuples() as u32).map(|tuple| links.records(tuple)).collect();
    let mut sizes: BTreeMap<u64, u64> = BTreeMap::new();
    let mut one_group = 0;
    for (tuple, people) in links.people_per_tuple().into_iter().enumerate() {
        if people > 0 {
            *sizes.entry(records[tuple]).or_default() += people;
            one_group += if links.of_tuple(tuple as u32).len() == 1 { people } else { 0 };
        }
    }
    let unique = sizes.get(&1).copied().unwrap_or(0);
    let truth = truth.map(|truth| {
        let (mut right, mut covered, mut present, mut expected) = (0, 0, 0, 0.0);
        for (person, &tuple) in links.tuple_of_person().iter().enumerate() {
            let Some(&Some(record)) = truth.get(person) else { continue };
            present += 1;
            // A unique candidate is the person's own record exactly when that record is a candidate.
            if matches(released, record as usize, people, person) {
                covered += 1;
                let candidates = records[tuple as usize];
                right += u64::from(candidates == 1);
                expected += 1.0 / candidates.max(1) as f64;
            }
        }
        LinkTruth {
            right: Rate::new(right, unique),
            covered: Rate::new(covered, present),
            expected_right: expected,
        }
    });
    LinkScore {
        linked: Rate::new(all - sizes.get(&0).copied().unwrap_or(0), all),
        unique: Rate::new(unique, all),
        one_group: Rate::new(one_group, all),
        sizes: sizes.into_iter().collect(),
        truth,
    }
}
