//! Greedy clusters with a limit on the trash (Never Walk Alone, step 2; the same in Wait-for-Me).
//!
//! A pivot far from all earlier pivots takes its k − 1 nearest neighbours that are free, if these lie within the radius;
//! what is left joins the nearest pivot within the radius or becomes trash. While there is more trash than allowed, the
//! radius grows and all begins anew.
//!
//! Departure from the source: pivots are chosen by the lower bounds of distances, and neighbours are looked for in their
//! order, so most distances are never computed. Clusters are those of exact distances for the pivots chosen. Growth:
//! n²/k lower bounds, which are quick, and about n·k full distances times the number of radii tried.

use privet_data::Progress;
use rayon::prelude::*;

use crate::TraceError;

/// Distances between items that are numbered from 0.
pub trait Metric: Sync {
    /// The number of items.
    fn len(&self) -> usize;
    /// Whether there are no items.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// What the distance is at least. Quick.
    fn at_least(&self, a: u32, b: u32) -> f64;
    /// The distance; `None` where it is above the limit.
    fn distance(&self, a: u32, b: u32, limit: f64) -> Option<f64>;
}

/// What clusters must be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClusterOptions {
    /// The least size.
    pub k: usize,
    /// The radius to begin with.
    pub radius: f64,
    /// The radius beyond which nothing is tried.
    pub largest_radius: f64,
    /// By how much it grows.
    pub growth: f64,
    /// How many items may be left over.
    pub trash: usize,
}

/// Clusters of items.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Clusters {
    /// Each with its pivot first.
    pub clusters: Vec<Vec<u32>>,
    /// What is in none.
    pub trash: Vec<u32>,
    /// The radius that was enough.
    pub radius: f64,
}

/// Makes clusters of at least k items within a radius of their pivots.
///
/// # Errors
/// When more would be left over than allowed at the largest radius.
pub fn greedy(
    metric: &dyn Metric,
    options: &ClusterOptions,
    progress: &dyn Progress,
) -> Result<Clusters, TraceError> {
    let count = metric.len();
    if options.k == 0 || options.growth <= 1.0 || options.radius.is_nan() || options.radius <= 0.0 {
        return Err(TraceError::parameter("k", "1 or more, with a radius above 0 that grows"));
    }
    let refused = |trash: usize| TraceError::TooMuchSuppression {
        suppressed: trash as u64,
        all: count as u64,
        allowed: options.trash as u64,
        what: "traces",
    };
    if count < options.k {
        let trash: Vec<u32> = (0..count as u32).collect();
        return match count <= options.trash {
            true => Ok(Clusters { trash, ..Default::default() }),
            false => Err(refused(count)),
        };
    }
    let mut radius = options.radius.min(options.largest_radius);
    loop {
        let clusters = with_radius(metric, options.k, radius, progress)?;
        if clusters.trash.len() <= options.trash {
            return Ok(clusters);
        }
        if radius >= options.largest_radius {
            return Err(refused(clusters.trash.len()));
        }
        radius = (radius * options.growth).min(options.largest_radius);
    }
}

fn with_radius(
    metric: &dyn Metric,
    k: usize,
    radius: f64,
    progress: &dyn Progress,
) -> Result<Clusters, TraceError> {
    let count = metric.len();
    let mut free = vec![true; count];
    // Free items that were no pivot yet, with the distance to the nearest pivot.
    let mut active = vec![true; count];
    let mut from_pivots = vec![f64::INFINITY; count];
    let mut left = count;
    let mut clusters: Vec<Vec<u32>> = Vec::new();
    let mut pivot = Some(0u32);
    while let Some(own) = pivot.filter(|_| left >= k) {
        progress.check()?;
        active[own as usize] = false;
        let bounds: Vec<f64> = (0..count as u32)
            .into_par_iter()
            .with_min_len(512)
            .map(|other| metric.at_least(own, other))
            .collect();
        if let Some(mut members) = nearest(metric, own, k - 1, radius, &bounds, &free) {
            members.insert(0, own);
            for &member in &members {
                free[member as usize] = false;
                active[member as usize] = false;
            }
            left -= members.len();
            clusters.push(members);
        }
        let mut farthest: Option<(f64, u32)> = None;
        for (other, (&bound, nearest)) in (0u32..).zip(bounds.iter().zip(&mut from_pivots)) {
            *nearest = nearest.min(bound);
            if active[other as usize] && farthest.is_none_or(|best| *nearest > best.0) {
                farthest = Some((*nearest, other));
            }
        }
        pivot = farthest.map(|best| best.1);
    }
    let rest: Vec<u32> = (0..count as u32).filter(|&item| free[item as usize]).collect();
    let pivots: Vec<u32> = clusters.iter().map(|own| own[0]).collect();
    progress.check()?;
    let joined: Vec<Option<u32>> =
        rest.par_iter().map(|&item| nearest_pivot(metric, item, &pivots, radius)).collect();
    let mut trash = Vec::new();
    for (item, cluster) in rest.into_iter().zip(joined) {
        match cluster {
            Some(cluster) => clusters[cluster as usize].push(item),
            None => trash.push(item),
        }
    }
    Ok(Clusters { clusters, trash, radius })
}

