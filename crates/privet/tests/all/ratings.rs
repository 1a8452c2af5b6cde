//! Ratings through every verb: published, proven, attacked and measured; and every way in which a release may be wrong.

use std::path::{Path, PathBuf};

use privet::{AttackOptions, Fault, JobFile, Plan, Report};
use privet_data::Silent;
use privet_release::{MANIFEST, VerifyOptions};

/// Sixty people, twelve films, one of them sensitive; who rates what follows from a few remainders.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::from("userId,movieId,rating,timestamp\n");
    for user in 0..60u32 {
        for item in 0..12u32 {
            if (user * 7 + item * 5 + user * item) % 4 != 0 {
                let rating = 1 + (user / 12 + item + user * item % 3) % 5;
                let seconds = 1_000_000_000 + (user * 31 + item * 17) * 86_400;
                text.push_str(&format!("person-{user},film-{item},{rating},{seconds}\n"));
            }
        }
    }
    std::fs::write(folder.path().join("ratings.csv"), text).unwrap();
    folder
}

fn job(folder: &Path, ratings: &str, rest: &str) -> PathBuf {
    let text = format!(
        "kind = \"ratings\"\n[input]\npath = \"ratings.csv\"\nuser = \"userId\"\nitem = \"movieId\"\nrating = \"rating\"\n\
         time = \"timestamp\"\nscale = {{ low = 1, high = 5 }}\nsensitive = [\"film-3\"]\n[ratings]\n{ratings}\n{rest}\n\
         [output]\nfolder = \"release\"\nhome = \"home\"\nreplace = true\n"
    );
    let path = folder.join("job.toml");
    std::fs::write(&path, text).unwrap();
    path
}

fn run(folder: &Path, ratings: &str, rest: &str) -> Result<Report, privet::KindError> {
    privet::run(&JobFile::read(&job(folder, ratings, rest), &[])?, &[], &Silent)
}

#[test]
fn every_way_to_publish_is_made_proven_attacked_and_measured() {
    let folder = folder();
    for (ratings, promise) in [
        ("method = \"pseudonyms\"", "Users are numbered"),
        ("k = 5\nepsilon = 1", "groups of at least 5"),
        ("k = 5\nepsilon = 0\nreconcile = \"blank\"", "differ by at most 0"),
        ("k = 5\nepsilon = 1\nreconcile = \"fill\"\ncompletion = \"centroid\"", "groups of at least 5"),
        ("k = 5\nepsilon = 1\nl = 1\nitems = 6", "standard deviation of at least 1"),
        (
            "k = 4\nepsilon = 2\nl = 0.5\nsemantics = \"neighbourhood\"\nsd-nulls = \"as-zero\"",
            "at least 3 others",
        ),
        ("k = 5\nepsilon = 1\nnull-rule = \"padding\"\nshare = 0.1", "groups of at least 5"),
        ("k = 5\nepsilon = 1\nnull-rule = \"literal\"", "groups of at least 5"),
        ("k = 5\nepsilon = 5\nnull-rule = \"literal\"", "groups of at least 5"),
    ] {
        let report = run(folder.path(), ratings, "").unwrap_or_else(|error| panic!("{ratings}: {error}"));
        assert!(report.promises.iter().any(|own| own.contains(promise)), "{ratings}: {:?}", report.promises);
        let made: Vec<&str> = report.assessment.findings.iter().map(|own| own.attack.as_str()).collect();
        for attack in ["scoreboard", "linkage", "sensitive-ratings"] {
            assert!(made.contains(&attack), "{ratings}: {made:?}");
        }
        assert!(
            report.assessment.findings.iter().all(|own| own.control.is_some()),
            "{ratings}: a control each"
        );
        assert!(report.assessment.figures.len() > 8, "{ratings}: {:?}", report.assessment.not_measured);
        let release = folder.path().join("release");
        let verdict = privet::verify(&release, VerifyOptions::default()).unwrap();
        assert!(verdict.holds(), "{ratings}: {:?}", verdict.checks);
        let options = AttackOptions {
            release: release.clone(),
            knowledge: None,
            job: Some(folder.path().join("job.toml")),
            plan: Plan::default(),
            confidence: 0.9,
            seed: 1,
            report: None,
        };
        let again = privet::attack(&options, &Silent).unwrap();
        assert_eq!(again.findings.len(), report.assessment.findings.len(), "{ratings}");
        for name in ["ratings.csv", "groups.csv", MANIFEST, "report.html"] {
            let text = std::fs::read_to_string(release.join(name)).unwrap_or_default();
            assert!(!text.contains("person-"), "{ratings}: a name is published in {name}");
        }
    }
}

