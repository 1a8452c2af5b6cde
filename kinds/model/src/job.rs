//! The sections of a job about a model.

use std::collections::BTreeMap;
use std::path::PathBuf;

use privet_data::hierarchy::HierarchySpec;
use privet_kind::{JobFile, KindError, Section};
use privet_mine::Visibility;
use privet_mine::cluster::{Metric, Rule};
use privet_mine::tree::{Gain, Levels};
use serde::Deserialize;

pub(crate) const SECTIONS: &[Section] = &[Section {
    name: "model",
    keys: &[
        ("type", "tree, clusters, rules, or given: a model that was learned elsewhere, as `model.json`."),
        ("k", "People of every span that tells of private attributes."),
        ("confidence-limit", "Trees over two classes: the largest share of one class in a span."),
        (
            "require",
            "Trees: privacy models that every span keeps for a private class, with the keys of `[privacy]`, such as \
             { l-diversity = { kind = \"entropy\", l = 1.5 } }.",
        ),
        ("gain", "Trees: information, or gini: what a split is chosen by."),
        (
            "weighted",
            "Trees: whether a gain counts by the people of its node, and not per person as the source prints.",
        ),
        ("max-depth", "Trees: the deepest that a tree may be."),
        (
            "levels",
            "Trees: all levels of hierarchies are tried, or lowest-first, or pairs: two groups of values at a time, often the more accurate.",
        ),
        ("prune", "Trees: the width of the pruning interval in standard deviations; C4.5's is 0.6745."),
        ("trees", "Trees: per tree of a forest the attributes that it may ask."),
        ("records", "Trees: whether the records are published too, public columns recoded by the spans."),
        ("metric", "Clusters: euclidean, or gower where there are categories."),
        ("ranges", "Clusters: per number its range; needed for private ones."),
        ("rule", "Clusters: claim3, or three-way as the source prints it."),
        ("max-clusters", "Clusters: the most clusters."),
        ("patience", "Clusters: how many refused cuts in a row end the search."),
        ("private-items", "Rules: items that nobody knows of anybody."),
        ("min-support", "Rules: transactions that make an itemset frequent."),
        ("min-confidence", "Rules: the least confidence of a rule."),
        ("max-consequent", "Rules: the most items on the right of a rule."),
        ("max-rules", "Rules: more rules than this are an error."),
        (
            "close-channels",
            "Rules: whether rules are left out until no pattern of fewer than k people follows from the published supports.",
        ),
    ],
}];

/// Where the people are.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Input {
    /// A table; for rules a text with one transaction per line.
    pub path: PathBuf,
    /// Columns that everybody knows of everybody.
    #[serde(default)]
    pub public: Vec<String>,
    /// Columns that nobody knows.
    #[serde(default)]
    pub private: Vec<String>,
    /// The column that a tree predicts.
    #[serde(default)]
    pub class: Option<String>,
    /// Who knows the class.
    #[serde(default = "private")]
    pub class_visibility: Visibility,
    /// Hierarchies, by column.
    #[serde(default)]
    pub hierarchies: BTreeMap<String, HierarchySpec>,
    /// Between the items of a transaction; blanks when absent.
    #[serde(default)]
    pub separator: Option<char>,
}

fn private() -> Visibility {
    Visibility::Private
}

/// Which model, and how it is learned.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub(crate) enum Settings {
    /// A decision tree or a forest.
    Tree(TreeSettings),
    /// A clustering by nearest centroid.
    Clusters(ClusterSettings),
    /// Association rules.
    Rules(RuleSettings),
    /// A model that was learned elsewhere, for example by several owners together.
    Given(GivenSettings),
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct GivenSettings {
    pub k: u64,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct TreeSettings {
    pub k: u64,
    #[serde(default)]
    pub confidence_limit: Option<f64>,
    /// Privacy models by their keys.
    #[serde(default)]
    pub require: BTreeMap<String, serde_json::Value>,
    #[serde(default)]
    pub gain: Gain,
    #[serde(default)]
    pub weighted: bool,
    #[serde(default)]
    pub max_depth: Option<usize>,
    #[serde(default)]
    pub levels: Levels,
    #[serde(default)]
    pub prune: Option<f64>,
    #[serde(default)]
    pub trees: Vec<Vec<String>>,
    #[serde(default)]
    pub records: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ClusterSettings {
    pub k: u64,
    #[serde(default)]
    pub metric: Metric,
    #[serde(default)]
    pub ranges: BTreeMap<String, (f64, f64)>,
    #[serde(default)]
    pub rule: Rule,
    #[serde(default = "many")]
    pub max_clusters: usize,
    #[serde(default = "patience")]
    pub patience: usize,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RuleSettings {
    pub k: u64,
    #[serde(default)]
    pub private_items: Vec<String>,
    pub min_support: u64,
    pub min_confidence: f64,
    #[serde(default = "one")]
    pub max_consequent: usize,
    #[serde(default = "rules")]
    pub max_rules: usize,
    #[serde(default)]
    pub close_channels: bool,
}

fn many() -> usize {
    usize::MAX
}

fn patience() -> usize {
    200
}

fn one() -> usize {
    1
}

fn rules() -> usize {
    1000
}

pub(crate) fn input(job: &JobFile) -> Result<Input, KindError> {
    job.required("input")
}

pub(crate) fn settings(job: &JobFile) -> Result<Settings, KindError> {
    job.required("model")
}
