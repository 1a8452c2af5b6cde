//! Queries over cloaked regions (survey US-19): the server answers for every position of a region, the client picks.
//!
//! Guarantee: whatever the position in the region, the nearest place and all places within a distance are among the
//! candidates. A candidate of a nearest-neighbour query is left out only when one other place is nearer to all four corners
//! of the region, and so, because the half-plane that is nearer to it is convex, to every position of it.

use crate::cloak::Region;
use crate::point::Position;
use crate::{TraceError, UNITS_PER_METRE};
use foldhash::HashMap;

/// Public places, such as shops, indexed by squares.
#[derive(Debug, Clone)]
pub struct Places {
    positions: Vec<Position>,
    side: i64,
    cells: HashMap<(i64, i64), Vec<u32>>,
    low: (i64, i64),
    high: (i64, i64),
}

impl Places {
    /// Indexes places.
    ///
    /// # Errors
    /// When there are none.
    pub fn new(positions: &[Position]) -> Result<Self, TraceError> {
        let bounds = Region::around(positions.iter().copied()).ok_or(TraceError::Empty { what: "places" })?;
        // About two places for each cell.
        let area = bounds.area() * UNITS_PER_METRE * UNITS_PER_METRE;
        let side = ((2.0 * area / positions.len() as f64).sqrt().ceil() as i64).max(1);
        let mut cells: HashMap<(i64, i64), Vec<u32>> = HashMap::default();
        for (&at, place) in positions.iter().zip(0..) {
            cells.entry(cell(at, side)).or_default().push(place);
        }
        let (low, high) = (cell(bounds.low, side), cell(bounds.high, side));
        Ok(Self { positions: positions.to_vec(), side, cells, low, high })
    }

    /// How many places there are; at least one.
    #[allow(clippy::len_without_is_empty)] // there is always a place
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Where a place is.
    pub fn position(&self, place: u32) -> Position {
        self.positions[place as usize]
    }

    /// The places in cells around a region, up to a distance in centimetres.
    fn around(&self, region: &Region, distance: i64) -> impl Iterator<Item = u32> + '_ {
        let from = |own: i32, low: i64| ((i64::from(own) - distance).div_euclid(self.side)).max(low);
        let to = |own: i32, high: i64| ((i64::from(own) + distance).div_euclid(self.side)).min(high);
        let columns = from(region.low.x, self.low.0)..=to(region.high.x, self.high.0);
        let rows = from(region.low.y, self.low.1)..=to(region.high.y, self.high.1);
        let all = columns.flat_map(move |column| rows.clone().map(move |row| (column, row)));
        all.filter_map(|at| self.cells.get(&at)).flatten().copied()
    }

    /// All places that are within a distance in metres of some position of a region.
    pub fn range_candidates(&self, region: &Region, metres: f64) -> Vec<u32> {
        let distance = (metres.max(0.0) * UNITS_PER_METRE).floor() as i64;
        let within = |place: &u32| region.squared_distance(self.position(*place)) <= distance * distance;
        let mut found: Vec<u32> = self.around(region, distance).filter(within).collect();
        found.sort_unstable();
        found
    }

    /// Places among which the nearest is, whatever the position in a region.
    pub fn nearest_candidates(&self, region: &Region) -> Vec<u32> {
        // Grow until some place is sure to be within reach of every position.
        let widest = self.side.max(1) * (self.high.0 - self.low.0 + self.high.1 - self.low.1 + 2);
        let reach_of_all = i64::from(region.low.x).abs().max(i64::from(region.high.x).abs())
            + i64::from(region.low.y).abs().max(i64::from(region.high.y).abs());
        let mut distance = self.side;
        let reach = loop {
            let best =
                self.around(region, distance).map(|own| region.squared_farthest(self.position(own))).min();
            if let Some(best) = best {
                break (best as f64).sqrt().ceil() as i64;
            }
            if distance > widest + 2 * reach_of_all + 2 * i64::from(crate::LARGEST_COORDINATE) {
                break distance;
            }
            distance *= 2;
        };
        let near: Vec<u32> = self
            .around(region, reach)
            .filter(|own| region.squared_distance(self.position(*own)) <= reach.saturating_mul(reach))
            .collect();
        let corners = region.corners();
        let distances: Vec<[i64; 4]> = near
            .iter()
            .map(|own| corners.map(|corner| corner.squared_distance(self.position(*own))))
            .collect();
        // Those that are nearest to a corner or to the middle exclude most of the others.
        let middle = region.centre();
        let mut judges: Vec<usize> =
            (0..4).filter_map(|c| (0..near.len()).min_by_key(|&own| distances[own][c])).collect();
        judges.extend((0..near.len()).min_by_key(|&own| middle.squared_distance(self.position(near[own]))));
        let is_excluded = |own: usize| {
            judges
                .iter()
                .any(|&judge| distances[judge].iter().zip(&distances[own]).all(|(judge, own)| judge < own))
        };
        let mut found: Vec<u32> =
            (0..near.len()).filter(|&own| !is_excluded(own)).map(|own| near[own]).collect();
        found.sort_unstable();
        found
    }

    /// What the client does: the nearest of the candidates to where the client really is.
    pub fn nearest(&self, candidates: &[u32], at: Position) -> Option<u32> {
        candidates.iter().copied().min_by_key(|&own| (self.position(own).squared_distance(at), own))
    }

    /// What the client does: those of the candidates that are really within the distance.
    pub fn within(&self, candidates: &[u32], at: Position, metres: f64) -> Vec<u32> {
        let distance = (metres.max(0.0) * UNITS_PER_METRE).floor() as i64;
        let is_within = |place: &&u32| self.position(**place).squared_distance(at) <= distance * distance;
        candidates.iter().filter(is_within).copied().collect()
    }
}

