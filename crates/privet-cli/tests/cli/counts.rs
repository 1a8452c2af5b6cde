//! Releases of counts: views, tables with totals, and jobs that ask for what cannot be.

use super::dir::{CANARY, Dir};
use super::people;

pub const BASE: &str = r#"
[input]
path = "people.csv"
[columns.name]
role = "identifier"
[columns.age]
role = "quasi"
hierarchy = { intervals = [10, 20], min = 0 }
[columns.zip]
role = "quasi"
hierarchy = { mask = "right" }
[columns.sex]
role = "quasi"
[columns.disease]
role = "sensitive"
"#;

const VIEWS: &str = r#"
[[views]]
columns = ["sex", "age"]
[[views]]
columns = ["sex", "disease"]
[privacy]
k-anonymity = 2
"#;

/// Two views share the only HIV of a street and of an age, which is one person's. Somebody who knows who is in the data knows whose.
#[test]
fn views_together_tell_of_people_who_are_known() {
    let dir = Dir::new();
    dir.write(
        "people.csv",
        "age,zip,diag\n21,100,Flu\n22,100,Cancer\n31,100,HIV\n32,200,Flu\n33,200,Cancer\n23,200,Flu\n",
    );
    let job = "[input]\npath = \"people.csv\"\n[columns.age]\nrole = \"quasi\"\nhierarchy = { intervals = [10] }\n[columns.zip]\nrole = \
               \"quasi\"\n[columns.diag]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 3\n[[views]]\ncolumns = [\"zip\", \"diag\"]\n[[views]]\n\
               columns = [\"age\", \"diag\"]\n";
    dir.write("job.toml", job);
    dir.expect(0, &["anonymize", "job.toml"]).prints("composition");
    let summary = dir.expect(0, &["anonymize", "job.toml", "--force", "--json"]).json();
    let attacks = summary["attacks"].as_array().unwrap();
    let own = attacks.iter().find(|own| own["attack"] == "composition").unwrap();
    assert_eq!((&own["exposed"]["hits"], &own["right"]["hits"]), (&2.into(), &2.into()), "{own:#}");
    // What only the owner can work out is published nowhere.
    assert!(!dir.text("release/report.json").contains("Views put together"));
    dir.write("limit.toml", format!("{job}[adversary]\nmax-risk = 0.1\n"));
    dir.expect(1, &["anonymize", "limit.toml", "--force"]).says("`composition` on diag");
    dir.write("only.toml", format!("{job}[adversary]\nmax-risk = 0.1\nattacks = [\"homogeneity\"]\n"));
    dir.expect(0, &["anonymize", "only.toml", "--force"]);
    dir.expect(2, &["attack", "release", "--attacks", "composition"]).says("needs the original");
}

const TABLE: &str = r#"
[[count-tables]]
columns = ["sex", "disease"]
threshold = 4
protection = { lower = 2, upper = 2 }
"#;

pub fn dir(rows: usize) -> Dir {
    let dir = Dir::new();
    dir.write("people.csv", people::table(rows, 1));
    dir
}

#[test]
fn views_from_job_to_verdict() {
    let dir = dir(200);
    dir.write("job.toml", format!("{BASE}{VIEWS}"));
    let run = dir.expect(0, &["anonymize", "job.toml"]);
    for told in
        ["Counted 200 records in 2 tables", "view-1.csv: sex, age (", "Together: ", "privet verify release"]
    {
        assert!(run.out.contains(told), "{told}: {}", run.out);
    }
    assert_eq!(
        dir.names("release"),
        ["manifest.json", "report.html", "report.json", "view-1.csv", "view-2.csv"]
    );
    let run = dir.expect(0, &["verify", "release"]);
    assert!(run.out.contains("views together: ") && run.out.contains("Every promise holds."), "{}", run.out);

    let run = dir.expect(0, &["anonymize", "job.toml", "--force", "--json"]);
    let summary: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(summary["kind"], "counts");
    assert_eq!(summary["release"], "release");
    assert_eq!(summary["rows"], 200);
    assert_eq!(summary["tables"][1]["columns"], serde_json::json!(["sex", "disease"]));
    assert!(summary["tables"][0]["min_class_size"].as_u64().unwrap() >= 2);
    assert_eq!(summary["together"]["determined"], 0);
    assert!(summary["metric"].is_null(), "{summary}");
}

