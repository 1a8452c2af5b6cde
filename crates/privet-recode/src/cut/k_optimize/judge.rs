//! What a class costs, and what it must cost at least when it is cut further.
//!
//! Costs are whole numbers: of a class E that holds |E|² (discernibility) or its records outside the majority label
//! (classification); of one that fails n·|E| or |E|.

use privet_criteria::{Class, Criterion, Histogram, Merging};
use privet_measure::Metric;

use super::tuples::Entry;
use crate::lattice::{Codes, Problem};

/// Judges classes.
pub(super) struct Judge<'a> {
    criteria: Vec<&'a dyn Criterion>,
    /// The number of records.
    pub rows: u64,
    /// The most records that may be suppressed.
    pub limit: u64,
    /// Whether the cost is that of classification, not discernibility.
    pub classification: bool,
    /// What a published record shares its class with at least, capped at n, which a suppressed one costs.
    pub least_rows: u64,
    /// Whether a part of a failing class always fails.
    pub absorbing: bool,
    sizes: Vec<usize>,
    label: Option<usize>,
    /// Whether anything is counted besides records.
    pub looks: bool,
}

/// A class, or the part of one on one side of a boundary.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    /// Its records.
    pub rows: u64,
    /// What its records cost at least, by the classes of the finest candidate alone.
    pub floor: u64,
    /// Whether all criteria hold.
    pub holds: bool,
    /// How many of its records must be suppressed, however it is cut further.
    pub least: u64,
    /// The records with the most frequent class label.
    pub majority: u64,
}

