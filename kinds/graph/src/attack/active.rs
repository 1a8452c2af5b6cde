//! The active attack (survey AP-01; Backstrom, Dwork and Kleinberg 2007): before the release, accounts are planted that know
//! each other by a pattern of random edges and tie themselves to the targets, each target to other accounts. In the
//! release the pattern is found by its degrees and edges, and the targets stand beside it.
//!
//! Differs from the source in two ways: a changed release is searched with some slack, and where several subgraphs fit the
//! score is the expected one of a choice by lot.

use privet_data::{Progress, Random};

use super::pattern::{Matches, Pattern, SearchLimits, Slack, ties};
use super::{Score, check_truth};
use crate::{Graph, GraphError, NOBODY};

/// Edges of each account to people, as in the experiments of the source.
const OUTSIDE: std::ops::RangeInclusive<usize> = 10..=20;
/// Accounts that each target is tied to.
const TIES: usize = 3;

/// A network with planted accounts, and what their owner knows.
#[derive(Debug, Clone)]
pub struct Plant {
    /// The network with the accounts, whose numbers come after those of the people.
    pub graph: Graph,
    /// The accounts along the path on which they are found again.
    pub accounts: Vec<u32>,
    /// The people who are looked for.
    pub targets: Vec<u32>,
    /// Per target the accounts that it is tied to, as bits.
    ties: Vec<u64>,
    pattern: Pattern,
}

/// What the owner of the accounts found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovery {
    /// The subgraphs that fit.
    pub matches: Matches,
    /// Per match and target the node that stands where the target must be.
    pub claims: Vec<Vec<u32>>,
}

/// Plants accounts around targets: (2+δ)·log₂ n of them, with a path and every other pair with probability one half.
///
/// # Errors
/// When the graph is directed, a target is no node of it, or there are more targets than the accounts can tell apart.
pub fn plant(graph: &Graph, targets: &[u32], seed: u64) -> Result<Plant, GraphError> {
    graph.must_be_undirected("planting accounts")?;
    let people = graph.nodes();
    if targets.iter().any(|&target| target as usize >= people) {
        return Err(GraphError::NoSuchNode { nodes: people });
    }
    let mut random = Random::stream(seed, 11);
    let usual = (2.1 * (people.max(2) as f64).log2()).ceil() as usize;
    // Every target takes the place of some edges to people.
    let count = usual.max(targets.len() * TIES / OUTSIDE.start() + 1).clamp(TIES + 1, 64);
    if targets.len() * TIES > count * OUTSIDE.start() {
        return Err(GraphError::Parameter { key: "targets", accepted: "at most 210 people for one attack" });
    }
    let mut edges: Vec<(u32, u32)> = graph.edges().collect();
    let accounts: Vec<u32> = (people as u32..).take(count).collect();
    for (place, &account) in accounts.iter().enumerate() {
        for (other, &earlier) in accounts[..place].iter().enumerate() {
            if other + 1 == place || random.chance(0.5) {
                edges.push((earlier, account));
            }
        }
    }
    let spread = OUTSIDE.end() - OUTSIDE.start() + 1;
    let mut room: Vec<usize> = (0..count).map(|_| OUTSIDE.start() + random.below(spread)).collect();
    let mut ties: Vec<u64> = Vec::with_capacity(targets.len());
    for &target in targets {
        let bits = subset(&room, &ties, &mut random)
            .ok_or(GraphError::Parameter { key: "targets", accepted: "fewer people for one attack" })?;
        for place in (0..count).filter(|place| bits >> place & 1 == 1) {
            room[place] -= 1;
            edges.push((target, accounts[place]));
        }
        ties.push(bits);
    }
    // The rest of the edges leads to people who are no targets.
    let others = people - targets.len();
    for (place, &account) in accounts.iter().enumerate() {
        let mut chosen = foldhash::HashSet::default();
        while chosen.len() < room[place].min(others) {
            let person = random.below(people) as u32;
            if !targets.contains(&person) && chosen.insert(person) {
                edges.push((person, account));
            }
        }
    }
    let graph = Graph::undirected(people + count, &edges)?.0;
    let pattern = Pattern::of(&graph, &accounts)?;
    Ok(Plant { graph, accounts, targets: targets.to_vec(), ties, pattern })
}

/// Some accounts with room that no target is tied to in this combination.
fn subset(room: &[usize], taken: &[u64], random: &mut Random) -> Option<u64> {
    for attempt in 0..1000 {
        let mut free: Vec<u32> = (0..room.len() as u32).filter(|&place| room[place as usize] > 0).collect();
        random.shuffle(&mut free);
        // The accounts with most room first, in random order where equal; any of them once those with most room are used up.
        if attempt < 50 {
            free.sort_by_key(|&place| std::cmp::Reverse(room[place as usize] / 4));
        }
        let bits = free.iter().take(TIES).map(|&place| 1u64 << place).sum::<u64>();
        if bits.count_ones() as usize == TIES && !taken.contains(&bits) {
            return Some(bits);
        }
    }
    None
}

