//! Places for the share of one interval, where noise is narrow beside what its distribution is cut into: fine near its edges,
//! coarse elsewhere.
//!
//! Whether an original is in an interval is in doubt only where noise can bring it over an edge. There each multiple of the
//! unit has a mass of its own, where a unit is known, or parts that are narrow beside the noise have; a heap at the edge too.
//! Farther away, inside and outside, it does not matter where exactly an original is.
//!
//! # Guarantee
//! Near an edge is what is within twice the reach of the noise (of normal noise three deviations): whatever a value that may come
//! from both sides is made of is told apart there. Every place lies on one side of each edge, in order.

use super::intervals::{NARROW, Share};
use super::places::Place;
use crate::{Grid, Noise};

/// The most multiples of a unit that have masses of their own near the edges of one interval.
const MOST_MULTIPLES: f64 = 128.0;

/// The places for an interval of the grid, and which of them belong to it. `fine` is the grid cut into parts, for what is far
/// from its edges; `step` is what values are rounded to, 0 for nothing.
pub(super) fn near_edges(
    grid: &Grid,
    fine: &Grid,
    interval: usize,
    noise: Noise,
    unit: Option<f64>,
    step: f64,
) -> Option<(Vec<Place>, Share)> {
    let edges = grid.edges();
    let (low, high) = (*edges.first()?, *edges.last()?);
    let (from, to) = (*edges.get(interval)?, *edges.get(interval + 1)?);
    let deviation = noise.variance().sqrt();
    let margin = 2.0 * (noise.reach().unwrap_or(3.0 * deviation) + 0.5 * step);
    // The ends of the grid are no edges that anything could be brought over.
    let within: Vec<f64> = [from, to].into_iter().filter(|&edge| edge > low && edge < high).collect();
    let mut zones: Vec<(f64, f64)> = Vec::new();
    for edge in &within {
        let own = ((edge - margin).max(low), (edge + margin).min(high));
        match zones.last_mut() {
            Some(last) if own.0 <= last.1 => last.1 = own.1,
            _ => zones.push(own),
        }
    }
    let wide: f64 = zones.iter().map(|own| own.1 - own.0).sum();
    let unit = unit.filter(|own| *own > 0.0 && own.is_finite() && wide / own < MOST_MULTIPLES);
    let mut places = Vec::new();
    let mut at = low;
    for &(start, end) in &zones {
        coarse(fine, at, start, &mut places);
        match unit {
            Some(unit) => multiples(start, end, unit, end >= high, &mut places),
            None => narrow(start, end, &within, NARROW * deviation, &mut places),
        }
        at = end;
    }
    coarse(fine, at, high, &mut places);
    // A multiple that is an edge but for rounding belongs where the edge does.
    let slack = unit.map_or(0.0, |unit| 1e-9 * unit);
    let place = |own: &Place| match *own {
        Place::Within(low, high) => 0.5 * (low + high),
        Place::At(number) => number + slack,
    };
    let before = |edge: f64, with_heap: bool| {
        places.partition_point(|own| match own {
            Place::At(number) if unit.is_none() && *number == edge => !with_heap,
            _ => place(own) < edge,
        })
    };
    let ends = |with_heaps: bool| {
        let first = if interval == 0 { 0 } else { before(from, with_heaps) };
        let last = if interval + 1 == grid.len() { places.len() } else { before(to, !with_heaps) };
        first..last
    };
    let (least, most) = (ends(false), ends(true));
    Some((places, Share { least, most }))
}

/// The parts of a grid between two numbers.
fn coarse(fine: &Grid, from: f64, to: f64, places: &mut Vec<Place>) {
    for (low, high) in fine.intervals() {
        let (low, high) = (low.max(from), high.min(to));
        if high > low {
            places.push(Place::Within(low, high));
        }
    }
}

/// The multiples of a unit from one number on and below another, or with it.
fn multiples(from: f64, to: f64, unit: f64, with_last: bool, places: &mut Vec<Place>) {
    let first = (from / unit - 1e-9).ceil();
    let many = ((to - from) / unit).ceil() as usize + 1;
    let numbers = (0..=many).map(|own| (first + own as f64) * unit);
    let last = if with_last { to + 1e-9 * unit } else { to - 1e-9 * unit };
    places.extend(numbers.take_while(|own| *own <= last).map(Place::At));
}

