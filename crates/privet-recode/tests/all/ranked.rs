//! Candidates in the order of the metric, against brute force over the lattice.

use crate::oracle;

use oracle::{Table, bind, problem, requirements, safe_nodes, tables};
use privet_criteria::Requirement;
use privet_data::Silent;
use privet_measure::Metric;
use privet_recode::lattice::{Options, SearchError, optimal, ranked};
use proptest::prelude::*;

fn check(
    table: &Table,
    requirements: &[Requirement],
    metric: Metric,
    limit: u64,
) -> Result<(), TestCaseError> {
    let table = table.weighed_for(metric);
    let Some(bound) = bind(&table, requirements) else {
        return Err(TestCaseError::reject("the case does not arise"));
    };
    let counts = table.counts();
    let problem = problem(&table, &counts, &bound, metric, limit);
    let listed = ranked(&problem, &Silent);
    let safe = safe_nodes(&table, &bound, metric, limit);
    if safe.is_empty() {
        prop_assert!(matches!(listed, Err(SearchError::NoSafeNode { .. })), "{listed:?}");
        return Ok(());
    }
    let listed = listed.map_err(|e| TestCaseError::fail(e.to_string()))?;
    // Every safe node once, and no other.
    let mut nodes = listed.levels.clone();
    nodes.sort();
    let mut expected: Vec<Vec<usize>> = safe.iter().map(|(levels, _)| levels.clone()).collect();
    expected.sort();
    prop_assert_eq!(nodes, expected);
    // None is better than one before it; of equally good ones the finer comes first.
    let value =
        |levels: &Vec<usize>| safe.iter().find(|(own, _)| own == levels).map(|(_, value)| *value).unwrap();
    let values: Vec<f64> = listed.levels.iter().map(value).collect();
    for (place, pair) in values.windows(2).enumerate() {
        let apart = 1e-8 * pair[0].abs().max(pair[1].abs());
        prop_assert!(pair[1] >= pair[0] - apart, "{pair:?}");
        if pair[0] == pair[1] {
            let key = |at: usize| (listed.levels[at].iter().sum::<usize>(), &listed.levels[at]);
            prop_assert!(key(place) < key(place + 1), "{:?}", &listed.levels[place..place + 2]);
        }
    }
    let best =
        optimal(&problem, Options::default(), &Silent).map_err(|e| TestCaseError::fail(e.to_string()))?;
    prop_assert!((listed.best.value - best.value).abs() <= 1e-9 * best.value.abs().max(1.0));
    prop_assert_eq!(&listed.best.levels, &listed.levels[0]);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Criteria that count records and people alone, as a p-safe search has them, and others; with every metric.
    #[test]
    fn all_safe_nodes_in_order(table in tables(), share in 0.0f64..0.6, which in 0usize..30, metric in 0usize..9) {
        let limit = (share * table.rows as f64) as u64;
        let all = requirements();
        check(&table, &all[0], Metric::Loss, limit)?;
        check(&table, &[], Metric::Loss, 0)?;
        check(&table, &all[which % all.len()], Metric::ALL[metric], limit)?;
        check(&table, &all[which % all.len()], Metric::Discernibility, 0)?;
    }

    /// The order is the same whatever the sensitive values are, when no criterion looks at them.
    #[test]
    fn the_order_looks_at_no_sensitive_value(table in tables(), other in prop::collection::vec(0u32..5, 40), metric in 0usize..8) {
        let metric = Metric::ALL[metric];
        let table = table.weighed_for(metric);
        let list = |table: &Table| {
            let bound = bind(table, &requirements()[0])?;
            let counts = table.counts();
            Some(ranked(&problem(table, &counts, &bound, metric, 2), &Silent).map(|listed| listed.levels).ok())
        };
        let mut changed = table.clone();
        changed.sensitive[0] = other[..table.rows].to_vec();
        prop_assume!(!metric.needs_class());
        prop_assert_eq!(list(&table), list(&changed));
    }
}
