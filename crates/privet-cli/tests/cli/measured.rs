//! What measuring says, on pages and in figures: numbers of any size, dates, codes of digits, buckets, samples, perturbed
//! releases; and that nothing is published when the owner's files cannot be made.

use serde_json::Value;

use crate::dir::Dir;

fn value(figures: &Value, key: &str) -> Option<f64> {
    figures.as_array()?.iter().find(|own| own["key"] == key)?["value"].as_f64()
}

fn column<'a>(measured: &'a Value, name: &str) -> &'a Value {
    let columns = measured["utility"]["columns"].as_array().unwrap();
    columns.iter().find(|own| own["name"] == name).unwrap_or_else(|| panic!("no {name}"))
}

const SIMPLE: &str = "\
[input]
path = \"t.csv\"
[columns.x]
role = \"quasi\"
[columns.s]
role = \"sensitive\"
[columns.n]
role = \"insensitive\"
[privacy]
k-anonymity = 2
[search]
suppress-at-most = 0.5
[output]
folder = \"release\"
home = \"home\"
";

/// Numbers that cannot be squared are measured, and a sum is right although what it is made of is not small.
#[test]
fn numbers_of_any_size() {
    for (large, key) in [("1e300", "a"), ("1e308", "b")] {
        let dir = Dir::new();
        let mut text = String::from("x,s,n\n");
        for _ in 0..3 {
            text.push_str(&format!("{large},{large},4\n-{large},-{large},2\n7,6,3\n"));
        }
        dir.write("t.csv", text).write("job.toml", SIMPLE);
        dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
        assert_eq!(dir.names("home"), ["report.html", "report.json", "risk.csv"]);
        let measured = dir.expect(0, &["measure", "job.toml", "release", "--json"]).json();
        assert!(!measured.to_string().contains("null"), "{key}: {measured}");
        let figures = &column(&measured, "x")["figures"];
        let expected = large.parse::<f64>().unwrap() * (2f64 / 3.0).sqrt();
        let told = value(figures, "deviation-before").unwrap();
        assert!((told / expected - 1.0).abs() < 1e-9, "{key}: {told}");
        assert!((value(figures, "mean-before").unwrap() - 7.0 / 3.0).abs() < 1e-9);
        assert!(value(&measured["utility"]["figures"], "means-overlap").is_some());
        // Columns that are not identifying have moments too (UM-28).
        assert_eq!(value(&column(&measured, "n")["figures"], "mean-before"), Some(3.0));
        let answer =
            dir.expect(0, &["answer", "release", "select sum(s), avg(s) from data", "--json"]).json();
        let estimates = answer["lines"][0]["estimates"].as_array().unwrap();
        for (own, told) in estimates.iter().zip([18.0, 2.0]) {
            for end in ["expected", "at_least", "at_most"] {
                assert_eq!(own[end].as_f64(), Some(told), "{key}: {own}");
            }
        }
        dir.expect(0, &["measure", "job.toml", "release"]);
    }
}

/// An error must not leave a release behind: whoever sees one would not look for it, and hand over an old one.
#[test]
fn without_the_owners_files_nothing_is_published() {
    let dir = Dir::new();
    dir.write("t.csv", "x,s,n\n1,a,1\n1,b,1\n2,a,1\n2,b,1\n").write("job.toml", SIMPLE).write("file", "");
    dir.expect(2, &["anonymize", "job.toml", "--home", "file/home"]).says("file/home");
    assert!(!dir.path("release").exists());
    assert_eq!(dir.names("."), ["file", "job.toml", "t.csv"]);
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    assert_eq!(dir.names("home"), ["report.html", "report.json", "risk.csv"]);
}

/// What is said of classes is not true of buckets.
#[test]
fn buckets_are_not_said_to_look_alike() {
    let dir = Dir::new();
    dir.expect(0, &["demo", "--folder", "d", "--rows", "600", "--quiet"]);
    dir.expect(
        0,
        &[
            "anonymize",
            "d/job.toml",
            "--quiet",
            "--output",
            "r",
            "--home",
            "h",
            "--set",
            "search.algorithm=anatomy",
            "--set",
            "privacy={ l-diversity = { kind = \"distinct\", l = 3, column = \"diagnosis\" } }",
            // The dealing is random, and so is what the attack wins: the gate is not what is tested.
            "--set",
            "adversary.max-risk=1",
        ],
    );
    let statement = dir.json("r/manifest.json")["promises"][0]["statement"].as_str().unwrap().to_owned();
    assert!(statement.starts_with("Every bucket "), "{statement}");
    for page in ["r/report.html", "h/report.html"] {
        let page = dir.text(page);
        for wrong in [
            "look alike</em> when",
            "share their quasi-identifiers",
            "How many records look alike",
            "Among records that",
        ] {
            assert!(!page.contains(wrong), "{wrong}");
        }
        assert!(page.contains("need not look alike") && page.contains("How large buckets are"));
    }
    dir.expect(0, &["verify", "r"]);
}

