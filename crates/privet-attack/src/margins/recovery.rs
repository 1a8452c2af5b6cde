//! Recovery of suppressed counts (survey AT-07, after Algranati and Kadane): all tables of whole numbers that agree with
//! what is published, and the cells on which all of these agree.
//!
//! Cells that no unknown sum connects are separate problems. In each, bounds are narrowed sum by sum until nothing
//! changes; then the cell with the fewest values left is tried with each of them, and so on. **Guarantee.** Narrowed
//! bounds hold in every table. When a problem was gone through within the limit, its bounds are exact: some table reaches
//! each end. Otherwise the narrowed bounds are reported, and `complete` is false.

use privet_data::Progress;

use super::joint::{Joint, Margin, MarginsError};

/// As good as unlimited; far above any count, and sums of it fit.
const UNLIMITED: i128 = 1 << 70;
/// Counts above this are refused.
const MOST_RECORDS: u64 = 1 << 53;

/// Cells with signs (1 or -1) that add up to a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sum {
    /// Cells, each with whether it is added or (false) subtracted.
    pub terms: Vec<(usize, bool)>,
    /// What they add up to.
    pub total: i64,
}

/// Counts, of which some are suppressed, and what they are known to add up to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts {
    /// Per cell its count, or `None` when it is suppressed.
    pub cells: Vec<Option<u64>>,
    /// Sums of cells.
    pub sums: Vec<Sum>,
}

/// Why there is nothing to recover.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RecoveryError {
    /// A sum names a cell that there is not.
    #[error("sum {sum} names a cell that there is not; cells are counted from 0")]
    NoCell {
        /// The position of the sum.
        sum: usize,
    },
    /// Counts are too large.
    #[error("counts and totals must be at most 2^53")]
    TooLarge,
    /// No table agrees with what is published.
    #[error("no table of counts agrees with everything that is published")]
    Contradiction,
}

/// What all tables that agree with the published counts have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovery {
    /// Whether all tables were gone through.
    pub complete: bool,
    /// How many tables there are; at least so many when not complete.
    pub tables: u128,
    /// Per cell the least and the most that it can be; no most when nothing limits it.
    pub bounds: Vec<(u64, Option<u64>)>,
    /// Suppressed cells that can have only one count, with it, ascending.
    pub recovered: Vec<(usize, u64)>,
}

impl Recovery {
    /// How many records are in recovered cells: in a joint table, the records that are fully known.
    pub fn records(&self) -> u128 {
        self.recovered.iter().map(|&(_, count)| u128::from(count)).sum()
    }
}

impl Counts {
    /// The joint cells of margins, all unknown, that no margin excludes; and the values of each, by ascending column.
    ///
    /// # Errors
    /// When margins are malformed or contradict each other, or there are too many joint cells.
    pub fn of_margins(
        margins: &[Margin],
        progress: &dyn Progress,
    ) -> Result<(Self, Vec<Vec<u32>>), MarginsError> {
        let Joint { margins, cells, .. } = Joint::new(margins, progress)?;
        let mut sums = Vec::new();
        for margin in &margins {
            for (values, count) in &margin.cells {
                let inside = cells.iter().enumerate().filter(|(_, cell)| margin.key(cell) == *values);
                sums.push(Sum {
                    terms: inside.map(|(cell, _)| (cell, true)).collect(),
                    total: i64::try_from(*count).unwrap_or(i64::MAX),
                });
            }
        }
        Ok((Self { cells: vec![None; cells.len()], sums }, cells))
    }

    /// Per cell the least and the most that it can be, as far as going from sum to sum tells; no most when nothing limits it.
    pub(super) fn narrowed(&self) -> Result<Vec<(u64, Option<u64>)>, RecoveryError> {
        let mut search = Search::new(self)?;
        if !search.narrow_all() || !search.holds(0..self.sums.len() as u32) {
            return Err(RecoveryError::Contradiction);
        }
        let bounds = search.low.iter().zip(&search.high);
        Ok(bounds.map(|(&low, &high)| (low as u64, limited(high))).collect())
    }

