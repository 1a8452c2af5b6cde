//! The sections of a job about sets: what is read, and by which method it is protected.

use std::path::PathBuf;

use privet_data::Progress;
use privet_data::hierarchy::read_hierarchy;
use privet_data::io::{Formulas, ReadOptions};
use privet_kind::{JobFile, KindError, Section};
use serde::Deserialize;

use crate::anonymize::Selection;
use crate::log::{Log, Splitting, ZealousKind};
use crate::{ItemTree, LineOptions, LogOptions, PairOptions, SetData, USUAL_MOST_ITEMS};

/// The form of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// One basket per line.
    Lines,
    /// A table of pairs.
    #[default]
    Pairs,
    /// A search log.
    Log,
}

/// `[input]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Input {
    /// The file.
    pub path: PathBuf,
    /// Its form.
    #[serde(default)]
    pub form: Form,
    /// What stands between the items of a line; blanks unless set.
    #[serde(default)]
    pub separator: Option<char>,
    /// The column of the person.
    #[serde(default)]
    pub person: Option<String>,
    /// The column of the item.
    #[serde(default)]
    pub item: Option<String>,
    /// The column of the query.
    #[serde(default)]
    pub query: Option<String>,
    /// The column of the time.
    #[serde(default)]
    pub time: Option<String>,
    /// The column of the address that was followed.
    #[serde(default)]
    pub click: Option<String>,
    /// The file with the hierarchy of items.
    #[serde(default)]
    pub hierarchy: Option<PathBuf>,
    /// Items that must not be learned about a person.
    #[serde(default)]
    pub sensitive: Vec<String>,
    /// What becomes of cells that a spreadsheet would take for formulas.
    #[serde(default)]
    pub formulas: Formulas,
    /// The most items of a basket.
    #[serde(default = "usual_most_items")]
    pub most_items: usize,
}

fn usual_most_items() -> usize {
    USUAL_MOST_ITEMS
}

fn two() -> usize {
    2
}

fn one() -> u32 {
    1
}

