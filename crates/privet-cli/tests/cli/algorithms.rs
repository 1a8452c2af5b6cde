//! `algorithm` from the outside: every word, parameters out of range, purposes and requesters.

use crate::dir::Dir;
use crate::people::{self, table_of};

const ALGORITHMS: [&str; 14] = [
    "optimal",
    "samarati",
    "incognito",
    "hash-table",
    "datafly",
    "top-down",
    "bottom-up",
    "genetic",
    "simulated-annealing",
    "top-down-specialization",
    "bottom-up-generalization",
    "k-optimize",
    "attribute-suppression",
    "cell-suppression",
];

#[test]
fn every_algorithm_makes_a_release_that_verifies() {
    let dir = people::dir(300, "k-anonymity = 3", "suppress-at-most = 0.05\nclass = \"disease\"");
    let mut losses = Vec::new();
    for algorithm in ALGORITHMS {
        let set = format!("search.algorithm={algorithm}");
        let mut args = vec!["anonymize", "job.toml", "--force", "--json", "--set", &set];
        if algorithm == "k-optimize" {
            args.extend([
                "--set",
                "search.minimize=discernibility",
                "--set",
                "search.k-optimize.node-limit=200",
            ]);
        }
        let json = dir.expect(0, &args).json();
        dir.expect(0, &["verify", "release", "--quiet"]);
        let manifest = dir.json("release/manifest.json");
        assert_eq!(manifest["search"]["algorithm"], algorithm);
        assert!(manifest["search"]["guarantee"].as_str().unwrap().len() > 20);
        losses.push((algorithm, json["loss"].as_f64().unwrap()));
        // The summary for a person, too.
        let text = dir.expect(0, &[&args[..3], &args[4..]].concat()).out;
        assert!(text.contains("Published") && text.contains("Levels: "), "{algorithm}: {text}");
    }
    let optimum = losses[0].1;
    for (algorithm, loss) in &losses[..9] {
        assert!(*loss >= optimum - 1e-9, "{algorithm} is below the optimum: {losses:?}");
    }
}

#[test]
fn the_same_seed_gives_the_same_release() {
    let dir = people::dir(200, "k-anonymity = 4", "");
    for algorithm in ["genetic", "simulated-annealing"] {
        let seeded = |folder: &str, threads: &str| {
            let set = [format!("search.algorithm={algorithm}"), format!("search.{algorithm}.seed=7")];
            let args = ["anonymize", "job.toml", "--output", folder, "--threads", threads, "--set", &set[0]];
            dir.expect(0, &[&args[..], &["--set", &set[1], "--force"]].concat());
            dir.files(folder)
        };
        assert_eq!(seeded("a", "1"), seeded("b", "2"), "{algorithm}");
        let manifest = dir.json("a/manifest.json");
        assert!(manifest["randomness"].as_str().unwrap().contains("seed 7"), "{manifest}");
    }
}

