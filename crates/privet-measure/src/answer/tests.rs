//! Goldens of the survey, and every possible world of small tables.

use foldhash::HashMap;
use privet_data::{Coverage, Domain, Kind};
use proptest::prelude::*;

use super::*;

fn texts(values: &[&str]) -> Vec<Box<str>> {
    values.iter().map(|&value| value.into()).collect()
}

fn exact(name: &str, cells: &[&str]) -> AnswerColumn {
    let (domain, codes) = coded(cells);
    AnswerColumn::exact(name, domain, AnswerCells::PerRecord(codes))
}

fn coded(cells: &[&str]) -> (Domain, Vec<u32>) {
    let mut distinct = cells.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let (domain, _) = Domain::canonical(texts(&distinct), str::is_empty);
    let codes = cells.iter().map(|cell| domain.code_of(cell).unwrap()).collect();
    (domain, codes)
}

/// A column of labels `from-to` over whole numbers.
fn ranges(name: &str, cells: &[(f64, f64)]) -> AnswerColumn {
    AnswerColumn {
        name: name.into(),
        kind: Kind::Integer,
        labels: cells.iter().map(|(from, to)| format!("{from}-{to}").into()).collect(),
        regions: cells.iter().map(|&(from, to)| Region::whole(from, to)).collect(),
        values: Domain::from_sorted(Vec::new(), 0, Kind::Integer),
        named: HashMap::default(),
        weights: Vec::new(),
        exclusive: false,
        ambiguous: false,
        cells: AnswerCells::PerRecord((0..cells.len() as u32).collect()),
    }
}

fn counted(name: &str, buckets: &[&[&str]]) -> AnswerColumn {
    let (domain, _) = coded(&buckets.concat());
    let histogram = |bucket: &&[&str]| {
        let count = |code: u32| bucket.iter().filter(|v| **v == domain.text(code)).count() as u64;
        (0..domain.len() as u32).map(|code| (code, count(code))).filter(|cell| cell.1 > 0).collect()
    };
    let histograms = buckets.iter().map(histogram).collect();
    AnswerColumn::exact(name, domain, AnswerCells::PerGroup(histograms))
}

fn records(columns: Vec<AnswerColumn>, group_of: Vec<u32>) -> Records {
    let rows = match &columns[0].cells {
        AnswerCells::PerRecord(codes) => codes.len(),
        AnswerCells::PerGroup(_) => group_of.len(),
    };
    Records { columns, rows, group_of, suppressed: 0 }
}

fn ask(records: &Records, text: &str) -> Vec<Estimate> {
    let answer = records.answer(&Question::parse(text).unwrap()).unwrap();
    assert_eq!(answer.lines.len(), 1);
    answer.lines[0].estimates.clone()
}

fn figures(estimate: Estimate) -> (f64, f64, f64) {
    (estimate.expected.unwrap(), estimate.at_least.unwrap(), estimate.at_most.unwrap())
}

/// Table 1.3: ages and conditions of {1,8,3,10}, {5,6,7,2}, {9,4,11,12}.
fn table_1_3() -> Records {
    let age = [[(20.0, 59.0); 8].to_vec(), [(20.0, 39.0); 4].to_vec()].concat();
    let illness = ["HD", "Flu", "VI", "Ca", "Ca", "Flu", "HD", "HD", "Ca", "VI", "Ca", "Ca"];
    let zip = AnswerColumn {
        labels: texts(&["1****", "13***"]),
        regions: vec![
            Region { values: Values::Mask { one_length: true, digits: true }, or_missing: false };
            2
        ],
        kind: Kind::Text,
        cells: AnswerCells::PerRecord(vec![0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1]),
        ..ranges("zip", &[])
    };
    records(vec![ranges("age", &age), zip, exact("illness", &illness)], Vec::new())
}

#[test]
fn the_queries_of_table_1_3() {
    // survey FX-1.3: 33/40, 22/5, their ratio 3/16; "cancer and age < 40": 4.
    let release = table_1_3();
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
    let heart =
        figures(ask(&release, "select count(*) from data where age between 20 and 30 and illness = 'HD'")[0]);
    near(heart.0, 33.0 / 40.0);
    assert_eq!((heart.1, heart.2), (0.0, 3.0));
    let young = figures(ask(&release, "select count(*) from data where age between 20 and 30")[0]);
    near(young.0, 22.0 / 5.0);
    near(heart.0 / young.0, 3.0 / 16.0);
    let cancer = figures(ask(&release, "select count(*) from data where illness = 'Ca' and age < 40")[0]);
    near(cancer.0, 4.0);
    assert_eq!((cancer.1, cancer.2), (3.0, 5.0));
    // Masks: what they show decides, what they hide is spread over the digits.
    let (expected, least, most) = figures(ask(&release, "select count(*) from data where zip like '13%'")[0]);
    assert_eq!((least, most), (4.0, 12.0));
    assert!((expected - 4.8).abs() < 1e-12);
}

