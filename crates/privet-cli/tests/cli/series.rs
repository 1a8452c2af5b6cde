//! `privet attack` on perturbed records that follow each other in time (survey AT-18).

use serde_json::Value;

use crate::dir::Dir;

/// The load of a meter that changes four times in 2000 hours, in an order that tells nothing, with noise.
fn meter() -> Dir {
    let mut text = String::from("hour,load,name\n");
    for i in 0..2000u32 {
        // Every hour once: 7 and 2000 have no divisor in common.
        let hour = i * 7 % 2000;
        // A little besides, so that the values are no multiples of anything.
        text.push_str(&format!("{hour},{},m{i}\n", 200 + 100 * (hour / 500) + hour * 7 % 13));
    }
    let dir = Dir::new();
    dir.write("meter.csv", text).write(
        "job.toml",
        "input.path = \"meter.csv\"\noutput.folder = \"release\"\n[columns.hour]\nrole = \"insensitive\"\n[columns.name]\n\
         role = \"insensitive\"\n[columns.load]\nrole = \"sensitive\"\nperturb = { noise = \"gaussian\", sd = 50.0 }\n",
    );
    dir.expect(0, &["randomize", "job.toml", "--seed", "3", "--quiet"]);
    dir
}

fn of<'a>(found: &'a Value, attack: &str) -> &'a Value {
    let all = found["attacks"].as_array().unwrap();
    all.iter().find(|own| own["attack"] == attack).unwrap_or_else(|| panic!("{attack}: {found:#}"))
}

#[test]
fn a_series_gives_its_noise_away() {
    let dir = meter();
    dir.write("time.toml", "[time]\norder = \"hour\"\nknown = 60\n");
    let attack = |more: &[&str]| dir.expect(0, &[&["attack", "release", "--json"][..], more].concat()).json();
    let found = attack(&["--original", "meter.csv", "--knowledge", "time.toml"]);
    // Nearly everybody is told by the filter, few by the mean or by the published value alone.
    let filtered = of(&found, "wavelet-filter");
    assert!(filtered["exposed"]["rate"].as_f64().unwrap() > 0.9, "{filtered:#}");
    assert!(filtered["control"]["rate"].as_f64().unwrap() < 0.6, "{filtered:#}");
    let notes = filtered["notes"].to_string();
    assert!(notes.contains("wavelet coefficients") && notes.contains("in the order of `hour`"), "{notes}");
    let known = of(&found, "known-points");
    assert!(known["exposed"]["rate"].as_f64().unwrap() > 0.6, "{known:#}");
    assert_eq!(known["exposed"]["of"], 1940);
    // Without the original it is what the adversary expects.
    dir.write("order.toml", "[time]\norder = \"hour\"\n");
    let blind = attack(&["--knowledge", "order.toml"]);
    assert_eq!(of(&blind, "wavelet-filter")["exposed"]["rate"], 1.0);
    // In the order in which records stand there is no series, and the filter keeps far more.
    dir.write("stand.toml", "[time]\n");
    let standing = attack(&["--original", "meter.csv", "--knowledge", "stand.toml"]);
    let notes = of(&standing, "wavelet-filter")["notes"].to_string();
    assert!(notes.contains("in which they stand"), "{notes}");
    // Unasked, it says what it needs.
    let unasked = attack(&["--original", "meter.csv"]);
    assert!(unasked["not_made"].to_string().contains("`[time]` of the knowledge file"), "{unasked:#}");
    // It counts towards a limit as all others do; the first that is above it is named.
    assert!(of(&blind, "wavelet-filter")["not_counted"].is_null(), "{blind:#}");
    let limit = ["attack", "release", "--knowledge", "order.toml", "--max-risk", "0.8"];
    dir.expect(1, &limit).says("succeeds against 100 % of the people");
}

