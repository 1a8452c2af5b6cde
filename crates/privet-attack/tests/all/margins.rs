//! What counts tell: the two margins of the survey, and tables with blanks against all tables.

use privet_attack::margins::{
    Counts, JointColumn, Margin, MarginBounds, MarginsError, RecoveryError, Sum, bounds,
};
use privet_data::Silent;
use privet_recode::bucket::{self, CountTable, Suppression};
use proptest::prelude::*;

const GENDER: JointColumn = JointColumn::Quasi(0);
const NATION: JointColumn = JointColumn::Quasi(1);
const CONDITION: JointColumn = JointColumn::Sensitive(0);

fn margin(columns: &[JointColumn], cells: &[(&[u32], u64)]) -> Margin {
    let cells = cells.iter().map(|(values, count)| (values.to_vec(), *count)).collect();
    Margin { columns: columns.to_vec(), cells }
}

/// survey FX-1.6. Women 0, men 1; American, Chinese, Indian, Japanese, Korean, Russian; cancer, flu, heart disease, viral
/// infection. The second margin names its columns the other way round.
fn two_margins() -> [Margin; 2] {
    [
        margin(
            &[GENDER, NATION],
            &[
                (&[0, 5], 1),
                (&[0, 3], 1),
                (&[0, 4], 1),
                (&[0, 0], 1),
                (&[1, 1], 2),
                (&[1, 0], 4),
                (&[1, 2], 1),
                (&[1, 3], 1),
            ],
        ),
        margin(
            &[CONDITION, GENDER],
            &[
                (&[2, 0], 1),
                (&[3, 0], 1),
                (&[1, 0], 1),
                (&[0, 0], 1),
                (&[2, 1], 2),
                (&[3, 1], 1),
                (&[1, 1], 1),
                (&[0, 1], 4),
            ],
        ),
    ]
}

/// survey AT-06, FX-1.6.
#[test]
fn bounds_of_the_two_margins() {
    let found = bounds(&two_margins(), 2, &Silent).unwrap();
    assert_eq!(found.cells.len(), 32);
    for (cell, values) in found.cells.iter().enumerate() {
        let high = match values[..] {
            [1, 0, 0] => 4,
            [1, 0, 2] | [1, 1, 2] | [1, 1, 0] => 2,
            _ => 1,
        };
        assert_eq!((found.bounds[cell].low, found.bounds[cell].high), (0, high), "{values:?}");
        let estimate = match values[..] {
            [1, 0, 0] => Some(2.0),
            [1, 1, 0] => Some(1.0),
            [1, 2, 0] => Some(0.5),
            [0, ..] => Some(0.25),
            _ => None,
        };
        assert!(estimate.is_none_or(|estimate| (found.fitted[cell] - estimate).abs() < 1e-9));
    }
    assert_eq!((found.determined.len(), found.below_k.len()), (0, 28));
}

/// survey AT-07 on the same margins: trying all whole tables gives the same bounds.
#[test]
fn all_tables_of_the_two_margins() {
    let closed = bounds(&two_margins(), 2, &Silent).unwrap();
    let (counts, cells) = Counts::of_margins(&two_margins(), &Silent).unwrap();
    assert_eq!(cells, closed.cells);
    let found = counts.recover(1 << 20).unwrap();
    assert!(found.complete);
    for (cell, bounds) in closed.bounds.iter().enumerate() {
        assert_eq!(found.bounds[cell], (bounds.low, Some(bounds.high)), "{:?}", cells[cell]);
    }
    // Women: 4! tables. Men: 4 by 4 with sums 4, 2, 1, 1 both ways, counted by hand over the two rows of one
    // record each (16 placements) and then the row of two; see `count_men`.
    assert_eq!(found.tables, 24 * count_men());
    assert!(found.recovered.is_empty() && found.records() == 0);
    // With too few steps the bounds are wider or the same, and it says so.
    let hasty = counts.recover(3).unwrap();
    assert!(!hasty.complete);
    for (cell, bounds) in found.bounds.iter().enumerate() {
        assert!(hasty.bounds[cell].0 <= bounds.0 && hasty.bounds[cell].1 >= bounds.1);
    }
}

