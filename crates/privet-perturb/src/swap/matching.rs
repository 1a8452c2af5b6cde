//! Perfect matchings of least total cost in complete graphs: Edmonds' blossoms with dual variables, O(n³) (survey ME-35;
//! Edmonds 1965, in the form of Gabow and Galil).
//!
//! Costs become profits (a constant less the cost, all above 0), for which the best matching of an even complete graph
//! leaves nobody alone. Each node has a dual; an edge is tight when the duals of its ends add up to its profit. Forests
//! of alternating tight edges grow from the nodes without mate: even nodes ("outer") offer edges, odd ones ("inner")
//! are matched to an outer one. A tight edge between two trees gives one pair more, one within a tree an odd cycle, which
//! becomes one node, a blossom. When no edge is tight, the duals of outer nodes sink and those of inner nodes rise until
//! one is, or until an inner blossom has the dual 0 and falls apart.
//!
//! # Guarantee
//! Exact: costs are whole numbers, and so are all duals (everything is counted in halves). Indexing cannot fail: every
//! number that is kept is that of a node or blossom, and all lists have a place for each.

/// No node.
const NONE: usize = 0;
/// The largest cost; duals and sums of a few of them stay far within 64 bits.
pub(super) const MOST_COST: i64 = 1 << 40;

/// What a node is in the forests.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Label {
    Outside,
    Outer,
    Inner,
}

/// For each of an even number of nodes its partner. `cost` holds the n×n costs, symmetric, from 0 to [`MOST_COST`]; what
/// is beyond is taken as the nearest of these. With an odd number nobody has a partner: each is its own.
pub(super) fn least_cost_matching(nodes: usize, cost: &[i64]) -> Vec<usize> {
    if !nodes.is_multiple_of(2) || nodes == 0 || cost.len() < nodes * nodes {
        return (0..nodes).collect();
    }
    let mut forest = Forest::new(nodes, cost);
    while forest.one_pair_more() {}
    (1..=nodes).map(|node| forest.mate[node].max(1) - 1).collect() // why: one mate per node
}

/// Nodes are numbered from 1; numbers above `nodes` are blossoms. All lists have one place per number.
struct Forest {
    nodes: usize,
    /// The highest number in use.
    last: usize,
    width: usize,
    /// Twice the profit of each pair of nodes.
    profit: Vec<i64>,
    /// For two numbers the edge with the least slack between them, as nodes within the one and the other.
    edge: Vec<(u32, u32)>,
    dual: Vec<i64>,
    /// The node (not blossom) that a number is matched to; `NONE` for none.
    mate: Vec<usize>,
    /// The outermost blossom that a number is in; itself, or `NONE` when it is not in use.
    within: Vec<usize>,
    /// The node from which an inner number was reached.
    parent: Vec<usize>,
    label: Vec<Label>,
    /// The outer node with the least slack to an outermost number.
    nearest: Vec<usize>,
    visited: Vec<usize>,
    visits: usize,
    /// The cycle of a blossom, beginning with its base.
    cycle: Vec<Vec<usize>>,
    /// For a blossom and a node the member of its cycle that holds the node.
    member: Vec<usize>,
    queue: Vec<usize>,
}

impl Forest {
    fn new(nodes: usize, cost: &[i64]) -> Self {
        // Blossoms are odd sets of at least three that lie within each other or apart: at most half as many as nodes.
        let width = nodes + nodes / 2 + 2;
        let mut forest = Self {
            nodes,
            last: nodes,
            width,
            profit: vec![0; (nodes + 1) * (nodes + 1)],
            edge: vec![(0, 0); width * width],
            dual: vec![0; width],
            mate: vec![NONE; width],
            within: vec![NONE; width],
            parent: vec![NONE; width],
            label: vec![Label::Outside; width],
            nearest: vec![NONE; width],
            visited: vec![0; width],
            visits: 0,
            cycle: vec![Vec::new(); width],
            member: vec![NONE; width * (nodes + 1)],
            queue: Vec::new(),
        };
        let most = cost.iter().copied().max().unwrap_or(0).clamp(0, MOST_COST);
        for u in 1..=nodes {
            forest.within[u] = u;
            forest.dual[u] = most + 1;
            forest.member[u * (nodes + 1) + u] = u;
            for v in (1..=nodes).filter(|&v| v != u) {
                let cost = cost[(u - 1) * nodes + v - 1].clamp(0, most);
                forest.profit[u * (nodes + 1) + v] = 2 * (most + 1 - cost);
                forest.edge[u * width + v] = (u as u32, v as u32);
            }
        }
        forest
    }

    fn edge(&self, a: usize, b: usize) -> (usize, usize) {
        let (u, v) = self.edge[a * self.width + b];
        (u as usize, v as usize)
    }

    /// By how much the duals of the ends exceed the profit: 0 for a tight edge.
    fn slack(&self, (u, v): (usize, usize)) -> i64 {
        self.dual[u] + self.dual[v] - self.profit[u * (self.nodes + 1) + v]
    }

    fn slack_to_nearest(&self, x: usize) -> i64 {
        self.slack(self.edge(self.nearest[x], x))
    }

