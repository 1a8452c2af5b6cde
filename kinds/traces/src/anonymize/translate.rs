//! Spatial translation (Never Walk Alone, step 3): at every time, points outside of the disc of diameter δ around the mean
//! of their group move onto its edge, which is the shortest move that makes all pairs lie within δ.
//!
//! Guarantee. Afterwards twice the distance of every point to a common centre is at most δ, in exact whole numbers; so no
//! pair is further apart than δ.

use crate::point::{Position, UNITS_PER_METRE};

/// How far points were moved.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Translated {
    /// All points.
    pub points: u64,
    /// Points that were moved.
    pub moved: u64,
    /// The sum of all moves in metres.
    pub sum: f64,
    /// The longest move in metres.
    pub longest: f64,
}

/// Moves the positions of a group, one list of positions at the same times for each member. `delta` in centimetres.
pub fn translate(members: &mut [Vec<Position>], delta: i64) -> Translated {
    let mut done = Translated::default();
    let times = members.iter().map(Vec::len).min().unwrap_or_default();
    let count = members.len() as i64;
    for time in 0..times {
        let sums = members
            .iter()
            .fold((0i64, 0i64), |sum, own| (sum.0 + i64::from(own[time].x), sum.1 + i64::from(own[time].y)));
        // A mean of coordinates fits where they do.
        let centre = Position { x: (sums.0 / count) as i32, y: (sums.1 / count) as i32 };
        for own in members.iter_mut() {
            let moved = onto_disc(own[time], centre, delta);
            let distance = own[time].distance(moved);
            done.points += 1;
            done.moved += u64::from(moved != own[time]);
            done.sum += distance;
            done.longest = done.longest.max(distance);
            own[time] = moved;
        }
    }
    done
}

/// Whether a position lies in the disc of diameter `delta` around a centre.
fn is_within(position: Position, centre: Position, delta: i64) -> bool {
    4 * i128::from(position.squared_distance(centre)) <= i128::from(delta) * i128::from(delta)
}

/// The nearest position on whole numbers, towards the centre.
fn onto_disc(position: Position, centre: Position, delta: i64) -> Position {
    if is_within(position, centre, delta) {
        return position;
    }
    let (dx, dy) = (f64::from(position.x) - f64::from(centre.x), f64::from(position.y) - f64::from(centre.y));
    let half = (delta / 2) as f64;
    let mut share = half / (position.distance(centre) * UNITS_PER_METRE);
    loop {
        // Cut off towards the centre.
        let moved = Position { x: centre.x + (dx * share) as i32, y: centre.y + (dy * share) as i32 };
        if is_within(moved, centre, delta) {
            return moved;
        }
        // Floating point was off by its last bits.
        share *= 1.0 - 1e-9;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn points_move_no_further_than_needed() {
        let position = |x, y| Position { x, y };
        let mut members = vec![vec![position(0, 0)], vec![position(1000, 0)]];
        let done = translate(&mut members, 400);
        assert_eq!(members, [[position(300, 0)], [position(700, 0)]]);
        assert_eq!((done.moved, done.longest), (2, 3.0));
        let mut close = vec![vec![position(0, 0)], vec![position(200, 0)]];
        assert_eq!(translate(&mut close, 400).moved, 0);
        assert_eq!(translate(&mut [], 400), Translated::default());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]
        #[test]
        fn afterwards_all_pairs_are_within_delta(
            points in prop::collection::vec((-900_000_000i32..900_000_000, -9000i32..9000), 1..7), delta in 0i64..2000,
        ) {
            let mut members: Vec<Vec<Position>> = points.iter().map(|&(x, y)| vec![Position { x, y }]).collect();
            translate(&mut members, delta);
            for a in &members {
                for b in &members {
                    prop_assert!(a[0].squared_distance(b[0]) <= delta * delta);
                }
            }
        }
    }
}