#[test]
fn a_parameter_out_of_range_is_refused_by_its_key() {
    let dir = people::dir(60, "k-anonymity = 3", "");
    let cases = [
        ("simulated-annealing", "temperature", "-1"),
        ("simulated-annealing", "temperature", "nan"),
        ("simulated-annealing", "temperature", "0"),
        ("simulated-annealing", "cooling", "1"),
        ("simulated-annealing", "cooling", "-0.5"),
        ("simulated-annealing", "steps", "0"),
        ("genetic", "population", "1"),
        ("genetic", "generations", "0"),
        ("genetic", "mutation", "1.5"),
        ("genetic", "mutation", "nan"),
        ("genetic", "crossover", "-0.1"),
        ("genetic", "elite", "64"),
        ("top-down", "time-limit", "0"),
        ("top-down", "time-limit", "inf"),
        ("top-down", "node-limit", "0"),
        ("bottom-up", "time-limit", "-3"),
        ("bottom-up", "node-limit", "0"),
        ("k-optimize", "time-limit", "nan"),
        ("k-optimize", "node-limit", "0"),
        ("top-down-specialization", "max-steps", "0"),
    ];
    for (algorithm, key, value) in cases {
        let set = [
            format!("search.algorithm={algorithm}"),
            format!("search.{algorithm}.{key}={value}"),
            "search.minimize=discernibility".to_owned(),
        ];
        let args = ["anonymize", "job.toml", "--set", &set[0], "--set", &set[1], "--set", &set[2]];
        dir.expect(2, &args).says(&format!("search.{algorithm}.{key}"));
        // Before the table is read: what is wrong with the job is known without it.
        let without = Dir::new();
        without.write("job.toml", dir.text("job.toml"));
        without.expect(2, &args).says(&format!("search.{algorithm}.{key}"));
    }
    for (algorithm, setting, fragment) in [
        ("genetic", "search.genetic.unknown=1", "unknown field"),
        ("genetic", "search.genetic.population=many", "population"),
        ("genetic", "search.genetic.seed=-1", "seed"),
        ("optimal", "search.genetic.seed=1", "algorithm = \"genetic\""),
        ("incognito", "search.minimal-nodes=true", "search.minimal-nodes"),
        ("cell-suppression", "search.cell-suppression.method=guess", "meyerson-williams"),
        ("k-optimize", "search.minimize=loss", "discernibility or classification"),
        ("nowhere", "search.minimize=loss", "samarati"),
        ("samarati", "search.suppress-at-most=0.1", ""),
    ] {
        let set = format!("search.algorithm={algorithm}");
        let code = if fragment.is_empty() { 0 } else { 2 };
        dir.expect(code, &["anonymize", "job.toml", "--force", "--set", &set, "--set", setting])
            .says(fragment);
    }
}

#[test]
fn a_criterion_that_a_search_cannot_enforce_is_refused_by_name() {
    let dir = people::dir(100, "t-closeness = { kind = \"equal\", t = 0.3, column = \"disease\" }", "");
    let run = |algorithm: &str, limit: &str| {
        let set = [format!("search.algorithm={algorithm}"), format!("search.suppress-at-most={limit}")];
        dir.privet(&["anonymize", "job.toml", "--force", "--set", &set[0], "--set", &set[1]])
    };
    for algorithm in ["samarati", "incognito"] {
        run(algorithm, "0").expect(0);
        run(algorithm, "0.1").expect(2).says("t-closeness").says("suppress-at-most = 0");
    }
    run("hash-table", "0").expect(2).says("t-closeness").says("optimal");
    run("cell-suppression", "0").expect(2).says("t-closeness");
}

const PURPOSES: &str = r#"
[purposes.research]
order = ["age", "zip", "sex"]
[purposes.planning]
priorities = { zip = 0.6, age = 0.3, sex = 0.1 }
weights = { utility = 1 }
[requesters.university]
trust = 0.9
[requesters.press]
trust = 0.1
projection = "linear"
"#;

fn with_purposes() -> Dir {
    let dir = people::dir(400, "k-anonymity = 2", "");
    let job = dir.text("job.toml") + "\n[purpose]\nfile = \"purposes.toml\"\n";
    dir.write("purposes.toml", PURPOSES).write("job.toml", job);
    dir
}

#[test]
fn two_requesters_get_different_releases() {
    let dir = with_purposes();
    for requester in ["university", "press"] {
        dir.expect(0, &["anonymize", "job.toml", "--purpose", "research", "--trust", requester]);
        dir.expect(0, &["verify", &format!("release-research@{requester}")]);
    }
    let manifest = |folder: &str| dir.json(&format!("{folder}/manifest.json"));
    let (trusted, other) = (manifest("release-research@university"), manifest("release-research@press"));
    assert_eq!(trusted["search"]["algorithm"], "decomposition");
    assert_eq!(trusted["search"]["purpose"]["requester"], "university");
    assert!((trusted["search"]["purpose"]["degree"].as_f64().unwrap() - 0.01).abs() < 1e-9, "{trusted}");
    assert!((other["search"]["purpose"]["degree"].as_f64().unwrap() - 0.9).abs() < 1e-9, "{other}");
    let loss = |manifest: &serde_json::Value| manifest["metrics"]["loss"].as_f64().unwrap();
    assert!(loss(&trusted) < loss(&other));
    let report = dir.text("release-research@press/report.html");
    assert!(report.contains("privet anonymize job.toml --purpose research --trust press"), "{report}");
    // A number does as well, and a purpose with given priorities.
    dir.expect(0, &["anonymize", "job.toml", "--purpose", "planning", "--trust", "0.5", "--output", "half"]);
    dir.expect(0, &["verify", "half"]);
    // The job file alone still makes the ordinary release.
    dir.expect(0, &["anonymize", "job.toml"]);
}

