//! The golden example of the survey; MDAV and V-MDAV against straightforward ones written here from the definitions, for
//! numbers and for Gower's distance; sizes, means, SSE and SST of numbers.

use super::*;

use std::collections::BTreeMap;

use privet_recode::cluster::{Categories, Points, Scale, mdav};
use proptest::prelude::*;

/// Survey FX-4.5: mean age and mode sex of three groups.
#[test]
fn means_and_modes_of_the_survey() {
    let columns = [
        Column::new(&["25", "23", "20", "27", "19", "24", "40", "30"], true),
        Column::new(&["M", "M", "F", "F", "F", "F", "F", "F"], false),
    ];
    let groups = Groups { of: vec![0, 0, 0, 1, 1, 1, 2, 2], count: 3 };
    let rows = shown(&columns, &groups, Represent::Means);
    let mean = |row: &Vec<String>| row[0].parse::<f64>().unwrap();
    for (row, age, sex) in [(0, 22.67, "M"), (3, 23.33, "F"), (6, 35.0, "F")] {
        assert!((mean(&rows[row]) - age).abs() < 0.005, "{rows:?}");
        assert_eq!(rows[row][1], sex);
    }
    // By age alone with k = 2 the optimum is 19 20 | 23 24 25 27 | 30 40 or better, and found without sex.
    let ages = &columns[..1];
    let found = search(ages, 2, &by(Method::Univariate)).unwrap();
    assert_eq!(shown(ages, &found.groups, Represent::Means)[4], ["19.5"]);
}

// ---- MDAV from its definition: every step looks at all records and sorts.

struct MetricSpace<'a, C> {
    distance: &'a dyn Fn(usize, usize) -> f64,
    center: &'a dyn Fn(&[usize]) -> C,
    to_center: &'a dyn Fn(&C, usize) -> f64,
    between: &'a dyn Fn(&C, &C) -> f64,
}

fn farthest(from: &[usize], distance: impl Fn(usize) -> f64) -> usize {
    let mut sorted: Vec<usize> = from.to_vec();
    sorted.sort_by(|&a, &b| distance(b).total_cmp(&distance(a)).then(a.cmp(&b)));
    sorted[0]
}

fn with_nearest(
    seed: usize,
    k: usize,
    left: &mut Vec<usize>,
    distance: &dyn Fn(usize, usize) -> f64,
) -> Vec<usize> {
    left.retain(|&r| r != seed);
    let mut sorted = left.clone();
    sorted.sort_by(|&a, &b| distance(seed, a).total_cmp(&distance(seed, b)).then(a.cmp(&b)));
    let group: Vec<usize> = std::iter::once(seed).chain(sorted.into_iter().take(k - 1)).collect();
    left.retain(|r| !group.contains(r));
    group
}

fn straightforward_mdav<C>(n: usize, k: usize, space: &MetricSpace<'_, C>) -> Groups {
    let mut left: Vec<usize> = (0..n).collect();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    while left.len() >= 2 * k {
        let center = (space.center)(&left);
        let r = farthest(&left, |record| (space.to_center)(&center, record));
        groups.push(with_nearest(r, k, &mut left, space.distance));
        let s = farthest(&left, |record| (space.distance)(r, record));
        groups.push(with_nearest(s, k, &mut left, space.distance));
    }
    if left.len() >= k || groups.is_empty() {
        groups.push(left);
    } else if !left.is_empty() {
        let center = (space.center)(&left);
        let far = |group: &Vec<usize>| (space.between)(&(space.center)(group), &center);
        let nearest = (0..groups.len()).min_by(|&a, &b| far(&groups[a]).total_cmp(&far(&groups[b]))).unwrap();
        groups[nearest].extend(left);
    }
    name(n, &groups)
}

