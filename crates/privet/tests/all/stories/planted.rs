//! Identifying queries planted among popular ones, with the skew of a real list of queries: whatever the method, no published file
//! holds one that fewer people than the threshold asked. On a generated list, and on a public one where it is there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use privet::JobFile;
use privet_data::{Random, Silent};
use privet_release::VerifyOptions;
use privet_sets::generate::Zipf;
use privet_sets::read_counts;

/// The threshold of all methods.
const PEOPLE: u32 = 5;
/// The people of a log.
const CROWD: u32 = 700;
/// A word of every planted query, and of no other.
const WORD: &str = "mallory";

/// Queries with the number of people who ask each: skewed, most of them asked by few.
fn generated() -> Vec<(String, u32)> {
    let zipf = Zipf::new(300, 1.0);
    let mut random = Random::new(4);
    let mut counts = [0u32; 300];
    (0..4000).for_each(|_| counts[zipf.draw(&mut random) as usize] += 1);
    counts
        .iter()
        .enumerate()
        .map(|(own, &count)| (format!("virus symptoms {own}"), count.min(CROWD)))
        .collect()
}

/// Popular queries about an illness with their popularity; a part of them, so that a test of all methods stays short.
fn public() -> Option<Vec<(String, u32)>> {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/bing-corona-queries/QueriesByCountry_2020-01.tsv");
    if !path.exists() {
        eprintln!("skipped: {} is not there", path.display());
        return None;
    }
    let list = read_counts(&path, Some("Query"), Some("PopularityScore"), &Silent).unwrap();
    assert!(list.texts.len() > 6000, "the list of January 2020");
    let mut own: Vec<(String, u32)> = list
        .texts
        .iter()
        .zip(&list.people)
        .map(|(text, &people)| (text.to_string(), people.min(400) as u32))
        .collect();
    own.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    Some(own.into_iter().enumerate().filter(|own| own.0 < 60 || own.0 % 25 == 0).map(|own| own.1).collect())
}

/// Names, numbers and addresses, each asked by fewer people than the threshold, and by each of them again and again.
fn planted() -> Vec<(String, u32)> {
    let forms = [
        "{} 999-60-7250",
        "is {} in hospital",
        "{} 609 lizeth streets bolton",
        "{}'s test result",
        "{}, born 1988",
    ];
    (1..PEOPLE)
        .flat_map(|people| {
            forms.map(move |form| (format!("{} no {people}", form.replace("{}", WORD)), people))
        })
        .collect()
}

struct Planted {
    folder: tempfile::TempDir,
    /// Per query who asks it.
    askers: BTreeMap<String, BTreeSet<u32>>,
}

fn log(list: &[(String, u32)]) -> Planted {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let mut askers: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
    let mut text = String::from("user,query,time,url\n");
    // The planted ones first, so that limits on what counts of a person keep them.
    let all = planted().into_iter().map(|own| (own, 40)).chain(list.iter().map(|own| (own.clone(), 1)));
    for (number, ((query, people), times)) in all.enumerate() {
        for asker in 0..people {
            let user = (number as u32 * 37 + asker) % CROWD;
            askers.entry(query.clone()).or_default().insert(user);
            for time in 0..times {
                text += &format!(
                    "u{user},{},{},www.site-{}.org\n",
                    quoted(&query),
                    number * 100 + time,
                    number % 50
                );
            }
        }
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("log.csv"), text).unwrap();
    Planted { folder, askers }
}

const METHODS: [(&str, usize); 6] = [
    ("method = \"threshold\"\npeople = 5", 1),
    ("method = \"threshold\"\npeople = 5\nsessions = { gap-seconds = 300 }", 1),
    // A large loss, so that thresholds are as low as they get.
    (
        "method = \"korolova\"\nepsilon = \"8\"\ndelta = \"0.01\"\npeople = 5\nqueries-per-person = 2\nclicks-per-person = 2",
        4,
    ),
    ("method = \"zealous\"\nepsilon = \"8\"\ndelta = \"0.01\"\npeople = 5\nqueries-per-person = 2", 4),
    ("method = \"zealous\"\nepsilon = \"8\"\ndelta = \"0.01\"\npeople = 5\npopulation = 1000", 4),
    (
        "method = \"covers\"\nsize = 2\npeople = 5\nmost-similarity = 1.0\npopularity-ratio = 100.0\ndimensions = 4",
        1,
    ),
];

/// Every file of a folder, as text.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let entry = |own: std::fs::DirEntry| {
        let bytes = std::fs::read(own.path()).unwrap();
        (own.file_name().to_string_lossy().into_owned(), String::from_utf8_lossy(&bytes).into_owned())
    };
    std::fs::read_dir(folder).unwrap().map(|own| entry(own.unwrap())).collect()
}

fn no_planted_query_leaves(list: &[(String, u32)]) {
    let planted = log(list);
    let folder = planted.folder.path();
    // The first of the most frequent: what a person asked first counts.
    let frequent = list.iter().rev().max_by_key(|own| own.1).unwrap();
    assert!(frequent.1 > 50 && list.iter().any(|own| own.1 < PEOPLE), "skewed");
    for (method, runs) in METHODS {
        let job = format!(
            "kind = \"sets\"\n[input]\npath = \"log.csv\"\nform = \"log\"\nperson = \"user\"\nquery = \"query\"\ntime = \"time\"\n\
             click = \"url\"\n[sets]\n{method}\n[output]\nfolder = \"release\"\nreplace = true\n"
        );
        std::fs::write(folder.join("job.toml"), job).unwrap();
        for _ in 0..runs {
            let job = JobFile::read(&folder.join("job.toml"), &[]).unwrap();
            privet::run(&job, &["privet anonymize job.toml".to_owned()], &Silent)
                .unwrap_or_else(|error| panic!("{method}: {error}"));
            let release = folder.join("release");
            for (name, text) in files(&release) {
                assert!(!text.to_lowercase().contains(WORD), "{method}: {name} holds a planted query");
            }
            assert!(privet::verify(&release, VerifyOptions::default()).unwrap().holds(), "{method}");
            // Whatever is published was asked by enough people, and the most frequent query is published.
            let of_file =
                ["log.csv", "queries.csv", "covers.csv"].into_iter().find(|own| release.join(own).exists());
            let table = privet_data::io::read(
                &release.join(of_file.unwrap()),
                &privet_data::io::ReadOptions::default().exactly(),
                &Silent,
            );
            let table = table.unwrap().table;
            let queries = table.column("query").unwrap();
            let published: BTreeSet<&str> =
                queries.codes.iter().map(|&own| queries.domain.text(own)).collect();
            for query in &published {
                assert!(
                    planted.askers[*query].len() >= PEOPLE as usize,
                    "{method}: a query of too few people"
                );
            }
            assert!(method.contains("covers") || published.contains(frequent.0.as_str()), "{method}");
        }
    }
}

#[test]
fn no_planted_query_leaves_a_generated_log() {
    no_planted_query_leaves(&generated());
}

#[test]
fn no_planted_query_leaves_a_log_like_a_public_list() {
    if let Some(list) = public() {
        no_planted_query_leaves(&list);
    }
}
