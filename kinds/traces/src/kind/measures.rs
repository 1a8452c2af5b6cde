//! The measures of traces: each compares the release with the original.

use privet_data::Progress;
use privet_kind::{Figure, KindError, Measure, MeasureInfo, Need, Reason, Unmade, Views};

use super::queries::RegionQueries;
use super::view::{Form, OriginalTraces, PublishedTraces, published};
use crate::measure::{
    answer, cell_counts, distortion, flow_counts, length, range_queries, shape_distances, share_difference,
};
use crate::{Cell, Position, Tiling, Traces};
use foldhash::HashMap;

/// All of them.
pub(super) const MEASURES: &[&dyn Measure] =
    &[&Ranges, &Lengths, &VisitedCells, &Flows, &Shapes, &RegionQueries];

/// Questions are drawn with this seed.
const SEED: u64 = 1;
/// The number of questions.
const QUESTIONS: usize = 200;
/// The most traces whose shapes are compared.
const SHAPES: usize = 300;

/// The release and its original, on one plane.
pub(super) fn both<'a>(
    release: Views<'a>,
    original: Views<'a>,
) -> Result<(&'a PublishedTraces, &'a OriginalTraces), Unmade> {
    let release = published(release)?;
    let original = original.get::<OriginalTraces>().ok_or(Need::Original)?;
    if original.traces.plane != release.plane {
        let problem = "the original does not lie on the plane of the release; give the job that made it";
        return Err(KindError::bad_input(problem).into());
    }
    Ok((release, original))
}

struct Ranges;

static RANGES: MeasureInfo = MeasureInfo {
    id: "range-queries",
    title: "Range queries",
    sentence: "How far answers about who was in a square of 1 km within an hour are distorted on average.",
};

impl Measure for Ranges {
    fn info(&self) -> &'static MeasureInfo {
        &RANGES
    }

    fn run(&self, release: Views<'_>, original: Views<'_>, _: &dyn Progress) -> Result<Vec<Figure>, Unmade> {
        let (release, original) = both(release, original)?;
        let traces = release.traces()?;
        let queries = range_queries(&original.traces, QUESTIONS, 1000.0, 3600, SEED);
        let (before, after) = (answer(&original.traces, &queries), answer(traces, &queries));
        let mean = |own: &[u64]| own.iter().sum::<u64>() as f64 / own.len().max(1) as f64;
        Ok(vec![
            Figure::single(&RANGES, "mean distortion", distortion(&before, &after)).as_share(),
            Figure::compared(&RANGES, "mean answer", mean(&before), mean(&after)),
        ])
    }
}

struct Lengths;

static LENGTHS: MeasureInfo = MeasureInfo {
    id: "lengths",
    title: "Lengths",
    sentence: "How many traces and points there are, and how long traces are.",
};

impl Measure for Lengths {
    fn info(&self) -> &'static MeasureInfo {
        &LENGTHS
    }

    fn run(&self, release: Views<'_>, original: Views<'_>, _: &dyn Progress) -> Result<Vec<Figure>, Unmade> {
        let (release, original) = both(release, original)?;
        let (before, after) = (&original.traces, release.traces()?);
        let mean = |own: &Traces| {
            (0..own.len()).map(|trace| length(own, trace)).sum::<f64>() / own.len().max(1) as f64 / 1000.0
        };
        let points = |own: &Traces| own.all_points().len() as f64;
        Ok(vec![
            Figure::compared(&LENGTHS, "traces", before.len() as f64, after.len() as f64),
            Figure::compared(&LENGTHS, "points", points(before), points(after)),
            Figure::compared(&LENGTHS, "mean length in km", mean(before), mean(after)),
        ])
    }
}

struct VisitedCells;

static CELLS: MeasureInfo = MeasureInfo {
    id: "visited-cells",
    title: "Visited cells",
    sentence: "How many cells are visited, and how far the shares of cells moved (half of the sum of differences).",
};

/// Where published records are: points, or the middles of regions and cells.
fn positions(release: &PublishedTraces) -> Result<Vec<Position>, Unmade> {
    Ok(match &release.form {
        Form::Traces { traces, .. } => traces.all_points().iter().map(|own| own.at).collect(),
        Form::Regions { records, .. } => records.iter().map(|own| own.region.centre()).collect(),
        Form::Visits { records, tiling, .. } => {
            let visits = records.iter().flat_map(|own| &own.0);
            visits.filter_map(|own| tiling.centre(&release.plane, own.cell, own.level)).collect()
        }
        Form::Flows { .. } => return Err(Reason::Nothing { what: "position".to_owned() }.into()),
    })
}

