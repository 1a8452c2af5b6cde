//! Singling out, linkability, inference and the closest record, on tables made by others and on releases of several kinds.

use serde_json::Value;

use crate::dir::Dir;

const JOB: &str = "\
input.path = \"people.csv\"
[columns.age]
role = \"quasi\"
hierarchy = { intervals = [10, 20, 40] }
[columns.income]
role = \"quasi\"
[columns.town]
role = \"quasi\"
[columns.illness]
role = \"sensitive\"
[privacy]
k-anonymity = 5
[search]
suppress-at-most = 0.05
[output]
folder = \"release\"
";

/// People whose illness goes with their age, drawn by a simple generator; `change` says how far incomes are moved.
fn table(people: u64, seed: u64, change: u64) -> String {
    let mut state = seed;
    let mut next = |end: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % end
    };
    let mut text = String::from("age,income,town,illness\n");
    for _ in 0..people {
        let (age, income, town) = (18 + next(70), 20_000 + next(60_000), next(12));
        let ill = if next(10) < 7 { age / 25 } else { next(4) };
        let income = income + if change > 0 { (income * 7) % change } else { 0 };
        text.push_str(&format!("{age},{income},t{town},i{ill}\n"));
    }
    text
}

fn finding<'a>(assessed: &'a Value, word: &str) -> &'a Value {
    let all = assessed["attacks"].as_array().unwrap();
    all.iter().find(|own| own["attack"] == word).unwrap_or_else(|| panic!("{word}: {assessed}"))
}

const WORDS: [&str; 3] = ["singling-out", "linkability", "inference"];
const ALL: &str = "singling-out,singling-out-univariate,linkability,inference,closest-record";

fn dir() -> Dir {
    let dir = Dir::new();
    dir.write("people.csv", table(600, 1, 0)).write("job.toml", JOB).write("others.csv", table(600, 2, 0));
    dir.write("copy.csv", table(600, 1, 90)).write("drawn.csv", table(600, 3, 0));
    dir.write("knowledge.toml", "[control]\npath = \"others.csv\"\n[risks]\nattacks = 300\n");
    dir
}

/// A near-copy that somebody else made falls to all of them, and is refused; a table that was drawn by itself is not.
#[test]
fn a_near_copy_made_by_others_is_found_out() {
    let dir = dir();
    let attack = |code: i32, table: &str, more: &[&str]| {
        let args = [&["attack", table, "--original", "job.toml", "--attacks", ALL, "--json"], more].concat();
        dir.expect(code, &args).json()
    };
    let known = ["--knowledge", "knowledge.toml"];
    let copy = attack(0, "copy.csv", &known);
    for word in WORDS {
        let own = finding(&copy, word);
        assert!(own["risk"].as_f64().unwrap() > 0.05, "{word} {own}");
        assert!(own["control"]["rate"].as_f64().unwrap() < own["exposed"]["rate"].as_f64().unwrap(), "{own}");
    }
    assert!(finding(&copy, "closest-record")["risk"].as_f64().unwrap() > 0.8, "{copy}");
    let drawn = attack(0, "drawn.csv", &known);
    for word in WORDS {
        assert!(finding(&drawn, word)["risk"].as_f64().unwrap() < 0.15, "{word} {drawn}");
    }
    assert!(finding(&drawn, "closest-record")["risk"].as_f64().unwrap() < 0.2, "{drawn}");
    // Nobody is said to be found wrongly where nobody knows whose a record is, and a control makes membership.
    let default = |table: &str| {
        let args = ["attack", table, "--original", "job.toml", "--knowledge", "knowledge.toml", "--json"];
        dir.expect(0, &args).json()
    };
    let all = default("copy.csv");
    let made: Vec<&str> =
        all["attacks"].as_array().unwrap().iter().map(|own| own["attack"].as_str().unwrap()).collect();
    for word in ["linking", "known-attributes", "record-linkage", "definetti", "boolean"] {
        assert!(!made.contains(&word), "{word} {all}");
    }
    assert!(finding(&all, "membership")["risk"].as_f64().unwrap() > 0.8, "{all}");
    assert!(finding(&default("drawn.csv"), "membership")["risk"].as_f64().unwrap() < 0.2);
    let exact = finding(&default("people.csv"), "reproduction")["risk"].as_f64().unwrap();
    assert!(exact > 0.95, "{exact}");
    let named = ["attack", "copy.csv", "--original", "job.toml", "--attacks", "linking", "--max-risk", "0.1"];
    dir.expect(2, &named).says("nothing says whose each record is");
    attack(1, "copy.csv", &["--knowledge", "knowledge.toml", "--max-risk", "0.3"]);
    attack(0, "drawn.csv", &["--knowledge", "knowledge.toml", "--max-risk", "0.3"]);
    // Without a control what was asked for by name counts with its whole rate, and the closest record cannot be looked for.
    let args = ["attack", "drawn.csv", "--original", "job.toml", "--attacks"];
    let alone = dir.expect(0, &[&args[..], &["inference", "--json"]].concat()).json();
    let own = finding(&alone, "inference");
    assert_eq!(own["risk"], own["exposed"]["rate"], "{own}");
    dir.expect(2, &[&args[..], &["closest-record"]].concat()).says("[control]");
    // What nobody asked for informs.
    let all = dir.expect(0, &["attack", "drawn.csv", "--original", "job.toml", "--json"]).json();
    assert!(finding(&all, "inference")["not_counted"].is_string(), "{all}");
}

