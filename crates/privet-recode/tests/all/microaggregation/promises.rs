//! V-MDAV and AMA on examples, criteria beyond k-anonymity, edge cases, parameters, stopping.

use super::*;

use std::collections::BTreeMap;

use super::oracle::{bind, problem, requirements, tables};
use privet_criteria::{Merging, SensitiveColumn};
use privet_data::{Cancelled, GeneralizedLevel, Progress};
use privet_recode::cluster::{Categories, Scale};
use privet_recode::lattice::{Codes, partition};
use proptest::prelude::*;

/// Clusters of 4, 3 and 3: V-MDAV lets the first group grow.
#[test]
fn v_mdav_finds_clusters_of_different_size() {
    let columns = [Column::numbers(&[0.0, 1.0, 2.0, 3.0, 100.0, 101.0, 102.0, 50.0, 51.0, 52.0])];
    let how = Microaggregation { gamma: Some(1.1), ..by(Method::VMdav) };
    let found = search(&columns, 3, &how).unwrap();
    assert_eq!(found.groups.of, [0, 0, 0, 0, 1, 1, 1, 2, 2, 2]);
    // 0.3 is nearer to 0 and 0.1 than to anybody else; were it not to join them, it would be with 50 and 52.
    let columns = [Column::numbers(&[0.0, 0.1, 0.3, 100.0, 101.0, 50.0, 52.0])];
    let grown = search(&columns, 2, &Microaggregation { gamma: Some(0.2), ..by(Method::VMdav) }).unwrap();
    assert_eq!(grown.groups.of, [0, 0, 0, 1, 1, 2, 2]);
    let never = search(&columns, 2, &Microaggregation { gamma: Some(0.0), ..by(Method::VMdav) }).unwrap();
    assert_eq!(never.groups.of, [0, 0, 1, 2, 2, 1, 1]);
}