    fn outermost(&self) -> impl Iterator<Item = usize> + '_ {
        (1..=self.last).filter(|&x| self.within[x] == x)
    }

    fn offer_nearest(&mut self, u: usize, x: usize) {
        if self.nearest[x] == NONE || self.slack(self.edge(u, x)) < self.slack_to_nearest(x) {
            self.nearest[x] = u;
        }
    }

    fn find_nearest(&mut self, x: usize) {
        self.nearest[x] = NONE;
        for u in 1..=self.nodes {
            let own = self.within[u];
            if own != x && self.label[own] == Label::Outer {
                self.offer_nearest(u, x);
            }
        }
    }

    /// Puts the nodes of a number into the queue of those whose edges are to be looked at.
    fn enqueue(&mut self, x: usize) {
        if x <= self.nodes {
            self.queue.push(x);
        } else {
            for i in 0..self.cycle[x].len() {
                self.enqueue(self.cycle[x][i]);
            }
        }
    }

    fn set_within(&mut self, x: usize, outermost: usize) {
        self.within[x] = outermost;
        if x > self.nodes {
            for i in 0..self.cycle[x].len() {
                self.set_within(self.cycle[x][i], outermost);
            }
        }
    }

    /// The place of a member in the cycle, by the way around that is an even number of steps from the base.
    fn even_place(&mut self, blossom: usize, member: usize) -> usize {
        let cycle = &mut self.cycle[blossom];
        let place = cycle.iter().position(|&x| x == member).unwrap_or(0);
        if place.is_multiple_of(2) {
            return place;
        }
        cycle[1..].reverse();
        cycle.len() - place
    }

    /// Matches `a` to `b` along their edge; within a blossom the cycle is matched so that the end of the edge is its base.
    fn set_mate(&mut self, a: usize, b: usize) {
        let (u, v) = self.edge(a, b);
        self.mate[a] = v;
        if a <= self.nodes {
            return;
        }
        let base = self.member[a * (self.nodes + 1) + u];
        let place = self.even_place(a, base);
        for i in 0..place {
            self.set_mate(self.cycle[a][i], self.cycle[a][i ^ 1]);
        }
        self.set_mate(base, b);
        self.cycle[a].rotate_left(place);
    }

    /// Changes pairs along the way from `a` to the root of its tree, so that `a` is free for `b`.
    fn augment(&mut self, mut a: usize, mut b: usize) {
        loop {
            let before = self.within[self.mate[a]];
            self.set_mate(a, b);
            if before == NONE {
                return;
            }
            let above = self.within[self.parent[before]];
            self.set_mate(before, above);
            (a, b) = (above, before);
        }
    }

    /// The outer number above an outer one in its tree.
    fn above(&self, x: usize) -> usize {
        match self.within[self.mate[x]] {
            NONE => NONE,
            inner => self.within[self.parent[inner]],
        }
    }

    /// Where the ways of two outer numbers to their roots meet; `NONE` when they are in different trees.
    fn meeting(&mut self, mut a: usize, mut b: usize) -> usize {
        self.visits += 1;
        while a != NONE || b != NONE {
            if a != NONE {
                if self.visited[a] == self.visits {
                    return a;
                }
                self.visited[a] = self.visits;
                a = self.above(a);
            }
            std::mem::swap(&mut a, &mut b);
        }
        NONE
    }

    /// The numbers on the way from `x` up to `base`, without it.
    fn way(&self, mut x: usize, base: usize) -> Vec<usize> {
        let mut way = Vec::new();
        while x != base {
            let inner = self.within[self.mate[x]];
            way.extend([x, inner]);
            x = self.within[self.parent[inner]];
        }
        way
    }

    /// Makes the cycle of two ways and the tight edge between their ends a blossom.
    fn contract(&mut self, a: usize, base: usize, b: usize) {
        let blossom = (self.nodes + 1..=self.last).find(|&x| self.within[x] == NONE).unwrap_or(self.last + 1);
        self.last = self.last.max(blossom);
        let (left, right) = (self.way(a, base), self.way(b, base));
        // Inner numbers become part of something outer: their edges are to be looked at from now on.
        for inner in left.iter().chain(&right).skip(1).step_by(2) {
            self.enqueue(*inner);
        }
        let cycle: Vec<usize> = [base].into_iter().chain(left.into_iter().rev()).chain(right).collect();
        self.dual[blossom] = 0;
        self.label[blossom] = Label::Outer;
        self.mate[blossom] = self.mate[base];
        self.parent[blossom] = self.parent[base];
        self.cycle[blossom].clone_from(&cycle);
        self.set_within(blossom, blossom);
        let (nodes, width) = (self.nodes, self.width);
        for x in 1..=self.last {
            self.edge[blossom * width + x] = (0, 0);
            self.edge[x * width + blossom] = (0, 0);
        }
        self.member[blossom * (nodes + 1)..(blossom + 1) * (nodes + 1)].fill(NONE);
        for &part in &cycle {
            for x in 1..=self.last {
                let (edge, best) = (self.edge(part, x), self.edge(blossom, x));
                if edge.0 != NONE && (best.0 == NONE || self.slack(edge) < self.slack(best)) {
                    self.edge[blossom * width + x] = self.edge[part * width + x];
                    self.edge[x * width + blossom] = self.edge[x * width + part];
                }
            }
            for node in 1..=nodes {
                if self.member[part * (nodes + 1) + node] != NONE {
                    self.member[blossom * (nodes + 1) + node] = part;
                }
            }
        }
        self.find_nearest(blossom);
    }

    /// Takes an inner blossom apart: the way through it to its mate stays in the tree, the rest of its cycle leaves it.
    fn expand(&mut self, blossom: usize) {
        for i in 0..self.cycle[blossom].len() {
            let part = self.cycle[blossom][i];
            self.set_within(part, part);
        }
        let (entry, _) = self.edge(blossom, self.parent[blossom]);
        let entered = self.member[blossom * (self.nodes + 1) + entry];
        let place = self.even_place(blossom, entered);
        let cycle = std::mem::take(&mut self.cycle[blossom]);
        for pair in cycle[..place].chunks_exact(2) {
            let (inner, outer) = (pair[0], pair[1]);
            self.parent[inner] = self.edge(outer, inner).0;
            self.label[inner] = Label::Inner;
            self.label[outer] = Label::Outer;
            self.nearest[inner] = NONE;
            self.find_nearest(outer);
            self.enqueue(outer);
        }
        self.label[entered] = Label::Inner;
        self.parent[entered] = self.parent[blossom];
        self.nearest[entered] = NONE;
        for &part in &cycle[place + 1..] {
            self.label[part] = Label::Outside;
            self.find_nearest(part);
        }
        self.within[blossom] = NONE;
    }

    /// A tight edge from an outer node: the tree grows, a blossom is made, or there is one pair more (true).
    fn follow(&mut self, (u, v): (usize, usize)) -> bool {
        let (a, b) = (self.within[u], self.within[v]);
        match self.label[b] {
            Label::Outside => {
                self.parent[b] = u;
                self.label[b] = Label::Inner;
                self.nearest[b] = NONE;
                // What is outside of the forests has a mate: those without one are roots.
                let next = self.within[self.mate[b]];
                self.label[next] = Label::Outer;
                self.nearest[next] = NONE;
                self.enqueue(next);
                false
            }
            Label::Outer => {
                let base = self.meeting(a, b);
                if base == NONE {
                    self.augment(a, b);
                    self.augment(b, a);
                    return true;
                }
                self.contract(a, base, b);
                false
            }
            Label::Inner => false,
        }
    }

    /// Grows forests until there is one pair more; false when all have a mate.
    fn one_pair_more(&mut self) -> bool {
        self.label.fill(Label::Outside);
        self.nearest.fill(NONE);
        self.queue.clear();
        for root in self.outermost().filter(|&x| self.mate[x] == NONE).collect::<Vec<_>>() {
            self.parent[root] = NONE;
            self.label[root] = Label::Outer;
            self.enqueue(root);
        }
        if self.queue.is_empty() {
            return false;
        }
        loop {
            while let Some(u) = self.queue.pop() {
                for v in 1..=self.nodes {
                    if self.within[u] == self.within[v] {
                        continue;
                    }
                    if self.slack((u, v)) > 0 {
                        self.offer_nearest(u, self.within[v]);
                    } else if self.follow((u, v)) {
                        return true;
                    }
                }
            }
            if !self.change_duals() {
                return false;
            }
            for x in 1..=self.last {
                if self.within[x] == x
                    && self.nearest[x] != NONE
                    && self.within[self.nearest[x]] != x
                    && self.slack_to_nearest(x) == 0
                    && self.follow(self.edge(self.nearest[x], x))
                {
                    return true;
                }
            }
            for blossom in self.nodes + 1..=self.last {
                if self.within[blossom] == blossom
                    && self.label[blossom] == Label::Inner
                    && self.dual[blossom] == 0
                {
                    self.expand(blossom);
                }
            }
        }
    }

    /// Moves all duals by as much as no edge and no blossom forbids; false when nothing limits it, which an even complete
    /// graph does not allow.
    fn change_duals(&mut self) -> bool {
        let limit = |x: usize| match (self.label[x], self.nearest[x] != NONE) {
            (Label::Outside, true) => Some(self.slack_to_nearest(x)),
            (Label::Outer, true) => Some(self.slack_to_nearest(x) / 2),
            (Label::Inner, _) if x > self.nodes => Some(self.dual[x] / 2),
            _ => None,
        };
        let Some(by) = self.outermost().filter_map(limit).min() else { return false };
        for node in 1..=self.nodes {
            match self.label[self.within[node]] {
                Label::Outer => self.dual[node] -= by,
                Label::Inner => self.dual[node] += by,
                Label::Outside => {}
            }
        }
        for blossom in self.nodes + 1..=self.last {
            if self.within[blossom] == blossom {
                match self.label[blossom] {
                    Label::Outer => self.dual[blossom] += 2 * by,
                    Label::Inner => self.dual[blossom] -= 2 * by,
                    Label::Outside => {}
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests;
