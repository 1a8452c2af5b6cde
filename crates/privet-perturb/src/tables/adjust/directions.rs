//! Which sensitive cells rise and which fall.
//!
//! First directions that balance within margins, single ones turned around while that is better. Then branch and bound:
//! linear programs with open directions tell what no table can fall short of, and the most undecided cell is tried both
//! ways. Both end after a number of programs that depends on nothing but the size of the table, so that the answer is
//! the same on every machine.

use super::program::{Found, Numbers, Way};
use super::{Adjusted, Method, Problem};
use crate::tables::TableError;

/// The most cells for which fractions that remain, once directions are fixed, are branched on.
const MOST_BRANCHED: usize = 1000;
/// What the solver's numbers may be off by, relative to the largest weight.
const TOLERANCE: f64 = 1e-6;

impl Problem<'_> {
    /// The least change that is found.
    pub(super) fn search(&self) -> Result<Adjusted, TableError> {
        let mut tried = 0;
        let first = self.turned_around(&mut tried)?;
        let (best, all) = self.branched(first, &mut tried)?;
        let sensitive = self.sensitive.len();
        match best {
            Some(found) => {
                let method = if all { Method::Exact } else { Method::FixedDirections { tried } };
                self.checked(&found.moves, method)
            }
            None if all => Err(self.why_not(TableError::Together { sensitive })?),
            None => Err(self.why_not(TableError::NotFound { sensitive })?),
        }
    }

    /// A cell that cannot be protected even alone, or else what is given.
    fn why_not(&self, otherwise: TableError) -> Result<TableError, TableError> {
        let numbers = if self.cells() <= MOST_BRANCHED { Numbers::Whole } else { Numbers::Real };
        for own in self.sensitive.iter().take((25_600 / self.cells().max(1)).max(1)) {
            let alone = |can: bool, way| match can {
                true => Ok(self.solve(&[*own], &[way], numbers, None)?.is_some()),
                false => Ok::<_, TableError>(false),
            };
            if !alone(self.can_rise(own), Way::Up)? && !alone(self.can_fall(own), Way::Down)? {
                return Ok(TableError::NoRoom { cell: own.cell });
            }
        }
        Ok(otherwise)
    }

    /// Directions that balance, then single ones turned around while that is better; `None` when they do not work out.
    pub(super) fn turned_around(&self, tried: &mut usize) -> Result<Option<Found>, TableError> {
        let most_tried = (25_600 / self.cells().max(1)).clamp(2, 60);
        let mut ways = self.balanced();
        // A protection that is missed costs more than any way to reach it by moving each cell by one.
        let penalty = Some(self.cells() as f64 + 1.0);
        let cost = |found: &Option<Found>| found.as_ref().map_or(f64::INFINITY, |found| found.cost);
        let mut best = self.solve(&self.sensitive, &ways, Numbers::Real, penalty)?;
        *tried += 1;
        // From the largest protections on, since they cost most.
        for i in self.largest_first() {
            let (Some(own), Some(&way)) = (self.sensitive.get(i), ways.get(i)) else { continue };
            let (turned, can) = match way {
                Way::Up => (Way::Down, self.can_fall(own)),
                _ => (Way::Up, self.can_rise(own)),
            };
            if !can {
                continue;
            }
            if *tried >= most_tried {
                break;
            }
            *tried += 1;
            ways[i] = turned; // why: found above
            let next = self.solve(&self.sensitive, &ways, Numbers::Real, penalty)?;
            if cost(&next) < cost(&best) - TOLERANCE {
                best = next;
            } else {
                ways[i] = way; // why: as above
            }
        }
        if best.as_ref().is_some_and(|found| !found.is_whole) {
            best = self.made_whole(&ways)?;
        }
        Ok(best.filter(|found| self.protects(&found.moves)))
    }

    /// Whole numbers for fixed directions. Tables with at most two margins have them by themselves: their equations are
    /// those of flows in a network.
    fn made_whole(&self, ways: &[Way]) -> Result<Option<Found>, TableError> {
        if self.cells() > MOST_BRANCHED {
            return Ok(None);
        }
        self.solve(&self.sensitive, ways, Numbers::Whole, None)
    }

    /// Looks for something better than `best`, and tells whether there is nothing better than what it returns.
    fn branched(
        &self,
        mut best: Option<Found>,
        tried: &mut usize,
    ) -> Result<(Option<Found>, bool), TableError> {
        let mut left = (51_200 / self.cells().max(1)).clamp(2, 1000);
        // Whole moves that sum to 0 rise by as much as they fall: with equal weights two changes differ by two at least.
        let largest = self.largest_weight();
        let equal = self.weights.iter().all(|&weight| weight == largest);
        let step = if equal { 2.0 } else { 0.0 };
        let mut open = vec![vec![Way::Either; self.sensitive.len()]];
        while let Some(ways) = open.pop() {
            if left == 0 {
                return Ok((best, false));
            }
            left -= 1;
            *tried += 1;
            let Some(found) = self.solve(&self.sensitive, &ways, Numbers::Real, None)? else { continue };
            if best.as_ref().is_some_and(|best| found.cost >= best.cost - (step - TOLERANCE).max(TOLERANCE)) {
                continue;
            }
            if found.is_whole && self.protects(&found.moves) {
                best = Some(found);
                continue;
            }
            let undecided = |i: &usize| ways.get(*i) == Some(&Way::Either);
            let off = |i: usize| found.rises.get(i).map_or(1.0, |share| (share - 0.5).abs());
            match (0..ways.len()).filter(undecided).min_by(|&a, &b| off(a).total_cmp(&off(b))) {
                Some(i) => {
                    let likely = found.rises.get(i).is_some_and(|&share| share >= 0.5);
                    for rises in [!likely, likely] {
                        let own = self.sensitive.get(i);
                        let (way, can) = match rises {
                            true => (Way::Up, own.is_some_and(|own| self.can_rise(own))),
                            false => (Way::Down, own.is_some_and(|own| self.can_fall(own))),
                        };
                        if can {
                            let mut next = ways.clone();
                            next[i] = way; // why: i is below the length
                            open.push(next);
                        }
                    }
                }
                None if self.cells() > MOST_BRANCHED => return Ok((best, false)),
                None => {
                    let whole = self.made_whole(&ways)?.filter(|found| self.protects(&found.moves));
                    if let Some(whole) = whole
                        && best.as_ref().is_none_or(|best| whole.cost < best.cost - TOLERANCE)
                    {
                        best = Some(whole);
                    }
                }
            }
        }
        Ok((best, true))
    }

    /// Each sensitive cell, the largest first, in the direction that leaves its margins least out of balance.
    fn balanced(&self) -> Vec<Way> {
        let mut balance = vec![0i64; self.sums.len()];
        let mut ways = vec![Way::Up; self.sensitive.len()];
        for i in self.largest_first() {
            let own = &self.sensitive[i]; // why: an index of the list
            let sums = &self.sums_of[own.cell]; // why: sensitive cells are cells of the table
            let apart = |by: i64| sums.iter().map(|&sum| (balance[sum as usize] + by).abs()).sum::<i64>(); // why: as made
            let (up, down) = (own.up as i64, own.down as i64); // why: at most the room, or not chosen
            let rises = match (self.can_rise(own), self.can_fall(own)) {
                (true, true) => apart(up) <= apart(-down),
                (can_rise, _) => can_rise,
            };
            let by = if rises { up } else { -down };
            sums.iter().for_each(|&sum| balance[sum as usize] += by); // why: as made
            ways[i] = if rises { Way::Up } else { Way::Down }; // why: as long as the list
        }
        ways
    }

    /// The places of the sensitive cells, those with the largest protections first.
    fn largest_first(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.sensitive.len()).collect();
        order.sort_by_key(|&i| std::cmp::Reverse(self.sensitive.get(i).map(|own| own.up.max(own.down))));
        order
    }

    /// The largest weight, or something small when there is none above 0.
    pub(super) fn largest_weight(&self) -> f64 {
        self.weights.iter().copied().fold(1e-6, f64::max)
    }
}
