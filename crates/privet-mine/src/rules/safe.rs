//! The rules that can be published together: the largest safe subset (papers F-AL5).
//!
//! Leaving out a rule merges spans, and a merged span that has more than one class comes from spans that had. So every
//! subset of safe rules is safe: the largest one is searched from all rules down, exactly while rules are few, and greedily (adding
//! the rule that leaves the largest smallest span) otherwise.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use foldhash::{HashMap, HashMapExt};
use privet_data::Progress;

use super::{Rule, RuleModel, Transactions};
use crate::MineError;

/// Rules up to which the largest subset is searched exactly.
const EXACT: usize = 16;

/// Rules that can be published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SafeSubset {
    /// The positions of the rules that are kept, ascending.
    pub kept: Vec<usize>,
    /// Whether no larger subset is safe.
    pub is_largest: bool,
}

/// The largest set of rules whose spans with more than one class have k people; a maximal one when there are too many rules to search.
///
/// # Errors
/// When k is 0 or above the number of transactions, or the operation was stopped.
pub fn largest_safe_subset(
    transactions: &Transactions,
    rules: &[Rule],
    private: &[u32],
    k: u64,
    progress: &dyn Progress,
) -> Result<SafeSubset, MineError> {
    let records = transactions.len() as u64;
    if k == 0 || k > records {
        return Err(MineError::KTooLarge { k, records });
    }
    let model = RuleModel::new(rules, private);
    let spans = model.spans(transactions);
    let patterns: Vec<Pattern> = spans
        .iter()
        .map(|span| Pattern {
            varies: (0..rules.len()).map(|rule| model.varies(rule, span.states[rule])).collect(),
            states: span.states.clone(),
            records: span.records,
        })
        .collect();
    // Rules that are unsafe by themselves are in no safe set; the others are what there is to choose from.
    let alone = |rule: &usize| smallest(&patterns, &[*rule]).is_none_or(|least| least >= k);
    let choice: Vec<usize> = (0..rules.len()).filter(alone).collect();
    if is_safe(&patterns, &choice, k) {
        return Ok(SafeSubset { kept: choice, is_largest: true });
    }
    if choice.len() <= EXACT {
        for size in (0..choice.len()).rev() {
            progress.check()?;
            if let Some(kept) = sized(&patterns, &choice, size, k) {
                return Ok(SafeSubset { kept, is_largest: true });
            }
        }
    }
    let kept = greedy(&patterns, &choice, k, progress)?;
    Ok(SafeSubset { kept, is_largest: false })
}

/// The states of the rules for some transactions.
struct Pattern {
    states: Vec<u32>,
    varies: Vec<bool>,
    records: u64,
}

/// The people of the smallest span with more than one class under some of the rules.
fn smallest(patterns: &[Pattern], rules: &[usize]) -> Option<u64> {
    let mut spans: HashMap<Vec<u32>, (u64, bool)> = HashMap::new();
    for pattern in patterns {
        let key = rules.iter().map(|&rule| pattern.states[rule]).collect();
        let (records, many) = spans.entry(key).or_default();
        *records += pattern.records;
        *many |= rules.iter().any(|&rule| pattern.varies[rule]);
    }
    spans.values().filter(|(_, many)| *many).map(|(records, _)| *records).min()
}

fn is_safe(patterns: &[Pattern], rules: &[usize], k: u64) -> bool {
    smallest(patterns, rules).is_none_or(|least| least >= k)
}

/// A safe subset of this size, the first in the order of positions.
fn sized(patterns: &[Pattern], choice: &[usize], size: usize, k: u64) -> Option<Vec<usize>> {
    fn extend(patterns: &[Pattern], choice: &[usize], size: usize, k: u64, kept: &mut Vec<usize>) -> bool {
        if kept.len() == size {
            return true;
        }
        for place in 0..choice.len() {
            if kept.len() + choice.len() - place < size {
                return false;
            }
            kept.push(choice[place]);
            // What is unsafe stays unsafe with more rules.
            if is_safe(patterns, kept, k) && extend(patterns, &choice[place + 1..], size, k, kept) {
                return true;
            }
            kept.pop();
        }
        false
    }
    let mut kept = Vec::new();
    extend(patterns, choice, size, k, &mut kept).then_some(kept)
}

