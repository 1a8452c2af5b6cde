//! Samarati's search: the traces that the papers give, and brute force on random tables.

use crate::oracle;

use oracle::fixture::figure_one;
use oracle::{
    Bound, Table, bind, domain, hierarchy, json, judge, nodes, problem, requirements, safe_nodes, tables,
    tables_of,
};
use privet_criteria::{Merging, Requirement};
use privet_data::{Progress, Silent};
use privet_measure::Metric;
use privet_recode::lattice::{Found, Samarati, SearchError, run};
use proptest::prelude::*;

fn height(node: &[usize]) -> usize {
    node.iter().sum()
}

/// The probes as (height, hits).
fn trace(requirements: &[Requirement], limit: u64) -> (Found, Vec<(usize, usize)>) {
    let figure = figure_one(requirements);
    let (found, probes) = Samarati {}.probes(&figure.problem(Metric::Height, limit), &Silent).unwrap();
    (found, probes.iter().map(|probe| (probe.height, probe.hits)).collect())
}

/// papers FX-L4.
#[test]
fn probes_of_the_papers() {
    let (found, probes) = trace(&[json("k-anonymity", "2")], 0);
    assert_eq!(probes, [(3, 2), (1, 0), (2, 1)]);
    assert_eq!(found.minimal, Some(vec![vec![0, 1, 1]]));
    assert_eq!(found.levels, [0, 1, 1]);

    let (found, probes) = trace(&[json("k-anonymity", "4")], 0);
    assert_eq!(probes, [(3, 0), (5, 2), (4, 1)]);
    assert_eq!(found.minimal, Some(vec![vec![1, 2, 1]]));
}

/// papers FX-L4, MaxSup = 4.
#[test]
fn suppression_lowers_the_height() {
    let (found, _) = trace(&[json("k-anonymity", "2")], 4);
    assert_eq!(found.minimal, Some(vec![vec![0, 1, 1], vec![0, 2, 0]]));
    let (found, _) = trace(&[json("k-anonymity", "4")], 4);
    assert_eq!(found.minimal, Some(vec![vec![0, 2, 1]]));
    assert!(found.suppressed <= 4 && found.suppressed > 0);
}

/// papers FX-L4: where there is one Pareto-minimal node it is the one of least height.
#[test]
fn diverse_nodes_of_the_papers() {
    let middle = [
        r#"{"kind": "distinct", "l": 2, "column": "s"}"#,
        r#"{"kind": "distinct", "l": 3, "column": "s"}"#,
        r#"{"kind": "entropy", "l": 1.5, "column": "s"}"#,
        r#"{"kind": "entropy", "l": 2.8, "column": "s"}"#,
        r#"{"kind": "recursive", "l": 2, "c": 2, "column": "s"}"#,
        r#"{"kind": "recursive", "l": 3, "c": 2.5, "column": "s"}"#,
    ];
    for text in middle {
        assert_eq!(trace(&[json("l-diversity", text)], 0).0.minimal, Some(vec![vec![1, 2, 1]]), "{text}");
    }
    let top = [
        r#"{"kind": "entropy", "l": 2.9, "column": "s"}"#,
        r#"{"kind": "recursive", "l": 2, "c": 1, "column": "s"}"#,
        r#"{"kind": "recursive", "l": 3, "c": 2, "column": "s"}"#,
    ];
    for text in top {
        assert_eq!(trace(&[json("l-diversity", text)], 0).0.minimal, Some(vec![vec![3, 3, 1]]), "{text}");
    }
    assert_eq!(trace(&[json("k-anonymity", "6")], 0).0.minimal, Some(vec![vec![3, 3, 1]]));
}

/// The metric chooses among the nodes of the least height: with [0,1,1] nothing is suppressed, with [0,2,0] four
/// records are. Loss of [0,1,1]: age (3/11 · 8 + 1/11 · 4)/12 = 7/33, nationality 1. Loss of [0,2,0]: age
/// (7/11 · 8 + 3/11 · 4)/12 = 17/33, and the four suppressed records cost 1 in every column.
#[test]
fn the_metric_chooses_at_the_least_height() {
    let figure = figure_one(&[json("k-anonymity", "2")]);
    let found = run(&figure.problem(Metric::Loss, 4), &Samarati {}, &Silent).unwrap();
    assert_eq!(found.levels, [0, 1, 1]);
    assert!((found.value - (7.0 / 33.0 + 1.0) / 3.0).abs() < 1e-12, "{}", found.value);
    let bound = found.bound.unwrap();
    assert!(bound > 0.0 && bound <= found.value, "{bound}");
    // Unit weights: every safe node has at least this height, and this one has just that.
    let found = run(&figure.problem(Metric::Height, 4), &Samarati {}, &Silent).unwrap();
    assert!((found.bound.unwrap() - 2.0).abs() < 1e-9 && (found.value - 2.0).abs() < 1e-9);
}

