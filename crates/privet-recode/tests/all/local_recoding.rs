//! Local recoding: the thesis' example, the promise on random tables with every criterion, and the optimum over all
//! groupings of small tables as a bound.

use crate::oracle;

use oracle::fixture::Fixture;
use oracle::{bind, json, problem, requirements, tables_of};
use privet_criteria::{Class, Criterion, Histogram, Requirement};
use privet_data::Silent;
use privet_measure::Metric;
use privet_recode::groups::{Groups, Represent};
use privet_recode::lattice::{self, Options, Problem, SearchError};
use privet_recode::local::{Choose, Found, LocalRecoding, Start, TopDownLocal};
use proptest::prelude::*;

/// The records of each group.
fn sets(groups: &Groups) -> Vec<Vec<usize>> {
    let mut sets = vec![Vec::new(); groups.count];
    groups.of.iter().enumerate().for_each(|(record, &group)| sets[group as usize].push(record));
    sets
}

/// What every record shows.
fn shown(problem: &Problem<'_>, groups: &Groups) -> Vec<Vec<String>> {
    let columns = groups.represent(problem, Represent::Nodes);
    (0..problem.rows)
        .map(|record| {
            let label = |column: &privet_recode::groups::RegroupedColumn| {
                column.level.labels[column.codes[record] as usize].to_string()
            };
            columns.iter().map(label).collect()
        })
        .collect()
}

fn holds(problem: &Problem<'_>, criterion: &dyn Criterion, records: &[usize]) -> bool {
    let counted: Vec<(Vec<u32>, Vec<u32>)> = problem
        .sensitive
        .iter()
        .map(|column| {
            let mut counts = vec![0u32; column.values];
            records.iter().for_each(|&record| counts[column.codes[record] as usize] += 1);
            let present = (0..column.values as u32).filter(|&code| counts[code as usize] > 0).collect();
            (counts, present)
        })
        .collect();
    let histograms: Vec<Histogram<'_>> = counted
        .iter()
        .map(|(counts, present)| Histogram { counts, present, total: records.len() as u64 })
        .collect();
    criterion.holds(&Class { rows: records.len() as u64, population: 0, histograms: &histograms })
}

/// The loss of a grouping, straight from the definition: leaves under the lowest common label.
fn loss(problem: &Problem<'_>, sets: &[Vec<usize>]) -> f64 {
    let mut total = 0.0;
    for records in sets {
        for quasi in &problem.quasi {
            let generalization = quasi.generalization;
            let covered = generalization.levels.iter().find_map(|level| {
                let node = level.node_of_code[quasi.codes[records[0]] as usize];
                let one = records.iter().all(|&r| level.node_of_code[quasi.codes[r] as usize] == node);
                one.then(|| level.leaves[node as usize])
            });
            let covered = covered.unwrap_or(generalization.leaves);
            let each = f64::from(covered - 1) / f64::from((generalization.leaves - 1).max(1));
            total += quasi.weight * each * records.len() as f64;
        }
    }
    total
}

/// Every way to divide `n` records into groups.
fn groupings(n: usize) -> Vec<Vec<Vec<usize>>> {
    let mut all: Vec<Vec<Vec<usize>>> = vec![Vec::new()];
    for record in 0..n {
        let mut next = Vec::new();
        for grouping in &all {
            for place in 0..=grouping.len() {
                let mut grown = grouping.clone();
                match grown.get_mut(place) {
                    Some(group) => group.push(record),
                    None => grown.push(vec![record]),
                }
                next.push(grown);
            }
        }
        all = next;
    }
    all
}

fn zips(requirement: Requirement) -> Fixture {
    let lines = ["14247", "14248"].map(|zip| {
        let mut line = vec![zip];
        line.extend(["1424*", "142**", "14***", "1****", "*****"]);
        line
    });
    Fixture::new(
        &[(vec!["14248", "14248", "14248", "14247"], lines.to_vec())],
        &["HIV", "Indigestion", "Flu", "Cancer"],
        &[requirement],
    )
}

