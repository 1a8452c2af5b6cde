//! `privet attack`, and the gate before a release is handed over.

use serde_json::Value;

use crate::dir::{CANARY, Dir};

/// survey FX-1.1.
pub const PATIENTS: &str = "\
name,age,condition
Ann,28,Heart disease
Bruce,29,Heart disease
Cary,21,Viral infection
Dick,23,Viral infection
Eshwar,50,Cancer
Fox,55,Flu
Gary,47,Heart disease
Helen,49,Flu
Igor,31,Cancer
Jean,37,Cancer
Ken,36,Cancer
Lewis,35,Cancer
";

/// The classes of survey FX-1.2, by age alone.
const AGES: &str = "\
28;20-29;*\n29;20-29;*\n21;20-29;*\n23;20-29;*\n50;40-59;*\n55;40-59;*\n47;40-59;*\n49;40-59;*\n31;30-39;*\n37;30-39;*\n\
36;30-39;*\n35;30-39;*\n";

fn job(privacy: &str, more: &str) -> String {
    format!(
        "[input]\npath = \"patients.csv\"\n[columns.name]\nrole = \"identifier\"\n\
         [columns.age]\nrole = \"quasi\"\nhierarchy = \"ages.csv\"\n[columns.condition]\nrole = \"sensitive\"\n\
         [privacy]\n{privacy}\n{more}"
    )
}

/// The 4-anonymous release of survey FX-1.2.
fn released() -> Dir {
    let dir = Dir::new();
    dir.write("patients.csv", PATIENTS).write("ages.csv", AGES);
    dir.write("job.toml", job("k-anonymity = 4", ""));
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    dir
}

fn finding<'a>(assessed: &'a Value, attack: &str) -> &'a Value {
    let all = assessed["attacks"].as_array().unwrap();
    all.iter().find(|own| own["attack"] == attack).unwrap_or_else(|| panic!("no {attack} in {assessed:#}"))
}

fn not_made(assessed: &Value) -> Vec<&str> {
    assessed["not_made"].as_array().unwrap().iter().map(|own| own["attack"].as_str().unwrap()).collect()
}

/// survey AT-02: a k-anonymous release with a skewed sensitive column falls to homogeneity, and an l-diverse one does not.
#[test]
fn k_anonymity_falls_to_homogeneity_and_l_diversity_does_not() {
    let dir = released();
    let args = ["attack", "release", "--original", "job.toml", "--confidence", "1", "--json"];
    let assessed = dir.expect(0, &args).json();
    let found = finding(&assessed, "homogeneity");
    assert_eq!((found["exposed"]["hits"].as_u64(), found["exposed"]["of"].as_u64()), (Some(4), Some(12)));
    assert_eq!(found["right"]["rate"].as_f64(), Some(1.0));
    assert_eq!(found["control"]["hits"].as_u64(), Some(4));
    assert_eq!(finding(&assessed, "linking")["exposed"]["hits"].as_u64(), Some(0));
    // The same without an original: records are looked at.
    let alone = dir.expect(0, &["attack", "release", "--confidence", "1", "--json"]).json();
    assert_eq!(finding(&alone, "homogeneity")["exposed"]["hits"].as_u64(), Some(4));
    dir.expect(1, &["attack", "release", "--original", "job.toml", "--max-risk", "0.2"]).says("homogeneity");

    dir.write("diverse.toml", job("l-diversity = { kind = \"distinct\", l = 2 }", ""));
    dir.expect(0, &["anonymize", "diverse.toml", "--quiet", "--output", "diverse"]);
    let assessed = dir
        .expect(0, &["attack", "diverse", "--original", "diverse.toml", "--confidence", "1", "--json"])
        .json();
    assert_eq!(finding(&assessed, "homogeneity")["exposed"]["hits"].as_u64(), Some(0));
}

/// The gate: a release that falls is not handed over, and nothing is left behind.
#[test]
fn a_release_that_falls_is_not_handed_over() {
    let dir = Dir::new();
    dir.write("patients.csv", PATIENTS).write("ages.csv", AGES);
    for adversary in ["max-risk = 0.2", "max-risk = 0.2\nattacks = [\"homogeneity\", \"linking\"]"] {
        dir.write("job.toml", job("k-anonymity = 4", &format!("[adversary]\n{adversary}\n")));
        dir.expect(1, &["anonymize", "job.toml"]).says("homogeneity").says("max-risk").says("33.33 %");
        assert_eq!(dir.names("."), ["ages.csv", "job.toml", "patients.csv"]);
    }
    dir.write("job.toml", job("k-anonymity = 4", "[adversary]\nmax-risk = 0.4\n"));
    dir.expect(0, &["anonymize", "job.toml", "--home", "home"]).prints("homogeneity of condition 33.3 %");
    assert_eq!(dir.names("home"), ["recoding.json", "report.html", "report.json", "risk.csv"]);
    assert_eq!(dir.names("release"), ["data.csv", "manifest.json", "report.html", "report.json"]);
    assert_eq!(dir.text("home/risk.csv").lines().count(), 13);
    dir.expect(0, &["verify", "release"]);
    // What is the owner's must not lie in what is handed over.
    dir.expect(2, &["anonymize", "job.toml", "--force", "--home", "release/home"]).says("output.home");
}