/// The same on a generalized release, in the gate by name, and what `[risks]` says.
#[test]
fn a_generalized_release_is_asked_the_same_questions() {
    let dir = dir();
    let gate = "[adversary]\nattacks = [\"singling-out\", \"linkability\", \"inference\"]\nknowledge = \"knowledge.toml\"\n";
    // A predicate that holds for one published record holds for that person alone, and few of as many strangers are singled out: what
    // was asked for by name counts.
    dir.write("gated.toml", format!("{JOB}home = \"home\"\n{gate}max-risk = 0.9\n"));
    dir.expect(1, &["anonymize", "gated.toml", "--quiet"]).says("the attack `singling-out` succeeds");
    assert!(!dir.names("").contains(&"release".to_owned()));
    dir.write("gated.toml", format!("{JOB}home = \"home\"\n{gate}max-risk = 1.0\n"));
    dir.expect(0, &["anonymize", "gated.toml", "--quiet"]);
    let made = dir.json("home/report.json");
    let made = if made["attacks"].is_array() { made } else { made["assessment"].clone() };
    for word in WORDS {
        assert!(finding(&made, word)["control"].is_object(), "{word} {made}");
    }
    dir.write("knowledge.toml", "[risks]\nattacks = 200\nfirst = [\"age\"]\nsecond = [\"town\"]\nknown = [\"age\", \"town\"]\nsecrets = [\"illness\"]\n");
    let args = ["attack", "release", "--original", "job.toml", "--knowledge", "knowledge.toml", "--attacks"];
    let told = dir.expect(0, &[&args[..], &["linkability,inference", "--json"]].concat()).json();
    let own = finding(&told, "inference");
    assert_eq!(
        (own["exposed"]["of"].as_u64(), own["column"].as_str()),
        (Some(200), Some("illness")),
        "{own}"
    );
    assert!(own["control_group"].as_str().unwrap().contains("without the records"), "{own}");
    assert!(own["not_counted"].is_null() && own["risk"].as_f64() < own["exposed"]["rate"].as_f64(), "{own}");
    // What nobody asked for by name informs where only records were taken out: the groups are smaller for that alone. Where not even that
    // can be done, as of predicates, there is no control. A table of people who are not in the data makes them count.
    let all = ["attack", "release", "--original", "job.toml", "--json"];
    let by_default = dir.expect(0, &[&all[..], &["--max-risk", "0.99"]].concat()).json();
    for word in WORDS {
        let own = finding(&by_default, word);
        assert!(own["not_counted"].as_str().unwrap().contains("[control]"), "{word} {own}");
        assert_eq!(own["risk"].as_f64(), Some(0.0), "{word} {own}");
        assert_eq!(own["control"].is_object(), word != "singling-out", "{word} {own}");
    }
    dir.write("with.toml", "[control]\npath = \"others.csv\"\n[risks]\nattacks = 200\n");
    let counts = dir.expect(0, &[&all[..], &["--knowledge", "with.toml"]].concat()).json();
    for word in WORDS {
        let own = finding(&counts, word);
        assert!(own["not_counted"].is_null() && own["baseline"].is_null(), "{word} {own}");
    }
    assert!(own["assumed"].as_str().unwrap().starts_with("2 other columns"), "{own}");
    for (risks, says) in [
        ("attacks = 3", "attacks"),
        ("first = [\"age\"]", "second"),
        ("known = [\"height\"]", "height"),
        ("neighbors = 2", "neighbours"),
    ] {
        dir.write("knowledge.toml", format!("[risks]\n{risks}\n"));
        dir.expect(2, &[&args[..], &["inference"]].concat()).says(says);
    }
    dir.expect(2, &["attack", "release", "--attacks", "inference"]).says("--original");
}

/// Swapped and synthetic records are asked by the same words.
#[test]
fn swapped_records_are_asked_the_same_questions() {
    let dir = dir();
    let roles =
        ["age", "income", "town"].map(|name| format!("[columns.{name}]\nrole = \"quasi\"\n")).concat();
    dir.write(
        "swap.toml",
        format!(
            "input.path = \"people.csv\"\n{roles}[columns.illness]\nrole = \"sensitive\"\n[randomize]\nmethod = \"swap\"\nswap = \
             \"nearest\"\ncolumns = [\"income\"]\ncompare = [\"age\"]\nprobability = 0.5\n[output]\nfolder = \"swapped\"\n"
        ),
    );
    dir.expect(0, &["randomize", "swap.toml", "--seed", "5", "--quiet"]);
    let args = [
        "attack",
        "swapped",
        "--original",
        "swap.toml",
        "--attacks",
        ALL,
        "--knowledge",
        "knowledge.toml",
        "--json",
    ];
    let told = dir.expect(0, &args).json();
    for word in ALL.split(',') {
        assert!(finding(&told, word)["control"].is_object(), "{word} {told}");
    }
    assert!(finding(&told, "inference")["risk"].as_f64().unwrap() > 0.1, "{told}");
}
