//! Hay's clustering release (survey AP-04; Hay, Miklau, Jensen, Towsley and Weis 2008): nodes are put into clusters of at least k, and
//! published are the sizes of the clusters and the numbers of edges within and between them. Analysts draw sample graphs.
//!
//! Guarantee. Every permutation of nodes within clusters is consistent with what is published, so whatever of the structure
//! an adversary knows, each person has at least k candidates. The partition is searched by simulated annealing for the
//! greatest likelihood, which is the least number of graphs that fit; the number is exact up to rounding.

use std::collections::BTreeMap;

use privet_data::{Progress, Random};
use serde::{Deserialize, Serialize};

use crate::{Graph, GraphError};

/// What is published.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ClusterSummary {
    /// The number of nodes of each cluster.
    pub sizes: Vec<u32>,
    /// Numbers of edges between two clusters, the smaller number first, or within one; those without edges are left out.
    pub edges: Vec<(u32, u32, u64)>,
}

/// A summary, and who is in which cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Clustering {
    /// What is published.
    pub summary: ClusterSummary,
    /// The cluster of each node. Never published.
    pub of: Vec<u32>,
}

/// How long and how hot the search runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AnnealingOptions {
    /// Moves that are tried, per node.
    pub moves_per_node: u32,
    /// The temperature at the start, in units of the logarithm of the number of graphs; it falls to a thousandth.
    pub temperature: f64,
    /// The seed.
    pub seed: u64,
}

impl Default for AnnealingOptions {
    fn default() -> Self {
        Self { moves_per_node: 60, temperature: 4.0, seed: 1 }
    }
}

/// Puts nodes into clusters of at least `k`.
///
/// ```
/// use privet_graph::{AnnealingOptions, cluster, generate};
/// let (graph, _) = generate::communities(60, 3, 0.5, 0.02, 1)?;
/// let found = cluster(&graph, 5, AnnealingOptions::default(), &privet_data::Silent)?;
/// assert!(found.summary.sizes.iter().all(|&size| size >= 5));
/// assert_eq!(found.summary.edge_count(), graph.edge_count());
/// # Ok::<(), privet_graph::GraphError>(())
/// ```
///
/// # Errors
/// When the graph is directed, `k` is 0 or more than there are nodes, or the person asked to stop.
pub fn cluster(
    graph: &Graph,
    k: u32,
    options: AnnealingOptions,
    progress: &dyn Progress,
) -> Result<Clustering, GraphError> {
    graph.must_be_undirected("a release of clusters")?;
    if k == 0 {
        return Err(GraphError::Parameter { key: "k", accepted: "1 or more" });
    }
    if k as usize > graph.nodes() && graph.nodes() > 0 {
        return Err(GraphError::Unreachable { k: k.into(), nodes: graph.nodes() as u64 });
    }
    let mut random = Random::stream(options.seed, 25);
    let mut state = State::new(graph, start(graph, k));
    let moves = u64::from(options.moves_per_node) * graph.nodes() as u64;
    progress.stage("annealing clusters", Some(moves));
    for step in 0..moves {
        if step.is_multiple_of(256) {
            progress.check()?;
            progress.at(step);
        }
        let temperature = options.temperature * 1000f64.powf(-(step as f64) / moves as f64);
        state.try_move(k, temperature, &mut random);
    }
    Ok(state.clustering())
}

/// Nodes in the order of a walk through the graph from the highest degrees, cut into clusters of k.
fn start(graph: &Graph, k: u32) -> Vec<u32> {
    let nodes = graph.nodes();
    let mut by_degree: Vec<u32> = (0..nodes as u32).collect();
    by_degree.sort_by_key(|&node| std::cmp::Reverse(graph.degree(node)));
    let mut seen = vec![false; nodes];
    let mut order = Vec::with_capacity(nodes);
    for root in by_degree {
        if std::mem::replace(&mut seen[root as usize], true) {
            continue;
        }
        let mut next = order.len();
        order.push(root);
        while next < order.len() {
            let node: u32 = order[next];
            next += 1;
            for &other in graph.neighbours(node) {
                if !std::mem::replace(&mut seen[other as usize], true) {
                    order.push(other);
                }
            }
        }
    }
    let clusters = (nodes / k as usize).max(1);
    let mut of = vec![0; nodes];
    order.iter().enumerate().for_each(|(place, &node)| of[node as usize] = (place * clusters / nodes) as u32);
    of
}