/// A group all of whom have one value falls, whether it stands in a table with totals or in a view.
#[test]
fn counts_of_one_value_tell_it() {
    let dir = Dir::new();
    let women = "F,Cancer\n".repeat(19);
    let men = "M,Flu\n".repeat(8) + &"M,Cancer\n".repeat(8);
    dir.write("data.csv", format!("sex,disease\n{women}{men}"));
    let base = "[input]\npath = \"data.csv\"\n[columns.sex]\nrole = \"quasi\"\n[columns.disease]\nrole = \"sensitive\"\n";
    let table = "[[count-tables]]\ncolumns = [\"sex\", \"disease\"]\nthreshold = 2\n";
    dir.write("job.toml", format!("{base}{table}"));
    dir.expect(0, &["anonymize", "job.toml"]).prints("homogeneity of disease 54.3 %");
    let found = dir.expect(0, &["attack", "release", "--attacks", "homogeneity", "--json"]).json();
    let own = &found["attacks"][0];
    assert_eq!((own["exposed"]["hits"].as_u64(), own["exposed"]["of"].as_u64()), (Some(19), Some(35)));
    assert_eq!(own["control"]["hits"], 19);
    dir.write("limit.toml", format!("{base}{table}[adversary]\nmax-risk = 0.1\n"));
    dir.expect(1, &["anonymize", "limit.toml", "--output", "other"]).says("homogeneity");
    // Where all counts but one are 0, the hidden one tells everybody's value, however many they are.
    let rare =
        "A,Cancer\n".repeat(3) + &"B,Flu\n".repeat(9) + &"B,Heart\n".repeat(9) + &"B,Cancer\n".repeat(9);
    let more = "C,Flu\n".repeat(9) + &"C,Heart\n".repeat(9) + &"C,Cancer\n".repeat(9);
    dir.write("data.csv", format!("sex,disease\n{rare}{more}"));
    dir.write("rare.toml", format!("{base}{}[adversary]\nmax-risk = 0.0\n", table.replace("= 2", "= 5")));
    dir.expect(1, &["anonymize", "rare.toml", "--output", "other"]).says("homogeneity");
    // Half of everybody is no secret at half of certainty.
    dir.expect(1, &["attack", "release", "--confidence", "0.5", "--max-risk", "0.6"]).prints("35 of");
}

