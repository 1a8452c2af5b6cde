//! Attribute suppression: the survey's minimality example, and all 2^d sets on random tables.

use crate::oracle;

use oracle::fixture::Fixture;
use oracle::{
    Table, bind, domain, hierarchy, json, minimal, problem, requirements, safe_nodes, tables, tables_of,
};
use privet_criteria::Requirement;
use privet_data::{Domain, Generalization, Hierarchy, Silent};
use privet_measure::Metric;
use privet_recode::cut::{AttributeSuppressed, AttributeSuppression, measure};
use privet_recode::lattice::{Problem, Quasi, SearchError, partition};
use proptest::prelude::*;

/// survey FX-4.1 with other diseases: columns zip, gender.
fn hospital(diseases: &[&str], requirements: &[Requirement]) -> Fixture {
    let zip = ["94085", "14085", "14085", "94085", "14085", "14085", "14085", "14085"];
    let gender = ["M", "M", "F", "F", "F", "F", "F", "F"];
    // Levels between the value and the top do not matter here.
    let zips = vec![vec!["14085", "*4085", "**085", "any"], vec!["94085", "*4085", "**085", "any"]];
    let genders = vec![vec!["F", "any"], vec!["M", "any"]];
    Fixture::new(&[(zip.to_vec(), zips), (gender.to_vec(), genders)], diseases, requirements)
}

const DISEASES: [&str; 8] = ["HIV", "HIV", "None", "HIV", "Flu", "None", "None", "Flu"];

fn search(fixture: &Fixture, metric: Metric, limit: u64) -> AttributeSuppressed {
    AttributeSuppression {}.search(&fixture.problem(metric, limit), &Silent).unwrap()
}

/// survey FX-4.1: by gender 2 and 6 records, by zip 2 and 6, by both 1, 1, 1 and 5.
#[test]
fn anonymous_by_leaving_columns_out() {
    let two = hospital(&DISEASES, &[json("k-anonymity", "2")]);
    let found = search(&two, Metric::Loss, 0);
    assert_eq!(found.minimal, [vec![0], vec![1]]);
    assert_eq!((found.found.value, found.found.bound), (0.5, Some(0.5)));
    assert_eq!(found.chosen.len(), 1);
    let three = hospital(&DISEASES, &[json("k-anonymity", "3")]);
    let found = search(&three, Metric::Height, 0);
    assert_eq!((found.minimal, found.chosen), (vec![vec![0, 1]], vec![0, 1]));
    assert_eq!(found.found.value, 2.0);
    for column in &found.found.columns {
        assert_eq!(
            (&*column.labels[0], &column.leaves[..], &column.node_of_code[..]),
            ("*", &[2][..], &[0, 0][..])
        );
    }
    assert_eq!(search(&three, Metric::Height, 2).minimal, [vec![0], vec![1]]);
    let found = search(&three, Metric::Height, 3);
    assert_eq!((found.minimal, found.found.value, found.found.suppressed), (vec![vec![]], 0.0, 3));
}

#[test]
fn a_value_that_looks_suppressed_is_refused() {
    let lines = vec![vec!["*", "any"], vec!["a", "any"]];
    let fixture =
        Fixture::new(&[(vec!["a", "*", "a", "*"], lines.clone())], &["x"; 4], &[json("k-anonymity", "2")]);
    let error = AttributeSuppression {}.search(&fixture.problem(Metric::Loss, 0), &Silent).unwrap_err();
    assert!(error.to_string().contains("already holds that as a value"), "{error}");
    // A leaf of the hierarchy that no record has does no harm.
    let fixture = Fixture::new(&[(vec!["a"; 4], lines)], &["x"; 4], &[json("k-anonymity", "2")]);
    assert!(search(&fixture, Metric::Loss, 0).chosen.is_empty());
}

