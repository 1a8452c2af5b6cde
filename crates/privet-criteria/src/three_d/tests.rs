//! 3D privacy against the numbers of the survey and against all worlds of small tables.

use proptest::prelude::*;

use super::*;
use crate::testing::{diversity, holds};

fn breach(l: u32, k: u32, m: u32, buckets: &[Vec<u32>]) -> f64 {
    ThreeD { l, k, m, c: 1.0 }.breach(buckets)
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

#[test]
fn survey_pm13_goldens() {
    let buckets = [vec![1, 1, 1, 1], vec![2, 1, 0, 1]];
    let goldens = [
        ((0, 0, 0), 1.0 / 2.0),
        ((1, 0, 0), 2.0 / 3.0),
        ((0, 1, 0), 2.0 / 3.0),
        ((0, 0, 1), 3.0 / 4.0),
        ((0, 0, 2), 1.0),
        ((1, 0, 1), 6.0 / 7.0),
        ((0, 1, 1), 1.0),
        ((1, 1, 0), 1.0),
    ];
    for ((l, k, m), expected) in goldens {
        assert!(near(breach(l, k, m, &buckets), expected), "({l},{k},{m})");
    }
}

#[test]
fn survey_th09_two_safe_buckets_are_not_safe_together() {
    let (one, two) = (vec![4, 1, 1, 1], vec![3, 3, 1, 0]);
    assert!(near(breach(1, 0, 1, std::slice::from_ref(&one)), 6.0 / 7.0));
    assert!(near(breach(1, 0, 1, std::slice::from_ref(&two)), 6.0 / 7.0));
    assert!(near(breach(1, 0, 1, &[one.clone(), two.clone()]), 7.0 / 8.0));
    for c in [0.86, 0.875] {
        let rule = ThreeD { l: 1, k: 0, m: 1, c };
        assert!(rule.allows(rule.breach(std::slice::from_ref(&one))));
        assert!(rule.allows(rule.breach(std::slice::from_ref(&two))));
        assert!(!rule.allows(rule.breach(&[one.clone(), two.clone()])), "c = {c}");
    }
}

#[test]
fn survey_th06_k_anonymity_with_identities_as_values() {
    for k in 2u32..6 {
        for rows in 1usize..9 {
            let rule = ThreeD { l: 0, k: k - 2, m: 0, c: 1.0 };
            assert_eq!(rule.allows(rule.breach(&[vec![1; rows]])), rows >= k as usize, "k = {k}, n = {rows}");
        }
    }
}

#[test]
fn parameters_are_checked() {
    for c in [0.0, -0.5, 1.1, f64::NAN, f64::INFINITY] {
        assert!(ThreeD { l: 0, k: 0, m: 0, c }.fault().is_some(), "{c}");
    }
    assert!(ThreeD { l: u32::MAX, k: u32::MAX, m: u32::MAX, c: 1.0 }.fault().is_none());
    assert!(near(breach(u32::MAX, u32::MAX, u32::MAX, &[vec![1, 2], vec![0, 3]]), 1.0));
    assert_eq!(breach(0, 0, 0, &[]), 0.0);
    assert_eq!(breach(1, 1, 1, &[vec![], vec![0, 0]]), 0.0);
}

/// All ways to hand the values of a bucket to its people.
fn worlds(counts: &[u32]) -> Vec<Vec<usize>> {
    fn extend(left: &mut [u32], so_far: &mut Vec<usize>, all: &mut Vec<Vec<usize>>) {
        if left.iter().all(|&count| count == 0) {
            all.push(so_far.clone());
            return;
        }
        for value in 0..left.len() {
            if left[value] > 0 {
                left[value] -= 1;
                so_far.push(value);
                extend(left, so_far, all);
                so_far.pop();
                left[value] += 1;
            }
        }
    }
    let mut all = Vec::new();
    extend(&mut counts.to_vec(), &mut Vec::new(), &mut all);
    all
}

fn subsets(of: &[usize], size: usize) -> Vec<Vec<usize>> {
    match (size, of) {
        (0, _) => vec![Vec::new()],
        (_, []) => Vec::new(),
        (_, [first, rest @ ..]) => {
            let with = subsets(rest, size - 1).into_iter().map(|set| [&[*first], &set[..]].concat());
            with.chain(subsets(rest, size)).collect()
        }
    }
}

/// The definition: all worlds, all people, all values, all knowledge of at most this size.
fn by_worlds(l: usize, k: usize, m: usize, buckets: &[Vec<u32>]) -> f64 {
    let values = buckets[0].len();
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for bucket in buckets {
        let of_bucket = worlds(bucket);
        all = all.iter().flat_map(|a| of_bucket.iter().map(move |b| [&a[..], &b[..]].concat())).collect();
    }
    let people = all[0].len();
    let firsts: Vec<usize> = buckets
        .iter()
        .scan(0, |next, bucket| {
            let first = *next;
            *next += bucket.iter().sum::<u32>() as usize;
            Some(first)
        })
        .collect();
    let mut most: f64 = 0.0;
    // People of one bucket are alike, so one of each stands for all.
    for &t in &firsts {
        let others: Vec<usize> = (0..people).filter(|&person| person != t).collect();
        for known in subsets(&others, k.min(others.len())) {
            let rest: Vec<usize> = others.iter().copied().filter(|w| !known.contains(w)).collect();
            let families = subsets(&rest, m.min(rest.len()));
            let mut seen = std::collections::HashSet::new();
            // Every way in which the known people's values may turn out.
            for world in &all {
                let facts: Vec<usize> = known.iter().map(|&w| world[w]).collect();
                if !seen.insert(facts.clone()) {
                    continue;
                }
                let left: Vec<&Vec<usize>> = all
                    .iter()
                    .filter(|world| known.iter().zip(&facts).all(|(&w, &v)| world[w] == v))
                    .collect();
                for s in 0..values {
                    let other_values: Vec<usize> = (0..values).filter(|&v| v != s).collect();
                    for not in subsets(&other_values, l.min(other_values.len())) {
                        for family in &families {
                            let fits = |world: &&&Vec<usize>| {
                                !not.contains(&world[t])
                                    && (world[t] == s || family.iter().all(|&w| world[w] != s))
                            };
                            let possible = left.iter().filter(fits).count();
                            let with = left.iter().filter(fits).filter(|world| world[t] == s).count();
                            if possible > 0 {
                                most = most.max(with as f64 / possible as f64);
                            }
                        }
                    }
                }
            }
        }
    }
    most
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The closed form is the maximum over all worlds and all knowledge.
    #[test]
    fn survey_pm13_closed_form_against_all_worlds(
        one in prop::collection::vec(0usize..3, 2..5),
        two in prop::collection::vec(0usize..3, 2..5),
    ) {
        let count = |people: &[usize]| (0..3).map(|v| people.iter().filter(|&&p| p == v).count() as u32).collect();
        let buckets: Vec<Vec<u32>> = vec![count(&one), count(&two)];
        for (l, k, m) in [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 2), (1, 0, 1), (0, 1, 1), (1, 1, 1)] {
            let expected = by_worlds(l as usize, k as usize, m as usize, &buckets);
            let found = breach(l, k, m, &buckets);
            prop_assert!(near(found, expected), "({l},{k},{m}) {buckets:?}: {found} by worlds {expected}");
        }
    }

    /// survey TH-07: recursive (c,l)-diversity is 3D (l-2, 0, 0) with confidence c/(c+1).
    #[test]
    fn survey_th07_recursive_diversity(counts in prop::collection::vec(0u32..6, 1..6), l in 2u32..5, halves in 1u32..8) {
        prop_assume!(counts.iter().any(|&count| count > 0));
        let c = f64::from(halves) / 2.0;
        let rule = ThreeD { l: l - 2, k: 0, m: 0, c: c / (c + 1.0) };
        let recursive = diversity("recursive", l.into(), Some(c));
        let mut padded = counts.clone();
        padded.resize(64, 0);
        prop_assert_eq!(rule.allows(rule.breach(&[counts])), holds(&*recursive, &padded));
    }

    /// Replacing buckets one by one comes to the same as a summary made at once, and a refusal changes nothing.
    #[test]
    fn buckets_are_replaced_by_their_parts(
        parts in prop::collection::vec(prop::collection::vec(0u32..4, 3), 2..6),
        l in 0u32..2, k in 0u32..2, m in 0u32..3, c in 0.5f64..1.0,
    ) {
        let rule = ThreeD { l, k, m, c };
        let listed = |counts: &[u32]| (0u32..).zip(counts.iter().copied()).collect::<Vec<_>>();
        let sum = |from: usize| -> Vec<u32> {
            (0..3).map(|v| parts[from..].iter().map(|part| part[v]).sum()).collect()
        };
        let mut maxima = GlobalMaxima::new(rule, 3);
        maxima.insert(0, &listed(&sum(0)));
        let mut current = vec![sum(0)];
        for (from, part) in parts.iter().enumerate().take(parts.len() - 1) {
            let whole = current.pop().unwrap();
            let (head, tail) = (part.clone(), sum(from + 1));
            let was_safe = maxima.is_safe();
            let number = current.len() as u32;
            let replaced = maxima.replace_if_safe(
                (number, &listed(&whole)),
                &[(number, &listed(&head)), (number + 1, &listed(&tail))],
            );
            let mut after = current.clone();
            after.extend([head, tail]);
            if was_safe {
                prop_assert_eq!(replaced, rule.allows(rule.breach(&after)));
            }
            if replaced {
                current = after;
            } else {
                current.push(whole);
            }
            prop_assert!(near(maxima.reached(), rule.breach(&current)));
            if !replaced {
                break;
            }
        }
    }
}

