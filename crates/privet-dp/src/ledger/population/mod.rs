//! Who is in a table, as keyed hashes: what an account is compared by, so that a copy of its table gets no second budget and
//! another table no part of this one.
//!
//! Guarantee: equal records give equal hashes whatever the order of records and columns, the format, the quotation marks and
//! the way numbers are written (`canonical.rs`); a missing value is as if its column were not there. All hashes are
//! HMAC-SHA-256 under a secret that follows from the ledger's key. Without the key nothing can be computed from them, and no
//! two ledgers can be compared; a ledger without a key therefore knows nothing of its tables.
//!
//! A record tells its person from others only where no other record is equal, so records that occur once are compared, and
//! tables without any only as a whole. A table that has each of its records as often as another, or a multiple of that, is seen
//! as that other one: to write everything down twice makes nobody anew. Columns are compared without their names, each with all
//! its values, which finds a copy that has a column more, less or renamed.

mod canonical;
mod sketch;

use std::collections::{HashMap, HashSet};

use hmac::{Hmac, KeyInit, Mac};
use rayon::prelude::*;
use sha2::Sha256;

use canonical::canonical;
pub use sketch::Kinship;
pub(super) use sketch::Sketch;

/// Records that are hashed before the next look at who is waiting.
const CHUNK: usize = 1 << 13;

/// The secret under which one ledger knows people.
#[derive(Clone)]
pub struct PopulationKey(Hmac<Sha256>);

impl std::fmt::Debug for PopulationKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PopulationKey")
    }
}

impl PopulationKey {
    pub(super) fn new(secret: &[u8; 32]) -> Option<Self> {
        Hmac::new_from_slice(secret).ok().map(Self)
    }

    fn hash(&self, parts: &[&[u8]]) -> u128 {
        let mut mac = self.0.clone();
        for part in parts {
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part);
        }
        let bytes = mac.finalize().into_bytes();
        let mut half = [0u8; 16];
        half.iter_mut().zip(bytes).for_each(|(own, byte)| *own = byte);
        u128::from_le_bytes(half)
    }
}

/// A column as a dictionary: per code its text, none for a missing value, and per record its code.
#[derive(Debug)]
pub struct CodedColumn<'a> {
    /// Its name.
    pub name: &'a str,
    /// Per code the text.
    pub texts: Vec<Option<&'a str>>,
    /// Per record the code.
    pub codes: &'a [u32],
}

/// A column, whatever its name: how many different values it has, however they are written, and a hash of all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Column {
    distinct: u32,
    values: u64,
}

/// All records of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Whole {
    records: u64,
    hash: u64,
    /// The hashes of records that occur once, sorted.
    single: Vec<u64>,
    /// Those of most values, which tell most of the people, come first, wherever they stand in the table.
    columns: Vec<Column>,
    /// The `values` of columns whose values all occur equally often, and more than once: a domain and the number of records
    /// make such a column, whoever the people are.
    even: HashSet<u64>,
}

/// Who is in a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Population {
    /// The records; none where only the persons were looked at.
    whole: Option<Whole>,
    /// By the lower-case name of a column that tells persons apart, the hashes of its different values, sorted.
    persons: HashMap<String, Vec<u64>>,
    /// The column that tells persons apart, where the table is said to have one.
    person: Option<String>,
}

