//! The sections of a job about tables.

use std::collections::BTreeMap;
use std::path::PathBuf;

use privet_data::hierarchy::HierarchySpec;
use privet_data::io::Formulas;
use privet_kind::{JobFile, KindError, Section};
use serde::Deserialize;

use crate::body::Role;

/// The sections with their keys.
pub const SECTIONS: &[Section] = &[
    Section {
        name: "tables",
        keys: &[
            ("name", "The name of the table; its file is called after it."),
            ("path", "The file, relative to the job."),
            ("person", "The column that says whom a row is about."),
            (
                "key",
                "The column that names the rows, for tables that others refer to; in the table of people it is that of `person`.",
            ),
            ("references", "Columns that name rows of other tables, with the names of these tables."),
            (
                "at-most",
                "The most rows of a person that are published; the first ones stay. All when left out.",
            ),
            (
                "columns",
                "The columns that are published, each with a role (quasi, sensitive, insensitive, date) and quasi columns with a hierarchy.",
            ),
        ],
    },
    Section {
        name: "people",
        keys: &[
            (
                "linked",
                "Whether the rows of a person are published under one pseudonym; true when left out. False takes a single table.",
            ),
            (
                "household",
                "The column of the table of people that names households; then whole households are alike.",
            ),
            ("weight", "The column of the table of people with sampling weights."),
            (
                "shift-dates",
                "Dates of a person are shifted by a number of days up to this, all by the same; 365 when left out.",
            ),
            ("orphans", "Rows whose person or parent is missing: refuse or drop; refuse when left out."),
            ("suppress-at-most", "The largest share of people who may be suppressed, with all their rows."),
        ],
    },
    Section {
        name: "privacy",
        keys: &[
            (
                "k-anonymity",
                "Everybody is one of so many people (with households: in one of so many households) who look the same in all tables.",
            ),
            (
                "l-diversity",
                "No value of a sensitive column is held by more than 1/l of the people of a class.",
            ),
            (
                "t-closeness",
                "What the people of a class hold differs from what all hold by at most so much (total variation).",
            ),
        ],
    },
];

/// A `[[tables]]` section.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TableSection {
    pub name: String,
    pub path: PathBuf,
    pub person: String,
    #[serde(default)]
    pub key: Option<String>,
    #[serde(default)]
    pub references: BTreeMap<String, String>,
    /// What becomes of cells that a spreadsheet would take for formulas.
    #[serde(default)]
    pub formulas: Formulas,
    #[serde(default)]
    pub at_most: Option<u32>,
    #[serde(default)]
    pub columns: BTreeMap<String, ColumnSection>,
}

/// A column of a table.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ColumnSection {
    pub role: Role,
    #[serde(default)]
    pub hierarchy: Option<HierarchySpec>,
}

/// The `[people]` section.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PeopleSection {
    pub linked: bool,
    pub household: Option<String>,
    pub weight: Option<String>,
    pub shift_dates: u32,
    pub orphans: Orphans,
    pub suppress_at_most: f64,
}

impl Default for PeopleSection {
    fn default() -> Self {
        Self {
            linked: true,
            household: None,
            weight: None,
            shift_dates: 365,
            orphans: Orphans::Refuse,
            suppress_at_most: 0.0,
        }
    }
}

/// What becomes of rows whose person or parent is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Orphans {
    /// Nothing is published.
    Refuse,
    /// They are not published.
    Drop,
}

/// The `[privacy]` section.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PrivacySection {
    pub k_anonymity: u64,
    #[serde(default)]
    pub l_diversity: Option<f64>,
    #[serde(default)]
    pub t_closeness: Option<f64>,
}

/// A job, checked for form.
pub struct Job {
    pub tables: Vec<TableSection>,
    pub people: PeopleSection,
    pub privacy: PrivacySection,
}

/// Dates are shifted by at most a lifetime, or they would leave the calendar.
const MOST_DAYS: u32 = 36_500;
/// Names of tables are names of files.
const TAKEN: [&str; 2] = ["manifest", "report"];

impl Job {
    pub fn read(job: &JobFile) -> Result<Self, KindError> {
        let own = Self {
            tables: job.required("tables")?,
            people: job.section("people")?,
            privacy: job.required("privacy")?,
        };
        own.check().map_err(|error| error.at(job.path()))?;
        Ok(own)
    }

