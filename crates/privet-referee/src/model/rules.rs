//! Association rules: the class of a person is, per rule, whether the antecedent is not complete, only it is, or both sides are. A span tells
//! when private items change some outcome. What counts people by private items beyond such spans, the support of a private consequent, is refused.

use std::collections::{BTreeMap, BTreeSet};

use privet_data::Progress;
use privet_release::{Check, OpenError, Promised};
use serde::Deserialize;
use serde_json::Value;

use super::{Span, Spans, read};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Release {
    version: u32,
    records: u64,
    k: u64,
    items: Vec<String>,
    private: BTreeSet<usize>,
    rules: Vec<Rule>,
    spans: Vec<Listed>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    antecedent: BTreeSet<usize>,
    consequent: BTreeSet<usize>,
    support: u64,
    antecedent_support: u64,
    consequent_support: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    /// Per rule 0: the public part of the antecedent is missing; 1: it is there, and that of the consequent is missing; 2: both are
    /// there.
    states: Vec<u8>,
    records: u64,
}

impl Release {
    fn public<'a>(&self, side: &'a BTreeSet<usize>) -> BTreeSet<&'a usize> {
        side.iter().filter(|item| !self.private.contains(item)).collect()
    }

    fn is_public(&self, side: &BTreeSet<usize>) -> bool {
        side.is_disjoint(&self.private)
    }

    /// The outcomes that a rule allows in a state: with none and with all of its private items, which are the extremes.
    fn varies(&self, rule: &Rule, state: u8) -> bool {
        let outcome = |has_private: bool| {
            let antecedent = state > 0 && (has_private || self.is_public(&rule.antecedent));
            let consequent = state > 1 && (has_private || self.is_public(&rule.consequent));
            u8::from(antecedent) + u8::from(antecedent && consequent)
        };
        outcome(false) != outcome(true)
    }

    /// Whether somebody can have these states: the public items that they ask for complete no side that they say is missing.
    fn is_possible(&self, states: &[u8]) -> bool {
        let mut held: BTreeSet<&usize> = BTreeSet::new();
        for (rule, &state) in self.rules.iter().zip(states) {
            if state > 0 {
                held.extend(self.public(&rule.antecedent));
            }
            if state > 1 {
                held.extend(self.public(&rule.consequent));
            }
        }
        self.rules.iter().zip(states).all(|(rule, &state)| match state {
            0 => !self.public(&rule.antecedent).is_subset(&held),
            1 => !self.public(&rule.consequent).is_subset(&held),
            _ => true,
        })
    }

    fn fits(&self, place: usize, rule: &Rule) -> bool {
        let from = |state: u8| -> u64 {
            self.spans.iter().filter(|span| span.states[place] >= state).map(|span| span.records).sum()
        };
        let sides = [&rule.antecedent, &rule.consequent];
        let is_rule =
            sides.iter().all(|side| !side.is_empty() && side.iter().all(|&item| item < self.items.len()))
                && rule.antecedent.is_disjoint(&rule.consequent)
                && rule.support > 0
                && [Some(rule.antecedent_support), rule.consequent_support]
                    .iter()
                    .flatten()
                    .all(|&count| rule.support <= count && count <= self.records);
        let within =
            |count: u64, bound: u64, exact: bool| if exact { count == bound } else { count <= bound };
        let antecedent = self.is_public(&rule.antecedent);
        is_rule
            && within(rule.antecedent_support, from(1), antecedent)
            && within(rule.support, from(2), antecedent && self.is_public(&rule.consequent))
    }
}

/// The longest itemset whose subsets are gone through.
const LONGEST: u32 = 20;

