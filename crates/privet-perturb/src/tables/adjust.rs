//! Controlled tabular adjustment: sensitive cells are moved by at least their protection, up or down, other cells as
//! little as possible, and the margins stay (survey ME-37, PM-37; Dandekar and Cox, Castro).
//!
//! A mixed integer program: per cell a whole number by which it rises and one by which it falls, per sensitive cell
//! which of the two, per count of a margin an equation; the least weighted sum of all moves (the norm L1), or
//! the least largest move (L∞, `largest.rs`). L2, which the survey names too, needs a quadratic program, and is not here. Directions are searched here (`directions.rs`), linear programs are solved by `good_lp` with its
//! solver in Rust (`program.rs`).
//!
//! # Guarantee
//! Whatever is returned was checked in whole numbers: every margin is as before, no count is negative, every sensitive
//! cell moved by at least its protection, no cell by more than its limit. [`Method::Exact`]: no table that keeps to all
//! this has a smaller weighted change, but for the solver's tolerance of about 1e-6. That is always so for up to 7
//! sensitive cells in a table of up to 200, and often far beyond. [`Method::FixedDirections`]: the search of directions was
//! ended before it was through; the change is the least for the directions that were tried, not of all. Where fixed
//! directions leave fractions, which tables with at most two margins never do, tables of more than 1000 cells are refused.
//!
//! No formal privacy, and no randomness: who knows the protections, and what is minimized, may find out the direction of
//! some cells, or their counts if few tables fit. Sensitive cells never stay what they were, which also tells something.

mod directions;
mod largest;
mod program;

pub use largest::adjust_evenly;

use super::{Counts, TableError, too_many_records};
use crate::PerturbError;

/// The most cells that are adjusted.
const MOST_CELLS: usize = 20_000;
/// The solver's whole numbers have 32 bits.
const MOST_RECORDS: u64 = i32::MAX as u64;

/// A cell that must not stay what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Protected {
    /// The cell, in row-major order.
    pub cell: usize,
    /// By how much it must fall, at least, if it falls.
    pub down: u64,
    /// By how much it must rise, at least, if it rises.
    pub up: u64,
}

/// What is to be adjusted.
#[derive(Debug, Clone, Copy)]
pub struct Adjustment<'a> {
    /// The table.
    pub table: &'a Counts,
    /// The sets of columns whose counts stay; without any, only the total does.
    pub margins: &'a [Vec<usize>],
    /// The cells that must move.
    pub sensitive: &'a [Protected],
    /// Per cell what it costs to move it by one; 1 for all if there are none.
    pub weights: Option<&'a [f64]>,
    /// Per cell by how much it may move at most; without bound if there are none. A limit of 0 holds a cell, for
    /// instance one that cannot be anything but empty.
    pub limits: Option<&'a [u64]>,
}

/// How directions were chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// All were searched, or shown to be no better.
    Exact,
    /// Some were tried.
    FixedDirections {
        /// How many linear programs were solved, at least.
        tried: usize,
    },
}

/// A table after adjustment.
#[derive(Debug, Clone, PartialEq)]
pub struct Adjusted {
    /// The table.
    pub table: Counts,
    /// The weighted sum of all moves.
    pub change: f64,
    /// How many cells moved.
    pub moved: usize,
    /// How directions were chosen.
    pub method: Method,
}

/// Adjusts a table.
///
/// # Errors
/// When a margin, a protection, a weight or a limit is malformed, the table is too large, or no table keeps to all that is
/// asked; the error then names a cell that cannot be protected even alone, if there is one.
pub fn adjust_table(adjustment: &Adjustment<'_>) -> Result<Adjusted, TableError> {
    Problem::new(adjustment)?.search()
}

struct Problem<'a> {
    table: &'a Counts,
    sensitive: Vec<Protected>,
    weights: Vec<f64>,
    /// Per cell by how much it can fall and rise.
    room: Vec<(u64, u64)>,
    /// Per count of each margin its cells.
    sums: Vec<Vec<u32>>,
    /// Per cell the counts of margins it is part of.
    sums_of: Vec<Vec<u32>>,
}

