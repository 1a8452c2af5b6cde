//! Promises that rest on more than the published table: suppressed records, a population, other formats.

use crate::common;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int64Array, RecordBatch, StringArray};
use common::{Fixture, assert_broken, assert_holds};
use privet_release::manifest::Evidence;
use privet_release::{Draft, Verdict, VerifyError, VerifyOptions, sha256_of_file, verify};
use serde_json::{Value, json};

/// Two classes, flu 3 of 4 and flu 1 of 4, with `suppressed` records gone.
fn two_classes(suppressed: u64) -> Fixture {
    let rows: [&[&str]; 8] = [
        &["young", "flu"],
        &["young", "flu"],
        &["young", "flu"],
        &["young", "cold"],
        &["old", "flu"],
        &["old", "cold"],
        &["old", "cold"],
        &["old", "cold"],
    ];
    Fixture::new(&[("age", "quasi"), ("condition", "sensitive")], &rows).suppressed(suppressed)
}

fn closeness(kind: &str, t: f64) -> Value {
    json!({"criterion": "t-closeness", "kind": kind, "t": t, "column": "condition"})
}

#[test]
fn with_suppression_the_distance_lies_between_bounds() {
    // Nothing suppressed: exactly 1/4.
    assert_holds(&two_classes(0).promise(closeness("equal", 0.25), 0.25, 1).verdict());
    assert!(!two_classes(0).promise(closeness("equal", 0.3), 0.26, 1).verdict().holds());
    // Two of ten suppressed: the input had between 4 and 6 of 10 with flu, so 0.05 to 0.45.
    assert_holds(&two_classes(2).promise(closeness("equal", 0.3), 0.3, 1).verdict());
    let verdict = two_classes(2).promise(closeness("equal", 0.3), 0.3, 1).verdict();
    let detail = &verdict.checks.last().unwrap().detail;
    assert!(detail.contains("between 0.05 and 0.45"), "{detail}");
    assert!(!two_classes(2).promise(closeness("equal", 0.5), 0.46, 1).verdict().holds(), "out of reach");
    assert_broken(&two_classes(2).promise(closeness("equal", 0.04), 0.05, 1).verdict(), "t-closeness");
    // KL: the truth for an input of 6 flu and 4 cold is within the bounds.
    let kl = 0.25 * (0.25f64 / 0.6).ln() + 0.75 * (0.75f64 / 0.4).ln();
    assert_holds(&two_classes(2).promise(closeness("kl", 0.3), kl, 5).verdict());
    assert_broken(&two_classes(0).promise(closeness("kl", 0.1), kl, 5).verdict(), "t-closeness");
}

#[test]
fn with_suppression_shares_lie_between_bounds() {
    let beta = |beta: f64| json!({"criterion": "beta-likeness", "beta": beta, "column": "condition"});
    assert_holds(&two_classes(0).promise(beta(0.5), 0.5, 1).verdict());
    // 3/4 against 4/10 to 6/10: a gain of 0.25 to 0.875.
    assert_holds(&two_classes(2).promise(beta(0.6), 0.6, 1).verdict());
    assert_broken(&two_classes(2).promise(beta(0.2), 0.25, 1).verdict(), "beta-likeness");
    let delta = |delta: f64, distinct: u64, release: Fixture| {
        let evidence = Evidence { domain_size: Some(distinct), ..Evidence::default() };
        let requirement = json!({"criterion": "delta-disclosure", "delta": delta, "column": "condition"});
        release.promise_with(requirement, 2f64.ln(), 5, evidence).verdict()
    };
    assert_holds(&delta(0.7, 2, two_classes(0)));
    assert_holds(&delta(0.7, 2, two_classes(2)));
    assert_broken(&delta(0.7, 3, two_classes(2)), "delta-disclosure");
    assert_broken(&delta(0.69, 2, two_classes(0)), "delta-disclosure");
}

