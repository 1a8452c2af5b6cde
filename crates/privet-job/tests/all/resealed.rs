//! Releases of every kind, changed one leaf at a time by somebody who makes the pages again, recomputes all hashes and seals
//! the manifest: `verify` notices, or the verdict says that the leaf is on trust.
//!
//! Leaves that cannot be checked stand in [`ON_TRUST`], each with the word under which the verdict names it. The list is
//! short on purpose: what is added to it is a hole that somebody must defend.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use privet_data::Silent;
use privet_job::randomize::{RandomizeJob, RandomizeOptions, randomize};
use privet_job::{Job, RunOptions, base_of, run, verify};
use privet_release::{Manifest, Verdict, VerifyOptions, sha256_of_file};
use serde_json::{Value, json};

/// Leaves that no check can notice: the places in the manifest (`*` is any number or name), and what the verdict calls them.
const ON_TRUST: &[(&str, &str)] = &[
    // Texts of the publisher about the program, the input and the job.
    ("/data/removed_columns/*", "input"),
    ("/data/removed_columns", "input"),
    ("/data/missing/*", "input"),
    ("/data/equality/*/*", "input"),
    ("/randomness", "randomness"),
    ("/shown/reproduce/*", "commands"),
    // What attacks found needs the original.
    ("/shown/attacks**", "attacks"),
    ("/shown/not_made**", "attacks"),
    // The order of bars in a drawing, and on which level of a hierarchy a label lies.
    ("/shown/columns/*/labels", "hierarchies"),
    ("/shown/columns/*/levels", "hierarchies"),
    // Hierarchies stay at home.
    ("/data/columns/*/recoding/leaves", "hierarchies"),
    ("/data/columns/*/recoding/labels_per_level/*", "hierarchies"),
    ("/data/columns/*/recoding/reading", "hierarchies"),
    ("/tables/*/columns/*/labels_per_level/*", "hierarchies"),
    ("/tables/*/columns/*/reading", "hierarchies"),
    // What suppressed and hidden values have in common.
    ("/data/columns/*/alike/*", "hidden values"),
    ("/data/sensitive_tables/*/alike/*", "hidden values"),
    ("/tables/*/columns/*/alike/*", "hidden values"),
    // Figures that compare with the original.
    ("/data/columns/*/recoding/loss", "cost"),
    ("/data/columns/*/recoding/weight", "cost"),
    ("/metrics/*", "cost"),
    // The search.
    ("/search/suppress_at_most", "search"),
    ("/search/nodes_checked", "search"),
    ("/search/bound", "search"),
    ("/search/minimal_nodes**", "search"),
    ("/search/microaggregation**", "search"),
    // Evidence of promises.
    ("/promises/*/evidence**", "evidence"),
    // Parameters of a promise that the published values do not reach, and weaker ones than were kept.
    ("/promises/*/requirement/population", "evidence"),
    // How counts and records were changed.
    ("/tables/*/suppression/*", "tables"),
    ("/swap/columns/*/mean_rank_distance", "changes"),
    ("/synthetic/**", "changes"),
    ("/model/columns/*/role", "roles"),
    ("/model/missing**", "input"),
];

/// Changes after which the manifest says the same: in another order, or of another class that is as bad as the worst.
const SAYS_THE_SAME: &[&str] = &[
    "/promises",
    "/promises/*/worst_class/record",
    "/promises/*/requirement/costs/*",
    "/tables",
    "/data/missing",
    "/model/columns/*/perturbation/categories/values",
];

/// Whether a place is meant: `*` is one step, `**` at the end any rest.
fn is_meant(pattern: &str, place: &str) -> bool {
    if let Some(start) = pattern.strip_suffix("**") {
        let steps = start.trim_end_matches('/').split('/').count();
        let own: Vec<&str> = place.split('/').collect();
        return own.len() >= steps && is_meant(start.trim_end_matches('/'), &own[..steps].join("/"));
    }
    let (a, b): (Vec<&str>, Vec<&str>) = (pattern.split('/').collect(), place.split('/').collect());
    a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| *a == "*" || a == b)
}

/// A release and what verifies it.
struct Golden {
    name: &'static str,
    home: tempfile::TempDir,
    population: Option<PathBuf>,
}

