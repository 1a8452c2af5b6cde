//! The attack `edge-presence`: whether two people are friends is read from noisy degrees by whoever knows all other friendships.
//!
//! The adversary compares two sequences of degrees, with the friendship and without it, by the likelihood of the published numbers.
//! No adversary against edge differential privacy knows more, so what is reached here is what the privacy loss allows.

use privet_data::{Progress, Random};
use privet_dp::Epsilon;
use privet_kind::{
    Attack, AttackInfo, Finding, Knowledge, Need, Note, Reason, Share, Standing, Unmade, Views,
};

use super::super::job::Method;
use super::view::{Form, published};
use crate::{Graph, GraphError, degree_noise};

pub(super) struct EdgePresence;

static INFO: AttackInfo = AttackInfo {
    id: "edge-presence",
    title: "Friendships read from noisy degrees",
    sentence: "The adversary knows all friendships but one, and tells from the noisy degrees whether that one is there.",
    needs: &[Need::Original],
    standing: Standing::Gate,
    source: "Hay, Li, Miklau and Jensen 2009",
};

/// Friends, and as many pairs that are none, who are asked about.
const PAIRS: usize = 500;

impl Attack for EdgePresence {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn run(
        &self,
        release: Views<'_>,
        original: Option<Views<'_>>,
        known: &Knowledge,
        progress: &dyn Progress,
    ) -> Result<Vec<Finding>, Unmade> {
        let release = published(release)?;
        let (Form::Degrees(found), Method::PrivateDegrees { epsilon, edges, .. }) =
            (&release.form, &release.method)
        else {
            return Err(Reason::Nothing { what: "sequence of noisy degrees".to_owned() }.into());
        };
        let original = super::original(original).ok_or(Need::Original)?;
        let graph = super::flat(&original.network.graph);
        if graph.nodes() != found.noisy.len() {
            return Err(GraphError::Length { what: "the noisy degrees", nodes: graph.nodes() }.into());
        }
        let epsilon: Epsilon = epsilon.parse().map_err(GraphError::from)?;
        let scale = degree_noise(&epsilon, *edges)?.scale().to_f64().value();
        let sequence = Sequence::new(&graph, &found.noisy, scale);
        let (mut asked, mut sure, mut right, mut guessed) = (0u64, 0u64, 0u64, 0.0);
        for (a, b) in pairs(&graph, known.seed) {
            progress.check()?;
            let is_there = graph.has_edge(a, b);
            let odds = sequence.log_odds(a, b, is_there);
            let belief = 1.0 / (1.0 + (-odds.abs()).exp());
            let is_right = (odds > 0.0) == is_there;
            asked += 1;
            guessed += if odds == 0.0 { 0.5 } else { f64::from(u8::from(is_right)) };
            if belief >= known.confidence && odds != 0.0 {
                sure += 1;
                right += u64::from(is_right);
            }
        }
        if asked == 0 {
            return Err(Reason::Nothing { what: "pair of people".to_owned() }.into());
        }
        let mut claimed = Finding::new(&INFO, Share::new(sure, asked));
        claimed.variant = "pairs of which the adversary is sure".to_owned();
        claimed.right = Some(Share::new(right, asked));
        claimed.control = Some(super::share(sure as f64 / 2.0, asked));
        claimed.sampled = true;
        let most = 100.0 / (1.0 + (-2.0 / scale).exp());
        claimed.notes.push(Note::of_release(format!(
            "Half of the pairs are friends. The privacy loss allows nobody to be right about more than {most:.1} % of them on average."
        )));
        let mut every = Finding::new(&INFO, Share::new(asked, asked));
        every.variant = "every pair guessed".to_owned();
        every.right = Some(super::share(guessed, asked));
        every.control = Some(super::share(asked as f64 / 2.0, asked));
        every.sampled = true;
        // The adversary cannot tell right guesses from wrong ones.
        every.counts = false;
        Ok(vec![claimed, every])
    }
}

