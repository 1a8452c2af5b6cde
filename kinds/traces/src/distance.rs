//! How far traces lie apart: synchronously, by edit distance on real sequences, by Hausdorff distance and dynamic time
//! warping.

use crate::point::{Point, Position};

/// The mean distance in metres of positions at the same times. Empty lists are at no distance.
pub fn synchronous(a: &[Position], b: &[Position]) -> f64 {
    let count = a.len().min(b.len());
    let sum: f64 = a.iter().zip(b).map(|(a, b)| a.distance(*b)).sum();
    if count == 0 { 0.0 } else { sum / count as f64 }
}

/// When two points of an edit distance are taken for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Tolerance {
    /// The most difference of each coordinate in centimetres.
    pub space: i64,
    /// The most difference of times in seconds. 0 is the synchronous form.
    pub time: i64,
}

impl Tolerance {
    /// Whether two points match.
    pub fn matches(&self, a: Point, b: Point) -> bool {
        (a.time - b.time).abs() <= self.time
            && (i64::from(a.at.x) - i64::from(b.at.x)).abs() <= self.space
            && (i64::from(a.at.y) - i64::from(b.at.y)).abs() <= self.space
    }
}

/// Edit distance on real sequences (Chen, Özsu and Oria 2005): the fewest points to insert, delete or replace so that all
/// points match. `None` where it is above `limit`. Takes O(limit · points) steps.
pub fn edit_distance(a: &[Point], b: &[Point], tolerance: Tolerance, limit: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let far = limit + 1;
    let mut above: Vec<usize> = (0..=b.len()).map(|j| j.min(far)).collect();
    let mut row = vec![far; b.len() + 1];
    for (i, &own) in a.iter().enumerate() {
        // Cells further than the limit off the diagonal need more edits than the limit.
        let (from, to) = ((i + 1).saturating_sub(limit), (i + 1 + limit).min(b.len()));
        row.fill(far);
        if from == 0 {
            row[0] = (i + 1).min(far);
        }
        let mut least = row[0];
        for j in from.max(1)..=to {
            let replaced = above[j - 1] + usize::from(!tolerance.matches(own, b[j - 1]));
            row[j] = replaced.min(above[j] + 1).min(row[j - 1] + 1).min(far);
            least = least.min(row[j]);
        }
        if least > limit {
            return None;
        }
        std::mem::swap(&mut above, &mut row);
    }
    Some(above[b.len()]).filter(|&distance| distance <= limit)
}

/// How a sequence becomes another: for each point of `b` the point of `a` that takes its place, if one does. Points of `a`
/// that take no place are deleted. A fewest-edits alignment; replaced points count as taking the place.
pub fn alignment(a: &[Point], b: &[Point], tolerance: Tolerance) -> Vec<Option<u32>> {
    let width = b.len() + 1;
    let mut table = vec![0u32; (a.len() + 1) * width];
    for (j, cell) in table.iter_mut().take(width).enumerate() {
        *cell = j as u32;
    }
    for (i, &own) in a.iter().enumerate() {
        table[(i + 1) * width] = i as u32 + 1;
        for j in 1..width {
            let replaced = table[i * width + j - 1] + u32::from(!tolerance.matches(own, b[j - 1]));
            let (deleted, inserted) = (table[i * width + j] + 1, table[(i + 1) * width + j - 1] + 1);
            table[(i + 1) * width + j] = replaced.min(deleted).min(inserted);
        }
    }
    let mut taken = vec![None; b.len()];
    let (mut i, mut j) = (a.len(), b.len());
    while i > 0 && j > 0 {
        let here = table[i * width + j];
        let replaced = table[(i - 1) * width + j - 1] + u32::from(!tolerance.matches(a[i - 1], b[j - 1]));
        if here == replaced {
            taken[j - 1] = Some(i as u32 - 1);
            (i, j) = (i - 1, j - 1);
        } else if here == table[(i - 1) * width + j] + 1 {
            i -= 1;
        } else {
            j -= 1;
        }
    }
    taken
}

/// The Hausdorff distance of two sets of positions in metres: how far the one is off the other at most. 0 where one is
/// empty. Takes time in proportion to the product of their sizes at worst.
pub fn hausdorff(a: &[Position], b: &[Position]) -> f64 {
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    let directed = |from: &[Position], to: &[Position]| {
        let mut largest = 0i64;
        for own in from {
            let mut nearest = i64::MAX;
            for other in to {
                nearest = nearest.min(own.squared_distance(*other));
                // It cannot be the farthest any more.
                if nearest <= largest {
                    break;
                }
            }
            largest = largest.max(nearest);
        }
        largest
    };
    (directed(a, b).max(directed(b, a)) as f64).sqrt() / crate::point::UNITS_PER_METRE
}

