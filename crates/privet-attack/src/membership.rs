//! Membership (survey AT-31, PM-23): how sure the adversary can be that somebody is in the table at all.
//!
//! The adversary has a public table of people, the table's own people among them. With q of these matching a published
//! record, each is taken to be its person with probability 1/q, and a person is present with the sum of that over the
//! records that match. For classes that do not overlap this is PM-23's estimate, records of the class / people who
//! generalize into it. For overlapping labels it is the expected number of records that would fall to the person if
//! every record drew its person by itself: no less than the probability of getting at least one, and only an estimate of
//! the probability over all one-to-one assignments, which would take a permanent. It is at most 1, and 1 of those without whom
//! the records could not all be given to people (`room.rs`).
//!
//! Which records share a bucket plays no part: buckets publish quasi values as they are.

use serde::{Deserialize, Serialize};

use crate::adversary::of_links;
use crate::link::{Keys, LinkError, Links, People, Released, link};
use crate::room::{Room, Seating};
use rayon::prelude::*;

/// How likely people are to be in the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Presence {
    /// Per tuple of people its probability.
    of_tuple: Vec<f64>,
    links: Links,
    /// Per tuple of people whether the probability is that of all one-to-one assignments.
    exact: Vec<bool>,
    /// Published tuples with more records than the public table has people who match them: proof that the public table
    /// does not hold everybody.
    pub overfull: u64,
    /// Whether the public table is seen not to hold everybody: the records cannot all be given to people of it.
    pub incomplete: bool,
}

impl Presence {
    /// The probability that a person is in the table; 0 for somebody whom nothing matches, and for nobody.
    pub fn of(&self, person: usize) -> f64 {
        self.links.tuple_of_person().get(person).map_or(0.0, |&tuple| self.of_tuple[tuple as usize])
    }

    /// The probability of everybody.
    pub fn everybody(&self) -> Vec<f64> {
        self.links.tuple_of_person().iter().map(|&tuple| self.of_tuple[tuple as usize]).collect()
    }

    /// Of everybody whether the probability is exact: labels that fit them fit nobody who fits others besides, or it is certain.
    /// Where the public table is seen not to hold everybody, nobody's is.
    pub fn exact(&self) -> Vec<bool> {
        let of = |&tuple: &u32| self.exact.get(tuple as usize).copied().unwrap_or(false);
        self.links.tuple_of_person().iter().map(of).collect()
    }

    /// The least and the largest probability; `None` when there is nobody.
    pub fn range(&self) -> Option<(f64, f64)> {
        let of = || self.of_tuple.iter().copied();
        (!self.of_tuple.is_empty()).then(|| (of().fold(1.0, f64::min), of().fold(0.0, f64::max)))
    }

    /// People whose presence is likelier than this, ascending.
    pub fn above(&self, threshold: f64) -> Vec<u32> {
        self.those(|probability| probability > threshold)
    }

    /// People for whom δ-presence fails: likelier than the most, or less likely than the least. An absence that
    /// is certain counts: with `least` above 0 nobody may be known not to be in the table.
    pub fn outside(&self, least: f64, most: f64) -> Vec<u32> {
        self.those(|probability| probability < least || probability > most)
    }

    fn those(&self, exposed: impl Fn(f64) -> bool) -> Vec<u32> {
        let tuples = self.links.tuple_of_person().iter().zip(0u32..);
        tuples
            .filter(|(tuple, _)| exposed(self.of_tuple[**tuple as usize]))
            .map(|(_, person)| person)
            .collect()
    }
}

