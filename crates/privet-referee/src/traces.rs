//! The referee of traces: every promise again, from the published files and the definitions (survey 8.3, AP-15 to AP-18).
//!
//! Slow and plain on purpose. Distances are compared as whole centimetres; between two points a trace is the straight line.
//! What noise and pseudonyms hide cannot be seen in a file: those promises are checked for their form and marked as bounded.

mod further;
mod points;

use std::collections::{BTreeMap, BTreeSet};

use privet_data::Progress;
use privet_data::io::ReadOptions;
use privet_release::verify::statement_on_groups;
use privet_release::{Check, OpenError, Promised, Referee, ReleaseFolder, Trusted};
use serde_json::Value;

use crate::charged;
use points::{Walk, largest_squared_distance, read_walks};

/// The referee.
pub struct Traces;

/// It, for the list of all.
pub const REFEREE: &dyn Referee = &Traces;

/// How the release was made, as the manifest states.
fn settings(folder: &ReleaseFolder) -> &Value {
    folder.envelope().body.get("method").unwrap_or(&Value::Null)
}

fn method(folder: &ReleaseFolder) -> &str {
    settings(folder).get("method").and_then(Value::as_str).unwrap_or_default()
}

/// The one data file of a method.
fn file_of(method: &str) -> Option<&'static str> {
    match method {
        "pseudonyms"
        | "never-walk-alone"
        | "wait-for-me"
        | "swapping"
        | "mix-zones"
        | "path-cloaking"
        | "geo-indistinguishability" => Some("traces.csv"),
        "cloaking" => Some("regions.csv"),
        "cells" => Some("visits.csv"),
        "flows" => Some("flows.csv"),
        _ => None,
    }
}

/// The promises that a release of a method must make, with the keys of the method that they repeat.
fn owed(method: &str) -> &'static [(&'static str, &'static [&'static str])] {
    match method {
        "pseudonyms" | "swapping" => &[("traces", &[])],
        "never-walk-alone" | "wait-for-me" => &[("traces", &[]), ("k-delta", &["k", "delta"])],
        "mix-zones" => &[("traces", &[]), ("mix-zones", &[]), ("confusion", &["tau"])],
        "path-cloaking" => &[("traces", &[]), ("time-to-confusion", &[]), ("confusion", &["tau"])],
        "geo-indistinguishability" => {
            &[("traces", &[]), ("geo-indistinguishability", &["epsilon", "radius", "grid", "positions"])]
        }
        "cloaking" => &[("cloaks", &["k"])],
        "cells" => &[("k-anonymity", &["k"])],
        "flows" => &[("differential-privacy", &["epsilon", "trips"])],
        _ => &[],
    }
}

