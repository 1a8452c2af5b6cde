//! Never Walk Alone (Abul, Bonchi and Nanni 2008; survey AP-16): (k,δ)-anonymity by clustering and translation.
//!
//! Guarantee. The published traces are (k,δ)-anonymous, exactly, on the published points and on the straight lines between
//! them; see `criteria/k_delta.rs`. It is a guarantee about positions: whoever knows that somebody is in the data and
//! where the person was most of the time finds at least k traces that fit alike.
//!
//! 1. Traces are sampled at common times and cut so that they begin and end at multiples of a period; those with the same
//!    span form a class. 2. Classes are clustered (`cluster.rs`) by the mean distance at the same times. 3. Groups are
//!    translated (`translate.rs`).

use foldhash::HashMap;
use privet_data::Progress;

use super::{Bundle, ClusterOptions, Grouped, Metric, TraceChanges, greedy, publish};
use crate::point::{Position, UNITS_PER_METRE, centimetres_down};
use crate::prepare::sampled;
use crate::{TraceError, Traces};

/// The parameters of Never Walk Alone.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct NeverWalkAlone {
    /// The fewest traces of a group.
    pub k: u32,
    /// The most distance of two traces of a group at any time, in metres.
    pub delta: f64,
    /// Seconds between two published points.
    pub step: i64,
    /// Traces begin and end at multiples of this many seconds; a multiple of the step.
    pub period: i64,
    /// The share of traces that may be suppressed.
    pub trash: f64,
    /// The radius of clusters to begin with, in metres.
    pub radius: f64,
    /// The largest radius of clusters, in metres.
    pub largest_radius: f64,
}

impl Default for NeverWalkAlone {
    fn default() -> Self {
        Self { k: 5, delta: 500.0, step: 60, period: 3600, trash: 0.1, radius: 500.0, largest_radius: 1e7 }
    }
}

impl NeverWalkAlone {
    fn check(&self, traces: &Traces) -> Result<i64, TraceError> {
        if self.k < 1 || u64::from(self.k) > traces.len() as u64 {
            let (k, objects) = (self.k.into(), traces.len() as u64);
            return Err(TraceError::Unreachable { k, objects, what: "traces" });
        }
        if !(0.0..=1e7).contains(&self.delta) {
            return Err(TraceError::parameter("delta", "from 0 to 10,000,000 metres"));
        }
        if self.step <= 0 || self.period < self.step || self.period % self.step != 0 {
            return Err(TraceError::parameter("period", "a multiple of step, both above 0 seconds"));
        }
        if !(0.0..=1.0).contains(&self.trash) {
            return Err(TraceError::parameter("trash", "a share from 0 to 1"));
        }
        let is_length = |own: f64| own > 0.0 && own <= 1e9;
        if !(is_length(self.radius) && is_length(self.largest_radius)) {
            return Err(TraceError::parameter("radius", "above 0 metres, as largest-radius"));
        }
        Ok(centimetres_down(self.delta))
    }
}

/// Publishes traces in groups of at least k that stay within delta of each other.
///
/// # Errors
/// When a parameter is out of range or more traces would be suppressed than allowed.
pub fn never_walk_alone(
    traces: &Traces,
    options: &NeverWalkAlone,
    progress: &dyn Progress,
) -> Result<Grouped, TraceError> {
    let delta = options.check(traces)?;
    let mut changes = TraceChanges { given: traces.len() as u64, ..Default::default() };
    let allowed = (options.trash * traces.len() as f64).floor() as usize;
    let classes = classes(traces, options, progress)?;
    let lost: usize = classes.lost + classes.of_span.iter().map(|own| small(own, options.k)).sum::<usize>();
    let refused = |suppressed: usize| TraceError::TooMuchSuppression {
        suppressed: suppressed as u64,
        all: traces.len() as u64,
        allowed: allowed as u64,
        what: "traces",
    };
    let Some(mut allowance) = allowed.checked_sub(lost) else { return Err(refused(lost)) };
    changes.suppressed = lost as u64;
    changes.deleted_points = classes.cut;
    let mut bundles = Vec::new();
    let mut remaining: usize =
        classes.of_span.iter().map(|own| own.members.len() - small(own, options.k)).sum();
    for class in classes.of_span.into_iter().filter(|own| small(own, options.k) == 0) {
        // Each class may lose its share of what may be lost, and what earlier ones left of theirs.
        let trash = allowance * class.members.len() / remaining.max(1);
        remaining -= class.members.len();
        let metric = Synchronous::new(&class.positions);
        let clusters = greedy(
            &metric,
            &ClusterOptions {
                k: options.k as usize,
                radius: options.radius,
                largest_radius: options.largest_radius,
                growth: 1.5,
                trash,
            },
            progress,
        )?;
        allowance -= clusters.trash.len();
        changes.suppressed += clusters.trash.len() as u64;
        changes.radius = changes.radius.max(clusters.radius);
        for cluster in clusters.clusters {
            bundles.push(Bundle {
                members: cluster.iter().map(|&own| class.members[own as usize]).collect(),
                times: class.times.clone(),
                positions: cluster.iter().map(|&own| class.positions[own as usize].clone()).collect(),
            });
        }
    }
    progress.check()?;
    publish(traces, bundles, delta, changes)
}

