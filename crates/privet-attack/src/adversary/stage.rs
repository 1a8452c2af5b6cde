//! The groups of a release as buckets of possible worlds (survey PM-11).
//!
//! Of the people only those who are spoken of are themselves; the others of a group are alike, and one of them stands for
//! all, by a number beyond all people.

use foldhash::{HashMap, HashMapExt};

use crate::finding::AttackError;
use crate::target::Target;
use crate::worlds::{Bucket, Buckets};

/// Groups as buckets.
pub(super) struct Staged {
    pub buckets: Buckets,
    /// Per group that has people who are not spoken of: the number that stands for them, and how many they are.
    pub others: HashMap<u32, (u32, u64)>,
}

/// Puts people into their groups. Only the given groups are staged, each once.
pub(super) fn stage(
    target: &Target<'_>,
    placed: &[(u32, u32)],
    groups: impl Iterator<Item = u32>,
) -> Result<Staged, AttackError> {
    stage_with(target, placed, groups, |_| 0)
}

/// The same where of those who may stand in a group so many are not in the data: that is a value of theirs, behind all values of the
/// column.
pub(super) fn stage_with(
    target: &Target<'_>,
    placed: &[(u32, u32)],
    groups: impl Iterator<Item = u32>,
    absent: impl Fn(u32) -> u64,
) -> Result<Staged, AttackError> {
    let column = target
        .column()
        .ok_or_else(|| AttackError::Needs("the release has no sensitive column".to_owned()))?;
    let mut named: HashMap<u32, Vec<u32>> = HashMap::new();
    for &(person, group) in placed {
        named.entry(group).or_default().push(person);
    }
    let mut next = target.people.people() as u32;
    let mut others = HashMap::new();
    let mut list = Vec::new();
    for group in groups {
        let absent = absent(group);
        let size = target.release.groups.get(group as usize).copied().unwrap_or(0) + absent;
        let mut people = named.remove(&group).unwrap_or_default();
        if people.len() as u64 > size {
            return Err(AttackError::Contradiction(
                "the knowledge is about more people of a group than it has records".to_owned(),
            ));
        }
        let rest = size as u32 - people.len() as u32;
        if rest > 0 {
            others.insert(group, (next, u64::from(rest)));
        }
        people.extend(next..next + rest);
        next += rest;
        let values = column.histograms.of(group).iter().copied();
        let values = values.chain([(column.domain.len() as u32, absent)]);
        let values = values.flat_map(|(value, count)| std::iter::repeat_n(value, count as usize)).collect();
        list.push(Bucket { people, values });
    }
    let buckets = Buckets::new(list, column.domain.len() as u32 + 1)?;
    Ok(Staged { buckets, others })
}
