//! Hiding sensitive rules in transactions before they are shared (papers T-AL10, FX-T8).
//!
//! A rule is hidden when its items are no longer frequent, or its confidence is no longer reached. Six ways: whole transactions are
//! removed; items are removed from some transactions, chosen by MaxFIA, MinFIA, IGA or the naive method (Oliveira and Zaïane); the
//! antecedent is added to transactions that hold part of it (Verykios et al., 1.a); items are removed where the border of the
//! other itemsets suffers least (Sun and Yu); and exact integer programs (Menon; Gkoulalas-Divanis and Verykios).
//!
//! # Guarantee
//! What [`hide`] returns hides every sensitive rule: it is counted again in the finished transactions, and an error is returned when one is
//! left. [`report()`] tells what was lost besides. Hiding a rule below a threshold protects it from whoever mines at that
//! threshold, and from nobody else: [`attack`] tells at which guess each rule comes back.

mod attack;
mod border;
mod exact;
mod items;
mod raise;
mod removal;
mod report;
#[cfg(test)]
mod tests;

pub use attack::{Guess, Returned, attack};
pub use exact::{ExactOptions, Proof};
pub use report::{Report, report, report_at};

use privet_data::Progress;
use serde::{Deserialize, Serialize};

use crate::rules::{Rule, RuleOptions, Transactions, frequent_itemsets, rules_of};
use crate::{MineError, RuleProblem};

/// What is minable, and so what must be hidden.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thresholds {
    /// Transactions that make an itemset frequent.
    pub support: u64,
    /// The confidence that makes a rule.
    pub confidence: f64,
}

/// A rule to be hidden.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sensitive {
    /// Items, ascending.
    pub antecedent: Vec<u32>,
    /// Items, ascending; empty when the itemset itself is sensitive.
    pub consequent: Vec<u32>,
}

/// How rules are hidden.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Whole transactions are removed, those with the fewest other items first.
    RemoveTransactions,
    /// The most frequent item of the rule is removed.
    MaxFia,
    /// The least frequent item of the rule is removed.
    MinFia,
    /// One item is removed for all rules that share it in a transaction.
    #[default]
    Iga,
    /// All items of the rule but one are removed.
    Naive,
    /// The rest of the antecedent is added to transactions that hold part of it.
    RaiseAntecedent,
    /// The item is removed whose loss weighs least on the border of the other itemsets.
    Border,
    /// An integer program: the fewest transactions that lose an item.
    ExactTransactions,
    /// An integer program over single items that keeps the border of the other itemsets, as far as it can be kept.
    ExactItems,
}

/// Transactions in which the sensitive rules are hidden.
#[derive(Debug, Clone, PartialEq)]
pub struct Hidden {
    /// The transactions that can be shared.
    pub transactions: Transactions,
    /// Transactions that were changed or removed.
    pub changed: u64,
    /// Of the exact methods: how good the answer is.
    pub proof: Option<Proof>,
}

impl Sensitive {
    /// An itemset that must not be frequent.
    pub fn itemset(items: &[u32]) -> Self {
        Self { antecedent: crate::rules::union(items, &[]), consequent: Vec::new() }
    }

    /// A rule that must not be found.
    pub fn rule(antecedent: &[u32], consequent: &[u32]) -> Self {
        let sorted = |own: &[u32]| crate::rules::union(own, &[]);
        Self { antecedent: sorted(antecedent), consequent: sorted(consequent) }
    }

    /// All its items.
    pub fn items(&self) -> Vec<u32> {
        crate::rules::union(&self.antecedent, &self.consequent)
    }

    /// Whether it can be mined.
    pub fn is_minable(&self, transactions: &Transactions, thresholds: &Thresholds) -> bool {
        let support = transactions.support(&self.items());
        if support < thresholds.support {
            return false;
        }
        self.consequent.is_empty()
            || support as f64 >= thresholds.confidence * transactions.support(&self.antecedent) as f64 - 1e-9
    }

    /// How many transactions must lose the rule before it cannot be mined, when items of the consequent or of all of it go, and the
    /// antecedent may go too: the itemset must fall below its support, or the confidence be missed though the antecedent stays.
    fn needed(&self, transactions: &Transactions, thresholds: &Thresholds, keeps_antecedent: bool) -> u64 {
        let support = transactions.support(&self.items());
        let below_support = (support + 1).saturating_sub(thresholds.support);
        if self.consequent.is_empty() || !keeps_antecedent {
            return below_support;
        }
        let antecedent = transactions.support(&self.antecedent);
        // The largest support that misses the confidence.
        let mut allowed = (thresholds.confidence * antecedent as f64).floor() as u64 + 1;
        while allowed > 0 && allowed as f64 >= thresholds.confidence * antecedent as f64 - 1e-9 {
            allowed -= 1;
        }
        below_support.min(support.saturating_sub(allowed))
    }