/// survey AT-03, L462-465: Eshwar without heart disease, and Fox with flu.
#[test]
fn what_is_known_counts() {
    let dir = released();
    dir.write("people.csv", PATIENTS.replace(",condition", ",remark"));
    let knowledge = "[people]\npath = \"people.csv\"\nname = \"name\"\n[[negations]]\nperson = \"Eshwar\"\nnot = [\"Heart disease\"]\n";
    let worlds = |text: &str, expected: &str| {
        dir.write("knowledge.toml", text);
        let args = [
            "attack",
            "release",
            "--knowledge",
            "knowledge.toml",
            "--job",
            "job.toml",
            "--original",
            "patients.csv",
            "--json",
        ];
        let assessed = dir.expect(0, &args).json();
        let notes = finding(&assessed, "background-knowledge")["notes"].to_string();
        assert!(notes.contains(expected), "{notes}");
        assessed
    };
    worlds(knowledge, "Of 12 possible assignments in the groups of these people, 9 remain");
    let more = format!("{knowledge}[[records]]\nperson = \"Fox\"\nvalue = \"Flu\"\n");
    worlds(&more, "Of 12 possible assignments in the groups of these people, 4 remain");
    // Boolean statements say the same, and who is believed what can be read.
    let stated = "statements = ['Eshwar != \"Heart disease\"', 'Fox = \"Flu\"']\n[people]\npath = \"people.csv\"\nname = \"name\"\n";
    let assessed = worlds(stated, "Of 12 possible assignments in the groups of these people, 4 remain");
    assert!(not_made(&assessed).contains(&"composition"));
    let membership = finding(&assessed, "membership");
    assert_eq!(membership["exposed"]["hits"].as_u64(), Some(12));

    // Priors (survey PM-06): a Japanese patient hardly ever has heart disease.
    let priors = "[people]\npath = \"people.csv\"\nname = \"name\"\n[[priors]]\nwhere = { name = \"Cary\" }\nshares = { \"Heart disease\" = 0.05, \"Viral infection\" = 0.95 }\n";
    dir.write("knowledge.toml", priors);
    let args = [
        "attack",
        "release",
        "--knowledge",
        "knowledge.toml",
        "--job",
        "job.toml",
        "--original",
        "patients.csv",
        "--json",
        "--confidence",
        "0.8",
    ];
    let assessed = dir.expect(0, &args).json();
    // The homogeneous class, and Cary.
    assert_eq!(finding(&assessed, "bayes-optimal")["exposed"]["hits"].as_u64(), Some(5));
    finding(&assessed, "max-entropy");
}

/// survey AT-25: two releases that are safe alone and not together.
#[test]
fn two_releases_tell_more_than_one() {
    let dir = Dir::new();
    dir.write("patients.csv", "age,zip,condition\n21,1,Flu\n22,2,HIV\n23,1,Flu\n24,2,HIV\n31,1,Cold\n32,2,Flu\n33,1,Cold\n34,2,HIV\n");
    let job = |quasi: &str, other: &str, hierarchy: &str| {
        format!(
            "[input]\npath = \"patients.csv\"\n[columns.{quasi}]\nrole = \"quasi\"\nhierarchy = {hierarchy}\n\
             [columns.{other}]\nrole = \"identifier\"\n[columns.condition]\nrole = \"sensitive\"\n\
             [privacy]\nl-diversity = {{ kind = \"distinct\", l = 2 }}\nk-anonymity = 2\n[output]\nfolder = \"{quasi}\"\n"
        )
    };
    dir.write("age.toml", job("age", "zip", "{ intervals = [2, 10], min = 1 }"));
    dir.write("zip.toml", job("zip", "age", "{ mask = \"right\" }"));
    dir.expect(0, &["anonymize", "age.toml", "--quiet"]);
    dir.expect(0, &["anonymize", "zip.toml", "--quiet"]);
    dir.write("knowledge.toml", "job = \"age.toml\"\n[people]\npath = \"patients.csv\"\n[[releases]]\nfolder = \"zip\"\njob = \"zip.toml\"\n");
    let args = [
        "attack",
        "age",
        "--knowledge",
        "knowledge.toml",
        "--original",
        "age.toml",
        "--attacks",
        "composition,homogeneity",
        "--json",
    ];
    let assessed = dir.expect(0, &args).json();
    let alone = finding(&assessed, "homogeneity")["exposed"]["hits"].as_u64().unwrap();
    let together = finding(&assessed, "composition")["exposed"]["hits"].as_u64().unwrap();
    assert!(together > alone, "{assessed:#}");
}

/// survey AT-09, FX-6.1: the search published nothing finer, and that tells the three patients.
#[test]
fn minimality_tells_what_was_not_published() {
    let dir = Dir::new();
    dir.write(
        "patients.csv",
        "zip,gender,disease\n94085,M,HIV\n14085,M,HIV\n14085,F,None\n94085,F,HIV\n14085,F,Flu\n14085,F,None\n14085,F,None\n14085,F,Flu\n",
    );
    dir.write(
        "job.toml",
        "[input]\npath = \"patients.csv\"\n[columns.zip]\nrole = \"quasi\"\n[columns.gender]\nrole = \"quasi\"\n\
         [columns.disease]\nrole = \"sensitive\"\n[privacy]\nalpha-k = { alpha = 0.5, k = 1, values = [\"HIV\"] }\n\
         [search]\nalgorithm = \"attribute-suppression\"\n",
    );
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let assessed = dir.expect(0, &["attack", "release", "--original", "job.toml", "--json"]).json();
    let found = finding(&assessed, "minimality");
    assert!(found["exposed"]["hits"].as_u64().unwrap() > 0, "{assessed:#}");
    assert_eq!(found["right"]["rate"].as_f64(), Some(1.0));
    assert_eq!(found["control"]["hits"].as_u64(), Some(0));
}

