//! The `[search]` section from the outside: every metric, weights, minimal nodes.

use crate::people;

const METRICS: [&str; 9] = [
    "loss",
    "height",
    "precision",
    "discernibility",
    "average-class-size",
    "ambiguity",
    "non-uniform-entropy",
    "kullback-leibler",
    "classification",
];

#[test]
fn every_metric_can_be_minimized_and_is_the_least_of_all() {
    let dir = people::dir(300, "k-anonymity = 3", "suppress-at-most = 0.05\nclass = \"disease\"");
    let mut values = Vec::new();
    for metric in METRICS {
        let set = format!("search.minimize={metric}");
        let json = dir.expect(0, &["anonymize", "job.toml", "--force", "--json", "--set", &set]).json();
        assert_eq!(json["metric"].as_str(), Some(metric));
        dir.expect(0, &["verify", "release", "--quiet"]);
        values.push(json);
    }
    // What minimizes a metric has the least value of it among all these candidates.
    for (metric, own) in METRICS.iter().zip(&values) {
        let own = own[metric].as_f64().unwrap();
        for other in &values {
            assert!(own <= other[metric].as_f64().unwrap() + 1e-9, "{metric}: {own} against {other}");
        }
    }
}

#[test]
fn classification_needs_a_class() {
    let dir = people::dir(100, "k-anonymity = 3", "minimize = \"classification\"");
    dir.expect(2, &["anonymize", "job.toml"]).says("class");
    dir.expect(0, &["anonymize", "job.toml", "--set", "search.class=note"]);
    dir.expect(0, &["verify", "release"]);
    for (class, fragment) in
        [("age", "sensitive or insensitive"), ("name", "sensitive or"), ("none", "no [columns]")]
    {
        dir.expect(2, &["anonymize", "job.toml", "--force", "--set", &format!("search.class={class}")])
            .says(fragment);
    }
}

#[test]
fn weights_move_the_choice_or_are_refused() {
    let dir = people::dir(300, "k-anonymity = 10", "");
    let level = |column: &str, weights: &[&str]| {
        let mut args = vec!["anonymize", "job.toml", "--force", "--json"];
        weights.iter().for_each(|weight| args.extend(["--set", weight]));
        let json = dir.expect(0, &args).json();
        dir.expect(0, &["verify", "release", "--quiet"]);
        json["levels"][column].as_u64().unwrap()
    };
    for column in ["age", "zip", "sex"] {
        let heavy = format!("columns.{column}.weight=50");
        assert!(level(column, &[&heavy]) <= level(column, &[]), "{column}");
    }
    assert_eq!(level("sex", &["columns.sex.weight=1000"]), 0);
    assert_eq!(
        level("age", &["columns.age.weight=0", "columns.zip.weight=7"]),
        4,
        "what weighs nothing goes"
    );
    for metric in ["height", "precision", "non-uniform-entropy"] {
        level("age", &["columns.age.weight=2.5", &format!("search.minimize={metric}")]);
    }
    for metric in ["discernibility", "average-class-size", "ambiguity", "kullback-leibler"] {
        let set = format!("search.minimize={metric}");
        let args = ["anonymize", "job.toml", "--force", "--set", &set, "--set", "columns.age.weight=2"];
        dir.expect(2, &args).says("weight");
    }
    for weight in ["-1", "inf", "nan"] {
        let set = format!("columns.age.weight={weight}");
        dir.expect(2, &["anonymize", "job.toml", "--force", "--set", &set]).says("`columns.age.weight`");
    }
    let zero = ["age", "zip", "sex"].map(|column| format!("columns.{column}.weight=0"));
    let args = ["anonymize", "job.toml", "--force", "--set", &zero[0], "--set", &zero[1], "--set", &zero[2]];
    dir.expect(2, &args).says("weight");
    dir.expect(2, &["anonymize", "job.toml", "--force", "--set", "columns.note.weight=1"]).says("quasi");
}

#[test]
fn minimal_nodes_are_listed_when_asked_for() {
    let dir = people::dir(300, "k-anonymity = 5", "minimal-nodes = true");
    dir.expect(0, &["anonymize", "job.toml"]);
    let manifest = dir.json("release/manifest.json");
    let nodes = manifest["search"]["minimal_nodes"].as_array().unwrap();
    assert!(!nodes.is_empty() && nodes.iter().all(|node| node.as_array().unwrap().len() == 3), "{nodes:?}");
    let levels: Vec<Vec<u64>> = nodes
        .iter()
        .map(|node| node.as_array().unwrap().iter().map(|l| l.as_u64().unwrap()).collect())
        .collect();
    for (i, a) in levels.iter().enumerate() {
        let below = |b: &Vec<u64>| b.iter().zip(a).all(|(b, a)| b <= a);
        assert!(!levels.iter().enumerate().any(|(j, b)| i != j && below(b)), "{levels:?}");
    }
    dir.expect(0, &["verify", "release"]);
    dir.expect(0, &["anonymize", "job.toml", "--force", "--set", "search.minimal-nodes=false"]);
    assert!(dir.json("release/manifest.json")["search"].get("minimal_nodes").is_none());
}

#[test]
fn a_table_that_is_suppressed_entirely_is_no_release() {
    let dir = people::dir(20, "k-anonymity = 20", "suppress-at-most = 1");
    // With hierarchies that never meet, nothing can be published.
    let job = dir.text("job.toml").replace("hierarchy = { mask = \"right\" }", "hierarchy = \"zip.csv\"");
    let mut zips: Vec<String> = dir
        .text("people.csv")
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(2).unwrap().to_owned())
        .collect();
    zips.sort();
    zips.dedup();
    dir.write("zip.csv", zips.join("\n")).write("job.toml", job);
    dir.expect(1, &["anonymize", "job.toml", "--json"])
        .says("it would have no records")
        .says("All 20 records of the table would be suppressed");
    assert!(!dir.names(".").iter().any(|name| name.starts_with("release")));
}
