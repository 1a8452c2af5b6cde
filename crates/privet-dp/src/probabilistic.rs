//! The two relaxed forms, decided for finite distributions (survey PM-28, PM-29).
//!
//! (epsilon, delta)-probabilistic privacy: the ratio may exceed e^epsilon on outputs of total probability delta.
//! δ-approximate epsilon-privacy: P(O) ≤ e^epsilon·P'(O) + delta for every set O. The first implies the second with
//! the same delta, not the other way round. Guarantee: both results are upper bounds of the least delta, exact but
//! for e^epsilon, which is rounded down in the thirtieth digit or later.

use dashu::rational::RBig;

use crate::budget::Epsilon;
use crate::{DpError, exact};

fn check(p: &[RBig], q: &[RBig]) -> Result<(), DpError> {
    let whole = |p: &[RBig]| {
        p.iter().all(|p| *p >= RBig::ZERO) && p.iter().fold(RBig::ZERO, |sum, p| sum + p) == RBig::ONE
    };
    if p.len() != q.len() || !whole(p) || !whole(q) {
        return Err(DpError::Declaration(
            "two distributions over the same outputs, each summing to 1 exactly",
        ));
    }
    Ok(())
}

/// The larger of a sum over outputs in both directions.
fn both(p: &[RBig], q: &[RBig], term: impl Fn(&RBig, &RBig) -> RBig) -> RBig {
    let sum = |p: &[RBig], q: &[RBig]| p.iter().zip(q).fold(RBig::ZERO, |sum, (p, q)| sum + term(p, q));
    sum(p, q).max(sum(q, p))
}

/// The least delta for which two output distributions are (epsilon, delta)-probabilistically close (PM-28).
pub fn probabilistic_delta(p: &[RBig], q: &[RBig], epsilon: &Epsilon) -> Result<RBig, DpError> {
    check(p, q)?;
    let factor = exact::exp_lower(epsilon.value());
    Ok(both(p, q, |p, q| if *p > &factor * q { p.clone() } else { RBig::ZERO }))
}

/// The least delta for which two output distributions are delta-approximately epsilon-close (PM-29).
pub fn approximate_delta(p: &[RBig], q: &[RBig], epsilon: &Epsilon) -> Result<RBig, DpError> {
    check(p, q)?;
    let factor = exact::exp_lower(epsilon.value());
    Ok(both(p, q, |p, q| (p - &factor * q).max(RBig::ZERO)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dashu::integer::{IBig, UBig};
    use proptest::prelude::*;

    /// survey PM-28: 100 zeros against one 1 and 99 zeros, sampling 100 with replacement.
    #[test]
    fn sampling_with_replacement() {
        let one = RBig::from_parts(1.into(), 100u8.into());
        let zero = RBig::ONE - &one;
        let mut ways = RBig::ONE;
        let mut second = Vec::new();
        for ones in 0usize..=100 {
            second.push(&ways * one.pow(ones as isize) * zero.pow(100 - ones as isize));
            ways = ways * RBig::from(100 - ones) / RBig::from(ones + 1);
        }
        let mut first = vec![RBig::ZERO; 101];
        first[0] = RBig::ONE;
        assert_eq!(second[100], RBig::from_parts(IBig::ONE, UBig::from(10u8).pow(200)));
        // Any output with a 1 is impossible under the first table: delta is 1 − 0.99^100 for every epsilon ≥ 1.006.
        let epsilon = "2".parse().unwrap();
        let delta = probabilistic_delta(&first, &second, &epsilon).unwrap();
        assert_eq!(delta, RBig::ONE - &second[0]);
        assert_eq!(approximate_delta(&first, &second, &epsilon).unwrap(), delta);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// PM-29 [X] against all 2^6 sets of outputs; PM-28 is never smaller.
        #[test]
        fn against_all_sets(p in prop::collection::vec(1u32..50, 6), q in prop::collection::vec(1u32..50, 6)) {
            let normal = |p: &[u32]| -> Vec<RBig> {
                p.iter().map(|&x| RBig::from(x) / RBig::from(p.iter().sum::<u32>())).collect()
            };
            let (p, q) = (normal(&p), normal(&q));
            let epsilon: Epsilon = "0.4".parse().unwrap();
            let factor = 0.4f64.exp();
            let mut worst = 0f64;
            for set in 0..64 {
                let mass = |p: &[RBig]| (0..6).filter(|i| set >> i & 1 == 1).map(|i| p[i].to_f64().value()).sum::<f64>();
                worst = worst.max(mass(&p) - factor * mass(&q)).max(mass(&q) - factor * mass(&p));
            }
            let delta = approximate_delta(&p, &q, &epsilon).unwrap();
            prop_assert!((delta.to_f64().value() - worst).abs() < 1e-12);
            prop_assert!(probabilistic_delta(&p, &q, &epsilon).unwrap() >= delta);
        }
    }

    #[test]
    fn what_is_no_distribution_is_refused() {
        let epsilon = "1".parse().unwrap();
        assert!(probabilistic_delta(&[], &[], &epsilon).is_err());
        assert!(approximate_delta(&[RBig::ONE], &[], &epsilon).is_err());
        assert!(
            approximate_delta(&[RBig::from(2), RBig::from(-1)], &[RBig::ONE, RBig::ZERO], &epsilon).is_err()
        );
    }
}
