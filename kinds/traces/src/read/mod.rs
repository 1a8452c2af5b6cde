//! Traces from files: tables of points (CSV, Parquet, Arrow) and GeoJSON.
//!
//! Refused with the number of rows and the first of them: missing cells, coordinates that are no numbers (NaN, infinite)
//! or out of range, texts that are no times, time that runs backwards within an object. Objects stand in the order of
//! their ids; the same file gives the same traces whatever the number of threads.

mod geojson;

use std::path::Path;

use privet_data::io::{self, ReadOptions};
use privet_data::{Column, Progress};

use crate::point::{Point, Position};
use crate::time::parse_time;
use crate::{Cleaning, Degrees, Labels, Plane, TraceError, Traces};

/// What becomes of points that have the time of the point before them, as when times are cut to the minute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SameTime {
    /// The first of them is kept; the others are counted as left out.
    #[default]
    KeepFirst,
    /// They are spread evenly over the time to the next point, in whole seconds; what does not fit is left out.
    Spread,
    /// They are refused.
    Refuse,
}

/// How points are to be read.
#[derive(Debug, Clone, Default)]
pub struct TraceOptions {
    /// The column of the object; found by its usual names unless given.
    pub object: Option<String>,
    /// The column of the time.
    pub time: Option<String>,
    /// The columns of the coordinates in metres.
    pub xy: Option<(String, String)>,
    /// The columns of latitude and longitude in degrees.
    pub degrees: Option<(String, String)>,
    /// A column with a sensitive value for each point.
    pub sensitive: Option<String>,
    /// Whether points may stand in any order; otherwise those of an object must be in the order of time.
    pub sort: bool,
    /// What becomes of points with equal times.
    pub same_time: SameTime,
    /// The plane to put degrees on; one around the middle of the data unless given. What is differentially private must
    /// not depend on where the data lie.
    pub plane: Option<Plane>,
    /// How the table is to be read.
    pub read: ReadOptions,
}

const OBJECTS: [&str; 14] = [
    "object",
    "object_id",
    "uid",
    "user",
    "user_id",
    "person",
    "person_id",
    "track_id",
    "trace",
    "trace_id",
    "trajectory_id",
    "device",
    "device_id",
    "vehicle_id",
];
const TIMES: [&str; 6] = ["time", "timestamp", "datetime", "date_time", "t", "when"];
const LATITUDES: [&str; 2] = ["latitude", "lat"];
const LONGITUDES: [&str; 4] = ["longitude", "lon", "lng", "long"];
const XS: [&str; 2] = ["x", "easting"];
const YS: [&str; 2] = ["y", "northing"];

/// The columns of a table that hold points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PointColumns {
    /// The column of the object.
    pub object: String,
    /// The column of the time.
    pub time: String,
    /// The columns of the coordinates: x and y, or latitude and longitude.
    pub coordinates: (String, String),
    /// Whether the coordinates are degrees.
    pub degrees: bool,
}

/// Finds the columns of points by their usual names; `None` when one is missing. This is how `init` recognizes traces.
pub fn recognize(names: &[String]) -> Option<PointColumns> {
    let find = |wanted: &[&str]| {
        wanted.iter().find_map(|own| names.iter().find(|name| name.eq_ignore_ascii_case(own)).cloned())
    };
    let degrees = find(&LATITUDES).zip(find(&LONGITUDES));
    let metres = find(&XS).zip(find(&YS));
    let (coordinates, degrees) = match (degrees, metres) {
        (Some(own), _) => (own, true),
        (None, Some(own)) => (own, false),
        (None, None) => return None,
    };
    Some(PointColumns { object: find(&OBJECTS)?, time: find(&TIMES)?, coordinates, degrees })
}

/// Whether a file is GeoJSON, by its ending.
pub(crate) fn is_geojson(path: &Path) -> bool {
    let extension = path.extension().and_then(|own| own.to_str()).unwrap_or_default().to_ascii_lowercase();
    matches!(extension.as_str(), "geojson" | "json")
}