/// `[sets]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "method", deny_unknown_fields, rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Method {
    /// k^m-anonymity by the apriori-based method.
    Apriori {
        /// The fewest baskets.
        k: u64,
        /// The most items known.
        #[serde(default = "two")]
        m: usize,
    },
    /// k^m-anonymity by the direct method over the count tree.
    CountTree {
        /// The fewest baskets.
        k: u64,
        /// The most items known.
        #[serde(default = "two")]
        m: usize,
    },
    /// k^m-anonymity by vertical partitioning.
    Vertical {
        /// The fewest baskets.
        k: u64,
        /// The most items known.
        #[serde(default = "two")]
        m: usize,
    },
    /// k^m-anonymity by local recoding over parts of the baskets.
    Horizontal {
        /// The fewest baskets.
        k: u64,
        /// The most items known.
        #[serde(default = "two")]
        m: usize,
        /// The baskets of a part.
        part: usize,
    },
    /// (h,k,p)-coherence by suppression.
    Coherence {
        /// The largest share.
        h: f64,
        /// The fewest baskets.
        k: u64,
        /// The most public items known.
        p: usize,
    },
    /// l-diversity of sensitive items by suppression.
    Diversity {
        /// The inverse of the largest share.
        l: f64,
        /// The most public items known.
        m: usize,
    },
    /// rho-uncertainty by suppression.
    RhoUncertainty {
        /// The largest confidence.
        rho: f64,
        /// The most items known; no limit unless set.
        #[serde(default)]
        most: Option<usize>,
    },
    /// k^m-anonymity by taking baskets apart.
    Disassociation {
        /// The fewest baskets.
        k: u64,
        /// The most items known.
        #[serde(default = "two")]
        m: usize,
        /// The most baskets of a cluster.
        largest_cluster: usize,
    },
    /// Privacy and utility policies.
    Policies {
        /// The fewest baskets of a protected set.
        k: u64,
        /// The protected sets of items.
        privacy: Vec<Vec<String>>,
        /// Sets of items that may be published as one.
        #[serde(default)]
        utility: Vec<Vec<String>>,
        /// The most items that may be suppressed.
        #[serde(default)]
        most_suppressed: usize,
        /// How the next step is chosen.
        #[serde(default)]
        selection: Selection,
    },
    /// A log without queries of few people.
    Threshold {
        /// The fewest people of a query.
        people: u64,
        /// Where histories are cut into sessions; not at all unless set.
        #[serde(default)]
        sessions: Option<Splitting>,
        /// Whether words are published as hashes.
        #[serde(default)]
        hash: bool,
    },
    /// Noisy queries and clicks of Korolova and others.
    Korolova {
        /// What is spent.
        #[serde(flatten)]
        spending: Spending,
        /// The pairs of query and address that count of a person.
        #[serde(default)]
        clicks_per_person: u32,
    },
    /// Noisy queries of ZEALOUS.
    Zealous {
        /// What is spent.
        #[serde(flatten)]
        spending: Spending,
        /// The most persons of the log: for probabilistic differential privacy.
        #[serde(default)]
        population: Option<u64>,
    },
    /// Sketches of histories.
    Sketches {
        /// The least variance of an estimated count.
        #[serde(default)]
        delta: Option<f64>,
        /// Nearest neighbours whose similarity must vary.
        #[serde(default)]
        neighbours: Option<usize>,
        /// The most components.
        components: usize,
        /// Whether the signs are published, which gives histories away.
        #[serde(default)]
        publish_signs: bool,
    },
    /// Cover sets: queries that are sent together.
    Covers {
        /// Queries of a set.
        size: usize,
        /// The fewest people of a query.
        people: u64,
        /// The most times that a member is as popular as another.
        #[serde(default = "usual_ratio")]
        popularity_ratio: f64,
        /// The largest cosine of two members.
        #[serde(default = "usual_similarity")]
        most_similarity: f64,
        /// Dimensions of the index.
        #[serde(default = "usual_dimensions")]
        dimensions: usize,
    },
}

fn usual_ratio() -> f64 {
    2.0
}

fn usual_similarity() -> f64 {
    0.5
}

fn usual_dimensions() -> usize {
    20
}

/// What a noisy release of a log costs, and what pays for it.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Spending {
    /// The whole epsilon, as a text so that it is exact.
    pub epsilon: String,
    /// The whole delta.
    pub delta: String,
    /// No query of fewer people leaves.
    pub people: u64,
    /// The distinct queries of a person that count.
    #[serde(default = "one")]
    pub queries_per_person: u32,
    /// The file of the ledger that is charged.
    #[serde(default)]
    pub ledger: Option<PathBuf>,
    /// The account in the ledger.
    #[serde(default)]
    pub account: Option<String>,
}

impl Method {
    /// Whether it is about logs.
    pub fn is_about_logs(&self) -> bool {
        matches!(
            self,
            Self::Threshold { .. }
                | Self::Korolova { .. }
                | Self::Zealous { .. }
                | Self::Sketches { .. }
                | Self::Covers { .. }
        )
    }
}

/// Which kind of differential privacy a ZEALOUS job asks for.
pub(super) fn zealous_kind(population: Option<u64>) -> ZealousKind {
    population.map_or(ZealousKind::Approximate, |population| ZealousKind::Probabilistic { population })
}

