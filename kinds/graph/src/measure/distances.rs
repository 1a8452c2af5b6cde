//! Shortest paths from some nodes drawn at random, or from all: distribution, mean, and the distance that 90 % of the pairs keep.

use privet_data::{Progress, Random};
use rayon::prelude::*;
use serde::Serialize;

use crate::{Graph, GraphError};

/// Distances between pairs that can reach each other.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Distances {
    /// How many ordered pairs are so many steps apart, from one step on.
    pub counts: Vec<u64>,
    /// Pairs that cannot reach each other.
    pub unreachable: u64,
    /// The nodes that paths were looked for from.
    pub sources: u64,
}

impl Distances {
    /// The mean distance; nothing where no pair is connected.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        let pairs: u64 = self.counts.iter().sum();
        let steps: u64 = self.counts.iter().zip(1..).map(|(&count, step)| count * step).sum();
        (pairs > 0).then(|| steps as f64 / pairs as f64)
    }

    /// The least number of steps within which 90 % of the connected pairs are; nothing where no pair is connected.
    #[must_use]
    pub fn effective_diameter(&self) -> Option<u64> {
        let pairs: u64 = self.counts.iter().sum();
        let mut within = 0;
        let steps = self.counts.iter().zip(1..);
        steps.filter(|_| pairs > 0).find_map(|(&count, step)| {
            within += count;
            (10 * within >= 9 * pairs).then_some(step)
        })
    }
}

/// Distances from at most so many nodes, drawn at random.
///
/// # Errors
/// When the person asked to stop.
pub fn distances(
    graph: &Graph,
    sources: usize,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Distances, GraphError> {
    let mut from: Vec<u32> = (0..graph.nodes() as u32).collect();
    if sources < from.len() {
        Random::stream(seed, 31).shuffle(&mut from);
        from.truncate(sources);
    }
    let walk = |scratch: &mut (Vec<u32>, Vec<u32>), &source: &u32| {
        progress.check()?;
        let (seen, queue) = scratch;
        queue.clear();
        queue.push(source);
        seen[source as usize] = 0;
        let mut counts: Vec<u64> = Vec::new();
        let mut next = 0;
        while next < queue.len() {
            let node = queue[next];
            next += 1;
            let step = seen[node as usize] + 1;
            for &other in graph.neighbours(node) {
                if seen[other as usize] == u32::MAX {
                    seen[other as usize] = step;
                    queue.push(other);
                    if counts.len() < step as usize {
                        counts.push(0);
                    }
                    counts[step as usize - 1] += 1;
                }
            }
        }
        queue.iter().for_each(|&node| seen[node as usize] = u32::MAX);
        Ok((counts, (graph.nodes() - queue.len()) as u64))
    };
    let join = |mut one: (Vec<u64>, u64), other: (Vec<u64>, u64)| {
        one.0.resize(one.0.len().max(other.0.len()), 0);
        one.0.iter_mut().zip(&other.0).for_each(|(sum, own)| *sum += own);
        Ok((one.0, one.1 + other.1))
    };
    let fresh = || (vec![u32::MAX; graph.nodes()], Vec::new());
    let (counts, unreachable) = from
        .par_iter()
        .map_init(fresh, walk)
        .try_reduce(|| (Vec::new(), 0), join)
        .map_err(|error: privet_data::Cancelled| GraphError::from(error))?;
    Ok(Distances { counts, unreachable, sources: from.len() as u64 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::Silent;

    #[test]
    fn a_path_and_a_lone_node() {
        let graph = Graph::undirected(5, &[(0, 1), (1, 2), (2, 3)]).unwrap().0;
        let found = distances(&graph, 100, 1, &Silent).unwrap();
        assert_eq!((found.counts.clone(), found.unreachable, found.sources), (vec![6, 4, 2], 8, 5));
        assert_eq!((found.mean(), found.effective_diameter()), (Some(20.0 / 12.0), Some(3)));
        assert_eq!(distances(&graph, 2, 1, &Silent).unwrap().sources, 2);
        let empty = Graph::undirected(2, &[]).unwrap().0;
        assert_eq!(distances(&empty, 9, 1, &Silent).unwrap().mean(), None);
        assert_eq!(distances(&empty, 9, 1, &Silent).unwrap().effective_diameter(), None);
    }
}
