//! k-anonymous cloaking of single positions (survey AP-15): a position becomes a region with others in it.
//!
//! Three threats, three requirements. Who asks must stay unknown: the region holds k people. What somebody asks must stay
//! unknown even when the person is known to be there: the region holds l different values too. Where somebody is must stay
//! unknown: the region has a least area.

mod hilbert;
mod judge;
mod pyramid;
mod quadtree;

pub use hilbert::hilbert_buckets;
pub use judge::{Cloaks, judge_cloaks};
pub use pyramid::{Pyramid, PyramidProfile};
pub use quadtree::{Descent, quadtree};

use crate::TraceError;
use crate::point::{Position, UNITS_PER_METRE};

/// A rectangle on the plane; its edges belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Region {
    /// The corner to the south-west.
    pub low: Position,
    /// The corner to the north-east.
    pub high: Position,
}

impl Region {
    /// The smallest region around positions; `None` without any.
    pub fn around(positions: impl IntoIterator<Item = Position>) -> Option<Self> {
        positions.into_iter().fold(None, |region: Option<Self>, at| {
            let own = region.unwrap_or(Self { low: at, high: at });
            Some(Self {
                low: Position { x: own.low.x.min(at.x), y: own.low.y.min(at.y) },
                high: Position { x: own.high.x.max(at.x), y: own.high.y.max(at.y) },
            })
        })
    }

    /// Whether a position lies in it.
    pub fn contains(&self, at: Position) -> bool {
        (self.low.x..=self.high.x).contains(&at.x) && (self.low.y..=self.high.y).contains(&at.y)
    }

    /// Whether another region lies in it.
    pub fn includes(&self, other: &Self) -> bool {
        self.contains(other.low) && self.contains(other.high)
    }

    /// The area in square metres; each centimetre of width counts.
    pub fn area(&self) -> f64 {
        let side = |low: i32, high: i32| (f64::from(high) - f64::from(low) + 1.0) / UNITS_PER_METRE;
        side(self.low.x, self.high.x) * side(self.low.y, self.high.y)
    }

    /// The middle.
    pub fn centre(&self) -> Position {
        let middle = |low: i32, high: i32| ((i64::from(low) + i64::from(high)) / 2) as i32;
        Position { x: middle(self.low.x, self.high.x), y: middle(self.low.y, self.high.y) }
    }

    /// Its corners.
    pub fn corners(&self) -> [Position; 4] {
        let (low, high) = (self.low, self.high);
        [low, Position { x: high.x, y: low.y }, high, Position { x: low.x, y: high.y }]
    }

    /// The squared distance of a position to the nearest position of the region; 0 within.
    pub fn squared_distance(&self, at: Position) -> i64 {
        let nearest =
            Position { x: at.x.clamp(self.low.x, self.high.x), y: at.y.clamp(self.low.y, self.high.y) };
        nearest.squared_distance(at)
    }

    /// The squared distance of a position to the farthest position of the region, which is a corner.
    pub fn squared_farthest(&self, at: Position) -> i64 {
        self.corners().iter().map(|corner| corner.squared_distance(at)).max().unwrap_or_default()
    }
}

/// Which threat a region guards against, and how much.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", tag = "threat", deny_unknown_fields)]
pub enum Threat {
    /// Who it is: at least k people.
    Identity {
        /// The number of people.
        k: u32,
    },
    /// What the person asks for or does: at least k people with at least l different values.
    QueryLink {
        /// The number of people.
        k: u32,
        /// The number of different values.
        l: u32,
    },
    /// Where the person is: at least k people (1 is allowed) and a least area.
    Location {
        /// The number of people.
        k: u32,
        /// Square metres.
        area: f64,
    },
}

impl Threat {
    /// The number of people.
    pub fn k(&self) -> u32 {
        match *self {
            Self::Identity { k } | Self::QueryLink { k, .. } | Self::Location { k, .. } => k,
        }
    }

    /// The number of different values; 1 where it does not matter.
    pub fn l(&self) -> u32 {
        if let Self::QueryLink { l, .. } = *self { l } else { 1 }
    }

    /// The least area in square metres; 0 where it does not matter.
    pub fn area(&self) -> f64 {
        if let Self::Location { area, .. } = *self { area } else { 0.0 }
    }

    /// Refuses what no region of these people satisfies.
    ///
    /// # Errors
    /// When k, l or the area is out of range, or there are fewer people than k.
    pub fn check(&self, people: usize) -> Result<(), TraceError> {
        if self.k() == 0 || self.l() == 0 || !(0.0..=1e14).contains(&self.area()) {
            return Err(TraceError::parameter("threat", "k and l of 1 or more and an area of 0 or more"));
        }
        if (self.k() as usize) > people {
            let (k, objects) = (self.k().into(), people as u64);
            return Err(TraceError::Unreachable { k, objects, what: "people" });
        }
        Ok(())
    }
}

