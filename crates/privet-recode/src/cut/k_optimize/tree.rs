//! The set-enumeration tree over subsets of the alphabet.
//!
//! A node has a head H, the boundaries that all its candidates have, and a tail A, those that they may have. Its
//! candidates are the sets between H and H ∪ A. A boundary v of the tail leads to two nodes, H ∪ {v} and H, both with
//! the tail A \ {v}: the first child of the node in the tree of the paper, and all its later children together. So
//! the tail is re-ordered anew wherever a choice is made, and the node that promises most is always looked at next.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::time::Instant;

use privet_data::Progress;
use rayon::prelude::*;

use super::boundaries::Boundaries;
use super::greedy::Candidate;
use super::probe::{Choice, Depth, Prober};
use crate::lattice::SearchError;

/// Nodes that are looked at together. It does not depend on the number of threads, so neither does the result.
const TOGETHER: usize = 16;
/// Memory for nodes that wait. Beyond it the tree is searched in depth.
const MOST_BYTES: usize = 1 << 28;

/// A node that waits to be looked at.
struct Node {
    /// What its candidates cost at least.
    bound: u64,
    head: Boundaries,
    tail: Boundaries,
    /// The boundaries of the tail.
    open: usize,
    /// Nodes are numbered as they come up.
    number: u64,
}

impl Node {
    /// The smallest bound first, then what is nearest to being decided, then what came up first.
    fn rank(&self) -> Reverse<(u64, usize, u64)> {
        Reverse((self.bound, self.open, self.number))
    }
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.rank() == other.rank()
    }
}

impl Eq for Node {}

impl PartialOrd for Node {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Node {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

/// What a look at a node came to.
struct Expansion {
    /// The best candidate that was met, when better than the best known.
    best: Option<(u64, Boundaries)>,
    children: Vec<(u64, Boundaries, Boundaries)>,
    probes: u64,
}

/// The search.
pub(super) struct Tree<'a> {
    pub prober: &'a Prober<'a>,
    pub deadline: Option<Instant>,
    pub node_limit: Option<u64>,
    pub progress: &'a dyn Progress,
}

/// What the search came to.
pub(super) struct Outcome {
    /// The best candidate and its cost.
    pub best: Option<(u64, Boundaries)>,
    /// No candidate costs less than this; the cost of the best when the search was finished.
    pub bound: u64,
    /// Whether nothing was left open.
    pub finished: bool,
    /// Candidates whose neighbours were looked at.
    pub probes: u64,
}

impl Tree<'_> {
    /// Searches the whole tree, or as much of it as the limits allow.
    pub fn search(&self, first: Option<Candidate>) -> Result<Outcome, SearchError> {
        self.progress.stage("search", self.node_limit);
        let alphabet = self.prober.alphabet.len();
        let most_waiting = (MOST_BYTES / (96 + 2 * alphabet.div_ceil(64) * 8)).max(64);
        let mut best =
            first.filter(|first| first.worth.excess == 0).map(|first| (first.worth.cost, first.set));
        let all = Boundaries::all(alphabet);
        let root = Node { bound: 0, head: Boundaries::none(alphabet), tail: all, open: alphabet, number: 0 };
        let mut waiting = BinaryHeap::from([root]);
        // Used only once too many nodes wait.
        let mut deep: Vec<Node> = Vec::new();
        let (mut numbered, mut expanded, mut probes) = (1u64, 0u64, 0u64);
        loop {
            let cheapest = best.as_ref().map_or(u64::MAX, |(cost, _)| *cost);
            deep.retain(|node| node.bound < cheapest);
            let left = self.node_limit.map_or(u64::MAX, |limit| limit.saturating_sub(expanded));
            let late = expanded > 0 && self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
            let room = if late { 0 } else { TOGETHER.min(usize::try_from(left).unwrap_or(TOGETHER)) };
            let next = waiting.peek().map(|node| node.bound).filter(|&bound| bound < cheapest);
            if deep.is_empty() && next.is_none() {
                return Ok(Outcome { best, bound: cheapest, finished: true, probes });
            }
            if room == 0 {
                let bound = deep.iter().map(|node| node.bound).chain(next).min().unwrap_or(cheapest);
                return Ok(Outcome { best, bound, finished: false, probes });
            }
            self.progress.check()?;
            let mut batch = Vec::with_capacity(room);
            while batch.len() < room {
                match deep.pop().or_else(|| waiting.pop()) {
                    Some(node) if node.bound < cheapest => batch.push(node),
                    _ => break,
                }
            }
            expanded += batch.len() as u64;
            let expansions: Vec<Expansion> =
                batch.into_par_iter().map(|node| self.expand(node, cheapest)).collect();
            for expansion in expansions {
                probes += expansion.probes;
                let cheapest = best.as_ref().map_or(u64::MAX, |(cost, _)| *cost);
                best = expansion.best.filter(|(cost, _)| *cost < cheapest).or(best);
                for (bound, head, tail) in expansion.children {
                    let node = Node { bound, open: tail.len(), head, tail, number: numbered };
                    numbered += 1;
                    if waiting.len() < most_waiting {
                        waiting.push(node);
                    } else {
                        deep.push(node);
                    }
                }
            }
            self.progress.at(expanded);
        }
    }

