//! What opens the gate before a release is handed over, and what does not.

use serde_json::Value;

use crate::attack::PATIENTS;
use crate::dir::{CANARY, Dir};

fn job(more: &str) -> String {
    format!(
        "[input]\npath = \"patients.csv\"\n[columns.name]\nrole = \"identifier\"\n[columns.age]\nrole = \"quasi\"\n\
         hierarchy = {{ intervals = [10], min = 0 }}\n[columns.condition]\nrole = \"sensitive\"\n{more}"
    )
}

fn all<'a>(report: &'a Value, attack: &str) -> Vec<&'a Value> {
    report["attacks"].as_array().unwrap().iter().filter(|own| own["attack"] == attack).collect()
}

fn finding<'a>(report: &'a Value, attack: &str) -> &'a Value {
    all(report, attack).first().copied().unwrap_or_else(|| panic!("no {attack} in {report:#}"))
}

fn rate(finding: &Value, which: &str) -> (u64, u64) {
    let number =
        |key: &str| finding[which][key].as_u64().unwrap_or_else(|| panic!("no {which} in {finding:#}"));
    (number("hits"), number("of"))
}

/// Two hundred people in twenty ages, in classes of at least ten who look alike.
fn crowd(order: impl Iterator<Item = usize>) -> String {
    let line = |n: usize| format!("P{n},{},{}\n", 20 + n % 20, ["Flu", "Cold", "HIV"][n * 7 % 3]);
    format!("name,age,condition\n{}", order.map(line).collect::<String>())
}

/// survey AT-24: a release that keeps the order of its input must not be linked by it. The same people in another order fall
/// as often, and those who look like others not at all.
#[test]
fn record_linkage_does_not_see_the_order() {
    let dir = Dir::new();
    dir.write("patients.csv", crowd(0..200)).write("shuffled.csv", crowd((0..200).map(|n| n * 77 % 200)));
    dir.write("job.toml", job("[privacy]\nk-anonymity = 5\n"));
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let mut told = Vec::new();
    for people in ["patients.csv", "shuffled.csv"] {
        dir.write("knowledge.toml", format!("[people]\npath = \"{people}\"\nname = \"name\"\n"));
        let args = [
            "attack",
            "release",
            "--original",
            "job.toml",
            "--knowledge",
            "knowledge.toml",
            "--attacks",
            "record-linkage",
            "--json",
        ];
        let assessed = dir.expect(0, &args).json();
        let own = finding(&assessed, "record-linkage").clone();
        assert_eq!((rate(&own, "exposed"), own["risk"].as_f64()), ((0, 200), Some(0.0)), "{own:#}");
        assert!(own["notes"].to_string().contains("No pair is called a link"), "{own:#}");
        assert!(own["notes"].to_string().contains("For 200 people several records"), "{own:#}");
        told.push((own["exposed"].clone(), own["right"].clone(), own["notes"].clone()));
    }
    assert_eq!(told[0], told[1]);
}

/// A typo in the knowledge file is an error, whichever attacks are asked for, and says where without what stands there.
#[test]
fn a_typo_does_not_open_the_gate() {
    let dir = Dir::new();
    dir.write("patients.csv", PATIENTS);
    dir.write("job.toml", job("[privacy]\nk-anonymity = 4\n"));
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    dir.write("gated.toml", job("[privacy]\nk-anonymity = 4\n[adversary]\nmax-risk = 1.0\nknowledge = \"knowledge.toml\"\n[output]\nfolder = \"gated\"\n"));
    let people = "[people]\npath = \"patients.csv\"\nname = \"name\"\n";
    for (knowledge, says) in [
        ("statements = [\"(((\"]\n".to_owned() + people, "`statements`, the 1. of them"),
        (format!("statements = ['{CANARY} = Flu']\n{people}"), "`statements`, the 1. of them"),
        (
            format!("{people}[[records]]\nperson = \"{CANARY}\"\nvalue = \"Flu\"\n"),
            "`records`, the 1. of them",
        ),
        (
            format!("{people}[[records]]\nperson = \"Fox\"\nvalue = \"{CANARY}\"\n"),
            "`records`, the 1. of them",
        ),
    ] {
        dir.write("knowledge.toml", knowledge);
        dir.expect(2, &["anonymize", "gated.toml"]).says(says).says("knowledge.toml");
        assert!(!dir.names(".").contains(&"gated".to_owned()));
        let attack = ["attack", "release", "--knowledge", "knowledge.toml", "--original", "job.toml"];
        dir.expect(2, &attack).says(says).says("knowledge.toml");
        dir.expect(2, &[&attack[..], &["--attacks", "homogeneity"]].concat()).says(says);
    }
}

