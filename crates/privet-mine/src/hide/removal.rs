//! Hiding by removing whole transactions: those that hold most sensitive rules and fewest other items first.
//!
//! Removing a transaction lowers the support of both sides, so only the support of the itemset counts here.

use super::Task;
use crate::MineError;
use crate::rules::Transactions;

pub(super) fn hidden(task: &Task<'_>) -> Result<Transactions, MineError> {
    let conflicts = task.conflicts();
    let mut is_gone = vec![false; task.transactions.len()];
    let holders: Vec<Vec<u32>> =
        task.sensitive.iter().map(|rule| task.transactions.holding(&rule.items())).collect();
    let mut left: Vec<u64> =
        task.sensitive.iter().map(|rule| rule.needed(task.transactions, task.thresholds, false)).collect();
    // The rule that needs most first: what is removed for it counts for the others.
    let mut order: Vec<usize> = (0..left.len()).collect();
    order.sort_by_key(|&rule| std::cmp::Reverse(left[rule]));
    for rule in order {
        task.progress.check()?;
        let mut candidates: Vec<u32> =
            holders[rule].iter().copied().filter(|&place| !is_gone[place as usize]).collect();
        candidates.sort_by_key(|&place| {
            let conflicts = conflicts[place as usize];
            (std::cmp::Reverse(conflicts), task.transactions.row(place as usize).len(), place)
        });
        for place in candidates {
            if left[rule] == 0 {
                break;
            }
            is_gone[place as usize] = true;
            for (other, holders) in holders.iter().enumerate() {
                if holders.binary_search(&place).is_ok() {
                    left[other] = left[other].saturating_sub(1);
                }
            }
        }
    }
    let rows = task.transactions.rows().enumerate();
    Ok(Transactions::new(rows.filter(|(place, _)| !is_gone[*place]).map(|(_, row)| row.to_vec())))
}
