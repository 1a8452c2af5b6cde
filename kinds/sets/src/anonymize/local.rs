//! k^m-anonymity by local recoding through horizontal partitioning (Terrovitis, Mamoulis and Kalnis 2011, LRA).
//!
//! Baskets are ordered so that similar ones are neighbours (reflected Gray code over items from the most frequent on), cut
//! into parts of about equal numbers of items, and every part is generalized by itself. *Guarantee*: a set of at most m known
//! items matches no basket of a part or k of them, because a part is k^m-anonymous; so it matches none of all, or k. The
//! same item may be published as different nodes in different parts.

use privet_data::Progress;
use rayon::prelude::*;

use super::global::{Order, apriori};
use super::{Generalized, prove};
use crate::error::require;
use crate::{Baskets, ItemTree, SetsError};

/// Local recoding over parts of so many baskets or a few more.
///
/// # Errors
/// When a part would have fewer than k baskets that hold anything, or as [`apriori`].
pub fn horizontal(
    baskets: &Baskets,
    tree: &ItemTree,
    k: u64,
    m: usize,
    part: usize,
    progress: &dyn Progress,
) -> Result<Generalized, SetsError> {
    require(part as u64 >= k.max(1), "part", "at least k baskets")?;
    baskets.check(tree.leaves())?;
    let order = gray_order(baskets, tree.leaves());
    let (filled, empty) = order.split_at(baskets.filled());
    if !filled.is_empty() && (filled.len() as u64) < k {
        return Err(SetsError::Unreachable { k, baskets: filled.len() as u64 });
    }
    // The last part takes what is left over, so no part is too small.
    let parts = (filled.len() / part).max(1);
    let ends: Vec<usize> = (0..=parts).map(|number| filled.len() * number / parts).collect();
    progress.stage("generalizing", Some(parts as u64));
    let made: Vec<Generalized> = ends
        .par_windows(2)
        .map(|ends| {
            progress.check()?;
            let own = baskets.select(filled[ends[0]..ends[1]].iter().map(|&number| number as usize));
            apriori(&own, tree, k, m, Order::Rarest, progress)
        })
        .collect::<Result<_, SetsError>>()?;
    let mut of_basket: Vec<(u32, u32)> = vec![(0, 0); baskets.len()];
    for (number, ends) in ends.windows(2).enumerate() {
        for (place, &basket) in filled[ends[0]..ends[1]].iter().enumerate() {
            of_basket[basket as usize] = (number as u32, place as u32);
        }
    }
    let is_empty: Vec<bool> = {
        let mut flags = vec![false; baskets.len()];
        empty.iter().for_each(|&basket| flags[basket as usize] = true);
        flags
    };
    let sets = Baskets::of(of_basket.iter().enumerate().map(|(basket, &(part, place))| {
        let own = if is_empty[basket] { &[][..] } else { made[part as usize].sets.basket(place as usize) };
        own.iter().copied()
    }));
    prove("local recoding", &sets, tree, k, m, progress)?;
    Ok(Generalized { sets, cut: None })
}

/// Baskets in the order of the reflected Gray code over items from the most frequent on; empty baskets last.
fn gray_order(baskets: &Baskets, items: usize) -> Vec<u32> {
    let supports = baskets.supports(items);
    let mut by_support: Vec<u32> = (0..items as u32).collect();
    by_support.sort_by_key(|&item| std::cmp::Reverse(supports[item as usize]));
    let mut rank = vec![0u32; items];
    for (place, &item) in by_support.iter().enumerate() {
        rank[item as usize] = place as u32;
    }
    let ranked = baskets.map(|item| rank.get(item as usize).copied());
    let mut order: Vec<u32> = (0..baskets.len() as u32).collect();
    order.par_sort_by(|&a, &b| {
        let (a, b) = (ranked.basket(a as usize), ranked.basket(b as usize));
        let empty = a.is_empty().cmp(&b.is_empty());
        empty.then_with(|| {
            let shared = a.iter().zip(b).take_while(|(x, y)| x == y).count();
            let (x, y) = (a.get(shared), b.get(shared));
            // Where the codes differ first, one basket holds the item of smaller rank. Every item shared before turns the
            // direction around.
            let holds_first = match (x, y) {
                (None, None) => return std::cmp::Ordering::Equal,
                (Some(x), Some(y)) => x < y,
                (holder, _) => holder.is_some(),
            };
            let is_reversed = shared % 2 == 1;
            if holds_first == is_reversed { std::cmp::Ordering::Greater } else { std::cmp::Ordering::Less }
        })
    });
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anonymize::global::tests::tree_of;
    use crate::criteria::itemsets::tests::small_baskets;
    use privet_data::Silent;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn parts_are_anonymous_together(baskets in small_baskets(8, 4), k in 1u64..4, m in 1usize..3, part in 4usize..8) {
            let tree = tree_of(8, 2);
            let filled = baskets.filled() as u64;
            let made = horizontal(&baskets, &tree, k, m, part, &Silent);
            if filled > 0 && filled < k {
                prop_assert!(made.is_err());
            } else {
                let made = made.unwrap();
                for (published, basket) in made.sets.iter().zip(baskets.iter()) {
                    let covered = |item: &u32| published.iter().any(|&node| tree.is_above(node, *item));
                    prop_assert!(basket.iter().all(covered));
                    prop_assert!(published.iter().all(|&node| basket.iter().any(|&item| tree.is_above(node, item))));
                }
            }
        }

        /// Neighbours of the Gray order of all sets differ in one item.
        #[test]
        fn gray_neighbours_differ_in_one_item(bits in 1u32..7) {
            let all = Baskets::of((1u32..1 << bits).map(|mask| (0..bits).filter(move |bit| mask >> bit & 1 == 1)));
            let order = gray_order(&all, bits as usize);
            for pair in order.windows(2) {
                let (a, b) = (all.basket(pair[0] as usize), all.basket(pair[1] as usize));
                let shared = a.iter().filter(|item| b.contains(item)).count();
                prop_assert_eq!(a.len() + b.len() - 2 * shared, 1);
            }
        }
    }

    #[test]
    fn local_recoding_keeps_what_global_recoding_loses() {
        // Two habits; within each, everything is frequent.
        let baskets =
            Baskets::of((0..40u32).map(|number| if number < 20 { vec![0, 1] } else { vec![0, 4, 5] }));
        let tree = tree_of(8, 2);
        let made = horizontal(&baskets, &tree, 5, 2, 10, &Silent).unwrap();
        assert_eq!(made.sets, baskets);
        assert!(matches!(horizontal(&baskets, &tree, 5, 2, 4, &Silent), Err(SetsError::Parameter { .. })));
    }
}
