//! The Kullback-Leibler divergence of the class from the input (papers T-PM6 (ii)): Σ p ln(p/q), in nats.
//!
//! 0·ln 0 is 0. A value of a class of the same table always has q > 0; were it not so, the divergence would be infinite.

use super::Distance;
use crate::Histogram;
use crate::bound::Bound;

/// Σ p ln(p/q).
pub(crate) struct KullbackLeibler {
    shares: Vec<f64>,
}

impl KullbackLeibler {
    pub fn new(bound: &Bound<'_>) -> Self {
        Self { shares: bound.shares() }
    }
}

impl Distance for KullbackLeibler {
    fn distance(&self, histogram: &Histogram<'_>) -> f64 {
        let each = 1.0 / histogram.total as f64;
        let term = |&code: &u32| {
            let p = f64::from(histogram.counts[code as usize]) * each;
            p * (p / self.shares[code as usize]).ln()
        };
        // Never negative but for rounding.
        histogram.present.iter().map(term).sum::<f64>().max(0.0)
    }

    fn most_kept(&self, histogram: &Histogram<'_>, _: f64) -> u64 {
        histogram.total
    }

    fn name(&self) -> String {
        "Kullback-Leibler divergence in nats".to_owned()
    }
}
