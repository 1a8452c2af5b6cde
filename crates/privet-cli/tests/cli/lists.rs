//! Lists of people: whoever is on a list is found as on a longer one. Without the job, by the release folder alone, and with it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::dir::Dir;
use crate::people;

const ALGORITHMS: [&str; 6] = [
    "mondrian",
    "top-down-local",
    "local-recoding",
    "clustering",
    "cell-suppression",
    "top-down-specialization",
];

/// What `linking` and `homogeneity` say of each person of a list: the lines of the file for the owner.
fn said(dir: &Dir, list: &str, job: &str) -> BTreeMap<String, Vec<String>> {
    dir.write("knowledge.toml", format!("{job}[people]\npath = \"{list}\"\nname = \"name\"\n"));
    let args = [
        "attack",
        "release",
        "--knowledge",
        "knowledge.toml",
        "--attacks",
        "linking,homogeneity",
        "--people",
        "said.csv",
    ];
    dir.expect(0, &args);
    let mut said: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in dir.text("said.csv").lines().skip(1) {
        let (name, rest) = line.split_once(',').unwrap();
        said.entry(name.to_owned()).or_default().push(rest.to_owned());
    }
    said
}

/// How many records may be a person's by the line of an attack.
fn candidates<'a>(lines: &'a [String], attack: &str) -> Option<&'a str> {
    lines.iter().find(|own| own.starts_with(attack)).and_then(|own| own.split(',').nth(2))
}

/// Of the people of a table who are exposed by the records that fit them alone, those whom lists of at most so many of them find, and
/// how many there are. Who is exposed because others leave no room elsewhere, or make a group more probable, is so by the list of all.
fn found(dir: &Dir, table: &str, job: &str, most: usize) -> (usize, usize) {
    let whole = said(dir, table, job);
    // Where groups disagree, how probable each is depends on who else there is.
    let agree = |line: &&String| line.split(',').nth(5).and_then(|own| own.parse().ok()) == Some(1.0);
    let is_exposed = |lines: &Vec<String>| {
        lines.iter().filter(agree).any(|own| own.starts_with("homogeneity") && own.contains(",yes,"))
            && candidates(lines, "linking") == candidates(lines, "homogeneity")
    };
    let text = dir.text(table);
    let header = text.lines().next().unwrap();
    let lines: Vec<&str> = text.lines().skip(1).collect();
    let exposed: Vec<&str> =
        lines.iter().copied().filter(|line| is_exposed(&whole[line.split(',').next().unwrap()])).collect();
    let mut found = 0;
    for part in exposed.chunks(most.max(1)).take(2) {
        dir.write("list.csv", format!("{header}\n{}\n", part.join("\n")));
        let said = said(dir, "list.csv", job);
        found += said.iter().filter(|(name, lines)| whole[*name] == **lines).count();
    }
    (found, exposed.len().min(2 * most))
}

#[test]
fn a_short_list_hides_nobody_on_it() {
    for algorithm in ALGORITHMS {
        let dir = people::dir(
            120,
            "k-anonymity = 2",
            &format!("algorithm = \"{algorithm}\"\nsuppress-at-most = 0.2"),
        );
        dir.expect(0, &["anonymize", "job.toml", "--set", "output.folder=\"release\""]);
        for job in ["", "job = \"job.toml\"\n"] {
            let (found, of) = found(&dir, "people.csv", job, 5);
            assert_eq!(found, of, "{algorithm} {job}");
        }
    }
}

