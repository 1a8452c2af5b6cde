//! The αβ algorithm of Rastogi, Suciu and Hong: publish a randomized set, answer counts from it (survey ME-47, US-06,
//! TH-23).
//!
//! Every item of the instance I is kept with probability α+β, every other item of the declared domain D is added with
//! probability β. From the published V, Q̂ = (Q(V) − β·Q(D))/α is unbiased for every count Q over the domain.
//!
//! Guarantee: for instances that differ in one item (a person is one item, present or absent) the published set is
//! epsilon-private with e^epsilon = max((α+β)/β, (1−β)/(1−α−β)); replacing one item by another costs twice that. The
//! survey says "a variant of ε-DP" and gives no number; this is the exact one. β = 0 or α+β = 1 would give none.

use dashu::integer::IBig;
use dashu::rational::RBig;

use crate::bits::Bits;
use crate::budget::{Epsilon, Loss};
use crate::people::Neighbours;
use crate::{DpError, exact};

/// The algorithm with its two probabilities.
#[derive(Debug, Clone)]
pub struct AlphaBeta {
    alpha: RBig,
    beta: RBig,
    keep: (u64, u64),
    add: (u64, u64),
}

impl AlphaBeta {
    /// With α > 0, β > 0 and α+β < 1, whose fractions have denominators below 2^64.
    pub fn new(alpha: RBig, beta: RBig) -> Result<Self, DpError> {
        let refused = || {
            DpError::parameter(
                "alpha or beta",
                "fractions with alpha > 0, beta > 0 and alpha + beta < 1, of up to 18 digits",
            )
        };
        let keep = &alpha + &beta;
        if alpha <= RBig::ZERO || beta <= RBig::ZERO || keep >= RBig::ONE {
            return Err(refused());
        }
        let parts = |p: &RBig| {
            Some((u64::try_from(p.numerator().clone()).ok()?, u64::try_from(p.denominator().clone()).ok()?))
        };
        let (keep, add) = (parts(&keep).ok_or_else(refused)?, parts(&beta).ok_or_else(refused)?);
        Ok(Self { alpha, beta, keep, add })
    }

    /// The probabilities that keep most for a given epsilon between an item's presence and absence: both bounds are
    /// reached at once with β = 1/(1+e^epsilon) and α = 1 − 2β, rounded so that the loss is not exceeded.
    pub fn for_epsilon(epsilon: &Epsilon) -> Result<Self, DpError> {
        let factor = exact::exp_lower(epsilon.value());
        let digits = RBig::from(IBig::from(10).pow(18));
        let beta = RBig::from((&digits / (factor + RBig::ONE)).ceil()) / digits;
        let alpha = RBig::ONE - RBig::from(2) * &beta;
        Self::new(alpha, beta)
    }

    /// The probabilities with which an item of the instance is kept, and with which another one is added.
    pub fn probabilities(&self) -> (f64, f64) {
        ((&self.alpha + &self.beta).to_f64().value(), self.beta.to_f64().value())
    }

    /// What publishing costs, rounded up.
    pub fn loss(&self, neighbours: Neighbours) -> Result<Loss, DpError> {
        let keep = &self.alpha + &self.beta;
        let ratio = (&keep / &self.beta).max((RBig::ONE - &self.beta) / (RBig::ONE - keep));
        let one = exact::ln_upper(&ratio).ok_or_else(|| DpError::parameter("beta", "above e^-4000"))?;
        match neighbours {
            Neighbours::AddRemove => Loss::new(one, RBig::ZERO),
            Neighbours::ReplaceOne => Loss::new(one * RBig::from(2), RBig::ZERO),
        }
    }

    /// The randomized set: for every item of the domain whether it is in, given whether it is in the instance.
    pub fn release(&self, instance: &[bool]) -> Result<Vec<bool>, DpError> {
        let mut bits = Bits::system();
        let mut flip = |&present: &bool| {
            let (above, below) = if present { self.keep } else { self.add };
            bits.bernoulli(above, below)
        };
        instance.iter().map(&mut flip).collect()
    }

    /// The unbiased estimate of a count over the instance, from the count over the published set and over the domain.
    pub fn estimate(&self, published: u64, domain: u64) -> RBig {
        (RBig::from(published) - &self.beta * RBig::from(domain)) / &self.alpha
    }

