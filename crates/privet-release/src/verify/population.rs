//! The population table that delta-presence and k-map rest on (survey PM-23), matched to the classes.
//!
//! It is not part of the release. The manifest holds its hash and, per quasi column, the label of each of
//! its values at the published level.

use std::collections::HashMap;
use std::path::Path;

use privet_criteria::Requirement;
use privet_data::io::{input_limit, read_plain};

use super::table::{self, Released, Table};
use super::values::{Rule, Told};
use super::{VerifyError, VerifyOptions};
use crate::Manifest;
use crate::hash::sha256_of_file;
use crate::manifest::Evidence;

/// The population table, with the quasi columns of the release in their order.
pub(super) struct Population {
    sha256: String,
    table: Table,
    /// Positions of the quasi columns in the population table.
    quasi: Vec<usize>,
    /// Per quasi column which of its texts are one value.
    rules: Vec<Rule>,
}

/// The people of the population, by class of the release.
pub(super) struct People {
    /// Per class how many people look like its records.
    pub per_class: Vec<u64>,
    /// People who look like no published record.
    pub elsewhere: u64,
}

impl Population {
    /// Reads the population table when a promise needs it.
    pub fn read(
        manifest: &Manifest,
        released: &Released,
        options: VerifyOptions<'_>,
    ) -> Result<Option<Self>, VerifyError> {
        let rests = |requirement: &Requirement| {
            matches!(requirement, Requirement::DeltaPresence { .. } | Requirement::KMap { .. })
        };
        if !manifest.promises.iter().any(|promise| rests(&promise.requirement)) {
            return Ok(None);
        }
        let path = options.population.ok_or(VerifyError::NeedsPopulation)?;
        options.progress.stage("reading the population table", None);
        let names: Vec<&str> = released.quasi.iter().map(|&i| released.table.names[i].as_str()).collect();
        let table = read_table(path, &names, manifest, options)?
            .map_err(|problem| VerifyError::Population { path: path.to_owned(), problem })?;
        let quasi: Option<Vec<usize>> =
            names.iter().map(|name| table.names.iter().position(|other| other == name)).collect();
        let Some(quasi) = quasi else {
            let problem =
                "it lacks a quasi column of the release; it needs all of them, under the same names".into();
            return Err(VerifyError::Population { path: path.to_owned(), problem });
        };
        let sha256 = sha256_of_file(path).map_err(VerifyError::io(path))?;
        let rule = |&at: &usize| {
            let own = manifest.data.columns.get(at);
            let reading = own.and_then(|own| own.recoding.as_ref()).and_then(|own| own.reading);
            let alike = own.and_then(|own| own.alike.as_ref());
            Told::of(manifest).rule_of_input(&released.table.names[at], alike, reading)
        };
        let rules = released.quasi.iter().map(rule).collect();
        Ok(Some(Self { sha256, table, quasi, rules }))
    }

    /// Matches the people to the classes. The error is a sentence about evidence that does not fit.
    pub fn people(&self, evidence: &Evidence, released: &Released) -> Result<People, String> {
        if evidence.population_sha256.as_deref() != Some(self.sha256.as_str()) {
            return Err(
                "the population table that was given is not the one that the promise rests on".to_owned()
            );
        }
        let labels = match &evidence.population_labels {
            Some(labels) if labels.len() == released.quasi.len() => labels,
            _ => return Err("the manifest does not say how population values are generalized".to_owned()),
        };
        // Per quasi column, per value of the population, the code of its label in the published table.
        let published: Vec<Vec<Option<u32>>> = labels
            .iter()
            .zip(&self.rules)
            .zip(self.quasi.iter().zip(&released.quasi))
            .map(|((labels, rule), (&theirs, &ours))| {
                let texts = released.table.columns[ours].texts.iter().map(String::as_str);
                let code_of: HashMap<&str, u32> = texts.zip(0..).collect();
                // Values are the same however the population table writes them.
                let labels = rule.labels(labels);
                let value = |text: &String| code_of.get(labels.get(&rule.form(text))?.as_str()).copied();
                self.table.columns[theirs].texts.iter().map(value).collect()
            })
            .collect();
        let class_by_key: HashMap<Vec<u32>, usize> = released
            .classes
            .iter()
            .enumerate()
            .map(|(number, class)| {
                let row = class.record as usize - 1;
                (released.quasi.iter().map(|&i| released.table.columns[i].codes[row]).collect(), number)
            })
            .collect();
        let mut people = People { per_class: vec![0; released.classes.len()], elsewhere: 0 };
        for row in 0..self.table.rows {
            let code =
                |(i, &column): (usize, &usize)| published[i][self.table.columns[column].codes[row] as usize];
            let key: Option<Vec<u32>> = self.quasi.iter().enumerate().map(code).collect();
            match key.and_then(|key| class_by_key.get(&key)) {
                Some(&class) => people.per_class[class] += 1,
                None => people.elsewhere += 1,
            }
        }
        Ok(people)
    }
}

fn read_table(
    path: &Path,
    names: &[&str],
    manifest: &Manifest,
    options: VerifyOptions<'_>,
) -> Result<Result<Table, String>, VerifyError> {
    let keep = |_: usize, name: &str| names.contains(&name);
    match path.extension().and_then(|ending| ending.to_str()) {
        Some(format @ ("parquet" | "arrow")) => {
            table::read_columnar(&[path.to_owned()], format, keep, options.progress)
        }
        _ => {
            let bytes = read_plain(path, input_limit()).map_err(VerifyError::io(path))?;
            let delimiters = manifest.data.delimiter.into_iter().chain([',', ';', '\t', '|']);
            // The delimiter is the one under which the header has the columns that we need.
            let header = bytes.split(|&b| b == b'\n').next().unwrap_or_default();
            let fits = |delimiter: &char| {
                let header = table::read_csv(header, *delimiter as u8, false, |_, _| false, options.progress);
                matches!(header, Ok(Ok(table)) if names.iter().all(|name| table.names.iter().any(|n| n == name)))
            };
            let delimiter = delimiters.filter(char::is_ascii).find(fits).unwrap_or(',');
            table::read_csv(&bytes, delimiter as u8, false, keep, options.progress)
        }
    }
}
