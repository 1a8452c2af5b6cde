//! Graph representation (thesis 1.11, 2.15): users as nodes, an edge where two are proximate.
//!
//! The graph is written out, so it is for small surveys, for teaching and as an oracle; what scales asks
//! [`crate::Slicing`] instead.

use crate::{Reach, Survey, hamming_groups};

/// Who is proximate to whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProximityGraph {
    neighbours: Vec<Vec<u32>>,
}

impl ProximityGraph {
    /// The graph of a survey: edges only within Hamming groups.
    pub fn of(survey: &Survey, reach: Reach) -> Self {
        let mut neighbours = vec![Vec::new(); survey.users()];
        for group in hamming_groups(survey, reach) {
            for (at, &a) in group.users.iter().enumerate() {
                for &b in &group.users[at + 1..] {
                    if reach.everything || near(survey.row(a).1, survey.row(b).1, reach.ticks) {
                        neighbours[a as usize].push(b);
                        neighbours[b as usize].push(a);
                    }
                }
            }
        }
        neighbours.iter_mut().for_each(|own| own.sort_unstable());
        Self { neighbours }
    }

    /// A graph of edges between `nodes` nodes.
    pub fn of_edges(nodes: usize, edges: &[(u32, u32)]) -> Self {
        let mut neighbours = vec![Vec::new(); nodes];
        for &(a, b) in edges {
            neighbours[a as usize].push(b);
            neighbours[b as usize].push(a);
        }
        for own in &mut neighbours {
            own.sort_unstable();
            own.dedup();
        }
        Self { neighbours }
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.neighbours.len()
    }

    /// The neighbours of a node, ascending.
    pub fn neighbours(&self, node: u32) -> &[u32] {
        &self.neighbours[node as usize]
    }

    /// Every edge once, the smaller end first.
    pub fn edges(&self) -> Vec<(u32, u32)> {
        let ends = (0..self.nodes() as u32).flat_map(|a| self.neighbours(a).iter().map(move |&b| (a, b)));
        ends.filter(|(a, b)| a < b).collect()
    }

    /// Whether there is an edge.
    pub fn joins(&self, a: u32, b: u32) -> bool {
        self.neighbours(a).binary_search(&b).is_ok()
    }

    /// The smallest degree. The survey is (k, epsilon)-anonymous if and only if it is at least k - 1 (Thm 6.1).
    pub fn least_degree(&self) -> Option<usize> {
        self.neighbours.iter().map(Vec::len).min()
    }

    /// The connected components, each ascending, in the order of their first nodes.
    pub fn components(&self) -> Vec<Vec<u32>> {
        let mut seen = vec![false; self.nodes()];
        let mut all = Vec::new();
        for start in 0..self.nodes() as u32 {
            if std::mem::replace(&mut seen[start as usize], true) {
                continue;
            }
            let (mut component, mut open) = (Vec::new(), vec![start]);
            while let Some(node) = open.pop() {
                component.push(node);
                for &next in self.neighbours(node) {
                    if !std::mem::replace(&mut seen[next as usize], true) {
                        open.push(next);
                    }
                }
            }
            component.sort_unstable();
            all.push(component);
        }
        all
    }
}

fn near(a: &[u8], b: &[u8], ticks: u8) -> bool {
    a.iter().zip(b).all(|(a, b)| a.abs_diff(*b) <= ticks)
}