impl Referee for Traces {
    fn kind(&self) -> &'static str {
        "traces"
    }

    fn files(&self, folder: &ReleaseFolder) -> Result<Vec<String>, OpenError> {
        match file_of(method(folder)) {
            Some(file) => Ok(vec![file.to_owned()]),
            None => Err(folder.malformed("manifest.json", "the method is none of this kind")),
        }
    }

    fn verify(&self, folder: &ReleaseFolder, progress: &dyn Progress) -> Result<Vec<Check>, OpenError> {
        let mut checks = vec![consistency(folder)];
        let published = Published::read(folder, progress)?;
        for promised in &folder.envelope().promises {
            checks.push(match (&published, promised.id.as_str()) {
                (Published::Visits(records, values), "criterion") => {
                    further::criterion(records, values, promised, progress)?
                }
                _ => published.check(promised, folder),
            });
        }
        Ok(checks)
    }

    fn on_trust(&self) -> &'static [Trusted] {
        &[
            Trusted {
                what: "whose positions and traces are published",
                why: "that traces, positions of a span and records with one value are of different people: the input alone shows it",
            },
            Trusted {
                what: "how noise was drawn",
                why: "that it comes from the operating system and nobody kept it",
            },
        ]
    }

    fn statement(&self, promised: &Promised) -> Option<String> {
        Some(match promised.id.as_str() {
            "traces" => format!(
                "The release holds {} traces with {} points, under pseudonyms of its own.",
                promised.whole("traces")?,
                promised.whole("points")?
            ),
            "k-delta" => format!(
                "At every time that a published trace covers, at least {} others of its group are within {} metres of it.",
                promised.whole("k")?.checked_sub(1)?,
                promised.number("delta")?
            ),
            "time-to-confusion" => format!(
                "No published stretch of a trace is longer than {} seconds.",
                promised.whole("seconds")?
            ),
            "confusion" => format!(
                "Where a pseudonym changes, an adversary who predicts motions names the true successor with a posterior of at most {}.",
                promised.number("tau")?
            ),
            "criterion" => {
                let requirement = promised.parameters.get("requirement")?;
                statement_on_groups(requirement, promised.word("column")?)?
            }
            "mix-zones" => format!(
                "No point lies in one of {} zones, where pseudonyms change.",
                promised.whole("zones")?
            ),
            "cloaks" => {
                let k = promised.whole("k")?;
                match promised.parameters.get("reciprocal")?.as_bool()? {
                    true => format!("Every region of a span is that of at least {k} people."),
                    false => format!("In every region of a span are at least {k} people."),
                }
            }
            "diverse-cloaks" => format!(
                "People with the same region and span have at least {} different sensitive values.",
                promised.whole("l")?
            ),
            "wide-cloaks" => {
                format!("Every region has an area of at least {} square metres.", promised.number("area")?)
            }
            "k-anonymity" => format!(
                "Every published cell and span, or list of them, is that of at least {} people.",
                promised.whole("k")?
            ),
            "l-diversity" => format!(
                "People with the same cells and spans have at least {} different sensitive values.",
                promised.whole("l")?
            ),
            "geo-indistinguishability" => format!(
                "Each position has planar Laplace noise: positions within {} metres of each other are indistinguishable up to a factor \
                 of e^{}; a person has at most {} positions, and times are published as they are. {}{}",
                promised.whole("radius")?,
                promised.word("epsilon")?,
                promised.whole("positions")?,
                if is_remapped(promised) {
                    "Each noisy position was moved to the best guess by public places. "
                } else {
                    ""
                },
                charged::ledger(promised)
            ),
            "differential-privacy" => format!(
                "Flows are differentially private for a person with at most {} trips: epsilon is {}; flows below {} are not published. {}",
                promised.whole("trips")?,
                promised.word("epsilon")?,
                promised.whole("threshold")?,
                charged::ledger(promised)
            ),
            _ => return None,
        })
    }
}

/// Whether the promises are those of the method, with its numbers.
fn consistency(folder: &ReleaseFolder) -> Check {
    let name = "manifest";
    let (method, envelope) = (method(folder), folder.envelope());
    let owed = owed(method);
    for (id, keys) in owed {
        let Some(promised) = envelope.promises.iter().find(|own| own.id == *id) else {
            return Check::failed(
                name,
                format!("the method {method} promises {id}, and the manifest does not"),
            );
        };
        for key in *keys {
            let stated = settings(folder).get(*key);
            let is_same = match (stated, promised.parameters.get(*key)) {
                (Some(Value::Number(a)), Some(Value::Number(b))) => a.as_f64() == b.as_f64(),
                (a, b) => a == b && a.is_some(),
            };
            if !is_same {
                return Check::failed(name, format!("{key} of the promise {id} is not that of the method"));
            }
        }
    }
    let body = |key: &str| settings(folder).get(key).and_then(Value::as_f64).unwrap_or_default();
    let has = |id: &str| envelope.promises.iter().any(|own| own.id == id);
    let missing = match method {
        "cloaking" if body("l") > 1.0 && !has("diverse-cloaks") => Some("diverse-cloaks"),
        "cloaking" if body("area") > 0.0 && !has("wide-cloaks") => Some("wide-cloaks"),
        "cells" if body("l") > 1.0 && !has("l-diversity") => Some("l-diversity"),
        "cells" if further::criteria(settings(folder)) != further::promised(&envelope.promises) => {
            Some("every further criterion")
        }
        _ => None,
    };
    match missing {
        Some(id) => {
            Check::failed(name, format!("the method asks for {id}, and the manifest does not promise it"))
        }
        None => Check::passed(name, format!("the promises are those of the method {method}")),
    }
}

/// A region of a span: span, low x, low y, high x, high y.
type Region = (i64, [i64; 4]);

