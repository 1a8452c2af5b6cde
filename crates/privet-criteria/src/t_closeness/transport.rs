//! The earth mover's distance with a cost for each pair of values (papers I.2, EMD LP), solved as a transport problem.
//!
//! The printed linear program allows transshipment, so its value is that of the metric closure of the costs: the
//! cheapest way over other values counts (papers DEF-3). The closure is taken here. Under it nothing is gained by
//! moving mass that may stay, so only what a class has too much of is moved to where it has too little, by
//! the network simplex method (`network.rs`). Whether a class is within t is mostly told by bounds: the costs to any one
//! value are a function that differs between two values by no more than the cost of moving between them, so the
//! difference of its means is a lower bound (Kantorovich and Rubinstein), and whatever way of moving the method has
//! reached is an upper one.

use super::network::Network;
use super::{Distance, most_kept};
use crate::Histogram;
use crate::bound::Bound;

/// The most distinct values a matrix may have: the closure takes time cubic in them.
const LARGEST: u64 = 1024;

/// Earth mover's distance with a cost for each pair.
pub(crate) struct Transport {
    /// Per pair of codes, row by row, the cheapest way.
    costs: Vec<f64>,
    counts: Vec<u64>,
    shares: Vec<f64>,
    total: u64,
    /// Per code the mean cost from the values of the input to it.
    means: Vec<f64>,
    network: Network,
    /// The least and the greatest cost between two values of the input.
    least: f64,
    greatest: f64,
}

impl Transport {
    pub fn new(costs: &[(String, String, f64)], bound: &Bound<'_>) -> Result<Self, String> {
        let column = bound.column.name;
        let size = bound.column.domain.len();
        if size as u64 > LARGEST {
            return Err(format!(
                "kind matrix takes at most {LARGEST} distinct values; column {column} has {size}"
            ));
        }
        let mut given = vec![None; size * size];
        let mut unknown = 0;
        for (from, to, cost) in costs {
            if !(cost.is_finite() && *cost >= 0.0) {
                return Err("every cost must be a number of at least 0".into());
            }
            let codes = bound.codes([from.as_str(), to.as_str()].into_iter());
            let (Some(from), Some(to)) = (codes[0], codes[1]) else {
                unknown += 1;
                continue;
            };
            if from == to && *cost != 0.0 {
                return Err("the cost from a value to itself must be 0".into());
            }
            for place in [from as usize * size + to as usize, to as usize * size + from as usize] {
                if given[place].is_some_and(|other| other != *cost) {
                    return Err("costs names a pair twice with different costs; costs are symmetric".into());
                }
                given[place] = Some(*cost);
            }
        }
        if unknown > 0 {
            return Err(format!(
                "costs has {unknown} entries with a value that column {column} does not hold"
            ));
        }
        let mut costs: Vec<f64> = given.into_iter().map(|cost| cost.unwrap_or(1.0)).collect();
        (0..size).for_each(|code| costs[code * size + code] = 0.0);
        close(&mut costs, size);
        let between =
            || (0..size * size).filter(|place| place / size != place % size).map(|place| costs[place]);
        let (least, greatest) = (between().fold(f64::INFINITY, f64::min), between().fold(0.0, f64::max));
        let shares = bound.shares();
        Ok(Self {
            means: means(&costs, shares.iter().copied().enumerate(), size),
            network: Network::new(&costs, size),
            least: if least.is_finite() { least } else { 0.0 },
            greatest,
            counts: bound.column.counts.to_vec(),
            shares,
            total: bound.total(),
            costs,
        })
    }

    /// The variational distance, between which and the earth mover's the costs are factors.
    fn variational(&self, histogram: &Histogram<'_>) -> f64 {
        let rows = histogram.total as f64;
        let over = |&code: &u32| {
            (f64::from(histogram.counts[code as usize]) / rows - self.shares[code as usize]).max(0.0)
        };
        histogram.present.iter().map(over).sum()
    }

    /// A lower bound on the distance: the largest difference of the mean costs to one value.
    fn projected(&self, histogram: &Histogram<'_>) -> f64 {
        let rows = histogram.total as f64;
        let share = |&code: &u32| (code as usize, f64::from(histogram.counts[code as usize]) / rows);
        let means = means(&self.costs, histogram.present.iter().map(share), self.counts.len());
        means.iter().zip(&self.means).map(|(ours, theirs)| (ours - theirs).abs()).fold(0.0, f64::max)
    }

    /// The distance, or an upper bound on it that is at most `enough`.
    fn distance_unless(&self, histogram: &Histogram<'_>, enough: f64) -> f64 {
        // Both distributions over a common total: what is too much and what is too little, in whole numbers.
        let (ours, theirs) = (i128::from(histogram.total), i128::from(self.total.max(1)));
        let excess = histogram.counts.iter().zip(&self.counts);
        let excess = excess.map(|(&count, &input)| i128::from(count) * theirs - i128::from(input) * ours);
        let scale = (ours * theirs) as f64;
        self.network.least_cost(excess.collect(), enough * scale) / scale
    }
}

