//! An undirected graph that is being changed.

use crate::{Graph, GraphError};

/// An undirected graph whose edges come and go. Neighbours stay in rising order.
#[derive(Debug, Clone)]
pub struct Editor {
    lists: Vec<Vec<u32>>,
    edges: u64,
}

impl Editor {
    /// A graph to change.
    ///
    /// # Errors
    /// When the graph is directed.
    pub fn new(graph: &Graph) -> Result<Self, GraphError> {
        graph.must_be_undirected("changing edges")?;
        let lists = (0..graph.nodes() as u32).map(|node| graph.neighbours(node).to_vec()).collect();
        Ok(Self { lists, edges: graph.edge_count() })
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.lists.len()
    }

    /// The number of edges.
    pub fn edge_count(&self) -> u64 {
        self.edges
    }

    /// The neighbours of a node in rising order.
    pub fn neighbours(&self, node: u32) -> &[u32] {
        &self.lists[node as usize]
    }

    /// The number of neighbours.
    pub fn degree(&self, node: u32) -> usize {
        self.lists[node as usize].len()
    }

    /// Whether there is an edge.
    pub fn has_edge(&self, a: u32, b: u32) -> bool {
        let (from, to) = if self.degree(b) < self.degree(a) { (b, a) } else { (a, b) };
        self.neighbours(from).binary_search(&to).is_ok()
    }

    /// Whether an edge may be added.
    pub fn may_add(&self, a: u32, b: u32) -> bool {
        a != b && !self.has_edge(a, b)
    }

    /// Adds an edge; false where there is one already or the ends are the same.
    pub fn add(&mut self, a: u32, b: u32) -> bool {
        if !self.may_add(a, b) {
            return false;
        }
        for (from, to) in [(a, b), (b, a)] {
            let list = &mut self.lists[from as usize];
            let place = list.partition_point(|&own| own < to);
            list.insert(place, to);
        }
        self.edges += 1;
        true
    }

    /// Takes an edge away; false where there is none.
    pub fn remove(&mut self, a: u32, b: u32) -> bool {
        let mut found = false;
        for (from, to) in [(a, b), (b, a)] {
            let list = &mut self.lists[from as usize];
            if let Ok(place) = list.binary_search(&to) {
                list.remove(place);
                found = true;
            }
        }
        self.edges -= u64::from(found);
        found
    }

    /// The graph as it is now.
    #[must_use]
    pub fn graph(&self) -> Graph {
        let later = |(list, node): (&Vec<u32>, u32)| {
            let start = list.partition_point(|&other| other < node);
            list[start..].iter().map(move |&other| (node, other)).collect::<Vec<_>>()
        };
        let edges: Vec<(u32, u32)> = self.lists.iter().zip(0u32..).flat_map(later).collect();
        Graph::of(self.nodes(), &edges)
    }
}