enum Published {
    Walks(Vec<Walk>),
    Regions(Vec<(Region, Option<u32>)>),
    /// Records of visits with the code of the value, and the texts of values.
    Visits(Vec<(Vec<(String, String)>, Option<u32>)>, Vec<String>),
    Flows(Vec<(String, String, i64)>),
}

impl Published {
    fn read(folder: &ReleaseFolder, progress: &dyn Progress) -> Result<Self, OpenError> {
        match file_of(method(folder)) {
            Some("traces.csv") => Ok(Self::Walks(read_walks(folder, progress)?)),
            Some("regions.csv") => regions(folder, progress),
            Some("visits.csv") => visits(folder, progress),
            Some("flows.csv") => flows(folder, progress),
            _ => Err(folder.malformed("manifest.json", "the method is none of this kind")),
        }
    }

    fn check(&self, promised: &Promised, folder: &ReleaseFolder) -> Check {
        let name = promised.id.clone();
        let outcome = match (promised.id.as_str(), self) {
            ("traces", Self::Walks(walks)) => count(walks, promised),
            ("k-delta", Self::Walks(walks)) => k_delta(walks, promised),
            ("time-to-confusion", Self::Walks(walks)) => confusion(walks, promised),
            ("mix-zones", Self::Walks(walks)) => zones(walks, promised, folder),
            ("geo-indistinguishability", Self::Walks(walks)) => noise(walks, promised),
            ("cloaks", Self::Regions(records)) => cloaks(records, promised),
            ("diverse-cloaks", Self::Regions(records)) => {
                let keys = records.iter().map(|own| (own.0, own.1));
                diverse(keys, promised)
            }
            ("wide-cloaks", Self::Regions(records)) => wide(records, promised),
            ("k-anonymity", Self::Visits(records, _)) => alike(records, promised),
            ("confusion", Self::Walks(_)) => further::confusion(promised),
            ("l-diversity", Self::Visits(records, _)) => {
                diverse(records.iter().map(|own| (own.0.clone(), own.1)), promised)
            }
            ("differential-privacy", Self::Flows(flows)) => private(flows, promised, folder),
            _ => Err("the promise is none of what is published".to_owned()),
        };
        match outcome {
            Ok(Found { detail, reached, bounded }) => {
                if let Some(stated) = promised.reached
                    && reached != Some(stated)
                {
                    return Check::failed(name, "the manifest states another number than the files reach");
                }
                Check { reached, bounded, ..Check::passed(name, detail) }
            }
            Err(problem) => Check::failed(name, problem),
        }
    }
}

struct Found {
    detail: String,
    reached: Option<f64>,
    bounded: bool,
}

fn found(detail: impl Into<String>, reached: Option<f64>) -> Result<Found, String> {
    Ok(Found { detail: detail.into(), reached, bounded: false })
}

fn whole(promised: &Promised, key: &str) -> Result<u64, String> {
    promised.whole(key).ok_or_else(|| format!("the promise does not state {key}"))
}

fn number(promised: &Promised, key: &str) -> Result<f64, String> {
    promised
        .number(key)
        .filter(|own| own.is_finite())
        .ok_or_else(|| format!("the promise does not state {key}"))
}

fn regions(folder: &ReleaseFolder, progress: &dyn Progress) -> Result<Published, OpenError> {
    const FILE: &str = "regions.csv";
    let table = folder.table(FILE, &ReadOptions::default().exactly(), progress)?;
    let column = |name: &str| -> Result<Vec<i64>, OpenError> {
        let column =
            table.column(name).ok_or_else(|| folder.malformed(FILE, format!("no column `{name}`")))?;
        let all: Option<Vec<i64>> =
            column.codes.iter().map(|&own| column.domain.text(own).parse().ok()).collect();
        all.ok_or_else(|| folder.malformed(FILE, format!("a cell of `{name}` is not a whole number")))
    };
    let (spans, edges) =
        (column("span")?, [column("x_low")?, column("y_low")?, column("x_high")?, column("y_high")?]);
    let values = table.column("value");
    let record = |row: usize| {
        let region = [0, 1, 2, 3].map(|edge: usize| edges[edge][row]);
        ((spans[row], region), values.map(|own| own.codes[row]))
    };
    let records: Vec<(Region, Option<u32>)> = (0..table.rows).map(record).collect();
    if records.iter().any(|own| own.0.1[0] > own.0.1[2] || own.0.1[1] > own.0.1[3]) {
        return Err(folder.malformed(FILE, "a region ends before it begins"));
    }
    Ok(Published::Regions(records))
}

