//! k-decomposability (thesis 1.11): whether a graph splits into disjoint cliques of at least k nodes. Exact.
//!
//! Deciding it is hard in general (Thm 6.2), so this search is for components of at most [`ExactDecomposition::MOST`] nodes:
//! the lowest node that is left belongs to some clique; all are tried, and sets that failed are remembered. Printed is
//! "the union of V_i is E"; V is meant.

use foldhash::HashSet;

use super::ProximityGraph;

/// The exact search for a decomposition.
#[derive(Debug)]
pub struct ExactDecomposition;

impl ExactDecomposition {
    /// The most nodes of a component.
    pub const MOST: usize = 20;

    /// Disjoint cliques of at least `k` nodes that cover a component, each of which `accepts` takes; none where there are
    /// none. Nothing where the component is too large for an exact search.
    pub fn of(
        graph: &ProximityGraph,
        component: &[u32],
        k: usize,
        accepts: &dyn Fn(&[u32]) -> bool,
    ) -> Option<Option<Vec<Vec<u32>>>> {
        let count = component.len();
        if count > Self::MOST {
            return None;
        }
        let near: Vec<u32> = (component.iter())
            .map(|&a| {
                let joined = component.iter().enumerate().filter(|&(_, &b)| graph.joins(a, b));
                joined.fold(0u32, |mask, (at, _)| mask | 1 << at)
            })
            .collect();
        let all = if count == 0 { 0 } else { u32::MAX >> (32 - count) };
        let mut search =
            Search { near, k, component, accepts, hopeless: HashSet::default(), chosen: Vec::new() };
        let found = search.cover(all);
        let groups = search.chosen.iter().map(|&mask| search.nodes(mask)).collect();
        Some(found.then_some(groups))
    }
}

struct Search<'a> {
    near: Vec<u32>,
    k: usize,
    component: &'a [u32],
    accepts: &'a dyn Fn(&[u32]) -> bool,
    hopeless: HashSet<u32>,
    chosen: Vec<u32>,
}

impl Search<'_> {
    fn nodes(&self, mask: u32) -> Vec<u32> {
        let at = (0..self.component.len()).filter(|at| mask >> at & 1 == 1);
        at.map(|at| self.component[at]).collect()
    }

    fn cover(&mut self, left: u32) -> bool {
        if left == 0 {
            return true;
        }
        if (left.count_ones() as usize) < self.k || self.hopeless.contains(&left) {
            return false;
        }
        let first = left.trailing_zeros();
        let found = self.grow(left, 1 << first, self.near[first as usize] & left);
        if !found {
            self.hopeless.insert(left);
        }
        found
    }

    /// Extends a clique by nodes of `open`, all of which are joined to all of it.
    fn grow(&mut self, left: u32, clique: u32, open: u32) -> bool {
        let size = clique.count_ones() as usize;
        if size + (open.count_ones() as usize) < self.k {
            return false;
        }
        if size >= self.k && (self.accepts)(&self.nodes(clique)) {
            self.chosen.push(clique);
            if self.cover(left & !clique) {
                return true;
            }
            self.chosen.pop();
        }
        let mut rest = open;
        while rest != 0 {
            let next = rest.trailing_zeros();
            rest &= rest - 1;
            if self.grow(left, clique | 1 << next, rest & self.near[next as usize]) {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decomposes(nodes: usize, edges: &[(u32, u32)], k: usize) -> bool {
        let graph = ProximityGraph::of_edges(nodes, edges);
        graph.components().iter().all(|component| {
            let found = ExactDecomposition::of(&graph, component, k, &|_| true).unwrap();
            if let Some(groups) = &found {
                let mut covered: Vec<u32> = groups.concat();
                covered.sort_unstable();
                assert_eq!(&covered, component);
                for group in groups {
                    assert!(group.len() >= k);
                    assert!(group.iter().all(|&a| group.iter().all(|&b| a == b || graph.joins(a, b))));
                }
            }
            found.is_some()
        })
    }

    /// The component {1..4} of Table 6.2 at epsilon 2 is 2-decomposable and not 3-decomposable.
    #[test]
    fn table_6_2() {
        let edges = [(0, 1), (0, 2), (0, 3), (1, 2), (2, 3)];
        assert!(decomposes(4, &edges, 2) && !decomposes(4, &edges, 3));
    }

    /// Fig 6.6: all degrees are at least 3, and the graph is not 4-decomposable. K_{3,3} is such a graph.
    #[test]
    fn k33_has_degrees_and_no_cliques() {
        let edges: Vec<(u32, u32)> = (0..3).flat_map(|a| (3..6).map(move |b| (a, b))).collect();
        assert_eq!(ProximityGraph::of_edges(6, &edges).least_degree(), Some(3));
        assert!(decomposes(6, &edges, 2) && !decomposes(6, &edges, 3) && !decomposes(6, &edges, 4));
    }

    #[test]
    fn large_components_are_left_alone() {
        let edges: Vec<(u32, u32)> = (0..30).map(|a| (a, a + 1)).collect();
        let graph = ProximityGraph::of_edges(31, &edges);
        assert!(ExactDecomposition::of(&graph, &graph.components()[0], 2, &|_| true).is_none());
    }
}