#[test]
fn mistakes_about_purposes_name_their_key() {
    let dir = with_purposes();
    let ask = |purpose: &str, trust: &str| {
        dir.privet(&["anonymize", "job.toml", "--purpose", purpose, "--trust", trust, "--output", "none"])
            .expect(2)
    };
    ask("marketing", "press").says("research");
    ask("research", "nobody").says("university");
    ask("research", "1.5").says("0 to 1");
    ask("research", "nan").says("0 to 1");
    dir.expect(2, &["anonymize", "job.toml", "--purpose", "research"]).says("--trust");
    for (what, by, fragment) in [
        ("zip = 0.6", "zip = 1.6", "purposes.planning.priorities"),
        ("zip = 0.6", "zip = -0.6", "purposes.planning.priorities"),
        ("zip = 0.6", "town = 0.6", "purposes.planning.priorities"),
        ("\"sex\"]", "\"sex\", \"age\"]", "purposes.research.order"),
        ("\"sex\"]", "\"gender\"]", "purposes.research.order"),
        ("utility = 1", "utility = 0.5", "purposes.planning.weights"),
        ("trust = 0.9", "trust = 9", "requesters.university.trust"),
        ("\"linear\"", "\"steep\"", "projection"),
        ("[requesters.press]", "[requester.press]", "requester"),
    ] {
        dir.write("purposes.toml", PURPOSES.replacen(what, by, 1));
        let purpose = if fragment.contains("planning") { "planning" } else { "research" };
        ask(purpose, if fragment.contains("projection") { "press" } else { "university" }).says(fragment);
    }
    dir.write("purposes.toml", PURPOSES);
    let unsafe_alone = [
        "anonymize",
        "job.toml",
        "--purpose",
        "research",
        "--trust",
        "1",
        "--set",
        "purpose.until-safe=false",
    ];
    dir.expect(1, &unsafe_alone).says("purpose.until-safe");
    assert_eq!(dir.names(".").iter().filter(|name| name.starts_with("release")).count(), 0);
    dir.expect(2, &["anonymize", "job.toml", "--set", "purpose.name=research"]).says("decomposition");
    dir.expect(2, &["anonymize", "job.toml", "--set", "search.algorithm=decomposition"]).says("purpose.name");
}

#[test]
fn ranges_say_nothing_of_suppressed_records() {
    let mut rows = "30,m\n30,f\n".repeat(5);
    rows.push_str("40,m\n41,m\n42,m\n43,m\n44,m\n98713,f\n");
    let search = "algorithm = \"k-optimize\"\nminimize = \"discernibility\"\nsuppress-at-most = 0.1";
    let dir = table_of(&rows, "k-anonymity = 5", search, "");
    let json = dir.expect(0, &["anonymize", "job.toml", "--json"]).json();
    assert_eq!(json["suppressed"], 1);
    for file in ["data.csv", "manifest.json", "report.html", "report.json"] {
        assert!(
            !dir.text(&format!("release/{file}")).contains("98713"),
            "{file} tells the age of who is suppressed"
        );
    }
    assert!(dir.text("release/data.csv").contains("[40 to 44],m"));
    dir.expect(0, &["verify", "release"]);
}

#[test]
fn several_missing_markers_are_one_value_to_cell_suppression() {
    let dir = table_of(
        ",p\nNA,p\nx,q\nx,q\n",
        "k-anonymity = 2",
        "algorithm = \"cell-suppression\"\n[search.cell-suppression]\nmethod = \"exact\"",
        "missing = [\"\", \"NA\"]",
    );
    dir.expect(0, &["anonymize", "job.toml"]);
    dir.expect(0, &["verify", "release"]);
    let manifest = dir.json("release/manifest.json");
    assert_eq!(manifest["metrics"]["suppressed-cells"], 0.0, "{manifest}");
    assert_eq!(manifest["search"]["minimize"], "suppressed-cells");
    assert!(manifest["search"]["guarantee"].as_str().unwrap().contains("no such release replaces fewer"));
}