/// Per code the mean cost to it from values with these shares.
fn means(costs: &[f64], shares: impl Iterator<Item = (usize, f64)>, size: usize) -> Vec<f64> {
    let mut means = vec![0.0; size];
    for (code, share) in shares {
        for (mean, cost) in means.iter_mut().zip(&costs[code * size..(code + 1) * size]) {
            *mean += share * cost;
        }
    }
    means
}

/// Replaces every cost by that of the cheapest way over other values.
pub(super) fn close(costs: &mut [f64], size: usize) {
    for over in 0..size {
        let row: Vec<f64> = costs[over * size..(over + 1) * size].to_vec();
        for from in 0..size {
            let first = costs[from * size + over];
            for (cost, second) in costs[from * size..(from + 1) * size].iter_mut().zip(&row) {
                *cost = cost.min(first + second);
            }
        }
    }
}

impl Distance for Transport {
    fn distance(&self, histogram: &Histogram<'_>) -> f64 {
        self.distance_unless(histogram, f64::NEG_INFINITY)
    }

    fn within(&self, histogram: &Histogram<'_>, t: f64) -> bool {
        let moved = self.variational(histogram);
        if self.least * moved > t + 1e-9 {
            return false;
        }
        self.greatest * moved <= t
            || self.projected(histogram) <= t + 1e-9
                && self.distance_unless(histogram, t) <= t + crate::keep::TOLERANCE
    }

    /// The distance is at least the least cost times the variational distance.
    fn most_kept(&self, histogram: &Histogram<'_>, t: f64) -> u64 {
        if self.least <= 0.0 {
            return histogram.total;
        }
        let part = |&code: &u32| (f64::from(histogram.counts[code as usize]), self.shares[code as usize]);
        most_kept(histogram.total, (t + 1e-9) / self.least, 1.0, &histogram.present.iter().map(part))
    }