/// The owner reads which k and epsilon the ratings had before and have now, and finds the promise kept.
#[test]
fn satisfaction_is_measured_before_and_after() {
    let folder = folder();
    let figure = |report: &Report, name: &str| {
        let found = report
            .assessment
            .figures
            .iter()
            .find(|own| own.measure == "satisfaction" && own.name.starts_with(name));
        let found = found.unwrap_or_else(|| panic!("{name}: {:?}", report.assessment.not_measured));
        (found.before, found.after)
    };
    let report = run(folder.path(), "k = 5\nepsilon = 1\nl = 1\nitems = 6", "").unwrap();
    let (before, after) = figure(&report, "largest k for epsilon 1, groups");
    assert!(after >= 5.0 && before.unwrap() < after, "{before:?} {after}");
    let (before, after) = figure(&report, "smallest epsilon for k = 5");
    assert!(after <= 1.0 && before.is_none_or(|before| before > after), "{before:?} {after}");
    assert!(figure(&report, "smallest epsilon for l = 1").1 <= 4.0);
    let report = run(folder.path(), "method = \"pseudonyms\"", "").unwrap();
    assert_eq!(
        figure(&report, "largest k for epsilon 1, groups").0,
        Some(figure(&report, "largest k for epsilon 1, groups").1)
    );
}

/// Plain pseudonyms are broken by eight known ratings, and groups of equal rows are not.
#[test]
fn the_gate_refuses_pseudonyms_and_accepts_groups() {
    let folder = folder();
    let limit = "[adversary]\nmax-risk = 0.1";
    assert_eq!(run(folder.path(), "method = \"pseudonyms\"", limit).unwrap_err().fault(), Fault::Refused);
    assert!(!folder.path().join("release").exists());
    let knowledge = "[adversary]\nattacks = [\"scoreboard\"]\nmax-risk = 0.1";
    run(folder.path(), "k = 6\nepsilon = 0", knowledge).unwrap();
}

#[test]
fn the_same_job_gives_the_same_bytes_whatever_the_order_of_the_file() {
    let bytes = |reversed: bool| {
        let folder = folder();
        if reversed {
            let path = folder.path().join("ratings.csv");
            let text = std::fs::read_to_string(&path).unwrap();
            let mut lines: Vec<&str> = text.lines().collect();
            lines[1..].reverse();
            std::fs::write(&path, lines.join("\n") + "\n").unwrap();
        }
        run(folder.path(), "k = 5\nepsilon = 1", "").unwrap();
        let read = |name: &str| std::fs::read(folder.path().join("release").join(name)).unwrap();
        ["ratings.csv", "groups.csv", MANIFEST, "report.html"].map(read)
    };
    assert_eq!(bytes(false), bytes(true));
}

#[test]
fn mistakes_are_told_and_nothing_is_written() {
    let folder = folder();
    for ratings in [
        "k = 0",
        "k = 61",
        "epsilon = -1",
        "l = 9",
        "items = 0",
        "share = 2",
        "items = 3\nshare = 0.5",
        "null-rule = \"literal\"\nitems = 3",
        "method = \"magic\"",
        "unknown = 1",
    ] {
        let refused = run(folder.path(), ratings, "").unwrap_err();
        assert_eq!(refused.fault(), Fault::BadInput, "{ratings}: {refused}");
        assert!(!refused.to_string().contains("person-"));
        assert!(!folder.path().join("release").exists(), "{ratings}");
    }
    let path = folder.path().join("ratings.csv");
    let good = std::fs::read_to_string(&path).unwrap();
    for (line, problem) in [
        ("person-1,film-0,9,1000000000\n", "not on the scale"),
        ("person-1,film-0,2.5,1000000000\n", "not on the scale"),
        (",film-0,3,1000000000\n", "no user or no item"),
        ("person-1,film-0,3,yesterday\n", "times"),
    ] {
        std::fs::write(&path, good.clone() + line).unwrap();
        let refused = run(folder.path(), "k = 5", "").unwrap_err();
        assert!(refused.to_string().contains(problem), "{refused}");
        assert!(!refused.to_string().contains("person-1"));
    }
    std::fs::write(&path, good + "person-99,film-0,,1000000000\nperson-1,film-1,3,1000000000\n").unwrap();
    let report = run(folder.path(), "k = 5", "").unwrap();
    assert!(report.summary.iter().any(|(what, _)| what == "repaired"), "{:?}", report.summary);
}

