//! The sections of a job about a graph: `[input]` and `[graph]`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use privet_data::io::{Formulas, ReadOptions};
use privet_data::{Progress, Role};
use privet_kind::{JobFile, KindError, Section};
use serde::{Deserialize, Serialize};

use crate::{Around, Direction, Knowledge, Network, NetworkOptions, read};

/// The sections, for the reference and for messages.
pub const SECTIONS: &[Section] = &[Section {
    name: "graph",
    keys: &[
        (
            "method",
            "`k-degree`, `k-neighbourhood`, `deletion`, `clusters`, `private-degrees`, `perturbation`, `pseudonyms`.",
        ),
        ("k", "How many candidates every person has (k-degree, k-neighbourhood, deletion, clusters)."),
        ("direction", "k-degree: `adding`, or `adding-and-deleting`, which changes fewer edges."),
        (
            "around",
            "deletion: what is known of a person, `degree` or `count` (degree and edges between neighbours).",
        ),
        ("label", "k-neighbourhood: an attribute that is published with the edges and made more general."),
        (
            "groups",
            "k-neighbourhood: for each value of the label the group that covers it; all groups are covered by `*`.",
        ),
        ("moves", "clusters: how many moves the search makes, per node."),
        ("samples", "clusters, private-degrees: how many sample graphs are published."),
        ("epsilon", "private-degrees: the privacy loss."),
        ("edges", "private-degrees: how many edges are hidden at once; 1 hides single relationships."),
        ("ledger", "private-degrees: the file of the ledger that is charged; `account` names the account."),
        ("account", "private-degrees: the account of the ledger."),
        ("share", "perturbation: the share of edges that is exchanged."),
        (
            "l",
            "Every class of people that cannot be told apart has at least so many values of each sensitive attribute.",
        ),
        (
            "seed",
            "The seed of what is left to chance; drawn from the operating system unless given. Keep it secret.",
        ),
    ],
}];

/// The `[input]` section.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Input {
    /// The edge list (CSV, Parquet, Arrow) or a GraphML file.
    pub edges: PathBuf,
    /// The node table.
    #[serde(default)]
    pub nodes: Option<PathBuf>,
    /// The column of the one end.
    #[serde(default)]
    pub source: Option<String>,
    /// The column of the other end.
    #[serde(default)]
    pub target: Option<String>,
    /// The column of the node table with the ids.
    #[serde(default)]
    pub id: Option<String>,
    /// Whether the first line of the tables names their columns; they do where the job names a column, and found otherwise.
    #[serde(default)]
    pub header: Option<bool>,
    /// What becomes of cells that a spreadsheet would take for formulas.
    #[serde(default)]
    pub formulas: Formulas,
    /// Whether edges have a direction.
    #[serde(default)]
    pub directed: bool,
    /// The roles of the attributes of nodes; others are not read.
    #[serde(default)]
    pub attributes: BTreeMap<String, Role>,
}

impl Input {
    /// Reads the network.
    pub fn read(&self, job: &JobFile, progress: &dyn Progress) -> Result<Network, KindError> {
        let names_columns = self.source.is_some() || self.target.is_some() || self.id.is_some();
        let header = self.header.or(names_columns.then_some(true));
        let options = NetworkOptions {
            read: ReadOptions { header, formulas: self.formulas, ..NetworkOptions::default().read },
            directed: self.directed,
            source: self.source.clone(),
            target: self.target.clone(),
            id: self.id.clone(),
            roles: self.attributes.clone(),
        };
        let nodes = self.nodes.as_ref().map(|path| job.resolve(path));
        Ok(read(&job.resolve(&self.edges), nodes.as_deref(), &options, progress)?)
    }
}

/// The files that a job reads.
pub fn inputs(job: &JobFile) -> Result<Vec<PathBuf>, KindError> {
    let input: Input = job.required("input")?;
    Ok([Some(input.edges), input.nodes].into_iter().flatten().map(|path| job.resolve(&path)).collect())
}

/// How a graph is published; what stands in the manifest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case", tag = "method", deny_unknown_fields)]
pub enum Method {
    /// New numbers for the nodes, and nothing else.
    Pseudonyms,
    /// Some edges exchanged by lot.
    Perturbation {
        /// The share of the edges.
        share: f64,
    },
    /// Every degree occurs `k` times.
    KDegree {
        /// The number of candidates.
        k: u32,
        /// Which edges change.
        direction: Direction,
    },
    /// Every neighbourhood occurs `k` times.
    KNeighbourhood {
        /// The number of candidates.
        k: u32,
        /// The attribute that is published with the edges.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        label: Option<String>,
    },
    /// Edges deleted until everyone has `k` candidates.
    Deletion {
        /// The number of candidates.
        k: u32,
        /// What is known of a person.
        around: Around,
    },
    /// Sizes of clusters and numbers of edges between them.
    Clusters {
        /// The least number of nodes of a cluster.
        k: u32,
        /// Sample graphs that are published.
        samples: u32,
    },
    /// A degree sequence with noise.
    PrivateDegrees {
        /// The privacy loss, as it was written.
        epsilon: String,
        /// How many edges are hidden at once.
        edges: u32,
        /// Sample graphs that are published.
        samples: u32,
    },
}

