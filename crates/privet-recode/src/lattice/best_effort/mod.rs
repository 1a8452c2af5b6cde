//! Best-effort searches for lattices that are too large to be searched whole: `top-down` and `bottom-up`.
//!
//! Own designs; the sources only name heuristic searches of this space (survey ME-07). Both look at candidates until
//! their budget is used up and then report the best safe one, and how much better any other could be. They share
//! three parts:
//! - first safe candidates: one from the top down while it stays safe, one from the bottom up until it becomes safe
//!   (`local.rs`); `top-down` and `bottom-up` begin with their own;
//! - better ones nearby, and after random steps away from the best, with a fixed seed (`local.rs`);
//! - branch and bound over regions of the lattice (`regions.rs`). `top-down` looks first at the region whose most
//!   general candidate is best, so that it finds good candidates soon; `bottom-up` at the one whose bound is least,
//!   so that it can soon tell how good they are.
//!
//! # Guarantee
//! The candidate is safe, for every criterion, monotone or not. No safe candidate costs less than the reported
//! bound. When the search ends before its budget does, the candidate is optimal, and the bound is its value. With a
//! budget in nodes, or with none given, the result depends on the table and the job alone; with a time limit it may
//! also depend on the machine.

mod local;
mod regions;
mod scout;

use privet_data::Progress;
use serde::Deserialize;

use self::regions::{Order, Regions};
use self::scout::{Budget, End, Scout};
use super::engine::Engine;
use super::problem::SearchError;
use super::search::{Outcome, Strategy};
use crate::algorithm::{Algorithm, AlgorithmInfo, read};
use privet_data::Random;

/// A best-effort search that goes down from the most general candidate. It suits strict criteria, whose safe
/// candidates lie near the top.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TopDown {
    /// The most seconds that the search takes, not counting the loading and reducing of the table. The result may
    /// then depend on the machine.
    pub time_limit: Option<f64>,
    /// The most candidates whose classes are formed. When neither limit is given, as many as go through about a
    /// thousand million distinct tuples, which takes some seconds.
    pub node_limit: Option<u64>,
}

/// A best-effort search that goes up from the most specific candidate. It suits lenient criteria and generous
/// suppression, whose safe candidates lie near the bottom, and proves better bounds than `top-down`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct BottomUp {
    /// The most seconds that the search takes, not counting the loading and reducing of the table. The result may
    /// then depend on the machine.
    pub time_limit: Option<f64>,
    /// The most candidates whose classes are formed. When neither limit is given, as many as go through about a
    /// thousand million distinct tuples, which takes some seconds.
    pub node_limit: Option<u64>,
}

impl TopDown {
    /// Whether every parameter is in range.
    ///
    /// # Errors
    /// When one is not; the error names its key.
    pub fn check(&self) -> Result<(), SearchError> {
        let keys = ["search.top-down.time-limit", "search.top-down.node-limit"];
        check(self.time_limit, self.node_limit, keys)
    }
}

impl BottomUp {
    /// Whether every parameter is in range.
    ///
    /// # Errors
    /// When one is not; the error names its key.
    pub fn check(&self) -> Result<(), SearchError> {
        let keys = ["search.bottom-up.time-limit", "search.bottom-up.node-limit"];
        check(self.time_limit, self.node_limit, keys)
    }
}

impl Strategy for TopDown {
    fn name(&self) -> &'static str {
        "top-down"
    }

    fn enumerates(&self) -> bool {
        false
    }

    fn leaves_ties(&self) -> bool {
        true
    }

    fn judges_together(&self) -> bool {
        true
    }

    fn search<const W: usize>(
        &self,
        engine: &Engine<'_, W>,
        progress: &dyn Progress,
    ) -> Result<Outcome, SearchError> {
        self.check()?;
        let budget = budget(self.time_limit, self.node_limit, engine.base.len());
        search(engine, Order::BestTop, budget, self.name(), progress)
    }
}

impl Strategy for BottomUp {
    fn name(&self) -> &'static str {
        "bottom-up"
    }

    fn enumerates(&self) -> bool {
        false
    }

    fn leaves_ties(&self) -> bool {
        true
    }

    fn judges_together(&self) -> bool {
        true
    }

    fn search<const W: usize>(
        &self,
        engine: &Engine<'_, W>,
        progress: &dyn Progress,
    ) -> Result<Outcome, SearchError> {
        self.check()?;
        let budget = budget(self.time_limit, self.node_limit, engine.base.len());
        search(engine, Order::LeastBound, budget, self.name(), progress)
    }
}

/// Distinct tuples that are gone through when no limit is given.
const EFFORT: u64 = 1_000_000_000;
/// So many candidates at most, however few tuples there are: each takes some time of its own.
const MOST_BY_DEFAULT: u64 = 20_000;
/// So many at least.
const LEAST_BY_DEFAULT: u64 = 1_000;