/// Reads traces: `.geojson` and `.json` as GeoJSON, everything else as a table of points.
///
/// # Errors
/// When the file cannot be read, a column is missing, cells are missing or no numbers or times, positions lie too far
/// apart, or time runs backwards.
pub fn read(
    path: &Path,
    options: &TraceOptions,
    progress: &dyn Progress,
) -> Result<(Traces, Cleaning), TraceError> {
    if is_geojson(path) {
        return geojson::read(path, options, progress);
    }
    read_table(path, options, progress)
}

/// One row of the input.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub object: u32,
    pub time: i64,
    pub label: u32,
}

fn columns(path: &Path, options: &TraceOptions, names: &[String]) -> Result<PointColumns, TraceError> {
    let missing =
        |part, key| TraceError::NoColumn { path: path.to_owned(), part, key, names: names.to_vec() };
    let find = |wanted: &[&str]| {
        wanted.iter().find_map(|own| names.iter().find(|name| name.eq_ignore_ascii_case(own)).cloned())
    };
    let has = |name: &String, part, key| {
        if names.contains(name) { Ok(name.clone()) } else { Err(missing(part, key)) }
    };
    let one = |given: &Option<String>, wanted: &[&str], part, key| match given {
        Some(name) => has(name, part, key),
        None => find(wanted).ok_or_else(|| missing(part, key)),
    };
    let object = one(&options.object, &OBJECTS, "object", "object")?;
    let time = one(&options.time, &TIMES, "time", "time")?;
    if let Some((x, y)) = &options.xy {
        let coordinates = (has(x, "x coordinate", "xy")?, has(y, "y coordinate", "xy")?);
        return Ok(PointColumns { object, time, coordinates, degrees: false });
    }
    if let Some((latitude, longitude)) = &options.degrees {
        let coordinates = (has(latitude, "latitude", "degrees")?, has(longitude, "longitude", "degrees")?);
        return Ok(PointColumns { object, time, coordinates, degrees: true });
    }
    let (coordinates, degrees) = match (find(&LATITUDES).zip(find(&LONGITUDES)), find(&XS).zip(find(&YS))) {
        (Some(own), _) => (own, true),
        (None, Some(own)) => (own, false),
        (None, None) => return Err(missing("position", "degrees` or `xy")),
    };
    Ok(PointColumns { object, time, coordinates, degrees })
}

fn read_table(
    path: &Path,
    options: &TraceOptions,
    progress: &dyn Progress,
) -> Result<(Traces, Cleaning), TraceError> {
    let mut reading = options.read.clone().exactly();
    // The names of the columns decide which of them are kept: those of a file without rows are enough.
    let names =
        io::read(path, &ReadOptions { columns: Some(Vec::new()), ..reading.clone() }, progress)?.names;
    let found = columns(path, options, &names)?;
    let (first, second) = found.coordinates.clone();
    let mut kept = vec![found.object.clone(), found.time.clone(), first.clone(), second.clone()];
    kept.extend(options.sensitive.clone());
    reading.columns = Some(kept);
    let table = io::read(path, &reading, progress)?.table;
    let column = |name: &str, part: &'static str, key: &'static str| {
        table.column(name).ok_or_else(|| TraceError::NoColumn {
            path: path.to_owned(),
            part,
            key,
            names: names.clone(),
        })
    };
    let object = column(&found.object, "object", "object")?;
    present(path, object)?;
    let time = column(&found.time, "time", "time")?;
    let times = parsed(path, time, parse_time, "no time", "seconds or YYYY-MM-DD HH:MM:SS is accepted")?;
    let (first, second) =
        (column(&first, "position", "degrees` or `xy")?, column(&second, "position", "degrees` or `xy")?);
    let (plane, positions) = match found.degrees {
        true => degrees_of(path, first, second, options)?,
        false => metres_of(path, first, second)?,
    };
    let sensitive = options.sensitive.as_deref().map(|own| column(own, "sensitive value", "sensitive"));
    let sensitive = sensitive.transpose()?;
    let rows: Vec<Row> = (0..table.rows)
        .map(|row| Row {
            object: object.codes[row],
            time: times[row],
            label: sensitive.map_or(0, |own| own.codes[row]),
        })
        .collect();
    let labels =
        sensitive.map(|own| Labels { name: own.name.clone(), codes: Vec::new(), domain: own.domain.clone() });
    assemble(rows, &positions, object.domain.texts().to_vec(), plane, labels, options)
}

