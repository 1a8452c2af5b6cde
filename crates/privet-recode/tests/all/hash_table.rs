//! The privacy hash table: the worked examples of the thesis' chapter 2, and brute force on random tables.

use crate::oracle;

use std::collections::BTreeMap;

use oracle::fixture::Fixture;
use oracle::{Table, bind, json, judge, minimal, problem, requirements, safe_nodes, tables, tables_of};
use privet_criteria::{Merging, Requirement};
use privet_data::{Cancelled, Progress, Silent};
use privet_measure::Metric;
use privet_recode::lattice::hash_table::{PrivacyHashTable, Strategies, Trace, ValueNode, strategies, walk};
use privet_recode::lattice::{Codes, Found, HashTable, Problem, Quasi, SearchError, hash_table};
use proptest::prelude::*;

const PROBLEM: [&str; 6] = ["Cancer", "Cancer", "Cancer", "Chest Pain", "Obesity", "Flu"];
const ZIP: [&str; 6] = ["4370", "4370", "4352", "4373", "4373", "4350"];

fn zips() -> Vec<Vec<&'static str>> {
    vec![
        vec!["4350", "435*", "43**"],
        vec!["4352", "435*", "43**"],
        vec!["4370", "437*", "43**"],
        vec!["4373", "437*", "43**"],
    ]
}

/// Table 2.1 with the quasi-identifier of Examples 2.2-2.5: gender, zip.
fn table_2_1(requirements: &[Requirement]) -> Fixture {
    let gender = vec!["M", "M", "M", "F", "F", "F"];
    let genders = vec![vec!["F", "person"], vec!["M", "person"]];
    Fixture::new(&[(gender, genders), (ZIP.to_vec(), zips())], &PROBLEM, requirements)
}

/// Table 2.8: age, zip, and salary as the sensitive column.
fn table_2_8(requirements: &[Requirement]) -> Fixture {
    let age = ["17", "19", "20", "24", "29", "34", "39", "45"];
    let zip = ["12K", "13K", "14K", "16K", "21K", "24K", "36K", "39K"];
    let salary = ["1000", "1010", "1020", "50000", "16000", "24000", "33000", "31000"];
    let groups = |values: [&'static str; 8]| {
        let label = |i: usize| ["young", "middle", "old"][[0, 0, 0, 0, 1, 1, 2, 2][i]];
        values.iter().enumerate().map(|(i, &value)| vec![value, label(i), "*"]).collect()
    };
    Fixture::new(&[(age.to_vec(), groups(age)), (zip.to_vec(), groups(zip))], &salary, requirements)
}

fn found(fixture: &Fixture) -> Found {
    hash_table(&fixture.problem(Metric::Height, 0), &HashTable::default(), &Silent).unwrap()
}

fn minimal_of(fixture: &Fixture) -> Vec<Vec<usize>> {
    found(fixture).minimal.unwrap()
}

fn k(k: u64) -> Requirement {
    json("k-anonymity", &k.to_string())
}

fn diversity(rest: &str) -> Requirement {
    json("l-diversity", &format!("{{{rest}, \"column\": \"s\"}}"))
}

