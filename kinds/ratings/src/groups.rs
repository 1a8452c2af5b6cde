//! Disjoint groups of pairwise proximate users: slicing, pruning and adjusting (thesis 2.19, 2.20).
//!
//! Guarantee: the groups are disjoint, cover everybody, and each is pairwise within epsilon. Whether all of them have k
//! members is for the caller to ask; the search is greedy, so groups that are too small prove nothing.
//!
//! Defect 16, decided: distances of exactly epsilon count; of conflicting candidates the one with most conflicts is dropped,
//! of equals the later one, and the start never is. Among more than [`FEW`] candidates the trim goes axis by axis instead, to
//! the window of length epsilon around the start that keeps most users: pairwise proximity in the maximum norm is a box, so
//! that costs linear time where conflicts cost quadratic. Section 2.20 moves users to singletons from groups of "more than
//! three" (its example takes one from a group of three): here from groups of more than k, to every group of fewer than k;
//! and a group that cannot be filled is dissolved if all its members fit elsewhere.

use std::ops::ControlFlow;

use foldhash::HashSet;
use privet_data::Progress;
use rayon::prelude::*;

use crate::{Neighbours, Points, RatingsError, Reach, Slicing, Survey, hamming_groups};

/// Candidates are trimmed by their conflicts up to so many.
const FEW: usize = 256;

/// Disjoint groups that cover all users.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Partition {
    /// The groups, each ascending, in the order of their first users.
    pub groups: Vec<Vec<u32>>,
}

impl Partition {
    /// Brings groups into canonical order.
    pub fn new(mut groups: Vec<Vec<u32>>) -> Self {
        groups.retain(|group| !group.is_empty());
        groups.par_iter_mut().for_each(|group| group.sort_unstable());
        groups.sort_unstable_by_key(|group| group[0]);
        Self { groups }
    }

    /// The size of the smallest group; 0 where there is none.
    pub fn smallest(&self) -> usize {
        self.groups.iter().map(Vec::len).min().unwrap_or(0)
    }

    /// How many users are in groups of fewer than `k`.
    pub fn failing(&self, k: u64) -> u64 {
        self.groups.iter().map(|group| group.len() as u64).filter(|&size| size < k).sum()
    }
}

/// Cuts a survey into groups by slicing, and fills groups of fewer than `k` where that is possible.
///
/// # Errors
/// When the person asks to stop.
pub fn partition(
    survey: &Survey,
    reach: Reach,
    k: u64,
    progress: &dyn Progress,
) -> Result<Partition, RatingsError> {
    let groups = hamming_groups(survey, reach);
    let cut = |group: &crate::HammingGroup| -> Result<Vec<Vec<u32>>, RatingsError> {
        if group.users.len() == 1 {
            return Ok(vec![group.users.clone()]);
        }
        let points = Points::of(survey, group);
        let pieces = slice(&points, reach.ticks, progress)?;
        adjust(&points, reach.ticks, k, pieces, progress)
    };
    let pieces: Vec<Vec<Vec<u32>>> = groups.par_iter().map(cut).collect::<Result<_, _>>()?;
    Ok(Partition::new(pieces.into_iter().flatten().collect()))
}

/// Groups of points, every one with all its users.
fn slice(points: &Points, ticks: u8, progress: &dyn Progress) -> Result<Vec<Vec<u32>>, RatingsError> {
    let count = points.len();
    let mut open = vec![true; count];
    let (mut left, mut sorted) = (count, Slicing::new(points, ticks));
    let mut indexed = count;
    let mut pieces = Vec::new();
    for start in 0..count as u32 {
        if !open[start as usize] {
            continue;
        }
        progress.check()?;
        if left * 2 < indexed && indexed > 64 {
            // Half of what is found is taken already: search among the rest only.
            let rest: Vec<u32> = (0..count as u32).filter(|&point| open[point as usize]).collect();
            (indexed, sorted) = (rest.len(), Slicing::among(points, ticks, rest));
        }
        let mut candidates = Vec::new();
        sorted.near(start, |point| {
            if open[point as usize] {
                candidates.push(point);
            }
            ControlFlow::Continue(())
        });
        candidates.sort_unstable();
        let group = match candidates.len() <= FEW {
            true => trim_by_conflicts(points, ticks, start, candidates),
            false => trim_by_windows(points, ticks, start, candidates),
        };
        group.iter().for_each(|&point| open[point as usize] = false);
        left -= group.len();
        pieces.push(group);
    }
    Ok(pieces)
}

fn trim_by_conflicts(points: &Points, ticks: u8, start: u32, mut candidates: Vec<u32>) -> Vec<u32> {
    let conflict = |a: u32, b: u32| !points.joined(a, b, ticks);
    let mut conflicts: Vec<usize> =
        candidates.iter().map(|&a| candidates.iter().filter(|&&b| conflict(a, b)).count()).collect();
    loop {
        let dropped = (0..candidates.len()).filter(|&at| candidates[at] != start && conflicts[at] > 0);
        // The last of equals.
        let Some(at) = dropped.max_by_key(|&at| conflicts[at]) else { return candidates };
        let gone = candidates.remove(at);
        conflicts.remove(at);
        for (count, &other) in conflicts.iter_mut().zip(&candidates) {
            *count -= usize::from(conflict(gone, other));
        }
    }
}

fn trim_by_windows(points: &Points, ticks: u8, start: u32, mut candidates: Vec<u32>) -> Vec<u32> {
    let middle = points.row(start);
    for (axis, &centre) in middle.iter().enumerate() {
        let mut weight = [0u64; 512];
        for &point in &candidates {
            weight[usize::from(points.row(point)[axis])] += points.weight(point);
        }
        let lowest = centre.saturating_sub(ticks);
        let kept =
            |low: u8| weight[usize::from(low)..=usize::from(low) + usize::from(ticks)].iter().sum::<u64>();
        // The first of equals.
        let low = (lowest..=centre).rev().max_by_key(|&low| kept(low)).unwrap_or(lowest);
        candidates.retain(|&point| (low..=low.saturating_add(ticks)).contains(&points.row(point)[axis]));
    }
    candidates
}