/// An adversary may believe anything, also of values that there are not. Nobody of the data has them, so such beliefs weigh
/// nothing, and the result says how many there are.
#[test]
fn beliefs_in_values_that_there_are_not_are_no_mistake() {
    let dir = Dir::new();
    dir.write("patients.csv", PATIENTS);
    dir.write("job.toml", job("[privacy]\nk-anonymity = 4\n"));
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let people = "[people]\npath = \"patients.csv\"\nname = \"name\"\n";
    let args = |attack: &'static str| {
        [
            "attack",
            "release",
            "--knowledge",
            "k.toml",
            "--original",
            "job.toml",
            "--attacks",
            attack,
            "--json",
        ]
    };
    let found = |attack: &'static str, knowledge: &str| {
        // What belongs to no part comes first.
        dir.write("k.toml", format!("{knowledge}{people}"));
        finding(&dir.expect(0, &args(attack)).json(), attack).clone()
    };
    let notes = |own: &Value| own["notes"].to_string();
    let negations = |not: &str| {
        found("background-knowledge", &format!("[[negations]]\nperson = \"Fox\"\nnot = [{not}]\n"))
    };
    let (plain, more) = (negations("\"Flu\""), negations(&format!("\"Flu\", \"{CANARY}\"")));
    assert_eq!(plain["exposed"], more["exposed"]);
    assert!(
        notes(&more)
            .contains("Denied values that nobody is published with, so that denying them tells nothing: 1.")
    );
    let said =
        found("background-knowledge", &format!("statements = ['Fox != \"Flu\" and Fox != \"{CANARY}\"']\n"));
    assert!(notes(&said).contains("nobody is published with, so that nobody has them: 1."), "{said:#}");
    assert_eq!(plain["exposed"], said["exposed"]);
    for attack in ["bayes-optimal", "independence", "max-entropy"] {
        // Who believes in nothing else is wrong, and does as if nothing was believed.
        let alone = found(attack, &format!("[[priors]]\nshares = {{ {CANARY} = 1.0 }}\n"));
        assert!(notes(&alone).contains("their share weighs nothing: 1."), "{attack} {alone:#}");
    }
    for attack in ["bayes-optimal", "independence"] {
        // The share of a value that there is not goes to nobody: the others keep their proportions.
        let with = found(attack, &format!("[[priors]]\nshares = {{ Flu = 0.3, {CANARY} = 0.5 }}\n"));
        assert!(notes(&with).contains("their share weighs nothing: 1."), "{attack} {with:#}");
    }
}

/// What is asked for by name and cannot be made is no success, and a limit needs something that counts.
#[test]
fn what_cannot_be_made_is_no_success() {
    let dir = Dir::new();
    dir.write("patients.csv", PATIENTS);
    dir.write("job.toml", job("[privacy]\nk-anonymity = 4\n"));
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    for names in ["background-knowledge", "composition,minimality", "homogeneity,composition"] {
        let args = ["attack", "release", "--attacks", names, "--max-risk", "1"];
        dir.expect(2, &args).says("which cannot be made");
    }
    dir.expect(2, &["attack", "release", "--attacks", "boolean", "--max-risk", "0.05"])
        .says("none of `--attacks` counts");
    let told = dir.expect(0, &["attack", "release", "--attacks", "boolean,homogeneity"]);
    let told = told.out;
    assert!(
        told.contains("Only informs") && told.contains("without those that only inform (boolean)"),
        "{told}"
    );
}

/// Who is stated to have a value is not exposed by the release.
#[test]
fn what_was_known_is_not_learned() {
    let dir = Dir::new();
    dir.write("patients.csv", PATIENTS);
    dir.write("job.toml", job("[privacy]\nk-anonymity = 4\n"));
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    dir.write(
        "knowledge.toml",
        "[people]\npath = \"patients.csv\"\nname = \"name\"\n[[records]]\nperson = \"Ann\"\nvalue = \"Heart disease\"\n",
    );
    let args = [
        "attack",
        "release",
        "--original",
        "job.toml",
        "--knowledge",
        "knowledge.toml",
        "--attacks",
        "background-knowledge",
        "--people",
        "who.csv",
        "--json",
    ];
    let assessed = dir.expect(0, &args).json();
    let own = finding(&assessed, "background-knowledge");
    assert_eq!((rate(own, "exposed").1, rate(own, "control").1), (11, 11), "{own:#}");
    assert!(own["notes"].to_string().contains("left out"), "{own:#}");
    assert!(dir.text("who.csv").contains("Ann,background-knowledge,condition,12,known,"));
}

