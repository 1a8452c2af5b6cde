//! k-degree anonymity (survey AP-07; Liu and Terzi 2008): every degree occurs at least `k` times.
//!
//! Guarantee. The published graph has exactly the degrees that were aimed at; otherwise there is an error and no graph.
//! With [`Direction::Adding`] every edge is kept (a supergraph); with [`Direction::AddingAndDeleting`] degrees are those of
//! the medians, which moves fewer ends of edges.
//!
//! Realization differs from the source where that only swaps its last edges or gives up: what the greedy step cannot
//! place is placed by exchanging ends with an edge that was added. Where that fails as well, the sequence is probed:
//! groups of nodes of low degree get one more neighbour each, as many nodes as ends are missing.

use std::collections::BTreeSet;

use privet_data::Random;

use super::degrees::{DegreeGroup, Direction, excess, groups};
use super::{Changes, Edited};
use crate::{Editor, Graph, GraphError};

/// Sequences for which a graph is tried.
const TRIES: u64 = 100;
/// Sequences that are looked at, with those that no graph has.
const MOST_SEQUENCES: u64 = 10_000;
/// Exchanges between pairs of nodes that are tried for one sequence, whatever its size.
const PAIR_ATTEMPTS: usize = 1_000_000;

/// Makes a graph in which every degree occurs at least `k` times.
///
/// ```
/// use privet_graph::{Classes, Direction, generate, k_degree};
/// let graph = generate::growing(200, 3.0, 0.2, 1)?;
/// let published = k_degree(&graph, 5, Direction::Adding, 7)?;
/// assert!(Classes::by_key(published.graph.degrees()).smallest() >= 5);
/// assert_eq!(published.changes.deleted, 0);
/// # Ok::<(), privet_graph::GraphError>(())
/// ```
///
/// # Errors
/// When the graph is directed, `k` is 0 or more than there are nodes, or no graph was found.
pub fn k_degree(graph: &Graph, k: u32, direction: Direction, seed: u64) -> Result<Edited, GraphError> {
    graph.must_be_undirected("k-degree anonymity")?;
    let degrees = graph.degrees();
    let mut groups = groups(&degrees, k, direction)?;
    let start = Editor::new(graph)?;
    let mut tries = 0;
    for attempt in 0..MOST_SEQUENCES {
        let mut wanted = vec![0u32; degrees.len()];
        for group in &groups {
            group.nodes.iter().for_each(|&node| wanted[node as usize] = group.degree);
        }
        // A sequence that no graph has is probed at once: a realization would be in vain.
        let mut missing = excess(&wanted);
        if missing == 0 {
            if tries == TRIES {
                break;
            }
            tries += 1;
            let mut realization = Realization::new(start.clone(), &wanted, Random::stream(seed, attempt));
            missing = match direction {
                Direction::Adding => realization.supergraph(),
                Direction::AddingAndDeleting => realization.nearby(),
            };
            if missing == 0 {
                let published = realization.editor.graph();
                let changes = Changes::between(graph, &published);
                return Ok(Edited { graph: published, changes });
            }
        }
        if !probe(&mut groups, missing, &mut Random::stream(!seed, attempt), degrees.len()) {
            break;
        }
    }
    Err(GraphError::NotFound { what: "a graph whose degrees occur k times", tries: TRIES })
}

