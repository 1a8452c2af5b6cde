//! Questions to published counts, beside every table that has them; allocation and writing out.

use foldhash::HashMap;
use privet_data::{Domain, Kind};
use proptest::prelude::*;

use super::*;

fn column(name: &str, values: &[&str]) -> AnswerColumn {
    let (domain, _) = Domain::canonical(values.iter().map(|&value| value.into()).collect(), str::is_empty);
    AnswerColumn::exact(name, domain, AnswerCells::PerRecord(Vec::new()))
}

fn view(columns: &[usize], cells: &[(&[u32], u64)]) -> CountedTable {
    let cell = |&(labels, count): &(&[u32], u64)| (labels.iter().map(|&l| Some(l)).collect(), Some(count));
    CountedTable { columns: columns.to_vec(), cells: cells.iter().map(cell).collect(), has_totals: false }
}

fn ask(counts: &Counts, text: &str) -> Estimate {
    let answer = counts.answer(&Question::parse(text).unwrap()).unwrap();
    assert_eq!(answer.lines.len(), 1, "{answer:?}");
    answer.lines[0].estimates[0]
}

/// survey FX-1.6 / US-14: gender with nationality, and gender with condition.
fn fx_1_6() -> Counts {
    let columns = vec![
        column("gender", &["F", "M"]),
        column("nationality", &["American", "Chinese", "Indian", "Japanese", "Korean", "Russian"]),
        column("condition", &["Cancer", "Flu", "Heart disease", "Viral infection"]),
    ];
    let nationality: &[(&[u32], u64)] = &[
        (&[0, 0], 1),
        (&[0, 3], 1),
        (&[0, 4], 1),
        (&[0, 5], 1),
        (&[1, 0], 4),
        (&[1, 1], 2),
        (&[1, 2], 1),
        (&[1, 3], 1),
    ];
    let condition: &[(&[u32], u64)] = &[
        (&[0, 0], 1),
        (&[0, 1], 1),
        (&[0, 2], 1),
        (&[0, 3], 1),
        (&[1, 0], 4),
        (&[1, 1], 1),
        (&[1, 2], 2),
        (&[1, 3], 1),
    ];
    Counts::new(columns, 12, vec![view(&[0, 1], nationality), view(&[0, 2], condition)]).unwrap()
}

#[test]
fn the_golden_of_the_survey() {
    let counts = fx_1_6();
    let near = |found: Estimate, expected: f64, least: f64, most: f64| {
        assert!((found.expected.unwrap() - expected).abs() < 1e-9, "{found:?}");
        assert_eq!((found.at_least, found.at_most), (Some(least), Some(most)), "{found:?}");
    };
    // Four of eight men have cancer and four are American: 4·4/8, between 4+4-8 and 4.
    let men =
        "select count(*) from data where gender = 'M' and nationality = 'American' and condition = 'Cancer'";
    near(ask(&counts, men), 2.0, 0.0, 4.0);
    near(
        ask(
            &counts,
            "select count(*) from data where gender = 'F' and nationality = 'Russian' and condition = 'Heart disease'",
        ),
        0.25,
        0.0,
        1.0,
    );
    // Without the gender both are added up; six of eight men are American or Chinese, so two of the four at least.
    near(
        ask(
            &counts,
            "select count(*) from data where nationality in ('American', 'Chinese') and condition = 'Cancer'",
        ),
        3.25,
        2.0,
        5.0,
    );
    // One view alone is exact, and so is everybody.
    near(ask(&counts, "select count(*) from data where nationality = 'American'"), 5.0, 5.0, 5.0);
    near(ask(&counts, "select count(*) from data"), 12.0, 12.0, 12.0);
    near(ask(&counts, "select count(*) from data where condition = 'Nothing'"), 0.0, 0.0, 0.0);
    let lines =
        counts.answer(&Question::parse("select count(*) from data group by gender").unwrap()).unwrap();
    assert_eq!(
        lines.lines.iter().map(|line| line.estimates[0].at_least).collect::<Vec<_>>(),
        [Some(4.0), Some(8.0)]
    );
}

