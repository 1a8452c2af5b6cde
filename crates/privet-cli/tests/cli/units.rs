//! Units of perturbed numbers and dates: noise that rounding takes off, intervals of days; and numbers together.

use serde_json::Value;

use crate::dir::Dir;

const JOB: &str = "\
[input]
path = \"people.csv\"
[columns.age]
role = \"quasi\"
perturb = { noise = \"gaussian\", sd = 2.0 }
[columns.income]
role = \"sensitive\"
perturb = { noise = \"gaussian\", sd = 1000.0 }
[columns.born]
role = \"sensitive\"
perturb = { noise = \"uniform\", sd = 3.0 }
[output]
folder = \"release\"
";

/// 1000 people: an age that every tenth lacks, an income that grows with it, in thousands, and a day of half a year.
fn dir() -> Dir {
    let mut text = String::from("age,income,born\n");
    for i in 0..1000u32 {
        let age = 20 + i * 7 % 53;
        let told = if i % 10 == 3 { String::new() } else { age.to_string() };
        let (month, day) = (1 + i * 5 % 6, 1 + i * 11 % 28);
        text.push_str(&format!("{told},{},2020-{month:02}-{day:02}\n", 1000 * (age + i * 3 % 17)));
    }
    let dir = Dir::new();
    dir.write("people.csv", text).write("job.toml", JOB);
    dir
}

/// Incomes in thousands behind noise of a hundred would be published as they are, to whoever rounds them.
#[test]
fn noise_below_a_unit_is_refused_by_everybody() {
    let dir = dir();
    for (setting, said) in [
        ("columns.income.perturb.sd=100.0", "a unit of 1000 that all values share"),
        ("columns.income.perturb.sd=100.0", "at least 1000 is accepted"),
        (
            "columns.income.perturb={ noise = \"correlated\", factor = 0.001 }",
            "a unit of 1000 that all values share",
        ),
        (
            "columns.age.perturb={ noise = \"gaussian\", sd = 2.0, unit = 1000.0 }",
            "the unit that is declared",
        ),
    ] {
        dir.expect(2, &["randomize", "job.toml", "--set", setting]).says(said);
        assert_eq!(dir.names(""), ["job.toml", "people.csv"], "{setting}");
    }
    // Years that are written as days.
    let years: String = (0..400).map(|i| format!("{},1,{}-01-01\n", 20 + i % 7, 1930 + i * 7 % 60)).collect();
    dir.write("years.csv", format!("age,income,born\n{years}"));
    let of_years = [
        "randomize",
        "job.toml",
        "--set",
        "input.path=\"years.csv\"",
        "--set",
        "columns.income.role=identifier",
    ];
    let job = JOB.replace(
        "role = \"sensitive\"\nperturb = { noise = \"gaussian\", sd = 1000.0 }",
        "role = \"insensitive\"",
    );
    dir.write("job.toml", job);
    dir.expect(2, &of_years[..4]).says("below a year").says("at least 366 is accepted");
    dir.expect(
        0,
        &[&of_years[..4], &["--set", "columns.born.perturb.sd=366.0", "--output", "years", "--quiet"]]
            .concat(),
    );
    dir.write("job.toml", JOB);
    // Where the noise hides it, what all values are multiples of is told.
    dir.expect(0, &["randomize", "job.toml", "--seed", "4", "--quiet"]);
    let told = &dir.json("release/manifest.json")["model"]["columns"][1]["perturbation"]["noise"]["unit"];
    assert_eq!(*told, 1000.0);
    dir.expect(0, &["verify", "release", "--quiet"]);
    let mut manifest = privet_release::PerturbedManifest::parse(&dir.bytes("release/manifest.json")).unwrap();
    let mut value = serde_json::to_value(&manifest).unwrap();
    value["model"]["columns"][1]["perturbation"]["noise"]["unit"] = 2000.0.into();
    manifest = serde_json::from_value(value).unwrap();
    dir.write("release/manifest.json", manifest.to_json_sealed().unwrap());
    dir.expect(1, &["verify", "release"]).prints("FAIL  law of column 2").prints("below the unit");
    // Respondents neither get nor use such a law.
    let model = ["randomize", "job.toml", "--model-only", "--output", "model.json", "--set"];
    let unit =
        |unit: f64| format!("columns.income.perturb={{ noise = \"uniform\", sd = 1000.0, unit = {unit:?} }}");
    dir.expect(2, &[&model[..], &[&unit(2000.0)]].concat()).says("the unit that is declared");
    dir.expect(0, &[&model[..], &[&unit(1000.0), "--set", "columns.born.perturb.dates=true"]].concat());
    let text = dir.text("model.json");
    let forged = text.replacen("\"unit\": 1000.0", "\"unit\": 2000.0", 1);
    assert_ne!(text, forged);
    dir.write("forged.json", forged);
    dir.expect(2, &["randomize", "people.csv", "--model", "forged.json", "--output", "sent.csv"])
        .says("not what it says")
        .says("below the unit");
    assert!(!dir.path("sent.csv").exists());
    dir.expect(0, &["randomize", "people.csv", "--model", "model.json", "--output", "sent.csv", "--quiet"]);
}

/// Correlated noise has no deviation in its law; the published numbers tell it.
#[test]
fn correlated_noise_below_a_unit_is_seen_in_the_records() {
    let dir = dir();
    let setting = "columns.income.perturb={ noise = \"correlated\", factor = 0.5 }";
    dir.expect(0, &["randomize", "job.toml", "--quiet", "--seed", "4", "--set", setting]);
    dir.expect(0, &["verify", "release", "--quiet"]);
    let mut manifest = privet_release::PerturbedManifest::parse(&dir.bytes("release/manifest.json")).unwrap();
    let mut value = serde_json::to_value(&manifest).unwrap();
    value["model"]["columns"][1]["perturbation"]["noise"]["unit"] = 100_000.0.into();
    manifest = serde_json::from_value(value).unwrap();
    dir.write("release/manifest.json", manifest.to_json_sealed().unwrap());
    dir.expect(1, &["verify", "release"]).prints("FAIL  values").prints("below the unit");
}

/// Whoever lacks a number is linked to those who lack it, and named by the row of the original.
#[test]
fn people_who_lack_a_number_are_named_rightly() {
    let dir = dir();
    // Everybody has an income of their own, far from that of others.
    let text: String = (0..300u32)
        .map(|i| {
            let age = if i % 10 == 3 { String::new() } else { (20 + i % 50).to_string() };
            format!("{age},{},2020-01-{:02}\n", 5000 + i * 977 + i * i % 89, 1 + i % 28)
        })
        .collect();
    dir.write("people.csv", format!("age,income,born\n{text}"));
    dir.expect(
        0,
        &["randomize", "job.toml", "--quiet", "--seed", "4", "--set", "columns.income.perturb.sd=30.0"],
    );
    dir.expect(
        0,
        &[
            "attack",
            "release",
            "--original",
            "people.csv",
            "--attacks",
            "noise-linkage",
            "--people",
            "who.csv",
        ],
    )
    .prints("who lack the same");
    let who = dir.text("who.csv");
    assert_eq!(who.lines().count(), 301);
    for (at, line) in who.lines().skip(1).enumerate() {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells[0], format!("record {}", at + 1));
        assert_eq!(
            (cells[4], cells[5], cells[7]),
            ("yes", &*format!("original record {}", at + 1), "yes"),
            "{line}"
        );
    }
}

/// Both ends of an interval of dates are days that are in it, and no day is in none.
#[test]
fn intervals_of_dates_begin_and_end_with_days() {
    let dir = dir();
    dir.expect(0, &["randomize", "job.toml", "--quiet", "--seed", "4"]);
    let text = dir.expect(0, &["reconstruct", "release", "born", "--bins", "9"]).out;
    let day = |text: &str| privet_data::Kind::Date.number(text);
    let ends: Vec<(f64, f64)> = text
        .lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            Some((day(words.next()?)?, day(words.next()?)?))
        })
        .collect();
    assert!(ends.len() > 5 && ends.iter().all(|own| own.0 <= own.1), "{text}");
    assert!(ends.windows(2).all(|own| own[0].1 + 1.0 == own[1].0), "{text}");
    let found = dir.expect(0, &["reconstruct", "release", "born", "--bins", "9", "--json"]).json();
    let bins = found["columns"][0]["bins"].as_array().unwrap();
    assert_eq!(bins.len(), ends.len());
    for (bin, (from, to)) in bins.iter().zip(&ends) {
        assert_eq!(bin["from"].as_f64().unwrap(), *from);
        assert!(bin["to"].as_f64().unwrap() - to <= 1.0);
    }
}

