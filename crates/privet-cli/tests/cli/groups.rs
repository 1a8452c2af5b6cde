//! Algorithms that form groups, from the outside: what they publish, buckets, samples, mistakes.

use crate::dir::Dir;
use crate::people::{self, table_of};

const ALGORITHMS: [(&str, &str); 12] = [
    ("mondrian", "ranges"),
    ("mondrian", "nodes"),
    ("mondrian", "means"),
    ("mondrian", "medians"),
    ("top-down-local", "nodes"),
    ("local-recoding", "nodes"),
    ("local-recoding", "ranges"),
    ("clustering", "nodes"),
    ("clustering", "modes"),
    ("microaggregation", "means"),
    ("microaggregation", "medians"),
    ("microaggregation", "ranges"),
];

#[test]
fn every_way_to_form_and_show_groups_verifies() {
    let privacy = "k-anonymity = 3\nl-diversity = { l = 2, column = \"disease\" }";
    let dir = people::dir(300, privacy, "");
    let levels = dir.expect(0, &["anonymize", "job.toml", "--force", "--json"]).json();
    for (algorithm, publish) in ALGORITHMS {
        let set = [format!("search.algorithm={algorithm}"), format!("search.publish={publish}")];
        let args = ["anonymize", "job.toml", "--force", "--set", &set[0], "--set", &set[1]];
        let json = dir.expect(0, &[&args[..], &["--json"]].concat()).json();
        dir.expect(0, &["verify", "release", "--quiet"]);
        let manifest = dir.json("release/manifest.json");
        assert_eq!(manifest["search"]["algorithm"], algorithm);
        assert_eq!(json["suppressed"], 0, "{algorithm}");
        if publish == "nodes" {
            let (own, optimum) = (json["loss"].as_f64().unwrap(), levels["loss"].as_f64().unwrap());
            assert!(own < optimum, "{algorithm} loses {own}, the best levels {optimum}");
        }
        let files = dir.files("release");
        dir.expect(0, &[&args[..], &["--threads", "1"]].concat());
        assert_eq!(files, dir.files("release"), "{algorithm} depends on the number of threads");
    }
}

#[test]
fn the_report_draws_the_boxes_without_a_record() {
    let rows: String = (0..60).map(|i| format!("{},{}\n", 20 + i * 7 % 41, 1000 + i * 13 % 97)).collect();
    let dir = table_of(&rows, "k-anonymity = 4", "algorithm = \"mondrian\"", "");
    dir.expect(0, &["anonymize", "job.toml"]);
    let (page, data) = (dir.text("release/report.html"), dir.text("release/data.csv"));
    assert!(page.contains("class=\"boxes\"") && page.contains("class=\"box\""));
    assert_eq!(page.matches("class=\"dot\"").count(), 60);
    assert!(data.contains(" to "), "{data}");
    dir.expect(0, &["verify", "release"]);
}

#[test]
fn anatomy_publishes_two_tables() {
    let dir = people::dir(200, "l-diversity = { l = 2, column = \"disease\" }", "algorithm = \"anatomy\"");
    // A second sensitive column would have to be diverse in the same buckets.
    let alone = ["--set", "columns.income.role=identifier"];
    let run = |folder: &str, more: &[&str]| {
        dir.expect(0, &[&["anonymize", "job.toml", "--output", folder], &alone[..], more].concat());
        dir.expect(0, &["verify", folder]);
        dir.files(folder)
    };
    let seeded = ["--set", "search.anatomy.seed=5"];
    assert_eq!(run("a", &seeded), run("b", &seeded));
    assert_ne!(run("c", &[]), run("d", &[]), "two draws from the operating system are the same");
    let manifest = dir.json("c/manifest.json");
    assert_eq!(manifest["kind"], "bucketized");
    assert!(manifest["randomness"].as_str().unwrap().contains("operating system"));
    assert!(!dir.text("a/manifest.json").contains("\"5\""), "the seed is published");
    let (data, sensitive) = (dir.text("a/data.csv"), dir.text("a/sensitive.csv"));
    assert!(data.lines().next().unwrap().ends_with("bucket") && !data.contains("disease"));
    assert!(sensitive.starts_with("bucket,disease,count\n"), "{}", &sensitive[..40]);
}