/// survey ME-17: formed without a look at the sensitive values, groups have nothing to tell; the cap is kept by distortion.
#[test]
fn distortion_takes_away_what_minimality_tells() {
    let dir = Dir::new();
    let mut rows = String::from("zip,gender,disease\n");
    for (zip, gender, disease, times) in [
        ("94085", "M", "HIV", 6),
        ("14085", "M", "HIV", 5),
        ("94085", "F", "HIV", 3),
        ("14085", "F", "Flu", 12),
        ("94085", "F", "Flu", 4),
    ] {
        rows.push_str(&format!("{zip},{gender},{disease}\n").repeat(times));
    }
    dir.write("patients.csv", rows);
    let job = |countermeasure: &str| {
        format!(
            "[input]\npath = \"patients.csv\"\n[columns.zip]\nrole = \"quasi\"\n[columns.gender]\nrole = \"quasi\"\n\
             [columns.disease]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 5\nalpha-k = {{ alpha = 0.5, k = 5, values = [\"HIV\"] }}\n\
             [adversary]\n{countermeasure}\n"
        )
    };
    dir.write("job.toml", job("countermeasure = \"distort\""));
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    dir.expect(0, &["verify", "release"]);
    let manifest = dir.json("release/manifest.json");
    // Both columns stay as they are: k-anonymity alone asks for nothing coarser.
    assert_eq!(manifest["classes"]["count"], 4);
    assert_eq!(manifest["data"]["distorted"]["column"], "disease");
    let replaced = manifest["data"]["distorted"]["records"].as_u64().unwrap();
    let flu = dir.text("release/data.csv").matches("Flu").count() as u64;
    assert_eq!(flu, 16 + replaced, "every replaced value is another one");
    let page = dir.text("release/report.html");
    for told in ["values replaced by another", "is not the true one", "Not every published value of"] {
        assert!(page.contains(told), "{told}");
    }
    assert!(replaced >= 6, "at most half of a class may have it");
    assert_eq!(manifest["randomness"], "operating system");
    // No bounds hold for a column in which values are not true, however it is spelt.
    for column in ["disease", "Disease"] {
        let question = format!("select count(*) from data where {column} = 'HIV'");
        dir.expect(2, &["answer", "release", &question]).says("are not true");
    }
    dir.expect(0, &["answer", "release", "select count(*) from data where gender = 'F'"]);
    // A choice by the sensitive column would show it in the shape of the groups.
    let by_class = [
        "anonymize",
        "job.toml",
        "--output",
        "other",
        "--set",
        "search.minimize=\"classification\"",
        "--set",
        "search.class=\"disease\"",
    ];
    dir.expect(2, &by_class).says("names a sensitive column");
    // It can be measured although some values differ.
    dir.expect(0, &["measure", "job.toml", "release"]);
    // Without it the search must coarsen, which is what minimality lives on.
    dir.write("plain.toml", job(""));
    dir.expect(0, &["anonymize", "plain.toml", "--quiet", "--output", "plain"]);
    assert!(dir.json("plain/manifest.json")["classes"]["count"].as_u64().unwrap() < 4);
    // What it cannot keep is refused.
    dir.expect(
        2,
        &[
            "anonymize",
            "job.toml",
            "--force",
            "--set",
            "privacy={ l-diversity = { kind = \"distinct\", l = 2 } }",
        ],
    )
    .says("adversary.countermeasure");
}

/// survey AT-06, AT-07: releases of counts are attacked by what they add up to.
#[test]
fn counts_are_attacked_by_their_sums() {
    let dir = Dir::new();
    dir.write(
        "patients.csv",
        PATIENTS
            .replace("name,age", "name,sex")
            .replace(",28", ",F")
            .replace(",29", ",M")
            .replace(",21", ",F")
            .replace(",23", ",M")
            .replace(",50", ",M")
            .replace(",55", ",M")
            .replace(",47", ",M")
            .replace(",49", ",F")
            .replace(",31", ",M")
            .replace(",37", ",F")
            .replace(",36", ",M")
            .replace(",35", ",M"),
    );
    dir.write(
        "job.toml",
        "[input]\npath = \"patients.csv\"\n[columns.name]\nrole = \"identifier\"\n[columns.sex]\nrole = \"quasi\"\n\
         [columns.condition]\nrole = \"sensitive\"\n[[count-tables]]\ncolumns = [\"sex\", \"condition\"]\nthreshold = 2\n",
    );
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let assessed = dir.expect(0, &["attack", "release", "--json"]).json();
    let found = finding(&assessed, "suppression-recovery");
    assert!(found["exposed"]["of"].as_u64().unwrap() > 0, "{assessed:#}");
    assert_eq!(
        found["exposed"]["hits"].as_u64(),
        Some(0),
        "no hidden count can be computed back: {assessed:#}"
    );
    assert_eq!(found["unit"], "cells", "{assessed:#}");
    dir.expect(2, &["attack", "release", "--attacks", "linking"]).says("counts");
}

#[test]
fn nothing_hidden_is_nothing_to_compute_back() {
    let dir = Dir::new();
    dir.write("people.csv", "sex,ill\n".to_owned() + &"F,yes\nF,no\nM,yes\nM,no\n".repeat(5));
    dir.write(
        "job.toml",
        "input.path = \"people.csv\"\n[columns.sex]\nrole = \"quasi\"\n[columns.ill]\nrole = \"sensitive\"\n\
         [[count-tables]]\ncolumns = [\"sex\", \"ill\"]\nthreshold = 3\n[adversary]\nattacks = [\"suppression-recovery\"]\n\
         max-risk = 0.0\n",
    );
    // A limit is kept where there is nothing to find, whatever the data hold the next time.
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let page = dir.text("release/report.html");
    assert!(page.contains("Nothing is hidden, so that there is nothing to compute back."), "{page}");
    assert!(!page.contains("0 of 0") && !page.contains("1 tables"), "{page}");
}

