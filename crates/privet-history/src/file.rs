//! The history as a file of the owner: releases in the order in which they were published.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

const FORMAT: u32 = 1;
const MOST_BYTES: u64 = 1 << 31;

/// What was published about the same people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct History {
    #[serde(rename = "privet-history")]
    format: u32,
    /// The tables that were published, so that private answers about the same people are found in the ledgers of these.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub data: BTreeSet<PathBuf>,
    /// The releases, the earliest first.
    pub releases: Vec<Entry>,
}

impl Default for History {
    fn default() -> Self {
        Self { format: FORMAT, data: BTreeSet::new(), releases: Vec::new() }
    }
}

/// A release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Entry {
    /// The seal of its manifest.
    pub release: String,
    /// Its kind.
    pub kind: String,
    /// What it says about people.
    pub recorded: Recorded,
}

/// What a release says about people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum Recorded {
    /// Generalized records: whoever has certain values is in a certain class.
    Classes {
        /// The quasi columns.
        columns: Vec<ColumnLabels>,
        /// The names of the sensitive columns.
        sensitive: Vec<String>,
        /// The published classes.
        classes: Vec<Class>,
    },
    /// An m-invariant release: per person the values that are possible.
    Signatures {
        /// Everybody whose record was published.
        people: Survivors,
        /// How many counterfeits were published.
        counterfeits: u64,
    },
    /// A release with noise, whose privacy loss was charged to a ledger.
    Noisy {
        /// The ledger.
        ledger: PathBuf,
        /// The account in it.
        account: String,
        /// What it cost.
        loss: String,
    },
}

/// Per name of a person (under the history's key) the values of the person's group.
pub type Survivors = BTreeMap<String, Signature>;
/// The sensitive values of a group.
pub type Signature = BTreeSet<String>;

/// Where the values of a column went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ColumnLabels {
    /// The column.
    pub column: String,
    /// Each value with its label.
    pub labels: BTreeMap<String, String>,
}

/// A published class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Class {
    /// Its labels, in the order of the columns.
    pub labels: Vec<String>,
    /// Its records.
    pub rows: u64,
    /// Per sensitive column how many records have each value.
    pub held: Vec<BTreeMap<String, u64>>,
}

/// A history that cannot be used. No message holds a value of the data.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HistoryError {
    /// The file cannot be read.
    #[error("the history cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// It is something else.
    #[error(
        "is no history of releases; remove it only if nothing was published before, for then earlier releases are not looked at"
    )]
    Form,
    /// It is of another version.
    #[error("was written by another version of privet")]
    Version,
}

impl History {
    /// Remembers a release with noise that a ledger was charged for.
    pub fn charged(&mut self, kind: &str, ledger: &Path, account: &str, loss: String) {
        let real = std::fs::canonicalize(ledger).unwrap_or_else(|_| ledger.to_owned());
        // The file is JSON: a path that is no text is written with what of it is one.
        let ledger = PathBuf::from(real.to_string_lossy().into_owned());
        let number = self.releases.len() + 1;
        self.releases.push(Entry {
            release: format!("release {number}"),
            kind: kind.to_owned(),
            recorded: Recorded::Noisy { ledger, account: account.to_owned(), loss },
        });
    }

    /// The ledgers and accounts that noisy releases were charged to, each once.
    pub fn ledgers(&self) -> BTreeSet<(&Path, &str)> {
        self.releases
            .iter()
            .filter_map(|own| match &own.recorded {
                Recorded::Noisy { ledger, account, .. } => Some((ledger.as_path(), account.as_str())),
                _ => None,
            })
            .collect()
    }

    /// Remembers a table that was published. A path that is no text is left out: the file is JSON.
    pub fn is_about(&mut self, data: &Path) {
        let real = std::fs::canonicalize(data).unwrap_or_else(|_| data.to_owned());
        self.data.extend(Some(real).filter(|path| path.to_str().is_some()));
    }

    /// How a file with a history begins.
    pub const BEGINS: &'static str = "{\n  \"privet-history\": ";

    /// Reads a history; an empty one where there is no file.
    ///
    /// # Errors
    /// When there is a file that cannot be read or is no history.
    pub fn read(path: &Path) -> Result<Self, HistoryError> {
        let bytes = match privet_data::io::read_plain(path, MOST_BYTES) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(error.into()),
        };
        Self::parse(&bytes)
    }

    /// Reads a history from the bytes of its file.
    ///
    /// # Errors
    /// When these are something else.
    pub fn parse(bytes: &[u8]) -> Result<Self, HistoryError> {
        let read: Self = serde_json::from_slice(bytes).map_err(|_| HistoryError::Form)?;
        if read.format == FORMAT { Ok(read) } else { Err(HistoryError::Version) }
    }

    /// The file.
    pub fn to_json(&self) -> String {
        // why: maps with texts as keys, and whole numbers
        serde_json::to_string_pretty(self).unwrap_or_else(|_| unreachable!("a history is plain JSON"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_reads_back_and_nothing_else_is_one() {
        let mut history = History::default();
        let signature = Signature::from(["flu".to_owned(), "cold".to_owned()]);
        let people = Survivors::from([("a".to_owned(), signature)]);
        let recorded = Recorded::Signatures { people, counterfeits: 1 };
        history.releases.push(Entry { release: "seal".into(), kind: "series".into(), recorded });
        history.charged("sets", Path::new("nowhere/searches.db"), "searches", "epsilon 1".to_owned());
        history.charged("sets", Path::new("nowhere/searches.db"), "searches", "epsilon 2".to_owned());
        assert_eq!(history.ledgers(), BTreeSet::from([(Path::new("nowhere/searches.db"), "searches")]));
        history.is_about(Path::new("nowhere/people.csv"));
        history.is_about(Path::new("nowhere/people.csv"));
        assert_eq!(history.data.len(), 1);
        let text = history.to_json();
        assert!(text.starts_with(History::BEGINS));
        assert_eq!(History::parse(text.as_bytes()).unwrap(), history);
        assert!(matches!(History::parse(b"{}"), Err(HistoryError::Form)));
        assert!(History::read(Path::new("/nowhere/history.json")).unwrap().releases.is_empty());
    }
}
