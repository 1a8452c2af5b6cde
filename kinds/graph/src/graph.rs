//! Simple graphs in compressed adjacency: no self-loops, no edge twice, neighbours in rising order.
//!
//! An undirected edge takes eight bytes, a node eight more; 77 million edges between five million nodes fit into 660 MB.
//! Algorithms that change a graph work on an [`Editor`](crate::Editor) beside it.

use rayon::prelude::*;
use serde::Serialize;

use crate::GraphError;

/// The most nodes that a graph may have: their numbers are `u32`, and the last stands for "none".
pub const MOST_NODES: u64 = u32::MAX as u64;

/// No node: for people who are not published, and the like.
pub const NOBODY: u32 = u32::MAX;

/// What was left out to make a graph simple.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Cleaning {
    /// Edges that were given.
    pub given: u64,
    /// Edges from a node to itself, left out.
    pub self_loops: u64,
    /// Edges that were given before, in an undirected graph in either direction, left out.
    pub duplicates: u64,
    /// Edges that are kept.
    pub kept: u64,
    /// Nodes without an edge, which are kept.
    pub isolated: u64,
    /// Directed edges whose direction was dropped.
    pub directions: u64,
}

/// A simple graph whose nodes are numbers from 0 on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    forward: Adjacency,
    /// Of a directed graph, who points at a node.
    backward: Option<Adjacency>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Adjacency {
    offsets: Vec<usize>,
    targets: Vec<u32>,
}

impl Adjacency {
    #[inline]
    fn of(&self, node: u32) -> &[u32] {
        &self.targets[self.offsets[node as usize]..self.offsets[node as usize + 1]]
    }

    /// Lists per node, in rising order, with repetitions removed.
    fn new(nodes: usize, arcs: impl Fn(&mut dyn FnMut(u32, u32))) -> Self {
        let mut offsets = vec![0usize; nodes + 1];
        arcs(&mut |from, _| offsets[from as usize + 1] += 1);
        for node in 0..nodes {
            offsets[node + 1] += offsets[node];
        }
        let mut targets = vec![0u32; offsets[nodes]];
        let mut next = offsets.clone();
        arcs(&mut |from, to| {
            targets[next[from as usize]] = to;
            next[from as usize] += 1;
        });
        drop(next);
        let mut lists: Vec<&mut [u32]> = Vec::with_capacity(nodes);
        let mut rest = targets.as_mut_slice();
        for node in 0..nodes {
            let (list, others) = rest.split_at_mut(offsets[node + 1] - offsets[node]);
            lists.push(list);
            rest = others;
        }
        lists.par_iter_mut().with_min_len(1024).for_each(|list| list.sort_unstable());
        drop(lists);
        Self { offsets, targets }.deduplicated()
    }

    fn deduplicated(mut self) -> Self {
        let nodes = self.offsets.len() - 1;
        let mut kept = 0;
        for node in 0..nodes {
            let (start, end) = (self.offsets[node], self.offsets[node + 1]);
            self.offsets[node] = kept;
            let mut before = None;
            for place in start..end {
                let target = self.targets[place];
                if before != Some(target) {
                    self.targets[kept] = target;
                    kept += 1;
                }
                before = Some(target);
            }
        }
        self.offsets[nodes] = kept;
        self.targets.truncate(kept);
        self.targets.shrink_to_fit();
        self
    }
}

impl Graph {
    /// An undirected graph.
    ///
    /// ```
    /// use privet_graph::Graph;
    /// let (graph, cleaning) = Graph::undirected(3, &[(0, 1), (1, 0), (2, 2)])?;
    /// assert_eq!(graph.edge_count(), 1);
    /// assert_eq!((cleaning.duplicates, cleaning.self_loops, cleaning.isolated), (1, 1, 1));
    /// # Ok::<(), privet_graph::GraphError>(())
    /// ```
    ///
    /// # Errors
    /// When there are too many nodes, or an edge has an end beyond them.
    pub fn undirected(nodes: usize, edges: &[(u32, u32)]) -> Result<(Self, Cleaning), GraphError> {
        check(nodes, edges)?;
        let forward = Adjacency::new(nodes, |take| {
            for &(a, b) in edges.iter().filter(|(a, b)| a != b) {
                take(a, b);
                take(b, a);
            }
        });
        let graph = Self { forward, backward: None };
        let cleaning = graph.cleaning(edges);
        Ok((graph, cleaning))
    }

    /// A directed graph.
    ///
    /// # Errors
    /// When there are too many nodes, or an edge has an end beyond them.
    pub fn directed(nodes: usize, edges: &[(u32, u32)]) -> Result<(Self, Cleaning), GraphError> {
        check(nodes, edges)?;
        let proper = || edges.iter().filter(|(a, b)| a != b);
        let forward = Adjacency::new(nodes, |take| proper().for_each(|&(a, b)| take(a, b)));
        let backward = Adjacency::new(nodes, |take| proper().for_each(|&(a, b)| take(b, a)));
        let graph = Self { forward, backward: Some(backward) };
        let cleaning = graph.cleaning(edges);
        Ok((graph, cleaning))
    }