/// Files that were changed so that hashes and seals fit again are caught by the referee.
#[test]
fn the_referee_catches_what_a_maker_may_do_wrong() {
    use privet_release::{Draft, Envelope, ReleaseFolder};
    use std::io::Write;
    let folder = folder();
    run(folder.path(), "k = 5\nepsilon = 1\nl = 1\nitems = 8", "").unwrap();
    let release = folder.path().join("release");
    let envelope = ReleaseFolder::open(&release, &Silent).unwrap().envelope().clone();
    let read = |name: &str| std::fs::read_to_string(release.join(name)).unwrap();
    let (ratings, groups) = (read("ratings.csv"), read("groups.csv"));
    let judge =
        |ratings: &str, groups: &str, change: &dyn Fn(&mut Envelope)| -> Result<Vec<String>, String> {
            let place = tempfile::tempdir().unwrap();
            let draft = Draft::begin(&place.path().join("forged"), false).unwrap();
            for (name, text) in [("ratings.csv", ratings), ("groups.csv", groups)] {
                let mut file = draft.create(name).unwrap();
                file.write_all(text.as_bytes()).unwrap();
                file.finish().unwrap();
            }
            let mut forged = envelope.clone();
            forged.files.clear();
            change(&mut forged);
            let opened = ReleaseFolder::trusted(draft.path(), draft.sealed(forged).unwrap());
            let referee = privet_referee::REFEREES.iter().find(|own| own.kind() == "ratings").unwrap();
            let checks = referee.verify(&opened, &Silent).map_err(|error| error.to_string())?;
            Ok(checks.into_iter().filter(|check| !check.ok).map(|check| check.name).collect())
        };
    let same = |_: &mut Envelope| {};
    assert_eq!(judge(&ratings, &groups, &same), Ok(Vec::new()), "nothing was changed");
    let lines: Vec<&str> = ratings.lines().collect();
    let failed = |ratings: &str, groups: &str, change: &dyn Fn(&mut Envelope), name: &str| {
        let failures = judge(ratings, groups, change);
        assert!(
            failures.as_ref().map_or(true, |own| own.iter().any(|own| own == name)),
            "{name}: {failures:?}"
        );
        assert!(failures != Ok(Vec::new()));
    };
    // A rating far away, a rating less, a rating off the scale, a rating twice.
    let moved: Vec<String> = lines
        .iter()
        .enumerate()
        .map(|(at, line)| {
            let (start, rating) = line.rsplit_once(',').unwrap();
            let far = if rating.starts_with(['1', '2']) { "5" } else { "1" };
            if at == 1 { format!("{start},{far}") } else { (*line).to_owned() }
        })
        .collect();
    failed(&(moved.join("\n") + "\n"), &groups, &same, "k-epsilon");
    failed(&(lines[..lines.len() - 1].join("\n") + "\n"), &groups, &same, "size");
    failed(
        &ratings.replacen(lines[1], &(lines[1].rsplit_once(',').unwrap().0.to_owned() + ",9"), 1),
        &groups,
        &same,
        "ratings",
    );
    failed(&format!("{ratings}{}\n", lines[1]), &groups, &same, "ratings");
    // A user in no group, and a group that is too small.
    let members: Vec<&str> = groups.lines().collect();
    failed(&ratings, &(members[..members.len() - 1].join("\n") + "\n"), &same, "groups");
    failed(&ratings, &groups.replacen(members[1], "0,999", 1), &same, "k-epsilon");
    // Promises that are larger than what is kept, or that nobody knows.
    let promise = |at: usize, key: &'static str, value: f64| {
        move |envelope: &mut Envelope| {
            envelope.promises[at].parameters.insert(key.to_owned(), value.into());
        }
    };
    failed(&ratings, &groups, &promise(0, "epsilon", -1.0), "k-epsilon");
    failed(
        &ratings,
        &groups,
        &|own: &mut Envelope| {
            own.promises[0].parameters.insert("k".into(), 7.into());
        },
        "k-epsilon",
    );
    failed(&ratings, &groups, &promise(1, "l", 1.99), "diversity");
    failed(&ratings, &groups, &|own: &mut Envelope| own.promises[1].id = "other".into(), "promises");
    failed(&ratings, &groups, &|own: &mut Envelope| own.promises.clear(), "promises");
}

