//! A k-d tree over the points that have no group yet, from which points are taken out one by one.
//!
//! It is a full binary tree: every range of points is halved along the side on which its box is longest, down to
//! leaves of a few points. Each node knows the box of its points and the lowest number among them. A point that is
//! taken out shrinks the boxes above it, so that they stay tight; when half of the points are gone the tree is built
//! anew.
//!
//! # Guarantee
//! Answers are those of a scan, ties included. The bound of a box is computed by the operations of `distance` in
//! their order; rounding never turns a smaller operand into a larger result, so a bound holds to the last bit for
//! every point in the box. Where a bound equals the best so far, the lowest number of the node decides, so that
//! thousands of equal points are not all looked at.

use super::neighbours::{Near, Nearest, Unassigned};
use super::outermost::Outermost;
use super::points::{Points, Remaining, distance};

/// Leaves have at most so many points.
const LEAF: usize = 12;
/// The lowest number in a node without points.
const NONE: u32 = u32::MAX;
/// Deeper than any tree over 32-bit numbers of points.
const DEEPEST: usize = 40;

#[derive(Debug, Clone, Copy)]
struct Node<const D: usize> {
    low: [f64; D],
    high: [f64; D],
    lowest: u32,
}

impl<const D: usize> Node<D> {
    const EMPTY: Self = Self { low: [f64::INFINITY; D], high: [f64::NEG_INFINITY; D], lowest: NONE };

    fn around(entries: &[Entry<D>]) -> Self {
        let mut node = Self::EMPTY;
        for entry in entries {
            for d in 0..D {
                node.low[d] = node.low[d].min(entry.point[d]);
                node.high[d] = node.high[d].max(entry.point[d]);
            }
            node.lowest = node.lowest.min(entry.record);
        }
        node
    }

    fn union(a: &Self, b: &Self) -> Self {
        let mut node = *a;
        for d in 0..D {
            node.low[d] = node.low[d].min(b.low[d]);
            node.high[d] = node.high[d].max(b.high[d]);
        }
        node.lowest = a.lowest.min(b.lowest);
        node
    }

    fn same(&self, other: &Self) -> bool {
        self.lowest == other.lowest && self.low == other.low && self.high == other.high
    }

    /// No point in the box is nearer.
    fn nearest_bound(&self, from: &[f64; D]) -> f64 {
        let sides = self.low.iter().zip(&self.high).zip(from);
        sides.fold(0.0, |sum, ((low, high), from)| {
            let gap = (low - from).max(from - high).max(0.0);
            sum + gap * gap
        })
    }

    /// No point in the box is farther.
    fn farthest_bound(&self, from: &[f64; D]) -> f64 {
        let sides = self.low.iter().zip(&self.high).zip(from);
        sides.fold(0.0, |sum, ((low, high), from)| {
            let reach = (from - low).max(high - from);
            sum + reach * reach
        })
    }
}

#[derive(Debug, Clone, Copy)]
struct Entry<const D: usize> {
    point: [f64; D],
    record: u32,
}

impl<const D: usize> Entry<D> {
    fn near(&self, from: &[f64; D]) -> Near {
        Near { distance: distance(from, &self.point), record: self.record }
    }
}

/// The tree. Points of fewer than `D` coordinates have zeros for the rest, which change no distance.
#[derive(Debug)]
struct Tree<const D: usize> {
    // Node 0 is the root; those below node i are 2i + 1 and 2i + 2. The leaves are the last ones.
    nodes: Vec<Node<D>>,
    // Number of the first leaf among the nodes.
    first_leaf: usize,
    entries: Vec<Entry<D>>,
    // Per leaf where its entries begin and how many of them are left.
    leaves: Vec<(u32, u32)>,
    // Per record the leaf it is in.
    leaf_of: Vec<u32>,
}

impl<const D: usize> Tree<D> {
    fn new(points: &Points) -> Self {
        let mut tree = Self {
            nodes: Vec::new(),
            first_leaf: 0,
            entries: Vec::new(),
            leaves: Vec::new(),
            leaf_of: vec![0; points.rows()],
        };
        tree.build(points, &(0..points.rows() as u32).collect::<Vec<u32>>());
        tree
    }

    fn build(&mut self, points: &Points, records: &[u32]) {
        self.entries.clear();
        self.entries
            .extend(records.iter().map(|&record| Entry { point: padded(points.row(record)), record }));
        let leaves = records.len().div_ceil(LEAF).next_power_of_two();
        self.first_leaf = leaves - 1;
        self.nodes.clear();
        self.nodes.resize(2 * leaves - 1, Node::EMPTY);
        self.leaves.clear();
        self.leaves.resize(leaves, (0, 0));
        let mut entries = std::mem::take(&mut self.entries);
        self.split(&mut entries, 0, 0);
        self.entries = entries;
    }

    fn split(&mut self, entries: &mut [Entry<D>], begin: u32, node: usize) {
        let around = Node::around(entries);
        self.nodes[node] = around;
        if node >= self.first_leaf {
            let leaf = node - self.first_leaf;
            self.leaves[leaf] = (begin, entries.len() as u32);
            entries.iter().for_each(|entry| self.leaf_of[entry.record as usize] = leaf as u32);
            return;
        }
        let length = |d: usize| around.high[d] - around.low[d];
        let longest = (1..D).fold(0, |best, d| if length(d) > length(best) { d } else { best });
        let half = entries.len() / 2;
        if half > 0 {
            entries.select_nth_unstable_by(half, |a, b| {
                a.point[longest].total_cmp(&b.point[longest]).then(a.record.cmp(&b.record))
            });
        }
        let (left, right) = entries.split_at_mut(half);
        self.split(left, begin, 2 * node + 1);
        self.split(right, begin + half as u32, 2 * node + 2);
    }

