//! What measuring and answering must not leave out in silence, nor make look safer or better kept than it is.

use serde_json::Value;

use crate::dir::Dir;

fn figure<'a>(figures: &'a Value, key: &str) -> &'a Value {
    let all = figures.as_array().unwrap();
    all.iter().find(|own| own["key"] == key).unwrap_or_else(|| panic!("no {key}: {figures}"))
}

fn value(figures: &Value, key: &str) -> f64 {
    figure(figures, key)["value"].as_f64().unwrap_or_else(|| panic!("{key}: {figures}"))
}

fn job(columns: &[(&str, &str)], more: &str) -> String {
    let mut text = "[input]\npath = \"t.csv\"\n".to_owned();
    for (name, own) in columns {
        text.push_str(&format!("[columns.{name}]\n{own}\n"));
    }
    format!("{text}{more}\n[output]\nfolder = \"release\"\n")
}

const QUASI: &str = "role = \"quasi\"";
const SENSITIVE: &str = "role = \"sensitive\"";
const INSENSITIVE: &str = "role = \"insensitive\"";

/// Survey PM-04: nineteen with the flu and one of whom nothing is told leave next to nothing in doubt.
#[test]
fn a_missing_value_makes_nobody_safer() {
    let dir = Dir::new();
    let (mut table, mut numbers) = ("age,diag\n".to_owned(), "age,diag\n".to_owned());
    for person in 0..20 {
        table.push_str(if person == 7 { "20,\n" } else { "20,Flu\n" });
        numbers.push_str(if person == 7 { "20,\n" } else { "20,120\n" });
        table.push_str(&format!("30,{}\n", ["Flu", "Cold", "HIV", "Asthma"][person % 4]));
        numbers.push_str(&format!("30,{}\n", person % 4 * 100));
    }
    dir.write("job.toml", job(&[("age", QUASI), ("diag", SENSITIVE)], "[privacy]\nk-anonymity = 5"));
    for (table, keys) in
        [(&table, &["uncertainty"][..]), (&numbers, &["uncertainty", "uncertainty-deviation"])]
    {
        dir.write("t.csv", table);
        dir.expect(0, &["anonymize", "job.toml", "--quiet", "--force"]);
        let measured = dir.expect(0, &["measure", "job.toml", "release", "--json"]).json();
        for key in keys {
            let own = figure(&measured["risk"]["figures"], key);
            assert_eq!(own["value"], 0.0, "{own}");
            assert!(own["says"].as_str().unwrap().contains("missing value"), "{own}");
        }
    }
}

