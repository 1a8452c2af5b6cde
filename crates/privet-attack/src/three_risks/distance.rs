//! How far people are from published records (Gower 1971, with intervals), and the nearest.
//!
//! In a column of numbers the distance is how far the value is from the label's interval, as a share of the column's range;
//! in a column of text it is 0 where the label may stand for the value and 1 otherwise. Of labels that hold the value the
//! narrower is slightly nearer. What is missing is at distance 0 from what is missing and 1 from everything else. Distances
//! add up over columns.

use privet_data::Random;

use super::{Beside, Column, Label, Value};

/// What the width of a whole column adds to the distance: less than any difference of values counts for.
const WIDTH: f32 = 1e-3;

/// Sums of the same distances in the same order are equal; those of others that differ by this are not told apart.
const SAME: f32 = 1e-6;

/// Finds the nearest records by some columns.
pub struct Nearest<'a> {
    columns: Vec<&'a Column>,
    ranges: Vec<f64>,
    records: usize,
}

/// Whom records are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// People of the original.
    Original,
    /// People of the control.
    Control,
}

impl<'a> Nearest<'a> {
    /// By these columns.
    pub fn new(beside: &'a Beside<'_>, columns: &[usize]) -> Self {
        let columns: Vec<&Column> = columns.iter().filter_map(|&at| beside.columns.get(at)).collect();
        let ranges = columns.iter().map(|own| range(own)).collect();
        Self { columns, ranges, records: beside.records }
    }

    /// Works out the distances of a person from all records.
    pub fn distances(&self, whose: Whose, person: u32, into: &mut Vec<f32>, labels: &mut Vec<f32>) {
        into.clear();
        into.resize(self.records, 0.0);
        for (column, &range) in self.columns.iter().zip(&self.ranges) {
            let codes = match whose {
                Whose::Original => Some(&column.original),
                Whose::Control => column.control.as_ref(),
            };
            let code = codes.and_then(|own| own.get(person as usize)).copied();
            let value = code.map_or(Value::Missing, |code| column.value(code));
            labels.clear();
            labels.extend(
                column.labels.iter().map(|label| distance(value, code, label, range, column.values.len())),
            );
            for (sum, &label) in into.iter_mut().zip(&column.published) {
                *sum += labels.get(label as usize).copied().unwrap_or(1.0);
            }
        }
    }

    /// All records that are nearest, but for some, and how far they are.
    pub fn nearest(distances: &[f32], without: &[u32], found: &mut Vec<u32>) -> f32 {
        found.clear();
        let mut least = f32::INFINITY;
        for (record, &own) in (0u32..).zip(distances) {
            if own > least + SAME || without.contains(&record) {
                continue;
            }
            if own < least - SAME {
                found.clear();
                least = own;
            }
            found.push(record);
        }
        least
    }

    /// The k nearest, but for some; of those that are as near as the last a random choice.
    pub fn some_nearest(distances: &[f32], without: &[u32], k: usize, random: &mut Random) -> Vec<u32> {
        let mut found = Vec::new();
        if k == 1 {
            Self::nearest(distances, without, &mut found);
        } else {
            let mut all: Vec<(f32, u32)> =
                distances.iter().copied().zip(0u32..).filter(|own| !without.contains(&own.1)).collect();
            if all.len() > k {
                all.select_nth_unstable_by(k - 1, |a, b| a.0.total_cmp(&b.0));
                let last = all.get(k - 1).map_or(0.0, |own| own.0);
                let beyond = distances.iter().zip(0u32..).filter(|own| (own.0 - last).abs() <= SAME);
                let mut found: Vec<u32> =
                    all.iter().take(k).filter(|own| own.0 < last - SAME).map(|own| own.1).collect();
                let mut ties: Vec<u32> =
                    beyond.map(|own| own.1).filter(|own| !without.contains(own)).collect();
                random.shuffle(&mut ties);
                found.extend(ties.into_iter().take(k - found.len()));
                return found;
            }
            return all.into_iter().map(|own| own.1).collect();
        }
        match found.len() {
            0 => found,
            ties => found.get(random.below(ties)).copied().into_iter().collect(),
        }
    }
}

/// The difference of the largest and the smallest number, in values and labels.
fn range(column: &Column) -> f64 {
    let (mut from, mut to) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut take = |number: f64| {
        if number.is_finite() {
            (from, to) = (from.min(number), to.max(number));
        }
    };
    column.values.iter().for_each(|own| {
        if let Value::Number(number) = own {
            take(*number);
        }
    });
    column.labels.iter().for_each(|own| {
        if let Label::Between(low, high) = own {
            take(*low);
            take(*high);
        }
    });
    if to > from { to - from } else { 1.0 }
}

/// How far a value is from a label.
fn distance(value: Value, code: Option<u32>, label: &Label, range: f64, values: usize) -> f32 {
    match (value, label) {
        (Value::Missing, Label::Missing) => 0.0,
        (_, Label::Anything) => WIDTH,
        (Value::Number(own), Label::Between(low, high)) => {
            let gap = (low - own).max(own - high).max(0.0) / range;
            let width = if high > low { (high - low) / range } else { 0.0 };
            gap.min(1.0) as f32 + WIDTH * width.min(1.0) as f32
        }
        (_, Label::Values(all)) if code.is_some_and(|code| all.binary_search(&code).is_ok()) => {
            WIDTH * all.len().saturating_sub(1) as f32 / values.max(1) as f32
        }
        _ => 1.0,
    }
}
