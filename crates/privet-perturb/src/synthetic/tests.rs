use proptest::prelude::*;

use super::*;
use crate::SeededCoins;

fn numbers(values: &[f64]) -> Column {
    Column::Numeric(values.to_vec())
}

fn methods() -> Vec<Method> {
    vec![
        Method::Cart(Cart { min_leaf: 2, ..Cart::default() }),
        Method::Cart(Cart { smooth: false, ..Cart::default() }),
        Method::Regression(Regression { rounds: 2, cycles: 2, within_range: true }),
        Method::Sufficiency,
        Method::FranconiStander(FranconiStander::default()),
        Method::Moments,
        Method::LatinHypercube(LatinHypercube::default()),
        Method::LatinHypercube(LatinHypercube { smooth: false }),
        Method::MaximumEntropy(MaximumEntropy::default()),
    ]
}

#[test]
fn plans_that_do_not_fit_are_refused() {
    let frame = Frame::new(vec![numbers(&[1.0, 2.0, 3.0]), numbers(&[4.0, 4.0, 6.0])]).unwrap();
    let cart = || Method::Cart(Cart::default());
    let run = |plan: &Plan| synthesize(&frame, plan, &mut SeededCoins::new(1)).map(|made| made.copies.len());
    assert_eq!(run(&Plan::partial(vec![1], cart())), Ok(5));
    assert_eq!(run(&Plan::partial(vec![2], cart())), Err(SyntheticError::Column { column: 2, columns: 2 }));
    assert_eq!(run(&Plan::partial(vec![1, 1], cart())), Err(SyntheticError::Repeated { column: 1 }));
    assert!(matches!(run(&Plan::partial(vec![], cart())), Err(SyntheticError::Empty { .. })));
    assert!(matches!(run(&Plan::full(0, cart())), Err(SyntheticError::Empty { .. })));
    assert!(matches!(run(&Plan::full(3, cart()).copies(0)), Err(SyntheticError::Parameter { .. })));
    assert!(matches!(run(&Plan::full(3, cart()).copies(1001)), Err(SyntheticError::Parameter { .. })));
    let large = Plan::full(1 << 31, cart());
    assert!(matches!(run(&large), Err(SyntheticError::TooLarge { .. })));
    assert!(matches!(run(&Plan::full(1 << 22, cart()).copies(1000)), Err(SyntheticError::TooLarge { .. })));
    for records in [vec![3], vec![1, 1], vec![2, 1]] {
        let plan = Plan::partial(vec![1], cart()).only(records);
        assert_eq!(run(&plan), Err(SyntheticError::Record { records: 3 }));
    }
    let order = Plan { scope: Scope::Full { records: 3, order: vec![1] }, ..Plan::full(3, cart()) };
    assert_eq!(run(&order), Err(SyntheticError::Order { found: 1, expected: 2 }));
    for empty in [Frame::new(vec![]).unwrap(), Frame::new(vec![numbers(&[])]).unwrap()] {
        for method in methods() {
            let found = synthesize(&empty, &Plan::full(3, method), &mut SeededCoins::new(1));
            assert_eq!(found, Err(SyntheticError::Empty { what: "record" }));
        }
    }
}

#[test]
fn statistics_by_hand() {
    let frame = Frame::new(vec![numbers(&[1.0, 1.0, 2.0, f64::NAN])]).unwrap();
    let plan = Plan::partial(vec![0], Method::Cart(Cart::default()));
    let task = Task::new(&frame, &plan).unwrap();
    let copy = |values: &[f64]| Frame::new(vec![numbers(values)]).unwrap();
    let found = statistics::compare(&task, &[copy(&[1.0, 2.0, 2.0, f64::NAN]), copy(&[7.0, 1.0, 1.0, -0.0])]);
    let own = found.columns[0];
    // Of 8 values, the first, third and fourth of the first copy and the second of the second are what they replace.
    assert_eq!((own.made, own.equal), (8, Some(0.5)));
    // Three 1s meet two of four, two 2s and one missing value one of four each.
    assert!((own.by_chance - 9.0 / 32.0).abs() < 1e-12);
    assert_eq!((own.of_one_record, found.copied_records), (3.0 / 8.0, 6.0 / 8.0));
}