    /// Recovers what can be recovered, trying at most so many values.
    ///
    /// # Errors
    /// When sums are malformed, counts too large, or nothing agrees with what is published.
    pub fn recover(&self, most_steps: u64) -> Result<Recovery, RecoveryError> {
        let mut search = Search::new(self)?;
        if !search.narrow_all() || !search.holds(0..self.sums.len() as u32) {
            return Err(RecoveryError::Contradiction);
        }
        search.trail.clear();
        let (narrowed_low, narrowed_high) = (search.low.clone(), search.high.clone());
        let mut bounds: Vec<(i128, i128)> = narrowed_low.into_iter().zip(narrowed_high).collect();
        let (mut complete, mut tables, mut steps) = (true, 1u128, most_steps);
        for part in search.parts() {
            let found = search.enumerate(&part, &mut steps);
            if found.complete && found.tables == 0 {
                return Err(RecoveryError::Contradiction);
            }
            complete &= found.complete;
            tables = tables.saturating_mul(found.tables.max(1));
            if found.complete {
                part.iter().zip(found.seen).for_each(|(&cell, seen)| bounds[cell] = seen);
            }
        }
        let recovered = (self.cells.iter().zip(&bounds).enumerate())
            .filter(|(_, (count, bounds))| count.is_none() && bounds.0 == bounds.1)
            .map(|(cell, (_, bounds))| (cell, bounds.0 as u64))
            .collect();
        let bounds = bounds.into_iter().map(|(low, high)| (low as u64, limited(high))).collect();
        Ok(Recovery { complete, tables, bounds, recovered })
    }
}

/// An upper bound, when there is one.
fn limited(high: i128) -> Option<u64> {
    (high < UNLIMITED / 2).then_some(high as u64)
}

struct Search<'a> {
    counts: &'a Counts,
    /// Per cell the sums that it is in.
    sums_of: Vec<Vec<u32>>,
    low: Vec<i128>,
    high: Vec<i128>,
    /// What bounds were before they were narrowed, to be put back.
    trail: Vec<(usize, i128, i128)>,
    waiting: Vec<u32>,
    is_waiting: Vec<bool>,
}

struct Found {
    complete: bool,
    tables: u128,
    seen: Vec<(i128, i128)>,
}

/// A cell that is being tried.
struct Trial {
    cell: usize,
    next: i128,
    end: i128,
    trail: usize,
}

impl<'a> Search<'a> {
    fn new(counts: &'a Counts) -> Result<Self, RecoveryError> {
        let cells = counts.cells.len();
        let mut sums_of = vec![Vec::new(); cells];
        for (sum, Sum { terms, total }) in counts.sums.iter().enumerate() {
            if total.unsigned_abs() > MOST_RECORDS {
                return Err(RecoveryError::TooLarge);
            }
            for &(cell, _) in terms {
                sums_of.get_mut(cell).ok_or(RecoveryError::NoCell { sum })?.push(sum as u32);
            }
        }
        if counts.cells.iter().flatten().any(|&count| count > MOST_RECORDS) {
            return Err(RecoveryError::TooLarge);
        }
        let bound = |other| move |count: &Option<u64>| count.map_or(other, i128::from);
        Ok(Self {
            counts,
            sums_of,
            low: counts.cells.iter().map(bound(0)).collect(),
            high: counts.cells.iter().map(bound(UNLIMITED)).collect(),
            trail: Vec::new(),
            waiting: Vec::new(),
            is_waiting: vec![false; counts.sums.len()],
        })
    }

    fn narrow_all(&mut self) -> bool {
        (0..self.counts.sums.len() as u32).for_each(|sum| self.wait(sum));
        self.narrow()
    }

    fn wait(&mut self, sum: u32) {
        if !std::mem::replace(&mut self.is_waiting[sum as usize], true) {
            self.waiting.push(sum);
        }
    }

    /// Narrows bounds by the sums that wait until nothing changes; whether every cell still has a value. Rounds are
    /// limited, because without an upper bound contradictions may be approached one by one: bounds hold all the same.
    fn narrow(&mut self) -> bool {
        let mut rounds = 64 * (self.counts.sums.len() + 16);
        let mut possible = true;
        while let Some(sum) = self.waiting.pop() {
            self.is_waiting[sum as usize] = false;
            if possible && rounds > 0 {
                rounds -= 1;
                possible = self.narrow_sum(sum);
            }
        }
        possible
    }

    fn narrow_sum(&mut self, sum: u32) -> bool {
        let counts = self.counts;
        let Sum { terms, total } = &counts.sums[sum as usize];
        // Of all terms, the least and the most that they can be together.
        let ends = |search: &Self, (cell, added): (usize, bool)| {
            let (low, high) = (search.low[cell], search.high[cell]);
            if added { (low, high) } else { (-high, -low) }
        };
        let (mut least, mut most) = (0, 0);
        for &term in terms {
            let (low, high) = ends(self, term);
            least += low;
            most += high;
        }
        let total = i128::from(*total);
        if total < least || total > most {
            return false;
        }
        for &(cell, added) in terms {
            let (low, high) = ends(self, (cell, added));
            let (from, to) = (total - (most - high), total - (least - low));
            let (from, to) = if added { (from, to) } else { (-to, -from) };
            let (new_low, new_high) = (self.low[cell].max(from), self.high[cell].min(to));
            if new_low > new_high {
                return false;
            }
            if (new_low, new_high) != (self.low[cell], self.high[cell]) {
                self.set(cell, new_low, new_high);
                let (now_low, now_high) = ends(self, (cell, added));
                least += now_low - low;
                most += now_high - high;
            }
        }
        true
    }