#[test]
fn attacks_on_noise_can_be_chosen() {
    let dir = meter();
    dir.write("time.toml", "[time]\norder = \"hour\"\n");
    let attack = |code, more: &[&str]| {
        dir.expect(
            code,
            &[&["attack", "release", "--knowledge", "time.toml", "--json", "--attacks"][..], more].concat(),
        )
    };
    let found = attack(0, &["wavelet-filter"]).json();
    let names: Vec<&Value> = found["attacks"].as_array().unwrap().iter().map(|own| &own["attack"]).collect();
    assert_eq!(names, ["wavelet-filter"]);
    let skipped = found["not_made"].as_array().unwrap();
    let is_of_series = |own: &Value| own["attack"] == "wavelet-filter" && own["column"].is_string();
    assert!(skipped.iter().all(is_of_series), "{found:#}");
    // What was asked for and cannot be made is no success.
    attack(2, &["known-points"]).says("`known` in `[time]`");
    attack(2, &["constant-column,known-points"]).says("which cannot be made");
    attack(2, &["homogeneity"]).says("`noise-linkage`");
}

/// A village that nobody shares, beside noise that hides the rest.
#[test]
fn categories_that_stay_tell_whose_a_noisy_record_is() {
    let mut text = String::from("village,load\n");
    (0..200u32).for_each(|i| text.push_str(&format!("v{i},{}\n", 1000 + i * 37 % 200 * 10)));
    let dir = Dir::new();
    let lines: Vec<&str> = text.lines().collect();
    let other = [&lines[..1], &lines[2..], &lines[1..2]].concat().join("\n");
    dir.write("t.csv", &text).write("other.csv", other).write(
        "job.toml",
        "input.path = \"t.csv\"\noutput.folder = \"release\"\n[columns.village]\nrole = \"quasi\"\n[columns.load]\nrole = \
         \"sensitive\"\nperturb = { noise = \"gaussian\", sd = 600.0 }\n",
    );
    dir.expect(0, &["randomize", "job.toml", "--seed", "3", "--quiet"]);
    let attack = |code, more: &[&str]| dir.expect(code, &[&["attack", "release"][..], more].concat());
    let found = attack(0, &["--original", "t.csv", "--json"]).json();
    assert!(of(&found, "noise-linkage")["exposed"]["rate"].as_f64().unwrap() > 0.99, "{found:#}");
    attack(1, &["--original", "t.csv", "--max-risk", "0.1", "--attacks", "noise-linkage"])
        .says("noise-linkage");
    // Records in another order are another table, and a limit that nothing shows to be kept is not kept.
    attack(2, &["--original", "other.csv"]).says("another order");
    dir.expect(0, &["measure", "other.csv", "release", "--quiet"]);
    // With the original, an attack that tells nobody counts, and keeps the limit.
    attack(0, &["--original", "t.csv", "--max-risk", "0.1", "--attacks", "constant-column"]);
    attack(2, &["--max-risk", "0.1"]).says("give --original");
}

#[test]
fn what_is_no_order_in_time_is_refused() {
    let dir = meter();
    for (text, more, said) in [
        ("[time]\norder = \"load\"\n", &[][..], "is perturbed"),
        ("[time]\norder = \"name\"\n", &[], "no numbers or dates"),
        ("[time]\norder = \"day\"\n", &[], "no column `day`"),
        ("[time]\nknown = 40\n", &[], "--original"),
        ("[time]\nknown = 3\n", &["--original", "meter.csv"], "at least 4"),
        ("[time]\nsort = \"hour\"\n", &[], "order and known"),
        ("known-attributes = 2\n[time]\n", &[], "`[time]` and `[[releases]]` alone"),
    ] {
        dir.write("time.toml", text);
        dir.expect(2, &[&["attack", "release", "--knowledge", "time.toml"][..], more].concat()).says(said);
    }
    // Of true records there is no noise to filter.
    dir.write(
        "other.toml",
        "input.path = \"meter.csv\"\noutput.folder = \"other\"\n[columns.load]\nrole = \"quasi\"\n[privacy]\nk-anonymity = 2\n",
    );
    dir.expect(0, &["anonymize", "other.toml", "--quiet"]);
    dir.write("time.toml", "[time]\n");
    dir.expect(2, &["attack", "other", "--knowledge", "time.toml"]).says("perturbed releases");
}
