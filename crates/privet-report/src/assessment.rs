//! What measuring and attacking a release found: for its owner, and not part of the release.
//!
//! The release's own report may say only what its files show. An assessment compares with the original, so it tells
//! things that only the owner may know: how columns were distributed before, which other versions were considered, how
//! often an adversary is right, what the true answers to the owner's own questions are. It still holds no value of a record
//! and names nobody: columns, published labels, counts, shares and these answers are all.

use privet_attack::{Finding, Note, Rate, Topic, percent};
use serde::{Deserialize, Serialize};

use crate::text::count;
use crate::{ColumnUtility, Workload};

/// What measuring and attacking a release found.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Assessment {
    /// The attacks that were made.
    pub attacks: Vec<Finding>,
    /// The attacks that were not, and why.
    pub not_made: Vec<NotMade>,
    /// Those of them that were asked for, by name or by what the adversary knows, and what stood in their way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocked: Vec<NotMade>,
    /// The most that the release may add to the risk, when a limit was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_risk: Option<f64>,
    /// The largest risk that is accepted, whatever is reached without the release, when a limit was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_absolute_risk: Option<f64>,
    /// What single records risk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk: Option<Risk>,
    /// What the release is still good for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub utility: Option<Utility>,
    /// What else could have been published.
    pub candidates: Vec<CandidatePoint>,
}

/// A share in per cent with two decimals, and not rounded to what it is above.
pub fn above(share: f64, accepted: f64) -> String {
    let (share, accepted) = (percent(share), percent(accepted));
    if share > accepted { share.to_string() } else { format!("more than {accepted}") }
}

/// An attack that was not made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotMade {
    /// Its word.
    pub attack: String,
    /// The column that it was not made on, where it may have been made on others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// Why, as a sentence.
    pub why: String,
}

impl NotMade {
    /// An attack that was made on nothing.
    pub fn new(attack: impl Into<String>, why: impl Into<String>) -> Self {
        Self { attack: attack.into(), column: None, why: why.into() }
    }

    /// The same of one column.
    #[must_use]
    pub fn on(self, column: Option<String>) -> Self {
        Self { column, ..self }
    }

    /// Its word, and the column that it was not made on.
    pub fn label(&self) -> String {
        match &self.column {
            Some(column) => format!("{} of {column}", self.attack),
            None => self.attack.clone(),
        }
    }
}

/// A figure with its name and what it says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// Its word in files.
    pub key: &'static str,
    /// Its name.
    pub name: String,
    /// The column that it is about, where figures of several columns have the same word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// The figure; no number, and `null` in JSON, where there is none: then `says` tells why.
    pub value: f64,
    /// What it says, to someone who is no statistician, in one sentence.
    pub says: String,
    /// Whether it is a share that is best read in per cent.
    pub is_share: bool,
    /// Whether it is estimated by a model, which may not fit.
    #[serde(skip)]
    pub is_estimate: bool,
}

impl Figure {
    /// What stands in place of a value that there is not; `says` has the reason.
    pub fn without_value(&self) -> &'static str {
        if self.is_estimate { "no estimate" } else { "not computed" }
    }
}

/// What single records risk.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Risk {
    /// Prosecutor, journalist, marketer, uniques and their estimates in the population, special uniques.
    pub figures: Vec<Figure>,
    /// Records by their risk of re-identification (one divided by the size of their class): from, to, records.
    pub histogram: Vec<RiskBin>,
    /// What is to be known about the figures.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A bar of the histogram of risks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RiskBin {
    /// The lower bound.
    pub from: f64,
    /// The upper bound.
    pub to: f64,
    /// Records.
    pub records: u64,
}

/// What the release is still good for.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Utility {
    /// Figures about the whole table.
    pub figures: Vec<Figure>,
    /// Figures and distributions of each column.
    pub columns: Vec<ColumnUtility>,
    /// How strongly columns go together, before and after.
    pub pairs: Vec<PairUtility>,
    /// Who was learned from and who was tested on, where something was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<Protocol>,
    /// How well classifiers learn from the release.
    pub learners: Vec<Learner>,
    /// How well regressions learn from the release.
    pub regressions: Vec<Regression>,
    /// How far random queries are off.
    pub queries: Option<QueryUtility>,
    /// How far the answers to questions of the owner's own are off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workload: Option<Workload>,
    /// What could not be measured and why, and what is to be known about how something was: a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
}

