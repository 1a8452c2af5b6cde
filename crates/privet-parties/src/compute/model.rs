//! A joint tree in the form of a published model (papers F-PM1..9), which `privet mine check`, `predict` and `link` read.
//!
//! All attributes are taken as known of everybody and the class of nobody, so every leaf with people is a span.
//!
//! # Guarantee
//! The model is verified as one from outside is: every span has at least the minimum of people, or there is no model.

use privet_criteria::Requirement;
use privet_mine::tree::{LeafCounts, Node, SpanCounts, Test, TreeModel, TreeRelease};
use privet_mine::{Attribute, ClassAttribute, Schema, Visibility};
use serde_json::{Value, json};

use crate::error::PartyError;
use crate::mining::tree::Tree;

/// Names and values of the class and of the attributes.
pub(super) struct Columns<'a> {
    pub class: (&'a str, &'a [String]),
    pub names: &'a [String],
    pub values: &'a [Vec<String>],
}

/// The model of a tree whose leaves have at least so many people.
pub(super) fn published(tree: &Tree, columns: &Columns<'_>, minimum: u64) -> Result<Value, PartyError> {
    let attribute = |(name, values): (&String, &Vec<String>)| {
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        Attribute::categories(name, Visibility::Public, &values)
    };
    let class = ClassAttribute {
        name: columns.class.0.to_owned(),
        visibility: Visibility::Private,
        values: columns.class.1.to_vec(),
    };
    let attributes = columns.names.iter().zip(columns.values).map(attribute).collect();
    let mut nodes: Vec<Node> = vec![Node::default(); tree.nodes.len()];
    let mut spans = Vec::new();
    for (place, own) in tree.nodes.iter().enumerate() {
        let Some((attribute, children)) = &own.split else {
            let leaves = vec![place as u32];
            let populations = vec![LeafCounts { leaves: leaves.clone(), counts: own.classes.clone() }];
            spans.push(SpanCounts { leaves, class: None, populations });
            continue;
        };
        let mut places = Vec::with_capacity(children.len());
        for child in children {
            // A value that nobody has leads to a leaf without people.
            places.push(Some(child.unwrap_or(nodes.len()) as u32));
            if child.is_none() {
                nodes.push(Node::default());
            }
        }
        let test = Test::Category { attribute: *attribute, level: 0 };
        nodes[place] = Node { test: Some(test), children: places };
    }
    let release = TreeRelease {
        version: 1,
        records: tree.nodes[0].classes.iter().sum(),
        requirements: vec![Requirement::KAnonymity { k: minimum.max(1) }],
        model: TreeModel { schema: Schema { attributes, class }, roots: vec![0], nodes },
        spans,
    };
    let verdict = release.verify().map_err(|error| PartyError::Refused(error.to_string()))?;
    if !verdict.holds() {
        return Err(PartyError::Refused("a leaf of the tree has fewer people than the minimum".to_owned()));
    }
    Ok(json!({ "type": "tree", "model": release }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mining::tree::Node as JointNode;

    fn columns<'a>(names: &'a [String], values: &'a [Vec<String>], classes: &'a [String]) -> Columns<'a> {
        Columns { class: ("risk", classes), names, values }
    }

    #[test]
    fn joint_trees_are_models_that_keep_their_minimum() {
        let text = |own: &[&str]| own.iter().map(|&own| own.to_owned()).collect::<Vec<String>>();
        let (names, classes) = (text(&["sex", "age"]), text(&["good", "bad"]));
        let values = [text(&["f", "m"]), text(&["young", "old", "unknown"])];
        let leaf = |classes: [u64; 2]| JointNode { classes: classes.to_vec(), split: None };
        let tree = Tree {
            nodes: vec![
                JointNode { classes: vec![9, 6], split: Some((1, vec![Some(1), Some(2), None])) },
                leaf([4, 6]),
                leaf([5, 0]),
            ],
        };
        let model = published(&tree, &columns(&names, &values, &classes), 5).unwrap();
        assert_eq!((model["type"].as_str(), model["model"]["records"].as_u64()), (Some("tree"), Some(15)));
        let release: TreeRelease = serde_json::from_value(model["model"].clone()).unwrap();
        assert_eq!(release.verify().unwrap().reached, Some(5));
        assert!(published(&tree, &columns(&names, &values, &classes), 6).is_err());
    }
}
