//! The kind from job to folder, for every sub-kind: what is made is opened, verified by the referee, attacked, measured and predicted with.

use std::path::{Path, PathBuf};

use privet_data::Silent;
use privet_data::io::{ReadOptions, read_csv_bytes};
use privet_kind::{Assessment, JobFile, Kind, KindError, Knowledge, OwnerFiles, Unmade};
use privet_mine::hide::Method;
use privet_model::{
    HideOptions, HideRequest, Linked, MODEL_FILE, Model, PublishedModel, RECORDS_FILE, hide_rules, linked,
    predict,
};
use privet_referee::REFEREES;
use privet_release::{Check, Draft, Envelope, Referee, ReleaseFolder};

const LOANS: &str = "gender,married,age,risk\n\
    Male,Yes,Young,Good\nMale,Yes,Young,Good\nMale,Yes,Young,Good\nMale,Yes,Old,Good\nMale,Yes,Old,Bad\nMale,No,Old,Bad\n\
    Female,No,Young,Good\nFemale,No,Old,Good\nFemale,No,Young,Bad\nFemale,Yes,Young,Bad\nFemale,Yes,Young,Bad\nFemale,Yes,Young,Bad\n";

fn referee() -> &'static dyn Referee {
    *REFEREES.iter().find(|own| own.kind() == "model").unwrap()
}

struct Run {
    folder: tempfile::TempDir,
    job: JobFile,
    checks: Vec<Check>,
    release: PathBuf,
    envelope: Envelope,
}

fn run(files: &[(&str, &str)], job: &str) -> Result<Run, KindError> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let table: toml::Table = toml::from_str(job).unwrap();
    let job = JobFile::in_folder(folder.path(), table);
    job.check_sections(Model.sections())?;
    assert!(Model.inputs(&job)?.iter().all(|path| path.exists()));
    let release = folder.path().join("release");
    let draft = Draft::begin(&release, false)?;
    let outcome = Model.make(&job, &draft, &Silent)?;
    let mut envelope = Envelope::new("model", outcome.body);
    envelope.promises = outcome.promises;
    let envelope = draft.commit(envelope)?;
    let opened = ReleaseFolder::trusted(&release, envelope.clone());
    let files = referee().files(&opened).unwrap();
    assert!(files.iter().all(|name| release.join(name).is_file()));
    let checks = referee().verify(&opened, &Silent).unwrap();
    for promised in &envelope.promises {
        assert!(referee().statement(promised).is_some_and(|text| text.ends_with('.')));
    }
    Ok(Run { folder, job, checks, release, envelope })
}

impl Run {
    fn holds(&self) -> bool {
        self.checks.iter().all(|check| check.ok)
    }

    fn model(&self) -> PublishedModel {
        serde_json::from_slice(&std::fs::read(self.release.join(MODEL_FILE)).unwrap()).unwrap()
    }

    /// The risks of the attacks that could be made, by id.
    fn attacks(&self) -> Vec<(String, f64)> {
        let opened = ReleaseFolder::trusted(&self.release, self.envelope.clone());
        let release = Model.open(&opened, &Silent).unwrap();
        let original = Model.original(&self.job, &OwnerFiles::default(), &Silent).unwrap();
        let mut found = Vec::new();
        for attack in Model.attacks() {
            let known = Knowledge::default();
            match attack.run(release.views(), Some(original.views()), &known, &Silent) {
                Ok(findings) => found.extend(findings.iter().map(|own| (own.attack.clone(), own.risk()))),
                Err(Unmade::Reason(_)) => {}
                Err(failed) => panic!("{failed:?}"),
            }
        }
        for measure in Model.measures() {
            if let Ok(figures) = measure.run(release.views(), original.views(), &Silent) {
                assert!(figures.iter().all(|figure| figure.after.is_finite()));
            }
        }
        let sections = release.sections(&Assessment::default());
        assert!(sections.len() == 2 && sections.iter().all(|section| !section.blocks.is_empty()));
        found
    }
}

