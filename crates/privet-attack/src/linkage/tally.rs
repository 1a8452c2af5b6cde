//! Patterns of more pairs than can be listed (survey AT-24).
//!
//! Estimation needs no more than how often each pattern occurs, and links need the pairs at or above a weight, which are
//! few. So all pairs are compared twice and listed never: once to count ([`tally`]), and, when the weights are known, once
//! more to list those that matter ([`listed`]). Records that look alike, and people who do, are compared once and counted
//! as often as they are, and a record is compared with every value that people have before it is with the people.
//!
//! **Guarantee.** No pair is left out and none is drawn by lot: the counts are those of [`compare`](super::compare) over
//! all pairs, and the list is exactly the part of its list whose patterns are wanted, in the same order, for any number of
//! threads.

use foldhash::{HashMap, HashMapExt};
use rayon::prelude::*;

use super::LinkageError;
use super::patterns::{Coding, Compared, MISSING, MOST_PAIRS, Pairs, spelled};
use crate::link::Keys;

/// More pairs of different looks than this are not compared.
pub const MOST_TALLIED: u64 = 1 << 31;
/// No place.
const NONE: u32 = u32::MAX;

/// Patterns that were counted, and the looks that they were counted by.
#[derive(Debug, Clone)]
pub struct Tally {
    /// The counts, without a list of pairs.
    pub pairs: Pairs,
    sizes: Vec<u32>,
    /// Per number of a pattern its place among those that occur.
    place_of: Vec<u32>,
    left: Looks,
    right: Looks,
}

impl Tally {
    /// How many pairs of different looks there are.
    pub fn looks(&self) -> u64 {
        self.left.first.len() as u64 * self.right.first.len() as u64
    }
}

/// Who looks like whom on one side.
#[derive(Debug, Clone)]
struct Looks {
    /// Per look the first row that has it.
    first: Vec<u32>,
    /// Per look where its rows begin, and at last where they end.
    starts: Vec<usize>,
    /// The rows, look by look, ascending.
    rows: Vec<u32>,
    /// Per row its look.
    of_row: Vec<u32>,
}

impl Looks {
    fn new(columns: &[Compared<'_>], rows: usize, is_left: bool) -> Self {
        let mut keys = Keys::new(rows);
        for column in columns {
            // Codes and numbers alike are numbered as they occur.
            let mut number: HashMap<u64, u32> = HashMap::new();
            let mut dense = |own: u64| {
                let next = number.len() as u32;
                *number.entry(own).or_insert(next)
            };
            let codes: Vec<u32> = match column {
                Compared::Codes { left, right } | Compared::Labels { left, right, .. } => {
                    let side = if is_left { left } else { right };
                    side.iter().map(|&code| dense(u64::from(code))).collect()
                }
                Compared::Numbers { left, right, .. } => {
                    let side = if is_left { left } else { right };
                    side.iter().map(|number| dense(number.to_bits())).collect()
                }
            };
            keys.push(codes.into_par_iter(), number.len() as u64);
        }
        let (of_row, first) = keys.finish();
        let mut starts = vec![0; first.len() + 1];
        of_row.iter().for_each(|&look| starts[look as usize + 1] += 1); // why: a look is below their number
        for look in 0..first.len() {
            starts[look + 1] += starts[look]; // why: one more start than looks
        }
        let mut next = starts.clone();
        let mut sorted = vec![0; rows];
        for (row, &look) in (0u32..).zip(&of_row) {
            let place = &mut next[look as usize]; // why: a look is below their number
            sorted[*place] = row; // why: as many places as rows
            *place += 1;
        }
        Self { first, starts, rows: sorted, of_row }
    }

    fn of(&self, look: usize) -> &[u32] {
        match (self.starts.get(look), self.starts.get(look + 1)) {
            (Some(&from), Some(&to)) => self.rows.get(from..to).unwrap_or_default(),
            _ => &[],
        }
    }
}

/// The values of a column that people have, and what each adds to the number of a pattern.
struct Values {
    /// Per look of people the number of its value.
    of_look: Vec<u32>,
    /// Per number a row that has the value.
    row: Vec<u32>,
    /// Per number what it adds when nothing agrees: nothing where it is missing.
    apart: Vec<u32>,
    /// The number of a code.
    number_of: HashMap<u32, u32>,
    /// What one level adds.
    step: u32,
}

impl Values {
    fn new(column: &Compared<'_>, right: &Looks, step: u32) -> Self {
        let mut own = Self {
            of_look: Vec::with_capacity(right.first.len()),
            row: Vec::new(),
            apart: Vec::new(),
            number_of: HashMap::new(),
            step,
        };
        let mut number_of_bits: HashMap<u64, u32> = HashMap::new();
        for &first in &right.first {
            let row = first as usize;
            let (bits, is_missing) = match column {
                Compared::Codes { right, .. } | Compared::Labels { right, .. } => {
                    (u64::from(right[row]), right[row] == MISSING) // why: a row of the table
                }
                Compared::Numbers { right, .. } => (right[row].to_bits(), right[row].is_nan()), // why: as above
            };
            let next = own.row.len() as u32;
            let number = *number_of_bits.entry(bits).or_insert(next);
            if number == next {
                own.row.push(first);
                own.apart.push(if is_missing { 0 } else { step });
                if let (Compared::Codes { .. } | Compared::Labels { .. }, Ok(code)) =
                    (column, u32::try_from(bits))
                {
                    own.number_of.insert(code, number);
                }
            }
            own.of_look.push(number);
        }
        own
    }

