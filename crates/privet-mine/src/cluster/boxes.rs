//! Points in nested boxes (a kd-tree, Bentley 1975): what is far away is passed over box by box, exactly.
//!
//! Every node holds the least and the largest position of its points per axis. Distances to a box are lower bounds of the distances to its
//! points, in whole numbers, so nothing is passed over that could win or tie.
//!
//! Growth: points × log points to build, linear in memory. A search looks at about log points boxes where axes are few, and at all of them
//! where axes are many.

use std::ops::Range;

use super::space::{AxisDomain, Metric, Space};

/// The most points of a node without children.
const LEAF: usize = 8;

/// How an axis counts in distances.
#[derive(Debug, Clone, Copy)]
enum Part {
    Square,
    Absolute,
    Mismatch(i64),
}

impl Part {
    fn between(self, a: u32, b: u32) -> i64 {
        let difference = i64::from(a) - i64::from(b);
        match self {
            Part::Square => difference * difference,
            Part::Absolute => difference.abs(),
            Part::Mismatch(length) => i64::from(difference != 0) * length,
        }
    }

    /// The least that a position counts beside those of an interval.
    fn outside(self, at: u32, low: u32, high: u32) -> i64 {
        match self {
            Part::Mismatch(_) if low <= at && at <= high => 0,
            own => own.between(at, at.clamp(low, high)),
        }
    }
}

/// A node: its points, as places in the order, and its children, which come after it.
#[derive(Debug)]
pub(super) struct Node {
    pub points: Range<u32>,
    pub children: Option<(u32, u32)>,
}

/// The tree.
#[derive(Debug)]
pub(super) struct Boxes {
    axes: Vec<usize>,
    parts: Vec<Part>,
    pub nodes: Vec<Node>,
    /// Per node and axis the least and the largest position.
    ends: Vec<(u32, u32)>,
    /// The points in the order of the nodes, and their positions, row by row.
    pub order: Vec<u32>,
    positions: Vec<u32>,
}

impl Boxes {
    /// The points by some of their axes.
    pub fn new(space: &Space, axes: &[usize], points: &[Vec<u32>]) -> Self {
        let part = |&axis: &usize| match (space.metric, &space.axes[axis].domain) {
            (Metric::Euclidean, _) => Part::Square,
            (Metric::Gower, AxisDomain::Numbers { .. }) => Part::Absolute,
            (Metric::Gower, AxisDomain::Categories { .. }) => Part::Mismatch(space.part(axis, 0, 1)),
        };
        let mut own = Self {
            axes: axes.to_vec(),
            parts: axes.iter().map(part).collect(),
            nodes: Vec::new(),
            ends: Vec::new(),
            order: (0..points.len() as u32).collect(),
            positions: Vec::with_capacity(points.len() * axes.len()),
        };
        own.build(points, 0..points.len());
        for &point in &own.order {
            own.positions.extend(own.axes.iter().map(|&axis| points[point as usize][axis]));
        }
        own
    }

    /// Adds the node of some places and all below it, and gives its number.
    fn build(&mut self, points: &[Vec<u32>], places: Range<usize>) -> u32 {
        let number = self.nodes.len();
        let inside = &mut self.order[places.clone()];
        let mut widest = (0, 0);
        for (place, (&axis, part)) in self.axes.iter().zip(&self.parts).enumerate() {
            let ends = inside.iter().fold((u32::MAX, 0), |(low, high), &point| {
                let at = points[point as usize][axis];
                (low.min(at), high.max(at))
            });
            let width = if inside.is_empty() { 0 } else { part.between(ends.0, ends.1) };
            widest = widest.max((width, place + 1));
            self.ends.push(ends);
        }
        self.nodes.push(Node { points: places.start as u32..places.end as u32, children: None });
        if places.len() > LEAF && widest.0 > 0 {
            let axis = self.axes[widest.1 - 1];
            let middle = places.len() / 2;
            inside.select_nth_unstable_by_key(middle, |&point| (points[point as usize][axis], point));
            let middle = places.start + middle;
            let low = self.build(points, places.start..middle);
            let high = self.build(points, middle..places.end);
            self.nodes[number].children = Some((low, high));
        }
        number as u32
    }

    /// The positions of a point, by its place in the order.
    pub fn at(&self, place: usize) -> &[u32] {
        &self.positions[place * self.axes.len()..][..self.axes.len()]
    }

    /// The ends of a node, per axis.
    pub fn ends(&self, node: u32) -> &[(u32, u32)] {
        &self.ends[node as usize * self.axes.len()..][..self.axes.len()]
    }

