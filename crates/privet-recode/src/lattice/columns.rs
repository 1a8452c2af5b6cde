//! The quasi columns as the search sees them: per level, only the nodes that occur, numbered from 0.
//!
//! Above the top of its hierarchy every column has one more level with a single node: there it is dropped, and
//! classes are those of the other columns. It is no level of the lattice; searches that look at subsets of the
//! columns use it.

use std::sync::OnceLock;

use privet_data::Generalization;

/// One quasi column.
#[derive(Debug)]
pub struct QuasiColumn {
    levels: Vec<Level>,
    // steps[from][to - from]: node at one level → node at a coarser one, made when first asked for.
    steps: Vec<Vec<OnceLock<Vec<u32>>>>,
}

/// One level of a column.
#[derive(Debug)]
struct Level {
    /// Per code its node, or `ABSENT` for codes that occur nowhere.
    node_of_code: Vec<u32>,
    /// Per node its number in the hierarchy.
    hierarchy_node: Vec<u32>,
    /// Per node the natural logarithm of the leaves it covers.
    log_leaves: Vec<f64>,
}

const ABSENT: u32 = u32::MAX;

impl QuasiColumn {
    /// Numbers the nodes that the codes reach. `occurs` tells which codes are in the table.
    pub fn new(generalization: &Generalization, occurs: &[bool]) -> Self {
        let mut levels: Vec<Level> = generalization
            .levels
            .iter()
            .map(|level| {
                let mut number = vec![ABSENT; level.labels.len()];
                let mut hierarchy_node = Vec::new();
                let node_of_code = level
                    .node_of_code
                    .iter()
                    .enumerate()
                    .map(|(code, &node)| {
                        if !occurs.get(code).copied().unwrap_or(false) {
                            return ABSENT;
                        }
                        let slot = &mut number[node as usize];
                        if *slot == ABSENT {
                            *slot = hierarchy_node.len() as u32;
                            hierarchy_node.push(node);
                        }
                        *slot
                    })
                    .collect();
                let log_leaves =
                    hierarchy_node.iter().map(|&n| f64::from(level.leaves[n as usize]).ln()).collect();
                Level { node_of_code, hierarchy_node, log_leaves }
            })
            .collect();
        let dropped = (0..levels[0].node_of_code.len())
            .map(|code| if occurs.get(code).copied().unwrap_or(false) { 0 } else { ABSENT })
            .collect();
        let log_leaves = vec![f64::from(generalization.leaves).ln()];
        levels.push(Level { node_of_code: dropped, hierarchy_node: vec![0], log_leaves });
        let steps =
            (0..levels.len()).map(|from| (from..levels.len()).map(|_| OnceLock::new()).collect()).collect();
        Self { levels, steps }
    }

    /// The top level.
    pub fn height(&self) -> usize {
        self.levels.len() - 2
    }

    /// The level at which the column is dropped.
    pub fn dropped(&self) -> usize {
        self.levels.len() - 1
    }

    /// How many nodes occur at a level.
    pub fn size(&self, level: usize) -> usize {
        self.levels[level].hierarchy_node.len()
    }

    /// The node of a code at a level.
    pub fn node_of_code(&self, level: usize) -> &[u32] {
        &self.levels[level].node_of_code
    }

    /// The numbers that the hierarchy gives to the nodes of a level.
    pub fn hierarchy_nodes(&self, level: usize) -> &[u32] {
        &self.levels[level].hierarchy_node
    }

    /// Per node of a level the natural logarithm of the leaves it covers.
    pub fn log_leaves(&self, level: usize) -> &[f64] {
        &self.levels[level].log_leaves
    }

    /// Per node of a finer level its node at a coarser one.
    pub fn step(&self, from: usize, to: usize) -> &[u32] {
        self.steps[from][to - from].get_or_init(|| {
            let mut map = vec![0; self.size(from)];
            for (&fine, &coarse) in self.levels[from].node_of_code.iter().zip(&self.levels[to].node_of_code) {
                if fine != ABSENT {
                    map[fine as usize] = coarse;
                }
            }
            map
        })
    }
}