impl Golden {
    fn folder(&self) -> PathBuf {
        self.home.path().join("release")
    }

    fn verdict(&self) -> Option<Verdict> {
        let options = VerifyOptions { population: self.population.as_deref(), ..VerifyOptions::default() };
        verify(&self.folder(), options).ok()
    }

    fn holds(&self) -> bool {
        self.verdict().is_some_and(|verdict| verdict.holds())
    }
}

/// A job of the golden folder.
fn of_folder(name: &'static str) -> Golden {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    let home = tempfile::tempdir().unwrap();
    let mut job = Job::read(&source.join("job.toml"), &[]).unwrap();
    job.output.folder = home.path().join("release");
    let options = RunOptions {
        base: base_of(&source.join("job.toml")),
        reproduce: vec!["privet anonymize".into()],
        ..RunOptions::default()
    };
    run(&job, &options, &Silent).unwrap_or_else(|error| panic!("{name}: {error}"));
    let population = source.join("population.csv");
    Golden { name, home, population: population.exists().then_some(population) }
}

/// Sixty invented people.
fn people() -> String {
    let mut text = "age,zip,cost,disease,note\n".to_owned();
    let (zips, diseases) = (["13053", "13068", "14850", "14853"], ["flu", "cancer", "asthma"]);
    for i in 0..60usize {
        let (age, cost) = (20 + i * 7 % 40, 100 + i * 37 % 90);
        text += &format!("{age},{},{cost},{},n{}\n", zips[i * 5 % 4], diseases[(i * i + i / 7) % 3], i % 4);
    }
    text
}

const COLUMNS: &str = "[input]\npath = \"people.csv\"\n[columns.age]\nrole = \"quasi\"\nhierarchy = { intervals = [10, 20] }\n\
    [columns.zip]\nrole = \"quasi\"\nhierarchy = { mask = \"right\" }\n[columns.disease]\nrole = \"sensitive\"\n\
    [columns.cost]\nrole = \"insensitive\"\n[columns.note]\nrole = \"insensitive\"\n[adversary]\nmax-risk = 1.0\n";

/// A job on these people.
fn of_job(name: &'static str, more: &str) -> Golden {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("people.csv"), people()).unwrap();
    let job = Job::parse(&format!("{COLUMNS}{more}"), &[]).unwrap_or_else(|error| panic!("{name}: {error}"));
    let options = RunOptions { base: home.path().to_owned(), ..RunOptions::default() };
    run(&job, &options, &Silent).unwrap_or_else(|error| panic!("{name}: {error}"));
    Golden { name, home, population: None }
}

/// Randomized, swapped or synthetic people.
fn of_chance(name: &'static str, job: &str) -> Golden {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("people.csv"), people()).unwrap();
    let path = home.path().join("job.toml");
    fs::write(&path, format!("[input]\npath = \"people.csv\"\n[adversary]\nmax-risk = 1.0\n{job}")).unwrap();
    let job = RandomizeJob::read(&path, &[]).unwrap_or_else(|error| panic!("{name}: {error}"));
    let options = RandomizeOptions { base: home.path().to_owned(), seed: Some(1), reproduce: Vec::new() };
    randomize(&job, &options, &Silent).unwrap_or_else(|error| panic!("{name}: {error}"));
    Golden { name, home, population: None }
}

