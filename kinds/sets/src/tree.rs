//! The hierarchy of items as a tree of nodes, and cuts through it (survey ME-18: generalization of set-valued data).
//!
//! Leaves are the item codes from 0 on, the nodes above follow, the root is last. A [`Cut`] says per item which node it is
//! published as; cuts are full-subtree recodings, so everything below a chosen node is published as that node.

use foldhash::HashMap;
use privet_data::{Domain, Hierarchy};

use crate::{Baskets, Catalogue, SetsError};

/// Items and what they are generalized to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemTree {
    parent: Vec<u32>,
    labels: Vec<Box<str>>,
    /// Per node the number of leaves below it.
    covered: Vec<u32>,
    leaves: u32,
}

impl ItemTree {
    /// Items that can only be generalized to everything.
    pub fn flat(items: &Catalogue) -> Self {
        Self::of(items.labels.clone(), &[])
    }

    /// The tree of a hierarchy. Nodes with a single child are left out; a root is added where the top has several labels.
    ///
    /// # Errors
    /// When the hierarchy does not cover every item.
    pub fn new(items: &Catalogue, hierarchy: &Hierarchy) -> Result<Self, SetsError> {
        let domain = Domain::from_sorted(items.labels.clone(), 0, privet_data::Kind::Text);
        let bound = hierarchy.bind(&domain)?;
        let levels: Vec<Vec<&str>> = bound.levels[1..]
            .iter()
            .map(|level| level.node_of_code.iter().map(|&node| &*level.labels[node as usize]).collect())
            .collect();
        Ok(Self::of(items.labels.clone(), &levels))
    }

    /// A tree from labels per level above the items; levels must nest, as those of a [`Hierarchy`] do.
    fn of(items: Vec<Box<str>>, levels: &[Vec<&str>]) -> Self {
        let leaves = items.len() as u32;
        let mut labels = items;
        let mut used: HashMap<Box<str>, ()> = labels.iter().map(|label| (label.clone(), ())).collect();
        let mut parent: Vec<u32> = vec![u32::MAX; labels.len()];
        let mut current: Vec<u32> = (0..leaves).collect();
        let everything = vec!["*"; leaves as usize];
        let needs_root = levels.last().is_none_or(|top| top.iter().any(|label| *label != top[0]));
        for level in levels.iter().map(Vec::as_slice).chain(needs_root.then_some(&everything[..])) {
            let mut children: HashMap<&str, Vec<u32>> = HashMap::default();
            let mut order: Vec<&str> = Vec::new();
            for (leaf, label) in level.iter().enumerate() {
                let own = children.entry(label).or_insert_with(|| {
                    order.push(label);
                    Vec::new()
                });
                if own.last() != Some(&current[leaf]) {
                    own.push(current[leaf]);
                }
            }
            let mut above: HashMap<u32, u32> = HashMap::default();
            for label in order {
                let mut own = children.remove(label).unwrap_or_default();
                own.sort_unstable();
                own.dedup();
                if own.len() < 2 {
                    continue; // why: a node with one child says the same as the child
                }
                let node = labels.len() as u32;
                labels.push(distinct(label, &mut used));
                parent.push(u32::MAX);
                for child in own {
                    parent[child as usize] = node;
                    above.insert(child, node);
                }
            }
            for node in &mut current {
                *node = above.get(node).copied().unwrap_or(*node);
            }
        }
        if parent.iter().filter(|&&up| up == u32::MAX).count() > 1 || labels.len() == leaves as usize {
            // One item or none: the tree needs a root above it all the same.
            let root = labels.len() as u32;
            labels.push(distinct("*", &mut used));
            for up in parent.iter_mut().filter(|up| **up == u32::MAX) {
                *up = root;
            }
            parent.push(u32::MAX);
        }
        let root = labels.len() - 1;
        parent[root] = root as u32;
        let mut covered: Vec<u32> = (0..labels.len()).map(|node| u32::from(node < leaves as usize)).collect();
        for node in 0..root {
            covered[parent[node] as usize] += covered[node]; // why: parents come after their children
        }
        Self { parent, labels, covered, leaves }
    }

    /// A tree as a published file tells it: per node its label and its parent, leaves first, the root last and its own
    /// parent.
    ///
    /// # Errors
    /// When that is no tree.
    pub fn from_parents(labels: Vec<Box<str>>, parent: Vec<u32>, leaves: u32) -> Result<Self, SetsError> {
        let nodes = labels.len();
        let rises = parent.iter().enumerate().all(|(node, &up)| {
            (up as usize) < nodes
                && (up as usize > node || (node + 1 == nodes && up as usize == node))
                && up >= leaves
        });
        let is_tree = nodes > 0 && parent.len() == nodes && (leaves as usize) < nodes && rises;
        crate::error::require(
            is_tree,
            "parent",
            "a tree: leaves first, every parent after its children, one root",
        )?;
        let mut covered: Vec<u32> = (0..nodes).map(|node| u32::from(node < leaves as usize)).collect();
        for node in 0..nodes - 1 {
            covered[parent[node] as usize] += covered[node]; // why: checked above
        }
        Ok(Self { parent, labels, covered, leaves })
    }

    /// The number of items.
    pub fn leaves(&self) -> usize {
        self.leaves as usize
    }

    /// The number of nodes, items included.
    pub fn nodes(&self) -> usize {
        self.labels.len()
    }

    /// The node above everything.
    pub fn root(&self) -> u32 {
        self.nodes() as u32 - 1
    }

    /// The node above; the root is above itself.
    #[inline]
    pub fn parent(&self, node: u32) -> u32 {
        self.parent[node as usize]
    }

