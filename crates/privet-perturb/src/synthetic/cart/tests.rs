use super::*;
use crate::synthetic::{Method, Plan, synthesize};
use crate::testing::{assert_mean, moments};
use crate::{OsCoins, SeededCoins};

fn numbers(frame: &Frame, column: usize) -> &[f64] {
    match &frame.columns()[column] {
        Column::Numeric(values) => values,
        Column::Categorical { .. } => unreachable!(),
    }
}

fn codes(frame: &Frame, column: usize) -> &[u32] {
    match &frame.columns()[column] {
        Column::Categorical { codes, .. } => codes,
        Column::Numeric(_) => unreachable!(),
    }
}

/// A category of three, a number around 100 times it (missing in every fourth record of category 1, always in
/// category 2), and a number of whole years.
fn frame(n: usize) -> Frame {
    let mut coins = SeededCoins::new(39);
    let (mut kind, mut amount, mut years) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..n {
        let own = (row % 3) as u32;
        kind.push(own);
        let value = 100.0 * f64::from(own) + coins.normal().unwrap();
        amount.push(if own == 2 || (own == 1 && row % 4 == 0) { f64::NAN } else { value });
        years.push((40.0 + 10.0 * coins.normal().unwrap()).round());
    }
    let kind = Column::Categorical { codes: kind, categories: 4 };
    Frame::new(vec![kind, Column::Numeric(amount), Column::Numeric(years)]).unwrap()
}

fn plan(columns: Vec<usize>, options: Cart) -> Plan {
    Plan::partial(columns, Method::Cart(options)).copies(2)
}

#[test]
fn draws_follow_the_leaf() {
    let original = frame(1200);
    let made = synthesize(&original, &plan(vec![1], Cart::default()), &mut SeededCoins::new(1)).unwrap();
    for copy in &made.copies {
        assert_eq!(codes(copy, 0), codes(&original, 0));
        let (mut missing, mut ones) = (0, 0);
        for (&kind, value) in codes(copy, 0).iter().zip(numbers(copy, 1)) {
            match kind {
                0 => assert!(value.abs() < 6.0),
                1 => {
                    ones += 1;
                    missing += usize::from(value.is_nan());
                    assert!(value.is_nan() || (value - 100.0).abs() < 6.0);
                }
                _ => assert!(value.is_nan()),
            }
        }
        // A quarter is missing; trees may find the pattern of every fourth nowhere. False alarm: 1e-6 for both copies.
        let deviation = (2.0 * 0.25 * 0.75 / f64::from(ones)).sqrt();
        assert_mean(f64::from(u32::try_from(missing).unwrap()) / f64::from(ones), 0.25, deviation, 2);
    }
    let Model::Tree { presence: Some(presence), values: Some(values) } = made.models[0].model else {
        panic!("{:?}", made.models)
    };
    assert!(presence.smallest_leaf >= 10 && values.smallest_leaf >= 10 && values.leaves > 10);
    assert_eq!(made.models[0].decimals, None);
}

#[test]
fn smoothing_repeats_no_value_of_one_record() {
    let original = frame(600);
    let known = numbers(&original, 1);
    for smooth in [true, false] {
        let options = Cart { smooth, ..Cart::default() };
        let made = synthesize(&original, &plan(vec![1, 2], options), &mut SeededCoins::new(2)).unwrap();
        let drawn = numbers(&made.copies[1], 1).iter().filter(|value| !value.is_nan());
        let repeated = drawn.clone().filter(|value| known.contains(value)).count();
        assert_eq!(repeated, if smooth { 0 } else { drawn.count() });
        // Missing values are many records'.
        assert_eq!(made.statistics.columns[0].of_one_record > 0.3, !smooth);
        // Whole years stay whole and within their range.
        assert_eq!(made.models[1].decimals, Some(0));
        let years = numbers(&original, 2);
        let (low, high) = years.iter().fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(*v), b.max(*v)));
        assert!(numbers(&made.copies[0], 2).iter().all(|v| v.fract() == 0.0 && (low..=high).contains(v)));
    }
    let unrounded = plan(vec![2], Cart::default()).round(false);
    let made = synthesize(&original, &unrounded, &mut SeededCoins::new(2)).unwrap();
    assert!(numbers(&made.copies[0], 2).iter().any(|value| value.fract() != 0.0));
    assert_eq!(made.models[0].decimals, None);
}

