//! Subsets of the quasi columns, and the candidates that joining and pruning leave for each (papers T-AL5, steps 2
//! and 3).

use foldhash::HashMap;

use super::super::columns::QuasiColumn;
use super::super::space::Lattice;

/// A set of nodes of one lattice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nodes {
    words: Vec<u64>,
}

impl Nodes {
    /// None of so many nodes.
    pub fn none(nodes: u64) -> Self {
        Self { words: vec![0; nodes.div_ceil(64) as usize] }
    }

    /// Whether a node is in it.
    pub fn contains(&self, node: u64) -> bool {
        self.words[(node / 64) as usize] >> (node % 64) & 1 == 1
    }

    /// Puts a node in.
    pub fn insert(&mut self, node: u64) {
        self.words[(node / 64) as usize] |= 1 << (node % 64);
    }

    /// How many are in it.
    pub fn len(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Those that are in it, in order.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| u64::from(rest.trailing_zeros()))?;
                rest &= rest - 1;
                Some(i as u64 * 64 + bit)
            })
        })
    }
}

/// A subset of the columns that have a choice of levels.
#[derive(Debug, Clone)]
pub struct Subset {
    /// Its columns as bits, by their positions among all that have a choice.
    pub mask: u64,
    /// Its columns, in the order of the engine.
    pub columns: Vec<usize>,
    /// The lattice over them.
    pub lattice: Lattice,
}

impl Subset {
    /// The subset with these columns out of `all`.
    pub fn new(mask: u64, columns: Vec<usize>, all: &[QuasiColumn]) -> Self {
        let heights: Vec<usize> = columns.iter().map(|&column| all[column].height()).collect();
        Self { mask, columns, lattice: Lattice::new(&heights) }
    }

    /// The sum of the levels at its top.
    pub fn height(&self) -> usize {
        (0..self.columns.len()).map(|i| self.lattice.height(i)).sum()
    }

    /// The level of its nth column at a node.
    pub fn level(&self, node: u64, nth: usize) -> u64 {
        node / self.lattice.stride(nth) % (self.lattice.height(nth) as u64 + 1)
    }

    /// The nodes right below a node.
    pub fn below(&self, node: u64) -> impl Iterator<Item = u64> + '_ {
        let columns = (0..self.columns.len()).filter(move |&i| self.level(node, i) > 0);
        columns.map(move |i| node - self.lattice.stride(i))
    }

    /// The nodes right above a node.
    pub fn above(&self, node: u64) -> impl Iterator<Item = u64> + '_ {
        let columns =
            (0..self.columns.len()).filter(move |&i| self.level(node, i) < self.lattice.height(i) as u64);
        columns.map(move |i| node + self.lattice.stride(i))
    }

    /// The number of a node without the nth column, in the lattice over the others.
    fn project(&self, node: u64, nth: usize) -> u64 {
        let stride = self.lattice.stride(nth);
        node / (stride * (self.lattice.height(nth) as u64 + 1)) * stride + node % stride
    }

    /// The mask without the nth column.
    fn without(&self, nth: usize) -> u64 {
        let mut above = self.mask;
        (0..nth).for_each(|_| above &= above - 1);
        self.mask & !(above & above.wrapping_neg())
    }

    /// The nodes of which every projection on one column less is in `safe`, which has every such subset: nodes that
    /// agree in all columns but their last are joined, and those with another projection that is not safe are
    /// pruned.
    pub fn candidates(&self, safe: &HashMap<u64, Nodes>) -> Nodes {
        let mut candidates = Nodes::none(self.lattice.len());
        let (left, right) = match self.columns.len() {
            count @ 2.. => (count - 2, count - 1),
            _ => {
                (0..self.lattice.len()).for_each(|node| candidates.insert(node));
                return candidates;
            }
        };
        let safe_without = |nth: usize| safe.get(&self.without(nth));
        let (Some(with_left), Some(with_right)) = (safe_without(right), safe_without(left)) else {
            return candidates;
        };
        let others: Vec<(usize, Option<&Nodes>)> = (0..left).map(|nth| (nth, safe_without(nth))).collect();
        let right_levels = self.lattice.height(right) as u64 + 1;
        let left_levels = self.lattice.height(left) as u64 + 1;
        for joined in with_left.iter() {
            let common = joined / left_levels;
            for level in 0..right_levels {
                if !with_right.contains(common * right_levels + level) {
                    continue;
                }
                let node = joined * right_levels + level;
                let is_safe = |&(nth, nodes): &(usize, Option<&Nodes>)| {
                    nodes.is_some_and(|nodes| nodes.contains(self.project(node, nth)))
                };
                if others.iter().all(is_safe) {
                    candidates.insert(node);
                }
            }
        }
        candidates
    }
}

/// The subsets with one column more than these of which every part with one column less has safe nodes.
pub fn next(masks: &[u64], safe: &HashMap<u64, Nodes>, columns: usize) -> Vec<u64> {
    let mut next = Vec::new();
    for &mask in masks {
        // Each subset is made once: from the part without its last column.
        for column in (u64::BITS - mask.leading_zeros()) as usize..columns {
            let joined = mask | 1 << column;
            let parts = (0..=column).filter(|i| joined >> i & 1 == 1).map(|i| joined & !(1 << i));
            if parts.into_iter().all(|part| safe.contains_key(&part)) {
                next.push(joined);
            }
        }
    }
    next
}

#[cfg(test)]
mod tests {
    use foldhash::HashMapExt;
    use proptest::prelude::*;

    use super::*;

    fn subset(mask: u64, heights: &[usize]) -> Subset {
        let columns: Vec<usize> = (0..heights.len()).filter(|i| mask >> i & 1 == 1).collect();
        let heights: Vec<usize> = columns.iter().map(|&i| heights[i]).collect();
        Subset { mask, columns, lattice: Lattice::new(&heights) }
    }

    proptest! {
        /// DEF-5: a node is a candidate when every projection is safe, whatever is safe.
        #[test]
        fn candidates_are_nodes_with_safe_projections(
            heights in prop::collection::vec(1usize..4, 2..5),
            safe in prop::collection::vec(any::<bool>(), 64 * 4),
        ) {
            let count = heights.len();
            let whole = subset((1 << count) - 1, &heights);
            let mut known = HashMap::new();
            for dropped in 0..count {
                let part = subset(whole.mask & !(1 << dropped), &heights);
                prop_assert_eq!(whole.without(dropped), part.mask);
                let mut nodes = Nodes::none(part.lattice.len());
                (0..part.lattice.len()).filter(|&n| safe[dropped * 64 + n as usize]).for_each(|n| nodes.insert(n));
                prop_assert_eq!(nodes.iter().count() as u64, nodes.len());
                known.insert(part.mask, nodes);
            }
            let candidates = whole.candidates(&known);
            for node in 0..whole.lattice.len() {
                let levels = whole.lattice.levels(node);
                let expected = (0..count).all(|dropped| {
                    let part = subset(whole.mask & !(1 << dropped), &heights);
                    let rest: Vec<usize> =
                        (0..count).filter(|&i| i != dropped).map(|i| levels[i]).collect();
                    known[&part.mask].contains(part.lattice.index(&rest))
                });
                prop_assert_eq!(candidates.contains(node), expected);
            }
            prop_assert_eq!(next(&known.keys().copied().collect::<Vec<_>>(), &known, count), vec![whole.mask]);
            known.remove(&1.max(whole.mask & !1));
            prop_assert!(next(&known.keys().copied().collect::<Vec<_>>(), &known, count).is_empty());
        }
    }
}
