//! Counts behind a perturbation matrix: unbiased by solving AᵀX = Y, with variances, or non-negative (survey ME-21,
//! ME-25, US-08, TH-15).
//!
//! With B = (Aᵀ)⁻¹ the estimate is X̂ = BY, and its covariance is estimated by B·diag(Y)·Bᵀ − diag(X̂) when the records
//! are fixed and only the matrix is random, which is the case of a published table; and by
//! (B·diag(Y)·Bᵀ − X̂X̂ᵀ/n)·n/(n−1) when the records are a sample of a larger population. Both follow from
//! Cov Y = Σ_k X_k (diag(a_k) − a_kᵀa_k) for the rows a_k of A, and Σ_k X̂_k a_k = Y; the text has no variance.
//!
//! # Guarantee
//! X̂ and both covariances are unbiased, and X̂ sums to n. Counts may come out negative: [`project`] gives the nearest
//! that are not, [`likely_counts`] the most likely ones; neither is unbiased. Intervals are those of the normal
//! distribution, widened where published counts are few: a value that nobody shows may still be somebody's.

use nalgebra::DMatrix;

use crate::em::{Mixture, Stop, Stopped};
use crate::error::is_number;
use crate::matrix::check_length;
use crate::normal::two_sided_quantile;
use crate::{PerturbError, PerturbationMatrix};

/// Where the records come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Population {
    /// They are what is asked about: only the perturbation is random.
    #[default]
    Fixed,
    /// They were drawn independently from a population that is asked about.
    Sampled,
}

/// A number and how far off it may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimated {
    /// The estimate.
    pub value: f64,
    /// Its estimated variance.
    pub variance: f64,
    /// What a record more or less of those that are fewest would change, squared; see [`few`].
    pub few: f64,
}

impl Estimated {
    /// An interval that covers what is estimated with about this probability. Where few records show what counts, the
    /// variance is known as badly as the count: z² records are added to theirs, as in the interval of Wilson at 0.
    ///
    /// # Errors
    /// When the level is not between 0 and 1.
    pub fn interval(self, level: f64) -> Result<(f64, f64), PerturbError> {
        let z = two_sided_quantile(level);
        if z.is_nan() {
            return Err(PerturbError::Parameter { name: "the level", accepted: "above 0 and below 1" });
        }
        let reach = z * (self.variance.max(0.0) + z * z * self.few).sqrt();
        Ok((self.value - reach, self.value + reach))
    }
}

/// Estimated counts of the original values.
#[derive(Debug, Clone, PartialEq)]
pub struct CountEstimate {
    /// One per value; unbiased, perhaps negative.
    pub counts: Vec<f64>,
    inverse: DMatrix<f64>,
    observed: Vec<f64>,
    population: Population,
}

/// Estimates the original counts from those of the perturbed values.
///
/// # Errors
/// When the matrix is not square or cannot be inverted, or there is not one count per value.
pub fn estimate_counts(
    matrix: &PerturbationMatrix,
    observed: &[u64],
    population: Population,
) -> Result<CountEstimate, PerturbError> {
    check_length("counts", observed.len(), matrix.outputs())?;
    let forward = matrix.square()?.transpose();
    let norm = one_norm(&forward);
    let inverse = forward.try_inverse().ok_or(PerturbError::Singular)?;
    // Beyond this condition most digits of the estimate would be rounding.
    if !(norm * one_norm(&inverse)).is_finite() || norm * one_norm(&inverse) > 1e12 {
        return Err(PerturbError::Singular);
    }
    let observed: Vec<f64> = observed.iter().map(|&count| count as f64).collect();
    let counts = (&inverse * DMatrix::from_column_slice(observed.len(), 1, &observed)).as_slice().to_vec();
    Ok(CountEstimate { counts, inverse, observed, population })
}

fn one_norm(matrix: &DMatrix<f64>) -> f64 {
    matrix.column_iter().map(|column| column.iter().map(|entry| entry.abs()).sum()).fold(0.0, f64::max)
}

impl CountEstimate {
    /// The count of one value.
    ///
    /// # Errors
    /// When there is no such value.
    pub fn count(&self, value: usize) -> Result<Estimated, PerturbError> {
        self.sum(&[value])
    }

