//! `privet measure --queries FILE`: questions of the owner's own, answered from the release beside the truth.

use serde_json::Value;

use crate::dir::{CANARY, Dir};

const TABLE: &str = "age,ill,cost\n20,flu,10\n24,flu,20\n28,cold,30\n30,flu,40\n34,cold,50\n38,cold,60\n";
const COLUMNS: &str = "[columns.age]\nrole = \"quasi\"\nhierarchy = { intervals = [10], min = 20 }\n[columns.ill]\nrole = \
                       \"sensitive\"\n[columns.cost]\nrole = \"insensitive\"\n";

/// Six people in two classes, `20-29` and `30-39`.
fn released(privacy: &str) -> Dir {
    let dir = Dir::new();
    dir.write("t.csv", TABLE);
    let job =
        format!("[input]\npath = \"t.csv\"\n{COLUMNS}[privacy]\n{privacy}[output]\nfolder = \"release\"\n");
    dir.write("job.toml", job);
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    dir
}

fn workload(dir: &Dir, original: &str, file: &str) -> Value {
    dir.expect(0, &["measure", original, "release", "--queries", file, "--json"]).json()["utility"]["workload"]
        .clone()
}

/// By hand (survey UM-18, UM-30). Below 25 are the two of 20 and 24; of ten years behind `20-29` five are below 25, so three
/// records let expect 1.5, and any number of them may be it: off by a quarter. Costs and illnesses are published as they are.
/// Nobody is 21, of whom 3/10 are expected.
#[test]
fn questions_are_answered_beside_the_truth() {
    let dir = released("k-anonymity = 3\n");
    let questions = "-- a comment\nselect count(*) from data where age < 25\n\n# another\nSELECT sum(cost), avg(cost) FROM release \
                     WHERE ill = 'flu';\nselect count(*) from data where age = 21\r\n  select count(*) from data where age = '20-29'\n\
                     select avg(cost) from data where age > 90\n";
    dir.write("q.sql", questions);
    for original in ["t.csv", "job.toml"] {
        let own = workload(&dir, original, "q.sql");
        let told: Vec<[Value; 8]> = own["answers"]
            .as_array()
            .unwrap()
            .iter()
            .map(|own| {
                [
                    "line",
                    "truth",
                    "expected",
                    "at_least",
                    "at_most",
                    "absolute_error",
                    "relative_error",
                    "within_bounds",
                ]
                .map(|key| own[key].clone())
            })
            .collect();
        let null = Value::Null;
        let row = |line: u64, numbers: [f64; 6], within: bool| {
            let mut row = vec![Value::from(line)];
            row.extend(numbers.map(|own| if own.is_nan() { Value::Null } else { Value::from(own) }));
            row.push(Value::from(within));
            row
        };
        let mean = 70.0 / 3.0;
        let expected = [
            row(2, [2.0, 1.5, 0.0, 3.0, 0.5, 0.25], true),
            row(5, [70.0, 70.0, 70.0, 70.0, 0.0, 0.0], true),
            row(5, [mean, mean, mean, mean, 0.0, 0.0], true),
            row(6, [0.0, 0.3, 0.0, 3.0, 0.3, f64::NAN], true),
            row(7, [3.0, 3.0, 3.0, 3.0, 0.0, 0.0], true),
        ];
        for (told, expected) in told.iter().zip(&expected) {
            for (told, expected) in told.iter().zip(expected) {
                match (told.as_f64(), expected.as_f64()) {
                    (Some(a), Some(b)) => assert!((a - b).abs() < 1e-9, "{own:#}"),
                    _ => assert_eq!(told, expected, "{own:#}"),
                }
            }
        }
        // Nobody is so old: there is nothing to average, and nothing to compare.
        assert_eq!((told.len(), &told[5][1], &told[5][7]), (6, &null, &null));
        assert_eq!((&own["figures"], &own["compared"], &own["relative"]), (&6.into(), &5.into(), &4.into()));
        assert!((own["mean_relative_error"].as_f64().unwrap() - 0.25 / 4.0).abs() < 1e-9);
        assert_eq!(own["median_relative_error"], 0.0);
        assert_eq!((&own["within_tenth"], &own["within_bounds"]), (&3.into(), &5.into()));
    }
    let args =
        ["measure", "job.toml", "release", "--queries", "q.sql", "--queries", "5", "--report", "o.html"];
    dir.expect(0, &args)
        .prints("5 random count queries")
        .prints("Queries of your own")
        .prints("3 of 5 errors of at most a tenth; 5 of 5 true answers within the bounds");
    assert!(dir.text("o.html").contains("Queries of your own"));
    let without = dir.expect(0, &["measure", "job.toml", "release", "--json"]).json();
    assert!(without["utility"].get("workload").is_none());
}

/// What is answered is what `privet answer` says, and buckets hold the truth within their bounds.
#[test]
fn answers_are_those_of_the_verb() {
    let dir = released(
        "l-diversity = { kind = \"distinct\", l = 2 }\n[search]\nalgorithm = \"anatomy\"\n[adversary]\nmax-risk = 1\n",
    );
    let question = "select count(*) from data where ill = 'flu' and age < 30";
    dir.write("q.sql", question);
    let own = workload(&dir, "t.csv", "q.sql");
    let asked = dir.expect(0, &["answer", "release", question, "--json"]).json();
    for key in ["expected", "at_least", "at_most"] {
        assert_eq!(own["answers"][0][key], asked["lines"][0]["estimates"][0][key], "{key}");
    }
    assert_eq!((&own["answers"][0]["truth"], &own["within_bounds"]), (&2.0.into(), &1.into()));
}

