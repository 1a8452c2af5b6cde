//! Seed and propagate (survey AP-08; Narayanan and Shmatikov 2009): an adversary has a second network of partly the same people,
//! knows a few of them in the release, and extends this mapping along edges. A node is mapped where one published node
//! shares clearly more mapped neighbours with it than any other, and the other way round as well.
//!
//! Differs from the source: nodes of high degree are compared with each other first, in halving steps (Korula and Lattanzi
//! 2014), and a claim needs a least number of shared neighbours. Both raise precision. Rounds are computed from the mapping
//! before them, so the result does not depend on the number of threads. In a step a node is looked at again only when a
//! neighbour was mapped; cost grows with the sum over mapped people of their degrees in both networks multiplied.

use privet_data::Progress;
use rayon::prelude::*;

use crate::{Graph, GraphError, NOBODY};

/// When a claim is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PropagationOptions {
    /// By how many standard deviations of all scores the best one exceeds the second.
    pub eccentricity: f64,
    /// The mapped neighbours that a claim needs.
    pub witnesses: u32,
    /// The most rounds for each step of degrees.
    pub rounds: u32,
}

impl Default for PropagationOptions {
    fn default() -> Self {
        Self { eccentricity: 0.5, witnesses: 2, rounds: 20 }
    }
}

/// Who was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Propagation {
    /// Per node of the known network the published node, or [`NOBODY`]. Seeds are among them.
    pub claims: Vec<u32>,
    /// The rounds that were made.
    pub rounds: u32,
}

/// Extends seeds, pairs of a known and a published node, along the edges of both networks.
///
/// # Errors
/// When a seed names no node or a node twice, one network is directed and the other is not, or the person asked to stop.
pub fn propagate(
    known: &Graph,
    published: &Graph,
    seeds: &[(u32, u32)],
    options: PropagationOptions,
    progress: &dyn Progress,
) -> Result<Propagation, GraphError> {
    if known.is_directed() != published.is_directed() {
        return Err(GraphError::Directed { what: "comparing it with an undirected one" });
    }
    let mut mapping = Mapping::new(known.nodes(), published.nodes(), seeds)?;
    let mut open = vec![false; known.nodes()];
    let highest = (0..known.nodes() as u32).map(|node| degree(known, node)).max().unwrap_or(0);
    let (mut rounds, mut floor) = (0, highest / 2);
    progress.stage("extending the mapping", None);
    loop {
        for person in (0..known.nodes() as u32).filter(|&own| mapping.to[own as usize] != NOBODY) {
            around(known, person).for_each(|other| open[other as usize] = true);
        }
        for _ in 0..options.rounds {
            progress.check()?;
            let is_due = |&person: &u32| {
                open[person as usize]
                    && mapping.to[person as usize] == NOBODY
                    && degree(known, person) >= floor
            };
            let due: Vec<u32> = (0..known.nodes() as u32).filter(is_due).collect();
            due.iter().for_each(|&person| open[person as usize] = false);
            let fresh = mapping.round((known, published), &due, floor, options, progress)?;
            rounds += 1;
            for &(person, _) in &fresh {
                around(known, person).for_each(|other| open[other as usize] = true);
            }
            if fresh.is_empty() {
                break;
            }
        }
        if floor <= 1 {
            return Ok(Propagation { claims: mapping.to, rounds });
        }
        floor /= 2;
    }
}

fn degree(graph: &Graph, node: u32) -> usize {
    graph.degree(node) + if graph.is_directed() { graph.predecessors(node).len() } else { 0 }
}

fn around(graph: &Graph, node: u32) -> impl Iterator<Item = u32> + '_ {
    let back: &[u32] = if graph.is_directed() { graph.predecessors(node) } else { &[] };
    graph.neighbours(node).iter().chain(back).copied()
}

struct Mapping {
    to: Vec<u32>,
    from: Vec<u32>,
}

