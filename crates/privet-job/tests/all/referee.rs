//! Random jobs on random small tables: whatever the search publishes, the referee must confirm.
//!
//! `verify` shares no code with the search and the criteria, so a disagreement is a bug in one of them. Small
//! tables with few values, missing ones and ties are where definitions differ if they do. Cases are seeded and
//! the same in every run; a failing one is told with its job and its table.

use std::collections::BTreeMap;
use std::path::Path;

use privet_data::Silent;
use privet_job::{Job, Outcome, RunOptions, run};
use privet_release::{VerifyOptions, verify};

const CASES: u64 = 300;

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

/// Lines of age, town, sex, disease and income; some are not known.
fn records(random: &mut Random, rows: usize, dull: usize) -> String {
    let mut text = String::new();
    for _ in 0..rows {
        let age = match random.below(9) {
            0 => "?".to_owned(),
            _ => (20 + random.below(40)).to_string(),
        };
        let town = random.of(&["Bonn", "Ulm", "Trier", "", "?", "Bonn", "Ulm"]);
        let sex = random.of(&["f", "m"]);
        // The duller the table, the more people have the first disease.
        let disease = ["a", "b", "c", "d", ""][random.below(dull).saturating_sub(dull - 5)];
        // A number in several forms is one value to both.
        let income = random.of(&["100", "200", "250", "900", "?", "100.0", "1e2", "+200"]);
        text.push_str(&format!("{age},{town},{sex},{disease},{income}\n"));
    }
    text
}

fn criterion(random: &mut Random) -> String {
    let l = random.of(&["1", "2", "3"]);
    let fraction = random.of(&["1", "1.2", "1.7", "2", "2.6"]);
    let c = random.of(&["0.5", "1", "2", "3.5"]);
    let share = random.of(&["0.1", "0.2", "0.35", "0.5", "0.75", "1"]);
    let column = random.of(&["disease", "income"]);
    let categories = "categories = [[\"a\"], [\"b\", \"\"], [\"c\", \"d\"]], column = \"disease\"";
    let concepts = "concepts = { x = [\"a\", \"b\"], y = [\"c\"] }, column = \"disease\"";
    match random.below(24) {
        0 => format!("k-anonymity = {}", 1 + random.below(8)),
        1 => format!("alpha-k = {{ alpha = {share}, k = {l}, column = \"{column}\" }}"),
        2 => format!("alpha-k = {{ alpha = {share}, k = {l}, values = [\"a\"], column = \"disease\" }}"),
        3 => format!("l-diversity = {{ l = {l}, column = \"{column}\" }}"),
        4 => format!("l-diversity = {{ kind = \"entropy\", l = {fraction}, column = \"{column}\" }}"),
        5 => format!("l-diversity = {{ kind = \"recursive\", c = {c}, l = {l}, column = \"{column}\" }}"),
        6 => format!(
            "l-diversity = {{ kind = \"positive-disclosure\", c = {c}, l = {l}, allowed = [\"a\"], column = \"disease\" }}"
        ),
        7 => format!(
            "l-diversity = {{ kind = \"negative-positive-disclosure\", c = {c}, l = {l}, c2 = {}, allowed = [\"a\"], \
             protected = [\"b\"], column = \"disease\" }}",
            1 + random.below(30)
        ),
        8 => format!("l-diversity = {{ l = {l}, multi-attribute = true }}"),
        9 => format!(
            "l-diversity = {{ kind = \"entropy\", l = {fraction}, multi-attribute = true, column = \"{column}\" }}"
        ),
        10 => format!("t-closeness = {{ kind = \"variational\", t = {share}, column = \"{column}\" }}"),
        11 => format!("t-closeness = {{ kind = \"kl\", t = {share}, column = \"{column}\" }}"),
        12 => format!("t-closeness = {{ kind = \"ordered\", t = {share}, column = \"income\" }}"),
        13 => format!(
            "t-closeness = {{ kind = \"ordered\", t = {share}, order = [\"c\", \"\", \"z\", \"a\", \"d\", \"b\"], column = \"disease\" }}"
        ),
        14 => format!("t-closeness = {{ kind = \"hierarchical\", t = {share}, column = \"disease\" }}"),
        15 => format!(
            "t-closeness = {{ kind = \"matrix\", t = {share}, costs = [[\"a\", \"b\", 0.2], [\"c\", \"\", 0.9], [\"a\", \"d\", 2]], \
             column = \"disease\" }}"
        ),
        16 => format!("p-sensitivity = {{ p = {l}, k = {}, column = \"{column}\" }}", 2 + random.below(4)),
        17 => format!("p-sensitivity = {{ p = {l}, k = 2, plus = true, {categories} }}"),
        18 => format!("p-sensitivity = {{ p = {l}, k = 2, alpha = {c}, {categories} }}"),
        19 => format!("concept-diversity = {{ l = {l}, kind = \"distinct\", {concepts} }}"),
        20 => format!("concept-diversity = {{ l = {fraction}, kind = \"entropy\", {concepts} }}"),
        21 => match random.below(3) {
            0 => format!("proximity-diversity = {{ l = {l}, width = 60, column = \"income\" }}"),
            1 => format!(
                "proximity-diversity = {{ l = 2, width = 60, balance = {share}, column = \"income\" }}"
            ),
            _ => format!(
                "proximity-diversity = {{ kind = \"neighbourhood\", l = {fraction}, width = 60, column = \"income\" }}"
            ),
        },
        22 => format!(
            "beta-likeness = {{ beta = {c}, kind = \"{}\", column = \"{column}\" }}",
            random.of(&["basic", "enhanced"])
        ),
        _ => match random.below(4) {
            0 => format!("delta-disclosure = {{ delta = {c}, column = \"{column}\" }}"),
            1 => format!("delta-presence = {{ max = {share}, population = \"population.csv\" }}"),
            2 => format!("delta-presence = {{ min = 0.1, max = {share}, population = \"population.csv\" }}"),
            _ => format!("k-map = {{ k = {}, population = \"population.csv\" }}", 1 + random.below(6)),
        },
    }
}