#[test]
fn plans_and_models_can_be_written() {
    for method in methods() {
        let plan = Plan::partial(vec![1, 0], method).only(vec![3, 4]);
        let text = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), plan, "{text}");
    }
    let text =
        r#"{"scope":{"full":{"records":10}},"method":{"cart":{"min-leaf":25}},"copies":3,"round":true}"#;
    let plan: Plan = serde_json::from_str(text).unwrap();
    assert_eq!(plan, Plan::full(10, Method::Cart(Cart { min_leaf: 25, ..Cart::default() })).copies(3));
    // What is told of models holds no value of the data.
    let values: Vec<f64> = (0..50).map(|row| 987_654.0 + f64::from(row) * 1.5).collect();
    let frame = Frame::new(vec![numbers(&values), numbers(&values)]).unwrap();
    let made = synthesize(&frame, &plan, &mut SeededCoins::new(1)).unwrap();
    let told = serde_json::to_string(&(&made.models, &made.statistics)).unwrap();
    assert!(told.contains("smallest-leaf") && !told.contains("9876"), "{told}");
}

/// A small table with whatever may happen in one.
fn table() -> impl Strategy<Value = Vec<Column>> {
    let number = prop_oneof![
        4 => (-3i8..4).prop_map(f64::from),
        2 => -1e3f64..1e3,
        1 => Just(f64::NAN),
        1 => prop_oneof![Just(1e100), Just(-1e100), Just(1e-300), Just(-0.0)],
    ];
    let whole = prop::collection::vec((-3i8..4).prop_map(f64::from), 25);
    let numeric = prop_oneof![prop::collection::vec(number, 25), whole].prop_map(Column::Numeric);
    let code = prop_oneof![5 => 0u32..3, 1 => Just(MISSING)];
    let categorical =
        prop::collection::vec(code, 25).prop_map(|codes| Column::Categorical { codes, categories: 4 });
    let column = prop_oneof![3 => numeric, 2 => categorical];
    (prop::collection::vec(column, 1..5), 1usize..25).prop_map(|(mut columns, records)| {
        for column in &mut columns {
            match column {
                Column::Numeric(values) => values.truncate(records),
                Column::Categorical { codes, .. } => codes.truncate(records),
            }
        }
        columns
    })
}

/// Equal, with missing values equal to each other.
fn same(a: &Column, b: &Column) -> bool {
    a.len() == b.len() && (0..a.len()).all(|row| a.word(row) == b.word(row))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Any method on any table: an error, or copies that are frames, with everything kept that is to be kept, and the
    /// same again from equal coins.
    #[test]
    fn any_table(columns in table(), full in any::<bool>(), some in any::<bool>(), made in 1usize..30, seed in 0u64..1000) {
        let frame = Frame::new(columns).unwrap();
        for method in methods() {
            let plan = if full {
                Plan::full(made, method)
            } else {
                let plan = Plan::partial(vec![frame.columns().len() - 1], method);
                if some { plan.only((0..frame.records() as u32).step_by(2).collect()) } else { plan }
            };
            let Ok(found) = synthesize(&frame, &plan.clone().copies(2), &mut SeededCoins::new(seed)) else { continue };
            let again = synthesize(&frame, &plan.copies(2), &mut SeededCoins::new(seed)).unwrap();
            prop_assert_eq!(format!("{found:?}"), format!("{again:?}"));
            prop_assert_eq!(found.copies.len(), 2);
            prop_assert_eq!(found.models.len(), if full { frame.columns().len() } else { 1 });
            for copy in &found.copies {
                prop_assert_eq!(copy.records(), if full { made } else { frame.records() });
                let checked = Frame::new(copy.columns().to_vec());
                prop_assert!(checked.is_ok(), "{:?}", checked);
                if !full {
                    let last = frame.columns().len() - 1;
                    for (a, b) in copy.columns().iter().zip(frame.columns()).take(last) {
                        prop_assert!(same(a, b));
                    }
                    if some {
                        let (a, b) = (&copy.columns()[last], &frame.columns()[last]);
                        prop_assert!((1..frame.records()).step_by(2).all(|row| a.word(row) == b.word(row)));
                    }
                }
            }
            for own in &found.statistics.columns {
                prop_assert!((0.0..=1.0).contains(&own.by_chance) && (0.0..=1.0).contains(&own.of_one_record));
            }
        }
    }
}
