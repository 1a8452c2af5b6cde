//! Controls of attacks, people by name and in several groups, and what is concluded about each person.

use serde_json::Value;

use crate::attack::PATIENTS;
use crate::dir::Dir;

const AGES: &str = "\
28;20-29;*\n29;20-29;*\n21;20-29;*\n23;20-29;*\n50;40-59;*\n55;40-59;*\n47;40-59;*\n49;40-59;*\n31;30-39;*\n37;30-39;*\n\
36;30-39;*\n35;30-39;*\n33;30-39;*\n45;40-59;*\n25;20-29;*\n";

fn job(more: &str) -> String {
    format!(
        "[input]\npath = \"patients.csv\"\n[columns.name]\nrole = \"identifier\"\n\
         [columns.age]\nrole = \"quasi\"\nhierarchy = \"ages.csv\"\n[columns.condition]\nrole = \"sensitive\"\n\
         [privacy]\nk-anonymity = 4\n{more}"
    )
}

/// The 4-anonymous release of survey FX-1.2, by age alone.
fn released() -> Dir {
    let dir = Dir::new();
    dir.write("patients.csv", PATIENTS).write("ages.csv", AGES).write("job.toml", job(""));
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    dir
}

fn attack(dir: &Dir, knowledge: &str, more: &[&str]) -> Value {
    dir.write("knowledge.toml", knowledge);
    let mut args =
        vec!["attack", "release", "--knowledge", "knowledge.toml", "--original", "job.toml", "--json"];
    args.extend(more);
    dir.expect(0, &args).json()
}

fn finding<'a>(assessed: &'a Value, attack: &str) -> &'a Value {
    let all = assessed["attacks"].as_array().unwrap();
    all.iter().find(|own| own["attack"] == attack).unwrap_or_else(|| panic!("no {attack} in {assessed:#}"))
}

fn rate(finding: &Value, which: &str) -> (u64, u64) {
    let rate = &finding[which];
    let number = |key: &str| rate[key].as_u64().unwrap_or_else(|| panic!("no {which} in {finding:#}"));
    (number("hits"), number("of"))
}

