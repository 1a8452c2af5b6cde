use privet_data::Silent;
use proptest::prelude::*;

use super::*;
use crate::worlds::fixtures::*;
use crate::worlds::{Worlds, parse_knowledge};

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

fn has(person: u32, value: u32) -> Statement {
    Statement::Has { person, value }
}

fn not(statement: Statement) -> Statement {
    Statement::Not(Box::new(statement))
}

/// survey FX-1.2: 1/4 of 12 worlds, 1/3 of 9, 1/2 of 4. Eshwar is 4 and Fox 5.
#[test]
fn survey_fx12_goldens() {
    let table = table_1_2();
    let none = posterior(&table, &[], 1, &Silent).unwrap();
    assert!(near(none.beliefs.chance(4, CA), 0.25) && none.worlds == Some((1, 1)));
    let person = |name: &str| ["Eshwar", "Fox"].iter().position(|n| *n == name).map(|p| p as u32 + 4);
    let value = |text: &str| {
        let names = ["Heart disease", "Viral infection", "Cancer", "Flu"];
        names.iter().position(|n| *n == text).map(|p| p as u32)
    };
    let mut knowledge = parse_knowledge("Eshwar != \"Heart disease\"\nFox = Flu", &person, &value).unwrap();
    let both = posterior(&table, &knowledge, 100, &Silent).unwrap();
    assert!(near(both.beliefs.chance(4, CA), 0.5));
    assert_eq!(both.worlds, Some((12, 4)));
    knowledge.pop();
    let one = posterior(&table, &knowledge, 100, &Silent).unwrap();
    assert!(near(one.beliefs.chance(4, CA), 1.0 / 3.0) && near(one.evidence, 0.75f64.ln()));
    assert_eq!(one.worlds, Some((12, 9)));
    // Other classes are as they were.
    assert!(near(one.beliefs.chance(0, HD), 0.5));
}

/// survey AT-03: in a class of heart disease and viral infections, Cary (2) has no heart disease.
#[test]
fn survey_at03_background_knowledge() {
    let found = posterior(&table_1_2(), &[not(has(2, HD))], 100, &Silent).unwrap();
    assert_eq!(found.beliefs.most_likely(2), Some((VI, 1.0)));
    assert!(near(found.beliefs.chance(0, HD), 2.0 / 3.0));
}

#[test]
fn contradictions_strangers_and_limits() {
    let table = table_1_2();
    let conflict = posterior(&table, &[has(4, VI)], 100, &Silent).unwrap_err();
    assert_eq!(conflict, WorldsError::Conflict);
    let conflict = posterior(&table, &[Statement::Or(vec![])], 100, &Silent).unwrap_err();
    assert_eq!(conflict, WorldsError::Conflict);
    let stranger = posterior(&table, &[has(4, CA), has(99, CA)], 100, &Silent).unwrap_err();
    assert_eq!(stranger, WorldsError::NotInRelease { statement: 2 });
    let many = Statement::Or(vec![has(0, HD), has(4, CA), has(5, FLU)]);
    assert_eq!(posterior(&table, &[many], 3, &Silent).unwrap_err(), WorldsError::TooMany { limit: 3 });
    assert!(posterior(&buckets(&[]), &[], 0, &Silent).unwrap().beliefs.people().is_empty());
}

