//! Mix zones (Beresford and Stajano 2003; survey AP-18): nobody is published inside a zone, and everybody leaves it under a
//! new pseudonym.
//!
//! Guarantee: for every published change of pseudonym the adversary's posterior of the true successor is at most τ, under
//! the stated model of travel times through zones. What follows a passage that cannot keep this is suppressed, and as that
//! takes candidates from others, posteriors are computed anew until all that are published keep it.

use super::Segments;
use super::posterior::{Link, successors};
use crate::point::{Point, Position};
use crate::{TraceError, Traces};

/// A zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MixZone {
    /// Its middle.
    pub centre: Position,
    /// Its radius in centimetres.
    pub radius: i64,
}

impl MixZone {
    fn contains(&self, at: Position) -> bool {
        at.squared_distance(self.centre) <= self.radius * self.radius
    }
}

/// How people pass zones.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct MixZones {
    /// The largest posterior of a true successor.
    pub tau: f64,
    /// The usual speed through a zone in metres per second.
    pub speed: f64,
    /// How much travel times vary: a share of the usual time, at least 30 seconds.
    pub spread: f64,
    /// The longest passage in seconds: who stays longer is not taken for the same.
    pub longest: i64,
}

impl Default for MixZones {
    fn default() -> Self {
        Self { tau: 0.5, speed: 8.0, spread: 1.0, longest: 3600 }
    }
}

/// A passage of a trace through a zone: the last point before and the first after.
#[derive(Debug, Clone, Copy)]
struct Passage {
    zone: u32,
    enters: Point,
    leaves: Point,
    /// The segment that leads out.
    segment: u32,
    /// Whether the segment that leads out is published.
    published: bool,
}

/// Cuts traces at zones and gives every part a pseudonym.
///
/// # Errors
/// When a parameter is out of range or there are no zones.
pub fn mix_zones(traces: &Traces, zones: &[MixZone], options: &MixZones) -> Result<Segments, TraceError> {
    check(zones, options)?;
    let mut segments: Vec<(u32, Vec<Point>)> = Vec::new();
    let mut passages: Vec<Passage> = Vec::new();
    for (trace, (_, points)) in traces.iter().enumerate() {
        cut(trace as u32, points, zones, &mut segments, &mut passages);
    }
    let mut alive = vec![true; segments.len()];
    let mut posteriors = Vec::new();
    // Segments of one trace follow each other: when one is suppressed so are those after it.
    let exact = loop {
        let exact;
        (posteriors, exact) = of_true_successors(&passages, &alive, options, posteriors);
        let mut changed = false;
        for place in 0..passages.len() {
            let own = passages[place];
            let is_reached = alive[own.segment as usize - 1];
            if own.published && (!is_reached || posteriors[place] > options.tau + 1e-12) {
                passages[place].published = false;
                alive[own.segment as usize] = false;
                changed = true;
            }
        }
        if !changed {
            break exact;
        }
    };
    let refused = passages.iter().filter(|own| !own.published).count() as u64;
    let kept = passages.iter().zip(&posteriors).filter(|own| own.0.published).map(|own| *own.1).collect();
    let mut published: Vec<(Vec<Point>, u32)> = segments
        .into_iter()
        .zip(alive)
        .filter(|own| own.1 && !own.0.1.is_empty())
        .map(|(own, _)| (own.1, own.0))
        .collect();
    // The order of what is published tells nothing of who it was.
    published.sort();
    assemble(traces, published, kept, exact, refused)
}

fn check(zones: &[MixZone], options: &MixZones) -> Result<(), TraceError> {
    if zones.is_empty() || zones.iter().any(|own| own.radius <= 0 || own.radius > 2_000_000_000) {
        return Err(TraceError::parameter("zones", "one or more circles with a radius above 0"));
    }
    if !(options.tau > 0.0 && options.tau <= 1.0) {
        return Err(TraceError::parameter("tau", "above 0 and at most 1"));
    }
    if !(options.speed > 0.0
        && options.spread > 0.0
        && options.speed.is_finite()
        && options.spread.is_finite())
        || options.longest <= 0
    {
        return Err(TraceError::parameter("speed", "above 0, as spread and longest"));
    }
    Ok(())
}

pub(super) fn assemble(
    input: &Traces,
    published: Vec<(Vec<Point>, u32)>,
    posteriors: Vec<f64>,
    exact: bool,
    refused: u64,
) -> Result<Segments, TraceError> {
    let mut traces = Traces::on(input.plane);
    let mut source = Vec::with_capacity(published.len());
    for (points, trace) in published {
        traces.push(traces.len() as u32, &points)?;
        source.push(trace);
    }
    let suppressed_points = (input.all_points().len() - traces.all_points().len()) as u64;
    Ok(Segments { traces, source, posteriors, exact, suppressed_points, refused })
}