fn goldens() -> Vec<Golden> {
    let roles = "[columns.age]\nrole = \"quasi\"\n[columns.zip]\nrole = \"quasi\"\n[columns.cost]\nrole = \"sensitive\"\n\
                 [columns.disease]\nrole = \"sensitive\"\n";
    let grouped = |algorithm: &str, publish: &str| {
        format!("[privacy]\nk-anonymity = 4\n[search]\nalgorithm = \"{algorithm}\"\n{publish}")
    };
    vec![
        of_folder("conditions"),
        of_folder("visits"),
        of_folder("voters"),
        of_job("boxes", &grouped("mondrian", "publish = \"ranges\"\n")),
        of_job("cells", &grouped("cell-suppression", "")),
        of_job("means", &grouped("microaggregation", "")),
        of_job("cut", &grouped("top-down-specialization", "")),
        of_job(
            "buckets",
            "[privacy]\nl-diversity = 2\n[search]\nalgorithm = \"anatomy\"\n[search.anatomy]\nseed = 1\n",
        ),
        of_job(
            "views",
            "[privacy]\nk-anonymity = 2\n[[views]]\ncolumns = [\"age\", \"disease\"]\n[[views]]\ncolumns = [\"zip\", \"disease\"]\n",
        ),
        of_job("totals", "[privacy]\n[[count-tables]]\ncolumns = [\"zip\", \"disease\"]\nthreshold = 3\n"),
        of_chance(
            "columns",
            "[columns.disease]\nrole = \"sensitive\"\nvalues = [\"flu\", \"cancer\", \"asthma\"]\nperturb = { response = \"warner\", p = 0.6 }\n\
             [columns.age]\nrole = \"quasi\"\nperturb = { noise = \"gaussian\", sd = 5.0, min = 0, max = 120 }\n",
        ),
        of_chance(
            "swap",
            &format!(
                "[randomize]\nmethod = \"swap\"\nswap = \"rank\"\ncolumns = [\"cost\"]\npercent = 20\n{roles}"
            ),
        ),
        of_chance(
            "synthetic",
            &format!(
                "[randomize]\nmethod = \"synthetic\"\nmodel = \"cart\"\nscope = \"partial\"\ncolumns = [\"cost\"]\ncopies = 2\n{roles}"
            ),
        ),
    ]
}

/// Every scalar of a value and every list with two different entries, by its place.
fn leaves(value: &Value, place: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            fields
                .iter()
                .for_each(|(name, own)| leaves(own, &format!("{place}/{}", name.replace('/', "~1")), found));
        }
        Value::Array(entries) => {
            if entries.windows(2).any(|pair| pair[0] != pair[1]) {
                found.push(place.to_owned());
            }
            entries.iter().enumerate().for_each(|(at, own)| leaves(own, &format!("{place}/{at}"), found));
        }
        _ => found.push(place.to_owned()),
    }
}

/// Other values that a leaf could have.
fn changed(leaf: &Value) -> Vec<Value> {
    match leaf {
        Value::Bool(own) => vec![json!(!own)],
        Value::Number(own) if own.is_u64() => {
            let own = own.as_u64().unwrap();
            vec![json!(own + 1), json!(own.saturating_sub(1)), json!(1000)]
                .into_iter()
                .filter(|other| *other != json!(own))
                .collect()
        }
        Value::Number(own) => {
            let own = own.as_f64().unwrap();
            vec![json!(own * 1.01 + 0.01), json!(own * 0.5)]
                .into_iter()
                .filter(|v| v.as_f64() != Some(own))
                .collect()
        }
        Value::String(own) => {
            const WORDS: [&[&str]; 6] = [
                &["integer", "decimal", "date", "boolean", "text"],
                &["quasi", "sensitive", "insensitive"],
                &["literal", "dates", "masks", "names"],
                &["variational", "equal"],
                &["counts", "microdata", "totals"],
                &["operating-system", "fixed-seed"],
            ];
            let alike =
                WORDS.iter().filter(|words| words.contains(&own.as_str())).flat_map(|words| words.iter());
            let words = alike.filter(|word| **word != own.as_str()).map(|word| json!(word));
            words.chain([json!(format!("{own} (k = 1000)"))]).collect()
        }
        Value::Array(own) => {
            let mut turned = own.clone();
            let at = own.windows(2).position(|pair| pair[0] != pair[1]).unwrap();
            turned.swap(at, at + 1);
            vec![Value::Array(turned)]
        }
        Value::Null => vec![json!(1.0)],
        Value::Object(_) => unreachable!(),
    }
}

/// Writes the manifest of a folder with the hashes of its files and its seal.
fn seal(folder: &Path, mut manifest: Value) {
    for file in manifest["files"].as_array_mut().unwrap() {
        let path = folder.join(file["name"].as_str().unwrap());
        file["bytes"] = json!(fs::metadata(&path).unwrap().len());
        file["sha256"] = json!(sha256_of_file(&path).unwrap());
        file.as_object_mut().unwrap().shift_remove("blocks");
    }
    manifest["seal"] = json!("");
    let text = |manifest: &Value| serde_json::to_string_pretty(manifest).unwrap() + "\n";
    manifest["seal"] = json!(Manifest::seal_of(text(&manifest).as_bytes()).unwrap());
    fs::write(folder.join("manifest.json"), text(&manifest)).unwrap();
}

