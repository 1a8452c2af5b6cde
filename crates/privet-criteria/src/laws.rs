//! What every criterion must keep, checked for all of them on random classes: what it says of merging is true
//! (survey TH-09, papers T-TH7, T-TH8, L-TH6, L-TH7, thesis section 4), its bound on suppression is never too
//! large, and what a class reaches agrees with whether it holds.

use privet_data::Hierarchy;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::testing::{Column, Sample, column};
use crate::{
    Better, Criterion, DistanceKind, Joint, Merging, Requirement, Summaries, build, judge_together, statement,
};

/// Requirements on column `a`, with the field that `reached` speaks of.
fn requirements() -> Vec<(Value, &'static str)> {
    let mut all = Vec::new();
    let mut add = |key: &str, parameter: &'static str, fields: Value| {
        let mut requirement = fields;
        requirement["criterion"] = json!(key);
        if !matches!(key, "k-anonymity" | "delta-presence" | "k-map") {
            requirement["column"] = json!("a");
        }
        all.push((requirement, parameter));
    };
    for k in [1, 3, 6] {
        add("k-anonymity", "k", json!({"k": k}));
        add("k-map", "k", json!({"k": k, "population": "p"}));
    }
    for alpha in [0.3, 0.5, 0.75] {
        add("alpha-k", "alpha", json!({"alpha": alpha, "k": 3}));
        add("alpha-k", "alpha", json!({"alpha": alpha, "k": 2, "values": ["1", "4"]}));
    }
    for l in [1, 2, 3, 4] {
        add("l-diversity", "l", json!({"l": l}));
        add("l-diversity", "l", json!({"l": l, "multi-attribute": true}));
        add("concept-diversity", "l", json!({"l": l.min(3), "concepts": {"x": ["1", "2"]}}));
        add("proximity-diversity", "l", json!({"l": l.min(3), "width": 1.0}));
    }
    for l in [1.0f64, 1.5, 2.0, 2.7, 3.0] {
        add("l-diversity", "l", json!({"l": l, "kind": "entropy"}));
        add("l-diversity", "l", json!({"l": l, "kind": "entropy", "multi-attribute": true}));
        add(
            "concept-diversity",
            "l",
            json!({"l": l.min(2.0), "kind": "entropy", "concepts": {"x": ["1", "2"]}}),
        );
        add("proximity-diversity", "l", json!({"l": l, "width": 1.0, "kind": "neighbourhood"}));
    }
    for c in [0.5, 1.0, 2.0] {
        for l in [1, 2, 3] {
            add("l-diversity", "c", json!({"l": l, "c": c, "kind": "recursive"}));
            add("l-diversity", "c", json!({"l": l, "c": c, "kind": "recursive", "multi-attribute": true}));
            add("l-diversity", "c", json!({"l": l, "c": c, "kind": "positive-disclosure", "allowed": ["2"]}));
            let negative = json!({"l": l, "c": c, "kind": "negative-positive-disclosure", "allowed": ["2"], "c2": 20.0,
                                  "protected": ["1", "4"]});
            add("l-diversity", "c", negative);
        }
        add(
            "concept-diversity",
            "c",
            json!({"l": 2, "c": c, "kind": "recursive", "concepts": {"x": ["1", "2"]}}),
        );
    }
    let categories = json!([["1"], ["2", "4"], ["8"]]);
    for p in [1, 2, 3] {
        add("p-sensitivity", "p", json!({"p": p, "k": 3}));
        add("p-sensitivity", "p", json!({"p": p, "k": 2, "plus": true, "categories": categories}));
        add("p-sensitivity", "p", json!({"p": p, "k": 2, "alpha": 1.5, "categories": categories}));
        let weights = json!({"p": p, "k": 2, "plus": true, "alpha": 2.0, "categories": categories, "weights": [0.5, 1.0, 0.0]});
        add("p-sensitivity", "p", weights);
    }
    for balance in [0.5, 1.0] {
        add("proximity-diversity", "l", json!({"l": 2, "width": 1.0, "balance": balance}));
    }
    for t in [0.0, 0.1, 0.25, 0.5] {
        for kind in ["variational", "equal", "kl", "ordered", "hierarchical", "matrix"] {
            add("t-closeness", "t", json!({"kind": kind, "t": t}));
        }
        let costs = json!([["1", "2", 0.3], ["2", "4", 0.3], ["1", "4", 2.0], ["4", "8", 0.5]]);
        add("t-closeness", "t", json!({"kind": "matrix", "t": t, "costs": costs}));
    }
    for (min, max) in [(0.0, 0.5), (0.0, 1.0), (0.25, 0.75)] {
        add("delta-presence", "max", json!({"min": min, "max": max, "population": "p"}));
    }
    for factor in [0.5, 1.0, 2.0] {
        add("beta-likeness", "beta", json!({"beta": factor}));
        add("beta-likeness", "beta", json!({"beta": factor, "kind": "enhanced"}));
        add("delta-disclosure", "delta", json!({"delta": factor}));
    }
    for (c, k) in [(0.5, 0), (0.7, 1), (0.9, 1), (0.8, 2), (1.0, 2)] {
        add("c-k-safety", "c", json!({"c": c, "k": k}));
    }
    for (l, k, m) in [(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 1), (1, 1, 1)] {
        add("three-d", "c", json!({"l": l, "k": k, "m": m, "c": 0.8}));
    }
    all
}

