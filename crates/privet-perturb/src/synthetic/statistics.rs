//! How often a synthetic value is what was replaced, and how often chance alone would make it so.
//!
//! # Guarantee
//! Counts over all copies, exact. Missing values are values here, as are both zeros one. They compare with the original:
//! they are for the owner, and hold no value of the data.

use std::collections::{HashMap, HashSet};

use super::Frame;
use super::plan::Task;

/// What is told of a column over all copies.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ColumnStatistics {
    /// The column.
    pub column: usize,
    /// The values that were made, over all copies.
    pub made: usize,
    /// The share of them that equal the value they replace; `None` when all records are new.
    pub equal: Option<f64>,
    /// The share that would, if they were dealt out to the replaced records at random.
    pub by_chance: f64,
    /// The share that equal some value that only one record of the original has.
    pub of_one_record: f64,
}

/// What is told of the copies together.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Statistics {
    /// Per column that was made, in the order of the plan.
    pub columns: Vec<ColumnStatistics>,
    /// The share of records of copies, among those that were made, that equal a record of the original in all columns.
    pub copied_records: f64,
}

pub(super) fn compare(task: &Task<'_>, copies: &[Frame]) -> Statistics {
    let values = (copies.len() * task.made.len()).max(1) as f64;
    let mut columns = Vec::with_capacity(task.targets.len());
    for &column in &task.targets {
        let original = &task.frame.columns()[column];
        let mut counts: HashMap<u64, u32> = HashMap::new();
        for &row in &task.learned {
            *counts.entry(original.word(row as usize)).or_default() += 1;
        }
        let (mut equal, mut chance, mut single) = (0usize, 0u64, 0usize);
        for copy in copies {
            let own = &copy.columns()[column];
            for &row in &task.made {
                let word = own.word(row as usize);
                let count = counts.get(&word).copied().unwrap_or(0);
                chance += u64::from(count);
                single += usize::from(count == 1);
                equal += usize::from(!task.full && original.word(row as usize) == word);
            }
        }
        columns.push(ColumnStatistics {
            column,
            made: copies.len() * task.made.len(),
            equal: (!task.full).then(|| equal as f64 / values),
            by_chance: chance as f64 / values / task.learned.len().max(1) as f64,
            of_one_record: single as f64 / values,
        });
    }
    let words = |frame: &Frame, row: u32, into: &mut Vec<u64>| {
        into.clear();
        into.extend(frame.columns().iter().map(|column| column.word(row as usize)));
    };
    let mut record = Vec::with_capacity(task.frame.columns().len());
    let mut known: HashSet<Box<[u64]>> = HashSet::with_capacity(task.frame.records());
    for row in 0..task.frame.records() as u32 {
        words(task.frame, row, &mut record);
        known.insert(record.as_slice().into());
    }
    let mut copied = 0usize;
    for copy in copies {
        for &row in &task.made {
            words(copy, row, &mut record);
            copied += usize::from(known.contains(record.as_slice()));
        }
    }
    Statistics { columns, copied_records: copied as f64 / values }
}