fn visits(folder: &ReleaseFolder, progress: &dyn Progress) -> Result<Published, OpenError> {
    const FILE: &str = "visits.csv";
    let table = folder.table(FILE, &ReadOptions::default().exactly(), progress)?;
    let column =
        |name: &str| table.column(name).ok_or_else(|| folder.malformed(FILE, format!("no column `{name}`")));
    let (numbers, spans, cells) = (column("record")?, column("span")?, column("cell")?);
    let values = table.column("value");
    let texts = values.map_or(Vec::new(), |own| own.domain.texts().iter().map(ToString::to_string).collect());
    let mut records: Vec<(Vec<(String, String)>, Option<u32>)> = Vec::new();
    for row in 0..table.rows {
        let number: Option<usize> = numbers.domain.text(numbers.codes[row]).parse().ok();
        let value = values.map(|own| own.codes[row]);
        if number == Some(records.len()) {
            records.push((Vec::new(), value));
        }
        let visit =
            (spans.domain.text(spans.codes[row]).to_owned(), cells.domain.text(cells.codes[row]).to_owned());
        match records.len().checked_sub(1) {
            Some(last) if number == Some(last) && records[last].1 == value => records[last].0.push(visit),
            _ => {
                return Err(
                    folder.malformed(FILE, "the records are not numbered from 0 on, with one value each")
                );
            }
        }
    }
    Ok(Published::Visits(records, texts))
}

fn flows(folder: &ReleaseFolder, progress: &dyn Progress) -> Result<Published, OpenError> {
    const FILE: &str = "flows.csv";
    let table = folder.table(FILE, &ReadOptions::default().exactly(), progress)?;
    let column =
        |name: &str| table.column(name).ok_or_else(|| folder.malformed(FILE, format!("no column `{name}`")));
    let (origins, destinations, trips) = (column("origin")?, column("destination")?, column("trips")?);
    let text = |own: &privet_data::Column, row: usize| own.domain.text(own.codes[row]).to_owned();
    let flow =
        |row: usize| Some((text(origins, row), text(destinations, row), text(trips, row).parse().ok()?));
    let all: Option<Vec<(String, String, i64)>> = (0..table.rows).map(flow).collect();
    all.map(Published::Flows).ok_or_else(|| folder.malformed(FILE, "a number of trips is not a whole number"))
}

fn count(walks: &[Walk], promised: &Promised) -> Result<Found, String> {
    let points: usize = walks.iter().map(|own| own.points.len()).sum();
    if whole(promised, "traces")? != walks.len() as u64 || whole(promised, "points")? != points as u64 {
        return Err("the files hold another number of traces or points".to_owned());
    }
    found(format!("{} traces with {points} points, in the order of time", walks.len()), None)
}

/// AP-16: sets of at least k traces, all pairs of which are within delta of each other at every time that they cover.
fn k_delta(walks: &[Walk], promised: &Promised) -> Result<Found, String> {
    let (k, delta) = (whole(promised, "k")?, number(promised, "delta")?);
    let centimetres = (delta * 100.0).floor() as i128;
    let mut groups: BTreeMap<u64, Vec<&Walk>> = BTreeMap::new();
    for walk in walks {
        groups.entry(walk.group.ok_or("the traces have no groups")?).or_default().push(walk);
    }
    for members in groups.values() {
        for (place, a) in members.iter().enumerate() {
            for b in &members[place + 1..] {
                let Some(squared) = largest_squared_distance(a, b) else {
                    return Err("two traces of a group do not cover the same time".to_owned());
                };
                if squared > (centimetres * centimetres) as f64 {
                    return Err(format!("two traces of a group are further apart than {delta} metres"));
                }
            }
        }
    }
    let smallest = groups.values().map(Vec::len).min().unwrap_or_default() as u64;
    if smallest < k && !groups.is_empty() {
        return Err(format!("a group has {smallest} traces"));
    }
    let detail =
        format!("{} groups of at least {smallest} traces, within {delta} metres at all times", groups.len());
    found(detail, Some(smallest as f64))
}