impl Population {
    /// Who is in a table with these columns. `person` tells persons apart; `others` are columns by which accounts do.
    pub fn of(
        columns: &[CodedColumn<'_>],
        person: Option<&str>,
        others: &[String],
        key: &PopulationKey,
    ) -> Self {
        let mut cells: Vec<Cells> = columns.par_iter().map(|column| Cells::of(column, key)).collect();
        let records = columns.iter().map(|column| column.codes.len()).max().unwrap_or(0);
        let mut hashes = vec![0u64; records];
        hashes.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, hashes)| {
            for (at, hash) in hashes.iter_mut().enumerate() {
                let row = chunk * CHUNK + at;
                let of = |(column, cells): (&CodedColumn<'_>, &Cells)| {
                    let code = column.codes.get(row).copied().unwrap_or(u32::MAX);
                    cells.in_record.get(code as usize).copied().unwrap_or(0)
                };
                let sum = columns.iter().zip(&cells).map(of).fold(0u128, u128::wrapping_add);
                // Hashed again: sums of the same values would show which records differ by the same change.
                *hash = key.hash(&[b"record", &sum.to_le_bytes()]) as u64;
            }
        });
        hashes.par_sort_unstable();
        let most = cells.iter().map(|own| own.column.distinct).max().unwrap_or(0);
        let times = reduce(&mut hashes, most);
        let records = hashes.len();
        let hash = hashes.iter().fold(0u64, |sum, own| sum.wrapping_add(*own));
        let single = once(&hashes);
        cells.par_iter_mut().for_each(|own| own.reduce(times));
        let mut told_apart: Vec<Column> =
            cells.iter().map(|own| own.column).filter(|column| column.distinct > 1).collect();
        told_apart.sort_unstable_by_key(|column| (std::cmp::Reverse(column.distinct), column.values));
        let even = cells.iter().filter(|own| own.is_even).map(|own| own.column.values).collect();
        let whole = Whole { records: records as u64, hash, single, columns: told_apart, even };
        Self { whole: Some(whole), ..Self::of_persons(columns, person, others, key) }
    }

    /// The same without the records: the persons alone.
    pub fn of_persons(
        columns: &[CodedColumn<'_>],
        person: Option<&str>,
        others: &[String],
        key: &PopulationKey,
    ) -> Self {
        let wanted = |name: &str| {
            person.is_some_and(|own| own == name) || others.iter().any(|own| own.eq_ignore_ascii_case(name))
        };
        let persons = columns.iter().filter(|column| wanted(column.name)).map(|column| {
            let mut hashes: Vec<u64> = (column.texts.par_iter().flatten())
                .map(|text| key.hash(&[b"person", canonical(text).as_bytes()]) as u64)
                .collect();
            hashes.par_sort_unstable();
            hashes.dedup();
            (column.name.to_ascii_lowercase(), hashes)
        });
        let person = person.map(str::to_ascii_lowercase);
        Self { whole: None, persons: persons.collect(), person }
    }

    /// The persons by a column of this name, or by the one that the table is said to have.
    fn persons_by(&self, name: Option<&str>) -> Option<&[u64]> {
        let named = name.and_then(|name| self.persons.get(&name.to_ascii_lowercase()));
        named.or_else(|| self.persons.get(self.person.as_ref()?)).map(Vec::as_slice)
    }
}

/// The hashes of a column's values, by code.
struct Cells {
    /// With the name of the column; 0 for a missing value.
    in_record: Vec<u128>,
    column: Column,
    /// How often each value occurs.
    counts: Vec<(u64, u64)>,
    /// Whether all its values occur equally often, and more than once.
    is_even: bool,
}

impl Cells {
    fn of(column: &CodedColumn<'_>, key: &PopulationKey) -> Self {
        let name = column.name.trim().to_lowercase();
        let mut counts = vec![0u64; column.texts.len()];
        for &code in column.codes {
            if let Some(count) = counts.get_mut(code as usize) {
                *count += 1;
            }
        }
        let in_record = column.texts.par_iter().map(|text| {
            text.map_or(0, |text| key.hash(&[b"cell", name.as_bytes(), canonical(text).as_bytes()]))
        });
        let occurring = column.texts.par_iter().zip(&counts).filter(|(_, count)| **count > 0);
        let mut present: Vec<(u64, u64)> = occurring
            .filter_map(|(text, count)| {
                Some((key.hash(&[b"value", canonical((*text)?).as_bytes()]) as u64, *count))
            })
            .collect();
        // Several codes are one value where it is written in several ways.
        present.par_sort_unstable();
        present.dedup_by(|own, first| {
            let is_same = own.0 == first.0;
            first.1 += if is_same { own.1 } else { 0 };
            is_same
        });
        let distinct = u32::try_from(present.len()).unwrap_or(u32::MAX);
        let mut own = Self {
            in_record: in_record.collect(),
            column: Column { distinct, values: 0 },
            counts: present,
            is_even: false,
        };
        own.reduce(1);
        own
    }

    /// As it is in a table where each record stands so many times less often.
    fn reduce(&mut self, times: u64) {
        self.counts.iter_mut().for_each(|own| own.1 /= times.max(1));
        self.column.values =
            self.counts.iter().fold(0u64, |sum, (hash, count)| sum.wrapping_add(hash.wrapping_mul(*count)));
        let first = self.counts.first().map_or(0, |own| own.1);
        self.is_even = first > 1 && self.counts.iter().all(|own| own.1 == first);
    }
}

/// Fewer different records than this may be each equally often by design, such as in a sample by quotas, unless a column tells
/// them apart; and fewer than the second in any case.
const BY_DESIGN: [usize; 2] = [50, 8];

/// Where all frequencies of sorted records are multiples of a number, leaves each so many times less often, and tells that number. Not
/// where few records may be equally often by design. A column has `most` different values.
fn reduce(sorted: &mut Vec<u64>, most: u32) -> u64 {
    let divisor = |mut a: usize, mut b: usize| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let runs = || sorted.chunk_by(|a, b| a == b).map(<[u64]>::len);
    let times = runs().fold(0, divisor);
    let different = runs().count();
    let [few, fewest] = BY_DESIGN;
    let is_by_design = different < fewest || different < few && 2 * (most as usize) * times < sorted.len();
    if times < 2 || is_by_design {
        return 1;
    }
    *sorted = sorted.iter().step_by(times).copied().collect();
    times as u64
}