    /// The standard deviation of an estimate over `domain` items of which about `present` are in the instance.
    pub fn standard_deviation(&self, present: u64, domain: u64) -> f64 {
        let (alpha, beta) = (self.alpha.to_f64().value(), self.beta.to_f64().value());
        let keep = alpha + beta;
        let absent = domain.saturating_sub(present) as f64;
        (present as f64 * keep * (1.0 - keep) + absent * beta * (1.0 - beta)).sqrt() / alpha
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fraction(p: i64, q: u64) -> RBig {
        RBig::from_parts(p.into(), q.into())
    }

    /// survey TH-23: unbiased, by enumerating all published sets of a domain of five with three items present.
    #[test]
    fn estimate_is_unbiased_exactly() {
        let mechanism = AlphaBeta::new(fraction(1, 2), fraction(1, 5)).unwrap();
        let instance = [true, false, true, true, false];
        // Q counts the items 0, 1 and 2, of which two are present.
        let (mut mean, mut total) = (RBig::ZERO, RBig::ZERO);
        for set in 0u32..32 {
            let mut probability = RBig::ONE;
            for (item, &present) in instance.iter().enumerate() {
                let p = if present { fraction(7, 10) } else { fraction(1, 5) };
                probability *= if set >> item & 1 == 1 { p } else { RBig::ONE - p };
            }
            mean += &probability * mechanism.estimate((set & 7).count_ones().into(), 3);
            total += probability;
        }
        assert_eq!((mean, total), (RBig::from(2), RBig::ONE));
    }

    #[test]
    fn loss_is_the_worst_ratio() {
        let mechanism = AlphaBeta::new(fraction(1, 2), fraction(1, 5)).unwrap();
        // max(0.7/0.2, 0.8/0.3) = 3.5
        let one = mechanism.loss(Neighbours::AddRemove).unwrap();
        assert!((one.epsilon().to_f64().value() - 3.5f64.ln()).abs() < 1e-12);
        assert!(exact::exp_lower(one.epsilon()) >= fraction(7, 2));
        // max(0.9/0.4, 0.6/0.1) = 6: here an absence tells more than a presence.
        let other =
            AlphaBeta::new(fraction(1, 2), fraction(2, 5)).unwrap().loss(Neighbours::ReplaceOne).unwrap();
        assert!((other.epsilon().to_f64().value() - 2.0 * 6f64.ln()).abs() < 1e-12);
        let epsilon: Epsilon = "0.7".parse().unwrap();
        let best = AlphaBeta::for_epsilon(&epsilon).unwrap();
        let loss = best.loss(Neighbours::AddRemove).unwrap();
        assert!(loss.epsilon() <= &(epsilon.value() + fraction(1, 1_000_000_000_000)));
        assert!(loss.epsilon().to_f64().value() > 0.699_999);
    }

    #[test]
    fn frequencies_and_edges() {
        let mechanism = AlphaBeta::new(fraction(1, 2), fraction(1, 5)).unwrap();
        let mut instance = vec![false; 40_000];
        instance[..10_000].fill(true);
        let published = mechanism.release(&instance).unwrap();
        let count = published.iter().filter(|&&p| p).count() as u64;
        let estimate = mechanism.estimate(count, 40_000).to_f64().value();
        // Seven standard deviations: a false alarm in 10^11 runs.
        assert!(
            (estimate - 10_000.0).abs() < 7.0 * mechanism.standard_deviation(10_000, 40_000),
            "{estimate}"
        );
        assert!(mechanism.release(&[]).unwrap().is_empty());
        for (a, b) in
            [((0, 1), (1, 2)), ((1, 2), (0, 1)), ((1, 2), (1, 2)), ((-1, 2), (1, 2)), ((1, 2), (2, 1))]
        {
            assert!(AlphaBeta::new(fraction(a.0, a.1), fraction(b.0, b.1)).is_err());
        }
        assert!(AlphaBeta::for_epsilon(&"1000".parse().unwrap()).is_ok());
        assert!(AlphaBeta::for_epsilon(&"1e-100".parse().unwrap()).is_err());
    }
}
