//! Rank swapping: each value of an ordinal column changes places with one that is near in rank (survey ME-34;
//! Greenberg 1987, Moore 1996).
//!
//! From the lowest rank upwards, each record that has no partner yet gets one at random, each with the same
//! probability, among those without partner at most p % of the records further up; the two exchange their values.
//!
//! # Guarantee
//! The values of a column are the same before and after, as often as before, so everything that depends on that column
//! alone is unchanged; nobody's value moves by more ranks than the window, ⌈p·n/100⌉ of the n values that are there; a
//! missing value stays where it is. No formal privacy: a record stays as it is when no partner is left in its window,
//! or when its partner has the same value, and [`RankSwapped::changed`] says how many do not.
//!
//! The print leaves two things open. Equal values: they are ranked in random order, each record its own rank, so that
//! the window counts records (ranks by "how many are larger" would forbid every swap in a column with few values). The
//! window is rounded up, so that it is never empty. How Moore chooses the window from correlations is not printed, so
//! the window is a parameter here.

use super::{SwapError, check_records, shuffle};
use crate::{Coins, Drawn, PerturbError};

/// A column after rank swapping.
#[derive(Debug, Clone, PartialEq)]
pub struct RankSwapped<T> {
    /// The column.
    pub values: Vec<T>,
    /// How many ranks a value could move at most.
    pub window: usize,
    /// Records that got a partner.
    pub paired: usize,
    /// Records whose value is another one now.
    pub changed: usize,
    /// By how many ranks a value moved, on average over all values that are not missing; those that stayed count as 0.
    pub mean_rank_distance: f64,
}

/// Swaps numbers within a window of `percent` % of the records. What is not a number (NaN) is missing and stays.
///
/// # Errors
/// When the percentage is not above 0 and at most 100, or the source of randomness fails.
pub fn rank_swap<C: Coins + ?Sized>(
    values: &[f64],
    percent: f64,
    coins: &mut C,
) -> Result<Drawn<RankSwapped<f64>>, SwapError> {
    let value = swapped(values, |value| value.is_nan(), percent, coins)?;
    Ok(Drawn { value, source: coins.source() })
}

/// Swaps codes, whose order is that of their values, within a window of `percent` % of the records. Codes below
/// `missing` stand for a missing value and stay.
///
/// # Errors
/// When the percentage is not above 0 and at most 100, or the source of randomness fails.
pub fn rank_swap_codes<C: Coins + ?Sized>(
    codes: &[u32],
    missing: u32,
    percent: f64,
    coins: &mut C,
) -> Result<Drawn<RankSwapped<u32>>, SwapError> {
    let value = swapped(codes, |code| code < missing, percent, coins)?;
    Ok(Drawn { value, source: coins.source() })
}

/// Swaps several columns, each for itself: partners in one column are no partners in the next.
///
/// # Errors
/// When columns have different lengths, the percentage is not above 0 and at most 100, or the source of randomness
/// fails.
pub fn rank_swap_columns<C: Coins + ?Sized>(
    columns: &[&[f64]],
    percent: f64,
    coins: &mut C,
) -> Result<Drawn<Vec<RankSwapped<f64>>>, SwapError> {
    let records = columns.first().map_or(0, |column| column.len());
    columns.iter().try_for_each(|column| check_records(column.len(), records))?;
    let each = columns.iter().map(|column| swapped(column, |value| value.is_nan(), percent, coins));
    let value = each.collect::<Result<_, _>>()?;
    Ok(Drawn { value, source: coins.source() })
}