/// Promises that compare buckets with the table: buckets are merged until they hold, also where no value is rare enough for
/// buckets of different values.
#[test]
fn anatomy_merges_buckets_until_they_are_close() {
    let dir = Dir::new();
    let value = |i: usize| ["common", "common", "common", "rare", "middle"][i * 7 % 5];
    let rows: String = (0..200).map(|i| format!("{i},{}\n", value(i))).collect();
    dir.write("t.csv", format!("a,s\n{rows}"));
    let write = |privacy: &str| {
        dir.write(
            "job.toml",
            format!(
                "[input]\npath = \"t.csv\"\n[columns.a]\nrole = \"quasi\"\n[columns.s]\nrole = \"sensitive\"\n[privacy]\n\
                 {privacy}\n[search]\nalgorithm = \"anatomy\"\n[search.anatomy]\nseed = 5\n"
            ),
        );
    };
    for (privacy, least) in [
        ("t-closeness = { kind = \"equal\", t = 0.2 }", 20),
        ("beta-likeness = { beta = 0.5 }", 20),
        ("t-closeness = { kind = \"equal\", t = 0.0001 }", 40),
    ] {
        write(privacy);
        let json = dir.expect(0, &["anonymize", "job.toml", "--force", "--json"]).json();
        assert!(json["classes"].as_u64().unwrap() >= least, "{privacy}: {json}");
        dir.expect(0, &["verify", "release"]);
    }
    // An l of its own is kept besides, or refused: 120 of 200 records share a value.
    let args = ["anonymize", "job.toml", "--force", "--set", "search.anatomy.l=2"];
    dir.expect(1, &args).says("120").says("at most 100");
    write("l-diversity = 2");
    dir.expect(1, &["anonymize", "job.toml", "--force"]).says("120");
}

