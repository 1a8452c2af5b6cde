//! Suppression of small counts in a table with its totals (survey ME-02).
//!
//! Primary cells are those with 0 < count < threshold. Further cells are suppressed so that the primary ones cannot be
//! computed back: for each primary cell in turn, the linear program of Fischetti and Salazar finds the cheapest cells
//! that would have to be unknown for the cell to be as small and as large as is asked for; at the end, cells that turn
//! out not to be needed are published again.
//!
//! **Guarantee.** For every primary cell with count a there is a table of whole numbers, no count negative, that agrees
//! with everything published and in which the cell is at most max(0, a - lower), and one in which it is at least
//! a + upper. These tables are made and checked in whole numbers, so neither fractions nor rounding can make a promise
//! that an outsider who tries all whole tables could break. With the default protection (the threshold, both ways)
//! nobody can prove that a cell is small, nor that somebody is in it; except that a label which is only listed when it
//! occurs tells that its total is at least 1, which these tables do not heed.
//!
//! Every cell of the cube is treated alike, totals included; only the grand total, which people know, is always
//! published, and a table whose small counts it gives away is refused. Small is not minimum: the choice is greedy.
//!
//! **What it is not.** Primary and complementary cells must be published with the same sign. Outsiders who know the
//! method, or some records of a cell, may know more (no protection against minimality attacks or coalitions is
//! claimed); where they know which combinations cannot exist, set `suppress-zeros = false`, so that no zero is counted
//! on to be unknown.

use std::collections::BTreeMap;

use privet_data::Progress;
use serde::Deserialize;

use super::attack::{Interval, Published, attack_interval};
use super::boxes::{Deviation, Price, boxes, transfer};
use super::count_table::CountTable;
use super::program::{Goal, Optimum, Program};
use crate::lattice::SearchError;

const ALGORITHM: &str = "count-tables";
/// How far from a whole number a solution may be to be taken for it; it is then checked exactly.
const SLACK: f64 = 1e-4;

/// Which counts are hidden, and how well: section `[[count-tables]]`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Suppression {
    /// Counts above 0 and below this are hidden.
    pub threshold: u64,
    /// How far off an outsider must be; the threshold both ways when not given.
    pub protection: Option<Protection>,
    /// Whether cells without records may be suppressed for the sake of others.
    pub suppress_zeros: bool,
}

/// How far below and above its count a hidden cell must be possible; never below 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Protection {
    /// How far below.
    pub lower: u64,
    /// How far above.
    pub upper: u64,
}

impl Default for Suppression {
    fn default() -> Self {
        Self { threshold: 5, protection: None, suppress_zeros: true }
    }
}

/// What happens to a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellState {
    /// It is published.
    Published,
    /// It is hidden because it is small.
    Primary,
    /// It is hidden because it would give away a small one.
    Complementary,
}

/// A table with hidden cells. All but [`published`](Self::published) is for the owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Protected {
    /// The table.
    pub table: CountTable,
    /// Per cell what happens to it.
    pub states: Vec<CellState>,
    /// Per primary cell, in ascending order, an interval that whoever sees the published cells cannot narrow.
    pub promised: Vec<(usize, Interval)>,
}

impl Protected {
    /// What may be published.
    pub fn published(&self) -> Published {
        let cells = self.states.iter().zip(&self.table.counts);
        Published {
            shape: self.table.shape.clone(),
            cells: cells.map(|(&state, &count)| (state == CellState::Published).then_some(count)).collect(),
        }
    }

    /// Per hidden cell what an outsider can compute about it.
    ///
    /// # Errors
    /// When the bounds cannot be computed, or the person stopped it.
    pub fn intervals(&self, progress: &dyn Progress) -> Result<Vec<(usize, Interval)>, SearchError> {
        let published = self.published();
        let hidden = || (0..self.states.len()).filter(|&cell| self.states[cell] != CellState::Published);
        progress.stage("computing what outsiders can compute", Some(hidden().count() as u64));
        let mut intervals = Vec::new();
        for cell in hidden() {
            progress.check()?;
            intervals.push((cell, attack_interval(&published, cell)?));
            progress.at(intervals.len() as u64);
        }
        Ok(intervals)
    }