/// Checks the limits. `keys` are those of the time limit and the node limit.
fn check(time: Option<f64>, nodes: Option<u64>, keys: [&'static str; 2]) -> Result<(), SearchError> {
    if time.is_some_and(|time| !(time.is_finite() && time > 0.0)) {
        return Err(SearchError::Parameter { key: keys[0], problem: "must be a number of seconds above 0" });
    }
    if nodes == Some(0) {
        return Err(SearchError::Parameter { key: keys[1], problem: "must be at least 1" });
    }
    Ok(())
}

/// The limits, with one when there is none.
fn budget(time: Option<f64>, nodes: Option<u64>, tuples: usize) -> Budget {
    let by_default = (EFFORT / tuples.max(1) as u64).clamp(LEAST_BY_DEFAULT, MOST_BY_DEFAULT);
    Budget { time, nodes: nodes.or(time.is_none().then_some(by_default)) }
}

fn search<const W: usize>(
    engine: &Engine<'_, W>,
    order: Order,
    budget: Budget,
    algorithm: &'static str,
    progress: &dyn Progress,
) -> Result<Outcome, SearchError> {
    let (mut scout, top) = Scout::new(engine, budget, progress)?;
    let mut regions = Regions::new(order, &scout, &top);
    match explore(&mut scout, &mut regions, order) {
        Ok(()) | Err(End::Budget) => {}
        Err(End::Error(error)) => return Err(error),
    }
    let left = regions.bound();
    let checked = scout.checked();
    let Some(best) = scout.best else {
        // With nothing left to look at, no candidate is safe; otherwise there may be one.
        return match regions.is_empty() {
            true => Ok(Outcome { checked, ..Outcome::default() }),
            false => Err(SearchError::NothingFound { algorithm }),
        };
    };
    let bound = left.min(best.value);
    Ok(Outcome { best: Some(best.levels), checked, bound: Some(bound), minimal: None })
}

/// Candidates that branch and bound looks at before it is the turn of random steps, and the other way round.
const ROUND: u64 = 256;
/// Random steps in a row at most: on a small lattice they soon meet only what is known.
const KICKS: usize = 8;
/// Any number would do; it is fixed so that the search is repeatable.
const SEED: u64 = 0x9D5F_1A6C_33E8_7B21;

/// Looks at candidates until nothing is left that could be better, or the budget is used up.
fn explore<const W: usize>(scout: &mut Scout<'_, W>, regions: &mut Regions, order: Order) -> Result<(), End> {
    let mut starts = [local::descend, local::ascend];
    if order == Order::LeastBound {
        starts.reverse();
    }
    for start in starts {
        if let Some(safe) = start(scout)? {
            local::improve(scout, safe)?;
        }
    }
    let mut random = Random::new(SEED);
    let mut improved = scout.best.as_ref().map(|best| best.value);
    loop {
        if let Some(best) = scout.best.clone() {
            if improved.is_none_or(|value| best.value < value) {
                local::improve(scout, best)?;
            } else {
                let until = scout.checked() + ROUND;
                for _ in 0..KICKS {
                    let from = scout.best.clone().unwrap_or_else(|| best.clone());
                    local::kick(scout, &from, &mut random)?;
                    if scout.checked() >= until {
                        break;
                    }
                }
            }
            improved = scout.best.as_ref().map(|best| best.value);
        }
        let until = scout.checked() + ROUND;
        if !regions.advance(scout, until)? {
            return Ok(());
        }
    }
}

impl TopDown {
    /// What it is.
    pub const INFO: AlgorithmInfo = AlgorithmInfo {
        id: "top-down",
        summary: "Best effort from the top, with a budget.",
        guarantees: &[
            "The promises hold, and no choice of levels is better than the bound that is stated. Within its budget no better one was found.",
        ],
        judges_together: true,
        needs_monotone: false,
        publishes: None,
        read: read::<TopDown>,
    };
}

impl Algorithm for TopDown {
    fn info(&self) -> &'static AlgorithmInfo {
        &Self::INFO
    }

    fn check(&self) -> Result<(), SearchError> {
        Self::check(self)
    }

    fn is_timed(&self) -> bool {
        self.time_limit.is_some()
    }

    crate::algorithm::searches_levels!();
}

impl BottomUp {
    /// What it is.
    pub const INFO: AlgorithmInfo = AlgorithmInfo {
        id: "bottom-up",
        summary: "Best effort from the bottom, with a budget.",
        guarantees: &[
            "The promises hold, and no choice of levels is better than the bound that is stated. Within its budget no better one was found.",
        ],
        judges_together: true,
        needs_monotone: false,
        publishes: None,
        read: read::<BottomUp>,
    };
}

impl Algorithm for BottomUp {
    fn info(&self) -> &'static AlgorithmInfo {
        &Self::INFO
    }

    fn check(&self) -> Result<(), SearchError> {
        Self::check(self)
    }

    fn is_timed(&self) -> bool {
        self.time_limit.is_some()
    }

    crate::algorithm::searches_levels!();
}
