//! FX-T8, every method on random data, and the exact ones against all answers.

use privet_data::Silent;
use proptest::prelude::*;

use super::*;
use crate::fixtures::fx_t8;

const ITEMSET: Thresholds = Thresholds { support: 3, confidence: 0.01 };

fn hidden(
    data: &Transactions,
    sensitive: &[Sensitive],
    thresholds: &Thresholds,
    method: Method,
) -> Result<Hidden, MineError> {
    hide(data, sensitive, thresholds, method, &ExactOptions::default(), &Silent)
}

fn frequent(data: &Transactions) -> Vec<Vec<u32>> {
    let found = frequent_itemsets(data, 3, 100, &Silent).unwrap();
    let mut all: Vec<Vec<u32>> = found.iter().map(|(set, _)| set.to_vec()).collect();
    all.sort();
    all
}

/// FX-T8: ab has support 4, so two transactions must lose it; single items can go without any loss.
#[test]
fn fx_t8_loses_nothing_but_what_must_go() {
    let ab = [Sensitive::itemset(&[0, 1])];
    let expected: Vec<Vec<u32>> =
        frequent(&fx_t8()).into_iter().filter(|set| !set.starts_with(&[0, 1])).collect();
    assert_eq!(expected.len(), 9);
    for method in [Method::ExactItems, Method::Border] {
        let own = hidden(&fx_t8(), &ab, &ITEMSET, method).unwrap();
        assert_eq!(own.changed, 2, "{method:?}");
        assert_eq!(frequent(&own.transactions), expected, "{method:?}");
    }
    let own = hidden(&fx_t8(), &ab, &ITEMSET, Method::ExactItems).unwrap();
    let proof = Proof { is_optimal: true, gap: Some(0.0), removed: 2, lost_border: 0 };
    assert_eq!(own.proof, Some(proof));
    let own = hidden(&fx_t8(), &ab, &ITEMSET, Method::ExactTransactions).unwrap();
    assert_eq!((own.changed, own.proof.map(|proof| proof.removed)), (2, Some(2)));
}

/// FX-T8: removing whole transactions takes two, and loses at least one other itemset.
#[test]
fn fx_t8_removing_transactions_costs_an_itemset() {
    let ab = [Sensitive::itemset(&[0, 1])];
    let own = hidden(&fx_t8(), &ab, &ITEMSET, Method::RemoveTransactions).unwrap();
    assert_eq!((own.changed, own.transactions.len()), (2, 6));
    let lost = 9 - frequent(&own.transactions).len();
    assert!(lost >= 1);
    // The optimum over all pairs loses one: transactions 1 and 2, 2 and 3, or 1 and 3.
    let mut least = Vec::new();
    for a in 0..8 {
        for b in 0..a {
            let rows = fx_t8().rows().map(<[u32]>::to_vec).collect::<Vec<_>>();
            let rest = (0..8).filter(|&place| place != a && place != b).map(|place| rows[place].clone());
            let found = frequent(&Transactions::new(rest));
            if !found.contains(&vec![0, 1]) {
                least.push((9 - found.len(), (b + 1, a + 1)));
            }
        }
    }
    let optimal: Vec<(usize, usize)> =
        least.iter().filter(|(lost, _)| *lost == 1).map(|(_, pair)| *pair).collect();
    assert_eq!(optimal, [(1, 2), (1, 3), (2, 3)]);
    assert!(least.iter().all(|(lost, _)| *lost >= 1));
}

/// Hidden itemsets stand just below the threshold, and the attack finds them there.
#[test]
fn hidden_rules_come_back_below_the_threshold() {
    let ab = [Sensitive::itemset(&[0, 1])];
    let own = hidden(&fx_t8(), &ab, &ITEMSET, Method::ExactItems).unwrap();
    let (guesses, returned) =
        attack(&own.transactions, &ab, &ITEMSET, &[0.9, 0.5, 0.3], 100, &Silent).unwrap();
    assert_eq!(returned, [Returned { rule: 0, share: Some(0.9) }]);
    assert_eq!(guesses[0].returned, [0]);
    assert!(guesses[0].candidates >= 1 && guesses[2].candidates >= guesses[0].candidates);
    assert!(attack(&own.transactions, &ab, &ITEMSET, &[1.5], 100, &Silent).is_err());
}

