//! Small releases made by hand: a table, what was promised, and what was reached, as literals.
#![allow(dead_code, missing_docs)] // Each test target uses its own part.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use privet_criteria::Requirement;
use privet_release::manifest::{
    Classes, Data, DataColumn, Evidence, FORMAT, Promise, Recoding, Search, SizeBin, WorstClass,
};
use privet_release::shown::{ColumnFacts, LabelCount};
use privet_release::{Draft, Manifest, Shown, Verdict, VerifyOptions, verify};

/// A table with roles, in the words of a manifest.
#[derive(Clone)]
pub struct Fixture {
    pub columns: Vec<(&'static str, &'static str)>,
    pub rows: Vec<Vec<String>>,
    pub suppressed: u64,
    pub promises: Vec<Promise>,
}

impl Fixture {
    pub fn new(columns: &[(&'static str, &'static str)], rows: &[&[&str]]) -> Self {
        let rows = rows.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect();
        Self { columns: columns.to_vec(), rows, suppressed: 0, promises: Vec::new() }
    }

    pub fn suppressed(mut self, records: u64) -> Self {
        self.suppressed = records;
        self
    }

    /// A promise, what it reached, and the first record of the worst class.
    pub fn promise(self, requirement: serde_json::Value, reached: f64, record: u64) -> Self {
        self.promise_with(requirement, reached, record, Evidence::default())
    }

    pub fn promise_with(
        mut self,
        requirement: serde_json::Value,
        reached: f64,
        record: u64,
        evidence: Evidence,
    ) -> Self {
        let requirement: Requirement = serde_json::from_value(requirement).unwrap();
        let class = self.class_of(record as usize - 1);
        let worst_class = Some(WorstClass { record, rows: class });
        let sensitive: Vec<&str> =
            self.columns.iter().filter(|column| column.1 == "sensitive").map(|column| column.0).collect();
        let statement = privet_criteria::statement(&requirement, &sensitive);
        self.promises.push(Promise { requirement, statement, reached, worst_class, evidence });
        self
    }

    fn key(&self, row: usize) -> Vec<&str> {
        let quasi = self.columns.iter().enumerate().filter(|(_, column)| column.1 == "quasi");
        quasi.map(|(i, _)| self.rows[row][i].as_str()).collect()
    }

    fn class_of(&self, row: usize) -> u64 {
        (0..self.rows.len()).filter(|&other| self.key(other) == self.key(row)).count() as u64
    }

    pub fn csv(&self) -> String {
        let names: Vec<&str> = self.columns.iter().map(|column| column.0).collect();
        let mut text = names.join(",") + "\n";
        for row in &self.rows {
            let cells: Vec<String> = row
                .iter()
                .map(|cell| if cell.contains(',') { format!("\"{cell}\"") } else { cell.clone() })
                .collect();
            text += &(cells.join(",") + "\n");
        }
        text
    }