fn small(class: &SpanClass, k: u32) -> usize {
    if class.members.len() < k as usize { class.members.len() } else { 0 }
}

/// Traces that begin and end at the same times.
struct SpanClass {
    members: Vec<u32>,
    times: Vec<i64>,
    positions: Vec<Vec<Position>>,
}

struct Classes {
    of_span: Vec<SpanClass>,
    /// Traces that are shorter than a period.
    lost: usize,
    /// Points of the input outside of what is left of their traces.
    cut: u64,
}

fn classes(
    traces: &Traces,
    options: &NeverWalkAlone,
    progress: &dyn Progress,
) -> Result<Classes, TraceError> {
    const MOST: u64 = 1 << 31;
    let mut number: HashMap<(i64, i64), usize> = HashMap::default();
    let mut all = Classes { of_span: Vec::new(), lost: 0, cut: 0 };
    let mut size = 0u64;
    for trace in 0..traces.len() {
        progress.check()?;
        let points = traces.points(trace);
        let (Some(first), Some(last)) = (points.first(), points.last()) else {
            all.lost += 1;
            continue;
        };
        let from = (first.time + options.period - 1).div_euclid(options.period) * options.period;
        let to = last.time.div_euclid(options.period) * options.period;
        if to <= from {
            all.lost += 1;
            continue;
        }
        size += ((to - from) / options.step) as u64 + 1;
        if size > MOST {
            return Err(TraceError::TooLarge {
                what: "sampling",
                most: MOST,
                accepted: "a longer step, or trips",
            });
        }
        all.cut += points.iter().filter(|own| own.time < from || own.time > to).count() as u64;
        let class = *number.entry((from, to)).or_insert_with(|| {
            let times = (0..=(to - from) / options.step).map(|own| from + own * options.step).collect();
            all.of_span.push(SpanClass { members: Vec::new(), times, positions: Vec::new() });
            all.of_span.len() - 1
        });
        // Only the points within, and one on either side to draw the line from.
        let begin = points.partition_point(|own| own.time <= from).saturating_sub(1);
        let end = (points.partition_point(|own| own.time < to) + 1).min(points.len());
        let within = sampled(&points[begin..end], options.step);
        let kept = within.into_iter().filter(|own| own.time >= from && own.time <= to);
        all.of_span[class].members.push(trace as u32);
        all.of_span[class].positions.push(kept.map(|own| own.at).collect());
    }
    Ok(all)
}

/// The mean distance at the same times, and its bound by the means of stretches.
struct Synchronous<'a> {
    positions: &'a [Vec<Position>],
    /// Per trace the mean position of each stretch.
    means: Vec<[(f64, f64); STRETCHES]>,
    /// Per stretch its share of all times.
    weights: [f64; STRETCHES],
}

const STRETCHES: usize = 8;

impl<'a> Synchronous<'a> {
    fn new(positions: &'a [Vec<Position>]) -> Self {
        let times = positions.first().map_or(0, Vec::len);
        let bound = |stretch: usize| times * stretch / STRETCHES;
        let mut weights = [0.0; STRETCHES];
        for (stretch, weight) in weights.iter_mut().enumerate() {
            *weight = (bound(stretch + 1) - bound(stretch)) as f64 / times.max(1) as f64;
        }
        let means = positions
            .iter()
            .map(|own| {
                let mut means = [(0.0, 0.0); STRETCHES];
                for (stretch, mean) in means.iter_mut().enumerate() {
                    let part = &own[bound(stretch)..bound(stretch + 1)];
                    let sums = part
                        .iter()
                        .fold((0.0, 0.0), |sum, at| (sum.0 + f64::from(at.x), sum.1 + f64::from(at.y)));
                    let count = part.len().max(1) as f64 * UNITS_PER_METRE;
                    *mean = (sums.0 / count, sums.1 / count);
                }
                means
            })
            .collect();
        Self { positions, means, weights }
    }
}

