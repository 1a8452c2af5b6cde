//! Keys that nobody declared: a group is told of where its noisy count is above a threshold that hardly any group of one person's
//! records alone reaches (stability-based histograms; Korolova and others 2009, Bun, Nissim and Stemmer 2016).
//!
//! Guarantee. Let the noise of the counts be (epsilon, d)-private for all groups that both of two neighbouring tables have. The
//! others are those of one person alone: at most G groups of at most m records each. With a threshold that noise carries a count of m
//! beyond with probability at most t in each, all of them stay hidden but for a probability of b = G·t on either side. For every set
//! of answers, P(A(x)) ≤ b + P(common groups of x) ≤ b + e^epsilon·P(common groups of x') + d ≤ e^epsilon·P(A(x')) + d + (1 + e^epsilon)·b.
//! So delta − d = (1 + e^epsilon)·b, and t follows. Both tails are bounded by fractions: 2·e^(−z/scale) covers that of discrete
//! Laplace noise, and e^(−z²/(2σ²)) one of discrete Gaussian noise (Canonne, Kamath and Steinke 2020) and
//! one of normal noise before it is rounded.

use dashu::integer::IBig;
use dashu::rational::RBig;

use crate::budget::{Delta, Epsilon};
use crate::people::People;
use crate::{DpError, Noise, exact};

/// A noisy count from which on a group is told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Threshold(i128);

impl Threshold {
    /// For counts with this noise, which costs `epsilon` (and perhaps a delta of its own), and this delta besides.
    pub fn new(people: People, noise: &Noise, epsilon: &Epsilon, delta: &Delta) -> Result<Self, DpError> {
        if delta.value().is_zero() {
            return Err(DpError::parameter("delta", "above 0 where keys are not declared, such as 1e-6"));
        }
        let small = || DpError::parameter("delta", "at least e^-4000 for a threshold");
        let more = exact::exp_upper(epsilon.value()).ok_or_else(small)? + RBig::ONE;
        let ways = more * RBig::from(people.groups()) / delta.value();
        let log = exact::ln_upper(&ways).ok_or_else(small)?;
        let scale = noise.scale();
        let beyond = match noise.is_gaussian() {
            false => scale * log,
            true => exact::sqrt_upper(&(RBig::from(2) * log * scale * scale)),
        };
        // Rounding carries normal noise up to a half farther.
        let beyond =
            if noise.is_rounded() { beyond + RBig::from_parts(1.into(), 2u8.into()) } else { beyond };
        // A count of m reaches m + ⌈beyond⌉ with noise of ⌈beyond⌉ or more; one more, so that the bound is on what exceeds it.
        let beyond = i128::try_from(beyond.ceil()).map_err(|_| small())?;
        Ok(Self(i128::from(people.per_group()) + beyond + 1))
    }

    /// The least noisy count that is told.
    pub fn least(&self) -> i128 {
        self.0
    }

    /// Whether a noisy count is told.
    pub fn tells(&self, count: i128) -> bool {
        IBig::from(count) >= IBig::from(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Neighbours, Privacy};

    fn threshold(people: People, epsilon: &str, delta: &str, is_gaussian: bool) -> (Threshold, Noise) {
        let (own, small): (Epsilon, Delta) = (epsilon.parse().unwrap(), delta.parse().unwrap());
        let privacy = match is_gaussian {
            true => Privacy::Approximate(own.clone(), small.clone()),
            false => Privacy::Pure(own.clone()),
        };
        let noise = crate::Histogram { people, cells: 0 }.noise(&privacy).unwrap();
        (Threshold::new(people, &noise, &own, &small).unwrap(), noise)
    }

    /// By hand: epsilon 1 and delta 1e-6 with one record each: 1 + ln((1 + e)·10^6) = 1 + 15.13, so 18 is told and 17 is not.
    #[test]
    fn the_threshold_is_that_of_the_formula() {
        let one = People::one_record_each(Neighbours::AddRemove);
        let (threshold, _) = threshold(one, "1", "1e-6", false);
        assert_eq!(threshold.least(), 18);
        assert!(threshold.tells(18) && !threshold.tells(17));
    }

    /// The probability that a person's own groups are told, summed over the law, stays within delta.
    #[test]
    fn a_group_of_one_person_stays_hidden() {
        for (c, groups, per_group) in [(1, 1, 1), (6, 3, 2)] {
            let people = People::new(Neighbours::AddRemove, c).unwrap();
            let people = people.in_groups(Some(groups), Some(per_group)).unwrap();
            for is_gaussian in [false, true] {
                let (threshold, noise) = threshold(people, "0.7", "1e-3", is_gaussian);
                let scale = noise.scale().to_f64().value();
                let weight = |z: i32| match is_gaussian {
                    true => (-f64::from(z).powi(2) / (2.0 * scale * scale)).exp(),
                    false => (-f64::from(z.abs()) / scale).exp(),
                };
                let all: f64 = (-4000..=4000).map(weight).sum();
                let reached = |count: i32| {
                    (-4000..=4000).filter(|z| threshold.tells(i128::from(z + count))).map(weight).sum::<f64>()
                        / all
                };
                let told = f64::from(groups) * reached(per_group as i32) * (1.0 + 0.7f64.exp());
                assert!(told <= 1e-3 && told > 1e-6, "{told}");
            }
        }
        let one = People::one_record_each(Neighbours::AddRemove);
        let noise = Noise::laplace(1, &"1".parse().unwrap());
        assert!(Threshold::new(one, &noise, &"1".parse().unwrap(), &"0".parse().unwrap()).is_err());
    }
}