/// Made numbers have as many decimals as those of their column, however many these are, and those of all records where
/// only some are made: the others are published beside them as they were.
#[test]
fn decimals_are_those_of_the_column() {
    for places in [0u8, 2, 7, 11] {
        let unit = 10f64.powi(-i32::from(places));
        let values: Vec<f64> =
            (0..300).map(|row| to_decimals(f64::from(row * row % 211) * unit, places)).collect();
        let original = Frame::new(vec![Column::Numeric(values.clone())]).unwrap();
        let plans = [
            Plan::full(200, Method::Cart(Cart::default())).copies(2),
            plan(vec![0], Cart::default()),
            plan(vec![0], Cart::default()).only((0..300).filter(|row| row % 2 == 0).collect()),
        ];
        for plan in plans {
            let made = synthesize(&original, &plan, &mut SeededCoins::new(7)).unwrap();
            assert_eq!(made.models[0].decimals, Some(places));
            for copy in &made.copies {
                assert!(numbers(copy, 0).iter().all(|value| to_decimals(*value, places) == *value));
            }
            // 211 values at most for 300 records, so some come out again, and that is told.
            assert!(made.statistics.columns[0].by_chance > 0.0, "{places} decimals");
        }
    }
    // The records that are made are whole numbers, the others are not.
    let values: Vec<f64> =
        (0..100).map(|row| if row < 60 { f64::from(row) } else { f64::from(row) + 0.125 }).collect();
    let original = Frame::new(vec![Column::Numeric(values.clone())]).unwrap();
    let some = plan(vec![0], Cart::default()).only((0..60).collect());
    let made = synthesize(&original, &some, &mut SeededCoins::new(7)).unwrap();
    assert_eq!(made.models[0].decimals, Some(3));
    assert!(made.copies.iter().all(|copy| numbers(copy, 0)[60..] == values[60..]));
}

/// Smoothing leaves means as they are, also of skewed columns: 4000 exponential numbers in twenty copies. Weights and draws vary by
/// the variance of a leaf, which is at most that of the column, over n each. False alarm: 1e-6.
#[test]
fn smoothing_keeps_the_mean() {
    let (n, copies) = (4000, 20);
    let mut coins = SeededCoins::new(11);
    let mut draw =
        |scale: f64| -> Vec<f64> { (0..n).map(|_| -scale * coins.unit().unwrap().max(1e-12).ln()).collect() };
    let (x, y) = (draw(1.0), draw(1000.0));
    let mean = y.iter().sum::<f64>() / n as f64;
    let variance = y.iter().map(|own| (own - mean).powi(2)).sum::<f64>() / n as f64;
    let original = Frame::new(vec![Column::Numeric(x), Column::Numeric(y)]).unwrap();
    let made =
        synthesize(&original, &plan(vec![1], Cart::default()).copies(copies), &mut SeededCoins::new(12))
            .unwrap();
    let drawn: f64 = made.copies.iter().flat_map(|copy| numbers(copy, 1)).sum::<f64>() / (n * copies) as f64;
    assert_mean(drawn, mean, (2.0 * variance / (n * copies) as f64).sqrt(), 1);
}

/// A value that half of the records have is repeated about as often, also with smoothing: between equal values there is no
/// gap. With k records of which h have the value, all but the one beside the next value give it. False alarm: 1e-6.
#[test]
fn atoms_stay() {
    let (n, h) = (400, 200);
    let values: Vec<f64> =
        (0..n).map(|row| if row < h { 0.0 } else { 1.0 + f64::from(row as u32).sqrt() }).collect();
    let original = Frame::new(vec![Column::Numeric(values)]).unwrap();
    let made =
        synthesize(&original, &plan(vec![0], Cart::default()).copies(1), &mut SeededCoins::new(3)).unwrap();
    let zeros = numbers(&made.copies[0], 0).iter().filter(|value| **value == 0.0).count();
    let p = (h as f64 - 1.0) / n as f64;
    // The weights vary by p(1−p)/n, the draws by as much again.
    assert_mean(zeros as f64 / n as f64, p, (2.0 * p * (1.0 - p) / n as f64).sqrt(), 1);
}