/// A table of 24 records with two sensitive columns: `a` of four numbers, `b` of two values.
struct Table {
    a: Column,
    b: Column,
    joint: Joint,
}

impl Table {
    fn new() -> Self {
        let labels = |texts: [&str; 4]| texts.map(Box::from).to_vec();
        let levels = vec![labels(["x", "x", "y", "z"]), labels(["u", "u", "u", "v"]), labels(["*"; 4])];
        let tree = Hierarchy::new(labels(["1", "2", "4", "8"]), levels).unwrap();
        let combinations = (0..4).flat_map(|a| [vec![a, 0], vec![a, 1]]).collect();
        Self {
            a: column(&["1", "2", "4", "8"], &[9, 7, 4, 4]).with_hierarchy(tree),
            b: column(&["n", "y"], &[12, 12]),
            joint: Joint { combinations },
        }
    }

    fn build(&self, requirement: &Value) -> Option<Box<dyn Criterion>> {
        let requirement: Requirement = serde_json::from_value(requirement.clone()).unwrap();
        let sensitive = [self.a.as_sensitive("a"), self.b.as_sensitive("b")];
        build(&[requirement], &sensitive, Some(&self.joint), 24).ok().map(|mut criteria| criteria.remove(0))
    }

    fn class(&self, counts: &[u32], population: u64) -> Sample {
        Sample { population, ..Sample::joint(&self.joint.combinations, &[4, 2], counts) }
    }
}

fn any_class(largest: u32) -> impl Strategy<Value = (Vec<u32>, u64)> {
    // Few values at a time, so that both verdicts occur.
    let count = prop_oneof![1 => Just(0), 1 => 0..=largest];
    (prop::collection::vec(count, 8), 0u64..14)
}

/// A class of all values in near proportion to the input, which strict criteria accept.
fn typical_class() -> impl Strategy<Value = (Vec<u32>, u64)> {
    let base = [4u32, 4, 3, 3, 2, 2, 2, 2];
    (prop::collection::vec(0u32..3, 8), 10u64..90).prop_map(move |(noise, population)| {
        (base.iter().zip(noise).map(|(a, b)| a + b).collect(), population)
    })
}

fn class() -> impl Strategy<Value = (Vec<u32>, u64)> {
    prop_oneof![any_class(4), typical_class()]
}

fn holds(criterion: &dyn Criterion, sample: &Sample) -> bool {
    sample.ask(|class| criterion.holds(class))
}

/// What a class that fails must lose at least; one that holds is not asked, and loses nothing.
fn least_suppression(criterion: &dyn Criterion, sample: &Sample) -> u64 {
    sample.ask(|class| if criterion.holds(class) { 0 } else { criterion.least_suppression(class) })
}

