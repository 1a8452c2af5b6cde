//! A ledger in one SQLite file, embedded.
//!
//! Guarantee: a charge is one immediate transaction (one writer at a time, across threads and processes) with
//! `synchronous = EXTRA` on a rollback journal: the commit returns after the file, and the directory entry of the
//! journal, are synced. A killed process leaves either the whole entry or none. Opening an account is an entry of the
//! chain too. Before a charge the whole chain is gone through, and after it the entry is read back, so what was changed
//! by hand is found before it is spent; a file with triggers or views, which could do otherwise than they are told, is no
//! ledger.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, Row, Transaction, TransactionBehavior, params};

use super::chain::Seal;
use super::entry::{Audit, Entry, Since, whole};
use super::{Head, Ledger, LedgerError, Receipt, Record, Request, Terms};
use crate::budget::Loss;

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

/// The columns of the two tables.
const ACCOUNT: &str = "dataset epsilon delta";
const ENTRY: &str =
    "sequence kind time dataset asker fingerprint epsilon delta epsilon_remaining delta_remaining hash";

/// Budgets in a file.
pub struct SqliteLedger {
    connection: Connection,
    seal: Seal,
}

fn read(row: &Row<'_>) -> Result<Entry, LedgerError> {
    Ok(Entry {
        sequence: whole(row.get(0)?)?,
        kind: row.get(1)?,
        time: whole(row.get(2)?)?,
        dataset: row.get(3)?,
        asker: row.get(4)?,
        fingerprint: row.get(5)?,
        loss: [row.get(6)?, row.get(7)?],
        remaining: [row.get(8)?, row.get(9)?],
        hash: row.get(10)?,
    })
}

impl From<rusqlite::Error> for LedgerError {
    fn from(error: rusqlite::Error) -> Self {
        if error.sqlite_error_code() == Some(rusqlite::ErrorCode::NotADatabase) {
            return Self::NotALedger;
        }
        // The code alone: a message of the database may repeat what was written.
        Self::Storage(match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::Unknown) | None => "it does not hold what a ledger holds".to_owned(),
            Some(code) => format!("the database says {code:?}"),
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

    /// A ledger that is there, signed when a key is given. Nothing is written before a charge, and a file that must
    /// not be written can be looked at; without the file there is no ledger.
    pub fn open_existing(path: &Path, key: Option<&Path>) -> Result<Self, LedgerError> {
        let seal = key.map_or(Ok(Seal::Plain), Seal::from_key_file)?;
        if !path.is_file() {
            return Err(LedgerError::NoLedger);
        }
        // Writing is allowed because what a killed process left half-written must be rolled back first.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(plain(path), flags)?;
        Self::set_up(&connection)?;
        if !is_ledger(&connection)? {
            return Err(LedgerError::NoLedger);
        }
        seal.must_fit(mark(&connection)?)?;
        Ok(Self { connection, seal })
    }

    fn with_seal(path: &Path, seal: Seal) -> Result<Self, LedgerError> {
        // Who names it so means a database that is gone when the program ends.
        if path.is_dir() || path == Path::new(":memory:") {
            return Err(LedgerError::NotALedger);
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(plain(path), flags)?;
        Self::set_up(&connection)?;
        is_ledger(&connection)?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute_batch(TABLES)?;
        let entries: i64 = transaction.query_row("SELECT count(*) FROM entries", [], |row| row.get(0))?;
        if entries == 0 {
            transaction.pragma_update(None, "user_version", seal.mark()?)?;
        }
        seal.must_fit(mark(&transaction)?)?;
        transaction.commit()?;
        Ok(Self { connection, seal })
    }

    fn set_up(connection: &Connection) -> Result<(), LedgerError> {
        connection.busy_timeout(PATIENCE)?;
        let journal: String =
            connection.pragma_update_and_check(None, "journal_mode", "DELETE", |row| row.get(0))?;
        if journal != "delete" {
            return Err(LedgerError::Storage("it needs a file with a rollback journal".to_owned()));
        }
        connection.pragma_update(None, "synchronous", "EXTRA")?;
        connection.pragma_update(None, "fullfsync", true)?;
        connection.pragma_update(None, "foreign_keys", true)?;
        Ok(())
    }

    /// The last entry.
    pub fn head(&mut self) -> Result<Head, LedgerError> {
        let transaction = self.connection.transaction()?;
        Ok(go_through(&transaction, &self.seal)?.last())
    }

    fn append(
        transaction: &Transaction<'_>,
        seal: &Seal,
        audit: &Audit,
        mut entry: Entry,
    ) -> Result<Receipt, LedgerError> {
        entry.follow(&audit.last(), seal)?;
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
        if go_through(transaction, seal)?.last().hash != entry.hash {
            return Err(LedgerError::Storage("an entry was written and is not there".to_owned()));
        }
        entry.receipt()
    }
}

/// The same file by a name that the database takes as it is: one that begins with `file:` would be a URL, with settings.
fn plain(path: &Path) -> std::path::PathBuf {
    if path.is_absolute() { path.to_owned() } else { Path::new(".").join(path) }
}

/// Whether a ledger is there; false when there is nothing yet. Somebody else's database is left alone, even one with
/// tables of the same names.
fn is_ledger(connection: &Connection) -> Result<bool, LedgerError> {
    let all: u32 = connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
    if all == 0 {
        return Ok(false);
    }
    let columns = |table: &str| -> Result<String, LedgerError> {
        let names =
            "SELECT group_concat(name, ' ') FROM (SELECT name FROM pragma_table_info(?1) ORDER BY cid)";
        Ok(connection.query_row(names, [table], |row| row.get::<_, Option<String>>(0))?.unwrap_or_default())
    };
    let own = columns("accounts")? == ACCOUNT && columns("entries")? == ENTRY;
    if own { Ok(true) } else { Err(LedgerError::NotALedger) }
}

/// What the file keeps of its key.
fn mark(connection: &Connection) -> Result<i32, LedgerError> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

/// Goes through all entries. What single entries say is not believed.
fn go_through(connection: &Connection, seal: &Seal) -> Result<Audit, LedgerError> {
    let others: u32 = connection.query_row(
        "SELECT count(*) FROM sqlite_master WHERE type NOT IN ('table', 'index')
             OR (type = 'table' AND name NOT IN ('accounts', 'entries'))",
        [],
        |row| row.get(0),
    )?;
    if others > 0 {
        return Err(LedgerError::Foreign);
    }
    let mut audit = Audit::default();
    let mut statement = connection.prepare("SELECT * FROM entries ORDER BY sequence")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        audit.take(seal, read(row)?)?;
    }
    audit.compare(accounts(connection)?)?;
    Ok(audit)
}

fn accounts(connection: &Connection) -> Result<Vec<(String, [String; 2])>, LedgerError> {
    let mut statement = connection.prepare("SELECT dataset, epsilon, delta FROM accounts")?;
    let accounts = statement.query_map([], |row| Ok((row.get(0)?, [row.get(1)?, row.get(2)?])))?;
    Ok(accounts.collect::<Result<Vec<_>, _>>()?)
}

impl Ledger for SqliteLedger {
    fn open_account_on(
        &mut self,
        dataset: &str,
        terms: &Terms,
        budget: &Loss,
    ) -> Result<Receipt, LedgerError> {
        let entry = Entry::opening(dataset, terms, budget)?;
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let audit = go_through(&transaction, &self.seal)?;
        let [epsilon, delta] = &entry.loss;
        let added = transaction.execute(
            "INSERT OR IGNORE INTO accounts VALUES (?1, ?2, ?3)",
            params![dataset, epsilon, delta],
        )?;
        if added == 0 {
            return Err(LedgerError::AccountExists);
        }
        let receipt = Self::append(&transaction, &self.seal, &audit, entry)?;
        transaction.commit()?;
        Ok(receipt)
    }