fn job(random: &mut Random) -> String {
    // Two of a kind would be a duplicate key.
    let mut criteria: BTreeMap<String, String> = BTreeMap::new();
    for _ in 0..=random.below(3) {
        let line = criterion(random);
        criteria.insert(line.split(' ').next().unwrap_or_default().to_owned(), line);
    }
    let privacy: Vec<&str> = criteria.values().map(String::as_str).collect();
    let age = random.of(&[
        "",
        "hierarchy = { intervals = [5, 10, 20] }",
        "hierarchy = { intervals = [7], top = 50 }",
    ]);
    let town = random.of(&[
        "",
        "hierarchy = { mask = \"left\" }",
        "hierarchy = { tree = { south = [\"Ulm\"], west = [\"Bonn\", \"Trier\"] } }",
    ]);
    let minimize = random.of(&[
        "loss",
        "height",
        "precision",
        "discernibility",
        "average-class-size",
        "ambiguity",
        "kullback-leibler",
    ]);
    format!(
        "[input]\npath = \"people.csv\"\nheader = true\nmissing = [\"\", \"?\"]\n[columns.age]\nrole = \"quasi\"\n{age}\n\
         [columns.town]\nrole = \"quasi\"\n{town}\n[columns.sex]\nrole = \"quasi\"\n[columns.disease]\nrole = \"sensitive\"\n\
         hierarchy = {{ tree = {{ x = [\"a\", \"b\"], y = [\"c\", \"d\"] }} }}\n[columns.income]\nrole = \"sensitive\"\n\
         [privacy]\n{}\n[search]\nminimize = \"{minimize}\"\nsuppress-at-most = {}\n[output]\nformat = \"{}\"\n",
        privacy.join("\n"),
        random.of(&["0", "0", "0.1", "0.4", "0.9"]),
        random.of(&["csv", "csv", "csv", "parquet", "arrow"]),
    )
}

