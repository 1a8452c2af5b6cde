//! The posterior of successors: given who was last seen where, and who is first seen where afterwards, how likely each is
//! the other's continuation.
//!
//! The adversary of AP-18: knows a motion model and that everybody has one successor at most, and weighs all assignments.
//! For groups of up to 10 people that could be confused, the posterior is exact: the sum over all assignments by dynamic
//! programming over subsets. Larger groups are balanced to rows and columns that sum to one, which is approximate and said
//! so. Groups are independent, because nobody of one could have become anybody of another.

use crate::point::Position;

/// Groups up to this size are weighed exactly.
pub const MOST_EXACT: usize = 10;

/// How people move.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Motion {
    /// The highest speed in metres per second: what is further is not reachable.
    pub top_speed: f64,
    /// The usual error of a prediction, in metres per second of the time between.
    pub spread: f64,
}

impl Default for Motion {
    fn default() -> Self {
        Self { top_speed: 40.0, spread: 5.0 }
    }
}

impl Motion {
    /// The weight of a move from a predicted and a last position to a position some seconds later; 0 where it cannot be
    /// reached.
    pub fn weight(&self, last: Position, predicted: Position, to: Position, seconds: f64) -> f64 {
        if last.distance(to) > self.top_speed * seconds {
            return 0.0;
        }
        // Positions are no better than some metres.
        let sigma = (self.spread * seconds).max(5.0);
        let off = predicted.distance(to) / sigma;
        // Never quite 0: what can be reached is possible.
        (-off * off / 2.0).exp().max(1e-250)
    }
}

/// A possible successor and its weight under the motion model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// The one before.
    pub from: u32,
    /// The one after.
    pub to: u32,
    /// The weight, above 0.
    pub weight: f64,
}

/// How likely each link is, and whether that is exact.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Posterior {
    /// Per link, in the order given, its probability.
    pub of: Vec<f64>,
    /// Whether all groups were small enough to be weighed exactly.
    pub exact: bool,
}

/// The probability of each link when everybody has one successor, and no two the same; where there are fewer successors
/// than people, every successor has one predecessor.
pub fn successors(links: &[Link]) -> Posterior {
    successors_of(links, |_| true)
}

/// The same for groups with somebody who is asked for; the links of others have probability 0.
pub(crate) fn successors_of(links: &[Link], is_asked: impl Fn(u32) -> bool) -> Posterior {
    let mut posterior = Posterior { of: vec![0.0; links.len()], exact: true };
    for group in groups(links) {
        if !group.iter().any(|&own| is_asked(links[own].from)) {
            continue;
        }
        let (rows, columns) =
            (numbered(&group, links, |own| own.from), numbered(&group, links, |own| own.to));
        // The shorter side is assigned completely.
        let is_wide = rows.len() <= columns.len();
        let (few, many) = if is_wide { (&rows, &columns) } else { (&columns, &rows) };
        let mut weights = vec![0.0; few.len() * many.len()];
        let cell = |link: &Link| {
            let (row, column) = if is_wide { (link.from, link.to) } else { (link.to, link.from) };
            // cannot fail: both ends of a link are among those of its group
            let at = |list: &[u32], own| list.binary_search(&own).unwrap_or_default();
            at(few, row) * many.len() + at(many, column)
        };
        for &link in &group {
            weights[cell(&links[link])] += links[link].weight;
        }
        let marginals = match many.len() <= MOST_EXACT {
            true => exact(&weights, few.len(), many.len()),
            false => None,
        };
        let marginals = marginals.unwrap_or_else(|| {
            posterior.exact = false;
            balanced(&weights, few.len(), many.len())
        });
        for &link in &group {
            posterior.of[link] = marginals[cell(&links[link])];
        }
    }
    posterior
}

