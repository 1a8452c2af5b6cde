//! The different published tuples as a trie, one column per level.

use super::overlap::{Index, Levels, Sorted};

/// The children of a node lie next to each other on the next level, their labels ascending. Leaves are in the order of
/// the tuples.
pub(super) struct Trie {
    /// Per level the labels of its nodes.
    labels: Vec<Vec<u32>>,
    /// Per level but the last where the children of each node begin, and at last where they end.
    children: Vec<Vec<u32>>,
}

impl Trie {
    pub fn new(sorted: &Sorted) -> Self {
        let levels = sorted.columns;
        let mut labels: Vec<Vec<u32>> = vec![Vec::new(); levels];
        let mut children: Vec<Vec<u32>> = vec![Vec::new(); levels.saturating_sub(1)];
        for position in 0..sorted.rows.len() {
            let tuple = sorted.tuple(position);
            for level in sorted.first_difference(position)..levels {
                if let Some(children) = children.get_mut(level) {
                    children.push(labels[level + 1].len() as u32);
                }
                labels[level].push(tuple[level]);
            }
        }
        for (level, children) in children.iter_mut().enumerate() {
            children.push(labels[level + 1].len() as u32);
        }
        Self { labels, children }
    }

    /// The children of a node of the level before; level 0 is below the root.
    fn below(&self, level: usize, node: u32) -> std::ops::Range<usize> {
        match level.checked_sub(1).map(|before| &self.children[before]) {
            None => 0..self.labels[0].len(),
            Some(children) => children[node as usize] as usize..children[node as usize + 1] as usize,
        }
    }

    /// The children of a node that carry one of these labels; both are ascending, so the cheapest of three ways does.
    fn descend(&self, level: usize, node: u32, carried: &[u32], into: &mut Vec<u32>) -> u64 {
        let range = self.below(level, node);
        let labels = &self.labels[level][range.clone()];
        let logarithm = |length: usize| length.checked_ilog2().unwrap_or(0) as usize + 1;
        let by_label = labels.len() * logarithm(carried.len());
        let by_carried = carried.len() * logarithm(labels.len());
        let side_by_side = labels.len() + carried.len();
        if side_by_side < by_label.min(by_carried) {
            let mut carried = carried.iter().peekable();
            for (i, label) in labels.iter().enumerate() {
                while carried.next_if(|&other| other < label).is_some() {}
                match carried.peek() {
                    None => break,
                    Some(&other) if other == label => into.push((range.start + i) as u32),
                    Some(_) => {}
                }
            }
        } else if by_label <= by_carried {
            let has = |label: &u32| carried.binary_search(label).is_ok();
            let nodes = (range.start..).zip(labels);
            into.extend(nodes.filter(|(_, label)| has(label)).map(|(node, _)| node as u32));
        } else {
            let at = |label| labels.binary_search(label).ok();
            into.extend(carried.iter().filter_map(at).map(|i| (range.start + i) as u32));
        }
        side_by_side.min(by_label).min(by_carried) as u64 + 1
    }
}

impl Index for Trie {
    /// Per level the nodes of the level before that are left, and at last the leaves.
    type Left = Vec<Vec<u32>>;

    fn begin(&self) -> Self::Left {
        let mut left = vec![Vec::new(); self.labels.len() + 1];
        left[0].push(0);
        left
    }

    fn narrow(&self, levels: &Levels<'_>, left: &mut Self::Left, tuple: &[u32], from: usize) -> u64 {
        let mut steps = 0;
        for level in from..levels.count() {
            let carried = levels.carried(level, tuple[level]);
            let (before, after) = left.split_at_mut(level + 1);
            after[0].clear();
            for &node in &before[level] {
                let taken = self.descend(level, node, carried, &mut after[0]);
                steps += if level > 0 { taken } else { 0 };
            }
        }
        steps
    }

    fn positions(&self, left: &Self::Left, into: &mut Vec<u32>) {
        into.extend(left.last().into_iter().flatten());
    }
}
