//! k^m-anonymity by global generalization (Terrovitis, Mamoulis and Kalnis 2008; survey ME-18).
//!
//! A set of items that too few baskets hold is generalized in the cheapest way that gives it k baskets: every way to raise
//! its items is tried from the least loss (NCP, weighted by occurrences) on. [`count_tree`] is the direct method: sets of all
//! sizes up to m at once, the largest first seen with their prefixes, as a count tree in preorder shows them. [`apriori`] goes
//! from single items to sets of m, so that later sizes find fewer and more general items. [`vertical`] first works on the
//! parts of the hierarchy below the root, each by itself, and only then across them.
//!
//! *Guarantee*: the result is k^m-anonymous whatever the order, because raising an item never lowers the support of a set
//! that occurs; a set that was in order stays so, and each that was not is raised until it is. The cut is a full-subtree
//! recoding. Among such cuts it is not always the best: the search is greedy, as the source's is.

use privet_data::Progress;

use super::{Generalized, prove};
use crate::criteria::itemsets::{Lists, Walk};
use crate::error::require;
use crate::{Baskets, Cut, ItemTree, SetsError};

/// In which order items are taken up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// The rarest first: what is certain to be raised is raised before frequent items are tried.
    #[default]
    Rarest,
    /// As they are numbered.
    Numbers,
}

/// The largest sets that are generalized: a set of m items can be raised in as many ways as the height of the hierarchy to
/// the power of m.
const MOST_KNOWN: usize = 6;
/// How many items are taken up before the baskets are written anew.
const BATCH: usize = 64;

/// The apriori-based method (AA).
///
/// # Errors
/// When a parameter makes no sense, there are fewer than k baskets, or there are too many sets to go through.
pub fn apriori(
    baskets: &Baskets,
    tree: &ItemTree,
    k: u64,
    m: usize,
    order: Order,
    progress: &dyn Progress,
) -> Result<Generalized, SetsError> {
    let mut search = Search::new(baskets, tree, k, m, order)?;
    for size in 1..=m {
        search.cover(size, size, progress)?;
    }
    search.finish("the apriori-based method", m, progress)
}

/// The direct method over the count tree (DA): sets of all sizes at once.
///
/// # Errors
/// As [`apriori`].
pub fn count_tree(
    baskets: &Baskets,
    tree: &ItemTree,
    k: u64,
    m: usize,
    order: Order,
    progress: &dyn Progress,
) -> Result<Generalized, SetsError> {
    let mut search = Search::new(baskets, tree, k, m, order)?;
    search.cover(1, m, progress)?;
    search.finish("the direct method", m, progress)
}

/// Vertical partitioning (VPA): the parts below the root first, each over its own items, then all together.
///
/// # Errors
/// As [`apriori`].
pub fn vertical(
    baskets: &Baskets,
    tree: &ItemTree,
    k: u64,
    m: usize,
    order: Order,
    progress: &dyn Progress,
) -> Result<Generalized, SetsError> {
    let mut search = Search::new(baskets, tree, k, m, order)?;
    let part_of: Vec<u32> = (0..tree.leaves() as u32)
        .map(|item| tree.path(item).take_while(|&node| node != tree.root()).last().unwrap_or(item))
        .collect();
    let mut parts = part_of.clone();
    parts.sort_unstable();
    parts.dedup();
    for part in parts {
        let own = baskets.map(|item| (part_of[item as usize] == part).then_some(item));
        for size in 1..=m {
            search.cover_part(&own, size, size, progress)?;
        }
    }
    for size in 1..=m {
        search.cover(size, size, progress)?;
    }
    search.finish("vertical partitioning", m, progress)
}

/// A cut on its way.
struct Search<'a> {
    baskets: &'a Baskets,
    tree: &'a ItemTree,
    k: u64,
    order: Order,
    /// Per node the node above it, or itself, that is published; of interest for leaves and published nodes.
    current: Vec<u32>,
    /// Per node the baskets that hold anything below it.
    lists: Lists,
    /// Per node the occurrences of items below it.
    weight: Vec<f64>,
    /// Per node what the published nodes below it lose now.
    loss_below: Vec<f64>,
    /// Nodes whose sets are all in order.
    settled: Vec<bool>,
    /// Leaves, and nodes that items were raised to.
    is_published: Vec<bool>,
    children: Vec<Vec<u32>>,
}

