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
        // Singling out and its like have no control in groups but people who are not in the data: without them they only inform.
        if ["singling-out", "singling-out-univariate", "linkability", "inference"]
            .iter()
            .any(|word| own["attack"] == *word)
        {
            assert!(own["not_counted"].is_string(), "{own:#}");
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
    dir.write("same.toml", "[control]\npath = \"patients.csv\"\n");
    let same = args.map(|own| if own == "knowledge.toml" { "same.toml" } else { own });
    dir.expect(2, &same).says("it is the table of the people who are attacked");
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
    // A list without Cyd and Dan is seen not to hold everybody, and proves nobody's presence. All the same it tells Ann and Bob from
    // Eva and Fox, whom no record fits: the risk is that advantage.
    for (more, exposed, risk) in [("", (0, 4), 1.0), ("Cyd,Cedar\nDan,Dale\n", (4, 6), 1.0)] {
        dir.write("list.csv", format!("name,town\nAnn,Ash\nBob,Birch\nEva,Elm\nFox,Fir\n{more}"));
        let knowledge = "[people]\npath = \"list.csv\"\nname = \"name\"\n";
        let assessed = attack(&dir, knowledge, &["--attacks", "membership"]);
        let own = finding(&assessed, "membership");
        assert_eq!((rate(own, "exposed"), own["risk"].as_f64()), (exposed, Some(risk)), "{own:#}");
        assert!(own["not_counted"].is_null(), "{own:#}");
    }
}

/// A limit is kept only where somebody was judged, and with knowledge that can be true.
#[test]
fn a_limit_is_not_kept_by_nobody_or_by_contradictions() {
    let dir = released();
    let limited = |knowledge: &str, more: &[&str]| {
        dir.write("knowledge.toml", knowledge);
        let args = [
            "attack",
            "release",
            "--knowledge",
            "knowledge.toml",
            "--original",
            "job.toml",
            "--max-risk",
            "0.5",
        ];
        dir.privet(&[&args[..], more].concat())
    };
    // The same people by other names are nobody of the data.
    dir.write("shouted.csv", PATIENTS.to_uppercase().replacen("NAME,AGE,CONDITION", "name,age,condition", 1));
    let shouted = "[people]\npath = \"shouted.csv\"\nname = \"name\"\n";
    limited(shouted, &["--attacks", "homogeneity"]).expect(2).says("nobody to judge").says("as in the data");
    dir.write("none.csv", "name,age\n");
    limited("[people]\npath = \"none.csv\"\nname = \"name\"\n", &["--attacks", "linking"])
        .expect(2)
        .says("holds nobody");
    dir.write("patients-too.csv", PATIENTS);
    let people = "[people]\npath = \"patients-too.csv\"\nname = \"name\"\n";
    limited(people, &["--attacks", "homogeneity"]).expect(0);
    // Two of one class cannot both have what it has once; which class it is does not matter.
    let wrong = "[[records]]\nperson = \"Ann\"\nvalue = \"Cancer\"\n[[records]]\nperson = \"Bruce\"\nvalue = \"Cancer\"\n";
    limited(&format!("{people}{wrong}"), &[])
        .expect(2)
        .says("`background-knowledge` cannot be made with what is known");
    limited(&format!("{people}{wrong}"), &["--attacks", "homogeneity"]).expect(0);
}