/// Anatomy over people whose condition goes with their age: three of four values in every bucket.
fn anatomy(more: &str) -> Dir {
    let dir = Dir::new();
    let line = |n: usize| {
        let kind = n % 4;
        format!("P{n},{},{}\n", 20 + 15 * kind + n / 4 % 4, ["Flu", "Cold", "HIV", "Asthma"][kind])
    };
    dir.write("patients.csv", format!("name,age,condition\n{}", (0..600).map(line).collect::<String>()));
    dir.write(
        "job.toml",
        job(&format!(
            "[privacy]\nl-diversity = {{ kind = \"distinct\", l = 3 }}\n[search]\nalgorithm = \"anatomy\"\n{more}"
        )),
    );
    dir
}

/// survey AT-12: buckets that homogeneity leaves alone fall to deFinetti, and the gate tries it unasked.
#[test]
fn buckets_fall_to_definetti_unasked() {
    let dir = anatomy("[adversary]\nmax-risk = 0.05\n");
    dir.expect(1, &["anonymize", "job.toml"]).says("`definetti` on condition");
    assert_eq!(dir.names("."), ["job.toml", "patients.csv"]);
    let dir = anatomy("");
    let told = dir.expect(0, &["anonymize", "job.toml"]);
    let told = told.out;
    assert!(told.contains("definetti of condition") && told.contains("Not tried: linking, "), "{told}");
    let report = dir.json("release/report.json");
    let assessed = dir.expect(0, &["attack", "release", "--original", "job.toml", "--json"]).json();
    for word in ["homogeneity", "definetti"] {
        let (public, own) = (finding(&report, word), finding(&assessed, word));
        assert_eq!(public["exposed"], own["exposed"], "{word}");
        // Who of a bucket is right cannot be told from the release, so it is not told there.
        assert!(public["right"].is_null() && public["control"].is_null(), "{public:#}");
        assert!(rate(own, "control").1 == 600, "{own:#}");
    }
    assert!(rate(finding(&report, "definetti"), "exposed").0 > 300);
    let not_tried = report["not_tried"].as_array().unwrap();
    assert!(
        not_tried.contains(&"boolean".into()) && !not_tried.contains(&"definetti".into()),
        "{not_tried:?}"
    );
    let page = dir.text("release/report.html");
    assert!(page.contains("Not tried") && page.contains("nothing is known of what they would find"));
}

/// What says nothing about a release does not stop it: a server beside it, and of buckets whose record is whose.
#[test]
fn what_only_informs_stops_nothing() {
    let limit = "[adversary]\nmax-risk = 0.05\nattacks = [\"linking\", \"known-attributes\", \"boolean\"]\n[output]\nhome = \"home\"\n";
    let dir = anatomy(limit);
    // Values that go with nothing, so that deFinetti learns nothing.
    dir.write("patients.csv", crowd(0..198));
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let report = dir.json("home/report.json");
    let report = if report["attacks"].is_array() { report } else { report["assessment"].clone() };
    for word in ["linking", "known-attributes", "boolean"] {
        let own = finding(&report, word);
        assert!(own["not_counted"].is_string() && own["risk"].as_f64() == Some(0.0), "{own:#}");
    }
    let dir = Dir::new();
    dir.write("patients.csv", crowd(0..200)).write("knowledge.toml", "[server]\nsmallest = 3\n");
    let limit = "[adversary]\nmax-risk = 0.05\nattacks = [\"tracker\"]\nknowledge = \"knowledge.toml\"\n";
    dir.write("job.toml", job(&format!("[privacy]\nk-anonymity = 10\n{limit}")));
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    assert!(finding(&dir.json("release/report.json"), "tracker")["not_counted"].is_string());
}

/// A column in which nothing is given tells nothing, whichever way it is attacked.
#[test]
fn a_column_of_missing_values_exposes_nobody() {
    let dir = Dir::new();
    dir.write("patients.csv", "age,condition\n21,\n22,\n23,\n24,\n");
    dir.write(
        "job.toml",
        "[input]\npath = \"patients.csv\"\n[columns.age]\nrole = \"quasi\"\nhierarchy = { intervals = [2], min = 21 }\n\
         [columns.condition]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 2\n",
    );
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let assessed = dir.expect(0, &["attack", "release", "--original", "job.toml", "--json"]).json();
    for word in ["homogeneity", "boolean", "three-d", "disclosure-sets", "minimality"] {
        assert_eq!(rate(finding(&assessed, word), "exposed").0, 0, "{word}");
    }
}
