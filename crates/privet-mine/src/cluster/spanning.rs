//! The minimum spanning tree of points by Borůvka's algorithm over boxes: no matrix of distances is kept or computed.
//!
//! Every round joins each part to the nearest point outside, and halves the parts at least. A point whose nearest outside point is still
//! outside is not looked up again; boxes that lie in one part are passed over. Edges are ordered by length, then by their ends, so the tree
//! is the only one and the same on every run.
//!
//! Growth: about points × log² points where axes are few, linear in memory.

use privet_data::{Cancelled, Progress};

use super::boxes::Boxes;
use super::space::Space;

/// An edge of the tree, between two distinct points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Edge {
    /// The distance, squared under the Euclidean metric.
    pub length: i64,
    /// One end.
    pub a: u32,
    /// The other end.
    pub b: u32,
}

/// The edges of a minimum spanning tree, the longest first.
pub(crate) fn spanning_tree(
    space: &Space,
    sites: &[Vec<u32>],
    progress: &dyn Progress,
) -> Result<Vec<Edge>, Cancelled> {
    let axes: Vec<usize> = (0..space.axes.len()).collect();
    let mut own = Parts::new(Boxes::new(space, &axes, sites), sites);
    let mut edges = Vec::with_capacity(sites.len().saturating_sub(1));
    progress.stage("minimum spanning tree", Some(sites.len() as u64));
    while edges.len() + 1 < sites.len() {
        progress.at(edges.len() as u64);
        own.join(progress, &mut edges)?;
    }
    edges.sort_unstable_by_key(|edge| (std::cmp::Reverse(edge.length), edge.a, edge.b));
    Ok(edges)
}

/// An edge as it is ordered: its length, its lower and its higher end.
type Ordered = (i64, u32, u32);

/// No edge.
const NONE: Ordered = (i64::MAX, u32::MAX, u32::MAX);
/// A box with points of several parts.
const MIXED: u32 = u32::MAX;

/// The parts that are joined so far.
struct Parts<'a> {
    boxes: Boxes,
    sites: &'a [Vec<u32>],
    /// Per point its part, named by one of its points.
    part: Vec<u32>,
    /// Per node the part of all its points.
    part_of_node: Vec<u32>,
    /// Per point the nearest point outside when it was last looked up, with its distance; itself before.
    nearest: Vec<(i64, u32)>,
    /// Per point a distance that no point outside is below.
    least: Vec<i64>,
}

impl<'a> Parts<'a> {
    fn new(boxes: Boxes, sites: &'a [Vec<u32>]) -> Self {
        let points = sites.len() as u32;
        Self {
            part_of_node: vec![MIXED; boxes.nodes.len()],
            boxes,
            sites,
            part: (0..points).collect(),
            nearest: (0..points).map(|point| (0, point)).collect(),
            least: vec![0; sites.len()],
        }
    }

    /// Joins every part to the nearest point outside.
    fn join(&mut self, progress: &dyn Progress, edges: &mut Vec<Edge>) -> Result<(), Cancelled> {
        self.name_nodes();
        let mut best = vec![NONE; self.sites.len()];
        let mut open = Vec::new();
        for place in 0..self.boxes.order.len() {
            let point = self.boxes.order[place];
            let (length, other) = self.nearest[point as usize];
            let part = self.part[point as usize];
            match self.part[other as usize] == part {
                true => open.push(point),
                false => {
                    let best = &mut best[part as usize];
                    *best = (*best).min((length, point.min(other), point.max(other)));
                }
            }
        }
        for (done, &point) in open.iter().enumerate() {
            if done % 1024 == 0 {
                progress.check()?;
            }
            let part = self.part[point as usize];
            let bound = best[part as usize].0;
            if self.least[point as usize] > bound {
                continue;
            }
            match self.look_up(point, part, bound) {
                Some((length, other)) => {
                    self.nearest[point as usize] = (length, other);
                    self.least[point as usize] = length;
                    let best = &mut best[part as usize];
                    *best = (*best).min((length, point.min(other), point.max(other)));
                }
                None => self.least[point as usize] = bound.saturating_add(1),
            }
        }
        let mut found: Vec<Ordered> = best.into_iter().filter(|&own| own != NONE).collect();
        found.sort_unstable();
        for (length, a, b) in found {
            let (of_a, of_b) = (self.name(a), self.name(b));
            if of_a != of_b {
                self.part[of_a.max(of_b) as usize] = of_a.min(of_b);
                edges.push(Edge { length, a, b });
            }
        }
        (0..self.part.len() as u32).for_each(|point| self.part[point as usize] = self.name(point));
        Ok(())
    }

    /// The nearest point of another part, no farther than a bound.
    fn look_up(&self, point: u32, part: u32, bound: i64) -> Option<(i64, u32)> {
        self.boxes.nearest(
            &self.sites[point as usize],
            bound,
            |node| self.part_of_node[node as usize] == part,
            |other| self.part[other as usize] == part,
            |other| (point.min(other), point.max(other)),
        )
    }

    /// The point that names the part of a point, while parts are joined.
    fn name(&mut self, point: u32) -> u32 {
        let mut at = point;
        while self.part[at as usize] != at {
            self.part[at as usize] = self.part[self.part[at as usize] as usize];
            at = self.part[at as usize];
        }
        at
    }

    /// Finds the boxes that lie in one part; children come after their parents.
    fn name_nodes(&mut self) {
        for node in (0..self.boxes.nodes.len()).rev() {
            let own = &self.boxes.nodes[node];
            let common = |a: u32, b: u32| if a == b { a } else { MIXED };
            self.part_of_node[node] = match own.children {
                Some((low, high)) => {
                    common(self.part_of_node[low as usize], self.part_of_node[high as usize])
                }
                None => {
                    let points = &self.boxes.order[own.points.start as usize..own.points.end as usize];
                    let parts = points.iter().map(|&point| self.part[point as usize]);
                    parts.reduce(common).unwrap_or(MIXED)
                }
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use privet_data::Silent;
    use proptest::prelude::*;

    use super::super::space::{Axis, AxisDomain, Metric};
    use super::*;
    use crate::Visibility;

    proptest! {
        /// The tree weighs as much as Kruskal's on all pairs.
        #[test]
        fn trees_are_minimal(points in prop::collection::btree_set((0u32..12, 0u32..12), 1..80), gower: bool) {
            let metric = if gower { Metric::Gower } else { Metric::Euclidean };
            let axis = |name: &str| Axis {
                name: name.to_owned(),
                visibility: Visibility::Public,
                domain: AxisDomain::Numbers { low: 0.0, high: 12.0, steps: 12 },
            };
            let space = Space { axes: vec![axis("x"), axis("y")], metric };
            let sites: Vec<Vec<u32>> = points.into_iter().map(|(x, y)| vec![x, y]).collect();
            let found: i64 =
                spanning_tree(&space, &sites, &Silent).unwrap().iter().map(|edge| edge.length).sum();
            let mut pairs = Vec::new();
            for a in 0..sites.len() {
                for b in 0..a {
                    pairs.push((space.distance(&[0, 1], &sites[a], &sites[b]), a, b));
                }
            }
            pairs.sort_unstable();
            let mut part: Vec<usize> = (0..sites.len()).collect();
            let mut expected = 0;
            for (length, a, b) in pairs {
                let (of_a, of_b) = (part[a], part[b]);
                if of_a != of_b {
                    expected += length;
                    part.iter_mut().filter(|own| **own == of_a).for_each(|own| *own = of_b);
                }
            }
            prop_assert_eq!(found, expected);
        }
    }
}
