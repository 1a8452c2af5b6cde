//! Values that are written in several ways: what counts as one value, and what whoever runs the job is told.

use crate::dir::{CANARY, Dir};

fn job(input: &str, q: &str, s: &str, privacy: &str) -> String {
    format!(
        "[input]\npath = \"t.csv\"\nheader = true\n{input}\n[columns.q]\nrole = \"quasi\"\n{q}\n[columns.s]\n\
         role = \"sensitive\"\n{s}\n[privacy]\n{privacy}\n"
    )
}

const TWO: &str = "k-anonymity = 2\nl-diversity = 2";

/// Two classes that look 2-diverse, and in each of which everybody has one number.
#[test]
fn equal_numbers_counted_as_different_sensitive_values() {
    for rows in [
        "a,100\na,100.0\nb,200\nb,200.00\n",
        "a,0\na,-0\nb,1e2\nb,+100\n",
        "a, 7\na,007\nb,8\nb,8.\n",
        "a,2020-01-31\na,2020-01-31T00:00\nb,2021-01-31 00:00:00\nb,2021-01-31\n",
        "a,yes\na,Y\nb,no\nb,N\n",
        "a,flu\na, flu\nb,hiv \nb,hiv\n",
    ] {
        let dir = Dir::new();
        dir.write("t.csv", format!("q,s\n{rows}")).write("job.toml", job("", "", "", TWO));
        dir.expect(0, &["anonymize", "job.toml"]);
        let data = dir.text("release/data.csv");
        assert_eq!(data.matches("*,").count(), 4, "{rows}: {data}");
        dir.expect(0, &["verify", "release"]);
        // The only value of everybody is not two.
        let one: String =
            rows.lines().filter(|line| line.starts_with('a')).map(|line| format!("{line}\n")).collect();
        dir.write("t.csv", format!("q,s\n{one}{one}"));
        dir.expect(2, &["anonymize", "job.toml", "--force"]).says("l may be at most 1");
    }
    // Digits that are codes are compared by their texts, and whole numbers to the last digit.
    let dir = Dir::new();
    dir.write("t.csv", "q,s\na,01234\na,1234\nb,01234\nb,1234\n")
        .write("job.toml", job("", "", "compare = \"text\"", TWO));
    dir.expect(0, &["anonymize", "job.toml"]);
    assert_eq!(dir.text("release/data.csv"), dir.text("t.csv"));
    dir.expect(0, &["verify", "release"]);
    let manifest = dir.json("release/manifest.json");
    assert_eq!(manifest["data"]["equality"]["s"]["compare"], "text");
    dir.write("t.csv", "q,s\na,9007199254740993\na,9007199254740992\n")
        .write("job.toml", job("", "", "", TWO));
    dir.expect(0, &["anonymize", "job.toml", "--force"]);
    assert_eq!(dir.text("release/data.csv"), dir.text("t.csv"));
    dir.expect(0, &["verify", "release"]);
}

/// The same in tables of buckets, views, and in passes.
#[test]
fn equal_numbers_are_one_value_in_every_kind_of_release() {
    let dir = Dir::new();
    let rows = "a,100\na,100.0\nb,200\nb,200.00\na,300\nb,3e2\n";
    dir.write("t.csv", format!("q,s\n{rows}"));
    let anatomy = "l-diversity = 2\n[search]\nalgorithm = \"anatomy\"";
    dir.write("job.toml", job("", "", "", anatomy));
    dir.expect(0, &["anonymize", "job.toml"]);
    dir.expect(0, &["verify", "release"]);
    let counted = dir.text("release/sensitive.csv");
    for line in counted.lines().skip(1) {
        assert!(["100,1", "200,1", "300,1"].iter().any(|end| line.ends_with(end)), "{counted}");
    }
    // A view of all columns would be the table itself.
    dir.write("t.csv", format!("q,s,r\n{}", rows.replace('\n', ",x\n")));
    let more = "[columns.r]\nrole = \"quasi\"";
    let view = "k-anonymity = 2\nl-diversity = 2\n[[views]]\ncolumns = [\"q\", \"s\"]";
    dir.write("job.toml", job("", "", more, view));
    dir.expect(0, &["anonymize", "job.toml", "--force"]);
    dir.expect(0, &["verify", "release"]);
    let counted = dir.files("release");
    let view = counted.iter().find(|(name, _)| name.ends_with(".csv")).unwrap();
    let view = String::from_utf8_lossy(view.1).into_owned();
    assert!(!view.contains("100.0") && !view.contains("3e2"), "{view}");
    let passes = "k-anonymity = 2\nl-diversity = 2\n[search]\nalgorithm = \"mondrian\"\n[search.mondrian]\nmemory-limit = 2";
    dir.write("job.toml", job("", "", "", passes));
    dir.expect(0, &["anonymize", "job.toml", "--force"]);
    dir.expect(0, &["verify", "release"]);
    let data = dir.text("release/data.csv");
    assert!(!data.contains("100.0") && !data.contains("3e2"), "{data}");
}

