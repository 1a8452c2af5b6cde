//! Random perturbation (Hay and others 2007): some edges are deleted by lot and as many are added by lot. The weak baseline: it
//! promises no number of candidates, and attacks that expect changes see through it.

use privet_data::Random;

use super::{Changes, Edited};
use crate::{Editor, Graph, GraphError};

/// Deletes this share of the edges and adds as many between nodes drawn at random.
///
/// ```
/// use privet_graph::{generate, perturbed};
/// let graph = generate::growing(200, 3.0, 0.2, 1)?;
/// let published = perturbed(&graph, 0.1, 7)?;
/// assert_eq!(published.graph.edge_count(), graph.edge_count());
/// assert!(published.changes.added > 0 && published.changes.added == published.changes.deleted);
/// # Ok::<(), privet_graph::GraphError>(())
/// ```
///
/// # Errors
/// When the graph is directed, the share is none, or there are too few pairs without an edge.
pub fn perturbed(graph: &Graph, share: f64, seed: u64) -> Result<Edited, GraphError> {
    graph.must_be_undirected("random perturbation")?;
    if !(0.0..=1.0).contains(&share) {
        return Err(GraphError::Parameter { key: "share", accepted: "between 0 and 1" });
    }
    let mut random = Random::stream(seed, 21);
    let edges: Vec<(u32, u32)> = graph.edges().collect();
    let count = (share * edges.len() as f64).round() as usize;
    let nodes = graph.nodes();
    let pairs = nodes as u64 * (nodes as u64).saturating_sub(1) / 2;
    if edges.len() as u64 + count as u64 > pairs {
        return Err(GraphError::Parameter { key: "share", accepted: "at most the pairs without an edge" });
    }
    let mut order: Vec<u32> = (0..edges.len() as u32).collect();
    random.shuffle(&mut order);
    let mut editor = Editor::new(graph)?;
    for &place in &order[..count] {
        let (a, b) = edges[place as usize];
        editor.remove(a, b);
    }
    // Pairs that had an edge are left out, so that exactly as many edges are new.
    let mut added = 0;
    while added < count {
        let (a, b) = (random.below(nodes) as u32, random.below(nodes) as u32);
        added += usize::from(a != b && !graph.has_edge(a, b) && editor.add(a, b));
    }
    let published = editor.graph();
    let changes = Changes::between(graph, &published);
    Ok(Edited { graph: published, changes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;

    #[test]
    fn as_many_edges_come_as_go() {
        let graph = generate::uniform(30, 100, 2).unwrap();
        let published = perturbed(&graph, 0.25, 3).unwrap();
        assert_eq!(published.changes, Changes { kept: 75, added: 25, deleted: 25 });
        assert_eq!(published, perturbed(&graph, 0.25, 3).unwrap());
        assert!(perturbed(&graph, 1.5, 3).is_err());
        assert!(perturbed(&generate::uniform(5, 10, 1).unwrap(), 0.2, 3).is_err());
    }
}
