//! k-Optimize against brute force: on random small tables every set of boundaries is tried.

use crate::oracle;

use oracle::{
    Bound, Table, VALUES, bind, classes, domain, fixture, hierarchy, json, problem, requirements, tables_of,
    value,
};
use privet_criteria::Requirement;
use privet_data::{GeneralizedLevel, Hierarchy, Silent};
use privet_measure::Metric;
use privet_recode::cut::{Found, KOptimize};
use privet_recode::lattice::{Options, SearchError, optimal};
use proptest::prelude::*;

const METRICS: [Metric; 2] = [Metric::Discernibility, Metric::Classification];
const EXACT: KOptimize = KOptimize { time_limit: None, node_limit: Some(u64::MAX) };

/// The table with two levels per column: the values and this recoding.
fn recoded(table: &Table, columns: Vec<GeneralizedLevel>) -> Table {
    let mut table = table.clone();
    for (generalization, column) in table.generalizations.iter_mut().zip(columns) {
        generalization.levels.truncate(1);
        generalization.levels.push(column);
    }
    table
}

/// Every recoding into ranges, for columns that hold the values 0 to `sizes` - 1.
fn recodings(table: &Table, sizes: &[usize]) -> Vec<Table> {
    let boundaries: usize = sizes.iter().map(|size| size - 1).sum();
    let recode = |set: usize| {
        let mut bit = 0;
        let cut = |&size: &usize| {
            let mut run = 0;
            let mut node_of_code = vec![0; VALUES];
            for node in node_of_code.iter_mut().take(size).skip(1) {
                run += (set >> bit & 1) as u32;
                bit += 1;
                *node = run;
            }
            let labels = (0..=run).map(|run| format!("r{run}").into()).collect();
            GeneralizedLevel { node_of_code, labels, leaves: vec![1; run as usize + 1] }
        };
        recoded(table, sizes.iter().map(cut).collect())
    };
    (0..1 << boundaries).map(recode).collect()
}

/// The kept classes and suppressed records of every recoding that is safe without a limit.
type Judged = Vec<(Vec<Vec<usize>>, Vec<usize>)>;

fn judged(recodings: &[Table], bound: &Bound) -> Judged {
    let levels = vec![1; recodings[0].quasi.len()];
    recodings.iter().filter_map(|table| classes(table, bound, &levels)).collect()
}

fn optimum(table: &Table, bound: &Bound, judged: &Judged, metric: Metric, limit: u64) -> Option<f64> {
    let absence = bound.criteria.iter().any(|criterion| criterion.judges_absence());
    let limit = if absence { 0 } else { limit };
    let levels = vec![0; table.quasi.len()];
    judged
        .iter()
        .filter(|(_, suppressed)| suppressed.len() as u64 <= limit)
        .map(|(kept, suppressed)| value(table, &levels, metric, kept, suppressed))
        .min_by(f64::total_cmp)
}

/// What must hold of anything that is found: its recoding, judged by the oracle, is safe and has that value.
fn consistent(
    table: &Table,
    bound: &Bound,
    found: &Found,
    metric: Metric,
    limit: u64,
) -> Result<(), TestCaseError> {
    for (column, generalization) in found.columns.iter().zip(&table.generalizations) {
        prop_assert_eq!(column.leaves.iter().sum::<u32>(), generalization.leaves, "each leaf is in one run");
        let mut labels = column.labels.to_vec();
        labels.sort();
        labels.dedup();
        prop_assert_eq!(labels.len(), column.labels.len(), "labels are unique");
    }
    let own = recoded(table, found.columns.clone());
    let levels = vec![1; table.quasi.len()];
    let Some((kept, suppressed)) = classes(&own, bound, &levels) else {
        return Err(TestCaseError::fail("people without records fail"));
    };
    prop_assert!(suppressed.len() as u64 <= limit);
    prop_assert_eq!(suppressed.len() as u64, found.suppressed);
    let own = value(&own, &levels, metric, &kept, &suppressed);
    prop_assert!((own - found.value).abs() < 1e-9, "{own} {}", found.value);
    Ok(())
}

