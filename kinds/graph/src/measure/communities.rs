//! Communities by greedy modularity (Louvain; Blondel and others 2008), and how alike two partitions are (normalized mutual
//! information). Directions are left out. Nodes are visited in an order drawn from a seed: equal seeds, equal communities.

use foldhash::HashMap;
use privet_data::{Progress, Random};

use crate::{Graph, GraphError};

/// Passes over all nodes of one level.
const PASSES: u32 = 20;

/// The community of each node, numbered by their first members.
///
/// # Errors
/// When the person asked to stop.
pub fn communities(graph: &Graph, seed: u64, progress: &dyn Progress) -> Result<Vec<u32>, GraphError> {
    let flat = graph.is_directed().then(|| graph.without_directions());
    let graph = flat.as_ref().unwrap_or(graph);
    let mut level = Level::of(graph);
    let mut of: Vec<u32> = (0..graph.nodes() as u32).collect();
    let mut random = Random::stream(seed, 33);
    loop {
        let (community, has_moved) = level.moved(&mut random, progress)?;
        let community = renumbered(&community);
        of.iter_mut().for_each(|own| *own = community[*own as usize]);
        if !has_moved {
            return Ok(renumbered(&of));
        }
        level = level.folded(&community);
    }
}

fn renumbered(of: &[u32]) -> Vec<u32> {
    crate::Classes::by_key(of).of().to_vec()
}

/// A graph with weights, whose nodes are communities of the one before.
struct Level {
    ties: Vec<Vec<(u32, f64)>>,
    /// Twice the weight within.
    inside: Vec<f64>,
    total: f64,
}

impl Level {
    fn of(graph: &Graph) -> Self {
        let list = |node: u32| graph.neighbours(node).iter().map(|&other| (other, 1.0)).collect();
        let ties = (0..graph.nodes() as u32).map(list).collect();
        Self { ties, inside: vec![0.0; graph.nodes()], total: 2.0 * graph.edge_count() as f64 }
    }

    fn weight(&self, node: usize) -> f64 {
        self.inside[node] + self.ties[node].iter().map(|own| own.1).sum::<f64>()
    }

    /// Moves nodes to the neighbouring community that gains most until none gains.
    fn moved(&self, random: &mut Random, progress: &dyn Progress) -> Result<(Vec<u32>, bool), GraphError> {
        let nodes = self.ties.len();
        let mut of: Vec<u32> = (0..nodes as u32).collect();
        let weights: Vec<f64> = (0..nodes).map(|node| self.weight(node)).collect();
        let mut totals = weights.clone();
        let mut order = of.clone();
        random.shuffle(&mut order);
        let (mut to, mut touched) = (vec![0.0f64; nodes], Vec::new());
        let mut has_moved = false;
        for _ in 0..PASSES {
            let mut moves = 0;
            for (done, &node) in order.iter().enumerate() {
                if done.is_multiple_of(4096) {
                    progress.check()?;
                }
                let own = of[node as usize];
                let weight = weights[node as usize];
                for &(other, tie) in &self.ties[node as usize] {
                    let community = of[other as usize];
                    if to[community as usize] == 0.0 {
                        touched.push(community);
                    }
                    to[community as usize] += tie;
                }
                totals[own as usize] -= weight;
                let gain = |community: u32| {
                    to[community as usize] - totals[community as usize] * weight / self.total.max(1.0)
                };
                let mut best = (gain(own), own);
                for &community in &touched {
                    let gain = gain(community);
                    if gain > best.0 + 1e-9 || gain > best.0 - 1e-9 && community < best.1 && best.1 != own {
                        best = (gain, community);
                    }
                }
                touched.drain(..).for_each(|community| to[community as usize] = 0.0);
                totals[best.1 as usize] += weight;
                of[node as usize] = best.1;
                moves += usize::from(best.1 != own);
            }
            has_moved |= moves > 0;
            if moves * 200 < nodes.max(200) {
                break;
            }
        }
        Ok((of, has_moved))
    }

    fn folded(&self, community: &[u32]) -> Self {
        let count = community.iter().max().map_or(0, |&last| last as usize + 1);
        let mut inside = vec![0.0; count];
        let mut ties: Vec<std::collections::BTreeMap<u32, f64>> = vec![Default::default(); count];
        for (node, list) in self.ties.iter().enumerate() {
            let own = community[node];
            inside[own as usize] += self.inside[node];
            for &(other, tie) in list {
                let to = community[other as usize];
                if to == own {
                    inside[own as usize] += tie;
                } else {
                    *ties[own as usize].entry(to).or_default() += tie;
                }
            }
        }
        let ties = ties.into_iter().map(|list| list.into_iter().collect()).collect();
        Self { ties, inside, total: self.total }
    }
}

