//! `privet unfold`, `privet combine`, and questions to releases of counts.

use serde_json::Value;

use crate::dir::{CANARY, Dir};
use crate::people;

const JOB: &str = r#"
input.path = "people.csv"
output.folder = "release"
[columns.name]
role = "identifier"
[columns.age]
role = "quasi"
hierarchy = { intervals = [10, 20], min = 0 }
[columns.zip]
role = "quasi"
hierarchy = { mask = "right" }
[columns.sex]
role = "quasi"
[columns.disease]
role = "sensitive"
"#;

fn release(more: &str) -> Dir {
    let dir = Dir::new();
    dir.write("people.csv", people::table(200, 1));
    dir.write("job.toml", format!("{JOB}{more}"));
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    dir
}

fn figures(dir: &Dir, question: &str, more: &[&str]) -> [f64; 3] {
    let answer = dir.expect(0, &[&["answer", "release", question, "--json"][..], more].concat()).json();
    let own = &answer["lines"][0]["estimates"][0];
    ["expected", "at_least", "at_most"].map(|key| own[key].as_f64().unwrap_or_else(|| panic!("{answer}")))
}

/// How many records of the input meet a condition.
fn truth(dir: &Dir, is: impl Fn(&dyn Fn(&str) -> String) -> bool) -> f64 {
    let text = dir.text("people.csv");
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let of = |line: &str| {
        let cells: Vec<String> = line.split(',').map(str::to_owned).collect();
        is(&|name: &str| cells[names.iter().position(|own| *own == name).unwrap()].clone())
    };
    lines.filter(|line| of(line)).count() as f64
}

#[test]
fn views_answer_with_bounds_that_hold() {
    let views = "[[views]]\ncolumns = [\"sex\", \"age\"]\n[[views]]\ncolumns = [\"sex\", \"disease\"]\n[privacy]\nk-anonymity = 2\n";
    let dir = release(views);
    let sick = dir.text("release/view-2.csv").lines().nth(1).unwrap().split(',').nth(1).unwrap().to_owned();
    let all = figures(&dir, "select count(*) from data", &[]);
    assert_eq!(all, [200.0; 3]);
    let question = format!("select count(*) from data where disease = '{sick}' and sex = 'f'");
    let [expected, least, most] = figures(&dir, &question, &[]);
    assert!(expected == least && least == most, "a view has both columns");
    // In no view together.
    let question = format!("select count(*) from data where disease = '{sick}' and age < 40");
    let [expected, least, most] = figures(&dir, &question, &[]);
    let truth =
        truth(&dir, |cell| cell("disease") == sick && cell("age").parse::<u32>().is_ok_and(|age| age < 40));
    assert!(
        least <= truth && truth <= most && least <= expected && expected <= most,
        "{least} {truth} {most}"
    );
    assert!(most > least);
    dir.expect(0, &["answer", "release", &question]).prints("From counts of 200 records");
    dir.expect(2, &["answer", "release", &question, "--spread", "proportional"]).says("releases of records");
    dir.expect(2, &["answer", "release", "select count(*) from data where town = 'x'"]).says("it has sex");
    dir.expect(2, &["unfold", "release", "--ranges", "-o", "out.csv"]).says("release of counts");
}

#[test]
fn a_table_with_totals_answers_around_what_it_hides() {
    let table = "[[count-tables]]\ncolumns = [\"sex\", \"disease\"]\nthreshold = 4\nprotection = { lower = 2, upper = 2 }\n";
    let dir = release(table);
    let text = dir.text("release/counts.csv");
    let mut seen = 0;
    for line in text.lines().skip(1).filter(|line| !line.contains("Total")) {
        let cells: Vec<&str> = line.split(',').collect();
        let question =
            format!("select count(*) from data where sex = '{}' and disease = '{}'", cells[0], cells[1]);
        if cells[0].is_empty() || cells[1].is_empty() {
            continue;
        }
        let [expected, least, most] = figures(&dir, &question, &[]);
        let truth = truth(&dir, |cell| cell("sex") == cells[0] && cell("disease") == cells[1]);
        assert!(least <= truth && truth <= most, "{line}: {least} {truth} {most}");
        assert!(least - 1e-6 <= expected && expected <= most + 1e-6, "{line}: {expected}");
        match cells[2] {
            "" => assert!(least < most, "{line}"),
            count => assert_eq!([least, most], [count.parse::<f64>().unwrap(); 2]),
        }
        seen += 1;
    }
    assert!(seen > 3);
    dir.expect(2, &["answer", "release", "select count(*) from data where age > 3"])
        .says("it has sex, disease");
}

