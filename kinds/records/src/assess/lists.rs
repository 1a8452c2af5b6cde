//! Lists of people beside releases of every algorithm: who else is looked for changes nothing, and a person's own record is
//! always among those that may be theirs, with the job and without.

use std::path::Path;

use privet_attack::adversary::suspects;
use privet_attack::knowledge::{Knowledge, PeopleFile};
use privet_attack::{Conclusions, Fate, Place, Suspects, Target, homogeneity, linking};
use privet_data::Silent;
use privet_release::Published;

use super::original::JobAt;
use super::people::PeopleTable;
use crate::job::Job;
use crate::run::{RunOptions, run};

/// Knuth's 64-bit linear congruence: the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn of(&mut self, choices: &[&str]) -> String {
        choices[self.below(choices.len())].to_owned()
    }
}

const HEADER: &str = "name,age,town,born,weight,code,illness\n";

/// People of whom some values are not known.
fn records(random: &mut Random, rows: usize) -> Vec<String> {
    (0..rows)
        .map(|row| {
            let age = (20 + random.below(40)).to_string();
            let town = random.of(&["Bonn", "Ulm", "Trier", "Kiel", "?"]);
            let born = format!("19{}-0{}-1{}", 60 + random.below(9), 1 + random.below(4), random.below(9));
            let weight = format!("{}.{}", 50 + random.below(30), random.below(4));
            let code = random.of(&["E1", "E11", "E11.9", "E12", "F2", "F20.1"]);
            let illness = random.of(&["flu", "cold", "cancer"]);
            format!("p{row},{age},{town},{born},{weight},{code},{illness}\n")
        })
        .collect()
}

/// Others: mistyped, written otherwise, from elsewhere, not known.
const STRANGERS: &str = "s1,forty,Atlantis,1961,heavy,E,flu\ns2,39.0,Bonn,1961-02-11T08:00,61.50,E11,flu\ns3,,,,,,\n\
    s4,?,?,?,?,?,?\ns5,200,ulm,then,1e2,G99.99.9,cold\ns6,20-24,west,1960-1969,[50 to 60],E1***,cold\n";

/// The columns, with hierarchies of several sorts.
fn columns(kind: usize) -> String {
    let hierarchies = [
        ["", "", "", "", ""],
        [
            "{ intervals = [5, 10, 20] }",
            "{ tree = { south = [\"Ulm\"], west = [\"Bonn\", \"Trier\"], north = [\"Kiel\"] } }",
            "{ dates = [\"month\", \"year\"] }",
            "{ intervals = [2.5, 10] }",
            "{ mask = \"right\" }",
        ],
        [
            "\"age.csv\"",
            "\"town.csv\"",
            "{ dates = [\"week\"] }",
            "{ regions = [4, 20] }",
            "{ mask = \"right\", symbol = \"#\", steps = [2, 4] }",
        ],
        [
            "{ regions = [3, 10] }",
            "{ groups = [[\"Bonn\", \"Ulm\"], [\"Kiel\", \"Trier\"]] }",
            "{ regions = [3, 9] }",
            "",
            "{ regions = [5], by = \"right\" }",
        ],
    ];
    let named = ["age", "town", "born", "weight", "code"].iter().zip(hierarchies[kind]);
    let column = |(name, own): (&&str, &str)| {
        let hierarchy = if own.is_empty() { String::new() } else { format!("hierarchy = {own}\n") };
        format!("[columns.{name}]\nrole = \"quasi\"\n{hierarchy}")
    };
    named.map(column).collect()
}

/// Files of hierarchies whose labels are no more than names: 40 is called one of 20 to 39, and Ulm a part of Bonn.
fn write_files(folder: &Path) {
    let age = |age: usize| {
        let (of, top) = if age <= 40 { ("20-39", "20-39") } else { ("40-59", "old") };
        format!("{age};{of};{top};*\n")
    };
    std::fs::write(folder.join("age.csv"), (20..60).map(age).collect::<String>()).unwrap();
    std::fs::write(folder.join("town.csv"), "Bonn;Bonn;*\nUlm;Bonn;*\nTrier;west;*\nKiel;north;*\n").unwrap();
}