/// Gives more neighbours to groups of low degree, to about as many nodes as ends are missing, and keeps the sum even. Where more ends are
/// missing than there are nodes, all but the groups of highest degree get several. False where no group can take more.
fn probe(groups: &mut [DegreeGroup], missing: u64, random: &mut Random, nodes: usize) -> bool {
    let mut order: Vec<u32> = (0..groups.len() as u32).collect();
    random.shuffle(&mut order);
    // Ties in random order, so that not the same group grows each time.
    order.sort_by_key(|&own| groups[own as usize].degree);
    let may_grow = |group: &DegreeGroup| (group.degree as usize) + 1 < nodes;
    let (mut raised, mut is_odd) = (0u64, false);
    let rounds = (missing / nodes.max(1) as u64) as u32;
    let highest = groups.iter().map(|group| group.degree).max().unwrap_or(0);
    for group in groups.iter_mut().filter(|group| rounds > 0 && group.degree + rounds < highest) {
        group.degree += rounds;
        let ends = u64::from(rounds) * group.nodes.len() as u64;
        raised += ends;
        is_odd ^= !ends.is_multiple_of(2);
    }
    for &own in &order {
        let group = &mut groups[own as usize];
        if raised >= missing && !is_odd {
            break;
        }
        let size = group.nodes.len() as u64;
        if may_grow(group) && (raised < missing || !size.is_multiple_of(2)) {
            group.degree += 1;
            raised += size;
            is_odd ^= !size.is_multiple_of(2);
        }
    }
    if is_odd {
        let odd = |group: &&mut DegreeGroup| may_grow(group) && !group.nodes.len().is_multiple_of(2);
        match groups.iter_mut().filter(odd).min_by_key(|group| group.degree) {
            Some(group) => group.degree += 1,
            None => return false,
        }
    }
    raised > 0
}

/// A graph on its way to given degrees.
struct Realization {
    editor: Editor,
    /// Ends that a node lacks, or has too many of where negative.
    lacks: Vec<i64>,
    /// Edges that were added and may be exchanged.
    added: Vec<(u32, u32)>,
    random: Random,
}

impl Realization {
    fn new(editor: Editor, wanted: &[u32], random: Random) -> Self {
        let lacks = |(&wanted, node): (&u32, u32)| i64::from(wanted) - editor.degree(node) as i64;
        let lacks = wanted.iter().zip(0..).map(lacks).collect();
        Self { editor, lacks, added: Vec::new(), random }
    }

    /// Adds edges only. Returns how many ends are still missing.
    fn supergraph(&mut self) -> u64 {
        self.add_greedily();
        self.exchange_added();
        self.open()
    }

    /// Adds and deletes. Returns how many ends are still missing or too many.
    fn nearby(&mut self) -> u64 {
        self.delete_between();
        self.add_greedily();
        self.turn();
        self.exchange_added();
        self.exchange_any();
        self.shed();
        self.open()
    }

    fn open(&self) -> u64 {
        self.lacks.iter().map(|own| own.unsigned_abs()).sum()
    }

    fn add(&mut self, a: u32, b: u32) {
        if self.editor.add(a, b) {
            self.added.push((a, b));
            self.lacks[a as usize] -= 1;
            self.lacks[b as usize] -= 1;
        }
    }

    fn remove(&mut self, a: u32, b: u32) {
        if self.editor.remove(a, b) {
            self.lacks[a as usize] += 1;
            self.lacks[b as usize] += 1;
        }
    }

    /// The node that lacks most is tied to those that lack most after it.
    fn add_greedily(&mut self) {
        let mut open: BTreeSet<(i64, u64, u32)> = BTreeSet::new();
        for (node, &lacks) in self.lacks.iter().enumerate().filter(|(_, lacks)| **lacks > 0) {
            open.insert((lacks, self.random.number(), node as u32));
        }
        while let Some((lacks, _, node)) = open.pop_last() {
            let free = open.iter().rev().filter(|own| self.editor.may_add(node, own.2));
            let partners: Vec<(i64, u64, u32)> = free.take(lacks as usize).copied().collect();
            for own in partners {
                open.remove(&own);
                self.add(node, own.2);
                if own.0 > 1 {
                    open.insert((own.0 - 1, own.1, own.2));
                }
            }
        }
    }

    fn nodes_that(&self, is_open: impl Fn(i64) -> bool) -> Vec<u32> {
        self.lacks.iter().zip(0..).filter(|(own, _)| is_open(**own)).map(|(_, node)| node).collect()
    }

