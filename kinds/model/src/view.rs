//! What attacks and measures look at: the model as it was published, and the records it was learned from.

use privet_kind::{Assessment, KindError, Original, PageSection, Release, Views};
use privet_mine::Examples;
use privet_mine::bayes::{BayesError, BayesRelease, BayesVerdict};
use privet_mine::cluster::{ClusterError, ClusterRelease, ClusterVerdict, Points};
use privet_mine::rules::{RuleError, RuleRelease, RuleVerdict, Transactions};
use privet_mine::tree::{SpanCounts, TreeError, TreeRelease, TreeVerdict};
use serde::{Deserialize, Serialize};

/// A published model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "model", rename_all = "kebab-case")]
pub enum PublishedModel {
    /// Decision trees.
    Tree(TreeRelease),
    /// A clustering by nearest centroid.
    Clusters(ClusterRelease),
    /// Association rules.
    Rules(RuleRelease),
    /// Naive Bayes, which several owners learn together.
    Bayes(BayesRelease),
}

/// The records that a model was learned from.
#[derive(Debug, Clone, PartialEq)]
pub enum OriginalModel {
    /// Records with a class.
    Tree(Examples),
    /// Points.
    Clusters(Points),
    /// Sets of items, with their labels.
    Rules(Transactions, Vec<String>),
    /// The model was learned elsewhere: its records are not here.
    Elsewhere,
}

