//! Who a person is to a mechanism: what neighbouring tables are, and how many records one person may have
//! (survey PM-17, where c is the number of records per person).

use std::collections::HashMap;

use crate::DpError;

/// Which tables a guarantee makes indistinguishable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Neighbours {
    /// One person's records become other records; the number of records is public. The survey's reading (PM-17).
    ReplaceOne,
    /// One person's records are added or taken away; the number of records is private too.
    AddRemove,
}

/// The neighbourhood, and the most records that one person has, in all and by group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct People {
    neighbours: Neighbours,
    contributions: u32,
    groups: u32,
    per_group: u32,
}

impl People {
    /// One record per person.
    pub fn one_record_each(neighbours: Neighbours) -> Self {
        Self { neighbours, contributions: 1, groups: 1, per_group: 1 }
    }

    /// At most `contributions` records per person. The guarantee is for people only if the table keeps to it; see
    /// [`People::keep`].
    pub fn new(neighbours: Neighbours, contributions: u32) -> Result<Self, DpError> {
        if contributions == 0 {
            return Err(DpError::parameter("the number of records per person", "1 or more"));
        }
        Ok(Self { neighbours, contributions, groups: contributions, per_group: contributions })
    }

    /// The same people, each in at most so many groups and with at most so many records in one. The guarantee is for people only
    /// if the table keeps to it; see [`People::keep_in_groups`].
    pub fn in_groups(self, groups: Option<u32>, per_group: Option<u32>) -> Result<Self, DpError> {
        if groups == Some(0) || per_group == Some(0) {
            return Err(DpError::parameter("the number of groups or of records in a group", "1 or more"));
        }
        let within = |bound: Option<u32>, own: u32| bound.map_or(own, |bound| bound.min(self.contributions));
        Ok(Self { groups: within(groups, self.groups), per_group: within(per_group, self.per_group), ..self })
    }

    /// The neighbourhood.
    pub fn neighbours(&self) -> Neighbours {
        self.neighbours
    }

    /// The most records per person.
    pub fn contributions(&self) -> u32 {
        self.contributions
    }

    /// The most groups that one person is in.
    pub fn groups(&self) -> u32 {
        self.groups
    }

    /// The most records of one person in one group.
    pub fn per_group(&self) -> u32 {
        self.per_group
    }

    /// The most records of one person in all groups together.
    pub fn in_all_groups(&self) -> u32 {
        self.groups.saturating_mul(self.per_group).min(self.contributions)
    }

    /// The most that the squares of one person's numbers of records by group sum to: a sum of squares is largest where as many
    /// groups as possible are full.
    pub fn squared_in_groups(&self) -> u128 {
        let (all, most) = (u128::from(self.in_all_groups()), u128::from(self.per_group.max(1)));
        let rest = all % most;
        all / most * most * most + rest * rest
    }

    /// Which records to keep so that no person is in more groups, or in a group with more records, than the limits: those that
    /// come first. `None` is no group, and such records are kept.
    pub fn keep_in_groups(&self, persons: &[u64], groups: &[Option<u32>]) -> Vec<bool> {
        let mut of_person: HashMap<u64, Vec<(u32, u32)>> = HashMap::new();
        let mut keep = |(person, group): (&u64, &Option<u32>)| {
            let Some(group) = group else { return true };
            let own = of_person.entry(*person).or_default();
            match own.iter().position(|own| own.0 == *group) {
                Some(place) => {
                    let records = &mut own[place].1; // why: the position was found above
                    *records = records.saturating_add(1);
                    *records <= self.per_group
                }
                None if own.len() < self.groups as usize => {
                    own.push((*group, 1));
                    true
                }
                None => false,
            }
        };
        persons.iter().zip(groups).map(&mut keep).collect()
    }

    /// Which records to keep so that no person has more than the limit: the first ones of each, given a number per
    /// record that tells whose it is. Under replace-one neighbours leave the records that are not kept in the table,
    /// selected by no question, because their number would otherwise change the public number of records.
    pub fn keep(&self, persons: &[u64]) -> Vec<bool> {
        let mut seen: HashMap<u64, u32> = HashMap::new();
        let mut keep = |person: &u64| {
            let count = seen.entry(*person).or_default();
            *count = count.saturating_add(1);
            *count <= self.contributions
        };
        persons.iter().map(&mut keep).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_records_of_each_person_stay() {
        let people = People::new(Neighbours::AddRemove, 2).unwrap();
        assert_eq!(people.keep(&[7, 7, 8, 7, 8, 8]), [true, true, true, false, true, false]);
        assert!(people.keep(&[]).is_empty());
        assert!(People::new(Neighbours::AddRemove, 0).is_err());
    }

    /// Brute force over all ways in which a person's records may lie in groups.
    #[test]
    fn squares_are_bounded_by_the_limits() {
        for (c, groups, per_group) in [(5, 3, 2), (5, 2, 3), (4, 4, 4), (6, 1, 9), (3, 9, 1), (7, 2, 2)] {
            let people = People::new(Neighbours::AddRemove, c).unwrap();
            let people = people.in_groups(Some(groups), Some(per_group)).unwrap();
            let (mut most, mut squares) = (0, 0);
            for code in 0..8u32.pow(4) {
                let counts: Vec<u32> = (0..4).map(|place| code / 8u32.pow(place) % 8).collect();
                let is_within = counts.iter().sum::<u32>() <= c
                    && counts.iter().all(|&own| own <= per_group)
                    && counts.iter().filter(|&&own| own > 0).count() <= groups as usize;
                if is_within {
                    most = most.max(counts.iter().sum::<u32>());
                    squares = squares.max(counts.iter().map(|own| u128::from(own * own)).sum());
                }
            }
            assert_eq!((people.in_all_groups(), people.squared_in_groups()), (most, squares), "{c} {groups}");
        }
        let all = People::new(Neighbours::AddRemove, 7).unwrap();
        assert_eq!((all.in_all_groups(), all.squared_in_groups()), (7, 49));
        assert!(all.in_groups(Some(0), None).is_err());
    }

    #[test]
    fn the_first_groups_of_each_person_stay() {
        let people = People::new(Neighbours::AddRemove, 9).unwrap().in_groups(Some(2), Some(1)).unwrap();
        let groups = [Some(4), Some(4), Some(5), None, Some(6), Some(6)];
        assert_eq!(
            people.keep_in_groups(&[1, 1, 1, 1, 1, 2], &groups),
            [true, false, true, true, false, true]
        );
    }
}