/// Views are attacked before they are handed over, where a limit is set. Small cells of sensitive values are no small groups.
#[test]
fn views_beyond_the_limit_are_not_handed_over() {
    let dir = dir(200);
    dir.write(
        "job.toml",
        format!("{BASE}{VIEWS}[adversary]\nmax-risk = 0.0\nattacks = [\"combined-margins\"]\n"),
    );
    // What the attack found is told by every door.
    dir.expect(0, &["anonymize", "job.toml"]).prints("people exposed: combined-margins 0 %.");
    let report: serde_json::Value = serde_json::from_str(&dir.text("release/report.json")).unwrap();
    assert_eq!(report["attacks"][0]["attack"], "combined-margins");
    let not_made = report["not_made"].to_string();
    assert!(not_made.contains("suppression-recovery") && not_made.contains("homogeneity"), "{not_made}");
    assert!(dir.text("release/report.html").contains("Combining tables of counts"));
    let summary = dir.expect(0, &["anonymize", "job.toml", "--force", "--json"]).json();
    assert_eq!(summary["attacks"][0]["exposed"]["hits"], 0);
    dir.expect(0, &["attack", "release", "--attacks", "combined-margins", "--report", "owner.html"]);
    assert!(dir.text("owner.html").contains("Combining tables of counts"));
    // What was asked for and cannot be made is no kept limit, and what there is not is refused.
    dir.expect(2, &["attack", "release", "--attacks", "suppression-recovery"]).says("no table with totals");
    dir.expect(2, &["attack", "release", "--attacks", "linking"])
        .says("`homogeneity`, `combined-margins`, `suppression-recovery`");
    let other = "[adversary]\nattacks = [\"suppression-recovery\"]\nmax-risk = 0.5\n";
    dir.write("none.toml", format!("{BASE}{VIEWS}{other}"));
    dir.expect(2, &["anonymize", "none.toml", "--output", "none"]).says("`adversary.attacks` asks for");
    dir.write("linking.toml", format!("{BASE}{VIEWS}[adversary]\nattacks = [\"linking\"]\n"));
    dir.expect(2, &["anonymize", "linking.toml", "--output", "none"])
        .says("`homogeneity`, `combined-margins`, `suppression-recovery`");
    dir.expect(0, &["attack", "release", "--max-risk", "0"]).prints("There is no control");
    let alone =
        format!("{BASE}{VIEWS}[adversary]\nmax-risk = 0.0\n").replace("k-anonymity = 2", "k-anonymity = 1");
    dir.write("one.toml", alone);
    dir.expect(1, &["anonymize", "one.toml", "--output", "other"]).says("combined-margins");
    assert!(!dir.names("").contains(&"other".to_owned()));
}

#[test]
fn a_table_with_totals_from_job_to_verdict() {
    let dir = dir(60);
    dir.write("job.toml", format!("{BASE}{TABLE}"));
    let run = dir.expect(0, &["anonymize", "job.toml"]);
    assert!(run.out.contains("counts.csv: sex, disease (") && run.out.contains(" hidden)"), "{}", run.out);
    dir.expect(0, &["verify", "release"]);
    // A count filled in, wherever it is: the referee says no.
    let text = dir.text("release/counts.csv");
    let line = text.lines().find(|line| line.ends_with(',')).expect("a hidden count");
    dir.write("release/counts.csv", text.replacen(&format!("{line}\n"), &format!("{line}3\n"), 1));
    let run = dir.expect(1, &["verify", "release"]);
    assert!(
        run.out.contains("FAIL  file counts.csv") && run.out.contains("must not be trusted"),
        "{}",
        run.out
    );
}

