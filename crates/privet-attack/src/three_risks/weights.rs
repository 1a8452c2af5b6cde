//! How many predicates would single somebody out of a table of another size.
//!
//! Whether a predicate singles out depends on how many people there are: with weight w it holds for exactly one of n with
//! probability n·w·(1−w)ⁿ⁻¹ (Cohen and Nissim 2020). A control of at least n people is cut down to n: for a predicate that
//! holds for c of m the probability that it does for exactly one of n of them is hypergeometric, and no model is needed. A
//! smaller one tells how the weights are distributed: the distribution is that of most likelihood on a grid, by rounds of
//! expectation and maximization.

use crate::rate::Rate;

/// Points of the grid of weights.
const GRID: usize = 80;

/// Rounds of expectation and maximization.
const ROUNDS: usize = 400;

/// Of so many predicates those that would hold for exactly one of `people`, where it is known for how many of `of` each holds.
pub fn singled_out_of(counts: &[u64], of: usize, people: usize) -> Rate {
    let attacks = counts.len() as u64;
    if of == people {
        return Rate::new(counts.iter().filter(|own| **own == 1).count() as u64, attacks);
    }
    if of > people {
        let (m, n) = (of as f64, people as f64);
        // c ways to choose the one, n of m places for it, and the other c−1 must all stay out.
        let exactly_one = |&count: &u64| -> f64 {
            let rest = 1..count;
            let out: f64 = rest.map(|own| ((m - n - own as f64 + 1.0) / (m - own as f64)).max(0.0)).product();
            if count == 0 { 0.0 } else { count as f64 * n / m * out }
        };
        return Rate::expected(counts.iter().map(exactly_one).sum(), attacks);
    }
    // What is seen of fewer people is less sure: of as many predicates as are seen for each of those people.
    let seen = ((attacks as f64 * of as f64 / people.max(1) as f64).round() as u64).max(1);
    Rate::expected(expected_share(counts, of as f64, people as f64) * seen as f64, seen)
}

/// The share of predicates that would hold for exactly one of n people, by the most likely distribution of their weights.
fn expected_share(counts: &[u64], m: f64, n: f64) -> f64 {
    let mut sorted = counts.to_vec();
    sorted.sort_unstable();
    let distinct: Vec<(f64, f64)> =
        sorted.chunk_by(|a, b| a == b).map(|own| (own[0] as f64, own.len() as f64)).collect(); // why: no chunk is empty
    let all = counts.len().max(1) as f64;
    // From one of a hundred times as many people to everybody, in equal steps of the logarithm.
    let lowest = (0.01 / n).ln();
    let weights: Vec<f64> =
        (0..GRID).map(|at| (lowest * (1.0 - at as f64 / GRID as f64)).exp().min(0.999)).collect();
    let likelihood =
        |count: f64, weight: f64| (count * (m * weight).ln() - m * weight - log_factorial(count)).exp();
    let table: Vec<Vec<f64>> = distinct
        .iter()
        .map(|(count, _)| weights.iter().map(|own| likelihood(*count, *own)).collect())
        .collect();
    let mut masses = vec![1.0 / GRID as f64; GRID];
    for _ in 0..ROUNDS {
        let mut next = vec![0.0; GRID];
        for ((_, times), row) in distinct.iter().zip(&table) {
            let sum: f64 = row.iter().zip(&masses).map(|(own, mass)| own * mass).sum();
            if sum > 0.0 {
                let parts = next.iter_mut().zip(row).zip(&masses);
                parts.for_each(|((next, own), mass)| *next += times / all * own * mass / sum);
            }
        }
        masses = next;
    }
    let one = |weight: f64| n * weight * ((n - 1.0) * (-weight).ln_1p()).exp();
    weights.iter().zip(&masses).map(|(weight, mass)| mass * one(*weight)).sum::<f64>().clamp(0.0, 1.0)
}

fn log_factorial(count: f64) -> f64 {
    match count < 20.0 {
        true => (1..=count as u64).map(|own| (own as f64).ln()).sum(),
        // Stirling with its first correction: nothing more is seen at this size.
        false => {
            count * count.ln() - count
                + 0.5 * (2.0 * std::f64::consts::PI * count).ln()
                + 1.0 / (12.0 * count)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::Random;

    /// By hand: of 4 people 2 fit; exactly one of 2 of them does in 4 of 6 ways.
    #[test]
    fn a_larger_control_is_cut_down() {
        assert!((singled_out_of(&[2], 4, 2).rate - 4.0 / 6.0).abs() < 1e-12);
        assert!((singled_out_of(&[1], 4, 2).rate - 0.5).abs() < 1e-12);
        assert_eq!(singled_out_of(&[0, 4], 4, 2).rate, 0.0);
        assert_eq!(singled_out_of(&[1, 0, 2, 1], 9, 9), Rate::new(2, 4));
    }

    /// Predicates of weights between 0 and 3 in n, counted among a fifth as many people: what would be singled out of n is found
    /// within 0.05, for each of several seeds.
    #[test]
    fn a_smaller_control_tells_of_a_larger_one() {
        let (n, m) = (2000usize, 400usize);
        for seed in 0..5 {
            let mut random = Random::new(seed);
            let (mut counts, mut truth) = (Vec::new(), 0.0);
            for _ in 0..1500 {
                let weight = 3.0 * random.unit() / n as f64;
                truth += n as f64 * weight * (1.0 - weight).powi(n as i32 - 1);
                counts.push((0..m).filter(|_| random.chance(weight)).count() as u64);
            }
            let found = singled_out_of(&counts, m, n);
            assert!((found.rate - truth / 1500.0).abs() < 0.05, "{} {}", found.rate, truth / 1500.0);
            assert!(found.high - found.low > 0.08, "{found:?}");
        }
    }
}
