//! Triangles, clustering and transitivity. Every triangle is found once, from its node of lowest rank by degree: O(m^1.5).

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use serde::Serialize;

use crate::Graph;

/// How tightly friends of friends are tied.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Clustering {
    /// The mean over nodes of the share of pairs of their neighbours that know each other; 0 for fewer than two.
    pub local: f64,
    /// Three times the triangles by the paths of two edges.
    pub transitivity: f64,
    /// The number of triangles.
    pub triangles: u64,
}

/// Per node the triangles it is in, which is the number of edges between its neighbours. Directions are left out.
#[must_use]
pub fn triangles(graph: &Graph) -> Vec<u64> {
    if graph.is_directed() {
        return triangles(&graph.without_directions());
    }
    let nodes = graph.nodes() as u32;
    let rank = |node: u32| (graph.degree(node), node);
    // Per node the neighbours of higher rank, in rising order of their numbers.
    let mut offsets = Vec::with_capacity(nodes as usize + 1);
    let mut later: Vec<u32> = Vec::with_capacity(graph.edge_count() as usize);
    offsets.push(0);
    for node in 0..nodes {
        later.extend(graph.neighbours(node).iter().filter(|&&other| rank(other) > rank(node)));
        offsets.push(later.len());
    }
    let list = |node: u32| &later[offsets[node as usize]..offsets[node as usize + 1]];
    let counts: Vec<AtomicU64> = (0..nodes).map(|_| AtomicU64::new(0)).collect();
    (0..nodes).into_par_iter().with_min_len(256).for_each_init(
        || vec![false; nodes as usize],
        |marks, node| {
            list(node).iter().for_each(|&other| marks[other as usize] = true);
            let mut own = 0;
            for &other in list(node) {
                let mut shared = 0;
                for &third in list(other) {
                    if marks[third as usize] {
                        counts[third as usize].fetch_add(1, Ordering::Relaxed);
                        shared += 1;
                    }
                }
                counts[other as usize].fetch_add(shared, Ordering::Relaxed);
                own += shared;
            }
            counts[node as usize].fetch_add(own, Ordering::Relaxed);
            list(node).iter().for_each(|&other| marks[other as usize] = false);
        },
    );
    counts.into_iter().map(AtomicU64::into_inner).collect()
}

/// Clustering of a graph; directions are left out.
#[must_use]
pub fn clustering(graph: &Graph) -> Clustering {
    let flat = graph.is_directed().then(|| graph.without_directions());
    let graph = flat.as_ref().unwrap_or(graph);
    let around = triangles(graph);
    let pairs = |node: usize| {
        let degree = graph.degree(node as u32) as u64;
        degree * degree.saturating_sub(1) / 2
    };
    let share = |(node, &own): (usize, &u64)| if own == 0 { 0.0 } else { own as f64 / pairs(node) as f64 };
    let local: f64 = around.iter().enumerate().map(share).sum();
    let (total, paths) = (around.iter().sum::<u64>(), (0..around.len()).map(pairs).sum::<u64>());
    Clustering {
        local: local / around.len().max(1) as f64,
        transitivity: if paths == 0 { 0.0 } else { total as f64 / paths as f64 },
        triangles: total / 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn clustering_of_the_survey() {
        // survey FX-7.F1: one triangle; Raghu has 6 pairs of friends, Johannes 1, Ashwin 3.
        let edges = [(0, 2), (1, 2), (2, 3), (2, 4), (3, 4), (4, 5)];
        let found = clustering(&Graph::undirected(6, &edges).unwrap().0);
        assert_eq!(found.triangles, 1);
        assert!((found.local - (1.0 / 6.0 + 1.0 + 1.0 / 3.0) / 6.0).abs() < 1e-12);
        assert!((found.transitivity - 3.0 / 10.0).abs() < 1e-12);
        let empty = clustering(&Graph::undirected(2, &[]).unwrap().0);
        assert_eq!((empty.local, empty.transitivity), (0.0, 0.0));
    }

    proptest! {
        /// Against the edges between neighbours.
        #[test]
        fn triangles_are_edges_between_neighbours(edges in prop::collection::vec((0u32..9, 0u32..9), 0..30)) {
            let graph = Graph::undirected(9, &edges).unwrap().0;
            let expected: Vec<u64> =
                (0..9).map(|node| graph.induced(graph.neighbours(node)).edge_count()).collect();
            prop_assert_eq!(triangles(&graph), expected);
        }
    }
}
