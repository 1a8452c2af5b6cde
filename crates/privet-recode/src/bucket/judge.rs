//! Whether one bucket keeps everything that Anatomy promises: every criterion, and in some columns that no value is in
//! more than 1/l of it, nor in all of it, which would tell it of everybody there, unless it is in the whole table.
//! One bucket of all records keeps the latter always. Buckets are filled in from counts, not record by record.

use privet_criteria::{Class, Histogram};

use super::buckets::{Dense, varies};
use crate::lattice::Problem;

/// Judges one bucket after the other.
pub(super) struct Judge<'p, 'a> {
    problem: &'p Problem<'a>,
    dense: Vec<Dense>,
    /// Columns, each with the l for which no value may be in more than 1/l of a bucket, and how many records of a bucket
    /// must have another value.
    bounded: Vec<(usize, u64, u64)>,
}

impl<'p, 'a> Judge<'p, 'a> {
    /// In each `bounded` column no value may be in more than 1/l of a bucket.
    pub fn new(problem: &'p Problem<'a>, bounded: Vec<(usize, u64)>) -> Self {
        let dense = problem.sensitive.iter().map(|column| Dense::new(column.values)).collect();
        let varies = |column: usize| varies(&problem.sensitive[column]);
        let bounded = bounded.into_iter().map(|(column, l)| (column, l, u64::from(varies(column)))).collect();
        Self { problem, dense, bounded }
    }

    /// Puts so many records of these values of a column into the bucket.
    pub fn fill(&mut self, column: usize, entries: &[(u32, u32)]) {
        self.dense[column].fill(entries);
    }

    /// Whether the bucket keeps everything; the next one starts empty.
    pub fn holds(&mut self) -> bool {
        let rows = self.dense.first().map_or(0, |dense| dense.total);
        let histograms: Vec<Histogram<'_>> = self.dense.iter().map(Dense::view).collect();
        let is_rare = |&(column, l, others): &(usize, u64, u64)| {
            let Histogram { counts, present, .. } = &histograms[column];
            present.iter().all(|&code| {
                let count = u64::from(counts[code as usize]);
                u128::from(count) * u128::from(l) <= u128::from(rows) && count + others <= rows
            })
        };
        let class = Class { rows, population: 0, histograms: &histograms };
        let holds = self.bounded.iter().all(is_rare)
            && self.problem.criteria.iter().all(|criterion| criterion.holds(&class));
        self.dense.iter_mut().for_each(Dense::clear);
        holds
    }
}
