//! The best-effort searches against brute force: whatever the budget, what they choose is safe and worth what they
//! say, and no safe candidate is below their bound.

use crate::oracle;

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use oracle::{Table, VALUES, bind, domain, hierarchy, judge, problem, requirements, safe_nodes, tables};
use privet_criteria::Requirement;
use privet_data::{Cancelled, Generalization, Progress, Silent};
use privet_measure::Metric;
use privet_recode::lattice::{BottomUp, Found, Problem, SearchError, Strategy, TopDown, run};
use proptest::prelude::*;

fn top_down(node_limit: Option<u64>) -> TopDown {
    TopDown { node_limit, ..TopDown::default() }
}

fn bottom_up(node_limit: Option<u64>) -> BottomUp {
    BottomUp { node_limit, ..BottomUp::default() }
}

/// How many nodes the default of such a small table allows: more than its lattice has.
const EXHAUSTED: Option<u64> = None;

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

/// Every budget, from a single node to more than there are.
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
    let safe = safe_nodes(&table, &bound, metric, limit);
    let optimum = safe.iter().map(|(_, value)| *value).min_by(f64::total_cmp);
    for nodes in [Some(1), Some(2), Some(7), Some(20), EXHAUSTED] {
        for found in [both_ways(&problem, &top_down(nodes))?, both_ways(&problem, &bottom_up(nodes))?] {
            let (found, optimum) = match (found, optimum) {
                (Err(SearchError::NoSafeNode { .. }), None) => continue,
                (Err(SearchError::NothingFound { .. }), _) if nodes != EXHAUSTED => continue,
                (Ok(found), Some(optimum)) => (found, optimum),
                (found, optimum) => {
                    return Err(TestCaseError::fail(format!("{found:?}, the optimum is {optimum:?}")));
                }
            };
            let own = judge(&table, &bound, &found.levels, metric, limit);
            prop_assert!(own.is_some_and(|own| near(own, found.value)), "{own:?} {found:?}");
            let least = found.bound.unwrap_or(f64::NAN);
            prop_assert!(least <= optimum || near(least, optimum), "bound above {optimum}, {found:?}");
            prop_assert!(least <= found.value, "{found:?}");
            if let Some(nodes) = nodes {
                prop_assert!(found.nodes_checked <= nodes, "{found:?}");
            } else {
                prop_assert!(near(found.value, optimum), "not optimal: {optimum}, {found:?}");
                prop_assert_eq!(least, found.value, "proven");
            }
        }
    }
    Ok(())
}

/// The same with many threads and with one.
fn both_ways<S: Strategy + Sync>(
    problem: &Problem<'_>,
    strategy: &S,
) -> Result<Result<Found, SearchError>, TestCaseError> {
    static ONE: LazyLock<rayon::ThreadPool> =
        LazyLock::new(|| rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap());
    let strip = |found: Found| Found { reduction: Duration::ZERO, ..found };
    let found = run(problem, strategy, &Silent).map(strip);
    let again = ONE.install(|| run(problem, strategy, &Silent)).map(strip);
    prop_assert_eq!(&found, &again, "threads");
    Ok(found)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Every criterion with the metric loss, at several suppression limits.
    #[test]
    fn every_criterion(table in tables(), share in 0.0f64..0.6) {
        for requirements in &requirements() {
            for limit in [0, (share * table.rows as f64) as u64] {
                check(&table, requirements, Metric::Loss, limit)?;
            }
        }
    }

    /// Every metric with criteria of each kind of merging.
    #[test]
    fn every_metric(table in tables(), share in 0.0f64..0.6) {
        for metric in Metric::ALL {
            for requirements in requirements().iter().step_by(4) {
                let limit = (share * table.rows as f64) as u64;
                check(&table, requirements, metric, limit)?;
            }
        }
    }
}

/// More nodes than numbers: 40 columns of height 3.
fn huge() -> Table {
    let (rows, columns) = (50, 40);
    let code = |row: usize, column: usize| ((row * (column + 3) + row / 7) % VALUES) as u32;
    let quasi: Vec<Vec<u32>> =
        (0..columns).map(|column| (0..rows).map(|row| code(row, column)).collect()).collect();
    let generalization: Generalization = hierarchy(&[0, 1], true).bind(&domain()).unwrap();
    Table {
        population: Some(quasi.clone()),
        quasi,
        generalizations: vec![generalization; columns],
        sensitive: vec![(0..rows).map(|row| code(row, 0)).collect(); 2],
        label: vec![0; rows],
        weights: vec![1.0; columns],
        rows,
    }
}

