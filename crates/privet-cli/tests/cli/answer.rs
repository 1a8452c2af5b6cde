//! `privet answer`: questions to releases.

use serde_json::Value;

use crate::dir::{CANARY, Dir, Run};

/// survey FX-1.1.
const PATIENTS: &str = "\
name,age,sex,zip,nationality,condition
Ann,28,F,13053,Russian,Heart disease
Bruce,29,M,13068,Chinese,Heart disease
Cary,21,F,13068,Japanese,Viral infection
Dick,23,M,13053,American,Viral infection
Eshwar,50,M,14853,Indian,Cancer
Fox,55,M,14750,Japanese,Flu
Gary,47,M,14562,Chinese,Heart disease
Helen,49,F,14821,Korean,Flu
Igor,31,M,13222,American,Cancer
Jean,37,F,13227,American,Cancer
Ken,36,M,13228,American,Cancer
Lewis,35,M,13221,American,Cancer
";

const NATIONS: &str = "\
Russian;European;*
Chinese;Asian;*
Japanese;Asian;*
American;American;*
Indian;Asian;*
Korean;Asian;*
";

/// A release of those patients.
fn release(more: &str) -> Dir {
    let dir = Dir::new();
    dir.write("patients.csv", PATIENTS).write("nations.csv", NATIONS);
    let job = format!(
        "input.path = \"patients.csv\"\noutput.folder = \"release\"\n\
         [columns.name]\nrole = \"identifier\"\n\
         [columns.age]\nrole = \"quasi\"\nhierarchy = {{ intervals = [20, 40], min = 20 }}\n\
         [columns.zip]\nrole = \"quasi\"\nhierarchy = {{ mask = \"right\" }}\n\
         [columns.nationality]\nrole = \"quasi\"\nhierarchy = \"nations.csv\"\n\
         [columns.condition]\nrole = \"sensitive\"\n{more}"
    );
    dir.write("job.toml", job);
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    dir
}

fn ask(dir: &Dir, question: &str, more: &[&str]) -> Value {
    let args = [&["answer", "release", question, "--json"][..], more].concat();
    dir.expect(0, &args).json()
}

fn figures(answer: &Value) -> [Option<f64>; 3] {
    let own = &answer["lines"][0]["estimates"][0];
    ["expected", "at_least", "at_most"].map(|key| own[key].as_f64())
}

#[test]
fn bounds_hold_the_truth_of_the_input() {
    let dir = release("[privacy]\nk-anonymity = 4\n");
    let questions = [
        ("select count(*) from data", 12.0),
        ("select count(*) from data where age between 20 and 30 and condition = 'Heart disease'", 2.0),
        ("select count(*) from data where condition = 'Cancer' and age < 40", 4.0),
        ("select count(*) from data where zip like '130%' or age > 49", 6.0),
        ("select count(*) from data where not (zip >= 14000 or nationality = 'American')", 3.0),
        ("select count(*) from data where nationality in ('Chinese', 'Indian')", 3.0),
        ("select sum(age) from data where condition = 'Flu'", 104.0),
        ("select avg(age) from data where condition <> 'Cancer'", 36.0),
    ];
    for (question, truth) in questions {
        for job in [&[][..], &["--job", "job.toml"]] {
            let answer = ask(&dir, question, job);
            let [_, least, most] = figures(&answer);
            let within = least.is_none_or(|least| least <= truth) && most.is_none_or(|most| truth <= most);
            assert!(within, "{question}: {answer}");
        }
    }
    dir.expect(0, &["answer", "release", questions[1].0]).prints("expected").prints("12 published records");
}

