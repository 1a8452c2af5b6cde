//! `privet measure` and `privet attack` on swapped and synthetic records, and record linkage of many people.

use std::collections::HashMap;

use serde_json::Value;

use crate::dir::{CANARY, Dir};

const COLUMNS: &str = "\
[input]
path = \"people.csv\"
[columns.name]
role = \"identifier\"
[columns.sex]
role = \"quasi\"
[columns.ward]
role = \"quasi\"
[columns.grade]
role = \"sensitive\"
[columns.age]
role = \"quasi\"
[columns.income]
role = \"sensitive\"
[output]
folder = \"release\"
";
const RANK: &str = "method = \"swap\"\nswap = \"rank\"\ncolumns = [\"age\", \"income\"]\npercent = 5";
const ORDER: &str =
    "method = \"swap\"\nswap = \"order\"\ncolumns = [\"sex\", \"ward\", \"grade\"]\norder = 2\nshare = 0.3";
const FULL: &str = "method = \"synthetic\"\nmodel = \"cart\"\nscope = \"full\"\ncopies = 3\nrecords = 500";
const PARTIAL: &str = "method = \"synthetic\"\nmodel = \"regression\"\nscope = \"partial\"\ncolumns = [\"income\", \"grade\"]\ncopies = 3";

/// People of whom grade goes with age and income with both.
fn table(rows: usize, seed: usize) -> String {
    let mut text = String::from("name,sex,ward,grade,age,income\n");
    let mut state = seed as u64;
    let mut below = |limit: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    };
    for i in 0..rows {
        let (sex, ward) = (["F", "M"][below(2) as usize], ["North", "South", "East"][below(3) as usize]);
        let age = 20 + below(50);
        let grade = ["low", "middle", "high"][(age as usize / 25).min(2)];
        let income = 1000 + 40 * age + below(300);
        text.push_str(&format!("{CANARY}-{i},{sex},{ward},{grade},{age},{income}\n"));
    }
    text
}

fn dir(section: &str) -> Dir {
    let dir = Dir::new();
    dir.write("people.csv", table(400, 1))
        .write("others.csv", table(300, 2))
        .write("known.toml", "[control]\npath = \"others.csv\"\n")
        .write("job.toml", format!("{COLUMNS}[randomize]\n{section}\n"));
    dir.expect(0, &["randomize", "job.toml", "--seed", "7", "--quiet"]);
    dir
}

fn figure(figures: &Value, key: &str) -> f64 {
    let own = figures.as_array().unwrap().iter().find(|own| own["key"] == key);
    own.unwrap_or_else(|| panic!("no {key}: {figures:#}"))["value"].as_f64().unwrap()
}

fn finding<'a>(assessed: &'a Value, attack: &str) -> &'a Value {
    let own = assessed["attacks"].as_array().unwrap().iter().find(|own| own["attack"] == attack);
    own.unwrap_or_else(|| panic!("no {attack}: {assessed:#}"))
}

/// The published cells of each line of a file, in the order of the release.
fn lines(text: &str, skip: usize) -> Vec<String> {
    let line = |line: &str| line.split(',').skip(skip).collect::<Vec<_>>().join(",");
    text.lines().skip(1).map(line).collect()
}

