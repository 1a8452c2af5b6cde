//! m-invariance (Xiao and Tao, 2007; survey ME-18): groups of people that stay as diverse as they were, whatever was inserted and deleted.
//!
//! Guarantee: in every group all sensitive values are different, there are at least m of them, and somebody who was published before is in a
//! group with exactly the values of the group before. So all releases together leave everybody the same, at least m, values. Where a group
//! lacks a value, a counterfeit stands in, which belongs to nobody; counterfeits are counted.
//!
//! In the paper's order: survivors are divided into buckets by their signature; buckets are balanced with new people and, where these do not
//! suffice, with counterfeits; the other new people are assigned to buckets, those that are left over form buckets of their own; every bucket
//! is split into groups by the order of its people, so that those in a group are close together.

use std::collections::{BTreeMap, BTreeSet};

use crate::file::{Signature, Survivors};

/// Somebody who is to be published.
#[derive(Debug, Clone, PartialEq)]
pub struct Tuple {
    /// The name, as the history knows it.
    pub person: String,
    /// The sensitive value.
    pub value: String,
    /// Where the person stands among all, so that those who are close go together.
    pub place: u64,
}

/// People of one group.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Positions among the tuples.
    pub people: Vec<usize>,
    /// Values of counterfeits.
    pub counterfeits: Vec<String>,
}

/// Everybody in groups.
#[derive(Debug, Clone, PartialEq)]
pub struct Grouped {
    /// The groups.
    pub groups: Vec<Group>,
    /// The signatures, to be remembered.
    pub signatures: Survivors,
    /// New people who wait for a later release, as nobody with other values is there.
    pub waiting: Vec<usize>,
}

/// Why there is no m-invariant release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Impossible {
    /// Somebody who was published before has another value now.
    #[error(
        "{0} people have a sensitive value that their earlier releases rule out; values may not change between releases"
    )]
    Changed(usize),
    /// An earlier release was less diverse.
    #[error("{0} people were published in groups of fewer values than m; m may not grow between releases")]
    Fewer(usize),
    /// The same person twice.
    #[error("{0} people have several records; one record each can be kept invariant")]
    Twice(usize),
    /// Not enough values.
    #[error("the data has {0} sensitive values, fewer than m")]
    Values(usize),
}

/// Forms groups. `before` tells of everybody who was ever published the values of the group.
///
/// # Errors
/// When nothing can be m-invariant.
pub fn m_invariant(tuples: &[Tuple], before: &Survivors, m: usize) -> Result<Grouped, Impossible> {
    check(tuples, before, m)?;
    let mut buckets: BTreeMap<Signature, Bucket> = BTreeMap::new();
    // New people by value, the most distant first, so that the nearest is taken from the end.
    let mut new: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, tuple) in tuples.iter().enumerate() {
        match before.get(&tuple.person) {
            Some(signature) => buckets.entry(signature.clone()).or_default().add(&tuple.value, at),
            None => new.entry(&tuple.value).or_default().push(at),
        }
    }
    for own in new.values_mut() {
        own.sort_by_key(|&at| std::cmp::Reverse(tuples[at].place));
    }
    // Balance: every value of the signature as often as the most frequent one.
    for (signature, bucket) in &mut buckets {
        let most = bucket.most();
        for value in signature {
            while bucket.of(value) < most {
                match new.get_mut(value.as_str()).and_then(Vec::pop) {
                    Some(at) => bucket.add(value, at),
                    None => bucket.counterfeit(value),
                }
            }
        }
    }
    new.retain(|_, own| !own.is_empty());
    // Assign: groups of different values, of as many values as there are left over twice at the end, the most frequent ones first.
    let mut waiting = Vec::new();
    while !new.is_empty() {
        let mut values: Vec<(usize, &str)> = new.iter().map(|(value, own)| (own.len(), *value)).collect();
        values.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        if values.len() < m {
            break;
        }
        let signature: Signature = values[..m].iter().map(|own| own.1.to_owned()).collect();
        let bucket = buckets.entry(signature.clone()).or_default();
        for value in &signature {
            if let Some(at) = new.get_mut(value.as_str()).and_then(Vec::pop) {
                bucket.add(value, at);
            }
        }
        new.retain(|_, own| !own.is_empty());
    }
    // Who is left over has too few other values: into a bucket that takes the value, where others balance it, else the person waits.
    for (value, left) in new {
        for at in left {
            let takes = |(signature, bucket): &(&Signature, &mut Bucket)| {
                signature.contains(value) && bucket.counterfeits_of(value) > 0
            };
            match buckets.iter_mut().find(takes) {
                Some((_, bucket)) => bucket.replace(value, at),
                None => waiting.push(at),
            }
        }
    }
    let mut grouped = Grouped { groups: Vec::new(), signatures: before.clone(), waiting };
    for (signature, bucket) in buckets {
        for group in bucket.split(&signature, tuples) {
            for &at in &group.people {
                grouped.signatures.insert(tuples[at].person.clone(), signature.clone());
            }
            grouped.groups.push(group);
        }
    }
    Ok(grouped)
}

