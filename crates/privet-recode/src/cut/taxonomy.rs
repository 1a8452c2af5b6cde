//! The tree of hierarchy nodes of one quasi column, and its cuts (survey ME-05, ME-07).
//!
//! A *cut* is a set of nodes such that every value that occurs has exactly one of them above it (or is one of
//! them). The children of a node are the distinct nodes one level finer below it. Where a node has a single
//! child below which anything occurs, in the table or among the people of a population table, the two are
//! alike to every record and become one, published under the finer label: so each step down separates values
//! that occur, and none is wasted. A top level of several nodes gets no root that the hierarchy does not have:
//! the coarsest cut is then the nodes of the top level.
//!
//! Guarantee: different nodes of a cut are published under different labels. Labels are unique within a level
//! only; where nodes of different levels have the same text, the finest keeps it and the others are told apart
//! by their level, as in `other (level 2)`. Merging them instead would form classes that no search has judged.

use std::ops::Range;

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use privet_data::{Generalization, GeneralizedLevel};

/// The tree of one column. Nodes are numbered from the roots down, so that a parent comes before its children
/// and the children of a node follow each other.
#[derive(Debug)]
pub struct Taxonomy {
    nodes: Vec<Node>,
    roots: u32,
    // Per code the number of its leaf, or `ABSENT`.
    leaf_of_code: Vec<u32>,
    // Per leaf its node.
    node_of_leaf: Vec<u32>,
    // Per depth and leaf the node above the leaf (or the leaf itself).
    at_depth: Vec<Vec<u32>>,
}

/// A node of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its level in the hierarchy.
    pub level: usize,
    /// Its number in that level.
    pub number: u32,
    /// The node above it.
    pub parent: Option<u32>,
    /// The nodes below it.
    pub children: Range<u32>,
    /// Steps from the root.
    pub depth: usize,
}

impl Node {
    /// Whether nothing is finer.
    pub fn is_leaf(&self) -> bool {
        self.children.is_empty()
    }
}

const ABSENT: u32 = u32::MAX;

impl Taxonomy {
    /// The tree over the codes that occur.
    pub fn new(generalization: &Generalization, occurs: &[bool]) -> Self {
        let of = |level: usize, code: u32| generalization.levels[level].node_of_code[code as usize];
        // Groups of codes, each the codes below one node, in the order of the node numbers.
        let group = |mut codes: Vec<u32>, level: usize| -> Vec<Vec<u32>> {
            codes.sort_by_key(|&code| of(level, code));
            codes.chunk_by(|&a, &b| of(level, a) == of(level, b)).map(<[u32]>::to_vec).collect()
        };
        let codes: Vec<u32> = (0..occurs.len() as u32).filter(|&code| occurs[code as usize]).collect();
        let top = generalization.height();
        let mut below = group(codes, top);
        let roots = below.len() as u32;
        let mut nodes: Vec<Node> = below
            .iter()
            .map(|_| Node { level: top, number: 0, parent: None, children: 0..0, depth: 0 })
            .collect();
        let mut leaf_of_code = vec![ABSENT; occurs.len()];
        let mut node_of_leaf = Vec::new();
        let mut next = 0;
        while next < nodes.len() {
            let codes = std::mem::take(&mut below[next]);
            let mut level = nodes[next].level;
            while level > 0 && codes.iter().all(|&code| of(level - 1, code) == of(level - 1, codes[0])) {
                level -= 1;
            }
            nodes[next].level = level;
            nodes[next].number = of(level, codes[0]);
            if level == 0 {
                codes.iter().for_each(|&code| leaf_of_code[code as usize] = node_of_leaf.len() as u32);
                node_of_leaf.push(next as u32);
            } else {
                let first = nodes.len() as u32;
                let depth = nodes[next].depth + 1;
                for group in group(codes, level - 1) {
                    let parent = Some(next as u32);
                    nodes.push(Node { level: level - 1, number: 0, parent, children: 0..0, depth });
                    below.push(group);
                }
                nodes[next].children = first..nodes.len() as u32;
            }
            next += 1;
        }
        let deepest = nodes.iter().map(|node| node.depth).max().unwrap_or(0);
        let mut at_depth = vec![node_of_leaf.clone(); deepest + 1];
        for (leaf, &node) in node_of_leaf.iter().enumerate() {
            let mut above = Some(node);
            while let Some(node) = above {
                at_depth[nodes[node as usize].depth][leaf] = node;
                above = nodes[node as usize].parent;
            }
        }
        Self { nodes, roots, leaf_of_code, node_of_leaf, at_depth }
    }