#[test]
fn swapped_records_are_measured_and_attacked() {
    let dir = dir(RANK);
    let run = dir
        .expect(0, &["measure", "job.toml", "release", "--class", "grade", "--target", "income", "--json"]);
    let utility = run.json()["utility"].clone();
    // Every column keeps its counts; of the ten pairs those of the three columns that were not swapped do.
    assert_eq!(figure(&utility["figures"], "kept-columns"), 1.0);
    assert!((figure(&utility["figures"], "kept-pairs") - 0.3).abs() < 1e-12);
    for column in utility["columns"].as_array().unwrap() {
        assert_eq!(figure(&column["figures"], "total-variation"), 0.0, "{column}");
    }
    let (before, after) = (lines(&dir.text("people.csv"), 1), lines(&dir.text("release/data.csv"), 0));
    let moved = before.iter().zip(&after).filter(|(a, b)| a != b).count();
    assert!((figure(&utility["figures"], "changed-records") - moved as f64 / 400.0).abs() < 1e-12);
    assert_eq!(utility["learners"].as_array().unwrap().len(), 3);
    assert_eq!(utility["regressions"].as_array().unwrap().len(), 1);
    assert!(figure(&utility["figures"], "means-overlap") > 0.999);

    let assessed = dir.expect(0, &["attack", "release", "--original", "people.csv", "--json"]).json();
    for attack in ["linking", "homogeneity", "similarity", "record-linkage", "reproduction"] {
        assert!(finding(&assessed, attack)["control"]["of"].as_u64().unwrap() > 0, "{attack}");
    }
    // Whose record came out again is what comparing lines tells.
    let mut alike: HashMap<&str, (u64, u64)> = HashMap::new();
    before.iter().for_each(|line| alike.entry(line).or_default().0 += 1);
    after.iter().for_each(|line| alike.entry(line).or_default().1 += 1);
    let again =
        before.iter().filter(|line| alike[line.as_str()].0 == 1 && alike[line.as_str()].1 > 0).count();
    assert_eq!(finding(&assessed, "reproduction")["exposed"]["hits"], again);
    assert!(assessed["not_made"].to_string().contains("[control]"), "{}", assessed["not_made"]);
    assert!(!assessed.to_string().contains(CANARY) && !assessed.to_string().contains("North"));

    dir.expect(1, &["attack", "release", "--original", "people.csv", "--max-risk", "0.01"])
        .says("succeeds against");
    dir.expect(
        0,
        &[
            "attack",
            "release",
            "--original",
            "job.toml",
            "--people",
            "p.csv",
            "--report",
            "a.html",
            "--quiet",
        ],
    );
    assert!(dir.text("a.html").contains("Records that come out again"));
    // Joint counts that stay are counted.
    let order = self::dir(ORDER);
    let utility = order.expect(0, &["measure", "people.csv", "release", "--json"]).json()["utility"].clone();
    assert_eq!(figure(&utility["figures"], "kept-columns"), 1.0);
    // Of sex, ward and grade all pairs stay, and that of age and income.
    assert!(figure(&utility["figures"], "kept-pairs") >= 0.4);
}

