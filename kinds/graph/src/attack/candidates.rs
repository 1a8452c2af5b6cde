//! Candidate sets for growing knowledge (survey AP-03; Hay and others 2008): an adversary knows of a person in the original
//! what H(depth) says, and keeps the published nodes of which it says the same. [`nearest_by_degrees`] is the adversary who
//! expects changes and takes the node that is nearest.
//!
//! Guarantee. Candidate sets are exact: both graphs are refined together, so the same class means the same knowledge.

use privet_data::{Progress, Random};
use rayon::prelude::*;
use serde::Serialize;

use super::{Score, check_truth};
use crate::{Classes, Graph, GraphError, Knowledge, NOBODY, candidate_sets};

/// What H(depth) tells of all people.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct CandidateShares {
    /// How far around a person the adversary knows the degrees.
    pub depth: u32,
    /// The people that are published.
    pub targets: u64,
    /// People with one candidate, who are it: re-identified.
    pub alone: u64,
    /// People among 2 to 4 candidates.
    pub two_to_four: u64,
    /// People among 5 to 10 candidates.
    pub five_to_ten: u64,
    /// People among 11 to 20 candidates.
    pub eleven_to_twenty: u64,
    /// People among more.
    pub more: u64,
    /// People among 1, 2, up to 20 candidates.
    pub few: [u64; 20],
    /// People who are not among their candidates, because the graph was changed around them: the adversary is misled.
    pub misled: u64,
    /// People who have no candidate.
    pub without: u64,
    /// How many people a guess among the candidates finds on average.
    pub expected: f64,
    /// How many people a guess among all nodes finds on average: the control.
    pub control: f64,
}

/// Candidate sets of all people for every depth from 0 on.
///
/// `visible` is what is published of nodes besides edges and known of people: per person, and per published node.
///
/// ```
/// use privet_graph::{Graph, attack::candidate_shares};
/// // survey FX-7.F1 with pseudonyms: Raghu and Ashwin have degrees that nobody else has.
/// let edges = [(0, 2), (1, 2), (2, 3), (2, 4), (3, 4), (4, 5)];
/// let original = Graph::undirected(6, &edges)?.0;
/// let truth = [5, 3, 1, 0, 2, 4];
/// let shares = candidate_shares(&original, &original.renumbered(&truth)?, &truth, 2, None)?;
/// assert_eq!((shares[1].alone, shares[2].alone), (3, 4)); // Johannes as well, and Dan by his neighbour
/// # Ok::<(), privet_graph::GraphError>(())
/// ```
///
/// # Errors
/// When one graph is directed and the other is not, or the truth or what is visible does not fit.
pub fn candidate_shares(
    original: &Graph,
    published: &Graph,
    truth: &[u32],
    depth: u32,
    visible: Option<(&[u32], &[u32])>,
) -> Result<Vec<CandidateShares>, GraphError> {
    check_truth(original.nodes(), published, truth)?;
    let both = original.beside(published)?;
    let codes = visible.map(|(people, nodes)| [people, nodes].concat());
    let sets = candidate_sets(&both, depth, codes.as_deref())?;
    let shares = sets.iter().zip(0..).map(|(classes, depth)| CandidateShares {
        depth,
        ..shares_of(classes, original.nodes(), published.nodes(), truth)
    });
    Ok(shares.collect())
}

/// Candidate sets of all people for one kind of knowledge, and how many nodes of both graphs were not decided.
///
/// # Errors
/// As [`candidate_shares`] and [`Knowledge::classes`].
pub fn candidates_knowing(
    original: &Graph,
    published: &Graph,
    truth: &[u32],
    against: Knowledge,
    visible: Option<(&[u32], &[u32])>,
) -> Result<(CandidateShares, u64), GraphError> {
    check_truth(original.nodes(), published, truth)?;
    let both = original.beside(published)?;
    let codes = visible.map(|(people, nodes)| [people, nodes].concat());
    let (classes, undecided) = against.classes(&both, codes.as_deref())?;
    Ok((shares_of(&classes, original.nodes(), published.nodes(), truth), undecided))
}

