//! Before anonymizing: traces are cut at sampling gaps into trips, and sampled at common times.
//!
//! Nothing is invented across a gap: a trace that stays silent for longer than the limit becomes two trips.

use privet_data::Progress;

use crate::point::Point;
use crate::traces::position_at;
use crate::{TraceError, Traces};

/// How traces become trips.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TripOptions {
    /// The longest time between two points of a trip, in seconds.
    pub gap: i64,
    /// The fewest points of a trip; shorter ones are left out and counted.
    pub fewest_points: usize,
}

impl Default for TripOptions {
    fn default() -> Self {
        Self { gap: 30 * 60, fewest_points: 2 }
    }
}

/// What cutting left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Cut {
    /// Gaps at which a trace was cut.
    pub gaps: u64,
    /// Trips that were too short and their points.
    pub short_trips: u64,
    /// The points of these.
    pub short_points: u64,
}

/// Cuts traces at gaps.
///
/// # Errors
/// When the gap is not above 0.
pub fn trips(traces: &Traces, options: TripOptions) -> Result<(Traces, Cut), TraceError> {
    if options.gap <= 0 {
        return Err(TraceError::parameter("gap", "above 0 seconds"));
    }
    let mut cut = Cut::default();
    let mut parts = Traces::on(traces.plane);
    parts.names.clone_from(&traces.names);
    let mut codes = Vec::new();
    for trace in 0..traces.len() {
        let mut start = traces.range(trace).start;
        for trip in traces.points(trace).chunk_by(|a, b| b.time - a.time <= options.gap) {
            let range = start..start + trip.len();
            start = range.end;
            cut.gaps += u64::from(range.end < traces.range(trace).end);
            if trip.len() < options.fewest_points {
                cut.short_trips += 1;
                cut.short_points += trip.len() as u64;
                continue;
            }
            parts.push(traces.object(trace), trip)?;
            if let Some(labels) = &traces.labels {
                codes.extend_from_slice(&labels.codes[range]);
            }
        }
    }
    parts.labels = traces.labels.as_ref().map(|own| crate::Labels { codes, ..own.clone() });
    Ok((parts, cut))
}

/// The points of a trace at all multiples of `step` within its span, by straight lines between its points.
pub fn sampled(points: &[Point], step: i64) -> Vec<Point> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return Vec::new() };
    let from = first.time.div_euclid(step) + i64::from(first.time.rem_euclid(step) != 0);
    (from..=last.time.div_euclid(step))
        .filter_map(|number| {
            let time = number * step;
            Some(Point { time, at: position_at(points, time)? })
        })
        .collect()
}

/// Samples all traces at the multiples of `step`. Traces without such a time are left out; sensitive values are dropped,
/// because points between two others have none.
///
/// # Errors
/// When the step is not above 0, or there would be more than 2^31 points.
pub fn sample_all(traces: &Traces, step: i64, progress: &dyn Progress) -> Result<Traces, TraceError> {
    const MOST: u64 = 1 << 31;
    if step <= 0 {
        return Err(TraceError::parameter("step", "above 0 seconds"));
    }
    let spans = traces.iter().filter_map(|(_, own)| Some(own.last()?.time - own.first()?.time));
    let points: u64 = spans.map(|span| (span / step) as u64 + 1).sum();
    if points > MOST {
        return Err(TraceError::TooLarge {
            what: "sampling",
            most: MOST,
            accepted: "a longer step, or trips",
        });
    }
    let mut parts = Traces::on(traces.plane);
    parts.names.clone_from(&traces.names);
    for (object, points) in traces.iter() {
        progress.check()?;
        let own = sampled(points, step);
        if !own.is_empty() {
            parts.push(object, &own)?;
        }
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Plane;
    use privet_data::Silent;

    #[test]
    fn gaps_make_trips() {
        let points = [0, 60, 120, 4000, 9000, 9010].map(|time| Point::new(time, time as i32, 0));
        let traces = Traces::from_lists(Plane::Metres, [(0, points.as_slice())]).unwrap();
        let (trips, cut) = trips(&traces, TripOptions { gap: 600, fewest_points: 2 }).unwrap();
        assert_eq!(trips.len(), 2);
        assert_eq!(trips.points(1), &points[4..]);
        assert_eq!(cut, Cut { gaps: 2, short_trips: 1, short_points: 1 });
    }

    #[test]
    fn sampling_interpolates_within_the_span() {
        let points = [Point::new(-5, 0, 0), Point::new(25, 300, 0)];
        assert_eq!(
            sampled(&points, 10),
            [Point::new(0, 50, 0), Point::new(10, 150, 0), Point::new(20, 250, 0)]
        );
        let traces = Traces::from_lists(Plane::Metres, [(0, points.as_slice())]).unwrap();
        assert_eq!(sample_all(&traces, 10, &Silent).unwrap().all_points().len(), 3);
        assert!(sample_all(&traces, 0, &Silent).is_err());
        let far = [Point::new(0, 0, 0), Point::new(1 << 40, 0, 0)];
        let traces = Traces::from_lists(Plane::Metres, [(0, far.as_slice())]).unwrap();
        assert!(matches!(sample_all(&traces, 1, &Silent), Err(TraceError::TooLarge { .. })));
    }
}
