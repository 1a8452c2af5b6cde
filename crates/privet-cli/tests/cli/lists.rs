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

/// Of the exposed people of a table, those whom lists of at most so many of them find, and how many there are.
fn found(dir: &Dir, table: &str, job: &str, most: usize) -> (usize, usize) {
    let whole = said(dir, table, job);
    let is_exposed =
        |lines: &Vec<String>| lines.iter().any(|own| own.starts_with("homogeneity") && own.contains(",yes,"));
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
    let name = dir.names("home").into_iter().find(|name| name.ends_with(".json")).unwrap();
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
