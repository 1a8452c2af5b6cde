//! Swapping with the nearest record: records are paired so that the distances within pairs are least in total, and
//! values change places within pairs (survey ME-35; Takemura 1999).
//!
//! The distance of two records is the weighted sum over the compared columns of |x − y| divided by the range of the
//! column for numbers, and of 0 or 1, equal or not, for codes. The pairing is mutual, so it is a perfect matching of
//! least distance, found by Edmonds' blossoms. With an odd number of records the one stays alone whose staying leaves
//! the least distance.
//!
//! # Guarantee
//! [`Matching::Exact`] (up to 512 records): no pairing has a smaller total distance, but for rounding each distance to
//! 2⁻⁴⁰ of the largest possible one. [`Matching::WithinGroups`]: the table is halved along the column that varies most
//! until groups have at most 64 records, and the pairing is exact within each group; then pairs are grouped along other
//! borders and paired again, a few times (`regroup.rs`). The total distance is a few percent above the least one. Both give the same pairs for any number of threads, and without randomness.
//! Swapped columns keep their values, each as often as before, and what depends on compared columns is nearly kept, as
//! the partners are near each other. No formal privacy: who finds a pair knows that a value is one of two, and records
//! that agree exchange nothing ([`PairSwapped::changed`] tells). Swap some of the columns, not all: records that
//! exchange all their values only change places.

mod regroup;

use rayon::prelude::*;

use super::matching::{MOST_COST, least_cost_matching};
use super::{SwapError, check_records};
use crate::error::{check_numbers, check_probability};
use crate::{Coins, Drawn, PerturbError};

/// The most records that are paired exactly as a whole.
const MOST_EXACT: usize = 512;
/// The most records of a group otherwise; even, so that at most one record stays alone.
const GROUP: usize = 64;

/// The values of a column that is compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Values<'a> {
    /// Numbers: near when their difference is small against the range of the column.
    Numbers(&'a [f64]),
    /// Codes: equal or not.
    Codes(&'a [u32]),
}

/// A column that is compared, and how much it counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Compared<'a> {
    /// Its values.
    pub values: Values<'a>,
    /// How much it counts, against the weights of the others.
    pub weight: f64,
}

/// How good a pairing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matching {
    /// No pairing has a smaller total distance.
    Exact,
    /// Least within each of so many groups of neighbours, bettered along other borders.
    WithinGroups {
        /// How many groups.
        groups: usize,
    },
}

/// Records in pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct Pairs {
    records: usize,
    pairs: Vec<(u32, u32)>,
    single: Option<u32>,
    /// The sum of the distances within pairs.
    pub distance: f64,
    /// How good the pairing is.
    pub matching: Matching,
}

impl Pairs {
    /// The pairs; the lower number first, in ascending order.
    pub fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }

    /// The record that stays alone when their number is odd.
    pub fn single(&self) -> Option<u32> {
        self.single
    }
}

/// A column after swapping within pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct PairSwapped<T> {
    /// The column.
    pub values: Vec<T>,
    /// Records whose value is another one now.
    pub changed: usize,
}

