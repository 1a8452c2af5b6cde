//! k^m-anonymity (Terrovitis, Mamoulis and Kalnis 2008; survey ME-18): whoever knows m items of a person finds k baskets or
//! more, or none.
//!
//! The adversary knows items, the release shows nodes of a hierarchy. [`Atoms`] turns published nodes into classes of items
//! that no published basket tells apart; over these the definition is about plain sets again, and is exact for global and
//! local recoding alike: a set of known items matches a basket whose nodes cover all of them.

use foldhash::HashMap;
use privet_data::Progress;

use super::itemsets::Walk;
use super::{Criterion, Verdict};
use crate::{Baskets, ItemTree, SetsError};

/// Judges k^m-anonymity of sets of codes.
///
/// # Errors
/// When there are too many sets to go through, or the person asks to stop.
pub fn k_m(baskets: &Baskets, k: u64, m: usize, progress: &dyn Progress) -> Result<Verdict, SetsError> {
    #[derive(Default)]
    struct Seen {
        examined: u64,
        failing: u64,
        least: Option<u64>,
    }
    let seen = Walk::new(baskets, m).run(progress, |seen: &mut Seen, set| {
        seen.examined += 1;
        seen.failing += u64::from(set.support < k);
        seen.least = Some(seen.least.map_or(set.support, |least| least.min(set.support)));
        true
    })?;
    let failing = seen.iter().map(|own| own.failing).sum();
    Ok(Verdict {
        criterion: Criterion::KmAnonymity { k, m },
        holds: failing == 0,
        least_support: seen.iter().filter_map(|own| own.least).min(),
        largest_share: None,
        failing,
        examined: seen.iter().map(|own| own.examined).sum(),
    })
}

/// Items that no published basket tells apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Atoms {
    /// Per item its class; `u32::MAX` where no published node covers it.
    pub of_item: Vec<u32>,
    /// Per basket the classes that its nodes cover.
    pub baskets: Baskets,
    /// Per class the published nodes that cover it, from below.
    pub nodes: Vec<Vec<u32>>,
}

impl Atoms {
    /// The classes of items under the nodes of published baskets.
    ///
    /// # Errors
    /// When a basket holds a code that is no node.
    pub fn new(published: &Baskets, tree: &ItemTree) -> Result<Self, SetsError> {
        published.check(tree.nodes())?;
        let mut used = vec![false; tree.nodes()];
        for &node in published.flat() {
            used[node as usize] = true;
        }
        let mut class_of: HashMap<Vec<u32>, u32> = HashMap::default();
        let mut nodes: Vec<Vec<u32>> = Vec::new();
        let mut of_item = Vec::with_capacity(tree.leaves());
        for item in 0..tree.leaves() as u32 {
            let signature: Vec<u32> = tree.path(item).filter(|&node| used[node as usize]).collect();
            if signature.is_empty() {
                of_item.push(u32::MAX);
                continue;
            }
            of_item.push(*class_of.entry(signature).or_insert_with_key(|signature| {
                nodes.push(signature.clone());
                nodes.len() as u32 - 1
            }));
        }
        let mut under: Vec<Vec<u32>> = vec![Vec::new(); tree.nodes()];
        for (class, signature) in nodes.iter().enumerate() {
            for &node in signature {
                under[node as usize].push(class as u32);
            }
        }
        let covered = published
            .iter()
            .map(|basket| basket.iter().flat_map(|&node| under[node as usize].iter().copied()));
        let baskets = Baskets::of(covered);
        Ok(Self { of_item, baskets, nodes })
    }

    /// Per class whether an item of it is sensitive.
    pub fn sensitive(&self, items: &[bool]) -> Vec<bool> {
        let mut sensitive = vec![false; self.nodes.len()];
        for (&class, &is_sensitive) in self.of_item.iter().zip(items) {
            if is_sensitive && class != u32::MAX {
                sensitive[class as usize] = true;
            }
        }
        sensitive
    }
}

#[cfg(test)]
mod tests {
    use super::super::itemsets::tests::{all_sets, small_baskets};
    use super::*;
    use crate::Catalogue;
    use privet_data::{Hierarchy, Silent};
    use proptest::prelude::*;

    fn tree() -> ItemTree {
        let leaves: Vec<Box<str>> = (0..6).map(|item: u32| item.to_string().into()).collect();
        let halves = ["a", "a", "a", "b", "b", "b"].map(Box::from).to_vec();
        ItemTree::new(&Catalogue::public(leaves.clone()), &Hierarchy::new(leaves, vec![halves]).unwrap())
            .unwrap()
    }

    /// Items 0 to 5, nodes 6 and 7 over three each, root 8.
    #[test]
    fn what_is_known_matches_what_covers_it() {
        let published = Baskets::of([vec![6], vec![0, 3], vec![0, 7], vec![6]]);
        let atoms = Atoms::new(&published, &tree()).unwrap();
        assert_eq!(atoms.of_item, [0, 1, 1, 2, 3, 3]);
        assert_eq!(atoms.baskets.iter().collect::<Vec<_>>(), [&[0, 1][..], &[0, 2], &[0, 2, 3], &[0, 1]]);
        assert!(Atoms::new(&Baskets::of([[9u32]]), &tree()).is_err());
        // 0: four baskets, 1: two, 3: two, 4: one.
        let verdict = k_m(&atoms.baskets, 2, 1, &Silent).unwrap();
        assert_eq!((verdict.failing, verdict.least_support, verdict.examined), (1, Some(1), 4));
        assert_eq!(atoms.sensitive(&[false, true, false, false, false, false]), [false, true, false, false]);
    }

    /// The definition itself: every set of at most m items of the catalogue, matched against every basket.
    fn by_definition(published: &Baskets, tree: &ItemTree, k: u64, m: usize) -> bool {
        let leaves = tree.leaves() as u32;
        (1u32..1 << leaves).filter(|mask| mask.count_ones() as usize <= m).all(|mask| {
            let covers = |basket: &[u32]| {
                (0..leaves)
                    .filter(|item| mask >> item & 1 == 1)
                    .all(|item| basket.iter().any(|&node| tree.is_above(node, item)))
            };
            let matches = published.iter().filter(|basket| covers(basket)).count() as u64;
            matches == 0 || matches >= k
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn plain_sets_by_brute_force(baskets in small_baskets(6, 5), k in 1u64..4, m in 1usize..4) {
            let verdict = k_m(&baskets, k, m, &Silent).unwrap();
            let sets = all_sets(&baskets, m);
            prop_assert_eq!(verdict.examined, sets.len() as u64);
            prop_assert_eq!(verdict.failing, sets.values().filter(|&&own| own < k).count() as u64);
            prop_assert_eq!(verdict.least_support, sets.values().min().copied());
        }

        #[test]
        fn nodes_by_definition(published in small_baskets(9, 3), k in 1u64..4, m in 1usize..4) {
            let tree = tree();
            let atoms = Atoms::new(&published, &tree).unwrap();
            let verdict = k_m(&atoms.baskets, k, m, &Silent).unwrap();
            prop_assert_eq!(verdict.holds, by_definition(&published, &tree, k, m));
        }
    }
}
