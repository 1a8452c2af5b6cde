//! A release whose records were never in memory is the release that the same groups have in memory, file by file.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use privet_data::Silent;
use privet_data::io::{Format, ReadOptions, View, ViewColumn, read, write};
use privet_recode::lattice;
use privet_recode::partition::InMemory;
use privet_release::{Manifest, VerifyOptions, verify};
use proptest::prelude::*;

use super::*;
use crate::error::Outcome;
use crate::load::load;
use crate::mondrian::MondrianSection;
use crate::run;

/// The releases of both ways, or none when both refuse the job.
fn both_ways(folder: &Path, text: &str, limit: u64) -> Option<[Manifest; 2]> {
    let mut settings = vec!["output.replace=true".to_owned()];
    settings.push("output.folder=memory".to_owned());
    let job = Job::parse(text, &settings).unwrap();
    let options = RunOptions { base: folder.to_owned(), ..RunOptions::default() };
    let in_memory = in_memory(&job, &options, limit);
    settings.pop();
    settings.extend(["output.folder=passes".to_owned(), format!("search.mondrian.memory-limit={limit}")]);
    let job = Job::parse(text, &settings).unwrap();
    let in_passes = run(&job, &options, &Silent);
    let in_memory = match (in_memory, in_passes) {
        (Ok(manifest), Ok(_)) => manifest,
        (Err(memory), Err(passes)) => {
            assert_eq!(memory.to_string(), passes.to_string());
            assert_eq!(memory.outcome(), Outcome::Refused, "{memory}");
            return None;
        }
        (memory, passes) => panic!("{:?} but {:?}", memory.err(), passes.err()),
    };
    let bytes = std::fs::read(folder.join("passes/manifest.json")).unwrap();
    Some([in_memory, Manifest::parse(&bytes).unwrap()])
}

/// Publishes the groups of the same search, with everything in memory.
fn in_memory(job: &Job, options: &RunOptions, limit: u64) -> Result<Manifest, RunError> {
    let draft = Draft::begin(&options.base.join(&job.output.folder), true)?;
    let loaded = load(job, &options.base, &Silent)?;
    let prepared = Prepared::new(&loaded)?;
    let criteria = prepared.criteria(&loaded, &loaded.requirements)?;
    let own = prepared.problem(&loaded, job, &criteria);
    let search = job.search.parameters::<MondrianSection>().cloned().unwrap_or_default().limited(limit);
    let found = search.search_out_of_core(&own, &mut InMemory::new(&own, 5), &Silent)?;
    let formed = crate::chosen::Formed { groups: found.groups, aggregation: None, anatomy: None };
    let chosen = Chosen::groups(&own, formed, job.search.published().unwrap());
    let published = chosen.published(&own);
    let problem = published.problem(&own);
    let partition = lattice::partition(&problem, &problem.at(&published.levels));
    assert!(!partition.kept.contains(&false));
    let candidate = Candidate {
        job,
        loaded: &loaded,
        own: &own,
        problem: &problem,
        chosen: &chosen,
        levels: &published.levels,
        partition: &partition,
        purpose: None,
        first_of_group: None,
        weighted: None,
    };
    crate::publish::publish(draft, &candidate, &RunOptions::default(), &Silent).map(|(manifest, _)| manifest)
}

fn assert_same(folder: &Path, [memory, passes]: &[Manifest; 2]) {
    let [whole, chunks] = ["memory", "passes"].map(|way| folder.join(way).join(&memory.data.file));
    if memory.data.format == "csv" {
        assert!(std::fs::read(&whole).unwrap() == std::fs::read(&chunks).unwrap());
    }
    // Files of batches differ in their batches alone.
    let [whole, chunks] = [whole, chunks].map(|path| read(&path, &ReadOptions::default(), &Silent).unwrap());
    for (whole, chunks) in whole.table.columns.iter().zip(&chunks.table.columns) {
        assert_eq!((&whole.name, &whole.codes), (&chunks.name, &chunks.codes));
        assert_eq!(whole.domain.texts(), chunks.domain.texts());
        assert_eq!(format!("{:?}", whole.cells), format!("{:?}", chunks.cells));
    }
    assert_eq!(memory.metrics.keys().collect::<Vec<_>>(), passes.metrics.keys().collect::<Vec<_>>());
    for (name, value) in &memory.metrics {
        let other = passes.metrics[name];
        assert!((value - other).abs() <= 1e-9 * value.abs().max(1.0), "{name}: {value} and {other}");
    }
    let alike = [memory.clone(), passes.clone()].map(|manifest| Manifest {
        metrics: Default::default(),
        files: Vec::new(),
        shown: privet_release::Shown::default(),
        signer: None,
        seal: String::new(),
        ..manifest
    });
    assert_eq!(serde_json::to_string(&alike[0]).unwrap(), serde_json::to_string(&alike[1]).unwrap());
    let verdict = verify(&folder.join("passes"), VerifyOptions::default()).unwrap();
    assert!(verdict.holds(), "{:#?}", verdict.failures().collect::<Vec<_>>());
    let left: Vec<_> = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().starts_with('.')), "{left:?}");
}

