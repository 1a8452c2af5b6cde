//! Bucketized releases that were rewritten consistently, with fresh hashes and a fresh seal: `verify` must still see
//! through them.

use std::io::Write as _;
use std::path::Path;

use privet_criteria::Requirement;
use privet_data::Silent;
use privet_job::{Job, RunOptions, run};
use privet_release::manifest::{Anatomy, Form, Sample};
use privet_release::{Draft, Manifest, VerifyOptions, verify};

const JOB: &str = "[input]\npath = \"t.csv\"\n[columns.age]\nrole = \"quasi\"\n[columns.disease]\nrole = \"sensitive\"\n\
                   [privacy]\nl-diversity = 2\n[search]\nalgorithm = \"anatomy\"\n[search.anatomy]\nseed = 1\n";

/// What a folder holds: the data, the sensitive table, the manifest.
struct Parts {
    data: String,
    sensitive: String,
    manifest: Manifest,
}

fn made(folder: &Path) -> Parts {
    let rows: String =
        (0..40).map(|i| format!("{},{}\n", 20 + i, ["flu", "ulcer", "asthma"][i % 3])).collect();
    std::fs::write(folder.join("t.csv"), format!("age,disease\n{rows}")).unwrap();
    let options = RunOptions { base: folder.to_owned(), ..RunOptions::default() };
    run(&Job::parse(JOB, &[]).unwrap(), &options, &Silent).unwrap();
    let text = |name: &str| std::fs::read_to_string(folder.join("release").join(name)).unwrap();
    Parts {
        data: text("data.csv"),
        sensitive: text("sensitive.csv"),
        manifest: Manifest::parse(text("manifest.json").as_bytes()).unwrap(),
    }
}

/// Writes the parts as a release of their own, hashes and seal included, and asks whether it holds.
fn holds(folder: &Path, parts: Parts) -> bool {
    let forged = folder.join("forged");
    let draft = Draft::begin(&forged, true).unwrap();
    for (name, text) in
        [("data.csv", parts.data), ("sensitive.csv", parts.sensitive), ("report.html", String::new())]
    {
        let mut file = draft.create(name).unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file.finish().unwrap();
    }
    draft.commit(parts.manifest).unwrap();
    verify(&forged, VerifyOptions::default()).unwrap().holds()
}

fn given(column: &str, buckets: u64) -> Anatomy {
    Anatomy { l: None, buckets_from: Some(column.to_owned()), given_buckets: Some(buckets) }
}

#[test]
fn a_consistent_forgery_is_seen_through() {
    let folder = tempfile::tempdir().unwrap();
    let fresh = || {
        let _ = std::fs::remove_dir_all(folder.path().join("release"));
        made(folder.path())
    };
    assert!(holds(folder.path(), fresh()), "rewritten as it was, it must hold");
    assert_eq!(fresh().manifest.search.anatomy, Some(Anatomy { l: Some(2), ..Anatomy::default() }));
    let mut parts = fresh();
    parts.manifest.data.removed_columns.push("ward".to_owned());
    parts.manifest.search.anatomy = Some(given("ward", 99));
    assert!(holds(folder.path(), parts), "a column that is not published may have given the buckets");

    // The values stand beside the records as well.
    let mut parts = fresh();
    let lines = parts.data.lines().enumerate();
    parts.data =
        lines.map(|(i, line)| format!("{},{line}\n", if i == 0 { "disease" } else { "flu" })).collect();
    let column = privet_release::manifest::DataColumn {
        name: "disease".to_owned(),
        role: "insensitive".to_owned(),
        recoding: None,
        alike: None,
    };
    parts.manifest.data.columns.insert(0, column);
    assert!(!holds(folder.path(), parts));

    // A bucket in which all have one value.
    let mut parts = fresh();
    let first: Vec<String> =
        parts.sensitive.lines().skip(1).filter(|line| line.starts_with("1,")).map(str::to_owned).collect();
    let value = first[0].split(',').nth(1).unwrap();
    let one = format!("1,{value},{}\n", first.len());
    let others: String = parts
        .sensitive
        .lines()
        .filter(|line| !line.starts_with("1,"))
        .map(|line| format!("{line}\n"))
        .collect();
    parts.sensitive = others + &one;
    parts.manifest.data.sensitive_tables[0].rows -= first.len() as u64 - 1;
    assert!(!holds(folder.path(), parts));

    // Another kind, a second table for the column, promises that buckets cannot keep, a sample that cannot be.
    // A larger l than the buckets have, none at all, buckets of a column that is published or of two origins.
    let edits: [fn(&mut Manifest); 12] = [
        |manifest| manifest.kind = Form::Generalized,
        |manifest| {
            let again = manifest.data.sensitive_tables[0].clone();
            manifest.data.sensitive_tables.push(again);
        },
        |manifest| manifest.promises[0].requirement = Requirement::KAnonymity { k: 1 },
        |manifest| manifest.promises[0].reached = 5.0,
        |manifest| {
            manifest.data.sample = Some(Sample { fraction: 7.5, kind: "simple".to_owned(), from_rows: 1 });
        },
        |manifest| manifest.search.anatomy = Some(Anatomy { l: Some(3), ..Anatomy::default() }),
        |manifest| manifest.search.anatomy = Some(Anatomy { l: Some(0), ..Anatomy::default() }),
        |manifest| manifest.search.anatomy = Some(Anatomy::default()),
        |manifest| manifest.search.anatomy = Some(given("age", 99)),
        |manifest| manifest.search.anatomy = Some(given("elsewhere", 99)),
        |manifest| {
            manifest.data.removed_columns.push("ward".to_owned());
            manifest.search.anatomy = Some(given("ward", 1));
        },
        |manifest| manifest.search.algorithm = "mondrian".to_owned(),
    ];
    for (number, edit) in edits.into_iter().enumerate() {
        let mut parts = fresh();
        edit(&mut parts.manifest);
        assert!(!holds(folder.path(), parts), "edit {number}");
    }
}