/// Why a published model cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ParseError {
    /// No JSON of this form. The text of the problem may hold data, so only the place is told.
    #[error("line {}, column {}: not a published model", .0.line(), .0.column())]
    Form(serde_json::Error),
    #[error(transparent)]
    Tree(#[from] TreeError),
    #[error(transparent)]
    Clusters(#[from] ClusterError),
    #[error(transparent)]
    Rules(#[from] RuleError),
    #[error(transparent)]
    Bayes(#[from] BayesError),
}

/// What checking a model by itself found.
pub(crate) enum Verdict {
    Tree(TreeVerdict),
    Clusters(ClusterVerdict),
    Rules(RuleVerdict),
    Bayes(BayesVerdict),
}

impl Verdict {
    /// The people of the smallest span that tells of private attributes.
    pub fn reached(&self) -> Option<u64> {
        match self {
            Verdict::Tree(own) => own.reached,
            Verdict::Clusters(own) => own.reached,
            Verdict::Rules(own) => own.reached,
            Verdict::Bayes(own) => own.reached,
        }
    }

    pub fn holds(&self) -> bool {
        match self {
            Verdict::Tree(own) => own.holds(),
            Verdict::Clusters(own) => own.holds(),
            Verdict::Rules(own) => own.holds(),
            Verdict::Bayes(own) => own.holds(),
        }
    }

    /// The people about whose private attributes the model says nothing.
    pub fn silent(&self) -> u64 {
        match self {
            Verdict::Tree(own) => own.silent,
            Verdict::Clusters(own) => own.silent,
            Verdict::Rules(own) => own.silent,
            Verdict::Bayes(_) => 0,
        }
    }
}

/// Claim 3 of the source on a published model (papers F-AL1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClaimChecked {
    /// The people that the model was learned from.
    pub records: u64,
    /// The number of spans that people have.
    pub spans: usize,
    /// The people of the smallest span that tells of private attributes; none when no span does.
    pub smallest: Option<u64>,
    /// Spans that tell of private attributes and have fewer than k people.
    pub violations: usize,
    /// The people of whose private attributes the model says nothing.
    pub silent: u64,
    /// Whether it keeps what it declares itself, such as a limit on confidence.
    pub keeps_its_own: bool,
}

impl PublishedModel {
    /// Reads a model, whoever made it.
    ///
    /// # Errors
    /// When it is none, or contradicts itself. The message holds no value.
    pub fn read(bytes: &[u8]) -> Result<Self, KindError> {
        Self::parse(bytes).map_err(|error| KindError::bad_input(error.to_string()))
    }

    /// Checks whether it is k-anonymous: every span that tells of private attributes has at least k people.
    ///
    /// # Errors
    /// When k is 0 or above the number of people, or the model contradicts itself.
    pub fn check(&self, k: u64) -> Result<ClaimChecked, KindError> {
        let records = self.records();
        if k == 0 || k > records {
            return Err(KindError::bad_input(format!(
                "k may be from 1 to {records}, the people of the model"
            )));
        }
        let verdict = self.verdict().map_err(|error| KindError::bad_input(error.to_string()))?;
        let telling = self.telling_spans().map_err(|error| KindError::bad_input(error.to_string()))?;
        Ok(ClaimChecked {
            records,
            spans: match self {
                Self::Tree(own) => own.spans.len(),
                Self::Clusters(own) => own.spans.len(),
                Self::Rules(own) => own.spans.len(),
                Self::Bayes(_) => telling.len(),
            },
            smallest: verdict.reached(),
            violations: telling.iter().filter(|&&people| people < k).count(),
            silent: verdict.silent(),
            keeps_its_own: verdict.holds(),
        })
    }

    /// The people of each span that tells of private attributes; of naive Bayes, of each group that the counts tell of.
    fn telling_spans(&self) -> Result<Vec<u64>, BayesError> {
        Ok(match self {
            Self::Bayes(own) => own.groups()?,
            Self::Tree(own) => {
                let tells =
                    |span: &&SpanCounts| span.class.is_none() || span.leaves.len() > own.model.roots.len();
                own.spans.iter().filter(tells).map(SpanCounts::records).collect()
            }
            Self::Clusters(own) => {
                let many = own.spans.iter().filter(|span| span.clusters.len() > 1);
                many.map(|span| span.records()).collect()
            }
            Self::Rules(own) => {
                let model = own.model();
                let tells = |states: &[u32]| (0..states.len()).any(|rule| model.varies(rule, states[rule]));
                own.spans.iter().filter(|span| tells(&span.states)).map(|span| span.records).collect()
            }
        })
    }

    /// Reads a model and checks that it does not contradict itself: predictions and drawings may rely on that.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, ParseError> {
        let own: Self = serde_json::from_slice(bytes).map_err(ParseError::Form)?;
        own.verdict()?;
        Ok(own)
    }

    pub(crate) fn verdict(&self) -> Result<Verdict, ParseError> {
        Ok(match self {
            Self::Tree(own) => Verdict::Tree(own.verify()?),
            Self::Clusters(own) => Verdict::Clusters(own.verify()?),
            Self::Rules(own) => Verdict::Rules(own.verify()?),
            Self::Bayes(own) => Verdict::Bayes(own.verify()?),
        })
    }

    /// The records that it was learned from.
    pub fn records(&self) -> u64 {
        match self {
            Self::Tree(own) => own.records,
            Self::Clusters(own) => own.records,
            Self::Rules(own) => own.records,
            Self::Bayes(own) => own.records,
        }
    }
}

impl Release for PublishedModel {
    fn views(&self) -> Views<'_> {
        Views::of(self)
    }

    fn heading(&self) -> (String, String) {
        let (title, size) = match self {
            Self::Tree(own) if own.model.roots.len() > 1 => {
                ("Report on a forest", format!("{} trees", own.model.roots.len()))
            }
            Self::Tree(own) => {
                ("Report on a decision tree", format!("{} leaves", own.model.leaves().count()))
            }
            Self::Clusters(own) => ("Report on a clustering", format!("{} clusters", own.centroids.len())),
            Self::Rules(own) => ("Report on association rules", format!("{} rules", own.rules.len())),
            Self::Bayes(own) => ("Report on naive Bayes", format!("{} attributes", own.attributes.len())),
        };
        (title.to_owned(), format!("{size}, learned from {} records", self.records()))
    }

    fn sections(&self, _: &Assessment) -> Vec<PageSection> {
        crate::page::sections(self)
    }
}

impl Original for OriginalModel {
    fn views(&self) -> Views<'_> {
        Views::of(self)
    }
}
