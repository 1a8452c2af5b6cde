//! Anonymization by purpose and trust: the worked examples of the thesis (spec thesis 1.10 and 2.10), and the
//! decomposition against brute force.

use crate::oracle;

use oracle::fixture::Fixture;
use oracle::{bind, hierarchy, json, judge, nodes, problem, requirements, safe_nodes, tables};
use privet_data::{Cancelled, Progress, Silent};
use privet_measure::Metric;
use privet_recode::lattice::{Found, Problem, SearchError};
use privet_recode::purpose::{
    Decomposition, Degrees, IndependencyMatrix, Priorities, Projection, Weights, decomposition, entropy,
    joint_entropy, priority, variation_of_information,
};
use proptest::prelude::*;

/// Thesis Table 4.1(a) with the hierarchies of Figure 4.2; columns gender, age, postcode.
const GENDER: [u32; 6] = [0, 0, 0, 1, 1, 1];
const AGE: [u32; 6] = [0, 0, 1, 1, 2, 2];
const POSTCODE: [u32; 6] = [0, 0, 1, 2, 3, 3];

fn table_four_one(k: u32) -> Fixture {
    let gender: Vec<&str> = GENDER.map(|code| ["male", "female"][code as usize]).to_vec();
    let age: Vec<&str> = AGE.map(|code| ["middle", "young", "old"][code as usize]).to_vec();
    let codes = ["4350", "4351", "4352", "4353"];
    let postcode: Vec<&str> = POSTCODE.map(|code| codes[code as usize]).to_vec();
    let flat = |values: &[&'static str]| values.iter().map(|&value| vec![value, "*"]).collect();
    let postcodes = codes.iter().map(|&code| vec![code, "435*", "43**", "4***", "*"]).collect();
    Fixture::new(
        &[
            (gender, flat(&["male", "female"])),
            (age, flat(&["middle", "young", "old"])),
            (postcode, postcodes),
        ],
        &["x", "y", "x", "y", "x", "y"],
        &[json("k-anonymity", &k.to_string())],
    )
}

fn close(found: f64, expected: f64, digits: i32) {
    assert!((found - expected).abs() <= 0.51 * 10f64.powi(-digits), "{found} is not {expected}");
}

#[test]
fn information_of_the_example_table() {
    // spec thesis 1.10; defect 2 swaps the two conditional entropies.
    assert_eq!(entropy(&GENDER), 1.0);
    close(entropy(&AGE), 1.5850, 4);
    close(entropy(&POSTCODE), 1.9183, 4);
    close(joint_entropy(&GENDER, &AGE), 1.9183, 4);
    close(joint_entropy(&GENDER, &AGE) - entropy(&AGE), 0.3333, 4);
    close(joint_entropy(&GENDER, &AGE) - entropy(&GENDER), 0.9183, 4);
    close(variation_of_information(&GENDER, &AGE), 1.2516, 4);
    close(variation_of_information(&GENDER, &POSTCODE), 0.9183, 4);
    close(variation_of_information(&AGE, &POSTCODE), 0.3333, 4);

    let matrix = IndependencyMatrix::new(&[&GENDER, &AGE, &POSTCODE], &Silent).unwrap();
    let normalized = matrix.normalized();
    let upper = |matrix: &IndependencyMatrix| [matrix.row(0)[1], matrix.row(0)[2], matrix.row(1)[2]];
    for (found, expected) in upper(&matrix).into_iter().zip([1.2516, 0.9183, 0.3333]) {
        close(found, expected, 4);
    }
    for (found, expected) in upper(&normalized).into_iter().zip([0.5, 0.367, 0.133]) {
        close(found, expected, 3);
    }
    close(upper(&normalized).iter().sum(), 1.0, 12);
    for i in 0..3 {
        assert_eq!(normalized.row(i)[i], 0.0);
        for j in 0..3 {
            assert_eq!(normalized.row(i)[j], normalized.row(j)[i]);
        }
    }
    assert!(matrix.row(3).is_empty());
}

#[test]
fn priorities_of_the_example_table() {
    let vi = variation_of_information;
    let age = priority::along(&[vi(&GENDER, &AGE), vi(&AGE, &POSTCODE)]);
    close(age[1], 0.21, 2);
    let postcode = priority::along(&[vi(&GENDER, &POSTCODE), vi(&POSTCODE, &AGE)]);
    close(postcode[1], 0.266, 3);
}

#[test]
fn degrees_of_the_example_tables() {
    // spec thesis 1.10, defect 4: 0.08333, 0.02778 and 0.08333 instead of the printed 0.6, 0.05 and 0.125.
    let scale =
        Degrees { weights: Weights::Uniform, heights: vec![1, 1, 4], priorities: vec![0.0, 1.0, 0.5] };
    let (kept, changed) = ([0, 0, 0], [1, 0, 1]);
    close(scale.tuple(&kept, &changed), 0.08333, 5);
    let local = [kept, kept, changed, changed, kept, kept];
    let global = [changed; 6];
    close(scale.table(local.iter().map(|levels| &levels[..])), 0.02778, 5);
    close(scale.table(global.iter().map(|levels| &levels[..])), 0.08333, 5);
    close(scale.full_domain(&changed, 0, 6), 0.08333, 5);
}

fn by_order(order: &[usize], degree: f64) -> Decomposition {
    Decomposition { degree, priorities: Priorities::Order(order.to_vec()), ..Decomposition::default() }
}

#[test]
fn the_example_decomposition() {
    // spec thesis 2.10: gender goes to *, postcode to 435*, age is kept: Table 4.1(c).
    let fixture = table_four_one(2);
    let problem = fixture.problem(Metric::Discernibility, 0);
    for degree in [0.125, 0.1] {
        let options = Decomposition { until_safe: false, ..by_order(&[0, 2, 1], degree) };
        let plan = options.plan(&problem, &Silent).unwrap();
        assert_eq!(plan.levels(), [1, 0, 1]);
        let found = decomposition(&problem, &options, &Silent).unwrap();
        assert_eq!(found.levels, [1, 0, 1]);
        assert_eq!((found.value, found.classes, found.suppressed), (12.0, 3, 0));
        assert_eq!(found.nodes_checked, 1);
    }
    let plan = by_order(&[0, 2, 1], 0.125).plan(&problem, &Silent).unwrap();
    close(plan.priorities()[2], 0.266, 3);
    assert_eq!((plan.priorities()[0], plan.priorities()[1]), (1.0, 0.0));
    close(plan.degrees()[0], 0.0987, 4);
    close(plan.degrees()[2], 0.0263, 4);
    assert_eq!(plan.degrees()[1], 0.0);

    // What the order yields, given outright, gives the same.
    let given = Priorities::Given(plan.priorities().to_vec());
    let given = Decomposition { priorities: given, until_safe: false, ..by_order(&[0, 2, 1], 0.125) };
    let given = given.plan(&problem, &Silent).unwrap();
    assert_eq!((given.levels(), given.degrees()), (plan.levels(), plan.degrees()));

    // Defect 11, turned around: gender, the most useful column, is kept.
    let protecting = Decomposition { protect_useful: true, ..by_order(&[0, 2, 1], 0.125) };
    assert_eq!(protecting.plan(&problem, &Silent).unwrap().levels(), [0, 1, 1]);
}

#[test]
fn theorem_four_three_does_not_hold() {
    // spec thesis section 4: P = (1,1), h = (2,11), degree 0.1 leads to steps (1,1), whose degree 0.55 to (1,3).
    // Only the heights matter: the same labels at every level nest.
    let values = ["a", "b"];
    let lines: Vec<Vec<&str>> = values.iter().map(|&value| vec![value; 11]).collect();
    let flat = values.iter().map(|&value| vec![value, "*"]).collect();
    let fixture = Fixture::new(
        &[(values.to_vec(), flat), (values.to_vec(), lines)],
        &["x"; 2],
        &[json("k-anonymity", "1")],
    );
    let problem = fixture.problem(Metric::Loss, 0);
    let plan = |degree| Decomposition { degree, ..Decomposition::default() }.plan(&problem, &Silent).unwrap();
    let first = plan(0.1);
    assert_eq!(first.levels(), [1, 1]);
    let reached = first.scale().full_domain(first.levels(), 0, 2);
    close(reached, 0.55, 12);
    assert_eq!(plan(reached).levels(), [1, 3]);
}

#[test]
fn levels_are_raised_until_safe() {
    let fixture = table_four_one(3);
    let problem = fixture.problem(Metric::Loss, 0);
    let refused =
        decomposition(&problem, &Decomposition { until_safe: false, ..by_order(&[0, 2, 1], 0.125) }, &Silent);
    assert_eq!(refused, Err(SearchError::DecompositionUnsafe { failing: 6, limit: 0 }));
    assert!(refused.unwrap_err().to_string().contains("until-safe = true"));
    // Age has priority 0, so that it rises first, and then all are alike.
    let found = decomposition(&problem, &by_order(&[0, 2, 1], 0.125), &Silent).unwrap();
    assert_eq!((found.levels, found.classes), (vec![1, 1, 1], 1));
    // Full trust asks for no level; the promise of 2-anonymity is kept nevertheless. Age rises first (priority 0),
    // then postcode by one step (priority .266, a quarter); then three alike of each gender are enough.
    let fixture = table_four_one(2);
    let problem = fixture.problem(Metric::Loss, 0);
    let degree = Projection::Quadratic.degree(1.0).unwrap();
    let found = decomposition(&problem, &by_order(&[0, 2, 1], degree), &Silent).unwrap();
    assert_eq!((found.levels, found.classes), (vec![0, 1, 1], 2));
}

#[test]
fn what_rose_for_nothing_is_lowered_again() {
    // Gender rises first (priority 0) and need not have: postcodes tell everybody apart until they are *.
    let postcodes = ["1", "2", "3", "4"];
    let fixture = Fixture::new(
        &[
            (vec!["m", "m", "f", "f"], vec![vec!["m", "*"], vec!["f", "*"]]),
            (postcodes.to_vec(), postcodes.iter().map(|&code| vec![code, "*"]).collect()),
        ],
        &["x"; 4],
        &[json("k-anonymity", "2")],
    );
    let problem = fixture.problem(Metric::Loss, 0);
    let options = Decomposition {
        degree: 0.0,
        priorities: Priorities::Given(vec![0.0, 1.0]),
        ..Decomposition::default()
    };
    let found = decomposition(&problem, &options, &Silent).unwrap();
    assert_eq!(found.levels, [0, 1]);
    // (0,0), (1,0), (1,1), then (1,0) is known, and (0,1), below which (0,0) is known.
    assert_eq!(found.nodes_checked, 4);
}

#[test]
fn tables_without_columns_rows_or_levels() {
    let criteria: Vec<Box<dyn privet_criteria::Criterion>> = Vec::new();
    let problem = Problem {
        rows: 3,
        quasi: Vec::new(),
        sensitive: Vec::new(),
        label: None,
        criteria: &criteria,
        metric: Metric::Discernibility,
        suppress_at_most: 0,
    };
    for priorities in [Priorities::Equal, Priorities::Order(vec![]), Priorities::Given(vec![])] {
        let options = Decomposition { priorities, ..Decomposition::default() };
        assert_eq!(decomposition(&problem, &options, &Silent).unwrap().levels, Vec::<usize>::new());
    }
    let identity = hierarchy(&[], false).bind(&oracle::domain()).unwrap();
    let quasi = privet_recode::lattice::Quasi {
        codes: &[],
        counts: &[0; oracle::VALUES],
        generalization: &identity,
        numbers: None,
        weight: 1.0,
        population: None,
    };
    let problem = Problem { rows: 0, quasi: vec![quasi; 2], ..problem };
    for priorities in [Priorities::Equal, Priorities::Order(vec![1]), Priorities::Given(vec![0.0, 1.0])] {
        let options = Decomposition { priorities, protect_useful: true, ..Decomposition::default() };
        assert_eq!(decomposition(&problem, &options, &Silent).unwrap().levels, [0, 0]);
    }
}

#[test]
fn one_column_gets_all_of_the_degree() {
    let lines = vec![vec!["a", "ab", "*"], vec!["b", "ab", "*"]];
    let fixture = Fixture::new(&[(vec!["a", "b"], lines)], &["x", "y"], &[json("k-anonymity", "1")]);
    let problem = fixture.problem(Metric::Loss, 0);
    for protect_useful in [false, true] {
        for priorities in [Priorities::Equal, Priorities::Order(vec![0]), Priorities::Given(vec![1.0])] {
            for (degree, level) in [(0.0, 0), (0.3, 1), (0.5, 1), (0.51, 2), (1.0, 2)] {
                let options = Decomposition {
                    degree,
                    protect_useful,
                    priorities: priorities.clone(),
                    ..Decomposition::default()
                };
                assert_eq!(decomposition(&problem, &options, &Silent).unwrap().levels, [level]);
            }
        }
    }
}

#[test]
fn lattices_too_large_to_number() {
    let column = (vec!["a", "b"], vec![vec!["a", "a1", "a2", "a3", "*"], vec!["b", "b1", "b2", "b3", "*"]]);
    let fixture = Fixture::new(&vec![column; 60], &["x", "y"], &[json("k-anonymity", "2")]);
    let problem = fixture.problem(Metric::Loss, 0);
    let order: Vec<usize> = (0..60).rev().collect();
    let found = decomposition(&problem, &by_order(&order, 0.2), &Silent).unwrap();
    assert_eq!(found.lattice_nodes, u64::MAX);
    assert_eq!(found.levels, [4; 60]);
}

#[test]
fn parameters_out_of_range() {
    let fixture = table_four_one(2);
    let problem = fixture.problem(Metric::Loss, 0);
    let key = |options: Decomposition| match decomposition(&problem, &options, &Silent) {
        Err(SearchError::Parameter { key, .. }) => key,
        other => panic!("{other:?}"),
    };
    let base = Decomposition::default();
    for degree in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        assert_eq!(key(Decomposition { degree, ..base.clone() }), "search.decomposition.degree");
    }
    for beta in [0.0, 0.5, -1.0, f64::NAN, f64::INFINITY] {
        let weights = Weights::Utility(beta);
        assert_eq!(key(Decomposition { weights, ..base.clone() }), "search.decomposition.weights");
    }
    for order in [vec![3], vec![0, 0], vec![usize::MAX]] {
        assert_eq!(key(by_order(&order, 0.5)), "search.decomposition.order");
    }
    for given in
        [vec![1.0], vec![0.0, 0.0, 0.0], vec![2.0, -1.0, 0.0], vec![1.5, 0.0, 0.0], vec![f64::NAN, 0.5, 0.5]]
    {
        let priorities = Priorities::Given(given);
        assert_eq!(key(Decomposition { priorities, ..base.clone() }), "search.decomposition.priorities");
    }
    // A plan for another table.
    let other = oracle::fixture::figure_one(&[json("k-anonymity", "2")]);
    let plan = base.plan(&other.problem(Metric::Loss, 0), &Silent).unwrap();
    assert!(matches!(plan.search(&problem, &Silent), Err(SearchError::Parameter { .. })));
}

