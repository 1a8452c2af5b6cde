//! Linear programs over cells of tables, solved by `good_lp` with its simplex solver in Rust.
//!
//! Nothing that is promised rests on its floating-point numbers alone: protection is certified by whole numbers
//! (`protection.rs`), and bounds that are reported are rounded to whole numbers with some slack outwards.

use good_lp::{Expression, ResolutionError, Solution, SolverModel, microlp, variable, variables};

use crate::lattice::SearchError;

/// Variables within bounds that satisfy equalities.
#[derive(Debug, Default)]
pub(super) struct Program {
    /// Per variable the least and the most it may be.
    pub bounds: Vec<(f64, f64)>,
    /// Sums of variables with their factors, and what each must be.
    pub equalities: Vec<(Vec<(usize, f64)>, f64)>,
}

/// What is wanted of a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Goal {
    Least,
    Most,
}

/// The best that is possible.
#[derive(Debug)]
pub(super) enum Optimum {
    /// The sum, and the variables that give it.
    At(f64, Vec<f64>),
    Unbounded,
    Infeasible,
}

impl Program {
    /// Optimizes a sum of variables with their factors.
    pub fn optimize(&self, objective: &[(usize, f64)], goal: Goal) -> Result<Optimum, SearchError> {
        let mut unknowns = variables!();
        let of: Vec<_> =
            self.bounds.iter().map(|&(low, high)| unknowns.add(variable().min(low).max(high))).collect();
        let sum = |terms: &[(usize, f64)]| {
            let mut expression = Expression::with_capacity(terms.len());
            terms.iter().for_each(|&(i, factor)| expression.add_mul(factor, of[i]));
            expression
        };
        let expression = sum(objective);
        let unsolved = match goal {
            Goal::Least => unknowns.minimise(expression.clone()),
            Goal::Most => unknowns.maximise(expression.clone()),
        };
        let mut model = unsolved.using(microlp);
        for (terms, right) in &self.equalities {
            model.add_constraint(sum(terms).eq(*right));
        }
        match model.solve() {
            Ok(solution) => {
                let at = of.iter().map(|&unknown| solution.value(unknown)).collect();
                Ok(Optimum::At(solution.eval(&expression), at))
            }
            Err(ResolutionError::Unbounded) => Ok(Optimum::Unbounded),
            Err(ResolutionError::Infeasible) => Ok(Optimum::Infeasible),
            Err(_) => Err(SearchError::NoBounds {
                problem: "the linear program has no numerically stable solution",
            }),
        }
    }
}