#[test]
fn hidden_counts_are_bounded_by_totals() {
    // 1, 5 | 6   with the inner counts of the first row hidden, and one of the second.
    // 4, ? | ?
    let columns = vec![column("sex", &["f", "m"]), column("ill", &["no", "yes"])];
    let cell = |sex: Option<u32>, ill: Option<u32>, count: Option<u64>| (vec![sex, ill], count);
    let cells = vec![
        cell(Some(0), Some(0), None),
        cell(Some(0), Some(1), None),
        cell(Some(0), None, Some(6)),
        cell(Some(1), Some(0), Some(4)),
        cell(Some(1), Some(1), Some(7)),
        cell(Some(1), None, Some(11)),
        cell(None, Some(0), None),
        cell(None, Some(1), None),
        cell(None, None, Some(17)),
    ];
    let table = CountedTable { columns: vec![0, 1], cells, has_totals: true };
    let counts = Counts::new(columns, 17, vec![table]).unwrap();
    let found = ask(&counts, "select count(*) from data where ill = 'no'");
    assert_eq!((found.at_least, found.at_most), (Some(4.0), Some(10.0)));
    assert!((found.expected.unwrap() - 7.0).abs() < 1e-6);
    let found = ask(&counts, "select count(*) from data where sex = 'f'");
    assert_eq!((found.at_least, found.at_most), (Some(6.0), Some(6.0)));
}

#[test]
fn what_cannot_be_asked_of_counts_is_refused() {
    let counts = fx_1_6();
    let ask = |text: &str| counts.answer(&Question::parse(text).unwrap());
    assert!(matches!(ask("select avg(condition) from data"), Err(AnswerError::NotNumeric { .. })));
    assert!(matches!(
        ask("select count(*) from data where town = 'x'"),
        Err(AnswerError::UnknownColumn { .. })
    ));
    // Counts that add up to something else.
    let columns = vec![column("a", &["x", "y"])];
    let odd = Counts::new(columns.clone(), 9, vec![view(&[0], &[(&[0], 1)])]).unwrap();
    let question = Question::parse("select count(*) from data where a = 'x'").unwrap();
    assert_eq!(odd.answer(&question), Err(AnswerError::Inconsistent));
    let none = Counts::new(columns.clone(), 9, Vec::new()).unwrap();
    assert_eq!(none.answer(&question), Err(AnswerError::NoTable));
    assert!(Counts::new(columns, 1, vec![view(&[0], &[(&[7], 1)])]).is_err());
    // Views of different people.
    let columns = vec![column("a", &["x", "y"]), column("b", &["x", "y"]), column("c", &["x", "y"])];
    let apart =
        vec![view(&[0, 1], &[(&[0, 0], 2), (&[1, 1], 1)]), view(&[1, 2], &[(&[0, 0], 1), (&[1, 1], 2)])];
    let question = Question::parse("select count(*) from data where a = 'x' and c = 'x'").unwrap();
    assert_eq!(Counts::new(columns, 3, apart).unwrap().answer(&question), Err(AnswerError::Inconsistent));
}

/// All tables of 2×2×2 counts with so many records.
fn tables(records: u64) -> Vec<[u64; 8]> {
    fn fill(table: &mut [u64; 8], at: usize, left: u64, all: &mut Vec<[u64; 8]>) {
        if at == 7 {
            table[7] = left;
            all.push(*table);
            return;
        }
        for own in 0..=left {
            table[at] = own;
            fill(table, at + 1, left - own, all);
        }
    }
    let mut all = Vec::new();
    fill(&mut [0; 8], 0, records, &mut all);
    all
}

fn margin(table: &[u64; 8], columns: [usize; 2]) -> [u64; 4] {
    let mut sums = [0; 4];
    for (cell, count) in table.iter().enumerate() {
        let bit = |column: usize| cell >> (2 - column) & 1;
        sums[bit(columns[0]) * 2 + bit(columns[1])] += count;
    }
    sums
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Bounds are those of the possible tables: never wrong, and with two views the best. The expectation lies between.
    #[test]
    fn bounds_are_those_of_all_tables(table in prop::array::uniform8(0..2u64), three in any::<bool>(), either in any::<bool>()) {
        let records: u64 = table.iter().sum();
        prop_assume!(records > 0 && records < 7);
        let sets: &[[usize; 2]] = if three { &[[0, 1], [1, 2], [0, 2]] } else { &[[0, 1], [1, 2]] };
        let published: Vec<[u64; 4]> = sets.iter().map(|&set| margin(&table, set)).collect();
        let fits = |other: &&[u64; 8]| sets.iter().zip(&published).all(|(&set, own)| margin(other, set) == *own);
        // a = 1 and c = 1, or either of them.
        let taken = |cell: usize| if either { cell & 0b101 != 0 } else { cell & 0b101 == 0b101 };
        let count = |table: &[u64; 8]| (0..8).filter(|&cell| taken(cell)).map(|cell| table[cell]).sum::<u64>();
        let all = tables(records);
        let possible: Vec<u64> = all.iter().filter(fits).map(count).collect();
        let views = sets.iter().zip(&published).map(|(set, own)| CountedTable {
            columns: set.to_vec(),
            cells: (0..4u32).map(|cell| (vec![Some(cell / 2), Some(cell % 2)], Some(own[cell as usize]))).collect(),
            has_totals: false,
        });
        let columns = ["a", "b", "c"].map(|name| column(name, &["0", "1"])).to_vec();
        let counts = Counts::new(columns, records, views.collect()).unwrap();
        let text = if either { "a = 1 or c = 1" } else { "a = 1 and c = 1" };
        let found = ask(&counts, &format!("select count(*) from data where {text}"));
        let (low, high) = (found.at_least.unwrap(), found.at_most.unwrap());
        let (least, most) = (*possible.iter().min().unwrap() as f64, *possible.iter().max().unwrap() as f64);
        prop_assert!(low <= least && most <= high, "{:?} {least} {most}", found);
        prop_assert!(three || (low, high) == (least, most), "{:?} {least} {most}", found);
        let expected = found.expected.unwrap();
        prop_assert!(low - 1e-6 <= expected && expected <= high + 1e-6, "{:?}", found);
    }
}

