//! Linking when labels overlap: the different tuples of people are walked in sorted order through an index of the
//! different published tuples.
//!
//! Columns come in the order of how little they leave (the share of published tuples that an average person's value
//! may carry), the most selective first. People next to each other in the sorted order share their first values, and
//! what these left of the index is kept, so that its wide beginning is searched once per different beginning and not
//! once per person.
//!
//! There are three indexes, which find the same. A trie (`trie.rs`) is best when a value may carry few labels, such as
//! itself and `*`; boxes (`boxes.rs`) when it may carry many, such as all ranges around it that Mondrian cut, but few tuples
//! carry one in every column; bits (`bits.rs`) when these are many too. A sample of people is walked through them, and the
//! one with least to do is taken. Where it would take too much room to list which labels a value may carry there are boxes
//! alone, which need no such list: their size is that of the release, whatever its labels.

use std::sync::atomic::{AtomicUsize, Ordering};

use privet_data::Progress;
use rayon::prelude::*;

use super::bits::Bits;
use super::boxes::Boxes;
use super::columns::{Column, Kinds};
use super::links::GroupsOfTuples;
use super::trie::Trie;
use super::{Candidate, Keys, LinkError, Links, People, Released};

/// Tuples that one task walks; each begins anew.
const CHUNK: usize = 4096;
/// Tuples by which the index is chosen.
const SAMPLE: usize = 256;
/// A trie with no more steps per tuple than this is good enough.
const FEW_STEPS: u64 = 128;
/// Boxes with no more steps per tuple than this are.
const FEW_BOXES: u64 = 1024;

/// The columns in the order in which they are searched: per level which labels each kind of value may carry.
pub(super) struct Levels<'a> {
    columns: Vec<(&'a Column<'a>, &'a Kinds)>,
}

impl<'a> Levels<'a> {
    /// The column of a level, and the kinds of its values.
    pub fn column(&self, level: usize) -> (&'a Column<'a>, &'a Kinds) {
        self.columns[level]
    }

    pub fn count(&self) -> usize {
        self.columns.len()
    }

    /// How many labels occur at a level.
    pub fn labels(&self, level: usize) -> u32 {
        self.columns[level].0.labels()
    }

    /// How many kinds of values there are at a level.
    pub fn kinds(&self, level: usize) -> usize {
        self.columns[level].1.first.len()
    }

    /// The labels that a kind may carry, ascending.
    pub fn carried(&self, level: usize, kind: u32) -> &[u32] {
        let (column, kinds) = self.columns[level];
        column.labels_of(kinds.first[kind as usize])
    }
}

/// Finds published tuples. Positions are those in their sorted order.
pub(super) trait Index: Sync {
    /// What is left of the index after each level.
    type Left: Send;

    /// Before the first level.
    fn begin(&self) -> Self::Left;

    /// Narrows what is left by the kinds of a tuple from a level on; how many steps that took, those of the first
    /// level (which many tuples share) not counted.
    fn narrow(&self, levels: &Levels<'_>, left: &mut Self::Left, tuple: &[u32], from: usize) -> u64;

    /// The positions that are left after the last level.
    fn positions(&self, left: &Self::Left, into: &mut Vec<u32>);
}

/// Which index is to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    /// The better one.
    Better,
    #[cfg(test)]
    Trie,
    #[cfg(test)]
    Bits,
    #[cfg(test)]
    Boxes,
}

