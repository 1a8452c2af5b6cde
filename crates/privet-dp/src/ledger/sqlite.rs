//! A ledger in one SQLite file, embedded.
//!
//! Guarantee: a charge is one immediate transaction (one writer at a time, across threads and processes) with
//! `synchronous = EXTRA` on a rollback journal: the commit returns after the file, and the directory entry of the
//! journal, are synced. A killed process leaves either the whole entry or none. Opening an account is an entry of the
//! chain too. Before a charge the whole chain is gone through, and after it the entry is read back, so what was changed
//! by hand is found before it is spent; a file with triggers or views, which could do otherwise than they are told, is no
//! ledger. What the key file remembers (`memory.rs`) must be in the chain, and a charge that was committed is remembered.
//!
//! A ledger that another program holds for longer than it is waited for is an error with nothing written: a transaction
//! that could not be committed is rolled back, so trying again charges once.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, Transaction, TransactionBehavior, params};

use super::chain::Seal;
use super::entry::{Audit, Entry, Since, whole};
use super::holder::holder_of;
use super::memory::{Memory, place_of};
use super::population::Population;
use super::{Access, Head, Ledger, LedgerError, Marker, Opening, Receipt, Record, Related, Request};
use crate::budget::Loss;

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
    path: PathBuf,
    /// What the key remembers; none without a key.
    memory: Option<Memory>,
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
            Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => {
                return Self::Locked { holder: None };
            }
            Some(rusqlite::ErrorCode::DiskFull) => "its disk is full; nothing was charged".to_owned(),
            Some(rusqlite::ErrorCode::Unknown) | None => "it does not hold what a ledger holds".to_owned(),
            Some(code) => format!("the database says {code:?}"),
        })
    }
}

impl SqliteLedger {
    /// The ledger in this file, which is made when it does not exist.
    pub fn open(path: &Path) -> Result<Self, LedgerError> {
        Self::make(path, &Access::with(None))
    }

    /// The same with entries signed by the key in a file of at least 16 bytes.
    pub fn open_signed(path: &Path, key: &Path) -> Result<Self, LedgerError> {
        Self::make(path, &Access::with(Some(key)))
    }

    /// A ledger that is there, signed when a key is given. Nothing is written before a charge, and a file that must
    /// not be written can be looked at; without the file there is no ledger.
    pub fn open_existing(path: &Path, key: Option<&Path>) -> Result<Self, LedgerError> {
        Self::find(path, &Access::with(key))
    }

