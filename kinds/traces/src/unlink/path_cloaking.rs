//! Path cloaking (Hoh, Gruteser, Xiong and Alrabady 2007; survey AP-18): points are published only while nobody can be
//! followed for longer than a limit without being confused with others.
//!
//! Guarantee: between two moments of confusion, at which the posterior of the true successor among all points published at
//! that time is at most τ, a person is published for at most the time to confusion. Every stretch has a pseudonym of its
//! own. Computed on points at common times.

use privet_data::Progress;

use super::posterior::{Link, Motion, successors_of};
use super::{Segments, mix_zone::assemble};
use crate::point::{Point, Position};
use crate::prepare::sample_all;
use crate::{TraceError, Traces};
use foldhash::HashMap;

/// The parameters of path cloaking.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct PathCloaking {
    /// The largest posterior of a true successor at which somebody is confused.
    pub tau: f64,
    /// The longest that a person may be followed, in seconds.
    pub time_to_confusion: i64,
    /// Seconds between two points.
    pub step: i64,
    /// How people move.
    pub motion: Motion,
}

impl Default for PathCloaking {
    fn default() -> Self {
        Self { tau: 0.5, time_to_confusion: 300, step: 60, motion: Motion::default() }
    }
}

/// Where somebody is in what is published.
#[derive(Debug, Clone, Default)]
struct Walker {
    /// Published points of the stretch that goes on, if one does.
    stretch: Vec<Point>,
    /// When the stretch began.
    since: i64,
}

/// Publishes stretches of traces that cannot be followed for longer than a limit.
///
/// # Errors
/// When a parameter is out of range.
pub fn path_cloaking(
    traces: &Traces,
    options: &PathCloaking,
    progress: &dyn Progress,
) -> Result<Segments, TraceError> {
    if !(options.tau > 0.0 && options.tau <= 1.0) {
        return Err(TraceError::parameter("tau", "above 0 and at most 1"));
    }
    if options.time_to_confusion < options.step || options.step <= 0 {
        return Err(TraceError::parameter("time-to-confusion", "at least one step above 0 seconds"));
    }
    if !(options.motion.top_speed > 0.0 && options.motion.spread > 0.0) {
        return Err(TraceError::parameter("motion", "a top speed and a spread above 0"));
    }
    let sampled = sample_all(traces, options.step, progress)?;
    let mut events: Vec<(i64, u32, Position)> = Vec::with_capacity(sampled.all_points().len());
    for trace in 0..sampled.len() {
        events.extend(sampled.points(trace).iter().map(|own| (own.time, trace as u32, own.at)));
    }
    events.sort_unstable();
    let mut walkers: Vec<Walker> = vec![Walker::default(); sampled.len()];
    let mut done = (Vec::new(), Vec::new(), true, 0u64);
    for now in events.chunk_by(|a, b| a.0 == b.0) {
        progress.check()?;
        a_moment(now, &mut walkers, options, &mut done);
    }
    let (mut published, posteriors, exact, refused) = done;
    for (trace, walker) in walkers.into_iter().enumerate() {
        finish(trace as u32, walker, &mut published);
    }
    published.sort();
    assemble(&sampled, published, posteriors, exact, refused)
}

fn finish(trace: u32, walker: Walker, published: &mut Vec<(Vec<Point>, u32)>) {
    if !walker.stretch.is_empty() {
        published.push((walker.stretch, trace));
    }
}

type Done = (Vec<(Vec<Point>, u32)>, Vec<f64>, bool, u64);

fn a_moment(now: &[(i64, u32, Position)], walkers: &mut [Walker], options: &PathCloaking, done: &mut Done) {
    let time = now[0].0;
    // Whose pseudonym would be followed for too long must be confused now, or goes silent.
    let is_due =
        |own: &Walker| !own.stretch.is_empty() && time - own.since > options.time_to_confusion - options.step;
    let mut silent = vec![false; now.len()];
    let mut confused: HashMap<u32, f64>;
    // Who goes silent is no candidate any more, so others may not be confused any more.
    loop {
        let (posterior, exact) = posteriors(now, &silent, walkers, &is_due, options);
        confused = posterior;
        let mut changed = false;
        for (place, own) in now.iter().enumerate().filter(|own| is_due(&walkers[own.1.1 as usize])) {
            let is_confused = confused.get(&own.1).is_some_and(|own| *own <= options.tau + 1e-12);
            if !silent[place] && !is_confused {
                silent[place] = true;
                changed = true;
            }
        }
        if !changed {
            done.2 &= exact;
            break;
        }
    }
    for (place, &(_, trace, at)) in now.iter().enumerate() {
        let walker = &mut walkers[trace as usize];
        let was_due = is_due(walker);
        let has_gap = walker.stretch.last().is_some_and(|own| time - own.time > options.step);
        if was_due || has_gap || silent[place] {
            if was_due && !silent[place] {
                done.1.extend(confused.get(&trace));
            }
            done.3 += u64::from(silent[place]);
            finish(trace, std::mem::take(walker), &mut done.0);
        }
        if !silent[place] {
            if walker.stretch.is_empty() {
                walker.since = time;
            }
            walker.stretch.push(Point { time, at });
        }
    }
}