/// Runs a job on random people and has the release confirmed; tells how it ended.
fn confirmed(folder: &Path, case: u64, text: &str, random: &mut Random) -> &'static str {
    let header = "age,town,sex,disease,income\n";
    let (rows, dull) = (4 + random.below(60), 5 + random.below(12));
    let people = records(random, rows, dull);
    let others = records(random, 80, 5);
    std::fs::write(folder.join("people.csv"), format!("{header}{people}")).unwrap();
    std::fs::write(folder.join("population.csv"), format!("{header}{people}{others}")).unwrap();
    let job = match Job::parse(text, &["output.replace=true".to_owned()]) {
        Ok(job) => job,
        Err(error) if error.to_string().contains("cannot be kept with buckets") => {
            return "impossible promise";
        }
        Err(error) => panic!("case {case}: {error}\n{text}"),
    };
    let options = RunOptions { base: folder.to_owned(), ..RunOptions::default() };
    let summary = match run(&job, &options, &Silent) {
        Ok(summary) => summary,
        Err(error) => match error.outcome() {
            Outcome::Refused if !error.to_string().contains("fault") => return "no safe release",
            Outcome::BadInput => return "impossible promise",
            _ => panic!("case {case}: {error}\n{text}\n{people}"),
        },
    };
    let population = folder.join("population.csv");
    let options = VerifyOptions { population: Some(&population), ..VerifyOptions::default() };
    let verdict = verify(&summary.release, options).unwrap_or_else(|e| panic!("case {case}: {e}\n{text}"));
    let failures: Vec<_> = verdict.failures().collect();
    assert!(verdict.holds(), "case {case}: {failures:#?}\n{text}\n{header}{people}");
    if summary.suppressed > 0 { "published with suppression" } else { "published" }
}

#[test]
fn whatever_is_published_is_confirmed() {
    let folder = tempfile::tempdir().unwrap();
    let mut outcomes: BTreeMap<&str, u64> = BTreeMap::new();
    for case in 0..CASES {
        let mut random = Random(case);
        let text = job(&mut random);
        *outcomes.entry(confirmed(folder.path(), case, &text, &mut random)).or_default() += 1;
    }
    println!("{outcomes:?}");
    assert!(
        outcomes["published"] > CASES / 4 && outcomes["published with suppression"] > CASES / 8,
        "{outcomes:?}"
    );
}

/// What every other search publishes, exact or not, is confirmed too. Those that are made for some criteria or
/// metrics get jobs with them, beside those that they must refuse.
#[test]
fn whatever_other_searches_publish_is_confirmed() {
    confirm_all(&SEARCHES, "k-anonymity = 3", 8);
}

/// So is what is published of groups, whatever they show.
#[test]
fn whatever_groups_show_is_confirmed() {
    confirm_all(&GROUPINGS, "k-anonymity = 3", 8);
    // Most of these tables have one value too often for buckets of different values.
    confirm_all(&BUCKETS, "l-diversity = { l = 2, column = \"disease\" }", 1);
    confirm_all(&THREE_D, "three-d = { m = 1, c = 0.95, column = \"disease\" }", 1);
}

/// And so is what keeps promises that look at all classes together, with classes suppressed for them or not.
#[test]
fn whatever_looks_at_all_classes_is_confirmed() {
    for (simple, least) in [
        ("c-k-safety = { c = 0.7, k = 0, column = \"disease\" }", 4),
        ("c-k-safety = { c = 0.9, k = 1, column = \"disease\" }", 1),
        (
            "three-d = { points = [{ c = 0.8 }, { m = 1, c = 0.95 }], values = { a = { c = 0.9 } }, column = \"disease\" }",
            1,
        ),
    ] {
        confirm_all(&TOGETHER, simple, least);
    }
    let skyline = "three-d = { points = [{ c = 0.8 }, { m = 1, c = 0.95 }], column = \"disease\" }";
    confirm_all(&THREE_D, skyline, 1);
}

const TOGETHER: [(&str, &str); 3] =
    [("optimal", ""), ("datafly", ""), ("bottom-up", "[search.bottom-up]\nnode-limit = 20\n")];