    /// The count of several values together; a value that is named twice counts once.
    ///
    /// # Errors
    /// When there is no such value.
    pub fn sum(&self, values: &[usize]) -> Result<Estimated, PerturbError> {
        let domain = self.counts.len();
        let mut chosen = vec![false; domain];
        for (record, &value) in values.iter().enumerate() {
            *chosen.get_mut(value).ok_or(PerturbError::Code { record, domain })? = true;
        }
        let of = |counts: &[f64]| {
            counts.iter().zip(&chosen).filter(|(_, chosen)| **chosen).map(|(c, _)| c).sum::<f64>()
        };
        let value = of(&self.counts);
        let column =
            |(column, &count): (nalgebra::DVectorView<'_, f64>, &f64)| of(column.as_slice()).powi(2) * count;
        let squares: f64 = self.inverse.column_iter().zip(&self.observed).map(column).sum();
        let weights = self.inverse.column_iter().map(|column| of(column.as_slice()));
        let cells: Vec<(f64, f64)> = weights.zip(self.observed.iter().copied()).collect();
        Ok(Estimated {
            value,
            variance: variance(squares, value, self.observed.iter().sum(), self.population),
            few: few(&cells, self.population),
        })
    }

    /// The covariance of the estimated counts of two values.
    ///
    /// # Errors
    /// When there is no such value.
    pub fn covariance(&self, a: usize, b: usize) -> Result<f64, PerturbError> {
        let domain = self.counts.len();
        let of = |value| self.counts.get(value).copied().ok_or(PerturbError::Code { record: value, domain });
        let (first, second) = (of(a)?, of(b)?);
        let columns = self.inverse.column_iter().zip(&self.observed);
        let product: f64 = columns.map(|(column, count)| column[a] * column[b] * count).sum(); // why: a and b are below the dimension
        let n: f64 = self.observed.iter().sum();
        Ok(match self.population {
            Population::Fixed => product - if a == b { first } else { 0.0 },
            Population::Sampled if n > 1.0 => (product - first * second / n) * n / (n - 1.0),
            Population::Sampled => f64::INFINITY,
        })
    }

    /// Per perturbed value v: Σ_u f(u)·B(u,v), an unbiased estimate of f at the original of a record that shows v.
    /// `function` has one number per original value; what is left out is 0.
    pub fn weigh(&self, function: &[f64]) -> Vec<f64> {
        let weigh =
            |column: nalgebra::DVectorView<'_, f64>| column.iter().zip(function).map(|(b, f)| b * f).sum();
        self.inverse.column_iter().map(weigh).collect()
    }

    /// The nearest counts that are not negative, with the same sum.
    pub fn nonnegative(&self) -> Vec<f64> {
        project(&self.counts, self.observed.iter().sum())
    }
}

/// The variance of an estimate that is a sum over records of c(what is observed), with expectation 1 for a record that
/// counts and 0 for one that does not: `squares` is Σ c².
pub(crate) fn variance(squares: f64, value: f64, n: f64, population: Population) -> f64 {
    let variance = match population {
        Population::Fixed => squares - value,
        Population::Sampled if n > 1.0 => (squares - value * value / n) * n / (n - 1.0),
        Population::Sampled => f64::INFINITY,
    };
    // Unbiased as it is, and below 0 now and then; no variance is.
    variance.max(0.0)
}

/// What a record more or less would change, squared, of the cell that matters most where it has few records; it becomes
/// nothing as they become many. `cells` are what a record in each counts for the estimate, and how many there are. With
/// fixed records only the law is random: who is always told counts nothing.
pub fn few(cells: &[(f64, f64)], population: Population) -> f64 {
    let changes = |weight: f64| match population {
        Population::Fixed => (weight * weight - weight.max(0.0)).max(0.0),
        Population::Sampled => weight * weight,
    };
    let own = of_fewest(cells.iter().map(|(weight, count)| (changes(*weight), *count)));
    // All others count as one: where nearly everybody is in one cell, they are the few.
    let largest = cells.iter().enumerate().max_by(|a, b| a.1.0.total_cmp(&b.1.0)).map(|(place, _)| place);
    let others = || cells.iter().enumerate().filter(|(place, _)| Some(*place) != largest).map(|(_, own)| own);
    let rest: f64 = others().map(|own| own.1).sum();
    let nearest = others().map(|own| own.0).fold(f64::NEG_INFINITY, f64::max);
    if nearest.is_finite() { own.max(of_fewest([(changes(1.0 - nearest), rest)].into_iter())) } else { own }
}

/// The largest change, squared, that a record more or less in one of these cells would make, the less the more records are in
/// the cell. `cells` are that change, squared, and the records.
pub fn of_fewest(cells: impl Iterator<Item = (f64, f64)>) -> f64 {
    /// From so many records on the normal distribution does well enough.
    const MANY: f64 = 20.0;
    cells.map(|(change, count)| change / (1.0 + count / MANY)).fold(0.0, f64::max)
}

/// The point nearest to `counts` (by squares) among those that are not negative and have this sum. What is no finite
/// number counts as 0, and so does a sum that is not above 0.
pub fn project(counts: &[f64], sum: f64) -> Vec<f64> {
    let sum = if sum > 0.0 && is_number(sum) { sum } else { 0.0 };
    let counts: Vec<f64> = counts.iter().map(|&count| if is_number(count) { count } else { 0.0 }).collect();
    let mut sorted = counts.clone();
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    // The same is taken off all counts, those that would fall below 0 stay there: as many of the largest are positive
    // as leaves the last of them above what is taken off.
    let (mut above, mut off) = (0.0, f64::INFINITY);
    for (place, &count) in sorted.iter().enumerate() {
        above += count;
        let own = (above - sum) / (place + 1) as f64;
        if place == 0 || count > own {
            off = own;
        }
    }
    counts.iter().map(|count| (count - off).max(0.0)).collect()
}

/// The most likely counts.
#[derive(Debug, Clone, PartialEq)]
pub struct LikelyCounts {
    /// One per value; none is negative, and they sum to the number of records.
    pub counts: Vec<f64>,
    /// The log-likelihood at the start and after each round; it never falls.
    pub log_likelihood: Vec<f64>,
    /// No counts have a log-likelihood per record that is higher by more than this.
    pub gap: f64,
    /// Why the rounds ended.
    pub stopped: Stopped,
}

/// The counts, none negative, that make what is observed most likely (expectation and maximization). The matrix need
/// not be square or invertible; where it is not, other counts may be as likely.
///
/// # Errors
/// When there is not one count per output, there is no record, or no value leads to what is observed.
pub fn likely_counts(
    matrix: &PerturbationMatrix,
    observed: &[u64],
    stop: &Stop,
) -> Result<LikelyCounts, PerturbError> {
    check_length("counts", observed.len(), matrix.outputs())?;
    let records: f64 = observed.iter().map(|&count| count as f64).sum();
    if records == 0.0 {
        return Err(PerturbError::Empty { what: "record" });
    }
    let mut mixture = Mixture::new(matrix.inputs());
    let mut likelihoods = vec![0.0; matrix.inputs()];
    for (v, &count) in observed.iter().enumerate().filter(|(_, count)| **count > 0) {
        for (likelihood, row) in likelihoods.iter_mut().zip(matrix.rows()) {
            *likelihood = row.get(v).copied().unwrap_or(0.0);
        }
        if !mixture.push(count as f64, &likelihoods) {
            return Err(PerturbError::Unreachable);
        }
    }
    let fit = mixture.fit(stop)?;
    let counts = fit.masses.iter().map(|mass| mass * records).collect();
    Ok(LikelyCounts { counts, log_likelihood: fit.log_likelihood, gap: fit.gap, stopped: fit.stopped })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_mean, assert_near, moments};
    use crate::{Coins, SeededCoins};
    use proptest::prelude::*;