/// More joint cells than a program is solved for: two views by a flow give Fréchet's bounds.
#[test]
fn large_views_are_bounded_by_a_flow() {
    let many: Vec<String> = (0..60).map(|i| format!("{i:02}")).collect();
    let texts: Vec<&str> = many.iter().map(String::as_str).collect();
    let columns = vec![column("a", &texts), column("b", &["x"]), column("c", &texts)];
    let cells = |first: u64| -> Vec<(Vec<Option<u32>>, Option<u64>)> {
        // first value often, all others once
        (0..60u32).map(|i| (vec![Some(i), Some(0)], Some(if i == 0 { first } else { 1 }))).collect()
    };
    let a = CountedTable { columns: vec![0, 1], cells: cells(41), has_totals: false };
    let c = CountedTable { columns: vec![2, 1], cells: cells(41), has_totals: false };
    let counts = Counts::new(columns, 100, vec![a, c]).unwrap();
    let found = ask(&counts, "select count(*) from data where a = '00' and c = '00' and b = 'x'");
    assert_eq!((found.at_least, found.at_most), (Some(0.0), Some(41.0)));
    let found = ask(&counts, "select count(*) from data where a = '00' or c = '00'");
    assert_eq!((found.at_least, found.at_most), (Some(41.0), Some(82.0)));
    let found = ask(&counts, "select count(*) from data where a >= '10' and c >= '05'");
    // 50 and 55 of a hundred.
    assert_eq!((found.at_least, found.at_most), (Some(5.0), Some(50.0)));
    assert!((found.expected.unwrap() - 27.5).abs() < 1e-6);
}

fn listed(name: &str, values: &[&str], regions: &[&[u32]], codes: Vec<u32>) -> AnswerColumn {
    let (domain, _) = Domain::canonical(values.iter().map(|&value| value.into()).collect(), str::is_empty);
    AnswerColumn {
        labels: (0..regions.len()).map(|i| format!("label {i}").into()).collect(),
        regions: regions.iter().map(|codes| Region::listed(codes.to_vec())).collect(),
        exclusive: false,
        ambiguous: false,
        cells: AnswerCells::PerRecord(codes),
        ..AnswerColumn::exact(name, domain, AnswerCells::PerRecord(Vec::new()))
    }
}

#[test]
fn records_are_allocated_like_the_precise_ones() {
    // survey US-02: three a, one b, and four that are a or b: in proportion 3:1.
    let column = listed("x", &["a", "b"], &[&[0], &[1], &[0, 1]], vec![0, 0, 0, 1, 2, 2, 2, 2]);
    let mut records = Records { columns: vec![column], rows: 8, group_of: Vec::new(), suppressed: 0 };
    let question = Question::parse("select count(*) from data where x = 'a'").unwrap();
    let of = |records: &Records| records.answer(&question).unwrap().lines[0].estimates[0];
    assert_eq!(of(&records).expected, Some(5.0));
    records.allocate();
    let found = of(&records);
    assert!((found.expected.unwrap() - 6.0).abs() < 1e-6, "{found:?}");
    assert_eq!((found.at_least, found.at_most), (Some(3.0), Some(7.0)));
}

