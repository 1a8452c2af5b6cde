//! Incognito: the traces of the sources, and brute force on random tables (papers T-AL5, thesis 2.8).

use crate::oracle;

use std::sync::LazyLock;

use oracle::fixture::{Fixture, figure_one};
use oracle::{
    Table, VALUES, bind, domain, hierarchy, json, minimal, problem, requirements, safe_nodes, tables,
    tables_of,
};
use privet_criteria::{Merging, Requirement};
use privet_data::{Cancelled, Progress, Silent};
use privet_measure::Metric;
use privet_recode::lattice::{
    Counters, Found, Incognito, Options, Problem, SearchError, SubsetCounters, SuperRoot, optimal,
};
use proptest::prelude::*;

/// Every setting of the switches.
const SWITCHES: [Incognito; 4] = [
    Incognito { super_roots: false, cube: false },
    Incognito { super_roots: true, cube: false },
    Incognito { super_roots: false, cube: true },
    Incognito { super_roots: true, cube: true },
];

static ONE_THREAD: LazyLock<rayon::ThreadPool> =
    LazyLock::new(|| rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap());

fn trace(switches: Incognito, problem: &Problem<'_>) -> (Found, Counters) {
    switches.trace(problem, &Silent).unwrap()
}

fn candidates_and_checks(counters: &Counters) -> Vec<(&[usize], u64, u64)> {
    counters.subsets.iter().map(|subset| (&*subset.columns, subset.candidates, subset.checks)).collect()
}

/// T-AL5 on FX-L1, k = 4: 11 checks in a lattice of 32 nodes.
#[test]
fn figure_one_with_k_4() {
    let fixture = figure_one(&[json("k-anonymity", "4")]);
    for switches in SWITCHES {
        let (found, counters) = trace(switches, &fixture.problem(Metric::Loss, 0));
        let expected: [(&[usize], u64, u64); 7] = [
            (&[0], 4, 2),
            (&[1], 4, 3),
            (&[2], 2, 2),
            (&[0, 1], 6, 1),
            (&[0, 2], 3, 1),
            (&[1, 2], 2, 1),
            (&[0, 1, 2], 6, 1),
        ];
        assert_eq!(candidates_and_checks(&counters), expected, "{switches:?}");
        assert_eq!((found.nodes_checked, found.lattice_nodes), (11, 32));
        assert_eq!(counters.subsets[6].safe, 6);
        assert_eq!(found.minimal, Some(vec![vec![1, 2, 1]]));
        assert_eq!(found.levels, [1, 2, 1]);
        assert_eq!(found.bound, Some(found.value));
    }
}

/// T-AL5 on FX-L1, k = 2: 16 checks, 13 anonymous nodes, two roots of the last graph and their super-root.
#[test]
fn figure_one_with_k_2() {
    let fixture = figure_one(&[json("k-anonymity", "2")]);
    for switches in SWITCHES {
        let (found, counters) = trace(switches, &fixture.problem(Metric::Loss, 0));
        assert_eq!((found.nodes_checked, counters.checks()), (16, 16), "{switches:?}");
        let last: &SubsetCounters = &counters.subsets[6];
        assert_eq!(last.safe, 13);
        assert_eq!(last.roots, [[0, 1, 1], [3, 3, 0]]);
        let super_root = SuperRoot { levels: vec![0, 1, 0], cells: 11 };
        assert_eq!(last.super_root, switches.super_roots.then_some(super_root));
        assert_eq!(found.minimal, Some(vec![vec![0, 1, 1], vec![3, 3, 0]]));
        assert_eq!((found.levels, found.classes), (vec![0, 1, 1], 6));
    }
}

/// The table is gone through once per root, once per subset with super-roots, and never with the cube.
#[test]
fn scans_of_the_table() {
    for k in ["2", "4"] {
        let fixture = figure_one(&[json("k-anonymity", k)]);
        let problem = fixture.problem(Metric::Loss, 0);
        for switches in SWITCHES {
            let (_, counters) = trace(switches, &problem);
            let roots: u64 = counters.subsets.iter().map(|subset| subset.roots.len() as u64).sum();
            let scans = match (switches.cube, switches.super_roots) {
                (true, _) => 0,
                (false, true) => counters.subsets.len() as u64,
                (false, false) => roots,
            };
            assert_eq!(counters.scans(), scans, "{switches:?}");
            let super_roots: u64 = counters.subsets.iter().map(|subset| subset.super_roots).sum();
            assert_eq!(counters.scans() + counters.roll_ups(), counters.checks() + super_roots);
            assert_eq!(super_roots > 0, switches.super_roots && roots > counters.subsets.len() as u64);
            assert_eq!(counters.cube_sets > 0, switches.cube);
        }
    }
}

