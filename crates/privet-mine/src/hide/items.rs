//! Hiding by removing items from some of the transactions that hold a rule (Oliveira and Zaïane): MaxFIA, MinFIA, Naive and IGA.
//!
//! Transactions with the fewest sensitive rules and the fewest items go first, as few as the thresholds ask for. When the item that goes is of the
//! consequent, the confidence may be missed before the support is, and the smaller number is enough.

use std::collections::BTreeMap;

use super::{Sensitive, Task, remove};
use crate::MineError;
use crate::rules::Transactions;

/// Which item of a rule goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Victim {
    /// The one that most transactions hold.
    Most,
    /// The one that fewest transactions hold.
    Least,
    /// All but the one that most transactions hold.
    AllButOne,
}

pub(super) fn hidden(task: &Task<'_>, victim: Victim) -> Result<Transactions, MineError> {
    let supports = task.transactions.item_supports();
    let conflicts = task.conflicts();
    let mut rows = task.rows();
    // Taking an antecedent away for one rule may raise the confidence of another that was hidden: again until all are. Every pass
    // removes items, so it ends.
    while let Some(rule) = minable(task, &rows) {
        task.progress.check()?;
        let mut items = rule.items();
        items.sort_by_key(|&item| (supports[item as usize], item));
        let last = items.len() - 1;
        let victims = match victim {
            Victim::Most => items[last..].to_vec(),
            Victim::Least => items[..1].to_vec(),
            Victim::AllButOne if last == 0 => items,
            Victim::AllButOne => items[..last].to_vec(),
        };
        let now = Transactions::new(rows.iter().cloned());
        let keeps_antecedent = victims.iter().all(|item| rule.antecedent.binary_search(item).is_err());
        let needed = rule.needed(&now, task.thresholds, keeps_antecedent);
        for place in order(&now, &rule.items(), &conflicts).into_iter().take(needed as usize) {
            victims.iter().for_each(|&item| remove(&mut rows[place as usize], item));
        }
    }
    Ok(Transactions::new(rows))
}

/// The first sensitive rule that can still be mined.
fn minable<'a>(task: &Task<'a>, rows: &[Vec<u32>]) -> Option<&'a Sensitive> {
    let now = Transactions::new(rows.iter().cloned());
    task.sensitive.iter().find(|rule| rule.is_minable(&now, task.thresholds))
}

/// The transactions that hold some items, those with the fewest conflicts and the fewest items first.
pub(super) fn order(transactions: &Transactions, items: &[u32], conflicts: &[u32]) -> Vec<u32> {
    let mut places = transactions.holding(items);
    places.sort_by_key(|&place| (conflicts[place as usize], transactions.row(place as usize).len(), place));
    places
}

/// IGA: rules that share an item form a group with the item that most of them share as its victim; transactions that
/// hold several rules of a group lose it once for all.
pub(super) fn grouped(task: &Task<'_>) -> Result<Transactions, MineError> {
    let groups = groups(task);
    let mut rows = task.rows();
    while minable(task, &rows).is_some() {
        task.progress.check()?;
        for (victim, rules) in &groups {
            lower(task, *victim, rules, &mut rows);
        }
    }
    Ok(Transactions::new(rows))
}

/// Removes the victim of a group until none of its rules can be mined.
fn lower(task: &Task<'_>, victim: u32, rules: &[usize], rows: &mut [Vec<u32>]) {
    loop {
        let now = Transactions::new(rows.iter().cloned());
        let needed: Vec<(usize, u64)> = rules
            .iter()
            .map(|&rule| {
                let own = &task.sensitive[rule];
                let keeps = own.antecedent.binary_search(&victim).is_err();
                (rule, own.needed(&now, task.thresholds, keeps))
            })
            .filter(|&(rule, _)| task.sensitive[rule].is_minable(&now, task.thresholds))
            .collect();
        // The rule that needs most; its transactions that also hold the others first.
        let Some(&(rule, count)) =
            needed.iter().max_by_key(|(rule, count)| (*count, std::cmp::Reverse(*rule)))
        else {
            break;
        };
        let mut shared = vec![0u32; now.len()];
        for &(other, _) in &needed {
            for place in now.holding(&task.sensitive[other].items()) {
                shared[place as usize] += 1;
            }
        }
        let mut places = now.holding(&task.sensitive[rule].items());
        places.sort_by_key(|&place| {
            (std::cmp::Reverse(shared[place as usize]), now.row(place as usize).len(), place)
        });
        for place in places.into_iter().take(count.max(1) as usize) {
            remove(&mut rows[place as usize], victim);
        }
    }
}

/// Every rule in one group, by the item that most rules that are not yet grouped share.
fn groups(task: &Task<'_>) -> Vec<(u32, Vec<usize>)> {
    let supports = task.transactions.item_supports();
    let mut open: Vec<usize> = (0..task.sensitive.len()).collect();
    let mut groups = Vec::new();
    while !open.is_empty() {
        let mut of_item: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for &rule in &open {
            for item in task.sensitive[rule].items() {
                of_item.entry(item).or_default().push(rule);
            }
        }
        // Of equally shared items the one that fewest transactions hold.
        let best = of_item
            .into_iter()
            .max_by_key(|(item, rules)| (rules.len(), std::cmp::Reverse((supports[*item as usize], *item))));
        let Some((victim, rules)) = best else { break };
        open.retain(|rule| !rules.contains(rule));
        groups.push((victim, rules));
    }
    groups
}