fn check(tuples: &[Tuple], before: &Survivors, m: usize) -> Result<(), Impossible> {
    let known = |tuple: &&Tuple| before.get(&tuple.person).is_some_and(|own| !own.contains(&tuple.value));
    let changed = tuples.iter().filter(known).count();
    let fewer =
        tuples.iter().filter(|tuple| before.get(&tuple.person).is_some_and(|own| own.len() < m)).count();
    let people: BTreeSet<&str> = tuples.iter().map(|tuple| tuple.person.as_str()).collect();
    let values: BTreeSet<&str> = tuples.iter().map(|tuple| tuple.value.as_str()).collect();
    match () {
        () if people.len() < tuples.len() => Err(Impossible::Twice(tuples.len() - people.len())),
        () if changed > 0 => Err(Impossible::Changed(changed)),
        () if fewer > 0 => Err(Impossible::Fewer(fewer)),
        () if before.is_empty() && values.len() < m => Err(Impossible::Values(values.len())),
        () => Ok(()),
    }
}

/// People and counterfeits of one signature, by value.
#[derive(Debug, Default)]
struct Bucket {
    people: BTreeMap<String, Vec<usize>>,
    counterfeits: BTreeMap<String, u64>,
}

impl Bucket {
    fn add(&mut self, value: &str, at: usize) {
        self.people.entry(value.to_owned()).or_default().push(at);
    }

    fn counterfeit(&mut self, value: &str) {
        *self.counterfeits.entry(value.to_owned()).or_default() += 1;
    }

    fn counterfeits_of(&self, value: &str) -> u64 {
        self.counterfeits.get(value).copied().unwrap_or(0)
    }

    /// A person in place of a counterfeit.
    fn replace(&mut self, value: &str, at: usize) {
        if let Some(own) = self.counterfeits.get_mut(value) {
            *own -= 1;
        }
        self.add(value, at);
    }

    fn of(&self, value: &str) -> u64 {
        self.people.get(value).map_or(0, Vec::len) as u64 + self.counterfeits_of(value)
    }

    fn most(&self) -> u64 {
        self.people.values().map(|own| own.len() as u64).max().unwrap_or(0)
    }