    fn name(&self) -> String {
        "earth mover's distance with the given costs, cheapest way".to_owned()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::t_closeness::tests::{closeness, distance};
    use crate::testing::{Column, build_one, column};
    use privet_data::Hierarchy;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    /// The least cost of moving all supply to the demand; both add up to the same.
    ///
    /// Successive cheapest paths: each search (Dijkstra's, on costs reduced by potentials) finds the cheapest
    /// way from any source with supply left to a sink with demand left, over flows that may be taken back.
    pub(in crate::t_closeness) fn cheapest(
        mut supply: Vec<i128>,
        mut demand: Vec<i128>,
        cost: &impl Fn(usize, usize) -> f64,
    ) -> f64 {
        let (sources, sinks) = (supply.len(), demand.len());
        let mut flow = vec![0i128; sources * sinks];
        // Nodes are the sources, then the sinks.
        let nodes = sources + sinks;
        let mut potential = vec![0.0f64; nodes];
        let mut length = vec![0.0f64; nodes];
        let mut before = vec![usize::MAX; nodes];
        let mut done = vec![false; nodes];
        while supply.iter().any(|&amount| amount > 0) {
            for node in 0..nodes {
                let starts = node < sources && supply[node] > 0;
                length[node] = if starts { 0.0 } else { f64::INFINITY };
                before[node] = usize::MAX;
                done[node] = false;
            }
            let mut end = None;
            loop {
                let open = (0..nodes).filter(|&node| !done[node] && length[node].is_finite());
                let Some(node) = open.min_by(|&a, &b| length[a].total_cmp(&length[b])) else { break };
                done[node] = true;
                if node >= sources && demand[node - sources] > 0 {
                    end = Some(node);
                    break;
                }
                let mut reach = |next: usize, reduced: f64| {
                    // Reduced costs are never negative but for rounding.
                    let through = length[node] + reduced.max(0.0);
                    if !done[next] && through < length[next] {
                        length[next] = through;
                        before[next] = node;
                    }
                };
                if node < sources {
                    for sink in 0..sinks {
                        let next = sources + sink;
                        reach(next, cost(node, sink) + potential[node] - potential[next]);
                    }
                } else {
                    let sink = node - sources;
                    for source in (0..sources).filter(|&source| flow[source * sinks + sink] > 0) {
                        reach(source, potential[node] - potential[source] - cost(source, sink));
                    }
                }
            }
            // Supply and demand add up to the same, so a sink is found as long as there is supply.
            let Some(end) = end else { break };
            for node in 0..nodes {
                potential[node] += length[node].min(length[end]);
            }
            let mut amount = demand[end - sources];
            let mut node = end;
            while before[node] != usize::MAX {
                let previous = before[node];
                if node < sources {
                    amount = amount.min(flow[node * sinks + previous - sources]);
                }
                node = previous;
            }
            amount = amount.min(supply[node]);
            supply[node] -= amount;
            demand[end - sources] -= amount;
            let mut node = end;
            while before[node] != usize::MAX {
                let previous = before[node];
                if node >= sources {
                    flow[previous * sinks + node - sources] += amount;
                } else {
                    flow[node * sinks + previous - sources] -= amount;
                }
                node = previous;
            }
        }
        (0..sources * sinks).map(|arc| flow[arc] as f64 * cost(arc / sinks, arc % sinks)).sum()
    }

    const NAMES: [&str; 6] = ["1", "2", "3", "4", "5", "6"];

    fn matrix(cost: impl Fn(usize, usize) -> f64) -> Value {
        let mut costs = Vec::new();
        for (from, name) in NAMES.iter().enumerate() {
            for (to, other) in NAMES.iter().enumerate().take(from) {
                costs.push(json!([name, other, cost(from, to)]));
            }
        }
        let mut requirement = closeness("matrix", 0.1);
        requirement["costs"] = json!(costs);
        requirement
    }

    #[test]
    fn papers_def_3_the_metric_closure_is_taken() {
        // d(1,2) = d(2,3) = 1, d(1,3) = 10; all of the class is at 1, all of the input (nearly) at 3.
        let mut requirement = closeness("matrix", 0.1);
        requirement["costs"] = json!([["1", "2", 1.0], ["2", "3", 1.0], ["1", "3", 10.0]]);
        let input = Column::of(&["1", "2", "3"], &[0, 0, 4]);
        assert!((distance(requirement, &input, &[4, 0, 0]) - 2.0).abs() < 1e-12, "2, not 10");
        // The transportation form without the closure would be 10.
        assert_eq!(cheapest(vec![1], vec![1], &|_, _| 10.0), 10.0);
    }

    #[test]
    fn costs_are_checked() {
        let sensitive = column(&["a", "b"], &[1, 1]);
        let problem = |costs: Value| {
            let mut requirement = closeness("matrix", 0.1);
            requirement["costs"] = costs;
            build_one(requirement, &sensitive).err().unwrap().problem
        };
        assert!(problem(json!([["a", "b", -1.0]])).contains("at least 0"));
        assert!(problem(json!([["a", "a", 1.0]])).contains("itself"));
        assert!(problem(json!([["a", "b", 1.0], ["b", "a", 0.5]])).contains("twice"));
        let unknown = problem(json!([["a", "secret", 1.0]]));
        assert!(unknown.contains("1 entries") && !unknown.contains("secret"));
    }

    proptest! {
        #[test]
        fn closed_forms_are_the_oracle(
            class in prop::collection::vec(0u32..7, 6), input in prop::collection::vec(1u32..7, 6),
        ) {
            prop_assume!(class.iter().any(|&count| count > 0));
            let leaves = NAMES.map(Box::from).to_vec();
            let levels = [["x", "x", "x", "y", "y", "z"], ["u", "u", "u", "u", "u", "v"], ["*"; 6]];
            let tree = Hierarchy::new(leaves, levels.map(|l| l.map(Box::from).to_vec()).to_vec()).unwrap();
            let apart = |a: usize, b: usize| {
                (levels.iter().position(|level| level[a] == level[b]).unwrap() + 1) as f64 / 3.0
            };
            let sensitive = column(&NAMES, &input).with_hierarchy(tree);
            let pairs = [
                (closeness("equal", 0.1), matrix(|_, _| 1.0)),
                (closeness("ordered", 0.1), matrix(|a, b| a.abs_diff(b) as f64 / 5.0)),
                (closeness("hierarchical", 0.1), matrix(apart)),
            ];
            for (closed, transport) in pairs {
                let (closed, transport) =
                    (distance(closed, &sensitive, &class), distance(transport, &sensitive, &class));
                prop_assert!((closed - transport).abs() < 1e-9, "{closed} {transport}");
            }
        }

        /// Every assignment of unit supplies to unit demands costs at least what the paths find.
        #[test]
        fn no_assignment_is_cheaper(costs in prop::collection::vec(0.0f64..9.0, 16)) {
            let cost = |from: usize, to: usize| costs[4 * from + to];
            let mut best = f64::INFINITY;
            for a in 0..4usize {
                for b in (0..4).filter(|&b| b != a) {
                    for c in (0..4).filter(|&c| c != a && c != b) {
                        let d = 6 - a - b - c;
                        best = best.min(cost(0, a) + cost(1, b) + cost(2, c) + cost(3, d));
                    }
                }
            }
            prop_assert!((cheapest(vec![1; 4], vec![1; 4], &cost) - best).abs() < 1e-9);
        }
    }
}
