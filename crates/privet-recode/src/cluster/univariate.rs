//! Optimal microaggregation of one column (Hansen and Mukherjee; survey ME-11: "1-D optimal = shortest path in
//! O(nk)").
//!
//! In one dimension some optimal grouping cuts the sorted values into runs, and none of its groups has 2k or more
//! values, because cutting such a group in two never costs more. So the groups are a shortest path over the sorted
//! values, with an edge from i to j for k <= j - i < 2k that costs the sum of squares of the values between.
//!
//! # Guarantee
//! Groups have k to 2k-1 records, and no grouping into groups of at least k has a smaller sum of squared
//! distances from the group means (up to rounding). The sum of a run is built up value by value from its end, which
//! loses no digits where differences of prefix sums would. Equal values are in the order of their records; among
//! equal paths the one with the shorter last run is taken. Time is n·k.

use privet_data::{Cancelled, Progress};

/// Progress is told of after so many values.
const REPORT: usize = 1 << 14;

/// The groups of these values; one group when there are fewer than 2k. No value is NaN.
pub(crate) fn optimal(values: &[f64], k: usize, progress: &dyn Progress) -> Result<Vec<Vec<u32>>, Cancelled> {
    let (rows, k) = (values.len(), k.max(1));
    progress.stage("grouping records", Some(rows as u64));
    let mut order: Vec<u32> = (0..rows as u32).collect();
    order.sort_unstable_by(|&a, &b| values[a as usize].total_cmp(&values[b as usize]).then(a.cmp(&b)));
    if rows < k.saturating_mul(2) {
        return Ok(if rows == 0 { Vec::new() } else { vec![order] });
    }
    let sorted: Vec<f64> = order.iter().map(|&record| values[record as usize]).collect();
    // Per end the least cost of the values before it, and how long the last run of that path is.
    let mut best = vec![(f64::INFINITY, 0usize); rows + 1];
    best[0] = (0.0, 0);
    let shares: Vec<f64> = (0..2 * k).map(|count| 1.0 / count.max(1) as f64).collect();
    for end in k..=rows {
        if end.is_multiple_of(REPORT) {
            progress.check()?;
            progress.at(end as u64);
        }
        let (mut mean, mut squares) = (0.0, 0.0);
        let longest = end.min(2 * k - 1);
        let mut least = (f64::INFINITY, 0);
        for (length, &value) in (1..=longest).zip(sorted[..end].iter().rev()) {
            let off = value - mean;
            mean += off * shares[length];
            squares += off * (value - mean);
            let cost = best[end - length].0 + squares;
            if length >= k && cost < least.0 {
                least = (cost, length);
            }
        }
        best[end] = least;
    }
    let mut groups = Vec::with_capacity(rows / k);
    let mut end = rows;
    while end > 0 {
        let length = best[end].1;
        groups.push(order[end - length..end].to_vec());
        end -= length;
    }
    groups.reverse();
    progress.at(rows as u64);
    Ok(groups)
}

#[cfg(test)]
mod tests {
    use privet_data::Silent;
    use proptest::prelude::*;

    use super::*;

    fn squares(values: &[f64], group: &[u32]) -> f64 {
        let of = || group.iter().map(|&record| values[record as usize]);
        let mean = of().sum::<f64>() / group.len() as f64;
        of().map(|value| (value - mean) * (value - mean)).sum()
    }

    /// The least sum of squares over all partitions into groups of at least k, of any records.
    fn brute_force(values: &[f64], k: usize) -> f64 {
        fn place(values: &[f64], k: usize, next: u32, groups: &mut Vec<Vec<u32>>, best: &mut f64) {
            if next as usize == values.len() {
                if groups.iter().all(|group| group.len() >= k) {
                    *best = best.min(groups.iter().map(|group| squares(values, group)).sum());
                }
                return;
            }
            for number in 0..=groups.len() {
                if number == groups.len() {
                    groups.push(Vec::new());
                }
                groups[number].push(next);
                place(values, k, next + 1, groups, best);
                groups[number].pop();
                if groups[number].is_empty() {
                    groups.pop();
                }
            }
        }
        let mut best = f64::INFINITY;
        place(values, k, 0, &mut Vec::new(), &mut best);
        best
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn no_partition_is_better(values in prop::collection::vec(0u8..12, 1..9), k in 1usize..5) {
            let values: Vec<f64> = values.into_iter().map(f64::from).collect();
            prop_assume!(values.len() >= k);
            let groups = optimal(&values, k, &Silent).unwrap();
            prop_assert!(groups.iter().all(|group| (k..2 * k).contains(&group.len())), "{groups:?}");
            let found: f64 = groups.iter().map(|group| squares(&values, group)).sum();
            let best = brute_force(&values, k);
            prop_assert!((found - best).abs() < 1e-9, "{found} {best}");
        }
    }

    #[test]
    fn far_from_zero_nothing_is_lost() {
        let values: Vec<f64> = [0.0, 1.0, 2.0, 10.0, 11.0, 12.0].iter().map(|x| x * 1e-6 + 1e6).collect();
        let groups = optimal(&values, 2, &Silent).unwrap();
        assert_eq!(groups, [vec![0, 1, 2], vec![3, 4, 5]]);
    }

    #[test]
    fn few_equal_and_no_values() {
        assert_eq!(optimal(&[], 3, &Silent).unwrap(), Vec::<Vec<u32>>::new());
        assert_eq!(optimal(&[4.0], 1, &Silent).unwrap(), [vec![0]]);
        assert_eq!(optimal(&[4.0, 1.0, 2.0], 2, &Silent).unwrap(), [vec![1, 2, 0]]);
        assert_eq!(optimal(&[4.0; 5], 2, &Silent).unwrap(), [vec![0, 1, 2], vec![3, 4]]);
    }
}