#[test]
fn masks_are_spread_over_codes() {
    let release = table_1_3();
    let (expected, least, most) = figures(ask(&release, "select count(*) from data where zip = '13053'")[0]);
    assert!((expected - (8.0 / 10_000.0 + 4.0 / 1000.0)).abs() < 1e-12);
    assert_eq!((least, most), (0.0, 12.0));
    // A label stands for all that is behind it; labels may lie in each other.
    assert_eq!(ask(&release, "select count(*) from data where zip = '13***'")[0].at_least, Some(4.0));
    assert_eq!(
        figures(ask(&release, "select count(*) from data where zip = '1****'")[0]),
        (12.0, 12.0, 12.0)
    );
    assert_eq!(figures(ask(&release, "select count(*) from data where zip >= 10000")[0]), (12.0, 12.0, 12.0));
    assert_eq!(ask(&release, "select count(*) from data where zip < 14000")[0].at_least, Some(4.0));
    let of = |text: &str| ask(&release, text)[0];
    let near = |estimate: Estimate, expected: f64| (estimate.expected.unwrap() - expected).abs() < 1e-12;
    assert!(near(of("select count(*) from data where zip between 13000 and 13099"), 8.0 * 0.01 + 4.0 * 0.1));
    assert!(near(of("select count(*) from data where zip not like '13%'"), 8.0 * 0.9));
    assert!(near(
        of("select count(*) from data where zip < 12000 or zip = '13053'"),
        8.0 * 0.2001 + 4.0 * 0.001
    ));
    let none = of("select count(*) from data where zip = '99999'");
    assert_eq!(figures(none), (0.0, 0.0, 0.0));
    let either = of("select count(*) from data where zip = '13053' or zip = '14850'");
    assert!((either.expected.unwrap() - (16.0 / 10_000.0 + 4.0 / 1000.0)).abs() < 1e-12);
    let both = of("select count(*) from data where zip = '13053' and zip = '14850'");
    assert_eq!(figures(both), (0.0, 0.0, 0.0));
}

#[test]
fn the_buckets_of_table_1_4() {
    // survey FX-1.4, FX-5.1: each of Ann, Bruce, Cary, Dick has HD or VI with 0.5; bucket 2 Ca 0.25, Flu 0.5, HD 0.25.
    let age = ["28", "29", "21", "23", "50", "55", "47", "49", "31", "37", "36", "35"];
    let illness = counted(
        "illness",
        &[&["HD", "HD", "VI", "VI"], &["Ca", "Flu", "HD", "Flu"], &["Ca", "Ca", "Ca", "Ca"]],
    );
    let group_of = (0..12).map(|record| record / 4).collect();
    let release = records(vec![exact("age", &age), illness], group_of);
    let of = |text: &str| figures(ask(&release, text)[0]);
    assert_eq!(of("select count(*) from data where age = 28 and illness = 'HD'"), (0.5, 0.0, 1.0));
    assert_eq!(of("select count(*) from data where age = 50 and illness = 'Flu'"), (0.5, 0.0, 1.0));
    assert_eq!(of("select count(*) from data where age = 50 and illness = 'Ca'"), (0.25, 0.0, 1.0));
    assert_eq!(of("select count(*) from data where age < 40 and illness = 'Ca'"), (4.0, 4.0, 4.0));
    // Three of four match, two of four are HD: at least max(0, 3 + 2 - 4).
    assert_eq!(of("select count(*) from data where age in (28, 29, 21) and illness = 'HD'"), (1.5, 1.0, 2.0));
    assert_eq!(of("select count(*) from data where illness = 'HD'"), (3.0, 3.0, 3.0));
    // Mutual exclusion is kept: nobody has both.
    assert_eq!(of("select count(*) from data where illness = 'HD' and illness = 'VI'"), (0.0, 0.0, 0.0));
    let (average, least, most) = of("select avg(age) from data where illness = 'VI'");
    assert_eq!((average, least, most), (25.25, 22.0, 28.5));
    let answer = release
        .answer(
            &Question::parse("select illness, count(*) from data where age < 30 group by illness").unwrap(),
        )
        .unwrap();
    let lines: Vec<(&str, Option<f64>)> =
        answer.lines.iter().map(|line| (&*line.group[0], line.estimates[0].expected)).collect();
    assert_eq!(lines, [("Ca", Some(0.0)), ("Flu", Some(0.0)), ("HD", Some(2.0)), ("VI", Some(2.0))]);
}