    /// What each value adds to the pattern of a record.
    fn beside(&self, column: &Compared<'_>, record: usize, adds: &mut Vec<u32>) {
        adds.clear();
        let agree = |adds: &mut Vec<u32>, code: u32, level: u32| {
            let slot = self.number_of.get(&code).and_then(|&number| adds.get_mut(number as usize));
            // What is missing agrees with nothing.
            if let Some(slot) = slot.filter(|slot| **slot > 0) {
                *slot = (level + 1) * self.step;
            }
        };
        match column {
            Compared::Codes { left, .. } | Compared::Labels { left, .. }
                if left.get(record) == Some(&MISSING) =>
            {
                adds.resize(self.apart.len(), 0);
            }
            Compared::Codes { left, .. } => {
                adds.extend(&self.apart);
                left.get(record).into_iter().for_each(|&code| agree(adds, code, 1));
            }
            Compared::Labels { left, coverage, .. } => {
                adds.extend(&self.apart);
                let covered = left.get(record).map(|&label| coverage.of(label)).unwrap_or_default();
                let level = if covered.len() == 1 { 2 } else { 1 };
                covered.iter().for_each(|code| agree(adds, code, level));
            }
            Compared::Numbers { .. } => {
                let add = |&row: &u32| {
                    column.level(record, row as usize).map_or(0, |level| (level + 1) * self.step)
                };
                adds.extend(self.row.iter().map(add));
            }
        }
    }
}

/// Compares looks of records with all looks of people.
struct Comparing<'a> {
    columns: &'a [Compared<'a>],
    values: Vec<Values>,
    looks: usize,
}

impl<'a> Comparing<'a> {
    fn new(columns: &'a [Compared<'a>], sizes: &[u32], right: &Looks) -> Self {
        let step = |place: usize| sizes.iter().skip(place + 1).product::<u32>();
        let values = columns.iter().enumerate().map(|(place, own)| Values::new(own, right, step(place)));
        Self { columns, values: values.collect(), looks: right.first.len() }
    }

    /// Per look of people the number of the pattern with a record.
    fn patterns(&self, record: usize, found: &mut Vec<u32>, adds: &mut Vec<u32>) {
        found.clear();
        found.resize(self.looks, 0);
        for (column, values) in self.columns.iter().zip(&self.values) {
            values.beside(column, record, adds);
            for (pattern, &number) in found.iter_mut().zip(&values.of_look) {
                *pattern += adds[number as usize]; // why: numbers are below the number of values
            }
        }
    }
}