/// What is added to the base, and what the message must hold.
const BAD: &[(&str, &str)] = &[
    (
        "[[views]]\ncolumns = [\"sex\", \"town\"]\n[privacy]\nk-anonymity = 2\n",
        "`views.columns` of view 1 name town",
    ),
    (
        "[[views]]\ncolumns = [\"sex\", \"sex\"]\n[privacy]\nk-anonymity = 2\n",
        "`views.columns` of view 1 name sex twice",
    ),
    ("[[views]]\ncolumns = []\n[privacy]\nk-anonymity = 2\n", "`views.columns` of view 1 are none"),
    ("[[views]]\ncolumns = [\"name\"]\n[privacy]\nk-anonymity = 2\n", "`views.columns` of view 1 name name"),
    (
        "[[views]]\ncolumns = [\"age\", \"zip\", \"sex\", \"disease\"]\n[privacy]\nk-anonymity = 2\n",
        "`views.columns` of view 1 are all quasi and sensitive columns",
    ),
    (
        "[[views]]\ncolumns = [\"age\", \"sex\"]\n[[views]]\ncolumns = [\"sex\", \"age\"]\n[privacy]\nk-anonymity = 2\n",
        "`views.columns` of view 2 are those of another view",
    ),
    ("[[views]]\ncolumns = [\"sex\"]\n", "`privacy` promises nothing"),
    ("[[views]]\ncolumns = [\"sex\"]\n[privacy]\nl-diversity = 2\n", "`privacy` promises nothing of view 1"),
    ("[[views]]\ncolumns = [\"sex\"]\nkind = \"cube\"\n[privacy]\nk-anonymity = 2\n", "`microdata`"),
    ("[[views]]\ncolumns = [\"sex\"]\nlevels = 1\n[privacy]\nk-anonymity = 2\n", "unknown field `levels`"),
    ("[[views]]\nkind = \"counts\"\n[privacy]\nk-anonymity = 2\n", "missing field `columns`"),
    ("[views]\ncolumns = [\"sex\"]\n[privacy]\nk-anonymity = 2\n", "views"),
    (
        "[[views]]\ncolumns = [\"sex\"]\n[privacy]\nk-map = { k = 2, population = \"people.csv\" }\n",
        "`privacy.k-map` cannot be promised of views",
    ),
    (
        "[[views]]\ncolumns = [\"sex\"]\n[privacy]\nl-diversity = { l = 2, multi-attribute = true }\n",
        "`privacy.l-diversity` with multi-attribute",
    ),
    (
        "[[views]]\ncolumns = [\"sex\"]\n[privacy]\nk-anonymity = 2\n[search]\nalgorithm = \"samarati\"\n",
        "`search.algorithm` does not go with",
    ),
    (
        "[[views]]\ncolumns = [\"sex\"]\n[privacy]\nk-anonymity = 2\n[search]\nsuppress-at-most = 0.1\n",
        "`search.suppress-at-most` does not go with",
    ),
    (
        "[[views]]\ncolumns = [\"sex\"]\n[privacy]\nk-anonymity = 2\n[search]\nminimal-nodes = true\n",
        "`search.minimal-nodes` does not go with",
    ),
    (
        "[[views]]\ncolumns = [\"sex\"]\n[privacy]\nk-anonymity = 2\n[search.genetic]\nseed = 1\n",
        "search.genetic",
    ),
    (
        "[[views]]\ncolumns = [\"sex\"]\n[privacy]\nk-anonymity = 2\n[[count-tables]]\ncolumns = [\"sex\"]\n",
        "`count-tables` do not go with [[views]]",
    ),
    ("[[count-tables]]\ncolumns = [\"town\"]\n", "`count-tables.columns` of table 1 name town"),
    ("[[count-tables]]\ncolumns = [\"name\"]\n", "whose role is \"identifier\""),
    ("[[count-tables]]\ncolumns = [\"sex\", \"sex\"]\n", "`count-tables.columns` of table 1 name sex twice"),
    ("[[count-tables]]\ncolumns = []\n", "`count-tables.columns` of table 1 are none"),
    (
        "[[count-tables]]\ncolumns = [\"sex\"]\nthreshold = 0\n",
        "`count-tables.threshold` of table 1 must be at least 2",
    ),
    (
        "[[count-tables]]\ncolumns = [\"sex\"]\nthreshold = 1\n",
        "`count-tables.threshold` of table 1 must be at least 2",
    ),
    ("[[count-tables]]\ncolumns = [\"sex\"]\nthreshold = -5\n", "threshold = -5"),
    (
        "[[count-tables]]\ncolumns = [\"sex\"]\nprotection = { lower = 0, upper = 4 }\n",
        "`count-tables.protection` of table 1 must have",
    ),
    (
        "[[count-tables]]\ncolumns = [\"sex\"]\nprotection = { lower = -1, upper = 4 }\n",
        "protection = { lower = -1",
    ),
    ("[[count-tables]]\ncolumns = [\"sex\"]\nprotection = { lower = 1 }\n", "upper"),
    (
        "[[count-tables]]\ncolumns = [\"sex\"]\nlevels = { sex = 2 }\n",
        "`count-tables.levels` of table 1 name level 2 of sex",
    ),
    (
        "[[count-tables]]\ncolumns = [\"sex\"]\nlevels = { age = 1 }\n",
        "`count-tables.levels` of table 1 may name",
    ),
    (
        "[[count-tables]]\ncolumns = [\"disease\"]\nlevels = { disease = 1 }\n",
        "`count-tables.levels` of table 1 may name",
    ),
    ("[[count-tables]]\ncolumns = [\"sex\"]\nlevels = { sex = -1 }\n", "levels = { sex = -1 }"),
    (
        "[[count-tables]]\ncolumns = [\"sex\", \"age\"]\n[[count-tables]]\ncolumns = [\"zip\", \"sex\"]\n",
        "`count-tables.columns` of table 2 share one",
    ),
    (
        "[[count-tables]]\ncolumns = [\"sex\"]\n[privacy]\nk-anonymity = 6\n",
        "`count-tables.threshold` of table 1 is below the k",
    ),
    (
        "[[count-tables]]\ncolumns = [\"sex\"]\n[privacy]\nl-diversity = 2\n",
        "`privacy.l-diversity` cannot be promised",
    ),
    ("[[count-tables]]\ncolumns = [\"sex\"]\n[search]\nminimize = \"height\"\n", "`search.minimize`"),
];