/// Newman's modularity of a partition; 0 for a graph without edges.
#[must_use]
pub fn modularity(graph: &Graph, of: &[u32]) -> f64 {
    let edges = graph.edge_count() as f64;
    if edges == 0.0 {
        return 0.0;
    }
    let inside = graph.edges().filter(|&(a, b)| of[a as usize] == of[b as usize]).count() as f64;
    let mut totals: HashMap<u32, f64> = HashMap::default();
    for node in 0..graph.nodes() as u32 {
        *totals.entry(of[node as usize]).or_default() += graph.degree(node) as f64;
    }
    let mut squares: Vec<f64> = totals.values().map(|own| (own / (2.0 * edges)).powi(2)).collect();
    squares.sort_by(f64::total_cmp);
    inside / edges - squares.iter().sum::<f64>()
}

/// The mutual information of two partitions of the same things, by the mean of their entropies: 1 where they are the same,
/// 0 where one tells nothing of the other. Two partitions without any cut are the same.
#[must_use]
pub fn mutual_information(one: &[u32], other: &[u32]) -> f64 {
    let all = one.len().min(other.len()) as f64;
    let mut joint: HashMap<(u32, u32), u64> = HashMap::default();
    one.iter().zip(other).for_each(|(&a, &b)| *joint.entry((a, b)).or_default() += 1);
    let (mut rows, mut columns): (HashMap<u32, u64>, HashMap<u32, u64>) = Default::default();
    for (&(a, b), &count) in &joint {
        *rows.entry(a).or_default() += count;
        *columns.entry(b).or_default() += count;
    }
    let entropy = |counts: &HashMap<u32, u64>| {
        let mut parts: Vec<f64> =
            counts.values().map(|&own| -(own as f64 / all) * (own as f64 / all).ln()).collect();
        parts.sort_by(f64::total_cmp);
        parts.iter().sum::<f64>()
    };
    let (of_rows, of_columns) = (entropy(&rows), entropy(&columns));
    if of_rows + of_columns == 0.0 {
        return 1.0;
    }
    let mut parts: Vec<f64> = joint
        .iter()
        .map(|((a, b), &count)| {
            let expected = rows[a] as f64 * columns[b] as f64 / all;
            count as f64 / all * (count as f64 / expected).ln()
        })
        .collect();
    parts.sort_by(f64::total_cmp);
    (2.0 * parts.iter().sum::<f64>() / (of_rows + of_columns)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;
    use privet_data::Silent;

    #[test]
    fn planted_communities_are_found() {
        let (graph, planted) = generate::communities(200, 5, 0.4, 0.01, 3).unwrap();
        let found = communities(&graph, 1, &Silent).unwrap();
        assert!(mutual_information(&found, &planted) > 0.95);
        assert!((modularity(&graph, &found) - modularity(&graph, &planted)).abs() < 0.02);
        let control = generate::rewired(&graph, 10, 1);
        assert!(mutual_information(&communities(&control, 1, &Silent).unwrap(), &planted) < 0.3);
    }

    #[test]
    fn information_and_modularity_of_small_partitions() {
        assert!((mutual_information(&[0, 0, 1, 1], &[5, 5, 3, 3]) - 1.0).abs() < 1e-12);
        assert!(mutual_information(&[0, 0, 1, 1], &[0, 1, 0, 1]).abs() < 1e-12);
        assert_eq!(mutual_information(&[0, 0], &[1, 1]), 1.0);
        // Two triangles with one edge between: 6/7 - 2·(7/14)².
        let graph =
            Graph::undirected(6, &[(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3)]).unwrap().0;
        assert!((modularity(&graph, &[0, 0, 0, 1, 1, 1]) - (6.0 / 7.0 - 0.5)).abs() < 1e-12);
        assert_eq!(communities(&graph, 1, &Silent).unwrap(), [0, 0, 0, 1, 1, 1]);
        let empty = Graph::undirected(3, &[]).unwrap().0;
        assert_eq!(communities(&empty, 1, &Silent).unwrap(), [0, 1, 2]);
        assert_eq!(modularity(&empty, &[0, 1, 2]), 0.0);
    }
}
