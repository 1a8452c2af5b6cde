//! Public data of the shapes: patients in several tables, households of a survey with weights. Skipped where the data are not there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use privet::JobFile;
use privet_data::{Kind, Silent};
use privet_release::VerifyOptions;

/// A file of the public data; nothing where it is not there.
fn shared(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(name);
    if !path.exists() {
        eprintln!("skipped: {} is not there", path.display());
        return None;
    }
    Some(path)
}

/// The rows of a CSV file without quotation marks, by the names of its columns.
fn rows(path: &Path) -> Vec<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells.len(), names.len(), "a line with another number of cells");
        names.iter().zip(cells).map(|(name, cell)| ((*name).to_owned(), cell.to_owned())).collect()
    };
    lines.map(row).collect()
}

fn run(folder: &Path, job: &str) -> privet::Report {
    std::fs::write(folder.join("job.toml"), job).unwrap();
    let job = JobFile::read(&folder.join("job.toml"), &[]).unwrap();
    let report = privet::run(&job, &["privet anonymize job.toml".to_owned()], &Silent)
        .unwrap_or_else(|error| panic!("{error}"));
    let verdict = privet::verify(&folder.join("release"), VerifyOptions::default()).unwrap();
    assert!(verdict.holds(), "{:?}", verdict.failures().collect::<Vec<_>>());
    report
}

fn days(text: &str) -> f64 {
    Kind::Date.number(text).unwrap()
}

#[test]
fn patients_of_several_tables_stay_together() {
    let Some(folder) = shared("synthea-1k") else { return };
    let home = tempfile::tempdir().unwrap();
    for name in ["patients.csv", "encounters.csv", "conditions.csv"] {
        std::fs::copy(folder.join(name), home.path().join(name)).unwrap();
    }
    let job = "kind = \"tables\"\n\
        [[tables]]\nname = \"patients\"\npath = \"patients.csv\"\nperson = \"ID\"\nkey = \"ID\"\n[tables.columns]\n\
        GENDER = { role = \"quasi\" }\nRACE = { role = \"quasi\" }\nMARITAL = { role = \"insensitive\" }\n\
        [[tables]]\nname = \"encounters\"\npath = \"encounters.csv\"\nperson = \"PATIENT\"\nkey = \"ID\"\nat-most = 2\n[tables.columns]\n\
        DATE = { role = \"date\" }\nDESCRIPTION = { role = \"quasi\" }\n\
        [[tables]]\nname = \"conditions\"\npath = \"conditions.csv\"\nperson = \"PATIENT\"\nat-most = 1\n\
        references = { ENCOUNTER = \"encounters\" }\n[tables.columns]\nSTART = { role = \"date\" }\nDESCRIPTION = { role = \"sensitive\" }\n\
        [people]\nsuppress-at-most = 0.1\nshift-dates = 200\n[privacy]\nk-anonymity = 10\n\
        [output]\nfolder = \"release\"\nhome = \"home\"\n";
    let report = run(home.path(), job);
    assert!(report.promises.iter().any(|own| own.contains("10 people")), "{:?}", report.promises);
    let at = |name: &str| rows(&home.path().join("release").join(name));
    let (patients, encounters, conditions) = (at("patients.csv"), at("encounters.csv"), at("conditions.csv"));
    assert!(patients.len() > 1300 && !conditions.is_empty(), "{} {}", patients.len(), conditions.len());
    // References lead to a row of the same person.
    let person_of: BTreeMap<&str, &str> =
        encounters.iter().map(|own| (own["ID"].as_str(), own["PATIENT"].as_str())).collect();
    let known: BTreeSet<&str> = patients.iter().map(|own| own["ID"].as_str()).collect();
    assert!(encounters.iter().all(|own| known.contains(own["PATIENT"].as_str())));
    assert!(conditions.iter().all(|own| person_of[own["ENCOUNTER"].as_str()] == own["PATIENT"]));
    // At least ten people look alike in what others know: sex, origin, and the descriptions of all encounters.
    let mut classes: BTreeMap<(String, String, Vec<&str>), usize> = BTreeMap::new();
    for own in &patients {
        let mut shown: Vec<&str> = encounters
            .iter()
            .filter(|row| row["PATIENT"] == own["ID"])
            .map(|row| row["DESCRIPTION"].as_str())
            .collect();
        shown.sort_unstable();
        *classes.entry((own["GENDER"].clone(), own["RACE"].clone(), shown)).or_default() += 1;
    }
    assert!(classes.len() > 1 && classes.values().all(|own| *own >= 10), "{classes:?}");
    // The days between the encounters of a person are those of the original, and the days themselves are not.
    let originals = rows(&home.path().join("encounters.csv"));
    let mut dates: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    originals.iter().for_each(|own| dates.entry(&own["PATIENT"]).or_default().push(&own["DATE"]));
    let mut moved = 0;
    let who = rows(&home.path().join("home/people.csv"));
    for own in who.iter().filter(|own| known.contains(own["pseudonym"].as_str())).take(200) {
        let before = &dates[own["person"].as_str()];
        let after: Vec<&str> = encounters
            .iter()
            .filter(|row| row["PATIENT"] == own["pseudonym"])
            .map(|row| row["DATE"].as_str())
            .collect();
        moved += usize::from(after[0] != before[0]);
        for pair in after.windows(2) {
            let gap = days(pair[1]) - days(pair[0]);
            assert!(
                before.iter().any(|a| before.iter().any(|b| days(b) - days(a) == gap)),
                "an interval changed"
            );
        }
    }
    assert!(moved > 150, "{moved}");
    let text = std::fs::read_to_string(home.path().join("release/conditions.csv")).unwrap();
    assert!(
        originals.iter().take(50).all(|own| !text.contains(&own["PATIENT"]) && !text.contains(&own["ID"]))
    );
}