/// People at one time: where each is, and what each asks for or does, if that matters.
#[derive(Debug, Clone, Copy)]
pub struct Crowd<'a> {
    /// One position for each person.
    pub positions: &'a [Position],
    /// One value for each person; empty where values do not matter.
    pub values: &'a [u32],
}

impl Crowd<'_> {
    fn check(&self, threat: &Threat) -> Result<(), TraceError> {
        threat.check(self.positions.len())?;
        let count = self.positions.len();
        if self.values.len() != count && !(self.values.is_empty() && threat.l() == 1) {
            return Err(TraceError::Length { what: "sensitive values", count, of: "positions" });
        }
        if (threat.l() as usize) > 1 {
            let mut distinct = self.values.to_vec();
            distinct.sort_unstable();
            distinct.dedup();
            if distinct.len() < threat.l() as usize {
                let (k, objects) = (threat.l().into(), distinct.len() as u64);
                return Err(TraceError::Unreachable { k, objects, what: "different values" });
            }
        }
        Ok(())
    }
}

/// Whether there are at least `wanted` different values among those of some people.
fn has_distinct(values: &[u32], people: impl Iterator<Item = u32>, wanted: u32) -> bool {
    if wanted <= 1 {
        return true;
    }
    let mut seen: Vec<u32> = Vec::with_capacity(wanted as usize);
    for person in people {
        let value = values[person as usize];
        if !seen.contains(&value) {
            seen.push(value);
            if seen.len() >= wanted as usize {
                return true;
            }
        }
    }
    false
}

/// The regions of a crowd.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cloaked {
    /// The different regions.
    pub regions: Vec<Region>,
    /// Per person the region.
    pub of: Vec<u32>,
}

impl Cloaked {
    /// The region of a person.
    pub fn region(&self, person: usize) -> Region {
        self.regions[self.of[person] as usize]
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use privet_data::Random;
    use proptest::prelude::*;

    pub fn crowd(seed: u64, people: usize, side: i32, values: usize) -> (Vec<Position>, Vec<u32>) {
        let mut random = Random::new(seed);
        let positions = (0..people)
            .map(|_| Position {
                x: random.below(side as usize) as i32,
                y: random.below(side as usize) as i32,
            })
            .collect();
        (positions, (0..people).map(|_| random.below(values) as u32).collect())
    }

    fn threats(k: u32) -> [Threat; 3] {
        [Threat::Identity { k }, Threat::QueryLink { k, l: 2 }, Threat::Location { k, area: 4.0 }]
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let (positions, values) = crowd(1, 5, 1000, 1);
        let crowd = Crowd { positions: &positions, values: &values };
        assert!(matches!(
            hilbert_buckets(crowd, &Threat::Identity { k: 6 }),
            Err(TraceError::Unreachable { .. })
        ));
        let linked = Threat::QueryLink { k: 2, l: 2 };
        assert!(matches!(quadtree(crowd, &linked, Descent::Nearest), Err(TraceError::Unreachable { .. })));
        let no_values = Crowd { values: &[], ..crowd };
        assert!(matches!(quadtree(no_values, &linked, Descent::Nearest), Err(TraceError::Length { .. })));
        assert!(Threat::Location { k: 1, area: f64::NAN }.check(5).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        /// By brute force over all people: every region holds its own person, k people, l values and the area.
        #[test]
        fn regions_hold_what_they_must(seed in 0u64..5000, people in 8usize..60, k in 1u32..6, side in 200i32..4000) {
            let (positions, values) = crowd(seed, people, side, 3);
            let crowd = Crowd { positions: &positions, values: &values };
            for threat in threats(k) {
                if crowd.check(&threat).is_err() {
                    continue;
                }
                let mut all = vec![
                    (quadtree(crowd, &threat, Descent::Nearest).unwrap(), false),
                    (quadtree(crowd, &threat, Descent::Reciprocal).unwrap(), true),
                ];
                // Runs of people do not reach further than people do.
                all.extend(hilbert_buckets(crowd, &threat).ok().map(|own| (own, true)));
                prop_assert!(all.len() == 3 || threat.area() > 0.0);
                for (cloaked, is_reciprocal) in all {
                    for person in 0..people {
                        let region = cloaked.region(person);
                        prop_assert!(region.contains(positions[person]));
                        prop_assert!(region.area() >= threat.area());
                        // Who counts: everybody inside, or those with the same region.
                        let counts = |other: &usize| match is_reciprocal {
                            true => cloaked.of[*other] == cloaked.of[person],
                            false => region.contains(positions[*other]),
                        };
                        let inside: Vec<usize> = (0..people).filter(counts).collect();
                        prop_assert!(inside.len() >= k as usize);
                        let mut distinct: Vec<u32> = inside.iter().map(|&own| values[own]).collect();
                        distinct.sort_unstable();
                        distinct.dedup();
                        prop_assert!(distinct.len() >= threat.l() as usize);
                    }
                }
            }
        }
    }
}
