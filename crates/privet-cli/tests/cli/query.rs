//! `privet query` and `privet ledger`: private answers, and the budget that pays for them.

use std::collections::HashSet;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::dir::{CANARY, Dir, Run};
use crate::people::Random;

const JOB: &str = "\
[input]
path = \"people.csv\"

[columns.id]
role = \"identifier\"

[columns.sex]
role = \"quasi\"
keys = [\"F\", \"M\"]

[columns.age]
role = \"quasi\"
bounds = [0, 120]

[columns.cost]
role = \"insensitive\"
bounds = [0, 1000]

[query]
epsilon = 0.5
analyst = \"ann\"
";

/// 600 people, and one value that must never be told.
pub fn people() -> Dir {
    let mut text = "id,sex,age,cost\n".to_owned();
    for i in 0..600 {
        let sex = if i % 3 == 0 { "M" } else { "F" };
        text.push_str(&format!("p{i},{sex},{},{}\n", 20 + i % 60, 100 + i));
    }
    text.push_str(&format!("q,{CANARY},30,{CANARY}\n"));
    let dir = Dir::new();
    dir.write("people.csv", text).write("job.toml", JOB);
    dir
}

pub fn open(dir: &Dir, epsilon: &str) {
    dir.expect(0, &["ledger", "open", "people.csv", "--epsilon", epsilon]).prints("Opened `people.csv`");
}

pub fn ask(dir: &Dir, question: &str, more: &[&str]) -> Run {
    dir.privet(&[&["query", "job.toml", question, "--json"][..], more].concat())
}

pub fn entries(dir: &Dir) -> Vec<Value> {
    let shown = dir.expect(0, &["ledger", "show", "people.csv", "--json"]).json();
    shown["entries"].as_array().unwrap().clone()
}

/// Three dots are no bounds: 0...5 could be meant as 0 to 5, and was answered as 0 to 0.5.
#[test]
fn bounds_with_three_dots_are_refused_before_anything_is_charged() {
    let dir = people();
    open(&dir, "1");
    let question = "select sum(cost) from data";
    ask(&dir, question, &["--epsilon", "0.1", "--bound", "cost=0...5"]).expect(2).says("two dots");
    assert_eq!(entries(&dir).len(), 1);
}

/// `bounds = [0.00, 1.00]` counts in hundredths, as `--bound rate=0.00..1.00` does, and it is said to what numbers are rounded.
#[test]
fn bounds_of_a_job_have_the_decimals_that_they_are_written_with() {
    let dir = Dir::new();
    let job =
        "[input]\npath = \"people.csv\"\n[columns.rate]\nrole = \"insensitive\"\nbounds = [0.00, 1.00]\n";
    dir.write("people.csv", format!("rate\n{}", "0.4\n".repeat(500))).write("job.toml", job);
    open(&dir, "500");
    let answer = ask(&dir, "select avg(rate) from data", &["--epsilon", "100"]).expect(0).json();
    let number = &answer["lines"][0]["numbers"][0];
    let (value, half) = (number["value"].as_f64().unwrap(), number["half_width_95"].as_f64().unwrap());
    // Noise of a scale of 0.01 on a sum of 200, and half a hundredth.
    assert!((value - 0.4).abs() < 0.01 && half > 0.005 && half < 0.01, "{number}");
    assert_eq!(answer["figures"][0]["rounded_to"], 0.01);
    let whole = ["--epsilon", "100", "--bound", "rate=0..1", "--dry-run"];
    let args = [&["query", "job.toml", "select avg(rate) from data"][..], &whole].concat();
    dir.expect(0, &args)
        .prints("/ records + 0.5")
        .prints("rounded to whole numbers first (--grid sets the unit)");
}

/// survey PM-18 in numbers, and sensitivities beside scales. e^0.5 makes 10 % at most 15.4829 %, e^1 23.1970 %.
#[test]
fn beliefs_and_sensitivities_are_told() {
    let dir = people();
    open(&dir, "5");
    let question = "select count(*), avg(cost) from data";
    let answer = ask(&dir, question, &["--epsilon", "0.5"]).expect(0).json();
    let belief = |about: &str| {
        let all = answer["beliefs"].as_array().unwrap().clone();
        all.into_iter().find(|own| own["about"] == about && own["before"] == 0.1).unwrap()["at_most_after"]
            .clone()
    };
    assert_eq!((belief("presence"), belief("records")), (0.154829.into(), 0.23197.into()));
    let count = &answer["figures"][0]["noises"][0];
    assert_eq!(
        (count["sensitivity"].as_f64(), count["scale"].as_f64(), &count["norm"]),
        (Some(1.0), Some(4.0), &"l1".into())
    );
    assert_eq!(answer["figures"][1]["noises"].as_array().unwrap().len(), 2);
    let args = ["query", "job.toml", question, "--epsilon", "0.5", "--report", "answer.html"];
    dir.expect(0, &args).prints("A belief of 10 % that a person is in the table becomes at most 15.5 %");
    let page = std::fs::read_to_string(dir.path("answer.html")).unwrap();
    assert!(page.contains("10\u{a0}% becomes 15.49\u{a0}%"), "the page tells it too");
}

/// What would be read otherwise than it is meant is refused before anything is charged, or told.
#[test]
fn constants_are_what_their_columns_hold() {
    let dir = people();
    open(&dir, "10");
    for (condition, said) in [
        ("cost > 'abc'", "declared to hold numbers"),
        ("id < '1950-1-1'", "looks like a date"),
        ("id >= '01.02.1950'", "'1990-12-31'"),
    ] {
        let text = format!("select count(*) from data where {condition}");
        ask(&dir, &text, &["--epsilon", "1"]).expect(2).says(said);
    }
    let job = dir
        .text("job.toml")
        .replace("[columns.age]\n", "[columns.age]\nhierarchy = { dates = [\"year\"] }\n");
    dir.write("dates.toml", job);
    for constant in ["1950", "'1950'", "'1950-13-01'"] {
        let text = format!("select count(*) from data where age < {constant}");
        dir.expect(2, &["query", "dates.toml", &text, "--epsilon", "1"]).says("holds dates");
    }
    assert_eq!(entries(&dir).len(), 1);
    let plan = dir.expect(
        0,
        &["query", "people.csv", "select count(*) from data where id < '17'", "--epsilon", "1", "--dry-run"],
    );
    plan.prints("read as a number");
    // Codes that look like days can be asked for, and so can what stands for a number that is not known.
    for (condition, said) in [
        ("id = '50-00-0'", ""),
        ("cost <> 'n/a'", ""),
        ("sex = true", "none of its declared keys"),
        ("sex in ('F', 'm')", ""),
    ] {
        let text = format!("select count(*) from data where {condition}");
        let plan = dir.expect(0, &["query", "job.toml", &text, "--epsilon", "1", "--dry-run"]).prints(said);
        assert!(!said.is_empty() || !plan.out.contains("declared keys"), "{condition}: {}", plan.out);
    }
}

#[test]
fn an_answer_is_charged_and_comes_with_its_error() {
    let dir = people();
    open(&dir, "1000");
    let text = "select sex, count(*), avg(cost) from data group by sex";
    let answer = ask(&dir, text, &["--epsilon", "900"]).expect(0).json();
    assert_eq!((&answer["cost"]["epsilon"], &answer["remaining"]["epsilon"]), (&"900".into(), &"100".into()));
    assert_eq!(
        (&answer["entry"], &answer["analyst"], &answer["account"]),
        (&2.into(), &"ann".into(), &"people.csv".into())
    );
    assert_eq!(answer["lines"].as_array().unwrap().len(), 2);
    // epsilon 900 leaves next to no noise: 400 women, who cost 400 on average.
    let women = &answer["lines"][0];
    assert_eq!((&women["group"][0], women["numbers"][0]["value"].as_f64()), (&"F".into(), Some(400.0)));
    let average = &women["numbers"][1];
    assert!((average["value"].as_f64().unwrap() - 399.5).abs() < 2.0, "{answer}");
    assert!(average["half_width_95"].as_f64().unwrap() < 10.0);
    assert!(answer["figures"][0]["noise"].as_str().unwrap().starts_with("discrete Laplace, scale 0.002"));

    let run = dir.expect(0, &["query", "job.toml", text, "--epsilon", "1"]);
    let run = run.prints("± 95 %").prints("count(*)").prints("Charged epsilon 1 to `people.csv` for ann");
    let run = run.prints("epsilon 99 is left").prints("Undeclared values of sex are in no group");
    assert!(run.prints("no person has more than 1 record").err.is_empty());
    let quiet = dir.expect(0, &["query", "job.toml", text, "--quiet"]);
    assert_eq!(quiet.out.lines().count(), 5, "{quiet:?}");
    let median =
        ask(&dir, "select median(age) from data where sex = 'M'", &["--epsilon", "50"]).expect(0).json();
    let number = &median["lines"][0]["numbers"][0];
    assert!(
        (45.0..55.0).contains(&number["value"].as_f64().unwrap())
            && number["rank_error_95"].as_f64().is_some()
    );
    let list = entries(&dir);
    let charged: Vec<&str> = list.iter().map(|own| own["amount"]["epsilon"].as_str().unwrap()).collect();
    assert_eq!(charged, ["1000", "900", "1", "0.5", "50"]);
    assert_eq!(list[4]["remaining"]["epsilon"], "48.5");
    dir.expect(0, &["ledger", "show", "job.toml"]).prints("ann").prints("48.5").prints("charge");
    dir.expect(0, &["ledger", "verify", "people.csv"]).prints("5 entries").prints("Last entry");
}

#[test]
fn the_same_without_a_job_file() {
    let dir = people();
    open(&dir, "1000");
    let more = [
        "--epsilon",
        "900",
        "--keys",
        "sex=M,F",
        "--other",
        "sex=neither",
        "--bound",
        "cost=0..1000",
        "--analyst",
        "bob",
    ];
    let text = "select sex, count(*), sum(cost) from people group by sex order by count(*) desc limit 2";
    let run = dir.expect(0, &[&["query", "people.csv", text][..], &more].concat());
    assert!(run.out.lines().nth(1).unwrap().starts_with("F "), "{run:?}");
    run.prints("chosen by their noisy numbers").prints("all 3 groups");
    assert_eq!(entries(&dir)[1]["analyst"], "bob");
}

/// A name is a name, also where the database knows it as a URL with settings.
#[test]
fn names_of_ledgers_are_no_urls() {
    let dir = people();
    // The second budget for the same people is meant here.
    for (name, meant) in [("file:own", &[][..]), ("file:own?mode=memory", &["--new-population"][..])] {
        let open = ["ledger", "open", "people.csv", "--epsilon", "2", "--ledger", name];
        dir.expect(0, &[&open[..], meant].concat());
        assert!(dir.names(".").contains(&name.to_owned()));
        dir.expect(0, &["ledger", "show", "people.csv", "--ledger", name]).prints("open");
    }
}

/// A fraction is an epsilon like any other: what it protects is told of its value.
#[test]
fn fractions_are_told_as_what_they_are() {
    let dir = people();
    open(&dir, "2");
    let question = "select count(*) from data";
    // e^(1/3) = 1.3956
    dir.expect(0, &["query", "job.toml", question, "--epsilon", "1/3", "--dry-run"])
        .prints("e^epsilon = 1.396 times");
    let args = ["query", "job.toml", question, "--epsilon", "4/3", "--report", "page.html"];
    dir.expect(0, &args).prints("e^epsilon = 3.794 times");
    let page = dir.text("page.html");
    assert!(page.contains("3.79") && !page.contains("more than 1 times"), "{page}");
    dir.expect(2, &["query", "job.toml", question, "--synthetic", "5", "--output", "a", "--report", "a"])
        .says("the same file");
    // A plan has nothing to write.
    let dry = ["query", "job.toml", question, "--epsilon", "1/3", "--dry-run", "--report", "dry.html"];
    dir.expect(2, &dry).says("--dry-run answers nothing");
    assert!(!dir.path("dry.html").exists());
}

#[test]
fn a_budget_that_does_not_suffice_is_exit_code_3() {
    let dir = people();
    open(&dir, "1");
    let question = "select count(*) from data";
    for _ in 0..2 {
        ask(&dir, question, &[]).expect(0);
    }
    let before = (entries(&dir), dir.bytes("people.csv.ledger"));
    for epsilon in ["0.5", "1e-9", "1/3", "1000"] {
        let run = ask(&dir, question, &["--epsilon", epsilon])
            .expect(3)
            .says("does not suffice")
            .says("left epsilon 0");
        assert_eq!(run.json()["error"]["code"], 3, "no answer, and why");
    }
    ask(&dir, question, &["--delta", "1e-9", "--epsilon", "1e-12"]).expect(3);
    assert!((entries(&dir), dir.bytes("people.csv.ledger")) == before, "something was written");
    // A dry run says the same, with the plan, and writes nothing either.
    let dry =
        ask(&dir, question, &["--dry-run"]).expect(3).says("does not suffice").says("left epsilon 0").json();
    assert_eq!((&dry["suffices"], &dry["remaining"]["epsilon"]), (&false.into(), &"0".into()));
    dir.expect(3, &["query", "job.toml", question, "--dry-run"])
        .prints("it would be refused")
        .prints("± 95 %");
    assert!((entries(&dir), dir.bytes("people.csv.ledger")) == before, "something was written");
    dir.expect(2, &["ledger", "open", "people.csv", "--epsilon", "9"]).says("a budget is decided once");
}

#[test]
fn a_dry_run_touches_nothing() {
    let dir = people();
    let text = "select sex, count(*), avg(cost), median(age) from data group by sex";
    let run = dir.expect(0, &["query", "job.toml", text, "--dry-run"]);
    let run = run.prints("/ records").prints("ranks").prints("2 groups by sex").prints("no account");
    assert!(run.prints("Nothing was charged").prints("discrete Laplace, scale 6").err.is_empty());
    assert_eq!(dir.names("."), ["job.toml", "people.csv"]);
    open(&dir, "3");
    let before = dir.files(".");
    // The table is not even opened.
    std::fs::remove_file(dir.path("people.csv")).unwrap();
    let dry = ask(&dir, text, &["--dry-run"]).expect(0).json();
    assert_eq!((&dry["remaining"]["epsilon"], &dry["suffices"]), (&"3".into(), &true.into()));
    assert_eq!(dry["figures"][0]["half_width_95"].as_f64(), Some(18.0));
    assert!(dry.get("lines").is_none());
    assert!(dir.files(".").iter().all(|(name, bytes)| before.get(name) == Some(bytes)));
    // Nor is anything charged when it then cannot be read.
    ask(&dir, text, &[]).expect(2).says("cannot be read");
    std::fs::write(dir.path("people.csv"), &before["people.csv"]).unwrap();
    assert_eq!(entries(&dir).len(), 1);
}

#[test]
fn absurd_input_is_refused_and_costs_nothing() {
    let dir = people();
    let question = "select count(*) from data";
    ask(&dir, question, &[]).expect(2).says("privet ledger open job.toml --epsilon 3");
    assert_eq!(dir.names("."), ["job.toml", "people.csv"], "a ledger was made by asking");
    dir.expect(2, &["ledger", "show", "people.csv"]).says("there is no ledger");
    for epsilon in ["0", "-1", "inf", "NaN", "1e99", "x", ""] {
        dir.expect(2, &["ledger", "open", "people.csv", "--epsilon", epsilon]).says("epsilon");
    }
    assert_eq!(dir.names("."), ["job.toml", "people.csv"]);
    open(&dir, "3");
    for epsilon in
        ["0", "-1", "-0.5", "inf", "infinity", "NaN", "1e999999999", "1e-2147483648", "1/0", "one", ""]
    {
        ask(&dir, question, &["--epsilon", epsilon]).expect(2).says("epsilon");
    }
    for delta in ["1", "-0.1", "inf", "0.999999", "0.01", "1e-2147483648"] {
        ask(&dir, question, &["--delta", delta]).expect(2).says("delta");
    }
    for bound in ["cost=9..1", "cost=0..inf", "cost=a..b", "cost", "cost=1"] {
        ask(&dir, "select sum(cost) from data", &["--bound", bound]).expect(2);
    }
    ask(&dir, question, &["--max-records", "0"]).expect(2).says("records per person");
    ask(&dir, question, &["--max-records", "-1"]).expect(2);
    ask(&dir, question, &["--neighbours", "all"]).expect(2);
    ask(&dir, question, &["--per-person", "nobody"]).expect(2).says("ask on the account's terms");
    let many: Vec<String> = (0..3000).map(|key| key.to_string()).collect();
    let many = many.join(",");
    let (a, b) = (format!("age={many}"), format!("cost={many}"));
    ask(&dir, "select count(*) from data group by age, cost", &["--keys", &a, "--keys", &b])
        .expect(2)
        .says("groups");
    ask(&dir, "select count(*) from data group by sex", &["--keys", "sex=F,F"]).expect(2).says("twice");
    let secret = format!("select count(*) from data where lower(sex) = '{CANARY}'");
    for (question, said) in [
        (secret.as_str(), "a function"),
        ("select * from data", "`*`"),
        ("select id from data", "not in `group by`"),
        ("select id, count(*) from data group by id", "no declared keys"),
        ("select max(cost) from data", "`min` or `max`"),
        ("select distinct sex from data", "`distinct`"),
        ("select count(*) from data join data", "a join"),
        ("select count(*) from (select * from data)", "a subquery"),
        ("select sum(id) from data", "no declared bounds"),
        ("select count(*) from data where income > 3", "no column `income`"),
        ("select count(*) from other.data", "other than one table"),
        ("select sum(cost) from data as d(id, sex, cost, age)", "other than one table"),
        ("select count(*) from data with (nolock)", "other than one table"),
        ("select count(5)(*) from data", "parameters"),
        ("drop table data", "no `select`"),
        ("select", "cannot be read as SQL"),
        ("select sex, count(*) from data group by sex, sex", "a column that is named twice in `group by`"),
        ("select count(*) as n, avg(cost) as n from data", "the same name for two outputs"),
    ] {
        let run = ask(&dir, question, &[]).expect(2).says(said);
        assert_eq!(run.json()["error"]["code"], 2, "no answer, and why");
    }
    let long = format!("select count(*) from data where age in ({})", "1,".repeat(20_000));
    ask(&dir, &long, &[]).expect(2);
    assert_eq!(entries(&dir).len(), 1, "something was charged");
    // A value of the data may be asked for, and is answered like any other.
    let text = format!("select count(*) from data where sex = '{CANARY}'");
    assert!(ask(&dir, &text, &[]).expect(0).json()["lines"][0]["numbers"][0]["value"].is_number());
    // The question is not kept, only its fingerprint.
    assert!(!String::from_utf8_lossy(&dir.bytes("people.csv.ledger")).contains(CANARY));
}

#[test]
fn an_account_needs_its_table() {
    let dir = people();
    std::fs::create_dir(dir.path("folder.csv")).unwrap();
    dir.write("nowhere.toml", JOB.replace("people.csv", "none.csv"));
    for data in ["none.csv", "nowhere.toml"] {
        dir.expect(2, &["ledger", "open", data, "--epsilon", "3"]).says("none.csv").says("cannot be read");
    }
    dir.expect(2, &["ledger", "open", "folder.csv", "--epsilon", "3"]).says("no file");
    dir.expect(2, &["ledger", "open", "none.csv", "--epsilon", "3", "--ledger", "l", "--account", "a"]);
    assert_eq!(dir.names("."), ["folder.csv", "job.toml", "nowhere.toml", "people.csv"], "a ledger was made");
    // Without a table there is nothing to look for.
    dir.expect(0, &["ledger", "open", "--epsilon", "3", "--ledger", "l", "--account", "a"]);
}

/// What can hold no ledger is refused in plain words.
#[test]
fn a_ledger_needs_a_name_and_a_place() {
    let dir = people();
    let open = |ledger: &str| {
        dir.privet(&["ledger", "open", "--epsilon", "3", "--account", "a", "--ledger", ledger]).expect(2)
    };
    open("").says("the ledger needs a name");
    open(" ").says("the ledger needs a name");
    open("nowhere/l.db").says("its folder does not exist");
    open(":memory:").says("is no file");
    open("/dev/null").says("is no file");
    let question = "select count(*) from data";
    ask(&dir, question, &["--ledger", ""]).expect(2).says("the ledger needs a name");
    ask(&dir, question, &["--ledger", "nowhere/l.db"]).expect(2).says("its folder does not exist");
    ask(&dir, question, &["--ledger", "/dev/null"]).expect(2).says("is no file");
    dir.expect(2, &["ledger", "show", "--ledger", ":memory:"]).says("is no file");
    dir.write("job.toml", JOB.replace("[query]", "[query]\nledger = \"\""));
    ask(&dir, question, &[]).expect(2).says("the ledger needs a name");
    // An account for a table with nothing in it would be one for whatever comes later by that name.
    dir.write("nothing.csv", "");
    dir.expect(2, &["ledger", "open", "nothing.csv", "--epsilon", "3"]).says("is empty");
    assert_eq!(dir.names("."), ["job.toml", "nothing.csv", "people.csv"], "a ledger was made");
}

/// Names of who asks write no lines of their own; questions are about the table that is named; nothing is charged.
#[test]
fn names_and_tables_are_looked_at() {
    let dir = people();
    open(&dir, "3");
    let question = "select count(*) from data";
    ask(&dir, question, &["--analyst", "ann\nbob"]).expect(2).says("control characters");
    ask(&dir, question, &["--analyst", "ann\u{202e}bob"]).expect(2).says("invisible");
    dir.expect(2, &["ledger", "open", "--epsilon", "3", "--account", "a\u{1b}[2J", "--ledger", "l"])
        .says("control characters");
    assert!(!dir.path("l").exists(), "a ledger was made");
    for wrong in
        ["select count(*) from other", "select count(*) from job", "select count(*) from pets as data"]
    {
        ask(&dir, wrong, &[]).expect(2).says("a table of another name");
    }
    let two = "select count(*) from data; select count(*) from other";
    ask(&dir, two, &["--mechanism", "sulq"]).expect(2).says("a table of another name");
    ask(&dir, question, &["--epsilon", "1e-18"]).expect(2).says("64 bits");
    ask(&dir, "select avg(cost) from data", &["--bound", "cost=5..5"]).expect(2).says("the bounds of `cost`");
    assert_eq!(entries(&dir).len(), 1, "something was charged");
    for right in ["people", "PEOPLE", "\"people.csv\"", "data as d"] {
        ask(&dir, &format!("select count(*) from {right}"), &["--epsilon", "0.1"]).expect(0);
    }
}

/// The average of nobody may be anything within its bounds.
#[test]
fn the_average_of_nobody_is_wide() {
    let dir = people();
    open(&dir, "1000");
    dir.expect(0, &["query", "job.toml", "select count(*) from data", "--epsilon", "950", "--dry-run"])
        .prints("10^412 times as probable");
    // The count of nobody is another number than 0 with a probability below e^-400.
    let answer =
        ask(&dir, "select avg(cost) from data where age > 500", &["--epsilon", "950"]).expect(0).json();
    assert_eq!(answer["lines"][0]["numbers"][0]["half_width_95"], 1000.0);
}

/// The same question with other declarations is another one in the ledger.
#[test]
fn fingerprints_cover_declarations() {
    let dir = people();
    open(&dir, "9");
    let question = "select sum(cost) from data";
    for more in [&[][..], &[], &["--bound", "cost=0..2000"], &["--max-records", "2"]] {
        ask(&dir, question, more).expect(0);
    }
    let prints: Vec<String> =
        entries(&dir).iter().map(|own| own["question"].as_str().unwrap().to_owned()).collect();
    assert_eq!(prints[1], prints[2]);
    assert_eq!(prints[1..].iter().collect::<HashSet<_>>().len(), 3);
}

/// A flag takes part in the answer, or is refused; nothing is charged.
#[test]
fn flags_without_use_are_refused() {
    let dir = people();
    dir.expect(0, &["ledger", "open", "people.csv", "--epsilon", "3", "--delta", "1e-5"]);
    let (count, average) = ("select count(*) from data", "select avg(cost) from data");
    for (question, more, said) in [
        (average, &["--delta", "1e-6"][..], "--delta"),
        (average, &["--delta", "1e-6", "--mechanism", "gaussian"], "--delta"),
        (average, &["--delta", "1e-6", "--probabilistic"], "--delta"),
        (average, &["--mechanism", "laplace"], "--mechanism laplace"),
        (count, &["--mechanism", "laplace", "--probabilistic"], "--probabilistic"),
        (count, &["--mechanism", "laplace", "--delta", "1e-6"], "leave one of them out"),
        (count, &["--mechanism", "sulq", "--synthetic", "4"], "--synthetic"),
        (count, &["--bound", "cost=0..5"], "--bound names `cost`"),
        (count, &["--grid", "cost=1"], "--grid names `cost`"),
        (count, &["--keys", "sex=F,M"], "--keys names `sex`"),
        (count, &["--other", "sex=else"], "--other names `sex`"),
        (average, &["--bound", "cost=0..5", "--bound", "cost=0..6"], "twice"),
        (count, &["--job", "job.toml"], "two job files"),
        (count, &["--unencrypted"], "--unencrypted"),
        ("select sex, count(*) from data group by sex", &["--keys", "sex="], "empty key"),
        ("select sex, count(*) from data group by sex", &["--keys", "sex=F,,M"], "empty key"),
    ] {
        ask(&dir, question, more).expect(2).says(said);
        ask(&dir, question, &[more, &["--dry-run"]].concat()).expect(2).says(said);
    }
    assert_eq!(entries(&dir).len(), 1, "something was charged");
    // What a job file declares is for all questions.
    dir.write("job.toml", JOB.replace("epsilon = 0.5", "epsilon = 0.5\ndelta = 1e-6"));
    assert_eq!(ask(&dir, average, &[]).expect(0).json()["cost"]["delta"], "0");
}

/// A budget pays for what is written the same way, to the last third.
#[test]
fn fractions_are_exact() {
    let dir = people();
    dir.expect(0, &["ledger", "open", "people.csv", "--epsilon", "7/3"]).prints("epsilon 7/3");
    let question = "select count(*) from data";
    ask(&dir, question, &["--epsilon", "2.3333333333333333333333333333333334"]).expect(3);
    let answer = ask(&dir, question, &["--epsilon", "7/3"]).expect(0).json();
    assert_eq!((&answer["cost"]["epsilon"], &answer["remaining"]["epsilon"]), (&"7/3".into(), &"0".into()));
    ask(&dir, question, &["--epsilon", "1e-12"]).expect(3);
    dir.expect(0, &["ledger", "verify", "people.csv"]).prints("2 entries");
    let dir = people();
    open(&dir, "1");
    for left in ["2/3", "1/3", "0"] {
        let answer = ask(&dir, question, &["--epsilon", "1/3"]).expect(0).json();
        assert_eq!(answer["remaining"]["epsilon"], left);
    }
    ask(&dir, question, &["--epsilon", "1/3"]).expect(3);
    dir.expect(0, &["ledger", "verify", "people.csv"]).prints("4 entries");
}

#[test]
fn a_table_has_one_budget() {
    let dir = people();
    open(&dir, "1");
    dir.expect(2, &["ledger", "open", "people.csv", "--epsilon", "3", "--account", "second"])
        .says("one account");
    std::os::unix::fs::symlink(dir.path("people.csv"), dir.path("link.csv")).unwrap();
    dir.expect(2, &["ledger", "open", "link.csv", "--epsilon", "3"]).says("already");
    dir.expect(0, &["query", "link.csv", "select count(*) from link", "--epsilon", "1"])
        .prints("epsilon 0 is left");
}

#[test]
fn an_account_is_for_one_kind_of_people() {
    let dir = people();
    let by_person = ["ledger", "open", "people.csv", "--epsilon", "9", "--per-person", "id"];
    dir.expect(0, &by_person).prints("people by column `id`");
    let question = "select count(*) from data";
    ask(&dir, question, &[]).expect(2).says("people by column `id`");
    ask(&dir, question, &["--per-person", "sex"]).expect(2).says("on the account's terms");
    ask(&dir, question, &["--per-person", "id", "--neighbours", "replace"]).expect(2).says("replace");
    // A dry run is told the same.
    for more in [&["--dry-run"][..], &["--dry-run", "--per-person", "sex"]] {
        ask(&dir, question, more).expect(2).says("on the account's terms").json();
    }
    ask(&dir, question, &["--dry-run", "--per-person", "id", "--neighbours", "replace"])
        .expect(2)
        .says("replace");
    ask(&dir, question, &["--dry-run", "--per-person", "id", "--max-records", "2"]).expect(0);
    assert_eq!(entries(&dir).len(), 1, "something was charged");
    ask(&dir, question, &["--per-person", "id", "--max-records", "2"]).expect(0);
    dir.expect(0, &["query", "job.toml", question, "--per-person", "id", "--epsilon", "5"])
        .prints("e^epsilon = 148.413 times as probable, which protects little");
}

#[test]
fn a_changed_ledger_is_found() {
    let dir = people();
    dir.write("key", "sixteen bytes or more");
    let sealed = ["--ledger", "sealed.db", "--signing-key", "key", "--account", "people"];
    dir.expect(0, &[&["ledger", "open", "--epsilon", "2"][..], &sealed].concat());
    ask(&dir, "select count(*) from data", &sealed).expect(0);
    let verified = dir.expect(0, &[&["ledger", "verify", "--json"][..], &sealed].concat()).json();
    let head = verified["head"].as_str().unwrap().to_owned();
    assert_eq!((&verified["entries"], head.split_once(':').unwrap().1.len()), (&2.into(), 64));
    dir.expect(0, &[&["ledger", "verify"][..], &sealed].concat())
        .prints("2 entries, every hash")
        .prints("only --since NUMBER:HASH");
    dir.expect(0, &[&["ledger", "verify", "--since", &head][..], &sealed].concat())
        .prints("Nothing that was there at");
    // Another key, or none, neither verifies nor continues.
    let bare = ["--ledger", "sealed.db", "--account", "people"];
    dir.expect(2, &["ledger", "verify", "--ledger", "sealed.db"]).says("signed").says("--signing-key");
    ask(&dir, "select count(*) from data", &bare).expect(2).says("--signing-key");
    dir.write("another", "also sixteen bytes or more");
    dir.expect(2, &["ledger", "verify", "--ledger", "sealed.db", "--signing-key", "another"])
        .says("not the key")
        .says("--signing-key");
    dir.expect(2, &["ledger", "verify", "--ledger", "sealed.db", "--signing-key", "none"]).says("key");
    dir.expect(2, &["ledger", "verify", "--ledger", "sealed.db", "--since", "x"]).says("NUMBER:HASH");
    // An older copy lacks what was charged since.
    let old = dir.bytes("sealed.db");
    ask(&dir, "select count(*) from data", &sealed).expect(0);
    let later = dir.expect(0, &[&["ledger", "verify", "--json"][..], &sealed].concat()).json();
    let later = later["head"].as_str().unwrap().to_owned();
    dir.write("sealed.db", old);
    // The key file's memory tells it.
    for act in [&["ledger", "verify"][..], &["query", "job.toml", "select count(*) from data"]] {
        dir.expect(1, &[act, &sealed].concat()).says("an old copy was put back");
    }
    // Without that memory the copy holds by itself.
    std::fs::remove_file(dir.path("key.seen")).unwrap();
    dir.expect(0, &[&["ledger", "verify"][..], &sealed].concat());
    dir.expect(1, &[&["ledger", "verify", "--since", &later][..], &sealed].concat())
        .says("missing or changed");
    // Who pins what was seen gets no answer from it either, and nothing is charged.
    let before = dir.bytes("sealed.db");
    let since = |head: &str, more: &[&str]| {
        ask(&dir, "select count(*) from data", &[&sealed[..], &["--since", head], more].concat())
    };
    since(&later, &[]).expect(1).says("missing or changed");
    since(&later, &["--dry-run"]).expect(1).says("missing or changed");
    since("2:none", &[]).expect(2).says("NUMBER:HASH");
    since(&head, &["--dry-run"]).expect(0);
    assert!(dir.bytes("sealed.db") == before, "something was charged");
    // One amount changed by hand.
    let mut bytes = dir.bytes("sealed.db");
    let place = bytes.windows(7).position(|own| own == b"people2").unwrap();
    let changed: Vec<u8> = b"people9".to_vec();
    bytes[place..place + 7].copy_from_slice(&changed);
    dir.write("sealed.db", bytes);
    dir.expect(1, &[&["ledger", "verify"][..], &sealed].concat());
    dir.write("text.db", "this is no ledger, and long enough to be looked at by whoever opens it");
    for act in [&["show"][..], &["verify"], &["open", "--epsilon", "1", "--account", "a"]] {
        let args = [&["ledger"][..], act, &["--ledger", "text.db"]].concat();
        dir.expect(2, &args).says("is no ledger").says("privet ledger open");
    }
    ask(&dir, "select count(*) from data", &["--ledger", "text.db"]).expect(2).says("is no ledger");
    assert!(dir.text("text.db").starts_with("this is no ledger"));
    dir.expect(2, &["ledger", "show"]).says("which ledger");
    dir.expect(2, &["ledger", "open", "--epsilon", "1", "--ledger", "new.db"]).says("which account");
    let server = "postgres://nobody:hidden@127.0.0.1:1/none";
    let run =
        ask(&dir, "select count(*) from data", &["--ledger", server]).expect(4).says("cannot be reached");
    assert!(!run.err.contains("hidden"));
}

#[test]
fn askers_at_the_same_time_never_overspend() {
    let dir = people();
    open(&dir, "2");
    let ask = || {
        dir.command(&["query", "job.toml", "select count(*) from data", "--epsilon", "0.25", "--json"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    let askers: Vec<_> = (0..12).map(|_| ask()).collect();
    let mut codes = Vec::new();
    let mut hashes = HashSet::new();
    for asker in askers {
        let output = asker.wait_with_output().unwrap();
        codes.push(output.status.code().unwrap());
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        hashes.extend(answer["hash"].as_str().map(str::to_owned));
    }
    codes.sort_unstable();
    assert_eq!(codes, [[0; 8].as_slice(), &[3; 4]].concat());
    assert_eq!(hashes.len(), 8);
    assert_eq!(entries(&dir).last().unwrap()["remaining"]["epsilon"], "0");
    dir.expect(0, &["ledger", "verify", "people.csv"]);
}

/// Kills the program so many times at random moments: no answer without its charge, no charge lost.
fn kill(times: u32) {
    let dir = people();
    open(&dir, "1000");
    let run = || {
        dir.command(&["query", "job.toml", "select count(*) from data", "--epsilon", "0.001", "--json"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    let begun = Instant::now();
    let first = run().wait_with_output().unwrap();
    let usual = begun.elapsed().min(Duration::from_secs(2));
    let mut answered: HashSet<String> = HashSet::new();
    let mut hash_of = |output: &[u8]| match serde_json::from_slice::<Value>(output) {
        Ok(answer) => answered.insert(answer["hash"].as_str().unwrap().to_owned()),
        Err(_) => false,
    };
    assert!(hash_of(&first.stdout));
    let mut random = Random(11);
    let (mut killed, mut head) = (0, String::new());
    let mut runs = 0;
    while killed < times {
        let round = runs;
        runs += 1;
        assert!(runs < 20 * times + 100, "only {killed} of {runs} runs were killed before their end");
        let mut child = run();
        // Most of them near the end, where the charge is made and the answer leaves.
        let share = if round % 4 == 0 { random.below(1_000) } else { 500 + random.below(700) };
        std::thread::sleep(usual * share as u32 / 1_000);
        child.kill().unwrap();
        let output = child.wait_with_output().unwrap();
        killed += u32::from(output.status.code().is_none());
        hash_of(&output.stdout);
        if round % 20 == 19 || killed == times {
            let mut args = vec!["ledger", "verify", "people.csv", "--json"];
            if !head.is_empty() {
                args.extend(["--since", &head]);
            }
            let next = dir.expect(0, &args).json()["head"].as_str().unwrap().to_owned();
            head = next;
        }
    }
    let charged: HashSet<String> =
        entries(&dir)[1..].iter().map(|own| own["hash"].as_str().unwrap().to_owned()).collect();
    assert!(answered.is_subset(&charged), "an answer without its charge");
    let lost = charged.len() - answered.len();
    println!("{runs} runs, {killed} killed, {} answers, {} charges", answered.len(), charged.len());
    assert!(lost <= killed as usize, "{lost} charges without an answer after {killed} kills");
    // What a killed run left of a journal goes with the next charge.
    assert!(run().wait_with_output().unwrap().status.success());
    let names = ["job.toml", "people.csv", "people.csv.ledger", "people.csv.ledger.key"];
    assert_eq!(dir.names("."), names, "a journal stays");
}

#[test]
fn a_kill_at_any_moment_loses_no_charge() {
    kill(40);
}

#[test]
#[ignore = "takes minutes; run by `cargo xtask kill` and `soak`"]
fn a_thousand_kills_lose_no_charge() {
    kill(1000);
}