#[test]
fn proportional_answers_stay_within_the_same_bounds() {
    let dir = release("[privacy]\nk-anonymity = 4\n[search]\nalgorithm = \"mondrian\"\n");
    let question = "select count(*) from data where age between 20 and 35";
    let [uniform, least, most] = figures(&dir, question, &[]);
    let found = figures(&dir, question, &["--spread", "proportional"]);
    assert_eq!([found[1], found[2]], [least, most]);
    assert!(least <= found[0] && found[0] <= most && least <= uniform && uniform <= most);
    dir.expect(2, &["answer", "release", question, "--spread", "evenly"]);
}

#[test]
fn releases_are_unfolded_for_learners() {
    let dir = release("[privacy]\nk-anonymity = 4\n[search]\nsuppress-at-most = 0.1\n");
    let published = dir.text("release/data.csv").lines().count();
    dir.expect(0, &["unfold", "release", "--leaf-sample", "--output", "a.csv"]).prints("Wrote ");
    dir.expect(0, &["unfold", "release", "--leaf-sample", "--output", "b.csv", "--quiet"]);
    dir.expect(0, &["unfold", "release", "--leaf-sample", "--output", "c.csv", "--seed", "2", "--quiet"]);
    dir.expect(0, &["unfold", "release", "--ranges", "--output", "r.csv", "--json"]);
    assert_eq!(dir.text("a.csv"), dir.text("b.csv"));
    assert_eq!(dir.text("a.csv").lines().count(), published);
    assert_eq!(dir.text("a.csv").lines().next(), dir.text("release/data.csv").lines().next());
    assert_eq!(dir.text("r.csv").lines().count(), published);
    let run = dir.expect(2, &["unfold", "release", "--ranges", "--output", "r.csv"]);
    run.says("--force");
    dir.expect(0, &["unfold", "release", "--ranges", "--output", "r.csv", "--force", "--quiet"]);
    dir.expect(2, &["unfold", "release", "--ranges", "--output", "release/r.csv"]).says("elsewhere");
    dir.expect(2, &["unfold", "release", "--ranges", "--output", "r.doc"])
        .says(".csv, .parquet, .arrow or .xlsx");
    dir.expect(2, &["unfold", "release", "--output", "x.csv"]);
    dir.expect(2, &["unfold", "release", "--ranges", "--leaf-sample", "--output", "x.csv"]);
    dir.expect(0, &["verify", "release"]);
}

