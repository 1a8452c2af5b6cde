//! Value generalization hierarchies (survey ME-05, thesis 1.2).
//!
//! A hierarchy has leaves, the values that a column may hold, and levels: level 0 is the value itself,
//! each level above maps every leaf to a coarser label. Levels nest: leaves that share a label at one
//! level share it at every level above. The *domain* of a column, over which loss is counted, is the
//! set of leaves, whether or not the data holds them.
//!
//! A missing value that no leaf stands for is added as a leaf of its own. It keeps its marker at every
//! level below the top and takes the top label when the top has a single one.

mod builders;
mod csv;
mod error;
mod spec;

pub use builders::build;
pub use csv::{read_hierarchy, write_hierarchy};
pub use error::HierarchyError;
pub use spec::HierarchySpec;

use crate::Domain;

/// How the values of one column are generalized.
#[derive(Debug, Clone, PartialEq)]
pub struct Hierarchy {
    leaves: Vec<Box<str>>,
    levels: Vec<Level>,
}

/// One level above the leaves.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// Per leaf the node it belongs to.
    pub node_of_leaf: Vec<u32>,
    /// Per node its label.
    pub labels: Vec<Box<str>>,
}

impl Hierarchy {
    /// A hierarchy from its leaves and, per level above them, one label for each leaf.
    ///
    /// # Errors
    /// When a leaf occurs twice, a level has another number of labels than there are leaves, or levels
    /// do not nest. Lines in the error count leaves from 1, columns count levels from 1 (the leaf).
    pub fn new(leaves: Vec<Box<str>>, levels: Vec<Vec<Box<str>>>) -> Result<Self, HierarchyError> {
        error::check(&leaves, &levels)?;
        let levels = levels.into_iter().map(Level::from_labels).collect();
        Ok(Self { leaves, levels })
    }

    /// The hierarchy of a column that nothing is known about: the value, then `*`.
    pub fn flat(domain: &Domain) -> Self {
        let leaves = domain.texts().to_vec();
        let top = Level { node_of_leaf: vec![0; leaves.len()], labels: vec!["*".into()] };
        Self { leaves, levels: vec![top] }
    }

    /// How many times a value can be generalized: the number of the top level.
    pub fn height(&self) -> usize {
        self.levels.len()
    }

    /// The values that it covers.
    pub fn leaves(&self) -> &[Box<str>] {
        &self.leaves
    }

    /// The levels above the leaves, from the finest.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// Fits the hierarchy to the values that a column really holds.
    ///
    /// # Errors
    /// When the hierarchy does not cover a value that is not missing; the error says how many.
    pub fn bind(&self, domain: &Domain) -> Result<Generalization, HierarchyError> {
        let position: std::collections::HashMap<&str, u32> =
            self.leaves.iter().enumerate().map(|(i, leaf)| (&**leaf, i as u32)).collect();
        let mut leaf_of_code = Vec::with_capacity(domain.len());
        let mut uncovered = 0;
        let mut first_uncovered = None;
        let mut added_missing = false;
        for code in 0..domain.len() as u32 {
            match position.get(domain.text(code)) {
                Some(&leaf) => leaf_of_code.push(leaf),
                None if domain.is_missing(code) => {
                    added_missing = true;
                    leaf_of_code.push(self.leaves.len() as u32);
                }
                None => {
                    uncovered += 1;
                    first_uncovered.get_or_insert(code);
                    leaf_of_code.push(0);
                }
            }
        }
        if uncovered > 0 {
            return Err(HierarchyError::Uncovered { missing: uncovered, distinct: domain.len() });
        }
        let leaf_count = self.leaves.len() + usize::from(added_missing);
        let mut levels = Vec::with_capacity(self.height() + 1);
        let marker: Box<str> = if domain.missing() > 0 { domain.text(0).into() } else { "".into() };

        let mut label_of_leaf: Vec<Box<str>> = self.leaves.clone();
        if added_missing {
            label_of_leaf.push(marker.clone());
        }
        levels.push(GeneralizedLevel {
            node_of_code: leaf_of_code.clone(),
            labels: label_of_leaf,
            leaves: vec![1; leaf_count],
        });
        for (number, level) in self.levels.iter().enumerate() {
            let mut labels = level.labels.clone();
            let mut node_of_leaf = level.node_of_leaf.clone();
            if added_missing {
                let joins_top = number + 1 == self.height() && labels.len() == 1;
                node_of_leaf.push(if joins_top { 0 } else { labels.len() as u32 });
                if !joins_top {
                    labels.push(marker.clone());
                }
            }
            let mut leaves = vec![0; labels.len()];
            for &node in &node_of_leaf {
                leaves[node as usize] += 1;
            }
            let node_of_code = leaf_of_code.iter().map(|&leaf| node_of_leaf[leaf as usize]).collect();
            levels.push(GeneralizedLevel { node_of_code, labels, leaves });
        }
        Ok(Generalization { leaves: leaf_count as u32, levels })
    }
}

impl Level {
    fn from_labels(labels: Vec<Box<str>>) -> Self {
        let mut node = std::collections::HashMap::new();
        let mut distinct: Vec<Box<str>> = Vec::new();
        let node_of_leaf = labels
            .into_iter()
            .map(|label| {
                *node.entry(label).or_insert_with_key(|label| {
                    distinct.push(label.clone());
                    distinct.len() as u32 - 1
                })
            })
            .collect();
        Self { node_of_leaf, labels: distinct }
    }
}

/// A hierarchy fitted to the codes of one column.
#[derive(Debug, Clone, PartialEq)]
pub struct Generalization {
    /// The number of leaves of the column's domain, an added missing value included.
    pub leaves: u32,
    /// The levels from 0 (the value itself) to the top.
    pub levels: Vec<GeneralizedLevel>,
}

impl Generalization {
    /// How many times a value can be generalized.
    pub fn height(&self) -> usize {
        self.levels.len() - 1
    }

    /// Loss of a code at a level: (leaves covered - 1) / (leaves of the domain - 1); 0 in a domain of one leaf
    /// (survey UM-04).
    pub fn loss(&self, level: usize, code: u32) -> f64 {
        let level = &self.levels[level];
        self.node_loss(level.leaves[level.node_of_code[code as usize] as usize])
    }

    /// Loss of a node that covers so many leaves.
    pub fn node_loss(&self, covered: u32) -> f64 {
        if self.leaves <= 1 { 0.0 } else { f64::from(covered - 1) / f64::from(self.leaves - 1) }
    }
}

/// One level of a [`Generalization`].
#[derive(Debug, Clone, PartialEq)]
pub struct GeneralizedLevel {
    /// Per code of the column its node.
    pub node_of_code: Vec<u32>,
    /// Per node its label.
    pub labels: Vec<Box<str>>,
    /// Per node the leaves it covers.
    pub leaves: Vec<u32>,
}
