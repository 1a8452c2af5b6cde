//! What an auditor decided: one line of JSON per decision, each with the digest of all before it. The lines of a table are kept in its
//! ledger; a session of one column may keep them in a file of its own.
//!
//! In a file, a decision is on the disk before its answer is given. So after a crash the log may hold a question whose answer nobody saw, which is
//! safe, and never misses one that was given. A last line that is cut off was never given and is taken away; anything else that does not
//! fit is an error, and nothing is answered.
//!
//! Sums are logged without answers: decisions about them need none, but for probabilistic auditing. Maxima and minima are logged with
//! their answers. A log of a table begins with the terms that were agreed, which the digests cover too.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{Decision, Function, Query};

/// A decision in the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogEntry {
    /// Its number, from 1.
    pub number: u64,
    /// Who asked.
    pub analyst: String,
    /// The column that was asked about; empty in a log of one column.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub column: String,
    /// What was asked.
    pub function: Function,
    /// About whom: first and last of each run of people.
    pub people: Vec<(u32, u32)>,
    /// What was decided.
    pub decision: Decision,
    /// The answer, where later decisions need it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<f64>,
    /// The digest of the line before, then of this entry without its digest.
    pub digest: String,
}

/// Why a log cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// The file system refused.
    #[error("the audit log cannot be used: {0}")]
    Io(#[from] std::io::Error),
    /// A line that is no entry.
    #[error("line {line} of the audit log is no entry")]
    Line {
        /// Its number.
        line: u64,
    },
    /// A line that does not follow from those before it.
    #[error("line {line} of the audit log was changed, or lines before it were taken away")]
    Digest {
        /// Its number.
        line: u64,
    },
    /// A log of other people.
    #[error("line {line} of the audit log does not fit: other people, or a decision that does not follow")]
    Mismatch {
        /// Its number.
        line: u64,
    },
    /// The log was begun under other terms.
    #[error("the audit log began with other terms: {term}")]
    Terms {
        /// The term that differs.
        term: TermProblem,
    },
    /// An entry that was written down earlier is not there any more.
    #[error("the entry that was named is not in the audit log any more: the log was replaced or shortened")]
    Since,
    /// Somebody else writes to it.
    #[error("the audit log is in use by another program")]
    Locked,
}

/// Which term of a log differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TermProblem {
    /// The log has none, or holds no table's terms.
    #[error("it has no terms of a table")]
    None,
    /// The table changed: with answers about another table, earlier ones could determine somebody.
    #[error("the table has changed since, and answers about both together could determine somebody")]
    Table,
    /// Other public columns.
    #[error("the public columns were declared otherwise")]
    Public,
    /// Other limits of sizes and overlaps.
    #[error("the limits of sizes and overlaps were declared otherwise")]
    Control,
    /// Other groups of analysts.
    #[error("the groups of analysts were declared otherwise")]
    Groups,
    /// Other people whose values are known.
    #[error("the people whose values are known were declared otherwise")]
    Known,
    /// Other assumptions.
    #[error("the assumptions about values were declared otherwise")]
    Assumptions,
}

/// The first line of a log with terms.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct First {
    terms: Value,
}

/// What lines say, and what the next one has to begin with.
#[derive(Debug, Default)]
pub(super) struct Chain {
    number: u64,
    digest: String,
    terms: Option<Value>,
}

impl Chain {
    /// The terms that the lines began with.
    pub fn terms(&self) -> Option<&Value> {
        self.terms.as_ref()
    }

    /// The number and digest of the last entry, to be told and asked for later.
    pub fn last(&self) -> String {
        format!("{}:{}", self.number, self.digest)
    }

    /// Takes the next line: an entry, or the terms, which come first.
    ///
    /// # Errors
    /// When it does not follow from those before it.
    pub fn take(&mut self, line: &[u8]) -> Result<Option<LogEntry>, LogError> {
        let number = self.number + 1;
        if number == 1
            && self.terms.is_none()
            && let Ok(first) = serde_json::from_slice::<First>(line)
        {
            self.begin(first.terms)?;
            return Ok(None);
        }
        let entry: LogEntry = serde_json::from_slice(line).map_err(|_| LogError::Line { line: number })?;
        if entry.number != number || entry.digest != digest(&self.digest, &entry) {
            return Err(LogError::Digest { line: number });
        }
        self.digest.clone_from(&entry.digest);
        self.number = number;
        Ok(Some(entry))
    }