fn confusion(walks: &[Walk], promised: &Promised) -> Result<Found, String> {
    let most = whole(promised, "seconds")? as i64;
    let longest = walks.iter().filter_map(|own| Some(own.points.last()?.0 - own.points.first()?.0)).max();
    let longest = longest.unwrap_or_default();
    if longest > most {
        return Err(format!("a stretch is {longest} seconds long"));
    }
    found(format!("the longest stretch has {longest} seconds"), None)
}

fn zones(walks: &[Walk], promised: &Promised, folder: &ReleaseFolder) -> Result<Found, String> {
    let listed = folder.envelope().body.get("zones").and_then(Value::as_array).cloned().unwrap_or_default();
    let zone = |own: &Value| -> Option<[i128; 3]> {
        let list = own.as_array()?;
        let at = |place: usize| list.get(place)?.as_i64().map(i128::from);
        Some([at(0)?, at(1)?, at(2)?])
    };
    let zones: Option<Vec<[i128; 3]>> = listed.iter().map(zone).collect();
    let zones = zones.ok_or("the zones of the manifest are not circles")?;
    if zones.len() as u64 != whole(promised, "zones")? || zones.is_empty() {
        return Err("the manifest lists another number of zones".to_owned());
    }
    let is_inside = |x: i64, y: i64| {
        zones.iter().any(|[cx, cy, r]| (i128::from(x) - cx).pow(2) + (i128::from(y) - cy).pow(2) <= r * r)
    };
    match walks.iter().flat_map(|own| &own.points).filter(|own| is_inside(own.1, own.2)).count() {
        0 => found(format!("no point lies in one of {} zones", zones.len()), None),
        inside => Err(format!("{inside} points lie in a zone")),
    }
}

/// Whether noisy positions were moved after the noise, so that they lie on no grid.
fn is_remapped(promised: &Promised) -> bool {
    promised.parameters.get("remapped").and_then(Value::as_bool) == Some(true)
}

/// The noise itself cannot be seen; that positions lie on the grid and are no more than promised can.
fn noise(walks: &[Walk], promised: &Promised) -> Result<Found, String> {
    const EDGE: i64 = 1_000_000_000;
    let (grid, most) = (whole(promised, "grid")? as i64, whole(promised, "positions")?);
    if grid == 0 || promised.word("epsilon").is_none_or(|own| own.parse::<f64>().is_ok_and(|own| own <= 0.0))
    {
        return Err("the promise states no noise".to_owned());
    }
    let is_off = |own: i64| own % grid != 0 && own.abs() != EDGE && !is_remapped(promised);
    let off = walks.iter().flat_map(|own| &own.points).filter(|own| is_off(own.1) || is_off(own.2)).count();
    if off > 0 {
        return Err(format!("{off} positions do not lie on the grid"));
    }
    if walks.iter().any(|own| own.points.len() as u64 > most) {
        return Err(format!("a trace has more than {most} positions"));
    }
    let where_they_lie = match is_remapped(promised) {
        true => "positions were moved by public places and lie anywhere",
        false => "positions lie on the grid of the noise",
    };
    let detail = format!(
        "{where_they_lie}, and no trace has more than promised; that noise was added, and that a person has one trace, is the publisher's \
         word"
    );
    Ok(Found { detail, reached: None, bounded: true })
}

/// AP-15: a region holds k people; those with the very same region where the promise is reciprocal.
fn cloaks(records: &[(Region, Option<u32>)], promised: &Promised) -> Result<Found, String> {
    let k = whole(promised, "k")?;
    let is_reciprocal = promised.parameters.get("reciprocal").and_then(Value::as_bool);
    let is_reciprocal = is_reciprocal.ok_or("the promise does not state reciprocal")?;
    let mut people: BTreeMap<Region, u64> = BTreeMap::new();
    records.iter().for_each(|own| *people.entry(own.0).or_default() += 1);
    let includes = |a: &Region, b: &Region| {
        a.0 == b.0 && a.1[0] <= b.1[0] && a.1[1] <= b.1[1] && a.1[2] >= b.1[2] && a.1[3] >= b.1[3]
    };
    let reached = |(region, own): (&Region, &u64)| match is_reciprocal {
        true => *own,
        false => {
            let span = people.range((region.0, [i64::MIN; 4])..=(region.0, [i64::MAX; 4]));
            span.filter(|other| includes(region, other.0)).map(|other| other.1).sum()
        }
    };
    let smallest = people.iter().map(reached).min().unwrap_or_default();
    if smallest < k {
        return Err(format!("a region is that of {smallest} people"));
    }
    found(format!("{} regions, each of at least {smallest} people", people.len()), Some(smallest as f64))
}

