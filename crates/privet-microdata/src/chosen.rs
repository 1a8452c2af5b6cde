//! What a search chose, in the one form from which everything is published.
//!
//! A column goes to one level of its hierarchy, or to nodes of several levels, or it has cells that are published
//! as `*`. Whatever is not one level becomes a hierarchy of two: the value, and where it goes. So classes, metrics
//! and the report are formed in one way.

use std::time::Duration;

use privet_data::{Generalization, GeneralizedLevel};
use privet_recode::cluster::{DependencyTree, Method};
use privet_recode::groups::{Groups, RegroupedColumn, Represent};
use privet_recode::lattice::{self, Found, Problem, Quasi, Seen};
use privet_recode::{cell, cut};
use privet_release::manifest;

use crate::job::Publish;

/// A candidate that a search chose.
pub struct Chosen {
    /// Per quasi column where its values go.
    pub places: Vec<Place>,
    /// Candidates in the lattice of levels, for a search there.
    pub lattice_nodes: Option<u64>,
    /// Candidates whose classes were formed.
    pub nodes_checked: u64,
    /// No safe candidate has a smaller value of the metric.
    pub bound: Option<f64>,
    /// The minimal safe candidates, where they were asked for.
    pub minimal: Option<Vec<Vec<usize>>>,
    /// How long one grouping of all records took, where the search tells.
    pub reduction: Duration,
    /// What the search minimizes when that is not one of the metrics: its name, and its value.
    pub own_metric: Option<(&'static str, f64)>,
    /// The buckets, when quasi columns are published as they are and sensitive values in tables of their own.
    pub buckets: Option<Groups>,
    /// What microaggregation says of its groups.
    pub aggregation: Option<Aggregation>,
    /// What Anatomy says of its buckets.
    pub anatomy: Option<manifest::Anatomy>,
    /// What a p-safe search says of its choice.
    pub p_safe: Option<manifest::PSafe>,
    /// Other candidates that the search looked at.
    pub seen: Vec<Seen>,
    /// What whoever runs the job should know of the choice.
    pub notes: Vec<String>,
    tuple_entropy: Option<f64>,
}

/// Groups that an algorithm formed, and what it says of them.
pub struct Formed {
    /// The groups.
    pub groups: Groups,
    /// How values were replaced by those of their groups.
    pub aggregation: Option<Aggregation>,
    /// How buckets came about.
    pub anatomy: Option<manifest::Anatomy>,
}

/// What microaggregation says of its groups (thesis 2.11 to 2.14).
#[derive(Debug, Clone)]
pub struct Aggregation {
    /// What replaces the values of a group.
    pub method: Method,
    /// The quasi columns that were looked at.
    pub keys: Vec<usize>,
    /// How the columns depend on each other, when that decided which were looked at.
    pub tree: Option<DependencyTree>,
    /// Squared distances of the records from the middle of their group.
    pub sse: f64,
    /// Squared distances of the records from the middle of all.
    pub sst: f64,
}

/// Where the values of a column go.
#[derive(Debug, Clone, PartialEq)]
pub enum Place {
    /// To one level of its hierarchy.
    Level(usize),
    /// To nodes of several levels, or to ranges; equal values stay equal.
    Nodes {
        /// What kind of nodes, as manifests say it.
        kind: &'static str,
        /// The nodes.
        level: GeneralizedLevel,
    },
    /// Each cell by itself, so that equal values may be published differently: one code per record, and where the
    /// codes go. `kind` says what the labels are.
    Cells {
        /// What kind of labels, as manifests say it.
        kind: &'static str,
        /// Per record its label.
        codes: Vec<u32>,
        /// The labels.
        level: GeneralizedLevel,
    },
}

impl Chosen {
    /// A node of the lattice.
    pub fn node(found: Found) -> Self {
        Self {
            places: found.levels.into_iter().map(Place::Level).collect(),
            lattice_nodes: Some(found.lattice_nodes),
            nodes_checked: found.nodes_checked,
            bound: found.bound,
            minimal: found.minimal,
            reduction: found.reduction,
            own_metric: None,
            buckets: None,
            aggregation: None,
            anatomy: None,
            p_safe: None,
            seen: found.seen,
            notes: Vec::new(),
            tuple_entropy: Some(found.tuple_entropy),
        }
    }