    /// Takes terms as what the digests begin with.
    fn begin(&mut self, terms: Value) -> Result<(), LogError> {
        let text = serde_json::to_vec(&terms).map_err(std::io::Error::other)?;
        self.digest = hex(&text);
        self.terms = Some(terms);
        Ok(())
    }

    /// The first line, which holds the terms.
    ///
    /// # Errors
    /// When they cannot be written as text.
    pub fn agree(&mut self, terms: Value) -> Result<String, LogError> {
        let line = serde_json::to_string(&First { terms: terms.clone() }).map_err(std::io::Error::other)?;
        self.begin(terms)?;
        Ok(line)
    }

    /// The entry of a decision, which is to be the next line.
    pub fn entry(
        &self,
        (analyst, column): (&str, &str),
        query: &Query,
        decision: Decision,
        answer: Option<f64>,
    ) -> LogEntry {
        let mut entry = LogEntry {
            number: self.number + 1,
            analyst: analyst.to_owned(),
            column: column.to_owned(),
            function: query.function,
            people: runs(&query.people),
            decision,
            answer,
            digest: String::new(),
        };
        entry.digest = digest(&self.digest, &entry);
        entry
    }

    /// Counts an entry that was written.
    pub fn written(&mut self, entry: LogEntry) {
        self.number = entry.number;
        self.digest = entry.digest;
    }
}

/// A log of one column in a file, which is appended to.
#[derive(Debug)]
pub struct AuditLog {
    file: File,
    chain: Chain,
}

impl AuditLog {
    /// Opens or creates a log, takes away a last line that was cut off, and gives back what it holds. It is locked until dropped.
    ///
    /// # Errors
    /// When it cannot be read or written, is in use, or was changed.
    pub fn open(path: &Path) -> Result<(Self, Vec<LogEntry>), LogError> {
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(std::fs::TryLockError::WouldBlock) => return Err(LogError::Locked),
            Err(std::fs::TryLockError::Error(error)) => return Err(error.into()),
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        if whole < text.len() {
            file.set_len(whole as u64)?;
            file.sync_data()?;
        }
        file.seek(SeekFrom::Start(whole as u64))?;
        let mut own = Self { file, chain: Chain::default() };
        let mut entries = Vec::new();
        for line in text[..whole].split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            entries.extend(own.chain.take(line)?);
        }
        Ok((own, entries))
    }

    /// Writes a decision and waits until the disk has it.
    ///
    /// # Errors
    /// When it cannot be written: then nothing may be answered.
    pub fn append(
        &mut self,
        analyst: &str,
        query: &Query,
        decision: Decision,
        answer: Option<f64>,
    ) -> Result<(), LogError> {
        let entry = self.chain.entry((analyst, ""), query, decision, answer);
        let mut line = serde_json::to_vec(&entry).map_err(std::io::Error::other)?;
        line.push(b'\n');
        self.file.write_all(&line)?;
        self.file.sync_data()?;
        self.chain.written(entry);
        Ok(())
    }
}

impl LogEntry {
    /// The question; nothing when its runs are not ascending or are absurdly long.
    pub fn query(&self) -> Option<Query> {
        let mut people = Vec::new();
        for &(first, last) in &self.people {
            let follows = people.last().is_none_or(|&before| before < first);
            if !follows || first > last || people.len() + (last - first) as usize >= 1 << 31 {
                return None;
            }
            people.extend(first..=last);
        }
        Some(Query { function: self.function, people })
    }
}

/// Ascending people as runs.
fn runs(people: &[u32]) -> Vec<(u32, u32)> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &person in people {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == person => *last = person,
            _ => runs.push((person, person)),
        }
    }
    runs
}

fn digest(before: &str, entry: &LogEntry) -> String {
    let plain = LogEntry { digest: before.to_owned(), ..entry.clone() };
    // Cannot fail: the entry holds texts and finite numbers.
    hex(&serde_json::to_vec(&plain).unwrap_or_default())
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