/// Microaggregation says what its groups were formed by and how much of the spread they hide, wherever a release speaks of
/// itself (thesis 2.11 to 2.14), and `measure` finds the same from the original.
#[test]
fn microaggregation_tells_sse_and_key_attributes() {
    let row = |i: u32| {
        let age = 20 + i * 37 % 60;
        format!("{age},{},{},{},{}\n", age * 2, 1000 + i * 7919 % 5000, i * 31 % 100, i * 13 % 7)
    };
    let dir = Dir::new();
    dir.write("t.csv", "age,twice,income,score,visits\n".to_owned() + &(0..240).map(row).collect::<String>());
    let columns: String = ["age", "twice", "income", "score", "visits"]
        .map(|name| format!("[columns.{name}]\nrole = \"quasi\"\n"))
        .concat();
    dir.write(
        "job.toml",
        format!("[input]\npath = \"t.csv\"\n{columns}[privacy]\nk-anonymity = 5\n[search]\nalgorithm = \"microaggregation\"\n"),
    );
    let run = |method: &str| {
        let set = format!("search.microaggregation.method={method}");
        let args = ["anonymize", "job.toml", "--force", "--set", &set];
        dir.expect(0, &args).prints("SSE/SST");
        let json = dir.expect(0, &[&args[..], &["--json"]].concat()).json();
        dir.expect(0, &["verify", "release"]);
        let manifest = dir.json("release/manifest.json");
        let told = manifest["search"]["microaggregation"].clone();
        assert_eq!(json["microaggregation"], told);
        assert_eq!(told["method"], method);
        let number = |value: &serde_json::Value| value.as_f64().unwrap();
        let ratio = number(&told["sse"]) / number(&told["sst"]);
        assert!(
            (number(&manifest["metrics"]["sse-sst"]) - ratio).abs() < 1e-12 && ratio > 0.0 && ratio < 1.0
        );
        assert_eq!(json["sse-sst"], manifest["metrics"]["sse-sst"]);
        // Columns of numbers without gaps: what `measure` finds is the same.
        let measured = dir.expect(0, &["measure", "job.toml", "release", "--json"]).json();
        let figures = measured["utility"]["figures"].as_array().unwrap();
        let found = figures.iter().find(|figure| figure["key"] == "sse-sst").unwrap();
        assert!((number(&found["value"]) - ratio).abs() < 1e-9, "{found} is not {ratio}");
        let page = dir.text("release/report.html");
        assert!(page.contains("Groups are formed by") && page.contains("SSE of SST"));
        assert_eq!(page.contains("Dependency tree"), method == "ama");
        told
    };
    let all = serde_json::json!(["age", "twice", "income", "score", "visits"]);
    for method in ["mdav", "v-mdav"] {
        let told = run(method);
        assert_eq!(told["key_columns"], all);
        assert!(told.get("dependency_tree").is_none());
    }
    let told = run("ama");
    let links = told["dependency_tree"].as_array().unwrap();
    assert_eq!(links.len(), 4);
    // Each of the two tells the other: nothing is between them.
    assert_eq!(links[0]["columns"], serde_json::json!(["age", "twice"]));
    assert!(links[0]["variation_of_information"].as_f64().unwrap().abs() < 1e-9);
    let keys = told["key_columns"].as_array().unwrap().len();
    assert!((2..=3).contains(&keys), "{told}");
    // Buckets show the records as they are: nothing of the spread is lost.
    let sensitive = ["--set", "columns.visits.role=sensitive", "--set", "privacy={ l-diversity = 2 }"];
    dir.expect(
        0,
        &[&["anonymize", "job.toml", "--force", "--set", "search.publish=buckets"], &sensitive[..]].concat(),
    );
    assert!(dir.json("release/manifest.json")["metrics"].get("sse-sst").is_none());
}

#[test]
fn a_changed_table_of_sensitive_values_is_caught() {
    let dir = people::dir(120, "l-diversity = { l = 2, column = \"disease\" }", "algorithm = \"anatomy\"");
    dir.expect(0, &["anonymize", "job.toml", "--set", "columns.income.role=identifier"]);
    let text = dir.text("release/sensitive.csv");
    let mut lines: Vec<&str> = text.lines().collect();
    lines.swap(1, 4);
    let swapped = lines.join("\n") + "\n";
    let dropped = text.lines().take(8).collect::<Vec<_>>().join("\n") + "\n";
    let doubled = text.replacen(",1\n", ",2\n", 1);
    let renamed = text.replacen("bucket,", "group,", 1);
    for changed in [swapped, dropped, doubled, renamed, String::new()] {
        dir.write("release/sensitive.csv", changed);
        let told = dir.expect(1, &["verify", "release"]).out;
        assert!(told.contains("FAIL  file sensitive.csv"), "{told}");
    }
}

#[test]
fn buckets_promise_nothing_about_look_alikes() {
    for privacy in [
        "k-anonymity = 3",
        "alpha-k = { alpha = 0.5, k = 2, column = \"disease\" }",
        "p-sensitivity = { p = 2, k = 2, column = \"disease\" }",
    ] {
        let dir = people::dir(100, privacy, "algorithm = \"anatomy\"");
        dir.expect(2, &["anonymize", "job.toml"]).says("buckets").says(privacy.split(' ').next().unwrap());
        dir.expect(
            2,
            &[
                "anonymize",
                "job.toml",
                "--set",
                "search.algorithm=mondrian",
                "--set",
                "search.publish=buckets",
            ],
        )
        .says("buckets");
    }
    // One value in most records: no buckets of different values exist, and no value is told.
    let dir = Dir::new();
    let rows: String =
        (0..40).map(|i| format!("{i},{}\n", if i % 5 == 0 { "rare" } else { "Frequentitis" })).collect();
    dir.write("t.csv", format!("a,s\n{rows}"));
    dir.write(
        "job.toml",
        "[input]\npath = \"t.csv\"\n[columns.a]\nrole = \"quasi\"\n[columns.s]\nrole = \"sensitive\"\n[privacy]\n\
         l-diversity = 2\n[search]\nalgorithm = \"anatomy\"\n",
    );
    let refused = dir.expect(1, &["anonymize", "job.toml"]).says("32").says("20");
    assert!(!refused.err.contains("Frequentitis"), "{}", refused.err);
}

