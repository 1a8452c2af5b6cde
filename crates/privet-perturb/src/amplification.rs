//! What a randomized output can tell anyone about a record, whatever he believed before: γ-amplification and
//! (α,β)-privacy (survey PM-15, PM-16, TH-02, TH-03, TH-04).
//!
//! # Guarantee
//! With γ = max P(u₁→v)/P(u₂→v), the odds of any predicate under any prior change by a factor of at most γ, up or down;
//! and for some prior and predicate they do change by γ, so [`breach`] is exact: it finds one whenever there is any, and
//! names it. Departures from the print: at γ equal to the bound the posterior β is reached, which is a breach, so the
//! comparison is strict (ERR-9), and rounding is taken on the safe side; a downward breach is one from at least β to at
//! most α (ERR-8), and the same bound on γ excludes both. The statement is about the matrix as written; see
//! [`PerturbationMatrix`] for how small an entry can be.

use crate::error::check_probability;
use crate::{PerturbError, PerturbationMatrix};

/// γ of a matrix: 1 when outputs tell nothing, infinite when an output excludes a value. An output that never occurs
/// does not count.
pub fn gamma(matrix: &PerturbationMatrix) -> f64 {
    extremes(matrix).map(|extreme| extreme.ratio()).fold(1.0, f64::max)
}

/// An output, and the values that make it most and least likely.
struct Extreme {
    output: usize,
    likely: (usize, f64),
    unlikely: (usize, f64),
}

impl Extreme {
    fn ratio(&self) -> f64 {
        if self.unlikely.1 > 0.0 { self.likely.1 / self.unlikely.1 } else { f64::INFINITY }
    }
}

fn extremes(matrix: &PerturbationMatrix) -> impl Iterator<Item = Extreme> {
    let mut extremes: Vec<Extreme> = (0..matrix.outputs())
        .map(|output| Extreme { output, likely: (0, f64::NEG_INFINITY), unlikely: (0, f64::INFINITY) })
        .collect();
    for (u, row) in matrix.rows().enumerate() {
        for (extreme, &probability) in extremes.iter_mut().zip(row) {
            if probability > extreme.likely.1 {
                extreme.likely = (u, probability);
            }
            if probability < extreme.unlikely.1 {
                extreme.unlikely = (u, probability);
            }
        }
    }
    extremes.into_iter().filter(|extreme| extreme.likely.1 > 0.0)
}

/// What γ must be below for (α,β)-privacy: β(1−α)/(α(1−β)).
///
/// # Errors
/// When not 0 < α < β < 1.
pub fn odds_bound(alpha: f64, beta: f64) -> Result<f64, PerturbError> {
    if !(alpha > 0.0 && alpha < beta && beta < 1.0) {
        return Err(PerturbError::Parameter { name: "α and β", accepted: "0 < α < β < 1" });
    }
    Ok(beta * (1.0 - alpha) / (alpha * (1.0 - beta)))
}

/// The highest probability that anybody can come to hold who held α before: γα/(1−α+γα). A mechanism with this γ is
/// (α,β)-private for every β above it.
///
/// # Errors
/// When α is no probability, or γ is below 1.
pub fn highest_posterior(gamma: f64, alpha: f64) -> Result<f64, PerturbError> {
    check(gamma, alpha)?;
    Ok(if alpha == 0.0 || alpha == 1.0 {
        alpha
    } else if gamma.is_infinite() {
        1.0
    } else {
        // The same fraction, divided by γ: nothing overflows.
        alpha / (alpha + (1.0 - alpha) / gamma)
    })
}

/// The lowest probability that anybody can come to hold who held α before: α/(α+γ(1−α)).
///
/// # Errors
/// When α is no probability, or γ is below 1.
pub fn lowest_posterior(gamma: f64, alpha: f64) -> Result<f64, PerturbError> {
    Ok(1.0 - highest_posterior(gamma, 1.0 - alpha)?)
}

fn check(gamma: f64, alpha: f64) -> Result<(), PerturbError> {
    check_probability("α", alpha)?;
    if gamma >= 1.0 { Ok(()) } else { Err(PerturbError::Parameter { name: "γ", accepted: "at least 1" }) }
}