    /// An undirected graph of edges that are known to be between different nodes that exist.
    pub(crate) fn of(nodes: usize, edges: &[(u32, u32)]) -> Self {
        let forward = Adjacency::new(nodes, |take| {
            for &(a, b) in edges {
                take(a, b);
                take(b, a);
            }
        });
        Self { forward, backward: None }
    }

    fn cleaning(&self, edges: &[(u32, u32)]) -> Cleaning {
        let given = edges.len() as u64;
        let self_loops = edges.par_iter().filter(|(a, b)| a == b).count() as u64;
        let kept = self.edge_count();
        let is_isolated = |&node: &u32| self.degree(node) == 0 && self.predecessors(node).is_empty();
        let isolated = (0..self.nodes() as u32).filter(is_isolated).count() as u64;
        Cleaning { given, self_loops, duplicates: given - self_loops - kept, kept, isolated, directions: 0 }
    }

    /// The number of nodes.
    #[inline]
    pub fn nodes(&self) -> usize {
        self.forward.offsets.len() - 1
    }

    /// The number of edges.
    pub fn edge_count(&self) -> u64 {
        match self.backward {
            Some(_) => self.forward.targets.len() as u64,
            None => self.forward.targets.len() as u64 / 2,
        }
    }

    /// Whether edges have a direction.
    pub fn is_directed(&self) -> bool {
        self.backward.is_some()
    }

    /// The neighbours of a node in rising order; in a directed graph those that it points at.
    #[inline]
    pub fn neighbours(&self, node: u32) -> &[u32] {
        self.forward.of(node)
    }

    /// Who points at a node, in rising order; in an undirected graph its neighbours.
    #[inline]
    pub fn predecessors(&self, node: u32) -> &[u32] {
        self.backward.as_ref().unwrap_or(&self.forward).of(node)
    }

    /// The number of neighbours; in a directed graph of those that the node points at.
    #[inline]
    pub fn degree(&self, node: u32) -> usize {
        self.neighbours(node).len()
    }

    /// All degrees by node.
    pub fn degrees(&self) -> Vec<u32> {
        self.forward.offsets.windows(2).map(|pair| (pair[1] - pair[0]) as u32).collect()
    }

    /// Whether there is an edge; in a directed graph in this direction.
    #[inline]
    pub fn has_edge(&self, a: u32, b: u32) -> bool {
        let (from, to) = match self.backward.is_none() && self.degree(b) < self.degree(a) {
            true => (b, a),
            false => (a, b),
        };
        self.neighbours(from).binary_search(&to).is_ok()
    }

    /// Every edge once; in an undirected graph from the smaller to the larger number.
    pub fn edges(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let keep_all = self.is_directed();
        (0..self.nodes() as u32).flat_map(move |node| {
            let later = match keep_all {
                true => self.neighbours(node),
                false => {
                    let own = self.neighbours(node);
                    &own[own.partition_point(|&other| other < node)..]
                }
            };
            later.iter().map(move |&other| (node, other))
        })
    }

    /// The graph without directions.
    #[must_use]
    pub fn without_directions(&self) -> Self {
        if !self.is_directed() {
            return self.clone();
        }
        let edges: Vec<(u32, u32)> = self.edges().collect();
        Self::of(self.nodes(), &edges)
    }

    /// The subgraph of some different nodes: node `i` of the result is `of[i]`.
    #[must_use]
    pub fn induced(&self, of: &[u32]) -> Self {
        let mut number: foldhash::HashMap<u32, u32> = foldhash::HashMap::default();
        number.extend(of.iter().zip(0..).map(|(&node, place)| (node, place)));
        let arcs = of.iter().zip(0u32..).flat_map(|(&node, place)| {
            let inner = self.neighbours(node).iter().filter_map(|other| number.get(other).copied());
            inner.map(move |other| (place, other)).collect::<Vec<_>>()
        });
        let arcs: Vec<(u32, u32)> = arcs.filter(|&(a, b)| self.is_directed() || a < b).collect();
        match self.is_directed() {
            false => Self::of(of.len(), &arcs),
            true => Self {
                forward: Adjacency::new(of.len(), |take| arcs.iter().for_each(|&(a, b)| take(a, b))),
                backward: Some(Adjacency::new(of.len(), |take| arcs.iter().for_each(|&(a, b)| take(b, a)))),
            },
        }
    }