/// What classes of people and published nodes, one after the other, leave as candidates.
fn shares_of(classes: &Classes, people: usize, nodes: usize, truth: &[u32]) -> CandidateShares {
    let mut candidates = vec![0u32; classes.count()];
    classes.of()[people..].iter().for_each(|&class| candidates[class as usize] += 1);
    let mut shares = CandidateShares::empty(0);
    for (&class, &node) in classes.of()[..people].iter().zip(truth) {
        if node != NOBODY {
            let is_among = classes.of()[people + node as usize] == class;
            shares.add(candidates[class as usize], is_among);
        }
    }
    shares.control = shares.targets as f64 / nodes.max(1) as f64;
    shares
}

impl CandidateShares {
    fn empty(depth: u32) -> Self {
        Self {
            depth,
            targets: 0,
            alone: 0,
            two_to_four: 0,
            five_to_ten: 0,
            eleven_to_twenty: 0,
            more: 0,
            few: [0; 20],
            misled: 0,
            without: 0,
            expected: 0.0,
            control: 0.0,
        }
    }

    fn add(&mut self, candidates: u32, is_among: bool) {
        self.targets += 1;
        let step = match candidates {
            0 => &mut self.without,
            _ if !is_among => &mut self.misled,
            1 => &mut self.alone,
            2..=4 => &mut self.two_to_four,
            5..=10 => &mut self.five_to_ten,
            11..=20 => &mut self.eleven_to_twenty,
            _ => &mut self.more,
        };
        *step += 1;
        if is_among && (1..=20).contains(&candidates) {
            self.few[candidates as usize - 1] += 1;
        }
        if is_among && candidates > 0 {
            self.expected += 1.0 / f64::from(candidates);
        }
    }

    /// How many people have at most one candidate per `confidence`, and how many of these a guess among the candidates finds.
    #[must_use]
    pub fn sure(&self, confidence: f64) -> (u64, f64) {
        let most = (1.0 / confidence + 1e-9).floor() as usize;
        let few = self.few.iter().zip(1u32..).take(most);
        few.fold((0, 0.0), |(sure, right), (&count, size)| {
            (sure + count, right + count as f64 / f64::from(size))
        })
    }

    /// The share of people whom a guess among the candidates finds.
    #[must_use]
    pub fn exposed(&self) -> f64 {
        if self.targets == 0 { 0.0 } else { self.expected / self.targets as f64 }
    }
}

