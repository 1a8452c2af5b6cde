//! The linear program of an adjustment with some directions fixed.
//!
//! Where a direction is open, the program mixes the two: a share `rises` of going up and the rest of going down. That
//! costs at most as much as either, so it bounds both from below; to bound well, what a cell moves must also be met by
//! the other cells of each of its sums, which equations alone would let rise and fall cancel within the cell.

use good_lp::{
    Expression, ProblemVariables, ResolutionError, Solution, SolverModel, Variable, microlp, variable,
    variables,
};

use super::{Problem, Protected};
use crate::tables::TableError;

/// Which way a sensitive cell goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Up,
    Down,
    Either,
}

/// Whether moves must be whole numbers, or are only wanted to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbers {
    Whole,
    Real,
}

/// A solution.
pub(super) struct Found {
    /// Per cell by how much it moves, rounded.
    pub moves: Vec<i64>,
    /// What it costs, with missed protections, where the largest weight counts as 1.
    pub cost: f64,
    /// Whether there was nothing to round.
    pub is_whole: bool,
    /// Per sensitive cell the share of going up.
    pub rises: Vec<f64>,
}

/// Sums of variables with their factors that must not be above a number.
type Bounds = Vec<(Vec<(Variable, f64)>, f64)>;

impl Problem<'_> {
    /// The least change that moves these cells in these ways; `None` when there is none. With a penalty protections may
    /// be missed where the way is fixed, at that cost for each that is missing.
    pub(super) fn solve(
        &self,
        sensitive: &[Protected],
        ways: &[Way],
        numbers: Numbers,
        penalty: Option<f64>,
    ) -> Result<Option<Found>, TableError> {
        let largest = self.largest_weight();
        let mut unknowns = variables!();
        let amount = |most: u64| {
            let amount = variable().min(0.0).max(most as f64);
            if numbers == Numbers::Whole { amount.integer() } else { amount }
        };
        let mut way_of = vec![None; self.cells()];
        for (own, &way) in sensitive.iter().zip(ways) {
            way_of[own.cell] = Some((*own, way)); // why: sensitive cells are cells of the table
        }
        let mut objective = Expression::with_capacity(3 * self.cells());
        // Per cell what it falls and rises.
        let mut moves: Vec<(Variable, Variable)> = Vec::with_capacity(self.cells());
        let mut shares = Vec::with_capacity(sensitive.len());
        let mut bounds: Bounds = Vec::new();
        for ((&(fall, rise), &weight), way) in self.room.iter().zip(&self.weights).zip(&way_of) {
            // At least this much, or a penalty for what is missing.
            let mut at_least = |unknowns: &mut ProblemVariables, own: Variable, least: u64| {
                let missing = penalty.map(|penalty| {
                    let missing = unknowns.add(amount(least));
                    objective.add_mul(penalty, missing);
                    (missing, -1.0)
                });
                bounds.push(([(own, -1.0)].into_iter().chain(missing).collect(), -(least as f64)));
            };
            let (down, up) = match *way {
                Some((_, Way::Up)) => (unknowns.add(amount(0)), unknowns.add(amount(rise))),
                Some((_, Way::Down)) => (unknowns.add(amount(fall)), unknowns.add(amount(0))),
                _ => (unknowns.add(amount(fall)), unknowns.add(amount(rise))),
            };
            match *way {
                None => {}
                Some((own, Way::Up)) => at_least(&mut unknowns, up, own.up),
                Some((own, Way::Down)) => at_least(&mut unknowns, down, own.down),
                Some((own, Way::Either)) => {
                    let (least, most) = (!self.can_fall(&own), self.can_rise(&own));
                    let rises = unknowns.add(variable().min(u8::from(least)).max(u8::from(most)));
                    // up·rises ≤ rise ≤ room·rises, and the same for the fall and 1 − rises.
                    let (up_least, down_least) = (own.up.min(rise) as f64, own.down.min(fall) as f64);
                    bounds.push((vec![(up, 1.0), (rises, -(rise as f64))], 0.0));
                    bounds.push((vec![(up, -1.0), (rises, up_least)], 0.0));
                    bounds.push((vec![(down, 1.0), (rises, fall as f64)], fall as f64));
                    bounds.push((vec![(down, -1.0), (rises, -down_least)], -down_least));
                    shares.push((own.cell, rises));
                }
            }
            objective.add_mul(weight / largest, down);
            objective.add_mul(weight / largest, up);
            moves.push((down, up));
        }
        for &(own, _) in &shares {
            self.met_by_others(own, &moves, &mut bounds);
        }
        let mut model = unknowns.minimise(objective.clone()).using(microlp);
        for (terms, most) in bounds {
            model.add_constraint(sum_of(terms.into_iter()).leq(most));
        }
        for cells in self.sums.iter().filter(|cells| !cells.is_empty()) {
            let terms = cells.iter().filter_map(|&cell| moves.get(cell as usize));
            let terms = terms.flat_map(|&(down, up)| [(up, 1.0), (down, -1.0)]);
            model.add_constraint(sum_of(terms).eq(0.0));
        }
        match model.solve() {
            Ok(solution) => {
                let by = moves.iter().map(|&(down, up)| solution.value(up) - solution.value(down));
                let is_whole = by.clone().all(|by| (by - by.round()).abs() < 1e-5);
                let mut open = shares.iter().map(|&(_, rises)| solution.value(rises));
                let rises = ways.iter().map(|way| match way {
                    Way::Up => 1.0,
                    Way::Down => 0.0,
                    Way::Either => open.next().unwrap_or(0.5),
                });
                Ok(Some(Found {
                    rises: rises.collect(),
                    moves: by.map(|by| by.round() as i64).collect(),
                    cost: solution.eval(&objective),
                    is_whole,
                }))
            }
            Err(ResolutionError::Infeasible) => Ok(None),
            Err(_) => Err(TableError::Unstable),
        }
    }

    /// In each sum of a cell the others together move at least as far as it does.
    fn met_by_others(&self, own: usize, moves: &[(Variable, Variable)], bounds: &mut Bounds) {
        let sums = self.sums_of.get(own).into_iter().flatten();
        for cells in sums.filter_map(|&sum| self.sums.get(sum as usize)) {
            let terms = cells.iter().filter_map(|&cell| {
                let sign = if cell as usize == own { 1.0 } else { -1.0 };
                moves.get(cell as usize).map(|&(down, up)| [(down, sign), (up, sign)])
            });
            bounds.push((terms.flatten().collect(), 0.0));
        }
    }
}

fn sum_of(terms: impl Iterator<Item = (Variable, f64)>) -> Expression {
    let mut sum = Expression::with_capacity(terms.size_hint().0);
    terms.for_each(|(unknown, factor)| sum.add_mul(factor, unknown));
    sum
}
