//! What a guarantee means for someone who knows everybody else (survey PM-18, TH-04).
//!
//! The informed adversary knows all records but one and holds any prior about it. Posterior odds are at most
//! e^epsilon times prior odds. Keeping a prior of α at or below a posterior of β needs a ratio of at most
//! (β/α)·(1−α)/(1−β), and with β = r·α for all α that is r (the limit for α → 0). In the survey r itself is called ε
//! (ERR-10).

use dashu::rational::RBig;

use crate::budget::Epsilon;
use crate::{DpError, exact};

fn probability(value: &RBig) -> Result<(), DpError> {
    if *value <= RBig::ZERO || *value >= RBig::ONE {
        return Err(DpError::parameter("a prior or posterior", "a number above 0 and below 1"));
    }
    Ok(())
}

/// The ratio e^epsilon that (α, β)-individual privacy requires: (β/α)·(1−α)/(1−β).
pub fn ratio_for_individual_privacy(alpha: &RBig, beta: &RBig) -> Result<RBig, DpError> {
    probability(alpha)?;
    probability(beta)?;
    Ok(beta / alpha * (RBig::ONE - alpha) / (RBig::ONE - beta))
}

/// The largest posterior that someone with a given prior can reach, rounded up.
pub fn largest_posterior(prior: &RBig, epsilon: &Epsilon) -> Result<RBig, DpError> {
    probability(prior)?;
    let factor = exact::exp_upper(epsilon.value()).unwrap_or(RBig::ONE); // why: an Epsilon is at most 1000
    let odds = factor * prior;
    Ok(&odds / (RBig::ONE - prior + &odds))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fraction(p: i64, q: u64) -> RBig {
        RBig::from_parts(p.into(), q.into())
    }

    /// survey TH-04: with β = r·α the bound r(1−α)/(1−rα) rises with α, from r.
    #[test]
    fn the_limit_is_the_ratio() {
        let r = fraction(3, 1);
        let mut last = r.clone();
        for step in 1..33 {
            let alpha = fraction(step, 100);
            let bound = ratio_for_individual_privacy(&alpha, &(&r * &alpha)).unwrap();
            assert!(bound > last);
            last = bound;
        }
        let tiny = fraction(1, 1_000_000_000);
        assert!(ratio_for_individual_privacy(&tiny, &(&r * &tiny)).unwrap() - r < fraction(1, 100_000_000));
        // survey PM-16: α = 0.1, β = 0.5 ⇒ 9.
        assert_eq!(ratio_for_individual_privacy(&fraction(1, 10), &fraction(1, 2)).unwrap(), fraction(9, 1));
    }

    #[test]
    fn posterior_and_ratio_are_inverse() {
        let epsilon: Epsilon = "1.1".parse().unwrap();
        let prior = fraction(1, 5);
        let posterior = largest_posterior(&prior, &epsilon).unwrap();
        let ratio = ratio_for_individual_privacy(&prior, &posterior).unwrap();
        assert_eq!(ratio, exact::exp_upper(epsilon.value()).unwrap());
        assert!(largest_posterior(&fraction(0, 1), &epsilon).is_err());
        assert!(ratio_for_individual_privacy(&prior, &fraction(1, 1)).is_err());
    }
}
