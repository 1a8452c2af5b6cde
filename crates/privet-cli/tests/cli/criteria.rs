//! Every criterion from the outside: what the search calls safe, the referee must call safe as well.
//!
//! `verify` shares no code with the search, so each of these runs is a cross-check of the two. Without
//! suppressed records the referee knows the input's distribution exactly, with them only bounds: both are run.

use crate::dir::Dir;
use crate::people;

/// A name, and what stands in the `[privacy]` section.
const CRITERIA: &[(&str, &str)] = &[
    ("k-anonymity", "k-anonymity = 5"),
    ("alpha-k", r#"alpha-k = { alpha = 0.6, k = 4, column = "disease" }"#),
    (
        "alpha-k, some values",
        r#"alpha-k = { alpha = 0.3, k = 3, values = ["cancer", "ulcer"], column = "disease" }"#,
    ),
    ("distinct l-diversity", r#"l-diversity = { l = 3, column = "disease" }"#),
    ("entropy l-diversity", r#"l-diversity = { kind = "entropy", l = 2.5, column = "disease" }"#),
    ("recursive l-diversity", r#"l-diversity = { kind = "recursive", c = 2, l = 3, column = "disease" }"#),
    (
        "positive disclosure",
        r#"l-diversity = { kind = "positive-disclosure", c = 2, l = 3, allowed = ["healthy"], column = "disease" }"#,
    ),
    (
        "negative and positive disclosure",
        r#"l-diversity = { kind = "negative-positive-disclosure", c = 3, l = 2, c2 = 2, allowed = ["healthy"],
           protected = ["cancer"], column = "disease" }"#,
    ),
    ("multi-attribute l-diversity", "l-diversity = { l = 2, multi-attribute = true }"),
    (
        "multi-attribute entropy l-diversity of one column",
        r#"l-diversity = { kind = "entropy", l = 1.5, multi-attribute = true, column = "disease" }"#,
    ),
    ("variational t-closeness", r#"t-closeness = { kind = "variational", t = 0.3, column = "disease" }"#),
    ("equal t-closeness", r#"t-closeness = { kind = "equal", t = 0.3, column = "disease" }"#),
    ("Kullback-Leibler t-closeness", r#"t-closeness = { kind = "kl", t = 0.3, column = "disease" }"#),
    ("ordered t-closeness", r#"t-closeness = { kind = "ordered", t = 0.2, column = "income" }"#),
    (
        "ordered t-closeness with its own order",
        r#"t-closeness = { kind = "ordered", t = 0.25, column = "disease",
           order = ["healthy", "flu", "bronchitis", "gastritis", "ulcer", "cancer"] }"#,
    ),
    ("hierarchical t-closeness", r#"t-closeness = { kind = "hierarchical", t = 0.25, column = "disease" }"#),
    (
        "hierarchical t-closeness with its own file",
        r#"t-closeness = { kind = "hierarchical", t = 0.25, column = "disease", hierarchy = "own/disease.csv" }"#,
    ),
    (
        "matrix t-closeness",
        r#"t-closeness = { kind = "matrix", t = 0.25, column = "disease",
           costs = [["flu", "bronchitis", 0.2], ["gastritis", "ulcer", 0.3], ["healthy", "flu", 0.5]] }"#,
    ),
    ("p-sensitivity", r#"p-sensitivity = { p = 3, k = 4, column = "disease" }"#),
    (
        "p+-sensitivity",
        r#"p-sensitivity = { p = 2, k = 3, plus = true, column = "disease",
           categories = [["cancer"], ["ulcer", "gastritis"], ["flu", "bronchitis"], ["healthy"]] }"#,
    ),
    (
        "(p,alpha)-sensitivity",
        r#"p-sensitivity = { p = 2, k = 3, alpha = 1.5, column = "disease",
           categories = [["cancer"], ["ulcer", "gastritis"], ["flu", "bronchitis"], ["healthy"]] }"#,
    ),
    (
        "(p+,alpha)-sensitivity with weights",
        r#"p-sensitivity = { p = 2, k = 3, plus = true, alpha = 2.0, weights = [0, 0.5, 1, 1], column = "disease",
           categories = [["cancer"], ["ulcer", "gastritis"], ["flu", "bronchitis"], ["healthy"]] }"#,
    ),
    (
        "distinct concept diversity",
        r#"concept-diversity = { l = 3, column = "disease",
           concepts = { chest = ["flu", "bronchitis"], stomach = ["gastritis", "ulcer"] } }"#,
    ),
    (
        "entropy concept diversity",
        r#"concept-diversity = { kind = "entropy", l = 2, column = "disease",
           concepts = { chest = ["flu", "bronchitis"], stomach = ["gastritis", "ulcer"] } }"#,
    ),
    (
        "recursive concept diversity",
        r#"concept-diversity = { kind = "recursive", c = 3, l = 2, column = "disease",
           concepts = { chest = ["flu", "bronchitis"], stomach = ["gastritis", "ulcer"] } }"#,
    ),
    ("proximity in ranges", r#"proximity-diversity = { l = 3, width = 2000, column = "income" }"#),
    (
        "balanced proximity in ranges",
        r#"proximity-diversity = { l = 2, width = 4000, balance = 0.5, column = "income" }"#,
    ),
    (
        "proximity by neighbourhood",
        r#"proximity-diversity = { kind = "neighbourhood", l = 2, width = 1000, column = "income" }"#,
    ),
    ("delta-presence", r#"delta-presence = { max = 0.6, population = "all.csv" }"#),
    ("k-map", r#"k-map = { k = 8, population = "all.csv" }"#),
    (
        "delta-presence and k-map",
        "delta-presence = { max = 0.6, population = \"all.csv\" }\nk-map = { k = 8, population = \"all.csv\" }",
    ),
    ("basic beta-likeness", r#"beta-likeness = { beta = 1.5, column = "disease" }"#),
    ("enhanced beta-likeness", r#"beta-likeness = { beta = 3, kind = "enhanced", column = "disease" }"#),
    ("delta-disclosure", r#"delta-disclosure = { delta = 1.5, column = "disease" }"#),
    (
        "one criterion on two columns",
        r#"l-diversity = [{ l = 3, column = "disease" }, { kind = "entropy", l = 3, column = "income" }]"#,
    ),
    (
        "many criteria together",
        r#"k-anonymity = 4
           l-diversity = { kind = "entropy", l = 2, column = "disease" }
           t-closeness = { kind = "ordered", t = 0.4, column = "income" }
           p-sensitivity = { p = 2, k = 3, column = "disease" }
           k-map = { k = 6, population = "all.csv" }
           beta-likeness = { beta = 3, column = "disease" }
           proximity-diversity = { l = 2, width = 2000, column = "income" }"#,
    ),
];

fn dir() -> Dir {
    let dir = Dir::new();
    let people = people::table(400, 5);
    // The population: the people of the table and as many again.
    let others = people::table(800, 6);
    let all: String = people.lines().chain(others.lines().skip(1)).flat_map(|line| [line, "\n"]).collect();
    dir.write("people.csv", people).write("all.csv", all).write(
        "own/disease.csv",
        "flu;air;body\nbronchitis;air;body\ngastritis;food;body\nulcer;food;body\ncancer;none;body\nhealthy;none;body\n",
    );
    dir
}

#[test]
fn what_the_search_calls_safe_the_referee_calls_safe() {
    let dir = dir();
    let (mut classes, mut suppressing) = (0, 0);
    for (name, privacy) in CRITERIA {
        for share in ["0", "0.1"] {
            // A table in braces may not run over several lines before TOML 1.1.
            let privacy = privacy
                .replace("\n           ", if privacy.contains("\n           l-") { "\n" } else { " " });
            dir.write("job.toml", people::job(&privacy, &format!("suppress-at-most = {share}")));
            let json = dir.expect(0, &["anonymize", "job.toml", "--force", "--json"]).json();
            let run = dir.privet(&["verify", "release", "--population", "all.csv"]);
            assert_eq!(run.code, Some(0), "{name}, {share} suppressed: {}", run.out);
            classes += u64::from(json["classes"].as_u64() > Some(1));
            suppressing += u64::from(json["suppressed"].as_u64() > Some(0));
            assert!(share != "0" || json["suppressed"].as_u64() == Some(0), "{name}: {json}");
            let promises = dir.json("release/manifest.json")["promises"].as_array().unwrap().len();
            assert_eq!(
                run.out.matches("ok    promise ").count(),
                promises,
                "{name}: every promise is checked"
            );
        }
    }
    // The jobs are not so strict that only the top of the lattice is safe.
    assert!(
        classes > CRITERIA.len() as u64 && suppressing > CRITERIA.len() as u64 / 2,
        "{classes} {suppressing}"
    );
}

/// A lower bound on presence leaves no room for suppression, and judges people without a record.
#[test]
fn delta_presence_with_a_lower_bound() {
    let dir = dir();
    let privacy = r#"delta-presence = { min = 0.2, max = 0.5, population = "all.csv" }"#;
    dir.write("job.toml", people::job(privacy, ""));
    dir.expect(0, &["anonymize", "job.toml"]);
    dir.expect(0, &["verify", "release", "--population", "all.csv"]);
    let strict = r#"delta-presence = { min = 0.9, max = 1, population = "all.csv" }"#;
    dir.write("job.toml", people::job(strict, ""));
    dir.expect(1, &["anonymize", "job.toml", "--force"]).says("delta-presence");
    // People of the table who are not in the population.
    dir.write("job.toml", people::job(r#"k-map = { k = 1, population = "few.csv" }"#, ""));
    dir.write("few.csv", "age,zip,sex\n20,47000,f\n");
    let run = dir.privet(&["anonymize", "job.toml", "--force"]);
    assert!(matches!(run.code, Some(0..=1)), "{run:?}");
}

/// The referee's verdict does not come from believing the manifest: a table that breaks the promise is caught
/// even where the hashes are made to fit.
#[test]
fn a_broken_promise_is_found_in_the_table() {
    let dir = dir();
    dir.write("job.toml", people::job("k-anonymity = 5", ""));
    dir.expect(0, &["anonymize", "job.toml"]);
    let data = dir.text("release/data.csv");
    let one = data.lines().nth(1).unwrap();
    let changed: String = data.replacen(one, &one.replacen(|c: char| c.is_ascii_digit(), "999", 1), 1);
    dir.write("release/data.csv", changed);
    let run = dir.expect(1, &["verify", "release"]).prints("broken: the class of record 1 (1 records)");
    assert!(run.out.contains("FAIL  promise 1"), "{}", run.out);
}
