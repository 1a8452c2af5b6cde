//! Made-up networks, for tests, demonstrations and measurements. Seeded: the same seed gives the same graph.

use privet_data::Random;

use crate::{Graph, GraphError};

/// A graph in which every set of `edges` edges is equally likely (Erdős and Rényi).
///
/// # Errors
/// When there are not so many pairs of nodes.
pub fn uniform(nodes: usize, edges: u64, seed: u64) -> Result<Graph, GraphError> {
    let pairs = nodes as u64 * (nodes as u64).saturating_sub(1) / 2;
    if edges > pairs {
        return Err(GraphError::Parameter { key: "edges", accepted: "at most the number of pairs of nodes" });
    }
    let mut random = Random::stream(seed, 1);
    let mut chosen = foldhash::HashSet::default();
    // Floyd's selection: every set is equally likely, whatever the share of pairs.
    for last in pairs - edges..pairs {
        let own = random.below(last as usize + 1) as u64;
        if !chosen.insert(own) {
            chosen.insert(last);
        }
    }
    let mut list: Vec<(u32, u32)> = chosen.into_iter().map(pair).collect();
    list.sort_unstable();
    Ok(Graph::undirected(nodes, &list)?.0)
}

/// The pair with this number: (1,0), (2,0), (2,1), (3,0) and so on.
pub(crate) fn pair(number: u64) -> (u32, u32) {
    let mut row = ((2.0 * number as f64 + 0.25).sqrt() + 0.5) as u64;
    while row * (row - 1) / 2 > number {
        row -= 1;
    }
    while row * (row + 1) / 2 <= number {
        row += 1;
    }
    (row as u32, (number - row * (row - 1) / 2) as u32)
}

/// A network that grows: every new node ties itself to others, chosen by their degrees, and, with probability `triads`,
/// to a neighbour of the one that it chose before (Barabási and Albert 1999; Holme and Kim 2002). The number of ties of a
/// new node is geometric with this mean, so there are nodes of every degree from 1 on, and the tail of degrees is heavy.
///
/// # Errors
/// When the mean is below 1 or `triads` is no probability.
pub fn growing(nodes: usize, mean: f64, triads: f64, seed: u64) -> Result<Graph, GraphError> {
    if !(1.0..1e6).contains(&mean) {
        return Err(GraphError::Parameter { key: "mean", accepted: "at least 1 and below 1,000,000" });
    }
    if !(0.0..=1.0).contains(&triads) {
        return Err(GraphError::Parameter { key: "triads", accepted: "between 0 and 1" });
    }
    let mut random = Random::stream(seed, 2);
    // Both ends of every edge: a place drawn at random names a node with the chance of its degree.
    let mut ends: Vec<u32> = Vec::with_capacity((2.0 * mean * nodes as f64) as usize);
    // Where the edges of a node begin that it made itself.
    let mut begins: Vec<usize> = Vec::with_capacity(nodes);
    let stop = (1.0 / mean).min(1.0);
    for node in 0..nodes as u32 {
        begins.push(ends.len());
        let mut ties = 1usize;
        while !random.chance(stop) {
            ties += 1;
        }
        let start = ends.len();
        let mut chosen: Option<u32> = None;
        for _ in 0..ties.min(node as usize) {
            let triad = chosen.filter(|_| triads > 0.0 && random.chance(triads)).and_then(|own| {
                let (from, to) = (begins[own as usize], begins.get(own as usize + 1).copied());
                let made = &ends[from..to.unwrap_or(ends.len())];
                // Of the edges that it made, every second end is the other one.
                (made.len() >= 2).then(|| made[2 * random.below(made.len() / 2) + 1])
            });
            let other = triad.unwrap_or_else(|| match start {
                0 => random.below(node as usize) as u32,
                _ => ends[random.below(start)],
            });
            if other != node {
                ends.extend([node, other]);
                chosen = Some(other);
            }
        }
    }
    drop(begins);
    let edges: Vec<(u32, u32)> = ends.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
    drop(ends);
    Ok(Graph::undirected(nodes, &edges)?.0)
}