/// What occurs once in a sorted list.
fn once(sorted: &[u64]) -> Vec<u64> {
    sorted.chunk_by(|a, b| a == b).filter(|run| run.len() == 1).flatten().copied().collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub fn key(byte: u8) -> PopulationKey {
        PopulationKey::new(&[byte; 32]).unwrap()
    }

    /// A population of records of text cells; an empty cell is a missing value.
    pub fn population(
        names: &[&str],
        rows: &[Vec<String>],
        person: Option<&str>,
        key: &PopulationKey,
    ) -> Population {
        let codes: Vec<u32> = (0..rows.len() as u32).collect();
        let columns: Vec<CodedColumn<'_>> = names
            .iter()
            .enumerate()
            .map(|(at, name)| CodedColumn {
                name,
                texts: rows.iter().map(|row| Some(row[at].as_str()).filter(|own| !own.is_empty())).collect(),
                codes: &codes,
            })
            .collect();
        Population::of(&columns, person, &[], key)
    }

    #[test]
    fn order_and_writing_make_no_difference() {
        let rows: Vec<Vec<String>> =
            (0..50).map(|i| vec![format!("p{i}"), format!("{}", i * 3), String::new()]).collect();
        let one = population(&["id", "cost", "note"], &rows, None, &key(1));
        let mut other: Vec<Vec<String>> =
            rows.iter().map(|row| vec![format!("{}.0", row[1]), format!(" {}", row[0])]).collect();
        other.reverse();
        let other = population(&["Cost", "ID"], &other, None, &key(1));
        assert_eq!(one, other);
        assert_ne!(
            one,
            population(&["id", "cost", "note"], &rows, None, &key(2)),
            "another key, other hashes"
        );
        assert_ne!(one, population(&["id", "cost", "note"], &rows[1..], None, &key(1)));
    }

    /// A value that is written in several ways, each with a code of its own, is one value.
    #[test]
    fn ways_of_writing_a_value_are_not_counted() {
        let of = |texts: &[&'static str], codes: &[u32]| {
            let texts = texts.iter().map(|&text| Some(text)).collect();
            Population::of(&[CodedColumn { name: "a", texts, codes }], None, &[], &key(1))
        };
        let mixed = of(&["1", "1.0", " 2", "2", "9"], &[0, 1, 2, 3, 3]);
        assert_eq!(mixed, of(&["2", "1"], &[1, 1, 0, 0, 0]));
        assert_eq!(mixed.whole.unwrap().columns[0].distinct, 2, "9 does not occur");
        let even = of(&["1", "1.0", "2"], &[0, 1, 2, 2]).whole.unwrap();
        assert!(even.even.contains(&even.columns[0].values), "twice each");
    }

    /// A table in which everybody stands three times is that in which everybody stands once, and half of it is.
    #[test]
    fn writing_everything_down_several_times_makes_no_difference() {
        let rows: Vec<Vec<String>> =
            (0..40).map(|i| vec![format!("p{}", i / 2), format!("{}", i / 2 % 7)]).collect();
        let of = |rows: &[Vec<String>]| population(&["id", "age"], rows, None, &key(1));
        let (once_each, twice): (Vec<Vec<String>>, _) =
            (rows.iter().step_by(2).cloned().collect(), rows.clone());
        let thrice = [rows.as_slice(), &once_each].concat();
        assert_eq!(of(&once_each), of(&twice));
        assert_eq!(of(&once_each), of(&thrice));
        assert_ne!(of(&once_each), of(&rows[1..]), "not all twice");
        let mut eight: Vec<u64> = (0..16).map(|i| i / 2).chain([8, 8, 8, 8]).collect();
        assert_eq!(reduce(&mut eight.clone(), 4), 1, "few, and no column tells them apart");
        assert_eq!((reduce(&mut eight, 5), eight), (2, vec![0, 1, 2, 3, 4, 5, 6, 7, 8, 8]));
        assert_eq!((reduce(&mut vec![1, 1, 2, 2], 2), reduce(&mut Vec::new(), 0)), (1, 1));
    }

    /// Records that are equal tell nobody apart.
    #[test]
    fn equal_records_are_no_single_ones() {
        let rows: Vec<Vec<String>> = (0..40).map(|i| vec![format!("{}", i % 2)]).collect();
        let own = population(&["sex"], &rows, None, &key(1));
        assert!(own.whole.unwrap().single.is_empty());
        assert_eq!(once(&[1, 1, 2, 3, 3, 4]), [2, 4]);
    }
}
