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
        assert_eq!(dir.names("home"), ["recoding.json", "report.html", "report.json", "risk.csv"]);
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
    assert_eq!(dir.names("home"), ["recoding.json", "report.html", "report.json", "risk.csv"]);
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
    run.prints("cannot be estimated from these tables")
        .prints("Warning: with 0.12 degrees of freedom the interval cannot be estimated");
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

/// Nothing is relative to 0: numbers that were 0 are left out of UM-20, and that is told.
#[test]
fn numbers_that_were_zero_are_told() {
    let dir = Dir::new();
    let job =
        SIMPLE.replace("role = \"quasi\"\n", "role = \"quasi\"\nhierarchy = { intervals = [10], min = 0 }\n");
    dir.write("t.csv", "x,s,n\n0,a,1\n4,b,2\n10,a,3\n14,b,4\n").write("job.toml", job);
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let note = "1 number that was 0 is left out";
    dir.expect(0, &["measure", "job.toml", "release", "--report", "page.html"]).prints(note);
    assert!(dir.text("page.html").contains(note));
    let measured = dir.expect(0, &["measure", "job.toml", "release", "--json"]).json();
    assert!(measured["utility"]["notes"].to_string().contains(note), "{measured:#}");
    // 4 became 2, 10 and 14 became 12: a half, a fifth and a seventh.
    let told = value(&measured["utility"]["figures"], "mean-variation").unwrap();
    assert!((told - (0.5 + 0.2 + 1.0 / 7.0) / 3.0).abs() < 1e-12, "{told}");
}

/// thesis 3, survey UM-02: local recodings are compared by the steps that each label took.
#[test]
fn labels_of_many_levels_have_steps() {
    let dir = Dir::new();
    let leaves = ["a1", "a2", "b1", "b2"];
    let people: String = (0..40usize)
        .map(|n| format!("{},{},{}\n", leaves[(n * n + n / 7) % 4], n * n % 5, ["x", "y", "z"][n % 3]))
        .collect();
    dir.write("people.csv", format!("place,code,condition\n{people}"));
    dir.write("place.csv", "a1,A,*\na2,A,*\nb1,B,*\nb2,B,*\n");
    let job = |algorithm: &str, more: &str| {
        format!(
            "[input]\npath = \"people.csv\"\n[columns.place]\nrole = \"quasi\"\nhierarchy = \"place.csv\"\n[columns.code]\n\
             role = \"quasi\"\n[columns.condition]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 3\n[search]\n\
             algorithm = \"{algorithm}\"\n{more}[output]\nreplace = true\n"
        )
    };
    let level = |label: &str| match label {
        "*" => 2,
        "A" | "B" => 1,
        _ => 0,
    };
    let ways = ["top-down-local", "local-recoding", "clustering", "cell-suppression", "mondrian"];
    for algorithm in ways {
        let nodes = if matches!(algorithm, "cell-suppression") { "" } else { "publish = \"nodes\"\n" };
        dir.write("job.toml", job(algorithm, nodes));
        dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
        let measured = dir.expect(0, &["measure", "job.toml", "release", "--json"]).json();
        let (mut steps, mut records) = (0, 0);
        for line in dir.text("release/data.csv").lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            steps += level(cells[0]) + i32::from(cells[1] == "*");
            records += 1;
        }
        // Who is left out went all the way.
        steps += 3 * (40 - records);
        let figures = &measured["utility"]["figures"];
        let told = [value(figures, "distortion").unwrap(), value(figures, "steps").unwrap()];
        let expected = [f64::from(steps) / 120.0, f64::from(steps) / 40.0];
        assert!(
            (0..2).all(|at| (told[at] - expected[at]).abs() < 1e-12),
            "{algorithm}: {told:?} {expected:?}"
        );
        assert!(!measured["utility"]["notes"].to_string().contains("distortion ratio"), "{algorithm}");
    }
    // Ranges have no level, and are said to have none.
    dir.write("job.toml", job("mondrian", ""));
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let measured = dir.expect(0, &["measure", "job.toml", "release", "--json"]).json();
    assert_eq!(value(&measured["utility"]["figures"], "distortion"), None);
    assert!(
        measured["utility"]["notes"].to_string().contains("labels of code have no level"),
        "{measured:#}"
    );
}

