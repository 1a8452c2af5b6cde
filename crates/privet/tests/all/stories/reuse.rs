//! The recoding of a release on new rows, and a history of releases, from a program.

use std::path::Path;

use privet_data::Silent;
use privet_job::{ApplyOptions, Job, Outcome, Recoding, RunError, RunOptions, Summary};
use privet_release::VerifyOptions;

fn rows(ages: std::ops::Range<usize>) -> String {
    let line = |age: usize, copy: usize| {
        format!("{age},{},{}\n", 47100 + 100 * copy, ["flu", "cold", "gout"][(age + copy) % 3])
    };
    let all = ages.flat_map(|age| (0..4).map(move |copy| line(age, copy)));
    format!("age,postcode,ill\n{}", all.collect::<String>())
}

const JOB: &str = "[input]\npath = \"old.csv\"\n[columns.age]\nrole = \"quasi\"\nhierarchy = { intervals = [10, 50], min = 0 }\n\
    [columns.postcode]\nrole = \"quasi\"\nhierarchy = { mask = \"right\" }\n[columns.ill]\nrole = \"sensitive\"\n[privacy]\n\
    k-anonymity = 4\n[output]\nhome = \"home\"\n";

fn run(folder: &Path, job: &str, settings: &[&str]) -> Result<Summary, RunError> {
    let settings: Vec<String> = settings.iter().map(|own| (*own).to_owned()).collect();
    let job = Job::parse(job, &settings).unwrap();
    privet_job::run(&job, &RunOptions { base: folder.to_owned(), ..RunOptions::default() }, &Silent)
}

fn apply(folder: &Path, input: &str, output: &str, settings: &[&str]) -> Result<Summary, RunError> {
    let home = folder.join("home");
    let options = ApplyOptions {
        input: folder.join(input),
        output: folder.join(output),
        settings: settings.iter().map(|own| (*own).to_owned()).collect(),
        ..ApplyOptions::default()
    };
    let (job, base) = Recoding::read(&home.join("recoding.json")).unwrap().job(&home, options).unwrap();
    privet_job::run(&job, &RunOptions { base, ..RunOptions::default() }, &Silent)
}

fn verified(release: &Path) -> bool {
    let verdict = privet::verify(release, VerifyOptions::default()).unwrap();
    verdict.failures().for_each(|own| eprintln!("{own:?}"));
    verdict.holds()
}

#[test]
fn equal_values_have_one_label_in_both_releases() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for (name, ages) in [("old.csv", 20..60), ("new.csv", 30..75), ("few.csv", 58..60)] {
        std::fs::write(at(name), rows(ages)).unwrap();
    }
    run(folder.path(), JOB, &[]).unwrap();
    let applied = apply(folder.path(), "new.csv", "again", &[]).unwrap();
    assert!(applied.suppressed == 0 && verified(&at("again")));
    let labels = |input: &str, release: &str| {
        let column = |path: &str| {
            let text = std::fs::read_to_string(at(path)).unwrap();
            text.lines().skip(1).map(|line| line.split(',').next().unwrap().to_owned()).collect::<Vec<_>>()
        };
        column(input).into_iter().zip(column(release)).collect::<std::collections::BTreeMap<_, _>>()
    };
    let (old, new) = (labels("old.csv", "release/data.csv"), labels("new.csv", "again/data.csv"));
    assert!((30..60).all(|age: i32| old[&age.to_string()] == new[&age.to_string()]));
    assert_ne!(new["30"], "30");
    let error = apply(folder.path(), "few.csv", "third", &[]).unwrap_err();
    assert!(
        error.outcome() == Outcome::Refused && error.to_string().contains("k-anonymity fails in"),
        "{error}"
    );
    assert!(!at("third").exists());
}

#[test]
fn cuts_take_new_values_to_the_group_above() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("old.csv"), rows(20..60)).unwrap();
    std::fs::write(folder.path().join("new.csv"), rows(15..90)).unwrap();
    run(folder.path(), JOB, &["search.algorithm=top-down-specialization", "search.class=ill"]).unwrap();
    apply(folder.path(), "new.csv", "again", &["search.suppress-at-most=0.2"]).unwrap();
    assert!(verified(&folder.path().join("again")));
}

#[test]
fn a_history_refuses_what_releases_tell_together() {
    let folder = tempfile::tempdir().unwrap();
    let ills = ["flu", "cold", "gout", "ague", "mumps", "croup", "cough", "fever"];
    let lines = (0..240).map(|own| format!("{},{}\n", own / 3, ills[own / 15 % 8]));
    std::fs::write(folder.path().join("data.csv"), format!("age,ill\n{}", lines.collect::<String>()))
        .unwrap();
    let job = |min: usize| {
        format!(
            "[input]\npath = \"data.csv\"\n[columns.age]\nrole = \"quasi\"\nhierarchy = {{ intervals = [10, 20], min = {min} }}\n\
             [columns.ill]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 20\nl-diversity = {{ kind = \"distinct\", l = 2 }}\n[search]\n\
             suppress-at-most = 0.2\n[history]\n[output]\nfolder = \"release-{min}\"\nhome = \"home\"\n"
        )
    };
    run(folder.path(), &job(0), &[]).unwrap();
    let history = || std::fs::read(folder.path().join("home/history.json")).unwrap();
    let before = history();
    let error = run(folder.path(), &job(5), &[]).unwrap_err();
    assert!(matches!(error, RunError::Composed { .. }), "{error}");
    assert!(!folder.path().join("release-5").exists() && history() == before);
    // A release without a sensitive column is compared with none, and says so.
    let plain = job(0).replace("role = \"sensitive\"", "role = \"insensitive\"");
    let plain: String =
        plain.lines().filter(|own| !own.starts_with("l-diversity")).map(|own| format!("{own}\n")).collect();
    let told = run(folder.path(), &plain, &["output.folder=plain", "output.home=other"]).unwrap();
    let again = run(folder.path(), &plain, &["output.folder=plain-again", "output.home=other"]).unwrap();
    assert!(
        !format!("{told:?}").contains("not judged") && format!("{again:?}").contains("not judged"),
        "{again:?}"
    );
    // The same recoding again tells nothing more; what the steward accepts goes through.
    run(folder.path(), &job(0), &["output.folder=again", "history.continues=true"]).unwrap();
    run(folder.path(), &job(5), &["history.max-risk=1"]).unwrap();
    assert!(verified(&folder.path().join("again")) && verified(&folder.path().join("release-5")));
    // Correspondence attacks are made with every earlier release, the first one too.
    let error = run(
        folder.path(),
        &job(5),
        &["output.folder=third", "history.max-risk=1", "history.continues=true", "history.least-left=19"],
    );
    assert!(matches!(error.unwrap_err(), RunError::Corresponds { .. }));
    // Several values that stay possible are not enough where one of them is too likely.
    let error =
        run(folder.path(), &job(0), &["output.folder=third", "history.max-posterior=0.01"]).unwrap_err();
    assert!(matches!(error, RunError::Composed { most: Some(_), .. }), "{error}");
}
