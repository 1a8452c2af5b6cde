//! Datafly: worked by hand on the papers' table, and followed step by step on random ones.

use crate::oracle;

use oracle::fixture::figure_one;
use oracle::{
    Table, bind, classes, domain, hierarchy, json, judge, problem, requirements, safe_nodes, tables,
};
use privet_criteria::Requirement;
use privet_data::Silent;
use privet_measure::Metric;
use privet_recode::lattice::{Datafly, Found, SearchError, run};
use proptest::prelude::*;

/// papers FX-L1 with the hierarchies of FX-L4 (columns zip, age, nationality), worked by hand:
///
/// | levels  | distinct values | records alone, k = 2               | goes up                    |
/// |---------|-----------------|------------------------------------|----------------------------|
/// | [0,0,0] | 4, 12, 4        | 12                                 | age                        |
/// | [0,1,0] | 4, 4, 4         | 10 (all but 7 and 8)               | zip, the first of equals   |
/// | [1,1,0] | 3, 4, 4         | 10 (all but 7 and 8)               | age, the first of equals   |
/// | [1,2,0] | 3, 2, 4         | 4 (1, 5, 6 and 10)                 | nationality                |
/// | [1,2,1] | 3, 2, 1         | none: three classes of four        |                            |
///
/// For k = 6 it goes on: zip (3 values), zip (2, first of equals), age: [2,2,1] has classes of 8 and 4, [3,2,1] too,
/// [3,3,1] one of 12.
#[test]
fn worked_by_hand() {
    let search = |k: &str, limit: u64| {
        let figure = figure_one(&[json("k-anonymity", k)]);
        run(&figure.problem(Metric::Loss, limit), &Datafly {}, &Silent).unwrap()
    };
    let path = |found: &Found| (found.levels.clone(), found.suppressed, found.nodes_checked);
    assert_eq!(path(&search("2", 0)), (vec![1, 2, 1], 0, 5));
    assert_eq!(path(&search("2", 3)), (vec![1, 2, 1], 0, 5));
    assert_eq!(path(&search("2", 4)), (vec![1, 2, 0], 4, 4));
    assert_eq!(path(&search("2", 10)), (vec![0, 1, 0], 10, 2));
    assert_eq!(path(&search("2", 12)), (vec![0, 0, 0], 12, 1));
    assert_eq!(path(&search("4", 0)), (vec![1, 2, 1], 0, 5));
    assert_eq!(path(&search("6", 0)), (vec![3, 3, 1], 0, 8));
    assert_eq!(path(&search("6", 4)), (vec![2, 2, 1], 4, 6));
    let found = search("2", 0);
    assert_eq!((found.bound, found.minimal), (None, None));
    // Every step of the way is told, though all but the last leave out too much.
    let mut seen: Vec<_> =
        found.seen.iter().map(|own| (own.levels.clone(), own.suppressed, own.safe)).collect();
    seen.sort();
    let way = [([0, 0, 0], 12), ([0, 1, 0], 10), ([1, 1, 0], 10), ([1, 2, 0], 4), ([1, 2, 1], 0)];
    assert_eq!(seen, way.map(|(levels, alone)| (levels.to_vec(), alone, alone == 0)));
}

/// The nodes on the way, from the texts of the labels alone.
fn way(table: &Table) -> Vec<Vec<usize>> {
    let mut levels = vec![0; table.quasi.len()];
    let mut way = vec![levels.clone()];
    loop {
        let distinct = |i: usize| {
            let level = &table.generalizations[i].levels[levels[i]];
            let mut labels: Vec<&str> = table.quasi[i]
                .iter()
                .map(|&code| &*level.labels[level.node_of_code[code as usize] as usize])
                .collect();
            labels.sort_unstable();
            labels.dedup();
            labels.len()
        };
        let mut widest: Option<(usize, usize)> = None;
        for (i, generalization) in table.generalizations.iter().enumerate() {
            if levels[i] < generalization.height() && widest.is_none_or(|(_, most)| distinct(i) > most) {
                widest = Some((i, distinct(i)));
            }
        }
        let Some((column, _)) = widest else { return way };
        levels[column] += 1;
        way.push(levels.clone());
    }
}

fn check(table: &Table, requirements: &[Requirement], limit: u64) -> Result<(), TestCaseError> {
    let table = table.weighed_for(Metric::Loss);
    let Some(bound) = bind(&table, requirements) else {
        return Err(TestCaseError::reject("the case does not arise"));
    };
    let counts = table.counts();
    let problem = problem(&table, &counts, &bound, Metric::Loss, limit);
    let found = run(&problem, &Datafly {}, &Silent);
    let way = way(&table);
    let safe = |node: &Vec<usize>| judge(&table, &bound, node, Metric::Loss, limit);
    let Some(stop) = way.iter().position(|node| safe(node).is_some()) else {
        match found {
            // It may say that nothing is safe only where nothing is.
            Err(SearchError::NoSafeNode { .. }) => {
                prop_assert_eq!(safe_nodes(&table, &bound, Metric::Loss, limit), vec![]);
            }
            found => {
                prop_assert_eq!(found.err(), Some(SearchError::NothingFound { algorithm: "datafly" }));
            }
        }
        return Ok(());
    };
    let found = found.map_err(|e| TestCaseError::fail(e.to_string()))?;
    prop_assert_eq!(&found.levels, &way[stop]);
    prop_assert_eq!(found.nodes_checked, stop as u64 + 1);
    let value = safe(&way[stop]).unwrap();
    prop_assert!((found.value - value).abs() <= 1e-9, "{} {value}", found.value);
    let (_, suppressed) = classes(&table, &bound, &found.levels).unwrap();
    prop_assert_eq!(found.suppressed, suppressed.len() as u64);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_first_safe_node_on_the_way(table in tables(), share in 0.0f64..0.6) {
        for requirements in requirements() {
            check(&table, &requirements, 0)?;
            check(&table, &requirements, (share * table.rows as f64) as u64)?;
        }
    }
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
    run(&problem(table, &counts, &bound, metric, 0), &Datafly {}, &Silent)
}

#[test]
fn no_column_no_row_one_level() {
    for metric in Metric::ALL {
        let found = search(&plain(0, 3, &[], false), &[json("k-anonymity", "2")], metric).unwrap();
        assert_eq!((found.levels, found.nodes_checked), (vec![], 1));
        let found = search(&plain(2, 0, &[0], true), &[], metric).unwrap();
        assert_eq!(found.levels, [0, 0]);
        let refused = search(&plain(2, 5, &[], false), &[json("k-anonymity", "2")], metric);
        assert!(matches!(refused, Err(SearchError::NoSafeNode { .. })), "{refused:?}");
    }
}

/// 4^40 nodes, which have no numbers. All columns are alike, so they go up in turn until all values are one.
#[test]
fn lattices_too_large_to_number() {
    let found = search(&plain(40, 5, &[0, 0], true), &[json("k-anonymity", "5")], Metric::Loss).unwrap();
    assert_eq!(found.lattice_nodes, u64::MAX);
    assert_eq!(found.levels, [3; 40]);
    assert_eq!(found.nodes_checked, 121);
}

#[test]
fn it_has_no_parameters() {
    assert_eq!(serde_json::from_str::<Datafly>("{}").unwrap(), Datafly::default());
    assert!(serde_json::from_str::<Datafly>(r#"{"k": 3}"#).is_err());
}