    /// What an earlier release chose.
    pub fn given(places: Vec<Place>, notes: Vec<String>) -> Self {
        Self {
            places,
            lattice_nodes: None,
            nodes_checked: 0,
            bound: None,
            minimal: None,
            reduction: Duration::ZERO,
            own_metric: None,
            buckets: None,
            aggregation: None,
            anatomy: None,
            p_safe: None,
            seen: Vec::new(),
            notes,
            tuple_entropy: None,
        }
    }

    /// A cut through the hierarchies, or ranges of values; `kind` says which.
    pub fn cut(problem: &Problem<'_>, found: cut::Found, kind: &'static str) -> Self {
        let place = |(quasi, level): (&Quasi<'_>, GeneralizedLevel)| {
            let same = |own: &GeneralizedLevel| {
                let label = |level: &GeneralizedLevel, code: usize| {
                    let node = level.node_of_code[code] as usize;
                    (level.labels[node].clone(), level.leaves[node])
                };
                (0..own.node_of_code.len()).all(|code| label(own, code) == label(&level, code))
            };
            match quasi.generalization.levels.iter().position(same) {
                Some(level) => Place::Level(level),
                None => Place::Nodes { kind, level },
            }
        };
        Self {
            places: problem.quasi.iter().zip(found.columns).map(place).collect(),
            lattice_nodes: None,
            nodes_checked: found.checked,
            bound: found.bound,
            minimal: None,
            reduction: Duration::ZERO,
            own_metric: None,
            buckets: None,
            aggregation: None,
            anatomy: None,
            p_safe: None,
            seen: Vec::new(),
            notes: Vec::new(),
            tuple_entropy: None,
        }
    }

    /// Single cells.
    pub fn cells(problem: &Problem<'_>, found: &cell::Found) -> Self {
        let places = (0..problem.quasi.len()).map(|column| {
            let quasi = &problem.quasi[column];
            if !found.suppressed.iter().any(|group| group[column]) {
                return Place::Level(0);
            }
            let star = quasi.counts.len() as u32;
            let codes = quasi
                .codes
                .iter()
                .zip(&found.class_of)
                .map(|(&code, &class)| if found.suppressed[class as usize][column] { star } else { code })
                .collect();
            let mut level = quasi.generalization.levels[0].clone();
            level.node_of_code.push(level.labels.len() as u32);
            level.labels = level.labels.iter().cloned().chain([Box::from("*")]).collect();
            level.leaves.push(quasi.generalization.leaves);
            Place::Cells { kind: "cells", codes, level }
        });
        Self {
            places: places.collect(),
            lattice_nodes: None,
            nodes_checked: 0,
            bound: found.bound.map(|cells| cells as f64),
            minimal: None,
            reduction: Duration::ZERO,
            own_metric: Some(("suppressed-cells", found.cells as f64)),
            buckets: None,
            aggregation: None,
            anatomy: None,
            p_safe: None,
            seen: Vec::new(),
            notes: Vec::new(),
            tuple_entropy: None,
        }
    }

    /// Groups of records, published as the job asks.
    pub fn groups(problem: &Problem<'_>, formed: Formed, publish: Publish) -> Self {
        let Formed { groups, aggregation, anatomy } = formed;
        let chosen = match publish.represent() {
            Some(how) => Self::represented(problem, &groups, how),
            None => Self {
                buckets: Some(groups),
                ..Self::represented(problem, &Groups::default(), Represent::Nodes)
            },
        };
        Self { aggregation, anatomy, ..chosen }
    }

    /// Groups of records, each of which shows the same.
    fn represented(problem: &Problem<'_>, groups: &Groups, how: Represent) -> Self {
        Self::regrouped(problem, groups.represent(problem, how), how)
    }

