//! Condensed records through every verb.

use std::path::Path;

use privet::{AttackOptions, Fault, JobFile, Plan};
use privet_data::Silent;
use privet_release::VerifyOptions;

const JOB: &str = "kind = \"condensed\"\n[input]\npath = \"people.csv\"\nclass = \"ward\"\n[condensed]\nk = 10\nseed = 7\n\
                   [output]\nfolder = \"release\"\nhome = \"home\"\n";

/// Two wards of 60 people whose weight goes with their height, and one of 3.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::from("height,weight,ward\n");
    for i in 0..123 {
        let ward = ["North", "South, old", "West"][if i < 120 { i % 2 } else { 2 }];
        let height = 150 + i * 7 % 50;
        text += &format!("{height},{}.5,\"{ward}\"\n", height - 100 + i * 3 % 10);
    }
    std::fs::write(folder.path().join("people.csv"), text).unwrap();
    std::fs::write(folder.path().join("job.toml"), JOB).unwrap();
    folder
}

fn run(folder: &Path, settings: &[&str]) -> Result<privet::Report, privet::KindError> {
    let settings: Vec<String> = settings.iter().map(|own| own.to_string()).collect();
    privet::run(&JobFile::read(&folder.join("job.toml"), &settings)?, &[], &Silent)
}

#[test]
fn condensed_records_are_proven_attacked_and_measured() {
    let folder = folder();
    let report = run(folder.path(), &[]).unwrap();
    assert_eq!(report.promises.len(), 1);
    assert!(report.promises[0].contains("at least 10 records"), "{:?}", report.promises);
    let told = |name: &str| report.summary.iter().find(|own| own.0 == name).map(|own| own.1.as_str());
    assert_eq!((told("records read"), told("records withheld")), (Some("123"), Some("3")));
    let release = folder.path().join("release");
    let published = std::fs::read_to_string(release.join("records.csv")).unwrap();
    assert!(published.starts_with("height,weight,ward\n") && published.lines().count() == 121);
    assert!(published.contains("\"South, old\"") && !published.contains("West"));
    let verdict = privet::verify(&release, VerifyOptions::default()).unwrap();
    assert!(verdict.holds(), "{:?}", verdict.checks);
    let options = AttackOptions {
        release: release.clone(),
        knowledge: None,
        job: Some(folder.path().join("job.toml")),
        plan: Plan::default(),
        confidence: 0.9,
        seed: 1,
        report: None,
    };
    let attacked = privet::attack(&options, &Silent).unwrap();
    let ids: Vec<&str> = attacked.findings.iter().map(|own| own.attack.as_str()).collect();
    let expected =
        ["condensed-inference", "condensed-inference", "condensed-class", "condensed-reproduction"];
    assert_eq!(ids, expected);
    assert!(attacked.findings.iter().all(|own| own.right.is_some()));
    let measured = privet::measure(&folder.path().join("job.toml"), &release, None, &Silent).unwrap();
    let mean = measured.figures.iter().find(|own| own.name == "mean of height").unwrap();
    assert!((mean.before.unwrap() - mean.after).abs() < 1.0, "{mean:?}");
}

#[test]
fn the_same_seed_gives_the_same_files() {
    let files = || {
        let folder = folder();
        run(folder.path(), &[]).unwrap();
        let read = |name: &str| std::fs::read(folder.path().join("release").join(name)).unwrap();
        ["manifest.json", "records.csv", "groups.csv", "report.html"].map(read)
    };
    assert_eq!(files(), files());
}

/// Every change of the published files or of what the manifest says of them is noticed.
#[test]
fn changes_are_noticed() {
    let folder = folder();
    run(folder.path(), &[]).unwrap();
    let release = folder.path().join("release");
    let whole = |name: &str| std::fs::read_to_string(release.join(name)).unwrap();
    for (file, from, to) in [
        ("records.csv", "height", "length"),
        ("groups.csv", "\n1", "\n2"),
        ("manifest.json", "\"k\": 10", "\"k\": 11"),
        ("manifest.json", "\"nearest\"", "\"farthest\""),
    ] {
        let (before, manifest) = (whole(file), whole("manifest.json"));
        assert!(before.contains(from), "{file}: {from}");
        std::fs::write(release.join(file), before.replacen(from, to, 1)).unwrap();
        let verdict = privet::verify(&release, VerifyOptions::default()).unwrap();
        assert!(!verdict.holds(), "{file}: {from}");
        std::fs::write(release.join(file), before).unwrap();
        std::fs::write(release.join("manifest.json"), manifest).unwrap();
    }
    assert!(privet::verify(&release, VerifyOptions::default()).unwrap().holds());
}

#[test]
fn what_cannot_be_condensed_is_refused_and_leaves_nothing() {
    let folder = folder();
    let fault = |settings: &[&str]| run(folder.path(), settings).unwrap_err().fault();
    assert_eq!(fault(&["condensed.k=100"]), Fault::Refused, "no class has so many records");
    assert_eq!(fault(&["condensed.k=1"]), Fault::BadInput);
    assert_eq!(fault(&["input.class=nobody"]), Fault::BadInput);
    assert_eq!(fault(&["input.columns=[\"ward\"]"]), Fault::BadInput, "labels are no numbers");
    assert_eq!(fault(&["adversary.max-risk=0.000001"]), Fault::Refused, "the gate");
    assert!(!folder.path().join("release").exists() && !folder.path().join("home").exists());
}