/// What is not known of somebody excludes nothing, and nothing for others.
#[test]
fn a_blank_cell_of_a_table_of_people_is_no_value() {
    let dir = Dir::new();
    dir.write("data.csv", "name,age,sex,diag\nAnn,21,F,Flu\nAda,21,F,HIV\nBob,22,M,Cancer\nBen,22,M,Flu\nCid,,M,HIV\nCal,,M,HIV\n");
    dir.write(
        "job.toml",
        "[input]\npath = \"data.csv\"\n[columns.name]\nrole = \"identifier\"\n[columns.age]\nrole = \"quasi\"\n[columns.sex]\nrole = \
         \"quasi\"\n[columns.diag]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 2\n",
    );
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let list = "name,age,sex\nAnn,21,F\nAda,21,F\nBob,22,M\nBen,22,M\nCid,33,M\nCal,34,M\n";
    let candidates_by = |attack: &str, list: &str| {
        dir.write("list.csv", list);
        dir.write("knowledge.toml", "[people]\npath = \"list.csv\"\nname = \"name\"\n");
        let args = [
            "attack",
            "release",
            "--knowledge",
            "knowledge.toml",
            "--original",
            "job.toml",
            "--attacks",
            attack,
        ];
        dir.expect(0, &[&args[..], &["--people", "who.csv"]].concat());
        let text = dir.text("who.csv");
        let _ = std::fs::remove_file(dir.path("who.csv"));
        text.lines()
            .skip(1)
            .map(|line| line.split(',').nth(3).unwrap().parse().unwrap())
            .collect::<Vec<u32>>()
    };
    let candidates = |list: &str| candidates_by("linking", list);
    // Who is 33 may be one of the two without an age; who is 22 one of these or of those of 22.
    assert_eq!(candidates(list), [2, 2, 4, 4, 2, 2]);
    assert_eq!(candidates(&format!("{list}Zed,,F\n")), [2, 2, 4, 4, 2, 2, 2]);
    assert_eq!(candidates(&list.replace("Bob,22", "Bob,")), [2, 2, 4, 4, 2, 2]);
    // Nor what cannot be read among numbers.
    assert_eq!(candidates(&format!("{list}Zed,unknown,F\n")), [2, 2, 4, 4, 2, 2, 2]);
    // Whoever reasons about all of them sees that those without an age are not of 22: then 33 and 34 would be nobody.
    assert_eq!(candidates_by("homogeneity", list), [2, 2, 2, 2, 2, 2]);
    assert_eq!(candidates_by("homogeneity", &list.replace("Cal,34", "Cal,22")), [2, 2, 4, 4, 2, 4]);
}

/// Values that labels stand for are known, whatever most of their column are; and a table of people that fits nothing keeps no limit.
#[test]
fn values_of_people_are_read_as_labels_mean_them() {
    let dir = Dir::new();
    let release = |table: &str, column: &str| {
        dir.write("data.csv", table);
        dir.write(
            "job.toml",
            format!(
                "[input]\npath = \"data.csv\"\n[columns.name]\nrole = \"identifier\"\n[columns.c]\nrole = \"quasi\"\n{column}[columns.s]\nrole = \
                 \"sensitive\"\n[privacy]\nk-anonymity = 2\n"
            ),
        );
        dir.expect(0, &["anonymize", "job.toml", "--quiet", "--force"]);
    };
    let exposed = |list: &str| {
        dir.write("list.csv", list);
        let assessed =
            attack(&dir, "[people]\npath = \"list.csv\"\nname = \"name\"\n", &["--attacks", "homogeneity"]);
        rate(finding(&assessed, "homogeneity"), "exposed").0
    };
    // Half of the codes are numbers; a hierarchy knows all of them.
    dir.write(
        "codes.csv",
        "A1;north;*\nA2;north;*\nB1;south;*\nB2;south;*\n7;east;*\n8;east;*\n9;west;*\n10;west;*\n",
    );
    let people =
        "name,c,s\na,A1,Flu\nb,A2,Flu\nc,B1,Cold\nd,B2,Cold\ne,7,HIV\nf,8,HIV\ng,9,Gout\nh,10,Gout\n";
    release(people, "hierarchy = \"codes.csv\"\n");
    assert_eq!(exposed(people), 8);
    // Flags.
    release("name,c,s\na,true,Flu\nb,true,Flu\nc,true,Flu\nd,true,Flu\n", "");
    let flags = "name,c\na,true\nb,true\nc,true\nd,true\nx,false\ny,false\n";
    dir.write("list.csv", flags);
    let knowledge = "[people]\npath = \"list.csv\"\nname = \"name\"\n";
    let assessed = attack(&dir, knowledge, &["--attacks", "membership"]);
    assert_eq!(rate(finding(&assessed, "membership"), "exposed"), (4, 6));
    // Most ages are odd; those that can be read are read, because labels are ranges.
    let ages: String = [21, 22, 31, 32, 41, 42, 51, 52]
        .iter()
        .enumerate()
        .map(|(n, age)| format!("p{n},{age},s{}\n", n / 2))
        .collect();
    release(&format!("name,c,s\n{ages}"), "hierarchy = { intervals = [10] }\n");
    let odd = ages.replace(",3", ",3?").replace(",4", ",4?").replace(",5", ",5?");
    assert_eq!(exposed(&format!("name,c,s\n{odd}")), 2);
    // A year is none of the months that it has; that excludes nothing, and nobody.
    let born = |day: &str| {
        (0..6)
            .map(|n| {
                format!("p{n},{}{day}-0{},s{}\n", ["1980-01", "1980-02", "1981-05"][n / 2], n % 2 + 1, n / 2)
            })
            .collect::<String>()
    };
    release(&format!("name,c,s\n{}", born("")), "hierarchy = { dates = [\"month\", \"year\"] }\n");
    let years: String = (0..6).map(|n| format!("p{n},{}\n", [1980, 1981][n / 4])).collect();
    dir.write("list.csv", format!("name,c\n{years}"));
    let assessed = attack(&dir, knowledge, &["--attacks", "linking"]);
    assert!(
        !finding(&assessed, "linking")["notes"].to_string().contains("no published record fits"),
        "{assessed:#}"
    );
    dir.write("list.csv", "name,c\np0,1970-01-01\np1,1971-01-01\n");
    dir.write("knowledge.toml", knowledge);
    let args = [
        "attack",
        "release",
        "--knowledge",
        "knowledge.toml",
        "--original",
        "job.toml",
        "--attacks",
        "homogeneity",
    ];
    dir.expect(2, &[&args[..], &["--max-risk", "0.5"]].concat()).says("fits anybody of the people");
}

