//! What is left of sets: frequencies of items, supports of sets of items, information loss, items kept.
//!
//! Counts are compared with the original's. A published node stands for each item below it with equal shares, as far as
//! nothing else is known: supports are expectations under that assumption, which is what an analyst would compute.

use privet_data::Progress;
use serde::Serialize;

use crate::criteria::itemsets::Walk;
use crate::{Baskets, ItemTree, SetsError};

/// Normalized certainty penalty (Terrovitis, Mamoulis and Kalnis 2008): the mean loss of the original's occurrences, from 0
/// (all as they are) to 1 (all as the root). Items that are not published at all count 1.
pub fn ncp(published: &Baskets, original: &Baskets, tree: &ItemTree) -> f64 {
    let mut loss = 0.0;
    for (sets, items) in published.iter().zip(original.iter()) {
        for &item in items {
            let covering = tree.path(item).filter(|node| sets.binary_search(node).is_ok());
            loss += covering.map(|node| tree.ncp(node)).fold(1.0, f64::min);
        }
    }
    if original.total() == 0 { 0.0 } else { loss / original.total() as f64 }
}

/// How many items are still published as themselves.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Kept {
    /// Items of the original.
    pub items: u64,
    /// Items that are published as themselves somewhere.
    pub items_kept: u64,
    /// Occurrences in the original.
    pub occurrences: u64,
    /// Occurrences that are published as themselves.
    pub occurrences_kept: u64,
}

/// Counts items that are published as themselves.
pub fn kept(published: &Baskets, original: &Baskets, tree: &ItemTree) -> Kept {
    let leaves = tree.leaves();
    let before = original.supports(leaves);
    let after = published.supports(tree.nodes());
    Kept {
        items: before.iter().filter(|&&count| count > 0).count() as u64,
        items_kept: after[..leaves].iter().filter(|&&count| count > 0).count() as u64,
        occurrences: original.total() as u64,
        occurrences_kept: after[..leaves].iter().sum(),
    }
}

/// Estimated supports of items: every occurrence of a node is shared among the items below it.
pub fn estimated_supports(published: &Baskets, tree: &ItemTree) -> Vec<f64> {
    let mut estimates = vec![0.0; tree.leaves()];
    let counts = published.supports(tree.nodes());
    for (item, estimate) in estimates.iter_mut().enumerate() {
        *estimate = tree
            .path(item as u32)
            .map(|node| counts[node as usize] as f64 / f64::from(tree.covered(node).max(1)))
            .sum();
    }
    estimates
}

/// How far estimated supports are from the true ones.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SupportError {
    /// How many sets were compared.
    pub sets: u64,
    /// The mean of |estimate − truth| / truth.
    pub mean_relative: f64,
    /// The largest of them.
    pub largest_relative: f64,
}

fn error_of(pairs: impl Iterator<Item = (f64, u64)>) -> SupportError {
    let (mut sets, mut sum, mut largest) = (0, 0.0, 0f64);
    for (estimate, truth) in pairs {
        let error = (estimate - truth as f64).abs() / truth.max(1) as f64;
        sets += 1;
        sum += error;
        largest = largest.max(error);
    }
    let mean_relative = if sets == 0 { 0.0 } else { sum / sets as f64 };
    SupportError { sets, mean_relative, largest_relative: largest }
}

/// The error of the frequencies of items that occur.
pub fn frequency_error(estimates: &[f64], original: &Baskets) -> SupportError {
    let truths = original.supports(estimates.len());
    error_of(estimates.iter().copied().zip(truths).filter(|&(_, truth)| truth > 0))
}

/// The sets of at most `size` items with the largest supports in the original, up to `wanted` of those that `least` baskets hold.
///
/// # Errors
/// When there are too many sets to go through.
pub fn frequent_sets(
    original: &Baskets,
    size: usize,
    least: u64,
    wanted: usize,
    progress: &dyn Progress,
) -> Result<Vec<(Vec<u32>, u64)>, SetsError> {
    let found = Walk::new(original, size).run(progress, |sets: &mut Vec<(Vec<u32>, u64)>, set| {
        if set.support >= least && set.items.len() > 1 {
            sets.push((set.items.to_vec(), set.support));
        }
        set.support >= least
    })?;
    let mut sets: Vec<(Vec<u32>, u64)> = found.into_iter().flatten().collect();
    sets.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    sets.truncate(wanted);
    Ok(sets)
}

/// The error of the supports of chosen sets.
pub fn itemset_error(sets: &[(Vec<u32>, u64)], published: &Baskets, tree: &ItemTree) -> SupportError {
    let share = |basket: &[u32], item: u32| -> f64 {
        let nodes = tree.path(item).filter(|node| basket.binary_search(node).is_ok());
        nodes.map(|node| 1.0 / f64::from(tree.covered(node).max(1))).fold(0.0, f64::max)
    };
    let estimate = |set: &[u32]| -> f64 {
        published.iter().map(|basket| set.iter().map(|&item| share(basket, item)).product::<f64>()).sum()
    };
    error_of(sets.iter().map(|(set, truth)| (estimate(set), *truth)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Catalogue;
    use privet_data::{Hierarchy, Silent};

    #[test]
    fn by_hand() {
        let leaves = ["0", "1", "2", "3"].map(Box::from).to_vec();
        let halves = ["a", "a", "b", "b"].map(Box::from).to_vec();
        let tree =
            ItemTree::new(&Catalogue::public(leaves.clone()), &Hierarchy::new(leaves, vec![halves]).unwrap())
                .unwrap();
        let original = Baskets::of([vec![0, 2], vec![1, 2], vec![2]]);
        let published = Baskets::of([vec![2, 4], vec![2, 4], vec![2]]);
        // Two of five occurrences lose 2/4 each.
        assert!((ncp(&published, &original, &tree) - 0.2).abs() < 1e-12);
        assert_eq!(ncp(&original, &original, &tree), 0.0);
        assert_eq!(ncp(&Baskets::of(vec![vec![]; 3]), &original, &tree), 1.0);
        let own = kept(&published, &original, &tree);
        assert_eq!((own.items, own.items_kept, own.occurrences, own.occurrences_kept), (3, 1, 5, 3));
        assert_eq!(estimated_supports(&published, &tree), [1.0, 1.0, 3.0, 0.0]);
        let error = frequency_error(&estimated_supports(&published, &tree), &original);
        assert_eq!((error.sets, error.mean_relative), (3, 0.0));
        let sets = frequent_sets(&original, 2, 1, 10, &Silent).unwrap();
        assert_eq!(sets, [(vec![0, 2], 1), (vec![1, 2], 1)]);
        let error = itemset_error(&sets, &published, &tree);
        assert_eq!((error.sets, error.largest_relative), (2, 0.0));
    }
}
