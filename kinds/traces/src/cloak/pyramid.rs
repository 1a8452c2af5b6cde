//! A cloaking service (Casper's pyramid; Mokbel, Chow and Aref 2006; survey AP-15): people register, move and ask, and every
//! answer takes a few steps.
//!
//! The square is cut into 2^h by 2^h cells, and counts are kept for all levels. A request climbs from its cell: the cell,
//! the cell with its neighbour to the side or above below the same parent, or the parent. Each person has a profile: how
//! many people and how much area the regions must hold. Regions are unions of cells, so their edges tell nothing.

use super::Region;
use crate::TraceError;
use crate::point::{LARGEST_COORDINATE, Position};
use foldhash::HashMap;

/// What somebody asks of regions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PyramidProfile {
    /// At least so many people, the one who asks among them.
    pub k: u32,
    /// At least so many different values of what people ask for; 1 where it does not matter.
    pub l: u32,
    /// At least so many square metres.
    pub area: f64,
}

/// The most levels below the whole.
const MOST_HEIGHT: u8 = 11;

/// Counts of people at all levels.
#[derive(Debug, Clone)]
pub struct Pyramid {
    origin: Position,
    /// The side of the finest cells in centimetres.
    side: i64,
    height: u8,
    /// Per level, the finest first, people in each cell.
    counts: Vec<Vec<u32>>,
    /// Per level and cell how many people have a value, and per level how many values each cell has.
    values: HashMap<(u8, u32, u32), u32>,
    distinct: Vec<Vec<u32>>,
    /// Per person the finest cell and the value.
    people: HashMap<u64, (u32, u32)>,
}

impl Pyramid {
    /// A pyramid over a square with this south-west corner and a side in metres, of `height` levels below the whole.
    ///
    /// # Errors
    /// When the square does not fit the plane or the height is above 11.
    pub fn new(origin: Position, side: f64, height: u8) -> Result<Self, TraceError> {
        let cells = 1i64 << height.min(MOST_HEIGHT);
        let fine = (side * crate::UNITS_PER_METRE / cells as f64).ceil();
        let reach = fine * cells as f64 + f64::from(origin.x.max(origin.y));
        if height > MOST_HEIGHT || !(fine >= 1.0 && reach <= f64::from(LARGEST_COORDINATE)) {
            return Err(TraceError::parameter("pyramid", "a square on the plane and a height of at most 11"));
        }
        let levels = || (0..=height).map(|level| vec![0u32; 1 << (2 * (height - level))]).collect();
        Ok(Self {
            origin,
            side: fine as i64,
            height,
            counts: levels(),
            values: HashMap::default(),
            distinct: levels(),
            people: HashMap::default(),
        })
    }

    /// The number of people.
    pub fn len(&self) -> usize {
        self.people.len()
    }

    /// Whether nobody is registered.
    pub fn is_empty(&self) -> bool {
        self.people.is_empty()
    }

    /// The finest cell of a position; `None` outside of the square.
    fn cell(&self, at: Position) -> Option<u32> {
        let of = |own: i32, origin: i32| {
            let place = (i64::from(own) - i64::from(origin)).div_euclid(self.side);
            (0..1i64 << self.height).contains(&place).then_some(place as u32)
        };
        Some(of(at.x, self.origin.x)? << self.height | of(at.y, self.origin.y)?)
    }

    fn coarser(&self, cell: u32, level: u8) -> u32 {
        let mask = (1u32 << self.height) - 1;
        let (x, y) = (cell >> self.height, cell & mask);
        (x >> level) << (self.height - level) | (y >> level)
    }

    fn count(&mut self, cell: u32, value: u32, adds: bool) {
        for level in 0..=self.height {
            let at = self.coarser(cell, level);
            let people = &mut self.counts[level as usize][at as usize];
            let alike = self.values.entry((level, at, value)).or_default();
            let kinds = &mut self.distinct[level as usize][at as usize];
            if adds {
                *people += 1;
                *kinds += u32::from(*alike == 0);
                *alike += 1;
            } else {
                *people -= 1;
                *alike -= 1;
                *kinds -= u32::from(*alike == 0);
                if *alike == 0 {
                    self.values.remove(&(level, at, value));
                }
            }
        }
    }

    /// A person is at a position, with what the person asks for: registers who is new, moves who is known.
    ///
    /// # Errors
    /// When the position lies outside of the square.
    pub fn place(&mut self, person: u64, at: Position, value: u32) -> Result<(), TraceError> {
        let cell = self.cell(at).ok_or(TraceError::OutOfRange {
            points: 1,
            problem: "outside of the square of the pyramid",
            accepted: "a pyramid over all positions",
        })?;
        let before = self.people.insert(person, (cell, value));
        if before == Some((cell, value)) {
            return Ok(());
        }
        if let Some((cell, value)) = before {
            self.count(cell, value, false);
        }
        self.count(cell, value, true);
        Ok(())
    }

    /// A person leaves.
    pub fn leave(&mut self, person: u64) {
        if let Some((cell, value)) = self.people.remove(&person) {
            self.count(cell, value, false);
        }
    }