/// What cannot be asked is told with its file and line, and without what stands there.
#[test]
fn bad_questions_are_told_by_their_line() {
    let dir = released("k-anonymity = 3\n");
    for (question, says) in [
        (
            format!("select count(*) from data where name = '{CANARY}'"),
            "does not have; it has age, ill, cost",
        ),
        (format!("select count( from data where ill = '{CANARY}'"), "cannot be read as SQL (column"),
        (CANARY.to_owned(), "cannot be read as SQL"),
        (format!("select count(*) from other where ill = '{CANARY}'"), "another name"),
        (format!("select count(*) from data where age = '{CANARY}'"), "accepted are numbers"),
        ("select sum(ill) from data".to_owned(), "no numbers"),
        ("select max(cost) from data".to_owned(), "`min` or `max`"),
        ("select ill, count(*) from data group by ill".to_owned(), "`group by`"),
    ] {
        dir.write("bad.sql", format!("\nselect count(*) from data\n{question}\n"));
        let args = ["measure", "job.toml", "release", "--queries", "bad.sql"];
        dir.expect(2, &args).says("bad.sql: line 3: ").says(says);
    }
    dir.write("none.sql", "-- nothing\n\n").write("bytes.sql", b"select \xff\xfe");
    for (file, says) in [
        ("none.sql", "none.sql: has no question"),
        ("bytes.sql", "no text in UTF-8"),
        ("missing.sql", "a number of random queries, or a file"),
        ("release", "a number of random queries, or a file"),
    ] {
        dir.expect(2, &["measure", "job.toml", "release", "--queries", file]).says(says);
    }
    let twice = ["measure", "job.toml", "release", "--queries", "bad.sql", "--queries", "none.sql"];
    dir.expect(2, &twice).says("one number and one file");
    // What is read is never written over.
    dir.write("q.html", "select count(*) from data\n");
    dir.expect(2, &["measure", "job.toml", "release", "--queries", "q.html", "--report", "q.html"])
        .says("is read by this command");
}

/// Labels whose values only the job tells have no true answer without it.
#[test]
fn labels_that_nothing_explains_need_the_job() {
    let dir = Dir::new();
    dir.write("t.csv", "work,ill\nnurse,flu\ndoctor,flu\npainter,cold\nroofer,flu\n");
    dir.write(
        "job.toml",
        "[input]\npath = \"t.csv\"\n[columns.work]\nrole = \"quasi\"\nhierarchy = { groups = [{ label = \"care\", values = [\"nurse\", \"doctor\"] }, { label = \"craft\", values = \
         [\"painter\", \"roofer\"] }] }\n[columns.ill]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 2\n[output]\nfolder = \"release\"\n",
    );
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    dir.write("q.sql", "select count(*) from data where work = 'care' and ill = 'flu'\n");
    let own = workload(&dir, "job.toml", "q.sql");
    assert_eq!((&own["answers"][0]["truth"], &own["answers"][0]["expected"]), (&2.0.into(), &2.0.into()));
    dir.expect(2, &["measure", "t.csv", "release", "--queries", "q.sql"]).says("line 1: ").says("--job");
}

/// A number that happens to be the mean of a group is a number like any other.
#[test]
fn a_mean_that_is_asked_for_is_a_value() {
    let dir = Dir::new();
    dir.write("t.csv", "temp,ill\n-2.5,flu\n-2,cold\n10,flu\n11.5,cold\n");
    dir.write(
        "job.toml",
        "[input]\npath = \"t.csv\"\n[columns.temp]\nrole = \"quasi\"\n[columns.ill]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 2\n\
         [search]\nalgorithm = \"microaggregation\"\n[output]\nfolder = \"release\"\n",
    );
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    assert!(dir.text("release/data.csv").contains("-2.25"));
    dir.write(
        "q.sql",
        "select count(*) from data where temp = -2.25\nselect count(*) from data where temp < -2.25\n",
    );
    for original in ["t.csv", "job.toml"] {
        let own = workload(&dir, original, "q.sql");
        assert_eq!((&own["answers"][0]["truth"], &own["answers"][1]["truth"]), (&0.0.into(), &1.0.into()));
        assert_eq!(own["within_bounds"], 2);
    }
}

#[test]
fn releases_of_counts_and_of_noise_refuse_questions() {
    let dir = Dir::new();
    dir.write("t.csv", TABLE).write("q.sql", "select count(*) from data\n");
    dir.write(
        "counts.toml",
        format!("[input]\npath = \"t.csv\"\n{COLUMNS}[[count-tables]]\ncolumns = [\"ill\"]\nthreshold = 2\n[output]\nfolder = \"counts\"\n"),
    );
    dir.expect(0, &["anonymize", "counts.toml", "--quiet"]);
    dir.expect(2, &["measure", "counts.toml", "counts", "--queries", "q.sql"])
        .says("`--queries FILE` goes with");
    dir.write(
        "noise.toml",
        "[input]\npath = \"t.csv\"\n[columns.age]\nrole = \"quasi\"\nperturb = { noise = \"gaussian\", sd = 3.0 }\n[output]\nfolder = \
         \"noise\"\n",
    );
    dir.expect(0, &["randomize", "noise.toml", "--quiet"]);
    dir.expect(2, &["measure", "t.csv", "noise", "--queries", "q.sql"]).says("`--queries FILE` goes with");
}
