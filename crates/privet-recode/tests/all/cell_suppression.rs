//! Minimum cell suppression: the golden numbers of the survey, the optimum against brute force over all
//! partitions, and the factors that the approximations promise.

use crate::oracle;

use std::collections::BTreeMap;

use oracle::fixture::Fixture;
use oracle::json;
use privet_criteria::Requirement;
use privet_data::{Progress, Silent};
use privet_measure::Metric;
use privet_recode::cell::{CellSuppression, Found, Method};
use privet_recode::lattice::{Problem, SearchError};
use proptest::prelude::*;

const METHODS: [Method; 3] = [Method::Exact, Method::MeyersonWilliams, Method::Aggarwal];

/// A table of numbers, one row per record.
type Rows = Vec<Vec<u8>>;

fn k_anonymity(k: u64) -> Vec<Requirement> {
    vec![json("k-anonymity", &k.to_string())]
}

fn with_fixture<T>(rows: &Rows, requirements: &[Requirement], look: impl FnOnce(&Problem<'_>) -> T) -> T {
    let width = rows.first().map_or(0, Vec::len);
    let texts: Vec<Vec<String>> =
        (0..width).map(|column| rows.iter().map(|row| format!("v{}", row[column])).collect()).collect();
    let quasi: Vec<_> = texts
        .iter()
        .map(|texts| {
            let values: Vec<&str> = texts.iter().map(String::as_str).collect();
            let mut distinct = values.clone();
            distinct.sort_unstable();
            distinct.dedup();
            (values, distinct.into_iter().map(|value| vec![value, "*"]).collect())
        })
        .collect();
    let fixture = Fixture::new(&quasi, &vec!["x"; rows.len()], requirements);
    look(&fixture.problem(Metric::Loss, 0))
}

fn search(rows: &Rows, k: u64, method: Method) -> Result<Found, SearchError> {
    with_fixture(rows, &k_anonymity(k), |problem| CellSuppression { method }.search(problem, &Silent))
}

/// The published table, as texts, and that what was said of it is true.
fn published(rows: &Rows, k: u64, found: &Found) -> Vec<Vec<String>> {
    assert_eq!(found.class_of.len(), rows.len());
    let table: Vec<Vec<String>> = rows
        .iter()
        .zip(&found.class_of)
        .map(|(row, &class)| {
            let stars = &found.suppressed[class as usize];
            row.iter().zip(stars).map(|(v, &star)| if star { "*".into() } else { v.to_string() }).collect()
        })
        .collect();
    let mut classes: BTreeMap<&Vec<String>, u64> = BTreeMap::new();
    table.iter().for_each(|row| *classes.entry(row).or_default() += 1);
    assert!(classes.values().all(|&rows| rows >= k), "{table:?}");
    let mut group: BTreeMap<u32, (u64, &Vec<String>)> = BTreeMap::new();
    for (row, &class) in table.iter().zip(&found.class_of) {
        assert!(class as usize <= group.len(), "groups are numbered as they appear");
        let (rows, first) = group.entry(class).or_insert((0, row));
        *rows += 1;
        assert_eq!(*first, row, "a group is published as one class");
    }
    assert!(group.values().all(|(rows, _)| *rows >= k));
    assert_eq!(group.len(), found.suppressed.len());
    let cells = table.iter().flatten().filter(|text| *text == "*").count() as u64;
    assert_eq!(cells, found.cells);
    table
}

/// The fewest cells over all partitions into groups of at least k, straight from the definition.
fn brute_force(rows: &Rows, k: usize) -> u64 {
    fn cells(rows: &Rows, group: &[usize]) -> u64 {
        let varies = |column: &usize| group.iter().any(|&r| rows[r][*column] != rows[group[0]][*column]);
        ((0..rows[0].len()).filter(varies).count() * group.len()) as u64
    }
    fn place(rows: &Rows, k: usize, next: usize, groups: &mut Vec<Vec<usize>>, best: &mut u64) {
        if next == rows.len() {
            if groups.iter().all(|group| group.len() >= k) {
                *best = (*best).min(groups.iter().map(|group| cells(rows, group)).sum());
            }
            return;
        }
        for group in 0..groups.len() {
            groups[group].push(next);
            place(rows, k, next + 1, groups, best);
            groups[group].pop();
        }
        groups.push(vec![next]);
        place(rows, k, next + 1, groups, best);
        groups.pop();
    }
    let mut best = u64::MAX;
    place(rows, k, 0, &mut Vec::new(), &mut best);
    best
}

/// What a method promises as a multiple of the optimum.
fn factor(method: Method, k: u64) -> f64 {
    let k = k as f64;
    match method {
        Method::Exact => 1.0,
        Method::Aggarwal => 3.0 * k - 3.0,
        Method::MeyersonWilliams => {
            let harmonic: f64 = (1..2 * k as u64).map(|i| 1.0 / i as f64).sum();
            (2.0 * k - 1.0) * (2.0 * k - 2.0) / k * harmonic
        }
    }
}

/// Survey FX-4.1: zip and gender of eight records.
fn survey_table() -> Rows {
    let (m, f) = (0, 1);
    vec![
        vec![94, m],
        vec![14, m],
        vec![14, f],
        vec![94, f],
        vec![14, f],
        vec![14, f],
        vec![14, f],
        vec![14, f],
    ]
}

#[test]
fn survey_fx_4_1() {
    let rows = survey_table();
    for (k, cells) in [(1, 0), (2, 4), (3, 6), (4, 8)] {
        let found = search(&rows, k, Method::Exact).unwrap();
        published(&rows, k, &found);
        assert_eq!((found.cells, found.bound), (cells, Some(cells)), "k = {k}");
        assert_eq!(brute_force(&rows, k as usize), cells, "k = {k}");
    }
}

/// The printed table: records 1, 2 and 4 lose both cells, the others none. The other methods find it too.
#[test]
fn survey_fx_4_1_as_printed() {
    let rows = survey_table();
    for method in METHODS {
        let found = search(&rows, 3, method).unwrap();
        let stars: Vec<bool> = published(&rows, 3, &found).iter().map(|row| row == &["*", "*"]).collect();
        assert_eq!(found.class_of, [0, 0, 1, 0, 1, 1, 1, 1], "{method:?}");
        assert_eq!(stars, [true, true, false, true, false, false, false, false], "{method:?}");
        assert_eq!(found.cells, 6, "{method:?}");
    }
}

/// Small values and repeated columns, so that equal records and ties are common.
fn tables(most_rows: usize) -> impl Strategy<Value = Rows> {
    (1usize..6, 1usize..=most_rows, 1u8..5).prop_flat_map(|(width, rows, values)| {
        prop::collection::vec(prop::collection::vec(0..values, width), rows)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// The optimum is that of trying all partitions.
    #[test]
    fn exact_is_optimal(rows in tables(8), k in 1usize..6) {
        let k = k.min(rows.len());
        let found = search(&rows, k as u64, Method::Exact).unwrap();
        published(&rows, k as u64, &found);
        prop_assert_eq!(found.cells, brute_force(&rows, k));
        prop_assert_eq!(found.bound, Some(found.cells));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// What the approximations promise: the factor, the lower bound, k-anonymity.
    #[test]
    fn factors_hold(rows in tables(10), k in 1u64..6) {
        let k = k.min(rows.len() as u64);
        let optimum = search(&rows, k, Method::Exact).unwrap().cells;
        for method in [Method::MeyersonWilliams, Method::Aggarwal] {
            let found = search(&rows, k, method).unwrap();
            published(&rows, k, &found);
            prop_assert!(found.bound.is_some_and(|bound| bound <= optimum), "{:?} {}", found.bound, optimum);
            prop_assert!(found.cells >= optimum);
            let most = factor(method, k) * optimum as f64;
            prop_assert!(found.cells as f64 <= most + 1e-9, "{method:?} {} {optimum}", found.cells);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Larger tables: valid, within the factor of the lower bound's own proof, and the same on every run and
    /// number of threads.
    #[test]
    fn larger_tables(rows in tables(150), k in 1u64..12) {
        let k = k.min(rows.len() as u64);
        for method in [Method::MeyersonWilliams, Method::Aggarwal] {
            let found = search(&rows, k, method).unwrap();
            published(&rows, k, &found);
            let bound = found.bound.unwrap();
            prop_assert!(bound <= found.cells);
            if method == Method::Aggarwal && k > 1 {
                // The proof compares with this bound, not only with the optimum.
                prop_assert!(found.cells <= (3 * k - 3) * bound, "{} {bound}", found.cells);
            }
            let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
            prop_assert_eq!(one_thread.install(|| search(&rows, k, method)).unwrap(), found);
        }
    }
}

/// A chain of records, each one column from the next: the forest is one long path, and must be cut.
#[test]
fn a_chain_is_cut() {
    let rows: Rows = (0..60).map(|i| (0..59).map(|column| u8::from(column < i)).collect()).collect();
    for k in [2, 3, 5, 20, 60] {
        for method in [Method::MeyersonWilliams, Method::Aggarwal] {
            let found = search(&rows, k, method).unwrap();
            published(&rows, k, &found);
            // Groups of k neighbours, as far as they go, are optimal.
            let most = factor(method, k) * (60 * (k - 1)) as f64;
            assert!(found.cells as f64 <= most, "{method:?} {k} {}", found.cells);
            let sizes = found.class_of.iter().fold(BTreeMap::new(), |mut sizes, &class| {
                *sizes.entry(class).or_insert(0u64) += 1;
                sizes
            });
            assert!(sizes.values().all(|&rows| rows <= (3 * k - 3).max(2 * k - 1)), "{method:?} {k}");
        }
    }
}

/// More columns than a word has bits.
#[test]
fn many_columns() {
    let rows: Rows =
        (0..12u8).map(|i| (0..200).map(|column| (i / 4) ^ u8::from(column % 7 == i % 4)).collect()).collect();
    let optimum = search(&rows, 3, Method::Exact).unwrap();
    published(&rows, 3, &optimum);
    assert!(optimum.cells > 0);
    for method in [Method::MeyersonWilliams, Method::Aggarwal] {
        let found = search(&rows, 3, method).unwrap();
        published(&rows, 3, &found);
        assert!(found.cells >= optimum.cells && found.bound.unwrap() <= optimum.cells);
    }
}

#[test]
fn equal_records_lose_nothing() {
    for method in METHODS {
        let found = search(&vec![vec![1, 2]; 40], 7, method).unwrap();
        assert_eq!((found.cells, found.bound), (0, Some(0)), "{method:?}");
        assert_eq!(found.class_of, vec![0; 40]);
        assert_eq!(found.suppressed, [[false, false]]);
        // Nothing to tell records apart by.
        let found = search(&vec![Vec::new(); 5], 3, method).unwrap();
        assert_eq!((found.class_of, found.suppressed), (vec![0; 5], vec![Vec::new()]));
    }
}

#[test]
fn as_many_records_as_k() {
    let rows: Rows = vec![vec![1, 1, 1], vec![1, 2, 1], vec![1, 3, 2]];
    for method in METHODS {
        let found = search(&rows, 3, method).unwrap();
        assert_eq!(found.suppressed, [[false, true, true]], "{method:?}");
        assert_eq!(found.cells, 6);
        let found = search(&rows, 1, method).unwrap();
        assert_eq!((found.cells, found.bound), (0, Some(0)), "k = 1 asks for nothing");
    }
}

/// Equal records must not be split off at any price: here the last two could not be grouped then.
#[test]
fn copies_help_those_who_are_too_few() {
    let rows: Rows = vec![vec![0, 0], vec![0, 0], vec![0, 0], vec![0, 0], vec![0, 1], vec![0, 1]];
    for method in METHODS {
        let found = search(&rows, 3, method).unwrap();
        published(&rows, 3, &found);
        assert_eq!(found.cells, 3, "{method:?}");
    }
}

#[test]
fn no_records() {
    let rows: Vec<Vec<u8>> = Vec::new();
    with_problem_of(&rows, |problem| {
        for method in METHODS {
            let found = CellSuppression { method }.search(problem, &Silent).unwrap();
            assert_eq!((found.class_of.len(), found.suppressed.len(), found.cells), (0, 0, 0));
        }
    });
}

/// A problem for k = 3 whose criterion was made for a larger table.
fn with_problem_of(rows: &Rows, look: impl FnOnce(&Problem<'_>)) {
    let larger = Fixture::new(&[], &["x"; 9], &k_anonymity(3));
    with_fixture(rows, &[], |problem| {
        let quasi = problem.quasi.clone();
        look(&Problem { quasi, criteria: &larger.criteria, sensitive: Vec::new(), label: None, ..*problem });
    });
}

#[test]
fn fewer_records_than_k() {
    with_problem_of(&vec![vec![1], vec![2]], |problem| {
        let error = CellSuppression::default().search(problem, &Silent).unwrap_err();
        assert!(matches!(error, SearchError::NoSafeNode { failing: 2, .. }), "{error}");
        assert!(error.to_string().contains("k-anonymity"), "{error}");
    });
}

#[test]
fn other_criteria_are_refused() {
    let requirements =
        [json("k-anonymity", "2"), json("t-closeness", r#"{"kind": "equal", "t": 0.4, "column": "s"}"#)];
    let error = with_fixture(&survey_table(), &requirements, |problem| {
        CellSuppression::default().search(problem, &Silent).unwrap_err()
    });
    let SearchError::NotForCriterion { algorithm, criterion, .. } = error else { panic!("{error}") };
    assert_eq!((algorithm, criterion), ("cell-suppression", "t-closeness"));
}

#[test]
fn a_value_that_looks_suppressed_is_refused() {
    let lines = vec![vec!["*", "any"], vec!["a", "any"]];
    let fixture = Fixture::new(&[(vec!["a", "*", "a", "*"], lines.clone())], &["x"; 4], &k_anonymity(2));
    let error = CellSuppression::default().search(&fixture.problem(Metric::Loss, 0), &Silent).unwrap_err();
    assert!(error.to_string().contains("`*`"), "{error}");
    // A leaf of the hierarchy that no record has does no harm.
    let fixture = Fixture::new(&[(vec!["a"; 4], lines)], &["x"; 4], &k_anonymity(2));
    assert!(CellSuppression::default().search(&fixture.problem(Metric::Loss, 0), &Silent).is_ok());
}

/// `exact` counts different records: 18 are possible, 19 are not, and equal ones hardly count.
#[test]
fn exact_is_for_small_tables() {
    let different = |n: u8| -> Rows { (0..n).map(|i| vec![i, i / 2]).collect() };
    assert_eq!(search(&different(18), 9, Method::Exact).unwrap().cells, 36);
    let error = search(&different(19), 9, Method::Exact).unwrap_err().to_string();
    assert!(error.starts_with("search.cell-suppression.method") && error.contains("aggarwal"), "{error}");
    // 20 each of three tuples, of which the third differs from the others in both columns: with k = 21 one group
    // of 39 varies in one column, and one of 21 in both.
    let equal: Rows = (0..60).map(|i| vec![i % 3, (i % 3) / 2]).collect();
    assert_eq!(search(&equal, 20, Method::Exact).unwrap().cells, 0);
    assert_eq!(search(&equal, 21, Method::Exact).unwrap().cells, 39 + 2 * 21);
}

#[test]
fn ball_covers_are_for_tables_of_medium_size() {
    let rows: Rows = (0..20_001u32).map(|i| vec![(i % 200) as u8, (i / 200) as u8]).collect();
    let error = search(&rows, 2, Method::MeyersonWilliams).unwrap_err().to_string();
    assert!(error.starts_with("search.cell-suppression.method") && error.contains("20000"), "{error}");
}

#[test]
fn cancelling_stops_every_method() {
    struct Stop;
    impl Progress for Stop {
        fn stage(&self, _name: &str, _total: Option<u64>) {}
        fn at(&self, _done: u64) {}
        fn cancelled(&self) -> bool {
            true
        }
    }
    for method in METHODS {
        let stopped = with_fixture(&survey_table(), &k_anonymity(2), |problem| {
            CellSuppression { method }.search(problem, &Stop)
        });
        assert!(matches!(stopped, Err(SearchError::Cancelled(_))), "{method:?}");
    }
}

#[test]
fn options_of_a_job_file() {
    let parse = |text: &str| serde_json::from_str::<CellSuppression>(text);
    assert_eq!(parse("{}").unwrap().method, Method::Aggarwal);
    assert_eq!(parse(r#"{"method": "exact"}"#).unwrap().method, Method::Exact);
    assert_eq!(parse(r#"{"method": "meyerson-williams"}"#).unwrap().method, Method::MeyersonWilliams);
    assert_eq!(parse(r#"{"method": "aggarwal"}"#).unwrap().method, Method::Aggarwal);
    assert!(parse(r#"{"method": "best"}"#).is_err());
    assert!(parse(r#"{"mode": "exact"}"#).is_err());
}
