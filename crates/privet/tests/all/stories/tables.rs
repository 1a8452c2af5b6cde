//! Several tables about the same people, and a series of releases, through every verb; what is changed afterwards fails, and input that
//! cannot be meant is refused.

use std::path::Path;

use privet::{Fault, JobFile};
use privet_data::Silent;
use privet_release::{Envelope, MANIFEST, VerifyOptions};

fn run(folder: &Path, job: &str) -> Result<privet::Report, privet::KindError> {
    let job = JobFile::read(&folder.join(job), &[])?;
    privet::run(&job, &["privet anonymize job.toml".to_owned()], &Silent)
}

fn verified(release: &Path) -> bool {
    let verdict = privet::verify(release, VerifyOptions::default()).unwrap();
    verdict.failures().for_each(|own| eprintln!("{own:?}"));
    verdict.holds()
}

/// The columns of a CSV file without quotation marks.
fn table(path: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

const PATIENTS: &str = "[[tables]]\nname = \"patients\"\npath = \"patients.csv\"\nperson = \"id\"\nkey = \"id\"\n[tables.columns]\n\
    age = { role = \"quasi\", hierarchy = { intervals = [10, 50], min = 0 } }\n";
const VISITS: &str = "[[tables]]\nname = \"visits\"\npath = \"visits.csv\"\nperson = \"patient\"\nkey = \"visit\"\n[tables.columns]\n\
    day = { role = \"date\" }\nward = { role = \"quasi\" }\n";
const ILLS: &str = "[[tables]]\nname = \"ills\"\npath = \"ills.csv\"\nperson = \"patient\"\nreferences = { visit = \"visits\" }\n\
    [tables.columns]\nill = { role = \"sensitive\" }\n";

fn clinic(people: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let (mut patients, mut visits, mut ills) =
        ("id,age\n".to_owned(), "visit,patient,day,ward\n".to_owned(), "visit,patient,ill\n".to_owned());
    for id in 0..60 {
        patients += &format!("Mallory{id},{}\n", 20 + id % 40);
        for visit in 0..2 {
            let ward = if id % 20 == 3 { "b" } else { "a" };
            visits += &format!("V{id}-{visit},Mallory{id},2024-0{}-1{},{ward}\n", 1 + visit * 3, id % 10);
            ills += &format!(
                "V{id}-{visit},Mallory{id},{}\n",
                ["flu", "cold", "gout", "ague"][(id / 7 + visit) % 4]
            );
        }
    }
    for (name, text) in [("patients.csv", patients), ("visits.csv", visits), ("ills.csv", ills)] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let job = format!(
        "kind = \"tables\"\n{PATIENTS}{VISITS}{ILLS}[people]\n{people}\n[privacy]\nk-anonymity = 3\nl-diversity = 1.2\n\
         [output]\nfolder = \"release\"\nhome = \"home\"\nreplace = true\n"
    );
    std::fs::write(folder.path().join("job.toml"), job).unwrap();
    folder
}

#[test]
fn people_are_alike_over_the_join_and_the_tables_stay_together() {
    let folder = clinic("suppress-at-most = 0.1\nshift-dates = 30");
    let report = run(folder.path(), "job.toml").unwrap();
    let release = folder.path().join("release");
    assert!(verified(&release));
    assert!(report.promises.iter().any(|own| own.contains("3 people")), "{:?}", report.promises);
    let (patients, visits, ills) = (
        table(&release.join("patients.csv")),
        table(&release.join("visits.csv")),
        table(&release.join("ills.csv")),
    );
    // Three of sixty visit the other ward: together they are a class only when their ages say nothing; each visit is of a patient.
    assert_eq!(visits.len(), 2 * patients.len());
    assert_eq!(ills.len(), visits.len());
    for ill in &ills {
        let visit = visits.iter().find(|own| own[1] == ill[1]).expect("every reference leads to a row");
        assert_eq!(visit[0], ill[0], "of the same person");
    }
    // Names are nowhere, and intervals between the days of a person are as they were: three months.
    let text = std::fs::read_to_string(release.join("visits.csv")).unwrap();
    assert!(!text.contains("Mallory") && !text.contains("V3-"));
    let days = |own: &Vec<String>| privet_data::Kind::Date.number(&own[2]).unwrap();
    for patient in &patients {
        let own: Vec<f64> = visits.iter().filter(|own| own[0] == patient[0]).map(days).collect();
        assert_eq!((own[1] - own[0]).abs(), 91.0);
    }
    // Another release has other pseudonyms.
    run(folder.path(), "job.toml").unwrap();
    let again = table(&release.join("patients.csv"));
    assert!(patients.iter().all(|own| again.iter().all(|other| own[0] != other[0])));
    assert!(folder.path().join("home/people.csv").exists());
}

#[test]
fn what_is_changed_or_promised_too_much_is_noticed() {
    let folder = clinic("suppress-at-most = 0.1");
    run(folder.path(), "job.toml").unwrap();
    let path = folder.path().join("release").join(MANIFEST);
    let sealed = std::fs::read(&path).unwrap();
    let failing = |change: &dyn Fn(&mut Envelope)| {
        let mut envelope = Envelope::parse(&sealed).unwrap();
        change(&mut envelope);
        std::fs::write(&path, envelope.to_json_sealed().unwrap()).unwrap();
        let verdict = privet::verify(&folder.path().join("release"), VerifyOptions::default()).unwrap();
        verdict.failures().map(|own| own.name.clone()).collect::<Vec<_>>()
    };
    let more = |at: usize, key: &str, value: serde_json::Value| {
        failing(&|envelope| drop(envelope.promises[at].parameters.insert(key.to_owned(), value.clone())))
    };
    assert!(more(0, "k", 50.into()).contains(&"k-anonymity".to_owned()));
    assert!(more(0, "units", "households".into()).contains(&"k-anonymity".to_owned()));
    assert!(more(1, "l", 40.into()).contains(&"l-diversity".to_owned()));
    assert!(failing(&|own| drop(own.promises.pop())).contains(&"promises".to_owned()));
    assert!(failing(&|own| own.body["persons"] = 59.into()).contains(&"counts".to_owned()));
    assert!(failing(&|own| own.body["tables"][1]["most-rows"] = 1.into()).contains(&"counts".to_owned()));
}

#[test]
fn input_that_cannot_be_meant_is_refused_and_values_stay_untold() {
    let refused = |file: &str, line: &str, people: &str| {
        let folder = clinic(people);
        let path = folder.path().join(file);
        let text = std::fs::read_to_string(&path).unwrap() + line;
        std::fs::write(path, text).unwrap();
        let error = run(folder.path(), "job.toml").unwrap_err();
        assert!(!error.to_string().contains("Mallory"), "{error}");
        assert!(!folder.path().join("release").exists());
        (error.fault(), error.to_string())
    };
    let bad = |file: &str, line: &str, said: &str| {
        let (fault, text) = refused(file, line, "suppress-at-most = 0.1");
        assert!(fault == Fault::BadInput && text.contains(said), "{text}");
    };
    bad("ills.csv", "V999,Mallory1,flu\n", "do not exist");
    bad("ills.csv", "V2-0,Mallory1,flu\n", "other people");
    bad("visits.csv", "V3-0,Mallory3,2024-01-01,a\n", "a key names one row");
    bad("visits.csv", "V999,Nobody,2024-01-01,a\n", "not in the table of people");
    bad("visits.csv", "V999,,2024-01-01,a\n", "name no person");
    bad("visits.csv", "V999,Mallory1,soon,a\n", "no days");
    // Somebody with a third visit is alone, whatever is generalized.
    let (fault, text) = refused("visits.csv", "V999,Mallory1,2024-01-01,a\n", "");
    assert!(fault == Fault::Refused && text.contains("at-most"), "{text}");
    // Rows without parents may be left out instead.
    let folder = clinic("suppress-at-most = 0.1\norphans = \"drop\"");
    let path = folder.path().join("ills.csv");
    std::fs::write(&path, std::fs::read_to_string(&path).unwrap() + "V999,Mallory1,flu\n").unwrap();
    run(folder.path(), "job.toml").unwrap();
    assert!(verified(&folder.path().join("release")));
}

#[test]
fn rows_that_are_not_linked_are_bounded_and_said_so() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String =
        (0..40).map(|own| format!("p{},{},{}\n", own / 2, own / 2 % 4, ["x", "y", "z"][own % 3])).collect();
    std::fs::write(folder.path().join("stays.csv"), format!("person,ward,ill\n{rows}")).unwrap();
    let job = "kind = \"tables\"\n[[tables]]\nname = \"stays\"\npath = \"stays.csv\"\nperson = \"person\"\n[tables.columns]\n\
        ward = { role = \"quasi\" }\nill = { role = \"sensitive\" }\n[people]\nlinked = false\n[privacy]\nk-anonymity = 5\n\
        [output]\nfolder = \"release\"\n";
    std::fs::write(folder.path().join("job.toml"), job).unwrap();
    run(folder.path(), "job.toml").unwrap();
    let release = folder.path().join("release");
    let verdict = privet::verify(&release, VerifyOptions::default()).unwrap();
    let check = verdict.checks.iter().find(|own| own.name == "k-anonymity").unwrap();
    assert!(verdict.holds() && check.detail.contains("proof of 5 people"), "{check:?}");
    assert!(!std::fs::read_to_string(release.join("stays.csv")).unwrap().contains("person"));
    // Ten rows of five people are no six people: then the ward says nothing. All rows are those of twenty.
    let with = |k: &str| {
        let job = job.replace("k-anonymity = 5", k).replace("[output]", "[output]\nreplace = true");
        std::fs::write(folder.path().join("job.toml"), job).unwrap();
        run(folder.path(), "job.toml")
    };
    with("k-anonymity = 6").unwrap();
    assert!(table(&release.join("stays.csv")).iter().all(|own| own[1] == "*"));
    assert_eq!(with("k-anonymity = 21").unwrap_err().fault(), Fault::Refused);
}

