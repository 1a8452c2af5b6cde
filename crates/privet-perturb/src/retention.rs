//! Retention and replacement: keep a value with probability p, else replace it by any value, evenly (survey ME-48,
//! FX-1.5). It is the same as the gamma-diagonal matrix x(J + (γ−1)I), x = 1/(γ+K−1), with p = (γ−1)/(γ+K−1) (ME-21,
//! Agrawal and Haritsa).
//!
//! # Guarantee
//! γ = 1 + pK/(1−p) bounds how an output changes anyone's odds, and coins are exact. Condition number 1/p =
//! (γ+K−1)/(γ−1), the least that a symmetric, positive definite matrix with this γ can have. (The sum of its
//! eigenvalues, the trace, is at most Kγ/(γ+K−1), for a diagonal entry is at most γ times any other of its column; one
//! eigenvalue is 1, so the least is at most p.) Estimates of ranges are unbiased; only the share of the domain that a
//! range covers is used, so ranges of a large domain cost nothing.

use std::ops::RangeInclusive;

use crate::error::check_probability;
use crate::estimate::{Estimated, Population, few, variance};
use crate::matrix::check_length;
use crate::{Coins, Drawn, PerturbError, PerturbationMatrix};

/// Keeps a value, or replaces it by any of the domain.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Retention {
    keep: f64,
    domain: u32,
}

impl Retention {
    /// Keeps with this probability; else any of so many values, the old one included, is as likely.
    ///
    /// # Errors
    /// When `keep` is no probability, or the domain is empty.
    pub fn new(keep: f64, domain: u32) -> Result<Self, PerturbError> {
        check_probability("the probability of keeping a value", keep)?;
        if domain == 0 {
            return Err(PerturbError::Empty { what: "value in the domain" });
        }
        Ok(Self { keep, domain })
    }

    /// The one that keeps most among those with an amplification of at most γ: the gamma-diagonal matrix.
    ///
    /// # Errors
    /// When γ is below 1 or not finite, or the domain is empty.
    pub fn gamma_diagonal(gamma: f64, domain: u32) -> Result<Self, PerturbError> {
        if !(gamma >= 1.0 && gamma.is_finite()) {
            return Err(PerturbError::Parameter { name: "γ", accepted: "a finite number from 1 on" });
        }
        if domain == 0 {
            return Err(PerturbError::Empty { what: "value in the domain" });
        }
        let mut law = Self::new((gamma - 1.0) / (gamma - 1.0 + f64::from(domain)), domain)?;
        // Near 1 the next number makes a difference; one of the next smaller ones keeps γ.
        while law.gamma() > gamma * (1.0 + 1e-9) {
            law.keep = law.keep.next_down();
        }
        Ok(law)
    }

    /// The probability of keeping.
    pub fn keep(self) -> f64 {
        self.keep
    }

    /// The number of values.
    pub fn domain(self) -> u32 {
        self.domain
    }

    /// The most by which an output changes the odds between two values.
    pub fn gamma(self) -> f64 {
        if self.domain == 1 { 1.0 } else { 1.0 + self.keep * f64::from(self.domain) / (1.0 - self.keep) }
    }

    /// The condition number of its matrix.
    pub fn condition_number(self) -> f64 {
        if self.domain == 1 { 1.0 } else { 1.0 / self.keep }
    }

    /// The same as a matrix.
    ///
    /// # Errors
    /// When the domain is too large for one.
    pub fn matrix(self) -> Result<PerturbationMatrix, PerturbError> {
        let other = (1.0 - self.keep) / f64::from(self.domain);
        PerturbationMatrix::from_fn(
            self.domain as usize,
            |u, v| if u == v { self.keep + other } else { other },
        )
    }

