//! Weights for the values behind labels (survey US-02, OLAP over imprecise data): a value that the other records have often
//! is more likely to stand behind a label than one that they rarely have.
//!
//! A record whose label stands for several values is allocated to them by weights, and the weights are what all records add
//! up to when they are allocated so: the fixed point of an expectation-maximization, started from equal weights, that makes
//! the labels most likely when nobody's label depends on which of the values behind it is theirs. Where every label has
//! values of its own, as on one level of a hierarchy, nothing is known of what is more likely and the weights stay equal.
//!
//! # Guarantee
//! Bounds do not change; only expectations do. Columns are weighed one by one, so they stay independent behind their labels.
//! Left as they are: columns with labels that have no end or cannot be read, fractions, masks, buckets, and ranges over
//! more than 50,000 values. Deterministic.

use privet_data::{Domain, Kind, date_of};

use super::{AnswerCells, AnswerColumn, Records, Region, Values};

/// Ranges over more values than this are not listed.
const MOST_LISTED: f64 = 50_000.0;
/// Listed values of all labels together.
const MOST_ENTRIES: f64 = 2e7;
const ROUNDS: usize = 500;

impl Records {
    /// Weighs the values behind labels by how often records have them.
    pub fn allocate(&mut self) {
        for column in &mut self.columns {
            if let AnswerCells::PerRecord(codes) = &column.cells {
                let mut counts = vec![0.0; column.regions.len()];
                for &code in codes {
                    if let Some(count) = counts.get_mut(code as usize) {
                        *count += 1.0;
                    }
                }
                list(column);
                if let Some(weights) = weights(column, &counts) {
                    column.weights = weights;
                }
            }
        }
    }
}

/// Ranges of whole numbers or days as lists of them, so that each can have a weight.
fn list(column: &mut AnswerColumn) {
    if !matches!(column.kind, Kind::Integer | Kind::Date) {
        return;
    }
    let range = |region: &Region| match region {
        Region { values: Values::Range { from, to, open, whole: true, spread: None }, or_missing: false } => {
            let last = if *open { to.ceil() - 1.0 } else { to.floor() };
            let first = from.ceil();
            (first.is_finite() && last.is_finite() && first <= last && first.abs().max(last.abs()) < 1e15)
                .then_some((first, last))
        }
        _ => None,
    };
    let Some(ranges) = column.regions.iter().map(range).collect::<Option<Vec<_>>>() else { return };
    let first = ranges.iter().map(|own| own.0).fold(f64::INFINITY, f64::min);
    let last = ranges.iter().map(|own| own.1).fold(f64::NEG_INFINITY, f64::max);
    let entries: f64 = ranges.iter().map(|own| own.1 - own.0 + 1.0).sum();
    if ranges.is_empty() || last - first + 1.0 > MOST_LISTED || entries > MOST_ENTRIES {
        return;
    }
    let (begin, end) = (first as i64, last as i64);
    let text = |number: i64| match column.kind {
        Kind::Date => date_of(number).into_boxed_str(),
        _ => number.to_string().into_boxed_str(),
    };
    let values = Domain::from_sorted((begin..=end).map(text).collect(), 0, column.kind);
    let listed = |&(from, to): &(f64, f64)| {
        Region::listed(
            (from as i64 - begin..=to as i64 - begin).map(|code| code as u32).collect::<Vec<u32>>(),
        )
    };
    column.regions = ranges.iter().map(listed).collect();
    column.values = values;
}

/// The fixed point; `None` when some label is no list.
fn weights(column: &AnswerColumn, counts: &[f64]) -> Option<Vec<f64>> {
    let lists: Vec<&[u32]> = column
        .regions
        .iter()
        .map(|region| match &region.values {
            Values::Listed(codes) => Some(codes.as_slice()),
            _ => None,
        })
        .collect::<Option<_>>()?;
    let total: f64 = counts.iter().sum();
    let mut weights = vec![1.0; column.values.len()];
    for _ in 0..ROUNDS {
        let mut next = vec![0.0; weights.len()];
        for (codes, &count) in lists.iter().zip(counts).filter(|own| *own.1 > 0.0) {
            let weight = |code: &u32| weights.get(*code as usize).copied().unwrap_or(0.0);
            let all: f64 = codes.iter().map(weight).sum();
            for code in codes.iter() {
                if let Some(slot) = next.get_mut(*code as usize)
                    && all > 0.0
                {
                    *slot += count * weight(code) / all;
                }
            }
        }
        let moved = weights.iter().zip(&next).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        weights = next;
        if moved <= 1e-10 * total.max(1.0) {
            break;
        }
    }
    Some(weights)
}
