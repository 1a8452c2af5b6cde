//! Property: to write the numbers and dates of a table in equivalent forms never changes whether a release is safe, which
//! records stand together, what they are told to have, or the verdict of `verify`.
//!
//! Cases are seeded and the same in every run; a failing one is told with its job and both tables.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use privet_data::io::{ReadOptions, read};
use privet_data::{Column, Silent};
use privet_job::{Job, Outcome, RunOptions, run};
use privet_release::{VerifyOptions, verify};

const CASES: u64 = 160;

/// Knuth's 64-bit linear congruence: the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn of<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }
}

/// A number of tenths, in one of its forms; the first is the plain one.
fn number(tenths: i64, form: usize) -> String {
    let (sign, whole, rest) = (if tenths < 0 { "-" } else { "" }, tenths.abs() / 10, tenths.abs() % 10);
    match form {
        0 if rest == 0 => format!("{sign}{whole}"),
        0 => format!("{sign}{whole}.{rest}"),
        1 => format!("{sign}{whole}.{rest}0"),
        2 => format!("{tenths}e-1"),
        3 => format!("{}0{whole}.{rest}", if tenths < 0 { "-" } else { "+" }),
        4 => format!(" {sign}{whole}.{rest} "),
        _ if rest == 0 => format!("{sign}{whole}."),
        _ => format!("{}E1", number_of_hundredths(tenths)),
    }
}

/// A tenth of a number of tenths.
fn number_of_hundredths(hundredths: i64) -> String {
    let sign = if hundredths < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", hundredths.abs() / 100, hundredths.abs() % 100)
}

fn day(day: i64, form: usize) -> String {
    let date = format!("2020-{:02}-{:02}", 1 + day / 28, 1 + day % 28);
    match form {
        0 => date,
        1 => format!("{date}T00:00"),
        2 => format!("{date} 00:00:00"),
        3 => format!(" {date}"),
        _ => format!("{date}T00:00:00.000"),
    }
}

fn missing(form: usize) -> &'static str {
    ["?", "", "NA", " ?", " "][form % 5]
}

/// Records as values: the age, the pay in tenths and the day, with what is not known.
type Record = [Option<i64>; 3];

fn text(records: &[Record], form: &mut dyn FnMut() -> usize) -> String {
    let mut text = "id,age,pay,day\n".to_owned();
    for (id, [age, pay, seen]) in records.iter().enumerate() {
        let number = |value: &Option<i64>, form: usize| {
            value.map_or(missing(form).to_owned(), |own| number(own, form))
        };
        let (age, pay) = (number(age, form()), number(pay, form()));
        let form = form();
        let seen = seen.map_or(missing(form).to_owned(), |own| day(own, form));
        text.push_str(&format!("n{id},{age},{pay},{seen}\n"));
    }
    text
}

fn job(random: &mut Random) -> String {
    let privacy = random.of(&[
        "k-anonymity = 2\nl-diversity = { l = 2, column = \"pay\" }",
        "k-anonymity = 3",
        "l-diversity = { kind = \"entropy\", l = 1.5, column = \"day\" }",
        "t-closeness = { kind = \"ordered\", t = 0.3, column = \"pay\" }",
        "t-closeness = { kind = \"ordered\", t = 0.4, column = \"day\" }",
        "alpha-k = { alpha = 0.5, k = 2, values = [\"100\"], column = \"pay\" }",
        "concept-diversity = { l = 2, concepts = { low = [\"100.0\", \"2e2\"] }, column = \"pay\" }",
        "proximity-diversity = { l = 2, width = 50, column = \"pay\" }",
        "beta-likeness = { beta = 2, column = \"pay\" }",
        "c-k-safety = { c = 0.9, k = 0, column = \"pay\" }",
        "k-map = { k = 3, population = \"population.csv\" }",
        "delta-presence = { max = 0.6, population = \"population.csv\" }",
    ]);
    let age = random.of(&["", "hierarchy = { intervals = [5, 20] }", "hierarchy = \"age.csv\""]);
    let search = random.of(&[
        "",
        "",
        "algorithm = \"mondrian\"",
        "algorithm = \"datafly\"",
        "algorithm = \"clustering\"",
    ]);
    // What groups show is text of another kind where numbers have fractions, and the groups are the same.
    format!(
        "[input]\npath = \"people.csv\"\nheader = true\nmissing = [\"\", \"?\", \"NA\"]\n[columns.id]\nrole = \"insensitive\"\n\
         [columns.age]\nrole = \"quasi\"\n{age}\n[columns.pay]\nrole = \"sensitive\"\n[columns.day]\nrole = \"sensitive\"\n\
         [privacy]\n{privacy}\n[search]\nsuppress-at-most = {}\n{search}\n[output]\nreplace = true\n",
        random.of(&["0", "0.3"]),
    )
}

