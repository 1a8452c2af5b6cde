//! The area under the curve of hits over false alarms (ROC): the probability that a random positive has a higher score than
//! a random negative, ties counting one half (Mann and Whitney 1947).

/// The area for scores of positives and negatives; nothing where one of the lists is empty or a score is no number.
///
/// ```
/// use privet_graph::attack::area_under_curve;
/// assert_eq!(area_under_curve(&[3.0, 2.0], &[1.0]), Some(1.0));
/// assert_eq!(area_under_curve(&[1.0], &[1.0, 1.0]), Some(0.5));
/// assert_eq!(area_under_curve(&[], &[1.0]), None);
/// ```
#[must_use]
pub fn area_under_curve(positives: &[f64], negatives: &[f64]) -> Option<f64> {
    if positives.is_empty() || negatives.is_empty() {
        return None;
    }
    let mut all: Vec<(f64, bool)> = (positives.iter().map(|&score| (score, true)))
        .chain(negatives.iter().map(|&score| (score, false)))
        .collect();
    if all.iter().any(|own| own.0.is_nan()) {
        return None;
    }
    all.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    // Counted in halves, so that the sum is exact.
    let (mut halves, mut below) = (0u128, 0u128);
    for tied in all.chunk_by(|a, b| a.0 == b.0) {
        let of_positives = tied.iter().filter(|own| own.1).count() as u128;
        let of_negatives = tied.len() as u128 - of_positives;
        halves += of_positives * (2 * below + of_negatives);
        below += of_negatives;
    }
    Some(halves as f64 / (2.0 * positives.len() as f64 * negatives.len() as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Against all pairs.
        #[test]
        fn area_is_the_share_of_pairs(
            positives in prop::collection::vec(0u8..5, 1..9), negatives in prop::collection::vec(0u8..5, 1..9),
        ) {
            let pairs = positives.iter().flat_map(|a| negatives.iter().map(move |b| a.cmp(b)));
            let wins: f64 = pairs.map(|order| match order {
                std::cmp::Ordering::Less => 0.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Greater => 1.0,
            }).sum();
            let expected = wins / (positives.len() * negatives.len()) as f64;
            let scores = |own: &[u8]| own.iter().map(|&score| f64::from(score)).collect::<Vec<_>>();
            let area = area_under_curve(&scores(&positives), &scores(&negatives)).unwrap();
            prop_assert!((area - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn what_is_no_number_has_no_area() {
        assert_eq!(area_under_curve(&[f64::NAN], &[1.0]), None);
    }
}
