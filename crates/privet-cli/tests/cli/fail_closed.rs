//! Nothing that was asked for, by the job, by what the adversary knows or by a flag, and was not done ends as a success.

use serde_json::Value;

use crate::dir::Dir;

/// Four cities of ten, nine of them with the flu and one with HIV; and one person of a city of its own, who is suppressed.
fn cities() -> String {
    let mut text = String::from("name,city,condition\n");
    for city in ["A", "B", "C", "D"] {
        for n in 0..10 {
            text.push_str(&format!("P{city}{n},{city},{}\n", if n < 9 { "Flu" } else { "HIV" }));
        }
    }
    text + "Zed,Z,Cold\n"
}

const JOB: &str = "[input]\npath = \"people.csv\"\n[columns.name]\nrole = \"identifier\"\n[columns.city]\nrole = \"quasi\"\n\
                   [columns.condition]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 5\n[search]\nsuppress-at-most = 0.1\n";

const PEOPLE: &str = "[people]\npath = \"people.csv\"\nname = \"name\"\n";

/// Who of each city has HIV is known, so that everybody else has the flu.
fn known() -> String {
    let record = |city: &str| format!("[[records]]\nperson = \"P{city}9\"\nvalue = \"HIV\"\n");
    format!("{PEOPLE}{}", ["A", "B", "C", "D"].map(record).concat())
}

fn dir(knowledge: &str, adversary: &str) -> Dir {
    let dir = Dir::new();
    dir.write("people.csv", cities()).write("knowledge.toml", knowledge);
    dir.write("job.toml", format!("{JOB}[adversary]\nconfidence = 0.95\n{adversary}"));
    dir
}

const GATED: &str = "knowledge = \"knowledge.toml\"\nmax-risk = 0.3\n";

fn finding<'a>(assessed: &'a Value, attack: &str) -> &'a Value {
    let all = assessed["attacks"].as_array().unwrap();
    all.iter().find(|own| own["attack"] == attack).unwrap_or_else(|| panic!("no {attack} in {assessed:#}"))
}

/// One more fact, about somebody who was suppressed, does not keep the others from being used.
#[test]
fn a_fact_about_a_suppressed_person_does_not_open_the_gate() {
    // Whose value the knowledge itself tells, as of Zed, is not counted: of the others all fall, and all but Zed where it is not told.
    for (more, falls) in [
        ("", "97.3 %"),
        ("[[records]]\nperson = \"Zed\"\nvalue = \"Cold\"\n", "100 %"),
        ("[[records]]\nperson = \"Zed\"\nvalue = \"Flu\"\n", "100 %"),
        ("[[negations]]\nperson = \"Zed\"\nnot = [\"Flu\"]\n", "97.3 %"),
    ] {
        let dir = dir(&(known() + more), GATED);
        dir.expect(1, &["anonymize", "job.toml"])
            .says("`background-knowledge`")
            .says(&format!("succeeds against {falls}"));
        assert!(!dir.names("").contains(&"release".to_owned()), "{more}");
        dir.expect(0, &["anonymize", "job.toml", "--quiet", "--set", "adversary={}"]);
        let attack = ["attack", "release", "--knowledge", "knowledge.toml", "--original", "job.toml"];
        let told = dir.expect(1, &[&attack[..], &["--confidence", "0.95", "--max-risk", "0.3"]].concat());
        let line = known().matches('\n').count() + 1;
        let skipped = format!(
            "no published record can be: 1 (`{}`",
            if more.contains("neg") { "negations" } else { "records" }
        );
        assert_eq!(told.out.contains(&skipped), !more.is_empty(), "{}", told.out);
        assert_eq!(told.out.contains(&format!("(line {line})")), !more.is_empty(), "{}", told.out);
    }
}

/// A fact that links somebody who was suppressed with somebody who was not is used as far as it can be, and refused where it hangs on
/// what nobody tells.
#[test]
fn a_fact_that_hangs_on_a_suppressed_value_is_named_by_its_line() {
    let statement = "statements = ['Zed = Cold -> PA0 != HIV']\n";
    let with = format!("{statement}{}", known());
    dir(&with, GATED)
        .expect(2, &["anonymize", "job.toml"])
        .says("`statements`, the 1. of them (line 1)")
        .says("knowledge.toml");
    let told = format!("{with}[[records]]\nperson = \"Zed\"\nvalue = \"Cold\"\n");
    dir(&told, GATED).expect(1, &["anonymize", "job.toml"]).says("`background-knowledge`");
}

