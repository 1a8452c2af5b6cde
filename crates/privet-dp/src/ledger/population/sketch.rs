//! What a ledger keeps of a population: the smallest of its hashes, which are a random sample that two tables with the same
//! people share (bottom-k, Broder 1997).
//!
//! Guarantee: a table of which everything, or a tenth of its persons, or half of its single records is known is recognised,
//! whichever of the two is larger, as long as the smaller one is a hundredth of the other. What is kept of two tables together
//! is what would be kept of both in one.

use super::{Column, Population, Whole};

/// The hashes that are kept of records, and of persons.
const KEPT: usize = 512;
/// The columns that are kept: those of most values.
const COLUMNS: usize = 64;
/// Fewer hashes than this tell nothing.
const LEAST: usize = 8;
/// The different values from which on equal columns tell the people.
const TELLING: u32 = 50;
/// The share of persons in common from which on two tables are about the same people.
const PERSONS: f64 = 0.1;
/// The share of single records: where few columns have few values, some are in common by chance.
const RECORDS: f64 = 0.5;
/// The share below which a table has nobody, or hardly anybody, of those that an account knows.
const STRANGERS: f64 = 0.1;
/// The share of people that an account does not know from which on it learns them.
const NEWS: f64 = 0.1;
/// The form of what is kept.
const FORM: u8 = 1;

/// How two tables were seen to be about the same people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kinship {
    /// All records are the same.
    Copy,
    /// Many persons are the same, by the column that tells them apart.
    Persons,
    /// Many records are the same.
    Records,
    /// Columns are the same, value by value.
    Columns,
}

impl std::fmt::Display for Kinship {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Copy => "all its records are the same",
            Self::Persons => "it has the same people, by the column that tells them apart",
            Self::Records => "half of its records or more are the same",
            Self::Columns => "its columns are the same, value by value",
        })
    }
}

/// The smallest hashes of a set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Smallest {
    /// Sorted.
    kept: Vec<u64>,
    /// Whether that is all of them.
    is_all: bool,
}

impl Smallest {
    fn of(sorted: &[u64]) -> Self {
        Self { kept: sorted.iter().take(KEPT).copied().collect(), is_all: sorted.len() <= KEPT }
    }

    /// Below and at this, what is not kept is not there.
    fn reach(&self) -> u64 {
        if self.is_all { u64::MAX } else { self.kept.last().copied().unwrap_or(0) }
    }

    fn together(&self, sorted: &[u64]) -> Self {
        let reach = self.reach();
        let mut all: Vec<u64> =
            self.kept.iter().chain(sorted.iter().take_while(|own| **own <= reach)).copied().collect();
        all.sort_unstable();
        all.dedup();
        let is_all = self.is_all && all.len() <= KEPT;
        all.truncate(KEPT);
        Self { kept: all, is_all }
    }

    /// The share of what is kept that a sorted list has.
    fn found_in(&self, sorted: &[u64]) -> Option<f64> {
        share(&self.kept, |own| sorted.binary_search(own).is_ok())
    }

    /// The share of a sorted list that is known, as far as can be told.
    fn knows_of(&self, sorted: &[u64]) -> Option<f64> {
        let reach = self.reach();
        let told = sorted.partition_point(|own| *own <= reach);
        share(&sorted[..told], |own| self.kept.binary_search(own).is_ok())
    }

    /// The share of the smaller of both that they have in common.
    fn in_common(&self, sorted: &[u64]) -> Option<f64> {
        larger(self.found_in(sorted), self.knows_of(sorted))
    }

    /// The same of another of which as little is kept.
    fn in_common_with(&self, other: &Self) -> Option<f64> {
        let reach = self.reach().min(other.reach());
        let of = |own: &Self, other: &Self| {
            let told = own.kept.partition_point(|hash| *hash <= reach);
            share(&own.kept[..told], |hash| other.kept.binary_search(hash).is_ok())
        };
        larger(of(self, other), of(other, self))
    }
}