/// Spec 1.2: the minimal nodes of every requirement that it lists.
#[test]
fn minimal_nodes_of_table_2_1() {
    let of = |requirements: &[Requirement]| minimal_of(&table_2_1(requirements));
    assert_eq!(of(&[k(1)]), [[0, 0]], "a table that is safe as it is (defect 7)");
    assert_eq!(of(&[k(2)]), [[0, 2], [1, 1]]);
    assert_eq!(of(&[k(3)]), [[0, 2]]);
    assert_eq!(of(&[k(4)]), [[1, 2]]);
    let distinct = || diversity(r#""kind": "distinct", "l": 2"#);
    assert_eq!(of(&[k(2), distinct()]), [[1, 1]]);
    assert_eq!(of(&[k(3), distinct()]), [[1, 2]]);
    assert_eq!(of(&[diversity(r#""kind": "entropy", "l": 2"#)]), [[1, 1]]);
    assert_eq!(of(&[diversity(r#""kind": "entropy", "l": 3"#)]), [[1, 2]]);
    // person437* has counts 2, 1, 1 and person435* has 1, 1: 2 < 1.5 · 2 and 1 < 1.5 · 1; with l = 3 the
    // second sums nothing, and at the top 3 < 2 · 2 holds.
    assert_eq!(of(&[diversity(r#""kind": "recursive", "l": 2, "c": 1.5"#)]), [[1, 1]]);
    assert_eq!(of(&[diversity(r#""kind": "recursive", "l": 3, "c": 2"#)]), [[1, 2]]);
    // Of [0, 2] and [1, 1], of the same height, the one with the smaller number in the search, which takes
    // the column with more values first: gender has the lower stride there.
    let found = found(&table_2_1(&[k(2)]));
    assert_eq!(found.levels, [1, 1]);
    assert_eq!((found.value, found.bound), (2.0, Some(2.0)));
}

/// Spec 1.2: every node of the lattice of Examples 2.2-2.5 with size, distinct values and entropy of its groups.
#[test]
fn every_node_of_table_2_1() {
    let fixture = table_2_1(&[k(2)]);
    let problem = fixture.problem(Metric::Height, 0);
    let third = 3f64.log2();
    let mut expected: BTreeMap<Vec<usize>, Vec<(u64, usize, f64)>> = BTreeMap::new();
    let single = [(1, 1, 0.0), (1, 1, 0.0), (2, 1, 0.0), (2, 2, 1.0)];
    for node in [[0, 0], [0, 1], [1, 0]] {
        expected.insert(node.to_vec(), single.to_vec());
    }
    expected.insert(vec![1, 1], vec![(2, 2, 1.0), (4, 3, 1.5)]);
    expected.insert(vec![0, 2], vec![(3, 1, 0.0), (3, 3, third)]);
    expected.insert(vec![1, 2], vec![(6, 4, 0.5 + 0.5 * 6f64.log2())]);
    let mut seen = BTreeMap::new();
    for strategy in Strategies::new(&[1, 2]) {
        for height in walk(&problem, &strategy, &Silent).unwrap().heights {
            let group =
                |node: &ValueNode| (node.children, node.diversity[0].distinct, node.diversity[0].entropy);
            let mut groups: Vec<(u64, usize, f64)> = height.nodes.iter().map(group).collect();
            groups.sort_by_key(|group| (group.0, group.1));
            seen.insert(height.levels, groups);
        }
    }
    assert_eq!(seen.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (node, groups) in seen {
        for (group, want) in groups.iter().zip(&expected[&node]) {
            assert_eq!((group.0, group.1), (want.0, want.1), "{node:?}");
            assert!((group.2 - want.2).abs() < 1e-12, "{node:?}: {} {}", group.2, want.2);
        }
        assert_eq!(groups.len(), expected[&node].len());
    }
    // 1.7925 bits at the top: entropy 4-diversity is out of reach.
    assert!((expected[&vec![1, 2]][0].2 - 1.7925).abs() < 1e-4);
}

/// Spec 2.2: the privacy hash table of Table 2.1 over age and zip, in the buckets of the printed hash function.
#[test]
fn the_hash_table_of_table_2_1() {
    let age = vec!["25", "25", "22", "28", "28", "34"];
    let ages = ["22", "25", "28", "34"].map(|a| vec![a, if a < "28" { "22-25" } else { "28-34" }, "22-34"]);
    let fixture = Fixture::new(&[(age, ages.to_vec()), (ZIP.to_vec(), zips())], &PROBLEM, &[k(2)]);
    let problem = fixture.problem(Metric::Height, 0);
    let table = PrivacyHashTable::new(&problem);
    assert_eq!(table.least_count(), Some(1));
    let number = |column: usize, node: u32| -> u32 {
        problem.quasi[column].generalization.levels[0].labels[node as usize].parse().unwrap()
    };
    let code = |row: usize| problem.sensitive[0].codes[row];
    let mut buckets = BTreeMap::new();
    for class in table.classes() {
        let (age, zip) = (number(0, class.tuple[0]), number(1, class.tuple[1]));
        let hash = ((age - 20) + (zip - 4350)) % 4;
        let same = buckets.insert(hash, ((age, zip), class.count, class.sensitive[0].clone()));
        assert!(same.is_none(), "no two tuples of the example collide");
    }
    let mut chest_pain_and_obesity = vec![(code(3), 1), (code(4), 1)];
    chest_pain_and_obesity.sort_unstable();
    let expected = [
        (0, ((22, 4352), 1, vec![(code(2), 1)])),
        (1, ((25, 4370), 2, vec![(code(0), 2)])),
        (2, ((34, 4350), 1, vec![(code(5), 1)])),
        (3, ((28, 4373), 2, chest_pain_and_obesity)),
    ];
    assert_eq!(buckets, BTreeMap::from(expected));

    // Table 2.2: ages and zips generalized; three records each.
    let raised = [0, 1, 1].iter().fold(table, |table, &column| table.generalize(&problem, column).0);
    assert_eq!(raised.levels(), [1, 2]);
    assert_eq!(raised.classes().iter().map(|class| class.count).collect::<Vec<_>>(), [3, 3]);
    assert_eq!(raised.generalize(&problem, 1).0, raised, "the top stays");
}

/// Spec 2.2: tuples with the same printed hash are different classes.
#[test]
fn colliding_tuples_stay_apart() {
    // (21 − 20) + (4350 − 4350) and (20 − 20) + (4351 − 4350) are both 1.
    let line = |value: &'static str| vec![value, "*"];
    let age = (vec!["21", "20"], vec![line("20"), line("21")]);
    let zip = (vec!["4350", "4351"], vec![line("4350"), line("4351")]);
    let fixture = Fixture::new(&[age, zip], &["x", "y"], &[]);
    let table = PrivacyHashTable::new(&fixture.problem(Metric::Height, 0));
    assert_eq!(table.classes().len(), 2);
    assert_eq!(table.least_count(), Some(1));
}

/// The nodes of a bucket above height 0, where the printed tables put every leaf into bucket 0 (defect 7).
fn above_the_leaves(trace: &Trace, bucket: u64) -> Vec<(usize, usize)> {
    trace.bucket(bucket).into_iter().filter(|&(height, _)| height > 0).collect()
}

/// Spec 2.4: Table 2.5, strategy 1 of Fig 2.3 (zip, gender, zip) with k = 2.
#[test]
fn table_2_5() {
    let fixture = table_2_1(&[k(2)]);
    let trace = walk(&fixture.problem(Metric::Height, 0), &[1, 0, 1], &Silent).unwrap();
    assert_eq!(trace.records, 6, "the printed L[0], in bucket 0");
    assert_eq!(trace.sizes()[1..], [4, 2, 1]);
    assert_eq!(above_the_leaves(&trace, 0), []);
    assert_eq!(above_the_leaves(&trace, 1), [(1, 3), (1, 4)]);
    assert_eq!(above_the_leaves(&trace, 2), [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1)]);
    // Tested like the others, height 0 has four tuples, two of them single.
    assert_eq!(trace.heights[0].buckets, BTreeMap::from([(1, 2), (2, 2)]));
    assert_eq!(trace.heights[1].buckets, BTreeMap::from([(1, 2), (2, 2)]));
    assert_eq!(trace.heights.iter().map(|h| h.passing).collect::<Vec<_>>(), [2, 2, 2, 1]);
    assert_eq!(trace.minimal_height, Some(2));
    assert_eq!(trace.heights[2].levels, [1, 1]);
    // Children[1,3] = 1, Children[2,1] = 4; L[2,2] = (person, 435*) is over L[1,3] and L[1,4].
    assert_eq!(trace.heights[1].nodes[2].children, 1);
    assert_eq!(trace.heights[2].nodes[0].children, 4);
    let parents = |i: usize| trace.heights[i].nodes.iter().map(|node| node.parent).collect::<Vec<_>>();
    assert_eq!(parents(1), [Some(0), Some(0), Some(1), Some(1)]);
    assert_eq!(parents(2), [Some(0), Some(0)]);
    assert_eq!(parents(3), [None]);
}

/// Spec 2.4, other strategies: the minimal height of Table 2.1 for k = 3 is reached by one strategy only.
#[test]
fn the_minimum_over_strategies() {
    let fixture = table_2_1(&[k(3)]);
    let problem = fixture.problem(Metric::Height, 0);
    let heights: Vec<Option<usize>> = Strategies::new(&[1, 2])
        .map(|strategy| walk(&problem, &strategy, &Silent).unwrap().minimal_height)
        .collect();
    assert_eq!(heights, [Some(3), Some(3), Some(2)]);
}

/// Spec 2.5: Table 2.8 with k = 2, then also with distinct, entropy and recursive 2-diversity.
#[test]
fn table_2_8_and_its_diversity() {
    assert_eq!(strategies(&[2, 2]), Some(6));
    let kinds = [
        None,
        Some(r#""kind": "distinct", "l": 2"#),
        Some(r#""kind": "entropy", "l": 2"#),
        Some(r#""kind": "recursive", "l": 2, "c": 1.1"#),
    ];
    for kind in kinds {
        let requirements: Vec<Requirement> = [k(2)].into_iter().chain(kind.map(diversity)).collect();
        let fixture = table_2_8(&requirements);
        let trace = walk(&fixture.problem(Metric::Height, 0), &[0, 1, 0, 1], &Silent).unwrap();
        assert_eq!(trace.records, 8);
        assert_eq!(trace.sizes(), [8, 8, 3, 3, 1]);
        assert_eq!(above_the_leaves(&trace, 0), []);
        assert_eq!(above_the_leaves(&trace, 1), (1..=8).map(|j| (1, j)).collect::<Vec<_>>());
        let last = [(2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (3, 3), (4, 1)];
        assert_eq!(above_the_leaves(&trace, 2), last);
        assert_eq!(trace.minimal_height, Some(2), "{kind:?}");
        let groups = &trace.heights[2];
        assert_eq!(groups.levels, [1, 1]);
        let rows: Vec<_> = groups
            .nodes
            .iter()
            .map(|node| (node.children, node.diversity[0].distinct, node.diversity[0].entropy))
            .collect();
        assert_eq!(rows, [(4, 4, 2.0), (2, 2, 1.0), (2, 2, 1.0)]);
        assert_eq!(minimal_of(&fixture), [[1, 1]]);
    }
    // Where k alone is satisfied and diversity is not, the height is dropped.
    let fixture = table_2_8(&[k(2), diversity(r#""kind": "distinct", "l": 3"#)]);
    let trace = walk(&fixture.problem(Metric::Height, 0), &[0, 1, 0, 1], &Silent).unwrap();
    assert_eq!((trace.heights[2].passing, trace.heights[2].failing), (1, 4));
    assert_eq!(trace.minimal_height, Some(4));
    // With four records suppressed it stays.
    let trace = walk(&fixture.problem(Metric::Height, 4), &[0, 1, 0, 1], &Silent).unwrap();
    assert_eq!(trace.minimal_height, Some(2));
}

/// Each strategy must raise every column exactly to its top.
#[test]
fn chains_that_are_no_strategies_are_refused() {
    let fixture = table_2_1(&[k(2)]);
    let problem = fixture.problem(Metric::Height, 0);
    for chain in [&[][..], &[0, 1], &[0, 1, 1, 1], &[0, 0, 1], &[0, 1, 2], &[usize::MAX]] {
        let refused = walk(&problem, chain, &Silent);
        assert!(matches!(refused, Err(SearchError::Parameter { key: "strategy", .. })), "{chain:?}");
    }
}

#[test]
fn other_criteria_are_refused() {
    let p_sensitivity = json("p-sensitivity", r#"{"p": 2, "k": 2, "column": "s"}"#);
    let closeness = json("t-closeness", r#"{"kind": "equal", "t": 0.9, "column": "s"}"#);
    for (requirement, key) in [(p_sensitivity, "p-sensitivity"), (closeness, "t-closeness")] {
        let fixture = table_2_1(&[k(2), requirement]);
        let problem = fixture.problem(Metric::Height, 0);
        let error = hash_table(&problem, &HashTable::default(), &Silent).unwrap_err();
        assert!(
            matches!(error, SearchError::NotForCriterion { algorithm: "hash-table", criterion, .. } if criterion == key),
            "{error}"
        );
        assert_eq!(walk(&problem, &[0, 1, 1], &Silent).unwrap_err(), error);
    }
    let fixture = table_2_1(&[diversity(r#""kind": "entropy", "l": 2"#)]);
    let error = hash_table(&fixture.problem(Metric::Height, 1), &HashTable::default(), &Silent).unwrap_err();
    assert!(matches!(error, SearchError::NotMonotone { with_suppression: true, .. }), "{error}");
}

#[test]
fn there_are_no_parameters() {
    assert_eq!(serde_json::from_str::<HashTable>("{}").unwrap(), HashTable::default());
    assert!(serde_json::from_str::<HashTable>(r#"{"seed": 1}"#).is_err());
}

/// No quasi column, no record, no level above the values, one value only.
#[test]
fn edges() {
    let search = |problem: &Problem<'_>| hash_table(problem, &HashTable::default(), &Silent);
    let fixture = table_2_1(&[k(2)]);
    let mut none = fixture.problem(Metric::Height, 0);
    none.quasi.clear();
    let found = search(&none).unwrap();
    assert_eq!((found.nodes_checked, found.minimal), (1, Some(vec![vec![]])));
    let trace = walk(&none, &[], &Silent).unwrap();
    assert_eq!((trace.sizes(), trace.minimal_height), (vec![1], Some(0)));

    let mut empty = fixture.problem(Metric::Height, 0);
    let zeros = [0; 4];
    empty.rows = 0;
    empty.quasi =
        empty.quasi.iter().map(|q| Quasi { codes: &[], counts: &zeros[..q.counts.len()], ..*q }).collect();
    empty.sensitive = empty.sensitive.iter().map(|s| Codes { codes: &[], ..*s }).collect();
    empty.label = None;
    assert_eq!(search(&empty).unwrap().minimal, Some(vec![vec![0, 0]]));
    let trace = walk(&empty, &[0, 1, 1], &Silent).unwrap();
    assert_eq!((trace.sizes(), trace.minimal_height), (vec![0; 4], Some(0)));
    assert_eq!(PrivacyHashTable::new(&empty).least_count(), None);

    let equal = (vec!["a"; 3], vec![vec!["a"]]);
    let fixture = Fixture::new(&[equal.clone(), equal], &["x", "y", "y"], &[k(3)]);
    let problem = fixture.problem(Metric::Loss, 0);
    assert_eq!(search(&problem).unwrap().minimal, Some(vec![vec![0, 0]]));
    assert_eq!(walk(&problem, &[], &Silent).unwrap().minimal_height, Some(0));

    let apart = (vec!["a", "b", "b"], vec![vec!["a"], vec!["b"]]);
    let fixture = Fixture::new(&[apart], &["x", "y", "y"], &[k(2)]);
    let problem = fixture.problem(Metric::Loss, 0);
    assert!(matches!(search(&problem), Err(SearchError::NoSafeNode { failing: 1, .. })));
    assert_eq!(walk(&problem, &[], &Silent).unwrap().minimal_height, None);
}

#[test]
fn it_stops_on_request() {
    struct Stopped;
    impl Progress for Stopped {
        fn stage(&self, _: &str, _: Option<u64>) {}
        fn at(&self, _: u64) {}
        fn cancelled(&self) -> bool {
            true
        }
    }
    let fixture = table_2_1(&[k(2)]);
    let problem = fixture.problem(Metric::Height, 0);
    let stopped = SearchError::Cancelled(Cancelled);
    assert_eq!(hash_table(&problem, &HashTable::default(), &Stopped), Err(stopped.clone()));
    assert_eq!(walk(&problem, &[0, 1, 1], &Stopped), Err(stopped));
}

/// The requirements that the search takes, of each kind.
fn accepted() -> Vec<Vec<Requirement>> {
    let takes = |of: &Vec<Requirement>| {
        let table = Table {
            quasi: vec![],
            population: None,
            generalizations: vec![],
            sensitive: vec![(0..25).map(|i| i / 5).collect(), (0..25).map(|i| i % 5).collect()],
            label: vec![0; 25],
            weights: vec![],
            rows: 25,
        };
        let bound = bind(&table, of);
        bound.is_some_and(|b| b.criteria.iter().all(|c| matches!(c.key(), "k-anonymity" | "l-diversity")))
    };
    let accepted: Vec<Vec<Requirement>> = requirements().into_iter().filter(takes).collect();
    assert_eq!(accepted.len(), 9);
    accepted
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
    let found = hash_table(&problem, &HashTable::default(), &Silent);
    if limit > 0 && bound.criteria.iter().any(|criterion| criterion.merging() != Merging::Absorbing) {
        prop_assert!(matches!(found, Err(SearchError::NotMonotone { .. })), "{found:?}");
        return Ok(());
    }
    let safe = safe_nodes(&table, &bound, metric, limit);
    if safe.is_empty() {
        prop_assert!(matches!(found, Err(SearchError::NoSafeNode { .. })), "{found:?}");
        return Ok(());
    }
    let found = found.map_err(|e| TestCaseError::fail(e.to_string()))?;
    let least = minimal(&safe);
    prop_assert_eq!(found.minimal.as_ref(), Some(&least), "minimal nodes");
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs().max(1.0);
    let value = |node: &Vec<usize>| safe.iter().find(|(other, _)| other == node).map(|(_, value)| *value);
    prop_assert!(least.contains(&found.levels));
    let best = least.iter().filter_map(value).min_by(f64::total_cmp).unwrap();
    prop_assert!(close(found.value, best) && close(value(&found.levels).unwrap(), best), "{}", best);
    if let Some(floor) = found.bound {
        prop_assert!(safe.iter().all(|&(_, value)| value >= floor - 1e-9), "bound");
    }
    // What is judged: in a small lattice every node that is not safe, every minimal one, and the top; in a larger
    // one the ends of strategies save most of the first.
    let nodes = oracle::nodes(&table);
    let top_apart = u64::from(!least.contains(nodes.last().unwrap()));
    let judged = (nodes.len() - safe.len() + least.len()) as u64 + top_apart;
    if nodes.len() < 32 {
        prop_assert_eq!(found.nodes_checked, judged, "checked");
    }
    prop_assert!(found.nodes_checked <= nodes.len() as u64, "checked");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// All minimal nodes and the best of them, for k-anonymity and every kind of l-diversity.
    #[test]
    fn minimal_nodes_are_those_of_brute_force(table in tables(), share in 0.0f64..0.6, metric in 0usize..9) {
        for requirements in accepted() {
            check(&table, &requirements, Metric::Loss, 0)?;
            check(&table, &requirements, Metric::ALL[metric], 0)?;
            check(&table, &requirements, Metric::Loss, (share * table.rows as f64) as u64)?;
        }
    }

    /// Lattices in which snapshots are made.
    #[test]
    fn larger_lattices(table in tables_of(4..6, 60), which in 0usize..9, share in 0.0f64..0.3) {
        check(&table, &accepted()[0], Metric::Loss, (share * table.rows as f64) as u64)?;
        check(&table, &accepted()[which], Metric::Loss, 0)?;
    }

    /// Spec 2.4: along every strategy a height stays when its node is safe, and the least minimal height of all
    /// strategies is the least height of a safe node.
    #[test]
    fn strategies_agree_with_brute_force(table in tables_of(1..3, 40), which in 0usize..9, share in 0.0f64..0.6) {
        let Some(bound) = bind(&table, &accepted()[which]) else { return Err(TestCaseError::reject("the case does not arise")) };
        let counts = table.counts();
        let heights: Vec<usize> = table.generalizations.iter().map(|g| g.height()).collect();
        for limit in [0, (share * table.rows as f64) as u64] {
            let problem = problem(&table, &counts, &bound, Metric::Height, limit);
            let least = safe_nodes(&table, &bound, Metric::Height, limit)
                .iter()
                .map(|(node, _)| node.iter().sum::<usize>())
                .min();
            let (mut walked, mut count) = (None, 0u128);
            for strategy in Strategies::new(&heights) {
                let trace = walk(&problem, &strategy, &Silent).unwrap();
                prop_assert_eq!(trace.heights.len(), strategy.len() + 1);
                for (i, height) in trace.heights.iter().enumerate() {
                    let safe = judge(&table, &bound, &height.levels, Metric::Height, limit).is_some();
                    prop_assert_eq!(height.failing <= limit, safe, "{:?}", &height.levels);
                    prop_assert_eq!(height.nodes.iter().map(|n| n.children).sum::<u64>(), table.rows as u64);
                    if limit == 0 {
                        prop_assert_eq!(height.passing == height.nodes.len(), safe);
                    }
                    // Children are the tuples of the nodes that hang below.
                    if i > 0 {
                        let mut below = vec![0; height.nodes.len()];
                        for node in &trace.heights[i - 1].nodes {
                            below[node.parent.unwrap()] += node.children;
                        }
                        prop_assert!(height.nodes.iter().map(|n| n.children).eq(below));
                        prop_assert!(trace.heights[i - 1].nodes.is_sorted_by_key(|n| n.parent));
                    }
                }
                prop_assert!(trace.minimal_height >= least || trace.minimal_height.is_none());
                walked = [walked, trace.minimal_height].into_iter().flatten().min();
                count += 1;
            }
            prop_assert_eq!(walked, least);
            prop_assert_eq!(Some(count), strategies(&heights));
        }
    }
}
