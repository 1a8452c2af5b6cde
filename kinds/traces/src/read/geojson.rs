//! GeoJSON (RFC 7946): a FeatureCollection of LineStrings with a list of times, or of Points with one time each.
//!
//! Times stand in the property `times` or `coordTimes` (a list), or `time` (one value). The object is the property that
//! [`TraceOptions::object`](super::TraceOptions) names, or one of the usual names, or the `id` of the feature; LineStrings
//! without any of these are one object each.

use std::path::Path;

use foldhash::HashMap;
use privet_data::{Domain, Progress};
use serde_json::Value;

use super::{OBJECTS, Row, TIMES, TraceOptions, assemble, on_plane};
use crate::time::parse_time;
use crate::{Cleaning, Degrees, TraceError, Traces};

/// The largest file that is read: JSON in memory takes some ten times its length.
const MOST_BYTES: u64 = 1 << 29;

pub(super) fn read(
    path: &Path,
    options: &TraceOptions,
    progress: &dyn Progress,
) -> Result<(Traces, Cleaning), TraceError> {
    if options.sensitive.is_some() {
        return Err(TraceError::parameter("sensitive", "left out: a GeoJSON file has no sensitive column"));
    }
    let text = privet_data::io::read_plain(path, MOST_BYTES).map_err(TraceError::io(path))?;
    let json: Value = serde_json::from_slice(&text)
        .map_err(|error| TraceError::Json { path: path.to_owned(), line: error.line() })?;
    let at = |feature: usize, problem: &'static str| TraceError::GeoJson {
        path: path.to_owned(),
        feature: feature + 1,
        problem,
    };
    let features = match json.get("features").and_then(Value::as_array) {
        Some(features) => features.as_slice(),
        None if json.get("geometry").is_some() => std::slice::from_ref(&json),
        None => return Err(at(0, "no FeatureCollection; a list named features is accepted")),
    };
    let mut number: HashMap<String, u32> = HashMap::default();
    let mut names: Vec<Box<str>> = Vec::new();
    let (mut rows, mut positions) = (Vec::new(), Vec::new());
    for (place, feature) in features.iter().enumerate() {
        progress.check()?;
        let name = object_of(feature, options).unwrap_or_else(|| format!("feature {}", place + 1));
        let object = *number.entry(name).or_insert_with_key(|name| {
            names.push(name.as_str().into());
            names.len() as u32 - 1
        });
        let (coordinates, times) = parts(feature, options).map_err(|problem| at(place, problem))?;
        if coordinates.len() != times.len() {
            return Err(at(place, "as many times as coordinates are needed"));
        }
        for (coordinate, time) in coordinates.into_iter().zip(times) {
            let degrees = degrees(coordinate)
                .ok_or_else(|| at(place, "a coordinate is no longitude and latitude in degrees"))?;
            let time = time_of(time)
                .ok_or_else(|| at(place, "a time is none; seconds or YYYY-MM-DD HH:MM:SS is accepted"))?;
            rows.push(Row { object, time, label: 0 });
            positions.push(degrees);
        }
    }
    if rows.is_empty() {
        return Err(TraceError::Empty { what: "points" });
    }
    let (plane, positions) = on_plane(&positions, options)?;
    // Objects in the order of their ids, as in a table.
    let (domain, code_of) = Domain::canonical(names, |_| false);
    rows.iter_mut().for_each(|row| row.object = code_of[row.object as usize]);
    assemble(rows, &positions, domain.texts().to_vec(), plane, None, options)
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn object_of(feature: &Value, options: &TraceOptions) -> Option<String> {
    let properties = feature.get("properties");
    let property = |name: &str| properties.and_then(|own| own.get(name)).and_then(text_of);
    match &options.object {
        Some(name) => property(name),
        None => {
            OBJECTS.iter().find_map(|name| property(name)).or_else(|| feature.get("id").and_then(text_of))
        }
    }
}

fn parts<'a>(
    feature: &'a Value,
    options: &TraceOptions,
) -> Result<(Vec<&'a Value>, Vec<&'a Value>), &'static str> {
    let geometry = feature.get("geometry").ok_or("the feature has no geometry")?;
    let coordinates = geometry.get("coordinates").ok_or("the geometry has no coordinates")?;
    let properties = feature.get("properties").ok_or("the feature has no properties, so no times")?;
    let property = |names: &[&str]| names.iter().find_map(|name| properties.get(name));
    match geometry.get("type").and_then(Value::as_str) {
        Some("LineString") => {
            let list = match &options.time {
                Some(name) => properties.get(name),
                None => property(&["times", "coordTimes"]),
            };
            let times =
                list.and_then(Value::as_array).ok_or("a LineString needs the property times, a list")?;
            let coordinates = coordinates.as_array().ok_or("the coordinates of a LineString are a list")?;
            Ok((coordinates.iter().collect(), times.iter().collect()))
        }
        Some("Point") => {
            let time = match &options.time {
                Some(name) => properties.get(name),
                None => property(&TIMES),
            };
            Ok((vec![coordinates], vec![time.ok_or("a Point needs the property time")?]))
        }
        _ => Err("LineString and Point are accepted"),
    }
}

fn degrees(value: &Value) -> Option<Degrees> {
    let list = value.as_array()?;
    Degrees::new(list.get(1)?.as_f64()?, list.first()?.as_f64()?)
}

fn time_of(value: &Value) -> Option<i64> {
    parse_time(&text_of(value)?)
}