    /// Perturbs a column of codes.
    ///
    /// # Errors
    /// When a code is outside of the domain, or the source of randomness fails.
    pub fn randomize<C: Coins + ?Sized>(
        self,
        codes: &[u32],
        coins: &mut C,
    ) -> Result<Drawn<Vec<u32>>, PerturbError> {
        let mut value = Vec::with_capacity(codes.len());
        for (record, &code) in codes.iter().enumerate() {
            if code >= self.domain {
                return Err(PerturbError::Code { record, domain: self.domain as usize });
            }
            let kept = coins.chance(self.keep)?;
            value.push(if kept { code } else { coins.below(u64::from(self.domain))? as u32 });
        }
        Ok(Drawn { value, source: coins.source() })
    }
}

/// A perturbed column and the range of it that is asked for.
#[derive(Debug, Clone)]
pub struct RetainedRange<'a> {
    /// How the column was perturbed.
    pub retention: Retention,
    /// Its perturbed codes.
    pub codes: &'a [u32],
    /// The codes that count.
    pub range: RangeInclusive<u32>,
}

/// How many records had, before they were perturbed, each column within its range.
///
/// The matrix of in and out of range is 2×2 per column, [q₁, 1−q₁; q₀, 1−q₀] with q₀ = (1−p)·(share of the domain) and
/// q₁ = p + q₀, and the matrix of several columns is their product. Its inverse gives a record the weight Π c, with
/// c = (1−q₀)/p in the range and −q₀/p outside of it.
///
/// # Errors
/// When there is no column, columns have different lengths, a code is outside of its domain, or a column keeps nothing.
pub fn range_count(columns: &[RetainedRange<'_>], population: Population) -> Result<Estimated, PerturbError> {
    let records = columns.first().ok_or(PerturbError::Empty { what: "column" })?.codes.len();
    let mut weights = vec![1.0; records];
    // What a record counts that is within all ranges.
    let mut full = 1.0;
    for RetainedRange { retention, codes, range } in columns {
        check_length("records in a column", codes.len(), records)?;
        let (keep, domain) = (retention.keep, retention.domain);
        if keep == 0.0 && domain > 1 {
            return Err(PerturbError::Singular);
        }
        let first = u64::from(*range.start());
        let end = (u64::from(*range.end()) + 1).min(u64::from(domain));
        let share = end.saturating_sub(first) as f64 / f64::from(domain);
        let by_chance = (1.0 - keep) * share;
        // A single value is kept whatever happens.
        let (inside, outside) =
            if domain == 1 { (1.0, 0.0) } else { ((1.0 - by_chance) / keep, -by_chance / keep) };
        for (record, (weight, code)) in weights.iter_mut().zip(*codes).enumerate() {
            if *code >= domain {
                return Err(PerturbError::Code { record, domain: domain as usize });
            }
            *weight *= if range.contains(code) { inside } else { outside };
        }
        full *= inside;
    }
    let value: f64 = weights.iter().sum();
    let squares = weights.iter().map(|weight| weight * weight).sum();
    // Those that count most, and all others.
    let most = weights.iter().copied().fold(full, f64::max);
    let hits = weights.iter().filter(|weight| **weight >= most).count();
    let cells = [(most, hits as f64), (0.0, (records - hits) as f64)];
    let few = few(&cells, population);
    Ok(Estimated { value, variance: variance(squares, value, records as f64, population), few })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::amplification::gamma;
    use crate::testing::{assert_mean, assert_near, moments};
    use crate::{SeededCoins, estimate_counts};
    use proptest::prelude::*;

    /// survey ME-21: entries, γ and condition number of the gamma-diagonal matrix.
    #[test]
    fn gamma_diagonal_matrix() {
        for (g, domain) in [(19.0, 5u32), (3.0, 2), (1.5, 40), (1.0, 3), (7.0, 1)] {
            let retention = Retention::gamma_diagonal(g, domain).unwrap();
            let matrix = retention.matrix().unwrap();
            let x = 1.0 / (g + f64::from(domain) - 1.0);
            assert_near(matrix.probability(0, 0).unwrap(), g * x, 1e-12);
            if domain > 1 {
                assert_near(matrix.probability(0, 1).unwrap(), x, 1e-12);
                assert_near(retention.gamma(), g, 1e-9);
                assert_near(gamma(&matrix), g, 1e-9);
                let expected = (g + f64::from(domain) - 1.0) / (g - 1.0);
                if expected.is_finite() {
                    assert_near(retention.condition_number(), expected, 1e-9);
                    assert_near(matrix.condition_number().unwrap(), expected, 1e-6);
                } else {
                    assert_eq!(retention.condition_number(), f64::INFINITY);
                    assert_eq!(matrix.condition_number(), Ok(f64::INFINITY));
                }
            } else {
                assert_eq!((retention.gamma(), retention.condition_number()), (1.0, 1.0));
            }
        }
        for bad in [0.5, f64::NAN, f64::INFINITY] {
            assert!(Retention::gamma_diagonal(bad, 3).is_err());
        }
        // Large ones hold as well, where keeping is nearly certain.
        for (g, domain) in [(1e9, 2), (9.87654321e8, 3), (1e15, 2), (1e300, 7)] {
            let law = Retention::gamma_diagonal(g, domain).unwrap();
            assert!(law.gamma() <= g * (1.0 + 1e-9) && law.keep() < 1.0, "{g}");
        }
        assert!(Retention::new(0.5, 0).is_err() && Retention::new(-0.1, 2).is_err());
        assert!(Retention::new(1.0, u32::MAX).unwrap().matrix().is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        /// No symmetric, positive definite matrix with the same γ has a smaller condition number.
        #[test]
        fn gamma_diagonal_is_optimal(noise in prop::collection::vec(0.0f64..1.0, 16), heavy in 0.0f64..2.0) {
            // Symmetric and doubly stochastic: an even mixture of permutations and their inverses.
            let size = 4;
            let mut entries = vec![0.0; size * size];
            let weights = [heavy + noise[0], noise[1], noise[2], noise[3], noise[4] + 0.01];
            let total: f64 = weights.iter().sum();
            let permutations = [[0, 1, 2, 3], [1, 0, 2, 3], [1, 2, 3, 0], [0, 3, 1, 2]];
            for (weight, permutation) in weights.iter().zip(permutations) {
                for (from, to) in permutation.into_iter().enumerate() {
                    entries[from * size + to] += weight / total / 2.0;
                    entries[to * size + from] += weight / total / 2.0;
                }
            }
            entries.iter_mut().for_each(|entry| *entry += weights[4] / total / 4.0);
            let matrix = PerturbationMatrix::new(size, entries.clone()).unwrap();
            let eigenvalues = nalgebra::DMatrix::from_row_slice(size, size, &entries).symmetric_eigenvalues();
            prop_assume!(eigenvalues.min() > 1e-6);
            let best = Retention::gamma_diagonal(gamma(&matrix), 4).unwrap().condition_number();
            prop_assert!(matrix.condition_number().unwrap() >= best * (1.0 - 1e-9));
        }
    }

    /// Two columns together, with both kinds of variance. False alarm: 1e-6 for all.
    #[test]
    fn range_counts_are_unbiased() {
        let (runs, n) = (1500, 400usize);
        let (a, b) = (Retention::new(0.6, 10).unwrap(), Retention::new(0.5, 4).unwrap());
        for (seed, population) in [(7, Population::Fixed), (8, Population::Sampled)] {
            let mut coins = SeededCoins::new(seed);
            let (mut values, mut said, mut covered) = (Vec::new(), Vec::new(), 0);
            for _ in 0..runs {
                let rows: Vec<u64> = match population {
                    Population::Fixed => (0..n as u64).map(|i| i % 40).collect(),
                    Population::Sampled => (0..n).map(|_| coins.below(40).unwrap()).collect(),
                };
                // In range: codes 2 to 6 of 10 and 1 to 2 of 4, so a quarter.
                let first: Vec<u32> = rows.iter().map(|row| (row % 10) as u32).collect();
                let second: Vec<u32> = rows.iter().map(|row| (row / 10) as u32).collect();
                let first = a.randomize(&first, &mut coins).unwrap().value;
                let second = b.randomize(&second, &mut coins).unwrap().value;
                let estimate = range_count(
                    &[
                        RetainedRange { retention: a, codes: &first, range: 2..=6 },
                        RetainedRange { retention: b, codes: &second, range: 1..=2 },
                    ],
                    population,
                )
                .unwrap();
                values.push(estimate.value);
                said.push(estimate.variance);
                let (low, high) = estimate.interval(0.95).unwrap();
                covered += u32::from((low..=high).contains(&100.0));
            }
            let runs = f64::from(runs);
            let ((mean, variance), (said, _)) = (moments(&values), moments(&said));
            assert_mean(mean, 100.0, (variance / runs).sqrt(), 6);
            assert_mean(variance, said, said * (2.0 / runs).sqrt(), 6);
            let share = f64::from(covered) / runs;
            assert_mean(share, share.clamp(0.94, 0.96), (0.0475 / runs).sqrt(), 6);
        }
    }

    #[test]
    fn a_range_is_a_sum_of_counts() {
        let retention = Retention::new(0.4, 5).unwrap();
        let codes = [0, 1, 1, 2, 4, 4, 4, 3, 0, 1];
        for population in [Population::Fixed, Population::Sampled] {
            let by_range =
                range_count(&[RetainedRange { retention, codes: &codes, range: 1..=3 }], population).unwrap();
            let counts = estimate_counts(&retention.matrix().unwrap(), &[2, 3, 1, 1, 3], population).unwrap();
            let by_matrix = counts.sum(&[1, 2, 3]).unwrap();
            assert_near(by_range.value, by_matrix.value, 1e-9);
            assert_near(by_range.variance, by_matrix.variance, 1e-9);
        }
    }

    #[test]
    fn edges() {
        let keeps = Retention::new(1.0, 3).unwrap();
        let drawn = keeps.randomize(&[2, 0, 1], &mut SeededCoins::new(1)).unwrap().value;
        assert_eq!((drawn.as_slice(), keeps.gamma()), ([2, 0, 1].as_slice(), f64::INFINITY));
        assert!(keeps.randomize(&[3], &mut SeededCoins::new(1)).is_err());
        let column = |retention, codes, range| RetainedRange { retention, codes, range };
        let count = |column| range_count(&[column], Population::Fixed);
        assert_eq!(
            count(column(keeps, &[2, 0, 1], 1..=u32::MAX)),
            Ok(Estimated { value: 2.0, variance: 0.0, few: 0.0 })
        );
        #[allow(clippy::reversed_empty_ranges)]
        let empty = 2..=1;
        assert_eq!(count(column(keeps, &[2, 0, 1], empty)).unwrap().value, 0.0);
        assert_eq!(count(column(keeps, &[], 0..=1)).unwrap().value, 0.0);
        assert!(count(column(keeps, &[3], 0..=1)).is_err());
        assert_eq!(count(column(Retention::new(0.0, 3).unwrap(), &[1], 0..=1)), Err(PerturbError::Singular));
        assert_eq!(count(column(Retention::new(0.0, 1).unwrap(), &[0, 0], 0..=0)).unwrap().value, 2.0);
        assert!(range_count(&[], Population::Fixed).is_err());
        let uneven = [column(keeps, &[1], 0..=1), column(keeps, &[1, 2], 0..=1)];
        assert!(range_count(&uneven, Population::Fixed).is_err());
        // The whole domain holds everybody, whatever is drawn.
        let half = Retention::new(0.5, 3).unwrap();
        assert_near(count(column(half, &[1, 1, 2], 0..=2)).unwrap().value, 3.0, 1e-12);
    }
}