    fn counts_of(codes: &[u32], domain: usize) -> Vec<u64> {
        let mut counts = vec![0; domain];
        codes.iter().for_each(|&code| counts[code as usize] += 1);
        counts
    }

    fn matrix() -> PerturbationMatrix {
        PerturbationMatrix::new(3, vec![0.7, 0.2, 0.1, 0.1, 0.8, 0.1, 0.25, 0.15, 0.6]).unwrap()
    }

    /// Whoever has a value says so with probability 0.2, and nobody else does (survey ME-20 with an innocuous answer that is
    /// never yes): of few who have it often nobody says so, and the interval is no single number. The coverage is computed
    /// exactly, over how many of them say so.
    #[test]
    fn few_records_have_wide_intervals() {
        let matrix = PerturbationMatrix::new(2, vec![0.2, 0.8, 0.0, 1.0]).unwrap();
        for truth in 1..100u64 {
            let (mut covered, mut chance) = (0.0, 0.8f64.powi(truth as i32));
            for told in 0..=truth {
                let found = estimate_counts(&matrix, &[told, 1_000 - told], Population::Fixed).unwrap();
                let (low, high) = found.count(0).unwrap().interval(0.95).unwrap();
                covered += if (low..=high).contains(&(truth as f64)) { chance } else { 0.0 };
                chance *= 0.25 * (truth - told) as f64 / (told + 1) as f64;
            }
            assert!(covered >= 0.94, "{truth}: {covered}");
        }
        // What is always told is known.
        let told = PerturbationMatrix::new(2, vec![1.0, 0.0, 0.0, 1.0]).unwrap();
        let fixed = estimate_counts(&told, &[0, 50], Population::Fixed).unwrap();
        assert_eq!(fixed.count(0).unwrap().interval(0.95).unwrap(), (0.0, 0.0));
        // Nobody of 50 in a sample: up to about 3.84 more or less in the population, and the same of everybody.
        let sampled = estimate_counts(&told, &[0, 50], Population::Sampled).unwrap();
        let (none, all) = (sampled.count(0).unwrap(), sampled.count(1).unwrap());
        let reach = two_sided_quantile(0.95).powi(2);
        assert_near(none.interval(0.95).unwrap().1, reach, 1e-9);
        assert_near(all.interval(0.95).unwrap().0, 50.0 - reach, 1e-9);
    }

