//! What is published of trees: the model and the populations of its spans, as documented JSON that can be verified alone.
//!
//! The JSON names the attributes with their domains, the nodes, and per span its leaves with how many records of each class stand in
//! them. A leaf that several spans share has its population per span (the virtual split of Figure 4 of the source): the
//! spans of that finer model are the same, so publishing it is as safe as the model.

use std::collections::HashSet;

use foldhash::{HashMap, HashMapExt};
use privet_criteria::Requirement;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::TreeModel;
use super::judge::Judge;
use super::oracle::TreeOracle;
use super::region::{Region, regions};
use crate::{Cell, Examples, MineError};

/// A model of trees with the populations of its spans.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TreeRelease {
    /// The version of this form, 1.
    pub version: u32,
    /// The records that it was learned from.
    pub records: u64,
    /// What every span with more than one class satisfies.
    pub requirements: Vec<Requirement>,
    /// The model.
    pub model: TreeModel,
    /// The spans into which records fall.
    pub spans: Vec<SpanCounts>,
}

/// The people of one span.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpanCounts {
    /// The leaves, of all trees, that a person with these public attributes may reach; ascending.
    pub leaves: Vec<u32>,
    /// When the class is public: the class of these people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<u32>,
    /// Where they stand.
    pub populations: Vec<LeafCounts>,
}

/// Records that end in the same leaf of every tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeafCounts {
    /// The leaf in each tree.
    pub leaves: Vec<u32>,
    /// Per class how many.
    pub counts: Vec<u64>,
}

/// Why a published model is not accepted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TreeError {
    /// The schema is wrong, or a requirement cannot be judged.
    #[error(transparent)]
    Schema(MineError),
    /// A version that this program does not know.
    #[error("the model is of version {version}; this program reads version 1")]
    Version {
        /// The version.
        version: u32,
    },
    /// A node that is not part of a tree, or whose test does not fit its attribute.
    #[error("node {node} does not fit: wrong test, children or place")]
    Node {
        /// The node.
        node: u32,
    },
    /// A span that the model does not have, or counts that do not fit it.
    #[error("span {span} is none of the model, is listed twice, or its populations do not fit its leaves")]
    Span {
        /// Its position.
        span: usize,
    },
    /// Populations that do not add up.
    #[error("the spans hold {counted} records, the model claims {declared}")]
    Records {
        /// What is claimed.
        declared: u64,
        /// What the spans hold.
        counted: u64,
    },
}

/// What verifying a published model found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeVerdict {
    /// The first requirement that a span breaks.
    pub failing: Option<String>,
    /// The people of the smallest span with more than one class: the k that was reached.
    pub reached: Option<u64>,
    /// The number of spans with people.
    pub spans: usize,
    /// The people in spans all of whom have one class (papers II.4: exposed).
    pub exposed: u64,
    /// The people in spans of one class of the domain, about whose private attributes the model says nothing.
    pub silent: u64,
}

impl TreeVerdict {
    /// Whether every requirement holds.
    pub fn holds(&self) -> bool {
        self.failing.is_none()
    }
}

type Spans = HashMap<Vec<u32>, HashMap<Vec<u32>, Vec<u64>>>;

impl TreeRelease {
    /// The release of a model on the records that it was learned from. It is computed from the model alone, whatever
    /// learned it.
    ///
    /// # Errors
    /// When the model is no model.
    pub fn of(
        model: &TreeModel,
        examples: &Examples,
        requirements: &[Requirement],
    ) -> Result<Self, MineError> {
        let oracle = TreeOracle::new(model);
        let classes = model.schema.class.values.len();
        let is_private = model.schema.class_is_private();
        let rows: Vec<usize> = (0..examples.len()).collect();
        let spans = rows
            .par_chunks(1 << 14)
            .map(|rows| {
                let mut found = Spans::new();
                let (mut record, mut key) = (Vec::new(), Vec::new());
                for &row in rows {
                    examples.read(row, &mut record);
                    key.clear();
                    oracle.leaves(&record, &mut key);
                    let class = examples.classes()[row];
                    if !is_private {
                        key.push(class);
                    }
                    let ends = model.ends(&record);
                    add(&mut found, &key, ends, classes, |counts| counts[class as usize] += 1);
                }
                found
            })
            .reduce(Spans::new, merged);
        let mut spans: Vec<SpanCounts> = (spans.into_iter())
            .map(|(mut leaves, found)| {
                let class = if is_private { None } else { leaves.pop() };
                let mut populations: Vec<LeafCounts> =
                    found.into_iter().map(|(leaves, counts)| LeafCounts { leaves, counts }).collect();
                populations.sort_unstable_by(|a, b| a.leaves.cmp(&b.leaves));
                SpanCounts { leaves, class, populations }
            })
            .collect();
        spans.sort_unstable_by(|a, b| (&a.leaves, a.class).cmp(&(&b.leaves, b.class)));
        let (requirements, records) = (requirements.to_vec(), examples.len() as u64);
        Ok(Self { version: 1, records, requirements, model: model.clone(), spans })
    }