#[test]
fn jobs_that_cannot_be_are_refused_with_their_key() {
    let dir = dir(40);
    for (added, fragment) in BAD {
        dir.write("job.toml", format!("{BASE}{added}"));
        let run = dir.privet(&["anonymize", "job.toml"]);
        assert_eq!(run.code, Some(2), "{added}\n{run:#?}");
        assert!(run.err.contains(fragment), "{fragment:?} is not said of\n{added}\n{}", run.err);
        assert_eq!(dir.names("."), ["job.toml", "people.csv"], "{added}");
    }
}

/// A column that is called like the column of counts, and a value like a total.
#[test]
fn names_that_would_be_confused_are_refused() {
    let dir = Dir::new();
    dir.write("people.csv", "count,sex\n1,f\n1,Total\n2,f\n");
    let columns = "[input]\npath = \"people.csv\"\n[columns.count]\nrole = \"quasi\"\n[columns.sex]\nrole = \"quasi\"\n";
    dir.write("job.toml", format!("{columns}[[count-tables]]\ncolumns = [\"count\"]\n"));
    assert!(dir.expect(2, &["anonymize", "job.toml"]).err.contains("rename it in the input"));
    dir.write("job.toml", format!("{columns}[[count-tables]]\ncolumns = [\"sex\"]\n"));
    assert!(dir.expect(2, &["anonymize", "job.toml"]).err.contains("`count-tables.columns`"));
}

/// No message tells a value, whatever goes wrong.
#[test]
fn values_stay_in_the_files() {
    let dir = Dir::new();
    let table = format!("sex,ill\nf,{CANARY}\nm,x\nf,x\n");
    dir.write("people.csv", table);
    let columns = "[input]\npath = \"people.csv\"\n[columns.sex]\nrole = \"quasi\"\n[columns.ill]\nrole = \"sensitive\"\n";
    dir.write("job.toml", format!("{columns}[[count-tables]]\ncolumns = [\"sex\", \"ill\"]\n"));
    dir.expect(1, &["anonymize", "job.toml"]);
    assert_eq!(dir.names("."), ["job.toml", "people.csv"]);
    dir.write("job.toml", format!("{columns}[[views]]\ncolumns = [\"ill\"]\n[privacy]\nk-anonymity = 4\n"));
    dir.expect(2, &["anonymize", "job.toml"]);
    dir.write("job.toml", format!("{columns}[[views]]\ncolumns = [\"ill\"]\n[privacy]\nk-anonymity = 3\n"));
    dir.expect(0, &["anonymize", "job.toml"]);
    dir.expect(0, &["verify", "release"]);
    assert!(
        !dir.text("release/report.html").contains(CANARY)
            && !dir.text("release/manifest.json").contains(CANARY)
    );
    dir.write("release/view-1.csv", format!("ill,count\n{CANARY},2\nx,2\n"));
    dir.expect(1, &["verify", "release"]);
}