#[test]
fn sums_of_counted_numbers_are_the_smallest_and_the_largest() {
    // survey US-04: two match; the two smallest and the two largest of the bucket.
    let columns = vec![exact("sex", &["f", "f", "m", "m"]), counted("cost", &[&["1", "10", "100", ""]])];
    let release = records(columns, vec![0; 4]);
    let of = |text: &str| figures(ask(&release, text)[0]);
    assert_eq!(of("select sum(cost) from data where sex = 'f'"), (55.5, 1.0, 110.0));
    assert_eq!(of("select avg(cost) from data where sex = 'f'"), (37.0, 1.0, 100.0));
    assert_eq!(of("select count(cost) from data where sex = 'f'"), (1.5, 1.0, 2.0));
    assert_eq!(of("select sum(cost) from data where sex = 'f' and cost < 50"), (5.5, 0.0, 11.0));
    let answer = release.answer(&Question::parse("select sum(cost) from d group by sex").unwrap()).unwrap();
    let groups: Vec<&str> = answer.lines.iter().map(|line| &*line.group[0]).collect();
    assert_eq!(groups, ["f", "m"]);
    assert!(answer.lines.iter().all(|line| figures(line.estimates[0]) == (55.5, 1.0, 110.0)));
}

#[test]
fn open_ends_have_bounds_only_where_they_are() {
    let mut age = ranges("age", &[(20.0, 29.0), (90.0, f64::INFINITY), (f64::NEG_INFINITY, f64::INFINITY)]);
    age.regions[2].or_missing = true;
    let mut release = records(vec![age], Vec::new());
    assert_eq!(ask(&release, "select count(*) from d where age between 20 and 29")[0].at_least, Some(1.0));
    let open = ask(&release, "select count(*), sum(age), avg(age), count(age) from d where age > 95");
    assert_eq!((open[0].expected, open[0].at_least, open[0].at_most), (None, Some(0.0), Some(2.0)));
    assert_eq!((open[1].at_least, open[1].at_most), (Some(0.0), None));
    assert_eq!((open[2].at_least, open[2].at_most), (Some(96.0), None));
    // Whether the third is missing is not known.
    assert_eq!((open[3].at_least, open[3].at_most), (Some(0.0), Some(2.0)));
    let known = ask(&release, "select count(age), count(*) from d where age is null");
    assert_eq!((known[0].at_most, known[1].at_most, known[1].expected), (Some(0.0), Some(1.0), Some(0.0)));
    // A suppressed record may have been anything.
    release.suppressed = 5;
    let count = ask(&release, "select count(*) from d where age < 90")[0];
    assert_eq!((count.at_least, count.at_most), (Some(1.0), Some(7.0)));
}

#[test]
fn reals_are_spread_over_lengths() {
    let mut size = ranges("size", &[(0.0, 10.0), (2.5, 2.5)]);
    size.kind = Kind::Decimal;
    size.regions[0].values = Values::Range { from: 0.0, to: 10.0, open: true, whole: false, spread: None };
    size.regions[1].values = Values::Range { from: 2.5, to: 2.5, open: false, whole: false, spread: None };
    let release = records(vec![size], Vec::new());
    let of = |text: &str| figures(ask(&release, text)[0]);
    assert_eq!(of("select count(*) from d where size < 2.5"), (0.25, 0.0, 1.0));
    assert_eq!(of("select count(*) from d where size <= 2.5"), (1.25, 1.0, 2.0));
    assert_eq!(of("select count(*) from d where size >= 10"), (0.0, 0.0, 0.0));
    assert_eq!(of("select sum(size) from d"), (7.5, 2.5, 12.5));
    assert_eq!(of("select avg(size) from d where size > 3"), (6.5, 3.0, 10.0));
}

