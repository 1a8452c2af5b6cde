//! Sets and logs through every verb: each method is made, proven by the referee, attacked and measured, and changed files fail.

use std::path::Path;

use privet::{AttackOptions, Fault, JobFile, Plan};
use privet_data::Silent;
use privet_release::{Envelope, MANIFEST, VerifyOptions};

fn baskets() -> String {
    // Skewed, and rare items in company of frequent ones.
    let basket = |number: usize| {
        let items = (1..=12).filter(|item| number.is_multiple_of(*item) || number % 97 == item * 7);
        items.map(|item| format!("i{item}")).collect::<Vec<_>>().join(" ")
    };
    (0..400).map(|number| basket(number) + "\n").collect()
}

fn log() -> String {
    let mut text = String::from("user,query,time,url\n");
    for user in 0..600 {
        for step in 0..3 {
            let query = match (user * 7 + step * 3) % 11 {
                0 => format!("secret number {user}"),
                own => format!("topic {}", own % 4),
            };
            let url = if step == 1 { format!("www.site-{}.org", user % 3) } else { String::new() };
            text += &format!("u{user},{query},{},{url}\n", 1_700_000_000 + user * 5000 + step * 400);
        }
    }
    text
}

fn folder(method: &str, form: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("baskets.dat"), baskets()).unwrap();
    std::fs::write(folder.path().join("log.csv"), log()).unwrap();
    let tree: String = (1..=12).map(|item| format!("i{item};g{};*\n", item / 4)).collect();
    std::fs::write(folder.path().join("tree.csv"), tree).unwrap();
    let input = match form {
        "log" => {
            "path = \"log.csv\"\nform = \"log\"\nperson = \"user\"\nquery = \"query\"\ntime = \"time\"\nclick = \"url\""
        }
        "tree" => "path = \"baskets.dat\"\nform = \"lines\"\nhierarchy = \"tree.csv\"",
        _ => "path = \"baskets.dat\"\nform = \"lines\"\nsensitive = [\"i7\", \"i11\"]",
    };
    let job = format!(
        "kind = \"sets\"\n[input]\n{input}\n[sets]\n{method}\n[output]\nfolder = \"release\"\nhome = \"home\"\n"
    );
    std::fs::write(folder.path().join("job.toml"), job).unwrap();
    folder
}

fn run(folder: &Path) -> Result<privet::Report, privet::KindError> {
    let job = JobFile::read(&folder.join("job.toml"), &[])?;
    privet::run(&job, &["privet anonymize job.toml".to_owned()], &Silent)
}

fn verified(folder: &Path) -> bool {
    let verdict = privet::verify(&folder.join("release"), VerifyOptions::default()).unwrap();
    if !verdict.holds() {
        eprintln!("{:?}", verdict.checks);
    }
    verdict.holds()
}

const METHODS: [(&str, &str); 17] = [
    ("method = \"apriori\"\nk = 4\nm = 2", "tree"),
    ("method = \"count-tree\"\nk = 4\nm = 3", "tree"),
    ("method = \"vertical\"\nk = 4", "tree"),
    ("method = \"horizontal\"\nk = 4\npart = 60", "tree"),
    ("method = \"coherence\"\nh = 0.4\nk = 4\np = 2", "plain"),
    ("method = \"diversity\"\nl = 3\nm = 2", "plain"),
    ("method = \"rho-uncertainty\"\nrho = 0.5", "plain"),
    ("method = \"rho-uncertainty\"\nrho = 0.5\nmost = 2", "plain"),
    ("method = \"disassociation\"\nk = 4\nlargest-cluster = 30", "plain"),
    (
        "method = \"policies\"\nk = 9\nprivacy = [[\"i9\", \"i10\"], [\"i11\", \"i12\"]]\nutility = [[\"i9\", \"i10\", \
         \"i11\"]]\nmost-suppressed = 12",
        "plain",
    ),
    ("method = \"threshold\"\npeople = 5", "log"),
    ("method = \"threshold\"\npeople = 5\nhash = true\nsessions = { gap-seconds = 300 }", "log"),
    (
        "method = \"korolova\"\nepsilon = \"2\"\ndelta = \"1e-6\"\npeople = 5\nqueries-per-person = 2\nclicks-per-person = 1",
        "log",
    ),
    ("method = \"zealous\"\nepsilon = \"2\"\ndelta = \"1e-6\"\npeople = 5\npopulation = 1000", "log"),
    ("method = \"zealous\"\nepsilon = \"2\"\ndelta = \"1e-6\"\npeople = 5\nqueries-per-person = 2", "log"),
    ("method = \"sketches\"\ndelta = 0.2\ncomponents = 6", "log"),
    ("method = \"covers\"\nsize = 2\npeople = 5\nmost-similarity = 1.0\ndimensions = 2", "log"),
];

