//! The part of the lattice that may still hold something better, as regions; branch and bound over them.
//!
//! A region is all candidates between two: every level at least that of `low` and at most that of `high`. Of such
//! a candidate two things are known, for every criterion: before suppression it costs at least what `low` costs
//! (a metric over classes: at least its bound there), and suppression adds at least what it surely adds at `high`,
//! where it may also be hopeless. Their sum bounds the region. What a region leaves out when it is narrowed or
//! dropped is hopeless or costs at least as much as the best candidate known then. So the least bound of the open
//! regions and the value of the best candidate together bound all safe candidates, whenever the search ends; and
//! when no region is open, the best candidate is optimal.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use privet_measure::Objective;

use super::scout::{End, Scout};
use crate::lattice::judge::Judgement;

/// Which region is looked at next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Whose most general candidate is best: the way leads down through good candidates.
    BestTop,
    /// Whose bound is least: the bound of all rises as fast as it can.
    LeastBound,
}

/// Candidates between two.
#[derive(Debug, Clone)]
struct Region {
    low: Vec<usize>,
    high: Vec<usize>,
    /// What its candidates cost at least.
    bound: f64,
    /// The value of its most general candidate.
    top: f64,
    /// Whether the bound of a metric over classes was not yet looked up at `low`.
    stale: bool,
}

struct Open {
    key: (f64, f64),
    number: u64,
    region: Region,
}

/// The open regions.
pub struct Regions {
    order: Order,
    open: BinaryHeap<Open>,
    opened: u64,
}

impl Regions {
    /// The whole lattice, whose most general candidate was judged.
    pub fn new<const W: usize>(order: Order, scout: &Scout<'_, W>, top: &Judgement) -> Self {
        let mut regions = Self { order, open: BinaryHeap::new(), opened: 0 };
        if !top.hopeless_below {
            let high = scout.engine.top();
            let low = vec![0; high.len()];
            let bound = scout.engine.floor(&low) + top.surcharge;
            regions.push(Region { low, high, bound, top: top.value, stale: true });
        }
        regions
    }

    /// Whether nothing is left to look at.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// No safe candidate outside the judged ones costs less than this; infinite when none is left.
    pub fn bound(&self) -> f64 {
        self.open.iter().map(|open| open.region.bound).fold(f64::INFINITY, f64::min)
    }

    /// Looks at regions until so many candidates were looked at. Returns whether any region is left.
    pub fn advance<const W: usize>(&mut self, scout: &mut Scout<'_, W>, until: u64) -> Result<bool, End> {
        while scout.checked() < until {
            let Some(Open { mut region, .. }) = self.open.pop() else { return Ok(false) };
            match narrow(&mut region, scout) {
                Ok(Some(high)) => self.split(region, &high, scout),
                Ok(None) => {}
                Err(end) => {
                    // What was found out so far holds; the rest stays open.
                    self.push(region);
                    return Err(end);
                }
            }
        }
        Ok(!self.open.is_empty())
    }

    fn push(&mut self, region: Region) {
        let key = match self.order {
            Order::BestTop => (region.top, region.bound),
            Order::LeastBound => (region.bound, region.top),
        };
        self.opened += 1;
        self.open.push(Open { key, number: self.opened, region });
    }

    /// Cuts a narrowed region in two: one column at its lowest level, or above it.
    fn split<const W: usize>(&mut self, region: Region, high: &Judgement, scout: &mut Scout<'_, W>) {
        let mut chosen: Option<(f64, usize, Judgement)> = None;
        for column in 0..region.low.len() {
            if region.low[column] == region.high[column] {
                continue;
            }
            let below = with(&region.high, column, region.low[column]);
            // Narrowing has judged it; what is known of `high` would be sound too.
            let below = scout.known(&below).unwrap_or(*high);
            let score = score(&region, column, high, &below, scout);
            if chosen.as_ref().is_none_or(|(most, _, _)| score > *most) {
                chosen = Some((score, column, below));
            }
        }
        // All levels are fixed: a single candidate, which was judged.
        let Some((_, column, below)) = chosen else { return };
        let level = region.low[column];
        let upper = {
            let low = with(&region.low, column, level + 1);
            let bound = region.bound.max(scout.engine.floor(&low) + high.surcharge);
            Region { low, high: region.high.clone(), bound, top: region.top, stale: true }
        };
        let lower = {
            let bound = region.bound.max(scout.engine.floor(&region.low) + below.surcharge);
            let high = with(&region.high, column, level);
            Region { low: region.low, high, bound, top: below.value, stale: false }
        };
        for half in [upper, lower] {
            if scout.may_improve(half.bound) {
                self.push(half);
            }
        }
    }
}