fn tree_job(settings: &str) -> String {
    format!(
        "kind = \"model\"\n[input]\npath = \"loans.csv\"\npublic = [\"gender\", \"married\", \"age\"]\nclass = \"risk\"\n\
         [model]\ntype = \"tree\"\n{settings}\n"
    )
}

/// FX-F1 without the car: four leaves of three people; half of all people are exposed.
#[test]
fn trees_are_published_and_verified() {
    let made = run(&[("loans.csv", LOANS)], &tree_job("k = 3")).unwrap();
    assert!(made.holds(), "{:?}", made.checks);
    assert!(made.release.join("model.pmml").is_file());
    assert_eq!(made.attacks(), [("link".to_owned(), 0.5)]);
    let people =
        read_csv_bytes(b"gender,married,age\nFemale,Yes,Old\nMale,No,Young\n", &ReadOptions::default());
    assert_eq!(predict(&made.model(), &people.unwrap().table).unwrap(), ["Bad", "Good"]);
    let fewer = read_csv_bytes(b"gender\nMale\n", &ReadOptions::default()).unwrap().table;
    assert!(predict(&made.model(), &fewer).is_err());
    // The same job gives the same bytes.
    let again = run(&[("loans.csv", LOANS)], &tree_job("k = 3")).unwrap();
    assert_eq!(
        std::fs::read(made.release.join(MODEL_FILE)).unwrap(),
        std::fs::read(again.release.join(MODEL_FILE)).unwrap()
    );
}

#[test]
fn confidence_limits_and_forests_are_verified() {
    let made = run(&[("loans.csv", LOANS)], &tree_job("k = 2\nconfidence-limit = 0.7")).unwrap();
    assert!(made.holds() && made.checks.len() == 4, "{:?}", made.checks);
    assert_eq!(made.attacks(), [("link".to_owned(), 0.0)]);
    let made = run(&[("loans.csv", LOANS)], &tree_job("k = 2\ntrees = [[\"gender\"], [\"age\"]]")).unwrap();
    assert!(made.holds(), "{:?}", made.checks);
    assert!(!made.release.join("model.pmml").exists());
}

/// A class of three values, which no limit on confidence covers: privacy models are asked for, promised and verified.
#[test]
fn privacy_models_are_asked_of_spans() {
    let three = |text: &str| {
        text.replacen("Old,Bad", "Old,Late", 2).replacen(
            "Young,Good\nMale,Yes,Old",
            "Young,Late\nMale,Yes,Old",
            1,
        )
    };
    let people = three(LOANS) + &three(LOANS.split_once('\n').unwrap().1);
    let learn = |settings: &str| run(&[("loans.csv", &people)], &tree_job(settings));
    let loose = learn("k = 2").unwrap();
    let smallest = |run: &Run, kind: &str| {
        let PublishedModel::Tree(own) = run.model() else { panic!("no tree") };
        let classes = own.model.schema.class.values.len();
        let of = |counts: Vec<u64>| match kind {
            "entropy" => {
                let all: u64 = counts.iter().sum();
                let shares = counts.iter().filter(|&&own| own > 0).map(|&own| own as f64 / all as f64);
                shares.map(|own| -own * own.log2()).sum::<f64>().exp2()
            }
            _ => counts.iter().filter(|&&own| own > 0).count() as f64,
        };
        let counts = own.spans.iter().map(|span| {
            let mut counts = vec![0; classes];
            for own in &span.populations {
                counts.iter_mut().zip(&own.counts).for_each(|(sum, own)| *sum += own);
            }
            of(counts)
        });
        counts.fold(f64::INFINITY, f64::min)
    };
    assert!(smallest(&loose, "distinct") < 2.0 && smallest(&loose, "entropy") < 1.5);
    for (asked, kind, least) in [
        ("{ l-diversity = { kind = \"entropy\", l = 1.5 } }", "entropy", 1.5),
        ("{ l-diversity = 2, t-closeness = { kind = \"variational\", t = 0.4 } }", "distinct", 2.0),
    ] {
        let made = learn(&format!("k = 2\nrequire = {asked}\ngain = \"gini\"\nweighted = true")).unwrap();
        assert!(made.holds(), "{:?}", made.checks);
        assert!(smallest(&made, kind) >= least);
        // The tree without the requirement does not keep the promise, and the referee says so.
        let mut envelope = loose.envelope.clone();
        envelope.promises.extend(made.envelope.promises[1..].iter().cloned());
        let opened = ReleaseFolder::trusted(&loose.release, envelope);
        assert!(referee().verify(&opened, &Silent).unwrap().iter().any(|check| !check.ok));
        // The same model from elsewhere makes the same promises.
        let text = std::fs::read_to_string(made.release.join(MODEL_FILE)).unwrap();
        let job = "kind = \"model\"\n[input]\npath = \"m.json\"\n[model]\ntype = \"given\"\nk = 2\n";
        let given = run(&[("m.json", &text)], job).unwrap();
        assert!(given.holds() && given.envelope.promises == made.envelope.promises);
    }
    for (asked, told) in [
        ("{ k-anonymity = 3 }", "model.k"),
        ("{ l-diversity = { l = 9 } }", "l"),
        ("{ unheard-of = 3 }", "model.require.unheard-of"),
        ("{ delta-presence = { max = 0.5, population = \"p.csv\" } }", "population"),
    ] {
        let error = learn(&format!("k = 2\nrequire = {asked}")).err().unwrap().to_string();
        assert!(error.contains(told), "{error}");
    }
    assert!(learn("k = 2\ngain = \"entropy\"").is_err());
}