/// What stands for a group is nobody's, and the page says so where it is read; codes have no mean.
#[test]
fn what_stands_for_a_group_is_told() {
    let dir = Dir::new();
    dir.expect(0, &["demo", "--folder", "d", "--rows", "600", "--quiet"]);
    let set = "search.algorithm=microaggregation";
    dir.expect(0, &["anonymize", "d/job.toml", "--quiet", "--output", "r", "--home", "h", "--set", set]);
    let page = dir.text("r/report.html");
    assert!(page.contains("Microaggregated table") && page.contains("nobody in the group need have it"));
    let manifest = dir.json("r/manifest.json");
    let columns = manifest["data"]["columns"].as_array().unwrap();
    let postcode = columns.iter().find(|own| own["name"] == "postcode").unwrap();
    assert_eq!(postcode["recoding"]["nodes"]["kind"], "modes", "{postcode}");
    let data = dir.text("r/data.csv");
    let place = data.lines().next().unwrap().split(',').position(|name| name == "postcode").unwrap();
    for record in data.lines().skip(1) {
        let code = record.split(',').nth(place).unwrap();
        assert!(code.len() == 5 && code.bytes().all(|byte| byte.is_ascii_digit()), "{code}");
    }
    let measured = dir.expect(0, &["measure", "d/job.toml", "r", "--json"]).json();
    assert_eq!(value(&column(&measured, "postcode")["figures"], "mean-before"), None);
}

/// The same dates thirty years earlier are off by as much, and all columns are compared in pairs.
#[test]
fn dates_have_no_zero() {
    let measure = |year: u32| {
        let dir = Dir::new();
        let mut text = String::from("x,s,n\n");
        for i in 0..400u32 {
            let (month, day) = (i * 7 % 12 + 1, i * 11 % 27 + 1);
            text.push_str(&format!(
                "{}-{month:02}-{day:02},{},{}\n",
                year + i % 3,
                ["a", "b", "c"][(i % 3) as usize],
                i % 5
            ));
        }
        let job = SIMPLE.replace("k-anonymity = 2", "k-anonymity = 20");
        let job = job
            .replace("role = \"quasi\"", "role = \"quasi\"\nhierarchy = { dates = [\"month\", \"year\"] }");
        dir.write("t.csv", text).write("job.toml", job);
        dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
        dir.expect(0, &["measure", "job.toml", "release", "--json"]).json()
    };
    // As many years from a leap year, so that months are as long.
    let (early, late) = (measure(1972), measure(2000));
    for key in ["mean-variation", "variation-of-means", "variation-of-variances", "means-overlap"] {
        let [early, late] = [&early, &late].map(|own| value(&own["utility"]["figures"], key).unwrap());
        assert!((early - late).abs() < 1e-9, "{key}: {early} {late}");
    }
    // Columns that are neither identifying nor sensitive are compared too.
    assert_eq!(early["utility"]["pairs"].as_array().unwrap().len(), 3);
    assert!(early["utility"]["notes"][0].as_str().unwrap().contains("x was cut into 20 ranges"), "{early}");
}

/// In a sample, whom the values as they are single out in the population is told beside whom the release does.
#[test]
fn uniques_of_the_population_before_and_after() {
    let dir = Dir::new();
    dir.expect(0, &["demo", "--folder", "d", "--rows", "1000", "--quiet"]);
    let set = ["sampling.fraction=0.5", "sampling.seed=9"];
    dir.expect(
        0,
        &[
            "anonymize",
            "d/job.toml",
            "--quiet",
            "--output",
            "r",
            "--home",
            "h",
            "--set",
            set[0],
            "--set",
            set[1],
        ],
    );
    let report = dir.json("h/report.json");
    let find = |key: &str| {
        let text = report.to_string();
        let at = text.find(&format!("\"key\":\"{key}\"")).unwrap_or_else(|| panic!("no {key}"));
        let rest = &text[at..];
        let from = rest.find("\"value\":").unwrap() + 8;
        rest[from..].split([',', '}']).next().unwrap().parse::<f64>().unwrap()
    };
    assert_eq!(find("zayatz"), 0.0);
    assert!(find("zayatz-before") > 0.05);
}

