//! Published traces as a referee reads them: whole centimetres, times that rise, and degrees that say the same.

use privet_data::io::ReadOptions;
use privet_data::{Column, Progress};
use privet_release::{OpenError, ReleaseFolder};
use serde_json::Value;

const FILE: &str = "traces.csv";
/// The radius of the sphere in metres.
const EARTH: f64 = 6_371_008.8;

/// A published trace.
pub(super) struct Walk {
    /// Its group, if the release has groups.
    pub group: Option<u64>,
    /// Time, x and y in centimetres.
    pub points: Vec<(i64, i64, i64)>,
}

/// Metres with two decimals as centimetres.
fn centimetres(text: &str) -> Option<i64> {
    let (digits, sign) = match text.strip_prefix('-') {
        Some(rest) => (rest, -1),
        None => (text, 1),
    };
    let (whole, cents) = digits.split_once('.')?;
    let are_digits = whole.bytes().chain(cents.bytes()).all(|byte| byte.is_ascii_digit());
    let is_plain = are_digits && !whole.is_empty() && cents.len() == 2 && whole.len() < 12;
    let all: i64 = is_plain.then(|| format!("{whole}{cents}").parse().ok()).flatten()?;
    (0..=1_000_000_000).contains(&all).then_some(sign * all)
}