fn point(l: u32, k: u32, m: u32, c: f64) -> ThreeD {
    ThreeD { l, k, m, c }
}

/// survey PM-14 on the buckets of PM-13: (0,0,0) breaches 1/2, (0,0,1) 3/4, (1,0,1) 6/7.
#[test]
fn survey_pm14_every_point_of_a_skyline_must_hold() {
    let buckets = [vec![1, 1, 1, 1], vec![2, 1, 0, 1]];
    let reached = |points: &[ThreeD]| Skyline::new(points.to_vec(), BTreeMap::new()).reached(&buckets);
    let both = [point(0, 0, 0, 0.6), point(1, 0, 1, 0.9)];
    assert!(near(reached(&both), (0.5f64 / 0.6).max(6.0 / 7.0 / 0.9)));
    assert!(Skyline::new(both.to_vec(), BTreeMap::new()).accepts(reached(&both)));
    for broken in
        [[point(0, 0, 0, 0.5), point(1, 0, 1, 0.9)], [point(0, 0, 0, 0.6), point(1, 0, 1, 6.0 / 7.0)]]
    {
        assert!(!Skyline::new(broken.to_vec(), BTreeMap::new()).accepts(reached(&broken)), "{broken:?}");
    }
    // One point is the basic criterion, and reaches a chance.
    assert!(near(reached(&[point(0, 0, 1, 0.8)]), 0.75));
}

