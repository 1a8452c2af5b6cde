//! The engine against the memory engine, real clusters and real databases.

mod cluster;
mod database;
mod faults;
mod plan;
mod private;
mod same_bytes;
mod sources;
mod values;

use std::collections::BTreeMap;
use std::path::Path;

use privet_data::Silent;
use privet_data::io::{Format, ReadOptions, View, ViewColumn, read_csv_bytes, write};
use privet_engine::anonymize;
use privet_job::{Job, RunError, RunOptions, Summary};

/// Writes a CSV text as Parquet files of so many records each, in a folder.
pub fn write_parquet(folder: &Path, csv: &str, rows_per_file: usize) {
    std::fs::create_dir_all(folder).unwrap();
    let mut lines = csv.lines();
    let header = lines.next().unwrap();
    let records: Vec<&str> = lines.collect();
    // The types are those of the whole table.
    let whole = read_csv_bytes(csv.as_bytes(), &ReadOptions::default()).unwrap();
    assert_eq!(whole.table.rows, records.len(), "{header}");
    for (number, from) in (0..records.len()).step_by(rows_per_file).enumerate() {
        let rows: Vec<u32> = (from..records.len().min(from + rows_per_file)).map(|row| row as u32).collect();
        let table = whole.table.select(&rows);
        let columns = table.columns.iter().map(ViewColumn::unchanged).collect();
        let view = View { columns, rows: table.rows, kept: None };
        let file = std::fs::File::create(folder.join(format!("part-{number:04}.parquet"))).unwrap();
        write(file, &view, Format::Parquet, &Default::default(), &Silent).unwrap();
    }
}

/// People with numbers, dates, texts and what is not known.
pub fn people(count: usize, seed: u64) -> String {
    let mut text = String::from("name,age,born,town,disease,income,note\n");
    let mut state = seed.wrapping_mul(2).wrapping_add(1);
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for row in 0..count {
        let age = match next(12) {
            0 => String::new(),
            age => (20 + age * 3).to_string(),
        };
        let born = format!("19{}0-02-1{}", 1 + next(8), 1 + next(3));
        let town = ["Ulm", "Bonn", "Trier", "", "Köln"][next(5) as usize];
        let disease = ["flu", "ulcer", "cold", "gout"][next(4) as usize];
        text.push_str(&format!("person{row},{age},{born},{town},{disease},{},n{}\n", next(6) * 100, next(9)));
    }
    text
}

/// A job on the people of a path.
pub fn job_text(input: &str, privacy: &str, more: &str) -> String {
    format!(
        "[input]\npath = \"{input}\"\n[columns.age]\nrole = \"quasi\"\nhierarchy = {{ intervals = [10, 20] }}\n\
         [columns.born]\nrole = \"quasi\"\n[columns.town]\nrole = \"quasi\"\n\
         hierarchy = {{ tree = {{ south = [\"Ulm\"], west = [\"Bonn\", \"Trier\", \"Köln\"] }} }}\n\
         [columns.disease]\nrole = \"sensitive\"\n[columns.income]\nrole = \"sensitive\"\n\
         [columns.note]\nrole = \"insensitive\"\n[privacy]\n{privacy}\n{more}"
    )
}

/// Runs a job with settings.
pub fn run(base: &Path, text: &str, settings: &[&str]) -> Result<Summary, RunError> {
    let settings: Vec<String> = settings.iter().map(|own| (*own).to_owned()).collect();
    let job = Job::parse(text, &settings)?;
    let options = RunOptions { base: base.to_owned(), ..RunOptions::default() };
    anonymize(&job, &options, &Silent)
}

/// The files of a folder with their bytes.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(|own| own.unwrap());
    entries.map(|own| (own.file_name().into_string().unwrap(), std::fs::read(own.path()).unwrap())).collect()
}

/// Two releases are the same, byte for byte.
#[track_caller]
pub fn assert_same(one: &Path, other: &Path) {
    let (one, other) = (files(one), files(other));
    assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
    for (name, bytes) in &one {
        if name.ends_with(".json") {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            assert_eq!(text(bytes), text(&other[name]), "{name}");
        }
        assert!(*bytes == other[name], "{name} differs");
    }
}

/// What stands in a folder besides these.
pub fn left_in(folder: &Path, known: &[&str]) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().map(|own| own.unwrap().file_name().into_string().unwrap());
    names.filter(|name| !known.contains(&name.as_str())).collect()
}