/// A model that was learned elsewhere is the same release, without what only its people could tell; a larger k is refused.
#[test]
fn given_models_are_published_and_verified() {
    let learned = run(&[("loans.csv", LOANS)], &tree_job("k = 3")).unwrap();
    let text = String::from_utf8(std::fs::read(learned.release.join(MODEL_FILE)).unwrap()).unwrap();
    let job = |k: u64| {
        format!("kind = \"model\"\n[input]\npath = \"m.json\"\n[model]\ntype = \"given\"\nk = {k}\n")
    };
    let made = run(&[("m.json", &text)], &job(3)).unwrap();
    assert!(made.holds(), "{:?}", made.checks);
    assert_eq!(made.attacks(), [("link".to_owned(), 0.5)]);
    assert_eq!(std::fs::read(made.release.join(MODEL_FILE)).unwrap(), text.as_bytes());
    assert!(run(&[("m.json", &text)], &job(4)).is_err() && run(&[("m.json", "{}")], &job(3)).is_err());
    let wrong = job(3).replace("[model]", "public = [\"age\"]\n[model]");
    assert!(run(&[("m.json", &text)], &wrong).is_err());
}

/// Naive Bayes over twenty people: 12 are good, and the three women among the good ones who are hidden follow by subtraction.
const BAYES: &str = r#"{ "type": "bayes", "model": { "version": 1, "records": 20, "k": 3,
    "class": { "name": "risk", "values": ["Good", "Bad"] },
    "attributes": [{ "name": "gender", "values": ["Male", "Female"] }],
    "classes": [12, 8], "counts": [[[9, null], [0, 8]]] } }"#;

#[test]
fn naive_bayes_is_published_and_verified() {
    let job = |k: u64| {
        format!("kind = \"model\"\n[input]\npath = \"m.json\"\n[model]\ntype = \"given\"\nk = {k}\n")
    };
    let made = run(&[("m.json", BAYES)], &job(3)).unwrap();
    assert!(made.holds(), "{:?}", made.checks);
    assert_eq!(made.envelope.promises[0].reached, Some(3.0));
    // Men are good as far as is shown, and women bad.
    assert_eq!(made.attacks(), [("link".to_owned(), 0.85)]);
    let people = read_csv_bytes(b"gender\nMale\nFemale\nOther\n", &ReadOptions::default()).unwrap().table;
    assert_eq!(predict(&made.model(), &people).unwrap(), ["Good", "Bad", "Good"]);
    assert_eq!(linked(&made.model(), &people).unwrap()[1].likely.as_deref(), Some("Bad"));
    assert!(run(&[("m.json", BAYES)], &job(4)).is_err());
    for (from, to) in [("[9, null]", "[10, null]"), ("[9, null]", "[13, null]"), ("[0, 8]", "[0, 7]")] {
        let text = BAYES.replace(from, to);
        assert!(run(&[("m.json", &text)], &job(3)).is_err(), "{to}");
        // The referee finds the same by itself.
        std::fs::write(made.release.join(MODEL_FILE), &text).unwrap();
        let mut envelope = made.envelope.clone();
        let files = envelope.files.iter_mut().filter(|file| file.name == MODEL_FILE);
        files.for_each(|file| file.bytes = text.len() as u64);
        let opened = ReleaseFolder::trusted(&made.release, envelope);
        assert!(referee().verify(&opened, &Silent).unwrap().iter().any(|check| !check.ok), "{to}");
    }
}