#[test]
fn a_table_without_records_keeps_every_promise() {
    let mut empty = Fixture::new(&[("age", "quasi"), ("condition", "sensitive")], &[]).suppressed(3);
    let full = two_classes(0).promise(json!({"criterion": "k-anonymity", "k": 4}), 4.0, 1).promise(
        closeness("equal", 0.3),
        0.0,
        1,
    );
    empty.promises = full.promises;
    empty.promises.iter_mut().for_each(|promise| promise.worst_class = None);
    let verdict = empty.verdict();
    assert_holds(&verdict);
    assert!(verdict.checks.last().unwrap().detail.contains("no record is published"));
}

#[test]
fn ranks_must_follow_the_numbers() {
    let rows: [&[&str]; 4] = [&["a", "9"], &["a", "10"], &["b", "9"], &["b", "100"]];
    let with = |ranks: [(&str, u64); 3]| {
        let ranks = ranks.map(|(value, rank)| (value.to_owned(), rank)).into();
        let evidence = Evidence { ranks: Some(ranks), domain_size: Some(3), ..Evidence::default() };
        let release = Fixture::new(&[("q", "quasi"), ("condition", "sensitive")], &rows);
        // Shares 1/2, 1/2, 0 against 1/2, 1/4, 1/4.
        release.promise_with(closeness("ordered", 0.2), 0.125, 1, evidence).verdict()
    };
    assert_holds(&with([("9", 0), ("10", 1), ("100", 2)]));
    assert!(!with([("9", 1), ("10", 0), ("100", 2)]).holds());
    assert!(!with([("9", 0), ("10", 1), ("100", 3)]).holds());
}

/// A population of ten people for the two classes, four young and six old.
fn population(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("population.csv");
    let ages = ["21", "22", "23", "24", "61", "62", "63", "64", "65", "66", "300"];
    let text: String = ages.iter().enumerate().map(|(i, age)| format!("person {i};{age}\n")).collect();
    fs::write(&path, format!("who;age\n{text}")).unwrap();
    path
}

fn with_population(requirement: Value, reached: f64, record: u64) -> Result<Verdict, VerifyError> {
    let home = tempfile::tempdir().unwrap();
    let path = population(home.path());
    let labels: BTreeMap<String, String> = (21..=24)
        .map(|age| (age.to_string(), "young".to_owned()))
        .chain((61..=66).map(|age| (age.to_string(), "old".to_owned())))
        .collect();
    let evidence = Evidence {
        population_sha256: Some(sha256_of_file(&path).unwrap()),
        population_labels: Some(vec![labels]),
        ..Evidence::default()
    };
    let folder = home.path().join("release");
    two_classes(0).promise_with(requirement, reached, record, evidence).write(&folder);
    assert!(matches!(verify(&folder, VerifyOptions::default()), Err(VerifyError::NeedsPopulation)));
    let other = home.path().join("other.csv");
    fs::write(&other, "age\n21\n").unwrap();
    let options = VerifyOptions { population: Some(&other), ..VerifyOptions::default() };
    assert!(!verify(&folder, options).unwrap().holds(), "another population");
    verify(&folder, VerifyOptions { population: Some(&path), ..VerifyOptions::default() })
}

#[test]
fn survey_pm_23_presence_and_k_map_rest_on_a_population() {
    let k_map = |k: u64| json!({"criterion": "k-map", "k": k, "population": "population.csv"});
    assert_holds(&with_population(k_map(4), 4.0, 1).unwrap());
    assert_broken(&with_population(k_map(5), 4.0, 1).unwrap(), "k-map");
    let presence = |min: f64, max: f64| json!({"criterion": "delta-presence", "min": min, "max": max, "population": "population.csv"});
    assert_holds(&with_population(presence(0.0, 1.0), 1.0, 1).unwrap());
    assert_broken(&with_population(presence(0.0, 0.9), 1.0, 1).unwrap(), "delta-presence");
    // One person looks like no record at all.
    assert_broken(&with_population(presence(0.1, 1.0), 1.0, 1).unwrap(), "delta-presence");
}