    /// Nodes that lack ends take those of an edge that was added: `a` and `b` for `x`-`y` give `a`-`x` and `b`-`y`. First every node takes
    /// both ends by itself, which one walk over the added edges tells; pairs of nodes are tried as long as the attempts last.
    fn exchange_added(&mut self) {
        let lacking = self.nodes_that(|own| own > 0);
        let mut place = 0;
        for &a in lacking.iter().filter(|&&a| self.lacks[a as usize] > 1).collect::<Vec<_>>() {
            let mut attempts = self.added.len();
            self.exchange_pair(a, a, &mut place, &mut attempts);
        }
        let lacking = self.nodes_that(|own| own > 0);
        let mut attempts = PAIR_ATTEMPTS + 4 * self.added.len();
        for (first, &a) in lacking.iter().enumerate() {
            for &b in &lacking[first + 1..] {
                if attempts == 0 {
                    return;
                }
                self.exchange_pair(a, b, &mut place, &mut attempts);
            }
        }
    }

    /// Exchanges for two nodes, or one that takes both ends, until nothing is missing, no added edge fits, or the attempts are used up.
    fn exchange_pair(&mut self, a: u32, b: u32, place: &mut usize, attempts: &mut usize) {
        let mut misses = 0;
        while self.lacks[a as usize] > i64::from(a == b) && self.lacks[b as usize] > 0 {
            if misses >= self.added.len() || *attempts == 0 {
                return;
            }
            *attempts -= 1;
            *place = (*place + 1) % self.added.len();
            let (x, y) = self.added[*place];
            if self.exchange(a, b, x, y) || self.exchange(a, b, y, x) {
                // The exchange added two edges behind this one.
                self.added.swap_remove(*place);
                misses = 0;
            } else {
                misses += 1;
            }
        }
    }

    fn exchange(&mut self, a: u32, b: u32, x: u32, y: u32) -> bool {
        let is_free = self.editor.may_add(a, x) && self.editor.may_add(b, y);
        let is_proper = x != b && y != a && self.editor.has_edge(x, y);
        if is_free && is_proper {
            self.remove(x, y);
            self.add(a, x);
            self.add(b, y);
        }
        is_free && is_proper
    }

    /// Deletes edges between nodes that both have too many.
    fn delete_between(&mut self) {
        let mut rich = self.nodes_that(|own| own < 0);
        rich.sort_by_key(|&node| self.lacks[node as usize]);
        for node in rich {
            let mut around: Vec<u32> = self.editor.neighbours(node).to_vec();
            around.retain(|&other| self.lacks[other as usize] < 0);
            around.sort_by_key(|&other| self.lacks[other as usize]);
            for other in around {
                if self.lacks[node as usize] >= 0 {
                    break;
                }
                self.remove(node, other);
            }
        }
    }

    /// Edges of nodes that have too many turn to nodes that lack some: `rich`-`x` becomes `poor`-`x`.
    fn turn(&mut self) {
        let mut poor = self.nodes_that(|own| own > 0);
        for rich in self.nodes_that(|own| own < 0) {
            let mut around = self.editor.neighbours(rich).to_vec();
            self.random.shuffle(&mut around);
            for x in around {
                if self.lacks[rich as usize] >= 0 {
                    break;
                }
                let fits = |&own: &u32| own != rich && self.editor.may_add(own, x);
                let Some(place) = poor.iter().rposition(fits) else { continue };
                let own = poor[place];
                self.remove(rich, x);
                self.add(own, x);
                if self.lacks[own as usize] == 0 {
                    poor.swap_remove(place);
                }
            }
        }
    }

    /// As [`exchange_added`](Self::exchange_added), with any edge.
    fn exchange_any(&mut self) {
        let lacking = self.nodes_that(|own| own > 0);
        let nodes = self.editor.nodes();
        let mut attempts = PAIR_ATTEMPTS + 256 * nodes;
        for &a in &lacking {
            for &b in lacking.iter().filter(|&&b| b >= a) {
                for _ in 0..(64 * nodes).min(attempts) {
                    attempts -= 1;
                    if self.lacks[a as usize] <= i64::from(a == b) || self.lacks[b as usize] <= 0 {
                        break;
                    }
                    let x = self.random.below(nodes) as u32;
                    let around = self.editor.neighbours(x);
                    if !around.is_empty() {
                        let y = around[self.random.below(around.len())];
                        self.exchange(a, b, x, y);
                    }
                }
            }
        }
    }

