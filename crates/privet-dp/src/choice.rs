//! The exponential mechanism on whole numbers: choose a candidate with a weight that falls by a fixed factor per unit
//! of its distance from the best.
//!
//! Guarantee: epsilon-private, exactly, when the distance of each candidate changes by at most `sensitivity` between
//! neighbours. Weights are whole numbers: W(0) = 2^126 and W(s+1) = ⌈W(s)·q⌉ with a fraction q ≥ e^(−x), where
//! x = epsilon/(2·sensitivity) and q is rounded up. So W(s)/W(s+1) ≤ 1/q ≤ e^x: a change of the distance by the
//! sensitivity changes a weight, and likewise their sum, by a factor of e^(epsilon/2) at most. Rounding up lets the
//! ladder end on a lowest weight instead of at zero, which is a cap on distances and keeps the ratio.
//!
//! The half is for distances of which some rise and others fall. Where all of them change by between a − sensitivity and
//! a, with the same a from 0 to the sensitivity, every weight and their sum change by a factor between e^(−x·a) and
//! e^(x·(sensitivity − a)), so their quotient by e^(x·sensitivity) at most: there x = epsilon/sensitivity will do.

use dashu::integer::{IBig, UBig};
use dashu::rational::RBig;

use crate::budget::Epsilon;
use crate::samplers::uniform_below;
use crate::{DpError, exact};

/// Steps after which all distances count the same; only reached for very small epsilon.
const LONGEST: usize = 1 << 20;

/// The bits of the largest weight, and of the factor. Wide enough that 2^62 candidates of the lowest weight together
/// still weigh next to nothing.
const BITS: usize = 126;

/// The weights by distance.
#[derive(Debug)]
pub(crate) struct Ladder(Vec<u128>);

impl Ladder {
    /// For distances that change by at most the sensitivity, each in its own direction.
    pub fn new(epsilon: &Epsilon, sensitivity: u128) -> Self {
        Self::falling(&(epsilon.value() / (RBig::from(2) * whole(sensitivity))))
    }

    /// For distances that change within one range as wide as the sensitivity, which contains 0.
    pub fn one_sided(epsilon: &Epsilon, sensitivity: u128) -> Self {
        Self::falling(&(epsilon.value() / whole(sensitivity)))
    }

    fn falling(exponent: &RBig) -> Self {
        let factor = RBig::ONE / exact::exp_lower(exponent);
        // q as a multiple of 2^−126, rounded up; at most 1, because e^x is at least that.
        let q = (factor * RBig::from(IBig::ONE << BITS)).ceil().into_parts().1;
        let rest = (UBig::ONE << BITS) - UBig::ONE;
        let mut weights = vec![1u128 << BITS];
        let mut last = 1u128 << BITS;
        while weights.len() < LONGEST {
            let next = (UBig::from(last) * &q + &rest) >> BITS;
            let next = u128::try_from(next).unwrap_or(last);
            if next >= last {
                break;
            }
            weights.push(next);
            last = next;
        }
        Self(weights)
    }

    /// The number of distances that have a weight of their own.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The least distance whose weight is at most this; none when all weigh more.
    pub fn first_at_most(&self, weight: u128) -> Option<usize> {
        let first = self.0.partition_point(|own| *own > weight);
        (first < self.0.len()).then_some(first)
    }

    /// The weight of a distance, above 0.
    pub fn weight(&self, distance: u128) -> u128 {
        let last = self.0.len() - 1; // why: `new` puts the weight of 0 in
        self.0[usize::try_from(distance).unwrap_or(last).min(last)]
    }
}

fn whole(sensitivity: u128) -> RBig {
    RBig::from(IBig::from(sensitivity.max(1)))
}

/// A position with probability proportional to its weight, and where in its weight the draw fell.
pub(crate) fn draw(weights: impl Iterator<Item = UBig> + Clone) -> Result<(usize, UBig), DpError> {
    let total = weights.clone().fold(UBig::ZERO, |sum, weight| sum + weight);
    let mut place = uniform_below(&total)?;
    for (position, weight) in weights.enumerate() {
        if place < weight {
            return Ok((position, place));
        }
        place -= weight;
    }
    Err(DpError::Declaration("at least one candidate"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The promise of the ladder, checked with fractions and no rounding.
    #[test]
    fn no_step_exceeds_its_factor() {
        for (text, sensitivity) in [("1", 1u128), ("0.01", 1), ("3", 2), ("40", 1), ("1000", 1), ("0.5", 7)] {
            let epsilon: Epsilon = text.parse().unwrap();
            let ladder = Ladder::new(&epsilon, sensitivity);
            let exponent = epsilon.value() / RBig::from(IBig::from(2 * sensitivity));
            let most = exact::exp_upper(&exponent).unwrap();
            let real = |weight: u128| RBig::from(IBig::from(weight));
            // Both ends of a long ladder; the middle is made by the same step.
            let pairs: Vec<_> = ladder.0.windows(2).collect();
            for pair in pairs.iter().take(300).chain(pairs.iter().rev().take(300)) {
                assert!(pair[0] > pair[1] && pair[1] > 0 && real(pair[0]) <= real(pair[1]) * &most);
            }
            // And it is used up: the first step is as strong as weights of 126 bits can make it.
            let step = ladder.0[0] as f64 / ladder.0[1] as f64;
            let wanted = exponent.to_f64().value().min(80.0).exp();
            assert!(step >= wanted * (1.0 - 1e-12), "{text}: {step} for {wanted}");
            assert_eq!(ladder.weight(u128::MAX), *ladder.0.last().unwrap());
        }
        assert_eq!(Ladder::new(&"1e-40".parse().unwrap(), u128::MAX).weight(5), 1 << BITS);
    }

    #[test]
    fn draws_follow_weights() {
        let mut counts = [0i32; 4];
        for _ in 0..20_000 {
            let (position, place) = draw([1u8, 0, 6, 3].into_iter().map(UBig::from)).unwrap();
            assert!(place < UBig::from([1u8, 0, 6, 3][position]));
            counts[position] += 1;
        }
        // Six standard deviations are below 420: a correct sampler fails once in 10^8 runs.
        for (count, expected) in counts.into_iter().zip([2000, 0, 12_000, 6000]) {
            assert!((count - expected).abs() < 420, "{counts:?}");
        }
        assert!(draw([UBig::ZERO; 3].into_iter()).is_err() && draw(std::iter::empty()).is_err());
    }
}