/// FX-T1 with the hierarchies of FX-T4; columns age, ZIP.
fn table_20_1(requirements: &[Requirement]) -> Fixture {
    let age = vec!["24", "37", "26", "38", "36", "25"];
    let ages = ["24", "25", "26", "36", "37", "38"];
    let decade = |age: &str| if age < "30" { "(20,30]" } else { "(30,40]" };
    let ages = ages.iter().map(|&age| vec![age, decade(age), "(20,40]", "*"]).collect();
    let zip = vec!["10598", "90210", "10547", "90345", "89119", "02139"];
    let zips = [
        ("02139", "MA", "Northeastern US"),
        ("10547", "NY", "Northeastern US"),
        ("10598", "NY", "Northeastern US"),
        ("89119", "NV", "Western US"),
        ("90210", "CA", "Western US"),
        ("90345", "CA", "Western US"),
    ];
    let zips = zips.iter().map(|&(zip, state, region)| vec![zip, state, region, "*"]).collect();
    let disease = ["HIV", "Hepatitis C", "HIV", "Hepatitis C", "Diabetes", "HIV"];
    Fixture::new(&[(age, ages), (zip, zips)], &disease, requirements)
}

/// T-AL5 on FX-T1, k = 2: F(Age) = {A1..A3}, F(ZIP) = {Z2, Z3}, 6 candidate pairs, one check marks all.
#[test]
fn table_20_1_with_k_2() {
    let fixture = table_20_1(&[json("k-anonymity", "2")]);
    for switches in SWITCHES {
        let (found, counters) = trace(switches, &fixture.problem(Metric::Height, 0));
        assert_eq!(counters.subsets.iter().map(|subset| subset.safe).collect::<Vec<_>>(), [3, 2, 6]);
        assert_eq!((counters.subsets[2].candidates, counters.subsets[2].checks), (6, 1));
        assert_eq!(found.minimal, Some(vec![vec![1, 2]]));
        assert_eq!(found.lattice_nodes, 16);
    }
    // FX-T4: with two records suppressed it is <A1, Z1>; entropy 2-diversity needs <A2, Z3>.
    let (found, _) = trace(Incognito::default(), &fixture.problem(Metric::Height, 2));
    assert_eq!((found.levels, found.suppressed), (vec![1, 1], 2));
    let diverse = table_20_1(&[json("l-diversity", r#"{"kind": "entropy", "l": 2, "column": "s"}"#)]);
    let (found, _) = trace(Incognito::default(), &diverse.problem(Metric::Height, 0));
    assert_eq!(found.minimal, Some(vec![vec![2, 3]]));
}

/// FX-L4: the Pareto-minimal nodes of every requirement listed there.
#[test]
fn figure_one_for_every_requirement() {
    let diversity = |kind: &str, l: &str, c: &str| {
        let c = if c.is_empty() { String::new() } else { format!(r#", "c": {c}"#) };
        json("l-diversity", &format!(r#"{{"kind": "{kind}", "l": {l}{c}, "column": "s"}}"#))
    };
    let middle = vec![vec![1, 2, 1]];
    let top = vec![vec![3, 3, 1]];
    let cases = [
        (json("k-anonymity", "3"), &middle),
        (json("k-anonymity", "6"), &top),
        (diversity("distinct", "2", ""), &middle),
        (diversity("distinct", "3", ""), &middle),
        (diversity("entropy", "1.5", ""), &middle),
        (diversity("entropy", "2.8", ""), &middle),
        (diversity("recursive", "2", "2"), &middle),
        (diversity("recursive", "3", "2.5"), &middle),
        (diversity("recursive", "3", "3"), &middle),
        (diversity("entropy", "2.9", ""), &top),
        (diversity("recursive", "2", "1"), &top),
        (diversity("recursive", "3", "2"), &top),
    ];
    for (requirement, expected) in cases {
        let fixture = figure_one(std::slice::from_ref(&requirement));
        for switches in SWITCHES {
            let (found, _) = trace(switches, &fixture.problem(Metric::Loss, 0));
            assert_eq!(found.minimal.as_ref(), Some(expected), "{requirement:?}");
        }
    }
}

/// FX-L4 with MaxSup = 4.
#[test]
fn figure_one_with_suppression() {
    let two = figure_one(&[json("k-anonymity", "2")]);
    let (found, _) = trace(Incognito::default(), &two.problem(Metric::Height, 4));
    assert!(found.minimal.is_some_and(|minimal| minimal.contains(&vec![0, 2, 0])));
    let four = figure_one(&[json("k-anonymity", "4")]);
    let (found, _) = trace(Incognito::default(), &four.problem(Metric::Height, 4));
    assert_eq!(found.levels, [0, 2, 1]);
}

/// The criteria of the oracle, and all forms of sensitivity of thesis 2.8.
fn all_requirements() -> Vec<Vec<Requirement>> {
    let categories = r#""categories": [["0", "1"], ["2", "3"], ["4"]]"#;
    let forms = [
        r#"{"p": 3, "k": 3, "column": "a"}"#.to_string(),
        format!(r#"{{"p": 2, "k": 3, "plus": true, {categories}, "column": "a"}}"#),
        format!(r#"{{"p": 3, "k": 2, "alpha": 1.5, {categories}, "column": "a"}}"#),
        format!(r#"{{"p": 2, "k": 2, "plus": true, "alpha": 2, {categories}, "column": "b"}}"#),
    ];
    let mut all = requirements();
    all.extend(forms.iter().map(|form| vec![json("p-sensitivity", form)]));
    all
}

/// The table with some of its columns.
fn project(table: &Table, columns: &[usize]) -> Table {
    let mut part = table.clone();
    part.quasi = columns.iter().map(|&i| table.quasi[i].clone()).collect();
    part.population =
        table.population.as_ref().map(|population| columns.iter().map(|&i| population[i].clone()).collect());
    part.generalizations = columns.iter().map(|&i| table.generalizations[i].clone()).collect();
    part.weights = columns.iter().map(|&i| table.weights[i]).collect();
    part
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
    let mendable = limit > 0 && !bound.criteria.iter().any(|criterion| criterion.judges_absence());
    let refused = |merging: Merging| match merging {
        Merging::Absorbing => false,
        Merging::Closed => mendable,
        Merging::Arbitrary => true,
    };
    if bound.criteria.iter().any(|criterion| refused(criterion.merging())) {
        let found = Incognito::default().trace(&problem, &Silent);
        let refused = matches!(found, Err(SearchError::NotMonotone { algorithm: "incognito", .. }));
        prop_assert!(refused, "{found:?}");
        return Ok(());
    }
    let safe = safe_nodes(&table, &bound, metric, limit);
    let expected = minimal(&safe);
    let value_of = |node: &Vec<usize>| safe.iter().find(|(other, _)| other == node).unwrap().1;
    let best = expected.iter().map(value_of).min_by(f64::total_cmp);
    let best_of_all = safe.iter().map(|(_, value)| *value).min_by(f64::total_cmp);
    let mut first: Option<(Found, Counters)> = None;
    for switches in SWITCHES {
        let found = switches.trace(&problem, &Silent);
        let (Some(best), Some(best_of_all)) = (best, best_of_all) else {
            prop_assert!(matches!(found, Err(SearchError::NoSafeNode { .. })), "{found:?}");
            continue;
        };
        let (found, counters) = found.map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert_eq!(found.minimal.as_ref(), Some(&expected), "{:?} {:?}", switches, requirements);
        let rounding = 1e-9 * best.abs().max(1.0);
        prop_assert!((found.value - best).abs() <= rounding, "{} {best}", found.value);
        prop_assert!((value_of(&found.levels) - best).abs() <= rounding);
        prop_assert!(found.bound.is_some_and(|bound| bound <= best_of_all + rounding), "{:?}", found.bound);
        if limit == 0 {
            prop_assert!(found.bound.is_some_and(|bound| (bound - best).abs() <= rounding));
        }
        prop_assert_eq!(counters.subsets.last().map(|last| last.safe), Some(safe.len() as u64));

        let (again, counted) = ONE_THREAD.install(|| switches.trace(&problem, &Silent)).unwrap();
        let again = Found { reduction: found.reduction, ..again };
        prop_assert_eq!((&again, &counted), (&found, &counters), "threads");
        if let Some((other, others)) = &first {
            prop_assert_eq!(&other.levels, &found.levels);
            prop_assert_eq!(other.nodes_checked, found.nodes_checked);
            for (a, b) in others.subsets.iter().zip(&counters.subsets) {
                prop_assert_eq!((&a.columns, a.candidates, a.checks), (&b.columns, b.candidates, b.checks));
            }
        }
        first = Some((found, counters));
    }
    // The safe nodes of every subset are those of the table without the other columns.
    for subset in first.iter().flat_map(|(_, counters)| &counters.subsets) {
        let part = project(&table, &subset.columns).weighed_for(Metric::Height);
        let safe = safe_nodes(&part, &bound, Metric::Height, limit);
        prop_assert_eq!(subset.safe, safe.len() as u64, "{:?} {:?}", subset.columns, requirements);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Exactly the minimal safe nodes for every criterion, with and without suppression.
    #[test]
    fn minimal_nodes_are_those_of_brute_force(table in tables(), share in 0.0f64..0.6) {
        for requirements in all_requirements() {
            check(&table, &requirements, Metric::Loss, 0)?;
            check(&table, &requirements, Metric::Loss, (share * table.rows as f64) as u64)?;
        }
    }

    /// Every metric prefers one of them.
    #[test]
    fn every_metric(table in tables_of(2..4, 50), share in 0.0f64..0.6, which in 0usize..40) {
        let all = all_requirements();
        for metric in Metric::ALL {
            check(&table, &all[0], metric, 0)?;
            check(&table, &all[which % all.len()], metric, (share * table.rows as f64) as u64)?;
        }
    }

    /// More columns, so that pruning by projections has something to prune.
    #[test]
    fn many_columns(table in tables_of(4..6, 200), share in 0.0f64..0.1, which in 0usize..40) {
        let all = all_requirements();
        check(&table, &all[0], Metric::Loss, (share * table.rows as f64) as u64)?;
        check(&table, &all[which % all.len()], Metric::Loss, 0)?;
    }
}

/// Many roots: parts of them get super-roots of their own, and the result is that of another search.
#[test]
fn nested_super_roots() {
    let (columns, rows) = (6, 300);
    let mut state = 1u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (((state >> 33) % below) * ((state >> 45) % below) / below) as u32
    };
    let mut codes = |count: usize| -> Vec<Vec<u32>> {
        (0..count).map(|_| (0..rows).map(|_| random(VALUES as u64)).collect()).collect()
    };
    let quasi = codes(columns);
    let table = Table {
        population: Some(quasi.clone()),
        quasi,
        generalizations: (0..columns)
            .map(|i| hierarchy(&[0, 1][..1 + i % 2], true).bind(&domain()).unwrap())
            .collect(),
        sensitive: codes(2),
        label: codes(1).remove(0),
        weights: vec![1.0; columns],
        rows,
    };
    let requirements =
        [json("k-anonymity", "3"), json("p-sensitivity", r#"{"p": 2, "k": 2, "column": "a"}"#)];
    let bound = bind(&table, &requirements).unwrap();
    let counts = table.counts();
    for limit in [0, 20] {
        let problem = problem(&table, &counts, &bound, Metric::Loss, limit);
        let expected = optimal(&problem, Options { minimal_nodes: true }, &Silent).unwrap();
        for switches in SWITCHES {
            let (found, counters) = trace(switches, &problem);
            assert_eq!(found.minimal, expected.minimal);
            let nested = counters.subsets.iter().any(|subset| subset.super_roots > 1);
            assert!(!nested || switches.super_roots);
            assert!(nested || !switches.super_roots || limit == 0, "{counters:?}");
        }
    }
}

/// Columns of one level are in every subset, however many there are.
#[test]
fn columns_without_a_choice() {
    let codes = vec!["a", "a", "b", "b"];
    let identity = || (codes.clone(), vec![vec!["a"], vec!["b"]]);
    let starred = (vec!["x", "y", "x", "x"], vec![vec!["x", "*"], vec!["y", "*"]]);
    let mut quasi: Vec<_> = (0..70).map(|_| identity()).collect();
    quasi.push(starred);
    let fixture = Fixture::new(&quasi, &["s", "t", "s", "t"], &[json("k-anonymity", "2")]);
    for switches in SWITCHES {
        let (found, counters) = trace(switches, &fixture.problem(Metric::Loss, 0));
        assert_eq!(found.levels[70], 1);
        assert_eq!(counters.subsets.len(), 1);
        assert_eq!(counters.subsets[0].columns, (0..71).collect::<Vec<_>>());
        assert_eq!(counters.subsets[0].checks, 2);
    }
    // And when there is no other: a lattice of one node.
    quasi.pop();
    let fixture = Fixture::new(&quasi, &["s", "t", "s", "t"], &[json("k-anonymity", "2")]);
    for switches in SWITCHES {
        let (found, _) = trace(switches, &fixture.problem(Metric::Loss, 0));
        assert_eq!((found.levels, found.nodes_checked), (vec![0; 70], 1));
    }
}

/// No column at all, and no records at all.
#[test]
fn tables_with_nothing_in_them() {
    for switches in SWITCHES {
        let nothing = Fixture::new(&[], &["s", "t", "s"], &[json("k-anonymity", "3")]);
        let (found, _) = trace(switches, &nothing.problem(Metric::Loss, 0));
        assert_eq!((found.levels, found.minimal), (vec![], Some(vec![vec![]])));

        let fixture = figure_one(&[json("k-anonymity", "2")]);
        let empty: Vec<Vec<u64>> =
            fixture.problem(Metric::Loss, 0).quasi.iter().map(|q| vec![0; q.counts.len()]).collect();
        let mut problem = fixture.problem(Metric::Loss, 0);
        problem.rows = 0;
        for (quasi, counts) in problem.quasi.iter_mut().zip(&empty) {
            (quasi.codes, quasi.counts) = (&[], counts);
        }
        problem.sensitive[0].codes = &[];
        problem.label = None;
        let same = optimal(&problem, Options { minimal_nodes: true }, &Silent).map(|found| found.minimal);
        assert_eq!(switches.trace(&problem, &Silent).map(|(found, _)| found.minimal), same);
    }
}

/// A lattice whose projections are too many is refused, not tried.
#[test]
fn too_many_projections() {
    let column = || (vec!["a", "b"], vec![vec!["a", "*"], vec!["b", "*"]]);
    let quasi: Vec<_> = (0..25).map(|_| column()).collect();
    let fixture = Fixture::new(&quasi, &["s", "t"], &[json("k-anonymity", "2")]);
    let found = Incognito::default().trace(&fixture.problem(Metric::Loss, 0), &Silent);
    assert!(matches!(found, Err(SearchError::TooManyNodes { .. })), "{found:?}");
}

/// Job files name the switches; what is left out is the default, and what is unknown is refused.
#[test]
fn switches_are_read() {
    let read = |text: &str| serde_json::from_str::<Incognito>(text);
    assert_eq!(read("{}").unwrap(), Incognito::default());
    assert_eq!(read(r#"{"super-roots": false, "cube": true}"#).unwrap(), SWITCHES[2]);
    assert!(read(r#"{"cubes": true}"#).is_err());
}

/// Stops when asked to.
#[test]
fn stops_on_request() {
    struct Stopped;
    impl Progress for Stopped {
        fn stage(&self, _name: &str, _total: Option<u64>) {}
        fn at(&self, _done: u64) {}
        fn cancelled(&self) -> bool {
            true
        }
    }
    let fixture = figure_one(&[json("k-anonymity", "2")]);
    for switches in SWITCHES {
        let found = switches.trace(&fixture.problem(Metric::Loss, 0), &Stopped);
        assert_eq!(found.map(|_| ()), Err(SearchError::Cancelled(Cancelled)));
    }
}