/// Whoever would be taken for a member without their own record is not told by it: a list of some of the members is no risk.
#[test]
fn a_list_of_some_members_is_no_risk() {
    let dir = Dir::new();
    let people: String = (0..60).map(|n| format!("p{n},{},s{}\n", 20 + n % 40, n % 5)).collect();
    dir.write("patients.csv", format!("name,age,condition\n{people}"));
    dir.write("ages.csv", (20..60).map(|age| format!("{age};*\n")).collect::<String>());
    dir.write("job.toml", job("").replace("k-anonymity = 4", "k-anonymity = 40"));
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let some: String = people.lines().take(50).map(|line| format!("{line}\n")).collect();
    dir.write("some.csv", format!("name,age,condition\n{some}"));
    let assessed =
        attack(&dir, "[people]\npath = \"some.csv\"\nname = \"name\"\n", &["--attacks", "membership"]);
    assert_eq!(finding(&assessed, "membership")["risk"].as_f64(), Some(0.0), "{assessed:#}");
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
    // What is public is told once.
    let report = dir.json("release/report.json");
    let told = report["assessment"]["attacks"].as_array().or(report["attacks"].as_array()).unwrap();
    let mut names: Vec<String> =
        told.iter().map(|own| format!("{} {}", own["attack"], own["column"])).collect();
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all, "{names:?}");
    let own = membership(&dir);
    // Half of the two hundred were drawn; everybody looks like somebody who was.
    assert_eq!(rate(&own, "exposed"), (200, 200));
    assert_eq!(rate(&own, "right"), (100, 200), "{own:#}");
    assert_eq!(rate(&own, "control"), (100, 100), "{own:#}");
    // Members are taken for members as often as the others are: that tells nobody's presence.
    assert_eq!(own["risk"].as_f64(), Some(0.0), "{own:#}");
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
    for word in ON_PEOPLE {
        assert_eq!(who.lines().filter(|line| line.split(',').nth(1) == Some(word)).count(), 12, "{word}");
    }
    assert!(who.contains("Jean,homogeneity,condition,4,yes,Cancer,1.0000,yes,Cancer 1.0000\n"), "{who}");
    assert!(who.contains("Cary,independence,condition,4,yes,Viral infection,0.9661,yes,Viral infection 0.9661; Heart disease 0.0339\n"), "{who}");
    assert!(who.contains("Ann,linking,,4,no,,,,\n"), "{who}");
}

/// A first job sets a limit on what attacks may reach, and says how to set another.
#[test]
fn a_first_job_mentions_the_adversary() {
    let dir = Dir::new();
    dir.write("patients.csv", PATIENTS);
    dir.expect(0, &["init", "patients.csv", "--quiet"]);
    let text = dir.text("job.toml");
    assert!(text.contains("\n[adversary]") && text.contains("\nmax-risk = "), "{text}");
    let weaker = ["--set", "privacy={ k-anonymity = 2 }", "--set", "search.suppress-at-most=1"];
    let limited = ["anonymize", "job.toml", "--quiet", "--set", "adversary.max-risk=1"];
    dir.expect(0, &[&limited[..], &weaker[..]].concat());
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
    let args = ["condense", "people.csv", "-k", "10", "--class", "group", "--seed", "1"];
    let synthetic = dir.expect(0, &args).out;
    dir.write("synthetic.csv", synthetic);
    dir.write(
        "job.toml",
        "[input]\npath = \"people.csv\"\n[columns.age]\nrole = \"quasi\"\n[columns.income]\nrole = \"quasi\"\n\
         [columns.group]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 2\n",
    );
    let args = ["attack", "synthetic.csv", "--original", "job.toml", "--attacks", "homogeneity", "--json"];
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
