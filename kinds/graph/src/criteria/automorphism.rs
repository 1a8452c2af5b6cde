//! Automorphism classes (survey AP-03, AP-05): two nodes are in one class when an automorphism maps one to the other, so
//! no structural knowledge whatsoever tells them apart.
//!
//! Guarantee. Exact, or an error when the limit of steps is reached; never a guess. Orbits lie within the classes of
//! colour refinement. For two nodes of a class a search individualizes both, refines both sides together and tries the
//! partners of one node after the other; every automorphism that is found joins all orbits that it connects. Nodes with
//! the same neighbours (leaves of one hub) are joined beforehand.

use foldhash::HashMap;

use super::refine;
use crate::{Classes, Graph, GraphError};

/// The most node visits of all refinements together, unless told otherwise.
pub const USUAL_STEPS: u64 = 2_000_000_000;

/// The automorphism classes of a graph, of automorphisms that keep what is visible.
///
/// ```
/// use privet_graph::{Graph, automorphism_classes};
/// let edges = [(0, 2), (1, 2), (2, 3), (2, 4), (3, 4), (4, 5)]; // survey FX-7.F1
/// let classes = automorphism_classes(&Graph::undirected(6, &edges)?.0, None, 1_000_000)?;
/// assert_eq!(classes.of(), [0, 0, 1, 2, 3, 4]); // only Bee-Chung cannot be told from someone
/// # Ok::<(), privet_graph::GraphError>(())
/// ```
///
/// # Errors
/// When it would take more than `most` steps, or `visible` does not tell a value for each node.
pub fn automorphism_classes(
    graph: &Graph,
    visible: Option<&[u32]>,
    most: u64,
) -> Result<Classes, GraphError> {
    let classes = refine::stable_classes(graph, visible)?;
    let mut search = Search::new(graph, most);
    search.join_twins(&classes);
    for members in classes.members().iter().filter(|members| members.len() > 1) {
        // One of every orbit that was found within the class.
        let mut leaders: Vec<u32> = Vec::new();
        for &node in members {
            if leaders.iter().any(|&leader| search.root(leader) == search.root(node)) {
                continue;
            }
            let mut is_new = true;
            for &leader in &leaders {
                if let Some(image) = search.automorphism(&classes, leader, node)? {
                    image.iter().zip(0..).for_each(|(&to, from)| search.join(from, to));
                    is_new = false;
                    break;
                }
            }
            if is_new {
                leaders.push(node);
            }
        }
    }
    let roots: Vec<u32> = (0..graph.nodes() as u32).map(|node| search.root(node)).collect();
    Ok(Classes::by_key(roots))
}

struct Search<'a> {
    graph: &'a Graph,
    /// The graph beside itself, so that both sides are refined by the same colours.
    both: Option<Graph>,
    parent: Vec<u32>,
    steps: u64,
    most: u64,
}

impl<'a> Search<'a> {
    fn new(graph: &'a Graph, most: u64) -> Self {
        Self { graph, both: None, parent: (0..graph.nodes() as u32).collect(), steps: 0, most }
    }

    fn root(&mut self, mut node: u32) -> u32 {
        while self.parent[node as usize] != node {
            let above = self.parent[node as usize];
            self.parent[node as usize] = self.parent[above as usize];
            node = above;
        }
        node
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }

    /// Joins nodes of a class with the same neighbours, whether or not they are neighbours themselves.
    fn join_twins(&mut self, classes: &Classes) {
        let graph = self.graph;
        for with_itself in [false, true] {
            let mut first: HashMap<(u32, Vec<u32>, Vec<u32>), u32> = HashMap::default();
            for node in 0..graph.nodes() as u32 {
                if classes.size_of(node) == 1 {
                    continue;
                }
                let list = |own: &[u32]| {
                    let mut list = own.to_vec();
                    if with_itself {
                        list.insert(list.partition_point(|&other| other < node), node);
                    }
                    list
                };
                let back = if graph.is_directed() { list(graph.predecessors(node)) } else { Vec::new() };
                let key = (classes.of()[node as usize], list(graph.neighbours(node)), back);
                let twin = *first.entry(key).or_insert(node);
                self.join(twin, node);
            }
        }
    }

    /// An automorphism that maps one node to another, if there is one.
    fn automorphism(
        &mut self,
        classes: &Classes,
        from: u32,
        to: u32,
    ) -> Result<Option<Vec<u32>>, GraphError> {
        let nodes = self.graph.nodes() as u32;
        if self.both.is_none() {
            self.both = Some(self.graph.beside(self.graph)?);
        }
        let mut colours = [classes.of(), classes.of()].concat();
        let fresh = classes.count() as u32;
        colours[from as usize] = fresh;
        colours[(nodes + to) as usize] = fresh;
        self.extend(&colours)
    }

