//! Tables of counts with hidden cells: hand-made examples, and an outsider who tries all tables of whole numbers.

use privet_data::{Cancelled, Progress, Silent};
use privet_recode::bucket::{
    CellState, CountTable, Interval, Protected, Protection, Published, Suppression, attack_interval,
};
use privet_recode::lattice::{Codes, SearchError};
use proptest::prelude::*;

fn rule(threshold: u64, lower: u64, upper: u64) -> Suppression {
    Suppression { threshold, protection: Some(Protection { lower, upper }), suppress_zeros: true }
}

fn protect(sizes: &[usize], inner: &[u64], rule: &Suppression) -> Result<Protected, SearchError> {
    rule.protect(&CountTable::from_counts(sizes, inner).unwrap(), &Silent)
}

/// The cells that are hidden, by their codes.
fn hidden(found: &Protected, state: CellState) -> Vec<Vec<Option<u32>>> {
    (0..found.table.cells())
        .filter(|&cell| found.states[cell] == state)
        .map(|cell| found.table.codes(cell))
        .collect()
}

fn at(codes: [u32; 2]) -> Vec<Option<u32>> {
    codes.map(Some).to_vec()
}

/// One small count in a table of four: without the other three it would follow from the totals.
#[test]
fn two_by_two() {
    let found = protect(&[2, 2], &[20, 1, 15, 30], &rule(3, 1, 1)).unwrap();
    assert_eq!(hidden(&found, CellState::Primary), [at([0, 1])]);
    assert_eq!(hidden(&found, CellState::Complementary), [at([0, 0]), at([1, 0]), at([1, 1])]);
    assert_eq!(found.hidden_records(), 66);
    let cell = found.table.cell(&[Some(0), Some(1)]).unwrap();
    assert_eq!(found.promised, [(cell, Interval { low: 0, high: Some(2) })]);
    // 1 + t, 20 - t, 15 + t, 30 - t for -1 <= t <= 20.
    let intervals = found.intervals(&Silent).unwrap();
    let expected = [([0, 0], (0, 21)), ([0, 1], (0, 21)), ([1, 0], (14, 35)), ([1, 1], (10, 31))];
    for ((codes, (low, high)), found_interval) in expected.into_iter().zip(&intervals) {
        let cell = found.table.cell(&codes.map(Some)).unwrap();
        assert_eq!(*found_interval, (cell, Interval { low, high: Some(high) }));
    }
    // With the cell itself hidden alone, it is exactly known.
    let mut alone = found.published();
    for (other, count) in alone.cells.iter_mut().enumerate() {
        *count = (other != cell).then(|| found.table.count(other));
    }
    assert_eq!(attack_interval(&alone, cell).unwrap(), Interval { low: 1, high: Some(1) });
}

/// Of several rectangles that hide a cell, the cheapest is taken: the one through the small counts.
#[test]
fn takes_cheap_cells() {
    let inner = [2, 90, 8, 80, 70, 60, 9, 50, 7];
    let found = protect(&[3, 3], &inner, &rule(4, 2, 2)).unwrap();
    assert_eq!(hidden(&found, CellState::Primary), [at([0, 0])]);
    assert_eq!(hidden(&found, CellState::Complementary), [at([0, 2]), at([2, 0]), at([2, 2])]);
}

/// Two primary cells in a rectangle hide each other together with the other two.
#[test]
fn cells_are_shared() {
    let inner = [2, 90, 3, 80, 70, 60, 3, 50, 2];
    let found = protect(&[3, 3], &inner, &rule(4, 2, 1)).unwrap();
    assert_eq!(hidden(&found, CellState::Primary).len(), 4);
    assert!(hidden(&found, CellState::Complementary).is_empty());
}

/// A small total is a small count: it is hidden with what it is the sum of.
#[test]
fn totals_are_cells() {
    let inner = [1, 1, 0, 10, 20, 30, 25, 35, 15];
    let found = protect(&[3, 3], &inner, &Suppression { threshold: 3, ..Suppression::default() }).unwrap();
    let row = found.table.cell(&[Some(0), None]).unwrap();
    assert_eq!(found.table.count(row), 2);
    assert_eq!(found.states[row], CellState::Primary);
    assert!(found.promised.contains(&(row, Interval { low: 0, high: Some(5) })));
    let published = found.published();
    let interval = attack_interval(&published, row).unwrap();
    assert!(interval.low == 0 && interval.high >= Some(5), "{interval:?}");
    // The grand total is known to everybody.
    assert_eq!(published.cells.last(), Some(&Some(137)));
}

