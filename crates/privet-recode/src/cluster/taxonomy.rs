//! The hierarchies of all columns in one table, so that the loss of a cluster, and what it would be with one record
//! more, is a few look-ups (survey UM-04).
//!
//! The leaves of all columns are numbered through. Each has its path to the top of its hierarchy: per level the node,
//! and the loss of that node, (M - 1) / (|A| - 1), times the weight of its column. Paths are filled up to one height
//! by a last level at which everything is one and all is lost, for hierarchies that do not end in one label.

use crate::lattice::Problem;

/// The hierarchies of all columns.
#[derive(Debug)]
pub(crate) struct Taxonomy {
    /// Per column its first leaf, and at last the number of leaves.
    pub first: Vec<usize>,
    height: usize,
    // Per leaf and level.
    nodes: Vec<u32>,
    losses: Vec<f64>,
    /// Record after record the leaf of each column.
    pub leaves: Vec<u32>,
}

impl Taxonomy {
    pub fn new(problem: &Problem<'_>) -> Self {
        let height =
            problem.quasi.iter().map(|quasi| quasi.generalization.levels.len()).max().unwrap_or(0) + 1;
        let width = problem.quasi.len();
        let mut taxonomy = Self {
            first: vec![0],
            height,
            nodes: Vec::new(),
            losses: Vec::new(),
            leaves: vec![0; problem.rows * width],
        };
        let mut begin = 0;
        for (i, quasi) in problem.quasi.iter().enumerate() {
            let values = &quasi.generalization.levels[0];
            let count = values.labels.len();
            let all = quasi.weight * quasi.generalization.node_loss(quasi.generalization.leaves);
            // Leaves that no code stands for keep paths of their own, which nobody looks at.
            taxonomy.nodes.resize((begin + count) * height, 0);
            taxonomy.losses.resize((begin + count) * height, all);
            for (number, level) in quasi.generalization.levels.iter().enumerate() {
                for (&leaf, &node) in values.node_of_code.iter().zip(&level.node_of_code) {
                    let at = (begin + leaf as usize) * height + number;
                    taxonomy.nodes[at] = node;
                    let loss = quasi.generalization.node_loss(level.leaves[node as usize]);
                    taxonomy.losses[at] = quasi.weight * loss;
                }
            }
            let cells = taxonomy.leaves.iter_mut().skip(i).step_by(width);
            for (cell, &code) in cells.zip(quasi.codes) {
                *cell = begin as u32 + values.node_of_code[code as usize];
            }
            begin += count;
            taxonomy.first.push(begin);
        }
        taxonomy
    }

    /// How many columns there are.
    pub fn width(&self) -> usize {
        self.first.len() - 1
    }

    /// The leaves of a record.
    pub fn record(&self, record: u32) -> &[u32] {
        let begin = record as usize * self.width();
        &self.leaves[begin..begin + self.width()]
    }

    /// The lowest level at which two leaves of a column are one.
    pub fn meet(&self, a: u32, b: u32) -> u32 {
        let path = |leaf: u32| &self.nodes[leaf as usize * self.height..(leaf as usize + 1) * self.height];
        let met = path(a).iter().zip(path(b)).position(|(a, b)| a == b);
        met.unwrap_or(self.height - 1) as u32
    }

    /// What a leaf loses at a level, times the weight of its column.
    pub fn loss(&self, leaf: u32, level: u32) -> f64 {
        self.losses[leaf as usize * self.height + level as usize]
    }
}

/// What a cluster shows: in every column a leaf of it, and the level at which all its leaves are one.
#[derive(Debug, Clone)]
pub(crate) struct Shown {
    pub leaves: Vec<u32>,
    pub levels: Vec<u32>,
    pub records: usize,
    /// The sum over the columns of what each record loses.
    pub loss: f64,
}

impl Shown {
    /// A cluster of one record.
    pub fn new(taxonomy: &Taxonomy, record: u32) -> Self {
        let leaves = taxonomy.record(record).to_vec();
        Self { levels: vec![0; leaves.len()], leaves, records: 1, loss: 0.0 }
    }

    /// What each record would lose if the cluster took in what shows these leaves at these levels.
    pub fn with(&self, taxonomy: &Taxonomy, leaves: &[u32], levels: impl Iterator<Item = u32>) -> f64 {
        let own = self.leaves.iter().zip(&self.levels);
        let columns = own.zip(leaves.iter().zip(levels));
        columns.map(|((&a, &x), (&b, y))| taxonomy.loss(a, x.max(y).max(taxonomy.meet(a, b)))).sum()
    }

    /// How much more is lost in all when two clusters become one.
    pub fn increase(&self, taxonomy: &Taxonomy, other: &Shown) -> f64 {
        let together = self.with(taxonomy, &other.leaves, other.levels.iter().copied());
        let records = (self.records + other.records) as f64;
        records * together - self.records as f64 * self.loss - other.records as f64 * other.loss
    }

    /// Takes in another cluster.
    pub fn take(&mut self, taxonomy: &Taxonomy, other: &Shown) {
        for (i, level) in self.levels.iter_mut().enumerate() {
            let meet = taxonomy.meet(self.leaves[i], other.leaves[i]);
            *level = (*level).max(other.levels[i]).max(meet);
        }
        self.records += other.records;
        let columns = self.leaves.iter().zip(&self.levels);
        self.loss = columns.map(|(&leaf, &level)| taxonomy.loss(leaf, level)).sum();
    }
}
