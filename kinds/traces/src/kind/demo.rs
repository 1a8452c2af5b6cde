//! `privet demo --shape traces`: a city whose pseudonyms tell where everybody lives, and the same city in groups and cells.

use std::fmt::Write;

use privet_kind::Demo;

use crate::generate::{City, city};
use crate::{Plane, time_text};

const NAIVE: &str = "# The names are gone, and all points are as they were.\n\
    kind = \"traces\"\n\n\
    [input]\n\
    path = \"points.csv\"\n\n\
    [traces]\n\
    method = \"pseudonyms\"\n\
    seed = 7\n\n\
    [output]\n\
    folder = \"naive\"\n\
    home = \"home-naive\"\n";

const WALK: &str = "# At every time, at least four others are within 400 metres.\n\
    kind = \"traces\"\n\n\
    [input]\n\
    path = \"points.csv\"\n\n\
    [traces]\n\
    method = \"never-walk-alone\"\n\
    k = 5\n\
    delta = 400.0\n\
    step = 900\n\
    period = 3600\n\n\
    [output]\n\
    folder = \"walk\"\n\
    home = \"home-walk\"\n";

const CELLS: &str = "# Positions without pseudonyms, in cells that five people share.\n\
    kind = \"traces\"\n\n\
    [input]\n\
    path = \"points.csv\"\n\n\
    [traces]\n\
    method = \"cells\"\n\
    k = 5\n\n\
    [adversary]\n\
    max-risk = 0.05\n\n\
    [output]\n\
    folder = \"cells\"\n\
    home = \"home-cells\"\n";

/// The story.
pub(super) fn demo() -> Demo {
    let mut points = String::from("person,time,latitude,longitude\n");
    let made = city(&City { people: 150, step: 900, days: 2, seed: 11, ..City::default() });
    // The parameters are within range, so there is a city; without one the demonstration says that there are no points.
    if let Ok((traces, _)) = made {
        debug_assert!(matches!(traces.plane, Plane::Local { .. }));
        for (person, own) in traces.iter() {
            for point in own {
                if let Some(at) = traces.plane.degrees(point.at) {
                    let time = time_text(point.time);
                    // Writing to a text never fails.
                    let _ = writeln!(points, "p{person},{time},{:.6},{:.6}", at.latitude, at.longitude);
                }
            }
        }
    }
    Demo {
        introduction: "Where 150 people of a made-up city are for two days. With pseudonyms alone, nights tell where people live, and four \
                       known points find nearly everybody. In groups that walk together, and in cells without pseudonyms, they do not.",
        files: vec![
            ("points.csv", points.into_bytes()),
            ("naive.toml", NAIVE.as_bytes().to_vec()),
            ("walk.toml", WALK.as_bytes().to_vec()),
            ("cells.toml", CELLS.as_bytes().to_vec()),
        ],
        jobs: vec![
            ("naive.toml", "Pseudonyms: homes, work and four points find nearly everybody."),
            ("walk.toml", "Never Walk Alone: at every time five people are together."),
            ("cells.toml", "Cells of five people: nobody is found by a known point."),
        ],
    }
}