fn straightforward_v_mdav<C>(n: usize, k: usize, gamma: f64, space: &MetricSpace<'_, C>) -> Groups {
    let all: Vec<usize> = (0..n).collect();
    let center = (space.center)(&all);
    let mut left = all;
    let mut groups: Vec<Vec<usize>> = Vec::new();
    while left.len() >= k {
        let seed = farthest(&left, |record| (space.to_center)(&center, record));
        let mut group = with_nearest(seed, k, &mut left, space.distance);
        while group.len() < 2 * k - 1 && left.len() > k {
            let d_in =
                |e: usize| group.iter().map(|&m| (space.distance)(m, e)).fold(f64::INFINITY, f64::min).sqrt();
            let e = *left.iter().min_by(|&&a, &&b| d_in(a).total_cmp(&d_in(b)).then(a.cmp(&b))).unwrap();
            let others = left.iter().filter(|&&o| o != e);
            let d_out = others.map(|&o| (space.distance)(e, o)).fold(f64::INFINITY, f64::min).sqrt();
            if d_in(e) >= gamma * d_out {
                break;
            }
            left.retain(|&r| r != e);
            group.push(e);
        }
        groups.push(group);
    }
    if groups.is_empty() {
        groups.push(left.clone());
        left.clear();
    }
    let centers: Vec<C> = groups.iter().map(|group| (space.center)(group)).collect();
    for record in left {
        let far = |g: usize| (space.to_center)(&centers[g], record);
        let open = (0..groups.len()).filter(|&g| groups[g].len() < 2 * k - 1);
        let nearest = open.min_by(|&a, &b| far(a).total_cmp(&far(b))).unwrap();
        groups[nearest].push(record);
    }
    name(n, &groups)
}

fn name(n: usize, groups: &[Vec<usize>]) -> Groups {
    let mut names = vec![0; n];
    for (number, group) in groups.iter().enumerate() {
        group.iter().for_each(|&record| names[record] = number as u32);
    }
    Groups::numbered(&names)
}

