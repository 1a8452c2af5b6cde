//! Regions for single positions: by a descent, along a curve, or as a service that answers while people move.

use std::collections::BTreeMap;

use privet_kind::KindError;
use privet_release::Promised;

use super::super::files::{self, REGIONS, RegionRecord};
use super::super::job::{Cloaking, Crowding};
use super::Making;
use crate::{
    Cloaked, Crowd, Descent, Point, Position, Pyramid, PyramidProfile, Region, Threat, TraceError, Traces,
    UNITS_PER_METRE, hilbert_buckets, judge_cloaks, quadtree,
};

/// Half the side of the smallest square of a service, in centimetres.
const FINEST: i64 = 10_000;
/// The most levels of a pyramid.
const MOST_HEIGHT: u8 = 11;

impl Making<'_> {
    pub(super) fn cloaked(&mut self, options: &Cloaking) -> Result<(), KindError> {
        let threat = options.threat()?;
        if options.window <= 0 {
            return Err(KindError::key("traces.window", "must be above 0 seconds"));
        }
        if threat.l() > 1 && self.traces.labels.is_none() {
            return Err(KindError::key("traces.l", "needs a column of sensitive values, `input.sensitive`"));
        }
        let is_reciprocal = options.crowding.is_reciprocal();
        if threat.l() > 1 && !is_reciprocal {
            return Err(KindError::key("traces.l", "needs the crowding `quadtree` or `hilbert`"));
        }
        let mut service = match options.crowding {
            Crowding::Pyramid => Some(Service::around(&self.traces)?),
            _ => None,
        };
        let (mut records, mut suppressed) = (Vec::new(), 0u64);
        for (window, people) in crowds(&self.traces, options.window) {
            self.progress.check()?;
            let positions: Vec<Position> = people.iter().map(|own| own.1).collect();
            let values: Vec<u32> = people.iter().filter_map(|own| own.2).collect();
            let crowd = Crowd { positions: &positions, values: &values };
            let done = match (options.crowding, &mut service) {
                (_, Some(service)) => service.answer(&people, &threat),
                (Crowding::Hilbert, _) => regions(hilbert_buckets(crowd, &threat)),
                (Crowding::QuadtreeNearest, _) => regions(quadtree(crowd, &threat, Descent::Nearest)),
                _ => regions(quadtree(crowd, &threat, Descent::Reciprocal)),
            };
            let done = match done {
                Ok(done) => done,
                // Too few people or values at that time: nobody is published.
                Err(TraceError::Unreachable { .. }) => {
                    suppressed += people.len() as u64;
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            for (place, own) in people.iter().enumerate() {
                let record = RegionRecord { window, region: done[place], value: own.2 };
                records.push((record, own.0));
            }
        }
        if records.is_empty() {
            return Err(KindError::refused(
                "at no time there are enough people; lower k or use a longer window",
            ));
        }
        records.sort_by_key(|own| (own.0.window, own.0.region, own.0.value));
        let objects: Vec<u32> = records.iter().map(|own| own.1).collect();
        let records: Vec<RegionRecord> = records.into_iter().map(|own| own.0).collect();
        self.say("positions published", records.len());
        self.say("positions suppressed", suppressed);
        let reached = worst_cloaks(&records);
        let k = if is_reciprocal { reached.same } else { reached.inside };
        self.promise(
            Promised::new("cloaks").with("k", options.k).with("reciprocal", is_reciprocal).reaching(k as f64),
        );
        if threat.l() > 1 {
            self.promise(
                Promised::new("diverse-cloaks").with("l", options.l).reaching(reached.values as f64),
            );
        }
        if threat.area() > 0.0 {
            self.promise(Promised::new("wide-cloaks").with("area", options.area).reaching(reached.area));
        }
        let values = self.values();
        files::write(self.draft, REGIONS, |sink| files::write_regions(sink, &records, &values))?;
        self.keep(&objects);
        Ok(())
    }
}

/// Per person the region.
fn regions(done: Result<Cloaked, TraceError>) -> Result<Vec<Region>, TraceError> {
    let done = done?;
    Ok((0..done.of.len()).map(|person| done.region(person)).collect())
}

/// A person of a span: who, where, and with what value.
pub(in crate::kind) type Present = (u32, Position, Option<u32>);

/// A cloaking service: people register, move and leave from span to span, and everybody who is there asks.
struct Service {
    pyramid: Pyramid,
    registered: Vec<u32>,
}

impl Service {
    /// A service for a square around the middle of the plane. Its side is a power of two, so that it says little of where people are.
    fn around(traces: &Traces) -> Result<Self, TraceError> {
        let farthest = |own: &Point| i64::from(own.at.x).abs().max(i64::from(own.at.y).abs());
        let reach = traces.all_points().iter().map(farthest).max().unwrap_or_default();
        let (mut half, mut height) = (FINEST, 1u8);
        while half <= reach {
            half *= 2;
            height += 1;
        }
        let corner = i32::try_from(-half).unwrap_or(i32::MIN);
        let pyramid = Pyramid::new(
            Position { x: corner, y: corner },
            2.0 * half as f64 / UNITS_PER_METRE,
            height.min(MOST_HEIGHT),
        )?;
        Ok(Self { pyramid, registered: Vec::new() })
    }

    fn answer(&mut self, people: &[Present], threat: &Threat) -> Result<Vec<Region>, TraceError> {
        let here: foldhash::HashSet<u32> = people.iter().map(|own| own.0).collect();
        for gone in self.registered.iter().filter(|own| !here.contains(own)) {
            self.pyramid.leave(u64::from(*gone));
        }
        for &(person, at, value) in people {
            self.pyramid.place(u64::from(person), at, value.unwrap_or_default())?;
        }
        self.registered = people.iter().map(|own| own.0).collect();
        let profile = PyramidProfile { k: threat.k(), l: threat.l(), area: threat.area() };
        let mut lowest = vec![0; people.len()];
        loop {
            let region =
                |(own, &lowest): (&Present, &u8)| self.pyramid.cloak_from(own.0.into(), &profile, lowest);
            let answers: Option<Vec<(Region, u8)>> = people.iter().zip(&lowest).map(region).collect();
            // The whole square fits everybody or nobody.
            let answers = answers.ok_or(TraceError::Unreachable {
                k: threat.k().into(),
                objects: people.len() as u64,
                what: "people",
            })?;
            // Two neighbouring cells may hold k people of whom some have another pair: regions alone do not show it, so these climb on.
            let shown = shown_inside(answers.iter().map(|own| own.0));
            let mut is_shown = true;
            for (lowest, (region, level)) in lowest.iter_mut().zip(&answers) {
                if shown[region] < threat.k() {
                    *lowest = level + 1;
                    is_shown = false;
                }
            }
            if is_shown {
                return Ok(answers.into_iter().map(|own| own.0).collect());
            }
        }
    }
}

/// Per region how many people have it or a region within it.
fn shown_inside(regions: impl Iterator<Item = Region>) -> BTreeMap<Region, u32> {
    let mut people: BTreeMap<Region, u32> = BTreeMap::new();
    regions.for_each(|own| *people.entry(own).or_default() += 1);
    let inside = |region: &Region| {
        let within = people.iter().filter(|own| region.includes(own.0));
        within.map(|own| own.1).sum::<u32>()
    };
    people.keys().map(|own| (*own, inside(own))).collect()
}

/// Per span who is where first in it, and with what value.
pub(in crate::kind) fn crowds(traces: &Traces, window: i64) -> Vec<(i64, Vec<Present>)> {
    let mut all: Vec<(i64, u32, i64, Position, Option<u32>)> = Vec::with_capacity(traces.all_points().len());
    for trace in 0..traces.len() {
        for (point, place) in traces.points(trace).iter().zip(traces.range(trace)) {
            let label = traces.labels.as_ref().map(|own| own.codes[place]);
            all.push((point.time.div_euclid(window), traces.object(trace), point.time, point.at, label));
        }
    }
    all.sort_unstable();
    all.dedup_by_key(|own| (own.0, own.1));
    let of = |own: &(i64, u32, i64, Position, Option<u32>)| (own.1, own.3, own.4);
    all.chunk_by(|a, b| a.0 == b.0).map(|run| (run[0].0, run.iter().map(of).collect())).collect()
}

/// The worst of all spans.
fn worst_cloaks(records: &[RegionRecord]) -> crate::Cloaks {
    let spans = records.chunk_by(|a, b| a.window == b.window).map(|run| {
        let regions: Vec<Region> = run.iter().map(|own| own.region).collect();
        let values: Vec<u32> = run.iter().filter_map(|own| own.value).collect();
        judge_cloaks(&regions, &values)
    });
    let worst = spans.reduce(|a, b| crate::Cloaks {
        inside: a.inside.min(b.inside),
        same: a.same.min(b.same),
        values: a.values.min(b.values),
        area: a.area.min(b.area),
    });
    worst.unwrap_or(crate::Cloaks { inside: 0, same: 0, values: 0, area: 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Plane;

    /// People come, move and leave between spans: who left counts for nobody, and each region holds k of those who are there.
    #[test]
    fn a_service_counts_who_is_there() {
        let mut traces = Traces::on(Plane::Metres);
        traces.push(0, &[Point::new(0, 90_000, -5)]).unwrap();
        let mut service = Service::around(&traces).unwrap();
        let people: Vec<Present> =
            (0..9).map(|own| (own, Position { x: own as i32 * 9000, y: 0 }, None)).collect();
        let threat = Threat::Identity { k: 3 };
        for span in [&people[..], &people[4..], &people[..5]] {
            let answers = service.answer(span, &threat).unwrap();
            for (own, region) in span.iter().zip(&answers) {
                assert!(region.contains(own.1));
                assert!(span.iter().filter(|other| region.contains(other.1)).count() >= 3);
                // And the regions alone show it.
                assert!(answers.iter().filter(|other| region.includes(other)).count() >= 3);
            }
            assert_eq!(service.pyramid.len(), span.len());
        }
        assert!(matches!(service.answer(&people[..2], &threat), Err(TraceError::Unreachable { .. })));
    }
}
