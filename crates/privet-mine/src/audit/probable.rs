//! Probabilistic auditing of sums (Kenthapadi, Mishra, Nissim 2005): a question is denied when answering it would, for more than a small
//! share of the tables that fit the earlier answers, make the probability that somebody's value lies in some interval much larger
//! or smaller than it was.
//!
//! # Assumptions, which are part of every promise made here
//! Values are independent and uniform between the declared bounds, and the analyst believes so; the analyst asks up to `questions`
//! questions. Shares are estimated by random walks in the polytope of the tables that fit (hit and run), so decisions are
//! approximate: the error is that of `samples` samples. Earlier *answers* enter, the values do not: denials can be simulated.
//!
//! Growth: samples² × walk × people per decision; for hundreds of people.

use good_lp::{Expression, ProblemVariables, Solution, SolverModel, constraint, microlp, variable};
use privet_data::Random;
use serde::{Deserialize, Serialize};

use super::{Decision, Denial};
use crate::MineError;
use crate::error::PeopleProblem;

/// What is assumed and asked for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Assumptions {
    /// The least value.
    pub low: f64,
    /// The largest value.
    pub high: f64,
    /// How far the ratio of the probabilities after and before may be from 1: between 1 − λ and 1/(1 − λ).
    pub lambda: f64,
    /// The equal intervals into which the range of values is cut.
    pub intervals: usize,
    /// The probability that the analyst wins over all questions.
    pub delta: f64,
    /// The questions that may be asked.
    pub questions: u64,
    /// Samples per estimate.
    pub samples: usize,
}

/// What is assumed and asked for, as sentences.
impl std::fmt::Display for Assumptions {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { low, high, lambda, intervals, delta, questions, samples } = self;
        let (least, most) = (1.0 - lambda, 1.0 / (1.0 - lambda));
        write!(
            to,
            "Values are assumed to be independent and even between {low} and {high}, and analysts to believe so. Of {intervals} equal intervals, \
             answers may change the probability that somebody's value lies in one by factors from {least:.4} to {most:.4} (lambda = \
             {lambda}), except with probability {delta} (delta) over at most {questions} questions; then all are denied. Estimated from \
             {samples} samples."
        )
    }
}

impl Default for Assumptions {
    fn default() -> Self {
        Self { low: 0.0, high: 1.0, lambda: 0.9, intervals: 3, delta: 0.2, questions: 10, samples: 200 }
    }
}

/// An auditor of the sums of values under [`Assumptions`].
#[derive(Debug, Clone)]
pub struct ProbableAuditor {
    people: usize,
    assumed: Assumptions,
    generator: Random,
    /// Answered questions with answers over values scaled to 0..1, and an orthonormal basis of their row space.
    answered: Vec<(Vec<u32>, f64)>,
    basis: Vec<Vec<f64>>,
    asked: u64,
}

impl ProbableAuditor {
    /// An auditor for this many people.
    ///
    /// # Errors
    /// When an assumption is out of its range.
    pub fn new(people: usize, assumed: Assumptions, seed: u64) -> Result<Self, MineError> {
        let wrong = |name, value, accepted| Err(MineError::Parameter { name, value, accepted });
        if !(assumed.low < assumed.high && assumed.low.is_finite() && assumed.high.is_finite()) {
            return wrong("low", assumed.low, "finite and below high");
        }
        if !(assumed.lambda > 0.0 && assumed.lambda < 1.0) {
            return wrong("lambda", assumed.lambda, "between 0 and 1");
        }
        if !(assumed.delta > 0.0 && assumed.delta < 1.0) {
            return wrong("delta", assumed.delta, "between 0 and 1");
        }
        if !(2..=1000).contains(&assumed.intervals) {
            return wrong("intervals", assumed.intervals as f64, "from 2 to 1000");
        }
        if !(10..=100_000).contains(&assumed.samples) {
            return wrong("samples", assumed.samples as f64, "from 10 to 100000");
        }
        if assumed.questions == 0 {
            return wrong("questions", 0.0, "at least 1");
        }
        let generator = Random::new(seed);
        Ok(Self { people, assumed, generator, answered: Vec::new(), basis: Vec::new(), asked: 0 })
    }

    /// Decides about a sum.
    ///
    /// # Errors
    /// When the answers that were recorded do not fit values between the bounds.
    pub fn decide(&mut self, people: &[u32]) -> Result<Decision, MineError> {
        if self.asked >= self.assumed.questions {
            return Ok(Decision::Deny(Denial::Exhausted));
        }
        self.asked += 1;
        let start = self.inside()?;
        let grown = grown(&self.basis, &indicator(people, self.people));
        let limit = self.assumed.delta / (2.0 * self.assumed.questions as f64);
        let mut breaches = 0usize;
        // Few outer samples settle a share that is far from the limit.
        let outer = self.assumed.samples.div_ceil(4);
        let mut at = start;
        for _ in 0..outer {
            self.walk(&mut at, &self.basis.clone(), self.people * 4);
            breaches += usize::from(self.shifts(at.clone(), &grown));
        }
        let is_safe = breaches as f64 <= limit * outer as f64;
        Ok(if is_safe { Decision::Answer } else { Decision::Deny(Denial::Shifts) })
    }

    /// Counts a question of which the decision is known, so that no more are decided than were agreed.
    pub(super) fn count_question(&mut self) {
        self.asked += 1;
    }

    /// Counts a sum that was answered.
    pub fn record(&mut self, people: &[u32], answer: f64) {
        let width = self.assumed.high - self.assumed.low;
        let scaled = (answer - self.assumed.low * people.len() as f64) / width;
        self.basis = grown(&self.basis, &indicator(people, self.people));
        self.answered.push((people.to_vec(), scaled));
    }