#[test]
fn seeds_that_protect_are_nowhere_in_the_release() {
    let dir = people::dir(120, "l-diversity = { l = 2, column = \"disease\" }", "algorithm = \"anatomy\"");
    let settings = [
        "columns.income.role=identifier",
        "search.anatomy.seed=7654321",
        "sampling={ fraction = 0.9, seed = 1234567 }",
    ];
    let mut args = vec!["anonymize", "job.toml"];
    settings.iter().for_each(|setting| args.extend(["--set", setting]));
    dir.expect(0, &args);
    for file in ["manifest.json", "report.html", "report.json", "data.csv", "sensitive.csv"] {
        let text = dir.text(&format!("release/{file}"));
        assert!(!text.contains("7654321") && !text.contains("1234567"), "{file} tells a seed");
    }
    assert!(dir.text("release/report.html").contains("search.anatomy.seed=…"));
}

#[test]
fn an_input_with_a_column_of_buckets_is_refused() {
    let dir = Dir::new();
    dir.write("t.csv", "bucket,a,s\n1,1,x\n2,2,y\n3,3,x\n4,4,y\n");
    dir.write(
        "job.toml",
        "[input]\npath = \"t.csv\"\n[columns.a]\nrole = \"quasi\"\n[columns.s]\nrole = \"sensitive\"\n[privacy]\n\
         l-diversity = 2\n[search]\nalgorithm = \"anatomy\"\n",
    );
    dir.expect(2, &["anonymize", "job.toml"]).says("search.publish");
}

#[test]
fn what_stands_for_a_group_is_no_single_known_value() {
    let rows = "?,1\n?,1\n?,1\n?,1\n777777,1\n5,9\n6,9\n7,9\n8,9\n9,9\n";
    for publish in ["means", "medians", "modes", "ranges"] {
        let search = format!("algorithm = \"microaggregation\"\npublish = \"{publish}\"");
        let dir = table_of(rows, "k-anonymity = 5", &search, "missing = [\"?\"]");
        dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
        dir.expect(0, &["verify", "release", "--quiet"]);
        assert!(!dir.text("release/data.csv").contains("777777"), "{publish}");
    }
}

#[test]
fn a_sample_is_drawn_first() {
    let dir = people::dir(400, "k-anonymity = 2", "algorithm = \"mondrian\"");
    let run = |folder: &str, settings: &[&str]| {
        let mut args = vec!["anonymize", "job.toml", "--json", "--output", folder];
        settings.iter().for_each(|setting| args.extend(["--set", setting]));
        let json = dir.expect(0, &args).json();
        dir.expect(0, &["verify", folder]);
        json
    };
    assert_eq!(run("a", &["sampling.fraction=0.25", "sampling.seed=9"])["rows"], 100);
    run("b", &["sampling.fraction=0.25", "sampling.seed=9"]);
    assert_eq!(dir.files("a"), dir.files("b"));
    run("c", &["sampling.fraction=0.25"]);
    run("d", &["sampling.fraction=0.25"]);
    assert_ne!(dir.text("c/data.csv"), dir.text("d/data.csv"));
    let manifest = dir.json("c/manifest.json");
    assert_eq!(
        (&manifest["data"]["sample"]["from_rows"], &manifest["data"]["input_rows"]),
        (&400.into(), &100.into())
    );
    assert!(dir.text("c/report.html").contains("random sample"));
    for fraction in ["0", "-1", "1.5", "nan"] {
        let set = format!("sampling.fraction={fraction}");
        dir.expect(2, &["anonymize", "job.toml", "--set", &set]).says("sampling.fraction");
    }
}