fn larger(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.max(other)),
        (one, other) => one.or(other),
    }
}

fn share(hashes: &[u64], is_in: impl Fn(&u64) -> bool) -> Option<f64> {
    let found = hashes.iter().filter(|own| is_in(own)).count();
    (hashes.len() >= LEAST).then(|| found as f64 / hashes.len() as f64)
}

/// What is kept of a population.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::ledger) struct Sketch {
    records: u64,
    hash: u64,
    single: Smallest,
    columns: Vec<Column>,
    /// None where no column tells persons apart.
    persons: Option<Smallest>,
}

impl Sketch {
    /// What is kept of a population whose persons are told apart by `person`.
    pub fn of(population: &Population, person: Option<&str>) -> Self {
        Self::default().with(population, person)
    }

    /// What is kept of those who are known and of these together. Of the whole table that of the last one.
    pub fn with(&self, population: &Population, person: Option<&str>) -> Self {
        let persons = person.and_then(|name| population.persons_by(Some(name)));
        let persons = match (&self.persons, persons) {
            (Some(known), Some(persons)) => Some(known.together(persons)),
            (None, Some(persons)) => Some(Smallest::of(persons)),
            (known, None) => known.clone(),
        };
        let Some(Whole { records, hash, single, columns, .. }) = &population.whole else {
            return Self { persons, ..self.clone() };
        };
        let single = match self.records {
            0 => Smallest::of(single),
            _ => self.single.together(single),
        };
        let columns = columns.iter().take(COLUMNS).copied().collect();
        Self { records: *records, hash: *hash, single, columns, persons }
    }

    /// Whether persons are known.
    pub fn has_persons(&self) -> bool {
        self.persons.is_some()
    }

    /// Whether a population is about the same people, told apart by `person` in the account.
    pub fn kinship(&self, population: &Population, person: Option<&str>) -> Option<Kinship> {
        if let (Some(known), Some(persons)) = (&self.persons, population.persons_by(person))
            && known.in_common(persons).is_some_and(|share| share >= PERSONS)
        {
            return Some(Kinship::Persons);
        }
        let whole = population.whole.as_ref()?;
        if self.is_copy(whole) {
            return Some(Kinship::Copy);
        }
        if self.single.in_common(&whole.single).is_some_and(|share| share >= RECORDS) {
            return Some(Kinship::Records);
        }
        self.has_columns_of(whole).then_some(Kinship::Columns)
    }

    /// Whether two accounts are about the same people.
    pub fn is_kin(&self, other: &Self) -> bool {
        let share = |one: &Smallest, other: &Smallest| one.in_common_with(other);
        let persons =
            self.persons.as_ref().zip(other.persons.as_ref()).and_then(|(one, other)| share(one, other));
        persons.is_some_and(|own| own >= PERSONS)
            || share(&self.single, &other.single).is_some_and(|own| own >= RECORDS)
            || self.records > 0 && (self.records, self.hash) == (other.records, other.hash)
    }

    /// Whether a population has hardly anybody of those who are known; false where that cannot be told.
    pub fn is_of_strangers(&self, population: &Population, person: Option<&str>) -> bool {
        let persons = self.persons.as_ref().zip(population.persons_by(person));
        if let Some(share) = persons.and_then(|(known, persons)| known.in_common(persons)) {
            return share < STRANGERS;
        }
        let Some(whole) = &population.whole else { return false };
        let records = self.single.in_common(&whole.single);
        records.is_some_and(|share| share < STRANGERS) && !self.is_copy(whole) && !self.has_columns_of(whole)
    }

    /// Whether so many are not known that they should be.
    pub fn must_learn(&self, population: &Population, person: Option<&str>) -> bool {
        let is_new =
            |known: &Smallest, all: &[u64]| known.knows_of(all).is_some_and(|share| 1.0 - share > NEWS);
        let persons = match (&self.persons, person.and_then(|name| population.persons_by(Some(name)))) {
            (Some(known), Some(persons)) => is_new(known, persons),
            (None, Some(_)) => true,
            _ => false,
        };
        let Some(whole) = &population.whole else { return persons };
        persons || self.records == 0 && whole.records > 0 || is_new(&self.single, &whole.single)
    }

