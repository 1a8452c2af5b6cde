//! What is said when little can be concluded from an estimate: nobody should read a reconstruction whose intervals are
//! wide as if it were the truth.
//!
//! # Guarantee
//! A share counts as known when its 95 % interval lies within half and twice the estimate. There is a warning when the
//! shares that are known hold less than half of the records, and one when what is published lies within every interval
//! of a distribution of numbers, so that the reconstruction cannot be told from it. Warnings follow from the intervals
//! alone and hold no value.

use super::ColumnEstimate;

/// What to say of an estimate.
pub(super) fn warnings(estimate: &ColumnEstimate) -> Vec<String> {
    match estimate {
        ColumnEstimate::Counts(own) => {
            let parts = own.values.iter().map(|own| (own.estimate, own.low, own.high));
            few(parts, "values", "More records, or less noise, would tell more.").into_iter().collect()
        }
        ColumnEstimate::Items(own) => {
            let parts = own.sets.iter().map(|own| (own.support, own.low, own.high));
            few(parts, "sets", "More records, or sets of fewer items, would tell more.").into_iter().collect()
        }
        ColumnEstimate::Numbers(own) => {
            let bins: Vec<(f64, f64, f64, f64)> = own
                .bins
                .iter()
                .filter_map(|bin| Some((bin.published, bin.share, bin.low?, bin.high?)))
                .collect();
            if own.bins.len() < 2 {
                return Vec::new();
            }
            if bins.len() < own.bins.len() {
                return vec![format!(
                    "How sure these shares are is told for at most {} intervals.",
                    privet_perturb::MOST_INTERVALS
                )];
            }
            let parts = bins.iter().map(|&(_, share, low, high)| (share, low, high));
            let mut warnings: Vec<String> =
                few(parts, "intervals", "Fewer intervals, or more records, would tell more.")
                    .into_iter()
                    .collect();
            if bins.iter().all(|&(published, _, low, high)| low <= published && published <= high) {
                warnings.push(
                    "The published shares lie within all 95 % intervals: nothing shows that the reconstruction is nearer to the \
                     originals than what is published."
                        .to_owned(),
                );
            }
            warnings
        }
    }
}

/// A sentence when the parts (estimate and the ends of its interval) that are known hold less than half of all.
fn few(parts: impl Iterator<Item = (f64, f64, f64)>, what: &str, instead: &str) -> Option<String> {
    let (mut all, mut known) = (0.0, 0.0);
    for (estimate, low, high) in parts {
        all += estimate.max(0.0);
        if low >= 0.5 * estimate && high <= 2.0 * estimate {
            known += estimate.max(0.0);
        }
    }
    (all > 0.0 && known < 0.5 * all).then(|| {
        format!(
            "Little can be concluded about single {what}: those whose share is known to within a factor of two hold {:.0} % \
             of the estimate. {instead}",
            (100.0 * known / all).floor()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_must_be_known() {
        let said = |parts: &[(f64, f64, f64)]| few(parts.iter().copied(), "values", "").is_some();
        assert!(!said(&[]) && !said(&[(0.0, -1.0, 1.0)]) && !said(&[(-3.0, -5.0, 1.0)]));
        // Known: 60 of 100; 40 of 100; the ends themselves still count.
        assert!(!said(&[(60.0, 50.0, 70.0), (40.0, 10.0, 70.0)]));
        assert!(said(&[(40.0, 30.0, 50.0), (60.0, 29.9, 90.0)]));
        assert!(!said(&[(60.0, 30.0, 120.0), (40.0, 0.0, 200.0)]));
        assert!(said(&[(60.0, 30.0, 120.1)]));
        assert!(said(&[(1.0, f64::NAN, f64::NAN)]));
    }
}
