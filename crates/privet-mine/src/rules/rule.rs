//! Association rules from frequent itemsets, with support, confidence and lift (Agrawal and Srikant).

use foldhash::HashMap;
use privet_data::Progress;
use serde::{Deserialize, Serialize};

use super::transactions::union;
use super::{Itemsets, Transactions};
use crate::{MineError, RuleProblem};

/// Whoever holds the antecedent holds the consequent too, so often.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Items, ascending.
    pub antecedent: Vec<u32>,
    /// Items, ascending; none of the antecedent.
    pub consequent: Vec<u32>,
    /// Transactions with all items of both sides.
    pub support: u64,
    /// Transactions with the antecedent.
    pub antecedent_support: u64,
    /// Transactions with the consequent; withheld when the rule is published and the consequent holds a private item.
    pub consequent_support: Option<u64>,
}

/// Which rules are made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RuleOptions {
    /// The least confidence, above 0 and up to 1.
    pub confidence: f64,
    /// The most items of a consequent.
    pub consequent: usize,
    /// The most rules.
    pub limit: usize,
}

impl Default for RuleOptions {
    fn default() -> Self {
        Self { confidence: 0.5, consequent: 1, limit: 1_000_000 }
    }
}

impl Rule {
    /// A rule with its supports in the data.
    ///
    /// # Errors
    /// When a side is empty, the sides share an item, or no transaction holds the rule.
    pub fn of(
        transactions: &Transactions,
        antecedent: &[u32],
        consequent: &[u32],
    ) -> Result<Self, RuleProblem> {
        let (antecedent, consequent) = (union(antecedent, &[]), union(&[], consequent));
        let own = Self {
            support: transactions.support(&union(&antecedent, &consequent)),
            antecedent_support: transactions.support(&antecedent),
            consequent_support: Some(transactions.support(&consequent)),
            antecedent,
            consequent,
        };
        own.check_sides()?;
        match own.support {
            0 => Err(RuleProblem::Absent),
            _ => Ok(own),
        }
    }

    pub(crate) fn check_sides(&self) -> Result<(), RuleProblem> {
        if self.antecedent.is_empty() || self.consequent.is_empty() {
            return Err(RuleProblem::EmptySide);
        }
        let shared = self.consequent.iter().any(|item| self.antecedent.binary_search(item).is_ok());
        if shared { Err(RuleProblem::Overlap) } else { Ok(()) }
    }

    /// All its items, ascending.
    pub fn items(&self) -> Vec<u32> {
        union(&self.antecedent, &self.consequent)
    }

    /// The share of the transactions with the antecedent that hold the consequent.
    pub fn confidence(&self) -> f64 {
        self.support as f64 / self.antecedent_support as f64
    }

    /// The confidence over the share of all transactions that hold the consequent, where that share is known.
    pub fn lift(&self, transactions: u64) -> Option<f64> {
        let of_consequent = self.consequent_support?;
        Some(self.confidence() * transactions as f64 / of_consequent as f64)
    }

    /// Whether it reaches a confidence. Shares are compared without rounding where the limit has few digits.
    pub fn reaches(&self, confidence: f64) -> bool {
        self.support as f64 >= confidence * self.antecedent_support as f64 - 1e-9
    }
}

/// The rules of frequent itemsets with enough confidence, in the order of the itemsets.
///
/// # Errors
/// When the confidence is none, there are more rules than the limit, or the operation was stopped.
pub fn rules_of(
    itemsets: &Itemsets,
    options: &RuleOptions,
    progress: &dyn Progress,
) -> Result<Vec<Rule>, MineError> {
    let confidence = options.confidence;
    if !(confidence > 0.0 && confidence <= 1.0) {
        let accepted = "above 0 and up to 1";
        return Err(MineError::Parameter { name: "the least confidence", value: confidence, accepted });
    }
    let index = itemsets.index();
    let mut rules = Vec::new();
    progress.stage("rules", Some(itemsets.len() as u64));
    for (place, (itemset, support)) in itemsets.iter().enumerate() {
        if place % 4096 == 0 {
            progress.check()?;
            progress.at(place as u64);
        }
        if itemset.len() > 1 {
            of_itemset(itemset, support, &index, options, &mut rules);
        }
        if rules.len() > options.limit {
            return Err(MineError::TooMany { what: "rules", limit: options.limit });
        }
    }
    Ok(rules)
}