/// Adult, whose hierarchies call the ages from 21 to 40 `20-39`: 200 exposed people, a hundred at a time.
#[test]
fn a_hundred_of_adult_are_found_as_among_all() {
    let shared: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/adult");
    let Ok(text) = std::fs::read_to_string(shared.join("adult.csv")) else {
        println!("skipped: {} is not there", shared.display());
        return;
    };
    let mut random = people::Random(5);
    let mut table = String::new();
    for (row, line) in text.lines().enumerate() {
        let line = line.replace(';', ",");
        match row {
            0 => writeln!(table, "name,{line}").unwrap(),
            _ if random.below(20) == 0 => writeln!(table, "p{row},{line}").unwrap(),
            _ => {}
        }
    }
    let dir = Dir::new();
    dir.write("adult.csv", table);
    let column = |name: &str| {
        let file = shared.join(format!("adult_hierarchy_{name}.csv"));
        format!("[columns.{name}]\nrole = \"quasi\"\nhierarchy = \"{}\"\n", file.display())
    };
    let quasi: String =
        ["age", "education", "marital-status", "workclass", "sex", "race"].map(column).concat();
    for algorithm in ALGORITHMS {
        let search = format!("algorithm = \"{algorithm}\"\nsuppress-at-most = 0.1");
        dir.write(
            "job.toml",
            format!(
                "[input]\npath = \"adult.csv\"\n[columns.name]\nrole = \"identifier\"\n{quasi}[columns.salary-class]\n\
                 role = \"sensitive\"\n[privacy]\nk-anonymity = 2\n[search]\n{search}\n[output]\nfolder = \"release\"\nreplace = true\n"
            ),
        );
        dir.expect(0, &["anonymize", "job.toml"]);
        for job in ["", "job = \"job.toml\"\n"] {
            let (found, of) = found(&dir, "adult.csv", job, 100);
            println!("{algorithm} {job}: {found} of {of}");
            assert_eq!(found, of, "{algorithm} {job}");
            assert!(of > 50, "{algorithm} {job}: {of}");
        }
    }
}

/// survey AT-05, with the values of suppressed records beyond those that are published: what `anonymize` says of a release is
/// what `attack` says of it.
#[test]
fn the_gate_says_of_windows_what_the_attack_says() {
    let dir = Dir::new();
    let mut table = String::from("age,salary\n");
    for (age, salaries) in [(20, [99, 100, 101]), (30, [20, 60, 180]), (40, [30, 31, 90])] {
        salaries.iter().for_each(|salary| writeln!(table, "{age},{salary}000").unwrap());
    }
    dir.write("t.csv", table + "77,900000\n");
    dir.write(
        "job.toml",
        "[input]\npath = \"t.csv\"\n[columns.age]\nrole = \"quasi\"\n[columns.salary]\nrole = \"sensitive\"\n[privacy]\n\
         k-anonymity = 3\n[search]\nsuppress-at-most = 0.1\nminimize = \"discernibility\"\n[output]\nfolder = \"release\"\nhome = \"home\"\n\
         [adversary]\nconfidence = 0.6\n",
    );
    dir.expect(0, &["anonymize", "job.toml"]);
    let similarity = |report: &serde_json::Value| {
        let attacks = report["attacks"].as_array().unwrap().clone();
        let mut found = attacks.into_iter().find(|own| own["attack"] == "similarity").unwrap();
        found.as_object_mut().unwrap().remove("notes");
        found
    };
    let name = dir
        .names("home")
        .into_iter()
        .find(|name| name.starts_with("report") && name.ends_with(".json"))
        .unwrap();
    let home = dir.json(&format!("home/{name}"));
    let gate = similarity(if home["attacks"].is_array() { &home } else { &home["assessment"] });
    let args = ["attack", "release", "--original", "job.toml", "--confidence", "0.6", "--json"];
    let report = dir.expect(0, &args).json();
    let attack = similarity(if report["attacks"].is_array() { &report } else { &report["assessment"] });
    assert_eq!(gate, attack);
    assert_eq!((&gate["exposed"]["hits"], &gate["exposed"]["of"]), (&6.into(), &10.into()));
    assert_eq!(gate["right"]["hits"], 5);
}

