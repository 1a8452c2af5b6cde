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
                // These buckets fall to deFinetti's attack, which is another matter.
                "--set",
                "adversary.max-risk=1",
                "--set",
                "privacy={ l-diversity = { kind = \"distinct\", l = 3, column = \"diagnosis\" } }",
            ]);
        }
        dir.expect(0, &args);
        let measured = dir.expect(0, &["measure", "d/job.toml", folder, "--queries", "20", "--json"]).json();
        let manifest = dir.json(&format!("{folder}/manifest.json"));
        let figures = &measured["utility"]["figures"];
        if algorithm != "microaggregation" && algorithm != "anatomy" {
            let (own, told) =
                (figure(figures, "loss-observed"), manifest["metrics"]["loss"].as_f64().unwrap());
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

/// Against a population that is the data itself a journalist is a prosecutor, also where buckets show columns as they are. Of
/// Lambert's chances the average is over all people, of whom those left out are not told.
#[test]
fn journalists_of_buckets_and_lambert_of_everybody() {
    let dir = Dir::new();
    // Eight of 20, three of 30, one of 40.
    let age = |n: usize| [20, 30, 40][usize::from(n >= 8) + usize::from(n >= 11)];
    let people: String =
        (0..12).map(|n| format!("P{n},{},{}\n", age(n), ["a", "b", "c", "d"][n % 4])).collect();
    dir.write("people.csv", format!("name,age,condition\n{people}"));
    let job = |rest: &str| {
        format!(
            "[input]\npath = \"people.csv\"\n[columns.name]\nrole = \"identifier\"\n[columns.age]\nrole = \"quasi\"\n\
             [columns.condition]\nrole = \"sensitive\"\n[privacy]\n{rest}[output]\nfolder = \"release\"\n"
        )
    };
    let figures = || {
        let args = ["measure", "people.csv", "release", "--population", "people.csv", "--json"];
        dir.expect(0, &args).json()["risk"]["figures"].clone()
    };
    let buckets = "l-diversity = { kind = \"distinct\", l = 2 }\n[search]\nalgorithm = \"anatomy\"\n[adversary]\nmax-risk = 1\n";
    dir.write("job.toml", job(buckets));
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let own = figures();
    for (figure_of, expected) in [("highest", 1.0), ("average", 3.0 / 12.0), ("above", 4.0 / 12.0)] {
        for who in ["prosecutor", "journalist"] {
            let found = figure(&own, &format!("{who}-{figure_of}"));
            assert!((found - expected).abs() < 1e-12, "{who}-{figure_of}: {found}");
        }
    }
    dir.write("job.toml", job("k-anonymity = 3\n[search]\nsuppress-at-most = 0.2\n"));
    dir.expect(0, &["anonymize", "job.toml", "--quiet", "--force"]);
    let own = figures();
    // Two groups of eleven records; nobody is told of the twelfth.
    assert!((figure(&own, "prosecutor-average") - 2.0 / 11.0).abs() < 1e-12);
    assert!((figure(&own, "lambert-average") - 2.0 / 12.0).abs() < 1e-12);
    assert!((figure(&own, "lambert-threshold") - 3.0 / 12.0).abs() < 1e-12);
}

/// Buckets show identifying columns as they are, so what counts over them and the sensitive column are off by is what is lost:
/// nothing where everybody looks alike, much where the condition goes with the age.
#[test]
fn queries_of_buckets_ask_for_sensitive_values() {
    let dir = Dir::new();
    dir.write(
        "job.toml",
        "[input]\npath = \"people.csv\"\n[columns.age]\nrole = \"quasi\"\n[columns.condition]\nrole = \"sensitive\"\n[privacy]\n\
         l-diversity = { kind = \"distinct\", l = 3 }\n[search]\nalgorithm = \"anatomy\"\n[adversary]\nmax-risk = 1\n",
    );
    let error = |age: fn(usize) -> usize| {
        let people = (0..400).map(|n| format!("{},{}\n", age(n), ["a", "b", "c", "d"][n % 4]));
        dir.write("people.csv", format!("age,condition\n{}", people.collect::<String>()));
        dir.expect(0, &["anonymize", "job.toml", "--quiet", "--force"]);
        let measured = dir.expect(0, &["measure", "people.csv", "release", "--json"]).json();
        let own = &measured["utility"]["queries"];
        assert!(own["about"].to_string().contains("1 identifying column and of condition"), "{own}");
        assert!(!measured["utility"]["notes"].to_string().contains("SSE"), "{measured:#}");
        own["mean_relative_error"].as_f64().unwrap()
    };
    assert!(error(|_| 40) < 1e-9);
    assert!(error(|n| 20 + 10 * (n % 4)) > 0.2);
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
    for key in [
        "loss-observed",
        "kl-observed",
        "total-variation",
        "hellinger",
        "conditional-entropy",
        "mean-variation",
        "cramer-v",
    ] {
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

/// survey US-10: what is tested on never was part of the release.
#[test]
fn learners_are_tested_on_records_apart() {
    let dir = Dir::new();
    dir.expect(0, &["demo", "--folder", "d", "--rows", "1800", "--quiet"]);
    let all = dir.text("d/admissions.csv");
    let (header, records) = all.split_once('\n').unwrap();
    let lines: Vec<&str> = records.lines().collect();
    let (apart, train) = lines.split_at(600);
    dir.write("d/train.csv", format!("{header}\n{}\n", train.join("\n")));
    dir.write("d/apart.csv", format!("{header}\n{}\n", apart.join("\n")));
    dir.expect(
        0,
        &[
            "anonymize",
            "d/job.toml",
            "--quiet",
            "--output",
            "strict",
            "--set",
            "input.path=\"train.csv\"",
            // What is predicted is published as it is.
            "--set",
            "columns.cost={ role = \"insensitive\" }",
            "--set",
            "columns.length_of_stay={ role = \"insensitive\" }",
        ],
    );
    let args = |test: &'static str| {
        vec![
            "measure",
            "d/train.csv",
            "strict",
            "--job",
            "d/job.toml",
            "--class",
            "diagnosis",
            "--target",
            "cost",
            "--test",
            test,
            "--queries",
            "50",
            "--json",
        ]
    };
    let measured = dir.expect(0, &args("d/apart.csv")).json();
    let utility = &measured["utility"];
    let protocol = &utility["protocol"];
    assert_eq!(
        (&protocol["strict"], &protocol["tested"], &protocol["raw"]),
        (&true.into(), &600.into(), &1200.into())
    );
    assert!(protocol["also_in_original"].as_u64().unwrap() < 60, "{protocol}");
    assert_eq!(utility["learners"].as_array().unwrap().len(), 3);
    for own in utility["learners"].as_array().unwrap() {
        assert_eq!(own["raw"]["of"], 600, "{own}");
    }
    let own = &utility["regressions"][0];
    let [baseline, raw, released] = [&own["baseline"], &own["raw"]["error"], &own["released"]["error"]]
        .map(|value| value.as_f64().unwrap());
    assert!(baseline > 0.0 && raw > 0.0 && released > 0.0 && own["tested"].as_u64().unwrap() <= 600, "{own}");
    for fit in ["raw", "released"] {
        let error = own[fit]["error"].as_f64().unwrap();
        let told = own[fit]["determination"].as_f64().unwrap();
        assert!((1.0 - (error / baseline).powi(2) - told).abs() < 1e-9, "{own}");
    }
    for key in [
        "linear-validity",
        "linear-overlap",
        "regression-variance",
        "means-validity",
        "means-overlap",
        "useful",
    ] {
        assert!(figure(&utility["figures"], key) >= 0.0, "{key}");
    }
    assert!(!measured.to_string().contains("null"), "{measured}");
    // Records of the original are no test, and that is told.
    let measured = dir.expect(0, &args("d/train.csv")).json();
    assert_eq!(measured["utility"]["protocol"]["also_in_original"], 1200);
    // Without records apart it is said that the protocol is not strict.
    let args =
        ["measure", "d/train.csv", "strict", "--job", "d/job.toml", "--target", "cost", "--queries", "5"];
    dir.expect(0, &args)
        .prints("not the strict protocol")
        .prints("Every third record")
        .prints("linear regression of cost");
}

/// A release that changes nothing teaches what the original does.
#[test]
fn learning_from_an_unchanged_release_loses_nothing() {
    let dir = Dir::new();
    let mut table = String::from("age,dose,group\n");
    for i in 0..120 {
        let age = 20 + i % 40;
        table.push_str(&format!("{age},{},{}\n", 3 * age + i % 5, if age < 40 { "a" } else { "b" }));
    }
    dir.write("patients.csv", &table);
    dir.write(
        "job.toml",
        "[input]\npath = \"patients.csv\"\n[columns.age]\nrole = \"quasi\"\n[columns.dose]\nrole = \"sensitive\"\n\
         [columns.group]\nrole = \"insensitive\"\n[privacy]\nk-anonymity = 3\n",
    );
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let args = ["measure", "job.toml", "release", "--class", "group", "--target", "dose", "--json"];
    let utility = &dir.expect(0, &args).json()["utility"];
    let own = &utility["regressions"][0];
    assert_eq!(own["raw"], own["released"], "{own}");
    assert!(own["raw"]["determination"].as_f64().unwrap() > 0.99, "{own}");
    for learner in utility["learners"].as_array().unwrap() {
        assert_eq!(learner["raw"], learner["released"], "{learner}");
    }
    for key in
        ["linear-validity", "linear-overlap", "means-validity", "means-overlap", "reconstructible", "useful"]
    {
        let all = utility["figures"].as_array().unwrap();
        let found = all.iter().find(|own| own["key"] == key).map(|own| own["value"].as_f64().unwrap());
        assert!(found.is_none_or(|value| (value - 1.0).abs() < 1e-9), "{key}: {found:?}");
    }
    assert_eq!(figure(&utility["figures"], "imprecision"), 0.0);
}

#[test]
fn what_cannot_be_learned_is_refused() {
    let dir = Dir::new();
    dir.write("patients.csv", PATIENTS).write("apart.csv", "age\n4\n").write("empty.csv", "age,condition\n");
    dir.write(
        "job.toml",
        "[input]\npath = \"patients.csv\"\n[columns.age]\nrole = \"quasi\"\n[columns.condition]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 1\n",
    );
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let measure =
        |more: &[&str]| dir.expect(2, &[&["measure", "patients.csv", "release"][..], more].concat());
    measure(&["--target", "condition"]).says("holds no numbers");
    measure(&["--target", "age"]).says("identifying column");
    measure(&["--test", "apart.csv"]).says("--class or --target");
    measure(&["--class", "condition", "--test", "apart.csv"]).says("has no column condition");
    measure(&["--class", "condition", "--test", "nowhere.csv"]).says("nowhere.csv");
    measure(&["--class", "condition", "--test", "empty.csv"]);
}

/// Means of groups keep the mean of the column, also where nobody has such a number; who is found with a chance of exactly one
/// in five reaches Lambert's threshold (survey PM-03); what went with a coarsened column is lost with it.
#[test]
fn numbers_that_are_published_are_measured_as_they_are() {
    let dir = Dir::new();
    let line = |n: u32| format!("{},{},{}\n", [0, 10, 100, 110, 130][n as usize % 5] + n / 5, n * 50, n % 7);
    dir.write("t.csv", format!("a,income,s\n{}", (0..20).map(line).collect::<String>()));
    let job = |more: &str| {
        format!(
            "[input]\npath = \"t.csv\"\n[columns.a]\nrole = \"quasi\"\n[columns.income]\nrole = \"insensitive\"\n\
             [columns.s]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 5\n{more}"
        )
    };
    dir.write("job.toml", job("[search]\nalgorithm = \"microaggregation\"\n"));
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let measured = dir.expect(0, &["measure", "job.toml", "release", "--json"]).json();
    let utility = &measured["utility"]["figures"];
    assert!(figure(utility, "variation-of-means") < 1e-12, "{utility:#}");
    // Every group has five: nobody is above one in five, and everybody at it.
    let risk = &measured["risk"]["figures"];
    assert_eq!((figure(risk, "prosecutor-above"), figure(risk, "lambert-threshold")), (0.0, 1.0));
    assert!(figure(risk, "uncertainty-deviation") > 0.0);
    // With one group nothing is left of how income goes with a.
    dir.write(
        "one.toml",
        job("[output]\nfolder = \"one\"\n")
            .replace("= 5", "= 20")
            .replace("role = \"quasi\"\n", "role = \"quasi\"\nhierarchy = { intervals = [1000], min = 0 }\n"),
    );
    dir.expect(0, &["anonymize", "one.toml", "--quiet"]);
    let measured = dir.expect(0, &["measure", "one.toml", "one", "--json"]).json();
    let lost = figure(&measured["utility"]["figures"], "correlation-error");
    assert!(lost > 0.0, "{measured:#}");
}

/// What bars stand for is told of values: of 200 towns the 168 rarest have none, and 100 numbers make bars of four.
#[test]
fn columns_of_many_values_are_thinned_once() {
    let dir = Dir::new();
    // The first town has five records of 204, all others one.
    let row = |n: usize| format!("{},t{},{}\n", [20, 30][n % 2], n.saturating_sub(4), n % 100);
    let rows: String = (0..204).map(row).collect();
    dir.write("people.csv", format!("age,town,cost\n{rows}"));
    let columns = "columns = { age = { role = \"quasi\" }, town = { role = \"insensitive\" }, cost = { role = \"sensitive\" } }";
    dir.write(
        "job.toml",
        format!("{columns}\n[input]\npath = \"people.csv\"\n[privacy]\nk-anonymity = 2\n[output]\nfolder = \"release\"\n"),
    );
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let measured = dir.expect(0, &["measure", "job.toml", "release", "--report", "m.html", "--json"]).json();
    let columns = measured["utility"]["columns"].as_array().unwrap();
    let column = |name: &str| columns.iter().find(|own| own["name"] == name).unwrap();
    let town = column("town");
    assert_eq!((&town["rest"]["values"], &town["values_per_bar"]), (&168.into(), &1.into()), "{town:#}");
    assert!((town["before"][0].as_f64().unwrap() - 5.0 / 204.0).abs() < 1e-9, "{town:#}");
    assert!((town["rest"]["before"].as_f64().unwrap() - 168.0 / 204.0).abs() < 1e-9, "{town:#}");
    let cost = column("cost");
    assert_eq!((&cost["values_per_bar"], cost["before"].as_array().unwrap().len()), (&4.into(), 25));
    let page = dir.text("m.html");
    for note in
        ["Not drawn: the 168\u{a0}values rarest before, 82.4\u{a0}%", "joins up to 4 neighbouring values"]
    {
        assert!(page.contains(note), "{note}");
    }
}

/// What a search looked at is drawn where each has a level for every column, and otherwise it is said why not.
#[test]
fn candidates_are_told_of_every_search() {
    let dir = demo();
    let made = |algorithm: &str| {
        let set = format!("search.algorithm={algorithm}");
        let more =
            ["--set", "adversary.max-risk=1", "--home", algorithm, "--output", "o", "--force", "--quiet"];
        dir.expect(0, &[&["anonymize", "d/job.toml", "--set", &set], &more[..]].concat());
        let candidates = dir.json(&format!("{algorithm}/report.json"))["assessment"]["candidates"].clone();
        (candidates.as_array().unwrap().clone(), dir.text(&format!("{algorithm}/report.html")))
    };
    for algorithm in ["optimal", "datafly", "genetic", "simulated-annealing"] {
        let (candidates, page) = made(algorithm);
        assert!(candidates.len() > 2, "{algorithm}: {}", candidates.len());
        assert_eq!(candidates.iter().filter(|own| own["chosen"] == true).count(), 1, "{algorithm}");
        assert!(page.contains("curve-chart"), "{algorithm}");
    }
    for (algorithm, why) in
        [("top-down-specialization", "labels of mixed levels"), ("mondrian", "together in groups")]
    {
        let (candidates, page) = made(algorithm);
        assert!(candidates.is_empty() && page.contains(why) && !page.contains("output.home"), "{algorithm}");
    }
}

/// Of several columns to be predicted each is told as it is alone, and figures say of which they are.
#[test]
fn several_columns_are_each_learned_by_themselves() {
    let dir = Dir::new();
    let row = |n: usize| {
        let ([ill, ward], cost) =
            ([["flu", "cold"][n % 2], ["east", "west"][n / 3 % 2]], 10 * (n % 7) + n % 2);
        format!("{},{ill},{ward},{cost},{}\n", 20 + n % 40, n % 5)
    };
    let rows: String = (0..120).map(row).collect();
    dir.write("d/t.csv", format!("age,diagnosis,ward,cost,days\n{rows}"));
    let others =
        ["ward", "cost", "days"].map(|own| format!("[columns.{own}]\nrole = \"insensitive\"\n")).concat();
    dir.write(
        "d/job.toml",
        format!(
            "[input]\npath = \"t.csv\"\n[columns.age]\nrole = \"quasi\"\nhierarchy = {{ intervals = [10], min = 20 }}\n\
             [columns.diagnosis]\nrole = \"sensitive\"\n{others}[privacy]\nk-anonymity = 3\n[output]\nfolder = \"release\"\n"
        ),
    );
    dir.expect(0, &["anonymize", "d/job.toml", "--output", "d/release", "--quiet"]);
    let measured = |flags: &[&str]| {
        let args = [&["measure", "d/job.toml", "d/release", "--queries", "5", "--json"], flags].concat();
        dir.expect(0, &args).json()["utility"].clone()
    };
    let (a, b) = (measured(&["--class", "diagnosis"]), measured(&["--class", "ward"]));
    let (c, d) = (measured(&["--target", "cost"]), measured(&["--target", "days"]));
    let both = ["--class", "diagnosis", "--class", "ward", "--target", "cost", "--target"];
    let all = measured(&[&both[..], &["days"]].concat());
    for (key, parts) in [("learners", [&a, &b]), ("regressions", [&c, &d])] {
        let alone: Vec<Value> = parts.iter().flat_map(|own| own[key].as_array().unwrap().clone()).collect();
        assert_eq!(all[key], Value::from(alone), "{key}");
    }
    let named = |own: &Value, name: &str| {
        let figures = own["figures"].as_array().unwrap();
        figures.iter().find(|own| own["name"] == name).unwrap_or_else(|| panic!("no {name}"))["value"].clone()
    };
    for (own, column) in [(&a, "diagnosis"), (&b, "ward")] {
        let name = "Classification metric (CM)";
        assert_eq!(named(&all, &format!("{name} of {column}")), named(own, name));
    }
    for (own, column) in [(&c, "cost"), (&d, "days")] {
        let name = "Variance of the target within groups";
        assert_eq!(named(&all, &format!("{name} of {column}")), named(own, name));
    }
    let args = ["measure", "d/job.toml", "d/release", "--class", "diagnosis", "--class", "ward"];
    dir.expect(0, &[&args[..], &["--report", "o.html"]].concat())
        .prints("decision tree of diagnosis:")
        .prints("decision tree of ward:");
    let page = dir.text("o.html");
    // Two trees, and as many of each of the other two classifiers.
    assert_eq!(page.matches(" predicts ").count(), 6);
    for (flags, says) in [
        (["--class", "diagnosis", "--class", "diagnosis"], "--class names diagnosis twice"),
        (["--target", "cost", "--target", "cost"], "--target names cost twice"),
        (["--class", "diagnosis", "--class", "age"], "--class names age, which is an identifying column"),
        (["--target", "cost", "--target", "diagnosis"], "--target names diagnosis, which holds no numbers"),
    ] {
        dir.expect(2, &[&["measure", "d/job.toml", "d/release"], &flags[..]].concat()).says(says);
    }
}

/// The order of arguments is that of `attack`; the older one, with the original first, means the same.
#[test]
fn the_original_is_a_flag_or_comes_first() {
    let dir = crate::people::dir(200, "k-anonymity = 2", "");
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let flag = dir.expect(0, &["measure", "release", "--original", "job.toml", "--json"]).json();
    let first = dir.expect(0, &["measure", "job.toml", "release", "--json"]).json();
    assert_eq!(flag, first);
    dir.expect(2, &["measure", "release"]).says("--original");
    dir.expect(2, &["measure", "job.toml", "release", "--original", "people.csv"]).says("once");
    // A key that was set for the release is set here as well.
    let set = ["--set", "input.path=other.csv"];
    std::fs::rename(dir.path("people.csv"), dir.path("other.csv")).unwrap();
    dir.expect(2, &["measure", "release", "--original", "job.toml"]).says("people.csv");
    let moved =
        dir.expect(0, &[&["measure", "release", "--original", "job.toml", "--json"][..], &set].concat());
    assert_eq!(moved.json()["utility"], flag["utility"]);
    dir.expect(2, &[&["measure", "release", "--original", "other.csv"][..], &set].concat()).says("--set");
}
