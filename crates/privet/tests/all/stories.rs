//! The story of every shape, end to end: the naive release is broken, the other one stands, verifies from its files alone, can be
//! attacked and measured again, and a change of any file is noticed.

mod planted;
mod reuse;
mod shared_data;
mod tables;

use std::path::Path;

use privet::{AttackOptions, JobFile, Plan};
use privet_data::Silent;
use privet_release::{Randomness, ReleaseFolder, VerifyOptions};

/// Tells a story and returns its releases that were published, first to last, each with its job.
fn told(shape: &str, folder: &Path) -> Vec<(std::path::PathBuf, privet::Report)> {
    let (introduction, chapters) = privet::demo(shape, folder, &Silent).unwrap();
    assert!(!introduction.is_empty() && chapters.len() > 1, "{shape}: a story compares");
    chapters.into_iter().filter_map(|own| Some((own.job, own.outcome.ok()?))).collect()
}

fn attacked(release: &Path, job: &Path) -> privet::Assessment {
    let options = AttackOptions {
        release: release.to_owned(),
        knowledge: None,
        job: Some(job.to_owned()),
        plan: Plan::default(),
        confidence: 0.9,
        seed: 1,
        report: None,
    };
    privet::attack(&options, &Silent).unwrap()
}

fn whole_story(shape: &str) {
    let folder = tempfile::tempdir().unwrap();
    let releases = told(shape, &folder.path().join("story"));
    let (job, last) = releases.last().expect("a story ends in a release");
    assert!(!last.promises.is_empty(), "{shape}: the last release promises something");
    for (_, report) in &releases {
        let verdict = privet::verify(&report.release, VerifyOptions::default()).unwrap();
        let failures: Vec<_> = verdict.failures().collect();
        assert!(verdict.holds(), "{shape}: {failures:?}");
    }
    let worst = |report: &privet::Report| report.assessment.worst().map_or(f64::NAN, |own| own.risk());
    if releases.len() > 1 {
        let (first, end) = (worst(&releases[0].1), worst(last));
        assert!(end < first, "{shape}: the naive release ({first}) is weaker than the last one ({end})");
    }
    let again = attacked(&last.release, job);
    assert!(!again.findings.is_empty(), "{shape}: some attack can be made on the published files");
    let measured = privet::measure(job, &last.release, None, &Silent).unwrap();
    assert!(!measured.figures.is_empty(), "{shape}: something can be measured");
    assert!(measured.figures.iter().all(|own| !own.name.is_empty()));

    // The same job gives the same bytes, unless its randomness protects.
    let read = |path: &Path| ReleaseFolder::open(path, &Silent).unwrap().envelope().clone();
    let before = read(&last.release);
    let settings = ["output.replace=true".to_owned()];
    privet::run(&JobFile::read(job, &settings).unwrap(), &before.reproduce, &Silent).unwrap();
    if before.randomness != Randomness::System {
        assert_eq!(read(&last.release).seal, before.seal, "{shape}: a second run gives other bytes");
    }

    // Every file of the folder is covered.
    for file in before.files.iter().map(|own| own.name.as_str()).chain(["manifest.json"]) {
        let path = last.release.join(file);
        let bytes = std::fs::read(&path).unwrap();
        let mut changed = bytes.clone();
        let middle = changed.len() / 2;
        changed[middle] ^= 1;
        std::fs::write(&path, &changed).unwrap();
        let verdict = privet::verify(&last.release, VerifyOptions::default());
        assert!(!verdict.is_ok_and(|own| own.holds()), "{shape}: a change of {file} goes unnoticed");
        std::fs::write(&path, &bytes).unwrap();
    }
}

#[test]
fn graphs_tell_their_story() {
    whole_story("graph");
}

#[test]
fn ratings_tell_their_story() {
    whole_story("ratings");
}

#[test]
fn sets_tell_their_story() {
    whole_story("sets");
}

#[test]
fn traces_tell_their_story() {
    whole_story("traces");
}

#[test]
fn models_tell_their_story() {
    whole_story("model");
}

#[test]
fn tables_tell_their_story() {
    whole_story("tables");
}

#[test]
fn every_story_is_tested() {
    // That of a series has no naive release; its test is beside the others of series.
    assert_eq!(privet::shapes(), ["graph", "model", "ratings", "series", "sets", "tables", "traces"]);
}
