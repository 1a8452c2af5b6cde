//! The groups of least distortion, exactly: dynamic programming over sets of users.
//!
//! Growth: 3^n steps for n users. With windows and without l a group of 2k or more never costs less than its halves, so
//! only groups of k to 2k - 1 are tried; otherwise all.

use privet_data::Progress;

use super::{Completion, Pricing, rules};
use crate::{Partition, RatingsError, Survey};

/// The most users.
pub const MOST: usize = 13;

/// The cheapest groups of at least k.
pub(super) fn groups(
    survey: &Survey,
    pricing: &Pricing,
    progress: &dyn Progress,
) -> Result<Partition, RatingsError> {
    let users = survey.users();
    if users > MOST {
        return Err(RatingsError::TooLarge { what: "publication", most: MOST });
    }
    let all = (1usize << users) - 1;
    let halves = pricing.completion == Completion::Window && pricing.model.l <= 0.0;
    let sizes = pricing.k..=if halves { 2 * pricing.k - 1 } else { users };
    let mut scratch = Vec::new();
    let mut cost = vec![u64::MAX; all + 1];
    for (set, cost) in cost.iter_mut().enumerate() {
        if sizes.contains(&(set.count_ones() as usize)) {
            *cost = rules::group_cost(survey, &members(set), pricing, &mut scratch);
        }
    }
    progress.check()?;
    // Per set the cost of its best groups and the one of them that holds its first user.
    let mut best = vec![(u64::MAX, 0usize); all + 1];
    best[0] = (0, 0);
    for set in 1..=all {
        let first = set & set.wrapping_neg();
        let others = set ^ first;
        let mut rest = others;
        loop {
            // `rest` is what the group leaves of the others.
            let group = set ^ rest;
            let (left, own) = (best[rest].0, cost[group]);
            if left != u64::MAX && own != u64::MAX && left + own < best[set].0 {
                best[set] = (left + own, group);
            }
            if rest == 0 {
                break;
            }
            rest = (rest - 1) & others;
        }
    }
    let (mut groups, mut left) = (Vec::new(), all);
    while left != 0 && best[left].1 != 0 {
        groups.push(members(best[left].1));
        left ^= best[left].1;
    }
    Ok(Partition::new(groups))
}

fn members(set: usize) -> Vec<u32> {
    (0..usize::BITS).filter(|user| set >> user & 1 == 1).collect()
}