fn numbered(group: &[usize], links: &[Link], end: impl Fn(&Link) -> u32) -> Vec<u32> {
    let mut all: Vec<u32> = group.iter().map(|&own| end(&links[own])).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Links that hang together, by the people they share.
fn groups(links: &[Link]) -> Vec<Vec<usize>> {
    let nodes = links.iter().map(|own| own.from.max(own.to) as usize + 1).max().unwrap_or_default();
    let mut parent: Vec<u32> = (0..2 * nodes as u32).collect();
    fn root(parent: &mut [u32], mut own: u32) -> u32 {
        while parent[own as usize] != own {
            parent[own as usize] = parent[parent[own as usize] as usize];
            own = parent[own as usize];
        }
        own
    }
    for link in links {
        let (a, b) = (root(&mut parent, link.from), root(&mut parent, nodes as u32 + link.to));
        parent[a as usize] = b;
    }
    let mut keyed: Vec<(u32, usize)> =
        links.iter().enumerate().map(|(place, link)| (root(&mut parent, link.from), place)).collect();
    keyed.sort_unstable();
    keyed.chunk_by(|a, b| a.0 == b.0).map(|group| group.iter().map(|own| own.1).collect()).collect()
}

/// The share of each cell among the weights of all assignments of rows to different columns; `None` when no assignment is
/// complete or weights vanish.
fn exact(weights: &[f64], rows: usize, columns: usize) -> Option<Vec<f64>> {
    let sets = 1usize << columns;
    // Rows are scaled, so that products stay in range.
    let mut scaled = weights.to_vec();
    for row in scaled.chunks_mut(columns) {
        let largest = row.iter().copied().fold(0.0, f64::max);
        row.iter_mut().for_each(|own| *own /= largest);
    }
    // before[r][s]: the weight of all ways to put the first r rows into the columns of s.
    let mut before = vec![vec![0.0; sets]; rows + 1];
    before[0][0] = 1.0;
    for row in 0..rows {
        for set in 0..sets {
            let own = before[row][set];
            if own > 0.0 {
                for column in (0..columns).filter(|column| set >> column & 1 == 0) {
                    before[row + 1][set | 1 << column] += own * scaled[row * columns + column];
                }
            }
        }
    }
    let total: f64 = before[rows].iter().sum();
    if !(total > 0.0 && total.is_finite()) {
        return None;
    }
    // after[s]: the weight of all ways to put the rows from r on into columns outside of s.
    let mut after = vec![1.0; sets];
    let mut marginals = vec![0.0; weights.len()];
    for row in (0..rows).rev() {
        let mut earlier = vec![0.0; sets];
        for set in (0..sets).filter(|set| set.count_ones() as usize == row) {
            for column in (0..columns).filter(|column| set >> column & 1 == 0) {
                let way = scaled[row * columns + column] * after[set | 1 << column];
                earlier[set] += way;
                marginals[row * columns + column] += before[row][set] * way / total;
            }
        }
        after = earlier;
    }
    Some(marginals)
}

/// Weights balanced so that rows sum to one and columns to one at most (Sinkhorn).
fn balanced(weights: &[f64], rows: usize, columns: usize) -> Vec<f64> {
    let mut own = weights.to_vec();
    for _ in 0..200 {
        let mut off = 0.0f64;
        for row in own.chunks_mut(columns) {
            let sum: f64 = row.iter().sum();
            off = off.max((sum - 1.0).abs());
            row.iter_mut().for_each(|cell| *cell /= sum.max(1e-300));
        }
        if off < 1e-9 {
            break;
        }
        let mut sums = vec![0.0; columns];
        own.chunks(columns).for_each(|row| row.iter().zip(&mut sums).for_each(|(cell, sum)| *sum += cell));
        // Of more columns than rows some stay below one.
        let scale = |sum: f64| if rows == columns || sum > 1.0 { 1.0 / sum.max(1e-300) } else { 1.0 };
        let scales: Vec<f64> = sums.into_iter().map(scale).collect();
        own.chunks_mut(columns)
            .for_each(|row| row.iter_mut().zip(&scales).for_each(|(cell, own)| *cell *= own));
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::Random;
    use proptest::prelude::*;

    /// By all permutations.
    fn brute(weights: &[f64], rows: usize, columns: usize) -> Vec<f64> {
        fn go(
            row: usize,
            used: u32,
            way: &mut Vec<usize>,
            size: (usize, usize),
            each: &mut impl FnMut(&[usize]),
        ) {
            if row == size.0 {
                return each(way);
            }
            for column in (0..size.1).filter(|column| used >> column & 1 == 0) {
                way.push(column);
                go(row + 1, used | 1 << column, way, size, each);
                way.pop();
            }
        }
        let (mut total, mut sums) = (0.0, vec![0.0; weights.len()]);
        go(0, 0, &mut Vec::new(), (rows, columns), &mut |way| {
            let weight: f64 =
                way.iter().enumerate().map(|(row, column)| weights[row * columns + column]).product();
            total += weight;
            way.iter().enumerate().for_each(|(row, column)| sums[row * columns + column] += weight);
        });
        sums.iter().map(|sum| sum / total).collect()
    }

    /// FX-7.F5: three people, only 4 is reachable from 1: Alice's successor is certain.
    #[test]
    fn alice_is_certain() {
        let reachable = [(1, 4), (2, 4), (2, 5), (2, 6), (3, 5), (3, 6)];
        let links = reachable.map(|(from, to)| Link { from, to, weight: 1.0 });
        let posterior = successors(&links);
        assert!(posterior.exact);
        assert_eq!(posterior.of[0], 1.0);
        assert_eq!(posterior.of[1], 0.0, "2 cannot have become 4");
        assert!((posterior.of[2] - 0.5).abs() < 1e-12);
    }

    #[test]
    fn large_groups_are_approximate_and_say_so() {
        let links: Vec<Link> =
            (0..20).flat_map(|from| (0..20).map(move |to| Link { from, to, weight: 1.0 })).collect();
        let posterior = successors(&links);
        assert!(!posterior.exact);
        assert!(posterior.of.iter().all(|own| (own - 0.05).abs() < 1e-9));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn exact_is_exact(seed in 0u64..10_000, rows in 1usize..5, more in 0usize..3) {
            let columns = rows + more;
            let mut random = Random::new(seed);
            let weights: Vec<f64> = (0..rows * columns).map(|_| random.unit() + 0.01).collect();
            let truth = brute(&weights, rows, columns);
            for (own, truth) in exact(&weights, rows, columns).unwrap().iter().zip(&truth) {
                prop_assert!((own - truth).abs() < 1e-9);
            }
            // Turned around: more before than after.
            let links: Vec<Link> = (0..rows * columns)
                .map(|at| Link { from: (at % columns) as u32, to: (at / columns) as u32, weight: weights[at] })
                .collect();
            for (own, truth) in successors(&links).of.iter().zip(&truth) {
                prop_assert!((own - truth).abs() < 1e-9);
            }
        }
    }
}
