//! The points nearest to a point, among points that come, move and go.
//!
//! A binary tree of bounding boxes. A box holds at least its points: it grows when one moves and is tight again when
//! it is rebuilt, so answers are always exact, and only their speed depends on its history. A part of the tree that
//! has become lopsided is rebuilt (Galperin and Rivest 1993), so that points in any order cost O(log n) levels.
//! Distances are Euclidean. Among equally near points any may be given, but always the same for the same history.

/// Points in a leaf, at most.
const LEAF: usize = 16;
const NONE: u32 = u32::MAX;

#[derive(Debug, Clone)]
struct Node {
    parent: u32,
    /// Both [`NONE`] in a leaf.
    children: [u32; 2],
    /// Points below.
    points: u32,
    /// The points of a leaf.
    members: Vec<u32>,
}

/// Points by their numbers.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    dimension: usize,
    positions: Vec<f64>,
    leaf_of: Vec<u32>,
    nodes: Vec<Node>,
    /// Per node its least coordinates, then its largest.
    boxes: Vec<f64>,
    free: Vec<u32>,
}

/// What a query found, and what it needs meanwhile; kept between queries to spare the memory allocator.
#[derive(Debug, Clone, Default)]
pub(super) struct Query {
    /// Squared distances and numbers of the nearest points, the nearest first.
    pub(super) found: Vec<(f64, u32)>,
    open: Vec<(f64, u32)>,
}

impl Tree {
    /// A tree of points, numbered in their order; `positions` holds their coordinates one after another.
    pub(super) fn new(dimension: usize, positions: Vec<f64>) -> Self {
        let count = positions.len() / dimension.max(1);
        let mut tree = Self {
            dimension,
            positions,
            leaf_of: vec![NONE; count],
            nodes: Vec::new(),
            boxes: Vec::new(),
            free: Vec::new(),
        };
        let root = tree.make_node(NONE);
        let mut all: Vec<u32> = (0..count as u32).collect();
        tree.fill(root, &mut all);
        tree
    }

    /// Where a point is.
    pub(super) fn position(&self, point: u32) -> &[f64] {
        &self.positions[point as usize * self.dimension..][..self.dimension]
    }

    /// Finds the `count` nearest points to a position.
    pub(super) fn nearest(&self, position: &[f64], count: usize, query: &mut Query) {
        query.found.clear();
        query.open.clear();
        if count == 0 || self.nodes[0].points == 0 {
            return;
        }
        query.open.push((0.0, 0));
        while let Some((bound, node)) = query.open.pop() {
            let full = query.found.len() == count;
            if full && query.found.last().is_some_and(|worst| bound >= worst.0) {
                continue;
            }
            let Node { children, members, .. } = &self.nodes[node as usize];
            if children[0] == NONE {
                for &point in members {
                    let distance = squared_distance(position, self.position(point));
                    keep(&mut query.found, count, (distance, point));
                }
                continue;
            }
            let mut both = children.map(|child| (self.bound(child, position), child));
            if both[0].0 < both[1].0 {
                both.swap(0, 1);
            }
            // The nearer one is opened first.
            query.open.extend(both.into_iter().filter(|&(_, child)| self.nodes[child as usize].points > 0));
        }
    }

    /// Adds a point and returns its number.
    pub(super) fn push(&mut self, position: &[f64]) -> u32 {
        let point = self.leaf_of.len() as u32;
        self.positions.extend_from_slice(position);
        self.leaf_of.push(NONE);
        let mut node = 0;
        let mut lopsided = None;
        loop {
            self.stretch(node, position);
            let here = &mut self.nodes[node as usize];
            here.points += 1;
            let Node { children, points, .. } = *here;
            if children[0] == NONE {
                break;
            }
            let larger =
                children.map(|child| self.nodes[child as usize].points).into_iter().max().unwrap_or(0);
            if lopsided.is_none() && points as usize > 4 * LEAF && f64::from(larger) > 0.7 * f64::from(points)
            {
                lopsided = Some(node);
            }
            let [left, right] =
                children.map(|child| (self.bound(child, position), self.nodes[child as usize].points));
            node = children[usize::from(right < left)];
        }
        self.leaf_of[point as usize] = node;
        let members = &mut self.nodes[node as usize].members;
        members.push(point);
        if let Some(top) = lopsided {
            let mut members = self.empty(top);
            self.fill(top, &mut members);
        } else if members.len() > LEAF {
            let mut members = std::mem::take(members);
            self.fill(node, &mut members);
        }
        point
    }

