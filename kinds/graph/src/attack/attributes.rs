//! Attribute inference from neighbours (survey AP-08; Zheleva and Getoor 2009): people who keep a value to themselves are
//! guessed from those whom they know. Every hidden node takes the value that most of its neighbours have or are guessed to
//! have, again until nothing changes (the relational neighbour classifier of Macskassy and Provost 2007).
//!
//! Controls: the most frequent value for everyone, and the same attack after values were dealt out anew at random.

use privet_data::{Progress, Random};
use rayon::prelude::*;
use serde::Serialize;

use crate::{Attribute, Graph, GraphError};

/// The most rounds; few nodes change their value after them.
const ROUNDS: u32 = 10;

/// How many hidden values were guessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct AttributeInference {
    /// People whose value was hidden from the attack.
    pub targets: u64,
    /// How many values the attack names rightly.
    pub right: u64,
    /// How many are named rightly by the most frequent value.
    pub most_frequent: u64,
    /// How many the attack names rightly after values were dealt out anew.
    pub shuffled: u64,
}

impl AttributeInference {
    /// The share of hidden values that were named rightly; 0 where none was hidden.
    #[must_use]
    pub fn exposed(&self) -> f64 {
        if self.targets == 0 { 0.0 } else { self.right as f64 / self.targets as f64 }
    }
}

/// Hides the values of a share of the nodes that have one, and guesses them from the neighbours.
///
/// # Errors
/// When the attribute has not one code for each node, the share is none, or the person asked to stop.
pub fn infer_attribute(
    graph: &Graph,
    attribute: &Attribute,
    share: f64,
    seed: u64,
    progress: &dyn Progress,
) -> Result<AttributeInference, GraphError> {
    if attribute.codes.len() != graph.nodes() {
        return Err(GraphError::Length { what: "the attribute", nodes: graph.nodes() });
    }
    if !(0.0..=1.0).contains(&share) {
        return Err(GraphError::Parameter { key: "share of hidden values", accepted: "between 0 and 1" });
    }
    let mut random = Random::stream(seed, 14);
    let present = |code: u32| (!attribute.domain.is_missing(code)).then_some(code);
    let real: Vec<Option<u32>> = attribute.codes.iter().map(|&code| present(code)).collect();
    let is_hidden: Vec<bool> = real.iter().map(|own| own.is_some() && random.chance(share)).collect();
    let values = attribute.domain.len();
    let attack = |real: &[Option<u32>]| -> Result<(u64, u64), GraphError> {
        let known: Vec<Option<u32>> =
            real.iter().zip(&is_hidden).map(|(own, hidden)| own.filter(|_| !hidden)).collect();
        let (guesses, usual) = guess(graph, &known, values, progress)?;
        let hidden = || is_hidden.iter().zip(real).zip(&guesses).filter(|own| *own.0.0);
        let right = hidden().filter(|own| own.0.1.is_some() && *own.0.1 == *own.1).count() as u64;
        let frequent = hidden().filter(|own| own.0.1.is_some() && *own.0.1 == usual).count() as u64;
        Ok((right, frequent))
    };
    let (right, most_frequent) = attack(&real)?;
    // Values change places among those who have one.
    let holders: Vec<u32> =
        real.iter().zip(0..).filter(|(own, _)| own.is_some()).map(|(_, node)| node).collect();
    let mut order = holders.clone();
    random.shuffle(&mut order);
    let mut dealt = vec![None; graph.nodes()];
    for (&node, &from) in holders.iter().zip(&order) {
        dealt[node as usize] = real[from as usize];
    }
    let (shuffled, _) = attack(&dealt)?;
    let targets = is_hidden.iter().filter(|hidden| **hidden).count() as u64;
    Ok(AttributeInference { targets, right, most_frequent, shuffled })
}

/// A value for every node, and the most frequent one.
fn guess(
    graph: &Graph,
    known: &[Option<u32>],
    values: usize,
    progress: &dyn Progress,
) -> Result<(Vec<Option<u32>>, Option<u32>), GraphError> {
    let mut frequency = vec![0u64; values];
    known.iter().flatten().for_each(|&code| frequency[code as usize] += 1);
    let most = frequency.iter().copied().max().filter(|&most| most > 0);
    let usual = most.and_then(|most| frequency.iter().position(|&own| own == most)).map(|code| code as u32);
    let mut labels = known.to_vec();
    for _ in 0..ROUNDS {
        progress.check()?;
        let vote = |counts: &mut Vec<u32>, node: u32| {
            if known[node as usize].is_some() {
                return known[node as usize];
            }
            let back: &[u32] = if graph.is_directed() { graph.predecessors(node) } else { &[] };
            let around = || graph.neighbours(node).iter().chain(back);
            let mut best: Option<u32> = None;
            for &other in around() {
                let Some(code) = labels[other as usize] else { continue };
                counts[code as usize] += 1;
                // Of equally many, the more frequent value, then the smaller code.
                let rank =
                    |code: u32| (counts[code as usize], frequency[code as usize], std::cmp::Reverse(code));
                if best.is_none_or(|best| rank(code) > rank(best)) {
                    best = Some(code);
                }
            }
            around().filter_map(|&other| labels[other as usize]).for_each(|code| counts[code as usize] = 0);
            best
        };
        let next: Vec<Option<u32>> = (0..graph.nodes() as u32)
            .into_par_iter()
            .with_min_len(512)
            .map_init(|| vec![0u32; values], vote)
            .collect();
        if next == labels {
            break;
        }
        labels = next;
    }
    Ok((labels.into_iter().map(|own| own.or(usual)).collect(), usual))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;
    use privet_data::{Domain, Role, Silent};

    fn attribute(codes: Vec<u32>, values: &[&str]) -> Attribute {
        let texts = values.iter().map(|&own| own.into()).collect();
        let (domain, _) = Domain::canonical(texts, str::is_empty);
        Attribute { name: "party".to_owned(), role: Role::Sensitive, codes, domain }
    }

    /// Friends resemble each other: communities give their members away, dealt values do not.
    #[test]
    fn communities_give_their_members_away() {
        let (graph, of) = generate::communities(300, 3, 0.1, 0.005, 1).unwrap();
        let found = infer_attribute(&graph, &attribute(of, &["a", "b", "c"]), 0.3, 2, &Silent).unwrap();
        assert!(found.targets > 60 && found.exposed() > 0.9, "{found:?}");
        assert!(found.shuffled * 2 < found.targets && found.most_frequent * 2 < found.targets, "{found:?}");
        let nothing = infer_attribute(&graph, &attribute(vec![0; 300], &[""]), 0.3, 2, &Silent).unwrap();
        assert_eq!(nothing.targets, 0);
        assert!(infer_attribute(&graph, &attribute(vec![0; 2], &["a"]), 0.3, 2, &Silent).is_err());
    }

    /// A hidden node between hidden nodes is reached in the second round; equal votes go to the frequent value.
    #[test]
    fn guesses_spread() {
        let graph = Graph::undirected(5, &[(0, 1), (1, 2), (3, 4)]).unwrap().0;
        let known = [Some(1), None, None, Some(0), None];
        let (guesses, usual) = guess(&graph, &known, 2, &Silent).unwrap();
        assert_eq!(guesses, [Some(1), Some(1), Some(1), Some(0), Some(0)]);
        assert_eq!(usual, Some(0));
    }
}