#[derive(Debug, Clone)]
struct Person {
    age: u32,
    born: u32,
    town: u32,
    disease: u32,
    income: u32,
    quotes: u32,
}

fn people() -> impl Strategy<Value = Vec<Person>> {
    let person = (0u32..14, 0u32..9, 0u32..6, 0u32..5, 0u32..7, 0u32..8);
    let person = person.prop_map(|(age, born, town, disease, income, quotes)| Person {
        age,
        born,
        town,
        disease,
        income,
        quotes,
    });
    // Enough for every k that is promised: fewer would be a mistake of the job.
    prop::collection::vec(person, 4..90)
}

/// A table with missing values of two kinds, numbers, dates, and quotation marks here and there.
fn csv(people: &[Person]) -> String {
    let mut text = String::from("name,age,born,town,disease,income,note\n");
    for (row, person) in people.iter().enumerate() {
        let age = match person.age {
            0 => String::new(),
            1 => "?".to_owned(),
            age => (20 + age * 3).to_string(),
        };
        let born =
            if person.born == 0 { String::new() } else { format!("19{}0-02-1{}", person.born, person.born) };
        let town =
            ["Ulm", "Bonn", "Trier", "", "?", "Köln, \"Süd\""][person.town as usize].replace('"', "\"\"");
        let town = match person.quotes % 2 == 0 || town.contains(',') {
            true => format!("\"{town}\""),
            false => town,
        };
        let disease = ["flu", "ulcer", "cold", "gout", ""][person.disease as usize];
        let note = match person.quotes {
            0..=2 => format!("\"n{}\"", person.quotes % 2),
            3 => "\"a, b\"".to_owned(),
            other => format!("n{}", other % 3),
        };
        writeln!(text, "person{row},{age},{born},{town},{disease},{},{note}", person.income * 100).unwrap();
    }
    text
}

fn job(privacy: &str, publish: &str, format: &str, class: bool) -> String {
    format!(
        "[input]\npath = \"people.csv\"\nheader = true\nmissing = [\"\", \"?\"]\n[columns.age]\nrole = \"quasi\"\n\
         hierarchy = {{ intervals = [10, 20] }}\n[columns.born]\nrole = \"quasi\"\n[columns.town]\nrole = \"quasi\"\n\
         hierarchy = {{ tree = {{ south = [\"Ulm\"], west = [\"Bonn\", \"Trier\", 'Köln, \"Süd\"'] }} }}\n[columns.disease]\n\
         role = \"sensitive\"\n[columns.income]\nrole = \"sensitive\"\n[columns.note]\nrole = \"insensitive\"\n\
         [privacy]\n{privacy}\n[search]\nalgorithm = \"mondrian\"\npublish = \"{publish}\"\n{}[output]\n\
         format = \"{format}\"\n",
        if class { "class = \"note\"\n" } else { "" },
    )
}

const PRIVACY: [&str; 5] = [
    "k-anonymity = 3",
    "k-anonymity = 2\nl-diversity = { l = 2, column = \"disease\" }",
    "k-anonymity = 2\nl-diversity = { l = 2, multi-attribute = true }",
    "t-closeness = { kind = \"ordered\", t = 0.4, column = \"income\" }\nl-diversity = { kind = \"entropy\", l = 1.5, column = \"disease\" }",
    "k-anonymity = 4\ndelta-disclosure = { delta = 2.5, column = \"disease\" }",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_release_of_the_same_groups(
        people in people(),
        privacy in 0..PRIVACY.len(),
        publish in prop::sample::select(&["nodes", "ranges"][..]),
        format in prop::sample::select(&["csv", "parquet", "arrow"][..]),
        class in any::<bool>(),
        share in 2u64..40,
    ) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("people.csv"), csv(&people)).unwrap();
        let limit = (people.len() as u64 * share / 42).max(1);
        let job = job(PRIVACY[privacy], publish, format, class);
        if let Some(manifests) = both_ways(folder.path(), &job, limit) {
            assert_same(folder.path(), &manifests);
        }
    }
}

/// Parquet comes in and goes out as it would in memory.
#[test]
fn a_parquet_file_that_is_larger_than_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let people: Vec<Person> = (0..120)
        .map(|i| Person {
            age: i * 7 % 14,
            born: i % 9,
            town: i * 5 % 6,
            disease: i % 5,
            income: i % 7,
            quotes: i % 8,
        })
        .collect();
    std::fs::write(folder.path().join("people.csv"), csv(&people)).unwrap();
    let options = ReadOptions::default();
    let input = read(&folder.path().join("people.csv"), &options, &Silent).unwrap();
    for format in ["parquet", "arrow"] {
        let columns = input.table.columns.iter().map(ViewColumn::unchanged).collect();
        let view = View { columns, rows: input.table.rows, kept: None };
        let name = format!("people.{format}");
        let file = std::fs::File::create(folder.path().join(&name)).unwrap();
        let kind = Format::of(Path::new(&name)).unwrap();
        write(file, &view, kind, &Default::default(), &Silent).unwrap();
        for out in ["parquet", "arrow", "csv"] {
            let job = job(PRIVACY[0], "ranges", out, false).replace("people.csv", &name);
            let manifests = both_ways(folder.path(), &job.replace("header = true\n", ""), 17).unwrap();
            assert_same(folder.path(), &manifests);
            assert_eq!(manifests[1].data.rows, 120);
        }
    }
}