fn swapped<T: Copy + PartialOrd, C: Coins + ?Sized>(
    values: &[T],
    is_missing: impl Fn(T) -> bool,
    percent: f64,
    coins: &mut C,
) -> Result<RankSwapped<T>, SwapError> {
    if !(percent > 0.0 && percent <= 100.0) {
        return Err(PerturbError::Parameter {
            name: "the window in percent",
            accepted: "above 0 and at most 100",
        }
        .into());
    }
    check_records(values.len(), values.len())?;
    let mut ranked: Vec<(T, usize)> =
        values.iter().copied().enumerate().map(|(i, v)| (v, i)).filter(|&(v, _)| !is_missing(v)).collect();
    // Random order first, stable order by value then: equal values stay in random order.
    shuffle(&mut ranked, coins)?;
    ranked.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(std::cmp::Ordering::Equal));
    let count = ranked.len();
    let window = (percent * count as f64 / 100.0).ceil() as usize;
    let mut free = Free::all(count);
    let mut out = values.to_vec();
    let (mut paired, mut changed, mut distance) = (0, 0, 0.0);
    for rank in 0..count {
        if !free.has(rank) {
            continue;
        }
        free.take(rank);
        let below = free.before(rank + 1);
        let candidates = free.before((rank + window + 1).min(count)) - below;
        if candidates == 0 {
            continue;
        }
        let partner = free.nth(below + coins.below(candidates as u64)? as usize);
        free.take(partner);
        let (Some(&(low, i)), Some(&(high, j))) = (ranked.get(rank), ranked.get(partner)) else { continue };
        if let Some(slot) = out.get_mut(i) {
            *slot = high;
        }
        if let Some(slot) = out.get_mut(j) {
            *slot = low;
        }
        paired += 2;
        changed += if low == high { 0 } else { 2 };
        distance += 2.0 * (partner - rank) as f64;
    }
    let mean_rank_distance = if count == 0 { 0.0 } else { distance / count as f64 };
    Ok(RankSwapped { values: out, window, paired, changed, mean_rank_distance })
}

/// Which ranks have no partner yet, so that the n-th of them is found without a walk through the window (Fenwick's
/// tree of counts).
struct Free {
    is: Vec<bool>,
    sums: Vec<usize>,
}

impl Free {
    fn all(count: usize) -> Self {
        let sums = (0..=count).map(|i| i & i.wrapping_neg()).collect();
        Self { is: vec![true; count], sums }
    }

    fn has(&self, rank: usize) -> bool {
        self.is.get(rank).is_some_and(|&is| is)
    }

    fn take(&mut self, rank: usize) {
        if let Some(is) = self.is.get_mut(rank) {
            *is = false;
        }
        let mut at = rank + 1;
        while let Some(sum) = self.sums.get_mut(at) {
            *sum -= 1;
            at += at & at.wrapping_neg();
        }
    }

    /// How many are free below a rank.
    fn before(&self, rank: usize) -> usize {
        let (mut at, mut sum) = (rank, 0);
        while at > 0 {
            sum += self.sums.get(at).copied().unwrap_or(0);
            at &= at - 1;
        }
        sum
    }