    /// The position of the table with one row for each person.
    pub fn person_table(&self) -> Option<usize> {
        self.tables.iter().position(|table| table.key.as_ref() == Some(&table.person))
    }

    fn check(&self) -> Result<(), KindError> {
        let Self { tables, people, privacy } = self;
        if tables.is_empty() {
            return Err(KindError::key("tables", "names no table"));
        }
        for (at, table) in tables.iter().enumerate() {
            let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
            if table.name.is_empty()
                || !table.name.chars().all(is_plain)
                || TAKEN.contains(&table.name.as_str())
            {
                let problem =
                    "must be of small letters, digits, - and _, and neither `manifest` nor `report`";
                return Err(KindError::key("tables.name", problem));
            }
            if tables[..at].iter().any(|other| other.name == table.name) {
                return Err(KindError::key(
                    "tables.name",
                    "is given twice; each table has a name of its own",
                ));
            }
            if table.at_most == Some(0) {
                return Err(KindError::key("tables.at-most", "must be at least 1"));
            }
            for (column, section) in &table.columns {
                if section.hierarchy.is_some() && section.role != Role::Quasi {
                    return Err(KindError::key(
                        format!("tables.columns.{column}.hierarchy"),
                        "goes with role = \"quasi\" only",
                    ));
                }
                if matches!(section.role, Role::Household | Role::Weight) {
                    let problem = "is named by `people.household` and `people.weight`, and needs no role";
                    return Err(KindError::key(format!("tables.columns.{column}.role"), problem));
                }
                let is_named = column == &table.person
                    || Some(column) == table.key.as_ref()
                    || table.references.contains_key(column)
                    || Some(column) == people.household.as_ref()
                    || Some(column) == people.weight.as_ref();
                if is_named {
                    let problem = "names people, rows, households or weights, and has no role of its own";
                    return Err(KindError::key(format!("tables.columns.{column}"), problem));
                }
            }
            for (column, parent) in &table.references {
                let named = tables.iter().find(|other| other.name == *parent);
                if named.is_none_or(|other| other.key.is_none()) {
                    let problem = "must name a table that has a `key`";
                    return Err(KindError::key(format!("tables.references.{column}"), problem));
                }
            }
        }
        if (people.household.is_some() || people.weight.is_some()) && self.person_table().is_none() {
            let problem = "needs a table of people: one whose `key` is its `person`";
            return Err(KindError::key("people", problem));
        }
        if !people.linked {
            if tables.len() > 1 || !tables[0].references.is_empty() {
                return Err(KindError::key(
                    "people.linked",
                    "= false takes a single table without references",
                ));
            }
            if people.household.is_some() || people.weight.is_some() {
                return Err(KindError::key(
                    "people.linked",
                    "= false does not go with households or weights",
                ));
            }
            if tables[0].columns.values().any(|column| column.role == Role::Date) {
                let problem = "= false does not go with dates: shifting protects where the rows of a person stay together";
                return Err(KindError::key("people.linked", problem));
            }
        }
        if !(1..=MOST_DAYS).contains(&people.shift_dates) {
            return Err(KindError::key("people.shift-dates", format!("must be from 1 to {MOST_DAYS}")));
        }
        if !(0.0..=1.0).contains(&people.suppress_at_most) {
            return Err(KindError::key(
                "people.suppress-at-most",
                "must be a share from 0 to 1, such as 0.02",
            ));
        }
        if privacy.k_anonymity < 1 {
            return Err(KindError::key("privacy.k-anonymity", "must be at least 1"));
        }
        if privacy.l_diversity.is_some_and(|l| !(l >= 1.0 && l.is_finite())) {
            return Err(KindError::key("privacy.l-diversity", "must be a number of at least 1"));
        }
        if privacy.t_closeness.is_some_and(|t| !(0.0..=1.0).contains(&t)) {
            return Err(KindError::key("privacy.t-closeness", "must be a number from 0 to 1"));
        }
        let has = |role| tables.iter().any(|table| table.columns.values().any(|column| column.role == role));
        if !has(Role::Quasi) {
            return Err(KindError::key(
                "tables.columns",
                "has no column with role = \"quasi\"; name what others know",
            ));
        }
        if (privacy.l_diversity.is_some() || privacy.t_closeness.is_some()) && !has(Role::Sensitive) {
            return Err(KindError::key(
                "privacy",
                "promises something about sensitive columns, and there is none",
            ));
        }
        Ok(())
    }
}
