//! What a manifest states of a release of tables.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The body of the manifest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Body {
    /// People of the input.
    pub input_persons: u64,
    /// People who are published.
    pub persons: u64,
    /// Whether the rows of a person have one pseudonym.
    pub linked: bool,
    /// The column of the person table that names households.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub household: Option<String>,
    /// The column of the person table with sampling weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<String>,
    /// The tables.
    pub tables: Vec<PublishedTable>,
}

/// A published table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PublishedTable {
    /// Its name.
    pub name: String,
    /// Its file.
    pub file: String,
    /// The column that says whom a row is about; absent where rows of a person are not linked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// The column that names its rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Columns that name rows of other tables, with the names of these tables.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub references: BTreeMap<String, String>,
    /// The most rows of a person.
    pub most_rows: u64,
    /// Rows of the input.
    pub input_rows: u64,
    /// Rows that are published.
    pub rows: u64,
    /// Its other columns.
    pub columns: Vec<PublishedColumn>,
}

impl PublishedTable {
    /// The columns with this role.
    pub fn with(&self, role: Role) -> impl Iterator<Item = &PublishedColumn> {
        self.columns.iter().filter(move |own| own.role == role)
    }
}

/// A column of a published table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PublishedColumn {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// Quasi columns: the level of its hierarchy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u64>,
    /// Quasi columns: the levels that its hierarchy has above the values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<u64>,
}

/// What a column is to the person behind the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Known to others; generalized.
    Quasi,
    /// Not to be learned; published as it is.
    Sensitive,
    /// Neither; published as it is.
    Insensitive,
    /// A day; shifted by the same number of days as all days of the person.
    Date,
    /// Names the household; a pseudonym.
    Household,
    /// How many people of the population the person stands for.
    Weight,
}

impl Role {
    /// The word of job files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Quasi => "quasi",
            Self::Sensitive => "sensitive",
            Self::Insensitive => "insensitive",
            Self::Date => "date",
            Self::Household => "household",
            Self::Weight => "weight",
        }
    }
}
