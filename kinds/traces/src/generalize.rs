//! Generalization of positions to cells, with any criterion of `privet-criteria` that judges groups by themselves.
//!
//! Guarantee. All published positions with the same cell and the same span of time form a group; every group satisfies
//! every criterion. Each person has one record in a group, the first one, so k records are k people, not k points. Groups are made from the finest cells
//! upwards: who has no group there is counted again with the cell around it, and who has none in the coarsest cells is
//! suppressed. So crowded cells stay fine while empty ones grow. Spans of time are fixed lengths.
//!
//! With [`Unit::Trace`] what is generalized is the whole trace: the list of its cells and spans is the group.

use std::collections::BTreeMap;

use privet_criteria::{Class, Criterion, Histogram};
use privet_data::Progress;
use serde::{Deserialize, Serialize};

use crate::{Cell, Tiling, TraceError, Traces};

/// What a group is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Single positions, published without a pseudonym.
    #[default]
    Position,
    /// Whole traces: two are alike when all their cells and spans are.
    Trace,
}

/// How positions are generalized.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Generalize {
    /// The cells.
    pub tiling: Tiling,
    /// Seconds of a span of time.
    pub window: i64,
    /// What a group is about.
    pub unit: Unit,
}

/// A visit to a cell in a span of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Visit {
    /// The number of the span: its begin divided by its length.
    pub window: i64,
    /// The cell.
    pub cell: Cell,
    /// How coarse the cell is; 0 is the finest.
    pub level: u8,
}

/// A published record: one visit, or all visits of a trace in the order of time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct GeneralizedRecord {
    /// The visits; one for single positions.
    pub visits: Vec<Visit>,
    /// The sensitive value, if there is one.
    pub label: Option<u32>,
    /// Which trace of the input it is from. Stays with the owner.
    pub source: u32,
}

/// What was published, and what was not.
#[derive(Debug, Clone, Default)]
pub struct Generalized {
    /// The records, in an order of what is published.
    pub records: Vec<GeneralizedRecord>,
    /// Per record its group.
    pub groups: Vec<u32>,
    /// Records that satisfy no group, even in the coarsest cells.
    pub suppressed: u64,
    /// Records of a person who has another one in the same group.
    pub repeated: u64,
    /// Records before.
    pub given: u64,
    /// Per level, the finest first, how many records have it.
    pub levels: Vec<u64>,
}

struct Record {
    object: u32,
    source: u32,
    label: Option<u32>,
    /// Spans and finest cells.
    visits: Vec<(i64, Cell)>,
}

/// Generalizes traces until every group satisfies the criteria.
///
/// # Errors
/// When the cells do not fit the plane, the window is not above 0, or a criterion does not judge groups by themselves.
pub fn generalize(
    traces: &Traces,
    options: &Generalize,
    criteria: &[Box<dyn Criterion>],
    progress: &dyn Progress,
) -> Result<Generalized, TraceError> {
    if options.window <= 0 {
        return Err(TraceError::parameter("window", "above 0 seconds"));
    }
    if criteria.iter().any(|own| !own.bucket_independent() || own.judges_absence() || own.counts_population())
    {
        return Err(TraceError::parameter(
            "privacy",
            "criteria that judge every group by itself, such as k-anonymity",
        ));
    }
    let mut open = records(traces, options)?;
    let mut done = Generalized {
        given: open.len() as u64,
        levels: vec![0; options.tiling.levels().into()],
        ..Default::default()
    };
    let values = traces.labels.as_ref().map_or(0, |own| own.domain.len());
    let mut published: Vec<Vec<GeneralizedRecord>> = Vec::new();
    for level in 0..options.tiling.levels() {
        progress.check()?;
        let mut groups: BTreeMap<Vec<Visit>, Vec<Record>> = BTreeMap::new();
        for record in open {
            groups.entry(coarser(&record.visits, &options.tiling, level)).or_default().push(record);
        }
        open = Vec::new();
        for (visits, mut members) in groups {
            let all = members.len();
            let mut seen = foldhash::HashSet::default();
            members.retain(|own| seen.insert(own.object));
            done.repeated += (all - members.len()) as u64;
            if !satisfied(&members, values, criteria) {
                open.extend(members);
                continue;
            }
            done.levels[usize::from(level)] += members.len() as u64;
            let record = |own: Record| GeneralizedRecord {
                visits: visits.clone(),
                label: own.label,
                source: own.source,
            };
            published.push(members.into_iter().map(record).collect());
        }
    }
    done.suppressed = open.len() as u64;
    for (mut group, number) in published.into_iter().zip(0u32..) {
        group.sort_by_key(|own| own.label);
        done.groups.resize(done.groups.len() + group.len(), number);
        done.records.extend(group);
    }
    Ok(done)
}

