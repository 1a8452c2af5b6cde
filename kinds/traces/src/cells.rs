//! Cells: the plane cut into regions, finer and coarser. Hexagons of H3 for positions on the Earth, squares otherwise.
//!
//! Level 0 is the finest. Every cell of a level lies in one cell of the next by its name; hexagons do so by their index,
//! and at the edges by up to a sixth of their width not by their area.

use h3o::{CellIndex, LatLng, Resolution};
use serde::{Deserialize, Serialize};

use crate::point::Position;
use crate::{Plane, TraceError};

/// The most levels of squares.
const MOST_LEVELS: u8 = 24;

/// How the plane is cut into cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "cells")]
pub enum Tiling {
    /// Hexagons of H3, from a finest to a coarsest resolution (15 is finest, 0 coarsest).
    H3 {
        /// The finest resolution.
        finest: u8,
        /// The coarsest resolution.
        coarsest: u8,
    },
    /// Squares whose sides double from level to level.
    Squares {
        /// The side of the finest squares in centimetres.
        side: u32,
        /// The number of levels.
        levels: u8,
    },
}

/// The number of a cell. H3 indexes for hexagons; for squares the column and row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell(pub u64);

impl Tiling {
    /// Hexagons for positions on the Earth, squares of about the same size otherwise.
    pub fn usual(plane: &Plane) -> Self {
        match plane {
            Plane::Local { .. } => Self::H3 { finest: 9, coarsest: 5 },
            Plane::Metres => Self::Squares { side: 40_000, levels: 6 },
        }
    }

    /// Refuses what no plane can be cut into.
    ///
    /// # Errors
    /// When resolutions are out of range, or hexagons are wanted of a plane that does not lie on the Earth.
    pub fn check(&self, plane: &Plane) -> Result<(), TraceError> {
        match *self {
            Self::H3 { finest, coarsest } => {
                if finest > 15 || coarsest > finest {
                    return Err(TraceError::parameter("cells", "resolutions 0 <= coarsest <= finest <= 15"));
                }
                if matches!(plane, Plane::Metres) {
                    return Err(TraceError::parameter(
                        "cells",
                        "squares: these positions are not on the Earth",
                    ));
                }
            }
            Self::Squares { side, levels } => {
                if side == 0
                    || !(1..=MOST_LEVELS).contains(&levels)
                    || side.checked_shl(levels.into()).is_none()
                {
                    return Err(TraceError::parameter("cells", "a side above 0 and from 1 to 24 levels"));
                }
                if (u64::from(side) << (levels - 1)) > u64::from(u32::MAX) {
                    return Err(TraceError::parameter("cells", "squares of at most 42,000 km"));
                }
            }
        }
        Ok(())
    }

    /// The number of levels.
    pub fn levels(&self) -> u8 {
        match *self {
            Self::H3 { finest, coarsest } => finest - coarsest + 1,
            Self::Squares { levels, .. } => levels,
        }
    }

    /// The finest cell of a position.
    ///
    /// # Errors
    /// When hexagons are wanted of a plane that does not lie on the Earth.
    pub fn finest(&self, plane: &Plane, position: Position) -> Result<Cell, TraceError> {
        match *self {
            Self::H3 { finest, .. } => {
                let index = plane
                    .degrees(position)
                    .and_then(|own| LatLng::new(own.latitude, own.longitude).ok())
                    .zip(Resolution::try_from(finest).ok())
                    .map(|(own, resolution)| Cell(own.to_cell(resolution).into()));
                index.ok_or(TraceError::parameter("cells", "squares: these positions are not on the Earth"))
            }
            Self::Squares { side, .. } => {
                let of = |coordinate: i32| i64::from(coordinate).div_euclid(side.into()) as i32 as u32;
                Ok(Cell(u64::from(of(position.x)) << 32 | u64::from(of(position.y))))
            }
        }
    }

    /// The cell of a coarser level around a finest cell.
    pub fn coarser(&self, finest: Cell, level: u8) -> Cell {
        match *self {
            Self::H3 { finest: resolution, .. } => {
                let wanted = Resolution::try_from(resolution.saturating_sub(level)).ok();
                let parent =
                    CellIndex::try_from(finest.0).ok().zip(wanted).and_then(|(own, to)| own.parent(to));
                parent.map_or(finest, |own| Cell(own.into()))
            }
            Self::Squares { .. } => {
                let of = |part: u64| u64::from((part as u32 as i32 >> level.min(31)) as u32);
                Cell(of(finest.0 >> 32) << 32 | of(finest.0 & 0xFFFF_FFFF))
            }
        }
    }

    /// The finest cells of all positions.
    ///
    /// # Errors
    /// As [`finest`](Self::finest).
    pub fn all(
        &self,
        plane: &Plane,
        positions: impl Iterator<Item = Position>,
    ) -> Result<Vec<Cell>, TraceError> {
        self.check(plane)?;
        let mut last: Option<(Position, Cell)> = None;
        positions
            .map(|position| {
                if let Some((same, cell)) = last.filter(|(same, _)| *same == position) {
                    last = Some((same, cell));
                    return Ok(cell);
                }
                let cell = self.finest(plane, position)?;
                last = Some((position, cell));
                Ok(cell)
            })
            .collect()
    }

