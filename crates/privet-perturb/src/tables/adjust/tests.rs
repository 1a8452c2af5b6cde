use proptest::prelude::*;

use super::*;
use crate::tables::for_each_table;
use crate::testing::assert_near;

fn of<'a>(table: &'a Counts, margins: &'a [Vec<usize>], sensitive: &'a [Protected]) -> Adjustment<'a> {
    Adjustment { table, margins, sensitive, weights: None, limits: None }
}

/// The least change over all tables with the margins.
fn least(adjustment: &Adjustment<'_>) -> Option<f64> {
    let mut best = None;
    let listed = for_each_table(adjustment.table, adjustment.margins, 1 << 22, |counts| {
        if let Some(cost) = cost(adjustment, counts) {
            best = Some(best.map_or(cost, |best: f64| best.min(cost)));
        }
    });
    assert!(matches!(listed, Ok(Some(_))));
    best
}

/// What a table costs, if it protects what it must.
fn cost(adjustment: &Adjustment<'_>, counts: &[u64]) -> Option<f64> {
    let by = |cell: usize| counts[cell] as i64 - adjustment.table.counts()[cell] as i64;
    let safe = |own: &Protected| by(own.cell) >= own.up as i64 || by(own.cell) <= -(own.down as i64);
    let within = |cell: usize| adjustment.limits.is_none_or(|limits| by(cell).unsigned_abs() <= limits[cell]);
    if !adjustment.sensitive.iter().all(safe) || !(0..counts.len()).all(within) {
        return None;
    }
    let weight = |cell: usize| adjustment.weights.map_or(1.0, |weights| weights[cell]);
    Some((0..counts.len()).map(|cell| by(cell).abs() as f64 * weight(cell)).sum())
}