/// Per class whether it is kept, when all are judged as a table is: each by itself, then those that hold together.
fn kept(criterion: &dyn Criterion, classes: &[&Sample]) -> Vec<bool> {
    let mut kept: Vec<bool> = classes.iter().map(|class| holds(criterion, class)).collect();
    if !criterion.bucket_independent() {
        let mut told = Summaries::default();
        for (class, _) in classes.iter().zip(&kept).filter(|(_, kept)| **kept) {
            class.ask(|class| told.add(criterion, class));
        }
        let together = judge_together(&[criterion], &[told]);
        for (kept, together) in kept.iter_mut().filter(|kept| **kept).zip(together) {
            *kept = together;
        }
    }
    kept
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn merging_is_what_it_says(a in class(), b in class()) {
        let table = Table::new();
        let (a, b) = (table.class(&a.0, a.1), table.class(&b.0, b.1));
        prop_assume!(a.rows() > 0 && b.rows() > 0);
        let union = a.merge(&b);
        for (requirement, _) in requirements() {
            let criterion = table.build(&requirement).unwrap();
            let kept = kept(&*criterion, &[&a, &b]);
            let (in_a, in_b) = (kept[0], kept[1]);
            let must = match criterion.merging() {
                Merging::Absorbing => in_a || in_b,
                Merging::Closed => in_a && in_b,
                Merging::Arbitrary => false,
            };
            prop_assert!(!must || holds(&*criterion, &union), "{}", requirement);
        }
    }

    /// Cut a class in parts and suppress the failing ones: that removes at least what the bound says.
    #[test]
    fn suppression_is_never_overestimated(parts in prop::collection::vec(class(), 1..5)) {
        let table = Table::new();
        let parts: Vec<Sample> = parts.iter().map(|(counts, population)| table.class(counts, *population)).collect();
        let parts: Vec<Sample> = parts.into_iter().filter(|part| part.rows() > 0).collect();
        prop_assume!(!parts.is_empty());
        let whole = parts.iter().skip(1).fold(parts[0].clone(), |whole, part| whole.merge(part));
        for (requirement, _) in requirements() {
            let criterion = table.build(&requirement).unwrap();
            let kept = kept(&*criterion, &parts.iter().collect::<Vec<_>>());
            let failing: Vec<&Sample> = parts.iter().zip(&kept).filter(|(_, kept)| !**kept).map(|(part, _)| part).collect();
            if criterion.judges_absence() && !failing.is_empty() {
                // Suppression cannot satisfy it.
                continue;
            }
            let removed: u64 = failing.iter().map(|part| part.rows()).sum();
            let bound = least_suppression(&*criterion, &whole);
            prop_assert!(bound <= removed, "{} says {} of {} removed", requirement, bound, removed);
        }
    }

    /// Over all sub-multisets of a small class, the fewest removed records that leave it satisfied.
    #[test]
    fn the_bound_is_below_the_true_minimum(counts in prop::collection::vec(0u32..4, 4), scale in 1u32..3, population in 0u64..14) {
        let table = Table::new();
        // Two sensitive columns, but only four combinations, so that all parts can be enumerated.
        let spread = |c: &[u32]| vec![c[0], 0, c[1], 0, 0, c[2], 0, c[3]];
        let counts: Vec<u32> = counts.iter().map(|count| count * scale).collect();
        let whole = table.class(&spread(&counts), population);
        prop_assume!(whole.rows() > 0);
        let mut parts = vec![vec![]];
        for &count in &counts {
            parts = parts.into_iter().flat_map(|part: Vec<u32>| {
                (0..=count).map(move |kept| part.iter().copied().chain([kept]).collect())
            }).collect();
        }
        let parts: Vec<Sample> = parts.iter().map(|part| table.class(&spread(part), population)).collect();
        for (requirement, _) in requirements() {
            let criterion = table.build(&requirement).unwrap();
            let fewest = parts.iter()
                .filter(|part| part.rows() == 0 || holds(&*criterion, part))
                .map(|part| whole.rows() - part.rows()).min().unwrap();
            let bound = least_suppression(&*criterion, &whole);
            if criterion.merging() == Merging::Arbitrary {
                // What remains may be cut in classes, which a single class does not show; sound when nothing can remain.
                prop_assert!(bound == 0 || fewest == whole.rows(), "{}", requirement);
            } else {
                prop_assert!(bound <= fewest, "{} says {} of {}", requirement, bound, fewest);
                prop_assert_eq!(bound == 0, holds(&*criterion, &whole), "{}", requirement);
            }
        }
    }

    /// A class holds at the parameter it reaches, give or take the edge, and not beyond.
    #[test]
    fn reached_agrees_with_holds(sample in class()) {
        let table = Table::new();
        let sample = table.class(&sample.0, sample.1);
        prop_assume!(sample.rows() > 0);
        for (requirement, parameter) in requirements() {
            let criterion = table.build(&requirement).unwrap();
            let reached = sample.ask(|class| criterion.reached(class));
            let asked = requirement[parameter].as_f64().unwrap();
            prop_assert!(!reached.is_nan(), "{}", requirement);
            if holds(&*criterion, &sample) {
                let good = match criterion.better() {
                    Better::Higher => reached >= asked - 1e-9,
                    Better::Lower => reached <= asked + 1e-9,
                };
                prop_assert!(good, "{} reached {}", requirement, reached);
            }
            // Ask for a little less and a little more than what was reached.
            let whole = matches!(parameter, "k" | "p") || (parameter == "l" && reached.fract() == 0.0);
            let (less, more) = match (criterion.better(), whole) {
                (Better::Higher, true) => (reached, reached + 1.0),
                (Better::Higher, false) => (reached * (1.0 - 1e-7), reached * (1.0 + 1e-7)),
                (Better::Lower, _) => (reached * (1.0 + 1e-7) + 1e-9, reached * (1.0 - 1e-7) - 1e-9),
            };
            let with = |value: f64| {
                if !value.is_finite() {
                    return None;
                }
                let mut other = requirement.clone();
                other[parameter] = if whole { json!(value as u64) } else { json!(value) };
                table.build(&other)
            };
            // Balance makes the counted ranges depend on l itself, and presence has a second bound.
            if requirement["balance"].as_f64().unwrap_or(0.0) > 0.0 || requirement["min"].as_f64().unwrap_or(0.0) > 0.0 {
                continue;
            }
            let other_parts = match requirement["criterion"].as_str().unwrap() {
                "alpha-k" => sample.rows() >= requirement["k"].as_u64().unwrap(),
                "p-sensitivity" => {
                    let mut least = requirement.clone();
                    least["p"] = json!(1);
                    holds(&*table.build(&least).unwrap(), &sample)
                }
                _ => reached.is_finite(),
            };
            if let Some(criterion) = with(less).filter(|_| other_parts && reached.is_finite()) {
                prop_assert!(holds(&*criterion, &sample), "{} at {}", requirement, less);
            }
            if let Some(criterion) = with(more) {
                let always = requirement["l"].as_f64() == Some(1.0) && parameter == "c";
                prop_assert!(always || !holds(&*criterion, &sample), "{} at {}", requirement, more);
            }
        }
    }
}