#[test]
fn ranges_are_allocated_without_moving_bounds() {
    // 20-29 twice, 20-24 six times: most of the wider ones are below 25.
    let regions = vec![Region::whole(20.0, 29.0), Region::whole(20.0, 24.0)];
    let column = AnswerColumn {
        name: "age".into(),
        kind: Kind::Integer,
        labels: vec!["20-29".into(), "20-24".into()],
        regions,
        values: Domain::from_sorted(Vec::new(), 0, Kind::Integer),
        named: HashMap::default(),
        weights: Vec::new(),
        exclusive: false,
        ambiguous: false,
        cells: AnswerCells::PerRecord(vec![0, 0, 1, 1, 1, 1, 1, 1]),
    };
    let mut records = Records { columns: vec![column], rows: 8, group_of: Vec::new(), suppressed: 0 };
    let young = Question::parse("select count(*), sum(age) from data where age < 25").unwrap();
    let before = records.answer(&young).unwrap().lines[0].estimates.clone();
    assert_eq!(before[0].expected, Some(7.0));
    records.allocate();
    let after = records.answer(&young).unwrap().lines[0].estimates.clone();
    // The likelihood is largest when nobody is 25 or older.
    assert!(after[0].expected.unwrap() > 7.9, "{after:?}");
    for (a, b) in before.iter().zip(&after) {
        assert_eq!((a.at_least, a.at_most), (b.at_least, b.at_most));
    }
    let label = Question::parse("select count(*) from data where age = '20-24'").unwrap();
    assert_eq!(records.answer(&label).unwrap().lines[0].estimates[0].at_least, Some(6.0));
}

#[test]
fn labels_are_unfolded() {
    let zip = AnswerColumn {
        name: "zip".into(),
        kind: Kind::Text,
        labels: vec!["130**".into()],
        regions: vec![Region { values: Values::Mask { one_length: true, digits: true }, or_missing: false }],
        cells: AnswerCells::PerRecord(vec![0; 200]),
        ..column("zip", &[])
    };
    let age = AnswerColumn {
        name: "age".into(),
        kind: Kind::Integer,
        labels: vec!["20-29".into(), ">=90".into()],
        regions: vec![
            Region::whole(20.0, 29.0),
            Region {
                values: Values::Range {
                    from: 90.0,
                    to: f64::INFINITY,
                    open: false,
                    whole: true,
                    spread: None,
                },
                or_missing: false,
            },
        ],
        cells: AnswerCells::PerRecord((0..200).map(|i| u32::from(i == 0)).collect()),
        ..column("age", &[])
    };
    let odd = AnswerColumn {
        labels: vec!["somewhere".into()],
        regions: vec![Region {
            values: Values::Unknown { size: None, expect_label: false },
            or_missing: true,
        }],
        cells: AnswerCells::PerRecord(vec![0; 200]),
        ..column("place", &[])
    };
    let ill = AnswerColumn {
        cells: AnswerCells::PerGroup(vec![vec![(0, 150), (1, 50)]]),
        ..column("ill", &["no", "yes"])
    };
    let records =
        Records { columns: vec![zip, age, odd, ill], rows: 200, group_of: vec![0; 200], suppressed: 0 };
    let leaves = records.unfold(Unfolding::Leaves, 7).unwrap();
    assert_eq!(leaves, records.unfold(Unfolding::Leaves, 7).unwrap());
    assert_ne!(leaves, records.unfold(Unfolding::Leaves, 8).unwrap());
    assert_eq!(leaves.unread, ["place"]);
    let cell = |column: usize, row: usize| {
        &*leaves.columns[column].texts[leaves.columns[column].codes[row] as usize]
    };
    for row in 0..200 {
        // survey US-11: zip 13000-13099, age 20-29.
        assert!((13000..=13099).contains(&cell(0, row).parse::<u32>().unwrap()));
        let age: u32 = cell(1, row).parse().unwrap();
        assert!(if row == 0 { age == 90 } else { (20..=29).contains(&age) });
        assert_eq!(cell(2, row), "somewhere");
    }
    // Of 199 even draws all ten ages come up, but for one time in 10⁸.
    assert_eq!(leaves.columns[1].texts.len(), 11);
    let sick = (0..200).filter(|&row| cell(3, row) == "yes").count();
    assert_eq!(sick, 50);

    let ranges = records.unfold(Unfolding::Ranges, 7).unwrap();
    let names: Vec<&str> = ranges.columns.iter().map(|own| own.name.as_str()).collect();
    assert_eq!(names, ["zip.lower", "zip.upper", "age.lower", "age.upper", "place", "ill"]);
    let cell = |column: usize, row: usize| {
        &*ranges.columns[column].texts[ranges.columns[column].codes[row] as usize]
    };
    assert_eq!([cell(0, 3), cell(1, 3), cell(2, 3), cell(3, 3)], ["13000", "13099", "20", "29"]);
    assert_eq!([cell(2, 0), cell(3, 0)], ["90", ""]);
}