    /// Verifies the model from what is published alone: its nodes form trees, its spans are spans of these trees, the populations fit
    /// and add up, and every span with more than one class satisfies every requirement.
    ///
    /// # Errors
    /// When what is published contradicts itself.
    pub fn verify(&self) -> Result<TreeVerdict, TreeError> {
        if self.version != 1 {
            return Err(TreeError::Version { version: self.version });
        }
        self.model.check()?;
        let oracle = TreeOracle::new(&self.model);
        let regions = regions(&self.model);
        let mut seen = HashSet::new();
        for (place, span) in self.spans.iter().enumerate() {
            let wrong = TreeError::Span { span: place };
            if !seen.insert((&span.leaves, span.class)) || !self.is_span(span, &oracle, &regions) {
                return Err(wrong);
            }
        }
        let counted = self.spans.iter().map(SpanCounts::records).sum();
        if counted != self.records {
            return Err(TreeError::Records { declared: self.records, counted });
        }
        self.judged().map_err(TreeError::Schema)
    }

    /// Whether somebody's public attributes have exactly this span, and its populations stand in its leaves.
    fn is_span(&self, span: &SpanCounts, oracle: &TreeOracle<'_>, regions: &[Region]) -> bool {
        let schema = &self.model.schema;
        let classes = schema.class.values.len();
        let class_fits = match span.class {
            None => schema.class_is_private(),
            Some(class) => !schema.class_is_private() && (class as usize) < classes,
        };
        if !class_fits || span.leaves.iter().any(|&leaf| leaf as usize >= regions.len()) {
            return false;
        }
        // A person whose public attributes lie in the public part of all paths; every such person has the same span.
        let mut record = Vec::with_capacity(schema.attributes.len() + 1);
        for (attribute, own) in schema.attributes.iter().enumerate() {
            let mut left = super::region::Left::All;
            if schema.is_public(attribute) {
                for &leaf in &span.leaves {
                    left = left.and(&regions[leaf as usize].0[attribute]);
                }
            }
            match left.witness(&own.domain) {
                Some(cell) => record.push(cell),
                None => return false,
            }
        }
        record.push(Cell::Code(span.class.unwrap_or(0)));
        let mut leaves = Vec::new();
        oracle.leaves(&record, &mut leaves);
        let fits = |own: &LeafCounts| {
            own.leaves.len() == self.model.roots.len()
                && own.leaves.iter().all(|leaf| span.leaves.binary_search(leaf).is_ok())
                && own.counts.len() == classes
                && span.class.is_none_or(|class| {
                    own.counts.iter().enumerate().all(|(other, &count)| other == class as usize || count == 0)
                })
        };
        leaves == span.leaves && span.populations.iter().all(fits) && span.records() > 0
    }

    /// Whether more than one class of the domain belongs to the span.
    fn has_many(&self, span: &SpanCounts) -> bool {
        span.class.is_none() || span.leaves.len() > self.model.roots.len()
    }

    /// Judges the spans as they are listed.
    ///
    /// # Errors
    /// When a requirement cannot be judged.
    pub fn judged(&self) -> Result<TreeVerdict, MineError> {
        let classes = self.model.schema.class.values.len();
        let mut total = vec![0; classes];
        for span in &self.spans {
            for (sum, count) in total.iter_mut().zip(span.classes(classes)) {
                *sum += count;
            }
        }
        let judge = Judge::new(&self.model.schema, &self.requirements, &total)?;
        let mut verdict =
            TreeVerdict { failing: None, reached: None, spans: self.spans.len(), exposed: 0, silent: 0 };
        for span in &self.spans {
            let counts = span.classes(classes);
            let records = span.records();
            if counts.iter().filter(|&&count| count > 0).count() == 1 {
                verdict.exposed += records;
            }
            if !self.has_many(span) {
                verdict.silent += records;
                continue;
            }
            verdict.reached = Some(verdict.reached.map_or(records, |least| least.min(records)));
            let counts: Vec<u32> = counts.iter().map(|&count| count as u32).collect();
            if let (None, Some(criterion)) = (&verdict.failing, judge.first_failing(&counts)) {
                verdict.failing = Some(criterion.to_owned());
            }
        }
        Ok(verdict)
    }

    pub(super) fn holds(&self) -> Result<bool, MineError> {
        Ok(self.judged()?.holds())
    }