pub(super) const SECTIONS: &[Section] = &[Section {
    name: "sets",
    keys: &[
        (
            "method",
            "apriori, count-tree, vertical, horizontal, coherence, diversity, rho-uncertainty, disassociation or policies for \
             baskets; threshold, korolova, zealous, sketches or covers for search logs.",
        ),
        ("k", "The fewest baskets that any known set of items must fit."),
        ("m", "The most items that an adversary knows; 2 unless set."),
        ("part", "horizontal: the baskets of a part."),
        ("h", "coherence: the largest share of a sensitive item."),
        ("p", "coherence: the most public items that an adversary knows."),
        ("l", "diversity: at most one of l baskets holds the same sensitive item."),
        ("rho", "rho-uncertainty: the largest confidence of a rule to a sensitive item."),
        ("most", "rho-uncertainty: the most items that an adversary knows; no limit unless set."),
        ("largest-cluster", "disassociation: clusters of more baskets are halved."),
        ("privacy", "policies: the sets of items that k baskets or none may hold."),
        ("utility", "policies: sets of items that may be published as one."),
        ("most-suppressed", "policies: the most items that may be left out."),
        ("selection", "policies: coat (the rarest item first) or pcta (the cheapest pair first)."),
        ("people", "Logs: no query of fewer people leaves."),
        ("sessions", "threshold: where histories are cut, { gap-seconds, least-similarity }."),
        ("hash", "threshold: whether words are published as hashes, which is weak."),
        ("epsilon", "korolova, zealous: the whole epsilon, as a text."),
        (
            "delta",
            "korolova, zealous: the whole delta, as a text. sketches: the least variance of an estimated count.",
        ),
        (
            "queries-per-person",
            "korolova, zealous: the distinct queries of a person that count; 1 unless set.",
        ),
        ("clicks-per-person", "korolova: the pairs of query and address that count; 0 publishes none."),
        ("population", "zealous: the most persons of the log, for probabilistic differential privacy."),
        ("ledger", "korolova, zealous: the ledger that is charged."),
        ("account", "korolova, zealous: the account in the ledger."),
        ("neighbours", "sketches: nearest neighbours whose similarity must vary."),
        ("components", "sketches: the most components of anybody."),
        ("size", "covers: the queries that are sent together."),
        ("popularity-ratio", "covers: the most times that a member is as popular as another; 2 unless set."),
        ("most-similarity", "covers: the largest cosine of two members; 0.5 unless set."),
        ("dimensions", "covers: dimensions of the index that compares queries; 20 unless set."),
        ("publish-signs", "sketches: whether the signs are published, which gives histories away."),
    ],
}];

/// What was read.
pub(super) enum Data {
    Sets(SetData, ItemTree),
    Log(Log),
}

/// Reads the input of a job.
pub(super) fn read(job: &JobFile, progress: &dyn Progress) -> Result<Data, KindError> {
    let input: Input = job.required("input")?;
    let path = job.resolve(&input.path);
    let reading = ReadOptions { formulas: input.formulas, ..ReadOptions::default() };
    if input.form == Form::Log {
        let options = LogOptions {
            person: input.person,
            query: input.query,
            time: input.time,
            click: input.click,
            read: reading,
        };
        return Ok(Data::Log(crate::read_log(&path, &options, progress)?));
    }
    let mut data = match input.form {
        Form::Lines => {
            if input.formulas != Formulas::Keep {
                return Err(KindError::key(
                    "input.formulas",
                    "must be \"keep\" where baskets are lines of text",
                ));
            }
            let options = LineOptions { separator: input.separator, most_items: input.most_items };
            crate::read_lines(&path, &options, progress)?
        }
        _ => {
            let options = PairOptions {
                person: input.person,
                item: input.item,
                most_items: input.most_items,
                read: reading,
            };
            crate::read_pairs(&path, &options, progress)?
        }
    };
    data.items.mark_sensitive(input.sensitive.iter().map(String::as_str))?;
    let tree = match &input.hierarchy {
        None => ItemTree::flat(&data.items),
        Some(path) => {
            let hierarchy = read_hierarchy(&job.resolve(path))
                .map_err(|error| KindError::bad_input(error.to_string()))?;
            ItemTree::new(&data.items, &hierarchy)?
        }
    };
    Ok(Data::Sets(data, tree))
}
