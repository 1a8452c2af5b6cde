//! The fewest suppressed cells (survey ME-04), for small tables.
//!
//! Guarantee: no k-anonymous release suppresses fewer cells.
//!
//! Dynamic programming over what remains to be grouped: how many copies of each distinct record. The next group
//! holds a copy of the first tuple that remains, because some group must, and groups can be taken in any order.
//! Groups have k to 2k - 1 records: a larger one can be cut in two, which suppresses nothing more. The survey
//! enumerates partitions for up to 12 records; sharing what remains goes further, and equal records are told
//! apart only by their number.

use privet_data::Progress;

use crate::lattice::SearchError;

use super::group::{Group, varying};
use super::tuples::Tuples;

/// The most pairs of a remainder and a next group: those of 18 different records. Tables within it have at most
/// 2^18 remainders.
const MOST_STEPS: u128 = 3u128.pow(18);

const TOO_LARGE: SearchError = SearchError::Parameter {
    key: "search.cell-suppression.method",
    problem: "is `exact`, which is for tables of at most 18 different records (more when many are equal); \
              use `aggarwal` or `meyerson-williams`, which tell how far from the optimum they can be",
};

/// Groups of least cost.
pub fn solve(tuples: &Tuples, k: u64, progress: &dyn Progress) -> Result<Vec<Group>, SearchError> {
    let pairs = |&copies: &u64| u128::from(copies + 1) * u128::from(copies + 2) / 2;
    let steps = tuples.copies.iter().map(pairs).fold(1, u128::saturating_mul);
    if steps > MOST_STEPS {
        return Err(TOO_LARGE);
    }
    // A remainder is a number: the digit of a tuple is how many copies of it remain.
    let mut full = 1;
    let strides: Vec<usize> = tuples
        .copies
        .iter()
        .map(|&copies| {
            let stride = full;
            full *= copies as usize + 1;
            stride
        })
        .collect();
    full -= 1;
    let mut table = Table {
        k,
        most: k.saturating_mul(2) - 1,
        stars: stars_of_supports(tuples),
        least: vec![u64::MAX; full + 1],
        before: vec![0; full + 1],
        remains: Vec::new(),
    };
    table.least[full] = 0;
    progress.stage("grouping records optimally", Some(full as u64 + 1));
    for remainder in (1..=full).rev() {
        if remainder % 64 == 0 {
            progress.at((full - remainder) as u64);
            progress.check()?;
        }
        if table.least[remainder] < u64::MAX {
            let digit = |tuple: usize| remainder / strides[tuple] % (tuples.copies[tuple] as usize + 1);
            table.remains.clear();
            for (tuple, &stride) in strides.iter().enumerate().filter(|&(tuple, _)| digit(tuple) > 0) {
                table.remains.push(Remaining {
                    tuple,
                    copies: digit(tuple) as u64,
                    stride,
                    rows_from_here: 0,
                });
            }
            table.step(remainder);
        }
    }

    let mut groups = Vec::new();
    let mut remainder = 0;
    while remainder < full {
        let before = table.before[remainder];
        let taken = before - remainder;
        let digit = |tuple: usize| taken / strides[tuple] % (tuples.copies[tuple] as usize + 1);
        let members: Vec<(u32, u64)> = (0..tuples.len())
            .map(|tuple| (tuple as u32, digit(tuple) as u64))
            .filter(|&(_, copies)| copies > 0)
            .collect();
        let rows = members.iter().map(|(_, copies)| copies).sum();
        groups.push(Group { varying: varying(tuples, &members), members, rows });
        remainder = before;
    }
    groups.reverse();
    Ok(groups)
}

/// Per set of tuples how many columns vary in it.
fn stars_of_supports(tuples: &Tuples) -> Vec<u32> {
    let mut stars = vec![0; 1 << tuples.len()];
    // Per tuple and column the tuples with the same code.
    let alike: Vec<Vec<usize>> = (0..tuples.len())
        .map(|tuple| {
            (0..tuples.width)
                .map(|column| {
                    let same = |&other: &usize| tuples.codes(other)[column] == tuples.codes(tuple)[column];
                    (0..tuples.len()).filter(same).fold(0, |set, other| set | 1 << other)
                })
                .collect()
        })
        .collect();
    for (support, stars) in stars.iter_mut().enumerate().skip(1) {
        let first = support.trailing_zeros() as usize;
        *stars = alike[first].iter().filter(|&&alike| support & !alike != 0).count() as u32;
    }
    stars
}

/// A tuple of the remainder at hand.
struct Remaining {
    tuple: usize,
    copies: u64,
    stride: usize,
    /// Records of this tuple and those after it.
    rows_from_here: u64,
}

struct Table {
    k: u64,
    most: u64,
    stars: Vec<u32>,
    /// Per remainder the least cost of the groups taken before it.
    least: Vec<u64>,
    /// Per remainder the one before the last group was taken.
    before: Vec<usize>,
    remains: Vec<Remaining>,
}

impl Table {
    /// Takes every possible next group from the remainder at hand.
    fn step(&mut self, remainder: usize) {
        let mut rows = 0;
        for remaining in self.remains.iter_mut().rev() {
            rows += remaining.copies;
            remaining.rows_from_here = rows;
        }
        self.take(remainder, 0, 0, 0, 0);
    }

    /// Extends a group by copies of the tuples from position `at` on. `taken` is the group as a number.
    fn take(&mut self, remainder: usize, at: usize, rows: u64, taken: usize, support: usize) {
        let Some(next) = self.remains.get(at) else {
            let left = self.remains.first().map_or(0, |first| first.rows_from_here) - rows;
            if rows >= self.k && (left == 0 || left >= self.k) {
                let cost = self.least[remainder] + rows * u64::from(self.stars[support]);
                let after = remainder - taken;
                if cost < self.least[after] {
                    self.least[after] = cost;
                    self.before[after] = remainder;
                }
            }
            return;
        };
        if rows + next.rows_from_here < self.k {
            return;
        }
        let (tuple, stride) = (next.tuple, next.stride);
        let most = next.copies.min(self.most - rows);
        for copies in u64::from(at == 0)..=most {
            let support = if copies > 0 { support | 1 << tuple } else { support };
            self.take(remainder, at + 1, rows + copies, taken + copies as usize * stride, support);
        }
    }
}
