//! Wait-for-Me (Abul, Bonchi and Nanni 2010): (k,δ)-anonymity with clusters by edit distance, so that traces of different
//! spans and speeds may share a group.
//!
//! Guarantee: that of Never Walk Alone. Members of a group are edited to have their pivot's times: matched and replaced
//! points within the time tolerance take the pivot's time, missing ones are made up at the pivot's position, others are deleted. Then the group is
//! translated. With a time tolerance of 0 the edit distance is synchronous; above, people who walk the same way some
//! minutes apart are alike.

use privet_data::Progress;
use rayon::prelude::*;

use super::{Bundle, ClusterOptions, Grouped, Metric, TraceChanges, greedy, publish};
use crate::distance::{Tolerance, alignment, edit_distance};
use crate::point::{Point, Position, centimetres_down};
use crate::{TraceError, Traces};

/// The parameters of Wait-for-Me.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct WaitForMe {
    /// The fewest traces of a group.
    pub k: u32,
    /// The most distance of two traces of a group at any time, in metres.
    pub delta: f64,
    /// How far points that match may be apart in each coordinate, in metres.
    pub space: f64,
    /// How far points that match may be apart in time, in seconds. 0 is the synchronous form.
    pub time: i64,
    /// The share of traces that may be suppressed.
    pub trash: f64,
    /// The share of points to edit up to which a trace joins a pivot, to begin with.
    pub radius: f64,
}

impl Default for WaitForMe {
    fn default() -> Self {
        Self { k: 5, delta: 500.0, space: 500.0, time: 600, trash: 0.1, radius: 0.25 }
    }
}

/// The most cells of one table of edits.
const MOST_CELLS: u64 = 1 << 28;

/// Publishes traces in groups of at least k that stay within delta of each other.
///
/// # Errors
/// When a parameter is out of range, traces are too long for the edit distance, or more traces would be suppressed than
/// allowed.
pub fn wait_for_me(
    traces: &Traces,
    options: &WaitForMe,
    progress: &dyn Progress,
) -> Result<Grouped, TraceError> {
    let (delta, tolerance) = check(traces, options)?;
    let mut changes = TraceChanges { given: traces.len() as u64, ..Default::default() };
    let metric = Edits::new(traces, tolerance);
    let clusters = greedy(
        &metric,
        &ClusterOptions {
            k: options.k as usize,
            radius: options.radius,
            largest_radius: 1.0,
            growth: 1.25,
            trash: (options.trash * traces.len() as f64).floor() as usize,
        },
        progress,
    )?;
    changes.suppressed = clusters.trash.len() as u64;
    changes.radius = clusters.radius;
    progress.check()?;
    let edited: Vec<(Bundle, u64, u64)> = clusters
        .clusters
        .par_iter()
        .map(|cluster| {
            progress.check()?;
            Ok(edit(traces, cluster, tolerance))
        })
        .collect::<Result<_, TraceError>>()?;
    let mut bundles = Vec::with_capacity(edited.len());
    for (bundle, created, deleted) in edited {
        changes.created_points += created;
        changes.deleted_points += deleted;
        bundles.push(bundle);
    }
    publish(traces, bundles, delta, changes)
}

fn check(traces: &Traces, options: &WaitForMe) -> Result<(i64, Tolerance), TraceError> {
    if options.k < 1 || u64::from(options.k) > traces.len() as u64 {
        let (k, objects) = (options.k.into(), traces.len() as u64);
        return Err(TraceError::Unreachable { k, objects, what: "traces" });
    }
    if !(0.0..=1e7).contains(&options.delta) || !(0.0..=1e7).contains(&options.space) {
        return Err(TraceError::parameter("delta", "from 0 to 10,000,000 metres, as space"));
    }
    if options.time < 0 {
        return Err(TraceError::parameter("time", "0 seconds or more"));
    }
    let is_share = (0.0..=1.0).contains(&options.trash);
    let is_radius = options.radius > 0.0 && options.radius <= 1.0;
    if !(is_share && is_radius) {
        return Err(TraceError::parameter(
            "trash",
            "a share from 0 to 1, and a radius above 0 and at most 1",
        ));
    }
    let longest = (0..traces.len()).map(|own| traces.points(own).len() as u64).max().unwrap_or_default();
    if longest * longest > MOST_CELLS {
        return Err(TraceError::TooLarge {
            what: "the edit distance of the longest traces",
            most: MOST_CELLS,
            accepted: "trips, or a longer step of sampling",
        });
    }
    let tolerance = Tolerance { space: centimetres_down(options.space), time: options.time };
    Ok((centimetres_down(options.delta), tolerance))
}

