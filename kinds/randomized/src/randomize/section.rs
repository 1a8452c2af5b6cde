//! The `[randomize]` section: by which method records are made, and its keys.
//!
//! Keys of one method are refused beside another: a key that does nothing would promise something.

use std::collections::BTreeMap;

use privet_data::Role;
use serde::Deserialize;

use super::job::{RandomizeColumn, ValueText};
use crate::error::JobError;

/// The `[randomize]` section.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RandomizeSection {
    /// How the published table is made of the input.
    #[serde(default)]
    pub method: Method,
    /// Swapped or synthetic: the columns that change.
    pub columns: Option<Vec<String>>,
    /// Swapped: with whom.
    pub swap: Option<SwapWord>,
    /// By rank: the window, in percent of the records.
    pub percent: Option<f64>,
    /// By order: joint counts of so many columns stay.
    pub order: Option<usize>,
    /// By order or margin: the share of records to change.
    pub share: Option<f64>,
    /// By nearness: the probability with which a pair exchanges.
    pub probability: Option<f64>,
    /// By nearness: the columns that are compared; all others when left out.
    pub compare: Option<Vec<String>>,
    /// Synthetic: the model.
    pub model: Option<ModelWord>,
    /// Synthetic: what is replaced.
    pub scope: Option<ScopeWord>,
    /// Synthetic: how many tables; 5 when left out.
    pub copies: Option<usize>,
    /// Synthetic, in part: only records with these values in these columns, which are published as they are.
    pub only: Option<BTreeMap<String, Vec<ValueText>>>,
    /// Synthetic by trees: the fewest records in a leaf.
    pub min_leaf: Option<usize>,
    /// Synthetic by regressions: how often every column is made.
    pub rounds: Option<usize>,
    /// Synthetic by regressions: how often missing values are imputed in turn.
    pub cycles: Option<usize>,
    /// Synthetic by regressions: whether numbers are drawn within the range of the known ones.
    pub within_range: Option<bool>,
    /// Synthetic of maximum entropy: sets of columns whose joint counts stay.
    pub margins: Option<Vec<Vec<String>>>,
    /// Synthetic, in full: the records of each table; those of the input when left out.
    pub records: Option<usize>,
}

/// How the published table is made of the input: one file of this folder for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Each column by its own law (`columns.rs`).
    #[default]
    Columns,
    /// Values change places between records (`swap.rs`).
    Swap,
    /// Values are drawn from a model (`synthetic.rs`).
    Synthetic,
}

impl Method {
    /// The word used in job files and manifests.
    pub fn word(self) -> &'static str {
        match self {
            Method::Columns => "columns",
            Method::Swap => "swap",
            Method::Synthetic => "synthetic",
        }
    }
}

/// With whom records exchange values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SwapWord {
    /// With one that is near in rank.
    Rank,
    /// In sets with equal counts, so that joint counts of some order stay.
    Order,
    /// With one that agrees on the other swapped columns.
    Margin,
    /// With the nearest.
    Nearest,
}

/// What synthetic values are drawn from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModelWord {
    /// Decision trees.
    Cart,
    /// Regressions.
    Regression,
    /// Regressions whose sufficient statistics stay.
    Sufficiency,
    /// Normal numbers with the same moments.
    Moments,
    /// Midpoints of predicted intervals.
    FranconiStander,
    /// The same distributions, dealt out by ranks.
    LatinHypercube,
    /// The joint table of maximum entropy.
    MaximumEntropy,
}

impl ModelWord {
    /// Whether the model leaves nothing to chance.
    pub fn is_fixed(self) -> bool {
        self == ModelWord::FranconiStander
    }

    /// The word used in job files and manifests.
    pub fn word(self) -> &'static str {
        match self {
            ModelWord::Cart => "cart",
            ModelWord::Regression => "regression",
            ModelWord::Sufficiency => "sufficiency",
            ModelWord::Moments => "moments",
            ModelWord::FranconiStander => "franconi-stander",
            ModelWord::LatinHypercube => "latin-hypercube",
            ModelWord::MaximumEntropy => "maximum-entropy",
        }
    }
}

/// What is replaced by synthetic values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScopeWord {
    /// Everything: new records.
    Full,
    /// Chosen columns.
    Partial,
}