fn cells<T>(
    folder: &ReleaseFolder,
    column: Option<&Column>,
    name: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, OpenError> {
    let column = column.ok_or_else(|| folder.malformed(FILE, format!("no column `{name}`")))?;
    let all: Option<Vec<T>> = column.codes.iter().map(|&own| parse(column.domain.text(own))).collect();
    all.ok_or_else(|| folder.malformed(FILE, format!("a cell of `{name}` has another form")))
}

/// Reads the traces of a release.
pub(super) fn read_walks(folder: &ReleaseFolder, progress: &dyn Progress) -> Result<Vec<Walk>, OpenError> {
    let table = folder.table(FILE, &ReadOptions::default().exactly(), progress)?;
    let number = |text: &str| text.parse::<i64>().ok().filter(|own| own.abs() <= 1_000_000_000_000);
    let traces = cells(folder, table.column("trace"), "trace", |text| text.parse::<usize>().ok())?;
    let times = cells(folder, table.column("time"), "time", number)?;
    let xs = cells(folder, table.column("x"), "x", centimetres)?;
    let ys = cells(folder, table.column("y"), "y", centimetres)?;
    let groups = match table.column("group") {
        Some(column) => Some(cells(folder, Some(column), "group", |text| text.parse::<u64>().ok())?),
        None => None,
    };
    let origin = origin(folder)?;
    if let Some(origin) = origin {
        let degrees = |name: &str| cells(folder, table.column(name), name, |text| text.parse::<f64>().ok());
        let (latitudes, longitudes) = (degrees("latitude")?, degrees("longitude")?);
        let is_off = |row: &usize| {
            let (latitude, longitude) = degrees_of(origin, xs[*row], ys[*row]);
            let turned =
                (longitude - longitudes[*row]).abs().min(360.0 - (longitude - longitudes[*row]).abs());
            // Seven decimals, and the last bits of sines.
            let is_same = (latitude - latitudes[*row]).abs() < 1e-6 && turned < 1e-6;
            !is_same
        };
        if (0..table.rows).any(|row| is_off(&row)) {
            return Err(folder.malformed(FILE, "latitude and longitude are not those of x and y"));
        }
    } else if table.column("latitude").is_some() || table.column("longitude").is_some() {
        return Err(folder.malformed(FILE, "there are degrees, and the manifest names no place on the Earth"));
    }
    let mut walks: Vec<Walk> = Vec::new();
    for row in 0..table.rows {
        let group = groups.as_ref().map(|own| own[row]);
        if traces[row] == walks.len() {
            walks.push(Walk { group, points: Vec::new() });
        }
        let last = walks.len().checked_sub(1).filter(|own| *own == traces[row] && walks[*own].group == group);
        let Some(last) = last else {
            return Err(folder.malformed(FILE, "the traces are not numbered from 0 on, with one group each"));
        };
        let points = &mut walks[last].points;
        if points.last().is_some_and(|own| own.0 >= times[row]) {
            return Err(folder.malformed(FILE, "the times of a trace do not rise"));
        }
        points.push((times[row], xs[row], ys[row]));
    }
    Ok(walks)
}

/// The middle of the plane in degrees, if it lies on the Earth.
fn origin(folder: &ReleaseFolder) -> Result<Option<(f64, f64)>, OpenError> {
    let plane = folder.envelope().body.get("plane");
    let number = |key: &str| plane.and_then(|own| own.get(key)).and_then(Value::as_f64);
    match plane.and_then(|own| own.get("plane")).and_then(Value::as_str) {
        Some("metres") => Ok(None),
        Some("local") => match (number("latitude"), number("longitude")) {
            (Some(latitude), Some(longitude)) => Ok(Some((latitude, longitude))),
            _ => Err(folder.malformed("manifest.json", "the plane has no middle")),
        },
        _ => Err(folder.malformed("manifest.json", "the plane is not described")),
    }
}

/// The inverse of the transverse Mercator projection of a sphere.
fn degrees_of((latitude, longitude): (f64, f64), x: i64, y: i64) -> (f64, f64) {
    let (east, north) = (x as f64 / 100.0 / EARTH, y as f64 / 100.0 / EARTH + latitude.to_radians());
    let phi = (north.sin() / east.cosh()).asin();
    let lambda = east.sinh().atan2(north.cos());
    let turned = longitude + lambda.to_degrees();
    (phi.to_degrees(), (turned + 180.0).rem_euclid(360.0) - 180.0)
}

/// The largest squared distance in squared centimetres of two traces at any time; `None` when they do not cover the same
/// time. Both are straight between points, so the distance is convex there and largest at a time of a point of either.
pub(super) fn largest_squared_distance(a: &Walk, b: &Walk) -> Option<f64> {
    let ends = |own: &Walk| Some((own.points.first()?.0, own.points.last()?.0));
    if ends(a)? != ends(b)? {
        return None;
    }
    let times = a.points.iter().chain(&b.points).map(|own| own.0);
    times
        .map(|time| {
            let ((ax, ay), (bx, by)) = (at(&a.points, time)?, at(&b.points, time)?);
            Some((ax - bx) * (ax - bx) + (ay - by) * (ay - by))
        })
        .try_fold(0.0f64, |largest, own: Option<f64>| Some(largest.max(own?)))
}

/// Where points are at a time. Whole centimetres are exact in a double; so is their squared distance below 900 km.
fn at(points: &[(i64, i64, i64)], time: i64) -> Option<(f64, f64)> {
    let next = points.partition_point(|own| own.0 < time);
    let after = points.get(next)?;
    if after.0 == time {
        return Some((after.1 as f64, after.2 as f64));
    }
    let before = points.get(next.checked_sub(1)?)?;
    let share = (time - before.0) as f64 / (after.0 - before.0) as f64;
    let mix = |from: i64, to: i64| from as f64 + share * (to - from) as f64;
    Some((mix(before.1, after.1), mix(before.2, after.2)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metres_are_read_strictly() {
        assert_eq!(centimetres("-12.05"), Some(-1205));
        assert_eq!(centimetres("0.00"), Some(0));
        for text in ["", "1", "1.5", "+1.00", "1e2.00", "nan", "10000000.01", "--1.00"] {
            assert_eq!(centimetres(text), None, "{text}");
        }
    }

    #[test]
    fn distances_are_largest_at_a_point() {
        let walk = |points: &[(i64, i64, i64)]| Walk { group: None, points: points.to_vec() };
        let (a, b) = (walk(&[(0, 0, 0), (10, 100, 0)]), walk(&[(0, 0, 0), (5, 50, 30), (10, 100, 0)]));
        assert_eq!(largest_squared_distance(&a, &b), Some(900.0));
        assert_eq!(largest_squared_distance(&a, &walk(&[(0, 0, 0)])), None);
    }
}
