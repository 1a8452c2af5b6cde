//! Methods that publish whole traces in groups of at least k that stay within δ of each other.

mod cluster;
mod never_walk_alone;
mod translate;
mod wait_for_me;

pub use cluster::{ClusterOptions, Clusters, Metric, greedy};
pub use never_walk_alone::{NeverWalkAlone, never_walk_alone};
pub use translate::{Translated, translate};
pub use wait_for_me::{WaitForMe, wait_for_me};

use crate::Traces;

/// Traces that were made (k,δ)-anonymous, and what it cost.
#[derive(Debug, Clone)]
pub struct Grouped {
    /// The published traces. Objects are numbered anew, one for each trace, in an order that tells nothing of the input.
    pub traces: Traces,
    /// Per published trace its group.
    pub groups: Vec<u32>,
    /// Per published trace which trace of the input it was. Stays with the owner.
    pub source: Vec<u32>,
    /// What was changed.
    pub changes: TraceChanges,
}

/// What was changed to make traces anonymous.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TraceChanges {
    /// Traces of the input.
    pub given: u64,
    /// Traces that are not published.
    pub suppressed: u64,
    /// Points that were cut off, or deleted because no point of the group's pivot matches.
    pub deleted_points: u64,
    /// Points that were made up, because the group's pivot has a point there.
    pub created_points: u64,
    /// Points that were moved.
    pub moved_points: u64,
    /// The mean move of all published points in metres.
    pub mean_move: f64,
    /// The longest move in metres.
    pub longest_move: f64,
    /// The radius of clusters that was enough, in the unit of the distance.
    pub radius: f64,
    /// The number of groups.
    pub groups: u64,
}

/// A group before it is published: per member its trace, and its points at the same times as the others'.
pub(crate) struct Bundle {
    pub members: Vec<u32>,
    pub times: Vec<i64>,
    /// Per member as many positions as times.
    pub positions: Vec<Vec<crate::point::Position>>,
}

/// Publishes bundles: translates each, and puts groups and their members into an order of what is published, which tells
/// nothing of the order of the input.
pub(crate) fn publish(
    input: &Traces,
    bundles: Vec<Bundle>,
    delta: i64,
    mut changes: TraceChanges,
) -> Result<Grouped, crate::TraceError> {
    use crate::point::Point;
    use rayon::prelude::*;
    let translated: Vec<(Vec<(Vec<Point>, u32)>, Translated)> = bundles
        .into_par_iter()
        .map(|mut bundle| {
            let moved = translate(&mut bundle.positions, delta);
            let of = |positions: &[crate::point::Position]| -> Vec<Point> {
                let times = bundle.times.iter();
                times.zip(positions).map(|(&time, &at)| Point { time, at }).collect()
            };
            let mut members: Vec<(Vec<Point>, u32)> =
                bundle.positions.iter().zip(&bundle.members).map(|(own, &trace)| (of(own), trace)).collect();
            // Equal traces are told apart by nothing but their source, whose order would show.
            members.sort_by(|a, b| a.0.cmp(&b.0));
            (members, moved)
        })
        .collect();
    let (mut sum, mut points) = (0.0, 0u64);
    for (_, moved) in &translated {
        changes.moved_points += moved.moved;
        changes.longest_move = changes.longest_move.max(moved.longest);
        sum += moved.sum;
        points += moved.points;
    }
    changes.mean_move = if points == 0 { 0.0 } else { sum / points as f64 };
    changes.groups = translated.len() as u64;
    let mut lists: Vec<Vec<(Vec<Point>, u32)>> = translated.into_iter().map(|own| own.0).collect();
    lists.sort_by(|a, b| a.iter().map(|own| &own.0).cmp(b.iter().map(|own| &own.0)));
    let mut traces = Traces::on(input.plane);
    let (mut groups, mut source) = (Vec::new(), Vec::new());
    for (list, group) in lists.iter().zip(0u32..) {
        for (points, trace) in list {
            traces.push(traces.len() as u32, points)?;
            groups.push(group);
            source.push(*trace);
        }
    }
    Ok(Grouped { traces, groups, source, changes })
}
