//! Trackers against a server that refuses small and large sets.

use privet_attack::tracker::{
    Formula, GeneralTracker, Quantity, Refused, Server, count_of_few, individual_tracker, values_among,
};
use proptest::prelude::*;

/// survey AT-08: Shirley is the only woman under 30.
#[test]
fn shirleys_salary() {
    // Gender (women 0, men 1), age; salaries in thousands. Shirley is the third.
    let gender = [1, 1, 0, 0, 0, 1, 1, 0];
    let age = [25, 28, 27, 45, 52, 36, 29, 61];
    let salary = [40, 42, 55, 61, 58, 47, 39, 70];
    let server = Server::new(vec![&gender, &age], vec![&salary], 2).unwrap();
    let (young, woman) = (Formula::Below(1, 30), Formula::Is(0, 0));
    let shirley = young.clone().and(woman.clone());
    assert_eq!(server.ask(Quantity::Sum(0), &shirley), Err(Refused::SetSize { k: 2 }));
    // sum(salary, age < 30) - sum(salary, male and age < 30) = (40 + 42 + 55 + 39) - (40 + 42 + 39).
    assert_eq!(server.ask(Quantity::Sum(0), &young), Ok(176));
    assert_eq!(individual_tracker(&server, Quantity::Sum(0), &young, &woman), Ok(55));
    assert_eq!(individual_tracker(&server, Quantity::Count, &young, &woman), Ok(1));
    let general = GeneralTracker::find(&server, [shirley.clone(), woman]).unwrap();
    assert_eq!(general.records, 8);
    assert_eq!(general.ask(&server, Quantity::Sum(0), &shirley), Ok(55));
    assert_eq!(general.ask(&server, Quantity::Sum(0), &Formula::All), Ok(412));
    assert_eq!(general.ask(&server, Quantity::Sum(9), &shirley), Err(Refused::NoColumn));
    assert_eq!(general.ask(&server, Quantity::Count, &Formula::Is(9, 0)), Err(Refused::NoColumn));
}

#[test]
fn no_tracker_and_no_records() {
    let codes = [0, 0, 0, 1];
    let server = Server::new(vec![&codes], vec![], 1).unwrap();
    assert_eq!(GeneralTracker::new(&server, Formula::Is(0, 1)), Err(Refused::NoTracker { least: 2 }));
    assert_eq!(GeneralTracker::new(&server, Formula::All), Err(Refused::SetSize { k: 1 }));
    assert!(GeneralTracker::find(&server, []).is_none());
    assert_eq!(Server::new(vec![&codes, &[]], vec![], 1).unwrap_err(), Refused::Rows);
    let nothing = Server::new(vec![], vec![], 0).unwrap();
    assert_eq!(nothing.ask(Quantity::Count, &Formula::All), Ok(0));
    let closed = Server::new(vec![&codes], vec![], u64::MAX).unwrap();
    assert_eq!(closed.ask(Quantity::Count, &Formula::All), Err(Refused::SetSize { k: u64::MAX }));
}

/// Without a general tracker: whatever is told of few is how many they are, and who is one of several in each column is told.
#[test]
fn few_are_told_by_two_questions() {
    // Women and men of two ages; the first is the only woman of age 0, and has value 1.
    let (gender, age, value) = ([0, 0, 0, 0, 1, 1, 1, 1], [0, 1, 1, 1, 0, 0, 1, 1], [1, 0, 1, 0, 0, 1, 0, 0]);
    let server = Server::new(vec![&gender, &age, &value], vec![], 3).unwrap();
    let splits = (0..3).flat_map(|at| [Formula::Is(at, 0), Formula::Is(at, 1)]);
    assert!(GeneralTracker::find(&server, splits).is_none());
    let parts = [Formula::Is(0, 0), Formula::Is(1, 0)];
    assert_eq!(count_of_few(&server, &parts), Ok(Some(1)));
    assert_eq!(values_among(&server, None, &parts, 2, 2), Ok(Some(vec![(1, 1)])));
    for (g, a, v) in (0..2).flat_map(|g| (0..2).flat_map(move |a| (0..2).map(move |v| (g, a, v)))) {
        let count = (0..8).filter(|&i| gender[i] == g && age[i] == a && value[i] == v).count() as u64;
        let told = count_of_few(&server, &[Formula::Is(0, g), Formula::Is(1, a), Formula::Is(2, v)]).unwrap();
        assert!(told.is_none_or(|told| told == count));
    }
    // A server that answers about half of the records alone.
    let strict = Server::new(vec![&gender, &age, &value], vec![], 5).unwrap();
    assert_eq!(values_among(&strict, None, &parts, 2, 2), Ok(None));
}

fn formula() -> impl Strategy<Value = Formula> {
    let leaf = prop_oneof![
        Just(Formula::All),
        (0usize..2, 0u32..5).prop_map(|(column, code)| Formula::Is(column, code)),
        (0usize..2, 0u32..5).prop_map(|(column, code)| Formula::Below(column, code)),
    ];
    leaf.prop_recursive(4, 16, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(Formula::negated),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.and(b)),
            (inner.clone(), inner).prop_map(|(a, b)| a.or(b)),
        ]
    })
}

fn means(formula: &Formula, record: [u32; 2]) -> bool {
    match formula {
        Formula::All => true,
        Formula::Is(column, code) => record[*column] == *code,
        Formula::Below(column, code) => record[*column] < *code,
        Formula::Not(inner) => !means(inner, record),
        Formula::And(a, b) => means(a, record) && means(b, record),
        Formula::Or(a, b) => means(a, record) || means(b, record),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// 2k <= |T| <= n - 2k answers any query exactly.
    #[test]
    fn a_general_tracker_answers_everything(
        records in prop::collection::vec(([0u32..5, 0u32..5], -100i64..100), 8..30),
        asked in prop::collection::vec(formula(), 5),
        tracker in formula(),
        k in 1u64..5,
    ) {
        let columns: Vec<Vec<u32>> = (0..2).map(|c| records.iter().map(|record| record.0[c]).collect()).collect();
        let numbers: Vec<i64> = records.iter().map(|record| record.1).collect();
        let server = Server::new(vec![&columns[0], &columns[1]], vec![&numbers], k).unwrap();
        let (n, inside) = (records.len() as u64, records.iter().filter(|record| means(&tracker, record.0)).count() as u64);
        match GeneralTracker::new(&server, tracker) {
            Err(_) => prop_assert!(inside < 2 * k || inside + 2 * k > n),
            Ok(general) => {
                prop_assert!(inside >= 2 * k && inside + 2 * k <= n);
                prop_assert_eq!(general.records, n);
                for formula in &asked {
                    let meant: Vec<i128> =
                        records.iter().filter(|record| means(formula, record.0)).map(|record| i128::from(record.1)).collect();
                    prop_assert_eq!(general.ask(&server, Quantity::Count, formula), Ok(meant.len() as i128));
                    prop_assert_eq!(general.ask(&server, Quantity::Sum(0), formula), Ok(meant.iter().sum()));
                    let size = meant.len() as u64;
                    prop_assert_eq!(server.ask(Quantity::Count, formula).is_ok(), size >= k && size + k <= n);
                }
            }
        }
    }
}
