//! The distinct records of a table, how far they lie apart, and a lower bound on what must be suppressed.
//!
//! The distance of two records is the number of columns in which they differ (Hamming). One record is compared
//! with all others column by column, which compilers turn into vector instructions.

use std::sync::atomic::{AtomicU64, Ordering};

use foldhash::{HashMap, HashMapExt};
use privet_data::{Cancelled, Progress};
use rayon::prelude::*;

use crate::lattice::{Problem, Quasi, SearchError};

/// Distances are counted in 16 bits, and the largest number is kept free.
const MOST_COLUMNS: usize = u16::MAX as usize - 1;

/// The distinct records, over the columns that have more than one value.
#[derive(Debug)]
pub struct Tuples {
    /// Per tuple how many records have it.
    pub copies: Vec<u64>,
    /// Per record its tuple. Tuples are numbered in the order in which they first appear.
    pub of_record: Vec<u32>,
    /// How many columns there are.
    pub width: usize,
    // Tuple after tuple its codes.
    codes: Vec<u32>,
    columns: Columns,
}

/// The same codes column by column, as narrow as their number allows.
#[derive(Debug)]
enum Columns {
    Narrow(Vec<Vec<u16>>),
    Wide(Vec<Vec<u32>>),
}

/// Per record what is published of a column where it is not suppressed: several markers of a missing value are one.
pub(super) fn published<'a>(quasi: &Quasi<'a>) -> impl Iterator<Item = u32> + 'a {
    let values: &[u32] = quasi.generalization.levels.first().map_or(&[], |level| &level.node_of_code);
    quasi.codes.iter().map(|&code| values.get(code as usize).copied().unwrap_or(code))
}

impl Tuples {
    /// Finds the distinct records of a problem.
    pub fn new(problem: &Problem<'_>) -> Result<Self, SearchError> {
        let varying: Vec<Vec<u32>> = problem
            .quasi
            .iter()
            .map(|quasi| published(quasi).collect::<Vec<u32>>())
            .filter(|values| values.windows(2).any(|pair| pair[0] != pair[1]))
            .collect();
        if varying.len() > MOST_COLUMNS {
            return Err(SearchError::TooWide { words: varying.len().div_ceil(64) });
        }
        let mut of_record = vec![0u32; problem.rows];
        for codes in &varying {
            let mut numbers: HashMap<u64, u32> = HashMap::new();
            for (tuple, &code) in of_record.iter_mut().zip(codes) {
                let next = numbers.len() as u32;
                *tuple = *numbers.entry(u64::from(*tuple) << 32 | u64::from(code)).or_insert(next);
            }
        }
        let mut copies: Vec<u64> = Vec::new();
        let mut codes = Vec::new();
        for (record, &tuple) in of_record.iter().enumerate() {
            if tuple as usize == copies.len() {
                copies.push(0);
                codes.extend(varying.iter().map(|column| column[record]));
            }
            copies[tuple as usize] += 1;
        }
        let width = varying.len();
        let columns = Columns::new(&codes, width);
        Ok(Self { copies, of_record, width, codes, columns })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.copies.len()
    }

    /// Words of a set of columns.
    pub fn words(&self) -> usize {
        self.width.div_ceil(64)
    }

    /// The codes of a tuple.
    pub fn codes(&self, tuple: usize) -> &[u32] {
        &self.codes[tuple * self.width..(tuple + 1) * self.width]
    }

    /// Adds to a set of columns those in which two tuples differ.
    pub fn add_differing(&self, a: usize, b: usize, columns: &mut [u64]) {
        for (column, (x, y)) in self.codes(a).iter().zip(self.codes(b)).enumerate() {
            columns[column / 64] |= u64::from(x != y) << (column % 64);
        }
    }

    /// The distance from one tuple to each.
    pub fn distances(&self, from: usize, distances: &mut Vec<u16>) {
        distances.clear();
        distances.resize(self.len(), 0);
        match &self.columns {
            Columns::Narrow(columns) => count_differing(columns, from, distances),
            Columns::Wide(columns) => count_differing(columns, from, distances),
        }
    }
}

impl Columns {
    fn new(codes: &[u32], width: usize) -> Self {
        // Codes are numbered anew: a column may hold few of the codes of its domain.
        let mut largest = 0;
        let wide: Vec<Vec<u32>> = (0..width)
            .map(|column| {
                let mut numbers: HashMap<u32, u32> = HashMap::new();
                let number = |&code: &u32| {
                    let next = numbers.len() as u32;
                    *numbers.entry(code).or_insert(next)
                };
                let numbered: Vec<u32> = codes[column..].iter().step_by(width).map(number).collect();
                largest = largest.max(numbers.len());
                numbered
            })
            .collect();
        if largest > usize::from(u16::MAX) + 1 {
            return Self::Wide(wide);
        }
        Self::Narrow(wide.iter().map(|column| column.iter().map(|&code| code as u16).collect()).collect())
    }
}

fn count_differing<T: Copy + PartialEq>(columns: &[Vec<T>], from: usize, distances: &mut [u16]) {
    // So many distances stay in the nearest cache while column after column is added.
    const BLOCK: usize = 4096;
    for (block, distances) in distances.chunks_mut(BLOCK).enumerate() {
        for column in columns {
            let own = column[from];
            for (distance, &other) in distances.iter_mut().zip(&column[block * BLOCK..]) {
                *distance += u16::from(other != own);
            }
        }
    }
}

/// How near the neighbours of each tuple are.
#[derive(Debug)]
pub struct Nearness {
    /// Per tuple the distance to the nearest other one; 0 where it has k copies and nobody asks.
    pub first: Vec<u16>,
    /// No k-anonymous release suppresses fewer cells.
    pub bound: u64,
}

/// Looks at all pairs.
///
/// Why `bound` is one: in a k-anonymous release a record r shares its published tuple with k - 1 others. The
/// farthest of them is at least as far from r as r's (k-1)-th nearest neighbour, and every column in which the
/// two differ must be suppressed in r. So r loses at least as many cells as that neighbour is far, and the sum of
/// this over all records is a lower bound.
pub fn nearness(tuples: &Tuples, k: u64, progress: &dyn Progress) -> Result<Nearness, Cancelled> {
    progress.stage("measuring how near records are", Some(tuples.len() as u64));
    let done = AtomicU64::new(0);
    let measured: Vec<(u16, u64)> = (0..tuples.len())
        .into_par_iter()
        .map_init(
            || (Vec::new(), vec![0u64; tuples.width + 1]),
            |(distances, rows_at), tuple| {
                progress.check()?;
                progress.at(done.fetch_add(1, Ordering::Relaxed) + 1);
                let own = tuples.copies[tuple];
                if own >= k {
                    return Ok((0, 0));
                }
                tuples.distances(tuple, distances);
                rows_at.fill(0);
                for (&distance, &copies) in distances.iter().zip(&tuples.copies) {
                    rows_at[usize::from(distance)] += copies;
                }
                // Only the tuple itself is at distance 0.
                let first = rows_at.iter().skip(1).position(|&rows| rows > 0).map_or(0, |at| at + 1);
                let mut within = 0;
                let reaches_k = |rows: &u64| {
                    within += rows;
                    within >= k
                };
                let kth = rows_at.iter().position(reaches_k).unwrap_or(0);
                Ok((first as u16, kth as u64 * own))
            },
        )
        .collect::<Result<_, Cancelled>>()?;
    let bound = measured.iter().map(|(_, least)| least).sum();
    Ok(Nearness { first: measured.into_iter().map(|(first, _)| first).collect(), bound })
}