impl Metric for Synchronous<'_> {
    fn len(&self) -> usize {
        self.positions.len()
    }

    /// The distance of means is at most the mean of distances (Jensen), stretch by stretch.
    fn at_least(&self, a: u32, b: u32) -> f64 {
        let (a, b) = (&self.means[a as usize], &self.means[b as usize]);
        let distance = |((x, y), w): (((f64, f64), (f64, f64)), f64)| w * (x.0 - y.0).hypot(x.1 - y.1);
        let bound: f64 = a.iter().copied().zip(b.iter().copied()).zip(self.weights).map(distance).sum();
        // The last bits of sums must not put the bound above the distance.
        bound * (1.0 - 1e-9)
    }

    fn distance(&self, a: u32, b: u32, limit: f64) -> Option<f64> {
        let (a, b) = (&self.positions[a as usize], &self.positions[b as usize]);
        let most = limit * a.len() as f64;
        let mut sum = 0.0;
        for (a, b) in a.chunks(64).zip(b.chunks(64)) {
            sum += a.iter().zip(b).map(|(a, b)| a.distance(*b)).sum::<f64>();
            if sum > most {
                return None;
            }
        }
        let distance = sum / a.len().max(1) as f64;
        (distance <= limit).then_some(distance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::criteria::{is_k_delta_anonymous, judge_k_delta};
    use crate::distance::synchronous;
    use crate::generate::{City, city};
    use privet_data::{Random, Silent};
    use proptest::prelude::*;

    #[test]
    fn a_city_becomes_k_delta_anonymous() {
        let (traces, _) = city(&City { people: 120, step: 300, ..City::default() }).unwrap();
        let options = NeverWalkAlone { k: 4, delta: 300.0, step: 300, ..Default::default() };
        let done = never_walk_alone(&traces, &options, &Silent).unwrap();
        let judged = judge_k_delta(&done.traces, &done.groups, 30_000).unwrap();
        assert!(judged.holds(4), "{judged:?}");
        assert!(done.changes.suppressed <= 12);
        assert_eq!(done.traces.len() as u64 + done.changes.suppressed, 120);
        assert!(done.changes.mean_move > 0.0);
        // Twice the same.
        let again = never_walk_alone(&traces, &options, &Silent).unwrap();
        assert_eq!(again.traces.all_points(), done.traces.all_points());
        // The input is not anonymous by itself.
        assert!(!judge_k_delta(&traces, &vec![0; 120], 30_000).unwrap().holds(4));
    }

    #[test]
    fn impossible_parameters_are_refused() {
        let (traces, _) = city(&City { people: 6, step: 600, ..City::default() }).unwrap();
        let run = |options: NeverWalkAlone| never_walk_alone(&traces, &options, &Silent);
        let usual = NeverWalkAlone { k: 2, step: 600, ..Default::default() };
        assert!(run(usual).is_ok());
        assert!(matches!(run(NeverWalkAlone { k: 7, ..usual }), Err(TraceError::Unreachable { .. })));
        assert!(run(NeverWalkAlone { delta: f64::NAN, ..usual }).is_err());
        assert!(run(NeverWalkAlone { period: 700, ..usual }).is_err());
        assert!(run(NeverWalkAlone { trash: 2.0, ..usual }).is_err());
        let tight = NeverWalkAlone { radius: 1.0, largest_radius: 2.0, trash: 0.0, ..usual };
        assert!(matches!(run(tight), Err(TraceError::TooMuchSuppression { .. })));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        /// On small inputs, the definition by cliques says the same as the method promises.
        #[test]
        fn the_definition_holds(seed in 0u64..1000, k in 2u32..4, delta in 0.0f64..800.0) {
            let (traces, _) = city(&City { people: 9, step: 3600, seed, ..City::default() }).unwrap();
            let options = NeverWalkAlone { k, delta, step: 3600, ..Default::default() };
            let done = never_walk_alone(&traces, &options, &Silent).unwrap();
            prop_assert!(is_k_delta_anonymous(&done.traces, k as usize, centimetres_down(delta)).unwrap());
        }

        #[test]
        fn the_bound_is_one(seed in 0u64..1000) {
            let mut random = Random::new(seed);
            let mut list = || -> Vec<Position> {
                (0..37).map(|_| Position { x: random.below(9000) as i32, y: random.below(900) as i32 }).collect()
            };
            let positions = vec![list(), list()];
            let metric = Synchronous::new(&positions);
            let exact = synchronous(&positions[0], &positions[1]);
            prop_assert!(metric.at_least(0, 1) <= exact);
            prop_assert!((metric.distance(0, 1, 1e9).unwrap() - exact).abs() < 1e-6);
            prop_assert!(metric.distance(0, 1, exact * 0.99).is_none());
        }
    }
}
