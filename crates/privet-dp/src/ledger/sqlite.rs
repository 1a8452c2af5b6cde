//! A ledger in one SQLite file, embedded.
//!
//! Guarantee: a charge is one immediate transaction (one writer at a time, across threads and processes) with
//! `synchronous = EXTRA` on a rollback journal: the commit returns after the file, and the directory entry of the
//! journal, are synced. A killed process leaves either the whole entry or none. Opening an account is an entry of the
//! chain too, so a budget that was raised by hand is found.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use dashu::rational::RBig;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};

use super::chain::{START, Seal};
use super::{Head, Ledger, LedgerError, Receipt, Request, name};
use crate::budget::{Loss, parse};

/// How long to wait for another writer.
const PATIENCE: Duration = Duration::from_secs(60);

const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS accounts (
        dataset TEXT PRIMARY KEY NOT NULL, epsilon TEXT NOT NULL, delta TEXT NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS entries (
        sequence INTEGER PRIMARY KEY NOT NULL, kind TEXT NOT NULL, time INTEGER NOT NULL,
        dataset TEXT NOT NULL REFERENCES accounts, asker TEXT NOT NULL, fingerprint TEXT NOT NULL,
        epsilon TEXT NOT NULL, delta TEXT NOT NULL,
        epsilon_remaining TEXT NOT NULL, delta_remaining TEXT NOT NULL, hash TEXT NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS entries_of ON entries (dataset, sequence);";

const OPEN: &str = "open";
const CHARGE: &str = "charge";

/// Budgets in a file.
pub struct SqliteLedger {
    connection: Connection,
    seal: Seal,
}

/// One line of the ledger.
struct Entry {
    sequence: u64,
    kind: String,
    time: u64,
    dataset: String,
    asker: String,
    fingerprint: String,
    loss: [String; 2],
    remaining: [String; 2],
    hash: String,
}

impl Entry {
    fn hash(&self, seal: &Seal, previous: &str) -> Result<String, LedgerError> {
        let (sequence, time) = (self.sequence.to_string(), self.time.to_string());
        let [epsilon, delta] = &self.loss;
        let [epsilon_left, delta_left] = &self.remaining;
        seal.hash(
            previous,
            &[
                &sequence,
                &self.kind,
                &time,
                &self.dataset,
                &self.asker,
                &self.fingerprint,
                epsilon,
                delta,
                epsilon_left,
                delta_left,
            ],
        )
    }

    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            sequence: row.get::<_, i64>(0)?.unsigned_abs(),
            kind: row.get(1)?,
            time: row.get::<_, i64>(2)?.unsigned_abs(),
            dataset: row.get(3)?,
            asker: row.get(4)?,
            fingerprint: row.get(5)?,
            loss: [row.get(6)?, row.get(7)?],
            remaining: [row.get(8)?, row.get(9)?],
            hash: row.get(10)?,
        })
    }
}

fn text(loss: &Loss) -> [String; 2] {
    [loss.epsilon().to_string(), loss.delta().to_string()]
}

fn loss([epsilon, delta]: &[String; 2]) -> Option<Loss> {
    let part = |text: &str| -> Option<RBig> { parse(text) };
    Loss::new(part(epsilon)?, part(delta)?).ok()
}

impl From<rusqlite::Error> for LedgerError {
    fn from(error: rusqlite::Error) -> Self {
        // The code alone: a message of the database may repeat what was written.
        Self::Storage(match error.sqlite_error_code() {
            Some(code) => format!("the database says {code:?}"),
            None => "it does not hold what a ledger holds".to_owned(),
        })
    }
}

impl SqliteLedger {
    /// The ledger in this file, which is made when it does not exist.
    pub fn open(path: &Path) -> Result<Self, LedgerError> {
        Self::with_seal(path, Seal::Plain)
    }

    /// The same with entries signed by the key in a file of at least 16 bytes.
    pub fn open_signed(path: &Path, key: &Path) -> Result<Self, LedgerError> {
        Self::with_seal(path, Seal::from_key_file(key)?)
    }