#[test]
fn init_recognises_ratings_and_its_job_runs() {
    let folder = folder();
    let (kind, proposal) = privet::propose(&folder.path().join("ratings.csv"), &Silent).unwrap();
    assert_eq!(kind, "ratings");
    assert!(proposal.reasons.iter().all(|reason| !reason.contains("person-")));
    let path = folder.path().join("job.toml");
    std::fs::write(&path, &proposal.job).unwrap();
    let settings = ["adversary.max-risk=1.0".to_owned()];
    privet::run(&JobFile::read(&path, &settings).unwrap(), &[], &Silent).unwrap();
}

/// A matrix of users by items is recognised; a table of people with other columns is not taken for one.
#[test]
fn init_recognises_a_wide_matrix_and_its_job_runs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answers.csv");
    let rows = |last: &dyn Fn(u32) -> u32| -> String {
        let row = |user: u32| {
            format!(
                "u{user},{},{},{},{},{}\n",
                1 + user % 5,
                1 + user / 5 % 5,
                1 + user / 9 % 5,
                5 - user % 5,
                last(user)
            )
        };
        (0..40).map(row).collect()
    };
    std::fs::write(&path, format!("user,q1,q2,q3,q4,q5\n{}", rows(&|user| 1 + user / 7 % 5))).unwrap();
    let (kind, proposal) = privet::propose(&path, &Silent).unwrap();
    assert_eq!(kind, "ratings");
    assert!(proposal.job.contains("layout = \"wide\""), "{}", proposal.job);
    let job = folder.path().join("job.toml");
    std::fs::write(&job, &proposal.job).unwrap();
    let settings = ["adversary.max-risk=1.0".to_owned()];
    privet::run(&JobFile::read(&job, &settings).unwrap(), &[], &Silent).unwrap();
    std::fs::write(&path, format!("user,q1,q2,q3,q4,income\n{}", rows(&|user| 1000 + 37 * user))).unwrap();
    let other = privet::propose(&path, &Silent);
    assert!(other.is_none_or(|(kind, _)| kind != "ratings"));
}