#[test]
fn unreadable_labels_exclude_nothing_but_each_other() {
    let mut job = ranges("job", &[(0.0, 0.0); 3]);
    (job.kind, job.exclusive, job.labels) = (Kind::Text, true, texts(&["Health", "Trade", "*"]));
    let unknown = Values::Unknown { size: Some(20), expect_label: false };
    job.regions = vec![Region { values: unknown, or_missing: false }; 3];
    job.regions[2].or_missing = true;
    let mut release = records(vec![job], Vec::new());
    let of = |release: &Records, text: &str| figures(ask(release, text)[0]);
    assert_eq!(of(&release, "select count(*) from d where job = 'Health'"), (1.0, 1.0, 1.0));
    assert_eq!(of(&release, "select count(*) from d where job <> 'Health'").1, 2.0 - 1.0);
    let nurse = of(&release, "select count(*) from d where job = 'Nurse'");
    assert!((nurse.0 - 0.15).abs() < 1e-12 && (nurse.1, nurse.2) == (0.0, 3.0));
    release.columns[0].exclusive = false;
    let health = ask(&release, "select count(*) from d where job = 'Health' or job in ('Nurse', 'Trade')")[0];
    assert_eq!((health.expected, health.at_least, health.at_most), (None, Some(2.0), Some(3.0)));
    let like = ask(&release, "select count(*) from d where job like 'N%'")[0];
    assert_eq!((like.expected, like.at_least, like.at_most), (None, Some(0.0), Some(3.0)));
}

#[test]
fn what_cannot_be_answered_says_why() {
    let release = table_1_3();
    let error = |text: &str| release.answer(&Question::parse(text).unwrap()).unwrap_err().to_string();
    assert!(error("select count(*) from d where income < 3").contains("it has age, zip, illness"));
    assert!(error("select sum(illness) from d").contains("holds no numbers"));
    assert!(error("select count(*) from d where age like '2%'").contains("between"));
    let secret = error("select count(*) from d where age < 'SECRET'");
    assert!(secret.contains("accepted are numbers") && !secret.contains("SECRET"), "{secret}");
    assert_eq!(ask(&release, "select count(*) from d where AGE < 20")[0].at_most, Some(0.0));
    let mut bent = table_1_3();
    bent.rows = 11;
    assert!(matches!(
        bent.answer(&Question::parse("select count(*) from d").unwrap()),
        Err(AnswerError::Unfit { .. })
    ));
    let empty = Records { columns: vec![exact("a", &[])], rows: 0, group_of: vec![], suppressed: 0 };
    let nothing = ask(&empty, "select count(*), count(a) from d where a = 'x'");
    assert_eq!(nothing[0].expected, Some(0.0));
    assert_eq!(nothing[0].share, None);
}

// ---- every possible world ------------------------------------------------------------------------

/// A condition on columns `q`, `r`, `s`, `t` of small numbers.
fn condition(columns: &'static [&'static str]) -> impl Strategy<Value = Condition> {
    let number = |n: i32| Literal::Number(f64::from(n), n.to_string());
    let orders = [Order::Less, Order::AtMost, Order::Greater, Order::AtLeast];
    let comparison = prop_oneof![
        prop::collection::vec(0..4, 1..3)
            .prop_map(move |l| Comparison::In(l.into_iter().map(number).collect())),
        (0..4usize, 0..4).prop_map(move |(o, n)| Comparison::Order(orders[o], number(n))),
        Just(Comparison::IsNull),
    ];
    let test =
        (0..columns.len(), comparison, any::<bool>()).prop_map(move |(column, comparison, negated)| {
            let negated = negated && !matches!(comparison, Comparison::Order(..));
            Condition::Test(Test { column: columns[column].into(), comparison, negated })
        });
    test.prop_recursive(3, 8, 3, |inner| {
        (prop::collection::vec(inner, 0..3), any::<bool>())
            .prop_map(|(parts, all)| if all { Condition::All(parts) } else { Condition::Any(parts) })
    })
}

type World = Vec<Vec<Option<i32>>>;