struct State<'a> {
    graph: &'a Graph,
    of: Vec<u32>,
    sizes: Vec<u32>,
    /// Per cluster the edges to others and, once, those within; in order, so that costs are summed the same way every time.
    ties: Vec<BTreeMap<u32, u64>>,
}

impl<'a> State<'a> {
    fn new(graph: &'a Graph, of: Vec<u32>) -> Self {
        let count = of.iter().max().map_or(0, |&last| last as usize + 1);
        let mut sizes = vec![0; count];
        of.iter().for_each(|&own| sizes[own as usize] += 1);
        let mut ties: Vec<BTreeMap<u32, u64>> = vec![BTreeMap::default(); count];
        for (a, b) in graph.edges() {
            let (a, b) = (of[a as usize], of[b as usize]);
            *ties[a as usize].entry(b).or_default() += 1;
            if a != b {
                *ties[b as usize].entry(a).or_default() += 1;
            }
        }
        Self { graph, of, sizes, ties }
    }

    /// The logarithm of the number of ways to draw the edges of a cluster, those to `but` left out.
    fn cost(&self, cluster: u32, but: Option<u32>) -> f64 {
        let size = u64::from(self.sizes[cluster as usize]);
        let ties = self.ties[cluster as usize].iter();
        ties.filter(|own| Some(*own.0) != but)
            .map(|(&other, &edges)| match other == cluster {
                true => ln_choose(size * (size - 1) / 2, edges),
                false => ln_choose(size * u64::from(self.sizes[other as usize]), edges),
            })
            .sum()
    }

    fn cost_of_both(&self, one: u32, other: u32) -> f64 {
        self.cost(one, None) + self.cost(other, Some(one))
    }

    /// A node moves into the cluster of a neighbour or of a neighbour's neighbour, in exchange for one of its members
    /// where its cluster would become too small. Likeness of neighbours makes a cluster, so both are likely moves.
    fn try_move(&mut self, k: u32, temperature: f64, random: &mut Random) {
        let nodes = self.graph.nodes();
        let node = random.below(nodes) as u32;
        let near = |node: u32, random: &mut Random| {
            let list = self.graph.neighbours(node);
            if list.is_empty() { random.below(nodes) as u32 } else { list[random.below(list.len())] }
        };
        let mut other = near(node, random);
        if random.chance(0.7) {
            other = near(other, random);
        }
        let (from, to) = (self.of[node as usize], self.of[other as usize]);
        if from == to {
            return;
        }
        let before = self.cost_of_both(from, to);
        // The node that goes back: the one that was met, or another near one.
        let back = (self.sizes[from as usize] <= k).then_some(other);
        self.put(node, to);
        if let Some(back) = back {
            self.put(back, from);
        }
        let gain = before - self.cost_of_both(from, to);
        if gain < 0.0 && !random.chance((gain / temperature).exp()) {
            self.put(node, from);
            if let Some(back) = back {
                self.put(back, to);
            }
        }
    }

    fn put(&mut self, node: u32, to: u32) {
        let from = self.of[node as usize];
        for &other in self.graph.neighbours(node) {
            let own = self.of[other as usize];
            self.change(from, own, -1);
            self.change(to, own, 1);
        }
        self.sizes[from as usize] -= 1;
        self.sizes[to as usize] += 1;
        self.of[node as usize] = to;
    }

    fn change(&mut self, a: u32, b: u32, by: i64) {
        let mut one = |a: u32, b: u32| {
            let count = self.ties[a as usize].entry(b).or_default();
            *count = count.wrapping_add_signed(by);
            if *count == 0 {
                self.ties[a as usize].remove(&b);
            }
        };
        one(a, b);
        if a != b {
            one(b, a);
        }
    }