#[test]
fn every_method_is_made_proven_attacked_and_measured() {
    for (method, form) in METHODS {
        let folder = folder(method, form);
        let report = run(folder.path()).unwrap_or_else(|error| panic!("{method}: {error}"));
        assert!(!report.promises.is_empty(), "{method}");
        assert!(verified(folder.path()), "{method}");
        let measured =
            privet::measure(&folder.path().join("job.toml"), &folder.path().join("release"), None, &Silent);
        let measured = measured.unwrap();
        let has_none = ["sketches", "covers"].iter().any(|own| method.contains(own));
        assert!(!measured.figures.is_empty() || has_none, "{method}");
        // Nothing that only one person asked stands in what is published of a log.
        for file in ["log.csv", "queries.csv", "clicks.csv", "covers.csv"] {
            if let Ok(text) = std::fs::read_to_string(folder.path().join("release").join(file)) {
                assert!(!text.contains("secret"), "{method}: {file}");
            }
        }
    }
}

/// A promise that says more than the files hold is seen by the referee, whoever sealed it.
#[test]
fn promises_that_do_not_hold_fail() {
    let cases = [
        (0, "k", serde_json::json!(300)),
        (3, "k", serde_json::json!(395)),
        (4, "h", serde_json::json!(0.001)),
        (5, "l", serde_json::json!(500)),
        (8, "k", serde_json::json!(29)),
        (10, "people", serde_json::json!(100_000)),
        (12, "epsilon", serde_json::json!("0.5")),
        (13, "delta", serde_json::json!("1e-9")),
    ];
    for (number, key, value) in cases {
        let (method, form) = METHODS[number];
        let folder = folder(method, form);
        run(folder.path()).unwrap();
        let path = folder.path().join("release").join(MANIFEST);
        let mut envelope = Envelope::parse(&std::fs::read(&path).unwrap()).unwrap();
        envelope.promises[0].parameters.insert(key.to_owned(), value);
        std::fs::write(&path, envelope.to_json_sealed().unwrap()).unwrap();
        let verdict = privet::verify(&folder.path().join("release"), VerifyOptions::default()).unwrap();
        // The pages say something else than the manifest now; what counts is that the promise itself is found wrong.
        const NAMES: [&str; 5] =
            ["k^m-anonymity", "coherence", "l-diversity of items", "query threshold", "privacy"];
        let found = verdict.checks.iter().any(|check| !check.ok && NAMES.contains(&check.name.as_str()));
        assert!(found, "{method}: {key}: {:?}", verdict.checks);
    }
}

