use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::testing::{assert_mean, moments};
use crate::{SeededCoins, Source};

type Rows = Vec<Vec<u32>>;

fn columns(rows: &[Vec<u32>]) -> Vec<Vec<u32>> {
    (0..rows[0].len()).map(|c| rows.iter().map(|row| row[c]).collect()).collect()
}

fn slices(columns: &[Vec<u32>]) -> Vec<&[u32]> {
    columns.iter().map(|column| &column[..]).collect()
}

/// The counts of every choice of columns of this order, by counting.
fn margins(columns: &[&[u32]], order: u32) -> BTreeMap<(u32, Vec<u32>), usize> {
    let mut counts = BTreeMap::new();
    for mask in (0u32..1 << columns.len()).filter(|mask| mask.count_ones() == order) {
        for record in 0..columns[0].len() {
            let values =
                (0..columns.len()).filter(|c| mask >> c & 1 == 1).map(|c| columns[c][record]).collect();
            *counts.entry((mask, values)).or_default() += 1;
        }
    }
    counts
}

/// Whether another table of these records' values has the same margins: all multisets of records are tried.
fn another_exists(rows: &[Vec<u32>], order: u32) -> bool {
    let own = columns(rows);
    let wanted = margins(&slices(&own), order);
    let mut sorted = rows.to_vec();
    sorted.sort();
    let width = rows[0].len();
    let cells: Vec<Vec<u32>> =
        (0..2u32.pow(width as u32)).map(|code| (0..width).map(|c| code >> c & 1).collect()).collect();
    fn fill(cells: &[Vec<u32>], left: usize, chosen: &mut Rows, test: &mut dyn FnMut(&Rows) -> bool) -> bool {
        if left == 0 {
            return test(chosen);
        }
        let Some((first, rest)) = cells.split_first() else { return false };
        chosen.push(first.clone());
        if fill(cells, left - 1, chosen, test) {
            return true;
        }
        chosen.pop();
        fill(rest, left, chosen, test)
    }
    fill(&cells, rows.len(), &mut Vec::new(), &mut |other| {
        let mut other = other.clone();
        other.sort();
        other != sorted && margins(&slices(&columns(&other)), order) == wanted
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// survey TH-21 on small tables: margins stay, a swap is found exactly when another table exists.
    #[test]
    fn small_tables_are_searched_exhaustively(
        rows in prop::collection::vec(prop::collection::vec(0u32..2, 3), 1..7),
        order in 1usize..3,
        seed in 0u64..1000,
    ) {
        let own = columns(&rows);
        let result = swap_order(&slices(&own), order, 1.0, &mut SeededCoins::new(seed));
        // The search is over the values that occur; others cannot come in without changing counts.
        prop_assert_eq!(result.is_ok(), another_exists(&rows, order as u32));
        match result {
            Err(error) => prop_assert_eq!(error, SwapError::NoOtherTable { order }),
            Ok(out) => {
                let after = slices(&out.value.columns);
                prop_assert_eq!(margins(&slices(&own), order as u32), margins(&after, order as u32));
                let listed = matches!(out.value.search, Search::Exhaustive { tables } if tables > 1);
                prop_assert!(listed);
                prop_assert!(out.value.new_records > 0 && out.value.new_records <= out.value.changed);
            }
        }
    }

    /// The random search by itself: margins stay, and what it says it changed it did.
    #[test]
    fn random_swaps_keep_margins(
        rows in prop::collection::vec(prop::collection::vec(0u32..3, 4), 1..60),
        order in 1usize..4,
        seed in 0u64..1000,
    ) {
        let own = columns(&rows);
        let before = slices(&own);
        let dense: Vec<_> = before.iter().map(|column| classes(&[column], rows.len())).collect();
        match random(&before, &dense, order, rows.len(), &mut SeededCoins::new(seed)) {
            Err(error) => prop_assert_eq!(error, SwapError::NoSwapFound { order }),
            Ok(out) => {
                let after = slices(&out);
                prop_assert_eq!(margins(&before, order as u32), margins(&after, order as u32));
                let values = |r: usize| (0..4).filter(|&c| before[c][r] != after[c][r]).count();
                prop_assert!((0..rows.len()).all(|r| values(r) <= 1), "one value of a record at most");
                let changed = (0..rows.len()).filter(|&r| values(r) == 1).count();
                prop_assert!(changed > 0 && changed % (1 << order) == 0);
            }
        }
    }
}

/// The four even corners of a cube become the four odd ones, and nothing else is possible.
#[test]
fn a_cube_of_order_two() {
    let even: Rows = vec![vec![0, 0, 0], vec![0, 1, 1], vec![1, 0, 1], vec![1, 1, 0]];
    let own = columns(&even);
    let out = swap_order(&slices(&own), 2, 1.0, &mut SeededCoins::new(1)).unwrap();
    assert_eq!(out.source, Source::Seeded);
    assert_eq!(out.value.search, Search::Exhaustive { tables: 2 });
    assert_eq!((out.value.changed, out.value.new_records), (4, 4));
    let mut rows: Rows = (0..4).map(|r| out.value.columns.iter().map(|column| column[r]).collect()).collect();
    rows.sort();
    assert_eq!(rows, [vec![0, 0, 1], vec![0, 1, 0], vec![1, 0, 0], vec![1, 1, 1]]);
    // Without one corner nothing can move.
    let less = columns(&even[..3]);
    assert_eq!(
        swap_order(&slices(&less), 2, 1.0, &mut SeededCoins::new(1)),
        Err(SwapError::NoOtherTable { order: 2 })
    );
    // Codes are what they were, not the numbers they have within.
    let far: Rows = even.iter().map(|row| row.iter().map(|v| 900 + v * 7).collect()).collect();
    let own = columns(&far);
    let out = swap_order(&slices(&own), 2, 1.0, &mut SeededCoins::new(1)).unwrap().value;
    assert!(out.columns.iter().flatten().all(|&v| v == 900 || v == 907));
}

/// A small share moves few records: 1 of 100 wanted, and a swap of order one moves two.
#[test]
fn the_share_is_aimed_at() {
    let rows: Rows = (0..100).map(|i| vec![i % 2, i / 2 % 2]).collect();
    let own = columns(&rows);
    let out = swap_order(&slices(&own), 1, 0.05, &mut SeededCoins::new(4)).unwrap().value;
    assert!(matches!(out.search, Search::Exhaustive { .. }));
    assert!((4..=6).contains(&out.new_records), "{}", out.new_records);
}

/// Of the tables that are nearest to the wanted share each is as likely: of the five other permutations of three records two
/// change all of them and three change two. False alarm: 1e-6 for all 5.
#[test]
fn nearest_tables_are_drawn_evenly() {
    let own: [&[u32]; 2] = [&[0, 1, 2], &[0, 1, 2]];
    let mut coins = SeededCoins::new(8);
    let runs = 20_000;
    for (share, tables) in [(1.0, 2), (0.6, 3)] {
        let mut found: BTreeMap<Vec<(u32, u32)>, u32> = BTreeMap::new();
        for _ in 0..runs {
            let out = swap_order(&own, 1, share, &mut coins).unwrap().value;
            let mut rows: Vec<(u32, u32)> =
                out.columns[0].iter().copied().zip(out.columns[1].iter().copied()).collect();
            rows.sort_unstable();
            *found.entry(rows).or_default() += 1;
        }
        assert_eq!(found.len(), tables);
        let p = 1.0 / tables as f64;
        for count in found.values() {
            let deviation = (p * (1.0 - p) / f64::from(runs)).sqrt();
            assert_mean(f64::from(*count) / f64::from(runs), p, deviation, 5);
        }
    }
}

/// Of records that are alike each is as likely to be moved. False alarm: 1e-6 for all 4.
#[test]
fn moved_records_are_drawn_evenly() {
    let own: [&[u32]; 2] = [&[0, 0, 0, 1, 1], &[0, 0, 0, 1, 1]];
    let mut coins = SeededCoins::new(9);
    let runs = 20_000;
    let mut moved = [0u32; 5];
    for _ in 0..runs {
        let out = swap_order(&own, 1, 0.4, &mut coins).unwrap().value;
        assert_eq!(out.changed, 2);
        for (record, slot) in moved.iter_mut().enumerate() {
            *slot += u32::from((0..2).any(|column| out.columns[column][record] != own[column][record]));
        }
    }
    for (record, p) in [(0, 1.0 / 3.0), (1, 1.0 / 3.0), (2, 1.0 / 3.0), (3, 0.5)] {
        let deviation = (p * (1.0 - p) / f64::from(runs)).sqrt();
        assert_mean(f64::from(moved[record]) / f64::from(runs), p, deviation, 4);
    }
}

/// Where swaps are looked for at random and every record has the same place in the table, no part of it changes more often
/// than another. False alarm: 1e-6 for all 3.
#[test]
fn random_swaps_prefer_no_record() {
    let own = [(0..81).map(|i| i % 9).collect::<Vec<u32>>(), (0..81).map(|i| i / 9).collect()];
    let mut coins = SeededCoins::new(10);
    let runs = 3_000;
    let mut shares = [const { Vec::new() }; 3];
    for _ in 0..runs {
        let out = swap_order(&slices(&own), 1, 0.2, &mut coins).unwrap().value;
        assert_eq!(out.search, Search::Random);
        let changed =
            |record: &usize| (0..2).any(|column| out.columns[column][*record] != own[column][*record]);
        for (third, shares) in shares.iter_mut().enumerate() {
            let own = (27 * third..27 * (third + 1)).filter(changed).count() as f64;
            shares.push(own / out.changed as f64);
        }
    }
    for shares in &shares {
        let (mean, variance) = moments(shares);
        assert_mean(mean, 1.0 / 3.0, (variance / f64::from(runs)).sqrt(), 3);
    }
}

#[test]
fn scales() {
    let column =
        |k: u32, m: u32| (0..100_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 5) / k % m).collect();
    let own: Vec<Vec<u32>> = vec![column(1, 4), column(5, 5), column(31, 6), column(211, 7), column(1511, 5)];
    for order in [1, 2, 3] {
        let out = swap_order(&slices(&own), order, 0.3, &mut SeededCoins::new(7)).unwrap().value;
        assert_eq!(out.search, Search::Random);
        assert!(out.changed >= 10_000, "order {order}: {}", out.changed);
        assert!(out.changed <= 30_000 + (1 << order));
        assert!(out.new_records > 0);
    }
}

#[test]
fn edges() {
    let mut coins = SeededCoins::new(1);
    let (a, b): (&[u32], &[u32]) = (&[0, 1], &[5, 6]);
    assert_eq!(swap_order(&[&[], &[]], 1, 1.0, &mut coins), Err(SwapError::NoOtherTable { order: 1 }));
    assert_eq!(swap_order(&[&[1, 1], b], 1, 1.0, &mut coins), Err(SwapError::NoOtherTable { order: 1 }));
    assert!(swap_order(&[a, b], 1, 1.0, &mut coins).is_ok());
    for order in [0, 2, 11] {
        assert!(matches!(swap_order(&[a, b], order, 1.0, &mut coins), Err(SwapError::Perturb(_))));
    }
    assert!(swap_order(&[a, &[1]], 1, 1.0, &mut coins).is_err());
    assert!(swap_order(&[a, b], 1, f64::NAN, &mut coins).is_err());
    assert!(swap_order(&[], 1, 1.0, &mut coins).is_err());
    let many = vec![a; 60];
    assert!(matches!(
        swap_order(&many, 10, 1.0, &mut coins),
        Err(SwapError::Perturb(PerturbError::TooLarge { .. }))
    ));
}