    fn with_seal(path: &Path, seal: Seal) -> Result<Self, LedgerError> {
        let mut connection = Connection::open(path)?;
        connection.busy_timeout(PATIENCE)?;
        let journal: String =
            connection.pragma_update_and_check(None, "journal_mode", "DELETE", |row| row.get(0))?;
        if journal != "delete" {
            return Err(LedgerError::Storage("it needs a file with a rollback journal".to_owned()));
        }
        connection.pragma_update(None, "synchronous", "EXTRA")?;
        connection.pragma_update(None, "fullfsync", true)?;
        connection.pragma_update(None, "foreign_keys", true)?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute_batch(TABLES)?;
        transaction.commit()?;
        Ok(Self { connection, seal })
    }

    /// The last entry.
    pub fn head(&mut self) -> Result<Head, LedgerError> {
        let transaction = self.connection.transaction()?;
        head(&transaction)
    }

    fn append(transaction: &Transaction<'_>, seal: &Seal, mut entry: Entry) -> Result<Receipt, LedgerError> {
        let head = head(transaction)?;
        let last = transaction
            .query_row("SELECT * FROM entries WHERE sequence = ?1", [head.sequence as i64], Entry::read)
            .optional()?;
        if let Some(last) = last {
            must_be_genuine(transaction, seal, &last)?;
        }
        entry.sequence = head.sequence + 1;
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        entry.time = since.map_or(0, |since| since.as_secs());
        entry.hash = entry.hash(seal, &head.hash)?;
        let [epsilon, delta] = &entry.loss;
        let [epsilon_left, delta_left] = &entry.remaining;
        transaction.execute(
            "INSERT INTO entries VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            params![
                entry.sequence as i64,
                entry.kind,
                entry.time as i64,
                entry.dataset,
                entry.asker,
                entry.fingerprint,
                epsilon,
                delta,
                epsilon_left,
                delta_left,
                entry.hash
            ],
        )?;
        let broken =
            LedgerError::Broken { sequence: entry.sequence, problem: "its remaining budget cannot be read" };
        Ok(Receipt {
            sequence: entry.sequence,
            remaining: loss(&entry.remaining).ok_or(broken)?,
            hash: entry.hash,
        })
    }
}

fn head(connection: &Connection) -> Result<Head, LedgerError> {
    let last = connection
        .query_row("SELECT sequence, hash FROM entries ORDER BY sequence DESC LIMIT 1", [], |row| {
            Ok(Head { sequence: row.get::<_, i64>(0)?.unsigned_abs(), hash: row.get(1)? })
        })
        .optional()?;
    Ok(last.unwrap_or(Head { sequence: 0, hash: START.to_owned() }))
}

/// Recomputes the hash of one entry, so that an amount changed by hand is not spent, and a ledger that is signed with
/// another key is not continued. The whole chain is `verify`'s matter.
fn must_be_genuine(connection: &Connection, seal: &Seal, entry: &Entry) -> Result<(), LedgerError> {
    let before: Option<String> = connection
        .query_row("SELECT hash FROM entries WHERE sequence = ?1 - 1", [entry.sequence as i64], |row| {
            row.get(0)
        })
        .optional()?;
    if entry.hash(seal, before.as_deref().unwrap_or(START))? == entry.hash {
        return Ok(());
    }
    Err(LedgerError::Broken { sequence: entry.sequence, problem: "its hash is another one, or the key is" })
}

fn remaining(connection: &Connection, seal: &Seal, dataset: &str) -> Result<Loss, LedgerError> {
    let last = connection
        .prepare("SELECT * FROM entries WHERE dataset = ?1 ORDER BY sequence DESC LIMIT 1")?
        .query_row([dataset], Entry::read)
        .optional()?
        .ok_or(LedgerError::NoAccount)?;
    must_be_genuine(connection, seal, &last)?;
    let problem = "its remaining budget cannot be read";
    loss(&last.remaining).ok_or(LedgerError::Broken { sequence: last.sequence, problem })
}