    /// Whether somebody's probability of an interval shifts too much, over the tables with the same sums as this one.
    fn shifts(&mut self, mut at: Vec<f64>, basis: &[Vec<f64>]) -> bool {
        let intervals = self.assumed.intervals;
        let mut counts = vec![0u32; self.people * intervals];
        for _ in 0..self.assumed.samples {
            self.walk(&mut at, basis, self.people);
            for (person, &value) in at.iter().enumerate() {
                let interval = ((value * intervals as f64) as usize).min(intervals - 1);
                counts[person * intervals + interval] += 1;
            }
        }
        let expected = self.assumed.samples as f64 / intervals as f64;
        let keep = 1.0 - self.assumed.lambda;
        counts.iter().any(|&count| f64::from(count) < keep * expected || f64::from(count) * keep > expected)
    }

    /// Steps of hit and run: a random direction that keeps all sums, and a random place on the line within the box.
    fn walk(&mut self, at: &mut [f64], basis: &[Vec<f64>], steps: usize) {
        for _ in 0..steps.clamp(10, 2000) {
            let mut direction: Vec<f64> = (0..at.len()).map(|_| self.normal()).collect();
            for row in basis {
                let dot: f64 = row.iter().zip(&direction).map(|(a, b)| a * b).sum();
                direction.iter_mut().zip(row).for_each(|(own, row)| *own -= dot * row);
            }
            let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
            for (&value, &step) in at.iter().zip(&direction).filter(|(_, step)| step.abs() > 1e-12) {
                let (a, b) = (-value / step, (1.0 - value) / step);
                low = low.max(a.min(b));
                high = high.min(a.max(b));
            }
            if !(low < high && low.is_finite() && high.is_finite()) {
                continue;
            }
            let length = low + (high - low) * self.generator.unit();
            for (value, step) in at.iter_mut().zip(&direction) {
                *value = (*value + length * step).clamp(0.0, 1.0);
            }
        }
    }

    fn normal(&mut self) -> f64 {
        let (a, b) = (1.0 - self.generator.unit(), self.generator.unit());
        (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
    }

    /// A table that gives the recorded answers, as far from the bounds as it can be. It is found from the answers alone.
    fn inside(&self) -> Result<Vec<f64>, MineError> {
        let mut variables = ProblemVariables::new();
        let values = variables.add_vector(variable().min(0.0).max(1.0), self.people);
        let room = variables.add(variable().min(0.0).max(0.5));
        let mut model = variables.maximise(room).using(microlp);
        for &value in &values {
            model.add_constraint(constraint!(value - room >= 0.0));
            model.add_constraint(constraint!(value + room <= 1.0));
        }
        for (people, answer) in &self.answered {
            let sum: Expression = people.iter().map(|&person| values[person as usize]).sum();
            model.add_constraint(constraint!(sum == *answer));
        }
        let solved = model.solve().map_err(|_| MineError::People { reason: PeopleProblem::Bounds })?;
        Ok(values.iter().map(|&value| solved.value(value).clamp(0.0, 1.0)).collect())
    }
}

fn indicator(people: &[u32], of: usize) -> Vec<f64> {
    let mut row = vec![0.0; of];
    people.iter().for_each(|&person| row[person as usize] = 1.0);
    row
}

/// An orthonormal basis with one row more, unless the row follows.
fn grown(basis: &[Vec<f64>], row: &[f64]) -> Vec<Vec<f64>> {
    let mut rest = row.to_vec();
    // Twice, against rounding.
    for own in basis.iter().chain(basis) {
        let dot: f64 = own.iter().zip(&rest).map(|(a, b)| a * b).sum();
        rest.iter_mut().zip(own).for_each(|(value, own)| *value -= dot * own);
    }
    let length = rest.iter().map(|own| own * own).sum::<f64>().sqrt();
    let mut all = basis.to_vec();
    if length > 1e-9 * (row.len() as f64).sqrt() {
        all.push(rest.into_iter().map(|own| own / length).collect());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum of everybody tells little of anybody; the sum of two tells much, and of one everything.
    #[test]
    fn large_sums_pass_and_small_ones_do_not() {
        let assumed = Assumptions { samples: 120, ..Assumptions::default() };
        let mut auditor = ProbableAuditor::new(24, assumed, 7).unwrap();
        let all: Vec<u32> = (0..24).collect();
        assert_eq!(auditor.decide(&all).unwrap(), Decision::Answer);
        auditor.record(&all, 12.3);
        assert_eq!(auditor.decide(&[3]).unwrap(), Decision::Deny(Denial::Shifts));
        assert_eq!(auditor.decide(&all[..23]).unwrap(), Decision::Deny(Denial::Shifts));
    }

    #[test]
    fn questions_run_out_and_impossible_answers_are_found() {
        let assumed = Assumptions { questions: 1, samples: 20, ..Assumptions::default() };
        let mut auditor = ProbableAuditor::new(4, assumed, 7).unwrap();
        auditor.decide(&[0, 1]).unwrap();
        assert_eq!(auditor.decide(&[0, 1]).unwrap(), Decision::Deny(Denial::Exhausted));
        let mut auditor = ProbableAuditor::new(4, Assumptions::default(), 7).unwrap();
        auditor.record(&[0, 1], 3.0);
        assert_eq!(auditor.decide(&[0]), Err(MineError::People { reason: PeopleProblem::Bounds }));
        let wrong = Assumptions { lambda: 1.0, ..Assumptions::default() };
        assert!(ProbableAuditor::new(4, wrong, 7).is_err());
    }
}