/// Adds rules one by one, each time one that leaves the largest smallest span, until none can be added.
///
/// What a rule leaves gets no larger when others join, so the best one is found without asking all of them each time: one that was best before is
/// asked again, and added when it still is. What is unsafe stays unsafe. Growth: patterns per question, and at most rules² questions; mostly a
/// few per rule.
fn greedy(
    patterns: &[Pattern],
    choice: &[usize],
    k: u64,
    progress: &dyn Progress,
) -> Result<Vec<usize>, MineError> {
    let mut partition = Partition::new(patterns);
    let mut queue: BinaryHeap<(u64, Reverse<usize>)> =
        choice.iter().map(|&rule| (u64::MAX, Reverse(rule))).collect();
    let mut kept = Vec::new();
    progress.stage("rules that are safe together", Some(choice.len() as u64));
    while let Some((_, Reverse(rule))) = queue.pop() {
        progress.check()?;
        let least = partition.smallest_with(patterns, rule);
        if least < k {
            continue;
        }
        if queue.peek().is_none_or(|&next| (least, Reverse(rule)) >= next) {
            partition.refine(patterns, rule);
            kept.push(rule);
            progress.at(kept.len() as u64);
        } else {
            queue.push((least, Reverse(rule)));
        }
    }
    kept.sort_unstable();
    Ok(kept)
}

/// The transactions by the states of the rules that are kept.
struct Partition {
    /// Per pattern its span.
    span_of: Vec<u32>,
    /// Per span whether it has more than one class.
    many: Vec<bool>,
    /// Per span and state of one more rule: the people, and whether there is more than one class.
    parts: Vec<(u64, bool)>,
}

/// The states of a rule.
const STATES: usize = 3;

impl Partition {
    fn new(patterns: &[Pattern]) -> Self {
        Self { span_of: vec![0; patterns.len()], many: vec![false], parts: Vec::new() }
    }

    fn part(&self, place: usize, pattern: &Pattern, rule: usize) -> usize {
        self.span_of[place] as usize * STATES + pattern.states[rule] as usize
    }

    /// The people of the smallest span with more than one class when a rule is added.
    fn smallest_with(&mut self, patterns: &[Pattern], rule: usize) -> u64 {
        self.parts.clear();
        self.parts.extend(self.many.iter().flat_map(|&many| [(0, many); STATES]));
        for (place, pattern) in patterns.iter().enumerate() {
            let part = self.part(place, pattern, rule);
            self.parts[part].0 += pattern.records;
            self.parts[part].1 |= pattern.varies[rule];
        }
        let telling = self.parts.iter().filter(|(records, many)| *many && *records > 0);
        telling.map(|(records, _)| *records).min().unwrap_or(u64::MAX)
    }

    fn refine(&mut self, patterns: &[Pattern], rule: usize) {
        let mut number_of = vec![u32::MAX; self.many.len() * STATES];
        let mut many = Vec::new();
        for (place, pattern) in patterns.iter().enumerate() {
            let part = self.part(place, pattern, rule);
            if number_of[part] == u32::MAX {
                number_of[part] = many.len() as u32;
                many.push(self.many[part / STATES]);
            }
            let number = number_of[part];
            many[number as usize] |= pattern.varies[rule];
            self.span_of[place] = number;
        }
        self.many = many;
    }
}

#[cfg(test)]
mod tests {
    use privet_data::Silent;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        /// Against all subsets; the greedy one is safe and maximal.
        #[test]
        fn subsets_are_largest(
            rows in prop::collection::vec(prop::collection::vec(0u32..5, 1..5), 4..30), hidden in 1u32..32, k in 1u64..5
        ) {
            let data = Transactions::new(rows);
            let pairs = (0..5).flat_map(|a| (0..5).map(move |b| (a, b))).filter(|(a, b)| a != b);
            let rules: Vec<Rule> = pairs.filter_map(|(a, b)| Rule::of(&data, &[a], &[b]).ok()).take(8).collect();
            let private: Vec<u32> = (0..5).filter(|item| hidden >> item & 1 == 1).collect();
            let holds = |set: u32| {
                let own: Vec<Rule> = rules.iter().enumerate()
                    .filter(|(place, _)| set >> place & 1 == 1).map(|(_, rule)| rule.clone()).collect();
                crate::Release::of(&RuleModel::new(&own, &private), data.rows()).check(k).unwrap().holds()
            };
            let most = (0..1u32 << rules.len()).filter(|&set| holds(set)).map(u32::count_ones).max().unwrap();
            let found = largest_safe_subset(&data, &rules, &private, k, &Silent).unwrap();
            prop_assert!(found.is_largest);
            prop_assert_eq!(found.kept.len() as u32, most);
            let bits = |kept: &[usize]| kept.iter().fold(0u32, |set, place| set | 1 << place);
            prop_assert!(holds(bits(&found.kept)));

            let model = RuleModel::new(&rules, &private);
            let patterns: Vec<Pattern> = model.spans(&data).into_iter().map(|span| Pattern {
                varies: (0..rules.len()).map(|rule| model.varies(rule, span.states[rule])).collect(),
                states: span.states,
                records: span.records,
            }).collect();
            let all: Vec<usize> = (0..rules.len()).collect();
            let kept = greedy(&patterns, &all, k, &Silent).unwrap();
            prop_assert!(holds(bits(&kept)));
            for rule in (0..rules.len()).filter(|rule| !kept.contains(rule)) {
                prop_assert!(!holds(bits(&kept) | 1 << rule));
            }
        }
    }
}
