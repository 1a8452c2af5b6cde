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

/// The neighbourhood, and the most records that one person has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct People {
    neighbours: Neighbours,
    contributions: u32,
}

impl People {
    /// One record per person.
    pub fn one_record_each(neighbours: Neighbours) -> Self {
        Self { neighbours, contributions: 1 }
    }

    /// At most `contributions` records per person. The guarantee is for people only if the table keeps to it; see
    /// [`People::keep`].
    pub fn new(neighbours: Neighbours, contributions: u32) -> Result<Self, DpError> {
        if contributions == 0 {
            return Err(DpError::parameter("the number of records per person", "1 or more"));
        }
        Ok(Self { neighbours, contributions })
    }

    /// The neighbourhood.
    pub fn neighbours(&self) -> Neighbours {
        self.neighbours
    }

    /// The most records per person.
    pub fn contributions(&self) -> u32 {
        self.contributions
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
}