#[test]
fn the_same_job_gives_the_same_bytes() {
    for (method, form) in METHODS.into_iter().take(11) {
        let bytes = || {
            let folder = folder(method, form);
            run(folder.path()).unwrap();
            let mut files: Vec<_> = std::fs::read_dir(folder.path().join("release"))
                .unwrap()
                .map(|own| own.unwrap().path())
                .collect();
            files.sort();
            files.iter().map(|path| std::fs::read(path).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(bytes(), bytes(), "{method}");
    }
}

#[test]
fn attacks_find_what_is_published_carelessly() {
    // Whoever promises nothing about three items is found by three items.
    let folder = folder("method = \"apriori\"\nk = 2\nm = 1", "tree");
    run(folder.path()).unwrap();
    let options = |attack: &str, knowledge: Option<&str>| AttackOptions {
        release: folder.path().join("release"),
        knowledge: knowledge.map(|name| folder.path().join(name)),
        job: Some(folder.path().join("job.toml")),
        plan: Plan { attacks: Some(vec![attack.to_owned()]), ..Plan::default() },
        confidence: 0.9,
        seed: 1,
        report: None,
    };
    std::fs::write(folder.path().join("known.toml"), "[known-items]\nitems = 3\n").unwrap();
    let found = privet::attack(&options("known-items", Some("known.toml")), &Silent).unwrap();
    assert_eq!(found.findings[0].variant, "3 known items");
    let folder =
        self::folder("method = \"sketches\"\ndelta = 0.01\ncomponents = 40\npublish-signs = true", "log");
    run(folder.path()).unwrap();
    let options = AttackOptions {
        release: folder.path().join("release"),
        knowledge: None,
        job: Some(folder.path().join("job.toml")),
        plan: Plan { attacks: Some(vec!["sequences".to_owned()]), ..Plan::default() },
        confidence: 0.9,
        seed: 1,
        report: None,
    };
    let found = privet::attack(&options, &Silent).unwrap();
    assert!(found.findings[0].risk() > 0.5, "{:?}", found.findings[0]);
}

#[test]
fn wrong_jobs_are_told_why() {
    let folder = folder("method = \"threshold\"\npeople = 5", "plain");
    let error = run(folder.path()).unwrap_err();
    assert!(error.fault() == Fault::BadInput && error.to_string().contains("form = \"log\""), "{error}");
    let folder = self::folder("method = \"apriori\"\nk = 5000", "tree");
    assert_eq!(run(folder.path()).unwrap_err().fault(), Fault::Refused);
    assert!(!folder.path().join("release").exists());
}

/// What a release costs is added up only where a ledger is charged, and a release that charges none says so everywhere.
#[test]
fn a_release_without_a_ledger_says_so_and_one_with_a_ledger_is_remembered() {
    let (method, form) = METHODS[12];
    let folder = folder(method, form);
    let report = run(folder.path()).unwrap();
    assert!(report.promises[0].contains("No ledger was charged"), "{:?}", report.promises);
    let page = std::fs::read_to_string(folder.path().join("release/report.html")).unwrap();
    assert!(page.contains("No ledger was charged"));
    assert!(!folder.path().join("home/history.json").exists());
    // With a ledger, the history of the owner's folder lists each release with what it cost.
    use privet_dp::ledger::Ledger;
    let mut ledger = privet_dp::ledger::SqliteLedger::open(&folder.path().join("searches.ledger")).unwrap();
    let budget = privet_dp::Privacy::Approximate("5".parse().unwrap(), "1e-3".parse().unwrap()).loss();
    ledger.open_account("searches", &budget).unwrap();
    let text = std::fs::read_to_string(folder.path().join("job.toml")).unwrap();
    let charged = text.replace(
        "[output]",
        "ledger = \"searches.ledger\"\naccount = \"searches\"\n[output]\nreplace = true",
    );
    std::fs::write(folder.path().join("job.toml"), charged).unwrap();
    for number in 1..=2 {
        let report = run(folder.path()).unwrap();
        assert!(report.promises[0].contains("was charged to a ledger"), "{:?}", report.promises);
        let history = privet_history::History::read(&folder.path().join("home/history.json")).unwrap();
        assert_eq!((history.releases.len(), history.ledgers().len()), (number, 1));
    }
    assert_eq!(run(folder.path()).unwrap_err().fault(), Fault::Budget);
}

/// A promise that needs what is not published is never shown as proven.
#[test]
fn promises_that_no_file_shows_are_marked_as_bounded() {
    for (number, names) in [
        (11, &["query threshold"][..]),
        (12, &["privacy", "fewest people"]),
        (13, &["privacy", "fewest people"]),
        (15, &["delta-anonymity"]),
    ] {
        let (method, form) = METHODS[number];
        let folder = folder(method, form);
        run(folder.path()).unwrap();
        let verdict = privet::verify(&folder.path().join("release"), VerifyOptions::default()).unwrap();
        for name in names {
            let check = verdict.checks.iter().find(|own| own.name == *name).unwrap();
            assert!(check.ok && check.bounded, "{method}: {check:?}");
        }
    }
    // Persons of a log are told apart by their numbers: that is shown.
    let (method, form) = METHODS[10];
    let folder = folder(method, form);
    run(folder.path()).unwrap();
    let verdict = privet::verify(&folder.path().join("release"), VerifyOptions::default()).unwrap();
    assert!(verdict.checks.iter().any(|own| own.name == "query threshold" && !own.bounded));
}

#[test]
fn the_demo_runs_and_is_proven() {
    let folder = tempfile::tempdir().unwrap();
    let (_, chapters) = privet::demo("sets", folder.path(), &Silent).unwrap();
    assert_eq!(chapters.len(), 4);
    for chapter in chapters {
        assert!(chapter.outcome.is_ok(), "{:?}", chapter.outcome.err().map(|own| own.to_string()));
    }
    for release in ["naive", "generalized", "taken-apart", "queries"] {
        let verdict = privet::verify(&folder.path().join(release), VerifyOptions::default()).unwrap();
        assert!(verdict.holds(), "{release}: {:?}", verdict.checks);
    }
}