/// What stands for a missing value is told by the release: with the job and without it, the records of whom the town is missing
/// fit everybody.
#[test]
fn a_missing_cell_fits_everybody_with_the_job_and_without() {
    let dir = Dir::new();
    dir.write("t.csv", "id,town,ill\na,Bonn,flu\nb,Bonn,flu\nc,?,hiv\nd,?,hiv\n");
    dir.write(
        "job.toml",
        "[input]\npath = \"t.csv\"\nmissing = [\"\", \"?\"]\n[columns.id]\nrole = \"identifier\"\n[columns.town]\nrole = \"quasi\"\n\
         [columns.ill]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 2\n[output]\nfolder = \"release\"\n",
    );
    dir.expect(0, &["anonymize", "job.toml"]);
    dir.write("list.csv", "name,town\nAnn,Bonn\nBea,\n");
    let [without, with] = ["", "job = \"job.toml\"\n"].map(|job| said(&dir, "list.csv", job));
    assert_eq!(without, with);
    for (name, lines) in &without {
        let homogeneity = lines.iter().find(|own| own.starts_with("homogeneity")).unwrap();
        assert!(!homogeneity.contains(",yes,"), "{name}: {homogeneity}");
    }
    // Were the marks not read, Ann would be one of two of Bonn, who both have the same.
    assert!(without["Ann"].iter().any(|own| own.starts_with("linking,,4,")), "{without:?}");
}

/// Labels that overlap: the gate says what the attack says, which is what all ways to give the records to people say. Of the six
/// x may be the record of two people only, both of whom have the same; y and `*` may be anybody's.
#[test]
fn labels_that_overlap_are_weighed_by_all_ways_to_place_people() {
    let dir = Dir::new();
    dir.write("t.csv", "name,b,s\np0,y,HIV\np1,x,HIV\np2,z,Flu\np3,y,Flu\np4,x,HIV\np5,y,Flu\n");
    dir.write(
        "job.toml",
        "[input]\npath = \"t.csv\"\n[columns.name]\nrole = \"identifier\"\n[columns.b]\nrole = \"quasi\"\n[columns.s]\n\
         role = \"sensitive\"\n[privacy]\nk-anonymity = 2\n[search]\nalgorithm = \"cell-suppression\"\n[output]\n\
         folder = \"release\"\nhome = \"home\"\n",
    );
    dir.expect(0, &["anonymize", "job.toml"]);
    let data = dir.text("release/data.csv");
    assert_eq!(data.lines().filter(|line| line.starts_with("x,")).count(), 2, "{data}");
    let exposed = |report: &serde_json::Value| {
        let attacks = report["attacks"].as_array().or(report["assessment"]["attacks"].as_array()).unwrap();
        let own = attacks.iter().find(|own| own["attack"] == "homogeneity").unwrap();
        (own["exposed"]["hits"].as_u64().unwrap(), own["exposed"]["of"].as_u64().unwrap())
    };
    let name = dir
        .names("home")
        .into_iter()
        .find(|name| name.starts_with("report") && name.ends_with(".json"))
        .unwrap();
    assert_eq!(exposed(&dir.json(&format!("home/{name}"))), (2, 6));
    let attack = ["attack", "release", "--original", "job.toml", "--json"];
    assert_eq!(exposed(&dir.expect(0, &attack).json()), (2, 6));
    let named = said(&dir, "t.csv", "");
    let is_exposed = |name: &str| named[name].iter().any(|own| own.contains(",yes,"));
    assert_eq!(
        ["p0", "p1", "p2", "p3", "p4", "p5"].map(is_exposed),
        [false, true, false, false, true, false]
    );
    // Nobody knows whose the records of classes are, so nothing is learned of them.
    let definetti = ["attack", "release", "--original", "job.toml", "--attacks", "definetti", "--json"];
    let report = dir.expect(2, &definetti).json();
    assert!(report.to_string().contains("people may stand in several classes"), "{report}");
}

