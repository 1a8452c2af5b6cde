//! A decision tree of binary splits by Gini impurity, in the manner of CART (survey US-11).
//!
//! A node divides the leaves of one column in two: numbers at a threshold, categories by any subset. Of subsets, those
//! are looked at that are a beginning of the categories when they are ordered by their share of the node's most
//! frequent class; with two classes the best of all is among them (Breiman, Friedman, Olshen and Stone, theorem 4.5).
//!
//! A record that covers leaves on both sides of a split goes to both, with the share of its leaves that is there, as
//! C4.5 does with missing values. After several splits its weight is the share of the combinations of its leaves that
//! come this way. So the tree is the one that all combinations, written out, would train.
//!
//! # Guarantee
//! Deterministic. Among equally good splits the first column, and in it the first cut, is taken; among equally
//! frequent classes the first. Without anything to divide by the tree tells the most frequent class.

use super::region::{Region, Rule};
use super::{Classifier, Span, Training, heaviest};

/// When a tree stops growing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TreeOptions {
    /// The most splits between the root and a leaf of the tree.
    pub max_depth: usize,
    /// The least weight of records in a leaf of the tree; what is not above 0 counts as 1.
    pub min_leaf: f64,
}

impl Default for TreeOptions {
    fn default() -> Self {
        Self { max_depth: 12, min_leaf: 25.0 }
    }
}

/// A decision tree.
#[derive(Debug, Clone, PartialEq)]
pub struct DecisionTree {
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, PartialEq)]
enum Node {
    Class(Option<u32>),
    /// Leaves of the column that are in the rule go to the node `then`, others to the one after it. Values that are
    /// not known go where most records went.
    Split {
        column: usize,
        rule: Rule,
        then: usize,
        usual: bool,
    },
}

/// Records with the same cells and class.
struct Tuples {
    /// Per tuple and column the code.
    codes: Vec<u32>,
    class: Vec<u32>,
    weight: Vec<f64>,
}

impl Tuples {
    fn new(training: &Training) -> Self {
        let code = |column: usize, row: u32| training.columns[column].codes[row as usize];
        let key = |row: u32| {
            (0..training.columns.len())
                .map(move |column| code(column, row))
                .chain([training.classes[row as usize]])
        };
        let mut order: Vec<u32> = (0..training.rows() as u32).collect();
        order.sort_unstable_by(|&a, &b| key(a).cmp(key(b)));
        let mut tuples = Self { codes: Vec::new(), class: Vec::new(), weight: Vec::new() };
        for same in order.chunk_by(|&a, &b| key(a).eq(key(b))) {
            tuples.codes.extend((0..training.columns.len()).map(|column| code(column, same[0])));
            tuples.class.push(training.classes[same[0] as usize]);
            tuples.weight.push(same.iter().map(|&row| training.weight(row as usize)).sum());
        }
        tuples
    }
}

/// A part of the records, on its way down the tree.
struct Part {
    node: usize,
    depth: usize,
    regions: Vec<Region>,
    /// Tuples with the weight that came here.
    tuples: Vec<(u32, f64)>,
}

/// A split and what it is worth: the sum over both sides of the squared class weights over the weight of the side.
struct Split {
    column: usize,
    rule: Rule,
    value: f64,
    /// Whether more weight is where the rule holds.
    usual: bool,
}

impl DecisionTree {
    /// Learns.
    pub fn train(training: &Training, options: TreeOptions) -> Self {
        let min_leaf = if options.min_leaf > 0.0 { options.min_leaf } else { 1.0 };
        let tuples = Tuples::new(training);
        let mut tree = Self { nodes: vec![Node::Class(None)] };
        let mut open = vec![Part {
            node: 0,
            depth: 0,
            regions: training.columns.iter().map(|column| Region::all(column.leaves)).collect(),
            tuples: (0..).zip(&tuples.weight).map(|(tuple, &weight)| (tuple, weight)).collect(),
        }];
        let mut grower =
            Grower { training, tuples: &tuples, min_leaf, shares: Vec::new(), steps: Vec::new() };
        while let Some(part) = open.pop() {
            let weights = grower.class_weights(&part);
            tree.nodes[part.node] = Node::Class(heaviest(&weights));
            if part.depth >= options.max_depth {
                continue;
            }
            let Some(split) = grower.best_split(&part, &weights) else { continue };
            let then = tree.nodes.len();
            tree.nodes.extend([Node::Class(None), Node::Class(None)]);
            for (node, holds) in [(then, true), (then + 1, false)] {
                open.push(grower.part(&part, &split, node, holds));
            }
            let Split { column, rule, usual, .. } = split;
            tree.nodes[part.node] = Node::Split { column, rule, then, usual };
        }
        tree
    }

