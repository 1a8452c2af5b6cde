//! The classes of one candidate, kept so that coarser candidates can be formed from them (roll-up, papers T-AL5).
//!
//! A snapshot is a list of distinct tuples with their counts and, when a criterion asks for it, the
//! sensitive values under each. The base snapshot is the table reduced to its distinct tuples; no
//! algorithm looks at records after it.

use std::cmp::Ordering;
use std::ops::Range;

use rayon::prelude::*;

use super::columns::QuasiColumn;
use super::key::{Key, Layout};
use super::narrow::Narrow;

/// Distinct tuples at one node of the lattice.
#[derive(Debug, Clone)]
pub struct Snapshot<const W: usize> {
    /// The level of each column.
    pub levels: Vec<usize>,
    /// Whether tuples that differ in the first column alone stand together, as they do in the base snapshot.
    pub sorted: bool,
    /// Where each column lies in a key.
    pub layout: Layout,
    /// The distinct tuples.
    pub keys: Vec<Key<W>>,
    /// Per tuple its records.
    pub rows: Narrow,
    /// Per tuple the people of the population table; empty without one.
    pub population: Vec<u32>,
    /// The sensitive values under each tuple; empty when no criterion looks at them.
    pub sensitive: Sensitive,
}

/// Per tuple a list of (sensitive value, count): list `i` is `starts[i]..starts[i + 1]`.
#[derive(Debug, Clone, Default)]
pub struct Sensitive {
    /// Where each list begins; one more than there are tuples.
    pub starts: Vec<u32>,
    /// The values: numbers of combinations of the columns that criteria look at.
    pub values: Narrow,
    /// Their counts.
    pub counts: Narrow,
}

impl Sensitive {
    /// Whether nothing is recorded.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// The positions of the list of a tuple.
    pub fn of(&self, tuple: usize) -> Range<usize> {
        self.starts[tuple] as usize..self.starts[tuple + 1] as usize
    }
}

/// What the base snapshot is made from.
#[derive(Debug, Clone, Copy)]
pub struct Records<'a> {
    /// Per quasi column the codes of the table's records.
    pub quasi: &'a [&'a [u32]],
    /// Per quasi column the codes of the population's records; empty without a population table.
    pub population: &'a [&'a [u32]],
    /// Per record the number of its sensitive combination, when criteria look at it.
    pub sensitive: Option<&'a [u32]>,
    /// How many records the table has; with `weights`, how many tuples are listed.
    pub rows: usize,
    /// Per listed tuple its records, when tuples are listed and not records.
    pub weights: Option<&'a [u32]>,
}

impl<const W: usize> Snapshot<W> {
    /// Reduces a table to its distinct tuples, sorted, so that the result does not depend on how the
    /// work was split. `layout` is that of [`base_layout`].
    pub fn reduce(columns: &[QuasiColumn], records: &Records<'_>, layout: &Layout) -> Self {
        let (sensitive_field, fields) = (layout.fields[0], &layout.fields[1..]);
        // Per column and code the bits that it adds to a key.
        let bits: Vec<Vec<u64>> = columns
            .iter()
            .zip(fields)
            .map(|(column, field)| column.node_of_code(0).iter().map(|&node| field.put(node)).collect())
            .collect();
        let pack = |codes: &[&[u32]], rows: Range<usize>, keys: &mut [Key<W>]| {
            for ((bits, field), codes) in bits.iter().zip(fields).zip(codes) {
                for (key, &code) in keys.iter_mut().zip(&codes[rows.clone()]) {
                    key[field.word] |= bits[code as usize];
                }
            }
        };
        let tuple_of = |key: &Key<W>| -> Key<W> {
            let mut tuple = *key;
            tuple[sensitive_field.word] &= !sensitive_field.mask_in_place();
            tuple
        };
        let bits_of_word = layout.bits_of_words();
        let pack_records = |rows: Range<usize>, keys: &mut [Key<W>]| {
            pack(records.quasi, rows.clone(), keys);
            if let Some(values) = records.sensitive {
                for (key, &value) in keys.iter_mut().zip(&values[rows]) {
                    key[sensitive_field.word] |= sensitive_field.put(value);
                }
            }
        };
        let entries = match records.weights {
            None => Entries::Records(sorted(records.rows, &bits_of_word, pack_records)),
            Some(weights) => Entries::Weighted(sorted_weighted(weights, pack_records)),
        };
        let people = records.population.first().map_or(0, |codes| codes.len());
        let people = sorted(people, &bits_of_word, |rows, keys| pack(records.population, rows, keys));

        // Room for just as many as there are: what is made here lives as long as the search.
        let tuples = entries.count_runs(|a, b| tuple_of(a) == tuple_of(b));
        let pairs = if records.sensitive.is_some() { entries.runs().count() } else { 0 };
        let mut base = Opening::with_capacity(tuples, pairs, records);
        let mut people = runs(&people).peekable();
        let mut only_people_below = |base: &mut Opening<W>, key: Option<&Key<W>>| {
            while let Some((person, count)) =
                people.next_if(|(person, _)| key.is_none_or(|key| order(person, key).is_lt()))
            {
                base.open(&person, count);
            }
            people.next_if(|(person, _)| Some(person) == key).map_or(0, |(_, count)| count)
        };
        for (key, count) in entries.runs() {
            let tuple = tuple_of(&key);
            if base.keys.last() != Some(&tuple) {
                let present = only_people_below(&mut base, Some(&tuple));
                base.open(&tuple, present);
            }
            base.add(sensitive_field.get(&key) as u32, count);
        }
        only_people_below(&mut base, None);
        drop(entries);
        base.close(vec![0; columns.len()], Layout { fields: fields.to_vec(), words: layout.words })
    }

