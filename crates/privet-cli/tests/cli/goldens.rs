//! Whole jobs from the outside: job and table in, release and words out, for every kind of release and every verb that reads it.
//!
//! Each folder of `tests/goldens` holds a job and the commands that are run with it. `expected` holds what they made: the
//! files with data byte for byte, and in `words.txt` what was printed and the manifests. `PRIVET_BLESS=1 cargo test -p
//! privet-cli --test cli goldens` writes `expected` anew; a person then reads the difference.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::dir::Dir;

/// Where the goldens stand.
fn home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens")
}

/// The arguments of a command; what stands in double quotes is one.
fn arguments(line: &str) -> Vec<String> {
    let mut arguments = vec![String::new()];
    let mut is_quoted = false;
    for letter in line.chars() {
        match letter {
            '"' => is_quoted = !is_quoted,
            ' ' if !is_quoted => arguments.push(String::new()),
            other => arguments.last_mut().unwrap().push(other),
        }
    }
    arguments
}

/// The same without what depends on the bytes of pages: hashes, sizes, seals.
fn settled(mut value: Value) -> Value {
    fn settle(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                for (name, field) in fields {
                    match name.as_str() {
                        "seal" | "sha256" => *field = "…".into(),
                        "bytes" | "peak_rss_bytes" => *field = 0.into(),
                        "seconds" | "blocks" => *field = Value::Array(Vec::new()),
                        _ => settle(field),
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(settle),
            _ => {}
        }
    }
    settle(&mut value);
    value
}

/// The lines of a text without those that say how long something took, such as `0.12 s.`, or that are only there because it took long,
/// such as `privet: reading …`.
fn without_times(text: &str) -> String {
    let is_time = |line: &&str| {
        let first = line.split([':', '.']).next().unwrap_or_default();
        (line.contains(" s.") || line.contains(" s:")) && first.parse::<u32>().is_ok()
    };
    let is_stage = |line: &&str| line.starts_with("privet: ") && line.ends_with('…');
    text.lines()
        .filter(|line| !is_time(line) && !is_stage(line))
        .fold(String::new(), |all, line| all + line + "\n")
}

/// The files below a folder, by their names from it.
fn files(folder: &Path, below: &Path, found: &mut BTreeMap<String, PathBuf>) {
    for entry in std::fs::read_dir(below).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(folder, &path, found);
        } else {
            found.insert(path.strip_prefix(folder).unwrap().to_string_lossy().into_owned(), path);
        }
    }
}

/// What a golden makes: the data files with their bytes, and the words.
fn made(name: &str) -> BTreeMap<String, Vec<u8>> {
    let (dir, golden) = (Dir::new(), home().join(name));
    dir.write("people.csv", std::fs::read(home().join("people.csv")).unwrap());
    if let Ok(job) = std::fs::read(golden.join("job.toml")) {
        dir.write("job.toml", job);
    }
    let mut words = String::new();
    let commands = std::fs::read_to_string(golden.join("commands.txt")).unwrap();
    for line in commands.lines() {
        let arguments = arguments(line);
        let run = dir.privet(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        writeln!(words, "$ privet {line}\nexit {}", run.code.unwrap()).unwrap();
        match serde_json::from_str(&run.out) {
            Ok(json) => writeln!(words, "{:#}", settled(json)).unwrap(),
            Err(_) => words.push_str(&without_times(&run.out)),
        }
        words.push_str(&without_times(&run.err));
    }
    let mut found = BTreeMap::new();
    files(&dir.path(""), &dir.path(""), &mut found);
    let mut made = BTreeMap::new();
    for (file, path) in found {
        match path.file_name().unwrap().to_str().unwrap() {
            "people.csv" | "job.toml" | "report.html" | "report.json" => {}
            "manifest.json" => {
                writeln!(words, "== {file}\n{:#}", settled(dir.json(&file))).unwrap();
            }
            _ if file.ends_with(".csv") => drop(made.insert(file, std::fs::read(path).unwrap())),
            _ => {}
        }
    }
    let words = words.replace(dir.path("").to_str().unwrap(), "");
    made.insert("words.txt".to_owned(), words.into_bytes());
    made
}

fn check(name: &str) {
    let (expected, made) = (home().join(name).join("expected"), made(name));
    if std::env::var_os("PRIVET_BLESS").is_some() {
        drop(std::fs::remove_dir_all(&expected));
        for (file, bytes) in &made {
            let path = expected.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        return;
    }
    let mut found = BTreeMap::new();
    files(&expected, &expected, &mut found);
    let names: Vec<&String> = found.keys().collect();
    assert_eq!(names, made.keys().collect::<Vec<_>>(), "{name}: other files");
    for (file, bytes) in &made {
        let known = std::fs::read(&found[file]).unwrap();
        let (known, now) = (String::from_utf8_lossy(&known), String::from_utf8_lossy(bytes));
        for (number, (known, now)) in known.lines().zip(now.lines()).enumerate() {
            assert_eq!(now, known, "{name}/expected/{file}, line {}", number + 1);
        }
        assert_eq!(now.len(), known.len(), "{name}/expected/{file} has another length");
    }
}

macro_rules! goldens {
    ($($name:ident: $folder:literal,)*) => {
        $(#[test]
        fn $name() {
            check($folder);
        })*

        #[test]
        fn every_golden_is_a_test() {
            let entries = std::fs::read_dir(home()).unwrap().map(|entry| entry.unwrap().path());
            let folders: std::collections::BTreeSet<String> = entries
                .filter(|path| path.is_dir())
                .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
                .collect();
            assert_eq!(folders, [$($folder.to_owned()),*].into());
        }
    };
}

goldens! {
    bucketized: "bucketized",
    cells: "cells",
    closeness: "closeness",
    clustering: "clustering",
    condensed: "condensed",
    count_tables: "count-tables",
    generalized: "generalized",
    microaggregation: "microaggregation",
    mondrian: "mondrian",
    nodes: "nodes",
    noise: "noise",
    partly_synthetic: "partly-synthetic",
    private_answers: "private-answers",
    swapped: "swapped",
    swapped_pairs: "swapped-pairs",
    synthetic: "synthetic",
    views: "views",
}
