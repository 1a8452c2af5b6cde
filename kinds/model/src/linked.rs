//! Linking an identified table with a published model (papers F-PM6): for each person the span of the public attributes, how many people of
//! the original have it, and what most of them are.

use std::collections::{BTreeMap, HashMap};

use privet_data::Table;
use privet_mine::SpanOracle;
use privet_mine::bayes::BayesRelease;
use privet_mine::cluster::ClusterRelease;
use privet_mine::rules::RuleRelease;
use privet_mine::tree::TreeRelease;
use serde::Serialize;

use crate::PublishedModel;
use crate::predict::{self, PredictError};

/// What a model tells of a person.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Linked {
    /// People of the identified table with the same span.
    pub alike: u64,
    /// People of the original with this span; 0 when nobody there has it.
    pub people: u64,
    /// What most of these people are: a class, a cluster, or the private side of a rule.
    pub likely: Option<String>,
    /// The share of those who are.
    pub share: f64,
}

/// Per person of an identified table what the model tells. Only public attributes are read.
///
/// # Errors
/// When a public column is missing, or holds what the model cannot read.
pub fn linked(model: &PublishedModel, table: &Table) -> Result<Vec<Linked>, PredictError> {
    let (spans, told): (Vec<Vec<u32>>, Vec<Linked>) = match model {
        PublishedModel::Tree(own) => tree(own, table)?,
        PublishedModel::Clusters(own) => clusters(own, table)?,
        PublishedModel::Rules(own) => rules(own, table),
        PublishedModel::Bayes(own) => bayes(own, table)?,
    };
    let mut alike: BTreeMap<&[u32], u64> = BTreeMap::new();
    spans.iter().for_each(|span| *alike.entry(span).or_default() += 1);
    Ok(told.into_iter().zip(&spans).map(|(own, span)| Linked { alike: alike[&span[..]], ..own }).collect())
}

type Found = (Vec<Vec<u32>>, Vec<Linked>);

/// The most frequent of some counts.
fn told(counts: &[u64], name: impl Fn(usize) -> String) -> Linked {
    let people: u64 = counts.iter().sum();
    let best = counts.iter().enumerate().max_by_key(|(place, count)| (**count, usize::MAX - place));
    match best {
        Some((place, &most)) if people > 0 => {
            Linked { alike: 0, people, likely: Some(name(place)), share: most as f64 / people as f64 }
        }
        _ => Linked { alike: 0, people: 0, likely: None, share: 0.0 },
    }
}

fn tree(release: &TreeRelease, table: &Table) -> Result<Found, PredictError> {
    let schema = &release.model.schema;
    let mut records = predict::cells(release, table, true)?;
    let class = match schema.class_is_private() {
        true => vec![0; table.rows],
        false => predict::class_codes(release, table)?,
    };
    let oracle = release.model.oracle().map_err(|_| PredictError::Model)?;
    let classes = schema.class.values.len();
    let spans: HashMap<_, _> = release.spans.iter().map(|own| ((&own.leaves[..], own.class), own)).collect();
    let mut found = Found::default();
    for (cells, class) in records.iter_mut().zip(class) {
        cells.push(privet_mine::Cell::Code(class));
        let mut key = Vec::new();
        oracle.span(cells, &mut key);
        let leaves = &key[..key.len() - usize::from(!schema.class_is_private())];
        let own_class = (!schema.class_is_private()).then_some(class);
        let span = spans.get(&(leaves, own_class));
        let mut counts = vec![0u64; classes];
        for own in span.iter().flat_map(|own| &own.populations) {
            counts.iter_mut().zip(&own.counts).for_each(|(sum, count)| *sum += count);
        }
        found.1.push(told(&counts, |place| schema.class.values[place].clone()));
        found.0.push(key);
    }
    Ok(found)
}

fn clusters(release: &ClusterRelease, table: &Table) -> Result<Found, PredictError> {
    let mut found = Found::default();
    let spans: HashMap<&[u32], _> = release.spans.iter().map(|own| (&own.clusters[..], own)).collect();
    let records = predict::positions(release, table, true)?;
    for key in release.spans_of(&records) {
        let span = spans.get(&key[..]);
        let counts = span.map_or(&[][..], |own| &own.populations);
        found.1.push(told(counts, |place| format!("cluster {}", key[place] + 1)));
        found.0.push(key);
    }
    Ok(found)
}

/// Of naive Bayes the value that tells most: its people in the original, and the class of most of them.
fn bayes(release: &BayesRelease, table: &Table) -> Result<Found, PredictError> {
    let mut found = Found::default();
    let by_value: BTreeMap<(usize, usize), Vec<u64>> =
        release.by_value().map(|(attribute, value, counts)| ((attribute, value), counts)).collect();
    for values in predict::known_values(release, table)? {
        let places = values.iter().enumerate().filter_map(|(attribute, value)| Some((attribute, (*value)?)));
        let all = places.filter_map(|place| by_value.get(&place));
        let each = all.map(|counts| told(counts, |class| release.class.values[class].clone()));
        let surest = each.max_by(|a, b| a.share.total_cmp(&b.share));
        found.1.push(surest.unwrap_or_else(|| told(&[], |_| String::new())));
        found.0.push(values.iter().map(|own| own.map_or(u32::MAX, |value| value as u32)).collect());
    }
    Ok(found)
}

fn rules(release: &RuleRelease, table: &Table) -> Found {
    let model = release.model();
    let is_private = |item: &u32| release.private.binary_search(item).is_ok();
    let mut found = Found::default();
    let spans: HashMap<&[u32], u64> =
        release.spans.iter().map(|own| (&own.states[..], own.records)).collect();
    for held in predict::held(release, table) {
        let items: Vec<u32> = (0..release.items.len() as u32)
            .filter(|item| held[*item as usize] && !is_private(item))
            .collect();
        let mut key = Vec::new();
        model.states(&items, &mut key);
        let people = spans.get(&key[..]).copied().unwrap_or(0);
        // The surest rule from what is known to what is not.
        let follows = release.rules.iter().filter(|rule| {
            rule.antecedent.iter().all(|item| items.binary_search(item).is_ok())
                && rule.consequent.iter().any(is_private)
        });
        let surest = follows.max_by(|a, b| a.confidence().total_cmp(&b.confidence()));
        found.1.push(Linked {
            alike: 0,
            people,
            likely: surest.map(|rule| {
                let side = rule.consequent.iter().filter(|item| is_private(item));
                side.map(|&item| release.items[item as usize].as_str()).collect::<Vec<_>>().join(" ")
            }),
            share: surest.map_or(0.0, |rule| rule.confidence()),
        });
        found.0.push(key);
    }
    found
}
