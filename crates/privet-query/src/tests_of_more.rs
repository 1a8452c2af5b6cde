//! Tests of keys that are not declared, limits by group, spreads, counts of different values, arithmetic, joins and subqueries: what one
//! person changes, and that answers are about the right records.

use privet_data::Silent;
use privet_data::io::{ReadOptions, read_csv_bytes};

use super::declared::{Declared, Flags};
use super::error::QueryError;
use super::execute::Exact;
use super::plan::{Mechanism, Plan};

fn flags(epsilon: &str) -> Flags {
    Flags {
        epsilon: Some(epsilon.to_owned()),
        bounds: ["cost=0..100", "days=0..30", "n=0..20", "total=0..1000"].map(str::to_owned).into(),
        ..Flags::default()
    }
}

fn plan(question: &str, flags: &Flags) -> Result<Plan, QueryError> {
    Plan::new(question, &Declared { flags, job: None })
}

/// The lines as text. With epsilon 1000 next to no noise is left.
fn answer(question: &str, flags: &Flags, csv: &str) -> Vec<String> {
    let plan = plan(question, flags).unwrap();
    let options = ReadOptions { header: Some(true), ..ReadOptions::default().exactly() };
    let mut table = read_csv_bytes(csv.as_bytes(), &options).unwrap().table;
    if !plan.sources.is_plain() {
        table = plan.sources.made(table, &plan.columns(), &Silent).unwrap();
    }
    let lines = Exact::new(&plan, table).release(&plan).unwrap().lines;
    let shown = |line: super::Line| {
        let mut words: Vec<String> = line.group.iter().map(|own| own.clone().unwrap_or_default()).collect();
        words.extend(line.numbers.iter().map(|own| format!("{:.0}", own.value)));
        words.join(" ")
    };
    lines.into_iter().map(shown).collect()
}

fn refused(question: &str, flags: &Flags) -> String {
    plan(question, flags).unwrap_err().to_string()
}

fn of(count: usize, line: &str) -> String {
    format!("{line}\n").repeat(count)
}

/// With epsilon 1000 and delta 1e-6 a group of one person reaches a threshold of 1 + 1014/1000 rounded up, so 4 with a probability of
/// e^-1000 or so, and groups of 40 are told with certainty.
#[test]
fn frequent_keys_are_told_and_rare_ones_are_not() {
    let csv = format!("job,cost\n{}{}{}", of(40, "cook,3"), of(60, "nurse,5"), of(1, "astronaut,9"));
    let found = |question: &str, more: fn(&mut Flags)| {
        let mut flags =
            Flags { unknown_keys: vec!["job".into()], delta: Some("1e-6".into()), ..flags("1000") };
        more(&mut flags);
        answer(question, &flags, &csv)
    };
    let by = "select job, count(*), sum(cost) from d group by job";
    assert_eq!(found(by, |_| ()), ["cook 40 120", "nurse 60 300"]);
    let ordered = "select job, count(*) as n from d group by job order by n desc";
    assert_eq!(found(ordered, |_| ()), ["nurse 60", "cook 40"]);
    assert_eq!(found("select job, count(*) from d where cost > 4 group by job", |_| ()), ["nurse 60"]);
    // Beside declared keys of another column.
    let two = "select job, cost, count(*) from d group by job, cost";
    assert_eq!(found(two, |flags| flags.keys.push("cost=3,4".into())), ["cook 3 40"]);
    assert!(found("select job, count(*) from d where cost > 99 group by job", |_| ()).is_empty());
}

#[test]
fn unknown_keys_have_their_price() {
    let unknown = |more: fn(&mut Flags)| {
        let mut flags = Flags { unknown_keys: vec!["job".into()], delta: Some("1e-6".into()), ..flags("1") };
        more(&mut flags);
        flags
    };
    let by = "select job, count(*) from d group by job";
    let plan_of = |more| plan(by, &unknown(more)).unwrap();
    let own = plan_of(|_| ());
    // By hand: 1 + ln((1 + e)·10^6) = 16.13, rounded up and one more.
    assert_eq!(own.unknown.as_ref().unwrap().threshold.least(), 18);
    assert_eq!(own.loss.delta(), "1e-6".parse::<privet_dp::Delta>().unwrap().value());
    let cases: [(&str, fn(&mut Flags), &str); 5] = [
        (by, |flags| flags.delta = None, "need a --delta"),
        ("select job, avg(cost) from d group by job", |_| (), "count(*) too"),
        ("select job, count(*) as n from d group by job order by n desc limit 3", |_| (), "declared keys"),
        ("select count(*) from d group by cube (job)", |_| (), "plain `group by`"),
        (by, |flags| flags.keys.push("job=a".into()), "both name"),
    ];
    for (question, more, word) in cases {
        let message = refused(question, &unknown(more));
        assert!(message.contains(word), "{question}: {message}");
    }
}

