//! Seeds that an adversary finds without help (survey AP-08; Narayanan and Shmatikov 2009, 5.1): hubs of both networks are paired
//! where their degrees fit, and pairs vote for each other where the same hubs know each other and share as many friends.
//! The source looks for a clique that the adversary knows; all hubs are looked at together here.

use privet_data::Progress;
use rayon::prelude::*;

use crate::{Graph, GraphError};

/// How seeds are found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeedOptions {
    /// How many hubs of the known network are looked at; of the published one twice as many.
    pub hubs: usize,
    /// The candidates that are kept for each hub.
    pub candidates: usize,
    /// By how much degrees and numbers of shared friends may differ, as a share.
    pub tolerance: f64,
    /// How many seeds are named at most.
    pub seeds: usize,
}

impl Default for SeedOptions {
    fn default() -> Self {
        Self { hubs: 150, candidates: 12, tolerance: 0.3, seeds: 40 }
    }
}

/// Pairs of a known and a published node that are likely the same person, the likeliest first.
///
/// # Errors
/// When a network is directed or the person asked to stop.
pub fn find_seeds(
    known: &Graph,
    published: &Graph,
    options: SeedOptions,
    progress: &dyn Progress,
) -> Result<Vec<(u32, u32)>, GraphError> {
    known.must_be_undirected("finding seeds")?;
    published.must_be_undirected("finding seeds")?;
    let (ours, theirs) = (Hubs::of(known, options.hubs), Hubs::of(published, 2 * options.hubs));
    // Per hub the places of its candidates.
    let candidates: Vec<Vec<usize>> = (0..ours.nodes.len())
        .map(|own| {
            let mut near: Vec<(f64, usize)> = (0..theirs.nodes.len())
                .map(|other| (ours.difference(own, &theirs, other), other))
                .filter(|pair| pair.0 <= 2.0 * options.tolerance)
                .collect();
            near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            near.into_iter().take(options.candidates).map(|pair| pair.1).collect()
        })
        .collect();
    let votes = |own: usize| -> Result<Vec<f64>, GraphError> {
        progress.check()?;
        let mut votes = Vec::with_capacity(candidates[own].len());
        for &image in &candidates[own] {
            let mut sum = 0.0;
            for (other, images) in candidates.iter().enumerate().filter(|(other, _)| *other != own) {
                let agreement = |&to: &usize| {
                    if to == image {
                        return 0.0;
                    }
                    let (a, b) = (ours.shared(own, other), theirs.shared(image, to));
                    // Many shared friends in both say more than none in both.
                    if is_close(a, b, options.tolerance) { f64::from(a.1.min(b.1)).ln_1p() } else { 0.0 }
                };
                sum += images.iter().map(agreement).fold(0.0, f64::max);
            }
            votes.push(sum);
        }
        Ok(votes)
    };
    let votes: Vec<Vec<f64>> = (0..candidates.len()).into_par_iter().map(votes).collect::<Result<_, _>>()?;
    let mut pairs = mutual(&candidates, &votes, theirs.nodes.len());
    agreeing(&mut pairs, &ours, &theirs, options.tolerance);
    Ok(pairs.iter().take(options.seeds).map(|&(own, image)| (ours.nodes[own], theirs.nodes[image])).collect())
}

/// Whether two pairs of hubs may be the same people: both know each other or not, and share about as many friends.
fn is_close(one: (bool, u32), other: (bool, u32), tolerance: f64) -> bool {
    one.0 == other.0 && (one.1.abs_diff(other.1) <= 1 || ratio(one.1, other.1) <= tolerance)
}

/// Takes away the pair that fewest others agree with, until every pair agrees with four of five others.
fn agreeing(pairs: &mut Vec<(usize, usize)>, ours: &Hubs, theirs: &Hubs, tolerance: f64) {
    let agrees = |one: &(usize, usize), other: &(usize, usize)| {
        is_close(ours.shared(one.0, other.0), theirs.shared(one.1, other.1), tolerance)
    };
    while pairs.len() > 1 {
        let count =
            |one: &(usize, usize)| pairs.iter().filter(|other| *other != one && agrees(one, other)).count();
        // Of equal ones the less likely, which is the later one.
        let worst = pairs.iter().map(count).enumerate().min_by_key(|own| (own.1, usize::MAX - own.0));
        match worst {
            Some((place, agreed)) if agreed * 5 < (pairs.len() - 1) * 4 => pairs.remove(place),
            _ => return,
        };
    }
}