/// The shape of Table 6.1: few questions, one of them sensitive, and everybody answered all of them.
#[test]
fn few_questions_and_a_sensitive_one_are_published_and_attacked() {
    let folder = tempfile::tempdir().unwrap();
    let rows = [[6, 1, 2, 6], [1, 6, 3, 1], [2, 5, 2, 1], [1, 3, 5, 1], [2, 4, 6, 5], [6, 2, 2, 4]];
    let mut text = String::from("user,item,rating\n");
    for (user, row) in rows.iter().enumerate() {
        for (item, rating) in row.iter().enumerate() {
            text.push_str(&format!("person-{user},question-{item},{rating}\n"));
        }
    }
    std::fs::write(folder.path().join("ratings.csv"), text).unwrap();
    let run = |sensitive: &str, settings: &str| {
        let text = format!(
            "kind = \"ratings\"\n[input]\npath = \"ratings.csv\"\nscale = {{ low = 1, high = 6 }}\n\
             sensitive = [{sensitive}]\n[ratings]\n{settings}\n[output]\nfolder = \"release\"\nhome = \"home\"\n\
             replace = true\n"
        );
        std::fs::write(folder.path().join("job.toml"), text).unwrap();
        privet::run(&JobFile::read(&folder.path().join("job.toml"), &[])?, &[], &Silent)
    };
    for settings in ["k = 2\nepsilon = 2", "k = 3\nepsilon = 1\nl = 1", "method = \"pseudonyms\""] {
        let report = run("\"question-3\"", settings).unwrap_or_else(|error| panic!("{settings}: {error}"));
        let found: Vec<&str> = report.assessment.findings.iter().map(|own| own.attack.as_str()).collect();
        for attack in ["scoreboard", "linkage", "sensitive-ratings"] {
            assert!(found.contains(&attack), "{settings}: {found:?}");
        }
        // Three of four ratings are not sensitive, so three may be known.
        assert!(report.assessment.findings[0].variant.starts_with("3 known"), "{settings}");
    }
    // Where everything is sensitive nothing is known, which is a reason and no failure.
    let all = "\"question-0\", \"question-1\", \"question-2\", \"question-3\"";
    let report = run(all, "method = \"pseudonyms\"").unwrap();
    assert_eq!((report.assessment.findings.len(), report.assessment.not_made.len()), (0, 3));
}

/// The gate attacks with dates and without them, and a knowledge file may say that dates are not known.
#[test]
fn the_scoreboard_is_made_with_and_without_times() {
    let folder = folder();
    let variants = |report: &Report| -> Vec<String> {
        let found = report.assessment.findings.iter();
        found.filter(|own| own.attack == "scoreboard" && own.counts).map(|own| own.variant.clone()).collect()
    };
    let usual = variants(&run(folder.path(), "method = \"pseudonyms\"", "").unwrap());
    assert_eq!(usual.len(), 3, "{usual:?}");
    assert!(usual[2].ends_with("without dates"), "{usual:?}");
    // Groups are published without dates.
    assert_eq!(variants(&run(folder.path(), "k = 5", "").unwrap()).len(), 2);
    std::fs::write(folder.path().join("known.toml"), "[scoreboard]\nknown = 2\nwrong = 0\ntimes = false\n")
        .unwrap();
    let known = "[adversary]\nknowledge = \"known.toml\"";
    let report = run(folder.path(), "method = \"pseudonyms\"", known).unwrap();
    assert_eq!(variants(&report), ["2 known ratings"]);
    std::fs::write(folder.path().join("known.toml"), "[scoreboard]\nknown = 2\nwrong = 0\n").unwrap();
    let dated = run(folder.path(), "method = \"pseudonyms\"", known).unwrap();
    assert_eq!(variants(&dated), ["2 known ratings", "2 known ratings, without dates"]);
    let right = |own: &Report| own.assessment.findings[0].right.unwrap().rate();
    assert!(right(&dated) > right(&report), "dates tell more: {} {}", right(&dated), right(&report));
}

/// Two circles of people who rated nothing in common, each with fewer people than a group needs, become one group.
#[test]
fn circles_that_are_too_small_are_joined() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::from("userId,movieId,rating,timestamp\n");
    for user in 0..8u32 {
        for item in 0..4u32 {
            let film = 10 * (user / 4) + item;
            text.push_str(&format!("person-{user},film-{film},{},1000000000\n", 1 + (user + item) % 5));
        }
    }
    std::fs::write(folder.path().join("ratings.csv"), text).unwrap();
    let path = job(folder.path(), "k = 5\nepsilon = 1\nnull-rule = \"literal\"", "");
    let text = std::fs::read_to_string(&path).unwrap().replace("film-3", "film-13");
    std::fs::write(&path, text).unwrap();
    let report = privet::run(&JobFile::read(&path, &[]).unwrap(), &[], &Silent).unwrap();
    assert!(
        report.summary.contains(&("groups".to_owned(), "1, the smallest of 8 users".to_owned())),
        "{:?}",
        report.summary
    );
    let verdict = privet::verify(&folder.path().join("release"), VerifyOptions::default()).unwrap();
    assert!(verdict.holds(), "{:?}", verdict.checks);
}