/// What a careful forger does: everything that follows from the manifest is made to follow.
fn reseal(folder: &Path, manifest: &Value, pages: bool) {
    seal(folder, manifest.clone());
    if !pages {
        return;
    }
    let bytes = fs::read(folder.join("manifest.json")).unwrap();
    for (name, page) in privet_report::pages_of(&bytes).unwrap_or_default() {
        fs::write(folder.join(name), page).unwrap();
    }
    // Pages tell the hashes of tables, which a changed manifest may not have; so twice.
    seal(folder, manifest.clone());
}

fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    fs::read_dir(folder)
        .unwrap()
        .map(|own| own.unwrap().path())
        .map(|own| (own.clone(), fs::read(own).unwrap()))
        .collect()
}

fn restore(files: &BTreeMap<PathBuf, Vec<u8>>) {
    files.iter().for_each(|(path, bytes)| fs::write(path, bytes).unwrap());
}

fn manifest_of(folder: &Path) -> Value {
    serde_json::from_slice(&fs::read(folder.join("manifest.json")).unwrap()).unwrap()
}

/// What is found out about the leaves of one release.
#[derive(Default)]
struct Leaves {
    /// Changes that nothing notices and nobody is told of.
    unnoticed: BTreeSet<String>,
    /// Those that the verdict should name as on trust, and does not.
    unsaid: BTreeSet<String>,
    /// The patterns by which changes were let pass.
    used: BTreeSet<&'static str>,
}

fn leaves_of(golden: &Golden) -> Leaves {
    let mut found = Leaves::default();
    let folder = golden.folder();
    let before = files(&folder);
    let verdict = golden.verdict().unwrap();
    assert!(verdict.holds(), "{}: {:#?}", golden.name, verdict.failures().collect::<Vec<_>>());
    let manifest = manifest_of(&folder);
    reseal(&folder, &manifest, true);
    assert!(golden.holds(), "{}: sealing again alone is no change", golden.name);
    let mut places = Vec::new();
    leaves(&manifest, "", &mut places);
    places.retain(|place| !["/files", "/seal", "/format", "/kind"].iter().any(|own| place.starts_with(own)));
    // Of a long list the first tells what all do.
    let mut of_kind: BTreeSet<String> = BTreeSet::new();
    places.retain(|place| {
        let steps = place.split('/').map(|step| if step.parse::<usize>().is_ok() { "*" } else { step });
        of_kind.insert(steps.collect::<Vec<&str>>().join("/"))
    });
    for place in places {
        for other in changed(manifest.pointer(&place).unwrap()) {
            let mut forged = manifest.clone();
            *forged.pointer_mut(&place).unwrap() = other.clone();
            reseal(&folder, &forged, true);
            let verdict = golden.verdict();
            restore(&before);
            let Some(verdict) = verdict.filter(Verdict::holds) else { continue };
            if SAYS_THE_SAME.iter().any(|pattern| is_meant(pattern, &place)) {
                continue;
            }
            match ON_TRUST.iter().find(|(pattern, _)| is_meant(pattern, &place)) {
                None => _ = found.unnoticed.insert(format!("{}: {place} = {other}", golden.name)),
                Some((pattern, word)) => {
                    found.used.insert(pattern);
                    if !verdict.on_trust.iter().any(|own| own.what == *word) {
                        found.unsaid.insert(format!("{}: {place} ({word})", golden.name));
                    }
                }
            }
        }
    }
    found
}