/// Scores of the nodes of the other network, and which of them have one.
struct Scratch {
    score: Vec<f64>,
    witnesses: Vec<u32>,
    touched: Vec<u32>,
}

impl Scratch {
    fn new(nodes: usize) -> Self {
        Self { score: vec![0.0; nodes], witnesses: vec![0; nodes], touched: Vec::new() }
    }

    fn add(&mut self, node: u32, weight: f64) {
        if self.witnesses[node as usize] == 0 {
            self.touched.push(node);
        }
        self.witnesses[node as usize] += 1;
        self.score[node as usize] += weight;
    }

    /// The one that clearly leads, and its score; everything is cleared.
    fn leader(&mut self, options: PropagationOptions) -> Option<(u32, f64)> {
        let (mut best, mut second) = ((0.0, NOBODY), 0.0);
        let (mut sum, mut squares) = (0.0, 0.0);
        for &node in &self.touched {
            let own = self.score[node as usize];
            sum += own;
            squares += own * own;
            // Of equal scores neither leads, so their order does not matter.
            if own > best.0 {
                (second, best) = (best.0, (own, node));
            } else if own > second {
                second = own;
            }
        }
        let count = self.touched.len() as f64;
        let deviation = (squares / count - (sum / count).powi(2)).max(0.0).sqrt();
        let leads = best.1 != NOBODY
            && self.witnesses[best.1 as usize] >= options.witnesses
            && best.0 > second
            && best.0 - second >= options.eccentricity * deviation;
        for node in self.touched.drain(..) {
            (self.score[node as usize], self.witnesses[node as usize]) = (0.0, 0);
        }
        leads.then_some((best.1, best.0))
    }
}

impl Mapping {
    fn new(people: usize, nodes: usize, seeds: &[(u32, u32)]) -> Result<Self, GraphError> {
        let mut mapping = Self { to: vec![NOBODY; people], from: vec![NOBODY; nodes] };
        for &(person, node) in seeds {
            let is_free = |list: &[u32], place: u32| list.get(place as usize) == Some(&NOBODY);
            if !is_free(&mapping.to, person) || !is_free(&mapping.from, node) {
                return Err(GraphError::Parameter {
                    key: "seeds",
                    accepted: "pairs of nodes, each node once",
                });
            }
            mapping.join(person, node);
        }
        Ok(mapping)
    }

    fn join(&mut self, person: u32, node: u32) {
        self.to[person as usize] = node;
        self.from[node as usize] = person;
    }

    /// One round: claims that both sides agree on, the clearest first.
    fn round(
        &mut self,
        (known, published): (&Graph, &Graph),
        due: &[u32],
        floor: usize,
        options: PropagationOptions,
        progress: &dyn Progress,
    ) -> Result<Vec<(u32, u32)>, GraphError> {
        let scratch = || (Scratch::new(published.nodes()), Scratch::new(known.nodes()));
        let claim = |(ahead, back): &mut (Scratch, Scratch), &person: &u32| {
            progress.check()?;
            scores((known, published), (&self.to, &self.from), person, floor, ahead);
            let Some((node, score)) = ahead.leader(options) else { return Ok(None) };
            scores((published, known), (&self.from, &self.to), node, floor, back);
            let agreed = back.leader(options).is_some_and(|own| own.0 == person);
            Ok(agreed.then_some((score, person, node)))
        };
        let chunk = (due.len() / (4 * rayon::current_num_threads())).max(64);
        let found: Vec<Option<(f64, u32, u32)>> =
            due.par_iter().with_min_len(chunk).map_init(scratch, claim).collect::<Result<_, GraphError>>()?;
        let mut claims: Vec<(f64, u32, u32)> = found.into_iter().flatten().collect();
        claims.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut fresh = Vec::new();
        for (_, person, node) in claims {
            if self.from[node as usize] == NOBODY {
                self.join(person, node);
                fresh.push((person, node));
            }
        }
        Ok(fresh)
    }
}

