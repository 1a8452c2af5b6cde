//! `privet measure`: a release beside its original.

use serde_json::Value;

use crate::attack::PATIENTS;
use crate::dir::{CANARY, Dir};

fn demo() -> Dir {
    let dir = Dir::new();
    dir.expect(0, &["demo", "--folder", "d", "--rows", "1500", "--quiet"]);
    dir
}

fn figure(figures: &Value, key: &str) -> f64 {
    let all = figures.as_array().unwrap();
    let own = all.iter().find(|own| own["key"] == key).unwrap_or_else(|| panic!("no {key}: {figures:#}"));
    own["value"].as_f64().unwrap()
}

/// What is measured from the files is what the manifest says.
#[test]
fn figures_agree_with_the_manifest() {
    let dir = demo();
    for (algorithm, folder) in [
        ("optimal", "a"),
        ("mondrian", "b"),
        ("local-recoding", "c"),
        ("microaggregation", "e"),
        ("anatomy", "f"),
    ] {
        let set = format!("search.algorithm={algorithm}");
        let mut args = vec!["anonymize", "d/job.toml", "--quiet", "--output", folder, "--set", &set];
        if algorithm == "anatomy" {
            args.extend([
                "--set",
                "privacy={ l-diversity = { kind = \"distinct\", l = 3, column = \"diagnosis\" } }",
            ]);
        }
        dir.expect(0, &args);
        let measured = dir.expect(0, &["measure", "d/job.toml", folder, "--queries", "20", "--json"]).json();
        let manifest = dir.json(&format!("{folder}/manifest.json"));
        let figures = &measured["utility"]["figures"];
        if algorithm != "microaggregation" && algorithm != "anatomy" {
            let (own, told) = (figure(figures, "loss"), manifest["metrics"]["loss"].as_f64().unwrap());
            assert!((own - told).abs() < 1e-9, "{algorithm}: {own} is not {told}");
        }
        // Buckets show identifying columns as they are: who shares one need not look alike.
        if algorithm != "anatomy" {
            let own = figure(figures, "average-class-size");
            let told =
                manifest["data"]["rows"].as_f64().unwrap() / manifest["classes"]["count"].as_f64().unwrap();
            assert!((own - told).abs() < 1e-9, "{algorithm}: {own} is not {told}");
            let highest = figure(&measured["risk"]["figures"], "prosecutor-highest");
            let told = 1.0 / manifest["classes"]["min"].as_f64().unwrap();
            assert!((highest - told).abs() < 1e-9, "{algorithm}: {highest} is not {told}");
        } else {
            assert_eq!(figure(&measured["risk"]["figures"], "prosecutor-highest"), 1.0);
        }
        assert!(!measured.to_string().contains("null"), "{algorithm}: {measured}");
    }
}

#[test]
fn classifiers_learn_and_records_have_risks() {
    let dir = demo();
    let args = [
        "measure",
        "d/admissions.csv",
        "d/release",
        "--job",
        "d/job.toml",
        "--class",
        "diagnosis",
        "--risk-file",
        "risk.csv",
        "--report",
        "owner.html",
        "--population",
        "d/admissions.csv",
        "--json",
    ];
    let measured = dir.expect(0, &args).json();
    let learners = measured["utility"]["learners"].as_array().unwrap();
    assert_eq!(learners.len(), 3);
    for own in learners {
        let [raw, released] = ["raw", "released"].map(|key| own[key]["rate"].as_f64().unwrap());
        assert!((0.0..=1.0).contains(&raw) && (0.0..=1.0).contains(&released), "{own}");
    }
    // The population is the data itself: a journalist is a prosecutor.
    let figures = &measured["risk"]["figures"];
    assert!(figure(figures, "journalist-highest") <= figure(figures, "prosecutor-highest") + 1e-12);
    assert_eq!(dir.text("risk.csv").lines().count(), 1501);
    assert!(dir.text("owner.html").contains("<svg"));
    assert!(!dir.text("owner.html").contains("Stroke"), "a value of the data stands on the page");
}

/// A release that changes nothing loses nothing.
#[test]
fn nothing_is_lost_where_nothing_changes() {
    let dir = Dir::new();
    dir.write("patients.csv", PATIENTS);
    dir.write(
        "job.toml",
        "[input]\npath = \"patients.csv\"\n[columns.name]\nrole = \"identifier\"\n[columns.age]\nrole = \"quasi\"\n\
         [columns.condition]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 1\n",
    );
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let measured = dir.expect(0, &["measure", "patients.csv", "release", "--json"]).json();
    let figures = &measured["utility"]["figures"];
    for key in
        ["loss", "kl", "total-variation", "hellinger", "conditional-entropy", "mean-variation", "cramer-v"]
    {
        assert!(figure(figures, key).abs() < 1e-9, "{key}");
    }
    assert_eq!(measured["utility"]["queries"]["mean_relative_error"].as_f64(), Some(0.0));
    assert_eq!(figure(&measured["risk"]["figures"], "spruill"), 1.0);
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let dir = Dir::new();
    dir.write("patients.csv", PATIENTS).write("other.csv", format!("name,age,condition\n{CANARY},1,x\n"));
    dir.write("columns.csv", "a,b\n1,2\n");
    dir.write(
        "job.toml",
        "[input]\npath = \"patients.csv\"\n[columns.age]\nrole = \"quasi\"\n[columns.condition]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 1\n",
    );
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    dir.expect(2, &["measure", "other.csv", "release"]).says("is not the original");
    dir.expect(2, &["measure", "columns.csv", "release"]).says("has no column age");
    dir.expect(2, &["measure", "nowhere.csv", "release"]).says("nowhere.csv");
    dir.expect(2, &["measure", "patients.csv", "nowhere"]).says("manifest.json");
    for class in ["age", "name", "nothing"] {
        dir.expect(2, &["measure", "patients.csv", "release", "--class", class]);
    }
    dir.expect(2, &["measure", "patients.csv", "release", "--risk-file", "release/risk.csv"])
        .says("elsewhere");
}