#[test]
fn everybody_can_be_looked_up_at_home() {
    let dir = released();
    let args =
        ["attack", "release", "--original", "job.toml", "--people", "people.csv", "--report", "owner.html"];
    dir.expect(0, &args).prints("homogeneity of condition");
    let people = dir.text("people.csv");
    assert_eq!(people.lines().filter(|line| line.contains(",homogeneity,")).count(), 12);
    assert!(people.contains("10,homogeneity,condition,4,yes,Cancer,1.0000,yes,Cancer 1.0000"), "{people}");
    assert!(dir.text("owner.html").contains("Homogeneity"));
    for flag in ["--people", "--report"] {
        dir.expect(2, &["attack", "release", flag, "release/x"]).says("elsewhere");
    }
}

/// Nothing that is read is written over, whatever the flag and however its path is written.
#[test]
fn what_is_read_is_never_written_over() {
    let dir = released();
    dir.write("k.toml", "[people]\npath = \"who.csv\"\n[control]\npath = \"control.csv\"\n")
        .write("who.csv", "name,age\nAnn,30\n")
        .write("control.csv", "age,condition\n30,Flu\n")
        .write("test.csv", PATIENTS)
        .write("population.csv", PATIENTS)
        .write("notes.txt", "mine");
    let files = ["patients.csv", "ages.csv", "job.toml", "k.toml", "who.csv", "control.csv", "test.csv"];
    let all = [&files[..], &["population.csv", "notes.txt"]].concat();
    let before: Vec<Vec<u8>> = all.iter().map(|name| dir.bytes(name)).collect();
    let measure = ["measure", "job.toml", "release", "--test", "test.csv", "--population", "population.csv"];
    let attack =
        ["attack", "release", "--original", "patients.csv", "--job", "job.toml", "--knowledge", "k.toml"];
    for name in &all {
        for flag in ["--report", "--risk-file"] {
            // What a knowledge file names is none of measure's.
            let said = match *name {
                "k.toml" | "who.csv" | "control.csv" | "notes.txt" => "is there already",
                _ => "is read by this command",
            };
            dir.expect(2, &[&measure[..], &[flag, name]].concat()).says(said).says(name);
        }
        for flag in ["--report", "--people"] {
            let said = match *name {
                "test.csv" | "population.csv" | "notes.txt" => "is there already",
                _ => "is read by this command",
            };
            dir.expect(2, &[&attack[..], &[flag, name]].concat()).says(said).says(name);
        }
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(dir.path("patients.csv"), dir.path("link.html")).unwrap();
        dir.expect(2, &["measure", "job.toml", "release", "--report", "link.html"]).says("is read by");
    }
    // The owner's folder has names of its own.
    dir.write("mine/risk.csv", "mine");
    dir.expect(2, &["anonymize", "job.toml", "--force", "--home", "mine"]).says("risk.csv");
    assert_eq!(dir.text("mine/risk.csv"), "mine");
    let after: Vec<Vec<u8>> = all.iter().map(|name| dir.bytes(name)).collect();
    assert_eq!(before, after);
    // What was written here before is replaced.
    for _ in 0..2 {
        dir.expect(0, &["measure", "job.toml", "release", "--report", "m.html", "--risk-file", "r.csv"]);
        let args = ["attack", "release", "--original", "job.toml", "--people", "p.csv", "--report", "m.html"];
        dir.expect(0, &args);
        dir.expect(0, &["anonymize", "job.toml", "--force", "--home", "home"]);
    }
}

#[test]
fn what_cannot_be_used_is_refused() {
    let dir = released();
    let knowledge = |text: &str, said: &str| {
        dir.write("knowledge.toml", text);
        let args = ["attack", "release", "--knowledge", "knowledge.toml", "--original", "job.toml"];
        dir.expect(2, &args).says("knowledge.toml").says(said);
    };
    knowledge("peeple = 1", "line 1");
    knowledge("[[priors]]\nshares = { a = 2.0 }", "from 0 to 1");
    knowledge(&format!("[[records]]\nperson = \"{CANARY}\""), "line 1");
    dir.write("knowledge.toml", "[people]\npath = \"nowhere.csv\"\n");
    dir.expect(2, &["attack", "release", "--knowledge", "knowledge.toml"]).says("nowhere.csv");
    dir.write("people.csv", format!("name,town\n{CANARY},x\n"))
        .write("knowledge.toml", "[people]\npath = \"people.csv\"\n");
    dir.expect(2, &["attack", "release", "--knowledge", "knowledge.toml"]).says("identifying column");
    for (flag, value) in
        [("--confidence", "0"), ("--confidence", "NaN"), ("--max-risk", "1.5"), ("--attacks", "magic")]
    {
        dir.expect(2, &["attack", "release", flag, value]).says(flag.trim_start_matches("--"));
    }
    dir.write("other.csv", format!("name,age,condition\n{CANARY},99,Flu\n"));
    dir.expect(2, &["attack", "release", "--original", "other.csv", "--job", "job.toml"]).says("original");
    dir.expect(2, &["attack", "nowhere"]).says("manifest.json");
    // Somebody whom nobody knows: it says where without the name.
    dir.write("knowledge.toml", format!("[[records]]\nperson = \"{CANARY}\"\nvalue = \"Flu\"\n"));
    let args = ["attack", "release", "--knowledge", "knowledge.toml", "--original", "job.toml", "--json"];
    dir.expect(2, &args).says("`records`, the 1. of them");
}