/// Whether the search may be asked.
fn is_monotone(bound: &Bound, limit: u64) -> bool {
    let limit = if bound.criteria.iter().any(|c| c.judges_absence()) { 0 } else { limit };
    bound.criteria.iter().all(|criterion| match criterion.merging() {
        Merging::Absorbing => true,
        Merging::Closed => limit == 0,
        Merging::Arbitrary => false,
    })
}

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
    let outcome = Samarati {}.probes(&problem, &Silent);
    if !is_monotone(&bound, limit) {
        let refused = matches!(outcome, Err(SearchError::NotMonotone { algorithm: "samarati", .. }));
        prop_assert!(refused, "{outcome:?}");
        return Ok(());
    }
    let safe = safe_nodes(&table, &bound, metric, limit);
    let Some(least) = safe.iter().map(|(node, _)| height(node)).min() else {
        prop_assert!(matches!(outcome, Err(SearchError::NoSafeNode { .. })), "{outcome:?}");
        return Ok(());
    };
    let (found, probes) = outcome.map_err(|e| TestCaseError::fail(e.to_string()))?;

    let lowest: Vec<&(Vec<usize>, f64)> = safe.iter().filter(|(node, _)| height(node) == least).collect();
    let mut expected: Vec<Vec<usize>> = lowest.iter().map(|(node, _)| node.clone()).collect();
    expected.sort();
    prop_assert_eq!(found.minimal.as_ref(), Some(&expected), "nodes of the least height");
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs().max(1.0);
    let best = lowest.iter().map(|(_, value)| *value).min_by(f64::total_cmp).unwrap();
    prop_assert!(near(found.value, best), "found {} best {best}", found.value);
    prop_assert_eq!(height(&found.levels), least);
    let own = judge(&table, &bound, &found.levels, metric, limit);
    prop_assert!(own.is_some_and(|own| near(own, best)), "{own:?} {best}");

    let over_all = safe.iter().map(|(_, value)| *value).min_by(f64::total_cmp).unwrap();
    prop_assert_eq!(found.bound.is_some(), metric.takes_weights(), "bound of {:?}", metric);
    prop_assert!(found.bound.is_none_or(|bound| bound <= over_all + 1e-9), "{:?} {over_all}", found.bound);
    if metric == Metric::Height && table.weights.iter().all(|&weight| weight == 1.0) {
        prop_assert!(near(found.bound.unwrap(), found.value));
    }

    // The bisection, with every height judged by trying all its nodes.
    let (mut lo, mut hi) = (0, table.generalizations.iter().map(|g| g.height()).sum::<usize>());
    let mut expected = Vec::new();
    while lo < hi {
        let mid = (lo + hi) / 2;
        let hits = safe.iter().filter(|(node, _)| height(node) == mid).count();
        expected.push((mid, hits));
        (lo, hi) = if hits > 0 { (lo, mid) } else { (mid + 1, hi) };
    }
    let probes: Vec<(usize, usize)> = probes.iter().map(|probe| (probe.height, probe.hits)).collect();
    prop_assert_eq!(probes, expected, "probes");

    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let again = one_thread.install(|| run(&problem, &Samarati {}, &Silent));
    let again = again.map(|again| Found { reduction: found.reduction, ..again });
    prop_assert_eq!(again.ok(), Some(found), "threads");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn every_criterion(table in tables(), share in 0.0f64..0.6) {
        for requirements in requirements() {
            check(&table, &requirements, Metric::Loss, 0)?;
            check(&table, &requirements, Metric::Loss, (share * table.rows as f64) as u64)?;
        }
    }

    #[test]
    fn every_metric(table in tables(), share in 0.0f64..0.6, weighed in any::<bool>()) {
        let mut table = table;
        if !weighed {
            table.weights.fill(1.0);
        }
        for metric in Metric::ALL {
            for requirements in [&requirements()[0], &requirements()[4]] {
                check(&table, requirements, metric, (share * table.rows as f64) as u64)?;
            }
        }
    }

    /// Heights of many nodes, which are looked at part by part.
    #[test]
    fn wide_lattices(table in tables_of(5..7, 60), share in 0.0f64..0.5, which in 0usize..30) {
        let all = requirements();
        check(&table, &all[0], Metric::Loss, (share * table.rows as f64) as u64)?;
        check(&table, &all[which], Metric::Height, 0)?;
    }
}

