//! `countermeasure = "p-safe"` (survey ME-17, PM-34) against its definition: every original of random small tables is run from file to
//! release, originals are put together by what is published of them, and every promise is judged of what is left to believe of
//! everybody, by formulas that are written down here once more. Cases are seeded and the same in every run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use privet_data::Silent;
use privet_job::{Job, Outcome, RunOptions, run};
use privet_release::{VerifyOptions, verify};

const CASES: u64 = 40;

/// Knuth's 64-bit linear congruence: the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn of<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }
}

const VALUES: [&str; 3] = ["a", "b", "c"];
/// Shares come from divisions.
const SLACK: f64 = 1e-9;

/// A promise, and whether it holds of shares, given those in the whole table.
type Promise = (&'static str, fn(&[f64], &[f64]) -> bool);

const PROMISES: [Promise; 8] = [
    ("l-diversity = { l = 2 }", |own, _| own.iter().filter(|&&share| share > 0.0).count() >= 2),
    ("l-diversity = { kind = \"entropy\", l = 1.8 }", |own, _| {
        -own.iter().filter(|&&p| p > 0.0).map(|p| p * p.ln()).sum::<f64>() >= 1.8f64.ln() - SLACK
    }),
    ("l-diversity = { kind = \"recursive\", l = 2, c = 2.5 }", |own, _| {
        let mut sorted = own.to_vec();
        sorted.sort_by(|a, b| b.total_cmp(a));
        sorted[0] < 2.5 * sorted[1..].iter().sum::<f64>() + SLACK
    }),
    ("alpha-k = { alpha = 0.5, k = 2, values = [\"a\"] }", |own, _| own[0] <= 0.5 + SLACK),
    ("alpha-k = { alpha = 0.67, k = 1 }", |own, _| own.iter().all(|&share| share <= 0.67 + SLACK)),
    ("t-closeness = { kind = \"equal\", t = 0.34 }", |own, all| {
        own.iter().zip(all).map(|(p, q)| (p - q).abs()).sum::<f64>() / 2.0 <= 0.34 + SLACK
    }),
    ("beta-likeness = { beta = 1.0 }", |own, all| {
        own.iter().zip(all).all(|(p, q)| *p <= *q || (p - q) / q <= 1.0 + SLACK)
    }),
    ("p-sensitivity = { p = 2, k = 2 }", |own, _| own.iter().filter(|&&share| share > 0.0).count() >= 2),
];

/// All ways in which these values can belong to people.
fn originals(values: &[usize]) -> BTreeSet<Vec<usize>> {
    let mut all = BTreeSet::from([Vec::new()]);
    let count = |own: &[usize], value: usize| own.iter().filter(|&&own| own == value).count();
    for _ in 0..values.len() {
        let longer = all.iter().flat_map(|own: &Vec<usize>| {
            let fits = |value: &usize| count(own, *value) < count(values, *value);
            (0..VALUES.len()).filter(fits).map(|value| [&own[..], &[value]].concat()).collect::<Vec<_>>()
        });
        all = longer.collect();
    }
    all
}

/// Publishes an original. Gives the lines of the release, without their order.
fn published(folder: &Path, people: &[String], original: &[usize], job: &Job) -> Option<Vec<String>> {
    let lines: Vec<String> =
        people.iter().zip(original).map(|(own, &value)| format!("{own},{}\n", VALUES[value])).collect();
    std::fs::write(folder.join("people.csv"), format!("age,town,disease\n{}", lines.concat())).unwrap();
    let options = RunOptions { base: folder.to_owned(), ..RunOptions::default() };
    match run(job, &options, &Silent) {
        Ok(summary) => {
            let verdict = verify(&summary.release, VerifyOptions::default()).unwrap();
            assert!(verdict.holds(), "{:#?}", verdict.failures().collect::<Vec<_>>());
            let text = std::fs::read_to_string(summary.release.join("data.csv")).unwrap();
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines.sort();
            // Lines alone may be the same at different levels.
            let levels: Vec<String> = summary.levels.iter().map(|own| format!("{own:?}")).collect();
            lines.extend(levels);
            Some(lines)
        }
        Err(error) => {
            assert_eq!(error.outcome(), Outcome::Refused, "{error}");
            None
        }
    }
}

/// Runs all originals of a table; gives how many are published, and how much surer than promised the worst belief is allowed to be: whether
/// all hold.
fn run_all(
    folder: &Path,
    people: &[String],
    values: &[usize],
    text: &str,
    promise: Promise,
) -> (usize, usize, bool) {
    let job = Job::parse(text, &["output.replace=true".to_owned()]).unwrap();
    let all: Vec<f64> = (0..VALUES.len())
        .map(|value| values.iter().filter(|&&own| own == value).count() as f64 / values.len() as f64)
        .collect();
    let mut by_release: BTreeMap<Vec<String>, Vec<Vec<usize>>> = BTreeMap::new();
    let originals = originals(values);
    for original in &originals {
        if let Some(lines) = published(folder, people, original, &job) {
            by_release.entry(lines).or_default().push(original.clone());
        }
    }
    let holds = by_release.values().all(|set| {
        (0..people.len()).all(|person| {
            let share = |value: usize| {
                set.iter().filter(|own| own[person] == value).count() as f64 / set.len() as f64
            };
            let own: Vec<f64> = (0..VALUES.len()).map(share).collect();
            promise.1(&own, &all)
        })
    });
    (by_release.values().map(Vec::len).sum(), originals.len(), holds)
}

#[test]
fn every_original_of_many_tables() {
    let folder = tempfile::tempdir().unwrap();
    let (mut runs, mut released, mut told_too_much) = (0, 0, 0);
    for case in 0..CASES {
        let mut random = Random(case);
        let promise = PROMISES[case as usize % PROMISES.len()];
        let people: Vec<String> = (0..4 + random.below(2))
            .map(|_| format!("{},{}", 20 + 5 * random.below(4), random.of(&["Bonn", "Ulm"])))
            .collect();
        let mut values: Vec<usize> =
            people.iter().map(|_| random.below(3).saturating_sub(random.below(2))).collect();
        // At least two different values, one of them the protected one.
        (values[0], values[1]) = (0, 1);
        let age = random.of(&["", "hierarchy = { intervals = [10, 20] }"]);
        let minimize = random.of(&["loss", "height", "discernibility"]);
        let suppress = random.of(&["0", "0", "0.3"]);
        let text = format!(
            "[input]\npath = \"people.csv\"\n[columns.age]\nrole = \"quasi\"\n{age}\n[columns.town]\nrole = \"quasi\"\n\
             [columns.disease]\nrole = \"sensitive\"\n[privacy]\n{}\n[search]\nminimize = \"{minimize}\"\n\
             suppress-at-most = {suppress}\n",
            promise.0
        );
        let p_safe = format!("{text}[adversary]\ncountermeasure = \"p-safe\"\n");
        let (some, all, holds) = run_all(folder.path(), &people, &values, &p_safe, promise);
        assert!(holds, "case {case}: somebody is surer than promised\n{text}{people:?} {values:?}");
        (runs, released) = (runs + all, released + some);
        // That the test can tell: the plain search does let somebody be surer, in some of these tables.
        if case % 4 == 0 {
            told_too_much += usize::from(!run_all(folder.path(), &people, &values, &text, promise).2);
        }
    }
    println!(
        "{released} of {runs} originals were published; plainly, {told_too_much} of {} tables tell too much",
        CASES / 4
    );
    assert!(released * 3 > runs && told_too_much > 0, "{released} of {runs}, {told_too_much}");
}