impl<'a> Search<'a> {
    fn new(
        baskets: &'a Baskets,
        tree: &'a ItemTree,
        k: u64,
        m: usize,
        order: Order,
    ) -> Result<Self, SetsError> {
        require(k >= 1, "k", "1 or more")?;
        require((1..=MOST_KNOWN).contains(&m), "m", "from 1 to 6")?;
        baskets.check(tree.leaves())?;
        let filled = baskets.filled() as u64;
        if filled > 0 && filled < k {
            return Err(SetsError::Unreachable { k, baskets: filled });
        }
        let nodes = tree.nodes();
        let lists = Lists::of(nodes, baskets.len(), |number, add| {
            for &item in baskets.basket(number) {
                tree.path(item).for_each(&mut *add);
            }
        });
        let mut weight = vec![0.0; nodes];
        for (item, support) in baskets.supports(tree.leaves()).into_iter().enumerate() {
            weight[item] = support as f64;
        }
        for node in 0..nodes - 1 {
            weight[tree.parent(node as u32) as usize] += weight[node];
        }
        let mut children = vec![Vec::new(); nodes];
        for node in 0..tree.root() {
            children[tree.parent(node) as usize].push(node);
        }
        Ok(Self {
            baskets,
            tree,
            k,
            order,
            current: (0..nodes as u32).collect(),
            lists,
            weight,
            loss_below: vec![0.0; nodes],
            settled: vec![false; nodes],
            is_published: (0..nodes).map(|node| node < tree.leaves()).collect(),
            children,
        })
    }

    /// Raises items until every set of so many that occurs has k baskets.
    fn cover(&mut self, least: usize, most: usize, progress: &dyn Progress) -> Result<(), SetsError> {
        self.cover_part(self.baskets, least, most, progress)
    }

    fn cover_part(
        &mut self,
        baskets: &Baskets,
        least: usize,
        most: usize,
        progress: &dyn Progress,
    ) -> Result<(), SetsError> {
        self.settled.fill(false);
        let mut open = self.open_nodes(baskets);
        progress.stage("generalizing", Some(open.len() as u64));
        while !open.is_empty() {
            progress.check()?;
            let batch: Vec<u32> =
                open.iter().copied().take(if most > 2 { BATCH / 8 } else { BATCH }).collect();
            let failing = self.failing_sets(baskets, &batch, least, most, progress)?;
            for sets in &failing {
                let mut rest = &sets[..];
                while let Some((&length, own)) = rest.split_first() {
                    let (set, others) = own.split_at(length as usize);
                    self.raise(set);
                    rest = others;
                }
            }
            for node in batch {
                // A node that was raised is no more; what it became is taken up in its turn.
                self.settled[node as usize] = true;
            }
            open = self.open_nodes(baskets);
        }
        Ok(())
    }

    /// Published nodes that occur and whose sets were not looked at, in the order in which they are taken up.
    fn open_nodes(&self, baskets: &Baskets) -> Vec<u32> {
        let mut occurs = vec![false; self.tree.nodes()];
        for &item in baskets.flat() {
            occurs[self.current[item as usize] as usize] = true;
        }
        let mut open: Vec<u32> = (0..occurs.len() as u32)
            .filter(|&node| occurs[node as usize] && !self.settled[node as usize])
            .collect();
        if self.order == Order::Rarest {
            open.sort_by_key(|&node| self.lists.list(node).len());
        }
        open
    }