/// How likely each person of a public table is to be among the released records. Groups do not matter.
///
/// # Errors
/// When columns do not correspond, or there are too many candidates.
pub fn presence(released: &Released<'_>, people: &People<'_>) -> Result<Presence, LinkError> {
    // Records that look the same are one group, whatever the release calls one.
    let mut keys = Keys::new(released.groups.len());
    for labels in &released.labels {
        let most = labels.par_iter().max().copied().unwrap_or(0);
        if labels.len() == released.groups.len() {
            keys.push(labels.par_iter().copied(), u64::from(most) + 1);
        }
    }
    let (alike, first) = keys.finish();
    let links = link(&Released { groups: &alike, ..released.clone() }, people)?;
    let mut matching = vec![0u64; first.len()];
    let mut records = vec![0u64; first.len()];
    alike.iter().for_each(|&group| records[group as usize] += 1);
    let people_per_tuple = links.people_per_tuple();
    for (tuple, &people) in people_per_tuple.iter().enumerate() {
        for candidate in links.of_tuple(tuple as u32) {
            matching[candidate.group as usize] += people;
        }
    }
    let overfull =
        records.iter().zip(&matching).filter(|(records, matching)| records > matching).count() as u64;
    // A published tuple is everybody's own when all who fit it fit nothing else. As many records as people: all are there.
    let mut is_own = vec![true; first.len()];
    for (tuple, &people) in (0..).zip(&people_per_tuple) {
        let fits = links.of_tuple(tuple);
        if fits.len() > 1 && people > 0 {
            fits.iter().for_each(|own| is_own[own.group as usize] = false);
        }
    }
    // Whether the records can all be given to people, and who is in it then in any case; not known where it would take too long.
    let suspects = of_links(&links);
    let incomplete = overfull > 0 || Room::fills(&suspects, &records) == Some(false);
    let seating =
        if incomplete { None } else { Seating::of(&suspects, &records).filter(|own| own.takes_all) };
    let is_certain =
        |tuple: u32| seating.as_ref().is_some_and(|own| own.certain.get(tuple as usize) == Some(&true));
    let is_exact = |tuple: u32| {
        // A table that does not hold everybody leaves the records to people whom nobody has listed.
        let fits = links.of_tuple(tuple);
        !incomplete && (fits.iter().all(|own| is_own[own.group as usize]) || is_certain(tuple))
    };
    let of_tuple = (0..links.tuples() as u32)
        .map(|tuple| {
            let share = |group: u32| records[group as usize] as f64 / matching[group as usize] as f64;
            let sum: f64 = links.of_tuple(tuple).iter().map(|candidate| share(candidate.group)).sum();
            if is_certain(tuple) { 1.0 } else { sum.min(1.0) + 0.0 }
        })
        .collect();
    let exact = (0..links.tuples() as u32).map(is_exact).collect();
    Ok(Presence { of_tuple, exact, links, overfull, incomplete })
}

/// How well a score tells members from others.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Distinguishing {
    /// The probability that a random member has a higher score than a random other person, equal scores counting half:
    /// the area under the curve of true against false positives. 0.5 is guessing.
    pub auc: f64,
    /// The most by which the share of members at or above a score exceeds that of others. 0 is guessing.
    pub advantage: f64,
    /// The score that reaches it: whoever has at least this is called a member.
    pub threshold: f64,
}

/// Scores against the truth. `None` when there is no member, or nobody else, or a score is no number.
pub fn distinguishing(scores: &[f64], members: &[bool]) -> Option<Distinguishing> {
    let mut people: Vec<(f64, bool)> = scores.iter().copied().zip(members.iter().copied()).collect();
    let all = people.iter().filter(|person| person.1).count() as f64;
    let others = people.len() as f64 - all;
    if all == 0.0 || others == 0.0 || people.iter().any(|person| person.0.is_nan()) {
        return None;
    }
    people.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (mut above, mut others_above, mut area) = (0.0, 0.0, 0.0);
    let mut best = Distinguishing { auc: 0.0, advantage: 0.0, threshold: f64::INFINITY };
    for same in people.chunk_by(|a, b| a.0 == b.0) {
        let of_same = same.iter().filter(|person| person.1).count() as f64;
        let others_of_same = same.len() as f64 - of_same;
        area += others_of_same * (above + of_same / 2.0);
        above += of_same;
        others_above += others_of_same;
        let advantage = above / all - others_above / others;
        if advantage > best.advantage {
            best = Distinguishing { advantage, threshold: same[0].0, ..best };
        }
    }
    best.auc = area / (all * others);
    Some(best)
}
