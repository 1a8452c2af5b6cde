//! A greedy cover by balls, made a partition: Meyerson and Williams, "On the complexity of optimal k-anonymity"
//! (survey ME-04).
//!
//! Guarantee: at most (2k-1)(2k-2)/k · H(2k-1) times the fewest suppressed cells (k ≥ 2), where
//! H(m) = 1 + 1/2 + … + 1/m; that is O(k log k), in time polynomial in k too.
//!
//! The paper covers the records by sets of k to 2k - 1 of them that weigh their diameter, greedily by newly covered
//! records per weight. Trying all such sets takes time exponential in k, so its second algorithm covers by balls
//! of any size and has the factor O(k log m) for m columns. Here a set is a centre c, a radius r and k to 2k - 1
//! records within r of c, c among them; it weighs r. Which set of a ball covers most that is new can be said
//! without trying: as many uncovered records as fit. So this is polynomial and keeps the first factor. Why:
//!
//! *Weight.* An optimal solution has groups of k to 2k - 1 records (larger ones can be cut). Such a group with
//! centre c is one of the sets; at least r of its columns vary, so it costs at least k·r. All its sets together
//! weigh at most 1/k of the optimum, and the greedy cover at most H(2k-1) times that.
//!
//! *Partition.* A set of radius r has at most (2k-2)·r varying columns, because each varies between c and another
//! member. Where a new set meets an older one in a record, the record is dropped from one that has more than k
//! records; when both have exactly k they become one of at most 2k - 1. Columns that vary in the union vary in one
//! of the two, as they share a record. So the numbers of varying columns add up to at most (2k-2) times the weight
//! of the cover, and each counts for at most 2k - 1 records.
//!
//! Records with k equal ones are covered first, by sets of radius 0. Equal records are kept as one tuple with
//! copies; groups of copies alone may be large, as they cost nothing.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};

use privet_data::{Cancelled, Progress};
use rayon::prelude::*;

use crate::lattice::SearchError;

use super::group::Group;
use super::tuples::Tuples;

/// The time grows with at least the square of this.
const MOST_TUPLES: usize = 20_000;

/// Refuses tables that would take too long.
pub fn require_size(tuples: &Tuples) -> Result<(), SearchError> {
    if tuples.len() > MOST_TUPLES {
        return Err(SearchError::Parameter {
            key: "search.cell-suppression.method",
            problem: "is `meyerson-williams`, which is for tables of at most 20000 different records; use `aggarwal`",
        });
    }
    Ok(())
}

/// Groups of at least k records, for k ≥ 2.
pub fn solve(tuples: &Tuples, k: u64, progress: &dyn Progress) -> Result<Vec<Group>, Cancelled> {
    let mut cover = Cover::new(tuples, k);
    let total: u64 = cover.left;
    progress.stage("covering records by balls", Some(total));
    // Gains only fall, so an old one is an upper bound and is computed anew when it comes first.
    let gains: Vec<Option<Gain>> = (0..tuples.len())
        .into_par_iter()
        .map_init(Ball::default, |ball, centre| {
            progress.check()?;
            Ok(cover.gain(centre, ball))
        })
        .collect::<Result<_, Cancelled>>()?;
    let mut queue: BinaryHeap<Gain> = gains.into_iter().flatten().collect();
    let mut ball = Ball::default();
    while cover.left > 0 {
        progress.check()?;
        let Some(old) = queue.pop() else { break };
        let Some(gain) = cover.gain(old.centre as usize, &mut ball) else { continue };
        if queue.peek().is_none_or(|next| gain >= *next) {
            cover.take(&gain, &ball);
            progress.at(total - cover.left);
        }
        queue.push(gain);
    }
    Ok(cover.groups)
}

/// The best set around a centre.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Gain {
    covers: u64,
    radius: u16,
    centre: u32,
}

impl Ord for Gain {
    /// Most newly covered records per radius; then the smaller ball, then the earlier centre.
    fn cmp(&self, other: &Self) -> Ordering {
        let own = u128::from(self.covers) * u128::from(other.radius);
        let theirs = u128::from(other.covers) * u128::from(self.radius);
        let nearer = other.radius.cmp(&self.radius);
        own.cmp(&theirs).then(nearer).then(other.centre.cmp(&self.centre))
    }
}

impl PartialOrd for Gain {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// What lies how far from a centre.
#[derive(Debug, Default)]
struct Ball {
    distances: Vec<u16>,
    /// Per distance all records and the uncovered ones.
    rows: Vec<(u64, u64)>,
}

struct Cover<'a> {
    tuples: &'a Tuples,
    k: u64,
    /// Per tuple the copies that are in no group.
    uncovered: Vec<u64>,
    left: u64,
    groups: Vec<Group>,
    /// Per tuple the groups that hold, or held, a copy; none twice.
    holders: Vec<Vec<u32>>,
}

impl<'a> Cover<'a> {
    fn new(tuples: &'a Tuples, k: u64) -> Self {
        let mut cover = Self {
            tuples,
            k,
            uncovered: tuples.copies.clone(),
            left: tuples.copies.iter().sum(),
            groups: Vec::new(),
            holders: vec![Vec::new(); tuples.len()],
        };
        for (tuple, &copies) in tuples.copies.iter().enumerate() {
            if copies >= k {
                cover.uncovered[tuple] = 0;
                cover.left -= copies;
                cover.add(Group::of(tuples, tuple, copies));
            }
        }
        cover
    }

