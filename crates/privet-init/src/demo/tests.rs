//! The data set looks like a hospital's: shares with wide margins, and rules without exception.

use super::*;
use std::collections::{HashMap, HashSet};

fn rows(admissions: &Admissions) -> Vec<Vec<String>> {
    let text = String::from_utf8(admissions.csv()).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next().unwrap(), COLUMNS.join(","));
    lines.map(|line| line.split(',').map(String::from).collect()).collect()
}

fn column(name: &str) -> usize {
    COLUMNS.iter().position(|c| *c == name).unwrap()
}

fn share(rows: &[Vec<String>], holds: impl Fn(&[String]) -> bool) -> f64 {
    rows.iter().filter(|row| holds(row)).count() as f64 / rows.len() as f64
}

/// A date that exists, as (year, month, day).
fn parse(text: &str) -> (i32, u32, u32) {
    let parts: Vec<&str> = text.split('-').collect();
    let date = Date::new(parts[0].parse().unwrap(), parts[1].parse().unwrap(), parts[2].parse().unwrap());
    assert_eq!(Date::from_days(date.days()), date, "the date exists");
    (date.year, date.month, date.day)
}

fn age(row: &[String]) -> i32 {
    let birth = parse(&row[column("birth_date")]);
    let admitted = parse(&row[column("admission_date")]);
    admitted.0 - birth.0 - i32::from((admitted.1, admitted.2) < (birth.1, birth.2))
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let (a, b) = (admissions(3_000, 5).csv(), admissions(3_000, 5).csv());
    assert_eq!(a, b);
    assert_ne!(a, admissions(3_000, 6).csv());
    let longer = admissions(3_100, 5).csv();
    assert!(longer.starts_with(&a), "fewer rows are a prefix of more");
    assert_eq!(admissions(0, 5).csv(), format!("{}\n", COLUMNS.join(",")).as_bytes());
}

/// Pins the generator: benchmarks of different versions must run on the same data.
#[test]
fn the_bytes_stay_the_same_from_version_to_version() {
    let bytes = admissions(1_000, SEED).csv();
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    assert_eq!(hash, 0x44e2_28f8_bd97_0cb9, "{hash:#x}");
}

#[test]
fn every_row_is_possible() {
    let rows = rows(&admissions(20_000, SEED));
    assert_eq!(rows.len(), 20_000);
    let (sex, diagnosis) = (column("sex"), column("diagnosis"));
    let by_name: HashMap<&str, &hospital::Diagnosis> = DIAGNOSES.iter().map(|d| (d.name, d)).collect();
    for row in &rows {
        assert_eq!(row.len(), COLUMNS.len());
        let age = age(row);
        assert!((0..=101).contains(&age));
        let admitted = parse(&row[column("admission_date")]);
        assert!((2023..=2024).contains(&admitted.0));
        assert!(row[column("birth_date")] <= row[column("admission_date")]);
        let found = by_name[&*row[diagnosis]];
        if let Some(only) = hospital::only(found) {
            assert_eq!(row[sex], only.word(), "{}", found.name);
        }
        match found.chapter {
            "Pregnancy and birth" => assert!((16..=48).contains(&age)),
            "Perinatal" => assert_eq!(age, 0),
            _ => {}
        }
        if found.name.contains("rostate") {
            assert!(age > 45);
        }
        let postcode: u32 = row[column("postcode")].parse().unwrap();
        assert!((10_000..100_000).contains(&postcode));
        let days: u32 = row[column("length_of_stay")].parse().unwrap();
        assert!((1..=180).contains(&days));
        let cost: u32 = row[column("cost")].parse().unwrap();
        assert!((200..1_000_000).contains(&cost), "{cost}");
        match &*row[column("occupation")] {
            "Child" => assert!(age < 6),
            "Pupil" => assert!((6..=18).contains(&age)),
            "Student" => assert!((19..=30).contains(&age)),
            "Retired" => assert!(age >= 58),
            "" => assert!(age >= 16),
            known => assert!(OCCUPATIONS.iter().any(|o| o.name == known)),
        }
    }
    let ids: HashSet<&str> = rows.iter().map(|r| &*r[0]).collect();
    assert_eq!(ids.len(), rows.len());
}