/// The counts of a table by their labels.
fn counts_of(text: &str) -> std::collections::BTreeMap<Vec<String>, u64> {
    let line = |line: &str| {
        let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
        let count = cells.pop().unwrap().parse().unwrap();
        (cells, count)
    };
    text.lines().skip(1).map(line).collect()
}

/// Sixty people by a fixed rule: 2 of them are the only ones of their kind.
fn small_table() -> Dir {
    let dir = Dir::new();
    let mut text = String::from("name,age,zip,sex,disease\n");
    for i in 0..60 {
        let (sex, disease) =
            if i < 2 { ("F", "rare") } else { (["F", "M"][i % 2], ["flu", "cold", "rare"][i % 3]) };
        let (sex, disease) = if i >= 2 && disease == "rare" { ("M", disease) } else { (sex, disease) };
        text.push_str(&format!("{CANARY}-{i},{},1234{},{sex},{disease}\n", 20 + i, i % 5));
    }
    dir.write("people.csv", text);
    dir
}

#[test]
fn counts_are_moved_and_totals_stay() {
    let dir = small_table();
    let adjust = TABLE.replace("protection", "method = \"adjust\"\nprotection");
    dir.write("job.toml", format!("{BASE}{adjust}"));
    dir.expect(0, &["anonymize", "job.toml"]).prints("small counts moved");
    let run = dir.expect(0, &["verify", "release"]);
    assert!(run.out.contains("no total that was kept is from 1 to 3"), "{}", run.out);
    let found = counts_of(&dir.text("release/counts.csv"));
    // The original, counted by hand.
    let mut truth = std::collections::BTreeMap::new();
    for line in dir.text("people.csv").lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        for sex in [cells[3], "Total"] {
            for disease in [cells[4], "Total"] {
                *truth.entry(vec![sex.to_owned(), disease.to_owned()]).or_insert(0u64) += 1;
            }
        }
    }
    for (key, count) in &truth {
        match key.iter().any(|label| label == "Total") {
            true => assert_eq!(found[key], *count, "{key:?}"),
            false if (1..4).contains(count) => {
                let now = found[key];
                assert!(now >= count + 2 || now <= count - 2, "{key:?} {count} {now}");
            }
            false => {}
        }
    }
    assert_eq!(truth[&vec!["F".to_owned(), "rare".to_owned()]], 2);
    assert_ne!(found, truth);
    let manifest = dir.json("release/manifest.json");
    assert_eq!(manifest["tables"][0]["changed"]["way"]["adjust"]["least"], true);
    // The largest change of a count is as small as can be: that of the protection.
    let even = adjust.replace("protection", "norm = \"linf\"\nprotection");
    dir.write("even.toml", format!("{BASE}{even}"));
    dir.expect(0, &["anonymize", "even.toml", "--output", "even", "--quiet"]);
    dir.expect(0, &["verify", "even", "--quiet"]);
    let way = dir.json("even/manifest.json")["tables"][0]["changed"]["way"]["adjust"].clone();
    assert_eq!((&way["largest"], &way["least"]), (&true.into(), &true.into()));
    assert!(
        dir.text("even/report.html").contains("the count that changed most did so as little as possible")
    );
    assert!(!dir.text("release/report.html").contains(CANARY));
    dir.expect(2, &["answer", "release", "select count(*) from data"]).says("were changed");
    dir.expect(0, &["attack", "release"]).prints("changed");
    // A table that does not add up is no release.
    let data = dir.text("release/counts.csv");
    let line = data.lines().find(|line| line.starts_with("F,Total,")).unwrap();
    dir.write("release/counts.csv", data.replace(line, "F,Total,2"));
    dir.expect(1, &["verify", "release"])
        .prints("FAIL  totals counts.csv")
        .prints("FAIL  small counts counts.csv");
}