#[test]
fn synthetic_records_are_measured_and_attacked() {
    let full = dir(FULL);
    let run = full.expect(0, &["measure", "people.csv", "release", "--class", "grade", "--json"]);
    let utility = run.json()["utility"].clone();
    assert!(utility["notes"].to_string().contains("3 copies"), "{}", utility["notes"]);
    assert_eq!(utility["learners"].as_array().unwrap().len(), 3);
    let overlap = figure(&utility["figures"], "means-overlap");
    assert!((0.0..=1.0).contains(&overlap), "{overlap}");
    // The distance of a copy, by hand, on average.
    let shares = |text: &str, column: usize| -> HashMap<String, f64> {
        let cells: Vec<String> =
            text.lines().skip(1).map(|line| line.split(',').nth(column).unwrap().to_owned()).collect();
        let mut all = HashMap::new();
        cells.iter().for_each(|cell| *all.entry(cell.clone()).or_default() += 1.0 / cells.len() as f64);
        all
    };
    let before = shares(&full.text("people.csv"), 1);
    let by_hand: f64 = (1..=3)
        .map(|copy| {
            let after = shares(&full.text(&format!("release/data-{copy}.csv")), 0);
            before.iter().map(|(value, share)| (share - after.get(value).unwrap_or(&0.0)).abs()).sum::<f64>()
                / 6.0
        })
        .sum();
    let told = figure(&utility["columns"][0]["figures"], "total-variation");
    assert!((told - by_hand).abs() < 1e-9, "{told} {by_hand}");

    let args = ["attack", "release", "--original", "people.csv", "--knowledge", "known.toml", "--json"];
    let assessed = full.expect(0, &args).json();
    for attack in ["homogeneity", "similarity", "reproduction", "membership"] {
        assert!(finding(&assessed, attack)["control"]["of"].as_u64().unwrap() > 0, "{attack}");
    }
    assert!(assessed["not_made"].to_string().contains("nobody's"), "{}", assessed["not_made"]);
    // A model that gives back what it was given: everybody comes out again, and strangers do not.
    let own: String = full
        .text("people.csv")
        .lines()
        .map(|line| line.split(',').skip(1).collect::<Vec<_>>().join(",") + "\n")
        .collect();
    (1..=3).for_each(|copy| {
        full.write(&format!("release/data-{copy}.csv"), &own);
    });
    // Copies that are not the ones of the manifest are refused; here it says nothing of them.
    full.expect(2, &args).says("it was changed since");
    let mut manifest: Value = serde_json::from_str(&full.text("release/manifest.json")).unwrap();
    let files = manifest["files"].as_array_mut().unwrap();
    files.retain(|own| !own["name"].as_str().unwrap().starts_with("data"));
    full.write("release/manifest.json", manifest.to_string());
    let assessed = full.expect(0, &args).json();
    let reproduced = finding(&assessed, "reproduction");
    assert!(reproduced["risk"].as_f64().unwrap() > 0.95, "{reproduced}");
    assert!(reproduced["control"]["rate"].as_f64().unwrap() < 0.05, "{reproduced}");
    assert!(finding(&assessed, "membership")["risk"].as_f64().unwrap() > 0.9);

    let partial = dir(PARTIAL);
    let assessed = partial.expect(0, &["attack", "release", "--original", "people.csv", "--json"]).json();
    // Quasi columns are as they were: whose record it is is no secret.
    assert_eq!(finding(&assessed, "linking")["right"]["rate"], 1.0);
    assert!(finding(&assessed, "linking")["not_counted"].as_str().unwrap().contains("no secret"));
    let utility = partial.expect(0, &["measure", "job.toml", "release", "--json"]).json()["utility"].clone();
    assert_eq!(figure(&utility["columns"][0]["figures"], "total-variation"), 0.0);
    assert!(figure(&utility["figures"], "changed-records") > 0.5);
}

