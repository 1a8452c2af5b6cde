//! Countermeasures to minimality (survey ME-17): what a search tells by what it did not publish, and what is refused.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::dir::Dir;

/// Eight people: one of A M, one of A F, two of B M and four of B F.
const PEOPLE: [(&str, &str); 8] =
    [("A", "M"), ("A", "F"), ("B", "M"), ("B", "M"), ("B", "F"), ("B", "F"), ("B", "F"), ("B", "F")];

const JOB: &str = "[input]\npath = \"patients.csv\"\n[columns.zip]\nrole = \"quasi\"\n[columns.sex]\nrole = \"quasi\"\n\
     [columns.disease]\nrole = \"sensitive\"\n[privacy]\nalpha-k = { alpha = 0.5, k = 1, values = [\"HIV\"] }\n";

const P_SAFE: &str = "adversary.countermeasure=\"p-safe\"";

/// The table in which these have it.
fn table(sick: &[usize]) -> String {
    let mut table = String::from("zip,sex,disease\n");
    for (person, (zip, sex)) in PEOPLE.iter().enumerate() {
        let disease = if sick.contains(&person) { "HIV" } else { "Flu" };
        table.push_str(&format!("{zip},{sex},{disease}\n"));
    }
    table
}

fn pairs() -> impl Iterator<Item = [usize; 2]> {
    (0..8).flat_map(|a| (a + 1..8).map(move |b| [a, b]))
}

