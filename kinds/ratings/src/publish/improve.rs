//! Local search over groups: users move or change places while that lowers the distortion.
//!
//! Guarantee: the groups stay disjoint, cover everybody, keep at least k members, and never cost more than before. Groups
//! are tried in parallel in disjoint runs of neighbours, so the result depends on the seed and not on the threads.

use privet_data::{Progress, Random};
use rayon::prelude::*;

use super::{Pricing, rules};
use crate::{Partition, RatingsError, Survey};

/// Groups that exchange users among each other.
const RUN: usize = 64;
/// Attempts in all.
const MOST: u64 = 4_000_000;

pub(super) fn improve(
    survey: &Survey,
    pricing: &Pricing,
    partition: Partition,
    effort: u32,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Partition, RatingsError> {
    let mut groups = partition.groups;
    if groups.len() < 2 || effort == 0 {
        return Ok(Partition::new(groups));
    }
    progress.stage("lowering the distortion", None);
    let attempts = (u64::from(effort) * survey.users() as u64).min(MOST);
    let rounds = 4;
    for round in 0..rounds {
        // Runs begin elsewhere every time, so that no pair of neighbours is parted for good.
        let shift = (round as usize * RUN / 2) % groups.len();
        groups.rotate_left(shift);
        let share = attempts / rounds;
        let count = groups.len();
        groups.par_chunks_mut(RUN).enumerate().try_for_each(|(number, run)| {
            let own = share * run.len() as u64 / count as u64;
            let random = Random::stream(seed.wrapping_add(round), number as u64);
            exchange(survey, pricing, run, own, random, progress)
        })?;
    }
    Ok(Partition::new(groups))
}

fn exchange(
    survey: &Survey,
    pricing: &Pricing,
    groups: &mut [Vec<u32>],
    attempts: u64,
    mut random: Random,
    progress: &dyn Progress,
) -> Result<(), RatingsError> {
    if groups.len() < 2 {
        return Ok(());
    }
    let mut scratch = Vec::new();
    let mut costs: Vec<u64> =
        groups.iter().map(|group| rules::group_cost(survey, group, pricing, &mut scratch)).collect();
    for attempt in 0..attempts {
        if attempt.is_multiple_of(1024) {
            progress.check()?;
        }
        let a = random.below(groups.len());
        let b = (a + 1 + random.below(groups.len() - 1)) % groups.len();
        let at = random.below(groups[a].len());
        let moves = groups[a].len() > pricing.k && random.chance(0.5);
        let other = if moves { None } else { Some(random.below(groups[b].len())) };
        step(groups, a, b, at, other);
        let cost_a = rules::group_cost(survey, &groups[a], pricing, &mut scratch);
        let cost_b = rules::group_cost(survey, &groups[b], pricing, &mut scratch);
        if cost_a + cost_b < costs[a] + costs[b] {
            (costs[a], costs[b]) = (cost_a, cost_b);
        } else {
            undo(groups, a, b, at, other);
        }
    }
    Ok(())
}

fn step(groups: &mut [Vec<u32>], a: usize, b: usize, at: usize, other: Option<usize>) {
    match other {
        Some(other) => {
            let user = groups[a][at];
            groups[a][at] = groups[b][other];
            groups[b][other] = user;
        }
        None => {
            let user = groups[a].swap_remove(at);
            groups[b].push(user);
        }
    }
}

fn undo(groups: &mut [Vec<u32>], a: usize, b: usize, at: usize, other: Option<usize>) {
    match other {
        Some(_) => step(groups, a, b, at, other),
        None => {
            if let Some(user) = groups[b].pop() {
                groups[a].push(user);
                let last = groups[a].len() - 1;
                groups[a].swap(at, last);
            }
        }
    }
}