/// Over many tables with zeros: some zero is hidden when it may be, and none when not.
#[test]
fn zeros_may_be_kept() {
    let mut hidden_zeros = [0, 0];
    for table in 0..40u64 {
        let inner: Vec<u64> =
            (0..9).map(|i| (table * 31 + i * 17 + table * i * 7) % 11 * (i % 2) + (i + table) % 3).collect();
        for suppress_zeros in [false, true] {
            let Ok(found) = protect(&[3, 3], &inner, &Suppression { suppress_zeros, ..rule(3, 2, 2) }) else {
                continue;
            };
            let is_zero =
                |&cell: &usize| found.table.count(cell) == 0 && found.states[cell] != CellState::Published;
            hidden_zeros[usize::from(suppress_zeros)] += (0..found.table.cells()).filter(is_zero).count();
        }
    }
    assert_eq!(hidden_zeros[0], 0);
    assert!(hidden_zeros[1] > 0);
}

/// All tables of whole numbers that agree with what is published: per cell the least and the most.
fn all_tables(sizes: &[usize], published: &Published, table: &CountTable) -> Vec<(u64, u64)> {
    let cells = table.cells();
    let inner: Vec<usize> =
        (0..cells).filter(|&cell| table.codes(cell).iter().all(Option::is_some)).collect();
    // Per inner cell the cells that count it.
    let counted_in: Vec<Vec<usize>> = inner
        .iter()
        .map(|&cell| {
            let codes = table.codes(cell);
            (0..1usize << sizes.len())
                .map(|set| {
                    let codes: Vec<_> = codes
                        .iter()
                        .enumerate()
                        .map(|(i, code)| code.filter(|_| set >> i & 1 == 0))
                        .collect();
                    table.cell(&codes).unwrap()
                })
                .collect()
        })
        .collect();
    // What may still be put into each published cell.
    let mut room: Vec<Option<u64>> = published.cells.clone();
    let mut counts = vec![0u64; cells];
    let mut range = vec![(u64::MAX, 0); cells];
    fn go(
        next: usize,
        counted_in: &[Vec<usize>],
        room: &mut [Option<u64>],
        counts: &mut [u64],
        range: &mut [(u64, u64)],
    ) {
        let Some(cells) = counted_in.get(next) else {
            if room.iter().all(|room| room.is_none_or(|room| room == 0)) {
                for (range, &count) in range.iter_mut().zip(counts.iter()) {
                    *range = (range.0.min(count), range.1.max(count));
                }
            }
            return;
        };
        // The grand total is published, so there is a least.
        let most = cells.iter().filter_map(|&cell| room[cell]).min().unwrap();
        for count in 0..=most {
            for &cell in cells {
                room[cell] = room[cell].map(|room| room - count);
                counts[cell] += count;
            }
            go(next + 1, counted_in, room, counts, range);
            for &cell in cells {
                room[cell] = room[cell].map(|room| room + count);
                counts[cell] -= count;
            }
        }
    }
    go(0, &counted_in, &mut room, &mut counts, &mut range);
    range
}

