//! Finding a small graph inside a large one by the degrees of its nodes and the edges between them (survey AP-01; Backstrom,
//! Dwork and Kleinberg 2007): images are chosen one after the other, each a neighbour of an earlier image.
//!
//! Guarantee. Every match within the slack is found, or the search says that it ended early. Degrees and edges may differ
//! by the slack, because a published graph may have been changed.

use privet_data::Progress;

use crate::{Graph, GraphError};

/// A graph of at most 64 nodes whose degrees in the whole graph are known. Every node but the first is a neighbour of an
/// earlier one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    degrees: Vec<u32>,
    /// Per node its earlier neighbours, as bits.
    earlier: Vec<u64>,
}

/// By how much a match may differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Slack {
    /// By how much each degree may differ.
    pub degree: u32,
    /// How many pairs of nodes may have an edge in one and none in the other.
    pub pairs: u32,
}

/// How long a search may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchLimits {
    /// After so many matches the search ends.
    pub matches: usize,
    /// After so many candidates the search ends.
    pub steps: u64,
}

impl Default for SearchLimits {
    fn default() -> Self {
        Self { matches: 16, steps: 20_000_000 }
    }
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Matches {
    /// Per match the images of the pattern's nodes.
    pub images: Vec<Vec<u32>>,
    /// Whether there are no other matches.
    pub is_complete: bool,
    /// The slack that was needed.
    pub slack: Slack,
}

impl Pattern {
    /// The pattern that different nodes of a graph form, in this order.
    ///
    /// # Errors
    /// When there are none or more than 64 of them, or one is not a neighbour of an earlier one.
    pub fn of(graph: &Graph, nodes: &[u32]) -> Result<Self, GraphError> {
        let wrong = |accepted| GraphError::Parameter { key: "pattern", accepted };
        if nodes.is_empty() || nodes.len() > 64 {
            return Err(wrong("1 to 64 nodes"));
        }
        let bits = |(place, &node): (usize, &u32)| {
            let is_tied =
                |(other, &earlier): (usize, &u32)| u64::from(graph.has_edge(earlier, node)) << other;
            nodes[..place].iter().enumerate().map(is_tied).sum()
        };
        let earlier: Vec<u64> = nodes.iter().enumerate().map(bits).collect();
        if earlier.iter().skip(1).any(|&bits| bits == 0) {
            return Err(wrong("connected, every node a neighbour of an earlier one"));
        }
        Ok(Self { degrees: nodes.iter().map(|&node| graph.degree(node) as u32).collect(), earlier })
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.degrees.len()
    }

    /// All matches within a slack.
    ///
    /// # Errors
    /// When the graph is directed or the person asked to stop.
    pub fn search(
        &self,
        graph: &Graph,
        slack: Slack,
        limits: SearchLimits,
        progress: &dyn Progress,
    ) -> Result<Matches, GraphError> {
        graph.must_be_undirected("a search for a subgraph")?;
        let mut search = Search {
            pattern: self,
            graph,
            slack,
            limits,
            steps: 0,
            image: Vec::with_capacity(self.nodes()),
            matches: Matches { slack, ..Matches::default() },
            progress,
        };
        let all = 0..graph.nodes() as u32;
        let is_complete = search.extend(&mut all.into_iter(), 0)?;
        search.matches.is_complete = is_complete;
        Ok(search.matches)
    }

    /// The matches with the least slack, of slacks in rising order; none where every search fails.
    ///
    /// # Errors
    /// As [`search`](Self::search).
    pub fn search_nearest(
        &self,
        graph: &Graph,
        slacks: &[Slack],
        limits: SearchLimits,
        progress: &dyn Progress,
    ) -> Result<Matches, GraphError> {
        let mut is_complete = true;
        for &slack in slacks {
            let matches = self.search(graph, slack, limits, progress)?;
            if !matches.images.is_empty() {
                return Ok(matches);
            }
            is_complete &= matches.is_complete;
        }
        Ok(Matches { is_complete, ..Matches::default() })
    }
}

struct Search<'a> {
    pattern: &'a Pattern,
    graph: &'a Graph,
    slack: Slack,
    limits: SearchLimits,
    steps: u64,
    image: Vec<u32>,
    matches: Matches,
    progress: &'a dyn Progress,
}

