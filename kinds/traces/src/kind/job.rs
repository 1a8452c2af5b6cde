//! The sections of a job about traces: `[input]` and `[traces]`.

use std::path::PathBuf;

use privet_data::Progress;
use privet_data::io::{Formulas, ReadOptions};
use privet_kind::{JobFile, KindError, Section};
use serde::{Deserialize, Serialize};

use crate::{
    Descent, MixZones, NeverWalkAlone, PathCloaking, Plane, SameTime, Threat, TraceOptions, Traces,
    TripOptions, Unit, WaitForMe, read, trips,
};

/// The sections, for the reference and for messages.
pub const SECTIONS: &[Section] = &[Section {
    name: "traces",
    keys: &[
        (
            "method",
            "`never-walk-alone`, `wait-for-me`, `swapping`, `mix-zones`, `path-cloaking`, `cloaking`, `cells`, \
             `geo-indistinguishability`, `flows`, `pseudonyms`.",
        ),
        ("k", "How many traces (never-walk-alone, wait-for-me) or people (cloaking, cells) are alike."),
        (
            "delta",
            "never-walk-alone, wait-for-me: how far traces of a group may be apart at any time, in metres.",
        ),
        ("step", "Seconds between two published points (never-walk-alone, swapping, path-cloaking)."),
        ("period", "never-walk-alone: traces begin and end at multiples of this many seconds."),
        ("trash", "never-walk-alone, wait-for-me: the share of traces that may be suppressed."),
        ("radius", "The first radius of clusters; mix zones and noise: the metres that are protected."),
        ("largest-radius", "never-walk-alone: the largest radius of clusters in metres."),
        ("space", "wait-for-me: how far points that match may be apart in each coordinate, in metres."),
        (
            "time",
            "wait-for-me: how far points that match may be apart in time, in seconds; 0 is synchronous.",
        ),
        ("distance", "swapping: how close traces come to exchange their pseudonyms, in metres."),
        ("zones", "mix-zones: how many zones are laid over the busiest squares."),
        ("tau", "mix-zones, path-cloaking: the largest posterior of a true successor."),
        ("time-to-confusion", "path-cloaking: the longest that a person can be followed, in seconds."),
        ("crowding", "cloaking: how regions are made, `quadtree`, `quadtree-nearest` or `hilbert`."),
        ("l", "cloaking, cells: how many different sensitive values people with one region have."),
        ("area", "cloaking: the least area of a region in square metres."),
        ("window", "cloaking, cells: seconds of a span of time."),
        (
            "finest",
            "cells: the finest resolution of H3, or the side of squares in metres for positions in metres.",
        ),
        ("levels", "cells: how many levels of cells there are, from the finest on."),
        ("unit", "cells: `position`, or `trace` for whole traces."),
        (
            "epsilon",
            "geo-indistinguishability: the loss over the radius for one position; flows: the loss of a person.",
        ),
        ("grid", "geo-indistinguishability: the step of the grid in centimetres."),
        ("positions", "geo-indistinguishability: the most positions of a person that are published."),
        ("bounds", "flows: the public region as [west, south, east, north] in metres on the plane."),
        ("side", "flows: the side of cells in metres."),
        ("trips", "flows: the most trips of a person that count."),
        ("ledger", "geo-indistinguishability, flows: the file of the ledger that is charged."),
        ("account", "geo-indistinguishability, flows: the account of the ledger."),
        ("seed", "The seed of what is left to chance and promises no differential privacy. Keep it secret."),
    ],
}];

/// The `[input]` section.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Input {
    /// The table of points, or a GeoJSON file.
    pub path: PathBuf,
    /// The column of the object.
    #[serde(default)]
    pub object: Option<String>,
    /// The column of the time.
    #[serde(default)]
    pub time: Option<String>,
    /// The columns of latitude and longitude.
    #[serde(default)]
    pub degrees: Option<(String, String)>,
    /// The columns of coordinates in metres.
    #[serde(default)]
    pub xy: Option<(String, String)>,
    /// The column of a sensitive value for each point.
    #[serde(default)]
    pub sensitive: Option<String>,
    /// What becomes of cells that a spreadsheet would take for formulas.
    #[serde(default)]
    pub formulas: Formulas,
    /// Whether points may stand in any order.
    #[serde(default)]
    pub sort: bool,
    /// What becomes of points with equal times.
    #[serde(default)]
    pub same_time: SameTime,
    /// The public middle of the plane as latitude and longitude.
    #[serde(default)]
    pub centre: Option<(f64, f64)>,
    /// Cuts traces at gaps longer than this many seconds.
    #[serde(default)]
    pub gap: Option<i64>,
    /// The fewest points of a trip.
    #[serde(default)]
    pub fewest_points: Option<usize>,
}

