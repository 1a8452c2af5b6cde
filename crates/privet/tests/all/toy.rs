//! The toy kind through every verb: what any kind gets from the seam.

use std::path::Path;

use privet::{AttackOptions, Fault, JobFile, Plan};
use privet_data::Silent;
use privet_release::VerifyOptions;

const JOB: &str = "kind = \"sample\"\n[input]\npath = \"people.csv\"\ncolumn = \"town\"\n[sample]\nleast = 2\n\
                   [output]\nfolder = \"release\"\nhome = \"home\"\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("people.csv"), "name,town\na,Ulm\nb,Ulm\nc,Bonn\nd,Kiel\ne,Kiel\n")
        .unwrap();
    std::fs::write(folder.path().join("job.toml"), JOB).unwrap();
    folder
}

fn run(folder: &Path, settings: &[&str]) -> Result<privet::Report, privet::KindError> {
    let settings: Vec<String> = settings.iter().map(|own| own.to_string()).collect();
    let job = JobFile::read(&folder.join("job.toml"), &settings)?;
    privet::run(&job, &["privet anonymize job.toml".to_owned()], &Silent)
}

fn attack(folder: &Path, plan: Plan) -> Result<privet::Assessment, privet::KindError> {
    let options = AttackOptions {
        release: folder.join("release"),
        knowledge: None,
        job: Some(folder.join("job.toml")),
        plan,
        confidence: 0.9,
        seed: 1,
        report: Some(folder.join("attacked.html")),
    };
    privet::attack(&options, &Silent)
}

#[test]
fn a_release_is_made_proven_attacked_and_measured() {
    let folder = folder();
    let report = run(folder.path(), &[]).unwrap();
    assert_eq!(report.promises, ["Every published count is at least 2."]);
    assert_eq!(report.assessment.findings.len(), 1);
    assert_eq!(report.assessment.figures[0].before, Some(5.0));
    let release = folder.path().join("release");
    let published = std::fs::read_to_string(release.join("tally.csv")).unwrap();
    assert_eq!(published, "value,people\n\"Kiel\",2\n\"Ulm\",2\n");
    assert!(folder.path().join("home/report.html").exists());
    // A tally has no records to ask about, and says so.
    let question = "select count(*) from data";
    let published = privet::PublishedFolder::at(&release);
    let refused = published.answer(question, None, Default::default(), &Silent).unwrap_err().to_string();
    assert!(refused.contains("answer no questions"), "{refused}");
    let verdict = privet::verify(&release, VerifyOptions::default()).unwrap();
    assert!(verdict.holds(), "{:?}", verdict.checks);
    assert!(!std::fs::read_to_string(release.join("report.html")).unwrap().contains("class=\"banner\""));
    let assessed = attack(folder.path(), Plan::default()).unwrap();
    assert_eq!(assessed.worst().unwrap().risk(), 0.0);
    let measured = privet::measure(&folder.path().join("job.toml"), &release, None, &Silent).unwrap();
    assert_eq!(measured.figures[0].after, 4.0);
}

#[test]
fn the_same_job_gives_the_same_bytes() {
    let bytes = || {
        let folder = folder();
        run(folder.path(), &[]).unwrap();
        let read = |name: &str| std::fs::read(folder.path().join("release").join(name)).unwrap();
        ["manifest.json", "tally.csv", "report.html", "report.json"].map(read)
    };
    assert_eq!(bytes(), bytes());
}

#[test]
fn the_gate_refuses_and_leaves_nothing_behind() {
    let folder = folder();
    let error = run(folder.path(), &["sample.least=0", "adversary.max-risk=0.1"]).unwrap_err();
    assert_eq!(error.fault(), Fault::Refused);
    assert!(!folder.path().join("release").exists() && !folder.path().join("home").exists());
    assert!(run(folder.path(), &["sample.least=0"]).is_ok());
    let assessed = attack(folder.path(), Plan { max_risk: Some(0.1), ..Plan::default() }).unwrap();
    assert!(assessed.exceeded().is_some());
}

#[test]
fn what_was_changed_is_noticed() {
    for (file, from, to) in [
        ("tally.csv", "2", "3"),
        ("report.html", "Every published", "No published"),
        ("manifest.json", "\"least\": 2", "\"least\": 9"),
    ] {
        let folder = folder();
        run(folder.path(), &[]).unwrap();
        let path = folder.path().join("release").join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(from));
        std::fs::write(&path, text.replace(from, to)).unwrap();
        let verdict = privet::verify(&folder.path().join("release"), VerifyOptions::default()).unwrap();
        assert!(!verdict.holds(), "{file}");
        assert!(attack(folder.path(), Plan::default()).is_err(), "{file}");
    }
}

#[test]
fn what_is_asked_for_and_cannot_be_is_an_error() {
    let folder = folder();
    for settings in [
        &["kind=nothing"][..],
        &["sample.most=3"],
        &["other.key=3"],
        &["input.path=missing.csv"],
        &["input.column=nobody"],
        &["adversary.attacks=[\"flattery\"]"],
        &["adversary.max-risk=2"],
        &["output.home=release/home"],
        &["output.folder=."],
    ] {
        let error = run(folder.path(), settings).unwrap_err();
        assert_eq!(error.fault(), Fault::BadInput, "{settings:?}: {error}");
        assert!(!error.to_string().contains("Bonn"));
    }
    assert!(folder.path().join("people.csv").exists());
}
