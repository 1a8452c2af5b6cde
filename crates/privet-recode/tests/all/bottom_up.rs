//! Bottom-up generalization: the trace on papers FX-L1, and on random tables that what it finds is a safe cut, and
//! that it finds one whenever the coarsest is safe.

use crate::oracle;

use oracle::cuts::{are_cuts, judge_recoding};
use oracle::fixture::{Fixture, figure_one};
use oracle::{Table, bind, json, judge, problem, requirements, tables};
use privet_criteria::Requirement;
use privet_data::{GeneralizedLevel, Silent};
use privet_measure::Metric;
use privet_recode::cut::BottomUpGeneralization;
use privet_recode::lattice::{Problem, SearchError};
use proptest::prelude::*;

fn search(problem: &Problem<'_>) -> Result<privet_recode::cut::Found, SearchError> {
    BottomUpGeneralization::default().search(problem, &Silent)
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

fn figure_one_at(k: &str) -> Fixture {
    figure_one(&[json("k-anonymity", k)])
}

/// papers FX-L1 with the conditions as class and k = 4. Twelve records, twelve classes of one.
///
/// Step 1. No generalization is critical: each leaves single records. I(G) in bits:
/// 130** (13053 and 13068 have 1 HD, 1 VI, 2 Ca each) 1.5 - 1.5 = 0; 148** (1 Ca, 1 HD, 2 VI against VI, VI | Ca, HD)
/// 1.5 - 0.5 = 1; 2* (2 HD, 2 VI) 1; 3* (4 Ca) 0; 4* (2 VI) 0; 5* (Ca, HD) 1; nationality 0.658345.
/// Of those with 0, 4* adds least loss (2 records, 1/11 each; 3*: 4 records, 3/11; 130**: 8 records, 1/3). It merges
/// records 7 and 8.
///
/// Step 2. 3* (0 bits) merges none. Step 3. 130** (0 bits) merges 9 and 12, both American. Step 4. Nationality
/// (0.658345 bits) merges 9 to 12. Step 5. 148**, 2* and 5* lose 1 bit each and none is critical; 5* adds least loss and
/// merges 5 and 6. Step 6. The single records are now 1 to 4, so 2* is critical: 1 bit, P = 2 - 1, IP = 1, a tie
/// with 148** and >=40 (P = 0), which it wins. Step 7. {5, 6} and {7, 8} differ in zip and age: 148** and >=40 have 1 bit
/// and P = 0; >=40 adds less loss. Step 8. 148**: 1 bit, P = 4 - 2, IP = 0.5. All classes have 4 records: figure 2
/// of the paper (FX-L2).
#[test]
fn trace_of_figure_one() {
    let fixture = figure_one_at("4");
    let problem = fixture.problem(Metric::Discernibility, 0);
    let found = search(&problem).unwrap();
    let figure_two = [vec!["130**", "1485*"], vec!["2*", "3*", ">=40"], vec!["*"]];
    assert_eq!(labels(&problem, &found.columns), figure_two);
    assert_eq!((found.value, found.suppressed, found.bound, found.checked), (48.0, 0, None, 9));

    // After step 4 the records 1 to 6 are single, after step 5 only 1 to 4.
    let problem = fixture.problem(Metric::Loss, 12 - 4);
    let found = search(&problem).unwrap();
    assert_eq!(found.checked, 5, "{found:?}");
    assert_eq!(labels(&problem, &found.columns)[2], ["*"]);
    assert_eq!(labels(&problem, &found.columns)[0], ["130**", "14850", "14853"]);
}

/// k = 2 ends after step 6: classes {1-4}, {5, 6}, {7, 8}, {9-12}.
#[test]
fn it_ends_as_soon_as_it_is_safe() {
    let fixture = figure_one_at("2");
    let problem = fixture.problem(Metric::Discernibility, 0);
    let found = search(&problem).unwrap();
    assert_eq!((found.value, found.checked), (40.0, 7));
    assert_eq!(
        labels(&problem, &found.columns),
        [vec!["130**", "14850", "14853"], vec!["2*", "3*", "4*", "5*"], vec!["*"]]
    );
    // Nothing is generalized where nothing fails.
    let fixture = figure_one_at("1");
    let found = search(&fixture.problem(Metric::Loss, 0)).unwrap();
    assert_eq!((found.value, found.checked), (0.0, 1));
}

#[test]
fn an_impossible_promise_is_explained() {
    let column = (vec!["a", "a", "b"], vec![vec!["a"], vec!["b"]]);
    let fixture = Fixture::new(&[column], &["x", "y", "z"], &[json("k-anonymity", "2")]);
    let found = search(&fixture.problem(Metric::Loss, 0));
    assert!(matches!(found, Err(SearchError::NoSafeNode { failing: 1, limit: 0, .. })), "{found:?}");
    assert_eq!(search(&fixture.problem(Metric::Loss, 1)).map(|found| found.suppressed), Ok(1));
    let found = search(&figure_one_at("2").problem(Metric::Height, 0));
    assert!(matches!(found, Err(SearchError::NotForMetric { .. })), "{found:?}");
    assert!(serde_json::from_str::<BottomUpGeneralization>("{}").is_ok());
    assert!(serde_json::from_str::<BottomUpGeneralization>(r#"{"max-steps": 1}"#).is_err());
}

/// The class of `a` fails and its parent is open only once `c` and `d`, which hold, are one.
#[test]
fn what_a_generalization_waits_for_comes_first() {
    let lines = vec![vec!["a", "a", "*"], vec!["c", "y", "*"], vec!["d", "y", "*"]];
    let texts = vec!["a", "c", "c", "d", "d"];
    let fixture = Fixture::new(&[(texts, lines)], &["1", "1", "1", "2", "2"], &[json("k-anonymity", "2")]);
    let problem = fixture.problem(Metric::Loss, 0);
    let found = search(&problem).unwrap();
    assert_eq!(labels(&problem, &found.columns), [["*"]]);
    assert_eq!(found.checked, 3);
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
    assert_eq!(search(&empty).map(|found| found.columns), Ok(Vec::new()));
}

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
    if !class {
        problem.label = None;
    }
    let top: Vec<usize> = table.generalizations.iter().map(|g| g.height()).collect();
    let found = match (judge(&table, &bound, &top, metric, limit), search(&problem)) {
        // The coarsest cut may fail where a finer one is safe, but not with monotone criteria.
        (None, Err(SearchError::NoSafeNode { .. } | SearchError::NothingFound { .. })) => return Ok(()),
        (_, Ok(found)) => found,
        (top, found) => return Err(TestCaseError::fail(format!("top {top:?}, found {found:?}"))),
    };
    let own = judge_recoding(&table, &bound, &found.columns, metric, limit);
    let Some((value, suppressed)) = own else { return Err(TestCaseError::fail(format!("unsafe {found:?}"))) };
    prop_assert!((value - found.value).abs() <= 1e-9 * value.abs().max(1.0), "{} {}", value, found.value);
    prop_assert_eq!(suppressed, found.suppressed);
    prop_assert!(are_cuts(&table, &bound, &found.columns), "{:?}", found.columns);
    prop_assert_eq!(search(&problem), Ok(found));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn safe_for_every_criterion(table in tables(), share in 0.0f64..0.6, class: bool) {
        for requirements in requirements() {
            check(&table, &requirements, Metric::Loss, 0, class)?;
            check(&table, &requirements, Metric::Loss, (share * table.rows as f64) as u64, class)?;
        }
    }

    #[test]
    fn every_metric(table in tables(), share in 0.0f64..0.6) {
        let chosen: Vec<_> = requirements().into_iter().step_by(4).collect();
        for metric in Metric::ALL {
            if matches!(metric, Metric::Height | Metric::Precision) {
                continue;
            }
            for requirements in &chosen {
                check(&table, requirements, metric, (share * table.rows as f64) as u64, true)?;
            }
        }
    }
}
