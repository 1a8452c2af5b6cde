//! What the sources claim of lattices, tested on random tables.

use crate::oracle;

use oracle::{bind, classes, judge, nodes, requirements, tables, value};
use privet_criteria::Merging;
use privet_measure::Metric;
use proptest::prelude::*;

fn above(a: &[usize], b: &[usize]) -> bool {
    a.iter().zip(b).all(|(x, y)| x >= y)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// papers T-TH1, T-TH7, T-TH8; thesis 2.6: without suppression, what lies above a safe node is safe, for
    /// every criterion that says it is monotone; so safe nodes and unsafe nodes are each connected (T-TH3).
    #[test]
    fn safety_is_upward_closed(table in tables()) {
        for requirements in requirements() {
            let Some(bound) = bind(&table, &requirements) else { continue };
            if bound.criteria.iter().any(|c| c.merging() == Merging::Arbitrary) {
                continue;
            }
            let nodes = nodes(&table);
            let safe: Vec<bool> =
                nodes.iter().map(|node| judge(&table, &bound, node, Metric::Height, 0).is_some()).collect();
            for (i, low) in nodes.iter().enumerate() {
                for (j, high) in nodes.iter().enumerate() {
                    prop_assert!(!(above(high, low) && safe[i] && !safe[j]), "{requirements:?} {low:?} {high:?}");
                }
            }
        }
    }

    /// papers T-AL4: the records in failing classes never get more under generalization, for every criterion
    /// that says it absorbs.
    #[test]
    fn suppression_shrinks_upwards(table in tables()) {
        for requirements in requirements() {
            let Some(bound) = bind(&table, &requirements) else { continue };
            if bound.criteria.iter().any(|c| c.merging() != Merging::Absorbing) {
                continue;
            }
            let counted: Vec<(Vec<usize>, Option<usize>)> = nodes(&table)
                .into_iter()
                .map(|node| {
                    let suppressed = classes(&table, &bound, &node).map(|(_, suppressed)| suppressed.len());
                    (node, suppressed)
                })
                .collect();
            for (low, more) in &counted {
                for (high, fewer) in &counted {
                    if above(high, low) {
                        prop_assert!(fewer <= more, "{requirements:?} {low:?} {more:?} {high:?} {fewer:?}");
                    }
                }
            }
        }
    }

    /// papers T-TH2, attribute-subset closure: leaving a column out (its top, where it has one label) keeps a
    /// k-anonymous node k-anonymous.
    #[test]
    fn fewer_columns_stay_anonymous(table in tables()) {
        let Some(bound) = bind(&table, &requirements()[0]) else { return Err(TestCaseError::reject("the case does not arise")) };
        for node in nodes(&table) {
            if judge(&table, &bound, &node, Metric::Height, 0).is_none() {
                continue;
            }
            for column in 0..node.len() {
                let generalization = &table.generalizations[column];
                if generalization.levels[generalization.height()].labels.len() == 1 {
                    let mut fewer = node.clone();
                    fewer[column] = generalization.height();
                    prop_assert!(judge(&table, &bound, &fewer, Metric::Height, 0).is_some());
                }
            }
        }
    }

    /// Survey UM-02..09: without suppression no metric gets better under generalization.
    #[test]
    fn metrics_grow_upwards(mut table in tables()) {
        table.weights.fill(1.0);
        let Some(bound) = bind(&table, &[]) else { return Err(TestCaseError::reject("the case does not arise")) };
        for metric in Metric::ALL {
            let values: Vec<(Vec<usize>, f64)> = nodes(&table)
                .into_iter()
                .map(|node| {
                    let (kept, suppressed) = classes(&table, &bound, &node).unwrap();
                    let worth = value(&table, &node, metric, &kept, &suppressed);
                    (node, worth)
                })
                .collect();
            for (low, fine) in &values {
                for (high, coarse) in &values {
                    prop_assert!(!above(high, low) || *coarse >= fine - 1e-9, "{metric:?} {low:?} {high:?}");
                }
            }
        }
    }
}
