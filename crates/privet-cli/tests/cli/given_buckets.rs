//! Buckets that a column of the input gives (survey ME-13), and what Anatomy says of its own.

use crate::dir::{CANARY, Dir};

/// Records of six wards, ten in each; in the last one everybody has the same disease unless it is mixed.
fn table(is_mixed: bool) -> String {
    let row = |i: usize| {
        let disease = match i % 6 == 5 && !is_mixed {
            true => "flu",
            false => ["flu", "ulcer", "asthma"][(i / 6 + i) % 3],
        };
        format!("{CANARY}-{},{},{disease},{}\n", i % 6, 20 + i % 41, ["low", "high"][i / 6 % 2])
    };
    "ward,age,disease,income\n".to_owned() + &(0..60).map(row).collect::<String>()
}

fn dir(is_mixed: bool, privacy: &str, anatomy: &str) -> Dir {
    let dir = Dir::new();
    dir.write("t.csv", table(is_mixed)).write(
        "job.toml",
        format!(
            "[input]\npath = \"t.csv\"\n[columns.age]\nrole = \"quasi\"\n[columns.disease]\nrole = \"sensitive\"\n[privacy]\n\
             {privacy}\n[search]\nalgorithm = \"anatomy\"\n[search.anatomy]\n{anatomy}\n"
        ),
    );
    dir
}

const WARD: &str = "buckets-from = \"ward\"";

#[test]
fn a_column_gives_the_buckets() {
    let dir = dir(true, "l-diversity = 2", WARD);
    let run = |folder: &str, more: &[&str]| {
        dir.expect(0, &[&["anonymize", "job.toml", "--output", folder], more].concat())
    };
    run("release", &[])
        .prints("Buckets are those of ward, which is not published: 6 were given, 6 are left.");
    dir.expect(0, &["verify", "release"]).prints("given by a column that is not published: 6 buckets");
    // Who shares a ward shares a bucket; the ward itself is nowhere.
    let data = dir.text("release/data.csv");
    let buckets: Vec<&str> = data.lines().skip(1).map(|line| line.rsplit(',').next().unwrap()).collect();
    assert!(data.starts_with("age,bucket\n"), "{data}");
    assert!(buckets.iter().enumerate().all(|(i, own)| *own == (i % 6 + 1).to_string()), "{buckets:?}");
    assert!(dir.text("release/sensitive.csv").starts_with("bucket,disease,count\n"));
    for (name, bytes) in dir.files("release") {
        assert!(!String::from_utf8_lossy(&bytes).contains(CANARY), "{name} tells a ward");
    }
    let manifest = dir.json("release/manifest.json");
    assert_eq!(
        manifest["search"]["anatomy"],
        serde_json::json!({ "buckets_from": "ward", "given_buckets": 6 })
    );
    assert_eq!(manifest["data"]["removed_columns"], serde_json::json!(["ward", "income"]));
    assert_eq!((&manifest["randomness"], &manifest["classes"]["count"]), (&"none".into(), &6.into()));
    let page = dir.text("release/report.html");
    assert!(page.contains("Who shares a bucket") && page.contains("it gave 6 buckets."));
    // The same with the column declared, on one thread: nothing is drawn.
    let json = run("again", &["--json", "--threads", "1", "--set", "columns.ward.role=identifier"]).json();
    assert_eq!(json["anatomy"], manifest["search"]["anatomy"]);
    assert_eq!(dir.text("again/data.csv"), data);
    dir.expect(0, &["measure", "job.toml", "release"]);
    dir.expect(0, &["attack", "release", "--original", "t.csv", "--job", "job.toml"]);
    // A part of every ward.
    run("part", &["--set", "sampling={ fraction = 0.9, seed = 4 }"]);
    dir.expect(0, &["verify", "part"]);
}