/// A hierarchy that is written down may call 21 to 30 `20-29`; without it no bound may rest on the name.
#[test]
fn labels_that_are_names_bound_nothing() {
    let dir = Dir::new();
    let rows = |age: u32| format!("{age},Flu\n{age},Cold\n");
    dir.write("t.csv", format!("age,diag\n{}{}{}{}", rows(21), rows(30), rows(31), rows(40)));
    let ages = format!("{QUASI}\nhierarchy = \"ages.csv\"");
    dir.write("job.toml", job(&[("age", &ages), ("diag", SENSITIVE)], "[privacy]\nk-anonymity = 4"));
    let ask = |question: &str, more: &[&str]| {
        let question = format!("select count(*) from data where {question}");
        let args = [&["answer", "release", &question, "--json"][..], more].concat();
        dir.expect(0, &args).json()
    };
    let bounds = |answer: &Value| {
        let own = &answer["lines"][0]["estimates"][0];
        ["expected", "at_least", "at_most"].map(|key| own[key].as_f64().unwrap())
    };
    let reading = || dir.json("release/manifest.json")["data"]["columns"][0]["recoding"]["reading"].clone();

    dir.write("ages.csv", "21;20-29;*\n30;20-29;*\n31;30-39;*\n40;30-39;*\n");
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    dir.expect(0, &["verify", "release"]);
    assert_eq!(reading(), "names");
    // Two of four under `20-29` are 30.
    let answer = ask("age <= 29", &[]);
    assert_eq!(bounds(&answer), [4.0, 0.0, 8.0]);
    assert!(answer["notes"][0].as_str().unwrap().contains("age are names"), "{answer}");
    let run = dir.expect(0, &["answer", "release", "select count(*) from data where age <= 29"]);
    assert!(run.out.contains("The labels of age are names"), "{}", run.out);
    let with_job = ask("age <= 29", &["--job", "job.toml"]);
    assert_eq!(bounds(&with_job), [2.0, 0.0, 4.0]);
    assert!(with_job["notes"].is_null(), "{with_job}");
    // The label itself can be asked for, and no other has its values.
    assert_eq!(bounds(&ask("age = '20-29'", &[])), [4.0; 3]);
    // Of a question about other columns there is nothing to say.
    assert!(ask("diag = 'Flu'", &[])["notes"].is_null());
    // Nobody is ruled out by a name either: at 30 a person fits both labels, and no group is theirs alone.
    dir.write("people.csv", "age\n30\n").write("knowledge.toml", "[people]\npath = \"people.csv\"\n");
    let attack =
        &["attack", "release", "--knowledge", "knowledge.toml", "--attacks", "linking", "--people", "p.csv"];
    dir.expect(0, attack).prints("labels of `age` are names that exclude nobody here");
    assert!(dir.text("p.csv").contains(",8,"), "{}", dir.text("p.csv"));

    dir.write("ages.csv", "21;20-30;*\n30;20-30;*\n31;31-40;*\n40;31-40;*\n");
    dir.expect(0, &["anonymize", "job.toml", "--quiet", "--force"]);
    assert_eq!(reading(), "literal");
    let answer = ask("age <= 30", &[]);
    assert_eq!(bounds(&answer), [4.0; 3]);
    assert!(answer["notes"].is_null(), "{answer}");
    // A manifest of an earlier version does not tell, and then the answer does.
    let manifest = dir.text("release/manifest.json");
    let without: String =
        manifest.lines().filter(|line| !line.contains("\"reading\"")).map(|own| format!("{own}\n")).collect();
    assert_ne!(manifest, without);
    dir.write("release/manifest.json", without);
    let answer = ask("age <= 30", &[]);
    assert_eq!(bounds(&answer), [4.0; 3]);
    assert!(answer["notes"][0].as_str().unwrap().contains("does not say"), "{answer}");
}

/// Survey UM-15: buckets take apart what went together, and columns that are neither identifying nor sensitive count.
#[test]
fn buckets_take_associations_apart() {
    let dir = Dir::new();
    let mut table = "age,diag,ward\n".to_owned();
    for person in 0..60 {
        let own = person % 3;
        table.push_str(&format!("{},{},W{own}\n", 20 + own, ["Flu", "Cold", "HIV"][own]));
    }
    dir.write("t.csv", table);
    let more = "[privacy]\nl-diversity = { kind = \"distinct\", l = 3 }\n[search]\nalgorithm = \"anatomy\"";
    dir.write("job.toml", job(&[("age", QUASI), ("diag", SENSITIVE), ("ward", INSENSITIVE)], more));
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let measured = dir.expect(0, &["measure", "job.toml", "release", "--json"]).json();
    let pairs = measured["utility"]["pairs"].as_array().unwrap();
    let pair = |a: &str, b: &str| {
        let is = |own: &&Value| own["a"] == a && own["b"] == b;
        let own = pairs.iter().find(is).unwrap_or_else(|| panic!("{a} {b}: {pairs:?}"));
        [&own["before"], &own["after"]].map(|own| (own.as_f64().unwrap() * 1e6).round() / 1e6)
    };
    assert_eq!(pair("age", "diag"), [1.0, 0.0]);
    assert_eq!(pair("ward", "diag"), [1.0, 0.0]);
    assert_eq!(pair("age", "ward"), [1.0, 1.0]);
    // Two of three pairs lost everything.
    let change = value(&measured["utility"]["figures"], "cramer-v");
    assert!((change - 2.0 / 3.0).abs() < 1e-6, "{change}");
}