    /// How many leaves the tree has.
    pub fn leaves(&self) -> usize {
        self.nodes.iter().filter(|node| matches!(node, Node::Class(_))).count()
    }
}

impl Classifier for DecisionTree {
    fn predict(&self, record: &[Option<u32>]) -> Option<u32> {
        let mut node = 0;
        loop {
            match &self.nodes[node] {
                Node::Class(class) => return *class,
                Node::Split { column, rule, then, usual } => {
                    let leaf = record.get(*column).copied().flatten();
                    let holds = leaf.and_then(|leaf| rule.holds(leaf)).unwrap_or(*usual);
                    node = then + usize::from(!holds);
                }
            }
        }
    }
}

struct Grower<'a> {
    training: &'a Training,
    tuples: &'a Tuples,
    min_leaf: f64,
    /// Per leaf of the region at hand and class the weight of the records.
    shares: Vec<f64>,
    steps: Vec<f64>,
}

impl Grower<'_> {
    fn span(&self, column: usize, tuple: u32) -> Span {
        let code = self.tuples.codes[tuple as usize * self.training.columns.len() + column];
        self.training.columns[column].spans[code as usize]
    }

    fn class_weights(&self, part: &Part) -> Vec<f64> {
        let mut weights = vec![0.0; self.training.class_count];
        for &(tuple, weight) in &part.tuples {
            weights[self.tuples.class[tuple as usize] as usize] += weight;
        }
        weights
    }

    /// The records of a part for which the rule of a split holds, or for which it does not.
    fn part(&self, part: &Part, split: &Split, node: usize, holds: bool) -> Part {
        let region = &part.regions[split.column];
        let below = region.part(&split.rule, holds);
        let here = |&(tuple, weight): &(u32, f64)| {
            let span = self.span(split.column, tuple);
            let share = match (below.overlap(span), region.overlap(span)) {
                (0, _) | (_, 0) => return None,
                (below, all) => f64::from(below) / f64::from(all),
            };
            Some((tuple, weight * share))
        };
        let tuples = part.tuples.iter().filter_map(here).collect();
        let mut regions = part.regions.clone();
        regions[split.column] = below;
        Part { node, depth: part.depth + 1, regions, tuples }
    }

    fn best_split(&mut self, part: &Part, weights: &[f64]) -> Option<Split> {
        let all: f64 = weights.iter().sum();
        if all < 2.0 * self.min_leaf {
            return None;
        }
        let whole = weights.iter().map(|weight| weight * weight).sum::<f64>() / all;
        // What rounding may do to sums must not look like information.
        let noise = all * 1e-9;
        let majority = heaviest(weights)? as usize;
        let mut best: Option<Split> = None;
        for column in 0..self.training.columns.len() {
            let least = best.as_ref().map_or(whole, |split| split.value) + noise;
            best = self.split_by(part, column, weights, majority, least).or(best);
        }
        best
    }

    /// The best split by a column, when it is worth more than `least`.
    fn split_by(
        &mut self,
        part: &Part,
        column: usize,
        weights: &[f64],
        majority: usize,
        least: f64,
    ) -> Option<Split> {
        let region = &part.regions[column];
        let first = region.bounds().first;
        let present = self.weigh(part, column);
        let classes = weights.len();
        let shares = &self.shares;
        let of = |leaf: u32| {
            let begin = (leaf - first) as usize * classes;
            &shares[begin..begin + classes]
        };
        let mut order = present;
        let is_ordered = self.training.columns[column].is_ordered;
        if !is_ordered {
            let share = |leaf: u32| of(leaf)[majority] / of(leaf).iter().sum::<f64>();
            order.sort_by(|&a, &b| share(b).total_cmp(&share(a)));
        }
        let all: f64 = weights.iter().sum();
        let mut left = vec![0.0; classes];
        let mut best: Option<(usize, f64, f64)> = None;
        for (place, &leaf) in order.iter().enumerate().take(order.len().saturating_sub(1)) {
            left.iter_mut().zip(of(leaf)).for_each(|(left, own)| *left += own);
            let weight: f64 = left.iter().sum();
            if weight < self.min_leaf || all - weight < self.min_leaf {
                continue;
            }
            let squares: f64 = left.iter().map(|left| left * left).sum();
            let others: f64 = left.iter().zip(weights).map(|(left, all)| (all - left) * (all - left)).sum();
            let value = squares / weight + others / (all - weight);
            if value > best.map_or(least, |(_, most, _)| most + all * 1e-9) {
                best = Some((place, value, weight));
            }
        }
        let (place, value, weight) = best?;
        let usual = weight >= all - weight;
        let rule = if is_ordered {
            // Half-way between what was seen on the two sides.
            Rule::UpTo(order[place] + (order[place + 1] - order[place] - 1) / 2)
        } else {
            // A category that no record here covers goes where most records go.
            let mut among = vec![usual; self.training.columns[column].leaves as usize];
            for (own, &leaf) in order.iter().enumerate() {
                among[leaf as usize] = own <= place;
            }
            Rule::Among(among)
        };
        Some(Split { column, rule, value, usual })
    }

    /// Weighs the leaves of a region by class, and tells which of them have any weight.
    fn weigh(&mut self, part: &Part, column: usize) -> Vec<u32> {
        let region = &part.regions[column];
        let Span { first, last } = region.bounds();
        let classes = self.training.class_count;
        if self.training.columns[column].leaves == 0 {
            return Vec::new();
        }
        let leaves = (last + 1 - first) as usize;
        let (mut shares, mut steps) = (std::mem::take(&mut self.shares), std::mem::take(&mut self.steps));
        for (buffer, size) in [(&mut shares, leaves), (&mut steps, leaves + 1)] {
            buffer.clear();
            buffer.resize(size * classes, 0.0);
        }
        for &(tuple, weight) in &part.tuples {
            let span = self.span(column, tuple);
            let span = Span { first: span.first.max(first), last: span.last.min(last) };
            let class = self.tuples.class[tuple as usize] as usize;
            let at = |leaf: u32| (leaf - first) as usize * classes + class;
            if span.first == span.last {
                shares[at(span.first)] += weight;
            } else {
                let each = weight / f64::from(region.overlap(span).max(1));
                steps[at(span.first)] += each;
                steps[at(span.last + 1)] -= each;
            }
        }
        let mut running = vec![0.0f64; classes];
        let mut present = Vec::new();
        let rows = shares.chunks_mut(classes.max(1)).zip(steps.chunks(classes.max(1)));
        for (leaf, (shares, steps)) in (first..).zip(rows) {
            let is_in = region.contains(leaf);
            for ((share, step), running) in shares.iter_mut().zip(steps).zip(&mut running) {
                *running += step;
                if is_in && *running > NOTHING {
                    *share += *running;
                }
            }
            if is_in && shares.iter().sum::<f64>() > NOTHING {
                present.push(leaf);
            }
        }
        (self.shares, self.steps) = (shares, steps);
        present
    }
}

