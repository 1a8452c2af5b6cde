//! Post-randomization that leaves the counts alone in expectation: invariant PRAM (survey ME-26, TH-15).
//!
//! With m the rarest category and 0 ≤ θ ≤ 1: p_kk = 1 − θT_m/T_k, p_kl = θT_m/((K−1)T_k). Counts of the published table
//! then estimate the originals without any matrix.
//!
//! # Guarantee
//! PᵀT = T up to rounding, entries from 0 to 1. Differs from the print where categories are empty: nothing may come to
//! an empty category without changing its count, so empty ones are left out of K and of the rarest, and stay what they
//! are; as printed, one empty category would make the whole matrix the identity. With an empty category, or θ = 0, the
//! amplification is infinite: ask [`crate::amplification`] before relying on it. The matrix is made from the counts and
//! tells them: p_kl/p_lk = T_l/T_k. Who publishes it publishes all counts of the column, so its amplification is about
//! readers who may know those, and about single values only.

use crate::error::check_probability;
use crate::matrix::check_length;
use crate::{PerturbError, PerturbationMatrix};

/// The matrix that keeps these counts in expectation; θ says how much is moved, from 0 (nothing) to 1.
///
/// # Errors
/// When θ is not from 0 to 1, there is no category, or there are too many.
pub fn invariant_pram(counts: &[u64], theta: f64) -> Result<PerturbationMatrix, PerturbError> {
    check_probability("θ", theta)?;
    let present = counts.iter().filter(|&&count| count > 0).count();
    let rarest = counts.iter().filter(|&&count| count > 0).min().map_or(0.0, |&count| count as f64);
    let count = |k: usize| counts.get(k).map_or(0.0, |&count| count as f64);
    PerturbationMatrix::from_fn(counts.len(), |k, l| {
        let stays = count(k) == 0.0 || present < 2;
        match (k == l, stays) {
            (true, true) => 1.0,
            (true, false) => 1.0 - theta * rarest / count(k),
            (false, false) if count(l) > 0.0 => theta * rarest / ((present - 1) as f64 * count(k)),
            (false, _) => 0.0,
        }
    })
}

/// The most by which a count of what comes out is expected to differ from the original: max |PᵀT − T|.
///
/// # Errors
/// When the matrix is not square, or there is not one count per category.
pub fn departure(matrix: &PerturbationMatrix, counts: &[u64]) -> Result<f64, PerturbError> {
    check_length("outputs", matrix.outputs(), matrix.inputs())?;
    let counts: Vec<f64> = counts.iter().map(|&count| count as f64).collect();
    let expected = matrix.expected(&counts)?;
    Ok(expected.iter().zip(&counts).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SeededCoins;
    use crate::testing::{assert_mean, assert_near, moments};
    use proptest::prelude::*;

    /// survey ME-26.
    #[test]
    fn printed_rows() {
        let matrix = invariant_pram(&[10, 20, 70], 0.5).unwrap();
        let expected = [0.5, 0.25, 0.25, 0.125, 0.75, 0.125, 0.0357, 0.0357, 0.9286];
        for (found, expected) in matrix.rows().flatten().zip(expected) {
            assert_near(*found, expected, 5e-5);
        }
        assert!(departure(&matrix, &[10, 20, 70]).unwrap() < 1e-12);
        assert!(departure(&matrix, &[70, 20, 10]).unwrap() > 1.0);
        assert!(departure(&matrix, &[1]).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn counts_stay(counts in prop::collection::vec(0u64..50, 1..8), theta in 0.0f64..=1.0) {
            let matrix = invariant_pram(&counts, theta).unwrap();
            prop_assert!(departure(&matrix, &counts).unwrap() < 1e-9);
            prop_assert!(matrix.rows().flatten().all(|p| (0.0..=1.0).contains(p)));
        }
    }

    /// Published counts are the original ones on average. False alarm: 1e-6.
    #[test]
    fn published_counts_are_right_on_average() {
        let counts = [10, 20, 0, 70];
        let matrix = invariant_pram(&counts, 0.8).unwrap();
        let codes: Vec<u32> = (0..4u32).flat_map(|code| vec![code; counts[code as usize] as usize]).collect();
        let mut coins = SeededCoins::new(17);
        let runs = 2000;
        let mut seen = vec![Vec::new(); 4];
        for _ in 0..runs {
            let drawn = matrix.randomize(&codes, &mut coins).unwrap().value;
            for code in 0..4 {
                seen[code as usize].push(drawn.iter().filter(|&&own| own == code).count() as f64);
            }
        }
        for (seen, count) in seen.iter().zip(counts) {
            let (mean, variance) = moments(seen);
            if count == 0 {
                assert_eq!(mean, 0.0);
            } else {
                assert_mean(mean, count as f64, (variance / f64::from(runs)).sqrt(), 3);
            }
        }
    }

    #[test]
    fn edges() {
        assert!(invariant_pram(&[], 0.5).is_err() && invariant_pram(&[1, 2], 1.5).is_err());
        assert!(invariant_pram(&[1, 2], f64::NAN).is_err());
        for (counts, theta) in [(vec![0, 0], 1.0), (vec![5], 1.0), (vec![0, 5], 1.0), (vec![3, 4], 0.0)] {
            let matrix = invariant_pram(&counts, theta).unwrap();
            assert!((0..counts.len()).all(|k| matrix.probability(k, k) == Some(1.0)));
        }
    }
}