    /// Looks at a node: improves on the best candidate, shortens the tail as far as it can be, and makes a choice.
    fn expand(&self, node: Node, cheapest: u64) -> Expansion {
        let Node { mut head, mut tail, bound: mut proven, .. } = node;
        let limit = self.prober.judge.limit;
        let mut done = Expansion { best: None, children: Vec::new(), probes: 0 };
        loop {
            let probe = self.prober.probe(&head, &tail, Depth::Bounds);
            done.probes += 1;
            let mut best = done.best.as_ref().map_or(cheapest, |(cost, _)| *cost);
            let mut meet = |cost: u64, suppressed: u64, set: &dyn Fn() -> Boundaries| {
                if suppressed <= limit && cost < best {
                    best = cost;
                    done.best = Some((cost, set()));
                }
            };
            meet(probe.cost, probe.suppressed, &|| head.clone());
            for choice in &probe.tail {
                meet(choice.cost, choice.suppressed, &|| head.with(choice.boundary));
            }
            if let Some((cost, suppressed)) = probe.finest {
                meet(cost, suppressed, &|| head.union(&tail));
            }
            // A bound of the parent remains one.
            proven = proven.max(probe.bound);
            if proven >= best || probe.forced > limit || tail.is_empty() {
                return done;
            }
            let mut changed = false;
            for choice in &probe.tail {
                let hopeless_with =
                    choice.bound_with >= best || choice.forced_with > limit || !choice.may_pay;
                let hopeless_without = choice.bound_without >= best;
                if hopeless_with && hopeless_without {
                    return done;
                }
                if hopeless_with || hopeless_without {
                    tail.remove(choice.boundary);
                    changed = true;
                }
                if hopeless_without {
                    head.insert(choice.boundary);
                }
            }
            if changed {
                continue;
            }
            let Some(choice) = most_telling(&probe.tail, proven) else { return done };
            let rest = tail.without(choice.boundary);
            let with = (proven.max(choice.bound_with), head.with(choice.boundary), rest.clone());
            done.children = vec![with, (proven.max(choice.bound_without), head, rest)];
            return done;
        }
    }
}

/// The boundary that raises the bound most on both sides; among equals the one that splits most.
fn most_telling(tail: &[Choice], bound: u64) -> Option<&Choice> {
    let raise = |with: u64| (with.saturating_sub(bound) as f64) + 1.0;
    let score = |choice: &Choice| raise(choice.bound_with) * raise(choice.bound_without);
    tail.iter().max_by(|a, b| {
        let by_split = a.splits.cmp(&b.splits).then(b.boundary.cmp(&a.boundary));
        score(a).total_cmp(&score(b)).then(by_split)
    })
}