/// Patterns of fewer than k people that follow from published supports (papers II.7): the people who hold all of I and nothing of J∖I, wherever
/// the support of every set between I and J is published. Every pair is tried.
pub(super) fn patterns(
    promised: &Promised,
    value: &Value,
    progress: &dyn Progress,
) -> Result<Check, OpenError> {
    const NAME: &str = "patterns of few";
    let failed = |problem: &str| Ok(Check::failed(NAME, problem));
    let Ok(release) = read::<Release>(value) else {
        return failed("the rules do not have the documented form");
    };
    let Some(k) = promised.whole("k").filter(|&k| k > 0 && k <= release.records) else {
        return failed("k is missing, 0, or above the number of records");
    };
    let mut supports = BTreeMap::from([(BTreeSet::new(), release.records)]);
    for rule in &release.rules {
        let told = [
            Some((&rule.antecedent | &rule.consequent, rule.support)),
            Some((rule.antecedent.clone(), rule.antecedent_support)),
            rule.consequent_support.map(|support| (rule.consequent.clone(), support)),
        ];
        for (itemset, support) in told.into_iter().flatten() {
            if *supports.entry(itemset).or_insert(support) != support {
                return failed("rules tell different supports of the same items");
            }
        }
    }
    let mut pairs = 0u64;
    for (all, _) in supports.iter().filter(|(all, _)| !all.is_empty()) {
        progress.check().map_err(|_| OpenError::Cancelled)?;
        for held in supports.keys().filter(|held| held.is_subset(all)) {
            let open: Vec<usize> = all.difference(held).copied().collect();
            if open.len() as u32 > LONGEST {
                return failed("an itemset is too long for its subsets to be gone through");
            }
            let Some(people) = people_between(&supports, held, &open) else { continue };
            pairs += 1;
            if people < 0 || (0 < people && people < k as i128) {
                return failed(
                    "fewer people than were promised hold some items and not others, or fewer than none",
                );
            }
        }
    }
    Ok(Check::passed(
        NAME,
        format!("the supports tell of {pairs} patterns, each of none or at least {k} people"),
    ))
}

/// The people who hold these items and none of the open ones, where every support that this needs is published.
fn people_between(
    supports: &BTreeMap<BTreeSet<usize>, u64>,
    held: &BTreeSet<usize>,
    open: &[usize],
) -> Option<i128> {
    let mut people = 0;
    for chosen in 0..1u32 << open.len() {
        let more = open.iter().enumerate().filter(|(place, _)| chosen >> place & 1 == 1);
        let set: BTreeSet<usize> = held.iter().copied().chain(more.map(|(_, item)| *item)).collect();
        let support = i128::from(*supports.get(&set)?);
        people += if chosen.count_ones() % 2 == 0 { support } else { -support };
    }
    Some(people)
}

pub(super) fn spans(value: &Value) -> Result<Spans, String> {
    let release: Release = read(value)?;
    if release.version != 1
        || release.k == 0
        || release.private.iter().any(|&item| item >= release.items.len())
    {
        return Err(
            "the version of the rules is not known, k is 0, or a private item does not exist".to_owned()
        );
    }
    let mut seen = BTreeSet::new();
    for (place, span) in release.spans.iter().enumerate() {
        let fits = span.states.len() == release.rules.len()
            && span.states.iter().all(|&state| state < 3)
            && seen.insert(&span.states);
        if !fits || !release.is_possible(&span.states) {
            return Err(format!("span {}: nobody can have it, or it is listed twice", place + 1));
        }
    }
    if let Some(place) = (0..release.rules.len()).find(|&place| !release.fits(place, &release.rules[place])) {
        return Err(format!("rule {}: its supports contradict each other or the spans", place + 1));
    }
    let counts_private =
        |rule: &Rule| rule.consequent_support.is_some() && !release.is_public(&rule.consequent);
    if let Some(place) = release.rules.iter().position(counts_private) {
        return Err(format!(
            "rule {}: the support of a consequent with private items counts people of whom the rules must tell nothing",
            place + 1
        ));
    }
    let tells = |span: &Listed| {
        release.rules.iter().zip(&span.states).any(|(rule, &state)| release.varies(rule, state))
    };
    let found =
        release.spans.iter().map(|span| Span { records: span.records, tells: tells(span), classes: None });
    Ok(Spans { records: release.records, spans: found.collect() })
}