/// Parts that are at most so wide, cut at the edges, with a heap at each edge.
fn narrow(from: f64, to: f64, edges: &[f64], width: f64, places: &mut Vec<Place>) {
    let cuts = edges.iter().copied().filter(|edge| (from..=to).contains(edge));
    let mut at = from;
    for cut in cuts.chain([to]) {
        let parts = ((cut - at) / width).ceil().max(1.0) as usize;
        let part = |own: usize| at + (cut - at) * (own as f64 / parts as f64);
        if cut > at {
            places.extend((0..parts).map(|own| Place::Within(part(own), part(own + 1))));
        }
        if cut < to || edges.contains(&cut) {
            places.push(Place::At(cut));
        }
        at = cut;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOISE: Noise = Noise::Uniform { half_width: 2.0 };

    /// Of three intervals of 100 the middle one: days within 5 of its edges (twice 2 and a half), parts elsewhere.
    #[test]
    fn fine_near_the_edges_and_coarse_elsewhere() {
        let grid = Grid::even(0.0, 300.0, 3).unwrap();
        let (fine, _) = grid.refined(6, 0.0);
        let (places, share) = near_edges(&grid, &fine, 1, NOISE, Some(1.0), 1.0).unwrap();
        let days = |from: i32, to: i32| (from..to).map(|own| Place::At(f64::from(own)));
        let within = |from: f64, to: f64| [Place::Within(from, to)];
        let expected: Vec<Place> = within(0.0, 50.0)
            .into_iter()
            .chain(within(50.0, 95.0))
            .chain(days(95, 105))
            .chain(within(105.0, 150.0))
            .chain(within(150.0, 195.0))
            .chain(days(195, 205))
            .chain(within(205.0, 250.0))
            .chain(within(250.0, 300.0))
            .collect();
        assert_eq!(places, expected);
        assert_eq!((share.least.clone(), share.most), (7..19, 7..19));
        // The first has one edge, and all before it.
        let (places, share) = near_edges(&grid, &fine, 0, NOISE, Some(1.0), 1.0).unwrap();
        assert_eq!((places.len(), share.least), (2 + 10 + 4, 0..7));
        // Without a unit the parts are narrow, and a heap at an edge may be on either side.
        let (places, share) = near_edges(&grid, &fine, 1, NOISE, None, 0.0).unwrap();
        let heaps: Vec<usize> =
            (0..places.len()).filter(|&own| matches!(places[own], Place::At(_))).collect();
        assert_eq!(heaps.len(), 2);
        assert_eq!((share.least, share.most), (heaps[0] + 1..heaps[1], heaps[0]..heaps[1] + 1));
        let widest = places[heaps[0] - 7..heaps[0]].iter().map(|own| match own {
            Place::Within(low, high) => high - low,
            Place::At(_) => f64::INFINITY,
        });
        assert!(widest.fold(0.0, f64::max) <= NARROW * NOISE.variance().sqrt());
    }

    /// Intervals that are narrower than the reach of the noise: one zone for both edges, and still every place on one side.
    #[test]
    fn edges_that_are_near_each_other() {
        let grid = Grid::even(0.0, 300.0, 100).unwrap();
        for unit in [Some(1.0), Some(0.1), None] {
            let (places, share) = near_edges(&grid, &grid, 50, NOISE, unit, 1.0).unwrap();
            let place = |own: &Place| match *own {
                Place::Within(low, high) => (low, high),
                Place::At(number) => (number, number),
            };
            assert!(places.windows(2).all(|own| place(&own[0]).1 <= place(&own[1]).0 + 1e-9), "{places:?}");
            let own = &places[share.least];
            assert!(own.iter().all(|own| place(own).0 >= 150.0 - 1e-9 && place(own).1 <= 153.0), "{own:?}");
            assert!(!own.is_empty());
            // Nothing between the ends of the grid is left out.
            assert_eq!((place(&places[0]).0, place(places.last().unwrap()).1), (0.0, 300.0));
        }
    }
}
