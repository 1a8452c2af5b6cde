//! Degree distributions and how far two of them are apart.

use crate::Graph;

/// How many nodes have each degree, from 0 to the largest.
#[must_use]
pub fn degree_counts(graph: &Graph) -> Vec<u64> {
    let degrees = graph.degrees();
    let mut counts = vec![0; degrees.iter().max().map_or(0, |&most| most as usize + 1)];
    degrees.iter().for_each(|&own| counts[own as usize] += 1);
    counts
}

/// The largest difference between two cumulative distributions (Kolmogorov and Smirnov); nothing where one is empty.
///
/// ```
/// use privet_graph::measure::distribution_distance;
/// assert_eq!(distribution_distance(&[1, 1], &[2, 2]), Some(0.0));
/// assert_eq!(distribution_distance(&[2, 0], &[0, 0, 5]), Some(1.0));
/// assert_eq!(distribution_distance(&[], &[1]), None);
/// ```
#[must_use]
pub fn distribution_distance(one: &[u64], other: &[u64]) -> Option<f64> {
    let total = |own: &[u64]| own.iter().sum::<u64>() as f64;
    let (all, all_others) = (total(one), total(other));
    if all == 0.0 || all_others == 0.0 {
        return None;
    }
    let (mut sum, mut sum_of_others, mut most) = (0u64, 0u64, 0f64);
    for place in 0..one.len().max(other.len()) {
        sum += one.get(place).unwrap_or(&0);
        sum_of_others += other.get(place).unwrap_or(&0);
        most = most.max((sum as f64 / all - sum_of_others as f64 / all_others).abs());
    }
    Some(most)
}
