//! Who is alike: people (or households) with the same rows, as far as others know them.
//!
//! The signature of a person is, per table, the multiset of the tuples of quasi values in the person's rows; that of a household the
//! multiset of its members' signatures. Signatures are compared as wholes, so that no two different ones are taken for one.

use std::hash::Hash;

use foldhash::HashMap;

/// Numbers things by when they are first seen.
#[derive(Debug)]
pub struct Numbering<T> {
    number: HashMap<T, u32>,
}

impl<T> Default for Numbering<T> {
    fn default() -> Self {
        Self { number: HashMap::default() }
    }
}

impl<T: Hash + Eq> Numbering<T> {
    /// The number of a thing.
    pub fn of(&mut self, thing: T) -> u32 {
        let next = self.number.len() as u32;
        *self.number.entry(thing).or_insert(next)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.number.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.number.is_empty()
    }
}

/// Per person the class. `tables` holds per table, for each row that counts, the person and the number of its tuple; `household_of` the
/// household of each person, when whole households are alike.
pub fn classes(
    persons: usize,
    tables: &[Vec<(u32, u32)>],
    household_of: Option<&[u32]>,
) -> (Vec<u32>, usize) {
    let mut rows: Vec<Vec<u64>> = vec![Vec::new(); persons];
    for (table, own) in (0_u64..).zip(tables) {
        for &(person, tuple) in own {
            rows[person as usize].push(table << 32 | u64::from(tuple));
        }
    }
    let mut numbers = Numbering::default();
    let mut of = |mut own: Vec<u64>| {
        own.sort_unstable();
        numbers.of(own)
    };
    let class_of: Vec<u32> = rows.into_iter().map(&mut of).collect();
    let Some(household_of) = household_of else { return (class_of, numbers.len()) };
    let households = household_of.iter().max().map_or(0, |&most| most as usize + 1);
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); households];
    for (&household, &class) in household_of.iter().zip(&class_of) {
        members[household as usize].push(class);
    }
    let mut of_households = Numbering::default();
    let number: Vec<u32> = members
        .into_iter()
        .map(|mut own| {
            own.sort_unstable();
            of_households.of(own)
        })
        .collect();
    // Who knows the household and the member looks among members who are alike, of households that are alike.
    let mut both = Numbering::default();
    let class_of =
        household_of.iter().zip(&class_of).map(|(&own, &class)| both.of((number[own as usize], class)));
    (class_of.collect(), both.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn people_are_alike_in_all_tables_or_not_at_all() {
        // Two tables; 0 and 1 have the same rows in another order, 2 has one row more, 3 has none.
        let tables =
            vec![vec![(0, 5), (1, 5), (2, 5)], vec![(0, 1), (0, 2), (1, 2), (1, 1), (2, 1), (2, 2), (2, 2)]];
        let (class_of, classes) = classes(4, &tables, None);
        assert_eq!((class_of, classes), (vec![0, 0, 1, 2], 3));
    }

    #[test]
    fn households_are_alike_when_their_members_are() {
        // Persons 0 and 1 live together, 2 and 3 as well, 4 alone; all look the same.
        let rows = vec![(0..5).map(|person| (person, person % 2)).collect()];
        let (class_of, classes) = classes(5, &rows, Some(&[0, 0, 1, 1, 2]));
        assert_eq!((class_of, classes), (vec![0, 1, 0, 1, 2], 3));
    }

    proptest! {
        /// By the definition: two people are alike when their sorted rows are equal in every table.
        #[test]
        fn classes_are_those_of_the_definition(rows in prop::collection::vec((0_u32..6, 0_u32..3, 0_usize..2), 0..30)) {
            let mut tables = vec![Vec::new(), Vec::new()];
            rows.iter().for_each(|&(person, tuple, table)| tables[table].push((person, tuple)));
            let (class_of, _) = classes(6, &tables, None);
            let of = |person: u32, table: usize| {
                let mut own: Vec<u32> = tables[table].iter().filter(|row| row.0 == person).map(|row| row.1).collect();
                own.sort_unstable();
                own
            };
            for (a, b) in (0..6).flat_map(|a| (0..6).map(move |b| (a, b))) {
                let alike = (0..2).all(|table| of(a, table) == of(b, table));
                prop_assert_eq!(alike, class_of[a as usize] == class_of[b as usize]);
            }
        }
    }
}