    /// Groups with each value once, of people who are close in their order.
    fn split(mut self, signature: &Signature, tuples: &[Tuple]) -> Vec<Group> {
        let groups = signature.iter().map(|value| self.of(value)).max().unwrap_or(0) as usize;
        let mut made = vec![Group { people: Vec::new(), counterfeits: Vec::new() }; groups];
        for value in signature {
            let mut own = self.people.remove(value).unwrap_or_default();
            own.sort_by_key(|&at| (tuples[at].place, at));
            // Counterfeits have no place: the last groups take them.
            for (group, at) in made.iter_mut().zip(own.iter().map(Some).chain(std::iter::repeat(None))) {
                match at {
                    Some(&at) => group.people.push(at),
                    None => group.counterfeits.push(value.clone()),
                }
            }
        }
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tuple(person: usize, value: usize) -> Tuple {
        Tuple { person: format!("p{person}"), value: format!("v{value}"), place: (person * 7 % 13) as u64 }
    }

    /// By the definition (Xiao and Tao, definitions 2 and 3).
    fn holds(tuples: &[Tuple], grouped: &Grouped, before: &Survivors, m: usize) {
        let mut seen = BTreeSet::new();
        for group in &grouped.groups {
            let values: Vec<&String> =
                group.people.iter().map(|&at| &tuples[at].value).chain(&group.counterfeits).collect();
            let signature: Signature = values.iter().map(|own| (*own).clone()).collect();
            assert_eq!(signature.len(), values.len(), "all values of a group are different");
            assert!(signature.len() >= m && !group.people.is_empty());
            for &at in &group.people {
                assert!(seen.insert(at), "everybody is in one group");
                assert_eq!(grouped.signatures[&tuples[at].person], signature);
                if let Some(own) = before.get(&tuples[at].person) {
                    assert_eq!(*own, signature, "the signature of a survivor stays");
                }
            }
        }
        assert_eq!(seen.len() + grouped.waiting.len(), tuples.len());
        assert!(
            grouped.waiting.iter().all(|&at| !before.contains_key(&tuples[at].person)),
            "only new people wait"
        );
    }

    #[test]
    fn a_deleted_value_is_kept_by_a_counterfeit() {
        let first: Vec<Tuple> = (0..4).map(|own| tuple(own, own % 2)).collect();
        let one = m_invariant(&first, &Survivors::new(), 2).unwrap();
        holds(&first, &one, &Survivors::new(), 2);
        assert_eq!(one.groups.len(), 2);
        // Both with value 1 are gone.
        let second: Vec<Tuple> = first.iter().filter(|own| own.value == "v0").cloned().collect();
        let two = m_invariant(&second, &one.signatures, 2).unwrap();
        holds(&second, &two, &one.signatures, 2);
        assert_eq!(two.groups.iter().map(|own| own.counterfeits.len()).sum::<usize>(), 2);
        // Two new people with that value take their place.
        let third: Vec<Tuple> = second.iter().cloned().chain([tuple(8, 1), tuple(9, 1)]).collect();
        let three = m_invariant(&third, &two.signatures, 2).unwrap();
        holds(&third, &three, &two.signatures, 2);
        assert!(three.groups.iter().all(|own| own.counterfeits.is_empty()));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let tuples = vec![tuple(0, 0), tuple(1, 1)];
        let before = m_invariant(&tuples, &Survivors::new(), 2).unwrap().signatures;
        assert_eq!(m_invariant(&[tuple(0, 2), tuple(3, 1)], &before, 2), Err(Impossible::Changed(1)));
        assert_eq!(m_invariant(&tuples, &before, 3), Err(Impossible::Fewer(2)));
        assert_eq!(m_invariant(&[tuple(0, 0), tuple(0, 1)], &before, 2), Err(Impossible::Twice(1)));
        assert_eq!(m_invariant(&[tuple(4, 0)], &Survivors::new(), 2), Err(Impossible::Values(1)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Random insertions and deletions, release after release.
        #[test]
        fn every_release_of_a_series_is_invariant(
            values in prop::collection::vec(0_usize..5, 1..40),
            there in prop::collection::vec(prop::collection::vec(any::<bool>(), 40), 1..5),
            m in 2_usize..4,
        ) {
            let mut before = Survivors::new();
            for present in there {
                let tuples: Vec<Tuple> = values.iter().enumerate().filter(|own| present[own.0]).map(|(own, &value)| tuple(own, value)).collect();
                let Ok(grouped) = m_invariant(&tuples, &before, m) else {
                    prop_assert!(before.is_empty());
                    continue;
                };
                holds(&tuples, &grouped, &before, m);
                before = grouped.signatures;
            }
        }
    }
}