impl RandomizeSection {
    pub(super) fn check(&self, columns: &BTreeMap<String, RandomizeColumn>) -> Result<(), JobError> {
        use Method::{Swap, Synthetic};
        let keys: [(&str, bool, &[Method]); 17] = [
            ("columns", self.columns.is_some(), &[Swap, Synthetic]),
            ("swap", self.swap.is_some(), &[Swap]),
            ("percent", self.percent.is_some(), &[Swap]),
            ("order", self.order.is_some(), &[Swap]),
            ("share", self.share.is_some(), &[Swap]),
            ("probability", self.probability.is_some(), &[Swap]),
            ("compare", self.compare.is_some(), &[Swap]),
            ("model", self.model.is_some(), &[Synthetic]),
            ("scope", self.scope.is_some(), &[Synthetic]),
            ("copies", self.copies.is_some(), &[Synthetic]),
            ("records", self.records.is_some(), &[Synthetic]),
            ("only", self.only.is_some(), &[Synthetic]),
            ("min-leaf", self.min_leaf.is_some(), &[Synthetic]),
            ("rounds", self.rounds.is_some(), &[Synthetic]),
            ("cycles", self.cycles.is_some(), &[Synthetic]),
            ("within-range", self.within_range.is_some(), &[Synthetic]),
            ("margins", self.margins.is_some(), &[Synthetic]),
        ];
        for (key, is_there, methods) in keys {
            if is_there && !methods.contains(&self.method) {
                let words: Vec<String> =
                    methods.iter().map(|method| format!("method = \"{}\"", method.word())).collect();
                let problem = format!("goes with {} only", words.join(" or "));
                return Err(JobError::key(format!("randomize.{key}"), problem));
            }
        }
        for (key, names) in [("columns", &self.columns), ("compare", &self.compare)] {
            if let Some(names) = names {
                check_names(key, names, columns)?;
            }
        }
        for margin in self.margins.iter().flatten() {
            check_names("margins", margin, columns)?;
        }
        if let Some(only) = self.only.as_ref().filter(|only| !only.is_empty()) {
            check_names("only", &only.keys().cloned().collect::<Vec<_>>(), columns)?;
        }
        if self.method == Method::Columns {
            return Ok(());
        }
        for (name, column) in columns {
            for (what, is_there) in
                [("perturb", column.perturb.is_some()), ("hierarchy", column.hierarchy.is_some())]
            {
                if is_there {
                    return Err(JobError::key(
                        format!("columns.{name}.{what}"),
                        "goes with method = \"columns\" only",
                    ));
                }
            }
        }
        match self.method {
            Swap => self.check_swap(),
            _ => self.check_synthetic(),
        }
    }

    /// The keys of regressions.
    fn check_regression(&self, model: ModelWord) -> Result<(), JobError> {
        let keys = [
            ("rounds", self.rounds.is_some(), self.rounds),
            ("cycles", self.cycles.is_some(), self.cycles),
            ("within-range", self.within_range.is_some(), None),
        ];
        for (key, is_there, number) in keys {
            if is_there && model != ModelWord::Regression {
                return Err(JobError::key(
                    format!("randomize.{key}"),
                    "goes with model = \"regression\" only",
                ));
            }
            if number.is_some_and(|own| !(1..=100).contains(&own)) {
                return Err(JobError::key(format!("randomize.{key}"), "must be a number from 1 to 100"));
            }
        }
        Ok(())
    }

    fn check_swap(&self) -> Result<(), JobError> {
        let Some(word) = self.swap else {
            return Err(needed("swap", "\"rank\", \"order\", \"margin\" or \"nearest\""));
        };
        if self.columns.is_none() {
            return Err(needed("columns", "the names of the columns whose values change places"));
        }
        let keys: [(&str, bool, &[SwapWord], &str); 5] = [
            ("percent", self.percent.is_some(), &[SwapWord::Rank], "a percentage above 0 and at most 100"),
            ("order", self.order.is_some(), &[SwapWord::Order], "of how many columns joint counts stay"),
            ("share", self.share.is_some(), &[SwapWord::Order, SwapWord::Margin], "above 0 and at most 1"),
            ("probability", self.probability.is_some(), &[SwapWord::Nearest], "above 0 and at most 1"),
            ("compare", self.compare.is_some(), &[SwapWord::Nearest], ""),
        ];
        for (key, is_there, words, accepted) in keys {
            if is_there && !words.contains(&word) {
                return Err(JobError::key(
                    format!("randomize.{key}"),
                    "does not go with this way of swapping: `percent` goes with \"rank\", `order` and `share` with \
                     \"order\", `share` with \"margin\", `probability` and `compare` with \"nearest\"",
                ));
            }
            if !is_there && words.contains(&word) && !accepted.is_empty() {
                return Err(needed(key, accepted));
            }
        }
        let is_within = |value: Option<f64>, most: f64| value.is_none_or(|own| own > 0.0 && own <= most);
        for (key, value, most) in [
            ("percent", self.percent, 100.0),
            ("share", self.share, 1.0),
            ("probability", self.probability, 1.0),
        ] {
            if !is_within(value, most) {
                let problem = format!("must be a number above 0 and at most {most}");
                return Err(JobError::key(format!("randomize.{key}"), problem));
            }
        }
        let many = self.columns.as_ref().map_or(0, Vec::len);
        if self.order.is_some_and(|order| order == 0 || order >= many || order > 10) {
            return Err(JobError::key(
                "randomize.order",
                "must be from 1 to one less than the number of columns under `columns`, and at most 10",
            ));
        }
        Ok(())
    }