/// Counts the patterns of all pairs.
///
/// # Errors
/// When columns do not fit together, or there are too many patterns or pairs of different looks.
pub fn tally(columns: &[Compared<'_>]) -> Result<Tally, LinkageError> {
    let Coding { rows, sizes, patterns } = Coding::new(columns)?;
    let (left, right) = (Looks::new(columns, rows.0, true), Looks::new(columns, rows.1, false));
    let pairs = left.first.len() as u128 * right.first.len() as u128;
    if pairs > u128::from(MOST_TALLIED) {
        return Err(LinkageError::TooManyPairs { pairs, most: MOST_TALLIED as usize });
    }
    let comparing = Comparing::new(columns, &sizes, &right);
    let people: Vec<u64> = (0..right.first.len()).map(|look| right.of(look).len() as u64).collect();
    let nothing = || (vec![0u64; patterns as usize], Vec::new(), Vec::new());
    let count: Vec<u64> = (0..left.first.len())
        .into_par_iter()
        .with_min_len(left.first.len() / 32 + 1)
        .fold(nothing, |(mut count, mut found, mut adds), look| {
            let times = left.of(look).len() as u64;
            comparing.patterns(left.first[look] as usize, &mut found, &mut adds); // why: a look of the range
            for (&code, people) in found.iter().zip(&people) {
                count[code as usize] += times * people; // why: codes are below `patterns`
            }
            (count, found, adds)
        })
        .map(|own| own.0)
        .reduce(
            || vec![0; patterns as usize],
            |mut all, own| {
                all.iter_mut().zip(own).for_each(|(all, own)| *all += own);
                all
            },
        );
    let levels = sizes.iter().map(|size| size - 1).collect();
    let mut found = Pairs { rows, levels, pairs: Vec::new(), patterns: Vec::new(), counts: Vec::new() };
    let mut place_of = vec![NONE; patterns as usize];
    for ((code, count), place) in (0u32..).zip(count).zip(&mut place_of).filter(|own| own.0.1 > 0) {
        *place = found.counts.len() as u32;
        found.counts.push(count);
        found.patterns.push(spelled(&sizes, code));
    }
    Ok(Tally { pairs: found, sizes, place_of, left, right })
}

/// The same counts with a list of the pairs whose patterns are wanted, by the place of the pattern.
///
/// # Errors
/// When more pairs are wanted than can be listed.
pub fn listed(
    columns: &[Compared<'_>],
    tally: &Tally,
    wanted: impl Fn(usize) -> bool,
) -> Result<Pairs, LinkageError> {
    let Tally { sizes, left, right, .. } = tally;
    let all = (0..tally.pairs.counts.len()).filter(|&place| wanted(place));
    let pairs: u128 = all.filter_map(|place| tally.pairs.counts.get(place)).map(|&own| u128::from(own)).sum();
    if pairs > MOST_PAIRS as u128 {
        return Err(LinkageError::TooManyPairs { pairs, most: MOST_PAIRS });
    }
    let keep = |&place: &u32| if place != NONE && wanted(place as usize) { place } else { NONE };
    let place_of: Vec<u32> = tally.place_of.iter().map(keep).collect();
    let comparing = Comparing::new(columns, sizes, right);
    // Per look of records its people, ascending, with their patterns; then record by record.
    let of_look: Vec<Vec<(u32, u32)>> = (0..left.first.len())
        .into_par_iter()
        .map_init(
            || (Vec::new(), Vec::new()),
            |(found, adds), look| {
                comparing.patterns(left.first[look] as usize, found, adds); // why: a look of the range
                let mut people: Vec<(u32, u32)> = Vec::new();
                for (other, &code) in found.iter().enumerate() {
                    let place = place_of[code as usize]; // why: codes are below the number of patterns
                    if place != NONE {
                        people.extend(right.of(other).iter().map(|&person| (person, place)));
                    }
                }
                people.sort_unstable();
                people
            },
        )
        .collect();
    let mut list = Vec::with_capacity(pairs as usize);
    for (record, &look) in (0u32..).zip(&left.of_row) {
        let people = of_look.get(look as usize).map_or(&[][..], Vec::as_slice);
        list.extend(people.iter().map(|&(person, place)| (record, person, place)));
    }
    Ok(Pairs { pairs: list, ..tally.pairs.clone() })
}

#[cfg(test)]
mod tests {
    use privet_data::Coverage;
    use proptest::prelude::*;

    use super::super::compare;
    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(80))]

        /// The counts are those of all pairs, and the list is the wanted part of theirs, in order.
        #[test]
        fn as_all_pairs_compared(
            records in prop::collection::vec((0u32..3, 0u32..4, 0u8..4), 0..12),
            people in prop::collection::vec((0u32..4, 0u32..4, 0u8..4), 0..12),
            wanted in prop::collection::vec(any::<bool>(), 64),
        ) {
            let code = |own: u32| if own == 3 { MISSING } else { own };
            let number = |own: u8| if own == 3 { f64::NAN } else { f64::from(own) };
            let coverage = Coverage::new([vec![0], vec![1, 2], vec![0, 1, 2, 3]], 4);
            let labels: Vec<u32> = records.iter().map(|own| own.0).collect();
            let values: Vec<u32> = people.iter().map(|own| own.0).collect();
            let [left, right] = [&records, &people].map(|all| all.iter().map(|own| code(own.1)).collect::<Vec<_>>());
            let [a, b] = [&records, &people].map(|all| all.iter().map(|own| number(own.2)).collect::<Vec<_>>());
            let columns = [
                Compared::Labels { left: &labels, right: &values, coverage: &coverage },
                Compared::Codes { left: &left, right: &right },
                Compared::Numbers { left: &a, right: &b, within: vec![1.0, 0.0] },
            ];
            let expected = compare(&columns, &[]).unwrap();
            let own = tally(&columns).unwrap();
            prop_assert_eq!(&own.pairs.counts, &expected.counts);
            prop_assert_eq!(&own.pairs.patterns, &expected.patterns);
            prop_assert_eq!(&own.pairs.levels, &expected.levels);
            let is_wanted = |place: usize| wanted.get(place).copied().unwrap_or(false);
            let list = listed(&columns, &own, is_wanted).unwrap();
            let part: Vec<_> = expected.pairs.iter().copied().filter(|pair| is_wanted(pair.2 as usize)).collect();
            prop_assert_eq!(list.pairs, part);
            prop_assert!(own.looks() <= (records.len() * people.len()) as u64);
        }
    }
}