/// With 9 records of a person, of which one in each group, the squares of what she changes sum to 9 and not to 81: Gaussian noise has a third
/// of its scale, and is taken.
#[test]
fn limits_by_group_make_gaussian_noise_smaller() {
    let by = "select ward, count(*), sum(cost) from d group by ward";
    let with = |per_group: Option<u32>, max_groups: Option<u32>| Flags {
        per_person: Some("id".into()),
        max_records: Some(9),
        max_per_group: per_group,
        max_groups,
        delta: Some("1e-6".into()),
        keys: vec!["ward=1,2,3".into()],
        ..flags("1")
    };
    let scale = |flags: &Flags| match &plan(by, flags).unwrap().parts[0].mechanism {
        Mechanism::Count(noise) => (noise.is_gaussian(), noise.scale().to_f64().value()),
        other => panic!("{other:?}"),
    };
    let (is_gaussian, wide) = scale(&with(None, None));
    assert!(!is_gaussian && wide == 18.0);
    let (is_gaussian, narrow) = scale(&with(Some(1), None));
    assert!(is_gaussian && narrow < 0.6 * wide * 3.0, "{narrow} {wide}");
    assert_eq!(scale(&with(Some(1), Some(2))), (false, 4.0));
    // One person's records in three wards: two wards count, and one record of each.
    let csv = "id,ward,cost\n7,1,1\n7,1,1\n7,2,2\n7,3,3\n8,3,4\n";
    let exact = Flags { delta: None, bounds: vec!["cost=0..4".into()], ..with(Some(1), Some(2)) };
    assert_eq!(
        answer(by, &Flags { epsilon: Some("1000".into()), ..exact }, csv),
        ["1 1 1", "2 1 2", "3 1 4"]
    );
    let trusted = Flags { per_person: None, ..with(Some(1), None) };
    assert!(refused(by, &trusted).contains("--per-person"));
}

/// By hand: costs 10, 10, 40 have the mean 20 and the variance 200.
#[test]
fn spreads_and_different_values() {
    let csv = format!("id,sex,cost\n{}", of(100, "1,F,10\n2,F,10\n3,M,40"));
    let many = Flags { per_person: Some("id".into()), max_records: Some(1000), ..flags("1000") };
    let trusted = flags("1000");
    let numbers = |question: &str, flags: &Flags| answer(question, flags, &csv);
    let spread: f64 = numbers("select variance(cost) from d", &trusted)[0].parse().unwrap();
    assert!((spread - 200.0).abs() < 12.0, "{spread}");
    let root: f64 = numbers("select stddev(cost) from d", &trusted)[0].parse().unwrap();
    assert!((root - 14.0).abs() < 2.0, "{root}");
    assert_eq!(numbers("select count(distinct cost), count(distinct id) from d", &trusted), ["2 3"]);
    // A person changes the number of persons by one, whatever the number of her records, and the number of values by many.
    let distinct = plan("select count(distinct id), count(distinct cost) from d", &many).unwrap();
    let sensitivities: Vec<f64> = distinct.figures().iter().map(|own| own.noises[0].sensitivity).collect();
    assert_eq!(sensitivities, [1.0, 1000.0]);
}

/// By hand: 2·10 − 4 = 16 and 2·100 − 30 = 170; costs beyond their bounds count as the bound.
#[test]
fn arithmetic_on_bounded_columns() {
    let csv = "cost,days\n10,4\n900,30\n5,\nx,3\n";
    let sum: f64 = answer("select sum(2 * cost - days) from d", &flags("1000"), csv)[0].parse().unwrap();
    assert!((sum - 186.0).abs() <= 4.0, "{sum}");
    assert_eq!(answer("select sum(cost * days) from d", &flags("1000"), csv)[0].len(), 4);
    let of_sum = plan("select sum(cost * days * 0.1) from d", &flags("1")).unwrap();
    assert_eq!(of_sum.figures()[0].noises[0].sensitivity, 300.0);
    assert_eq!(of_sum.columns(), ["cost", "days"]);
    assert!(refused("select sum(cost * age) from d", &flags("1")).contains("`age` has no declared bounds"));
}

