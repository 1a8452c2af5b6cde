//! Equal neighbourhoods by deleting edges: the way that always ends.
//!
//! Guarantee. Every step deletes an edge or makes a label more general, nothing is added, and a network without edges whose labels are
//! all `*` is anonymous; so the search ends, at worst there. Nodes whose neighbourhoods are largest come first, a share of them at a
//! time: what is deleted around them makes the neighbourhoods of others simpler, and fewer of those have to follow.
//!
//! A node that fails loses the edges between its neighbours. Its neighbourhood then is told by its degree (and labels) alone, and
//! degrees are made equal in groups of k by deleting edges that leave those at the other end in a class that is large enough.

use foldhash::HashMap;
use privet_data::Progress;

use super::State;
use crate::GraphError;

/// The share of the failing nodes that a round changes.
const SHARE: usize = 8;

impl State<'_> {
    /// Deletes until every neighbourhood occurs k times.
    pub(super) fn delete_until_alike(&mut self, progress: &dyn Progress) -> Result<(), GraphError> {
        loop {
            self.refresh(progress)?;
            let mut failing: Vec<u32> = self.failing().collect();
            if failing.is_empty() {
                return Ok(());
            }
            progress.check()?;
            failing.sort_by_cached_key(|&node| {
                (
                    std::cmp::Reverse(self.inner_edges(node).len()),
                    std::cmp::Reverse(self.editor.degree(node)),
                    node,
                )
            });
            let tangled = failing.iter().take_while(|&&node| !self.inner_edges(node).is_empty()).count();
            if tangled > 0 {
                failing.truncate(tangled.div_ceil(SHARE));
                failing.iter().for_each(|&node| self.strip(node));
            } else if !self.raise_labels(&failing) && !self.equal_degrees(&failing) {
                // The labels of others tell the failing nodes apart, or too few nodes have no edge and others must join them.
                let all: Vec<u32> = (0..self.class.len() as u32).collect();
                if !self.raise_labels(&all) {
                    self.lower_any();
                }
            }
        }
    }

    /// Edges between the neighbours of a node.
    fn inner_edges(&self, node: u32) -> Vec<(u32, u32)> {
        let around = self.editor.neighbours(node);
        let lists = self.inner(node);
        let pairs = lists.iter().zip(around).flat_map(|(list, &from)| {
            list.iter().map(move |&place| (from, around[place as usize])).filter(|(a, b)| a < b)
        });
        pairs.collect()
    }

    fn strip(&mut self, node: u32) {
        for (a, b) in self.inner_edges(node) {
            self.remove(a, b);
        }
    }

    fn remove(&mut self, a: u32, b: u32) {
        let (short, long) = if self.editor.degree(a) < self.editor.degree(b) { (a, b) } else { (b, a) };
        let shared = self.editor.neighbours(short).iter().copied();
        let shared: Vec<u32> = shared.filter(|&own| self.editor.has_edge(own, long)).collect();
        if self.editor.remove(a, b) {
            shared.into_iter().chain([a, b]).for_each(|own| self.is_stale[own as usize] = true);
        }
    }

    /// Makes the labels of failing nodes and their neighbours one step more general; false where all of them are at the root.
    fn raise_labels(&mut self, failing: &[u32]) -> bool {
        let Some(tree) = self.tree else { return false };
        let mut around: Vec<u32> = failing.to_vec();
        around.extend(failing.iter().flat_map(|&node| self.editor.neighbours(node)));
        around.sort_unstable();
        around.dedup();
        let mut has_risen = false;
        for node in around {
            if let Some(above) = tree.parent(self.labels[node as usize]) {
                has_risen = true;
                self.labels[node as usize] = above;
                self.is_stale[node as usize] = true;
                self.editor.neighbours(node).iter().for_each(|&own| self.is_stale[own as usize] = true);
            }
        }
        has_risen
    }

    /// Lowers degrees of failing nodes, none of which has an edge between its neighbours; false where none can be lowered.
    fn equal_degrees(&mut self, failing: &[u32]) -> bool {
        let mut stars = Stars::of(self);
        let k = self.k as usize;
        // Failing nodes are in the order of falling degrees.
        let mut rest = failing;
        let before = self.editor.edge_count();
        while !rest.is_empty() {
            let size = if rest.len() < 2 * k { rest.len() } else { k };
            let (group, others) = rest.split_at(size);
            rest = others;
            let lowest = self.editor.degree(group[group.len() - 1]);
            let target = match group.len() < k {
                // Too few for a class of their own: they join the next lower one, or lose all their edges.
                true => stars.next_below(lowest, self.k),
                false => lowest,
            };
            for &node in group {
                while self.editor.degree(node) > target {
                    self.lower(node, &mut stars);
                }
            }
        }
        self.editor.edge_count() < before
    }

    /// Lowers a node of the lowest degree.
    fn lower_any(&mut self) {
        let nodes = 0..self.class.len() as u32;
        let lowest = nodes.filter(|&own| self.editor.degree(own) > 0);
        if let Some(node) = lowest.min_by_key(|&own| self.editor.degree(own)) {
            let mut stars = Stars::of(self);
            self.lower(node, &mut stars);
        }
    }

    /// Deletes the edge of a node whose other end loses least by it: one that fails anyway, then one that leaves a large class for another.
    fn lower(&mut self, node: u32, stars: &mut Stars) {
        let rank = |&other: &u32| {
            let degree = self.editor.degree(other);
            let is_star = stars.is_star[other as usize];
            let joins = is_star && stars.count(degree) > self.k && stars.count(degree - 1) >= self.k;
            let fails = self.fails(other) && degree > 1;
            (!(fails || joins), !is_star, degree)
        };
        let Some(other) = self.editor.neighbours(node).iter().copied().min_by_key(rank) else { return };
        for own in [node, other] {
            stars.lowered(own, self.editor.degree(own));
        }
        self.remove(node, other);
    }
}

/// How many nodes of each degree have no edge between their neighbours.
struct Stars {
    is_star: Vec<bool>,
    counts: HashMap<usize, u32>,
}

impl Stars {
    fn of(state: &State<'_>) -> Self {
        let nodes = 0..state.class.len() as u32;
        let is_star: Vec<bool> =
            nodes.clone().map(|node| state.inner(node).iter().all(Vec::is_empty)).collect();
        let mut counts: HashMap<usize, u32> = HashMap::default();
        for node in nodes.filter(|&node| is_star[node as usize]) {
            *counts.entry(state.editor.degree(node)).or_default() += 1;
        }
        Self { is_star, counts }
    }

    fn count(&self, degree: usize) -> u32 {
        self.counts.get(&degree).copied().unwrap_or(0)
    }

    /// The largest degree below this one that enough nodes have; 0 where there is none.
    fn next_below(&self, degree: usize, k: u32) -> usize {
        (1..degree).rev().find(|&own| self.count(own) >= k).unwrap_or(0)
    }

    fn lowered(&mut self, node: u32, degree: usize) {
        if self.is_star[node as usize] {
            if let Some(count) = self.counts.get_mut(&degree) {
                *count = count.saturating_sub(1);
            }
            *self.counts.entry(degree.saturating_sub(1)).or_default() += 1;
        }
    }
}
