//! All worlds of some buckets, one by one: the product over buckets of the distinct orders of their values (survey
//! section 0).
//!
//! What it guarantees: every world exactly once, in a fixed order; counts are exact where they fit 128 bits. This is
//! the reference against which everything faster is tested; it is for small tables, and says so by its limit.

use super::{Bucket, WorldsError};

/// How many worlds the buckets have: exactly, or `None` when that, or a step towards it, does not fit 128 bits; and its
/// natural logarithm.
pub fn count_worlds(buckets: &[Bucket]) -> (Option<u128>, f64) {
    let (mut exact, mut logarithm) = (Some(1u128), 0.0);
    for bucket in buckets {
        // A multinomial coefficient as a product of binomial ones, each built up without ever dividing badly.
        let mut placed = 0u128;
        for (_, count) in bucket.counts() {
            let mut ways = Some(1u128);
            for i in 1..=u128::from(count) {
                let total = placed + i;
                ways = ways.and_then(|ways| ways.checked_mul(total)).map(|ways| ways / i);
                logarithm += (total as f64 / i as f64).ln();
            }
            placed += u128::from(count);
            exact = exact.zip(ways).and_then(|(exact, ways)| exact.checked_mul(ways));
        }
    }
    (exact, logarithm)
}

/// The worlds of buckets, in the lexicographic order of their values.
///
/// ```
/// use privet_attack::worlds::{Bucket, Worlds};
/// let bucket = Bucket { people: vec![0, 1, 2], values: vec![7, 7, 3] };
/// let mut worlds = Worlds::new(&[bucket], 10)?;
/// let mut all = Vec::new();
/// while let Some(world) = worlds.advance() {
///     all.push(world.to_vec());
/// }
/// assert_eq!(all, [[3, 7, 7], [7, 3, 7], [7, 7, 3]]);
/// # Ok::<(), privet_attack::worlds::WorldsError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Worlds {
    /// The current world: the values of the people of the first bucket, then of the second, and so on.
    values: Vec<u32>,
    /// Where each bucket ends.
    ends: Vec<usize>,
    begun: bool,
}

impl Worlds {
    /// The worlds of these buckets.
    ///
    /// # Errors
    /// When there are more than `limit`.
    pub fn new(buckets: &[Bucket], limit: u64) -> Result<Self, WorldsError> {
        if count_worlds(buckets).0.is_none_or(|count| count > u128::from(limit)) {
            return Err(WorldsError::TooMany { limit });
        }
        let mut worlds = Self { values: Vec::new(), ends: Vec::new(), begun: false };
        for bucket in buckets {
            let begin = worlds.values.len();
            worlds.values.extend(&bucket.values);
            worlds.values[begin..].sort_unstable();
            worlds.ends.push(worlds.values.len());
        }
        Ok(worlds)
    }

    /// The next world: everybody's value, in the order of the buckets and of the people in them.
    pub fn advance(&mut self) -> Option<&[u32]> {
        if self.begun {
            let mut end = self.ends.len();
            loop {
                // Like the digits of a number: the last bucket that has a further order takes it.
                end = end.checked_sub(1)?;
                let begin = if end == 0 { 0 } else { self.ends[end - 1] };
                if next_order(&mut self.values[begin..self.ends[end]]) {
                    break;
                }
            }
        }
        self.begun = true;
        Some(&self.values)
    }
}

/// Puts the items into the lexicographically next order; after the last one into the first, and says false.
pub(crate) fn next_order(items: &mut [u32]) -> bool {
    let Some(pivot) = items.windows(2).rposition(|pair| pair[0] < pair[1]) else {
        items.reverse();
        return false;
    };
    // A larger one follows the pivot, or it would not be one.
    let larger = items.iter().rposition(|&item| item > items[pivot]).unwrap_or(pivot);
    items.swap(pivot, larger);
    items[pivot + 1..].reverse();
    true
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::super::fixtures::*;
    use super::*;

    fn all(buckets: &[Bucket]) -> Vec<Vec<u32>> {
        let mut worlds = Worlds::new(buckets, 1 << 20).unwrap();
        let mut all = Vec::new();
        while let Some(world) = worlds.advance() {
            all.push(world.to_vec());
        }
        all
    }

    /// survey FX-1.2: the second class has 12 worlds; the table has 6 · 12 · 1.
    #[test]
    fn survey_fx12_counts() {
        let table = table_1_2();
        assert_eq!(count_worlds(&table.list()[1..2]).0, Some(12));
        let (exact, logarithm) = count_worlds(table.list());
        assert!(exact == Some(72) && (logarithm - 72f64.ln()).abs() < 1e-12);
        assert_eq!(all(table.list()).len(), 72);
        assert_eq!(Worlds::new(table.list(), 71).unwrap_err(), WorldsError::TooMany { limit: 71 });
    }

    #[test]
    fn nothing_has_one_world() {
        assert_eq!(all(&[]), [Vec::<u32>::new()]);
        assert_eq!(all(&[Bucket::default(), Bucket::default()]), [Vec::<u32>::new()]);
        assert_eq!(count_worlds(&[]), (Some(1), 0.0));
    }

    #[test]
    fn large_counts_are_logarithms() {
        let people: Vec<u32> = (0..60).collect();
        let (exact, logarithm) = count_worlds(&[Bucket { people: people.clone(), values: people }]);
        let expected: f64 = (1..=60).map(|i| f64::from(i).ln()).sum();
        assert!(exact.is_none() && (logarithm - expected).abs() < 1e-9);
        let thirty: Vec<u32> = (0..30).collect();
        let factorial = (1..=30u128).product::<u128>();
        assert_eq!(count_worlds(&[Bucket { people: thirty.clone(), values: thirty }]).0, Some(factorial));
    }

    proptest! {
        /// Every world once: as many as counted, all different, each an order of the bucket's values.
        #[test]
        fn each_world_once(values in prop::collection::vec(prop::collection::vec(0u32..3, 0..5), 0..3)) {
            let table = buckets(&values.iter().map(Vec::as_slice).collect::<Vec<_>>());
            let all = all(table.list());
            prop_assert_eq!(Some(all.len() as u128), count_worlds(table.list()).0);
            prop_assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
            for world in &all {
                let mut begin = 0;
                for bucket in table.list() {
                    let mut own = world[begin..begin + bucket.values.len()].to_vec();
                    let mut given = bucket.values.clone();
                    own.sort_unstable();
                    given.sort_unstable();
                    prop_assert_eq!(own, given);
                    begin += bucket.values.len();
                }
            }
        }
    }
}