fn refuse(
    path: &Path,
    column: &Column,
    is_bad: impl Fn(u32) -> bool,
    problem: &'static str,
    accepted: &'static str,
) -> Result<(), TraceError> {
    let bad: Vec<bool> = (0..column.domain.len() as u32).map(is_bad).collect();
    if !bad.contains(&true) {
        return Ok(());
    }
    let rows = || column.codes.iter().enumerate().filter(|(_, code)| bad[**code as usize]);
    let Some((first, _)) = rows().next() else { return Ok(()) };
    Err(TraceError::Cells {
        path: path.to_owned(),
        column: column.name.clone(),
        rows: rows().count() as u64,
        first: first as u64 + 1,
        problem,
        accepted,
    })
}

fn present(path: &Path, column: &Column) -> Result<(), TraceError> {
    let is_missing = |code| column.domain.is_missing(code);
    refuse(path, column, is_missing, "nothing", "leave such rows out of the input")
}

fn parsed<T: Copy>(
    path: &Path,
    column: &Column,
    parse: impl Fn(&str) -> Option<T>,
    problem: &'static str,
    accepted: &'static str,
) -> Result<Vec<T>, TraceError> {
    present(path, column)?;
    let values: Vec<Option<T>> = column.domain.texts().iter().map(|text| parse(text)).collect();
    refuse(path, column, |code| values[code as usize].is_none(), problem, accepted)?;
    Ok(column.codes.iter().filter_map(|&code| values[code as usize]).collect())
}

fn finite(text: &str) -> Option<f64> {
    text.trim().parse::<f64>().ok().filter(|own| own.is_finite())
}

fn degrees_of(
    path: &Path,
    latitude: &Column,
    longitude: &Column,
    options: &TraceOptions,
) -> Result<(Plane, Vec<Position>), TraceError> {
    let within = |most: f64| move |text: &str| finite(text).filter(|own| own.abs() <= most);
    let latitudes =
        parsed(path, latitude, within(90.0), "no latitude", "degrees from -90 to 90 are accepted")?;
    let longitudes =
        parsed(path, longitude, within(180.0), "no longitude", "degrees from -180 to 180 are accepted")?;
    let degrees: Vec<Degrees> = latitudes
        .into_iter()
        .zip(longitudes)
        .map(|(latitude, longitude)| Degrees { latitude, longitude })
        .collect();
    on_plane(&degrees, options)
}

/// Positions on the plane of the options, or on one around them.
pub(crate) fn on_plane(
    degrees: &[Degrees],
    options: &TraceOptions,
) -> Result<(Plane, Vec<Position>), TraceError> {
    match options.plane {
        Some(plane) => Ok((plane, plane.positions(degrees)?)),
        None => Plane::project_all(degrees),
    }
}

fn metres_of(path: &Path, x: &Column, y: &Column) -> Result<(Plane, Vec<Position>), TraceError> {
    let within = |text: &str| finite(text).filter(|own| Position::from_metres(*own, 0.0).is_some());
    let accepted = "metres from -10,000,000 to 10,000,000 are accepted";
    let xs = parsed(path, x, within, "no coordinate in metres", accepted)?;
    let ys = parsed(path, y, within, "no coordinate in metres", accepted)?;
    let positions = xs.into_iter().zip(ys).filter_map(|(x, y)| Position::from_metres(x, y)).collect();
    Ok((Plane::Metres, positions))
}