#[cfg(test)]
mod tests {
    use privet_criteria::Requirement;
    use privet_data::{Domain, Hierarchy, Silent};
    use privet_measure::Metric;

    use super::*;
    use crate::cut::k_optimize::alphabet::Alphabet;
    use crate::cut::k_optimize::judge::Judge;
    use crate::cut::k_optimize::tuples::Tuples;
    use crate::lattice::{Codes, Problem, Quasi};

    /// What the tree alone finds, without a first candidate, and the least cost of all sets within the limit.
    fn costs(
        columns: &[Vec<u32>],
        values: u32,
        k: u64,
        limit: u64,
        metric: Metric,
    ) -> (Option<u64>, Option<u64>) {
        let texts = (0..values).map(|value| value.to_string().into()).collect();
        let (domain, _) = Domain::canonical(texts, |_| false);
        let generalization = Hierarchy::flat(&domain).bind(&domain).unwrap();
        let rows = columns[0].len();
        let requirement = Requirement::parse("k-anonymity", &serde_json::json!(k)).unwrap();
        let criteria = privet_criteria::build(&requirement, &[], None, rows as u64).unwrap();
        let quasi = |codes| Quasi {
            codes,
            counts: &[],
            generalization: &generalization,
            numbers: None,
            weight: 1.0,
            population: None,
        };
        let labels: Vec<u32> = (0..rows as u32).map(|row| row * row % 3).collect();
        let problem = Problem {
            rows,
            quasi: columns.iter().map(|codes| quasi(codes)).collect(),
            sensitive: Vec::new(),
            label: Some(Codes { codes: &labels, values: 3 }),
            criteria: &criteria,
            metric,
            suppress_at_most: limit,
        };
        let alphabet = Alphabet::new(&problem);
        let (judge, counted) = Judge::new(&problem);
        let tuples = Tuples::reduce(&problem, &alphabet, &counted);
        let prober = Prober { alphabet: &alphabet, tuples: &tuples, judge: &judge };
        let tree = Tree { prober: &prober, deadline: None, node_limit: None, progress: &Silent };
        let found = tree.search(None).unwrap();
        assert!(found.finished);
        let best = (0..1usize << alphabet.len()).filter_map(|bits| {
            let chosen = (0..alphabet.len()).filter(|boundary| bits >> boundary & 1 == 1);
            let set = chosen.fold(Boundaries::none(alphabet.len()), |set, boundary| set.with(boundary));
            let probe = prober.probe(&set, &Boundaries::none(alphabet.len()), Depth::Costs);
            (probe.suppressed <= limit).then_some(probe.cost)
        });
        (found.best.map(|(cost, _)| cost), best.min())
    }

    /// One record on either side of twenty: each is best suppressed, though the class that is cut then fails to keep
    /// both parts.
    #[test]
    fn suppressing_pays_where_a_class_has_more_than_half_of_the_records() {
        let column = [vec![0], vec![1; 20], vec![2]].concat();
        let (found, best) = costs(&[column], 3, 2, 2, Metric::Discernibility);
        assert_eq!((found, best), (Some(20 * 20 + 2 * 22), Some(444)));
    }

    #[test]
    fn the_tree_alone_finds_the_optimum() {
        let mut state = 1u64;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for _ in 0..60 {
            let (rows, width) = (10 + next(50), 1 + next(3));
            // Values near the middle are more frequent, so that some classes are much larger than others.
            let mut column = || (0..rows).map(|_| (next(3) * next(3)).min(3) as u32).collect::<Vec<u32>>();
            let columns: Vec<Vec<u32>> = (0..width).map(|_| column()).collect();
            let (k, limit) = (2 + next(5), next(2) * next(rows));
            for metric in [Metric::Discernibility, Metric::Classification] {
                let (found, best) = costs(&columns, 4, k, limit, metric);
                assert_eq!(found, best, "k {k}, limit {limit}, {metric:?}, {columns:?}");
            }
        }
    }
}