/// survey US-15: means and covariances of all numbers together, from what noise and gaps leave of them.
#[test]
fn numbers_are_estimated_together() {
    let dir = dir();
    dir.expect(0, &["randomize", "job.toml", "--quiet", "--seed", "4"]);
    let found = dir.expect(0, &["reconstruct", "release", "age", "income", "--together", "--json"]).json();
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{value}"));
    // Ages are 20 to 72, evenly, and incomes 1000 times that and 0 to 16.
    let (age, income) = (&found["columns"][0], &found["columns"][1]);
    assert_eq!((age["missing"].as_u64(), found["converged"].as_bool()), (Some(100), Some(true)), "{found:#}");
    for (own, key, truth) in [
        (age, "mean", 46.0),
        (income, "mean", 54_000.0),
        (age, "variance", 234.0),
        (income, "variance", 258e6),
    ] {
        let error = number(&own[format!("{key}_standard_error")]);
        assert!((number(&own[key]) - truth).abs() < 5.0 * error && error < 0.1 * truth, "{key} {own:#}");
    }
    let pair = &found["pairs"][0];
    assert!(
        (number(&pair["covariance"]) - 234_000.0).abs() < 5.0 * number(&pair["standard_error"]),
        "{pair:#}"
    );
    assert!(number(&pair["correlation"]) > 0.9, "{pair:#}");
    dir.expect(0, &["reconstruct", "release", "--together"])
        .prints("covariance")
        .prints("born")
        .prints("population");
    dir.expect(2, &["reconstruct", "release", "--together", "--by", "age"]).says("--by");
    dir.expect(2, &["reconstruct", "release", "height", "--together"]).says("no column");
    let multiplied = "columns.income.perturb={ noise = \"multiplicative\", sd = 0.2 }";
    dir.expect(0, &["randomize", "job.toml", "--quiet", "--force", "--set", multiplied]);
    dir.expect(2, &["reconstruct", "release", "income", "--together"]).says("noise multiplies");
    dir.expect(0, &["reconstruct", "release", "--together"]).prints("Not used: income");
    // Of what respondents sent, and of noise that is correlated as the data are.
    let both = ["age", "income"]
        .map(|name| format!("columns.{name}.perturb={{ noise = \"correlated\", factor = 0.5 }}"));
    let whole: String = dir
        .text("people.csv")
        .lines()
        .filter(|line| !line.starts_with(','))
        .map(|own| format!("{own}\n"))
        .collect();
    dir.write("people.csv", whole);
    dir.expect(
        0,
        &["randomize", "job.toml", "--quiet", "--force", "--seed", "9", "--set", &both[0], "--set", &both[1]],
    );
    let found = dir.expect(0, &["reconstruct", "release", "age", "income", "--together", "--json"]).json();
    let pair = &found["pairs"][0];
    assert!(
        (number(&pair["covariance"]) - 234_000.0).abs() < 5.0 * number(&pair["standard_error"]),
        "{pair:#}"
    );
}