    /// Sets with a node of the batch that occur in too few baskets; their other nodes are unsettled. They stand one after
    /// another, each after its length.
    fn failing_sets(
        &self,
        baskets: &Baskets,
        batch: &[u32],
        least: usize,
        most: usize,
        progress: &dyn Progress,
    ) -> Result<Vec<Vec<u32>>, SetsError> {
        // The batch comes first in each basket, so that every set with a node of it begins with one.
        let mut rank = vec![u32::MAX; self.tree.nodes()];
        for (place, &node) in batch.iter().enumerate() {
            rank[node as usize] = place as u32;
        }
        let (mut order, mut next) = (batch.to_vec(), batch.len() as u32);
        for (node, place) in rank.iter_mut().enumerate() {
            if *place == u32::MAX && !self.settled[node] && self.current[node] as usize == node {
                *place = next;
                order.push(node as u32);
                next += 1;
            }
        }
        let holders = self.holders(baskets, batch);
        let ranked = holders.map(|item| {
            let node = self.current[item as usize];
            Some(rank[node as usize]).filter(|&rank| rank != u32::MAX)
        });
        let first = batch.len() as u32;
        let failing = Walk::new(&ranked, most).run_from(
            &|rank| rank < first,
            progress,
            |failing: &mut Vec<u32>, set| {
                if set.support < self.k && set.items.len() >= least {
                    failing.push(set.items.len() as u32);
                    failing.extend(set.items.iter().map(|&rank| order[rank as usize]));
                }
                // Sets beyond a failing one are wanted too: raising one item of it leaves those with the others open.
                true
            },
        )?;
        Ok(failing)
    }

    /// The baskets that hold a node of the batch: no others matter to its sets.
    fn holders(&self, baskets: &Baskets, batch: &[u32]) -> Baskets {
        let mut wanted = vec![false; baskets.len()];
        for &node in batch {
            for &number in self.lists.list(node) {
                wanted[number as usize] = true;
            }
        }
        baskets.select((0..baskets.len()).filter(|&number| wanted[number]))
    }

    /// Raises nodes of a set in the cheapest way that gives it k baskets.
    fn raise(&mut self, set: &[u32]) {
        let mut now: Vec<u32> = set.iter().map(|&node| self.current[node as usize]).collect();
        now.sort_unstable();
        now.dedup();
        let support = self.lists.support(&now, self.k);
        // Nodes of a failing set may have been raised since, so that nothing is left to do.
        if support >= self.k {
            return;
        }
        let paths: Vec<Vec<u32>> = now.iter().map(|&node| self.tree.path(node).collect()).collect();
        let mut ways: Vec<(f64, Vec<u32>)> = vec![(0.0, Vec::new())];
        for path in &paths {
            let longer = ways.iter().flat_map(|(_, chosen)| {
                path.iter().map(move |&node| {
                    let mut longer = chosen.clone();
                    longer.push(node);
                    (0.0, longer)
                })
            });
            ways = longer.collect();
        }
        for (cost, way) in &mut ways {
            let raised = std::mem::take(way);
            // A node below another of the set is published as that one.
            *way = raised
                .iter()
                .copied()
                .filter(|&node| !raised.iter().any(|&other| other != node && self.tree.is_above(other, node)))
                .collect();
            way.sort_unstable();
            way.dedup();
            *cost = way.iter().map(|&node| self.cost(node)).sum();
        }
        ways.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        ways.dedup();
        let chosen = ways.into_iter().find(|(_, way)| self.lists.support(way, self.k) >= self.k);
        // The root is among the ways, and has k baskets since `new` asked for them.
        for node in chosen.map(|(_, way)| way).unwrap_or_default() {
            self.publish_as(node);
        }
    }

    /// What is lost by publishing everything below a node as this node.
    fn cost(&self, node: u32) -> f64 {
        self.weight[node as usize] * self.tree.ncp(node) - self.loss_below[node as usize]
    }

    fn publish_as(&mut self, node: u32) {
        if self.current[node as usize] == node && self.is_published[node as usize] {
            return;
        }
        let change = self.cost(node);
        for up in self.tree.path(node) {
            self.loss_below[up as usize] += change;
        }
        self.is_published[node as usize] = true;
        let mut below = vec![node];
        while let Some(own) = below.pop() {
            self.current[own as usize] = node;
            below.extend(&self.children[own as usize]);
        }
    }