pub(super) fn search(
    columns: &[Column<'_>],
    released: &Released<'_>,
    people: &People<'_>,
    most: usize,
    (choice, progress): (Choice, &dyn Progress),
) -> Result<Links, LinkError> {
    let kinds: Vec<Kinds> = columns.par_iter().map(Column::kinds).collect();
    let (published, persons) = rayon::join(
        || {
            let mut keys = Keys::new(released.groups.len());
            for (column, labels) in columns.iter().zip(&released.labels) {
                let codes = labels.par_iter().map(|&label| column.local(label));
                keys.push(codes, u64::from(column.labels()));
            }
            keys.finish()
        },
        || {
            let mut keys = Keys::new(people.count);
            for (kinds, values) in kinds.iter().zip(&people.values) {
                keys.push(values.par_iter().map(|&value| kinds.of(value)), kinds.first.len() as u64);
            }
            keys.finish()
        },
    );
    let label = |tuple: usize, c: usize| columns[c].local(released.labels[c][published.1[tuple] as usize]);
    let kind = |tuple: usize, c: usize| kinds[c].of(people.values[c][persons.1[tuple] as usize]);
    let order = order(columns, &kinds, (published.1.len(), label), (persons.1.len(), kind));
    let levels = Levels { columns: order.iter().map(|&c| (&columns[c], &kinds[c])).collect() };
    let sorted = Sorted::new(published.1.len(), &order, label);
    let walked = Sorted::new(persons.1.len(), &order, kind);
    let groups = GroupsOfTuples::new(&published.0, released.groups);
    let walk = Walk { levels, walked, published: sorted, groups, most, progress };
    let found = match choice {
        Choice::Better => walk.by_better()?,
        #[cfg(test)]
        Choice::Trie => walk.all(&Trie::new(&walk.published))?,
        #[cfg(test)]
        Choice::Bits => match Bits::new(&walk.levels, &walk.published) {
            Some(bits) => walk.all(&bits)?,
            None => walk.all(&Trie::new(&walk.published))?,
        },
        #[cfg(test)]
        Choice::Boxes => walk.all(&Boxes::new(&walk.levels, &walk.published))?,
    };
    // Tuples are numbered in the sorted order.
    let rows = &walk.walked.rows;
    let mut number = vec![0u32; rows.len()];
    rows.iter().enumerate().for_each(|(position, &tuple)| number[tuple as usize] = position as u32);
    let tuple_of_person = persons.0.par_iter().map(|&tuple| number[tuple as usize]).collect();
    let mut starts = Vec::with_capacity(rows.len() + 1);
    let mut candidates = Vec::with_capacity(found.iter().map(|(_, candidates)| candidates.len()).sum());
    starts.push(0);
    for (lengths, of_chunk) in found {
        for length in lengths {
            starts.push(starts.last().copied().unwrap_or(0) + length as usize);
        }
        candidates.extend(of_chunk);
    }
    Ok(Links::new(tuple_of_person, starts, candidates))
}

/// The columns, the most selective first.
fn order(
    columns: &[Column<'_>],
    kinds: &[Kinds],
    (published, label): (usize, impl Fn(usize, usize) -> u32 + Sync),
    (persons, kind): (usize, impl Fn(usize, usize) -> u32 + Sync),
) -> Vec<usize> {
    let left: Vec<u128> = (0..columns.len())
        .into_par_iter()
        .map(|c| {
            let mut tuples = vec![0u64; columns[c].labels() as usize];
            (0..published).for_each(|tuple| tuples[label(tuple, c) as usize] += 1);
            let mut people = vec![0u64; kinds[c].first.len()];
            (0..persons).for_each(|tuple| people[kind(tuple, c) as usize] += 1);
            let of_values = columns[c].tuples_of_values(&tuples);
            let of_value = |value: u32| of_values[(value as usize).min(of_values.len() - 1)];
            let pairs = |(&value, &people): (&u32, &u64)| u128::from(people) * u128::from(of_value(value));
            kinds[c].first.iter().zip(&people).map(pairs).sum()
        })
        .collect();
    let mut order: Vec<usize> = (0..columns.len()).collect();
    order.sort_by_key(|&c| left[c]);
    order
}

/// Different tuples in ascending order.
pub(super) struct Sorted {
    /// How many codes a tuple has.
    pub columns: usize,
    /// The tuples by their numbers, one after the other.
    cells: Vec<u32>,
    /// Their numbers in order.
    pub rows: Vec<u32>,
}

impl Sorted {
    fn new(count: usize, order: &[usize], code: impl Fn(usize, usize) -> u32 + Sync) -> Self {
        let columns = order.len();
        let mut cells = vec![0; count * columns];
        cells.par_chunks_mut(columns.max(1)).enumerate().for_each(|(tuple, cells)| {
            cells.iter_mut().zip(order).for_each(|(cell, &c)| *cell = code(tuple, c));
        });
        let mut rows: Vec<u32> = (0..count as u32).collect();
        let tuple = |row: u32| &cells[row as usize * columns..][..columns];
        rows.par_sort_unstable_by(|&a, &b| tuple(a).cmp(tuple(b)));
        Self { columns, cells, rows }
    }

    /// The tuple at a position.
    pub fn tuple(&self, position: usize) -> &[u32] {
        &self.cells[self.rows[position] as usize * self.columns..][..self.columns]
    }

    /// The first column in which the tuple at a position differs from the one before it; 0 for the first.
    pub fn first_difference(&self, position: usize) -> usize {
        let Some(before) = position.checked_sub(1) else { return 0 };
        let mut pairs = self.tuple(before).iter().zip(self.tuple(position));
        pairs.position(|(a, b)| a != b).unwrap_or(self.columns)
    }
}

/// How many candidates each tuple of a chunk has, and these.
type OfChunk = (Vec<u32>, Vec<Candidate>);

struct Walk<'a> {
    levels: Levels<'a>,
    walked: Sorted,
    published: Sorted,
    groups: GroupsOfTuples,
    most: usize,
    progress: &'a dyn Progress,
}

impl Walk<'_> {
    fn by_better(&self) -> Result<Vec<OfChunk>, LinkError> {
        if !(0..self.levels.count()).all(|level| self.levels.column(level).0.is_listed()) {
            return self.all(&Boxes::new(&self.levels, &self.published));
        }
        let trie = Trie::new(&self.published);
        let by_trie = self.sample(&trie);
        if by_trie <= FEW_STEPS {
            return self.all(&trie);
        }
        let boxes = Boxes::new(&self.levels, &self.published);
        let by_boxes = self.sample(&boxes);
        if by_boxes <= FEW_BOXES && by_boxes < by_trie {
            return self.all(&boxes);
        }
        // A step of the trie or of boxes is a jump in memory, one of bits is not.
        match Bits::new(&self.levels, &self.published) {
            Some(bits) if self.sample(&bits) / 2 < by_trie.min(by_boxes) => self.all(&bits),
            _ if by_boxes < by_trie => self.all(&boxes),
            _ => self.all(&trie),
        }
    }

    /// The mean number of steps for tuples here and there.
    fn sample<I: Index>(&self, index: &I) -> u64 {
        let tuples = self.walked.rows.len();
        let taken = SAMPLE.min(tuples);
        let mut left = index.begin();
        let steps: u64 = (0..taken)
            .map(|i| index.narrow(&self.levels, &mut left, self.walked.tuple(i * (tuples / taken)), 0))
            .sum();
        steps / taken.max(1) as u64
    }

    /// The candidates of all tuples, and how many each has, chunk by chunk.
    fn all<I: Index>(&self, index: &I) -> Result<Vec<OfChunk>, LinkError> {
        let total = AtomicUsize::new(0);
        let tuples = self.walked.rows.len();
        (0..tuples.div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| self.chunk(index, chunk * CHUNK..tuples.min((chunk + 1) * CHUNK), &total))
            .collect()
    }

    fn chunk<I: Index>(
        &self,
        index: &I,
        range: std::ops::Range<usize>,
        total: &AtomicUsize,
    ) -> Result<OfChunk, LinkError> {
        let (mut lengths, mut found) = (Vec::with_capacity(range.len()), Vec::new());
        let (mut positions, mut merged): (Vec<u32>, Vec<Candidate>) = (Vec::new(), Vec::new());
        let mut left = index.begin();
        for tuple in range.clone() {
            if tuple % 64 == 0 {
                self.progress.check()?;
            }
            let from = if tuple == range.start { 0 } else { self.walked.first_difference(tuple) };
            index.narrow(&self.levels, &mut left, self.walked.tuple(tuple), from);
            positions.clear();
            index.positions(&left, &mut positions);
            let groups = |position: &u32| self.groups.of(self.published.rows[*position as usize]);
            let begin = found.len();
            match positions.as_slice() {
                [position] => found.extend_from_slice(groups(position)),
                positions => {
                    merged.clear();
                    positions.iter().for_each(|position| merged.extend_from_slice(groups(position)));
                    merged.sort_unstable();
                    for same in merged.chunk_by(|a, b| a.group == b.group) {
                        let records = same.iter().map(|candidate| candidate.records).sum();
                        found.push(Candidate { group: same[0].group, records });
                    }
                }
            }
            let length = found.len() - begin;
            lengths.push(length as u32);
            if total.fetch_add(length, Ordering::Relaxed) + length > self.most {
                return Err(LinkError::TooManyCandidates { most: self.most });
            }
        }
        Ok((lengths, found))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::{Coverage, Silent};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// More tuples than a word has bits, so that words begin and end within labels.
        #[test]
        fn both_indexes_find_the_same(
            lists in prop::collection::vec(prop::collection::vec((0u32..12, 0u32..12), 1..14), 3),
            records in prop::collection::vec([0u32..15, 0u32..15, 0u32..15], 0..300),
            people in prop::collection::vec([0u32..13, 0u32..13, 0u32..13], 0..40),
        ) {
            let range = |&(a, b): &(u32, u32)| (a.min(b)..=a.max(b)).collect::<Vec<u32>>();
            let coverage: Vec<Coverage> =
                lists.iter().map(|lists| Coverage::new(lists.iter().map(range), 12)).collect();
            let split = |rows: &[[u32; 3]]| -> Vec<Vec<u32>> {
                (0..3).map(|c| rows.iter().map(|row| row[c]).collect()).collect()
            };
            let (labels, values) = (split(&records), split(&people));
            let groups: Vec<u32> = (0..records.len() as u32).map(|record| record % 7).collect();
            let released = Released {
                labels: labels.iter().map(Vec::as_slice).collect(),
                coverage: coverage.iter().collect(),
                groups: &groups,
            };
            let people = People { values: values.iter().map(Vec::as_slice).collect(), count: people.len() };
            let columns: Vec<Column<'_>> =
                (0..3).map(|c| Column::new(&labels[c], &coverage[c])).collect();
            let by = |choice| search(&columns, &released, &people, usize::MAX, (choice, &Silent)).unwrap();
            let trie = by(Choice::Trie);
            prop_assert_eq!(&trie, &by(Choice::Bits));
            prop_assert_eq!(&trie, &by(Choice::Better));
            prop_assert_eq!(&trie, &by(Choice::Boxes));
            // The same where it is not listed which labels a value may carry.
            let unlisted: Vec<Column<'_>> =
                (0..3).map(|c| Column::listing(&labels[c], &coverage[c], 0)).collect();
            prop_assert_eq!(
                &trie,
                &search(&unlisted, &released, &people, usize::MAX, (Choice::Better, &Silent)).unwrap()
            );
            let several = (0..people.count).any(|person| trie.of_person(person).len() > 1);
            prop_assert_eq!(super::super::fits_several(&released, &people, &Silent).unwrap(), several);
            for person in 0..people.count {
                let matching = (0..groups.len()).filter(|&r| super::super::matches(&released, r, &people, person));
                let found = trie.records(trie.tuple_of_person()[person]);
                prop_assert_eq!(found, matching.count() as u64);
            }
        }
    }
}
