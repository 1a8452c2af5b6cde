//! The minimality attack by a list of people (survey AT-09): the original tells who is right and nothing else.

use serde_json::Value;

use crate::dir::Dir;

/// survey FX-4.1, with names.
const PATIENTS: [(&str, &str, &str, &str); 8] = [
    ("Al", "94085", "M", "HIV"),
    ("Bo", "14085", "M", "HIV"),
    ("Cy", "14085", "F", "None"),
    ("Di", "94085", "F", "HIV"),
    ("Ed", "14085", "F", "Flu"),
    ("Fi", "14085", "F", "None"),
    ("Gu", "14085", "F", "None"),
    ("Ha", "14085", "F", "Flu"),
];

const JOB: &str = "[input]\npath = \"patients.csv\"\n[columns.name]\nrole = \"identifier\"\n[columns.zip]\nrole = \"quasi\"\n\
     [columns.gender]\nrole = \"quasi\"\n[columns.disease]\nrole = \"sensitive\"\n[privacy]\n\
     alpha-k = { alpha = 0.5, k = 1, values = [\"HIV\"] }\n";

const KNOWLEDGE: &str = "job = \"job.toml\"\n[people]\npath = \"people.csv\"\nname = \"name\"\n";

const ATTACK: [&str; 6] =
    ["attack", "release", "--knowledge", "knowledge.toml", "--attacks", "minimality,disclosure-sets"];

/// survey FX-6.1 published, with a list of those in the data and of others with these columns.
fn hospital(others: &[(&str, &str)]) -> Dir {
    let dir = Dir::new();
    let rows = PATIENTS.map(|(name, zip, gender, disease)| format!("{name},{zip},{gender},{disease}\n"));
    dir.write("patients.csv", format!("name,zip,gender,disease\n{}", rows.concat()));
    let mut people = String::from("name,zip,gender\n");
    for (name, zip, gender, _) in PATIENTS {
        people.push_str(&format!("{name},{zip},{gender}\n"));
    }
    for (number, (zip, gender)) in others.iter().enumerate() {
        people.push_str(&format!("X{number},{zip},{gender}\n"));
    }
    dir.write("people.csv", people).write("knowledge.toml", KNOWLEDGE);
    dir.write("job.toml", format!("{JOB}[search]\nalgorithm = \"attribute-suppression\"\n"));
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    dir
}

fn finding<'a>(assessed: &'a Value, attack: &str) -> &'a Value {
    let all = assessed["attacks"].as_array().unwrap();
    all.iter().find(|own| own["attack"] == attack).unwrap_or_else(|| panic!("no {attack} in {assessed:#}"))
}

fn rate(finding: &Value, which: &str) -> (u64, u64) {
    (finding[which]["hits"].as_u64().unwrap(), finding[which]["of"].as_u64().unwrap())
}

/// survey FX-6.1: whoever has the job and a list of the eight, and nothing of the original, knows the three.
#[test]
fn a_list_and_the_job_tell_the_three_patients() {
    let dir = hospital(&[]);
    let table = dir.text("patients.csv");
    std::fs::remove_file(dir.path("patients.csv")).unwrap();
    let assessed = dir.expect(0, &[&ATTACK[..], &["--json", "--people", "who.csv"]].concat()).json();
    for attack in ["minimality", "disclosure-sets"] {
        let own = finding(&assessed, attack);
        assert_eq!((rate(own, "exposed"), rate(own, "control")), ((3, 8), (0, 8)), "{own:#}");
        assert!(own["right"].is_null() && own["risk"] == 0.375, "{own:#}");
        let notes = own["notes"].to_string();
        assert!(notes.contains("All 560 worlds were gone through; 10 of them lead"), "{notes}");
    }
    let who = dir.text("who.csv");
    for name in ["Al", "Bo", "Di"] {
        assert!(who.contains(&format!("\n{name},minimality,disease,8,yes,HIV,1.0000,,")), "{who}");
    }
    assert!(who.contains("\nCy,minimality,disease,8,no,None,0.6000,,"), "{who}");

    // The original tells that this is right.
    dir.write("patients.csv", table);
    let assessed = dir.expect(0, &[&ATTACK[..], &["--json", "--original", "job.toml"]].concat()).json();
    let own = finding(&assessed, "minimality");
    assert_eq!((rate(own, "exposed"), rate(own, "right")), ((3, 8), (3, 3)), "{own:#}");
}

