//! The first groups of a publication: what slicing found, merged leftovers, and groups across Hamming groups (2.16).
//!
//! Growth: leftovers are cut into blocks of similar users by halving, in time n log n, and grouped within blocks, in time
//! proportional to n times the size of a block.

use foldhash::HashMap;
use privet_data::Progress;
use rayon::prelude::*;

use super::{Pricing, rules};
use crate::{Partition, RatingsError, Survey, partition};

/// Users who are compared all with all, at least.
const BLOCK: usize = 512;

pub(super) fn groups(
    survey: &Survey,
    pricing: &Pricing,
    progress: &dyn Progress,
) -> Result<Partition, RatingsError> {
    let found = partition(survey, pricing.reach, pricing.k as u64, progress)?;
    let (mut groups, failing): (Vec<Vec<u32>>, Vec<Vec<u32>>) =
        found.groups.into_iter().partition(|group| group.len() >= pricing.k);
    // Case 2: leftovers of one Hamming group need no reconciling.
    let mut by_flags: HashMap<&[u32], Vec<u32>> = HashMap::default();
    for &user in failing.iter().flatten() {
        let flags = if pricing.reach.everything { &[][..] } else { survey.row(user).0 };
        by_flags.entry(flags).or_default().push(user);
    }
    let mut leftovers: Vec<Vec<u32>> = by_flags.into_values().collect();
    leftovers.iter_mut().for_each(|users| users.sort_unstable());
    leftovers.sort_unstable_by_key(|users| users[0]);
    let mut rest = Vec::new();
    for users in leftovers {
        if users.len() >= pricing.k {
            groups.extend(cluster(survey, pricing, users, progress)?);
        } else {
            rest.extend(users);
        }
    }
    rest.sort_unstable();
    if rest.len() >= pricing.k {
        groups.extend(cluster(survey, pricing, rest, progress)?);
    } else if !rest.is_empty() {
        place_few(survey, pricing, &mut groups, rest, progress)?;
    }
    // In the order in which they were made: groups that stand together are alike.
    Ok(Partition { groups })
}

/// Fewer users than k: each joins the group in which that costs least, or the groups lend the users that are missing.
fn place_few(
    survey: &Survey,
    pricing: &Pricing,
    groups: &mut [Vec<u32>],
    rest: Vec<u32>,
    progress: &dyn Progress,
) -> Result<(), RatingsError> {
    for user in rest {
        progress.check()?;
        let increase = |group: &Vec<u32>| {
            let mut scratch = Vec::new();
            let before = rules::group_cost(survey, group, pricing, &mut scratch);
            let joined: Vec<u32> = group.iter().copied().chain([user]).collect();
            rules::group_cost(survey, &joined, pricing, &mut scratch).saturating_sub(before)
        };
        let costs: Vec<u64> = groups.par_iter().map(increase).collect();
        // There is a group: there are at least k users, and fewer than k are left over.
        if let Some(best) = (0..groups.len()).min_by_key(|&at| costs[at]) {
            groups[best].push(user);
        }
    }
    Ok(())
}

/// Groups of at least k of users who are alike.
fn cluster(
    survey: &Survey,
    pricing: &Pricing,
    users: Vec<u32>,
    progress: &dyn Progress,
) -> Result<Vec<Vec<u32>>, RatingsError> {
    let mut blocks = Vec::new();
    halve(survey, pricing, users, BLOCK.max(8 * pricing.k), &mut blocks, progress)?;
    let groups: Vec<Vec<Vec<u32>>> = blocks
        .into_par_iter()
        .map(|block| group_block(survey, pricing, block, progress))
        .collect::<Result<_, _>>()?;
    Ok(groups.into_iter().flatten().collect())
}

/// Halves users between two that are far from each other, until blocks are small. Blocks that stand together are alike.
fn halve(
    survey: &Survey,
    pricing: &Pricing,
    users: Vec<u32>,
    most: usize,
    blocks: &mut Vec<Vec<u32>>,
    progress: &dyn Progress,
) -> Result<(), RatingsError> {
    progress.check()?;
    if users.len() <= most {
        blocks.push(users);
        return Ok(());
    }
    let distances = |from: u32| -> Vec<u64> {
        users.par_iter().map(|&user| distance(survey, pricing, from, user)).collect()
    };
    let farthest = |from: &[u64]| (0..users.len()).max_by_key(|&at| from[at]).unwrap_or(0);
    let one_end = users[farthest(&distances(users[0]))];
    let from_one = distances(one_end);
    let other_end = users[farthest(&from_one)];
    let from_other = distances(other_end);
    let mut order: Vec<usize> = (0..users.len()).collect();
    order.sort_by_key(|&at| (from_one[at] as i64 - from_other[at] as i64, users[at]));
    let (near, far) = order.split_at(users.len() / 2);
    let named = |half: &[usize]| half.iter().map(|&at| users[at]).collect::<Vec<u32>>();
    let (near, far) = (named(near), named(far));
    drop(users);
    halve(survey, pricing, near, most, blocks, progress)?;
    halve(survey, pricing, far, most, blocks, progress)
}

/// A user far from the last group and the k - 1 nearest ones form a group, until fewer than 2k are left.
fn group_block(
    survey: &Survey,
    pricing: &Pricing,
    mut users: Vec<u32>,
    progress: &dyn Progress,
) -> Result<Vec<Vec<u32>>, RatingsError> {
    let mut groups = Vec::new();
    let mut last = users[0];
    while users.len() >= 2 * pricing.k {
        progress.check()?;
        let far = |&user: &u32| (distance(survey, pricing, last, user), user);
        let seed = users.iter().copied().max_by_key(far).unwrap_or(last);
        let mut near: Vec<(u64, u32)> =
            users.iter().map(|&user| (distance(survey, pricing, seed, user), user)).collect();
        // The seed comes first, even among equals.
        let key = |&(distance, user): &(u64, u32)| (user != seed, distance, user);
        near.select_nth_unstable_by_key(pricing.k - 1, key);
        let group: Vec<u32> = near[..pricing.k].iter().map(|&(_, user)| user).collect();
        users = near[pricing.k..].iter().map(|&(_, user)| user).collect();
        users.sort_unstable();
        groups.push(group);
        last = seed;
    }
    groups.push(users);
    Ok(groups)
}

/// What it would cost to make two users proximate: the excess over epsilon, and `r` where one rated and the other did not.
fn distance(survey: &Survey, pricing: &Pricing, a: u32, b: u32) -> u64 {
    let ((issues, ticks), (others, other_ticks)) = (survey.row(a), survey.row(b));
    let (mut i, mut j, mut cost) = (0, 0, 0);
    while i < issues.len() && j < others.len() {
        match issues[i].cmp(&others[j]) {
            std::cmp::Ordering::Equal => {
                cost += u64::from(ticks[i].abs_diff(other_ticks[j]).saturating_sub(pricing.reach.ticks));
                (i, j) = (i + 1, j + 1);
            }
            std::cmp::Ordering::Less => (i, cost) = (i + 1, cost + pricing.null),
            std::cmp::Ordering::Greater => (j, cost) = (j + 1, cost + pricing.null),
        }
    }
    cost + pricing.null * (issues.len() - i + others.len() - j) as u64
}
