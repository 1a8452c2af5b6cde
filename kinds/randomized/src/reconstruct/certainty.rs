//! What is said when little can be concluded from an estimate: nobody should read a reconstruction whose intervals are
//! wide as if it were the truth.
//!
//! # Guarantee
//! A share counts as known when its 95 % interval lies within half and twice the estimate. There is a warning when the
//! shares that are known hold less than half of the records, and one when what is published lies within every interval
//! of a distribution of numbers, so that the reconstruction cannot be told from it, and one when values are all the same, so
//! that intervals have no width. Warnings follow from the intervals
//! alone and hold no value.

use super::ColumnEstimate;

/// What to say of an estimate.
pub(super) fn warnings(estimate: &ColumnEstimate) -> Vec<String> {
    match estimate {
        ColumnEstimate::Counts(own) => {
            let parts = own.values.iter().map(|own| (own.estimate, own.low, own.high));
            let little = few(parts, "values", "More records, or less noise, would tell more.");
            let is_pointed = own.values.iter().all(|own| own.low == own.high)
                && own.values.iter().any(|own| own.estimate != own.published as f64);
            let pointed = is_pointed.then(|| {
                "All published values are the same, from which no error can be estimated: intervals without width do not \
                 mean that anything is certain."
                    .to_owned()
            });
            little.into_iter().chain(pointed).collect()
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
    use crate::reconstruct::{CountsEstimate, ValueEstimate};

    /// Ten answers that are all yes: the estimate is beyond ten, and no error can be told.
    #[test]
    fn intervals_without_width_are_no_certainty() {
        let value = |published, estimate: f64, width: f64| ValueEstimate {
            value: String::new(),
            published,
            estimate,
            standard_error: 0.0,
            low: estimate - width,
            high: estimate + width,
            nonnegative: 0.0,
            likely: None,
        };
        let said = |values: Vec<ValueEstimate>| {
            warnings(&ColumnEstimate::Counts(CountsEstimate { values, rounds: None })).len()
        };
        assert_eq!(said(vec![value(10, 12.0, 0.0), value(0, -2.0, 0.0)]), 1);
        assert_eq!(said(vec![value(10, 12.0, 1.0), value(0, -2.0, 1.0)]), 0);
        // A law that changes nothing.
        assert_eq!(said(vec![value(10, 10.0, 0.0), value(0, 0.0, 0.0)]), 0);
    }

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