#[test]
fn buckets_that_fail_are_refused_or_merged() {
    let dir = dir(false, "l-diversity = 2", WARD);
    let refused = dir.expect(1, &["anonymize", "job.toml"]).says("1 of the 6 buckets").says("10 records");
    assert!(refused.err.contains("merge = true") && !refused.err.contains("flu"), "{}", refused.err);
    dir.expect(0, &["anonymize", "job.toml", "--set", "search.anatomy.merge=true"])
        .prints("6 were given, 5 are left");
    dir.expect(0, &["verify", "release"]).prints("6 buckets, of which 5 are left");
    let manifest = dir.json("release/manifest.json");
    assert_eq!(manifest["search"]["anatomy"]["given_buckets"], 6);
    assert_eq!(manifest["classes"]["count"], 5);
    assert!(dir.text("release/report.html").contains("were merged with others, 5 are left"));
    // More than the table itself keeps.
    let set = "privacy={ l-diversity = { kind = \"entropy\", l = 2.99 } }";
    for merge in ["true", "false"] {
        let merge = format!("search.anatomy.merge={merge}");
        dir.expect(1, &["anonymize", "job.toml", "--force", "--set", set, "--set", &merge])
            .says("and so would one bucket of all records");
    }
    // A sensitive column without a promise must not be told either: in some wards all incomes are alike.
    let column = [
        "--set",
        "columns.income.role=sensitive",
        "--set",
        "privacy.l-diversity={ l = 2, column = \"disease\" }",
    ];
    dir.write("t.csv", table(true).replace("-3,23,asthma,low", "-3,23,asthma,high"));
    dir.expect(0, &[&["anonymize", "job.toml", "--force"], &column[..]].concat());
    dir.expect(0, &["verify", "release"]);
    dir.write(
        "t.csv",
        table(true)
            .lines()
            .map(|line| {
                let is_third = line.starts_with(&format!("{CANARY}-3"));
                format!("{}\n", if is_third { line.replace(",low", ",high") } else { line.to_owned() })
            })
            .collect::<String>(),
    );
    dir.expect(1, &[&["anonymize", "job.toml", "--force"], &column[..]].concat())
        .says("no promise is about")
        .says("1 of the 6 buckets");
}

#[test]
fn mistakes_are_told_by_their_key() {
    let dir = dir(true, "l-diversity = 2", WARD);
    for (setting, key, told) in [
        ("columns.ward.role=quasi", "search.anatomy.buckets-from", "role = \"identifier\""),
        ("columns.ward.role=insensitive", "search.anatomy.buckets-from", "not be published"),
        ("search.anatomy.buckets-from=age", "search.anatomy.buckets-from", "whose role is \"quasi\""),
        ("search.anatomy.buckets-from=wards", "search.anatomy.buckets-from", "did you mean ward?"),
        ("search.anatomy.l=2", "search.anatomy.l", "buckets-from"),
        ("search.anatomy.seed=2", "search.anatomy.seed", "buckets-from"),
        ("search.anatomy={ merge = true }", "search.anatomy.merge", "buckets-from"),
        ("search.anatomy.buckets-from=3", "buckets-from", "string"),
        ("privacy={ k-anonymity = 2 }", "privacy.k-anonymity", "buckets"),
    ] {
        dir.expect(2, &["anonymize", "job.toml", "--set", setting]).says(key).says(told);
    }
    dir.write("t.csv", table(true).replacen(&format!("{CANARY}-3"), "", 2));
    dir.expect(2, &["anonymize", "job.toml"]).says("buckets-from").says("2 records");
    dir.write("t.csv", table(true).replacen("ward", "bucket", 1));
    dir.expect(2, &["anonymize", "job.toml", "--set", "search.anatomy.buckets-from=bucket"])
        .says("rename it in the input");
}

/// The l that promises need is told wherever a release speaks of itself.
#[test]
fn the_derived_l_is_told() {
    for (privacy, l) in [
        ("l-diversity = 3", 3),
        ("l-diversity = { kind = \"entropy\", l = 2 }", 2),
        ("t-closeness = { kind = \"equal\", t = 0.9 }", 2),
    ] {
        let dir = dir(true, privacy, "seed = 3");
        let json = dir.expect(0, &["anonymize", "job.toml", "--json"]).json();
        let told = json["anatomy"]["l"].as_u64().unwrap();
        assert!(told >= l, "{privacy}: {json}");
        let manifest = dir.json("release/manifest.json");
        assert_eq!(manifest["search"]["anatomy"], serde_json::json!({ "l": told }));
        assert!(manifest["search"]["guarantee"].as_str().unwrap().contains(&format!("1/{told} of a bucket")));
        assert!(dir.text("release/report.html").contains(&format!("{told}: no value of")));
        dir.expect(0, &["verify", "release"]).prints(&format!("in more than 1/{told} of a bucket"));
    }
}

/// Nothing smaller than 2 is advised, for nothing smaller is accepted.
#[test]
fn advice_about_l_can_be_followed() {
    let dir = dir(true, "t-closeness = { kind = \"equal\", t = 0.9 }", "l = 2");
    dir.write("t.csv", "ward,age,disease,income\n1,20,flu,low\n");
    let refused = dir.expect(1, &["anonymize", "job.toml"]).says("a table of one record");
    assert!(!refused.err.contains("smaller l"), "{}", refused.err);
    dir.expect(1, &["anonymize", "job.toml", "--set", "search.anatomy={ seed = 1 }"])
        .says("a table of one record");
    dir.write(
        "t.csv",
        "ward,age,disease,income\n".to_owned() + &"1,20,flu,low\n".repeat(3) + "1,20,ulcer,low\n",
    );
    dir.expect(1, &["anonymize", "job.toml"]).says("no l is possible").says("t-closeness");
    dir.write("t.csv", table(true));
    dir.expect(1, &["anonymize", "job.toml", "--set", "search.anatomy.l=4"]).says("so l may be at most 3");
}