/// Per sensitive value how many records have it before anything is generalized: the whole that groups are compared with.
///
/// # Errors
/// When the cells do not fit the plane, or the window is not above 0.
pub fn record_labels(traces: &Traces, options: &Generalize) -> Result<Vec<u64>, TraceError> {
    if options.window <= 0 {
        return Err(TraceError::parameter("window", "above 0 seconds"));
    }
    let mut counts = vec![0; traces.labels.as_ref().map_or(0, |own| own.domain.len())];
    for label in records(traces, options)?.iter().filter_map(|own| own.label) {
        counts[label as usize] += 1;
    }
    Ok(counts)
}

/// Records with their finest cells; a person has one record for each cell and span.
fn records(traces: &Traces, options: &Generalize) -> Result<Vec<Record>, TraceError> {
    let cells = options.tiling.all(&traces.plane, traces.all_points().iter().map(|own| own.at))?;
    let mut all = Vec::new();
    for trace in 0..traces.len() {
        let range = traces.range(trace);
        let (object, source) = (traces.object(trace), trace as u32);
        let label = |place: usize| traces.labels.as_ref().map(|own| own.codes[place]);
        let visits = range.clone().zip(traces.points(trace));
        let visits =
            visits.map(|(place, point)| (point.time.div_euclid(options.window), cells[place], place));
        match options.unit {
            Unit::Trace => {
                let mut list: Vec<(i64, Cell)> = visits.map(|own| (own.0, own.1)).collect();
                list.dedup();
                if !list.is_empty() {
                    // The sensitive value of a trace is that of its last point.
                    all.push(Record { object, source, label: label(range.end - 1), visits: list });
                }
            }
            Unit::Position => {
                let mut list: Vec<(i64, Cell, Option<u32>)> =
                    visits.map(|own| (own.0, own.1, label(own.2))).collect();
                list.sort_unstable();
                list.dedup();
                all.extend(list.into_iter().map(|own| Record {
                    object,
                    source,
                    label: own.2,
                    visits: vec![(own.0, own.1)],
                }));
            }
        }
    }
    Ok(all)
}

fn coarser(visits: &[(i64, Cell)], tiling: &Tiling, level: u8) -> Vec<Visit> {
    let visit = |&(window, cell): &(i64, Cell)| Visit { window, cell: tiling.coarser(cell, level), level };
    let mut all: Vec<Visit> = visits.iter().map(visit).collect();
    all.dedup();
    all
}

