//! Bucketization: the tables of the survey, what Anatomy promises for every table, and what it refuses.

use crate::oracle;

use std::collections::BTreeMap;

use oracle::json;
use privet_criteria::{Criterion, Requirement, SensitiveColumn, build};
use privet_data::{Cancelled, Domain, Progress, Silent};
use privet_measure::Metric;
use privet_recode::bucket::{Anatomy, Buckets, bucketize};
use privet_recode::groups::Groups;
use privet_recode::lattice::{Codes, Problem, SearchError};
use proptest::prelude::*;

fn criteria(columns: &[Vec<u32>], values: usize, requirements: &[Requirement]) -> Vec<Box<dyn Criterion>> {
    try_criteria(columns, values, requirements).unwrap()
}

/// Criteria on columns named `a`, `b`, … with these codes below `values`; `None` when they are impossible.
fn try_criteria(
    columns: &[Vec<u32>],
    values: usize,
    requirements: &[Requirement],
) -> Option<Vec<Box<dyn Criterion>>> {
    let (domain, _) = Domain::canonical((0..values).map(|v| format!("{v}").into()).collect(), |_| false);
    let counts: Vec<Vec<u64>> = columns
        .iter()
        .map(|codes| (0..values).map(|v| codes.iter().filter(|&&c| c as usize == v).count() as u64).collect())
        .collect();
    let columns: Vec<SensitiveColumn<'_>> = ["a", "b", "c"]
        .into_iter()
        .zip(&counts)
        .map(|(name, counts)| SensitiveColumn { name, domain: &domain, counts, hierarchy: None })
        .collect();
    let rows = counts.first().map_or(0, |counts| counts.iter().sum());
    build(requirements, &columns, None, rows).ok()
}

fn problem<'a>(columns: &'a [Vec<u32>], values: usize, criteria: &'a [Box<dyn Criterion>]) -> Problem<'a> {
    Problem {
        rows: columns.first().map_or(0, Vec::len),
        quasi: Vec::new(),
        sensitive: columns.iter().map(|codes| Codes { codes, values }).collect(),
        label: None,
        criteria,
        metric: Metric::Loss,
        suppress_at_most: 0,
    }
}

fn anatomy(columns: &[Vec<u32>], values: usize, l: u64) -> Result<Buckets, SearchError> {
    Anatomy { l: Some(l), seed: 3 }.search(&problem(columns, values, &[]), &Silent)
}

fn derived(columns: &[Vec<u32>], values: usize, requirement: Requirement) -> Result<Buckets, SearchError> {
    let criteria = criteria(columns, values, &[requirement]);
    Anatomy::default().search(&problem(columns, values, &criteria), &Silent)
}

fn groups(names: &[u32]) -> Groups {
    Groups::numbered(names)
}

const CA: u32 = 0;
const FLU: u32 = 1;
const HD: u32 = 2;
const VI: u32 = 3;