    /// survey TH-15: unbiased; and what is said of variance, covariance and coverage. False alarm: 1e-6 for all.
    #[test]
    fn unbiased_with_the_variance_that_is_said() {
        let (runs, n) = (2000, 300usize);
        for (seed, population) in [(3, Population::Fixed), (4, Population::Sampled)] {
            let mut coins = SeededCoins::new(seed);
            let matrix = matrix();
            let fixed: Vec<u32> = (0..n).map(|i| [0, 0, 0, 1, 1, 2][i % 6]).collect();
            let (mut firsts, mut sums) = (Vec::new(), Vec::new());
            let (mut said, mut said_sum, mut said_covariance, mut cross) =
                (Vec::new(), Vec::new(), Vec::new(), Vec::new());
            let mut covered = 0;
            for _ in 0..runs {
                let codes = match population {
                    Population::Fixed => fixed.clone(),
                    Population::Sampled => {
                        (0..n).map(|_| [0, 0, 0, 1, 1, 2][coins.below(6).unwrap() as usize]).collect()
                    }
                };
                let seen = counts_of(&matrix.randomize(&codes, &mut coins).unwrap().value, 3);
                let estimate = estimate_counts(&matrix, &seen, population).unwrap();
                assert_near(estimate.counts.iter().sum(), n as f64, 1e-9);
                let (first, sum) = (estimate.count(0).unwrap(), estimate.sum(&[2, 0, 2]).unwrap());
                firsts.push(first.value);
                sums.push(sum.value);
                said.push(first.variance);
                said_sum.push(sum.variance);
                said_covariance.push(estimate.covariance(0, 1).unwrap());
                cross.push((estimate.counts[0] - 150.0) * (estimate.counts[1] - 100.0));
                let (low, high) = first.interval(0.95).unwrap();
                covered += u32::from((low..=high).contains(&150.0));
                assert_near(estimate.covariance(0, 0).unwrap(), first.variance, 1e-9);
            }
            let runs = f64::from(runs);
            for (values, expected, said) in [(&firsts, 150.0, &said), (&sums, 200.0, &said_sum)] {
                let (mean, variance) = moments(values);
                assert_mean(mean, expected, (variance / runs).sqrt(), 12);
                let (said, spread) = moments(said);
                let deviation = (2.0 * variance * variance + spread) / runs;
                assert_mean(variance, said, deviation.sqrt(), 12);
            }
            let ((covariance, spread), (said, _)) = (moments(&cross), moments(&said_covariance));
            assert_mean(covariance, said, (spread / runs).sqrt(), 12);
            // Nearly normal at 300 records: a coverage of 0.95 ± 0.01 is called right, plus what chance adds.
            let share = f64::from(covered) / runs;
            let chance = (0.0475 / runs).sqrt();
            assert_mean(share, share.clamp(0.94, 0.96), chance, 12);
        }
    }