#[test]
fn joins_and_subqueries_are_by_person() {
    let folder = tempfile::tempdir().unwrap();
    let patients = folder.path().join("patients.csv");
    std::fs::write(&patients, "id,sex\n1,F\n2,M\n3,F\n3,M\n").unwrap();
    let flags = Flags {
        per_person: Some("patient".into()),
        max_records: Some(2),
        keys: vec!["sex=F,M".into()],
        tables: vec![format!("patients={}", patients.display())],
        bounds: vec!["cost=0..3".into(), "n=0..20".into(), "total=0..9".into()],
        ..flags("1000")
    };
    let visits = "patient,cost\n1,1\n1,2\n1,3\n2,1\n3,2\n4,3\n,2\n";
    let by_sex = "select sex, count(*), sum(cost) from visits join patients on visits.patient = patients.id group by sex";
    // Of 1 the first two visits; of 3 one visit with two lines; 4 has no partner.
    assert_eq!(answer(by_sex, &flags, visits), ["F 3 5", "M 2 3"]);
    let all = "select count(*) from visits left join patients on visits.patient = patients.id";
    assert_eq!(answer(all, &flags, visits), ["6"]);
    let single = Flags { max_records: None, keys: Vec::new(), ..flags.clone() };
    let inner = "from (select patient, count(*) as n, sum(cost) as total from visits where cost > 1 group by patient)";
    // Two visits that cost more than 1, none, and one each.
    assert_eq!(answer(&format!("select count(*), sum(n), sum(total) {inner}"), &single, visits), ["3 4 10"]);
    assert_eq!(answer(&format!("select count(*) {inner} where n > 1"), &single, visits), ["1"]);
    let planned = plan(&format!("select sum(n) {inner}"), &single).unwrap();
    assert_eq!(planned.figures()[0].noises[0].sensitivity, 20.0);
    assert_eq!(planned.columns(), ["cost", "patient"]);
    for (question, flags, word) in [
        (by_sex.to_owned(), Flags { per_person: None, ..flags.clone() }, "tells whose record it is"),
        (by_sex.replace("visits.patient", "visits.ward"), flags.clone(), "not by `patient`"),
        (by_sex.to_owned(), Flags { tables: Vec::new(), ..flags.clone() }, "--table patients=FILE"),
        (
            format!("select count(*) {inner}"),
            Flags { per_person: Some("ward".into()), ..single.clone() },
            "not grouped by",
        ),
        (format!("select count(*) {inner}"), flags, "--max-records has no use"),
        (format!("select count(*) {inner} where cost > 3"), single, "no column `cost`"),
    ] {
        let message = refused(&question, &flags);
        assert!(message.contains(word), "{question}: {message}");
    }
}

/// Of people of whom two columns are copies of each other, so are the records that are drawn.
#[test]
fn records_are_drawn_from_tables_of_pairs() {
    let question = "select a, b, c, count(*) from d group by a, b, c";
    let mut csv = "a,b,c\n".to_owned();
    for row in 0..2000 {
        let a = row % 3;
        csv.push_str(&format!("{a},{a},{}\n", row / 3 % 2));
    }
    csv += "9,9,9\n";
    let flags = Flags {
        keys: vec!["a=0,1,2".into(), "b=0,1,2".into(), "c=0,1".into()],
        method: Some(super::method::Method::Marginals),
        synthetic: Some(600),
        ..flags("100")
    };
    let drawn = answer(question, &flags, &csv);
    let count = |line: &String| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap();
    assert_eq!(drawn.iter().map(count).sum::<u64>(), 600);
    let equal = drawn.iter().filter(|line| line[..1] == line[2..3]).map(count).sum::<u64>();
    assert!(equal > 570, "{drawn:?}");
    let planned = plan(question, &Flags { rho: Some("0.2".into()), epsilon: None, ..flags.clone() }).unwrap();
    assert_eq!(planned.loss.to_string(), "rho 0.2");
    for (more, word) in [
        (Flags { synthetic: None, ..flags.clone() }, "needs --synthetic"),
        (
            Flags { unknown_keys: vec!["a".into()], keys: flags.keys[1..].into(), ..flags.clone() },
            "plain `group by`",
        ),
    ] {
        let message = refused(question, &more);
        assert!(message.contains(word), "{message}");
    }
}