impl Input {
    /// Reads the traces, and says what was left out.
    pub fn read(
        &self,
        job: &JobFile,
        progress: &dyn Progress,
    ) -> Result<(Traces, Vec<(String, String)>), KindError> {
        let plane = match self.centre {
            None => None,
            Some((latitude, longitude)) => {
                let centre =
                    crate::Degrees::new(latitude, longitude).filter(|own| own.latitude.abs() < 89.95);
                let centre = centre.ok_or_else(|| {
                    KindError::key("input.centre", "must be a latitude and a longitude in degrees")
                })?;
                Some(Plane::Local { latitude: centre.latitude, longitude: centre.longitude })
            }
        };
        let options = TraceOptions {
            object: self.object.clone(),
            time: self.time.clone(),
            xy: self.xy.clone(),
            degrees: self.degrees.clone(),
            sensitive: self.sensitive.clone(),
            sort: self.sort,
            same_time: self.same_time,
            plane,
            read: ReadOptions { formulas: self.formulas, ..TraceOptions::default().read },
        };
        let path = job.resolve(&self.path);
        if self.formulas != Formulas::Keep && read::is_geojson(&path) {
            return Err(KindError::key("input.formulas", "must be \"keep\" where the traces are GeoJSON"));
        }
        let (traces, cleaning) = read(&path, &options, progress)?;
        let mut notes = vec![("points".to_owned(), cleaning.given.to_string())];
        let counted = [
            ("points of equal time left out", cleaning.same_time),
            ("points of equal time spread", cleaning.spread),
            ("points put in order", cleaning.sorted),
        ];
        notes.extend(counted.iter().filter(|own| own.1 > 0).map(|own| (own.0.to_owned(), own.1.to_string())));
        let Some(gap) = self.gap else { return Ok((traces, notes)) };
        let fewest_points = self.fewest_points.unwrap_or(TripOptions::default().fewest_points);
        let (trips, cut) = trips(&traces, TripOptions { gap, fewest_points })?;
        notes.push(("trips".to_owned(), trips.len().to_string()));
        notes.push(("points of short trips left out".to_owned(), cut.short_points.to_string()));
        Ok((trips, notes))
    }
}

/// How regions are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Crowding {
    /// Quadtree descent where all people of a quadrant can descend.
    #[default]
    Quadtree,
    /// Quadtree descent as it was published, which shows outliers.
    QuadtreeNearest,
    /// Runs on a Hilbert curve.
    Hilbert,
}

impl Crowding {
    /// The descent of a quadtree, if it is one.
    pub fn descent(self) -> Option<Descent> {
        match self {
            Self::Quadtree => Some(Descent::Reciprocal),
            Self::QuadtreeNearest => Some(Descent::Nearest),
            Self::Hilbert => None,
        }
    }
}

/// Cloaking of single positions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Cloaking {
    /// How regions are made.
    pub crowding: Crowding,
    /// People in a region.
    pub k: u32,
    /// Different sensitive values of people with one region; 1 where it does not matter.
    pub l: u32,
    /// Square metres of a region; 0 where it does not matter.
    pub area: f64,
    /// Seconds of a span; each person has one position in a span.
    pub window: i64,
}

impl Default for Cloaking {
    fn default() -> Self {
        Self { crowding: Crowding::default(), k: 10, l: 1, area: 0.0, window: 3600 }
    }
}

impl Cloaking {
    /// The threat that is guarded against.
    ///
    /// # Errors
    /// When values and area are both asked for.
    pub fn threat(&self) -> Result<Threat, KindError> {
        match (self.l > 1, self.area > 0.0) {
            (false, false) => Ok(Threat::Identity { k: self.k }),
            (true, false) => Ok(Threat::QueryLink { k: self.k, l: self.l }),
            (false, true) => Ok(Threat::Location { k: self.k, area: self.area }),
            (true, true) => {
                Err(KindError::key("traces.area", "is for another threat than `l`; leave one of them out"))
            }
        }
    }
}

/// Generalization to cells.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Cells {
    /// People with the same cells.
    pub k: u32,
    /// Different sensitive values among them; 1 where it does not matter.
    pub l: u32,
    /// Seconds of a span.
    pub window: i64,
    /// The finest resolution of H3; the side of squares in metres for positions in metres.
    pub finest: Option<u32>,
    /// The number of levels.
    pub levels: u8,
    /// What is generalized.
    pub unit: Unit,
}

impl Default for Cells {
    fn default() -> Self {
        Self { k: 5, l: 1, window: 3600, finest: None, levels: 5, unit: Unit::Position }
    }
}

/// Noise on positions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Noisy {
    /// The loss of one position over the radius, as it was written.
    pub epsilon: String,
    /// Metres.
    pub radius: u32,
    /// Centimetres between positions of the grid.
    pub grid: u32,
    /// The most positions of a person.
    pub positions: u32,
}

impl Default for Noisy {
    fn default() -> Self {
        Self { epsilon: "1".to_owned(), radius: 200, grid: 1000, positions: 24 }
    }
}

/// Private flows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct FlowMethod {
    /// The loss of a person, as it was written.
    pub epsilon: String,
    /// West, south, east and north in metres on the plane.
    pub bounds: [i32; 4],
    /// The side of cells in metres.
    pub side: u32,
    /// The most trips of a person that count.
    #[serde(default = "one")]
    pub trips: u32,
}

