//! Records that were changed by chance are attacked before they are handed over.

use serde_json::Value;

use crate::dir::{CANARY, Dir};

/// 400 people: an age, a weight that almost follows it, a sex, an illness.
fn table() -> String {
    let mut text = String::from("name,age,weight,sex,illness\n");
    for i in 0..400u32 {
        let (age, more) = (20 + (i * 37) % 61, (i * 53) % 11);
        let (sex, ill) = (["F", "M"][(i % 2) as usize], ["flu", "cold", "none"][(i * 7 % 3) as usize]);
        text.push_str(&format!("{CANARY}-{i},{age},{},{sex},{ill}\n", 40 + age + more));
    }
    text
}

const LAWS: &str = "\
input.path = \"people.csv\"
[columns.name]
role = \"identifier\"
[columns.age]
role = \"quasi\"
perturb = { noise = \"gaussian\", sd = 3.0 }
[columns.weight]
role = \"quasi\"
perturb = { noise = \"gaussian\", sd = 30.0 }
[columns.sex]
role = \"quasi\"
values = [\"F\", \"M\"]
perturb = { gamma = 3 }
[columns.illness]
role = \"sensitive\"
[output]
folder = \"release\"
";

/// The same columns, by another method.
fn by(method: &str) -> String {
    let roles = ["age", "weight", "sex"].map(|name| format!("[columns.{name}]\nrole = \"quasi\"\n")).concat();
    format!(
        "input.path = \"people.csv\"\n[columns.name]\nrole = \"identifier\"\n{roles}[columns.illness]\nrole = \
         \"sensitive\"\n[randomize]\n{method}\n[output]\nfolder = \"release\"\n"
    )
}

fn dir(job: &str) -> Dir {
    let dir = Dir::new();
    dir.write("people.csv", table()).write("job.toml", job);
    dir
}

fn words(all: &Value) -> Vec<&str> {
    all.as_array().unwrap().iter().map(|own| own["attack"].as_str().unwrap()).collect()
}

/// The owner is told how many fall; readers are told what the release shows, and what was not tried.
#[test]
fn a_perturbed_release_is_attacked_before_it_is_handed_over() {
    let dir = dir(LAWS);
    let run = dir.expect(0, &["randomize", "job.toml", "--seed", "7", "--json"]).json();
    let made = words(&run["attacks"]);
    for word in ["best-linear-estimate", "spectral-filter", "noise-linkage"] {
        assert!(made.contains(&word), "{word} {made:?}");
    }
    assert!(words(&run["not_made"]).contains(&"averaging"), "{run}");
    // Weights follow ages, which have little noise: most of theirs is filtered out.
    let of =
        |word: &str| run["attacks"].as_array().unwrap().iter().find(|own| own["attack"] == word).unwrap();
    assert!(of("best-linear-estimate")["risk"].as_f64().unwrap() > 0.5, "{run}");
    assert!(of("noise-linkage")["control"].is_object());
    let (page, told) = (dir.text("release/report.html"), dir.json("release/report.json"));
    assert!(page.contains("Attacks, and who would fall") && page.contains("Not made"));
    assert_eq!(words(&told["attacks"]), made);
    assert_eq!(told["not_made"], run["not_made"]);
    for own in told["attacks"].as_array().unwrap() {
        assert!(own["control"].is_null() && own["right"].is_null(), "{own}");
        let notes = own["notes"].to_string();
        assert!(!notes.contains("recovers") && !notes.contains("right one"), "{notes}");
    }
    dir.expect(0, &["verify", "release", "--quiet"]);
    // What `privet attack` finds is the same.
    let later = dir.expect(0, &["attack", "release", "--original", "people.csv", "--json"]).json();
    assert_eq!(later["attacks"], run["attacks"]);
    dir.expect(0, &["randomize", "job.toml", "--force"]).prints("Attacked first").prints("Not tried: ");
}

#[test]
fn what_falls_to_an_attack_is_not_handed_over() {
    let swap = by("method = \"swap\"\nswap = \"rank\"\ncolumns = [\"age\", \"weight\"]\npercent = 1");
    let synthetic = by("method = \"synthetic\"\nmodel = \"cart\"\nscope = \"full\"\ncopies = 2");
    for (job, attack) in [(LAWS, "best-linear-estimate"), (&swap, "homogeneity"), (&synthetic, "homogeneity")]
    {
        let dir = dir(job);
        let limit = |risk: &str| format!("adversary.max-risk={risk}");
        let named = format!("adversary.attacks=[\"{attack}\"]");
        dir.expect(1, &["randomize", "job.toml", "--set", &limit("0.01")])
            .says("no release was written")
            .says("wider noise");
        dir.expect(1, &["randomize", "job.toml", "--set", &limit("0.01"), "--set", &named])
            .says(&format!("the attack `{attack}`"));
        assert_eq!(dir.names(""), ["job.toml", "people.csv"]);
        dir.expect(0, &["randomize", "job.toml", "--set", &limit("1.0"), "--quiet"]);
        let told = dir.json("release/report.json");
        assert!(!told["attacks"].as_array().unwrap().is_empty(), "{told}");
        assert!(dir.text("release/report.html").contains("Attacks, and who would fall"));
        dir.expect(0, &["verify", "release", "--quiet"]);
    }
}

#[test]
fn what_an_adversary_cannot_be_here_is_refused() {
    let other = dir(&by("method = \"synthetic\"\nmodel = \"cart\"\nscope = \"full\""));
    let dir = dir(LAWS);
    for (setting, said) in [
        ("adversary.attacks=[\"homogeneity\"]", "`best-linear-estimate`"),
        ("adversary.countermeasure=\"p-safe\"", "nothing is searched here"),
        ("adversary.confidence=0.0", "adversary.confidence"),
        ("adversary.max-risk=2.0", "adversary.max-risk"),
        ("adversary.knowledge=\"none.toml\"", "none.toml"),
    ] {
        dir.expect(2, &["randomize", "job.toml", "--set", setting]).says(said);
        assert_eq!(dir.names(""), ["job.toml", "people.csv"], "{setting}");
    }
    // A limit that nothing shows to be kept.
    let asked = "adversary={ attacks = [\"wavelet-filter\"], max-risk = 0.5 }";
    dir.expect(2, &["randomize", "job.toml", "--set", asked]).says("asks for `wavelet-filter");
    let asked = "adversary.attacks=[\"spectral-filter\"]";
    other.expect(2, &["randomize", "job.toml", "--set", asked]).says("`reproduction`");
    let asked = "adversary={ attacks = [\"membership\"], max-risk = 0.5 }";
    other.expect(2, &["randomize", "job.toml", "--set", asked]).says("[control]");
    // Where no data is read nothing can be attacked.
    let model = ["randomize", "job.toml", "--model-only", "--output", "model.json", "--quiet"];
    dir.expect(0, &[&model[..], &["--set", "adversary.max-risk=0.0"]].concat());
}

/// Two releases of one table, each with noise of its own, are averaged; what is published again is not.
#[test]
fn two_perturbed_releases_are_averaged() {
    let dir = dir(LAWS);
    for (folder, seed) in [("release", "1"), ("second", "2"), ("again", "1")] {
        dir.expect(0, &["randomize", "job.toml", "--seed", seed, "--output", folder, "--quiet"]);
    }
    let attack = |knowledge: &str, more: &[&str]| {
        dir.write("known.toml", knowledge);
        let all = ["attack", "release", "--knowledge", "known.toml", "--original", "people.csv", "--json"];
        dir.expect(0, &[&all[..], more].concat()).json()
    };
    let of = |found: &Value| {
        let all = found["attacks"].as_array().unwrap();
        all.iter().find(|own| own["attack"] == "averaging").cloned()
    };
    let found = of(&attack("[[releases]]\nfolder = \"second\"\n", &[])).unwrap();
    // Half of the variance is left: a half deviation holds 52 of 100 errors, where it held 38.
    assert!(
        found["notes"][0].as_str().unwrap().starts_with("Averaging the columns with noise over two releases")
    );
    assert!((0.4..0.65).contains(&found["risk"].as_f64().unwrap()), "{found}");
    assert!(found["control"].is_object(), "{found}");
    let named = attack("[[releases]]\nfolder = \"second\"\n", &["--attacks", "averaging"]);
    assert_eq!(words(&named["attacks"]), ["averaging"]);
    let again = attack("[[releases]]\nfolder = \"again\"\n", &[]);
    let why = again["not_made"].as_array().unwrap().iter().find(|own| own["attack"] == "averaging").unwrap();
    assert!(of(&again).is_none() && why["why"].as_str().unwrap().contains("no new noise"), "{again}");
    // Without the original, what is expected is told.
    let alone = dir.expect(0, &["attack", "second", "--knowledge", "known.toml", "--json"]).json();
    assert!(of(&alone).unwrap()["notes"][0].as_str().unwrap().contains("expected to leave"), "{alone}");
    let refused = |knowledge: &str, said: &str| {
        dir.write("known.toml", knowledge);
        dir.expect(2, &["attack", "release", "--knowledge", "known.toml"]).says(said);
    };
    refused("[[releases]]\nfolder = \"second\"\nindependent = true\n", "must be of the same table");
    refused("[[releases]]\nfolder = \"nowhere\"\n", "`privet randomize` wrote");
    let mut lines: Vec<String> = table().lines().map(str::to_owned).collect();
    lines[1..].reverse();
    dir.write("turned.csv", lines.join("\n"));
    let turned = ["randomize", "job.toml", "--set", "input.path=turned.csv", "--output", "turned", "--quiet"];
    dir.expect(0, &turned);
    refused("[[releases]]\nfolder = \"turned\"\n", "in another order");
    lines.pop();
    dir.write("turned.csv", lines.join("\n"));
    dir.expect(0, &[&turned[..], &["--force"]].concat());
    refused("[[releases]]\nfolder = \"turned\"\n", "has 399 records, and the release 400");
}

/// What is made with values of the original is counted by it: the owner is told, readers are not.
#[test]
fn attacks_that_only_the_original_scores_stay_at_home() {
    let dir = dir(&format!("{LAWS}[adversary]\nknowledge = \"k.toml\"\n"));
    dir.write("k.toml", "[time]\nknown = 20\n");
    let told = dir.expect(0, &["randomize", "job.toml", "--json"]).json();
    assert!(told.to_string().contains("known-points"), "{told}");
    let public = dir.json("release/report.json").to_string();
    assert!(public.contains("spectral-filter") && !public.contains("\"attack\":\"known-points"), "{public}");
}