    fn region(&self, level: u8, x: (u32, u32), y: (u32, u32)) -> Region {
        let edge = |own: u32, origin: i32| (i64::from(own) << level) * self.side + i64::from(origin);
        let position = |x: i64, y: i64| Position { x: x as i32, y: y as i32 };
        Region {
            low: position(edge(x.0, self.origin.x), edge(y.0, self.origin.y)),
            high: position(edge(x.1 + 1, self.origin.x) - 1, edge(y.1 + 1, self.origin.y) - 1),
        }
    }

    /// The region for a request of a person; `None` when the person is not registered or the whole square does not hold
    /// what the profile asks for: then nothing may be sent.
    pub fn cloak(&self, person: u64, profile: &PyramidProfile) -> Option<Region> {
        self.cloak_from(person, profile, 0).map(|own| own.0)
    }

    /// The same among regions of a level or above, the finest being 0, with the level of the region.
    pub fn cloak_from(&self, person: u64, profile: &PyramidProfile, lowest: u8) -> Option<(Region, u8)> {
        let (cell, _) = *self.people.get(&person)?;
        for level in lowest..=self.height {
            let width = self.height - level;
            let at = self.coarser(cell, level);
            let (x, y) = (at >> width, at & ((1u32 << width) - 1));
            let area = |cells: f64| cells * ((self.side << level) as f64 / crate::UNITS_PER_METRE).powi(2);
            let of = |x: u32, y: u32| {
                let at = (x << width | y) as usize;
                (self.counts[level as usize][at], self.distinct[level as usize][at])
            };
            let (own, kinds) = of(x, y);
            if own >= profile.k && kinds >= profile.l && area(1.0) >= profile.area {
                return Some((self.region(level, (x, x), (y, y)), level));
            }
            if level == self.height || area(2.0) < profile.area {
                continue;
            }
            let ((beside, kinds_x), (above, kinds_y)) = (of(x ^ 1, y), of(x, y ^ 1));
            // Different values of two cells may be the same ones, so the larger number is what is sure.
            let fits_x = own + beside >= profile.k && kinds.max(kinds_x) >= profile.l;
            let fits_y = own + above >= profile.k && kinds.max(kinds_y) >= profile.l;
            // Of two that fit, the one with fewer people serves best.
            if fits_x && (!fits_y || beside <= above) {
                return Some((self.region(level, (x & !1, x | 1), (y, y)), level));
            }
            if fits_y {
                return Some((self.region(level, (x, x), (y & !1, y | 1)), level));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloak::tests::crowd;
    use privet_data::Random;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        /// A simulated service: people come, move and leave; every answer is checked against all people by brute force.
        #[test]
        fn answers_hold_what_was_asked(seed in 0u64..5000, k in 1u32..6, l in 1u32..3, area in 0.0f64..30.0) {
            let (start, values) = crowd(seed, 30, 2000, 3);
            let mut pyramid = Pyramid::new(Position { x: 0, y: 0 }, 20.0, 5).unwrap();
            let mut now: Vec<Option<(Position, u32)>> = vec![None; 30];
            let mut random = Random::stream(seed, 9);
            for step in 0..200 {
                let person = random.below(30);
                if step > 60 && random.chance(0.2) {
                    pyramid.leave(person as u64);
                    now[person] = None;
                } else {
                    let at = if now[person].is_none() { start[person] } else { start[random.below(30)] };
                    pyramid.place(person as u64, at, values[person]).unwrap();
                    now[person] = Some((at, values[person]));
                }
                let asks = random.below(30);
                let profile = PyramidProfile { k, l, area };
                let Some(region) = pyramid.cloak(asks as u64, &profile) else {
                    let mut kinds: Vec<u32> = now.iter().flatten().map(|own| own.1).collect();
                    kinds.sort_unstable();
                    kinds.dedup();
                    let enough = now.iter().flatten().count() >= k as usize && kinds.len() >= l as usize;
                    prop_assert!(now[asks].is_none() || !enough);
                    continue;
                };
                prop_assert!(region.contains(now[asks].unwrap().0));
                let inside: Vec<u32> =
                    now.iter().flatten().filter(|own| region.contains(own.0)).map(|own| own.1).collect();
                let mut distinct = inside.clone();
                distinct.sort_unstable();
                distinct.dedup();
                prop_assert!(inside.len() >= k as usize && distinct.len() >= l as usize && region.area() >= area);
            }
            prop_assert_eq!(pyramid.len(), now.iter().flatten().count());
        }
    }

    #[test]
    fn positions_outside_are_refused() {
        let mut pyramid = Pyramid::new(Position { x: 0, y: 0 }, 10.0, 3).unwrap();
        assert!(pyramid.place(1, Position { x: -1, y: 5 }, 0).is_err());
        assert!(pyramid.is_empty());
        assert!(Pyramid::new(Position { x: 0, y: 0 }, f64::NAN, 3).is_err());
        assert!(Pyramid::new(Position { x: 0, y: 0 }, 10.0, 12).is_err());
    }
}