    fn add(&mut self, group: Group) {
        self.note_holder(self.groups.len(), &group);
        self.groups.push(group);
    }

    /// Notes that a group holds the members of `new`.
    fn note_holder(&mut self, number: usize, new: &Group) {
        for &(tuple, _) in &new.members {
            let holders = &mut self.holders[tuple as usize];
            if !holders.contains(&(number as u32)) {
                holders.push(number as u32);
            }
        }
    }

    /// The best radius around a centre; `None` when all is covered.
    fn gain(&self, centre: usize, ball: &mut Ball) -> Option<Gain> {
        self.tuples.distances(centre, &mut ball.distances);
        ball.rows.clear();
        ball.rows.resize(self.tuples.width + 1, (0, 0));
        for (tuple, &distance) in ball.distances.iter().enumerate() {
            let (all, uncovered) = &mut ball.rows[usize::from(distance)];
            *all += self.tuples.copies[tuple];
            *uncovered += self.uncovered[tuple];
        }
        let most = self.most(centre);
        let (mut all, mut uncovered) = (0, 0);
        let mut best: Option<Gain> = None;
        for (radius, rows) in ball.rows.iter().enumerate() {
            all += rows.0;
            uncovered += rows.1;
            // A ball of radius 0 with k records was taken at the very start.
            if radius > 0 && all >= self.k && uncovered > 0 {
                let gain = Gain { covers: uncovered.min(most), radius: radius as u16, centre: centre as u32 };
                if best.as_ref().is_none_or(|best| gain > *best) {
                    best = Some(gain);
                }
            }
        }
        best
    }

    /// How many uncovered records fit in a set around a centre: the centre is in it, uncovered or not.
    fn most(&self, centre: usize) -> u64 {
        2 * self.k - if self.uncovered[centre] > 0 { 1 } else { 2 }
    }

    /// Takes the set, and makes a partition of what is covered.
    fn take(&mut self, gain: &Gain, ball: &Ball) {
        let distances = &ball.distances;
        let mut within: Vec<usize> =
            (0..distances.len()).filter(|&tuple| distances[tuple] <= gain.radius).collect();
        within.sort_by_key(|&tuple| distances[tuple]);
        let mut new: Option<Group> = None;
        let mut room = gain.covers;
        for &tuple in &within {
            let copies = self.uncovered[tuple].min(room);
            if copies > 0 {
                self.uncovered[tuple] -= copies;
                room -= copies;
                join(self.tuples, &mut new, Group::of(self.tuples, tuple, copies));
            }
        }
        let Some(new) = new else { return };
        self.left -= new.rows;
        if new.rows >= self.k {
            self.add(new);
        } else {
            self.pad(new, &within);
        }
    }

    /// Brings fewer than k records into the partition. Which others of the ball are in the set can be chosen. Either
    /// they are records that groups of more than k can spare, which leave these groups. Or they are all that a
    /// group can spare and one more, so that both have exactly k and become one. The cheaper way is taken. One of
    /// them exists: when all that can be spared is not enough, the rest of the ball is in groups that spared all
    /// they could.
    fn pad(&mut self, new: Group, within: &[usize]) {
        let mut padded = new.clone();
        let mut pads: Vec<(usize, u32, u64)> = Vec::new();
        let mut relief = 0;
        // Per group how many of its records are in the ball, and how many of these are pads.
        let mut inside: BTreeMap<usize, (u64, u64)> = BTreeMap::new();
        for &tuple in within {
            for &holder in &self.holders[tuple] {
                let holder = holder as usize;
                let group = &self.groups[holder];
                let held = group.members.iter().find(|member| member.0 as usize == tuple);
                let Some(&(_, held)) = held else { continue };
                let (in_ball, given) = inside.entry(holder).or_default();
                *in_ball += held;
                let spare = group.rows.saturating_sub(self.k + *given).min(held).min(self.k - padded.rows);
                if spare > 0 {
                    *given += spare;
                    padded.absorb(self.tuples, Group::of(self.tuples, tuple, spare));
                    pads.push((holder, tuple as u32, spare));
                    relief += spare * group.stars();
                }
            }
        }
        let joins = |holder: usize, in_ball: u64| {
            let group = &self.groups[holder];
            if group.rows + new.rows >= 2 * self.k || in_ball + self.k <= group.rows {
                return None;
            }
            let stars = group.stars_with(self.tuples, &new);
            Some(((group.rows + new.rows) * stars - group.cells(), holder))
        };
        let cheapest = inside.iter().filter_map(|(&holder, &(in_ball, _))| joins(holder, in_ball)).min();
        let padding = (padded.rows >= self.k).then(|| padded.cells().saturating_sub(relief));
        match cheapest {
            Some((cost, holder)) if padding.is_none_or(|padding| cost < padding) => {
                self.note_holder(holder, &new);
                self.groups[holder].absorb(self.tuples, new);
            }
            _ => {
                for (holder, tuple, copies) in pads {
                    self.groups[holder].release(self.tuples, tuple, copies);
                }
                self.add(padded);
            }
        }
    }
}

fn join(tuples: &Tuples, group: &mut Option<Group>, more: Group) {
    match group {
        Some(group) => group.absorb(tuples, more),
        None => *group = Some(more),
    }
}