    fn check(&self) -> Result<(), RuleProblem> {
        match (&self.antecedent[..], &self.consequent[..]) {
            ([], _) => Err(RuleProblem::EmptySide),
            (a, b) if b.iter().any(|item| a.binary_search(item).is_ok()) => Err(RuleProblem::Overlap),
            _ => Ok(()),
        }
    }
}

impl Thresholds {
    fn check(&self) -> Result<(), MineError> {
        if self.support == 0 {
            let accepted = "at least 1";
            return Err(MineError::Parameter { name: "the least support", value: 0.0, accepted });
        }
        if !(self.confidence > 0.0 && self.confidence <= 1.0) {
            let (name, accepted) = ("the least confidence", "above 0 and up to 1");
            return Err(MineError::Parameter { name, value: self.confidence, accepted });
        }
        Ok(())
    }

    /// All rules that can be mined.
    ///
    /// # Errors
    /// When there are more than the limit, or the operation was stopped.
    pub fn mine(
        &self,
        transactions: &Transactions,
        limit: usize,
        progress: &dyn Progress,
    ) -> Result<Vec<Rule>, MineError> {
        self.check()?;
        let itemsets = frequent_itemsets(transactions, self.support, limit, progress)?;
        let options = RuleOptions { confidence: self.confidence, consequent: usize::MAX, limit };
        rules_of(&itemsets, &options, progress)
    }
}

/// Hides sensitive rules.
///
/// # Errors
/// When a rule is empty, absent from the data or not strong enough to be hidden, when the method cannot hide it, or the
/// operation was stopped.
pub fn hide(
    transactions: &Transactions,
    sensitive: &[Sensitive],
    thresholds: &Thresholds,
    method: Method,
    options: &ExactOptions,
    progress: &dyn Progress,
) -> Result<Hidden, MineError> {
    thresholds.check()?;
    for (place, rule) in sensitive.iter().enumerate() {
        let wrong = |problem| MineError::Rule { position: place + 1, problem };
        rule.check().map_err(wrong)?;
        if transactions.support(&rule.items()) == 0 {
            return Err(wrong(RuleProblem::Absent));
        }
        if !rule.is_minable(transactions, thresholds) {
            return Err(wrong(RuleProblem::Weak));
        }
    }
    let task = Task { transactions, sensitive, thresholds, progress };
    let (found, proof) = match method {
        Method::RemoveTransactions => (removal::hidden(&task)?, None),
        Method::MaxFia => (items::hidden(&task, items::Victim::Most)?, None),
        Method::MinFia => (items::hidden(&task, items::Victim::Least)?, None),
        Method::Naive => (items::hidden(&task, items::Victim::AllButOne)?, None),
        Method::Iga => (items::grouped(&task)?, None),
        Method::RaiseAntecedent => (raise::hidden(&task)?, None),
        Method::Border => (border::hidden(&task)?, None),
        Method::ExactTransactions => exact::by_transactions(&task, options)?,
        Method::ExactItems => exact::by_items(&task, options)?,
    };
    for (place, rule) in sensitive.iter().enumerate() {
        if rule.is_minable(&found, thresholds) {
            return Err(MineError::Rule { position: place + 1, problem: RuleProblem::Unhideable });
        }
    }
    let changed = match found.len() == transactions.len() {
        true => found.rows().zip(transactions.rows()).filter(|(a, b)| a != b).count(),
        false => transactions.len() - found.len(),
    };
    Ok(Hidden { transactions: found, changed: changed as u64, proof })
}

/// What every method looks at.
struct Task<'a> {
    transactions: &'a Transactions,
    sensitive: &'a [Sensitive],
    thresholds: &'a Thresholds,
    progress: &'a dyn Progress,
}

impl Task<'_> {
    /// The transactions as lists that can be changed.
    fn rows(&self) -> Vec<Vec<u32>> {
        self.transactions.rows().map(<[u32]>::to_vec).collect()
    }

    /// Per transaction how many sensitive rules it holds.
    fn conflicts(&self) -> Vec<u32> {
        let mut conflicts = vec![0; self.transactions.len()];
        for rule in self.sensitive {
            for place in self.transactions.holding(&rule.items()) {
                conflicts[place as usize] += 1;
            }
        }
        conflicts
    }
}

fn remove(row: &mut Vec<u32>, item: u32) {
    if let Ok(place) = row.binary_search(&item) {
        row.remove(place);
    }
}

fn insert(row: &mut Vec<u32>, item: u32) {
    if let Err(place) = row.binary_search(&item) {
        row.insert(place, item);
    }
}
