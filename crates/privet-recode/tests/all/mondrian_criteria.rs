//! Mondrian under every criterion, with hierarchies, and with the 3D criterion, against brute force.

use crate::oracle;

use std::collections::BTreeMap;

use oracle::{Bound, Table, VALUES, bind, json, problem, requirements, tables};
use privet_criteria::{Class, Histogram, Merging, Skyline, ThreeD};
use privet_data::Silent;
use privet_measure::Metric;
use privet_recode::groups::Groups;
use privet_recode::lattice::{Problem, SearchError};
use privet_recode::partition::{Choose, Mode, Mondrian, Query, Wanted, Workload};
use proptest::prelude::*;

const NUMBERS: [f64; VALUES] = [0.0, 1.0, 2.0, 3.0, 4.0];

fn members(groups: &Groups) -> Vec<Vec<usize>> {
    let mut members = vec![Vec::new(); groups.count];
    groups.of.iter().enumerate().for_each(|(record, &group)| members[group as usize].push(record));
    members
}

/// Whether some records satisfy every criterion, straight from the definition.
fn safe(table: &Table, bound: &Bound, records: &[usize]) -> bool {
    let views = [
        (&table.sensitive[0], VALUES),
        (&table.sensitive[1], VALUES),
        (&bound.joint_codes, bound.joint.combinations.len()),
    ];
    let counted: Vec<(Vec<u32>, Vec<u32>)> = views
        .iter()
        .map(|(codes, size)| {
            let mut counts = vec![0u32; *size];
            records.iter().for_each(|&record| counts[codes[record] as usize] += 1);
            let present = (0..*size as u32).filter(|&code| counts[code as usize] > 0).collect();
            (counts, present)
        })
        .collect();
    let histograms: Vec<Histogram<'_>> = counted
        .iter()
        .map(|(counts, present)| Histogram { counts, present, total: records.len() as u64 })
        .collect();
    let class = Class { rows: records.len() as u64, population: 0, histograms: &histograms };
    !records.is_empty() && bound.criteria.iter().all(|criterion| criterion.holds(&class))
}

/// The cuts of a group that the method knows: beside the median of numbers (at every place when asked), or into the
/// children of the lowest node.
fn cuts(table: &Table, numeric: &[bool], records: &[usize], everywhere: bool) -> Vec<Vec<Vec<usize>>> {
    let mut all = Vec::new();
    for (column, codes) in table.quasi.iter().enumerate() {
        let mut values: Vec<u32> = records.iter().map(|&record| codes[record]).collect();
        values.sort_unstable();
        if numeric[column] {
            let median = values[(values.len() - 1) / 2];
            let thresholds = if everywhere { (1..VALUES as u32).collect() } else { vec![median, median + 1] };
            for threshold in thresholds {
                let (left, right) = records.iter().partition(|&&record| codes[record] < threshold);
                all.push(vec![left, right]);
            }
        } else {
            // From the top down, the first level that tells the records apart.
            let levels = &table.generalizations[column].levels;
            let parts = levels.iter().rev().map(|level| {
                let mut parts: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
                for &record in records {
                    parts.entry(level.node_of_code[codes[record] as usize]).or_default().push(record);
                }
                parts.into_values().collect::<Vec<_>>()
            });
            all.extend(parts.into_iter().find(|parts| parts.len() > 1));
        }
    }
    all.retain(|parts| parts.iter().all(|part| !part.is_empty()));
    all
}