/// Whether an answer is right: the least change, or the right kind of refusal.
fn check(adjustment: &Adjustment<'_>) -> Result<(), TestCaseError> {
    match (adjust_table(adjustment), least(adjustment)) {
        (Ok(out), Some(expected)) => {
            prop_assert_eq!(out.method, Method::Exact);
            prop_assert!((out.change - expected).abs() < 1e-6, "{} is not {}", out.change, expected);
            prop_assert!((cost(adjustment, out.table.counts()).unwrap() - out.change).abs() < 1e-9);
            for margin in adjustment.margins {
                prop_assert_eq!(out.table.margin(margin), adjustment.table.margin(margin));
            }
        }
        (Err(TableError::NoRoom { cell }), None) => {
            let alone: Vec<_> = adjustment.sensitive.iter().copied().filter(|own| own.cell == cell).collect();
            prop_assert_eq!(least(&Adjustment { sensitive: &alone, ..*adjustment }), None);
        }
        (Err(TableError::Together { .. }), None) => {
            for own in adjustment.sensitive {
                let alone = Adjustment { sensitive: &[*own], ..*adjustment };
                prop_assert!(least(&alone).is_some());
            }
        }
        (found, expected) => prop_assert!(false, "{found:?} where the least is {expected:?}"),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    /// survey ME-37: 2×3 tables against all tables with the same rows and columns.
    #[test]
    fn least_change_of_small_tables(
        counts in prop::collection::vec(0u64..9, 6),
        sensitive in prop::collection::btree_map(0usize..6, (1u64..4, 1u64..4), 0..4),
        weights in prop::option::of(prop::collection::vec(0.0f64..5.0, 6)),
        limits in prop::option::of(prop::collection::vec(0u64..6, 6)),
    ) {
        let table = Counts::new(vec![2, 3], counts).unwrap();
        let sensitive: Vec<_> = sensitive.into_iter().map(|(cell, (down, up))| Protected { cell, down, up }).collect();
        let margins = [vec![0], vec![1]];
        let adjustment = Adjustment {
            weights: weights.as_deref(),
            limits: limits.as_deref(),
            ..of(&table, &margins, &sensitive)
        };
        check(&adjustment)?;
    }

    /// Three columns with the counts of every two of them kept: not decomposable, and no network.
    #[test]
    fn least_change_with_three_columns(
        counts in prop::collection::vec(0u64..5, 12),
        sensitive in prop::collection::btree_map(0usize..12, (1u64..3, 1u64..3), 1..3),
    ) {
        let table = Counts::new(vec![2, 3, 2], counts).unwrap();
        let sensitive: Vec<_> = sensitive.into_iter().map(|(cell, (down, up))| Protected { cell, down, up }).collect();
        let margins = [vec![0, 1], vec![1, 2], vec![0, 2]];
        check(&of(&table, &margins, &sensitive))?;
    }

    /// survey ME-37, L∞: the least largest move, then the least sum, against all tables with the same rows and columns.
    #[test]
    fn least_largest_move_of_small_tables(
        counts in prop::collection::vec(0u64..9, 6),
        sensitive in prop::collection::btree_map(0usize..6, (1u64..5, 1u64..5), 0..4),
        limits in prop::option::of(prop::collection::vec(0u64..6, 6)),
    ) {
        let table = Counts::new(vec![2, 3], counts).unwrap();
        let sensitive: Vec<_> = sensitive.into_iter().map(|(cell, (down, up))| Protected { cell, down, up }).collect();
        let margins = [vec![0], vec![1]];
        let adjustment = Adjustment { limits: limits.as_deref(), ..of(&table, &margins, &sensitive) };
        let largest = |counts: &[u64]| counts.iter().zip(table.counts()).map(|(a, b)| a.abs_diff(*b)).max().unwrap();
        let mut least: Option<(u64, u64)> = None;
        let listed = for_each_table(&table, &margins, 1 << 22, |counts| {
            if let Some(sum) = cost(&adjustment, counts) {
                let own = (largest(counts), sum as u64);
                least = Some(least.map_or(own, |least| least.min(own)));
            }
        });
        prop_assert!(matches!(listed, Ok(Some(_))));
        match (adjust_evenly(&adjustment), least) {
            (Ok(out), Some(least)) => {
                prop_assert_eq!(out.method, Method::Exact);
                prop_assert_eq!((largest(out.table.counts()), out.change.round() as u64), least);
                prop_assert!(cost(&adjustment, out.table.counts()).is_some());
            }
            (Err(TableError::NoRoom { .. } | TableError::Together { .. }), None) => {}
            (found, least) => prop_assert!(false, "{found:?} where the least is {least:?}"),
        }
    }

    /// Fixed directions: never better than the least, and never wrong.
    #[test]
    fn fixed_directions_keep_to_everything(
        counts in prop::collection::vec(0u64..9, 9),
        sensitive in prop::collection::btree_map(0usize..9, (1u64..4, 1u64..4), 1..5),
    ) {
        let table = Counts::new(vec![3, 3], counts).unwrap();
        let sensitive: Vec<_> = sensitive.into_iter().map(|(cell, (down, up))| Protected { cell, down, up }).collect();
        let margins = [vec![0], vec![1]];
        let adjustment = of(&table, &margins, &sensitive);
        let Ok(problem) = Problem::new(&adjustment) else { return Err(TestCaseError::reject("the case does not arise")) };
        let found = problem.turned_around(&mut 0).unwrap();
        match (found.map(|found| problem.checked(&found.moves, Method::Exact).unwrap()), least(&adjustment)) {
            (Some(out), Some(least)) => {
                prop_assert!(out.change >= least - 1e-6);
                prop_assert!((cost(&adjustment, out.table.counts()).unwrap() - out.change).abs() < 1e-9);
            }
            (Some(_), None) => prop_assert!(false, "a table where there is none"),
            (None, _) => {}
        }
    }
}

/// By hand: a cell of 2×2 moves by 3, and so do all four.
#[test]
fn two_by_two() {
    let table = Counts::new(vec![2, 2], vec![5, 10, 10, 5]).unwrap();
    let margins = [vec![0], vec![1]];
    let sensitive = [Protected { cell: 0, down: 4, up: 3 }];
    let out = adjust_table(&of(&table, &margins, &sensitive)).unwrap();
    assert_eq!(out.table.counts(), [8, 7, 7, 8]);
    assert_eq!((out.change, out.moved, out.method), (12.0, 4, Method::Exact));
    // Without margins only the total stays: others move against it by 3 in all.
    let out = adjust_table(&of(&table, &[], &sensitive)).unwrap();
    assert_eq!((out.change, out.table.records()), (6.0, 30));
    // Nothing sensitive: nothing moves.
    let out = adjust_table(&of(&table, &margins, &[])).unwrap();
    assert_eq!((out.table, out.change, out.moved), (table, 0.0, 0));
}

#[test]
fn says_why_not() {
    let table = Counts::new(vec![2, 2], vec![1, 1, 1, 1]).unwrap();
    let margins = [vec![0], vec![1]];
    let own = |cell, down, up| Protected { cell, down, up };
    // A cell with no room at all, and one whose room others take away.
    let far = [own(3, 2, 2)];
    assert_eq!(adjust_table(&of(&table, &margins, &far)), Err(TableError::NoRoom { cell: 3 }));
    let limits = [9, 0, 9, 9];
    let one = [own(0, 1, 1)];
    let held = Adjustment { limits: Some(&limits), ..of(&table, &margins, &one) };
    assert_eq!(adjust_table(&held), Err(TableError::NoRoom { cell: 0 }));
    // Both of a row can only move against each other, and here neither can fall.
    let row = [own(0, 2, 1), own(1, 2, 1)];
    let error = adjust_table(&of(&table, &margins, &row)).unwrap_err();
    assert_eq!(error, TableError::Together { sensitive: 2 });
    assert!(error.to_string().contains("each sensitive cell can move"));
}

/// Larger tables: few sensitive cells are searched to the end, many are not, and the answer is always the same.
#[test]
fn larger_tables() {
    let counts: Vec<u64> = (0..400u64).map(|i| 5 + (i * 37 + i * i) % 41).collect();
    let table = Counts::new(vec![20, 20], counts).unwrap();
    let margins = [vec![0], vec![1]];
    for (sensitive, exact) in [(7, true), (40, false)] {
        let sensitive: Vec<_> = (0..sensitive)
            .map(|i| Protected { cell: i * 191 % 400, down: 2 + i as u64 % 3, up: 3 })
            .collect();
        let adjustment = of(&table, &margins, &sensitive);
        let out = adjust_table(&adjustment).unwrap();
        assert_eq!(out.method == Method::Exact, exact, "{:?}", out.method);
        assert_near(cost(&adjustment, out.table.counts()).unwrap(), out.change, 1e-9);
        let least: u64 = sensitive.iter().map(|own| own.up.min(own.down)).sum();
        assert!(out.change >= least as f64 && out.change <= 6.0 * least as f64, "{}", out.change);
        assert_eq!(out.table.margin(&[0]), table.margin(&[0]));
        assert_eq!(out.table.margin(&[1]), table.margin(&[1]));
        if exact {
            assert_eq!(adjust_table(&adjustment).unwrap(), out, "the same answer again");
        }
    }
}

#[test]
fn bad_parameters() {
    let table = Counts::new(vec![2, 2], vec![5; 4]).unwrap();
    let margins = [vec![0], vec![1]];
    let fine = of(&table, &margins, &[]);
    for sensitive in [
        vec![Protected { cell: 4, down: 1, up: 1 }],
        vec![Protected { cell: 0, down: 0, up: 1 }],
        vec![Protected { cell: 0, down: 1, up: 0 }],
        vec![Protected { cell: 0, down: 1, up: 1 }; 2],
    ] {
        assert!(matches!(
            adjust_table(&Adjustment { sensitive: &sensitive, ..fine }),
            Err(TableError::Perturb(PerturbError::Parameter { .. }))
        ));
    }
    for weights in [vec![1.0; 3], vec![-1.0; 4], vec![f64::NAN; 4], vec![f64::INFINITY; 4]] {
        assert!(adjust_table(&Adjustment { weights: Some(&weights), ..fine }).is_err());
    }
    assert!(adjust_table(&Adjustment { limits: Some(&[1]), ..fine }).is_err());
    assert!(adjust_table(&Adjustment { margins: &[vec![7]], ..fine }).is_err());
    let huge = Counts::new(vec![1], vec![1 << 40]).unwrap();
    assert!(adjust_table(&of(&huge, &[], &[])).is_err());
    let long = Counts::new(vec![30_000], vec![1; 30_000]).unwrap();
    assert!(adjust_table(&of(&long, &[], &[])).is_err());
    let nobody = Counts::new(vec![0], vec![]).unwrap();
    assert!(adjust_table(&of(&nobody, &[], &[])).is_ok());
    // Free moves cost nothing, and protections beyond any number are refused, not overflown.
    let weights = [0.0; 4];
    let sensitive = [Protected { cell: 0, down: u64::MAX, up: 1 }];
    let free = Adjustment { weights: Some(&weights), sensitive: &sensitive, ..fine };
    assert_eq!(adjust_table(&free).unwrap().change, 0.0);
}