    /// Per node how many records of each class passed through it.
    pub fn node_counts(&self) -> Vec<Vec<u64>> {
        let classes = self.model.schema.class.values.len();
        let mut counts = vec![vec![0; classes]; self.model.nodes.len()];
        for own in self.spans.iter().flat_map(|span| &span.populations) {
            for &leaf in &own.leaves {
                for (sum, count) in counts[leaf as usize].iter_mut().zip(&own.counts) {
                    *sum += count;
                }
            }
        }
        for place in (0..counts.len()).rev() {
            for &child in self.model.nodes[place].children.iter().flatten() {
                // Children come after their parents.
                let (above, below) = counts.split_at_mut(child as usize);
                for (sum, count) in above[place].iter_mut().zip(&below[0]) {
                    *sum += count;
                }
            }
        }
        counts
    }

    /// The predictor of this model.
    pub fn predictor(&self) -> Predictor<'_> {
        let parents = self.model.parents();
        let counts = self.node_counts();
        let mut shares: Vec<Vec<f64>> = Vec::with_capacity(counts.len());
        for (place, own) in counts.iter().enumerate() {
            let records: u64 = own.iter().sum();
            // Nobody stood here: what is known of the node above.
            let above = parents[place].map(|parent| shares[parent as usize].clone());
            shares.push(match (records, above) {
                (0, Some(above)) => above,
                (0, None) => vec![0.0; own.len()],
                _ => own.iter().map(|&count| count as f64 / records as f64).collect(),
            });
        }
        Predictor { model: &self.model, shares }
    }

    /// The classification metric CM: records that are not of the majority class of their span, summed (papers II.4).
    pub fn minority(&self) -> u64 {
        let classes = self.model.schema.class.values.len();
        let of = |span: &SpanCounts| span.records() - span.classes(classes).into_iter().max().unwrap_or(0);
        self.spans.iter().map(of).sum()
    }

    /// Discernibility: the squares of the populations of spans, summed.
    pub fn discernibility(&self) -> u64 {
        self.spans.iter().map(|span| span.records().pow(2)).sum()
    }
}

impl SpanCounts {
    /// Its people.
    pub fn records(&self) -> u64 {
        self.populations.iter().flat_map(|own| &own.counts).sum()
    }

    fn classes(&self, classes: usize) -> Vec<u64> {
        let mut total = vec![0; classes];
        for own in &self.populations {
            for (sum, count) in total.iter_mut().zip(&own.counts) {
                *sum += count;
            }
        }
        total
    }
}

/// Predicts classes from a published model.
#[derive(Debug, Clone)]
pub struct Predictor<'a> {
    model: &'a TreeModel,
    shares: Vec<Vec<f64>>,
}

impl Predictor<'_> {
    /// Per class the share among the records where this one ends, averaged over trees. The record has one cell per attribute; more are
    /// not looked at.
    pub fn shares(&self, record: &[Cell]) -> Vec<f64> {
        let mut shares = vec![0.0; self.model.schema.class.values.len()];
        for end in self.model.ends(record) {
            for (sum, share) in shares.iter_mut().zip(&self.shares[end as usize]) {
                *sum += share / self.model.roots.len() as f64;
            }
        }
        shares
    }

    /// The class with the largest share; the first of equals.
    pub fn class(&self, record: &[Cell]) -> u32 {
        if let [root] = self.model.roots[..] {
            return self.at(self.model.end(root, record));
        }
        largest(&self.shares(record))
    }

    /// The class that a node predicts by itself.
    pub(super) fn at(&self, node: u32) -> u32 {
        largest(&self.shares[node as usize])
    }

    /// The share of records whose class is predicted wrongly.
    pub fn error(&self, examples: &Examples) -> f64 {
        let rows: Vec<usize> = (0..examples.len()).collect();
        let wrong: usize = rows
            .par_chunks(1 << 14)
            .map(|rows| {
                let mut record = Vec::new();
                let is_wrong = |row: usize, record: &mut Vec<Cell>| {
                    examples.read(row, record);
                    self.class(record) != examples.classes()[row]
                };
                rows.iter().filter(|&&row| is_wrong(row, &mut record)).count()
            })
            .sum();
        wrong as f64 / examples.len() as f64
    }
}

fn largest(shares: &[f64]) -> u32 {
    let mut best = 0;
    for (class, &share) in shares.iter().enumerate() {
        if share > shares[best] + 1e-12 {
            best = class;
        }
    }
    best as u32
}

fn add(found: &mut Spans, key: &[u32], ends: Vec<u32>, classes: usize, change: impl FnOnce(&mut [u64])) {
    if !found.contains_key(key) {
        found.insert(key.to_vec(), HashMap::new());
    }
    if let Some(leaves) = found.get_mut(key) {
        change(leaves.entry(ends).or_insert_with(|| vec![0; classes]));
    }
}

fn merged(mut one: Spans, other: Spans) -> Spans {
    for (key, leaves) in other {
        for (ends, counts) in leaves {
            let classes = counts.len();
            add(&mut one, &key, ends, classes, |sums| {
                for (sum, count) in sums.iter_mut().zip(counts) {
                    *sum += count;
                }
            });
        }
    }
    one
}