/// Two of four people fit both classes, and each class has one value. Nobody is sure of these two, but whoever knows in which
/// class each stands is sure of all, and the limit is kept against that as well.
#[test]
fn the_limit_is_held_against_those_who_know_the_class() {
    let dir = Dir::new();
    dir.write("t.csv", "age,sex,s\n22,M,flu\n28,F,ulcer\n22,F,ulcer\n23,F,flu\n");
    dir.write(
        "job.toml",
        "[input]\npath = \"t.csv\"\n[columns.age]\nrole = \"quasi\"\nhierarchy = { intervals = [2, 4], min = 20 }\n\
         [columns.sex]\nrole = \"quasi\"\n[columns.s]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 2\n[search]\n\
         algorithm = \"clustering\"\n[output]\n\
         folder = \"release\"\nhome = \"home\"\n",
    );
    dir.expect(0, &["anonymize", "job.toml"]);
    let name = dir
        .names("home")
        .into_iter()
        .find(|name| name.starts_with("report") && name.ends_with(".json"))
        .unwrap();
    let report = dir.json(&format!("home/{name}"));
    let attacks = report["attacks"].as_array().or(report["assessment"]["attacks"].as_array()).unwrap();
    let own = attacks.iter().find(|own| own["attack"] == "homogeneity").unwrap();
    assert_eq!((own["exposed"]["hits"].as_u64(), own["risk"].as_f64()), (Some(2), Some(1.0)), "{own}");
    let again = ["anonymize", "job.toml", "--output", "again", "--set", "adversary.max-risk=0.9"];
    dir.expect(1, &again).says("100 % of the people, for somebody who knows in which class each stands");
    assert!(!dir.path("again").exists());
}

/// Four records say x and four people have x: all of them are in the data, whichever records are theirs.
#[test]
fn who_is_in_the_data_in_any_case_is_told() {
    let dir = Dir::new();
    dir.write(
        "t.csv",
        "name,a,b,s\np0,1,y,Flu\np1,1,y,HIV\np2,2,x,Flu\np3,2,x,HIV\np4,3,x,Flu\np5,4,x,HIV\n",
    );
    dir.write(
        "job.toml",
        "[input]\npath = \"t.csv\"\n[columns.name]\nrole = \"identifier\"\n[columns.a]\nrole = \"quasi\"\n[columns.b]\nrole = \"quasi\"\n\
         [columns.s]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 2\n[search]\nalgorithm = \"cell-suppression\"\n[output]\n\
         folder = \"release\"\n",
    );
    dir.expect(0, &["anonymize", "job.toml"]);
    let data = dir.text("release/data.csv");
    assert_eq!(data.lines().filter(|line| line.starts_with("*,x")).count(), 2, "{data}");
    let others: String = (6..14).map(|at| format!("p{at},{},y,Flu\n", 1 + at % 2)).collect();
    dir.write("list.csv", dir.text("t.csv") + &others);
    dir.write("knowledge.toml", "[people]\npath = \"list.csv\"\nname = \"name\"\n");
    let args = [
        "attack",
        "release",
        "--knowledge",
        "knowledge.toml",
        "--attacks",
        "membership",
        "--people",
        "m.csv",
    ];
    dir.expect(0, &args);
    let told = dir.text("m.csv");
    let members: Vec<&str> = told
        .lines()
        .filter(|line| line.contains("membership") && line.contains(",yes,"))
        .filter_map(|line| line.split(',').next())
        .collect();
    assert_eq!(members, ["p2", "p3", "p4", "p5"], "{told}");
}

/// What is written wrongly must not leave the adversary with less than is meant.
#[test]
fn names_and_values_that_are_not_there_are_refused() {
    let dir = Dir::new();
    dir.write("t.csv", "id,town,ill\na,Bonn,flu\nb,Bonn,hiv\nc,Rome,hiv\nd,Rome,flu\n");
    dir.write(
        "job.toml",
        "[input]\npath = \"t.csv\"\n[columns.id]\nrole = \"identifier\"\n[columns.town]\nrole = \"quasi\"\n[columns.ill]\n\
         role = \"sensitive\"\n[privacy]\nk-anonymity = 2\n[output]\nfolder = \"release\"\n",
    );
    dir.expect(0, &["anonymize", "job.toml"]);
    dir.write("list.csv", "id,city\na,Bonn\nc,Rome\n");
    for (columns, code) in [("town = \"city\"", 0), ("Town = \"city\"", 2)] {
        dir.write(
            "knowledge.toml",
            format!("[people]\npath = \"list.csv\"\nname = \"id\"\ncolumns = {{ {columns} }}\n"),
        );
        dir.expect(code, &["attack", "release", "--knowledge", "knowledge.toml"]);
    }
    for (value, code) in [("flu", 0), ("fluu", 2)] {
        dir.write(
            "knowledge.toml",
            format!(
                "[people]\npath = \"t.csv\"\nname = \"id\"\n[[records]]\nperson = \"a\"\nvalue = \"{value}\"\n"
            ),
        );
        dir.expect(code, &["attack", "release", "--knowledge", "knowledge.toml", "--attacks", "homogeneity"]);
    }
}