/// Records that stand together, each with the first records that have its sensitive values.
type Class = Vec<(usize, Vec<usize>)>;

/// How a run ended: which records stand together, by what the table says of them, with their sensitive values as the first of
/// all records with the same.
fn ended(folder: &Path, job: &str, people: &str, population: &str) -> Result<BTreeSet<Class>, &'static str> {
    std::fs::write(folder.join("people.csv"), people).unwrap();
    std::fs::write(folder.join("population.csv"), population).unwrap();
    let job = Job::parse(job, &[]).unwrap();
    let summary = match run(&job, &RunOptions { base: folder.to_owned(), ..RunOptions::default() }, &Silent) {
        Ok(summary) => summary,
        Err(error) => match error.outcome() {
            Outcome::Refused => return Err("no safe release"),
            Outcome::BadInput => return Err("impossible"),
            _ => panic!("{error}"),
        },
    };
    let path = folder.join("population.csv");
    let verdict =
        verify(&summary.release, VerifyOptions { population: Some(&path), ..VerifyOptions::default() })
            .unwrap();
    let failures: Vec<_> = verdict.failures().collect();
    assert!(verdict.holds(), "{failures:#?}\n{people}");
    let options = ReadOptions { header: Some(true), ..ReadOptions::default().exactly() };
    let table = read(&summary.release.join("data.csv"), &options, &Silent).unwrap().table;
    let cell = |row: usize, column: &Column| column.domain.text(column.codes[row]).to_owned();
    let rows: Vec<Vec<String>> =
        (0..table.rows).map(|row| table.columns.iter().map(|column| cell(row, column)).collect()).collect();
    let mut classes: BTreeMap<&str, Vec<(usize, Vec<usize>)>> = BTreeMap::new();
    for row in &rows {
        let first = |column: usize| rows.iter().position(|other| other[column] == row[column]).unwrap();
        let id: usize = row[0][1..].parse().unwrap();
        classes.entry(&row[1]).or_default().push((id, vec![first(2), first(3)]));
    }
    Ok(classes.into_values().collect())
}

#[test]
fn equivalent_forms_of_values_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let ages: String =
        (20..50).map(|age| format!("{age},{},*\n", if age < 35 { "young" } else { "old" })).collect();
    std::fs::write(folder.path().join("age.csv"), ages).unwrap();
    let mut published = 0;
    for case in 0..CASES {
        let mut random = Random(case);
        let job = job(&mut random);
        let record = |random: &mut Random| -> Record {
            let known = |random: &mut Random, value: i64| (random.below(8) > 0).then_some(value);
            let (age, pay) = (20 + random.below(8) as i64 * 4, [1000, 2000, 1500, 2005][random.below(4)]);
            let day = 10 * random.below(5) as i64;
            [known(random, age * 10), known(random, pay), known(random, day)]
        };
        let records: Vec<Record> = (0..6 + random.below(30)).map(|_| record(&mut random)).collect();
        let others: Vec<Record> =
            records.iter().copied().chain((0..40).map(|_| record(&mut random))).collect();
        let plain = [&records, &others].map(|own| text(own, &mut || 0));
        let forms = [&records, &others].map(|own| text(own, &mut || random.below(6)));
        let before = ended(folder.path(), &job, &plain[0], &plain[1]);
        let after = ended(folder.path(), &job, &forms[0], &forms[1]);
        assert_eq!(before, after, "case {case}\n{job}\n{}\n{}", plain[0], forms[0]);
        published += u64::from(before.is_ok());
    }
    assert!(published > CASES / 3, "{published}");
}