/// The posterior of the true successor of each stretch, among all points that are published now.
fn posteriors(
    now: &[(i64, u32, Position)],
    silent: &[bool],
    walkers: &[Walker],
    is_due: &impl Fn(&Walker) -> bool,
    options: &PathCloaking,
) -> (HashMap<u32, f64>, bool) {
    let reach = options.motion.top_speed * options.step as f64;
    let side = ((reach * crate::UNITS_PER_METRE).ceil() as i64).max(1);
    let cell = |at: Position| (i64::from(at.x).div_euclid(side), i64::from(at.y).div_euclid(side));
    let mut near: HashMap<(i64, i64), Vec<u32>> = HashMap::default();
    for (place, own) in now.iter().enumerate().filter(|own| !silent[own.0]) {
        near.entry(cell(own.2)).or_default().push(place as u32);
    }
    let number: HashMap<u32, u32> = now.iter().map(|own| own.1).zip(0..).collect();
    let mut links = Vec::new();
    // Only stretches that were published just before are followed.
    for (place, own) in now.iter().enumerate() {
        let Some((last, predicted)) = predicted(&walkers[own.1 as usize].stretch, own.0, options.step) else {
            continue;
        };
        let (column, row) = cell(last.at);
        let cells = (column - 1..=column + 1).flat_map(|x| (row - 1..=row + 1).map(move |y| (x, y)));
        for &to in cells.filter_map(|own| near.get(&own)).flatten() {
            let weight =
                options.motion.weight(last.at, predicted, now[to as usize].2, (own.0 - last.time) as f64);
            if weight > 0.0 {
                links.push(Link { from: place as u32, to, weight });
            }
        }
    }
    let posterior = successors_of(&links, |from| is_due(&walkers[now[from as usize].1 as usize]));
    let own = |link: &Link| number.get(&now[link.from as usize].1).is_some_and(|own| *own == link.to);
    let of = links.iter().zip(&posterior.of).filter(|(link, _)| own(link));
    (of.map(|(link, own)| (now[link.from as usize].1, *own)).collect(), posterior.exact)
}

/// The last point of a stretch that was published one step ago, and where it leads if its speed stays.
fn predicted(stretch: &[Point], time: i64, step: i64) -> Option<(Point, Position)> {
    let last = *stretch.last().filter(|own| time - own.time <= step)?;
    let Some(before) = stretch.len().checked_sub(2).map(|own| stretch[own]) else {
        return Some((last, last.at));
    };
    let share = (time - last.time) as f64 / (last.time - before.time).max(1) as f64;
    let lead = |a: i32, b: i32| {
        let most = f64::from(crate::LARGEST_COORDINATE);
        (f64::from(b) + share * (f64::from(b) - f64::from(a))).clamp(-most, most) as i32
    };
    let at = Position { x: lead(before.at.x, last.at.x), y: lead(before.at.y, last.at.y) };
    Some((last, at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{City, city};
    use privet_data::Silent;

    #[test]
    fn nobody_is_followed_for_longer_than_the_limit() {
        let (traces, _) = city(&City { people: 50, step: 300, side: 4000.0, ..City::default() }).unwrap();
        let options = PathCloaking { step: 300, time_to_confusion: 1200, ..Default::default() };
        let done = path_cloaking(&traces, &options, &Silent).unwrap();
        assert!(done.largest() <= options.tau + 1e-9);
        for trace in 0..done.traces.len() {
            let points = done.traces.points(trace);
            assert!(points[points.len() - 1].time - points[0].time <= 1200);
        }
        assert!(!done.posteriors.is_empty());
        assert_eq!(
            done.suppressed_points + done.traces.all_points().len() as u64,
            traces.all_points().len() as u64
        );
        // Whoever predicts better finds more, so more must be silent.
        let motion = Motion { spread: 0.2, ..options.motion };
        let followed = path_cloaking(&traces, &PathCloaking { motion, ..options }, &Silent).unwrap();
        assert!(followed.suppressed_points > done.suppressed_points);
        assert!(followed.largest() <= options.tau + 1e-9);
    }

    #[test]
    fn people_alone_go_silent() {
        let (traces, _) = city(&City { people: 1, step: 600, ..City::default() }).unwrap();
        let options = PathCloaking { step: 600, time_to_confusion: 1200, ..Default::default() };
        let done = path_cloaking(&traces, &options, &Silent).unwrap();
        assert!(done.posteriors.is_empty() && done.refused > 0);
        assert!(path_cloaking(&traces, &PathCloaking { tau: 0.0, ..options }, &Silent).is_err());
        assert!(path_cloaking(&traces, &PathCloaking { time_to_confusion: 1, ..options }, &Silent).is_err());
    }
}