#[test]
fn what_needs_all_records_is_refused() {
    let refused = |settings: &[&str]| {
        let mut all = vec!["search.mondrian.memory-limit=9".to_owned()];
        all.extend(settings.iter().map(|&setting| setting.to_owned()));
        Job::parse(&job(PRIVACY[0], "ranges", "csv", false), &all).map(|_| ()).map_err(|e| e.to_string())
    };
    assert_eq!(refused(&[]), Ok(()));
    assert!(refused(&["search.publish=means"]).unwrap_err().contains("search.publish"));
    assert!(refused(&["search.publish=buckets"]).is_err());
    assert!(refused(&["sampling.fraction=0.5"]).unwrap_err().contains("sampling"));
    assert!(
        refused(&["privacy.three-d={ m = 1, c = 0.9, column = \"disease\" }"])
            .unwrap_err()
            .contains("three-d")
    );
    for (limit, fragment) in [
        ("0", "above 0"),
        ("-4", "above 0"),
        ("10kB", "32MB"),
        ("1MB", "32MB"),
        ("lots", "256MiB"),
        ("1.5", "256MiB"),
    ] {
        let error = refused(&[&format!("search.mondrian.memory-limit={limit}")]).unwrap_err();
        assert!(error.contains(fragment), "{limit}: {error}");
    }
    assert_eq!(refused(&["search.mondrian.memory-limit=1.5 GiB"]), Ok(()));
}

/// An error leaves nothing behind, and a small input takes the usual way.
#[test]
fn nothing_is_left_behind() {
    let folder = tempfile::tempdir().unwrap();
    let run_with = |text: &str, limit: &str| {
        std::fs::write(folder.path().join("people.csv"), text).unwrap();
        let settings = [
            "output.folder=out".to_owned(),
            "output.replace=true".to_owned(),
            format!("search.mondrian.memory-limit={limit}"),
        ];
        let job = Job::parse(&job(PRIVACY[0], "nodes", "csv", false), &settings).unwrap();
        let options = RunOptions { base: folder.path().to_owned(), ..RunOptions::default() };
        run(&job, &options, &Silent)
    };
    let names = || {
        let mut names: Vec<String> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    let header = "name,age,born,town,disease,income,note\n";
    assert!(run_with(&format!("{header}a,1,,Ulm,flu,3,n\nb,2\n"), "1").is_err());
    assert!(run_with(&format!("{header}a,1,,Ulm,flu,3,n\nb,2,,Bonn,flu,3,n\n"), "1").is_err());
    assert_eq!(names(), ["people.csv"]);
    let four = format!("{header}{}", "a,1,,Ulm,flu,3,n\n".repeat(4));
    assert_eq!(run_with(&four, "4").unwrap().rows, 4);
    assert_eq!(run_with(&four, "32MB").unwrap().rows, 4);
    assert_eq!(run_with(&four, "3").unwrap().rows, 4);
    assert_eq!(names(), ["out", "people.csv"]);
}

/// Asks to stop at some point.
struct Stopping(AtomicUsize);

impl Progress for Stopping {
    fn stage(&self, _name: &str, _total: Option<u64>) {}
    fn at(&self, _done: u64) {}
    fn cancelled(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err()
    }
}

#[test]
fn nothing_is_left_behind_by_who_stops() {
    let folder = tempfile::tempdir().unwrap();
    let people: Vec<Person> = (0..60)
        .map(|i| Person {
            age: i * 5 % 14,
            born: i % 9,
            town: i % 6,
            disease: i % 5,
            income: i % 7,
            quotes: i % 8,
        })
        .collect();
    std::fs::write(folder.path().join("people.csv"), csv(&people)).unwrap();
    let settings = ["output.folder=out".to_owned(), "search.mondrian.memory-limit=9".to_owned()];
    let job = Job::parse(&job(PRIVACY[2], "ranges", "csv", true), &settings).unwrap();
    let options = RunOptions { base: folder.path().to_owned(), ..RunOptions::default() };
    let mut stopped = 0;
    loop {
        match run(&job, &options, &Stopping(AtomicUsize::new(stopped))) {
            Ok(_) => break,
            Err(error) => assert_eq!(error.outcome(), Outcome::Stopped, "{error}"),
        }
        let left: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().flatten().map(|e| e.file_name()).collect();
        assert_eq!(left, ["people.csv"], "{stopped}");
        stopped += 1;
    }
    // In every pass, and there are several.
    assert!(stopped > 50, "{stopped}");
}
