//! A joint tree in the form of a published model (papers F-PM1..9), which `privet mine check`, `predict` and `link` read.
//!
//! All attributes are taken as known of everybody and the class of nobody, so every leaf with people is a span.
//!
//! # Guarantee
//! The model is verified as one from outside is: every span has at least the minimum of people, or there is no model.

use std::collections::BTreeSet;

use privet_criteria::Requirement;
use privet_mine::bayes::{BayesColumn, BayesRelease};
use privet_mine::cluster::{Axis, AxisDomain, ClusterRelease, ClusterSpan, Metric, Rule as SpanRule, Space};
use privet_mine::rules::{Rule, RuleRelease, RuleSpan};
use privet_mine::tree::{LeafCounts, Node, SpanCounts, Test, TreeModel, TreeRelease};
use privet_mine::{Attribute, ClassAttribute, Schema, Visibility};
use serde_json::json;

use super::JointModel;
use crate::error::PartyError;
use crate::mining::bayes::NaiveBayes;
use crate::mining::clusters::Clusters;
use crate::mining::rules::{AssociationRule, Supports};
use crate::mining::tree::Tree;

/// Names and values of the class and of the attributes.
pub(super) struct Columns<'a> {
    pub class: (&'a str, &'a [String]),
    pub names: &'a [String],
    pub values: &'a [Vec<String>],
}

/// The model of a tree whose leaves have at least so many people.
pub(super) fn tree(tree: &Tree, columns: &Columns<'_>, minimum: u64) -> Result<JointModel, PartyError> {
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
    Ok(JointModel { model: json!({ "type": "tree", "model": release }), k: minimum.max(1) })
}

/// The model of clusters by nearest centroid. Coordinates are known of nobody, so all people have one span. An axis is its name, its range
/// and the units of its grid.
pub(super) fn clusters(
    found: &Clusters,
    axes: &[(&str, (f64, f64), u64)],
    minimum: u64,
) -> Result<JointModel, PartyError> {
    let axis = |&(name, (low, high), units): &(&str, (f64, f64), u64)| Axis {
        name: name.to_owned(),
        visibility: Visibility::Private,
        domain: AxisDomain::Numbers { low, high, steps: u32::try_from(units).unwrap_or(u32::MAX) },
    };
    let position = |at: &i64| u32::try_from(*at).unwrap_or(u32::MAX);
    let centroids: Vec<Vec<u32>> =
        found.centroids.iter().map(|own| own.iter().map(position).collect()).collect();
    let k = minimum.max(1);
    let all = (0..centroids.len() as u32).collect();
    let release = ClusterRelease {
        version: 1,
        records: found.sizes.iter().sum(),
        k,
        rule: SpanRule::Claim3,
        space: Space { axes: axes.iter().map(axis).collect(), metric: Metric::Euclidean },
        centroids,
        spans: vec![ClusterSpan { clusters: all, populations: found.sizes.clone() }],
    };
    let verdict = release.verify().map_err(|error| PartyError::Refused(error.to_string()))?;
    if !verdict.holds() || found.sizes.iter().any(|&size| size < k) {
        return Err(PartyError::Refused("a cluster has fewer people than the minimum".to_owned()));
    }
    Ok(JointModel { model: json!({ "type": "clusters", "model": release }), k })
}

/// The counts of naive Bayes.
pub(super) fn bayes(
    model: &NaiveBayes,
    columns: &Columns<'_>,
    minimum: u64,
) -> Result<JointModel, PartyError> {
    let k = minimum.max(1);
    let column =
        |(name, values): (&str, &[String])| BayesColumn { name: name.to_owned(), values: values.to_vec() };
    let attributes = columns.names.iter().zip(columns.values);
    let release = BayesRelease {
        version: 1,
        // Classes that are hidden have no people.
        records: model.classes.iter().flatten().sum(),
        k,
        class: column(columns.class),
        attributes: attributes.map(|(name, values)| column((name, values))).collect(),
        classes: model.classes.clone(),
        counts: model.attributes.clone(),
    };
    let verdict = release.verify().map_err(|error| PartyError::Refused(error.to_string()))?;
    if !verdict.holds() || release.records < k {
        return Err(PartyError::Refused("a count tells of fewer people than the minimum".to_owned()));
    }
    Ok(JointModel { model: json!({ "type": "bayes", "model": release }), k })
}

