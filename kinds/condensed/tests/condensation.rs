//! Condensation against the numbers of the source (papers FX-T6), its properties (T-AL7, T-AL8, T-TH10, DEF-7) and
//! statistics of large samples.

use privet_condensed::condense::{
    Condensation, CondenseError, Condensed, GroupStatistics, Grouping, Records, Stream,
};
use privet_data::{Cancelled, Progress, Silent};
use privet_recode::groups::Groups;
use proptest::prelude::*;

fn statistics(dimension: usize, values: &[f64]) -> GroupStatistics {
    let mut statistics = GroupStatistics::new(dimension);
    values.chunks_exact(dimension).for_each(|record| statistics.add(record));
    statistics
}

#[track_caller]
fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} is not {expected}");
}

fn options(k: u64, seed: u64) -> Condensation {
    Condensation { k, seed: Some(seed), ..Condensation::default() }
}

/// Numbers that look random, in [0, 1).
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[test]
fn fx_t6_rectangle() {
    let parent = statistics(2, &[0.0, 0.0, 2.0, 0.0, 0.0, 1.0, 2.0, 1.0]);
    assert_eq!(parent.records(), 4);
    assert_eq!([parent.sum(0), parent.sum(1)], [4.0, 2.0]);
    let products = [(0, 0, 8.0), (0, 1, 2.0), (1, 0, 2.0), (1, 1, 2.0)];
    products.into_iter().for_each(|(i, j, sum)| assert_near(parent.sum_of_products(i, j), sum, 1e-12));
    assert_near(parent.covariance(0, 0), 1.0, 1e-12);
    assert_near(parent.covariance(1, 1), 0.25, 1e-12);
    assert_near(parent.covariance(0, 1), 0.0, 1e-12);
    let axes = parent.axes(&[1.0, 1.0]);
    assert_near((12.0 * axes.variances()[0]).sqrt(), 3.464102, 1e-6);
    assert_near(axes.direction(0)[0], 1.0, 1e-12);
    assert_near(axes.direction(0)[1], 0.0, 1e-12);
    let children = parent.split(&[1.0, 1.0]).unwrap();
    let expected = [(1.866025, [7.464102, 1.866025, 1.0]), (0.133975, [0.535898, 0.133975, 1.0])];
    for (child, (mean, products)) in children.iter().zip(expected) {
        assert_eq!(child.records(), 2);
        assert_near(child.mean()[0], mean, 1e-6);
        assert_near(child.mean()[1], 0.5, 1e-6);
        assert_near(child.covariance(0, 0), 0.25, 1e-6);
        assert_near(child.covariance(1, 1), 0.25, 1e-6);
        assert_near(child.covariance(0, 1), 0.0, 1e-6);
        assert_near(child.sum_of_products(0, 0), products[0], 1e-6);
        assert_near(child.sum_of_products(0, 1), products[1], 1e-6);
        assert_near(child.sum_of_products(1, 1), products[2], 1e-6);
    }
}

#[test]
fn fx_t6_six_points() {
    let parent = statistics(2, &[1.0, 1.0, 2.0, 2.0, 3.0, 2.0, 4.0, 5.0, 5.0, 4.0, 6.0, 7.0]);
    assert_near(parent.covariance(0, 0), 2.916667, 1e-6);
    assert_near(parent.covariance(0, 1), 3.25, 1e-6);
    assert_near(parent.covariance(1, 1), 4.25, 1e-6);
    let axes = parent.axes(&[1.0, 1.0]);
    assert_near(axes.variances()[0], 6.901005, 1e-6);
    assert_near(axes.variances()[1], 0.265662, 1e-6);
    assert_near(axes.direction(0)[0], 0.632082, 1e-6);
    assert_near(axes.direction(0)[1], 0.774901, 1e-6);
    assert!(axes.direction(1)[0] > 0.0, "the first component of every direction is positive");
    assert_near((12.0 * axes.variances()[0]).sqrt(), 9.100113, 1e-6);
    let children = parent.split(&[1.0, 1.0]).unwrap();
    for (child, mean) in children.iter().zip([[4.938005, 5.262922], [2.061995, 1.737078]]) {
        assert_eq!(child.records(), 3);
        assert_near(child.mean()[0], mean[0], 1e-6);
        assert_near(child.mean()[1], mean[1], 1e-6);
        assert_near(child.covariance(0, 0), 0.848809, 1e-6);
        assert_near(child.covariance(0, 1), 0.714909, 1e-6);
        assert_near(child.covariance(1, 1), 1.142104, 1e-6);
    }
}

