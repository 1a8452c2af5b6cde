//! Growing a tree of binary splits whose leaves hold records (Breiman, Friedman, Olshen and Stone; survey ME-39).
//!
//! A number splits at a threshold, categories by a beginning of their order by the mean of the goal: the mean value
//! where the goal is a number, the share of the node's most frequent class where it is a class. For numbers and for two
//! classes the best of all subsets is among these (theorem 4.5 of the book), unless it would make too small a leaf; for
//! more classes it is a heuristic. A
//! missing number counts as lower than any, a missing category as one more.
//!
//! Numeric columns are ordered once; a split divides the orders and keeps them, so a level of the tree costs one pass
//! over records and columns, exactly, without bins.
//!
//! # Guarantee
//! Every leaf has at least `min_leaf` records, unless there are fewer at all. Among equally good splits the first
//! predictor and in it the first cut is taken: the tree is a function of its input. Any record finds a leaf: categories
//! that a node did not see go to its larger side.

use super::super::{Column, MISSING};
use super::goal::Goal;

/// A column that a tree may split by.
pub(super) enum Predictor<'a> {
    /// Numbers, and the records in their order, missing ones first.
    Numeric { values: &'a [f64], order: &'a [u32] },
    /// Codes up to and including the number of categories, which stands for a missing one.
    Categorical { codes: &'a [u32], categories: usize },
}

#[derive(Debug, Clone, PartialEq)]
enum Node {
    /// Rows from one place to another.
    Leaf { start: usize, end: usize },
    /// Numbers up to the threshold go to the node `below`, others to the one after it.
    Threshold { column: usize, threshold: f64, below: usize },
    /// Listed categories go to the side `listed_side`, others to the other one.
    Categories { column: usize, start: usize, end: usize, listed_side: usize, below: usize },
}

/// A tree whose leaves hold rows.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// Categories of splits, in rising order per split.
    listed: Vec<u32>,
    /// The rows, leaf by leaf.
    pub(super) rows: Vec<u32>,
    pub(super) depth: usize,
}

impl Tree {
    /// The number of nodes; leaves are among them.
    pub(super) fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Where in `rows` those of a leaf are; `None` for a node that is no leaf.
    pub(super) fn leaf(&self, node: usize) -> Option<std::ops::Range<usize>> {
        match self.nodes.get(node) {
            Some(Node::Leaf { start, end }) => Some(*start..*end),
            _ => None,
        }
    }

    /// The leaf that a record of these columns comes to.
    pub(super) fn find(&self, columns: &[Column], record: usize) -> usize {
        let mut node = 0;
        loop {
            let (side, below) = match &self.nodes[node] {
                Node::Leaf { .. } => return node,
                Node::Threshold { column, threshold, below } => {
                    let value = match &columns[*column] {
                        Column::Numeric(values) => lowest(values[record]),
                        Column::Categorical { .. } => f64::NEG_INFINITY,
                    };
                    (usize::from(value > *threshold), below)
                }
                Node::Categories { column, start, end, listed_side, below } => {
                    let code = match &columns[*column] {
                        Column::Categorical { codes, categories } => coded(codes[record], *categories),
                        Column::Numeric(_) => MISSING,
                    };
                    let listed = self.listed[*start..*end].binary_search(&code).is_ok();
                    (if listed { *listed_side } else { 1 - *listed_side }, below)
                }
            };
            node = below + side;
        }
    }
}

/// A missing number is lower than any.
pub(super) fn lowest(value: f64) -> f64 {
    if value.is_nan() { f64::NEG_INFINITY } else { value }
}

/// A missing category is one more.
pub(super) fn coded(code: u32, categories: usize) -> u32 {
    if code == MISSING { categories as u32 } else { code }
}

/// When a tree stops growing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) min_leaf: usize,
    pub(super) max_depth: usize,
}

struct Best {
    predictor: usize,
    /// The rows on the first side, in the order of the predictor.
    cut: usize,
    worth: f64,
}