/// Survey UM-26: an age that became one label for everybody has no coefficient left.
#[test]
fn parameters_that_a_release_lost_are_missed() {
    let dir = Dir::new();
    let mut table = "age,sex,cost\n".to_owned();
    for person in 0..60u64 {
        let (age, noise) = (20 + person % 20, person * 7 % 5);
        table.push_str(&format!("{age},{},{}\n", ["F", "M"][person as usize % 2], 10 * age + noise));
    }
    dir.write("t.csv", table);
    let columns = [("age", QUASI), ("sex", QUASI), ("cost", SENSITIVE)];
    dir.write("job.toml", job(&columns, "[privacy]\nk-anonymity = 20"));
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let measured = dir.expect(0, &["measure", "job.toml", "release", "--target", "cost", "--json"]).json();
    let figures = &measured["utility"]["figures"];
    for key in ["linear-validity", "linear-overlap"] {
        let own = figure(figures, key);
        assert!(own["value"].as_f64().unwrap() < 0.7, "{own}");
        assert!(own["says"].as_str().unwrap().contains("does not tell any more"), "{own}");
    }
}

/// A gap in one record does not take Spruill's risk away, and what is not looked for is told.
#[test]
fn risks_that_are_not_computed_are_told() {
    let dir = Dir::new();
    let mut table = "age,diag\n".to_owned();
    for person in 0..30 {
        table.push_str(&format!(
            "{},Flu\n",
            if person == 3 { String::new() } else { (20 + person).to_string() }
        ));
    }
    dir.write("t.csv", table);
    dir.write("job.toml", job(&[("age", QUASI), ("diag", SENSITIVE)], "[privacy]\nk-anonymity = 1"));
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let measured = dir.expect(0, &["measure", "job.toml", "release", "--json"]).json();
    let own = figure(&measured["risk"]["figures"], "spruill");
    assert_eq!(own["value"], 1.0, "{own}");
    assert!(own["says"].as_str().unwrap().contains("Left out: 1 published"), "{own}");

    let names: Vec<String> = (0..25).map(|at| format!("q{at}")).collect();
    let line = |value: &str| format!("{},Flu\n", vec![value; 25].join(","));
    dir.write("t.csv", format!("{},diag\n{}{}", names.join(","), line("a").repeat(3), line("b").repeat(3)));
    let mut columns: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), QUASI)).collect();
    columns.push(("diag", SENSITIVE));
    let more = "[privacy]\nk-anonymity = 2\n[search]\nalgorithm = \"datafly\"";
    dir.write("job.toml", job(&columns, more));
    dir.expect(0, &["anonymize", "job.toml", "--quiet", "--force"]);
    let run = dir.expect(0, &["measure", "job.toml", "release"]);
    assert!(run.out.contains("Not computed: there are more than 24 identifying columns."), "{}", run.out);
}