/// survey FX-1.4 with the probabilities of FX-5.1.
#[test]
fn table_1_4() {
    let condition = vec![vec![HD, HD, VI, VI, CA, FLU, HD, FLU, CA, CA, CA, CA]];
    let by_four = groups(&[0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]);
    let found = bucketize(&problem(&condition, 4, &[]), &by_four).unwrap();
    assert_eq!(found.count, 3);
    assert_eq!(found.tables[0].of(0), [(HD, 2), (VI, 2)]);
    assert_eq!(found.tables[0].of(1), [(CA, 1), (FLU, 2), (HD, 1)]);
    assert_eq!(found.tables[0].of(2), [(CA, 4)]);
    assert_eq!(
        (0..3).map(|bucket| found.tables[0].largest_share(bucket)).collect::<Vec<_>>(),
        [0.5, 0.5, 1.0]
    );
    // The third bucket is homogeneous: not 2-diverse.
    let diverse =
        criteria(&condition, 4, &[json("l-diversity", r#"{"kind": "distinct", "l": 2, "column": "a"}"#)]);
    match bucketize(&problem(&condition, 4, &diverse), &by_four) {
        Err(SearchError::BucketsFail { buckets: 1, records: 4, criteria }) => {
            assert!(criteria[0].starts_with("l-diversity: "), "{criteria:?}");
        }
        other => panic!("{other:?}"),
    }
    // Cancer is in 5 of 12 records: Anatomy can do l = 2, and no more.
    let found = anatomy(&condition, 4, 2).unwrap();
    assert_eq!((found.count, found.l), (6, Some(2)));
    let refused = anatomy(&condition, 4, 3).unwrap_err();
    assert_eq!(refused, SearchError::NotEligible { rows: 12, most: 5, l: 3 });
    let text = refused.to_string();
    assert!(
        text.contains("l = 3") && text.contains("at most 4 of the 12 records") && text.contains("is in 5"),
        "{text}"
    );
}

/// survey FX-4.6: HIV 0, Flu 1, Cancer 2, Hepatitis 3, Bronchitis 4.
#[test]
fn table_of_chapter_4() {
    let disease = vec![vec![0, 1, 1, 2, 3, 2, 0, 4, 3, 1, 3, 1]];
    let diverse =
        criteria(&disease, 5, &[json("l-diversity", r#"{"kind": "distinct", "l": 2, "column": "a"}"#)]);
    let printed = groups(&[1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4]);
    let found = bucketize(&problem(&disease, 5, &diverse), &printed).unwrap();
    assert_eq!(found.tables[0].of(0), [(0, 1), (1, 2)]);
    assert_eq!(found.tables[0].of(1), [(0, 1), (2, 2), (3, 1)]);
    assert_eq!(found.tables[0].of(2), [(1, 1), (3, 1), (4, 1)]);
    assert_eq!(found.tables[0].of(3), [(1, 1), (3, 1)]);
    assert_eq!(found.reached, [Some((2.0, 0))]);
}

/// survey FX-6.4: Cancer 0, Flu 1, None 2 in six groups of two, an output of Anatomy with l = 2.
#[test]
fn anatomy_of_chapter_6() {
    let disease = vec![vec![0, 1, 1, 2, 0, 2, 0, 2, 1, 2, 0, 2]];
    let printed = groups(&[1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]);
    let found = bucketize(&problem(&disease, 3, &[]), &printed).unwrap();
    let expected = [[0, 1], [1, 2], [0, 2], [0, 2], [1, 2], [0, 2]];
    for (bucket, [first, second]) in expected.into_iter().enumerate() {
        assert_eq!(found.tables[0].of(bucket), [(first, 1), (second, 1)]);
        assert_eq!(found.tables[0].largest_share(bucket), 0.5);
    }
    let ours = anatomy(&disease, 3, 2).unwrap();
    assert_eq!(ours.count, 6);
    // Of the same kind: two different values in each, and all values as often as in the table.
    let mut counts = BTreeMap::new();
    for bucket in 0..6 {
        assert_eq!(ours.tables[0].of(bucket).len(), 2);
        ours.tables[0].of(bucket).iter().for_each(|&(code, count)| *counts.entry(code).or_insert(0) += count);
    }
    assert_eq!(counts, BTreeMap::from([(0, 4), (1, 3), (2, 5)]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Every value at most once per bucket of at least l records, whenever at most n/l records share one; refused with
    /// the true numbers otherwise.
    #[test]
    fn is_l_eligible_or_refused(
        codes in prop::collection::vec(prop_oneof![Just(0u32), 0u32..4, 0u32..12], 0..80),
        l in 2u64..7,
        seed in any::<u64>(),
    ) {
        let most = (0..12).map(|v| codes.iter().filter(|&&c| c == v).count() as u64).max().unwrap_or(0);
        let n = codes.len() as u64;
        let columns = vec![codes];
        match (Anatomy { l: Some(l), seed }).search(&problem(&columns, 12, &[]), &Silent) {
            Ok(found) => {
                prop_assert!(most * l <= n);
                prop_assert_eq!(found.count as u64, n / l, "as many buckets as are possible");
                prop_assert_eq!(found.of.len() as u64, n);
                let mut members = vec![Vec::new(); found.count];
                for (record, &bucket) in found.of.iter().enumerate() {
                    members[bucket as usize].push(columns[0][record]);
                }
                let mut extra = 0;
                for (bucket, codes) in members.iter_mut().enumerate() {
                    codes.sort_unstable();
                    let table: Vec<(u32, u32)> = codes.iter().map(|&code| (code, 1)).collect();
                    prop_assert_eq!(found.tables[0].of(bucket), &table[..]);
                    prop_assert!(codes.windows(2).all(|pair| pair[0] < pair[1]), "a value twice");
                    prop_assert!(codes.len() as u64 >= l);
                    prop_assert!(found.tables[0].largest_share(bucket) <= 1.0 / l as f64);
                    extra += codes.len() as u64 - l;
                }
                prop_assert!(extra < l, "fewer than l records are left over");
            }
            Err(error) => {
                prop_assert!(most * l > n);
                prop_assert_eq!(error, SearchError::NotEligible { rows: n, most, l });
            }
        }
    }

    /// Whatever a criterion asks for, buckets satisfy it: checked by bucketizing the same partition anew.
    #[test]
    fn derived_l_satisfies_criteria(codes in prop::collection::vec(0u32..5, 8..40), which in 0usize..6) {
        let requirement = [
            json("l-diversity", r#"{"kind": "distinct", "l": 2, "column": "a"}"#),
            json("l-diversity", r#"{"kind": "entropy", "l": 2.5, "column": "a"}"#),
            json("l-diversity", r#"{"kind": "recursive", "l": 2, "c": 1, "column": "a"}"#),
            json("t-closeness", r#"{"kind": "equal", "t": 0.5, "column": "a"}"#),
            json("concept-diversity", r#"{"l": 2, "concepts": {"low": ["0", "1"], "high": ["3", "4"]}, "column": "a"}"#),
            json("proximity-diversity", r#"{"l": 2, "width": 1, "column": "a"}"#),
        ][which].clone();
        let columns = vec![codes];
        let Some(criteria) = try_criteria(&columns, 5, &[requirement]) else { return Err(TestCaseError::reject("the case does not arise")) };
        let problem = problem(&columns, 5, &criteria);
        match Anatomy::default().search(&problem, &Silent) {
            Ok(found) => {
                prop_assert!(bucketize(&problem, &groups(&found.of)).is_ok());
                for bucket in 0..found.count {
                    prop_assert!(found.tables[0].largest_share(bucket) <= 1.0 / found.l.unwrap() as f64);
                }
            }
            // The bound of Anatomy, 1/l, is one more thing that one bucket must keep; t-closeness asks for no l, nor do forms
            // that bound how frequent a value may be where the table cannot keep it.
            Err(SearchError::NotEligible { rows, most, l }) => {
                prop_assert!(![1, 2, 3].contains(&which) && most > rows / l);
            }
            Err(error) => {
                prop_assert!(matches!(error, SearchError::BucketsFail { .. }), "{}", error);
                let one = vec![0; problem.rows];
                prop_assert!(bucketize(&problem, &groups(&one)).is_err(), "one bucket would have done");
            }
        }
    }

    /// Anatomy finds buckets exactly when all records in one bucket satisfy every criterion, and those that it finds
    /// satisfy them by their definitions (survey ME-13), computed here from the records.
    #[test]
    fn merges_until_everything_holds(
        codes in prop::collection::vec(prop_oneof![Just(0u32), 0u32..3, 0u32..5], 2..30),
        second in prop::collection::vec(0u32..3, 30),
        t in 0.02f64..0.6,
        beta in 0.1f64..3.0,
        // No second column, one with a promise of its own, or one without.
        which_second in 0usize..3,
        given in prop::option::of(2u64..4),
        seed in any::<u64>(),
    ) {
        let n = codes.len();
        let columns = match which_second {
            0 => vec![codes.clone()],
            _ => vec![codes.clone(), second[..n].to_vec()],
        };
        let (with_second, unspoken) = (which_second == 1, which_second == 2);
        let mut requirements = vec![
            json("t-closeness", &format!(r#"{{"kind": "equal", "t": {t}, "column": "a"}}"#)),
            json("beta-likeness", &format!(r#"{{"beta": {beta}, "column": "a"}}"#)),
        ];
        if with_second {
            requirements.push(json("l-diversity", r#"{"kind": "distinct", "l": 2, "column": "b"}"#));
        }
        let Some(criteria) = try_criteria(&columns, 5, &requirements) else { return Err(TestCaseError::reject("the case does not arise")) };
        let problem = problem(&columns, 5, &criteria);
        let most = |codes: &[u32]| (0..5).map(|v| codes.iter().filter(|&&c| c == v).count() as u64).max().unwrap();
        // One bucket is like the table, so only the second column and a given l can fail.
        let varies = columns.last().unwrap().iter().any(|&v| v != columns.last().unwrap()[0]);
        let possible = (!with_second || varies)
            && given.is_none_or(|l| most(&codes) * l <= n as u64)
            && given.is_none_or(|l| !unspoken || most(&columns[1]) * l <= n as u64);
        let found = Anatomy { l: given, seed }.search(&problem, &Silent);
        prop_assert_eq!(found.is_ok(), possible, "{:?}", found);
        let Ok(found) = found else { return Ok(()) };
        prop_assert_eq!(&found, &Anatomy { l: given, seed }.search(&problem, &Silent).unwrap());
        let share = |of: &[u32], v: u32| of.iter().filter(|&&c| c == v).count() as f64 / of.len() as f64;
        for bucket in 0..found.count as u32 {
            let of = |column: &[u32]| -> Vec<u32> {
                (0..n).filter(|&r| found.of[r] == bucket).map(|r| column[r]).collect()
            };
            let own = of(&codes);
            prop_assert!(own.len() >= 2 || n < 2);
            let far: f64 = (0..5).map(|v| (share(&own, v) - share(&codes, v)).abs()).sum::<f64>() / 2.0;
            prop_assert!(far <= t + 1e-9, "distance {} of a bucket, {} allowed", far, t);
            for v in 0..5 {
                let (p, q) = (share(&own, v), share(&codes, v));
                prop_assert!(q == 0.0 || (p - q) / q <= beta + 1e-9, "gain {} of {}", (p - q) / q, beta);
            }
            if (with_second || unspoken) && varies {
                let other = of(&columns[1]);
                prop_assert!(other.iter().any(|&v| v != other[0]));
            }
            prop_assert!(most(&own) < own.len() as u64 || most(&codes) == n as u64, "tells a value of everybody");
            if let Some(l) = given {
                prop_assert_eq!(found.l, given);
                prop_assert!((0..5).all(|v| share(&own, v) <= 1.0 / l as f64 + 1e-12));
            }
            if let (Some(l), true) = (found.l, unspoken) {
                prop_assert!(most(&own) * l <= own.len() as u64 && most(&of(&columns[1])) * l <= own.len() as u64);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// There are at least as many buckets as the best simple dealing has: records sorted by value, the frequent ones
    /// first, go to p buckets in turn, and every p is tried.
    #[test]
    fn as_many_buckets_as_simple_dealing(
        counts in prop::collection::vec(prop_oneof![1usize..4, 3usize..40], 2..6),
        which in 0usize..4,
        much in 0.05f64..1.5,
        diverse: bool,
        seed in any::<u64>(),
    ) {
        let codes: Vec<u32> = counts.iter().zip(0..).flat_map(|(&count, v)| vec![v; count]).collect();
        let (n, values) = (codes.len(), counts.len());
        let mut requirements = vec![match which {
            0 => json("beta-likeness", &format!(r#"{{"kind": "basic", "beta": {much}, "column": "a"}}"#)),
            1 => json("delta-disclosure", &format!(r#"{{"delta": {much}, "column": "a"}}"#)),
            2 => json("t-closeness", &format!(r#"{{"kind": "equal", "t": {}, "column": "a"}}"#, much / 3.0)),
            _ => json("t-closeness", &format!(r#"{{"kind": "kl", "t": {}, "column": "a"}}"#, much / 3.0)),
        }];
        if diverse {
            requirements.push(json("l-diversity", r#"{"kind": "distinct", "l": 2, "column": "a"}"#));
        }
        let columns = vec![codes];
        let criteria = criteria(&columns, values, &requirements);
        let problem = problem(&columns, values, &criteria);
        let most = *counts.iter().max().unwrap();
        let found = match (Anatomy { l: None, seed }).search(&problem, &Silent) {
            Ok(found) => found,
            Err(error) => {
                prop_assert!(diverse && 2 * most > n, "{}", error);
                return Ok(());
            }
        };
        let mut sorted: Vec<usize> = (0..n).collect();
        sorted.sort_by_key(|&r| (std::cmp::Reverse(counts[columns[0][r] as usize]), columns[0][r]));
        let simple = (1..=n / 2).rev().find(|&parts| {
            let mut of = vec![0; n];
            sorted.iter().enumerate().for_each(|(i, &r)| of[r] = (i % parts) as u32);
            bucketize(&problem, &groups(&of)).is_ok_and(|dealt| {
                let limit = if diverse { 0.5 } else { 0.999 };
                (0..dealt.count).all(|bucket| dealt.tables[0].largest_share(bucket) <= limit)
            })
        });
        prop_assert!(found.count >= simple.unwrap_or(1), "{} of {:?}", found.count, simple);
        let again = bucketize(&problem, &groups(&found.of)).unwrap();
        prop_assert_eq!(&again.tables, &found.tables);
        for bucket in 0..found.count {
            prop_assert!(found.tables[0].largest_share(bucket) <= 1.0 / found.l.unwrap() as f64);
            prop_assert!(found.tables[0].of(bucket).len() >= 2);
        }
    }
}

/// Occupations of the table `adult` without missing values, of which the rarest has 9 records in 30162.
#[test]
fn rare_values_do_not_collapse_buckets() {
    let counts = [4038, 4030, 3992, 3721, 3584, 3212, 1966, 1572, 1350, 989, 912, 644, 143, 9];
    let codes: Vec<u32> = counts.iter().zip(0..).flat_map(|(&count, v)| vec![v; count]).collect();
    let columns = vec![codes];
    for (key, value, least) in [
        ("beta-likeness", r#"{"kind": "basic", "beta": 0.5, "column": "a"}"#, 13),
        ("delta-disclosure", r#"{"delta": 1, "column": "a"}"#, 9),
        ("t-closeness", r#"{"kind": "equal", "t": 0.1, "column": "a"}"#, 1060),
        ("t-closeness", r#"{"kind": "kl", "t": 0.1, "column": "a"}"#, 760),
    ] {
        let criteria = criteria(&columns, 14, &[json(key, value)]);
        let problem = problem(&columns, 14, &criteria);
        let with = |seed| Anatomy { l: None, seed }.search(&problem, &Silent).unwrap();
        let found = with(1);
        assert!(found.count >= least, "{value}: {} buckets", found.count);
        assert!(bucketize(&problem, &groups(&found.of)).is_ok());
        // Who is in which bucket is drawn; how many buckets there are is not.
        assert_eq!(found, with(1));
        let other = with(2);
        assert_eq!(found.count, other.count);
        assert_ne!(found.of, other.of);
    }
}

/// t-closeness asks for no l, so that a further column with two values, which allows no more than l = 2, refuses nothing.
#[test]
fn comparing_criteria_refuse_no_further_column() {
    let first: Vec<u32> = (0..320).map(|record| record % 8).collect();
    let halves: Vec<u32> = (0..320).map(|record| record / 8 % 2).collect();
    let mostly: Vec<u32> = (0..320).map(|record| u32::from(record % 5 == 0)).collect();
    let close = json("t-closeness", r#"{"kind": "equal", "t": 0.25, "column": "a"}"#);
    for (second, l) in [(halves, 2), (mostly, 1), (vec![0; 320], 1)] {
        let columns = [first.clone(), second];
        let found = derived(&columns, 8, close.clone()).unwrap();
        assert_eq!(found.l, Some(l));
        assert!(found.count >= 20, "{}", found.count);
        // Where l is asked for, the message says which would do.
        let criteria =
            criteria(&columns, 8, &[json("l-diversity", r#"{"kind": "distinct", "l": 3, "column": "a"}"#)]);
        let problem = problem(&columns, 8, &criteria);
        let refused = Anatomy::default().search(&problem, &Silent).unwrap_err().to_string();
        assert_eq!(refused.contains("search.anatomy.l = 2 or less"), l == 2, "{refused}");
        assert!(refused.contains("a criterion in [privacy] about each such column"), "{refused}");
        assert_eq!(Anatomy { l: Some(2), seed: 0 }.search(&problem, &Silent).is_ok(), l == 2);
    }
}

/// Buckets are merged no more than needed: of two values that are equally frequent a pair is like the table; of four with
/// counts 8, 4, 2, 2 and t = 0.2 buckets of a few records do; only failing buckets are touched.
#[test]
fn merges_little() {
    let close = |t: f64| json("t-closeness", &format!(r#"{{"kind": "equal", "t": {t}, "column": "a"}}"#));
    let even = vec![(0..40).map(|record| record % 2).collect::<Vec<u32>>()];
    let found = derived(&even, 2, close(0.0001)).unwrap();
    assert_eq!((found.count, found.l), (20, Some(2)));
    // 60 in 100 have one value: no buckets of different values, and t-closeness can be kept all the same.
    let skewed = vec![(0..100).map(|record| u32::from(record % 5 > 2)).collect::<Vec<u32>>()];
    let found = derived(&skewed, 2, close(0.0001)).unwrap();
    assert_eq!((found.count, found.l), (20, Some(1)), "three of one value and two of the other in each");
    let found = derived(&skewed, 2, close(0.1)).unwrap();
    assert_eq!(found.count, 40, "one of the rarer value in each");
    // A further column fails in few buckets: the others stay as they are.
    let mut second: Vec<u32> = (0..200).map(|record| record % 7).collect();
    second[..10].fill(0);
    let columns = vec![(0..200).map(|record| record % 4).collect::<Vec<u32>>(), second];
    let both = [
        json("l-diversity", r#"{"kind": "distinct", "l": 2, "column": "a"}"#),
        json("l-diversity", r#"{"kind": "distinct", "l": 2, "column": "b"}"#),
    ];
    let criteria = criteria(&columns, 7, &both);
    let found = Anatomy::default().search(&problem(&columns, 7, &criteria), &Silent).unwrap();
    assert_eq!(found.l, Some(2));
    assert!(found.count > 80, "{} of 100 buckets are left", found.count);
    // One value in all records: every bucket is like the table, and t-closeness has nothing to say against it.
    assert_eq!(derived(&[vec![3; 7]], 4, close(0.1)).unwrap().count, 3);
    let one = derived(&[vec![3]], 4, close(0.1));
    assert_eq!(one, Err(SearchError::NotEligible { rows: 1, most: 1, l: 2 }));
}

/// Merging takes no square of the time either.
#[test]
fn merging_is_fast() {
    let values: Vec<u32> = (0..200_000u32).map(|record| (record % 1000).isqrt()).collect();
    let close = json("t-closeness", r#"{"kind": "equal", "t": 0.15, "column": "a"}"#);
    let found = derived(&[values], 32, close).unwrap();
    assert!(found.count > 1000, "{}", found.count);
}

/// survey PM-09: a bucket of single values satisfies the promise from 4 different values on, and one value is in more than
/// a quarter of the table; larger buckets satisfy it all the same.
#[test]
fn a_recursive_promise_that_one_bucket_would_keep_is_not_refused() {
    let table = |counts: &[usize]| -> Vec<Vec<u32>> {
        vec![(0u32..).zip(counts).flat_map(|(code, &count)| vec![code; count]).collect()]
    };
    let asked = || json("l-diversity", r#"{"kind": "recursive", "l": 2, "c": 0.5, "column": "a"}"#);
    for counts in [[30, 25, 25, 20], [30, 34, 25, 20], [300, 299, 299, 10]] {
        let columns = table(&counts);
        let (rows, most) = (counts.iter().sum::<usize>(), counts.iter().max().unwrap());
        assert!(rows / most < 4 && (*most as f64) < 0.5 * (rows - most) as f64, "one bucket keeps it");
        let found = derived(&columns, 4, asked()).unwrap();
        let kept = |bucket: usize| {
            let counts: Vec<u32> = found.tables[0].of(bucket).iter().map(|&(_, count)| count).collect();
            let most = *counts.iter().max().unwrap();
            f64::from(most) < 0.5 * f64::from(counts.iter().sum::<u32>() - most)
        };
        assert!(found.count > 1 && (0..found.count).all(kept), "{counts:?}: {}", found.count);
    }
    // Entropy l-diversity of 2 with a value in 60 % of the table (survey PM-08).
    let entropy = json("l-diversity", r#"{"kind": "entropy", "l": 2, "column": "a"}"#);
    assert!(derived(&table(&[60, 20, 20]), 3, entropy).unwrap().count > 1);
    // What one bucket does not keep is refused, with the promise that it breaks: of three values the most frequent is never
    // rarer than half of the two others together, however even they are.
    for counts in [[40, 30, 30], [32, 34, 34], [34, 33, 33]] {
        let refused = derived(&table(&counts), 3, asked());
        assert!(matches!(refused, Err(SearchError::BucketsFail { .. })), "{counts:?}: {refused:?}");
    }
    // A number of different values is still no more than 1/l for everybody (survey ME-13).
    let distinct = json("l-diversity", r#"{"kind": "distinct", "l": 2, "column": "a"}"#);
    let refused = derived(&table(&[60, 20, 20]), 3, distinct);
    assert_eq!(refused, Err(SearchError::NotEligible { rows: 100, most: 60, l: 2 }));
}

/// survey PM-07..PM-09: the least number of different values, once each, with which each form holds.
#[test]
fn derives_l() {
    let columns = vec![(0..40).map(|record| record % 8).collect::<Vec<u32>>()];
    for (requirement, l) in [
        (r#"{"kind": "distinct", "l": 3, "column": "a"}"#, 3),
        (r#"{"kind": "entropy", "l": 2.5, "column": "a"}"#, 3),
        // 1 < c (m - l + 1)
        (r#"{"kind": "recursive", "l": 3, "c": 2, "column": "a"}"#, 3),
        (r#"{"kind": "recursive", "l": 3, "c": 1, "column": "a"}"#, 4),
        (r#"{"kind": "recursive", "l": 2, "c": 0.3, "column": "a"}"#, 5),
    ] {
        let found = derived(&columns, 8, json("l-diversity", requirement)).unwrap();
        assert_eq!(found.l, Some(l), "{requirement}");
    }
    // Concepts: two neighbours in code may be one concept, so that buckets of two fail and are made larger.
    let concepts =
        r#"{"l": 2, "concepts": {"low": ["0", "1", "2", "3"], "high": ["4", "5", "6", "7"]}, "column": "a"}"#;
    let found = derived(&columns, 8, json("concept-diversity", concepts)).unwrap();
    assert!((8..20).contains(&found.count), "some buckets of two had to grow: {}", found.count);
    for bucket in 0..found.count {
        let concepts: Vec<bool> = found.tables[0].of(bucket).iter().map(|&(code, _)| code < 4).collect();
        assert!(concepts.contains(&true) && concepts.contains(&false), "{concepts:?}");
    }
}

#[test]
fn same_seed_same_buckets() {
    let columns = vec![(0..200).map(|record| record * 7 % 13).collect::<Vec<u32>>()];
    let with = |seed| Anatomy { l: Some(4), seed }.search(&problem(&columns, 13, &[]), &Silent).unwrap().of;
    assert_eq!(with(1), with(1));
    assert_ne!(with(1), with(2));
}

/// The order of the records of a value does not decide who is with whom: over many seeds, the first record of a value
/// is with the first of another no more often than with its last. 20000 draws of a chance of 1/10; the limits are 5
/// standard deviations off, which happens by chance in fewer than 1 of 10^6 runs.
#[test]
fn records_of_a_value_are_drawn_at_random() {
    let columns = vec![(0..20).map(|record| record / 10).collect::<Vec<u32>>()];
    let problem = problem(&columns, 2, &[]);
    let mut with = [0u32; 2];
    for seed in 0..20_000 {
        let found = Anatomy { l: Some(2), seed }.search(&problem, &Silent).unwrap();
        with[0] += u32::from(found.of[0] == found.of[10]);
        with[1] += u32::from(found.of[0] == found.of[19]);
    }
    let sigma = (20_000.0f64 * 0.1 * 0.9).sqrt();
    for count in with {
        assert!((f64::from(count) - 2000.0).abs() < 5.0 * sigma, "{with:?}");
    }
}

#[test]
fn further_sensitive_columns_are_checked() {
    let first: Vec<u32> = (0..12).map(|record| record % 4).collect();
    let refused = anatomy(&[first.clone(), vec![1; 12]], 4, 2).unwrap_err();
    assert!(matches!(refused, SearchError::BucketsFail { records: 12, .. }), "{refused:?}");
    assert!(refused.to_string().contains("(columns like this: 1)"), "{refused}");
    // A column that is as diverse comes along, in a table of its own.
    let found = anatomy(&[first.clone(), first], 4, 2).unwrap();
    assert_eq!(found.tables.len(), 2);
    assert_eq!(found.tables[0], found.tables[1]);
    // A criterion on the second column is judged too.
    let columns = vec![(0..12).map(|r| r % 4).collect(), (0..12).map(|r| r % 4 / 2).collect::<Vec<u32>>()];
    let both = [
        json("l-diversity", r#"{"kind": "distinct", "l": 2, "column": "a"}"#),
        json("l-diversity", r#"{"kind": "distinct", "l": 2, "column": "b"}"#),
    ];
    let criteria = criteria(&columns, 4, &both);
    let found = Anatomy::default().search(&problem(&columns, 4, &criteria), &Silent).unwrap();
    for bucket in 0..found.count {
        // What its criterion asks for, not 1/l.
        assert!(found.tables[1].of(bucket).len() >= 2);
    }
}

#[test]
fn edges_and_bad_parameters() {
    let empty = vec![Vec::new()];
    let found = anatomy(&empty, 3, 2).unwrap();
    assert_eq!((found.count, found.of.len()), (0, 0));
    assert_eq!(anatomy(&empty, 0, 2).unwrap().count, 0);
    for l in [0, 1] {
        let refused = anatomy(&[vec![0, 1, 2]], 3, l).unwrap_err();
        assert!(matches!(refused, SearchError::Parameter { key: "search.anatomy.l", .. }), "{refused:?}");
    }
    let refused = anatomy(&[], 0, 2).unwrap_err();
    assert!(matches!(refused, SearchError::Parameter { key: "search.algorithm", .. }), "{refused:?}");
    // Fewer than l different values, fewer than l records, one record, l beyond all bounds.
    assert_eq!(anatomy(&[vec![0, 0, 1, 1]], 2, 3), Err(SearchError::NotEligible { rows: 4, most: 2, l: 3 }));
    assert_eq!(anatomy(&[vec![0, 1]], 2, 3), Err(SearchError::NotEligible { rows: 2, most: 1, l: 3 }));
    assert_eq!(anatomy(&[vec![0]], 1, 2), Err(SearchError::NotEligible { rows: 1, most: 1, l: 2 }));
    assert_eq!(
        anatomy(&[vec![0, 1]], 2, u64::MAX),
        Err(SearchError::NotEligible { rows: 2, most: 1, l: u64::MAX })
    );
    // Nothing to derive l from.
    let columns = vec![vec![0, 1, 2, 3]];
    let refused = Anatomy::default().search(&problem(&columns, 4, &[]), &Silent).unwrap_err();
    assert!(matches!(refused, SearchError::Parameter { key: "search.anatomy.l", .. }), "{refused:?}");
    // Quasi values are exact, so nobody looks like anybody else.
    for text in [("k-anonymity", "2"), ("p-sensitivity", r#"{"p": 2, "k": 3, "column": "a"}"#)] {
        let criteria = criteria(&columns, 4, &[json(text.0, text.1)]);
        let problem = problem(&columns, 4, &criteria);
        let anatomy = Anatomy { l: Some(2), seed: 0 }.search(&problem, &Silent);
        assert!(
            matches!(anatomy, Err(SearchError::NotForCriterion { algorithm: "anatomy", .. })),
            "{anatomy:?}"
        );
        let given = bucketize(&problem, &groups(&[0, 0, 1, 1]));
        assert!(
            matches!(given, Err(SearchError::NotForCriterion { algorithm: "bucketize", .. })),
            "{given:?}"
        );
    }
    // Groups of another table.
    assert!(bucketize(&problem(&columns, 4, &[]), &groups(&[0, 1])).is_err());
    // The section of a job file.
    let parsed: Anatomy = serde_json::from_str(r#"{"l": 4}"#).unwrap();
    assert_eq!(parsed, Anatomy { l: Some(4), seed: 0 });
    assert!(serde_json::from_str::<Anatomy>(r#"{"el": 4}"#).is_err());
}

#[test]
fn stops_on_request() {
    struct Stop;
    impl Progress for Stop {
        fn stage(&self, _: &str, _: Option<u64>) {}
        fn at(&self, _: u64) {}
        fn cancelled(&self) -> bool {
            true
        }
    }
    let columns = vec![(0..100).collect::<Vec<u32>>()];
    let stopped = Anatomy { l: Some(2), seed: 0 }.search(&problem(&columns, 100, &[]), &Stop);
    assert_eq!(stopped, Err(SearchError::Cancelled(Cancelled)));
}

/// Many records, many values: a quadratic method would take minutes.
#[test]
fn is_linear() {
    let columns =
        vec![(0..400_000u32).map(|record| record.wrapping_mul(2_654_435_761) % 50_000).collect::<Vec<_>>()];
    let found = anatomy(&columns, 50_000, 10).unwrap();
    assert_eq!(found.count, 40_000);
}