/// Pairs records so that the distances within pairs are least in total.
///
/// # Errors
/// When no column is compared, columns have different lengths, a value is no number to compute with, or a weight is
/// negative, no number to compute with, or all are 0.
pub fn nearest_pairs(columns: &[Compared<'_>]) -> Result<Pairs, SwapError> {
    let space = Space::new(columns)?;
    let mut all: Vec<u32> = (0..space.records as u32).collect();
    let (paired, matching) = if all.len() <= MOST_EXACT {
        (vec![space.matched(&all)], Matching::Exact)
    } else {
        let mut groups = Vec::new();
        space.halve(&mut all, &mut groups);
        let matching = Matching::WithinGroups { groups: groups.len() };
        (groups.par_iter().map(|group| space.matched(group)).collect(), matching)
    };
    let mut pairs: Vec<(u32, u32)> = paired.iter().flat_map(|(pairs, _)| pairs.iter().copied()).collect();
    if matching != Matching::Exact {
        pairs = regroup::regrouped(&space, pairs);
    }
    pairs.sort_unstable();
    let single = paired.iter().find_map(|(_, single)| *single);
    let distance = pairs.iter().map(|&(a, b)| space.distance(a, b)).sum();
    Ok(Pairs { records: space.records, pairs, single, distance, matching })
}

/// Exchanges the values of a column within each pair, with this probability.
///
/// # Errors
/// When the column has not one value per record, the probability is not from 0 to 1, or the source of randomness fails.
pub fn swap_pairs<T: Copy + PartialEq, C: Coins + ?Sized>(
    pairs: &Pairs,
    values: &[T],
    probability: f64,
    coins: &mut C,
) -> Result<Drawn<PairSwapped<T>>, SwapError> {
    check_probability("the probability of a swap", probability)?;
    check_records(values.len(), pairs.records)?;
    let mut out = values.to_vec();
    let mut changed = 0;
    for &(a, b) in &pairs.pairs {
        if coins.chance(probability)? {
            let (a, b) = (a as usize, b as usize);
            changed += if values.get(a) == values.get(b) { 0 } else { 2 };
            out.swap(a, b); // why: pairs are of records, and there is one value per record
        }
    }
    Ok(Drawn { value: PairSwapped { values: out, changed }, source: coins.source() })
}

/// Instead of exchanging values, publishes for each record the two values of its pair, the smaller first: both records
/// of a pair say the same (local generalization). The record that is alone has its own value twice.
///
/// # Errors
/// When the column has not one value per record.
pub fn generalize_pairs<T: Copy + PartialOrd>(pairs: &Pairs, values: &[T]) -> Result<Vec<(T, T)>, SwapError> {
    check_records(values.len(), pairs.records)?;
    let mut out: Vec<(T, T)> = values.iter().map(|&value| (value, value)).collect();
    for &(a, b) in &pairs.pairs {
        let (a, b) = (a as usize, b as usize);
        let (one, other) = (values[a], values[b]); // why: pairs are of records, and there is one value per record
        let both = if other < one { (other, one) } else { (one, other) };
        out[a] = both; // why: as above
        out[b] = both; // why: as above
    }
    Ok(out)
}

/// Where records lie.
struct Space<'a> {
    records: usize,
    /// Columns with the factor by which a difference counts.
    columns: Vec<(Values<'a>, f64)>,
    /// The largest distance there can be.
    most: f64,
}

impl<'a> Space<'a> {
    fn new(compared: &[Compared<'a>]) -> Result<Self, SwapError> {
        let length = |values: Values<'_>| match values {
            Values::Numbers(values) => values.len(),
            Values::Codes(codes) => codes.len(),
        };
        let Some(first) = compared.first() else {
            return Err(PerturbError::Empty { what: "column to compare" }.into());
        };
        let records = length(first.values);
        let mut columns = Vec::with_capacity(compared.len());
        let mut most = 0.0;
        for column in compared {
            check_records(length(column.values), records)?;
            if !(0.0..=1e6).contains(&column.weight) {
                let accepted = "numbers from 0 to 1e6";
                return Err(PerturbError::Parameter { name: "weights of columns", accepted }.into());
            }
            let factor = match column.values {
                Values::Numbers(values) => {
                    check_numbers(values, 1)?;
                    let range = spread(values.iter().copied());
                    // A column that does not vary tells no records apart.
                    if range > 0.0 { column.weight / range } else { 0.0 }
                }
                Values::Codes(_) => column.weight,
            };
            most += column.weight;
            columns.push((column.values, if factor.is_finite() { factor } else { 0.0 }));
        }
        if most == 0.0 {
            let accepted = "above 0 for at least one column";
            return Err(PerturbError::Parameter { name: "weights of columns", accepted }.into());
        }
        Ok(Self { records, columns, most })
    }

    fn distance(&self, a: u32, b: u32) -> f64 {
        let (a, b) = (a as usize, b as usize);
        self.columns
            .iter()
            .map(|(values, factor)| match values {
                Values::Numbers(values) => factor * (values[a] - values[b]).abs(), // why: records of the table
                Values::Codes(codes) => factor * f64::from(codes[a] != codes[b]),  // why: as above
            })
            .sum()
    }

    /// The pairs of least distance, and who stays alone.
    fn matched(&self, group: &[u32]) -> (Vec<(u32, u32)>, Option<u32>) {
        // With an odd number somebody is paired with nobody, who is equally far from all.
        let nodes = group.len().next_multiple_of(2);
        let mut cost = vec![0i64; nodes * nodes];
        let scale = MOST_COST as f64 / self.most;
        for (i, &a) in group.iter().enumerate() {
            for (j, &b) in group.iter().enumerate().skip(i + 1) {
                let rounded = (self.distance(a, b) * scale).round() as i64;
                cost[i * nodes + j] = rounded; // why: both below the number of nodes
                cost[j * nodes + i] = rounded; // why: as above
            }
        }
        let partner = least_cost_matching(nodes, &cost);
        let mut single = None;
        let mut pairs = Vec::with_capacity(nodes / 2);
        for (i, (&a, &partner)) in group.iter().zip(&partner).enumerate() {
            match group.get(partner) {
                Some(&b) if i < partner => pairs.push((a.min(b), a.max(b))),
                Some(_) => {}
                None => single = Some(a),
            }
        }
        (pairs, single)
    }

    /// Splits records into groups, each half along the column in which it varies most; all but one group are even.
    fn halve(&self, records: &mut [u32], groups: &mut Vec<Vec<u32>>) {
        if records.len() <= GROUP {
            groups.push(records.to_vec());
            return;
        }
        let mut widest = (0.0, None);
        for (values, factor) in &self.columns {
            let varies = match values {
                Values::Numbers(values) => factor * spread(records.iter().map(|&r| values[r as usize])), // why: records of the table
                Values::Codes(codes) => {
                    let first = records.first().map(|&r| codes[r as usize]); // why: as above
                    factor * f64::from(records.iter().any(|&r| Some(codes[r as usize]) != first)) // why: as above
                }
            };
            if varies > widest.0 {
                widest = (varies, Some(values));
            }
        }
        // Stable: equal values stay in the order that earlier columns gave them.
        match widest.1 {
            Some(Values::Numbers(values)) => {
                records.sort_by(|&a, &b| values[a as usize].total_cmp(&values[b as usize])); // why: as above
            }
            Some(Values::Codes(codes)) => records.sort_by_key(|&r| codes[r as usize]), // why: as above
            None => {}
        }
        let middle = (records.len() / 2).next_multiple_of(2);
        let (low, high) = records.split_at_mut(middle); // why: at most two above half of more than 64
        self.halve(low, groups);
        self.halve(high, groups);
    }
}

fn spread(values: impl Iterator<Item = f64>) -> f64 {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    if high > low { high - low } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{assert_mean, assert_near};
    use crate::{SeededCoins, Source};

    fn numbers(values: &[f64]) -> Compared<'_> {
        Compared { values: Values::Numbers(values), weight: 1.0 }
    }

    /// The least total distance over all pairings, trying everybody for the first; one may stay alone.
    fn least(left: &[usize], distance: &dyn Fn(usize, usize) -> f64) -> f64 {
        let Some((&first, rest)) = left.split_first() else { return 0.0 };
        let mut best = if left.len() % 2 == 1 { least(rest, distance) } else { f64::INFINITY };
        for (i, &other) in rest.iter().enumerate() {
            let others: Vec<usize> =
                rest.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, &r)| r).collect();
            best = best.min(distance(first, other) + least(&others, distance));
        }
        best
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(120))]

        /// Against all pairings of up to 9 records.
        #[test]
        fn pairs_are_nearest(
            rows in prop::collection::vec((0u32..20, 0u32..3, -5.0f64..5.0), 0..10),
            weight in 0.0f64..3.0,
        ) {
            let a: Vec<f64> = rows.iter().map(|r| f64::from(r.0)).collect();
            let b: Vec<u32> = rows.iter().map(|r| r.1).collect();
            let c: Vec<f64> = rows.iter().map(|r| r.2).collect();
            let compared = [
                numbers(&a),
                Compared { values: Values::Codes(&b), weight },
                Compared { values: Values::Numbers(&c), weight: 0.5 },
            ];
            let pairs = nearest_pairs(&compared).unwrap();
            let range = |v: &[f64]| spread(v.iter().copied()).max(1e-300);
            let (ra, rc) = (range(&a), range(&c));
            let distance = |i: usize, j: usize| {
                (a[i] - a[j]).abs() / ra + weight * f64::from(b[i] != b[j]) + 0.5 * (c[i] - c[j]).abs() / rc
            };
            let all: Vec<usize> = (0..rows.len()).collect();
            prop_assert!((pairs.distance - least(&all, &distance)).abs() < 1e-9);
            prop_assert_eq!(pairs.matching, Matching::Exact);
            let mut seen: Vec<u32> = pairs.pairs().iter().flat_map(|p| [p.0, p.1]).chain(pairs.single()).collect();
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..rows.len() as u32).collect::<Vec<_>>());
            prop_assert_eq!(pairs.single().is_some(), rows.len() % 2 == 1);
        }
    }

    #[test]
    fn swaps_within_pairs() {
        let at = [1.0, 50.0, 2.0, 52.0, 99.0];
        let pairs = nearest_pairs(&[numbers(&at)]).unwrap();
        assert_eq!((pairs.pairs(), pairs.single()), (&[(0, 2), (1, 3)][..], Some(4)));
        assert_near(pairs.distance, 3.0 / 98.0, 1e-12);
        let out = swap_pairs(&pairs, &[7u32, 8, 9, 8, 1], 1.0, &mut SeededCoins::new(1)).unwrap();
        assert_eq!(out.source, Source::Seeded);
        assert_eq!((out.value.values, out.value.changed), (vec![9, 8, 7, 8, 1], 2));
        let both = generalize_pairs(&pairs, &[7u32, 8, 9, 8, 1]).unwrap();
        assert_eq!(both, [(7, 9), (8, 8), (7, 9), (8, 8), (1, 1)]);
        let none = swap_pairs(&pairs, &at, 0.0, &mut SeededCoins::new(1)).unwrap().value;
        assert_eq!((none.values, none.changed), (at.to_vec(), 0));
    }

    /// A probability of a half swaps half of the pairs. False alarm: 1e-6.
    #[test]
    fn swaps_with_its_probability() {
        let at: Vec<f64> = (0..20_000).map(f64::from).collect();
        let pairs = nearest_pairs(&[numbers(&at)]).unwrap();
        let out = swap_pairs(&pairs, &at, 0.5, &mut SeededCoins::new(3)).unwrap().value;
        assert_mean(out.changed as f64 / 20_000.0, 0.5, (0.25f64 / 10_000.0).sqrt(), 1);
    }

    /// Beyond what is paired as a whole: on a line, halving along it loses nothing when groups are even.
    #[test]
    fn groups_of_many_records() {
        let count = 20_001u32;
        let at: Vec<f64> = (0..count).map(|i| f64::from(i * 7 % count)).collect();
        let kind: Vec<u32> = at.iter().map(|&x| (x / 2.0) as u32 % 2).collect();
        let compared = [numbers(&at), Compared { values: Values::Codes(&kind), weight: 0.0 }];
        let pairs = nearest_pairs(&compared).unwrap();
        assert!(matches!(pairs.matching, Matching::WithinGroups { groups } if groups > 300));
        assert_eq!((pairs.pairs().len(), pairs.single().is_some()), (10_000, true));
        assert_near(pairs.distance, 10_000.0 / 20_000.0, 1e-9);
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(one.install(|| nearest_pairs(&compared)).unwrap(), pairs);
    }

    #[test]
    fn edges() {
        assert!(nearest_pairs(&[]).is_err());
        assert!(nearest_pairs(&[numbers(&[1.0, f64::NAN])]).is_err());
        assert!(nearest_pairs(&[numbers(&[1.0]), numbers(&[])]).is_err());
        for weight in [-1.0, f64::NAN, 1e7, 0.0] {
            assert!(nearest_pairs(&[Compared { values: Values::Codes(&[1, 2]), weight }]).is_err());
        }
        let none = nearest_pairs(&[numbers(&[])]).unwrap();
        assert!(none.pairs().is_empty() && none.single().is_none());
        assert_eq!(nearest_pairs(&[numbers(&[3.0])]).unwrap().single(), Some(0));
        // Records that do not differ, many of them; and a range as small as numbers can be.
        let same = nearest_pairs(&[numbers(&[5.0; 1001])]).unwrap();
        assert_eq!((same.pairs().len(), same.distance), (500, 0.0));
        assert!(nearest_pairs(&[numbers(&[0.0, 5e-324, 0.0])]).is_ok());
        assert!(nearest_pairs(&[numbers(&[-1e100, 1e100, 0.0])]).unwrap().distance.is_finite());
        let mut coins = SeededCoins::new(1);
        assert!(swap_pairs(&same, &[1.0], 0.5, &mut coins).is_err());
        assert!(swap_pairs(&none, &[0u32; 0], 1.5, &mut coins).is_err());
        assert!(generalize_pairs(&same, &[1.0]).is_err());
    }
}
