//! A decision tree on reconstructed distributions (papers T-AL3; Agrawal and Srikant's Global, ByClass and Local).
//!
//! Binary splits at the edges of intervals by Gini impurity. With [`Approach::Local`] the distributions are
//! reconstructed anew at each node, of the columns that no split above it is on: records come to a node by the rank of their
//! noisy value in the column of the split, so that in it they are no longer originals with independent noise, and stay where they
//! were.
//!
//! # Guarantee
//! Deterministic: among equally good splits the first column, and in it the first edge, is taken; among equally frequent
//! classes the first.

use privet_measure::classify::{Classifier, TreeOptions};
use rayon::prelude::*;

use super::{Approach, NoisyRecords, corrected, place};
use crate::{Options, PerturbError};

/// How a tree is trained.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TreeTraining {
    /// Whose distributions are reconstructed.
    pub approach: Approach,
    /// How they are reconstructed.
    pub reconstruction: Options,
    /// When the tree stops growing.
    pub tree: TreeOptions,
}

/// A decision tree; a record is told by the interval of each column ([`Grid::interval_of`](crate::Grid::interval_of)).
#[derive(Debug, Clone, PartialEq)]
pub struct ReconstructedTree {
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, PartialEq)]
enum Node {
    Class(Option<u32>),
    /// Intervals up to this go to the node `then`, others to the one after it. What is not known goes where most
    /// records went.
    Split {
        column: usize,
        up_to: u32,
        then: usize,
        usual: bool,
    },
}

/// The records of a node.
struct Part {
    node: usize,
    depth: usize,
    rows: Vec<u32>,
    /// Per column the interval of each of the rows.
    codes: Vec<Vec<u32>>,
    /// Per column the first and the last interval that can be here.
    regions: Vec<(u32, u32)>,
}

struct Split {
    column: usize,
    up_to: u32,
    usual: bool,
}

impl ReconstructedTree {
    /// Learns.
    ///
    /// # Errors
    /// When no value of a column (and class) can come from any of its intervals, or an option is out of range.
    pub fn train(records: &NoisyRecords, training: &TreeTraining) -> Result<Self, PerturbError> {
        let min_leaf = if training.tree.min_leaf > 0.0 { training.tree.min_leaf } else { 1.0 };
        let mut nodes = vec![Node::Class(None)];
        let mut open = vec![Part {
            node: 0,
            depth: 0,
            rows: (0..records.classes.len() as u32).collect(),
            codes: corrected(records, training.approach, &training.reconstruction)?,
            regions: records.columns.iter().map(|column| (0, column.grid.len() as u32 - 1)).collect(), // why: a grid has at least one interval
        }];
        while let Some(mut part) = open.pop() {
            if training.approach == Approach::Local && part.depth > 0 {
                part.replace(records, &training.reconstruction)?;
            }
            let weights = class_weights(records, &part.rows);
            let mut own = Node::Class(heaviest(&weights));
            if part.depth < training.tree.max_depth
                && let Some(split) = best_split(records, &part, &weights, min_leaf)
            {
                let then = nodes.len();
                nodes.extend([Node::Class(None), Node::Class(None)]);
                open.extend(
                    [(then, true), (then + 1, false)].map(|(node, holds)| part.child(&split, node, holds)),
                );
                own = Node::Split { column: split.column, up_to: split.up_to, then, usual: split.usual };
            }
            if let Some(node) = nodes.get_mut(part.node) {
                *node = own;
            }
        }
        Ok(Self { nodes })
    }

    /// How many leaves the tree has.
    pub fn leaves(&self) -> usize {
        self.nodes.iter().filter(|node| matches!(node, Node::Class(_))).count()
    }
}

impl Classifier for ReconstructedTree {
    fn predict(&self, record: &[Option<u32>]) -> Option<u32> {
        let mut node = 0;
        loop {
            match self.nodes.get(node)? {
                Node::Class(class) => return *class,
                Node::Split { column, up_to, then, usual } => {
                    let holds =
                        record.get(*column).copied().flatten().map_or(*usual, |interval| interval <= *up_to);
                    node = then + usize::from(!holds);
                }
            }
        }
    }
}

