//! The sections of a job about a series.

use std::collections::BTreeMap;
use std::path::PathBuf;

use privet_data::hierarchy::HierarchySpec;
use privet_data::io::Formulas;
use privet_kind::{JobFile, KindError, Section};
use serde::{Deserialize, Serialize};

/// The sections with their keys.
pub const SECTIONS: &[Section] = &[Section {
    name: "series",
    keys: &[
        ("person", "The column that says whom a row is about; everybody has one row."),
        ("sensitive", "The sensitive column."),
        ("m", "How many values are possible for everybody, in every release and in all of them together."),
        (
            "columns",
            "The quasi columns: numbers become ranges, other values the lowest group of their hierarchy.",
        ),
    ],
}];

/// The `[input]` section.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Input {
    pub path: PathBuf,
    /// What becomes of cells that a spreadsheet would take for formulas.
    #[serde(default)]
    pub formulas: Formulas,
}

/// The `[series]` section.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SeriesSection {
    /// The column that says whom a row is about.
    pub person: String,
    /// The sensitive column.
    pub sensitive: String,
    /// How many values are possible.
    pub m: usize,
    /// The quasi columns.
    pub columns: BTreeMap<String, QuasiSection>,
}

/// A quasi column.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct QuasiSection {
    /// Its hierarchy.
    pub hierarchy: Option<HierarchySpec>,
}

/// What the manifest states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Body {
    /// The quasi columns.
    pub columns: Vec<String>,
    /// The sensitive column.
    pub sensitive: String,
    /// Which release of the series it is, from 1.
    pub release: u64,
    /// Rows, counterfeits included.
    pub rows: u64,
    /// Groups.
    pub groups: u64,
    /// Rows that belong to nobody.
    pub counterfeits: u64,
    /// People of the input who wait for a later release.
    pub waiting: u64,
}

pub fn read(job: &JobFile) -> Result<(Input, SeriesSection), KindError> {
    let (input, section): (Input, SeriesSection) = (job.required("input")?, job.required("series")?);
    let key =
        |name: &str, problem: &str| Err(KindError::key(format!("series.{name}"), problem).at(job.path()));
    if section.m < 2 {
        return key("m", "must be at least 2");
    }
    if section.columns.is_empty() {
        return key("columns", "names no quasi column");
    }
    let named = [&section.person, &section.sensitive];
    if section.person == section.sensitive || named.iter().any(|own| section.columns.contains_key(*own)) {
        return key(
            "columns",
            "must be other columns than `person` and `sensitive`, and these two different ones",
        );
    }
    if section.columns.keys().chain(named).any(|own| own == "group") {
        return key("columns", "must not be called `group`, which numbers the groups that are published");
    }
    if job.output()?.home.is_none() {
        return Err(KindError::key(
            "output.home",
            "is needed: what was published before is remembered in the owner's folder",
        )
        .at(job.path()));
    }
    Ok((input, section))
}