    fn is_copy(&self, whole: &Whole) -> bool {
        whole.records > 0 && (self.records, self.hash) == (whole.records, whole.hash)
    }

    /// Whether half of the columns are those of a table, and one of them tells people.
    ///
    /// One whose values all occur equally often, such as an age in a sample by quotas, is the same for other people too. It
    /// tells nothing where each has a column of more values that the other has not, as no copy with a column more or less.
    fn has_columns_of(&self, whole: &Whole) -> bool {
        let (shared, own): (Vec<&Column>, Vec<&Column>) =
            self.columns.iter().partition(|own| whole.columns.contains(own));
        let fewer = self.columns.len().min(whole.columns.len());
        let ours = own.iter().map(|column| column.distinct).max();
        let theirs = whole.columns.iter().filter(|column| !self.columns.contains(column));
        let theirs = theirs.map(|column| column.distinct).max();
        let differ = ours.min(theirs).unwrap_or(0);
        let tells = |column: &Column| {
            column.distinct >= TELLING && (!whole.even.contains(&column.values) || column.distinct >= differ)
        };
        self.records == whole.records
            && 2 * shared.len() >= fewer
            && shared.iter().any(|column| tells(column))
    }

    /// As bytes whose number tells nothing but whether there are persons.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![FORM, u8::from(self.persons.is_some())];
        bytes.extend(self.records.to_le_bytes());
        bytes.extend(self.hash.to_le_bytes());
        let smallest = |bytes: &mut Vec<u8>, own: &Smallest| {
            bytes.push(u8::from(own.is_all));
            bytes.extend((own.kept.len() as u16).to_le_bytes());
            (0..KEPT).for_each(|at| bytes.extend(own.kept.get(at).unwrap_or(&0).to_le_bytes()));
        };
        smallest(&mut bytes, &self.single);
        bytes.push(self.columns.len().min(COLUMNS) as u8);
        for at in 0..COLUMNS {
            let column = self.columns.get(at).copied().unwrap_or(Column { distinct: 0, values: 0 });
            bytes.extend(column.distinct.to_le_bytes());
            bytes.extend(column.values.to_le_bytes());
        }
        if let Some(persons) = &self.persons {
            smallest(&mut bytes, persons);
        }
        bytes
    }

    /// From such bytes; none when they are not.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let mut rest = Bytes(bytes);
        if rest.next::<1>()? != [FORM] {
            return None;
        }
        let has_persons = rest.next::<1>()? == [1];
        let (records, hash) = (rest.number()?, rest.number()?);
        let single = rest.smallest()?;
        let count = usize::from(rest.next::<1>()?[0]);
        let mut columns = Vec::new();
        for at in 0..COLUMNS {
            let column = Column { distinct: u32::from_le_bytes(rest.next()?), values: rest.number()? };
            if at < count {
                columns.push(column);
            }
        }
        let persons = if has_persons { Some(rest.smallest()?) } else { None };
        rest.0.is_empty().then_some(Self { records, hash, single, columns, persons })
    }
}

