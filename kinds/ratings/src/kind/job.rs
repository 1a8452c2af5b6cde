//! The `[input]` and `[ratings]` sections of a job.

use std::path::PathBuf;

use privet_data::Progress;
use privet_data::io::{Formulas, ReadOptions};
use privet_kind::{JobFile, KindError, Section};
use serde::Deserialize;

use crate::publish::{Completion, Plan, Reconcile};
use crate::{
    DenseItems, Layout, Model, NullRule, RatingsInput, RatingsOptions, Scale, SdNulls, Semantics, TimeUnit,
    read,
};

pub(super) const SECTIONS: &[Section] = &[Section {
    name: "ratings",
    keys: &[
        (
            "method",
            "`proximity` publishes (k, epsilon)-anonymous ratings; `pseudonyms` only numbers the users and promises nothing.",
        ),
        ("k", "The least number of users in a group."),
        (
            "epsilon",
            "How far the ratings of an item within a group are apart at most, in units of the scale.",
        ),
        ("l", "The least standard deviation of every sensitive item within a group; 0 asks for none."),
        (
            "semantics",
            "`partition`: disjoint groups, pairwise within epsilon; `neighbourhood`: everybody with whoever is within epsilon.",
        ),
        (
            "sd-nulls",
            "Whether missing sensitive ratings are left out of the standard deviation (`skip`) or count as 0 (`as-zero`, Eq 6.3 literally).",
        ),
        (
            "null-rule",
            "`dense-items` publishes the items most users rated; `padding` also fills their nulls with the item's mean; `literal` publishes all items.",
        ),
        ("items", "How many dense items are published."),
        ("share", "Instead of `items`: items are dense when at least this share of users rated them."),
        (
            "completion",
            "`window` moves ratings into the cheapest window of length epsilon; `centroid` keeps the sum of each item in a group (thesis, 2.17).",
        ),
        (
            "reconcile",
            "What happens to an item that only some of a group rated: `blank`, `fill` with the group's mean, or the `cheapest` of both.",
        ),
        ("effort", "Attempts of the local search for better groups, per user."),
        ("seed", "The seed of the local search."),
    ],
}];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct InputSection {
    pub path: PathBuf,
    #[serde(default)]
    layout: Layout,
    user: Option<String>,
    item: Option<String>,
    rating: Option<String>,
    time: Option<String>,
    #[serde(default)]
    time_unit: TimeUnit,
    scale: ScaleSection,
    #[serde(default)]
    sensitive: Vec<String>,
    #[serde(default)]
    missing: Vec<String>,
    #[serde(default)]
    formulas: Formulas,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScaleSection {
    low: f64,
    high: f64,
    #[serde(default = "one")]
    step: f64,
}

fn one() -> f64 {
    1.0
}

/// How ratings are published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Method {
    #[default]
    Proximity,
    Pseudonyms,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Rule {
    #[default]
    DenseItems,
    Padding,
    Literal,
}

#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Settings {
    pub method: Method,
    k: u64,
    epsilon: f64,
    l: f64,
    semantics: Semantics,
    sd_nulls: SdNulls,
    null_rule: Rule,
    items: Option<u32>,
    share: Option<f64>,
    completion: Completion,
    reconcile: Reconcile,
    effort: u32,
    seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            method: Method::default(),
            k: 10,
            epsilon: 1.0,
            l: 0.0,
            semantics: Semantics::default(),
            sd_nulls: SdNulls::default(),
            null_rule: Rule::default(),
            items: None,
            share: None,
            completion: Completion::default(),
            reconcile: Reconcile::default(),
            effort: 100,
            seed: 1,
        }
    }
}

impl Settings {
    pub(super) fn plan(&self) -> Plan {
        Plan {
            model: Model {
                k: self.k,
                epsilon: self.epsilon,
                l: self.l,
                semantics: self.semantics,
                nulls: self.sd_nulls,
            },
            completion: self.completion,
            reconcile: self.reconcile,
            effort: self.effort,
            seed: self.seed,
        }
    }

    pub(super) fn null_rule(&self) -> Result<NullRule, KindError> {
        let dense = match (self.items, self.share) {
            (Some(_), Some(_)) => {
                return Err(KindError::key(
                    "ratings.share",
                    "cannot stand beside `items`; state one of them",
                ));
            }
            (Some(items), None) => Some(DenseItems::Most(items)),
            (None, Some(share)) => Some(DenseItems::Share(share)),
            (None, None) => None,
        };
        let usual = DenseItems::Most(50);
        match (self.null_rule, dense) {
            (Rule::Literal, None) => Ok(NullRule::Literal),
            (Rule::Literal, Some(_)) => Err(KindError::key(
                "ratings.items",
                "has no meaning under null-rule = \"literal\", which publishes all items",
            )),
            (Rule::DenseItems, dense) => Ok(NullRule::DenseItems(dense.unwrap_or(usual))),
            (Rule::Padding, dense) => Ok(NullRule::Padding(dense.unwrap_or(usual))),
        }
    }
}

/// The ratings of a job, with the sensitive items marked.
pub(super) fn read_input(job: &JobFile, progress: &dyn Progress) -> Result<RatingsInput, KindError> {
    let section: InputSection = job.required("input")?;
    let ScaleSection { low, high, step } = section.scale;
    let scale = Scale::new(low, high, step)
        .map_err(|error| KindError::key("input.scale", error.to_string()).at(job.path()))?;
    let mut options = ReadOptions { formulas: section.formulas, ..ReadOptions::default() };
    if !section.missing.is_empty() {
        options.missing = section.missing;
    }
    let options = RatingsOptions {
        layout: section.layout,
        user: section.user,
        item: section.item,
        rating: section.rating,
        time: section.time,
        unit: section.time_unit,
        scale: Some(scale),
        read: options,
    };
    let mut input = read(&job.resolve(&section.path), &options, progress)?;
    input.ratings.set_sensitive(section.sensitive.iter().map(String::as_str))?;
    Ok(input)
}