#[test]
fn what_has_no_meaning_for_such_records_is_refused() {
    let dir = dir(FULL);
    dir.expect(2, &["attack", "release"]).says("--original is needed");
    let attack = ["attack", "release", "--original", "people.csv"];
    let with = |more: &[&'static str]| -> Vec<&'static str> { [&attack[..], more].concat() };
    dir.expect(2, &with(&["--attacks", "definetti"])).says("groups of true records");
    dir.expect(2, &with(&["--attacks", "magic"])).says("unknown attack");
    dir.expect(2, &with(&["--attacks", "linking"])).says("nobody's");
    dir.expect(2, &with(&["--attacks", "membership"])).says("[control]");
    dir.expect(2, &with(&["--job", "job.toml"])).says("--job");
    dir.expect(2, &with(&["--people", "p.csv"])).says("several copies");
    dir.expect(2, &with(&["--confidence", "2"])).says("confidence");
    dir.write("known.toml", "statements = ['a = \"b\"']\n");
    dir.expect(2, &with(&["--knowledge", "known.toml"])).says("statements");
    dir.write("short.csv", table(10, 1));
    let swapped = self::dir(RANK);
    swapped.write("short.csv", table(10, 1));
    for verb in [&["attack", "release", "--original", "short.csv"][..], &["measure", "short.csv", "release"]]
    {
        swapped.expect(2, verb).says("another table");
    }
    let measure = ["measure", "people.csv", "release"];
    for more in [["--risk-file", "r.csv"], ["--population", "people.csv"], ["--job", "job.toml"]] {
        dir.expect(2, &[&measure[..], &more[..]].concat()).says(more[0]);
    }
    dir.expect(2, &[&measure[..], &["--class", "name"]].concat()).says("not published");
    dir.expect(2, &[&measure[..], &["--target", "grade"]].concat()).says("holds no numbers");
    dir.expect(2, &[&measure[..], &["--test", "short.csv"]].concat()).says("--test needs");
    dir.expect(0, &[&measure[..], &["--class", "grade", "--test", "short.csv"]].concat())
        .prints("the strict protocol");
}

/// Who is alone in a column that was not changed is found by it, wherever the swapped column points.
#[test]
fn columns_that_were_not_changed_are_matched_exactly() {
    let mut text = String::from("zip,age,income\n");
    (0..60u32).for_each(|i| {
        text.push_str(&format!("{},{},{}\n", 10_000 + i, 20 + i * 17 % 60, 1000 + i * 7));
    });
    let dir = Dir::new();
    dir.write("people.csv", text).write(
        "job.toml",
        "input.path = \"people.csv\"\n[columns.zip]\nrole = \"quasi\"\n[columns.age]\nrole = \"quasi\"\n[columns.income]\nrole = \
         \"sensitive\"\n[output]\nfolder = \"release\"\n[randomize]\nmethod = \"swap\"\nswap = \"rank\"\ncolumns = \
         [\"age\"]\npercent = 30\n",
    );
    dir.expect(0, &["randomize", "job.toml", "--seed", "7", "--quiet"]);
    let assessed = dir.expect(0, &["attack", "release", "--original", "people.csv", "--json"]).json();
    for attack in ["linking", "homogeneity"] {
        assert_eq!(finding(&assessed, attack)["risk"], 1.0, "{assessed:#}");
    }
    let notes = finding(&assessed, "linking")["notes"].to_string();
    assert!(notes.contains("Of 2 quasi columns 1 are published as they are"), "{notes}");
    // The same for people of a table of the adversary's.
    dir.write("known.toml", "[people]\npath = \"people.csv\"\n");
    let args = ["attack", "release", "--original", "people.csv", "--knowledge", "known.toml", "--json"];
    assert_eq!(finding(&dir.expect(0, &args).json(), "linking")["risk"], 1.0);
}

#[test]
fn another_order_and_no_record_are_refused() {
    for section in [RANK, PARTIAL, FULL] {
        let dir = dir(section);
        let text = dir.text("people.csv");
        let (header, records) = text.split_once('\n').unwrap();
        let turned: Vec<&str> = records.lines().rev().collect();
        dir.write("turned.csv", format!("{header}\n{}\n", turned.join("\n")));
        dir.write("empty.csv", format!("{header}\n"));
        let both = |file: &'static str| -> [[&'static str; 4]; 2] {
            [["attack", "release", "--original", file], ["measure", file, "release", "--quiet"]]
        };
        for args in both("empty.csv") {
            dir.expect(2, &args).says("has no record");
        }
        for args in both("turned.csv") {
            // Records that are synthetic in full have no order.
            if section == FULL {
                dir.expect(0, &args);
            } else {
                dir.expect(2, &args).says("in another order");
            }
        }
    }
}

/// What a control table lacks changes nothing for the people themselves.
#[test]
fn a_control_with_fewer_columns_hides_nobody() {
    let dir = dir(FULL);
    let sexes: String = dir
        .text("others.csv")
        .lines()
        .map(|line| line.split(',').take(2).collect::<Vec<_>>().join(",") + "\n")
        .collect();
    dir.write("sexes.csv", sexes).write("few.toml", "[control]\npath = \"sexes.csv\"\n");
    let attack = ["attack", "release", "--original", "people.csv", "--attacks"];
    let plain = dir.expect(0, &[&attack[..], &["reproduction", "--json"]].concat()).json();
    let more = ["reproduction,membership", "--knowledge", "few.toml", "--json"];
    let few = dir.expect(0, &[&attack[..], &more].concat()).json();
    let own = finding(&few, "reproduction");
    assert_eq!(own["exposed"], finding(&plain, "reproduction")["exposed"]);
    assert!(own["control"].is_null(), "{own}");
    for attack in ["reproduction", "membership"] {
        let notes = finding(&few, attack)["notes"].to_string();
        assert!(notes.contains("1 of the 5 published columns"), "{notes}");
    }
}

