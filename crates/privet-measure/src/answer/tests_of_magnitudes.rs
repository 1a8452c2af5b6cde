//! Numbers of every magnitude: from 2^53 on they lie more than 1 apart, and the length of a range may be no number at all.

use foldhash::HashMap;
use privet_data::{Domain, Kind};
use proptest::prelude::*;

use super::*;

/// One record each with a label that stands for such values.
fn release(kind: Kind, regions: &[Values]) -> Records {
    let column = AnswerColumn {
        name: "a".into(),
        kind,
        labels: (0..regions.len()).map(|label| format!("l{label}").into()).collect(),
        regions: regions.iter().map(|own| Region { values: own.clone(), or_missing: false }).collect(),
        values: Domain::from_sorted(Vec::new(), 0, kind),
        named: HashMap::default(),
        weights: Vec::new(),
        exclusive: false,
        ambiguous: false,
        cells: AnswerCells::PerRecord((0..regions.len() as u32).collect()),
    };
    Records { columns: vec![column], rows: regions.len(), group_of: Vec::new(), suppressed: 0 }
}

fn range(from: f64, to: f64, whole: bool) -> Values {
    Values::Range { from, to, open: false, whole, spread: None }
}

fn bounds(release: &Records, text: &str) -> (f64, f64) {
    let answer = release.answer(&Question::parse(text).unwrap()).unwrap();
    let own = answer.lines[0].estimates[0];
    (own.at_least.unwrap(), own.at_most.unwrap())
}

#[test]
fn constants_beyond_two_to_the_53_cut_labels() {
    let anything = range(f64::NEG_INFINITY, f64::INFINITY, false);
    let mean = Values::Range {
        from: f64::NEG_INFINITY,
        to: f64::INFINITY,
        open: false,
        whole: false,
        spread: Some((2e17, 2e17)),
    };
    let wholes = range(f64::NEG_INFINITY, f64::INFINITY, true);
    for own in [anything, mean, wholes] {
        let release = release(Kind::Decimal, &[own.clone(), own.clone(), own.clone(), own]);
        for text in [
            "a > 9e16",
            "a < -9e16",
            "a < 9e16",
            "a > -9e16",
            "a > 9007199254740992",
            "a > 9e16 and a < 9.1e16",
            "a > -1e308 and a < 1e308",
            "a > 1e308",
            "a < -1e308",
        ] {
            let found = bounds(&release, &format!("select count(*) from data where {text}"));
            assert_eq!(found, (0.0, 4.0), "{text}");
        }
    }
}

#[test]
fn a_range_longer_than_any_number_is_spread_evenly() {
    let own = release(Kind::Decimal, &[range(-1e308, 1e308, false)]);
    let of = |text: &str| {
        let question = Question::parse(&format!("select count(*), sum(a) from data where {text}")).unwrap();
        let estimates = own.answer(&question).unwrap().lines[0].estimates.clone();
        (estimates[0].expected.unwrap(), estimates[1].expected.unwrap())
    };
    assert_eq!(of("a > 0"), (0.5, 0.25e308));
    assert_eq!(of("a >= -1e308"), (1.0, 0.0));
    assert_eq!(bounds(&own, "select count(*) from data where a > 1e308"), (0.0, 0.0));
}

/// Finite numbers over all exponents, and whole ones with both neighbours.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO | prop::num::f64::NEGATIVE,
        (0..1024i32, -2..3i32, any::<bool>()).prop_map(|(exponent, step, negative)| {
            let mut own = 2f64.powi(exponent);
            for _ in 0..step.abs() {
                own = if step < 0 { own.next_down() } else { own.next_up() };
            }
            if negative { -own } else { own }
        }),
        (-5..6i32).prop_map(f64::from),
        Just(f64::MAX),
        Just(f64::MIN),
    ]
}

/// A number near another.
fn beside(number: f64, how: u8) -> f64 {
    let own = match how % 6 {
        0 => number,
        1 => number.next_up(),
        2 => number.next_down(),
        3 => -number,
        4 => number / 2.0,
        _ => number * 2.0,
    };
    if own.is_finite() { own } else { number }
}

fn test(constant: f64, how: usize) -> Condition {
    let literal = Literal::Number(constant, constant.to_string());
    let orders = [Order::Less, Order::AtMost, Order::Greater, Order::AtLeast];
    let (comparison, negated) = match orders.get(how) {
        Some(&order) => (Comparison::Order(order, literal), false),
        None => (Comparison::In(vec![literal]), how > 4),
    };
    Condition::Test(Test { column: "a".into(), comparison, negated })
}

fn holds(condition: &Condition, own: f64) -> bool {
    let number = |literal: &Literal| match literal {
        Literal::Number(number, _) => *number,
        Literal::Text(_) => unreachable!(),
    };
    match condition {
        Condition::All(parts) => parts.iter().all(|part| holds(part, own)),
        Condition::Any(parts) => parts.iter().any(|part| holds(part, own)),
        Condition::Test(test) => match &test.comparison {
            Comparison::Order(order, literal) => order.holds(own.partial_cmp(&number(literal)).unwrap()),
            Comparison::In(list) => list.iter().any(|literal| number(literal) == own) != test.negated,
            _ => unreachable!(),
        },
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Whatever stands behind a label lies within the bounds.
    #[test]
    fn bounds_hold_for_numbers_of_every_magnitude(
        (center, other, value) in (number(), number(), 0..8u8),
        (from, to) in (0..8u8, 0..8u8),
        (whole, open, spread, all) in any::<(bool, bool, bool, bool)>(),
        tests in prop::collection::vec((0..8u8, 0..6usize, any::<bool>()), 1..4),
    ) {
        let of = |how: u8| if how < 6 { beside(center, how) } else { other };
        let end = |how: u8, open: f64| if how == 7 { open } else { of(how) };
        let (from, to) = (end(from, f64::NEG_INFINITY), end(to, f64::INFINITY));
        let value = if whole { of(value).round() } else { of(value) };
        let (from, to) = (from.min(value), to.max(value));
        let open = open && value < to;
        let values = Values::Range { from, to, open, whole, spread: spread.then_some((value, value)) };
        let kind = if whole { Kind::Integer } else { Kind::Decimal };
        let parts: Vec<Condition> =
            tests.into_iter().map(|(at, how, far)| test(if far { other } else { of(at) }, how)).collect();
        let filter = if all { Condition::All(parts) } else { Condition::Any(parts) };
        let output = |aggregate| Output { aggregate, name: String::new() };
        let select = vec![output(Aggregate::Count), output(Aggregate::Sum("a".into()))];
        let question = Question { table: "data".into(), select, filter: filter.clone(), group_by: vec![] };
        let estimates = release(kind, &[values]).answer(&question).unwrap().lines[0].estimates.clone();
        let is_in = holds(&filter, value);
        let truths = [f64::from(u8::from(is_in)), if is_in { value } else { 0.0 }];
        for (own, truth) in estimates.iter().zip(truths) {
            prop_assert!(own.at_least.is_none_or(|least| least <= truth), "{own:?} {truth}");
            prop_assert!(own.at_most.is_none_or(|most| most >= truth), "{own:?} {truth}");
        }
        if let Some(expected) = estimates[0].expected {
            prop_assert!((0.0..=1.0 + 1e-9).contains(&expected), "{expected}");
        }
    }
}