#[test]
fn texts_that_may_be_one_value_are_told() {
    let dir = Dir::new();
    let rows = format!("q,s\na,{CANARY}\na,{}\nb,hiv\nb,HIV\n", CANARY.to_lowercase());
    dir.write("t.csv", &rows).write("job.toml", job("", "", "", TWO));
    dir.expect(0, &["anonymize", "job.toml"]).says("4 texts that are counted as different values");
    dir.write("t.csv", rows.replace("b,hiv", "b,200.0").replace("b,HIV", "b,200"));
    dir.expect(0, &["anonymize", "job.toml", "--force"]).says("4 texts");
    dir.write("job.toml", job("", "", "fold-case = true\ncompare = \"value\"", TWO));
    dir.expect(0, &["anonymize", "job.toml", "--force"]);
    assert_eq!(dir.text("release/data.csv").matches("*,").count(), 4);
    dir.expect(0, &["verify", "release"]);
    // For all columns at once; and blanks count when the job says so.
    dir.write("t.csv", "q,s\nA,x\na,X\nA,y\na,y \n").write("job.toml", job("fold-case = true", "", "", TWO));
    let told = dir.expect(0, &["anonymize", "job.toml", "--force"]);
    assert!(told.err.contains("q: 1 value is written in more than one way"), "{}", told.err);
    assert_eq!(dir.text("release/data.csv"), "q,s\na,x\na,x\na,y\na,y\n");
    dir.write("job.toml", job("trim = false", "", "", "k-anonymity = 1"));
    // Every character counts because the job says so: nothing is to be told.
    assert_eq!(dir.expect(0, &["anonymize", "job.toml", "--force"]).err, "");
    assert_eq!(dir.text("release/data.csv"), dir.text("t.csv"));
    dir.expect(0, &["verify", "release"]);
}

#[test]
fn two_markers_of_missing_made_a_class_diverse() {
    let dir = Dir::new();
    dir.write("t.csv", "q,s\na,\na,?\nb,x\nb,y\n");
    dir.write("job.toml", job("missing = [\"\", \"?\"]", "", "", TWO));
    dir.expect(0, &["anonymize", "job.toml"]);
    assert_eq!(dir.text("release/data.csv"), "q,s\n*,\n*,\n*,x\n*,y\n");
    dir.expect(0, &["verify", "release"]);
    // Unless the job says that they mean different things.
    dir.write("job.toml", job("missing = [\"\"]", "", "", TWO));
    dir.expect(0, &["anonymize", "job.toml", "--force"]);
    assert_eq!(dir.text("release/data.csv"), dir.text("t.csv"));
}

#[test]
fn non_uniform_entropy_of_two_markers_at_level_0_is_0() {
    let dir = Dir::new();
    dir.write("t.csv", "q,s\n,x\n?,y\n1,x\n2,y\n");
    let privacy = "k-anonymity = 1\n[search]\nminimize = \"non-uniform-entropy\"";
    dir.write("job.toml", job("missing = [\"\", \"?\"]", "", "", privacy));
    let summary = dir.expect(0, &["anonymize", "job.toml", "--json"]).json();
    assert_eq!(summary["non-uniform-entropy"].as_f64(), Some(0.0), "{summary:#}");
    dir.expect(0, &["verify", "release"]);
}

#[test]
fn ordered_closeness_says_where_missing_values_stand() {
    let dir = Dir::new();
    dir.write("t.csv", "q,s\na,\na,1\nb,2\nb,3\n");
    dir.write("job.toml", job("", "", "", "k-anonymity = 2\nt-closeness = { kind = \"ordered\", t = 0.5 }"));
    dir.expect(0, &["anonymize", "job.toml"]);
    let manifest = dir.text("release/manifest.json");
    assert!(manifest.contains("missing values below the lowest"), "{manifest}");
    dir.expect(0, &["verify", "release"]);
}