/// Tables with rows 4, 2, 1, 1 and columns 4, 2, 1, 1, counted by placing single records.
fn count_men() -> u128 {
    let mut tables = 0;
    for first in 0..4usize {
        for second in 0..4usize {
            for pair in 0..4usize {
                for other in pair..4usize {
                    let mut left = [4i32, 2, 1, 1];
                    [first, second, pair, other].into_iter().for_each(|column| left[column] -= 1);
                    tables += u128::from(left.iter().all(|&left| left >= 0));
                }
            }
        }
    }
    tables
}

#[test]
fn margins_that_prove_and_margins_that_disagree() {
    // 3 of 4 have a, 3 of 4 have b: at least 2 have both.
    let a = margin(&[GENDER], &[(&[0], 3), (&[1], 1)]);
    let b = margin(&[CONDITION], &[(&[0], 3), (&[1], 1)]);
    let found = bounds(&[a.clone(), b], 3, &Silent).unwrap();
    let both = found.cell(&[0, 0]).unwrap();
    assert_eq!((found.bounds[both].low, found.bounds[both].high), (2, 3));
    let five = margin(&[CONDITION], &[(&[0], 4), (&[1], 1)]);
    assert_eq!(bounds(&[a.clone(), five], 3, &Silent), Err(MarginsError::Contradiction));
    let twice = margin(&[CONDITION], &[(&[0], 2), (&[0], 2)]);
    let short = margin(&[CONDITION], &[(&[], 4)]);
    let none = margin(&[], &[(&[], 4)]);
    for (wrong, error) in
        [(twice, MarginsError::Cells), (short, MarginsError::Cells), (none, MarginsError::Columns)]
    {
        assert_eq!(bounds(&[a.clone(), wrong], 3, &Silent), Err(error));
    }
    assert_eq!(bounds(&[], 3, &Silent), Err(MarginsError::NoMargin));
    assert_eq!(bounds(&[a], 0, &Silent), Err(MarginsError::NoSize));
    // No record at all.
    let empty = margin(&[GENDER], &[]);
    assert!(bounds(&[empty], 2, &Silent).unwrap().cells.is_empty());
}

/// All three two-way margins of 2 by 2 by 2: not decomposable, and one cell of 0 gives everything away.
#[test]
fn records_are_recovered_from_margins() {
    let records: [[u32; 3]; 5] = [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0], [1, 1, 1]];
    let columns = [GENDER, NATION, CONDITION];
    let margins: Vec<Margin> = [(0, 1), (0, 2), (1, 2)]
        .into_iter()
        .map(|(a, b)| {
            let count = |x: u32, y: u32| records.iter().filter(|r| r[a] == x && r[b] == y).count() as u64;
            let cells = (0..4).map(|i| (vec![i / 2, i % 2], count(i / 2, i % 2))).collect();
            Margin { columns: vec![columns[a], columns[b]], cells }
        })
        .collect();
    let (counts, cells) = Counts::of_margins(&margins, &Silent).unwrap();
    let found = counts.recover(1000).unwrap();
    // Adding 1 to the even cells takes 1 from the odd ones, so there is one other table.
    assert_eq!((found.complete, found.tables, cells.len()), (true, 2, 8));
    let one = cells.iter().position(|cell| cell[..] == [1, 1, 1]).unwrap();
    let programs = bounds(&margins, 2, &Silent).unwrap();
    for (cell, &(low, high)) in found.bounds.iter().enumerate() {
        assert_eq!((programs.bounds[cell].low, Some(programs.bounds[cell].high)), (low, high));
    }
    // One count more, and every record is known.
    let mut told = counts;
    told.cells[one] = Some(1);
    let found = told.recover(1000).unwrap();
    assert_eq!((found.tables, found.recovered.len(), found.records()), (1, 7, 4));
}