/// Survey PM-01 and UM-09: releases of counts are measured too.
#[test]
fn counts_are_measured() {
    let dir = Dir::new();
    let mut table = "sex,age,diag\n".to_owned();
    for (sex, age, diag, count) in
        [("F", 21, "Flu", 6), ("F", 22, "Cold", 4), ("M", 31, "Flu", 5), ("M", 32, "Cold", 5)]
    {
        table.push_str(&format!("{sex},{age},{diag}\n").repeat(count));
    }
    dir.write("t.csv", table);
    let age = format!("{QUASI}\nhierarchy = {{ intervals = [10], min = 20 }}");
    let columns = [("sex", QUASI), ("age", age.as_str()), ("diag", SENSITIVE)];
    let views = "[privacy]\nk-anonymity = 5\n[[views]]\ncolumns = [\"sex\", \"diag\"]\n[[views]]\ncolumns = [\"sex\", \"age\"]";
    dir.write("job.toml", job(&columns, views));
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let measured = dir.expect(0, &["measure", "job.toml", "release", "--json"]).json();
    let risk = &measured["risk"]["figures"];
    assert_eq!(value(risk, "smallest-count"), 4.0);
    assert_eq!(value(risk, "small-counts"), 1.0);
    // By hand: given the sex, whoever believes the views takes diagnosis and age as independent, and 21 and 22 as equally
    // likely where they are published as one.
    let levels = dir.json("release/manifest.json")["tables"][1]["columns"][1]["level"].as_u64().unwrap();
    let told = |sex: usize, at: usize| -> f64 {
        let of_age = [[6.0, 4.0], [5.0, 5.0]][sex];
        let of_diag = of_age;
        let age = if levels == 0 { of_age[at] / 10.0 } else { 0.5 };
        // At the top both sexes may have all four ages.
        let age = if levels == 2 { 0.25 } else { age };
        of_diag[at] * age / 20.0
    };
    let (mut kl, mut variation) = (0.0, 0.0);
    for (sex, at, count) in [(0, 0, 6.0), (0, 1, 4.0), (1, 0, 5.0), (1, 1, 5.0f64)] {
        let own = count / 20.0;
        kl += own * (own / told(sex, at)).ln();
        variation += (own - told(sex, at)).max(0.0);
    }
    let figures = &measured["utility"]["figures"];
    assert!((value(figures, "kl-observed") - kl).abs() < 1e-9, "{figures} {kl}");
    assert!((value(figures, "total-variation") - variation).abs() < 1e-9, "{figures} {variation}");
    let run = dir.expect(0, &["measure", "job.toml", "release"]);
    assert!(
        run.out.contains("Smallest count, view-1.csv") && run.out.contains("Counts below 5"),
        "{}",
        run.out
    );
    dir.expect(2, &["measure", "job.toml", "release", "--class", "diag"])
        .says("goes with releases of records");

    // Hidden counts are nobody's to fit to, and are not small published ones.
    let totals = "[[count-tables]]\ncolumns = [\"sex\", \"diag\"]\nthreshold = 5";
    dir.write("job.toml", job(&columns, totals));
    dir.expect(0, &["anonymize", "job.toml", "--quiet", "--force"]);
    let measured = dir.expect(0, &["measure", "job.toml", "release", "--json"]).json();
    assert_eq!(value(&measured["risk"]["figures"], "small-counts"), 0.0, "{measured}");
    assert!(measured["utility"]["notes"].to_string().contains("not computed"), "{measured}");
}

/// Survey UM-32.
#[test]
fn laws_have_condition_numbers() {
    let dir = Dir::new();
    dir.write("t.csv", format!("ill\n{}", "y\nn\nn\n".repeat(40)));
    let ill = "role = \"sensitive\"\nvalues = [\"y\", \"n\"]\nperturb = { retention = 0.5 }";
    dir.write("job.toml", job(&[("ill", ill)], ""));
    dir.expect(0, &["randomize", "job.toml", "--quiet"]);
    let measured = dir.expect(0, &["measure", "t.csv", "release", "--json"]).json();
    // A value is kept with 1/2 and otherwise drawn: 3/4 and 1/4, whose condition number is 2.
    let number = value(&measured["utility"]["columns"][0]["figures"], "condition-number");
    assert!((number - 2.0).abs() < 1e-9, "{number}");
}

/// Groups that show means lose what their values reach over, as the manifest says.
#[test]
fn means_lose_detail() {
    let dir = Dir::new();
    let mut table = "age,cost,diag\n".to_owned();
    for person in 0..30u64 {
        table.push_str(&format!("{},{},Flu\n", 20 + person * 7 % 30, person * 37 % 100));
    }
    dir.write("t.csv", table);
    let more = "[privacy]\nk-anonymity = 3\n[search]\nalgorithm = \"microaggregation\"";
    dir.write("job.toml", job(&[("age", QUASI), ("cost", QUASI), ("diag", SENSITIVE)], more));
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let measured = dir.expect(0, &["measure", "job.toml", "release", "--json"]).json();
    let loss = dir.json("release/manifest.json")["metrics"]["loss"].as_f64().unwrap();
    let figures = &measured["utility"]["figures"];
    // Of groups that show the same mean the manifest counts the widest.
    let own = value(figures, "loss-observed");
    assert!(own > 0.05 && own <= loss + 1e-9 && own > 0.8 * loss, "{loss} {own}");
    assert!(value(figures, "ambiguity-observed") > 2.0, "{figures}");
}