const KNOWLEDGE: &str = "\
known-attributes = 1
[people]
path = \"patients.csv\"
name = \"name\"
[[negations]]
person = \"Eshwar\"
not = [\"Heart disease\"]
[[priors]]
where = { name = \"Cary\" }
shares = { \"Heart disease\" = 0.05, \"Viral infection\" = 0.95 }
[[releases]]
folder = \"release\"
job = \"job.toml\"
";

const ON_PEOPLE: [&str; 12] = [
    "linking",
    "homogeneity",
    "background-knowledge",
    "bayes-optimal",
    "max-entropy",
    "independence",
    "boolean",
    "three-d",
    "composition",
    "record-linkage",
    "membership",
    "known-attributes",
];

/// Every attack has a control with an interval: by taking records out, and on people who are not in the data.
#[test]
fn every_attack_has_a_control() {
    let dir = released();
    let assessed = attack(&dir, KNOWLEDGE, &[]);
    for own in assessed["attacks"].as_array().unwrap() {
        // The worst that somebody could know tells more of the smaller groups that are left, and out of other releases no record
        // can be taken of which nobody knows whose it is.
        if ["boolean", "three-d", "composition"].iter().any(|word| own["attack"] == *word) {
            assert!(own["control"].is_null() && own["notes"].to_string().contains("no control"), "{own:#}");
            continue;
        }
        let (hits, of) = rate(own, "control");
        assert!(of == 12 && hits <= of && own["control"]["high"].as_f64() > Some(0.0), "{own:#}");
        assert!(own["control_group"].as_str().is_some(), "{own:#}");
    }
    for word in ON_PEOPLE {
        finding(&assessed, word);
    }
    // Without their own record the three others of the class still say cancer, and nobody else is told.
    assert_eq!(rate(finding(&assessed, "homogeneity"), "control"), (4, 12));

    dir.write("others.csv", "name,age,condition\nMary,33,Cancer\nNick,45,Flu\nOlga,25,Flu\n");
    let with_control = format!("{KNOWLEDGE}[control]\npath = \"others.csv\"\n");
    let assessed = attack(&dir, &with_control, &[]);
    for word in ON_PEOPLE {
        let own = finding(&assessed, word);
        assert_eq!(rate(own, "control").1, 3, "{own:#}");
        assert!(own["control_group"].as_str().unwrap().contains("control table"), "{own:#}");
    }
    // Mary is taken for one of the class with cancer, and has it.
    assert_eq!(rate(finding(&assessed, "homogeneity"), "control"), (1, 3));

    // Before a release is handed over the same people are the control, also of what is attacked unasked.
    dir.write("knowledge.toml", &with_control);
    let more = "[adversary]\nattacks = [\"membership\"]\nknowledge = \"knowledge.toml\"\n[output]\nhome = \"home\"\n";
    dir.write("gated.toml", job(&format!("{more}folder = \"gated\"\n")));
    dir.expect(0, &["anonymize", "gated.toml", "--quiet"]);
    let report = dir.json("home/report.json")["assessment"].clone();
    for word in ["linking", "homogeneity", "membership"] {
        let own = finding(&report, word);
        assert_eq!(rate(own, "control").1, 3, "{own:#}");
    }
}

/// Who is in the data is no control.
#[test]
fn people_of_the_control_are_not_in_the_data() {
    let dir = released();
    dir.write("others.csv", "name,age,condition\nMary,33,Cancer\nEshwar,50,Flu\n");
    dir.write("knowledge.toml", format!("{KNOWLEDGE}[control]\npath = \"others.csv\"\nname = \"name\"\n"));
    let args = ["attack", "release", "--knowledge", "knowledge.toml", "--original", "job.toml"];
    dir.expect(2, &args).says("has the name of somebody in the data");
    // Without names, the numbers of records are no names.
    dir.write("strangers.csv", "age,condition\n33,Cancer\n45,Flu\n");
    dir.write("knowledge.toml", "[control]\npath = \"strangers.csv\"\n");
    let assessed = dir.expect(0, &[&args[..], &["--attacks", "homogeneity", "--json"]].concat()).json();
    assert_eq!(rate(finding(&assessed, "homogeneity"), "control"), (1, 2));
}

/// Without one of two who look alike a group of one is left, which no 2-anonymous release would have had: that is no control.
#[test]
fn groups_of_two_are_no_control() {
    let dir = Dir::new();
    let people: String = (0..20).map(|n| format!("P{n},{},x\n", 20 + n / 2)).collect();
    dir.write("patients.csv", format!("name,age,condition\n{people}"));
    dir.write("ages.csv", (20..30).map(|age| format!("{age};*\n")).collect::<String>());
    dir.write("job.toml", job("").replace("k-anonymity = 4", "k-anonymity = 2"));
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let attacks = ["--attacks", "linking,known-attributes"];
    let assessed = attack(&dir, "[people]\npath = \"patients.csv\"\nname = \"name\"\n", &attacks);
    for word in ["linking", "known-attributes"] {
        let own = finding(&assessed, word);
        assert_eq!((rate(own, "exposed"), rate(own, "control")), ((0, 20), (0, 20)), "{own:#}");
    }
}

/// A value that nobody of the list has is nobody's of the list: it does not hide those whose values are published as they are.
/// And a list as long as the release of whom half are strangers tells who is in it.
#[test]
fn values_that_nobody_of_the_list_has_hide_nobody() {
    let dir = Dir::new();
    dir.write("towns.csv", "name,town,age,d\nAnn,Ash,21,x\nBob,Birch,22,y\nCyd,Cedar,23,x\nDan,Dale,24,y\n");
    dir.write(
        "job.toml",
        "[input]\npath = \"towns.csv\"\n[columns.name]\nrole = \"identifier\"\n[columns.town]\nrole = \"quasi\"\n\
         [columns.age]\nrole = \"quasi\"\n[columns.d]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 1\n",
    );
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    for list in ["name,town\nAnn,Ash\nBob,Birch\n", "name,age\nAnn,21\nBob,22\n"] {
        dir.write("list.csv", list);
        let knowledge = "[people]\npath = \"list.csv\"\nname = \"name\"\n";
        let assessed = attack(&dir, knowledge, &["--attacks", "linking,homogeneity"]);
        for word in ["linking", "homogeneity"] {
            assert_eq!(rate(finding(&assessed, word), "exposed"), (2, 2), "{list}");
        }
    }
    dir.write("list.csv", "name,town\nAnn,Ash\nBob,Birch\nEva,Elm\nFox,Fir\n");
    let assessed =
        attack(&dir, "[people]\npath = \"list.csv\"\nname = \"name\"\n", &["--attacks", "membership"]);
    let own = finding(&assessed, "membership");
    assert_eq!((rate(own, "exposed"), own["risk"].as_f64()), ((2, 4), Some(1.0)), "{own:#}");
    assert!(own["not_counted"].is_null(), "{own:#}");
}

/// With names, exposed and control count the same people, and nobody who is not in the data: a longer list makes nothing safer.
#[test]
fn exposed_and_control_are_about_the_same_people() {
    let dir = released();
    dir.write("voters.csv", format!("{}Mary,33,x\nNick,45,x\n", PATIENTS.replace("condition", "town")));
    let knowledge = "[people]\npath = \"voters.csv\"\nname = \"name\"\n";
    let assessed = attack(&dir, knowledge, &["--attacks", "linking,homogeneity,membership"]);
    for word in ["linking", "homogeneity"] {
        let own = finding(&assessed, word);
        assert_eq!((rate(own, "exposed").1, rate(own, "control").1), (12, 12), "{own:#}");
    }
    // Mary is taken for one of the class with cancer; she is not in the data, and not counted.
    let own = finding(&assessed, "homogeneity");
    assert_eq!((rate(own, "exposed").0, rate(own, "control").0), (4, 4));
    assert!(own["notes"].to_string().contains("not counted: 2; of 1 of them"), "{own:#}");
    assert_eq!(rate(finding(&assessed, "membership"), "control").1, 2, "those who are not in the data");
}

/// The gate finds people by their names, which the job does not read, and in a sample by those who were drawn.
#[test]
fn the_gate_knows_names_and_who_was_drawn() {
    let dir = Dir::new();
    let mut rows = String::from("name,age,condition\n");
    for n in 0..200 {
        rows.push_str(&format!("P{n},{},{}\n", 20 + n % 4, ["Flu", "Cold", "HIV"][n % 3]));
    }
    dir.write("patients.csv", rows);
    dir.write("knowledge.toml", "[people]\npath = \"patients.csv\"\nname = \"name\"\n");
    let job = "[input]\npath = \"patients.csv\"\n[columns.name]\nrole = \"identifier\"\n[columns.age]\nrole = \"quasi\"\n\
               [columns.condition]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 2\n\
               [adversary]\nattacks = [\"membership\", \"homogeneity\"]\nknowledge = \"knowledge.toml\"\nconfidence = 0.3\n\
               [output]\nhome = \"home\"\n";
    dir.write("job.toml", format!("{job}[sampling]\nfraction = 0.5\nseed = 3\n"));
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let membership = |dir: &Dir| {
        let report = dir.json("home/report.json");
        let all =
            report["assessment"]["attacks"].as_array().or(report["attacks"].as_array()).unwrap().clone();
        all.into_iter().find(|own| own["attack"] == "membership").unwrap()
    };
    let own = membership(&dir);
    // Half of the two hundred were drawn; everybody looks like somebody who was.
    assert_eq!(rate(&own, "exposed"), (200, 200));
    assert_eq!(rate(&own, "right"), (100, 200), "{own:#}");
    assert_eq!(rate(&own, "control"), (100, 100), "{own:#}");
    // Without names nobody can tell who of those who look alike was drawn, and nothing is scored.
    dir.write("knowledge.toml", "[people]\npath = \"patients.csv\"\n");
    dir.expect(0, &["anonymize", "job.toml", "--quiet", "--force"]);
    let own = membership(&dir);
    assert!(own["right"].is_null() && own["notes"].to_string().contains("not known whether"), "{own:#}");
}

/// Means exclude nobody: people are linked to the nearest.
#[test]
fn means_are_linked_by_the_nearest_centre() {
    let dir = Dir::new();
    dir.write("patients.csv", PATIENTS).write("ages.csv", AGES);
    dir.write("job.toml", job("[search]\nalgorithm = \"microaggregation\"\n"));
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let assessed = attack(&dir, "", &["--confidence", "1"]);
    let linked = finding(&assessed, "linking");
    let notes = linked["notes"].to_string();
    assert!(notes.contains("centre is nearest") && notes.contains("own for 12 of 12"), "{notes}");
    // The four in their thirties, as the classes themselves tell.
    assert_eq!(rate(finding(&assessed, "homogeneity"), "exposed"), (4, 12));
    assert_eq!(finding(&assessed, "homogeneity")["right"]["rate"].as_f64(), Some(1.0));
}

/// Knowledge about somebody who may stand in several groups is weighed, not refused.
#[test]
fn somebody_in_several_groups_is_weighed() {
    let dir = Dir::new();
    dir.write(
        "patients.csv",
        "name,age,zip,condition\nAnn,21,1,Flu\nBob,21,1,Cold\nCyd,21,2,Flu\nDan,21,2,Flu\n",
    );
    dir.write(
        "job.toml",
        "[input]\npath = \"patients.csv\"\n[columns.name]\nrole = \"identifier\"\n[columns.age]\nrole = \"quasi\"\n\
         [columns.zip]\nrole = \"quasi\"\n[columns.condition]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 2\n",
    );
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    // Only the age is known: Ann may be with either zip. She has a cold, so it is the first.
    dir.write("people.csv", "name,age\nAnn,21\nBob,21\n");
    let knowledge =
        "[people]\npath = \"people.csv\"\nname = \"name\"\n[[records]]\nperson = \"Ann\"\nvalue = \"Cold\"\n";
    let assessed = attack(&dir, knowledge, &["--attacks", "background-knowledge", "--people", "who.csv"]);
    let notes = finding(&assessed, "background-knowledge")["notes"].to_string();
    assert!(notes.contains("2 ways to place them"), "{notes}");
    let who = dir.text("who.csv");
    // Bob is one of the other three, all of whom have flu.
    assert!(who.contains("Bob,background-knowledge,condition,4,yes,Flu,1.0000,no,Flu 1.0000"), "{who}");
}

/// Values that are missing are not learned.
#[test]
fn a_class_of_missing_values_exposes_nobody() {
    let dir = Dir::new();
    dir.write("patients.csv", "name,age,condition\nA,21,\nB,21,\nC,22,Flu\nD,22,Cold\n")
        .write("ages.csv", "21\n22\n");
    dir.write(
        "job.toml",
        "[input]\npath = \"patients.csv\"\n[columns.age]\nrole = \"quasi\"\n[columns.condition]\nrole = \"sensitive\"\n\
         [privacy]\nk-anonymity = 2\n[adversary]\nmax-risk = 0.1\n",
    );
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let assessed = attack(&dir, "", &["--attacks", "homogeneity"]);
    assert_eq!(rate(finding(&assessed, "homogeneity"), "exposed"), (0, 4));
}

/// A server beside the release, and every original that would have been published so.
#[test]
fn servers_and_disclosure_sets() {
    let dir = released();
    let assessed = attack(&dir, "[server]\nsmallest = 3\n", &["--attacks", "tracker"]);
    let own = finding(&assessed, "tracker");
    // Everybody has an age of their own; the server that refuses small sets tells each all the same.
    assert_eq!((rate(own, "exposed"), rate(own, "control")), ((12, 12), (0, 12)), "{own:#}");
    assert_eq!(rate(own, "right"), (12, 12));
    dir.write("knowledge.toml", "[server]\nsmallest = 7\n");
    let args = [
        "attack",
        "release",
        "--knowledge",
        "knowledge.toml",
        "--original",
        "job.toml",
        "--attacks",
        "tracker",
    ];
    // No formula has seven records on both sides.
    dir.expect(2, &args).says("`tracker`, which cannot be made");

    // survey FX-6.1: what was not published tells the three patients, in every original that is left.
    dir.write(
        "patients.csv",
        "zip,gender,disease\n94085,M,HIV\n14085,M,HIV\n14085,F,None\n94085,F,HIV\n14085,F,Flu\n14085,F,None\n14085,F,None\n14085,F,Flu\n",
    );
    dir.write(
        "small.toml",
        "[input]\npath = \"patients.csv\"\n[columns.zip]\nrole = \"quasi\"\n[columns.gender]\nrole = \"quasi\"\n\
         [columns.disease]\nrole = \"sensitive\"\n[privacy]\nalpha-k = { alpha = 0.5, k = 1, values = [\"HIV\"] }\n\
         [search]\nalgorithm = \"attribute-suppression\"\n[output]\nfolder = \"small\"\n",
    );
    dir.expect(0, &["anonymize", "small.toml", "--quiet"]);
    let assessed = dir.expect(0, &["attack", "small", "--original", "small.toml", "--json"]).json();
    let (sets, minimality) = (finding(&assessed, "disclosure-sets"), finding(&assessed, "minimality"));
    assert_eq!(sets["exposed"]["hits"], minimality["exposed"]["hits"], "{sets:#}");
    assert_eq!((rate(sets, "right"), rate(sets, "control").0), ((3, 3), 0));
    assert!(sets["notes"].to_string().contains("worlds were gone through"), "{sets:#}");
}

/// Person by person and attack by attack.
#[test]
fn everybody_is_told_about_for_every_attack() {
    let dir = released();
    attack(&dir, KNOWLEDGE, &["--people", "who.csv"]);
    let who = dir.text("who.csv");
    assert_eq!(
        who.lines().next(),
        Some("person,attack,column,candidates,exposed,guess,probability,right,possible")
    );
    for word in ON_PEOPLE.iter().filter(|word| **word != "known-attributes") {
        assert_eq!(who.lines().filter(|line| line.split(',').nth(1) == Some(word)).count(), 12, "{word}");
    }
    assert!(who.contains("Jean,homogeneity,condition,4,yes,Cancer,1.0000,yes,Cancer 1.0000\n"), "{who}");
    assert!(who.contains("Cary,independence,condition,4,yes,Viral infection,0.9661,yes,Viral infection 0.9661; Heart disease 0.0339\n"), "{who}");
    assert!(who.contains("Ann,linking,,4,no,,,,\n"), "{who}");
}

/// A first job proposes a limit, and proposes it only.
#[test]
fn a_first_job_mentions_the_adversary() {
    let dir = Dir::new();
    dir.write("patients.csv", PATIENTS);
    dir.expect(0, &["init", "patients.csv", "--quiet"]);
    let text = dir.text("job.toml");
    assert!(text.contains("# [adversary]") && text.contains("# max-risk = 0.05"), "{text}");
    // As it stands it changes nothing; without the # it is a section that can be read.
    dir.expect(
        0,
        &[
            "anonymize",
            "job.toml",
            "--quiet",
            "--set",
            "privacy={ k-anonymity = 2 }",
            "--set",
            "search.suppress-at-most=1",
        ],
    );
    let (before, section) = text.split_once("# [adversary]").unwrap();
    let (section, after) = section.split_once("[output]").unwrap();
    let section = section.replace("\n# ", "\n").replace("knowledge =", "# knowledge =");
    dir.write("job.toml", format!("{before}[adversary]{section}[output]{after}"));
    dir.expect(
        0,
        &[
            "anonymize",
            "job.toml",
            "--quiet",
            "--force",
            "--set",
            "privacy={ k-anonymity = 2 }",
            "--set",
            "adversary.max-risk=1",
            "--set",
            "search.suppress-at-most=1",
        ],
    );
}

/// Synthetic records are nobody's; the nearest still tells what its kind of people has.
#[test]
fn synthetic_records_are_linked_by_the_nearest() {
    let dir = Dir::new();
    let mut rows = String::from("age,income,group\n");
    for n in 0..60 {
        let (age, income, group) =
            if n % 2 == 0 { (20 + n % 10, 1000 + n, "a") } else { (70 + n % 10, 9000 + n, "b") };
        rows.push_str(&format!("{age},{income},{group}\n"));
    }
    dir.write("people.csv", rows);
    let args = [
        "condense",
        "people.csv",
        "-k",
        "10",
        "--class",
        "group",
        "--seed",
        "1",
        "--output",
        "synthetic.csv",
    ];
    dir.expect(0, &args);
    dir.write(
        "job.toml",
        "[input]\npath = \"people.csv\"\n[columns.age]\nrole = \"quasi\"\n[columns.income]\nrole = \"quasi\"\n\
         [columns.group]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 2\n",
    );
    let args =
        ["attack", "synthetic.csv", "--original", "job.toml", "--attacks", "homogeneity,linking", "--json"];
    let assessed = dir.expect(0, &args).json();
    let own = finding(&assessed, "homogeneity");
    assert_eq!((rate(own, "exposed"), rate(own, "right")), ((60, 60), (60, 60)), "{own:#}");
    assert!(own["control"].is_null(), "{own:#}");
    // Others of whom nothing was ever known fall as well: it is what statistics tells.
    dir.write("others.csv", "age,income,group\n25,1010,a\n75,9010,b\n22,1020,b\n");
    dir.write("knowledge.toml", "[control]\npath = \"others.csv\"\n");
    let mut args = args.to_vec();
    args.extend(["--knowledge", "knowledge.toml"]);
    let assessed = dir.expect(0, &args).json();
    assert_eq!(rate(finding(&assessed, "homogeneity"), "control"), (2, 3));
    dir.expect(2, &["attack", "synthetic.csv"]).says("--job");
    dir.expect(2, &["attack", "synthetic.csv", "--original", "job.toml", "--report", "x.html"])
        .says("no report");
}