impl Plant {
    /// Looks for the accounts in a release, exactly and then with some slack, and for the targets beside them.
    ///
    /// # Errors
    /// When the release is directed or the person asked to stop.
    pub fn recover(
        &self,
        published: &Graph,
        limits: SearchLimits,
        progress: &dyn Progress,
    ) -> Result<Recovery, GraphError> {
        let pairs = (self.accounts.len() / 4) as u32;
        let slacks =
            [Slack::default(), Slack { degree: 2, pairs: 2 }, Slack { degree: 5, pairs: pairs.max(2) }];
        let matches = self.pattern.search_nearest(published, &slacks, limits, progress)?;
        let claims =
            matches.images.iter().map(|images| self.beside(published, images, matches.slack)).collect();
        Ok(Recovery { matches, claims })
    }

    /// Per target the node with its ties, where exactly one has them, or has all but few of them.
    fn beside(&self, published: &Graph, images: &[u32], slack: Slack) -> Vec<u32> {
        let around = ties(published, images);
        let claim = |&bits: &u64| {
            let mut best = (slack.pairs.min(1), NOBODY);
            let mut is_alone = false;
            for &(node, own) in &around {
                let errors = (own ^ bits).count_ones();
                if errors < best.0 || errors == best.0 && best.1 == NOBODY {
                    (best, is_alone) = ((errors, node), true);
                } else if errors == best.0 {
                    is_alone = false;
                }
            }
            if is_alone { best.1 } else { NOBODY }
        };
        self.ties.iter().map(claim).collect()
    }

    /// Scores what was found; `truth` names the published node of every node of the planted network.
    ///
    /// # Errors
    /// When the truth has not one published node, or nobody, for each.
    pub fn score(&self, published: &Graph, recovery: &Recovery, truth: &[u32]) -> Result<Score, GraphError> {
        check_truth(self.graph.nodes(), published, truth)?;
        let real: Vec<u32> = self.targets.iter().map(|&target| truth[target as usize]).collect();
        let scores: Vec<Score> = recovery.claims.iter().map(|claims| Score::of(claims, &real)).collect();
        let ways = scores.len().max(1) as f64;
        Ok(Score {
            targets: self.targets.len() as u64,
            claimed: scores.iter().map(|score| score.claimed).max().unwrap_or(0),
            right: scores.iter().map(|score| score.right).sum::<f64>() / ways,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;
    use privet_data::Silent;

    /// AP-01: naive pseudonyms do not keep anyone from being found; a random graph with the same degrees shows nobody.
    #[test]
    fn planted_accounts_find_all_targets() {
        let graph = generate::growing(2000, 6.0, 0.4, 5).unwrap();
        let targets: Vec<u32> = (0..30).map(|own| own * 61).collect();
        let plant = plant(&graph, &targets, 1).unwrap();
        let mut number: Vec<u32> = (0..plant.graph.nodes() as u32).collect();
        Random::new(9).shuffle(&mut number);
        let published = plant.graph.renumbered(&number).unwrap();
        let found = plant.recover(&published, SearchLimits::default(), &Silent).unwrap();
        assert_eq!((found.matches.images.len(), found.matches.is_complete), (1, true));
        let score = plant.score(&published, &found, &number).unwrap();
        assert_eq!((score.claimed, score.right), (30, 30.0));

        let control = generate::rewired(&published, 10, 4);
        let limits = SearchLimits { steps: 200_000, ..SearchLimits::default() };
        let found = plant.recover(&control, limits, &Silent).unwrap();
        assert!(plant.score(&control, &found, &number).unwrap().right < 2.0);
        assert!(super::plant(&graph, &[5000], 1).is_err());
    }

    /// The accounts with most room were tried again and again, so that small networks ended as bad input.
    #[test]
    fn small_networks_have_accounts_for_their_targets() {
        for nodes in (2..120).chain([200, 400]) {
            let graph = generate::growing(nodes, 2.0, 0.3, 1).unwrap();
            let targets: Vec<u32> = (0..40.min(nodes as u32 / 4).max(1)).collect();
            for seed in 0..10 {
                let plant = plant(&graph, &targets, seed).unwrap();
                let mut ties = plant.ties.clone();
                ties.sort_unstable();
                ties.dedup();
                assert_eq!(ties.len(), targets.len(), "{nodes} nodes, seed {seed}");
            }
        }
    }

    /// A few edges that come and go do not hide the accounts.
    #[test]
    fn slack_bears_a_few_changes() {
        let graph = generate::growing(800, 5.0, 0.3, 2).unwrap();
        let plant = plant(&graph, &[3, 30, 300], 6).unwrap();
        let mut editor = crate::Editor::new(&plant.graph).unwrap();
        let (first, last) = (plant.accounts[0], plant.accounts[7]);
        if !editor.remove(first, last) {
            editor.add(first, last);
        }
        let published = editor.graph();
        let found = plant.recover(&published, SearchLimits::default(), &Silent).unwrap();
        assert!(found.matches.slack.pairs > 0);
        let truth: Vec<u32> = (0..published.nodes() as u32).collect();
        assert_eq!(plant.score(&published, &found, &truth).unwrap().right, 3.0);
    }
}