    /// Moves a point.
    pub(super) fn place(&mut self, point: u32, position: &[f64]) {
        self.positions[point as usize * self.dimension..][..self.dimension].copy_from_slice(position);
        let mut node = self.leaf_of[point as usize];
        while node != NONE {
            self.stretch(node, position);
            node = self.nodes[node as usize].parent;
        }
    }

    /// Takes a point away.
    pub(super) fn remove(&mut self, point: u32) {
        let mut node = std::mem::replace(&mut self.leaf_of[point as usize], NONE);
        if node != NONE {
            self.nodes[node as usize].members.retain(|&member| member != point);
        }
        while node != NONE {
            self.nodes[node as usize].points -= 1;
            node = self.nodes[node as usize].parent;
        }
    }

    /// Hangs points below an empty node, halved along the widest side of their box until they fit a leaf.
    fn fill(&mut self, node: u32, points: &mut [u32]) {
        let sides = node as usize * 2 * self.dimension;
        self.boxes[sides..][..self.dimension].fill(f64::INFINITY);
        self.boxes[sides + self.dimension..][..self.dimension].fill(f64::NEG_INFINITY);
        for &point in &*points {
            for side in 0..self.dimension {
                let x = self.positions[point as usize * self.dimension + side];
                let (low, high) = (sides + side, sides + self.dimension + side);
                self.boxes[low] = self.boxes[low].min(x);
                self.boxes[high] = self.boxes[high].max(x);
            }
        }
        self.nodes[node as usize].points = points.len() as u32;
        if points.len() <= LEAF {
            for &point in &*points {
                self.leaf_of[point as usize] = node;
            }
            self.nodes[node as usize].members = points.to_vec();
            return;
        }
        let width = |side: usize| self.boxes[sides + self.dimension + side] - self.boxes[sides + side];
        let widest = (0..self.dimension).max_by(|&a, &b| width(a).total_cmp(&width(b))).unwrap_or(0);
        let along = |point: u32| self.positions[point as usize * self.dimension + widest];
        let middle = points.len() / 2;
        points.select_nth_unstable_by(middle, |&a, &b| along(a).total_cmp(&along(b)).then(a.cmp(&b)));
        let (left, right) = points.split_at_mut(middle);
        let children = [self.make_node(node), self.make_node(node)];
        self.nodes[node as usize].children = children;
        self.fill(children[0], left);
        self.fill(children[1], right);
    }

    /// Takes all points from below a node, which becomes an empty leaf.
    fn empty(&mut self, top: u32) -> Vec<u32> {
        let mut points = Vec::with_capacity(self.nodes[top as usize].points as usize);
        let mut open = vec![top];
        while let Some(node) = open.pop() {
            points.append(&mut self.nodes[node as usize].members);
            let children = std::mem::replace(&mut self.nodes[node as usize].children, [NONE; 2]);
            open.extend(children.into_iter().filter(|&child| child != NONE));
            if node != top {
                self.free.push(node);
            }
        }
        points
    }

    fn make_node(&mut self, parent: u32) -> u32 {
        let node = Node { parent, children: [NONE; 2], points: 0, members: Vec::new() };
        if let Some(number) = self.free.pop() {
            self.nodes[number as usize] = node;
            return number;
        }
        self.nodes.push(node);
        self.boxes.resize(self.nodes.len() * 2 * self.dimension, 0.0);
        self.nodes.len() as u32 - 1
    }

