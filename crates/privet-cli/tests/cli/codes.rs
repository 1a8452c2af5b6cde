//! Codes made of digits, which have ranges and no means, and SSE/SST, which is about numbers alone.

use crate::dir::Dir;

/// Ages and postal codes, with a hierarchy file of masked codes.
fn dir(search: &str) -> Dir {
    let code = |i: usize| 47_000 + 100 * (i * 7 % 4) + i * 13 % 10;
    let dir = Dir::new();
    let rows: String = (0..120).map(|i| format!("{},{}\n", 20 + i * 37 % 60, code(i))).collect();
    dir.write("t.csv", "age,zip\n".to_owned() + &rows);
    let mut codes: Vec<usize> = (0..120).map(code).collect();
    codes.sort_unstable();
    codes.dedup();
    let lines = codes.iter().map(|code| format!("{code},{}*,{}**,*\n", code / 10, code / 100));
    dir.write("zip.csv", lines.collect::<String>());
    dir.write(
        "job.toml",
        format!(
            "[input]\npath = \"t.csv\"\n[columns.age]\nrole = \"quasi\"\n[columns.zip]\nrole = \"quasi\"\n\
             hierarchy = \"zip.csv\"\n[privacy]\nk-anonymity = 4\n[search]\n{search}\n"
        ),
    );
    dir
}

#[test]
fn a_file_of_masked_labels_makes_codes() {
    let shown = |search: &str| {
        let dir = dir(search);
        dir.expect(0, &["anonymize", "job.toml"]);
        dir.expect(0, &["verify", "release"]);
        let manifest = dir.json("release/manifest.json");
        let kind = manifest["data"]["columns"][1]["recoding"]["nodes"]["kind"].as_str().unwrap().to_owned();
        let data = dir.text("release/data.csv");
        let labels: Vec<String> =
            data.lines().skip(1).map(|line| line.split_once(',').unwrap().1.to_owned()).collect();
        let original = dir.text("t.csv");
        let is_one = |label: &String| original.lines().any(|line| line.ends_with(&format!(",{label}")));
        (kind, labels.iter().all(is_one), labels)
    };
    for publish in ["means", "medians", "modes"] {
        let (kind, are_codes, _) =
            shown(&format!("algorithm = \"microaggregation\"\npublish = \"{publish}\""));
        assert_eq!((kind.as_str(), are_codes), ("modes", true), "{publish}");
    }
    // Near each other are codes that are the same, and what they have in common is a label of their hierarchy.
    let (kind, _, labels) = shown("algorithm = \"microaggregation\"\npublish = \"ranges\"");
    assert_eq!(kind, "group-nodes");
    assert!(labels.iter().all(|label| !label.contains(" to ")), "{labels:?}");
    // Their order is one that can be cut.
    let (kind, _, labels) = shown("algorithm = \"mondrian\"\npublish = \"ranges\"");
    assert!(kind == "group-ranges" && labels.iter().any(|label| label.contains(" to ")), "{labels:?}");
}

/// `sse-sst` is one number, whoever works it out and by whatever distances groups were formed.
#[test]
fn sse_sst_is_what_measure_finds() {
    for more in [
        "",
        "[search.microaggregation]\nscale = \"range\"",
        "[search.microaggregation]\ncategories = \"hierarchy\"",
        "publish = \"ranges\"",
    ] {
        let dir = dir(&format!("algorithm = \"microaggregation\"\n{more}"));
        for weight in ["1", "5"] {
            let set = format!("columns.zip.weight={weight}");
            let job = dir.text("job.toml");
            let weighted = job.replace("[columns.zip]\n", &format!("[columns.zip]\nweight = {weight}\n"));
            dir.write("weighted.toml", weighted);
            let json = dir.expect(0, &["anonymize", "job.toml", "--force", "--json", "--set", &set]).json();
            dir.expect(0, &["verify", "release"]);
            let metric = dir.json("release/manifest.json")["metrics"]["sse-sst"].as_f64().unwrap();
            assert_eq!(json["sse-sst"].as_f64(), Some(metric));
            let measured = dir.expect(0, &["measure", "weighted.toml", "release", "--json"]).json();
            let figures = measured["utility"]["figures"].as_array().unwrap();
            let found = figures.iter().find(|figure| figure["key"] == "sse-sst").unwrap();
            assert!((found["value"].as_f64().unwrap() - metric).abs() < 1e-9, "{more}: {found} {metric}");
        }
    }
    // Without a column of numbers there is none.
    let dir = dir("algorithm = \"microaggregation\"");
    dir.expect(0, &["anonymize", "job.toml", "--set", "columns.age.role=identifier"]);
    dir.expect(0, &["verify", "release"]);
    let manifest = dir.json("release/manifest.json");
    assert!(manifest["metrics"].get("sse-sst").is_none());
    assert!(manifest["search"]["microaggregation"]["sst"].as_f64().unwrap() > 0.0);
}

#[test]
fn categories_that_nobody_has_are_refused() {
    let dir = dir("algorithm = \"microaggregation\"");
    let args = ["anonymize", "job.toml", "--force", "--set", "search.microaggregation.categories=equal"];
    dir.expect(0, &args);
    let numbers = [&args[..], &["--set", "columns.zip={ role = \"identifier\" }"]].concat();
    dir.expect(2, &numbers).says("search.microaggregation.categories").says("leave it out");
}