/// The truth, straight from the definition.
fn holds(condition: &Condition, record: &[Option<i32>], columns: &[&str]) -> bool {
    match condition {
        Condition::All(parts) => parts.iter().all(|p| holds(p, record, columns)),
        Condition::Any(parts) => parts.iter().any(|p| holds(p, record, columns)),
        Condition::Test(test) => {
            let own = record[columns.iter().position(|c| *c == test.column).unwrap()];
            let number = |l: &Literal| match l {
                Literal::Number(n, _) => *n,
                Literal::Text(_) => unreachable!(),
            };
            match (&test.comparison, own.map(f64::from)) {
                (Comparison::IsNull, own) => own.is_none() != test.negated,
                (_, None) => false,
                (Comparison::In(list), Some(own)) => list.iter().any(|l| number(l) == own) != test.negated,
                (Comparison::Order(order, l), Some(own)) => order.holds(own.partial_cmp(&number(l)).unwrap()),
                _ => unreachable!(),
            }
        }
    }
}

/// Over all worlds: mean, least and most of the count; of the sum; least and most of the average.
#[derive(Debug)]
struct Truth {
    count: (f64, f64, f64),
    sum: (f64, f64, f64),
    average: Option<(f64, f64)>,
}

fn truth(worlds: &[World], condition: &Condition, columns: &[&str], target: usize) -> Truth {
    let mut of = Truth { count: (0.0, 1e9, -1e9), sum: (0.0, 1e9, -1e9), average: None };
    for world in worlds {
        let taken: Vec<&Vec<Option<i32>>> = world.iter().filter(|r| holds(condition, r, columns)).collect();
        let numbers: Vec<f64> = taken.iter().filter_map(|r| r[target].map(f64::from)).collect();
        let (count, sum) = (taken.len() as f64, numbers.iter().sum::<f64>());
        for (all, own) in [(&mut of.count, count), (&mut of.sum, sum)] {
            *all = (all.0 + own / worlds.len() as f64, all.1.min(own), all.2.max(own));
        }
        if !numbers.is_empty() {
            let own = sum / numbers.len() as f64;
            let (least, most) = of.average.unwrap_or((own, own));
            of.average = Some((least.min(own), most.max(own)));
        }
    }
    of
}

fn estimates(release: &Records, condition: &Condition, target: &str) -> Vec<Estimate> {
    let output = |aggregate| Output { aggregate, name: String::new() };
    let select = vec![
        output(Aggregate::Count),
        output(Aggregate::Sum(target.into())),
        output(Aggregate::Average(target.into())),
    ];
    let question = Question { table: "data".into(), select, filter: condition.clone(), group_by: vec![] };
    release.answer(&question).unwrap().lines[0].estimates.clone()
}

fn check(release: &Records, truth: &Truth, condition: &Condition, target: &str, tight: bool) {
    let own = estimates(release, condition, target);
    for (estimate, (mean, least, most)) in own.iter().zip([truth.count, truth.sum]) {
        let (expected, at_least, at_most) = figures(*estimate);
        assert!((expected - mean).abs() < 1e-9, "{expected} {mean} {truth:?}");
        assert!(at_least <= least + 1e-9 && at_most >= most - 1e-9, "{estimate:?} {truth:?}");
        if tight {
            assert!(
                (at_least - least).abs() < 1e-9 && (at_most - most).abs() < 1e-9,
                "{estimate:?} {truth:?}"
            );
        }
    }
    if let Some((least, most)) = truth.average {
        let (at_least, at_most) = (own[2].at_least.unwrap(), own[2].at_most.unwrap());
        assert!(at_least <= least + 1e-9 && at_most >= most - 1e-9, "{own:?} {truth:?}");
        if tight {
            assert!((at_least - least).abs() < 1e-9 && (at_most - most).abs() < 1e-9, "{own:?} {truth:?}");
        }
    }
}

/// The values missing, -1, 1, 2: codes 0 to 3.
fn small_values() -> Domain {
    Domain::canonical(texts(&["", "-1", "1", "2"]), str::is_empty).0
}

const SMALL: [Option<i32>; 4] = [None, Some(-1), Some(1), Some(2)];

fn all_choices(options: &[Vec<Option<i32>>]) -> Vec<Vec<Option<i32>>> {
    options.iter().fold(vec![vec![]], |all, own| {
        all.iter().flat_map(|head| own.iter().map(|v| [&head[..], &[*v]].concat())).collect()
    })
}