#[test]
fn a_lattice_too_large_to_number() {
    let table = huge();
    let counts = table.counts();
    for metric in [Metric::Loss, Metric::Discernibility] {
        let bound = bind(&table, &requirements()[0]).unwrap();
        let problem = problem(&table, &counts, &bound, metric, 5);
        for nodes in [1, 500] {
            let found = [
                run(&problem, &top_down(Some(nodes)), &Silent).unwrap(),
                run(&problem, &bottom_up(Some(nodes)), &Silent).unwrap(),
            ];
            for found in found {
                assert_eq!(found.lattice_nodes, u64::MAX);
                assert!(found.nodes_checked <= nodes, "{found:?}");
                assert!(found.bound.is_some_and(|bound| bound <= found.value), "{found:?}");
                let own = judge(&table, &bound, &found.levels, metric, 5);
                assert!(own.is_some_and(|own| near(own, found.value)), "{own:?} {found:?}");
            }
        }
    }
}

#[test]
fn a_time_limit_is_kept() {
    let table = huge();
    let counts = table.counts();
    let bound = bind(&table, &requirements()[0]).unwrap();
    let problem = problem(&table, &counts, &bound, Metric::Loss, 5);
    let started = Instant::now();
    let found = run(&problem, &TopDown { time_limit: Some(0.2), node_limit: None }, &Silent).unwrap();
    assert!(found.bound.is_some());
    let found = run(&problem, &BottomUp { time_limit: Some(0.2), node_limit: None }, &Silent).unwrap();
    assert!(found.bound.is_some());
    // Generous: the machine may be busy.
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

/// A search with nothing to search: no record, no column, columns of one level.
#[test]
fn edge_cases() {
    let empty = Table { rows: 0, ..cut(&huge(), 0, 2) };
    let no_column = cut(&huge(), 50, 0);
    let flat = Table {
        generalizations: vec![hierarchy(&[], false).bind(&domain()).unwrap(); 3],
        ..cut(&huge(), 50, 3)
    };
    for (table, limit) in [(empty, 0), (no_column, 0), (flat, 50)] {
        let counts = table.counts();
        let Some(bound) = bind(&table, &requirements()[0]) else { continue };
        let problem = problem(&table, &counts, &bound, Metric::Loss, limit);
        let down = run(&problem, &TopDown::default(), &Silent).unwrap();
        let up = run(&problem, &BottomUp::default(), &Silent).unwrap();
        assert_eq!(down.bound, Some(down.value));
        assert_eq!(up.levels, down.levels);
    }
}

/// The first rows and columns of a table.
fn cut(table: &Table, rows: usize, columns: usize) -> Table {
    let first = |codes: &Vec<u32>| codes[..rows].to_vec();
    Table {
        quasi: table.quasi[..columns].iter().map(first).collect(),
        population: None,
        generalizations: table.generalizations[..columns].to_vec(),
        sensitive: table.sensitive.iter().map(first).collect(),
        label: first(&table.label),
        weights: table.weights[..columns].to_vec(),
        rows,
    }
}

fn refused<S: Strategy>(strategy: &S) -> String {
    let table = cut(&huge(), 20, 2);
    let counts = table.counts();
    let bound = bind(&table, &requirements()[0]).unwrap();
    let problem = problem(&table, &counts, &bound, Metric::Loss, 0);
    let error = run(&problem, strategy, &Silent).unwrap_err();
    assert!(matches!(error, SearchError::Parameter { .. }), "{error:?}");
    error.to_string()
}

#[test]
fn bad_parameters_are_refused() {
    for time in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let text = refused(&TopDown { time_limit: Some(time), node_limit: None });
        assert_eq!(text, "search.top-down.time-limit must be a number of seconds above 0");
        let text = refused(&BottomUp { time_limit: Some(time), node_limit: None });
        assert_eq!(text, "search.bottom-up.time-limit must be a number of seconds above 0");
    }
    assert_eq!(refused(&top_down(Some(0))), "search.top-down.node-limit must be at least 1");
    assert_eq!(refused(&bottom_up(Some(0))), "search.bottom-up.node-limit must be at least 1");
}

#[test]
fn parameters_are_read_from_a_job() {
    let read: TopDown = serde_json::from_str(r#"{"time-limit": 2.5}"#).unwrap();
    assert_eq!(read, TopDown { time_limit: Some(2.5), node_limit: None });
    let read: BottomUp = serde_json::from_str(r#"{"node-limit": 9}"#).unwrap();
    assert_eq!(read, BottomUp { time_limit: None, node_limit: Some(9) });
    assert!(serde_json::from_str::<TopDown>(r#"{"nodes": 9}"#).is_err());
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
fn stops_on_request() {
    let table = huge();
    let counts = table.counts();
    let bound = bind(&table, &requirements()[0]).unwrap();
    let problem = problem(&table, &counts, &bound, Metric::Loss, 0);
    let stopped = SearchError::Cancelled(Cancelled);
    assert_eq!(run(&problem, &TopDown::default(), &Stopped), Err(stopped.clone()));
    assert_eq!(run(&problem, &BottomUp::default(), &Stopped), Err(stopped));
}
