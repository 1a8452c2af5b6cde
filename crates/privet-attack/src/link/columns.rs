//! A shared column as the search sees it: the labels that occur, numbered densely, and for every value which of them it
//! may carry. Values that may carry the same labels are one *kind*: the release cannot tell them apart.

use foldhash::{HashMap, HashMapExt};
use privet_data::Coverage;

pub(super) struct Column {
    /// How many labels occur.
    labels: u32,
    /// Per label of the coverage its number, if it occurs.
    number: Vec<u32>,
    /// Labels that the coverage does not have, ascending, and their numbers.
    outside: Vec<(u32, u32)>,
    /// Per value the numbers of its labels.
    inverse: Coverage,
    /// The labels that cover every value: those of unknown values.
    everything: Vec<u32>,
}

impl Column {
    pub fn new(labels: &[u32], coverage: &Coverage) -> Self {
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
            (own.first().copied(), own.last().copied(), label)
        });
        let mut number = vec![0; coverage.labels()];
        for (position, &label) in occurring.iter().enumerate() {
            number[label as usize] = position as u32;
        }
        let next = occurring.len() as u32;
        occurring.extend(&outside);
        let of_occurring = occurring.iter().map(|&label| coverage.of(label).to_vec());
        let inverse = Coverage::new(of_occurring, coverage.values()).inverse();
        let all = |label: u32| coverage.of(label).len() == coverage.values() as usize;
        let numbered = occurring.iter().zip(0u32..);
        let everything = numbered.filter(|(label, _)| all(**label)).map(|(_, number)| number).collect();
        Self {
            labels: occurring.len() as u32,
            number,
            outside: outside.into_iter().zip(next..).collect(),
            inverse,
            everything,
        }
    }

    /// How many labels occur.
    pub fn labels(&self) -> u32 {
        self.labels
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

    /// The numbers of the labels that a value may carry, ascending.
    pub fn labels_of(&self, value: u32) -> &[u32] {
        if (value as usize) < self.inverse.labels() { self.inverse.of(value) } else { &self.everything }
    }

    /// Whether no value has more than one label.
    pub fn is_function(&self) -> bool {
        self.everything.len() <= 1
            && (0..self.inverse.labels() as u32).all(|value| self.inverse.of(value).len() <= 1)
    }

    /// The kinds of its values.
    pub fn kinds(&self) -> Kinds {
        let values = self.inverse.labels() as u32;
        let mut of_lists: HashMap<&[u32], u32> = HashMap::new();
        let mut kinds = Kinds { of_value: Vec::with_capacity(values as usize + 1), first: Vec::new() };
        // The last one stands for all unknown values.
        for value in 0..=values {
            let next = of_lists.len() as u32;
            let kind = *of_lists.entry(self.labels_of(value)).or_insert(next);
            if kind == next {
                kinds.first.push(value);
            }
            kinds.of_value.push(kind);
        }
        kinds
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
    pub fn of(&self, value: u32) -> u32 {
        let unknown = self.of_value.len().saturating_sub(1);
        self.of_value.get((value as usize).min(unknown)).copied().unwrap_or(0)
    }
}
