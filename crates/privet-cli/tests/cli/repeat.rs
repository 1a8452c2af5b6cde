//! The same job gives the same bytes: run twice, on any number of threads, in every format.

use crate::people;

#[test]
fn every_file_of_a_release_is_the_same_on_any_number_of_threads() {
    let privacy = "k-anonymity = 4\nl-diversity = { kind = \"entropy\", l = 2, column = \"disease\" }\n\
                   t-closeness = { kind = \"ordered\", t = 0.4, column = \"income\" }";
    let dir = people::dir(1_500, privacy, "suppress-at-most = 0.05\nminimal-nodes = true");
    for format in ["csv", "parquet", "arrow"] {
        let set = format!("output.format={format}");
        let first = format!("first-{format}");
        dir.expect(0, &["anonymize", "job.toml", "--output", &first, "--set", &set]);
        dir.expect(0, &["verify", &first]);
        let expected = dir.files(&first);
        assert_eq!(expected.len(), 4);
        assert!(expected.contains_key(&format!("data.{format}")));
        for threads in ["1", "2", "3", "8"] {
            let again = format!("again-{format}-{threads}");
            dir.expect(
                0,
                &[
                    "anonymize",
                    "job.toml",
                    "--output",
                    &again,
                    "--set",
                    &set,
                    "--threads",
                    threads,
                    "--quiet",
                ],
            );
            // Compared name by name: a difference of whole files is no message for a person.
            for (name, bytes) in dir.files(&again) {
                assert!(bytes == expected[&name], "{format}: {name} differs with {threads} threads");
            }
        }
        dir.expect(0, &["anonymize", "job.toml", "--output", &first, "--set", &set, "--force", "--quiet"]);
        assert!(dir.files(&first) == expected, "{format}: replaced by itself");
    }
}

#[test]
fn the_demo_is_the_same_for_the_same_seed() {
    let dir = people::dir(1, "k-anonymity = 1", "");
    for folder in ["a", "b"] {
        dir.expect(0, &["demo", "--rows", "700", "--seed", "9", "--folder", folder, "--quiet"]);
    }
    assert!(dir.files("a/release") == dir.files("b/release"));
    assert!(dir.bytes("a/admissions.csv") == dir.bytes("b/admissions.csv"));
    dir.expect(0, &["demo", "--rows", "700", "--seed", "10", "--folder", "b", "--quiet"]);
    assert!(dir.bytes("a/admissions.csv") != dir.bytes("b/admissions.csv"));
}

/// A release of one format, anonymized again as it is, comes out with the same cells in every other.
#[test]
fn formats_hold_the_same_table() {
    let dir = people::dir(300, "k-anonymity = 3", "");
    dir.expect(0, &["anonymize", "job.toml", "--quiet", "--output", "csv"]);
    let keep = "[input]\npath = \"PATH\"\n[columns.sex]\nrole = \"quasi\"\n[columns.age]\nrole = \"insensitive\"\n\
                [columns.zip]\nrole = \"insensitive\"\n[columns.disease]\nrole = \"sensitive\"\n\
                [columns.income]\nrole = \"sensitive\"\n[columns.note]\nrole = \"insensitive\"\n\
                [privacy]\nk-anonymity = 1\n[output]\nformat = \"FORMAT\"\nfolder = \"FORMAT-again\"\n";
    let mut path = "csv/data.csv".to_owned();
    for format in ["parquet", "arrow", "csv"] {
        dir.write("again.toml", keep.replace("PATH", &path).replace("FORMAT", format));
        dir.expect(0, &["anonymize", "again.toml", "--quiet"]);
        dir.expect(0, &["verify", &format!("{format}-again"), "--quiet"]);
        path = format!("{format}-again/data.{format}");
    }
    assert_eq!(dir.text("csv-again/data.csv"), dir.text("csv/data.csv"));
}
