//! Hiding rules in baskets before they are shared (papers T-AL10): what `privet mine hide` does.
//!
//! # Guarantee
//! At the thresholds, no sensitive rule can be mined from the baskets that are given back; it is counted again there. A support that is a share of
//! the baskets is taken of those that are given back: fewer baskets make a lower threshold, and the rules are hidden below that one. Whoever mines below the
//! thresholds may find them: the attack tells at which guess. What is shared does not say that rules were hidden, and which; the
//! report does, and is for the owner alone.

use std::collections::BTreeMap;

use privet_data::Progress;
use privet_kind::KindError;
use privet_mine::hide::{
    ExactOptions, Guess, Hidden, Method, Proof, Report, Returned, Sensitive, Thresholds, attack, hide,
    report_at,
};
use privet_mine::rules::Transactions;
use serde::Serialize;

use crate::error::told;

/// The shares of the thresholds at which the attack mines.
const GUESSES: [f64; 6] = [0.95, 0.9, 0.8, 0.7, 0.6, 0.5];

/// A rule or an itemset to be hidden, by its labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HideRequest {
    /// The left side; the itemset where there is no right one.
    pub antecedent: Vec<String>,
    /// The right side.
    pub consequent: Vec<String>,
}

/// How rules are hidden.
#[derive(Debug, Clone, PartialEq)]
pub struct HideOptions {
    /// The baskets that make an itemset frequent: a number, or below 1 a share of them.
    pub support: f64,
    /// The confidence of a rule.
    pub confidence: f64,
    /// How they are hidden.
    pub method: Method,
    /// The most seconds of the exact methods.
    pub seconds: f64,
    /// Itemsets and rules beyond which the report is an error.
    pub limit: usize,
}

/// Baskets in which the rules are hidden, and what it cost.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HiddenRules {
    /// The baskets, one per line.
    #[serde(skip)]
    pub text: String,
    /// The thresholds in baskets: for a share, of the baskets that are given back.
    pub thresholds: Thresholds,
    /// How it was done.
    pub method: Method,
    /// Baskets that were changed or taken out.
    pub changed: u64,
    /// Of the exact methods: how good it is.
    pub proof: Option<Proof>,
    /// What it cost.
    pub cost: Report,
    /// The share of sensitive rules that can still be mined.
    pub hiding_failure: f64,
    /// The share of other rules that were lost.
    pub lost: f64,
    /// The share of what is mined now that could not be mined before.
    pub ghosts: f64,
    /// Guesses below the thresholds and the rules that each brings back.
    pub guesses: Vec<Guess>,
    /// Per rule the first guess that brings it back.
    pub returned: Vec<Returned>,
}

impl HideRequest {
    /// Reads `bread, milk => pills`, or an itemset without an arrow.
    ///
    /// # Errors
    /// When a side is empty.
    pub fn parse(text: &str) -> Result<Self, KindError> {
        let side = |text: &str| -> Result<Vec<String>, KindError> {
            let items: Vec<String> = text.split(',').map(|item| item.trim().to_owned()).collect();
            match items.iter().any(String::is_empty) {
                true => Err(KindError::bad_input(
                    "a rule is written `item, item => item`, an itemset `item, item`",
                )),
                false => Ok(items),
            }
        };
        Ok(match text.split_once("=>") {
            Some((left, right)) => Self { antecedent: side(left)?, consequent: side(right)? },
            None => Self { antecedent: side(text)?, consequent: Vec::new() },
        })
    }
}

/// Hides rules in baskets, one per line, items between blanks or separators.
///
/// # Errors
/// When the text holds no basket, a rule names an item that is in none, cannot be mined anyway, or cannot be hidden by the method.
pub fn hide_rules(
    text: &str,
    separator: Option<char>,
    rules: &[HideRequest],
    options: &HideOptions,
    progress: &dyn Progress,
) -> Result<HiddenRules, KindError> {
    let (baskets, labels) = crate::input::baskets(text, separator)?;
    let sensitive = rules.iter().map(|own| numbered(own, &labels)).collect::<Result<Vec<_>, _>>()?;
    if sensitive.is_empty() {
        return Err(KindError::bad_input("no rule is named that must be hidden"));
    }
    let support = crate::patterns::support_of(options.support, baskets.len())?;
    let before = Thresholds { support, confidence: options.confidence };
    let (hidden, shared, thresholds) = hidden_in(&baskets, &sensitive, &before, options, progress)?;
    let (old, new) = ((&baskets, &before), (&shared, &thresholds));
    let cost = report_at(old, new, &sensitive, options.limit, progress).map_err(told)?;
    if cost.failures > 0 {
        return Err(KindError::refused("a rule can still be mined from the baskets that would be shared"));
    }
    let (guesses, returned) =
        attack(&shared, &sensitive, &thresholds, &GUESSES, options.limit, progress).map_err(told)?;
    Ok(HiddenRules {
        text: written(&shared, &labels, separator),
        thresholds,
        method: options.method,
        changed: hidden.changed,
        proof: hidden.proof,
        hiding_failure: cost.hiding_failure(),
        lost: cost.misses_cost(),
        ghosts: cost.artifacts(),
        cost,
        guesses,
        returned,
    })
}

/// Hides the rules; gives back also the baskets that are shared, and the thresholds there. Baskets that lost all their items are left out: an
/// empty line would tell that something was hidden. Every round lowers the threshold, so there are finitely many.
fn hidden_in(
    baskets: &Transactions,
    sensitive: &[Sensitive],
    before: &Thresholds,
    options: &HideOptions,
    progress: &dyn Progress,
) -> Result<(Hidden, Transactions, Thresholds), KindError> {
    let exact = ExactOptions { seconds: options.seconds };
    let mut thresholds = *before;
    loop {
        let hidden = hide(baskets, sensitive, &thresholds, options.method, &exact, progress).map_err(told)?;
        let filled = hidden.transactions.rows().filter(|row| !row.is_empty());
        let shared = Transactions::new(filled.map(<[u32]>::to_vec));
        let support = match options.support < 1.0 {
            true => crate::patterns::support_of(options.support, shared.len())?,
            false => before.support,
        };
        if support >= thresholds.support {
            return Ok((hidden, shared, thresholds));
        }
        thresholds.support = support;
    }
}

fn numbered(rule: &HideRequest, labels: &[String]) -> Result<Sensitive, KindError> {
    let place: BTreeMap<&str, u32> = labels.iter().map(String::as_str).zip(0..).collect();
    let side = |items: &[String]| -> Result<Vec<u32>, KindError> {
        let number = |item: &String| {
            let found = place.get(item.as_str()).copied();
            found.ok_or_else(|| KindError::bad_input("a rule names an item that no basket holds"))
        };
        items.iter().map(number).collect()
    };
    let (antecedent, consequent) = (side(&rule.antecedent)?, side(&rule.consequent)?);
    Ok(match consequent.is_empty() {
        true => Sensitive::itemset(&antecedent),
        false => Sensitive::rule(&antecedent, &consequent),
    })
}

fn written(baskets: &Transactions, labels: &[String], separator: Option<char>) -> String {
    let between = separator.unwrap_or(' ').to_string();
    let line = |row: &[u32]| {
        let items: Vec<&str> = row.iter().map(|&item| labels[item as usize].as_str()).collect();
        items.join(&between) + "\n"
    };
    baskets.rows().map(line).collect()
}
