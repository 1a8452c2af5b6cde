//! What is handed over runs outside the page and gives the same release, byte for byte.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};

use crate::client::{Client, Server, people};

fn unpacked(client: &Client, address: &str) -> BTreeMap<String, Vec<u8>> {
    let answer = client.get(address);
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.header("content-length"), answer.body.len().to_string());
    let mut archive = zip::ZipArchive::new(Cursor::new(answer.body)).unwrap();
    (0..archive.len())
        .map(|number| {
            let mut file = archive.by_index(number).unwrap();
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).unwrap();
            (file.name().unwrap().into_owned(), bytes)
        })
        .collect()
}

#[test]
fn the_archive_of_a_project_makes_the_same_release_elsewhere() {
    let server = Server::start();
    let client = server.client();
    let project = client.upload("Patients 2026.csv", people(300).as_bytes());
    let fields: Vec<(String, &str)> = ["identifier", "quasi", "quasi", "quasi", "sensitive", "identifier"]
        .iter()
        .enumerate()
        .map(|(number, role)| (format!("role-{number}"), *role))
        .collect();
    let fields: Vec<(&str, &str)> = fields.iter().map(|(name, role)| (name.as_str(), *role)).collect();
    assert_eq!(client.post(&format!("{project}/roles"), &fields).status, 303);
    for fields in [
        vec![("column", "1"), ("kind", "intervals"), ("intervals", "10, 20"), ("min", "0")],
        vec![("column", "2"), ("kind", "mask"), ("mask", "right")],
        vec![("column", "3"), ("kind", "file")],
    ] {
        assert_eq!(client.post(&format!("{project}/hierarchies"), &fields).status, 303);
    }
    let promises = [
        ("k-anonymity", "yes"),
        ("k-anonymity.k", "4"),
        ("l-diversity", "yes"),
        ("l-diversity.l", "3"),
        ("l-diversity.kind", "distinct"),
        ("suppress", "5"),
    ];
    assert_eq!(client.post(&format!("{project}/promises"), &promises).status, 303);
    let made = client.work(&project, "run");
    assert!(made.contains("First records of the release"), "{made}");
    let of_page = unpacked(&client, &format!("{project}/file/release.zip"));

    let parts = unpacked(&client, &format!("{project}/file/project.zip"));
    let names: Vec<&str> = parts.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        ["Patients 2026.csv", "hierarchies/column-3.csv", "job.toml", "release.py", "release.sh"]
    );
    let elsewhere = tempfile::tempdir().unwrap();
    for (name, bytes) in &parts {
        let path = elsewhere.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    let job = privet_job::Job::read(&elsewhere.path().join("job.toml"), &[]).unwrap();
    let options = privet_job::RunOptions {
        base: elsewhere.path().to_owned(),
        reproduce: vec!["privet anonymize job.toml".to_owned()],
        show_values: false,
    };
    privet_job::run(&job, &options, &privet_data::Silent).unwrap();
    for (name, bytes) in &of_page {
        let own = std::fs::read(elsewhere.path().join(name)).unwrap();
        assert!(own == *bytes, "{name} differs");
    }
    let count = std::fs::read_dir(elsewhere.path().join("release")).unwrap().count();
    assert_eq!(count, of_page.len());

    // The scripts say what they need, and the job file alone names the data as its owner does.
    for script in ["release.sh", "release.py"] {
        let text = client.get(&format!("{project}/file/{script}")).text();
        assert!(text.contains("Patients 2026.csv") && text.contains("hierarchies/column-3.csv"), "{text}");
        assert_eq!(text.as_bytes(), parts[script]);
    }
    let job = client.get(&format!("{project}/file/job.toml")).text();
    assert!(job.contains("path = \"Patients 2026.csv\""), "{job}");
    assert_eq!(client.post(&format!("{project}/job"), &[("job", &job)]).status, 303, "and it can come back");
    assert!(client.work(&project, "run").contains("First records of the release"));
}

/// What was found about one release is not shown with the next.
#[test]
fn a_new_release_has_neither_verdict_nor_attack_of_the_old_one() {
    let server = Server::start();
    let client = server.client();
    let project = client.upload("patients.csv", people(100).as_bytes());
    let promises = [("k-anonymity", "yes"), ("k-anonymity.k", "2"), ("suppress", "100")];
    assert_eq!(client.post(&format!("{project}/promises"), &promises).status, 303);
    client.work(&project, "run");
    client.work(&project, "verify");
    assert!(client.work(&project, "attack").contains("conclusions, with the record"));
    assert!(client.get(&format!("{project}/handover")).text().contains("All promises hold."));
    let again = client.work(&project, "run");
    assert!(!again.contains("conclusions, with the record"), "{again}");
    assert!(!client.get(&format!("{project}/handover")).text().contains("All promises hold."));
    assert_eq!(client.get(&format!("{project}/file/people.csv")).status, 404);
}