    /// The records in hidden inner cells.
    pub fn hidden_records(&self) -> u64 {
        let hidden =
            |&cell: &usize| self.states[cell] != CellState::Published && self.table.shape.is_inner(cell);
        (0..self.states.len()).filter(hidden).map(|cell| self.table.counts[cell]).sum()
    }
}

impl Suppression {
    /// Chooses the cells that are hidden.
    ///
    /// # Errors
    /// When a parameter is out of range, a small count cannot be hidden, a linear program fails, or the person stopped
    /// it.
    pub fn protect(&self, table: &CountTable, progress: &dyn Progress) -> Result<Protected, SearchError> {
        let wrong = |key, problem| Err(SearchError::Parameter { key, problem });
        if self.threshold < 2 {
            return wrong("count-tables.threshold", "must be at least 2: no count is above 0 and below 1");
        }
        let Protection { lower, upper } =
            self.protection.unwrap_or(Protection { lower: self.threshold, upper: self.threshold });
        if lower == 0 || upper == 0 {
            return wrong("count-tables.protection", "must have a lower and an upper of at least 1");
        }
        let small = |cell: &usize| (1..self.threshold).contains(&table.counts[*cell]);
        let primary: Vec<usize> = (0..table.cells()).filter(small).collect();
        let total = table.shape.grand_total();
        let mut frozen: Vec<bool> =
            table.counts.iter().map(|&count| count == 0 && !self.suppress_zeros).collect();
        frozen[total] = true;
        let mut search = Search {
            table,
            suppressed: (0..table.cells()).map(|cell| small(&cell)).collect(),
            frozen,
            targets: Vec::new(),
            witness: Vec::new(),
        };
        for &cell in &primary {
            let count = table.counts[cell];
            if count.saturating_add(upper) > table.counts[total] {
                return Err(SearchError::NotProtectable {
                    reason: "the table has too few other records for the count to be as large as is asked for",
                });
            }
            search.targets.push((cell, upper as i64));
            search.targets.push((cell, -(lower.min(count) as i64)));
        }
        search.run(progress)?;
        search.verify()?;
        let promised = primary.iter().map(|&cell| {
            let count = table.counts[cell];
            (cell, Interval { low: count.saturating_sub(lower), high: Some(count + upper) })
        });
        let states = (0..table.cells()).map(|cell| match search.suppressed[cell] {
            false => CellState::Published,
            true if small(&cell) => CellState::Primary,
            true => CellState::Complementary,
        });
        Ok(Protected { states: states.collect(), promised: promised.collect(), table: table.clone() })
    }
}

struct Search<'a> {
    table: &'a CountTable,
    suppressed: Vec<bool>,
    /// Cells that an outsider knows whatever is done.
    frozen: Vec<bool>,
    /// Primary cells, and by how much another possible table must differ there.
    targets: Vec<(usize, i64)>,
    /// Per target the table that shows it, as its difference from the counts.
    witness: Vec<Deviation>,
}