#[test]
fn households_are_counted_where_they_are_known() {
    let folder = tempfile::tempdir().unwrap();
    // Twelve households of two, of which the last has other ages.
    let rows: String = (0..24)
        .map(|own| {
            format!("p{own},h{},{},{}\n", own / 2, if own < 22 { 30 + own % 2 } else { 70 }, 100 + own)
        })
        .collect();
    std::fs::write(folder.path().join("people.csv"), format!("id,hh,age,w\n{rows}")).unwrap();
    let job = |most: f64| {
        format!(
            "kind = \"tables\"\n[[tables]]\nname = \"people\"\npath = \"people.csv\"\nperson = \"id\"\nkey = \"id\"\n[tables.columns]\n\
             age = {{ role = \"quasi\" }}\n[people]\nhousehold = \"hh\"\nweight = \"w\"\nsuppress-at-most = {most}\n[privacy]\n\
             k-anonymity = 4\n[output]\nfolder = \"release\"\nreplace = true\n"
        )
    };
    let at = |most: f64| {
        std::fs::write(folder.path().join("job.toml"), job(most)).unwrap();
        let report = run(folder.path(), "job.toml").unwrap();
        assert!(verified(&folder.path().join("release")));
        (table(&folder.path().join("release/people.csv")), report)
    };
    // The odd household goes as a whole, or all ages say nothing.
    let (rows, report) = at(0.1);
    assert_eq!(rows.len(), 22);
    assert!(rows.iter().any(|own| own[1] == "31"), "{rows:?}");
    let ids: Vec<&str> = report.assessment.findings.iter().map(|own| own.attack.as_str()).collect();
    assert!(
        ids.iter().any(|own| own.starts_with("household"))
            && ids.iter().any(|own| own.starts_with("population")),
        "{ids:?}"
    );
    let (rows, _) = at(0.0);
    assert!(rows.len() == 24 && rows.iter().all(|own| own[1] == "*"), "{rows:?}");
}