/// A cost in rho: every figure has its share, Gaussian noise where it is a count or sum, and otherwise the epsilon that the share pays for.
#[test]
fn a_cost_in_rho_is_shared() {
    let flags = Flags { rho: Some("0.04".into()), epsilon: None, ..flags("1") };
    let planned = plan("select count(*), avg(cost) from d", &flags).unwrap();
    assert_eq!(planned.loss.to_string(), "rho 0.04");
    let Mechanism::Count(noise) = &planned.parts[0].mechanism else { panic!() };
    // Half of 0.04 is a variance of 1/0.04 = 25.
    assert!(noise.is_gaussian() && (noise.scale().to_f64().value() - 5.0).abs() < 0.01);
    // √(2·0.02) = 0.2, half of it for the count.
    assert!((planned.figures()[1].noises[1].scale - 10.0).abs() < 0.01);
    let both = Flags { epsilon: Some("1".into()), ..flags };
    assert!(refused("select count(*) from d", &both).contains("--rho is the whole cost"));
}

/// By hand: cost = 5 + 2·days; with a large budget the line comes back, from whatever is joined or computed.
#[test]
fn regressions_come_back() {
    let mut csv = "cost,days,ill\n,3,no\nx,4,no\n".to_owned();
    for row in 0..3000 {
        let days = row % 31;
        csv.push_str(&format!("{},{days},{}\n", 5 + 2 * days, if days > 20 { "yes" } else { "no" }));
    }
    let flags = flags("1000");
    let numbers = |question: &str| -> Vec<f64> {
        answer(question, &flags, &csv)[0].split(' ').map(|own| own.parse().unwrap()).collect()
    };
    assert_eq!(numbers("select linear_regression(cost, days) from d"), [5.0, 2.0]);
    let odds = numbers("select logistic_regression(ill = 'yes', days * 0.01) from d");
    assert!(odds[0] < 0.0 && odds[1] > 0.0, "{odds:?}");
    let planned =
        plan("select logistic_regression(ill = 'yes', days) from d where cost > 1", &flags).unwrap();
    assert_eq!(planned.columns(), ["cost", "days", "ill"]);
    assert!(
        refused("select linear_regression(cost, age) from d", &flags)
            .contains("`age` has no declared bounds")
    );
}

/// Tables and records of all combinations do not keep limits by group, so their noise must not be made for them.
#[test]
fn limits_by_group_are_for_figures_by_group() {
    use privet_job::Job;
    let job = Job::parse_declarations(
        "[input]\npath = \"a.csv\"\n[query]\nper-person = \"id\"\nmax-records = 8\nmax-per-group = 1\nmax-groups = 2\n",
    )
    .unwrap();
    let scale = |question: &str, more: fn(&mut Flags)| {
        let mut flags = Flags { keys: vec!["a=0,1".into(), "b=0,1".into()], ..flags("1") };
        more(&mut flags);
        let declared = Declared { flags: &flags, job: Some((&job, std::path::Path::new("."))) };
        Plan::new(question, &declared).unwrap().figures()[0].noises[0].sensitivity
    };
    assert_eq!(scale("select a, count(*) from d group by a", |_| ()), 2.0);
    assert_eq!(scale("select count(*) from d group by cube (a, b)", |_| ()), 8.0);
    let drawn = |flags: &mut Flags| {
        (flags.method, flags.synthetic) = (Some(super::method::Method::Marginals), Some(9));
    };
    assert_eq!(scale("select a, b, count(*) from d group by a, b", drawn), 16.0);
}

/// Somebody with a record in each of many rare groups: the limit leaves two of them, and the others do not occur.
#[test]
fn groups_beyond_the_limit_do_not_occur() {
    let mut csv = "id,job\n".to_owned();
    (0..50).for_each(|row| csv.push_str(&format!("p,job{row}\n")));
    let flags = Flags {
        unknown_keys: vec!["job".into()],
        delta: Some("1e-3".into()),
        per_person: Some("id".into()),
        max_records: Some(50),
        max_groups: Some(2),
        ..flags("0.1")
    };
    let question = "select job, count(*) from d group by job";
    let told: usize = (0..200).map(|_| answer(question, &flags, &csv).len()).sum();
    assert!(told <= 3, "{told}");
}