/// Too many ways to place those who are spoken of, and facts that cannot be true: an error with the line, also without a limit.
#[test]
fn what_the_knowledge_asks_for_and_cannot_be_made_is_an_error() {
    // A city that is not told may be any: four groups each, and more than 2000 ways from six people on.
    let nowhere: String = (0..7).map(|n| format!("Q{n},,x\n")).collect();
    let facts: String =
        (0..7).map(|n| format!("[[negations]]\nperson = \"Q{n}\"\nnot = [\"HIV\"]\n")).collect();
    let knowledge = format!("[people]\npath = \"list.csv\"\nname = \"name\"\n{facts}");
    for limit in ["knowledge = \"knowledge.toml\"\n", GATED] {
        let dir = dir(&knowledge, limit);
        dir.write("list.csv", cities() + &nowhere);
        dir.expect(2, &["anonymize", "job.toml"])
            .says("background-knowledge")
            .says("more than 2000 ways to place")
            .says("(line ");
        assert!(!dir.names("").contains(&"release".to_owned()));
        dir.expect(0, &["anonymize", "job.toml", "--quiet", "--set", "adversary={}"]);
        let attack = ["attack", "release", "--knowledge", "knowledge.toml", "--original", "job.toml"];
        dir.expect(0, &attack).prints("Requested and not made: `background-knowledge`");
        dir.expect(2, &[&attack[..], &["--max-risk", "1"]].concat()).says("background-knowledge");
        dir.expect(2, &[&attack[..], &["--max-absolute-risk", "1"]].concat()).says("background-knowledge");
        // Named attacks are what counts; that the knowledge was not used for others is told.
        dir.expect(0, &[&attack[..], &["--max-risk", "1", "--attacks", "linking"]].concat());
    }
    let two =
        "[[records]]\nperson = \"PA0\"\nvalue = \"HIV\"\n[[records]]\nperson = \"PA1\"\nvalue = \"HIV\"\n";
    let dir = dir(&format!("{PEOPLE}{two}"), GATED);
    dir.expect(2, &["anonymize", "job.toml"]).says("`records`, the 2. of them (line 7)");
}

/// An attack that is asked for by name and cannot be made is an error for `anonymize`, with a limit or without one.
#[test]
fn a_named_attack_that_cannot_be_made_is_an_error_without_a_limit_too() {
    for named in ["composition", "membership", "bayes-optimal"] {
        let dir = dir("", &format!("attacks = [\"homogeneity\", \"{named}\"]\n"));
        dir.expect(2, &["anonymize", "job.toml"]).says(named).says("cannot be made");
        assert!(!dir.names("").contains(&"release".to_owned()));
    }
}

/// Everybody has a cost of their own, which is published as it is.
fn costs() -> Dir {
    let dir = Dir::new();
    let line =
        |n: usize| format!("P{n},{},{},{}\n", ["A", "B"][n % 2], ["Flu", "Cold", "HIV"][n % 3], 1000 + n * 7);
    dir.write("people.csv", format!("name,city,condition,cost\n{}", (0..40).map(line).collect::<String>()));
    dir.write(
        "job.toml",
        format!("{JOB}[columns.cost]\nrole = \"insensitive\"\n[adversary]\nmax-risk = 0.05\n"),
    );
    dir
}

/// Whoever has a table of people with the costs finds everybody by them; so does a column of another name, and numbers written in
/// another way.
#[test]
fn insensitive_columns_that_the_people_table_has_are_used() {
    let dir = costs();
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let list = dir.text("people.csv").replace("condition,cost", "condition,bill");
    dir.write("bills.csv", list.lines().map(|line| format!("{line}\n")).collect::<String>());
    dir.write(
        "knowledge.toml",
        "[people]\npath = \"bills.csv\"\nname = \"name\"\ncolumns = { cost = \"bill\" }\n",
    );
    let attack = [
        "attack",
        "release",
        "--knowledge",
        "knowledge.toml",
        "--original",
        "job.toml",
        "--max-risk",
        "0.05",
        "--json",
    ];
    let assessed = dir.expect(1, &attack).json();
    for word in ["linking", "homogeneity", "record-linkage", "known-attributes"] {
        assert!(
            finding(&assessed, word)["risk"].as_f64().unwrap() > 0.9,
            "{word} {:#}",
            finding(&assessed, word)
        );
    }
    assert!(
        finding(&assessed, "linking")["notes"].to_string().contains("insensitive columns too"),
        "{assessed:#}"
    );
    let gated =
        ["anonymize", "job.toml", "--output", "gated", "--set", "adversary.knowledge=\"knowledge.toml\""];
    dir.expect(1, &gated).says("succeeds against 100 %");
    assert!(!dir.names("").contains(&"gated".to_owned()));
    // By the cities alone nobody is found.
    dir.write(
        "cities.csv",
        dir.text("people.csv")
            .lines()
            .map(|line| line.rsplit_once(',').unwrap().0.to_owned() + "\n")
            .collect::<String>(),
    );
    dir.write("knowledge.toml", "[people]\npath = \"cities.csv\"\nname = \"name\"\n");
    let assessed = dir.expect(0, &attack).json();
    assert_eq!(finding(&assessed, "linking")["risk"], 0.0);
}