#[test]
fn every_leaf_of_a_resealed_manifest_is_checked_or_said_to_be_on_trust() {
    let goldens = goldens();
    let all: Vec<Leaves> = std::thread::scope(|scope| {
        let threads: Vec<_> = goldens.iter().map(|own| scope.spawn(|| leaves_of(own))).collect();
        threads.into_iter().map(|own| own.join().unwrap()).collect()
    });
    let unnoticed: BTreeSet<&String> = all.iter().flat_map(|own| &own.unnoticed).collect();
    let unsaid: BTreeSet<&String> = all.iter().flat_map(|own| &own.unsaid).collect();
    let used: BTreeSet<&str> = all.iter().flat_map(|own| own.used.iter().copied()).collect();
    let unused: Vec<&str> = ON_TRUST.iter().map(|own| own.0).filter(|own| !used.contains(own)).collect();
    assert!(unnoticed.is_empty(), "{} are not noticed: {unnoticed:#?}", unnoticed.len());
    assert!(unsaid.is_empty(), "the verdict does not name: {unsaid:#?}");
    assert!(unused.is_empty(), "listed, and nothing of it was let pass: {unused:#?}");
}

/// A report that claims k = 1000, in a folder whose hashes were recomputed.
#[test]
fn changed_pages_are_noticed_after_resealing() {
    for golden in goldens() {
        let folder = golden.folder();
        let before = files(&folder);
        let manifest = manifest_of(&folder);
        for name in ["report.html", "report.json"] {
            let text = fs::read_to_string(folder.join(name)).unwrap();
            let at = text.rfind(if name.ends_with("html") { "</p>" } else { "\"" }).unwrap();
            fs::write(folder.join(name), format!("{}k = 1000{}", &text[..at], &text[at..])).unwrap();
            reseal(&folder, &manifest, false);
            let verdict = golden.verdict().unwrap();
            let failures: Vec<&str> = verdict.failures().map(|own| own.name.as_str()).collect();
            assert_eq!(failures, [format!("page {name}")], "{}", golden.name);
            restore(&before);
        }
    }
}

/// Names of people in a column that is declared to hold whole numbers, also where no promise is about it.
#[test]
fn names_in_a_column_of_numbers_are_noticed_after_resealing() {
    let mut seen = 0;
    for golden in goldens() {
        let folder = golden.folder();
        let before = files(&folder);
        let manifest = manifest_of(&folder);
        let columns = manifest["data"]["columns"].as_array().cloned().unwrap_or_default();
        let Some(file) = manifest["data"]["file"].as_str() else { continue };
        let text = fs::read_to_string(folder.join(file)).unwrap();
        let delimiter = manifest["data"]["delimiter"].as_str().unwrap();
        for (at, column) in columns.iter().enumerate() {
            if !matches!(column["alike"]["kind"].as_str(), Some("integer" | "decimal" | "date")) {
                continue;
            }
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            let mut cells: Vec<&str> = lines[1].split(delimiter).collect();
            cells[at] = "Ada Lovelace";
            let changed = cells.join(delimiter);
            lines[1] = changed;
            fs::write(folder.join(file), lines.join("\n") + "\n").unwrap();
            reseal(&folder, &manifest, true);
            assert!(!golden.holds(), "{}: column {at}", golden.name);
            restore(&before);
            seen += 1;
        }
    }
    assert!(seen > 10, "{seen}");
}

/// A cell that becomes another of its column, anywhere in the published tables: noticed wherever something is said of it.
#[test]
fn cells_of_identifying_columns_cannot_be_changed() {
    for golden in goldens()
        .into_iter()
        .filter(|own| ["conditions", "visits", "boxes", "cells", "cut"].contains(&own.name))
    {
        let folder = golden.folder();
        let before = files(&folder);
        let manifest = manifest_of(&folder);
        let text = fs::read_to_string(folder.join("data.csv")).unwrap();
        let delimiter = manifest["data"]["delimiter"].as_str().unwrap();
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(delimiter).collect()).collect();
        let columns = manifest["data"]["columns"].as_array().unwrap();
        for at in (0..columns.len()).filter(|&at| columns[at]["role"] == "quasi") {
            for line in 1..lines.len() {
                let Some(other) = lines[1..].iter().map(|own| own[at]).find(|own| *own != lines[line][at])
                else {
                    continue;
                };
                let mut changed = lines.clone();
                changed[line][at] = other;
                let changed: Vec<String> = changed.iter().map(|own| own.join(delimiter)).collect();
                fs::write(folder.join("data.csv"), changed.join("\n") + "\n").unwrap();
                reseal(&folder, &manifest, true);
                assert!(!golden.holds(), "{}: column {at}, line {line}", golden.name);
                restore(&before);
            }
        }
    }
}