/// Formula 20.7 as printed gives 0 or worse here: the squares have no digits left for the covariance.
#[test]
fn large_numbers_close_together_keep_their_covariance() {
    let values: Vec<f64> = (0..10).flat_map(|n| [1e9 + f64::from(n), -1e9 + 2.0 * f64::from(n)]).collect();
    let found = statistics(2, &values);
    assert_near(found.covariance(0, 0), 8.25, 1e-9);
    assert_near(found.covariance(0, 1), 16.5, 1e-9);
    let axes = found.axes(&[1.0, 1.0]);
    assert_near(axes.variances()[0], 41.25, 1e-9);
    assert_eq!(axes.variances()[1], 0.0, "what rounding leaves of nothing is nothing");
}

#[test]
fn equal_records_split_into_equal_halves_and_odd_numbers_not_at_all() {
    let same = statistics(3, &[5.0; 12]);
    let [one, other] = same.split(&[1.0; 3]).unwrap();
    assert_eq!(one, other);
    assert_eq!((one.records(), one.mean(), one.covariance(0, 2)), (2, &[5.0; 3][..], 0.0));
    assert!(statistics(1, &[1.0, 2.0, 3.0]).split(&[1.0]).is_none());
    assert!(GroupStatistics::new(2).split(&[1.0; 2]).is_none());
    assert_eq!(GroupStatistics::new(0).axes(&[]).variances(), [0.0; 0]);
}

#[track_caller]
fn assert_alike(found: &GroupStatistics, expected: &GroupStatistics, scale: f64) {
    assert_eq!(found.records(), expected.records());
    let tolerance = 1e-9 * scale * scale * expected.records() as f64;
    for i in 0..expected.dimension() {
        assert_near(found.sum(i), expected.sum(i), tolerance);
        for j in 0..expected.dimension() {
            assert_near(found.sum_of_products(i, j), expected.sum_of_products(i, j), tolerance);
        }
    }
}