/// Dynamic time warping: the mean distance in metres along the best alignment that keeps the order, within a band around
/// the diagonal (a share of the longer list). 0 where a list is empty.
pub fn warped(a: &[Position], b: &[Position], band: f64) -> f64 {
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    let longest = a.len().max(b.len());
    let band = ((longest as f64 * band).ceil() as usize).max(a.len().abs_diff(b.len()) + 1);
    // Cost and number of steps of the best way to each cell.
    let none = (f64::INFINITY, 0u32);
    let mut above = vec![none; b.len() + 1];
    let mut row = vec![none; b.len() + 1];
    above[0] = (0.0, 0);
    for (i, own) in a.iter().enumerate() {
        row.fill(none);
        let middle = i * b.len() / a.len();
        for j in middle.saturating_sub(band).max(1)..=(middle + 1 + band).min(b.len()) {
            let best = [above[j - 1], above[j], row[j - 1]].into_iter().min_by(|x, y| x.0.total_cmp(&y.0));
            let (cost, steps) = best.unwrap_or(none);
            row[j] = (cost + own.distance(b[j - 1]), steps + 1);
        }
        std::mem::swap(&mut above, &mut row);
    }
    let (cost, steps) = above[b.len()];
    cost / f64::from(steps.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CLOSE: Tolerance = Tolerance { space: 10, time: 0 };

    fn points(list: &[(i64, i32)]) -> Vec<Point> {
        list.iter().map(|&(time, x)| Point::new(time, x, 0)).collect()
    }

    /// The definition, by all ways.
    fn by_recursion(a: &[Point], b: &[Point], tolerance: Tolerance) -> usize {
        let (Some((x, a1)), Some((y, b1))) = (a.split_first(), b.split_first()) else {
            return a.len().max(b.len());
        };
        let replaced = by_recursion(a1, b1, tolerance) + usize::from(!tolerance.matches(*x, *y));
        replaced.min(by_recursion(a1, b, tolerance) + 1).min(by_recursion(a, b1, tolerance) + 1)
    }

    #[test]
    fn times_that_differ_match_asynchronously_only() {
        let (a, b) = (points(&[(0, 0), (10, 100)]), points(&[(5, 0), (15, 100)]));
        assert_eq!(edit_distance(&a, &b, CLOSE, 9), Some(2));
        assert_eq!(edit_distance(&a, &b, Tolerance { time: 5, ..CLOSE }, 9), Some(0));
    }

    #[test]
    fn hausdorff_of_a_detour() {
        let line: Vec<Position> = (0..5).map(|x| Position { x: x * 100, y: 0 }).collect();
        let mut detour = line.clone();
        detour[2].y = 700;
        assert_eq!(hausdorff(&line, &detour), 7.0);
        assert_eq!(hausdorff(&line, &line), 0.0);
        assert_eq!(warped(&line, &line, 0.1), 0.0);
        assert!((warped(&line, &detour, 1.0) - 7.0 / 5.0).abs() < 2.0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn edit_distance_is_its_definition(
            a in prop::collection::vec((0i64..3, 0i32..40), 0..5), b in prop::collection::vec((0i64..3, 0i32..40), 0..5),
            limit in 0usize..6, time in 0i64..2,
        ) {
            let (a, b) = (points(&a), points(&b));
            let tolerance = Tolerance { space: 10, time };
            let exact = by_recursion(&a, &b, tolerance);
            prop_assert_eq!(edit_distance(&a, &b, tolerance, limit), (exact <= limit).then_some(exact));
            // The alignment has as many edits.
            let taken = alignment(&a, &b, tolerance);
            let kept: Vec<u32> = taken.iter().flatten().copied().collect();
            prop_assert!(kept.windows(2).all(|pair| pair[0] < pair[1]));
            let changed = taken.iter().zip(&b).filter(|(own, to)| match own {
                Some(own) => !tolerance.matches(a[*own as usize], **to),
                None => true,
            });
            prop_assert_eq!(changed.count() + a.len() - kept.len(), exact);
        }
    }
}