/// The owner's folder lies outside of the release however its path is written.
#[test]
fn no_way_leads_into_the_release() {
    let dir = released();
    dir.write("x/y", "");
    dir.expect(2, &["anonymize", "job.toml", "--force", "--home", "x/../release/home"]).says("output.home");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(dir.path("release"), dir.path("link")).unwrap();
        dir.expect(2, &["anonymize", "job.toml", "--force", "--home", "link/home"]).says("output.home");
        dir.expect(2, &["attack", "release", "--people", "link/people.csv"]).says("elsewhere");
    }
    assert_eq!(dir.names("release"), ["data.csv", "manifest.json", "report.html", "report.json"]);
}

/// A limit holds for attacks that were asked for and could not be made, and for means as for ranges.
#[test]
fn the_gate_does_not_open_for_what_was_not_tried() {
    let dir = Dir::new();
    dir.write("patients.csv", PATIENTS).write("ages.csv", AGES);
    dir.write(
        "job.toml",
        job("k-anonymity = 4", "[adversary]\nmax-risk = 0.1\nattacks = [\"background-knowledge\"]\n"),
    );
    dir.expect(2, &["anonymize", "job.toml"]).says("background-knowledge");
    let means = [
        "anonymize",
        "job.toml",
        "--set",
        "search.algorithm=microaggregation",
        "--set",
        "adversary.attacks=[\"homogeneity\"]",
    ];
    dir.expect(1, &means).says("homogeneity");
    // Nor is a folder for the owner left behind that nothing was put into.
    dir.expect(2, &["anonymize", "job.toml", "--home", "for/me", "--set", "privacy.k-anonymity=400"]);
    assert_eq!(dir.names("."), ["ages.csv", "job.toml", "patients.csv"]);
    // Counts and tables that are never in memory as a whole are attacked by other means.
    let counts =
        "[[count-tables]]\ncolumns = [\"age\", \"condition\"]\n[adversary]\nattacks = [\"linking\"]\n";
    dir.write("counts.toml", job("k-anonymity = 2", counts));
    dir.expect(2, &["anonymize", "counts.toml"]).says("adversary");
    let limited = "[search]\nalgorithm = \"mondrian\"\n[search.mondrian]\nmemory-limit = 3\n";
    dir.write("limited.toml", job("k-anonymity = 4", limited));
    dir.expect(2, &["anonymize", "limited.toml", "--home", "home"]).says("output.home");
}

/// The same table twice is no second release, and a table of another length is no original.
#[test]
fn nothing_is_learned_from_the_same_twice() {
    let dir = released();
    let twice = "job = \"job.toml\"\n[people]\npath = \"patients.csv\"\n[[releases]]\nfolder = \"release\"\njob = \"job.toml\"\n";
    dir.write("knowledge.toml", twice);
    let args = [
        "attack",
        "release",
        "--knowledge",
        "knowledge.toml",
        "--attacks",
        "homogeneity,composition",
        "--confidence",
        "0.6",
        "--json",
    ];
    let assessed = dir.expect(0, &args).json();
    let exposed = |attack: &str| finding(&assessed, attack)["exposed"]["hits"].clone();
    assert_eq!(exposed("composition"), exposed("homogeneity"));
    dir.write("longer.csv", format!("{PATIENTS}Mary,33,Flu\n"));
    dir.expect(2, &["attack", "release", "--original", "longer.csv", "--job", "job.toml"])
        .says("another number of records");
    dir.expect(2, &["attack", "release", "--job", "nowhere.conf"]).says("nowhere.conf");
    dir.write("knowledge.toml", "[[records]]\nperson = \"1\"\ncolumn = \"nothing\"\nvalue = \"Flu\"\n");
    let args = ["attack", "release", "--knowledge", "knowledge.toml", "--original", "job.toml", "--json"];
    dir.expect(2, &args).says("accepted are `condition`");
    dir.expect(2, &["measure", "job.toml", "release", "--queries", "9223372036854775807"]).says("--queries");
}

