//! The page of a release of traces: what was published, and a map of it. Drawn from the published files alone, without tiles.

use privet_kind::page::{Anchor, Cell as PageCell, Drawing, Shape, Table, Tone};
use privet_kind::{Assessment, Block, PageSection};

use super::job::Method;
use super::view::{Form, PublishedTraces};
use crate::{Position, Region, time_text};

/// The width and height of maps.
const SIZE: f64 = 640.0;
/// The most traces, regions or cells that are drawn.
const MOST: usize = 400;
/// The most points of a trace that are drawn.
const MOST_POINTS: usize = 300;

fn method(method: &Method) -> &'static str {
    match method {
        Method::Pseudonyms {} => "Traces under new pseudonyms and otherwise unchanged. Nothing is promised.",
        Method::NeverWalkAlone(_) => "Traces in groups that stay together (Never Walk Alone).",
        Method::WaitForMe(_) => {
            "Traces in groups that stay together, with people some time apart (Wait-for-Me)."
        }
        Method::Swapping { .. } => {
            "Traces whose pseudonyms were exchanged where they met. Nothing is promised."
        }
        Method::MixZones { .. } => "Traces that change their pseudonyms in zones where nobody is published.",
        Method::PathCloaking(_) => "Stretches of traces that end before somebody can be followed for long.",
        Method::Cloaking(_) => "Regions for single positions, without pseudonyms.",
        Method::Cells(_) => "Positions or traces generalized to cells.",
        Method::GeoIndistinguishability(_) => "Positions with planar Laplace noise.",
        Method::Flows(_) => "Numbers of trips between cells, with noise.",
    }
}

pub(super) fn heading(release: &PublishedTraces) -> (String, String) {
    ("Report on traces".to_owned(), method(&release.method).to_owned())
}

pub(super) fn sections(release: &PublishedTraces, _: &Assessment) -> Vec<PageSection> {
    let mut sections = vec![PageSection::new(
        "published",
        "What is published",
        vec![Block::text(method(&release.method)), Block::Table(facts(release))],
    )];
    sections.extend(map(release).map(|own| PageSection::new("map", "Map", vec![Block::Drawing(own)])));
    sections
}

fn facts(release: &PublishedTraces) -> Table {
    let mut rows: Vec<Vec<PageCell>> = Vec::new();
    let mut say = |name: &str, value: PageCell| rows.push(vec![name.into(), value]);
    match &release.form {
        Form::Traces { traces, groups } => {
            say("traces", (traces.len() as u64).into());
            say("points", (traces.all_points().len() as u64).into());
            if let Some(groups) = groups {
                say("groups", (groups.chunk_by(|a, b| a == b).count() as u64).into());
            }
            if let Some((from, to)) = traces.span() {
                say("first time", time_text(from).into());
                say("last time", time_text(to).into());
            }
        }
        Form::Regions { records, .. } => {
            say("positions", (records.len() as u64).into());
            let areas: f64 = records.iter().map(|own| own.region.area()).sum();
            say("mean area of a region in km²", (areas / records.len().max(1) as f64 / 1e6).into());
        }
        Form::Visits { records, .. } => {
            say("records", (records.len() as u64).into());
            let visits: usize = records.iter().map(|own| own.0.len()).sum();
            say("visits", (visits as u64).into());
        }
        Form::Flows { flows, cells, .. } => {
            say("flows", (flows.len() as u64).into());
            say("cells with a flow", (cells.len() as u64).into());
        }
    }
    Table {
        caption: "The release in numbers".to_owned(),
        columns: vec!["what".to_owned(), "value".to_owned()],
        rows,
    }
}

/// The plane as it is drawn: north is up.
struct Canvas {
    bounds: Region,
    scale: f64,
}

impl Canvas {
    fn around(positions: impl Iterator<Item = Position>) -> Option<Self> {
        let bounds = Region::around(positions)?;
        let side = |low: i32, high: i32| f64::from(high) - f64::from(low);
        let longest = side(bounds.low.x, bounds.high.x).max(side(bounds.low.y, bounds.high.y)).max(100.0);
        Some(Self { bounds, scale: (SIZE - 20.0) / longest })
    }

    fn at(&self, position: Position) -> (f64, f64) {
        let x = 10.0 + (f64::from(position.x) - f64::from(self.bounds.low.x)) * self.scale;
        let y = 10.0 + (f64::from(self.bounds.high.y) - f64::from(position.y)) * self.scale;
        let tenth = |own: f64| (own * 10.0).round() / 10.0;
        (tenth(x), tenth(y))
    }

    fn height(&self) -> f64 {
        20.0 + (f64::from(self.bounds.high.y) - f64::from(self.bounds.low.y)) * self.scale
    }

