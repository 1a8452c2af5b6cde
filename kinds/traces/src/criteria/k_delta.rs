//! (k,δ)-anonymity of traces (survey AP-16; Abul, Bonchi and Nanni 2008): every trace lies in a set of at least k traces of
//! which all pairs are within δ of each other at every time that the set covers.
//!
//! Between two points a trace is the straight line. The distance of two straight motions is convex in time, so it is
//! largest at an end: looking at all times of points is exact. Distances are compared as whole numbers.

use crate::point::{Point, UNITS_PER_METRE};
use crate::traces::position_at;
use crate::{TraceError, Traces};

/// What groups of traces reach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KDelta {
    /// The size of the smallest group; 0 without traces.
    pub smallest: u64,
    /// The largest distance of two traces of a group at any time, in metres.
    pub widest: f64,
    /// Whether all traces of each group cover the same time.
    pub same_span: bool,
    /// Whether all pairs are within δ, decided on whole numbers.
    pub within: bool,
}

impl KDelta {
    /// Whether the criterion holds for k.
    pub fn holds(&self, k: u64) -> bool {
        self.smallest >= k && self.same_span && self.within
    }
}

/// The largest squared distance in squared centimetres of two traces at the times of either; `None` when they do not cover
/// the same time.
fn widest(a: &[Point], b: &[Point]) -> Option<i64> {
    let ends = |own: &[Point]| Some((own.first()?.time, own.last()?.time));
    if ends(a)? != ends(b)? {
        return None;
    }
    if a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.time == y.time) {
        return a.iter().zip(b).map(|(x, y)| x.at.squared_distance(y.at)).max();
    }
    let times = a.iter().chain(b).map(|own| own.time);
    times
        .map(|time| Some(position_at(a, time)?.squared_distance(position_at(b, time)?)))
        .collect::<Option<Vec<_>>>()?
        .into_iter()
        .max()
}

/// Whether two traces cover the same time and are within `delta` centimetres at every time.
pub fn are_within(a: &[Point], b: &[Point], delta: i64) -> bool {
    widest(a, b).is_some_and(|own| i128::from(own) <= i128::from(delta) * i128::from(delta))
}

/// Judges groups of traces: per trace the number of its group. `delta` in centimetres. Takes time in proportion to the sum
/// of squared group sizes times points; groups hold little more than k traces.
///
/// # Errors
/// When there is not one group for each trace.
pub fn judge_k_delta(traces: &Traces, groups: &[u32], delta: i64) -> Result<KDelta, TraceError> {
    if groups.len() != traces.len() {
        return Err(TraceError::Length { what: "groups", count: traces.len(), of: "traces" });
    }
    let mut order: Vec<u32> = (0..traces.len() as u32).collect();
    order.sort_by_key(|&trace| groups[trace as usize]);
    let mut judged = KDelta { smallest: u64::MAX, widest: 0.0, same_span: true, within: true };
    for group in order.chunk_by(|&a, &b| groups[a as usize] == groups[b as usize]) {
        judged.smallest = judged.smallest.min(group.len() as u64);
        for (place, &a) in group.iter().enumerate() {
            for &b in &group[place + 1..] {
                match widest(traces.points(a as usize), traces.points(b as usize)) {
                    None => judged.same_span = false,
                    Some(squared) => {
                        judged.widest = judged.widest.max((squared as f64).sqrt() / UNITS_PER_METRE);
                        judged.within &= i128::from(squared) <= i128::from(delta) * i128::from(delta);
                    }
                }
            }
        }
    }
    if traces.is_empty() {
        judged.smallest = 0;
    }
    Ok(judged)
}

/// The definition itself, without groups: whether every trace lies in some set of k traces that are pairwise within
/// `delta` centimetres. Looks for cliques, so for small inputs only.
///
/// # Errors
/// When there are more than 24 traces.
pub fn is_k_delta_anonymous(traces: &Traces, k: usize, delta: i64) -> Result<bool, TraceError> {
    const MOST: usize = 24;
    if traces.len() > MOST {
        return Err(TraceError::TooLarge {
            what: "the search for sets of traces",
            most: MOST as u64,
            accepted: "fewer traces, or groups that are given",
        });
    }
    let near: Vec<u32> = (0..traces.len())
        .map(|a| {
            let within = |b: &usize| *b != a && are_within(traces.points(a), traces.points(*b), delta);
            (0..traces.len()).filter(within).fold(0, |set, b| set | 1 << b)
        })
        .collect();
    /// Whether some members of `candidates` complete a clique by `missing` more.
    fn completes(near: &[u32], candidates: u32, missing: usize) -> bool {
        if missing == 0 {
            return true;
        }
        let mut rest = candidates;
        while rest.count_ones() as usize >= missing {
            let next = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            if completes(near, rest & near[next], missing - 1) {
                return true;
            }
        }
        false
    }
    Ok((0..traces.len()).all(|own| k <= 1 || completes(&near, near[own], k - 1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Plane;
    use proptest::prelude::*;

    fn lines(offsets: &[i32]) -> Traces {
        let lists: Vec<Vec<Point>> = offsets
            .iter()
            .map(|&y| [0, 10, 20].map(|time| Point::new(time, time as i32 * 100, y)).to_vec())
            .collect();
        Traces::from_lists(
            Plane::Metres,
            lists.iter().enumerate().map(|(own, list)| (own as u32, list.as_slice())),
        )
        .unwrap()
    }

    /// AP-16: three traces within delta of each other are 3-delta-anonymous; a fourth far away is not.
    #[test]
    fn parallel_traces() {
        let traces = lines(&[0, 50, 100]);
        assert!(judge_k_delta(&traces, &[0, 0, 0], 100).unwrap().holds(3));
        assert!(!judge_k_delta(&traces, &[0, 0, 0], 99).unwrap().holds(3));
        assert!(is_k_delta_anonymous(&traces, 3, 100).unwrap());
        assert!(is_k_delta_anonymous(&traces, 2, 50).unwrap());
        let far = lines(&[0, 50, 100, 5000]);
        assert!(!is_k_delta_anonymous(&far, 2, 100).unwrap());
        assert!(!judge_k_delta(&far, &[0, 0, 0, 1], 100).unwrap().holds(2));
    }

    #[test]
    fn different_times_are_compared_on_lines() {
        let a = [Point::new(0, 0, 0), Point::new(10, 1000, 0)];
        let b = [Point::new(0, 0, 0), Point::new(5, 500, 300), Point::new(10, 1000, 0)];
        assert!(are_within(&a, &b, 300) && !are_within(&a, &b, 299));
        assert!(!are_within(&a, &b[..2], 9999), "another span");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        /// Groups that hold are a witness of the definition; and the definition, for k = 2, is a near partner for each.
        #[test]
        fn groups_are_witnesses(offsets in prop::collection::vec(0i32..400, 1..9), delta in 0i64..200, cut in 1usize..5) {
            let mut offsets = offsets;
            offsets.sort_unstable();
            let traces = lines(&offsets);
            let groups: Vec<u32> = (0..offsets.len()).map(|own| (own / cut) as u32).collect();
            let judged = judge_k_delta(&traces, &groups, delta).unwrap();
            for k in 1..=4 {
                if judged.holds(k) {
                    prop_assert!(is_k_delta_anonymous(&traces, k as usize, delta).unwrap());
                }
            }
            let pairs = (0..offsets.len()).all(|a| {
                (0..offsets.len()).any(|b| a != b && i64::from((offsets[a] - offsets[b]).abs()) <= delta)
            });
            prop_assert_eq!(is_k_delta_anonymous(&traces, 2, delta).unwrap(), pairs);
        }
    }
}