/// The attack on a protected table: no hidden small count is recovered; without complementary cells it would be.
#[test]
fn a_protected_table_is_not_recovered() {
    let table = CountTable::from_counts(&[3, 3], &[20, 1, 15, 12, 30, 9, 18, 14, 25]).unwrap();
    let suppression = Suppression { threshold: 3, protection: None, suppress_zeros: true };
    let protected = suppression.protect(&table, &Silent).unwrap();
    let published = protected.published();
    let signed = |sum: Vec<(usize, i64)>| sum.into_iter().map(|(cell, sign)| (cell, sign > 0)).collect();
    let sums = published.sums().into_iter().map(|sum| Sum { terms: signed(sum), total: 0 }).collect();
    let mut counts = Counts { cells: published.cells, sums };
    let found = counts.recover(1 << 20).unwrap();
    assert!(found.complete && found.recovered.is_empty(), "{found:?}");
    // The primary cell alone: its row tells it.
    let small = 1;
    let hidden: Vec<usize> = (0..counts.cells.len()).filter(|&cell| counts.cells[cell].is_none()).collect();
    assert!(hidden.contains(&small) && hidden.len() > 1);
    let whole = [20, 1, 15, 36, 12, 30, 9, 51, 18, 14, 25, 57, 50, 45, 49, 144];
    counts.cells = whole.iter().map(|&count| Some(count)).collect();
    counts.cells[small] = None;
    assert_eq!(counts.recover(10).unwrap().recovered, [(small, 1)]);
    counts.cells[0] = Some(21);
    assert_eq!(counts.recover(10), Err(RecoveryError::Contradiction));
}

#[test]
fn odd_counts() {
    let nothing = Counts { cells: vec![], sums: vec![] };
    assert_eq!(nothing.recover(0).unwrap().tables, 1);
    let free = Counts { cells: vec![None, Some(3)], sums: vec![] };
    let found = free.recover(10).unwrap();
    assert_eq!((found.complete, &found.bounds[..]), (false, &[(0, None), (3, Some(3))][..]));
    let nowhere = Counts { cells: vec![None], sums: vec![Sum { terms: vec![(4, true)], total: 1 }] };
    assert_eq!(nowhere.recover(10), Err(RecoveryError::NoCell { sum: 0 }));
    let large = Counts { cells: vec![Some(u64::MAX)], sums: vec![] };
    assert_eq!(large.recover(10), Err(RecoveryError::TooLarge));
    // x = y + 1 and y = x + 1, without an end: narrowing alone would go on for ever.
    let sums = vec![
        Sum { terms: vec![(0, true), (1, false)], total: 1 },
        Sum { terms: vec![(1, true), (0, false)], total: 1 },
    ];
    let endless = Counts { cells: vec![None, None], sums };
    assert!(endless.recover(10).is_ok_and(|found| !found.complete));
    // A cell twice in a sum.
    let twice = Counts { cells: vec![None], sums: vec![Sum { terms: vec![(0, true), (0, true)], total: 4 }] };
    assert_eq!(twice.recover(10).unwrap().recovered, [(0, 2)]);
    let odd = Counts { cells: vec![None], sums: vec![Sum { terms: vec![(0, true), (0, true)], total: 3 }] };
    assert_eq!(odd.recover(10), Err(RecoveryError::Contradiction));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    /// Against trying all values of all suppressed cells, inner ones and totals.
    #[test]
    fn equals_trying_everything(
        inner in prop::collection::vec(0u64..4, 6),
        hidden in prop::collection::vec(prop::bool::weighted(0.4), 11),
    ) {
        // 2 by 3, row totals 6 and 7, column totals 8, 9 and 10.
        let mut cells = inner.clone();
        cells.extend([inner[..3].iter().sum::<u64>(), inner[3..].iter().sum()]);
        cells.extend((0..3).map(|column| inner[column] + inner[column + 3]));
        let sums = vec![
            Sum { terms: vec![(0, true), (1, true), (2, true), (6, false)], total: 0 },
            Sum { terms: vec![(3, true), (4, true), (5, true), (7, false)], total: 0 },
            Sum { terms: vec![(0, true), (3, true), (8, false)], total: 0 },
            Sum { terms: vec![(1, true), (4, true), (9, false)], total: 0 },
            Sum { terms: vec![(2, true), (5, true), (10, false)], total: 0 },
            Sum { terms: vec![(6, true), (7, true)], total: cells[6] as i64 + cells[7] as i64 },
        ];
        let shown = cells.iter().zip(&hidden).map(|(&count, &hidden)| (!hidden).then_some(count)).collect();
        let counts = Counts { cells: shown, sums };
        let found = counts.recover(1 << 22).unwrap();
        prop_assert!(found.complete);
        let total = cells[6] + cells[7];
        let (mut tables, mut seen) = (0u128, vec![(u64::MAX, 0u64); 11]);
        let mut values = [0u64; 6];
        try_all(&mut values, 0, total, &mut |values| {
            let mut table = values.to_vec();
            table.extend([values[..3].iter().sum::<u64>(), values[3..].iter().sum()]);
            table.extend((0..3).map(|column| values[column] + values[column + 3]));
            let agrees = counts.cells.iter().zip(&table).all(|(shown, count)| shown.is_none_or(|shown| shown == *count));
            if agrees {
                tables += 1;
                for (seen, &count) in seen.iter_mut().zip(&table) {
                    *seen = (seen.0.min(count), seen.1.max(count));
                }
            }
        });
        prop_assert_eq!(found.tables, tables);
        let expected: Vec<(u64, Option<u64>)> = seen.iter().map(|&(low, high)| (low, Some(high))).collect();
        prop_assert_eq!(&found.bounds, &expected);
        let recovered: Vec<(usize, u64)> = (0..11)
            .filter(|&cell| hidden[cell] && seen[cell].0 == seen[cell].1)
            .map(|cell| (cell, seen[cell].0))
            .collect();
        prop_assert_eq!(&found.recovered, &recovered);
    }
}