/// A table of `dimension` columns whose number of records is even.
fn table() -> impl Strategy<Value = (usize, Vec<f64>)> {
    (1usize..5, 1usize..12).prop_flat_map(|(dimension, half)| {
        let number = prop_oneof![-100.0..100.0f64, Just(0.0), (0i8..4).prop_map(f64::from)];
        (Just(dimension), prop::collection::vec(number, 2 * half * dimension))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// T-AL8: the statistics of the halves add up to those of the whole, whatever the units.
    #[test]
    fn halves_add_up((dimension, values) in table(), unit in 0.1..10.0f64) {
        let whole = statistics(dimension, &values);
        let units: Vec<f64> = (0..dimension).map(|i| unit.powi(i as i32)).collect();
        let [mut sum, other] = whole.split(&units).unwrap();
        prop_assert_eq!(sum.records(), other.records());
        for i in 0..dimension {
            prop_assert!(sum.covariance(i, i) >= 0.0);
        }
        sum.merge(&other);
        assert_alike(&sum, &whole, 100.0);
        // T-TH10: the variance along the axis is a quarter, the others stay.
        let (before, after) = (whole.axes(&units), other.axes(&units));
        let mut expected = before.variances().to_vec();
        expected[0] /= 4.0;
        expected.sort_by(|a, b| b.total_cmp(a));
        for (found, expected) in after.variances().iter().zip(&expected) {
            prop_assert!((found - expected).abs() <= 1e-9 * before.variances()[0].max(1e-9), "{:?}", (found, expected));
        }
    }

    #[test]
    fn merging_is_adding((dimension, values) in table(), cut in 0usize..24) {
        let cut = (cut * dimension).min(values.len());
        let mut merged = statistics(dimension, &values[..cut]);
        merged.merge(&statistics(dimension, &values[cut..]));
        let whole = statistics(dimension, &values);
        assert_alike(&merged, &whole, 100.0);
        for i in 0..dimension {
            let sum: f64 = values.iter().skip(i).step_by(dimension).sum();
            prop_assert!((whole.sum(i) - sum).abs() < 1e-9);
            let column = || values.iter().skip(i).step_by(dimension);
            let products: f64 = column().map(|x| x * x).sum();
            prop_assert!((whole.sum_of_products(i, i) - products).abs() < 1e-7);
        }
    }

    /// Every record is in a group of at least k, and the mean of what is published is that of the group (DEF-7).
    #[test]
    fn groups_are_condensed((dimension, values) in table(), k in 2u64..6, classes in 1u32..4, seed: u64) {
        let count = values.len() / dimension;
        let labels: Vec<u32> = (0..count as u32).map(|n| n % classes * 7).collect();
        let records = Records { dimension, values: &values };
        let size = |class: u32| labels.iter().filter(|&&label| label == class).count() as u64;
        let of_classes: Vec<u64> = (0..classes).map(|class| size(class * 7)).collect();
        let found = options(k, seed).condense(&records, Some(&labels), &Silent);
        let largest = *of_classes.iter().max().unwrap();
        if largest < k {
            prop_assert_eq!(found, Err(CondenseError::TooFew { records: largest, k }));
            return Ok(());
        }
        let found = found.unwrap();
        prop_assert_eq!(found.withheld, of_classes.iter().filter(|&&size| size < k).sum::<u64>());
        prop_assert_eq!(found.len() as u64 + found.withheld, count as u64);
        prop_assert!(found.smallest_group() >= k);
        for class in 0..classes {
            let mut merged = GroupStatistics::new(dimension);
            let groups = found.groups.iter().filter(|group| group.class == Some(class * 7));
            groups.for_each(|group| merged.merge(&group.statistics));
            let of_class = values.chunks_exact(dimension).zip(&labels).filter(|(_, label)| **label == class * 7);
            let values: Vec<f64> = of_class.flat_map(|(record, _)| record.to_vec()).collect();
            if size(class * 7) >= k {
                assert_alike(&merged, &statistics(dimension, &values), 100.0);
            }
        }
        for group in &found.groups {
            let drawn = statistics(dimension, &group.records);
            prop_assert_eq!(drawn.records(), group.statistics.records());
            for (found, expected) in drawn.mean().iter().zip(group.statistics.mean()) {
                prop_assert!((found - expected).abs() < 1e-9, "{} is not {}", found, expected);
            }
        }
    }

    /// Sizes, sums and numbers of a stream at every moment.
    #[test]
    fn streams_keep_their_promises(
        dimension in 1usize..4, k in 2u64..6, count in 0usize..80, alpha in prop_oneof![Just(1.0), 0.1..3.0f64],
        kinds in 1u32..40, seed: u64,
    ) {
        let mut next = noise(seed);
        let values: Vec<f64> = (0..count * dimension).map(|_| (next() * f64::from(kinds)).floor()).collect();
        let options = Condensation { alpha, ..options(k, seed) };
        let mut stream = Stream::new(&options, dimension, 0).unwrap();
        let mut out = Vec::new();
        for (number, record) in values.chunks_exact(dimension).enumerate() {
            let before = out.len();
            stream.push(record, &mut out).unwrap();
            let groups: Vec<GroupStatistics> = stream.groups().collect();
            let sizes: Vec<u64> = groups.iter().map(GroupStatistics::records).collect();
            let least = if groups.len() > 1 { k } else { 1 };
            prop_assert!(sizes.iter().all(|size| (least..2 * k).contains(size)), "{:?}", sizes);
            prop_assert_eq!(sizes.iter().sum::<u64>(), number as u64 + 1);
            prop_assert!((number as u64 + 1) >= 2 * k || out.is_empty(), "nothing before a group has filled");
            let due = (alpha * stream.summary().represented as f64).round();
            prop_assert_eq!((out.len() / dimension) as f64, due);
            prop_assert!(out.len() == before || stream.summary().smallest_set >= k);
            // The groups together still are all the records that came.
            let mut merged = GroupStatistics::new(dimension);
            groups.iter().for_each(|group| merged.merge(group));
            assert_alike(&merged, &statistics(dimension, &values[..(number + 1) * dimension]), 40.0);
        }
        let summary = stream.finish(&mut out);
        prop_assert_eq!(summary.records, count as u64);
        prop_assert_eq!(summary.published as usize, out.len() / dimension);
        if (count as u64) < k {
            prop_assert!(out.is_empty());
            prop_assert_eq!((summary.withheld, summary.sets), (count as u64, 0));
            return Ok(());
        }
        prop_assert_eq!((summary.represented, summary.withheld), (count as u64, 0));
        prop_assert_eq!(summary.published as f64, (alpha * count as f64).round());
        prop_assert!(summary.smallest_set >= k && summary.counted_only < k);
        if summary.counted_only == 0 && alpha == 1.0 {
            // Each record is in one set, and each set keeps its mean.
            let (found, expected) = (statistics(dimension, &out), statistics(dimension, &values));
            for (found, expected) in found.mean().iter().zip(expected.mean()) {
                prop_assert!((found - expected).abs() < 1e-9, "{} is not {}", found, expected);
            }
        }
    }
}

/// Two records more than a group can take: nothing of the late ones is told, whatever they are.
#[test]
fn fewer_than_k_late_records_change_nothing_but_the_number() {
    let published = |late: [f64; 2]| {
        let mut stream = Stream::new(&options(3, 5), 1, 0).unwrap();
        let mut out = Vec::new();
        for x in [1.0, 2.0, 3.0, 10.0, 11.0, 12.0].into_iter().chain(late) {
            stream.push(&[x], &mut out).unwrap();
        }
        assert_eq!(out.len(), 6);
        let summary = Stream::finish(stream, &mut out);
        assert_eq!((summary.published, summary.counted_only, summary.smallest_set), (8, 2, 6));
        out
    };
    // Both streams have the same units: they are those of the first six.
    assert_eq!(published([2.0, 11.0]), published([-1e6, 1e6]));
}

/// False-alarm rate of all checks together: below 1e-6 over seeds. Each deviation is below 6.5 standard errors, which a
/// normal variable exceeds with probability 8e-11; a sum of uniform variables has a kurtosis of at most 3, so the
/// standard error of a covariance is at most √(3·C(i,i)·C(j,j)/n).
#[test]
fn moments_of_a_large_sample_are_those_of_the_group() {
    let mut next = noise(3);
    let values: Vec<f64> = (0..40)
        .flat_map(|_| {
            let (a, b, c) = (next(), next(), next());
            [1e6 + 1e4 * a, 30.0 + 10.0 * a + 5.0 * b, c * c]
        })
        .collect();
    let records = Records { dimension: 3, values: &values };
    let all = Groups { of: vec![0; 40], count: 1 };
    for (standardize, recentre) in [(true, false), (false, false), (true, true)] {
        let options = Condensation { alpha: 500.0, recentre, standardize, ..options(40, 11) };
        let found = options.condense_groups(&records, &all, None, &Silent).unwrap();
        let group = &found.groups[0];
        let (expected, drawn) = (&group.statistics, statistics(3, &group.records));
        let n = 20_000.0f64;
        assert_eq!(drawn.records() as f64, n);
        for i in 0..3 {
            let error = if recentre { 1e-9 } else { 6.5 * (expected.covariance(i, i) / n).sqrt() };
            assert_near(drawn.mean()[i], expected.mean()[i], error.max(1e-9 * expected.mean()[i].abs()));
            for j in 0..3 {
                let error = (3.0 * expected.covariance(i, i) * expected.covariance(j, j) / n).sqrt();
                // A little more, for the mean of the sample stands for that of the group.
                assert_near(drawn.covariance(i, j), expected.covariance(i, j), 6.6 * error);
            }
        }
        // Uniform along the axes: a value is never farther than √(3λ) summed over them.
        let far = |group: &[f64]| {
            (group[2] - expected.mean()[2]).abs() > 3.0 * 3.0 * expected.covariance(2, 2).sqrt()
        };
        assert!(!group.records.chunks_exact(3).any(far));
    }
}

/// Re-centring must not take variance away: over many groups of four the mean covariance is that of the groups.
/// False-alarm rate 2e-9 over seeds: 6 standard errors, taken from the 6,000 groups themselves.
#[test]
fn recentred_groups_keep_their_variance_in_expectation() {
    const GROUPS: u32 = 6_000;
    let values: Vec<f64> = (0..GROUPS).flat_map(|_| [0.0, 1.0, 5.0, 6.0]).collect();
    let groups = Groups { of: (0..4 * GROUPS).map(|record| record / 4).collect(), count: GROUPS as usize };
    let records = Records { dimension: 1, values: &values };
    let found = options(4, 21).condense_groups(&records, &groups, None, &Silent).unwrap();
    let variances: Vec<f64> =
        found.groups.iter().map(|group| statistics(1, &group.records).covariance(0, 0)).collect();
    let of_variances = statistics(1, &variances);
    assert_near(
        of_variances.mean()[0],
        6.5,
        6.0 * (of_variances.covariance(0, 0) / f64::from(GROUPS)).sqrt(),
    );
}

fn demo(count: usize) -> Vec<f64> {
    let mut next = noise(9);
    (0..count).flat_map(|_| [20.0 + 60.0 * next(), 1e4 + 9e4 * next(), (next() * 3.0).floor()]).collect()
}

#[test]
fn equal_seeds_give_equal_records_on_any_number_of_threads() {
    let values = demo(500);
    let records = Records { dimension: 3, values: &values };
    let run = |threads, seed| -> Condensed {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| options(7, seed).condense(&records, None, &Silent).unwrap())
    };
    assert_eq!(run(1, 4), run(3, 4));
    assert_ne!(run(1, 4), run(1, 5));
    let stream = |seed, number| {
        let mut stream = Stream::new(&options(7, seed), 3, number).unwrap();
        let mut out = Vec::new();
        values.chunks_exact(3).for_each(|record| stream.push(record, &mut out).unwrap());
        stream.finish(&mut out);
        out
    };
    assert_eq!(stream(4, 0), stream(4, 0));
    assert_ne!(stream(4, 0), stream(5, 0));
    assert_ne!(stream(4, 0), stream(4, 1));
    let unseeded = Condensation { seed: None, ..options(7, 0) };
    let run = || unseeded.condense(&records, None, &Silent).unwrap();
    assert_ne!(run(), run(), "without a seed nothing repeats");
}

/// A column of large numbers must not decide alone: with units both columns are followed, without them one is not.
#[test]
fn units_let_small_columns_count() {
    let mut next = noise(2);
    let values: Vec<f64> = (0..2000).flat_map(|_| [next(), 1e6 * next()]).collect();
    let records = Records { dimension: 2, values: &values };
    let within = |standardize| {
        let found = Condensation { standardize, ..options(10, 1) }.condense(&records, None, &Silent).unwrap();
        let inside: f64 = found
            .groups
            .iter()
            .map(|group| group.statistics.covariance(0, 0) * group.statistics.records() as f64)
            .sum();
        inside / (2000.0 * statistics(2, &values).covariance(0, 0))
    };
    assert!(within(true) < 0.05, "{}", within(true));
    assert!(within(false) > 0.5, "{}", within(false));
}

#[test]
fn constant_columns_and_duplicates_stay_what_they_are() {
    let values: Vec<f64> = (0..3000).flat_map(|_| [7.5, -2.0]).collect();
    let found = options(5, 1).condense(&Records { dimension: 2, values: &values }, None, &Silent).unwrap();
    assert_eq!(found.len(), 3000);
    assert!(
        found.groups.iter().all(|group| group.records.chunks_exact(2).all(|record| record == [7.5, -2.0]))
    );
    let mut stream = Stream::new(&options(5, 1), 2, 0).unwrap();
    let mut out = Vec::new();
    values.chunks_exact(2).for_each(|record| stream.push(record, &mut out).unwrap());
    stream.finish(&mut out);
    assert_eq!(out, values);
}

#[test]
fn alpha_sets_the_number_of_records() {
    let values = demo(100);
    let records = Records { dimension: 3, values: &values };
    for (alpha, expected) in [(0.001, 10), (0.25, 30), (2.0, 200), (1000.0, 100_000)] {
        let run = Condensation { alpha, ..options(10, 3) };
        // Ten groups of ten: 2.5 is rounded to 3, and no group is left without a record.
        assert_eq!(run.condense(&records, None, &Silent).unwrap().len(), expected, "{alpha}");
    }
}

#[test]
fn bad_parameters_and_records_are_refused() {
    let values = demo(20);
    let records = Records { dimension: 3, values: &values };
    let refused = |options: Condensation| {
        let found = options.condense(&records, None, &Silent).unwrap_err();
        assert_eq!(Some(&found), Stream::new(&options, 3, 0).err().as_ref());
        assert_eq!(
            Some(&found),
            options.condense_groups(&records, &Groups::default(), None, &Silent).err().as_ref()
        );
        found.to_string()
    };
    for k in [0, 1, u64::MAX] {
        assert!(refused(options(k, 0)).starts_with("k must be"), "{k}");
    }
    for alpha in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1000.1] {
        let message = refused(Condensation { alpha, ..options(2, 0) });
        assert_eq!(message, "alpha must be a number above 0 and at most 1000");
    }
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1.1e60] {
        let mut values = values.clone();
        values[7] = bad;
        let found = options(2, 0).condense(&Records { dimension: 3, values: &values }, None, &Silent);
        assert_eq!(found, Err(CondenseError::Number { record: 3, column: 2 }));
        let mut stream = Stream::new(&options(2, 0), 1, 0).unwrap();
        assert_eq!(stream.push(&[bad], &mut Vec::new()), Err(CondenseError::Number { record: 1, column: 1 }));
        assert_eq!(stream.summary().records, 0);
    }
    let condense = |dimension, values: &[f64], classes: Option<&[u32]>| {
        options(2, 0).condense(&Records { dimension, values }, classes, &Silent).unwrap_err()
    };
    assert!(matches!(condense(0, &[], None), CondenseError::Shape(_)));
    assert!(matches!(condense(2, &[1.0; 3], None), CondenseError::Shape(_)));
    assert!(matches!(condense(1, &[1.0; 3], Some(&[0])), CondenseError::Shape(_)));
    assert_eq!(condense(1, &[], None), CondenseError::TooFew { records: 0, k: 2 });
    assert_eq!(condense(1, &[1.0; 3], Some(&[0, 1, 2])), CondenseError::TooFew { records: 1, k: 2 });
    let mut stream = Stream::new(&options(2, 0), 2, 0).unwrap();
    assert!(matches!(stream.push(&[1.0], &mut Vec::new()), Err(CondenseError::Shape(_))));
    assert!(matches!(Stream::new(&options(2, 0), 0, 0), Err(CondenseError::Shape(_))));
    let groups =
        |of: Vec<u32>, count| options(2, 0).condense_groups(&records, &Groups { of, count }, None, &Silent);
    assert!(matches!(groups(vec![0; 3], 1), Err(CondenseError::Shape(_))));
    assert!(matches!(groups(vec![1; 20], 1), Err(CondenseError::Shape(_))));
    let mut of = vec![0; 20];
    of[4] = 1;
    assert_eq!(groups(of, 2), Err(CondenseError::SmallGroup { records: 1, small: 1, groups: 2, k: 2 }));
    assert_eq!(groups(vec![2; 20], 4).unwrap().groups.len(), 1, "groups that nobody is in do not matter");
}

