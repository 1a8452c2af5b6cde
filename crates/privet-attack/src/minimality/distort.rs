//! Distortion against minimality (survey ME-17; Wong, Fu, Wang and Pei's MASK): where too large a share of a group has a
//! protected value, some of its records get another one.
//!
//! The groups must have been formed without looking at the sensitive values (k-anonymity alone). Then their shape tells
//! nothing about these, and there is nothing for a minimality attack to use. A group that breaks the cap is given the
//! share of a group that keeps it, drawn at random from those with the largest shares, so that distorted groups look like
//! others.
//!
//! What it guarantees: afterwards no group has more than the cap of the protected value, all groups have as many
//! records as before, and groups within the cap are unchanged. Not guaranteed: that records are truthful; that is the
//! price. Departures: the paper picks l − 1 groups with the largest shares for a cap of 1/l, and so does this, rounding
//! l up; where no group keeps the cap, the cap itself is the share. Replacements are drawn from how often the other
//! values occur in the whole table.

use privet_data::Random;

/// What was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distorted {
    /// The groups afterwards: per value how many records.
    pub histograms: Vec<Vec<u64>>,
    /// Per group how many records were given another value.
    pub changed: Vec<u64>,
}

/// Why nothing was distorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DistortionError {
    /// The cap is no share.
    #[error("the cap must be at least 0 and below 1")]
    Cap,
    /// Groups count different values.
    #[error("every group must count the same values, the protected one among them")]
    Uneven,
    /// There is nothing to put in the place of the protected value.
    #[error("no record has a value other than the protected one, so there is nothing to replace it by")]
    NothingElse,
}

/// Brings the share of the protected value down to the cap in every group.
///
/// # Errors
/// When the cap is no share, groups count different values, or no other value occurs.
pub fn distort(
    histograms: &[Vec<u64>],
    protected: usize,
    cap: f64,
    seed: u64,
) -> Result<Distorted, DistortionError> {
    if !(0.0..1.0).contains(&cap) {
        return Err(DistortionError::Cap);
    }
    let values = histograms.first().map_or(protected + 1, Vec::len);
    if protected >= values || histograms.iter().any(|counts| counts.len() != values) {
        return Err(DistortionError::Uneven);
    }
    let rows = |counts: &Vec<u64>| sum(counts.iter());
    let allowed = |counts: &Vec<u64>| (cap * rows(counts) as f64 + 1e-9).floor() as u64;
    let breaks = |counts: &&Vec<u64>| counts[protected] > allowed(counts);
    let mut others: Vec<u64> =
        (0..values).map(|value| sum(histograms.iter().map(|counts| &counts[value]))).collect();
    others[protected] = 0;
    let all_others = sum(others.iter());
    if all_others == 0 && histograms.iter().any(|counts| breaks(&counts)) {
        return Err(DistortionError::NothingElse);
    }
    let mut shares: Vec<f64> = histograms
        .iter()
        .filter(|counts| !breaks(counts) && rows(counts) > 0)
        .map(|counts| counts[protected] as f64 / rows(counts) as f64)
        .collect();
    shares.sort_by(|a, b| b.total_cmp(a));
    let patterns = if cap > 0.0 { ((1.0 / cap - 1e-9).ceil() as usize).saturating_sub(1).max(1) } else { 1 };
    shares.truncate(patterns);
    let mut result = Distorted { histograms: histograms.to_vec(), changed: vec![0; histograms.len()] };
    let mut random = Random::stream(seed, 0);
    for (counts, changed) in result.histograms.iter_mut().zip(&mut result.changed) {
        let most = allowed(counts);
        if counts[protected] <= most {
            continue;
        }
        let share = shares.get(random.below(shares.len())).copied().unwrap_or(cap);
        let keep = ((share * rows(counts) as f64 + 1e-9).floor() as u64).min(most);
        *changed = counts[protected] - keep;
        counts[protected] = keep;
        for _ in 0..*changed {
            // A record of the table with another value, every one equally likely.
            let mut at = random.below(all_others as usize) as u64;
            let value = others.iter().position(|&count| {
                let here = at < count;
                at = at.saturating_sub(count);
                here
            });
            counts[value.unwrap_or(protected)] += 1; // why: `at` is below the sum of the counts
        }
    }
    Ok(result)
}

/// A sum; more than a number can hold is as much as it can.
fn sum<'a>(counts: impl Iterator<Item = &'a u64>) -> u64 {
    counts.fold(0, |sum, &count| sum.saturating_add(count))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// survey FX-6.1 by gender: both men have HIV. Afterwards one has, or none, as among the women (1 of 6).
    #[test]
    fn the_men_of_fx61() {
        let gender = [vec![2, 0, 0], vec![1, 2, 3]];
        let masked = distort(&gender, 0, 0.5, 1).unwrap();
        assert_eq!(masked.changed, [2, 0], "a sixth of two is none");
        assert_eq!((masked.histograms[0][0], masked.histograms[0].iter().sum::<u64>()), (0, 2));
        assert_eq!(masked.histograms[1], gender[1]);
        // No group keeps the cap: the cap is the share.
        assert_eq!(distort(&[vec![4, 1]], 0, 0.5, 1).unwrap().histograms, [[2, 3]]);
    }

    #[test]
    fn faults() {
        assert_eq!(distort(&[], 0, 0.5, 0).unwrap().changed, Vec::<u64>::new());
        assert_eq!(distort(&[vec![2, 0]], 0, 0.5, 0).unwrap_err(), DistortionError::NothingElse);
        assert_eq!(distort(&[vec![2], vec![1, 1]], 0, 0.5, 0).unwrap_err(), DistortionError::Uneven);
        assert_eq!(distort(&[vec![2, 1]], 2, 0.5, 0).unwrap_err(), DistortionError::Uneven);
        for cap in [f64::NAN, -0.1, 1.0, f64::INFINITY] {
            assert_eq!(distort(&[vec![1, 1]], 0, cap, 0).unwrap_err(), DistortionError::Cap);
        }
        assert_eq!(distort(&[vec![1, 1], vec![0, 0]], 0, 0.0, 0).unwrap().histograms, [[0, 2], [0, 0]]);
    }

    proptest! {
        #[test]
        fn keeps_the_cap_and_the_sizes(
            groups in prop::collection::vec(prop::collection::vec(0u64..6, 3), 1..8), cap in 0.0f64..0.99, seed in any::<u64>(),
        ) {
            let Ok(masked) = distort(&groups, 1, cap, seed) else { return Err(TestCaseError::reject("the case does not arise")) };
            for ((before, after), changed) in groups.iter().zip(&masked.histograms).zip(&masked.changed) {
                let rows: u64 = before.iter().sum();
                prop_assert_eq!(rows, after.iter().sum::<u64>());
                prop_assert!(after[1] as f64 <= cap * rows as f64 + 1e-9);
                prop_assert_eq!(before[1], after[1] + changed);
                if before[1] as f64 <= cap * rows as f64 {
                    prop_assert_eq!(before, after);
                }
            }
        }
    }
}
