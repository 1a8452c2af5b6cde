//! One strategy, step by step (thesis Algorithms 2.2-2.4; spec 2.4, 2.5): the value tree with what every node
//! is tested by, the buckets, and the minimal height.

use std::collections::BTreeMap;

use privet_data::Progress;

use super::accepts;
use super::buckets::{Tests, minimal_height};
use super::table::{HashClass, PrivacyHashTable};
use crate::lattice::problem::{Problem, SearchError};

/// What walking one strategy came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// The records of the table. The thesis draws each as a leaf of its own, all in bucket 0; here height 0 has
    /// the distinct tuples, which are tested as at every height (defect 7).
    pub records: usize,
    /// The heights of the value tree, from the table as it is to the top.
    pub heights: Vec<HeightTrace>,
    /// The lowest height at which the table is safe; `None` when it is not even at the top.
    pub minimal_height: Option<usize>,
}

/// One height of the value tree.
#[derive(Debug, Clone, PartialEq)]
pub struct HeightTrace {
    /// The level of each quasi column, which is the distance vector from the table.
    pub levels: Vec<usize>,
    /// The nodes from left to right, as the tree is drawn: L\[i,j\] is `nodes[j - 1]`.
    pub nodes: Vec<ValueNode>,
    /// How many nodes fall into each bucket that is not empty.
    pub buckets: BTreeMap<u64, usize>,
    /// n(i): how many nodes pass all tests.
    pub passing: usize,
    /// Tuples under nodes that fail.
    pub failing: u64,
}

/// A node of the value tree.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueNode {
    /// Its position in `nodes` of the height above; `None` at the top.
    pub parent: Option<usize>,
    /// Children: the tuples under it.
    pub children: u64,
    /// Its bucket, min(Children, k).
    pub bucket: u64,
    /// Per sensitive column how diverse the tuples under it are.
    pub diversity: Vec<Diversity>,
    /// Whether it is in the k-anonymous class and passes the tests of l-diversity.
    pub passes: bool,
}

/// How diverse the values of a sensitive column are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Diversity {
    /// Sensitive: the distinct values.
    pub distinct: usize,
    /// Entropy, in bits.
    pub entropy: f64,
}

impl Trace {
    /// The sizes L\[0\], L\[1\], … of the heights, in distinct tuples.
    pub fn sizes(&self) -> Vec<usize> {
        self.heights.iter().map(|height| height.nodes.len()).collect()
    }

    /// The nodes of a bucket as pairs (i, j) of L\[i,j\], where i counts from 0 and j from 1.
    pub fn bucket(&self, number: u64) -> Vec<(usize, usize)> {
        let mut nodes = Vec::new();
        for (i, height) in self.heights.iter().enumerate() {
            let inside = height.nodes.iter().enumerate().filter(|(_, node)| node.bucket == number);
            nodes.extend(inside.map(|(j, _)| (i, j + 1)));
        }
        nodes
    }
}

/// Walks one strategy from the table to the top: `strategy` names, per step, the position of the quasi column
/// that is raised by one level.
///
/// # Errors
/// When the strategy does not raise every column exactly to its top, a criterion is neither k-anonymity nor
/// l-diversity, or the person stopped it.
pub fn walk(
    problem: &Problem<'_>,
    strategy: &[usize],
    progress: &dyn Progress,
) -> Result<Trace, SearchError> {
    if problem.rows >= u32::MAX as usize {
        return Err(SearchError::TooManyRows);
    }
    accepts(problem.criteria.iter().map(|criterion| criterion.key()))?;
    check_strategy(problem, strategy)?;
    progress.stage("walking a strategy", Some(strategy.len() as u64));
    let mut tests = Tests::new(problem);
    let mut table = PrivacyHashTable::new(problem);
    let mut heights = vec![height(&table, &mut tests)];
    for (step, &column) in strategy.iter().enumerate() {
        progress.check()?;
        progress.at(step as u64);
        let (above, parents) = table.generalize(problem, column);
        if let Some(below) = heights.last_mut() {
            for (node, parent) in below.nodes.iter_mut().zip(parents) {
                node.parent = Some(parent as usize);
            }
        }
        table = above;
        heights.push(height(&table, &mut tests));
    }
    draw(&mut heights);
    let minimal_height =
        minimal_height(heights.iter().map(|height| height.failing), problem.suppress_at_most);
    Ok(Trace { records: problem.rows, heights, minimal_height })
}

fn check_strategy(problem: &Problem<'_>, strategy: &[usize]) -> Result<(), SearchError> {
    let mut left: Vec<usize> = problem.quasi.iter().map(|quasi| quasi.generalization.height()).collect();
    let raises = |&column: &usize| {
        let steps = left.get_mut(column).filter(|steps| **steps > 0);
        steps.map(|steps| *steps -= 1).is_some()
    };
    if strategy.iter().all(raises) && left.iter().all(|&steps| steps == 0) {
        return Ok(());
    }
    Err(SearchError::Parameter {
        key: "strategy",
        problem: "must name every quasi column by its position from 0, as often as it has levels above its values",
    })
}

/// Tests the classes of a table. Where they hang in the tree is not known yet.
fn height(table: &PrivacyHashTable, tests: &mut Tests<'_>) -> HeightTrace {
    let node = |class: &HashClass| ValueNode {
        parent: None,
        children: class.count,
        bucket: tests.bucket(class.count),
        diversity: class.sensitive.iter().map(|list| diversity(list, class.count)).collect(),
        passes: tests.pass(class),
    };
    let nodes: Vec<ValueNode> = table.classes().iter().map(node).collect();
    let mut buckets = BTreeMap::new();
    for node in &nodes {
        *buckets.entry(node.bucket).or_default() += 1;
    }
    HeightTrace {
        levels: table.levels().to_vec(),
        buckets,
        passing: nodes.iter().filter(|node| node.passes).count(),
        failing: nodes.iter().filter(|node| !node.passes).map(|node| node.children).sum(),
        nodes,
    }
}

fn diversity(list: &[(u32, u32)], total: u64) -> Diversity {
    let bits = |&(_, count): &(u32, u32)| {
        let share = f64::from(count) / total as f64;
        -share * share.log2()
    };
    // From 0.0: an empty sum of floats is −0.
    Diversity { distinct: list.len(), entropy: list.iter().fold(0.0, |sum, value| sum + bits(value)) }
}

/// Puts nodes with the same parent side by side, in the order of their parents, so that no edges cross.
fn draw(heights: &mut [HeightTrace]) {
    // Per node of the height above, in the order of its table, its place in the drawing.
    let mut places: Vec<usize> = (0..heights.last().map_or(0, |top| top.nodes.len())).collect();
    for height in heights.iter_mut().rev() {
        for parent in height.nodes.iter_mut().filter_map(|node| node.parent.as_mut()) {
            *parent = places[*parent];
        }
        let mut order: Vec<usize> = (0..height.nodes.len()).collect();
        order.sort_by_key(|&i| height.nodes[i].parent);
        height.nodes.sort_by_key(|node| node.parent);
        places.resize(order.len(), 0);
        for (place, &i) in order.iter().enumerate() {
            places[i] = place;
        }
    }
}
