//! The minimum spanning tree of points by Prim's algorithm over columns: no matrix of distances is kept.
//!
//! Growth: the square of the distinct points in time, linear in memory. Ties go to the lower point, so the tree is the same on every run.

use privet_data::{Cancelled, Progress};

use super::space::{Metric, Space};

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
    let axes = space.axes.len();
    // Distances of whole numbers below 2^53 are exact in f64, whose columns the compiler works on in parallel.
    let columns: Vec<Vec<f64>> =
        (0..axes).map(|axis| sites.iter().map(|site| f64::from(site[axis])).collect()).collect();
    let mut own = Prim {
        rest: (0..sites.len() as u32).collect(),
        columns,
        least: vec![f64::INFINITY; sites.len()],
        from: vec![0; sites.len()],
        row: Vec::new(),
    };
    let mut edges = Vec::with_capacity(sites.len().saturating_sub(1));
    progress.stage("minimum spanning tree", Some(sites.len() as u64));
    let mut at = own.take(0);
    while !own.rest.is_empty() {
        if edges.len() % 256 == 0 {
            progress.check()?;
            progress.at(edges.len() as u64);
        }
        own.relax(space, at);
        let next = own.nearest();
        let edge = (own.least[next] as i64, own.from[next]);
        at = own.take(next);
        edges.push(Edge { length: edge.0, a: edge.1.min(at.0), b: edge.1.max(at.0) });
    }
    edges.sort_unstable_by_key(|edge| (std::cmp::Reverse(edge.length), edge.a, edge.b));
    Ok(edges)
}

/// The points that the tree has not reached, as columns without gaps.
struct Prim {
    rest: Vec<u32>,
    columns: Vec<Vec<f64>>,
    least: Vec<f64>,
    from: Vec<u32>,
    row: Vec<f64>,
}

impl Prim {
    /// Takes a point out of those that are left.
    fn take(&mut self, place: usize) -> (u32, Vec<f64>) {
        let position = self.columns.iter_mut().map(|column| column.swap_remove(place)).collect();
        self.least.swap_remove(place);
        self.from.swap_remove(place);
        (self.rest.swap_remove(place), position)
    }

    /// Shortens the ways to the points that are left by a point that the tree has reached.
    fn relax(&mut self, space: &Space, (site, position): (u32, Vec<f64>)) {
        self.row.clear();
        self.row.resize(self.rest.len(), 0.0);
        for (axis, (column, &at)) in self.columns.iter().zip(&position).enumerate() {
            let mismatch = space.part(axis, 0, 1) as f64;
            let is_category = matches!(space.axes[axis].domain, super::space::AxisDomain::Categories { .. });
            let pairs = self.row.iter_mut().zip(column);
            match (space.metric, is_category) {
                (Metric::Euclidean, _) => pairs.for_each(|(sum, own)| *sum += (own - at) * (own - at)),
                (Metric::Gower, false) => pairs.for_each(|(sum, own)| *sum += (own - at).abs()),
                (Metric::Gower, true) => {
                    pairs.for_each(|(sum, own)| *sum += if *own == at { 0.0 } else { mismatch });
                }
            }
        }
        for ((least, from), &length) in self.least.iter_mut().zip(&mut self.from).zip(&self.row) {
            let shorter = length < *least || (length == *least && site < *from);
            *from = if shorter { site } else { *from };
            *least = if shorter { length } else { *least };
        }
    }

    /// The place of the nearest point that is left; the lower of equally near ones.
    fn nearest(&self) -> usize {
        let mut best = 0;
        for place in 1..self.least.len() {
            let (length, least) = (self.least[place], self.least[best]);
            if length < least || (length == least && self.rest[place] < self.rest[best]) {
                best = place;
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use privet_data::Silent;
    use proptest::prelude::*;

    use super::super::space::{Axis, AxisDomain};
    use super::*;
    use crate::Visibility;

    proptest! {
        /// The tree weighs as much as Kruskal's on all pairs.
        #[test]
        fn trees_are_minimal(points in prop::collection::btree_set((0u32..12, 0u32..12), 1..25), gower: bool) {
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
