//! PageRank (Brin and Page 1998) and how many of the highest ranked nodes two graphs share.

use rayon::prelude::*;

use privet_data::Progress;

use crate::{Graph, GraphError, NOBODY};

const DAMPING: f64 = 0.85;
const STEPS: u32 = 50;

/// The rank of each node; all ranks sum to 1.
///
/// # Errors
/// When the person asked to stop.
pub fn pagerank(graph: &Graph, progress: &dyn Progress) -> Result<Vec<f64>, GraphError> {
    let nodes = graph.nodes();
    let mut rank = vec![1.0 / nodes.max(1) as f64; nodes];
    for _ in 0..STEPS {
        progress.check()?;
        let given: Vec<f64> =
            rank.iter().zip(0u32..).map(|(own, node)| own / graph.degree(node).max(1) as f64).collect();
        let lost = rank.iter().zip(0u32..).filter(|own| graph.degree(own.1) == 0);
        let lost: f64 = lost.map(|own| own.0).sum();
        let base = (1.0 - DAMPING + DAMPING * lost) / nodes.max(1) as f64;
        let next = |node: u32| {
            let inward: f64 = graph.predecessors(node).iter().map(|&other| given[other as usize]).sum();
            base + DAMPING * inward
        };
        rank = (0..nodes as u32).into_par_iter().with_min_len(1024).map(next).collect();
    }
    Ok(rank)
}

/// The share of the `count` highest ranked people of the original whose nodes are among the `count` highest ranked published
/// ones; of equally ranked ones the smaller number.
#[must_use]
pub fn overlap(original: &[f64], published: &[f64], truth: &[u32], count: usize) -> f64 {
    let top = |ranks: &[f64]| {
        let mut order: Vec<u32> = (0..ranks.len() as u32).collect();
        // Rounded, so that what is equal but for the order of a sum is equal.
        let key = |node: u32| (ranks[node as usize] * 1e12).round();
        order.sort_by(|&a, &b| key(b).total_cmp(&key(a)).then(a.cmp(&b)));
        order.truncate(count);
        order
    };
    let highest: foldhash::HashSet<u32> = top(published).into_iter().collect();
    let people = top(original);
    let node = |person: &u32| truth.get(*person as usize).copied().unwrap_or(NOBODY);
    let shared = people.iter().filter(|person| highest.contains(&node(person))).count();
    if people.is_empty() { 0.0 } else { shared as f64 / people.len() as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::Silent;

    #[test]
    fn ranks_of_a_star_and_a_chain() {
        let star = Graph::undirected(5, &[(0, 1), (0, 2), (0, 3), (0, 4)]).unwrap().0;
        let ranks = pagerank(&star, &Silent).unwrap();
        // The hub: x = 0.03 + 0.85·(1 - x).
        assert!((ranks[0] - 0.88 / 1.85).abs() < 1e-3 && (ranks.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        let chain = Graph::directed(3, &[(0, 1), (1, 2)]).unwrap().0;
        let ranks = pagerank(&chain, &Silent).unwrap();
        assert!(ranks[2] > ranks[1] && ranks[1] > ranks[0] && (ranks.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert_eq!(overlap(&[0.1, 0.5, 0.4], &[0.5, 0.1, 0.4], &[1, 0, 2], 2), 1.0);
        assert_eq!(overlap(&[0.1, 0.5, 0.4], &[0.5, 0.1, 0.4], &[1, 2, NOBODY], 2), 0.5);
    }
}