/// Pairs of places that both sides prefer, the clearest first.
fn mutual(candidates: &[Vec<usize>], votes: &[Vec<f64>], hubs: usize) -> Vec<(usize, usize)> {
    let mut best_of_theirs: Vec<(f64, usize)> = vec![(0.0, usize::MAX); hubs];
    for (own, images) in candidates.iter().enumerate() {
        for (&image, &vote) in images.iter().zip(&votes[own]) {
            if vote > best_of_theirs[image].0 {
                best_of_theirs[image] = (vote, own);
            }
        }
    }
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    for (own, images) in candidates.iter().enumerate() {
        let mut ranked: Vec<(f64, usize)> = votes[own].iter().copied().zip(images.iter().copied()).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let Some(&(best, image)) = ranked.first() else { continue };
        let second = ranked.get(1).map_or(0.0, |own| own.0);
        if best > 0.0 && best_of_theirs[image].1 == own {
            pairs.push(((best - second) / best, own, image));
        }
    }
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    pairs.into_iter().map(|(_, own, image)| (own, image)).collect()
}

/// How far two counts are apart, as a share of the larger one.
fn ratio(one: u32, other: u32) -> f64 {
    f64::from(one.abs_diff(other)) / f64::from(one.max(other).max(1))
}

/// The nodes of highest degree, and what they share.
struct Hubs {
    nodes: Vec<u32>,
    degrees: Vec<u32>,
    /// Per pair whether they know each other, and how many friends they share.
    shared: Vec<(bool, u32)>,
}

impl Hubs {
    fn of(graph: &Graph, count: usize) -> Self {
        let mut nodes: Vec<u32> = (0..graph.nodes() as u32).collect();
        nodes.sort_by_key(|&node| (std::cmp::Reverse(graph.degree(node)), node));
        nodes.truncate(count);
        let pairs: Vec<(u32, u32)> =
            nodes.iter().flat_map(|&one| nodes.iter().map(move |&other| (one, other))).collect();
        let shared = |&(one, other): &(u32, u32)| (graph.has_edge(one, other), common(graph, one, other));
        let shared = pairs.par_iter().map(shared).collect();
        let degrees = nodes.iter().map(|&node| graph.degree(node) as u32).collect();
        Self { nodes, degrees, shared }
    }

    fn shared(&self, one: usize, other: usize) -> (bool, u32) {
        self.shared[one * self.nodes.len() + other]
    }

    fn difference(&self, own: usize, theirs: &Self, other: usize) -> f64 {
        ratio(self.degrees[own], theirs.degrees[other])
    }
}

/// The number of common neighbours.
pub(crate) fn common(graph: &Graph, one: u32, other: u32) -> u32 {
    let mut count = 0;
    each_common(graph, one, other, |_| count += 1);
    count
}

/// Calls for each common neighbour; of a hub, fewer neighbours are looked at than it has.
#[inline]
pub(crate) fn each_common(graph: &Graph, one: u32, other: u32, mut take: impl FnMut(u32)) {
    let (a, b) = (graph.neighbours(one), graph.neighbours(other));
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    if long.len() > 16 * short.len() {
        short.iter().filter(|own| long.binary_search(own).is_ok()).for_each(|&own| take(own));
        return;
    }
    let (mut i, mut j) = (0, 0);
    while i < short.len() && j < long.len() {
        match short[i].cmp(&long[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                take(short[i]);
                i += 1;
                j += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;
    use privet_data::{Random, Silent};

    #[test]
    fn seeds_are_found_in_networks_and_not_in_the_control() {
        let whole = generate::growing(3000, 8.0, 0.4, 6).unwrap();
        let mut random = Random::new(2);
        let edges: Vec<(u32, u32)> = whole.edges().filter(|_| random.chance(0.95)).collect();
        let known = Graph::undirected(3000, &edges).unwrap().0;
        let mut truth: Vec<u32> = (0..3000).collect();
        random.shuffle(&mut truth);
        let published = whole.renumbered(&truth).unwrap();
        let right = |pairs: &[(u32, u32)]| pairs.iter().filter(|own| truth[own.0 as usize] == own.1).count();
        let found = find_seeds(&known, &published, SeedOptions::default(), &Silent).unwrap();
        assert!(
            found.len() >= 8 && right(&found) * 4 >= found.len() * 3,
            "{} of {}",
            right(&found),
            found.len()
        );
        let control = generate::rewired(&published, 20, 2);
        let found = find_seeds(&known, &control, SeedOptions::default(), &Silent).unwrap();
        assert!(right(&found) * 2 < found.len().max(20), "{} of {}", right(&found), found.len());
    }

    #[test]
    fn common_neighbours_are_counted_both_ways() {
        let mut edges: Vec<(u32, u32)> = (1..60).map(|node| (0, node)).collect();
        edges.extend([(1, 2), (3, 1), (2, 3)]);
        let graph = Graph::undirected(60, &edges).unwrap().0;
        assert_eq!((common(&graph, 0, 1), common(&graph, 1, 2), common(&graph, 0, 9)), (2, 2, 0));
    }
}
