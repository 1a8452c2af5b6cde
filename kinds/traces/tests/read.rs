//! Traces from files, and what is refused.

use std::path::{Path, PathBuf};

use privet_data::Silent;
use privet_traces::{Plane, SameTime, TraceError, TraceOptions, TripOptions, read, recognize, trips};

struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

fn error(text: &str, options: &TraceOptions) -> TraceError {
    let files = Files::new();
    read(&files.write("points.csv", text), options, &Silent).map(|_| ()).unwrap_err()
}

#[test]
fn a_table_of_degrees() {
    let files = Files::new();
    let path = files.write(
        "points.csv",
        "lat,lng,datetime,uid\n43.84,10.50,2011-02-03 08:34:04,10\n43.85,10.50,2011-02-03 08:34:04,9\n43.84,10.51,2011-02-03 09:34:04,10\n",
    );
    let (traces, cleaning) = read(&path, &TraceOptions::default(), &Silent).unwrap();
    // Objects in the order of their numbers, whatever the order of rows.
    assert_eq!(traces.names, ["9".into(), "10".into()] as [Box<str>; 2]);
    assert_eq!((traces.len(), cleaning.kept), (2, 3));
    let points = traces.points(1);
    assert_eq!(points[1].time - points[0].time, 3600);
    let moved = points[0].at.distance(points[1].at);
    assert!((moved - 802.0).abs() < 2.0, "{moved}");
    assert!(matches!(traces.plane, Plane::Local { .. }));
}

#[test]
fn metres_and_sensitive_values() {
    let files = Files::new();
    let path = files.write("points.csv", "user,t,x,y,doing\na,0,1.5,2,shop\na,60,2,2,clinic\n");
    let options = TraceOptions { sensitive: Some("doing".to_owned()), ..Default::default() };
    let (traces, _) = read(&path, &options, &Silent).unwrap();
    let labels = traces.labels.unwrap();
    assert_eq!(
        labels.codes.iter().map(|&own| labels.domain.text(own)).collect::<Vec<_>>(),
        ["shop", "clinic"]
    );
    assert_eq!(traces.plane, Plane::Metres);
}

#[test]
fn hostile_cells_are_refused_without_showing_them() {
    let usual = TraceOptions::default();
    for (text, expected) in [
        ("user,time,lat,lon\n1,0,NaN,5\n", "no latitude"),
        ("user,time,lat,lon\n1,0,1,inf\n", "no longitude"),
        ("user,time,lat,lon\n1,0,1,5\n1,1,91,5\n", "row 2"),
        ("user,time,lat,lon\n1,0,,5\n", "hold nothing"),
        ("user,time,lat,lon\n,0,1,5\n", "hold nothing"),
        ("user,time,lat,lon\n1,secret,1,5\n", "no time"),
        ("user,time,x,y\n1,0,1e300,5\n", "no coordinate"),
        ("user,time,x,y\n1,0,NaN,5\n", "no coordinate"),
        ("user,time,lat,lon\n1,9,1,5\n1,8,1,5\n2,0,1,5\n2,1,1,5\n", "1 points of 1 objects"),
        ("user,time,lat,lon\n1,9,1,5\n1,10,1,150\n", "1,500 km"),
        ("user,time,a,b\n1,9,1,5\n", "no column holds the position"),
        ("a,time,lat,lon\n1,9,1,5\n", "no column holds the object"),
        ("user,time,lat,lon\n", "there are no"),
    ] {
        let message = error(text, &usual).to_string();
        assert!(message.contains(expected), "{text}: {message}");
        assert!(!message.contains("secret"), "{message}");
    }
}

#[test]
fn time_running_backwards_may_be_sorted() {
    let files = Files::new();
    let path = files.write("points.csv", "user,time,x,y\n1,9,90,0\n1,8,80,0\n");
    let options = TraceOptions { sort: true, ..Default::default() };
    let (traces, cleaning) = read(&path, &options, &Silent).unwrap();
    assert_eq!(traces.points(0)[0].at.x, 8000);
    assert_eq!(cleaning.sorted, 1);
}