    /// The distance of positions to a point, over the first so many axes of the tree.
    pub fn length(&self, from: &[u32], place: usize) -> i64 {
        let pairs = from.iter().zip(self.at(place));
        self.parts.iter().zip(pairs).map(|(part, (&a, &b))| part.between(a, b)).sum()
    }

    /// A lower bound of the distance of positions to the points of a node, over the first so many axes of the tree.
    pub fn gap(&self, from: &[u32], node: u32) -> i64 {
        let pairs = from.iter().zip(self.ends(node));
        self.parts.iter().zip(pairs).map(|(part, (&at, &(low, high)))| part.outside(at, low, high)).sum()
    }

    /// The nearest point of those that are not passed over, no farther than a bound: its distance and number. The least `tie` wins among
    /// equally near ones.
    pub fn nearest<K: Ord>(
        &self,
        from: &[u32],
        bound: i64,
        skips_node: impl Fn(u32) -> bool,
        skips_point: impl Fn(u32) -> bool,
        tie: impl Fn(u32) -> K,
    ) -> Option<(i64, u32)> {
        let mut best: Option<(i64, K, u32)> = None;
        let mut bound = bound;
        let mut open = vec![(self.gap(from, 0), 0u32)];
        while let Some((gap, node)) = open.pop() {
            if gap > bound || skips_node(node) {
                continue;
            }
            let own = &self.nodes[node as usize];
            if let Some((low, high)) = own.children {
                let (a, b) = ((self.gap(from, low), low), (self.gap(from, high), high));
                // The nearer box is looked at first.
                open.extend(if a.0 < b.0 { [b, a] } else { [a, b] });
                continue;
            }
            for place in own.points.start as usize..own.points.end as usize {
                let point = self.order[place];
                let length = self.length(from, place);
                if length > bound || skips_point(point) {
                    continue;
                }
                let found = (length, tie(point), point);
                if best.as_ref().is_none_or(|best| (found.0, &found.1) < (best.0, &best.1)) {
                    bound = length;
                    best = Some(found);
                }
            }
        }
        best.map(|(length, _, point)| (length, point))
    }

    /// Appends all points no farther than a bound, with their distances.
    pub fn within(&self, from: &[u32], bound: i64, out: &mut Vec<(i64, u32)>) {
        let mut open = vec![0u32];
        while let Some(node) = open.pop() {
            if self.gap(from, node) > bound {
                continue;
            }
            let own = &self.nodes[node as usize];
            if let Some((low, high)) = own.children {
                open.extend([high, low]);
                continue;
            }
            for place in own.points.start as usize..own.points.end as usize {
                let length = self.length(from, place);
                if length <= bound {
                    out.push((length, self.order[place]));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::space::Axis;
    use super::*;
    use crate::Visibility;

    proptest! {
        /// The nearest point is the first of the nearest by hand, with numbers and categories, whatever is passed over.
        #[test]
        fn nearest_points_are_those_by_hand(
            own in prop::collection::vec((0u32..30, 0u32..30, 0u32..4), 1..60), from in (0u32..30, 0u32..30, 0u32..4), skipped in 0u32..60
        ) {
            let numbers = || AxisDomain::Numbers { low: 0.0, high: 30.0, steps: 30 };
            let values = (0..4).map(|value| value.to_string()).collect();
            let domains = [numbers(), numbers(), AxisDomain::Categories { values }];
            let axis = |(place, domain)| Axis { name: format!("a{place}"), visibility: Visibility::Public, domain };
            let space = Space { axes: domains.into_iter().enumerate().map(axis).collect(), metric: Metric::Gower };
            let points: Vec<Vec<u32>> = own.into_iter().map(|(a, b, c)| vec![a, b, c]).collect();
            let from = [from.0, from.1, from.2];
            let boxes = Boxes::new(&space, &[0, 1, 2], &points);
            let found = boxes.nearest(&from, i64::MAX, |_| false, |point| point == skipped, |point| point);
            let length = |point: usize| space.distance(&[0, 1, 2], &points[point], &from);
            let expected = (0..points.len()).filter(|&point| point as u32 != skipped).min_by_key(|&point| length(point));
            prop_assert_eq!(found, expected.map(|point| (length(point), point as u32)));
            let bound = i64::from(skipped);
            let mut within = Vec::new();
            boxes.within(&from, bound, &mut within);
            within.sort_unstable_by_key(|&(_, point)| point);
            let near = (0..points.len()).map(|point| (length(point), point as u32));
            prop_assert_eq!(within, near.filter(|(length, _)| *length <= bound).collect::<Vec<_>>());
        }
    }
}
