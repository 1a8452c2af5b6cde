//! What a release of synthetic records says of itself: which columns were made by which model, in how many copies, how
//! often a made value is one of the originals, and how estimates from the copies are combined (survey ME-38 to ME-45).
//!
//! There is no formal privacy. The shares compare with the original, and hold none of its values.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The words for models, as in job files.
pub const MODELS: [&str; 7] = [
    "cart",
    "regression",
    "sufficiency",
    "moments",
    "franconi-stander",
    "latin-hypercube",
    "maximum-entropy",
];

/// How synthetic records were made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Synthesis {
    /// One of [`MODELS`].
    pub model: String,
    /// `full` when every record is new and every column is made, `partial` when chosen columns are replaced.
    pub scope: String,
    /// The files of the copies.
    pub copies: Vec<String>,
    /// Partial: only records that have one of the listed values in each of these columns, which are published as they are,
    /// were replaced; all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<BTreeMap<String, Vec<String>>>,
    /// How many records these are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced: Option<u64>,
    /// The columns that were made, in the order in which they were.
    pub columns: Vec<SyntheticColumn>,
    /// The share of made records, over all copies, that equal a record of the original in every column.
    pub copied_records: f64,
    /// How estimates from the copies are combined; absent when copies of this model have no rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<CombinationRule>,
}

/// The figure of a made column that tells which share of its originals was missing.
pub const MISSING_BEFORE: &str = "missing-before";

impl Synthesis {
    /// The made columns of which some originals were missing.
    pub fn with_gaps(&self) -> impl Iterator<Item = &SyntheticColumn> {
        self.columns.iter().filter(|own| own.figures.contains_key(MISSING_BEFORE))
    }

    /// What became of missing values, in a sentence; none where there were none.
    pub fn told_of_gaps(&self) -> Option<String> {
        let names: Vec<&str> = self.with_gaps().map(|own| own.name.as_str()).collect();
        if names.is_empty() {
            return None;
        }
        let names = names.join(", ");
        Some(match self.model.as_str() {
            "cart" => {
                format!("Missing values of {names} are missing again as often, and for whom the trees say.")
            }
            _ => format!(
                "Values of {names} that were missing are filled in, also where there was none to be told: a reader cannot see whose \
                 they were."
            ),
        })
    }

    /// Whether made columns no longer go together with those that stay: these models know the made columns alone.
    #[must_use]
    pub fn forgets_what_stays(&self) -> bool {
        self.scope == "partial" && ["moments", "latin-hypercube"].contains(&self.model.as_str())
    }
}

/// A rule of `privet combine`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CombinationRule {
    /// `fully-synthetic` or `partially-synthetic`.
    pub rule: String,
    /// Fully synthetic: the records of a copy over those of the original.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<f64>,
}

impl CombinationRule {
    /// The flags of `privet combine`.
    pub fn flags(&self) -> String {
        let size = self.size.map_or(String::new(), |size| format!(" --size {size}"));
        format!("--rule {}{size}", self.rule)
    }
}

/// A column that was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SyntheticColumn {
    /// Its name.
    pub name: String,
    /// `number`, `date` or `category`.
    pub kind: String,
    /// What it was made by: `tree`, `regression` or another of the words for models.
    pub made_by: String,
    /// What is told of that, such as the leaves of a tree: counts and shares.
    pub figures: BTreeMap<String, f64>,
    /// Numbers: the decimals that they were rounded to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decimals: Option<u8>,
    /// Partial: the share of values that equal the one they replace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equal: Option<f64>,
    /// The share that would, if they were dealt out at random.
    pub by_chance: f64,
    /// The share that equal a value that only one record of the original has.
    pub of_one_record: f64,
}

impl Synthesis {
    /// The rule that goes with a model and a scope; the size is that of the release.
    pub fn has_rule(&self) -> Option<&'static str> {
        match (self.model.as_str(), self.scope.as_str()) {
            ("cart" | "regression", "full") => Some("fully-synthetic"),
            ("cart" | "regression", _) => Some("partially-synthetic"),
            _ => None,
        }
    }

    /// Its numbers with a fraction, each with what it is about.
    pub(super) fn figures(&self) -> Vec<(&str, f64)> {
        let mut figures = vec![("synthetic", self.copied_records)];
        figures.extend(self.rule.iter().filter_map(|rule| Some(("rule", rule.size?))));
        for column in &self.columns {
            let shares = [column.equal, Some(column.by_chance), Some(column.of_one_record)];
            let all = shares.into_iter().flatten().chain(column.figures.values().copied());
            figures.extend(all.map(|value| (column.name.as_str(), value)));
        }
        figures
    }
}