/// On a wide lattice parts of a height are left out: fewer nodes are formed than the heights have.
#[test]
fn parts_of_a_height_are_left_out() {
    let columns = 6;
    let rows = 40;
    let generalization = hierarchy(&[0, 0], true).bind(&domain()).unwrap();
    let table = Table {
        quasi: (0..columns)
            .map(|c| (0..rows).map(|r| ((r * (c + 3) + r / 5) % 5) as u32).collect())
            .collect(),
        population: Some(vec![vec![]; columns]),
        generalizations: vec![generalization; columns],
        sensitive: vec![vec![0; rows]; 2],
        label: vec![0; rows],
        weights: vec![1.0; columns],
        rows,
    };
    let bound = bind(&table, &[json("k-anonymity", "4")]).unwrap();
    let counts = table.counts();
    let problem = problem(&table, &counts, &bound, Metric::Height, 0);
    let (found, probes) = Samarati {}.probes(&problem, &Silent).unwrap();
    let looked_at =
        nodes(&table).iter().filter(|node| probes.iter().any(|probe| probe.height == height(node))).count();
    assert!(found.nodes_checked < looked_at as u64, "{} of {looked_at}", found.nodes_checked);
}

fn plain(columns: usize, rows: usize, merges: &[usize], ends_in_one: bool) -> Table {
    let generalization = hierarchy(merges, ends_in_one).bind(&domain()).unwrap();
    Table {
        quasi: vec![(0..rows).map(|row| row as u32 % 5).collect(); columns],
        population: None,
        generalizations: vec![generalization; columns],
        sensitive: vec![vec![0; rows]; 2],
        label: vec![0; rows],
        weights: vec![1.0; columns],
        rows,
    }
}

fn search(table: &Table, requirements: &[Requirement], metric: Metric) -> Result<Found, SearchError> {
    let bound = bind(table, requirements).unwrap();
    let counts = table.counts();
    run(&problem(table, &counts, &bound, metric, 0), &Samarati {}, &Silent)
}

#[test]
fn no_column_no_row_one_level() {
    for metric in Metric::ALL {
        let found = search(&plain(0, 3, &[], false), &[json("k-anonymity", "2")], metric).unwrap();
        assert_eq!((found.levels, found.minimal), (vec![], Some(vec![vec![]])));
        let found = search(&plain(2, 0, &[0], true), &[], metric).unwrap();
        assert_eq!(found.levels, [0, 0]);
        // Five records that differ, and no level above the values.
        let refused = search(&plain(2, 5, &[], false), &[json("k-anonymity", "2")], metric);
        assert!(matches!(refused, Err(SearchError::NoSafeNode { .. })), "{refused:?}");
        let found = search(&plain(2, 10, &[], false), &[json("k-anonymity", "2")], metric).unwrap();
        assert_eq!((found.levels, found.nodes_checked), (vec![0, 0], 1));
    }
}

#[test]
fn only_the_top_is_safe() {
    let found = search(&plain(3, 5, &[0, 0], true), &[json("k-anonymity", "5")], Metric::Loss).unwrap();
    assert_eq!(found.minimal, Some(vec![vec![3, 3, 3]]));
}

#[test]
fn too_many_nodes_are_refused() {
    let refused = search(&plain(40, 5, &[0, 0], true), &[json("k-anonymity", "2")], Metric::Loss);
    assert!(matches!(refused, Err(SearchError::TooManyNodes { .. })), "{refused:?}");
}

struct Stopped;

impl Progress for Stopped {
    fn stage(&self, _name: &str, _total: Option<u64>) {}
    fn at(&self, _done: u64) {}
    fn cancelled(&self) -> bool {
        true
    }
}

#[test]
fn it_stops_when_asked() {
    let figure = figure_one(&[json("k-anonymity", "2")]);
    let stopped = run(&figure.problem(Metric::Loss, 0), &Samarati {}, &Stopped);
    assert!(matches!(stopped, Err(SearchError::Cancelled(_))), "{stopped:?}");
}

#[test]
fn it_has_no_parameters() {
    assert_eq!(serde_json::from_str::<Samarati>("{}").unwrap(), Samarati::default());
    assert!(serde_json::from_str::<Samarati>(r#"{"height": 3}"#).is_err());
}