/// Puts rows together to one trace for each object.
pub(crate) fn assemble(
    rows: Vec<Row>,
    positions: &[Position],
    names: Vec<Box<str>>,
    plane: Plane,
    labels: Option<Labels>,
    options: &TraceOptions,
) -> Result<(Traces, Cleaning), TraceError> {
    if rows.is_empty() {
        return Err(TraceError::Empty { what: "points" });
    }
    let mut cleaning = Cleaning { given: rows.len() as u64, ..Default::default() };
    let mut order: Vec<u32> = (0..rows.len() as u32).collect();
    // Stable, so that the rows of an object stay in the order of the file.
    order.sort_by_key(|&row| rows[row as usize].object);
    let mut backwards = (0u64, 0u64);
    for group in order.chunk_by(|&a, &b| rows[a as usize].object == rows[b as usize].object) {
        let times =
            || group.windows(2).map(|pair| (rows[pair[0] as usize].time, rows[pair[1] as usize].time));
        let count = times().filter(|(before, after)| after < before).count() as u64;
        backwards.0 += count;
        backwards.1 += u64::from(count > 0);
    }
    if backwards.0 > 0 && !options.sort {
        return Err(TraceError::TimeRunsBackwards { rows: backwards.0, objects: backwards.1 });
    }
    cleaning.sorted = backwards.0;
    if backwards.0 > 0 {
        order.sort_by_key(|&row| (rows[row as usize].object, rows[row as usize].time));
    }
    let mut traces = Traces::on(plane);
    let mut codes: Vec<u32> = Vec::new();
    for group in order.chunk_by(|&a, &b| rows[a as usize].object == rows[b as usize].object) {
        let own: Vec<(Point, u32)> = group
            .iter()
            .map(|&row| {
                let (row, at) = (rows[row as usize], positions[row as usize]);
                (Point { time: row.time, at }, row.label)
            })
            .collect();
        let own = distinct_times(own, options.same_time, &mut cleaning)?;
        let (points, of_points): (Vec<Point>, Vec<u32>) = own.into_iter().unzip();
        traces.push(rows[group[0] as usize].object, &points)?;
        codes.extend(of_points);
    }
    cleaning.kept = traces.all_points().len() as u64;
    traces.names = names;
    traces.labels = labels.map(|own| Labels { codes, ..own });
    Ok((traces, cleaning))
}

fn distinct_times(
    points: Vec<(Point, u32)>,
    same_time: SameTime,
    cleaning: &mut Cleaning,
) -> Result<Vec<(Point, u32)>, TraceError> {
    let repeated = points.windows(2).filter(|pair| pair[0].0.time == pair[1].0.time).count() as u64;
    if repeated == 0 {
        return Ok(points);
    }
    match same_time {
        SameTime::Refuse => Err(TraceError::SameTime { rows: repeated }),
        SameTime::KeepFirst => {
            cleaning.same_time += repeated;
            let mut points = points;
            points.dedup_by_key(|own| own.0.time);
            Ok(points)
        }
        SameTime::Spread => {
            let mut spread = Vec::with_capacity(points.len());
            let mut rest = points.as_slice();
            let mut last_room = 60;
            while let Some(first) = rest.first() {
                let size = rest.iter().take_while(|own| own.0.time == first.0.time).count();
                let (group, after) = rest.split_at(size);
                // After the last group there is as much room as after the one before.
                let room = after.first().map_or(last_room, |own| own.0.time - first.0.time);
                last_room = room;
                let kept = (size as i64).min(room.max(1));
                for (own, place) in group.iter().zip(0..kept) {
                    let time = first.0.time + place * room / kept;
                    spread.push((Point { time, ..own.0 }, own.1));
                }
                cleaning.spread += kept as u64 - 1;
                cleaning.same_time += size as u64 - kept as u64;
                rest = after;
            }
            Ok(spread)
        }
    }
}
