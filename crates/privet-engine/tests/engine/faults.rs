//! Tables that are damaged, not alike, or too large: a clear error, and nothing is left behind.

use std::process::Command;

use privet_job::{Outcome, RunError};

use crate::{job_text, left_in, people, run, write_parquet};

const ENGINE: &str = "engine.kind=\"datafusion\"";

#[track_caller]
fn refused(base: &std::path::Path, text: &str, settings: &[&str], outcome: Outcome, words: &[&str]) {
    let error: RunError = run(base, text, settings).unwrap_err();
    assert_eq!(error.outcome(), outcome, "{error}");
    let told = error.to_string();
    assert!(words.iter().all(|word| told.contains(word)), "{told}");
    assert!(left_in(base, &["people"]).is_empty(), "{:?}", left_in(base, &["people"]));
}

#[test]
fn one_damaged_file_among_many() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    write_parquet(&base.join("people"), &people(4_000, 31), 4);
    let job = job_text("people", "k-anonymity = 3", "");
    let victim = base.join("people/part-0061.parquet");
    let whole = std::fs::read(&victim).unwrap();
    // A page, the footer, and a file that is cut off.
    let mut page = whole.clone();
    page[60..140].fill(0xff);
    for damaged in [page, whole[..whole.len() - 9].to_vec(), whole[..whole.len() / 2].to_vec(), Vec::new()] {
        std::fs::write(&victim, damaged).unwrap();
        refused(base, &job, &[ENGINE], Outcome::BadInput, &["part-0061.parquet"]);
    }
}

#[test]
fn files_that_are_not_alike() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    let job = job_text("people", "k-anonymity = 3", "");
    write_parquet(&base.join("people/day=1"), &people(40, 1), 40);
    let without: String =
        people(40, 2).lines().map(|line| line.rsplit_once(',').unwrap().0.to_owned() + "\n").collect();
    write_parquet(&base.join("people/day=2"), &without, 40);
    refused(base, &job, &[ENGINE], Outcome::BadInput, &["day=2", "lacks the column note"]);
    let other = people(40, 2).replace(",0,n", ",none,n");
    write_parquet(&base.join("people/day=2"), &other, 40);
    refused(base, &job, &[ENGINE], Outcome::BadInput, &["day=2", "income", "Int64"]);
    std::fs::remove_dir_all(base.join("people/day=2")).unwrap();
    write_parquet(&base.join("people/hour=2"), &people(40, 2), 40);
    refused(base, &job, &[ENGINE], Outcome::BadInput, &["hour=2", "COLUMN=VALUE"]);
}

#[test]
fn what_an_engine_does_not_do_is_said_before_anything_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    std::fs::create_dir(base.join("people")).unwrap();
    let job = job_text("people", "k-anonymity = 3", "");
    for (setting, key) in [
        ("search.algorithm=\"mondrian\"", "search.algorithm"),
        ("output.home=\"home\"", "output.home"),
        ("adversary.attacks=[\"definetti\"]", "adversary.attacks"),
        ("output.format=\"csv\"", "output.format"),
        ("output.format=\"xlsx\"", "output.format"),
        ("sampling.fraction=0.5", "sampling"),
    ] {
        refused(base, &job, &[ENGINE, setting], Outcome::BadInput, &[key]);
    }
    refused(base, &job, &[ENGINE], Outcome::BadInput, &["no Parquet file"]);
    // The format of the input, where the job names no other. Neither file is there.
    let sheet = job_text("people.xlsx", "k-anonymity = 3", "");
    refused(base, &sheet, &[ENGINE], Outcome::BadInput, &["output.format"]);
    let several = job_text("people.csv", "k-anonymity = 3", "[output]\nrows-per-file = 10\n");
    refused(base, &several, &[ENGINE], Outcome::BadInput, &["output.rows-per-file"]);
    let unknown = job_text("gs://bucket/table", "k-anonymity = 3", "");
    refused(base, &unknown, &[ENGINE], Outcome::BadInput, &["gs://"]);
}

/// A limit on what attacks may find is held as in memory, and nothing is published above it.
#[test]
fn a_limit_on_attacks_is_held() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    write_parquet(&base.join("people"), &people(200, 5), 100);
    let job = job_text("people", "k-anonymity = 3", "");
    for limit in ["adversary.max-risk=0.0001", "adversary.max-absolute-risk=0.0001"] {
        let memory = run(base, &job, &[limit]).unwrap_err();
        assert_eq!(memory.outcome(), Outcome::Refused, "{memory}");
        let error = run(base, &job, &[ENGINE, limit]).unwrap_err();
        assert_eq!(error.to_string(), memory.to_string());
        assert_eq!(error.outcome(), Outcome::Refused);
        assert!(left_in(base, &["people"]).is_empty());
    }
    run(base, &job, &[ENGINE, "adversary.max-absolute-risk=1", "output.folder=out"]).unwrap();
}

#[test]
fn a_limit_that_does_not_hold_the_tuples_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    write_parquet(&base.join("people"), &people(20_000, 7), 20_000);
    let job = job_text("people", "k-anonymity = 3", "");
    refused(
        base,
        &job,
        &[ENGINE, "engine.memory-limit=\"100kB\""],
        Outcome::Resources,
        &["engine.memory-limit"],
    );
}

#[test]
fn a_column_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    write_parquet(&base.join("people"), &people(20, 7), 20);
    let job = job_text("people", "k-anonymity = 3", "[columns.hight]\nrole = \"quasi\"\n");
    refused(base, &job, &[ENGINE], Outcome::BadInput, &["hight"]);
}

/// A disk that takes no more: exit code 4, and nothing is left behind. The system lets the program write files of 16 KiB at most.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    let text = people(20_000, 9);
    write_parquet(&base.join("people"), &text, 5_000);
    std::fs::write(base.join("people.csv"), &text).unwrap();
    let known = ["people", "people.csv", "job.toml"];
    for (input, more) in
        [("people", ""), ("people", "rows-per-file = 10000\n"), ("people.csv", "format = \"arrow\"\n")]
    {
        let job = job_text(input, "k-anonymity = 3", &format!("[output]\n{more}"));
        std::fs::write(base.join("job.toml"), job).unwrap();
        let full = "trap '' XFSZ; ulimit -f 16; exec \"$0\" anonymize job.toml --engine datafusion";
        let program = env!("CARGO_BIN_EXE_privet-cluster");
        let ran = Command::new("bash").args(["-c", full, program]).current_dir(base).output().unwrap();
        let told = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(4), "{input} {more}: {told}");
        assert!(left_in(base, &known).is_empty(), "{:?}", left_in(base, &known));
    }
}