/// Gives all members the times of the first: how many points were made up and deleted.
fn edit(traces: &Traces, cluster: &[u32], tolerance: Tolerance) -> (Bundle, u64, u64) {
    let pivot = traces.points(cluster[0] as usize);
    let (mut created, mut deleted) = (0, 0);
    let positions = cluster
        .iter()
        .map(|&member| {
            let own = traces.points(member as usize);
            let taken = match member == cluster[0] {
                true => (0..own.len() as u32).map(Some).collect(),
                false => in_time(alignment(own, pivot, tolerance), own, pivot, tolerance),
            };
            let kept = taken.iter().flatten().count();
            created += (taken.len() - kept) as u64;
            deleted += (own.len() - kept) as u64;
            let place =
                |(taken, at): (&Option<u32>, &Point)| taken.map_or(at.at, |own_at| own[own_at as usize].at);
            taken.iter().zip(pivot).map(place).collect::<Vec<Position>>()
        })
        .collect();
    let times = pivot.iter().map(|own| own.time).collect();
    (Bundle { members: cluster.to_vec(), times, positions }, created, deleted)
}

/// Replaced points whose time is further off than the tolerance take no place: nobody was there at that time.
fn in_time(
    mut taken: Vec<Option<u32>>,
    own: &[Point],
    pivot: &[Point],
    tolerance: Tolerance,
) -> Vec<Option<u32>> {
    for (taken, at) in taken.iter_mut().zip(pivot) {
        *taken = taken.filter(|&place| (own[place as usize].time - at.time).abs() <= tolerance.time);
    }
    taken
}

/// Edits as a share of the longer trace.
struct Edits<'a> {
    traces: &'a Traces,
    tolerance: Tolerance,
    /// Per trace its least and largest coordinates.
    boxes: Vec<(Position, Position)>,
}

impl<'a> Edits<'a> {
    fn new(traces: &'a Traces, tolerance: Tolerance) -> Self {
        let of = |points: &[Point]| {
            let first = points.first().map_or(Position::default(), |own| own.at);
            points.iter().fold((first, first), |(low, high), own| {
                (
                    Position { x: low.x.min(own.at.x), y: low.y.min(own.at.y) },
                    Position { x: high.x.max(own.at.x), y: high.y.max(own.at.y) },
                )
            })
        };
        let boxes = traces.iter().map(|(_, points)| of(points)).collect();
        Self { traces, tolerance, boxes }
    }

    /// How many points of the one can match some point of the other at most, by their times.
    fn may_match(&self, a: &[Point], b: &[Point]) -> usize {
        let (Some(first), Some(last)) = (b.first(), b.last()) else { return 0 };
        let from = a.partition_point(|own| own.time < first.time - self.tolerance.time);
        a.partition_point(|own| own.time <= last.time + self.tolerance.time).saturating_sub(from)
    }
}

