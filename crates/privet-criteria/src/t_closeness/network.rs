//! The least cost of moving what a distribution has too much of to where it has too little, by the network simplex
//! method on an undirected graph (Cunningham's strongly feasible trees, so that it cannot cycle).
//!
//! Under costs that are a metric, mass may be passed on from value to value, and a pair whose cheapest way leads over
//! another value needs no edge: for ordered values a path is left. The first tree is the minimum spanning tree, which is
//! optimal at once where the costs are those of a tree. Flows are whole numbers; every run starts from the same tree, so
//! the same distribution gives the same bits.

/// An undirected edge.
#[derive(Debug, Clone, Copy)]
struct Edge {
    ends: [u32; 2],
    cost: f64,
}

/// The edges that are needed, and the tree to start from.
#[derive(Debug)]
pub(super) struct Network {
    edges: Vec<Edge>,
    /// Per node its parent in the tree and what the way there costs; the root, node 0, is its own.
    parents: Vec<(u32, f64)>,
    /// The nodes of the tree, parents first.
    order: Vec<u32>,
    /// A way that is cheaper by less than this is not taken: the difference may be rounding.
    least_gain: f64,
}

/// Sums of costs may differ by so much of the sum and still be the same.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

impl Network {
    /// Of a metric, given row by row.
    pub fn new(costs: &[f64], nodes: usize) -> Self {
        let cost = |a: usize, b: usize| costs[a * nodes + b];
        let mut edges = Vec::new();
        for a in 0..nodes {
            for b in a + 1..nodes {
                let direct = cost(a, b);
                // Both parts are shorter, so a way over other values is left for every edge that is left out.
                let is_passed = |over: usize| {
                    let (first, second) = (cost(a, over), cost(over, b));
                    first < direct && second < direct && first + second <= direct * (1.0 + ROUNDING)
                };
                if !(0..nodes).any(is_passed) {
                    edges.push(Edge { ends: [a as u32, b as u32], cost: direct });
                }
            }
        }
        let greatest = costs.iter().copied().fold(0.0, f64::max);
        let (parents, order) = spanning_tree(costs, nodes);
        Self { edges, parents, order, least_gain: greatest * 1e-14 }
    }

    /// The least cost of making every excess 0; the excesses add up to 0. Ends with what was found so far, which is no
    /// less, as soon as that is no more than `enough`.
    pub fn least_cost(&self, mut excess: Vec<i128>, enough: f64) -> f64 {
        for &node in self.order.iter().skip(1).rev() {
            let amount = excess[node as usize];
            excess[self.parents[node as usize].0 as usize] += amount;
        }
        let links = self.parents.iter().zip(&excess);
        let mut tree = Tree {
            links: links
                .map(|(&(parent, cost), &flow)| Link { parent, cost, up: flow >= 0, amount: flow.abs() })
                .collect(),
            prices: vec![0.0; self.parents.len()],
            depths: vec![u32::MAX; self.parents.len()],
            waiting: Vec::new(),
        };
        tree.price();
        let mut cost = tree.cost();
        let mut from = 0;
        while cost > enough {
            let Some(entering) = self.entering(&tree, &mut from) else { break };
            if !tree.pivot(entering) {
                break;
            }
            cost = tree.cost();
        }
        cost
    }

    /// An edge over which it is cheaper than through the tree, and the end to start from: the best of a part of the edges.
    fn entering(&self, tree: &Tree, from: &mut usize) -> Option<(Edge, usize)> {
        let part = (self.edges.len() / 8).max(64);
        let mut looked = 0;
        while looked < self.edges.len() {
            let end = (*from + part).min(self.edges.len());
            let mut best: Option<(f64, Edge, usize)> = None;
            for edge in &self.edges[*from..end] {
                let [a, b] = edge.ends.map(|node| tree.prices[node as usize]);
                let gain = (a - b).abs() - edge.cost;
                if gain > best.map_or(self.least_gain, |(best, ..)| best) {
                    best = Some((gain, *edge, usize::from(a < b)));
                }
            }
            looked += end - *from;
            *from = if end == self.edges.len() { 0 } else { end };
            if let Some((_, edge, start)) = best {
                return Some((edge, start));
            }
        }
        None
    }
}

/// The minimum spanning tree by Prim's method: per node its parent and the cost of the way there, and the order.
fn spanning_tree(costs: &[f64], nodes: usize) -> (Vec<(u32, f64)>, Vec<u32>) {
    let mut parents = vec![(0, 0.0); nodes];
    let mut order = Vec::with_capacity(nodes);
    let mut nearest: Vec<(f64, u32)> = vec![(f64::INFINITY, 0); nodes];
    let mut is_in = vec![false; nodes];
    let mut next = (nodes > 0).then_some(0);
    while let Some(node) = next {
        is_in[node] = true;
        order.push(node as u32);
        parents[node] = if node == 0 { (0, 0.0) } else { (nearest[node].1, nearest[node].0) };
        for other in (0..nodes).filter(|&other| !is_in[other]) {
            let cost = costs[node * nodes + other];
            if cost < nearest[other].0 {
                nearest[other] = (cost, node as u32);
            }
        }
        next = (0..nodes).filter(|&n| !is_in[n]).min_by(|&a, &b| nearest[a].0.total_cmp(&nearest[b].0));
    }
    (parents, order)
}

/// The edge from a node to its parent, and what flows over it: to the parent (`up`) or from it. An edge without flow
/// points up, so that something could flow from every node to the root.
#[derive(Debug, Clone, Copy)]
struct Link {
    parent: u32,
    cost: f64,
    up: bool,
    amount: i128,
}