/// The first value, of which the second bucket has two records, has a bound of its own.
#[test]
fn survey_pm14_a_value_may_have_its_own_point() {
    let buckets = [vec![1, 1, 1, 1], vec![2, 1, 0, 1]];
    let skyline =
        |general: &[ThreeD], own: ThreeD| Skyline::new(general.to_vec(), BTreeMap::from([(0, own)]));
    // Others: 1/4 at (0,0,0) in either bucket.
    let lenient = skyline(&[point(0, 0, 0, 0.3)], point(0, 0, 0, 0.6));
    assert!(near(lenient.reached(&buckets), (0.25f64 / 0.3).max(0.5 / 0.6)));
    assert!(lenient.accepts(lenient.reached(&buckets)));
    let strict = skyline(&[point(0, 0, 0, 0.6)], point(0, 0, 0, 0.5));
    assert!(!strict.accepts(strict.reached(&buckets)));
    // Without other points the other values are free.
    let free = skyline(&[], point(0, 0, 0, 0.6));
    assert!(near(free.reached(&buckets), 0.5) && free.accepts(0.5));
    assert_eq!(free.reached(&[vec![0, 9, 0]]), 0.0);
    for skyline in [lenient, strict, free] {
        assert!(skyline.promise().ends_with('.'));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// What classes tell comes to the same as the summary of buckets, at every point and value by itself; a coarser
    /// table reaches no more.
    #[test]
    fn classes_together_are_buckets(
        buckets in prop::collection::vec(prop::collection::vec(0u32..5, 4), 2..6),
        points in prop::collection::vec((0u32..3, 0u32..3, 0u32..3, 0.2f64..1.0), 0..3),
        own in prop::collection::btree_map(0u32..4, (0u32..3, 0u32..3, 0u32..3, 0.2f64..1.0), 0..3),
    ) {
        prop_assume!(!(points.is_empty() && own.is_empty()));
        let buckets: Vec<Vec<u32>> = buckets.into_iter().filter(|b| b.iter().any(|&count| count > 0)).collect();
        prop_assume!(buckets.len() > 1);
        let points: Vec<ThreeD> = points.iter().map(|&(l, k, m, c)| point(l, k, m, c)).collect();
        let own: BTreeMap<u32, ThreeD> = own.iter().map(|(&value, &(l, k, m, c))| (value, point(l, k, m, c))).collect();
        let skyline = Skyline::new(points.clone(), own.clone());
        let all = skyline.reached(&buckets);
        // Each point by itself, for the values that it protects.
        let mut expected: f64 = 0.0;
        for value in 0..4 {
            for one in own.get(&value).map_or(&points[..], std::slice::from_ref) {
                let alone = Skyline::new(Vec::new(), BTreeMap::from([(value, *one)])).reached(&buckets);
                expected = expected.max(if points.len() + own.len() == 1 { alone } else { alone / one.c });
            }
        }
        prop_assert!(near(all, expected), "{} and {}", all, expected);

        let names = ["a", "b", "c", "d"];
        let written = |one: &ThreeD| serde_json::json!({"l": one.l, "k": one.k, "m": one.m, "c": one.c});
        let mut requirement = serde_json::json!({"criterion": "three-d"});
        requirement["points"] = points.iter().map(written).collect();
        requirement["values"] =
            own.iter().map(|(&value, one)| (names[value as usize].to_owned(), written(one))).collect();
        let criterion = crate::testing::build_one(requirement, &crate::testing::column(&names, &[9; 4])).unwrap();
        let mut told = crate::Summaries::default();
        for bucket in &buckets {
            crate::testing::Sample::of(bucket).ask(|class| told.add(&*criterion, class));
        }
        let reached = criterion.reached_together(&told);
        prop_assert!(near(reached.iter().copied().fold(0.0, f64::max), all));
        prop_assert_eq!(criterion.accepts(all), skyline.accepts(all));
        for (number, bucket) in buckets.iter().enumerate() {
            let alone = crate::testing::reached(&*criterion, bucket);
            prop_assert!(near(alone, skyline.reached(std::slice::from_ref(bucket))) && alone <= reached[number] + 1e-12);
        }

        let merged: Vec<u32> = buckets[0].iter().zip(&buckets[1]).map(|(a, b)| a + b).collect();
        let coarser = [&[merged], &buckets[2..]].concat();
        prop_assert!(skyline.reached(&coarser) <= all + 1e-12);
    }
}