    fn check_synthetic(&self) -> Result<(), JobError> {
        let Some(model) = self.model else {
            return Err(needed("model", "\"cart\" suits most tables; the guide lists the others"));
        };
        let Some(scope) = self.scope else {
            return Err(needed("scope", "\"full\" for new records, \"partial\" to replace chosen columns"));
        };
        match (model, scope) {
            (ModelWord::FranconiStander, ScopeWord::Full) => {
                return Err(JobError::key(
                    "randomize.scope",
                    "= \"full\" does not go with this model; use \"partial\"",
                ));
            }
            (ModelWord::MaximumEntropy, ScopeWord::Partial) => {
                return Err(JobError::key(
                    "randomize.scope",
                    "= \"partial\" does not go with this model; use \"full\"",
                ));
            }
            _ => {}
        }
        if scope == ScopeWord::Partial && self.columns.is_none() {
            return Err(needed("columns", "the names of the columns that are made, in this order"));
        }
        if scope == ScopeWord::Partial && self.records.is_some() {
            return Err(JobError::key(
                "randomize.records",
                "goes with scope = \"full\" only: in part, each record stays one",
            ));
        }
        if self.min_leaf.is_some() && model != ModelWord::Cart {
            return Err(JobError::key("randomize.min-leaf", "goes with model = \"cart\" only"));
        }
        if self.min_leaf.is_some_and(|own| own < 2) {
            return Err(JobError::key("randomize.min-leaf", "must be at least 2"));
        }
        self.check_regression(model)?;
        if self.margins.is_some() && model != ModelWord::MaximumEntropy {
            return Err(JobError::key("randomize.margins", "goes with model = \"maximum-entropy\" only"));
        }
        if self.margins.as_ref().is_some_and(|own| own.is_empty() || own.iter().any(Vec::is_empty)) {
            return Err(JobError::key(
                "randomize.margins",
                "must be lists of columns, each with at least one",
            ));
        }
        if let Some(only) = &self.only {
            if scope == ScopeWord::Full {
                return Err(JobError::key("randomize.only", "goes with scope = \"partial\" only"));
            }
            let is_blank = |value: &ValueText| value.text().is_empty();
            if only.is_empty() || only.values().any(|own| own.is_empty() || own.iter().any(is_blank)) {
                return Err(JobError::key(
                    "randomize.only",
                    "must name columns, each with the values that choose",
                ));
            }
            if only.keys().any(|name| self.columns.iter().flatten().any(|made| made == name)) {
                return Err(JobError::key(
                    "randomize.only",
                    "names a column that is made; records are chosen by columns that are published as they are",
                ));
            }
        }
        if self.records == Some(0) {
            return Err(JobError::key("randomize.records", "must be at least 1"));
        }
        if self.copies.is_some_and(|copies| copies == 0 || copies > privet_perturb::synthetic::MOST_COPIES) {
            return Err(JobError::key("randomize.copies", "must be from 1 to 1000"));
        }
        if self.model.is_some_and(ModelWord::is_fixed) && self.copies.is_some_and(|copies| copies > 1) {
            return Err(JobError::key(
                "randomize.copies",
                "must be 1, or left out: this model makes the same table every time",
            ));
        }
        Ok(())
    }
}

fn needed(key: &str, what: &str) -> JobError {
    JobError::key(format!("randomize.{key}"), format!("is needed: {what}"))
}

fn check_names(
    key: &str,
    names: &[String],
    columns: &BTreeMap<String, RandomizeColumn>,
) -> Result<(), JobError> {
    let key = format!("randomize.{key}");
    if names.is_empty() {
        return Err(JobError::key(key, "names no column; name at least one"));
    }
    for (place, name) in names.iter().enumerate() {
        match columns.get(name) {
            None => {
                return Err(JobError::key(
                    key,
                    format!("names {name}, which has no section [columns.{name}]"),
                ));
            }
            Some(column) if column.role == Role::Identifier => {
                return Err(JobError::key(
                    key,
                    format!("names {name}, an identifier, which is not published"),
                ));
            }
            Some(_) if names.iter().take(place).any(|other| other == name) => {
                return Err(JobError::key(key, format!("names {name} twice")));
            }
            Some(_) => {}
        }
    }
    Ok(())
}