#[test]
fn a_job_says_what_is_below_a_label() {
    let dir = release("[privacy]\nk-anonymity = 2\n[search]\nsuppress-at-most = 0.2\n");
    let nation = "select count(*) from data where nationality = 'Asian'";
    let [expected, least, _] = figures(&ask(&dir, nation, &["--job", "job.toml"]));
    assert!(expected.is_some() && least.is_some());
    let lines = ask(&dir, "select count(*) from data group by nationality", &[]);
    let count: f64 = lines["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|l| l["estimates"][0]["expected"].as_f64().unwrap())
        .sum();
    assert_eq!(count, lines["records"].as_f64().unwrap());
    assert_eq!(lines["group_by"], serde_json::json!(["nationality"]));
}

#[test]
fn buckets_are_answered_from_their_counts() {
    let dir = release(
        "[columns.sex]\nrole = \"quasi\"\n[privacy]\nl-diversity = 2\n\
         [search]\nalgorithm = \"anatomy\"\nanatomy = { seed = 1 }\n",
    );
    let all = ask(&dir, "select count(*) from data where condition = 'Cancer'", &[]);
    assert_eq!(figures(&all), [Some(5.0); 3], "{all}");
    let women = ask(&dir, "select count(*) from data where condition = 'Cancer' and sex = 'F'", &[]);
    let [expected, least, most] = figures(&women).map(Option::unwrap);
    assert!(least <= 1.0 && 1.0 <= most && least <= expected && expected <= most && most < 5.0, "{women}");
    // Other columns are exact.
    assert_eq!(figures(&ask(&dir, "select avg(age) from data where sex = 'F'", &[])), [Some(33.75); 3]);
    let lines = ask(&dir, "select condition, count(*) from data group by condition", &[]);
    assert_eq!(lines["lines"].as_array().unwrap().len(), 4);
}

#[test]
fn suppressed_records_widen_counts() {
    let dir = release("[privacy]\nk-anonymity = 4\n[search]\nsuppress-at-most = 0.4\n");
    let answer = ask(&dir, "select count(*) from data", &[]);
    let (records, suppressed) = (answer["records"].as_f64().unwrap(), answer["suppressed"].as_f64().unwrap());
    assert_eq!(records + suppressed, 12.0);
    assert_eq!(figures(&answer), [Some(records), Some(records), Some(12.0)]);
}

#[test]
fn what_cannot_be_answered_is_said_without_a_value() {
    let dir = release("[privacy]\nk-anonymity = 4\n");
    let secret = format!("select count(*) from data where lower(condition) = '{CANARY}'");
    for (question, said) in [
        (secret.as_str(), "a function"),
        ("select max(age) from data", "`min` or `max`"),
        ("select count(*) from a join b", "a join"),
        ("select count(*) from data where income > 3", "it has age, zip, nationality, condition"),
        ("select avg(condition) from data", "holds no numbers"),
        ("select", "cannot be read as SQL"),
    ] {
        dir.expect(2, &["answer", "release", question]).says(said);
    }
    let constant = format!("select count(*) from data where age = '{CANARY}'");
    dir.expect(2, &["answer", "release", &constant]).says("accepted are numbers");
    let text = format!("select count(*) from data where condition = '{CANARY}'");
    assert_eq!(figures(&ask(&dir, &text, &[])), [Some(0.0); 3]);
    dir.expect(2, &["answer", "nowhere", "select count(*) from data"]).says("not a release");
    dir.expect(2, &["answer", "release", "select count(*) from data", "--job", "none.toml"])
        .says("none.toml");
}

/// A question about another table is no question to this release.
#[test]
fn the_table_is_the_release() {
    let dir = release("[privacy]\nk-anonymity = 4\n");
    for name in ["data", "release", "Release", "DATA as d"] {
        dir.expect(0, &["answer", "release", &format!("select count(*) from {name}")]).prints("count(*)");
    }
    for name in ["patients", "other", "other as data", "\"release/data\""] {
        let question = format!("select count(*) from {name}");
        let run = dir.expect(2, &["answer", "release", &question]).says("a table of another name");
        assert!(run.out.is_empty());
    }
    // By the name of its folder, wherever that is named from.
    std::fs::rename(dir.path("release"), dir.path("spring.v2")).unwrap();
    for name in ["spring", "\"spring.v2\"", "release"] {
        dir.expect(0, &["answer", "spring.v2", &format!("select count(*) from {name}")]);
        let mut here = dir.command(&["answer", ".", &format!("select count(*) from {name}")]);
        let run = Run::of(here.current_dir(dir.path("spring.v2")).output().unwrap(), "answer .");
        run.expect(0);
    }
    dir.expect(2, &["answer", "spring.v2", "select count(*) from summer"]).says("`release`");
}