/// Whether a group of different people satisfies all criteria.
fn satisfied(members: &[Record], values: usize, criteria: &[Box<dyn Criterion>]) -> bool {
    let mut counts = vec![0u32; values];
    let mut present = Vec::new();
    for label in members.iter().filter_map(|own| own.label) {
        if counts[label as usize] == 0 {
            present.push(label);
        }
        counts[label as usize] += 1;
    }
    let total = present.iter().map(|&own| u64::from(counts[own as usize])).sum();
    let histogram = [Histogram { counts: &counts, present: &present, total }];
    let histograms = if values == 0 { &histogram[..0] } else { &histogram[..] };
    let class = Class { rows: members.len() as u64, population: 0, histograms };
    criteria.iter().all(|own| own.holds(&class))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{City, city};
    use crate::{Labels, Plane, Point};
    use privet_criteria::{Requirement, SensitiveColumn, build};
    use privet_data::{Domain, Kind, Silent};
    use proptest::prelude::*;

    fn k_anonymity(k: u64, rows: u64) -> Vec<Box<dyn Criterion>> {
        build(&[Requirement::KAnonymity { k }], &[], None, rows).unwrap()
    }

    #[test]
    fn crowded_cells_stay_fine() {
        let (traces, _) = city(&City { people: 100, step: 3600, ..City::default() }).unwrap();
        let tiling = Tiling::H3 { finest: 8, coarsest: 4 };
        let options = Generalize { tiling, window: 3600, unit: Unit::Position };
        let done = generalize(&traces, &options, &k_anonymity(5, 100), &Silent).unwrap();
        assert_eq!(done.records.len() as u64 + done.suppressed + done.repeated, done.given);
        assert!(done.levels[0] > 0 && done.levels[2..].iter().sum::<u64>() > 0, "{:?}", done.levels);
        // Brute force: who shares the visit, in people.
        for record in done.records.iter().take(200) {
            let mut people: Vec<u32> = done
                .records
                .iter()
                .filter(|own| own.visits == record.visits)
                .map(|own| traces.object(own.source as usize))
                .collect();
            people.sort_unstable();
            people.dedup();
            assert!(people.len() >= 5);
        }
    }

    #[test]
    fn whole_traces_are_harder_to_hide() {
        let (traces, _) = city(&City { people: 60, step: 3600 * 4, ..City::default() }).unwrap();
        let tiling = Tiling::H3 { finest: 8, coarsest: 4 };
        let options = Generalize { tiling, window: 4 * 3600, unit: Unit::Trace };
        let done = generalize(&traces, &options, &k_anonymity(4, 60), &Silent).unwrap();
        let coarse: u64 = done.levels[2..].iter().sum();
        assert!(coarse > done.levels[0], "{:?}", done.levels);
        assert!(generalize(&traces, &Generalize { window: 0, ..options }, &[], &Silent).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        /// Every group has l different values, by brute force over what is published.
        #[test]
        fn groups_are_diverse(points in prop::collection::vec((0u32..8, 0i32..400, 0u32..3), 4..40), l in 1u32..3) {
            let mut lists: BTreeMap<u32, Vec<(Point, u32)>> = BTreeMap::new();
            for (object, x, label) in points {
                let list = lists.entry(object).or_default();
                list.push((Point::new(list.len() as i64, x, 0), label));
            }
            let mut traces = Traces::on(Plane::Metres);
            let mut codes = Vec::new();
            for (object, list) in &lists {
                traces.push(*object, &list.iter().map(|own| own.0).collect::<Vec<_>>()).unwrap();
                codes.extend(list.iter().map(|own| own.1));
            }
            let domain = Domain::from_sorted(["a", "b", "c"].map(Box::from).to_vec(), 0, Kind::Text);
            let mut counts = [0u64; 3];
            codes.iter().for_each(|&own| counts[own as usize] += 1);
            let column = SensitiveColumn { name: "s", domain: &domain, counts: &counts, hierarchy: None };
            let asked = Requirement::parse("l-diversity", &serde_json::json!({"l": l})).unwrap();
            let Ok(criteria) = build(&asked, &[column], None, codes.len() as u64) else { return Ok(()) };
            traces.labels = Some(Labels { name: "s".to_owned(), codes, domain: domain.clone() });
            let options =
                Generalize { tiling: Tiling::Squares { side: 50, levels: 4 }, window: 100, unit: Unit::Position };
            let done = generalize(&traces, &options, &criteria, &Silent).unwrap();
            for record in &done.records {
                let mut kinds: Vec<u32> =
                    done.records.iter().filter(|own| own.visits == record.visits).filter_map(|own| own.label).collect();
                kinds.sort_unstable();
                kinds.dedup();
                prop_assert!(kinds.len() >= l as usize);
            }
        }
    }
}