#[test]
fn who_is_reproduced_stands_in_the_file_of_people() {
    let dir = dir(RANK);
    let attack = ["attack", "release", "--original", "people.csv", "--people", "p.csv", "--json"];
    let lines = |attack: &str| -> (usize, usize) {
        let text = dir.text("p.csv");
        let own: Vec<Vec<&str>> = text
            .lines()
            .map(|line| line.split(',').collect())
            .filter(|cells: &Vec<&str>| cells[1] == attack)
            .collect();
        (own.len(), own.iter().filter(|cells| cells[4] == "yes").count())
    };
    let more = ["--attacks", "reproduction,membership", "--knowledge", "known.toml"];
    let assessed = dir.expect(0, &[&attack[..], &more].concat()).json();
    for attack in ["reproduction", "membership"] {
        let (all, exposed) = lines(attack);
        assert_eq!(all, 400);
        assert_eq!(finding(&assessed, attack)["exposed"]["hits"], exposed);
    }
    assert_eq!(lines("linking").0, 0);
    // Beside those of other attacks.
    dir.expect(0, &attack);
    assert_eq!((lines("linking").0, lines("reproduction").0), (400, 400));
}

#[test]
fn texts_fit_such_records() {
    let dir = dir(FULL);
    let measure = ["measure", "people.csv", "release", "--class", "grade", "--json"];
    let told = dir.expect(0, &measure).json()["utility"].clone();
    assert!(told["notes"].to_string().contains("give them with --test"), "{}", told["notes"]);
    let age = told["columns"].as_array().unwrap().iter().find(|own| own["name"] == "age").unwrap();
    let figures = age["figures"].as_array().unwrap();
    let distance = figures.iter().find(|own| own["key"] == "total-variation").unwrap();
    assert!(distance["says"].as_str().unwrap().contains("20 ranges"), "{distance}");
    let told = dir.expect(0, &[&measure[..], &["--test", "others.csv"]].concat()).json();
    let notes = told["utility"]["notes"].to_string();
    assert!(notes.contains("nobody's") && !notes.contains("--test"), "{notes}");
    let attack = ["attack", "release", "--original", "people.csv", "--knowledge", "wrong.toml"];
    dir.write("wrong.toml", "[control]\npath = \"others.csv\"\ncolumns = { age = \"years\" }\n");
    dir.expect(2, &attack).says("has no column years, which `columns` of this table names");
    dir.write("wrong.toml", "[time]\norder = \"age\"\n");
    dir.expect(2, &attack).says("swapped or made");
}