/// All ways to put so many records into six cells.
fn try_all(values: &mut [u64; 6], at: usize, left: u64, visit: &mut impl FnMut(&[u64; 6])) {
    if at == 5 {
        values[5] = left;
        return visit(values);
    }
    for value in 0..=left {
        values[at] = value;
        try_all(values, at + 1, left - value, visit);
    }
}

/// Three columns of 2, 2 and 3 values, of which as many as are asked for are sensitive, and some of the sets of them.
const SIZES: [u32; 3] = [2, 2, 3];
const SETS: [&[usize]; 7] = [&[0], &[1], &[2], &[0, 1], &[0, 2], &[1, 2], &[0, 1, 2]];

fn columns(sensitive: usize) -> [JointColumn; 3] {
    std::array::from_fn(|column| match column + sensitive {
        0..=2 => JointColumn::Quasi(column),
        _ => JointColumn::Sensitive(column),
    })
}

/// The margins of records over these sets of columns, each set backwards.
fn margins_of(records: &[usize], sets: &[usize], sensitive: usize) -> Vec<Margin> {
    let columns = columns(sensitive);
    let of_set = |set: &usize| {
        let set = SETS[*set];
        let mut cells: std::collections::BTreeMap<Vec<u32>, u64> = std::collections::BTreeMap::new();
        for &record in records {
            *cells.entry(set.iter().rev().map(|&column| values(record)[column]).collect()).or_default() += 1;
        }
        let columns = set.iter().rev().map(|&column| columns[column]).collect();
        Margin { columns, cells: cells.into_iter().collect() }
    };
    sets.iter().map(of_set).collect()
}

/// The values of the joint cell with this number.
fn values(cell: usize) -> [u32; 3] {
    let cell = cell as u32;
    [cell / 6, cell / 3 % 2, cell % 3]
}

/// Visits every table of 12 cells with so many records.
fn every_table(table: &mut [u64; 12], at: usize, left: u64, visit: &mut impl FnMut(&[u64; 12])) {
    if at == 11 {
        table[11] = left;
        return visit(table);
    }
    for count in 0..=left {
        table[at] = count;
        every_table(table, at + 1, left - count, visit);
    }
}