/// The groups of users while they are adjusted.
struct Adjusting<'a> {
    points: &'a Points,
    ticks: u8,
    k: usize,
    groups: Vec<Vec<(u32, u32)>>,
    group_of: Vec<u32>,
    place: foldhash::HashMap<u32, u32>,
}

/// Fills or dissolves groups of fewer than `k`. Returns groups of users.
fn adjust(
    points: &Points,
    ticks: u8,
    k: u64,
    pieces: Vec<Vec<u32>>,
    progress: &dyn Progress,
) -> Result<Vec<Vec<u32>>, RatingsError> {
    let with_users = |piece: &Vec<u32>| -> Vec<(u32, u32)> {
        piece.iter().flat_map(|&point| points.members(point).iter().map(move |&user| (user, point))).collect()
    };
    let groups: Vec<Vec<(u32, u32)>> = pieces.iter().map(with_users).collect();
    let k = usize::try_from(k).unwrap_or(usize::MAX);
    let total: usize = groups.iter().map(Vec::len).sum();
    if total >= k && groups.iter().any(|group| group.len() < k) {
        let place: foldhash::HashMap<u32, u32> =
            groups.iter().flatten().map(|&(user, _)| user).zip(0..).collect();
        let group_of = groups.iter().zip(0..).flat_map(|(group, at)| group.iter().map(move |_| at)).collect();
        let mut state = Adjusting { points, ticks, k, groups, group_of, place };
        let sorted = Slicing::new(points, ticks);
        let small: Vec<u32> =
            (0..state.groups.len() as u32).filter(|&at| state.groups[at as usize].len() < k).collect();
        for at in small {
            progress.check()?;
            if !state.fill(&sorted, at) {
                state.dissolve(&sorted, at);
            }
        }
        return Ok(state
            .groups
            .into_iter()
            .map(|group| group.into_iter().map(|(user, _)| user).collect())
            .collect());
    }
    Ok(groups.into_iter().map(|group| group.into_iter().map(|(user, _)| user).collect()).collect())
}

impl Adjusting<'_> {
    fn group(&self, user: u32) -> usize {
        self.group_of[self.place[&user] as usize] as usize
    }

    /// The corners between which a point is within epsilon of a whole group.
    fn corners(&self, group: &[(u32, u32)]) -> (Vec<u8>, Vec<u8>) {
        let dims = self.points.dims();
        let (mut low, mut high) = (vec![0u8; dims], vec![u8::MAX; dims]);
        for &(_, point) in group {
            for ((low, high), &tick) in low.iter_mut().zip(&mut high).zip(self.points.row(point)) {
                *low = (*low).max(tick.saturating_sub(self.ticks));
                *high = (*high).min(tick.saturating_add(self.ticks));
            }
        }
        (low, high)
    }

    /// Moves users of groups of more than `k` to a small one, if there are enough that fit it and each other.
    fn fill(&mut self, sorted: &Slicing<'_>, at: u32) -> bool {
        let missing = self.k.saturating_sub(self.groups[at as usize].len());
        let (low, high) = self.corners(&self.groups[at as usize]);
        let mut taken: Vec<(u32, u32)> = Vec::new();
        let mut given: foldhash::HashMap<usize, usize> = foldhash::HashMap::default();
        sorted.between(&low, &high, |point| {
            if taken.iter().all(|&(_, other)| self.points.joined(point, other, self.ticks)) {
                for &user in self.points.members(point) {
                    let donor = self.group(user);
                    let gone = given.entry(donor).or_default();
                    if donor != at as usize && self.groups[donor].len() - *gone > self.k {
                        *gone += 1;
                        taken.push((user, point));
                        if taken.len() == missing {
                            return ControlFlow::Break(());
                        }
                    }
                }
            }
            ControlFlow::Continue(())
        });
        if taken.len() < missing {
            return false;
        }
        for (user, point) in taken {
            self.put(user, point, at as usize);
        }
        true
    }

    fn put(&mut self, user: u32, point: u32, to: usize) {
        let from = self.group(user);
        self.groups[from].retain(|&(other, _)| other != user);
        self.groups[to].push((user, point));
        self.group_of[self.place[&user] as usize] = to as u32;
    }

    /// Moves every member of a small group to another group that it fits, if all of them fit somewhere.
    fn dissolve(&mut self, sorted: &Slicing<'_>, at: u32) {
        let members = self.groups[at as usize].clone();
        let mut moves: Vec<(u32, u32, usize)> = Vec::new();
        for &(user, point) in &members {
            let mut seen = HashSet::default();
            let mut home = None;
            sorted.near(point, |other| {
                for &neighbour in self.points.members(other) {
                    let to = self.group(neighbour);
                    if to != at as usize && self.groups[to].len() >= self.k && seen.insert(to) {
                        let arriving = moves.iter().filter(|step| step.2 == to).map(|step| step.1);
                        let there = self.groups[to].iter().map(|member| member.1).chain(arriving);
                        if there.into_iter().all(|member| self.points.joined(point, member, self.ticks)) {
                            home = Some(to);
                            return ControlFlow::Break(());
                        }
                    }
                }
                ControlFlow::Continue(())
            });
            match home {
                Some(to) => moves.push((user, point, to)),
                None => return,
            }
        }
        for (user, point, to) in moves {
            self.put(user, point, to);
        }
    }
}
