//! From latitude and longitude to a local plane in metres and back.
//!
//! The projection is the transverse Mercator projection of a sphere around the middle of the data. At 100 km from the
//! central meridian lengths are off by less than 0.02 %, at 1,000 km by 1.3 %; the flattening of the Earth adds up to
//! 0.5 %. Data that reach further than 1,500 km from the middle are refused: no plane shows their distances.

use crate::TraceError;
use crate::point::Position;

/// The mean radius of the Earth in metres.
const EARTH: f64 = 6_371_008.8;
/// How far from its middle a plane reaches, in metres.
const REACH: f64 = 1_500_000.0;

/// What coordinates on a plane are.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", tag = "plane")]
pub enum Plane {
    /// The input has metres.
    #[default]
    Metres,
    /// Metres east and north of a point given in degrees.
    Local {
        /// The latitude of the point.
        latitude: f64,
        /// The longitude of the point.
        longitude: f64,
    },
}

/// A position on the Earth in degrees.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Degrees {
    /// From −90 to 90.
    pub latitude: f64,
    /// From −180 to 180.
    pub longitude: f64,
}

impl Degrees {
    /// Degrees that are numbers in range.
    pub fn new(latitude: f64, longitude: f64) -> Option<Self> {
        // Not a number is not within.
        let is_within = latitude.abs() <= 90.0 && longitude.abs() <= 180.0;
        is_within.then_some(Self { latitude, longitude })
    }
}

fn wrapped(longitude: f64) -> f64 {
    (longitude + 180.0).rem_euclid(360.0) - 180.0
}

impl Plane {
    /// A plane around the middle of positions, whole hundredths of a degree so that the plane gives no position away.
    /// Longitudes are averaged as directions, so data on both sides of the date line are close together.
    pub fn around(positions: &[Degrees]) -> Option<Self> {
        let first = positions.first()?;
        let relative = positions.iter().map(|own| wrapped(own.longitude - first.longitude));
        let (mut west, mut east) = (0.0f64, 0.0f64);
        relative.for_each(|own| (west, east) = (west.min(own), east.max(own)));
        let latitudes = || positions.iter().map(|own| own.latitude);
        let (south, north) =
            (latitudes().fold(f64::INFINITY, f64::min), latitudes().fold(f64::NEG_INFINITY, f64::max));
        let hundredths = |degrees: f64| (degrees * 100.0).round() / 100.0;
        Some(Self::Local {
            latitude: hundredths((south + north) / 2.0).clamp(-89.9, 89.9),
            longitude: hundredths(wrapped(first.longitude + (west + east) / 2.0)),
        })
    }

    /// A position on the plane; `None` beyond its reach or for a plane that does not lie on the Earth.
    pub fn project(&self, degrees: Degrees) -> Option<Position> {
        let Self::Local { latitude, longitude } = *self else { return None };
        let (phi, lambda) =
            (degrees.latitude.to_radians(), wrapped(degrees.longitude - longitude).to_radians());
        let b = phi.cos() * lambda.sin();
        let (x, y) =
            (EARTH * b.atanh(), EARTH * (phi.sin().atan2(phi.cos() * lambda.cos()) - latitude.to_radians()));
        (x.hypot(y) <= REACH).then(|| Position::from_metres(x, y)).flatten()
    }

    /// The degrees of a position; `None` for a plane that does not lie on the Earth.
    pub fn degrees(&self, position: Position) -> Option<Degrees> {
        let Self::Local { latitude, longitude } = *self else { return None };
        let (x, y) = position.metres();
        let (x, d) = (x / EARTH, y / EARTH + latitude.to_radians());
        let phi = (d.sin() / x.cosh()).asin();
        let lambda = x.sinh().atan2(d.cos());
        Some(Degrees { latitude: phi.to_degrees(), longitude: wrapped(longitude + lambda.to_degrees()) })
    }

    /// Positions on a plane around their middle.
    ///
    /// # Errors
    /// When some lie too far apart.
    pub fn project_all(positions: &[Degrees]) -> Result<(Self, Vec<Position>), TraceError> {
        let plane = Self::around(positions).ok_or(TraceError::Empty { what: "positions" })?;
        Ok((plane, plane.positions(positions)?))
    }

    /// Positions on this plane.
    ///
    /// # Errors
    /// When some lie beyond its reach.
    pub fn positions(&self, positions: &[Degrees]) -> Result<Vec<Position>, TraceError> {
        let projected: Vec<Option<Position>> = positions.iter().map(|&own| self.project(own)).collect();
        let far = projected.iter().filter(|own| own.is_none()).count() as u64;
        if far > 0 {
            return Err(TraceError::OutOfRange {
                points: far,
                problem: "more than 1,500 km from the middle of the data",
                accepted: "split the data by region",
            });
        }
        Ok(projected.into_iter().flatten().collect())
    }

    /// Whether both planes have the same coordinates.
    pub fn agrees_with(&self, other: &Self) -> bool {
        self == other
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The distance over the sphere in metres.
    fn haversine(a: Degrees, b: Degrees) -> f64 {
        let (dp, dl) = ((b.latitude - a.latitude).to_radians(), (b.longitude - a.longitude).to_radians());
        let h = (dp / 2.0).sin().powi(2)
            + a.latitude.to_radians().cos() * b.latitude.to_radians().cos() * (dl / 2.0).sin().powi(2);
        2.0 * EARTH * h.sqrt().asin()
    }

    #[test]
    fn data_across_the_date_line_are_close() {
        let both =
            [Degrees { latitude: -17.0, longitude: 179.9 }, Degrees { latitude: -17.1, longitude: -179.9 }];
        let (_, positions) = Plane::project_all(&both).unwrap();
        let distance = positions[0].distance(positions[1]);
        assert!((distance - haversine(both[0], both[1])).abs() < 5.0, "{distance}");
    }

    #[test]
    fn what_is_too_far_or_no_number_is_refused() {
        let apart = [Degrees { latitude: 0.0, longitude: 0.0 }, Degrees { latitude: 0.0, longitude: 60.0 }];
        assert!(matches!(Plane::project_all(&apart), Err(TraceError::OutOfRange { points: 2, .. })));
        assert_eq!(Degrees::new(f64::NAN, 0.0), None);
        assert_eq!(Degrees::new(0.0, 180.5), None);
        assert!(Plane::project_all(&[]).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Within 50 km, distances are those over the sphere to 0.02 %, and degrees come back to a centimetre.
        #[test]
        fn distances_are_kept(lat in -70.0f64..70.0, lon in -180.0f64..180.0, moves in prop::array::uniform4(-0.2f64..0.2)) {
            let at = |dy: f64, dx: f64| Degrees { latitude: lat + dy, longitude: wrapped(lon + dx) };
            let all = [at(moves[0], moves[1]), at(moves[2], moves[3])];
            let (plane, projected) = Plane::project_all(&all).unwrap();
            let (flat, round) = (projected[0].distance(projected[1]), haversine(all[0], all[1]));
            prop_assert!((flat - round).abs() <= 0.0002 * round + 0.05, "{flat} {round}");
            let back = plane.degrees(projected[0]).unwrap();
            prop_assert!(haversine(back, all[0]) < 0.02);
        }
    }
}
