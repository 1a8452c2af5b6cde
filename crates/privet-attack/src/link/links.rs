//! What linking found: per tuple of people the groups that may hold them, and how many records of each.

use rayon::prelude::*;

/// A group that may hold a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// The group.
    pub group: u32,
    /// How many of its records may be the person.
    pub records: u32,
}

/// Who may be what. People whom the release cannot tell apart share a tuple.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Links {
    tuple_of_person: Vec<u32>,
    /// Where the candidates of each tuple begin, and at last where they end.
    starts: Vec<usize>,
    candidates: Vec<Candidate>,
}

impl Links {
    pub(super) fn new(tuple_of_person: Vec<u32>, starts: Vec<usize>, candidates: Vec<Candidate>) -> Self {
        Self { tuple_of_person, starts, candidates }
    }

    /// How many people there are.
    pub fn people(&self) -> usize {
        self.tuple_of_person.len()
    }

    /// How many different tuples they have.
    pub fn tuples(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The tuple of each person.
    pub fn tuple_of_person(&self) -> &[u32] {
        &self.tuple_of_person
    }

    /// The groups that may hold the people of a tuple, ascending; none for a tuple that there is not.
    pub fn of_tuple(&self, tuple: u32) -> &[Candidate] {
        match (self.starts.get(tuple as usize), self.starts.get(tuple as usize + 1)) {
            (Some(&from), Some(&to)) => &self.candidates[from..to],
            _ => &[],
        }
    }

    /// The groups that may hold a person, ascending.
    pub fn of_person(&self, person: usize) -> &[Candidate] {
        self.tuple_of_person.get(person).map_or(&[], |&tuple| self.of_tuple(tuple))
    }

    /// How many records may be the people of a tuple.
    pub fn records(&self, tuple: u32) -> u64 {
        self.of_tuple(tuple).iter().map(|candidate| u64::from(candidate.records)).sum()
    }

    /// Per tuple how many people have it.
    pub fn people_per_tuple(&self) -> Vec<u64> {
        let mut people = vec![0; self.tuples()];
        self.tuple_of_person.iter().for_each(|&tuple| people[tuple as usize] += 1);
        people
    }
}

/// Per published tuple the groups of its records, ascending, and how many it has in each.
pub(super) struct GroupsOfTuples {
    starts: Vec<usize>,
    groups: Vec<Candidate>,
}

impl GroupsOfTuples {
    pub fn new(tuples: &[u32], groups: &[u32]) -> Self {
        let mut pairs: Vec<u64> =
            tuples.par_iter().zip(groups).map(|(&t, &g)| u64::from(t) << 32 | u64::from(g)).collect();
        pairs.par_sort_unstable();
        let count = tuples.iter().max().map_or(0, |&last| last as usize + 1);
        let mut of = Self { starts: vec![0; count + 1], groups: Vec::new() };
        for same in pairs.chunk_by(|a, b| a == b) {
            of.groups.push(Candidate { group: same[0] as u32, records: same.len() as u32 });
            of.starts[(same[0] >> 32) as usize + 1] += 1;
        }
        for tuple in 0..count {
            of.starts[tuple + 1] += of.starts[tuple];
        }
        of
    }

    pub fn of(&self, tuple: u32) -> &[Candidate] {
        match (self.starts.get(tuple as usize), self.starts.get(tuple as usize + 1)) {
            (Some(&from), Some(&to)) => &self.groups[from..to],
            _ => &[],
        }
    }
}