fn columnar(format: &str, write: impl Fn(&RecordBatch) -> Vec<u8>) {
    let release = two_classes(0).promise(closeness("equal", 0.25), 0.25, 1).promise(
        json!({"criterion": "k-anonymity", "k": 4}),
        4.0,
        1,
    );
    let ages: DictionaryArray<Int32Type> = release.rows.iter().map(|row| row[0].as_str()).collect();
    let conditions: StringArray = release.rows.iter().map(|row| Some(row[1].as_str())).collect();
    let columns: [(&str, ArrayRef); 3] = [
        ("age", Arc::new(ages)),
        ("condition", Arc::new(conditions)),
        ("visits", Arc::new(Int64Array::from_iter((0..8).map(|i| (i != 3).then_some(i))))),
    ];
    let batch =
        RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true))).unwrap();
    let mut manifest = release.manifest();
    manifest.data.file = format!("data.{format}");
    manifest.data.format = format.to_owned();
    manifest.data.delimiter = None;
    let mut visits = manifest.data.columns[1].clone();
    visits.name = "visits".to_owned();
    manifest.data.columns.push(visits);

    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("release");
    let draft = Draft::begin(&folder, false).unwrap();
    let mut file = draft.create(&manifest.data.file).unwrap();
    file.write_all(&write(&batch)).unwrap();
    file.finish().unwrap();
    draft.commit(manifest.clone()).unwrap();
    assert_holds(&verify(&folder, VerifyOptions::default()).unwrap());

    // A changed file is told by its hash and not read; with the hash forged, it is read and must not panic us.
    let path = folder.join(format!("data.{format}"));
    let bytes = fs::read(&path).unwrap();
    for at in (0..bytes.len()).step_by(bytes.len() / 40) {
        let mut changed = bytes.clone();
        changed[at] ^= 0x55;
        fs::write(&path, &changed).unwrap();
        let verdict = verify(&folder, VerifyOptions::default()).unwrap();
        assert!(!verdict.holds(), "byte {at}");
        assert!(verdict.failures().any(|check| check.detail.contains("changed between byte")));
        let forged = home.path().join("forged");
        let draft = Draft::begin(&forged, true).unwrap();
        let mut file = draft.create(&format!("data.{format}")).unwrap();
        file.write_all(&changed).unwrap();
        file.finish().unwrap();
        draft.commit(manifest.clone()).unwrap();
        verify(&forged, VerifyOptions::default()).unwrap();
    }
}

#[test]
fn parquet_is_read_and_guarded() {
    columnar("parquet", |batch| {
        let mut bytes = Vec::new();
        let mut writer = parquet::arrow::ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
        writer.write(batch).unwrap();
        writer.close().unwrap();
        bytes
    });
}

#[test]
fn arrow_is_read_and_guarded() {
    columnar("arrow", |batch| {
        let mut bytes = Vec::new();
        let mut writer = arrow_ipc::writer::FileWriter::try_new(&mut bytes, &batch.schema()).unwrap();
        writer.write(batch).unwrap();
        writer.finish().unwrap();
        drop(writer);
        bytes
    });
}

#[test]
fn latin_1_and_quotes_are_read() {
    let mut release = two_classes(0);
    release.rows.iter_mut().for_each(|row| row[1] = row[1].replace("flu", "fi\u{e8}vre, haute"));
    let release = release.promise(
        json!({"criterion": "l-diversity", "kind": "positive-disclosure", "l": 2, "c": 4.0,
        "allowed": ["fi\u{e8}vre, haute"], "column": "condition"}),
        3.0,
        5,
    );
    assert_holds(&release.verdict());
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("release");
    let draft = Draft::begin(&folder, false).unwrap();
    let mut file = draft.create("data.csv").unwrap();
    let latin: Vec<u8> = release.csv().chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    file.write_all(&latin).unwrap();
    file.finish().unwrap();
    draft.commit(release.manifest()).unwrap();
    assert_holds(&verify(&folder, VerifyOptions::default()).unwrap());
}
