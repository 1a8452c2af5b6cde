//! Spruill's risk of masked numbers: how many masked records are nearest to their own original (survey PM-02).
//!
//! risk = (released records / original records) · (share of released records whose nearest original, in Euclidean
//! distance, is the one that they come from).
//!
//! Whether an original is nearest needs no nearest neighbour: only whether any other lies strictly closer. A k-d tree
//! over the distinct originals answers that and stops at the first that does, so that also a release of much noise,
//! where nearest neighbours are far, is quick.
//!
//! # Guarantee
//! Exact, by comparison of the rounded squared distances, and equal to trying all pairs: the distance to a box is
//! rounded in the same way as that to a point in it, and so is never above it. Ties: when the own original is among t
//! that are equally near, whoever guesses is right with probability 1/t, and the record counts 1/t. Columns are taken
//! as they are: who wants each to weigh the same divides them by their deviations first.

use foldhash::{HashSet, HashSetExt};
use rayon::prelude::*;

/// What masked records risk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpruillRisk {
    /// Released records over original records.
    pub sampling_fraction: f64,
    /// The share of released records that are nearest to their own original, ties shared.
    pub linked: f64,
    /// The product of both.
    pub risk: f64,
}

/// Why records cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DistanceError {
    /// The numbers are not so many records of so many columns, or records are too many.
    #[error("there must be as many numbers as records times columns, and at most 4294967295 records")]
    Shape,
    /// A number is missing, infinite or so large that its square is.
    #[error("{side} record {record} has a value that is no number, or is beyond 1e150")]
    NotFinite {
        /// Which records.
        side: &'static str,
        /// The record, counted from 0.
        record: usize,
    },
    /// A released record comes from no original, or from one that another comes from.
    #[error("released record {record} must come from an original that no other comes from")]
    Origin {
        /// The record, counted from 0.
        record: usize,
    },
}

/// Spruill's risk. Both tables hold their numbers record by record; `origin` has for each released record the
/// original that it comes from. Without released records the risk is 0.
///
/// # Errors
/// When the numbers are not records of so many columns, one of them is not finite, or two released records come from
/// the same original.
pub fn spruill(
    original: &[f64],
    released: &[f64],
    columns: usize,
    origin: &[usize],
    originals: usize,
) -> Result<SpruillRisk, DistanceError> {
    let fits = |numbers: &[f64], records: usize| records.checked_mul(columns) == Some(numbers.len());
    if !fits(original, originals) || !fits(released, origin.len()) || originals > u32::MAX as usize {
        return Err(DistanceError::Shape);
    }
    for (side, numbers) in [("original", original), ("released", released)] {
        if let Some(place) = numbers.iter().position(|number| number.is_nan() || number.abs() > 1e150) {
            return Err(DistanceError::NotFinite { side, record: place / columns.max(1) });
        }
    }
    let mut seen: HashSet<usize> = HashSet::with_capacity(origin.len());
    if let Some(record) = origin.iter().position(|&own| own >= originals || !seen.insert(own)) {
        return Err(DistanceError::Origin { record });
    }
    if origin.is_empty() {
        return Ok(SpruillRisk { sampling_fraction: 0.0, linked: 0.0, risk: 0.0 });
    }
    let sampling_fraction = origin.len() as f64 / originals as f64;
    if columns == 0 {
        // Nothing tells records apart.
        let linked = 1.0 / originals as f64;
        return Ok(SpruillRisk { sampling_fraction, linked, risk: sampling_fraction * linked });
    }
    let tree = Tree::new(original, columns, originals);
    let share = |(record, &own): (usize, &usize)| {
        let masked = &released[record * columns..(record + 1) * columns];
        tree.share(masked, squared(masked, &original[own * columns..(own + 1) * columns]))
    };
    // Collected in the order of records, so that the sum does not depend on the number of threads.
    let shares: Vec<f64> = origin.par_iter().enumerate().map(share).collect();
    let linked = shares.iter().sum::<f64>() / origin.len() as f64;
    Ok(SpruillRisk { sampling_fraction, linked, risk: sampling_fraction * linked })
}

fn squared(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + (a - b) * (a - b))
}

const BUCKET: usize = 16;

/// A k-d tree over distinct points.
struct Tree {
    columns: usize,
    /// Points in the order of the tree, one after the other.
    points: Vec<f64>,
    /// Per point how many originals are there.
    weights: Vec<u64>,
    nodes: Vec<Node>,
    /// Per node and column the lowest, then per column the highest number.
    boxes: Vec<f64>,
}