/// A table that is itself a sample: its owner says of how many people.
#[test]
fn uniques_of_a_population_whose_size_is_told() {
    let mut text = String::from("age,zip,ill\n");
    // 600 pairs of an age and a region, of which small ages are frequent.
    (0..1000u64).for_each(|i| {
        let (a, b) = (i * i % 997, i * 7919 % 1009);
        text.push_str(&format!("{},{},i{}\n", 20 + a * a / 16_700, 100 + b % 10, i % 3));
    });
    let dir = Dir::new();
    dir.write("t.csv", text).write(
        "job.toml",
        "input.path = \"t.csv\"\noutput.folder = \"release\"\n[columns.age]\nrole = \"quasi\"\nhierarchy = { intervals = \
         [10, 40] }\n[columns.zip]\nrole = \"quasi\"\n[columns.ill]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 3\n",
    );
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let measure = |code, people: &str| {
        dir.expect(code, &["measure", "job.toml", "release", "--json", "--population-size", people])
    };
    let share = |people: &str, key: &str| {
        let found = measure(0, people).json();
        let figures = found["risk"]["figures"].as_array().unwrap().clone();
        figures.iter().find(|own| own["key"] == key).unwrap_or_else(|| panic!("no {key}"))["value"].as_f64()
    };
    // Of a larger population fewer people are alone; of the table itself as many as are alone in it.
    let [all, some, few] = ["1000", "5000", "1000000"].map(|people| share(people, "zayatz-before").unwrap());
    assert!(all > some && some > few && few >= 0.0, "{all} {some} {few}");
    assert!((all - share("1000", "uniques-before").unwrap()).abs() < 1e-9, "{all}");
    assert_eq!(share("5000", "zayatz"), Some(0.0));
    measure(2, "999").says("at least that number");
    measure(2, "many").says("--population-size");
}

/// Few degrees of freedom and variances below zero are told.
#[test]
fn intervals_that_say_nothing_are_told() {
    let dir = Dir::new();
    dir.write("few.csv", "estimate,variance\n10,1\n12,1.2\n11,0.8\n");
    let run = dir.expect(0, &["combine", "few.csv", "--rule", "fully-synthetic"]);
    run.prints("Warning: with 0.12 degrees of freedom the interval says next to nothing");
    dir.write("below.csv", "estimate,variance\n10,1\n10.1,1.2\n9.9,0.8\n");
    dir.expect(0, &["combine", "below.csv", "--rule", "fully-synthetic"]).prints("came out at or below 0");
    let json = dir.expect(0, &["combine", "few.csv", "--json"]).json();
    assert_eq!(json[0]["warning"], Value::Null);
}

/// A population that cannot tell people apart as the release does is refused; one that lacks people of the data is told.
#[test]
fn populations_that_do_not_fit_are_refused_or_told() {
    let dir = Dir::new();
    let people: String =
        (0..24).map(|n| format!("{},{},{}\n", 20 + n / 4, n % 2, ["a", "b"][n % 2])).collect();
    dir.write("people.csv", format!("age,zip,condition\n{people}"));
    dir.write(
        "job.toml",
        "[input]\npath = \"people.csv\"\n[columns.age]\nrole = \"quasi\"\n[columns.zip]\nrole = \"quasi\"\n[columns.condition]\n\
         role = \"sensitive\"\n[privacy]\nk-anonymity = 2\n",
    );
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let measure = |code: i32, population: &str| {
        dir.write("population.csv", population);
        dir.expect(code, &["measure", "job.toml", "release", "--population", "population.csv", "--json"])
    };
    measure(2, "age,condition\n20,a\n").says("has no column zip");
    measure(2, "age,zip\n").says("has no records");
    // Everybody, and everybody twice: nothing to say.
    let figure = |run: &crate::dir::Run| {
        let risk = run.json()["risk"].clone();
        (value(&risk["figures"], "journalist-highest").unwrap(), risk["notes"].clone())
    };
    let (all, notes) = figure(&measure(0, &format!("age,zip,condition\n{people}")));
    assert!(all == 0.5 && notes.is_null(), "{all} {notes}");
    let (twice, notes) = figure(&measure(0, &format!("age,zip,condition\n{people}{people}")));
    assert!(twice == 0.25 && notes.is_null(), "{twice} {notes}");
    // Somebody else alone: as a prosecutor, and said to be.
    let (none, notes) = figure(&measure(0, "age,zip\n99,7\n"));
    assert!(
        none == 0.5 && notes[0].as_str().unwrap().contains("in 12 of 12 groups it has 24 people fewer"),
        "{notes}"
    );
    dir.write("population.csv", "age,zip\n99,7\n");
    let args = ["measure", "job.toml", "release", "--population", "population.csv", "--report", "page.html"];
    dir.expect(0, &args).prints("The population lacks people of the data");
    assert!(dir.text("page.html").contains("The population lacks people of the data"));
    // A blank may be anything, which hides people rather too well.
    let (_, notes) = figure(&measure(0, &format!("age,zip,condition\n{people},0,a\n")));
    assert!(notes[0].as_str().unwrap().contains("rather too small"), "{notes}");
}