/// Whoever changes a population after publishing is found by the referee.
#[test]
fn tampering_is_found() {
    let made = run(&[("loans.csv", LOANS)], &tree_job("k = 3")).unwrap();
    let path = made.release.join(MODEL_FILE);
    let mut value: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    value["model"]["spans"][0]["populations"][0]["counts"][0] = serde_json::json!(40);
    let text = serde_json::to_vec(&value).unwrap();
    std::fs::write(&path, &text).unwrap();
    let mut envelope = made.envelope.clone();
    envelope
        .files
        .iter_mut()
        .filter(|file| file.name == MODEL_FILE)
        .for_each(|file| file.bytes = text.len() as u64);
    let opened = ReleaseFolder::trusted(&made.release, envelope);
    let checks = referee().verify(&opened, &Silent).unwrap();
    assert!(checks.iter().any(|check| !check.ok), "{checks:?}");
}

#[test]
fn clusterings_are_published_and_verified() {
    let mut table = String::from("age,income\n");
    for person in 0..60 {
        let (age, income) = if person % 2 == 0 { (25, 20) } else { (60, 80) };
        table += &format!("{},{}\n", age + person % 7, income + person % 11);
    }
    let job = "kind = \"model\"\n[input]\npath = \"people.csv\"\npublic = [\"age\"]\nprivate = [\"income\"]\n\
               [model]\ntype = \"clusters\"\nk = 8\nranges = { income = [0.0, 100.0] }\n";
    let made = run(&[("people.csv", &table)], job).unwrap();
    assert!(made.holds(), "{:?}", made.checks);
    let PublishedModel::Clusters(release) = made.model() else { panic!("no clustering") };
    assert!(release.centroids.len() > 1);
    assert!(made.attacks().contains(&("centroids".to_owned(), 0.0)));
    let person = read_csv_bytes(b"age,income\n26,22\n62,85\n", &ReadOptions::default()).unwrap().table;
    let said = predict(&made.model(), &person).unwrap();
    assert_ne!(said[0], said[1]);
    let undeclared = job.replace("ranges = { income = [0.0, 100.0] }", "");
    assert!(run(&[("people.csv", &table)], &undeclared).is_err());
}

#[test]
fn rules_are_published_and_verified() {
    let mut baskets = String::new();
    for place in 0..200 {
        baskets += match place % 10 {
            0..4 => "bread milk\n",
            4..6 => "bread milk pills\n",
            6 => "tea pills\n",
            _ => "tea milk\n",
        };
    }
    // Rare wine: whoever buys it would be in a span of three.
    baskets += "wine pills\nwine pills\nwine\n";
    let job = |k: u64| {
        format!(
            "kind = \"model\"\n[input]\npath = \"baskets.txt\"\n[model]\ntype = \"rules\"\nk = {k}\nmin-support = 2\n\
             min-confidence = 0.3\nprivate-items = [\"pills\"]\n"
        )
    };
    let loose = run(&[("baskets.txt", &baskets)], &job(1)).unwrap();
    let strict = run(&[("baskets.txt", &baskets)], &job(10)).unwrap();
    assert!(loose.holds() && strict.holds(), "{:?} {:?}", loose.checks, strict.checks);
    let rules = |run: &Run| match run.model() {
        PublishedModel::Rules(own) => (own.rules.len(), own.items),
        _ => panic!("no rules"),
    };
    assert!(rules(&strict).0 < rules(&loose).0);
    assert!(rules(&loose).1.contains(&"wine".to_owned()) && !rules(&strict).1.contains(&"wine".to_owned()));
    assert!(strict.attacks().iter().any(|(id, _)| id == "channels"));
    let person = read_csv_bytes(b"bread,milk\nyes,no\n", &ReadOptions::default()).unwrap().table;
    assert!(predict(&strict.model(), &person).unwrap()[0].starts_with("milk"));
}