impl Utility {
    /// Adds a remark: full sentences.
    pub fn remark(&mut self, text: impl Into<String>) {
        self.notes.push(Note::of_original(text));
    }

    /// Adds why nothing, or not everything that was asked for, could be learned from the release.
    pub fn not_learned(&mut self, why: impl Into<String>) {
        self.notes.push(Note::of_original(why).about(Topic::NotLearned));
    }
}

/// Two columns: how strongly they go together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairUtility {
    /// One column.
    pub a: String,
    /// The other.
    pub b: String,
    /// Cramér's V in the original, corrected for what chance adds to it (Bergsma).
    pub before: f64,
    /// The same in the release.
    pub after: f64,
}

/// Who was learned from and who was tested on (survey US-10).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Protocol {
    /// Whether the tested records never were part of what the release was made from.
    pub strict: bool,
    /// Published records that were learned from.
    pub released: u64,
    /// Original records that were learned from.
    pub raw: u64,
    /// Raw records that were tested on.
    pub tested: u64,
    /// Strict: tested records with the values of an original record in every column that was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub also_in_original: Option<u64>,
}

impl Protocol {
    /// What was done, in plain words.
    pub fn says(&self) -> String {
        let [released, raw, tested] = [self.released, self.raw, self.tested].map(count);
        match self.also_in_original {
            Some(seen) => {
                let also = match seen {
                    0 => "None of them has the values of an original record.".to_owned(),
                    seen => format!(
                        "{} of them have the values of an original record in every column that was looked at; if they \
                         are records of the original, the test is not strict.",
                        count(seen)
                    ),
                };
                format!(
                    "Learned from all {released} published records and from all {raw} original ones; tested on {tested} \
                     records of a file of their own. {also}"
                )
            }
            None => format!(
                "Every third record of the original was set apart and tested on, {tested} in all; learned from the \
                 {released} published and the {raw} original ones among the others. The release was made with the tested \
                 records in view, so this is kinder to it than the strict protocol: for that, make the release without \
                 some records and give them with --test."
            ),
        }
    }
}

/// A regression, trained on raw and on released records, tested on raw ones that neither saw.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Regression {
    /// Its name.
    pub name: String,
    /// What it predicts.
    pub target: String,
    /// Tested records that have the target.
    pub tested: u64,
    /// The error of guessing the mean.
    pub baseline: f64,
    /// Trained on raw records.
    pub raw: Fit,
    /// Trained on released records.
    pub released: Fit,
}

/// How well a regression predicts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Fit {
    /// The root of the mean squared error, in the units of what is predicted.
    pub error: f64,
    /// R²: the share of the squared error of guessing the mean that is gone; below 0 when it is worse than guessing.
    /// `None` when guessing is right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub determination: Option<f64>,
}

/// A classifier, trained on raw and on released records, tested on raw ones that neither saw.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Learner {
    /// Its name.
    pub name: String,
    /// What it predicts.
    pub class: String,
    /// Guessing the most frequent class.
    pub baseline: Rate,
    /// Trained on raw records.
    pub raw: Rate,
    /// Trained on released records.
    pub released: Rate,
}

/// Random count queries answered from the release.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QueryUtility {
    /// How many were asked.
    pub queries: u64,
    /// Their mean relative error.
    pub mean_relative_error: f64,
    /// Their median relative error.
    pub median_relative_error: f64,
    /// What they ask for.
    pub about: String,
}

/// A candidate that the search looked at.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CandidatePoint {
    /// The loss, from 0 to 1, suppressed records costing 1: exact for the published one, and for others what records lose
    /// on average.
    pub loss: f64,
    /// The mean risk of re-identification of its records: classes divided by records.
    pub risk: f64,
    /// The share of records that would be suppressed.
    pub suppressed: f64,
    /// Whether all promises hold.
    pub safe: bool,
    /// Whether it is the published one.
    pub chosen: bool,
}