/// The `[graph]` section.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Keys {
    method: Word,
    k: Option<u32>,
    direction: Option<Direction>,
    around: Option<Around>,
    label: Option<String>,
    groups: Option<BTreeMap<String, String>>,
    moves: Option<u32>,
    samples: Option<u32>,
    epsilon: Option<Number>,
    edges: Option<u32>,
    ledger: Option<PathBuf>,
    account: Option<String>,
    share: Option<f64>,
    l: Option<f64>,
    seed: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Word {
    Pseudonyms,
    Perturbation,
    KDegree,
    KNeighbourhood,
    Deletion,
    Clusters,
    PrivateDegrees,
}

/// A number that may be written with or without quotation marks, so that fractions stay exact.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum Number {
    Text(String),
    Whole(i64),
    Float(f64),
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Whole(number) => write!(f, "{number}"),
            Self::Float(number) => write!(f, "{number}"),
        }
    }
}

/// What a job says about the release.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// How the graph is published.
    pub method: Method,
    /// For each value of the label the group that covers it.
    pub groups: BTreeMap<String, String>,
    /// Moves of the search for clusters, per node.
    pub moves: u32,
    /// The ledger and its account.
    pub ledger: Option<(PathBuf, String)>,
    /// Values that every class has of each sensitive attribute.
    pub l: Option<f64>,
    /// The seed, where the job gives one.
    pub seed: Option<u64>,
}

impl Settings {
    /// Reads the section; a key that the method does not use is an error.
    pub fn read(job: &JobFile) -> Result<Self, KindError> {
        let mut keys: Keys = job.required("graph")?;
        let at = |error: KindError| error.at(job.path());
        let k = |own: Option<u32>| {
            let missing = "is missing; it says how many candidates every person has, such as 5";
            own.filter(|&k| k >= 2).ok_or_else(|| match own {
                None => KindError::key("graph.k", missing),
                Some(_) => KindError::key("graph.k", "must be 2 or more; with 1 everybody may be alone"),
            })
        };
        let method = match keys.method {
            Word::Pseudonyms => Method::Pseudonyms,
            Word::Perturbation => {
                let share = keys.share.take().filter(|own| (0.0..=1.0).contains(own));
                let share = share.ok_or_else(|| KindError::key("graph.share", "must be a share from 0 to 1"));
                Method::Perturbation { share: share.map_err(at)? }
            }
            Word::KDegree => Method::KDegree {
                k: k(keys.k.take()).map_err(at)?,
                direction: keys.direction.take().unwrap_or(Direction::AddingAndDeleting),
            },
            Word::KNeighbourhood => {
                Method::KNeighbourhood { k: k(keys.k.take()).map_err(at)?, label: keys.label.take() }
            }
            Word::Deletion => Method::Deletion {
                k: k(keys.k.take()).map_err(at)?,
                around: keys.around.take().unwrap_or(Around::Degree),
            },
            Word::Clusters => Method::Clusters {
                k: k(keys.k.take()).map_err(at)?,
                samples: keys.samples.take().unwrap_or(0),
            },
            Word::PrivateDegrees => {
                let missing = || KindError::key("graph.epsilon", "is missing; such as \"0.5\"");
                let epsilon = keys.epsilon.take().ok_or_else(missing).map_err(at)?.to_string();
                let (edges, samples) = (keys.edges.take().unwrap_or(1), keys.samples.take().unwrap_or(0));
                Method::PrivateDegrees { epsilon, edges, samples }
            }
        };
        let is_labelled = matches!(&method, Method::KNeighbourhood { label: Some(_), .. });
        let groups = if is_labelled { keys.groups.take() } else { None };
        let moves = if let Method::Clusters { .. } = method { keys.moves.take() } else { None };
        let ledger = match (&method, keys.ledger.take(), keys.account.take()) {
            (Method::PrivateDegrees { .. }, Some(file), Some(account)) => Some((job.resolve(&file), account)),
            (_, None, None) => None,
            _ => {
                let problem = "belong together, and to the method `private-degrees`";
                return Err(at(KindError::key("graph.ledger` and `graph.account", problem)));
            }
        };
        keys.check_rest().map_err(at)?;
        let l = keys.l;
        if l.is_some_and(|own| !(own >= 1.0 && own.is_finite())) {
            return Err(at(KindError::key("graph.l", "must be 1 or more")));
        }
        let groups = groups.unwrap_or_default();
        Ok(Self { method, groups, moves: moves.unwrap_or(60), ledger, l, seed: keys.seed })
    }
}

impl Keys {
    /// An error where a key is left that the method does not use.
    fn check_rest(&self) -> Result<(), KindError> {
        let left = [
            ("k", self.k.is_some()),
            ("direction", self.direction.is_some()),
            ("around", self.around.is_some()),
            ("label", self.label.is_some()),
            ("groups", self.groups.is_some()),
            ("moves", self.moves.is_some()),
            ("samples", self.samples.is_some()),
            ("epsilon", self.epsilon.is_some()),
            ("edges", self.edges.is_some()),
            ("share", self.share.is_some()),
        ];
        match left.iter().find(|own| own.1) {
            None => Ok(()),
            Some((key, _)) => {
                Err(KindError::key(format!("graph.{key}"), "is not used by this method; leave it out"))
            }
        }
    }
}

impl Method {
    /// What an adversary may know of the structure around a person so that `k` candidates are left, where that is promised.
    pub(super) fn withstands(&self) -> Option<Knowledge> {
        match self {
            Self::KDegree { .. } | Self::Deletion { around: Around::Degree, .. } => {
                Some(Knowledge::Refinement { depth: 1 })
            }
            Self::KNeighbourhood { .. } => Some(Knowledge::Neighbourhood),
            _ => None,
        }
    }
}