/// survey UM-33: how many items of their own published sets still hold, and how many the law keeps.
#[test]
fn items_that_are_kept_are_counted() {
    let dir = Dir::new();
    let items = ["bread", "milk", "beer", "eggs", "tea"];
    let set = |n: usize| match n % 3 {
        0 => String::new(),
        1 => items[n % 5].to_owned(),
        _ => format!("{};{}", items[n % 5], items[(n + 2) % 5]),
    };
    let lines: Vec<String> = (0..300).map(|n| format!("{},{}\n", ["m", "f", "f"][n % 3], set(n))).collect();
    dir.write("t.csv", format!("sex,basket\n{}", lines.concat()));
    dir.write(
        "job.toml",
        "[input]\npath = \"t.csv\"\n[columns.sex]\nrole = \"quasi\"\n[columns.basket]\nrole = \"sensitive\"\n\
         values = [\"bread\", \"milk\", \"beer\", \"eggs\", \"tea\"]\n\
         perturb = { items = \"select-a-size\", size = 2, add = 0.1, gamma = 9.0 }\n[output]\nfolder = \"release\"\n",
    );
    dir.expect(0, &["randomize", "job.toml", "--quiet", "--force"]);
    let measured = dir.expect(0, &["measure", "t.csv", "release", "--json"]).json();
    let figures = &measured["utility"]["figures"];
    let mut kept = 0;
    for (n, line) in dir.text("release/data.csv").lines().skip(1).enumerate() {
        let (before, after) = (set(n), line.split(',').nth(1).unwrap().to_owned());
        let held: Vec<&str> = before.split(';').filter(|own| !own.is_empty()).collect();
        kept += after.split(';').filter(|own| held.contains(own)).count();
    }
    let told = value(figures, "items-retained").unwrap();
    assert!((told - kept as f64 / 300.0).abs() < 1e-12, "{told} {kept}");
    // One item each on average; the deviation of the mean over 300 sets is below 0.05.
    let expected = value(figures, "items-retained-expected").unwrap();
    assert!((told - expected).abs() < 0.2 && expected > 0.0 && expected < 1.0, "{told} {expected}");
    // In another order only the law tells it.
    let turned: String = lines.iter().rev().cloned().collect();
    dir.write("turned.csv", format!("sex,basket\n{turned}"));
    let measured = dir.expect(0, &["measure", "turned.csv", "release", "--json"]).json();
    assert_eq!(value(&measured["utility"]["figures"], "items-retained"), None);
    assert!(measured["utility"]["notes"].to_string().contains("order of the original"), "{measured:#}");
}

/// survey US-13: what buckets count is learned from, record by record in shares.
#[test]
fn buckets_are_learned_from_by_their_shares() {
    let dir = Dir::new();
    // Who has which condition goes with the age, and so does the cost of it.
    let people: String = (0..600usize)
        .map(|n| {
            let kind = (n * 7 + n / 11) % 3;
            let condition = if n % 10 == 0 { (kind + 1) % 3 } else { kind };
            format!(
                "{},{},{}\n",
                20 + 20 * kind + n % 17,
                ["a", "b", "c"][condition],
                100 * condition + n % 10
            )
        })
        .collect();
    dir.write("people.csv", format!("age,condition,cost\n{people}"));
    dir.write(
        "job.toml",
        "[input]\npath = \"people.csv\"\n[columns.age]\nrole = \"quasi\"\n[columns.condition]\nrole = \"sensitive\"\n\
         [columns.cost]\nrole = \"sensitive\"\n[privacy]\nl-diversity = { kind = \"distinct\", l = 2, column = \"condition\" }\n\
         [search]\nalgorithm = \"anatomy\"\n[adversary]\nmax-risk = 1\n",
    );
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let args = ["measure", "job.toml", "release", "--class", "condition", "--target", "cost", "--json"];
    let measured = dir.expect(0, &args).json();
    let learners = measured["utility"]["learners"].as_array().unwrap();
    assert_eq!(learners.len(), 3, "{measured:#}");
    for own in learners {
        let [raw, released, guessed] =
            ["raw", "released", "baseline"].map(|key| own[key]["rate"].as_f64().unwrap());
        assert!(raw > 0.8 && released > guessed + 0.3, "{own}");
    }
    assert!(measured["utility"]["notes"].to_string().contains("Learned from buckets"), "{measured:#}");
    let line = &measured["utility"]["regressions"][0];
    let [released, baseline] =
        [&line["released"]["error"], &line["baseline"]].map(|own| own.as_f64().unwrap());
    assert!(released < baseline, "{line}");
    dir.expect(2, &["measure", "job.toml", "release", "--class", "age"]);
}