/// Thesis 2.13 on Table 5.1: the groups are those of MDAV on A2 and A3, whatever the other columns hold.
#[test]
fn ama_groups_by_the_key_attributes() {
    let table = [
        "000111", "011010", "110100", "001111", "011100", "001001", "111001", "011000", "111011", "011101",
        "011100", "111111",
    ];
    let columns: Vec<Column> =
        (0..6).map(|c| Column::numbers(&table.map(|row| f64::from(row.as_bytes()[c] - b'0')))).collect();
    let found = search(&columns, 3, &by(Method::Ama)).unwrap();
    assert_eq!(found.keys, [1, 2]);
    let alone = search(&columns[1..3], 3, &by(Method::Mdav)).unwrap();
    assert_eq!(found.groups, alone.groups);
    assert!(found.sst > alone.sst, "all columns are published, and all count");
    let mut classes: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for row in shown(&columns, &found.groups, Represent::Means) {
        *classes.entry(row).or_default() += 1;
    }
    assert!(classes.values().all(|&size| size >= 3), "{classes:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Every criterion that merging keeps is met by the published table; others are refused.
    #[test]
    fn every_criterion(mut table in tables(), ama: bool) {
        table.weights.fill(1.0);
        for requirements in requirements() {
            let Some(bound) = bind(&table, &requirements) else { continue };
            let counts = table.counts();
            let problem = problem(&table, &counts, &bound, Metric::Loss, 0);
            let how = by(if ama { Method::Ama } else { Method::Mdav });
            let found = how.search(&problem, &Silent);
            let refused = bound.asks_for_population
                || bound.criteria.iter().any(|criterion| criterion.merging() == Merging::Arbitrary);
            if refused {
                prop_assert!(matches!(found, Err(SearchError::NotForCriterion { .. })), "{:?}", found);
                continue;
            }
            let one = Groups { of: vec![0; table.rows], count: 1 };
            let whole_fails = !all_kept(&problem, &one, Represent::Means);
            if whole_fails {
                prop_assert!(matches!(found, Err(SearchError::NoSafeTable { .. })), "{:?}", found);
                continue;
            }
            let found = found.map_err(|e| TestCaseError::fail(e.to_string()))?;
            for publish in [Represent::Nodes, Represent::Means, Represent::Modes] {
                prop_assert!(all_kept(&problem, &found.groups, publish), "{:?} {:?}", requirements, found);
            }
        }
    }
}

/// Whether every class of the published table satisfies every criterion.
fn all_kept(problem: &Problem<'_>, groups: &Groups, publish: Represent) -> bool {
    let columns = groups.represent(problem, publish);
    let generalizations: Vec<Generalization> = columns
        .iter()
        .map(|c| Generalization { leaves: c.level.labels.len() as u32, levels: vec![c.level.clone()] })
        .collect();
    let published = Problem {
        rows: problem.rows,
        quasi: columns
            .iter()
            .zip(&generalizations)
            .zip(&problem.quasi)
            .map(|((column, generalization), quasi)| Quasi {
                codes: &column.codes,
                generalization,
                numbers: None,
                population: None,
                ..*quasi
            })
            .collect(),
        sensitive: problem.sensitive.clone(),
        label: None,
        criteria: problem.criteria,
        metric: Metric::Loss,
        suppress_at_most: 0,
    };
    let recoding: Vec<&GeneralizedLevel> = published.at(&vec![0; columns.len()]);
    partition(&published, &recoding).kept.iter().all(|kept| *kept)
}

/// A group of equal sensitive values takes in the nearest group, not any.
#[test]
fn failing_groups_join_the_nearest() {
    let columns = [Column::numbers(&[0.0, 1.0, 10.0, 11.0, 30.0, 31.0, 35.0, 36.0])];
    let ill = Column::new(&["a", "a", "a", "b", "a", "b", "a", "b"], false);
    let domain = Domain::from_sorted(vec!["a".into(), "b".into()], 0, Kind::Text);
    let column = SensitiveColumn { name: "s", domain: &domain, counts: &ill.counts, hierarchy: None };
    let requirements =
        [json("k-anonymity", "2"), json("l-diversity", r#"{"kind": "distinct", "l": 2, "column": "s"}"#)];
    let criteria = build(&requirements, &[column], None, 8).unwrap();
    let mut problem = problem_of(&columns, 8, &criteria);
    problem.sensitive = vec![Codes { codes: &ill.codes, values: 2 }];
    for method in [Method::Mdav, Method::VMdav, Method::Univariate] {
        let found = by(method).search(&problem, &Silent).unwrap();
        assert_eq!(found.groups.of, [0, 0, 0, 0, 1, 1, 2, 2], "{method:?}");
    }
}

// ---- Edge cases.

#[test]
fn few_records() {
    for method in [Method::Mdav, Method::VMdav, Method::Univariate, Method::Ama] {
        let none = search(&[Column::numbers(&[])], 3, &by(method)).unwrap();
        assert_eq!(none.groups, Groups::default());
        assert_eq!(none.loss(), 0.0);
        let fewer = search(&[Column::numbers(&[1.0, 2.0])], 3, &by(method));
        assert!(matches!(fewer, Err(SearchError::NoSafeTable { .. })), "{fewer:?}");
        let one = search(&[Column::numbers(&[1.0])], 1, &by(method)).unwrap();
        assert_eq!(one.groups, Groups { of: vec![0], count: 1 });
        let single = search(&[Column::numbers(&[1.0, 5.0, 2.0, 9.0, 7.0])], 3, &by(method)).unwrap();
        assert_eq!(single.groups.count, 1, "fewer than 2k");
        assert_eq!(single.loss(), 1.0);
        let all = search(&[Column::numbers(&[1.0, 5.0, 2.0])], 1, &by(method)).unwrap();
        assert_eq!((all.groups.count, all.loss()), (3, 0.0));
    }
}

#[test]
fn columns_that_say_nothing() {
    let values = [0.0, 10.0, 1.0, 11.0, 2.0, 12.0];
    let expected = [0, 1, 0, 1, 0, 1];
    let nan = [f64::NAN; 6];
    for method in [Method::Mdav, Method::VMdav] {
        let constant = [Column::numbers(&[3.0; 6]), Column::numbers(&values)];
        assert_eq!(search(&constant, 3, &by(method)).unwrap().groups.of, expected);
        let missing = [Column::numbers(&nan), Column::numbers(&values)];
        assert_eq!(search(&missing, 3, &by(method)).unwrap().groups.of, expected);
        let mut weightless = [Column::numbers(&[9.0, 9.0, 8.0, 1.0, 1.0, 1.0]), Column::numbers(&values)];
        weightless[0].weight = 0.0;
        assert_eq!(search(&weightless, 3, &by(method)).unwrap().groups.of, expected);
        let nothing = search(&[Column::numbers(&[4.0; 6])], 2, &by(method)).unwrap();
        assert_eq!(nothing.groups.of, [0, 0, 1, 1, 2, 2], "in the order of the records");
        assert_eq!((nothing.sse, nothing.sst, nothing.loss()), (0.0, 0.0, 0.0));
        let criteria = k_anonymity(2, 5);
        let no_column = by(method).search(&problem_of(&[], 5, &criteria), &Silent).unwrap();
        assert!(sizes(&no_column.groups).iter().all(|&size| size >= 2));
    }
    assert_eq!(search(&[Column::numbers(&[4.0; 6])], 2, &by(Method::Univariate)).unwrap().groups.count, 3);
}

/// Missing values are near each other; infinite ones are where the largest finite one is.
#[test]
fn missing_and_infinite_numbers() {
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    let range = Microaggregation { scale: Scale::Range, ..Default::default() };
    let missing = [Column::numbers(&[nan, 0.0, nan, 0.1, nan, 0.2])];
    assert_eq!(search(&missing, 3, &range).unwrap().groups.of, [0, 1, 0, 1, 0, 1]);
    let refused = search(&missing, 3, &by(Method::Univariate));
    assert!(matches!(refused, Err(SearchError::Parameter { .. })), "{refused:?}");
    let infinite = [Column::numbers(&[inf, 0.0, 10.0, 1.0, 9.0, -inf])];
    for method in [Method::Mdav, Method::VMdav, Method::Univariate] {
        let found = search(&infinite, 3, &by(method)).unwrap();
        assert_eq!(found.groups.of, [0, 1, 0, 1, 0, 1], "{method:?}");
        assert!(found.sse.is_finite() && found.sst.is_finite());
    }
    let huge = [Column::numbers(&[-f64::MAX, f64::MAX, -f64::MAX / 2.0, f64::MAX / 2.0])];
    assert_eq!(search(&huge, 2, &by(Method::Mdav)).unwrap().groups.of, [0, 1, 0, 1]);
}

/// Categories by their place in the order are numbers.
#[test]
fn categories_in_order() {
    let texts = ["a", "f", "b", "e", "a", "f"];
    let columns = [Column::with_hierarchy(&texts, false, tree)];
    let how = Microaggregation { categories: Some(Categories::Order), ..Default::default() };
    assert_eq!(search(&columns, 3, &how).unwrap().groups.of, [0, 1, 0, 1, 0, 1]);
}

#[test]
fn parameters_are_checked_first() {
    // What a method does not look at is refused, not ignored.
    for method in [Method::Mdav, Method::Univariate, Method::Ama] {
        let refused = Microaggregation { gamma: Some(0.2), ..by(method) }.check().unwrap_err().to_string();
        assert!(
            refused.starts_with("search.microaggregation.gamma goes with method = \"v-mdav\" only"),
            "{refused}"
        );
    }
    let order = Microaggregation { categories: Some(Categories::Order), ..by(Method::Univariate) };
    let refused = order.check().unwrap_err().to_string();
    assert!(refused.starts_with("search.microaggregation.categories does not go with"), "{refused}");
    assert_eq!(Microaggregation { gamma: Some(0.2), ..by(Method::VMdav) }.check(), Ok(()));
    for gamma in [f64::NAN, f64::INFINITY, -0.1] {
        let found = search(&[], 2, &Microaggregation { gamma: Some(gamma), ..by(Method::VMdav) });
        assert!(
            matches!(found, Err(SearchError::Parameter { key: "search.microaggregation.gamma", .. })),
            "{found:?}"
        );
    }
    for weight in [f64::NAN, -1.0, f64::INFINITY, 0.0] {
        let mut columns = [Column::numbers(&[1.0, 2.0])];
        columns[0].weight = weight;
        let found = search(&columns, 2, &Microaggregation::default());
        assert!(matches!(found, Err(SearchError::Weight(_))), "{weight} {found:?}");
    }
    let category = search(&[Column::new(&["a", "b"], false)], 2, &by(Method::Univariate));
    assert!(matches!(category, Err(SearchError::Parameter { .. })), "{category:?}");
    // Numbers have no categories; one column that has them is enough.
    let how = Microaggregation { categories: Some(Categories::Equal), ..Default::default() };
    let numbers = Column::numbers(&[1.0, 2.0, 8.0, 9.0]);
    let refused = search(std::slice::from_ref(&numbers), 2, &how).unwrap_err().to_string();
    assert!(refused.starts_with("search.microaggregation.categories is given, and no"), "{refused}");
    let mixed = [numbers, Column::new(&["a", "a", "b", "b"], false)];
    assert_eq!(search(&mixed, 2, &how).unwrap().groups.of, [0, 0, 1, 1]);
    let read = |text: &str| serde_json::from_str::<Microaggregation>(text);
    let full = r#"{"method": "v-mdav", "gamma": 0.5, "scale": "range", "categories": "hierarchy"}"#;
    let how = read(full).unwrap();
    assert_eq!((how.method, how.scale), (Method::VMdav, Scale::Range));
    assert_eq!(read("{}").unwrap(), Microaggregation::default());
    assert!(read(r#"{"segments": 2}"#).is_err());
}

struct Stopped;

impl Progress for Stopped {
    fn stage(&self, _: &str, _: Option<u64>) {}
    fn at(&self, _: u64) {}
    fn cancelled(&self) -> bool {
        true
    }
}

#[test]
fn can_be_stopped_and_does_not_depend_on_threads() {
    let values = noise(10_000, 7);
    let texts: Vec<String> = values.iter().map(|x| format!("{}", (x * 50.0) as u32)).collect();
    let other: Vec<&str> =
        values.iter().map(|x| if x.fract() * 7.0 % 1.0 < 0.5 { "x" } else { "y" }).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let columns = [Column::new(&texts, true), Column::new(&other, false)];
    let criteria = k_anonymity(200, 10_000);
    let problem = problem_of(&columns, 10_000, &criteria);
    for method in [Method::Mdav, Method::VMdav, Method::Ama] {
        let stopped = by(method).search(&problem, &Stopped);
        assert_eq!(stopped, Err(SearchError::Cancelled(Cancelled)));
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| by(method).search(&problem, &Silent).unwrap())
        };
        assert_eq!(run(1), run(4), "{method:?}");
    }
}