#[test]
fn every_requirement_of_the_laws_can_be_built_and_speaks() {
    let table = Table::new();
    for (requirement, _) in requirements() {
        let criterion = table.build(&requirement).unwrap_or_else(|| panic!("{requirement}"));
        let promise = criterion.promise();
        let typed: Requirement = serde_json::from_value(requirement.clone()).unwrap();
        // Points of single values are told in the order of the names, or of the codes.
        let in_other_order = matches!(&typed, Requirement::ThreeD { values, .. } if values.len() > 1);
        // Which order is meant is told by the kind of the values, which a requirement does not know.
        let by_order = matches!(typed, Requirement::TCloseness { kind: DistanceKind::Ordered, .. });
        if !in_other_order && !by_order {
            assert_eq!(statement(&typed, &["a", "b"]), promise);
        }
        assert!(promise.ends_with('.') && promise.len() > 40, "{promise}");
        assert_eq!(Some(criterion.key()), requirement["criterion"].as_str());
        let together = matches!(criterion.key(), "c-k-safety" | "three-d");
        assert_eq!(criterion.bucket_independent(), !together);
        assert_eq!(criterion.skyline().is_some(), criterion.key() == "three-d");
        if requirement.get("column").is_some() {
            assert!(promise.contains(" a"), "{promise}");
            assert!(!criterion.histograms().is_empty());
        }
    }
}