/// Of several people with one name each is found by what else is known of them, or the risk would be understated.
#[test]
fn namesakes_are_scored_by_their_values() {
    let dir = Dir::new();
    let rows = ["Ann,20", "Ann,30", "Ann,40", "Bob,25", "Bob,35", "Bob,35"];
    dir.write("t.csv", rows.iter().fold("name,age,s\n".to_owned(), |all, row| all + row + ",Flu\n"));
    dir.write("list.csv", rows.iter().fold("name,age\n".to_owned(), |all, row| all + row + "\n"));
    dir.write(
        "job.toml",
        "[input]\npath = \"t.csv\"\n[columns.name]\nrole = \"identifier\"\n[columns.age]\nrole = \"quasi\"\n[columns.s]\n\
         role = \"sensitive\"\n[privacy]\nk-anonymity = 1\n[output]\nfolder = \"release\"\n",
    );
    dir.expect(0, &["anonymize", "job.toml"]);
    dir.write("knowledge.toml", "[people]\npath = \"list.csv\"\nname = \"name\"\n");
    let attack = ["attack", "release", "--knowledge", "knowledge.toml", "--original", "job.toml", "--json"];
    let out = dir.expect(0, &[&attack[..], &["--attacks", "linking"]].concat()).out;
    let told: serde_json::Value = serde_json::from_str(&out).unwrap();
    let right = &told["attacks"][0]["right"];
    assert_eq!((&right["hits"], &right["of"]), (&4.into(), &4.into()), "{out}");
}

/// A release of a table whose dates are written day first, and a list of its people.
fn dated(list: &str) -> Dir {
    let dir = Dir::new();
    let days = ["06.12.1970", "07.12.1970", "16.12.1980", "17.12.1980"];
    dir.write("t.csv", days.iter().fold("born,s\n".to_owned(), |all, day| all + day + ",Flu\n"));
    dir.write("list.csv", format!("born\n{list}\n"));
    dir.write(
        "job.toml",
        "[input]\npath = \"t.csv\"\n[input.spelling]\nborn = \"day-month-year\"\n[columns.born]\nrole = \"quasi\"\n[columns.s]\n\
         role = \"sensitive\"\n[privacy]\nk-anonymity = 1\n[output]\nfolder = \"release\"\n",
    );
    dir.expect(0, &["anonymize", "job.toml"]);
    dir.write("knowledge.toml", "[people]\npath = \"list.csv\"\n");
    dir
}

const ATTACK: [&str; 7] =
    ["attack", "release", "--knowledge", "knowledge.toml", "--original", "job.toml", "--json"];

#[test]
fn a_list_of_whom_nobody_is_found_is_refused() {
    for list in ["12/06/1970", "01.01.1901", "1901-01-01"] {
        let dir = dated(list);
        let error = dir.expect(2, &[&ATTACK[..], &["--attacks", "linking"]].concat()).err;
        assert!(error.is_empty() || !error.contains(list), "{error}");
    }
}

#[test]
fn a_list_is_read_in_the_spelling_of_the_data() {
    for list in ["06.12.1970", "1970-12-06", "1970/12/06"] {
        let dir = dated(list);
        let out = dir.expect(0, &[&ATTACK[..], &["--attacks", "linking"]].concat()).out;
        let told: serde_json::Value = serde_json::from_str(&out).unwrap();
        let right = &told["attacks"][0]["right"];
        assert_eq!((&right["hits"], &right["of"]), (&1.into(), &1.into()), "{list}: {out}");
    }
}