impl<'a> Problem<'a> {
    fn new(adjustment: &Adjustment<'a>) -> Result<Self, TableError> {
        let table = adjustment.table;
        let cells = table.counts.len();
        if cells > MOST_CELLS {
            let what = "the number of cells to adjust";
            return Err(PerturbError::TooLarge { what, found: cells, most: MOST_CELLS }.into());
        }
        if table.records() > MOST_RECORDS {
            return Err(too_many_records(table.records(), MOST_RECORDS));
        }
        let length = |what, found| match found {
            Some(found) if found != cells => Err(PerturbError::Length { what, found, expected: cells }),
            _ => Ok(()),
        };
        length("weights", adjustment.weights.map(<[f64]>::len))?;
        length("limits", adjustment.limits.map(<[u64]>::len))?;
        let weights = adjustment.weights.map_or_else(|| vec![1.0; cells], <[f64]>::to_vec);
        if weights.iter().any(|weight| !(0.0..=1e6).contains(weight)) {
            let accepted = "numbers from 0 to 1e6";
            return Err(PerturbError::Parameter { name: "weights of cells", accepted }.into());
        }
        let mut sensitive = adjustment.sensitive.to_vec();
        sensitive.sort_unstable_by_key(|own| own.cell);
        let twice = sensitive.windows(2).any(|pair| pair[0].cell == pair[1].cell); // why: windows of two
        if twice || sensitive.last().is_some_and(|last| last.cell >= cells) {
            let accepted = "cells of the table, each at most once";
            return Err(PerturbError::Parameter { name: "sensitive cells", accepted }.into());
        }
        if sensitive.iter().any(|own| own.down == 0 || own.up == 0) {
            let accepted = "at least 1 in both directions";
            return Err(PerturbError::Parameter { name: "protections", accepted }.into());
        }
        let mut margins = table.checked(adjustment.margins)?;
        if margins.is_empty() {
            margins.push(Vec::new());
        }
        let (mut sums, mut sums_of) = (Vec::new(), vec![Vec::with_capacity(margins.len()); cells]);
        let mut room: Vec<(u64, u64)> = table.counts.iter().map(|&count| (count, MOST_RECORDS)).collect();
        for margin in &margins {
            let (entry, entries) = table.entries(margin);
            let totals = table.margin(margin).unwrap_or_default();
            let start = sums.len();
            sums.resize(start + entries, Vec::new());
            for (cell, &entry) in entry.iter().enumerate() {
                let sum = start + entry as usize;
                sums[sum].push(cell as u32); // why: one list per entry
                sums_of[cell].push(sum as u32); // why: one list per cell
                let up = &mut room[cell].1; // why: one room per cell
                *up = (*up).min(totals[entry as usize] - table.counts[cell]); // why: a total is at least its parts
            }
        }
        if let Some(limits) = adjustment.limits {
            for (room, &limit) in room.iter_mut().zip(limits) {
                *room = (room.0.min(limit), room.1.min(limit));
            }
        }
        let problem = Self { table, sensitive, weights, room, sums, sums_of };
        match problem.sensitive.iter().find(|own| !problem.can_fall(own) && !problem.can_rise(own)) {
            Some(own) => Err(TableError::NoRoom { cell: own.cell }),
            None => Ok(problem),
        }
    }

    fn cells(&self) -> usize {
        self.room.len()
    }

    fn can_fall(&self, own: &Protected) -> bool {
        self.room.get(own.cell).is_some_and(|room| room.0 >= own.down)
    }

    fn can_rise(&self, own: &Protected) -> bool {
        self.room.get(own.cell).is_some_and(|room| room.1 >= own.up)
    }

    fn protects(&self, moves: &[i64]) -> bool {
        self.sensitive.iter().all(|own| {
            moves.get(own.cell).is_some_and(|&by| {
                let protection = if by > 0 { own.up } else { own.down };
                by.unsigned_abs() >= protection
            })
        })
    }

    /// The moved table, if it keeps in whole numbers to all that is promised.
    fn checked(&self, moves: &[i64], method: Method) -> Result<Adjusted, TableError> {
        let fits = |(&by, &(fall, rise)): (&i64, &(u64, u64))| by >= -(fall as i64) && by <= rise as i64;
        let kept =
            |cells: &Vec<u32>| cells.iter().filter_map(|&cell| moves.get(cell as usize)).sum::<i64>() == 0;
        if !moves.iter().zip(&self.room).all(fits) || !self.sums.iter().all(kept) || !self.protects(moves) {
            return Err(TableError::Unstable);
        }
        let counts = self
            .table
            .counts
            .iter()
            .zip(moves)
            .map(|(&count, &by)| count.saturating_add_signed(by))
            .collect();
        let change =
            moves.iter().zip(&self.weights).map(|(by, weight)| by.unsigned_abs() as f64 * weight).sum();
        Ok(Adjusted {
            table: Counts { sizes: self.table.sizes.clone(), counts },
            change,
            moved: moves.iter().filter(|&&by| by != 0).count(),
            method,
        })
    }
}

#[cfg(test)]
mod tests;