    /// Makes the box of a node hold a position.
    fn stretch(&mut self, node: u32, position: &[f64]) {
        let sides = &mut self.boxes[node as usize * 2 * self.dimension..][..2 * self.dimension];
        let (low, high) = sides.split_at_mut(self.dimension);
        for ((low, high), &x) in low.iter_mut().zip(high).zip(position) {
            *low = low.min(x);
            *high = high.max(x);
        }
    }

    /// The squared distance of a position to the box of a node: no point in it is nearer.
    fn bound(&self, node: u32, position: &[f64]) -> f64 {
        let sides = &self.boxes[node as usize * 2 * self.dimension..][..2 * self.dimension];
        let (low, high) = sides.split_at(self.dimension);
        let gaps =
            low.iter().zip(high).zip(position).map(|((low, high), x)| (low - x).max(x - high).max(0.0));
        gaps.map(|gap| gap * gap).sum()
    }
}

fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// Keeps the `count` nearest, in order.
fn keep(found: &mut Vec<(f64, u32)>, count: usize, candidate: (f64, u32)) {
    if found.len() == count {
        if found.last().is_some_and(|worst| candidate.0 >= worst.0) {
            return;
        }
        found.pop();
    }
    let at = found.partition_point(|other| other.0 <= candidate.0);
    found.insert(at, candidate);
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_recode::lattice::Random;

    /// Against a look at every point, while points come in order and out of order, move and go.
    #[test]
    fn finds_what_a_scan_finds() {
        for (dimension, seed) in [(1, 1), (2, 2), (3, 3), (7, 4)] {
            let mut random = Random::new(seed);
            let mut tree = Tree::new(dimension, (0..40 * dimension).map(|_| random.unit()).collect());
            let mut there: Vec<u32> = (0..40).collect();
            let mut query = Query::default();
            for round in 0..1500u32 {
                let spread = if round % 3 == 0 { f64::from(round) } else { 1.0 };
                let position: Vec<f64> =
                    (0..dimension).map(|_| (random.unit() * 8.0).floor() * spread).collect();
                match random.below(6) {
                    0 if !there.is_empty() => tree.remove(there.swap_remove(random.below(there.len()))),
                    1 if !there.is_empty() => tree.place(there[random.below(there.len())], &position),
                    _ => there.push(tree.push(&position)),
                }
                let from: Vec<f64> = (0..dimension).map(|_| random.unit() * 8.0).collect();
                let count = random.below(5);
                tree.nearest(&from, count, &mut query);
                let mut expected: Vec<f64> =
                    there.iter().map(|&point| squared_distance(&from, tree.position(point))).collect();
                expected.sort_by(f64::total_cmp);
                expected.truncate(count);
                let found: Vec<f64> = query.found.iter().map(|found| found.0).collect();
                assert_eq!(found, expected);
                assert!(query.found.iter().all(|found| there.contains(&found.1)));
            }
            assert_eq!(tree.nodes[0].points as usize, there.len());
        }
    }

    #[test]
    fn points_in_order_and_equal_points_make_no_deep_tree() {
        for step in [0.0, 1.0] {
            let mut tree = Tree::new(1, Vec::new());
            for n in 0..20_000 {
                tree.push(&[f64::from(n) * step]);
            }
            let depth = |point: u32| {
                let up =
                    |&node: &u32| Some(tree.nodes[node as usize].parent).filter(|&parent| parent != NONE);
                std::iter::successors(Some(tree.leaf_of[point as usize]), up).count()
            };
            assert!((0..20_000).map(depth).max().unwrap() < 40);
            let mut query = Query::default();
            tree.nearest(&[7.2], 2, &mut query);
            assert_eq!(query.found.len(), 2);
            assert!(step == 0.0 || query.found[0].1 == 7 && query.found[1].1 == 8);
        }
    }
}