/// What is written is not what is read, and what tells of people is read by its owner alone.
#[test]
fn files_of_the_owner_are_kept_to_the_owner() {
    let dir = Dir::new();
    let people: String = (0..24).map(|n| format!("{},{}\n", 20 + n / 4, ["a", "b"][n % 2])).collect();
    dir.write("people.csv", format!("age,condition\n{people}"));
    dir.write(
        "job.toml",
        "[input]\npath = \"people.csv\"\n[columns.age]\nrole = \"quasi\"\nhierarchy = \"age.csv\"\n[columns.condition]\n\
         role = \"sensitive\"\n[privacy]\nk-anonymity = 12\n[output]\nhome = \"home\"\n",
    );
    let label = |age: usize| if age < 23 { "<23" } else { ">=23" };
    let lines: String = (20..26).map(|age| format!("{age},{},*\n", label(age))).collect();
    dir.write("age.csv", &lines);
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    for file in ["people.csv", "age.csv"] {
        let before = dir.bytes(file);
        let args = ["unfold", "release", "--leaf-sample", "--job", "job.toml", "--output", file, "--force"];
        dir.expect(2, &args).says("would be lost");
        assert_eq!(dir.bytes(file), before);
    }
    dir.write("numbers.csv", "x,y\n1,2\n3,4\n5,6\n7,9\n");
    for output in ["numbers.csv", "./numbers.csv"] {
        dir.expect(2, &["condense", "numbers.csv", "-k", "2", "--stream", "--output", output, "--force"])
            .says("would be lost");
    }
    // By hierarchy the values behind labels are known; without it nothing tells how far they reach.
    let unfold = |more: &[&str]| {
        let args =
            [&["unfold", "release", "--leaf-sample", "--output", "out.csv", "--force"][..], more].concat();
        dir.expect(0, &args)
    };
    unfold(&[]).prints("nothing tells how far they reach");
    assert!(!unfold(&["--job", "job.toml"]).out.contains("how far they reach"));
    dir.expect(0, &["answer", "release", "select avg(age) from data"]).prints("labels do not tell how far");
    let args =
        ["measure", "job.toml", "release", "--risk-file", "risk.csv", "--population", "twice.csv", "--quiet"];
    dir.write("twice.csv", format!("age,condition\n{people}{people}"));
    dir.expect(0, &args);
    let risks = dir.text("risk.csv");
    assert!(risks.lines().next().unwrap().ends_with(",suda_score,journalist_risk"), "{risks}");
    assert!(risks.lines().skip(1).all(|line| line.ends_with(",0.041667")), "{risks}");
    dir.expect(0, &args);
    #[cfg(unix)]
    for file in ["risk.csv", "home/risk.csv", "home/report.html", "home/report.json"] {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(dir.path(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
}

/// PM-03, DIS-SUDA: another limit than one in five, and what a sample says of special uniques.
#[test]
fn limits_and_samples_of_risks() {
    let dir = Dir::new();
    let people: String = (0..20)
        .map(|n| format!("{},{},{}\n", n / 4, if n == 19 { 9 } else { n % 2 }, ["a", "b"][n % 2]))
        .collect();
    dir.write("t.csv", format!("x,y,s\n{people}"));
    dir.write(
        "job.toml",
        "[input]\npath = \"t.csv\"\n[columns.x]\nrole = \"quasi\"\n[columns.y]\nrole = \"quasi\"\n[columns.s]\nrole = \"sensitive\"\n\
         [privacy]\nk-anonymity = 4\n",
    );
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let measure = |more: &[&str]| {
        let args = [&["measure", "job.toml", "release", "--json"][..], more].concat();
        dir.expect(0, &args).json()["risk"]["figures"].clone()
    };
    let highest = value(&measure(&[]), "prosecutor-highest").unwrap();
    let limit = (highest + 1.0) / 2.0;
    let above = value(&measure(&["--risk-threshold", &limit.to_string()]), "prosecutor-above");
    assert_eq!(above, Some(0.0));
    let below = measure(&["--risk-threshold", "0.001"]);
    assert_eq!(value(&below, "prosecutor-above"), Some(1.0));
    assert!(below.to_string().contains("records above 0.1 %"), "{below}");
    for wrong in ["0", "1", "-1", "nan"] {
        let share = format!("--risk-threshold={wrong}");
        dir.expect(2, &["measure", "job.toml", "release", &share]).says("risk-threshold");
    }
    assert_eq!(value(&below, "dis"), None);
    // Everybody is in the data: a match is right for sure. Of a tenth it is not.
    assert_eq!(value(&measure(&["--population-size", "20"]), "dis"), Some(1.0));
    let tenth = measure(&["--population-size", "200", "--risk-file", "risk.csv"]);
    let dis = value(&tenth, "dis").unwrap();
    assert!(dis > 0.0 && dis < 1.0, "{dis}");
    assert!(value(&tenth, "dis-suda-highest").unwrap() > 0.0);
    let risks = dir.text("risk.csv");
    assert!(risks.lines().next().unwrap().ends_with(",suda_score,dis_suda_score"), "{risks}");
}