    fn extend(&mut self, colours: &[u32]) -> Result<Option<Vec<u32>>, GraphError> {
        let Some(both) = &self.both else { return Ok(None) };
        let nodes = self.graph.nodes();
        let mut classes = Classes::by_key(colours);
        loop {
            self.steps += both.nodes() as u64;
            if self.steps > self.most {
                return Err(GraphError::TooLarge { what: "automorphism classes", most: self.most });
            }
            let next = refine::step(both, &classes, !0);
            let is_stable = next.count() == classes.count();
            classes = next;
            if is_stable {
                break;
            }
        }
        let members = classes.members();
        let halves = |own: &[u32]| own.partition_point(|&node| (node as usize) < nodes);
        if members.iter().any(|own| 2 * halves(own) != own.len()) {
            return Ok(None);
        }
        let Some(cell) = members.iter().filter(|own| own.len() > 2).min_by_key(|own| own.len()) else {
            return Ok(self.image(&members));
        };
        let (left, right) = cell.split_at(halves(cell));
        let mut colours = classes.of().to_vec();
        colours[left[0] as usize] = classes.count() as u32;
        for &partner in right {
            let own = std::mem::replace(&mut colours[partner as usize], classes.count() as u32);
            if let Some(image) = self.extend(&colours)? {
                return Ok(Some(image));
            }
            colours[partner as usize] = own;
        }
        Ok(None)
    }

    /// The map that pairs of nodes tell, where it keeps edges.
    fn image(&self, pairs: &[Vec<u32>]) -> Option<Vec<u32>> {
        let nodes = self.graph.nodes();
        let mut image = vec![0u32; nodes];
        for pair in pairs {
            image[pair[0] as usize] = pair[1] - nodes as u32;
        }
        let keeps = |(a, b): (u32, u32)| self.graph.has_edge(image[a as usize], image[b as usize]);
        self.graph.edges().all(keeps).then_some(image)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Orbits by trying all orders of the nodes.
    fn orbits(graph: &Graph, visible: &[u32]) -> Classes {
        let nodes = graph.nodes();
        let mut least: Vec<u32> = (0..nodes as u32).collect();
        let mut image = Vec::new();
        fn all(graph: &Graph, visible: &[u32], image: &mut Vec<u32>, least: &mut [u32]) {
            let next = image.len();
            if next == graph.nodes() {
                for (from, &to) in image.iter().enumerate() {
                    least[from] = least[from].min(to);
                }
                return;
            }
            for to in 0..graph.nodes() as u32 {
                let fits = |(from, &own): (usize, &u32)| {
                    let from = from as u32;
                    graph.has_edge(from, next as u32) == graph.has_edge(own, to)
                        && graph.has_edge(next as u32, from) == graph.has_edge(to, own)
                };
                let is_free = !image.contains(&to) && visible[next] == visible[to as usize];
                if is_free && image.iter().enumerate().all(fits) {
                    image.push(to);
                    all(graph, visible, image, least);
                    image.pop();
                }
            }
        }
        all(graph, visible, &mut image, &mut least);
        Classes::by_key(least)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        /// All automorphisms of graphs with up to eight nodes.
        #[test]
        fn orbits_are_those_of_all_automorphisms(
            nodes in 1usize..9, edges in prop::collection::vec((0u32..8, 0u32..8), 0..16),
            directed: bool, labels in prop::collection::vec(0u32..2, 8), labelled: bool,
        ) {
            let edges: Vec<(u32, u32)> =
                edges.into_iter().map(|(a, b)| (a % nodes as u32, b % nodes as u32)).collect();
            let build = if directed { Graph::directed } else { Graph::undirected };
            let graph = build(nodes, &edges).unwrap().0;
            let visible: Vec<u32> = if labelled { labels[..nodes].to_vec() } else { vec![0; nodes] };
            let found = automorphism_classes(&graph, Some(&visible), USUAL_STEPS).unwrap();
            prop_assert_eq!(&found, &orbits(&graph, &visible));
            prop_assert!(found.refines(&refine::stable_classes(&graph, Some(&visible)).unwrap()));
        }
    }

    /// Two triangles beside a hexagon: colour refinement sees one class, automorphisms two.
    #[test]
    fn refinement_is_only_a_bound() {
        let edges = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)];
        let hexagon = (6..12).map(|node| (node, if node == 11 { 6 } else { node + 1 }));
        let edges: Vec<(u32, u32)> = edges.into_iter().chain(hexagon).collect();
        let graph = Graph::undirected(12, &edges).unwrap().0;
        assert_eq!(refine::stable_classes(&graph, None).unwrap().count(), 1);
        let classes = automorphism_classes(&graph, None, USUAL_STEPS).unwrap();
        assert_eq!((classes.count(), classes.smallest()), (2, 6));
        let refused = automorphism_classes(&graph, None, 10);
        assert!(matches!(refused, Err(GraphError::TooLarge { .. })));
    }
}
