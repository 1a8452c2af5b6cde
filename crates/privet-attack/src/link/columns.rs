//! A shared column as the search sees it: the labels that occur, numbered densely, and for every value which of them it
//! may carry. Values that may carry the same labels are one *kind*: the release cannot tell them apart.
//!
//! Labels are runs of values. Per value its labels are listed only where that is no more than [`MOST_LISTED`] in all; a
//! hundred thousand overlapping ranges of a million values are never multiplied out (`boxes.rs` looks at the runs).

use std::hash::BuildHasher;

use foldhash::{HashMap, HashMapExt};
use privet_data::{Coverage, Covered};

/// The most pairs of a label and a value that are listed in a column where labels overlap.
const MOST_LISTED: u64 = 1 << 22;

pub(super) struct Column<'a> {
    coverage: &'a Coverage,
    /// Per number the label.
    occurring: Vec<u32>,
    /// Per label of the coverage its number, if it occurs.
    number: Vec<u32>,
    /// Labels that the coverage does not have, ascending, and their numbers.
    outside: Vec<(u32, u32)>,
    /// Per value the numbers of its labels, where they are listed.
    listed: Option<Lists>,
    /// The labels that cover every value: those of unknown values.
    everything: Vec<u32>,
    is_function: bool,
}

/// Per value the numbers of its labels.
struct Lists {
    starts: Vec<usize>,
    labels: Vec<u32>,
}

impl Lists {
    fn of(&self, value: u32) -> Option<&[u32]> {
        let (from, to) = (*self.starts.get(value as usize)?, *self.starts.get(value as usize + 1)?);
        self.labels.get(from..to)
    }
}

impl<'a> Column<'a> {
    pub fn new(labels: &[u32], coverage: &'a Coverage) -> Self {
        Self::listing(labels, coverage, MOST_LISTED)
    }

    pub fn listing(labels: &[u32], coverage: &'a Coverage, most_listed: u64) -> Self {
        let mut seen = vec![false; coverage.labels()];
        let mut outside = Vec::new();
        for &label in labels {
            match seen.get_mut(label as usize) {
                Some(seen) => *seen = true,
                None => outside.push(label),
            }
        }
        outside.sort_unstable();
        outside.dedup();
        let mut occurring: Vec<u32> = (0..seen.len() as u32).filter(|&label| seen[label as usize]).collect();
        // Labels that cover the same values are to be neighbours.
        occurring.sort_by_key(|&label| {
            let own = coverage.of(label);
            (own.first(), own.last(), label)
        });
        let mut number = vec![0; coverage.labels()];
        for (position, &label) in occurring.iter().enumerate() {
            number[label as usize] = position as u32;
        }
        let next = occurring.len() as u32;
        let pairs: u64 = occurring.iter().map(|&label| coverage.of(label).len() as u64).sum();
        occurring.extend(&outside);
        let all = |label: u32| coverage.of(label).len() == coverage.values() as usize;
        let numbered = occurring.iter().zip(0u32..);
        let everything: Vec<u32> =
            numbered.filter(|(label, _)| all(**label)).map(|(_, number)| number).collect();
        let mut column = Self {
            coverage,
            is_function: false,
            number,
            outside: outside.into_iter().zip(next..).collect(),
            listed: None,
            everything,
            occurring,
        };
        column.is_function = column.everything.len() <= 1 && column.is_disjoint();
        if column.is_function || pairs <= most_listed {
            column.listed = Some(column.list());
        }
        column
    }

    fn is_disjoint(&self) -> bool {
        let runs = self.occurring.iter().flat_map(|&label| self.coverage.of(label).runs());
        let mut runs: Vec<(u32, u32)> = runs.copied().collect();
        runs.sort_unstable();
        runs.windows(2).all(|pair| pair[0].1 < pair[1].0)
    }

    fn list(&self) -> Lists {
        let values = self.coverage.values() as usize;
        let mut starts = vec![0usize; values + 1];
        for &label in &self.occurring {
            self.coverage.of(label).iter().for_each(|code| starts[code as usize + 1] += 1);
        }
        for value in 0..values {
            starts[value + 1] += starts[value];
        }
        let mut next = starts.clone();
        let mut labels = vec![0u32; starts.last().copied().unwrap_or(0)];
        for (&label, number) in self.occurring.iter().zip(0..) {
            for code in self.coverage.of(label).iter() {
                labels[next[code as usize]] = number;
                next[code as usize] += 1;
            }
        }
        Lists { starts, labels }
    }

    /// How many labels occur.
    pub fn labels(&self) -> u32 {
        self.occurring.len() as u32
    }

    /// How many values there are.
    pub fn values(&self) -> u32 {
        self.coverage.values()
    }

