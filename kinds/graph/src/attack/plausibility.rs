//! Which edges of a release are made up (Zhang and others 2020, "Towards plausible graph anonymization"): people who know each
//! other have friends in common or live in the same part of the network; ends of edges that an anonymizer added often do
//! not. Reported is the area under the ROC curve of real against added edges, and how many edges are rightly called added
//! when as many are named as were added.
//!
//! Control: a score by lot, which is the area one half.

use privet_data::{Progress, Random};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::embedding::Embedding;
use super::rank::area_under_curve;
use super::seeds::{common, each_common};
use super::{Score, check_truth};
use crate::{Graph, GraphError, NOBODY};

/// What makes an edge plausible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Plausibility {
    /// The number of common neighbours.
    CommonNeighbours,
    /// The share of common neighbours among all.
    Jaccard,
    /// Common neighbours, each weighted by the inverse logarithm of its degree.
    AdamicAdar,
    /// The similarity of both ends in an [`Embedding`].
    Embedding,
}

impl Plausibility {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::CommonNeighbours, Self::Jaccard, Self::AdamicAdar, Self::Embedding];
}

/// How well added edges are told from real ones.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct PlausibilityScore {
    /// What the edges were scored by.
    pub by: Plausibility,
    /// Published edges that are real.
    pub real: u64,
    /// Published edges that were added.
    pub added: u64,
    /// The area under the curve.
    pub area: f64,
    /// The area for a score by lot.
    pub control: f64,
    /// When as many edges as were added are called added, how many are.
    pub named: Score,
}

/// Per published edge, in the order of [`Graph::edges`], how plausible it is.
///
/// # Errors
/// When the graph is directed or the person asked to stop.
pub fn plausibility_scores(
    published: &Graph,
    by: Plausibility,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Vec<f64>, GraphError> {
    let edges: Vec<(u32, u32)> = published.edges().collect();
    pair_scores(published, &edges, by, seed, progress)
}

pub(super) fn pair_scores(
    graph: &Graph,
    pairs: &[(u32, u32)],
    by: Plausibility,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Vec<f64>, GraphError> {
    graph.must_be_undirected("plausibility of edges")?;
    let embedding = match by {
        Plausibility::Embedding => Some(Embedding::of(graph, seed, progress)?),
        _ => None,
    };
    let score = |&(a, b): &(u32, u32)| match (by, &embedding) {
        (Plausibility::Embedding, Some(embedding)) => embedding.similarity(a, b),
        (Plausibility::Jaccard, _) => {
            let shared = common(graph, a, b);
            let all = graph.degree(a) + graph.degree(b) - shared as usize;
            f64::from(shared) / all.max(1) as f64
        }
        (Plausibility::AdamicAdar, _) => {
            let mut sum = 0.0;
            each_common(graph, a, b, |own| sum += 1.0 / (graph.degree(own) as f64).ln());
            sum
        }
        _ => f64::from(common(graph, a, b)),
    };
    let mut scores = vec![0.0; pairs.len()];
    scores.par_chunks_mut(1 << 14).zip(pairs.par_chunks(1 << 14)).try_for_each(|(scores, pairs)| {
        progress.check()?;
        scores.iter_mut().zip(pairs).for_each(|(own, pair)| *own = score(pair));
        Ok::<(), GraphError>(())
    })?;
    Ok(scores)
}

/// Per published edge, in the order of [`Graph::edges`], whether it was added.
fn added(original: &Graph, published: &Graph, truth: &[u32]) -> Vec<bool> {
    let mut person = vec![NOBODY; published.nodes()];
    for (&node, own) in truth.iter().zip(0..) {
        if node != NOBODY {
            person[node as usize] = own;
        }
    }
    let is_added = |(a, b): (u32, u32)| {
        let (a, b) = (person[a as usize], person[b as usize]);
        a == NOBODY || b == NOBODY || !original.has_edge(a, b)
    };
    published.edges().map(is_added).collect()
}

/// The attack beside the truth; nothing where no edge was added, or every edge.
///
/// # Errors
/// When a graph is directed, the truth does not fit, or the person asked to stop.
pub fn plausibility(
    original: &Graph,
    published: &Graph,
    truth: &[u32],
    by: Plausibility,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Option<PlausibilityScore>, GraphError> {
    original.must_be_undirected("plausibility of edges")?;
    check_truth(original.nodes(), published, truth)?;
    let scores = plausibility_scores(published, by, seed, progress)?;
    let is_added = added(original, published, truth);
    let of = |scores: &[f64], wanted: bool| -> Vec<f64> {
        scores.iter().zip(&is_added).filter(|own| *own.1 == wanted).map(|own| *own.0).collect()
    };
    let Some(area) = area_under_curve(&of(&scores, false), &of(&scores, true)) else { return Ok(None) };
    let mut random = Random::stream(seed, 17);
    let lots: Vec<f64> = scores.iter().map(|_| random.unit()).collect();
    let control = area_under_curve(&of(&lots, false), &of(&lots, true)).unwrap_or(0.5);
    // The least plausible ones are called added; among equal ones, by lot.
    let count = is_added.iter().filter(|own| **own).count();
    let mut order: Vec<u32> = (0..scores.len() as u32).collect();
    let key = |&edge: &u32| (scores[edge as usize], lots[edge as usize]);
    order.sort_by(|a, b| {
        let (a, b) = (key(a), key(b));
        a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
    });
    let right = order[..count].iter().filter(|&&edge| is_added[edge as usize]).count() as f64;
    Ok(Some(PlausibilityScore {
        by,
        real: (scores.len() - count) as u64,
        added: count as u64,
        area,
        control,
        named: Score { targets: count as u64, claimed: count as u64, right },
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;
    use privet_data::Silent;

    /// Edges that were added anywhere between communities are found; in a graph without structure they are not.
    #[test]
    fn added_edges_are_found_where_there_is_structure() {
        let (graph, _) = generate::communities(400, 10, 0.4, 0.001, 3).unwrap();
        let publish = |graph: &Graph| {
            let mut editor = crate::Editor::new(graph).unwrap();
            let mut random = Random::new(4);
            while editor.edge_count() < graph.edge_count() + 200 {
                editor.add(random.below(400) as u32, random.below(400) as u32);
            }
            let mut truth: Vec<u32> = (0..400).collect();
            random.shuffle(&mut truth);
            (editor.graph().renumbered(&truth).unwrap(), truth)
        };
        let (published, truth) = publish(&graph);
        for by in Plausibility::ALL {
            let found = plausibility(&graph, &published, &truth, by, 1, &Silent).unwrap().unwrap();
            assert_eq!(found.added, 200);
            assert!(found.area > 0.85, "{found:?}");
            assert!((found.control - 0.5).abs() < 0.1 && found.named.exposed() > 0.5, "{found:?}");
        }
        let random = generate::rewired(&graph, 10, 1);
        let (published, truth) = publish(&random);
        let by = Plausibility::AdamicAdar;
        let found = plausibility(&random, &published, &truth, by, 1, &Silent).unwrap().unwrap();
        assert!(found.area < 0.65, "{found:?}");
        let same: Vec<u32> = (0..400).collect();
        assert_eq!(plausibility(&graph, &graph, &same, by, 1, &Silent).unwrap(), None);
    }
}