/// Households by what their published members show; the promise is that so many look the same.
fn smallest_class(release: &Path, person: &str, household: &str, quasi: &[&str]) -> usize {
    let mut members: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
    for row in rows(release) {
        assert!(!row[person].is_empty());
        let shown = quasi.iter().map(|own| row[*own].clone()).collect();
        members.entry(row[household].clone()).or_default().push(shown);
    }
    let mut alike: BTreeMap<Vec<Vec<String>>, usize> = BTreeMap::new();
    for mut own in members.into_values() {
        own.sort();
        *alike.entry(own).or_default() += 1;
    }
    alike.into_values().min().unwrap()
}

fn risk(report: &privet::Report, attack: &str) -> f64 {
    let found = report.assessment.findings.iter().find(|own| own.attack == attack);
    found.unwrap_or_else(|| panic!("{attack} was not made")).risk()
}

#[test]
fn households_of_a_survey_with_weights() {
    let Some(path) = shared("eusilc-synthetic/eusilc.csv") else { return };
    let home = tempfile::tempdir().unwrap();
    std::fs::copy(path, home.path().join("eusilc.csv")).unwrap();
    let job = |k: u64| {
        format!(
            "kind = \"tables\"\n[[tables]]\nname = \"people\"\npath = \"eusilc.csv\"\nperson = \"rb030\"\nkey = \"rb030\"\n\
             [tables.columns]\nage = {{ role = \"quasi\", hierarchy = {{ intervals = [20, 60], min = 0 }} }}\n\
             rb090 = {{ role = \"quasi\" }}\npl030 = {{ role = \"sensitive\" }}\n[people]\nhousehold = \"db030\"\nweight = \"rb050\"\n\
             suppress-at-most = 0.1\n[privacy]\nk-anonymity = {k}\n[output]\nfolder = \"release\"\nreplace = true\n"
        )
    };
    let loose = run(home.path(), &job(1));
    let alone = risk(&loose, "household-member");
    let report = run(home.path(), &job(5));
    assert!(
        smallest_class(&home.path().join("release/people.csv"), "rb030", "db030", &["age", "rb090"]) >= 5
    );
    // A household is found through any member: more than one person alone is found in a population of weights.
    let (household, population) = (risk(&report, "household-member"), risk(&report, "population-match"));
    assert!(household < alone && population < household, "{alone} {household} {population}");
    let measured =
        privet::measure(&home.path().join("job.toml"), &home.path().join("release"), None, &Silent).unwrap();
    assert!(measured.figures.iter().any(|own| own.name == "people.pl030"), "{:?}", measured.figures);
}

#[test]
fn households_of_a_sample_keep_their_weights() {
    let Some(path) = shared("sdcmicro-testdata/testdata.csv") else { return };
    let home = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let numbered: String =
        lines.clone().skip(1).enumerate().map(|(id, line)| format!("p{id},{line}\n")).collect();
    std::fs::write(home.path().join("sample.csv"), format!("id,{}\n{numbered}", lines.next().unwrap()))
        .unwrap();
    let job = "kind = \"tables\"\n[[tables]]\nname = \"people\"\npath = \"sample.csv\"\nperson = \"id\"\nkey = \"id\"\n[tables.columns]\n\
        urbrur = { role = \"quasi\" }\nsex = { role = \"quasi\" }\nwater = { role = \"sensitive\" }\n[people]\nhousehold = \"ori_hid\"\n\
        weight = \"sampling_weight\"\nsuppress-at-most = 0.1\n[privacy]\nk-anonymity = 3\n[output]\nfolder = \"release\"\n";
    let report = run(home.path(), job);
    let release = home.path().join("release/people.csv");
    assert!(smallest_class(&release, "id", "ori_hid", &["urbrur", "sex"]) >= 3);
    let published = rows(&release);
    assert!(published.len() > 4100 && published.iter().all(|own| own["sampling_weight"] == "100"));
    // Each stands for a hundred: a match in the population is rarer by about as much than one in the sample.
    let (household, population) = (risk(&report, "household-member"), risk(&report, "population-match"));
    assert!(population > 0.0 && population < household / 10.0, "{household} {population}");
}