#[test]
fn the_largest_and_smallest_numbers_do_not_overflow() {
    let values: Vec<f64> = (0..40)
        .flat_map(|n| [if n % 2 == 0 { 1e60 } else { -1e60 }, f64::from(n) * 1e-300, f64::from(n % 7)])
        .collect();
    let found = options(4, 1).condense(&Records { dimension: 3, values: &values }, None, &Silent).unwrap();
    assert!(found.groups.iter().all(|group| group.records.iter().all(|x| x.is_finite())));
    let mut stream = Stream::new(&options(4, 1), 3, 0).unwrap();
    let mut out = Vec::new();
    // The units are found while everything is tiny.
    for n in 0..8 {
        stream.push(&[f64::from(n) * 1e-59, 0.0, 1.0], &mut out).unwrap();
    }
    values.chunks_exact(3).for_each(|record| stream.push(record, &mut out).unwrap());
    stream.finish(&mut out);
    assert_eq!(out.len(), 3 * 48);
    assert!(out.iter().all(|x| x.is_finite()));
}

#[test]
fn ctrl_c_is_heard() {
    struct Stop;
    impl Progress for Stop {
        fn stage(&self, _: &str, _: Option<u64>) {}
        fn at(&self, _: u64) {}
        fn cancelled(&self) -> bool {
            true
        }
    }
    let values = demo(20);
    let records = Records { dimension: 3, values: &values };
    let stopped = Err(CondenseError::Cancelled(Cancelled));
    assert_eq!(options(2, 0).condense(&records, None, &Stop), stopped);
    let groups = Groups { of: vec![0; 20], count: 1 };
    assert_eq!(options(2, 0).condense_groups(&records, &groups, None, &Stop), stopped);
}