/// What rounding may leave of weights that cancel out.
const NOTHING: f64 = 1e-9;

#[cfg(test)]
mod tests {
    use super::super::{TrainingColumn, accuracy};
    use super::*;

    const SMALL: TreeOptions = TreeOptions { max_depth: 8, min_leaf: 1.0 };

    fn column(leaves: u32, is_ordered: bool, cells: &[(u32, u32)]) -> TrainingColumn {
        TrainingColumn {
            leaves,
            is_ordered,
            codes: (0..cells.len() as u32).collect(),
            spans: cells.iter().map(|&(first, last)| Span { first, last }).collect(),
        }
    }

    fn raw(leaves: u32, is_ordered: bool, values: &[u32]) -> TrainingColumn {
        let spans = (0..leaves).map(Span::one).collect();
        TrainingColumn { leaves, is_ordered, codes: values.to_vec(), spans }
    }

    fn tree(columns: Vec<TrainingColumn>, classes: &[u32]) -> DecisionTree {
        DecisionTree::train(&Training::new(columns, classes.to_vec()).unwrap(), SMALL)
    }

    #[test]
    fn a_threshold_lies_half_way() {
        let tree = tree(vec![raw(10, true, &[0, 1, 6, 7])], &[0, 0, 1, 1]);
        assert_eq!(tree.nodes[0], Node::Split { column: 0, rule: Rule::UpTo(3), then: 1, usual: true });
        assert_eq!(tree.leaves(), 2);
        let told: Vec<_> = [0, 3, 4, 9].map(|leaf| tree.predict(&[Some(leaf)])).to_vec();
        assert_eq!(told, [Some(0), Some(0), Some(1), Some(1)]);
        assert_eq!(tree.predict(&[None]), Some(0));
        assert_eq!(tree.predict(&[]), Some(0));
    }

    #[test]
    fn categories_are_divided_by_any_subset() {
        let tree = tree(vec![raw(5, false, &[0, 1, 2, 3, 0])], &[1, 0, 1, 0, 1]);
        assert_eq!(tree.leaves(), 2);
        let told: Vec<_> = (0..4).map(|leaf| tree.predict(&[Some(leaf)])).collect();
        assert_eq!(told, [Some(1), Some(0), Some(1), Some(0)]);
        // Nobody had the last one: where most are.
        assert_eq!(tree.predict(&[Some(4)]), Some(1));
        assert_eq!(tree.predict(&[Some(77)]), Some(1));
    }