/// What is published, as a set of lines.
fn lines(dir: &Dir) -> Vec<String> {
    let mut lines: Vec<String> = dir.text("release/data.csv").lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

/// How sure one can be that somebody has it, over all originals that lead to the same.
fn surest(by_release: &BTreeMap<Vec<String>, Vec<[usize; 2]>>) -> f64 {
    let mut surest: f64 = 0.0;
    for originals in by_release.values() {
        for person in 0..8 {
            let sick = originals.iter().filter(|sick| sick.contains(&person)).count();
            surest = surest.max(sick as f64 / originals.len() as f64);
        }
    }
    surest
}

/// survey ME-17, PM-34: of all 28 originals of a table, run one by one. The plain search makes somebody certain whose chance was to
/// be one half at most; the p-safe one makes nobody surer than that, and what it publishes besides tells nothing more.
#[test]
fn of_all_originals_p_safe_tells_no_more_than_promised() {
    let dir = Dir::new();
    dir.write("job.toml", JOB);
    let (mut plain, mut p_safe) = (BTreeMap::new(), BTreeMap::new());
    let mut told: BTreeMap<Vec<String>, [Value; 2]> = BTreeMap::new();
    let mut classes = BTreeMap::new();
    for sick in pairs() {
        dir.write("patients.csv", table(&sick));
        dir.expect(0, &["anonymize", "job.toml", "--quiet", "--force"]);
        plain.entry(lines(&dir)).or_insert_with(Vec::new).push(sick);

        dir.expect(0, &["anonymize", "job.toml", "--quiet", "--force", "--set", P_SAFE]);
        dir.expect(0, &["verify", "release"]);
        p_safe.entry(lines(&dir)).or_insert_with(Vec::new).push(sick);
        let mut own = [dir.json("release/manifest.json"), dir.json("release/report.json")];
        *classes.entry(own[0]["classes"]["count"].as_u64().unwrap()).or_insert(0) += 1;
        // But for the order of lines, and so for fingerprints, all that is published is the same.
        for file in &mut own {
            for key in ["files", "seal"] {
                file.as_object_mut().unwrap().remove(key);
            }
        }
        let first = told.entry(lines(&dir)).or_insert_with(|| own.clone());
        assert_eq!(*first, own);
    }
    assert_eq!(surest(&plain), 1.0);
    assert_eq!(surest(&p_safe), 0.5);
    // Worked out by hand: with all four cells shown, neither of the two who stand alone may have it, and no three or more of the rest.
    assert_eq!(classes, BTreeMap::from([(4, 14), (2, 12), (1, 2)]));
    for (lines, originals) in &p_safe {
        let told = &told[lines][0]["search"]["p_safe"];
        assert_eq!(told["originals"].as_u64(), Some(originals.len() as u64));
        assert_eq!(told["column"], "disease");
    }
}

/// The attack of somebody who knows the search takes a p-safe one for what it is: nobody is known to have it any more. That some have it
/// not is told by both; the promise is about one value.
#[test]
fn p_safe_releases_are_attacked_by_who_knows_the_search() {
    let dir = Dir::new();
    // The men of B: with any other two of B the plain search would have shown more than zips, so that these have it.
    dir.write("patients.csv", table(&[2, 3])).write("plain.toml", JOB);
    dir.write("job.toml", format!("{JOB}[adversary]\ncountermeasure = \"p-safe\"\n"));
    let attack = |job: &str, release: &str| {
        dir.expect(0, &["anonymize", job, "--quiet", "--output", release]);
        let attacks = "minimality,disclosure-sets";
        let assessed =
            dir.expect(0, &["attack", release, "--original", job, "--json", "--attacks", attacks]).json();
        let found = assessed["attacks"].as_array().unwrap().clone();
        found
            .into_iter()
            .map(|own| (own["attack"].as_str().unwrap().to_owned(), own))
            .collect::<BTreeMap<_, _>>()
    };
    let plain = attack("plain.toml", "plain");
    assert_eq!(plain["minimality"]["exposed"]["hits"], 8, "{plain:#?}");
    assert_eq!(plain["disclosure-sets"]["exposed"]["hits"], 8);
    // The two of A, or the two men of B.
    let p_safe = attack("job.toml", "release");
    assert_eq!(p_safe["minimality"]["exposed"]["hits"], 4, "{p_safe:#?}");
    assert_eq!(p_safe["disclosure-sets"]["exposed"]["hits"], 4);
    let notes = p_safe["minimality"]["notes"][0].as_str().unwrap();
    assert!(notes.contains("All 28 worlds") && notes.contains("2 of them lead to this release"), "{notes}");
    // A release that was made without it is not one of this job, nor the other way round.
    for (release, job) in [("plain", "job.toml"), ("release", "plain.toml")] {
        dir.expect(2, &["attack", release, "--original", job, "--attacks", "minimality"])
            .says("does not lead to this release");
    }
    let page = dir.text("release/report.html");
    assert!(page.contains("Against those who know the search") && page.contains("p-safe, originals"));
    assert_eq!(dir.json("release/manifest.json")["randomness"], "none");
}

/// survey FX-6.1: of the text's own table nothing can be published that would not tell who has it. Exit 1, and nothing is left behind.
#[test]
fn nothing_safe_is_nothing_published() {
    let dir = Dir::new();
    let rows = "z94085,M,HIV\nz14085,M,HIV\nz14085,F,None\nz94085,F,HIV\nz14085,F,None\nz14085,F,None\nz14085,F,None\nz14085,F,None\n";
    dir.write("patients.csv", format!("zip,sex,disease\n{rows}")).write("job.toml", JOB);
    dir.expect(0, &["anonymize", "job.toml", "--quiet", "--output", "plain"]);
    dir.expect(1, &["anonymize", "job.toml", "--quiet", "--set", P_SAFE]).says("of 4 choices of levels");
    assert_eq!(dir.names("."), ["job.toml", "patients.csv", "plain"]);
}

/// People of suppressed groups are protected too: the promise must hold of what is left to believe of them.
#[test]
fn suppressed_people_are_protected_as_well() {
    let dir = Dir::new();
    let job = JOB.replace("k = 1", "k = 2");
    dir.write("job.toml", format!("{job}[search]\nsuppress-at-most = 0.25\n"));
    let mut published = BTreeMap::new();
    let mut refused = 0;
    for sick in pairs() {
        dir.write("patients.csv", table(&sick));
        match dir.privet(&["anonymize", "job.toml", "--quiet", "--force", "--set", P_SAFE]).code {
            Some(0) => {
                dir.expect(0, &["verify", "release"]);
                published.entry(lines(&dir)).or_insert_with(Vec::new).push(sick);
            }
            code => {
                assert_eq!(code, Some(1));
                refused += 1;
            }
        }
    }
    assert!(surest(&published) <= 0.5 && !published.is_empty());
    // Some are published without the two who stand alone.
    assert!(published.keys().any(|lines| lines.len() == 7), "{published:?} {refused}");
}

/// A countermeasure that cannot be taken is refused, and never left out in silence.
#[test]
fn what_a_countermeasure_does_not_go_with() {
    let dir = Dir::new();
    dir.write("patients.csv", table(&[0, 4])).write("job.toml", JOB);
    let refused = |settings: &[&str], says: &str| {
        let mut arguments = vec!["anonymize", "job.toml"];
        settings.iter().for_each(|setting| arguments.extend(["--set", setting]));
        dir.expect(2, &arguments).says(says);
        assert_eq!(dir.names("."), ["job.toml", "patients.csv"], "{settings:?}");
    };
    for countermeasure in ["p-safe", "distort"] {
        let set = format!("adversary.countermeasure=\"{countermeasure}\"");
        refused(
            &[&set, "search.algorithm=\"mondrian\"", "search.mondrian.memory-limit=3"],
            "does not go with search.mondrian.memory-limit",
        );
        refused(&[&set, "views=[{ columns = [\"zip\"] }]"], "[[views]] or [[count-tables]]");
        refused(&[&set, "count-tables=[{ columns = [\"zip\"] }]"], "[[views]] or [[count-tables]]");
        refused(
            &[
                &set,
                "search.algorithm=\"decomposition\"",
                "purpose={ file = \"p.toml\", name = \"a\", trust = 1 }",
            ],
            "does not go with a purpose",
        );
    }
    for algorithm in ["mondrian", "cell-suppression", "anatomy", "samarati", "attribute-suppression"] {
        let algorithm = format!("search.algorithm=\"{algorithm}\"");
        let privacy = "privacy={ l-diversity = { kind = \"distinct\", l = 2 } }";
        refused(&[P_SAFE, privacy, &algorithm], "set algorithm = \"optimal\"");
    }
    refused(&[P_SAFE, "search.minimal-nodes=true"], "search.minimal-nodes");
    refused(&[P_SAFE, "search.class=\"disease\"", "search.minimize=\"classification\""], "search.class");
    refused(&[P_SAFE, "privacy={ k-anonymity = 2 }"], "[privacy] has none");
    refused(&[P_SAFE, "privacy={ c-k-safety = { c = 0.9, k = 1 } }"], "cannot judge `privacy.c-k-safety`");
    refused(&[P_SAFE, "privacy={ three-d = { c = 0.9 } }"], "cannot judge `privacy.three-d`");
    let weighed =
        "privacy={ p-sensitivity = { p = 2, k = 2, alpha = 1, categories = [[\"HIV\"], [\"Flu\"]] } }";
    refused(&[P_SAFE, weighed], "with `alpha`");
    refused(&[P_SAFE, "columns.sex.role=\"sensitive\"", "privacy={ k-anonymity = 2 }"], "the job has 2");
    refused(
        &[P_SAFE, "adversary.max-risk=0.5", "adversary.attacks=[\"homogeneity\"]"],
        "does not go with adversary.max-risk",
    );
}

/// Too many originals are refused with what would be accepted, and no message tells a value.
#[test]
fn tables_with_too_many_originals_are_refused() {
    let dir = Dir::new();
    let mut rows = String::from("zip,sex,disease\n");
    for person in 0..40 {
        rows.push_str(&format!(
            "z{person},{},{}\n",
            ["M", "F"][person % 2],
            ["HIV", "Flu"][usize::from(person > 6)]
        ));
    }
    dir.write("patients.csv", rows).write("job.toml", JOB);
    dir.expect(2, &["anonymize", "job.toml", "--quiet", "--set", P_SAFE])
        .says("50000 at most")
        .says("smaller table");
    // With groups in place of single people there are few.
    let k = "privacy={ k-anonymity = 20, alpha-k = { alpha = 0.5, k = 1, values = [\"HIV\"] } }";
    dir.expect(0, &["anonymize", "job.toml", "--quiet", "--set", P_SAFE, "--set", k]);
    let manifest = dir.json("release/manifest.json");
    assert!(manifest["search"]["p_safe"]["originals"].as_u64().unwrap() > 50_000);
    dir.expect(0, &["verify", "release"]);
}