    /// The text of a node. No two nodes have the same.
    pub fn label(&self, node: u32) -> &str {
        &self.labels[node as usize]
    }

    /// The texts of all nodes.
    pub fn labels(&self) -> &[Box<str>] {
        &self.labels
    }

    /// The number of items below a node.
    pub fn covered(&self, node: u32) -> u32 {
        self.covered[node as usize]
    }

    /// What an occurrence loses as this node: the share of the catalogue that the node may stand for, nothing for an item
    /// (normalized certainty penalty of Terrovitis, Mamoulis and Kalnis 2008).
    #[inline]
    pub fn ncp(&self, node: u32) -> f64 {
        match self.covered[node as usize] {
            0 | 1 => 0.0,
            covered => f64::from(covered) / f64::from(self.leaves),
        }
    }

    /// A node and everything above it, from below.
    pub fn path(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let root = self.root();
        std::iter::successors(Some(node), move |&node| (node != root).then(|| self.parent(node)))
    }

    /// Whether the first node is the second or above it.
    pub fn is_above(&self, upper: u32, lower: u32) -> bool {
        self.path(lower).any(|node| node == upper)
    }

    /// Per leaf whether a node stands above it, as lists of leaves per node.
    pub fn leaves_of(&self) -> Vec<Vec<u32>> {
        let mut lists = vec![Vec::new(); self.nodes()];
        for leaf in 0..self.leaves {
            for node in self.path(leaf) {
                lists[node as usize].push(leaf);
            }
        }
        lists
    }
}

/// A label that no other node has.
fn distinct(label: &str, used: &mut HashMap<Box<str>, ()>) -> Box<str> {
    let mut own: Box<str> = label.into();
    let mut number = 1u32;
    while used.contains_key(&own) {
        own = if number == 1 { format!("{label} (any)") } else { format!("{label} (any, {number})") }.into();
        number += 1;
    }
    used.insert(own.clone(), ());
    own
}

/// Per item the node that it is published as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    node_of: Vec<u32>,
}

impl Cut {
    /// Every item as itself.
    pub fn finest(tree: &ItemTree) -> Self {
        Self { node_of: (0..tree.leaves() as u32).collect() }
    }

    /// The node of an item.
    #[inline]
    pub fn node(&self, item: u32) -> u32 {
        self.node_of[item as usize]
    }

    /// The nodes of all items.
    pub fn nodes(&self) -> &[u32] {
        &self.node_of
    }

    pub(crate) fn from_nodes(node_of: Vec<u32>) -> Self {
        Self { node_of }
    }

    /// The baskets as they are published.
    pub fn apply(&self, baskets: &Baskets) -> Baskets {
        baskets.map(|item| self.node_of.get(item as usize).copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(crate) fn groceries() -> (Catalogue, ItemTree) {
        let leaves = ["beer", "wine", "milk", "cheese", "sausage"].map(Box::from).to_vec();
        let kinds = ["drink", "drink", "dairy", "dairy", "sausage"].map(Box::from).to_vec();
        let top = ["food"; 5].map(Box::from).to_vec();
        let hierarchy = Hierarchy::new(leaves.clone(), vec![kinds, top]).unwrap();
        let items = Catalogue::public(leaves);
        let tree = ItemTree::new(&items, &hierarchy).unwrap();
        (items, tree)
    }

    #[test]
    fn trees_skip_what_says_nothing_new() {
        let (_, tree) = groceries();
        assert_eq!((tree.leaves(), tree.nodes(), tree.label(tree.root())), (5, 8, "food"));
        assert_eq!(tree.path(0).map(|node| tree.label(node)).collect::<Vec<_>>(), ["beer", "drink", "food"]);
        assert_eq!(tree.path(4).map(|node| tree.label(node)).collect::<Vec<_>>(), ["sausage", "food"]);
        assert_eq!((tree.ncp(0), tree.ncp(5), tree.ncp(tree.root())), (0.0, 0.4, 1.0));
        assert!(tree.is_above(tree.root(), 3) && !tree.is_above(5, 3));
        assert_eq!(tree.leaves_of()[6], [2, 3]);
    }

    #[test]
    fn labels_are_told_apart() {
        let leaves = ["sausage", "ham", "*"].map(Box::from).to_vec();
        let level = ["sausage", "sausage", "other"].map(Box::from).to_vec();
        let hierarchy = Hierarchy::new(leaves.clone(), vec![level]).unwrap();
        let tree = ItemTree::new(&Catalogue::public(leaves), &hierarchy).unwrap();
        let labels: Vec<&str> = tree.labels().iter().map(|label| &**label).collect();
        assert_eq!(labels, ["sausage", "ham", "*", "sausage (any)", "* (any)"]);
        let parents = (0..5).map(|node| tree.parent(node)).collect::<Vec<_>>();
        let back = ItemTree::from_parents(tree.labels().to_vec(), parents, 3).unwrap();
        assert_eq!(back, tree);
        assert!(ItemTree::from_parents(tree.labels().to_vec(), vec![1, 2, 3, 4, 4], 3).is_err());
    }

    #[test]
    fn flat_trees_and_small_ones() {
        for count in [0usize, 1, 3] {
            let items = Catalogue::public((0..count).map(|item| item.to_string().into()).collect());
            let tree = ItemTree::flat(&items);
            assert_eq!((tree.leaves(), tree.nodes()), (count, count + 1));
            assert!((0..count as u32).all(|leaf| tree.parent(leaf) == tree.root()));
            assert_eq!(tree.covered(tree.root()), count as u32);
        }
    }
}
