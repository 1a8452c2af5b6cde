//! Decision trees and forests that keep the guarantee of their spans (papers F-AL2, F-AL3).
//!
//! [`grow`] learns a [`TreeModel`] of one tree or several; [`TreeRelease`] is what is published: the model with the populations of its
//! spans. A forest is one model: its class of a record is the leaf in every tree together, so its spans are the *joint* spans of
//! its trees, and the guarantee is that of the forest as a whole.

mod gain;
mod grouping;
mod grow;
mod judge;
mod options;
mod oracle;
mod pmml;
mod prune;
mod recode;
mod region;
mod release;
#[cfg(test)]
mod tests;

pub use gain::Gain;
pub use grow::{Grown, Growth, grow};
pub use judge::{confidence_limit, l_of_confidence};
pub use options::{GrowOptions, Levels};
pub use pmml::to_pmml;
pub use prune::Pruning;
pub use recode::{Recoded, described, recode};
pub use release::{LeafCounts, SpanCounts, TreeError, TreeRelease, TreeVerdict};

use serde::{Deserialize, Serialize};

use crate::{Cell, Schema};

/// One or more decision trees over one schema. Nodes of all trees are in one list, parents before children.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TreeModel {
    /// The attributes and the class.
    pub schema: Schema,
    /// The root of each tree.
    pub roots: Vec<u32>,
    /// The nodes.
    pub nodes: Vec<Node>,
}

/// A node; a leaf has no test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// What is asked here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<Test>,
    /// Per answer the child; nothing where the path to here rules the answer out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<Option<u32>>,
}

/// A question of a node.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "test", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Test {
    /// Which node of this level the category falls under; one child per node.
    Category {
        /// The attribute.
        attribute: usize,
        /// The level, 0 being the categories themselves.
        level: usize,
    },
    /// Whether the number is at most this (the first child) or above (the second).
    AtMost {
        /// The attribute.
        attribute: usize,
        /// The cut.
        number: f64,
    },
}

impl Test {
    /// The attribute that is asked.
    pub fn attribute(&self) -> usize {
        match *self {
            Test::Category { attribute, .. } | Test::AtMost { attribute, .. } => attribute,
        }
    }

    /// The number of answers.
    pub fn answers(&self, schema: &Schema) -> usize {
        match *self {
            Test::Category { attribute, level } => schema.attributes[attribute].nodes(level),
            Test::AtMost { .. } => 2,
        }
    }

    /// The answer of a cell; nothing when the cell is not of the attribute's domain.
    pub fn answer(&self, schema: &Schema, cell: Cell) -> Option<usize> {
        match (*self, cell) {
            (Test::Category { attribute, level }, Cell::Code(code)) => {
                let attribute = &schema.attributes[attribute];
                ((code as usize) < attribute.size()).then(|| attribute.node(level, code) as usize)
            }
            (Test::AtMost { number, .. }, Cell::Number(own)) if !own.is_nan() => {
                Some(usize::from(own > number))
            }
            _ => None,
        }
    }
}

impl TreeModel {
    /// The node of each tree at which a record ends: a leaf, or the inner node whose test knows no answer for it.
    pub fn ends(&self, record: &[Cell]) -> Vec<u32> {
        self.roots.iter().map(|&root| self.end(root, record)).collect()
    }

    fn end(&self, root: u32, record: &[Cell]) -> u32 {
        let mut at = root;
        loop {
            let node = &self.nodes[at as usize];
            let child = node.test.and_then(|test| {
                let answer = test.answer(&self.schema, record[test.attribute()])?;
                node.children[answer]
            });
            match child {
                Some(child) => at = child,
                None => return at,
            }
        }
    }

    /// Whether a node is a leaf.
    pub fn is_leaf(&self, node: u32) -> bool {
        self.nodes[node as usize].test.is_none()
    }

    /// The leaves of all trees, in the order of the nodes.
    pub fn leaves(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.nodes.len() as u32).filter(|&node| self.is_leaf(node))
    }

    /// Per node its parent; nothing for roots.
    pub fn parents(&self) -> Vec<Option<u32>> {
        let mut parents = vec![None; self.nodes.len()];
        for (place, node) in self.nodes.iter().enumerate() {
            for &child in node.children.iter().flatten() {
                parents[child as usize] = Some(place as u32);
            }
        }
        parents
    }
}