    /// The values of a label by its number.
    pub fn covered(&self, number: u32) -> Covered<'_> {
        self.occurring.get(number as usize).map(|&label| self.coverage.of(label)).unwrap_or_default()
    }

    /// Whether a label, by its number, covers every value, and those that nobody knows.
    pub fn covers_all(&self, number: u32) -> bool {
        self.covered(number).len() == self.coverage.values() as usize
    }

    /// The number of a label that occurs.
    pub fn local(&self, label: u32) -> u32 {
        match self.number.get(label as usize) {
            Some(&number) => number,
            None => {
                let found = self.outside.binary_search_by_key(&label, |&(label, _)| label);
                found.map_or(0, |at| self.outside[at].1)
            }
        }
    }

    /// Whether it is listed which labels a value may carry.
    pub fn is_listed(&self) -> bool {
        self.listed.is_some()
    }

    /// The numbers of the labels that a value may carry, ascending; nothing where that is not listed.
    pub fn labels_of(&self, value: u32) -> &[u32] {
        let Some(listed) = &self.listed else { return &[] };
        listed.of(value).unwrap_or(&self.everything)
    }

    /// Whether no value has more than one label.
    pub fn is_function(&self) -> bool {
        self.is_function
    }

    /// Per value, and at last for unknown ones, how many of the tuples it may be, when each label has so many.
    pub fn tuples_of_values(&self, of_label: &[u64]) -> Vec<u64> {
        let values = self.coverage.values() as usize;
        let mut change = vec![0i128; values + 2];
        for (number, &tuples) in (0..).zip(of_label) {
            for &(first, last) in self.covered(number).runs() {
                change[first as usize] += i128::from(tuples);
                change[last as usize + 1] -= i128::from(tuples);
            }
        }
        let mut sum = 0;
        let of_values = change[..values].iter().map(|change| {
            sum += change;
            sum as u64
        });
        let unknown = self.everything.iter().filter_map(|&label| of_label.get(label as usize)).sum();
        of_values.chain([unknown]).collect()
    }

    /// The kinds of its values.
    pub fn kinds(&self) -> Kinds {
        match &self.listed {
            Some(_) => Kinds::new(self.values(), |value| self.labels_of(value)),
            None => {
                let marks = self.marks();
                Kinds::new(self.values(), |value| marks[value as usize])
            }
        }
    }

    /// Per value, and at last for unknown ones, a mark that two values share when they may carry the same labels: the sum of
    /// numbers that are drawn for these. Numbers of 128 bits, drawn anew in every run, sum up alike by accident once in
    /// 10^38 pairs, whatever the labels are.
    fn marks(&self) -> Vec<[u64; 2]> {
        let states = [foldhash::quality::RandomState::default(), foldhash::quality::RandomState::default()];
        let of_label = |number: u32| [states[0].hash_one(number), states[1].hash_one(number)];
        let values = self.coverage.values() as usize;
        let mut change = vec![[0u64; 2]; values + 2];
        for number in 0..self.occurring.len() as u32 {
            let own = of_label(number);
            for &(first, last) in self.covered(number).runs() {
                for (part, own) in own.into_iter().enumerate() {
                    change[first as usize][part] = change[first as usize][part].wrapping_add(own);
                    change[last as usize + 1][part] = change[last as usize + 1][part].wrapping_sub(own);
                }
            }
        }
        let mut sum = [0u64; 2];
        for mark in &mut change[..values] {
            sum = [sum[0].wrapping_add(mark[0]), sum[1].wrapping_add(mark[1])];
            *mark = sum;
        }
        change.truncate(values + 1);
        change[values] = self.everything.iter().fold([0; 2], |sum, &number| {
            let own = of_label(number);
            [sum[0].wrapping_add(own[0]), sum[1].wrapping_add(own[1])]
        });
        change
    }
}

/// The kinds of values of a column.
pub(super) struct Kinds {
    /// Per value its kind, and at last the kind of unknown values.
    of_value: Vec<u32>,
    /// Per kind one value of it.
    pub first: Vec<u32>,
}

impl Kinds {
    /// Numbered in the order of their first values; the value behind the last one stands for all unknown ones.
    fn new<K: Eq + std::hash::Hash>(values: u32, key: impl Fn(u32) -> K) -> Self {
        let mut of_keys: HashMap<K, u32> = HashMap::new();
        let mut kinds = Self { of_value: Vec::with_capacity(values as usize + 1), first: Vec::new() };
        for value in 0..=values {
            let next = kinds.first.len() as u32;
            let kind = *of_keys.entry(key(value)).or_insert(next);
            if kind == next {
                kinds.first.push(value);
            }
            kinds.of_value.push(kind);
        }
        kinds
    }

    pub fn of(&self, value: u32) -> u32 {
        let unknown = self.of_value.len().saturating_sub(1);
        self.of_value.get((value as usize).min(unknown)).copied().unwrap_or(0)
    }
}
