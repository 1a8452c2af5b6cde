//! A release beside its original: which record became which, and over which groups figures are taken.

use serde_json::Value;

use crate::dir::Dir;

const CITIES: &str = "\
[input]
path = \"t.csv\"
[columns.city]
role = \"quasi\"
hierarchy = { groups = [{ label = \"Germany\", values = [\"Bonn\", \"Ulm\"] }, { label = \"South\", values = [\"Nice\", \"Lyon\"] }, { label = \"North\", values = [\"Paris\", \"Metz\"] }] }
[columns.d]
role = \"sensitive\"
[privacy]
k-anonymity = 15
[search]
suppress-at-most = 0.1
[output]
folder = \"release\"
";

/// 16 people of the south and 16 of the north, after those of these cities.
fn cities(first: &[&str]) -> Dir {
    let dir = Dir::new();
    let mut text = "city,d\n".to_owned();
    first.iter().for_each(|city| text.push_str(&format!("{city},c\n")));
    text.push_str(&"Nice,c\nLyon,a\nParis,b\nMetz,c\nLyon,b\nNice,a\nMetz,a\nParis,c\n".repeat(4));
    dir.write("t.csv", text).write("job.toml", CITIES);
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    dir
}

/// Without the hierarchies everybody fits every label, so that the records left out are not told: whoever is put beside the
/// wrong record gets the wrong risk.
#[test]
fn records_are_not_put_beside_others_when_labels_say_nothing() {
    let dir = cities(&["Bonn"]);
    assert_eq!(dir.text("release/data.csv").lines().count(), 33);
    let refused = ["measure", "t.csv", "release", "--risk-file", "r.csv"];
    dir.expect(2, &refused).says("labels of city").says("give the job file").says("--job");
    dir.expect(2, &["attack", "release", "--original", "t.csv"]).says("labels of city").says("--job");
    assert!(!dir.names(".").contains(&"r.csv".to_owned()));
    for (file, flags) in [("a.csv", &["job.toml"][..]), ("b.csv", &["t.csv", "--job", "job.toml"])] {
        let args = [&["measure", flags[0], "release", "--risk-file", file], &flags[1..]].concat();
        dir.expect(0, &args);
        let risks = dir.text(file);
        // The first record, of Bonn, is the one that is left out.
        let left_out: Vec<&str> = risks.lines().filter(|line| line.contains(",no,")).collect();
        assert_eq!(left_out.len(), 1, "{risks}");
        assert!(left_out[0].starts_with("1,no,"), "{risks}");
        dir.expect(0, &["attack", "release", "--original", flags[0], "--job", "job.toml"]);
    }
}

/// Where nobody is left out, who is who is certain; what labels hide is not.
#[test]
fn labels_that_only_the_job_explains_are_named() {
    let dir = cities(&[]);
    let note = "Labels of city that only the job explains are taken for any value";
    dir.expect(0, &["measure", "t.csv", "release"]).prints(note);
    dir.expect(0, &["attack", "release", "--original", "t.csv"]).prints("Some labels of `city` are names");
    let told = dir.expect(0, &["measure", "job.toml", "release", "--json"]).json();
    assert!(!told.to_string().contains(note));
}

fn figures<'a>(measured: &'a Value, key: &str) -> Vec<&'a Value> {
    measured["utility"]["figures"].as_array().unwrap().iter().filter(|own| own["key"] == key).collect()
}

fn one(measured: &Value, key: &str) -> f64 {
    let found = figures(measured, key);
    assert_eq!(found.len(), 1, "{key}");
    found[0]["value"].as_f64().unwrap()
}

/// Six people of different ages in three buckets of a flu and a cold each. Wards and costs are published as they are, and
/// nobody looks like another, so that nothing of them is unknown (survey UM-05, UM-16, UM-17); of illnesses every bucket
/// leaves one bit, and one of two has another than most.
#[test]
fn what_buckets_publish_as_it_is_is_measured_by_who_looks_alike() {
    let dir = Dir::new();
    dir.write("t.csv", "age,ill,ward,cost\n20,flu,a,10\n21,cold,b,90\n22,flu,b,20\n23,cold,a,70\n24,flu,a,30\n25,cold,b,50\n");
    dir.write(
        "job.toml",
        "[input]\npath = \"t.csv\"\n[columns.age]\nrole = \"quasi\"\n[columns.ill]\nrole = \"sensitive\"\n[columns.ward]\nrole = \
         \"insensitive\"\n[columns.cost]\nrole = \"insensitive\"\n[privacy]\nl-diversity = { kind = \"distinct\", l = 2 }\n[search]\nalgorithm = \
         \"anatomy\"\n[adversary]\nmax-risk = 1\n[output]\nfolder = \"release\"\n",
    );
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let measured = |flags: &[&str]| {
        dir.expect(0, &[&["measure", "job.toml", "release", "--json"], flags].concat()).json()
    };
    let ward = measured(&["--class", "ward", "--target", "cost"]);
    for key in ["classification", "class-entropy", "regression-variance"] {
        assert_eq!(one(&ward, key), 0.0, "{key}");
    }
    let ill = measured(&["--class", "ill"]);
    assert_eq!((one(&ill, "classification"), one(&ill, "class-entropy")), (0.5, 1.0));
}

/// Survey UM-16: several classes are summed, and each figure says of which column it is. Behind `*` are four people with two
/// illnesses and four wards: one bit and two.
#[test]
fn figures_of_several_classes_say_of_which() {
    let dir = Dir::new();
    dir.write(
        "t.csv",
        "age,ill,ward,cost,days\n20,flu,a,10,1\n30,cold,b,20,1\n40,flu,c,30,3\n50,cold,d,40,3\n",
    );
    let others =
        ["ward", "cost", "days"].map(|own| format!("[columns.{own}]\nrole = \"insensitive\"\n")).concat();
    dir.write(
        "job.toml",
        format!(
            "[input]\npath = \"t.csv\"\n[columns.age]\nrole = \"quasi\"\n[columns.ill]\nrole = \"sensitive\"\n{others}[privacy]\nk-anonymity \
             = 4\n[output]\nfolder = \"release\"\n"
        ),
    );
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let measured = |flags: &[&str]| {
        dir.expect(0, &[&["measure", "job.toml", "release", "--json"], flags].concat()).json()
    };
    let all = measured(&["--class", "ill", "--class", "ward", "--target", "cost", "--target", "days"]);
    let of = |key: &str, column: &str| {
        let own = figures(&all, key).into_iter().find(|own| own["column"] == column);
        own.unwrap_or_else(|| panic!("no {key} of {column}"))["value"].as_f64().unwrap()
    };
    assert_eq!((of("class-entropy", "ill"), of("class-entropy", "ward")), (1.0, 2.0));
    assert_eq!((of("regression-variance", "cost"), of("regression-variance", "days")), (125.0, 1.0));
    assert_eq!(one(&all, "class-entropy-sum"), 3.0);
    let alone = measured(&["--class", "ill"]);
    assert!(figures(&alone, "class-entropy-sum").is_empty());
    assert_eq!(figures(&alone, "class-entropy")[0]["column"], "ill");
}

/// Survey UM-12 by hand. Four ages become `*`: 2 bits of the identifying column are gone. Of all columns there were 2 bits, and
/// the illness, in halves, still tells one (Gomatam and Karr).
#[test]
fn the_entropy_of_all_columns_together() {
    let dir = Dir::new();
    dir.write("t.csv", "age,ill\n20,flu\n30,cold\n40,flu\n50,cold\n");
    let job =
        "[input]\npath = \"t.csv\"\n[columns.age]\nrole = \"quasi\"\n[columns.ill]\nrole = \"sensitive\"\n";
    dir.write("job.toml", format!("{job}[privacy]\nk-anonymity = 4\n[output]\nfolder = \"release\"\n"));
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let measured = dir.expect(0, &["measure", "job.toml", "release", "--json"]).json();
    assert_eq!(one(&measured, "entropy-difference"), 2.0);
    assert_eq!(one(&measured, "entropy-difference-all"), 1.0);
}
