//! `privet randomize`, `privet reconstruct`, and questions to perturbed releases.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::Value;

use crate::dir::{CANARY, Dir, Run};

/// People with a secret name, a yes or no, a ward of four, an age and an income; 3000 of them, by a fixed rule.
fn table() -> String {
    let mut text = String::from("name,sex,smokes,ward,age,income\n");
    for i in 0..3000u32 {
        let (sex, smokes) = (["F", "M"][(i % 2) as usize], if i % 5 == 0 { "yes" } else { "no" });
        let ward = ["North", "North", "North", "South", "South", "East", "East", "East", "East", "West"]
            [(i % 10) as usize];
        let (age, income) = (20 + (i * 7) % 50, 1000 + (i * 13) % 4000);
        text.push_str(&format!("{CANARY}-{i},{sex},{smokes},{ward},{age},{income}\n"));
    }
    text
}

const JOB: &str = "\
[input]
path = \"people.csv\"
[columns.name]
role = \"identifier\"
[columns.sex]
role = \"insensitive\"
[columns.smokes]
role = \"sensitive\"
values = [\"yes\", \"no\"]
perturb = { response = \"warner\", p = 0.8 }
[columns.ward]
role = \"sensitive\"
values = [\"North\", \"South\", \"East\", \"West\"]
perturb = { gamma = 19 }
[columns.age]
role = \"quasi\"
perturb = { noise = \"gaussian\", sd = 5.0 }
[columns.income]
role = \"sensitive\"
perturb = { noise = \"uniform\", sd = 200.0 }
[output]
folder = \"release\"
";

fn dir() -> Dir {
    let dir = Dir::new();
    dir.write("people.csv", table()).write("job.toml", JOB);
    dir
}

fn released() -> Dir {
    let dir = dir();
    dir.expect(0, &["randomize", "job.toml", "--seed", "7", "--quiet"]);
    dir
}

/// A release whose manifest was changed and sealed anew, as a forger would.
fn forge(dir: &Dir, change: impl Fn(&mut Value)) {
    let mut manifest = privet_release::PerturbedManifest::parse(&dir.bytes("release/manifest.json")).unwrap();
    let mut value = serde_json::to_value(&manifest).unwrap();
    change(&mut value);
    manifest = serde_json::from_value(value).unwrap();
    dir.write("release/manifest.json", manifest.to_json_sealed().unwrap());
}

#[test]
fn a_release_is_made_verified_and_whole() {
    let dir = dir();
    dir.expect(0, &["randomize", "job.toml", "--seed", "7"])
        .prints("3,000 records")
        .prints("Not published: name")
        .prints("factor of at most 19")
        .prints("The seed was fixed");
    assert_eq!(dir.names("release"), ["data.csv", "manifest.json", "report.html", "report.json"]);
    dir.expect(0, &["verify", "release"]).prints("Every promise holds").prints("factor of at most 4");
    dir.expect(0, &["verify", "release"])
        .prints("this column alone changes the odds of anything about its original")
        .prints("all columns together")
        .prints("guesses it can undo every change");
    let manifest = dir.text("release/manifest.json");
    assert!(manifest.contains("\"randomness\": \"fixed-seed\"") && !manifest.contains(CANARY), "{manifest}");
    let report = dir.text("release/report.html");
    assert!(report.contains("Report on perturbed records") && !report.contains(CANARY));
    assert!(!report.contains("NaN") && !report.contains("--seed"));
    // Values did change, and identifiers are gone.
    let (before, after) = (dir.text("people.csv"), dir.text("release/data.csv"));
    assert_eq!(after.lines().next(), Some("sex,smokes,ward,age,income"));
    assert_eq!(after.lines().count(), 3001);
    let changed = |column: usize, from: usize| {
        let cell = |line: &str, at: usize| line.split(',').nth(at).unwrap().to_owned();
        before.lines().zip(after.lines()).skip(1).filter(|(a, b)| cell(a, from) != cell(b, column)).count()
    };
    assert_eq!(changed(0, 1), 0);
    // 20 % of answers are lies: 600 ± 6·22, a false alarm of 1e-8.
    assert!((470..730).contains(&changed(1, 2)), "{}", changed(1, 2));
    assert!(changed(3, 4) > 2500);
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_none_gives_others() {
    let dir = dir();
    for (folder, more) in [
        ("a", &["--seed", "7"][..]),
        ("b", &["--seed", "7", "--threads", "1"]),
        ("c", &["--seed", "8"]),
        ("d", &[]),
    ] {
        let args = [&["randomize", "job.toml", "--quiet", "--output", folder][..], more].concat();
        dir.expect(0, &args);
        dir.expect(0, &["verify", folder, "--quiet"]);
    }
    assert_eq!(dir.files("a"), dir.files("b"));
    assert_ne!(dir.bytes("a/data.csv"), dir.bytes("c/data.csv"));
    assert_ne!(dir.bytes("a/data.csv"), dir.bytes("d/data.csv"));
    assert!(dir.text("d/manifest.json").contains("\"randomness\": \"operating-system\""));
}

#[test]
fn nothing_is_overwritten_without_being_asked() {
    let dir = released();
    let before = dir.files("release");
    dir.expect(2, &["randomize", "job.toml"]).says("--force");
    assert_eq!(dir.files("release"), before);
    dir.expect(0, &["randomize", "job.toml", "--force", "--quiet"]);
    assert_ne!(dir.bytes("release/data.csv"), before["data.csv"]);
    // A failing job leaves the old release and nothing beside it.
    dir.expect(2, &["randomize", "job.toml", "--force", "--set", "columns.age.perturb.sd=-1"]);
    assert_eq!(dir.names(""), ["job.toml", "people.csv", "release"]);
}

#[test]
fn changes_after_the_fact_are_found() {
    let dir = released();
    let data = dir.text("release/data.csv");
    dir.write("release/data.csv", data.replacen("yes", "no", 1));
    dir.expect(1, &["verify", "release"]).prints("FAIL  file data.csv");
    // Where hashes and seal are made to fit, the laws themselves are judged.
    type Change = fn(&mut Value);
    let changes: [(&str, Change); 16] = [
        ("γ", |m| {
            m["model"]["columns"][2]["perturbation"]["categories"]["protects"]["gamma"] = 3.0.into();
        }),
        ("beliefs", |m| {
            m["model"]["columns"][1]["perturbation"]["categories"]["protects"]["beliefs"][1]["posterior"] =
                0.06.into();
        }),
        ("no distribution", |m| {
            m["model"]["columns"][1]["perturbation"]["categories"]["law"]["matrix"][0][0] = 0.7.into();
        }),
        ("width", |m| m["model"]["columns"][3]["perturbation"]["noise"]["deviation"] = 50.0.into()),
        ("cannot have come", |m| {
            m["model"]["columns"][2]["perturbation"]["categories"]["values"][0] = "Nord".into();
        }),
        ("cannot have come", |m| m["model"]["columns"][3]["perturbation"]["noise"]["step"] = 0.07.into()),
        ("missing", |m| m["data"]["missing"]["age"] = 5.into()),
        ("records", |m| m["data"]["rows"] = 2999.into()),
        ("removed", |m| m["data"]["removed_columns"][0] = "age".into()),
        ("another", |m| m["model"]["columns"][1]["name"] = "age".into()),
        ("randomness", |m| m["randomness"] = "dice".into()),
        ("made from the data", |m| {
            m["model"]["columns"][2]["perturbation"]["categories"]["domain"] = "data".into();
        }),
        ("made from the data", |m| {
            m["model"]["columns"][1]["perturbation"]["categories"]["mechanism"] = "invariant-pram".into();
        }),
        ("not the form", |m| {
            m["model"]["columns"][2]["perturbation"]["categories"]["mechanism"] = "warner".into();
        }),
        ("all columns together", |m| m["model"]["gamma"] = 76.0.into()),
        ("too finely", |m| m["model"]["columns"][3]["perturbation"]["noise"]["step"] = 0.001.into()),
    ];
    for (what, change) in changes {
        let dir = released();
        forge(&dir, change);
        dir.expect(1, &["verify", "release"]).prints("FAIL").prints(what).prints("must not be trusted");
    }
    // The forger's tool does no harm by itself.
    let dir = released();
    forge(&dir, |_| {});
    dir.expect(0, &["verify", "release", "--quiet"]);
}

fn reconstruct(dir: &Dir, more: &[&str]) -> Value {
    dir.expect(0, &[&["reconstruct", "release", "--json"][..], more].concat()).json()
}

#[test]
fn counts_are_estimated_with_errors_that_hold() {
    let dir = released();
    let found = reconstruct(&dir, &["smokes", "ward"]);
    let truths = [
        vec![("yes", 600.0), ("no", 2400.0)],
        vec![("North", 900.0), ("South", 600.0), ("East", 1200.0), ("West", 300.0)],
    ];
    for (column, truths) in truths.iter().enumerate() {
        let values = found["columns"][column]["values"].as_array().unwrap();
        assert_eq!(values.len(), truths.len());
        let sum: f64 = values.iter().map(|own| own["estimate"].as_f64().unwrap()).sum();
        assert!((sum - 3000.0).abs() < 1e-6);
        for (own, (value, truth)) in values.iter().zip(truths) {
            assert_eq!(own["value"], *value);
            let (estimate, error) =
                (own["estimate"].as_f64().unwrap(), own["standard_error"].as_f64().unwrap());
            assert!(error > 5.0 && error < 60.0, "{own}");
            // Six values with 5 errors each: a false alarm of 4e-6, once and for all with a fixed seed.
            assert!((estimate - truth).abs() < 5.0 * error, "{own}: {truth}");
        }
    }
    dir.expect(0, &["reconstruct", "release", "ward"]).prints("not negative").prints("North");
    // Population errors are larger.
    let sampled = reconstruct(&dir, &["smokes", "--sampled"]);
    let error = |found: &Value| found["columns"][0]["values"][0]["standard_error"].as_f64().unwrap();
    assert!(error(&sampled) > error(&found));
}

#[test]
fn distributions_are_reconstructed_and_the_likelihood_rises() {
    let dir = released();
    for method in ["em", "bayes"] {
        let found = reconstruct(&dir, &["age", "income", "--bins", "10", "--method", method]);
        for (column, mean) in [(0, 44.5), (1, 2961.5)] {
            let own = &found["columns"][column];
            let rises = own["log_likelihood"].as_array().unwrap();
            assert!(
                rises.len() > 2 && rises.windows(2).all(|two| two[0].as_f64() <= two[1].as_f64()),
                "{own}"
            );
            let share: f64 =
                own["bins"].as_array().unwrap().iter().map(|bin| bin["share"].as_f64().unwrap()).sum();
            assert!((share - 1.0).abs() < 1e-9);
            let (found, error) =
                (own["mean"].as_f64().unwrap(), own["mean_standard_error"].as_f64().unwrap());
            assert!((found - mean).abs() < 5.0 * error, "{own}");
        }
        // Ages are even from 20 to 69: the reconstruction puts less outside than what is published.
        let outside = |key: &str| -> f64 {
            let bins = found["columns"][0]["bins"].as_array().unwrap();
            let is_outside =
                |bin: &&Value| bin["to"].as_f64().unwrap() < 20.0 || bin["from"].as_f64().unwrap() > 70.0;
            bins.iter().filter(is_outside).map(|bin| bin[key].as_f64().unwrap()).sum()
        };
        assert!(outside("share") < 0.5 * outside("published"), "{method}: {found}");
    }
    dir.expect(0, &["reconstruct", "release", "age"]).prints("#####").prints("log-likelihood from");
    let by = reconstruct(&dir, &["smokes", "--by", "sex"]);
    assert_eq!((by["by"].as_str(), by["columns"].as_array().unwrap().len()), (Some("sex"), 2));
}

/// papers T-AL2: with few records the shares are hardly known, and that is said; with many and few intervals they are known.
#[test]
fn shares_have_intervals_and_few_records_a_warning() {
    let dir = released();
    let found = reconstruct(&dir, &["age", "--bins", "4"]);
    let own = &found["columns"][0];
    assert_eq!(own["interval_method"], "profile-likelihood");
    let bins = own["bins"].as_array().unwrap();
    for bin in bins {
        let at = |key: &str| bin[key].as_f64().unwrap();
        assert!(0.0 <= at("low") && at("low") <= at("share"), "{bin}");
        assert!(at("share") <= at("high") && at("high") <= 1.0 && at("high") - at("low") < 0.4, "{bin}");
    }
    // The same again: nothing is drawn.
    assert_eq!(found, reconstruct(&dir, &["age", "--bins", "4"]));
    dir.expect(0, &["reconstruct", "release", "age", "--bins", "4"]).prints("95 % from");
    dir.expect(0, &["reconstruct", "release", "age", "--bins", "65"]).prints("at most 64 intervals");
    assert!(dir.text("release/report.html").contains("key whiskers"));
    // Twelve people, and noise as wide as their ages.
    let few: Vec<String> = table().lines().take(13).map(str::to_owned).collect();
    dir.write("people.csv", few.join("\n"));
    dir.expect(0, &["randomize", "job.toml", "--seed", "5", "--quiet", "--force"]);
    let found = reconstruct(&dir, &["age"]);
    let warnings = found["columns"][0]["warnings"].as_array().unwrap();
    assert!(warnings.iter().any(|own| own.as_str().unwrap().contains("Little can be concluded")), "{found}");
    dir.expect(0, &["reconstruct", "release", "age"]).prints("Careful: Little can be concluded");
    assert!(dir.text("release/report.html").contains("Careful:"));
}

#[test]
fn what_cannot_be_reconstructed_is_said() {
    let dir = released();
    for (args, said) in [
        (&["sex"][..], "published as it was"),
        (&["colour"], "has no column `colour`"),
        (&["age", "--by", "ward"], "is perturbed"),
        (&["age", "--bins", "0"], "--bins"),
        (&["--bins", "100000"], "--bins"),
    ] {
        dir.expect(2, &[&["reconstruct", "release"][..], args].concat()).says(said);
    }
    dir.expect(2, &["reconstruct", "nowhere"]).says("manifest.json");
    // A release of another kind.
    dir.write(
        "other.toml",
        "input.path = \"people.csv\"\noutput.folder = \"other\"\n[columns.ward]\nrole = \"quasi\"\n[privacy]\nk-anonymity = 2\n",
    );
    dir.expect(0, &["anonymize", "other.toml", "--quiet"]);
    dir.expect(2, &["reconstruct", "other"]).says("privet randomize");
}

fn ask(dir: &Dir, question: &str) -> Value {
    dir.expect(0, &["answer", "release", question, "--json"]).json()
}

#[test]
fn questions_are_answered_with_errors() {
    let dir = released();
    for (question, truth) in [
        ("select count(*) from data where smokes = 'yes'", 600.0),
        ("select count(*) from data where smokes = 'yes' and ward = 'East'", 300.0),
        ("select count(*) from data where ward in ('North', 'South') and sex = 'F'", 900.0),
        ("select count(*) from data where not (ward = 'North' or ward = 'West')", 1800.0),
        ("select sum(age) from data", 133_500.0),
        ("select avg(income) from data where sex = 'M'", 2964.0),
        ("select avg(age) from data where ward = 'East'", 45.5),
        ("select count(age) from data", 3000.0),
    ] {
        let answer = ask(&dir, question);
        let own = &answer["lines"][0]["estimates"][0];
        let expected = own["expected"].as_f64().unwrap();
        match own["standard_error"].as_f64() {
            Some(error) => {
                assert!((expected - truth).abs() < 5.0 * error && error > 0.0, "{question}: {own}");
            }
            None => assert_eq!(expected, truth, "{question}: {own}"),
        }
        if let (Some(least), Some(most)) = (own["at_least"].as_f64(), own["at_most"].as_f64()) {
            assert!(least <= truth && truth <= most, "{question}: {own}");
        }
    }
    // What is published as it was is exact.
    let exact = ask(&dir, "select count(*) from data where sex = 'F'");
    assert_eq!(exact["lines"][0]["estimates"][0]["at_least"], 1500.0);
    assert!(exact["lines"][0]["estimates"][0].get("standard_error").is_none());
    let lines = ask(&dir, "select sex, ward, count(*) from data group by sex, ward");
    assert_eq!(lines["lines"].as_array().unwrap().len(), 8);
    let sum: f64 = lines["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|l| l["estimates"][0]["expected"].as_f64().unwrap())
        .sum();
    assert!((sum - 3000.0).abs() < 1e-6);
    dir.expect(0, &["answer", "release", "select count(*) from data where smokes = 'yes'"])
        .prints("error")
        .prints("whatever the values were");
    for (question, said) in [
        ("select count(*) from data where age < 40", "privet reconstruct RELEASE age"),
        ("select count(*) from data where smokes = 'yes' or ward = 'East'", "by `or`"),
        ("select count(*) from data group by age", "has noise"),
        ("select sum(ward) from data", "no numbers"),
        ("select count(*) from data where colour = 'red'", "does not have"),
    ] {
        dir.expect(2, &["answer", "release", question]).says(said);
    }
}

#[test]
fn respondents_perturb_and_collectors_learn() {
    let dir = dir();
    let job = JOB.replace("[columns.age]\nrole = \"quasi\"\n", "[columns.age]\nrole = \"sensitive\"\n");
    dir.write("survey.toml", job.replace("people.csv", "not-there.csv"));
    dir.expect(0, &["randomize", "survey.toml", "--model-only", "--output", "model.json"])
        .says("--stdin --model");
    dir.expect(2, &["randomize", "survey.toml", "--model-only", "--output", "model.json"]).says("--force");
    let answers = table();
    dir.write("answers.csv", &answers);
    dir.expect(0, &["randomize", "answers.csv", "--model", "model.json", "--output", "sent.csv"])
        .says("3,000 records")
        .says("sex     sent as it is")
        .says("this column alone changes odds by a factor of at most 4\n")
        .says("gaussian noise, sd 5")
        .says("together promise no bound");
    // Nobody may draw a respondent's chance again.
    dir.expect(2, &["randomize", "answers.csv", "--model", "model.json", "--seed", "3"]).says("--seed");
    dir.expect(2, &["randomize", "job.toml", "--model-only", "--seed", "3"]).says("--seed");
    let help = dir.expect(0, &["randomize", "--help"]).out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("Not with --model: nobody may repeat a respondent's random choices"), "{help}");
    // A model that promises more than its laws keep is not used.
    let model = dir.text("model.json");
    dir.write("forged.json", model.replacen("\"gamma\": 19", "\"gamma\": 2", 1));
    assert_ne!(dir.text("forged.json"), model);
    dir.expect(2, &["randomize", "answers.csv", "--model", "forged.json", "--output", "none.csv"])
        .says("not what it says");
    assert!(!dir.path("none.csv").exists());
    // Nobody who lies where the model says that nobody does.
    let narrow = "columns.age.perturb={ noise = \"uniform\", sd = 3.0, min = 0.0, max = 30.0 }";
    dir.expect(0, &["randomize", "survey.toml", "--model-only", "--output", "narrow.json", "--set", narrow]);
    let run = dir.expect(2, &["randomize", "answers.csv", "--model", "narrow.json", "--output", "none.csv"]);
    run.says("outside of the model's range");
    assert!(!dir.path("none.csv").exists());
    dir.expect(2, &["randomize", "job.toml", "--set", narrow]).says("records lie outside");
    let sent = dir.text("sent.csv");
    // The columns of the model and no other; the model's order.
    assert_eq!(sent.lines().next(), Some("age,income,sex,smokes,ward"));
    assert!(!sent.contains(CANARY));
    let found = dir
        .expect(0, &["reconstruct", "sent.csv", "smokes", "--model", "model.json", "--sampled", "--json"])
        .json();
    let yes = &found["columns"][0]["values"][0];
    let (estimate, error) = (yes["estimate"].as_f64().unwrap(), yes["standard_error"].as_f64().unwrap());
    assert!((estimate - 600.0).abs() < 5.0 * error, "{yes}");
    // A release's manifest is a model too.
    dir.expect(0, &["randomize", "job.toml", "--quiet"]);
    dir.expect(
        0,
        &["randomize", "answers.csv", "--model", "release/manifest.json", "--output", "more.csv", "--quiet"],
    );
    // As a stream, record by record.
    let mut child = dir
        .command(&["randomize", "--stdin", "--model", "model.json", "--quiet"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(answers.as_bytes()).unwrap();
    let run = Run::of(child.wait_with_output().unwrap(), "randomize --stdin").expect(0);
    assert_eq!(run.out.lines().count(), 3001);
}

#[test]
fn records_that_do_not_fit_the_model_are_not_passed_on() {
    let dir = dir();
    dir.expect(0, &["randomize", "job.toml", "--model-only", "--output", "model.json", "--quiet"]);
    let head = "sex,smokes,ward,age,income\n";
    for (record, said) in [
        (format!("F,{CANARY},North,30,100\n"), "line 2: the value of `smokes`"),
        (format!("F,yes,North,{CANARY},100\n"), "line 2: the value of `age`"),
        ("F,yes,North,inf,100\n".to_owned(), "line 2: the value of `age`"),
        ("F,yes,North,30\n".to_owned(), "line 2"),
    ] {
        dir.write("bad.csv", format!("{head}{record}"));
        dir.expect(2, &["randomize", "bad.csv", "--model", "model.json", "--output", "out.csv"]).says(said);
        assert!(!dir.path("out.csv").exists());
    }
    dir.write("less.csv", "sex,smokes\nF,yes\n");
    dir.expect(2, &["randomize", "less.csv", "--model", "model.json"]).says("does not have");
    dir.expect(2, &["randomize", "--model", "model.json"]).says("--stdin");
    dir.expect(2, &["randomize"]).says("job file");
    dir.expect(2, &["randomize", "people.csv", "--model", "people.csv"]).says("no model");
    // Missing stays missing.
    dir.write("gap.csv", format!("{head}F,,North,,100\n"));
    let run = dir.expect(0, &["randomize", "gap.csv", "--model", "model.json"]);
    assert!(run.out.lines().nth(1).unwrap().contains(",,"), "{run:?}");
}

/// Noise of a few units upon numbers of nineteen digits would be rounded off, and the numbers published.
#[test]
fn numbers_so_large_that_noise_is_lost_are_refused() {
    let dir = Dir::new();
    let job = |perturb: &str| {
        format!(
            "input.path = \"cards.csv\"\n[columns.card]\nrole = \"sensitive\"\nperturb = {{ {perturb} }}\n[output]\n\
             folder = \"release\"\n"
        )
    };
    let card = |at: u64| 4_111_111_111_111_111_111 + 7_919 * at * at;
    let cards: Vec<String> = (0..300).map(|at| card(at).to_string()).collect();
    // One large number among small ones is published as it is, too.
    let mixed: Vec<String> =
        (0..300).map(|at| if at == 7 { card(at) } else { 31 * at % 977 }.to_string()).collect();
    for (cells, perturb, said) in [
        (&cards, "noise = \"gaussian\", sd = 4.0", "lost in 300 records"),
        (&cards, "noise = \"uniform\", sd = 100.0", "lost in 300 records"),
        (&cards, "noise = \"multiplicative\", sd = 0.1", "lost in 300 records"),
        (&cards, "noise = \"correlated\", factor = 0.5", "lost in 300 records"),
        (&mixed, "noise = \"gaussian\", sd = 4.0", "lost in 1 records"),
    ] {
        dir.write("cards.csv", format!("card\n{}\n", cells.join("\n"))).write("job.toml", job(perturb));
        dir.expect(2, &["randomize", "job.toml"]).says(said);
        assert!(!dir.path("release").exists());
    }
    dir.write("job.toml", job("noise = \"gaussian\", sd = 4.0"));
    dir.expect(0, &["randomize", "job.toml", "--model-only", "--output", "model.json", "--quiet"]);
    dir.expect(2, &["randomize", "cards.csv", "--model", "model.json", "--output", "out.csv"])
        .says("line 9: the value of `card` is too large");
    assert!(!dir.path("out.csv").exists());
}

#[test]
fn bad_jobs_are_told_what_is_wrong() {
    let dir = dir();
    for (setting, said) in [
        ("columns.smokes.perturb.p=0.5", "cannot be inverted"),
        ("columns.smokes.perturb.p=1.0", "nothing is hidden"),
        ("columns.smokes.perturb.p=1.5", "probability"),
        ("columns.smokes.perturb.p=nan", "probability"),
        ("columns.smokes.perturb.q=0.5", "does not go with"),
        ("columns.smokes.perturb={ response = \"innocuous\", p = 0.7 }", "is needed"),
        ("columns.smokes.values=[\"yes\"]", "fewer than two"),
        ("columns.smokes.values=[\"yes\", \"yes\"]", "twice"),
        ("columns.smokes.values=[\"yes\", \"maybe\"]", "outside of its declared domain, in 2400 records"),
        ("columns.age.perturb.sd=0", "above 0"),
        ("columns.age.perturb.sd=-3.0", "above 0"),
        ("columns.age.perturb.sd=nan", "above 0"),
        ("columns.age.perturb.sd=inf", "above 0"),
        ("columns.age.perturb={ noise = \"gaussian\" }", "is needed"),
        ("columns.age.perturb={ noise = \"laplace\", sd = 1.0 }", "gaussian"),
        ("columns.age.perturb={ sd = 1.0 }", "exactly one"),
        ("columns.age.perturb.step=6.0", "must not be above"),
        ("columns.age.perturb.step=0.001", "a thousandth"),
        ("columns.age.perturb.sd=0.05", "rounding gives the originals back"),
        ("columns.age.perturb={ noise = \"correlated\", factor = 1e-9 }", "at least"),
        (
            "columns.age.perturb={ noise = \"correlated\", factor = 0.001 }",
            "rounding gives the originals back",
        ),
        ("columns.age.perturb={ noise = \"multiplicative\", sd = 1e-9 }", "at least"),
        (
            "columns.age.perturb={ noise = \"multiplicative\", sd = 0.01 }",
            "rounding gives the originals back",
        ),
        ("columns.ward.perturb={ noise = \"gaussian\", sd = 1.0 }", "is not needed"),
        ("columns.sex.perturb={ noise = \"gaussian\", sd = 1.0 }", "numbers or dates"),
        ("columns.ward.perturb.gamma=1", "above 1"),
        ("columns.ward.perturb={ retention = 0.0 }", "cannot be inverted"),
        ("columns.ward.perturb={ retention = 1.0 }", "nothing is hidden"),
        ("columns.ward.perturb={ response = \"innocuous\", p = 0.5, q = 0.5 }", "two answers"),
        ("columns.ward.perturb={ pram = 0.0 }", "nothing is hidden"),
        ("columns.name.perturb={ gamma = 3 }", "identifier"),
        ("columns.colour.role=insensitive", "does not have: colour"),
        ("privacy.k-anonymity=3", "privet anonymize"),
        ("randomize.method=magic", "columns"),
        ("columns.ward.perturb={ matrix = \"none.csv\" }", "is not needed"),
        ("output.home=home", "output.home"),
    ] {
        dir.expect(2, &["randomize", "job.toml", "--set", setting]).says(said);
        assert_eq!(dir.names(""), ["job.toml", "people.csv"], "{setting}");
    }
    // No column with a law; and the other verb.
    dir.write("plain.toml", "input.path = \"people.csv\"\n[columns.age]\nrole = \"quasi\"\n");
    dir.expect(2, &["randomize", "plain.toml"]).says("no column with `perturb`");
    dir.expect(2, &["anonymize", "job.toml"]).says("privet randomize");
    // What follows the data is in no model without them.
    for (setting, said) in [
        ("columns.ward.perturb={ pram = 0.5 }", "counts of the data"),
        ("columns.age.perturb={ noise = \"correlated\", factor = 0.5 }", "follows the data"),
        ("columns.sex.perturb={ gamma = 3 }", "columns.sex.values"),
    ] {
        dir.expect(2, &["randomize", "job.toml", "--model-only", "--set", setting]).says(said);
    }
}

#[test]
fn every_law_makes_a_release_that_verifies() {
    let dir = dir();
    dir.write("matrix.csv", "from,North,South,East,West\nNorth,0.7,0.1,0.1,0.1\nSouth,0.1,0.7,0.1,0.1\nEast,0.1,0.1,0.7,0.1\nWest,0.1,0.1,0.1,0.7\n")
        .write("wards.csv", "North;all\nSouth;all\nEast;all\nWest;all\nCentre;all\n");
    for (settings, said) in [
        (&["columns.smokes.perturb={ response = \"innocuous\", p = 0.7, q = 0.5 }"][..], "innocuous"),
        (&["columns.ward={ role = \"sensitive\", perturb = { retention = 0.6 } }"], "\"domain\": \"data\""),
        (&["columns.ward={ role = \"sensitive\", perturb = { pram = 0.6 } }"], "invariant-pram"),
        (
            &["columns.ward={ role = \"sensitive\", perturb = { matrix = \"matrix.csv\" } }"],
            "\"mechanism\": \"matrix\"",
        ),
        (
            &["columns.ward={ role = \"sensitive\", hierarchy = \"wards.csv\", perturb = { gamma = 9 } }"],
            "\"domain\": \"hierarchy\"",
        ),
        (&["columns.income.perturb={ noise = \"multiplicative\", sd = 0.1 }"], "multiplicative"),
        (
            &[
                "columns.age.perturb={ noise = \"correlated\", factor = 0.5 }",
                "columns.income.perturb={ noise = \"correlated\", factor = 0.5 }",
            ],
            "correlated",
        ),
        (
            &["columns.age.perturb={ noise = \"uniform\", sd = 3.0, step = 1.0, min = 0.0, max = 120.0 }"],
            "\"range\"",
        ),
        (&["output.format=parquet"], "data.parquet"),
        (&["output.format=arrow"], "data.arrow"),
    ] {
        let sets: Vec<&str> = settings.iter().flat_map(|own| ["--set", own]).collect();
        dir.expect(0, &[&["randomize", "job.toml", "--force", "--quiet", "--seed", "5"][..], &sets].concat());
        assert!(dir.text("release/manifest.json").contains(said), "{said}");
        dir.expect(0, &["verify", "release", "--quiet"]);
        dir.expect(0, &["reconstruct", "release", "--json"]);
        let sum = ask(&dir, "select sum(income) from data");
        let own = &sum["lines"][0]["estimates"][0];
        let off = (own["expected"].as_f64().unwrap() - 8_884_500.0).abs();
        assert!(off < 5.0 * own["standard_error"].as_f64().unwrap(), "{said}: {own}");
    }
}

/// Between which days the dates of a column lie, with and without quotation marks, with data and without.
#[test]
fn ends_of_dates_are_dates() {
    let dir = Dir::new();
    let born: String = (0..300).map(|at| format!("{}-{:02}-17\n", 1950 + at * 7 % 50, 1 + at % 12)).collect();
    dir.write("born.csv", format!("born\n{born}"));
    let job = |ends: &str| {
        format!(
            "input.path = \"born.csv\"\n[columns.born]\nrole = \"quasi\"\nperturb = {{ noise = \"gaussian\", sd = \
             1000.0, {ends} }}\n[output]\nfolder = \"release\"\n"
        )
    };
    // 1950-01-01 and 1999-12-31 in days since 1970-01-01.
    let days = serde_json::json!([-7305.0, 10_956.0]);
    for ends in [
        "min = 1950-01-01, max = 1999-12-31",
        "min = \"1950-01-01\", max = \"1999-12-31\"",
        "min = -7305, max = 10956",
    ] {
        dir.write("job.toml", job(&format!("dates = true, {ends}")));
        dir.expect(0, &["randomize", "job.toml", "--force", "--quiet"]);
        let range =
            |file: &str| dir.json(file)["model"]["columns"][0]["perturbation"]["noise"]["range"].clone();
        assert_eq!(range("release/manifest.json"), days, "{ends}");
        dir.expect(
            0,
            &["randomize", "job.toml", "--model-only", "--output", "model.json", "--force", "--quiet"],
        );
        assert_eq!(range("model.json"), days, "{ends}");
    }
    for (ends, said) in [
        ("min = 1960-01-01, max = 1999-12-31", "records lie outside"),
        ("min = 1999-12-31, max = 1950-01-01", "must be below `max`"),
        ("min = \"soon\", max = 1999-12-31", "a date as YYYY-MM-DD"),
        ("min = 1950-01-01T00:00:00, max = 1999-12-31", "a date as YYYY-MM-DD"),
    ] {
        dir.write("job.toml", job(ends));
        dir.expect(2, &["randomize", "job.toml", "--force"]).says(said);
    }
    dir.write("job.toml", job("min = 1950-01-01, max = 1999-12-31"));
    dir.expect(2, &["randomize", "job.toml", "--model-only"]).says("`dates = true`");
}

#[test]
fn dates_missing_values_and_tiny_tables() {
    let dir = Dir::new();
    let job = "[input]\npath = \"t.csv\"\nmissing = [\"\", \"?\"]\n[columns.day]\nrole = \"quasi\"\nperturb = { noise = \
               \"gaussian\", sd = 10.0 }\n[columns.ill]\nrole = \"sensitive\"\nvalues = [\"y\", \"n\"]\nperturb = { retention = \
               0.5 }\n[columns.kind]\nrole = \"sensitive\"\nvalues = [\"\", \"a\", \"b\"]\nperturb = { retention = 0.5 }\n\
               [output]\nfolder = \"release\"\n";
    dir.write("job.toml", job).write("t.csv", "day,ill,kind\n");
    dir.expect(1, &["randomize", "job.toml", "--quiet", "--seed", "1"]).says("it would have no records");
    for rows in ["2020-01-31,y,a\n", "2020-01-31,y,a\n,?,\n?,n,b\n2021-05-05,,a\n"] {
        dir.write("t.csv", format!("day,ill,kind\n{rows}"));
        dir.expect(0, &["randomize", "job.toml", "--force", "--quiet", "--seed", "1"]);
        dir.expect(0, &["verify", "release"]);
        dir.expect(0, &["reconstruct", "release"]);
    }
    // Missing stays missing where it is no value of the domain, and the manifest tells how many.
    let missing = &dir.json("release/manifest.json")["data"]["missing"];
    assert_eq!(*missing, serde_json::json!({ "day": 2, "ill": 2 }));
    assert!(dir.text("release/data.csv").lines().nth(2).unwrap().starts_with(",,"));
    assert!(dir.text("release/report.html").contains("missing and stayed so"));
    // Noise of less than a day is none.
    dir.expect(2, &["randomize", "job.toml", "--force", "--set", "columns.day.perturb.sd=0.1"])
        .says("below a day");
    // A date at the end of the calendar is not wrapped around. All of these stay within it once in 2^40 draws.
    dir.write("t.csv", format!("day,ill,kind\n{}", "9999-12-31,y,a\n".repeat(40)));
    dir.expect(2, &["randomize", "job.toml", "--force", "--set", "columns.day.perturb.sd=1000.0"])
        .says("columns.day");
    // Correlated noise needs every value, and two records.
    dir.write("t.csv", "day,ill,kind\n2020-01-31,y,a\n");
    let correlated = "columns.day.perturb={ noise = \"correlated\", factor = 1.0 }";
    dir.expect(2, &["randomize", "job.toml", "--force", "--set", correlated]).says("2");
    dir.write("t.csv", "day,ill,kind\n2020-01-31,y,a\n,y,a\n2020-01-01,n,a\n");
    dir.expect(2, &["randomize", "job.toml", "--force", "--set", correlated]).says("missing values");
}

/// What all columns together tell is the product, where each column promises something.
#[test]
fn columns_multiply() {
    let dir = dir();
    let keep = ["smokes", "ward"];
    let job: Vec<&str> = JOB.split_inclusive("[columns.").collect();
    let mut text = job[0].to_owned();
    for part in job.iter().skip(1).filter(|part| keep.iter().any(|name| part.starts_with(name))) {
        text.push_str(part);
    }
    let text = text.trim_end_matches("[columns.").to_owned() + "[output]\nfolder = \"release\"\n";
    dir.write("two.toml", text);
    dir.expect(0, &["randomize", "two.toml"]).prints("about a record by a factor of at most 76");
    dir.expect(0, &["verify", "release"]).prints("factor of at most 76, the product");
    assert!(dir.text("release/report.html").contains("by more than a factor of 76, the product"));
}

/// survey ME-26, PM-16: laws that were made from the data promise nothing, and say what they tell.
#[test]
fn laws_made_of_the_data_promise_nothing() {
    let dir = dir();
    for (perturb, said, reported) in [
        ("{ pram = 0.6 }", "tell the counts of all its values", "tell the counts of all its values"),
        ("{ gamma = 19 }", "declare `values`", "declare values"),
    ] {
        let set = format!("columns.ward={{ role = \"sensitive\", perturb = {perturb} }}");
        dir.expect(0, &["randomize", "job.toml", "--force", "--seed", "5", "--set", &set]).prints(said);
        let categories =
            dir.json("release/manifest.json")["model"]["columns"][2]["perturbation"]["categories"].clone();
        assert!(categories["protects"]["gamma"].is_null(), "{categories}");
        dir.expect(0, &["verify", "release"]).prints(said);
        assert!(dir.text("release/report.html").contains(reported));
    }
}

/// A noisy number can be what stood for a missing value; it is none.
#[test]
fn markers_of_missing_values_are_no_numbers() {
    let dir = Dir::new();
    let mut text = String::from("kept,x\n");
    for i in 0..500 {
        text.push_str(&format!("{},{}\n", if i % 5 == 0 { "-1" } else { "4" }, [-1, 0, 1, 2][i % 4]));
    }
    let job = "input.path = \"t.csv\"\ninput.missing = [\"\", \"-1\"]\noutput.folder = \"release\"\n[columns.kept]\nrole = \
               \"insensitive\"\n[columns.x]\nrole = \"quasi\"\nperturb = { noise = \"gaussian\", sd = 2.0, step = 1.0 }\n";
    dir.write("t.csv", text).write("job.toml", job);
    dir.expect(0, &["randomize", "job.toml", "--seed", "1", "--quiet"]);
    dir.expect(0, &["verify", "release"]).prints("125 are missing");
    let manifest = dir.json("release/manifest.json");
    assert_eq!(manifest["model"]["missing"], serde_json::json!([""]));
    let data = dir.text("release/data.csv");
    assert!(data.lines().any(|line| line.ends_with(",-1")) && !data.contains("\n-1,"), "{data}");
    let found = reconstruct(&dir, &["x"]);
    assert_eq!(found["columns"][0]["missing"], 125);
    assert_eq!(ask(&dir, "select avg(kept) from data")["lines"][0]["estimates"][0]["expected"], 4.0);
    // Where there is no release, the marker would come back from the respondents.
    dir.expect(2, &["randomize", "job.toml", "--model-only"]).says("input.missing");
}

/// A marker that is not declared is pointed to, for numbers as for categories.
#[test]
fn cells_that_are_no_numbers_may_be_missing_values() {
    let dir = Dir::new();
    let cells: String =
        (0..300).map(|at| if at % 9 == 0 { "0,\n".to_owned() } else { format!("0,{at}\n") }).collect();
    let job = "input.path = \"t.csv\"\ninput.missing = [\"NA\"]\n[columns.x]\nrole = \"quasi\"\nperturb = { noise = \
               \"gaussian\", sd = 50.0 }\n";
    dir.write("t.csv", format!("y,x\n{cells}")).write("job.toml", job);
    dir.expect(2, &["randomize", "job.toml"]).says("`input.missing`");
}

/// What intervals mean is said of the columns that are shown: whether each multiple of a unit has its own share, that they
/// hold at least what they say, and why they are wide.
#[test]
fn what_intervals_mean_is_said_as_it_is() {
    let dir = released();
    let said = |columns: &[&str]| dir.expect(0, &[&["reconstruct", "release"][..], columns].concat()).out;
    let (age, income, both) = (said(&["age"]), said(&["income"]), said(&["age", "income"]));
    for text in [&age, &income, &both] {
        assert!(
            text.contains("the truth with at least 95 %")
                && !text.contains("shares hold the truth with about")
        );
    }
    assert!(age.contains("each multiple may have any share") && !age.contains("even parts"), "{age}");
    assert!(!income.contains("each multiple") && income.contains("even parts"), "{income}");
    assert!(both.contains("each multiple") && both.contains("even parts"), "{both}");
    assert!(age.contains("the reconstruction did not fail"), "{age}");
    dir.expect(2, &["reconstruct", "."]).says("give the folder that `privet randomize` wrote");
    dir.expect(2, &["verify", "."]).says("`privet anonymize` or `privet randomize` wrote");
}

/// What is published and what is reconstructed, beside the original; and the owner's pages.
#[test]
fn a_perturbed_release_is_measured() {
    let dir = released();
    let measured = dir.expect(0, &["measure", "job.toml", "release", "--report", "m.html", "--json"]).json();
    assert!(!measured["utility"]["columns"].to_string().contains("null"), "{measured}");
    let figure = |figures: &Value, key: &str| {
        let own = figures.as_array().unwrap().iter().find(|own| own["key"] == key).cloned();
        own.unwrap_or_else(|| panic!("no {key}: {figures:#}"))["value"].as_f64().unwrap()
    };
    let column = |name: &str| {
        let columns = measured["utility"]["columns"].as_array().unwrap();
        columns.iter().find(|own| own["name"] == name).unwrap()["figures"].clone()
    };
    // One in five smokes; a fifth of all answers is turned round, and turned back.
    let smokes = column("smokes");
    assert!((figure(&smokes, "total-variation") - 0.12).abs() < 0.03, "{smokes:#}");
    assert!(figure(&smokes, "total-variation-reconstructed") < 0.05, "{smokes:#}");
    let age = column("age");
    assert_eq!(figure(&age, "mean-before"), 44.5);
    let [before, after, rebuilt] =
        ["deviation-before", "deviation-after", "deviation-reconstructed"].map(|key| figure(&age, key));
    assert!(after > before + 0.5 && (rebuilt - before).abs() < 0.5, "{before} {after} {rebuilt}");
    assert_eq!(figure(&column("sex"), "total-variation"), 0.0);
    assert!(figure(&measured["utility"]["figures"], "correlation-error") < 0.1);
    let page = dir.text("m.html");
    assert!(page.contains("Assessment of perturbed records") && page.contains("Do not publish"));
    assert!(!page.contains(CANARY));
    dir.expect(0, &["measure", "people.csv", "release"]).prints("Total variation distance, reconstructed");
    dir.expect(2, &["measure", "job.toml", "release", "--class", "smokes"]).says("--class");
    dir.expect(2, &["measure", "job.toml", "release", "--report", "release/m.html"]).says("release folder");
    dir.expect(0, &["attack", "release", "--original", "job.toml", "--report", "a.html", "--quiet"]);
    let page = dir.text("a.html");
    assert!(page.contains("Worst attack") && !page.contains(CANARY));
}