    /// The clusters in the order of their sizes, so that their numbers tell nothing else.
    fn clustering(self) -> Clustering {
        let mut order: Vec<u32> =
            (0..self.sizes.len() as u32).filter(|&own| self.sizes[own as usize] > 0).collect();
        let inside = |own: u32| self.ties[own as usize].get(&own).copied().unwrap_or(0);
        order.sort_by_key(|&own| (std::cmp::Reverse((self.sizes[own as usize], inside(own))), own));
        let mut number = vec![0u32; self.sizes.len()];
        order.iter().zip(0..).for_each(|(&own, place)| number[own as usize] = place);
        let of: Vec<u32> = self.of.iter().map(|&own| number[own as usize]).collect();
        Clustering { summary: ClusterSummary::of(self.graph, &of), of }
    }
}

impl ClusterSummary {
    /// The summary of a partition whose clusters are numbered from 0 on.
    #[must_use]
    pub fn of(graph: &Graph, of: &[u32]) -> Self {
        let count = of.iter().max().map_or(0, |&last| last as usize + 1);
        let mut sizes = vec![0u32; count];
        of.iter().for_each(|&own| sizes[own as usize] += 1);
        let mut edges: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        for (a, b) in graph.edges() {
            let (a, b) = (of[a as usize], of[b as usize]);
            *edges.entry((a.min(b), a.max(b))).or_default() += 1;
        }
        Self { sizes, edges: edges.into_iter().map(|((a, b), count)| (a, b, count)).collect() }
    }

    /// The number of nodes.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.sizes.iter().map(|&size| u64::from(size)).sum()
    }

    /// The number of edges.
    #[must_use]
    pub fn edge_count(&self) -> u64 {
        self.edges.iter().map(|own| own.2).sum()
    }

    /// How many pairs of nodes there are between two clusters, or within one.
    fn pairs(&self, a: u32, b: u32) -> Option<u64> {
        let size = |own: u32| self.sizes.get(own as usize).map(|&size| u64::from(size));
        let (one, other) = (size(a)?, size(b)?);
        Some(if a == b { one * one.saturating_sub(1) / 2 } else { one * other })
    }

    /// The logarithm of the number of graphs that fit.
    ///
    /// # Errors
    /// When a cluster does not exist, or has more edges than pairs of nodes.
    pub fn ln_graphs(&self) -> Result<f64, GraphError> {
        self.check()?;
        Ok(self.edges.iter().filter_map(|&(a, b, edges)| Some(ln_choose(self.pairs(a, b)?, edges))).sum())
    }

    fn check(&self) -> Result<(), GraphError> {
        let fits =
            |&(a, b, edges): &(u32, u32, u64)| a <= b && self.pairs(a, b).is_some_and(|most| edges <= most);
        let is_sorted = self.edges.windows(2).all(|pair| (pair[0].0, pair[0].1) < (pair[1].0, pair[1].1));
        if self.nodes() >= crate::MOST_NODES || !self.edges.iter().all(fits) || !is_sorted {
            let accepted = "pairs of clusters in rising order, with at most as many edges as pairs of nodes";
            return Err(GraphError::Parameter { key: "edges", accepted });
        }
        Ok(())
    }

    /// The cluster of each node of a sample graph: clusters one after the other.
    #[must_use]
    pub fn clusters_of_nodes(&self) -> Vec<u32> {
        let each = self.sizes.iter().zip(0u32..);
        each.flat_map(|(&size, cluster)| std::iter::repeat_n(cluster, size as usize)).collect()
    }

    /// A graph drawn at random among all that fit.
    ///
    /// # Errors
    /// When a cluster does not exist or has more edges than pairs of nodes, or the person asked to stop.
    pub fn sample(&self, seed: u64, progress: &dyn Progress) -> Result<Graph, GraphError> {
        self.check()?;
        let mut begins = vec![0u32];
        for &size in &self.sizes {
            begins.push(begins[begins.len() - 1] + size); // why: the sum of all sizes was checked
        }
        let mut edges = Vec::new();
        for (number, &(a, b, count)) in self.edges.iter().enumerate() {
            if number.is_multiple_of(1024) {
                progress.check()?;
            }
            let mut random = Random::stream(seed, (u64::from(a) << 32 | u64::from(b)) ^ 26 << 50);
            let pairs = self.pairs(a, b).unwrap_or(0);
            let width = u64::from(self.sizes[b as usize]);
            // Floyd's selection: every set of pairs is equally likely.
            let mut chosen = std::collections::BTreeSet::new();
            for last in pairs - count..pairs {
                let own = random.below(last as usize + 1) as u64;
                if !chosen.insert(own) {
                    chosen.insert(last);
                }
            }
            for own in chosen {
                let (row, column) = match a == b {
                    true => crate::generate::pair(own),
                    false => ((own / width) as u32, (own % width) as u32),
                };
                edges.push((begins[a as usize] + row, begins[b as usize] + column));
            }
        }
        Ok(Graph::undirected(self.nodes() as usize, &edges)?.0)
    }
}