    /// All nodes.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// A node.
    pub fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    /// The coarsest cut.
    pub fn roots(&self) -> Range<u32> {
        0..self.roots
    }

    /// Per leaf its node: the finest cut.
    pub fn leaves(&self) -> &[u32] {
        &self.node_of_leaf
    }

    /// The leaf of a code that occurs.
    pub fn leaf_of_code(&self, code: u32) -> u32 {
        self.leaf_of_code[code as usize]
    }

    /// Per leaf the node above it at a depth; the leaf's own node where it is not that deep.
    pub fn at_depth(&self, depth: usize) -> &[u32] {
        &self.at_depth[depth]
    }

    /// Where a cut sends the codes of the column. A code that does not occur goes to the node of the cut that
    /// covers it, or else stays itself; nobody has it.
    pub fn publish(&self, generalization: &Generalization, in_cut: &[bool]) -> GeneralizedLevel {
        // The cut's nodes by level and number, from the finest level: the order in which labels are given.
        let mut published: Vec<(usize, u32)> = self
            .nodes
            .iter()
            .zip(in_cut)
            .filter(|(_, in_cut)| **in_cut)
            .map(|(node, _)| (node.level, node.number))
            .collect();
        published.sort_unstable();
        let mut position: HashMap<(usize, u32), u32> = HashMap::with_capacity(published.len());
        position.extend(published.iter().enumerate().map(|(i, &node)| (node, i as u32)));
        let node_of_code = (0..self.leaf_of_code.len())
            .map(|code| {
                let at = |(number, level): (usize, &GeneralizedLevel)| (number, level.node_of_code[code]);
                let covering = generalization.levels.iter().enumerate().map(at);
                let found = covering.clone().find_map(|node| position.get(&node).copied());
                found.unwrap_or_else(|| {
                    let own = (0, generalization.levels[0].node_of_code[code]);
                    published.push(own);
                    position.insert(own, published.len() as u32 - 1);
                    published.len() as u32 - 1
                })
            })
            .collect();
        let mut taken: HashSet<Box<str>> = HashSet::with_capacity(published.len());
        let labels = published
            .iter()
            .map(|&(level, number)| {
                let mut label = generalization.levels[level].labels[number as usize].clone();
                while taken.contains(&label) {
                    label = format!("{label} (level {level})").into();
                }
                taken.insert(label.clone());
                label
            })
            .collect();
        let leaves = published
            .iter()
            .map(|&(level, number)| generalization.levels[level].leaves[number as usize])
            .collect();
        GeneralizedLevel { node_of_code, labels, leaves }
    }
}

#[cfg(test)]
mod tests {
    use privet_data::{Domain, Hierarchy};

    use super::*;

    /// One line per leaf: the value and its labels. The domain holds the values that `holds` tells.
    fn bind(lines: &[&[&str]], holds: &[&str]) -> Generalization {
        let leaves = lines.iter().map(|line| line[0].into()).collect();
        let levels = (1..lines[0].len()).map(|l| lines.iter().map(|line| line[l].into()).collect()).collect();
        let (domain, _) = Domain::canonical(holds.iter().map(|&text| text.into()).collect(), |_| false);
        assert!(domain.texts().iter().map(|text| &**text).eq(holds.iter().copied()), "give them in order");
        Hierarchy::new(leaves, levels).unwrap().bind(&domain).unwrap()
    }

    fn labels(
        taxonomy: &Taxonomy,
        generalization: &Generalization,
        nodes: impl Iterator<Item = u32>,
    ) -> Vec<String> {
        let label = |node: &Node| generalization.levels[node.level].labels[node.number as usize].to_string();
        nodes.map(|node| label(taxonomy.node(node))).collect()
    }

    fn texts(level: &GeneralizedLevel) -> Vec<&str> {
        level.node_of_code.iter().map(|&node| &*level.labels[node as usize]).collect()
    }