/// A prior and a predicate that an output breaches: who believes `suspected` with probability α, and `alternative`
/// otherwise, believes `suspected` with probability `posterior` after seeing `output`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Breach {
    /// The output that is seen.
    pub output: usize,
    /// The value that becomes likely.
    pub suspected: usize,
    /// The other value that was thought possible.
    pub alternative: usize,
    /// How probable `suspected` becomes.
    pub posterior: f64,
}

/// The worst breach of (α,β)-privacy: from a probability of at most α to one of at least β. `None` when the matrix is
/// (α,β)-private, upwards and, from at least β to at most α, downwards.
///
/// # Errors
/// When not 0 < α < β < 1.
pub fn breach(matrix: &PerturbationMatrix, alpha: f64, beta: f64) -> Result<Option<Breach>, PerturbError> {
    // What is within rounding of the bound counts as beyond it.
    let bound = odds_bound(alpha, beta)? * (1.0 - 1e-12);
    let mut worst: Option<Extreme> = None;
    for extreme in extremes(matrix) {
        if worst.as_ref().is_none_or(|worst| extreme.ratio() > worst.ratio()) {
            worst = Some(extreme);
        }
    }
    let Some(worst) = worst.filter(|worst| worst.ratio() >= bound) else { return Ok(None) };
    let posterior = highest_posterior(worst.ratio(), alpha)?;
    let Extreme { output, likely, unlikely } = worst;
    Ok(Some(Breach { output, suspected: likely.0, alternative: unlikely.0, posterior }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_near;
    use proptest::prelude::*;

    /// P(φ | v), straight from Bayes' rule; `None` when v cannot be.
    fn posterior(matrix: &PerturbationMatrix, prior: &[f64], holds: &[bool], v: usize) -> Option<f64> {
        let joint = |u: usize| prior[u] * matrix.probability(u, v).unwrap();
        let all: f64 = (0..prior.len()).map(joint).sum();
        let with: f64 = (0..prior.len()).filter(|&u| holds[u]).map(joint).sum();
        (all > 0.0).then(|| with / all)
    }

    /// survey PM-16.
    #[test]
    fn printed_numbers() {
        let warner = PerturbationMatrix::keeping(0.75, 2).unwrap();
        assert_near(gamma(&warner), 3.0, 1e-12);
        assert_near(odds_bound(0.1, 0.5).unwrap(), 9.0, 1e-12);
        assert_eq!(breach(&warner, 0.1, 0.5), Ok(None));
        assert_near(highest_posterior(3.0, 0.1).unwrap(), 0.25, 1e-12);
        assert_near(highest_posterior(9.0, 0.1).unwrap(), 0.5, 1e-12);
        // ERR-9: at the bound the posterior β is reached.
        let at = PerturbationMatrix::keeping(0.9, 2).unwrap();
        assert_near(breach(&at, 0.1, 0.5).unwrap().unwrap().posterior, 0.5, 1e-12);
        assert_eq!(breach(&PerturbationMatrix::keeping(0.899, 2).unwrap(), 0.1, 0.5), Ok(None));
    }

    /// survey TH-03: a deterministic map that is not constant tells everything of something; a constant one nothing.
    #[test]
    fn deterministic_maps() {
        let map = PerturbationMatrix::new(2, vec![1.0, 0.0, 1.0, 0.0, 0.0, 1.0]).unwrap();
        assert_eq!(gamma(&map), f64::INFINITY);
        let found = breach(&map, 0.01, 0.99).unwrap().unwrap();
        assert_eq!((found.posterior, found.suspected, found.alternative), (1.0, 0, 2));
        let constant = PerturbationMatrix::new(2, vec![0.0, 1.0, 0.0, 1.0]).unwrap();
        assert_eq!((gamma(&constant), breach(&constant, 0.4, 0.5)), (1.0, Ok(None)));
    }

    /// survey TH-04: a ratio of ε is (α,εα)-private for every α, and no larger ratio is: the bound falls to ε.
    #[test]
    fn the_bound_for_beta_proportional_to_alpha_falls_to_the_ratio() {
        for ratio in [1.1, 2.0, 10.0f64] {
            let mut last = ratio;
            for alpha in [1e-9, 1e-6, 1e-3, 0.01, 0.05, 0.09] {
                let bound = odds_bound(alpha, ratio * alpha).unwrap();
                assert!(bound > last, "{ratio} {alpha}");
                last = bound;
            }
            assert_near(odds_bound(1e-9, ratio * 1e-9).unwrap(), ratio, 1e-6);
        }
    }

    fn matrices() -> impl Strategy<Value = PerturbationMatrix> {
        (2usize..5, 2usize..5).prop_flat_map(|(inputs, outputs)| {
            let row = prop::collection::vec(prop_oneof![9 => 0.01f64..1.0, 1 => Just(0.0)], outputs)
                .prop_filter("a row needs something", |row| row.iter().sum::<f64>() > 0.0)
                .prop_map(|row| {
                    let sum: f64 = row.iter().sum();
                    row.into_iter().map(|p| p / sum).collect::<Vec<f64>>()
                });
            prop::collection::vec(row, inputs)
                .prop_map(move |rows| PerturbationMatrix::new(outputs, rows.concat()).unwrap())
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// survey TH-02, upwards and downwards, for any prior, predicate and output.
        #[test]
        fn odds_change_by_gamma_at_most(
            matrix in matrices(),
            prior in prop::collection::vec(0.001f64..1.0, 5),
            holds in prop::collection::vec(any::<bool>(), 5),
        ) {
            let (prior, holds) = (&prior[..matrix.inputs()], &holds[..matrix.inputs()]);
            let sum: f64 = prior.iter().sum();
            let prior: Vec<f64> = prior.iter().map(|p| p / sum).collect();
            let before: f64 = prior.iter().zip(holds).filter(|(_, holds)| **holds).map(|(p, _)| p).sum();
            prop_assume!(before > 0.0 && before < 1.0 - 1e-9);
            let gamma = gamma(&matrix);
            for v in 0..matrix.outputs() {
                let Some(after) = posterior(&matrix, &prior, holds, v) else { continue };
                prop_assert!(after <= highest_posterior(gamma, before).unwrap() + 1e-12);
                prop_assert!(after >= lowest_posterior(gamma, before).unwrap() - 1e-12);
            }
        }

        /// A breach that is told is one, and where none is told a search over pairs of values finds none.
        #[test]
        fn breaches_are_exact(matrix in matrices(), alpha in 0.01f64..0.5, step in 0.01f64..0.49) {
            let beta = alpha + step;
            let pairs = (0..matrix.inputs()).flat_map(|a| (0..matrix.inputs()).map(move |b| (a, b)));
            let mut worst = 0.0f64;
            for (a, b) in pairs.filter(|(a, b)| a != b) {
                let mut prior = vec![0.0; matrix.inputs()];
                (prior[a], prior[b]) = (alpha, 1.0 - alpha);
                let holds: Vec<bool> = (0..matrix.inputs()).map(|u| u == a).collect();
                for v in 0..matrix.outputs() {
                    worst = worst.max(posterior(&matrix, &prior, &holds, v).unwrap_or(0.0));
                }
            }
            prop_assume!((worst - beta).abs() > 1e-9);
            let found = breach(&matrix, alpha, beta).unwrap();
            prop_assert_eq!(found.is_some(), worst > beta);
            if let Some(found) = found {
                prop_assert!((found.posterior - worst).abs() < 1e-9);
                let mut prior = vec![0.0; matrix.inputs()];
                (prior[found.suspected], prior[found.alternative]) = (alpha, 1.0 - alpha);
                let holds: Vec<bool> = (0..matrix.inputs()).map(|u| u == found.suspected).collect();
                let reached = posterior(&matrix, &prior, &holds, found.output).unwrap();
                prop_assert!((reached - found.posterior).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn edges() {
        for (alpha, beta) in [(0.5, 0.5), (0.6, 0.5), (0.0, 0.5), (0.5, 1.0), (f64::NAN, 0.5)] {
            assert!(odds_bound(alpha, beta).is_err());
        }
        assert!(highest_posterior(0.5, 0.5).is_err() && highest_posterior(f64::NAN, 0.5).is_err());
        assert!(highest_posterior(2.0, 1.5).is_err() && lowest_posterior(2.0, f64::NAN).is_err());
        assert_eq!(highest_posterior(f64::INFINITY, 0.1), Ok(1.0));
        assert_eq!(highest_posterior(f64::INFINITY, 0.0), Ok(0.0));
        assert_eq!(lowest_posterior(f64::INFINITY, 0.1), Ok(0.0));
        assert_near(highest_posterior(1e300, 0.5).unwrap(), 1.0, 1e-12);
        assert_near(lowest_posterior(3.0, 0.5).unwrap(), 0.25, 1e-12);
    }
}
