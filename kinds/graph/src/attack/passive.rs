//! The passive attack (survey AP-02; Backstrom, Dwork and Kleinberg 2007): people who were always in the network join forces.
//! A coalition, a person and some friends, knows its degrees and who of it knows whom, finds itself in the release, and
//! then the people who are tied to it in a way that nobody else is.

use privet_data::{Progress, Random};
use rayon::prelude::*;
use serde::Serialize;

use super::check_truth;
use super::pattern::{Pattern, SearchLimits, Slack, ties};
use crate::{Graph, GraphError, NOBODY};

/// What coalitions found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Default)]
#[serde(rename_all = "kebab-case")]
pub struct Coalitions {
    /// How many coalitions tried.
    pub tried: u64,
    /// How many found one place only, and it is theirs.
    pub found_themselves: u64,
    /// How many found one place only, and it is another.
    pub misled: u64,
    /// How many found several places or none.
    pub unsure: u64,
    /// How many searches ended before all places were seen.
    pub unfinished: u64,
    /// People outside the coalitions who are friends of their members.
    pub friends: u64,
    /// People outside the coalitions whom they claim to know again.
    pub claimed: u64,
    /// How many of these claims are right.
    pub right: u64,
}

impl Coalitions {
    fn join(self, other: Self) -> Self {
        Self {
            tried: self.tried + other.tried,
            found_themselves: self.found_themselves + other.found_themselves,
            misled: self.misled + other.misled,
            unsure: self.unsure + other.unsure,
            unfinished: self.unfinished + other.unfinished,
            friends: self.friends + other.friends,
            claimed: self.claimed + other.claimed,
            right: self.right + other.right,
        }
    }
}

/// Lets coalitions of `size` people try, one around each of some people drawn at random who have enough friends.
///
/// # Errors
/// When a graph is directed, the truth does not fit, the size is not 2 to 64, or the person asked to stop.
pub fn coalitions(
    original: &Graph,
    published: &Graph,
    truth: &[u32],
    (count, size): (usize, usize),
    seed: u64,
    progress: &dyn Progress,
) -> Result<Coalitions, GraphError> {
    original.must_be_undirected("the passive attack")?;
    published.must_be_undirected("the passive attack")?;
    check_truth(original.nodes(), published, truth)?;
    if !(2..=64).contains(&size) {
        return Err(GraphError::Parameter { key: "size of a coalition", accepted: "2 to 64" });
    }
    let mut people: Vec<u32> =
        (0..original.nodes() as u32).filter(|&person| original.degree(person) + 1 >= size).collect();
    Random::stream(seed, 12).shuffle(&mut people);
    people.truncate(count);
    let attack = |&person: &u32| {
        let mut random = Random::stream(seed, 1000 + u64::from(person));
        let mut friends = original.neighbours(person).to_vec();
        random.shuffle(&mut friends);
        let members: Vec<u32> = [person].into_iter().chain(friends).take(size).collect();
        one(original, published, truth, &members, progress)
    };
    people.par_iter().map(attack).try_reduce(Coalitions::default, |one, other| Ok(one.join(other)))
}

fn one(
    original: &Graph,
    published: &Graph,
    truth: &[u32],
    members: &[u32],
    progress: &dyn Progress,
) -> Result<Coalitions, GraphError> {
    let pattern = Pattern::of(original, members)?;
    let limits = SearchLimits { matches: 64, steps: 400_000 };
    let slacks = [Slack::default(), Slack { degree: 1, pairs: 0 }, Slack { degree: 2, pairs: 1 }];
    let found = pattern.search_nearest(published, &slacks, limits, progress)?;
    let known = ties(original, members);
    let unfinished = u64::from(!found.is_complete);
    let mut result =
        Coalitions { tried: 1, unfinished, friends: known.len() as u64, ..Coalitions::default() };
    // Members may be interchangeable; a place is a set of nodes.
    let mut places: Vec<Vec<u32>> = found.images.clone();
    places.iter_mut().for_each(|place| place.sort_unstable());
    places.dedup();
    places.sort_unstable();
    places.dedup();
    let [place] = &places[..] else {
        result.unsure = 1;
        return Ok(result);
    };
    let mut real: Vec<u32> = members.iter().map(|&member| truth[member as usize]).collect();
    real.sort_unstable();
    let is_theirs = *place == real;
    result.found_themselves = u64::from(is_theirs);
    result.misled = u64::from(!is_theirs);
    // Friends outside are claimed where every way to see itself names the same node.
    let mut outside: foldhash::HashMap<u32, (u32, bool)> = foldhash::HashMap::default();
    for images in &found.images {
        let seen = ties(published, images);
        for &(friend, bits) in &known {
            let only_friend = known.iter().filter(|own| own.1 == bits).count() == 1;
            let mut fitting = seen.iter().filter(|own| own.1 == bits);
            let claim = match (fitting.next(), fitting.next()) {
                (Some(own), None) if only_friend => own.0,
                _ => NOBODY,
            };
            let entry = outside.entry(friend).or_insert((claim, true));
            entry.1 &= entry.0 == claim;
        }
    }
    for (friend, (claim, is_same)) in outside {
        if is_same && claim != NOBODY {
            result.claimed += 1;
            result.right += u64::from(truth[friend as usize] == claim);
        }
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;
    use privet_data::Silent;

    /// survey FX-7.F1 (L1800-1808): Ashwin and his friend Dan find themselves in the release with pseudonyms.
    #[test]
    fn ashwin_and_dan_find_themselves() {
        let edges = [(0, 2), (1, 2), (2, 3), (2, 4), (3, 4), (4, 5)];
        let graph = Graph::undirected(6, &edges).unwrap().0;
        let number = [3, 5, 0, 1, 4, 2];
        let published = graph.renumbered(&number).unwrap();
        let found = one(&graph, &published, &number, &[4, 5], &Silent).unwrap();
        assert_eq!((found.found_themselves, found.misled), (1, 0));
        // Raghu and Johannes are tied to Ashwin alike, so neither is told from the other.
        assert_eq!(found.claimed, 0);
        // With Johannes in it, the coalition knows Raghu again.
        let found = one(&graph, &published, &number, &[4, 5, 3], &Silent).unwrap();
        assert_eq!((found.found_themselves, found.claimed, found.right), (1, 1, 1));
    }

    #[test]
    fn coalitions_find_themselves_in_networks_and_not_in_the_control() {
        let graph = generate::growing(1500, 5.0, 0.4, 8).unwrap();
        let truth: Vec<u32> = (0..1500).collect();
        let found = coalitions(&graph, &graph, &truth, (40, 5), 1, &Silent).unwrap();
        assert_eq!(found.tried, 40);
        assert!(found.found_themselves > 20 && found.misled == 0, "{found:?}");
        assert!(found.right > 0 && found.right == found.claimed, "{found:?}");
        let control = generate::rewired(&graph, 10, 3);
        let found = coalitions(&graph, &control, &truth, (40, 5), 1, &Silent).unwrap();
        assert!(found.found_themselves <= 2, "{found:?}");
        assert!(coalitions(&graph, &graph, &truth, (4, 1), 1, &Silent).is_err());
    }
}