/// One person in a hundred and one has pills without cherries; what is published does not tell of that person.
#[test]
fn rules_tell_nothing_of_people_without_the_antecedent() {
    let baskets = |others: &str| "cherries pills\n".repeat(60) + &"cherries\n".repeat(40) + others;
    let job = "kind = \"model\"\n[input]\npath = \"b.txt\"\n[model]\ntype = \"rules\"\nk = 30\nmin-support = 30\n\
               min-confidence = 0.5\nprivate-items = [\"pills\"]\n";
    let [one, other] = ["pills\n", "tea\n"].map(|others| run(&[("b.txt", &baskets(others))], job).unwrap());
    assert!(one.holds(), "{:?}", one.checks);
    assert_eq!(one.model(), other.model());
    let path = one.release.join(MODEL_FILE);
    let text = std::fs::read_to_string(&path).unwrap();
    let told = text.replacen("\"consequent_support\": null", "\"consequent_support\": 61", 1);
    assert_ne!(text, told);
    assert!(PublishedModel::read(told.as_bytes()).is_err());
    std::fs::write(&path, &told).unwrap();
    let mut envelope = one.envelope.clone();
    let files = envelope.files.iter_mut().filter(|file| file.name == MODEL_FILE);
    files.for_each(|file| file.bytes = told.len() as u64);
    let opened = ReleaseFolder::trusted(&one.release, envelope);
    assert!(referee().verify(&opened, &Silent).unwrap().iter().any(|check| !check.ok));
}

/// Two of 202 people have bread and milk and no pills; with `close-channels` the rule that tells it is left out, and the promise is verified.
#[test]
fn channels_of_rules_are_closed() {
    let baskets = "bread milk pills\n".repeat(100)
        + "bread milk\nbread milk\n"
        + &"tea pills\n".repeat(60)
        + &"tea\n".repeat(40);
    let job = |close: bool| {
        format!(
            "kind = \"model\"\n[input]\npath = \"b.txt\"\n[model]\ntype = \"rules\"\nk = 20\nmin-support = 20\n\
             min-confidence = 0.5\nprivate-items = [\"pills\"]\nclose-channels = {close}\n"
        )
    };
    let [open, closed] = [false, true].map(|close| run(&[("b.txt", &baskets)], &job(close)).unwrap());
    let channels = |run: &Run| run.attacks().iter().find(|(id, _)| id == "channels").unwrap().1;
    assert!(open.holds() && closed.holds(), "{:?}", closed.checks);
    assert!(channels(&open) > 0.0);
    assert_eq!(channels(&closed), 0.0);
    let PublishedModel::Rules(release) = closed.model() else { panic!("no rules") };
    assert!(!release.rules.is_empty() && closed.envelope.promises.len() == 2);
    // The same promise of the open rules is found to be broken.
    let mut envelope = open.envelope.clone();
    envelope.promises = closed.envelope.promises;
    let opened = ReleaseFolder::trusted(&open.release, envelope);
    let checks = referee().verify(&opened, &Silent).unwrap();
    assert!(checks.iter().any(|check| !check.ok && check.name == "patterns of few"), "{checks:?}");
}