impl Part {
    /// Reconstructs the distribution of each class at this node, and places the records anew.
    fn replace(&mut self, records: &NoisyRecords, options: &Options) -> Result<(), PerturbError> {
        let mut by_class = vec![(Vec::new(), Vec::new()); records.class_count];
        for (position, &row) in self.rows.iter().enumerate() {
            let class = records.classes.get(row as usize).copied().unwrap_or(0);
            if let Some((rows, positions)) = by_class.get_mut(class as usize) {
                rows.push(row);
                positions.push(position);
            }
        }
        let columns = self.codes.par_iter_mut().zip(&records.columns).zip(&self.regions);
        columns.try_for_each(|((codes, column), &(first, last))| {
            if first > 0 || last as usize + 1 < column.grid.len() {
                return Ok(());
            }
            for (rows, positions) in by_class.iter().filter(|(rows, _)| !rows.is_empty()) {
                let placed = match place(column, &column.grid, rows, options) {
                    Err(PerturbError::Unreachable) => continue,
                    placed => placed?,
                };
                for (&position, interval) in positions.iter().zip(placed) {
                    if let Some(code) = codes.get_mut(position) {
                        *code = interval;
                    }
                }
            }
            Ok(())
        })
    }

    fn child(&self, split: &Split, node: usize, holds: bool) -> Self {
        let deciding = self.codes.get(split.column).map_or(&[][..], Vec::as_slice);
        let here = || deciding.iter().map(|&interval| (interval <= split.up_to) == holds);
        let chosen =
            |all: &Vec<u32>| all.iter().zip(here()).filter(|(_, here)| *here).map(|(own, _)| *own).collect();
        let mut regions = self.regions.clone();
        if let Some((first, last)) = regions.get_mut(split.column) {
            if holds { *last = split.up_to } else { *first = split.up_to + 1 }
        }
        Self {
            node,
            depth: self.depth + 1,
            rows: chosen(&self.rows),
            codes: self.codes.iter().map(chosen).collect(),
            regions,
        }
    }
}

fn class_weights(records: &NoisyRecords, rows: &[u32]) -> Vec<f64> {
    let mut weights = vec![0.0; records.class_count];
    for class in rows.iter().filter_map(|&row| records.classes.get(row as usize)) {
        if let Some(weight) = weights.get_mut(*class as usize) {
            *weight += 1.0;
        }
    }
    weights
}

/// The class with the most records, the first among equals; `None` when there is no record.
fn heaviest(weights: &[f64]) -> Option<u32> {
    let mut best: Option<(u32, f64)> = None;
    for (class, &weight) in (0..).zip(weights) {
        if weight > best.map_or(0.0, |(_, most)| most) {
            best = Some((class, weight));
        }
    }
    best.map(|(class, _)| class)
}

fn best_split(records: &NoisyRecords, part: &Part, weights: &[f64], min_leaf: f64) -> Option<Split> {
    let all: f64 = weights.iter().sum();
    if all < 2.0 * min_leaf {
        return None;
    }
    let squares = |weights: &mut dyn Iterator<Item = f64>| weights.map(|weight| weight * weight).sum::<f64>();
    // What rounding may do to sums must not look like information.
    let noise = all * 1e-9;
    let mut least = squares(&mut weights.iter().copied()) / all + noise;
    let mut best = None;
    for (column, (codes, &(first, last))) in part.codes.iter().zip(&part.regions).enumerate() {
        // Per interval and class the records.
        let classes = weights.len();
        let mut counts = vec![0.0; (last - first + 1) as usize * classes];
        for (&interval, &row) in codes.iter().zip(&part.rows) {
            let class = records.classes.get(row as usize).copied().unwrap_or(0) as usize;
            let place = interval.saturating_sub(first) as usize * classes + class;
            if let Some(count) = counts.get_mut(place) {
                *count += 1.0;
            }
        }
        let mut present = (first..)
            .zip(counts.chunks_exact(classes.max(1)))
            .filter(|(_, counts)| counts.iter().any(|&count| count > 0.0))
            .peekable();
        let mut left = vec![0.0; classes];
        while let Some((interval, counts)) = present.next() {
            let Some(&(next, _)) = present.peek() else { break };
            left.iter_mut().zip(counts).for_each(|(left, count)| *left += count);
            let weight: f64 = left.iter().sum();
            if weight < min_leaf || all - weight < min_leaf {
                continue;
            }
            let value = squares(&mut left.iter().copied()) / weight
                + squares(&mut left.iter().zip(weights).map(|(left, all)| all - left)) / (all - weight);
            if value > least {
                // Half-way between what was seen on the two sides.
                let up_to = interval + (next - interval - 1) / 2;
                best = Some(Split { column, up_to, usual: weight >= all - weight });
                least = value + noise;
            }
        }
    }
    best
}
