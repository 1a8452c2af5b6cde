//! `privet judge`, and the laws of sets and classifiers of `privet randomize` and `privet reconstruct`.

use crate::dir::{CANARY, Dir};

/// Baskets of up to three of five items, and a number whose distribution differs by class; 3000 records by a fixed rule.
fn baskets() -> String {
    let mut text = String::from("name,class,basket,score\n");
    for i in 0..3000u32 {
        let basket = ["", "bread", "bread; milk", "bread;milk;eggs", "salt"][(i % 5) as usize];
        let class = ["low", "high"][(i % 2) as usize];
        // Low: 0 to 39, high: 60 to 99, evenly.
        let score = (i / 2 * 7) % 40 + 60 * (i % 2);
        text.push_str(&format!("{CANARY}-{i},{class},{basket},{score}\n"));
    }
    text
}

const JOB: &str = "\
[input]
path = \"baskets.csv\"
[columns.name]
role = \"identifier\"
[columns.class]
role = \"insensitive\"
[columns.basket]
role = \"sensitive\"
values = [\"bread\", \"milk\", \"eggs\", \"salt\", \"tea\"]
perturb = { items = \"select-a-size\", size = 3, add = 0.2, gamma = 19 }
[columns.score]
role = \"sensitive\"
perturb = { noise = \"gaussian\", sd = 40.0 }
[output]
folder = \"release\"
";

fn dir() -> Dir {
    let dir = Dir::new();
    dir.write("baskets.csv", baskets()).write("job.toml", JOB);
    dir
}

fn released() -> Dir {
    let dir = dir();
    dir.expect(0, &["randomize", "job.toml", "--seed", "7", "--quiet"]);
    dir
}

#[test]
fn baskets_are_randomized_verified_and_their_supports_recovered() {
    let dir = dir();
    dir.expect(0, &["randomize", "job.toml", "--seed", "7"])
        .prints("select-a-size over 5 items")
        .prints("at most 19");
    dir.expect(0, &["verify", "release"]).prints("its original set by a factor of at most 19");
    assert!(dir.text("release/report.html").contains("select-a-size"));
    // bread in 1800, bread and milk in 1200, tea in none.
    let found = dir
        .expect(
            0,
            &[
                "reconstruct",
                "release",
                "--itemset",
                "bread",
                "--itemset",
                "bread,milk",
                "--itemset",
                "tea",
                "--json",
            ],
        )
        .json();
    let sets = found["columns"][0]["sets"].as_array().unwrap();
    assert_eq!((found["columns"].as_array().unwrap().len(), sets.len()), (1, 3));
    for (own, truth) in sets.iter().zip([1800.0, 1200.0, 0.0]) {
        let (support, error) = (own["support"].as_f64().unwrap(), own["standard_error"].as_f64().unwrap());
        // Six standard errors: a false alarm of 2e-9, and the seed is fixed.
        assert!((support - truth).abs() <= 6.0 * error && error < 300.0, "{own}");
        assert!(own["low"].as_f64().unwrap() < support && support < own["high"].as_f64().unwrap());
    }
    dir.expect(0, &["reconstruct", "release", "basket"]).prints("bread").prints("support");
    dir.expect(0, &["reconstruct", "release", "basket", "--by", "class"]).prints("class = high");
    for wrong in ["beer", "bread,bread"] {
        dir.expect(2, &["reconstruct", "release", "--itemset", wrong]).says("--itemset");
    }
    dir.expect(2, &["answer", "release", "select count(*) from data where basket = 'tea'"]).says("--itemset");
    dir.expect(2, &["answer", "release", "select basket, count(*) from data group by basket"])
        .says("--itemset");
    dir.expect(0, &["attack", "release"]);
}

#[test]
fn forged_sets_are_found() {
    let dir = released();
    let data = dir.text("release/data.csv").replacen("bread", "beer", 1);
    dir.write("release/data.csv", data);
    dir.expect(1, &["verify", "release"]).prints("FAIL  file data.csv").prints("FAIL  values");
    let dir = released();
    let mut manifest = privet_release::PerturbedManifest::parse(&dir.bytes("release/manifest.json")).unwrap();
    let mut value = serde_json::to_value(&manifest).unwrap();
    value["model"]["columns"][1]["perturbation"]["items"]["protects"]["gamma"] = 2.0.into();
    manifest = serde_json::from_value(value).unwrap();
    dir.write("release/manifest.json", manifest.to_json_sealed().unwrap());
    dir.expect(1, &["verify", "release"]).prints("another γ");
}

#[test]
fn laws_of_sets_need_their_keys_and_their_items() {
    let dir = dir();
    for (setting, said) in [
        ("columns.basket.perturb.size=2", "sets of more items than `size`, in 600 records"),
        ("columns.basket.perturb.add=0", "above 0"),
        ("columns.basket.perturb.separator=\",\"", "outside of the declared ones"),
        (
            "columns.basket.values=[\"bread\", \"milk\", \"eggs\"]",
            "outside of the declared ones, in 600 records",
        ),
        ("columns.basket.perturb={ items = \"select-a-size\", add = 0.1, gamma = 3 }", "perturb.size"),
        ("columns.basket.perturb={ items = \"select-a-size\", size = 3, add = 0.1 }", "either `gamma`"),
        ("columns.basket.perturb={ items = \"magic\", size = 3 }", "select-a-size"),
        (
            "columns.basket={ role = \"sensitive\", perturb = { items = \"select-a-size\", size = 3, add = 0.1, gamma = 3 } }",
            "must be declared",
        ),
        ("columns.score.perturb={ noise = \"gaussian\", sd = 4.0, size = 3 }", "perturb.size"),
    ] {
        dir.expect(2, &["randomize", "job.toml", "--set", setting]).says(said);
    }
    assert_eq!(dir.names(""), ["baskets.csv", "job.toml"]);
    // Respondents send sets too.
    dir.expect(0, &["randomize", "job.toml", "--model-only", "--output", "model.json", "--quiet"]);
    dir.expect(0, &["randomize", "baskets.csv", "--model", "model.json", "--output", "sent.csv", "--quiet"]);
    dir.expect(0, &["reconstruct", "sent.csv", "basket", "--model", "model.json"]).prints("bread");
    dir.write("one.csv", "class,basket,score\nlow,beer,1\n");
    dir.expect(2, &["randomize", "one.csv", "--model", "model.json"]).says("line 2");
}

/// A γ that was asked for holds, or nothing is published: what becomes 0 in writing excludes originals.
#[test]
fn laws_of_large_sets_hold_their_gamma_or_are_refused() {
    let dir = dir();
    let items: Vec<String> = (0..150).map(|item| format!("\"item{item}\"")).collect();
    let values = format!("\"bread\", \"milk\", \"eggs\", \"salt\", \"tea\", {}", items.join(", "));
    let job = JOB
        .replace("\"bread\", \"milk\", \"eggs\", \"salt\", \"tea\"", &values)
        .replace("size = 3, add = 0.2", "size = 150, add = 0.001");
    dir.write("job.toml", job);
    dir.expect(2, &["randomize", "job.toml"]).says("too small to write down");
    dir.expect(2, &["judge", "job.toml", "--column", "basket"]).says("too small to write down");
    assert_eq!(dir.names(""), ["baskets.csv", "job.toml"]);
}

#[test]
fn classifiers_learn_from_what_was_reconstructed() {
    let dir = released();
    fn learn<'a>(more: &[&'a str]) -> Vec<&'a str> {
        [&["reconstruct", "release", "--class", "class"][..], more].concat()
    }
    dir.expect(0, &learn(&[]))
        .prints("Naive Bayes tells `class` from score")
        .prints("--test FILE")
        .prints("basket; it is perturbed");
    for (learner, by) in [("naive-bayes", "class"), ("tree", "class"), ("tree", "global"), ("tree", "local")]
    {
        let args = learn(&["--learner", learner, "--by", by, "--test", "baskets.csv", "--json"]);
        let found = dir.expect(0, &args).json();
        let rate = |name: &str| found["test"][name]["rate"].as_f64().unwrap();
        assert_eq!(found["test"]["reconstructed"]["of"], 3000);
        assert!((rate("most_frequent") - 0.5).abs() < 1e-9, "{found}");
        // The classes do not overlap: from true records nearly all are told; noise as wide as a class leaves most.
        assert!(rate("reconstructed") > 0.9 && rate("perturbed") > 0.6, "{found}");
    }
    dir.expect(0, &learn(&["--learner", "tree", "--test", "baskets.csv"]))
        .prints("learned from published numbers");
    for (more, said) in [
        (&["--by", "global"][..], "--learner tree"),
        (&["--by", "sex", "--learner", "tree"], "`class`, `global` or `local`"),
        (&["--bins", "1"], "--bins"),
        (&["--test", "none.csv"], "none.csv"),
        (&["--test", "job.toml"], "privet: "),
    ] {
        dir.expect(2, &learn(more)).says(said);
    }
    dir.expect(2, &["reconstruct", "release", "--class", "score"]).says("perturbed");
    dir.expect(2, &["reconstruct", "release", "--class", "none"]).says("no column");
    dir.expect(2, &["reconstruct", "release", "basket", "--class", "class"]).says("categories");
    dir.write("other.csv", format!("class,score\nlow,{CANARY}\n"));
    dir.expect(2, &learn(&["--test", "other.csv"])).says("neither missing nor numbers");
    dir.write("empty.csv", "class,score\n");
    dir.expect(2, &learn(&["--test", "empty.csv"])).says("no record");
}