#[test]
fn wrong_jobs_are_told_without_data() {
    let refused = |job: &str| match run(&[("loans.csv", LOANS)], job) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("accepted: {job}"),
    };
    assert!(refused(&tree_job("k = 13")).contains("12 records"));
    assert!(refused(&tree_job("k = 2\nconfidence-limit = 0.2")).contains("0.5"));
    assert!(refused(&tree_job("k = 2\nunknown = 1")).contains("unknown"));
    assert!(refused(&tree_job("k = 2").replace("class = \"risk\"\n", "")).contains("input.class"));
    assert!(refused(&tree_job("k = 2").replace("\"age\"]", "\"age\", \"size\"]")).contains("size"));
    assert!(refused(&tree_job("k = 2").replace("\"age\"]", "\"age\", \"risk\"]")).contains("more than once"));
}

/// Both jobs of the demonstration run; only the second keeps its limit.
#[test]
fn the_demonstration_tells_its_story() {
    let demo = Model.demo().unwrap();
    let files: Vec<(&str, String)> =
        demo.files.iter().map(|(name, bytes)| (*name, String::from_utf8(bytes.clone()).unwrap())).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let risk = |name: &str| {
        let job = files.iter().find(|(own, _)| *own == name).unwrap().1;
        let made = run(&files, job).unwrap();
        assert!(made.holds(), "{name}: {:?}", made.checks);
        made.attacks().iter().find(|(id, _)| id == "link").unwrap().1
    };
    let (naive, safe) = (risk("naive.toml"), risk("safe.toml"));
    assert!(naive > 0.1 && safe < 0.05, "{naive} {safe}");
}

#[test]
fn files_stand_where_they_should() {
    let made = run(&[("loans.csv", LOANS)], &tree_job("k = 3")).unwrap();
    assert_eq!(made.job.resolve(Path::new("loans.csv")), made.folder.path().join("loans.csv"));
}

/// F-AL6: records recoded by the spans are published, k-anonymous, and checked to be the spans; the golden is Table 2 of FX-F1.
#[test]
fn records_are_published_by_spans() {
    let made = run(&[("loans.csv", LOANS)], &tree_job("k = 3\nrecords = true")).unwrap();
    assert!(made.holds(), "{:?}", made.checks);
    let path = made.release.join(RECORDS_FILE);
    let text = std::fs::read_to_string(&path).unwrap();
    let mut groups = std::collections::BTreeMap::new();
    for line in text.lines().skip(1) {
        *groups.entry(line.rsplit_once(',').unwrap().0).or_insert(0) += 1;
    }
    let expected = [("Female,No,*", 3), ("Female,Yes,*", 3), ("Male,*,Old", 3), ("Male,*,Young", 3)]
        .into_iter()
        .collect();
    assert_eq!(groups, expected);
    // A record that is moved to another group, and one that is made finer, are found.
    for (from, to) in [("Female,No,*,Good", "Female,Yes,*,Good"), ("Male,*,Old,Bad", "Male,Yes,Old,Bad")] {
        std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
        let mut envelope = made.envelope.clone();
        let bytes = std::fs::metadata(&path).unwrap().len();
        envelope.files.iter_mut().filter(|own| own.name == RECORDS_FILE).for_each(|own| own.bytes = bytes);
        let opened = ReleaseFolder::trusted(&made.release, envelope);
        let checks = referee().verify(&opened, &Silent).unwrap();
        assert!(checks.iter().any(|check| !check.ok && check.name == "recoded records"), "{to}: {checks:?}");
    }
    let public =
        tree_job("k = 3\nrecords = true").replace("[model]", "class-visibility = \"public\"\n[model]");
    assert!(run(&[("loans.csv", LOANS)], &public).is_err());
}

/// The linking attack of F-PM6 on FX-F1: whoever is a married woman is in a span of three, all bad.
#[test]
fn people_are_linked_by_public_attributes() {
    let made = run(&[("loans.csv", LOANS)], &tree_job("k = 3")).unwrap();
    let people =
        b"name,gender,married,age\nDonna,Female,Yes,Young\nEmily,Female,Yes,Young\nFrank,Male,No,Old\n";
    let table = read_csv_bytes(people, &ReadOptions::default()).unwrap().table;
    let found = linked(&made.model(), &table).unwrap();
    let told = |own: &Linked| (own.alike, own.people, own.likely.clone().unwrap(), (own.share * 3.0).round());
    assert_eq!(told(&found[0]), (2, 3, "Bad".to_owned(), 3.0));
    assert_eq!(told(&found[2]), (1, 3, "Bad".to_owned(), 2.0));
    let fewer = read_csv_bytes(b"gender\nMale\n", &ReadOptions::default()).unwrap().table;
    assert!(linked(&made.model(), &fewer).is_err());
}

