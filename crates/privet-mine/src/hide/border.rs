//! Border-based hiding (Sun and Yu): of all single deletions that lower a sensitive itemset, the one that weighs least on the positive
//! border of the other frequent itemsets, one after the other.
//!
//! The positive border are the maximal frequent itemsets that hold no sensitive one; while they stay frequent, everything below them
//! does. The weight of a border itemset that would lose a transaction is (supp(B) − supp'(B) + 1) / (supp(B) − minsup), larger the
//! nearer it is to the threshold, and the number of border itemsets + 1 once it is there.

use privet_data::Progress;

use super::{Sensitive, Task, Thresholds, remove};
use crate::MineError;
use crate::rules::{Transactions, contains, frequent_itemsets};

/// Itemsets beyond which the border is not computed.
const MOST_ITEMSETS: usize = 5_000_000;

/// The maximal itemsets among those that are frequent and hold no sensitive itemset.
pub(super) fn positive_border(
    transactions: &Transactions,
    sensitive: &[Sensitive],
    thresholds: &Thresholds,
    progress: &dyn Progress,
) -> Result<Vec<Vec<u32>>, MineError> {
    let found = frequent_itemsets(transactions, thresholds.support, MOST_ITEMSETS, progress)?;
    let hidden: Vec<Vec<u32>> = sensitive.iter().map(Sensitive::items).collect();
    let mut kept: Vec<&[u32]> =
        found.iter().map(|(set, _)| set).filter(|set| !hidden.iter().any(|own| contains(set, own))).collect();
    kept.sort_unstable_by(|a, b| (b.len(), a).cmp(&(a.len(), b)));
    // An itemset is maximal when nothing one item longer holds it: what is below the kept ones is marked.
    let mut below: foldhash::HashSet<Vec<u32>> = foldhash::HashSet::default();
    let mut border = Vec::new();
    for set in kept {
        progress.check()?;
        if !below.contains(set) {
            border.push(set.to_vec());
        }
        for place in 0..set.len() {
            let mut shorter = set.to_vec();
            shorter.remove(place);
            below.insert(shorter);
        }
    }
    Ok(border)
}

pub(super) fn hidden(task: &Task<'_>) -> Result<Transactions, MineError> {
    let border = positive_border(task.transactions, task.sensitive, task.thresholds, task.progress)?;
    let least = task.thresholds.support as i64;
    let before: Vec<i64> = border.iter().map(|own| task.transactions.support(own) as i64).collect();
    let mut state = State { now: before.clone(), border, before, least, rows: task.rows() };
    // Short sensitive itemsets first: what they lose the long ones lose too.
    let mut order: Vec<&Sensitive> = task.sensitive.iter().collect();
    order.sort_by_key(|rule| rule.items().len());
    for rule in order {
        let items = rule.items();
        let now = Transactions::new(state.rows.iter().cloned());
        let places = now.holding(&items);
        let needed = if rule.is_minable(&now, task.thresholds) {
            rule.needed(&now, task.thresholds, false)
        } else {
            0
        };
        state.lower(&items, places, needed, task.progress)?;
    }
    Ok(Transactions::new(state.rows))
}

struct State {
    border: Vec<Vec<u32>>,
    before: Vec<i64>,
    now: Vec<i64>,
    least: i64,
    rows: Vec<Vec<u32>>,
}

impl State {
    /// Removes one of the items from as many of the transactions as are needed, always where it weighs least.
    fn lower(
        &mut self,
        items: &[u32],
        mut places: Vec<u32>,
        needed: u64,
        progress: &dyn Progress,
    ) -> Result<(), MineError> {
        // Per item the border itemsets that hold it: a transaction that holds none of them loses the item for free.
        let of_item: Vec<Vec<usize>> = items
            .iter()
            .map(|item| {
                let holds = |own: &usize| self.border[*own].binary_search(item).is_ok();
                (0..self.border.len()).filter(holds).collect()
            })
            .collect();
        for _ in 0..needed {
            progress.check()?;
            let weights: Vec<f64> = (0..self.border.len()).map(|own| self.weight(own)).collect();
            let mut best: Option<(f64, usize, usize)> = None;
            'search: for (at, &place) in places.iter().enumerate() {
                let row = &self.rows[place as usize];
                for (item, touched) in of_item.iter().enumerate() {
                    let held = touched.iter().filter(|&&own| contains(row, &self.border[own]));
                    let weight: f64 = held.map(|&own| weights[own]).sum();
                    if best.is_none_or(|(least, ..)| weight < least) {
                        best = Some((weight, at, item));
                    }
                    if weight == 0.0 {
                        break 'search;
                    }
                }
            }
            let Some((_, at, item)) = best else { break };
            let place = places.swap_remove(at) as usize;
            for &own in &of_item[item] {
                if contains(&self.rows[place], &self.border[own]) {
                    self.now[own] -= 1;
                }
            }
            remove(&mut self.rows[place], items[item]);
        }
        Ok(())
    }

    fn weight(&self, own: usize) -> f64 {
        match self.now[own] > self.least {
            true => (self.before[own] - self.now[own] + 1) as f64 / (self.before[own] - self.least) as f64,
            false => self.border.len() as f64 + 1.0,
        }
    }
}