/// survey AT-25: what one release excludes leaves it to others. The adversary who has the original knows the columns of the other
/// release as well, buckets are put together by who stands in them, and whoever may be absent from a release is not excluded by it.
#[test]
fn releases_of_one_table_are_put_together_by_counting() {
    let dir = Dir::new();
    let release = |name: &str, table: &str, quasi: &str, search: &str| {
        let job = format!(
            "[input]\npath = \"{table}\"\n[columns.name]\nrole = \"identifier\"\n{quasi}[columns.s]\nrole = \"sensitive\"\n{search}\
             [output]\nfolder = \"{name}\"\n"
        );
        dir.write(&format!("{name}.toml"), &job);
        dir.expect(0, &["anonymize", &format!("{name}.toml"), "--quiet"]);
    };
    let composed = |name: &str, knowledge: &str, more: &[&str]| {
        dir.write("knowledge.toml", knowledge);
        let original = format!("{name}.toml");
        let args = [
            "attack",
            name,
            "--original",
            &original,
            "--knowledge",
            "knowledge.toml",
            "--attacks",
            "composition",
            "--json",
        ];
        let assessed = dir.expect(0, &[&args[..], more].concat()).json();
        let found = finding(&assessed, "composition");
        (found["exposed"]["hits"].as_u64().unwrap(), found["right"]["hits"].as_u64().unwrap_or(0))
    };
    let promise = "[privacy]\nk-anonymity = 3\n";
    // Another column each: only the original has both.
    dir.write(
        "t.csv",
        "name,sex,age,zip,s\nA,f,21,101,HIV\nB,f,25,201,flu\nC,f,26,202,ulcer\nD,f,31,102,flu\nE,f,35,203,cancer\nF,f,36,103,asthma\n",
    );
    let sex = "[columns.sex]\nrole = \"quasi\"\n";
    let (age, zip) = (
        "[columns.age]\nrole = \"quasi\"\nhierarchy = { intervals = [10] }\n",
        "[columns.zip]\nrole = \"quasi\"\nhierarchy = { intervals = [100] }\n",
    );
    release("r0", "t.csv", &format!("{sex}{age}"), promise);
    release("r1", "t.csv", &format!("{sex}{zip}"), promise);
    let other = "[[releases]]\nfolder = \"r1\"\njob = \"r1.toml\"\n";
    assert_eq!(composed("r0", other, &[]), (2, 2));
    // The same before it is handed over.
    let limit = format!(
        "{}[adversary]\nknowledge = \"knowledge.toml\"\nattacks = [\"composition\"]\nmax-risk = 0.1\n",
        dir.text("r0.toml")
    );
    dir.write("limit.toml", limit);
    dir.expect(1, &["anonymize", "limit.toml", "--force"]).says("`composition` on s");
    // Buckets with one person more: all look different, and what is more is that person's.
    let buckets = "[privacy]\nl-diversity = { kind = \"distinct\", l = 2 }\n[search]\nalgorithm = \"anatomy\"\n[search.anatomy]\nbuckets-from = \"g\"\n[adversary]\nmax-risk = 1\n";
    let people = "A,31,1,flu\nB,32,1,flu\nC,33,1,cancer\nD,34,1,ulcer\nE,38,1,flu\nF,41,2,flu\nG,42,2,ulcer\nH,43,2,cancer\n";
    dir.write("b0.csv", format!("name,age,g,s\n{people}"));
    dir.write("b1.csv", format!("name,age,g,s\n{}", people.replace("E,38,1,flu\n", "")));
    let age = "[columns.age]\nrole = \"quasi\"\n";
    release("b0", "b0.csv", age, buckets);
    release("b1", "b1.csv", age, buckets);
    let list = "[people]\npath = \"b0.csv\"\nname = \"name\"\n";
    assert_eq!(composed("b0", &format!("{list}[[releases]]\nfolder = \"b1\"\n"), &[]), (1, 1));
    // Where as many people fit as there are records nobody is absent, though one of them may stand anywhere.
    let eight = "p1,20,X,Flu\np2,21,Y,Cold\np3,30,X,HIV\np4,31,Y,Gout\np5,40,X,Flu\np6,41,Z,Gout\np7,50,Z,Cold\np8,51,Y,HIV\n";
    dir.write("d.csv", format!("name,age,city,s\n{eight}"));
    let two = "[privacy]\nk-anonymity = 2\n";
    release("d0", "d.csv", "[columns.age]\nrole = \"quasi\"\nhierarchy = { intervals = [10] }\n", two);
    release("d1", "d.csv", "[columns.city]\nrole = \"quasi\"\n", two);
    let list = "[people]\npath = \"blank.csv\"\nname = \"name\"\n[[releases]]\nfolder = \"d1\"\n";
    for (people, hits) in [(eight.to_owned(), 8), (eight.replace("p8,51,Y", "p8,51,"), 7)] {
        dir.write("blank.csv", format!("name,age,city,s\n{people}"));
        let found = composed("d0", list, &[]);
        assert!(found.0 >= hits && found.0 == found.1, "{found:?}");
    }
    // A release that lacks one of three who look alike excludes nothing for any of them.
    dir.write("c0.csv", "name,a,b,s\nA,1,1,flu\nB,1,1,flu\nC,1,1,HIV\nD,2,2,flu\nE,2,2,HIV\n");
    dir.write("c1.csv", "name,a,b,s\nA,1,1,flu\nB,1,1,flu\nD,2,2,flu\nE,2,2,HIV\n");
    release("c0", "c0.csv", "[columns.a]\nrole = \"quasi\"\n", two);
    release("c1", "c1.csv", "[columns.b]\nrole = \"quasi\"\n", two);
    let list = "[people]\npath = \"c0.csv\"\nname = \"name\"\n";
    assert_eq!(
        composed("c0", &format!("{list}[[releases]]\nfolder = \"c1\"\n"), &["--confidence", "0.7"]).0,
        0
    );
}

/// Counts that were forged to overflow are refused.
#[test]
fn forged_buckets_are_refused() {
    let dir = Dir::new();
    dir.write("patients.csv", PATIENTS).write("ages.csv", AGES);
    let anatomy = "[search]\nalgorithm = \"anatomy\"\n";
    dir.write("job.toml", job("l-diversity = { kind = \"distinct\", l = 2 }", anatomy));
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let counts = dir.text("release/sensitive.csv");
    let (head, first) = counts.split_once('\n').unwrap();
    let (cells, _) = first.split_once('\n').unwrap();
    let (cells, _) = cells.rsplit_once(',').unwrap();
    dir.write("release/sensitive.csv", format!("{head}\n{cells},18446744073709551615\n{first}"));
    dir.expect(2, &["attack", "release"]).says("it was changed since").says("privet verify");
}