    /// The number of distinct tuples.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// The node of a tuple in one column.
    pub fn node(&self, tuple: usize, column: usize) -> usize {
        self.layout.fields[column].get(&self.keys[tuple])
    }
}

/// What is reduced, sorted by key.
enum Entries<const W: usize> {
    /// One key for each record.
    Records(Vec<Key<W>>),
    /// Keys with the number of their records.
    Weighted(Vec<(Key<W>, u32)>),
}

impl<const W: usize> Entries<W> {
    /// How many runs of keys there are that are the same.
    fn count_runs(&self, same: impl Fn(&Key<W>, &Key<W>) -> bool) -> usize {
        match self {
            Self::Records(keys) => keys.chunk_by(|a, b| same(a, b)).count(),
            Self::Weighted(keys) => keys.chunk_by(|a, b| same(&a.0, &b.0)).count(),
        }
    }

    /// The distinct keys, with the records of each.
    fn runs(&self) -> Box<dyn Iterator<Item = (Key<W>, u32)> + '_> {
        match self {
            Self::Records(keys) => Box::new(runs(keys)),
            Self::Weighted(keys) => Box::new(
                keys.chunk_by(|a, b| a.0 == b.0)
                    .map(|run| (run[0].0, run.iter().map(|(_, weight)| weight).sum())),
            ),
        }
    }
}

/// The base snapshot in the making, tuple by tuple.
struct Opening<const W: usize> {
    keys: Vec<Key<W>>,
    rows: Vec<u32>,
    /// `None` without a population table.
    population: Option<Vec<u32>>,
    /// Where the list of each tuple begins, its values and their counts; `None` when no criterion looks at them.
    sensitive: Option<(Vec<u32>, Vec<u32>, Vec<u32>)>,
}

impl<const W: usize> Opening<W> {
    fn with_capacity(tuples: usize, pairs: usize, records: &Records<'_>) -> Self {
        let room = Vec::with_capacity;
        Self {
            keys: Vec::with_capacity(tuples),
            rows: room(tuples),
            population: (!records.population.is_empty()).then(Vec::new),
            sensitive: records.sensitive.map(|_| (room(tuples + 1), room(pairs), room(pairs))),
        }
    }

    /// The next tuple, which so many people of the population have.
    fn open(&mut self, tuple: &Key<W>, people: u32) {
        self.keys.push(*tuple);
        self.rows.push(0);
        if let Some(population) = &mut self.population {
            population.push(people);
        }
        if let Some((starts, values, _)) = &mut self.sensitive {
            starts.push(values.len() as u32);
        }
    }

    /// Records of the last tuple, of one sensitive value.
    fn add(&mut self, value: u32, count: u32) {
        if let Some(rows) = self.rows.last_mut() {
            *rows += count;
        }
        if let Some((_, values, counts)) = &mut self.sensitive {
            values.push(value);
            counts.push(count);
        }
    }

    fn close(self, levels: Vec<usize>, layout: Layout) -> Snapshot<W> {
        let sensitive = self.sensitive.map(|(mut starts, values, counts)| {
            starts.push(values.len() as u32);
            Sensitive { starts, values: values[..].into(), counts: counts[..].into() }
        });
        Snapshot {
            levels,
            sorted: true,
            layout,
            keys: self.keys,
            rows: self.rows[..].into(),
            population: self.population.unwrap_or_default(),
            sensitive: sensitive.unwrap_or_default(),
        }
    }
}

