//! Maximum likelihood of the weights of a mixture by expectation and maximization: the engine of distribution
//! reconstruction (papers T-AL1, T-AL2) and of non-negative counts behind a perturbation matrix (survey US-08).
//!
//! Observation i has weight w_i and is explained by component j with likelihood K_ij. One round is
//! θ_j ← θ_j·D_j with D_j = Σ_i w_i K_ij/Σ_b K_ib θ_b / Σ w.
//!
//! # Guarantee
//! Masses are never negative and sum to 1. The log-likelihood that is returned never falls: a round that could not
//! raise it, which only rounding brings about, is undone and ends the run. The log-likelihood is concave, so the best
//! there is lies at most Σw·(max_j D_j − 1) above: that bound, per unit of weight, is reported as the gap. It is the one
//! rule of stopping that cannot be fooled by slow progress (papers DEF-28). The same on any number of threads.

use rayon::prelude::*;

use crate::PerturbError;

/// When to stop. A rule at 0 never applies; the first that applies stops.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stop {
    /// The most rounds.
    pub rounds: usize,
    /// When the masses change by less than this on average.
    pub change: f64,
    /// When the log-likelihood per value rises by less than this.
    pub gain: f64,
    /// When the log-likelihood per value is proven to be within this of the best.
    pub gap: f64,
    /// When n·Σ (new − old)²/old, as in a χ² test between two rounds, is below this.
    pub chi_square: f64,
}

impl Default for Stop {
    /// 500 rounds, or a gap of 1e-4.
    fn default() -> Self {
        Self { rounds: 500, change: 0.0, gain: 0.0, gap: 1e-4, chi_square: 0.0 }
    }
}

impl Stop {
    /// After so many rounds.
    pub fn after(rounds: usize) -> Self {
        Self { rounds, change: 0.0, gain: 0.0, gap: 0.0, chi_square: 0.0 }
    }
}

/// Why it stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stopped {
    /// All rounds were run.
    Rounds,
    /// The masses hardly changed.
    Change,
    /// The log-likelihood hardly rose.
    Gain,
    /// The log-likelihood is proven to be near the best.
    Gap,
    /// A χ² test sees no difference between two rounds.
    ChiSquare,
    /// No round raises the log-likelihood any more, as far as numbers can tell.
    Settled,
    /// More rounds explain values worse that were held out.
    HeldOut,
}

/// What was fitted.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fit {
    pub masses: Vec<f64>,
    /// At the start and after each round.
    pub log_likelihood: Vec<f64>,
    pub gap: f64,
    pub change: f64,
    pub stopped: Stopped,
}

/// How much more likely observations became: the sum over them of what the logarithm rose by, and of its square.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Gain {
    pub sum: f64,
    pub squares: f64,
}

/// Observations, and how likely each component makes them. Rows are kept without the zeros at their ends, and divided by
/// their largest entry, so that nothing underflows.
#[derive(Debug, Default)]
pub(crate) struct Mixture {
    components: usize,
    rows: Vec<Row>,
    entries: Vec<f64>,
    /// What dividing by the largest entries took off the log-likelihood.
    scale: f64,
    /// The weight of all rows.
    weight: f64,
}

#[derive(Debug)]
struct Row {
    weight: f64,
    /// The first component that is not 0.
    first: usize,
    /// Where its entries are.
    start: usize,
    end: usize,
}

/// What one look at all observations tells.
struct Look {
    log_likelihood: f64,
    /// D_j.
    factors: Vec<f64>,
}

impl Mixture {
    pub(crate) fn new(components: usize) -> Self {
        Self { components, ..Self::default() }
    }

