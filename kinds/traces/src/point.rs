//! Positions and points on whole numbers: centimetres and seconds.
//!
//! Whole numbers make every criterion exact: two points that are checked to lie within delta lie within delta in the
//! published file too. Coordinates are limited so that no squared distance overflows 64 bits.

/// The largest coordinate in centimetres, 10,000 km: the square of the longest distance fits 64 bits.
pub const LARGEST_COORDINATE: i32 = 1_000_000_000;

/// Centimetres of a metre.
pub const UNITS_PER_METRE: f64 = 100.0;

/// A position on a local plane, in centimetres.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Position {
    /// To the east.
    pub x: i32,
    /// To the north.
    pub y: i32,
}

impl Position {
    /// A position from metres, rounded to centimetres; `None` for what is no number or lies outside of the plane.
    pub fn from_metres(x: f64, y: f64) -> Option<Self> {
        let unit = |metres: f64| {
            let units = (metres * UNITS_PER_METRE).round();
            (units.abs() <= f64::from(LARGEST_COORDINATE)).then_some(units as i32)
        };
        Some(Self { x: unit(x)?, y: unit(y)? })
    }

    /// The coordinates in metres.
    pub fn metres(self) -> (f64, f64) {
        (f64::from(self.x) / UNITS_PER_METRE, f64::from(self.y) / UNITS_PER_METRE)
    }

    /// The squared distance in squared centimetres, exactly. Corners of regions may lie as far outside of the plane as numbers reach; what is
    /// too far for this number is as far as it can say.
    pub fn squared_distance(self, other: Self) -> i64 {
        let (dx, dy) = (i64::from(self.x) - i64::from(other.x), i64::from(self.y) - i64::from(other.y));
        dx.saturating_mul(dx).saturating_add(dy.saturating_mul(dy))
    }

    /// The distance in metres.
    pub fn distance(self, other: Self) -> f64 {
        (self.squared_distance(other) as f64).sqrt() / UNITS_PER_METRE
    }
}

/// A position at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Point {
    /// Seconds since 1970-01-01 00:00 UTC, or since the zero of the data.
    pub time: i64,
    /// Where.
    pub at: Position,
}

impl Point {
    /// A point from its parts.
    pub fn new(time: i64, x: i32, y: i32) -> Self {
        Self { time, at: Position { x, y } }
    }
}

/// A length in metres as whole centimetres, rounded down.
pub(crate) fn centimetres_down(metres: f64) -> i64 {
    (metres * UNITS_PER_METRE).floor() as i64
}

/// The position between two points at a time, on the straight line and rounded to centimetres. Outside of them the nearer
/// end.
pub fn between(a: Point, b: Point, time: i64) -> Position {
    if time <= a.time || b.time <= a.time {
        return a.at;
    }
    if time >= b.time {
        return b.at;
    }
    let share = (time - a.time) as f64 / (b.time - a.time) as f64;
    let mix =
        |from: i32, to: i32| (f64::from(from) + share * (f64::from(to) - f64::from(from))).round() as i32;
    Position { x: mix(a.at.x, b.at.x), y: mix(a.at.y, b.at.y) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_distance_does_not_overflow() {
        let (a, b) = (
            Position { x: LARGEST_COORDINATE, y: LARGEST_COORDINATE },
            Position { x: -LARGEST_COORDINATE, y: -LARGEST_COORDINATE },
        );
        assert_eq!(a.squared_distance(b), 8_000_000_000_000_000_000);
        let corner = |end: i32| Position { x: end, y: end };
        assert_eq!(corner(i32::MIN).squared_distance(corner(i32::MAX)), i64::MAX);
    }

    #[test]
    fn what_is_no_number_is_no_position() {
        assert_eq!(Position::from_metres(f64::NAN, 0.0), None);
        assert_eq!(Position::from_metres(0.0, f64::INFINITY), None);
        assert_eq!(Position::from_metres(1.0e7 + 1.0, 0.0), None);
        assert_eq!(Position::from_metres(1.234, -5.0), Some(Position { x: 123, y: -500 }));
    }

    #[test]
    fn lines_are_interpolated() {
        let (a, b) = (Point::new(0, 0, 0), Point::new(10, 100, -50));
        assert_eq!(between(a, b, 5), Position { x: 50, y: -25 });
        assert_eq!(between(a, b, -1), a.at);
        assert_eq!(between(a, b, 11), b.at);
    }
}
