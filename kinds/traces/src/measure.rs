//! What published traces are still good for: range queries, lengths, visited cells, flows, and shapes.

use foldhash::HashMap;
use privet_data::Random;

use crate::cloak::Region;
use crate::distance::{hausdorff, warped};
use crate::point::Position;
use crate::{Cell, Tiling, TraceError, Traces};

/// The length of a trace in metres.
pub fn length(traces: &Traces, trace: usize) -> f64 {
    traces.points(trace).windows(2).map(|pair| pair[0].at.distance(pair[1].at)).sum()
}

/// A question: how many objects are in a region at some time of a span?
#[derive(Debug, Clone, Copy)]
pub struct RangeQuery {
    /// The region.
    pub region: Region,
    /// The span.
    pub span: (i64, i64),
}

/// Questions around points of the data, so that most have an answer above 0: squares and spans of these sizes.
pub fn range_queries(traces: &Traces, count: usize, side: f64, seconds: i64, seed: u64) -> Vec<RangeQuery> {
    let points = traces.all_points();
    let half = (side * crate::UNITS_PER_METRE / 2.0).round().clamp(1.0, 1e9) as i64;
    let edge = |own: i32, by: i64| {
        let most = i64::from(crate::LARGEST_COORDINATE);
        (i64::from(own) + by).clamp(-most, most) as i32
    };
    let mut random = Random::new(seed);
    if points.is_empty() {
        return Vec::new();
    }
    (0..count)
        .map(|_| {
            let point = points[random.below(points.len())];
            let low = Position { x: edge(point.at.x, -half), y: edge(point.at.y, -half) };
            let high = Position { x: edge(point.at.x, half), y: edge(point.at.y, half) };
            RangeQuery {
                region: Region { low, high },
                span: (point.time - seconds / 2, point.time + seconds / 2),
            }
        })
        .collect()
}

/// How many objects have a point in the region and span of each question. Takes time in proportion to questions times
/// traces, and points within spans.
pub fn answer(traces: &Traces, queries: &[RangeQuery]) -> Vec<u64> {
    use rayon::prelude::*;
    let one = |query: &RangeQuery| {
        let mut objects: Vec<u32> = Vec::new();
        for (object, points) in traces.iter() {
            let from = points.partition_point(|own| own.time < query.span.0);
            let mut within = points[from..].iter().take_while(|own| own.time <= query.span.1);
            if within.any(|own| query.region.contains(own.at)) {
                objects.push(object);
            }
        }
        objects.sort_unstable();
        objects.dedup();
        objects.len() as u64
    };
    queries.par_iter().map(one).collect()
}

/// The mean distortion of answers: |before − after| / max(before, after), where one of them is above 0 (Abul et al. 2008).
pub fn distortion(before: &[u64], after: &[u64]) -> f64 {
    let one = |(&a, &b): (&u64, &u64)| if a == b { 0.0 } else { a.abs_diff(b) as f64 / a.max(b) as f64 };
    let sum: f64 = before.iter().zip(after).map(one).sum();
    if before.is_empty() { 0.0 } else { sum / before.len() as f64 }
}

/// How many points lie in each cell of a level.
///
/// # Errors
/// When the cells do not fit the plane.
pub fn cell_counts(traces: &Traces, tiling: &Tiling, level: u8) -> Result<HashMap<Cell, u64>, TraceError> {
    let cells = tiling.all(&traces.plane, traces.all_points().iter().map(|own| own.at))?;
    let mut counts = HashMap::default();
    cells.into_iter().for_each(|cell| *counts.entry(tiling.coarser(cell, level)).or_default() += 1);
    Ok(counts)
}

/// Half of the sum of differences of shares: 0 where two counts are alike, 1 where they have nothing in common.
pub fn share_difference<K: Copy + Ord + std::hash::Hash>(a: &HashMap<K, u64>, b: &HashMap<K, u64>) -> f64 {
    let total = |own: &HashMap<K, u64>| own.values().sum::<u64>().max(1) as f64;
    let (of_a, of_b) = (total(a), total(b));
    let share =
        |own: &HashMap<K, u64>, key: &K, total: f64| own.get(key).copied().unwrap_or_default() as f64 / total;
    // In one order, so that the last bits of the sum are always the same.
    let mut keys: Vec<K> = a.keys().chain(b.keys()).copied().collect();
    keys.sort_unstable();
    keys.dedup();
    keys.iter().map(|key| (share(a, key, of_a) - share(b, key, of_b)).abs()).sum::<f64>() / 2.0
}

