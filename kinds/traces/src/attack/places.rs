//! Inference of sensitive places: a trace that stays at a clinic tells what a patient would not.

use crate::point::{Point, Position};

/// A stay near a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stay {
    /// The number of the place.
    pub place: u32,
    /// Its length in seconds.
    pub seconds: i64,
}

/// The longest stay near each place that is at least `least` seconds long: the time between the first and the last of
/// consecutive points within a radius in metres.
pub fn longest_stays(points: &[Point], places: &[Position], radius: f64, least: i64) -> Vec<Stay> {
    let squared = (radius * crate::UNITS_PER_METRE).powi(2);
    let near = |point: &Point, place: Position| point.at.squared_distance(place) as f64 <= squared;
    let mut stays = Vec::new();
    for (&place, number) in places.iter().zip(0u32..) {
        let runs =
            points.chunk_by(|a, b| near(a, place) == near(b, place)).filter(|run| near(&run[0], place));
        let longest = runs.map(|run| run[run.len() - 1].time - run[0].time).max();
        stays.extend(longest.filter(|own| *own >= least).map(|seconds| Stay { place: number, seconds }));
    }
    stays
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passing_by_is_no_stay() {
        let places = [Position { x: 0, y: 0 }, Position { x: 100_000, y: 0 }];
        let points: Vec<Point> =
            (0..100).map(|step| Point::new(step * 10, (step as i32 / 50) * 100_000, 0)).collect();
        let stays = longest_stays(&points, &places, 50.0, 300);
        assert_eq!(stays, [Stay { place: 0, seconds: 490 }, Stay { place: 1, seconds: 490 }]);
        assert!(longest_stays(&points, &places, 50.0, 500).is_empty());
        assert!(longest_stays(&[], &places, 50.0, 0).is_empty());
    }
}
