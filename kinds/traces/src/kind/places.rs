//! Public places from a table with the columns latitude and longitude, or x and y in metres, and where needed a weight.

use std::path::Path;

use privet_data::io::ReadOptions;
use privet_data::{Progress, Table};
use privet_kind::KindError;

use crate::{Degrees, Plane, Position};

fn read(path: &Path, plane: &Plane, progress: &dyn Progress) -> Result<(Table, Vec<Position>), KindError> {
    let table = privet_data::io::read(path, &ReadOptions::default().exactly(), progress)?.table;
    let (first, second) = match plane {
        Plane::Local { .. } => ("latitude", "longitude"),
        Plane::Metres => ("x", "y"),
    };
    let position = |(a, b): (f64, f64)| match plane {
        Plane::Local { .. } => plane.project(Degrees::new(a, b)?),
        Plane::Metres => Position::from_metres(a, b),
    };
    let both = numbers(path, &table, first)?.into_iter().zip(numbers(path, &table, second)?);
    let places: Option<Vec<Position>> = both.map(position).collect();
    let places = places.ok_or_else(|| {
        KindError::bad_input("a place has no position on the plane of the release").at(path)
    })?;
    Ok((table, places))
}

fn numbers(path: &Path, table: &Table, name: &str) -> Result<Vec<f64>, KindError> {
    let column = table.column(name);
    let column =
        column.ok_or_else(|| KindError::bad_input(format!("the column `{name}` is missing")).at(path))?;
    Ok(column.numbers_as(privet_data::Kind::Decimal))
}

/// Where places are.
pub(super) fn positions(
    path: &Path,
    plane: &Plane,
    progress: &dyn Progress,
) -> Result<Vec<Position>, KindError> {
    Ok(read(path, plane, progress)?.1)
}

/// Where places are, with their weights in the column `weight`.
pub(super) fn weighted(
    path: &Path,
    plane: &Plane,
    progress: &dyn Progress,
) -> Result<Vec<(Position, f64)>, KindError> {
    let (table, places) = read(path, plane, progress)?;
    let weights = numbers(path, &table, "weight")?;
    if weights.iter().any(|own| !(*own > 0.0 && own.is_finite())) {
        return Err(KindError::bad_input("a weight is not a number above 0").at(path));
    }
    Ok(places.into_iter().zip(weights).collect())
}