/// How much a cut in a column tells: what the column costs at least when it is not at its lowest level, and what
/// suppression costs, or how many classes there are, when it is.
fn score<const W: usize>(
    region: &Region,
    column: usize,
    high: &Judgement,
    below: &Judgement,
    scout: &Scout<'_, W>,
) -> f64 {
    let classes = ((below.classes + 1) as f64 / (high.classes + 1) as f64).ln().max(0.0);
    match scout.engine.objective {
        Objective::Additive(additive) => {
            let level = region.low[column];
            let above = additive.total(column, level + 1) - additive.total(column, level);
            let suppressed = (below.surcharge - high.surcharge).max(0.0);
            (above + 1e-6) * (suppressed + SMALL_SHARE * classes + 1e-6)
        }
        Objective::Grouped(_) => classes,
    }
}

/// What a factor of e in the number of classes counts, as a share of the metric.
const SMALL_SHARE: f64 = 0.01;

/// Makes a region as small as cost and hopelessness allow. Returns what is known of its most general candidate;
/// `None` when nothing better than the best candidate is left in it. What it does to the region is sound even
/// where it ends early.
fn narrow<const W: usize>(region: &mut Region, scout: &mut Scout<'_, W>) -> Result<Option<Judgement>, End> {
    loop {
        if !scout.may_improve(region.bound) {
            return Ok(None);
        }
        let high = scout.judge(&region.high)?;
        region.top = high.value;
        if high.hopeless_below {
            return Ok(None);
        }
        let floor = scout.engine.floor(&region.low);
        region.bound = region.bound.max(floor + high.surcharge);
        if !scout.may_improve(region.bound) {
            return Ok(None);
        }
        if lower_high(region, floor + high.surcharge, scout) {
            continue;
        }
        if raise_low(region, floor, scout)? {
            region.stale = true;
            continue;
        }
        if region.stale {
            region.stale = false;
            if let Objective::Grouped(_) = scout.engine.objective {
                region.bound = region.bound.max(scout.bound_above(&region.low)?);
                continue;
            }
        }
        return Ok(Some(high));
    }
}

/// Leaves out levels that cost too much even with all other columns at their lowest. Returns whether it did.
fn lower_high<const W: usize>(region: &mut Region, least: f64, scout: &Scout<'_, W>) -> bool {
    let Objective::Additive(additive) = scout.engine.objective else { return false };
    let mut lowered = false;
    for column in 0..region.low.len() {
        let lowest = additive.total(column, region.low[column]);
        while region.high[column] > region.low[column]
            && !scout.may_improve(least - lowest + additive.total(column, region.high[column]))
        {
            region.high[column] -= 1;
            lowered = true;
        }
    }
    lowered
}

/// Leaves out levels at which nothing is left even with all other columns at their highest, by halving. Returns
/// whether it did.
fn raise_low<const W: usize>(region: &mut Region, floor: f64, scout: &mut Scout<'_, W>) -> Result<bool, End> {
    // Per column the levels among which the lowest possible one is; the last of them is possible.
    let mut among: Vec<(usize, usize)> =
        region.low.iter().zip(&region.high).map(|(&low, &high)| (low, high)).collect();
    let mut first = true;
    let mut raised = false;
    loop {
        let asked: Vec<(usize, usize)> = (0..among.len())
            .filter(|&column| among[column].0 < among[column].1)
            // Most often the lowest level is possible, and then there is no more to ask.
            .map(|column| {
                (column, if first { among[column].0 } else { among[column].0.midpoint(among[column].1) })
            })
            .collect();
        if asked.is_empty() {
            return Ok(raised);
        }
        first = false;
        let candidates: Vec<Vec<usize>> =
            asked.iter().map(|&(column, level)| with(&region.high, column, level)).collect();
        let judged = scout.judge_above(&region.low, &candidates)?;
        for (&(column, level), judgement) in asked.iter().zip(&judged) {
            if judgement.hopeless_below || !scout.may_improve(floor + judgement.surcharge) {
                among[column].0 = level + 1;
                region.low[column] = level + 1;
                raised = true;
            } else {
                among[column].1 = level;
            }
        }
    }
}

/// Levels with one of them changed.
fn with(levels: &[usize], column: usize, level: usize) -> Vec<usize> {
    let mut levels = levels.to_vec();
    levels[column] = level;
    levels
}

/// The heap gives the greatest: the one that comes first, the newest among equals.
impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        other
            .key
            .0
            .total_cmp(&self.key.0)
            .then_with(|| other.key.1.total_cmp(&self.key.1))
            .then_with(|| self.number.cmp(&other.number))
    }
}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Open {}