#[test]
fn models_matrices_and_views_are_judged() {
    let dir = dir();
    dir.expect(0, &["randomize", "job.toml", "--model-only", "--output", "model.json", "--quiet"]);
    dir.expect(0, &["judge", "model.json"]).prints("basket").prints("promise no bound on what is told");
    // A missing set is the empty one, and nothing of a set is published as it is.
    let sets = dir.expect(0, &["judge", "job.toml", "--column", "basket", "--gamma", "19"]).prints("holds");
    assert!(sets.prints("empty or missing is a set").out.matches("published as it is").count() == 0);
    dir.expect(1, &["judge", "job.toml", "--column", "basket", "--gamma", "18"]).prints("FAILS");
    dir.expect(1, &["judge", "model.json", "--gamma", "1000"]).prints("no bound");
    let args = ["judge", "model.json", "--data", "baskets.csv", "--column", "score", "--k", "200", "--json"];
    let found = dir.expect(0, &args).json();
    assert!(found["points"]["least_expected"].as_f64().unwrap() > 200.0, "{found}");
    assert!(found["points"]["least_factor"].as_f64().unwrap() < 1.0, "{found}");
    dir.expect(1, &["judge", "model.json", "--data", "baskets.csv", "--k", "1490"])
        .prints("FAILS")
        .prints("in expectation: every sd times");
    // The class and the basket may single somebody out as well, and are not counted.
    dir.expect(1, &["judge", "model.json", "--data", "baskets.csv", "--k", "200"])
        .prints("FAILS  by score alone")
        .prints("are published too and not counted");
    dir.expect(0, &["judge", "model.json", "--data", "baskets.csv", "--column", "score", "--k", "200"])
        .prints("holds  by score alone");
    dir.expect(2, &["judge", "model.json", "--k", "2"]).says("--data");
    dir.write("matrix.csv", ",yes,no\nyes,0.8,0.2\nno,0.2,0.8\n");
    dir.expect(0, &["judge", "matrix.csv", "--alpha", "0.1", "--beta", "0.5"])
        .prints("factor of at most 4")
        .prints("that one is missing is published as it is");
    // survey PM-18: ln 9 where a person is replaced, half of it where one is added or removed, as privet query does by default.
    dir.expect(0, &["judge", "matrix.csv", "--alpha", "0.1", "--beta", "0.5"]).prints(
        "of up to 1.0986 where neighbouring tables add or remove a person, as by default, and 2.1972",
    );
    dir.expect(1, &["judge", "matrix.csv", "--alpha", "0.2", "--beta", "0.5"]).prints("The worst breach");
    dir.expect(2, &["judge", "matrix.csv", "--alpha", "0.2"]).says("--beta");
    dir.write(
        "view.toml",
        "[view]\ntuples = [\"Bruce\", \"Cary\"]\nsecret = { holds = [\"Bruce\"] }\npublished = [{ count = [\"Bruce\", \"Cary\"] }]\n",
    );
    dir.expect(0, &["judge", "view.toml"]).prints("Not perfectly private");
    dir.expect(1, &["judge", "view.toml", "--perfect"]).prints("FAILS");
    dir.expect(2, &["judge", "none.json"]).says("none.json");
    // A release is judged as its model.
    dir.expect(0, &["randomize", "job.toml", "--seed", "7", "--quiet"]);
    dir.expect(0, &["judge", "release", "--column", "basket", "--gamma", "19.5", "--quiet"]);
}