#[test]
fn a_series_keeps_what_is_possible_and_counts_its_counterfeits() {
    let folder = tempfile::tempdir().unwrap();
    let (_, chapters) = privet::demo("series", &folder.path().join("story"), &Silent).unwrap();
    for chapter in &chapters {
        let report = chapter.outcome.as_ref().unwrap_or_else(|error| panic!("{error}"));
        assert!(verified(&report.release));
        assert_eq!(report.assessment.worst().map(|own| own.risk()), Some(0.0));
    }
    let body = |number: usize| {
        let bytes =
            std::fs::read(folder.path().join(format!("story/release-{number}")).join(MANIFEST)).unwrap();
        Envelope::parse(&bytes).unwrap().body
    };
    assert_eq!(body(1)["counterfeits"], 0);
    assert_eq!((body(2)["release"].as_u64(), body(3)["release"].as_u64()), (Some(2), Some(3)));
    // A person whose value changed cannot be kept invariant.
    let path = folder.path().join("story/quarter-3.csv");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace(",flu", ",gout")).unwrap();
    let error = run(&folder.path().join("story"), "third.toml").unwrap_err();
    assert!(error.to_string().contains("may not change"), "{error}");
}

#[test]
fn the_story_of_tables_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let (_, chapters) = privet::demo("tables", &folder.path().join("story"), &Silent).unwrap();
    for chapter in &chapters {
        let report = chapter.outcome.as_ref().unwrap_or_else(|error| panic!("{error}"));
        assert!(verified(&report.release));
        let measured = privet::measure(&chapter.job, &report.release, None, &Silent).unwrap();
        assert!(measured.figures.iter().any(|own| own.name == "rows of visits"), "{:?}", measured.figures);
    }
}