/// A class of 2000 people, and 30 of them known: the rest share what is left.
#[test]
fn large_classes_are_not_gone_through() {
    let values: Vec<u32> = (0..2000).map(|i| i % 4).collect();
    let table = buckets(&[&values, &[0, 1]]);
    let mut knowledge: Vec<Statement> =
        (0..30).map(|person| has(person, 1)).chain([not(has(40, 0))]).collect();
    let found = posterior(&table, &knowledge, 1000, &Silent).unwrap();
    assert!(near(found.beliefs.chance(40, 1), 470.0 / 1470.0));
    let rest = found.beliefs.chance(1999, 0);
    assert!(near(rest, 500.0 / 1969.0), "{rest}");
    assert!(found.worlds.is_none(), "too many to count");
    // Nearly everybody known: the chance of that is far below the smallest number.
    knowledge.extend((41..1999).map(|person| has(person, (person + 2) % 4)));
    let error = posterior(&table, &knowledge, 100_000, &Silent).map(|found| found.evidence);
    assert_eq!(error, Err(WorldsError::Conflict), "too many have 1");
    let known: Vec<Statement> = (0..1990).map(|person| has(person, person % 4)).collect();
    let found = posterior(&table, &known, 10, &Silent).unwrap();
    assert!(near(found.beliefs.chance(1995, 2), 0.3) && found.evidence < -2000.0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// survey TH-08: in a recursively (c,l)-diverse class no l - 2 negations about a person raise a chance to
    /// c / (c + 1); in a class that is not, some do.
    #[test]
    fn survey_th08_negations(values in prop::collection::vec(0u32..4, 2..8), l in 2usize..4, halves in 1u32..8) {
        let c = f64::from(halves) / 2.0;
        let table = buckets(&[&values]);
        let mut ranked: Vec<f64> = table.list()[0].counts().iter().map(|&(_, count)| f64::from(count)).collect();
        ranked.sort_by(|a, b| b.total_cmp(a));
        let diverse = ranked[0] < c * ranked[(l - 1).min(ranked.len())..].iter().sum::<f64>();
        let mut most = 0.0f64;
        for denied in 0..4 {
            let knowledge = if l == 2 { vec![] } else { vec![not(has(0, denied))] };
            if let Ok(found) = posterior(&table, &knowledge, 100, &Silent) {
                most = most.max(found.beliefs.most_likely(0).map_or(0.0, |(_, chance)| chance));
            }
        }
        prop_assert_eq!(most < c / (c + 1.0) - 1e-12, diverse, "{} {:?}", most, ranked);
    }
}

fn statements() -> impl Strategy<Value = Statement> {
    let atom = (0u32..6, 0u32..3).prop_map(|(person, value)| has(person, value));
    atom.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(not),
            prop::collection::vec(inner.clone(), 0..3).prop_map(Statement::And),
            prop::collection::vec(inner.clone(), 0..3).prop_map(Statement::Or),
            (inner.clone(), inner).prop_map(|(a, b)| Statement::Implies(Box::new(a), Box::new(b))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Partial worlds with weights say the same as all worlds one by one.
    #[test]
    fn survey_pm11_equals_all_worlds(
        values in prop::collection::vec(prop::collection::vec(0u32..3, 2..4), 3),
        knowledge in prop::collection::vec(statements(), 0..4),
    ) {
        let table = buckets(&values.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let people: usize = values.iter().map(Vec::len).sum();
        let mut worlds = Worlds::new(table.list(), 10_000).unwrap();
        let mut with = vec![[0u32; 3]; people];
        let (mut all, mut fitting) = (0u32, 0u32);
        while let Some(world) = worlds.advance() {
            all += 1;
            if knowledge.iter().all(|k| k.holds(&|p| Some(world[p as usize])) == Some(true)) {
                fitting += 1;
                world.iter().zip(&mut with).for_each(|(&value, with)| with[value as usize] += 1);
            }
        }
        match posterior(&table, &knowledge, 100_000, &Silent) {
            Err(error) => prop_assert!(error == WorldsError::Conflict && fitting == 0),
            Ok(found) => {
                prop_assert!(fitting > 0);
                for (person, with) in (0..).zip(with) {
                    for (value, with) in (0..).zip(with) {
                        let expected = f64::from(with) / f64::from(fitting);
                        let believed = found.beliefs.chance(person, value);
                        prop_assert!(near(believed, expected), "{believed} {expected}");
                    }
                }
                prop_assert!(near(found.evidence, (f64::from(fitting) / f64::from(all)).ln()));
                // The counts leave out the classes that are not mentioned.
                let (own, left) = found.worlds.unwrap();
                prop_assert_eq!(own * u128::from(fitting), left * u128::from(all));
            }
        }
    }
}