/// All margins are more than ten standard deviations of the share at 20,000 rows.
#[test]
fn shares_and_correlations_are_plausible() {
    let rows = rows(&admissions(20_000, SEED));
    let is = |name: &'static str, value: &'static str| move |row: &[String]| row[column(name)] == value;
    let within = |share: f64, from: f64, to: f64, what: &str| {
        assert!((from..=to).contains(&share), "{what}: {share}");
    };
    within(share(&rows, is("sex", "female")), 0.48, 0.60, "women");
    within(share(&rows, |r| age(r) == 0), 0.03, 0.09, "babies");
    within(share(&rows, |r| age(r) >= 65), 0.33, 0.55, "old");
    within(share(&rows, is("occupation", "")), 0.02, 0.05, "no occupation");
    within(share(&rows, is("occupation", "Retired")), 0.3, 0.55, "retired");
    within(share(&rows, |r| r[column("postcode")].starts_with("4")), 0.6, 0.9, "near");

    let women_of_30: Vec<_> =
        rows.iter().filter(|r| r[3] == "female" && (25..=34).contains(&age(r))).cloned().collect();
    let pregnancy: HashSet<&str> =
        DIAGNOSES.iter().filter(|d| d.chapter.starts_with("Pregnancy")).map(|d| d.name).collect();
    within(share(&women_of_30, |r| pregnancy.contains(&*r[column("diagnosis")])), 0.45, 0.8, "pregnant");

    let month = |row: &[String]| parse(&row[column("admission_date")]).1;
    let flu: Vec<_> = rows.iter().filter(|r| is("diagnosis", "Influenza")(r)).cloned().collect();
    assert!(flu.len() > 150);
    assert!(share(&flu, |r| matches!(month(r), 12 | 1 | 2)) > 0.6);
    assert!(share(&rows, |r| matches!(month(r), 12 | 1 | 2)) < 0.32);

    let weekend = share(&rows, |r| {
        let (year, month, day) = parse(&r[column("admission_date")]);
        calendar::weekday(Date::new(year, month, day).days()) >= 5
    });
    within(weekend, 0.14, 0.23, "weekend");

    // Skew: the most frequent surname and postcode are far above the mean, and the tail is long.
    for (name, most) in [("postcode", 0.12), ("name", 0.01)] {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for row in &rows {
            *counts.entry(&row[column(name)]).or_default() += 1;
        }
        let top = *counts.values().max().unwrap() as f64 / rows.len() as f64;
        assert!(top > 5.0 / counts.len() as f64 && top < most, "{name}: {top}, {}", counts.len());
        assert!(counts.values().any(|&c| c <= 2), "{name}");
    }

    let mean = |rows: &[Vec<String>], name: &str| {
        rows.iter().map(|r| r[column(name)].parse::<f64>().unwrap()).sum::<f64>() / rows.len() as f64
    };
    let (old, young): (Vec<_>, Vec<_>) =
        rows.iter().filter(|r| age(r) >= 5).cloned().partition(|r| age(r) >= 60);
    assert!(mean(&old, "length_of_stay") > 1.2 * mean(&young, "length_of_stay"));
    assert!(mean(&old, "cost") > 1.2 * mean(&young, "cost"));
}

#[test]
fn the_demo_is_written_whole_and_can_be_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("new").join("demo");
    for _ in 0..2 {
        let files = write_demo(&target, 50, 1).unwrap();
        assert_eq!(std::fs::read(&files.data).unwrap(), admissions(50, 1).csv());
        for hierarchy in &files.hierarchies {
            privet_data::hierarchy::read_hierarchy(hierarchy).unwrap();
        }
        let job = std::fs::read_to_string(&files.job).unwrap();
        for path in ["admissions.csv", "hierarchies/occupation.csv", "hierarchies/diagnosis.csv"] {
            assert!(job.contains(&format!("\"{path}\"")), "{path}");
            assert!(target.join(path).is_file(), "{path}");
        }
    }
    let left_over = std::fs::read_dir(&target).unwrap().count();
    assert_eq!(left_over, 4, "the data, the job, the folder of hierarchies, and the hashes of all");
}

#[test]
fn the_demo_replaces_only_what_a_demo_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let files = write_demo(folder.path(), 50, 1).unwrap();
    // Other rows and another seed: the files are still the demo's.
    for (rows, seed) in [(20, 1), (60, 9), (50, 1)] {
        write_demo(folder.path(), rows, seed).unwrap();
        assert_eq!(std::fs::read(&files.data).unwrap(), admissions(rows, seed).csv());
    }
    for path in files.hierarchies.iter().chain([&files.data, &files.job]) {
        let before = std::fs::read(path).unwrap();
        let own = [&before[..], b"# mine\n"].concat();
        std::fs::write(path, &own).unwrap();
        let refused = write_demo(folder.path(), 70, 1).unwrap_err();
        assert!(matches!(&refused, DemoError::NotOurs(named) if named == path), "{refused}");
        assert_eq!(std::fs::read(path).unwrap(), own);
        std::fs::write(path, before).unwrap();
    }
    assert_eq!(
        std::fs::read(&files.data).unwrap(),
        admissions(50, 1).csv(),
        "a refusal leaves all as it was"
    );
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4, "and nothing beside it");
    // What would be written is no loss, whoever wrote it.
    std::fs::remove_file(folder.path().join(".demo.sha256")).unwrap();
    write_demo(folder.path(), 50, 1).unwrap();
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    assert!(write_demo(&file, 1, 1).is_err());
}

#[test]
fn the_job_names_every_column_and_nothing_else() {
    let job = crate::init::checked(files::JOB);
    let columns: Vec<&str> = job["columns"].as_table().unwrap().keys().map(String::as_str).collect();
    assert_eq!(columns, COLUMNS);
}