/// The logarithm of the number of ways to choose some of all.
fn ln_choose(all: u64, some: u64) -> f64 {
    if some == 0 || some >= all {
        return 0.0;
    }
    ln_factorial(all) - ln_factorial(some) - ln_factorial(all - some)
}

/// Stirling's series, which is off by less than 1e-9 from 10 on; below that the product.
fn ln_factorial(own: u64) -> f64 {
    if own < 10 {
        return (2..=own).map(|factor| factor as f64).product::<f64>().ln();
    }
    let x = own as f64;
    let series = 1.0 / (12.0 * x) - 1.0 / (360.0 * x.powi(3)) + 1.0 / (1260.0 * x.powi(5));
    x * x.ln() - x + 0.5 * (std::f64::consts::TAU * x).ln() + series
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Classes, generate};
    use privet_data::Silent;
    use proptest::prelude::*;

    #[test]
    fn binomials() {
        assert!((ln_choose(52, 5) - 2_598_960f64.ln()).abs() < 1e-8);
        assert!((ln_choose(10, 3) - 120f64.ln()).abs() < 1e-9);
        assert_eq!((ln_choose(7, 7), ln_choose(7, 0)), (0.0, 0.0));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        /// The state kept along the moves is that of the partition, and samples have the published summary.
        #[test]
        fn samples_fit_the_summary(
            edges in prop::collection::vec((0u32..14, 0u32..14), 0..40), k in 1u32..5, seed in 0u64..5,
        ) {
            let graph = Graph::undirected(14, &edges).unwrap().0;
            let options = AnnealingOptions { moves_per_node: 20, temperature: 4.0, seed };
            let found = cluster(&graph, k, options, &Silent).unwrap();
            prop_assert!(Classes::by_key(&found.of).smallest() >= k);
            prop_assert_eq!(&found.summary, &ClusterSummary::of(&graph, &found.of));
            let sample = found.summary.sample(seed, &Silent).unwrap();
            let of = found.summary.clusters_of_nodes();
            prop_assert_eq!(&ClusterSummary::of(&sample, &of), &found.summary);
            let mut random = Random::new(seed);
            let mut state = State::new(&graph, found.of);
            for _ in 0..30 {
                state.try_move(k, 2.0, &mut random);
            }
            let fresh = State::new(&graph, state.of.clone());
            prop_assert_eq!(&state.ties, &fresh.ties);
            prop_assert_eq!(&state.sizes, &fresh.sizes);
        }
    }

    /// The number of graphs, counted: two clusters of two with one edge within the first and one between.
    #[test]
    fn graphs_are_counted() {
        let summary = ClusterSummary { sizes: vec![2, 2], edges: vec![(0, 0, 1), (0, 1, 1)] };
        assert!((summary.ln_graphs().unwrap() - 4f64.ln()).abs() < 1e-9);
        let wrong = ClusterSummary { sizes: vec![2, 2], edges: vec![(0, 0, 2)] };
        assert!(wrong.ln_graphs().is_err() && wrong.sample(1, &Silent).is_err());
        let wrong = ClusterSummary { sizes: vec![2], edges: vec![(0, 1, 1)] };
        assert!(wrong.sample(1, &Silent).is_err());
    }

    /// Annealing finds planted groups better than the start, and far better than clusters by lot.
    #[test]
    fn annealing_raises_the_likelihood() {
        let (graph, _) = generate::communities(120, 12, 0.8, 0.01, 4).unwrap();
        let first = ClusterSummary::of(&graph, &start(&graph, 10)).ln_graphs().unwrap();
        let found = cluster(&graph, 10, AnnealingOptions::default(), &Silent).unwrap();
        let after = found.summary.ln_graphs().unwrap();
        assert!(after < 0.9 * first, "{after} {first}");
    }
}