#[test]
fn rules_that_are_not_there_are_refused() {
    let problem = |sensitive: Sensitive, thresholds: Thresholds, method| match hidden(
        &fx_t8(),
        &[sensitive],
        &thresholds,
        method,
    ) {
        Err(MineError::Rule { position: 1, problem }) => problem,
        other => panic!("{other:?}"),
    };
    assert_eq!(problem(Sensitive::itemset(&[0, 9]), ITEMSET, Method::Iga), RuleProblem::Absent);
    assert_eq!(problem(Sensitive::itemset(&[]), ITEMSET, Method::Iga), RuleProblem::EmptySide);
    assert_eq!(problem(Sensitive::rule(&[0], &[0]), ITEMSET, Method::Iga), RuleProblem::Overlap);
    let strict = Thresholds { support: 5, confidence: 0.5 };
    assert_eq!(problem(Sensitive::itemset(&[0, 1]), strict, Method::Iga), RuleProblem::Weak);
    assert_eq!(
        problem(Sensitive::itemset(&[0, 1]), ITEMSET, Method::RaiseAntecedent),
        RuleProblem::Unhideable
    );
    let none = Thresholds { support: 3, confidence: 0.0 };
    assert!(hidden(&fx_t8(), &[Sensitive::itemset(&[0])], &none, Method::Iga).is_err());
}

/// Raising the antecedent makes ghost rules and loses no itemset.
#[test]
fn raised_antecedents_lower_confidence() {
    let thresholds = Thresholds { support: 2, confidence: 0.75 };
    let rule = [Sensitive::rule(&[0, 1], &[2])];
    assert!(rule[0].is_minable(&fx_t8(), &thresholds));
    let own = hidden(&fx_t8(), &rule, &thresholds, Method::RaiseAntecedent).unwrap();
    let told = report(&fx_t8(), &own.transactions, &rule, &thresholds, 1000, &Silent).unwrap();
    assert_eq!((told.failures, told.sensitive), (0, 1));
    assert!(told.dissimilarity > 0.0 && told.mined > 0);
}