/// Nobody is assumed to know insensitive columns, and every release says what hangs on that.
#[test]
fn what_hangs_on_insensitive_columns_is_told_by_default() {
    let dir = costs();
    dir.expect(0, &["anonymize", "job.toml"])
        .prints("If the insensitive columns are known too, 100 % of the people are unique")
        .prints("(3 made, 20 not)");
    let report = dir.json("release/report.json");
    let told = finding(&report, "insensitive-columns");
    assert_eq!((told["exposed"]["hits"].as_u64(), told["risk"].as_f64()), (Some(40), Some(0.0)));
    assert!(
        report["verdict"]["insensitive_columns"]
            .as_str()
            .unwrap()
            .contains("100 % of the people stand alone")
    );
    let page = dir.text("release/report.html");
    assert!(page.contains("20\u{a0}attacks were not made"), "{page}");
    // From the published files alone the same is found.
    let assessed = dir.expect(0, &["attack", "release", "--json"]).json();
    assert_eq!(finding(&assessed, "insensitive-columns")["exposed"]["hits"], 40);
    // Without such a column nothing is asked, and nothing is said to be untried.
    let summary = dir
        .expect(
            0,
            &["anonymize", "job.toml", "--force", "--json", "--set", "columns.cost.role=\"identifier\""],
        )
        .json();
    assert!(!summary["not_tried"].to_string().contains("insensitive"), "{summary:#}");
}

/// Of several sensitive columns somebody may know one: every release says how many stand alone by it, and what is known of it in a table
/// of people is used where the knowledge file says so, and not ignored without a word where it does not.
#[test]
fn sensitive_columns_that_somebody_knows_are_asked_about_and_used() {
    let dir = costs();
    let job = dir.text("job.toml").replace("role = \"insensitive\"", "role = \"sensitive\"");
    dir.write("job.toml", job);
    dir.expect(0, &["anonymize", "job.toml"])
        .prints("If cost of a person is known, 100 % of the people are unique, and their other sensitive values are revealed");
    let report = dir.json("release/report.json");
    let all = report["attacks"].as_array().unwrap();
    let told: Vec<&Value> = all.iter().filter(|own| own["attack"] == "sensitive-columns").collect();
    let hits: Vec<_> =
        told.iter().map(|own| (own["column"].as_str(), own["exposed"]["hits"].as_u64())).collect();
    assert_eq!(hits, [(Some("condition"), Some(0)), (Some("cost"), Some(40))]);
    let verdict = report["verdict"]["sensitive_columns"].as_str().unwrap();
    assert!(verdict.contains("cost") && verdict.contains("100 % of the people stand alone"), "{verdict}");
    assert!(dir.text("release/report.html").contains("their other sensitive values are told"));
    dir.expect(0, &["verify", "release"]);
    let assessed = dir.expect(0, &["attack", "release", "--json"]).json();
    assert_eq!(
        assessed["attacks"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|own| own["attack"] == "sensitive-columns")
            .count(),
        2
    );
    let knowing = |known: &str| {
        dir.write("knowledge.toml", format!("{PEOPLE}{known}"));
        let attack =
            ["attack", "release", "--knowledge", "knowledge.toml", "--original", "job.toml", "--json"];
        dir.privet(&attack)
    };
    let assessed = knowing("").expect(0).json();
    let linking = finding(&assessed, "linking");
    assert_eq!(linking["risk"], 0.0);
    assert!(linking["notes"].to_string().contains("are not known: `condition`, `cost`"), "{linking:#}");
    let assessed = knowing("known = [\"cost\"]\n").expect(0).json();
    for word in ["linking", "homogeneity", "record-linkage"] {
        assert!(
            finding(&assessed, word)["risk"].as_f64().unwrap() > 0.9,
            "{word} {:#}",
            finding(&assessed, word)
        );
    }
    assert_eq!(finding(&assessed, "homogeneity")["column"], "condition");
    assert!(
        finding(&assessed, "linking")["notes"].to_string().contains("that are known, by which"),
        "{assessed:#}"
    );
    let gated =
        ["anonymize", "job.toml", "--output", "gated", "--set", "adversary.knowledge=\"knowledge.toml\""];
    dir.expect(1, &gated).says("succeeds against 100 %");
    knowing("known = [\"city\"]\n").expect(2).says("which is no sensitive column of the release");
    knowing("columns = { cost = \"city\" }\nknown = [\"const\"]\n").expect(2).says("const");
    dir.write("knowledge.toml", "[control]\npath = \"people.csv\"\nknown = [\"cost\"]\n");
    dir.expect(2, &["attack", "release", "--knowledge", "knowledge.toml"]).says("`known` stands in [people]");
    // With one sensitive column there is nothing else to learn, and nothing is said to be untried.
    let set = ["anonymize", "job.toml", "--force", "--json", "--set", "columns.cost.role=\"identifier\""];
    let summary = dir.expect(0, &set).json();
    assert!(!summary.to_string().contains("sensitive-columns"), "{summary:#}");
}

