//! The least and the most that a sum of unknown counts can be, by linear programs (`good_lp`, simplex).
//!
//! Floating-point ends are rounded to whole numbers outwards by a small slack first, so that a whole number that is
//! possible is never left out.

use good_lp::{Expression, ResolutionError, Solution, SolverModel, microlp, variable, variables};

const SLACK: f64 = 1e-4;

/// Unknown counts, none negative, with equations between them.
pub(super) struct Equations {
    unknowns: usize,
    equations: Vec<(Vec<(usize, f64)>, f64)>,
}

impl Equations {
    pub fn new(unknowns: usize) -> Self {
        Self { unknowns, equations: Vec::new() }
    }

    /// Adds the equation of a weighted sum of unknowns.
    pub fn add(&mut self, terms: Vec<(usize, f64)>, sum: f64) {
        self.equations.push((terms, sum));
    }

    /// The least and the most that a sum of unknowns can be.
    pub fn range(&self, of: &[usize]) -> Result<(u64, u64), &'static str> {
        let low = self.end(of, true)?;
        let high = self.end(of, false)?;
        Ok(((low - SLACK).ceil().max(0.0) as u64, (high + SLACK).floor().max(0.0) as u64))
    }

    fn end(&self, of: &[usize], least: bool) -> Result<f64, &'static str> {
        let mut unknowns = variables!();
        let own: Vec<_> = (0..self.unknowns).map(|_| unknowns.add(variable().min(0.0))).collect();
        let sum = |terms: &[(usize, f64)]| {
            let mut expression = Expression::with_capacity(terms.len());
            terms.iter().for_each(|&(i, factor)| expression.add_mul(factor, own[i]));
            expression
        };
        let wanted = sum(&of.iter().map(|&i| (i, 1.0)).collect::<Vec<_>>());
        let unsolved = match least {
            true => unknowns.minimise(wanted.clone()),
            false => unknowns.maximise(wanted.clone()),
        };
        let mut model = unsolved.using(microlp);
        for (terms, right) in &self.equations {
            model.add_constraint(sum(terms).eq(*right));
        }
        match model.solve() {
            Ok(solution) => Ok(solution.eval(&wanted)),
            Err(ResolutionError::Infeasible) => Err("the counts contradict each other"),
            Err(_) => Err("a linear program has no stable solution"),
        }
    }
}