fn confirm_all(searches: &[(&str, &str)], simple: &str, least: u64) {
    const EACH: u64 = 40;
    let folder = tempfile::tempdir().unwrap();
    for (number, (algorithm, section)) in searches.iter().enumerate() {
        let (algorithm, publish) = algorithm.split_once(' ').unwrap_or((algorithm, ""));
        let mut published = 0;
        for case in 0..EACH {
            let mut random = Random(1_000 * (number as u64 + 1) + case);
            let mut text = job(&mut random);
            if case % 2 == 0 {
                let simple = format!("[privacy]\n{simple}\n[search]\n");
                let (before, after) = (text.find("[privacy]").unwrap(), text.find("[search]").unwrap());
                text = format!("{}{simple}{}", &text[..before], &text[after + "[search]\n".len()..]);
            }
            let forms_groups =
                [&GROUPINGS[..], &BUCKETS].concat().iter().any(|(own, _)| own.starts_with(algorithm));
            if algorithm == "k-optimize" || forms_groups {
                let metric = text.find("minimize = ").unwrap();
                let end = metric + text[metric..].find('\n').unwrap();
                text.replace_range(metric..end, "minimize = \"discernibility\"");
            }
            let publish =
                if publish.is_empty() { String::new() } else { format!("publish = \"{publish}\"\n") };
            text = text.replace("[search]\n", &format!("[search]\nalgorithm = \"{algorithm}\"\n{publish}"));
            text.push_str(section);
            published +=
                u64::from(confirmed(folder.path(), case, &text, &mut random).starts_with("published"));
        }
        println!("{algorithm}: {published} of {EACH} published and confirmed");
        assert!(published >= least, "{algorithm}: only {published} of {EACH} were published");
    }
}

/// Algorithms that form groups, and what these show.
const GROUPINGS: [(&str, &str); 14] = [
    ("mondrian", ""),
    ("mondrian nodes", "[search.mondrian]\nmode = \"relaxed\"\n"),
    ("mondrian means", "[search.mondrian]\none-sided = true\n"),
    ("mondrian", "[search.mondrian]\nchoose = \"variance\"\ntarget = \"income\"\n"),
    (
        "mondrian",
        "[search.mondrian]\nchoose = \"queries\"\nqueries = [{ age = { from = 20, to = 40 }, town = [\"Ulm\"] }]\n",
    ),
    ("mondrian", "[search.mondrian]\nmemory-limit = 7\n"),
    ("top-down-local", ""),
    ("top-down-local ranges", "[search.top-down-local]\nchoose = \"least-loss\"\n"),
    ("local-recoding", ""),
    ("local-recoding modes", "[search.local-recoding]\nstart = \"mondrian\"\n"),
    ("clustering", ""),
    ("microaggregation", ""),
    (
        "microaggregation medians",
        "[search.microaggregation]\nmethod = \"v-mdav\"\ncategories = \"hierarchy\"\n",
    ),
    ("microaggregation", "[search.microaggregation]\nmethod = \"ama\"\nscale = \"range\"\n"),
];

const BUCKETS: [(&str, &str); 4] = [
    ("anatomy", "[search.anatomy]\nseed = 5\n"),
    ("anatomy buckets", "[search.anatomy]\nl = 2\nseed = 3\n"),
    ("mondrian buckets", ""),
    ("clustering buckets", ""),
];

const THREE_D: [(&str, &str); 2] =
    [("mondrian", ""), ("mondrian", "[search.mondrian]\nmode = \"relaxed\"\n")];

/// Algorithms with the sections that keep them quick.
const SEARCHES: [(&str, &str); 15] = [
    ("samarati", ""),
    ("incognito", "[search.incognito]\nsuper-roots = true\n"),
    ("incognito", "[search.incognito]\ncube = true\n"),
    ("hash-table", ""),
    ("datafly", ""),
    ("top-down", "[search.top-down]\nnode-limit = 20\n"),
    ("bottom-up", "[search.bottom-up]\nnode-limit = 20\n"),
    ("genetic", "[search.genetic]\npopulation = 8\ngenerations = 5\nelite = 1\n"),
    ("simulated-annealing", "[search.simulated-annealing]\nsteps = 60\nrestarts = 1\n"),
    ("top-down-specialization", ""),
    ("bottom-up-generalization", ""),
    ("k-optimize", "[search.k-optimize]\nnode-limit = 30\n"),
    ("attribute-suppression", ""),
    ("cell-suppression", ""),
    ("cell-suppression", "[search.cell-suppression]\nmethod = \"meyerson-williams\"\n"),
];