const ALGORITHMS: [(&str, &str); 26] = [
    ("optimal", ""),
    ("datafly", ""),
    ("top-down", "[search.top-down]\nnode-limit = 20\n"),
    ("genetic", "[search.genetic]\npopulation = 8\ngenerations = 5\nelite = 1\n"),
    ("top-down-specialization", ""),
    ("bottom-up-generalization", ""),
    ("k-optimize", "[search.k-optimize]\nnode-limit = 30\n"),
    ("attribute-suppression", ""),
    ("cell-suppression", ""),
    ("mondrian", ""),
    ("mondrian nodes", ""),
    ("mondrian ranges", ""),
    ("mondrian means", ""),
    ("top-down-local", ""),
    ("top-down-local ranges", ""),
    ("local-recoding", ""),
    ("local-recoding ranges", ""),
    ("local-recoding modes", ""),
    ("clustering", ""),
    ("clustering medians", ""),
    ("clustering ranges", ""),
    ("microaggregation", ""),
    ("microaggregation nodes", ""),
    ("anatomy", "[search.anatomy]\nl = 2\nseed = 3\n"),
    ("mondrian buckets", ""),
    ("clustering buckets", ""),
];

/// What attacks say of one person, by name.
#[derive(Debug, PartialEq)]
struct Said {
    places: Vec<Place>,
    linking: Fate,
    homogeneity: (Fate, Vec<(u32, f64)>),
}

struct Beside<'a> {
    folder: &'a Path,
    job: Option<JobAt<'a>>,
    release: &'a Published,
}

impl Beside<'_> {
    fn linked(&self, lines: &[&str]) -> (PeopleTable, Suspects) {
        std::fs::write(self.folder.join("list.csv"), format!("{HEADER}{}", lines.concat())).unwrap();
        let file = PeopleFile {
            path: self.folder.join("list.csv"),
            name: Some("name".into()),
            ..PeopleFile::default()
        };
        let table = PeopleTable::read(&file, &Knowledge::default(), self.job, self.release, &Silent).unwrap();
        let people = suspects(self.release, &table.crowd()).unwrap();
        (table, people)
    }

    /// What is said of each of a list, in its order.
    fn said(&self, lines: &[&str]) -> Vec<Said> {
        let (_, people) = self.linked(lines);
        let target = Target { release: self.release, sensitive: Some(0), people: &people, truth: None };
        let alone = Target { sensitive: None, ..target };
        let linking: Conclusions = linking::attack(&alone).conclusions.unwrap();
        let values = homogeneity::attack(&target, 0.9, None).unwrap().conclusions.unwrap();
        let said = |person: u32| Said {
            places: people.places_of(person).to_vec(),
            linking: linking.fate[person as usize],
            homogeneity: (values.fate[person as usize], values.beliefs.of(person).unwrap().values.clone()),
        };
        (0..lines.len() as u32).map(said).collect()
    }

    /// Whether every label of a record may stand for the values of the person whose it is.
    fn must_hold_own_records(&self, lines: &[&str], what: &str) {
        let (table, people) = self.linked(lines);
        let crowd = table.crowd();
        for (record, _) in lines.iter().enumerate() {
            for shared in &crowd.shared {
                let label = self.release.table.columns[self.release.quasi[shared.quasi]].codes[record];
                let value = shared.values[record];
                assert!(
                    shared.coverage.contains(label, value),
                    "{what}: record {record}, column {}",
                    shared.quasi
                );
            }
            let own = self.release.group_of[record];
            let is_point = crowd.shared.iter().any(|shared| shared.points.is_some());
            let mut places = people.places_of(record as u32).iter();
            assert!(is_point || places.any(|place| place.group == own), "{what}: record {record}");
        }
    }
}