    /// Both graphs as one; the nodes of the other come after those of this one.
    ///
    /// # Errors
    /// When there would be too many nodes, or one of them is directed and the other is not.
    pub fn beside(&self, other: &Self) -> Result<Self, GraphError> {
        let join = |one: &Adjacency, two: &Adjacency| {
            let (nodes, arcs) = (one.offsets.len() as u32 - 1, one.targets.len());
            let offsets = one.offsets.iter().copied().chain(two.offsets.iter().skip(1).map(|own| own + arcs));
            let targets = one.targets.iter().copied().chain(two.targets.iter().map(|own| own + nodes));
            Adjacency { offsets: offsets.collect(), targets: targets.collect() }
        };
        if self.nodes() as u64 + other.nodes() as u64 > MOST_NODES {
            return Err(GraphError::TooManyNodes { most: MOST_NODES });
        }
        let backward = match (&self.backward, &other.backward) {
            (None, None) => None,
            (Some(one), Some(two)) => Some(join(one, two)),
            _ => return Err(GraphError::Directed { what: "comparing it with an undirected one" }),
        };
        Ok(Self { forward: join(&self.forward, &other.forward), backward })
    }

    /// The same graph with other numbers: node `v` becomes `number[v]`, and all numbers are different.
    ///
    /// # Errors
    /// When the list is no order of all nodes.
    pub fn renumbered(&self, number: &[u32]) -> Result<Self, GraphError> {
        let nodes = self.nodes();
        let mut seen = vec![false; nodes];
        let fresh =
            |&own: &u32| seen.get_mut(own as usize).is_some_and(|seen| !std::mem::replace(seen, true));
        if number.len() != nodes || !number.iter().all(fresh) {
            return Err(GraphError::Length { what: "the new numbers, all different,", nodes });
        }
        let edges: Vec<(u32, u32)> =
            self.edges().map(|(a, b)| (number[a as usize], number[b as usize])).collect();
        let build = if self.is_directed() { Self::directed } else { Self::undirected };
        Ok(build(nodes, &edges)?.0)
    }

    /// An error where the graph is directed and the operation is not defined for it.
    pub(crate) fn must_be_undirected(&self, what: &'static str) -> Result<(), GraphError> {
        if self.is_directed() { Err(GraphError::Directed { what }) } else { Ok(()) }
    }

    /// The bytes that the adjacency takes.
    pub fn bytes(&self) -> usize {
        let of = |own: &Adjacency| 4 * own.targets.len() + size_of::<usize>() * own.offsets.len();
        of(&self.forward) + self.backward.as_ref().map_or(0, of)
    }
}

fn check(nodes: usize, edges: &[(u32, u32)]) -> Result<(), GraphError> {
    if nodes as u64 > MOST_NODES {
        return Err(GraphError::TooManyNodes { most: MOST_NODES });
    }
    let is_known = |&(a, b): &(u32, u32)| (a as usize) < nodes && (b as usize) < nodes;
    if !edges.par_iter().all(is_known) {
        return Err(GraphError::NoSuchNode { nodes });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn an_empty_graph_is_a_graph() {
        let (graph, cleaning) = Graph::undirected(0, &[]).unwrap();
        assert_eq!((graph.nodes(), graph.edge_count(), cleaning), (0, 0, Cleaning::default()));
        assert!(Graph::undirected(2, &[(0, 2)]).is_err());
    }

    #[test]
    fn directions_are_kept() {
        let (graph, cleaning) = Graph::directed(3, &[(0, 1), (1, 0), (0, 1), (2, 2)]).unwrap();
        assert_eq!((graph.edge_count(), cleaning.duplicates, cleaning.self_loops), (2, 1, 1));
        assert_eq!((graph.neighbours(0), graph.predecessors(0)), (&[1u32][..], &[1u32][..]));
        assert!(graph.has_edge(0, 1) && !graph.has_edge(0, 2));
        assert_eq!(graph.without_directions().edge_count(), 1);
        assert!(graph.renumbered(&[0, 0, 1]).is_err());
    }

    proptest! {
        /// Against sets of pairs.
        #[test]
        fn adjacency_is_the_set_of_edges(edges in prop::collection::vec((0u32..9, 0u32..9), 0..40)) {
            let (graph, cleaning) = Graph::undirected(9, &edges).unwrap();
            let expected: BTreeSet<(u32, u32)> =
                edges.iter().filter(|(a, b)| a != b).map(|&(a, b)| (a.min(b), a.max(b))).collect();
            prop_assert_eq!(&graph.edges().collect::<BTreeSet<_>>(), &expected);
            prop_assert_eq!(cleaning.kept, expected.len() as u64);
            prop_assert_eq!(cleaning.kept + cleaning.duplicates + cleaning.self_loops, edges.len() as u64);
            for a in 0..9 {
                prop_assert!(graph.neighbours(a).is_sorted());
                for b in 0..9 {
                    prop_assert_eq!(graph.has_edge(a, b), expected.contains(&(a.min(b), a.max(b))));
                }
            }
            let inner = graph.induced(&[3, 1, 7]);
            prop_assert_eq!(inner.has_edge(0, 1), graph.has_edge(3, 1));
            prop_assert_eq!(inner.has_edge(2, 1), graph.has_edge(7, 1));
            let number = [8, 7, 6, 5, 4, 3, 2, 1, 0];
            let turned = graph.renumbered(&number).unwrap();
            prop_assert!(graph.edges().all(|(a, b)| turned.has_edge(8 - a, 8 - b)));
        }
    }
}