/// What is still to be read.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn next<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*first)
    }

    fn number(&mut self) -> Option<u64> {
        self.next().map(u64::from_le_bytes)
    }

    fn smallest(&mut self) -> Option<Smallest> {
        let is_all = self.next::<1>()? == [1];
        let count = usize::from(u16::from_le_bytes(self.next()?));
        let all = (0..KEPT).map(|_| self.number()).collect::<Option<Vec<u64>>>()?;
        Some(Smallest { kept: all.get(..count)?.to_vec(), is_all })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{key, population};
    use super::*;
    use proptest::prelude::*;

    /// People with an id, an age of few values and a cost of many.
    fn people(range: std::ops::Range<u32>) -> Vec<Vec<String>> {
        let cost = |i: u32| u64::from(i) * 2_654_435_761 % 99_991;
        range.map(|i| vec![format!("p{i}"), format!("{}", 20 + i % 60), format!("{}", cost(i))]).collect()
    }

    const NAMES: [&str; 3] = ["id", "age", "cost"];

    fn table(range: std::ops::Range<u32>, person: Option<&str>) -> Population {
        population(&NAMES, &people(range), person, &key(1))
    }

    #[test]
    fn copies_parts_and_growth_are_kin_and_strangers_are_not() {
        for person in [None, Some("id")] {
            let known = Sketch::of(&table(0..3000, person), person);
            let kin = |range| known.kinship(&table(range, person), person);
            let whole = kin(0..3000).unwrap();
            assert_eq!(whole, if person.is_some() { Kinship::Persons } else { Kinship::Copy });
            for range in [0..3001, 0..2999, 1..3000, 0..1500, 0..60_000, 1000..1100, 2900..3100] {
                assert!(kin(range.clone()).is_some(), "{range:?} {person:?}");
                assert!(!known.is_of_strangers(&table(range, person), person));
            }
            for range in [3000..6000, 3000..3100, 10_000..90_000] {
                assert_eq!(kin(range.clone()), None, "{range:?} {person:?}");
                assert!(known.is_of_strangers(&table(range, person), person));
            }
        }
        // A fifth of the persons is much, a fifth of the records may be chance.
        let known = Sketch::of(&table(0..3000, Some("id")), Some("id"));
        assert_eq!(known.kinship(&table(2400..5400, Some("id")), Some("id")), Some(Kinship::Persons));
        let known = Sketch::of(&table(0..3000, None), None);
        assert_eq!(known.kinship(&table(2400..5400, None), None), None);
    }

    #[test]
    fn a_column_more_less_or_renamed_hides_no_copy() {
        let known = Sketch::of(&table(0..500, None), None);
        let rows = people(0..500);
        let of = |names: &[&str], keep: &dyn Fn(&Vec<String>) -> Vec<String>| {
            let mut rows: Vec<Vec<String>> = rows.iter().map(keep).collect();
            rows.rotate_left(77);
            known.kinship(&population(names, &rows, None, &key(1)), None)
        };
        assert_eq!(of(&["id", "cost"], &|row| vec![row[0].clone(), row[2].clone()]), Some(Kinship::Columns));
        assert_eq!(of(&["a", "b", "c"], &|row| row.clone()), Some(Kinship::Columns));
        let more = |row: &Vec<String>| [row.clone(), vec![format!("{}x", row[1])]].concat();
        assert_eq!(of(&["id", "age", "cost", "more"], &more), Some(Kinship::Columns));
    }

    /// Of many columns those are kept that tell people, wherever they stand.
    #[test]
    fn many_columns_of_few_values_hide_no_copy() {
        let flags = COLUMNS as u32 + 6;
        let names: Vec<String> = (0..=flags).map(|at| format!("c{at}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let flag = |i: u32, at: u32| format!("{}", i % (at + 2) / 2 % 2);
        let rows: Vec<Vec<String>> =
            (0..80).map(|i| (0..flags).map(|at| flag(i, at)).chain([format!("p{i}")]).collect()).collect();
        let known = Sketch::of(&population(&names, &rows, None, &key(1)), None);
        let more: Vec<Vec<String>> =
            rows.iter().map(|row| [row.clone(), vec![format!("x{}", row[0])]].concat()).collect();
        let names = [&names[..], &["more"]].concat();
        assert_eq!(known.kinship(&population(&names, &more, None, &key(1)), None), Some(Kinship::Columns));
    }

    /// Tables of the same few columns with few values have records in common by chance.
    #[test]
    fn tables_that_look_alike_are_not_the_same_people() {
        let of = |seed: u32| {
            let rows: Vec<Vec<String>> = (0..4000u32)
                .map(|i| {
                    let mix =
                        (i + 1).wrapping_mul(2_654_435_761).wrapping_add(seed).wrapping_mul(0x9E37_79B1) >> 7;
                    vec![format!("{}", mix % 2), format!("{}", mix / 2 % 40)]
                })
                .collect();
            population(&["sex", "age"], &rows, None, &key(1))
        };
        let known = Sketch::of(&of(1), None);
        assert_eq!((known.kinship(&of(1), None), known.kinship(&of(9), None)), (Some(Kinship::Copy), None));
        assert!(!known.is_of_strangers(&of(9), None), "that cannot be told");
    }

    /// By design as many of every age: others are that too, and a copy is told by what else it has.
    #[test]
    fn columns_that_are_even_by_design_tell_nobody_where_others_differ() {
        let column = |distinct, values| Column { distinct, values };
        let whole = |columns: &[Column], even: &[u64]| Whole {
            records: 600,
            hash: columns.iter().map(|own| own.values).sum(),
            single: Vec::new(),
            columns: columns.to_vec(),
            even: even.iter().copied().collect(),
        };
        let (sex, age) = (column(2, 1), column(60, 2));
        let known = [column(600, 3), sex, age, column(590, 4)];
        let known = Sketch { records: 600, hash: 1, columns: known.to_vec(), ..Sketch::default() };
        let kin = |columns: &[Column], even: &[u64]| known.has_columns_of(&whole(columns, even));
        let others = [column(600, 5), sex, age, column(580, 6)];
        assert!(!kin(&others, &[2]));
        assert!(kin(&others, &[]), "no design has the same ages of other people");
        assert!(kin(&[sex, age], &[2]), "columns less");
        assert!(kin(&[sex, age, column(20, 5)], &[2]), "what differs tells less");
        assert!(kin(&[column(600, 3), sex, age, column(580, 6)], &[2]), "another column tells");
    }

    #[test]
    fn growth_is_learnt_and_small_changes_are_not() {
        for person in [None, Some("id")] {
            let known = Sketch::of(&table(0..3000, person), person);
            assert!(!known.must_learn(&table(0..3000, person), person));
            assert!(!known.must_learn(&table(0..3100, person), person));
            assert!(known.must_learn(&table(0..4000, person), person));
            // Month after month another tenth: the account knows all of them in the end.
            let mut known = known;
            for month in 1..40u32 {
                let own = table(300 * month..300 * month + 3000, person);
                assert!(!known.is_of_strangers(&own, person), "{month}");
                if known.must_learn(&own, person) {
                    known = known.with(&own, person);
                }
            }
            assert!(known.kinship(&table(0..3000, person), person).is_some());
            assert!(known.kinship(&table(9000..12_000, person), person).is_some());
            assert!(known.kinship(&table(50_000..53_000, person), person).is_none());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        /// What is kept of two tables is what would be kept of both in one, and comes back from its bytes.
        #[test]
        fn two_together_are_as_one(first in 0u32..1500, second in 0u32..1500, from in 0u32..2000) {
            let (one, other) = (table(0..first, Some("id")), table(from..from + second, Some("id")));
            let known = Sketch::of(&one, Some("id")).with(&other, Some("id"));
            let mut ids: Vec<u32> = (0..first).chain(from..from + second).collect();
            ids.sort_unstable();
            ids.dedup();
            let rows: Vec<Vec<String>> = ids.iter().flat_map(|&i| people(i..i + 1)).collect();
            let both = Sketch::of(&population(&NAMES, &rows, Some("id"), &key(1)), Some("id"));
            prop_assert_eq!(&known.persons, &both.persons);
            if first > 0 {
                prop_assert_eq!(&known.single, &both.single);
            }
            let bytes = known.bytes();
            prop_assert_eq!(Sketch::parse(&bytes), Some(known));
            prop_assert_eq!(Sketch::parse(&bytes[1..]), None);
            prop_assert_eq!(bytes.len(), Sketch::of(&one, Some("id")).bytes().len());
        }
    }
}