#[derive(Debug)]
struct Tree {
    links: Vec<Link>,
    /// Per node what it costs to move one unit to the root along the tree.
    prices: Vec<f64>,
    /// Per node how far it is from the root; `u32::MAX` where that and the price are not known.
    depths: Vec<u32>,
    waiting: Vec<usize>,
}

impl Tree {
    fn cost(&self) -> f64 {
        self.links.iter().map(|link| link.amount as f64 * link.cost).sum()
    }

    /// Finds the prices of all nodes.
    fn price(&mut self) {
        self.depths.fill(u32::MAX);
        (self.depths[0], self.prices[0]) = (0, 0.0);
        for node in 1..self.links.len() {
            let mut at = node;
            while self.depths[at] == u32::MAX {
                self.waiting.push(at);
                at = self.links[at].parent as usize;
            }
            while let Some(node) = self.waiting.pop() {
                let Link { parent, cost, up, .. } = self.links[node];
                let parent = parent as usize;
                self.prices[node] = self.prices[parent] + if up { cost } else { -cost };
                self.depths[node] = self.depths[parent] + 1;
            }
        }
    }

    /// Moves as much as can be moved over an edge from one of its ends instead of through the tree. False when there is no
    /// end to that, which only rounding can make it seem.
    fn pivot(&mut self, (edge, start): (Edge, usize)) -> bool {
        let (from, to) = (edge.ends[start] as usize, edge.ends[1 - start] as usize);
        // The circle goes down from where both ways to the root meet to `from`, over the edge, and up from `to`. Of the
        // edges that lose all their flow first, the last on that way leaves.
        let (mut a, mut b) = (from, to);
        let (mut below_from, mut below_to) = (None, None);
        while a != b {
            if self.depths[a] >= self.depths[b] {
                let link = self.links[a];
                if link.up && below_from.is_none_or(|(least, _)| link.amount < least) {
                    below_from = Some((link.amount, a));
                }
                a = link.parent as usize;
            } else {
                let link = self.links[b];
                if !link.up && below_to.is_none_or(|(least, _)| link.amount <= least) {
                    below_to = Some((link.amount, b));
                }
                b = link.parent as usize;
            }
        }
        let meeting = a;
        let (amount, leaving, is_below_to) = match (below_from, below_to) {
            (Some((least, node)), Some((other, _))) if least < other => (least, node, false),
            (_, Some((least, node))) => (least, node, true),
            (Some((least, node)), None) => (least, node, false),
            (None, None) => return false,
        };
        for (end, is_up) in [(from, false), (to, true)] {
            let mut node = end;
            while node != meeting {
                let link = &mut self.links[node];
                link.amount += if link.up == is_up { amount } else { -amount };
                node = link.parent as usize;
            }
        }
        // The part that is cut off hangs from the other end of the edge.
        let (top, other) = if is_below_to { (to, from) } else { (from, to) };
        let mut link = Link { parent: other as u32, cost: edge.cost, up: !is_below_to, amount };
        let mut node = top;
        loop {
            let old = std::mem::replace(&mut self.links[node], link);
            if node == leaving {
                break;
            }
            link = Link { parent: node as u32, up: !old.up, ..old };
            node = old.parent as usize;
        }
        self.price();
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A metric: the cheapest ways over all other nodes.
    fn metric(drawn: &[u32], nodes: usize) -> Vec<f64> {
        let mut costs = vec![0.0; nodes * nodes];
        for a in 0..nodes {
            for b in 0..a {
                let cost = f64::from(drawn[a * nodes + b]) / 8.0;
                (costs[a * nodes + b], costs[b * nodes + a]) = (cost, cost);
            }
        }
        super::super::transport::close(&mut costs, nodes);
        costs
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        /// The cheapest ways one after the other, with flows that may be taken back, find the same least cost; costs of 0 and
        /// equal costs among them.
        #[test]
        fn successive_cheapest_paths_cost_the_same(
            nodes in 1usize..12,
            drawn in prop::collection::vec(prop_oneof![0u32..5, 0u32..1000], 144),
            excess in prop::collection::vec(-9i128..10, 12),
        ) {
            let costs = metric(&drawn, nodes);
            let mut excess = excess[..nodes].to_vec();
            excess[0] -= excess.iter().sum::<i128>();
            let of = |sign: i128| (0..nodes).filter(|&node| excess[node] * sign > 0).collect::<Vec<_>>();
            let (surplus, deficit) = (of(1), of(-1));
            let expected = super::super::transport::tests::cheapest(
                surplus.iter().map(|&node| excess[node]).collect(),
                deficit.iter().map(|&node| -excess[node]).collect(),
                &|from, to| costs[surplus[from] * nodes + deficit[to]],
            );
            let network = Network::new(&costs, nodes);
            let found = network.least_cost(excess.clone(), f64::NEG_INFINITY);
            prop_assert!((found - expected).abs() <= 1e-9 * expected.max(1.0), "{found} {expected}");
            // It ends early only where what it found is enough.
            for enough in [expected * 0.9, expected * 1.1] {
                let found = network.least_cost(excess.clone(), enough);
                prop_assert!(found >= expected - 1e-9 && (found <= enough || found <= expected + 1e-9));
            }
        }
    }

    /// Costs along a line need the edges between neighbours only.
    #[test]
    fn ordered_values_are_a_path() {
        let nodes = 60usize;
        let costs: Vec<f64> =
            (0..nodes * nodes).map(|at| (at / nodes).abs_diff(at % nodes) as f64 / 59.0).collect();
        let network = Network::new(&costs, nodes);
        assert_eq!(network.edges.len(), nodes - 1);
    }
}