/// Scores the free nodes of the other network of a least degree by how many mapped neighbours they share with a node, each
/// divided by the root of their degrees.
fn scores(
    (from, to): (&Graph, &Graph),
    (mapping, taken): (&[u32], &[u32]),
    node: u32,
    floor: usize,
    scratch: &mut Scratch,
) {
    let mut add = |others: &[u32], back: &dyn Fn(u32) -> usize| {
        for &other in others.iter().filter(|&&other| taken[other as usize] == NOBODY) {
            if degree(to, other) >= floor {
                scratch.add(other, 1.0 / (back(other) as f64).sqrt());
            }
        }
    };
    for &neighbour in from.neighbours(node) {
        let image = mapping[neighbour as usize];
        if image != NOBODY {
            add(to.predecessors(image), &|other| to.degree(other));
        }
    }
    if from.is_directed() {
        for &neighbour in from.predecessors(node) {
            let image = mapping[neighbour as usize];
            if image != NOBODY {
                add(to.neighbours(image), &|other| to.predecessors(other).len());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::Score;
    use crate::generate;
    use privet_data::{Random, Silent};

    /// Two networks of the same people, each with some edges of the whole.
    fn overlapping(nodes: usize, kept: f64) -> (Graph, Graph, Vec<u32>) {
        let whole = generate::growing(nodes, 8.0, 0.3, 4).unwrap();
        let mut random = Random::new(1);
        let mut part = || {
            let edges: Vec<(u32, u32)> = whole.edges().filter(|_| random.chance(kept)).collect();
            Graph::undirected(nodes, &edges).unwrap().0
        };
        let (known, other) = (part(), part());
        let mut truth: Vec<u32> = (0..nodes as u32).collect();
        Random::new(5).shuffle(&mut truth);
        (known, other.renumbered(&truth).unwrap(), truth)
    }

    #[test]
    fn few_seeds_reach_most_people_and_no_one_in_the_control() {
        let (known, published, truth) = overlapping(3000, 0.85);
        let mut by_degree: Vec<u32> = (0..3000).collect();
        by_degree.sort_by_key(|&node| std::cmp::Reverse(known.degree(node)));
        let seeds: Vec<(u32, u32)> = by_degree[..20].iter().map(|&own| (own, truth[own as usize])).collect();
        let options = PropagationOptions::default();
        let found = propagate(&known, &published, &seeds, options, &Silent).unwrap();
        let score = Score::of(&found.claims, &truth);
        assert!(score.exposed() > 0.5 && score.precision() > 0.9, "{score:?}");
        assert_eq!(found, propagate(&known, &published, &seeds, options, &Silent).unwrap());
        let control = generate::rewired(&published, 10, 2);
        let found = propagate(&known, &control, &seeds, options, &Silent).unwrap();
        let control = Score::of(&found.claims, &truth);
        assert!(control.right < 120.0, "{control:?}");
    }

    #[test]
    fn directions_are_followed() {
        // 0 and 1 are mapped; 2 is who both point at, 3 who points at both.
        let graph = Graph::directed(4, &[(0, 2), (1, 2), (3, 0), (3, 1)]).unwrap().0;
        let found =
            propagate(&graph, &graph, &[(0, 0), (1, 1)], PropagationOptions::default(), &Silent).unwrap();
        assert_eq!(found.claims, [0, 1, 2, 3]);
        let both = graph.without_directions();
        let found =
            propagate(&both, &both, &[(0, 0), (1, 1)], PropagationOptions::default(), &Silent).unwrap();
        assert_eq!(found.claims, [0, 1, NOBODY, NOBODY]);
        assert!(propagate(&graph, &both, &[], PropagationOptions::default(), &Silent).is_err());
        assert!(propagate(&both, &both, &[(0, 0), (1, 0)], PropagationOptions::default(), &Silent).is_err());
        assert!(propagate(&both, &both, &[(9, 0)], PropagationOptions::default(), &Silent).is_err());
    }
}