fn diverse<K: Ord>(
    records: impl Iterator<Item = (K, Option<u32>)>,
    promised: &Promised,
) -> Result<Found, String> {
    let l = whole(promised, "l")?;
    let mut values: BTreeMap<K, BTreeSet<u32>> = BTreeMap::new();
    for (key, value) in records {
        values.entry(key).or_default().insert(value.ok_or("the file has no sensitive values")?);
    }
    let smallest = values.values().map(BTreeSet::len).min().unwrap_or_default() as u64;
    if smallest < l {
        return Err(format!("a group has {smallest} different values"));
    }
    let reached = promised.reached.is_some().then_some(smallest as f64);
    found(format!("every group has at least {smallest} different values"), reached)
}

fn wide(records: &[(Region, Option<u32>)], promised: &Promised) -> Result<Found, String> {
    let least = number(promised, "area")?;
    let side = |low: i64, high: i64| (high as f64 - low as f64 + 1.0) / 100.0;
    let area = |own: &(Region, Option<u32>)| side(own.0.1[0], own.0.1[2]) * side(own.0.1[1], own.0.1[3]);
    let smallest = records.iter().map(area).fold(f64::INFINITY, f64::min);
    if smallest < least {
        return Err(format!("a region has {smallest} square metres"));
    }
    found(format!("the smallest region has {smallest} square metres"), Some(smallest))
}

fn alike(records: &[(Vec<(String, String)>, Option<u32>)], promised: &Promised) -> Result<Found, String> {
    let k = whole(promised, "k")?;
    let mut people: BTreeMap<&[(String, String)], u64> = BTreeMap::new();
    records.iter().for_each(|own| *people.entry(&own.0).or_default() += 1);
    let smallest = people.values().copied().min().unwrap_or_default();
    if smallest < k {
        return Err(format!("a group has {smallest} records"));
    }
    found(format!("{} groups of at least {smallest} records", people.len()), Some(smallest as f64))
}

fn private(
    flows: &[(String, String, i64)],
    promised: &Promised,
    folder: &ReleaseFolder,
) -> Result<Found, String> {
    let threshold = whole(promised, "threshold")? as i64;
    if flows.iter().any(|own| own.2 < threshold) {
        return Err(format!("a flow is below the threshold of {threshold}"));
    }
    let pairs: BTreeSet<(&str, &str)> = flows.iter().map(|own| (own.0.as_str(), own.1.as_str())).collect();
    if pairs.len() != flows.len() {
        return Err("a pair of cells has two flows".to_owned());
    }
    let body = settings(folder);
    let bounds: Option<Vec<i64>> = body
        .get("bounds")
        .and_then(Value::as_array)
        .map(|own| own.iter().filter_map(Value::as_i64).collect());
    let (Some(bounds), Some(side)) =
        (bounds.filter(|own| own.len() == 4), body.get("side").and_then(Value::as_i64))
    else {
        return Err("the manifest does not declare cells".to_owned());
    };
    let is_declared = |name: &str| {
        let mut parts = name.split('/');
        let at = (
            parts.next(),
            parts.next().and_then(|own| own.parse::<i64>().ok()),
            parts.next().and_then(|own| own.parse::<i64>().ok()),
        );
        let (Some("0"), Some(column), Some(row), None) = (at.0, at.1, at.2, parts.next()) else {
            return false;
        };
        let (west, south) = (column.saturating_mul(side), row.saturating_mul(side));
        // The cell has something in common with the declared region.
        west < bounds[2] && west + side > bounds[0] && south < bounds[3] && south + side > bounds[1]
    };
    if flows.iter().any(|own| !is_declared(&own.0) || !is_declared(&own.1)) {
        return Err("a cell was not declared".to_owned());
    }
    let detail = "flows are between declared cells and not below the threshold; that noise was added is the publisher's word";
    Ok(Found { detail: detail.to_owned(), reached: None, bounded: true })
}