/// The nearest free items within a radius, as many as wanted; `None` when there are not so many.
fn nearest(
    metric: &dyn Metric,
    pivot: u32,
    wanted: usize,
    radius: f64,
    bounds: &[f64],
    free: &[bool],
) -> Option<Vec<u32>> {
    let is_candidate =
        |&other: &u32| free[other as usize] && other != pivot && bounds[other as usize] <= radius;
    let mut candidates: Vec<u32> = (0..bounds.len() as u32).filter(is_candidate).collect();
    if candidates.len() < wanted {
        return None;
    }
    let by_bound = |a: &u32, b: &u32| bounds[*a as usize].total_cmp(&bounds[*b as usize]).then(a.cmp(b));
    // Few candidates are looked at, so the others need no order.
    let mut sorted = 0;
    let mut best: Vec<(f64, u32)> = Vec::with_capacity(wanted + 1);
    for place in 0..candidates.len() {
        if place == sorted {
            let batch = (16 * wanted.max(4)).max(sorted);
            let end = (sorted + batch).min(candidates.len());
            if end < candidates.len() {
                candidates[sorted..].select_nth_unstable_by(end - sorted - 1, by_bound);
            }
            candidates[sorted..end].sort_unstable_by(by_bound);
            sorted = end;
        }
        let other = candidates[place];
        let limit = match best.last() {
            Some(last) if best.len() == wanted => last.0,
            _ => radius,
        };
        if best.len() == wanted && bounds[other as usize] >= limit {
            break;
        }
        if let Some(distance) = metric.distance(pivot, other, limit) {
            let at = best.partition_point(|own| own.0 <= distance);
            best.insert(at, (distance, other));
            best.truncate(wanted);
        }
    }
    (best.len() == wanted).then(|| best.into_iter().map(|own| own.1).collect())
}

fn nearest_pivot(metric: &dyn Metric, item: u32, pivots: &[u32], radius: f64) -> Option<u32> {
    let bounds = pivots.iter().map(|&pivot| metric.at_least(item, pivot));
    let mut order: Vec<(f64, u32)> = bounds.zip(0..).filter(|own| own.0 <= radius).collect();
    order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut best: Option<(f64, u32)> = None;
    for (bound, cluster) in order {
        let limit = best.map_or(radius, |own| own.0);
        if bound > limit {
            break;
        }
        let distance = metric.distance(item, pivots[cluster as usize], limit);
        if let Some(distance) = distance.filter(|own| best.is_none_or(|best| *own < best.0)) {
            best = Some((distance, cluster));
        }
    }
    best.map(|own| own.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::Silent;
    use proptest::prelude::*;

    /// Numbers on a line; the bound is half of the distance.
    struct Line(Vec<i32>);

    impl Metric for Line {
        fn len(&self) -> usize {
            self.0.len()
        }
        fn at_least(&self, a: u32, b: u32) -> f64 {
            f64::from((self.0[a as usize] - self.0[b as usize]).abs()) / 2.0
        }
        fn distance(&self, a: u32, b: u32, limit: f64) -> Option<f64> {
            Some(2.0 * self.at_least(a, b)).filter(|own| *own <= limit)
        }
    }

    fn options(k: usize, trash: usize) -> ClusterOptions {
        ClusterOptions { k, radius: 5.0, largest_radius: 1e6, growth: 1.5, trash }
    }

    #[test]
    fn the_radius_grows_until_little_is_left() {
        let line = Line(vec![0, 1, 2, 100, 101, 102, 5000]);
        let clusters = greedy(&line, &options(3, 1), &Silent).unwrap();
        assert_eq!(
            (clusters.clusters.len(), clusters.trash.as_slice(), clusters.radius),
            (2, [6].as_slice(), 5.0)
        );
        let all = greedy(&line, &options(3, 0), &Silent).unwrap();
        assert!(all.trash.is_empty() && all.radius > 1000.0);
        let bounded = ClusterOptions { largest_radius: 10.0, ..options(3, 0) };
        assert!(matches!(greedy(&line, &bounded, &Silent), Err(TraceError::TooMuchSuppression { .. })));
        assert!(greedy(&Line(vec![1]), &options(2, 0), &Silent).is_err());
        assert!(
            greedy(&Line(vec![1]), &ClusterOptions { radius: f64::NAN, ..options(2, 0) }, &Silent).is_err()
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        /// Every item is in one cluster or the trash; clusters hold k and lie within the radius; and the first cluster
        /// has the nearest k − 1 of all, as by brute force.
        #[test]
        fn clusters_are_what_they_say(numbers in prop::collection::vec(0i32..200, 6..30), k in 2usize..5) {
            let line = Line(numbers.clone());
            let found = greedy(&line, &options(k, 3), &Silent).unwrap();
            let mut all: Vec<u32> = found.clusters.iter().flatten().chain(&found.trash).copied().collect();
            all.sort_unstable();
            prop_assert_eq!(all, (0..numbers.len() as u32).collect::<Vec<_>>());
            for cluster in &found.clusters {
                prop_assert!(cluster.len() >= k);
                for &member in cluster {
                    prop_assert!(line.distance(cluster[0], member, found.radius).is_some());
                }
            }
            let distance = |a: usize, b: u32| (numbers[a] - numbers[b as usize]).abs();
            let first = &found.clusters[0];
            let mut distances: Vec<i32> =
                (0..numbers.len() as u32).filter(|&own| own != first[0]).map(|own| distance(first[0] as usize, own)).collect();
            distances.sort_unstable();
            let reached: Vec<i32> = first[1..k].iter().map(|&own| distance(first[0] as usize, own)).collect();
            if first[0] == 0 {
                prop_assert_eq!(&reached[..], &distances[..k - 1]);
            }
        }
    }
}