impl Measure for VisitedCells {
    fn info(&self) -> &'static MeasureInfo {
        &CELLS
    }

    fn run(&self, release: Views<'_>, original: Views<'_>, _: &dyn Progress) -> Result<Vec<Figure>, Unmade> {
        let (release, original) = both(release, original)?;
        let tiling = Tiling::usual(&release.plane);
        let before = cell_counts(&original.traces, &tiling, 0).map_err(KindError::from)?;
        let cells = tiling.all(&release.plane, positions(release)?.into_iter()).map_err(KindError::from)?;
        let mut after: HashMap<Cell, u64> = HashMap::default();
        cells.into_iter().for_each(|own| *after.entry(own).or_default() += 1);
        Ok(vec![
            Figure::compared(&CELLS, "visited cells", before.len() as f64, after.len() as f64),
            Figure::single(&CELLS, "difference of shares", share_difference(&before, &after)).as_share(),
        ])
    }
}

struct Flows;

static FLOWS: MeasureInfo = MeasureInfo {
    id: "flows",
    title: "Flows",
    sentence: "How far the shares of trips from cell to cell moved (half of the sum of differences).",
};

impl Measure for Flows {
    fn info(&self) -> &'static MeasureInfo {
        &FLOWS
    }

    fn run(&self, release: Views<'_>, original: Views<'_>, _: &dyn Progress) -> Result<Vec<Figure>, Unmade> {
        let (release, original) = both(release, original)?;
        let tiling = match &release.form {
            Form::Flows { tiling, .. } => *tiling,
            Form::Traces { .. } => Tiling::usual(&release.plane),
            _ => return Err(Reason::Nothing { what: "flow".to_owned() }.into()),
        };
        let level = tiling.levels().min(3) - 1;
        let before = flow_counts(&original.traces, &tiling, level).map_err(KindError::from)?;
        let after: HashMap<(Cell, Cell), u64> = match &release.form {
            Form::Flows { flows, cells, .. } => {
                let of = |own: &crate::Flow| {
                    let ends = (cells[own.origin as usize], cells[own.destination as usize]);
                    (ends, own.count.max(0) as u64)
                };
                flows.iter().map(of).collect()
            }
            _ => flow_counts(release.traces()?, &tiling, level).map_err(KindError::from)?,
        };
        let total = |own: &HashMap<(Cell, Cell), u64>| own.values().sum::<u64>() as f64;
        Ok(vec![
            Figure::compared(&FLOWS, "trips", total(&before), total(&after)),
            Figure::compared(&FLOWS, "pairs of cells", before.len() as f64, after.len() as f64),
            Figure::single(&FLOWS, "difference of shares", share_difference(&before, &after)).as_share(),
        ])
    }
}

struct Shapes;

static SHAPES_INFO: MeasureInfo = MeasureInfo {
    id: "shapes",
    title: "Shapes",
    sentence: "How far published traces are from those that they were made from (Hausdorff distance, dynamic time warping).",
};

impl Measure for Shapes {
    fn info(&self) -> &'static MeasureInfo {
        &SHAPES_INFO
    }

    fn run(&self, release: Views<'_>, original: Views<'_>, _: &dyn Progress) -> Result<Vec<Figure>, Unmade> {
        let (release, original) = both(release, original)?;
        let traces = release.traces()?;
        let who = original.who.as_deref().filter(|own| own.len() == traces.len()).ok_or(Need::Original)?;
        // The trace of the object that begins last before the published one.
        let mut of_object: HashMap<u32, Vec<(i64, u32)>> = HashMap::default();
        for (trace, (object, points)) in original.traces.iter().enumerate() {
            let start = points.first().map_or(i64::MIN, |own| own.time);
            of_object.entry(object).or_default().push((start, trace as u32));
        }
        let source = |trace: usize| {
            let start = traces.points(trace).first().map_or(0, |own| own.time);
            let all = of_object.get(&who[trace])?;
            let before = all.iter().filter(|own| own.0 <= start).max().or_else(|| all.first());
            before.map(|own| own.1)
        };
        let source: Option<Vec<u32>> = (0..traces.len()).map(source).collect();
        let source = source.ok_or(Need::Original)?;
        let (hausdorff, warped) = shape_distances(traces, &original.traces, &source, SHAPES);
        Ok(vec![
            Figure::single(&SHAPES_INFO, "mean Hausdorff distance in metres", hausdorff),
            Figure::single(&SHAPES_INFO, "mean warped distance in metres", warped),
        ])
    }
}