#[test]
fn a_mistake_is_told_by_its_key_before_the_table_is_read() {
    let dir = Dir::new();
    dir.write(
        "job.toml",
        "[input]\npath = \"none.csv\"\n[columns.a]\nrole = \"quasi\"\n[columns.s]\nrole = \"sensitive\"\n[privacy]\n\
         k-anonymity = 2\n",
    );
    for (algorithm, setting, fragment) in [
        ("optimal", "search.publish=nodes", "search.publish"),
        ("optimal", "search.mondrian.mode=strict", "algorithm = \"mondrian\""),
        ("clustering", "privacy.three-d={ c = 0.5 }", "privacy.three-d"),
        ("mondrian", "privacy.c-k-safety={ c = 0.5, k = 1 }", "bucket-independent"),
        ("samarati", "privacy.c-k-safety={ c = 0.5, k = 1 }", "privacy.c-k-safety"),
        ("mondrian", "search.publish=everything", "medians"),
        ("mondrian", "search.mondrian.mode=loose", "relaxed"),
        ("mondrian", "search.mondrian.choose=variance", "search.mondrian.target"),
        ("mondrian", "search.mondrian.choose=queries", "search.mondrian.queries"),
        ("mondrian", "search.mondrian.target=a", "search.mondrian.target"),
        ("mondrian", "search.mondrian.queries=[{ a = [1] }]", "search.mondrian.queries"),
        ("mondrian", "search.mondrian.memory-limit=0", "search.mondrian.memory-limit"),
        ("mondrian", "search.mondrian={ one-sided = true, mode = \"relaxed\" }", "search.mondrian.one-sided"),
        ("mondrian", "search.minimal-nodes=true", "search.minimal-nodes"),
        ("anatomy", "search.publish=means", "search.publish"),
        ("microaggregation", "search.microaggregation.gamma=-1", "search.microaggregation.gamma"),
        ("microaggregation", "search.microaggregation.gamma=nan", "search.microaggregation.gamma"),
        ("microaggregation", "search.microaggregation.gamma=0.2", "goes with method = \"v-mdav\" only"),
        ("microaggregation", "search.microaggregation={ method = \"ama\", gamma = 1 }", "v-mdav"),
        (
            "microaggregation",
            "search.microaggregation={ method = \"univariate\", categories = \"order\" }",
            "search.microaggregation.categories",
        ),
        ("microaggregation", "search.microaggregation.method=guess", "univariate"),
        ("clustering", "search.clustering.k=3", "unknown field"),
        ("local-recoding", "search.local-recoding.start=nowhere", "full-domain"),
    ] {
        let set = format!("search.algorithm={algorithm}");
        dir.expect(2, &["anonymize", "job.toml", "--set", &set, "--set", setting]).says(fragment);
    }
    let job = dir.text("job.toml").replace("k-anonymity = 2", "l-diversity = 2");
    dir.write("job.toml", job.replace("columns.a]", "columns.bucket]"));
    let refused = dir.expect(2, &["anonymize", "job.toml", "--set", "search.algorithm=anatomy"]);
    refused.says("columns.bucket");
    dir.write("job.toml", job);
    dir.expect(
        2,
        &["anonymize", "job.toml", "--set", "search.algorithm=anatomy", "--set", "search.anatomy.l=1"],
    )
    .says("search.anatomy.l");
}

