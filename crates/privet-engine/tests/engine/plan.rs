//! What `plan` tells, before anything is read or copied.

use std::path::Path;

use privet_data::Silent;
use privet_engine::{Plan, plan};
use privet_job::{Job, RunError, RunOptions};

use crate::{job_text, left_in, people, write_parquet};

const ENGINE: &str = "engine.kind=\"datafusion\"";

fn planned(base: &Path, text: &str, settings: &[&str]) -> Result<Plan, RunError> {
    let settings: Vec<String> = settings.iter().map(|own| (*own).to_owned()).collect();
    let options = RunOptions { base: base.to_owned(), ..RunOptions::default() };
    plan(&Job::parse(text, &settings)?, &options, &Silent)
}

#[test]
fn parquet_is_told_by_its_footers() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    write_parquet(&base.join("people"), &people(300, 3), 120);
    let told = planned(base, &job_text("people", "k-anonymity = 3", ""), &[ENGINE]).unwrap();
    assert_eq!((told.records, told.files, told.is_copied), (Some(300), 3, false));
    assert_eq!(told.grouped, ["age", "born", "town", "disease", "income"]);
    assert_eq!(told.most_bytes_shuffled, Some(300 * 32));
    assert_eq!(told.most_bytes_held, Some(300 * 96));
    assert!(told.explained.contains("PrivetScan"));
    assert!(told.to_string().contains("searched"));
    assert!(left_in(base, &["people"]).is_empty());
}

#[test]
fn a_csv_is_neither_read_nor_copied() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    // Nobody could read this as a table, so nobody did.
    std::fs::write(base.join("people.csv"), [b'"'; 4_096]).unwrap();
    let text = job_text("people.csv", "k-anonymity = 3", "");
    let told = planned(base, &text, &[ENGINE]).unwrap();
    assert_eq!((told.records, told.bytes, told.is_copied), (None, 4_096, true));
    assert!(told.to_string().contains("not known before they are read"));
    let told = planned(base, &text, &[]).unwrap();
    assert_eq!((told.engine, told.is_copied), ("memory", false));
    assert!(left_in(base, &["people.csv"]).is_empty());
}

/// What is done in memory alone is planned in memory, and refused on an engine.
#[test]
fn jobs_in_memory_are_planned_too() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    write_parquet(&base.join("people"), &people(90, 3), 90);
    let text = job_text("people", "k-anonymity = 3", "[search]\nalgorithm = \"mondrian\"\n");
    let told = planned(base, &text, &[]).unwrap();
    assert_eq!((told.engine, told.records, told.passes.grouped), ("memory", Some(90), 1));
    assert!(told.to_string().contains("nothing is shuffled"));
    assert!(planned(base, &text, &[ENGINE]).unwrap_err().to_string().contains("search.algorithm"));
}