struct Node {
    from: usize,
    to: usize,
    /// The first of two children, which follow each other; 0 for none.
    child: usize,
}

impl Tree {
    fn new(original: &[f64], columns: usize, records: usize) -> Self {
        let point = |record: u32| &original[record as usize * columns..(record as usize + 1) * columns];
        let order_of = |a: &u32, b: &u32| {
            let differ = point(*a).iter().zip(point(*b)).map(|(a, b)| a.total_cmp(b));
            differ.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
        };
        let mut order: Vec<u32> = (0..records as u32).collect();
        order.par_sort_unstable_by(order_of);
        let mut distinct: Vec<(u32, u64)> =
            order.chunk_by(|a, b| order_of(a, b).is_eq()).map(|same| (same[0], same.len() as u64)).collect();
        let mut tree = Self {
            columns,
            points: Vec::with_capacity(distinct.len() * columns),
            weights: Vec::with_capacity(distinct.len()),
            nodes: vec![Node { from: 0, to: distinct.len(), child: 0 }],
            boxes: Vec::new(),
        };
        let mut next = 0;
        while next < tree.nodes.len() {
            let Node { from, to, .. } = tree.nodes[next];
            let (mut widest, mut width) = (0, 0.0);
            let begin = tree.boxes.len();
            tree.boxes.resize(begin + 2 * columns, 0.0);
            for column in 0..columns {
                let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
                for &(record, _) in &distinct[from..to] {
                    let number = point(record)[column];
                    (least, most) = (least.min(number), most.max(number));
                }
                (tree.boxes[begin + column], tree.boxes[begin + columns + column]) = (least, most);
                if most - least > width {
                    (widest, width) = (column, most - least);
                }
            }
            if to - from > BUCKET && width > 0.0 {
                let half = (to - from) / 2;
                let by = |a: &(u32, u64), b: &(u32, u64)| point(a.0)[widest].total_cmp(&point(b.0)[widest]);
                distinct[from..to].select_nth_unstable_by(half, by);
                tree.nodes[next].child = tree.nodes.len();
                tree.nodes.push(Node { from, to: from + half, child: 0 });
                tree.nodes.push(Node { from: from + half, to, child: 0 });
            }
            next += 1;
        }
        for &(record, weight) in &distinct {
            tree.points.extend_from_slice(point(record));
            tree.weights.push(weight);
        }
        tree
    }

    /// The squared distance from a place to the box of a node.
    fn to_box(&self, node: usize, place: &[f64]) -> f64 {
        let begin = node * 2 * self.columns;
        let (least, most) = self.boxes[begin..begin + 2 * self.columns].split_at(self.columns);
        place.iter().zip(least).zip(most).fold(0.0, |sum, ((number, least), most)| {
            let away = (least - number).max(number - most).max(0.0);
            sum + away * away
        })
    }