    /// Groups that show what these columns say.
    pub fn regrouped(problem: &Problem<'_>, columns: Vec<RegroupedColumn>, how: Represent) -> Self {
        let columns = columns.into_iter().zip(&problem.quasi);
        let places = columns.map(|(RegroupedColumn { codes, level, unchanged }, quasi)| {
            if unchanged {
                return Place::Level(0);
            }
            let kind = match how.for_column(quasi) {
                Represent::Nodes => "group-nodes",
                Represent::Ranges => "group-ranges",
                other => other.word(),
            };
            Place::Cells { kind, codes, level }
        });
        Self {
            places: places.collect(),
            lattice_nodes: None,
            nodes_checked: 0,
            bound: None,
            minimal: None,
            reduction: Duration::ZERO,
            own_metric: None,
            buckets: None,
            aggregation: None,
            anatomy: None,
            p_safe: None,
            seen: Vec::new(),
            notes: Vec::new(),
            tuple_entropy: None,
        }
    }

    /// The same, with the sum over the distinct tuples of p ln p known.
    pub fn with_tuple_entropy(self, tuple_entropy: f64) -> Self {
        Self { tuple_entropy: Some(tuple_entropy), ..self }
    }

    /// Sum over the distinct tuples of the quasi-identifier of p ln p.
    pub fn tuple_entropy(&self, problem: &Problem<'_>) -> f64 {
        self.tuple_entropy.unwrap_or_else(|| lattice::tuple_entropy(problem))
    }

    /// The columns as they are published.
    pub fn published(&self, problem: &Problem<'_>) -> Published<'_> {
        self.published_with(problem, |_| 1)
    }

    /// The columns as they are published, when codes of cells are those of groups of so many records.
    pub fn published_by_groups(&self, problem: &Problem<'_>, rows: &[u64]) -> Published<'_> {
        self.published_with(problem, |group| rows.get(group).copied().unwrap_or(0))
    }

    fn published_with(&self, problem: &Problem<'_>, rows: impl Fn(usize) -> u64) -> Published<'_> {
        let columns = self.places.iter().zip(&problem.quasi).map(|(place, quasi)| {
            let (codes, level) = match place {
                Place::Level(_) => return None,
                Place::Nodes { level, .. } => (None, level),
                Place::Cells { codes, level, .. } => (Some(&**codes), level),
            };
            let own = &quasi.generalization.levels[0];
            // What is published is told by the level above.
            let mut values = GeneralizedLevel {
                node_of_code: own.node_of_code.clone(),
                labels: own.labels.clone(),
                leaves: own.leaves.clone(),
            };
            // Codes that no value has belong to no leaf; which one stands for them matters to nobody.
            values.node_of_code.resize(level.node_of_code.len(), 0);
            let levels = vec![values, level.clone()];
            let generalization = Generalization { leaves: quasi.generalization.leaves, levels };
            let counts = codes.map(|codes| {
                let mut counts = vec![0; generalization.levels[1].node_of_code.len()];
                codes.iter().enumerate().for_each(|(at, &code)| counts[code as usize] += rows(at));
                counts
            });
            Some(PublishedColumn { generalization, codes, counts })
        });
        let level = |place: &Place| if let Place::Level(level) = place { *level } else { 1 };
        Published { columns: columns.collect(), levels: self.places.iter().map(level).collect() }
    }
}

/// The columns as they are published: a level of each, of its own hierarchy or of one made for it.
pub struct Published<'c> {
    columns: Vec<Option<PublishedColumn<'c>>>,
    /// The level of each quasi column.
    pub levels: Vec<usize>,
}

struct PublishedColumn<'c> {
    generalization: Generalization,
    codes: Option<&'c [u32]>,
    counts: Option<Vec<u64>>,
}

impl Published<'_> {
    /// The problem in which the published table is one choice of levels.
    pub fn problem<'a>(&'a self, problem: &Problem<'a>) -> Problem<'a> {
        let quasi = problem.quasi.iter().zip(&self.columns).map(|(quasi, made)| match made {
            None => *quasi,
            Some(made) => Quasi {
                codes: made.codes.unwrap_or(quasi.codes),
                counts: made.counts.as_deref().unwrap_or(quasi.counts),
                generalization: &made.generalization,
                ..*quasi
            },
        });
        Problem { quasi: quasi.collect(), sensitive: problem.sensitive.clone(), ..*problem }
    }
}