    const ZIPS: [&[&str]; 5] = [
        &["13053", "1305*", "130**", "*"],
        &["13068", "1306*", "130**", "*"],
        &["14850", "1485*", "148**", "*"],
        &["14853", "1485*", "148**", "*"],
        &["14999", "1499*", "149**", "*"],
    ];

    /// The zips of papers FX-L4, and one more that does not occur.
    #[test]
    fn steps_that_separate_nothing_collapse() {
        let zips = bind(&ZIPS, &["13053", "13068", "14850", "14853"]);
        let tree = Taxonomy::new(&zips, &[true; 4]);
        assert_eq!(labels(&tree, &zips, tree.roots()), ["*"]);
        assert_eq!(labels(&tree, &zips, tree.node(0).children.clone()), ["130**", "1485*"]);
        assert_eq!(labels(&tree, &zips, tree.node(1).children.clone()), ["13053", "13068"]);
        assert_eq!(labels(&tree, &zips, tree.node(2).children.clone()), ["14850", "14853"]);
        assert_eq!(tree.nodes().len(), 7);
        assert_eq!(tree.at_depth(1), [1, 1, 2, 2]);
        assert_eq!((0..4).map(|code| tree.leaf_of_code(code)).collect::<Vec<_>>(), [0, 1, 2, 3]);

        let cut = [false, true, false, false, false, true, true];
        let published = tree.publish(&zips, &cut);
        assert_eq!(texts(&published), ["130**", "130**", "14850", "14853"]);
        assert_eq!(published.leaves, [1, 1, 2]);
        let top: Vec<bool> = (0..7).map(|node| tree.roots().contains(&node)).collect();
        assert_eq!(texts(&tree.publish(&zips, &top)), ["*"; 4]);
    }

    #[test]
    fn values_that_do_not_occur_go_where_they_are_covered() {
        let zips = bind(&ZIPS, &["13053", "13068", "14850", "14853", "14999"]);
        let tree = Taxonomy::new(&zips, &[true, false, true, true, false]);
        // * over 13053 (130** and 1305* collapse) and 1485*.
        assert_eq!(labels(&tree, &zips, 0..5), ["*", "13053", "1485*", "14850", "14853"]);
        let published = tree.publish(&zips, &[false, true, true, false, false]);
        assert_eq!(texts(&published), ["13053", "13068", "1485*", "1485*", "14999"]);
        let published = tree.publish(&zips, &[true, false, false, false, false]);
        assert_eq!(texts(&published), ["*"; 5]);
    }

    #[test]
    fn several_top_nodes_get_no_root() {
        let lines: [&[&str]; 3] = [&["a", "x"], &["b", "x"], &["c", "y"]];
        let three = bind(&lines, &["a", "b", "c"]);
        let tree = Taxonomy::new(&three, &[true; 3]);
        assert_eq!(labels(&tree, &three, tree.roots()), ["x", "c"]);
        let none = Taxonomy::new(&three, &[false; 3]);
        assert_eq!(none.nodes().len(), 0);
        assert_eq!(texts(&none.publish(&three, &[])), ["a", "b", "c"]);
    }

    #[test]
    fn a_column_of_height_0_is_its_own_cut() {
        let flat = bind(&[&["a"], &["b"]], &["a", "b"]);
        let tree = Taxonomy::new(&flat, &[true; 2]);
        assert!(tree.nodes().iter().all(Node::is_leaf));
        assert_eq!(texts(&tree.publish(&flat, &[true; 2])), ["a", "b"]);
    }

    /// Below `*` lie `x` over {a, b} and `y` over {c, x}: the value `x` is not the group `x`.
    #[test]
    fn different_nodes_have_different_labels() {
        let lines: [&[&str]; 4] = [&["a", "x", "*"], &["b", "x", "*"], &["c", "y", "*"], &["x", "y", "*"]];
        let clash = bind(&lines, &["a", "b", "c", "x"]);
        let tree = Taxonomy::new(&clash, &[true; 4]);
        assert_eq!(labels(&tree, &clash, 0..3), ["*", "x", "y"]);
        let cut = [false, true, false, false, false, true, true];
        assert_eq!(texts(&tree.publish(&clash, &cut)), ["x (level 1)", "x (level 1)", "c", "x"]);
        let coarser = [false, true, true, false, false, false, false];
        assert_eq!(texts(&tree.publish(&clash, &coarser)), ["x", "x", "y", "y"]);
    }
}