/// `13053` beside `130**` is that code.
#[test]
fn codes_beside_masks_are_codes() {
    let dir = Dir::new();
    let table = "age,sex,zip,diag\n20,M,13068,HIV\n22,F,13068,Cold\n49,F,14850,HIV\n42,M,14853,Flu\n38,M,13053,Cold\n\
                 44,F,13053,Flu\n41,F,13068,Flu\n20,M,14853,HIV\n45,M,13053,Cancer\n43,M,13053,HIV\n25,M,13068,Cancer\n\
                 34,F,14850,HIV\n31,F,13053,Cold\n49,F,13068,Cold\n44,F,13068,Cold\n";
    dir.write("t.csv", table);
    let (age, zip) = (
        format!("{QUASI}\nhierarchy = {{ intervals = [5, 10, 30], min = 20 }}"),
        format!("{QUASI}\nhierarchy = {{ mask = \"right\", steps = [2] }}"),
    );
    let columns = [("age", age.as_str()), ("sex", QUASI), ("zip", &zip), ("diag", SENSITIVE)];
    let more = "[privacy]\nk-anonymity = 2\n[search]\nalgorithm = \"local-recoding\"\nsuppress-at-most = 0.2";
    dir.write("job.toml", job(&columns, more));
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let data = dir.text("release/data.csv");
    let count = |zip: &str| data.lines().filter(|line| line.contains(zip)).count();
    let (rows, masked) = (data.lines().count() - 1, count("**"));
    assert!(masked > 0 && masked < rows && rows == 15, "{data}");
    let answer = dir
        .expect(0, &["answer", "release", "select count(*) from data where zip like '130%'", "--json"])
        .json();
    let own = &answer["lines"][0]["estimates"][0];
    let expected = count(",130") as f64;
    assert_eq!(own["at_least"], expected, "{data} {own}");
    assert_eq!(own["at_most"], expected, "{data} {own}");
    dir.expect(0, &["unfold", "release", "--ranges", "--output", "ranges.csv", "--quiet"]);
    let ranges = dir.text("ranges.csv");
    assert!(ranges.contains("13000,13099") && ranges.contains("14853,14853"), "{ranges}");
}

/// What is predicted is predicted from all other published columns.
#[test]
fn learners_use_all_published_columns() {
    let dir = Dir::new();
    let mut table = "age,ward,name,diag\n".to_owned();
    for person in 0..120 {
        let own = person / 3 % 3;
        table.push_str(&format!("{},W{own},N{person},{}\n", 20 + person % 2, ["Flu", "Cold", "HIV"][own]));
    }
    dir.write("t.csv", table);
    let columns = [("age", QUASI), ("ward", INSENSITIVE), ("name", INSENSITIVE), ("diag", SENSITIVE)];
    dir.write("job.toml", job(&columns, "[privacy]\nk-anonymity = 2"));
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let measured = dir.expect(0, &["measure", "job.toml", "release", "--class", "diag", "--json"]).json();
    for learner in measured["utility"]["learners"].as_array().unwrap() {
        assert_eq!(learner["released"]["rate"], 1.0, "{learner}");
    }
    assert!(measured["utility"]["notes"].to_string().contains("Not learned from: name"), "{measured}");
    // Records to test on need not have them.
    dir.write("apart.csv", "age,diag\n20,Flu\n21,Cold\n");
    let args = ["measure", "job.toml", "release", "--class", "diag", "--test", "apart.csv", "--json"];
    let measured = dir.expect(0, &args).json();
    assert!(measured["utility"]["notes"].to_string().contains("Not learned from: ward, name"), "{measured}");
}
