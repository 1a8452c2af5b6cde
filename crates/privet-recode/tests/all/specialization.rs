//! Top-down specialization: the trace on papers FX-L1, and on random tables that what it finds is a safe cut which
//! no single further specialization leaves safe.

use crate::oracle;

use oracle::cuts::{are_cuts, judge_recoding, specializations};
use oracle::fixture::{Fixture, figure_one};
use oracle::{Table, VALUES, bind, domain, hierarchy, json, judge, problem, requirements, tables};
use privet_criteria::Requirement;
use privet_data::{Cancelled, GeneralizedLevel, Progress, Silent};
use privet_measure::Metric;
use privet_recode::cut::TopDownSpecialization;
use privet_recode::lattice::{Problem, SearchError};
use proptest::prelude::*;

fn all_steps() -> TopDownSpecialization {
    TopDownSpecialization::default()
}

/// Per column the labels of the records, each once, sorted.
fn labels(problem: &Problem<'_>, columns: &[GeneralizedLevel]) -> Vec<Vec<String>> {
    let column = |(quasi, column): (&privet_recode::lattice::Quasi<'_>, &GeneralizedLevel)| {
        let label = |&code: &u32| column.labels[column.node_of_code[code as usize] as usize].to_string();
        let mut labels: Vec<String> = quasi.codes.iter().map(label).collect();
        labels.sort();
        labels.dedup();
        labels
    };
    problem.quasi.iter().zip(columns).map(column).collect()
}

fn check_trace(fixture: &Fixture, max_steps: Option<u64>, expected: [&[&str]; 3]) {
    let problem = fixture.problem(Metric::Discernibility, 0);
    let found = TopDownSpecialization { max_steps }.search(&problem, &Silent).unwrap();
    assert_eq!(labels(&problem, &found.columns), expected, "after {max_steps:?}");
}

/// papers FX-L1 with the conditions as class (Cancer 5, Viral 4, Heart 3: 1.554585 bits) and k = 4.
///
/// Step 1, one class of 12 records:
/// - zip `*` gives 130** (2 HD, 2 VI, 4 Ca: 1.5 bits) and 148** (1 Ca, 1 HD, 2 VI: 1.5 bits), 8 and 4 records.
///   InfoGain 1.554585 - 1.5 = 0.054585, AnonyLoss 12 - 4 = 8, score 0.054585/9 = 0.006065.
/// - age `*` gives <40 and >=40, the same records, the same score.
/// - nationality has InfoGain 0.658345 but classes of 2 records: not safe.
///
/// Zip and age tie; zip saves 2/3 of loss on each record (from 3/3 to 1/3), age (8 4/11 + 4 8/11)/12 = 0.485. So zip.
///
/// Step 2, classes of 8 and 4 records:
/// - 130** gives 13053 and 13068, both 1 HD, 1 VI, 2 Ca: 1.5 bits. InfoGain 0, score 0.
/// - 148** gives classes of 2: not safe, nor is nationality.
/// - age `*` splits no class: AnonyLoss 0, score 0.054585. So age.
///
/// Step 3: <40 gives 2* (2 HD, 2 VI: 1 bit) and 3* (4 Ca: 0 bits), 4 records each: InfoGain 1.5 - 0.5 = 1, AnonyLoss 0,
/// score 1; 130** still 0. After it every class has 4 records: figure 2 of the paper (FX-L2), discernibility 48.
#[test]
fn trace_of_figure_one() {
    let fixture = figure_one(&[json("k-anonymity", "4")]);
    check_trace(&fixture, Some(1), [&["130**", "1485*"], &["*"], &["*"]]);
    check_trace(&fixture, Some(2), [&["130**", "1485*"], &["<40", ">=40"], &["*"]]);
    let figure_two: [&[&str]; 3] = [&["130**", "1485*"], &["2*", "3*", ">=40"], &["*"]];
    check_trace(&fixture, Some(3), figure_two);
    check_trace(&fixture, None, figure_two);
    let found = all_steps().search(&fixture.problem(Metric::Discernibility, 0), &Silent).unwrap();
    assert_eq!((found.value, found.suppressed, found.bound), (48.0, 0, None));
    // The top; zip, age, nationality; 130**, 148**, age; 130**, <40, >=40; 130**, 2*, 3*. What was unsafe is not
    // asked again.
    assert_eq!(found.checked, 1 + 3 + 3 + 3 + 3);
}