    /// One over the number of points at this distance when none is closer, otherwise 0.
    fn share(&self, place: &[f64], own: f64) -> f64 {
        // Distances that differ by rounding alone are equal.
        let scale = place.iter().map(|number| number * number).sum::<f64>();
        let rounding = 1e-12 * own + 1e-15 * (scale * own).sqrt();
        let mut open = vec![0];
        let mut ties = 0u64;
        while let Some(number) = open.pop() {
            let node = &self.nodes[number];
            if node.child > 0 {
                let (mut near, mut far) = (
                    (self.to_box(node.child, place), node.child),
                    (self.to_box(node.child + 1, place), node.child + 1),
                );
                if far.0 < near.0 {
                    std::mem::swap(&mut near, &mut far);
                }
                // The nearer is looked at first: what is strictly closer is more likely there.
                open.extend(
                    [far, near]
                        .into_iter()
                        .filter(|&(away, _)| away <= own + rounding)
                        .map(|(_, child)| child),
                );
                continue;
            }
            for point in node.from..node.to {
                let away = squared(place, &self.points[point * self.columns..(point + 1) * self.columns]);
                if away < own - rounding {
                    return 0.0;
                }
                ties += if away <= own + rounding { self.weights[point] } else { 0 };
            }
        }
        1.0 / ties.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::normal;
    use privet_data::Random;
    use proptest::prelude::*;

    /// All pairs.
    fn brute(original: &[f64], released: &[f64], columns: usize, origin: &[usize], originals: usize) -> f64 {
        let at = |numbers: &[f64], i: usize| numbers[i * columns..(i + 1) * columns].to_vec();
        let mut sum = 0.0;
        for (record, &own) in origin.iter().enumerate() {
            let masked = at(released, record);
            let all: Vec<f64> = (0..originals).map(|i| squared(&masked, &at(original, i))).collect();
            let least = all.iter().copied().fold(f64::INFINITY, f64::min);
            if all[own] == least {
                sum += 1.0 / all.iter().filter(|&&away| away == least).count() as f64;
            }
        }
        sum / origin.len() as f64
    }

    #[test]
    fn an_identity_release_of_distinct_records_risks_everything() {
        // Survey PM-02.
        let numbers: Vec<f64> = (0..300).map(|i| f64::from(i * i % 1009)).collect();
        let origin: Vec<usize> = (0..100).collect();
        let found = spruill(&numbers, &numbers, 3, &origin, 100).unwrap();
        assert_eq!(found, SpruillRisk { sampling_fraction: 1.0, linked: 1.0, risk: 1.0 });
        // A tenth of them.
        let few = spruill(&numbers, &numbers[..30], 3, &origin[..10], 100).unwrap();
        assert_eq!((few.linked, few.risk), (1.0, 0.1));
    }

    #[test]
    fn equal_originals_share() {
        let found = spruill(&[5.0, 5.0, 9.0], &[5.1, 5.2, 9.0], 1, &[0, 1, 2], 3).unwrap();
        assert_eq!(found.linked, (0.5 + 0.5 + 1.0) / 3.0);
        // Half-way between two.
        assert_eq!(spruill(&[0.0, 2.0], &[1.0], 1, &[1], 2).unwrap().linked, 0.5);
        // Without columns all are alike.
        assert_eq!(spruill(&[], &[], 0, &[0, 1], 4).unwrap().risk, 0.5 * 0.25);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let not_finite = |side, record| Err(DistanceError::NotFinite { side, record });
        assert_eq!(spruill(&[1.0], &[1.0], 2, &[0], 1), Err(DistanceError::Shape));
        assert_eq!(spruill(&[], &[], 0, &[0], usize::MAX), Err(DistanceError::Shape));
        assert_eq!(spruill(&[1.0, f64::NAN], &[1.0], 1, &[0], 2), not_finite("original", 1));
        assert_eq!(spruill(&[1.0], &[f64::INFINITY], 1, &[0], 1), not_finite("released", 0));
        assert_eq!(spruill(&[1.0], &[1.0], 1, &[1], 1), Err(DistanceError::Origin { record: 0 }));
        assert_eq!(
            spruill(&[1.0, 2.0], &[1.0, 1.0], 1, &[1, 1], 2),
            Err(DistanceError::Origin { record: 1 })
        );
        assert_eq!(spruill(&[], &[], 3, &[], 0).unwrap().risk, 0.0);
        assert_eq!(spruill(&[1.0], &[], 1, &[], 1).unwrap().risk, 0.0);
    }

    /// Thirty thousand records take a moment even without optimization.
    #[test]
    fn many_records_and_much_noise() {
        let mut random = Random::stream(5, 0);
        let (records, columns) = (30_000, 5);
        let original: Vec<f64> = (0..records * columns).map(|_| normal(&mut random)).collect();
        let origin: Vec<usize> = (0..records).collect();
        let mut last = 1.1;
        for noise in [0.01, 0.2, 3.0] {
            let masked: Vec<f64> =
                original.iter().map(|number| number + noise * normal(&mut random)).collect();
            let found = spruill(&original, &masked, columns, &origin, records).unwrap();
            assert!(found.risk < last, "{noise}: {found:?}");
            last = found.risk;
        }
        assert!(last < 0.01, "{last}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn is_what_all_pairs_give(numbers in prop::collection::vec((0i32..6, -3i32..4), 3..240)) {
            let columns = 3;
            let records = numbers.len() / columns;
            let numbers = &numbers[..records * columns];
            let original: Vec<f64> = numbers.iter().map(|&(number, _)| f64::from(number)).collect();
            let mask = |&(number, noise): &(i32, i32)| f64::from(number) + f64::from(noise) * 0.25;
            let masked: Vec<f64> = numbers.iter().map(mask).collect();
            let origin: Vec<usize> = (0..records).collect();
            let found = spruill(&original, &masked, columns, &origin, records).unwrap();
            prop_assert!((found.linked - brute(&original, &masked, columns, &origin, records)).abs() < 1e-12);
        }
    }
}