impl Search<'_> {
    /// Tries candidates for the next node; false where the search ended early.
    fn extend(&mut self, candidates: &mut dyn Iterator<Item = u32>, errors: u32) -> Result<bool, GraphError> {
        let next = self.image.len();
        for candidate in candidates {
            self.steps += 1;
            if self.steps > self.limits.steps {
                return Ok(false);
            }
            if self.steps.is_multiple_of(1 << 14) {
                self.progress.check()?;
            }
            let degree = self.graph.degree(candidate) as u32;
            if degree.abs_diff(self.pattern.degrees[next]) > self.slack.degree
                || self.image.contains(&candidate)
            {
                continue;
            }
            let Some(errors) = self.errors(candidate, errors) else { continue };
            self.image.push(candidate);
            let goes_on = self.descend(errors)?;
            self.image.pop();
            if !goes_on {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn descend(&mut self, errors: u32) -> Result<bool, GraphError> {
        let next = self.image.len();
        if next == self.pattern.nodes() {
            self.matches.images.push(self.image.clone());
            return Ok(self.matches.images.len() < self.limits.matches);
        }
        // Some edge to an earlier node is there, unless more are missing than may be.
        let mut bits = self.pattern.earlier[next];
        let left = self.slack.pairs - errors;
        let mut candidates = Vec::new();
        for _ in 0..=left {
            if bits == 0 {
                break;
            }
            let earlier = self.image[bits.trailing_zeros() as usize];
            candidates.extend_from_slice(self.graph.neighbours(earlier));
            bits &= bits - 1;
        }
        candidates.sort_unstable();
        candidates.dedup();
        self.extend(&mut candidates.into_iter(), errors)
    }

    /// The errors with one more image, or nothing where there are too many.
    fn errors(&self, candidate: u32, mut errors: u32) -> Option<u32> {
        let wanted = self.pattern.earlier[self.image.len()];
        for (place, &image) in self.image.iter().enumerate() {
            let is_wanted = wanted >> place & 1 == 1;
            errors += u32::from(self.graph.has_edge(image, candidate) != is_wanted);
            if errors > self.slack.pairs {
                return None;
            }
        }
        Some(errors)
    }
}

/// Per published node near some images which of them it is a neighbour of, as bits; images themselves are left out.
pub(crate) fn ties(graph: &Graph, images: &[u32]) -> Vec<(u32, u64)> {
    let mut bits: foldhash::HashMap<u32, u64> = foldhash::HashMap::default();
    for (place, &image) in images.iter().enumerate() {
        for &other in graph.neighbours(image) {
            *bits.entry(other).or_default() |= 1 << place;
        }
    }
    images.iter().for_each(|image| {
        bits.remove(image);
    });
    let mut ties: Vec<(u32, u64)> = bits.into_iter().collect();
    ties.sort_unstable();
    ties
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::Silent;
    use proptest::prelude::*;

    fn all_slacks(graph: &Graph, pattern: &Pattern, slack: Slack) -> Vec<Vec<u32>> {
        let limits = SearchLimits { matches: usize::MAX, steps: u64::MAX };
        let found = pattern.search(graph, slack, limits, &Silent).unwrap();
        assert!(found.is_complete);
        found.images
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        /// Against all sequences of three different nodes.
        #[test]
        fn every_match_is_found(
            edges in prop::collection::vec((0u32..7, 0u32..7), 3..14), degree in 0u32..3, pairs in 0u32..2,
        ) {
            let graph = Graph::undirected(7, &edges).unwrap().0;
            let Some((a, b)) = graph.edges().next() else { return Ok(()) };
            let Some(&c) = graph.neighbours(b).iter().find(|&&own| own != a) else { return Ok(()) };
            let nodes = [a, b, c];
            let pattern = Pattern::of(&graph, &nodes).unwrap();
            let mut expected = Vec::new();
            let triples = (0..343u32).map(|own| [own / 49, own / 7 % 7, own % 7]);
            for image in triples.filter(|own| own[0] != own[1] && own[0] != own[2] && own[1] != own[2]) {
                let degrees = nodes.iter().zip(&image).all(|(&one, &other)| {
                    graph.degree(one).abs_diff(graph.degree(other)) as u32 <= degree
                });
                let errors = [(0, 1), (0, 2), (1, 2)].iter().filter(|&&(i, j): &&(usize, usize)| {
                    graph.has_edge(nodes[i], nodes[j]) != graph.has_edge(image[i], image[j])
                });
                // A node none of whose edges to earlier ones is left is out of reach of the search.
                let reach = graph.has_edge(image[0], image[1])
                    && (graph.has_edge(image[1], image[2])
                        || graph.has_edge(nodes[0], nodes[2]) && graph.has_edge(image[0], image[2]));
                if degrees && errors.count() as u32 <= pairs && reach {
                    expected.push(image.to_vec());
                }
            }
            prop_assert_eq!(all_slacks(&graph, &pattern, Slack { degree, pairs }), expected);
        }
    }

    #[test]
    fn a_search_that_ends_early_says_so() {
        let graph = crate::generate::uniform(40, 200, 3).unwrap();
        let node = (0..40).max_by_key(|&node| graph.degree(node)).unwrap();
        let pattern = Pattern::of(&graph, &[node, graph.neighbours(node)[0]]).unwrap();
        let limits = SearchLimits { matches: 10, steps: 5 };
        let found = pattern.search(&graph, Slack::default(), limits, &Silent).unwrap();
        assert!(!found.is_complete);
        assert!(Pattern::of(&graph, &[]).is_err());
    }
}