/// Pairs of friends, and as many pairs of people who are no friends.
fn pairs(graph: &Graph, seed: u64) -> Vec<(u32, u32)> {
    let mut random = Random::stream(seed, 45);
    let edges: Vec<(u32, u32)> = graph.edges().collect();
    let mut order: Vec<u32> = (0..edges.len() as u32).collect();
    random.shuffle(&mut order);
    let mut friends: Vec<(u32, u32)> = order.into_iter().take(PAIRS).map(|own| edges[own as usize]).collect();
    let nodes = graph.nodes();
    let mut others = Vec::new();
    // Dense networks have few such pairs; the attempts are limited.
    for _ in 0..20 * friends.len() {
        if others.len() == friends.len() {
            break;
        }
        let (a, b) = (random.below(nodes) as u32, random.below(nodes) as u32);
        if a != b && !graph.has_edge(a, b) {
            others.push((a, b));
        }
    }
    friends.truncate(others.len());
    friends.extend(others);
    friends
}

/// The degrees in rising order beside the published numbers.
struct Sequence<'a> {
    degrees: Vec<u32>,
    sorted: Vec<u32>,
    noisy: &'a [i64],
    scale: f64,
}

impl<'a> Sequence<'a> {
    fn new(graph: &Graph, noisy: &'a [i64], scale: f64) -> Self {
        let degrees = graph.degrees();
        let mut sorted = degrees.clone();
        sorted.sort_unstable();
        Self { degrees, sorted, noisy, scale }
    }

    /// The logarithm of how much likelier the published numbers are with the edge than without it. All other edges are known, so the
    /// adversary has both sequences; here one of them is the true one.
    fn log_odds(&self, a: u32, b: u32, is_there: bool) -> f64 {
        let (one, other) = (self.degrees[a as usize], self.degrees[b as usize]);
        let change = |degree: u32, skipped: usize| -> f64 {
            // The first of equal degrees falls and the last one rises, so that the order stays.
            let (place, changed) = match is_there {
                true => (self.sorted.partition_point(|&own| own < degree) + skipped, i64::from(degree) - 1),
                false => {
                    (self.sorted.partition_point(|&own| own <= degree) - 1 - skipped, i64::from(degree) + 1)
                }
            };
            let noisy = self.noisy[place];
            let (now, then) = (noisy.abs_diff(i64::from(degree)), noisy.abs_diff(changed));
            (now as f64 - then as f64) / self.scale
        };
        let odds_of_other = change(one, 0) + change(other, usize::from(one == other));
        if is_there { -odds_of_other } else { odds_of_other }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The odds are those of the two sequences, sorted and compared number by number.
    #[test]
    fn the_odds_are_those_of_the_two_sequences() {
        let edges = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5), (1, 5)];
        let graph = Graph::undirected(7, &edges).unwrap().0;
        let noisy = [1, -2, 3, 2, 0, 5, 2];
        let sequence = Sequence::new(&graph, &noisy, 1.5);
        let likelihood = |edges: &[(u32, u32)]| -> f64 {
            let mut degrees = Graph::undirected(7, edges).unwrap().0.degrees();
            degrees.sort_unstable();
            let distance: u64 =
                degrees.iter().zip(noisy).map(|(&own, noisy)| noisy.abs_diff(i64::from(own))).sum();
            -(distance as f64) / 1.5
        };
        for a in 0..7u32 {
            for b in 0..a {
                let without: Vec<(u32, u32)> = edges.iter().copied().filter(|own| *own != (b, a)).collect();
                let with: Vec<(u32, u32)> = without.iter().copied().chain([(b, a)]).collect();
                let expected = likelihood(&with) - likelihood(&without);
                let found = sequence.log_odds(a, b, graph.has_edge(a, b));
                assert!((found - expected).abs() < 1e-12, "{a} {b}: {found} {expected}");
            }
        }
    }
}
