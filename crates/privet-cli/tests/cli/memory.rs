//! A limit on memory: the whole run keeps to it, whatever the number of records.

use std::fmt::Write;

use crate::dir::Dir;
use crate::people::Random;

/// A job whose groups do not become more with the records.
fn job(k: usize) -> String {
    format!(
        "[input]\npath = \"people.csv\"\n[columns.name]\nrole = \"identifier\"\n[columns.age]\nrole = \"quasi\"\n\
         [columns.zip]\nrole = \"quasi\"\nhierarchy = {{ mask = \"right\" }}\n[columns.income]\nrole = \"quasi\"\n\
         [columns.disease]\nrole = \"sensitive\"\n[columns.note]\nrole = \"insensitive\"\n[privacy]\nk-anonymity = {k}\n\
         l-diversity = {{ l = 3, column = \"disease\" }}\n[search]\nalgorithm = \"mondrian\"\npublish = \"ranges\"\n\
         [search.mondrian]\nmemory-limit = 20_000\n[output]\nfolder = \"release\"\nreplace = true\n"
    )
}

fn people(rows: usize) -> String {
    let mut random = Random(7);
    let mut text = String::from("name,age,zip,income,disease,note\n");
    for row in 0..rows {
        let (age, zip, income) = (random.below(90), 10_000 + random.below(900), random.below(400) * 50);
        let (disease, note) = (random.below(12), random.below(1_000));
        let age = if age == 0 { String::new() } else { age.to_string() };
        writeln!(text, "n{row},{age},{zip},{income},d{disease},note {note}").unwrap();
    }
    text
}

/// The most memory that a run takes, and its summary.
fn peak(dir: &Dir, rows: usize, settings: &[&str]) -> (u64, serde_json::Value) {
    dir.write("people.csv", people(rows)).write("job.toml", job(rows / 400));
    let mut args = vec!["anonymize", "job.toml", "--json", "--quiet"];
    settings.iter().for_each(|setting| args.extend(["--set", setting]));
    let summary = dir.expect(0, &args).json();
    assert_eq!(summary["rows"], rows);
    (summary["peak_rss_bytes"].as_u64().unwrap(), summary)
}

#[test]
fn memory_does_not_grow_with_the_records() {
    let dir = Dir::new();
    let (small, _) = peak(&dir, 100_000, &[]);
    let (large, summary) = peak(&dir, 400_000, &[]);
    println!("{small} bytes for 100,000 records, {large} for 400,000");
    dir.expect(0, &["verify", "release"]);
    assert!(summary["classes"].as_u64().unwrap() > 40, "{summary}");
    assert_eq!(dir.names("."), ["job.toml", "people.csv", "release"]);
    if small == 0 {
        return; // The system does not tell.
    }
    // Four times the records: a tenth more at most, and that of the noise of an allocator.
    assert!(large < small + small / 10 + (4 << 20), "{small} bytes became {large}");
}

#[test]
fn the_bytes_do_not_depend_on_the_threads_nor_on_the_words_of_the_limit() {
    let dir = Dir::new();
    let settings = ["search.mondrian.memory-limit=3000", "privacy.k-anonymity=20"];
    let mut releases = Vec::new();
    for threads in ["1", "3"] {
        dir.write("people.csv", people(20_000)).write("job.toml", job(20));
        let mut command = dir.command(&["anonymize", "job.toml", "--quiet"]);
        settings.iter().for_each(|setting| {
            command.args(["--set", setting]);
        });
        let output = command.env("RAYON_NUM_THREADS", threads).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        releases.push(dir.files("release"));
    }
    assert!(releases[0] == releases[1]);
    dir.expect(0, &["verify", "release"]);
    let (_, by_size) = peak(&dir, 20_000, &["search.mondrian.memory-limit=32MB"]);
    assert_eq!(by_size["rows"], 20_000);
    dir.expect(0, &["verify", "release"]);
}

#[test]
fn what_does_not_go_with_it_is_bad_usage() {
    let dir = Dir::new();
    dir.write("people.csv", people(50)).write("job.toml", job(5));
    for (setting, fragment) in [
        ("search.publish=medians", "search.publish"),
        ("search.publish=means", "search.publish"),
        ("search.mondrian.memory-limit=much", "256MB"),
        ("search.mondrian.memory-limit=5kB", "search.mondrian.memory-limit"),
        ("search.mondrian.memory-limit=1MB", "at least \"32MB\""),
        ("search.mondrian.mode=relaxed", "search.mondrian.memory-limit"),
        ("sampling.fraction=0.5", "sampling"),
    ] {
        dir.expect(2, &["anonymize", "job.toml", "--set", setting]).says(fragment);
    }
    assert_eq!(dir.names("."), ["job.toml", "people.csv"]);
}

/// A limit of 64 MB was exceeded by what 104,538 groups took.
#[test]
fn groups_that_the_limit_does_not_hold_are_refused() {
    let dir = Dir::new();
    dir.write("people.csv", people(40_000)).write("job.toml", job(2));
    let limited = ["anonymize", "job.toml", "--set", "search.mondrian.memory-limit=32MB"];
    dir.expect(4, &limited).says("groups").says("is enough");
    assert_eq!(dir.names("."), ["job.toml", "people.csv"]);
    dir.write("job.toml", job(200));
    dir.expect(0, &limited);
    // Ten records at a time would take 8,000 passes.
    dir.expect(4, &["anonymize", "job.toml", "--set", "search.mondrian.memory-limit=10"])
        .says("8002 times")
        .says("A limit of 81 records is enough");
}

/// The report of very many groups tells of the largest ones: all of them would take more memory than the table.
#[test]
fn the_report_of_many_groups_stays_small() {
    let dir = Dir::new();
    dir.write("people.csv", people(20_000)).write("job.toml", job(3));
    let summary = dir.expect(0, &["anonymize", "job.toml", "--json", "--quiet"]).json();
    assert!(summary["classes"].as_u64().unwrap() > 2_000, "{summary}");
    let report = dir.json("release/report.json");
    let boxes = &report["boxes"];
    assert_eq!(boxes["boxes"].as_array().map(Vec::len), Some(700));
    assert!(boxes["left_out"].as_u64().unwrap() > 0);
}