    /// The free rank with this many free ones below it.
    fn nth(&self, mut skip: usize) -> usize {
        let mut at = 0;
        let mut step = self.sums.len().next_power_of_two();
        while step > 0 {
            if let Some(&sum) = self.sums.get(at + step)
                && sum <= skip
            {
                skip -= sum;
                at += step;
            }
            step /= 2;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::assert_mean;
    use crate::{SeededCoins, Source};

    fn sorted(values: &[f64]) -> Vec<u64> {
        let mut bits: Vec<u64> = values.iter().map(|value| value.to_bits()).collect();
        bits.sort_unstable();
        bits
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// survey ME-34: the column keeps its values, missing ones stay, and nobody moves further than the window.
        #[test]
        fn keeps_the_distribution(
            values in prop::collection::vec(prop_oneof![4 => (-5i32..6).prop_map(f64::from), 1 => Just(f64::NAN)], 0..40),
            percent in 1u32..=100,
            seed in 0u64..1000,
        ) {
            let out = rank_swap(&values, f64::from(percent), &mut SeededCoins::new(seed)).unwrap().value;
            prop_assert_eq!(sorted(&values), sorted(&out.values));
            let present: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
            prop_assert_eq!(out.window, (present.len() * percent as usize).div_ceil(100));
            let mut changed = 0;
            for (&before, &after) in values.iter().zip(&out.values) {
                prop_assert_eq!(before.is_nan(), after.is_nan());
                changed += usize::from(!before.is_nan() && before != after);
                // However equal values are ordered, what lies strictly between was jumped over.
                let (low, high) = (before.min(after), before.max(after));
                let between = present.iter().filter(|&&v| low < v && v < high).count();
                prop_assert!(between < out.window.max(1));
            }
            prop_assert_eq!(out.changed, changed);
            prop_assert!(out.changed <= out.paired && out.paired % 2 == 0 && out.paired <= present.len());
            prop_assert!(out.mean_rank_distance <= out.window as f64);
        }

        /// The tree of counts against a walk.
        #[test]
        fn finds_the_nth_free(count in 1usize..40, taken in prop::collection::vec(0usize..40, 0..30)) {
            let mut free = Free::all(count);
            for &rank in taken.iter().filter(|&&rank| rank < count) {
                if free.has(rank) {
                    free.take(rank);
                }
            }
            let left: Vec<usize> = (0..count).filter(|&rank| free.has(rank)).collect();
            for (n, &rank) in left.iter().enumerate() {
                prop_assert_eq!(free.nth(n), rank);
                prop_assert_eq!(free.before(rank), n);
            }
            prop_assert_eq!(free.before(count), left.len());
        }
    }

    /// A window of one swaps neighbours: 1 with 2, 3 with 4, and the fifth stays.
    #[test]
    fn a_window_of_one() {
        let out = rank_swap(&[30.0, 10.0, 50.0, 20.0, 40.0], 20.0, &mut SeededCoins::new(1)).unwrap();
        assert_eq!(out.source, Source::Seeded);
        assert_eq!(out.value.values, [40.0, 20.0, 50.0, 10.0, 30.0]);
        assert_eq!((out.value.window, out.value.paired, out.value.changed), (1, 4, 4));
        assert_eq!(out.value.mean_rank_distance, 0.8);
    }

    /// The lowest of four in a window of all gets each of the three others equally often. False alarm: 1e-6 for all 3.
    #[test]
    fn partners_are_even() {
        let mut coins = SeededCoins::new(5);
        let (runs, mut counts) = (30_000, [0u32; 3]);
        for _ in 0..runs {
            let out = rank_swap(&[0.0, 1.0, 2.0, 3.0], 100.0, &mut coins).unwrap().value.values;
            counts[out[0] as usize - 1] += 1;
        }
        for count in counts {
            let deviation = (2.0 / 9.0 / f64::from(runs)).sqrt();
            assert_mean(f64::from(count) / f64::from(runs), 1.0 / 3.0, deviation, 3);
        }
    }

    #[test]
    fn codes_and_columns() {
        let codes = [0, 3, 1, 2, 0, 4];
        let out = rank_swap_codes(&codes, 1, 25.0, &mut SeededCoins::new(1)).unwrap().value;
        assert_eq!(out.values, [0, 4, 2, 1, 0, 3]);
        let a: Vec<f64> = (0..50).map(f64::from).collect();
        let both = rank_swap_columns(&[&a, &a], 30.0, &mut SeededCoins::new(1)).unwrap().value;
        assert_ne!(both[0].values, both[1].values, "each column for itself");
        assert_eq!(sorted(&both[1].values), sorted(&a));
    }

    /// Many records in reasonable time, with most of them moved.
    #[test]
    fn scales() {
        let values: Vec<f64> = (0..100_000u64).map(|i| (i * 7919 % 100_003) as f64).collect();
        let out = rank_swap(&values, 10.0, &mut SeededCoins::new(2)).unwrap().value;
        assert!(
            out.changed > 95_000 && out.mean_rank_distance < 10_000.0 && out.mean_rank_distance > 2_000.0
        );
        assert_eq!(sorted(&values), sorted(&out.values));
    }

    #[test]
    fn edges() {
        let mut coins = SeededCoins::new(1);
        for values in [vec![], vec![f64::NAN], vec![1.0], vec![f64::INFINITY, f64::NAN]] {
            let out = rank_swap(&values, 50.0, &mut coins).unwrap().value;
            assert_eq!((sorted(&out.values), out.changed), (sorted(&values), 0));
        }
        let constant = rank_swap(&[7.0; 9], 100.0, &mut coins).unwrap().value;
        assert_eq!((constant.paired, constant.changed), (8, 0));
        let infinite = rank_swap(&[f64::INFINITY, f64::NEG_INFINITY], 1.0, &mut coins).unwrap().value;
        assert_eq!(infinite.values, [f64::NEG_INFINITY, f64::INFINITY]);
        for percent in [0.0, -1.0, 100.1, f64::NAN] {
            assert!(rank_swap(&[1.0, 2.0], percent, &mut coins).is_err());
        }
        let error = rank_swap_columns(&[&[1.0], &[]], 10.0, &mut coins).unwrap_err();
        assert_eq!(error.to_string(), "there are 0 values of a column where 1 are needed");
        assert!(rank_swap_columns(&[], 10.0, &mut coins).unwrap().value.is_empty());
    }
}
