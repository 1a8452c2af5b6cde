//! Lambert's risks of a probabilistic rule of identification (survey PM-03).
//!
//! π_ij is the probability that record i is that of individual j; there are N individuals. Worst case max_j max_i
//! π_ij, average (1/N) Σ_j max_i π_ij, threshold #{j : max_i π_ij ≥ τ}/N.
//!
//! # Guarantee
//! Exactly these, with "≥" as printed. Rows may be sparse: what is not given is 0. Whether the probabilities of a
//! record add up to at most 1 is the rule's affair and is not checked. Without individuals every risk is 0.

use std::collections::BTreeMap;

/// Lambert's three risks.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LambertRisk {
    /// The largest probability of all.
    pub worst: f64,
    /// The average over individuals of their largest probability.
    pub average: f64,
    /// The share of individuals whose largest probability reaches the threshold.
    pub reached: f64,
}

/// Why probabilities of identification are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IdentificationError {
    /// A number that is no probability.
    #[error("record {record} has a probability that is not between 0 and 1")]
    Probability {
        /// The record, counted from 0.
        record: usize,
    },
    /// An individual that there is not.
    #[error("record {record} names an individual that is not in the population")]
    Individual {
        /// The record, counted from 0.
        record: usize,
    },
    /// The threshold is no probability.
    #[error("the threshold must be between 0 and 1")]
    Threshold,
}

/// Lambert's risks, from one row per record of individuals and their probabilities.
///
/// # Errors
/// When a number is no probability, an individual is not among the `population`, or the threshold is not between 0
/// and 1.
pub fn lambert<R>(
    population: usize,
    rows: impl IntoIterator<Item = R>,
    threshold: f64,
) -> Result<LambertRisk, IdentificationError>
where
    R: IntoIterator<Item = (usize, f64)>,
{
    if !(0.0..=1.0).contains(&threshold) {
        return Err(IdentificationError::Threshold);
    }
    // In order, so that sums are the same every time; only those that a row names take room.
    let mut most: BTreeMap<usize, f64> = BTreeMap::new();
    for (record, row) in rows.into_iter().enumerate() {
        for (individual, probability) in row {
            if !(0.0..=1.0).contains(&probability) {
                return Err(IdentificationError::Probability { record });
            }
            if individual >= population {
                return Err(IdentificationError::Individual { record });
            }
            let own = most.entry(individual).or_default();
            *own = own.max(probability);
        }
    }
    if population == 0 {
        return Ok(LambertRisk::default());
    }
    let all = population as f64;
    // Who is in no row reaches a threshold of 0 only.
    let others = if threshold > 0.0 { 0 } else { population - most.len() };
    let named = most.values().filter(|&&probability| probability >= threshold).count();
    Ok(LambertRisk {
        worst: most.values().copied().fold(0.0, f64::max),
        average: most.values().sum::<f64>() / all,
        reached: (named + others) as f64 / all,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Two records, four people, of whom one is in nobody's mind.
        let rows = [vec![(0, 0.5), (1, 0.5)], vec![(1, 0.2), (2, 0.8)]];
        let found = lambert(4, rows.clone(), 0.5).unwrap();
        assert!((found.average - (0.5 + 0.5 + 0.8) / 4.0).abs() < 1e-15);
        assert_eq!((found.worst, found.reached), (0.8, 0.75));
        assert_eq!(lambert(4, rows.clone(), 0.51).unwrap().reached, 0.25);
        assert_eq!(lambert(4, rows, 0.0).unwrap().reached, 1.0);
    }

    #[test]
    fn the_rule_of_classes_is_the_prosecutor() {
        // Whoever is in a class of four is any of its records with probability 1/4: survey FX-1.2.
        let rows = (0..12usize).map(|record| (0..4).map(move |other| (record / 4 * 4 + other, 0.25)));
        let found = lambert(12, rows, 0.25).unwrap();
        assert_eq!(found, LambertRisk { worst: 0.25, average: 0.25, reached: 1.0 });
    }

    #[test]
    fn what_is_no_probability_is_refused() {
        for bad in [-0.1, 1.1, f64::NAN] {
            assert_eq!(
                lambert(1, [vec![], vec![(0, bad)]], 0.5),
                Err(IdentificationError::Probability { record: 1 })
            );
            assert_eq!(lambert(1, [vec![(0, 0.5)]], bad), Err(IdentificationError::Threshold));
        }
        assert_eq!(lambert(1, [vec![(1, 0.5)]], 0.5), Err(IdentificationError::Individual { record: 0 }));
        assert_eq!(lambert(0, Vec::<Vec<(usize, f64)>>::new(), 0.5), Ok(LambertRisk::default()));
        assert_eq!(lambert(usize::MAX, [[(5, 1.0)]], 0.5).map(|found| found.worst), Ok(1.0));
        assert_eq!(lambert(2, Vec::<Vec<(usize, f64)>>::new(), 0.5), Ok(LambertRisk::default()));
    }
}