/// survey AT-09: with five men and five women of each zip on the list nobody is exposed. Which zip and which gender somebody has may then
/// be exchanged, so that what is believed is what three, three and two of eight have.
#[test]
fn others_on_the_list_weaken_it() {
    let kinds = [("94085", "M"), ("14085", "M"), ("94085", "F")];
    let others: Vec<(&str, &str)> = kinds.into_iter().flat_map(|own| [own; 4]).collect();
    let dir = hospital(&others);
    let args = ["--json", "--original", "job.toml", "--people", "who.csv", "--confidence", "0.5"];
    let assessed = dir.expect(0, &[&ATTACK[..], &args].concat()).json();
    for attack in ["minimality", "disclosure-sets"] {
        let own = finding(&assessed, attack);
        assert_eq!((rate(own, "exposed"), rate(own, "control")), ((0, 8), (0, 8)), "{own:#}");
        let notes = own["notes"].to_string();
        // 20 over 8, times the 560 ways to share out their values.
        assert!(notes.contains("All 70543200 worlds were gone through"), "{notes}");
        assert!(notes.contains("The list has 20 people and the table 8 records"), "{notes}");
    }
    let who = dir.text("who.csv");
    for name in PATIENTS.map(|own| own.0).into_iter().chain(["X0", "X11"]) {
        let line = who.lines().find(|line| line.starts_with(&format!("{name},minimality,"))).unwrap();
        assert!(line.ends_with(",HIV 0.3750; None 0.3750; Flu 0.2500"), "{line}");
    }
}

#[test]
fn a_list_that_is_not_enough_is_refused() {
    let dir = hospital(&[]);
    let people = dir.text("people.csv");
    dir.write("people.csv", people.replace("Ha,14085,F\n", ""));
    dir.expect(2, &ATTACK).says("lacks some who are in the data (1 at least)");
    dir.write("people.csv", people.replace("Ha,14085,F", "Ha,,F"));
    dir.expect(2, &ATTACK).says("does not tell every quasi column of everybody");
    // The people of another table: none of its worlds was published without zips.
    dir.write("people.csv", people.replace("94085", "14085"));
    dir.expect(2, &ATTACK).says("the job does not lead to this release");
    // Neither people nor the original.
    dir.write("knowledge.toml", "job = \"job.toml\"\n");
    dir.expect(2, &ATTACK).says("the people: [people] in the knowledge file, or the original");
}

/// Keys that were set when the release was made are set for the attack, too.
#[test]
fn what_was_set_is_set_again() {
    let dir = hospital(&[]);
    dir.write("job.toml", JOB);
    let set = ["--set", "search.algorithm=\"attribute-suppression\""];
    for original in [&[][..], &["--original", "job.toml"]] {
        let args = [&ATTACK[..], original].concat();
        dir.expect(2, &args).says("the job does not lead to this release").says("set there by --set");
        let assessed = dir.expect(0, &[&args[..], &set, &["--json"]].concat()).json();
        assert_eq!(rate(finding(&assessed, "minimality"), "exposed"), (3, 8));
    }
    dir.expect(2, &["attack", "release", "--original", "patients.csv", "--set", "privacy.k-anonymity=2"])
        .says("--set sets keys of the job");
}

/// A mistake in the knowledge file is an error, also where another job is used.
#[test]
fn a_job_of_the_knowledge_that_there_is_not_is_an_error() {
    let dir = hospital(&[]);
    dir.write("knowledge.toml", KNOWLEDGE.replace("job.toml", "nix.toml"));
    let args = ["attack", "release", "--knowledge", "knowledge.toml", "--attacks", "linking"];
    for more in [&["--original", "job.toml"][..], &["--job", "job.toml"], &[]] {
        dir.expect(2, &[&args[..], more].concat()).says("nix.toml: the job file cannot be read");
    }
    let job = dir.text("job.toml");
    dir.write("job.toml", format!("{job}[adversary]\nknowledge = \"knowledge.toml\"\n"));
    dir.expect(2, &["anonymize", "job.toml", "--output", "other"])
        .says("nix.toml: the job file cannot be read");
    dir.write("nix.toml", "no job at all");
    dir.expect(2, &["anonymize", "job.toml", "--output", "other"]).says("`job`: ").says("nix.toml");
}
