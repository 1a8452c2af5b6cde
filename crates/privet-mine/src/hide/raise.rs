//! Hiding by raising the antecedent (Verykios et al., 1.a): transactions that hold part of the antecedent and not all of the consequent get
//! the rest of it, so that the confidence falls below its threshold. Supports only grow, so rules appear that were not
//! there ("ghost rules"), and an itemset alone cannot be hidden in this way.

use super::{Task, insert};
use crate::rules::{Transactions, contains};
use crate::{MineError, RuleProblem};

pub(super) fn hidden(task: &Task<'_>) -> Result<Transactions, MineError> {
    let mut rows = task.rows();
    // Raising one antecedent may bring another rule back, so until nothing is left to do; every step adds items, so it ends.
    let mut is_changed = true;
    while is_changed {
        is_changed = false;
        for (place, rule) in task.sensitive.iter().enumerate() {
            task.progress.check()?;
            let now = Transactions::new(rows.iter().cloned());
            if !rule.is_minable(&now, task.thresholds) {
                continue;
            }
            let unhideable = MineError::Rule { position: place + 1, problem: RuleProblem::Unhideable };
            if rule.consequent.is_empty() {
                return Err(unhideable);
            }
            let support = now.support(&rule.items()) as f64;
            let antecedent = now.support(&rule.antecedent);
            // The fewest transactions with the antecedent that miss the confidence.
            let mut needed = (support / task.thresholds.confidence).floor() as u64;
            while support >= task.thresholds.confidence * needed as f64 - 1e-9 {
                needed += 1;
            }
            let mut candidates: Vec<(usize, usize)> = Vec::new();
            for (row, items) in rows.iter().enumerate() {
                let held = rule.antecedent.iter().filter(|item| items.binary_search(item).is_ok()).count();
                if held < rule.antecedent.len() && !contains(items, &rule.consequent) {
                    candidates.push((rule.antecedent.len() - held, row));
                }
            }
            // Those that lack least first.
            candidates.sort_unstable();
            let more = needed.saturating_sub(antecedent) as usize;
            if more == 0 || candidates.len() < more {
                return Err(unhideable);
            }
            for &(_, row) in &candidates[..more] {
                rule.antecedent.iter().for_each(|&item| insert(&mut rows[row], item));
            }
            is_changed = true;
        }
    }
    Ok(Transactions::new(rows))
}