/// The least noise is told for what was asked: in expectation, or with a probability.
#[test]
fn the_least_noise_is_that_of_the_requirement() {
    let dir = Dir::new();
    dir.write("points.csv", "x\n0\n1\n2\n10\n")
        .write("noise.toml", "[noise]\ndata = \"points.csv\"\nsd = { x = 1.0 }\n");
    dir.expect(1, &["judge", "noise.toml", "--k", "1"]).prints("this k in expectation: every sd times");
    dir.expect(1, &["judge", "noise.toml", "--k", "1", "--probability", "0.4"])
        .prints("by x alone, with probability 0.4")
        .prints("shown with probability 0.4: every sd times");
    dir.expect(1, &["judge", "noise.toml", "--k", "1", "--probability", "0.9"])
        .prints("No noise was found for which this k is shown with probability 0.9");
}

/// A record that equals another one counts half, and that is said, with what the strict inequality gives. Φ(−2.5) is
/// 0.00621: 0 and 5 fit each other with that, two equal records one another with 1/2 or, strictly, not.
#[test]
fn equal_records_are_told() {
    let dir = Dir::new();
    dir.write("points.csv", "x\n0\n0\n5\n")
        .write("noise.toml", "[noise]\ndata = \"points.csv\"\nsd = { x = 1.0 }\n");
    dir.expect(0, &["judge", "noise.toml"])
        .prints("0.0124 at least")
        .prints("2 records have the same numbers as another one")
        .prints("Taken strictly it counts 0, and 0.0062 at least are expected.");
    let found = dir.expect(0, &["judge", "noise.toml", "--k", "0.01", "--json"]).json();
    let points = &found["points"];
    assert_eq!(
        (&points["with_equal"], &points["below_k"], &points["below_k_strictly"]),
        (&2.into(), &0.into(), &2.into())
    );
    dir.write("points.csv", "x\n0\n1\n5\n");
    let found = dir.expect(0, &["judge", "noise.toml"]);
    assert!(!found.out.contains("strictly"), "{found:?}");
}

/// The limit of draws stands where they are asked for, not only in the refusal.
#[test]
fn the_limit_of_draws_is_told() {
    let help =
        Dir::new().expect(0, &["judge", "--help"]).out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("20,000,000,000 comparisons at most: 1,414 records"), "{help}");
}

/// Flags that would change nothing are refused.
#[test]
fn unused_flags_are_refused() {
    let dir = dir();
    dir.write("matrix.csv", "value,a,b\na,0.8,0.2\nb,0.2,0.8\n");
    for flag in [["--draws", "50"], ["--seed", "3"]] {
        dir.expect(2, &[&["judge", "matrix.csv"][..], &flag].concat()).says("--probability");
    }
    dir.write("points.csv", "x\n0\n1\n5\n")
        .write("noise.toml", "[noise]\ndata = \"points.csv\"\nsd = { x = 2.0 }\n");
    dir.expect(2, &["judge", "noise.toml", "--prior", "0.2"]).says("--prior");
}
