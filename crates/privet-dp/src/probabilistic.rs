//! The two relaxed forms, decided for finite distributions (survey PM-28, PM-29).
//!
//! (epsilon, delta)-probabilistic privacy (Machanavajjhala, Kifer, Abowd, Gehrke and Vilhuber 2008): for every table the
//! outputs can be divided in two, so that those of the second part have a probability of delta at most, and on the first
//! part e^−epsilon ≤ P(O)/P'(O) ≤ e^epsilon for all neighbours of the table. So outputs are bad that fail in either direction
//! against any neighbour, and their probabilities add up. The survey says "may fail on a set of outputs", which can also
//! mean one set for all tables; [`Probabilistic`] has both. δ-approximate epsilon-privacy: P(O) ≤ e^epsilon·P'(O) + delta
//! for every set O. The first implies the second with the same delta, not the other way round. Guarantee: all results are upper
//! bounds of the least delta, exact but for e^epsilon, which is rounded down in the thirtieth digit or later.

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

/// The least deltas in the probabilistic form (PM-28).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probabilistic {
    /// Of the definition: each table has its bad outputs, those that fail against any of its neighbours in either direction.
    pub of_each: RBig,
    /// Where one set of outputs must do for all tables: those that fail for any two neighbours. Never the smaller one.
    pub of_all: RBig,
}

/// The least deltas for which output distributions, all of them neighbours of each other, are (epsilon, delta)-probabilistically
/// close (PM-28).
pub fn probabilistic_deltas(
    distributions: &[Vec<RBig>],
    epsilon: &Epsilon,
) -> Result<Probabilistic, DpError> {
    for own in distributions {
        check(own, distributions.first().unwrap_or(own))?;
    }
    let factor = exact::exp_lower(epsilon.value());
    let outputs = distributions.first().map_or(0, Vec::len);
    let (mut of_each, mut of_all) =
        (vec![RBig::ZERO; distributions.len()], vec![RBig::ZERO; distributions.len()]);
    for output in 0..outputs {
        let all: Vec<&RBig> = distributions.iter().filter_map(|own| own.get(output)).collect();
        // Whoever fails against anybody fails against the least or the most probable.
        let (Some(&least), Some(&most)) = (all.iter().min(), all.iter().max()) else { continue };
        let from_least = &factor * least;
        let any = *most > from_least;
        for ((each, of_all), &own) in of_each.iter_mut().zip(&mut of_all).zip(&all) {
            if *own > from_least || *most > &factor * own {
                *each += own;
            }
            if any {
                *of_all += own;
            }
        }
    }
    let worst = |all: Vec<RBig>| all.into_iter().max().unwrap_or(RBig::ZERO);
    Ok(Probabilistic { of_each: worst(of_each), of_all: worst(of_all) })
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
        let both = probabilistic_deltas(&[first.clone(), second.clone()], &epsilon).unwrap();
        let delta = both.of_each.clone();
        assert_eq!(both.of_all, delta);
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
            prop_assert!(probabilistic_deltas(&[p, q], &epsilon).unwrap().of_each >= delta);
        }

        /// PM-28 against the definition: of all 2^5 ways to divide the outputs, per table or for all of them, the one whose
        /// second part is least probable.
        #[test]
        fn probabilistic_against_all_divisions(all in prop::collection::vec(prop::collection::vec(0u32..9, 5), 2..5)) {
            let normal = |p: &Vec<u32>| -> Vec<RBig> {
                let sum = p.iter().sum::<u32>();
                match sum {
                    0 => std::iter::once(RBig::ONE).chain(vec![RBig::ZERO; 4]).collect(),
                    _ => p.iter().map(|&x| RBig::from(x) / RBig::from(sum)).collect(),
                }
            };
            let all: Vec<Vec<RBig>> = all.iter().map(normal).collect();
            let epsilon: Epsilon = "0.9".parse().unwrap();
            let factor = exact::exp_lower(epsilon.value());
            let good = |table: usize, set: u32| (0..5).filter(|output| set >> output & 1 == 0).all(|output| {
                all.iter().all(|other| {
                    let (p, q) = (&all[table][output], &other[output]);
                    *p <= &factor * q && *q <= &factor * p
                })
            });
            let mass = |table: usize, set: u32| {
                (0..5).filter(|output| set >> output & 1 == 1).fold(RBig::ZERO, |sum, output| sum + &all[table][output])
            };
            let tables = || 0..all.len();
            let least = |table: usize| (0..32).filter(|set| good(table, *set)).map(|set| mass(table, set)).min().unwrap();
            let common = (0..32).filter(|set| tables().all(|table| good(table, *set)));
            let common = common.map(|set| tables().map(|table| mass(table, set)).max().unwrap()).min().unwrap();
            let found = probabilistic_deltas(&all, &epsilon).unwrap();
            prop_assert_eq!(&found.of_each, &tables().map(least).max().unwrap());
            prop_assert_eq!(&found.of_all, &common);
            prop_assert!(found.of_all >= found.of_each);
        }
    }

    /// Each of three tables fails against each other one on one output of 1/10; pairwise a table would have 1/10, but outputs on
    /// which it fails against any add up (PM-28).
    #[test]
    fn failures_against_several_neighbours_add_up() {
        let tenths = |all: [u32; 4]| all.map(|own| RBig::from(own) / RBig::from(10)).to_vec();
        let all = [tenths([1, 1, 1, 7]), tenths([3, 1, 1, 5]), tenths([1, 3, 1, 5])];
        let epsilon: Epsilon = "1".parse().unwrap();
        let found = probabilistic_deltas(&all, &epsilon).unwrap();
        // The first fails on the first output against the second table, and on the second against the third, with 2/10. The
        // second table fails on its own first output and on the second output, with 4/10.
        assert_eq!(found.of_each, RBig::from(4) / RBig::from(10));
        let pair = probabilistic_deltas(&all[..2], &epsilon).unwrap();
        assert_eq!(pair.of_each, RBig::from(3) / RBig::from(10));
    }

    #[test]
    fn what_is_no_distribution_is_refused() {
        let epsilon = "1".parse().unwrap();
        assert!(probabilistic_deltas(&[Vec::new(), Vec::new()], &epsilon).is_err());
        assert!(approximate_delta(&[RBig::ONE], &[], &epsilon).is_err());
        assert!(
            approximate_delta(&[RBig::from(2), RBig::from(-1)], &[RBig::ONE, RBig::ZERO], &epsilon).is_err()
        );
    }
}
