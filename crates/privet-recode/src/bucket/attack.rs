//! What an outsider can compute about a suppressed count (survey AT-06, AT-07): the least and the most that it can be
//! given everything that is published and that no count is negative.
//!
//! It knows nothing of how cells were chosen and shares no code with `protection.rs` but the shape of the table, so it
//! can serve as a check of it.
//!
//! **Guarantee.** Every table of whole numbers that agrees with what is published has the cell within the interval.
//! In tables of one or two columns both ends are reached by such tables (the sums form a network, whose extreme points
//! are whole); with three or more columns an outsider who tries all whole numbers may know a little more.

use std::collections::BTreeMap;

use super::count_table::Shape;
use super::program::{Goal, Optimum, Program};
use crate::lattice::SearchError;

/// How far off a solution may be before it is rounded to whole numbers.
const SLACK: f64 = 1e-4;

/// A table of counts as it is published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    pub(super) shape: Shape,
    /// Per cell its count, in the order of the table; `None` when it is suppressed.
    pub cells: Vec<Option<u64>>,
}

impl Published {
    /// How cells depend on each other: per total that is a sum of others, the cells with a factor each (-1 for the total
    /// and 1 for its parts) whose counts add up to 0.
    pub fn sums(&self) -> Vec<Vec<(usize, i64)>> {
        let mut sums: BTreeMap<usize, Vec<(usize, i64)>> = BTreeMap::new();
        for cell in 0..self.cells.len().min(self.shape.cells) {
            for (sum, sign) in self.shape.sums(cell) {
                sums.entry(sum).or_default().push((cell, sign));
            }
        }
        sums.into_values().collect()
    }
}

/// From the least to the most that a count can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    /// The least.
    pub low: u64,
    /// The most; `None` when nothing published limits it.
    pub high: Option<u64>,
}

/// The interval of a cell to whoever sees the published table and nothing else.
///
/// # Errors
/// When there is no such cell, the published cells contradict each other, or the bounds cannot be computed.
pub fn attack_interval(published: &Published, cell: usize) -> Result<Interval, SearchError> {
    let Some(count) = published.cells.get(cell) else {
        return Err(SearchError::NoBounds { problem: "there is no such cell" });
    };
    if let Some(count) = *count {
        return Ok(Interval { low: count, high: Some(count) });
    }
    let (program, variable) = program(published, cell);
    let bound = |goal| match program.optimize(&[(variable, 1.0)], goal)? {
        Optimum::At(value, _) => Ok(Some(value)),
        Optimum::Unbounded => Ok(None),
        Optimum::Infeasible => {
            Err(SearchError::NoBounds { problem: "the published counts contradict each other" })
        }
    };
    let low = bound(Goal::Least)?.unwrap_or(0.0);
    let high = bound(Goal::Most)?;
    Ok(Interval {
        low: (low - SLACK).ceil().max(0.0) as u64,
        high: high.map(|high| (high + SLACK).floor().max(0.0) as u64),
    })
}

/// The counts that are possible, and the variable of a suppressed cell.
fn program(published: &Published, cell: usize) -> (Program, usize) {
    let shape = &published.shape;
    let mut program = Program::default();
    let mut variable = 0;
    // Per sum its unknown cells, and what the known ones add up to.
    let mut sums: BTreeMap<usize, (Vec<(usize, f64)>, i128)> = BTreeMap::new();
    for (other, count) in published.cells.iter().enumerate() {
        if other == cell {
            variable = program.bounds.len();
        }
        for (sum, sign) in shape.sums(other) {
            let (unknown, known) = sums.entry(sum).or_default();
            match *count {
                Some(count) => *known += i128::from(sign) * i128::from(count),
                None => unknown.push((program.bounds.len(), sign as f64)),
            }
        }
        if count.is_none() {
            program.bounds.push((0.0, f64::INFINITY));
        }
    }
    program.equalities.extend(
        sums.into_values()
            .filter(|(unknown, _)| !unknown.is_empty())
            .map(|(unknown, known)| (unknown, -known as f64)),
    );
    (program, variable)
}
