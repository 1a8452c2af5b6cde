//! `privet query` beyond noise on every figure: tables that agree, chosen groups, smooth medians, sessions, synthetic
//! records, pages; and the key that signs a ledger.

use crate::dir::CANARY;
use crate::query::{ask, entries, open, people};

const AGES: [&str; 6] = ["--keys", "age=20,21,22,23,24", "--other", "age=else", "--other", "sex=else"];

#[test]
fn tables_agree_with_each_other() {
    let dir = people();
    open(&dir, "3");
    let text = "select sex, age, count(*) from data group by grouping sets ((sex, age), (age), ())";
    let dry = ask(&dir, text, &[&AGES[..], &["--dry-run", "--epsilon", "1"]].concat()).expect(0).json();
    // Sums of one noisy table are narrower here than 32 noisy Fourier coefficients.
    assert!(dry["figures"][0]["noise"].as_str().unwrap().starts_with("18 cells"), "{dry}");
    assert!(dry["remarks"][0].as_str().unwrap().contains("sex, age ±"), "{dry}");
    assert_eq!(entries(&dir).len(), 1);
    let answer = ask(&dir, text, &[&AGES[..], &["--epsilon", "1"]].concat()).expect(0).json();
    assert_eq!((&answer["cost"]["epsilon"], &answer["remaining"]["epsilon"]), (&"1".into(), &"2".into()));
    let lines = answer["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 18 + 6 + 1);
    let value = |at: usize| lines[at]["numbers"][0]["value"].as_f64().unwrap();
    for age in 0..6 {
        assert_eq!(value(age) + value(6 + age) + value(12 + age), value(18 + age), "{answer}");
    }
    assert_eq!((18..24).map(value).sum::<f64>(), value(24));
    assert!(
        lines[24]["group"][0].is_null() && lines[0]["numbers"][0]["half_width_95"].as_f64().unwrap() > 0.0
    );
    let run = dir.expect(0, &[&["query", "job.toml", text, "--epsilon", "1"][..], &AGES].concat());
    run.prints("(all)").prints("agree with each other").prints("Charged epsilon 1");
    // Too large, or of another kind: what to do, and nothing is charged.
    let many: Vec<String> = (0..3000).map(|key| key.to_string()).collect();
    let many = format!("age={}", many.join(","));
    ask(&dir, "select count(*) from data group by cube (sex, age)", &["--keys", &many])
        .expect(2)
        .says("at most 4096")
        .says("plain `group by`");
    ask(&dir, "select avg(cost) from data group by cube (sex)", &[]).expect(2).says("count(*) alone");
    ask(&dir, text, &[&AGES[..], &["--epsilon", "2"]].concat()).expect(3).says("does not suffice");
    assert_eq!(entries(&dir).len(), 3);
}

/// A record with an undeclared value is in no group of that column, and in all tables without it.
#[test]
fn totals_count_everybody() {
    let dir = people();
    open(&dir, "900");
    let text = "select count(*) from data group by rollup (age)";
    let answer = ask(&dir, text, &["--keys", "age=20,21", "--epsilon", "800"]).expect(0).json();
    let lines = answer["lines"].as_array().unwrap();
    let values: Vec<f64> = lines.iter().map(|line| line["numbers"][0]["value"].as_f64().unwrap()).collect();
    assert_eq!(values, [10.0, 10.0, 601.0], "{answer}");
    // Who may be whom is for the account to say, not for whoever asks.
    ask(&dir, "select count(*) from data", &["--per-person", "sex", "--epsilon", "1"])
        .expect(2)
        .says("terms");
}

#[test]
fn groups_are_chosen_and_medians_smooth() {
    let dir = people();
    dir.expect(0, &["ledger", "open", "people.csv", "--epsilon", "1000", "--delta", "1e-5"]);
    let text = "select sex, count(*) from data group by sex order by count(*) desc limit 1";
    let more = ["--mechanism", "peeling", "--epsilon", "200"];
    let answer = ask(&dir, text, &more).expect(0).json();
    assert_eq!(
        (&answer["lines"][0]["group"][0], answer["lines"].as_array().unwrap().len()),
        (&"F".into(), 1)
    );
    assert!(answer["remarks"][0].as_str().unwrap().contains("gets epsilon 100"), "{answer}");
    ask(&dir, "select count(*) from data", &more).expect(2).says("peeling chooses");
    let median = "select smooth_median(cost) from data where cost <= 600";
    ask(&dir, median, &["--epsilon", "300"]).expect(2).says("--delta");
    let answer = ask(&dir, median, &["--epsilon", "300", "--delta", "1e-6"]).expect(0).json();
    let own = &answer["lines"][0]["numbers"][0];
    assert!(
        (340.0..360.0).contains(&own["value"].as_f64().unwrap()) && own["half_width_95"].is_null(),
        "{answer}"
    );
    assert_eq!(answer["remaining"]["delta"], "0.000009");
    dir.expect(0, &["query", "job.toml", median, "--delta", "1e-6", "--dry-run"])
        .prints("its size is not told");
    let several = "select count(*) from data where sex = 'F'; select count(*) from data where age < 30";
    ask(&dir, several, &[]).expect(2).says("several statements");
    let answer =
        ask(&dir, several, &["--mechanism", "sulq", "--epsilon", "300", "--delta", "1e-6"]).expect(0).json();
    assert_eq!(answer["figures"].as_array().unwrap().len(), 2);
    assert!((answer["lines"][0]["numbers"][0]["value"].as_f64().unwrap() - 400.0).abs() < 3.0, "{answer}");
    ask(&dir, "select sum(cost) from data", &["--mechanism", "sulq"]).expect(2).says("semicolons");
    ask(&dir, text, &["--mechanism", "gaussian"]).expect(2).says("--delta");
    ask(&dir, text, &["--mechanism", "magic"]).expect(2);
    ask(&dir, text, &["--probabilistic"]).expect(2).says("--delta");
    let answer = ask(&dir, text, &["--probabilistic", "--delta", "1e-6"]).expect(0).json();
    assert!(answer["figures"][0]["law"]["scale"].as_f64().unwrap() > 5.0, "{answer}");
    assert_eq!(entries(&dir).len(), 5);
}

#[test]
fn records_are_made_and_written() {
    let dir = people();
    open(&dir, "100");
    let text = "select sex, count(*) from data group by sex";
    let draw = ["--synthetic", "300", "--other", "sex=x, y", "--epsilon", "20", "--output", "synthetic.csv"];
    let answer = ask(&dir, text, &draw).expect(0).json();
    let csv = dir.text("synthetic.csv");
    assert_eq!(csv.lines().count(), 301, "{answer}");
    assert_eq!(csv.lines().next(), Some("sex"));
    let women = csv.lines().filter(|own| *own == "F").count();
    assert_eq!(answer["lines"][0]["numbers"][0]["value"].as_f64(), Some(women as f64));
    assert!((120..280).contains(&women), "{women}");
    assert!(csv.lines().skip(1).all(|own| ["F", "M", "\"x, y\""].contains(&own)));
    // The file is there: refused before anything is charged.
    ask(&dir, text, &draw).expect(2).says("is there already");
    ask(&dir, text, &["--output", "a.csv"]).expect(2).says("--output is for records");
    ask(&dir, text, &["--synthetic", "0"]).expect(2).says("from 1 to");
    ask(&dir, "select avg(cost) from data", &["--synthetic", "9"]).expect(2).says("declared keys");
    assert_eq!(entries(&dir).len(), 2);
    let set = ["--mechanism", "alpha-beta", "--epsilon", "40", "--output", "set.csv"];
    let answer = ask(&dir, text, &set).expect(0).json();
    assert_eq!(dir.text("set.csv"), "sex\nF\nM\n");
    let said = answer["remarks"].to_string();
    assert!(said.contains("2 of 2 combinations are published"), "{said}");
}

#[test]
fn an_answer_and_a_ledger_have_pages() {
    let dir = people();
    open(&dir, "3");
    let text = format!("select sex, count(*), median(cost) from data where sex <> '{CANARY}' group by sex");
    let more = ["--report", "answer.html", "--epsilon", "0.5"];
    dir.expect(2, &["query", "job.toml", &text, "--report", "none/answer.html"]).says("no such folder");
    assert_eq!(entries(&dir).len(), 1);
    dir.expect(0, &[&["query", "job.toml", &text][..], &more].concat());
    let page = dir.text("answer.html");
    for part in
        ["A private answer", "How likely an error is", "left: epsilon 2.5", "What can be concluded", "ranks"]
    {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("<script") && !page.contains("http://") && !page.contains("https://"));
    dir.expect(2, &[&["query", "job.toml", &text][..], &more].concat()).says("is there already");
    dir.expect(0, &["ledger", "show", "people.csv", "--report", "ledger.html"]);
    assert!(dir.text("ledger.html").contains("every hash and every sum held"));
    let page = dir.text("ledger.html");
    assert!(page.contains("spent: epsilon 0.5 of 3") && page.contains("ann") && !page.contains(CANARY));
    assert_eq!(entries(&dir).len(), 2);
    // Entries that were changed are shown, and not told as facts.
    let file = dir.path("people.csv.ledger");
    let mut bytes = std::fs::read(&file).unwrap();
    let places: Vec<usize> = (0..bytes.len() - 3).filter(|&at| &bytes[at..at + 3] == b"ann").collect();
    assert!(!places.is_empty());
    places.iter().for_each(|&at| bytes[at..at + 3].copy_from_slice(b"bob"));
    std::fs::write(&file, bytes).unwrap();
    let run = dir.expect(1, &["ledger", "show", "people.csv", "--report", "changed.html"]);
    run.prints("bob").says("these entries cannot be relied upon: entry 2 of the ledger does not hold");
    let page = dir.text("changed.html");
    assert!(page.contains("The ledger was changed: entry 2") && !page.contains("spent:"), "{page}");
    dir.expect(1, &["ledger", "verify", "people.csv"]).says("entry 2");
}

/// What is not signed is not called safe, and an account that is gone from a changed ledger is not opened anew.
#[test]
fn unsigned_ledgers_say_so() {
    let dir = people();
    dir.expect(0, &["ledger", "open", "people.csv", "--epsilon", "3", "--unsigned"]);
    dir.expect(0, &["ledger", "show", "people.csv", "--unsigned", "--report", "ledger.html"])
        .prints("not signed");
    dir.expect(0, &["ledger", "verify", "people.csv", "--unsigned"]).prints("not signed");
    let page = dir.text("ledger.html");
    assert!(page.contains("not signed") && !page.contains("cannot be raised"), "{page}");
    let file = dir.path("people.csv.ledger");
    let mut bytes = std::fs::read(&file).unwrap();
    let places: Vec<usize> =
        (0..bytes.len() - 10).filter(|&at| &bytes[at..at + 10] == b"people.csv").collect();
    places.iter().for_each(|&at| bytes[at] = b'q');
    std::fs::write(&file, bytes).unwrap();
    dir.expect(1, &["ledger", "show", "people.csv", "--unsigned"]).says("cannot be relied upon");
}

#[test]
fn a_ledger_is_signed_unless_told_otherwise() {
    use std::os::unix::fs::PermissionsExt;
    let dir = people();
    let opened = dir.expect(0, &["ledger", "open", "people.csv", "--epsilon", "3"]);
    opened.prints("signed with the key in").prints("people.csv.ledger.key");
    let mode = std::fs::metadata(dir.path("people.csv.ledger.key")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let question = "select count(*) from data";
    ask(&dir, question, &[]).expect(0);
    dir.expect(0, &["ledger", "verify", "people.csv"]).prints("2 entries");
    for act in ["show", "verify"] {
        dir.expect(2, &["ledger", act, "people.csv", "--unsigned"]).says("leave --unsigned out");
    }
    ask(&dir, question, &["--unsigned"]).expect(2).says("are signed, and --unsigned says that they are not");
    // Moved elsewhere, the key must be named.
    std::fs::rename(dir.path("people.csv.ledger.key"), dir.path("kept")).unwrap();
    ask(&dir, question, &[]).expect(2).says("--signing-key");
    dir.expect(2, &["ledger", "verify", "people.csv"]).says("its key is not there");
    dir.expect(2, &["ledger", "open", "people.csv", "--epsilon", "3"]).says("its key is not there");
    ask(&dir, question, &["--unsigned"]).expect(2).says("--signing-key");
    ask(&dir, question, &["--signing-key", "kept"]).expect(0);
    ask(&dir, question, &["--signing-key", "kept", "--unsigned"]).expect(2).says("not both");
    // As ledgers were made before: no key, and none is missed.
    let old = people();
    old.expect(0, &["ledger", "open", "people.csv", "--epsilon", "3", "--unsigned"]).prints("not signed");
    assert!(!old.path("people.csv.ledger.key").exists());
    ask(&old, question, &[]).expect(0);
    let more = ["ledger", "open", "--ledger", "people.csv.ledger", "--account", "b", "--epsilon", "1"];
    old.expect(0, &more).prints("not signed");
    old.expect(0, &["ledger", "verify", "people.csv"]).prints("3 entries");
    // Servers.
    let local = [
        "ledger",
        "open",
        "--epsilon",
        "1",
        "--account",
        "a",
        "--ledger",
        "postgres://u:hidden@localhost:1/d",
    ];
    dir.expect(2, &local).says("--signing-key").says("--unsigned");
    dir.expect(4, &[&local[..], &["--unsigned"]].concat()).says("cannot be reached");
    for host in
        ["db.example.org", "192.0.2.7", "[2001:db8::1]", "localhost.example.org", "localhost,db.example.org"]
    {
        let url = format!("postgres://u:hidden@{host}/d");
        let run =
            ask(&dir, question, &["--ledger", &url]).expect(2).says("not encrypted").says("--unencrypted");
        assert!(!run.err.contains("hidden"));
    }
    for mode in ["require", "verify-full"] {
        let url = format!("postgres://u:hidden@localhost:1/d?sslmode={mode}");
        let run = ask(&dir, question, &["--ledger", &url]).expect(2).says("sslmode").says("tunnel");
        assert!(!run.err.contains("hidden"));
        ask(&dir, question, &["--ledger", &url, "--unencrypted"]).expect(2).says("sslmode");
    }
    let url = "postgres://u:hidden@localhost/d?hostaddr=192.0.2.7";
    ask(&dir, question, &["--ledger", url]).expect(2).says("not encrypted");
}

/// The page of a ledger tells delta where some was opened; that of an answer without an error tells why there is none.
#[test]
fn pages_tell_delta_and_where_no_error_is_told() {
    let dir = people();
    dir.expect(0, &["ledger", "open", "people.csv", "--epsilon", "3", "--delta", "1e-5"]);
    let ask = |question: &str, page: &str, more: &[&str]| {
        let args = ["query", "job.toml", question, "--epsilon", "0.5", "--report", page];
        dir.expect(0, &[&args[..], more].concat());
        dir.text(page)
    };
    let page = ask("select smooth_median(cost) from data", "median.html", &["--delta", "1e-6"]);
    assert!(page.contains("not told: its noise is made for the values in the table"), "{page}");
    assert!(page.contains("<dt>Delta left</dt>") && !page.contains("the true number is within"));
    let by_sex = "select sex, count(*) from data group by sex";
    let page = ask(by_sex, "records.html", &["--synthetic", "50"]);
    assert!(page.contains("not told: drawn records are no estimate"), "{page}");
    assert!(!page.contains("the true number is within") && !page.contains("smaller than its error"));
    let page = ask(by_sex, "counts.html", &[]);
    assert!(page.contains("the true number is within") && !page.contains("not told:"));
    dir.expect(0, &["ledger", "show", "people.csv", "--report", "ledger.html"]);
    let page = dir.text("ledger.html");
    let spent = "spent: epsilon 1.5 of 3, delta 1\u{a0}×\u{a0}10⁻⁶ of 1\u{a0}×\u{a0}10⁻⁵";
    assert!(page.contains(spent) && page.contains("the delta that was spent"), "{page}");
    assert!(page.contains("left: epsilon 1.5, delta 0.000009") && !page.contains("this answer took"));
}