/// Swapping leaves insensitive columns as they are, and who stands alone by them is told of such releases too.
#[test]
fn what_hangs_on_insensitive_columns_is_told_of_swapped_records() {
    let dir = costs();
    let swap = "[randomize]\nmethod = \"swap\"\nswap = \"rank\"\ncolumns = [\"age\"]\npercent = 20\n";
    let people = dir.text("people.csv");
    let aged = people.lines().enumerate().map(|(at, line)| match at {
        0 => format!("{line},age\n"),
        _ => format!("{line},{}\n", 20 + at * 7 % 40),
    });
    dir.write("people.csv", aged.collect::<String>());
    dir.write(
        "swap.toml",
        format!(
            "input.path = \"people.csv\"\n[columns.name]\nrole = \"identifier\"\n[columns.city]\nrole = \"quasi\"\n[columns.age]\nrole = \
             \"quasi\"\n[columns.condition]\nrole = \"sensitive\"\n[columns.cost]\nrole = \"insensitive\"\n{swap}[output]\nfolder = \"swapped\"\n"
        ),
    );
    dir.expect(0, &["randomize", "swap.toml", "--seed", "1"])
        .prints("If the insensitive columns are known too, 100 % of the people are unique");
    let told = finding(&dir.json("swapped/report.json"), "insensitive-columns").clone();
    assert_eq!((told["exposed"]["hits"].as_u64(), told["risk"].as_f64()), (Some(40), Some(0.0)), "{told:#}");
    dir.expect(0, &["verify", "swapped"]);
    let without = ["--seed", "1", "--force", "--json", "--set", "columns.cost.role=\"identifier\""];
    let summary = dir.expect(0, &[&["randomize", "swap.toml"], &without[..]].concat()).json();
    assert!(!summary.to_string().contains("insensitive-columns"), "{summary:#}");
}

/// Who is in the data is told from who is not by their groups, though the list lacks some members, so that nobody is certain.
#[test]
fn membership_is_a_risk_by_its_advantage() {
    let dir = Dir::new();
    let people = |city: &str, many: usize| -> String {
        (0..many).map(|n| format!("P{city}{n},{city},{}\n", ["Flu", "Cold"][n % 2])).collect()
    };
    dir.write("people.csv", format!("name,city,condition\n{}{}", people("A", 20), people("B", 20)));
    dir.write("job.toml", JOB);
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    // Five of the members are not listed; those who are not in the data live elsewhere.
    let listed = format!("name,city,condition\n{}{}", people("A", 15), people("B", 20));
    dir.write("list.csv", listed + &people("C", 20));
    dir.write("knowledge.toml", "[people]\npath = \"list.csv\"\nname = \"name\"\n");
    let attack = [
        "attack",
        "release",
        "--knowledge",
        "knowledge.toml",
        "--original",
        "job.toml",
        "--attacks",
        "membership",
    ];
    let assessed = dir.expect(0, &[&attack[..], &["--json"]].concat()).json();
    let own = finding(&assessed, "membership");
    assert!(own["notes"].to_string().contains("advantage 1.000"), "{own:#}");
    assert_eq!((own["risk"].as_f64(), own["not_counted"].is_null()), (Some(1.0), true), "{own:#}");
    dir.expect(1, &[&attack[..], &["--max-risk", "0.5"]].concat()).says("`membership`");
}