    #[test]
    fn both_columns_are_used_where_one_is_not_enough() {
        // (a < 2 and b) or (a >= 2 and not b), unevenly, so that a first split gains something.
        let (a, b) = (raw(4, true, &[0, 1, 2, 3, 0]), raw(2, false, &[1, 1, 0, 0, 0]));
        let tree = tree(vec![a, b], &[1, 1, 1, 1, 0]);
        let test = [vec![Some(0), Some(0), Some(3)], vec![Some(1), Some(0), Some(0)]];
        assert_eq!(accuracy(&tree, &test, &[Some(1), Some(0), Some(1)]), Some(1.0));
    }

    #[test]
    fn a_label_counts_for_each_of_its_leaves() {
        // One record that may be anything, of class 1: it is spread and outvoted everywhere.
        let told = |cells: &[(u32, u32)], classes: &[u32]| {
            let tree = tree(vec![column(4, true, cells)], classes);
            (0..4).map(|leaf| tree.predict(&[Some(leaf)]).unwrap()).collect::<Vec<u32>>()
        };
        assert_eq!(told(&[(0, 0), (1, 1), (2, 2), (3, 3), (0, 3)], &[0, 0, 0, 0, 1]), [0; 4]);
        // Ranges [0 to 1] and [2 to 3] tell as much as their leaves would.
        assert_eq!(told(&[(0, 1), (0, 1), (2, 3), (2, 3)], &[0, 0, 1, 1]), [0, 0, 1, 1]);
    }

    #[test]
    fn weights_are_those_of_all_combinations() {
        // The same records as labels and written out, leaf by leaf, twelve times for one that covers one: the same tree.
        let labels = vec![
            column(3, true, &[(0, 2), (0, 1), (2, 2), (1, 2), (0, 0)]),
            column(2, false, &[(0, 1), (0, 0), (1, 1), (0, 1), (1, 1)]),
        ];
        let classes = [0, 0, 1, 1, 0];
        let (mut a, mut b, mut written) = (Vec::new(), Vec::new(), Vec::new());
        for (record, &class) in classes.iter().enumerate() {
            let (x, y) = (labels[0].spans[record], labels[1].spans[record]);
            let combinations = (x.last - x.first + 1) * (y.last - y.first + 1);
            for first in x.first..=x.last {
                for second in y.first..=y.last {
                    for _ in 0..12 / combinations {
                        a.push(first);
                        b.push(second);
                        written.push(class);
                    }
                }
            }
        }
        let options = |records| TreeOptions { max_depth: 8, min_leaf: 0.1 * records };
        let by_label = DecisionTree::train(&Training::new(labels, classes.to_vec()).unwrap(), options(1.0));
        let columns = vec![raw(3, true, &a), raw(2, false, &b)];
        let by_leaf = DecisionTree::train(&Training::new(columns, written).unwrap(), options(12.0));
        assert_eq!(by_label, by_leaf);
        assert!(by_label.leaves() > 2);
    }

    #[test]
    fn ties_are_settled_by_order() {
        let twice = raw(2, true, &[0, 1]);
        let tree = tree(vec![twice.clone(), twice], &[0, 1]);
        assert!(matches!(tree.nodes[0], Node::Split { column: 0, .. }));
        // As many of one class as of the other, and nothing to tell them apart.
        let even =
            DecisionTree::train(&Training::new(vec![raw(2, true, &[0, 0])], vec![1, 0]).unwrap(), SMALL);
        assert_eq!((even.leaves(), even.predict(&[Some(0)])), (1, Some(0)));
    }

    #[test]
    fn it_stops_where_it_is_told() {
        let training = Training::new(vec![raw(4, true, &[0, 1, 2, 3])], vec![0, 1, 0, 1]).unwrap();
        let leaves = |max_depth, min_leaf| {
            DecisionTree::train(&training, TreeOptions { max_depth, min_leaf }).leaves()
        };
        assert_eq!([leaves(0, 1.0), leaves(1, 1.0), leaves(8, 1.0)], [1, 2, 4]);
        assert_eq!([leaves(8, 2.0), leaves(8, 3.0), leaves(8, 0.0), leaves(8, f64::NAN)], [1, 1, 4, 4]);
    }

    #[test]
    fn one_class_and_none() {
        assert_eq!(tree(vec![raw(2, true, &[0, 1])], &[3, 3]).predict(&[Some(1)]), Some(3));
        assert_eq!(tree(vec![raw(2, true, &[])], &[]).predict(&[Some(1)]), None);
        assert_eq!(tree(vec![], &[]).predict(&[]), None);
        assert_eq!(tree(vec![], &[1, 1, 0]).predict(&[]), Some(1));
        let no_leaf = TrainingColumn { leaves: 0, is_ordered: false, codes: vec![], spans: vec![] };
        assert_eq!(tree(vec![no_leaf], &[]).predict(&[Some(0)]), None);
    }
}
