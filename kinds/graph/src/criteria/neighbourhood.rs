//! Candidate sets of who knows a person's friends and which of them know each other (survey AP-06; Zhou and Pei 2008):
//! nodes whose neighbourhoods, the graph between the neighbours with its labels, are isomorphic.
//!
//! Guarantee. Nodes are put together only where a canonical code proves their neighbourhoods isomorphic. Where a code
//! would take too long, the node counts as alone, which is the safe side, and the number of such nodes is told.

use rayon::prelude::*;

use super::canonical::{Lists, code};
use crate::{Classes, Graph, GraphError};

/// The most calls for one code.
const BUDGET: u64 = 20_000;

/// Nodes by their neighbourhoods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NeighbourhoodClasses {
    /// Nodes with isomorphic neighbourhoods.
    pub classes: Classes,
    /// Nodes that count as alone because their codes would take too long.
    pub undecided: u64,
}

/// Nodes whose neighbourhoods are isomorphic, with labels where there are some.
///
/// # Errors
/// When the graph is directed, or there is not one label for each node.
pub fn neighbourhood_classes(
    graph: &Graph,
    labels: Option<&[u32]>,
) -> Result<NeighbourhoodClasses, GraphError> {
    graph.must_be_undirected("k-neighbourhood anonymity")?;
    if labels.is_some_and(|own| own.len() != graph.nodes()) {
        return Err(GraphError::Length { what: "the labels", nodes: graph.nodes() });
    }
    let label = |node: u32| labels.map_or(0, |own| own[node as usize]);
    let marks = || Marks::new(graph.nodes());
    // What is quickly compared: labels and inner degrees.
    let sketch = |marks: &mut Marks, node: u32| {
        let lists = marks.neighbourhood(graph, node);
        let degree = |(list, &other): (&Vec<u32>, &u32)| (label(other), list.len() as u32);
        let mut inner: Vec<(u32, u32)> = lists.iter().zip(graph.neighbours(node)).map(degree).collect();
        inner.sort_unstable();
        (label(node), inner)
    };
    let all = (0..graph.nodes() as u32).into_par_iter();
    let sketches: Vec<_> = all.clone().map_init(marks, sketch).collect();
    let groups = Classes::by_key(sketches);
    let key = |marks: &mut Marks, node: u32| {
        let group = groups.of()[node as usize];
        if groups.size_of(node) == 1 {
            return (group, Some(Vec::new()), 0);
        }
        match neighbourhood_code(marks, graph, node, labels) {
            Some(own) => (group, Some(own), 0),
            None => (group, None, node),
        }
    };
    let keys: Vec<_> = all.map_init(marks, key).collect();
    let undecided = keys.iter().filter(|key| key.1.is_none()).count() as u64;
    Ok(NeighbourhoodClasses { classes: Classes::by_key(keys), undecided })
}

/// The code of one neighbourhood.
pub(crate) fn neighbourhood_code(
    marks: &mut Marks,
    graph: &Graph,
    node: u32,
    labels: Option<&[u32]>,
) -> Option<Vec<u32>> {
    let lists = marks.neighbourhood(graph, node);
    let colour = |&other: &u32| labels.map_or(0, |own| own[other as usize]);
    let colours: Vec<u32> = graph.neighbours(node).iter().map(colour).collect();
    code(&lists, &colours, &mut BUDGET.clone())
}

/// The place of each node among some.
pub(crate) struct Marks(Vec<u32>);

impl Marks {
    pub fn new(nodes: usize) -> Self {
        Self(vec![u32::MAX; nodes])
    }

    /// The graph between the neighbours of a node; neighbours by their places.
    pub fn neighbourhood(&mut self, graph: &Graph, node: u32) -> Lists {
        let around = graph.neighbours(node);
        around.iter().zip(0..).for_each(|(&other, place)| self.0[other as usize] = place);
        let inner = |&other: &u32| {
            let list = graph.neighbours(other);
            // Of a hub, fewer neighbours are looked for than it has.
            if list.len() > 16 * around.len() {
                let shared = around.iter().zip(0..).filter(|(own, _)| list.binary_search(own).is_ok());
                shared.map(|(_, place)| place).collect()
            } else {
                list.iter().map(|&own| self.0[own as usize]).filter(|&place| place != u32::MAX).collect()
            }
        };
        let lists: Lists = around.iter().map(inner).collect();
        around.iter().for_each(|&other| self.0[other as usize] = u32::MAX);
        lists
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// survey FX-7.F1: the neighbourhoods of 1 and 2 are one node, that of 6 as well.
    #[test]
    fn neighbourhoods_of_the_survey() {
        let edges = [(0, 2), (1, 2), (2, 3), (2, 4), (3, 4), (4, 5)];
        let graph = Graph::undirected(6, &edges).unwrap().0;
        let found = neighbourhood_classes(&graph, None).unwrap();
        // Johannes' two neighbours know each other, Ashwin's three include a pair, Raghu's four too.
        assert_eq!(found.classes.of(), [0, 0, 1, 2, 3, 0]);
        // The label of the only neighbour tells 6 from 1 and 2, a label of its own tells 1 from 2.
        let labelled = neighbourhood_classes(&graph, Some(&[0, 0, 0, 0, 1, 0])).unwrap();
        assert_eq!(labelled.classes.of(), [0, 0, 1, 2, 3, 4]);
        let labelled = neighbourhood_classes(&graph, Some(&[0, 1, 0, 0, 0, 0])).unwrap();
        assert_eq!(labelled.classes.of()[..2], [0, 1]);
        assert_eq!(found.undecided, 0);
    }

    /// A hub is looked at from the other side.
    #[test]
    fn neighbourhoods_beside_hubs() {
        let mut edges: Vec<(u32, u32)> = (1..60).map(|node| (0, node)).collect();
        edges.extend([(1, 2), (3, 4)]);
        let graph = Graph::undirected(60, &edges).unwrap().0;
        let found = neighbourhood_classes(&graph, None).unwrap();
        let of = found.classes.of();
        assert_eq!((of[1], of[1], of[1]), (of[2], of[3], of[4]));
        assert_eq!(found.classes.sizes(), [1, 4, 55]);
    }
}