/// A network of communities: nodes of the same community are tied with probability `inside`, others with `outside`.
/// Returns the graph and the community of each node.
///
/// # Errors
/// When there is no community, or a probability is none.
pub fn communities(
    nodes: usize,
    communities: u32,
    inside: f64,
    outside: f64,
    seed: u64,
) -> Result<(Graph, Vec<u32>), GraphError> {
    if communities == 0 {
        return Err(GraphError::Parameter { key: "communities", accepted: "1 or more" });
    }
    if !(0.0..=1.0).contains(&inside) || !(0.0..=1.0).contains(&outside) {
        return Err(GraphError::Parameter { key: "inside, outside", accepted: "between 0 and 1" });
    }
    let mut random = Random::stream(seed, 3);
    let of: Vec<u32> = (0..nodes as u32).map(|node| node % communities).collect();
    let mut edges = Vec::new();
    for a in 0..nodes {
        for b in 0..a {
            let chance = if of[a] == of[b] { inside } else { outside };
            if random.chance(chance) {
                edges.push((a as u32, b as u32));
            }
        }
    }
    Ok((Graph::undirected(nodes, &edges)?.0, of))
}

/// The same degrees with other neighbours: pairs of edges exchange ends, `rounds` times per edge on average. What is left
/// of the structure is what degrees alone tell, which makes it a control of attacks.
#[must_use]
pub fn rewired(graph: &Graph, rounds: u32, seed: u64) -> Graph {
    let mut edges: Vec<(u32, u32)> = graph.edges().collect();
    let directed = graph.is_directed();
    let key = |a: u32, b: u32| match directed || a < b {
        true => (a, b),
        false => (b, a),
    };
    let mut present: foldhash::HashSet<(u32, u32)> = edges.iter().copied().collect();
    let mut random = Random::stream(seed, 4);
    for _ in 0..(edges.len() as u64 * u64::from(rounds)) {
        let (first, second) = (random.below(edges.len()), random.below(edges.len()));
        let ((a, b), (mut c, mut d)) = (edges[first], edges[second]);
        if !directed && random.chance(0.5) {
            std::mem::swap(&mut c, &mut d);
        }
        let (one, other) = (key(a, d), key(c, b));
        if a == d || c == b || first == second || present.contains(&one) || present.contains(&other) {
            continue;
        }
        present.remove(&edges[first]);
        present.remove(&edges[second]);
        present.extend([one, other]);
        (edges[first], edges[second]) = (one, other);
    }
    let build = if directed { Graph::directed } else { Graph::undirected };
    match build(graph.nodes(), &edges) {
        Ok((graph, _)) => graph,
        Err(_) => graph.clone(), // why: the ends are those of a graph with as many nodes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_has_its_number() {
        let mut number = 0;
        for row in 1..40u32 {
            for column in 0..row {
                assert_eq!(pair(number), (row, column));
                number += 1;
            }
        }
    }

    #[test]
    fn graphs_are_as_large_as_asked() {
        let graph = uniform(50, 200, 1).unwrap();
        assert_eq!((graph.nodes(), graph.edge_count()), (50, 200));
        assert_eq!(uniform(5, 10, 3).unwrap().edge_count(), 10);
        assert!(uniform(5, 11, 3).is_err());
        let graph = growing(4000, 5.0, 0.3, 2).unwrap();
        let mean = graph.edge_count() as f64 / 4000.0;
        assert!((4.0..5.2).contains(&mean), "{mean}");
        assert_eq!(graph, growing(4000, 5.0, 0.3, 2).unwrap());
        assert_ne!(graph, growing(4000, 5.0, 0.3, 3).unwrap());
    }

    #[test]
    fn rewiring_keeps_degrees_and_little_else() {
        let graph = growing(500, 4.0, 0.5, 5).unwrap();
        let other = rewired(&graph, 10, 1);
        assert_eq!(graph.degrees(), other.degrees());
        let kept = graph.edges().filter(|&(a, b)| other.has_edge(a, b)).count() as f64;
        assert!(kept / (graph.edge_count() as f64) < 0.25, "{kept}");
    }
}
