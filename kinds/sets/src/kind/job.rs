//! The sections of a job about sets: what is read, and by which method it is protected.

use std::path::PathBuf;

use privet_data::Progress;
use privet_data::hierarchy::read_hierarchy;
use privet_data::io::{Formulas, ReadOptions};
use privet_kind::{JobFile, KindError};
use serde::Deserialize;

use crate::anonymize::Selection;
use crate::log::{Log, Splitting, ZealousKind};
use crate::{ItemTree, LineOptions, LogOptions, PairOptions, SetData, Span, USUAL_MOST_ITEMS};

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

impl Form {
    fn word(self) -> &'static str {
        match self {
            Self::Lines => "\"lines\"",
            Self::Pairs => "\"pairs\"",
            Self::Log => "\"log\"",
        }
    }
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
    /// Pairs: the first moment that counts.
    #[serde(default)]
    pub from: Option<String>,
    /// Pairs: the first moment that counts no more.
    #[serde(default)]
    pub until: Option<String>,
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

impl Input {
    /// Refuses a key that the form does not use: what is written and ignored would be believed.
    fn check(&self) -> Result<(), KindError> {
        let given = [
            ("separator", self.separator.is_some(), &[Form::Lines][..]),
            ("person", self.person.is_some(), &[Form::Pairs, Form::Log]),
            ("item", self.item.is_some(), &[Form::Pairs]),
            ("query", self.query.is_some(), &[Form::Log]),
            ("time", self.time.is_some(), &[Form::Pairs, Form::Log]),
            ("from", self.from.is_some(), &[Form::Pairs]),
            ("until", self.until.is_some(), &[Form::Pairs]),
            ("click", self.click.is_some(), &[Form::Log]),
            ("hierarchy", self.hierarchy.is_some(), &[Form::Lines, Form::Pairs]),
            ("sensitive", !self.sensitive.is_empty(), &[Form::Lines, Form::Pairs]),
        ];
        for (key, _, forms) in given.into_iter().filter(|own| own.1) {
            if !forms.contains(&self.form) {
                let names: Vec<&str> = forms.iter().map(|own| own.word()).collect();
                let problem = format!("is used with form = {} only; leave it out", names.join(" or "));
                return Err(KindError::key(format!("input.{key}"), problem));
            }
        }
        self.span().map(|_| ())
    }

    /// The span of time whose pairs count.
    fn span(&self) -> Result<Option<Span>, KindError> {
        if self.form != Form::Pairs {
            return Ok(None);
        }
        let moment = |key: &str, text: &Option<String>| match text {
            None => Ok(None),
            Some(text) => match crate::seconds_of(text) {
                Some(second) => Ok(Some(second)),
                None => Err(KindError::key(key, "must be a moment, such as 2024-02-01 or 2024-02-01T08:00")),
            },
        };
        let (from, until) = (moment("input.from", &self.from)?, moment("input.until", &self.until)?);
        match (&self.time, from.is_some() || until.is_some()) {
            (None, false) => Ok(None),
            (Some(time), true) => Ok(Some(Span { time: time.clone(), from, until })),
            (Some(_), false) => Err(KindError::key(
                "input.time",
                "says which pairs count, and needs `input.from` or `input.until`; times are not published",
            )),
            (None, true) => {
                Err(KindError::key("input.time", "is needed beside `input.from` and `input.until`"))
            }
        }
    }
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

/// What was read.
pub(super) enum Data {
    Sets(SetData, ItemTree),
    Log(Log),
}

/// Reads the input of a job.
pub(super) fn read(job: &JobFile, progress: &dyn Progress) -> Result<Data, KindError> {
    let input: Input = job.required("input")?;
    input.check().map_err(|error| error.at(job.path()))?;
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
                span: input.span()?,
                person: input.person,
                item: input.item,
                most_items: input.most_items,
                read: reading,
            };
            crate::read_pairs(&path, &options, progress)?
        }
    };
    if data.baskets.is_empty() {
        return Err(KindError::bad_input("there is no basket; nothing can be published").at(&path));
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(keys: &str) -> Option<String> {
        let text = format!("[input]\npath = \"data.csv\"\n{keys}\n");
        let job = JobFile::in_folder(std::path::Path::new("."), text.parse().unwrap());
        let input: Input = job.required("input").unwrap();
        input.check().err().map(|own| own.to_string())
    }

    /// A key that is accepted and ignored would be believed.
    #[test]
    fn keys_that_a_form_does_not_use_are_refused() {
        for (keys, key) in [
            ("time = \"when\"", "input.time"),
            ("from = \"2024-02-01\"", "input.time"),
            ("time = \"when\"\nuntil = \"soon\"", "input.until"),
            ("query = \"q\"", "input.query"),
            ("click = \"url\"", "input.click"),
            ("form = \"lines\"\nperson = \"who\"", "input.person"),
            ("form = \"lines\"\ntime = \"when\"", "input.time"),
            ("form = \"log\"\nitem = \"what\"", "input.item"),
            ("form = \"log\"\nsensitive = [\"a\"]", "input.sensitive"),
            ("form = \"log\"\nfrom = \"2024-02-01\"", "input.from"),
        ] {
            let told = refused(keys).unwrap_or_default();
            assert!(told.contains(key) && !told.contains("soon"), "{keys}: {told}");
        }
        assert_eq!(refused("time = \"when\"\nfrom = \"2024-02-01\""), None);
        assert_eq!(refused("form = \"log\"\ntime = \"when\"\nclick = \"url\""), None);
        assert_eq!(refused("form = \"lines\"\nseparator = \",\"\nsensitive = [\"a\"]"), None);
    }
}