/// More pairs than can be listed are compared all the same. A tenth of the ages are wrong.
#[test]
fn record_linkage_of_many_people() {
    let people = |wrong: bool| {
        let mut text = String::from("name,age,zip,sex,ill\n");
        for i in 0..6000u64 {
            let mixed = i.wrapping_mul(2_654_435_761) >> 7;
            let age = if wrong && i % 10 == 0 { 18 + i % 70 } else { 18 + mixed % 70 };
            let (zip, sex, ill) = (10_000 + mixed / 70 % 400, ["F", "M"][(mixed / 3 % 2) as usize], i % 4);
            text.push_str(&format!("p{i},{age},{zip},{sex},i{ill}\n"));
        }
        text
    };
    let dir = Dir::new();
    dir.write("people.csv", people(false))
        .write("voters.csv", people(true))
        .write("known.toml", "[people]\npath = \"voters.csv\"\nname = \"name\"\n")
        .write(
            "job.toml",
            "input.path = \"people.csv\"\n[columns.name]\nrole = \"identifier\"\n[columns.age]\nrole = \"quasi\"\nhierarchy = \
             { intervals = [10] }\n[columns.zip]\nrole = \"quasi\"\nhierarchy = { mask = \"right\" }\n[columns.sex]\nrole = \
             \"quasi\"\n[columns.ill]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 2\n[output]\nfolder = \"release\"\n",
        );
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let args = [
        "attack",
        "release",
        "--original",
        "job.toml",
        "--knowledge",
        "known.toml",
        "--attacks",
        "record-linkage",
    ];
    let run = dir.expect(0, &[&args[..], &["--json"]].concat());
    let own = finding(&run.json(), "record-linkage").clone();
    assert_eq!(own["exposed"]["of"], 6000);
    assert!(own["notes"].to_string().contains("Pairs compared: 36000000, which are all."), "{own}");
    // Every class has at least two records that look alike.
    assert_eq!(own["risk"], 0.0);
}

/// A class that goes with the parity of postal codes: no line through their digits finds it.
/// Numbers that were swapped with near ones: whose they are is told by how near they are, and who was given exactly a number
/// is somebody else.
#[test]
fn record_linkage_goes_by_how_near_swapped_numbers_are() {
    let mut text = String::from("a,b,c,d,ill\n");
    let mut state = 5u64;
    let mut below = |limit: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    };
    for _ in 0..500 {
        let own = [(); 4].map(|()| below(100_000));
        text.push_str(&format!("{},{},{},{},x{}\n", own[0], own[1], own[2], own[3], below(3)));
    }
    let dir = Dir::new();
    dir.write("t.csv", text).write(
        "job.toml",
        "input.path = \"t.csv\"\noutput.folder = \"release\"\n[columns.a]\nrole = \"quasi\"\n[columns.b]\nrole = \"quasi\"\n\
         [columns.c]\nrole = \"quasi\"\n[columns.d]\nrole = \"quasi\"\n[columns.ill]\nrole = \"sensitive\"\n[randomize]\nmethod = \
         \"swap\"\nswap = \"rank\"\ncolumns = [\"a\", \"b\", \"c\", \"d\"]\npercent = 1\n",
    );
    dir.expect(0, &["randomize", "job.toml", "--seed", "1", "--quiet"]);
    let attack = |more: &[&str]| {
        let flags =
            ["attack", "release", "--original", "job.toml", "--json", "--attacks", "linking, record-linkage"];
        dir.expect(0, &[&flags[..], more].concat()).json()
    };
    let found = attack(&[]);
    let own = finding(&found, "record-linkage");
    assert!(own["exposed"]["rate"].as_f64().unwrap() > 0.9, "{own:#}");
    assert!(own["right"]["rate"].as_f64().unwrap() > 0.95, "{own:#}");
    assert!(own["control"]["rate"].as_f64().unwrap() < 0.05, "{own:#}");
    // Somebody is always the nearest, so without their own records as many are pointed at.
    assert!(finding(&found, "linking")["control"]["rate"].as_f64().unwrap() > 0.9, "{found:#}");
    // Of one illness that all have, the records of others tell everybody's.
    let text = dir
        .text("t.csv")
        .lines()
        .map(|line| line.replace("x0", "x").replace("x1", "x").replace("x2", "x"))
        .collect::<Vec<_>>();
    dir.write("same.csv", text.join("\n") + "\n");
    dir.expect(
        0,
        &[
            "randomize",
            "job.toml",
            "--seed",
            "1",
            "--quiet",
            "--set",
            "input.path=same.csv",
            "--output",
            "same",
        ],
    );
    let same = ["attack", "same", "--original", "same.csv", "--json", "--attacks", "homogeneity"];
    let told = dir.expect(0, &same).json();
    assert_eq!(finding(&told, "homogeneity")["control"]["rate"], 1.0, "{told:#}");
    // Who must be surer is sure of no more people.
    let surer = attack(&["--confidence", "0.9999999"]);
    let exposed = |found: &Value| finding(found, "record-linkage")["exposed"]["hits"].as_u64().unwrap();
    assert!(exposed(&surer) < exposed(&found));
}