impl Metric for Edits<'_> {
    fn len(&self) -> usize {
        self.traces.len()
    }

    /// All but those points that can match must be edited.
    fn at_least(&self, a: u32, b: u32) -> f64 {
        let ((low, high), (other_low, other_high)) = (self.boxes[a as usize], self.boxes[b as usize]);
        let gap = |low: i32, high: i32| i64::from(low) - i64::from(high);
        let gaps = [
            gap(low.x, other_high.x),
            gap(other_low.x, high.x),
            gap(low.y, other_high.y),
            gap(other_low.y, high.y),
        ];
        let (a, b) = (self.traces.points(a as usize), self.traces.points(b as usize));
        let longest = a.len().max(b.len());
        let matched = match gaps.iter().any(|&own| own > self.tolerance.space) {
            true => 0,
            false => self.may_match(a, b).min(self.may_match(b, a)),
        };
        (longest - matched.min(longest)) as f64 / longest.max(1) as f64
    }

    fn distance(&self, a: u32, b: u32, limit: f64) -> Option<f64> {
        let (a, b) = (self.traces.points(a as usize), self.traces.points(b as usize));
        let longest = a.len().max(b.len());
        let edits = edit_distance(a, b, self.tolerance, (limit * longest as f64).floor() as usize)?;
        Some(edits as f64 / longest.max(1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::criteria::judge_k_delta;
    use crate::generate::{City, city};
    use crate::{Plane, anonymize::NeverWalkAlone, anonymize::never_walk_alone};
    use privet_data::Silent;
    use proptest::prelude::*;

    /// Three people on one way, two minutes apart: asynchronously they need no move at all.
    #[test]
    fn who_waits_is_alike() {
        let lists: Vec<Vec<Point>> = (0..3i64)
            .map(|late| {
                (0..10i64).map(|step| Point::new(step * 60 + late * 120, step as i32 * 50_000, 0)).collect()
            })
            .collect();
        let numbered = lists.iter().enumerate().map(|(own, list)| (own as u32, list.as_slice()));
        let traces = Traces::from_lists(Plane::Metres, numbered).unwrap();
        let options = WaitForMe { k: 3, delta: 10.0, space: 10.0, time: 240, trash: 0.0, radius: 0.5 };
        let done = wait_for_me(&traces, &options, &Silent).unwrap();
        assert_eq!(done.changes.longest_move, 0.0);
        assert!(judge_k_delta(&done.traces, &done.groups, 1000).unwrap().holds(3));
        // Synchronously they are far apart.
        let sync = wait_for_me(&traces, &WaitForMe { time: 0, ..options }, &Silent).unwrap();
        assert!(sync.changes.longest_move > 100.0 || sync.changes.created_points > 0);
        assert!(judge_k_delta(&sync.traces, &sync.groups, 1000).unwrap().holds(3));
    }

    #[test]
    fn a_city_moves_less_than_by_never_walking_alone() {
        let (traces, _) = city(&City { people: 60, step: 900, ..City::default() }).unwrap();
        let options = WaitForMe { k: 3, delta: 300.0, space: 1000.0, time: 3600, ..Default::default() };
        let done = wait_for_me(&traces, &options, &Silent).unwrap();
        assert!(judge_k_delta(&done.traces, &done.groups, 30_000).unwrap().holds(3));
        let nwa = NeverWalkAlone { k: 3, delta: 300.0, step: 900, ..Default::default() };
        let other = never_walk_alone(&traces, &nwa, &Silent).unwrap();
        assert!(judge_k_delta(&other.traces, &other.groups, 30_000).unwrap().holds(3));
        assert!(wait_for_me(&traces, &WaitForMe { time: -1, ..options }, &Silent).is_err());
        assert!(wait_for_me(&traces, &WaitForMe { radius: f64::NAN, ..options }, &Silent).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn the_bound_is_one(
            a in prop::collection::vec((1i64..9, 0i32..60), 1..9), b in prop::collection::vec((1i64..9, 0i32..60), 1..9),
            time in 0i64..5,
        ) {
            let rising = |list: &[(i64, i32)]| -> Vec<Point> {
                let mut time = 0;
                list.iter().map(|&(gap, x)| { time += gap; Point::new(time, x, 0) }).collect()
            };
            let (a, b) = (rising(&a), rising(&b));
            let traces = Traces::from_lists(Plane::Metres, [(0, a.as_slice()), (1, b.as_slice())]).unwrap();
            let metric = Edits::new(&traces, Tolerance { space: 10, time });
            let exact = metric.distance(0, 1, 1.0).unwrap();
            prop_assert!(metric.at_least(0, 1) <= exact + 1e-12);
        }
    }
}