/// A plain table, and a job about records that says whose the rows are: ten rows of one person are one person.
#[test]
fn a_job_without_a_kind_counts_people_where_it_names_them() {
    let folder = tempfile::tempdir().unwrap();
    // Two people of 27 with six rows each, and thirty of 40 to 60 with two: counted by rows, the class of the young has twelve.
    let row = |id: u32, age: u32, visit: u32| {
        format!("Mallory{id},{age},{}\n", ["flu", "cold", "gout"][visit as usize % 3])
    };
    let young = (0..2).flat_map(|id| (0..6).map(move |visit| row(id, 27, visit)));
    let others = (2..32).flat_map(|id| (0..2).map(move |visit| row(id, 40 + id % 3 * 10, visit + id)));
    let text: String =
        std::iter::once("patient_id,age,ill\n".to_owned()).chain(young).chain(others).collect();
    std::fs::write(folder.path().join("visits.csv"), text).unwrap();
    let job = "[input]\npath = \"visits.csv\"\nperson = \"patient_id\"\n[columns.age]\nrole = \"quasi\"\n\
        hierarchy = { intervals = [10], min = 0 }\n[columns.ill]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 5\n\
        [search]\nsuppress-at-most = 0.1\n[output]\nfolder = \"release\"\nhome = \"home\"\nreplace = true\n";
    let path = folder.path().join("job.toml");
    std::fs::write(&path, job).unwrap();
    let run = |settings: &[String]| privet::run(&privet::read_job(&path, settings)?, &[], &Silent);
    let report = run(&[]).unwrap();
    let release = folder.path().join("release");
    assert!(verified(&release));
    assert!(report.promises.iter().any(|own| own.contains("5 people")), "{:?}", report.promises);
    let rows = table(&release.join("data.csv"));
    let people: std::collections::BTreeSet<&str> = rows.iter().map(|row| row[0].as_str()).collect();
    // The two are suppressed with all their rows, and nobody else.
    assert_eq!((people.len(), rows.len()), (30, 60));
    let file = std::fs::read_to_string(release.join("data.csv")).unwrap();
    assert!(!file.contains("Mallory") && !file.contains("[20"));
    // Nobody may be suppressed: then ages say less, and nobody is known by the number of their rows. And the owner's verbs find the original by the same job.
    run(&["search.suppress-at-most=0", "input.at-most=2"].map(str::to_owned)).unwrap();
    assert_eq!(table(&release.join("data.csv")).len(), 64);
    assert!(privet::measure(&path, &release, None, &Silent).is_ok());
    let refused = run(&["privacy.k-anonymity=40".to_owned()]).unwrap_err();
    assert_eq!(refused.fault(), Fault::Refused, "{refused}");
}