fn cell(at: Position, side: i64) -> (i64, i64) {
    (i64::from(at.x).div_euclid(side), i64::from(at.y).div_euclid(side))
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::Random;
    use proptest::prelude::*;

    #[test]
    fn far_places_are_left_out() {
        let positions: Vec<Position> = (0..100).map(|x| Position { x: x * 1000, y: 0 }).collect();
        let places = Places::new(&positions).unwrap();
        let region = Region { low: Position { x: 5000, y: -100 }, high: Position { x: 7000, y: 100 } };
        assert_eq!(places.nearest_candidates(&region), [5, 6, 7]);
        assert_eq!(places.range_candidates(&region, 10.0), [4, 5, 6, 7, 8]);
        assert!(Places::new(&[]).is_err());
        // A region far from all places.
        let far =
            Region { low: Position { x: -900_000_000, y: 0 }, high: Position { x: -899_999_000, y: 5 } };
        assert!(places.nearest_candidates(&far).contains(&0));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        /// US-19: for every position of the region the true answer, found over all places, is among the candidates, and
        /// the client picks it.
        #[test]
        fn candidates_hold_the_true_answer(
            seed in 0u64..100_000, count in 1usize..60, spread in 1usize..4000, size in (0i32..900, 0i32..900), metres in 0.0f64..15.0,
        ) {
            let mut random = Random::new(seed);
            let mut position = || Position { x: random.below(spread) as i32 - 500, y: random.below(spread) as i32 - 500 };
            let positions: Vec<Position> = (0..count).map(|_| position()).collect();
            let low = position();
            let region = Region { low, high: Position { x: low.x + size.0, y: low.y + size.1 } };
            let places = Places::new(&positions).unwrap();
            let (nearest, range) = (places.nearest_candidates(&region), places.range_candidates(&region, metres));
            let mut asks = region.corners().to_vec();
            asks.extend((0..20).map(|_| Position {
                x: low.x + random.below(size.0 as usize + 1) as i32,
                y: low.y + random.below(size.1 as usize + 1) as i32,
            }));
            let all: Vec<u32> = (0..count as u32).collect();
            for at in asks {
                let truth = places.nearest(&all, at).unwrap();
                let found = places.nearest(&nearest, at).unwrap();
                prop_assert_eq!(
                    places.position(found).squared_distance(at), places.position(truth).squared_distance(at)
                );
                prop_assert_eq!(places.within(&range, at, metres), places.within(&all, at, metres));
            }
        }
    }
}