#[test]
fn learners_take_postal_codes_for_categories() {
    let mut text = String::from("zip,age,class\n");
    for i in 0..900u32 {
        let zip = 10_000 + i % 20;
        text.push_str(&format!("{zip},{},{}\n", 20 + i / 20 % 9, ["even", "odd"][(zip % 2) as usize]));
    }
    let dir = Dir::new();
    dir.write("t.csv", text).write(
        "job.toml",
        "input.path = \"t.csv\"\n[columns.zip]\nrole = \"quasi\"\nhierarchy = { mask = \"right\" }\n[columns.age]\nrole = \
         \"quasi\"\n[columns.class]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 2\n[output]\nfolder = \"release\"\n",
    );
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let run = dir.expect(0, &["measure", "job.toml", "release", "--class", "class", "--json"]);
    for own in run.json()["utility"]["learners"].as_array().unwrap() {
        assert!(own["raw"]["rate"].as_f64().unwrap() > 0.99, "{own}");
    }
    // As a number the same column is a number.
    let set = "columns.zip.hierarchy={ intervals = [10] }";
    dir.expect(0, &["anonymize", "job.toml", "--quiet", "--force", "--set", set]);
    dir.write("number.toml", dir.text("job.toml").replace("{ mask = \"right\" }", "{ intervals = [10] }"));
    let run = dir.expect(0, &["measure", "number.toml", "release", "--class", "class", "--json"]);
    let learners = run.json()["utility"]["learners"].clone();
    let logistic =
        learners.as_array().unwrap().iter().find(|own| own["name"] == "logistic regression").unwrap();
    assert!(logistic["raw"]["rate"].as_f64().unwrap() < 0.7, "{logistic}");
}

/// In a sample in which nobody looks like another, two models tell nothing, and say so.
#[test]
fn models_without_a_solution_say_so() {
    let mut text = String::from("age,zip,ill\n");
    (0..300u32).for_each(|i| text.push_str(&format!("{},{},i{}\n", 20 + i % 60, 10_000 + i, i % 3)));
    let dir = Dir::new();
    dir.write("t.csv", text).write(
        "job.toml",
        "input.path = \"t.csv\"\n[columns.age]\nrole = \"quasi\"\nhierarchy = { intervals = [10] }\n[columns.zip]\nrole = \
         \"quasi\"\nhierarchy = { mask = \"right\" }\n[columns.ill]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = \
         3\n[sampling]\nfraction = 0.5\nseed = 1\n[output]\nfolder = \"release\"\nhome = \"home\"\n",
    );
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let is_assessment = |name: &String| name.ends_with(".json") && name != "recoding.json";
    let file = dir.names("home").into_iter().find(is_assessment).unwrap();
    let risk = dir.json(&format!("home/{file}"))["assessment"]["risk"]["figures"].clone();
    for key in ["snb-before", "pitman-before"] {
        let own = risk.as_array().unwrap().iter().find(|own| own["key"] == key).unwrap();
        assert!(
            own["value"].is_null() && own["says"].as_str().unwrap().starts_with("No estimate: "),
            "{own}"
        );
    }
    assert!(figure(&risk, "zayatz-before") > 0.0);
    let page = dir.names("home").into_iter().find(|name| name.ends_with(".html")).unwrap();
    let page = dir.text(&format!("home/{page}"));
    assert!(
        page.contains("no estimate") && page.contains("No estimate: every class"),
        "no estimate on the page"
    );
}