/// Constant columns, columns in which everything is missing, ties, one record, huge numbers: no panic, and a release that verifies.
#[test]
fn tables_at_the_edge() {
    let constant = "7,x\n".repeat(9);
    let missing = "?,?\n".repeat(9);
    let mixed = "1,?\n?,2\n3,4\n?,?\n5,6\n7,?\n".repeat(2);
    let huge = "1e300,1\n-1e300,2\n1e300,3\n0,4\n5e-324,5\n1e300,6\n".to_owned();
    for rows in [constant, missing, mixed, huge] {
        for (algorithm, publish) in ALGORITHMS {
            let search = format!("algorithm = \"{algorithm}\"\npublish = \"{publish}\"");
            let dir = table_of(&rows, "k-anonymity = 3", &search, "missing = [\"?\"]");
            dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
            dir.expect(0, &["verify", "release", "--quiet"]);
        }
    }
    for (algorithm, _) in ALGORITHMS {
        let search = format!("algorithm = \"{algorithm}\"");
        table_of("1,2\n", "k-anonymity = 1", &search, "").expect(0, &["anonymize", "job.toml", "--quiet"]);
        // Fewer records than k: told before any search.
        table_of("1,2\n3,4\n", "k-anonymity = 3", &search, "")
            .expect(2, &["anonymize", "job.toml"])
            .says("k = 3");
    }
    let univariate = "algorithm = \"microaggregation\"\n[search.microaggregation]\nmethod = \"univariate\"";
    table_of("1,2\n3,4\n", "k-anonymity = 2", univariate, "")
        .expect(2, &["anonymize", "job.toml"])
        .says("search.microaggregation.method");
}

#[test]
fn a_metric_that_groups_do_not_have_is_refused() {
    let dir = people::dir(100, "k-anonymity = 3", "algorithm = \"local-recoding\"");
    for metric in ["precision", "height", "non-uniform-entropy", "classification"] {
        let set = format!("search.minimize={metric}");
        dir.expect(2, &["anonymize", "job.toml", "--set", &set]).says("search.minimize");
    }
    let json =
        dir.expect(0, &["anonymize", "job.toml", "--set", "search.minimize=discernibility", "--json"]).json();
    assert!(json["discernibility"].as_f64().is_some_and(|value| value > 0.0));
}

#[test]
fn a_sensitive_column_may_not_be_called_as_the_counts_are() {
    let rows: String = (0..40).map(|i| format!("{},{}\n", 20 + i % 11, 1000 + i * 13 % 5)).collect();
    let dir = Dir::new();
    dir.write("t.csv", format!("age,count\n{rows}")).write(
        "job.toml",
        "[input]\npath = \"t.csv\"\n[columns.age]\nrole = \"quasi\"\n[columns.count]\nrole = \"sensitive\"\n\
         [privacy]\nl-diversity = { l = 2, column = \"count\" }\n[search]\nalgorithm = \"anatomy\"\n",
    );
    dir.expect(2, &["anonymize", "job.toml"]).says("columns.count");
}

#[test]
fn a_table_that_fails_as_a_whole_is_not_told_to_suppress_more() {
    let rows: String = (0..40).map(|i| format!("{},{}\n", 20 + i % 11, i % 3)).collect();
    let dir = table_of(
        &rows,
        "t-closeness = { kind = \"equal\", t = 0.1, column = \"b\" }\nk-anonymity = 41",
        "",
        "",
    );
    dir.write("t.csv", format!("a,b\n{rows}"));
    let set = ["--set", "columns.b.role=sensitive", "--set", "search.algorithm=mondrian"];
    // k above the number of records is refused before any search; too many different values are not.
    dir.expect(2, &[&["anonymize", "job.toml"], &set[..]].concat());
    let privacy = "l-diversity = { kind = \"entropy\", l = 3, column = \"b\" }";
    let rows: String = (0..40).map(|i| format!("{},{}\n", 20 + i % 11, [0, 0, 0, 0, 1, 2][i % 6])).collect();
    let dir = table_of(&rows, privacy, "", "");
    let run = dir.expect(1, &[&["anonymize", "job.toml"], &set[..]].concat()).says("no safe release exists");
    run.says("leave no record out");
}