    /// Whether no sum whose cells are all known is wrong.
    fn holds(&self, mut sums: impl Iterator<Item = u32>) -> bool {
        sums.all(|sum| {
            let Sum { terms, total } = &self.counts.sums[sum as usize];
            let signed =
                |&(cell, added): &(usize, bool)| if added { self.low[cell] } else { -self.low[cell] };
            terms.iter().any(|&(cell, _)| self.low[cell] < self.high[cell])
                || terms.iter().map(signed).sum::<i128>() == i128::from(*total)
        })
    }

    fn set(&mut self, cell: usize, low: i128, high: i128) {
        self.trail.push((cell, self.low[cell], self.high[cell]));
        (self.low[cell], self.high[cell]) = (low, high);
        for i in 0..self.sums_of[cell].len() {
            self.wait(self.sums_of[cell][i]);
        }
    }

    fn undo(&mut self, to: usize) {
        while self.trail.len() > to {
            if let Some((cell, low, high)) = self.trail.pop() {
                (self.low[cell], self.high[cell]) = (low, high);
            }
        }
    }

    /// Open cells that sums connect, part by part.
    fn parts(&self) -> Vec<Vec<usize>> {
        let open = |cell: usize| self.low[cell] < self.high[cell];
        let mut seen = vec![false; self.low.len()];
        let mut sum_seen = vec![false; self.counts.sums.len()];
        let mut parts = Vec::new();
        for first in 0..self.low.len() {
            if seen[first] || !open(first) {
                continue;
            }
            seen[first] = true;
            let mut part = vec![first];
            let mut at = 0;
            while let Some(&cell) = part.get(at) {
                at += 1;
                for &sum in &self.sums_of[cell] {
                    if std::mem::replace(&mut sum_seen[sum as usize], true) {
                        continue;
                    }
                    for &(other, _) in &self.counts.sums[sum as usize].terms {
                        if open(other) && !std::mem::replace(&mut seen[other], true) {
                            part.push(other);
                        }
                    }
                }
            }
            part.sort_unstable();
            parts.push(part);
        }
        parts
    }

    /// All values of the cells of a part, and the least and the most of each.
    fn enumerate(&mut self, part: &[usize], steps: &mut u64) -> Found {
        let mut found = Found { complete: true, tables: 0, seen: vec![(UNLIMITED, -UNLIMITED); part.len()] };
        let mut trials: Vec<Trial> = Vec::new();
        let begin = self.trail.len();
        let mut sums: Vec<u32> = part.iter().flat_map(|&cell| &self.sums_of[cell]).copied().collect();
        sums.sort_unstable();
        sums.dedup();
        loop {
            // The open cell with the fewest values is tried next; without one a table is found.
            let open = part.iter().copied().filter(|&cell| self.low[cell] < self.high[cell]);
            match open.min_by_key(|&cell| (self.high[cell] - self.low[cell], cell)) {
                Some(cell) if self.high[cell] >= UNLIMITED / 2 => {
                    found.complete = false;
                    break;
                }
                Some(cell) => {
                    let (next, end) = (self.low[cell], self.high[cell]);
                    trials.push(Trial { cell, next, end, trail: self.trail.len() });
                }
                // Narrowing may have been cut short, so the sums are added up once more.
                None if !self.holds(sums.iter().copied()) => {}
                None => {
                    found.tables = found.tables.saturating_add(1);
                    for (seen, &cell) in found.seen.iter_mut().zip(part) {
                        *seen = (seen.0.min(self.low[cell]), seen.1.max(self.low[cell]));
                    }
                }
            }
            // The next value of the last cell that has one left.
            let mut tried = false;
            while let Some(trial) = trials.last_mut() {
                if trial.next > trial.end {
                    let trail = trial.trail;
                    trials.pop();
                    self.undo(trail);
                    continue;
                }
                let (cell, value, trail) = (trial.cell, trial.next, trial.trail);
                trial.next += 1;
                self.undo(trail);
                if *steps == 0 {
                    found.complete = false;
                    self.undo(begin);
                    return found;
                }
                *steps -= 1;
                self.set(cell, value, value);
                if self.narrow() {
                    tried = true;
                    break;
                }
            }
            if !tried {
                break;
            }
        }
        self.undo(begin);
        found
    }
}