    /// The name of a cell: the H3 index in hexadecimal digits, or `level/column/row`.
    pub fn name(&self, cell: Cell, level: u8) -> String {
        match self {
            Self::H3 { .. } => format!("{:x}", cell.0),
            Self::Squares { .. } => {
                format!("{level}/{}/{}", (cell.0 >> 32) as u32 as i32, cell.0 as u32 as i32)
            }
        }
    }

    /// The cell and level of a name; `None` when it is no name of a cell of these levels.
    pub fn parse(&self, name: &str) -> Option<(Cell, u8)> {
        match *self {
            Self::H3 { finest, coarsest } => {
                let index = CellIndex::try_from(u64::from_str_radix(name, 16).ok()?).ok()?;
                let resolution = u8::from(index.resolution());
                (coarsest..=finest).contains(&resolution).then(|| (Cell(index.into()), finest - resolution))
            }
            Self::Squares { levels, .. } => {
                let mut parts = name.splitn(3, '/');
                let level: u8 = parts.next()?.parse().ok().filter(|own| *own < levels)?;
                let column: i32 = parts.next()?.parse().ok()?;
                let row: i32 = parts.next()?.parse().ok()?;
                Some((Cell(u64::from(column as u32) << 32 | u64::from(row as u32)), level))
            }
        }
    }

    /// The middle of a cell on the plane.
    pub fn centre(&self, plane: &Plane, cell: Cell, level: u8) -> Option<Position> {
        match *self {
            Self::H3 { .. } => {
                let centre = LatLng::from(CellIndex::try_from(cell.0).ok()?);
                plane.project(crate::Degrees::new(centre.lat(), centre.lng())?)
            }
            Self::Squares { side, .. } => {
                let side = i64::from(side) << level;
                let of = |part: u64| i32::try_from(i64::from(part as u32 as i32) * side + side / 2).ok();
                Some(Position { x: of(cell.0 >> 32)?, y: of(cell.0 & 0xFFFF_FFFF)? })
            }
        }
    }

    /// The corners of a cell on the plane, in order.
    pub fn corners(&self, plane: &Plane, cell: Cell, level: u8) -> Vec<Position> {
        match *self {
            Self::H3 { .. } => {
                let boundary = CellIndex::try_from(cell.0).ok().map(CellIndex::boundary);
                let corners = boundary.iter().flat_map(|own| own.iter());
                let degrees = corners.filter_map(|own| crate::Degrees::new(own.lat(), own.lng()));
                degrees.filter_map(|own| plane.project(own)).collect()
            }
            Self::Squares { side, .. } => {
                let side = i64::from(side) << level;
                let (column, row) =
                    (i64::from((cell.0 >> 32) as u32 as i32), i64::from(cell.0 as u32 as i32));
                let corner = |dx: i64, dy: i64| {
                    let x = i32::try_from((column + dx) * side).ok()?;
                    Some(Position { x, y: i32::try_from((row + dy) * side).ok()? })
                };
                [(0, 0), (1, 0), (1, 1), (0, 1)].iter().filter_map(|&(dx, dy)| corner(dx, dy)).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BERLIN: Plane = Plane::Local { latitude: 52.5, longitude: 13.4 };

    /// The H3 documentation's own example: 37.769377, −122.388903 at resolution 9 is 89283082e73ffff.
    #[test]
    fn hexagons_are_those_of_h3() {
        let plane = Plane::Local { latitude: 37.77, longitude: -122.39 };
        let at = plane.project(crate::Degrees::new(37.769377, -122.388903).unwrap()).unwrap();
        let tiling = Tiling::H3 { finest: 9, coarsest: 7 };
        let cell = tiling.finest(&plane, at).unwrap();
        assert_eq!(tiling.name(cell, 0), "89283082e73ffff");
        let coarser = tiling.coarser(cell, 2);
        assert_eq!(tiling.parse(&tiling.name(coarser, 2)), Some((coarser, 2)));
        assert_eq!(tiling.parse("85283083fffffff"), None, "coarser than the coarsest");
    }

    #[test]
    fn hexagons_need_the_earth() {
        let hexagons = Tiling::H3 { finest: 9, coarsest: 7 };
        assert!(hexagons.check(&Plane::Metres).is_err());
        assert!(hexagons.check(&BERLIN).is_ok());
        assert!(Tiling::H3 { finest: 16, coarsest: 7 }.check(&BERLIN).is_err());
        assert!(Tiling::Squares { side: 0, levels: 3 }.check(&BERLIN).is_err());
        assert!(Tiling::Squares { side: 100_000, levels: 20 }.check(&BERLIN).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn squares_lie_in_squares(x in -900_000_000i32..900_000_000, y in -900_000_000i32..900_000_000, level in 0u8..6) {
            let tiling = Tiling::Squares { side: 10_000, levels: 6 };
            let cell = tiling.finest(&Plane::Metres, Position { x, y }).unwrap();
            let coarser = tiling.coarser(cell, level);
            let corners = tiling.corners(&Plane::Metres, coarser, level);
            prop_assert!(corners[0].x <= x && x < corners[2].x && corners[0].y <= y && y < corners[2].y);
            prop_assert_eq!(tiling.parse(&tiling.name(coarser, level)), Some((coarser, level)));
            let centre = tiling.centre(&Plane::Metres, cell, 0).unwrap();
            prop_assert_eq!(tiling.finest(&Plane::Metres, centre).unwrap(), cell);
        }
    }
}
