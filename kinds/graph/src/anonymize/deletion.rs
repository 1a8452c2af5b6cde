//! Anonymity by deleting edges that keeps as many as it can (after the framework ANO-NET: de Jong, van der Loo and Takes 2024,
//! arXiv 2409.16163). What an adversary knows is the degree, or the degree and the number of edges between neighbours.
//!
//! Guarantee. Only edges are deleted, and in the result every node has at least k candidates. Edges at nodes that have too
//! few are tried first, and the one that leaves fewest such nodes goes; at the end deleted edges return where nobody loses
//! a candidate by it. A step takes a number of trials that does not grow with the graph.

use foldhash::HashMap;
use privet_data::{Progress, Random};
use serde::{Deserialize, Serialize};

use super::{Changes, Edited};
use crate::{Editor, Graph, GraphError};

/// What is known of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Around {
    /// The number of neighbours.
    Degree,
    /// The number of neighbours and of edges between them.
    Count,
}

/// Edges that are tried in one step.
const TRIALS: usize = 48;
/// Passes in which edges may return.
const RETURNS: u32 = 3;

/// Deletes edges until every node has `k` candidates.
///
/// ```
/// use privet_graph::{Around, delete_edges, generate};
/// let graph = generate::growing(200, 3.0, 0.2, 1)?;
/// let published = delete_edges(&graph, 3, Around::Degree, 7, &privet_data::Silent)?;
/// assert_eq!(published.changes.added, 0);
/// # Ok::<(), privet_graph::GraphError>(())
/// ```
///
/// # Errors
/// When the graph is directed, `k` is 0 or more than there are nodes, or the person asked to stop.
pub fn delete_edges(
    graph: &Graph,
    k: u32,
    around: Around,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Edited, GraphError> {
    let mut state = State::new(graph, k, around)?;
    let mut random = Random::stream(seed, 23);
    let mut deleted = Vec::new();
    progress.stage("deleting edges", Some(state.failing));
    while state.failing > 0 {
        progress.check()?;
        let Some((a, b)) = state.best_edge(&mut random) else { break };
        state.toggle(a, b);
        deleted.push((a, b));
    }
    progress.stage("returning edges", Some(deleted.len() as u64));
    for _ in 0..RETURNS {
        let before = deleted.len();
        let mut order: Vec<u32> = (0..deleted.len() as u32).collect();
        random.shuffle(&mut order);
        let mut left = Vec::new();
        for (done, &place) in order.iter().enumerate() {
            if done.is_multiple_of(256) {
                progress.check()?;
            }
            let (a, b) = deleted[place as usize];
            state.toggle(a, b);
            if state.failing > 0 {
                state.toggle(a, b);
                left.push((a, b));
            }
        }
        deleted = left;
        if deleted.len() == before {
            break;
        }
    }
    let published = state.editor.graph();
    let changes = Changes::between(graph, &published);
    Ok(Edited { graph: published, changes })
}

/// Deletes edges drawn at random until every node has `k` candidates: what better methods are compared with.
///
/// # Errors
/// As [`delete_edges`].
pub fn delete_edges_at_random(
    graph: &Graph,
    k: u32,
    around: Around,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Edited, GraphError> {
    let mut state = State::new(graph, k, around)?;
    let mut edges: Vec<(u32, u32)> = graph.edges().collect();
    let mut random = Random::stream(seed, 24);
    while state.failing > 0 && !edges.is_empty() {
        progress.check()?;
        let (a, b) = edges.swap_remove(random.below(edges.len()));
        state.toggle(a, b);
    }
    let published = state.editor.graph();
    let changes = Changes::between(graph, &published);
    Ok(Edited { graph: published, changes })
}

/// What is known of a node: its degree, and the edges between its neighbours where they count.
type Key = (u32, u64);

struct State {
    editor: Editor,
    around: Around,
    k: u32,
    keys: Vec<Key>,
    counts: HashMap<Key, u32>,
    /// Nodes whose key too few have.
    failing: u64,
    /// Nodes that failed when the list was made; those that do not any more are passed over.
    queue: Vec<u32>,
}

impl State {
    fn new(graph: &Graph, k: u32, around: Around) -> Result<Self, GraphError> {
        graph.must_be_undirected("deleting edges")?;
        if k == 0 {
            return Err(GraphError::Parameter { key: "k", accepted: "1 or more" });
        }
        if k as usize > graph.nodes() && graph.nodes() > 0 {
            return Err(GraphError::Unreachable { k: k.into(), nodes: graph.nodes() as u64 });
        }
        let triangles = match around {
            Around::Degree => vec![0; graph.nodes()],
            Around::Count => crate::measure::triangles(graph),
        };
        let keys: Vec<Key> = graph.degrees().into_iter().zip(triangles).collect();
        let mut counts: HashMap<Key, u32> = HashMap::default();
        keys.iter().for_each(|key| *counts.entry(*key).or_default() += 1);
        let failing = counts.values().filter(|&&count| count < k).map(|&count| u64::from(count)).sum();
        Ok(Self { editor: Editor::new(graph)?, around, k, keys, counts, failing, queue: Vec::new() })
    }

    fn fails(&self, node: u32) -> bool {
        self.counts.get(&self.keys[node as usize]).is_none_or(|&count| count < self.k)
    }

    fn set(&mut self, node: u32, key: Key) {
        let before = std::mem::replace(&mut self.keys[node as usize], key);
        let k = self.k;
        let count = self.counts.entry(before).or_default();
        // The class of the old key may begin to fail, and lose a failing node.
        match (*count).cmp(&k) {
            std::cmp::Ordering::Less => self.failing -= 1,
            std::cmp::Ordering::Equal => self.failing += u64::from(k - 1),
            std::cmp::Ordering::Greater => {}
        }
        *count -= 1;
        if *count == 0 {
            self.counts.remove(&before);
        }
        let count = self.counts.entry(key).or_default();
        *count += 1;
        match (*count).cmp(&k) {
            std::cmp::Ordering::Less => self.failing += 1,
            std::cmp::Ordering::Equal => self.failing -= u64::from(k - 1),
            std::cmp::Ordering::Greater => {}
        }
    }

    /// Deletes an edge that is there, or returns one that is not.
    fn toggle(&mut self, a: u32, b: u32) {
        let shared: Vec<u32> = match self.around {
            Around::Degree => Vec::new(),
            Around::Count => {
                let (short, long) =
                    if self.editor.degree(a) < self.editor.degree(b) { (a, b) } else { (b, a) };
                let list = self.editor.neighbours(short).iter();
                list.copied().filter(|&own| self.editor.has_edge(own, long)).collect()
            }
        };
        let is_gone = self.editor.remove(a, b) || !self.editor.add(a, b);
        let moved = |own: u64, by: u64| if is_gone { own - by } else { own + by };
        for node in [a, b] {
            let between = self.keys[node as usize].1;
            self.set(node, (self.editor.degree(node) as u32, moved(between, shared.len() as u64)));
        }
        for node in shared {
            let (degree, between) = self.keys[node as usize];
            self.set(node, (degree, moved(between, 1)));
        }
    }

    /// A node that fails: those with most neighbours first, because nobody can come up to them.
    fn next_failing(&mut self) -> Option<u32> {
        loop {
            match self.queue.last().copied() {
                Some(node) if self.fails(node) && self.editor.degree(node) > 0 => return Some(node),
                Some(_) => {
                    self.queue.pop();
                }
                None => {
                    let all = 0..self.keys.len() as u32;
                    self.queue =
                        all.filter(|&node| self.fails(node) && self.editor.degree(node) > 0).collect();
                    self.queue.sort_by_key(|&node| self.keys[node as usize]);
                    if self.queue.is_empty() {
                        return None;
                    }
                }
            }
        }
    }

    /// Of some edges the one whose deletion leaves fewest failing nodes; any edge where no failing node has one.
    fn best_edge(&mut self, random: &mut Random) -> Option<(u32, u32)> {
        let Some(node) = self.next_failing() else {
            // Only nodes without neighbours fail: others must join them.
            let lowest = (0..self.keys.len() as u32).filter(|&own| self.editor.degree(own) > 0);
            let node = lowest.min_by_key(|&own| self.editor.degree(own))?;
            return Some((node, self.editor.neighbours(node)[0]));
        };
        let around = self.editor.neighbours(node).to_vec();
        let mut trials: Vec<u32> = match around.len() {
            few if few <= TRIALS => around,
            many => (0..TRIALS).map(|_| around[random.below(many)]).collect(),
        };
        random.shuffle(&mut trials);
        let mut best: Option<(u64, u32)> = None;
        for &other in &trials {
            self.toggle(node, other);
            let left = self.failing;
            self.toggle(node, other);
            // Of equal ones the neighbour who fails as well.
            let rank = 2 * left + u64::from(!self.fails(other));
            if best.is_none_or(|best| rank < best.0) {
                best = Some((rank, other));
            }
        }
        best.map(|(_, other)| (node, other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Classes, generate};
    use privet_data::Silent;
    use proptest::prelude::*;

    /// What is known, by its definition.
    fn keys(graph: &Graph, around: Around) -> Vec<(usize, u64)> {
        let between = |node: u32| match around {
            Around::Degree => 0,
            Around::Count => graph.induced(graph.neighbours(node)).edge_count(),
        };
        (0..graph.nodes() as u32).map(|node| (graph.degree(node), between(node))).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(80))]
        #[test]
        fn every_node_has_k_candidates(
            edges in prop::collection::vec((0u32..12, 0u32..12), 0..40), k in 1u32..6, counted: bool,
        ) {
            let graph = Graph::undirected(12, &edges).unwrap().0;
            let around = if counted { Around::Count } else { Around::Degree };
            for method in [delete_edges, delete_edges_at_random] {
                let published = method(&graph, k, around, 1, &Silent).unwrap();
                prop_assert_eq!(published.changes.added, 0);
                prop_assert!(Classes::by_key(keys(&published.graph, around)).smallest() >= k);
            }
        }
    }

    #[test]
    fn more_edges_are_kept_than_by_lot() {
        let graph = generate::growing(600, 3.0, 0.4, 2).unwrap();
        for around in [Around::Degree, Around::Count] {
            let chosen = delete_edges(&graph, 5, around, 1, &Silent).unwrap();
            let lot = delete_edges_at_random(&graph, 5, around, 1, &Silent).unwrap();
            assert!(Classes::by_key(keys(&chosen.graph, around)).smallest() >= 5);
            assert!(
                chosen.changes.kept * 10 > lot.changes.kept * 12,
                "{:?} {:?}",
                chosen.changes,
                lot.changes
            );
        }
        assert!(delete_edges(&graph, 601, Around::Degree, 1, &Silent).is_err());
    }
}