/// survey FX-6.1: nobody's class may be all HIV. Of the 56 tables with three HIV records 6 are not safe with the zip
/// suppressed, 6 not with the gender suppressed, and one, the survey's own, with neither: it alone is published
/// as `*` throughout, and that it was tells all.
#[test]
fn the_minimality_example() {
    let policy = [json("alpha-k", r#"{"alpha": 0.5, "k": 1, "values": ["HIV"], "column": "s"}"#)];
    assert_eq!(search(&hospital(&DISEASES, &policy), Metric::Height, 0).minimal, [vec![0, 1]]);
    let (mut worlds, mut without_zip, mut without_gender, mut all_star) = (0, 0, 0, Vec::new());
    for world in (0u32..256).filter(|world| world.count_ones() == 3) {
        let diseases: Vec<&str> = (0..8).map(|i| if world >> i & 1 == 1 { "HIV" } else { "None" }).collect();
        let found = search(&hospital(&diseases, &policy), Metric::Height, 0);
        // What is more general than a safe set is safe here.
        let safe = |column: usize| found.minimal.iter().any(|set| set.iter().all(|&c| c == column));
        worlds += 1;
        without_zip += usize::from(!safe(0));
        without_gender += usize::from(!safe(1));
        if found.chosen == [0, 1] {
            all_star.push(diseases.iter().map(|d| *d == "HIV").collect::<Vec<_>>());
        }
    }
    assert_eq!((worlds, without_zip, without_gender), (56, 6, 6));
    assert_eq!(all_star, [[true, true, false, true, false, false, false, false]]);
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
    let found = AttributeSuppression {}.search(&problem, &Silent);
    // All sets, as nodes of a lattice over flat hierarchies with the same leaves.
    let mut flat = table.clone();
    flat.generalizations.fill(hierarchy(&[], true).bind(&domain()).unwrap());
    let safe = safe_nodes(&flat, &bound, metric, limit);
    let Some(best) = safe.iter().map(|(_, value)| *value).min_by(f64::total_cmp) else {
        prop_assert!(matches!(found, Err(SearchError::NoSafeNode { .. })), "{found:?}");
        return Ok(());
    };
    let AttributeSuppressed { found, chosen, minimal: sets } =
        found.map_err(|e| TestCaseError::fail(e.to_string()))?;
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs().max(1.0);
    prop_assert!(near(found.value, best), "found {} best {best}", found.value);
    prop_assert_eq!(found.bound, Some(found.value));
    let levels: Vec<usize> = (0..table.quasi.len()).map(|i| usize::from(chosen.contains(&i))).collect();
    let own = safe.iter().find(|(node, _)| *node == levels);
    prop_assert!(own.is_some_and(|(_, own)| near(*own, best)), "{own:?} {best}");
    let columns = |node: &Vec<usize>| (0..node.len()).filter(|&i| node[i] == 1).collect::<Vec<usize>>();
    let mut expected: Vec<Vec<usize>> = minimal(&safe).iter().map(columns).collect();
    expected.sort_by_key(|set| (set.len(), set.clone()));
    prop_assert_eq!(sets, expected);

    // What is handed over says the same of itself.
    for (i, column) in found.columns.iter().enumerate() {
        prop_assert_eq!(column, &flat.generalizations[i].levels[levels[i]]);
    }
    let parts = partition(&problem, &found.columns.iter().collect::<Vec<_>>());
    let failing: u64 =
        parts.rows.iter().zip(&parts.kept).filter(|(_, kept)| !**kept).map(|(rows, _)| rows).sum();
    prop_assert_eq!(failing, found.suppressed);
    if !matches!(metric, Metric::Height | Metric::Precision) {
        let (_, value) = measure(&problem, &found.columns).unwrap();
        prop_assert!(near(value, found.value), "{value} {}", found.value);
    }
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
    fn every_metric(table in tables_of(1..7, 60), share in 0.0f64..0.6, which in 0usize..30) {
        for metric in Metric::ALL {
            let limit = (share * table.rows as f64) as u64;
            check(&table, &requirements()[0], metric, limit)?;
            check(&table, &requirements()[which], metric, limit)?;
        }
    }
}

fn bare<'a>(rows: usize, quasi: Vec<Quasi<'a>>, metric: Metric) -> Problem<'a> {
    Problem { rows, quasi, sensitive: vec![], label: None, criteria: &[], metric, suppress_at_most: 0 }
}