/// Up to so many records keys are sorted digit by digit.
const FEW: usize = 1 << 17;

/// The layout of the base snapshot: one field for the sensitive value, then one for each column.
pub fn base_layout(columns: &[QuasiColumn], sensitive_values: usize) -> Layout {
    Layout::new(std::iter::once(sensitive_values).chain(columns.iter().map(|column| column.size(0))))
}

/// The order of keys that keeps a tuple's entries together: the sensitive value lies in the lowest bits of
/// the first word, so the first word counts last.
fn order<const W: usize>(a: &Key<W>, b: &Key<W>) -> Ordering {
    let differing = (0..W).rev().find(|&word| a[word] != b[word]);
    differing.map_or(Ordering::Equal, |word| a[word].cmp(&b[word]))
}

/// All keys, sorted. `bits_of_word` tells how many of the lower bits of each word are in use.
fn sorted<const W: usize>(
    rows: usize,
    bits_of_word: &[u32; W],
    pack: impl Fn(Range<usize>, &mut [Key<W>]) + Sync,
) -> Vec<Key<W>> {
    // Few enough that the keys stay in the nearest cache while column after column is added.
    const PART: usize = 1 << 11;
    let mut keys = vec![[0; W]; rows];
    keys.par_chunks_mut(PART).enumerate().for_each(|(part, keys)| {
        pack(part * PART..part * PART + keys.len(), keys);
    });
    // A second list of keys must fit beside the first: for many records comparing takes less room, and all cores.
    if rows <= FEW {
        sort_by_digits(&mut keys, bits_of_word);
    } else {
        keys.par_sort_unstable_by(order);
    }
    keys
}

/// All keys with their weights, in the order of [`sorted`].
fn sorted_weighted<const W: usize>(
    weights: &[u32],
    pack: impl Fn(Range<usize>, &mut [Key<W>]) + Sync,
) -> Vec<(Key<W>, u32)> {
    const PART: usize = 1 << 11;
    let mut entries: Vec<(Key<W>, u32)> = weights.iter().map(|&weight| ([0; W], weight)).collect();
    entries.par_chunks_mut(PART).enumerate().for_each(|(part, entries)| {
        let mut keys = vec![[0; W]; entries.len()];
        pack(part * PART..part * PART + entries.len(), &mut keys);
        entries.iter_mut().zip(keys).for_each(|(entry, key)| entry.0 = key);
    });
    entries.par_sort_unstable_by(|a, b| order(&a.0, &b.0));
    entries
}

/// Sorts in the same order as [`order`], digit by digit from the lowest, on one thread: several times faster than
/// comparing while both lists stay in the cache.
fn sort_by_digits<const W: usize>(keys: &mut Vec<Key<W>>, bits_of_word: &[u32; W]) {
    const DIGIT: u32 = 11;
    let mut other = vec![[0; W]; keys.len()];
    for (word, &bits) in bits_of_word.iter().enumerate() {
        for shift in (0..bits).step_by(DIGIT as usize) {
            let digit = |key: &Key<W>| (key[word] >> shift) as usize & ((1 << DIGIT) - 1);
            let mut places = [0u32; 1 << DIGIT];
            for key in &*keys {
                places[digit(key)] += 1;
            }
            let mut next = 0;
            for place in &mut places {
                next += std::mem::replace(place, next);
            }
            for key in &*keys {
                let place = &mut places[digit(key)];
                other[*place as usize] = *key;
                *place += 1;
            }
            std::mem::swap(keys, &mut other);
        }
    }
}

/// The distinct keys of a sorted list, with how often each occurs.
fn runs<const W: usize>(sorted: &[Key<W>]) -> impl Iterator<Item = (Key<W>, u32)> {
    sorted.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u32))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Digit by digit gives the order of comparing, for keys of one word and of several, whatever bits are in use.
        #[test]
        fn digits_sort_as_comparing_does(
            keys in prop::collection::vec(prop::array::uniform3(any::<u64>()), 0..300),
            bits in prop::array::uniform3(0u32..=64),
        ) {
            let used = |bits: u32| 1u64.checked_shl(bits).map_or(u64::MAX, |end| end - 1);
            let mut keys: Vec<Key<3>> =
                keys.iter().map(|key| std::array::from_fn(|word| key[word] & used(bits[word]))).collect();
            let mut expected = keys.clone();
            expected.sort_by(order);
            sort_by_digits(&mut keys, &bits);
            prop_assert_eq!(keys, expected);
        }
    }
}