/// What people of a control table, who are not in the data, are told as well is not held against a release; the whole of it is, where
/// that is limited by itself.
#[test]
fn a_limit_is_on_what_the_release_adds() {
    let dir = Dir::new();
    let people = |from: usize, many: usize| -> String {
        let condition = |n: usize| if n % 10 < 7 { "Flu" } else { "Cold" };
        (from..from + many).map(|n| format!("P{n},{},{}\n", n % 50, condition(n / 3))).collect()
    };
    dir.write("people.csv", format!("name,age,condition\n{}", people(0, 600)));
    dir.write("control.csv", format!("name,age,condition\n{}", people(9000, 600)));
    dir.write("knowledge.toml", "[control]\npath = \"control.csv\"\nname = \"name\"\n");
    dir.write(
        "job.toml",
        "input.path = \"people.csv\"\n[columns.name]\nrole = \"identifier\"\n[columns.age]\nrole = \"quasi\"\n[columns.condition]\nrole = \
         \"sensitive\"\n[randomize]\nmethod = \"synthetic\"\nmodel = \"cart\"\nscope = \"full\"\n[adversary]\nattacks = \
         [\"homogeneity\"]\nconfidence = 0.5\nknowledge = \"knowledge.toml\"\n[output]\nfolder = \"release\"\n",
    );
    let limited = |limit: &str| {
        dir.privet(&["randomize", "job.toml", "--seed", "3", "--force", "--quiet", "--set", limit])
    };
    limited("adversary.max-absolute-risk=0.3").expect(1).says("`adversary.max-absolute-risk` accepts 30 %");
    limited("adversary.max-risk=0.3").expect(0);
    let attack = [
        "attack",
        "release",
        "--original",
        "people.csv",
        "--knowledge",
        "knowledge.toml",
        "--attacks",
        "homogeneity",
    ];
    let attack = [&attack[..], &["--confidence", "0.5"]].concat();
    let assessed = dir.expect(0, &[&attack[..], &["--json"]].concat()).json();
    let own = finding(&assessed, "homogeneity");
    assert!(own["risk"].as_f64().unwrap() > 0.4 && own["baseline"] == own["control"], "{own:#}");
    dir.expect(0, &[&attack[..], &["--max-risk", "0.3"]].concat());
    dir.expect(1, &[&attack[..], &["--max-risk", "0"]].concat()).says("the release adds up to");
    dir.expect(1, &[&attack[..], &["--max-absolute-risk", "0.3"]].concat()).says("--max-absolute-risk");
    // A class that agrees on a value has no such excuse: that others of it tell as much is how it was published.
    let same = Dir::new();
    same.write("people.csv", cities()).write("job.toml", JOB);
    same.expect(1, &["anonymize", "job.toml", "--set", "adversary={ max-risk = 0.3, confidence = 0.9 }"])
        .says("`homogeneity`");
}

/// What only the original shows is not told to readers as if it were nothing.
#[test]
fn the_page_of_a_randomized_release_does_not_tell_less_than_is_known() {
    let dir = Dir::new();
    let mut text = String::from("age,weight\n");
    for i in 0..400u32 {
        let age = 20 + (i * 37) % 61;
        text.push_str(&format!("{age},{}\n", 40 + age + (i * 53) % 11));
    }
    dir.write("people.csv", text);
    // Of noise as strong as what is known of weight by age, readers do not know how far it is filtered. Of stronger noise they expect
    // weight to come within half a deviation, and take everybody for found.
    for (sd, expected) in [("5.0", None), ("30.0", Some(1.0))] {
        dir.write(
            "job.toml",
            format!(
                "input.path = \"people.csv\"\n[columns.age]\nrole = \"quasi\"\nperturb = {{ noise = \"gaussian\", sd = 3.0 }}\n\
                 [columns.weight]\nrole = \"quasi\"\nperturb = {{ noise = \"gaussian\", sd = {sd} }}\n[output]\nfolder = \"release\"\n"
            ),
        );
        let run = dir.expect(0, &["randomize", "job.toml", "--seed", "7", "--force", "--json"]).json();
        let known = finding(&run, "best-linear-estimate")["risk"].as_f64();
        assert!(known > Some(0.3), "{run:#}");
        let page = dir.text("release/report.html");
        assert!(page.contains("is not known without the original"), "{page}");
        let told = dir.json("release/report.json");
        assert_eq!(finding(&told, "best-linear-estimate")["risk"].as_f64(), expected, "{told:#}");
        assert!(expected.is_none() || expected >= known, "{run:#}");
    }
}