/// The rules over exactly these items. A larger consequent has no more confidence, so consequents grow from those that hold.
fn of_itemset(
    itemset: &[u32],
    support: u32,
    index: &HashMap<&[u32], u32>,
    options: &RuleOptions,
    rules: &mut Vec<Rule>,
) {
    let mut level: Vec<Vec<u32>> = itemset.iter().map(|&item| vec![item]).collect();
    let mut size = 1;
    while !level.is_empty() && size <= options.consequent.min(itemset.len() - 1) {
        let mut held = Vec::new();
        for consequent in level {
            let outside = |item: &&u32| consequent.binary_search(item).is_err();
            let antecedent: Vec<u32> = itemset.iter().filter(outside).copied().collect();
            let (Some(&of_antecedent), Some(&of_consequent)) =
                (index.get(&antecedent[..]), index.get(&consequent[..]))
            else {
                continue;
            };
            let rule = Rule {
                antecedent,
                consequent,
                support: u64::from(support),
                antecedent_support: u64::from(of_antecedent),
                consequent_support: Some(u64::from(of_consequent)),
            };
            if rule.reaches(options.confidence) {
                held.push(rule.consequent.clone());
                rules.push(rule);
            }
        }
        let longer = |own: &Vec<u32>| {
            let own = own.clone();
            let last = own[own.len() - 1];
            itemset.iter().filter(move |&&item| item > last).map(move |&item| {
                let mut longer = own.clone();
                longer.push(item);
                longer
            })
        };
        level = held.iter().flat_map(longer).collect();
        size += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use privet_data::Silent;
    use proptest::prelude::*;

    use super::super::frequent_itemsets;
    use super::*;

    proptest! {
        #[test]
        fn rules_are_those_by_hand(
            rows in prop::collection::vec(prop::collection::vec(0u32..5, 0..5), 1..25), least in 1u64..5,
            tenths in 1u32..11
        ) {
            let transactions = Transactions::new(rows);
            let confidence = f64::from(tenths) / 10.0;
            let options = RuleOptions { confidence, consequent: 9, limit: 10_000 };
            let itemsets = frequent_itemsets(&transactions, least, 100, &Silent).unwrap();
            let found: BTreeSet<Rule> = rules_of(&itemsets, &options, &Silent).unwrap().into_iter().collect();
            let mut expected = BTreeSet::new();
            for (itemset, support) in itemsets.iter() {
                for set in 1..(1u32 << itemset.len()) - 1 {
                    let side = |bit: u32| -> Vec<u32> {
                        let places = itemset.iter().enumerate().filter(|(place, _)| set >> place & 1 == bit);
                        places.map(|(_, item)| *item).collect()
                    };
                    let rule = Rule::of(&transactions, &side(0), &side(1)).unwrap();
                    prop_assert_eq!(rule.support, u64::from(support));
                    if rule.support * 10 >= u64::from(tenths) * rule.antecedent_support {
                        expected.insert(rule);
                    }
                }
            }
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn measures_are_those_of_the_definitions() {
        let rule = Rule {
            antecedent: vec![0],
            consequent: vec![1],
            support: 84,
            antecedent_support: 112,
            consequent_support: Some(200),
        };
        assert!((rule.confidence() - 0.75).abs() < 1e-12);
        assert!((rule.lift(1000).unwrap() - 3.75).abs() < 1e-12);
        assert_eq!(Rule { consequent_support: None, ..rule }.lift(1000), None);
        let transactions = Transactions::new([vec![0], vec![1]]);
        assert_eq!(Rule::of(&transactions, &[0], &[1]), Err(RuleProblem::Absent));
        assert_eq!(Rule::of(&transactions, &[0], &[0]), Err(RuleProblem::Overlap));
        assert_eq!(Rule::of(&transactions, &[], &[0]), Err(RuleProblem::EmptySide));
    }
}