impl<'a> Judge<'a> {
    /// Makes the criteria and the metric of a problem ready, and tells which columns must be counted.
    pub fn new(problem: &'a Problem<'_>) -> (Self, Vec<(usize, Codes<'a>)>) {
        let criteria: Vec<&dyn Criterion> = problem.criteria.iter().map(|criterion| &**criterion).collect();
        let classification = problem.metric == Metric::Classification;
        let mut columns: Vec<(usize, Codes<'a>)> = Vec::new();
        for (number, codes) in problem.sensitive.iter().enumerate() {
            if criteria.iter().any(|criterion| criterion.histograms().contains(&number)) {
                columns.push((number, *codes));
            }
        }
        let mut sizes: Vec<usize> = problem.sensitive.iter().map(|codes| codes.values).collect();
        let label = problem.label.filter(|_| classification).map(|codes| {
            columns.push((sizes.len(), codes));
            sizes.push(codes.values);
            sizes.len() - 1
        });
        let rows = problem.rows as u64;
        // Who judges absence cannot be satisfied by suppression.
        let absence = criteria.iter().any(|criterion| criterion.judges_absence());
        let judge = Self {
            rows,
            limit: if absence { 0 } else { problem.suppress_at_most.min(rows) },
            classification,
            least_rows: criteria.iter().map(|criterion| criterion.least_rows()).max().unwrap_or(1).min(rows),
            absorbing: !absence && criteria.iter().all(|criterion| criterion.merging() == Merging::Absorbing),
            criteria,
            sizes,
            label,
            looks: !columns.is_empty(),
        };
        (judge, columns)
    }

    /// Empty histograms.
    pub fn counters(&self) -> Counters {
        let counted =
            |&size: &usize| Counter { counts: vec![0; size], present: Vec::new(), position: vec![0; size] };
        Counters(if self.looks { self.sizes.iter().map(counted).collect() } else { Vec::new() })
    }

    /// Judges a class or a part of one.
    pub fn part(&self, rows: u64, people: u64, floor: u64, counters: &Counters) -> Part {
        let views: Vec<Histogram<'_>> = counters.0.iter().map(|counter| counter.view(rows)).collect();
        let class = Class { rows, population: people, histograms: &views };
        let (mut holds, mut least) = (true, 0);
        for criterion in &self.criteria {
            if (rows > 0 || criterion.judges_absence()) && !criterion.holds(&class) {
                holds = false;
                least = if rows == 0 {
                    self.never()
                } else {
                    least.max(criterion.least_suppression(&class).min(rows))
                };
            }
        }
        let majority = self.majority(counters);
        Part { rows, floor, holds, least, majority }
    }

    /// How many records of a class have its most frequent label; 0 for discernibility.
    pub fn majority(&self, counters: &Counters) -> u64 {
        let label = self.label.map(|label| counters.0[label].view(0).occurring().max());
        label.flatten().map_or(0, u64::from)
    }

    /// More records than may ever be suppressed: what people without records fail counts as this.
    fn never(&self) -> u64 {
        self.rows + 1
    }

    /// What the records of a class of the finest candidate cost at least, in every candidate that does not fail
    /// them: a coarser class holds at least as many records, and at least as many outside the majority.
    pub fn floor(&self, rows: u64, majority: u64) -> u64 {
        if self.classification { rows - majority } else { rows * self.each(rows) }
    }

    /// What one record of a class of the finest candidate costs at least (discernibility).
    pub fn each(&self, rows: u64) -> u64 {
        rows.max(self.least_rows)
    }

    /// The cost of a class.
    pub fn cost(&self, part: &Part) -> u64 {
        match (part.holds, self.classification) {
            (true, false) => part.rows * part.rows,
            (true, true) => part.rows - part.majority,
            (false, false) => part.rows * self.rows,
            (false, true) => part.rows,
        }
    }

    /// The records of a class that are suppressed.
    pub fn suppressed(&self, part: &Part) -> u64 {
        match (part.holds, part.rows) {
            (true, _) => 0,
            (false, 0) => self.never(),
            (false, rows) => rows,
        }
    }

    /// What a class costs at least, however it is cut further. `dearest` is what the record that costs most in it
    /// costs at least, so that suppressing any of them adds no less than n - `dearest`.
    pub fn bound(&self, part: &Part, dearest: u64) -> u64 {
        match (part.least, self.classification) {
            _ if part.rows == 0 => 0,
            (least, true) => part.floor.max(least),
            (least, false) if least == part.rows => part.rows * self.rows,
            (least, false) => part.floor + least * (self.rows - dearest),
        }
    }

    /// Whether cutting a class that holds into these parts, or any part of it by the same boundary, may pay.
    /// Only for absorbing criteria: then whatever lies in a failing part fails.
    ///
    /// Let a' and b' be the parts of a class of some finer candidate, a' failing. Uncut it costs at most
    /// (a' + b')², cut at least n·a' + b'², which is no less when n ≥ a' + 2b'. For classification, what does not
    /// have the majority label is at most a' more than in b' alone.
    pub fn may_pay(&self, whole: &Part, left: &Part, right: &Part) -> bool {
        if !whole.holds || (!left.holds && !right.holds) {
            return false;
        }
        if left.holds && right.holds {
            return true;
        }
        let (failing, holding) = if left.holds { (right, left) } else { (left, right) };
        !self.classification && self.rows < failing.rows + 2 * holding.rows
    }
}

/// One histogram for each column that is counted.
#[derive(Debug)]
pub(super) struct Counters(Vec<Counter>);

#[derive(Debug)]
struct Counter {
    counts: Vec<u32>,
    present: Vec<u32>,
    /// Per code where it stands in `present`.
    position: Vec<u32>,
}

impl Counter {
    fn view(&self, rows: u64) -> Histogram<'_> {
        Histogram { counts: &self.counts, present: &self.present, total: rows }
    }
}

impl Counters {
    pub fn add(&mut self, entry: Entry) {
        let counter = &mut self.0[entry.histogram as usize];
        let count = &mut counter.counts[entry.code as usize];
        if *count == 0 {
            counter.position[entry.code as usize] = counter.present.len() as u32;
            counter.present.push(entry.code);
        }
        *count += entry.count;
    }

    /// Takes away what was added before.
    pub fn subtract(&mut self, entry: Entry) {
        let counter = &mut self.0[entry.histogram as usize];
        let count = &mut counter.counts[entry.code as usize];
        *count -= entry.count;
        if *count == 0 {
            let position = counter.position[entry.code as usize];
            counter.present.swap_remove(position as usize);
            if let Some(&moved) = counter.present.get(position as usize) {
                counter.position[moved as usize] = position;
            }
        }
    }

    pub fn clear(&mut self) {
        for counter in &mut self.0 {
            for code in counter.present.drain(..) {
                counter.counts[code as usize] = 0;
            }
        }
    }
}