fn one() -> u32 {
    1
}

/// How traces are published; what stands in the manifest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "method", deny_unknown_fields)]
pub enum Method {
    /// New pseudonyms, and nothing else.
    Pseudonyms {},
    /// Groups that stay together, by synchronous distance.
    NeverWalkAlone(NeverWalkAlone),
    /// Groups that stay together, by edit distance.
    WaitForMe(WaitForMe),
    /// Pseudonyms exchanged where traces meet.
    Swapping {
        /// How close they come, in metres.
        distance: f64,
        /// Seconds between two points.
        step: i64,
    },
    /// Pseudonyms changed in zones.
    MixZones {
        /// How many zones are laid over the busiest squares.
        zones: u32,
        /// The radius of zones in metres.
        radius: u32,
        /// The largest posterior of a true successor.
        tau: f64,
    },
    /// Pseudonyms changed at moments of confusion.
    PathCloaking(PathCloaking),
    /// Regions for single positions.
    Cloaking(Cloaking),
    /// Cells for positions or traces.
    Cells(Cells),
    /// Noise on positions.
    GeoIndistinguishability(Noisy),
    /// Noisy numbers of trips between cells.
    Flows(FlowMethod),
}

impl Method {
    /// The parameters of mix zones, if it is that method.
    pub fn mix_zones(tau: f64) -> MixZones {
        MixZones { tau, ..MixZones::default() }
    }
}

/// What a job says about the release.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How traces are published.
    pub method: Method,
    /// The ledger and its account.
    pub ledger: Option<(PathBuf, String)>,
    /// The seed, where the job gives one.
    pub seed: Option<u64>,
}

impl Settings {
    /// Reads the section; a key that the method does not use is an error.
    pub fn read(job: &JobFile) -> Result<Self, KindError> {
        let mut table: toml::Table = job.required("traces")?;
        let mut text = |key: &str| -> Result<Option<String>, KindError> {
            match table.remove(key) {
                None => Ok(None),
                Some(toml::Value::String(text)) => Ok(Some(text)),
                Some(_) => Err(KindError::key(format!("traces.{key}"), "must be a text in quotation marks")),
            }
        };
        let (ledger, account) = (text("ledger")?, text("account")?);
        let seed = match table.remove("seed") {
            None => None,
            Some(seed) => {
                Some(seed.try_into().map_err(|_| KindError::key("traces.seed", "must be a whole number"))?)
            }
        };
        // Epsilon may be written without quotation marks.
        if let Some(number @ (toml::Value::Integer(_) | toml::Value::Float(_))) = table.get("epsilon") {
            let text = number.to_string();
            table.insert("epsilon".to_owned(), toml::Value::String(text));
        }
        let method: Method = toml::Value::Table(table).try_into().map_err(|error: toml::de::Error| {
            KindError::bad_input(format!("[traces]: {}", error.message())).at(job.path())
        })?;
        let ledger = match (ledger, account) {
            (None, None) => None,
            (Some(ledger), Some(account)) => Some((job.resolve(&PathBuf::from(ledger)), account)),
            _ => return Err(KindError::key("traces.ledger", "and `traces.account` belong together")),
        };
        if ledger.is_some() && !matches!(method, Method::GeoIndistinguishability(_) | Method::Flows(_)) {
            return Err(KindError::key("traces.ledger", "is for methods with a privacy loss"));
        }
        Ok(Self { method, ledger, seed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Settings, KindError> {
        Settings::read(&JobFile::in_folder(std::path::Path::new("."), text.parse().unwrap()))
    }

    #[test]
    fn methods_are_read_and_foreign_keys_refused() {
        let own = read("[traces]\nmethod = \"never-walk-alone\"\nk = 3\ndelta = 100.0\nseed = 4\n").unwrap();
        assert!(matches!(own.method, Method::NeverWalkAlone(NeverWalkAlone { k: 3, step: 60, .. })));
        assert_eq!(own.seed, Some(4));
        assert!(read("[traces]\nmethod = \"never-walk-alone\"\ntau = 0.5\n").is_err());
        assert!(read("[traces]\nmethod = \"walk\"\n").is_err());
        assert!(read("[traces]\nmethod = \"pseudonyms\"\nk = 3\n").is_err());
        assert!(read("[traces]\nmethod = \"swapping\"\ndistance = 5.0\nstep = 60\nk = 3\n").is_err());
        assert!(read("[traces]\nmethod = \"pseudonyms\"\nledger = \"a\"\n").is_err());
        let own = read("[traces]\nmethod = \"geo-indistinguishability\"\nepsilon = 0.5\n").unwrap();
        assert!(matches!(own.method, Method::GeoIndistinguishability(own) if own.epsilon == "0.5"));
        let both = Cloaking { l: 2, area: 5.0, ..Cloaking::default() };
        assert!(both.threat().is_err());
    }
}
