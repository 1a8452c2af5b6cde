//! Cloaking by quadtree descent (Gruteser and Grunwald 2003; survey AP-15): the smallest quadrant around a position that
//! still holds what it must.
//!
//! Quadrants are those of a square that is a power of two centimetres wide, so their edges tell nothing of the data.
//! Growth: O(n · depth), because the quadrants of all people are found in one descent over people in Morton order.
//!
//! With [`Descent::Nearest`], the method as published, a region holds k people, but fewer may have *this* region: whoever
//! knows all positions and the method excludes those who would have got a smaller one. [`Descent::Reciprocal`] descends
//! only where all people of a quadrant can, so at least k people have each region.

use super::{Cloaked, Crowd, Region, Threat, has_distinct};
use crate::TraceError;
use crate::point::Position;

/// How far to descend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Descent {
    /// Every position to its smallest quadrant.
    Nearest,
    /// Only where all positions of a quadrant can descend.
    #[default]
    Reciprocal,
}

/// The bits of two coordinates, alternating.
pub(crate) fn morton(x: u32, y: u32) -> u64 {
    let spread = |own: u32| {
        let mut own = u64::from(own);
        own = (own | own << 16) & 0x0000_FFFF_0000_FFFF;
        own = (own | own << 8) & 0x00FF_00FF_00FF_00FF;
        own = (own | own << 4) & 0x0F0F_0F0F_0F0F_0F0F;
        own = (own | own << 2) & 0x3333_3333_3333_3333;
        (own | own << 1) & 0x5555_5555_5555_5555
    };
    spread(x) << 1 | spread(y)
}

/// Coordinates as numbers without sign, in the same order.
pub(crate) fn shifted(at: Position) -> (u32, u32) {
    let of = |own: i32| (own as u32) ^ 0x8000_0000;
    (of(at.x), of(at.y))
}

struct Tree<'a> {
    crowd: Crowd<'a>,
    threat: Threat,
    descent: Descent,
    /// People in Morton order, and their codes.
    order: Vec<u32>,
    codes: Vec<u64>,
    done: Cloaked,
}

/// Gives every person of a crowd a quadrant.
///
/// # Errors
/// When the whole crowd does not have what a region must hold.
pub fn quadtree(crowd: Crowd<'_>, threat: &Threat, descent: Descent) -> Result<Cloaked, TraceError> {
    crowd.check(threat)?;
    let code = |person: &u32| {
        let (x, y) = shifted(crowd.positions[*person as usize]);
        morton(x, y)
    };
    let mut keyed: Vec<(u64, u32)> =
        (0..crowd.positions.len() as u32).map(|person| (code(&person), person)).collect();
    keyed.sort_unstable();
    let (codes, order): (Vec<u64>, Vec<u32>) = keyed.into_iter().unzip();
    let done = Cloaked { regions: Vec::new(), of: vec![0; order.len()] };
    let mut tree = Tree { crowd, threat: *threat, descent, order, codes, done };
    tree.descend(0, tree.codes.len(), 32);
    Ok(tree.done)
}

impl Tree<'_> {
    /// The quadrant of so many bits around the first of some people.
    fn quadrant(&self, first: usize, bits: u32) -> Region {
        let (x, y) = shifted(self.crowd.positions[self.order[first] as usize]);
        let back = |own: u64| (own as u32 ^ 0x8000_0000) as i32;
        let side = 1u64 << bits;
        let low = |own: u32| u64::from(own) & !(side - 1);
        Region {
            low: Position { x: back(low(x)), y: back(low(y)) },
            high: Position { x: back(low(x) + (side - 1)), y: back(low(y) + (side - 1)) },
        }
    }

    fn satisfies(&self, from: usize, to: usize, bits: u32) -> bool {
        to - from >= self.threat.k() as usize
            && 4f64.powi(bits as i32) / 1e4 >= self.threat.area()
            && has_distinct(self.crowd.values, self.order[from..to].iter().copied(), self.threat.l())
    }

    /// Assigns the people of a quadrant that satisfies the threat.
    fn descend(&mut self, mut from: usize, to: usize, bits: u32) {
        let (begin, region_bits) = (from, bits);
        let mut own: Option<u32> = None;
        let mut quarters: Vec<(usize, usize)> = Vec::with_capacity(4);
        if bits > 0 {
            let shift = 2 * (bits - 1);
            while from < to {
                let quarter = self.codes[from] >> shift;
                let end = from + self.codes[from..to].partition_point(|code| code >> shift == quarter);
                quarters.push((from, end));
                from = end;
            }
        } else {
            quarters.push((from, to));
        }
        let fits = |own: &(usize, usize)| bits > 0 && self.satisfies(own.0, own.1, bits - 1);
        let descends: Vec<bool> = quarters.iter().map(fits).collect();
        let all = descends.iter().all(|own| *own);
        for (&(from, end), &fits) in quarters.iter().zip(&descends) {
            if fits && (all || self.descent == Descent::Nearest) {
                self.descend(from, end, bits - 1);
                continue;
            }
            let region = match own {
                Some(region) => region,
                None => {
                    let region = self.quadrant(begin, region_bits);
                    self.done.regions.push(region);
                    *own.insert(self.done.regions.len() as u32 - 1)
                }
            };
            for &person in &self.order[from..end] {
                self.done.of[person as usize] = region;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three people close together and one apart: as published, the fourth alone has the large quadrant.
    #[test]
    fn the_published_descent_singles_out_outliers() {
        let positions = [(1, 1), (2, 2), (3, 1), (60, 60)].map(|(x, y)| Position { x, y });
        let crowd = Crowd { positions: &positions, values: &[] };
        let threat = Threat::Identity { k: 3 };
        let nearest = quadtree(crowd, &threat, Descent::Nearest).unwrap();
        assert_eq!(nearest.of.iter().filter(|own| **own == nearest.of[3]).count(), 1);
        assert_eq!(nearest.region(0).high, Position { x: 3, y: 3 });
        let reciprocal = quadtree(crowd, &threat, Descent::Reciprocal).unwrap();
        assert_eq!(reciprocal.regions.len(), 1);
        assert_eq!(
            reciprocal.region(0),
            Region { low: Position { x: 0, y: 0 }, high: Position { x: 63, y: 63 } }
        );
    }

    #[test]
    fn people_at_one_position_share_a_point() {
        let positions = [Position { x: -5, y: 7 }; 4];
        let crowd = Crowd { positions: &positions, values: &[] };
        let done = quadtree(crowd, &Threat::Identity { k: 4 }, Descent::Reciprocal).unwrap();
        assert_eq!(done.region(2), Region { low: positions[0], high: positions[0] });
        let wide = quadtree(crowd, &Threat::Location { k: 1, area: 0.05 }, Descent::Reciprocal).unwrap();
        assert!(wide.region(2).area() >= 0.05);
    }
}