    /// The manifest that is true of this table; without files and seal.
    pub fn manifest(&self) -> Manifest {
        let mut sizes: BTreeMap<Vec<&str>, u64> = BTreeMap::new();
        for row in 0..self.rows.len() {
            *sizes.entry(self.key(row)).or_default() += 1;
        }
        // From a power of two to before the next.
        let mut by_size: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
        for &size in sizes.values() {
            let bin = by_size.entry(1 << size.max(1).ilog2()).or_default();
            *bin = (bin.0 + 1, bin.1 + size);
        }
        let rows = self.rows.len() as u64;
        let input_rows = rows + self.suppressed;
        let count = sizes.len() as u64;
        let mean = if count == 0 { 0.0 } else { rows as f64 / count as f64 };
        let squares: u64 = sizes.values().map(|size| size * size).sum();
        let loss =
            if input_rows == 0 { 0.25 } else { (self.suppressed as f64 / input_rows as f64).max(0.25) };
        let quasi = self.columns.iter().filter(|column| column.1 == "quasi").count() as u32;
        let shown = Shown {
            columns: (0..self.columns.len())
                .filter(|&i| self.columns[i].1 == "quasi")
                .map(|i| {
                    let mut rows: BTreeMap<&str, u64> = BTreeMap::new();
                    self.rows.iter().for_each(|row| *rows.entry(&row[i]).or_default() += 1);
                    let labels =
                        rows.into_iter().map(|(label, rows)| LabelCount { label: label.into(), rows });
                    ColumnFacts {
                        name: self.columns[i].0.into(),
                        labels: labels.collect(),
                        ..ColumnFacts::default()
                    }
                })
                .collect(),
            ..Shown::default()
        };
        let columns = self.columns.iter().enumerate().map(|(i, (name, role))| {
            let mut labels: Vec<&String> = self.rows.iter().map(|row| &row[i]).collect();
            labels.sort();
            labels.dedup();
            let labels = labels.len().max(1) as u64;
            let recoding = Recoding {
                level: Some(1),
                nodes: None,
                height: 2,
                leaves: labels + 5,
                labels_per_level: vec![labels + 5, labels, 1],
                reading: None,
                loss,
                weight: 1.0,
            };
            let recoding = (*role == "quasi").then_some(recoding);
            DataColumn { name: (*name).to_owned(), role: (*role).to_owned(), recoding, alike: None }
        });
        Manifest {
            format: FORMAT,
            software: "privet test".into(),
            kind: privet_release::manifest::Form::Generalized,
            data: Data {
                file: "data.csv".into(),
                format: "csv".into(),
                delimiter: Some(','),
                encoding: None,
                input_rows,
                rows,
                suppressed: self.suppressed,
                columns: columns.collect(),
                removed_columns: vec!["name".into()],
                equality: Default::default(),
                sensitive_tables: vec![],
                missing: None,
                sample: None,
                distorted: None,
            },
            promises: self.promises.clone(),
            search: Search {
                algorithm: "optimal".into(),
                guarantee: "no safe node of the lattice has a smaller loss".into(),
                minimize: "loss".into(),
                suppress_at_most: if input_rows == 0 {
                    0.0
                } else {
                    self.suppressed as f64 / input_rows as f64
                },
                lattice_nodes: Some(3u64.pow(quasi)),
                nodes_checked: 7,
                bound: None,
                purpose: None,
                minimal_nodes: None,
                microaggregation: None,
                anatomy: None,
                p_safe: None,
            },
            metrics: [
                ("loss", loss),
                ("discernibility", (squares + input_rows * self.suppressed) as f64),
                ("average-class-size", mean),
            ]
            .map(|(name, value)| (name.to_owned(), value))
            .into(),
            classes: Classes {
                count,
                min: sizes.values().copied().min().unwrap_or(0),
                max: sizes.values().copied().max().unwrap_or(0),
                mean,
                sizes: by_size
                    .into_iter()
                    .map(|(from, (classes, rows))| SizeBin { from, to: 2 * from - 1, classes, rows })
                    .collect(),
            },
            randomness: "none".into(),
            unrepeatable: false,
            files: vec![],
            shown,
            signer: None,
            seal: String::new(),
        }
    }

    /// Writes the release to a folder that does not exist yet, or replaces the one there.
    pub fn write(&self, folder: &Path) -> Manifest {
        self.write_as(folder, self.manifest())
    }

    pub fn write_as(&self, folder: &Path, manifest: Manifest) -> Manifest {
        let draft = Draft::begin(folder, true).unwrap();
        let mut data = draft.create("data.csv").unwrap();
        data.write_all(self.csv().as_bytes()).unwrap();
        data.finish().unwrap();
        let mut report = draft.create("report.html").unwrap();
        report.write_all(b"<!doctype html>\n<title>A release</title>\n<p>As promised.</p>\n").unwrap();
        report.finish().unwrap();
        draft.commit(manifest).unwrap()
    }

    /// Writes it somewhere and verifies it there.
    pub fn verdict(&self) -> Verdict {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("release");
        self.write(&folder);
        verify(&folder, VerifyOptions::default()).unwrap()
    }
}

/// Fails with everything that is wrong.
pub fn assert_holds(verdict: &Verdict) {
    let failures: Vec<_> = verdict.failures().collect();
    assert!(verdict.holds(), "{failures:#?}");
}

/// The one promise that is not well.
pub fn assert_broken(verdict: &Verdict, word: &str) {
    let failures: Vec<_> = verdict.failures().collect();
    assert!(
        failures.iter().any(|check| check.name.contains(word) && check.detail.contains("broken")),
        "{word} should be broken: {failures:#?}"
    );
}