#[test]
fn options_are_read_from_a_job() {
    let read = |text: &str| serde_json::from_str::<Condensation>(text);
    assert_eq!(read("{}").unwrap(), Condensation::default());
    let expected = Condensation {
        k: 3,
        alpha: 0.5,
        seed: Some(1),
        recentre: false,
        standardize: false,
        grouping: Grouping::VMdav,
        gamma: Some(1.0),
    };
    let text = r#"{"k": 3, "alpha": 0.5, "seed": 1, "recentre": false, "standardize": false,
                   "grouping": "v-mdav", "gamma": 1}"#;
    assert_eq!(read(text).unwrap(), expected);
    assert!(read(r#"{"l": 3}"#).is_err());
}

const GROUPINGS: [Grouping; 4] = [Grouping::Nearest, Grouping::Mdav, Grouping::VMdav, Grouping::Mondrian];

/// Whatever finds the groups: each has at least k records, none is lost, and the mean of all stays.
#[test]
fn every_grouping_keeps_k_and_the_means() {
    let values = demo(203);
    let records = Records { dimension: 3, values: &values };
    let whole = statistics(3, &values);
    for grouping in GROUPINGS {
        let options = Condensation { grouping, ..options(6, 3) };
        let found = options.condense(&records, None, &Silent).unwrap();
        assert!(found.smallest_group() >= 6, "{grouping:?}");
        let sizes: Vec<u64> = found.groups.iter().map(|group| group.statistics.records()).collect();
        assert_eq!(sizes.iter().sum::<u64>(), 203, "{grouping:?}");
        if matches!(grouping, Grouping::Mdav | Grouping::VMdav) {
            assert!(sizes.iter().all(|&size| size < 12), "{grouping:?} {sizes:?}");
        }
        assert!(sizes.len() > 15, "{grouping:?} {sizes:?}");
        let drawn: Vec<f64> = found.groups.iter().flat_map(|group| group.records.clone()).collect();
        for column in 0..3 {
            let mean = statistics(3, &drawn).mean()[column];
            assert_near(mean, whole.mean()[column], 1e-9 * whole.mean()[column].abs().max(1.0));
        }
        assert_eq!(options.condense(&records, None, &Silent).unwrap(), found, "{grouping:?}");
    }
}

/// Clusters of k far apart are the groups, whichever way finds them: the statistics are those of the clusters.
#[test]
fn every_grouping_finds_clusters() {
    let clusters = [0.0, 100.0, 200.0, 300.0];
    let values: Vec<f64> = clusters
        .into_iter()
        .flat_map(|at| (0..5).flat_map(move |n| [at + f64::from(n), at - f64::from(n)]))
        .collect();
    let records = Records { dimension: 2, values: &values };
    for grouping in GROUPINGS {
        let found = Condensation { grouping, ..options(5, 8) }.condense(&records, None, &Silent).unwrap();
        let mut means: Vec<f64> = found.groups.iter().map(|group| group.statistics.mean()[0]).collect();
        means.sort_by(f64::total_cmp);
        assert_eq!(means, [2.0, 102.0, 202.0, 302.0], "{grouping:?}");
    }
}

/// Classes part given groups, and every part needs k records.
#[test]
fn given_groups_are_parted_by_classes() {
    let values: Vec<f64> = (0..12).map(f64::from).collect();
    let records = Records { dimension: 1, values: &values };
    let groups = Groups { of: (0..12).map(|n| n / 6).collect(), count: 2 };
    let classes = |of: fn(u32) -> u32| (0..12).map(of).collect::<Vec<u32>>();
    let condense =
        |k, classes: &[u32]| options(k, 5).condense_groups(&records, &groups, Some(classes), &Silent);
    let found = condense(3, &classes(|n| n % 2)).unwrap();
    let mut sets: Vec<(Option<u32>, u64, f64)> = found
        .groups
        .iter()
        .map(|group| (group.class, group.statistics.records(), group.statistics.mean()[0]))
        .collect();
    sets.sort_by(|a, b| a.2.total_cmp(&b.2));
    assert_eq!(sets, [(Some(0), 3, 2.0), (Some(1), 3, 3.0), (Some(0), 3, 8.0), (Some(1), 3, 9.0)]);
    let small = |records, small, groups, k| Err(CondenseError::SmallGroup { records, small, groups, k });
    assert_eq!(condense(4, &classes(|n| n % 2)), small(3, 4, 4, 4));
    assert_eq!(condense(2, &classes(|n| u32::from(n == 7))), small(1, 1, 3, 2));
    assert!(matches!(condense(2, &[0; 3]), Err(CondenseError::Shape(_))));
}

/// Where a group stands in the output does not tell which record came first.
#[test]
fn the_order_of_groups_tells_nothing_of_the_order_of_records() {
    let values: Vec<f64> = (0..30).map(f64::from).collect();
    let records = Records { dimension: 1, values: &values };
    let groups = Groups { of: (0..30).map(|n| n / 3).collect(), count: 10 };
    let place_of_first =
        |found: Condensed| found.groups.iter().position(|group| group.statistics.mean()[0] < 2.5).unwrap();
    for grouping in [None, Some(Grouping::Mdav), Some(Grouping::Mondrian)] {
        let mut seen = [false; 10];
        for seed in 0..200 {
            let found = match grouping {
                None => options(3, seed).condense_groups(&records, &groups, None, &Silent),
                Some(grouping) => {
                    Condensation { grouping, ..options(3, seed) }.condense(&records, None, &Silent)
                }
            };
            let found = found.unwrap();
            let at = place_of_first(found);
            seen[at.min(9)] = true;
        }
        // A place that is never taken in 200 draws out of ten: at most 10 · 0.9²⁰⁰ < 1e-8. Mondrian has fewer groups.
        let least = if grouping == Some(Grouping::Mondrian) { 5 } else { 10 };
        assert!(seen.iter().filter(|seen| **seen).count() >= least, "{grouping:?} {seen:?}");
    }
}

#[test]
fn gamma_goes_with_v_mdav_only() {
    let check = |grouping, gamma| {
        let options = Condensation { grouping, gamma: Some(gamma), ..options(2, 0) };
        options.check().map_err(|error| error.to_string())
    };
    assert_eq!(check(Grouping::VMdav, 1.1), Ok(()));
    for grouping in [Grouping::Nearest, Grouping::Mdav, Grouping::Mondrian] {
        let refused = check(grouping, 0.2).unwrap_err();
        assert_eq!(refused, "gamma goes with the grouping v-mdav only");
    }
    for gamma in [-0.1, f64::NAN, f64::INFINITY] {
        let refused = check(Grouping::VMdav, gamma).unwrap_err();
        assert_eq!(refused, "gamma must be a number of at least 0");
    }
}