    /// Adds an observation; false, and nothing is added, when no component explains it.
    pub(crate) fn push(&mut self, weight: f64, likelihoods: &[f64]) -> bool {
        let is_positive = |likelihood: &f64| *likelihood > 0.0;
        let Some(first) = likelihoods.iter().position(is_positive) else { return false };
        let last = likelihoods.iter().rposition(is_positive).unwrap_or(first);
        let most = likelihoods.iter().fold(0.0, |most: f64, &own| most.max(own));
        let start = self.entries.len();
        let within = likelihoods.iter().take(last + 1).skip(first);
        self.entries.extend(within.map(|likelihood| likelihood / most));
        self.rows.push(Row { weight, first, start, end: self.entries.len() });
        self.scale += weight * most.ln();
        self.weight += weight;
        true
    }

    /// Fits the masses, from even ones.
    pub(crate) fn fit(&self, stop: &Stop) -> Result<Fit, PerturbError> {
        for (name, value) in [
            ("the change to stop at", stop.change),
            ("the gain to stop at", stop.gain),
            ("the gap to stop at", stop.gap),
            ("the χ² to stop at", stop.chi_square),
        ] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(PerturbError::Parameter { name, accepted: "a finite number from 0 on" });
            }
        }
        let mut masses = vec![1.0 / self.components.max(1) as f64; self.components];
        let mut look = self.look(&masses).ok_or(PerturbError::Unreachable)?;
        let mut log_likelihood = vec![look.log_likelihood];
        let (mut change, mut stopped) = (0.0, Stopped::Rounds);
        for _ in 0..stop.rounds {
            let mut next: Vec<f64> =
                masses.iter().zip(&look.factors).map(|(mass, factor)| mass * factor).collect();
            let sum: f64 = next.iter().sum();
            next.iter_mut().for_each(|mass| *mass /= sum);
            let Some(after) = self.look(&next).filter(|after| after.log_likelihood >= look.log_likelihood)
            else {
                stopped = Stopped::Settled;
                break;
            };
            let pairs = || masses.iter().zip(&next);
            change = pairs().map(|(old, new)| (new - old).abs()).sum::<f64>() / self.components as f64;
            let square = |(old, new): (&f64, &f64)| if *old > 0.0 { (new - old).powi(2) / old } else { 0.0 };
            let chi_square = self.weight * pairs().map(square).sum::<f64>();
            let gain = (after.log_likelihood - look.log_likelihood) / self.weight;
            (masses, look) = (next, after);
            log_likelihood.push(look.log_likelihood);
            let rules = [
                (self.gap(&look), stop.gap, Stopped::Gap),
                (change, stop.change, Stopped::Change),
                (gain, stop.gain, Stopped::Gain),
                (chi_square, stop.chi_square, Stopped::ChiSquare),
            ];
            if let Some((.., why)) = rules.into_iter().find(|(value, least, _)| value < least) {
                stopped = why;
                break;
            }
        }
        Ok(Fit { masses, log_likelihood, gap: self.gap(&look), change, stopped })
    }

    /// How much better other observations are explained than by even masses, at the start, where that is 0, and after each of so many
    /// rounds on these.
    pub(crate) fn explains(&self, others: &Self, rounds: usize) -> Vec<Gain> {
        let mut masses = vec![1.0 / self.components.max(1) as f64; self.components];
        let start: Vec<f64> = others.log_likelihoods(&masses).map(|own| own.1).collect();
        let told = |masses: &[f64]| {
            let mut gain = Gain::default();
            for ((weight, after), before) in others.log_likelihoods(masses).zip(&start) {
                gain.sum += weight * (after - before);
                gain.squares += weight * (after - before).powi(2);
            }
            gain
        };
        let mut all = vec![Gain::default()];
        for _ in 0..rounds {
            let Some(look) = self.look(&masses) else { break };
            let mut next: Vec<f64> =
                masses.iter().zip(&look.factors).map(|(mass, factor)| mass * factor).collect();
            let sum: f64 = next.iter().sum();
            next.iter_mut().for_each(|mass| *mass /= sum);
            masses = next;
            all.push(told(&masses));
            if self.gap(&look) < 1e-6 {
                break;
            }
        }
        all
    }

    /// Of each observation its weight and its log-likelihood up to a constant of its own; −∞ where it is not explained any more.
    fn log_likelihoods(&self, masses: &[f64]) -> impl Iterator<Item = (f64, f64)> {
        self.observations().map(move |(weight, first, entries)| {
            let own = masses.iter().skip(first);
            (weight, entries.iter().zip(own).map(|(entry, mass)| entry * mass).sum::<f64>().ln())
        })
    }

    /// How many components there are.
    pub(crate) fn components(&self) -> usize {
        self.components
    }

    /// The weight of all observations.
    pub(crate) fn weight(&self) -> f64 {
        self.weight
    }

    /// Of each observation its weight, the first component that explains it, and the likelihoods from there on.
    pub(crate) fn observations(&self) -> impl Iterator<Item = (f64, usize, &[f64])> {
        self.rows
            .iter()
            .map(|row| (row.weight, row.first, self.entries.get(row.start..row.end).unwrap_or_default()))
    }

    fn gap(&self, look: &Look) -> f64 {
        look.factors.iter().fold(1.0, |most: f64, &factor| most.max(factor)) - 1.0
    }

    /// `None` when an observation is not explained any more, or there is none.
    fn look(&self, masses: &[f64]) -> Option<Look> {
        // Parts of a fixed size, added in order: the sums do not depend on the number of threads.
        const PART: usize = 2048;
        let part = |rows: &[Row]| {
            let mut look = Look { log_likelihood: 0.0, factors: vec![0.0; self.components] };
            for row in rows {
                let entries = self.entries.get(row.start..row.end)?;
                let masses = masses.get(row.first..row.first + entries.len())?;
                let sum: f64 = entries.iter().zip(masses).map(|(entry, mass)| entry * mass).sum();
                if sum.is_nan() || sum <= 0.0 {
                    return None;
                }
                look.log_likelihood += row.weight * sum.ln();
                let each = row.weight / sum;
                let factors = look.factors.get_mut(row.first..row.first + entries.len())?;
                factors.iter_mut().zip(entries).for_each(|(factor, entry)| *factor += each * entry);
            }
            Some(look)
        };
        let looks: Vec<Option<Look>> = if self.entries.len() > 1 << 17 {
            self.rows.par_chunks(PART).map(part).collect()
        } else {
            self.rows.chunks(PART).map(part).collect()
        };
        let mut whole = Look { log_likelihood: self.scale, factors: vec![0.0; self.components] };
        for look in looks {
            let look = look?;
            whole.log_likelihood += look.log_likelihood;
            whole.factors.iter_mut().zip(&look.factors).for_each(|(sum, own)| *sum += own);
        }
        whole.factors.iter_mut().for_each(|factor| *factor /= self.weight);
        (self.weight > 0.0).then_some(whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_near;
    use proptest::prelude::*;

    /// The log-likelihood, straight from its definition.
    fn plain(rows: &[(f64, Vec<f64>)], masses: &[f64]) -> f64 {
        rows.iter().map(|(w, k)| w * k.iter().zip(masses).map(|(k, m)| k * m).sum::<f64>().ln()).sum()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// The likelihood is the one of the definition, never falls, and no other masses beat it by more than the gap.
        #[test]
        fn rises_to_within_the_gap(
            rows in prop::collection::vec((0.5f64..3.0, prop::collection::vec(0.0f64..1.0, 4)), 1..12),
            other in prop::collection::vec(0.01f64..1.0, 4),
        ) {
            let mut mixture = Mixture::new(4);
            let rows: Vec<_> = rows.into_iter().filter(|(weight, row)| mixture.push(*weight, row)).collect();
            prop_assume!(!rows.is_empty());
            let fit = mixture.fit(&Stop::after(40)).unwrap();
            prop_assert!((fit.masses.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            prop_assert!(fit.log_likelihood.is_sorted());
            let last = *fit.log_likelihood.last().unwrap();
            prop_assert!((last - plain(&rows, &fit.masses)).abs() < 1e-9);
            // A run that ends early has nothing left to gain but rounding.
            prop_assert!(fit.stopped == Stopped::Rounds || fit.gap < 1e-6, "{:?} {}", fit.stopped, fit.gap);
            let weight: f64 = rows.iter().map(|(weight, _)| weight).sum();
            let sum: f64 = other.iter().sum();
            let other: Vec<f64> = other.iter().map(|mass| mass / sum).collect();
            prop_assert!(plain(&rows, &other) <= last + weight * fit.gap + 1e-9);
        }
    }

    /// What the same observations gain is what the log-likelihood rose by; the square is that of each, as often as it was made.
    #[test]
    fn gains_are_those_of_the_log_likelihood() {
        let mut mixture = Mixture::new(2);
        assert!(mixture.push(3.0, &[1.0, 0.5]) && mixture.push(2.0, &[0.1, 1.0]));
        let told = mixture.explains(&mixture, 5);
        let fit = mixture.fit(&Stop::after(5)).unwrap();
        assert_eq!(told.len(), fit.log_likelihood.len());
        for (gain, own) in told.iter().zip(&fit.log_likelihood) {
            assert_near(gain.sum, own - fit.log_likelihood[0], 1e-12);
        }
        let rose = |row: [f64; 2]| {
            let after: f64 = row.iter().zip(&fit.masses).map(|(own, mass)| own * mass).sum();
            (after / (0.5 * (row[0] + row[1]))).ln()
        };
        assert_near(told[5].squares, 3.0 * rose([1.0, 0.5]).powi(2) + 2.0 * rose([0.1, 1.0]).powi(2), 1e-12);
    }

    #[test]
    fn rules_stop() {
        let mut mixture = Mixture::new(2);
        assert!(mixture.push(3.0, &[1.0, 0.5]) && mixture.push(2.0, &[0.1, 1.0]));
        assert!(!mixture.push(1.0, &[0.0, 0.0]));
        let never = Stop::after(10_000);
        for (stop, why) in [
            (Stop { change: 1e-3, ..never }, Stopped::Change),
            (Stop { gain: 1e-6, ..never }, Stopped::Gain),
            (Stop { gap: 1e-6, ..never }, Stopped::Gap),
            (Stop { chi_square: 1e-3, ..never }, Stopped::ChiSquare),
            (Stop::after(3), Stopped::Rounds),
        ] {
            assert_eq!(mixture.fit(&stop).unwrap().stopped, why);
        }
        assert_eq!(mixture.fit(&Stop::after(3)).unwrap().log_likelihood.len(), 4);
        // The χ² of the first round, from even masses, by hand.
        let first = mixture.fit(&Stop::after(1)).unwrap().masses;
        let chi_square: f64 = first.iter().map(|mass| 5.0 * (mass - 0.5).powi(2) / 0.5).sum();
        let rounds =
            |chi_square| mixture.fit(&Stop { chi_square, ..never }).unwrap().log_likelihood.len() - 1;
        assert_eq!(rounds(chi_square * 1.001), 1);
        assert!(rounds(chi_square * 0.999) > 1);
        assert_eq!(mixture.fit(&Stop::after(0)).unwrap().masses, [0.5, 0.5]);
        assert!(mixture.fit(&Stop { gap: f64::NAN, ..never }).is_err());
        // The maximum of 3 ln(θ + (1−θ)/2) + 2 ln(θ/10 + 1 − θ): derivative 0 at θ = 4/15.
        let best = mixture.fit(&Stop { gap: 1e-12, ..never }).unwrap();
        assert_near(best.masses[0], 4.0 / 15.0, 1e-5);
        assert_eq!(Mixture::new(2).fit(&never), Err(PerturbError::Unreachable));
        assert_eq!(Mixture::new(0).fit(&never), Err(PerturbError::Unreachable));
        // Likelihoods that are almost 0 are as good as others.
        let mut tiny = Mixture::new(2);
        assert!(tiny.push(1.0, &[1e-300, 0.0]) && tiny.push(1.0, &[0.0, 5e-324]));
        assert_eq!(tiny.fit(&Stop::after(5)).unwrap().masses, [0.5, 0.5]);
    }
}