/// What the bounds say of a joint cell that is named by all of its values: nothing when a margin excludes it.
fn bounds_of(found: &MarginBounds, cell: usize, sets: &[usize]) -> (u64, u64) {
    let mut columns: Vec<usize> = sets.iter().flat_map(|&set| SETS[set]).copied().collect();
    columns.sort_unstable();
    columns.dedup();
    let values: Vec<u32> = columns.iter().map(|&column| values(cell)[column]).collect();
    found.cell(&values).map_or((0, 0), |at| (found.bounds[at].low, found.bounds[at].high))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Every table of whole numbers with the same margins is gone through: no cell and no group is outside its bounds, and where
    /// the bounds are said to be sharp, some table reaches each of them.
    #[test]
    fn bounds_hold_in_every_table(
        records in prop::collection::vec(0usize..12, 1..6),
        sets in prop::sample::subsequence((0..SETS.len()).collect::<Vec<_>>(), 1..5),
        sensitive in 0usize..3,
    ) {
        // Every column in some margin, so that joint cells are those of the tables.
        prop_assume!((0..3).all(|column| sets.iter().any(|&set| SETS[set].contains(&column))));
        let margins = margins_of(&records, &sets, sensitive);
        let found = bounds(&margins, 2, &Silent).unwrap();
        prop_assert_eq!(SIZES.iter().product::<u32>(), 12);
        let quasi = 3 - sensitive;
        let group = |cell: usize| values(cell)[..quasi].to_vec();
        let mut cells = [(u64::MAX, 0u64); 12];
        let mut groups: std::collections::BTreeMap<Vec<u32>, (u64, u64)> = std::collections::BTreeMap::new();
        every_table(&mut [0; 12], 0, records.len() as u64, &mut |table| {
            let of: Vec<usize> =
                table.iter().enumerate().flat_map(|(cell, &n)| vec![cell; n as usize]).collect();
            if margins_of(&of, &sets, sensitive) != margins {
                return;
            }
            let mut sums: std::collections::BTreeMap<Vec<u32>, u64> = std::collections::BTreeMap::new();
            for (cell, &count) in table.iter().enumerate() {
                cells[cell] = (cells[cell].0.min(count), cells[cell].1.max(count));
                *sums.entry(group(cell)).or_default() += count;
            }
            for (group, count) in sums {
                let seen = groups.entry(group).or_insert((u64::MAX, 0));
                *seen = (seen.0.min(count), seen.1.max(count));
            }
        });
        for (cell, &(low, high)) in cells.iter().enumerate() {
            let told = bounds_of(&found, cell, &sets);
            prop_assert!(told.0 <= low && high <= told.1, "cell {:?}: {told:?}, truly {low} to {high}", values(cell));
            prop_assert!(!found.sharp.0 || told == (low, high), "cell {:?}: {told:?}, truly {low} to {high}", values(cell));
        }
        for (at, cell) in found.cells.iter().enumerate() {
            let told = found.group_bounds[found.group_of[at] as usize];
            let (low, high) = groups[&cell[..quasi]];
            prop_assert!(told.low <= low && high <= told.high, "group {:?}: {told:?}, truly {low} to {high}", &cell[..quasi]);
            prop_assert!(!found.sharp.1 || (told.low, told.high) == (low, high), "group {:?}", &cell[..quasi]);
        }
        for inference in &found.inferences {
            for &(group, value) in &inference.determined {
                let at = found.columns.iter().position(|&own| own == JointColumn::Sensitive(inference.column)).unwrap();
                let others = found.cells.iter().enumerate().filter(|(cell, own)| {
                    found.group_of[*cell] == group && own[at] != value
                });
                let most: u64 = others.map(|(cell, _)| found.bounds[cell].high).sum();
                prop_assert_eq!(most, 0);
            }
        }
    }

    /// The solver of the attack and the one of the makers of releases share no code and find the same bounds.
    #[test]
    fn two_solvers_agree(
        records in prop::collection::vec(0usize..12, 1..40),
        sets in prop::sample::subsequence((0..SETS.len()).collect::<Vec<_>>(), 1..5),
        sensitive in 0usize..3,
    ) {
        let margins = margins_of(&records, &sets, sensitive);
        let found = bounds(&margins, 3, &Silent).unwrap();
        let column = |own: &JointColumn| match own {
            JointColumn::Quasi(number) => bucket::JointColumn::Quasi(*number),
            JointColumn::Sensitive(number) => bucket::JointColumn::Sensitive(*number),
        };
        let theirs: Vec<bucket::Margin> = margins
            .iter()
            .map(|own| bucket::Margin { columns: own.columns.iter().map(column).collect(), cells: own.cells.clone() })
            .collect();
        let theirs = bucket::combined_margins(&theirs, 3, &Silent).unwrap();
        prop_assert_eq!(&found.cells, &theirs.cells);
        for (one, other) in found.bounds.iter().zip(&theirs.bounds) {
            // Narrowing uses that counts are whole, so it may know more than a linear program.
            prop_assert!(one.low >= other.low && one.high <= other.high);
            prop_assert!(!found.sharp.0 || (one.low, one.high) == (other.low, other.high));
        }
        for (one, other) in found.group_bounds.iter().zip(&theirs.group_bounds) {
            prop_assert!(one.low >= other.low && one.high <= other.high);
        }
        for (one, other) in found.fitted.iter().zip(&theirs.fitted) {
            prop_assert!((one - other).abs() < 1e-4, "{one} and {other}");
        }
    }
}