fn permutations(values: &[Option<i32>]) -> Vec<Vec<Option<i32>>> {
    if values.is_empty() {
        return vec![vec![]];
    }
    let with = |at: usize| {
        let mut rest = values.to_vec();
        let first = rest.remove(at);
        permutations(&rest).into_iter().map(move |tail| [&[first][..], &tail].concat())
    };
    (0..values.len()).flat_map(with).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Generalized records: expectations are means over worlds, bounds are attained, for any condition.
    #[test]
    fn generalized_records_in_all_worlds(
        cells in prop::collection::vec((1u32..16, 1u32..16), 1..4),
        condition in condition(&["q", "r"]),
    ) {
        let codes = |set: u32| (0..4).filter(|v| set >> v & 1 == 1).collect::<Vec<u32>>();
        let labels = Domain::from_sorted(cells.iter().enumerate().map(|(i, _)| format!("l{i}").into()).collect(), 0, Kind::Text);
        let column = |name: &str, sets: Vec<u32>| {
            let coverage = Coverage::new(sets.iter().map(|&set| codes(set)), 4);
            AnswerColumn::covered(name, &labels, small_values(), &coverage, (0..cells.len() as u32).collect())
        };
        let release = records(
            vec![column("q", cells.iter().map(|c| c.0).collect()), column("r", cells.iter().map(|c| c.1).collect())],
            vec![],
        );
        let options: Vec<Vec<Option<i32>>> = cells
            .iter()
            .flat_map(|c| [c.0, c.1])
            .map(|set| codes(set).into_iter().map(|v| SMALL[v as usize]).collect())
            .collect();
        let worlds: Vec<World> =
            all_choices(&options).into_iter().map(|w| w.chunks(2).map(<[_]>::to_vec).collect()).collect();
        let truth = truth(&worlds, &condition, &["q", "r"], 1);
        check(&release, &truth, &condition, "r", true);
    }

    /// A bucket with two counted columns: expectations are means over worlds, bounds hold for any condition, and are
    /// attained for conjunctions of conditions on one column each.
    #[test]
    fn buckets_in_all_worlds(
        rows in prop::collection::vec((0..4usize, 0..4usize, 0..4usize), 1..5),
        mixed in condition(&["q", "s", "t"]),
        (on_q, on_s, on_t) in (condition(&["q"]), condition(&["s"]), condition(&["t"])),
    ) {
        let names = ["q", "s", "t"];
        let column = |at: usize| -> Vec<u32> {
            rows.iter().map(|r| [r.0, r.1, r.2][at] as u32).collect()
        };
        let histogram = |codes: &[u32]| {
            let count = |v: u32| codes.iter().filter(|c| **c == v).count() as u64;
            vec![(0..4).map(|v| (v, count(v))).filter(|c| c.1 > 0).collect::<Vec<_>>()]
        };
        let counted = |name, at| AnswerColumn::exact(name, small_values(), AnswerCells::PerGroup(histogram(&column(at))));
        let q = AnswerColumn::exact("q", small_values(), AnswerCells::PerRecord(column(0)));
        let release = records(vec![q, counted("s", 1), counted("t", 2)], vec![0; rows.len()]);
        let small = |at: usize| -> Vec<Option<i32>> { column(at).iter().map(|&c| SMALL[c as usize]).collect() };
        let (own, firsts, seconds) = (small(0), permutations(&small(1)), permutations(&small(2)));
        let mut worlds: Vec<World> = Vec::new();
        for s in &firsts {
            for t in &seconds {
                worlds.push((0..rows.len()).map(|i| vec![own[i], s[i], t[i]]).collect());
            }
        }
        for target in 0..3 {
            check(&release, &truth(&worlds, &mixed, &names, target), &mixed, names[target], false);
            let all = Condition::All(vec![on_q.clone(), on_s.clone(), on_t.clone()]);
            let of_all = truth(&worlds, &all, &names, target);
            let count = figures(estimates(&release, &all, names[target])[0]);
            prop_assert_eq!((count.1, count.2), (of_all.count.1, of_all.count.2));
            check(&release, &of_all, &all, names[target], false);
        }
        // With one counted column, sums and averages are exact as well.
        for target in 0..2 {
            let two = Condition::All(vec![on_q.clone(), on_s.clone()]);
            check(&release, &truth(&worlds, &two, &names, target), &two, names[target], true);
            let any = Condition::Any(vec![on_q.clone(), on_s.clone()]);
            let of_any = truth(&worlds, &any, &names, target);
            let count = figures(estimates(&release, &any, names[target])[0]);
            prop_assert_eq!((count.1, count.2), (of_any.count.1, of_any.count.2));
        }
    }
}