impl Search<'_> {
    fn run(&mut self, progress: &dyn Progress) -> Result<(), SearchError> {
        progress.stage("protecting small counts", Some(self.targets.len() as u64));
        self.witness = vec![Deviation::new(); self.targets.len()];
        // Those hardest to protect first: what hides them often hides the others.
        let mut order: Vec<usize> = (0..self.targets.len()).collect();
        order.sort_by_key(|&i| (std::cmp::Reverse(self.targets[i].1.unsigned_abs()), self.targets[i]));
        for (done, &i) in order.iter().enumerate() {
            progress.check()?;
            if self.witness[i].is_empty() {
                let (cell, amount) = self.targets[i];
                let found = match self.within(cell, amount)? {
                    Some(found) => found,
                    None => self.beyond(cell, amount)?,
                };
                found.iter().for_each(|&(cell, _)| self.suppressed[cell] = true);
                self.share(&found);
            }
            progress.at(done as u64 + 1);
        }
        self.publish_unneeded(progress)
    }

    /// Hands a table to every target it serves that has none yet.
    fn share(&mut self, found: &Deviation) {
        for (witness, target) in self.witness.iter_mut().zip(&self.targets) {
            if witness.is_empty() && serves(found, *target) {
                witness.clone_from(found);
            }
        }
    }

    /// A table that differs in suppressed cells alone.
    fn within(&self, cell: usize, amount: i64) -> Result<Option<Deviation>, SearchError> {
        let mut program = Program::default();
        let mut cells = Vec::new();
        let mut sums: BTreeMap<usize, Vec<(usize, f64)>> = BTreeMap::new();
        let mut variable = 0;
        for other in (0..self.table.cells()).filter(|&other| self.suppressed[other]) {
            let least = -(self.table.counts[other] as f64);
            for (sum, sign) in self.table.shape.sums(other) {
                sums.entry(sum).or_default().push((cells.len(), sign as f64));
            }
            let bounds = if other == cell {
                variable = cells.len();
                (least.max(amount.min(0) as f64), amount.max(0) as f64)
            } else {
                (least, f64::INFINITY)
            };
            program.bounds.push(bounds);
            cells.push(other);
        }
        program.equalities = sums.into_values().map(|terms| (terms, 0.0)).collect();
        let goal = if amount > 0 { Goal::Most } else { Goal::Least };
        let Optimum::At(reached, at) = program.optimize(&[(variable, 1.0)], goal)? else { return Ok(None) };
        if (reached - amount as f64).abs() > SLACK {
            return Ok(None);
        }
        Ok(self.whole(cells.into_iter().zip(at), (cell, amount)))
    }

    /// A table for which further cells have to be suppressed, as cheap ones as possible.
    fn beyond(&self, cell: usize, amount: i64) -> Result<Deviation, SearchError> {
        if let Some(found) = self.cheapest(cell, amount)? {
            return Ok(found);
        }
        let price = Price { table: self.table, frozen: &self.frozen, suppressed: &self.suppressed };
        let found = boxes(&price, cell, amount).or_else(|| transfer(&price, cell, amount));
        found.filter(|found| self.is_possible(found) && serves(found, (cell, amount))).ok_or(
            SearchError::NotProtectable {
                reason: "there is no other cell that could take its records, so that it follows from the grand total",
            },
        )
    }

    /// The linear program over all cells; `None` when its solution is not whole.
    fn cheapest(&self, cell: usize, amount: i64) -> Result<Option<Deviation>, SearchError> {
        let largest = self.table.counts[self.table.shape.grand_total()] as f64 + 1.0;
        let mut program = Program::default();
        let mut cells = Vec::new();
        let mut costs = Vec::new();
        let mut sums: BTreeMap<usize, Vec<(usize, f64)>> = BTreeMap::new();
        for other in (0..self.table.cells()).filter(|&other| !self.frozen[other]) {
            // Two variables per cell: how much more, and how much less.
            let (more, less) = (program.bounds.len(), program.bounds.len() + 1);
            for (sum, sign) in self.table.shape.sums(other) {
                let terms = sums.entry(sum).or_default();
                terms.push((more, sign as f64));
                terms.push((less, -sign as f64));
            }
            let count = self.table.counts[other] as f64;
            match other == cell {
                true => {
                    let (up, down) = (amount.max(0) as f64, amount.min(0).abs() as f64);
                    program.bounds.extend([(up, up), (down, down)]);
                }
                false => program.bounds.extend([(0.0, f64::INFINITY), (0.0, count)]),
            }
            if !self.suppressed[other] {
                // Within few orders of magnitude, as solvers like it.
                let cost = 1.0 + 1e4 * (count + 1.0) / largest;
                costs.extend([(more, cost), (less, cost)]);
            }
            cells.push(other);
        }
        program.equalities = sums.into_values().map(|terms| (terms, 0.0)).collect();
        match program.optimize(&costs, Goal::Least)? {
            Optimum::At(_, at) => {
                let change = at.chunks_exact(2).map(|pair| pair[0] - pair[1]);
                Ok(self.whole(cells.into_iter().zip(change), (cell, amount)))
            }
            Optimum::Unbounded | Optimum::Infeasible => Ok(None),
        }
    }

    /// The difference in whole numbers, when it is one that is possible and serves a target.
    fn whole(&self, change: impl Iterator<Item = (usize, f64)>, target: (usize, i64)) -> Option<Deviation> {
        let mut deviation = Deviation::new();
        for (cell, by) in change {
            let whole = by.round();
            if (by - whole).abs() > SLACK {
                return None;
            }
            if whole != 0.0 {
                deviation.push((cell, whole as i64));
            }
        }
        (serves(&deviation, target) && self.is_possible(&deviation)).then_some(deviation)
    }

    /// Whether the counts with this difference are a table: all sums hold, no count is negative, and what is known
    /// stays as it is. In whole numbers.
    fn is_possible(&self, deviation: &Deviation) -> bool {
        let mut sums: BTreeMap<usize, i128> = BTreeMap::new();
        for &(cell, by) in deviation {
            if self.frozen[cell] || i128::from(self.table.counts[cell]) + i128::from(by) < 0 {
                return false;
            }
            for (sum, sign) in self.table.shape.sums(cell) {
                *sums.entry(sum).or_default() += i128::from(sign) * i128::from(by);
            }
        }
        sums.values().all(|&rest| rest == 0)
    }

    /// Publishes complementary cells again, the largest first, where every target can do without.
    fn publish_unneeded(&mut self, progress: &dyn Progress) -> Result<(), SearchError> {
        let primary: Vec<usize> = self.targets.iter().map(|&(cell, _)| cell).collect();
        let mut complementary: Vec<usize> = (0..self.table.cells())
            .filter(|cell| self.suppressed[*cell] && primary.binary_search(cell).is_err())
            .collect();
        complementary.sort_by_key(|&cell| (std::cmp::Reverse(self.table.counts[cell]), cell));
        progress.stage("publishing cells that need not be hidden", Some(complementary.len() as u64));
        for (done, cell) in complementary.into_iter().enumerate() {
            progress.at(done as u64);
            self.suppressed[cell] = false;
            let mut replaced: Vec<(usize, Deviation)> = Vec::new();
            for i in (0..self.targets.len()).filter(|&i| touches(&self.witness[i], cell)) {
                progress.check()?;
                let (target, amount) = self.targets[i];
                let known = replaced.iter().map(|(_, found)| found).chain(&self.witness);
                let mut known =
                    known.filter(|found| !touches(found, cell) && serves(found, (target, amount)));
                let found = match known.next() {
                    Some(found) => Some(found.clone()),
                    None => self.within(target, amount)?,
                };
                match found {
                    Some(found) => replaced.push((i, found)),
                    None => {
                        self.suppressed[cell] = true;
                        break;
                    }
                }
            }
            if !self.suppressed[cell] {
                replaced.into_iter().for_each(|(i, found)| self.witness[i] = found);
            }
        }
        Ok(())
    }

    /// Checks every promise once more.
    fn verify(&self) -> Result<(), SearchError> {
        let kept = self.targets.iter().zip(&self.witness).all(|(&target, witness)| {
            serves(witness, target)
                && self.is_possible(witness)
                && witness.iter().all(|&(cell, _)| self.suppressed[cell])
        });
        if kept { Ok(()) } else { Err(SearchError::Unsafe { algorithm: ALGORITHM }) }
    }
}

fn touches(deviation: &Deviation, cell: usize) -> bool {
    deviation.binary_search_by_key(&cell, |&(cell, _)| cell).is_ok()
}

/// Whether the cell differs at least by the amount, in its direction.
fn serves(deviation: &Deviation, (cell, amount): (usize, i64)) -> bool {
    let at = deviation.binary_search_by_key(&cell, |&(cell, _)| cell);
    at.is_ok_and(|at| if amount > 0 { deviation[at].1 >= amount } else { deviation[at].1 <= amount })
}