/// Grows a tree for rows, which are records of a table with so many. Predictors come with the columns they are.
pub(super) fn grow<G: Goal>(
    predictors: &[(usize, Predictor<'_>)],
    rows: Vec<u32>,
    records: usize,
    goal: &mut G,
    limits: Limits,
) -> Tree {
    let mut first_side = vec![false; records];
    rows.iter().for_each(|&row| first_side[row as usize] = true);
    let orders = predictors.iter().map(|(_, predictor)| match predictor {
        Predictor::Numeric { order, .. } => {
            order.iter().copied().filter(|&row| first_side[row as usize]).collect()
        }
        Predictor::Categorical { .. } => Vec::new(),
    });
    let orders: Vec<Vec<u32>> = orders.collect();
    first_side.fill(false);
    let size = rows.len();
    let mut grower = Grower { predictors, orders, first_side, spare: Vec::new(), order: Arranged::default() };
    let mut tree =
        Tree { nodes: vec![Node::Leaf { start: 0, end: size }], listed: Vec::new(), rows, depth: 0 };
    let mut open = vec![(0usize, 0usize, size, 0usize)];
    while let Some((node, start, end, depth)) = open.pop() {
        tree.depth = tree.depth.max(depth);
        tree.nodes[node] = Node::Leaf { start, end };
        if depth >= limits.max_depth || end - start < 2 * limits.min_leaf {
            continue;
        }
        let own = &tree.rows[start..end];
        let Some(least) = goal.begin(own) else { continue };
        let Some(best) = grower.best(start, own, goal, limits.min_leaf, least) else { continue };
        let below = tree.nodes.len();
        tree.nodes[node] = grower.split(&best, start, &tree.rows[start..end], goal, below, &mut tree.listed);
        grower.divide(start, end, &mut tree.rows);
        let middle = start + best.cut;
        tree.nodes.push(Node::Leaf { start, end: middle });
        tree.nodes.push(Node::Leaf { start: middle, end });
        open.push((below + 1, middle, end, depth + 1));
        open.push((below, start, middle, depth + 1));
    }
    tree
}

struct Grower<'a> {
    predictors: &'a [(usize, Predictor<'a>)],
    /// Per numeric predictor the rows in its order, node by node; nodes are where they are in the rows of the tree.
    orders: Vec<Vec<u32>>,
    /// Per record whether it goes to the first side of the split at hand.
    first_side: Vec<bool>,
    spare: Vec<u32>,
    order: Arranged,
}

/// Rows in the order of the categories of a column.
#[derive(Default)]
struct Arranged {
    rows: Vec<u32>,
    seen: Vec<u32>,
    counts: Vec<u32>,
    sums: Vec<f64>,
}

impl Arranged {
    fn arrange<G: Goal>(&mut self, codes: &[u32], categories: usize, rows: &[u32], goal: &G) {
        if self.counts.len() <= categories {
            self.counts.resize(categories + 1, 0);
            self.sums.resize(categories + 1, 0.0);
        }
        self.seen.clear();
        for &row in rows {
            let code = codes[row as usize];
            if self.counts[code as usize] == 0 {
                self.seen.push(code);
            }
            self.counts[code as usize] += 1;
            self.sums[code as usize] += goal.score(row);
        }
        let (counts, sums) = (&mut self.counts, &mut self.sums);
        let mean = |code: u32| sums[code as usize] / f64::from(counts[code as usize]);
        self.seen.sort_unstable_by(|&a, &b| mean(a).total_cmp(&mean(b)).then(a.cmp(&b)));
        let mut at = 0;
        for &code in &self.seen {
            at += std::mem::replace(&mut counts[code as usize], at);
        }
        self.rows.resize(rows.len(), 0);
        for &row in rows {
            let place = &mut counts[codes[row as usize] as usize];
            self.rows[*place as usize] = row;
            *place += 1;
        }
        for &code in &self.seen {
            counts[code as usize] = 0;
            sums[code as usize] = 0.0;
        }
    }
}

