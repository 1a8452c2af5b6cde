//! The sum of the squared masses that overlapping regions put on tuples.
//!
//! Σ_t (Σ_r d_r)² over the tuples t that regions r with mass d_r on each of theirs cover is a sum over pairs of regions:
//! d_r·d_s for every tuple that lies in both. So no tuple need be listed, however many there are, and the result is exact up
//! to rounding. Pairs are as many as the square of the regions; with too many of them there is no result.

use privet_data::Coverage;
use rayon::prelude::*;

use super::spread::Spread;

/// Pairs of regions times columns that may be looked at: about a second's work.
const MOST_PAIRS: u64 = 1 << 28;

/// Whether the pairs of so many regions can be gone through, `looked_at` of them having been.
pub(super) fn is_feasible(spread: &Spread<'_>, regions: usize, looked_at: &mut u64) -> bool {
    let pairs = (regions as u64).saturating_mul(regions as u64).saturating_mul(spread.coverages.len() as u64);
    *looked_at = looked_at.saturating_add(pairs / 2);
    *looked_at <= MOST_PAIRS
}

/// Σ over all tuples of the square of what these regions put on it.
pub(super) fn squares(spread: &Spread<'_>, regions: &[u32]) -> f64 {
    let columns: Vec<Overlaps<'_>> = spread.coverages.iter().map(|own| Overlaps::new(own)).collect();
    let most = spread.coverages.iter().map(|own| own.values()).max().unwrap_or(0);
    let ln: Vec<f64> = (0..=most).map(|values| f64::from(values).ln()).collect();
    // ln of d_r·d_s times the tuples in both; tuples may be more than can be written.
    let ln_common = |a: u32, b: u32| {
        let own = spread.labels(a as usize).iter().zip(spread.labels(b as usize)).zip(&columns);
        let mut sum = spread.ln_density(a as usize) + spread.ln_density(b as usize);
        for ((&a, &b), column) in own {
            match column.common(a, b) {
                0 => return f64::NEG_INFINITY,
                common => sum += ln[common as usize],
            }
        }
        sum
    };
    let of_region = |(place, &a): (usize, &u32)| {
        let others: f64 = regions[place + 1..].iter().map(|&b| ln_common(a, b).exp()).sum();
        ln_common(a, a).exp() + 2.0 * others
    };
    // Added up in the order of the regions, so that the sum is the same for any number of threads.
    let all: Vec<f64> = regions.par_iter().enumerate().map(of_region).collect();
    all.iter().sum()
}

/// How many values two labels of a column have in common.
struct Overlaps<'a> {
    coverage: &'a Coverage,
    /// Per label its first and last value, where all between them are its too.
    stretches: Vec<Option<(u32, u32)>>,
}

impl<'a> Overlaps<'a> {
    fn new(coverage: &'a Coverage) -> Self {
        let stretches = (0..coverage.labels() as u32).map(|label| coverage.of(label).stretch()).collect();
        Self { coverage, stretches }
    }

    fn common(&self, a: u32, b: u32) -> u32 {
        if let (Some(own), Some(other)) = (self.stretches[a as usize], self.stretches[b as usize]) {
            return (own.1.min(other.1) + 1).saturating_sub(own.0.max(other.0));
        }
        let (mut own, mut other) = (self.coverage.of(a).runs(), self.coverage.of(b).runs());
        let mut common = 0;
        while let (Some(first), Some(second)) = (own.first(), other.first()) {
            common += (first.1.min(second.1) + 1).saturating_sub(first.0.max(second.0));
            let (next, after) = (first.1 <= second.1, second.1 <= first.1);
            own = &own[usize::from(next)..];
            other = &other[usize::from(after)..];
        }
        common
    }
}