/// Names for some people drawn at random the published node whose degree and whose neighbours' degrees are nearest to
/// theirs; among nodes that are equally near, it draws lots.
///
/// # Errors
/// When a graph is directed, the truth does not fit, or the person asked to stop.
pub fn nearest_by_degrees(
    original: &Graph,
    published: &Graph,
    truth: &[u32],
    people: usize,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Score, GraphError> {
    original.must_be_undirected("comparing neighbours' degrees")?;
    published.must_be_undirected("comparing neighbours' degrees")?;
    check_truth(original.nodes(), published, truth)?;
    let mut targets: Vec<u32> =
        (0..original.nodes() as u32).filter(|&own| truth[own as usize] != NOBODY).collect();
    Random::stream(seed, 13).shuffle(&mut targets);
    targets.truncate(people);
    let signatures: Vec<Vec<u32>> =
        (0..published.nodes() as u32).into_par_iter().map(|node| signature(published, node)).collect();
    let name = |&person: &u32| {
        progress.check()?;
        let wanted = signature(original, person);
        let mut nearest = (u64::MAX, Vec::new());
        for (node, own) in signatures.iter().enumerate() {
            let Some(distance) = distance(&wanted, own, nearest.0) else { continue };
            if distance < nearest.0 {
                nearest = (distance, vec![node as u32]);
            } else {
                nearest.1.push(node as u32);
            }
        }
        let is_among = nearest.1.contains(&truth[person as usize]);
        Ok(if is_among { 1.0 / nearest.1.len() as f64 } else { 0.0 })
    };
    let right: Vec<f64> = targets.par_iter().map(name).collect::<Result<_, GraphError>>()?;
    let claimed = if published.nodes() == 0 { 0 } else { targets.len() as u64 };
    Ok(Score { targets: targets.len() as u64, claimed, right: right.iter().sum() })
}

/// The degrees of the neighbours, falling.
fn signature(graph: &Graph, node: u32) -> Vec<u32> {
    let mut degrees: Vec<u32> =
        graph.neighbours(node).iter().map(|&other| graph.degree(other) as u32).collect();
    degrees.sort_unstable_by(|a, b| b.cmp(a));
    degrees
}

/// The sum of differences between two falling lists, the shorter one filled with zeros; nothing where it exceeds `most`.
fn distance(one: &[u32], other: &[u32], most: u64) -> Option<u64> {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    // Every neighbour too many costs at least 1.
    let mut sum = 0u64;
    if (long.len() - short.len()) as u64 > most {
        return None;
    }
    for (place, &degree) in long.iter().enumerate() {
        sum += u64::from(degree.abs_diff(short.get(place).copied().unwrap_or(0)));
        if sum > most {
            return None;
        }
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;
    use privet_data::Silent;

    #[test]
    fn more_knowledge_finds_more_people() {
        let graph = generate::growing(400, 3.0, 0.3, 3).unwrap();
        let mut truth: Vec<u32> = (0..400).collect();
        Random::new(3).shuffle(&mut truth);
        let published = graph.renumbered(&truth).unwrap();
        let shares = candidate_shares(&graph, &published, &truth, 3, None).unwrap();
        assert!(shares.windows(2).all(|pair| pair[0].expected <= pair[1].expected));
        assert!((shares[0].expected - 1.0).abs() < 1e-9 && (shares[0].control - 1.0).abs() < 1e-9);
        assert!(shares[3].alone > 250 && shares[3].misled == 0, "{:?}", shares[3]);
        let near = nearest_by_degrees(&graph, &published, &truth, 50, 1, &Silent).unwrap();
        assert!(near.right > 30.0, "{near:?}");

        let control = generate::rewired(&published, 10, 1);
        let shares = candidate_shares(&graph, &control, &truth, 3, None).unwrap();
        assert!(shares[3].alone < 10, "{:?}", shares[3]);
        let near = nearest_by_degrees(&graph, &control, &truth, 50, 1, &Silent).unwrap();
        assert!(near.right < 15.0, "{near:?}");
    }

    /// Who is not published is no target; what is visible tells more.
    #[test]
    fn people_may_be_left_out() {
        let graph = Graph::undirected(4, &[(0, 1), (2, 3)]).unwrap().0;
        let published = Graph::undirected(3, &[(0, 1)]).unwrap().0;
        let truth = [0, 1, 2, NOBODY];
        let shares = candidate_shares(&graph, &published, &truth, 1, None).unwrap();
        assert_eq!((shares[1].targets, shares[1].two_to_four, shares[1].misled), (3, 2, 1));
        let visible: (&[u32], &[u32]) = (&[7, 8, 7, 7], &[7, 8, 7]);
        let shares = candidate_shares(&graph, &published, &truth, 1, Some(visible)).unwrap();
        assert_eq!(shares[1].alone, 2);
        let knowing = |against| candidates_knowing(&graph, &published, &truth, against, None).unwrap().0;
        assert_eq!(knowing(Knowledge::Stable).two_to_four, 2);
        assert_eq!(knowing(Knowledge::Within { steps: 1 }), knowing(Knowledge::Refinement { depth: 1 }));
        assert_eq!(knowing(Knowledge::Neighbourhood).two_to_four, 2);
        assert!(candidate_shares(&graph, &published, &[0], 1, None).is_err());
        assert!(candidate_shares(&graph, &published, &[0, 1, 2, 3], 1, None).is_err());
    }
}
