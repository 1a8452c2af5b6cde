//! A job that perturbs: the table, what each column is, and by which law it is changed.
//!
//! It is a file of its own, not a section of a job that anonymizes. A promise under `[privacy]` is about tables whose
//! values are true, and a column with `perturb` that is published by `privet anonymize` would be published as it is.

use std::collections::BTreeMap;
use std::path::Path;

use privet_data::Role;
use privet_data::hierarchy::HierarchySpec;
use serde::Deserialize;

use super::section::{Method, RandomizeSection};
use super::spec::PerturbSpec;
use crate::adversary::AdversarySection;
use crate::assess::words_of_chance;
use crate::error::JobError;
use crate::job::{Input, Output, read_text, set};

/// A job for `privet randomize`, read and checked for form.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RandomizeJob {
    /// Where the table is and how it is written.
    pub input: Input,
    /// What each column is, and how it is perturbed.
    pub columns: BTreeMap<String, RandomizeColumn>,
    /// How the table is made.
    #[serde(default)]
    pub randomize: RandomizeSection,
    /// What it must stand before it is handed over.
    #[serde(default)]
    pub adversary: AdversarySection,
    /// Where to put the release.
    #[serde(default)]
    pub output: Output,
}

/// A `[columns.NAME]` section.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RandomizeColumn {
    /// What the column is to the person behind the record.
    pub role: Role,
    /// The values that it can have, when they are categories; swapped by rank: from the lowest to the highest.
    #[serde(default)]
    pub values: Option<Vec<ValueText>>,
    /// A hierarchy that is written down: its leaves are the values.
    #[serde(default)]
    pub hierarchy: Option<HierarchySpec>,
    /// How it is perturbed; published as it is when left out.
    #[serde(default)]
    pub perturb: Option<PerturbSpec>,
}

/// A value of a domain; numbers need no quotation marks.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum ValueText {
    /// A whole number.
    Whole(i64),
    /// A truth value.
    Truth(bool),
    /// A text.
    Text(String),
}

impl ValueText {
    /// As it stands in a cell.
    pub fn text(&self) -> String {
        match self {
            ValueText::Whole(number) => number.to_string(),
            ValueText::Truth(truth) => truth.to_string(),
            ValueText::Text(text) => text.clone(),
        }
    }
}

impl RandomizeJob {
    /// Reads a job file and applies `section.key=value` settings on top.
    ///
    /// # Errors
    /// When the file cannot be read, is not TOML, has an unknown key, or a value of the wrong form.
    pub fn read(path: &Path, settings: &[String]) -> Result<Self, JobError> {
        let text = read_text(path)?;
        Self::parse(&text, settings).map_err(|error| error.at(path))
    }

    /// Reads a job from its text.
    ///
    /// # Errors
    /// As [`RandomizeJob::read`].
    pub fn parse(text: &str, settings: &[String]) -> Result<Self, JobError> {
        let mut table: toml::Table = toml::from_str(text).map_err(|e| JobError::of_job(text, &e, true))?;
        for setting in settings {
            set(&mut table, setting)?;
        }
        for key in ["privacy", "search", "views", "count-tables", "purpose", "sampling"] {
            if table.contains_key(key) {
                return Err(JobError::key(
                    key,
                    "is for `privet anonymize`; perturbed values keep none of its promises. Give `privet randomize` a job \
                     file of its own",
                ));
            }
        }
        // Once more from the text, where it can be: its errors tell the line.
        let job: Self = match settings.is_empty() {
            true => toml::from_str(text).map_err(|e| JobError::of_job(text, &e, true))?,
            false => table.try_into().map_err(|e: toml::de::Error| JobError::of_job(text, &e, true))?,
        };
        job.check()?;
        Ok(job)
    }

    fn check(&self) -> Result<(), JobError> {
        self.randomize.check(&self.columns)?;
        for (name, column) in &self.columns {
            let key = |what: &str| format!("columns.{name}.{what}");
            let Some(perturb) = &column.perturb else {
                if self.randomize.method != Method::Columns {
                    continue;
                }
                for (what, is_there) in
                    [("values", column.values.is_some()), ("hierarchy", column.hierarchy.is_some())]
                {
                    if is_there {
                        return Err(JobError::key(key(what), "goes with `perturb` only"));
                    }
                }
                continue;
            };
            if column.role == Role::Identifier {
                return Err(JobError::key(
                    key("perturb"),
                    "is of no use: a column with role = \"identifier\" is not published",
                ));
            }
            if column.values.is_some() && column.hierarchy.is_some() {
                return Err(JobError::key(
                    key("values"),
                    "and `hierarchy` both say what the values are; keep one",
                ));
            }
            perturb.check(name, column)?;
        }
        if self.randomize.method == Method::Columns
            && self.columns.values().all(|column| column.perturb.is_none())
        {
            return Err(JobError::key(
                "columns",
                "has no column with `perturb`, so nothing would be hidden; give one a law, such as perturb = { gamma = 19 } \
                 for categories or perturb = { noise = \"gaussian\", sd = 5.0 } for numbers",
            ));
        }
        let factors: Vec<f64> =
            self.columns.values().filter_map(|c| c.perturb.as_ref()?.correlated_factor()).collect();
        if factors.iter().any(|factor| Some(factor) != factors.first()) {
            return Err(JobError::key(
                "columns",
                "has several factors of correlated noise; columns with noise = \"correlated\" belong together and share one",
            ));
        }
        let (words, unknown) = words_of_chance(self.randomize.method == Method::Columns);
        self.adversary.check_among(words, unknown)?;
        if self.adversary.countermeasure.is_some() {
            return Err(JobError::key(
                "adversary.countermeasure",
                "is against those who know how `privet anonymize` searches, and nothing is searched here; leave it out",
            ));
        }
        if self.output.home.is_some() {
            return Err(JobError::key("output.home", "goes with `privet anonymize` only"));
        }
        if self.input.trim.is_some() || self.input.fold_case.is_some() {
            let key = if self.input.trim.is_some() { "input.trim" } else { "input.fold-case" };
            return Err(JobError::key(
                key,
                "goes with `privet anonymize` only: a law is of the texts of its domain",
            ));
        }
        self.input.options()?;
        self.output.format()?;
        Ok(())
    }
}