/// The same table, 3-diverse: after zip and age, 3* would hold cancer only, so 130** is next: figure 3 (FX-L3), but
/// with whole zips, since one zip only lies below each of its labels.
#[test]
fn three_diverse_figure_one() {
    let fixture = figure_one(&[json("l-diversity", r#"{"kind": "distinct", "l": 3, "column": "s"}"#)]);
    check_trace(&fixture, None, [&["13053", "13068", "1485*"], &["<40", ">=40"], &["*"]]);
}

/// k = 2: nationality is safe now (2 records in its smallest classes), score 0.658345/(10 + 1) = 0.059849, ten times
/// that of zip and age. Nothing else is safe after it: (148**, Indian) would be one record.
#[test]
fn the_best_score_goes_first() {
    let fixture = figure_one(&[json("k-anonymity", "2")]);
    check_trace(&fixture, Some(1), [&["*"], &["*"], &["American", "Indian", "Japanese", "Russian"]]);
    check_trace(&fixture, None, [&["*"], &["*"], &["American", "Indian", "Japanese", "Russian"]]);
}

/// Without a class column, loss decides: nationality saves 1, zip 2/3, age 0.485 per record, and nationality (with its
/// classes of 2) is not safe at k = 4. AnonyLoss 8 for both others, so zip; then age, then <40 (AnonyLoss 0 each).
#[test]
fn loss_leads_where_there_is_no_class_column() {
    let fixture = figure_one(&[json("k-anonymity", "4")]);
    for metric in [Metric::Loss, Metric::NonUniformEntropy, Metric::Ambiguity] {
        let problem = Problem { label: None, ..fixture.problem(metric, 0) };
        let first = TopDownSpecialization { max_steps: Some(1) }.search(&problem, &Silent).unwrap();
        assert_eq!(labels(&problem, &first.columns), [vec!["130**", "1485*"], vec!["*"], vec!["*"]]);
        let found = all_steps().search(&problem, &Silent).unwrap();
        assert!(found.columns[1].labels.len() > 1, "{found:?}");
    }
}

#[test]
fn suppression_lets_it_go_further() {
    let fixture = figure_one(&[json("k-anonymity", "4")]);
    let problem = fixture.problem(Metric::Loss, 4);
    let found = all_steps().search(&problem, &Silent).unwrap();
    assert!(found.suppressed <= 4 && found.suppressed > 0, "{found:?}");
    let none = all_steps().search(&fixture.problem(Metric::Loss, 0), &Silent).unwrap();
    let count = |columns: &[GeneralizedLevel]| labels(&problem, columns).iter().map(Vec::len).sum::<usize>();
    assert!(count(&found.columns) > count(&none.columns));
}

/// Whatever the criteria: safe, a cut, valued right, the same each time, and nothing finer by one step is safe.
fn check(
    table: &Table,
    requirements: &[Requirement],
    metric: Metric,
    limit: u64,
    class: bool,
) -> Result<(), TestCaseError> {
    let table = table.weighed_for(metric);
    let Some(bound) = bind(&table, requirements) else {
        return Err(TestCaseError::reject("the case does not arise"));
    };
    let counts = table.counts();
    let mut problem = problem(&table, &counts, &bound, metric, limit);
    if !class && !metric.needs_class() {
        problem.label = None;
    }
    let top: Vec<usize> = table.generalizations.iter().map(|g| g.height()).collect();
    let found = match (judge(&table, &bound, &top, metric, limit), all_steps().search(&problem, &Silent)) {
        (None, Err(SearchError::NoSafeNode { .. } | SearchError::NothingFound { .. })) => return Ok(()),
        (Some(_), Ok(found)) => found,
        (top, found) => return Err(TestCaseError::fail(format!("top {top:?}, found {found:?}"))),
    };
    let own = judge_recoding(&table, &bound, &found.columns, metric, limit);
    let Some((value, suppressed)) = own else { return Err(TestCaseError::fail(format!("unsafe {found:?}"))) };
    prop_assert!((value - found.value).abs() <= 1e-9 * value.abs().max(1.0), "{} {}", value, found.value);
    prop_assert_eq!(suppressed, found.suppressed);
    prop_assert!(are_cuts(&table, &bound, &found.columns), "{:?}", found.columns);
    for finer in specializations(&table, &bound, &found.columns) {
        let own = judge_recoding(&table, &bound, &finer, metric, limit);
        prop_assert!(own.is_none(), "safe as well: {:?} after {:?}", finer, found.columns);
    }
    prop_assert_eq!(all_steps().search(&problem, &Silent), Ok(found));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn local_optimum_for_every_criterion(table in tables(), share in 0.0f64..0.6, class: bool) {
        for requirements in requirements() {
            check(&table, &requirements, Metric::Loss, 0, class)?;
            check(&table, &requirements, Metric::Loss, (share * table.rows as f64) as u64, class)?;
        }
    }

    #[test]
    fn every_metric(table in tables(), share in 0.0f64..0.6, class: bool) {
        let chosen: Vec<_> = requirements().into_iter().step_by(4).collect();
        for metric in Metric::ALL {
            if matches!(metric, Metric::Height | Metric::Precision) {
                continue;
            }
            for requirements in &chosen {
                check(&table, requirements, metric, (share * table.rows as f64) as u64, class)?;
            }
        }
    }
}

/// A column that cannot be generalized, and one record alone in its class.
#[test]
fn an_impossible_promise_is_explained() {
    let column = (vec!["a", "a", "b"], vec![vec!["a"], vec!["b"]]);
    let fixture = Fixture::new(&[column], &["x", "y", "z"], &[json("k-anonymity", "2")]);
    let found = all_steps().search(&fixture.problem(Metric::Loss, 0), &Silent);
    let Err(SearchError::NoSafeNode { failing: 1, limit: 0, criteria }) = &found else { panic!("{found:?}") };
    assert!(criteria.len() == 1 && criteria[0].starts_with("k-anonymity: "), "{criteria:?}");
    let found = all_steps().search(&fixture.problem(Metric::Loss, 1), &Silent);
    assert_eq!(found.map(|found| found.suppressed), Ok(1));
}

/// The label `x` of {a, b} is also a value below `y`; so is the text that tells the two apart.
#[test]
fn equal_labels_are_told_apart() {
    let values = ["a", "b", "c", "x", "x (level 1)"];
    let of = |value: &str| if matches!(value, "a" | "b") { "x" } else { "y" };
    let lines = values.iter().map(|&value| vec![value, of(value), "*"]).collect();
    let texts = ["a", "b", "c", "c", "x", "x", "x (level 1)", "x (level 1)"];
    let conditions = ["1", "2", "3", "3", "4", "4", "5", "5"];
    let fixture = Fixture::new(&[(texts.to_vec(), lines)], &conditions, &[json("k-anonymity", "2")]);
    let problem = fixture.problem(Metric::Loss, 0);
    let found = all_steps().search(&problem, &Silent).unwrap();
    // {a, b} cannot be told apart, and its label is not that of a value.
    let expected = ["c", "x", "x (level 1)", "x (level 1) (level 1)"];
    assert_eq!(labels(&problem, &found.columns), [expected]);
    assert_eq!((found.value, found.suppressed), (2.0 / 8.0 / 4.0, 0));
}

#[test]
fn levels_and_missing_classes_are_refused() {
    let fixture = figure_one(&[json("k-anonymity", "2")]);
    for metric in [Metric::Height, Metric::Precision] {
        let found = all_steps().search(&fixture.problem(metric, 0), &Silent);
        assert!(matches!(found, Err(SearchError::NotForMetric { .. })), "{found:?}");
    }
    let problem = Problem { label: None, ..fixture.problem(Metric::Classification, 0) };
    assert_eq!(all_steps().search(&problem, &Silent), Err(SearchError::NoLabel));
    let mut problem = fixture.problem(Metric::Loss, 0);
    problem.quasi[0].weight = f64::NAN;
    assert!(matches!(all_steps().search(&problem, &Silent), Err(SearchError::Weight(_))));
}

#[test]
fn parameters() {
    let fixture = figure_one(&[json("k-anonymity", "2")]);
    let none = TopDownSpecialization { max_steps: Some(0) };
    let found = none.search(&fixture.problem(Metric::Loss, 0), &Silent);
    let refused =
        matches!(found, Err(SearchError::Parameter { key: "search.top-down-specialization.max-steps", .. }));
    assert!(refused, "{found:?}");
    let parse = |text: &str| serde_json::from_str::<TopDownSpecialization>(text);
    assert_eq!(parse("{}").unwrap(), all_steps());
    assert_eq!(parse(r#"{"max-steps": 7}"#).unwrap(), TopDownSpecialization { max_steps: Some(7) });
    for wrong in [r#"{"max-steps": -1}"#, r#"{"max-steps": 1.5}"#, r#"{"steps": 3}"#] {
        assert!(parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn nothing_to_recode() {
    let empty = Problem {
        rows: 0,
        quasi: Vec::new(),
        sensitive: Vec::new(),
        label: None,
        criteria: &[],
        metric: Metric::Loss,
        suppress_at_most: 0,
    };
    assert_eq!(all_steps().search(&empty, &Silent).map(|found| found.columns), Ok(Vec::new()));
    let no_columns = Problem { rows: 3, ..empty };
    assert_eq!(all_steps().search(&no_columns, &Silent).map(|found| found.columns), Ok(Vec::new()));
    // A column without any record.
    let generalization = hierarchy(&[0], true).bind(&domain()).unwrap();
    let quasi = privet_recode::lattice::Quasi {
        codes: &[],
        counts: &[0; VALUES],
        generalization: &generalization,
        numbers: None,
        weight: 1.0,
        population: None,
    };
    let no_rows = Problem { rows: 0, quasi: vec![quasi], ..no_columns };
    assert!(all_steps().search(&no_rows, &Silent).is_ok());
}

/// Keys of more words than there can be are refused; one fewer column less than that is fine.
#[test]
fn very_wide_tables() {
    let generalization = hierarchy(&[], false).bind(&domain()).unwrap();
    let (codes, counts) = ([0, 1, 0, 1], [2, 2, 0, 0, 0]);
    let quasi = privet_recode::lattice::Quasi {
        codes: &codes,
        counts: &counts,
        generalization: &generalization,
        numbers: None,
        weight: 1.0,
        population: None,
    };
    // Six leaves take three bits, and 21 columns a word.
    let wide = |columns: usize| Problem {
        rows: 4,
        quasi: vec![quasi; columns],
        sensitive: Vec::new(),
        label: None,
        criteria: &[],
        metric: Metric::Loss,
        suppress_at_most: 0,
    };
    assert!(all_steps().search(&wide(32 * 21), &Silent).is_ok());
    assert_eq!(all_steps().search(&wide(32 * 21 + 1), &Silent), Err(SearchError::TooWide { words: 33 }));
}

#[test]
fn it_stops_when_asked_to() {
    struct Stopped;
    impl Progress for Stopped {
        fn stage(&self, _name: &str, _total: Option<u64>) {}
        fn at(&self, _done: u64) {}
        fn cancelled(&self) -> bool {
            true
        }
    }
    let fixture = figure_one(&[json("k-anonymity", "2")]);
    let found = all_steps().search(&fixture.problem(Metric::Loss, 0), &Stopped);
    assert_eq!(found, Err(SearchError::Cancelled(Cancelled)));
}