/// How many trips go from the cell where they begin to the cell where they end.
///
/// # Errors
/// When the cells do not fit the plane.
pub fn flow_counts(
    traces: &Traces,
    tiling: &Tiling,
    level: u8,
) -> Result<HashMap<(Cell, Cell), u64>, TraceError> {
    tiling.check(&traces.plane)?;
    let mut counts = HashMap::default();
    for (_, points) in traces.iter() {
        if let (Some(first), Some(last)) = (points.first(), points.last()) {
            let cell = |at| Ok::<_, TraceError>(tiling.coarser(tiling.finest(&traces.plane, at)?, level));
            *counts.entry((cell(first.at)?, cell(last.at)?)).or_default() += 1;
        }
    }
    Ok(counts)
}

/// Mean Hausdorff distance and mean warped distance in metres of published traces to the traces they were made from, over
/// at most `most` of them.
pub fn shape_distances(published: &Traces, original: &Traces, source: &[u32], most: usize) -> (f64, f64) {
    use rayon::prelude::*;
    let count = published.len().min(most);
    // Evenly spread over all.
    let chosen: Vec<usize> = (0..count).map(|own| own * published.len() / count.max(1)).collect();
    let at = |traces: &Traces, trace: usize| -> Vec<Position> {
        // Long traces are thinned: shapes stay.
        let points = traces.points(trace);
        let step = points.len().div_ceil(512).max(1);
        points.iter().step_by(step).map(|own| own.at).collect()
    };
    let sums = chosen
        .par_iter()
        .map(|&own| {
            let (a, b) = (at(published, own), at(original, source[own] as usize));
            (hausdorff(&a, &b), warped(&a, &b, 0.1))
        })
        .collect::<Vec<_>>();
    let sum = sums.iter().fold((0.0, 0.0), |sum, own| (sum.0 + own.0, sum.1 + own.1));
    let count = count.max(1) as f64;
    (sum.0 / count, sum.1 / count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{City, city};
    use crate::{NeverWalkAlone, never_walk_alone};
    use privet_data::Silent;

    #[test]
    fn measures_of_what_is_unchanged_are_perfect() {
        let (traces, _) = city(&City { people: 40, step: 600, ..City::default() }).unwrap();
        let queries = range_queries(&traces, 50, 1000.0, 3600, 1);
        let before = answer(&traces, &queries);
        assert!(before.iter().all(|own| *own > 0));
        assert_eq!(distortion(&before, &before), 0.0);
        let source: Vec<u32> = (0..40).collect();
        assert_eq!(shape_distances(&traces, &traces, &source, 10), (0.0, 0.0));
        let tiling = Tiling::usual(&traces.plane);
        let cells = cell_counts(&traces, &tiling, 0).unwrap();
        assert_eq!(share_difference(&cells, &cells), 0.0);
        assert!((share_difference(&cells, &HashMap::default()) - 0.5).abs() < 1e-9);
        assert_eq!(flow_counts(&traces, &tiling, 2).unwrap().values().sum::<u64>(), 40);
    }

    #[test]
    fn stricter_anonymity_distorts_more() {
        let (traces, _) = city(&City { people: 60, step: 600, ..City::default() }).unwrap();
        let queries = range_queries(&traces, 100, 1000.0, 3600, 1);
        let before = answer(&traces, &queries);
        let of = |k, delta| {
            let options = NeverWalkAlone { k, delta, step: 600, trash: 0.0, ..Default::default() };
            let done = never_walk_alone(&traces, &options, &Silent).unwrap();
            let shapes = shape_distances(&done.traces, &traces, &done.source, 60);
            (distortion(&before, &answer(&done.traces, &queries)), shapes.0)
        };
        let (mild, strict) = (of(2, 5000.0), of(10, 100.0));
        assert!(mild.0 < strict.0 && mild.1 < strict.1, "{mild:?} {strict:?}");
    }
}