fn euclidean(rows: &[Vec<f64>], run: impl FnOnce(&MetricSpace<'_, Vec<f64>>) -> Groups) -> Groups {
    let width = rows[0].len();
    let squared = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
    let center = |records: &[usize]| -> Vec<f64> {
        let sum = |c: usize| records.iter().map(|&r| rows[r][c]).sum::<f64>();
        (0..width).map(|c| sum(c) / records.len() as f64).collect()
    };
    run(&MetricSpace {
        distance: &|a, b| squared(&rows[a], &rows[b]),
        center: &center,
        to_center: &|center, record| squared(center, &rows[record]),
        between: &|a, b| squared(a, b),
    })
}

/// Rows of whole numbers, whose sums are exact: ties are real ties.
fn grids(widths: std::ops::Range<usize>, most: usize) -> impl Strategy<Value = Vec<Vec<f64>>> {
    (widths, 1usize..most, 1u32..7).prop_flat_map(|(width, rows, values)| {
        prop::collection::vec(prop::collection::vec((0..values).prop_map(f64::from), width), rows)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn mdav_is_what_its_definition_says(rows in grids(1..6, 70), k in 1usize..7) {
        let points = Points::new(rows.len(), rows.concat());
        let expected = euclidean(&rows, |space| straightforward_mdav(rows.len(), k, space));
        prop_assert_eq!(&mdav::plain(&points, k, &Silent).unwrap(), &expected, "plain");
        prop_assert_eq!(&mdav::fast(&points, k, &Silent).unwrap(), &expected, "fast");
        if rows.len() >= k {
            prop_assert!(sizes(&expected).iter().all(|size| (k..2 * k).contains(size)));
        }
    }

    /// Every width has its own tree; wide ones have none.
    #[test]
    fn mdav_in_every_width(rows in grids(1..19, 60), k in 2usize..5) {
        let points = Points::new(rows.len(), rows.concat());
        let expected = mdav::plain(&points, k, &Silent).unwrap();
        prop_assert_eq!(mdav::fast(&points, k, &Silent).unwrap(), expected);
    }
}

/// Thousands of points, so that the tree is deep and is built anew many times; with and without ties, clustered, and
/// with one coordinate that dwarfs the rest.
#[test]
fn fast_and_plain_agree_on_many_points() {
    for (seed, width, k) in [(1, 1, 3), (2, 2, 5), (3, 4, 5), (4, 4, 50), (5, 7, 10), (6, 11, 9)] {
        let uniform = noise(2000 * width, seed);
        let coarse = uniform.iter().map(|x| (x * 6.0).floor()).collect();
        let thirds = uniform.iter().map(|x| (x * 9.0).floor() / 3.0 + 0.1).collect();
        let skewed = uniform.iter().map(|x| (-x.ln()).powi(3)).collect();
        for values in [uniform, coarse, thirds, skewed] {
            let points = Points::new(2000, values);
            let fast = mdav::fast(&points, k, &Silent).unwrap();
            assert_eq!(fast, mdav::plain(&points, k, &Silent).unwrap(), "{seed}");
            assert!(sizes(&fast).iter().all(|size| (k..2 * k).contains(size)));
        }
    }
}

/// All at one place: groups are formed in the order of the records, and quickly.
#[test]
fn equal_points() {
    let points = Points::new(20_001, vec![0.5; 40_002]);
    let groups = mdav::fast(&points, 5, &Silent).unwrap();
    assert_eq!(groups.of[..11], [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2]);
    assert_eq!(groups.of[20_000], 0, "the last one joins the first of the equally near groups");
    assert_eq!(mdav::fast(&Points::new(3, Vec::new()), 2, &Silent).unwrap().count, 1, "no coordinate");
}

// ---- The search on problems.

/// Columns of numbers 0 to 4 (0 and 4 occur, so that their range is known), categories, and missing values.
fn mixed_columns() -> impl Strategy<Value = Vec<Vec<u32>>> {
    (1usize..4, 2usize..40)
        .prop_flat_map(|(columns, rows)| prop::collection::vec(prop::collection::vec(0u32..6, rows), columns))
}

fn meet(a: u32, b: u32) -> f64 {
    let pair = |x: u32, y: u32| (a == x && b == y) || (a == y && b == x);
    if a == b {
        0.0
    } else if pair(0, 1) {
        2.0 / 6.0
    } else if a >= 2 && b >= 2 && a <= 4 && b <= 4 {
        3.0 / 6.0
    } else if a <= 4 && b <= 4 {
        5.0 / 6.0
    } else {
        1.0
    }
}

/// The first column is of numbers (5 is missing), the others are categories.
fn build_mixed(codes: &[Vec<u32>]) -> Vec<Column> {
    let text = |column: usize, code: u32| match (column, code) {
        (0, 5) => "?",
        (0, code) => ["0", "1", "2", "3", "4"][code as usize],
        (_, code) => ["a", "b", "c", "d", "e", "f"][code as usize],
    };
    codes
        .iter()
        .enumerate()
        .map(|(i, codes)| {
            let texts: Vec<&str> = codes.iter().map(|&code| text(i, code)).collect();
            if i == 0 { Column::new(&texts, true) } else { Column::with_hierarchy(&texts, false, tree) }
        })
        .collect()
}

fn gower(
    codes: &[Vec<u32>],
    by_tree: bool,
    run: impl FnOnce(&MetricSpace<'_, Vec<f64>>) -> Groups,
) -> Groups {
    let cell = |column: usize, a: f64, b: f64| -> f64 {
        if column > 0 {
            let d = if by_tree { meet(a as u32, b as u32) } else { f64::from(u8::from(a != b)) };
            d * d
        } else if a == 5.0 || b == 5.0 {
            f64::from(u8::from(a != b))
        } else {
            (a / 4.0 - b / 4.0) * (a / 4.0 - b / 4.0)
        }
    };
    let squared = |a: &[f64], b: &[f64]| (0..a.len()).map(|c| cell(c, a[c], b[c])).sum::<f64>();
    let row = |r: usize| -> Vec<f64> { codes.iter().map(|column| f64::from(column[r])).collect() };
    let center = |records: &[usize]| -> Vec<f64> {
        let values = |c: usize| records.iter().map(move |&r| codes[c][r]);
        let mean = |c: usize| {
            let known: Vec<f64> = values(c).filter(|&v| v < 5).map(f64::from).collect();
            if known.is_empty() { 5.0 } else { known.iter().sum::<f64>() / known.len() as f64 }
        };
        let mode = |c: usize| {
            let count = |v: &u32| values(c).filter(|x| x == v).count();
            f64::from((0..6u32).rev().max_by_key(count).unwrap())
        };
        (0..codes.len()).map(|c| if c == 0 { mean(c) } else { mode(c) }).collect()
    };
    run(&MetricSpace {
        distance: &|a, b| squared(&row(a), &row(b)),
        center: &center,
        to_center: &|center, record| squared(center, &row(record)),
        between: &|a, b| squared(a, b),
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn mixed_data_by_gower(mut codes in mixed_columns(), k in 2usize..6, by_tree: bool, gamma in 0usize..4) {
        prop_assume!(codes[0].len() >= k);
        (codes[0][0], codes[0][1]) = (0, 4);
        let columns = build_mixed(&codes);
        let gamma = [0.0, 0.2, 1.0, 3.0][gamma];
        let categories = if by_tree { Categories::Hierarchy } else { Categories::Equal };
        // The first column is of numbers, and alone has none.
        let categories = (codes.len() > 1).then_some(categories);
        let how = Microaggregation { scale: Scale::Range, categories, ..Default::default() };
        let found = search(&columns, k as u64, &how).unwrap();
        let expected = gower(&codes, by_tree, |space| straightforward_mdav(codes[0].len(), k, space));
        prop_assert_eq!(&found.groups, &expected);
        prop_assert!(found.sse >= 0.0 && found.sse <= found.sst + 1e-9, "{:?}", found);
        let found = search(&columns, k as u64, &Microaggregation { method: Method::VMdav, gamma: Some(gamma), ..how }).unwrap();
        let expected = gower(&codes, by_tree, |space| straightforward_v_mdav(codes[0].len(), k, gamma, space));
        prop_assert_eq!(&found.groups, &expected, "v-mdav");
    }

    /// Sizes, column means and SSE / SST of every method on numbers.
    #[test]
    fn what_is_promised_of_numbers(rows in grids(1..4, 60), k in 2usize..6, range: bool, gamma in 0.0f64..3.0) {
        prop_assume!(rows.len() >= k);
        let width = rows[0].len();
        let columns: Vec<Column> = (0..width)
            .map(|c| Column::numbers(&rows.iter().map(|row| row[c]).collect::<Vec<_>>()))
            .collect();
        let scale = if range { Scale::Range } else { Scale::ZScore };
        let mut sse = BTreeMap::new();
        for method in [Method::Mdav, Method::VMdav, Method::Univariate, Method::Ama] {
            let gamma = (method == Method::VMdav).then_some(gamma);
            let how = Microaggregation { method, scale, gamma, ..Default::default() };
            let found = search(&columns, k as u64, &how);
            if method == Method::Univariate && width > 1 {
                let refused = matches!(found, Err(SearchError::Parameter { key: "search.microaggregation.method", .. }));
                prop_assert!(refused);
                continue;
            }
            let found = found.unwrap();
            prop_assert!(sizes(&found.groups).iter().all(|size| (k..2 * k).contains(size)), "{:?}", found);
            let published = shown(&columns, &found.groups, Represent::Means);
            for c in 0..width {
                let mean = |value: &dyn Fn(usize) -> f64| {
                    (0..rows.len()).map(value).sum::<f64>() / rows.len() as f64
                };
                let kept = mean(&|r| published[r][c].parse().unwrap());
                prop_assert!((kept - mean(&|r| rows[r][c])).abs() < 1e-9);
            }
            let (own, all) = squares(&rows, &found.groups, range);
            prop_assert!((found.sse - own).abs() < 1e-9 && (found.sst - all).abs() < 1e-9, "{:?} {} {}", found, own, all);
            prop_assert!((0.0..=1.0).contains(&found.loss()));
            sse.insert(format!("{method:?}"), found.sse);
        }
        if let Some(optimum) = sse.get("Univariate") {
            prop_assert!(sse.values().all(|other| *optimum <= other + 1e-9), "{:?}", sse);
        }
    }
}

/// SSE and SST on scaled columns, from the definition (thesis section 3).
fn squares(rows: &[Vec<f64>], groups: &Groups, range: bool) -> (f64, f64) {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let around = |values: &[f64]| values.iter().map(|x| (x - mean(values)).powi(2)).sum::<f64>();
    let (mut sse, mut sst) = (0.0, 0.0);
    for c in 0..rows[0].len() {
        let column: Vec<f64> = rows.iter().map(|row| row[c]).collect();
        let spread = |pick: fn(f64, f64) -> f64| column.iter().copied().reduce(pick).unwrap();
        let unit = if range {
            spread(f64::max) - spread(f64::min)
        } else {
            (around(&column) / column.len() as f64).sqrt()
        };
        let column: Vec<f64> = column.iter().map(|x| if unit > 0.0 { x / unit } else { 0.0 }).collect();
        sst += around(&column);
        for group in 0..groups.count as u32 {
            let own = column.iter().zip(&groups.of).filter(|(_, g)| **g == group).map(|(x, _)| *x);
            sse += around(&own.collect::<Vec<f64>>());
        }
    }
    (sse, sst)
}