/// The model of rules over items that are known of nobody, so all transactions have one span.
pub(super) fn rules(
    supports: &Supports,
    rules: &[AssociationRule],
    records: u64,
    minimum: u64,
) -> Result<JointModel, PartyError> {
    // The names of other items would tell that somebody holds them.
    let items: BTreeSet<&String> =
        rules.iter().flat_map(|own| own.antecedent.iter().chain([&own.consequent])).collect();
    let items: Vec<String> = items.into_iter().cloned().collect();
    let code = |item: &String| items.binary_search(item).map_or(u32::MAX, |own| own as u32);
    let coded = |rule: &AssociationRule| {
        Some(Rule {
            antecedent: rule.antecedent.iter().map(code).collect(),
            consequent: vec![code(&rule.consequent)],
            support: rule.support,
            antecedent_support: *supports.get(&rule.antecedent)?,
            // All items are private: a release of rules tells no support of a private consequent.
            consequent_support: None,
        })
    };
    let rules: Vec<Rule> = rules.iter().filter_map(coded).collect();
    let k = minimum.max(1);
    let release = RuleRelease {
        version: 1,
        records,
        k,
        private: (0..items.len() as u32).collect(),
        items,
        spans: vec![RuleSpan { states: vec![2; rules.len()], records }],
        rules,
    };
    let verdict = release.verify().map_err(|error| PartyError::Refused(error.to_string()))?;
    if !verdict.holds() {
        return Err(PartyError::Refused(
            "all parties together have fewer records than the minimum".to_owned(),
        ));
    }
    Ok(JointModel { model: json!({ "type": "rules", "model": release }), k })
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
        let model = super::tree(&tree, &columns(&names, &values, &classes), 5).unwrap().model;
        assert_eq!((model["type"].as_str(), model["model"]["records"].as_u64()), (Some("tree"), Some(15)));
        let release: TreeRelease = serde_json::from_value(model["model"].clone()).unwrap();
        assert_eq!(release.verify().unwrap().reached, Some(5));
        assert!(super::tree(&tree, &columns(&names, &values, &classes), 6).is_err());
    }

    #[test]
    fn joint_clusters_and_rules_are_models_that_keep_their_minimum() {
        let found = Clusters { centroids: vec![vec![5, 20], vec![90, 3]], sizes: vec![7, 5], rounds: 2 };
        let axes = [("age", (0.0, 100.0), 100), ("visits", (0.0, 20.0), 20)];
        let made = clusters(&found, &axes, 5).unwrap();
        let release: ClusterRelease = serde_json::from_value(made.model["model"].clone()).unwrap();
        assert_eq!((made.k, release.verify().unwrap().reached), (5, Some(12)));
        assert!(clusters(&found, &axes, 6).is_err());
        let item = |own: &str| own.to_owned();
        let supports = Supports::from([
            (vec![item("a")], 8),
            (vec![item("b")], 6),
            (vec![item("c")], 6),
            (vec![item("a"), item("b")], 5),
        ]);
        let rules = crate::mining::rules::rules_of(&supports, 0.8);
        let made = super::rules(&supports, &rules, 12, 5).unwrap();
        let release: RuleRelease = serde_json::from_value(made.model["model"].clone()).unwrap();
        assert_eq!(release.items, ["a", "b"]);
        let only = &release.rules[..];
        assert_eq!(only.len(), 1);
        assert_eq!((only[0].support, only[0].antecedent_support, only[0].consequent_support), (5, 6, None));
        assert!(release.verify().unwrap().holds() && super::rules(&supports, &rules, 12, 13).is_err());
        // A support that no table has is noticed.
        let wrong =
            Supports::from([(vec![item("a")], 6), (vec![item("b")], 20), (vec![item("a"), item("b")], 20)]);
        assert!(super::rules(&wrong, &rules, 12, 5).is_err());
    }
}