/// survey AT-25: what two hospitals say is multiplied only where their tables are said to be others. 3/4 and 2/3 for the flu
/// are 6 to 1 together; of the same table they would be 3/4. Of four of whom several may be in both that is not what all worlds give.
#[test]
fn independent_releases_are_multiplied() {
    let dir = Dir::new();
    dir.write("one.csv", "age,condition\n21,Flu\n22,Flu\n23,Flu\n24,Cold\n");
    dir.write("two.csv", "age,condition\n21,Flu\n22,Flu\n23,Cold\n");
    for (name, k) in [("one", 4), ("two", 3)] {
        let job = format!(
            "[input]\npath = \"{name}.csv\"\n[columns.age]\nrole = \"quasi\"\nhierarchy = {{ intervals = [10], min = 0 }}\n\
             [columns.condition]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = {k}\n[output]\nfolder = \"{name}\"\n"
        );
        dir.write(&format!("{name}.toml"), job);
        dir.expect(0, &["anonymize", &format!("{name}.toml"), "--quiet"]);
    }
    dir.write("somebody.csv", "age\n21\n");
    let independent = "independent = true\n";
    for (independent, people, hits) in
        [("", "somebody", 0), (independent, "somebody", 1), (independent, "one", 0)]
    {
        let other = "[[releases]]\nfolder = \"two\"\njob = \"two.toml\"\n";
        dir.write(
            "knowledge.toml",
            format!("job = \"one.toml\"\n[people]\npath = \"{people}.csv\"\n{other}{independent}"),
        );
        let args = [
            "attack",
            "one",
            "--knowledge",
            "knowledge.toml",
            "--attacks",
            "composition",
            "--confidence",
            "0.8",
            "--json",
        ];
        let assessed = dir.expect(0, &args).json();
        let found = finding(&assessed, "composition");
        assert_eq!(found["exposed"]["hits"].as_u64(), Some(hits), "{found:#}");
        assert_eq!(found.to_string().contains("multiplied"), !independent.is_empty());
    }
}

/// survey ME-24, AT-16: correlated noise is attacked by its published covariance, and a column beside it gives it away.
#[test]
fn correlated_noise_is_attacked() {
    let dir = Dir::new();
    let mut people = String::from("weight,waist,height\n");
    for i in 0..600u32 {
        let height = 150 + (i * 37) % 50;
        people.push_str(&format!("{},{},{height}\n", height - 90 + i % 3, height - 70 + i % 2));
    }
    dir.write("people.csv", people);
    let column = |name: &str| {
        format!(
            "[columns.{name}]\nrole = \"quasi\"\nperturb = {{ noise = \"correlated\", factor = 1.0, step = 0.1 }}\n"
        )
    };
    let job = |height: &str| {
        format!(
            "[input]\npath = \"people.csv\"\n{}{}{height}[output]\nfolder = \"release\"\n",
            column("weight"),
            column("waist")
        )
    };
    let attack = ["attack", "release", "--original", "people.csv", "--json"];
    dir.write("job.toml", job("[columns.height]\nrole = \"identifier\"\n"));
    dir.expect(0, &["randomize", "job.toml", "--seed", "3", "--quiet"]);
    let assessed = dir.expect(0, &attack).json();
    let alone = finding(&assessed, "best-linear-estimate")["risk"].as_f64().unwrap();
    assert!(
        finding(&assessed, "best-linear-estimate").to_string().contains("covariance of the noise is used")
    );
    assert!(not_made(&assessed).contains(&"spectral-filter"), "{assessed:#}");
    dir.write("job.toml", job("[columns.height]\nrole = \"insensitive\"\n"));
    dir.expect(0, &["randomize", "job.toml", "--seed", "3", "--quiet", "--force"]);
    let assessed = dir.expect(0, &attack).json();
    let beside = finding(&assessed, "best-linear-estimate")["risk"].as_f64().unwrap();
    assert!(beside > 0.9 && beside > alone + 0.2, "{alone} {beside}");
}

/// A value that only a suppressed record has: to deny it in a statement says nothing, as in `negations`. Nor does to deny one that
/// nobody has: an adversary may believe anything.
#[test]
fn statements_about_suppressed_values_are_read() {
    let dir = Dir::new();
    dir.write("t.csv", "age,s\n20,flu\n21,hiv\n30,gout\n22,hiv\n23,flu\n");
    dir.write(
        "job.toml",
        "[input]\npath = \"t.csv\"\n[columns.age]\nrole = \"quasi\"\nhierarchy = { intervals = [5], min = 20 }\n\
         [columns.s]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 2\n[search]\nsuppress-at-most = 0.2\n",
    );
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    assert!(!dir.text("release/data.csv").contains("gout"));
    let args = [
        "attack",
        "release",
        "--original",
        "job.toml",
        "--knowledge",
        "k.toml",
        "--confidence",
        "1",
        "--json",
    ];
    let exposed = |knowledge: &str| {
        dir.write("k.toml", knowledge);
        finding(&dir.expect(0, &args).json(), "background-knowledge")["exposed"]["hits"].as_u64()
    };
    assert_eq!(exposed("statements = ['\"1\" != \"gout\"']\n"), Some(0));
    assert_eq!(
        exposed(
            "[[negations]]\nperson = \"1\"\nnot = [\"gout\"]\n[[negations]]\nperson = \"2\"\nnot = [\"flu\"]\n"
        ),
        Some(1)
    );
    assert_eq!(exposed("statements = ['\"1\" = \"gout\" or \"2\" = \"hiv\"']\n"), Some(1));
    assert_eq!(exposed("statements = ['\"1\" != \"grippe\"']\n"), Some(0));
    assert_eq!(exposed("[[negations]]\nperson = \"1\"\nnot = [\"grippe\", \"flu\"]\n"), Some(1));
}

