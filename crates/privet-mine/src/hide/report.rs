//! What hiding cost: hiding failure, lost rules, ghost rules and dissimilarity, together (papers T-AL10).

use std::collections::BTreeSet;

use privet_data::Progress;
use serde::{Deserialize, Serialize};

use super::{Sensitive, Thresholds};
use crate::MineError;
use crate::rules::{Rule, Transactions, contains};

/// What hiding cost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// Sensitive rules that can still be mined.
    pub failures: u64,
    /// Sensitive rules.
    pub sensitive: u64,
    /// Other rules that could be mined and no longer can. Rules over all items of a sensitive one are not counted: they go by necessity
    /// when it goes.
    pub lost: u64,
    /// Other rules that could be mined before.
    pub others: u64,
    /// Rules that can be mined and could not before.
    pub ghosts: u64,
    /// Rules that can be mined now.
    pub mined: u64,
    /// Items that were taken out of transactions or put into them, over all items of the original.
    pub dissimilarity: f64,
}

impl Report {
    /// The share of sensitive rules that can still be mined.
    pub fn hiding_failure(&self) -> f64 {
        share(self.failures, self.sensitive)
    }

    /// The share of the other rules that were lost (misses cost).
    pub fn misses_cost(&self) -> f64 {
        share(self.lost, self.others)
    }

    /// The share of what is mined now that could not be mined before (artifactual patterns).
    pub fn artifacts(&self) -> f64 {
        share(self.ghosts, self.mined)
    }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Compares what can be mined before and after, at the same thresholds.
///
/// # Errors
/// When more than `limit` itemsets or rules can be mined, or the operation was stopped.
pub fn report(
    before: &Transactions,
    after: &Transactions,
    sensitive: &[Sensitive],
    thresholds: &Thresholds,
    limit: usize,
    progress: &dyn Progress,
) -> Result<Report, MineError> {
    report_at((before, thresholds), (after, thresholds), sensitive, limit, progress)
}

/// Compares what can be mined before and after, each at its own thresholds: a share of the transactions is another number once some are gone.
///
/// # Errors
/// As [`report()`].
pub fn report_at(
    (before, old_thresholds): (&Transactions, &Thresholds),
    (after, new_thresholds): (&Transactions, &Thresholds),
    sensitive: &[Sensitive],
    limit: usize,
    progress: &dyn Progress,
) -> Result<Report, MineError> {
    type Sides = (Vec<u32>, Vec<u32>);
    let sides = |rules: Vec<Rule>| -> BTreeSet<Sides> {
        rules.into_iter().map(|rule| (rule.antecedent, rule.consequent)).collect()
    };
    let old = sides(old_thresholds.mine(before, limit, progress)?);
    let new = sides(new_thresholds.mine(after, limit, progress)?);
    let hidden: Vec<Vec<u32>> = sensitive.iter().map(Sensitive::items).collect();
    let goes_by_necessity = |(antecedent, consequent): &&Sides| {
        let items = crate::rules::union(antecedent, consequent);
        hidden.iter().any(|own| contains(&items, own))
    };
    let others = old.iter().filter(|own| !goes_by_necessity(own));
    let lost = others.clone().filter(|own| !new.contains(*own)).count() as u64;
    let failures = sensitive.iter().filter(|rule| rule.is_minable(after, new_thresholds)).count() as u64;
    let total: usize = before.rows().map(<[u32]>::len).sum();
    Ok(Report {
        failures,
        sensitive: sensitive.len() as u64,
        lost,
        others: others.count() as u64,
        ghosts: new.difference(&old).count() as u64,
        mined: new.len() as u64,
        dissimilarity: changed_items(before, after) as f64 / total.max(1) as f64,
    })
}

/// Items taken out or put in; removed transactions count with all their items.
fn changed_items(before: &Transactions, after: &Transactions) -> usize {
    if before.len() != after.len() {
        let all = |own: &Transactions| own.rows().map(<[u32]>::len).sum::<usize>();
        return all(before).abs_diff(all(after));
    }
    let differences = before.rows().zip(after.rows()).map(|(a, b)| {
        let common = a.iter().filter(|item| b.binary_search(item).is_ok()).count();
        a.len() + b.len() - 2 * common
    });
    differences.sum()
}