#[test]
fn questions_are_read_and_others_refused() {
    let read = |text: &str| Question::parse(text).unwrap();
    let question = read(
        "select sex, count(*) as n, avg(d.cost) from data d where not (age < 5 or d.sex is null) group by sex",
    );
    assert_eq!(question.table, "data");
    assert_eq!(question.group_by, ["sex"]);
    assert_eq!(question.select[0].name, "n");
    assert_eq!(question.select[1].name, "avg(cost)");
    let Condition::All(parts) = &question.filter else { panic!("{question:?}") };
    assert!(matches!(
        &parts[0],
        Condition::Test(Test { comparison: Comparison::Order(Order::AtLeast, _), .. })
    ));
    assert!(matches!(&parts[1], Condition::Test(Test { comparison: Comparison::IsNull, negated: true, .. })));
    assert_eq!(
        read("select count(*) from d where 5 < a").filter,
        read("select count(*) from d where a > 5").filter
    );
    assert_eq!(
        read("select count(*) from d where a not between -1 and 2").filter,
        read("select count(*) from d where a < -1 or a > 2").filter
    );
    assert_eq!(
        read("select count(*) from d where not a <> 'x'").filter,
        read("select count(*) from d where a in ('x')").filter
    );
    for (text, named) in [
        ("select * from d", "`*`"),
        ("select age from d", "not in `group by`"),
        ("select max(a) from d", "`min` or `max`"),
        ("select median(a) from d", "a function"),
        ("select count(distinct a) from d", "`distinct`"),
        ("select distinct count(*) from d", "`distinct`"),
        ("select count(*) from d, e", "a join"),
        ("select count(*) from d join e on d.a = e.a", "a join"),
        ("select count(*) from (select * from d) x", "a subquery"),
        ("select count(*) from d where a in (select 1)", "a subquery"),
        ("select count(*) from d having count(*) > 1", "`having`"),
        ("select count(*) from d order by 1", "`order by`"),
        ("select count(*) from d limit 1", "`limit`"),
        ("select count(*) from d where a + 1 < 2", "arithmetic"),
        ("select count(*) from d where a = b", "two columns"),
        ("select count(*) from d where lower(a) = 'SECRET'", "a function"),
        ("select count(*) from d where a = null", "`is null`"),
        ("select count(*) from d where e.a = 1", "another table"),
        ("select count(*) + 1 from d", "arithmetic"),
        ("select count(*) from d union select count(*) from e", "`union`"),
        ("with x as (select 1) select count(*) from x", "`with`"),
        ("select count(*)", "no `from`"),
        ("select count(*) from d; select count(*) from d", "several"),
        ("delete from d", "no `select`"),
        ("select count(*) from d where a ilike 'x'", "other than `like`"),
        ("select count(*) over () from d", "a window"),
        ("select count(*) from d group by rollup (a)", "rollup"),
        ("selec SECRET", "cannot be read as SQL"),
        ("select count(*) from d where a = 'SECRET", "cannot be read as SQL"),
        ("", "cannot be read as SQL"),
    ] {
        let error = Question::parse(text).expect_err(text).to_string();
        assert!(error.contains(named), "{text}: {error}");
        assert!(
            error.contains("accepted is `select count(*)") && !error.contains("SECRET"),
            "{text}: {error}"
        );
    }
    let error = Question::parse("select count(*) from d where\n a = f(3)").unwrap_err().to_string();
    assert!(error.contains("(line 2, column 6)"), "{error}");
}

/// Long and deep questions end in an answer or an error, not in a crash.
#[test]
fn a_long_question_is_read() {
    let long = format!("select count(*) from d where {}", ["a=1"; 1200].join(" or "));
    assert!(Question::parse(&long).is_ok());
}

#[test]
fn a_deep_question_is_refused() {
    let layers = |n| format!("select count(*) from d where {}a=1{}", "(".repeat(n), ")".repeat(n));
    assert!(Question::parse(&layers(8)).is_ok());
    let deep = format!("select count(*) from d where {}a=1{}", "(".repeat(4000), ")".repeat(4000));
    assert!(Question::parse(&deep).is_err());
    let not = format!("select count(*) from d where {} a=1", "not ".repeat(2000));
    assert!(Question::parse(&not).is_err());
    assert_eq!(Question::parse(&" ".repeat(20_000)), Err(QuestionError::TooLong));
}