/// What buckets leave to deFinetti's attack is told of people, by name, and scored, whether or not they are exposed.
#[test]
fn what_is_concluded_of_buckets_is_told_of_people() {
    let dir = Dir::new();
    dir.write("patients.csv", PATIENTS).write("ages.csv", AGES);
    let anatomy = "[search]\nalgorithm = \"anatomy\"\n";
    dir.write("job.toml", job("l-diversity = { kind = \"distinct\", l = 2 }", anatomy));
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    dir.write("k.toml", "[people]\npath = \"patients.csv\"\nname = \"name\"\n");
    let args =
        ["attack", "release", "--original", "job.toml", "--knowledge", "k.toml", "--attacks", "definetti"];
    dir.expect(0, &[&args[..], &["--people", "said.csv"]].concat());
    let said = dir.text("said.csv");
    let lines: Vec<Vec<&str>> = said.lines().skip(1).map(|line| line.split(',').collect()).collect();
    assert_eq!(lines.len(), 12, "{said}");
    for own in &lines {
        assert!(PATIENTS.contains(own[0]) && matches!(own[7], "yes" | "no"), "{said}");
    }
}

/// The name that is no column is told, whichever it is in the file.
#[test]
fn a_name_on_the_left_that_is_no_column_is_named() {
    let dir = released();
    dir.write("k.toml", "[people]\npath = \"patients.csv\"\ncolumns = { zzz = \"name\", age = \"age\" }\n");
    dir.expect(2, &["attack", "release", "--knowledge", "k.toml"]).says("zzz, which stands on the left");
}

/// survey AT-30, FX-2.3 and FX-2.4 in tens of people: of the whole, t-closeness lets no class with cancer alone be published. Whoever
/// has that class alone may publish it as it is, and everybody in it is told.
#[test]
fn t_closeness_allows_in_parts_what_it_forbids_in_whole() {
    let dir = Dir::new();
    let part = "30,M,cancer\n".repeat(20);
    let older = |sex: &str| format!("50,{sex},flu\n").repeat(40) + &format!("50,{sex},cancer\n").repeat(20);
    let whole = "10,M,flu\n".repeat(40) + &part + &older("M") + &older("F");
    dir.write("whole.csv", format!("age,sex,condition\n{whole}"));
    dir.write("part.csv", format!("age,sex,condition\n{part}"));
    dir.write("ages.csv", "10;<40;*\n30;<40;*\n50;>=40;*\n");
    for name in ["whole", "part"] {
        let job = format!(
            "[input]\npath = \"{name}.csv\"\n[columns.age]\nrole = \"quasi\"\nhierarchy = \"ages.csv\"\n\
             [columns.sex]\nrole = \"quasi\"\n[columns.condition]\nrole = \"sensitive\"\n\
             [privacy]\nt-closeness = {{ t = 0.1, kind = \"equal\" }}\n[output]\nfolder = \"{name}\"\n"
        );
        dir.write(&format!("{name}.toml"), job);
        dir.expect(0, &["anonymize", &format!("{name}.toml"), "--quiet"]);
    }
    // FX-2.3: those below 40 together are as the whole.
    let released = dir.text("whole/data.csv");
    assert_eq!(released.matches("<40,M,flu").count(), 40);
    assert_eq!(released.matches("<40,M,cancer").count(), 20);
    assert_eq!(dir.text("part/data.csv").matches("30,M,cancer").count(), 20);
    let exposed = |name: &str| {
        let job = format!("{name}.toml");
        let assessed =
            dir.expect(0, &["attack", name, "--original", &job, "--confidence", "1", "--json"]).json();
        finding(&assessed, "homogeneity")["exposed"]["rate"].as_f64()
    };
    assert_eq!((exposed("whole"), exposed("part")), (Some(0.0), Some(1.0)));
}

/// survey AT-13 and AT-04: rules of the original are known to `max-entropy`, which says what more of them tell, and the worst knowledge is
/// as strong as the file says. The strongest rule that rests on one person tells what that person has.
#[test]
fn rules_and_strength_are_read() {
    let dir = released();
    dir.write("k.toml", "[rules]\ntop = 1\nsupport = 1\n[strength]\nstatements = 2\n");
    let args = [
        "attack",
        "release",
        "--original",
        "job.toml",
        "--knowledge",
        "k.toml",
        "--confidence",
        "1",
        "--json",
    ];
    let assessed = dir.expect(0, &args).json();
    let found = finding(&assessed, "max-entropy");
    assert_eq!(found["exposed"]["hits"].as_u64(), Some(5), "{found:#}");
    assert!(
        found["notes"]
            .to_string()
            .contains("With the 0, 1 strongest rules of each kind: 4, 5 people exposed."),
        "{found:#}"
    );
    let found = finding(&assessed, "boolean");
    assert!(found["success"].as_str().unwrap().starts_with("2 statements of the form"), "{found:#}");
    assert_eq!(found["exposed"]["hits"].as_u64(), Some(12));
    // Another list is not whom the rules are about.
    dir.write("k.toml", "[people]\npath = \"patients.csv\"\nname = \"name\"\n[rules]\ntop = 1\n");
    let assessed = dir.expect(0, &args).json();
    assert!(not_made(&assessed).contains(&"max-entropy"));
}