fn check(
    table: &Table,
    sizes: &[usize],
    asked: &[Vec<Requirement>],
    share: f64,
) -> Result<(), TestCaseError> {
    let table = table.weighed_for(Metric::Discernibility);
    let all = recodings(&table, sizes);
    let counts = table.counts();
    for requirements in asked {
        let Some(bound) = bind(&table, requirements) else { continue };
        let judged = judged(&all, &bound);
        for metric in METRICS {
            for limit in [0, (share * table.rows as f64) as u64, table.rows as u64] {
                let best = optimum(&table, &bound, &judged, metric, limit);
                let problem = problem(&table, &counts, &bound, metric, limit);
                let Some(best) = best else {
                    let error = EXACT.search(&problem, &Silent).unwrap_err();
                    prop_assert!(matches!(error, SearchError::NoSafeNode { .. }), "{error:?}");
                    continue;
                };
                let found =
                    EXACT.search(&problem, &Silent).map_err(|e| TestCaseError::fail(e.to_string()))?;
                prop_assert!(
                    (found.value - best).abs() < 1e-9,
                    "{metric:?} limit {limit}: found {} best {best}, {}",
                    found.value,
                    requirements.len()
                );
                prop_assert_eq!(found.bound, Some(found.value), "finished");
                consistent(&table, &bound, &found, metric, limit)?;
                for nodes in [1, 3, 9] {
                    let cut_short = KOptimize { node_limit: Some(nodes), ..EXACT };
                    match cut_short.search(&problem, &Silent) {
                        Err(SearchError::NothingFound { .. }) => {}
                        Err(error) => return Err(TestCaseError::fail(error.to_string())),
                        Ok(found) => {
                            prop_assert!(
                                found.bound.is_some_and(|bound| bound <= best + 1e-9),
                                "{found:?} {best}"
                            );
                            prop_assert!(found.value >= best - 1e-9, "{found:?} {best}");
                            consistent(&table, &bound, &found, metric, limit)?;
                        }
                    }
                }
            }
        }
    }
    Ok(())
}