/// thesis 2.7, Table 3.6 and Figure 3.1: 14247 goes back, its parent is not safe, tuple 3 is pulled up.
#[test]
fn the_example_of_the_thesis() {
    // Phthisis and obesity, categories of their own, are not among these four tuples.
    let categories = r#"[["HIV", "Cancer"], ["Flu", "Indigestion"]]"#;
    let forms = [
        r#"{"p": 2, "k": 2}"#.to_owned(),
        format!(r#"{{"p": 2, "k": 2, "alpha": 1, "categories": {categories}}}"#),
        format!(r#"{{"p": 2, "k": 2, "plus": true, "categories": {categories}}}"#),
        format!(r#"{{"p": 2, "k": 2, "plus": true, "alpha": 1, "categories": {categories}}}"#),
    ];
    for form in forms {
        let fixture = zips(json("p-sensitivity", &form));
        let problem = fixture.problem(Metric::Loss, 0);
        let found = TopDownLocal::default().search(&problem, &Silent).unwrap();
        assert_eq!(sets(&found.groups), [vec![0, 1], vec![2, 3]], "{form}");
        assert_eq!(shown(&problem, &found.groups).concat(), ["14248", "14248", "1424*", "1424*"], "{form}");
    }
}

/// thesis 1.1, Table 4.1(b): the local recoding that loses less than the global one of Table 4.1(c).
#[test]
fn the_local_recoding_of_table_4_1() {
    let fixture = Fixture::new(
        &[
            (
                vec!["male", "male", "male", "female", "female", "female"],
                vec![vec!["male", "*"], vec!["female", "*"]],
            ),
            (
                vec!["middle", "middle", "young", "young", "old", "old"],
                vec![vec!["middle", "*"], vec!["young", "*"], vec!["old", "*"]],
            ),
            (
                vec!["4350", "4350", "4351", "4352", "4353", "4353"],
                ["4350", "4351", "4352", "4353"].map(|zip| vec![zip, "435*"]).to_vec(),
            ),
        ],
        &["stress", "obesity", "stress", "obesity", "stress", "obesity"],
        &[json("k-anonymity", "2")],
    );
    let problem = fixture.problem(Metric::Loss, 0);
    for start in [Start::TopDown, Start::FullDomain, Start::Mondrian] {
        let found = LocalRecoding { start }.search(&problem, &Silent).unwrap();
        assert_eq!(sets(&found.groups), [vec![0, 1], vec![2, 3], vec![4, 5]], "{start:?}");
        assert_eq!(shown(&problem, &found.groups)[2], ["*", "young", "435*"]);
    }
}

/// Where the first column gives nothing, because all its parts would have to come back, the others are tried.
#[test]
fn a_column_that_gives_nothing_is_passed_over() {
    let flat = |values: &[&'static str]| {
        let mut distinct = values.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        (values.to_vec(), distinct.into_iter().map(|value| vec![value, "*"]).collect())
    };
    let fixture = Fixture::new(
        &[flat(&["a", "a", "a", "a", "a", "c", "c"]), flat(&["b1", "q1", "q2", "b1", "q3", "b1", "q4"])],
        &["x", "x", "x", "y", "z", "w", "w"],
        &[json("l-diversity", r#"{"kind": "distinct", "l": 3, "column": "s"}"#)],
    );
    let problem = fixture.problem(Metric::Loss, 0);
    let found = TopDownLocal::default().search(&problem, &Silent).unwrap();
    assert_eq!(sets(&found.groups), [vec![0, 3, 5], vec![1, 2, 4, 6]]);
}

type Search = Box<dyn Fn(&Problem<'_>) -> Result<Found, SearchError>>;

fn searches() -> Vec<(&'static str, Search)> {
    vec![
        ("top-down", Box::new(|problem| TopDownLocal::default().search(problem, &Silent))),
        (
            "least loss",
            Box::new(|problem| TopDownLocal { choose: Choose::LeastLoss }.search(problem, &Silent)),
        ),
        ("local", Box::new(|problem| LocalRecoding::default().search(problem, &Silent))),
        (
            "from full domain",
            Box::new(|problem| LocalRecoding { start: Start::FullDomain }.search(problem, &Silent)),
        ),
        (
            "from mondrian",
            Box::new(|problem| LocalRecoding { start: Start::Mondrian }.search(problem, &Silent)),
        ),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Every group keeps every promise, every record is in a group, and groups that show the same keep it together.
    #[test]
    fn every_group_is_safe(table in tables_of(1..4, 40), which in 0..requirements().len()) {
        let Some(bound) = bind(&table, &requirements()[which]) else { return Err(TestCaseError::reject("the case does not arise")) };
        let counts = table.counts();
        let problem = problem(&table, &counts, &bound, Metric::Loss, 0);
        for (name, search) in searches() {
            let found = match search(&problem) {
                Ok(found) => found,
                Err(SearchError::NoSafeTable { .. }) => {
                    let all: Vec<usize> = (0..table.rows).collect();
                    prop_assert!(!bound.criteria.iter().all(|c| holds(&problem, &**c, &all)), "{}", name);
                    continue;
                }
                Err(SearchError::NotForCriterion { .. } | SearchError::NotMonotone { .. }) => continue,
                Err(other) => return Err(TestCaseError::fail(format!("{name}: {other}"))),
            };
            prop_assert_eq!(found.groups.of.len(), table.rows);
            let mut by_label = std::collections::BTreeMap::<Vec<String>, Vec<usize>>::new();
            for (record, labels) in shown(&problem, &found.groups).into_iter().enumerate() {
                by_label.entry(labels).or_default().push(record);
            }
            for records in sets(&found.groups).iter().chain(by_label.values()) {
                for criterion in &bound.criteria {
                    prop_assert!(holds(&problem, &**criterion, records), "{}: {}", name, criterion.key());
                }
            }
        }
    }

    /// The optimizer is never better than the best of all groupings, and never worse than where it started (survey
    /// TH-12: local recoding costs at most what global recoding costs).
    #[test]
    fn between_the_optimum_and_its_start(table in tables_of(1..4, 8), k in 1u64..4) {
        let Some(bound) = bind(&table, &[json("k-anonymity", &k.to_string())]) else { return Err(TestCaseError::reject("the case does not arise")) };
        let counts = table.counts();
        let problem = problem(&table, &counts, &bound, Metric::Loss, 0);
        let safe = |grouping: &&Vec<Vec<usize>>| grouping.iter().all(|group| group.len() as u64 >= k);
        let all = groupings(table.rows);
        let best = all.iter().filter(safe).map(|grouping| loss(&problem, grouping)).fold(f64::MAX, f64::min);
        for start in [Start::TopDown, Start::FullDomain, Start::Mondrian] {
            let Ok(found) = LocalRecoding { start }.search(&problem, &Silent) else {
                prop_assert!((table.rows as u64) < k);
                continue;
            };
            let value = loss(&problem, &sets(&found.groups));
            prop_assert!(value >= best - 1e-9);
            if start == Start::FullDomain && let Ok(global) = lattice::optimal(&problem, Options::default(), &Silent) {
                let weights: f64 = problem.quasi.iter().map(|quasi| quasi.weight).sum();
                let per_cell = value / table.rows as f64 / weights.max(f64::MIN_POSITIVE);
                prop_assert!(per_cell <= global.value + 1e-9, "{} > {}", per_cell, global.value);
            }
        }
    }

    /// One thread and several find the same.
    #[test]
    fn threads_do_not_matter(table in tables_of(2..4, 40), which in 0..8usize) {
        let Some(bound) = bind(&table, &requirements()[which]) else { return Err(TestCaseError::reject("the case does not arise")) };
        let counts = table.counts();
        let problem = problem(&table, &counts, &bound, Metric::Loss, 0);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| LocalRecoding::default().search(&problem, &Silent))
        };
        prop_assert_eq!(on(1), on(4));
    }
}

/// Tables at the edge: the outcome of each is the documented one.
#[test]
fn small_and_constant_tables() {
    let table = |values: &[&'static str], k: u64| {
        let lines = vec![vec!["a", "*"], vec!["b", "*"], vec!["c", "*"]];
        // A table without records cannot promise anything, so it is asked for nothing.
        let promises: Vec<Requirement> =
            values.first().map(|_| json("k-anonymity", &k.to_string())).into_iter().collect();
        Fixture::new(&[(values.to_vec(), lines)], &vec!["x"; values.len()], &promises)
    };
    for (_, search) in searches() {
        let run =
            |fixture: &Fixture| search(&fixture.problem(Metric::Loss, 0)).map(|found| sets(&found.groups));
        assert_eq!(run(&table(&[], 1)), Ok(vec![]));
        assert_eq!(run(&table(&["a"], 1)), Ok(vec![vec![0]]));
        assert_eq!(run(&table(&["a", "a", "a"], 2)), Ok(vec![vec![0, 1, 2]]));
        assert_eq!(run(&table(&["a", "b", "c"], 2)), Ok(vec![vec![0, 1, 2]]));
        assert_eq!(run(&table(&["a", "b", "a", "b"], 2)), Ok(vec![vec![0, 2], vec![1, 3]]));
    }
}

#[test]
fn what_cannot_be_judged_group_by_group_is_refused() {
    let fixture = zips(json("k-anonymity", "2"));
    let mut problem = fixture.problem(Metric::Loss, 0);
    let criteria: Vec<Box<dyn Criterion>> = vec![Box::new(Odd)];
    problem.criteria = &criteria;
    for (name, search) in searches() {
        assert!(
            matches!(search(&problem), Err(SearchError::NotForCriterion { criterion: "odd", .. })),
            "{name}"
        );
    }
}

/// A criterion that looks at the whole table.
struct Odd;

impl Criterion for Odd {
    fn key(&self) -> &'static str {
        "odd"
    }
    fn promise_of(&self, _: privet_criteria::Grouping) -> String {
        "Nothing.".to_owned()
    }
    fn merging(&self) -> privet_criteria::Merging {
        privet_criteria::Merging::Closed
    }
    fn bucket_independent(&self) -> bool {
        false
    }
    fn holds(&self, _: &Class<'_>) -> bool {
        true
    }
    fn reached(&self, _: &Class<'_>) -> f64 {
        0.0
    }
    fn better(&self) -> privet_criteria::Better {
        privet_criteria::Better::Higher
    }
}
