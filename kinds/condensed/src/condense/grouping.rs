//! The grouping of Aggarwal and Yu (papers T-AL7): a random record and its k - 1 nearest make a group, again and again;
//! the fewer than k records that remain join the group whose mean is nearest.
//!
//! *Guarantee.* Every record is in one group, and every group has at least k records. O(n log n) look-ups in a tree.
//!
//! *Departure.* Means are those before records join, so the order in which they do does not matter.

use privet_data::{Cancelled, Progress};

use super::tree::{Query, Tree};
use privet_recode::groups::Groups;
use privet_recode::lattice::Random;

/// Groups of at least `k` points; one group when there are fewer. `positions` holds their coordinates one after another.
pub(super) fn nearest_groups(
    positions: Vec<f64>,
    dimension: usize,
    k: usize,
    random: &mut Random,
    progress: &dyn Progress,
) -> Result<Groups, Cancelled> {
    const UNGROUPED: u32 = u32::MAX;
    let count = positions.len() / dimension.max(1);
    let mut of = vec![UNGROUPED; count];
    // The records that remain, and where each stands among them.
    let mut remaining: Vec<u32> = (0..count as u32).collect();
    let mut place = remaining.clone();
    let mut tree = Tree::new(dimension, positions);
    let mut query = Query::default();
    let mut means: Vec<f64> = Vec::new();
    let mut groups = 0;
    while remaining.len() >= k.max(1) {
        progress.check()?;
        progress.at((count - remaining.len()) as u64);
        let first = remaining[random.below(remaining.len())];
        let from = tree.position(first).to_vec();
        tree.remove(first);
        tree.nearest(&from, k.max(1) - 1, &mut query);
        let start = means.len();
        means.resize(start + dimension, 0.0);
        let members = std::iter::once(first).chain(query.found.iter().map(|found| found.1));
        for member in members {
            for (mean, x) in means[start..].iter_mut().zip(tree.position(member)) {
                *mean += x / k.max(1) as f64;
            }
            of[member as usize] = groups;
            tree.remove(member);
            let gap = place[member as usize] as usize;
            remaining.swap_remove(gap);
            if let Some(&moved) = remaining.get(gap) {
                place[moved as usize] = gap as u32;
            }
        }
        groups += 1;
    }
    if groups == 0 {
        return Ok(Groups { of: vec![0; count], count: usize::from(count > 0) });
    }
    let centres = Tree::new(dimension, means);
    for &record in &remaining {
        centres.nearest(tree.position(record), 1, &mut query);
        of[record as usize] = query.found.first().map_or(0, |found| found.1);
    }
    Ok(Groups { of, count: groups as usize })
}

#[cfg(test)]
mod tests {
    use privet_data::Silent;

    use super::*;

    /// Three clusters of k records far apart: whatever is picked first, they are the groups.
    #[test]
    fn groups_are_near() {
        let clusters = [0.0, 100.0, 200.0].into_iter();
        let positions: Vec<f64> = clusters.flat_map(|at| (0..4).map(move |n| at + f64::from(n))).collect();
        for seed in 0..20 {
            let groups = nearest_groups(positions.clone(), 1, 4, &mut Random::new(seed), &Silent).unwrap();
            assert_eq!(groups.count, 3);
            assert!(groups.of.chunks(4).all(|cluster| cluster.iter().all(|group| *group == cluster[0])));
        }
    }

    /// One record more than two groups take, at the place of the first cluster or of the second.
    #[test]
    fn what_remains_joins_the_nearest() {
        for seed in 0..20 {
            let positions = vec![0.0, 0.0, 0.0, 50.0, 50.0, 50.0, 50.0];
            let groups = nearest_groups(positions, 1, 3, &mut Random::new(seed), &Silent).unwrap();
            assert_eq!(groups.count, 2);
            let mut sizes = [0; 2];
            groups.of.iter().for_each(|&group| sizes[group as usize] += 1);
            sizes.sort_unstable();
            assert_eq!(sizes, [3, 4]);
        }
    }

    #[test]
    fn nothing_and_little_are_no_trouble() {
        for count in 0..3 {
            let groups = nearest_groups(vec![1.0; count], 1, 3, &mut Random::new(1), &Silent).unwrap();
            assert_eq!((groups.of.len(), groups.count), (count, count.min(1)));
        }
    }
}