    fn leaf(&self, node: usize) -> Option<&[Entry<D>]> {
        let (begin, count) = *self.leaves.get(node.checked_sub(self.first_leaf)?)?;
        Some(&self.entries[begin as usize..(begin + count) as usize])
    }

    fn remove(&mut self, record: u32) {
        let leaf = self.leaf_of[record as usize] as usize;
        let (begin, count) = self.leaves[leaf];
        let entries = &mut self.entries[begin as usize..(begin + count) as usize];
        let Some(place) = entries.iter().position(|entry| entry.record == record) else { return };
        entries.swap(place, count as usize - 1);
        self.leaves[leaf].1 -= 1;
        let mut node = self.first_leaf + leaf;
        let mut shrunk = Node::around(&entries[..count as usize - 1]);
        while !shrunk.same(&self.nodes[node]) {
            self.nodes[node] = shrunk;
            if node == 0 {
                break;
            }
            node = (node - 1) / 2;
            shrunk = Node::union(&self.nodes[2 * node + 1], &self.nodes[2 * node + 2]);
        }
    }

    fn farthest(&self, from: &[f64; D]) -> Option<u32> {
        let mut best: Option<Near> = None;
        let mut stack = Stack::new();
        let bound = |node: usize| Near {
            distance: self.nodes[node].farthest_bound(from),
            record: self.nodes[node].lowest,
        };
        stack.push(bound(0), 0);
        while let Some((reach, node)) = stack.pop() {
            if reach.record == NONE || best.is_some_and(|best| !reach.is_farther(&best)) {
                continue;
            }
            if let Some(entries) = self.leaf(node) {
                for entry in entries {
                    best = Near::farther(best, Some(entry.near(from)));
                }
                continue;
            }
            let (left, right) = (bound(2 * node + 1), bound(2 * node + 2));
            let left_first = right.record == NONE || (left.record != NONE && left.is_farther(&right));
            stack.push_two((left, 2 * node + 1), (right, 2 * node + 2), left_first);
        }
        best.map(|best| best.record)
    }

    fn nearest(&self, from: &[f64; D], nearest: &mut Nearest) {
        let mut stack = Stack::new();
        let bound = |node: usize| Near {
            distance: self.nodes[node].nearest_bound(from),
            record: self.nodes[node].lowest,
        };
        stack.push(bound(0), 0);
        while let Some((reach, node)) = stack.pop() {
            if reach.record == NONE || !nearest.wants(reach) {
                continue;
            }
            if let Some(entries) = self.leaf(node) {
                entries.iter().for_each(|entry| nearest.offer(entry.near(from)));
                continue;
            }
            // The box of a node without points is infinitely far.
            let (left, right) = (bound(2 * node + 1), bound(2 * node + 2));
            stack.push_two((left, 2 * node + 1), (right, 2 * node + 2), left < right);
        }
    }
}

/// Nodes to look at, with their bounds.
struct Stack {
    nodes: [(Near, usize); DEEPEST],
    count: usize,
}

impl Stack {
    fn new() -> Self {
        Self { nodes: [(Near { distance: 0.0, record: 0 }, 0); DEEPEST], count: 0 }
    }

    fn push(&mut self, bound: Near, node: usize) {
        self.nodes[self.count] = (bound, node);
        self.count += 1;
    }

    fn push_two(&mut self, left: (Near, usize), right: (Near, usize), left_first: bool) {
        let (first, second) = if left_first { (left, right) } else { (right, left) };
        self.push(second.0, second.1);
        self.push(first.0, first.1);
    }

    fn pop(&mut self) -> Option<(Near, usize)> {
        self.count = self.count.checked_sub(1)?;
        Some(self.nodes[self.count])
    }
}

fn padded<const D: usize>(row: &[f64]) -> [f64; D] {
    let mut point = [0.0; D];
    point.iter_mut().zip(row).for_each(|(to, from)| *to = *from);
    point
}

/// Answers from the tree, and about the centroid from [`Outermost`].
#[derive(Debug)]
pub(crate) struct Pruned<'a, const D: usize> {
    points: &'a Points,
    remaining: Remaining<'a>,
    tree: Tree<D>,
    outermost: Outermost<'a>,
    nearest: Nearest,
}

impl<'a, const D: usize> Pruned<'a, D> {
    /// All points; they have at most `D` coordinates.
    pub fn new(points: &'a Points) -> Self {
        let remaining = Remaining::new(points);
        let outermost = Outermost::new(points, &remaining.records(), &remaining.centroid());
        Self { points, remaining, tree: Tree::new(points), outermost, nearest: Nearest::default() }
    }
}

impl<const D: usize> Unassigned for Pruned<'_, D> {
    fn len(&self) -> usize {
        self.remaining.len()
    }

    fn farthest_from_centroid(&mut self) -> Option<u32> {
        let Self { remaining, outermost, .. } = self;
        outermost.farthest(&remaining.centroid(), |record| remaining.has(record))
    }

    fn farthest_from(&mut self, record: u32) -> Option<u32> {
        self.tree.farthest(&padded(self.points.row(record)))
    }

    fn nearest(&mut self, record: u32, most: usize, into: &mut Vec<Near>) {
        self.nearest.keep(most);
        self.tree.nearest(&padded(self.points.row(record)), &mut self.nearest);
        self.nearest.drain_sorted(into);
    }

    fn remove(&mut self, record: u32) {
        self.tree.remove(record);
        if self.remaining.remove(record) {
            let left = self.remaining.records();
            self.tree.build(self.points, &left);
            self.outermost = Outermost::new(self.points, &left, &self.remaining.centroid());
        }
    }
}
