//! Figures that two verbs tell, and what they mean.

use crate::dir::Dir;

fn people() -> String {
    let mut text = "age,zip,disease\n".to_owned();
    for i in 0..48usize {
        text += &format!("{},{},{}\n", 20 + i * 7 % 30, 10 + i * 5 % 6, ["flu", "cancer", "asthma"][i % 3]);
    }
    text
}

const JOB: &str = "[input]\npath = \"t.csv\"\n[columns.age]\nrole = \"quasi\"\nhierarchy = { intervals = [10, 30] }\n\
                   [columns.zip]\nrole = \"quasi\"\n[columns.disease]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 4\n\
                   [adversary]\nmax-risk = 1.0\n";

/// Where groups reach over the same values, the sum over groups is not the divergence: it was 0.0487 beside 0.0000073.
#[test]
fn the_divergence_is_not_told_of_groups_that_overlap() {
    let dir = Dir::new();
    dir.write("t.csv", people()).write("job.toml", JOB);
    for (algorithm, is_told) in [
        ("optimal", true),
        ("datafly", true),
        ("mondrian", false),
        ("local-recoding", false),
        ("cell-suppression", false),
    ] {
        let set = format!("search.algorithm=\"{algorithm}\"");
        dir.expect(0, &["anonymize", "job.toml", "--force", "--quiet", "--set", &set]);
        dir.expect(0, &["verify", "release", "--quiet"]);
        let metrics = &dir.json("release/manifest.json")["metrics"];
        assert_eq!(metrics.get("kullback-leibler").is_some(), is_told, "{algorithm}: {metrics}");
        let measured = dir.expect(0, &["measure", "job.toml", "release", "--json"]).json();
        let figures = measured["utility"]["figures"].as_array().unwrap();
        assert!(figures.iter().any(|own| own["key"] == "kl-observed"), "{algorithm}");
    }
}

/// A search counts the values of hierarchies, `measure` those that occur: two figures have two names.
#[test]
fn one_name_means_one_figure() {
    let dir = Dir::new();
    dir.write("t.csv", people()).write("job.toml", JOB);
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let metrics = dir.json("release/manifest.json")["metrics"].clone();
    let measured = dir.expect(0, &["measure", "job.toml", "release", "--json"]).json();
    for figure in measured["utility"]["figures"].as_array().unwrap() {
        let key = figure["key"].as_str().unwrap();
        let Some(own) = metrics.get(key).and_then(serde_json::Value::as_f64) else { continue };
        let told = figure["value"].as_f64().unwrap();
        assert!((own - told).abs() < 1e-9, "{key}: {own} and {told}");
    }
}

/// Incognito forms classes for subsets of the columns as well: the number was cut off at the size of the lattice.
#[test]
fn incognito_tells_how_often_it_looked() {
    let dir = Dir::new();
    let mut text = "a,b,c,d\n".to_owned();
    (0..40usize).for_each(|i| text += &format!("{},{},{},{}\n", i % 2, i / 2 % 2, i / 4 % 2, i / 8 % 2));
    dir.write("t.csv", text);
    let columns = ["a", "b", "c", "d"].map(|name| format!("[columns.{name}]\nrole = \"quasi\"\n")).concat();
    dir.write(
        "job.toml",
        format!(
            "[input]\npath = \"t.csv\"\n{columns}[privacy]\nk-anonymity = 6\n[search]\nalgorithm = \"incognito\"\n[adversary]\nmax-risk = 1.0\n"
        ),
    );
    let run = dir.expect(0, &["anonymize", "job.toml"]);
    let search = dir.json("release/manifest.json")["search"].clone();
    let (looked, nodes) =
        (search["nodes_checked"].as_u64().unwrap(), search["lattice_nodes"].as_u64().unwrap());
    assert!(looked > nodes, "{search}");
    run.prints(&format!("{looked}")).prints("those of fewer columns and second looks included");
    assert!(dir.text("release/report.html").contains("with those of fewer columns"));
    dir.expect(0, &["verify", "release", "--quiet"]);
}