#[test]
fn options_are_read_from_text() {
    let read = |text: &str| serde_json::from_str::<Decomposition>(text);
    assert_eq!(read("{}").unwrap(), Decomposition::default());
    let options =
        read(r#"{"degree": 0.5, "weights": {"utility": 2}, "protect-useful": true, "until-safe": false}"#);
    let expected = Decomposition {
        degree: 0.5,
        priorities: Priorities::Equal,
        weights: Weights::Utility(2.0),
        protect_useful: true,
        until_safe: false,
    };
    assert_eq!(options.unwrap(), expected);
    assert!(read(r#"{"degre": 1}"#).is_err());
}

#[test]
fn stops_on_request() {
    struct Stop;
    impl Progress for Stop {
        fn stage(&self, _name: &str, _total: Option<u64>) {}
        fn at(&self, _done: u64) {}
        fn cancelled(&self) -> bool {
            true
        }
    }
    let fixture = table_four_one(2);
    let problem = fixture.problem(Metric::Loss, 0);
    for options in [Decomposition::default(), by_order(&[0], 0.5)] {
        assert_eq!(decomposition(&problem, &options, &Stop), Err(SearchError::Cancelled(Cancelled)));
    }
}

fn priorities(columns: usize) -> impl Strategy<Value = Priorities> {
    prop_oneof![
        Just(Priorities::Equal),
        Just((0..columns).collect::<Vec<_>>()).prop_shuffle().prop_map(Priorities::Order),
        prop::collection::vec(0.0f64..1.0, columns).prop_map(|mut numbers| {
            numbers[0] += 0.1;
            let total: f64 = numbers.iter().sum();
            Priorities::Given(numbers.into_iter().map(|number| number / total).collect())
        }),
    ]
}

fn options(columns: usize) -> impl Strategy<Value = Decomposition> {
    let weights = prop_oneof![Just(Weights::Uniform), (1.0f64..3.0).prop_map(Weights::Utility)];
    (0.0f64..=1.0, priorities(columns), weights, any::<bool>(), any::<bool>()).prop_map(
        |(degree, priorities, weights, protect_useful, until_safe)| Decomposition {
            degree,
            priorities,
            weights,
            protect_useful,
            until_safe,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Safe, never below the plan, and nothing that rose can be lowered; refused only when it should be.
    #[test]
    fn against_brute_force(
        (table, options) in tables().prop_flat_map(|table| {
            let columns = table.quasi.len();
            (Just(table), options(columns))
        }),
        share in 0.0f64..0.6,
    ) {
        let metric = Metric::Loss;
        let table = table.weighed_for(metric);
        let counts = table.counts();
        for requirements in requirements() {
            let Some(bound) = bind(&table, &requirements) else { continue };
            let limit = (share * table.rows as f64) as u64;
            let problem = problem(&table, &counts, &bound, metric, limit);
            let plan = options.plan(&problem, &Silent).unwrap();
            let safe = |levels: &[usize]| judge(&table, &bound, levels, metric, limit);
            let found = decomposition(&problem, &options, &Silent);
            match &found {
                Ok(found) => {
                    let value = safe(&found.levels);
                    prop_assert!(value.is_some_and(|value| (value - found.value).abs() < 1e-9), "{found:?}");
                    prop_assert!(found.levels.iter().zip(plan.levels()).all(|(have, least)| have >= least));
                    if safe(plan.levels()).is_some() {
                        prop_assert_eq!(&*found.levels, plan.levels());
                    } else {
                        prop_assert!(options.until_safe);
                    }
                    for column in 0..found.levels.len() {
                        if found.levels[column] > plan.levels()[column] {
                            let mut lower = found.levels.clone();
                            lower[column] -= 1;
                            prop_assert!(safe(&lower).is_none(), "{found:?} could be {lower:?}");
                        }
                    }
                }
                Err(SearchError::DecompositionUnsafe { .. }) => {
                    prop_assert!(!options.until_safe && safe(plan.levels()).is_none());
                }
                Err(SearchError::NoSafeNode { .. }) => {
                    prop_assert!(options.until_safe);
                    prop_assert_eq!(safe_nodes(&table, &bound, metric, limit), vec![]);
                }
                Err(SearchError::NothingFound { .. }) => {
                    prop_assert!(options.until_safe);
                    prop_assert!(nodes(&table).last().is_some_and(|top| safe(top).is_none()));
                }
                other => prop_assert!(false, "{other:?}"),
            }
            let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
            let again = one_thread.install(|| decomposition(&problem, &options, &Silent));
            let timeless = |found: Result<Found, SearchError>| {
                found.map(|found| Found { reduction: std::time::Duration::ZERO, ..found })
            };
            prop_assert_eq!(timeless(again), timeless(found), "threads");
        }
    }

    /// The best candidate above the plan is that of brute force, and more trust never makes it worse.
    #[test]
    fn the_best_above_the_plan_improves_with_trust(
        (table, options) in tables().prop_flat_map(|table| {
            let columns = table.quasi.len();
            (Just(table), options(columns))
        }),
        which in 0usize..30,
        share in 0.0f64..0.5,
        degrees in (0.0f64..=1.0, 0.0f64..=1.0),
    ) {
        let metric = Metric::Loss;
        let table = table.weighed_for(metric);
        let all = requirements();
        let Some(bound) = bind(&table, &all[which % all.len()]) else { return Err(TestCaseError::reject("the case does not arise")) };
        let counts = table.counts();
        let limit = (share * table.rows as f64) as u64;
        let problem = problem(&table, &counts, &bound, metric, limit);
        let safe = safe_nodes(&table, &bound, metric, limit);
        let mut best = Vec::new();
        for degree in [degrees.0.min(degrees.1), degrees.0.max(degrees.1)] {
            let options = Decomposition { degree, until_safe: true, ..options.clone() };
            let plan = match options.plan(&problem, &Silent) {
                Ok(plan) => plan,
                Err(
                    SearchError::NoSafeNode { .. }
                    | SearchError::NothingFound { .. }
                    | SearchError::DecompositionUnsafe { .. },
                ) => return Err(TestCaseError::reject("no decomposition is safe")),
                Err(error) => return Err(TestCaseError::fail(error.to_string())),
            };
            let above = |node: &[usize]| node.iter().zip(plan.levels()).all(|(have, least)| have >= least);
            let expected = safe.iter().filter(|(node, _)| above(node)).map(|(_, value)| *value).min_by(f64::total_cmp);
            match (plan.best_above(&problem, &Silent), expected) {
                (Ok(found), Some(expected)) => {
                    prop_assert!(above(&found.levels), "{found:?}");
                    let own = judge(&table, &bound, &found.levels, metric, limit);
                    prop_assert!(own.is_some_and(|own| (own - expected).abs() < 1e-9), "{found:?} {expected}");
                    best.push(expected);
                }
                (Err(SearchError::NoSafeNode { .. }), None) => best.push(f64::INFINITY),
                (found, expected) => prop_assert!(false, "{found:?} {expected:?}"),
            }
        }
        prop_assert!(best[0] <= best[1], "less is asked, more is lost: {best:?}");
    }

    /// More trust never raises a level, and shares sum to what was asked for.
    #[test]
    fn more_trust_never_raises_a_level(
        (table, options) in tables().prop_flat_map(|table| {
            let columns = table.quasi.len();
            (Just(table), options(columns))
        }),
        a in 0.0f64..=1.0,
        b in 0.0f64..=1.0,
    ) {
        let counts = table.counts();
        let bound = bind(&table, &[json("k-anonymity", "1")]).unwrap();
        let problem = problem(&table, &counts, &bound, Metric::Loss, 0);
        let plan = |trust: f64| {
            let degree = Projection::Quadratic.degree(trust).unwrap();
            let plan = Decomposition { degree, ..options.clone() }.plan(&problem, &Silent).unwrap();
            prop_assert!((plan.degrees().iter().sum::<f64>() - degree).abs() < 1e-9);
            Ok(plan)
        };
        let (less, more) = (plan(a.min(b))?, plan(a.max(b))?);
        prop_assert!(more.levels().iter().zip(less.levels()).all(|(more, less)| more <= less));
    }
}