/// Checks a table against all tables of whole numbers.
fn check(sizes: &[usize], inner: &[u64], rule: &Suppression) -> Result<(), TestCaseError> {
    let table = CountTable::from_counts(sizes, inner).unwrap();
    let small = |cell: usize| (1..rule.threshold).contains(&table.count(cell));
    match rule.protect(&table, &Silent) {
        Ok(found) => {
            let published = found.published();
            let range = all_tables(sizes, &published, &table);
            let primary: Vec<usize> = found.promised.iter().map(|&(cell, _)| cell).collect();
            prop_assert_eq!(primary, (0..table.cells()).filter(|&cell| small(cell)).collect::<Vec<_>>());
            for &(cell, promised) in &found.promised {
                prop_assert!(range[cell].0 <= promised.low, "{:?} of {:?}", range[cell], promised);
                prop_assert!(range[cell].1 >= promised.high.unwrap(), "{:?} of {:?}", range[cell], promised);
            }
            for (cell, &(least, most)) in range.iter().enumerate() {
                let interval = attack_interval(&published, cell).unwrap();
                if sizes.len() <= 2 {
                    prop_assert_eq!(interval, Interval { low: least, high: Some(most) });
                } else {
                    prop_assert!(interval.low <= least && interval.high.unwrap() >= most);
                }
            }
        }
        Err(SearchError::NotProtectable { .. }) => {
            // Not even with all but the grand total hidden.
            let mut published = Suppression::default()
                .protect(&CountTable::from_counts(sizes, &vec![0; inner.len()]).unwrap(), &Silent)
                .unwrap()
                .published();
            published.cells.fill(None);
            *published.cells.last_mut().unwrap() = Some(inner.iter().sum());
            if !rule.suppress_zeros {
                for cell in (0..table.cells()).filter(|&cell| table.count(cell) == 0) {
                    published.cells[cell] = Some(0);
                }
            }
            let range = all_tables(sizes, &published, &table);
            let Protection { lower, upper } = rule.protection.unwrap();
            let is_known = (0..table.cells()).filter(|&cell| small(cell)).any(|cell| {
                let count = table.count(cell);
                range[cell].0 > count.saturating_sub(lower) || range[cell].1 < count + upper
            });
            prop_assert!(is_known);
        }
        Err(error) => prop_assert!(false, "{}", error),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn two_columns_against_all_tables(
        wide in any::<bool>(),
        inner in prop::collection::vec(prop_oneof![Just(0u64), 0u64..4, 2u64..6], 6),
        threshold in 2u64..4, lower in 1u64..4, upper in 1u64..4, suppress_zeros in any::<bool>(),
    ) {
        let rule = Suppression { suppress_zeros, ..rule(threshold, lower, upper) };
        check(if wide { &[2, 3] } else { &[6, 1] }, &inner, &rule)?;
        check(&[4], &inner[..4], &rule)?;
    }

    #[test]
    fn three_columns_against_all_tables(
        inner in prop::collection::vec(prop_oneof![Just(0u64), 0u64..3, 0u64..5], 8),
        threshold in 2u64..4, lower in 1u64..3, upper in 1u64..3, suppress_zeros in any::<bool>(),
    ) {
        let rule = Suppression { suppress_zeros, ..rule(threshold, lower, upper) };
        check(&[2, 2, 2], &inner, &rule)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// Larger tables, where all tables are too many: what a linear program can compute contains what is promised.
    #[test]
    fn larger_tables(inner in prop::collection::vec(prop_oneof![Just(0u64), 1u64..5, 3u64..60], 27)) {
        for sizes in [&[3, 3, 3][..], &[9, 3]] {
            let found = protect(sizes, &inner, &Suppression::default());
            let found = match found {
                Err(SearchError::NotProtectable { .. }) => continue,
                found => found.unwrap(),
            };
            let intervals = found.intervals(&Silent).unwrap();
            for &(cell, promised) in &found.promised {
                let (_, known) = intervals.iter().find(|(other, _)| *other == cell).unwrap();
                prop_assert!(known.low <= promised.low && known.high >= promised.high, "{:?} {:?}", known, promised);
            }
            for (cell, interval) in intervals {
                let count = found.table.count(cell);
                prop_assert!(interval.low <= count && interval.high.is_none_or(|high| high >= count));
            }
        }
    }
}

#[test]
fn counts_records() {
    let (a, b) = ([0, 1, 1, 0, 1], [2, 0, 0, 2, 2]);
    let table =
        CountTable::new(5, &[Codes { codes: &a, values: 2 }, Codes { codes: &b, values: 3 }]).unwrap();
    assert_eq!(table, CountTable::from_counts(&[2, 3], &[0, 0, 2, 2, 0, 1]).unwrap());
    assert_eq!(table.count(table.cell(&[None, Some(2)]).unwrap()), 3);
    assert_eq!(table.count(table.cell(&[None, None]).unwrap()), 5);
}

#[test]
fn edges() {
    let default = Suppression::default();
    // Nothing small: everything is published.
    for (sizes, inner) in [(&[1][..], &[9][..]), (&[2, 2], &[0; 4]), (&[2, 2], &[7, 8, 9, 5]), (&[0, 3], &[])]
    {
        let found = protect(sizes, inner, &default).unwrap();
        assert!(found.states.iter().all(|&state| state == CellState::Published));
        assert!(found.promised.is_empty() && found.intervals(&Silent).unwrap().is_empty());
    }
    // A table of one cell is its own grand total.
    for sizes in [&[1][..], &[1, 1], &[1, 1, 1]] {
        let refused = protect(sizes, &[3], &default).unwrap_err();
        assert!(matches!(refused, SearchError::NotProtectable { .. }), "{refused:?}");
        assert!(refused.to_string().contains("count-tables.protection"), "{refused}");
    }
    // Enough records, but a grand total that leaves the other way no room.
    assert!(matches!(protect(&[2], &[2, 2], &rule(3, 1, 9)), Err(SearchError::NotProtectable { .. })));
    let found = protect(&[2], &[2, 40], &rule(3, 2, 9)).unwrap();
    assert_eq!(hidden(&found, CellState::Complementary), [vec![Some(1)]]);
    // Counts above 2^32.
    let large = 1u64 << 40;
    let found = protect(&[2, 2], &[3, large, large + 7, 2 * large], &default).unwrap();
    assert_eq!(hidden(&found, CellState::Complementary).len(), 3);
    let first = found.table.cell(&[Some(0), Some(0)]).unwrap();
    let interval = attack_interval(&found.published(), first).unwrap();
    assert_eq!(interval, Interval { low: 0, high: Some(large + 3) });
    let too_large = CountTable::from_counts(&[2], &[u64::MAX, 1]);
    assert!(matches!(too_large, Err(SearchError::Parameter { key: "count-tables", .. })), "{too_large:?}");
    // Shapes.
    assert!(matches!(
        CountTable::from_counts(&[], &[]),
        Err(SearchError::Parameter { key: "count-tables.columns", .. })
    ));
    assert!(CountTable::from_counts(&[2], &[1]).is_err());
    assert!(CountTable::from_counts(&[2], &[1, 2, 3]).is_err());
    assert!(matches!(CountTable::from_counts(&[usize::MAX; 5], &[]), Err(SearchError::TooManyCells { .. })));
}

#[test]
fn bad_parameters() {
    for threshold in [0, 1] {
        let refused = protect(&[2], &[1, 9], &Suppression { threshold, ..Suppression::default() });
        assert!(matches!(refused, Err(SearchError::Parameter { key: "count-tables.threshold", .. })));
    }
    for (lower, upper) in [(0, 1), (1, 0)] {
        let refused = protect(&[2], &[1, 9], &rule(2, lower, upper));
        assert!(matches!(refused, Err(SearchError::Parameter { key: "count-tables.protection", .. })));
    }
    assert!(matches!(protect(&[2], &[1, 9], &rule(2, 1, u64::MAX)), Err(SearchError::NotProtectable { .. })));
    let parsed: Suppression = serde_json::from_str(
        r#"{"threshold": 3, "protection": {"lower": 1, "upper": 2}, "suppress-zeros": false}"#,
    )
    .unwrap();
    assert_eq!(parsed, Suppression { suppress_zeros: false, ..rule(3, 1, 2) });
    assert!(serde_json::from_str::<Suppression>(r#"{"treshold": 3}"#).is_err());
    // Published counts that contradict each other, and a cell that is not there.
    let mut published = protect(&[2], &[2, 40], &rule(3, 2, 9)).unwrap().published();
    assert!(matches!(attack_interval(&published, 99), Err(SearchError::NoBounds { .. })));
    published.cells = vec![None, Some(50), Some(42)];
    assert!(matches!(attack_interval(&published, 0), Err(SearchError::NoBounds { .. })));
    // Without a grand total nothing limits a count.
    published.cells = vec![None, Some(50), None];
    assert_eq!(attack_interval(&published, 0).unwrap(), Interval { low: 0, high: None });
    assert_eq!(attack_interval(&published, 2).unwrap(), Interval { low: 50, high: None });
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
    let table = CountTable::from_counts(&[2, 2], &[20, 1, 15, 30]).unwrap();
    assert_eq!(rule(3, 1, 1).protect(&table, &Stop), Err(SearchError::Cancelled(Cancelled)));
}