/// survey US-16: Q = (10, 12, 11), U = (1, 1.2, 0.8) gives 11 with variance 7/3.
#[test]
fn estimates_are_combined() {
    let dir = Dir::new();
    dir.write("e.csv", "estimate,variance\n10,1\n12,1.2\n11,0.8\n");
    let all = dir.expect(0, &["combine", "e.csv", "--json"]).json();
    let near = |value: &Value, expected: f64| {
        assert!((value.as_f64().unwrap() - expected).abs() < 1e-12, "{value} {expected}");
    };
    near(&all[0]["estimate"], 11.0);
    near(&all[0]["variance"], 7.0 / 3.0);
    near(&all[0]["degrees"], 6.125);
    // survey US-17, with a variance of 1/3 and 4/3.
    let fully = dir.expect(0, &["combine", "e.csv", "--rule", "fully-synthetic", "--json"]).json();
    near(&fully[0]["variance"], 1.0 / 3.0);
    let partly = dir.expect(0, &["combine", "e.csv", "--rule", "partially-synthetic", "--json"]).json();
    near(&partly[0]["variance"], 4.0 / 3.0);
    dir.expect(0, &["combine", "e.csv", "--level", "0.9"]).prints("90 % interval").prints("from 3 tables");
    dir.write(
        "e.json",
        r#"[{"quantity": "a", "estimate": 1, "standard_error": 2}, {"quantity": "b", "estimate": 5, "variance": 1},
            {"quantity": "a", "estimate": 3, "standard_error": 2}, {"quantity": "b", "estimate": 5, "variance": 1}]"#,
    );
    let all = dir.expect(0, &["combine", "e.json", "--json"]).json();
    assert_eq!(all.as_array().unwrap().len(), 2);
    near(&all[0]["within"], 4.0);
    assert!(all[1]["degrees"].is_null());
    for (bad, said) in [
        ("estimate,variance\n1,1\n", "at least 2"),
        ("estimate,variance\n1,1\n2,-1\n", "below 0"),
        ("estimate,variance\n1,1\n2,-1\n", "bad.csv: data set 2 "),
        ("estimate\n1\n2\n", "needs a variance"),
        ("mean,variance\n1,1\n", "no column `estimate`"),
    ] {
        dir.write("bad.csv", bad);
        dir.expect(2, &["combine", "bad.csv"]).says(said);
    }
    dir.write("bad.csv", format!("estimate,variance\n{CANARY},1\n2,1\n"));
    dir.expect(2, &["combine", "bad.csv"]).says("is no number");
    dir.write("bad.json", format!("[{{\"estimate\": \"{CANARY}\"}}]"));
    dir.expect(2, &["combine", "bad.json"]).says("line 1");
    dir.expect(2, &["combine", "nowhere.csv"]).says("nowhere.csv");
    dir.expect(2, &["combine", "e.csv", "--level", "1"]).says("--level");
    for rule in [&[][..], &["--rule", "imputed"], &["--rule", "partially-synthetic"]] {
        dir.expect(2, &[&["combine", "e.csv", "--size", "2"][..], rule].concat()).says("--size goes with");
    }
    dir.expect(0, &["combine", "e.csv", "--rule", "fully-synthetic", "--size", "2"]);
    // Large numbers are told in a few digits, and what is beyond all numbers is refused.
    dir.write("large.csv", "estimate,variance\n1e100,1e180\n3e100,1e180\n");
    let run = dir.expect(0, &["combine", "large.csv"]).prints("estimate          2e100\n");
    assert!(!run.out.contains("000000"), "{}", run.out);
    for bad in ["1e200,1\n-1e200,1", "1e308,1\n1e308,1\n-1e308,1", "1,1.7e308\n1e154,1.7e308"] {
        dir.write("bad.csv", format!("estimate,variance\n{bad}\n"));
        for more in [&[][..], &["--json"]] {
            let run = dir.expect(2, &[&["combine", "bad.csv"][..], more].concat()).says("no finite number");
            assert_eq!(run.out.is_empty(), more.is_empty(), "the reason stands in the JSON");
        }
    }
}

/// What the page says, programs read too; and nothing that the page does not say.
#[test]
fn the_report_is_there_as_json() {
    let dir = release("[privacy]\nk-anonymity = 4\nl-diversity = 2\n");
    let report = dir.json("release/report.json");
    assert_eq!(report["format"], 1);
    assert_eq!(report["promises"].as_array().unwrap().len(), 2);
    assert!(report["promises"].as_array().unwrap().iter().all(|own| own["holds"] == true), "{report:#}");
    assert!(report["manifest"]["files"].is_null() && report["manifest"]["seal"].is_null());
    assert_eq!(report["manifest"]["data"]["rows"], dir.json("release/manifest.json")["data"]["rows"]);
    assert!(!report["attacks"].as_array().unwrap().is_empty());
    let listed = dir.json("release/manifest.json");
    // The fingerprint of the data is on the page and in the file.
    let of = |files: &Value| {
        files.as_array().unwrap().iter().find(|own| own["name"] == "data.csv").unwrap()["sha256"].clone()
    };
    assert_eq!(of(&report["files"]), of(&listed["files"]));
    let sha256 = of(&listed["files"]).as_str().unwrap().to_owned();
    assert!(dir.text("release/report.html").replace("<wbr>", "").contains(&sha256));
    assert!(listed["files"].as_array().unwrap().iter().any(|own| own["name"] == "report.json"));
}
