//! (c,k)-safety against the numbers of the survey, and against all worlds and all knowledge of small tables.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::testing::{Sample, build_one, column};

fn told(k: usize, classes: &[Vec<u32>]) -> Summaries {
    let names: Vec<String> = (0..64).map(|i| i.to_string()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let requirement = json!({"criterion": "c-k-safety", "c": 1.0, "k": k});
    let criterion = build_one(requirement, &column(&names, &[1; 64])).unwrap();
    let mut told = Summaries::default();
    for class in classes {
        Sample::of(class).ask(|class| told.add(&*criterion, class));
    }
    told
}

fn reached(k: usize, classes: &[Vec<u32>]) -> Vec<f64> {
    Knowledge { atoms: k + 1 }.together(&told(k, classes))
}

fn largest(k: usize, classes: &[Vec<u32>]) -> f64 {
    reached(k, classes).into_iter().fold(0.0, f64::max)
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

#[test]
fn survey_pm12_goldens() {
    let (first, second) = (vec![1, 1, 1, 1], vec![2, 1, 0, 1]);
    let fx_1_3 = [first.clone(), second.clone(), vec![3, 1, 0, 0]];
    for (k, expected) in [(0, 0.5), (1, 0.75), (2, 1.0)] {
        assert!(near(largest(k, &[first.clone(), second.clone()]), expected), "k = {k}");
        assert!(near(largest(k, &[vec![2, 1, 1, 1], vec![1, 2, 1, 0]]), expected), "k = {k}");
    }
    for (k, expected) in [(0, 0.75), (1, 1.0)] {
        assert!(near(largest(k, &fx_1_3), expected), "FX-1.3, k = {k}");
    }
}

#[test]
fn survey_th09_two_safe_classes_are_not_safe_together() {
    let (one, two) = (vec![4, 4, 1, 1, 0], vec![5, 3, 1, 1, 1]);
    assert!(near(largest(2, std::slice::from_ref(&one)), 4.0 / 5.0));
    assert!(near(largest(2, std::slice::from_ref(&two)), 15.0 / 19.0));
    assert!(near(largest(2, &[one, two]), 25.0 / 31.0));
}

/// Judged alone, two classes may be safe that their union is not, so a proof must speak of tables. Together they are
/// no safer than the union.
#[test]
fn classes_that_are_judged_alone_are_not_closed_under_merging() {
    let with = |first: u32, second: u32, ones: usize| [vec![first, second], vec![1; ones]].concat();
    let (one, two) = (with(2500, 2500, 5000), with(2750, 2006, 5244));
    let union = with(5250, 4506, 10_244);
    let alone = |class: &Vec<u32>| largest(3, std::slice::from_ref(class));
    assert!(alone(&one) < 0.500_03 && alone(&two) < 0.500_03 && alone(&union) > 0.500_15);
    assert!(largest(3, &[one, two]) > alone(&union));
}

#[test]
fn classes_at_the_edges() {
    assert!(reached(2, &[]).is_empty());
    assert_eq!(reached(0, &[vec![0, 0]]), [0.0]);
    assert_eq!(reached(3, &[vec![0, 0], vec![7, 0]]), [0.0, 1.0]);
    // One class without records changes nothing.
    assert_eq!(reached(1, &[vec![2, 1, 1], vec![0, 0, 0]])[0], reached(1, &[vec![2, 1, 1]])[0]);
    let huge = vec![u32::MAX; 40];
    assert!(reached(20, &[huge.clone(), huge]).iter().all(|&chance| chance > 0.0 && chance <= 1.0));
}

/// All ways to hand the values of a class to its people.
fn worlds(counts: &[u32]) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..counts.iter().sum() {
        let mut longer = Vec::new();
        for world in &all {
            let used = |value: usize| world.iter().filter(|&&other| other == value).count() as u32;
            let left = (0..counts.len()).filter(|&value| used(value) < counts[value]);
            longer.extend(left.map(|value| [&world[..], &[value]].concat()));
        }
        all = longer;
    }
    all
}

/// A table as the worlds that fit it: per atom (a person has a value) the worlds in which it holds, and the class of
/// its person.
struct Worlds {
    all: u64,
    atoms: Vec<(usize, u64)>,
}

impl Worlds {
    fn of(classes: &[Vec<u32>]) -> Option<Self> {
        let mut all: Vec<Vec<usize>> = vec![Vec::new()];
        for class in classes {
            let here = worlds(class);
            all = all.iter().flat_map(|a| here.iter().map(move |b| [&a[..], &b[..]].concat())).collect();
        }
        if all.len() > 63 {
            return None;
        }
        let class_of = classes.iter().enumerate();
        let class_of = class_of.flat_map(|(class, counts)| vec![class; counts.iter().sum::<u32>() as usize]);
        let atoms = class_of.enumerate().flat_map(|(person, class)| {
            let holds = |value: usize| {
                let worlds = all.iter().enumerate().filter(move |(_, world)| world[person] == value);
                worlds.fold(0u64, |set, (number, _)| set | 1 << number)
            };
            (0..classes[class].len()).map(move |value| (class, holds(value))).collect::<Vec<_>>()
        });
        Some(Self { all: (1 << all.len()) - 1, atoms: atoms.collect() })
    }

    /// Per class the largest chance of an atom given any of these pieces of knowledge.
    fn largest(&self, knowledge: &BTreeSet<u64>, classes: usize) -> Vec<f64> {
        let mut most = vec![0.0f64; classes];
        for known in knowledge.iter().filter(|known| **known != 0) {
            for (class, holds) in &self.atoms {
                let chance = f64::from((known & holds).count_ones()) / f64::from(known.count_ones());
                most[*class] = most[*class].max(chance);
            }
        }
        most
    }

    /// The definition: whatever k implications with one or two atoms on each side tell, the consequents joined with
    /// "or" or with "and" (ERR-6).
    fn by_definition(&self, k: usize, and: bool, classes: usize) -> Vec<f64> {
        let sides = |join: fn(u64, u64) -> u64| -> BTreeSet<u64> {
            let atoms = || self.atoms.iter().map(|atom| atom.1);
            atoms().flat_map(|a| atoms().map(move |b| join(a, b))).collect()
        };
        let (antecedents, consequents) =
            (sides(|a, b| a & b), sides(if and { |a, b| a & b } else { |a, b| a | b }));
        let one: BTreeSet<u64> =
            antecedents.iter().flat_map(|a| consequents.iter().map(move |c| (!a | c) & self.all)).collect();
        let mut known = BTreeSet::from([self.all]);
        for _ in 0..k {
            let mut seen = known.clone();
            for before in &known {
                seen.extend(one.iter().map(|implication| before & implication));
            }
            known = seen;
        }
        self.largest(&known, classes)
    }
}

fn class(people: std::ops::Range<usize>, values: usize) -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(0..values, people).prop_map(move |people| {
        (0..values).map(|v| people.iter().filter(|&&p| p == v).count() as u32).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// One implication of up to two atoms a side, all worlds: what every class reaches, in both readings.
    #[test]
    fn one_implication_against_all_worlds(one in class(2..5, 3), two in class(1..4, 3)) {
        let classes = [one, two];
        let Some(worlds) = Worlds::of(&classes) else { return Err(TestCaseError::reject("the case does not arise")) };
        for (k, and) in [(0, false), (1, false), (1, true)] {
            let (found, expected) = (reached(k, &classes), worlds.by_definition(k, and, 2));
            for (found, expected) in found.iter().zip(&expected) {
                prop_assert!(near(*found, *expected), "k = {}, {:?}: {} by worlds {}", k, classes, found, expected);
            }
        }
    }

    /// Two of them, on tables of few worlds.
    #[test]
    fn two_implications_against_all_worlds(one in class(2..5, 3), two in class(1..3, 2)) {
        let classes = [one, two];
        let Some(worlds) = Worlds::of(&classes).filter(|worlds| worlds.all < 1 << 12) else { return Err(TestCaseError::reject("the case does not arise")) };
        for and in [false, true] {
            let (found, expected) = (reached(2, &classes), worlds.by_definition(2, and, 2));
            for (found, expected) in found.iter().zip(&expected) {
                prop_assert!(near(*found, *expected), "{:?}: {} by worlds {}", classes, found, expected);
            }
        }
    }

    /// In one class, over all sets of up to four atoms: the chance that none holds is never less.
    #[test]
    fn the_least_chance_against_all_sets_of_atoms(class in class(1..6, 4)) {
        let Some(worlds) = Worlds::of(std::slice::from_ref(&class)) else { return Err(TestCaseError::reject("the case does not arise")) };
        let told = told(3, std::slice::from_ref(&class));
        let mut none = BTreeSet::from([worlds.all]);
        for atoms in 1..=4 {
            none = none.iter().flat_map(|none| worlds.atoms.iter().map(move |(_, holds)| none & !holds)).collect();
            let least = none.iter().map(|none| none.count_ones()).min().unwrap_or(0);
            let expected = f64::from(least) / f64::from(worlds.all.count_ones());
            prop_assert!(near(told.of(0)[atoms], expected), "{:?} with {} atoms: {} and {}", class, atoms, told.of(0)[atoms], expected);
        }
    }
}

/// All ways to divide atoms among classes, one by one.
fn divide(told: &Summaries, host: usize, class: usize, atoms: usize) -> f64 {
    if class == told.len() {
        return if atoms == 0 { 1.0 } else { f64::INFINITY };
    }
    let here = usize::from(class == host)..=atoms;
    let chances = here.map(|here| {
        let none = if here == 0 { 1.0 } else { told.of(class)[here] };
        none * divide(told, host, class + 1, atoms - here)
    });
    chances.filter(|chance| !chance.is_nan()).fold(f64::INFINITY, f64::min)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// A few classes stand for all: the same as dividing the atoms among all classes in all ways.
    #[test]
    fn few_classes_stand_for_all(classes in prop::collection::vec(prop::collection::vec(0u32..9, 6), 1..9), k in 0usize..5) {
        let classes: Vec<Vec<u32>> = classes.into_iter().filter(|class| class.iter().any(|&c| c > 0)).collect();
        let told = told(k, &classes);
        for (host, found) in reached(k, &classes).into_iter().enumerate() {
            let expected = breach(told.of(host)[0], divide(&told, host, 0, k + 1));
            prop_assert!(near(found, expected), "k = {}, {:?}: {} and {}", k, classes, found, expected);
        }
    }

    /// A table that is generalized is no less safe, and neither is one from which classes are taken.
    #[test]
    fn coarser_tables_and_fewer_classes_are_no_less_safe(
        classes in prop::collection::vec(prop::collection::vec(0u32..30, 7), 2..6), k in 0usize..5,
    ) {
        let classes: Vec<Vec<u32>> = classes.into_iter().filter(|class| class.iter().any(|&c| c > 0)).collect();
        prop_assume!(classes.len() > 1);
        let merged: Vec<u32> = classes[0].iter().zip(&classes[1]).map(|(a, b)| a + b).collect();
        let coarser = [&[merged], &classes[2..]].concat();
        prop_assert!(largest(k, &coarser) <= largest(k, &classes) + 1e-12, "k = {}, {:?}", k, classes);
        let (all, fewer) = (reached(k, &classes), reached(k, &classes[1..]));
        for (fewer, all) in fewer.iter().zip(&all[1..]) {
            prop_assert!(*fewer <= all + 1e-12);
        }
    }

    /// Only the number of records and the k + 1 largest counts of a class matter.
    #[test]
    fn rare_values_are_alike(mut class in prop::collection::vec(1u32..9, 6..9), k in 0usize..4) {
        class.sort_unstable_by(|a, b| b.cmp(a));
        let rest: u32 = class[k + 1..].iter().sum();
        let least = class[k];
        let mut other = class[..=k].to_vec();
        let mut left = rest;
        while left > 0 {
            other.push(left.min(least));
            left -= left.min(least);
        }
        prop_assert!(near(largest(k, &[class]), largest(k, &[other])));
    }
}