/// Every algorithm, with hierarchies of every sort, with the job and without.
fn releases(mut look: impl FnMut(&Beside<'_>, &[&str], &mut Random, &str)) {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path());
    let mut published = 0;
    for (number, (algorithm, section)) in ALGORITHMS.iter().enumerate() {
        for kind in 0..4 {
            let mut random = Random(10 * number as u64 + kind as u64);
            let lines = records(&mut random, 24);
            std::fs::write(folder.path().join("people.csv"), format!("{HEADER}{}", lines.concat())).unwrap();
            let (word, publish) = algorithm.split_once(' ').unwrap_or((algorithm, ""));
            let publish =
                if publish.is_empty() { String::new() } else { format!("publish = \"{publish}\"\n") };
            let text = format!(
                "[input]\npath = \"people.csv\"\nmissing = [\"\", \"?\"]\n[columns.name]\nrole = \"identifier\"\n{}\
                 [columns.illness]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 2\n[search]\nalgorithm = \"{word}\"\n\
                 minimize = \"discernibility\"\n{publish}{section}[output]\nreplace = true\n",
                columns(kind)
            );
            let text = match algorithm.contains("anatomy") || algorithm.contains("buckets") {
                true => text.replace("k-anonymity = 2", "l-diversity = { l = 2, column = \"illness\" }"),
                false => text,
            };
            let Ok(job) = Job::parse(&text, &[]) else { continue };
            let options = RunOptions { base: folder.path().to_owned(), ..RunOptions::default() };
            let Ok(summary) = run(&job, &options, &Silent) else { continue };
            published += 1;
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            for job in [None, Some(JobAt { job: &job, base: folder.path() })] {
                let release = Published::open(&summary.release, &Silent).unwrap();
                let what = format!(
                    "{algorithm}, hierarchies {kind}, {}",
                    if job.is_some() { "job" } else { "alone" }
                );
                let beside = Beside { folder: folder.path(), job, release: &release };
                look(&beside, &lines, &mut random, &what);
            }
        }
    }
    assert!(published > 80, "{published}");
}

/// A short list hides nobody on it, nor do strangers: where people may stand, and what follows, is the same for each.
#[test]
fn others_who_are_looked_for_change_nothing() {
    releases(|beside, lines, random, what| {
        let whole = beside.said(lines);
        let half: Vec<usize> = (0..lines.len()).filter(|_| random.below(2) == 0).collect();
        for few in
            [vec![random.below(lines.len())], (0..3).map(|_| random.below(lines.len())).collect(), half]
        {
            let list: Vec<&str> = few.iter().map(|&own| lines[own]).collect();
            for (own, said) in few.iter().zip(beside.said(&list)) {
                assert_eq!(said, whole[*own], "{what}: person {own} among {}", list.len());
            }
        }
        let longer: Vec<&str> = STRANGERS.split_inclusive('\n').chain(lines.iter().copied()).collect();
        let said = beside.said(&longer);
        for (own, said) in said[longer.len() - lines.len()..].iter().enumerate() {
            assert_eq!(*said, whole[own], "{what}: person {own} among strangers");
        }
    });
}

/// A label that really is a person's is never excluded.
#[test]
fn a_persons_own_record_may_be_theirs() {
    let mut looked_at = 0;
    releases(|beside, lines, random, what| {
        // Records are published in the order of the input, all of them where none is suppressed.
        if beside.release.table.rows != lines.len() {
            return;
        }
        looked_at += 1;
        beside.must_hold_own_records(lines, what);
        // A list that lacks a value of somebody, or writes it otherwise.
        let otherwise = |line: &&str| {
            let mut cells: Vec<String> = line.trim_end().split(',').map(str::to_owned).collect();
            match random.below(3) {
                0 => cells[1 + random.below(5)] = String::new(),
                1 => cells[1].push_str(".0"),
                _ => cells[4].push('0'),
            }
            cells.join(",") + "\n"
        };
        let lines: Vec<String> = lines.iter().map(otherwise).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        beside.must_hold_own_records(&lines, &format!("{what}, written otherwise"));
    });
    assert!(looked_at > 100, "{looked_at}");
}