    /// The same, reached so.
    pub fn find(path: &Path, access: &Access<'_>) -> Result<Self, LedgerError> {
        let seal = access.key.map_or(Ok(Seal::Plain), Seal::from_key_file)?;
        let memory = access.key.map(|key| Memory::beside(key, place_of(path))).transpose()?;
        if !path.is_file() {
            return Err(LedgerError::NoLedger);
        }
        // Writing is allowed because what a killed process left half-written must be rolled back first.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let found = || -> Result<Connection, LedgerError> {
            let connection = Connection::open_with_flags(plain(path), flags)?;
            Self::set_up(&connection, access.patience)?;
            if !is_ledger(&connection)? {
                return Err(LedgerError::NoLedger);
            }
            seal.must_fit(mark(&connection)?)?;
            Ok(connection)
        };
        let connection = found().map_err(|error| held(error, path))?;
        Ok(Self { connection, seal, path: path.to_owned(), memory })
    }

    /// The ledger in this file, which is made when it does not exist, reached so.
    pub fn make(path: &Path, access: &Access<'_>) -> Result<Self, LedgerError> {
        // Who names it so means a database that is gone when the program ends.
        if path.is_dir() || path == Path::new(":memory:") {
            return Err(LedgerError::NotALedger);
        }
        let seal = access.key.map_or(Ok(Seal::Plain), Seal::from_key_file)?;
        let memory = access.key.map(|key| Memory::beside(key, place_of(path))).transpose()?;
        let must_allow_new = || match &memory {
            Some(memory) if !access.is_accepted => memory.must_allow_new(&seal),
            _ => Ok(()),
        };
        // Before anything is made in its place.
        if path.metadata().map_or(true, |file| file.len() == 0) {
            must_allow_new()?;
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let made = || -> Result<Connection, LedgerError> {
            let mut connection = Connection::open_with_flags(plain(path), flags)?;
            Self::set_up(&connection, access.patience)?;
            is_ledger(&connection)?;
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            transaction.execute_batch(TABLES)?;
            let entries: i64 = transaction.query_row("SELECT count(*) FROM entries", [], |row| row.get(0))?;
            if entries == 0 {
                must_allow_new()?;
                transaction.pragma_update(None, "user_version", seal.mark()?)?;
            }
            seal.must_fit(mark(&transaction)?)?;
            transaction.commit()?;
            Ok(connection)
        };
        let connection = made().map_err(|error| held(error, path))?;
        Ok(Self { connection, seal, path: path.to_owned(), memory })
    }

    /// Refuses a new ledger in this file where this key remembers one that is gone.
    pub fn must_allow_new(path: &Path, key: &Path) -> Result<(), LedgerError> {
        match path.metadata().map_or(0, |file| file.len()) {
            0 => Memory::beside(key, place_of(path))?.must_allow_new(&Seal::from_key_file(key)?),
            _ => Ok(()),
        }
    }

    fn set_up(connection: &Connection, patience: Duration) -> Result<(), LedgerError> {
        connection.busy_timeout(patience)?;
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

    /// Reads the ledger, in one view of it.
    fn reading<T>(
        &mut self,
        act: impl FnOnce(&Transaction<'_>, &Audit, &Seal) -> Result<T, LedgerError>,
    ) -> Result<T, LedgerError> {
        let Self { connection, seal, path, memory } = self;
        let read = || -> Result<T, LedgerError> {
            // Remembered before it is read, so that whoever charges in between is no contradiction.
            let remembered = remembered(connection, seal, memory.as_ref())?;
            let transaction = connection.transaction()?;
            let audit = go_through(&transaction, seal, remembered)?;
            act(&transaction, &audit, seal)
        };
        read().map_err(|error| held(error, path))
    }

    /// Writes an entry, in one step.
    fn writing(
        &mut self,
        act: impl FnOnce(&Transaction<'_>, &Audit, &Seal) -> Result<Entry, LedgerError>,
    ) -> Result<Receipt, LedgerError> {
        let Self { connection, seal, path, memory } = self;
        let written = || -> Result<(String, Receipt), LedgerError> {
            let remembered = remembered(connection, seal, memory.as_ref())?;
            // Immediate: the lock for writing is taken before the budget is read, so nobody spends it in between.
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let audit = go_through(&transaction, seal, remembered)?;
            let entry = act(&transaction, &audit, seal)?;
            let receipt = Self::append(&transaction, seal, &audit, entry)?;
            transaction.commit()?;
            Ok((audit.id().unwrap_or(&receipt.hash).to_owned(), receipt))
        };
        let (id, receipt) = written().map_err(|error| held(error, path))?;
        if let Some(memory) = memory {
            memory.keep(seal, &id, &Head { sequence: receipt.sequence, hash: receipt.hash.clone() });
        }
        Ok(receipt)
    }

    /// The last entry.
    pub fn head(&mut self) -> Result<Head, LedgerError> {
        self.reading(|_, audit, _| Ok(audit.last()))
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
        if go_through(transaction, seal, None)?.last().hash != entry.hash {
            return Err(LedgerError::Storage("an entry was written and is not there".to_owned()));
        }
        entry.receipt()
    }
}

/// The same error, with who holds the ledger.
fn held(error: LedgerError, path: &Path) -> LedgerError {
    match error {
        LedgerError::Locked { holder: None } => LedgerError::Locked { holder: holder_of(path) },
        other => other,
    }
}

/// The last entry that the key of a ledger remembers.
fn remembered(
    connection: &Connection,
    seal: &Seal,
    memory: Option<&Memory>,
) -> Result<Option<Head>, LedgerError> {
    let Some(memory) = memory else { return Ok(None) };
    let first = "SELECT hash FROM entries ORDER BY sequence LIMIT 1";
    let first: Option<String> = connection.query_row(first, [], |row| row.get(0)).optional()?;
    Ok(first.and_then(|id| memory.head(seal, &id)))
}

/// The same file by a name that the database takes as it is: one that begins with `file:` would be a URL, with settings.
fn plain(path: &Path) -> PathBuf {
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
fn go_through(connection: &Connection, seal: &Seal, remembered: Option<Head>) -> Result<Audit, LedgerError> {
    let others: u32 = connection.query_row(
        "SELECT count(*) FROM sqlite_master WHERE type NOT IN ('table', 'index')
             OR (type = 'table' AND name NOT IN ('accounts', 'entries'))",
        [],
        |row| row.get(0),
    )?;
    if others > 0 {
        return Err(LedgerError::Foreign);
    }
    let mut audit = Audit::awaiting(remembered);
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
    fn open_account_for(&mut self, opening: &Opening<'_>) -> Result<Receipt, LedgerError> {
        self.writing(|transaction, audit, seal| {
            let entry = audit.opening(opening, seal)?;
            let [epsilon, delta] = &entry.loss;
            let added = transaction.execute(
                "INSERT OR IGNORE INTO accounts VALUES (?1, ?2, ?3)",
                params![opening.dataset, epsilon, delta],
            )?;
            if added == 0 { Err(LedgerError::AccountExists) } else { Ok(entry) }
        })
    }

    fn marker(&mut self, dataset: Option<&str>) -> Result<Option<Marker>, LedgerError> {
        self.reading(|_, audit, seal| audit.marker(dataset, seal))
    }

    fn related(&mut self, population: &Population) -> Result<Vec<Related>, LedgerError> {
        self.reading(|_, audit, seal| audit.related(population, seal))
    }

    fn remaining(&mut self, dataset: &str) -> Result<Loss, LedgerError> {
        self.reading(|_, audit, _| audit.left(dataset))
    }

    fn check(&mut self, request: &Request) -> Result<Loss, LedgerError> {
        self.reading(|_, audit, seal| audit.charge(request, seal)?.left())
    }

    fn charge(&mut self, request: &Request) -> Result<Receipt, LedgerError> {
        self.writing(|_, audit, seal| audit.charge(request, seal))
    }

    fn audited(&mut self, dataset: &str) -> Result<Vec<String>, LedgerError> {
        self.reading(|_, audit, seal| audit.audited(dataset, seal))
    }

    fn keep_audited(
        &mut self,
        dataset: &str,
        asker: &str,
        text: &str,
        after: u64,
    ) -> Result<Receipt, LedgerError> {
        self.writing(|transaction, audit, seal| {
            let (entry, is_new) = audit.audited_entry((dataset, asker, text), after, seal)?;
            if is_new {
                let [epsilon, delta] = &entry.loss;
                let account = params![entry.dataset, epsilon, delta];
                transaction.execute("INSERT INTO accounts VALUES (?1, ?2, ?3)", account)?;
            }
            Ok(entry)
        })
    }

    fn verify(&mut self, since: Option<&Head>) -> Result<Head, LedgerError> {
        self.reading(|transaction, audit, _| {
            let mut since = Since::new(since);
            let mut statement =
                transaction.prepare("SELECT sequence, hash FROM entries ORDER BY sequence")?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                since.pass(&Head { sequence: whole(row.get(0)?)?, hash: row.get(1)? });
            }
            since.finish(audit.last())
        })
    }

    fn records(&mut self) -> Result<Vec<Record>, LedgerError> {
        let all = || -> Result<Vec<Record>, LedgerError> {
            let mut statement = self.connection.prepare("SELECT * FROM entries ORDER BY sequence")?;
            let mut rows = statement.query([])?;
            let mut records = Vec::new();
            while let Some(row) = rows.next()? {
                records.push(read(row)?.record()?);
            }
            Ok(records)
        };
        all().map_err(|error| held(error, &self.path))
    }
}