    fn remaining(&mut self, dataset: &str) -> Result<Loss, LedgerError> {
        let transaction = self.connection.transaction()?;
        go_through(&transaction, &self.seal)?.left(dataset)
    }

    fn check(&mut self, request: &Request) -> Result<Loss, LedgerError> {
        let transaction = self.connection.transaction()?;
        go_through(&transaction, &self.seal)?.charge(request)?.left()
    }

    fn charge(&mut self, request: &Request) -> Result<Receipt, LedgerError> {
        // Immediate: the lock for writing is taken before the budget is read, so nobody spends it in between.
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let audit = go_through(&transaction, &self.seal)?;
        let entry = audit.charge(request)?;
        let receipt = Self::append(&transaction, &self.seal, &audit, entry)?;
        transaction.commit()?;
        Ok(receipt)
    }

    fn verify(&mut self, since: Option<&Head>) -> Result<Head, LedgerError> {
        let transaction = self.connection.transaction()?;
        let mut since = Since::new(since);
        let audit = go_through(&transaction, &self.seal)?;
        let mut statement = transaction.prepare("SELECT sequence, hash FROM entries ORDER BY sequence")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            since.pass(&Head { sequence: whole(row.get(0)?)?, hash: row.get(1)? });
        }
        since.finish(audit.last())
    }

    fn records(&mut self) -> Result<Vec<Record>, LedgerError> {
        let mut statement = self.connection.prepare("SELECT * FROM entries ORDER BY sequence")?;
        let mut rows = statement.query([])?;
        let mut records = Vec::new();
        while let Some(row) = rows.next()? {
            records.push(read(row)?.record()?);
        }
        Ok(records)
    }
}