    /// A bar of a round length.
    fn bar(&self) -> Vec<Shape> {
        let metres = (SIZE / 4.0 / self.scale / 100.0).max(1.0);
        let power = 10f64.powf(metres.log10().floor());
        let round = [5.0, 2.0, 1.0].into_iter().find(|own| own * power <= metres).unwrap_or(1.0) * power;
        let (y, end) = (self.height() + 14.0, 10.0 + round * 100.0 * self.scale);
        let text = if round >= 1000.0 { format!("{} km", round / 1000.0) } else { format!("{round} m") };
        vec![
            Shape::Line { points: vec![(10.0, y), (end, y)], tone: Tone::Plain },
            Shape::Label { at: (end + 6.0, y + 4.0), text, anchor: Anchor::Start },
        ]
    }
}

/// Every so-manieth of a list, so that at most so many are drawn.
fn thinned<T>(all: &[T], most: usize) -> impl Iterator<Item = &T> {
    all.iter().step_by(all.len().div_ceil(most).max(1))
}

fn map(release: &PublishedTraces) -> Option<Drawing> {
    let (canvas, mut shapes, what, all) = match &release.form {
        Form::Traces { traces, .. } => {
            let canvas = Canvas::around(traces.all_points().iter().map(|own| own.at))?;
            let numbers: Vec<usize> = (0..traces.len()).collect();
            let line = |&own: &usize| {
                let mut points: Vec<(f64, f64)> =
                    thinned(traces.points(own), MOST_POINTS).map(|own| canvas.at(own.at)).collect();
                points.dedup();
                match points[..] {
                    [centre] => Shape::Circle { centre, radius: 2.0, tone: Tone::After },
                    _ => Shape::Line { points, tone: Tone::After },
                }
            };
            let shapes: Vec<Shape> = thinned(&numbers, MOST).map(line).collect();
            (canvas, shapes, "traces", traces.len())
        }
        Form::Regions { records, .. } => {
            let canvas = Canvas::around(records.iter().flat_map(|own| own.region.corners()))?;
            let mut regions: Vec<Region> = records.iter().map(|own| own.region).collect();
            regions.sort_unstable();
            regions.dedup();
            // Large regions lie behind small ones.
            regions.sort_by(|a, b| b.area().total_cmp(&a.area()));
            let area = |own: &Region| {
                let mut points: Vec<(f64, f64)> = own.corners().iter().map(|own| canvas.at(*own)).collect();
                points.push(points[0]);
                Shape::Line { points, tone: Tone::After }
            };
            let shapes: Vec<Shape> = thinned(&regions, MOST).map(area).collect();
            (canvas, shapes, "regions", regions.len())
        }
        Form::Visits { records, tiling, .. } => {
            let mut cells: Vec<_> =
                records.iter().flat_map(|own| own.0.iter().map(|own| (own.cell, own.level))).collect();
            cells.sort_unstable();
            cells.dedup();
            let corners: Vec<Vec<Position>> =
                cells.iter().map(|own| tiling.corners(&release.plane, own.0, own.1)).collect();
            let canvas = Canvas::around(corners.iter().flatten().copied())?;
            let outline = |own: &Vec<Position>| {
                let points: Vec<(f64, f64)> =
                    own.iter().chain(own.first()).map(|own| canvas.at(*own)).collect();
                Shape::Line { points, tone: Tone::After }
            };
            let shapes: Vec<Shape> = thinned(&corners, MOST).map(outline).collect();
            (canvas, shapes, "cells", cells.len())
        }
        Form::Flows { flows, cells, tiling } => {
            let centres: Vec<Position> =
                cells.iter().map(|own| tiling.centre(&release.plane, *own, 0)).collect::<Option<_>>()?;
            let canvas = Canvas::around(centres.iter().copied())?;
            let mut largest: Vec<_> = flows.iter().collect();
            largest.sort_by_key(|own| std::cmp::Reverse(own.count));
            largest.truncate(MOST);
            let line = |own: &&crate::Flow| {
                let (from, to) = (centres[own.origin as usize], centres[own.destination as usize]);
                match from == to {
                    true => Shape::Circle { centre: canvas.at(from), radius: 4.0, tone: Tone::After },
                    false => Shape::Line { points: vec![canvas.at(from), canvas.at(to)], tone: Tone::After },
                }
            };
            let shapes: Vec<Shape> = largest.iter().map(line).collect();
            (canvas, shapes, "flows", flows.len())
        }
    };
    let drawn = shapes.len();
    shapes.extend(canvas.bar());
    let caption = match drawn < all {
        true => format!("{drawn} of {all} {what} as they are published; north is up"),
        false => format!("All {all} {what} as they are published; north is up"),
    };
    let description = format!("A map of published {what}, without a background.");
    Some(Drawing { caption, description, width: SIZE, height: canvas.height() + 30.0, shapes })
}
