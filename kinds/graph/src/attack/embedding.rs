//! Vectors of nodes by which those with similar surroundings are near: random signs, averaged over neighbours two and three
//! steps away (random projection of powers of the transition matrix; FastRP, Chen and others 2019). It stands for the
//! embeddings by random walks in the literature and takes O(m) per dimension and step.

use privet_data::{Progress, Random};
use rayon::prelude::*;

use crate::{Graph, GraphError};

/// Numbers per node.
const DIMENSIONS: usize = 64;
/// Nodes between two looks at whether to stop.
const CHUNK: usize = 4096;

/// A vector of length 1 per node; zero for nodes without neighbours.
#[derive(Debug, Clone)]
pub struct Embedding {
    vectors: Vec<f32>,
}

impl Embedding {
    /// Embeds the nodes of a graph; directions are followed one way.
    ///
    /// # Errors
    /// When the person asked to stop.
    pub fn of(graph: &Graph, seed: u64, progress: &dyn Progress) -> Result<Self, GraphError> {
        let mut random = Random::stream(seed, 16);
        let mut bits = 0u64;
        let start: Vec<f32> = (0..graph.nodes() * DIMENSIONS)
            .map(|place| {
                if place % 64 == 0 {
                    bits = random.number();
                }
                let sign = if bits & 1 == 1 { 1.0 } else { -1.0 };
                bits >>= 1;
                sign
            })
            .collect();
        let one = average(graph, &start, progress)?;
        drop(start);
        let two = average(graph, &one, progress)?;
        let three = average(graph, &two, progress)?;
        let mut vectors = one;
        for (own, (second, third)) in vectors
            .par_chunks_mut(DIMENSIONS)
            .zip(two.par_chunks(DIMENSIONS).zip(three.par_chunks(DIMENSIONS)))
            .collect::<Vec<_>>()
        {
            // Each power counts alike, whatever its length.
            let (a, b, c) = (length(own), length(second), length(third));
            for (place, value) in own.iter_mut().enumerate() {
                *value = *value / a + second[place] / b + third[place] / c;
            }
            let whole = length(own);
            own.iter_mut().for_each(|value| *value /= whole);
        }
        Ok(Self { vectors })
    }

    fn vector(&self, node: u32) -> &[f32] {
        &self.vectors[node as usize * DIMENSIONS..][..DIMENSIONS]
    }

    /// The cosine of the angle between two nodes' vectors.
    #[must_use]
    pub fn similarity(&self, one: u32, other: u32) -> f64 {
        f64::from(self.vector(one).iter().zip(self.vector(other)).map(|(a, b)| a * b).sum::<f32>())
    }
}

/// The length of a vector; 1 for one that is zero, which stays zero.
fn length(vector: &[f32]) -> f32 {
    let square: f32 = vector.iter().map(|own| own * own).sum();
    if square > 0.0 { square.sqrt() } else { 1.0 }
}

/// Per node the mean of its neighbours' vectors.
fn average(graph: &Graph, vectors: &[f32], progress: &dyn Progress) -> Result<Vec<f32>, GraphError> {
    let mut means = vec![0f32; vectors.len()];
    means.par_chunks_mut(CHUNK * DIMENSIONS).enumerate().try_for_each(|(chunk, rows)| {
        progress.check()?;
        for (place, row) in rows.chunks_mut(DIMENSIONS).enumerate() {
            let around = graph.neighbours((chunk * CHUNK + place) as u32);
            for &other in around {
                let from = &vectors[other as usize * DIMENSIONS..][..DIMENSIONS];
                row.iter_mut().zip(from).for_each(|(sum, own)| *sum += own);
            }
            let count = around.len().max(1) as f32;
            row.iter_mut().for_each(|own| *own /= count);
        }
        Ok::<(), GraphError>(())
    })?;
    Ok(means)
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::Silent;

    #[test]
    fn nodes_with_the_same_neighbours_are_nearest() {
        let edges = [(0, 2), (1, 2), (0, 3), (1, 3), (3, 4), (4, 5), (5, 6), (6, 7), (7, 8)];
        let graph = Graph::undirected(10, &edges).unwrap().0;
        let embedding = Embedding::of(&graph, 1, &Silent).unwrap();
        assert!((embedding.similarity(0, 1) - 1.0).abs() < 1e-5);
        assert!(embedding.similarity(0, 8) < 0.8);
        assert_eq!(embedding.similarity(0, 9), 0.0);
    }
}