/// survey FX-4.1 through the whole program: 6 cells for k = 3, and the count is checked by verify.
#[test]
fn suppressed_cells_are_counted_and_checked() {
    let rows = "94085,M\n14085,M\n14085,F\n94085,F\n14085,F\n14085,F\n14085,F\n14085,F\n";
    for method in ["exact", "aggarwal", "meyerson-williams"] {
        let search =
            format!("algorithm = \"cell-suppression\"\n[search.cell-suppression]\nmethod = \"{method}\"");
        let dir = table_of(rows, "k-anonymity = 3", &search, "");
        dir.expect(0, &["anonymize", "job.toml"]);
        dir.expect(0, &["verify", "release"]);
        let manifest = dir.json("release/manifest.json");
        assert_eq!(manifest["metrics"]["suppressed-cells"], 6.0, "{method}");
        assert!(manifest["search"]["bound"].as_f64().unwrap() <= 6.0);
        assert_eq!(dir.text("release/data.csv").matches('*').count(), 6);
    }
}

#[test]
fn statements_fit_the_parameters() {
    let dir = people::dir(200, "k-anonymity = 2", "class = \"disease\"");
    let manifest = |sets: &[&str]| {
        let mut args = vec!["anonymize", "job.toml", "--force"];
        sets.iter().for_each(|set| args.extend(["--set", set]));
        dir.expect(0, &args);
        dir.expect(0, &["verify", "release", "--quiet"]);
        dir.json("release/manifest.json")
    };
    let limited =
        manifest(&["search.algorithm=top-down-specialization", "search.top-down-specialization.max-steps=1"]);
    assert!(limited["search"]["guarantee"].as_str().unwrap().contains("limited"), "{limited}");
    let timed = manifest(&["search.algorithm=top-down", "search.top-down.time-limit=5"]);
    assert!(timed["randomness"].as_str().unwrap().contains("machine"), "{timed}");
    assert!(!dir.text("release/report.html").contains("byte for byte"));
    for metric in ["height", "precision"] {
        let set = format!("search.minimize={metric}");
        let args = [
            "anonymize",
            "job.toml",
            "--force",
            "--set",
            "search.algorithm=attribute-suppression",
            "--set",
            &set,
        ];
        dir.expect(2, &args).says("attribute-suppression");
    }
    let suppressed = manifest(&["search.algorithm=attribute-suppression"]);
    assert!(!suppressed["search"]["minimal_nodes"].as_array().unwrap().is_empty(), "{suppressed}");
}

#[test]
fn columns_that_need_no_coarsening_keep_their_values() {
    for algorithm in ["optimal", "top-down", "bottom-up", "genetic", "simulated-annealing"] {
        let dir =
            table_of(&"x,y\n".repeat(6), "k-anonymity = 2", &format!("algorithm = \"{algorithm}\""), "");
        let json = dir.expect(0, &["anonymize", "job.toml", "--json"]).json();
        assert_eq!(json["levels"]["a"], 0, "{algorithm}: {json}");
        assert_eq!(json["levels"]["b"], 0, "{algorithm}: {json}");
        assert!(json["kullback-leibler"].as_f64().unwrap() >= 0.0, "{algorithm}: {json}");
    }
}

#[test]
fn requesters_never_share_a_folder_and_ordinary_jobs_can_be_asked_for() {
    let dir = with_purposes();
    dir.write(
        "purposes.toml",
        format!("{PURPOSES}\n[requesters.\"u v\"]\ntrust = 0.5\n[requesters.\"u-v\"]\ntrust = 0.4\n"),
    );
    dir.expect(2, &["anonymize", "job.toml", "--purpose", "research", "--trust", "press"])
        .says("share a release folder");
    dir.write("purposes.toml", PURPOSES);
    let job = dir.text("job.toml").replace("[search]", "[search]\nminimal-nodes = true")
        + "[search.genetic]\nseed = 1\n";
    dir.write("job.toml", job);
    dir.expect(0, &["anonymize", "job.toml", "--purpose", "research", "--trust", "press"]);
}