    fn finish(
        self,
        method: &'static str,
        m: usize,
        progress: &dyn Progress,
    ) -> Result<Generalized, SetsError> {
        let cut = Cut::from_nodes(self.current[..self.tree.leaves()].to_vec());
        let sets = cut.apply(self.baskets);
        prove(method, &sets, self.tree, self.k, m, progress)?;
        Ok(Generalized { sets, cut: Some(cut) })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Catalogue;
    use crate::criteria::itemsets::tests::small_baskets;
    use crate::measure::ncp;
    use privet_data::{Hierarchy, Silent};
    use proptest::prelude::*;

    pub(crate) fn tree_of(items: u32, width: u32) -> ItemTree {
        let leaves: Vec<Box<str>> = (0..items).map(|item| item.to_string().into()).collect();
        let level = |width: u32| (0..items).map(|item| format!("g{width}-{}", item / width).into()).collect();
        let hierarchy = Hierarchy::new(leaves.clone(), vec![level(width), level(width * width)]).unwrap();
        ItemTree::new(&Catalogue::public(leaves), &hierarchy).unwrap()
    }

    /// The example of the source (Terrovitis and others 2008, figures 1 to 3): a1, a2 below A, b1, b2 below B. With
    /// k = m = 2 the single items are in order, {a1, b1} and others are not, and generalizing a1, a2 to A suffices.
    #[test]
    fn the_example_of_the_source() {
        let leaves = ["a1", "a2", "b1", "b2"].map(Box::from).to_vec();
        let kinds = ["A", "A", "B", "B"].map(Box::from).to_vec();
        let tree =
            ItemTree::new(&Catalogue::public(leaves.clone()), &Hierarchy::new(leaves, vec![kinds]).unwrap())
                .unwrap();
        let baskets = Baskets::of([vec![0, 2, 3], vec![1, 2], vec![1, 2, 3], vec![0, 1, 3]]);
        for method in [apriori, count_tree, vertical] {
            let made = method(&baskets, &tree, 2, 2, Order::Numbers, &Silent).unwrap();
            let cut = made.cut.unwrap();
            let labels: Vec<&str> = cut.nodes().iter().map(|&node| tree.label(node)).collect();
            assert_eq!(labels, ["A", "A", "b1", "b2"]);
            assert_eq!(made.sets.basket(3), [3, 4]);
        }
    }

    /// The cheapest of all cuts, by going through them.
    fn best_cut(baskets: &Baskets, tree: &ItemTree, k: u64, m: usize) -> f64 {
        let leaves = tree.leaves() as u32;
        let mut best = f64::INFINITY;
        let inner: Vec<u32> = (leaves..tree.nodes() as u32).collect();
        for mask in 0u32..1 << inner.len() {
            let chosen = |node: u32| node >= leaves && mask >> (node - leaves) & 1 == 1;
            let nodes =
                (0..leaves).map(|item| tree.path(item).filter(|&node| chosen(node)).last().unwrap_or(item));
            let sets = Cut::from_nodes(nodes.collect()).apply(baskets);
            if prove("", &sets, tree, k, m, &Silent).is_ok() {
                best = best.min(ncp(&sets, baskets, tree));
            }
        }
        best
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn all_methods_hold_and_none_beats_the_best(
            baskets in small_baskets(8, 4), k in 1u64..4, m in 1usize..4, rarest: bool,
        ) {
            let tree = tree_of(8, 2);
            let order = if rarest { Order::Rarest } else { Order::Numbers };
            let filled = baskets.filled() as u64;
            for method in [apriori, count_tree, vertical] {
                let made = method(&baskets, &tree, k, m, order, &Silent);
                if filled > 0 && filled < k {
                    prop_assert!(made.is_err());
                    continue;
                }
                // `prove` ran within: what comes back is k^m-anonymous.
                let made = made.unwrap();
                prop_assert_eq!(made.sets.len(), baskets.len());
                let cut = made.cut.unwrap();
                for item in 0..8 {
                    prop_assert!(tree.is_above(cut.node(item), item));
                    // Full-subtree recoding: what is below a published node is published as it.
                    let above = cut.node(item);
                    prop_assert!((0..8).all(|other| !tree.is_above(above, other) || cut.node(other) == above));
                }
                prop_assert!(ncp(&made.sets, &baskets, &tree) >= best_cut(&baskets, &tree, k, m) - 1e-9);
            }
        }
    }
}