#[test]
fn equal_times_are_kept_spread_or_refused() {
    let files = Files::new();
    let path = files.write("points.csv", "user,time,x,y\n1,0,1,0\n1,0,2,0\n1,0,3,0\n1,60,4,0\n1,60,5,0\n");
    let with = |same_time| read(&path, &TraceOptions { same_time, ..Default::default() }, &Silent);
    let (kept, cleaning) = with(SameTime::KeepFirst).unwrap();
    assert_eq!((kept.points(0).len(), cleaning.same_time), (2, 3));
    let (spread, cleaning) = with(SameTime::Spread).unwrap();
    assert_eq!(spread.points(0).iter().map(|own| own.time).collect::<Vec<_>>(), [0, 20, 40, 60, 90]);
    assert_eq!(cleaning.spread, 3);
    assert!(matches!(with(SameTime::Refuse), Err(TraceError::SameTime { rows: 3 })));
}

#[test]
fn geojson_lines_and_points() {
    let files = Files::new();
    let path = files.write(
        "traces.geojson",
        r#"{"type":"FeatureCollection","features":[
        {"type":"Feature","properties":{"user":"b","times":["2020-01-01T00:00:00Z","2020-01-01T00:01:00Z"]},
         "geometry":{"type":"LineString","coordinates":[[13.4,52.5],[13.41,52.5]]}},
        {"type":"Feature","properties":{"user":"a","time":1577836800},
         "geometry":{"type":"Point","coordinates":[13.4,52.51]}}]}"#,
    );
    let (traces, _) = read(&path, &TraceOptions::default(), &Silent).unwrap();
    assert_eq!(traces.len(), 2);
    assert_eq!(&*traces.names[0], "a");
    assert_eq!(traces.points(1)[1].time - traces.points(0)[0].time, 60);
    for (text, expected) in [
        ("{", "line 1"),
        ("{}", "FeatureCollection"),
        (
            r#"{"features":[{"properties":{},"geometry":{"type":"Polygon","coordinates":[]}}]}"#,
            "LineString and Point",
        ),
        (
            r#"{"features":[{"properties":{"times":[]},"geometry":{"type":"LineString","coordinates":[[1,2]]}}]}"#,
            "as many times",
        ),
        (
            r#"{"features":[{"properties":{"time":0},"geometry":{"type":"Point","coordinates":[400,2]}}]}"#,
            "no longitude",
        ),
        (
            r#"{"features":[{"properties":{"time":"x"},"geometry":{"type":"Point","coordinates":[4,2]}}]}"#,
            "time is none",
        ),
    ] {
        let bad = files.write("bad.geojson", text);
        let message = read(&bad, &TraceOptions::default(), &Silent).unwrap_err().to_string();
        assert!(message.contains(expected), "{text}: {message}");
    }
}

#[test]
fn columns_are_recognized() {
    let names = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<_>>();
    let found = recognize(&names("id,latitude,longitude,track_id,time")).unwrap();
    assert_eq!((found.object.as_str(), found.degrees), ("track_id", true));
    assert!(!recognize(&names("User,X,Y,T")).unwrap().degrees);
    assert!(recognize(&names("age,sex,zip")).is_none());
}

/// Real data, where it is there.
#[test]
fn real_tracks() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data"));
    let gotrack = folder.join("gotrack-gps/go_track_trackspoints.csv");
    if !gotrack.exists() {
        eprintln!("left out: {} is not there", folder.display());
        return;
    }
    let spread = TraceOptions { same_time: SameTime::Spread, sort: true, ..Default::default() };
    let (traces, cleaning) = read(&gotrack, &spread, &Silent).unwrap();
    assert_eq!((traces.len(), cleaning.given), (163, 18_107));
    let (cut, _) = trips(&traces, TripOptions::default()).unwrap();
    assert!(cut.len() >= 100);
    let toy = folder.join("skmob-privacy-toy/privacy_toy.csv");
    let (toy, _) = read(&toy, &TraceOptions::default(), &Silent).unwrap();
    assert_eq!(toy.all_points().len(), 23);
}