    /// Nodes that have too many edges give them to each other's neighbours: `a`-`x` and `b`-`y` become `x`-`y`.
    fn shed(&mut self) {
        let rich = self.nodes_that(|own| own < 0);
        for &a in &rich {
            for &b in rich.iter().filter(|&&b| b >= a) {
                let tries = 64 * (self.editor.degree(a) + self.editor.degree(b)) + 64;
                for _ in 0..tries {
                    if self.lacks[a as usize] >= -i64::from(a == b) || self.lacks[b as usize] >= 0 {
                        break;
                    }
                    let x = self.editor.neighbours(a)[self.random.below(self.editor.degree(a))];
                    let y = self.editor.neighbours(b)[self.random.below(self.editor.degree(b))];
                    if x != b && y != a && self.editor.may_add(x, y) {
                        self.remove(a, x);
                        self.remove(b, y);
                        self.add(x, y);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Classes, generate};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        /// Small graphs of all kinds: the result is k-anonymous, and adding keeps every edge.
        #[test]
        fn every_degree_occurs_k_times(
            nodes in 1usize..14, edges in prop::collection::vec((0u32..14, 0u32..14), 0..40),
            k in 1u32..6, adding: bool, seed in 0u64..4,
        ) {
            let edges: Vec<(u32, u32)> =
                edges.into_iter().map(|(a, b)| (a % nodes as u32, b % nodes as u32)).collect();
            let graph = Graph::undirected(nodes, &edges).unwrap().0;
            let direction = if adding { Direction::Adding } else { Direction::AddingAndDeleting };
            match k_degree(&graph, k, direction, seed) {
                Ok(published) => {
                    prop_assert!(Classes::by_key(published.graph.degrees()).smallest() >= k);
                    if adding {
                        prop_assert!(graph.edges().all(|(a, b)| published.graph.has_edge(a, b)));
                    }
                    prop_assert_eq!(published, k_degree(&graph, k, direction, seed).unwrap());
                }
                Err(GraphError::Unreachable { .. }) => prop_assert!(k as usize > nodes),
                Err(other) => prop_assert!(false, "{other} {nodes} {k}"),
            }
        }
    }

    /// A star: its hub is alone, and there is nobody who lacks an end until the sequence is probed.
    #[test]
    fn a_star_is_probed() {
        let star: Vec<(u32, u32)> = (1..40).map(|node| (0, node)).collect();
        let graph = Graph::undirected(40, &star).unwrap().0;
        let published = k_degree(&graph, 2, Direction::Adding, 1).unwrap();
        assert!(Classes::by_key(published.graph.degrees()).smallest() >= 2);
    }

    #[test]
    fn deleting_moves_fewer_edges() {
        let graph = generate::growing(3000, 4.0, 0.3, 3).unwrap();
        let adding = k_degree(&graph, 10, Direction::Adding, 1).unwrap();
        let both = k_degree(&graph, 10, Direction::AddingAndDeleting, 1).unwrap();
        for published in [&adding, &both] {
            assert!(Classes::by_key(published.graph.degrees()).smallest() >= 10);
        }
        let moved = |own: &Edited| own.changes.added + own.changes.deleted;
        assert!(moved(&both) < moved(&adding), "{:?} {:?}", both.changes, adding.changes);
        // The ends that hubs lack, for which there are only nodes of low degree.
        assert!(adding.changes.added < graph.edge_count() * 3 / 5, "{:?}", adding.changes);
        assert!(k_degree(&graph, 3001, Direction::Adding, 1).is_err());
    }
}