impl Grower<'_> {
    fn best<G: Goal>(
        &mut self,
        start: usize,
        rows: &[u32],
        goal: &mut G,
        min_leaf: usize,
        least: f64,
    ) -> Option<Best> {
        let mut best = Best { predictor: usize::MAX, cut: 0, worth: least };
        for (number, (_, predictor)) in self.predictors.iter().enumerate() {
            goal.again();
            match predictor {
                Predictor::Numeric { values, .. } => {
                    let order = &self.orders[number][start..start + rows.len()];
                    let same = |a: u32, b: u32| lowest(values[a as usize]) == lowest(values[b as usize]);
                    sweep(number, order, same, goal, min_leaf, &mut best);
                }
                Predictor::Categorical { codes, categories } => {
                    self.order.arrange(codes, *categories, rows, goal);
                    let same = |a: u32, b: u32| codes[a as usize] == codes[b as usize];
                    sweep(number, &self.order.rows, same, goal, min_leaf, &mut best);
                }
            }
        }
        (best.predictor != usize::MAX).then_some(best)
    }

    /// Marks the rows of the first side, and tells what sends them there.
    fn split<G: Goal>(
        &mut self,
        best: &Best,
        start: usize,
        rows: &[u32],
        goal: &mut G,
        below: usize,
        listed: &mut Vec<u32>,
    ) -> Node {
        let (column, predictor) = &self.predictors[best.predictor];
        let (order, node) = match predictor {
            Predictor::Numeric { values, .. } => {
                let order = &self.orders[best.predictor][start..start + rows.len()];
                let value = |place: usize| lowest(values[order[place] as usize]);
                let threshold = between(value(best.cut - 1), value(best.cut));
                (order, Node::Threshold { column: *column, threshold, below })
            }
            Predictor::Categorical { codes, categories } => {
                self.order.arrange(codes, *categories, rows, goal);
                let order = &self.order.rows;
                // The smaller side is listed, so that categories that are not here go to the larger.
                let listed_side = usize::from(2 * best.cut > order.len());
                let side = if listed_side == 0 { &order[..best.cut] } else { &order[best.cut..] };
                let begin = listed.len();
                listed.extend(side.iter().map(|&row| codes[row as usize]));
                listed[begin..].sort_unstable();
                let mut kept = begin;
                for place in begin..listed.len() {
                    if place == begin || listed[place] != listed[kept - 1] {
                        listed[kept] = listed[place];
                        kept += 1;
                    }
                }
                listed.truncate(kept);
                (
                    &order[..],
                    Node::Categories { column: *column, start: begin, end: kept, listed_side, below },
                )
            }
        };
        for (place, &row) in order.iter().enumerate() {
            self.first_side[row as usize] = place < best.cut;
        }
        node
    }

    /// Divides all orders of a node; within a side they stay as they are.
    fn divide(&mut self, start: usize, end: usize, rows: &mut [u32]) {
        let (side, spare) = (&self.first_side, &mut self.spare);
        for list in
            self.orders.iter_mut().filter(|order| !order.is_empty()).map(Vec::as_mut_slice).chain([rows])
        {
            let own = &mut list[start..end];
            spare.clear();
            let mut at = 0;
            for place in 0..own.len() {
                let row = own[place];
                if side[row as usize] {
                    own[at] = row;
                    at += 1;
                } else {
                    spare.push(row);
                }
            }
            own[at..].copy_from_slice(spare);
        }
    }
}

/// A number that is not below `low` and below `high`, in the middle where there is one.
fn between(low: f64, high: f64) -> f64 {
    let middle = 0.5 * low + 0.5 * high;
    if middle >= low && middle < high { middle } else { low }
}

/// Looks at every cut of an order between rows that are not the same.
fn sweep<G: Goal>(
    predictor: usize,
    order: &[u32],
    same: impl Fn(u32, u32) -> bool,
    goal: &mut G,
    min_leaf: usize,
    best: &mut Best,
) {
    let last = order.len() - min_leaf.min(order.len());
    for (place, pair) in order.windows(2).enumerate() {
        let &[row, next] = pair else { return };
        let cut = place + 1;
        if cut > last {
            return;
        }
        goal.take(row);
        if cut >= min_leaf && !same(row, next) {
            let worth = goal.worth();
            if worth > best.worth {
                *best = Best { predictor, cut, worth };
            }
        }
    }
}

#[cfg(test)]
mod tests;