/// Fully synthetic: joint shares of two dependent categories, and means of a number within them. Each is a mean over draws
/// from a Bayesian bootstrap: its variance is the sum of the two. False alarm: 1e-6 for all 8.
#[test]
fn a_full_synthesis_keeps_dependence() {
    let (n, made) = (4000usize, 6000usize);
    let mut coins = SeededCoins::new(40);
    let (mut a, mut b, mut x) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..n {
        let own = coins.below(2).unwrap() as u32;
        let other = if coins.chance(0.8).unwrap() { own } else { 1 - own };
        a.push(own);
        b.push(other);
        x.push(f64::from(2 * own + other) + 0.1 * coins.normal().unwrap());
    }
    let category = |codes: &[u32]| Column::Categorical { codes: codes.to_vec(), categories: 2 };
    let original = Frame::new(vec![Column::Numeric(x), category(&a), category(&b)]).unwrap();
    let plan = Plan {
        scope: crate::synthetic::Scope::Full { records: made, order: vec![2, 0, 1] },
        ..Plan::full(0, Method::Cart(Cart::default())).copies(1)
    };
    let drawn = synthesize(&original, &plan, &mut coins).unwrap();
    let cell = |frame: &Frame, own: u32, other: u32| -> Vec<f64> {
        let rows = numbers(frame, 0).iter().zip(codes(frame, 1)).zip(codes(frame, 2));
        rows.filter(|((_, a), b)| (**a, **b) == (own, other)).map(|((x, _), _)| *x).collect()
    };
    for (own, other) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let (was, is) = (cell(&original, own, other), cell(&drawn.copies[0], own, other));
        let share = was.len() as f64 / n as f64;
        let spread = share * (1.0 - share) * (1.0 / n as f64 + 1.0 / made as f64);
        assert_mean(is.len() as f64 / made as f64, share, spread.sqrt(), 8);
        let ((mean, variance), (found, _)) = (moments(&was), moments(&is));
        assert_mean(found, mean, (variance * (1.0 / was.len() as f64 + 1.0 / is.len() as f64)).sqrt(), 8);
    }
    assert_eq!(drawn.models.iter().map(|model| model.column).collect::<Vec<_>>(), [2, 0, 1]);
    assert_eq!(drawn.statistics.columns[0].equal, None);
}

#[test]
fn only_chosen_records_are_made() {
    let original = frame(300);
    let chosen: Vec<u32> = (0..300).filter(|row| row % 5 == 0).collect();
    let plan = plan(vec![2, 0], Cart::default()).only(chosen.clone());
    let made = synthesize(&original, &plan, &mut SeededCoins::new(1)).unwrap();
    for (row, (a, b)) in numbers(&made.copies[0], 2).iter().zip(numbers(&original, 2)).enumerate() {
        assert!(a == b || chosen.contains(&(row as u32)));
    }
    assert_ne!(numbers(&made.copies[0], 2), numbers(&original, 2));
    assert_eq!(made.statistics.columns[0].made, 120);
}

#[test]
fn threads_do_not_matter() {
    let original = frame(400);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let plan = Plan::full(500, Method::Cart(Cart::default()));
        pool.install(|| synthesize(&original, &plan, &mut SeededCoins::new(1)).unwrap())
    };
    let (one, four) = (run(1), run(4));
    assert_eq!(format!("{one:?}"), format!("{four:?}"));
    assert_ne!(format!("{:?}", one.copies[0]), format!("{:?}", one.copies[1]));
    let plan = Plan::full(5, Method::Cart(Cart::default()));
    let made = synthesize(&original, &plan, &mut OsCoins::new()).unwrap();
    assert_eq!(made.source, crate::Source::OperatingSystem);
}

#[test]
fn edges() {
    let coins = &mut SeededCoins::new(1);
    // One record; a constant; all missing; no category at all.
    let one = Frame::new(vec![
        Column::Numeric(vec![4.0]),
        Column::Numeric(vec![f64::NAN]),
        Column::Categorical { codes: vec![MISSING], categories: 0 },
        Column::Categorical { codes: vec![2], categories: 3 },
    ])
    .unwrap();
    let made = synthesize(&one, &Plan::full(3, Method::Cart(Cart::default())).copies(1), coins).unwrap();
    let copy = &made.copies[0];
    assert_eq!(
        (numbers(copy, 0), codes(copy, 2), codes(copy, 3)),
        (&[4.0; 3][..], &[MISSING; 3][..], &[2; 3][..])
    );
    assert!(numbers(copy, 1).iter().all(|value| value.is_nan()));
    assert!(matches!(made.models[1].model, Model::Tree { presence: Some(_), values: None }));
    assert_eq!(made.statistics.copied_records, 1.0);
    for options in [Cart { min_leaf: 1, ..Cart::default() }, Cart { max_depth: 0, ..Cart::default() }] {
        let found = synthesize(&one, &plan(vec![0], options), coins);
        assert!(matches!(found, Err(SyntheticError::Parameter { .. })));
    }
    // Numbers at the ends of what is possible.
    let wide = Frame::new(vec![Column::Numeric(vec![1e100, -1e100, 1e-100, 0.0, -0.0, 5.0])]).unwrap();
    let options = Cart { min_leaf: 2, ..Cart::default() };
    let made = synthesize(&wide, &plan(vec![0], options), coins).unwrap();
    assert!(numbers(&made.copies[0], 0).iter().all(|value| value.abs() <= 1e100));
}