/// Claim 3 for any k, and for a model that somebody else made.
#[test]
fn models_are_checked_for_any_k() {
    let made = run(&[("loans.csv", LOANS)], &tree_job("k = 3")).unwrap();
    let bytes = std::fs::read(made.release.join(MODEL_FILE)).unwrap();
    let model = PublishedModel::read(&bytes).unwrap();
    let checked = model.check(3).unwrap();
    assert_eq!((checked.violations, checked.smallest, checked.spans), (0, Some(3), 4));
    assert_eq!(model.check(4).unwrap().violations, 4);
    assert!(model.check(0).is_err() && model.check(13).is_err());
    assert!(PublishedModel::read(b"{}").is_err());
}

/// FX-T8: ab is hidden by two baskets that lose an item, nothing else is lost, and the report tells when it comes back.
#[test]
fn rules_are_hidden_in_baskets() {
    let baskets = "a b c\na b d\na b c\na c d\nb c d\na b c d\na c\nb d\n";
    let hide = |rule: &str, method: Method| {
        let rules = [HideRequest::parse(rule)?];
        let options = HideOptions { support: 3.0, confidence: 0.01, method, seconds: 10.0, limit: 10_000 };
        hide_rules(baskets, None, &rules, &options, &Silent)
    };
    let hidden = hide("a, b", Method::ExactItems).unwrap();
    assert_eq!((hidden.changed, hidden.cost.failures, hidden.cost.lost), (2, 0, 0));
    let of_ab = hidden.text.lines().filter(|line| line.contains('a') && line.contains('b')).count();
    assert_eq!((of_ab, hidden.text.lines().count()), (2, 8));
    assert_eq!(hidden.returned[0].share, Some(0.95));
    assert!(hide("a => b", Method::Iga).is_ok());
    let refused = |rule: &str| hide(rule, Method::Iga).unwrap_err().to_string();
    assert!(refused("a, x").contains("no basket holds"));
    assert!(refused("a =>").contains("item => item"));
    assert!(refused("a, b, d").contains("rule 1"), "{}", refused("a, b, d"));
}

/// A share of fewer baskets is a lower number: whoever mines what is shared at that share must not find the rule. Whole baskets go, or baskets
/// lose their last item.
#[test]
fn shares_are_taken_of_the_baskets_that_are_shared() {
    let many = "bread milk\n".repeat(300) + &"tea\n".repeat(700) + &"rum\n".repeat(9000);
    // The rule over one item: what loses it is an empty basket.
    let single = "bread\n".repeat(300) + &"tea milk\n".repeat(9700);
    for (text, rule, method) in [
        (&many, "bread => milk", Method::RemoveTransactions),
        (&single, "bread", Method::Iga),
        (&single, "bread", Method::MaxFia),
    ] {
        let rules = [HideRequest::parse(rule).unwrap()];
        let options = HideOptions { support: 0.02, confidence: 0.5, method, seconds: 10.0, limit: 10_000 };
        let hidden = hide_rules(text, None, &rules, &options, &Silent).unwrap();
        let lines = hidden.text.lines().count();
        let holding = hidden.text.lines().filter(|line| line.contains("bread")).count();
        let share = holding as f64 / lines as f64;
        assert!(lines < 10_000 && share < 0.02, "{method:?}: {holding} of {lines}");
        assert_eq!(hidden.thresholds.support, (0.02 * lines as f64).ceil() as u64);
        // No more baskets went than had to: with one more, the rule would be found.
        assert!((holding + 1) as f64 >= 0.02 * (lines + 1) as f64);
        assert_eq!((hidden.hiding_failure, hidden.cost.ghosts), (0.0, 0));
    }
}