#[test]
fn a_misspelt_value_in_a_concept_is_an_error() {
    let dir = Dir::new();
    dir.write("t.csv", format!("q,s\na,ulcer\na,{CANARY}\nb,flu\nb,cold\n"));
    let promise = |named: &str| {
        format!(
            "concept-diversity = {{ l = 2, concepts = {{ stomach = [\"ulcer\", \"{named}\"] }} }}\nk-anonymity = 2"
        )
    };
    dir.write("job.toml", job("", "", "", &promise("gastritus")));
    dir.expect(2, &["anonymize", "job.toml"])
        .says("concepts names 1 of 2 values that column s does not hold");
    dir.write("job.toml", job("", "", "", &promise(CANARY)));
    dir.expect(0, &["anonymize", "job.toml"]);
    assert_eq!(dir.text("release/data.csv").matches("*,").count(), 4);
    // However a number is written.
    dir.write("t.csv", "q,s\na,1\na,2\nb,3\nb,4\n");
    dir.write("job.toml", job("", "", "", &promise("1.0").replace("ulcer", "2.00")));
    dir.expect(0, &["anonymize", "job.toml", "--force"]);
    assert_eq!(dir.text("release/data.csv").matches("*,").count(), 4);
    dir.expect(0, &["verify", "release"]);
}

#[test]
fn people_of_a_population_are_found_however_their_values_are_written() {
    let dir = Dir::new();
    dir.write("t.csv", "q,s\n30,x\n40.0,y\n").write("p.csv", "q\n30.0\n3e1\n40\n+40\n> 90\n");
    let found = |k: u64| {
        dir.write("job.toml", job("", "", "", &format!("k-map = {{ k = {k}, population = \"p.csv\" }}")));
        dir.expect(0, &["anonymize", "job.toml", "--force"]);
        dir.expect(0, &["verify", "release", "--population", "p.csv"]);
        dir.text("release/data.csv")
    };
    assert_eq!(found(2), "q,s\n30,x\n40.0,y\n");
    assert!(found(3).starts_with("q,s\n*,x\n"));
}

#[test]
fn an_adversary_knows_numbers_however_they_are_written() {
    let dir = Dir::new();
    dir.write("t.csv", "q,s\n1,100\n1,200\n2,300\n2,400\n").write("job.toml", job("", "", "", TWO));
    dir.expect(0, &["anonymize", "job.toml"]);
    let exposed = |people: &str, value: &str| {
        dir.write("people.csv", people);
        dir.write(
            "k.toml",
            format!("[people]\npath = \"people.csv\"\nname = \"n\"\n[[records]]\nperson = \"A\"\nvalue = \"{value}\"\n"),
        );
        let args = ["attack", "release", "--knowledge", "k.toml", "--original", "job.toml", "--json"];
        let report = dir.expect(0, &args).json();
        let all = report["attacks"].as_array().unwrap();
        let found = all.iter().find(|own| own["attack"] == "background-knowledge").unwrap();
        found["exposed"].clone()
    };
    let plain = exposed("n,q\nA,1\nB,1\nC,2\nD,2\n", "100");
    assert_eq!(plain, exposed("n,q\nA,1.0\nB,01\nC,2e0\nD,+2\n", "1e2"));
    assert!(plain["hits"].is_u64(), "{plain:#}");
}

#[test]
fn a_hierarchy_of_codes_is_not_one_of_numbers() {
    let dir = Dir::new();
    dir.write("t.csv", "q,s\n01234,x\n1234,y\n01235,x\n1235,y\n");
    // A mask is for codes, and so is a file of masks.
    dir.write("h.csv", "01234,0123*,*\n1234,123*,*\n01235,0123*,*\n1235,123*,*\n");
    for hierarchy in ["hierarchy = { mask = \"right\" }", "hierarchy = \"h.csv\""] {
        dir.write("job.toml", job("", hierarchy, "", "k-anonymity = 1"));
        dir.expect(0, &["anonymize", "job.toml", "--force"]);
        assert_eq!(dir.text("release/data.csv"), dir.text("t.csv"), "{hierarchy}");
        dir.expect(0, &["verify", "release"]);
    }
    // A file that tells equal numbers apart is not for numbers.
    dir.write("h.csv", "01234,north,*\n1234,south,*\n01235,north,*\n1235,south,*\n");
    dir.write("job.toml", job("", "hierarchy = \"h.csv\"", "", "k-anonymity = 1"));
    dir.expect(2, &["anonymize", "job.toml", "--force"]).says("in two ways").says("compare = \"text\"");
    dir.write("job.toml", job("", "hierarchy = \"h.csv\"\ncompare = \"text\"", "", "k-anonymity = 2"));
    dir.expect(0, &["anonymize", "job.toml", "--force"]);
    assert!(dir.text("release/data.csv").contains("north"));
    dir.expect(0, &["verify", "release"]);
}
