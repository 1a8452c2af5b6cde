//! `privet attack` on perturbed releases: columns that others give away, and categories whose law is published.

use serde_json::Value;

use crate::dir::Dir;

/// Numbers from 0 on that look drawn, the same every time.
fn drawn(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    }
}

fn of<'a>(found: &'a Value, attack: &str) -> &'a Value {
    let all = found["attacks"].as_array().unwrap();
    all.iter().find(|own| own["attack"] == attack).unwrap_or_else(|| panic!("{attack}: {found:#}"))
}

/// survey AT-16: a tax that follows from an income which is published as it is has no secret left, however many columns with
/// unrelated noise stand beside it.
#[test]
fn unrelated_columns_hide_no_recovered_one() {
    let mut draw = drawn(3);
    let mut text = String::from("income,tax,a,b,c,d,e\n");
    for _ in 0..600 {
        let income = 20_000 + draw(80_000);
        let mut others = || 1_000 + draw(9_000);
        let others = [others(), others(), others(), others(), others()].map(|own| own.to_string());
        text.push_str(&format!("{income},{},{}\n", income / 5, others.join(",")));
    }
    let noisy = |name: &str| {
        format!("[columns.{name}]\nrole = \"sensitive\"\nperturb = {{ noise = \"gaussian\", sd = 1000.0 }}\n")
    };
    let columns = ["tax", "a", "b", "c", "d", "e"].map(noisy).concat();
    let dir = Dir::new();
    dir.write("people.csv", text).write(
        "job.toml",
        format!(
            "input.path = \"people.csv\"\noutput.folder = \"release\"\n[columns.income]\nrole = \"insensitive\"\n{columns}"
        ),
    );
    dir.expect(0, &["randomize", "job.toml", "--seed", "3", "--quiet"]);
    let attack = ["attack", "release", "--attacks", "best-linear-estimate"];
    let found = dir.expect(0, &[&attack[..], &["--original", "people.csv", "--json"]].concat()).json();
    let best = of(&found, "best-linear-estimate");
    assert!(best["exposed"]["rate"].as_f64().unwrap() > 0.99, "{best:#}");
    assert!(best["notes"].to_string().contains("those of tax alone"), "{best:#}");
    dir.expect(1, &[&attack[..], &["--original", "people.csv", "--max-risk", "0.2"]].concat());
    // Who has no original expects it.
    dir.expect(1, &[&attack[..], &["--max-risk", "0.2"]].concat()).prints("Of tax an error of");
}

/// Noise far below the spread of unrelated columns: no estimate is nearer than what is published, and the page must not make a
/// leak of what everybody reads off it.
#[test]
fn estimates_are_held_against_the_published_values() {
    let mut draw = drawn(11);
    let mut text = String::from("a,b\n");
    for _ in 0..800 {
        text.push_str(&format!("{},{}\n", draw(100_000), draw(100_000)));
    }
    let noisy = |name: &str| {
        format!("[columns.{name}]\nrole = \"sensitive\"\nperturb = {{ noise = \"gaussian\", sd = 500.0 }}\n")
    };
    let dir = Dir::new();
    let job =
        format!("input.path = \"people.csv\"\noutput.folder = \"release\"\n{}{}", noisy("a"), noisy("b"));
    dir.write("people.csv", text).write("job.toml", job);
    dir.expect(0, &["randomize", "job.toml", "--seed", "3", "--quiet"]);
    let attack = ["attack", "release", "--attacks", "best-linear-estimate", "--original", "people.csv"];
    let found = dir.expect(0, &[&attack[..], &["--report", "owner.html", "--json"]].concat()).json();
    let best = of(&found, "best-linear-estimate");
    let rate = |of: &str| best[of]["rate"].as_f64().unwrap();
    assert!((rate("exposed") - rate("control")).abs() < 0.03 && rate("control") > 0.05, "{best:#}");
    assert_eq!((rate("right"), best["unit"].as_str()), (1.0, Some("records")), "{best:#}");
    assert!(best["control_group"].to_string().contains("as they are published"), "{best:#}");
    assert!(best["notes"].to_string().contains("published: "), "{best:#}");
    let page = dir.text("owner.html");
    assert!(
        page.contains("no more than its control") && !page.contains("is not known, so all of them"),
        "{page}"
    );
}

/// survey AT-17: the law of categories and sets is published, so whoever has a file of people weighs them by it.
#[test]
fn categories_and_sets_are_linked_by_their_law() {
    let mut draw = drawn(5);
    let mut text = String::from("p,q,r,s,bag,age\n");
    for _ in 0..300 {
        let mut value = || format!("v{}", draw(12));
        let row = [value(), value(), value(), value()].join(",");
        let bag: Vec<String> = (0..6).filter(|_| draw(3) == 0).map(|item| format!("i{item}")).collect();
        text.push_str(&format!("{row},{},{}\n", bag.join(";"), 20 + draw(60)));
    }
    let values: Vec<String> = (0..12).map(|value| format!("\"v{value}\"")).collect();
    let category = |name: &str| {
        let values = values.join(", ");
        format!("[columns.{name}]\nrole = \"quasi\"\nvalues = [{values}]\nperturb = {{ retention = 0.9 }}\n")
    };
    let categories = ["p", "q", "r", "s"].map(category).concat();
    let bag = "[columns.bag]\nrole = \"quasi\"\nvalues = [\"i0\", \"i1\", \"i2\", \"i3\", \"i4\", \"i5\"]\n\
               perturb = { items = \"select-a-size\", retention = 0.9, add = 0.05, size = 6 }\n";
    let age = "[columns.age]\nrole = \"sensitive\"\nperturb = { noise = \"gaussian\", sd = 40.0 }\n";
    let job = |more: &str, removed: &str| {
        format!("input.path = \"people.csv\"\noutput.folder = \"release\"\n{categories}{more}{removed}")
    };
    let removed = |name: &str| format!("[columns.{name}]\nrole = \"identifier\"\n");
    let mut rates = Vec::new();
    for (more, without) in
        [("", removed("bag") + &removed("age")), (age, removed("bag")), (bag, removed("age"))]
    {
        let dir = Dir::new();
        dir.write("people.csv", &text).write("job.toml", job(more, &without));
        dir.expect(0, &["randomize", "job.toml", "--seed", "3", "--quiet"]);
        let found = dir
            .expect(0, &["attack", "release", "--original", "people.csv", "--people", "who.csv", "--json"]);
        let found = found.json();
        let linked = of(&found, "noise-linkage");
        assert!(linked["right"]["rate"].as_f64().unwrap() > 0.9, "{linked:#}");
        assert_eq!(dir.text("who.csv").lines().count(), 301);
        rates.push(linked["exposed"]["rate"].as_f64().unwrap());
        dir.expect(1, &["attack", "release", "--original", "people.csv", "--max-risk", "0.2"])
            .says("noise-linkage");
    }
    // Four columns of twelve values tell most people apart, and sets tell more.
    assert!(rates[0] > 0.6 && rates[2] > rates[0], "{rates:?}");
}
