//! Link re-identification (survey AP-08; Zheleva and Getoor 2007): edges that are not in the release are inferred from the common
//! friends of their ends. Reported is the area under the ROC curve of hidden edges against pairs that were never tied.
//!
//! Control: the product of both degrees, which needs no structure.

use privet_data::{Progress, Random};
use rayon::prelude::*;
use serde::Serialize;

use super::plausibility::{Plausibility, pair_scores};
use super::rank::area_under_curve;
use crate::{Graph, GraphError};

/// How well hidden edges are told from pairs that are no edges.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LinkInference {
    /// The hidden edges that were looked at.
    pub hidden: u64,
    /// The area under the curve by common friends (Adamic and Adar).
    pub common_friends: f64,
    /// The area under the curve by the embedding of the nodes.
    pub embedding: f64,
    /// The area under the curve by the product of degrees: the control.
    pub degrees: f64,
}

/// The most edges that are looked at.
const MOST: usize = 20_000;

/// Infers edges between published nodes that the release does not have, such as those that were deleted.
///
/// Nothing where there is no hidden edge, or no pair that is neither published nor hidden was found.
///
/// # Errors
/// When the graph is directed, an edge has an end beyond its nodes, or the person asked to stop.
pub fn infer_links(
    published: &Graph,
    hidden: &[(u32, u32)],
    seed: u64,
    progress: &dyn Progress,
) -> Result<Option<LinkInference>, GraphError> {
    published.must_be_undirected("link inference")?;
    let nodes = published.nodes();
    if hidden.iter().any(|&(a, b)| a.max(b) as usize >= nodes) {
        return Err(GraphError::NoSuchNode { nodes });
    }
    let mut random = Random::stream(seed, 15);
    let mut places: Vec<u32> = (0..hidden.len() as u32).collect();
    random.shuffle(&mut places);
    let chosen: Vec<(u32, u32)> = places.iter().take(MOST).map(|&place| hidden[place as usize]).collect();
    let all: foldhash::HashSet<(u32, u32)> = hidden.iter().map(|&(a, b)| (a.min(b), a.max(b))).collect();
    let mut others = Vec::with_capacity(chosen.len());
    for _ in 0..100 * chosen.len() {
        if others.len() == chosen.len() {
            break;
        }
        let (a, b) = (random.below(nodes) as u32, random.below(nodes) as u32);
        if a != b && !published.has_edge(a, b) && !all.contains(&(a.min(b), a.max(b))) {
            others.push((a, b));
        }
    }
    let area = |by: Plausibility| -> Result<Option<f64>, GraphError> {
        let positives = pair_scores(published, &chosen, by, seed, progress)?;
        let negatives = pair_scores(published, &others, by, seed, progress)?;
        Ok(area_under_curve(&positives, &negatives))
    };
    let product = |pairs: &[(u32, u32)]| -> Vec<f64> {
        let of = |&(a, b): &(u32, u32)| published.degree(a) as f64 * published.degree(b) as f64;
        pairs.par_iter().map(of).collect()
    };
    let (friends, embedding) = (area(Plausibility::AdamicAdar)?, area(Plausibility::Embedding)?);
    let degrees = area_under_curve(&product(&chosen), &product(&others));
    Ok(match (friends, embedding, degrees) {
        (Some(common_friends), Some(embedding), Some(degrees)) => {
            Some(LinkInference { hidden: chosen.len() as u64, common_friends, embedding, degrees })
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;
    use privet_data::Silent;

    #[test]
    fn deleted_edges_are_inferred_in_networks_and_not_in_the_control() {
        let (graph, _) = generate::communities(300, 6, 0.3, 0.002, 3).unwrap();
        let cut = |graph: &Graph| {
            let (hidden, kept): (Vec<_>, Vec<_>) = graph.edges().partition(|(a, b)| (a + 7 * b) % 10 == 0);
            (Graph::undirected(300, &kept).unwrap().0, hidden)
        };
        let (published, hidden) = cut(&graph);
        let found = infer_links(&published, &hidden, 1, &Silent).unwrap().unwrap();
        assert!(found.common_friends > 0.9 && found.embedding > 0.8, "{found:?}");
        let (published, hidden) = cut(&generate::rewired(&graph, 10, 1));
        let found = infer_links(&published, &hidden, 1, &Silent).unwrap().unwrap();
        assert!(found.common_friends < 0.7, "{found:?}");
        assert_eq!(infer_links(&published, &[], 1, &Silent).unwrap(), None);
        assert!(infer_links(&published, &[(0, 300)], 1, &Silent).is_err());
    }
}