const METHODS: [Method; 8] = [
    Method::RemoveTransactions,
    Method::MaxFia,
    Method::MinFia,
    Method::Naive,
    Method::Iga,
    Method::Border,
    Method::ExactTransactions,
    Method::ExactItems,
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    /// Every method hides, adds nothing, and the report counts what a second count of rules finds.
    #[test]
    fn every_method_hides(
        rows in prop::collection::vec(prop::collection::vec(0u32..6, 1..6), 8..25),
        pairs in prop::collection::btree_set((0u32..6, 0u32..6), 1..3), least in 2u64..4
    ) {
        let data = Transactions::new(rows);
        let thresholds = Thresholds { support: least, confidence: 0.3 };
        let pairs = pairs.into_iter().filter(|(a, b)| a != b).map(|(a, b)| Sensitive::rule(&[a], &[b]));
        let sensitive: Vec<Sensitive> = pairs.filter(|rule| rule.is_minable(&data, &thresholds)).collect();
        prop_assume!(!sensitive.is_empty());
        for method in METHODS {
            let own = hidden(&data, &sensitive, &thresholds, method).unwrap();
            prop_assert!(sensitive.iter().all(|rule| !rule.is_minable(&own.transactions, &thresholds)));
            if method != Method::RemoveTransactions {
                for (now, before) in own.transactions.rows().zip(data.rows()) {
                    prop_assert!(crate::rules::contains(before, now));
                }
            }
            let told = report(&data, &own.transactions, &sensitive, &thresholds, 10_000, &Silent).unwrap();
            prop_assert_eq!(told.failures, 0);
            prop_assert!(told.misses_cost() <= 1.0 && told.artifacts() <= 1.0);
        }
    }

    /// Raising the antecedent adds items and takes none, and fails only where raising it everywhere would fail.
    #[test]
    fn raised_antecedents_only_add(
        rows in prop::collection::vec(prop::collection::vec(0u32..6, 1..5), 4..20),
        own in 2usize..8, others in 0usize..3, tenths in 3u32..9
    ) {
        // Some hold the whole rule, few the antecedent alone, so that there is something to hide.
        let rows = rows.into_iter().chain(vec![vec![0, 1, 2]; own]).chain(vec![vec![0, 1]; others]);
        let data = Transactions::new(rows);
        let rule = Sensitive::rule(&[0, 1], &[2]);
        let thresholds = Thresholds { support: 2, confidence: f64::from(tenths) / 10.0 };
        prop_assume!(rule.is_minable(&data, &thresholds));
        match hidden(&data, std::slice::from_ref(&rule), &thresholds, Method::RaiseAntecedent) {
            Ok(own) => {
                prop_assert!(!rule.is_minable(&own.transactions, &thresholds));
                prop_assert_eq!(own.transactions.len(), data.len());
                for (now, before) in own.transactions.rows().zip(data.rows()) {
                    prop_assert!(crate::rules::contains(now, before));
                }
                prop_assert_eq!(own.transactions.support(&rule.items()), data.support(&rule.items()));
            }
            Err(MineError::Rule { position: 1, problem: RuleProblem::Unhideable }) => {
                let raised = data.rows().map(|row| match row.contains(&2) {
                    true => row.to_vec(),
                    false => crate::rules::union(row, &rule.antecedent),
                });
                prop_assert!(rule.is_minable(&Transactions::new(raised.collect::<Vec<_>>()), &thresholds));
            }
            Err(other) => prop_assert!(false, "{other:?}"),
        }
    }

    /// The exact number of transactions is the least over all subsets of transactions.
    #[test]
    fn exact_transactions_are_fewest(
        rows in prop::collection::vec(prop::collection::vec(0u32..5, 1..5), 4..11), least in 2u64..4
    ) {
        let data = Transactions::new(rows);
        let thresholds = Thresholds { support: least, confidence: 0.01 };
        let pairs = [[0, 1], [1, 2], [2, 3]].map(|pair| Sensitive::itemset(&pair));
        let sensitive: Vec<Sensitive> = pairs.into_iter().filter(|own| own.is_minable(&data, &thresholds)).collect();
        prop_assume!(!sensitive.is_empty());
        let own = hidden(&data, &sensitive, &thresholds, Method::ExactTransactions).unwrap();
        let breaks = |set: u32| sensitive.iter().all(|rule| {
            let left = data.holding(&rule.items()).into_iter().filter(|place| set >> place & 1 == 0).count();
            (left as u64) < thresholds.support
        });
        let fewest = (0..1u32 << data.len()).filter(|&set| breaks(set)).map(u32::count_ones).min().unwrap();
        prop_assert_eq!(own.proof.unwrap().removed, u64::from(fewest));
        prop_assert_eq!(own.changed, u64::from(fewest));
    }

    /// The exact loss of border itemsets, and then of items, is the least over all removals of single items.
    #[test]
    fn exact_items_lose_least(
        rows in prop::collection::vec(prop::collection::vec(0u32..4, 1..4), 4..7)
    ) {
        let data = Transactions::new(rows);
        let thresholds = Thresholds { support: 2, confidence: 0.01 };
        let sensitive = [Sensitive::itemset(&[0, 1])];
        prop_assume!(sensitive[0].is_minable(&data, &thresholds));
        let own = hidden(&data, &sensitive, &thresholds, Method::ExactItems).unwrap().proof.unwrap();
        let border = border::positive_border(&data, &sensitive, &thresholds, &Silent).unwrap();
        // Only items of ab matter: every transaction may lose a, b or neither.
        let mut best = (u64::MAX, u64::MAX);
        for choice in 0..3u32.pow(data.len() as u32) {
            let mut rest = choice;
            let mut removed = 0;
            let rows: Vec<Vec<u32>> = data.rows().map(|row| {
                let (way, mut row) = (rest % 3, row.to_vec());
                rest /= 3;
                let before = row.len();
                if way > 0 { remove(&mut row, way - 1); }
                removed += (before - row.len()) as u64;
                row
            }).collect();
            let now = Transactions::new(rows);
            if !sensitive[0].is_minable(&now, &thresholds) {
                let lost = border.iter().filter(|own| now.support(own) < thresholds.support).count() as u64;
                best = best.min((lost, removed));
            }
        }
        prop_assert_eq!((own.lost_border, own.removed), best);
    }
}