/// Two markers of a missing value share a leaf that the hierarchy does not have; `*` covers it too.
#[test]
fn missing_values_are_starred_too() {
    let texts = ["", "a", "b", "n/a"].map(Box::from).to_vec();
    let (domain, _) = Domain::canonical(texts, |text| text.is_empty() || text == "n/a");
    let leaves = ["a", "b", "c"].map(Box::from).to_vec();
    let generalization = Hierarchy::new(leaves, vec![["ab", "ab", "c"].map(Box::from).to_vec()])
        .unwrap()
        .bind(&domain)
        .unwrap();
    assert_eq!(generalization.leaves, 4);
    let codes: Vec<u32> = ["", "n/a", "a", "b"].iter().map(|text| domain.code_of(text).unwrap()).collect();
    let counts = [1; 4];
    let quasi = Quasi {
        codes: &codes,
        counts: &counts,
        generalization: &generalization,
        numbers: None,
        weight: 1.0,
        population: None,
    };
    let criteria = privet_criteria::build(&[json("k-anonymity", "4")], &[], None, 4).unwrap();
    let problem = Problem { criteria: &criteria, ..bare(4, vec![quasi], Metric::Loss) };
    let result = AttributeSuppression {}.search(&problem, &Silent).unwrap();
    assert_eq!(result.minimal, [[0]]);
    let [column] = &result.found.columns[..] else { panic!("one column") };
    assert_eq!((&column.leaves[..], &column.node_of_code[..]), (&[4][..], &[0; 4][..]));
    assert_eq!(result.found.value, 1.0);
    let (parts, value) = measure(&problem, &result.found.columns).unwrap();
    assert_eq!((parts.rows, value), (vec![4], 1.0));
    // Both markers are one value, the others are alone.
    let two = privet_criteria::build(&[json("k-anonymity", "2")], &[], None, 4).unwrap();
    let problem = Problem { criteria: &two, suppress_at_most: 2, ..problem };
    let result = AttributeSuppression {}.search(&problem, &Silent).unwrap();
    assert_eq!((result.minimal, result.chosen, result.found.suppressed), (vec![vec![]], vec![], 2));
}

#[test]
fn no_column_and_no_row() {
    let generalization = hierarchy(&[0], true).bind(&domain()).unwrap();
    let counts = [0; 5];
    for metric in Metric::ALL {
        let label = Some(privet_recode::lattice::Codes { codes: &[], values: 1 });
        let three = Some(privet_recode::lattice::Codes { codes: &[0, 0, 0], values: 1 });
        let none = Problem { label: three, ..bare(3, vec![], metric) };
        let result = AttributeSuppression {}.search(&none, &Silent).unwrap();
        assert_eq!((result.found.columns.len(), result.minimal), (0, vec![vec![]]));
        let quasi = Quasi {
            codes: &[],
            counts: &counts,
            generalization: &generalization,
            numbers: None,
            weight: 1.0,
            population: None,
        };
        let empty = Problem { label, ..bare(0, vec![quasi; 2], metric) };
        let result = AttributeSuppression {}.search(&empty, &Silent).unwrap();
        assert_eq!((result.chosen, result.minimal), (vec![], vec![vec![]]));
    }
}

#[test]
fn more_sets_than_can_be_told_apart() {
    let generalization: Generalization = hierarchy(&[], false).bind(&domain()).unwrap();
    let codes = [0, 1, 2];
    let counts = [1, 1, 1, 0, 0];
    let quasi = Quasi {
        codes: &codes,
        counts: &counts,
        generalization: &generalization,
        numbers: None,
        weight: 1.0,
        population: None,
    };
    let refused = AttributeSuppression {}.search(&bare(3, vec![quasi; 70], Metric::Loss), &Silent);
    assert!(matches!(refused, Err(SearchError::TooManyNodes { .. })), "{refused:?}");
}

#[test]
fn it_has_no_parameters() {
    assert!(serde_json::from_str::<AttributeSuppression>("{}").is_ok());
    assert!(serde_json::from_str::<AttributeSuppression>(r#"{"columns": 3}"#).is_err());
}