fn cut(
    trace: u32,
    points: &[Point],
    zones: &[MixZone],
    segments: &mut Vec<(u32, Vec<Point>)>,
    passages: &mut Vec<Passage>,
) {
    segments.push((trace, Vec::new()));
    let mut inside: Option<(u32, Option<Point>)> = None;
    for &point in points {
        let zone = zones.iter().zip(0u32..).find(|(zone, _)| zone.contains(point.at)).map(|own| own.1);
        // cannot fail: a segment is pushed before the first point
        let last = segments.last_mut().map(|own| &mut own.1);
        let Some(last) = last else { return };
        match (zone, inside) {
            (Some(zone), None) => inside = Some((zone, last.last().copied())),
            (Some(_), Some(_)) => {}
            (None, None) => last.push(point),
            (None, Some((_, None))) => {
                // The trace began inside: nobody saw it enter.
                last.push(point);
                inside = None;
            }
            (None, Some((zone, Some(enters)))) => {
                segments.push((trace, vec![point]));
                let segment = segments.len() as u32 - 1;
                passages.push(Passage { zone, enters, leaves: point, segment, published: true });
                inside = None;
            }
        }
    }
}

/// The posterior of the true successor of each published passage; what is not published keeps its number.
fn of_true_successors(
    passages: &[Passage],
    alive: &[bool],
    options: &MixZones,
    mut before: Vec<f64>,
) -> (Vec<f64>, bool) {
    before.resize(passages.len(), 0.0);
    let mut order: Vec<u32> =
        (0..passages.len() as u32).filter(|&own| passages[own as usize].published).collect();
    order.sort_by_key(|&own| (passages[own as usize].zone, passages[own as usize].leaves.time));
    let mut links: Vec<Link> = Vec::new();
    for from in 0..passages.len() as u32 {
        // Whoever entered is seen to have entered, also when what follows is suppressed.
        let own = &passages[from as usize];
        if !alive[own.segment as usize - 1] {
            continue;
        }
        let begin = order.partition_point(|&to| {
            let to = &passages[to as usize];
            (to.zone, to.leaves.time) <= (own.zone, own.enters.time)
        });
        for &to in &order[begin..] {
            let leaves = &passages[to as usize];
            if leaves.zone != own.zone || leaves.leaves.time > own.enters.time + options.longest {
                break;
            }
            let usual = own.enters.at.distance(leaves.leaves.at) / options.speed;
            let took = (leaves.leaves.time - own.enters.time) as f64;
            let off = (took - usual) / (options.spread * usual).max(30.0);
            links.push(Link { from, to, weight: (-off * off / 2.0).exp().max(1e-250) });
        }
    }
    let posterior = successors(&links);
    for (link, &own) in links.iter().zip(&posterior.of) {
        if link.from == link.to {
            before[link.from as usize] = own;
        }
    }
    // A true passage that took longer than the longest is no link: the adversary does not find it.
    for (place, own) in passages.iter().enumerate() {
        if own.published && own.leaves.time > own.enters.time + options.longest {
            before[place] = 0.0;
        }
    }
    (before, posterior.exact)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Plane;

    fn walk(start: i64, from: (i32, i32), to: (i32, i32)) -> Vec<Point> {
        (0..=20i64)
            .map(|step| {
                let mix = |a: i32, b: i32| a + (b - a) * step as i32 / 20;
                Point::new(start + step * 30, mix(from.0, to.0) * 100, mix(from.1, to.1) * 100)
            })
            .collect()
    }

    fn traces(lists: &[Vec<Point>]) -> Traces {
        let numbered = lists.iter().enumerate().map(|(own, list)| (own as u32, list.as_slice()));
        Traces::from_lists(Plane::Metres, numbered).unwrap()
    }

    const ZONE: MixZone = MixZone { centre: Position { x: 0, y: 0 }, radius: 30_000 };

    #[test]
    fn two_who_cross_are_mixed() {
        let crossing = traces(&[walk(0, (-1000, 0), (1000, 0)), walk(0, (0, -1000), (0, 1000))]);
        let usual = MixZones { tau: 0.6, speed: 10.0 / 3.0, ..Default::default() };
        let done = mix_zones(&crossing, &[ZONE], &usual).unwrap();
        assert_eq!((done.traces.len(), done.refused), (4, 0));
        assert!(done.exact && (done.largest() - 0.5).abs() < 0.06, "{}", done.largest());
        assert!(done.traces.all_points().iter().all(|own| !ZONE.contains(own.at)));
    }

    #[test]
    fn one_who_walks_alone_is_not_followed() {
        let alone = traces(&[walk(0, (-1000, 0), (1000, 0)), walk(90_000, (0, -1000), (0, 1000))]);
        let done = mix_zones(&alone, &[ZONE], &MixZones::default()).unwrap();
        // The way out of each is suppressed, because it would be linked for sure.
        assert_eq!((done.traces.len(), done.refused), (2, 2));
        assert!(done.posteriors.is_empty());
        let allowed = mix_zones(&alone, &[ZONE], &MixZones { tau: 1.0, ..Default::default() }).unwrap();
        assert_eq!((allowed.traces.len(), allowed.largest()), (4, 1.0));
        assert!(mix_zones(&alone, &[], &MixZones::default()).is_err());
        assert!(mix_zones(&alone, &[ZONE], &MixZones { tau: f64::NAN, ..Default::default() }).is_err());
    }
}
