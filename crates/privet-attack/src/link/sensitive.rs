//! What candidates say about a sensitive column (survey AT-01, "inferred sensitive values").
//!
//! Which record of its group is whose is not published, and any candidate record is as likely as any other to be the
//! person (random worlds). So a candidate record has each sensitive value with its share of the record's group, in a
//! class (whose records are alike) as in a bucket (whose values were published apart).

use super::{Candidate, Links};

/// Per group how often each sensitive value occurs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SensitiveByGroup {
    /// Ascending.
    groups: Vec<u32>,
    /// Where the values of each group begin, and at last where they end.
    starts: Vec<usize>,
    /// Values, ascending within a group, and their counts.
    values: Vec<(u32, u64)>,
    sizes: Vec<u64>,
}

impl SensitiveByGroup {
    /// From the group and the sensitive value of each record; what one list has more than the other is left out.
    pub fn new(groups: &[u32], codes: &[u32]) -> Self {
        let mut pairs: Vec<(u32, u32)> = groups.iter().copied().zip(codes.iter().copied()).collect();
        pairs.sort_unstable();
        let mut of = Self { starts: vec![0], ..Self::default() };
        for group in pairs.chunk_by(|a, b| a.0 == b.0) {
            of.groups.push(group[0].0);
            of.sizes.push(group.len() as u64);
            for same in group.chunk_by(|a, b| a.1 == b.1) {
                of.values.push((same[0].1, same.len() as u64));
            }
            of.starts.push(of.values.len());
        }
        of
    }

    /// The values of a group with their counts, ascending, and its records.
    pub fn of(&self, group: u32) -> (&[(u32, u64)], u64) {
        match self.groups.binary_search(&group) {
            Ok(at) => (&self.values[self.starts[at]..self.starts[at + 1]], self.sizes[at]),
            Err(_) => (&[], 0),
        }
    }

    /// What these candidates say: each value that is possible, ascending, with its probability. Nothing when no candidate
    /// is left.
    pub fn belief(&self, candidates: &[Candidate]) -> Vec<(u32, f64)> {
        let mut shares: Vec<(u32, f64)> = Vec::new();
        for candidate in candidates {
            let (values, size) = self.of(candidate.group);
            let each = f64::from(candidate.records) / size.max(1) as f64;
            shares.extend(values.iter().map(|&(value, count)| (value, count as f64 * each)));
        }
        // Stable, so that sums are always taken in the same order.
        shares.sort_by_key(|&(value, _)| value);
        let total: f64 = shares.iter().map(|(_, share)| share).sum();
        shares
            .chunk_by(|a, b| a.0 == b.0)
            .map(|same| (same[0].0, same.iter().map(|(_, share)| share).sum::<f64>() / total))
            .collect()
    }
}

impl Links {
    /// What the release says about the sensitive value of the people of a tuple.
    pub fn belief_of_tuple(&self, tuple: u32, sensitive: &SensitiveByGroup) -> Vec<(u32, f64)> {
        sensitive.belief(self.of_tuple(tuple))
    }

    /// What the release says about the sensitive value of a person.
    pub fn belief_of_person(&self, person: usize, sensitive: &SensitiveByGroup) -> Vec<(u32, f64)> {
        sensitive.belief(self.of_person(person))
    }
}