#[test]
fn counts_are_drawn_anew_and_totals_stay() {
    let dir = small_table();
    let job = format!(
        "{BASE}\n[[count-tables]]\ncolumns = [\"sex\", \"disease\"]\nthreshold = 4\nmethod = \"resample\"\nseed = 5\n"
    );
    dir.write("job.toml", &job).write("free.toml", job.replace("seed = 5\n", ""));
    dir.expect(0, &["anonymize", "job.toml"]).prints("drawn from the tables");
    dir.expect(0, &["verify", "release"]).prints("whoever knows or guesses it");
    let first = dir.files("release");
    dir.expect(0, &["anonymize", "job.toml", "--force", "--quiet"]);
    assert_eq!(dir.files("release"), first);
    assert!(dir.text("release/report.html").contains("random walk"));
    dir.expect(0, &["anonymize", "free.toml", "--output", "free", "--quiet"]);
    dir.expect(0, &["verify", "free", "--quiet"]);
    assert_eq!(dir.json("free/manifest.json")["randomness"], "operating-system");
    let (found, free) = (counts_of(&dir.text("release/counts.csv")), counts_of(&dir.text("free/counts.csv")));
    let totals = |all: &std::collections::BTreeMap<Vec<String>, u64>| {
        let own = all.iter().filter(|(key, _)| key.iter().any(|label| label == "Total"));
        own.map(|(key, count)| (key.clone(), *count)).collect::<Vec<_>>()
    };
    assert_eq!(totals(&found), totals(&free));
}

#[test]
fn changed_counts_that_cannot_be() {
    let dir = small_table();
    let job = |more: &str| {
        format!("{BASE}\n[[count-tables]]\ncolumns = [\"sex\", \"disease\"]\nthreshold = 4\n{more}\n")
    };
    for (more, said) in [
        ("margins = [[\"sex\"]]", "goes with method"),
        ("norm = \"linf\"", "\"adjust\" only"),
        ("method = \"adjust\"\nnorm = \"l2\"", "linf"),
        ("method = \"adjust\"\nsteps = 5", "\"resample\" only"),
        ("method = \"adjust\"\nseed = 5", "\"resample\" only"),
        ("method = \"adjust\"\nmargins = []", "are none"),
        ("method = \"adjust\"\nmargins = [[\"age\"]]", "columns of the table"),
        ("method = \"adjust\"\nmargins = [[\"sex\", \"disease\"]]", "no count could change"),
        ("method = \"resample\"\nsteps = 0", "from 1"),
        ("method = \"resample\"\nsteps = 2", "10 for each record"),
        ("method = \"resample\"\nprotection = { lower = 1, upper = 1 }", "does not go with"),
        ("method = \"resample\"\nmargins = [[\"sex\"]]", "must be in one"),
        ("method = \"resample\"\ncolumns = [\"sex\"]", "duplicate key"),
        ("method = \"magic\"", "resample"),
        ("method = \"adjust\"\n[privacy]\nk-anonymity = 2", "cannot be promised"),
    ] {
        dir.write("job.toml", job(more));
        dir.expect(2, &["anonymize", "job.toml"]).says(said);
    }
    // A total that is small itself cannot be kept.
    dir.write("job.toml", job("method = \"adjust\"").replace("threshold = 4", "threshold = 40"));
    dir.expect(1, &["anonymize", "job.toml"]).says("small counts themselves");
    // More than there is room for.
    dir.write(
        "job.toml",
        job("method = \"adjust\"\nprotection = { lower = 3, upper = 100 }\nsuppress-zeros = false"),
    );
    let run = dir.privet(&["anonymize", "job.toml", "--quiet"]);
    assert!(run.code == Some(1) || run.code == Some(0), "{run:?}");
    assert!(run.code == Some(0) || run.err.contains("no release was written"), "{run:?}");
}