impl Ledger for SqliteLedger {
    fn open_account(&mut self, dataset: &str, budget: &Loss) -> Result<Receipt, LedgerError> {
        if name(dataset).is_err() || budget.epsilon().is_zero() {
            return Err(LedgerError::BadAccount);
        }
        let total = text(&budget.rounded_down());
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let [epsilon, delta] = &total;
        let added = transaction.execute(
            "INSERT OR IGNORE INTO accounts VALUES (?1, ?2, ?3)",
            params![dataset, epsilon, delta],
        )?;
        if added == 0 {
            return Err(LedgerError::AccountExists);
        }
        let entry = Entry {
            sequence: 0,
            kind: OPEN.to_owned(),
            time: 0,
            dataset: dataset.to_owned(),
            asker: String::new(),
            fingerprint: String::new(),
            loss: total.clone(),
            remaining: total,
            hash: String::new(),
        };
        let receipt = Self::append(&transaction, &self.seal, entry)?;
        transaction.commit()?;
        Ok(receipt)
    }

    fn remaining(&mut self, dataset: &str) -> Result<Loss, LedgerError> {
        remaining(&self.connection, &self.seal, dataset)
    }

    fn charge(&mut self, request: &Request) -> Result<Receipt, LedgerError> {
        // Immediate: the lock for writing is taken before the budget is read, so nobody spends it in between.
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let left = remaining(&transaction, &self.seal, &request.dataset)?;
        let Some(after) = left.after(&request.loss) else {
            return Err(LedgerError::Insufficient { asked: request.loss.clone().into(), left: left.into() });
        };
        let entry = Entry {
            sequence: 0,
            kind: CHARGE.to_owned(),
            time: 0,
            dataset: request.dataset.clone(),
            asker: request.asker.clone(),
            fingerprint: request.fingerprint.clone(),
            loss: text(&request.loss),
            remaining: text(&after),
            hash: String::new(),
        };
        let receipt = Self::append(&transaction, &self.seal, entry)?;
        transaction.commit()?;
        Ok(receipt)
    }

    fn verify(&mut self, since: Option<&Head>) -> Result<Head, LedgerError> {
        let transaction = self.connection.transaction()?;
        let mut accounts: HashMap<String, Loss> = HashMap::new();
        let mut totals: HashMap<String, [String; 2]> = HashMap::new();
        let mut last = Head { sequence: 0, hash: START.to_owned() };
        let mut seen = since.is_none_or(|head| *head == last);
        let mut statement = transaction.prepare("SELECT * FROM entries ORDER BY sequence")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let entry = Entry::read(row)?;
            let sequence = entry.sequence;
            let broken = |problem| LedgerError::Broken { sequence, problem };
            if sequence != last.sequence + 1 {
                return Err(broken("an entry before it is missing"));
            }
            if entry.hash(&self.seal, &last.hash)? != entry.hash {
                return Err(broken("its hash is another one, or the key is"));
            }
            let (spent, left) = (loss(&entry.loss), loss(&entry.remaining));
            let (Some(spent), Some(left)) = (spent, left) else {
                return Err(broken("its amounts cannot be read"));
            };
            let expected = match (entry.kind.as_str(), accounts.get(&entry.dataset)) {
                (OPEN, None) => {
                    totals.insert(entry.dataset.clone(), entry.loss.clone());
                    Some(spent)
                }
                (CHARGE, Some(before)) => before.after(&spent),
                _ => return Err(broken("its account is not open, or is opened again")),
            };
            if expected.as_ref() != Some(&left) {
                return Err(broken("it does not leave what it should"));
            }
            accounts.insert(entry.dataset, left);
            last = Head { sequence, hash: entry.hash };
            seen |= since == Some(&last);
        }
        let broken = |problem| LedgerError::Broken { sequence: last.sequence, problem };
        if !seen {
            return Err(broken("an entry that was there earlier is missing or changed"));
        }
        let mut statement = transaction.prepare("SELECT dataset, epsilon, delta FROM accounts")?;
        let mut rows = statement.query([])?;
        let mut count = 0;
        while let Some(row) = rows.next()? {
            count += 1;
            if totals.get(&row.get::<_, String>(0)?) != Some(&[row.get(1)?, row.get(2)?]) {
                return Err(broken("the table of accounts has another budget than was opened"));
            }
        }
        if count != totals.len() {
            return Err(broken("the table of accounts lacks one that was opened"));
        }
        Ok(last)
    }
}