    #[test]
    fn expected_counts_are_inverted_exactly() {
        let observed = [100, 50, 30];
        let estimate = estimate_counts(&matrix(), &observed, Population::Fixed).unwrap();
        for (found, seen) in matrix().expected(&estimate.counts).unwrap().iter().zip(observed) {
            assert_near(*found, seen as f64, 1e-9);
        }
        assert!(estimate.count(3).is_err() && estimate.covariance(0, 3).is_err());
        let nothing = estimate.sum(&[]).unwrap();
        assert_eq!((nothing.value, nothing.variance), (0.0, 0.0));
        // All values together are all records: nothing is uncertain.
        let all = estimate.sum(&[0, 1, 2]).unwrap();
        assert_near(all.value, 180.0, 1e-9);
        assert_near(all.variance, 0.0, 1e-9);
        assert!(all.interval(0.0).is_err());
    }

    #[test]
    fn what_cannot_be_solved() {
        let even = PerturbationMatrix::keeping(0.5, 2).unwrap();
        assert_eq!(estimate_counts(&even, &[1, 2], Population::Fixed), Err(PerturbError::Singular));
        assert!(estimate_counts(&matrix(), &[1, 2], Population::Fixed).is_err());
        let wide = PerturbationMatrix::new(3, vec![0.2, 0.3, 0.5]).unwrap();
        assert!(estimate_counts(&wide, &[1, 2, 3], Population::Fixed).is_err());
        assert_eq!(likely_counts(&wide, &[1, 2, 3], &Stop::default()).unwrap().counts, [6.0]);
        assert!(likely_counts(&wide, &[0, 0, 0], &Stop::default()).is_err());
        let never = PerturbationMatrix::new(2, vec![1.0, 0.0]).unwrap();
        assert_eq!(likely_counts(&never, &[1, 1], &Stop::default()), Err(PerturbError::Unreachable));
        let none = estimate_counts(&matrix(), &[0, 0, 0], Population::Sampled).unwrap();
        assert_eq!(none.counts, [0.0; 3]);
    }

    #[test]
    fn likely_counts_are_the_estimate_where_that_is_positive() {
        let stop = Stop { gap: 1e-12, ..Stop::after(100_000) };
        let observed = [100, 50, 30];
        let estimate = estimate_counts(&matrix(), &observed, Population::Fixed).unwrap();
        let likely = likely_counts(&matrix(), &observed, &stop).unwrap();
        for (a, b) in likely.counts.iter().zip(&estimate.counts) {
            assert_near(*a, *b, 1e-3);
        }
        // And where it is not, a value is left out.
        let observed = [100, 10, 70];
        let estimate = estimate_counts(&matrix(), &observed, Population::Fixed).unwrap();
        assert!(estimate.counts[1] < 0.0);
        let likely = likely_counts(&matrix(), &observed, &stop).unwrap();
        assert!(likely.counts[1] < 1e-3 && likely.log_likelihood.is_sorted());
        assert!(estimate.nonnegative()[1] == 0.0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        /// No other point of the simplex is nearer.
        #[test]
        fn the_projection_is_the_nearest(
            counts in prop::collection::vec(-10.0f64..10.0, 1..6),
            other in prop::collection::vec(0.001f64..1.0, 6),
            sum in 0.1f64..20.0,
        ) {
            let nearest = project(&counts, sum);
            prop_assert!((nearest.iter().sum::<f64>() - sum).abs() < 1e-9);
            prop_assert!(nearest.iter().all(|&count| count >= 0.0));
            let far = |point: &[f64]| point.iter().zip(&counts).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
            let total: f64 = other[..counts.len()].iter().sum();
            let other: Vec<f64> = other[..counts.len()].iter().map(|own| own / total * sum).collect();
            prop_assert!(far(&nearest) <= far(&other) + 1e-9);
            // Nor any corner.
            for corner in 0..counts.len() {
                let point: Vec<f64> = (0..counts.len()).map(|i| if i == corner { sum } else { 0.0 }).collect();
                prop_assert!(far(&nearest) <= far(&point) + 1e-9);
            }
        }
    }

    #[test]
    fn projections_of_odd_input() {
        assert!(project(&[], 1.0).is_empty());
        assert_eq!(project(&[2.0], 5.0), [5.0]);
        assert_eq!(project(&[f64::NAN, 1.0], f64::NAN), [0.0, 0.0]);
        assert_eq!(project(&[f64::INFINITY, 4.0], 4.0), [0.0, 4.0]);
    }
}