/// Criteria that are absorbing and that are closed under merging.
fn main_criteria() -> Vec<Vec<Requirement>> {
    vec![
        vec![json("k-anonymity", "2")],
        vec![json("k-anonymity", "5")],
        vec![json("alpha-k", r#"{"alpha": 0.6, "k": 3, "column": "a"}"#)],
        vec![json("l-diversity", r#"{"kind": "distinct", "l": 3, "column": "a"}"#)],
        vec![
            json("k-anonymity", "3"),
            json("l-diversity", r#"{"kind": "entropy", "l": 1.8, "column": "a"}"#),
        ],
        vec![json("l-diversity", r#"{"kind": "recursive", "l": 2, "c": 1.5, "column": "b"}"#)],
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3))]

    #[test]
    fn every_criterion(table in tables_of(1..3, 40), share in 0.0f64..0.6) {
        check(&table, &vec![VALUES; table.quasi.len()], &requirements(), share)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn one_and_two_columns(table in tables_of(1..3, 60), share in 0.0f64..0.3) {
        check(&table, &vec![VALUES; table.quasi.len()], &main_criteria(), share)?;
    }

    /// Skewed columns: one class may hold more than half of the records, where suppressing a few pays.
    #[test]
    fn skewed(mut table in tables_of(2..3, 40), share in 0.0f64..0.3) {
        for column in table.quasi.iter_mut().chain(table.population.as_mut().unwrap()) {
            column.iter_mut().enumerate().filter(|(row, _)| row % 8 > 0).for_each(|(_, code)| *code = 1);
        }
        check(&table, &[VALUES; 2], &main_criteria(), share)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3))]

    #[test]
    fn three_columns(mut table in tables_of(3..4, 60), share in 0.0f64..0.2) {
        let sizes = [4, 4, 3];
        let fold = |columns: &mut Vec<Vec<u32>>| {
            for (column, size) in columns.iter_mut().zip(sizes) {
                column.iter_mut().for_each(|code| *code %= size as u32);
            }
        };
        fold(&mut table.quasi);
        fold(table.population.as_mut().unwrap());
        check(&table, &sizes, &main_criteria()[..4], share)?;
    }
}

/// papers FX-L1 with the hierarchies of FX-L4. Ranges include every full-domain recoding of hierarchies whose nodes
/// are ranges of leaves, so the best of them is no worse.
#[test]
fn no_worse_than_full_domain() {
    for requirement in [json("k-anonymity", "4"), json("l-diversity", r#"{"kind": "distinct", "l": 3}"#)] {
        let fixture = fixture::figure_one(std::slice::from_ref(&requirement));
        for metric in METRICS {
            let problem = fixture.problem(metric, 0);
            let ranges = EXACT.search(&problem, &Silent).unwrap();
            let levels = optimal(&problem, Options::default(), &Silent).unwrap();
            assert!(ranges.value <= levels.value, "{} {}", ranges.value, levels.value);
            assert_eq!(ranges.bound, Some(ranges.value));
        }
    }
}

/// papers FX-L1: the printed 4-anonymous table of three classes of four is a set of ranges, and 3·4² is the least
/// that twelve records in classes of at least four can cost (survey UM-06).
#[test]
fn three_classes_of_four() {
    let fixture = fixture::figure_one(&[json("k-anonymity", "4")]);
    let found = EXACT.search(&fixture.problem(Metric::Discernibility, 0), &Silent).unwrap();
    assert_eq!((found.value, found.bound, found.suppressed), (48.0, Some(48.0), 0));
}

fn table(quasi: Vec<Vec<u32>>) -> Table {
    let rows = quasi[0].len();
    let generalizations = quasi.iter().map(|_| hierarchy(&[0], true).bind(&domain()).unwrap()).collect();
    Table {
        weights: vec![1.0; quasi.len()],
        population: Some(quasi.clone()),
        generalizations,
        sensitive: vec![vec![0; rows]; 2],
        label: vec![0; rows],
        quasi,
        rows,
    }
}

#[test]
fn the_same_on_any_number_of_threads() {
    let spread = |step: u32| (0..60u32).map(|row| (row * step + row / 7) % VALUES as u32).collect::<Vec<_>>();
    let table = table(vec![spread(1), spread(2), spread(3)]);
    let bound = bind(&table, &[json("k-anonymity", "4")]).unwrap();
    let counts = table.counts();
    let problem = problem(&table, &counts, &bound, Metric::Discernibility, 5);
    for node_limit in [Some(3), Some(20), Some(u64::MAX)] {
        let search = KOptimize { time_limit: None, node_limit };
        let found = search.search(&problem, &Silent).unwrap();
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert_eq!(pool.install(|| search.search(&problem, &Silent)).unwrap(), found);
        }
    }
}

#[test]
fn parameters_out_of_range_are_named() {
    let table = table(vec![vec![0, 1]]);
    let bound = bind(&table, &[json("k-anonymity", "1")]).unwrap();
    let counts = table.counts();
    let problem = problem(&table, &counts, &bound, Metric::Discernibility, 0);
    for seconds in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let search = KOptimize { time_limit: Some(seconds), ..KOptimize::default() };
        let error = search.search(&problem, &Silent).unwrap_err();
        let SearchError::Parameter { key, .. } = error else { panic!("{error}") };
        assert_eq!(key, "search.k-optimize.time-limit");
    }
    let search = KOptimize { node_limit: Some(0), ..KOptimize::default() };
    let error = search.search(&problem, &Silent).unwrap_err();
    assert_eq!(error.to_string(), "search.k-optimize.node-limit must be a whole number of at least 1");
    let huge = KOptimize { time_limit: Some(f64::MAX), node_limit: Some(u64::MAX) };
    assert_eq!(huge.search(&problem, &Silent).unwrap().value, 2.0);
}

#[test]
fn options_are_read_in_kebab_case() {
    let read = |text: &str| serde_json::from_str::<KOptimize>(text);
    let both = KOptimize { time_limit: Some(2.5), node_limit: Some(7) };
    assert_eq!(read(r#"{"time-limit": 2.5, "node-limit": 7}"#).unwrap(), both);
    assert_eq!(read("{}").unwrap(), KOptimize::default());
    assert!(read(r#"{"time": 1}"#).is_err());
}

#[test]
fn other_metrics_are_refused() {
    let table = table(vec![vec![0, 1]]);
    let bound = bind(&table, &[json("k-anonymity", "1")]).unwrap();
    let counts = table.counts();
    for metric in Metric::ALL.into_iter().filter(|metric| !METRICS.contains(metric)) {
        let error = EXACT.search(&problem(&table, &counts, &bound, metric, 0), &Silent).unwrap_err();
        assert!(matches!(error, SearchError::NotForMetric { algorithm: "k-optimize", .. }), "{error:?}");
    }
    let mut unlabelled = problem(&table, &counts, &bound, Metric::Classification, 0);
    unlabelled.label = None;
    assert_eq!(EXACT.search(&unlabelled, &Silent), Err(SearchError::NoLabel));
}

#[test]
fn no_row_one_row_no_column_no_boundary() {
    let search = |quasi: Vec<Vec<u32>>, k: &str, limit: u64| {
        let table = table(quasi);
        let bound = bind(&table, &[json("k-anonymity", k)]).unwrap();
        let counts = table.counts();
        EXACT.search(&problem(&table, &counts, &bound, Metric::Discernibility, limit), &Silent)
    };
    let one = search(vec![vec![3]], "1", 0).unwrap();
    assert_eq!((one.value, one.bound, one.suppressed), (1.0, Some(1.0), 0));
    assert_eq!(&*one.columns[0].labels[0], "*");
    let equal = search(vec![vec![2; 6]; 2], "3", 0).unwrap();
    assert_eq!((equal.value, equal.bound), (36.0, Some(36.0)));

    // Nobody, and nothing to cut.
    let mut nobody = table(vec![vec![1, 2]]);
    nobody.quasi[0].clear();
    nobody.rows = 0;
    let bound = bind(&table(vec![vec![1, 2]]), &[json("k-anonymity", "2")]).unwrap();
    let counts = nobody.counts();
    let mut problem = problem(&nobody, &counts, &bound, Metric::Discernibility, 0);
    problem.sensitive.iter_mut().for_each(|codes| codes.codes = &[]);
    problem.label = None;
    let found = EXACT.search(&problem, &Silent).unwrap();
    assert_eq!((found.value, found.suppressed), (0.0, 0));
    problem.quasi.clear();
    assert!(EXACT.search(&problem, &Silent).unwrap().columns.is_empty());
}

#[test]
fn what_fails_is_said() {
    let table = table(vec![vec![0, 1, 2]]);
    let counts = table.counts();
    let mut bound = bind(&table, &[json("k-anonymity", "2")]).unwrap();
    bound.criteria = privet_criteria::build(&[json("k-anonymity", "4")], &[], None, 10).unwrap();
    let problem = |limit| problem(&table, &counts, &bound, Metric::Discernibility, limit);
    let error = EXACT.search(&problem(2), &Silent).unwrap_err();
    let SearchError::NoSafeNode { failing, limit, criteria } = error else { panic!("{error}") };
    assert_eq!((failing, limit), (3, 2));
    assert!(criteria[0].starts_with("k-anonymity: "), "{criteria:?}");
    // Suppressing everybody is within this limit.
    assert_eq!(EXACT.search(&problem(3), &Silent).unwrap().value, 9.0);
}

/// A missing value that no leaf stands for is the last value, a leaf of its own.
#[test]
fn a_missing_value_is_a_value() {
    let values: Vec<Box<str>> = ["", "1", "2", "3"].map(Box::from).to_vec();
    let (domain, _) = privet_data::Domain::canonical(values, str::is_empty);
    let leaves = ["1", "2", "3"].map(Box::from).to_vec();
    let hierarchy = Hierarchy::new(leaves, vec![vec!["*".into(); 3]]).unwrap();
    let mut table = table(vec![vec![0, 0, 0, 1, 1, 2, 3, 3, 3]]);
    table.generalizations = vec![hierarchy.bind(&domain).unwrap()];
    let bound = bind(&table, &[json("k-anonymity", "3")]).unwrap();
    let counts = [vec![3, 2, 1, 3]];
    let found = EXACT.search(&problem(&table, &counts, &bound, Metric::Discernibility, 0), &Silent).unwrap();
    assert_eq!(found.value, 27.0);
    let labels: Vec<&str> = found.columns[0].labels.iter().map(|label| &**label).collect();
    assert_eq!(labels, ["[1 to 2]", "3", ""]);
    assert_eq!(found.columns[0].node_of_code, [2, 0, 0, 1]);
}