fn with_numbers<'a>(mut problem: Problem<'a>, numeric: &[bool]) -> Problem<'a> {
    for (quasi, &numeric) in problem.quasi.iter_mut().zip(numeric) {
        quasi.numbers = numeric.then_some(&NUMBERS);
    }
    problem
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// survey TH-10: the result satisfies every criterion and is minimal, in every way of choosing cuts.
    #[test]
    fn every_criterion(table in tables(), numeric in prop::collection::vec(any::<bool>(), 3), wanted in 0u32..VALUES as u32) {
        let table = table.weighed_for(Metric::Loss);
        let target: Vec<f64> = table.label.iter().map(|&label| f64::from(label)).collect();
        let queries = [Query {
            wanted: (0..table.quasi.len()).map(|column| match column {
                0 => Wanted::Between(wanted, wanted + 1),
                1 => Wanted::Among(vec![0, wanted]),
                _ => Wanted::Anything,
            }).collect(),
        }];
        let workload = Workload { target: Some(&target), queries: &queries, sensitive: 0 };
        for requirements in requirements() {
            let Some(bound) = bind(&table, &requirements) else { continue };
            let counts = table.counts();
            let problem = with_numbers(problem(&table, &counts, &bound, Metric::Loss, 0), &numeric);
            let takes = |c: &dyn privet_criteria::Criterion| {
                c.merging() != Merging::Arbitrary && !["delta-presence", "k-map"].contains(&c.key())
            };
            for choose in [Choose::Width, Choose::ClassEntropy, Choose::Variance, Choose::Queries] {
                let options = Mondrian { choose, ..Mondrian::default() };
                let found = options.search(&problem, &workload, &Silent);
                if !bound.criteria.iter().all(|criterion| takes(&**criterion)) {
                    let refused = matches!(
                        found, Err(SearchError::NotForCriterion { .. } | SearchError::NotMonotone { .. })
                    );
                    prop_assert!(refused, "{found:?}");
                    continue;
                }
                let everybody: Vec<usize> = (0..table.rows).collect();
                if !safe(&table, &bound, &everybody) {
                    prop_assert!(matches!(found, Err(SearchError::NoSafeTable { .. })), "{found:?}");
                    continue;
                }
                let found = found.map_err(|error| TestCaseError::fail(error.to_string()))?;
                prop_assert!(found.made < found.groups.count as u64);
                for group in members(&found.groups) {
                    prop_assert!(safe(&table, &bound, &group));
                    for parts in cuts(&table, &numeric, &group, choose != Choose::Width) {
                        let allowed = parts.iter().all(|part| safe(&table, &bound, part));
                        prop_assert!(!allowed, "{choose:?}: {group:?} could be cut into {parts:?}");
                    }
                }
                let relaxed = Mondrian { mode: Mode::Relaxed, ..options }.search(&problem, &workload, &Silent).unwrap();
                for group in members(&relaxed.groups) {
                    prop_assert!(safe(&table, &bound, &group));
                }
            }
        }
    }

    /// The whole partition satisfies the 3D criterion, and no group can be cut so that it still does.
    #[test]
    fn three_d(table in tables(), numeric in prop::collection::vec(any::<bool>(), 3), l in 0u32..2, k in 0u32..2, m in 0u32..3, c in 0.5f64..1.0) {
        let table = table.weighed_for(Metric::Loss);
        let bound = bind(&table, &[json("k-anonymity", "1")]).unwrap();
        let counts = table.counts();
        let problem = with_numbers(problem(&table, &counts, &bound, Metric::Loss, 0), &numeric);
        let rule = ThreeD { l, k, m, c };
        let options = Mondrian { three_d: Some(rule), ..Mondrian::default() };
        let found = options.search(&problem, &Workload::default(), &Silent);
        let count = |records: &Vec<usize>| {
            let mut counts = vec![0u32; VALUES];
            records.iter().for_each(|&record| counts[table.sensitive[0][record] as usize] += 1);
            counts
        };
        let breach = |groups: &[Vec<usize>]| rule.breach(&groups.iter().map(count).collect::<Vec<_>>());
        if !rule.allows(breach(&[(0..table.rows).collect()])) {
            prop_assert!(matches!(found, Err(SearchError::NoSafeTable { .. })), "{found:?}");
            return Ok(());
        }
        let groups = members(&found.map_err(|error| TestCaseError::fail(error.to_string()))?.groups);
        prop_assert!(rule.allows(breach(&groups)));
        for (number, group) in groups.iter().enumerate() {
            for parts in cuts(&table, &numeric, group, false) {
                let mut after = groups.clone();
                after.swap_remove(number);
                after.extend(parts);
                prop_assert!(!rule.allows(breach(&after)));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// The same for all points of a skyline and for values with their own, asked for as criteria are; a second one is
    /// refused, and so is (c,k)-safety.
    #[test]
    fn skylines(table in tables(), numeric in prop::collection::vec(any::<bool>(), 3), c in 0.5f64..1.0, own in 0.3f64..1.0) {
        let table = table.weighed_for(Metric::Loss);
        let asked = json("three-d", &format!(
            r#"{{"points": [{{"c": {c}}}, {{"m": 1, "c": 0.9}}], "values": {{"1": {{"l": 1, "c": {own}}}}}, "column": "b"}}"#,
        ));
        let Some(bound) = bind(&table, std::slice::from_ref(&asked)) else { return Err(TestCaseError::reject("the case does not arise")) };
        let counts = table.counts();
        let search = |bound: &Bound| {
            let problem = with_numbers(problem(&table, &counts, bound, Metric::Loss, 0), &numeric);
            Mondrian::default().search(&problem, &Workload::default(), &Silent)
        };
        let found = search(&bound);
        let count = |records: &Vec<usize>| {
            let mut counts = vec![0u32; VALUES];
            records.iter().for_each(|&record| counts[table.sensitive[1][record] as usize] += 1);
            counts
        };
        let points = [ThreeD { l: 0, k: 0, m: 0, c }, ThreeD { l: 0, k: 0, m: 1, c: 0.9 }];
        let own = BTreeMap::from([(1, ThreeD { l: 1, k: 0, m: 0, c: own })]);
        let skyline = Skyline::new(points.to_vec(), own);
        let safe = |groups: &[Vec<usize>]| {
            skyline.accepts(skyline.reached(&groups.iter().map(count).collect::<Vec<_>>()))
        };
        if !safe(&[(0..table.rows).collect()]) {
            prop_assert!(matches!(found, Err(SearchError::NoSafeTable { .. })), "{found:?}");
            return Ok(());
        }
        let groups = members(&found.map_err(|error| TestCaseError::fail(error.to_string()))?.groups);
        prop_assert!(safe(&groups));
        for (number, group) in groups.iter().enumerate() {
            for parts in cuts(&table, &numeric, group, false) {
                let mut after = groups.clone();
                after.swap_remove(number);
                after.extend(parts);
                prop_assert!(!safe(&after));
            }
        }
        let other = json("three-d", r#"{"c": 1.0, "column": "a"}"#);
        if let Some(twice) = bind(&table, &[asked, other]) {
            prop_assert!(matches!(search(&twice), Err(SearchError::Parameter { key: "privacy.three-d", .. })), "asked twice");
        }
        if let Some(safety) = bind(&table, &[json("c-k-safety", r#"{"c": 1.0, "k": 0, "column": "a"}"#)]) {
            prop_assert!(matches!(search(&safety), Err(SearchError::NotForCriterion { criterion: "c-k-safety", .. })), "refused");
        }
    }
}

/// survey TH-09: two groups that are each safe alone are not made, because they are not safe together.
#[test]
fn survey_th09_the_counterexample_is_not_cut() {
    let values = [0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 1, 1, 1, 2];
    let table = Table {
        quasi: vec![(0..14).map(|record| u32::from(record >= 7)).collect()],
        population: None,
        generalizations: vec![oracle::hierarchy(&[], true).bind(&oracle::domain()).unwrap()],
        sensitive: vec![values.to_vec(), vec![0; 14]],
        label: vec![0; 14],
        weights: vec![1.0],
        rows: 14,
    };
    let bound = bind(&table, &[json("k-anonymity", "7")]).unwrap();
    let counts = table.counts();
    let problem = problem(&table, &counts, &bound, Metric::Loss, 0);
    let groups = |c: f64| {
        let three_d = Some(ThreeD { l: 1, k: 0, m: 1, c });
        Mondrian { three_d, ..Mondrian::default() }
            .search(&problem, &Workload::default(), &Silent)
            .unwrap()
            .groups
            .count
    };
    assert_eq!(groups(0.875), 1);
    assert_eq!(groups(0.86), 1);
    assert_eq!(groups(0.88), 2, "7/8 is below it");
}

/// Large enough for several threads, and for cuts that go on for long.
#[test]
fn any_number_of_threads_finds_the_same() {
    let rows = 40_000;
    let mut state = 1u64;
    let mut random = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % below) as u32
    };
    let mut column = || (0..rows).map(|_| random(VALUES as u64)).collect::<Vec<u32>>();
    let table = Table {
        quasi: (0..7).map(|_| column()).collect(),
        population: None,
        generalizations: (0..7)
            .map(|i| oracle::hierarchy(&[i % 3][..i % 2], true).bind(&oracle::domain()).unwrap())
            .collect(),
        sensitive: vec![column(), column()],
        label: column(),
        weights: vec![1.0; 7],
        rows,
    };
    let numeric = [true, false, true, true, false, true, true];
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    for requirements in [
        vec![json("k-anonymity", "3")],
        vec![json("l-diversity", r#"{"kind": "distinct", "l": 3, "column": "a"}"#)],
    ] {
        let bound = bind(&table, &requirements).unwrap();
        let counts = table.counts();
        let problem = with_numbers(problem(&table, &counts, &bound, Metric::Loss, 0), &numeric);
        for (mode, choose) in [
            (Mode::Strict, Choose::Width),
            (Mode::Relaxed, Choose::Width),
            (Mode::Strict, Choose::ClassEntropy),
        ] {
            let run = || {
                let options = Mondrian { mode, choose, ..Mondrian::default() };
                options.search(&problem, &Workload::default(), &Silent).unwrap()
            };
            let (one, two) = (pool(1).install(run), pool(2).install(run));
            assert_eq!(one, two);
            assert_eq!(one.regions(&problem).len(), one.groups.count);
            assert!(one.groups.count > 1000);
        }
    }
}
